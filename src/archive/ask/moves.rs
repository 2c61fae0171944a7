//! Finds the games that begin with given moves (`--moves`).
//!
//! A move is one byte, its ordinal, whose meaning depends only on the start position and the moves
//! before it. So the given moves are converted into ordinals once, for the standard start position,
//! and then compared as bytes, without a board. Only for a game with a FEN or Variant tag they are
//! parsed again from its own start position.

use crate::chess::{Position, Unresolved, start_position};
use crate::records::private::{EscapeKind, Private, private};
use crate::records::reader::{Dialect, ReadError, Records};
use crate::records::record::Record;

/// Why a text is not a line of moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MovesError {
    /// It has no moves.
    #[error("no moves given: write them like \"1.e4 c5 2.Nf3\"")]
    Empty,
    /// This word is not a move.
    #[error("\"{0}\" is not a move: write them like \"1.e4 c5 2.Nf3\"")]
    NotAMove(String),
    /// Several moves match this word.
    #[error("\"{0}\" is ambiguous: several moves are meant")]
    Ambiguous(String),
}

/// The first moves of a game.
///
/// # Examples
/// ```
/// use pgc::internals::archive::Opening;
///
/// let sicilian: Opening = "1.e4 c5 2.Nf3".parse()?;
/// assert_eq!(sicilian.plies(), 3);
/// assert_eq!(sicilian.illegal(), None);
/// let typo: Opening = "1. e4 c5 2. Nf4".parse()?;
/// assert_eq!(typo.illegal(), Some("Nf4"));
/// # Ok::<(), pgc::internals::archive::MovesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The moves as given, without numbers and annotations.
    tokens: Vec<String>,
    /// Their ordinals from the standard start position, up to the first illegal move.
    ordinals: Vec<u8>,
}

impl std::str::FromStr for Opening {
    type Err = MovesError;

    fn from_str(text: &str) -> Result<Opening, MovesError> {
        let tokens: Vec<String> = text
            .split_whitespace()
            .map(bare)
            .filter(|token| !token.is_empty())
            .map(str::to_owned)
            .collect();
        if tokens.is_empty() {
            return Err(MovesError::Empty);
        }
        let mut ordinals = Vec::new();
        let mut position = Some(Position::initial());
        for token in &tokens {
            // Behind an illegal move only the form can be judged, and any position will do for
            // that.
            let outcome = position
                .as_ref()
                .unwrap_or(&Position::initial())
                .resolve(token.as_bytes());
            match (outcome, position.as_mut()) {
                (Err(Unresolved::NotAMove | Unresolved::Null), _) => {
                    return Err(MovesError::NotAMove(token.clone()));
                }
                (Err(Unresolved::Ambiguous), Some(_)) => {
                    return Err(MovesError::Ambiguous(token.clone()));
                }
                (Ok(resolved), Some(at)) => match resolved.ordinal {
                    Some(ordinal) => {
                        ordinals.push(ordinal);
                        at.play(resolved.m);
                    }
                    None => position = None,
                },
                (Err(_), _) => position = None,
                (Ok(_), None) => {}
            }
        }
        Ok(Opening { tokens, ordinals })
    }
}

/// A token without move number and annotation: `12...Nf3!?` is `Nf3`. A number alone, or a
/// terminator, is nothing.
fn bare(token: &str) -> &str {
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match &token[digits..] {
        "" => "",
        rest if rest.starts_with('.') => rest.trim_start_matches('.'),
        // `0-0`, castling with zeros, is no number.
        _ => token,
    };
    if matches!(token, "1-0" | "0-1" | "1/2-1/2" | "*") {
        ""
    } else {
        rest.trim_end_matches(['!', '?'])
    }
}

impl Opening {
    /// Half moves: a game with fewer does not match.
    #[must_use]
    pub fn plies(&self) -> usize {
        self.tokens.len()
    }

