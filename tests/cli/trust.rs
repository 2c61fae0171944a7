//! What an archivist relies on beside whole blocks: messages that name the right place, indexes that
//! fit, nothing left out in silence. Bytes and counts that are expected were worked out by hand.

use crate::archive::damage::{GAMES, blocks, source};
use crate::cli::failures::games;
use crate::cli::program::Dir;

/// A folder with an archive of five games, `five.pgc`, and its source.
fn five() -> Dir {
    let dir = Dir::new();
    dir.put("five.pgn", games(5));
    dir.pack("five.pgn");
    dir
}

#[test]
fn an_archive_of_zeros_is_damaged() {
    let dir = five();
    dir.put("zeros.pgc", vec![0; 3 << 20]);
    dir.run(&["test", "zeros.pgc"]).exits(3);
    for length in [1, 512, 100_000] {
        dir.put("zeros.pgc", vec![0; length]);
        for args in [
            &["test", "zeros.pgc"][..],
            &["test", "--quick", "zeros.pgc"],
            &["info", "--sources", "zeros.pgc"],
            &["info", "zeros.pgc"],
            &["unpack", "-c", "zeros.pgc"],
            &["find", "zeros.pgc", "--count"],
            &["merge", "zeros.pgc", "five.pgc", "-o", "both.pgc"],
            &["add", "zeros.pgc", "five.pgn"],
        ] {
            dir.run(args)
                .exits(3)
                .says("zeros.pgc: ")
                .says("byte 0, before game 1, head: is missing: all bytes are zero");
        }
        assert!(!dir.names().contains(&"both.pgc".to_owned()));
    }
    // Zeros before a game are noops.
    dir.put("noops.pgc", [0, 0, 5, 3, 1, 13, 6, 0]);
    dir.run(&["test", "noops.pgc"]).exits(0);
}

/// The commands that read heads only skip what a block stores, and so do not see at once that the
/// archive ends in it.
#[test]
fn an_archive_that_is_cut_off_ends_where_all_commands_say() {
    let dir = five();
    let archive = dir.read("five.pgc");
    let block = blocks(&archive)[0].clone();
    dir.put("cut.pgc", &archive[..block.stored + 10]);
    let cut = format!(
        "byte {}, before game 1, block: is cut off: the archive ends here",
        block.stored
    );
    for args in [
        &["test", "cut.pgc"][..],
        &["merge", "cut.pgc", "five.pgc", "-o", "m.pgc"],
        &["find", "cut.pgc", "--count"],
        &["get", "cut.pgc", "1"],
        &["split", "cut.pgc", "--by", "year", "-o", "years"],
    ] {
        dir.run(args).exits(3).says(&cut);
    }
    // Only the tail is missing: five games stand before that.
    dir.put("cut.pgc", &archive[..block.bytes.end]);
    let cut = format!("byte {}, after game 5, tail: is missing", block.bytes.end);
    for args in [
        &["test", "cut.pgc"][..],
        &["merge", "cut.pgc", "five.pgc", "-o", "m.pgc"],
    ] {
        dir.run(args).exits(3).says(&cut);
    }
}

#[test]
fn a_game_whose_block_head_is_lost_is_not_called_absent() {
    let dir = five();
    let mut archive = dir.read("five.pgc");
    let block = blocks(&archive)[0].clone();
    archive[block.bytes.start + 1] ^= 1;
    dir.put("five.pgc", &archive);
    let at = block.bytes.start;
    for game in ["1", "5"] {
        let ran = dir.run(&["get", "five.pgc", game]).exits(3);
        let ran = ran.says(&format!("byte {at}, before game 1"));
        assert!(!ran.stderr.contains("there is no game"), "{}", ran.stderr);
    }
    dir.run(&["get", "five.pgc", "6"])
        .says("there is no game 6");
}

