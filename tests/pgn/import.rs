//! Which moves are read from movetext, and what stays text: spellings that real files have, and
//! bytes that touch a move.

use pgc::pack;
use pgc::{Loss, NoHooks, PackOptions, SegmentForm, Summary};
use pgc_pgn::game::{ElemKind, ParsedGames};
use pgc_pgn::split::{Splitter, UnitKind};

use crate::support::random::Random;
use crate::support::{archive_of, assert_round_trip, check_stream, packed};

/// The moves of the last game of a source, with blanks between, in the archive and in the stream of
/// `--standard` alike; and the summary.
fn moves_of(source: &[u8]) -> (String, Summary) {
    let what = source.escape_ascii().to_string();
    assert_round_trip(&what, source);
    let moves = check_stream(&archive_of(source)).unwrap().join(" ");
    let mut stream = Vec::new();
    let options = PackOptions {
        threads: 1,
        form: SegmentForm::Plain,
        standard: Some(Loss::ALL.map(|known| known.1).to_vec()),
        ..PackOptions::default()
    };
    pack(&mut &*source, "x.pgn", &mut stream, &options, &mut NoHooks).unwrap();
    assert_eq!(check_stream(&stream).unwrap().join(" "), moves, "{what}");
    (moves, packed(source, true).unwrap().1)
}

/// The main line is whole, and its moves are these.
fn assert_whole(source: impl AsRef<[u8]>, moves: &str) {
    let source = source.as_ref();
    let (found, summary) = moves_of(source);
    let what = source.escape_ascii().to_string();
    assert_eq!(
        (
            found.as_str(),
            summary.games,
            summary.whole,
            summary.stray_regions
        ),
        (moves, 1, 1, 0),
        "{what}"
    );
}

/// The main line begins with these moves, and the rest of it is text.
fn assert_tail(source: impl AsRef<[u8]>, moves: &str) {
    let source = source.as_ref();
    let (found, summary) = moves_of(source);
    let what = source.escape_ascii().to_string();
    assert_eq!(
        (
            found.as_str(),
            summary.games,
            summary.text_tail,
            summary.stray_regions
        ),
        (moves, 1, 1, 0),
        "{what}"
    );
}

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn figurines_are_letters_of_pieces() {
    assert_whole("1. e4 e5 2. \u{2658}f3 *", "e4 e5 Nf3");
    assert_whole(
        "1. e4 e5 2. \u{265e}f3 \u{265e}c6 3. \u{2657}b5+ *",
        "e4 e5 Nf3 Nc6 Bb5",
    );
    assert_whole(
        "1. \u{2659}e4 \u{265f}e5 2. \u{2655}h5 \u{265a}e7 3. \u{2655}xe5# *",
        "e4 e5 Qh5 Ke7 Qxe5",
    );
    assert_whole("1. \u{2658}g1-f3 \u{2658}b8\u{2013}c6 *", "Nf3 Nc6");
    assert_tail("1. e4 e5 2. \u{2658} f3 *", "e4 e5");
    // A figurine is a piece, not a file.
    assert_tail("1. c4 e5 2. d4 \u{2657}XD4 3. e3 *", "c4 e5 d4");
}

#[test]
fn castling_in_pieces_is_text() {
    let before = "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. ";
    let moves = "Nf3 Nf6 g3 g6 Bg2 Bg7";
    let zeros: [&[u8]; 16] = [
        b"0\x960",
        b"0 0",
        b"0_0",
        b"0- 0",
        b"0 -0",
        b"0/0",
        b"0,0",
        b"0~0",
        b"0=0",
        b"0\xad0",
        b"0 0 0",
        b"0-\n0",
        b"0",
        b"0:0",
        "\u{41e}-\u{41e}".as_bytes(),
        "0\u{2013} 0".as_bytes(),
    ];
    for castling in zeros {
        assert_tail(
            bytes(&[before.as_bytes(), castling, b" 0-0 5. d3 d6 *"]),
            moves,
        );
    }
    for castling in [
        "0-0 -0",
        "0-0 - 0",
        "0-0 0",
        "0-0\n-0",
        "0-0,-0",
        "0-0/0",
        "0-0!-0",
        "O-O -O",
        "O-O - O",
        "0-0\u{2026}0",
        "00 0",
    ] {
        assert_tail(format!("{before}{castling} d6 5. d3 *"), moves);
    }
    for (castling, end) in [
        ("O-O O-O", ""),
        ("0-0! 0-0", ""),
        ("O-O 0-0", ""),
        ("00 00", ""),
    ] {
        assert_whole(
            format!("{before}{castling} 5. d3{end} *"),
            &format!("{moves} O-O O-O d3"),
        );
    }
    assert_whole(format!("{before}O-O 0-1"), &format!("{moves} O-O"));
    assert_whole(
        format!("{before}O-O 4... O-O 5. d3 d6 0-1"),
        &format!("{moves} O-O O-O d3 d6"),
    );
}

