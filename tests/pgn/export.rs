//! Export format, against text that was typed from the rules of the standard.

use std::path::PathBuf;

use pgc::foreign::export::export;
use pgc::foreign::game::{ExportForm, GameExport, PlayError};
use pgc::unpack;
use pgc::{Archive, Error, Game, NoHooks, Summary, UnpackOptions};
use pgc_pgn::records::record::Record;
use pgc_pgn::records::record::{put_moves, put_record};
use pgc_pgn::writer::{Termination, Text, Writer};
use proptest::prelude::*;

use crate::support::gen_pgn::document;
use crate::support::random::Random;
use crate::support::{Collected, archive_of, small_of};

/// The tag section of a game of which nothing is known.
const NOTHING_KNOWN: &str = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "*"]

"#;

fn stream(records: &[Record<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for record in records {
        put_record(&mut out, record).unwrap();
    }
    out
}

fn run(stream: &[u8], options: &UnpackOptions) -> Result<(Vec<u8>, Summary), Error> {
    let mut out = Vec::new();
    let summary = export(&mut &*stream, &mut out, options, &mut NoHooks)?;
    assert_eq!(
        (summary.bytes_in, summary.bytes_out),
        (stream.len() as u64, out.len() as u64)
    );
    assert_eq!(
        summary.games,
        summary.whole + summary.text_tail + summary.text_only
    );
    Ok((out, summary))
}

fn exported(records: &[Record<'_>]) -> String {
    let (out, _) = run(&stream(records), &UnpackOptions::default()).unwrap();
    String::from_utf8(out).unwrap()
}

/// The movetext of a game with these records and no tags.
fn movetext(records: &[Record<'_>]) -> String {
    let text = exported(&[&[Record::GameBegin], records, &[Record::GameEnd]].concat());
    text.strip_prefix(NOTHING_KNOWN)
        .unwrap()
        .strip_suffix("\n\n")
        .unwrap()
        .to_owned()
}

fn tag<'a>(name: &'a str, value: &'a str) -> Record<'a> {
    Record::TagPair {
        name: name.as_bytes(),
        value: value.as_bytes(),
    }
}

fn moves(ordinals: &[u8]) -> Record<'_> {
    Record::ShortMoves(ordinals)
}

// Ordinals of first moves, counted in the lists of the standard: Na3 Nc3 Nf3 Nh3 a3 a4 b3 b4 c3 c4
// d3 d4 e3 e4 ... and Na6 Nc6 Nf6 Nh6 a5 a6 b5 b6 c5 c6 d5 d6 e5 e6 ...
const C4: u8 = 9;
const D4: u8 = 11;
const E4: u8 = 13;
const C5: u8 = 8;
const D5: u8 = 10;
const E5: u8 = 12;

#[test]
fn tags_in_order() {
    let text = exported(&[
        Record::GameBegin,
        tag("WhiteElo", "2785"),
        tag("Result", "1-0"),
        tag("ECO", "C20"),
        tag("eco", "small letters come after capitals"),
        tag("White", r#"A "B" \ C"#),
        tag("Annotator", "?"),
        tag("Event", ""),
        moves(&[E4]),
        Record::GameEnd,
    ]);
    let expected = r#"[Event ""]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A \"B\" \\ C"]
[Black "?"]
[Result "1-0"]
[Annotator "?"]
[ECO "C20"]
[WhiteElo "2785"]
[eco "small letters come after capitals"]

1. e4 1-0

"#;
    assert_eq!(text, expected);
}

#[test]
fn reduced_games_and_games_without_anything() {
    let str = [
        b"F/S Return Match",
        b"Belgrade" as &[u8],
        b"1992.11.04",
        b"29",
        b"F",
        b"S",
        b"1/2-1/2",
    ];
    let text = exported(&[
        Record::Game {
            str,
            moves: &[E4, E5],
        },
        Record::Noop,
        Record::GameBegin,
        Record::GameEnd,
    ]);
    let expected = r#"[Event "F/S Return Match"]
[Site "Belgrade"]
[Date "1992.11.04"]
[Round "29"]
[White "F"]
[Black "S"]
[Result "1/2-1/2"]

1. e4 e5 1/2-1/2

"#;
    assert_eq!(text, format!("{expected}{NOTHING_KNOWN}*\n\n"));
}

#[test]
fn tags_after_the_moves_are_tags() {
    let text = exported(&[
        Record::GameBegin,
        moves(&[E4]),
        tag("Result", "0-1"),
        Record::GameEnd,
    ]);
    assert_eq!(
        text,
        format!(
            "{}1. e4 0-1\n\n",
            NOTHING_KNOWN.replace("Result \"*\"", "Result \"0-1\"")
        )
    );
}

#[test]
fn a_result_that_is_none_ends_in_a_star() {
    let text = exported(&[Record::GameBegin, tag("Result", "1-0 ff"), Record::GameEnd]);
    assert!(text.ends_with("[Result \"1-0\"]\n\n{the Result tag is 1-0 ff} 1-0\n\n"));
    let text = exported(&[Record::GameBegin, tag("Result", "won"), Record::GameEnd]);
    assert!(text.ends_with("[Result \"*\"]\n\n{the Result tag is won} *\n\n"));
    // A repeated tag keeps its place; the last one decides.
    let text = exported(&[
        Record::GameBegin,
        tag("Result", "1-0"),
        tag("Result", "*"),
        Record::GameEnd,
    ]);
    assert!(text.ends_with("[Black \"?\"]\n[Result \"1-0\"]\n[Result \"*\"]\n\n*\n\n"));
}

#[test]
fn numbers_come_again_after_annotation() {
    let nag = Record::Nag;
    assert_eq!(movetext(&[moves(&[E4, E5])]), "1. e4 e5 *");
    assert_eq!(
        movetext(&[moves(&[E4]), nag(1), moves(&[E5]), nag(2), nag(139)]),
        "1. e4 $1 1... e5 $2 $139 *"
    );
    assert_eq!(
        movetext(&[moves(&[E4]), Record::Noop, moves(&[]), moves(&[E5])]),
        "1. e4 e5 *"
    );
    assert_eq!(movetext(&[nag(0), moves(&[E4])]), "$0 1. e4 *");
}

#[test]
fn variations() {
    let (begin, end) = (Record::RavBegin, Record::RavEnd);
    // Two alternatives to White's move, one to Black's (D5).
    let text = movetext(&[
        moves(&[E4]),
        begin,
        moves(&[D4, D5]),
        end,
        begin,
        moves(&[C4]),
        end,
        moves(&[E5]),
        begin,
        moves(&[C5, 2]),
        end,
        moves(&[2]),
    ]);
    // After 1. e4 c5 and 1. e4 e5 White's list begins Ba6 Bb5 Bc4: ordinal 2 is the bishop's move.
    assert_eq!(
        text,
        "1. e4 (1. d4 d5) (1. c4) 1... e5 (1... c5 2. Bc4) 2. Bc4 *"
    );
    // In each other: the inner one replaces the last move of the line it stands in.
    let text = movetext(&[
        moves(&[E4]),
        begin,
        moves(&[D4, D5]),
        begin,
        moves(&[E5]),
        end,
        end,
        moves(&[E5]),
    ]);
    assert_eq!(text, "1. e4 (1. d4 d5 (1... e5)) 1... e5 *");
    assert_eq!(
        movetext(&[moves(&[E4]), begin, end, moves(&[E5])]),
        "1. e4 e5 *"
    );
}

#[test]
fn empty_variations_escapes_between_games_and_noops() {
    let begin = Record::RavBegin;
    let end = Record::RavEnd;
    let game = |records: &[Record<'_>]| {
        stream(&[&[Record::GameBegin], records, &[Record::GameEnd]].concat())
    };
    let noted = [
        moves(&[E4]),
        begin,
        Record::Nag(1),
        end,
        begin,
        end,
        moves(&[E5]),
    ];
    let (text, summary) = run(&game(&noted), &UnpackOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.ends_with("\n\n1. e4 ($1) 1... e5 *\n\n"), "{text}");
    assert_eq!(summary.empty_variations, 1);
    // `%` lines stand where they stood: between games, and so before the tags of the next one.
    let escapes = [
        Record::Escape(b"first"),
        Record::GameBegin,
        Record::GameEnd,
        Record::Escape(b"between"),
    ];
    let more = [
        Record::GameBegin,
        Record::Escape(b"within"),
        moves(&[E4]),
        Record::Escape(b"late"),
        Record::GameEnd,
    ];
    let records = [&escapes[..], &more, &[Record::Escape(b"last")]].concat();
    let expected = format!(
        "%first\n{NOTHING_KNOWN}*\n\n%between\n{NOTHING_KNOWN}%within\n1. e4\n%late\n*\n\n%last\n"
    );
    assert_eq!(exported(&records), expected);
    // Packed as PGN and exported again, they are at the same places.
    let archive = archive_of(expected.as_bytes());
    let options = UnpackOptions {
        export: true,
        ..UnpackOptions::default()
    };
    let mut again = Collected::default();
    unpack(&mut archive.as_slice(), &mut again, &options, &mut NoHooks).unwrap();
    let again = String::from_utf8(again.sources.remove(0).1).unwrap();
    assert_eq!(again, expected);
    // A file of noops is damage, unless the user says that another program wrote it (D10).
    let noops = |foreign| {
        let options = UnpackOptions {
            foreign,
            ..UnpackOptions::default()
        };
        unpack(
            &mut &[0_u8; 5][..],
            &mut Collected::default(),
            &options,
            &mut NoHooks,
        )
    };
    assert!(noops(false).is_err());
    assert_eq!(noops(true).unwrap().games, 0);
}

#[test]
fn check_and_mate() {
    // White's list at move 2 begins Kf2 Na3 Nc3 Nh3, then pawns a3 to g4; Black's Ba3 Bb4 Bc5 Bd6
    // Be7 Ke7, five of the knights, Qe7 Qf6 Qg5 Qh4.
    assert_eq!(
        movetext(&[moves(&[14, E5, 16, 14])]),
        "1. f3 e5 2. g4 Qh4# *"
    );
    // Five moves of the bishop, Ke2, five of the knights, Qe2 Qf3 Qg4 Qh5.
    assert_eq!(movetext(&[moves(&[E4, 14, 14])]), "1. e4 f5 2. Qh5+ *");
}

#[test]
fn a_black_start() {
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 17";
    let text = exported(&[
        Record::GameBegin,
        tag("SetUp", "1"),
        tag("FEN", fen),
        moves(&[E5]),
        moves(&[2]),
        Record::GameEnd,
    ]);
    assert_eq!(
        text,
        format!(
            "{}\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n17... e5 18. Bc4 *\n\n",
            NOTHING_KNOWN.trim_end()
        )
    );
}

#[test]
fn lines_are_full_and_under_eighty_columns() {
    // Knights go out and back: 1. Nf3 Nf6 2. Ng1 Ng8. White's list at move 2 begins Na3 Nc3 Nd4 Ne5
    // Ng1, Black's then Na6 Nc6 Nd5 Ne4 Ng4 Ng8.
    let mut ordinals = Vec::new();
    for _ in 0..40 {
        ordinals.extend_from_slice(&[2, 2, 4, 5]);
    }
    let text = movetext(&[moves(&ordinals)]);
    let mut tokens = Vec::new();
    for pair in 0..80 {
        tokens.push(format!("{}.", pair + 1));
        tokens.extend(
            if pair % 2 == 0 {
                ["Nf3", "Nf6"]
            } else {
                ["Ng1", "Ng8"]
            }
            .map(str::to_owned),
        );
    }
    tokens.push("*".to_owned());
    assert_eq!(text, wrap(&tokens));
    assert!(
        text.lines().any(|line| line.len() == 79),
        "no line is quite full: choose other moves"
    );
}

/// The rule of 8.2.1, the slow way.
fn wrap(tokens: &[String]) -> String {
    let mut lines = vec![String::new()];
    for token in tokens {
        let line = lines.last_mut().unwrap();
        if line.is_empty() {
            line.push_str(token);
        } else if line.len() + 1 + token.len() < 80 {
            line.push(' ');
            line.push_str(token);
        } else {
            lines.push(token.clone());
        }
    }
    lines.join("\n")
}

#[test]
fn long_sequences_and_split_ones() {
    let mut ordinals = Vec::new();
    while ordinals.len() < 70_000 {
        ordinals.extend_from_slice(&[2, 2, 4, 5]);
    }
    let mut whole = vec![0x05];
    put_moves(&mut whole, &ordinals);
    whole.push(0x06);
    assert_eq!(whole[1], 0x04);
    let mut split = vec![0x05];
    for run in ordinals.chunks(3) {
        put_moves(&mut split, run);
    }
    split.push(0x06);
    let (text, summary) = run(&whole, &UnpackOptions::default()).unwrap();
    assert_eq!(summary.plies, 70_000);
    let end: Vec<u8> = text[text.len() - 33..]
        .iter()
        .map(|&b| if b == b'\n' { b' ' } else { b })
        .collect();
    assert_eq!(end, b"34999. Nf3 Nf6 35000. Ng1 Ng8 *  ");
    assert_eq!(text, run(&split, &UnpackOptions::default()).unwrap().0);
}

#[test]
fn escapes_stand_alone() {
    let text = exported(&[
        Record::Escape(b"before"),
        Record::GameBegin,
        Record::Escape(b" among the tags"),
        tag("Event", "?"),
        moves(&[E4]),
        Record::Escape(b"two\nlines"),
        moves(&[E5]),
        Record::Escape(b""),
        Record::GameEnd,
        Record::Escape(b"after"),
    ]);
    let expected = "% among the tags\n1. e4\n%two\n%lines\n1... e5\n%\n*\n\n%after\n";
    assert_eq!(text, format!("%before\n{NOTHING_KNOWN}{expected}"));
}

#[test]
fn comments() {
    let mut writer = Writer::default();
    let mut line = |comment: &str| {
        writer.clear();
        writer.start(true, 1);
        writer.san(b"e4");
        writer.comment(Text::Utf8(comment));
        writer.san(b"e5");
        writer.end_game(Termination::Unknown);
        String::from_utf8(writer.bytes().to_vec()).unwrap()
    };
    assert_eq!(
        line(" best\n\tby  test "),
        "1. e4 {best by test} 1... e5 *\n\n"
    );
    assert_eq!(line(""), "1. e4 {} 1... e5 *\n\n");
    assert_eq!(line("a } b"), "1. e4 ;a } b\n1... e5 *\n\n");
    assert_eq!(line("%eval; {3"), "1. e4 {%eval; {3} 1... e5 *\n\n");
    // Blanks are where a comment is broken, but a percent sign does not begin a line.
    let sixty = "x".repeat(60);
    assert_eq!(
        line(&format!("{sixty} 123456789 y")),
        format!("1. e4 {{{sixty} 123456789\ny}} 1... e5 *\n\n")
    );
    assert_eq!(
        line(&format!("{sixty} 123456789 %")),
        format!("1. e4 {{{sixty}\n123456789 %}} 1... e5 *\n\n")
    );
    // A word longer than a line stays whole.
    let ninety = "x".repeat(90);
    assert_eq!(
        line(&format!("a {ninety} b")),
        format!("1. e4 {{a\n{ninety}\nb}} 1... e5 *\n\n")
    );
}

#[test]
fn a_parenthesis_stays_with_its_neighbour() {
    let line = |columns: usize| {
        let mut writer = Writer::default();
        writer.start(true, 1);
        writer.san(b"e4");
        writer.rav_begin();
        writer.comment(Text::Utf8(&"x".repeat(columns)));
        writer.rav_end();
        writer.rav_begin();
        writer.san(b"d4");
        writer.rav_end();
        writer.end_game(Termination::Draw);
        String::from_utf8(writer.bytes().to_vec()).unwrap()
    };
    // 1. e4 ({xxx}) has 10 columns besides the comment's own.
    let x = "x".repeat(69);
    assert_eq!(line(69), format!("1. e4 ({{{x}}})\n(1. d4) 1/2-1/2\n\n"));
    assert_eq!(line(70), format!("1. e4\n({{{x}x}}) (1.\nd4) 1/2-1/2\n\n"));
    // A unit that fills a line gives the parenthesis to the next.
    let x = "x".repeat(76);
    assert_eq!(line(76), format!("1. e4\n({{{x}}}\n) (1. d4) 1/2-1/2\n\n"));
}

#[test]
fn text_that_is_not_movetext_becomes_a_comment() {
    let mut writer = Writer::default();
    writer.start(true, 1);
    writer.san(b"e4");
    writer.text(Text::Utf8(
        "1... Zz9 ; what {open\n\n  %no escape } ( )\n%escape\x01 \n",
    ));
    writer.san(b"e5");
    writer.end_game(Termination::Unknown);
    let expected = "1. e4 {1... Zz9 ; what (open %no escape ) ( ) %escape?} 1... e5 *\n\n";
    assert_eq!(String::from_utf8_lossy(writer.bytes()), expected);
}

#[test]
fn a_long_comment_with_a_brace_keeps_to_the_lines() {
    let line = |words: usize| {
        let mut writer = Writer::default();
        writer.comment(Text::Utf8(&"word} ".repeat(words)));
        writer.end_game(Termination::Unknown);
        String::from_utf8(writer.bytes().to_vec()).unwrap()
    };
    // Six bytes a word, the last without its blank, and the semicolon: 78 columns.
    assert_eq!(
        line(13),
        format!(";{}\n*\n\n", "word} ".repeat(13).trim_end())
    );
    let fourteen = format!("{{{}\nword)}} *\n\n", "word) ".repeat(13).trim_end());
    assert_eq!(line(14), fourteen);
}

/// 8.1.1.7, 8.2.6: tag and terminator are the same, and a known result beats none.
#[test]
fn tag_and_terminator_are_made_the_same() {
    let ends = |result: Option<&str>, known: Option<Termination>| {
        let mut games = GameExport::new(ExportForm::default(), false);
        games.begin();
        if let Some(result) = result {
            games.tag("Result", Text::Utf8(result)).unwrap();
        }
        games.end(known);
        let text = String::from_utf8(games.bytes().to_vec()).unwrap();
        text.split_once("[Result ")
            .unwrap()
            .1
            .trim_end()
            .replace('\n', "|")
    };
    use Termination::{BlackWins, Draw, Unknown, WhiteWins};
    for (result, known, expected) in [
        (Some("1/2"), Some(Draw), "\"1/2-1/2\"]||1/2-1/2"),
        (Some("1/2"), None, "\"1/2-1/2\"]||1/2-1/2"),
        (Some("1/2"), Some(Unknown), "\"1/2-1/2\"]||1/2-1/2"),
        (Some("?"), Some(WhiteWins), "\"1-0\"]||1-0"),
        (Some(""), Some(BlackWins), "\"0-1\"]||0-1"),
        (Some("*"), Some(WhiteWins), "\"1-0\"]||1-0"),
        (Some("?"), None, "\"*\"]||*"),
        (Some("1-0"), Some(Unknown), "\"1-0\"]||1-0"),
        (
            Some("1-0"),
            Some(BlackWins),
            "\"1-0\"]||{the movetext ends in 0-1} 1-0",
        ),
        (
            Some("1-0 ff"),
            Some(WhiteWins),
            "\"1-0\"]||{the Result tag is 1-0 ff} 1-0",
        ),
        (None, Some(Draw), "\"1/2-1/2\"]||1/2-1/2"),
    ] {
        assert_eq!(ends(result, known), expected, "{result:?} {known:?}");
    }
}

/// 9.7.2: SetUp is there where FEN is.
#[test]
fn a_fen_has_its_set_up() {
    let fen = tag("FEN", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let section = |tags: &[Record<'_>]| {
        let text = exported(&[&[Record::GameBegin], tags, &[Record::GameEnd]].concat());
        text.lines()
            .skip(7)
            .take_while(|line| !line.is_empty())
            .map(|line| line.to_owned() + "|")
            .collect::<String>()
    };
    let fen_line = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]|";
    assert_eq!(section(&[fen]), format!("{fen_line}[SetUp \"1\"]|"));
    assert_eq!(
        section(&[tag("SetUp", "0"), fen]),
        format!("{fen_line}[SetUp \"1\"]|")
    );
    let set_up = tag("SetUp", "0");
    assert_eq!(
        section(&[tag("Tz", "x"), fen, tag("Abc", "y")]),
        format!("[Abc \"y\"]|{fen_line}[SetUp \"1\"]|[Tz \"x\"]|")
    );
    assert_eq!(section(&[set_up]), "[SetUp \"0\"]|");
}

#[test]
fn latin1_and_utf8() {
    let records = stream(&[
        Record::GameBegin,
        Record::TagPair {
            name: b"White",
            value: b"Marc\xf3\n",
        },
        Record::Escape(b"\xe9"),
        Record::GameEnd,
    ]);
    let latin1 = run(&records, &UnpackOptions::default()).unwrap().0;
    assert!(latin1.windows(15).any(|w| w == b"[White \"Marc\xf3?\""));
    assert!(latin1.ends_with(b"\n\n%\xe9\n*\n\n"));
    let utf8 = run(
        &records,
        &UnpackOptions {
            utf8: true,
            ..UnpackOptions::default()
        },
    )
    .unwrap()
    .0;
    let utf8 = String::from_utf8(utf8).unwrap();
    assert!(utf8.contains("[White \"Marc\u{f3}?\"]\n") && utf8.ends_with("%\u{e9}\n*\n\n"));
    // Columns are characters, not bytes.
    let mut writer = Writer::new(pgc_pgn::writer::Encoding::Utf8);
    writer.comment(Text::Utf8(&format!(
        "{} {}",
        "\u{11b}".repeat(38),
        "\u{11b}".repeat(38)
    )));
    writer.end_line();
    assert_eq!(writer.bytes().iter().filter(|&&b| b == b'\n').count(), 1);
    // Controls of ASCII and of Latin-1 have no place in PGN.
    let mut writer = Writer::default();
    writer.comment(Text::Latin1(b"a\x80b\x9fc\xa0d\x07"));
    writer.end_line();
    assert_eq!(writer.bytes(), b"{a?b?c\xa0d?}\n");
    // What Latin-1 does not have.
    let mut writer = Writer::default();
    writer.comment(Text::Utf8("\u{11b}\u{e9}"));
    writer.end_line();
    assert_eq!(writer.bytes(), b"{?\xe9}\n");
}

/// Blanks that Latin-1 does not have become spaces, and what is not seen is left out; between tokens
/// both are layout, in UTF-8 too.
#[test]
fn blanks_and_unseen_characters_leave_no_question_marks() {
    let pgn = "[Event \"A\u{2009}B\u{200b}C\u{feff}D\u{11b}\"]\n[Result \"*\"]\n\n%a\u{3000}b\u{2060}\n\
        1. e4 {\u{feff}a\u{2009}\u{200b} b\u{200b}c\u{2003}} e5\u{2009} 2. \u{200b}Nf3\u{feff} (2. Nc3\u{200b}) \
        {\u{200b}} Nc6 \u{fe0f} \u{3000} *\n";
    let latin1 = own(pgn.as_bytes(), false).0;
    let text = String::from_utf8(latin1).unwrap();
    assert!(text.starts_with("[Event \"A BCD?\"]\n"), "{text}");
    let moves = "%a b\n1. e4 {a bc} 1... e5 2. Nf3 (2. Nc3) {} 2... Nc6 *\n\n";
    assert!(text.ends_with(moves), "{text}");
    let utf8 = own_text(pgn);
    assert!(
        utf8.contains("\"A\u{2009}B\u{200b}C\u{feff}D\u{11b}\""),
        "{utf8}"
    );
    let moves = "1... e5 2. Nf3 (2. Nc3) {\u{200b}} 2... Nc6 *\n\n";
    assert!(utf8.ends_with(moves), "{utf8}");
}

#[test]
fn a_name_without_a_place_is_a_comment() {
    let text = exported(&[
        Record::GameBegin,
        tag("My tag", "x"),
        tag("", "}"),
        Record::GameEnd,
    ]);
    assert_eq!(
        text,
        format!("{NOTHING_KNOWN}{{[My tag \"x\"]}} ;[ \"}}\"]\n*\n\n")
    );
}

#[test]
fn unknown_rules_are_left_out_and_counted() {
    for (name, value, why) in [
        (
            "Variant",
            "Capablanca",
            "the Variant tag names unknown rules",
        ),
        ("FEN", "rubbish", "the FEN tag names no usable position"),
    ] {
        let records = stream(&[
            Record::GameBegin,
            tag(name, value),
            moves(&[200, 201]),
            Record::Nag(3),
            Record::RavBegin,
            moves(&[202]),
            Record::RavEnd,
            Record::Escape(b"kept"),
            moves(&[203]),
            Record::GameEnd,
        ]);
        let (text, summary) = run(&records, &UnpackOptions::default()).unwrap();
        let set_up = if name == "FEN" { "[SetUp \"1\"]\n" } else { "" };
        let expected =
            format!("[{name} \"{value}\"]\n{set_up}\n%kept\n{{3 plies left out: {why}}} *\n\n");
        assert!(text.ends_with(expected.as_bytes()));
        assert_eq!((summary.games, summary.text_only, summary.plies), (1, 1, 0));
    }
}

#[test]
fn chess960() {
    let records = [
        Record::GameBegin,
        tag("Variant", "Fischer random"),
        tag("FEN", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"),
        moves(&[4]),
        Record::GameEnd,
    ];
    // Ke1 Ke2 Kf2 Kg2 O-O Rg2 ...
    assert!(exported(&records).ends_with("\n\n1. O-O *\n\n"));
}

fn damaged(stream: &[u8]) -> (u64, u64, &'static str, String) {
    match run(stream, &UnpackOptions::default()) {
        Err(Error::Damaged {
            offset,
            game,
            item,
            what,
        }) => (offset, game, item, what),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damage_has_a_place() {
    let what = "no legal move has the ordinal 0xc8".to_owned();
    assert_eq!(
        damaged(b"\x05\x06\x05\x03\x03\x0d\x0c\xc8\x06"),
        (7, 2, "short-moves", what.clone())
    );
    assert_eq!(
        damaged(b"\x05\x04\x02\x00\x0d\xc8\x06"),
        (5, 1, "long-moves", what.clone())
    );
    assert_eq!(
        damaged(b"\x01\0\0\0\0\0\0\0\x02\x00\xc8\x00"),
        (10, 1, "reduced-game", what)
    );
    let what = "no move precedes the variation that it could replace".to_owned();
    assert_eq!(
        damaged(b"\x05\x08\x09\x06"),
        (1, 1, "rav-begin", what.clone())
    );
    assert_eq!(
        damaged(b"\x05\x03\x01\x0d\x08\x08\x09\x09\x06"),
        (5, 1, "rav-begin", what)
    );
    let what = "the Variant and FEN tags must come before the first move".to_owned();
    assert_eq!(
        damaged(b"\x05\x03\x01\x0d\x02\x03FEN\x00\x06"),
        (4, 1, "tag-pair", what)
    );
    assert_eq!(damaged(b"\x05\x06\x05").3, "the data ends inside a game");
}

#[test]
fn what_was_read_before_the_damage_is_written() {
    let mut out = Vec::new();
    let result = export(
        &mut b"\x05\x06\xff".as_slice(),
        &mut out,
        &UnpackOptions::default(),
        &mut NoHooks,
    );
    assert!(result.is_err());
    assert_eq!(out, format!("{NOTHING_KNOWN}*\n\n").as_bytes());
}

#[test]
fn a_giant_game_is_given_away_in_pieces() {
    let mut games = GameExport::new(ExportForm::default(), false);
    games.begin();
    let mut bytes = 0;
    for _ in 0..40 {
        games.escape(Text::Latin1(&vec![b'x'; 1 << 19]));
        bytes += games.bytes().len();
        games.clear();
    }
    assert!(bytes > 16 << 20);
    assert_eq!(
        games.tag("ECO", Text::Utf8("A00")),
        Err(PlayError::TooLarge)
    );
    games.end(None);
    assert!(games.bytes().ends_with(b"\n*\n\n"));
}

/// The only stream that is known from another program: each move of its games, against the text it
/// was made from.
#[test]
fn the_pgn2pgc_file() {
    let Some((pgc, pgn)) = pgn2pgc_corpus() else {
        return;
    };
    let options = UnpackOptions {
        pgn2pgc: true,
        ..UnpackOptions::default()
    };
    let (out, summary) = run(&pgc, &options).unwrap();
    assert_eq!((summary.games, summary.whole), (55, 55));
    let (ours, theirs) = (games(&out), games(&pgn));
    assert_eq!((ours.len(), theirs.len()), (55, 55));
    for (n, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "game {}", n + 1);
    }
    // Read as the standard has it, the bare values are no records.
    assert!(run(&pgc, &UnpackOptions::default()).is_err());
}

fn pgn2pgc_corpus() -> Option<(Vec<u8>, Vec<u8>)> {
    let folder = std::env::var_os("PGC_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora"),
        PathBuf::from,
    );
    let read = |name: &str| std::fs::read(folder.join("pgn2pgc").join(name)).ok();
    let files = read("pgngames.pgc").zip(read("pgngames.pgn"));
    if files.is_none() {
        eprintln!("skipped: no pgn2pgc corpus at {}", folder.display());
    }
    files
}

/// Players and moves of each game, the plain way: good enough for files without comments. Check
/// marks are left out: the file has `+` where `#` belongs.
fn games(pgn: &[u8]) -> Vec<(Vec<String>, Vec<String>)> {
    let text: String = pgn.iter().map(|&b| char::from(b)).collect();
    let mut games = Vec::new();
    for line in text.lines() {
        if line.starts_with("[Event ") {
            games.push((Vec::new(), Vec::new()));
        }
        let Some((tags, moves)) = games.last_mut() else {
            continue;
        };
        if line.starts_with("[White ")
            || line.starts_with("[Black ")
            || line.starts_with("[Result ")
        {
            tags.push(line.trim_end().to_owned());
        } else if !line.starts_with('[') {
            moves.extend(
                line.split_whitespace()
                    .filter(|token| !token.ends_with('.'))
                    .map(|token| token.trim_end_matches(['+', '#']).to_owned()),
            );
        }
    }
    games
}

/// The stream and the text that end section 6 of the specification.
#[test]
fn the_example_of_the_specification() {
    let spec = include_str!("../../spec/pgc.md");
    let block = |kind: &str| {
        let (_, rest) = spec.split_once(&format!("```{kind}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    let bytes: Vec<u8> = block("pgc")
        .lines()
        .flat_map(|line| line.split("   ").next().unwrap().split_whitespace())
        .map(|hex| u8::from_str_radix(hex, 16).unwrap())
        .collect();
    assert_eq!(
        String::from_utf8(run(&bytes, &UnpackOptions::default()).unwrap().0).unwrap(),
        block("pgn")
    );
}

#[test]
fn the_worked_ordinals_of_the_specification() {
    for (fen, list) in [
        (
            "k7/8/8/8/8/8/8/KN3N2 w - - 0 1",
            "Ka2 Kb2 Na3 Nbd2 Nc3 Ne3 Nfd2 Ng3 Nh2",
        ),
        (
            "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1",
            "Kd1 Kd2 Ke2 Kf1 Kf2 Ne2 Nf3 Nh3",
        ),
    ] {
        for (ordinal, san) in (0..).zip(list.split(' ')) {
            let text = exported(&[
                Record::GameBegin,
                tag("FEN", fen),
                moves(&[ordinal]),
                Record::GameEnd,
            ]);
            assert!(text.ends_with(&format!("\n1. {san} *\n\n")), "{text}");
        }
        let legal = u8::try_from(list.split(' ').count()).unwrap();
        let one_more = stream(&[
            Record::GameBegin,
            tag("FEN", fen),
            moves(&[legal]),
            Record::GameEnd,
        ]);
        assert!(damaged(&one_more).3.starts_with("no legal move"));
    }
}

/// Section 7: the old list is sorted before it is disambiguated.
#[test]
fn the_old_order() {
    let roster = b"\0\0\0\0\0\0\0";
    let fen = "k7/8/8/8/8/8/8/KN3N2 w - - 0 1";
    for (ordinal, san) in (0..).zip([
        "Ka2", "Kb2", "Na3", "Nc3", "Nbd2", "Nfd2", "Ne3", "Ng3", "Nh2",
    ]) {
        let game = stream(&[tag("FEN", fen), moves(&[ordinal]), Record::GameEnd]);
        let bytes = [&[0x05], roster.as_slice(), &game].concat();
        let (text, _) = run(
            &bytes,
            &UnpackOptions {
                pgn2pgc: true,
                ..UnpackOptions::default()
            },
        )
        .unwrap();
        assert!(text.ends_with(format!("\n1. {san} *\n\n").as_bytes()));
    }
}

#[derive(Clone, Debug)]
enum Op {
    San(&'static str),
    Nag(u8),
    Begin,
    End,
    Comment(String),
    Escape,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => prop::sample::select(vec!["e4", "Nf3", "Qa1xb2+", "O-O-O#", "exd8=Q+"]).prop_map(Op::San),
        1 => any::<u8>().prop_map(Op::Nag),
        2 => Just(Op::Begin),
        2 => Just(Op::End),
        3 => "[%a{;( ]{0,60}".prop_map(Op::Comment),
        1 => Just(Op::Escape),
    ]
}

/// The elements in the order in which they must come (pgc.md, 6).
#[derive(Default)]
struct Expected {
    text: Vec<String>,
    /// Comments at the end.
    comments: usize,
    /// The beginning of a variation, or the move, that these comments follow.
    after: Option<Op>,
    /// NAGs that go behind the next move.
    waiting: Vec<String>,
}

impl Expected {
    fn other(&mut self, text: &str) {
        self.text.append(&mut self.waiting);
        self.text.push(text.to_owned());
        (self.comments, self.after) = (0, None);
    }

    fn san(&mut self, san: &'static str) {
        self.text.push(san.to_owned());
        self.text.append(&mut self.waiting);
        (self.comments, self.after) = (0, Some(Op::San(san)));
    }

    fn nag(&mut self, nag: u8) {
        let text = format!("${nag}");
        match (&self.after, (140..=145).contains(&nag)) {
            (Some(Op::Begin), true) => self.waiting.push(text),
            (Some(Op::San(_)), false) => {
                let before = self.text.len() - self.comments;
                self.text.insert(before, text);
            }
            _ => {
                self.text.push(text);
                self.comments = 0;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever comes, lines keep to the rules of 8.2.1, no line turns into an escape, nothing is
    /// lost, and only NAGs are put elsewhere.
    #[test]
    fn lines_keep_to_the_rules(ops in prop::collection::vec(op(), 0..200)) {
        let mut writer = Writer::default();
        writer.start(true, 1);
        let mut expected = Expected::default();
        let mut depth = 0;
        for op in &ops {
            match op {
                Op::San(san) => {
                    writer.san(san.as_bytes());
                    expected.san(san);
                }
                Op::Nag(nag) => {
                    writer.nag(*nag);
                    expected.nag(*nag);
                }
                Op::Begin => {
                    writer.rav_begin();
                    depth += 1;
                    expected.other("(");
                    expected.after = Some(Op::Begin);
                }
                Op::End if depth == 0 => {}
                Op::End => {
                    writer.rav_end();
                    depth -= 1;
                    expected.other(")");
                }
                Op::Comment(text) => {
                    writer.comment(Text::Utf8(text));
                    expected.text.push(format!("{{{}}}", text.replace(' ', "")));
                    expected.comments += 1;
                }
                Op::Escape => {
                    writer.escape(Text::Latin1(b"@"));
                    expected.other("%@");
                }
            }
        }
        writer.end_game(Termination::Draw);
        expected.other("1/2-1/2");
        let expected = expected.text.concat();
        let text = String::from_utf8(writer.bytes().to_vec()).unwrap();
        let mut rest = String::new();
        for line in text.strip_suffix("\n\n").unwrap().lines() {
            // Words glued together by their percent signs may be too long for any line.
            prop_assert!(line.len() < 80 || line.contains(" %") || !line.contains(' '), "{:?}", line);
            prop_assert!(!line.is_empty() && line.trim() == line, "{:?}", line);
            prop_assert!(!line.starts_with('%') || line == "%@", "{:?}", line);
            // Move numbers are the writer's own.
            rest.extend(line.split(' ').filter(|token| !is_number(token)).map(|token| {
                token.strip_prefix('(').filter(|inner| is_number(inner)).map_or(token, |_| "(")
            }));
        }
        prop_assert_eq!(rest, expected);
    }
}

fn is_number(token: &str) -> bool {
    let digits = token.trim_end_matches('.');
    digits.len() < token.len() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Our own games in export format, and how many they are.
fn own(pgn: &[u8], utf8: bool) -> (Vec<u8>, u64) {
    let archive = archive_of(pgn);
    let mut sink = Collected::default();
    let options = UnpackOptions {
        export: true,
        utf8,
        ..UnpackOptions::default()
    };
    let summary = unpack(&mut &*archive, &mut sink, &options, &mut NoHooks).unwrap();
    (sink.sources.pop().unwrap().1, summary.games)
}

/// Tag pairs are held back until the last of them is known, in bounded memory: a game with more of
/// them is text in export format, and its archive is whole.
#[test]
fn a_game_of_too_many_tags_is_exported_as_text() {
    let tags: String = (0..130_000).map(|n| format!("[T{n} \"{n}\"]\n")).collect();
    let (out, games) = own(format!("{tags}\n1. e4 e5 *\n\n1. d4 *\n").as_bytes(), false);
    let out = String::from_utf8(out).unwrap();
    let words: Vec<&str> = out.split_whitespace().collect();
    let text = words.join(" ");
    assert_eq!(games, 2);
    assert!(text.contains("{[T0 \"0\"] [T1 \"1\"]"));
    assert!(text.contains("[T129999 \"129999\"] 1. e4 e5 *} *"));
    assert!(text.ends_with("[Result \"*\"] 1. d4 *"));
}

fn own_text(pgn: &str) -> String {
    String::from_utf8(own(pgn.as_bytes(), true).0).unwrap()
}

fn reduced(pgn: &[u8]) -> String {
    let options = UnpackOptions {
        export: true,
        reduced: true,
        utf8: true,
        ..UnpackOptions::default()
    };
    let unpacked = |archive: &[u8]| {
        let mut sink = Collected::default();
        let summary = unpack(&mut &*archive, &mut sink, &options, &mut NoHooks).unwrap();
        let counts = (
            summary.games,
            summary.whole,
            summary.text_tail,
            summary.stray_bytes,
        );
        (sink.sources.pop().unwrap().1, counts)
    };
    let plain = unpacked(&archive_of(pgn));
    // Of the small form only what is shown is decoded, where that suffices.
    let small = unpacked(&small_of(pgn, true).unwrap());
    assert_eq!(
        String::from_utf8_lossy(&small.0),
        String::from_utf8_lossy(&plain.0)
    );
    assert_eq!(small.1, plain.1);
    String::from_utf8(plain.0).unwrap()
}

/// 3.2.4: no comments, variations or glyphs, and no tag pairs but those of the roster.
#[test]
fn reduced_export_format() {
    let pgn = "[Event \"E\"]\n[White \"W\"]\n[WhiteElo \"2700\"]\n[Odd name \"x\"]\n[Result \"1-0\"]\n\n\
        {first} 1. e4! $3 {a {b} (1. d4 d5 (1... Nf6 2. c4) 2. c4) e5 ; so\n2. Nf3 +- Nc6 1-0\n\n\
        [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n[SetUp \"1\"]\n[Round \"2\"]\n\n%line\n7... Kd7 8. e5 Zz *\n";
    let expected = "[Event \"E\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"W\"]\n[Black \"?\"]\n[Result \"1-0\"]\n\n\
        1. e4 e5 2. Nf3 Nc6 1-0\n\n\
        [Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"2\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\
        [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n[SetUp \"1\"]\n\n\
        7... Kd7 *\n\n";
    assert_eq!(reduced(pgn.as_bytes()), expected);
    // Tag pairs that say what holds without them.
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n";
    for (tags, kept) in [
        ("[Variant \"Standard\"]\n".to_owned(), String::new()),
        ("[Variant \"From Position\"]\n".to_owned(), String::new()),
        ("[SetUp \"1\"]\n".to_owned(), String::new()),
        (format!("[SetUp \"1\"]\n[FEN \"{usual}\"]\n"), String::new()),
        (
            "[Variant \"Atomic\"]\n[SetUp \"0\"]\n".to_owned(),
            "[Variant \"Atomic\"]\n".to_owned(),
        ),
        (
            format!("[FEN \"{usual}\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n"),
            format!("[FEN \"{usual}\"]\n[SetUp \"1\"]\n[Variant \"Chess960\"]\n"),
        ),
    ] {
        let found = reduced(format!("{tags}\n1. e4 *\n").as_bytes());
        assert_eq!(found, format!("{roster}{kept}\n1. e4 *\n\n"), "{tags}");
    }
    // Notes that reduced export format leaves out, and what is more than a note.
    let notes = "1. e4 $1 {a [%clk 0:01:02]} (1. d4 $300) e5 $300 ; b\n";
    for more in [
        "*",
        "1-0",
        "(2. Zz) *",
        "Zz *",
        "2. -- *",
        "\n%line\n*",
        "*\n\nstray\n",
    ] {
        let text = reduced(format!("[Result \"*\"]\n\n{notes}{more}\n").as_bytes());
        let ends = if more == "1-0" {
            "1. e4 e5 1-0"
        } else {
            "1. e4 e5 *"
        };
        assert!(text.contains(ends), "{more}: {text}");
    }
    let random = &mut Random::new(324);
    for _ in 0..12 {
        let pgn = document(random, 30);
        let (whole, games) = own(&pgn, true);
        let reduced = reduced(&pgn);
        // What the writer of export format wrote, without what reduced export format leaves out.
        let whole = archive_of(&whole);
        let reduced = archive_of(reduced.as_bytes());
        let (whole, reduced) = (games_of(&whole), games_of(&reduced));
        assert_eq!((whole.len() as u64, reduced.len() as u64), (games, games));
        for (whole, reduced) in whole.iter().zip(&reduced) {
            let sans = |game: &Game| game.moves.iter().map(|m| m.san).collect::<Vec<_>>();
            assert_eq!(sans(reduced), sans(whole));
            assert_eq!(reduced.termination, whole.termination);
            assert!(reduced.comments.is_empty() && reduced.tail.is_none());
            for played in &reduced.moves {
                let is_bare = played.comments.is_empty() && played.nags.is_empty();
                assert!(is_bare && played.variations.is_empty(), "{played:?}");
            }
            let kept = [
                "Event", "Site", "Date", "Round", "White", "Black", "Result", "SetUp", "FEN",
                "Variant",
            ];
            let mut tags = whole.tags.clone();
            // A Variant that is chess says nothing of the moves.
            let is_needed = |tag: &(String, String)| {
                kept.contains(&&*tag.0) && (tag.0 != "Variant" || reduced.tags.contains(tag))
            };
            tags.retain(is_needed);
            let mut fens = tags.iter().filter(|tag| tag.0 == "FEN");
            let is_usual = fens.all(|fen| fen.1 == usual) && reduced.tag("Variant").is_none();
            if is_usual || whole.tag("FEN").is_none() {
                tags.retain(|tag| !matches!(&*tag.0, "FEN" | "SetUp"));
            }
            assert_eq!(reduced.start, whole.start);
            assert_eq!(reduced.tags, tags);
        }
    }
}

fn games_of(archive: &[u8]) -> Vec<Game> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, archive).unwrap();
    let archive = Archive::open(&path).unwrap();
    archive.games().map(Result::unwrap).collect()
}

#[test]
fn the_export_of_an_export_is_the_same() {
    let odd = "[Event \"A\"]\n[Result \"1/2\"]\n\n1. e4 $256 e5 (=) ( ) 2. Ke5 {never closed\n\n\
        [Event \"B\"]\n[Site \"?\"]\n[Date \"?\"]\n\n1. d4 ;a } b\n d5 (1... Zz9 {x} y) 2. -- e5 1-0\n\n\
        [Event \"C\"]\n[Wh\u{e9}ite \"W\"]\n[\u{feff}\u{141}x \"\u{141}\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"0-1\"]\n\n%\u{e9} line\n1. e4 1-0\n";
    let mut sources = vec![("odd".to_owned(), odd.as_bytes().to_vec())];
    for entry in std::fs::read_dir("tests/data").unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            sources.push((path.display().to_string(), std::fs::read(path).unwrap()));
        }
    }
    for (name, source) in sources {
        for utf8 in [false, true] {
            let (first, games) = own(&source, utf8);
            let (second, again) = own(&first, utf8);
            assert_eq!(
                (String::from_utf8_lossy(&second), again),
                (String::from_utf8_lossy(&first), games),
                "{name}"
            );
        }
    }
}

#[test]
fn what_is_no_chess_is_a_comment_in_the_export() {
    let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n";
    let export = |movetext: &str| {
        let text = own_text(&format!("[Result \"1-0\"]\n\n{movetext}\n"));
        text.strip_prefix(&format!("{roster}[Result \"1-0\"]\n\n"))
            .unwrap()
            .trim_end()
            .replace('\n', "|")
    };
    assert_eq!(
        export("1. e4 e5 2. Ke5 {open} (=) Nf6 1-0"),
        "1. e4 e5 {2. Ke5 (open) (=) Nf6} 1-0".replace("{2. ", "{")
    );
    assert_eq!(export("1. e4 ( ) e5 1-0"), "1. e4 {( )} 1... e5 1-0");
    assert_eq!(
        export("1. e4 $255 e5 $256 1-0"),
        "1. e4 $255 1... e5 {$256} 1-0"
    );
    assert_eq!(
        export("1. e4 e5 0-1"),
        "1. e4 e5 {the movetext ends in 0-1} 1-0"
    );
    let long = format!("1. e4 {}1-0", "Zz9 nonsense ".repeat(30));
    assert!(
        export(&long).split('|').all(|line| line.len() < 80),
        "{}",
        export(&long)
    );
}

/// The movetext of our own export, of a game with this movetext.
fn own_movetext(movetext: &str) -> String {
    let text = own_text(&format!("[Event \"x\"]\n\n{movetext}\n"));
    let text = text
        .split_once("\n\n")
        .unwrap()
        .1
        .trim_end()
        .replace('\n', " ");
    assert_eq!(
        own_text(&format!("[Event \"x\"]\n\n{text}\n"))
            .split_once("\n\n")
            .unwrap()
            .1
            .replace('\n', " ")
            .trim_end(),
        text
    );
    text
}

#[test]
fn signs_that_the_standard_knows_are_glyphs_in_the_export() {
    for (nag, signs) in [
        (7, &["\u{25a1}"][..]),
        (10, &["="]),
        (13, &["\u{221e}"]),
        (14, &["+=", "+/=", "\u{2a72}", "+ ="]),
        (15, &["=+", "=/+", "\u{2a71}"]),
        (16, &["+/-", "\u{b1}", "+/\u{2212}"]),
        (17, &["-/+", "\u{2213}"]),
        (18, &["+-", "+\u{2212}", "+\u{2013}", "+ -"]),
        (19, &["-+", "\u{2212}+", "- +"]),
    ] {
        for sign in signs {
            // Behind a move of White, of Black, in a variation, before a comment, at the end.
            let text = format!(
                "1. e4 {sign} e5 (1... d5 {sign}) {{x}} 2. d4 {{y}} {sign} d5 3. c4 {sign} {{z}} 3... c5 {sign} *"
            );
            let expected = format!(
                "1. e4 ${nag} 1... e5 (1... d5 ${nag}) {{x}} 2. d4 ${nag} {{y}} 2... d5 3. c4 ${nag} {{z}} 3... c5 ${nag} *"
            );
            assert_eq!(own_movetext(&text), expected, "{sign}");
            if !sign.contains(' ') {
                assert_eq!(
                    own_movetext(&format!("1. e4{sign} e5! {sign} *")),
                    format!("1. e4 ${nag} 1... e5 $1 ${nag} *")
                );
                assert_eq!(
                    own_movetext(&format!("1. e4 (1. d4{sign}) e5!{sign}")),
                    format!("1. e4 (1. d4 ${nag}) 1... e5 $1 ${nag} *")
                );
            }
        }
    }
    // In Latin-1 the plus-minus sign is one byte.
    let (text, _) = own(b"[Event \"x\"]\n\n1. e4 \xb1 e5 *\n", false);
    assert!(
        text.ends_with(b"\n\n1. e4 $16 1... e5 *\n\n"),
        "{}",
        text.escape_ascii()
    );
}

#[test]
fn signs_that_the_standard_does_not_know_are_comments_in_the_export() {
    for sign in ["\u{2605}", "\u{21c6}\u{2192}", "=+-", "$"] {
        let text = format!("1. e4 {sign} e5 (1... d5 {sign}) 2. d4 {sign} {{x}} d5 {sign} 1-0");
        let expected = format!(
            "1. e4 {{{sign}}} 1... e5 (1... d5 {{{sign}}}) 2. d4 {{{sign}}} {{x}} 2... d5 {{{sign}}} 1-0"
        );
        assert_eq!(own_movetext(&text), expected, "{sign}");
    }
    assert_eq!(
        own_movetext("1. e4 (1. d4 d5 1/2-1/2) e5 *"),
        "1. e4 (1. d4 d5 {1/2-1/2}) 1... e5 *"
    );
    assert_eq!(
        own_movetext("1. e4 (\u{2605} 1. d4) e5 *"),
        "1. e4 ({\u{2605}} 1. d4) 1... e5 *"
    );
    // What Latin-1 does not have.
    let (text, _) = own(
        "[Event \"x\"]\n\n1. e4 \u{2605} e5 \u{221e} *\n".as_bytes(),
        false,
    );
    assert!(
        text.ends_with(b"\n\n1. e4 {?} 1... e5 $13 *\n\n"),
        "{}",
        text.escape_ascii()
    );
}

#[test]
fn several_signs_in_a_row_come_in_their_order() {
    // The examples of the specification.
    assert_eq!(
        own_movetext("1. e4 N +- e5 = {quiet} 2. d4 \u{b1}"),
        "1. e4 $146 $18 1... e5 $10 {quiet} 2. d4 $16 *"
    );
    assert_eq!(
        own_movetext("1. e4 + = (1. d4 \u{221e} \u{2605}) e5, 2. Nf3"),
        "1. e4 $14 (1. d4 $13 {\u{2605}}) 1... e5 2. Nf3 *"
    );
    assert_eq!(
        own_movetext("1. e4 $1 +- $2 N e5"),
        "1. e4 $1 $18 $2 $146 1... e5 *"
    );
    assert_eq!(own_movetext("1. e4 = +- e5"), "1. e4 $10 $18 1... e5 *");
    assert_eq!(
        own_movetext("1. e4 +- {x} = e5"),
        "1. e4 $18 $10 {x} 1... e5 *"
    );
    assert_eq!(own_movetext("+- 1. e4 e5 +-\n"), "$18 1. e4 e5 $18 *");
}

#[test]
fn what_says_nothing_is_not_in_the_export() {
    let text = "1. e4, e5 + 2. Bc4\u{a0}Nc6 (2... Nf6 *) ) 3. Qh5\u{2026} Nf6 ] 4. Qxf7 mate 1-0";
    assert_eq!(
        own_movetext(text),
        "1. e4 e5 2. Bc4 Nc6 (2... Nf6) 3. Qh5 Nf6 4. Qxf7# 1-0"
    );
    let text = "1. e4 d5 2. Bb5ch c6 3. e5 f5 4. exf6 e.p. Bd7 5. Bxc6 \u{2020} *";
    assert_eq!(
        own_movetext(text),
        "1. e4 d5 2. Bb5+ c6 3. e5 f5 4. exf6 Bd7 5. Bxc6 *"
    );
}

/// A sign that may be the check mark of the move, or the promotion.
#[test]
fn a_sign_that_may_belong_to_the_move_is_no_glyph() {
    for (sign, expected) in [
        ("+ +-", "$18"),
        ("++-", "$18"),
        ("+-", "$18"),
        (" +-", "$18"),
        ("+-/+", "$17"),
        (" +=", "$14"),
        ("+=", "{+=}"),
        (" + =", "{+ =}"),
        ("+ +=", "$14"),
        ("++=", "$14"),
    ] {
        assert_eq!(
            own_movetext(&format!("1. e4 f5 2. Qh5{sign} g6 *")),
            format!("1. e4 f5 2. Qh5+ {expected} 2... g6 *"),
            "{sign}"
        );
    }
    assert_eq!(own_movetext("1. e4++- e5 *"), "1. e4 {++-} 1... e5 *");
    let fen = "[Event \"x\"]\n[FEN \"8/P6k/8/8/8/8/7K/R7 w - - 0 1\"]\n\n";
    for (text, expected) in [
        ("1. a8= *", "{a8=} *"),
        ("1. a8 = *", "{a8 =} *"),
        ("1. a8=Q = *", "1. a8=Q $10 *"),
        ("1. Rg1= *", "1. Rg1 $10 *"),
        ("1. Ra1g1= *", "1. Rg1 $10 *"),
        ("1. a1g1= *", "1. Rg1 $10 *"),
    ] {
        assert!(
            own_text(&format!("{fen}{text}\n")).ends_with(&format!("\n\n{expected}\n\n")),
            "{text}"
        );
    }
}

#[test]
fn signs_in_text_stay_in_the_text() {
    assert_eq!(
        own_movetext("1. e4 +- e5 N 2. Ke5 +- N (= ) 1-0"),
        "1. e4 $18 1... e5 $146 {Ke5 +- N (= )} 1-0"
    );
    // A variation without a move is one text, and so are the signs that stand in it.
    assert_eq!(
        own_movetext("1. e4 = (N +- what) \u{b1} e5 *"),
        "1. e4 $10 $16 {(N +- what)} 1... e5 *"
    );
    assert_eq!(
        own_movetext("1. e4 (=) e5 (1... c5 = Zz9 +-) = *"),
        "1. e4 {(=)} 1... e5 (1... c5 $10 {Zz9 +-}) $10 *"
    );
    assert_eq!(
        own_movetext("1. e4 {N +- =} e5 ;N +-\n*"),
        "1. e4 {N +- =} 1... e5 {N +-} *"
    );
}

/// In a block of many games alike the signs are in what the block's style says of its gaps; a game
/// with many is kept as its text; others have them in slots of their own. It is all the same.
#[test]
fn signs_are_found_wherever_the_layout_has_them() {
    let few = "[Event \"x\"]\n\n1. e4 e5 =+- 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *\n\n";
    let many = "[Event \"x\"]\n\n1. e4 = e5 =+- 2. Nf3 +- Nc6 D 3. Bb5 = a6 \u{b1} 4. Ba4 = Nf6 \u{221e} 5. O-O += Be7 * \n\n";
    let alike = "[Event \"x\"]\n\n1. e4 =+- e5 =+- 2. d4 =+- d5 =+- *\n\n";
    let movetexts = |pgn: &str| {
        let text = own_text(pgn);
        text.split("\n\n")
            .filter(|part| part.starts_with("1. "))
            .map(|part| part.replace('\n', " "))
            .collect::<Vec<_>>()
    };
    let expected_few =
        "1. e4 e5 {=+-} 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *";
    let expected_many = "1. e4 $10 1... e5 {=+-} 2. Nf3 $18 2... Nc6 $220 3. Bb5 $10 3... a6 $16 4. Ba4 $10 4... Nf6 $13 \
        5. O-O $14 5... Be7 *";
    let expected_alike = "1. e4 {=+-} 1... e5 {=+-} 2. d4 {=+-} 2... d5 {=+-} *";
    let plain = few.replace(" =+- 2", " 2");
    assert_eq!(
        movetexts(&[&plain.repeat(50), few, many].concat())[50..],
        [expected_few, expected_many]
    );
    assert_eq!(movetexts(&alike.repeat(50)), vec![expected_alike; 50]);
    assert_eq!(
        movetexts(&[alike.repeat(50).as_str(), few].concat())[50],
        expected_few
    );
    assert_eq!(movetexts(many), [expected_many]);
}

/// A game of more than 16 MiB is kept in pieces, and all of them are exported.
#[test]
fn a_game_in_pieces_is_exported_whole() {
    let words = 3_000_000;
    let mut pgn = b"[Event \"long\"]\n\n1. e4 {begin ".to_vec();
    pgn.extend(b"middle ".repeat(words));
    pgn.extend(b"end} e5 *\n\n[Event \"short\"]\n\n1. d4 *\n");
    let (text, games) = own(&pgn, false);
    assert_eq!(games, 2);
    let ends: Vec<usize> = memchr::memmem::find_iter(&text, b"\n\n").collect();
    // Two tag sections, two movetexts.
    assert_eq!(ends.len(), 4);
    let long = &text[..ends[1]];
    // A word that a cut goes through is two.
    let middle = memchr::memmem::find_iter(long, b"middle").count();
    assert!((words - 1..=words).contains(&middle), "{middle}");
    assert!(
        long.ends_with(b"end) e5 *}\n*"),
        "{}",
        String::from_utf8_lossy(&long[long.len() - 60..])
    );
    assert!(
        text[ends[1]..].starts_with(b"\n\n[Event \"short\"]") && text.ends_with(b"1. d4 *\n\n")
    );
    assert!(text.split(|&b| b == b'\n').all(|line| line.len() < 80));
}

/// Section 6: an escape mechanism line stands anywhere in a PGN file. Those outside games keep their
/// place; other text there is left out. The export of an export is the same text.
#[test]
fn escapes_in_text_outside_games_keep_their_place() {
    let line = "1. e4 *\n\n";
    let game = format!("{NOTHING_KNOWN}{line}");
    let text = [
        "\u{feff}%first\n\nAbout the games\n%in prose\n\n",
        &game,
        "%between\n",
        &game,
        "A note. %no escape\n{\n%in a comment\n}\n%\n%last, caf\u{e9}",
    ];
    let export = format!("%first\n%in prose\n{game}%between\n{game}%\n%last, caf\u{e9}\n");
    let options = UnpackOptions {
        export: true,
        utf8: true,
        ..UnpackOptions::default()
    };
    for source in [text.concat(), export.clone()] {
        let mut sink = Collected::default();
        unpack(
            &mut &*archive_of(source.as_bytes()),
            &mut sink,
            &options,
            &mut NoHooks,
        )
        .unwrap();
        let out = sink.sources.into_iter().flat_map(|s| s.1).collect();
        assert_eq!(String::from_utf8(out).unwrap(), export);
    }
}
