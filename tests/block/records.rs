//! Streams of records: every marker, every structural error, every cut, every changed byte, every
//! read size.

use std::io::{self, Read};

use pgc::foreign::export::export;
use pgc::listing::records;
use pgc::{NoHooks, UnpackOptions};
use pgc_chess::Position;
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::reader::{Fault, StreamError};
use pgc_pgn::records::record::Record;
use pgc_pgn::records::record::{MAX_RECORD_LEN, put_record};
use pgc_pgn::records::structure::{MAX_RAV_DEPTH, StructureError};
use pgc_pgn::records::{ReadError, RecordStream};

/// A stream with every marker in it: an escape, a reduced game, a game with variations in each
/// other.
fn sample() -> Vec<u8> {
    let mut stream = Vec::new();
    let all = [
        Record::Escape(b"made by hand"),
        Record::Noop,
        Record::Game {
            str: [b"E", b"S", b"1994.03.12", b"-", b"W", b"B", b"1-0"],
            moves: &[13, 12],
        },
        Record::GameBegin,
        Record::TagPair {
            name: b"White",
            value: b"Marc\xf3",
        },
        Record::ShortMoves(&[13]),
        Record::Nag(1),
        Record::RavBegin,
        Record::ShortMoves(&[11, 10]),
        Record::RavBegin,
        Record::LongMoves(&[5]),
        Record::RavEnd,
        Record::RavEnd,
        Record::Noop,
        Record::LongMoves(&[12]),
        Record::Escape(b""),
        Record::GameEnd,
    ];
    for record in all {
        put_record(&mut stream, &record).unwrap();
    }
    stream
}

/// Everything a slice reader gives, in words, with the error at its end.
fn walk(stream: &[u8], dialect: Dialect) -> (Vec<String>, Option<ReadError>) {
    let (mut seen, mut error) = (Vec::new(), None);
    for item in Records::new(stream, dialect) {
        assert!(error.is_none(), "the reader went on after an error");
        match item {
            Ok((offset, record)) => seen.push(format!("{offset} {record:?}")),
            Err(e) => error = Some(e),
        }
    }
    (seen, error)
}

/// The same from a reader that gives `step` bytes at a time.
fn walk_stream(stream: &[u8], dialect: Dialect, step: usize) -> (Vec<String>, Option<ReadError>) {
    struct Drip<'a>(&'a [u8], usize);
    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(buf.len()).min(self.0.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let mut records = RecordStream::new(Drip(stream, step), dialect);
    let mut seen = Vec::new();
    loop {
        match records.next_record() {
            Ok(Some((offset, record))) => seen.push(format!("{offset} {record:?}")),
            Ok(None) => return (seen, None),
            Err(StreamError::Read(error)) => return (seen, Some(error)),
            Err(other) => panic!("{other}"),
        }
    }
}

fn error(stream: &[u8]) -> ReadError {
    walk(stream, Dialect::Standard).1.unwrap()
}

#[test]
fn every_marker_is_read() {
    let (seen, error) = walk(&sample(), Dialect::Standard);
    assert_eq!(error, None);
    assert_eq!(seen.len(), 17);
    assert_eq!(seen[0], format!("0 {:?}", Record::Escape(b"made by hand")));
    assert_eq!(seen[1], "15 Noop");
    assert_eq!(seen[3], "46 GameBegin");
    assert_eq!(
        seen[4],
        format!(
            "47 {:?}",
            Record::TagPair {
                name: b"White",
                value: b"Marc\xf3"
            }
        )
    );
    assert_eq!(seen[5], "60 ShortMoves([13])");
    assert_eq!(seen[6], "63 Nag(1)");
    assert_eq!(seen[16], "85 GameEnd");
}