#[test]
fn a_letter_before_a_move_is_no_sign_whatever_stands_between() {
    let between = [
        "! ",
        "!",
        "? ",
        "{} ",
        " {x} ",
        " ;c\n",
        "$1 ",
        ") ",
        ")",
        "} ",
        " \u{2013} ",
        " \u{d7} ",
        " \u{2192} ",
        " - ",
    ];
    for sign in between {
        assert_tail(format!("1. e4 e5 2. N{sign}f3 Nc6 *"), "e4 e5");
        assert_tail(format!("1. e4 e5 2. \u{41a}{sign}f3 Nc6 *"), "e4 e5");
    }
    assert_whole(
        "1. e4 e5 2. Nf3 N Nc6 3. Bb5 N! 3... a6 *",
        "e4 e5 Nf3 Nc6 Bb5 a6",
    );
}

#[test]
fn capitals_that_may_be_files_or_bishops_are_ambiguous() {
    assert_tail("1. B2B3 E7E5 2. B1A3 D7D6 *", "b3 e5");
    assert_tail(
        "1. E2E4 E7E5 2. D2D3 B8C6 3. C1D2 A7A6 4. B2B4 *",
        "e4 e5 d3 Nc6 Bd2 a6",
    );
    assert_whole("1. E4 E5 2. BC4 *", "e4 e5 Bc4");
    let pawn = "[FEN \"4k3/8/8/2p5/1P6/8/8/4K3 w - - 0 1\"]\n\n";
    assert_whole(format!("{pawn}1. BXC5 *"), "bxc5");
}

#[test]
fn dashes_outside_ascii_alone_are_null_moves() {
    for dashes in [
        "\u{2014}",
        "\u{2013}\u{2013}",
        "\u{2212}\u{2212}",
        "-\u{2013}",
    ] {
        assert_tail(format!("1. e4 {dashes} 2. e5 *"), "e4");
    }
}

#[test]
fn a_promotion_whose_piece_may_stand_farther_on_is_text() {
    let start = "[FEN \"1n5k/P1P5/8/8/8/8/3K1p2/6N1 w - - 0 1\"]\n\n1. Ke2 Kg7 2. ";
    for promotion in [
        "c8! N",
        "c8. N",
        "c8.N",
        "c8!N",
        "c8 {x} N",
        "c8{=N}",
        "c8 $1 N",
        "c8 1 N",
        "c8 - N",
        "c8 \u{2013} N",
        "c8 + N",
        "c8 : N",
        "c8 , N",
        "c8 \u{2026} N",
        "c8 ) N",
        "c8 (Knight)",
        "c8.=N",
        "c8! =N",
        "c8 [N]",
        "c8 \"N\"",
        "c8 Knight",
        "c8 Kt",
        "c8 N+",
        "c8 Springer",
    ] {
        assert_tail(format!("{start}{promotion} Kf7 *"), "Ke2 Kg7");
    }
    for promotion in [
        "c8",
        "c8!",
        "c8 {a queen}",
        "c8 $1",
        "c8 2...",
        "c8 (2. axb8=N)",
        "c8+",
    ] {
        let moves = if promotion.contains('(') {
            "Ke2 Kg7 c8=Q axb8=N Kf7"
        } else {
            "Ke2 Kg7 c8=Q Kf7"
        };
        assert_whole(format!("{start}{promotion} Kf7 *"), moves);
    }
}

#[test]
fn a_promotion_to_a_figurine_is_read() {
    let before = "1. h4 g5 2. hxg5 h6 3. gxh6 a6 4. h7 a5 5. ";
    assert_whole(
        format!("{before}hxg8=\u{2658} *"),
        "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=N",
    );
    assert_whole(
        format!("{before}hxg8\u{2655} *"),
        "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=Q",
    );
}

#[test]
fn an_unknown_letter_that_touches_a_move_makes_it_text() {
    // A font's knight, Cyrillic knights, a soft hyphen, a zero-width blank, a control, a letter
    // behind the move.
    for move_text in [
        &b"\xa4f3"[..],
        "\u{41a}f3".as_bytes(),
        b"\x8af3",
        "N\u{ad}f3".as_bytes(),
        b"N\xadf3",
        "N\u{200b}f3".as_bytes(),
        b"N\x00f3",
        b"\x01f3",
        b"f3\xa4",
        b"f3\x7f",
        "Nf3\u{e9}".as_bytes(),
        b"\xa41f3",
        "\u{a4}f3".as_bytes(),
    ] {
        assert_tail(
            bytes(&[b"1. e4 e5 2. ", move_text, b" Nc6 3. a3 *"]),
            "e4 e5",
        );
        assert_tail(
            bytes(&[b"1. e4 e5 2.", move_text, b"! Nc6 3. a3 *"]),
            "e4 e5",
        );
        assert_tail(bytes(&[b"1. e4 e5 {x}", move_text, b"\n3. a3 *"]), "e4 e5");
    }
    // The same behind a move that is read without a look at what it is.
    for behind in [
        &b"\xa4"[..],
        b"\x01",
        "\u{e9}".as_bytes(),
        "\u{430}".as_bytes(),
    ] {
        assert_tail(
            bytes(&[b"1. e4 e5 2. f3", behind, b" Nc6 3. a3 a6 4. a4 *"]),
            "e4 e5",
        );
    }
}

