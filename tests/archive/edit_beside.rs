//! `pgc edit`: the files around an archive, what is refused and how, and tags out of form.

use std::fs;

use crate::archive::edit::{GAMES, after, becomes, dir_with};
use crate::cli::program::Dir;

#[cfg(unix)]
fn mode(dir: &Dir, name: &str) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(dir.path().join(name)).unwrap().mode() & 0o777
}

#[cfg(unix)]
fn set_mode(dir: &Dir, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_permissions_and_its_index_has_them() {
    let dir = dir_with(GAMES);
    for bits in [0o600, 0o640, 0o660, 0o604] {
        set_mode(&dir, "games.pgc", bits);
        fs::remove_file(dir.path().join("games.pgci")).unwrap();
        let event = format!("Event={bits}");
        for args in [
            &[
                "edit",
                "-q",
                "games.pgc",
                "--in-place",
                "--all",
                "--set",
                &event,
            ][..],
            &["pack", "-q", "-f", "games.pgn"],
            &["add", "-q", "games.pgc", "games.pgn"],
            &["index", "-q", "-f", "games.pgc"],
        ] {
            dir.run(args).exits(0);
            let found = ["games.pgc", "games.pgci"].map(|name| mode(&dir, name));
            assert_eq!(found, [bits; 2], "{args:?}");
        }
    }
    // A new archive can be read by nobody who cannot read the old one.
    dir.put("plain", "");
    let args = ["edit", "-q", "games.pgc", "--set", "A=b", "-o", "new.pgc"];
    dir.run(&args).exits(0);
    let both = mode(&dir, "plain") & mode(&dir, "games.pgc");
    assert_eq!(mode(&dir, "new.pgc"), both);
    assert_eq!(mode(&dir, "new.pgci"), both);
    // A read-only archive is replaced too: its folder decides about that.
    set_mode(&dir, "games.pgc", 0o440);
    dir.run(&[
        "edit",
        "-q",
        "games.pgc",
        "--in-place",
        "--all",
        "--set",
        "A=b",
    ])
    .exits(0);
    assert_eq!(mode(&dir, "games.pgc"), 0o440);
}

#[test]
fn the_log_is_a_file_of_its_own() {
    let dir = dir_with(GAMES);
    let folder = dir.path().display().to_string();
    #[cfg(unix)]
    std::os::unix::fs::symlink("games.pgci", dir.path().join("link")).unwrap();
    let before = dir.names();
    let kept = ["games.pgc", "games.pgci"].map(|name| dir.read(name));
    let absolute = format!("{folder}/games.pgci");
    let mut logs = vec!["games.pgc", "games.pgci", "./games.pgcr", &absolute];
    if cfg!(unix) {
        logs.push("link");
    }
    for log in logs {
        for to in [
            &["--in-place", "--all"][..],
            &["-o", "new.pgc"],
            &["--dry-run"],
        ] {
            let args = ["edit", "games.pgc", "--set", "A=b", "-f", "--log", log];
            dir.run(&[&args[..], to].concat())
                .exits(2)
                .says("must be different files");
        }
    }
    for log in ["new.pgc", "./new.pgci", "new.pgcr"] {
        let args = ["edit", "games.pgc", "--set", "A=b", "-o", "new.pgc"];
        dir.run(&[&args[..], &["-f", "--log", log]].concat())
            .exits(2)
            .says("must be different files");
    }
    assert_eq!(dir.names(), before);
    assert!(["games.pgc", "games.pgci"].map(|name| dir.read(name)) == kept);
}

#[test]
fn the_log_has_the_whole_text_of_a_long_game() {
    // In three pieces of 16 MiB at most, and games before and behind.
    let long = format!(
        "[White \"A\"]\n\n1. e4 {{{}}} *\n\n",
        "c".repeat(34_000_000)
    );
    let dir = dir_with(format!("1. c4 *\n\n{long}1. d4 *\n"));
    let args = ["edit", "-q", "games.pgc", "--games", "2", "--delete"];
    let ran = dir.run(&[&args[..], &["--in-place", "--log", "-"]].concat());
    let json = ran.exits(0).json();
    assert!(json["text"].as_str() == Some(&long));
    let left = dir.unpacked_text("games.pgc");
    assert_eq!(left, "1. c4 *\n\n1. d4 *\n");
}

#[test]
fn the_result_of_a_game_in_pieces_stays() {
    let long = format!(
        "[White \"A\"]\n[Result \"1-0\"]\n\n1. e4 {{{}}} e5 1-0\n",
        "c".repeat(17_000_000)
    );
    let dir = dir_with(format!("1. c4 *\n\n{long}"));
    for to in [&["--in-place"][..], &["--dry-run"]] {
        let args = [&["edit", "games.pgc", "--all", "--set", "Result=0-1"], to].concat();
        dir.run(&args).exits(2).says("game 2: is too long");
    }
    // What it already says is no change, and the other game has none of this trouble.
    let ran = dir.run(&[
        "edit",
        "-q",
        "games.pgc",
        "--in-place",
        "--all",
        "--set=Result=1-0",
    ]);
    ran.exits(0);
    let found = dir.unpacked_text("games.pgc");
    assert!(found == format!("[Result \"1-0\"]\n\n1. c4 1-0\n\n{long}"));
}

#[test]
fn what_would_run_together_is_named() {
    let text: String = (1..=5000)
        .map(|game| {
            let end = if game == 777 { "" } else { " *" };
            format!("[Event \"e{game}\"]\n\ne4 e5{end}\n\n")
        })
        .collect();
    let dir = dir_with(text);
    // The numbers are those of the archive, not of its second source.
    dir.put("first.pgn", "1. e4 *\n\n1. d4 *\n");
    dir.pack("first.pgn");
    let merge = ["merge", "-q", "first.pgc", "games.pgc", "-o", "both.pgc"];
    dir.run(&merge).exits(0);
    let args = ["edit", "both.pgc", "--unset", "Event", "-o", "new.pgc"];
    dir.run(&args)
        .exits(2)
        .says("game 779: has no end of its own, and would run together");
    assert!(!dir.names().contains(&"new.pgc".to_owned()));
    // A game that is deleted leaves its neighbours, and words behind a game.
    let dir = dir_with("[A \"1\"]\n\n1. e4\n\n[B \"2\"]\n\n1. d4 *\n\nwords\n");
    let args = ["edit", "games.pgc", "--in-place", "--games=2", "--delete"];
    dir.run(&args).exits(2).says("game 1: has no end");
}

#[test]
fn an_empty_line_may_go_to_the_text_before() {
    becomes(
        "1. e4 1-0 junk\n\n[White \"A\"]\n\n1. d4 *\n",
        &["--unset", "White"],
        "1. e4 1-0 junk\n\n\n1. d4 *\n",
    );
}

#[test]
fn pairs_are_added_before_those_that_are_written_anew() {
    becomes(
        "[White \"A\"\n\n1. e4 *\n",
        &["--set", "Event=f", "--set", "White=B"],
        "[Event \"f\"]\n[White \"B\"]\n\n1. e4 *\n",
    );
    becomes(
        "[Event \"e\"][White \"A\"\n\n1. e4 *\n",
        &["--set", "Site=f", "--set", "White=B"],
        "[Event \"e\"]\n[Site \"f\"]\n[White \"B\"]\n\n1. e4 *\n",
    );
}

#[test]
fn a_new_pair_has_its_own_line() {
    becomes(
        "[White \"A\"]   \n  [ECO \"B\"]\t\r\n\n1. e4 *\n",
        &["--set", "Black=x", "--set", "Source=y"],
        "[White \"A\"]   \n[Black \"x\"]\n  [ECO \"B\"]\t\n[Source \"y\"]\r\n\n1. e4 *\n",
    );
    becomes(
        "1. d4 *\n\n[A \"1\"]\n\n*\n\n  [ECO \"B\"]\n\n1. e4 *\n",
        &["--games", "3", "--set", "Black=x"],
        "1. d4 *\n\n[A \"1\"]\n\n*\n\n  [Black \"x\"]\n[ECO \"B\"]\n\n1. e4 *\n",
    );
    becomes(
        "  [ECO \"B\"]\n\n1. e4 *\n",
        &["--set", "Black=x"],
        "[Black \"x\"]\n  [ECO \"B\"]\n\n1. e4 *\n",
    );
    becomes(
        "[White \"A\"] [ECO \"B\"]\n\n1. e4 *\n",
        &["--set", "Black=x", "--set", "Result=*"],
        "[White \"A\"]\n[Black \"x\"]\n[Result \"*\"]\n [ECO \"B\"]\n\n1. e4 *\n",
    );
}

#[test]
fn an_old_result_is_compared_without_blanks() {
    becomes(
        "[Result \" 1-0 \"]\n\n1. e4 e5 1-0\n",
        &["--set", "Result=0-1"],
        "[Result \"0-1\"]\n\n1. e4 e5 0-1\n",
    );
    // Another one still leaves the marker alone.
    becomes(
        "[Result \"1-0 \"]\n\n1. e4 e5 *\n",
        &["--set", "Result=0-1"],
        "[Result \"0-1\"]\n\n1. e4 e5 *\n",
    );
}

#[test]
fn a_marker_stands_apart_from_the_move_before_it() {
    becomes(
        "[Result \"*\"]\n\n1. e4 e5*\n",
        &["--set", "Result=1-0"],
        "[Result \"1-0\"]\n\n1. e4 e5 1-0\n",
    );
    becomes(
        "[Result \"*\"]\n\n1. e4 {x}*\n",
        &["--set", "Result=1-0"],
        "[Result \"1-0\"]\n\n1. e4 {x}1-0\n",
    );
}

#[test]
fn an_index_that_is_not_made_again_is_told() {
    let dir = dir_with(GAMES);
    let args = [
        "edit",
        "games.pgc",
        "--in-place",
        "--all",
        "--set=A=b",
        "--no-index",
    ];
    dir.run(&args)
        .exits(0)
        .says("games.pgci: no longer fits games.pgc: make it again with `pgc index games.pgc`");
    dir.run(&["index", "-q", "games.pgc"]).exits(0);
    dir.run(&["add", "games.pgc", "games.pgn", "--no-index"])
        .exits(0)
        .says("games.pgci: no longer fits games.pgc");
    fs::remove_file(dir.path().join("games.pgci")).unwrap();
    let args = [
        "edit",
        "games.pgc",
        "--in-place",
        "--all",
        "--set=A=c",
        "--no-index",
    ];
    let ran = dir.run(&args).exits(0);
    assert!(!ran.stderr.contains("no longer fits"), "{}", ran.stderr);
}

#[test]
fn addresses_name_the_archive_in_any_way() {
    let dir = dir_with(GAMES);
    let mut names = vec![
        "games.pgc".to_owned(),
        "./games.pgc".to_owned(),
        dir.path().join("games.pgc").display().to_string(),
    ];
    if cfg!(unix) {
        #[cfg(unix)]
        std::os::unix::fs::symlink("games.pgc", dir.path().join("link.pgc")).unwrap();
        names.push("link.pgc".to_owned());
    }
    let args = ["edit", "games.pgc", "--games=-", "--set=A=b", "--dry-run"];
    for name in &names {
        let ran = dir.feed(&args, format!("{name}:2\n").as_bytes()).exits(0);
        assert_eq!(ran.stdout(), "2: A none -> \"b\"\n", "{name}");
    }
    dir.put("other.pgc", dir.read("games.pgc"));
    let mixed = format!("{}:1\nother.pgc:2\n", names[1]);
    dir.feed(&args, mixed.as_bytes())
        .exits(2)
        .says("not a game number");
}

#[test]
fn small_things_that_are_asked_for() {
    let dir = dir_with(GAMES);
    for games in ["--games=", "--games=,", "--games=1,"] {
        let args = ["edit", "games.pgc", games, "--set", "A=b", "--dry-run"];
        dir.run(&args).exits(2).says("the number of a game");
    }
    let args = ["edit", "games.pgc", "--set", "A=b", "-o", "folder/"];
    dir.run(&args).exits(2).says("is a folder");
    let twice = ["--set=A=1", "--set=A=1", "--unset=Event", "--unset=Event"];
    let names = ["--rename-player", "Tal", "T", "--rename-player", "Tal", "T"];
    becomes(
        GAMES,
        &[&twice[..], &names].concat(),
        "[White \"T\"]\n[Result \"*\"]\n[A \"1\"]\n\n1. e4 *\n\n[A \"1\"]\n\n1. d4 1-0\n",
    );
    let args = ["edit", "games.pgc", "--dry-run", "--set=A=1", "--set=A=2"];
    dir.run(&args).exits(2).says("\"A\" would be changed twice");
}

#[test]
fn tags_whose_names_are_out_of_form_can_be_found_and_removed() {
    let text = "[White-Elo \"2700\"]\n[White \"A\"]\n\n1. e4 *\n";
    let dir = dir_with(text);
    let ran = dir.run(&["find", "games.pgc", "-q", "--tag=White-Elo=2700", "--count"]);
    assert_eq!(ran.exits(0).stdout(), "1\n");
    becomes(
        text,
        &["--unset", "White-Elo"],
        "[White \"A\"]\n\n1. e4 *\n",
    );
    for name in ["", "Two words", "a]", "x\"y"] {
        let args = ["edit", "games.pgc", "--dry-run", "--unset", name];
        dir.run(&args).exits(2).says("cannot be the name of a tag");
    }
    let ran = dir.run(&["edit", "games.pgc", "--dry-run", "--set", "White-Elo=1"]);
    ran.exits(2).says("is not the name of a tag");
    // A name in Latin-1 does not keep other tags from changing.
    let found = after(b"[Gr\xf6\xdfe \"1\"]\n[A \"1\"]\n\n*\n", &["--set", "A=2"]);
    assert_eq!(found, b"[Gr\xf6\xdfe \"1\"]\n[A \"2\"]\n\n*\n");
}
