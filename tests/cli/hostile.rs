//! Inputs that mean harm: bombs, links, names, signs that control a terminal.

use std::io::{Cursor, Write as _};
use std::process::Command;

use crate::cli::failures::games;
use crate::cli::io::{gzip, zip, zstd};
use crate::cli::program::{Dir, Ran};

#[test]
fn max_input_bounds_what_an_input_decompresses_to() {
    let dir = Dir::new();
    let bomb = vec![b'x'; 40 << 20];
    dir.put("bomb.pgn.gz", gzip(&bomb));
    dir.put("bomb.pgn.zst", zstd(&bomb));
    // Each file alone is below the limit.
    let part = &bomb[..600 << 10];
    dir.put(
        "bomb.zip",
        zip(&[("a.pgn", part), ("b.pgn", part), ("c.pgn", part)]),
    );
    dir.put("plain.pgn", &bomb[..2 << 20]);
    dir.put("one.pgn", games(1));
    dir.pack_into(&["one.pgn"], "all.pgc");
    for name in ["bomb.pgn.gz", "bomb.pgn.zst", "bomb.zip", "plain.pgn"] {
        for args in [
            &["pack", "-q", "--max-input", "1M", name, "-o", "new.pgc"][..],
            &["add", "-q", "--max-input", "1M", "all.pgc", name],
        ] {
            let ran = dir.run(args).exits(2);
            let what = "gives more than 1048576 bytes, which is all that --max-input allows";
            assert!(ran.stderr.contains(what), "{args:?}: {}", ran.stderr);
            assert!(
                ran.stderr.starts_with(&format!("pgc: {name}: ")),
                "{}",
                ran.stderr
            );
        }
    }
    assert!(!dir.names().contains(&"new.pgc".to_owned()));
    // The limit itself is allowed.
    let length = dir.read("one.pgn").len().to_string();
    dir.run(&[
        "pack",
        "-q",
        "--max-input",
        &length,
        "one.pgn",
        "-o",
        "one.pgc",
    ])
    .exits(0);
    // An archive is small, and its sources are not.
    dir.run(&["pack", "-q", "bomb.pgn.gz", "-o", "bomb.pgcz"])
        .exits(1);
    assert!(dir.read("bomb.pgcz").len() < 1 << 20);
    dir.run(&[
        "pack",
        "-q",
        "--max-input",
        "1M",
        "bomb.pgcz",
        "-o",
        "new.pgc",
    ])
    .exits(2)
    .says("--max-input");
    assert!(!dir.names().contains(&"new.pgc".to_owned()));
}