#[test]
fn an_unknown_letter_before_a_square_is_no_junk() {
    assert_tail("1. e4 e5 2. \u{41a} f3 *", "e4 e5");
    assert_tail(b"1. e4 e5 2. \xa4 f3 *", "e4 e5");
    assert_tail(b"1. e4 d5 2. \xa4 x d5 *", "e4 d5");
    // It may be a part of castling too, so what follows does not matter.
    assert_tail("1. e4 \u{e9} 1... e5 2. Nf3 Nc6 *", "e4");
    assert_tail(b"1. a3 \xb9 a5 *", "a3");
}

#[test]
fn nothing_that_touches_the_front_of_a_move_is_dropped() {
    for junk in [
        "~", "\"", "[", ",", "=", "+-", "/", "<", ">", "^", "&", "-", "--", ":", "_", "#", "$",
        "%", "|", "'", "\u{b1}", "\u{2192}",
    ] {
        assert_tail(format!("1. e4 e5 2. {junk}f3 Nc6 3. a3 *"), "e4 e5");
        // A dash or a colon makes it one move.
        if junk != "-" && junk != ":" {
            assert_tail(format!("1. e4 e5 2. N{junk}f3 Nc6 3. a3 *"), "e4 e5");
        }
    }
    // Of a move that is text, no part is one.
    for move_text in ["e2/e4", "e2,e4", "e2>e4", "1-e4", "1=e4", "e2\u{b1}e4"] {
        let (moves, summary) = moves_of(format!("1. {move_text} e5 2. e4 *").as_bytes());
        assert_eq!((moves.as_str(), summary.text_only), ("", 1), "{move_text}");
    }
    assert_tail("1. d4 d5 2. c4 dxc4 3. Nf3,Nf6 *", "d4 d5 c4 dxc4");
    // What begins no move is still junk.
    assert_whole(
        "1. e4 e5 \"2. Nf3\" Nc6 +-3. Bb5 [ ] a6 ~4. Ba4 )Nf6 *",
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    );
}

#[test]
fn signs_that_editors_glue_to_a_move_are_junk() {
    for sign in [
        "+-",
        "-+",
        "=",
        "+=",
        "=+",
        "+/-",
        "-/+",
        "+/=",
        "=/+",
        "~",
        ",",
        "\"",
        "]",
        "/",
        "<",
        ">",
        "^",
        "&",
        "++-",
        "\u{b1}",
        "\u{2213}",
        "\u{221e}",
        "\u{2a72}",
        "\u{2a71}",
        "\u{25a1}",
        "\u{25b3}",
        "\u{2313}",
        "\u{2020}",
        "\u{2021}",
        "\u{2014}",
        "\u{2026}",
        "\u{a0}",
        "\u{2013}+",
        "\u{2192}",
    ] {
        assert_whole(
            format!("1. e4 e5{sign} 2. Nf3{sign} Nc6 3. Bb5 *"),
            "e4 e5 Nf3 Nc6 Bb5",
        );
    }
    for sign in [&b"\xb1"[..], b"\x86", b"\x87", b"\xa0"] {
        assert_whole(bytes(&[b"1. e4 e5", sign, b" 2. Nf3 *"]), "e4 e5 Nf3");
    }
    assert_whole("1. e4\u{a0}e5 2.\u{a0}Nf3 1\u{2026}Nc6 *", "e4 e5 Nf3 Nc6");
    assert_whole(
        "1. e4 f5 2. Qh5ch g6 3. Qe2 d6 4. exf5++ Bxf5 *",
        "e4 f5 Qh5 g6 Qe2 d6 exf5 Bxf5",
    );
    assert_whole(
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7mate 1-0",
        "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7",
    );
    assert_whole(
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7 mate# 1-0",
        "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7",
    );
    // Half of a long move is none.
    assert_tail("1. e4 e5 2. d4- d5 *", "e4 e5");
}

#[test]
fn a_letter_is_a_sign_only_where_it_spells_no_move() {
    assert_tail("1. e4 e5 2. N f3 N f6 *", "e4 e5");
    assert_tail("1. e4 e5 2. N\nf3 *", "e4 e5");
    assert_tail("1. e4 e5 2. N x f3 *", "e4 e5");
    assert_tail("1. e4 e5 2. N.f3 *", "e4 e5");
    assert_tail("1. e4 e5 2. N - f3 *", "e4 e5");
    assert_tail("1. e4 e5 2. N gf3 *", "e4 e5");
    assert_tail("1. d4 d5 2. D d3 *", "d4 d5");
    assert_tail("1. e4 d5 2. x d5 *", "e4 d5");
    assert_whole(
        "1. e4 e5 2. Nf3 N Nc6 3. Bb5 D 3... a6 RR 4. Ba4 TN Nf6 *",
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    );
}

