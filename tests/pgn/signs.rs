//! Signs for glyphs, signs in names, and what programs write into comments, dates and tags. The
//! expected values are typed from what the writers of these files mean; where a file of
//! `../shared/cases` is named, its .expect file says them.

use std::path::PathBuf;

use pgc::{Archive, NoHooks, Query, pack};
use pgc_pgn::game::{ElemKind, ParsedGames, Wholeness};
use tempfile::TempDir;

use crate::cli::program::Dir;
use crate::support::{options, shared, small_of, unpacked};

/// An archive in a folder of its own.
struct Packed {
    archive: Archive,
    _folder: TempDir,
}

impl Packed {
    fn new(pgn: &[u8]) -> Packed {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pgc");
        let mut bytes = Vec::new();
        pack(
            &mut &*pgn,
            "x.pgn",
            &mut bytes,
            &options(true, 1),
            &mut NoHooks,
        )
        .unwrap();
        let back = unpacked(&bytes).unwrap();
        assert!(back == pgn, "the bytes come back");
        assert!(unpacked(&small_of(pgn, true).unwrap()).unwrap() == pgn);
        std::fs::write(&path, bytes).unwrap();
        let archive = Archive::open(&path).unwrap();
        let _folder = folder;
        Packed { archive, _folder }
    }

    /// The numbers of the games that an asked query finds.
    fn finds(&self, query: &str) -> Vec<u64> {
        let query = Query::parse(query).unwrap();
        self.archive.find(&query, 1).unwrap().numbers().collect()
    }
}

fn case(name: &str) -> Option<Vec<u8>> {
    let folder: PathBuf = shared("PGC_CASES", "cases")?;
    Some(std::fs::read(folder.join(name)).unwrap())
}

/// The numbers of the NAGs of a movetext, and of its moves.
fn nags(movetext: &str) -> (Vec<u32>, usize) {
    let text = format!("[Event \"x\"]\n\n{movetext}\n");
    let mut games = ParsedGames::default();
    games.read_game(text.as_bytes(), true).unwrap();
    let game = games.last().unwrap();
    assert_eq!(game.wholeness, Wholeness::Whole, "{movetext}");
    let nags = game.elems.iter().filter(|elem| elem.kind == ElemKind::Nag);
    (nags.map(|elem| elem.num).collect(), game.plies())
}

#[test]
fn signs_are_nags() {
    for (sign, white, black) in [
        ("\u{203c}", 3, 3),
        ("\u{2047}", 4, 4),
        ("\u{2049}", 5, 5),
        ("\u{2049}\u{fe0f}", 5, 5),
        ("\u{2048}", 6, 6),
        ("=", 10, 10),
        ("+/=", 14, 14),
        ("+ -", 18, 18),
        ("\u{2212}+", 19, 19),
        ("--+", 21, 21),
        ("~", 13, 13),
        ("\u{2a00}", 23, 22),
        ("\u{27f3}", 32, 33),
        ("\u{2191}", 36, 37),
        ("\u{2192}", 40, 41),
        ("=/\u{221e}", 44, 45),
        ("\u{27e9}", 54, 55),
        ("\u{21c6}", 132, 133),
        ("\u{2295}", 138, 139),
        ("\u{2206}", 140, 140),
        ("\u{2313}", 142, 142),
        ("N", 146, 146),
        ("\u{2a72},", 14, 14),
    ] {
        let text = format!("1. e4 {sign} e5 {sign} 2. Nf3 (2. f4 {sign} exf4) 2... Nc6 *");
        assert_eq!(nags(&text), (vec![white, black, white], 4), "{sign}");
        if !sign.contains([' ', 'N']) {
            let text = format!("1. e4{sign} e5{sign} *");
            assert_eq!(nags(&text), (vec![white, black], 2), "{sign}");
        }
    }
    // Signs that stand for no glyph, pictures too, are passed over.
    for sign in [
        "\u{2605}",
        "\u{1f44d}",
        "\u{2588}",
        "=+-",
        "<=>",
        "\u{27f7}",
    ] {
        assert_eq!(
            nags(&format!("1. e4 {sign} e5{sign} *")),
            (vec![], 2),
            "{sign}"
        );
    }
    // Two judgements are two glyphs.
    assert_eq!(nags("1. e4 = +- e5 *"), (vec![10, 18], 2));
    // What touches a move is no sign.
    let text = b"[Event \"x\"]\n\n1. e4 + -e5 *\n";
    let mut games = ParsedGames::default();
    games.read_game(text, true).unwrap();
    assert_eq!(games.last().unwrap().plies(), 1);
    assert_eq!(nags("1. e4 f5 2. Qh5+- g6 3. Qe2+/- *").0, [18, 16]);
}

