//! The program: names of outputs, refusals, exit codes, pipes. What it makes of chess is tested
//! elsewhere.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::io::{gzip, zip, zstd};
pub(crate) use crate::support::program::{Dir, Ran};

const GAMES: &str = "[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[Event \"Two\"]\n\n1. d4 d5 1/2-1/2\n";
const OTHER: &str = "1. c4 *\n";

/// What the tests do in their own process is what the program does.
#[test]
fn the_library_does_what_the_program_does() {
    let dir = Dir::new();
    dir.put("a.pgn", crate::cli::failures::games(300));
    dir.put("b.epd", "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"x\";\n");
    for ending in ["pgc", "pgcz"] {
        let (one, other) = (format!("one.{ending}"), format!("other.{ending}"));
        dir.run(&["pack", "-q", "a.pgn", "b.epd", "-o", &one])
            .exits(0);
        dir.pack_into(&["a.pgn", "b.epd"], &other);
        assert!(dir.read(&one) == dir.read(&other), "{ending}");
        let index = dir.read(&format!("{one}i"));
        assert!(index == dir.read(&format!("{other}i")), "{ending}");
        dir.run(&["index", "-q", &one]).exits(0);
        assert!(
            dir.read(&format!("{one}i")) == dir.index_of(&one),
            "{ending}"
        );
        let text = dir.run(&["unpack", "-q", "-c", &one]).exits(0);
        assert!(text.output.stdout == dir.unpacked(&one), "{ending}");
        let asked = ["-w", "1*", "--plies", "1"];
        let find = ["find", "-q", &one, "--columns", "number", "--format", "csv"];
        let printed = dir.run(&[&find[..], &asked].concat()).stdout();
        let numbers = dir.found(&one, &asked).into_iter();
        let lines: String = numbers.map(|number| format!("{number}\n")).collect();
        assert_eq!(printed, format!("number\n{lines}"));
    }
}

#[test]
fn usage_errors() {
    let dir = Dir::new();
    dir.run(&[]).exits(2).says("Usage: pgc");
    dir.run(&["bogus"])
        .exits(2)
        .says("unrecognized subcommand 'bogus'");
    dir.run(&["pack"]).exits(2).says("<INPUT>");
    dir.run(&["pack", "x.pgn", "--drop", "all"])
        .exits(2)
        .says("--standard");
    dir.run(&["pack", "x.pgn", "--standard", "--drop", "bogus"])
        .exits(2)
        .says("text-tail");
    dir.run(&["pack", "x.pgn", "-c", "-o", "y"])
        .exits(2)
        .says("cannot be used with");
    dir.run(&["pack", "x.pgn", "-c", "--json"])
        .exits(2)
        .says("cannot be used with");
    dir.run(&["pack", "x.pgn", "-j", "many"])
        .exits(2)
        .says("invalid value 'many' for '--jobs <N>'");
    dir.run(&["pack", "x.pgn", "--null"])
        .exits(2)
        .says("--files-from");
    dir.run(&["unpack", "x.pgc", "--dialect", "bogus"])
        .exits(2)
        .says("pgn2pgc");
    dir.run(&["test", "x.pgc", "--quick", "--sha256"])
        .exits(2)
        .says("cannot be used with");
    dir.run(&["completions", "bogus"])
        .exits(2)
        .says("invalid value 'bogus'");
    // For an unknown option no other is suggested: clap would suggest `--force` for `--source`.
    let ran = dir
        .run(&["names", "x.pgc", "--source"])
        .exits(2)
        .says("unexpected argument '--source'");
    assert!(!ran.stderr.contains("similar"), "{}", ran.stderr);
    dir.run(&["find", "x.pgc", "--elo", "x"])
        .exits(2)
        .says("write N, N..");
    assert!(dir.names().is_empty());
}

