//! Folders, zip and tar files among the inputs, encodings, and inputs without games.

use std::fs;
use std::process::Command;

use crate::cli::io::{gzip, zip, zstd};
use crate::cli::program::Dir;
use crate::support::options;
use pgc::{Archive, NoHooks, pack};

const ONE: &str = "[Event \"One\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";

/// A tar file by the crate tar, which is not read with it but for headers.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(match path.ends_with('/') {
            true => tar::EntryType::Directory,
            false => tar::EntryType::Regular,
        });
        builder.append_data(&mut header, path, *bytes).unwrap();
    }
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    builder
        .append_link(&mut link, "link.pgn", "/etc/passwd")
        .unwrap();
    builder.into_inner().unwrap()
}

/// The same text in two folders, of one name.
#[test]
fn folders_zip_and_tar_files_come_back_as_they_were() {
    let dir = Dir::new();
    let deep = format!("1999/{}/games.pgn", "x".repeat(150));
    let files: [(&str, &[u8]); 4] = [
        ("1999/games.pgn", b"1. e4 *\n"),
        ("2000/games.pgn", b"1. d4 *\n"),
        ("games.pgn", b"1. c4 *\n"),
        (&deep, b"1. f4 *\n"),
    ];
    for (path, bytes) in files {
        dir.put(&format!("in/{path}"), bytes);
    }
    dir.put("in.zip", zip(&files));
    let tarred = tar(&[
        ("1998/", b""),
        files[0],
        files[1],
        files[2],
        files[3],
        (".x.pgn", b"*"),
    ]);
    dir.put("in.tar", &tarred);
    dir.put("in.tar.gz", gzip(&tarred));
    dir.put("in.tar.zst", zstd(&tarred));
    for (input, code) in [
        ("in", 0),
        ("in.zip", 0),
        ("in.tar", 0),
        ("in.tar.gz", 0),
        ("in.tar.zst", 0),
    ] {
        let ran = dir
            .run(&["pack", "-r", input, "-f", "-o", "all.pgc"])
            .exits(code);
        let ran = ran.says("4 games").says("4 sources");
        if input.contains("tar") {
            ran.says("link.pgn is a link to another file and was left out")
                .says("1 hidden file was left out");
            dir.run(&["pack", input])
                .exits(2)
                .says("several inputs: name the archive with -o");
            dir.feed(&["pack", "-", "-o", "fed.pgc"], &dir.read(input))
                .exits(0);
            fs::remove_file(dir.path().join("fed.pgc")).unwrap();
            fs::remove_file(dir.path().join("fed.pgci")).unwrap();
        }
        let out = format!("out-{input}/");
        dir.run(&["unpack", "-q", "all.pgc", "-o", &out]).exits(0);
        for (path, bytes) in files {
            assert!(dir.read(&format!("{out}{path}")) == bytes, "{input} {path}");
        }
    }
    // What is cut off is told of, and kept only if that is asked for.
    dir.put("cut.tar", &tarred[..600]);
    let cut = ["pack", "cut.tar", "-f", "-o", "cut.pgc"];
    dir.run(&cut).exits(2).says("the tar data end early");
    let named = |name: &[u8]| tarred.windows(name.len()).position(|at| at == name);
    for end in [1024, 1700, named(b"link.pgn").unwrap() + 300] {
        dir.put("cut.tar", &tarred[..end]);
        dir.run(&cut).exits(2).says("the tar data end early");
    }
    dir.put("cut.tar", &tarred[..1030]);
    dir.run(&["pack", "--partial", "-f", "cut.tar", "-o", "cut.pgc"])
        .exits(1)
        .says("1 game was kept");
    let mut damaged = tarred.clone();
    damaged[512] ^= 1;
    dir.put("cut.tar", damaged);
    dir.run(&cut).exits(2).says("another checksum");
}

