//! Faults of the system and kills, one at a time, and other programs beside a run. `strace` makes
//! the calls fail; where it is missing or may not trace, those tests say so and pass. The whole
//! sweep, over every call and error, is benches/faults.py.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::cli::failures::games;
use crate::cli::program::{Dir, Ran};

type Files = BTreeMap<String, Vec<u8>>;

/// The commands that are tried.
const COMMANDS: [&[&str]; 8] = [
    &["pack", "-q", "-f", "new.pgn", "-o", "old.pgc"],
    &["add", "-q", "old.pgc", "new.pgn"],
    &["merge", "-q", "-f", "old.pgc", "new.pgc", "-o", "third.pgc"],
    &["unpack", "-q", "-f", "new.pgc", "-o", "third.pgn"],
    &["salvage", "-q", "-f", "broken.pgc", "-o", "third.pgc"],
    &["repair", "-q", "-f", "hurt.pgc", "-o", "third.pgc"],
    &["split", "-q", "-f", "new.pgc", "--by", "games=2", "-o", "."],
    &[
        "edit",
        "-q",
        "old.pgc",
        "--in-place",
        "--games",
        "1",
        "--delete",
    ],
];

/// Whether calls can be made to fail here.
fn can_trace() -> bool {
    let done = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .stdin(Stdio::null())
        .output();
    let can = done.is_ok_and(|done| done.status.success());
    if !can {
        eprintln!("skipped: strace is missing, or may not trace");
    }
    can
}

/// A folder in which every command has something to do.
fn template() -> Files {
    let dir = Dir::new();
    for (name, count) in [("old", 3), ("new", 5), ("third", 7)] {
        dir.put(&format!("{name}.pgn"), games(count));
        dir.run(&["pack", "-q", &format!("{name}.pgn")]).exits(0);
    }
    dir.put("hurt.pgc", dir.read("new.pgc"));
    dir.run(&["protect", "-q", "hurt.pgc"]).exits(0);
    let mut broken = dir.read("new.pgc");
    let at = broken.len() / 2;
    broken[at] ^= 1;
    dir.put("hurt.pgc", &broken);
    dir.put("broken.pgc", broken);
    files(&dir)
}

fn files(dir: &Dir) -> Files {
    let names = dir.names().into_iter();
    names
        .filter(|name| !is_temporary(name))
        .map(|name| (name.clone(), dir.read(&name)))
        .collect()
}

fn filled(files: &Files) -> Dir {
    let dir = Dir::new();
    files.iter().for_each(|(name, bytes)| dir.put(name, bytes));
    dir
}

/// Runs a command under strace with these options.
fn traced(dir: &Dir, options: &[&str], args: &[&str]) -> Ran {
    let mut command = Command::new("strace");
    command
        .args(["-f", "-o", "trace"])
        .args(options)
        .arg(assert_cmd::cargo::cargo_bin!("pgc"))
        .args(args)
        .current_dir(dir.path())
        .stdin(Stdio::null());
    Ran::new(args, command.output().unwrap())
}

/// A signal at the moment when the archive is replaced comes too late: its index is made too.
#[test]
fn a_signal_behind_the_point_of_no_return() {
    if !can_trace() {
        return;
    }
    let dir = Dir::new();
    dir.put("old.pgn", games(300));
    dir.pack("old.pgn");
    let calls = "rename,renameat,renameat2";
    let inject = format!("inject={calls}:signal=SIGTERM:when=1");
    let options = ["-e", &format!("trace={calls}"), "-e", &inject];
    let args = [
        "edit",
        "-q",
        "old.pgc",
        "--in-place",
        "--all",
        "--set",
        "Zzz=1",
    ];
    traced(&dir, &options, &args).exits(0);
    let trace = String::from_utf8_lossy(&dir.read("trace")).into_owned();
    assert!(trace.contains("--- SIGTERM"), "{trace}");
    dir.run(&["test", "-q", "old.pgc"]).exits(0);
    let find = ["find", "old.pgc", "-q", "--require-index", "--count"];
    let found = dir.run(&[&find[..], &["--tag=Zzz=1"]].concat());
    assert_eq!(found.exits(0).stdout(), "300\n");
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".pgc-")
}