#[test]
fn what_stands_outside_a_game() {
    for (stream, item) in [
        (b"\x00\x02\x01N\x01v".as_slice(), "tag-pair"),
        (b"\x00\x03\x00", "short-moves"),
        (b"\x00\x04\x00\x00", "long-moves"),
        (b"\x00\x06", "game-end"),
        (b"\x00\x07\x01", "simple-nag"),
        (b"\x00\x08", "rav-begin"),
        (b"\x00\x09", "rav-end"),
    ] {
        let fault = Fault::Structure(StructureError::OutsideGame);
        assert_eq!(
            error(stream),
            ReadError {
                offset: 1,
                game: 0,
                item,
                fault
            }
        );
    }
    assert_eq!(error(b"\x05\x06\x06").game, 1);
}

#[test]
fn what_stands_inside_a_game() {
    let structure = |stream: &[u8]| {
        let error = error(stream);
        let Fault::Structure(fault) = error.fault else {
            panic!("{error}")
        };
        (error.offset, error.item, fault)
    };
    let reduced = b"\x05\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x06";
    assert_eq!(
        structure(reduced),
        (1, "reduced-game", StructureError::GameInGame)
    );
    assert_eq!(
        structure(b"\x05\x05"),
        (1, "game-begin", StructureError::GameInGame)
    );
    assert_eq!(
        structure(b"\x05\x08\x08\x06"),
        (3, "game-end", StructureError::OpenVariation(2))
    );
    assert_eq!(
        structure(b"\x05\x08\x09\x09"),
        (3, "rav-end", StructureError::NoVariation)
    );
    assert_eq!(
        structure(b"\x05\x00\x0a\x00\x00"),
        (5, "game-end", StructureError::UnfinishedGame)
    );
}

#[test]
fn the_limit_of_nesting() {
    let depth = MAX_RAV_DEPTH as usize;
    let mut stream = vec![0x05];
    stream.extend(vec![0x08; depth]);
    stream.extend(vec![0x09; depth]);
    stream.push(0x06);
    assert_eq!(walk(&stream, Dialect::Standard).1, None);
    stream.insert(1, 0x08);
    let error = error(&stream);
    assert_eq!(
        (error.offset, error.fault),
        (1 + depth as u64, Fault::Structure(StructureError::TooDeep))
    );
    assert!(error.to_string().contains("limit of 1024"));
}

#[test]
fn no_other_marker() {
    for marker in 0x0b..=0xff {
        let error = error(&[0x05, 0x06, marker, 0x00]);
        let expected = ReadError {
            offset: 2,
            game: 1,
            item: "record marker",
            fault: Fault::UnknownMarker(marker),
        };
        assert_eq!(error, expected);
    }
}

#[test]
fn every_prefix_is_whole_or_an_error() {
    let stream = sample();
    let (all, _) = walk(&stream, Dialect::Standard);
    // Between games: at the beginning, after each of the first three records, at the end.
    let whole = [0, 15, 16, 46, stream.len()];
    for cut in 0..=stream.len() {
        let (seen, error) = walk(&stream[..cut], Dialect::Standard);
        assert_eq!(seen, all[..seen.len()], "cut at {cut}");
        assert_eq!(
            error.is_none(),
            whole.contains(&cut),
            "cut at {cut}: {error:?}"
        );
        if let Some(error) = error {
            assert!(
                matches!(
                    error.fault,
                    Fault::Truncated { needed: 1.. }
                        | Fault::Structure(StructureError::UnfinishedGame)
                ),
                "cut at {cut}: {error}"
            );
        }
        text_of(&stream[..cut]);
    }
}

#[test]
fn no_changed_byte_is_a_panic() {
    let stream = sample();
    for at in 0..stream.len() {
        for byte in 0..=0xff {
            let mut changed = stream.clone();
            changed[at] = byte;
            let slice = walk(&changed, Dialect::Standard);
            assert_eq!(slice, walk_stream(&changed, Dialect::Standard, 7));
            assert_eq!(
                walk(&changed, Dialect::Pgn2pgc),
                walk_stream(&changed, Dialect::Pgn2pgc, usize::MAX)
            );
        }
        // Decoding moves takes longer; a few values for each place will do.
        for byte in [
            0x00,
            0x01,
            0x05,
            0x06,
            0x08,
            0x09,
            0x0a,
            0x7f,
            0xff,
            stream[at] ^ 1,
        ] {
            let mut changed = stream.clone();
            changed[at] = byte;
            text_of(&changed);
        }
    }
}