/// What a command does not have is named with what to use instead.
#[test]
fn tips_say_what_to_use() {
    let dir = Dir::new();
    for (args, tip) in [
        (&["find", "x", "--csv"][..], "tip: use --format csv"),
        (&["get", "x", "1", "--sgf"], "tip: use --format sgf"),
        (
            &["find", "x", "--playr", "y"],
            "tip: a similar argument exists: '--player'",
        ),
        (
            &["find", "tal"],
            "tal: is no archive, and questions have options, as -p NAME: No such file",
        ),
        (&["tree", "1.e4"], "1.e4: is no archive, and questions"),
        (&["find", "x.pgc", "--count"], "x.pgc: No such file"),
    ] {
        let ran = dir.run(args).exits(2).says(tip);
        let none = ran.output.stdout.is_empty() && !ran.stderr.contains("no game matches");
        assert!(none, "{args:?}: {}", ran.stderr);
    }
    // No tip is better than a wrong one.
    let ran = dir.run(&["try", "x", "--json"]).exits(2);
    assert!(!ran.stderr.contains("tip:"), "{}", ran.stderr);
}

#[test]
fn help_version_completions_man() {
    let dir = Dir::new();
    assert!(
        dir.run(&["--help"])
            .exits(0)
            .stdout()
            .contains("Exit codes")
    );
    #[cfg(target_arch = "x86_64")]
    let has_vectors = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has_vectors = false;
    let vectors = ["none (AVX2 is faster)", "AVX2"][usize::from(has_vectors)];
    assert_eq!(
        dir.run(&["--version"]).exits(0).stdout(),
        format!("pgc {}\nvectors: {vectors}\n", env!("CARGO_PKG_VERSION"))
    );
    for command in [
        "pack",
        "unpack",
        "test",
        "info",
        "records",
        "completions",
        "man",
    ] {
        assert!(
            dir.run(&[command, "--help"])
                .exits(0)
                .stdout()
                .contains("Example"),
            "{command}"
        );
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(
            dir.run(&["completions", shell])
                .exits(0)
                .stdout()
                .contains("unpack"),
            "{shell}"
        );
    }
    assert!(dir.run(&["man"]).exits(0).stdout().contains(".TH pgc 1"));
    // The options of a command are on its own page, and the first one says so.
    assert!(
        dir.run(&["man"])
            .exits(0)
            .stdout()
            .contains("pgc man COMMAND")
    );
    let page = dir.run(&["man", "pack"]).exits(0).stdout();
    assert!(
        page.contains("recursive") && page.contains("pgc\\-pack"),
        "{page}"
    );
    dir.run(&["man", "none"])
        .exits(2)
        .says("none: no such command");
    dir.run(&["man", "--out-dir", "man"]).exits(0);
    assert!(dir.read("man/pgc-pack.1").starts_with(b"."));
    // The manual page lists what the help says once.
    let page = String::from_utf8(dir.read("man/pgc-find.1")).unwrap();
    let help = dir.run(&["find", "--help"]).exits(0).stdout();
    for question in ["date", "event", "elo-difference", "result-mismatch"] {
        let option = format!("not-{question}");
        assert!(page.contains(&option.replace('-', "\\-")), "{option}");
    }
    assert!(
        !help
            .lines()
            .any(|line| line.trim_start().starts_with("--not-"))
    );
}

/// The help of a command shows a dozen questions, that of the questions all, without opposites.
#[test]
fn the_help_of_questions_is_in_one_place() {
    let dir = Dir::new();
    let all = dir.run(&["help", "questions"]).exits(0).stdout();
    let shown = |help: &str, name: &str| {
        let named = |line: &str| {
            line.split([' ', ','])
                .any(|word| word == format!("--{name}"))
        };
        help.lines().any(|line| {
            line.starts_with("      --") && named(line) || line.starts_with("  -") && named(line)
        })
    };
    for option in &pgc_index::OPTIONS {
        assert!(shown(&all, option.name), "{}", option.name);
        assert!(!shown(&all, option.opposite), "{}", option.opposite);
    }
    for command in ["find", "tree", "stats", "table", "dups", "edit"] {
        let help = dir.run(&[command, "--help"]).exits(0).stdout();
        let count = pgc_index::OPTIONS
            .iter()
            .filter(|option| shown(&help, option.name))
            .count();
        assert_eq!(count, 12, "{command}");
        assert!(help.contains("pgc help questions"), "{command}");
    }
    let same = dir.run(&["questions"]).exits(0).stdout();
    assert!(same.contains("--imbalance"), "{same}");
}

