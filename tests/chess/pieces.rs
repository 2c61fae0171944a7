//! Piece letters of other languages (PGN 1994, 17): shown, and read.

use pgc::{Archive, NoHooks, PackOptions, Summary, TestDepth, pack, test};
use pgc_pgn::piece_letters::{LANGUAGES, PieceLetters};

use crate::cli::get::Dir;
use crate::support::{options, small_options, unpacked};

/// A game with a move of each piece, a promotion and castling, and the same in the letters of each
/// language, typed by hand after the list of section 17.
const ENGLISH: &str = "1. e4 d5 2. exd5 Nf6 3. Bb5+ Bd7 4. Nc3 Bxb5 5. Nxb5 Qxd5 6. Nf3 Na6 7. O-O Kd8 8. Re1 Rc8 9. d4 Qxa2 10. Qd3 Qxb2 11. Nxa7 Qxc1 12. Nxc8 Qxe1+ 13. Nxe1 Kxc8";
const LOCAL: [(&str, &str); 17] = [
    (
        "cs",
        "1. e4 d5 2. exd5 Jf6 3. Sb5+ Sd7 4. Jc3 Sxb5 5. Jxb5 Dxd5 6. Jf3 Ja6 7. O-O Kd8 8. Ve1 Vc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Jxa7 Dxc1 12. Jxc8 Dxe1+ 13. Jxe1 Kxc8",
    ),
    (
        "da",
        "1. e4 d5 2. exd5 Sf6 3. Lb5+ Ld7 4. Sc3 Lxb5 5. Sxb5 Dxd5 6. Sf3 Sa6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Sxa7 Dxc1 12. Sxc8 Dxe1+ 13. Sxe1 Kxc8",
    ),
    (
        "nl",
        "1. e4 d5 2. exd5 Pf6 3. Lb5+ Ld7 4. Pc3 Lxb5 5. Pxb5 Dxd5 6. Pf3 Pa6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Pxa7 Dxc1 12. Pxc8 Dxe1+ 13. Pxe1 Kxc8",
    ),
    ("en", ENGLISH),
    (
        "et",
        "1. e4 d5 2. exd5 Rf6 3. Ob5+ Od7 4. Rc3 Oxb5 5. Rxb5 Lxd5 6. Rf3 Ra6 7. O-O Kd8 8. Ve1 Vc8 9. d4 Lxa2 10. Ld3 Lxb2 11. Rxa7 Lxc1 12. Rxc8 Lxe1+ 13. Rxe1 Kxc8",
    ),
    (
        "fi",
        "1. e4 d5 2. exd5 Rf6 3. Lb5+ Ld7 4. Rc3 Lxb5 5. Rxb5 Dxd5 6. Rf3 Ra6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Rxa7 Dxc1 12. Rxc8 Dxe1+ 13. Rxe1 Kxc8",
    ),
    (
        "fr",
        "1. e4 d5 2. exd5 Cf6 3. Fb5+ Fd7 4. Cc3 Fxb5 5. Cxb5 Dxd5 6. Cf3 Ca6 7. O-O Rd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Cxa7 Dxc1 12. Cxc8 Dxe1+ 13. Cxe1 Rxc8",
    ),
    (
        "de",
        "1. e4 d5 2. exd5 Sf6 3. Lb5+ Ld7 4. Sc3 Lxb5 5. Sxb5 Dxd5 6. Sf3 Sa6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Sxa7 Dxc1 12. Sxc8 Dxe1+ 13. Sxe1 Kxc8",
    ),
    (
        "hu",
        "1. e4 d5 2. exd5 Hf6 3. Fb5+ Fd7 4. Hc3 Fxb5 5. Hxb5 Vxd5 6. Hf3 Ha6 7. O-O Kd8 8. Be1 Bc8 9. d4 Vxa2 10. Vd3 Vxb2 11. Hxa7 Vxc1 12. Hxc8 Vxe1+ 13. Hxe1 Kxc8",
    ),
    (
        "is",
        "1. e4 d5 2. exd5 Rf6 3. Bb5+ Bd7 4. Rc3 Bxb5 5. Rxb5 Dxd5 6. Rf3 Ra6 7. O-O Kd8 8. He1 Hc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Rxa7 Dxc1 12. Rxc8 Dxe1+ 13. Rxe1 Kxc8",
    ),
    (
        "it",
        "1. e4 d5 2. exd5 Cf6 3. Ab5+ Ad7 4. Cc3 Axb5 5. Cxb5 Dxd5 6. Cf3 Ca6 7. O-O Rd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Cxa7 Dxc1 12. Cxc8 Dxe1+ 13. Cxe1 Rxc8",
    ),
    (
        "no",
        "1. e4 d5 2. exd5 Sf6 3. Lb5+ Ld7 4. Sc3 Lxb5 5. Sxb5 Dxd5 6. Sf3 Sa6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Sxa7 Dxc1 12. Sxc8 Dxe1+ 13. Sxe1 Kxc8",
    ),
    (
        "pl",
        "1. e4 d5 2. exd5 Sf6 3. Gb5+ Gd7 4. Sc3 Gxb5 5. Sxb5 Hxd5 6. Sf3 Sa6 7. O-O Kd8 8. We1 Wc8 9. d4 Hxa2 10. Hd3 Hxb2 11. Sxa7 Hxc1 12. Sxc8 Hxe1+ 13. Sxe1 Kxc8",
    ),
    (
        "pt",
        "1. e4 d5 2. exd5 Cf6 3. Bb5+ Bd7 4. Cc3 Bxb5 5. Cxb5 Dxd5 6. Cf3 Ca6 7. O-O Rd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Cxa7 Dxc1 12. Cxc8 Dxe1+ 13. Cxe1 Rxc8",
    ),
    (
        "ro",
        "1. e4 d5 2. exd5 Cf6 3. Nb5+ Nd7 4. Cc3 Nxb5 5. Cxb5 Dxd5 6. Cf3 Ca6 7. O-O Rd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Cxa7 Dxc1 12. Cxc8 Dxe1+ 13. Cxe1 Rxc8",
    ),
    (
        "es",
        "1. e4 d5 2. exd5 Cf6 3. Ab5+ Ad7 4. Cc3 Axb5 5. Cxb5 Dxd5 6. Cf3 Ca6 7. O-O Rd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Cxa7 Dxc1 12. Cxc8 Dxe1+ 13. Cxe1 Rxc8",
    ),
    (
        "sv",
        "1. e4 d5 2. exd5 Sf6 3. Lb5+ Ld7 4. Sc3 Lxb5 5. Sxb5 Dxd5 6. Sf3 Sa6 7. O-O Kd8 8. Te1 Tc8 9. d4 Dxa2 10. Dd3 Dxb2 11. Sxa7 Dxc1 12. Sxc8 Dxe1+ 13. Sxe1 Kxc8",
    ),
];

