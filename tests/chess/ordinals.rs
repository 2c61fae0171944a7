//! The chess module against independent lists, against a slow twin that sorts strings, and rung by
//! rung.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]
#![expect(clippy::print_stderr, reason = "a test that cannot run says so")]

use pgc_chess::{Check, EpSquare, Move, Position, Rules, Unresolved};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{Board, CastlingMode, Chess, FromSetup, Position as _, PositionError};

use crate::support::random::Random;
use crate::support::shared;

/// The slow twin: the list itself, as section 20.2 describes it.
fn sorted(twin: &Chess) -> Vec<(String, Move)> {
    let mut list: Vec<_> = twin
        .legal_moves()
        .iter()
        .map(|&m| (San::from_move(twin, m).to_string(), m))
        .collect();
    list.sort_by(|a, b| a.0.cmp(&b.0));
    list
}

fn twin_of(fen: &str) -> Option<Chess> {
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Everything that can be asked of one position, against the list.
fn compare(position: &Position, twin: &Chess, list: &[(String, Move)]) {
    let at = || Fen::from_position(twin, shakmaty::EnPassantMode::Always).to_string();
    for (i, (san, m)) in list.iter().enumerate() {
        let ordinal = u8::try_from(i).ok();
        assert_eq!(position.rank(*m), ordinal, "rank of {san} in {}", at());
        if let Some(ordinal) = ordinal {
            assert_eq!(
                position.select(ordinal),
                Some(*m),
                "select {i}, which is {san}, in {}",
                at()
            );
        }
        assert_eq!(position.san(*m).as_bytes(), san.as_bytes(), "{}", at());
        let resolved = position
            .resolve(san.as_bytes())
            .unwrap_or_else(|e| panic!("{e:?}: {san} in {}", at()));
        assert_eq!(
            (resolved.m, resolved.ordinal, resolved.canonical),
            (*m, ordinal, true),
            "{san} in {}",
            at()
        );
        compare_played(position, ordinal, san, i == 0);
    }
    if let Ok(beyond) = u8::try_from(list.len()) {
        assert_eq!(position.select(beyond), None, "{}", at());
        assert_eq!(position.select(u8::MAX), None, "{}", at());
    }
    let check = match (twin.is_check(), list.is_empty()) {
        (false, _) => Check::None,
        (true, false) => Check::Check,
        (true, true) => Check::Mate,
    };
    assert_eq!(position.check(), check, "{}", at());
    for (when, mode) in [
        (EpSquare::Legal, shakmaty::EnPassantMode::Legal),
        (EpSquare::Always, shakmaty::EnPassantMode::Always),
    ] {
        let fen = Fen::from_position(twin, mode).to_string();
        assert_eq!(position.fen_with(when), fen);
    }
    assert_eq!(position.white_to_move(), twin.turn().is_white());
    assert_eq!(position.fullmoves(), twin.fullmoves().get());
}

/// The ways that play a move at once, there and back. `whole`: what position comes of it too.
fn compare_played(position: &Position, ordinal: Option<u8>, san: &str, whole: bool) {
    let mut played = [(); 2].map(|()| position.clone());
    let [there, back] = &mut played;
    assert_eq!(there.follow(san.as_bytes()), ordinal, "{san}");
    let Some(ordinal) = ordinal else { return };
    assert_eq!(
        back.play_ordinal(ordinal).unwrap().as_bytes(),
        san.as_bytes()
    );
    if whole {
        let [there, back] = played.map(|position| position.fen());
        assert!(there == back, "{san}: {there}, {back}");
    }
}

/// Plays at random from `fen`, comparing every position; returns how many there were.
fn playout(random: &mut Random, rules: Rules, fen: &str, plies: usize) -> usize {
    let Some(mut twin) = twin_of(fen) else {
        assert!(
            Position::start(rules, Some(fen.as_bytes())).is_err(),
            "{fen}"
        );
        return 0;
    };
    let mut position = Position::start(rules, Some(fen.as_bytes())).unwrap();
    for ply in 0..=plies {
        let list = sorted(&twin);
        compare(&position, &twin, &list);
        if list.is_empty() || ply == plies {
            return ply + 1;
        }
        // Pawns are urged on, so that promotions, and many pieces, turn up.
        let mut m = list[random.below(list.len())].1;
        if random.below(3) == 0 {
            m = list
                .iter()
                .map(|entry| entry.1)
                .rfind(|m| m.is_promotion() || m.is_en_passant())
                .unwrap_or(m);
        }
        twin.play_unchecked(m);
        position.play(m);
    }
    plies
}

/// Pieces thrown on a board: any number of them, with rights and squares that may or may not make
/// sense.
fn thrown(random: &mut Random) -> String {
    let mut board = [b'1'; 64];
    let pieces = random.below(40) + 2;
    let kinds: &[u8] = [
        &b"PNBRQpnbrq"[..],
        b"PPPPNBRQppppnbrq",
        b"QQQNNRRBBq",
        b"NNNQRppp",
        b"RRRRQQrbnp",
    ][random.below(5)];
    for _ in 0..pieces {
        let (square, kind) = (random.below(64), kinds[random.below(kinds.len())]);
        let kind = if random.below(8) == 0 {
            kind ^ 0x20
        } else {
            kind
        };
        if !(matches!(kind, b'p' | b'P') && matches!(square / 8, 0 | 7)) {
            board[square] = kind;
        }
    }
    // Kings often stand at home, for the sake of castling.
    let home = random.below(3) == 0;
    let white = if home {
        56 + random.below(8)
    } else {
        random.below(64)
    };
    let black = if home {
        random.below(8)
    } else {
        random.below(64)
    };
    board[white] = b'K';
    board[black] = b'k';
    if home {
        for (row, rook) in [(56, b'R'), (0, b'r')] {
            for _ in 0..2 {
                let square = row + random.below(8);
                if board[square] != b'K' && board[square] != b'k' {
                    board[square] = rook;
                }
            }
        }
    }
    let rows: Vec<_> = board
        .chunks(8)
        .map(|row| String::from_utf8(row.to_vec()).unwrap())
        .collect();
    let turn = ["w", "b"][random.below(2)];
    let rights = ["-", "KQkq", "KQ", "kq", "Kq"][random.below(5)];
    let passed = if random.below(2) == 0 {
        let (file, rank) = (random.below(8), if turn == "w" { '6' } else { '3' });
        format!("{}{rank}", char::from(b"abcdefgh"[file]))
    } else {
        "-".to_owned()
    };
    format!("{} {turn} {rights} {passed} 0 1", rows.join("/"))
}

/// A position that aims at en passant, pins and discovered checks.
fn passing(random: &mut Random) -> String {
    let mut board = [b'1'; 64];
    for _ in 0..random.below(10) {
        board[random.below(64)] = b"qrbnqrbQRBN"[random.below(11)];
    }
    let file = random.below(8);
    for square in [8, 16, 24] {
        board[square + file] = b'1';
    }
    board[24 + file] = b'p';
    for beside in [file.checked_sub(1), Some(file + 1)].into_iter().flatten() {
        if beside < 8 && random.below(4) > 0 {
            board[24 + beside] = b'P';
        }
    }
    let free = |board: &[u8; 64], random: &mut Random| {
        // The fifth rank, half of the time: the king may look along it.
        let square = if random.below(2) == 0 {
            24 + random.below(8)
        } else {
            random.below(64)
        };
        (board[square] == b'1' && !matches!(square, 8..24)).then_some(square)
    };
    if let Some(square) = free(&board, random) {
        board[square] = b'K';
    }
    if let Some(square) = free(&board, random) {
        board[square] = b'k';
    }
    let rows: Vec<_> = board
        .chunks(8)
        .map(|row| String::from_utf8(row.to_vec()).unwrap())
        .collect();
    format!(
        "{} w - {}6 0 1",
        rows.join("/"),
        char::from(b"abcdefgh"[file])
    )
}

#[test]
fn twin_agrees_on_random_play() {
    let wanted = std::env::var("PGC_TEST_POSITIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000_usize);
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    let mut counts = [0_usize; 4];
    let initial = Fen::default().to_string();
    while counts.iter().sum::<usize>() < wanted {
        counts[0] += playout(&mut random, Rules::Chess, &initial, 200);
        let board = Board::chess960(u32::try_from(random.below(960)).unwrap());
        let start = format!("{} w KQkq - 0 1", board.board_fen());
        counts[1] += playout(&mut random, Rules::Chess960, &start, 200);
        for _ in 0..60 {
            let fen = thrown(&mut random);
            counts[2] += playout(&mut random, Rules::Chess960, &fen, 10);
            let fen = passing(&mut random);
            counts[3] += playout(&mut random, Rules::Chess, &fen, 2);
        }
    }
    let [chess, chess960, thrown, passing] = counts;
    eprintln!(
        "compared {chess} positions of chess, {chess960} of Chess960, {thrown} thrown, {passing} en passant"
    );
    assert!(
        counts.iter().all(|&count| count > wanted / 100),
        "{counts:?}"
    );
}

#[test]
fn vectors() {
    let Some(path) = shared("PGC_VECTORS", "vectors") else {
        return;
    };
    let text = std::fs::read_to_string(path.join("ordinals.tsv")).unwrap();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split('\t').collect();
        let rules = Rules::from_variant_tag(fields[1].as_bytes()).unwrap();
        let position = Position::start(rules, Some(fields[0].as_bytes()))
            .unwrap_or_else(|e| panic!("{e}: {line}"));
        let mut n = 0;
        for (i, san) in fields[2]
            .split(' ')
            .filter(|san| !san.is_empty())
            .enumerate()
        {
            let resolved = position
                .resolve(san.as_bytes())
                .unwrap_or_else(|e| panic!("{e:?}: {san} in {}", fields[0]));
            let ordinal = u8::try_from(i).ok();
            assert_eq!(
                (resolved.ordinal, resolved.canonical),
                (ordinal, true),
                "{san} in {}",
                fields[0]
            );
            assert_eq!(position.rank(resolved.m), ordinal, "{san} in {}", fields[0]);
            assert_eq!(
                position.san(resolved.m).as_bytes(),
                &san.as_bytes()[..resolved.core]
            );
            if let Some(ordinal) = ordinal {
                assert_eq!(
                    position.select(ordinal),
                    Some(resolved.m),
                    "{san} in {}",
                    fields[0]
                );
            }
            let mut after = position.clone();
            after.play(resolved.m);
            let marks: &[u8] = match after.check() {
                Check::None => b"",
                Check::Check => b"+",
                Check::Mate => b"#",
            };
            assert_eq!(
                &san.as_bytes()[resolved.core..],
                marks,
                "{san} in {}",
                fields[0]
            );
            n = i + 1;
        }
        if let Ok(n) = u8::try_from(n) {
            assert_eq!(position.select(n), None, "{}", fields[0]);
        }
        lines += 1;
    }
    assert!(lines > 2_000, "only {lines} lines");
}

/// What anyone can verify by hand: the standard's own example (PGN 1994, 20.2), and one list of
/// each kind.
#[test]
fn ordinals_by_hand() {
    let lists = [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "Na3 Nc3 Nf3 Nh3 a3 a4 b3 b4 c3 c4 d3 d4 e3 e4 f3 f4 g3 g4 h3 h4",
        ),
        // Castling stands between the knights and the queens.
        (
            "4k3/8/8/8/8/8/7P/R3K2R w KQ - 0 1",
            "Kd1 Kd2 Ke2 Kf1 Kf2 O-O O-O-O Ra2 Ra3 Ra4 Ra5 Ra6 Ra7 Ra8 Rb1 Rc1 Rd1 Rf1 Rg1 h3 h4",
        ),
        // A pawn's captures come after its steps, and each way to promote is a move.
        (
            "1n5k/P7/8/8/8/8/8/K7 w - - 0 1",
            "Ka2 Kb1 Kb2 a8=B a8=N a8=Q a8=R axb8=B axb8=N axb8=Q axb8=R",
        ),
        // 8.2.3.4: the knight of c3 is pinned, so that of g1 needs no file.
        (
            "7k/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1",
            "Kd1 Kd2 Ke2 Kf1 Kf2 Ne2 Nf3 Nh3",
        ),
        // A digit comes before a file.
        (
            "7k/8/8/8/8/R7/8/R6K w - - 0 1",
            "Kg1 Kg2 Kh2 R1a2 R3a2 Ra4 Ra5 Ra6 Ra7 Ra8 Rb1 Rb3 Rc1 Rc3 Rd1 Rd3 Re1 Re3 Rf1 Rf3 Rg1 Rg3 Rh3",
        ),
        // En passant stands among the captures; `x` comes after every file.
        ("4k3/8/8/2pP4/8/8/8/K7 w - c6 0 1", "Ka2 Kb1 Kb2 d6 dxc6"),
        // The same capture would lay the king bare along the rank.
        ("4k3/8/8/K1pP3r/8/8/8/8 w - c6 0 1", "Ka4 Ka6 Kb5 Kb6 d6"),
    ];
    for (fen, list) in lists {
        let position = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
        let count = (0..=u8::MAX).map_while(|ordinal| position.select(ordinal));
        let found: Vec<_> = count
            .map(|m| String::from_utf8(position.san(m).as_bytes().to_vec()).unwrap())
            .collect();
        assert_eq!(found.join(" "), list, "{fen}");
        for (ordinal, san) in (0..).zip(&found) {
            assert_eq!(
                position.resolve(san.as_bytes()).unwrap().ordinal,
                Some(ordinal),
                "{san} in {fen}"
            );
        }
    }
}