#[test]
fn quiet_runs_print_nothing() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    for args in [
        &["pack", "-q", "a.pgn"][..],
        &["test", "-q", "a.pgc"],
        &["test", "-q", "--quick", "a.pgc"],
        &["try", "-q", "a.pgn"],
    ] {
        let ran = dir.run(args).exits(0);
        assert!(
            ran.output.stdout.is_empty() && ran.output.stderr.is_empty(),
            "{args:?}"
        );
    }
}

#[test]
fn hidden_files_of_a_zip_are_counted() {
    let dir = Dir::new();
    let files: [(&str, &[u8]); 4] = [
        ("a.pgn", GAMES.as_bytes()),
        ("x/.b.pgn", b"*"),
        (".c.pgn", b"*"),
        ("__MACOSX/._a.pgn", b"*"),
    ];
    dir.put("a.zip", zip(&files));
    dir.run(&["pack", "a.zip"])
        .exits(0)
        .says("pgc: a.zip: 2 hidden files were left out");
    dir.run(&["try", "a.zip"])
        .exits(0)
        .says("pgc: a.zip: 2 hidden files were left out");
}

#[test]
fn missing_files() {
    let dir = Dir::new();
    for command in ["pack", "unpack", "test", "info", "records"] {
        let ran = dir.run(&[command, "none"]).exits(2).says("pgc: none: ");
        assert!(ran.output.stdout.is_empty());
    }
    dir.run(&["test", "none", "none2"])
        .exits(2)
        .says("pgc: none: ")
        .says("pgc: none2: ");
    dir.run(&["pack", "--files-from", "none"])
        .exits(2)
        .says("pgc: none: ");
    dir.put("list", "a.pgn\n");
    dir.run(&["pack", "--files-from", "list"])
        .exits(2)
        .says("pgc: list: line 1: a.pgn: ");
    dir.put("a.pgn", OTHER);
    dir.run(&["pack", "a.pgn", "-o", "none/out.pgc"])
        .exits(2)
        .says("none/out.pgc");
    dir.run(&["pack", "a.pgn", "b.pgn", "-o", "out.pgc"])
        .exits(2)
        .says("b.pgn");
    assert_eq!(dir.names(), ["a.pgn", "list"]);
}

#[test]
fn inputs_that_need_more_said() {
    let dir = Dir::new();
    dir.put("d/a.pgn", GAMES);
    dir.put("a.pgn", GAMES);
    dir.put(
        "two.zip",
        zip(&[("a.pgn", GAMES.as_bytes()), ("b.pgn", OTHER.as_bytes())]),
    );
    dir.run(&["pack", "d"])
        .exits(2)
        .says("d: is a folder (use -r to take the PGN and EPD files in it)");
    dir.run(&["pack", "-r", "d"]).exits(2).says("-o");
    dir.run(&["pack", "a.pgn", "d/a.pgn"]).exits(2).says("-o");
    dir.run(&["pack", "two.zip"])
        .exits(2)
        .says("several inputs: name the archive with -o");
    dir.run(&["pack", "-", "-", "-o", "x"])
        .exits(2)
        .says("only once");
    dir.run(&["pack", "a.pgn", "-o", "d"])
        .exits(2)
        .says("is a folder");
    dir.run(&["unpack", "a.pgc", "b.pgc", "-o", "x"])
        .exits(2)
        .says("DIR/");
    dir.run(&["unpack", "-"]).exits(2).says("-c");
    dir.run(&["test", "-", "--against", "a.pgn"])
        .exits(2)
        .says("the archive is read twice");
    fs::create_dir(dir.path().join("empty")).unwrap();
    dir.run(&["pack", "-r", "empty", "-o", "x.pgc"])
        .exits(1)
        .says("no PGN or EPD files found");
    assert_eq!(dir.names(), ["a.pgn", "d", "empty", "two.zip"]);
}