/// Names of sources lead to no other folder, and links are not followed.
#[test]
fn nothing_leaves_the_folder() {
    let dir = Dir::new();
    let evil: [(&str, &[u8]); 4] = [
        ("../../a.pgn", b"1. e4 *\n"),
        ("/abs/b.pgn", b"1. e4 *\n"),
        ("c\\..\\d.pgn", b"1. e4 *\n"),
        ("x/./y//z.pgn", b"1. e4 *\n"),
    ];
    dir.put("evil.zip", zip(&evil));
    dir.run(&["pack", "-q", "evil.zip", "-o", "e.pgc"]).exits(0);
    dir.run(&["unpack", "-q", "e.pgc", "-o", "out/"]).exits(0);
    for file in ["a.pgn", "abs/b.pgn", "c/d.pgn", "x/y/z.pgn"] {
        assert_eq!(dir.read(&format!("out/{file}")), b"1. e4 *\n");
    }
    // Archives that another program wrote have any names.
    let mut archive = Vec::new();
    let names = [
        "k/../../../a.pgn",
        "/etc/x.pgn",
        "a/b.pgn",
        "a//b.pgn",
        "A/b.pgn",
        "./c.pgn",
    ];
    for name in names {
        let done = pack(
            &mut &b"1. e4 *\n"[..],
            name,
            &mut archive,
            &options(true, 1),
            &mut NoHooks,
        );
        done.unwrap();
    }
    dir.put("evil.pgc", archive);
    dir.run(&["unpack", "-q", "evil.pgc", "-o", "evil/"])
        .exits(1)
        .says("the name of the source, \"A/b.pgn\", is used already");
    for file in [
        "k_.._.._.._a.pgn",
        "_etc_x.pgn",
        "a/b.pgn",
        "a__b.pgn",
        "A/b-2.pgn",
        "._c.pgn",
    ] {
        assert_eq!(dir.read(&format!("evil/{file}")), b"1. e4 *\n", "{file}");
    }
    assert_eq!(
        dir.names(),
        ["e.pgc", "e.pgci", "evil", "evil.pgc", "evil.zip", "out"]
    );
    #[cfg(unix)]
    {
        fs::create_dir(dir.path().join("linked")).unwrap();
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("../elsewhere", dir.path().join("linked/abs")).unwrap();
        dir.run(&["unpack", "-q", "e.pgc", "-o", "linked/"])
            .exits(2)
            .says("is a link to a folder, which is not followed");
        let inside = fs::read_dir(dir.path().join("elsewhere")).unwrap();
        assert_eq!(inside.count(), 0);
    }
}

const KARPOV: &str = "[Event \"Чемпионат мира\"]\n[White \"Карпов, Анатолий\"]\n[Black \"Каспаров, Гарри\"]\n\
    [Result \"1-0\"]\n\n1. e4 {хорошо} e5 1-0\n\n";

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// KOI8-R and cp1251 by iconv, which is another program.
fn encoded(text: &str, name: &str) -> Option<Vec<u8>> {
    let dir = Dir::new();
    dir.put("x", text);
    let command = format!("iconv -f utf-8 -t {name} x");
    let mut shell = Command::new("sh");
    let output = shell
        .args(["-c", &command])
        .current_dir(dir.path())
        .output()
        .ok()?;
    output.status.success().then_some(output.stdout)
}

#[test]
fn other_encodings_are_found_shown_and_given_back() {
    let dir = Dir::new();
    let mut given = vec![
        ("utf-16le", utf16(KARPOV, u16::to_le_bytes)),
        ("utf-16be", utf16(KARPOV, u16::to_be_bytes)),
        (
            "utf-16le",
            utf16(&format!("\u{feff}{KARPOV}"), u16::to_le_bytes),
        ),
        (
            "utf-16be",
            utf16(&format!("\u{feff}{KARPOV}"), u16::to_be_bytes),
        ),
        // The last byte of the last unit is missing, and half a pair of surrogates stands before it.
        (
            "utf-16le",
            [&utf16(KARPOV, u16::to_le_bytes)[..], &[0, 0xd8, 0x0a]].concat(),
        ),
    ];
    for name in ["cp1251", "koi8-r", "ibm866"] {
        given.extend(encoded(&KARPOV.repeat(3000), name).map(|bytes| (name, bytes)));
    }
    for (encoding, bytes) in given {
        dir.put("x.pgn", &bytes);
        for archive in ["x.pgc", "x.pgcz"] {
            let option = if encoding.starts_with("utf") {
                "utf-16"
            } else {
                encoding
            };
            dir.run(&["pack", "-f", "--encoding", option, "x.pgn", "-o", archive])
                .exits(0);
            let unpacked = dir.run(&["unpack", "-q", "-c", archive]).exits(0);
            assert!(unpacked.output.stdout == bytes, "{encoding}");
            dir.run(&["test", archive, "--against", "x.pgn"]).exits(0);
            let list = dir
                .run(&["info", "--sources", "--json", archive])
                .exits(0)
                .json();
            let digest = blake3::hash(&bytes).to_hex().to_string();
            assert_eq!(list["sources"][0]["blake3"], digest, "{list}");
            assert_eq!(list["sources"][0]["bytes"], bytes.len());
            assert!(!list["sources"][0]["encoding"].is_null(), "{list}");
            for (option, value) in [("-p", "карпов"), ("--event", "чемпионат")] {
                let found = dir.run(&[
                    "find", "--limit", "1", "--format", "csv", option, value, archive,
                ]);
                assert!(found.exits(0).stdout().contains("\"Карпов, Анатолий\""));
            }
            let text = dir.run(&["get", archive, "1"]).exits(0).stdout();
            assert!(
                text.trim_start_matches('\u{feff}') == KARPOV.trim_end().to_owned() + "\n"
                    || text.contains("{хорошо}")
            );
            let export = dir
                .run(&["unpack", "--export", "--utf8", "-q", "-c", archive])
                .exits(0);
            assert!(export.stdout().contains("[Event \"Чемпионат мира\"]"));
            let utf8 = dir.run(&["unpack", "--utf8", "-q", "-c", archive]).exits(0);
            assert!(utf8.output.stdout.starts_with(KARPOV.as_bytes()) || bytes[0] >= 0xfe);
        }
        // Converted, merged and edited sources stay in their encoding.
        dir.run(&["merge", "-q", "-f", "x.pgc", "x.pgcz", "-o", "both.pgc"])
            .exits(0);
        let both = dir.run(&["unpack", "-q", "-c", "both.pgc"]).exits(0);
        assert!(both.output.stdout == bytes.repeat(2), "{encoding}");
        dir.run(&[
            "edit",
            "-q",
            "--in-place",
            "--all",
            "--set",
            "Site=Москва",
            "x.pgc",
        ])
        .exits(0);
        dir.run(&["test", "x.pgc"]).exits(0);
        let utf8 = dir.run(&["unpack", "--utf8", "-q", "-c", "x.pgc"]).exits(0);
        assert!(String::from_utf8_lossy(&utf8.output.stdout).contains("[Site \"Москва\"]"));
        if !encoding.starts_with("utf") {
            let plain = dir.run(&["unpack", "-q", "-c", "x.pgc"]).exits(0);
            assert!(
                std::str::from_utf8(&plain.output.stdout).is_err(),
                "{encoding}"
            );
            dir.run(&["edit", "--in-place", "--all", "--set", "Site=Łódź", "x.pgc"])
                .exits(2)
                .says("which has no 'Ł'");
        }
    }
}

