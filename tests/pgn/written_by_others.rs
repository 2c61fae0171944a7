//! What other programs write, read as they mean it: tag sections without movetext between them,
//! games behind cut comments, tags and FENs in other forms, code pages of DOS.

use pgc::lint::{LintOptions, lint};
use pgc::{Archive, Game, NoHooks, PackOptions, SourceEncoding, pack};
use pgc_pgn::clause::Rule;
use pgc_pgn::epd::line::EpdLine;
use pgc_pgn::epd::list::read_positions;
use pgc_pgn::split::{Splitter, UnitKind};

use crate::index::questions::assert_found;
use crate::support::{archive_of, assert_round_trip, shared, unpacked};

/// The games of a text, whatever part of it is read at a time.
fn games(text: &str) -> Vec<&str> {
    assert_round_trip(text, text.as_bytes());
    let read = |step: usize| {
        let (mut splitter, mut found, mut have) = (Splitter::in_letters(None), Vec::new(), 0);
        loop {
            let is_end = have == text.len();
            while let Some(unit) = splitter.next_unit(&text.as_bytes()[..have], is_end) {
                found.extend((unit.kind == UnitKind::Game).then(|| &text[unit.start..unit.end]));
            }
            if is_end {
                return found;
            }
            have = (have + step).min(text.len());
        }
    };
    let whole = read(text.len().max(1));
    for step in [1, 2, 5] {
        assert_eq!(read(step), whole, "{text:?} in reads of {step}");
    }
    whole
}

/// The games of an archive of this text, through the library.
fn archived(name: &str, text: &[u8], options: &PackOptions) -> Vec<Game> {
    let mut archive = Vec::new();
    pack(&mut &*text, name, &mut archive, options, &mut NoHooks).unwrap();
    assert_eq!(unpacked(&archive).unwrap(), text);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgc");
    std::fs::write(&path, archive).unwrap();
    let archive = Archive::open(&path).unwrap();
    let count = archive.len().unwrap();
    (1..=count)
        .map(|number| archive.game(number).unwrap())
        .collect()
}

fn read(text: &str) -> Vec<Game> {
    archived("x.pgn", text.as_bytes(), &PackOptions::default())
}

fn sans(game: &Game) -> String {
    let sans: Vec<&str> = game
        .moves
        .iter()
        .map(|played| played.san.as_str())
        .collect();
    sans.join(" ")
}

#[test]
fn sections_without_event() {
    let text = "[Event \"R\"]\n[Round \"1\"]\n[White \"A\"]\n\n[Round \"2\"]\n[White \"B\"]\n\n\
                [Round \"3\"]\n[White \"A\"]\n\n* \n";
    let rounds: Vec<_> = read(text)
        .iter()
        .map(|game| game.tag("Round").map(str::to_owned))
        .collect();
    assert_eq!(rounds, ["1", "2", "3"].map(|round| Some(round.to_owned())));
    // Lichess begins each section of a study with the same Event; some programs with the same Site.
    assert_eq!(
        games("[Event \"S\"]\n[Site \"x\"]\n\n[Event \"S\"]\n[Site \"x\"]\n\n").len(),
        2
    );
    assert_eq!(
        games("[Event \"S\"]\n[Site \"x\"]\n[Round \"1\"]\n\n[Site \"x\"]\n[Round \"2\"]\n\n*")
            .len(),
        2
    );
    // An empty line before a `%` line, or behind one.
    for lines in ["\n%x\n", "%x\n\n", "%x\n\n%y\n"] {
        let text = format!("[Event \"S\"]\n[Round \"1\"]\n{lines}[Round \"2\"]\n\n*");
        assert_eq!(games(&text).len(), 2, "{text:?}");
    }
    // A `>` before the tags, as in mail, and other blanks.
    assert_eq!(
        games("> [Event \"S\"]\n> [Round \"1\"]\n>\n> [Round \"2\"]\n\n*"),
        [
            "> [Event \"S\"]\n> [Round \"1\"]\n>\n> ",
            "[Round \"2\"]\n\n*"
        ]
    );
    assert_eq!(
        games("[A \"1\"]\r\n[B \"2\"]\r\n\r\n[B \"3\"]\r\n\r\n*").len(),
        2
    );
}