/// Each file is what it was, or what the undisturbed run makes of it. What `add` began may stand
/// behind the old bytes where it could not be cut off (`may_stand`).
fn check(what: &str, dir: &Dir, before: &Files, after: &Files, may_stand: bool) {
    for (name, bytes) in files(dir) {
        let is_whole = before.get(&name) == Some(&bytes) || after.get(&name) == Some(&bytes);
        let stands = may_stand
            && name == "old.pgc"
            && bytes.starts_with(&before["old.pgc"])
            && reads_as_before_or_after(dir, before);
        assert!(
            is_whole || stands || name == "trace",
            "{what}: {name} has {} bytes",
            bytes.len()
        );
    }
    let is_missing = |name: &&String| !dir.path().join(name).exists();
    let missing: Vec<&String> = before.keys().filter(is_missing).collect();
    assert!(missing.is_empty(), "{what}: {missing:?}");
}

/// Whether old.pgc unpacks to the one source or to both.
fn reads_as_before_or_after(dir: &Dir, before: &Files) -> bool {
    let ran = dir.run(&["unpack", "-q", "-c", "old.pgc"]);
    let both = [&before["old.pgn"][..], &before["new.pgn"]].concat();
    ran.output.status.success()
        && (ran.output.stdout == before["old.pgn"] || ran.output.stdout == both)
}

#[test]
fn a_call_that_fails_leaves_old_files_or_whole_ones_and_is_told() {
    if !can_trace() {
        return;
    }
    const WRITES: &str = "write,writev,pwrite64";
    let kinds = [
        (WRITES, "EIO", "Input/output error"),
        (WRITES, "ENOSPC", "No space left on device"),
        (WRITES, "EINTR", "-"),
        ("fsync,fdatasync", "EIO", "Input/output error"),
        ("fsync,fdatasync", "EINTR", "-"),
        ("rename,renameat,renameat2", "EIO", "Input/output error"),
        ("clone,clone3", "EAGAIN", "a thread could not be started"),
    ];
    let before = template();
    for args in COMMANDS {
        let clean = filled(&before);
        let code = clean.run(args).output.status.code();
        let after = files(&clean);
        for (calls, error, reason) in kinds {
            for nth in 1.. {
                let dir = filled(&before);
                let inject = format!("inject={calls}:error={error}:when={nth}");
                let ran = traced(
                    &dir,
                    &["-e", &format!("trace={calls}"), "-e", &inject],
                    args,
                );
                if !String::from_utf8_lossy(&dir.read("trace")).contains("INJECTED") {
                    break;
                }
                let what = format!("{args:?}, {inject}: {}", ran.stderr);
                check(&what, &dir, &before, &after, false);
                assert!(!dir.names().iter().any(|name| is_temporary(name)), "{what}");
                let found = ran.output.status.code();
                if found == code {
                    // The failure did not matter, or the call was tried again.
                    assert!(
                        after.iter().all(|(name, bytes)| dir.read(name) == *bytes),
                        "{what}"
                    );
                    continue;
                }
                assert_eq!(found, Some(2), "{what}");
                let names = after.keys().map(String::as_str).chain(["(-j)"]);
                let is_told = ran.stderr.contains(reason)
                    && names.into_iter().any(|name| ran.stderr.contains(name))
                    && !ran.stderr.contains(".pgc-");
                // The message is written too, and strace counts each kind of call for itself.
                let trace = String::from_utf8_lossy(&dir.read("trace")).into_owned();
                let is_message = |line: &str| {
                    let is_write = line.contains("write(2, ") || line.contains("write resumed");
                    is_write && line.contains("INJECTED")
                };
                let is_lost = trace.lines().any(is_message);
                assert!(is_told || is_lost, "{what}");
            }
        }
    }
}

#[test]
fn a_kill_at_any_call_leaves_old_files_or_whole_ones() {
    if !can_trace() {
        return;
    }
    let before = template();
    for (number, args) in COMMANDS.into_iter().enumerate() {
        let clean = filled(&before);
        let code = clean.run(args).output.status.code();
        let after = files(&clean);
        let (mut killed, mut states) = (0, BTreeSet::new());
        for (kind, step) in KILLED {
            for nth in (1 + number % step..).step_by(step) {
                let dir = filled(&before);
                let inject = format!("inject={kind}:signal=KILL:when={nth}");
                let ran = traced(&dir, &["-e", &inject], args);
                let what = format!("{args:?}, {inject}: {}", ran.stderr);
                if ran.output.status.code() == code {
                    break;
                }
                killed += 1;
                check(&what, &dir, &before, &after, true);
                // What the program does next depends only on what the kill left.
                if states.insert(state(&dir)) {
                    check_found(&what, &dir);
                    check_again(&what, &dir, args, &before, &after, code);
                }
            }
        }
        assert!(killed > 10, "{args:?}: {killed}");
    }
}

