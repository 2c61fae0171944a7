//! Adding to an archive in place: the bytes that pack gives, all of them or none, whatever happens.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use pgc::foreign::export::export;
use pgc::listing::records;
use pgc::pack;
use pgc::stream::addition::{Addition, Unfinished};
use pgc::unpack::info;
use pgc::{Error, Hooks, NoHooks, TestDepth, TestOptions, UnpackOptions};
use pgc::{test, unpack};

use crate::cli::program::{Dir, Ran};
use crate::support::random::Random;
use crate::support::{Collected, archive_of, options};

const ONE: &str = "[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n";
const TWO: &str =
    "[Event \"Two\"]\n\n1. d4 d5 1/2-1/2\n\n[Event \"Three\"]\n\n1. c4 {a comment} *\n";

/// The mark of an unfinished addition.
const MARK: [u8; 8] = [0xff; 8];

/// As `add` cuts off an unfinished addition where there is no index.
const CHECK: Unfinished = Unfinished::Check { indexed: None };

/// What is in the file when so many bytes of `new` were written behind `old`.
fn growing(old: &[u8], new: &[u8], written: usize) -> Vec<u8> {
    let (mark, rest) = (
        &MARK[..written.min(8)],
        new.get(8..written).unwrap_or_default(),
    );
    [old, mark, rest].concat()
}

/// A segment, and its source.
fn segment(name: &str, source: &str) -> Vec<u8> {
    let mut out = Vec::new();
    pack(
        &mut source.as_bytes(),
        name,
        &mut out,
        &options(true, 1),
        &mut NoHooks,
    )
    .unwrap();
    out
}

/// Hooks that remember an unfinished addition.
#[derive(Default)]
struct Told(Option<(u64, u64)>);

impl Hooks for Told {
    fn unfinished(&mut self, offset: u64, bytes: u64) {
        assert_eq!(self.0.replace((offset, bytes)), None);
    }
}

/// Every reader of archives reads `state` as `whole` with an unfinished addition behind it.
#[track_caller]
fn assert_reads_as(state: &[u8], whole: &[u8]) {
    let ignored = (state.len() > whole.len())
        .then(|| (whole.len() as u64, (state.len() - whole.len()) as u64));
    let reading = |bytes: &[u8], expected: Option<(u64, u64)>| {
        let mut told = Vec::new();
        let mut hear = |hooks: Told| told.push(hooks.0);
        let mut hooks = Told::default();
        let mut sources = Collected::default();
        let unpacked = unpack(
            &mut &*bytes,
            &mut sources,
            &UnpackOptions::default(),
            &mut hooks,
        )
        .unwrap();
        hear(hooks);
        let tested = [TestDepth::Quick, TestDepth::Text].map(|depth| {
            let mut hooks = Told::default();
            let sources = test(&mut &*bytes, &depth.into(), &mut hooks).unwrap();
            hear(hooks);
            sources
        });
        let mut hooks = Told::default();
        let infos = info(&mut &*bytes, false, &mut hooks).unwrap();
        hear(hooks);
        let mut hooks = Told::default();
        let mut lines = Vec::new();
        records(&mut &*bytes, &mut lines, false, &mut hooks).unwrap();
        hear(hooks);
        let mut exported = Vec::new();
        let foreign = UnpackOptions {
            foreign: true,
            ..UnpackOptions::default()
        };
        let mut hooks = Told::default();
        let summary = export(&mut &*bytes, &mut exported, &foreign, &mut hooks).unwrap();
        hear(hooks);
        assert!(
            told.iter().all(|told| *told == expected),
            "{told:?}, not {expected:?}"
        );
        (
            sources.sources,
            unpacked,
            tested,
            infos,
            lines,
            exported,
            summary,
        )
    };
    assert!(reading(state, ignored) == reading(whole, None));
}

#[test]
fn every_state_of_the_file_reads_as_it_was() {
    let old = segment("one.pgn", ONE);
    let new = segment("two.pgn", TWO);
    for noops in [0, 3] {
        let mut old = old.clone();
        old.extend(vec![0; noops]);
        // The mark that stops readers, then more and more of what comes behind it.
        for written in 1..=new.len() {
            let state = growing(&old, &new, written);
            // A write that reached the disk in part: the file is as long as it should be, but some
            // of it is zeros.
            let mut holes = state.clone();
            holes[old.len() + written.min(8)..]
                .iter_mut()
                .step_by(3)
                .for_each(|byte| *byte = 0);
            if written <= 9 || written % 7 == 1 || written == new.len() {
                assert_reads_as(&state, &old);
                assert_reads_as(&holes, &old);
            }
        }
        let both = [old.as_slice(), &new].concat();
        let mut sources = Collected::default();
        unpack(
            &mut both.as_slice(),
            &mut sources,
            &UnpackOptions::default(),
            &mut NoHooks,
        )
        .unwrap();
        assert_eq!(sources.sources.len(), 2);
    }
}

