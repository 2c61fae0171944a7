//! Bytes of an archive by kind.

use crate::decode::game::Decoded;
use pgc_pgn::game::ElemKind;
use pgc_pgn::records::private::{EscapeKind, private};
use pgc_pgn::records::record::{Record, take_record};

/// Bytes of an archive by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Breakdown {
    pub tags: u64,
    pub moves: u64,
    pub nags_and_variations: u64,
    pub comments: u64,
    pub layout: u64,
    pub text_kept: u64,
    pub heads: u64,
    pub escapes: u64,
    pub other: u64,
}

impl Breakdown {
    /// Takes the whole records off the beginning of `src` and counts them. Text among annotations
    /// counts as comments; see [`Breakdown::move_text`].
    pub fn count(&mut self, src: &mut &[u8]) {
        let mut before = src.len();
        while let Ok(record) = take_record(src) {
            let size = (before - src.len()) as u64;
            before = src.len();
            let kind = match record {
                Record::Game { moves, .. } => {
                    let of_moves = 2 + moves.len() as u64;
                    self.tags += size - of_moves;
                    self.moves += of_moves;
                    continue;
                }
                Record::TagPair { .. } => &mut self.tags,
                Record::ShortMoves(_) | Record::LongMoves(_) => &mut self.moves,
                Record::Nag(_) | Record::RavBegin | Record::RavEnd => &mut self.nags_and_variations,
                Record::Escape(payload) => match private(payload).map(|escape| escape.kind) {
                    Some(EscapeKind::Tags) => &mut self.tags,
                    Some(EscapeKind::Annotations) => &mut self.comments,
                    Some(EscapeKind::Layout) => &mut self.layout,
                    Some(EscapeKind::Stray | EscapeKind::Piece) => &mut self.text_kept,
                    _ => &mut self.escapes,
                },
                Record::GameBegin | Record::GameEnd => &mut self.heads,
                Record::Noop => &mut self.other,
            };
            *kind += size;
        }
    }

    /// Counts the text of a game that is no comment, and was counted as comments, as text kept.
    pub fn move_text(&mut self, game: &Decoded) {
        let elems = game.elems.iter();
        let texts = elems.filter(|elem| elem.kind == ElemKind::Text);
        let bytes = texts.map(|elem| elem.span().len() as u64).sum();
        self.comments = self.comments.saturating_sub(bytes);
        self.text_kept += bytes;
    }

    /// Adds the bytes of another part.
    pub fn add(&mut self, other: &Breakdown) {
        self.tags += other.tags;
        self.moves += other.moves;
        self.nags_and_variations += other.nags_and_variations;
        self.comments += other.comments;
        self.layout += other.layout;
        self.text_kept += other.text_kept;
        self.heads += other.heads;
        self.escapes += other.escapes;
        self.other += other.other;
    }
}

/// How the blocks of an archive store their records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredBytes {
    /// Bytes of records stored without coding.
    pub plain: u64,
    /// The letter and the bytes of each coded stream, in the order in which blocks have them.
    pub streams: Vec<(u8, u64)>,
}

impl StoredBytes {
    /// The bytes behind all block heads.
    pub fn sum(&self) -> u64 {
        self.plain + self.streams.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }
}

/// Adds to the count of a key in a short list.
pub fn add_count<K: PartialEq>(counts: &mut Vec<(K, u64)>, key: K, more: u64) {
    match counts.iter_mut().find(|known| known.0 == key) {
        Some((_, count)) => *count += more,
        None => counts.push((key, more)),
    }
}
