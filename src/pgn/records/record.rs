//! Records: a marker and its items (PGN 1994 20.4).
//!
//! ```text
//! 0x00 noop
//! 0x01 reduced-game   string-1 x 7 (Event Site Date Round White Black Result), mvseq-2
//! 0x02 tag-pair       string-1 name, string-1 value
//! 0x03 short-moves    mvseq-1
//! 0x04 long-moves     mvseq-2
//! 0x05 game-begin
//! 0x06 game-end
//! 0x07 simple-nag     int-1
//! 0x08 rav-begin
//! 0x09 rav-end
//! 0x0a escape-string  string-2
//! ```

use crate::records::item::{put_string, take_int1, take_string};
use crate::records::marker::Marker;
use crate::records::structure::{Fault, ItemFault};

/// The names of the Seven Tag Roster, in its order (PGN 1994 8.1.1).
pub const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// What errors call the values of the roster.
pub(crate) const ROSTER_ITEMS: [&str; 7] = [
    "Event tag value",
    "Site tag value",
    "Date tag value",
    "Round tag value",
    "White tag value",
    "Black tag value",
    "Result tag value",
];

/// What errors call an item that holds moves.
pub(crate) const MOVES_ITEM: &str = "played moves";

/// Length of the longest record, a 0x01 with everything full: marker, seven strings, a long move
/// sequence.
pub const MAX_RECORD_LEN: usize = 1 + 7 * (1 + 0xff) + 2 + 0xffff;

/// One record, borrowed from the bytes it was read from.
///
/// Text is Latin-1, moves are ordinals (PGN 1994 20.2); this module interprets neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// 0x00, which means nothing.
    Noop,
    /// 0x01, a complete game.
    Game {
        /// The values of the Seven Tag Roster, in the order of the standard (8.1.1).
        str: [&'a [u8]; 7],
        /// The moves, at most 65,535.
        moves: &'a [u8],
    },
    /// 0x02, a tag pair.
    TagPair {
        /// The name.
        name: &'a [u8],
        /// The value, without quotes and backslashes.
        value: &'a [u8],
    },
    /// 0x03, at most 255 moves.
    ShortMoves(&'a [u8]),
    /// 0x04, at most 65,535 moves.
    LongMoves(&'a [u8]),
    /// 0x05.
    GameBegin,
    /// 0x06.
    GameEnd,
    /// 0x07, the number of a glyph.
    Nag(u8),
    /// 0x08.
    RavBegin,
    /// 0x09.
    RavEnd,
    /// 0x0a, what follows a `%`, without the newline.
    Escape(&'a [u8]),
}

impl<'a> Record<'a> {
    /// The marker it begins with.
    pub const fn marker(&self) -> Marker {
        match self {
            Record::Noop => Marker::Noop,
            Record::Game { .. } => Marker::ReducedGame,
            Record::TagPair { .. } => Marker::TagPair,
            Record::ShortMoves(_) => Marker::ShortMoves,
            Record::LongMoves(_) => Marker::LongMoves,
            Record::GameBegin => Marker::GameBegin,
            Record::GameEnd => Marker::GameEnd,
            Record::Nag(_) => Marker::Nag,
            Record::RavBegin => Marker::RavBegin,
            Record::RavEnd => Marker::RavEnd,
            Record::Escape(_) => Marker::Escape,
        }
    }

    /// The ordinals it holds, if it is of a kind that holds moves. They are the last bytes of the
    /// record.
    pub const fn moves(&self) -> Option<&'a [u8]> {
        match *self {
            Record::Game { moves, .. } | Record::ShortMoves(moves) | Record::LongMoves(moves) => {
                Some(moves)
            }
            _ => None,
        }
    }
}

/// Reads one record; `src` moves past it, or stays as it was on error.
///
/// # Errors
/// [`Fault::Truncated`] when the data ends inside the record (or there is none),
/// [`Fault::UnknownMarker`] when no data that follows could make it one.
///
/// # Examples
/// ```
/// use pgc_pgn::records::record::{Record, take_record};
///
/// let mut src: &[u8] = &[0x03, 0x02, 0x0c, 0x0d, 0x06];
/// assert_eq!(take_record(&mut src)?, Record::ShortMoves(&[0x0c, 0x0d]));
/// assert_eq!(take_record(&mut src)?, Record::GameEnd);
/// assert!(take_record(&mut src).is_err());
/// # Ok::<(), pgc_pgn::records::structure::ItemFault>(())
/// ```
#[inline]
pub fn take_record<'a>(src: &mut &'a [u8]) -> Result<Record<'a>, ItemFault> {
    let mut rest = *src;
    let item = "record marker";
    let byte = take_int1(&mut rest, item)?;
    let fault = Fault::UnknownMarker(byte);
    let marker = Marker::from_byte(byte).ok_or(ItemFault { item, fault })?;
    let record = match marker {
        Marker::Noop => Record::Noop,
        Marker::ReducedGame => {
            let mut str = [[].as_slice(); 7];
            for (value, what) in str.iter_mut().zip(ROSTER_ITEMS) {
                *value = take_string::<1>(&mut rest, what)?;
            }
            Record::Game {
                str,
                moves: take_string::<2>(&mut rest, MOVES_ITEM)?,
            }
        }
        Marker::TagPair => Record::TagPair {
            name: take_string::<1>(&mut rest, "tag pair name")?,
            value: take_string::<1>(&mut rest, "tag pair value")?,
        },
        Marker::ShortMoves => Record::ShortMoves(take_string::<1>(&mut rest, MOVES_ITEM)?),
        Marker::LongMoves => Record::LongMoves(take_string::<2>(&mut rest, MOVES_ITEM)?),
        Marker::GameBegin => Record::GameBegin,
        Marker::GameEnd => Record::GameEnd,
        Marker::Nag => Record::Nag(take_int1(&mut rest, "NAG value")?),
        Marker::RavBegin => Record::RavBegin,
        Marker::RavEnd => Record::RavEnd,
        Marker::Escape => Record::Escape(take_string::<2>(&mut rest, "escaped string data")?),
    };
    *src = rest;
    Ok(record)
}