#[test]
fn castling_written_otherwise() {
    let before = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. ";
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d6";
    for dash in [
        "-", "\u{2010}", "\u{2011}", "\u{2013}", "\u{2014}", "\u{2212}",
    ] {
        for o in ["O", "0", "o"] {
            assert_whole(format!("{before}{o}{dash}{o} d6 *"), moves);
        }
    }
    assert_whole(format!("{before}00 d6 *"), moves);
    assert_tail(
        format!("{before}0 - 0 d6 *"),
        moves.strip_suffix(" O-O d6").unwrap(),
    );
    assert_tail(
        format!("{before}O - O d6 *"),
        moves.strip_suffix(" O-O d6").unwrap(),
    );
    assert_whole("1. e4 d5 2. e\u{d7}d5 Q\u{d7}d5 *", "e4 d5 exd5 Qxd5");
    assert_whole(b"1. e4 d5 2. e\xd7d5 Q\xd7d5 *", "e4 d5 exd5 Qxd5");
    // The first byte of a letter of UTF-8 is no capture mark.
    assert_tail("1. e4 d5 2. e\u{5d0}d5 *", "e4 d5");
}

#[test]
fn a_promotion_without_a_piece_is_to_a_queen() {
    let before = "1. h4 g5 2. hxg5 h6 3. gxh6 a6 4. h7 a5 5. ";
    let (all, but) = (
        "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=Q",
        "h4 g5 hxg5 h6 gxh6 a6 h7 a5",
    );
    for text in [
        "hxg8",
        "hg8",
        "h7xg8",
        "h7g8",
        "hxg8!",
        "hxg8 {a queen}",
        "hxg8+",
    ] {
        assert_whole(format!("{before}{text} *"), all);
    }
    // A variation may say otherwise.
    assert_whole(
        format!("{before}hxg8 (5. hxg8=N) *"),
        &format!("{all} hxg8=N"),
    );
    for text in [
        "hxg8 N",
        "hxg8 =N",
        "hxg8 = N",
        "hxg8/n",
        "hxg8 (N)",
        "hxg8= N",
        "hxg8,N",
        "hxg8 S",
        "hxg8 \u{2658}",
        "hxg8 \u{41a}",
    ] {
        assert_tail(format!("{before}{text} *"), but);
    }
}

#[test]
fn a_result_that_is_glued_to_a_move_ends_the_game() {
    for (text, moves) in [
        ("1. e4 e5 2. Nf31-0", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf30-1\n", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf31/2-1/2", "e4 e5 Nf3"),
        ("1. e4 e5 2. Nf31/2", "e4 e5 Nf3"),
        ("1. f3 e5 2. g4 Qh4#0-1", "f3 e5 g4 Qh4"),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O0-1",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-01-0",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        ),
        (
            "1. h4 g5 2. hxg5 h6 3. gxh6 a6 4. h7 a5 5. hxg8=N1-0",
            "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=N",
        ),
        (
            "1. h4 g5 2. hxg5 h6 3. gxh6 a6 4. h7 a5 5. hxg81-0",
            "h4 g5 hxg5 h6 gxh6 a6 h7 a5 hxg8=Q",
        ),
    ] {
        assert_whole(text, moves);
        // A game may follow; and its own result is the one of the record.
        let (last, summary) = moves_of(format!("{text}\n\n1. d4 d5 *\n").as_bytes());
        assert_eq!(
            (last.as_str(), summary.games, summary.whole),
            ("d4 d5", 2, 2),
            "{text}"
        );
    }
    // In text the same place ends the game, for the splitter and for the reader.
    for text in [
        "1. e4 e5 2. Ke3 zzg21-0",
        "1. e4 xx 3-g21-0",
        "1. e4 zz e8/Q1-0",
        "1. e4 zz $0-1",
        "1. e4 zz --1-0 *",
    ] {
        let (_, summary) = moves_of(format!("{text}\n\n1. d4 d5 *\n").as_bytes());
        assert_eq!(
            (summary.games, summary.whole, summary.text_tail),
            (2, 1, 1),
            "{text}"
        );
    }
}

#[test]
fn null_moves_are_text() {
    for null in ["--", "<>", "0000", "Z0", "@@@@"] {
        assert_tail(format!("1. e4 {null} 2. d4 *"), "e4");
    }
    assert_whole("1. e4 < > e5 *", "e4 e5");
}