#[test]
fn what_stays_one_game() {
    for text in [
        // An empty line between different tags, before each tag, and behind some.
        "[Event \"x\"]\n[White \"A\"]\n\n[Black \"B\"]\n[Result \"*\"]\n\n*",
        "[Event \"x\"]\n\n[White \"A\"]\n\n[Black \"B\"]\n\n1. e4 *",
        // A bracket and a whole tag pair in a value.
        "[Event \"x [rapid]\"]\n[White \"[Event \\\"y\\\"]\"]\n[Black \"[Event\"]\n\n*",
        // A `%` line is no empty line.
        "[Event \"x\"]\n[ECO \"C20\"]\n%y\n[ECO \"C21\"]\n\n*",
        "[Event \"x\"]\n%y\n%z\n[Event \"y\"]\n\n*",
        // What tools write a second time.
        "[Event \"x\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n\
         [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. e4 *",
        "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\
         [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n1. e4 *",
        "[Event \"x\"]\n[WhiteElo \"1\"]\n[BlackElo \"2\"]\n[ECO \"A00\"]\n[WhiteElo \"3\"]\n\
         [BlackElo \"4\"]\n\n*",
        "[Event \"x\"]\n[Event \"y\"]\n[Site \"z\"]\n\n*",
        "[Event \"x\"]\n[Site \"y\"]\n[Date \"z\"]\n[Event \"x\"]\n[Site \"y\"]\n[Date \"z\"]\n\n*",
    ] {
        assert_eq!(games(text).len(), 1, "{text:?}");
    }
}

#[test]
fn tags_of_a_dead_game() {
    let next =
        "[Event \"y\"]\n[Site \"t\"]\n[Date \"2\"]\n[White \"C\"]\n[Result \"0-1\"]\n\n1. e4 0-1\n";
    let dead = "[Event \"x\"]\n[Site \"s\"]\n[Date \"1\"]\n[White \"A\"]\n[Result \"1-0\"]\n";
    for (cut, first) in [
        (dead.to_owned(), dead),
        (dead[..24].to_owned(), &dead[..24]),
        (
            "[Event \"x\"]\n[Site \"s\"]\n".to_owned(),
            "[Event \"x\"]\n[Site \"s\"]\n",
        ),
    ] {
        assert_eq!(games(&format!("{cut}{next}")), [first, next], "{cut:?}");
    }
    // The same event and site: only the third of the tags differs.
    let same = next.replace("\"y\"", "\"x\"").replace("\"t\"", "\"s\"");
    assert_eq!(games(&format!("{dead}{same}")), [dead, &same]);
    // Cut in a value, which swallows the first tag of the next game.
    let text = format!("{}[TimeControl \"6{next}", dead);
    let found = read(&text);
    let (last, before) = found.split_last().unwrap();
    assert_eq!(
        (last.tag("White"), last.tag("Result")),
        (Some("C"), Some("0-1"))
    );
    assert_eq!((sans(last).as_str(), before.len()), ("e4", 1));
    // One tag is no section: its last value counts.
    let game = &read("[Event \"x\"]\n[Event \"y\"]\n[White \"A\"]\n\n1. e4 *")[0];
    assert_eq!(game.tag("Event"), Some("y"));
}

