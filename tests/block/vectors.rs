//! The vectors of spec/vectors: what every implementation can hold itself against. The second reader
//! and writers, in Python, are held against them by `.ci/run`.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use pgc::foreign::export::export;
use pgc::indexing::{IndexOptions, index};
use pgc::join::convert::copy_segments;
use pgc::pack;
use pgc::recovery::protect::protect;
use pgc::stream::reader::{ArchivePart, ArchiveReader, is_archive};
use pgc::test;
use pgc::{Error, NoHooks, PackOptions, SegmentForm, SourceEncoding};
use pgc::{TestOptions, UnpackOptions};
use pgc_block::small::stored::records;
use pgc_index::{BuildOptions, Index};
use pgc_pgn::piece_letters::PieceLetters;

use crate::support::unpacked_with;

struct Vector {
    name: String,
    kind: String,
    description: String,
}

impl Vector {
    fn path(&self, ending: &str) -> PathBuf {
        folder().join(format!("{}.{ending}", self.name))
    }

    /// The source.
    fn pgn(&self) -> Vec<u8> {
        fs::read(self.path(self.ending())).unwrap()
    }

    fn ending(&self) -> &'static str {
        if self.kind == "epd" { "epd" } else { "pgn" }
    }

    fn binary(&self) -> Vec<u8> {
        hex(&fs::read_to_string(self.path("hex")).unwrap())
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("spec/vectors")
}

fn vectors(kind: &str) -> Vec<Vector> {
    let manifest = fs::read_to_string(folder().join("MANIFEST")).unwrap();
    let lines = manifest
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let all: Vec<_> = lines
        .map(|line| {
            let [name, kind, description] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            Vector {
                name: name.into(),
                kind: kind.into(),
                description: description.into(),
            }
        })
        .collect();
    assert!(all.iter().all(|v| {
        [
            "ok", "small", "epd", "letters", "encoded", "read", "foreign", "index", "recovery",
            "error",
        ]
        .contains(&v.kind.as_str())
    }));
    all.into_iter().filter(|v| v.kind == kind).collect()
}

/// Hex digits; `61*300` is a byte three hundred times, and `#` begins a comment.
fn hex(text: &str) -> Vec<u8> {
    let words = text
        .lines()
        .flat_map(|line| line.split('#').next().unwrap().split_whitespace());
    let mut out = Vec::new();
    for word in words {
        let (byte, times) = word.split_once('*').unwrap_or((word, "1"));
        assert_eq!(byte.len(), 2, "{word}");
        out.extend(vec![
            u8::from_str_radix(byte, 16).unwrap();
            times.parse().unwrap()
        ]);
    }
    out
}

fn assert_unpacks(vector: &Vector) {
    let (archive, pgn) = (vector.binary(), vector.pgn());
    assert!(is_archive(&archive).unwrap(), "{}", vector.name);
    for threads in [1, 2] {
        let done = unpacked_with(&archive, threads);
        assert!(done.is_ok(), "{}: {:?}", vector.name, done.err());
        let sources = done.unwrap().0.sources;
        assert_eq!(
            sources.into_iter().flat_map(|s| s.1).collect::<Vec<_>>(),
            pgn,
            "{}",
            vector.name
        );
    }
    let tested = test(
        &mut archive.as_slice(),
        &TestOptions::default(),
        &mut NoHooks,
    );
    assert!(tested.is_ok(), "{}: {tested:?}", vector.name);
}

#[test]
fn packing_gives_these_bytes_and_unpacking_takes_them() {
    let plain = vectors("ok").into_iter().map(|v| (v, SegmentForm::Plain));
    let small = vectors("small")
        .into_iter()
        .map(|v| (v, SegmentForm::Small));
    let others = vectors("epd")
        .into_iter()
        .chain(vectors("letters"))
        .chain(vectors("encoded"));
    let others = others.map(|v| match v.name.starts_with("s_") {
        true => (v, SegmentForm::Small),
        false => (v, SegmentForm::Plain),
    });
    for (vector, form) in plain.chain(small).chain(others) {
        for verify in [true, false] {
            let mut out = Vec::new();
            let options = PackOptions {
                verify,
                threads: 1,
                form,
                letters: PieceLetters::named("fr").filter(|_| vector.kind == "letters"),
                encoding: match vector.kind.as_str() {
                    "encoded" => {
                        SourceEncoding::for_label(vector.description.split(' ').next().unwrap())
                    }
                    _ => None,
                },
                ..PackOptions::default()
            };
            let name = format!("{}.{}", vector.name, vector.ending());
            pack(
                &mut vector.pgn().as_slice(),
                &name,
                &mut out,
                &options,
                &mut NoHooks,
            )
            .unwrap();
            assert_eq!(out, vector.binary(), "{}", vector.name);
        }
        assert_unpacks(&vector);
    }
}

