//! Questions about one move: its SAN with wildcards, the pieces that take and are taken, or where
//! the piece comes from.

use std::str::FromStr;

use shakmaty::Color;

use super::error::{BoardError, short};
use super::seen::BoardView;
use super::way::{WayTest, Ways};
use crate::position::{Position, SanText};
use crate::standard::Check;

/// A test of one move of a game, of either side or of one.
///
/// A SAN matches with or without the letters that tell two pieces apart (`Nd7` matches `Nbd7`); `?`
/// stands for one character and `*` for any number of them, and `=N` for any promotion to a knight.
/// A final `+` asks for check or mate, `#` for mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveTest {
    /// The side that moves.
    white: Option<bool>,
    wanted: WantedMove,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WantedMove {
    /// SAN without a mark, and the mark.
    San(Vec<u8>, Option<Check>),
    /// The letters of the pieces that may move, and of those that may be taken; none: the move takes
    /// nothing.
    Capture(Vec<u8>, Vec<u8>),
    Way(WayTest),
}

/// A move that was played.
#[derive(Clone, Copy, Debug)]
pub struct SeenMove {
    san: SanText,
    /// The letter of the piece that it takes.
    taken: Option<u8>,
}

impl Position {
    /// Plays a move, and says what a [`MoveTest`] asks of it, also in the ways of the game; `None` if
    /// there is none with this ordinal.
    pub fn play_seen(&mut self, ordinal: u8, ways: Option<&mut Ways>) -> Option<SeenMove> {
        let (before, mover) = (self.pieces(), Color::from_white(self.white_to_move()));
        let san = self.play_ordinal(ordinal)?;
        if let Some(ways) = ways {
            ways.note(mover, &before, &self.pieces());
        }
        let text = san.as_bytes();
        let taken = text.iter().position(|&c| c == b'x').map(|x| {
            let [file, rank] = [1, 2].map(|i| text.get(x + i).map_or(0, |c| c & 0xf));
            let square = 1_u64 << (8 * (u32::from(file.max(1)) - 1) + u32::from(rank.max(1)) - 1);
            let role = (1..7).find(|&role| before.roles[role].0 & square != 0);
            // A pawn that is taken en passant stands elsewhere.
            b"PPNBRQK"[role.unwrap_or(0)]
        });
        Some(SeenMove { san, taken })
    }
}

/// Splits off `white:` or `black:`.
pub fn side(text: &str) -> (Option<bool>, &str) {
    let text = text.trim();
    match text.split_once(':') {
        Some(("white", rest)) => (Some(true), rest.trim()),
        Some(("black", rest)) => (Some(false), rest.trim()),
        _ => (None, text),
    }
}

impl FromStr for MoveTest {
    type Err = BoardError;

    /// Reads SAN: `Bxh7+`, `O-O-O`, `=N`, `?x?7#`, `white:Qh5`; or a way: `Nf1-d5/3`.
    fn from_str(text: &str) -> Result<MoveTest, BoardError> {
        let (white, san) = side(text);
        if let Some(wanted) = WayTest::from_text(san).map(WantedMove::Way) {
            return Ok(MoveTest { white, wanted });
        }
        let known = |c: char| "KQRBNPabcdefgh12345678xO0-=@?*".contains(c);
        let (san, mark) = match san.strip_suffix('#') {
            Some(san) => (san, Some(Check::Mate)),
            None => match san.strip_suffix('+') {
                Some(san) => (san, Some(Check::Check)),
                None => (san, None),
            },
        };
        if !san.chars().all(known) || san.is_empty() && mark.is_none() {
            return Err(BoardError::Move(short(text)));
        }
        let mut wanted = san.replace('0', "O").into_bytes();
        if wanted.is_empty() || wanted[0] == b'=' {
            wanted.insert(0, b'*');
        }
        // Each further star would multiply the ways to compare.
        wanted.dedup_by(|a, b| (*a, *b) == (b'*', b'*'));
        Ok(MoveTest {
            white,
            wanted: WantedMove::San(wanted, mark),
        })
    }
}

