//! The moves of a game that has just been read, for the proof that its records give it back.
//!
//! While the game was read, every ordinal was asked for its move and the SAN of that, where the position stood anyhow: if they were those
//! of the source, a decoder that is given the same ordinals from the same start can only find the same. So ordinals and variations are
//! compared with what was read, and not played a second time.

use std::borrow::Cow;

use super::decode::Decoded;
use super::play::Played;
use super::render::{Fault, Moves};
use crate::chess::SanText;
use crate::pgn::game::{Elem, Game, Kind};
use crate::pgn::layout::Style;
use crate::pgn::tag::unescape;

/// See the module.
pub(super) struct Retrace<'s> {
    src: &'s [u8],
    /// The elements that are still to come.
    rest: &'s [Elem],
}

impl<'s> Retrace<'s> {
    /// Of the game that `src` holds. `None`: it has to be played, since not all its moves were proved, the decoded one begins elsewhere,
    /// or moves are not told by SAN.
    pub(super) fn of(src: &'s [u8], game: &'s Game<'s>, decoded: &Decoded, style: &Style) -> Option<Retrace<'s>> {
        let read = game.tags.iter().map(|tag| (&src[tag.name.clone()], &src[tag.value.clone()]));
        let read = read.filter(|tag| tells_start(tag.0)).map(|(name, value)| (name, unescape(value)));
        let given = decoded.tags().filter(|tag| tells_start(tag.0)).map(|(name, value)| (name, Cow::Borrowed(value)));
        let is_proved = game.proved && !style.squares && read.eq(given);
        is_proved.then(|| Retrace { src, rest: &game.elems[game.tag_elems..] })
    }

    /// The next element that play knows, if it is of this kind.
    #[inline(always)]
    fn next(&mut self, kind: Kind) -> Option<&'s Elem> {
        while let Some((elem, rest)) = self.rest.split_first() {
            self.rest = rest;
            if elem.kind == kind {
                return Some(elem);
            }
            if matches!(elem.kind, Kind::Move | Kind::RavOpen | Kind::RavClose) {
                break;
            }
        }
        None
    }
}

/// A record that was not read.
fn other() -> Fault {
    ("record", "is not what was read".to_owned())
}

/// Tags of this name say where a game begins, and by which rules.
fn tells_start(name: &[u8]) -> bool {
    matches!(name, b"FEN" | b"Variant")
}

impl Moves for Retrace<'_> {
    #[inline(always)]
    fn play(&mut self, ordinal: u8) -> Option<Played> {
        let elem = self.next(Kind::Move)?;
        // It was proved, so its mark is one of those that are known, and what stands before is SAN.
        let len = (elem.end - elem.start) as usize - elem.spelled.mark().text().len();
        let san = SanText::at_start(&self.src[elem.start as usize..], len).filter(|_| elem.ordinal == ordinal)?;
        Some(Played { san, num: elem.num, check: elem.spelled.check() })
    }

    #[cold]
    fn refusal(&self, _: u8) -> Fault {
        ("move ordinal", "is not what was read".to_owned())
    }

    fn open(&mut self) -> Result<(), Fault> {
        self.next(Kind::RavOpen).map(drop).ok_or_else(other)
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.next(Kind::RavClose).map(drop).ok_or_else(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::game::{Ask, Games};
    use crate::pgn::layout::Newline;

    const PGN: &[u8] = b"1. e4 (1. d4 {one} d5 $1) 1... e5 2. Nf3+ *";

    /// What retracing says to these ordinals, `(` and `)`.
    fn retraced(steps: &[&str], decoded: &Decoded, pgn: &[u8]) -> Option<Vec<Option<String>>> {
        let mut games = Games::default();
        games.read_game(pgn, true, Ask { proof: true, guess: None }).unwrap();
        let game = games.iter().next().unwrap();
        let mut moves = Retrace::of(pgn, &game, decoded, &Style::new(Newline::Lf))?;
        let told = steps.iter().map(|&step| match step {
            "(" => moves.open().ok().map(|()| String::new()),
            ")" => moves.close().ok().map(|()| String::new()),
            ordinal => {
                let played = moves.play(ordinal.parse().unwrap())?;
                Some(format!("{} {} {:?}", String::from_utf8_lossy(played.san.as_bytes()), played.num, played.check))
            }
        });
        Some(told.collect())
    }

    #[test]
    fn what_was_read_is_known_and_nothing_else() {
        let decoded = Decoded::default();
        // Their places by ASCII order of the SAN: before Nf3 come five moves of the bishop, Ke2, Na3, Nc3 and Ne2.
        let all = ["13", "(", "11", "10", ")", "12", "9"];
        let told = retraced(&all, &decoded, PGN).unwrap();
        let expected = ["e4 2 None", "", "d4 2 None", "d5 3 None", "", "e5 3 None", "Nf3 4 None"];
        assert_eq!(told.into_iter().flatten().collect::<Vec<_>>(), expected);
        for wrong in [&["12"][..], &["13", "12"], &["13", "(", "11", ")"], &["13", ")"], &["("]] {
            assert_eq!(retraced(wrong, &decoded, PGN).unwrap().last().unwrap(), &None, "{wrong:?}");
        }
        let more = [&all[..], &["0"]].concat();
        assert_eq!(retraced(&more, &decoded, PGN).unwrap().last().unwrap(), &None);
    }

    #[test]
    fn what_was_not_proved_is_played() {
        let mut decoded = Decoded::default();
        for unusual in ["1. e2e4 *", "1. e4 e5 2. Ng1f3 *", "1. e4+# *", "1. e4 (1. P-d4) *"] {
            assert_eq!(retraced(&[], &decoded, unusual.as_bytes()), None, "{unusual}");
        }
        let tagged = b"[Variant \"Standard\"]\n\n1. e4 *";
        assert_eq!(retraced(&[], &decoded, tagged), None);
        decoded.push_tag(b"Variant", b"Standard");
        decoded.tag_items = 1;
        assert!(retraced(&[], &decoded, tagged).is_some() && retraced(&[], &decoded, PGN).is_none());
    }
}