#[test]
fn what_is_cut_off_is_no_unfinished_addition() {
    let old = segment("one.pgn", ONE);
    let new = segment("two.pgn", TWO);
    let both = [old.as_slice(), &new].concat();
    for end in (1..both.len()).filter(|&end| end != old.len()) {
        let error = test(&mut &both[..end], &TestDepth::Quick.into(), &mut NoHooks).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{end}: {error}");
    }
    // In any other place the mark is damage.
    for at in 0..old.len() {
        let wrong = [&old[..at], &MARK, &old[at..]].concat();
        assert!(
            test(
                &mut wrong.as_slice(),
                &TestDepth::Quick.into(),
                &mut NoHooks
            )
            .is_err(),
            "{at}"
        );
    }
}

/// Everything that reads archives finds damage.
#[track_caller]
fn assert_damaged(path: &Path, wrong: &[u8]) {
    fs::write(path, wrong).unwrap();
    let damaged = |what: &str, error: Option<Error>| {
        assert!(
            matches!(error, Some(Error::Damaged { .. })),
            "{what}: {error:?}"
        );
    };
    let mut sources = Collected::default();
    damaged(
        "unpack",
        unpack(
            &mut &*wrong,
            &mut sources,
            &UnpackOptions::default(),
            &mut NoHooks,
        )
        .err(),
    );
    damaged(
        "test",
        test(&mut &*wrong, &TestDepth::Quick.into(), &mut NoHooks).err(),
    );
    damaged("info", info(&mut &*wrong, false, &mut NoHooks).err());
    damaged("find", pgc::Archive::open(path).unwrap().len().err());
    let build = pgc_index::BuildOptions {
        memory: 1 << 24,
        temp_dir: std::env::temp_dir(),
        lines: true,
    };
    let options = pgc::indexing::IndexOptions::new(build, 1);
    let mut archive = std::io::Cursor::new(wrong);
    damaged(
        "index",
        pgc::indexing::index(&mut archive, &mut Vec::new(), &options, &mut NoHooks).err(),
    );
    let error = not_busy(|| Addition::begin(path, CHECK))
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "add: {error:?}");
    assert!(fs::read(path).unwrap() == wrong, "add changed the file");
}

#[test]
fn one_changed_byte_in_a_later_head_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgc");
    let old = segment("one.pgn", ONE);
    let both = [old.as_slice(), &segment("two.pgn", TWO)].concat();
    let head = 3 + usize::from(both[old.len() + 1]);
    for at in 0..head {
        for change in 1..=255 {
            if at > 0 && ![1, 0x80, both[old.len() + at], !both[old.len() + at]].contains(&change)
                || change == 0
            {
                continue;
            }
            let mut wrong = both.clone();
            wrong[old.len() + at] ^= change;
            assert_damaged(&path, &wrong);
        }
    }
    // Fewer than eight bytes of a mark, with something else behind them, are no mark.
    for bytes in 1..8 {
        let mut wrong = both.clone();
        wrong[old.len()..old.len() + bytes].fill(0xff);
        assert_damaged(&path, &wrong);
    }
}

/// An addition that grows, stopped at every byte: the archive opens with its index, and the next
/// `add` cuts off what holds nothing whole.
#[test]
fn an_addition_that_is_stopped_at_any_byte_leaves_the_archive() {
    let dir = dir();
    let path = dir.path().join("a.pgc");
    let old = dir.read("a.pgc");
    let new = segment("b.pgn", TWO);
    let block = new.windows(4).position(|window| window == b"pgcB").unwrap() - 3;
    let records = usize::from(new[block + 1]) + 3 + block;
    let tail = new.windows(4).position(|window| window == b"pgcE").unwrap() - 3;
    let check = Unfinished::Check {
        indexed: Some(old.len() as u64),
    };
    for written in 1..=new.len() {
        let state = growing(&old, &new, written);
        fs::write(&path, &state).unwrap();
        let archive = pgc::Archive::open(&path).unwrap();
        assert_eq!(
            (archive.index_state(), archive.len().unwrap()),
            (&pgc::IndexState::Used, 1),
            "{written}"
        );
        assert_eq!(archive.unfinished(), written as u64);
        let begun = not_busy(|| Addition::begin(&path, check));
        // A block is whole when its records are there.
        if written < records {
            assert_eq!(begun.unwrap().before().unfinished, written as u64);
            assert!(fs::read(&path).unwrap() == old, "{written}");
            continue;
        }
        let Err(Error::Precious {
            offset,
            games,
            what,
        }) = begun
        else {
            panic!("{written}")
        };
        assert_eq!((offset, games), (old.len() as u64, 1));
        let expected = if written < tail {
            "a complete head or tail"
        } else {
            "1 whole block with 2 games"
        };
        assert!(what.contains(expected), "{written}: {what}");
        assert!(fs::read(&path).unwrap() == state, "{written}");
    }
    // A head that is not the first, and a tail, are found wherever they stand.
    for part in [&new[..block], &new[tail..]] {
        let state = [old.as_slice(), &MARK, b"\x0a\x0a\x0apgc", part].concat();
        fs::write(&path, &state).unwrap();
        assert!(matches!(
            not_busy(|| Addition::begin(&path, check)),
            Err(Error::Precious { .. })
        ));
    }
}