#[test]
fn text_without_tags_that_is_a_game() {
    let kinds = |text: &str| {
        let (moves, summary) = moves_of(text.as_bytes());
        (moves, summary.games, summary.stray_regions)
    };
    let one = |moves: &str| (moves.to_owned(), 1, 0);
    assert_eq!(kinds("{A comment.} 1. e4 e5 *\n"), one("e4 e5"));
    assert_eq!(
        kinds("; a line\n{One,\n\n1. a4 [A \"b\"]\n} {two}\n\ne4 e5 *\n"),
        one("e4 e5")
    );
    assert_eq!(kinds("1-0\n"), one(""));
    assert_eq!(kinds("*"), one(""));
    assert_eq!(
        kinds("1. d4 *\n\n{next} 1. e4 *\n\n1/2-1/2 \n\n"),
        (String::new(), 3, 0)
    );
    assert_eq!(kinds("Prose.\n\n{next} 1. e4 *\n"), ("e4".to_owned(), 1, 1));
    assert_eq!(kinds("Prose.\n\n*\n"), (String::new(), 1, 1));
    // A comment about the game before, words, a tag pair, and results in a row are no games.
    assert_eq!(kinds("1. d4 * {fine}\n1. e4 *\n").1, 1);
    assert_eq!(kinds("{words} more words\n").1, 0);
    assert_eq!(
        kinds("{never closed\n[A \"b\"]\n1. e4 *\n"),
        ("e4".to_owned(), 1, 1)
    );
    assert_eq!(kinds("{x}\n[A \"b\"]\n1. e4 *\n"), ("e4".to_owned(), 1, 1));
    assert_eq!(kinds("1. d4 1-0\n1-0\n").1, 1);
    assert_eq!(kinds("* one thing\n* another\n").1, 0);
}

#[test]
fn names_of_variants() {
    for (name, play, moves) in [
        ("Regular", "1. e4 e5", "e4 e5"),
        ("Classical", "1. e4 e5", "e4 e5"),
        ("3check", "1. e4 e5", "e4 e5"),
        ("Three Check", "1. e4 e5", "e4 e5"),
        ("FRC", "1. e4 e5", "e4 e5"),
        ("Fischer Random Chess", "1. e4 e5", "e4 e5"),
        ("chess-960", "1. e4 e5", "e4 e5"),
        ("antichess", "1. e3 b5 2. Bxb5", "e3 b5 Bxb5"),
        ("zh", "1. e4 d5 2. exd5 Qxd5 3. @e4", "e4 d5 exd5 Qxd5 @e4"),
    ] {
        // `--standard` drops the play of variants.
        let source = format!("[Variant \"{name}\"]\n\n{play} *\n");
        assert_round_trip(name, source.as_bytes());
        assert_eq!(
            check_stream(&archive_of(source.as_bytes()))
                .unwrap()
                .join(" "),
            moves,
            "{name}"
        );
    }
}

/// Games are read in another way once a block has shown what gaps look like.
#[test]
fn what_touches_a_move_is_seen_in_every_block() {
    let game = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 *\n\n";
    let games = game.repeat(6000);
    let odd: [&[u8]; 8] = [
        b"\xa4f3",
        b"f3\xa4",
        b"N\xadf3",
        b"~f3",
        b"f3,Nc6",
        b"N f3",
        "\u{41a}f3".as_bytes(),
        b"Nf3\x01",
    ];
    let mut source = Vec::new();
    for odd in odd {
        source.extend_from_slice(games.as_bytes());
        source.extend_from_slice(b"[Event \"x\"]\n\n1. e4 e5 2. ");
        source.extend_from_slice(odd);
        source.extend_from_slice(b" Nc6 3. a3 a6 *\n\n");
    }
    let summary = packed(&source, true).unwrap().1;
    assert_eq!((summary.whole, summary.text_tail), (8 * 6000, 8));
    assert_eq!(summary.plies, 8 * 6000 * 14 + 8 * 2);
}

