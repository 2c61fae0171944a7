//! From ordinals to moves: what every reader of a game's records does, whatever it makes of them.

use crate::chess::{Check, Move, Position, Rules};

/// What the tags of a game say about its start (D8).
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    variant: Option<Vec<u8>>,
    rules: Option<Rules>,
    fen: Option<Vec<u8>>,
    undecodable: Option<&'static str>,
}

impl Start {
    /// Whether a tag of this name has a say.
    pub(super) fn concerns(name: &[u8]) -> bool {
        matches!(name, b"Variant" | b"FEN")
    }

    /// Takes a tag pair into account; most have no say.
    pub(super) fn tag(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"Variant" => {
                match Rules::from_variant_tag(value) {
                    _ if self.variant.as_deref().is_some_and(|variant| variant != value) => {
                        self.undecodable = Some("the Variant tags name different rules");
                    }
                    Some(rules) => self.rules = Some(rules),
                    None => self.undecodable = Some("the Variant tag names unknown rules"),
                }
                self.variant = Some(value.to_vec());
            }
            b"FEN" => {
                if self.fen.as_deref().is_some_and(|fen| fen != value) {
                    self.undecodable = Some("the FEN tags name different positions");
                }
                self.fen = Some(value.to_vec());
            }
            _ => {}
        }
    }

    /// The start position, or why nobody can know what the ordinals mean.
    pub(super) fn position(&self) -> Result<Position, &'static str> {
        match self.undecodable {
            Some(why) => Err(why),
            None => Position::start(self.rules.unwrap_or(Rules::Chess), self.fen.as_deref())
                .map_err(|_| "the FEN tag names no usable position"),
        }
    }
}

/// Plays the ordinals of a game; variations without recursion.
#[derive(Clone, Debug)]
pub(super) struct Play {
    position: Position,
    /// The position before the last move of this line, which a variation replaces (D5).
    before: Option<Position>,
    /// Both for each line that an open variation interrupts.
    lines: Vec<(Position, Option<Position>)>,
    pgn2pgc: bool,
    /// The SAN of a move, with its check mark.
    san: Vec<u8>,
}

impl Play {
    /// From this position. `pgn2pgc`: with the ordinals of that program.
    pub(super) fn new(position: Position, pgn2pgc: bool) -> Play {
        Play { position, before: None, lines: Vec::new(), pgn2pgc, san: Vec::new() }
    }

    /// Plays moves one after another and gives each as SAN with its check mark.
    ///
    /// # Errors
    /// The index of the first ordinal that is no legal move's.
    pub(super) fn moves(&mut self, ordinals: &[u8], mut each: impl FnMut(&[u8])) -> Result<(), usize> {
        for (index, &ordinal) in ordinals.iter().enumerate() {
            let m = select(&self.position, ordinal, self.pgn2pgc).ok_or(index)?;
            // Only the last move can be the one that a variation after these records replaces.
            if index + 1 == ordinals.len() {
                self.before = Some(self.position.clone());
            }
            self.san.clear();
            self.san.extend_from_slice(self.position.san(m).as_bytes());
            self.position.play(m);
            // PGN 1994 8.2.3.5
            match self.position.check() {
                Check::None => {}
                Check::Check => self.san.push(b'+'),
                Check::Mate => self.san.push(b'#'),
            }
            each(&self.san);
        }
        Ok(())
    }

    /// Goes back to before the last move of this line; `false` when it has none.
    #[must_use]
    pub(super) fn rav_begin(&mut self) -> bool {
        let Some(before) = self.before.take() else { return false };
        let position = std::mem::replace(&mut self.position, before.clone());
        self.lines.push((position, Some(before)));
        true
    }

    /// Goes on with the line that the variation interrupted; `false` when there is none.
    #[must_use]
    pub(super) fn rav_end(&mut self) -> bool {
        let Some((position, before)) = self.lines.pop() else { return false };
        self.position = position;
        self.before = before;
        true
    }
}

fn select(position: &Position, ordinal: u8, pgn2pgc: bool) -> Option<Move> {
    if pgn2pgc { select_pgn2pgc(position, ordinal) } else { position.select(ordinal) }
}

/// The move to which the program `pgn2pgc` gave this ordinal: it sorted the moves before it disambiguated them, and
/// kept equal ones in the order of the squares they leave, a1 first.
fn select_pgn2pgc(position: &Position, ordinal: u8) -> Option<Move> {
    let mut moves: Vec<_> = (0..=u8::MAX)
        .map_while(|k| position.select(k))
        .map(|m| (plain(position.san(m).as_bytes()), m.from().map(u32::from), m))
        .collect();
    moves.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    moves.get(usize::from(ordinal)).map(|entry| entry.2)
}

/// SAN without what disambiguates it.
fn plain(san: &[u8]) -> Vec<u8> {
    match (san, san.last_chunk::<2>()) {
        ([letter @ (b'B' | b'N' | b'Q' | b'R'), middle @ .., _, _], Some(square)) => {
            let takes = if middle.contains(&b'x') { b"x".as_slice() } else { b"" };
            [&[*letter], takes, square].concat()
        }
        _ => san.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_san() {
        for (san, expected) in
            [("Nbd2", "Nd2"), ("Rd1xd5", "Rxd5"), ("Nd2", "Nd2"), ("exd5", "exd5"), ("O-O", "O-O"), ("e8=Q", "e8=Q")]
        {
            assert_eq!(plain(san.as_bytes()), expected.as_bytes());
        }
    }

    #[test]
    fn a_variation_replaces_the_last_move_of_its_line() {
        let mut play = Play::new(Position::start(Rules::Chess, None).unwrap(), false);
        let mut seen = Vec::new();
        let mut moves = |play: &mut Play, ordinals: &[u8]| {
            play.moves(ordinals, |san| seen.push(String::from_utf8_lossy(san).into_owned())).unwrap();
        };
        assert!(!play.rav_begin());
        moves(&mut play, &[13]);
        assert!(play.rav_begin());
        assert!(!play.rav_begin());
        moves(&mut play, &[11]);
        assert!(play.rav_end());
        assert!(play.rav_begin());
        moves(&mut play, &[9, 0]);
        assert!(play.rav_end());
        moves(&mut play, &[12]);
        assert!(!play.rav_end());
        assert_eq!(seen, ["e4", "d4", "c4", "Na6", "e5"]);
    }
}