#[test]
fn whole_blocks_behind_the_mark_are_not_cut_off_unasked() {
    let dir = dir();
    dir.run(&["add", "-q", "a.pgc", "b.pgn"]).exits(0);
    dir.pack_into(&["a.pgn"], "old.pgc");
    let (old, both) = (dir.read("old.pgc"), dir.read("a.pgc"));
    // A fault of the medium that looks like the mark; then one that took the whole segment.
    let mut hidden = both.clone();
    hidden[old.len()..old.len() + 8].fill(0xff);
    let mut erased = both.clone();
    erased[old.len()..].fill(0xff);
    for (state, says) in [
        (&hidden, "byte"),
        (&erased, "the index beside the archive covers more of it"),
    ] {
        dir.put("a.pgc", state);
        dir.run(&["add", "a.pgc", "b.pgn"])
            .exits(3)
            .says("unfinished addition")
            .says(says)
            .says("--discard-unfinished");
        assert!(dir.read("a.pgc") == *state);
        let told = "an unfinished addition of";
        dir.run(&["unpack", "-q", "-c", "a.pgc"])
            .exits(0)
            .says(told);
        dir.run(&["find", "-q", "--count", "a.pgc"])
            .exits(0)
            .says(told);
        dir.run(&["get", "-q", "a.pgc", "1"]).exits(0);
        dir.run(&["names", "-q", "a.pgc"]).exits(0).says(told);
        dir.run(&["merge", "-q", "-f", "a.pgc", "old.pgc", "-o", "m.pgc"])
            .exits(0)
            .says(told);
        dir.run(&["find", "-q", "-f", "a.pgc", "old.pgc", "-o", "m.pgc"])
            .exits(0)
            .says(told);
        dir.run(&["split", "-q", "-f", "--by", "year", "a.pgc", "-o", "years"])
            .exits(0)
            .says(told);
        dir.run(&["index", "-q", "a.pgc", "-o", "other.pgci", "-f"])
            .exits(0)
            .says(told);
    }
    // Without the index, blocks are still found, and erased bytes are not.
    fs::remove_file(dir.path().join("a.pgci")).unwrap();
    dir.run(&["add", "-q", "--no-index", "a.pgc", "b.pgn"])
        .exits(0)
        .says("was cut off");
    assert!(dir.read("a.pgc") == both);
    dir.put("a.pgc", &hidden);
    dir.run(&["add", "-q", "a.pgc", "b.pgn"])
        .exits(3)
        .says("hold 1 whole block with 2 games");
    assert!(dir.read("a.pgc") == hidden);
    dir.run(&["add", "-q", "--discard-unfinished", "a.pgc", "b.pgn"])
        .exits(0)
        .says("was cut off");
    assert!(dir.read("a.pgc") == both);
}

#[test]
fn no_command_replaces_an_archive_that_is_added_to() {
    let dir = dir();
    let path = dir.path().join("a.pgc");
    dir.pack("b.pgn");
    dir.run(&["split", "-q", "--by", "games=9", "b.pgc", "-o", "."])
        .exits(0);
    let mut before = dir.read("a.pgc");
    let addition = begin(&path);
    let split = dir.path().join("b-1.pgc");
    let other = begin(&split);
    let commands = [
        &["pack", "-f", "a.pgn"][..],
        &["pack", "-f", "--standard", "a.pgn"],
        &["merge", "-f", "b.pgc", "b.pgc", "-o", "a.pgc"],
        &["find", "-f", "b.pgc", "-o", "a.pgc"],
        &["split", "-f", "--by", "games=9", "b.pgc", "-o", "."],
    ];
    // Each waits some seconds for the other program to end: all of them wait at once.
    let children = commands.map(|args| {
        let mut command = dir.command(args);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (args, piped.spawn().unwrap())
    });
    for (args, child) in children {
        Ran::new(args, child.wait_with_output().unwrap())
            .exits(2)
            .says("another program is writing to it");
    }
    assert!(dir.read("a.pgc") == before);
    drop((addition, other));
    // What replaces it by other means is noticed.
    let new = segment("b.pgn", TWO);
    let mut addition = begin(&path);
    addition.write_all(&new).unwrap();
    fs::copy(dir.path().join("b.pgc"), dir.path().join("c.pgc")).unwrap();
    fs::rename(dir.path().join("c.pgc"), &path).unwrap();
    before = dir.read("b.pgc");
    if cfg!(unix) {
        assert!(matches!(addition.commit(), Err(Error::Replaced)));
        drop(addition);
        assert!(dir.read("a.pgc") == before);
    }
}