#[test]
fn files_that_exist_stay() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    dir.put("a.pgc", "precious");
    dir.run(&["pack", "a.pgn"])
        .exits(2)
        .says("a.pgc: already exists (replace it with -f");
    dir.put("a.txt", GAMES);
    dir.run(&["pack", "a.txt", "-o", "a.txt", "-f"])
        .exits(2)
        .says("inputs are never replaced");
    dir.run(&["pack", "a.txt", "-o", "./a.txt", "-f"])
        .exits(2)
        .says("inputs are never replaced");
    dir.run(&["unpack", "a.pgc"])
        .exits(2)
        .says("a.pgn: already exists");
    dir.run(&["unpack", "a.pgc", "-o", "a.pgc", "-f"])
        .exits(2)
        .says("never replaced");
    dir.run(&["pack", "a.pgn", "-o", "b.pgc", "--report", "a.pgn", "-f"])
        .exits(2)
        .says("never replaced");
    assert_eq!(
        (dir.read("a.pgn"), dir.read("a.pgc")),
        (GAMES.into(), "precious".into())
    );
    assert_eq!(dir.names(), ["a.pgc", "a.pgn", "a.txt"]);
}

#[test]
fn there_and_back() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    let ran = dir
        .run(&["pack", "a.pgn"])
        .exits(0)
        .says("a.pgc: 2 games (all understood)");
    assert!(ran.output.stdout.is_empty());
    dir.run(&["unpack", "a.pgc", "-o", "b.pgn"]).exits(0);
    assert_eq!(dir.read("b.pgn"), GAMES.as_bytes());
    assert_eq!(dir.run(&["unpack", "-c", "a.pgc"]).exits(0).stdout(), GAMES);
    assert_eq!(
        dir.run(&["unpack", "-q", "-o", "-", "a.pgc"])
            .exits(0)
            .stderr,
        ""
    );
    dir.run(&["unpack", "a.pgc", "-f"]).exits(0);
    assert_eq!(dir.read("a.pgn"), GAMES.as_bytes());
    assert_eq!(dir.names(), ["a.pgc", "a.pgci", "a.pgn", "b.pgn"]);
    let quiet = dir.run(&["pack", "-qf", "a.pgn"]).exits(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn pipes() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    let to_stdout = dir.run(&["pack", "-c", "a.pgn"]).exits(0).output.stdout;
    dir.run(&["pack", "a.pgn"]).exits(0);
    assert!(to_stdout == dir.read("a.pgc"));
    let piped = dir
        .feed(&["pack", "-"], GAMES.as_bytes())
        .exits(0)
        .output
        .stdout;
    let back = dir.feed(&["unpack", "-c", "-"], &piped).exits(0);
    assert_eq!(back.stdout(), GAMES);
    dir.feed(&["pack", "-", "-o", "b.pgc"], &gzip(GAMES.as_bytes()))
        .exits(0);
    assert!(dir.read("b.pgc") == piped, "decoded, and of the same name");
    dir.feed(&["unpack", "-", "-o", "b.pgn"], &piped).exits(0);
    assert_eq!(dir.read("b.pgn"), GAMES.as_bytes());
    assert!(
        dir.feed(&["test", "-"], &piped)
            .exits(0)
            .stdout()
            .contains("ok")
    );
}

#[test]
fn compressed_inputs_and_archives() {
    let dir = Dir::new();
    dir.put("a.pgn.zst", zstd(GAMES.as_bytes()));
    dir.put("b.pgn.gz", gzip(GAMES.as_bytes()));
    dir.put("one.zip", zip(&[("c/c.pgn", GAMES.as_bytes())]));
    for (input, output) in [("a.pgn.zst", "a"), ("b.pgn.gz", "b"), ("one.zip", "one")] {
        dir.run(&["pack", input]).exits(0);
        dir.run(&["unpack", &format!("{output}.pgc")]).exits(0);
        assert_eq!(dir.read(&format!("{output}.pgn")), GAMES.as_bytes());
        assert!(dir.path().join(input).exists());
    }
    let list = dir
        .run(&["info", "--sources", "--json", "one.pgc"])
        .exits(0)
        .json();
    assert_eq!(list["sources"][0]["name"], "c/c.pgn");
    dir.put("a.pgc.gz", gzip(&dir.read("a.pgc")));
    assert_eq!(
        dir.run(&["unpack", "-c", "a.pgc.gz"]).exits(0).stdout(),
        GAMES
    );
}