#[test]
fn games_that_are_missing_are_not_counted_as_whole() {
    let dir = Dir::new();
    dir.put("games.pgn", source());
    dir.pack_into(&["games.pgn"], "games.pgcz");
    let mut archive = dir.read("games.pgcz");
    let of = blocks(&archive);
    archive[of[2].bytes.end - 1] ^= 1;
    dir.put("games.pgcz", &archive);
    let left = GAMES - (of[2].games.end - of[2].games.start);
    let left = format!("{},{:03}", left / 1000, left % 1000);
    dir.run(&["unpack", "--partial", "games.pgcz", "-o", "out.pgn"])
        .exits(3)
        .says(&format!("1 source, {left} games (all understood)"));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_in_a_folder_is_named() {
    let dir = five();
    std::fs::create_dir(dir.path().join("in")).unwrap();
    dir.put("in/a.pgn", games(1));
    dir.put("in/a.pgc", dir.read("five.pgc"));
    for name in ["b.pgn", "b.pgc"] {
        std::os::unix::fs::symlink("nowhere", dir.path().join("in").join(name)).unwrap();
    }
    dir.run(&["pack", "-r", "in", "-o", "in.pgc"])
        .exits(2)
        .says("b.pgn: No such file");
    assert!(!dir.names().contains(&"in.pgc".to_owned()));
    let ran = dir
        .run(&["test", "in"])
        .exits(2)
        .says("b.pgc: No such file");
    assert!(ran.stdout().contains("a.pgc: ok"), "{}", ran.stdout());
    dir.run(&["find", "in", "--count"])
        .exits(2)
        .says("b.pgc: No such file");
}

#[cfg(unix)]
#[test]
fn an_archive_and_the_links_to_it_share_an_index() {
    let dir = five();
    dir.put("more.pgn", games(2));
    std::fs::create_dir(dir.path().join("links")).unwrap();
    let link = dir.path().join("links/link.pgc");
    std::os::unix::fs::symlink("../five.pgc", link).unwrap();
    let fits = |count: &str| {
        for path in ["five.pgc", "links/link.pgc"] {
            let ran = dir.run(&["find", path, "--count"]).exits(0);
            assert_eq!(ran.stdout().trim(), count);
            assert!(ran.stderr.is_empty(), "{path}: {}", ran.stderr);
        }
        let beside = std::fs::read_dir(dir.path().join("links")).unwrap().count();
        assert_eq!(beside, 1);
    };
    fits("5");
    dir.run(&["add", "-q", "links/link.pgc", "more.pgn"])
        .exits(0);
    fits("7");
    let set = ["--set", "Event=Cup", "--in-place", "--games", "1"];
    dir.run(&[&["edit", "-q", "links/link.pgc"], &set[..]].concat())
        .exits(0);
    fits("7");
    dir.run(&["pack", "-q", "-f", "more.pgn", "-o", "links/link.pgc"])
        .exits(0);
    fits("2");
}

#[cfg(unix)]
#[test]
fn recovery_data_have_the_permissions_of_the_archive() {
    use std::os::unix::fs::PermissionsExt;
    let dir = five();
    let path = |name: &str| dir.path().join(name);
    std::fs::set_permissions(path("five.pgc"), std::fs::Permissions::from_mode(0o600)).unwrap();
    for args in [
        &["protect", "-q", "five.pgc"][..],
        &["protect", "-q", "-f", "five.pgc"],
    ] {
        dir.run(args).exits(0);
        let mode = std::fs::metadata(path("five.pgcr"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn an_index_that_no_longer_fits_is_named() {
    let dir = five();
    dir.put("more.pgn", games(2));
    for args in [
        &["pack", "-f", "--no-index", "more.pgn", "-o", "five.pgc"][..],
        &["merge", "-f", "--no-index", "more.pgc", "-o", "five.pgc"],
        &["salvage", "-f", "--no-index", "more.pgc", "-o", "five.pgc"],
    ] {
        dir.run(&["pack", "-q", "-f", "more.pgn"]).exits(0);
        dir.run(&["index", "-q", "-f", "five.pgc"]).exits(0);
        dir.run(args)
            .exits(0)
            .says("five.pgci: no longer fits five.pgc");
    }
    // Nothing is said where there is no index.
    let ran = dir
        .run(&["pack", "--no-index", "more.pgn", "-o", "new.pgc"])
        .exits(0);
    assert!(!ran.stderr.contains("no longer fits"), "{}", ran.stderr);
}

#[test]
fn the_index_after_skip_known_is_the_one_that_index_makes() {
    let dir = five();
    dir.put("more.pgn", games(7));
    dir.run(&["add", "-q", "--skip-known", "five.pgc", "more.pgn"])
        .exits(0);
    let added = dir.read("five.pgci");
    dir.run(&["index", "-q", "-f", "five.pgc"]).exits(0);
    assert!(dir.read("five.pgci") == added);
}

#[test]
fn entries_of_one_name_in_a_zip_file_are_all_packed() {
    use std::io::Write;
    let dir = Dir::new();
    // Two entries `c.pgn`, stored, written by hand: the local headers, the texts, the directory.
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    let texts = [
        "[White \"1\"]\n\n1. e4 *\n\n",
        "[White \"2\"]\n\n1. d4 *\n\n",
    ];
    for text in texts {
        let (length, crc) = (
            u32::try_from(text.len()).unwrap(),
            crc32fast::hash(text.as_bytes()),
        );
        let at = u32::try_from(zip.len()).unwrap();
        let mut fields = vec![10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x5c];
        for value in [crc, length, length] {
            fields.extend(value.to_le_bytes());
        }
        fields.extend([5, 0, 0, 0]);
        zip.write_all(b"PK\x03\x04").unwrap();
        zip.extend(&fields);
        zip.write_all(b"c.pgn").unwrap();
        zip.write_all(text.as_bytes()).unwrap();
        directory.extend(b"PK\x01\x02\x0a\x00");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(b"c.pgn");
    }
    let at = u32::try_from(zip.len()).unwrap();
    let length = u32::try_from(directory.len()).unwrap();
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0\x02\0\x02\0");
    zip.extend(length.to_le_bytes());
    zip.extend(at.to_le_bytes());
    zip.extend([0, 0]);
    dir.put("two.zip", zip);
    dir.run(&["pack", "-q", "two.zip", "-o", "two.pgc"])
        .exits(0);
    let ran = dir.run(&["unpack", "-q", "-c", "two.pgc"]).exits(0);
    assert_eq!(ran.stdout(), texts.concat());
    dir.run(&["unpack", "-q", "two.pgc", "-o", "out/"]).exits(0);
    assert_eq!(dir.read("out/c.pgn"), texts[0].as_bytes());
    assert_eq!(dir.read("out/c-2.pgn"), texts[1].as_bytes());
}

/// Zeros mean nothing in front of, between and behind segments, however many there are.
#[test]
fn runs_of_zeros_are_passed() {
    let dir = five();
    // More than any buffer.
    let (archive, zeros) = (dir.read("five.pgc"), vec![0; (1 << 20) + 70_000]);
    for (pieces, games) in [
        ([&zeros[..], &archive, b""], 5),
        ([&archive[..], &zeros, b""], 5),
        ([&archive[..], &zeros, &archive], 10),
    ] {
        dir.put("zeros.pgc", pieces.concat());
        let _ = std::fs::remove_file(dir.path().join("zeros.pgci"));
        for args in [
            &["find", "zeros.pgc", "--count"][..],
            &["names", "zeros.pgc", "--json"],
        ] {
            let ran = dir.run(args).exits(0);
            assert!(args[0] == "names" || ran.stdout().trim() == games.to_string());
        }
        for args in [
            &["test", "zeros.pgc"][..],
            &["info", "--sources", "zeros.pgc"],
            &["get", "zeros.pgc", "5"],
        ] {
            dir.run(args).exits(0);
        }
        dir.run(&["add", "-q", "zeros.pgc", "five.pgn"]).exits(0);
        dir.run(&["test", "-q", "zeros.pgc"]).exits(0);
    }
    // In a stream of another program: two games of e4 (PGC ordinal 13), each with zeros before it.
    let game = [5, 3, 1, 13, 6];
    let stream = [&zeros[..70_000], &game, &zeros, &game, &zeros].concat();
    dir.put("zeros.pgc", &stream);
    let _ = std::fs::remove_file(dir.path().join("zeros.pgci"));
    let ran = dir.run(&["find", "zeros.pgc", "--count"]).exits(0);
    assert_eq!(ran.stdout().trim(), "2");
    dir.run(&["index", "-q", "zeros.pgc"])
        .exits(2)
        .says("is PGC made by another program");
    dir.run(&["test", "-q", "zeros.pgc"]).exits(0);
    // Each is a line of the listing, and the offsets count them all.
    dir.put("zeros.pgc", &stream[..70_000 + 5 + 1000]);
    let listing = dir.run(&["records", "zeros.pgc"]).exits(0).stdout();
    assert_eq!(listing.lines().count(), 70_000 + 3 + 1000);
    assert_eq!(listing.lines().nth(70_000), Some("00011170  game-begin"));
    assert_eq!(listing.lines().last(), Some("0001155c  noop"));
}

/// Commands that stop at damage say what is wrong, and what helps.
#[test]
fn a_lost_beginning_is_told_as_what_it_is() {
    let dir = Dir::new();
    dir.put("a.pgn", source());
    dir.pack("a.pgn");
    let whole = dir.read("a.pgc");
    let of = blocks(&whole);
    let zeroed = [&vec![0; of[3].bytes.end - 9], &whole[of[3].bytes.end - 9..]].concat();
    for (broken, at, missing) in [
        (whole[of[0].bytes.start..].to_vec(), 0, 0),
        (whole[of[1].stored + 100..].to_vec(), 0, of[1].games.end),
        (zeroed, of[3].bytes.end - 9, of[3].games.end),
    ] {
        dir.put("a.pgc", broken);
        let _ = std::fs::remove_file(dir.path().join("a.pgci"));
        let lost = format!("byte {at}, before game 1, head: is missing");
        for args in [
            &["merge", "a.pgc", "a.pgc", "-o", "b.pgc"][..],
            &["split", "a.pgc", "--by", "year", "-o", "years"],
            &["index", "a.pgc"],
            &["add", "a.pgc", "a.pgn"],
            &["protect", "a.pgc"],
        ] {
            let ran = dir.run(args).exits(3).says(&lost);
            ran.says("pgc salvage makes a whole archive of what is left");
        }
        dir.run(&["unpack", "a.pgc", "-o", "out.pgn"])
            .exits(3)
            .says(&lost)
            .says("--partial");
        let ran = dir.run(&["find", "a.pgc", "--count"]).exits(3).says(&lost);
        assert_eq!(ran.stdout().trim(), (GAMES - missing).to_string());
    }
    assert_eq!(dir.names(), ["a.pgc", "a.pgn"]);
}

#[test]
fn what_is_no_archive_is_told() {
    let dir = five();
    dir.put("words.pgc", "hello, these are words\n".repeat(100));
    for args in [
        &["test", "words.pgc"][..],
        &["info", "--sources", "words.pgc"],
        &["find", "words.pgc", "--count"],
        &["unpack", "words.pgc", "-c"],
        &["index", "words.pgc"],
        &["merge", "words.pgc", "five.pgc", "-o", "m.pgc"],
    ] {
        dir.run(args)
            .exits(2)
            .says("words.pgc: is not a PGC archive");
    }
}
