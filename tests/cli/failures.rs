//! What the program says, and to whom, when the system lets it down: full media, files cut short,
//! no threads, signals.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
#[cfg(target_os = "linux")]
use std::process::Child;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pgc::ask::texts::{TextOptions, texts};
use pgc::beside::{index_path, map_index};
use pgc::join::identity::SkipRule;
use pgc::join::known::KnownGames;
use pgc::join::split::{SplitBy, SplitPlan};
use pgc::{Archive, Error, OpenOptions, Query};
use pgc_index::{Clause, Test};

use crate::cli::program::{Dir, Ran};

/// `count` small games, no two alike.
pub(crate) fn games(count: usize) -> String {
    let mut text = String::new();
    for game in 1..=count {
        // A wild order, so that sorting has something to do.
        writeln!(
            text,
            "[Round \"{}\"]\n[White \"{game}\"]\n\n1. e4 *\n",
            game * 7919 % count
        )
        .unwrap();
    }
    text
}

/// Runs the program with a limit on the length of files. The system reports it as it reports a full
/// disk, and sends SIGXFSZ besides.
#[cfg(unix)]
fn limited(dir: &Dir, kib: usize, args: &[&str]) -> Ran {
    let script = format!("ulimit -f {}; exec \"$0\" \"$@\"", kib * 2);
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &script,
            assert_cmd::cargo::cargo_bin!("pgc").to_str().unwrap(),
        ])
        .args(args);
    Ran::new(
        args,
        command
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap(),
    )
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_medium_is_blamed_by_the_name_of_the_output() {
    let dir = Dir::new();
    dir.put("in/games.pgn", games(40_000));
    dir.pack_into(&["in/games.pgn"], "in/games.pgc");
    for (args, blamed) in [
        (
            &["pack", "-q", "in/games.pgn", "-o", "out.pgc"][..],
            "out.pgc",
        ),
        (
            &["pack", "-q", "-j", "1", "in/games.pgn", "-o", "out.pgc"][..],
            "out.pgc",
        ),
        (
            &["unpack", "-q", "in/games.pgc", "-o", "out.pgn"],
            "out.pgn",
        ),
        (
            &["unpack", "-q", "in/games.pgc", "-o", "out/"],
            "out/games.pgn",
        ),
        (&["find", "-q", "in/games.pgc", "-o", "out.pgn"], "out.pgn"),
        (&["find", "-q", "in/games.pgc", "-o", "out.csv"], "out.csv"),
        (
            &["get", "-q", "in/games.pgc", "1..", "-o", "out.pgn"],
            "out.pgn",
        ),
        (
            &[
                "merge",
                "-q",
                "in/games.pgc",
                "in/games.pgc",
                "-o",
                "out.pgc",
            ],
            "out.pgc",
        ),
        (
            &["index", "-q", "in/games.pgc", "-o", "out.pgci"],
            "out.pgci",
        ),
    ] {
        let ran = limited(&dir, 8, args).exits(2);
        assert_eq!(
            ran.stderr,
            format!("pgc: {blamed}: File too large (os error 27)\n"),
            "{args:?}"
        );
        let names = dir.names();
        assert!(
            names
                .iter()
                .all(|name| ["in", "out"].contains(&name.as_str())),
            "{args:?}: {names:?}"
        );
    }
    // The archive that is added to is the output too.
    let ran = limited(&dir, 8, &["add", "-q", "in/games.pgc", "in/games.pgn"]).exits(2);
    assert_eq!(
        ran.stderr,
        "pgc: in/games.pgc: File too large (os error 27)\n"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_folder_for_temporary_files_is_blamed_by_its_name() {
    let dir = Dir::new();
    dir.put("games.pgn", games(20_000));
    dir.put("temp/x", "");
    dir.pack("games.pgn");
    for args in [
        &[
            "test",
            "-q",
            "games.pgc",
            "--memory",
            "64K",
            "--temp-dir",
            "temp",
        ][..],
        &[
            "index",
            "-q",
            "games.pgc",
            "--memory",
            "64K",
            "--temp-dir",
            "temp",
        ],
        &[
            "find",
            "-q",
            "games.pgc",
            "--sort",
            "round",
            "-o",
            "out.pgn",
            "--memory",
            "64K",
            "--temp-dir",
            "temp",
        ],
        &[
            "split",
            "-q",
            "games.pgc",
            "--by",
            "games=20000",
            "-o",
            ".",
            "--memory",
            "64K",
            "--temp-dir",
            "temp",
        ],
    ] {
        let ran = limited(&dir, 8, args).exits(2);
        // What `split` writes may be too large before its temporary files are.
        let files = ["temp: a temporary file", "./games-1.pgc"];
        let is_said =
            |name: &str| ran.stderr == format!("pgc: {name}: File too large (os error 27)\n");
        assert!(files.into_iter().any(is_said), "{args:?}: {}", ran.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_named() {
    let dir = Dir::new();
    dir.put("games.pgn", games(10));
    dir.pack("games.pgn");
    for args in [
        &["get", "games.pgc", "1"][..],
        &["get", "games.pgc", "1..", "--format", "json"],
        &["find", "games.pgc"],
        &["find", "games.pgc", "--count"],
        &["find", "games.pgc", "--format", "csv"],
        &["names", "games.pgc"],
        &["info", "--sources", "games.pgc"],
        &["info", "--sources", "--json", "games.pgc"],
        &["info", "games.pgc"],
        &["test", "games.pgc"],
        &["records", "games.pgc"],
        &["unpack", "-c", "games.pgc"],
        &["pack", "-c", "games.pgn"],
        &["completions", "bash"],
        &["man"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::new(args, dir.command(args).stdout(full).output().unwrap()).exits(2);
        let text = "pgc: standard output: No space left on device (os error 28)";
        assert!(
            ran.stderr.lines().any(|line| line == text),
            "{args:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn what_is_quiet_says_nothing_of_success() {
    let dir = Dir::new();
    dir.put("games.pgn", games(3));
    dir.pack("games.pgn");
    for args in [
        &["test", "-q", "games.pgc"][..],
        &["test", "--quick", "-q", "games.pgc"],
        &["index", "--verify", "-q", "games.pgc"],
    ] {
        let ran = dir.run(args).exits(0);
        assert_eq!(
            (ran.output.stdout.len(), ran.stderr.as_str()),
            (0, ""),
            "{args:?}"
        );
    }
    let mut archive = dir.read("games.pgc");
    let last = archive.len() - 1;
    archive[last] ^= 1;
    dir.put("games.pgc", archive);
    dir.run(&["test", "-q", "games.pgc"])
        .exits(3)
        .says("games.pgc: byte");
}

#[test]
fn games_added_to_a_damaged_archive_have_an_index_by_request() {
    let dir = Dir::new();
    dir.put("games.pgn", games(2000));
    dir.run(&["pack", "-q", "--no-index", "games.pgn"]).exits(0);
    let mut archive = dir.read("games.pgc");
    let middle = archive.len() / 2;
    archive[middle] ^= 1;
    dir.put("games.pgc", archive);
    // What the message advises works.
    dir.run(&["add", "-q", "games.pgc", "games.pgn"])
        .exits(3)
        .says("but it is damaged, and its index is not whole (make it with `pgc index --partial games.pgc`)");
    dir.run(&["index", "-q", "--partial", "games.pgc"]).exits(3);
    let ran = dir.run(&["find", "-q", "--count", "games.pgc"]).exits(0);
    assert!((2000..4000).contains(&ran.stdout().trim().parse::<u32>().unwrap()));
    // A file to compare with that is not there is named, and nothing else.
    let ran = dir
        .run(&["test", "-q", "s.pgc", "--against", "none.pgn"])
        .exits(2);
    assert!(ran.stderr.starts_with("pgc: s.pgc: "), "{}", ran.stderr);
    dir.run(&["pack", "-q", "games.pgn", "-o", "s.pgc"])
        .exits(0);
    let ran = dir
        .run(&["test", "-q", "s.pgc", "--against", "none.pgn"])
        .exits(2);
    assert!(ran.stderr.starts_with("pgc: none.pgn: "), "{}", ran.stderr);
}

#[test]
fn a_damaged_archive_is_named_and_not_the_output() {
    let dir = Dir::new();
    // Games that are equal in all but their movetexts, so that these are compared.
    let game = |game: usize| {
        format!(
            "[White \"A\"]\n\n1. e4 {{{game} {}}} *\n\n",
            "x".repeat(997)
        )
    };
    dir.put("s.pgn", "[White \"A\"]\n\n1. d4 *\n".repeat(3));
    dir.put("d.pgn", (0..900).map(game).collect::<String>());
    for name in ["s.pgn", "d.pgn"] {
        dir.run(&["pack", "-q", name]).exits(0);
    }
    let mut archive = dir.read("d.pgc");
    let middle = archive.len() / 2;
    archive[middle] ^= 1;
    dir.put("d.pgc", archive);
    for args in [
        &["find", "d.pgc", "-o", "f.pgn"][..],
        &["find", "d.pgc", "-o", "f.pgc"],
        &["find", "d.pgc", "--sort", "white", "-o", "f.pgc"],
        &[
            "find",
            "s.pgc",
            "d.pgc",
            "--sort",
            "white",
            "--reverse",
            "-o",
            "f.pgc",
        ],
        &["find", "s.pgc", "d.pgc", "--sort", "site", "-o", "f.pgn"],
        &[
            "find", "s.pgc", "d.pgc", "--sort", "standard", "-o", "f.csv",
        ],
        &["get", "d.pgc", "1.."],
        &["merge", "s.pgc", "d.pgc", "-o", "m.pgc"],
        &["split", "d.pgc", "--by", "games=450", "-o", "split"],
    ] {
        let ran = dir.run(&[args, &["-q"]].concat()).exits(3);
        assert!(
            ran.stderr.starts_with("pgc: d.pgc: byte "),
            "{args:?}: {}",
            ran.stderr
        );
        assert_eq!(
            ran.stderr.matches(".pgc: ").count(),
            1,
            "{args:?}: {}",
            ran.stderr
        );
        let names = dir.names();
        assert!(
            !names
                .iter()
                .any(|name| name.starts_with("f.") || name.starts_with("m.")),
            "{args:?}: {names:?}"
        );
    }
}

#[test]
fn findings_name_the_file_as_the_user_did() {
    let dir = Dir::new();
    dir.put("2024/may/games.pgn", "1. e4 Ke5 *\n");
    let ran = dir
        .run(&[
            "pack",
            "2024/may/games.pgn",
            "-o",
            "x.pgc",
            "--report",
            "report",
        ])
        .exits(0);
    assert!(
        ran.stderr
            .lines()
            .any(|line| line.starts_with("2024/may/games.pgn:1:")),
        "{}",
        ran.stderr
    );
    assert!(
        String::from_utf8(dir.read("report"))
            .unwrap()
            .contains("\"source\":\"2024/may/games.pgn\"")
    );
    // The archive keeps no more than the name of the file.
    let list = dir.run(&["info", "--sources", "--json", "x.pgc"]).exits(0);
    assert!(
        String::from_utf8(list.output.stdout)
            .unwrap()
            .contains("\"name\":\"games.pgn\"")
    );
}

/// Waits until a condition holds, at most a minute.
#[cfg(target_os = "linux")]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(1));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_mapped_file_that_is_cut_short_is_named() {
    for cut in ["games.pgci", "games.pgc"] {
        let dir = Dir::new();
        dir.put("games.pgn", games(20_000));
        dir.pack("games.pgn");
        let mut child = dir
            .command(&["get", "-", "-o", "out.pgn"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "games.pgc:1").unwrap();
        let maps = format!("/proc/{}/maps", child.id());
        wait_until("the index is mapped", || {
            fs::read_to_string(&maps).unwrap().contains("games.pgci")
        });
        // Perhaps the first game is still looked for: the outcome is the same.
        File::options()
            .write(true)
            .open(dir.path().join(cut))
            .unwrap()
            .set_len(0)
            .unwrap();
        // The pipe is closed if the program met the fault at the first game already.
        let _ = writeln!(stdin, "games.pgc:19999");
        drop(stdin);
        let ran = Ran::new(&["get", "-"], child.wait_with_output().unwrap()).exits(2);
        assert!(
            ran.stderr.starts_with(&format!("pgc: {cut}: ")),
            "{}",
            ran.stderr
        );
        assert!(
            !dir.names().iter().any(|name| name.ends_with(".tmp")),
            "{:?}",
            dir.names()
        );
    }
}

/// Cuts a file of a running program to half its length, once the program has opened it. It must not
/// be mapped.
#[cfg(target_os = "linux")]
fn cut_while_read(dir: &Dir, child: &mut Child, cut: &str) {
    let path = dir.path().join(cut).canonicalize().unwrap();
    let (maps, fds) = (
        format!("/proc/{}/maps", child.id()),
        format!("/proc/{}/fd", child.id()),
    );
    wait_until("the file is read", || {
        let maps = fs::read_to_string(&maps).unwrap_or_default();
        assert!(
            !maps
                .lines()
                .any(|line| line.ends_with(path.to_str().unwrap()))
        );
        let is_open = |fd: &fs::DirEntry| fs::read_link(fd.path()).is_ok_and(|of| of == path);
        let has_ended = child.try_wait().unwrap().is_some();
        has_ended || fs::read_dir(&fds).is_ok_and(|fds| fds.flatten().any(|fd| is_open(&fd)))
    });
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn an_archive_that_is_cut_short_while_a_command_reads_it_is_named() {
    let dir = Dir::new();
    dir.put("games.pgn", games(40_000));
    dir.pack("games.pgn");
    let archive = dir.read("games.pgc");
    for args in [
        &["merge", "-q", "-f", "games.pgc", "-o", "out.pgc"][..],
        &[
            "split",
            "-q",
            "-f",
            "games.pgc",
            "--by",
            "games=20000",
            "-o",
            ".",
        ],
        &["test", "-q", "games.pgc"],
        &["test", "-q", "--quick", "games.pgc"],
    ] {
        // Where the program was faster, it is tried again: on a busy machine that may take long.
        let begun = Instant::now();
        let ended = std::iter::repeat_with(|| {
            dir.put("games.pgc", &archive);
            let mut command = dir.command(args);
            let mut child = command
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            cut_while_read(&dir, &mut child, "games.pgc");
            let ran = Ran::new(args, child.wait_with_output().unwrap());
            (ran.output.status.code() != Some(0)).then_some(ran)
        })
        .take_while(|ran| ran.is_some() || begun.elapsed() < Duration::from_secs(60))
        .find_map(|ran| ran);
        let Some(ran) = ended else {
            eprintln!("skipped: {args:?} was always faster than the test");
            continue;
        };
        assert!(
            matches!(ran.output.status.code(), Some(2 | 3)),
            "{args:?}: {:?} {}",
            ran.output.status,
            ran.stderr
        );
        assert!(
            // If the archive is cut before it is compared with its index, the message says that the
            // index is not of it.
            ran.stderr.contains("games.pgc"),
            "{args:?}: {}",
            ran.stderr
        );
    }
}

/// The library has no handler for signals: what is read must end in an error.
#[test]
fn an_archive_that_is_read_and_cut_short_is_an_error_of_the_library() {
    let dir = Dir::new();
    dir.put("games.pgn", games(20_000));
    dir.pack("games.pgn");
    let (archive, path) = (dir.read("games.pgc"), dir.path().join("games.pgc"));
    let options = TextOptions::default();
    let index = map_index(&index_path(&path)).unwrap();
    let texts_of = |archive: &Archive| {
        let all = (0..20_000).map(|game| (0, game));
        texts(&[archive], all, &options, &mut |_, _| Ok(()))
    };
    type Way<'a> = &'a dyn Fn(&Archive) -> Result<(), Error>;
    let ways: [Way<'_>; 6] = [
        &|archive| archive.games().try_for_each(|game| game.map(drop)),
        &|archive| archive.game(19_999).map(drop),
        &|archive| SplitPlan::new(archive, SplitBy::Event, false, "x", 2).map(drop),
        &|archive| KnownGames::new(archive, SkipRule::Known, dir.path(), 2).map(drop),
        &|archive| archive.admits(&index).map(drop),
        &texts_of,
    ];
    for no_index in [false, true] {
        for (number, way) in ways.iter().enumerate() {
            dir.put("games.pgc", &archive);
            let options = OpenOptions {
                no_index,
                read: true,
                ..OpenOptions::default()
            };
            let opened = Archive::open_with(&path, options).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(archive.len() as u64 / 2).unwrap();
            let error = way(&opened).unwrap_err().to_string();
            let wanted = format!("{}: was cut short while it was read", path.display());
            assert_eq!(error, wanted, "{number} {no_index}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_archive_that_is_cut_short_while_known_games_are_looked_for_is_named() {
    let dir = Dir::new();
    dir.put("games.pgn", games(20_000));
    dir.pack("games.pgn");
    dir.run(&["index", "-q", "games.pgc"]).exits(0);
    let args = ["add", "-q", "--skip-known", "games.pgc", "-"];
    let mut command = dir.command(&args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program waits for games.
    cut_while_read(&dir, &mut child, "games.pgc");
    let _ = stdin.write_all(&dir.read("games.pgn"));
    drop(stdin);
    let ran = Ran::new(&args, child.wait_with_output().unwrap());
    assert!(
        matches!(ran.output.status.code(), Some(2 | 3)),
        "{:?} {}",
        ran.output.status,
        ran.stderr
    );
    assert!(ran.stderr.contains("games.pgc: "), "{}", ran.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_gets_more_than_64_threads() {
    let dir = Dir::new();
    let mut child = dir
        .command(&["pack", "-q", "-j", "9999", "-", "-o", "out.pgc"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(games(40_000).as_bytes()).unwrap();
    let status = format!("/proc/{}/status", child.id());
    let threads = || {
        let status = fs::read_to_string(&status).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"))
            .unwrap();
        line.trim().parse::<usize>().unwrap()
    };
    wait_until("threads are started", || threads() >= 60);
    sleep(Duration::from_millis(200));
    // The one that watches for signals, and a few that wait for the medium, come on top.
    assert!(threads() < 70, "{}", threads());
    // It is still to be stopped.
    assert!(
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(dir.names(), [""; 0]);
}

/// `get -` waits for numbers, and nothing that it waits for asks whether to go on.
/// Whenever the signal comes, an addition is made with its index, or not at all.
#[test]
#[cfg(target_os = "linux")]
fn an_addition_and_its_index_are_not_parted() {
    let dir = Dir::new();
    dir.put("games.pgn", games(40));
    dir.pack("games.pgn");
    let (archive, index) = (dir.read("games.pgc"), dir.read("games.pgci"));
    for _ in 0..12 {
        dir.put("games.pgc", &archive);
        dir.put("games.pgci", &index);
        let mut child = dir
            .command(&["add", "-q", "games.pgc", "games.pgn"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while dir.read("games.pgc").len() == archive.len() && child.try_wait().unwrap().is_none() {}
        // It may have ended.
        let _ = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        let ran = Ran::new(&["add"], child.wait_with_output().unwrap());
        match ran.output.status.code() {
            Some(0) => assert!(dir.read("games.pgc").len() > archive.len()),
            _ => {
                ran.exits(130);
                assert!(dir.read("games.pgc") == archive);
            }
        }
        dir.run(&["test", "-q", "games.pgc"]).exits(0);
        dir.run(&["index", "-q", "--verify", "games.pgc"]).exits(0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_cannot_stop_by_itself_is_stopped() {
    let dir = Dir::new();
    dir.put("games.pgn", games(10));
    dir.pack("games.pgn");
    let mut child = dir
        .command(&["get", "-", "-o", "out.pgn"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    wait_until("the output is begun", || dir.names().len() > 3);
    assert!(
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let ran = Ran::new(&["get", "-"], child.wait_with_output().unwrap()).exits(130);
    drop(stdin);
    assert_eq!(ran.stderr, "pgc: interrupted\n");
    assert_eq!(dir.names(), ["games.pgc", "games.pgci", "games.pgn"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_thread_that_cannot_be_started_is_an_error() {
    let dir = Dir::new();
    dir.put("games.pgn", games(10_000));
    dir.pack("games.pgn");
    for args in [
        &["pack", "-j", "64", "games.pgn", "-o", "out.pgc"][..],
        &["unpack", "-j", "64", "games.pgc", "-o", "out"],
    ] {
        // The stacks of a few threads take all the memory that is allowed, but for a rest that is
        // enough for small allocations.
        let mut command = Command::new("sh");
        let script = "export RUST_MIN_STACK=67108864 MALLOC_ARENA_MAX=1; ulimit -v 300000; exec \"$0\" \"$@\"";
        command
            .args([
                "-c",
                script,
                assert_cmd::cargo::cargo_bin!("pgc").to_str().unwrap(),
            ])
            .args(args);
        let ran = Ran::new(
            args,
            command
                .current_dir(dir.path())
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        );
        ran.exits(2)
            .says("a thread could not be started")
            .says("(-j)");
        assert_eq!(dir.names(), ["games.pgc", "games.pgci", "games.pgn"]);
    }
}

/// The global pool of `rayon` has a thread for each processor, whatever `-j` says. That it can be
/// made now shows that nobody did before.
#[test]
fn the_global_pool_of_threads_is_never_made() {
    let dir = Dir::new();
    dir.put("games.pgn", games(70_000));
    dir.pack("games.pgn");
    let archive = Archive::open(dir.path().join("games.pgc")).unwrap();
    let query = Query {
        all: vec![Clause::any(vec![Test::Plies(1..=1)])],
        ..Query::default()
    };
    for threads in [0, 1, 2] {
        assert_eq!(
            archive.find(&query, threads).unwrap().found.games.len(),
            70_000
        );
        archive.index().unwrap().verify(threads).unwrap();
    }
    assert!(
        rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build_global()
            .is_ok()
    );
}
