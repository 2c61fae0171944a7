//! Where the games of a block begin and end: their records are passed over, not read.

use pgc_pgn::records::marker::Marker;
use pgc_pgn::records::private::{EscapeKind, private};
use pgc_pgn::records::reader::{Dialect, ReadError, Records};
use pgc_pgn::records::record::{Record, record_len};

/// What stands at the outermost level of the records of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutlineKind {
    /// A game, with all of its records.
    Game,
    /// The record that begins the first piece of a game kept as text.
    TextGame,
    /// A record that begins no game.
    Other,
}

/// A game, or a record between games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutlinePart<'a> {
    pub(crate) kind: OutlineKind,
    /// Its offset in the records.
    pub(crate) at: usize,
    bytes: &'a [u8],
}

impl<'a> OutlinePart<'a> {
    /// Calls `each` with its records. `game`: how many games stand before it, for errors.
    pub(crate) fn each_record(
        &self,
        game: u32,
        mut each: impl FnMut(&Record<'a>),
    ) -> Result<(), ReadError> {
        for record in Records::new(self.bytes, Dialect::Standard) {
            let (_, record) = record.map_err(|error| ReadError {
                offset: error.offset + self.at as u64,
                game: error.game + u64::from(game),
                ..error
            })?;
            each(&record);
        }
        Ok(())
    }
}

/// The games of a block, or of a part of a foreign stream, and the records between them. Ends after
/// the first error.
pub(crate) struct Outline<'a> {
    records: &'a [u8],
    at: usize,
    /// The previous escape between games continues in the next one.
    open: bool,
}

impl<'a> Outline<'a> {
    pub(crate) fn new(records: &'a [u8]) -> Outline<'a> {
        Outline {
            records,
            at: 0,
            open: false,
        }
    }

    fn kind(&mut self, part: &[u8]) -> OutlineKind {
        match part {
            [marker, _, _, payload @ ..] if *marker == Marker::Escape.byte() => {
                match self.begins_piece(payload) {
                    true => OutlineKind::TextGame,
                    false => OutlineKind::Other,
                }
            }
            [marker, ..] if *marker != Marker::Noop.byte() => OutlineKind::Game,
            _ => OutlineKind::Other,
        }
    }

    /// Whether an escape between games begins a game kept as text.
    fn begins_piece(&mut self, payload: &[u8]) -> bool {
        let Some(escape) = private(payload) else {
            return false;
        };
        let first = !std::mem::replace(&mut self.open, escape.continues);
        first && escape.kind == EscapeKind::Piece && escape.data.first() == Some(&0)
    }
}

impl<'a> Iterator for Outline<'a> {
    type Item = Result<OutlinePart<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let rest = &self.records[at..];
        if rest.is_empty() {
            return None;
        }
        let Some(len) = part_len(rest) else {
            self.at = self.records.len();
            // Reading the records gives the error.
            let mut records = Records::new(self.records, Dialect::Standard);
            return records.find_map(Result::err).map(Err);
        };
        self.at += len;
        let bytes = &rest[..len];
        let kind = self.kind(bytes);
        Some(Ok(OutlinePart { kind, at, bytes }))
    }
}

/// The length of the game that `src` begins with, or of the record that stands there between games;
/// `None` if there is none that is whole.
fn part_len(src: &[u8]) -> Option<usize> {
    match Marker::from_byte(*src.first()?)? {
        Marker::GameBegin => {}
        Marker::ReducedGame | Marker::Noop | Marker::Escape => return record_len(src),
        _ => return None,
    }
    let mut at = 1;
    loop {
        let rest = src.get(at..)?;
        match Marker::from_byte(*rest.first()?)? {
            Marker::GameEnd => return Some(at + 1),
            Marker::GameBegin | Marker::ReducedGame => return None,
            _ => at += record_len(rest)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::records::record::put_record;

    /// Two general games (one with a variation, a glyph and an escape), a reduced one and records
    /// between them, and where each part begins.
    fn stream() -> (Vec<u8>, Vec<(OutlineKind, usize)>) {
        let tag = Record::TagPair {
            name: b"Event",
            value: b"\x05\x06\x01",
        };
        let reduced = Record::Game {
            str: [b"\x06"; 7],
            moves: &[5, 6],
        };
        let inner = [Record::RavBegin, Record::ShortMoves(&[6]), Record::RavEnd];
        let first = [
            &[Record::GameBegin, tag, Record::LongMoves(&[6, 5])][..],
            &inner,
            &[Record::Nag(6), Record::Escape(b"\x06"), Record::GameEnd],
        ]
        .concat();
        let parts = [
            (OutlineKind::Other, vec![Record::Noop]),
            (OutlineKind::Game, first),
            (OutlineKind::Other, vec![Record::Escape(b"\x05\x06")]),
            (OutlineKind::Game, vec![reduced]),
            (OutlineKind::Game, vec![Record::GameBegin, Record::GameEnd]),
        ];
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for (kind, records) in parts {
            places.push((kind, bytes.len()));
            for record in records {
                put_record(&mut bytes, &record).unwrap();
            }
        }
        (bytes, places)
    }

    #[test]
    fn parts_and_their_records() {
        let (bytes, places) = stream();
        let parts: Vec<_> = Outline::new(&bytes).map(Result::unwrap).collect();
        let found: Vec<_> = parts.iter().map(|part| (part.kind, part.at)).collect();
        assert_eq!(found, places);
        let (mut read, mut counted) = (0, 0);
        for part in parts {
            part.each_record(0, |_| read += 1).unwrap();
        }
        for record in Records::new(&bytes, Dialect::Standard) {
            record.unwrap();
            counted += 1;
        }
        assert_eq!(read, counted);
    }

    #[test]
    fn what_is_cut_off_or_out_of_place_gives_the_error_of_the_records() {
        let (bytes, places) = stream();
        for cut in 0..bytes.len() {
            let found = Outline::new(&bytes[..cut]).find_map(Result::err);
            let right = Records::new(&bytes[..cut], Dialect::Standard).find_map(Result::err);
            assert_eq!(found, right, "{cut}");
            assert_eq!(found.is_none(), places.iter().any(|&(_, at)| at == cut));
        }
        let open = [Marker::GameBegin.byte(), Marker::GameBegin.byte()];
        for wrong in [&open[..], &[Marker::GameEnd.byte()], &[0xff]] {
            let found = Outline::new(wrong).find_map(Result::err);
            assert!(found.is_some(), "{wrong:02x?}");
        }
    }
}