#[test]
fn several_sources() {
    let dir = Dir::new();
    dir.put("d/a.pgn", GAMES);
    dir.put("d/e/a.pgn.gz", gzip(OTHER.as_bytes()));
    dir.put("d/f.txt", "no");
    dir.put(
        "two.zip",
        zip(&[("x.pgn", b"1. e4 *\n"), ("y.pgn", b"1. d4 *\n")]),
    );
    dir.put("list", "two.zip\n");
    dir.run(&["pack", "-r", "d", "--files-from", "list", "-o", "all.pgc"])
        .exits(0)
        .says("4 sources");
    dir.run(&["unpack", "all.pgc"]).exits(2).says("DIR/");
    dir.run(&["unpack", "all.pgc", "-o", "x.pgn"])
        .exits(2)
        .says("DIR/");
    assert_eq!(dir.names(), ["all.pgc", "all.pgci", "d", "list", "two.zip"]);
    let joined = format!("{GAMES}{OTHER}1. e4 *\n1. d4 *\n");
    assert_eq!(
        dir.run(&["unpack", "-c", "all.pgc"]).exits(0).stdout(),
        joined
    );
    dir.run(&["unpack", "all.pgc", "-o", "out/"]).exits(0);
    assert_eq!(dir.read("out/a.pgn"), GAMES.as_bytes());
    assert_eq!(dir.read("out/e/a.pgn"), OTHER.as_bytes());
    assert_eq!(dir.read("out/y.pgn"), b"1. d4 *\n");
    dir.run(&["unpack", "all.pgc", "-o", "out"])
        .exits(2)
        .says("already exists");
    let list = dir.run(&["info", "--sources", "all.pgc"]).exits(0).stdout();
    assert_eq!(list.lines().count(), 5, "{list}");
    let digest = blake3::hash(GAMES.as_bytes()).to_hex();
    assert!(list.contains(digest.as_str()), "{list}");
}

/// 11.2 to 11.5: names of files and folders.
#[test]
fn a_tree_of_files() {
    let dir = Dir::new();
    let game = |date: &str, white: &str| {
        format!(
            "[Event \"Open\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"Li, B\"]\n\n1. e4 *\n\n"
        )
    };
    let games = [
        game("1992.05.31", "Ada, L"),
        game("1992.??.??", "Bob"),
        game("1993.01.02", "Cyd"),
        game("1992.05.31", "Dan"),
    ];
    dir.put("x.pgn", games.concat());
    dir.pack("x.pgn");
    let split =
        |args: &[&str]| dir.run(&[&["split", "-q", "x.pgc", "--format", "pgn"], args].concat());
    split(&["--tree", "-o", "days"]).exits(0);
    let text = |name: &str| String::from_utf8(dir.read(name)).unwrap();
    assert_eq!(
        text("days/1992/19920531.pgn"),
        [&*games[0], &games[3]].concat()
    );
    assert_eq!(text("days/1992/19920000.pgn"), games[1]);
    assert_eq!(text("days/1993/19930102.pgn"), games[2]);
    split(&["--tree", "-o", "days"])
        .exits(2)
        .says("1992/19920531.pgn: already exists");
    split(&["--tree", "-o", "days", "-f"]).exits(0);
    split(&["--tree", "--by", "month", "-o", "t"]).exits(0);
    assert_eq!(text("t/1992/199205.pgn"), text("days/1992/19920531.pgn"));
    split(&["--tree", "--by", "year", "-o", "t"]).exits(0);
    assert_eq!(text("t/1993.pgn"), games[2]);
    split(&["--tree", "--by", "player", "-o", "t"]).exits(0);
    assert_eq!(
        (text("t/Players/Ada.pgn"), text("t/Players/Li.pgn")),
        (games[0].clone(), games.concat())
    );
    split(&["--tree", "--by", "event", "-o", "t"]).exits(0);
    assert_eq!(text("t/Events/Open.pgn"), games.concat());
    split(&["--by", "day", "-o", "t"]).exits(0);
    assert_eq!(text("t/19930102.pgn"), games[2]);
    split(&["-o", "t"]).exits(2).says("--by <WHAT>");
    // Archives of a tree have their indexes beside them.
    dir.run(&["split", "-q", "x.pgc", "--tree", "-o", "a"])
        .exits(0);
    dir.run(&["find", "-q", "a/1992/19920531.pgc", "--require-index"])
        .exits(0);
}