/// Where programs differ; python-chess says the same of each.
#[test]
fn rules_of_variants() {
    for (variant, fen, play, whole) in [
        // Whoever must capture may do nothing else; there is no castling, and a king is a piece
        // like others.
        ("Antichess", "8/8/8/8/8/1p6/P6P/8 w - - 0 1", "axb3", true),
        ("Antichess", "8/8/8/8/8/1p6/P6P/8 w - - 0 1", "h3", false),
        ("Antichess", "8/P7/8/8/8/8/7k/8 w - - 0 1", "a8=K", true),
        // Without a move the game is over, and so it is for whoever has no pieces left.
        ("Antichess", "8/8/8/8/8/p7/P7/8 w - - 0 1", "a3", false),
        ("Antichess", "8/8/8/8/8/8/8/1N6 w - - 0 1", "Nc3", false),
        ("Horde", "4k3/8/8/8/8/8/8/8 b - - 0 1", "Kd7", false),
        // Black may still draw where one move takes its king to the eighth rank.
        ("Racing Kings", "K7/6k1/8/8/8/8/8/8 b - - 0 1", "Kg8", true),
        ("Racing Kings", "K7/6k1/8/8/8/8/8/8 b - - 0 1", "Kg6", true),
        ("Racing Kings", "K7/8/6k1/8/8/8/8/8 b - - 0 1", "Kg7", false),
        ("Racing Kings", "6k1/K7/8/8/8/8/8/8 w - - 0 1", "Kb8", false),
        // Pawns of the horde step twice from the first rank and the second; from the first they
        // cannot be taken en passant.
        ("Horde", "4k3/8/8/8/8/8/8/PPPPPPPP w - - 0 1", "a3", true),
        ("Horde", "4k3/8/8/8/8/8/PPPPPPPP/8 w - - 0 1", "a4", true),
        ("Horde", "4k3/8/8/8/8/1p6/8/P7 w - - 0 1", "a3 bxa2", false),
        // A king beside the other is not in check, whatever attacks it and the squares on its way.
        ("Atomic", "8/8/8/8/8/8/4k3/R3K2R w KQ - 0 1", "O-O", true),
        ("Atomic", "4r3/8/8/8/8/8/4k3/R3K2R w KQ - 0 1", "O-O", true),
        ("Atomic", "4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", false),
        // Pawns are dropped on neither end; a promoted piece is a pawn again when it is taken.
        (
            "Crazyhouse",
            "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1",
            "@e2",
            true,
        ),
        (
            "Crazyhouse",
            "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1",
            "@e8",
            false,
        ),
        (
            "Crazyhouse",
            "4k3/8/8/8/8/8/8/4K3[p] w - - 0 1",
            "@e2",
            false,
        ),
        (
            "Crazyhouse",
            "4k3/8/8/8/8/8/q~7/R3K3[] w - - 0 1",
            "Rxa2 Kd7 @e2",
            true,
        ),
        (
            "Crazyhouse",
            "4k3/8/8/8/8/8/q~7/R3K3[] w - - 0 1",
            "Rxa2 Kd7 Q@e2",
            false,
        ),
        (
            "Three-check",
            "4k3/8/8/8/8/8/8/4K2R w K - 1+3 0 1",
            "Rh8+ Kd7",
            false,
        ),
        (
            "King of the Hill",
            "4k3/8/8/8/8/4K3/8/8 w - - 0 1",
            "Ke4 Kd7",
            false,
        ),
    ] {
        let source = format!("[Variant \"{variant}\"]\n[FEN \"{fen}\"]\n\n{play} *\n");
        assert_round_trip(&source, source.as_bytes());
        assert_eq!(
            packed(source.as_bytes(), true).unwrap().1.whole == 1,
            whole,
            "{source}"
        );
    }
}

/// Blanks of Unicode separate as white space does, and belong to no token: python-chess and
/// pgn-extract read such files so. Inside a move they are no blanks.
#[test]
fn blanks_of_unicode_stand_where_blanks_may_stand() {
    let seen = [
        "\u{a0}", "\u{85}", "\u{2003}", "\u{2028}", "\u{205f}", "\u{3000}",
    ];
    let unseen = [
        "\0",
        "\u{1a}",
        "\u{ad}",
        "\u{34f}",
        "\u{200b}",
        "\u{feff}",
        "\u{e0001}",
    ];
    for b in seen.into_iter().chain(unseen) {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let source = format!(
            "{b}[Event \"A\"]\n{b}\n1. e4 e5\n\n{b}[{b}FEN{b}\"{fen}\"{b}]{b}\n {b}[Event \"B\"]\n\n\
             {b}1.{b} e4{b} {b}Kd7 {{x}}{b}1-0{b}\n{b}\n[Event Some place]{b}\n1{b}. d4 {b}\n{b}1. c4 *{b}"
        );
        let (moves, summary) = moves_of(source.as_bytes());
        let found = (
            moves.as_str(),
            summary.games,
            summary.whole,
            summary.stray_regions,
        );
        assert_eq!(found, ("c4", 4, 4, 0), "{source:?}");
        for (parts, before) in [
            ("N*f3", ""),
            ("Ng*f3", ""),
            ("e*4", ""),
            ("e2*-e4", ""),
            (
                "Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O*-O",
                "Nf3 Nf6 g3 g6 Bg2 Bg7",
            ),
        ] {
            assert_tail_or_text(&format!("1. {} *", parts.replace('*', b)), before);
        }
    }
    for b in unseen {
        // A square, and another behind it, may be one move.
        let start = "1. Nf3 Nf6 2. Ng1";
        assert_tail(format!("{start}{b}f3 *"), "Nf3 Nf6");
        assert_tail(format!("1. e4 d5 2. exd{b}5 *"), "e4 d5");
        assert_whole(
            format!("1. e4{b}e5{b}2. d4{b} *").replacen(b, " ", 1),
            "e4 e5 d4",
        );
    }
}

/// The main line is text from behind these moves on.
fn assert_tail_or_text(source: &str, moves: &str) {
    let (found, summary) = moves_of(source.as_bytes());
    assert_eq!((found.as_str(), summary.whole), (moves, 0), "{source:?}");
}

#[test]
fn quoted_mail_has_its_tags() {
    let source = "> [Event \"A\"]\n> [Site \"x\"]\n>\n> 1. e4 e5 1-0\n>\n>> [Event \"B\"]\n>> [Site \"y\"]\n\n1. d4 *\n\
                  words\n> [Event \"C\"]\n\n1. c4 *\n> more words\n";
    assert_round_trip("mail", source.as_bytes());
    let summary = packed(source.as_bytes(), true).unwrap().1;
    assert_eq!((summary.games, summary.whole), (3, 3));
    assert_eq!(tags_of(source, "Event"), ["A", "B", "C"]);
    assert_eq!(tags_of(source, "Site"), ["x", "y", ""]);
}