#[test]
fn a_dash_between_two_moves_is_no_null_move() {
    let plies = |movetext: &str| {
        let text = format!("[Event \"x\"]\n\n{movetext}\n");
        let mut games = ParsedGames::default();
        games.read_game(text.as_bytes(), true).unwrap();
        let game = games.last().unwrap();
        (game.plies(), game.wholeness == Wholeness::Whole)
    };
    for (movetext, expected) in [
        ("1. e4 \u{2014} e5 2. Nf3 *", (3, true)),
        (
            "1. e4 \u{2013} 1... e5 \u{2014} 2. Nf3 \u{2014} Nc6 *",
            (4, true),
        ),
        ("1. e4 \u{2014} 2. d4 *", (1, false)),
        ("1. \u{2014} e5 *", (0, false)),
        ("1. e4 \u{2014} *", (1, false)),
        ("1. e4 \u{2014} d4 *", (1, false)),
    ] {
        assert_eq!(plies(movetext), expected, "{movetext}");
    }
}

#[test]
fn one_meaning_of_a_sign_everywhere() {
    let pgn = "[Event \"a\"]\n\n1. e4 +- e5 \u{2192} *\n\n[Event \"b\"]\n\n1. e4 $18 e5 N *\n\n\
        [Event \"c\"]\n\n1. e4 e5\u{203c} *\n";
    let packed = Packed::new(pgn.as_bytes());
    assert_eq!(packed.finds("--nag +-"), [1, 2]);
    assert_eq!(packed.finds("--nag 18"), [1, 2]);
    assert_eq!(packed.finds("--nag 41"), [1]);
    assert_eq!(packed.finds("--nag \u{2192}"), [1]);
    assert_eq!(packed.finds("--nag N"), [2]);
    assert_eq!(packed.finds("--nag !!"), [3]);
    assert_eq!(packed.finds("--has nags"), [1, 2, 3]);
}

#[test]
fn glyphs_of_a_case() {
    let Some(pgn) = case("119-glyph-chars.pgn") else {
        return;
    };
    let packed = Packed::new(&pgn);
    assert_eq!(packed.finds("--plies 20"), [1]);
    for nag in [
        "3", "4", "5", "6", "\u{27f3}", "7", "10", "13", "14", "15", "16", "17", "18", "19",
    ] {
        assert_eq!(packed.finds(&format!("--nag {nag}")), [1], "{nag}");
    }
}

#[test]
fn signs_separate_words() {
    let game = |event: &str, white: &str| {
        format!("[Event \"{event}\"]\n[White \"{white}\"]\n[Black \"x\"]\n\n1. e4 *\n\n")
    };
    let pgn = [
        game("Women\u{2019}s World Rapid 2024", "O\u{2019}Kelly, A"),
        game("Women's World Rapid 2024", "O'Kelly, A"),
        game(
            "\u{201c}Women\u{b4}s\u{201d} Rapid\u{2014}World",
            "O\u{2bc}Kelly, A",
        ),
        game("Men", "Vachier\u{2013}Lagrave, M"),
        game("\u{1f3c6}Final", "\u{110}uri\u{107}, Stefan"),
        game("x", "Djuric, S"),
        game("x", "Duric, Stefan"),
    ];
    let packed = Packed::new(pgn.concat().as_bytes());
    assert_eq!(packed.finds("--player \"o'kelly\""), [1, 2, 3]);
    assert_eq!(packed.finds("--event \"women's world rapid\""), [1, 2, 3]);
    assert_eq!(packed.finds("--player \"vachier lagrave\""), [4]);
    assert_eq!(packed.finds("--event final"), [5]);
    assert_eq!(packed.finds("--player djuric"), [5, 6, 7]);
    assert_eq!(packed.finds("--player \u{110}uri\u{107}"), [5, 6, 7]);
}