/// Runs both converters over a stream; they may refuse it.
fn text_of(stream: &[u8]) {
    let mut out = Vec::new();
    let listed = records(&mut &*stream, &mut out, false, &mut NoHooks).is_ok();
    let exported = export(
        &mut &*stream,
        &mut io::sink(),
        &UnpackOptions::default(),
        &mut NoHooks,
    )
    .is_ok();
    assert!(
        listed || !exported,
        "whatever can be exported can be listed"
    );
    assert!(std::str::from_utf8(&out).is_ok());
}

#[test]
fn the_sizes_of_reads_change_nothing() {
    // Long enough to go round the buffer several times, with the longest records there are.
    let full = [b'x'; 0xff];
    let mut stream = Vec::new();
    for n in 0..12_u8 {
        put_record(
            &mut stream,
            &Record::Escape(&vec![n; 5_000 * usize::from(n)]),
        )
        .unwrap();
        put_record(
            &mut stream,
            &Record::Game {
                str: [&full; 7],
                moves: &vec![n; 0xffff],
            },
        )
        .unwrap();
        stream.extend_from_slice(&sample());
    }
    stream.push(0x0b);
    assert!(stream.len() > 10 * MAX_RECORD_LEN);
    let expected = walk(&stream, Dialect::Standard);
    assert_eq!(
        (expected.0.len(), expected.1.unwrap().offset),
        (12 * 19, stream.len() as u64 - 1)
    );
    for step in [1, 2, 3, 1_000, 4_096, 65_536, 70_000, usize::MAX] {
        assert_eq!(
            walk_stream(&stream, Dialect::Standard, step),
            expected,
            "{step} bytes at a time"
        );
    }
}

#[test]
fn a_listing() {
    let mut stream = sample();
    // The last game again, with an ordinal that no move has; the listing goes on without SAN.
    stream.extend_from_slice(b"\x05\x03\x03\x0d\xff\x0c\x08\x03\x01\x0c\x09\x06");
    let mut out = Vec::new();
    records(&mut stream.as_slice(), &mut out, false, &mut NoHooks).unwrap();
    let expected = r#"00000000  escape-string "made by hand"
0000000f  noop
00000010  reduced-game  "E" "S" "1994.03.12" "-" "W" "B" "1-0" 2: 0d=e4 0c=e5
0000002e  game-begin
0000002f  tag-pair      "White" "Marc@"
0000003c  short-moves   1: 0d=e4
0000003f  simple-nag    $1
00000041  rav-begin
00000042  short-moves   2: 0b=d4 0a=d5
00000046  rav-begin
00000047  long-moves    1: 05=a6
0000004b  rav-end
0000004c  rav-end
0000004d  noop
0000004e  long-moves    1: 0c=e5
00000052  escape-string ""
00000055  game-end
00000056  game-begin
00000057  short-moves   3: 0d=e4 ff=? 0c=?
0000005c  rav-begin
0000005d  short-moves   1: 0c=?
00000060  rav-end
00000061  game-end
"#;
    assert_eq!(
        String::from_utf8(out).unwrap(),
        expected.replace('@', "\u{f3}")
    );
}

#[test]
fn ordinals_of_the_standard() {
    // PGN 1994 20.2
    let start = Position::start(pgc_chess::Rules::Chess, None).unwrap();
    let san = |ordinal| {
        start
            .san(start.select(ordinal).unwrap())
            .as_bytes()
            .to_vec()
    };
    assert_eq!(san(0), b"Na3");
    assert_eq!(san(1), b"Nc3");
    assert_eq!(san(4), b"a3");
    assert_eq!(san(19), b"h4");
    assert!(start.select(20).is_none());
}