#[test]
fn games_behind_what_was_cut() {
    let next = "[Event \"y\"]\n[White \"C\"]\n[Black \"D\"]\n\n1. d4 {ok} d5 (1... e5) 0-1\n";
    for cut in [
        "1. e4 e5 (1... c5 2. Nf3\n",
        "1. e4 {cut\n",
        "1. e4 {cut",
        "1. e4 e5 (1... c5",
        "1. e4 e5 (1... c5 {cut",
        "1. e4 e5 (1... c5 [x] {cut",
        "1. e4 {cut\n\n",
    ] {
        let text = format!("[Event \"x\"]\n\n{cut}{next}");
        let before = format!("[Event \"x\"]\n\n{cut}");
        // Without a line end the line itself has three tags behind it only with a fourth.
        let more = next.replacen("\n", "\n[Site \"z\"]\n", 1);
        let text = if cut.ends_with('\n') {
            text
        } else {
            format!("{before}{more}")
        };
        let found = games(&text);
        assert_eq!(found.len(), 2, "{text:?}");
        assert_eq!(found[0], before);
    }
    for closed in [
        "1. e4 {See\n[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n1. d4} e5 *",
        "1. e4 (1. d4\n[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n1... d5) e5 *",
        "1. e4 {two\n[A \"1\"]\n[B \"2\"]\n\n1. d4 {x} *",
    ] {
        assert_eq!(games(closed).len(), 1, "{closed:?}");
    }
}

#[test]
fn positions_with_foreign_operations() {
    for (line, written) in [
        ("bm #1; ep; 00:00;", "bm #1; ep; 00:00;"),
        ("PV: d2d4 e8e7; bm #-3;", "bm #-3; PV: d2d4 e8e7;"),
        ("1 4; v=-328", "fmvn 4; hmvc 1; v=-328;"),
        ("0 1 [0.5]", "fmvn 1; hmvc 0; [0.5];"),
        ("0 1 | 25 | 0.5", "fmvn 1; hmvc 0; | 25 | 0.5;"),
        ("; +- no repetition", "+- no repetition;"),
        ("sm e4; id \"no end; x", "sm e4; id \"no end; x;"),
        ("; 3+3; 5 6;", "; 3+3; 5 6;"),
    ] {
        let board = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        let read = EpdLine::parse(&format!("{board} {line}")).unwrap();
        assert!(!read.check().is_empty(), "{line}");
        assert_eq!(read.to_string(), format!("{board} {written}"));
        // What was written is written again.
        let again = EpdLine::parse(&read.to_string()).unwrap();
        assert_eq!(again.to_string(), read.to_string());
    }
    let text =
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 25 | 0.5\nnonsense\n4k3/8/8/8/8/8/3P4/4K3 w - - +-\n";
    let found = archived("x.epd", text.as_bytes(), &PackOptions::default());
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].tag("EPD"), Some("+-"));
    let listed = read_positions(text.as_bytes()).unwrap();
    assert_eq!((listed.skipped, listed.fault.unwrap().to_string()), {
        let fault = "line 2, column 1: not a board: \"nonsense\"";
        (1, fault.to_owned())
    });
    assert!(read_positions(&b"nonsense\n"[..]).is_err());
    // A list of FENs is EPD by its name.
    let fens = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 b - e4 3 9\n";
    assert_eq!(
        archived("x.fen", fens.as_bytes(), &PackOptions::default()).len(),
        2
    );
}

#[test]
fn quotes_of_typographers() {
    let text = "[Event \u{201c}Interzonal\u{201d}]\n[White \u{201e}Tal, Mihail\u{201c}]\n[Black 'Spassky, Boris']\n\
                [Site \u{ab}Riga\u{bb}]\n[WhiteElo \u{201c}2600\u{201d}]\n\
                [FEN \u{201c}4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\u{201d}]\n\n1. e4 Kd7 1-0\n";
    let game = &read(text)[0];
    let tags = ["Event", "White", "Black", "Site", "WhiteElo"].map(|name| game.tag(name).unwrap());
    assert_eq!(
        tags,
        [
            "Interzonal",
            "Tal, Mihail",
            "Spassky, Boris",
            "Riga",
            "2600"
        ]
    );
    assert_eq!(sans(game), "e4 Kd7");
}