/// In export format, games of several sources may go into one file.
#[test]
fn sources_become_one_in_export_format() {
    let dir = Dir::new();
    dir.put("a.pgn", "1. e4 *\n");
    dir.put("b.pgn", "[White \"B\"]\n\n1. d4 {now} (1. c4) 1-0\n");
    dir.pack_into(&["a.pgn", "b.pgn"], "two.pgc");
    dir.pack_into(&["b.pgn"], "b.pgc");
    dir.run(&["unpack", "two.pgc", "-o", "all.pgn"])
        .exits(2)
        .says("has several sources");
    let unpack = ["unpack", "-q", "two.pgc", "b.pgc", "--reduced"];
    dir.run(&[&unpack[..], &["-o", "all.pgn"]].concat())
        .exits(0);
    let streamed = dir.run(&[&unpack[..], &["-c"]].concat()).exits(0);
    let text = String::from_utf8(dir.read("all.pgn")).unwrap();
    assert_eq!(streamed.stdout(), text);
    let movetexts: Vec<&str> = text.lines().filter(|line| line.starts_with('1')).collect();
    assert_eq!(movetexts, ["1. e4 *", "1. d4 1-0", "1. d4 1-0"]);
    dir.run(&[&unpack[..], &["-o", "apart/"]].concat()).exits(1);
    assert!(dir.read("apart/b.pgn") == dir.read("apart/b-2.pgn"));
}

#[test]
fn test_says_what_it_found() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    dir.put("same.pgn.gz", gzip(GAMES.as_bytes()));
    dir.put("other.pgn", GAMES.replace("Nc6", "Nf6"));
    dir.put("longer.pgn", format!("{GAMES}\n"));
    dir.put("shorter.pgn", &GAMES[..GAMES.len() - 1]);
    dir.run(&["pack", "a.pgn"]).exits(0);
    let ran = dir.run(&["test", "a.pgc"]).exits(0);
    assert!(
        ran.stdout().starts_with("a.pgc: ok: 1 source, 2 games"),
        "{}",
        ran.stdout()
    );
    dir.run(&["test", "--quick", "a.pgc"]).exits(0);
    dir.run(&["test", "a.pgc", "--against", "same.pgn.gz"])
        .exits(0);
    let at = GAMES.find("Nc6").unwrap() + 1;
    dir.run(&["test", "a.pgc", "--against", "other.pgn"])
        .exits(3)
        .says(&format!("other.pgn at byte {at} "));
    dir.run(&["test", "a.pgc", "--against", "longer.pgn"])
        .exits(3)
        .says("goes on");
    dir.run(&["test", "a.pgc", "--against", "shorter.pgn"])
        .exits(3)
        .says("more than");
    let json = dir
        .run(&["test", "--json", "--sha256", "a.pgc"])
        .exits(0)
        .json();
    assert_eq!(
        (&json["ok"], &json["sources"][0]["games"]),
        (&true.into(), &2.into())
    );
    assert_eq!(json["sources"][0]["sha256"].as_str().unwrap().len(), 64);

    let mut broken = dir.read("a.pgc");
    let middle = broken.len() / 2;
    broken[middle] ^= 0x10;
    dir.put("broken.pgc", &broken);
    let ran = dir
        .run(&["test", "broken.pgc", "a.pgc"])
        .exits(3)
        .says("pgc: broken.pgc: byte ");
    assert!(ran.stdout().contains("a.pgc: ok"), "goes on to the next");
    dir.run(&["unpack", "broken.pgc"]).exits(3);
    assert!(!dir.names().contains(&"broken.pgn".to_owned()));
    let json = dir.run(&["test", "--json", "broken.pgc"]).exits(3).json();
    assert_eq!(json["ok"], false);
}