/// D2: what comes after the 256th of the list is legal and has no ordinal.
#[test]
fn more_moves_than_a_byte_counts() {
    let fen = "QQQQQQbk/Q4Qpp/Q5QQ/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1";
    let twin = twin_of(fen).unwrap();
    let list = sorted(&twin);
    assert_eq!(list.len(), 263);
    compare(
        &Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap(),
        &twin,
        &list,
    );
}

#[test]
fn three_movers_name_file_rank_or_both() {
    let position = Position::start(Rules::Chess, Some(b"8/7k/8/8/8/Q7/8/Q1Q4K w - - 0 1")).unwrap();
    for san in ["Qa1b2", "Q3b2", "Qcb2"] {
        assert!(position.resolve(san.as_bytes()).unwrap().canonical, "{san}");
    }
    assert_eq!(position.resolve(b"Q1b2"), Err(Unresolved::Ambiguous));
    assert_eq!(position.resolve(b"Qab2"), Err(Unresolved::Ambiguous));
    assert!(!position.resolve(b"Qc1b2").unwrap().canonical);
}

/// Start position, token, the rung of pgn-import.md 4 that takes it, and the canonical SAN.
#[test]
fn every_rung_of_the_ladder() {
    let open = "r3k2r/pbpp1ppp/1pn2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1";
    let pawns = "r1b1k3/1P6/8/3pP2p/2p2P2/1B6/8/4K2R w K d6 0 1";
    let cases = [
        (open, "d4", "Canonical", "d4"),
        (open, "Nxe5", "Canonical", "Nxe5"),
        (open, "O-O+", "Canonical", "O-O"),
        (open, "Bxf7++", "Canonical", "Bxf7"),
        (open, "Nfg5", "Origin", "Ng5"),
        (open, "Nf3g5", "Origin", "Ng5"),
        (open, "N3g5", "Origin", "Ng5"),
        (open, "Ke1f1", "Origin", "Kf1"),
        (open, "Nfxe5", "Origin", "Nxe5"),
        (open, "Ne5", "CaptureMark", "Nxe5"),
        (open, "Nxg5", "CaptureMark", "Ng5"),
        (open, "N:e5", "CaptureMark", "Nxe5"),
        (open, "Nf3e5", "CaptureMark", "Nxe5"),
        (open, "0-0", "Castling", "O-O"),
        (open, "o-o", "Castling", "O-O"),
        (open, "OO", "Castling", "O-O"),
        (open, "00+", "Castling", "O-O"),
        (open, "d2d4", "Long", "d4"),
        (open, "d2-d4", "Long", "d4"),
        (open, "Nf3-g5", "Long", "Ng5"),
        (open, "Nf3xe5", "Origin", "Nxe5"),
        (open, "f3e5", "Long", "Nxe5"),
        (open, "e1g1", "Long", "O-O"),
        (open, "Ke1-g1", "Long", "O-O"),
        (open, "e1h1", "Long", "O-O"),
        (open, "Pd4", "PawnLetter", "d4"),
        (open, "Pd2-d4", "PawnLetter", "d4"),
        (open, "nxe5", "Case", "Nxe5"),
        (open, "bxf7", "Case", "Bxf7"),
        (open, "D4", "Case", "d4"),
        (open, "NG5", "Case", "Ng5"),
        (open, "BXF7", "Case", "Bxf7"),
        (pawns, "bxc8=Q", "Canonical", "bxc8=Q"),
        (pawns, "bc8=Q", "CaptureMark", "bxc8=Q"),
        (pawns, "ed6", "CaptureMark", "exd6"),
        (pawns, "b8Q", "Promotion", "b8=Q"),
        (pawns, "b8(N)+", "Promotion", "b8=N"),
        (pawns, "b8/R", "Promotion", "b8=R"),
        (pawns, "b8=q", "Promotion", "b8=Q"),
        (pawns, "b8=(B)", "Promotion", "b8=B"),
        (pawns, "bxa8N", "Promotion", "bxa8=N"),
        (pawns, "b7b8q", "Long", "b8=Q"),
        (pawns, "b7-b8=Q", "Long", "b8=Q"),
        (pawns, "b7xc8Q", "Long", "bxc8=Q"),
        (pawns, "e5xd6", "Long", "exd6"),
        (pawns, "e5:d6", "Long", "exd6"),
        (pawns, "exd", "PawnFiles", "exd6"),
        (pawns, "ed", "PawnFiles", "exd6"),
        (pawns, "exd6e.p.", "EnPassant", "exd6"),
        (pawns, "exd6ep", "EnPassant", "exd6"),
        (pawns, "Pxd6", "PawnLetter", "exd6"),
        (pawns, "b8", "Queen", "b8=Q"),
        (pawns, "bxa8", "Queen", "bxa8=Q"),
        (pawns, "b7c8", "Queen", "bxc8=Q"),
        (pawns, "e5\u{d7}d6", "Sign", "exd6"),
        (pawns, "b7\u{2013}b8", "Sign", "b8=Q"),
        (open, "O\u{2014}O", "Sign", "O-O"),
        (open, "n\u{d7}e5", "Case", "Nxe5"),
        (open, "\u{2658}g5", "Figurine", "Ng5"),
        (open, "\u{265e}\u{d7}e5+", "Figurine", "Nxe5"),
        (open, "\u{2659}d4", "Figurine", "d4"),
        (pawns, "b8=\u{2656}", "Figurine", "b8=R"),
        // The bishop, since no pawn of the b-file can; and a bare `b` before a rank is always a
        // file.
        (pawns, "bxc4", "Case", "Bxc4"),
        (pawns, "bc2", "Case", "Bc2"),
    ];
    for (fen, token, rung, san) in cases {
        let position = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
        let resolved = position
            .resolve(token.as_bytes())
            .unwrap_or_else(|e| panic!("{e:?}: {token}"));
        let text = String::from_utf8(position.san(resolved.m).as_bytes().to_vec()).unwrap();
        assert_eq!(text, san, "{token}");
        assert_eq!(resolved.canonical, rung == "Canonical", "{token}");
        assert_eq!(resolved.ordinal, position.rank(resolved.m), "{token}");
        assert_eq!(
            resolved.canonical,
            token.as_bytes()[..resolved.core] == *san.as_bytes(),
            "{token}"
        );
    }
}

