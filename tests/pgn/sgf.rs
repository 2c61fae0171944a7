//! SGF (spec/sgf.md): games written, read again, the grammar, and what other programs put there.

use std::fs;
use std::path::Path;

use pgc::foreign::sgf::read::{SgfSummary, sgf_to_pgn};
use pgc::foreign::sgf::write::put_sgf;
use pgc::parts::{PlayedMove, Wholeness};
use pgc::{Archive, Game, NoHooks};

use crate::cli::get::Dir;
use crate::support::alloc::peak;
use crate::support::gen_pgn::{document, mutate};
use crate::support::random::Random;
use crate::support::shared;

fn sgf(pgn: &str) -> String {
    let mut out = Vec::new();
    put_sgf(&mut out, pgn.as_bytes());
    let text = String::from_utf8(out).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    text.replace(&format!("FF[4]GM[3]CA[UTF-8]AP[pgc:{version}]"), "!")
        .trim_end()
        .replace('\n', "")
}

fn read(sgf: &[u8]) -> Result<(String, SgfSummary), String> {
    let mut out = Vec::new();
    let summary = sgf_to_pgn(&mut &*sgf, &mut out, &mut NoHooks);
    let summary = summary.map_err(|error| error.to_string())?;
    assert_eq!(summary.bytes_out, out.len() as u64);
    Ok((String::from_utf8(out).unwrap(), summary))
}

/// The movetext of a collection with one game.
fn movetext(sgf: &str) -> String {
    let (pgn, summary) = read(sgf.as_bytes()).unwrap_or_else(|error| panic!("{sgf}: {error}"));
    assert_eq!(summary.games, 1, "{sgf}");
    let (_, movetext) = pgn.split_once("\n\n").unwrap();
    movetext.trim_end().replace('\n', " ")
}

#[test]
fn a_game_is_a_tree() {
    assert_eq!(
        sgf(
            "[Event \"Cup [1]\"]\n[Site \"?\"]\n[Date \"1953.08.??\"]\n[Round \"2\"]\n[White \"A\\\\B\"]\n\
             [Black \"\u{d6}\"]\n[Result \"1-0\"]\n[WhiteElo \"2700\"]\n[ECO \"A:1\"]\n\n\
             {Intro} 1. e4! {[%clk 1:00:00.5] [%eval -0.25] a ] move} e5 $16 $6 $20 \
             (1... c5 2. Nf3 (2. c3) d6) {late} 2. Nf3 {one} {two} 1-0\n"
        ),
        "(;!EV[Cup [1\\]]DT[1953-08]RO[2]PW[A\\\\B]PB[\u{d6}]WR[2700]RE[W+]TAG[ECO:A\\:1]C[Intro]\
         ;W[e2e4]TE[1]C[[%clk 1:00:00.5\\] [%eval -0.25\\] a \\] move]WL[3600.5]V[0.25](\
         ;B[e7e5]GW[1]DO[]NAG[20];W[g1f3]C[one]POST[two]PRE[late])(\
         ;B[c7c5](;W[g1f3];B[d7d6])(;W[c2c3])))"
    );
}

#[test]
fn starts_castling_promotions_and_text() {
    assert_eq!(
        sgf(
            "[FEN \"r3k3/8/8/8/8/8/1P6/4K2R b Kq - 0 7\"]\n[SetUp \"1\"]\n\n7... O-O-O 8. O-O Ke9 {x} *"
        ),
        "(;!FEN[r3k3/8/8/8/8/8/1P6/4K2R b Kq - 0 7]PL[B];B[e8c8];W[e1g1]TEXT[Ke9 {x}])"
    );
    assert_eq!(
        sgf("[FEN \"r3k3/1P6/8/8/8/8/8/4K2R w Kq - 0 7\"]\n\n7. bxa8=N Ke9 *"),
        "(;!FEN[r3k3/1P6/8/8/8/8/8/4K2R w Kq - 0 7]PL[W];W[b7a8n]TEXT[Ke9])"
    );
    assert_eq!(
        sgf("1. e4 e5 2. Ke2 Ke7 3. -- *"),
        "(;!;W[e2e4];B[e7e5];W[e1e2];B[e8e7];W[--])"
    );
    // The king's move is castling only from its square; the rook's square is none of its moves.
    assert!(sgf("1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O").ends_with(";W[e1g1];B[e8g8])"));
}