#[test]
fn input_that_ends_early() {
    let dir = Dir::new();
    let bytes = zstd(GAMES.as_bytes());
    // Only the checksum is missing, so every game is there.
    dir.put("a.pgn.zst", &bytes[..bytes.len() - 2]);
    dir.run(&["pack", "a.pgn.zst"])
        .exits(2)
        .says("pgc: a.pgn.zst: ")
        .says("end early")
        .says("2 games");
    dir.run(&["pack", "-c", "a.pgn.zst"])
        .exits(2)
        .says("end early");
    assert_eq!(dir.names(), ["a.pgn.zst"]);
    dir.run(&["pack", "--partial", "a.pgn.zst"])
        .exits(1)
        .says("end early")
        .says("kept");
    assert_eq!(dir.run(&["unpack", "-c", "a.pgc"]).exits(0).stdout(), GAMES);
}

#[test]
fn json_and_report() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    dir.put(
        "b.pgn",
        "[Event \"Broken\"]\n\n1. e4 e5 2. Qxh8 caf\u{e9} *\n",
    );
    let json = dir
        .run(&[
            "pack", "a.pgn", "b.pgn", "-o", "x.pgc", "--report", "r.jsonl", "--json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        (
            &json["games"],
            &json["understood"],
            &json["partly_understood"]
        ),
        (&3.into(), &2.into(), &1.into())
    );
    assert_eq!(json["bytes_out"], dir.read("x.pgc").len());
    assert_eq!(json["complete"], true);
    let report = String::from_utf8(dir.read("r.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = report
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (last, findings) = lines.split_last().unwrap();
    assert_eq!(
        (&last["type"], &last["data"]["games"]),
        (&"summary".into(), &3.into())
    );
    let tail = findings
        .iter()
        .find(|line| line["data"]["kind"] == "text-tail")
        .unwrap();
    assert_eq!(
        (&tail["data"]["source"], &tail["data"]["line"]),
        (&"b.pgn".into(), &3.into())
    );
    let ran = dir.run(&["pack", "b.pgn"]).exits(0).says("b.pgn:3:");
    assert!(ran.stderr.contains("game 1: "), "{}", ran.stderr);
}

#[test]
fn info_adds_up() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES);
    dir.run(&["pack", "a.pgn"]).exits(0);
    let json = dir.run(&["info", "--json", "a.pgc"]).exits(0).json();
    assert_eq!(
        (&json["games"], &json["bytes"]),
        (&2.into(), &GAMES.len().into())
    );
    assert_eq!(json["archive_bytes"], dir.read("a.pgc").len());
    assert!(
        dir.run(&["info", "a.pgc"])
            .exits(0)
            .stdout()
            .contains("moves")
    );
    // An event without a name is none.
    dir.put(
        "b.pgn",
        "[Event \"\"]\n\n1. e4 *\n\n[Event \" \"]\n[Date \"2001.05.03\"]\n\n1. e4 *\n\n\
         [Event \"?\"]\n[Date \"????.??.??\"]\n\n1. e4 *\n\n\
         [Event \"Open\"]\n[Date \"1999.??.??\"]\n\n*\n",
    );
    dir.pack("b.pgn");
    let json = dir.run(&["info", "--json", "b.pgc"]).exits(0).json();
    assert_eq!(
        json["events"],
        serde_json::json!([{ "name": "Open", "games": 1 }])
    );
    assert_eq!(
        json["dates"],
        serde_json::json!({ "first": "1999.??.??", "last": "2001.05.03", "unknown": 2 })
    );
    let info = dir.run(&["info", "b.pgc"]).exits(0).stdout();
    let dates = "  dates    1999.??.?? to 2001.05.03, 2 games of unknown year";
    assert!(info.contains(dates), "{info}");
}