/// The length of the record that `src` begins with, found without reading its content; `None` where
/// [`take_record`] fails.
pub fn record_len(src: &[u8]) -> Option<usize> {
    let behind1 = |at: usize| Some(at + 1 + usize::from(*src.get(at)?));
    let behind2 = |at: usize| {
        Some(at + 2 + usize::from(*src.get(at)?) + (usize::from(*src.get(at + 1)?) << 8))
    };
    let len = match Marker::from_byte(*src.first()?)? {
        Marker::Noop | Marker::GameBegin | Marker::GameEnd | Marker::RavBegin | Marker::RavEnd => 1,
        Marker::Nag => 2,
        Marker::TagPair => behind1(behind1(1)?)?,
        Marker::ShortMoves => behind1(1)?,
        Marker::LongMoves | Marker::Escape => behind2(1)?,
        Marker::ReducedGame => behind2((0..ROSTER.len()).try_fold(1, |at, _| behind1(at))?)?,
    };
    (len <= src.len()).then_some(len)
}

/// Appends one record; `None`, and nothing is appended, when an item does not fit its length header.
///
/// # Examples
/// ```
/// use pgc_pgn::records::record::{Record, put_record};
///
/// let mut out = Vec::new();
/// put_record(&mut out, &Record::TagPair { name: b"ECO", value: b"D17" }).expect("it fits");
/// assert_eq!(out, b"\x02\x03ECO\x03D17");
/// ```
#[must_use]
pub fn put_record(out: &mut Vec<u8>, record: &Record<'_>) -> Option<()> {
    let start = out.len();
    let put = put_items(out, record);
    if put.is_none() {
        out.truncate(start);
    }
    put
}

fn put_items(out: &mut Vec<u8>, record: &Record<'_>) -> Option<()> {
    out.push(record.marker().byte());
    match *record {
        Record::Noop | Record::GameBegin | Record::GameEnd | Record::RavBegin | Record::RavEnd => {}
        Record::Game { str, moves } => {
            for value in str {
                put_string::<1>(out, value)?;
            }
            put_string::<2>(out, moves)?;
        }
        Record::TagPair { name, value } => {
            put_string::<1>(out, name)?;
            put_string::<1>(out, value)?;
        }
        Record::ShortMoves(moves) => put_string::<1>(out, moves)?,
        Record::LongMoves(moves) => put_string::<2>(out, moves)?,
        Record::Nag(nag) => out.push(nag),
        Record::Escape(data) => put_string::<2>(out, data)?,
    }
    Some(())
}

