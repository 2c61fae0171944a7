"""Compares the EPD and the FEN that pgc writes with python-chess: for each position of the games in
PGN files, up to a number of them. Then it packs these lines as EPD, and compares the games that they become. Needs
python-chess. Files with variants of Lichess fit, except Chess960, whose castling moves it does not read in EPD.

    python3 tests/epd.py target/debug/pgc 100000 FILE.pgn...
"""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.pgn


def lines(pgc, *arguments):
    done = subprocess.run([pgc, *arguments], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8").splitlines()


def expected(game):
    """For each position: its four fields, its FEN, and the move played there."""
    board = game.board()
    moves = list(game.mainline_moves())
    for move in [*moves, None]:
        # In Crazyhouse python-chess marks promoted pieces only where it is asked to; pgc always does.
        how = {"promoted": True} if board.uci_variant == "crazyhouse" else {}
        yield board.epd(**how), board.fen(**how), move and board.san(move)
        if move:
            board.push(move)
            # As on Lichess; python-chess lets the clock run on behind any drop.
            if move.drop == chess.PAWN:
                board.halfmove_clock = 0


def compare(pgc, pgn, most):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        archive = str(Path(folder) / "x.pgc")
        subprocess.run([pgc, "pack", "-q", "-o", archive, str(pgn)], check=True)
        suite = lines(pgc, "find", archive, "--format", "epd", "--at", "all")
        epds = iter(suite)
        fens = iter(lines(pgc, "get", archive, "1..", "--fen", "--ply", "all"))
        with open(pgn, encoding="utf-8-sig", errors="replace") as file:
            while count < most and (game := chess.pgn.read_game(file)):
                for epd, fen, san in expected(game):
                    ours = next(epds)
                    board = game.board()
                    operations = board.set_epd(ours)
                    assert ours.startswith(epd + " "), (ours, epd)
                    assert next(fens) == fen, fen
                    half, full = (int(field) for field in fen.split()[-2:])
                    assert (operations["hmvc"], operations["fmvn"]) == (half, full), ours
                    move = operations.get("sm")
                    assert (move and board.san(move)) == san, (ours, san)
                    assert list(operations) == sorted(operations), ours
                    count += 1
        packed_lines(pgc, Path(folder), suite[:count])
    return count


def packed_lines(pgc, folder, suite):
    """Packs lines of EPD: their text, their operations and their positions come back."""
    source, archive = folder / "suite.epd", str(folder / "suite.pgcz")
    source.write_text("".join(line + "\n" for line in suite), encoding="utf-8")
    subprocess.run([pgc, "pack", "-q", str(source), "-o", archive], check=True)
    done = subprocess.run([pgc, "unpack", "-q", "-c", archive], stdout=subprocess.PIPE, check=True)
    assert done.stdout == source.read_bytes()
    assert lines(pgc, "find", archive, "--format", "epd") == suite
    games = subprocess.run([pgc, "unpack", "-q", "--export", "--utf8", "-c", archive], stdout=subprocess.PIPE, check=True)
    games = io.StringIO(games.stdout.decode("utf-8"))
    for line in suite:
        headers = chess.pgn.read_headers(games)
        game = chess.pgn.Game(headers).board()
        board = type(game)()
        operations = board.set_epd(line)
        assert board.fen(en_passant="fen") == game.fen(en_passant="fen"), line
        assert headers.get("ECO") == operations.get("eco"), line
        # python-chess leaves the backslashes of section 7 in a value.
        assert headers["EPD"].replace("\\", "") == line.split(" ", 4)[4].replace("\\", ""), line
    assert chess.pgn.read_headers(games) is None


def main():
    pgc, most, *files = sys.argv[1:]
    count = 0
    for file in files:
        count += compare(pgc, file, int(most) - count)
        if count >= int(most):
            break
    print(f"{count:,} positions agree with python-chess {chess.__version__}, as EPD, as FEN, and packed again")


main()