#[test]
fn spellings_of_people_of_the_past() {
    let game = |white: &str, year: u32| {
        format!("[White \"{white}\"]\n[Black \"x\"]\n[Date \"{year}.??.??\"]\n\n1. e4 *\n\n")
    };
    let pgn = [
        game("Alekhine, Alexander", 1927),
        game("Aljechin, A", 1910),
        game("Alekhin, Alexander", 1930),
        game("Alekhine, A", 1880),
        game("Kasparov, Garry", 1950),
        game("Kasparov, G", 1950),
        game("Kasparow, Garri", 1985),
        game("Kasparov, Sergey", 1950),
    ];
    let packed = Packed::new(pgn.concat().as_bytes());
    assert_eq!(packed.finds("--player alekhine"), [1, 2, 3, 4]);
    assert_eq!(packed.finds("--player \"aljechin alexander\""), [1, 2, 3]);
    assert_eq!(packed.finds("--player \"kasparov garry\""), [7]);
    // Kasparow, G is one of his names, and so is its other spelling.
    assert_eq!(packed.finds("--white kasparov"), [7, 8]);
    // With another test that games may pass instead.
    assert_eq!(
        packed.finds("--player \"kasparov garry\" --player =x --date 1950"),
        [5, 6, 8]
    );
}

#[test]
fn evaluations_without_a_period_are_in_hundredths() {
    let pgn = "[Event \"ChessBase\"]\n\n1. e4 {[%eval 14,24]} e5 {[%eval 20,24]} *\n\n\
        [Event \"Lichess\"]\n\n1. e4 {[%eval 0.14]} e5 {[%eval 3.2]} *\n";
    let packed = Packed::new(pgn.as_bytes());
    assert_eq!(packed.finds("--eval-swing 200.."), [2]);
    assert_eq!(packed.finds("--eval-swing 6"), [1]);
    if let Some(pgn) = case("108b-eval-centipawns.pgn") {
        assert!(Packed::new(&pgn).finds("--eval-swing 200..").is_empty());
    }
}

#[test]
fn all_comments_tell_clocks_and_evaluations() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(20);
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let game = |comment: &dyn Fn(usize) -> &'static str| {
        let moves = moves.iter().enumerate();
        let moves = moves.map(|(at, san)| format!("{san} {{{}}}", comment(at)));
        format!(
            "[Event \"x\"]\n\n{} *\n\n",
            moves.collect::<Vec<_>>().join("\n")
        )
    };
    let pgn = [
        game(&|at| if at < 60 { "book" } else { "+0.35/21 1.2s" }),
        game(&|at| {
            if at < 79 {
                "[%clk 0:01:00]"
            } else {
                "[%clk 0:01:00] [%eval 0.1]"
            }
        }),
        game(&|at| {
            if at < 70 {
                "[%emt 0:00:01]"
            } else {
                "[%csl Ga1][%clk\n0:01:00]"
            }
        }),
        game(&|at| {
            if at < 40 {
                "book"
            } else {
                "d=3, tl=00:10:00, wv=0.1"
            }
        }),
        game(&|_| "[%emt 0:00:01]"),
        game(&|at| {
            if at < 40 {
                "[%clk 0:01:00]"
            } else {
                "0.\n60/21 826"
            }
        }),
    ];
    let packed = Packed::new(pgn.concat().as_bytes());
    assert_eq!(packed.finds("--has evals"), [1, 2, 4, 6]);
    assert_eq!(packed.finds("--has clocks"), [2, 3, 4, 6]);
    // It is what the questions for them find.
    assert_eq!(packed.finds("--clock 0.."), packed.finds("--has clocks"));
}

#[test]
fn digits_and_signs_of_a_tag_are_one_word() {
    let values = [
        "+7",
        "-7",
        "+70",
        "-74",
        "7",
        "1-0",
        "0-1",
        "MegaBase 2010",
        "2010.05.03",
    ];
    let pgn = values.map(|value| format!("[Event \"x\"]\n[Note \"{value}\"]\n\n1. e4 *\n\n"));
    let packed = Packed::new(pgn.concat().as_bytes());
    for (asked, expected) in [
        ("+7", &[1][..]),
        ("-7", &[2]),
        ("7", &[5]),
        ("1-0", &[6]),
        ("2010", &[8]),
        ("2010*", &[8, 9]),
        ("=7", &[5]),
        ("base*", &[]),
        ("mega", &[8]),
    ] {
        assert_eq!(
            packed.finds(&format!("--tag Note={asked}")),
            expected,
            "{asked}"
        );
    }
}