/// Text and `%` lines keep their side of a move, and null moves are moves.
#[test]
fn text_and_lines_before_a_move_stay_there() {
    let pgn = "1. e4 e5 (1... -- 2. d4 d5) (1... xx)\n%before\n{c} 2. Nf3\n%behind\n (2. yy) Nc6 *";
    let made = sgf(pgn);
    assert_eq!(
        made,
        "(;!;W[e2e4](;B[e7e5];W[g1f3]PRE[c]TEXT[(2. yy)]PRETEXT[(1... xx)]LINE[behind]PRELINE[before]\
         ;B[b8c6])(;B[--];W[d2d4];B[d7d5]))"
    );
    assert_eq!(
        movetext(&made.replace('!', "FF[4]GM[3]")),
        "1. e4 e5 (1... -- 2. d4 d5) {c} {(1... xx)} %before 2. Nf3 {(2. yy)} %behind 2... Nc6 *"
    );
    // No null move in check, and none of the wrong side.
    for wrong in ["W[e2e4];B[f7f6];W[d1h5];B[--]", "W[e2e4];W[--]"] {
        let (_, summary) = read(format!("(;FF[4]GM[3];{wrong})").as_bytes()).unwrap();
        assert_eq!(summary.text_lines, 1, "{wrong}");
    }
}

#[test]
fn the_grammar_of_ff3() {
    for (text, expected) in [
        // Lower-case letters of names do not count.
        (
            "(;GaMe[3]FileFormat[3];White[e2e4];Black[e7e5]Comment[x])",
            "1. e4 e5 {x} *",
        ),
        // White space may stand anywhere outside values.
        ("\n ( ;\tG M [3]\r\n;W\n[e2e4] ; B [e7e5] )\n", "1. e4 e5 *"),
        // Escapes and soft line breaks.
        (
            "(;GM[3]C[a \\] b \\\\ c \\\nd\\: e];W[e2e4])",
            "{a ] b \\ c d: e} 1. e4 *",
        ),
        // Several values, with white space between them.
        (
            "(;GM[3]POST[a]\n[b];W[e2e4]NAG[7] [8])",
            "{a} {b} 1. e4 $7 $8 *",
        ),
        // The main line comes first: (root(ab(c)(de))(f(ghi)(j)))
        (
            "(;GM[3](;W[e2e4];B[e7e5](;W[g1f3])(;W[f2f4];B[e5f4]))(;W[d2d4](;B[d7d5];W[c2c4];B[e7e6])(;B[g8f6])))",
            "1. e4 (1. d4 d5 (1... Nf6) 2. c4 e6) 1... e5 2. Nf3 (2. f4 exf4) *",
        ),
        // SAN is read too, as is what stands around it in files of others.
        (
            "(;GM[3];W[e4];B[e7-e5];W[Nf3];B[Nc6];W[Bb5];B[Nf6];W[O-O])",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O *",
        ),
        // A move may stand in the root; a node without a move has no alternatives of its own.
        (
            "(;GM[3]W[e2e4](;C[so](;B[e7e5])(;B[e7e6]))(;B[c7c5]))",
            "1. e4 {so} 1... e5 (1... e6) (1... c5) *",
        ),
        (
            "(;GM[3]DM[1];W[e2e4]BM[2]GB[1]DO[])",
            "$10 1. e4 $4 $17 $6 *",
        ),
        (
            "(;GM[3];W[e2e4]WL[59.5]V[-0.3];B[e7e5]BL[0])",
            "1. e4 {[%clk 0:00:59.5] [%eval 0.3]} 1... e5 {[%clk 0:00:00]} *",
        ),
        ("(;GM[3]RE[Draw])", "1/2-1/2"),
        (
            "(;GM[3];W[e2e4];B[e2e4];W[a1a1](;B[e7e5])(;B[c7c5]))",
            "1. e4 {;B[e2e4];W[a1a1](;B[e7e5])(;B[c7c5])} *",
        ),
        (
            "(;GM[3];W[e2e4](;B[e7e5])(;B[e2e4])(;W[d2d4])(;C[no move]))",
            "1. e4 e5 {;B[e2e4]} {;W[d2d4]} {;C[no move]} *",
        ),
    ] {
        assert_eq!(movetext(text), expected, "{text}");
    }
}