fn packed(text: &str, options: &PackOptions) -> (Vec<u8>, Summary) {
    let mut out = Vec::new();
    let summary = pack(
        &mut text.as_bytes(),
        "x.pgn",
        &mut out,
        options,
        &mut NoHooks,
    )
    .unwrap();
    (out, summary)
}

fn moves(archive: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, archive).unwrap();
    let game = Archive::open(&path).unwrap().game(1).unwrap();
    let moves: Vec<&str> = game.moves.iter().map(|m| m.san.as_str()).collect();
    moves.join(" ")
}

/// The texts of both games.
fn text_of(archive: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, archive).unwrap();
    let archive = Archive::open(&path).unwrap();
    let games = [1, 2].map(|number| archive.game(number).unwrap().pgn);
    String::from_utf8(games.concat()).unwrap()
}

#[test]
fn each_language_is_read_and_comes_back_exactly() {
    let moves_of = |text: &str| {
        let is_move = |word: &&str| !word.ends_with('.');
        text.split(' ')
            .filter(is_move)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(LANGUAGES.len(), LOCAL.len());
    for (code, local) in LOCAL {
        let text = format!("[Event \"{code}\"]\n\n{local} *\n\n{local} 1-0\n");
        for form in [options(true, 1), small_options(true, 1)] {
            let options = PackOptions {
                letters: PieceLetters::named(code),
                ..form.clone()
            };
            let (archive, summary) = packed(&text, &options);
            assert_eq!(
                (summary.games, summary.whole, summary.plies),
                (2, 2, 52),
                "{code}"
            );
            assert_eq!(moves(&archive), moves_of(ENGLISH), "{code}");
            assert_eq!(unpacked(&archive).unwrap(), text.as_bytes(), "{code}");
            test(
                &mut archive.as_slice(),
                &TestDepth::Deep.into(),
                &mut NoHooks,
            )
            .unwrap();
            // No move is stored twice: a byte names the language in the head and in the style, and
            // stuffing may make checksums longer.
            let english = text.replace(local, ENGLISH);
            let (same, _) = packed(&english, &form);
            assert!(archive.len() < same.len() + 12, "{code}");
            // A game that leaves its source has English letters.
            assert_eq!(text_of(&archive), english, "{code}");
        }
        // Without the letters they are text.
        let (archive, summary) = packed(&text, &options(true, 1));
        assert_eq!(unpacked(&archive).unwrap(), text.as_bytes(), "{code}");
        assert_eq!(summary.whole, if code == "en" { 2 } else { 0 }, "{code}");
    }
}

#[test]
fn spellings_of_a_language_that_are_not_canonical() {
    for (code, text, english) in [
        ("fr", "1. Cg1f3 Cb8-c6 2. Ce5 Cxe5", "Nf3 Nc6 Ne5 Nxe5"),
        ("de", "1. Be4 Sg8f6 2. Lf1c4 Sxe4", "e4 Nf6 Bc4 Nxe4"),
        // An O is a bishop in Estonian, and castling.
        (
            "et",
            "1. e4 e5 2. Rf3 Rf6 3. Oc4 Oc5 4. O-O Od6 5. d3 O-O\n6. Og5 Oe7",
            "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O Bd6 d3 O-O Bg5 Be7",
        ),
        // What has no letter, or the letter of no piece of the language, stays English.
        ("fr", "1. e2e4 Nf6 2. \u{2658}f3 Nxe4", "e4 Nf6 Nf3 Nxe4"),
    ] {
        let options = PackOptions {
            letters: PieceLetters::named(code),
            ..options(true, 1)
        };
        let (archive, summary) = packed(text, &options);
        assert_eq!(
            (summary.whole, moves(&archive).as_str()),
            (1, english),
            "{text}"
        );
        assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
    }
    let promotion = "[FEN \"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. axb8=D+ Rd7 2. Dd6+ *\n";
    let options = PackOptions {
        letters: PieceLetters::named("fr"),
        ..options(true, 1)
    };
    let (archive, _) = packed(promotion, &options);
    assert_eq!(moves(&archive), "axb8=Q+ Kd7 Qd6+");
    assert_eq!(unpacked(&archive).unwrap(), promotion.as_bytes());
    // A king's letter is not the rook's: this is no legal move in French.
    let (archive, summary) = packed("1. a4 a5 2. Ra3 *", &options);
    assert_eq!((summary.text_tail, summary.plies), (1, 2));
    assert_eq!(unpacked(&archive).unwrap(), b"1. a4 a5 2. Ra3 *");
}

#[test]
fn the_program_shows_letters_and_names_the_language() {
    let dir = Dir::packed();
    let german = "[Event \"One\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Sf3 Sc6 1-0\n\n";
    let text = dir.ends(0, &["get", "games.pgc", "1", "--pieces", "de"]);
    assert_eq!(text, german);
    assert_eq!(
        dir.ends(
            0,
            &[
                "find",
                "games.pgc",
                "-w",
                "A",
                "--format",
                "pgn",
                "--pieces",
                "German"
            ]
        ),
        german
    );
    assert!(
        dir.ends(0, &["view", "games.pgc", "1", "--pieces", "fr"])
            .contains("2. Cf3 Cc6")
    );
    let board = dir.ends(
        0,
        &[
            "get",
            "games.pgc",
            "1",
            "--format",
            "board",
            "--pieces",
            "figurine",
        ],
    );
    assert!(
        board.contains("after 2... \u{2658}c6 (ply 4 of 4)"),
        "{board}"
    );
    let export = |pieces: &str| {
        dir.ends(
            0,
            &[
                "unpack",
                "-q",
                "-c",
                "--export",
                "--pieces",
                pieces,
                "games.pgc",
            ],
        )
    };
    assert!(export("hu").contains("\n1. e4 e5 2. Hf3 Hc6 1-0\n"));
    assert!(export("figurine").contains("2. \u{2658}f3 \u{2658}c6"));
    // `pack` asks for the language.
    dir.put("de.pgn", &text);
    let asked = "most games are not understood: are pieces named in another language?";
    let ran = dir.run(&["pack", "de.pgn"]);
    assert!(ran.stderr.contains(asked), "{}", ran.stderr);
    // With it, the games are read.
    let ran = dir.run(&["pack", "-f", "de.pgn", "--pieces", "de"]);
    assert!(
        ran.stderr.contains("1 game (all understood"),
        "{}",
        ran.stderr
    );
    assert_eq!(dir.unpacked_text("de.pgc"), german);
    for (wrong, why) in [
        (
            &["get", "games.pgc", "1", "--pieces", "xx"][..],
            "no such piece letters",
        ),
        (
            &["pack", "-f", "de.pgn", "--pieces", "figurine"],
            "no such piece letters",
        ),
        (
            &["pack", "-f", "de.pgn", "--pieces", "de", "--epd"],
            "cannot be used with",
        ),
        (
            &["get", "games.pgc", "1", "--pieces", "de", "--fen"],
            "only with --format pgn and --format board",
        ),
        (&["find", "games.pgc", "--pieces", "de"], "name a .pgn file"),
        (
            &["unpack", "-c", "--pieces", "de", "games.pgc"],
            "only with --export and --reduced",
        ),
    ] {
        dir.refuses(wrong, why);
    }
}

/// What packs games again knows their letters, or writes them in English.
#[test]
fn archives_in_other_letters_are_archives_like_others() {
    let dir = Dir::packed();
    let game = |letters: &str, white: &str| {
        let moves = match letters {
            "fr" => "1. e4 e5 2. Cf3 Cc6 3. Re2 (3. Fb5 Cf6) Fe7",
            _ => "1. e4 e5 2. Nf3 Nc6 3. Ke2 (3. Bb5 Nf6) Be7",
        };
        format!("[White \"{white}\"]\n[Result \"*\"]\n\n{moves} *\n\n")
    };
    let (french, english) = (
        game("fr", "A") + &game("fr", "B"),
        game("en", "A") + &game("en", "B"),
    );
    dir.put("fr.pgn", &french);
    dir.put("en.pgn", &english);
    dir.ends(0, &["pack", "-q", "fr.pgn", "--pieces", "French"]);
    let back = |archive: &str| dir.unpacked_text(archive);
    // Both forms, and joined.
    dir.ends(0, &["pack", "-q", "fr.pgc", "-o", "fr.pgcz"]);
    assert_eq!(back("fr.pgcz"), french);
    dir.ends(0, &["merge", "-q", "fr.pgcz", "fr.pgc", "-o", "both.pgc"]);
    assert_eq!(back("both.pgc"), french.repeat(2));
    dir.ends(0, &["test", "-q", "--deep", "both.pgc", "fr.pgcz"]);
    // Games that leave their source.
    assert_eq!(dir.ends(0, &["get", "fr.pgcz", "1"]), game("en", "A"));
    let shown = dir.ends(0, &["get", "fr.pgc", "1", "--pieces", "fr"]);
    assert_eq!(shown, game("fr", "A"));
    dir.ends(0, &["find", "-q", "fr.pgc", "-w", "B", "-o", "b.pgn"]);
    assert_eq!(dir.read("b.pgn"), game("en", "B").as_bytes());
    dir.ends(0, &["find", "-q", "fr.pgc", "-w", "B", "-o", "b.pgc"]);
    assert_eq!(back("b.pgc"), game("en", "B"));
    dir.ends(0, &["find", "-q", "fr.pgc", "b.pgc", "-o", "s.pgc"]);
    let info = dir.ends(0, &["info", "s.pgc"]);
    assert!(info.contains("3 games (all understood"), "{info}");
    // Corrected in place, they stay what they are; an opening is found by the moves.
    let edit = [
        "edit",
        "-q",
        "fr.pgc",
        "-w",
        "A",
        "--set",
        "White=Z",
        "--set-opening",
    ];
    dir.ends(0, &[&edit[..], &["-o", "edited.pgc"]].concat());
    let edited = back("edited.pgc");
    assert!(
        edited.contains("[White \"Z\"]") && edited.contains("King's"),
        "{edited}"
    );
    assert!(
        edited.contains("2. Cf3 Cc6 3. Re2 (3. Fb5 Cf6) Fe7 *"),
        "{edited}"
    );
    let info = dir.ends(0, &["info", "edited.pgc"]);
    assert!(info.contains("2 games (all understood"), "{info}");
    // Known games are known in any letters.
    let known = ["add", "en.pgc", "fr.pgn", "--pieces", "fr", "--skip-known"];
    dir.pack("en.pgn");
    dir.ends(0, &known);
    assert_eq!(back("en.pgc"), english);
    // The standard wants English, and so does `lint`; it says so of each letter, and writes it.
    let info = dir.ends(0, &["info", "fr.pgc"]);
    assert!(
        info.contains("1 source in the piece letters of French (fr)\n"),
        "{info}"
    );
    let told = dir.ends(1, &["lint", "--strict", "fr.pgcz"]);
    assert!(told.contains("8.2.3.2") && told.contains("Re2"), "{told}");
    let linted = |arguments: &[&str]| {
        let told = String::from_utf8(dir.run(arguments).stdout).unwrap();
        let lines = told.lines().filter(|line| !line.ends_with("MB/s"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let of_english = linted(&["lint", "en.pgn"]).replace("en.pgn", "fr.pgn");
    let of_french = linted(&["lint", "fr.pgn", "--pieces", "fr"]);
    assert_eq!(of_french, of_english);
    let fix = [
        "lint",
        "-q",
        "--fix",
        "fr.pgn",
        "--pieces",
        "fr",
        "-o",
        "fixed.pgn",
    ];
    dir.run(&fix);
    let fixed = String::from_utf8(dir.read("fixed.pgn")).unwrap();
    assert!(
        fixed.contains("\n1. e4 e5 2. Nf3 Nc6 3. Ke2 (3. Bb5 Nf6) 3... Be7 *\n"),
        "{fixed}"
    );
    // A stream of the standard has only records.
    let standard = [
        "pack",
        "-q",
        "--standard",
        "--drop",
        "all",
        "fr.pgn",
        "--pieces",
        "fr",
        "-o",
        "std.pgc",
    ];
    dir.ends(0, &standard);
    let exported = dir.unpacked_text("std.pgc");
    assert!(
        exported.contains("1. e4 e5 2. Nf3 Nc6 3. Ke2 (3. Bb5 Nf6) 3... Be7 *"),
        "{exported}"
    );
}

/// Every spelling that English has, in other letters; and what is no move in them.
#[test]
fn irregular_spellings_in_other_letters() {
    const PAWN: &str = "[FEN \"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. ";
    let promotions = [
        ("de", "a8(T)", "a8=R"),
        ("de", "a8=(T)", "a8=R"),
        ("de", "a8/L", "a8=B"),
        ("de", "a8S", "a8=N"),
        ("de", "a8=d", "a8=Q"),
        ("de", "a8d", "a8=Q"),
        ("de", "a8(s)", "a8=N"),
        ("de", "a7a8d", "a8=Q"),
        ("de", "axb8(D)+", "axb8=Q+"),
        ("de", "ab8=d+", "axb8=Q+"),
        ("de", "a8Tch", "a8=R"),
        // No German piece has this letter.
        ("de", "a8(Q)", "a8=Q"),
        ("fr", "a8=c", "a8=N"),
        ("fr", "a8(F)", "a8=B"),
        ("hu", "a8=b", "a8=R"),
        ("hu", "a8/H", "a8=N"),
        ("et", "a8o", "a8=B"),
        ("nl", "a8(p)", "a8=N"),
        ("pl", "a8=h", "a8=Q"),
        // The letter of a pawn, or of a king.
        ("de", "a8=b", ""),
        ("de", "a8(B)", ""),
        ("fr", "a8(R)", ""),
        ("fr", "a8=r", ""),
    ];
    let games = [
        (
            "de",
            "1. sf3 sf6 2. e4 sxe4 3. ld3 sc5 4. kf1 tg8 5. dxe4",
            "Nf3 Nf6 e4 Nxe4 Bd3 Nc5 Kf1 Rg8",
        ),
        (
            "de",
            "1. d4 e5 2. dxe5 d6 3. exd6 dxd6",
            "d4 e5 dxe5 d6 exd6",
        ),
        ("de", "1. e4 e5 2. bc4", "e4 e5"),
        ("pt", "1. e4 e5 2. bc4", "e4 e5 Bc4"),
        ("cs", "1. e4 e5 2. bc4", "e4 e5 Bc4"),
        ("fr", "1. e4 e5 2. re2 cf6", "e4 e5 Ke2"),
        ("et", "1. e4 e5 2. ob5 o-o", "e4 e5 Bb5"),
        // `N` is a bishop, not the sign of a novelty before c4.
        ("ro", "1. e4 e5 2. N c4", "e4 e5"),
        ("ro", "1. e4 e5 2. nc4", "e4 e5 Bc4"),
    ];
    let promotions = promotions.map(|(code, spelled, san)| (code, format!("{PAWN}{spelled}"), san));
    let games = games.map(|(code, text, english)| (code, text.to_owned(), english));
    for (code, text, english) in promotions.into_iter().chain(games) {
        let text = format!("{text} *\n");
        for form in [options(true, 1), small_options(true, 1)] {
            let letters = PieceLetters::named(code);
            let (archive, _) = packed(&text, &PackOptions { letters, ..form });
            assert_eq!(moves(&archive), english, "{code}: {text}");
            assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
            test(
                &mut archive.as_slice(),
                &TestDepth::Deep.into(),
                &mut NoHooks,
            )
            .unwrap();
        }
    }
}

/// A terminator may be glued to a promotion.
#[test]
fn terminators_behind_promotions_in_other_letters() {
    for (code, spelled, san) in [
        ("de", "a8D1-0", "a8=Q"),
        ("de", "a8=S0-1", "a8=N"),
        ("de", "a8/T1/2-1/2", "a8=R"),
        ("de", "axb8D+1-0", "axb8=Q+"),
        ("fr", "a8F1/2", "a8=B"),
        ("hu", "a8=B1-0", "a8=R"),
        ("et", "a8O1-0", "a8=B"),
    ] {
        let text = format!(
            "[FEN \"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. {spelled}\n[White \"B\"]\n\n1. e4 *\n"
        );
        let options = PackOptions {
            letters: PieceLetters::named(code),
            ..options(true, 1)
        };
        let (archive, summary) = packed(&text, &options);
        assert_eq!((summary.games, summary.whole), (2, 2), "{code}: {spelled}");
        assert_eq!(moves(&archive), san);
        assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
        // In English the game ends there too.
        let english = text_of(&archive);
        let first = english.split("[White").next().unwrap();
        assert_eq!(packed(first, &PackOptions::default()).1.whole, 1, "{first}");
    }
    // A letter that no piece of the language has, and that English has not, is no promotion.
    let options = PackOptions {
        letters: PieceLetters::named("de"),
        ..options(true, 1)
    };
    let text = "[FEN \"1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8B1-0\n";
    let (archive, summary) = packed(text, &options);
    assert_eq!((summary.whole, summary.plies), (0, 0));
    assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
}

/// The wrong language, and no language, are told.
#[test]
fn a_language_that_fits_better_is_asked_for() {
    let dir = Dir::packed();
    let german = "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. La4 Sf6 5. O-O Sxe4 6. Te1 De7 *\n\n";
    let english = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Nxe4 6. Re1 Qe7 *\n\n";
    dir.put("de.pgn", german.repeat(3));
    dir.put("en.pgn", english.repeat(3));
    for (file, pieces) in [
        ("de.pgn", "it"),
        ("de.pgn", "en"),
        ("en.pgn", "it"),
        ("en.pgn", "ro"),
    ] {
        let ran = dir.run(&["pack", "-f", file, "--pieces", pieces, "-o", "x.pgc"]);
        let asked = "most games are not understood";
        assert!(ran.stderr.contains(asked), "{}", ran.stderr);
    }
    for (file, pieces) in [("de.pgn", "sv"), ("en.pgn", "en")] {
        let ran = dir.run(&["pack", "-f", file, "--pieces", pieces, "-o", "x.pgc"]);
        assert!(!ran.stderr.contains("--pieces"), "{}", ran.stderr);
    }
    // `list` and `info` name the language that was asked for.
    dir.ends(
        0,
        &[
            "pack", "-q", "-f", "de.pgn", "--pieces", "sv", "-o", "x.pgc",
        ],
    );
    dir.ends(0, &["add", "-q", "x.pgc", "en.pgn"]);
    let list = dir.ends(0, &["info", "--sources", "x.pgc"]);
    let mut lines = list.lines();
    assert!(lines.next().unwrap().ends_with("  text               name"));
    assert!(
        lines
            .next()
            .unwrap()
            .ends_with("  pgn, Swedish (sv)  de.pgn")
    );
    assert!(
        lines
            .next()
            .unwrap()
            .ends_with("  pgn                en.pgn")
    );
    let info = dir.ends(0, &["info", "x.pgc"]);
    assert!(info.contains("  1 source in the piece letters of Swedish (sv)\n"));
    let json = dir.ends(0, &["info", "--json", "x.pgc"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let source = &json["sources"][0];
    assert_eq!(
        (&source["pieces"], &source["language"]),
        (&"sv".into(), &"Swedish".into())
    );
    assert!(json["sources"][1].get("pieces").is_none());
}

/// A game without tags and numbers may begin with a knight of the language.
#[test]
fn first_moves_in_other_letters() {
    for (code, text, games) in [
        ("de", "e4 e5 1-0\n\nSf3 g6 1-0\n\ne4 d5 1-0\n", 3),
        ("de", "Sg1-f3 g6 1-0\n", 1),
        ("de", "Nf3 g6 1-0\n\nSc3 d5 *\n", 2),
        ("et", "Rf3 g6 1-0\n\nNc3 d5 *\n", 2),
        // Only a bishop of Romanian has an N.
        ("ro", "Cf3 g6 1-0\n\nNf3 d5 *\n", 1),
        ("en", "Sf3 g6 1-0\n", 0),
    ] {
        let options = PackOptions {
            letters: PieceLetters::named(code),
            ..options(true, 1)
        };
        let (archive, summary) = packed(text, &options);
        assert_eq!(
            (summary.games, summary.whole),
            (games, games),
            "{code}: {text}"
        );
        assert_eq!(unpacked(&archive).unwrap(), text.as_bytes());
    }
}