#[test]
fn dates_and_time_controls_of_programs() {
    let game =
        |tag: &str, value: &str| format!("[Event \"x\"]\n[{tag} \"{value}\"]\n\n1. e4 *\n\n");
    let pgn = [
        game("Date", "2024-01-17 04:53:18"),
        game("Date", "2024.01.17T10:00"),
        game(
            "Date",
            "Wed Jan 17 2024 04:53:18 GMT+0100 (Central European Standard Time)",
        ),
        game("TimeControl", "40/5400+30:1800+30"),
    ];
    let packed = Packed::new(pgn.concat().as_bytes());
    assert_eq!(packed.finds("--date 2024.01.17"), [1, 2, 3]);
    assert_eq!(packed.finds("--time classical"), [4]);
    assert_eq!(packed.finds("--time 40/5400+30:1800+30"), [4]);
    assert_eq!(packed.finds("--time 5400..5400"), [4]);
}

/// The aliases that come with the program, and those of a file, are names of nobody who was not born
/// or had died: Petroff lived from 1794 to 1867, Leventhal (Lowenthal) from 1810 to 1876.
#[test]
fn nobody_plays_before_birth_or_after_death() {
    let game =
        |white: &str, date: &str| format!("[White \"{white}\"]\n[Date \"{date}\"]\n\n1. e4 *\n\n");
    let games = [
        game("Petrov, Alexander", "1840.??.??"),
        game("Petrov, Alexander", "2005.01.01"),
        game("Petrov, Alexander", "????.??.??"),
        game("Lewenthal, J", "1876.01.01"),
        game("Lewenthal, J", "1877.01.01"),
        game("Lewenthal, J", "1810.01.01"),
        game("Nobody, N", "1801.01.01"),
        game("Nobody, N", "1802.01.01"),
    ];
    let dir = Dir::new();
    dir.put("x.pgn", games.concat());
    dir.put("a.ssp", "@PLAYER\nSome, One  #GM --1801\n   = Nobody, N\n");
    dir.run(&["pack", "-q", "x.pgn"]).exits(0);
    let finds = |asked: &str| {
        let find = [
            "find",
            "x.pgc",
            "-p",
            asked,
            "--aliases",
            "a.ssp",
            "--columns",
            "number",
        ];
        let found = dir.run(&find).exits(0).stdout();
        let numbers = found
            .lines()
            .skip(1)
            .map(|line| line.trim().parse().unwrap());
        numbers.collect::<Vec<u64>>()
    };
    assert_eq!(finds("Petroff"), [1, 3]);
    assert_eq!(finds("leventhal"), [4]);
    assert_eq!(finds("Some, One"), [7]);
    // As it is spelled, a name is that of anybody.
    assert_eq!(finds("=Lewenthal, J"), [4, 5, 6]);
}

#[test]
fn edit_renames_by_an_alias_file() {
    let dir = Dir::new();
    let game = |white: &str, year: u32| {
        format!("[White \"{white}\"]\n[Date \"{year}.01.01\"]\n\n1. e4 *\n\n")
    };
    let games = |names: [&str; 4]| {
        let years = [1985, 1950, 1990, 1990];
        let games = names.iter().zip(years);
        games
            .map(|(name, year)| game(name, year))
            .collect::<String>()
    };
    dir.put(
        "x.pgn",
        games(["Kasparow,G", "Kasparow,G", "Smith, J", "Garri Kasparow"]),
    );
    dir.put(
        "a.ssp",
        "@PLAYER\nKasparov, Garry  #GM RUS [2838] 1963.04.13\n   = Kasparow, G\n   = Kasparow, Garri\n\
         Smith, John\n   = Smith, J\nSmith, Jane\n   = Smith, J\n",
    );
    dir.run(&["pack", "-q", "x.pgn"]).exits(0);
    dir.run(&[
        "edit",
        "x.pgc",
        "--rename-aliases",
        "a.ssp",
        "--in-place",
        "-q",
    ])
    .exits(0);
    let text = dir.run(&["unpack", "-q", "-c", "x.pgc"]).exits(0).stdout();
    let expected = [
        "Kasparov, Garry",
        "Kasparow,G",
        "Smith, J",
        "Kasparov, Garry",
    ];
    assert_eq!(text, games(expected));
}