#[test]
fn encodings_are_guessed_suspected_and_refused() {
    let dir = Dir::new();
    let Some(bytes) = encoded(&KARPOV.repeat(20), "cp1251") else {
        return;
    };
    dir.put("k.pgn", &bytes);
    dir.run(&["pack", "k.pgn"])
        .exits(0)
        .says("k.pgn: seems to be in windows-1251: ")
        .says("--encoding windows-1251");
    dir.run(&["pack", "-f", "--encoding", "auto", "k.pgn"])
        .exits(0)
        .says("k.pgn: seems to be in windows-1251, and is read so");
    dir.run(&["add", "k.pgc", "--encoding", "cp1251", "k.pgn"])
        .exits(0);
    let all = dir.run(&["unpack", "-c", "-q", "k.pgc"]).exits(0);
    assert!(all.output.stdout == bytes.repeat(2));
    // UTF-8, ASCII and Latin-1 are none to suspect, and UTF-8 stays UTF-8.
    for text in [
        KARPOV.as_bytes(),
        ONE.as_bytes(),
        b"[White \"H\xfcbner\"]\n\n1. e4 *\n",
    ] {
        dir.put("u.pgn", text);
        let ran = dir.run(&["pack", "-f", "u.pgn"]).exits(0);
        assert!(!ran.stderr.contains("seems to be"), "{}", ran.stderr);
    }
    // Half of it in UTF-8: what that says would be lost to questions.
    dir.put("u.pgn", [&bytes[..], KARPOV.repeat(20).as_bytes()].concat());
    dir.run(&["pack", "-f", "--encoding", "auto", "u.pgn"])
        .exits(0)
        .says("u.pgn: is mostly in UTF-8, and is stored as it is");
    dir.put("u.pgn", KARPOV);
    dir.run(&["pack", "-f", "--encoding", "cp1251", "u.pgn"])
        .exits(0)
        .says("u.pgn: is in UTF-8, and is stored as it is");
    dir.run(&["pack", "-f", "--encoding", "utf-16be", "u.pgn"])
        .exits(0)
        .says("u.pgn: is not in UTF-16BE, and is stored as it is");
    dir.run(&["pack", "-f", "--encoding", "cp437", "u.pgn"])
        .exits(0)
        .says("u.pgn: is in UTF-8, and is stored as it is");
    dir.run(&["pack", "-f", "--encoding", "cp439", "u.pgn"])
        .exits(2)
        .says("use auto");
    // Bytes that are no text in the encoding come back too.
    let odd = [&bytes[..], b"{\xa1\xff}\n"].concat();
    dir.put("odd.pgn", &odd);
    dir.run(&["pack", "--encoding", "windows-1257", "odd.pgn"])
        .exits(0)
        .says("1 byte is no text in windows-1257, and kept");
    dir.run(&["test", "odd.pgc", "--against", "odd.pgn"])
        .exits(0);
}

