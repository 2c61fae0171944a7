//! Games from damaged blocks, which no checksum vouches for (spec/extension.md 10.2).

use crate::block::decode::block::BlockDecoder;
use crate::block::decode::game::Decoded;
use crate::block::decode::layout::{GivenText, render};
use crate::block::head::BlockHead;
use crate::block::proof::deep::difference;
use crate::pgn::game::ElemKind;
use crate::pgn::respell::in_english;
use crate::pgn::split::UnitKind;
use crate::records::Marker;
use crate::run::Gap;

/// Behind a fault, the least number of plies of a game: fewer may be legal by chance.
const PLIES: usize = 4;

/// Behind a fault, the number of bytes in which a game is sought from each place on.
const REACH: usize = 4096;

/// One place is tried for every `BYTES_A_TRY` bytes of the block, and `TRIES` more.
const BYTES_A_TRY: usize = 16;
const TRIES: usize = 256;

/// A game from a damaged block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnprovedGame {
    /// The name of its source, if known.
    pub name: Option<String>,
    /// Its number in the archive, from 1, if known.
    pub game: Option<u64>,
    /// The offset in the archive of its first record.
    pub offset: u64,
    /// Its text, behind a tag pair `Unproved` that marks it.
    pub text: Vec<u8>,
}

/// What is left of a block whose head is whole.
pub(crate) struct BlockRemains {
    pub head: Box<BlockHead>,
    /// The bytes behind the head, up to the next part that was found.
    pub stored: Vec<u8>,
    /// Their offset.
    pub at: u64,
}

impl BlockRemains {
    /// The games of the block that decode to legal play, and whose text says the same as their
    /// records. In the small form a range coder makes legal moves of any bytes, so no game is
    /// returned.
    pub(crate) fn games(&self, gap: &Gap) -> Vec<UnprovedGame> {
        let mut found = Vec::new();
        if self.head.streams.is_some() {
            return found;
        }
        let mut search = UnprovedSearch {
            remains: self,
            unit: Decoded::default(),
            scratch: Vec::new(),
            tries: TRIES + self.stored.len() / BYTES_A_TRY,
        };
        // Up to the first fault it is known which game of the block is read.
        let mut number = gap.game;
        let mut at = 0;
        while let Some(begin) = search.sequence(at, &mut number, gap, &mut found) {
            number = None;
            let Some(next) = search.game_from(begin + 1) else {
                break;
            };
            at = next;
        }
        found
    }
}

struct UnprovedSearch<'r> {
    remains: &'r BlockRemains,
    unit: Decoded,
    scratch: Vec<u8>,
    /// The number of places that may still be tried.
    tries: usize,
}

impl UnprovedSearch<'_> {
    /// Takes the games from a place on, up to where a record cannot be read; returns where that
    /// game begins, or `None` at the end.
    fn sequence(
        &mut self,
        at: usize,
        number: &mut Option<u64>,
        gap: &Gap,
        found: &mut Vec<UnprovedGame>,
    ) -> Option<usize> {
        let BlockRemains { head, stored, .. } = self.remains;
        let mut decoder = BlockDecoder::new(head, &stored[at..]);
        loop {
            let kind = match decoder.next(&mut self.unit) {
                Ok(Some(kind)) => kind,
                Ok(None) => return None,
                Err(_) => return Some(at + usize::try_from(decoder.begin).unwrap_or(0)),
            };
            let this = *number;
            if matches!(kind, UnitKind::Game | UnitKind::Piece(false)) {
                *number = number.map(|number| number.saturating_add(1));
            }
            let offset = self.remains.at + at as u64 + decoder.begin;
            if kind == UnitKind::Game
                && let Some(text) = self.text(1)
            {
                found.push(UnprovedGame {
                    text: marked(&text, gap.name.as_deref(), this),
                    name: gap.name.clone(),
                    game: this,
                    offset,
                });
            }
        }
    }

    /// The next place where a game with legal play begins.
    fn game_from(&mut self, from: usize) -> Option<usize> {
        let BlockRemains { head, stored, .. } = self.remains;
        let (short, long) = (Marker::ReducedGame.byte(), Marker::GameBegin.byte());
        for at in memchr::memchr2_iter(short, long, stored.get(from..)?) {
            self.tries = self.tries.checked_sub(1)?;
            let at = from + at;
            let reach = &stored[at..stored.len().min(at + REACH)];
            let mut decoder = BlockDecoder::new(head, reach);
            let is_game = matches!(decoder.next(&mut self.unit), Ok(Some(UnitKind::Game)));
            if is_game && self.text(PLIES).is_some() {
                return Some(at);
            }
        }
        None
    }

    /// The text of the game, if it has at least `plies` plies, all legal, and says the same as its
    /// records.
    fn text(&mut self, plies: usize) -> Option<Vec<u8>> {
        let moves = self.unit.elems.iter().filter(|e| e.kind == ElemKind::Move);
        if moves.take(plies).count() < plies {
            return None;
        }
        let head = &self.remains.head;
        let limit = usize::try_from(head.source).unwrap_or(usize::MAX);
        let mut text = Vec::new();
        render(
            &mut text,
            &self.unit,
            &head.style,
            &mut self.scratch,
            limit,
            GivenText::Believed,
        )
        .ok()?;
        difference(&self.unit, &head.style, &text)
            .is_none()
            .then(|| match head.style.letters {
                Some(letters) => in_english(&text, letters),
                None => text,
            })
    }
}

/// The text of a game behind a tag pair that says where it comes from.
fn marked(text: &[u8], name: Option<&str>, game: Option<u64>) -> Vec<u8> {
    let text = text.trim_ascii();
    let mut out = b"[Unproved \"".to_vec();
    for byte in name.unwrap_or("?").bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(if byte.is_ascii_control() { b'_' } else { byte });
    }
    if let Some(game) = game {
        out.extend_from_slice(format!(" {game}").as_bytes());
    }
    out.extend_from_slice(b"\"]\n");
    if !text.starts_with(b"[") {
        out.push(b'\n');
    }
    out.extend_from_slice(text);
    out.extend_from_slice(b"\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn marks() {
        assert_eq!(
            marked(b"\n[White \"x\"]\n\n1. e4 *\n\n", Some("a\"b\n"), Some(12)),
            b"[Unproved \"a\\\"b_ 12\"]\n[White \"x\"]\n\n1. e4 *\n\n"
        );
        assert_eq!(
            marked(b"1. e4 *", None, None),
            b"[Unproved \"?\"]\n\n1. e4 *\n\n"
        );
    }
}
