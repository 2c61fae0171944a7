//! The files that commands write: who may read them, where links lead, names that are too long, files
//! beside them that no longer fit, and how many calls a file costs.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

use crate::cli::failures::games;
use crate::cli::program::Dir;

/// A folder with the archive `a.pgc` of five games and its recovery data.
fn five() -> Dir {
    let dir = Dir::new();
    dir.put("a.pgn", games(5));
    dir.pack("a.pgn");
    dir.run(&["protect", "-q", "a.pgc"]).exits(0);
    dir
}

/// As gzip and zstd do: who may not read the input may not read the output.
#[test]
fn what_is_made_of_a_private_file_is_private() {
    let dir = five();
    dir.put("open.pgn", games(3));
    dir.pack("open.pgn");
    let private = |name: &str, mode: u32| {
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    private("a.pgn", 0o600);
    private("a.pgc", 0o600);
    let before = dir.names();
    let commands: [&[&str]; 14] = [
        &["pack", "a.pgn", "-o", "b1.pgc", "--report", "b1.jsonl"],
        &["pack", "open.pgn", "a.pgc", "-o", "b2.pgcz"],
        &["unpack", "a.pgc", "-o", "b3.pgn"],
        &["unpack", "a.pgc", "-o", "b4/"],
        &["split", "a.pgc", "--by", "games=2", "-o", "b5"],
        &[
            "split", "a.pgc", "--by", "year", "--format", "pgn", "-o", "b6",
        ],
        &["merge", "open.pgc", "a.pgc", "-o", "b7.pgc"],
        &["find", "open.pgc", "a.pgc", "-o", "b8.pgc"],
        &["find", "a.pgc", "-o", "b9.pgc"],
        &["find", "a.pgc", "-o", "b10.pgn"],
        &[
            "edit", "a.pgc", "--set", "Event=x", "-o", "b11.pgc", "--log", "b11.log",
        ],
        &["salvage", "a.pgc", "-o", "b12.pgc"],
        &["repair", "a.pgc", "-o", "b13.pgc"],
        &["lint", "a.pgn", "--fix", "-o", "b14.pgn"],
    ];
    for args in commands {
        let code = dir.run(&[args, &["-q"]].concat()).output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{args:?}");
    }
    let mut checked = 0;
    let mut folders = vec![dir.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !before.contains(&name) {
                let mode = path.metadata().unwrap().mode() & 0o777;
                assert_eq!(mode, 0o600, "{}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 24, "{checked}");
    // What only the group may not read; an input that cannot be written; a file that was there.
    private("open.pgn", 0o604);
    private("b3.pgn", 0o640);
    for (output, mode) in [("c.pgc", 0o604), ("b3.pgn", 0o640)] {
        let args: &[&str] = match output {
            "c.pgc" => &["pack", "-q", "open.pgn", "-o", "c.pgc"],
            _ => &["unpack", "-q", "-f", "a.pgc", "-o", "b3.pgn"],
        };
        dir.run(args).exits(0);
        let found = dir.path().join(output).metadata().unwrap().mode() & 0o777;
        assert_eq!(found, mode, "{output}");
    }
    private("open.pgn", 0o400);
    dir.run(&["pack", "-q", "open.pgn", "-o", "d.pgc"]).exits(0);
    let found = dir.path().join("d.pgc").metadata().unwrap().mode() & 0o777;
    assert_eq!(found, 0o600);
}

/// A file that is replaced leaves its other names to the old one; `add` writes to the file itself.
#[test]
fn hard_links_to_a_file_that_is_replaced() {
    let dir = five();
    let path = |name: &str| dir.path().join(name);
    let before = dir.read("a.pgc");
    fs::hard_link(path("a.pgc"), path("b.pgc")).unwrap();
    dir.run(&[
        "edit",
        "-q",
        "a.pgc",
        "--in-place",
        "--games",
        "1",
        "--set",
        "Event=x",
    ])
    .exits(0);
    assert!(dir.read("b.pgc") == before && dir.read("a.pgc") != before);
    fs::hard_link(path("a.pgc"), path("d.pgc")).unwrap();
    dir.run(&["add", "-q", "a.pgc", "a.pgn"]).exits(0);
    assert!(dir.read("a.pgc") == dir.read("d.pgc"));
}

#[test]
fn a_link_to_nothing_leads_to_the_new_file() {
    let dir = five();
    let path = |name: &str| dir.path().join(name);
    fs::create_dir(path("in")).unwrap();
    symlink("in/new.pgc", path("link.pgc")).unwrap();
    symlink("link.pgc", path("again.pgc")).unwrap();
    dir.run(&["pack", "-q", "a.pgn", "-o", "again.pgc"])
        .exits(0);
    assert!(fs::symlink_metadata(path("link.pgc")).unwrap().is_symlink());
    assert!(dir.read("in/new.pgc") == dir.read("a.pgc"));
    dir.run(&["pack", "-q", "a.pgn", "-o", "again.pgc"])
        .exits(2)
        .says("already exists");
    symlink("nowhere/new.pgc", path("lost.pgc")).unwrap();
    symlink("round.pgc", path("round.pgc")).unwrap();
    for link in ["lost.pgc", "round.pgc"] {
        dir.run(&["pack", "-q", "-f", "a.pgn", "-o", link])
            .exits(2)
            .says(link);
        assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
    }
}

/// The longest name has 255 bytes on the usual file systems; an index needs one more.
#[test]
fn names_of_254_and_255_bytes() {
    let dir = five();
    for (length, ending) in [(254, ".pgc"), (254, ".pgcz")] {
        let name = "n".repeat(length - ending.len()) + ending;
        dir.run(&["pack", "-q", "a.pgn", "-o", &name]).exits(0);
        dir.run(&["find", "--require-index", "--count", &name])
            .exits(0);
        dir.run(&["protect", "-q", &name]).exits(0);
    }
    for ending in [".pgc", ".pgcz", ""] {
        let name = "n".repeat(255 - ending.len()) + ending;
        let before = dir.names();
        let commands: [&[&str]; 3] = [
            &["pack", "-q", "a.pgn", "-o", &name],
            &["find", "-q", "a.pgc", "-o", &name, "--format", "pgc"],
            &["merge", "-q", "a.pgc", "a.pgc", "-o", &name],
        ];
        for args in commands.iter().take(if ending == ".pgcz" { 1 } else { 3 }) {
            dir.run(args).exits(2).says("too long for a name");
        }
        assert_eq!(dir.names(), before);
        let no_index = ["pack", "-q", "--no-index", "a.pgn", "-o", &name];
        dir.run(&no_index).exits(0);
        let ran = dir.run(&["find", "--count", &name]).exits(0);
        assert!(ran.stderr.contains("too long for a name"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("pgc index"), "{}", ran.stderr);
        dir.run(&["protect", "-q", &name])
            .exits(2)
            .says("File name too long");
    }
}

#[test]
fn bytes_behind_the_protected_ones_are_looked_at() {
    let dir = five();
    let (archive, recovery) = (dir.read("a.pgc"), dir.read("a.pgcr"));
    for (what, behind, code) in [
        ("added.pgc", archive.clone(), 0),
        ("foreign.pgc", b"no archive\n".to_vec(), 3),
        ("zeros.pgc", vec![0; 5000], 0),
        ("half.pgc", archive[..archive.len() / 2].to_vec(), 3),
    ] {
        dir.put(what, [&archive[..], &behind].concat());
        dir.put(&format!("{what}r"), &recovery);
        let said = match code {
            0 => "they were added later",
            _ => "not what follows",
        };
        let ran = dir.run(&["repair", what]).exits(code);
        assert!(ran.stdout().contains(said), "{what}: {}", ran.stdout());
        let json = dir.run(&["repair", "--json", what]).exits(code).json();
        assert_eq!(json["ok"], code == 0);
        dir.run(&["repair", "-q", "-f", what, "-o", "out.pgc"])
            .exits(code);
        assert!(dir.read("out.pgc") == dir.read(what));
    }
}

#[test]
fn files_beside_a_replaced_archive_are_told() {
    let dir = five();
    dir.put("b.pgn", games(2));
    let index = "b.pgci: no longer fits b.pgc";
    let recovery = "b.pgcr: protects the archive as it was";
    for (args, tells_index) in [
        (&["repair", "-f", "a.pgc", "-o", "b.pgc"][..], false),
        (&["salvage", "-f", "a.pgc", "-o", "b.pgc"], false),
        (&["find", "-f", "a.pgc", "-o", "b.pgc"], false),
        (&["pack", "-f", "--no-index", "a.pgn", "-o", "b.pgc"], true),
    ] {
        dir.run(&["pack", "-q", "-f", "b.pgn"]).exits(0);
        dir.run(&["protect", "-q", "-f", "b.pgc"]).exits(0);
        let ran = dir.run(args).exits(0).says(recovery);
        assert_eq!(ran.stderr.contains(index), tells_index, "{}", ran.stderr);
    }
    // The index of the archive as it was fits the repaired one.
    dir.run(&["index", "-q", "-f", "b.pgc"]).exits(0);
    dir.run(&["protect", "-q", "-f", "b.pgc"]).exits(0);
    fs::rename(dir.path().join("b.pgc"), dir.path().join("hurt.pgc")).unwrap();
    let args = ["repair", "-f", "hurt.pgc", "-r", "b.pgcr", "-o", "b.pgc"];
    let ran = dir.run(&args).exits(0);
    assert_eq!(ran.stderr, "");
}

/// A run that writes many files to one folder reads the folder once.
#[test]
fn many_files_in_one_folder() {
    let dir = Dir::new();
    dir.put("a.pgn", games(200));
    dir.pack("a.pgn");
    let args = ["split", "-q", "a.pgc", "--by", "games=1", "-o", "out"];
    let traced = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=getdents64", "-o", "trace"])
        .arg(assert_cmd::cargo::cargo_bin!("pgc"))
        .args(args)
        .current_dir(dir.path())
        .output();
    if !traced.is_ok_and(|traced| traced.status.success()) {
        eprintln!("skipped: strace is missing, or may not trace");
        return;
    }
    let trace = String::from_utf8(dir.read("trace")).unwrap();
    assert!(trace.lines().count() < 20, "{trace}");
    let text = dir.read("a.pgn");
    let mut joined = String::new();
    for number in 1..=200 {
        let path = format!("out/a-{number:03}.pgc");
        let ran = dir.run(&["unpack", "-q", "-c", &path]).exits(0);
        joined += &ran.stdout();
        assert!(dir.path().join(format!("{path}i")).exists());
    }
    assert!(joined.as_bytes() == text);
}