/// Appends the records for a run of moves: none for no moves, one 0x03 for up to 255, one 0x04 for
/// up to 65,535, and for more a full 0x04 and the same again for the rest (D4).
pub fn put_moves(out: &mut Vec<u8>, ordinals: &[u8]) {
    for run in ordinals.chunks(0xffff) {
        let record = match run.len() {
            ..=0xff => Record::ShortMoves(run),
            _ => Record::LongMoves(run),
        };
        put_record(out, &record)
            .expect("chunks() and the test of the length keep within both headers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of record with its bytes.
    const SAMPLES: [(Record<'static>, &[u8]); 11] = [
        (Record::Noop, b"\x00"),
        (
            Record::Game {
                str: [b"E", b"", b"1994.??.??", b"-", b"W", b"B\xf6", b"1-0"],
                moves: &[0x0c, 0x0d, 0x00],
            },
            b"\x01\x01E\x00\x0a1994.??.??\x01-\x01W\x02B\xf6\x031-0\x03\x00\x0c\x0d\x00",
        ),
        (
            Record::TagPair {
                name: b"ECO",
                value: b"D17",
            },
            b"\x02\x03ECO\x03D17",
        ),
        (Record::ShortMoves(&[0x0c, 0xff]), b"\x03\x02\x0c\xff"),
        (Record::LongMoves(&[0x0c, 0xff]), b"\x04\x02\x00\x0c\xff"),
        (Record::GameBegin, b"\x05"),
        (Record::GameEnd, b"\x06"),
        (Record::Nag(0x8b), b"\x07\x8b"),
        (Record::RavBegin, b"\x08"),
        (Record::RavEnd, b"\x09"),
        (Record::Escape(b"eval 3"), b"\x0a\x06\x00eval 3"),
    ];

    #[test]
    fn each_kind_both_ways() {
        for ((record, bytes), byte) in SAMPLES.into_iter().zip(0..) {
            let mut src = bytes;
            assert_eq!(take_record(&mut src), Ok(record));
            assert_eq!((src, record.marker().byte()), ([].as_slice(), byte));
            assert_eq!(record_len(&[bytes, b"\x05"].concat()), Some(bytes.len()));
            let mut out = Vec::new();
            put_record(&mut out, &record).unwrap();
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn a_cut_record_moves_nothing() {
        for (_, bytes) in SAMPLES {
            for cut in 0..bytes.len() {
                let mut src = &bytes[..cut];
                let fault = take_record(&mut src).map_err(|error| error.fault);
                let Err(Fault::Truncated { needed }) = fault else {
                    panic!("{bytes:02x?} cut at {cut}");
                };
                assert!((1..=bytes.len() - cut).contains(&needed));
                assert_eq!((src.len(), record_len(src)), (cut, None));
            }
        }
    }

    #[test]
    fn errors_name_their_item() {
        let cut = |bytes: &[u8]| take_record(&mut &*bytes).unwrap_err().to_string();
        assert_eq!(
            cut(b""),
            "record marker: the data ends here, 1 or more bytes of it are missing"
        );
        assert_eq!(
            cut(b"\x01\x00\x00\x0a1994"),
            "Date tag value: the data ends here, 6 or more bytes of it are missing"
        );
        assert_eq!(
            cut(b"\x02\x00"),
            "tag pair value: the data ends here, 1 or more bytes of it are missing"
        );
        assert_eq!(
            cut(b"\x04\x05"),
            "played moves: the data ends here, 1 or more bytes of it are missing"
        );
        assert_eq!(cut(b"\x0b"), "record marker: 0x0b is no record marker");
    }

    #[test]
    fn a_record_that_does_not_fit_leaves_no_trace() {
        let long = [b'x'; 0x100];
        let mut out = vec![0x05];
        let refused = put_record(
            &mut out,
            &Record::TagPair {
                name: b"Event",
                value: &long,
            },
        );
        assert_eq!(refused, None);
        assert_eq!(out, [0x05]);
    }

    #[test]
    fn runs_of_moves_take_the_fewest_records() {
        let heads = |plies: usize| {
            let mut out = Vec::new();
            put_moves(&mut out, &vec![0x01; plies]);
            let (mut src, mut heads) = (out.as_slice(), Vec::new());
            while !src.is_empty() {
                let record = take_record(&mut src).unwrap();
                heads.push((record.marker().byte(), record.moves().unwrap().len()));
            }
            heads
        };
        assert_eq!(heads(0), []);
        assert_eq!(heads(1), [(0x03, 1)]);
        assert_eq!(heads(0xff), [(0x03, 0xff)]);
        assert_eq!(heads(0x100), [(0x04, 0x100)]);
        assert_eq!(heads(0xffff), [(0x04, 0xffff)]);
        assert_eq!(heads(0x1_0000), [(0x04, 0xffff), (0x03, 1)]);
        assert_eq!(
            heads(0x2_0100),
            [(0x04, 0xffff), (0x04, 0xffff), (0x04, 0x102)]
        );
    }

    #[test]
    fn the_longest_record() {
        let full = [b'x'; 0xff];
        let mut out = Vec::new();
        put_record(
            &mut out,
            &Record::Game {
                str: [&full; 7],
                moves: &[0; 0xffff],
            },
        )
        .unwrap();
        assert_eq!(out.len(), MAX_RECORD_LEN);
    }
}