#[test]
fn archives_that_others_may_write_unpack() {
    vectors("read").iter().for_each(assert_unpacks);
}

/// The records of the blocks of an archive.
fn records_of(archive: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = ArchiveReader::new(archive);
    let mut blocks = Vec::new();
    while let Some(part) = reader.next_part().unwrap() {
        if let ArchivePart::Block(head, stored, _) = part {
            blocks.push(records(&head, &stored).unwrap().into_owned());
        }
    }
    blocks
}

/// Without the check of what was written, too: then only the coder sees which blocks it may code.
#[test]
fn archives_that_others_may_write_convert() {
    let mut converted = 0;
    for vector in vectors("read") {
        let archive = vector.binary();
        for form in [SegmentForm::Small, SegmentForm::Plain] {
            let options = PackOptions {
                form,
                verify: false,
                threads: 1,
                ..PackOptions::default()
            };
            let mut out = Vec::new();
            copy_segments(&mut &*archive, &mut out, &options, &mut NoHooks, None).unwrap();
            assert_eq!(records_of(&out), records_of(&archive), "{}", vector.name);
            let sources = unpacked_with(&out, 1).unwrap().0.sources;
            let text: Vec<u8> = sources.into_iter().flat_map(|source| source.1).collect();
            assert!(text == vector.pgn(), "{}", vector.name);
            converted += usize::from(out != archive);
        }
    }
    assert!(converted > 30, "{converted}");
}

#[test]
fn foreign_streams_become_export_format() {
    for vector in vectors("foreign") {
        let stream = vector.binary();
        // A stream of noops alone does not tell.
        assert_ne!(is_archive(&stream), Some(true), "{}", vector.name);
        let mut out = Vec::new();
        export(
            &mut stream.as_slice(),
            &mut out,
            &UnpackOptions::default(),
            &mut NoHooks,
        )
        .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&vector.pgn()),
            "{}",
            vector.name
        );
    }
}

#[test]
fn errors_name_the_item_and_the_byte() {
    for vector in vectors("error") {
        let stream = vector.binary();
        let error = if is_archive(&stream) == Some(true) {
            test(
                &mut stream.as_slice(),
                &TestOptions::default(),
                &mut NoHooks,
            )
            .map(|_| ())
            .expect_err(&vector.name)
        } else {
            export(
                &mut stream.as_slice(),
                &mut Vec::new(),
                &UnpackOptions::default(),
                &mut NoHooks,
            )
            .map(|_| ())
            .expect_err(&vector.name)
        };
        let found = match error {
            Error::Damaged { offset, item, .. } => format!("{item}; byte {offset}; "),
            Error::Version { .. } | Error::TrialForm => "version; byte 0; ".to_owned(),
            other => panic!("{}: {other}", vector.name),
        };
        assert!(
            vector.description.starts_with(&found),
            "{}: {found}{}",
            vector.name,
            vector.description
        );
    }
}

/// The index of each archive is the bytes that were written from the text of the spec alone.
#[test]
fn indexes_are_these_bytes() {
    let vectors = vectors("index");
    assert!(vectors.len() > 10);
    for vector in vectors {
        let expected = hex(&fs::read_to_string(vector.path("index.hex")).unwrap());
        let asked = Index::open(expected.as_slice()).unwrap();
        asked.verify(1).unwrap();
        let build = BuildOptions {
            memory: 1 << 20,
            temp_dir: std::env::temp_dir(),
            lines: asked.has_lines(),
        };
        for threads in [1, 2] {
            let options = IndexOptions::new(build.clone(), threads);
            let mut made = Vec::new();
            index(
                &mut Cursor::new(vector.binary()),
                &mut made,
                &options,
                &mut NoHooks,
            )
            .unwrap();
            let at = made.iter().zip(&expected).position(|(a, b)| a != b);
            assert!(
                made == expected,
                "{}: {} and {} bytes, first {at:?}",
                vector.name,
                made.len(),
                expected.len()
            );
        }
    }
}

/// Recovery data are the bytes that spec/recovery.py wrote, which shares no code.
#[test]
fn recovery_data_are_these_bytes() {
    let vectors = vectors("recovery");
    assert!(vectors.len() > 1);
    for vector in vectors {
        let expected = hex(&fs::read_to_string(vector.path("recovery.hex")).unwrap());
        let share = vector.description.strip_prefix("share ").unwrap();
        let share = share.split(':').next().unwrap().parse().unwrap();
        let (bytes, mut made) = (vector.binary(), Vec::new());
        let length = bytes.len() as u64;
        protect(&bytes, length, share, &mut made, &mut NoHooks).unwrap();
        assert!(made == expected, "{}", vector.name);
    }
}