/// What salvage leaves of an encoded source is an archive too.
#[test]
fn damaged_sources_in_other_encodings_are_salvaged() {
    let dir = Dir::new();
    let games: String = (0..24_000)
        .map(|n| KARPOV.replace("One", &n.to_string()))
        .collect();
    dir.put("x.pgn", utf16(&games, u16::to_le_bytes));
    dir.run(&["pack", "-q", "x.pgn"]).exits(0);
    let mut bytes = dir.read("x.pgc");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    dir.put("x.pgc", bytes);
    dir.run(&["salvage", "-q", "x.pgc", "-o", "y.pgc"]).exits(3);
    dir.run(&["test", "y.pgc"]).exits(0);
    let left = dir
        .run(&["unpack", "-q", "-c", "y.pgc"])
        .exits(0)
        .output
        .stdout;
    let units: Vec<u16> = left
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    let text = String::from_utf16(&units).unwrap();
    assert!(text.replace(KARPOV, "").is_empty() && text.len() > games.len() / 2);
}

#[test]
fn inputs_without_games_are_told_of() {
    let dir = Dir::new();
    let cases: [(&[u8], &str); 8] = [
        (b"", "it is empty"),
        (b"nothing here\n", "has no game (its bytes are kept)"),
        (b"<!DOCTYPE html>\n<html>404</html>\n", "a web page"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive"),
        (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
        (b"{\"games\": []}", "JSON"),
        (b"Scid.si\0\x01", "part of a database of Scid"),
        (b"\x0e\0\x02", "no text"),
    ];
    for (bytes, what) in cases {
        dir.put("x.txt", bytes);
        let ran = dir.run(&["pack", "-f", "x.txt", "-o", "x.pgc"]).exits(1);
        ran.says("x.txt: has no game").says(what);
        let unpacked = dir.run(&["unpack", "-q", "-c", "x.pgc"]).exits(0);
        assert!(unpacked.output.stdout == bytes, "{what}");
        dir.put("a.pgn", ONE);
        dir.run(&["pack", "-q", "-f", "a.pgn"]).exits(0);
        dir.run(&["add", "-q", "a.pgc", "x.txt"])
            .exits(1)
            .says(what);
        // In a zip file beside games it is worth a word, but no other exit code.
        dir.put("z.zip", zip(&[("a.pgn", ONE.as_bytes()), ("x.txt", bytes)]));
        dir.run(&["pack", "-f", "z.zip", "-o", "z.pgc"])
            .exits(0)
            .says(what);
    }
}

#[test]
fn an_archive_is_no_other_file() {
    let dir = Dir::new();
    dir.put("e.pgc", "");
    for command in ["test", "unpack", "info", "lint", "records", "get"] {
        let ran = dir.run(&[command, "e.pgc", "1"][..2 + usize::from(command == "get")]);
        ran.exits(2).says("e.pgc: is empty");
    }
    dir.run(&["merge", "e.pgc", "-o", "m.pgc"])
        .exits(2)
        .says("e.pgc: is empty");
    dir.feed(&["test", "-"], b"").exits(2).says("is empty");
    // No number where nothing could be searched.
    assert_eq!(dir.run(&["find", "--count", "e.pgc"]).exits(2).stdout(), "");
    // A folder without archives is refused by every command alike.
    fs::create_dir(dir.path().join("none")).unwrap();
    for command in ["find", "names", "dups", "tree", "test", "info", "index"] {
        let ran = dir.run(&[command, "none"]).exits(2);
        assert_eq!(
            ran.stderr,
            "pgc: none: no archives in this folder (.pgc, .pgcz)\n"
        );
    }
    let page = b"<html>";
    for (name, bytes, what) in [
        ("e.pgc", &b""[..], "is empty"),
        ("p.pgc", page, "it seems to be a web page"),
        ("g.pgn", ONE.as_bytes(), "is PGN: pack it first"),
        ("i.pgc", b"\x89PGCI\r\n\x1a", "is the index of an archive"),
        ("z.pgc", b"hello", "is not a PGC archive"),
    ] {
        dir.put(name, bytes);
        let error = Archive::open(dir.path().join(name))
            .unwrap_err()
            .to_string();
        assert!(error.contains(what), "{error}");
        dir.run(&["find", name]).exits(2).says(what);
    }
    dir.put("g.pgn", ONE);
    dir.run(&["pack", "g.pgn", "-o", "g2.pgn"])
        .exits(2)
        .says("is named as text, and pack writes an archive");
    assert!(!dir.names().contains(&"g2.pgn".to_owned()));
}