#[test]
fn what_pgn_has_no_place_for_is_kept() {
    let text = "(;FF[4]GM[3]EV[]RE[W+T]DT[1996-12-27,28]KM[6.5]GC[two\nlines]SZ[8]\
                ;W[e2e4]N[a {name}, 5 %]LB[e4:A\\:][d5:B]DM[2];B[e7e5]WL[5])";
    let (pgn, summary) = read(text.as_bytes()).unwrap();
    assert_eq!((summary.kept, summary.text_lines, summary.plies), (8, 0, 2));
    assert!(pgn.contains("[Date \"1996.12.27\"]") && pgn.contains("[Result \"1-0\"]"));
    assert!(pgn.contains("LB[e4:A\\:][d5:B]"), "{pgn}");
    assert_eq!(
        sgf(&pgn),
        "(;!EV[]RE[W+T]DT[1996-12-27,28]KM[6.5]GC[two\nlines]\
         ;W[e2e4]N[a {name}, 5 %]LB[e4:A\\:][d5:B]DM[2];B[e7e5]WL[5])"
            .replace('\n', "")
    );
    // A second time nothing changes.
    let mut again = Vec::new();
    put_sgf(&mut again, pgn.as_bytes());
    assert_eq!(read(&again).unwrap().0, pgn);
}

/// What a Result tag says besides a result stays; RE has the result.
#[test]
fn a_result_survives_an_odd_result_tag() {
    for odd in ["foo", "1-0 ff", "White"] {
        let mut tree = Vec::new();
        let pgn = format!("[Result \"{odd}\"]\n\n1. e4 1-0\n");
        put_sgf(&mut tree, pgn.as_bytes());
        let (again, summary) = read(&tree).unwrap();
        assert!(again.contains("[Result \"1-0\"]\n"), "{again}");
        let end = format!("\n1. e4 {{the Result tag is {odd}}} 1-0\n\n");
        assert!(again.ends_with(&end), "{again}");
        assert_eq!((summary.games, summary.text_lines), (1, 0));
    }
}

/// Clocks and evaluations are not said again, whichever comment of the node has them.
#[test]
fn a_round_trip_repeats_no_command() {
    for movetext in [
        "1. e4 {a [%clk 0:01:00]} {b [%eval 1.3]} 1... e5 *",
        "1. e4 {a} {b} {[%eval 1.3] [%clk 0:01:00]} 1... e5 *",
        "{[%eval 0.2]} 1. e4 *",
        "1. e4 {x} [%clk 0:01:00] Qh9 *",
        "1. e4 {x} [%clk] Qh9 *",
        "{x} [%clk] Qh9 *",
        "{x} [%eval 0.3] Qh9 *",
        "1. e4 {[%clk 1:xx]} {[%eval #3]} *",
    ] {
        let mut tree = Vec::new();
        put_sgf(&mut tree, format!("{movetext}\n").as_bytes());
        let (first, _) = read(&tree).unwrap();
        let count = |text: &str| {
            (
                text.matches("[%clk").count(),
                text.matches("[%eval").count(),
            )
        };
        assert_eq!(count(&first), count(movetext), "{first}");
        let mut again = Vec::new();
        put_sgf(&mut again, first.as_bytes());
        assert_eq!(read(&again).unwrap().0, first, "{movetext}");
    }
}