#[test]
fn what_no_rung_takes() {
    let open = "r3k2r/pbpp1ppp/1pn2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1";
    let pawns = "4k3/1P4p1/8/2ppP3/2P1P3/8/8/N3K2N w - d6 0 1";
    let knights = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1";
    let cases = [
        (open, "--", Unresolved::Null),
        (open, "Z0", Unresolved::Null),
        (open, "null", Unresolved::Null),
        (open, "@@@@", Unresolved::Null),
        (open, "<>", Unresolved::Null),
        (open, "", Unresolved::NotAMove),
        (open, "+", Unresolved::NotAMove),
        (open, "hello", Unresolved::NotAMove),
        (open, "e9", Unresolved::NotAMove),
        (open, "12", Unresolved::NotAMove),
        (open, "1-0", Unresolved::NotAMove),
        (open, "e", Unresolved::NotAMove),
        (open, "Nf", Unresolved::NotAMove),
        (open, "e4e", Unresolved::NotAMove),
        (open, "N\u{e9}3", Unresolved::NotAMove),
        (open, "Ng1-f3-and-so-on-and-on", Unresolved::NotAMove),
        (open, "O-O-O", Unresolved::Illegal),
        (open, "e5", Unresolved::Illegal),
        (open, "Bc2", Unresolved::Illegal),
        // A bishop that cannot go there is not a pawn that could.
        (open, "Ba3", Unresolved::Illegal),
        (open, "dxd4", Unresolved::Illegal),
        (open, "Sf3", Unresolved::NotAMove),
        // A figurine is a capital letter.
        (open, "\u{2657}XC5", Unresolved::NotAMove),
        // A step is not a capture.
        (pawns, "d6", Unresolved::Illegal),
        (pawns, "d5", Unresolved::Illegal),
        (pawns, "xd5", Unresolved::Ambiguous),
        (pawns, "b8=K", Unresolved::Illegal),
        (pawns, "e6=Q", Unresolved::Illegal),
        (knights, "Nd2", Unresolved::Ambiguous),
        (knights, "nxd2", Unresolved::Ambiguous),
    ];
    for (fen, token, expected) in cases {
        let position = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
        assert_eq!(position.resolve(token.as_bytes()), Err(expected), "{token}");
    }
    assert!(Position::initial().resolve(b"bb5").is_err());
}