    /// The first move that is illegal from the usual start position: then only games from other
    /// positions can match.
    #[must_use]
    pub fn illegal(&self) -> Option<&str> {
        self.tokens.get(self.ordinals.len()).map(String::as_str)
    }

    /// The ordinals that a game from the usual start position begins with.
    fn usual(&self) -> Option<&[u8]> {
        (self.ordinals.len() == self.tokens.len()).then_some(&self.ordinals)
    }

    /// Whether these ordinals, from this position, are the moves; a move spelled leniently counts.
    fn fits(&self, mut position: Position, ordinals: &[u8]) -> bool {
        if ordinals.len() < self.tokens.len() {
            return false;
        }
        self.tokens.iter().zip(ordinals).all(|(token, &ordinal)| {
            let Ok(wanted) = position.resolve(token.as_bytes()) else {
                return false;
            };
            let same = position.select(ordinal) == Some(wanted.m);
            if same {
                position.play(wanted.m);
            }
            same
        })
    }

    /// Whether a game with these tags for its start position begins with the opening.
    fn fits_tags(&self, start: &[(&[u8], &[u8])], ordinals: &[u8]) -> bool {
        // Without a usable start position the ordinals have no meaning.
        start_position(start.iter().copied()).is_ok_and(|position| self.fits(position, ordinals))
    }
}

/// The data of a game that decide whether it matches.
#[derive(Default)]
struct Beginning<'a> {
    /// Its Variant and FEN tags.
    start: Vec<(&'a [u8], &'a [u8])>,
    /// The first ordinals of the main line, as many as the opening has.
    ordinals: Vec<u8>,
    depth: u32,
}

impl<'a> Beginning<'a> {
    fn clear(&mut self) {
        self.start.clear();
        self.ordinals.clear();
        self.depth = 0;
    }

    fn moves(&mut self, moves: &[u8], most: usize) {
        if self.depth == 0 {
            let room = most.saturating_sub(self.ordinals.len());
            self.ordinals
                .extend_from_slice(&moves[..moves.len().min(room)]);
        }
    }

