//! A run that nobody wants any more ends within a block.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use pgc::join::convert::copy_segments;
use pgc::{Archive, Error, NoHooks, pack, stop};
use tempfile::NamedTempFile;

use crate::support::{options, small_options, unpacked_with};

/// How often was asked, and from which time on the answer is to stop.
static ASKED: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);

fn asked(_: u64) -> bool {
    ASKED.fetch_add(1, Ordering::Relaxed) >= LAST.load(Ordering::Relaxed)
}

/// Stops a run when it asks for the first time, the second, and so on, until it comes to its end.
/// Each run that is stopped says so, and the one that is not gives what it gives without a question.
fn stopped_anywhere<T: PartialEq>(what: &str, run: impl Fn() -> Result<T, Error>) {
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