#[test]
fn starts() {
    let start = |rules, fen: &str| Position::start(rules, Some(fen.as_bytes()));
    // Missing fields, move number 0, rights and squares that cannot be.
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha e6 0 1",
        " rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq - ",
    ] {
        let position = start(Rules::Chess, fen).unwrap();
        assert_eq!(position.fullmoves(), 1);
        assert_eq!(position.resolve(b"e4").unwrap().ordinal, Some(13));
    }
    let rookless = start(Rules::Chess, "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1").unwrap();
    assert!(rookless.resolve(b"O-O").is_ok());
    assert_eq!(rookless.resolve(b"O-O-O"), Err(Unresolved::Illegal));
    // Three checks at once, nine queens.
    assert!(start(Rules::Chess, "4k3/8/3N1N2/8/4R3/8/8/4K3 b - - 0 1").is_ok());
    assert!(start(Rules::Chess, "7k/6pp/8/8/8/QQQQQQQ1/PPPPPPPP/4K3 w - - 0 1").is_ok());
    for fen in [
        "",
        "rubbish",
        r"rnbqkbnr\pppppppp\8\8\8\8\PPPPPPPP\RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1",
        "8/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
        "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    ] {
        assert!(start(Rules::Chess, fen).is_err(), "{fen}");
    }
    // Castling of Chess960 by the outermost rook, and by name of its file.
    for fen in [
        "3k4/8/8/8/8/8/8/1R2KR2 w KQ - 0 1",
        "3k4/8/8/8/8/8/8/1R2KR2 w FB - 0 1",
    ] {
        let position = start(Rules::Chess960, fen).unwrap();
        assert!(
            position.resolve(b"O-O").is_ok() && position.resolve(b"e1b1").is_ok(),
            "{fen}"
        );
    }
}

