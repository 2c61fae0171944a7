//! A run that nobody wants any more ends within a block.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pgc::join::convert::copy_segments;
use pgc::{Archive, Error, IndexState, NoHooks, OpenOptions, Query, pack, stop};
use tempfile::NamedTempFile;

use crate::cli::program::Dir;
use crate::support::{options, small_options, unpacked_with};

/// How often was asked, and from which time on the answer is to stop.
static ASKED: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);

/// One test at a time counts.
static TURN: Mutex<()> = Mutex::new(());

fn asked(_: u64) -> bool {
    ASKED.fetch_add(1, Ordering::Relaxed) >= LAST.load(Ordering::Relaxed)
}

/// Stops a run when it asks for the first time, the second, and so on, until it comes to its end.
/// Each run that is stopped says so, and the one that is not gives what it gives without a question.
fn stopped_anywhere<T: PartialEq>(what: &str, run: impl Fn() -> Result<T, Error>) {
    let _turn = TURN.lock().unwrap();
    stop::asked_by(None);
    let expected = run().unwrap();
    stop::asked_by(Some(asked));
    for last in 0.. {
        ASKED.store(0, Ordering::Relaxed);
        LAST.store(last, Ordering::Relaxed);
        match run() {
            Err(error) => assert!(matches!(error, Error::Cancelled), "{what}: {error}"),
            Ok(done) => {
                // The games of a block; between blocks, a run asks twice or three times for each.
                assert!(last > 10, "{what}: asked {last} times");
                assert!(done == expected, "{what}");
                break;
            }
        }
    }
    stop::asked_by(None);
}

/// Packs a few games whenever it is asked.
fn packs(_: u64) -> bool {
    stop::asked_by(None);
    let text = "1. e4 *\n\n".repeat(20);
    let packed = pack(
        &mut text.as_bytes(),
        "x",
        &mut Vec::new(),
        &options(true, 1),
        &mut NoHooks,
    );
    stop::asked_by(Some(packs));
    packed.unwrap().games != 20
}

#[test]
fn what_is_asked_may_begin_a_run() {
    stop::asked_by(Some(packs));
    let text = "1. d4 d5 *\n\n".repeat(100);
    let (mut archive, options) = (Vec::new(), options(true, 1));
    let packed = pack(
        &mut text.as_bytes(),
        "x",
        &mut archive,
        &options,
        &mut NoHooks,
    );
    assert_eq!(packed.unwrap().games, 100);
    let (unpacked, _) = unpacked_with(&archive, 1).unwrap();
    assert!(unpacked.sources[0].1 == text.as_bytes());
    stop::asked_by(None);
}

/// A run that is stopped says nothing of the archive: neither that it is damaged nor that its index
/// is false.
#[test]
fn an_archive_can_be_asked_again() {
    let dir = Dir::new();
    let game = |i: usize| format!("[White \"A{i}\"]\n\n1. e4 {{x}} e5 2. Nf3 (2. d4 $1) Nc6 *\n\n");
    dir.put("a.pgn", (0..120).map(game).collect::<String>());
    for name in ["a.pgc", "a.pgcz"] {
        dir.run(&["pack", "-q", "a.pgn", "-o", name]).exits(0);
        let options = OpenOptions {
            passes_damage: true,
            proves: true,
            ..OpenOptions::default()
        };
        for question in ["--pattern nc6", "--comment x", "--nag 1"] {
            let query = Query::parse(question).unwrap();
            let archive = Archive::open_with(dir.path().join(name), options).unwrap();
            stopped_anywhere(&format!("{name}, {question}"), || {
                let found = archive.find(&query, 1);
                assert_eq!(*archive.index_state(), IndexState::Used, "{question}");
                assert!(archive.gaps().is_empty());
                Ok(found?.numbers().collect::<Vec<_>>())
            });
        }
    }
}

#[test]
fn a_run_is_stopped_between_the_games_of_a_block() {
    let game = |i: usize| format!("[White \"A{i}\"]\n\n1. e4 {{x}} e5 2. Nf3 (2. d4 $1) *\n\n");
    let source: String = (0..120).map(game).collect();
    let forms = [options, small_options];
    for (form, threads) in [(0, 1), (1, 1), (0, 2), (1, 2)] {
        let name = |what: &str| format!("{what}, form {form}, {threads} threads");
        let (options, other) = (forms[form](true, threads), forms[1 - form](true, threads));
        let packed = || {
            let mut out = Vec::new();
            pack(
                &mut source.as_bytes(),
                "x",
                &mut out,
                &options,
                &mut NoHooks,
            )?;
            Ok(out)
        };
        stopped_anywhere(&name("pack"), packed);
        let bytes = packed().unwrap();
        stopped_anywhere(&name("unpack"), || {
            Ok(unpacked_with(&bytes, threads)?.0.sources)
        });
        stopped_anywhere(&name("convert"), || {
            let mut out = Vec::new();
            copy_segments(&mut &*bytes, &mut out, &other, &mut NoHooks, None)?;
            Ok(out)
        });
        let file = NamedTempFile::new().unwrap();
        fs::write(file.path(), &bytes).unwrap();
        let archive = Archive::open(file.path()).unwrap();
        let all: Vec<u32> = (0..120).collect();
        stopped_anywhere(&name("tags"), || archive.tags_at(&all, threads));
    }
}