/// Without a usable position the root keeps its comments, and only what follows becomes text.
#[test]
fn an_unusable_position_keeps_the_comments_of_the_root() {
    for (movetext, expected) in [
        ("{hello} *", "{hello} *"),
        ("{hello} $5 {more} *", "$5 {hello} {more} *"),
        ("{hello} 1. e4 {x} e5 *", "{hello} {e4 (x) e5} *"),
    ] {
        let mut pgn = format!("[White \"Tal, M\"]\n[FEN \"8/8 w - - 0 1\"]\n\n{movetext}\n");
        for _ in 0..3 {
            let mut tree = Vec::new();
            put_sgf(&mut tree, pgn.as_bytes());
            pgn = read(&tree).unwrap().0;
            assert!(pgn.ends_with(&format!("\n\n{expected}\n\n")), "{pgn}");
        }
    }
    let tree = "(;GM[3]FEN[8/8 w - - 0 1]C[a];W[e2e4](;B[e7e5])(;B[c7c5]))";
    assert_eq!(movetext(tree), "{a} {;W[e2e4](;B[e7e5])(;B[c7c5])} *");
    let tree = "(;GM[3]FEN[8/8 w - - 0 1](;W[e2e4])(;W[d2d4]))";
    assert_eq!(movetext(tree), "{;W[e2e4]} {;W[d2d4]} *");
}

/// Properties of a comment must not add a move, name another game or a character set; in a file,
/// what a root says counts in the root alone.
#[test]
fn a_comment_changes_no_move() {
    for kept in ["W[e2e4]", "KO[]GM[1]", "CA[Shift_JIS]", "FF[3]", "C[b]"] {
        let pgn = format!("{{[%sgf {kept}]}} 1. e4 *\n");
        let text = sgf(&pgn);
        assert!(text.starts_with("(;!C[[%sgf "), "{text}");
        let (again, summary) = read(text.replace('!', "FF[4]GM[3]").as_bytes()).unwrap();
        assert_eq!(summary.plies, 1, "{again}");
        assert!(
            again.contains(&format!("{{[%sgf {kept}]}} 1. e4 *")),
            "{again}"
        );
    }
    let text = "(;FF[4]GM[3];N[x]GM[1]CA[unknown];W[e2e4])";
    assert_eq!(movetext(text), "{[%sgf N[x]]} 1. e4 *");
}

#[test]
fn refusals_name_the_place() {
    for (text, expected) in [
        ("", "has no game tree of SGF, which begins with \"(;\""),
        (
            "1. e4 (e5) *",
            "has no game tree of SGF, which begins with \"(;\"",
        ),
        (
            "(;GM[3])\n(;FF[4]\n GM[1]SZ[19])",
            "line 3, column 2, game 2: not chess, which is GM[3]: \"GM[1]SZ[19])\"",
        ),
        (
            "(;FF[4])",
            "line 1, column 2, game 1: the root does not say GM[3]: without GM it is a game of Go: \";FF[4])\"",
        ),
        (
            "(;GM[chess];B[e2e4])",
            "line 1, column 3, game 1: not chess, which is GM[3]: \"GM[chess];B[e2e4])\"",
        ),
        (
            "(;GM[3]CA[Shift_JIS])",
            "line 1, column 8, game 1: a character set that is not read: convert the file to UTF-8: \"CA[Shift_JIS])\"",
        ),
        (
            "(;GM[3]\n;W[e2e4",
            "line 2, column 3, game 1: a value that is not closed: \"[e2e4\"",
        ),
        (
            "(;GM[3];W[e2e4]",
            "line 1, column 1, game 1: the game tree is not closed: \"(;GM[3];W[e2e4]\"",
        ),
        (
            "(;GM[3];W)",
            "line 1, column 9, game 1: a property without a value: \"W)\"",
        ),
        (
            "(;GM[3];w[e2e4])",
            "line 1, column 9, game 1: a property name without a capital letter: \"w[e2e4])\"",
        ),
        (
            "(;GM[3]\u{e4}+)",
            "line 1, column 8, game 1: unexpected character: \"\u{e4}+)\"",
        ),
        (
            "(;GM[3](;W[e2e4]);B[e7e5])",
            "line 1, column 18, game 1: a node behind a variation: \";B[e7e5])\"",
        ),
        (
            "(;GM[3](;W[e2e4])C[x])",
            "line 1, column 18, game 1: a property outside a node: \"C[x])\"",
        ),
        (
            "(;GM[3]())",
            "line 1, column 9, game 1: a variation without a node: \"))\"",
        ),
        (
            "(;GM[3]((;W[e2e4])))",
            "line 1, column 9, game 1: a variation before the first node: \"(;W[e2e4])))\"",
        ),
    ] {
        assert_eq!(
            read(text.as_bytes()).err().as_deref(),
            Some(expected),
            "{text}"
        );
    }
    let (_, summary) = read(b"mail: (hello)\n(;GM[3]) and (so) on").unwrap();
    assert_eq!((summary.games, summary.outside), (1, 21));
}