#[test]
fn fens_of_other_programs() {
    for (fen, moves) in [
        (
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2;",
            "2. Nf3 d6",
        ),
        (
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2;",
            "2. Nf3 d6",
        ),
        // White's pawn stands on e4, and the square behind it is e3.
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e4 0 1", "1... dxe3"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w AHah - 0 0", "1. O-O O-O-O"),
    ] {
        let text = format!("[SetUp \"1\"]\n[FEN \"{}\"]\n\n{moves} *\n", fen);
        assert_round_trip(&text, text.as_bytes());
        let plies = moves.split(' ').filter(|word| !word.ends_with('.')).count();
        assert_eq!(read(&text)[0].moves.len(), plies, "{fen}");
    }
}

#[test]
fn names_of_rules() {
    // What python-chess plays: `chess.variant.VARIANTS` and `chess.pgn.Headers.variant`.
    for (variant, moves) in [
        ("Freestyle", "1. e4 e5"),
        ("960", "1. e4 e5"),
        ("KOTH", "1. e4 e5"),
        ("wild/0", "1. e4 e5"),
        // A capture is compulsory.
        ("Giveaway", "1. e4 d5 2. exd5"),
        ("Suicide", "1. e4 d5 2. exd5"),
        ("Anti", "1. e4 d5 2. exd5"),
        ("Atom", "1. e4 d5 2. exd5"),
        ("Crazy House", "1. e4 d5 2. exd5 Qxd5 3. P@h3"),
        ("Three check", "1. e4 e5"),
    ] {
        let text = format!("[Variant \"{variant}\"]\n\n{moves} *\n");
        let plies = moves.split(' ').filter(|word| !word.ends_with('.')).count();
        assert_eq!(read(&text)[0].moves.len(), plies, "{variant}");
    }
    assert!(
        read("[Variant \"Suicide\"]\n\n1. e4 d5 2. a3 *\n")[0]
            .tail
            .is_some()
    );
    assert!(read("[Variant \"Losers\"]\n\n1. e4 *\n")[0].tail.is_some());
}

/// A position in a tag whose name is in the wrong case counts for no reader of records, and the
/// usual position would be wrong.
#[test]
fn a_fen_in_small_letters() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for (tags, plies) in [
        (format!("[fen \"{fen}\"]"), 0),
        (format!("[Fen \"{fen}\"]"), 0),
        (format!("[FEN \"{fen}\"]\n[fen \"x\"]"), 1),
        (
            "[fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]".to_owned(),
            1,
        ),
        ("[fen \"?\"]".to_owned(), 1),
        ("[variant \"Atomic\"]".to_owned(), 0),
        ("[variant \"Standard\"]".to_owned(), 1),
    ] {
        let text = format!("{tags}\n\n1. e4 *\n");
        assert_round_trip(&text, text.as_bytes());
        let game = &read(&text)[0];
        assert_eq!(game.moves.len(), plies, "{tags}");
        assert_eq!(game.board_after([]).is_some(), plies == 1, "{tags}");
        let usual = "--fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let found: &[u64] = if tags.contains("4k3") || plies == 0 {
            &[]
        } else {
            &[1]
        };
        assert_found(&text, &[(usual, found)]);
    }
    let (_, fixed) = linted(&format!("[setup \"1\"]\n[fen \"{fen}\"]\n\n1. e4 Kd7 *\n"));
    assert!(fixed.contains(&format!("[FEN \"{fen}\"]")), "{fixed}");
    assert!(fixed.ends_with("\n1. e4 Kd7 *\n\n"), "{fixed}");
}

