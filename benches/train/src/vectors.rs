//! Writes spec/vectors/moves.txt: positions that were typed in, and games that a seed makes up.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _, fen::Fen, uci::UciMove};

use crate::features::{Line, ordered};
use crate::games::{Game, Item, position};
use crate::measure::{choices, encode};
use crate::tables::Tables;
use crate::train::Random;

const HEAD: &str = "\
# Vectors of the move model (moves.md). This file is in the public domain (CC0). No game in it was
# played: the moves were typed in, or a seed drew them by their frequencies, one in eight evenly.
#
#   run                      a run of the coder begins
#   game RULES FEN           a line begins here; RULES is chess or chess960
#   ply UCI PLACE BELOW FREQUENCY TOTAL
#                            the next move, its place in the order of moves (from 0), the sum of the
#                            frequencies before it, its frequency, and the sum of all; `- - -` where
#                            it is the only move. In chess960 castling is spelled king takes rook
#   open, close              a variation begins (it replaces the last move), ends
#   coded HEX                the run ends; its bytes, - if there are none
#   damaged HEX PLIES        bytes that are damage when so many plies from the start are read
";

/// Start, and moves that are played first.
const TYPED: &[(&str, &str, &str)] = &[
    // Castling: the rook gives check; on both sides; away from an attacked rook.
    ("chess", "5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"),
    (
        "chess",
        "3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1c1 d8e7 d1d7",
    ),
    (
        "chess",
        "r3k2r/8/8/4b3/8/8/8/R3K2R b KQkq - 0 1",
        "e8c8 e1g1 e5d6 g1g2",
    ),
    // Chess960: the king stays; stays and the rook passes; lands on the rook's square.
    ("chess960", "5k2/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),
    ("chess960", "4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1 e8e7"),
    (
        "chess960",
        "rk5r/8/8/8/8/8/8/RK5R b AHah - 0 1",
        "b8h8 b1a1 g8g7 d1d7",
    ),
    (
        "chess960",
        "bbr1nkrn/pppppppp/8/8/8/8/PPPPPPPP/BBR1NKRN w CGcg - 0 1",
        "f1g1 f8g8",
    ),
    // En passant: it gives check by the pawn; discovers one along the rank, and a diagonal.
    ("chess", "8/5k2/8/8/4Pp2/8/8/4K3 b - e3 0 1", "f4e3 e1e2"),
    (
        "chess",
        "8/3p4/1k6/4P3/8/8/8/4K3 b - - 0 1",
        "d7d5 e5d6 b6c6",
    ),
    (
        "chess",
        "8/3p2k1/8/4P3/8/8/1B6/4K3 b - - 0 1",
        "d7d5 e5d6 g7f7",
    ),
    (
        "chess",
        "8/5p2/2k5/4P3/8/8/8/4K3 b - - 0 1",
        "f7f5 e5f6 c6d6 f6f7 d6e7",
    ),
    // Promotions: quiet, by capture, with check by the new piece, discovered, both.
    (
        "chess",
        "1n2k3/P7/8/8/8/8/7p/K5R1 w - - 0 1",
        "a7b8q e8f7 b8b7 f7f6 b7h1 h2g1n",
    ),
    ("chess", "8/R3P2k/8/8/8/8/8/K7 w - - 0 1", "e7e8n h7g6"),
    (
        "chess",
        "8/R3P1k1/8/8/8/8/6p1/K7 w - - 0 1",
        "e7e8n g7f8 e8f6 g2g1q",
    ),
    (
        "chess",
        "8/8/8/8/7k/8/p5P1/1N2K3 b - - 0 1",
        "a2b1q e1f2 b1b6",
    ),
    // A check that is met in one way; double check; hanging pieces; batteries; pins.
    ("chess", "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "e1e8"),
    (
        "chess",
        "4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1",
        "e4f6 e8f8 f6h7",
    ),
    (
        "chess",
        "r2q1rk1/pp2bppp/2n1pn2/3p4/3P2b1/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
        "h2h3 g4h5 g2g4",
    ),
    (
        "chess",
        "4q2k/4r3/4p3/3N4/8/8/4Q3/K3R3 w - - 0 1",
        "d5e7 e8e7 e2e6 e7e6 e1e6",
    ),
    (
        "chess",
        "r1bqk2r/ppp2ppp/2n2n2/1B1pp3/1b1PP3/2N2N2/PPP2PPP/R1BQK2R w KQkq - 0 6",
        "e4d5 f6d5",
    ),
    // Many moves, and more than 256, where ordinals are coded.
    (
        "chess",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "d2e1",
    ),
    (
        "chess",
        "QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/Q5NB/KQQQQQBk w - - 0 1",
        "",
    ),
];

/// Starts of games that the seed goes on with, and how many plies.
const DRAWN: &[(&str, &str, usize)] = &[
    (
        "chess",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        150,
    ),
    (
        "chess",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        60,
    ),
    (
        "chess960",
        "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w BGbg - 0 1",
        80,
    ),
    ("chess", "8/PPP2k2/8/8/8/8/2K2ppp/8 w - - 0 1", 60),
    ("chess", "4k3/8/8/3pp3/3PP3/8/8/4K3 b - - 0 1", 60),
];

fn start(rules: &str, fen: &str) -> Result<Chess> {
    let mode = match rules {
        "chess960" => CastlingMode::Chess960,
        _ => CastlingMode::Standard,
    };
    let fen: Fen = fen.parse()?;
    let text = fen.to_string();
    position(fen, mode).with_context(|| format!("no game starts from {text}"))
}

struct Writer<'a> {
    tables: &'a Tables,
    text: String,
    random: Random,
    games: Vec<Game>,
}

impl Writer<'_> {
    fn ply(&mut self, line: &mut Line, m: Move, rules: &str) -> Result<()> {
        let (moves, frequencies) = choices(self.tables, line);
        let place = moves
            .iter()
            .position(|&other| other == m)
            .context("no legal move")?;
        let mode = match rules {
            "chess960" => CastlingMode::Chess960,
            _ => CastlingMode::Standard,
        };
        write!(self.text, "ply {} {place} ", UciMove::from_move(m, mode))?;
        if frequencies.is_empty() {
            writeln!(self.text, "- - -")?;
        } else {
            let below: u32 = frequencies[..place].iter().sum();
            let total: u32 = frequencies.iter().sum();
            writeln!(self.text, "{below} {} {total}", frequencies[place])?;
        }
        self.games
            .last_mut()
            .context("no game")?
            .items
            .push(Item::Move(m));
        line.play(m);
        Ok(())
    }

    /// By its frequency; one time in eight any move.
    fn draw(&mut self, line: &Line) -> Option<Move> {
        let (moves, frequencies) = choices(self.tables, line);
        if moves.is_empty() {
            return None;
        }
        if frequencies.is_empty() || self.random.below(8) == 0 {
            return Some(moves[self.random.below(moves.len())]);
        }
        let mut number = self.random.below(frequencies.iter().sum::<u32>() as usize) as u32;
        for (&m, frequency) in moves.iter().zip(frequencies) {
            if number < frequency {
                return Some(m);
            }
            number -= frequency;
        }
        None
    }

    fn begin(&mut self, rules: &str, fen: &str) -> Result<Line> {
        writeln!(self.text, "game {rules} {fen}")?;
        let start = start(rules, fen)?;
        self.games.push(Game {
            start: start.clone(),
            items: Vec::new(),
        });
        Ok(Line::new(start))
    }

    fn end(&mut self) -> Result<()> {
        let (bytes, _) = encode(self.tables, &self.games);
        writeln!(self.text, "coded {}", hex(&bytes))?;
        self.games.clear();
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "-".to_string();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text of the vectors.
pub fn vectors(tables: &Tables) -> Result<String> {
    let mut writer = Writer {
        tables,
        text: HEAD.to_string(),
        random: Random(15),
        games: Vec::new(),
    };
    writeln!(writer.text, "run\ncoded -")?;
    for &(rules, fen, moves) in TYPED {
        writeln!(writer.text, "run")?;
        let mut line = writer.begin(rules, fen)?;
        for uci in moves.split_ascii_whitespace() {
            let uci: UciMove = uci.parse()?;
            let m = uci
                .to_move(&line.pos)
                .with_context(|| format!("{uci} in {fen}"))?;
            writer.ply(&mut line, m, rules)?;
        }
        // Two more, so that the last of the typed ones is seen in the state.
        for _ in 0..2 {
            if let Some(m) = writer.draw(&line) {
                writer.ply(&mut line, m, rules)?;
            }
        }
        writer.end()?;
    }
    writeln!(writer.text, "run")?;
    for &(rules, fen, plies) in DRAWN {
        let mut line = writer.begin(rules, fen)?;
        for number in 1..=plies {
            let before = line.clone();
            let Some(m) = writer.draw(&line) else { break };
            writer.ply(&mut line, m, rules)?;
            if number % 16 == 0 {
                // A variation of up to four plies, and one in it.
                let after = line.clone();
                variation(&mut writer, before, rules, 4)?;
                line = after;
            }
        }
    }
    writer.end()?;
    damaged(&mut writer.text, tables)?;
    Ok(writer.text)
}

fn variation(writer: &mut Writer<'_>, mut line: Line, rules: &str, plies: usize) -> Result<()> {
    writeln!(writer.text, "open")?;
    writer
        .games
        .last_mut()
        .context("no game")?
        .items
        .push(Item::Open);
    for _ in 0..plies {
        let before = line.clone();
        let Some(m) = writer.draw(&line) else { break };
        writer.ply(&mut line, m, rules)?;
        if plies > 2 && line.pos.turn() == Color::White {
            let after = line.clone();
            variation(writer, before, rules, plies - 2)?;
            line = after;
        }
    }
    writeln!(writer.text, "close")?;
    writer
        .games
        .last_mut()
        .context("no game")?
        .items
        .push(Item::Close);
    Ok(())
}

/// Endings that no encoder writes, each of one ply from the normal start or of none.
fn damaged(text: &mut String, tables: &Tables) -> Result<()> {
    let line = Line::default();
    let mut spelled = Vec::new();
    for m in ordered(&line.pos) {
        let game = Game {
            start: line.pos.clone(),
            items: vec![Item::Move(m)],
        };
        spelled.push(encode(tables, &[game]).0);
    }
    let longest = spelled
        .iter()
        .max_by_key(|bytes| bytes.len())
        .context("no moves")?;
    let mut more = longest.clone();
    more.push(0);
    writeln!(text, "damaged {} 1", hex(&more))?;
    *more.last_mut().context("bytes")? = 1;
    writeln!(text, "damaged {} 1", hex(&more))?;
    more.extend([0, 0, 0, 1]);
    writeln!(text, "damaged {} 1", hex(&more))?;
    writeln!(text, "damaged ffffffff 1")?;
    writeln!(text, "damaged 00 0\ndamaged 80 0\ndamaged 0000000001 0")?;
    Ok(())
}