#[test]
fn losses_allowed_and_not() {
    let dir = Dir::new();
    dir.put("a.pgn", "[Event \"One\"]\n\n1. e4 {best by test} e5 *\n");
    dir.run(&["pack", "--standard", "a.pgn"])
        .exits(2)
        .says("pgc: a.pgn: line 3, column 7, game 1: comment: has no record: \"{best by test}\"")
        .says("--drop comment");
    assert_eq!(dir.names(), ["a.pgn"]);
    dir.run(&["pack", "--standard", "--report", "r.jsonl", "a.pgn"])
        .exits(2)
        .says("--drop comment");
    let report = String::from_utf8(dir.read("r.jsonl")).unwrap();
    assert!(
        report.contains("\"kind\":\"loss\"") && report.contains("\"complete\":false"),
        "{report}"
    );
    dir.run(&["pack", "--standard", "--drop", "tag", "-q", "-c", "a.pgn"])
        .exits(2)
        .says("--drop comment");
    let ran = dir
        .run(&["pack", "--standard", "--drop", "comment,tag", "a.pgn"])
        .exits(1)
        .says("dropped: comment 1");
    drop(ran);
    dir.run(&["pack", "--standard", "--drop", "all", "-f", "a.pgn"])
        .exits(1)
        .says("a.pgn:3:7: game 1: comment: ");
    dir.run(&["unpack", "-f", "a.pgc"]).exits(0);
    assert!(dir.read("a.pgn").ends_with(b"\n\n1. e4 e5 *\n\n"));
    dir.run(&["pack", "--standard", "-f", "a.pgn"]).exits(0);
}

#[test]
fn reader_that_leaves_ends_quietly() {
    let dir = Dir::new();
    dir.put("a.pgn", GAMES.repeat(20_000));
    dir.run(&["pack", "a.pgn"]).exits(0);
    let mut child = dir
        .command(&["unpack", "-c", "a.pgc"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[cfg(unix)]
#[test]
fn interrupt_leaves_nothing_behind() {
    let dir = Dir::new();
    let mut command = dir.command(&["pack", "-", "-o", "out.pgc"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Enough to tell what the input is.
    let games = GAMES.repeat((1 << 20) / GAMES.len());
    stdin.write_all(games.as_bytes()).unwrap();
    // The temporary file shows that the handler is there and the work has begun.
    let started = Instant::now();
    while dir.names().is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "no temporary file"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(dir.names().is_empty(), "{:?}", dir.names());
}

#[test]
fn sources_never_replace_the_archive() {
    let dir = Dir::new();
    dir.put("x/a.pgc", GAMES);
    dir.run(&["pack", "x/a.pgc", "-o", "a.pgc"]).exits(0);
    let archive = dir.read("a.pgc");
    dir.run(&["unpack", "a.pgc", "-f", "-o", "."])
        .exits(2)
        .says("inputs are never replaced");
    assert!(dir.read("a.pgc") == archive);
    dir.run(&["pack", "x/a.pgc", "-o", "y", "--report", "./y"])
        .exits(2)
        .says("different files");
}

#[cfg(unix)]
#[test]
fn named_pipes() {
    let dir = Dir::new();
    assert!(
        Command::new("mkfifo")
            .arg(dir.path().join("p.pgn"))
            .status()
            .unwrap()
            .success()
    );
    let fifo = dir.path().join("p.pgn");
    let writer = std::thread::spawn(move || fs::write(fifo, GAMES).unwrap());
    dir.run(&["pack", "p.pgn", "-o", "p.pgc"]).exits(0);
    writer.join().unwrap();
    assert_eq!(dir.run(&["unpack", "-c", "p.pgc"]).exits(0).stdout(), GAMES);
    // A device is written to, not replaced.
    dir.run(&["unpack", "p.pgc", "-o", "/dev/null"]).exits(0);
}

#[test]
fn names_in_messages_are_harmless() {
    let dir = Dir::new();
    let ran = dir
        .run(&["info", "--sources", "x\x1b[2Jy"])
        .exits(2)
        .says("x\\x1b[2Jy");
    assert!(!ran.stderr.contains('\x1b'));
}