/// The values of a tag in all games of a source; empty where there is none.
fn tags_of(source: &str, name: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, archive_of(source.as_bytes())).unwrap();
    let archive = pgc::Archive::open(&path).unwrap();
    let value = |number| {
        let game = archive.game(number).unwrap();
        game.tag(name).unwrap_or_default().to_owned()
    };
    (1..=archive.len().unwrap()).map(value).collect()
}

/// More words before a quoted value make another tag, which is counted.
#[test]
fn a_tag_of_two_words_is_none_of_the_first() {
    let roster = "[White \"Alpha\"]\n[Result \"1-0\"]\n";
    for odd in [
        "[White ACPL \"252\"]",
        "[FEN Source \"book\"]",
        "[Variant Name \"x\"]",
        "[Result Detail \"t\"]",
    ] {
        let source =
            format!("{odd}\n{roster}\n1. e4 e5 1-0\n\n{roster}{odd} {odd}\n1. d4 d5 1-0\n");
        assert_round_trip(odd, source.as_bytes());
        let summary = packed(source.as_bytes(), true).unwrap().1;
        assert_eq!(
            (summary.games, summary.whole, summary.repairs),
            (2, 2, 3),
            "{odd}"
        );
        assert_eq!(tags_of(&source, "White"), ["Alpha", "Alpha"]);
        assert_eq!(tags_of(&source, "Result"), ["1-0", "1-0"]);
    }
    assert_eq!(tags_of("[White ACPL \"252\"]\n\n*", "White ACPL"), ["252"]);
}

/// A bracket behind another with a value without an end is not looked at again: this would take
/// minutes.
#[test]
fn tag_pairs_without_an_end_take_linear_time() {
    let begin = std::time::Instant::now();
    for text in [
        "[Event \"",
        "[Ev \"a\"b ",
        "[A b \"",
        "1. e4 [Event \"x] ",
        "> [Event \"",
        "[Event \"x \n",
    ] {
        let source = text.repeat(4_000_000 / text.len());
        let mut splitter = Splitter::in_letters(None);
        while splitter.next_unit(source.as_bytes(), true).is_some() {}
        assert!(begin.elapsed().as_secs() < 60, "{text:?}");
    }
}

/// At each of many tokens a reader asks whether it is the last of the game, and many blanks follow
/// the last: this would take minutes.
#[test]
fn tokens_before_many_blanks_take_linear_time() {
    let begin = std::time::Instant::now();
    for token in [
        "0-0 ",
        "+- ",
        "1\u{2013}0 ",
        "\u{bd} ",
        "(1-0 ",
        "e5\u{200b}0-0 ",
    ] {
        let text = format!("1. e4 e5 {}{}", token.repeat(50_000), " ".repeat(2_000_000));
        packed(text.as_bytes(), false).unwrap();
        assert!(begin.elapsed().as_secs() < 60, "{token}");
    }
}

/// Text behind the first closing brace of a comment with a comment in it is one irregularity; the
/// game goes on behind the brace that closes the whole, as in python-chess.
#[test]
fn a_comment_in_a_comment_ends_where_its_last_brace_is() {
    for source in [
        "1. e4 {a {b} c} e5 *",
        "1. e4 {a {b} Nf3 (1... d5) 1... d5!} e5 *",
        "1. e4 {{a} {b} c} e5 *",
        "1. e4 {{[%clk 0:01:00]} text} 1... e5 *",
        "1. e4 {{{a} b} c} e5 *",
        "1. e4 e5 (1... c5 {a {b} c} 2. Nf3) {{a} b} *",
    ] {
        let what = moves_of(source.as_bytes());
        assert!(what.0.starts_with("e4 e5"), "{source}: {}", what.0);
        let nested = if source.contains('(') && source.contains("c5") {
            2
        } else {
            1
        };
        assert_eq!(
            (what.1.whole, what.1.repairs, what.1.games),
            (1, nested, 1),
            "{source}"
        );
    }
    // Nobody knows where these end.
    for source in ["1. e4 {a {b} c e5 *", "1. e4 {a {b} c ;} e5\n*"] {
        assert_tail(source, "e4");
    }
    assert_whole("1. e4 {a {b}} e5 *", "e4 e5");
}