#[test]
fn variants_play_by_sorted_lists() {
    let lines = [
        ("Antichess", "e3 b5 Bxb5"),
        ("atomic", "Nf3 d5 Ne5 f6 Nxd7"),
        ("Crazyhouse", "e4 d5 exd5 Qxd5 P@e4 Qxe4"),
        ("Horde", "a5 a6 bxa6"),
        ("King of the Hill", "e4 e5 Ke2 Ke7 Ke3"),
        ("RACING KINGS", "Kh3 Ka3"),
        ("Three-check", "e4 e5 Qh5 Nc6 Qxf7+"),
    ];
    for (name, line) in lines {
        let rules = Rules::from_variant_tag(name.as_bytes()).unwrap();
        let mut position = Position::start(rules, None).unwrap();
        for token in line.split(' ') {
            let Ok(resolved) = position.resolve(token.as_bytes()) else {
                assert_eq!((name, token), ("atomic", "Nxd7"), "illegal");
                break;
            };
            let ordinal = resolved.ordinal.unwrap();
            assert_eq!(position.select(ordinal), Some(resolved.m));
            assert_eq!(position.rank(resolved.m), Some(ordinal));
            if ordinal > 0 {
                let before = position.select(ordinal - 1).unwrap();
                assert!(position.san(before).as_bytes() < position.san(resolved.m).as_bytes());
            }
            position.play(resolved.m);
        }
    }
    assert_eq!(Rules::from_variant_tag(b"Duck"), None);
}