/// Only what a killed run leaves is removed: a folder with the name of our temporary folders, and in
/// it nothing or only the file that nobody has locked. Files stay whatever their names are, empty ones
/// and inputs too.
#[cfg(unix)]
#[test]
fn temporary_files_of_a_killed_run_are_removed_and_no_others() {
    let dir = dir();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let age = |name: &str| {
        let file = fs::File::open(dir.path().join(name)).unwrap();
        file.set_modified(long_ago).unwrap();
    };
    let folder = |name: &str, files: &[&str]| {
        fs::create_dir(dir.path().join(name)).unwrap();
        for file in files {
            dir.put(&format!("{name}/{file}"), "x");
            age(&format!("{name}/{file}"));
        }
        age(name);
    };
    let stay = [
        (".pgc-AbC_26.tmp", &["pgc-output"][..]),
        (".pgc-AbC12.tmp", &["pgc-output"]),
        (".pgc-Locked.tmp", &["pgc-output"]),
        (".pgc-Recent.tmp", &["pgc-output"]),
        (".pgc-Twofil.tmp", &["games.pgn", "pgc-output"]),
        (".pgc-Others.tmp", &["games.pgn"]),
        (".pgc-Newest.tmp", &[]),
        ("x.tmp", &["pgc-output"]),
    ];
    for (name, files) in stay {
        folder(name, files);
    }
    let used = fs::File::open(dir.path().join(".pgc-Locked.tmp/pgc-output")).unwrap();
    used.lock().unwrap();
    for name in [".pgc-Recent.tmp/pgc-output", ".pgc-Newest.tmp/x"] {
        dir.put(name, "x");
    }
    fs::remove_file(dir.path().join(".pgc-Newest.tmp/x")).unwrap();
    for (name, text) in [(".pgc-abc123.tmp", "1. e4 *\n"), (".pgc-Empty1.tmp", "")] {
        dir.put(name, text);
        age(name);
    }
    folder("elsewhere", &["pgc-output"]);
    let link = dir.path().join(".pgc-linked.tmp");
    std::os::unix::fs::symlink("elsewhere", link).unwrap();
    let before = dir.names();
    folder(".pgc-Killed.tmp", &["pgc-output"]);
    folder(".pgc-Void12.tmp", &[]);
    dir.run(&["pack", "-q", "-f", "a.pgn"])
        .exits(0)
        .says(".pgc-Killed.tmp: removed")
        .says(".pgc-Void12.tmp: removed");
    assert_eq!(dir.names(), before);
    for input in [".pgc-abc123.tmp", ".pgc-Twofil.tmp/games.pgn"] {
        dir.run(&["pack", "-q", input, "-f", "-o", "a.pgc"]);
        dir.run(&["add", "-q", "a.pgc", input]);
    }
    assert_eq!(dir.names(), before);
    for (name, files) in stay {
        let path = dir.path().join(name);
        let mut found: Vec<_> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        found.sort();
        assert_eq!(found, files, "{name}");
    }
}

/// What the file holds now, read by its name while the addition has it open.
fn now(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn an_addition_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgc");
    let old = segment("one.pgn", ONE);
    fs::write(&path, &old).unwrap();
    let new = segment("two.pgn", TWO);
    // Longer than the buffer, so that it reaches the file in several writes.
    let long: Vec<u8> = new.iter().copied().cycle().take(new.len() * 8000).collect();
    let mut random = Random::new(7);

    let mut addition = begin(&path);
    assert_eq!(
        (addition.before().length, addition.before().games),
        (old.len() as u64, 1)
    );
    assert!(matches!(Addition::begin(&path, CHECK), Err(Error::Busy)));
    let mut rest = long.as_slice();
    let mut lengths = Vec::new();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.len().min(1 + random.below(100_000)));
        addition.write_all(piece).unwrap();
        rest = behind;
        let state = now(&path);
        assert!(state.starts_with(&old));
        if state.len() > old.len() {
            assert_eq!(state, growing(&old, &long, state.len() - old.len()));
        }
        if lengths.last() != Some(&state.len()) {
            assert_reads_as(&state, &old);
            lengths.push(state.len());
        }
    }
    assert!(lengths.len() > 2, "{lengths:?}");
    // Given up: nothing is left.
    drop(addition);
    assert_eq!(now(&path), old);

    // Killed: the next one cuts it off, when it is told to.
    let killed = growing(&old, &long, 100_000);
    fs::write(&path, &killed).unwrap();
    assert!(matches!(
        not_busy(|| Addition::begin(&path, CHECK)),
        Err(Error::Precious { .. })
    ));
    assert_eq!(now(&path), killed);
    let mut addition = not_busy(|| Addition::begin(&path, Unfinished::Discard)).unwrap();
    assert_eq!(addition.before().unfinished, 100_000);
    addition.write_all(&new).unwrap();
    assert_eq!(addition.commit().unwrap(), (old.len() + new.len()) as u64);
    drop(addition);
    assert_eq!(now(&path), [old.as_slice(), &new].concat());

    // Nothing given, nothing changed.
    let before = now(&path);
    let mut addition = begin(&path);
    assert!(addition.is_empty());
    addition.commit().unwrap();
    drop(addition);
    assert_eq!(now(&path), before);
}

/// Tries again while something is busy: a program that another test starts inherits all open files
/// for a moment, and with them the lock of the turn before.
fn not_busy<T>(mut begin: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    loop {
        let begun = begin();
        if !matches!(begun, Err(Error::Busy)) {
            return begun;
        }
    }
}

fn begin(path: &Path) -> Addition {
    not_busy(|| Addition::begin(path, CHECK)).unwrap()
}