impl MoveTest {
    /// A capture, by the pieces that take and are taken: `KP x Q` is a queen taken by a king or a
    /// pawn, `K x -` a move of a king that takes nothing; `*` is any piece.
    ///
    /// # Errors
    /// The text does not name pieces on both sides of an `x`.
    pub fn capture(text: &str) -> Result<MoveTest, BoardError> {
        let (white, pieces) = side(text);
        let wrong = || BoardError::Capture(short(text));
        let letters = |text: &str| match text.trim() {
            "*" | "?" => Some(b"PNBRQK".to_vec()),
            text => {
                let text = text.to_ascii_uppercase().into_bytes();
                let is_known = text.iter().all(|c| b"PNBRQK".contains(c));
                (is_known && !text.is_empty()).then_some(text)
            }
        };
        let (by, of) = pieces.split_once('x').ok_or_else(wrong)?;
        let of = match of.trim() {
            "-" => Some(Vec::new()),
            of => letters(of),
        };
        Ok(MoveTest {
            white,
            wanted: WantedMove::Capture(letters(by).ok_or_else(wrong)?, of.ok_or_else(wrong)?),
        })
    }

    /// Whether it asks where pieces went before the move.
    pub fn asks_for_way(&self) -> bool {
        matches!(self.wanted, WantedMove::Way(_))
    }

    /// Whether a move passes that led to this position. `ways`: of the game up to it.
    pub fn matches(&self, played: &SeenMove, ways: &Ways, after: &Position) -> bool {
        if self
            .white
            .is_some_and(|white| white == after.white_to_move())
        {
            return false;
        }
        let san = played.san.as_bytes();
        match &self.wanted {
            WantedMove::Way(way) => way.matches(ways),
            WantedMove::Capture(by, of) => {
                let piece = match san.first() {
                    Some(b'O') => b'K',
                    Some(&piece) if piece.is_ascii_uppercase() => piece,
                    _ => b'P',
                };
                let takes = played
                    .taken
                    .map_or(of.is_empty(), |taken| of.contains(&taken));
                takes && by.contains(&piece)
            }
            WantedMove::San(wanted, mark) => {
                (is_like(wanted, san) || is_like(wanted, undistinguished(san).as_bytes()))
                    && mark.is_none_or(|mark| match after.check() {
                        Check::None => false,
                        Check::Check => mark == Check::Check,
                        Check::Mate => true,
                    })
            }
        }
    }

    /// The test that the move passes if the boards are turned.
    pub fn seen(&self, seen: BoardView) -> MoveTest {
        let letter = |&c: &u8| match c {
            b'1'..=b'8' if seen.flip => b'1' + b'8' - c,
            b'a'..=b'h' if seen.mirror => b'a' + b'h' - c,
            c => c,
        };
        MoveTest {
            white: self.white.map(|white| white != seen.flip),
            wanted: match &self.wanted {
                WantedMove::San(wanted, mark) => {
                    WantedMove::San(wanted.iter().map(letter).collect(), *mark)
                }
                WantedMove::Way(way) => WantedMove::Way(way.seen(seen)),
                capture @ WantedMove::Capture(..) => capture.clone(),
            },
        }
    }
}

/// SAN of a piece without the file and the rank that it comes from.
fn undistinguished(san: &[u8]) -> SanText {
    let mut short = SanText::default();
    let to = san.len().saturating_sub(2);
    for (i, &c) in san.iter().enumerate() {
        if i == 0
            || i >= to
            || !b"NBRQK".contains(&san[0])
            || !c.is_ascii_alphanumeric()
            || c == b'x'
        {
            short.push(c);
        }
    }
    short
}

/// Whether a text is like one with wildcards.
fn is_like(wanted: &[u8], text: &[u8]) -> bool {
    match (wanted, text) {
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|i| is_like(rest, &text[i..])),
        ([b'?', wanted @ ..], [_, text @ ..]) => is_like(wanted, text),
        ([w, wanted @ ..], [t, text @ ..]) => w == t && is_like(wanted, text),
        (wanted, text) => wanted.is_empty() && text.is_empty(),
    }
}
