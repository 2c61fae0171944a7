//! Names in questions that nothing has, options that do not exist, and ranges with `-`.

use crate::cli::program::Dir;

const GAMES: &str = "\
[Event \"A\"]\n[Date \"1992.05.03\"]\n[White \"Ada\"]\n[Black \"Bob\"]\n[WhiteElo \"2600\"]\n[BlackElo \"2650\"]\n[Annotator \"Cyd\"]\n[TimeControl \"400\"]\n\n\
1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *\n\n\
[Event \"B\"]\n[Date \"1995.07.01\"]\n[White \"Cyd\"]\n[Black \"Ada\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n";

fn packed() -> Dir {
    let dir = Dir::new();
    dir.put("x.pgn", GAMES);
    dir.pack("x.pgn");
    dir
}

#[test]
fn names_that_nothing_has() {
    let dir = packed();
    for (args, says) in [
        (
            &["--opening", "najdorff"][..],
            "opening \"najdorff\": there is none with this name; similar: Sicilian Defense: Najdorf Variation",
        ),
        (
            &["--opening", "ruy lopes"],
            "opening \"ruy lopes\": there is none with this name; similar: Ruy Lopez",
        ),
        (
            &["--tag", "Anotator=cyd"],
            "tag Anotator: none of the games has it; similar: Annotator",
        ),
        (&["--tag", "Annotator=eve"], "no game matches"),
        (&["-p", "adda"], "similar: Ada"),
        (&["-d", "2001"], "no game matches"),
        (&["--eco", "B99"], "no game matches"),
    ] {
        for more in [&[][..], &["--count"]] {
            let ran = dir.run(&[&["find", "x.pgc"], args, more].concat());
            ran.exits(1).says(says).says("no game matches");
        }
        let quiet = dir.run(&[&["find", "x.pgc", "-q"], args].concat());
        assert_eq!(quiet.exits(1).stderr, "", "{args:?}");
    }
    // A tag that games have, with other values.
    let ran = dir.run(&["find", "x.pgc", "--tag", "Annotator=eve"]);
    assert!(!ran.stderr.contains("tag Annotator"), "{}", ran.stderr);
    // An opening that other games have.
    let ran = dir.run(&["find", "x.pgc", "--opening", "najdorf", "-d", "1995"]);
    assert!(!ran.stderr.contains("with this name"), "{}", ran.stderr);
    ran.exits(1).says("no game matches");

    dir.run(&["find", "x.pgc", "--columns", "whit"])
        .exits(2)
        .says("no such column; similar: white");
    dir.run(&["find", "x.pgc", "--eco", "Z99"])
        .exits(2)
        .says("A00 to E99");
    dir.run(&["names", "x.pgc", "--field", "Anotator"])
        .exits(1)
        .says("tag Anotator: none of the games has it");
    dir.run(&["names", "x.pgc", "--field", "plyer"])
        .exits(2)
        .says("no such field; similar: player");
}

/// Options, commands and values that are nearly one are named, others are not: `--force` is no
/// `--source`.
#[test]
fn mistyped_options_and_commands() {
    let dir = packed();
    for (args, says) in [
        (&["find", "x.pgc", "--opneing", "x"][..], "'--opening'"),
        (&["find", "x.pgc", "--not-openign=x"], "'--not-opening'"),
        (&["find", "x.pgc", "--col", "white"], "'--columns'"),
        (&["tree", "x.pgc", "--dept", "3"], "'--depth'"),
        (&["find", "x.pgc", "--format", "cvs"], "'csv'"),
        (&["fnd", "x.pgc"], "'find'"),
        (&["statz", "x.pgc"], "'stats'"),
    ] {
        let ran = dir.run(args).exits(2);
        assert!(
            ran.stderr.contains("similar") && ran.stderr.contains(says),
            "{}",
            ran.stderr
        );
    }
    for args in [
        &["test", "x.pgc", "--source", "x"][..],
        &["merge", "x.pgc", "-o", "y.pgc", "--source", "x"],
        &["ls"],
        &["frobnicate"],
        &["find", "x.pgc", "--zzz"],
    ] {
        let ran = dir.run(args).exits(2);
        assert!(!ran.stderr.contains("similar"), "{}", ran.stderr);
    }
}

#[test]
fn ranges_with_a_dash() {
    let dir = packed();
    for (args, games) in [
        (&["--elo", "2600-2700"][..], "1"),
        (&["--white-elo", "2500-"], "1"),
        (&["--plies", "5-9"], "1"),
        (&["--plies", "5-10"], "2"),
        (&["-d", "1992-1995"], "2"),
        (&["-d", "1992.06-1995"], "1"),
        (&["-d", "1992-05-04-1995-06"], "0"),
        (&["-d", "1992-05"], "1"),
        (&["-d", "1993-"], "1"),
        (&["--time", "300-600"], "1"),
        (&["--time", "500-600"], "0"),
        (&["--eco", "B00-B99"], "0"),
        (&["--pattern", "Pe4", "--ply", "6-9"], "1"),
    ] {
        let ran = dir.run(&[&["find", "x.pgc", "-q", "--count"], args].concat());
        assert_eq!(ran.stdout().trim(), games, "{args:?} {}", ran.stderr);
    }
    // A sign, not a range.
    for (wrong, why) in [
        ("-5", "is not a number or a range"),
        ("-2700", "is not a number or a range"),
        ("5-3", "ends before it begins"),
    ] {
        dir.run(&["find", "x.pgc", "--plies", wrong])
            .exits(2)
            .says(why);
    }
    let epd = dir.run(&["find", "x.pgc", "--format", "epd", "--at", "1-2"]);
    assert_eq!(epd.exits(0).stdout().lines().count(), 4);
}

#[test]
fn lines_of_csv() {
    let dir = packed();
    let columns = ["--columns", "number,white", "--format", "csv"];
    let find = |more: &[&str]| {
        dir.run(&[&["find", "x.pgc"], &columns[..], more].concat())
            .exits(0)
    };
    assert_eq!(find(&[]).stdout(), "number,white\n1,Ada\n2,Cyd\n");
    assert_eq!(find(&["-o", "-"]).stdout(), "number,white\n1,Ada\n2,Cyd\n");
    find(&["-o", "x.csv"]);
    // RFC 4180.
    assert_eq!(dir.read("x.csv"), b"number,white\r\n1,Ada\r\n2,Cyd\r\n");
}