/// All that is in a folder. Of a temporary folder the name is random, and the content the file in
/// it.
fn state(dir: &Dir) -> Vec<(String, Option<Vec<u8>>)> {
    let names = dir.names().into_iter().filter(|name| name != "trace");
    let content = |name: String| match is_temporary(&name) {
        true => {
            let held = fs::read(dir.path().join(&name).join("pgc-output")).ok();
            (".pgc-".to_owned(), held)
        }
        false => (name.clone(), Some(dir.read(&name))),
    };
    let mut state: Vec<_> = names.map(content).collect();
    state.sort();
    state
}

/// Kinds of calls, and which of them are tried: every one, or every second, third ... (strace counts
/// each kind for itself).
const KILLED: [(&str, usize); 10] = [
    ("write", 1),
    ("writev", 1),
    ("fsync", 1),
    ("fdatasync", 1),
    ("renameat", 1),
    ("renameat2", 1),
    ("ftruncate", 1),
    ("flock", 2),
    ("openat", 3),
    ("close", 4),
];

/// After a kill, `find` answers for each archive as it is on disk, and names an index that does not
/// fit.
fn check_found(what: &str, dir: &Dir) {
    let names = dir.names();
    let archives = ["old.pgc", "third.pgc"].into_iter();
    for path in archives.filter(|path| names.iter().any(|name| name == path)) {
        let text = dir.run(&["unpack", "-q", "-c", path]).stdout();
        let games = text.matches("[Round ").count();
        let found = dir.run(&["find", "--count", path]);
        let none = i32::from(games == 0);
        let code = found.output.status.code();
        assert_eq!(code, Some(none), "{what}: {}", found.stderr);
        assert_eq!(found.stdout().trim(), games.to_string(), "{what}");
        let is_told = |line: &str| {
            let is_index = line.contains("make it with `pgc index ");
            is_index
                || line.contains("unfinished addition")
                || line.contains("removed this temporary")
                || line == "no game matches"
        };
        assert!(
            found.stderr.lines().all(is_told),
            "{what}: {}",
            found.stderr
        );
    }
}

/// After a kill, the same command does its work, and clears what was left.
fn check_again(
    what: &str,
    dir: &Dir,
    args: &[&str],
    before: &Files,
    after: &Files,
    code: Option<i32>,
) {
    for name in dir.names().iter().filter(|name| is_temporary(name)) {
        let folder = dir.path().join(name);
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        for path in [folder.join("pgc-output"), folder] {
            // A run that is killed early leaves an empty folder.
            let _ = File::open(path).and_then(|file| file.set_modified(long_ago));
        }
    }
    // What was added before the kill is added twice, and another game deleted.
    let twice = ["add", "edit"].contains(&args[0]) && dir.read("old.pgc") != before["old.pgc"];
    let mut again = dir.run(args);
    if again.stderr.contains("--discard-unfinished") {
        // Whole blocks stand behind the mark: a person decides (extension.md 3.1).
        again = dir.run(&[args, &["--discard-unfinished"]].concat());
    }
    assert_eq!(again.output.status.code(), code, "{what}: {}", again.stderr);
    let names = dir.names();
    assert!(!names.iter().any(|name| is_temporary(name)), "{what}");
    let is_done = |(name, bytes): (&String, &Vec<u8>)| dir.read(name) == *bytes;
    assert!(twice || after.iter().all(is_done), "{what}");
    dir.run(&["test", "-q", "old.pgc"]).exits(0);
}

/// Runs `work` until the other one has ended, in a thread of its own.
fn beside<T>(work: impl Fn() + Sync, other: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let working = scope.spawn(|| {
            let mut rounds = 0;
            while !is_over.load(Ordering::Relaxed) || rounds == 0 {
                work();
                rounds += 1;
            }
        });
        let over = Over(&is_over);
        let done = other();
        drop(over);
        working.join().unwrap();
        done
    })
}

/// Ends the other thread, also where this one fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn who_tests_an_archive_while_it_is_written_finds_no_damage() {
    let dir = Dir::new();
    dir.put("old.pgn", games(400));
    dir.put("new.pgn", games(300));
    dir.pack_into(&["old.pgn"], "all.pgc");
    let read = || {
        dir.run(&["test", "-q", "all.pgc"]).exits(0);
        dir.run(&["test", "-q", "--quick", "all.pgc"]).exits(0);
        dir.run(&["find", "-q", "all.pgc", "--white", "7", "--count"])
            .exits(0);
        dir.run(&["index", "-q", "--verify", "all.pgc"]);
    };
    beside(read, || {
        for _ in 0..12 {
            dir.run(&["add", "-q", "all.pgc", "new.pgn"]).exits(0);
        }
        for name in ["new.pgn", "old.pgn"].repeat(6) {
            dir.run(&["pack", "-q", "-f", name, "-o", "all.pgc"])
                .exits(0);
        }
    });
    dir.run(&["test", "-q", "all.pgc"]).exits(0);
}