/// A zip file with a file and a link.
fn zip_with_link(link: &str, target: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.add_symlink(link, target, options).unwrap();
    if link != "only.pgn" {
        writer.start_file("a.pgn", options).unwrap();
        writer.write_all(games(2).as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn links_in_zip_files_are_named_and_not_followed() {
    let dir = Dir::new();
    dir.put("secret.pgn", games(7));
    dir.put("x.zip", zip_with_link("games/b.pgn", "../secret.pgn"));
    let ran = dir.run(&["pack", "-q", "x.zip", "-o", "x.pgc"]).exits(0);
    assert_eq!(
        ran.stderr,
        "pgc: x.zip: games/b.pgn is a link to another file and was left out\n"
    );
    dir.run(&["unpack", "-q", "x.pgc", "-o", "out.pgn"])
        .exits(0);
    assert_eq!(dir.read("out.pgn"), games(2).as_bytes());
    dir.put("y.zip", zip_with_link("only.pgn", "/etc/passwd"));
    dir.run(&["pack", "-q", "y.zip", "-o", "y.pgc"])
        .exits(2)
        .says("is a link: no file is left");
}

#[test]
fn bytes_behind_gzip_data_are_told_of() {
    let dir = Dir::new();
    for garbage in [&b"x"[..], b"garbage", b"\x1f\x00", b"\0\0x"] {
        dir.put("x.pgn.gz", [&gzip(b"1. e4 *\n"), garbage].concat());
        dir.run(&["pack", "-q", "x.pgn.gz", "-o", "x.pgc"])
            .exits(2)
            .says("damaged gzip data, or other bytes after their end");
    }
    dir.put(
        "x.pgn.gz",
        [gzip(b"1. e4 *\n"), gzip(b"1. d4 *\n")].concat(),
    );
    dir.run(&["pack", "-q", "x.pgn.gz", "-o", "x.pgc"]).exits(0);
    dir.run(&["unpack", "-q", "x.pgc"]).exits(0);
    assert_eq!(dir.read("x.pgn"), b"1. e4 *\n1. d4 *\n");
}

/// Changes the minor version of an index, as a later program would write it.
#[test]
fn an_index_of_a_later_minor_version_is_used_and_passes() {
    const TRAILER: usize = 96;
    let dir = Dir::new();
    dir.put("x.pgn", games(500));
    dir.pack("x.pgn");
    let mut index = dir.read("x.pgci");
    index[10] = 7;
    let trailer = index.len() - TRAILER;
    let number = |at: usize| u64::from_le_bytes(index[at..at + 8].try_into().unwrap());
    let sums = usize::try_from(number(trailer + 56)).unwrap();
    let pages = sums.div_ceil(16_384);
    // The first page and its sum; the sum of the sums; that of begin, table and trailer.
    let page = crc32fast::hash(&index[..sums.min(16_384)]);
    index[sums..sums + 4].copy_from_slice(&page.to_le_bytes());
    let table = sums + 4 * pages;
    let sum = crc32fast::hash(&index[sums..table]);
    index[trailer + 64..trailer + 68].copy_from_slice(&sum.to_le_bytes());
    let frame = [
        &index[..16],
        &index[table..trailer],
        &index[trailer..trailer + 80],
    ]
    .concat();
    let sum = crc32fast::hash(&frame);
    index[trailer + 80..trailer + 84].copy_from_slice(&sum.to_le_bytes());
    dir.put("x.pgci", &index);
    for args in [
        &["test", "-q", "x.pgc"][..],
        &["test", "-q", "--quick", "x.pgc"],
        &["index", "-q", "--verify", "x.pgc"],
        &[
            "find",
            "-q",
            "--require-index",
            "x.pgc",
            "--white",
            "7",
            "--count",
        ],
        &["add", "-q", "x.pgc", "x.pgn"],
    ] {
        assert_eq!(dir.run(args).exits(0).stderr, "", "{args:?}");
    }
    // This program cannot make such an index, and says that it compared none.
    dir.put("x.pgci", &index);
    dir.put("y.pgn", games(500));
    dir.pack("y.pgn");
    dir.run(&["pack", "-q", "-f", "--no-index", "x.pgn", "-o", "x.pgc"])
        .exits(0);
    for (archive, is_compared) in [("x.pgc", false), ("y.pgc", true)] {
        for deep in [&[][..], &["--deep"]] {
            let tested = dir.run(&[&["test", "--json", archive], deep].concat());
            let tested = tested.exits(0).json();
            assert_eq!(tested["index_compared"], is_compared, "{archive} {deep:?}");
            let shown = dir.run(&[&["test", archive], deep].concat()).stdout();
            assert_eq!(shown.contains("not compared"), !is_compared, "{shown}");
        }
        let shown = dir.run(&["index", "--verify", archive]).exits(0).stdout();
        assert_eq!(shown.contains("not compared"), !is_compared, "{shown}");
    }
    // It is not passed because of its version.
    dir.put("x.pgci", &index);
    dir.put("y.pgn", games(499));
    dir.run(&["pack", "-q", "-f", "--no-index", "y.pgn", "-o", "x.pgc"])
        .exits(0);
    dir.run(&["test", "-q", "x.pgc"]).exits(3);
}

/// Runs the program with a terminal as its standard output, if `script` can make one.
fn on_a_terminal(dir: &Dir, args: &[&str]) -> Option<String> {
    let program = assert_cmd::cargo::cargo_bin!("pgc").display().to_string();
    let command: Vec<String> = [program.as_str()]
        .iter()
        .chain(args)
        .map(|arg| format!("'{arg}'"))
        .collect();
    let ran = Command::new("script")
        .args(["-qec", &command.join(" "), "/dev/null"])
        .current_dir(dir.path())
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn nothing_that_is_shown_on_a_terminal_controls_it() {
    let dir = Dir::new();
    let evil = "a\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m\u{202e}b\u{2066}\u{feff}";
    let game = format!(
        "[Event \"{evil}\"]\n[White \"{evil}\"]\n[Result \"*\"]\n\n1. e4 {{{evil}}} Zz{evil} *\n"
    );
    let file = "games\u{1b}[31m\u{202e}.pgn";
    dir.put(file, &game);
    dir.put("x.zip", zip(&[("evil\u{1b}[2J.pgn", game.as_bytes())]));
    let runs: [&[&str]; 19] = [
        &["pack", file, "-o", "x.pgc", "--report", "-"],
        &["pack", "-f", "x.zip", "-o", "x.pgc"],
        &["get", "x.pgc", "1"],
        &["get", "x.pgc", "1", "--format", "json"],
        &["get", "x.pgc", "1", "--format", "board"],
        &["unpack", "-c", "x.pgc"],
        &["unpack", "-c", "--export", "x.pgc"],
        &["find", "x.pgc"],
        &["find", "x.pgc", "--format", "csv"],
        &["find", "x.pgc", "--format", "jsonl"],
        &["find", "x.pgc", "--format", "pgn"],
        &["find", "x.pgc", "-p", evil],
        &["names", "x.pgc"],
        &["names", "x.pgc", "--format", "jsonl"],
        &["info", "--sources", "x.pgc"],
        &["info", "x.pgc"],
        &["records", "x.pgc"],
        &["get", "no\u{1b}[31mfile.pgc", "1"],
        &["test", "--no\u{1b}[31msuch", "x.pgc"],
    ];
    for args in runs {
        let Some(shown) = on_a_terminal(&dir, args) else {
            eprintln!("skipped: script is missing");
            return;
        };
        assert!(shown.len() > 10, "{args:?}: {shown}");
        // The program may colour its own help; nothing else may come through.
        let own = [
            "\u{1b}[1m",
            "\u{1b}[4m",
            "\u{1b}[0m",
            "\u{1b}[31m",
            "\u{1b}[32m",
            "\u{1b}[33m",
        ];
        let mut rest = shown.replace("\r\n", "\n");
        // The bar.
        for code in ["\u{1b}[2K", "\u{1b}[1A", "\u{1b}[1B", "\r"] {
            rest = rest.replace(code, "");
        }
        if args[0] == "test" {
            assert!(!rest.contains("\u{1b}[31msuch"), "{rest:?}");
            own.iter().for_each(|code| rest = rest.replace(code, ""));
        }
        let bad: Vec<char> = rest
            .chars()
            .filter(|c| {
                (c.is_control() && !matches!(c, '\n' | '\t'))
                    || matches!(c, '\u{202e}' | '\u{2066}' | '\u{feff}')
            })
            .collect();
        assert!(bad.is_empty(), "{args:?}: {bad:?} in {rest:?}");
    }
    // A pipe gets what is there.
    let piped = dir.run(&["unpack", "-q", "-c", "x.pgc"]).exits(0);
    assert_eq!(piped.output.stdout, game.as_bytes());
}

#[test]
fn messages_about_paths() {
    let dir = Dir::new();
    dir.put("a.pgn", games(2));
    dir.put("b.pgn", games(3));
    dir.pack("a.pgn");
    dir.put("list", "a.pgn\n\nnot/there.pgn\n");
    dir.put("out/a.pgn", "x");
    let exact = |args: &[&str], text: &str| {
        let Ran { stderr, .. } = dir.run(args).exits(2);
        assert_eq!(stderr, text, "{args:?}");
    };
    exact(
        &["pack", "-q", "--files-from", "list", "-o", "x.pgc"],
        "pgc: list: line 3: not/there.pgn: No such file or directory (os error 2)\n",
    );
    exact(
        &["split", "-q", "a.pgc", "--by", "year", "-o", "a.pgn"],
        "pgc: a.pgn: is no folder, and the files need one\n",
    );
    exact(
        &["unpack", "-q", "a.pgc", "-o", "out/"],
        "pgc: out/a.pgn: already exists (replace it with -f)\n",
    );
    exact(
        &["pack", "-q", "a.pgn", "-o", "nodir/x.pgc"],
        "pgc: nodir/x.pgc: No such file or directory (os error 2)\n",
    );
    exact(
        &["pack", "-q", "b.pgn", "-o", "a.pgc"],
        "pgc: a.pgc: already exists (replace it with -f)\n",
    );
}

/// Few bytes of archive hold some hundred thousand glyphs, comments or moves. Writing them
/// as JSON takes no memory for each: 400 MB of address space are enough for all of the process
/// (a JSON value of one glyph takes some 700 bytes).
#[cfg(target_os = "linux")]
#[test]
fn json_of_many_glyphs_takes_little_memory() {
    let dir = Dir::new();
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(100_000);
    let texts = [
        format!("1. e4 {}*\n", "$1 ".repeat(1_000_000)),
        format!("1. e4 {}*\n", "{} ".repeat(900_000)),
        format!("{moves}*\n\n{moves}*\n"),
    ];
    for (text, what) in texts.iter().zip(["nags", "comments", "san"]) {
        dir.put("x.pgn", text);
        let pack = ["pack", "-q", "-f", "--no-index", "--no-verify"];
        dir.run(&[&pack[..], &["x.pgn", "-o", "x.pgcz"]].concat())
            .exits(0);
        let program = assert_cmd::cargo::cargo_bin!("pgc");
        let ran = Command::new("sh")
            .arg("-c")
            .arg("ulimit -v 400000; exec \"$0\" get --no-index x.pgcz 1.. --format json")
            .arg(program)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{what}: {told}");
        let games = ran
            .stdout
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let found: usize = games
            .map(|line| memchr::memmem::find_iter(line, &format!("\"{what}\"")).count())
            .sum();
        assert!(
            found == if what == "san" { 800_000 } else { 1 },
            "{what}: {found}"
        );
    }
}