#[test]
fn deep_and_wide_trees_take_little() {
    const MIB: usize = 1 << 20;
    // A line of 20,000 moves, each with another one beside it: as deep as it is long.
    let moves = ["W[g1f3]", "B[g8f6]", "W[f3g1]", "B[f6g8]"];
    let others = ["W[e2e3]", "B[e7e6]", "W[h1g1]", "B[h8g8]"];
    let mut deep = "(;GM[3]".to_owned();
    (0..20_000).for_each(|at| deep += &format!("(;{}", moves[at % 4]));
    (0..20_000)
        .rev()
        .for_each(|at| deep += &format!(")(;{})", others[at % 4]));
    deep.push(')');
    let (read_deep, used) = peak(|| read(deep.as_bytes()));
    let (pgn, summary) = read_deep.unwrap();
    assert_eq!(summary.plies, 40_000);
    assert!(used < 64 * MIB, "{used}");
    let mut written = Vec::new();
    let (_, used) = peak(|| put_sgf(&mut written, pgn.as_bytes()));
    assert!(used < 64 * MIB, "{used}");
    assert_eq!(read(&written).unwrap().0, pgn);
    // Variations in variations.
    let pairs = [
        "(;W[g1f3])(;W[g1h3]",
        "(;B[g8f6])(;B[g8h6]",
        "(;W[h1g1])(;W[h3g1]",
        "(;B[h8g8])(;B[h6g8]",
    ];
    let nested = |depth: usize| {
        let variations: String = (0..depth).map(|at| pairs[at % 4]).collect();
        read(format!("(;GM[3]{variations}{}", ")".repeat(depth + 1)).as_bytes())
    };
    assert_eq!(nested(1_024).unwrap().1.plies, 2_048);
    let error = nested(1_025).unwrap_err();
    assert!(
        error.contains("variations nested deeper than 1,024"),
        "{error}"
    );
    for bytes in ["(", "[", "A[]", ";", "(;", "(;B[e7e5]"] {
        let text = format!("(;GM[3]{}", bytes.repeat(4 * MIB / bytes.len()));
        let (result, used) = peak(|| read(text.as_bytes()));
        assert!(result.is_err() && used < 160 * MIB, "{bytes}: {used}");
    }
    // One node with as many properties as the limit allows, and a game that is long for its bytes.
    let many = format!("(;GM[3]{})", "A[]".repeat((2 << 20) - 1));
    let (result, used) = peak(|| read(many.as_bytes()));
    assert_eq!(result.unwrap().1.kept, (2 << 20) - 1);
    assert!(used < 240 * MIB, "{used}");
    let moves = "Nf3 {[%clk 0:01:02] [%eval 0.21]} Nf6 {[%clk 0:01:02] [%eval 0.21]} Ng1 Ng8 ";
    let long = format!("1. {}*\n", moves.repeat(60_000));
    let mut written = Vec::new();
    put_sgf(&mut written, long.as_bytes());
    assert_eq!(read(&written).unwrap().1.plies, 240_000);
    let long = format!("(;GM[3]C[{}])", "x".repeat(17 * MIB));
    let error = read(long.as_bytes()).unwrap_err();
    assert!(
        error.starts_with("line 1, column 1, game 1: the game tree is longer than 16 MiB"),
        "{error}"
    );
}