#[test]
fn an_index_belongs_to_the_archive_that_won() {
    let dir = Dir::new();
    dir.put("a.pgn", games(300));
    dir.put("b.pgn", games(200));
    let pack = |name: &str| dir.run(&["pack", "-q", "-f", name, "-o", "all.pgc"]);
    pack("a.pgn").exits(0);
    beside(
        || drop(pack("a.pgn").exits(0)),
        || {
            beside(
                // It gives up if the archive never stays the same.
                || drop(dir.run(&["index", "-q", "-f", "all.pgc"])),
                || {
                    for _ in 0..20 {
                        pack("b.pgn").exits(0);
                        // Without an index, or with one that does not fit, this says so.
                        dir.run(&["test", "-q", "all.pgc"]).exits(0);
                        assert!(dir.path().join("all.pgci").exists());
                    }
                },
            );
        },
    );
    dir.run(&["test", "-q", "all.pgc"]).exits(0);
    let left: Vec<String> = dir.names();
    assert_eq!(left, ["a.pgn", "all.pgc", "all.pgci", "b.pgn"]);
}

/// Each run is held up just before it gives a file its name: the archive of one after that of the
/// other, the index of one before that of the other.
#[test]
fn of_two_runs_one_wins_with_archive_and_index() {
    if !can_trace() {
        return;
    }
    let dir = Dir::new();
    dir.put("a.pgn", games(300));
    dir.put("b.pgn", games(200));
    let args = ["pack", "-q", "-f", "a.pgn", "-o", "all.pgc"];
    dir.run(&args).exits(0);
    let calls = "rename,renameat,renameat2";
    let trace = format!("trace={calls}");
    let run = |name: &'static str, archive: u32, index: u32| {
        let held = |nth: u32, ms: u32| format!("inject={calls}:delay_enter={ms}000:when={nth}");
        let (archive, index) = (held(1, archive), held(2, index));
        let options = ["-e", &trace, "-e", &archive, "-e", &index];
        let args = ["pack", "-q", "-f", name, "-o", "all.pgc"];
        traced(&dir, &options, &args).exits(0);
    };
    for late in [10, 20, 30, 40, 60] {
        thread::scope(|scope| {
            scope.spawn(|| run("a.pgn", 10, 60));
            run("b.pgn", late, 1);
        });
        dir.run(&["test", "-q", "all.pgc"]).exits(0);
    }
}

/// Writes that are short in truth: a small file system, where one can be mounted.
#[test]
fn a_full_file_system_leaves_old_files() {
    let dir = Dir::new();
    dir.put("full/x", "");
    let full = dir.path().join("full");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&full)
        .output();
    if !mounted.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: nothing can be mounted");
        return;
    }
    let _mounted = Mounted(&full);
    dir.put("games.pgn", games(20_000));
    dir.put("one.pgn", games(1));
    dir.pack_into(&["one.pgn"], "full/all.pgc");
    let before = (dir.read("full/all.pgc"), dir.read("full/all.pgci"));
    for args in [
        &["pack", "-q", "-f", "games.pgn", "-o", "full/all.pgc"][..],
        &["add", "-q", "full/all.pgc", "games.pgn"],
        &["add", "-q", "--skip-known", "full/all.pgc", "games.pgn"],
    ] {
        let ran = dir.run(args).exits(2);
        let text = "No space left on device (os error 28)";
        assert!(ran.stderr.contains(text), "{args:?}: {}", ran.stderr);
        assert!(
            ran.stderr.starts_with("pgc: full"),
            "{args:?}: {}",
            ran.stderr
        );
        let now = (dir.read("full/all.pgc"), dir.read("full/all.pgci"));
        assert!(now == before, "{args:?}");
        assert_eq!(fs::read_dir(&full).unwrap().count(), 2, "{args:?}");
    }
    // As much as there is room for is written, then the rest fails.
    let mut file = File::create(full.join("rest")).unwrap();
    let mut room = 0;
    while let Ok(count @ 1..) = file.write(&[7; 5000]) {
        room += count;
    }
    assert!(room > 4096 && !room.is_multiple_of(5000));
    dir.run(&["test", "-q", "full/all.pgc"]).exits(0);
}

struct Mounted<'p>(&'p Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}