#[test]
fn what_nothing_is_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgc");
    let begin = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = not_busy(|| Addition::begin(&path, CHECK))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(now(&path), bytes);
        error
    };
    assert!(matches!(begin(b""), Error::Empty));
    assert!(matches!(begin(&[0; 100]), Error::Damaged { .. }));
    assert!(matches!(begin(ONE.as_bytes()), Error::Foreign));
    assert!(matches!(begin(b"\x05\x06"), Error::Foreign));
    assert!(matches!(begin(b"\xff"), Error::Foreign));
    let old = archive_of(ONE.as_bytes());
    for end in 7..old.len() {
        assert!(matches!(begin(&old[..end]), Error::Damaged { .. }), "{end}");
    }
    let mut wrong = old.clone();
    wrong.push(b'x');
    assert!(matches!(begin(&wrong), Error::Damaged { .. }));
}

fn dir() -> Dir {
    let dir = Dir::new();
    dir.put("a.pgn", ONE);
    dir.put("b.pgn", TWO);
    dir.pack("a.pgn");
    dir
}

#[test]
fn added_is_as_packed_together() {
    let dir = dir();
    dir.put("c.pgn", "");
    // An input without a game is said, with exit code 1.
    dir.run(&["pack", "-q", "a.pgn", "b.pgn", "c.pgn", "-o", "all.pgc"])
        .exits(1);
    dir.run(&["add", "a.pgc", "b.pgn", "c.pgn"])
        .exits(1)
        .says("added: 2 games")
        .says("now 3 games");
    assert_eq!(dir.read("a.pgc"), dir.read("all.pgc"));
    // One after the other is the same.
    dir.pack("a.pgn");
    dir.run(&["add", "-q", "a.pgc", "b.pgn"]).exits(0);
    let ran = dir.run(&["add", "--json", "a.pgc", "c.pgn"]).exits(1);
    assert_eq!(
        (&ran.json()["games"], &ran.json()["archive_games"]),
        (&0.into(), &3.into())
    );
    assert_eq!(dir.read("a.pgc"), dir.read("all.pgc"));
    dir.feed(&["add", "-q", "a.pgc", "-"], TWO.as_bytes())
        .exits(0);
    dir.run(&["unpack", "-q", "a.pgc", "-o", "out/"]).exits(0);
    assert_eq!(dir.read("out/stdin.pgn"), TWO.as_bytes());
}

#[test]
fn refusals_of_add() {
    let dir = dir();
    let before = dir.read("a.pgc");
    dir.run(&["add", "a.pgc"]).exits(2).says("<INPUT>");
    dir.run(&["add", "none.pgc", "b.pgn"])
        .exits(2)
        .says("create it with pgc pack");
    dir.run(&["add", "b.pgn", "a.pgn"])
        .exits(2)
        .says("is PGN: pack it first");
    dir.run(&["add", "-", "a.pgn"])
        .exits(2)
        .says("changes an archive in place: name a file");
    dir.run(&["add", "a.pgc", "a.pgc"])
        .exits(2)
        .says("is the archive itself");
    dir.run(&["add", "a.pgc", "none.pgn"])
        .exits(2)
        .says("none.pgn: No such file");
    dir.put("gz.pgc", crate::cli::io::gzip(&before));
    dir.run(&["add", "gz.pgc", "b.pgn"])
        .exits(2)
        .says("decompress");
    dir.put("old.pgc", b"\x05\x06");
    dir.run(&["add", "old.pgc", "b.pgn"])
        .exits(2)
        .says("is not an archive made by pgc");
    dir.put("cut.pgc", &before[..before.len() - 1]);
    dir.run(&["add", "cut.pgc", "b.pgn"])
        .exits(3)
        .says("nothing was added");
    // A compressed input that ends early takes all that came with it along.
    let gz = crate::cli::io::gzip(TWO.repeat(1000).as_bytes());
    dir.put("d.pgn.gz", &gz[..gz.len() - 20]);
    dir.run(&["add", "a.pgc", "b.pgn", "d.pgn.gz"])
        .exits(2)
        .says("none is added");
    assert_eq!(dir.read("a.pgc"), before);
}

#[test]
fn an_unfinished_addition_is_told_of_and_cut_off() {
    let dir = dir();
    let old = dir.read("a.pgc");
    let state = growing(&old, &[b'x'; 123_456], 123_456);
    dir.put("a.pgc", &state);
    let note = "a.pgc: an unfinished addition of 123,456 bytes after the last segment is ignored (pgc add cuts it off, or says why it cannot)";
    for args in [
        &["test"][..],
        &["info", "--sources"],
        &["info"],
        &["records"],
        &["unpack", "-c"],
        &["unpack", "-c", "--foreign"],
    ] {
        let ran = dir.run(&[args, &["a.pgc"]].concat()).exits(0).says(note);
        assert_eq!(
            ran.stderr.matches("unfinished").count(),
            1,
            "{}",
            ran.stderr
        );
    }
    for args in [
        &["test", "--json"][..],
        &["info", "--sources", "--json"],
        &["info", "--json"],
    ] {
        assert_eq!(
            dir.run(&[args, &["a.pgc"]].concat()).json()["unfinished"],
            123_456
        );
    }
    dir.run(&["add", "a.pgc", "b.pgn"])
        .exits(0)
        .says("an unfinished addition of 123,456 bytes was cut off");
    dir.pack_into(&["a.pgn", "b.pgn"], "all.pgc");
    assert_eq!(dir.read("a.pgc"), dir.read("all.pgc"));
}