    fn take(&mut self, record: &Record<'a>, most: usize) {
        match *record {
            Record::TagPair {
                name: name @ (b"Variant" | b"FEN"),
                value,
            } => self.start.push((name, value)),
            Record::ShortMoves(moves) | Record::LongMoves(moves) => self.moves(moves, most),
            Record::RavBegin => self.depth += 1,
            Record::RavEnd => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Appends to `found` those of the `wanted` games that begin with the opening. `records` are the
/// records of a block, or a part of a foreign stream; `wanted` are positions of games in it, from
/// 0, ascending. All records are read, so that damage anywhere in them is found.
///
/// Tag values that only an escape can hold (`T`) do not matter here: with such a Variant or FEN,
/// the play is text and has no ordinals.
pub(crate) fn scan(
    opening: &Opening,
    records: &[u8],
    wanted: &[u32],
    found: &mut Vec<u32>,
) -> Result<(), ReadError> {
    let most = opening.plies();
    let usual = opening.usual();
    let mut wanted = wanted.iter().copied().peekable();
    let (mut game, mut open, mut in_game) = (0_u32, false, false);
    let mut beginning = Beginning::default();
    for record in Records::new(records, Dialect::Standard) {
        let (_, record) = record?;
        match record {
            Record::Game { moves, .. } => {
                // A reduced game has the seven tags of the roster and no others.
                if wanted.next_if_eq(&game).is_some()
                    && usual.is_some_and(|usual| moves.starts_with(usual))
                {
                    found.push(game);
                }
                game += 1;
            }
            Record::GameBegin => {
                in_game = true;
                beginning.clear();
            }
            Record::GameEnd => {
                let fits = |b: &Beginning<'_>| {
                    if b.start.is_empty() {
                        usual.is_some_and(|usual| b.ordinals == usual)
                    } else {
                        opening.fits_tags(&b.start, &b.ordinals)
                    }
                };
                if wanted.next_if_eq(&game).is_some() && fits(&beginning) {
                    found.push(game);
                }
                in_game = false;
                game += 1;
            }
            // A game kept as text has no ordinals, but it is counted.
            Record::Escape(payload) if !in_game && begins_piece(payload, &mut open) => {
                wanted.next_if_eq(&game);
                game += 1;
            }
            record if in_game && wanted.peek() == Some(&game) => beginning.take(&record, most),
            _ => {}
        }
    }
    Ok(())
}

/// Whether an escape between games begins a game kept as text. `open`: the previous escape
/// continues in this one.
fn begins_piece(payload: &[u8], open: &mut bool) -> bool {
    let Some(Private {
        kind,
        continues,
        data,
    }) = private(payload)
    else {
        return false;
    };
    let first = !std::mem::replace(open, continues);
    first && kind == EscapeKind::Piece && data.first() == Some(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::pack::pack;
    use crate::archive::stream::reader::{ArchivePart, ArchiveReader};
    use crate::run::{NoHooks, PackOptions};

    fn found(pgn: &str, moves: &str) -> Vec<u32> {
        let mut archive = Vec::new();
        pack(
            &mut pgn.as_bytes(),
            "x",
            &mut archive,
            &PackOptions::default(),
            &mut NoHooks,
        )
        .unwrap();
        let mut reader = ArchiveReader::new(&*archive);
        let mut found = Vec::new();
        while let Some(part) = reader.next_part().unwrap() {
            if let ArchivePart::Block(head, records, _) = part {
                let all: Vec<_> = (0..u32::try_from(head.games).unwrap()).collect();
                scan(&moves.parse().unwrap(), &records, &all, &mut found).unwrap();
            }
        }
        found
    }

    #[test]
    fn lines_of_moves() {
        let line = |text: &str| text.parse::<Opening>().map(|o| o.tokens.join(" "));
        assert_eq!(
            line("1.e4 e5 2. Nf3! Nc6?? 3 Bb5 3...a6+"),
            Ok("e4 e5 Nf3 Nc6 Bb5 a6+".into())
        );
        assert_eq!(line("1. e4 1-0"), Ok("e4".into()));
        assert_eq!(line(" 1. "), Err(MovesError::Empty));
        assert_eq!(
            line("1.e4 hello"),
            Err(MovesError::NotAMove("hello".into()))
        );
        assert_eq!(line("1.e4 --"), Err(MovesError::NotAMove("--".into())));
        assert_eq!(line("e4 Ke2 0-0"), Ok("e4 Ke2 0-0".into()));
        let opening: Opening = "1. e4 e5 2. Qf3".parse().unwrap();
        assert_eq!((opening.ordinals.len(), opening.illegal()), (3, None));
        assert_eq!("1. Nd2".parse::<Opening>().unwrap().illegal(), Some("Nd2"));
    }

    #[test]
    fn beginnings() {
        let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"?\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n";
        let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n";
        let pgn = format!(
            "{roster}1. e4 e5 2. Nf3 *\n\n{roster}1. e4 *\n\n1. e4 {{a}} (1. d4 d5) e5 (1... c5) 2. Nf3 Nc6 *\n\n\
             {fen}1. e4 Kd7 *\n\n[Variant \"Atomic\"]\n\n1. e4 e5 2. Nf3 *\n\n1. d4 (1. e4 e5 2. Nf3) *\n\n1. e4 e5 2. Nf9 *\n"
        );
        assert_eq!(found(&pgn, "1.e4 e5 2.Nf3"), [0, 2, 4]);
        assert_eq!(found(&pgn, "1.e4"), [0, 1, 2, 3, 4, 6]);
        assert_eq!(found(&pgn, "1.e2-e4 e7-e5 2.g1f3"), [0, 2, 4]);
        assert_eq!(found(&pgn, "1.e4 Kd7"), [3]);
        assert_eq!(found(&pgn, "1.e4 e5 2.Nf3 Nc6"), [2]);
        assert!(found(&pgn, "1.c4").is_empty());
    }
}