/// The one archive of the old program: bare STR values after 0x05, its own ordinals.
#[test]
fn old_program_sorted_before_it_disambiguated() {
    let Some(path) = shared("PGC_CORPUS", "corpora") else {
        return;
    };
    let archive = std::fs::read(path.join("pgn2pgc/pgngames.pgc")).unwrap();
    let text = std::fs::read_to_string(path.join("pgn2pgc/pgngames.pgn")).unwrap();
    let mut expected = text
        .lines()
        .filter(|line| !line.starts_with('['))
        .flat_map(str::split_whitespace);
    let (mut games, mut plies) = (0, 0);
    let mut rest = archive.as_slice();
    while let Some((0x05, after)) = rest.split_first() {
        rest = after;
        for _ in 0..7 {
            rest = &rest[usize::from(rest[0]) + 1..];
        }
        let mut position = Position::initial();
        while rest[0] != 0x06 {
            let ordinals = match rest[0] {
                0x02 => {
                    rest = &rest[usize::from(rest[1]) + 2..];
                    rest = &rest[usize::from(rest[0]) + 1..];
                    continue;
                }
                0x03 => &rest[2..][..usize::from(rest[1])],
                0x04 => &rest[3..][..usize::from(u16::from_le_bytes([rest[1], rest[2]]))],
                other => panic!("marker {other:#x}"),
            };
            for &ordinal in ordinals {
                let m = position.select_pgn2pgc(ordinal).unwrap();
                let token = expected
                    .by_ref()
                    .find(|token| !token.starts_with(|c: char| c.is_ascii_digit()))
                    .unwrap();
                assert_eq!(
                    position
                        .resolve(token.as_bytes())
                        .map(|resolved| resolved.m),
                    Ok(m),
                    "{token}"
                );
                position.play(m);
                plies += 1;
            }
            rest = &rest[if rest[0] == 0x03 { 2 } else { 3 } + ordinals.len()..];
        }
        rest = &rest[1..];
        games += 1;
    }
    assert!(rest.is_empty());
    assert_eq!((games, plies), (55, 4270));
}