/// Some games with comments, different for each seed.
fn many_games(seed: u64, games: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for game in 0..games {
        let first = random.pick(&["e4 e5", "d4 d5", "c4 c5", "Nf3 Nf6", "g3 g6"]);
        let second = random.pick(&["Nc3 Nc6", "a3 a6", "h3 h6", "b3 b6"]);
        text += &format!(
            "[Event \"Seed {seed}\"]\n[Site \"?\"]\n[Date \"2024.{:02}.{:02}\"]\n[Round \"{game}\"]\n[White \"White {}\"]\n[Black \"Black {}\"]\n[Result \"*\"]\n\n1. {first} 2. {second} {{ {} }} *\n\n",
            1 + random.below(12),
            1 + random.below(28),
            random.below(50),
            random.below(50),
            random.below(1_000_000),
        );
    }
    text
}

/// `pgc add` is killed at random moments. No game is lost, none comes twice, and the next add
/// works, told that what is unfinished may go: PGC_TEST_KILLS says how often.
#[test]
fn killed_at_random_moments() {
    let kills: usize = std::env::var("PGC_TEST_KILLS").map_or(8, |n| n.parse().unwrap());
    let dir = Dir::new();
    let (old, new) = (many_games(1, 500), many_games(2, 12_000));
    dir.put("old.pgn", &old);
    dir.put("new.pgn", &new);
    dir.pack_into(&["old.pgn"], "a.pgc");
    let start = dir.read("a.pgc");
    let begin = std::time::Instant::now();
    dir.run(&["add", "-q", "a.pgc", "new.pgn"]).exits(0);
    let whole = begin.elapsed();
    dir.put("a.pgc", &start);
    let mut random = Random::new(300);
    let (mut added, mut unfinished, mut finished) = (0, 0, 0);
    for kill in 0..kills {
        let before = dir.read("a.pgc");
        let mut child = dir
            .command(&["add", "-q", "--discard-unfinished", "a.pgc", "new.pgn"])
            .spawn()
            .unwrap();
        // Sometimes it is done before.
        let wait = whole.mul_f64(random.below(1300) as f64 / 1000.0);
        std::thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
        let state = dir.read("a.pgc");
        let was = before.len() - usize::try_from(ignored(&before)).unwrap();
        assert!(
            state.starts_with(&before[..was]),
            "kill {kill}: old bytes were changed"
        );
        let mut sources = Collected::default();
        let mut told = Told::default();
        unpack(
            &mut state.as_slice(),
            &mut sources,
            &UnpackOptions::default(),
            &mut told,
        )
        .unwrap();
        let now = sources.sources.len() - 1;
        assert!(
            now == added || now == added + 1,
            "kill {kill}: {added} additions became {now}"
        );
        assert!(sources.sources[0].1 == old.as_bytes());
        assert!(
            sources.sources[1..]
                .iter()
                .all(|source| source.1 == new.as_bytes()),
            "kill {kill}"
        );
        // With the index as it was, with the one that fits now, or with none that fits: the games
        // are those that are there.
        let archive = pgc::Archive::open(dir.path().join("a.pgc")).unwrap();
        let count = 500 + 12_000 * now as u64;
        assert_eq!(
            archive.len().unwrap(),
            count,
            "kill {kill}: {:?}",
            archive.index_state()
        );
        let number = 1 + random.below(usize::try_from(count).unwrap()) as u64;
        let round = if number <= 500 {
            number - 1
        } else {
            (number - 501) % 12_000
        };
        assert_eq!(
            archive.game(number).unwrap().tag("Round"),
            Some(round.to_string().as_str()),
            "kill {kill}"
        );
        assert!(archive.game(count + 1).is_err());
        unfinished += usize::from(told.0.is_some());
        finished += now - added;
        added = now;
        if added > 3 {
            dir.put("a.pgc", &start);
            added = 0;
        }
    }
    let count = dir.read("a.pgc");
    dir.run(&["add", "-q", "--discard-unfinished", "a.pgc", "new.pgn"])
        .exits(0);
    let sources = test(
        &mut dir.read("a.pgc").as_slice(),
        &TestOptions::default(),
        &mut NoHooks,
    )
    .unwrap();
    assert_eq!(sources.len(), added + 2, "{}", count.len());
    eprintln!("{kills} kills: {unfinished} left an unfinished addition, {finished} came too late");
}

