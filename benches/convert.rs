//! Pack, unpack and test, in MB/s of source and ns a ply, with `pgn-reader`'s parse-and-check as
//! the peer in the same run.
//!
//! The data: the sample of the project, repeated; and, where `../shared/corpora` (or `$PGC_CORPUS`)
//! is there, a Lichess file and the games of the masters.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgc::pack;
use pgc::{NoHooks, PackOptions, SegmentForm, Sink, TestOptions, UnpackOptions};
use pgc::{test, unpack};
use pgn_reader::shakmaty::fen::Fen;
use pgn_reader::shakmaty::{CastlingMode, Chess, Position};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};

/// Parses and checks legality: what pgn-reader's own `validate` example does.
struct Validate;

impl Visitor for Validate {
    type Tags = Option<Chess>;
    type Movetext = (Chess, u64);
    type Output = u64;

    fn begin_tags(&mut self) -> ControlFlow<u64, Self::Tags> {
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<u64> {
        if name == b"FEN" {
            let start = Fen::from_ascii(value.as_bytes())
                .ok()
                .and_then(|f| f.into_position(CastlingMode::Chess960).ok());
            match start {
                Some(start) => *tags = Some(start),
                None => return ControlFlow::Break(0),
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<u64, Self::Movetext> {
        ControlFlow::Continue((tags.unwrap_or_default(), 0))
    }

    fn san(&mut self, (position, plies): &mut Self::Movetext, san: SanPlus) -> ControlFlow<u64> {
        match san.san.to_move(position) {
            Ok(m) => {
                position.play_unchecked(m);
                *plies += 1;
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(*plies),
        }
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<u64, pgn_reader::Skip> {
        ControlFlow::Continue(pgn_reader::Skip(true))
    }

    fn end_game(&mut self, (_, plies): Self::Movetext) -> u64 {
        plies
    }
}

struct Discard(u64);

impl Sink for Discard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }
}

/// Name and bytes of each file to measure.
fn corpora() -> Vec<(&'static str, Vec<u8>)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sample =
        std::fs::read(here.join("tests/data/sample.pgn")).expect("the sample lies in the project");
    let mut files = vec![("sample", sample.repeat(200))];
    let folder = std::env::var_os("PGC_CORPUS")
        .map_or_else(|| here.join("../shared/corpora"), PathBuf::from);
    for (name, file) in [
        ("lichess", "lichess/lichess.pgn"),
        ("masters", "masters/Kramnik.pgn"),
    ] {
        match std::fs::read(folder.join(file)) {
            Ok(bytes) => files.push((name, bytes)),
            Err(_) => println!("{name}: corpus not found, left out"),
        }
    }
    files
}

fn benches(c: &mut Criterion) {
    for (name, pgn) in corpora() {
        let options = |verify| PackOptions {
            verify,
            threads: 1,
            form: SegmentForm::Plain,
            ..PackOptions::default()
        };
        let mut archive = Vec::new();
        let packed = pack(
            &mut pgn.as_slice(),
            name,
            &mut archive,
            &options(true),
            &mut NoHooks,
        )
        .expect("packs");
        println!(
            "{name}: {} bytes, {} games, {} plies, {} packed",
            pgn.len(),
            packed.games,
            packed.plies,
            archive.len()
        );
        let mut group = c.benchmark_group(name);
        group.sample_size(20);
        for (unit, throughput) in [
            ("bytes", Throughput::Bytes(pgn.len() as u64)),
            ("plies", Throughput::Elements(packed.plies)),
        ] {
            group.throughput(throughput);
            group.bench_function(format!("validate (pgn-reader), {unit}"), |b| {
                b.iter(|| {
                    let mut reader = Reader::new(pgn.as_slice());
                    let mut plies = 0;
                    while let Ok(Some(n)) = reader.read_game(&mut Validate) {
                        plies += n;
                    }
                    black_box(plies)
                });
            });
            for verify in [false, true] {
                group.bench_function(format!("pack, verify {verify}, {unit}"), |b| {
                    b.iter(|| {
                        let mut out = Vec::with_capacity(archive.len());
                        let s = pack(
                            &mut pgn.as_slice(),
                            name,
                            &mut out,
                            &options(verify),
                            &mut NoHooks,
                        )
                        .expect("packs");
                        assert_eq!(
                            (s.games, s.plies, out.len()),
                            (packed.games, packed.plies, archive.len())
                        );
                    });
                });
            }
            group.bench_function(format!("unpack, {unit}"), |b| {
                b.iter(|| {
                    let mut sink = Discard(0);
                    let options = UnpackOptions {
                        threads: 1,
                        ..UnpackOptions::default()
                    };
                    unpack(&mut archive.as_slice(), &mut sink, &options, &mut NoHooks)
                        .expect("unpacks");
                    assert_eq!(sink.0, pgn.len() as u64);
                });
            });
            group.bench_function(format!("test, {unit}"), |b| {
                b.iter(|| {
                    let options = TestOptions {
                        threads: 1,
                        ..TestOptions::default()
                    };
                    let sources =
                        test(&mut archive.as_slice(), &options, &mut NoHooks).expect("is whole");
                    assert_eq!(sources[0].sum.games, packed.games);
                });
            });
        }
        group.finish();
    }
}

criterion_group!(convert, benches);
criterion_main!(convert);
