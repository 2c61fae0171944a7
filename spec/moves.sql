-- Moves of 16 bits (tables.md 2.2) in DuckDB: `.read moves.sql`, or run these statements once. In the public domain (CC0).

CREATE OR REPLACE MACRO pgc_square(number) AS chr(97 + (number::INTEGER & 7)) || chr(49 + (number::INTEGER >> 3));

CREATE OR REPLACE MACRO pgc_from(move) AS pgc_square(move::INTEGER & 63);

CREATE OR REPLACE MACRO pgc_to(move) AS pgc_square((move::INTEGER >> 6) & 63);

-- The piece that a pawn becomes, or that is dropped: P, N, B, R, Q, K; '' if neither.
CREATE OR REPLACE MACRO pgc_piece(move) AS coalesce(nullif(substr('PNBRQK', (move::INTEGER >> 12) & 7, 1), ''), '');

-- The move in the notation of UCI, as the column `uci` has it: e2e4, e7e8q, N@f3.
CREATE OR REPLACE MACRO pgc_uci(move) AS CASE
  WHEN pgc_from(move) = pgc_to(move) THEN pgc_piece(move) || '@' || pgc_to(move)
  ELSE pgc_from(move) || pgc_to(move) || lower(pgc_piece(move))
END;