/// The twin of the fuzz target `sgf`.
#[test]
fn any_bytes_are_read_or_refused() {
    let mut random = Random::new(19);
    for _ in 0..300 {
        let mut bytes = Vec::new();
        put_sgf(&mut bytes, &document(&mut random, 1));
        for _ in 0..1 + random.below(4) {
            mutate(&mut random, &mut bytes);
        }
        if let Ok((pgn, _)) = read(&bytes) {
            let mut written = Vec::new();
            put_sgf(&mut written, pgn.as_bytes());
            read(&written).unwrap_or_else(|error| panic!("{error}: {pgn}"));
        }
    }
}

/// Comments as words, and empty ones gone: white space has no meaning in them.
fn settled(mut moves: Vec<PlayedMove>) -> Vec<PlayedMove> {
    // Commands join the comment beside them, and prefixes go behind the move (pgc.md, 6).
    let words = |comments: &mut Vec<String>| {
        let words: Vec<&str> = comments.iter().flat_map(|c| c.split_whitespace()).collect();
        *comments = vec![words.join(" ")];
    };
    for played in &mut moves {
        // What the comments say depends on where their lines break.
        played.says = Default::default();
        words(&mut played.before);
        words(&mut played.comments);
        let (prefixes, before) = std::mem::take(&mut played.nags_before)
            .into_iter()
            .partition(|nag| (140..=145).contains(nag));
        let nags = std::mem::replace(&mut played.nags, prefixes);
        played.nags.extend(nags);
        played.nags_before = before;
        let variations = std::mem::take(&mut played.variations);
        played.variations = variations.into_iter().map(settled).collect();
    }
    moves
}

fn tags(game: &Game) -> Vec<(String, String)> {
    let is_said = |tag: &&(String, String)| {
        !matches!(tag.1.as_str(), "?" | "????.??.??" | "*") && tag.0 != "SetUp"
    };
    let mut tags: Vec<_> = game.tags.iter().filter(is_said).cloned().collect();
    for (_, value) in tags.iter_mut().filter(|tag| tag.0 == "FEN") {
        // Move number 0 is 1 (chess.md, 2), and export writes that (16.1.3.6).
        if let Some(fields) = value.strip_suffix(" 0") {
            *value = format!("{fields} 1");
        }
    }
    tags.sort();
    tags
}

/// Packs PGN, writes it as SGF, imports that and packs it again; returns how many of the games
/// without text were compared, and how many differ.
fn there_and_back(pgn: &[u8]) -> (usize, usize) {
    let dir = Dir::new();
    dir.put("a.pgn", pgn);
    let steps: [&[&str]; 4] = [
        &["pack", "-q", "a.pgn"],
        &["find", "-q", "a.pgc", "-o", "a.sgf"],
        &["import-sgf", "-q", "a.sgf", "-o", "b.pgn"],
        &["pack", "-q", "b.pgn"],
    ];
    for step in steps {
        let ran = dir.run(step);
        assert_eq!(ran.code, 0, "{step:?}: {}", ran.stderr);
    }
    let open = |name: &str| {
        let path = dir.path(name);
        Archive::open(path).unwrap()
    };
    let (one, other) = (open("a.pgc"), open("b.pgc"));
    assert_eq!(one.len().unwrap(), other.len().unwrap());
    let (mut compared, mut different) = (0, 0);
    for number in 1..=one.len().unwrap() {
        let (one, other) = (one.game(number).unwrap(), other.game(number).unwrap());
        // A terminator that differs from the tag is told in a comment, as in export format.
        let stated = one.tags.iter().find(|tag| tag.0 == "Result");
        let is_said = |end: pgc::parts::Termination| {
            end.as_str() == "*" || stated.is_some_and(|tag| tag.1 == end.as_str())
        };
        if one.wholeness != Wholeness::Whole || !one.termination.is_none_or(is_said) {
            continue;
        }
        compared += 1;
        let is_same = tags(&one) == tags(&other)
            && settled(one.moves.clone()) == settled(other.moves.clone())
            && one.start == other.start;
        if !is_same {
            different += 1;
            if different <= 2 {
                eprintln!(
                    "{}\n--- became ---\n{}",
                    String::from_utf8_lossy(&one.pgn),
                    String::from_utf8_lossy(&other.pgn)
                );
            }
        }
    }
    (compared, different)
}

