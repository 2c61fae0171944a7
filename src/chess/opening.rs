//! The first moves of a game, as somebody types them.
//!
//! A move is one byte, its ordinal, whose meaning depends only on the start position and the moves
//! before it. So the moves are converted into ordinals once, for the standard start position, and
//! then compared as bytes, without a board. Only for a game with a FEN or Variant tag they are
//! parsed again from its own start position.

use super::lenient::Unresolved;
use super::position::Position;
use super::start::known_start;

/// Why a text is not a line of moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MovesError {
    /// There are no moves.
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
/// use pgc_chess::Opening;
///
/// let sicilian: Opening = "1.e4 c5 2.Nf3".parse()?;
/// assert_eq!(sicilian.plies(), 3);
/// assert_eq!(sicilian.illegal(), None);
/// let typo: Opening = "1. e4 c5 2. Nf4".parse()?;
/// assert_eq!(typo.illegal().as_deref(), Some("2.Nf4"));
/// # Ok::<(), pgc_chess::MovesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The moves as given, without numbers and annotations.
    tokens: Vec<String>,
    /// The ordinals of the moves from the standard start position, up to the first illegal move.
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
            // Behind an illegal move only the form of a token can be judged, in any position.
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
    /// The number of half moves. A game with fewer does not match.
    pub fn plies(&self) -> usize {
        self.tokens.len()
    }

    /// The first move that is illegal from the usual start position, with its number: then only games
    /// from other positions can match.
    pub fn illegal(&self) -> Option<String> {
        let ply = self.ordinals.len();
        let dots = ["...", "."][usize::from(ply.is_multiple_of(2))];
        let token = self.tokens.get(ply)?;
        Some(format!("{}{dots}{token}", ply / 2 + 1))
    }

    /// The position after the moves; `None` if one of them is illegal.
    pub fn position(&self) -> Option<Position> {
        let mut position = Position::initial();
        for &ordinal in self.usual()? {
            position.advance(ordinal, None)?;
        }
        Some(position)
    }

    /// The ordinals that a game from the usual start position begins with; `None` if a move is
    /// illegal there.
    pub fn usual(&self) -> Option<&[u8]> {
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

    /// Whether a game begins with the moves: `start` are its Variant and FEN tags, `ordinals` its
    /// moves, at least as many as these if it has them.
    pub fn begins(&self, start: &[(&[u8], &[u8])], ordinals: &[u8]) -> bool {
        if start.is_empty() {
            self.usual()
                .is_some_and(|usual| ordinals.starts_with(usual))
        } else {
            // Without a usable start position the ordinals have no meaning.
            known_start(start.iter().copied()).is_ok_and(|position| self.fits(position, ordinals))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let first: Opening = "1. Nd2".parse().unwrap();
        assert_eq!(first.illegal().as_deref(), Some("1.Nd2"));
    }
}