/// The number says which move it is of; a game in which one is wrong may be two.
#[test]
fn a_move_number_that_contradicts_the_position_is_an_irregularity() {
    let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\"]\n\n";
    for (source, repairs) in [
        ("1. e4 e5 2. d4 exd4 3. c3 (3. Nf3 Nc6) 3... d5 *", 0),
        ("1. e4 e5 1. d4 exd4 7. c3 *", 1),
        ("1. e4 {x} 2... e5 *", 1),
        ("3. e4 *", 1),
        ("1. e4 e5 2. d4 (3. f4) *", 1),
        (&format!("{fen}7... Kd7 8. e4 *"), 0),
        (&format!("{fen}1... Kd7 2. e4 *"), 1),
        ("1. e4 e5 4294967298. d4 *", 1),
    ] {
        let summary = moves_of(source.as_bytes()).1;
        assert_eq!((summary.whole, summary.repairs), (1, repairs), "{source}");
    }
}

/// The splitter and the reader find the same terminators: behind that of a game stands white space
/// alone, and a game without one is followed by a tag pair, by a first number or by nothing.
#[test]
fn the_splitter_and_the_reader_agree_where_a_game_ends() {
    const TOKENS: [&[u8]; 54] = [
        b"e4",
        b"Nf3",
        b"g2",
        b"O-O",
        b"0-0",
        b"1-0",
        b"0-1",
        b"1/2",
        b"1/2-1/2",
        b"*",
        b"(",
        b")",
        b" ",
        b"\n",
        b"$",
        b"$1",
        b"!",
        b"+",
        b"#",
        b"=",
        b"-",
        b"/",
        b"Q",
        b"8",
        b"1",
        b"0",
        b".",
        b"{x}",
        b"~",
        b"\xa4",
        b"\xe2\x99\x98",
        b"\xe2\x80\x93",
        b"[A \"b\"]",
        b"--",
        b":",
        b" - ",
        b"\xc2\xbd",
        b"\xbd",
        b"\xc3",
        b"0.5",
        b"0,5-",
        b"1 - 0",
        b" : ",
        b"0:1",
        b"F",
        b"\xbb",
        b"\n1. ",
        b"\n\n{x}\n1.",
        b"{a {b} c",
        b"} ",
        b"; ",
        b"%",
        b"e5",
        b"...",
    ];
    for seed in 0..40_000 {
        let mut random = Random::new(seed);
        let mut text = b"1. e4 ".to_vec();
        (0..random.below(16)).for_each(|_| text.extend_from_slice(random.pick(&TOKENS)));
        let what = text.escape_ascii().to_string();
        let mut splitter = Splitter::in_letters(None);
        while let Some(unit) = splitter.next_unit(&text, true) {
            let src = &text[unit.start..unit.end];
            if unit.kind != UnitKind::Game {
                continue;
            }
            let mut games = ParsedGames::default();
            games.read_game(src, unit.line_start).unwrap();
            let game = games.last().unwrap();
            match game
                .elems
                .last()
                .filter(|elem| elem.kind == ElemKind::Terminator)
            {
                Some(elem) => assert!(src[elem.end as usize..].trim_ascii().is_empty(), "{what}"),
                None => assert!(
                    matches!(
                        text[unit.end..].first(),
                        None | Some(b'[' | b'1' | b'{' | b';' | b'%')
                    ),
                    "{what}"
                ),
            }
        }
    }
}

/// A tag pair without quotes may be indented by 64 blanks, and no more: the splitter and the reader
/// agree (pgn-import.md section 1).
#[test]
fn a_tag_pair_without_quotes_stands_at_most_64_blanks_from_the_line_start() {
    for (blanks, events) in [(64, &[Some("Some place")][..]), (65, &[None, None])] {
        let indent = " ".repeat(blanks);
        let source =
            format!("[White \"x\"]\n{indent}[Event Some place]\n[Black \"y\"]\n\n1. e4 *\n");
        assert_round_trip(&source, source.as_bytes());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pgc");
        std::fs::write(&path, archive_of(source.as_bytes())).unwrap();
        let archive = pgc::Archive::open(&path).unwrap();
        let found: Vec<_> = (1..=archive.len().unwrap())
            .map(|number| {
                archive
                    .game(number)
                    .unwrap()
                    .tag("Event")
                    .map(str::to_owned)
            })
            .collect();
        assert_eq!(
            found,
            events
                .iter()
                .map(|event| event.map(str::to_owned))
                .collect::<Vec<_>>()
        );
    }
}

/// A result that only the end of a game, or its Result tag, makes one begins no symbol: the move before
/// characters that are not seen is whole. Castling goes on the symbol.
#[test]
fn a_move_ends_before_a_result_behind_what_is_not_seen() {
    for (text, plies, whole) in [
        ("[Result \"0-0\"]\n\n1. e4 e5\u{200b}0-0\n", 2, 1),
        ("1. e4 e5\u{ad}1\u{2013}0\n", 2, 1),
        ("[Result \"+/-\"]\n\n1. e4 e5\u{feff}+:-\n", 2, 1),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5\u{200b}0-0\n", 5, 0),
        ("1. e4 e5 (1... c5\u{200b}1\u{2013}0\n", 2, 1),
    ] {
        let (_, summary) = packed(text.as_bytes(), false).unwrap();
        assert_eq!((summary.plies, summary.whole), (plies, whole), "{text}");
    }
}