#[test]
fn games_come_back() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let sample = fs::read(data.join("sample.pgn")).unwrap();
    // Each of its 13 games is understood whole.
    assert_eq!(there_and_back(&sample), (13, 0));
}

#[test]
fn games_of_the_corpora_come_back() {
    let Some(folder) = shared("PGC_CORPUS", "corpora") else {
        return;
    };
    const MOST: usize = 200_000;
    let (mut all, mut files) = ((0, 0), 0);
    for group in ["annotated", "engine", "lichess", "masters", "server"] {
        let Ok(entries) = fs::read_dir(folder.join(group)) else {
            continue;
        };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "pgn"));
        paths.sort();
        for path in paths.iter().take(3) {
            let mut bytes = Vec::new();
            let file = fs::File::open(path).unwrap();
            std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST as u64), &mut bytes)
                .unwrap();
            if bytes.len() == MOST {
                let end = bytes.windows(7).rposition(|seven| seven == b"[Event ");
                bytes.truncate(end.unwrap_or(MOST));
            }
            let (compared, different) = there_and_back(&bytes);
            eprintln!("{}: {different} of {compared} differ", path.display());
            all = (all.0 + compared, all.1 + different);
            files += 1;
        }
    }
    assert_eq!(all.1, 0, "of {} games in {files} files", all.0);
    assert!(all.0 > 1000, "{} games in {files} files", all.0);
}

#[test]
fn the_command_reads_writes_and_refuses() {
    let dir = Dir::new();
    dir.put(
        "a.sgf",
        "(;FF[4]GM[3]PW[Tal];W[e2e4]N[x];B[e7e5])\n(;FF[4]GM[3];B[e7e5])",
    );
    let ran = dir.run(&["import-sgf", "a.sgf"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for part in [
        "a.sgf -> a.pgn: 2 games, 2 plies",
        "1 line of play is not legal",
        "1 property without",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    assert!(dir.read("a.pgn").starts_with(b"[Event \"?\"]"));
    assert_eq!(dir.run(&["import-sgf", "a.sgf"]).code, 2);
    assert_eq!(dir.run(&["import-sgf", "-f", "a.sgf"]).code, 1);
    let json = dir.run(&["import-sgf", "-f", "--json", "a.sgf"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&json["games"], &json["kept_properties"]),
        (&2.into(), &1.into())
    );
    let fed = dir.feed(&["import-sgf", "-q", "-"], "(;GM[3];W[d2d4])");
    assert!(
        fed.code == 0 && fed.stdout.ends_with(b"\n1. d4 *\n\n"),
        "{}",
        fed.stderr
    );
    dir.put("go.sgf", "(;GM[1]SZ[19])");
    let refused = dir.run(&["import-sgf", "go.sgf"]);
    assert!(refused.code == 2 && !dir.has("go.pgn"));
    assert!(
        refused
            .stderr
            .contains("go.sgf: line 1, column 3, game 1: not chess"),
        "{}",
        refused.stderr
    );

    assert_eq!(dir.run(&["pack", "-q", "a.pgn"]).code, 0);
    let got = dir.run(&["get", "a.pgc", "1", "--format", "sgf"]);
    let found = dir.run(&["find", "a.pgc", "-w", "tal", "--format", "sgf"]);
    assert_eq!(
        (got.code, found.code),
        (0, 0),
        "{}{}",
        got.stderr,
        found.stderr
    );
    assert_eq!(got.stdout, found.stdout);
    assert_eq!(dir.run(&["get", "a.pgc", "1", "-o", "got.sgf"]).code, 0);
    assert_eq!(dir.read("got.sgf"), got.stdout);
    let text = String::from_utf8(got.stdout).unwrap();
    assert!(
        text.contains("PW[Tal]") && text.contains(";W[e2e4]N[x];B[e7e5])"),
        "{text}"
    );
}