/// Ctrl-C in the middle: nothing is left of it.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_the_archive_as_it_was() {
    let dir = dir();
    let before = dir.read("a.pgc");
    let mut child = dir
        .command(&["add", "a.pgc", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let games = many_games(5, 8_000);
    let begin = std::time::Instant::now();
    while dir.read("a.pgc").len() == before.len() {
        stdin.write_all(games.as_bytes()).unwrap();
        assert!(begin.elapsed().as_secs() < 600, "nothing is written");
    }
    assert_eq!(dir.read("a.pgc")[before.len()], 0xff);
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let killed = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    let waited = killed.elapsed();
    drop(stdin);
    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // A run that does not get there in two seconds is ended: then readers stop at the mark.
    let left = dir.read("a.pgc");
    assert!(left == before || waited.as_secs() >= 2 && left.starts_with(&before));
    assert!(dir.unpacked("a.pgc") == ONE.as_bytes());
}

/// `get` and `find` too read an archive as it was.
#[test]
fn an_unfinished_addition_is_no_matter_to_the_index() {
    let dir = dir();
    let new = segment("b.pgn", TWO);
    dir.put("a.pgc", growing(&dir.read("a.pgc"), &new, new.len()));
    for _ in 0..2 {
        let ran = dir.run(&["get", "a.pgc", "1"]).exits(0);
        assert_eq!(ran.stdout(), ONE);
        dir.run(&["get", "a.pgc", "2"]).exits(1);
        let ran = dir
            .run(&["find", "a.pgc", "--count"])
            .exits(0)
            .says("is ignored (pgc add cuts it off, or says why it cannot)");
        assert_eq!(ran.stdout().trim(), "1");
        dir.run(&["index", "-q", "-f", "a.pgc"]).exits(0);
    }
    dir.run(&["find", "--require-index", "-q", "a.pgc", "--count"])
        .exits(0);
}

/// Bytes of an unfinished addition at the end.
fn ignored(archive: &[u8]) -> u64 {
    let mut told = Told::default();
    test(&mut &*archive, &TestDepth::Quick.into(), &mut told).unwrap();
    told.0.map_or(0, |(_, bytes)| bytes)
}

#[test]
fn two_at_once() {
    let dir = Dir::new();
    let (old, new) = (many_games(1, 100), many_games(2, 8_000));
    dir.put("old.pgn", &old);
    dir.put("new.pgn", &new);
    dir.pack_into(&["old.pgn"], "a.pgc");
    let children: Vec<_> = (0..4)
        .map(|_| {
            dir.command(&["add", "-q", "a.pgc", "new.pgn"])
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut done = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => done += 1,
            code => {
                assert_eq!(code, Some(2));
                assert!(
                    String::from_utf8_lossy(&output.stderr)
                        .contains("another program is adding to it")
                );
            }
        }
    }
    assert!(done > 0);
    let sources = test(
        &mut dir.read("a.pgc").as_slice(),
        &TestOptions::default(),
        &mut NoHooks,
    )
    .unwrap();
    assert_eq!(sources.len(), 1 + done);
    assert_eq!(
        sources.iter().map(|s| s.sum.games).sum::<u64>(),
        100 + 8_000 * done as u64
    );
}

/// The index beside an archive is the one that `pgc index` makes.
#[track_caller]
fn assert_index(dir: &Dir, archive: &str) {
    let index = dir.read(&format!("{archive}i"));
    let made = dir.index_of(archive);
    assert!(
        index == made,
        "{archive}: {} and {} bytes",
        index.len(),
        made.len()
    );
}

#[test]
fn the_index_is_extended() {
    let dir = dir();
    dir.put("many.pgn", many_games(3, 3_000));
    assert_index(&dir, "a.pgc");
    for input in ["b.pgn", "many.pgn", "a.pgn", "many.pgn"] {
        let ran = dir.run(&["add", "a.pgc", input]).exits(0).says("a.pgci: ");
        assert!(!ran.stderr.contains("made"), "{}", ran.stderr);
        assert_index(&dir, "a.pgc");
    }
    // None there, or one of another archive.
    dir.run(&["add", "--no-index", "-q", "a.pgc", "b.pgn"])
        .exits(0);
    dir.run(&["add", "a.pgc", "b.pgn"])
        .exits(0)
        .says("its index cannot be used");
    assert_index(&dir, "a.pgc");
    fs::remove_file(dir.path().join("a.pgci")).unwrap();
    dir.run(&["add", "a.pgc", "b.pgn"])
        .exits(0)
        .says("has no index");
    assert_index(&dir, "a.pgc");
    // Damaged: one byte in any page.
    let index = dir.read("a.pgci");
    for at in [
        9,
        20,
        index.len() / 3,
        index.len() / 2,
        index.len() - 97,
        index.len() - 5,
    ] {
        let archive = dir.read("a.pgc");
        let mut wrong = index.clone();
        wrong[at] ^= 0x10;
        dir.put("a.pgci", &wrong);
        dir.run(&["add", "a.pgc", "b.pgn"])
            .exits(0)
            .says("making it");
        assert_index(&dir, "a.pgc");
        dir.put("a.pgc", &archive);
    }
    // What is no index is not replaced.
    dir.put("a.pgci", "my notes");
    let before = dir.read("a.pgc");
    dir.run(&["add", "a.pgc", "b.pgn"])
        .exits(2)
        .says("is not an index");
    assert!(dir.read("a.pgc") == before);
}

#[test]
fn known_games_are_left_out() {
    let dir = dir();
    let known = |ran: &Ran| {
        (
            ran.json()["games"].as_u64().unwrap(),
            ran.json()["known"].as_u64().unwrap(),
        )
    };
    // The same tags and moves, otherwise spelled; in between something new.
    let again = "[Result \"1-0\"]\n[Event \"One\"]\n\n1. e2-e4 {well} e5 (1... c5) 2. Nf3 Nc6 1-0\n\n\
        [Event \"New\"]\n\n1. e4 *\n\n[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0\n";
    dir.put("again.pgn", again);
    let ran = dir
        .run(&["add", "--skip-known", "--json", "a.pgc", "again.pgn"])
        .exits(0);
    assert_eq!(known(&ran), (2, 1));
    assert_index(&dir, "a.pgc");
    dir.run(&["unpack", "-q", "a.pgc", "-o", "out/"]).exits(0);
    let rest = dir.read("out/again.pgn");
    assert_eq!(
        String::from_utf8(rest).unwrap(),
        again[again.find("[Event \"New\"]").unwrap()..]
    );
    // Every game is known now, so no segment is added.
    let before = dir.read("a.pgc");
    let ran = dir
        .run(&["add", "--skip-known", "--json", "a.pgc", "again.pgn"])
        .exits(0);
    assert_eq!(known(&ran), (0, 3));
    assert!(dir.read("a.pgc") == before);
    dir.run(&["add", "--skip-known", "a.pgc", "again.pgn", "a.pgn"])
        .exits(0)
        .says("4 games already known");
    // Games that come again in the inputs, too.
    dir.put("two.pgn", TWO.repeat(2) + ONE);
    let ran = dir
        .run(&["add", "--skip-known", "--json", "a.pgc", "two.pgn", "b.pgn"])
        .exits(0);
    assert_eq!(known(&ran), (2, 5));
    assert_index(&dir, "a.pgc");
    dir.run(&["add", "-q", "a.pgc", "b.pgn"]).exits(0);
    assert_index(&dir, "a.pgc");
    // Nothing known: the source is as it was, byte for byte, whatever it is.
    let odd =
        "prose\n\n[A \"1\"]\n\n1. e4 {\n\n[A \"2\"]\n[B \"2\"]\n[C \"3\"]\n\n1. d4\n\nmore prose\n";
    dir.put("odd.pgn", odd);
    dir.run(&[
        "add",
        "-q",
        "--skip-known",
        "--no-index",
        "a.pgc",
        "odd.pgn",
    ])
    .exits(0);
    dir.run(&["unpack", "-q", "-f", "a.pgc", "-o", "out/"])
        .exits(0);
    assert_eq!(String::from_utf8(dir.read("out/odd.pgn")).unwrap(), odd);
}

/// Whatever is left out, what stays are the games that a set of tags and moves would leave.
#[test]
fn known_games_against_a_set() {
    let mut random = Random::new(11);
    for round in 0..6 {
        let dir = Dir::new();
        let pool: Vec<String> = (0..60)
            .map(|i| {
                let end = random.pick(&["*", "1-0", "", "{ unclosed", "(1. d4"]);
                let gap = random.pick(&["\n\n", "\n", "\n\n\n", "\r\n\r\n"]);
                format!(
                    "[Event \"{}\"]\n[Site \"x\"]\n[Round \"{i}\"]\n\n1. {} {end}{gap}",
                    i % 7,
                    ["e4", "d4", "c4"][i % 3]
                )
            })
            .collect();
        let text = |random: &mut Random, n: usize| {
            (0..n)
                .map(|_| pool[random.below(pool.len())].clone())
                .collect::<String>()
        };
        let (old, new) = (text(&mut random, 40), text(&mut random, 80));
        dir.put("old.pgn", &old);
        dir.put("new.pgn", &new);
        dir.pack_into(&["old.pgn"], "a.pgc");
        dir.run(&["add", "-q", "--skip-known", "a.pgc", "new.pgn"])
            .exits(0);
        let archive = pgc::Archive::open(dir.path().join("a.pgc")).unwrap();
        let key = |game: &pgc::Game| {
            (
                game.tags.clone(),
                game.moves.iter().map(|m| m.uci).collect::<Vec<_>>(),
            )
        };
        let games: Vec<_> = archive.games().map(|game| key(&game.unwrap())).collect();
        // Each new game is there once. The games to expect come from the two sources, packed apart.
        let both = [&old, &new].map(|source| {
            dir.put("both.pgn", source);
            dir.pack("both.pgn");
            let archive = pgc::Archive::open(dir.path().join("both.pgc")).unwrap();
            archive
                .games()
                .map(|game| key(&game.unwrap()))
                .collect::<Vec<_>>()
        });
        let mut expected = both[0].clone();
        for game in &both[1] {
            if !expected.contains(game) {
                expected.push(game.clone());
            }
        }
        let mut missing = expected.clone();
        missing.retain(|game| !games.contains(game));
        assert!(missing.is_empty(), "round {round}: {missing:?}");
        assert!(games.len() < both[0].len() + both[1].len(), "round {round}");
    }
}