/// The rules that a text breaks, and the text that `lint --fix` makes of it.
fn linted(text: &str) -> (Vec<Rule>, String) {
    let options = LintOptions {
        threads: 1,
        ..LintOptions::default()
    };
    let (mut rules, mut fixed) = (Vec::new(), Vec::new());
    let mut told = |rule, _: &pgc::Finding| rules.push(rule);
    let input = &mut text.as_bytes();
    lint(input, &options, Some(&mut fixed), &mut told, &mut NoHooks).unwrap();
    (rules, String::from_utf8(fixed).unwrap())
}

#[test]
fn what_lint_says_of_fens() {
    for (fen, rule, fixed) in [
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 0",
            Rule::FenNumber,
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        ),
        (
            "4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1",
            Rule::FenPawn,
            "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w A - 0 1",
            Rule::FenFiles,
            "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 3; fmvn 9;",
            Rule::FenOperations,
            "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9",
        ),
    ] {
        let text = |fen: &str| format!("[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n*\n");
        let (rules, mended) = linted(&text(fen));
        assert!(rules.contains(&rule), "{fen}: {rules:?}");
        assert!(mended.contains(&format!("[FEN \"{fixed}\"]")), "{mended}");
        assert!(!linted(&mended).0.contains(&rule), "{fen}");
    }
    // Three-check has a seventh field.
    let (rules, _) = linted(
        "[Variant \"Three-check\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 3+3 0 1\"]\n[SetUp \"1\"]\n\n*\n",
    );
    assert!(!rules.contains(&Rule::FenNumber), "{rules:?}");
}

#[test]
fn code_pages_of_dos() {
    // 0x81 is u umlaut, 0x94 o umlaut.
    let text = b"[White \"M\x81ller, J\x94rg\"]\n\n1. e4 *\n";
    let options = PackOptions {
        encoding: SourceEncoding::for_label("cp850"),
        ..PackOptions::default()
    };
    let game = &archived("x.pgn", text, &options)[0];
    assert_eq!(game.tag("White"), Some("M\u{fc}ller, J\u{f6}rg"));
}

/// The plies of each game of cases in the shared folder, as their `.expect` files say.
const CASES: [(&str, &[usize]); 15] = [
    ("06-bom-joined.pgn", &[2, 2, 2]),
    ("06b-bom-fen-first.pgn", &[2, 2]),
    ("06d-bom-unterminated.pgn", &[2, 2]),
    ("100-fen-epd-opcodes.pgn", &[4, 2, 2]),
    ("113b-cut-variation-glued.pgn", &[2, 2, 1, 2, 1]),
    ("114-truncated-tag-glued.pgn", &[0, 4, 1]),
    ("114d-two-tag-sections.pgn", &[0, 4]),
    ("125b-epd-foreign-operations.epd", &[0; 7]),
    ("131-sections-without-event.pgn", &[0, 0, 0]),
    ("151-curly-quotes.pgn", &[8, 1, 2]),
    ("152-lowercase-tags.pgn", &[0, 0]),
    ("20b-quote-in-comment.pgn", &[3, 3, 3, 1]),
    ("61-epd-perft.epd", &[0; 12]),
    ("67e-tagged-then-tagless.pgn", &[2, 2]),
    ("91-fen-empty.pgn", &[2]),
];

#[test]
fn shared_cases_are_as_expected() {
    let Some(folder) = shared("PGC_CASES", "cases") else {
        return;
    };
    for (name, plies) in CASES {
        let text = std::fs::read(folder.join(name)).unwrap();
        let found = archived(name, &text, &PackOptions::default());
        let found: Vec<usize> = found.iter().map(|game| game.moves.len()).collect();
        assert_eq!(found, plies, "{name}");
    }
}

/// All cases of the shared folder come back.
#[test]
fn shared_cases_come_back() {
    let Some(folder) = shared("PGC_CASES", "cases") else {
        return;
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|ending| ending == "pgn" || ending == "epd")
        {
            let text = std::fs::read(&path).unwrap();
            assert_round_trip(&path.display().to_string(), &text);
            assert_eq!(unpacked(&archive_of(&text)).unwrap(), text);
        }
    }
}
