//! Questions with answers that follow from a few typed games, in both forms and without an index.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use pgc::{Archive, Query};

use crate::support::program::{Dir, answer};
use crate::support::{archive_of, small_of};

/// Asserts which games each question finds: their numbers, from 1.
pub(crate) fn assert_found(pgn: &str, questions: &[(&str, &[u64])]) {
    let folder = tempfile::tempdir().unwrap();
    let forms = [
        archive_of(pgn.as_bytes()),
        small_of(pgn.as_bytes(), true).unwrap(),
    ];
    for (form, bytes) in forms.into_iter().enumerate() {
        let path = folder.path().join(format!("{form}.pgc"));
        std::fs::write(&path, bytes).unwrap();
        let archive = Archive::open(&path).unwrap();
        for (question, games) in questions {
            let query = Query::parse(question).unwrap();
            let answer = archive.find(&query, 1).unwrap();
            let found: Vec<u64> = answer.numbers().collect();
            assert_eq!(found, *games, "{question} in form {form}");
        }
    }
}

/// A game with tags and movetext.
fn game(tags: &[(&str, &str)], movetext: &str) -> String {
    let tags: String = tags
        .iter()
        .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
        .collect();
    format!("{tags}\n{movetext}\n\n")
}

#[test]
fn who_won_and_against_whom() {
    let between = |white, black, elos: [&str; 2], result: &str| {
        let mut tags = vec![("White", white), ("Black", black), ("Result", result)];
        let named = ["WhiteElo", "BlackElo"].into_iter().zip(elos);
        tags.extend(named.filter(|(_, elo)| !elo.is_empty()));
        game(&tags, &format!("1. e4 e5 {result}"))
    };
    let pgn = [
        between("Tal, M", "Fischer, R", ["2700", "2600"], "1-0"),
        between("Fischer, R", "Tal, M", ["2650", "2690"], "1-0"),
        between("Tal, M", "Fischer, R", ["2700", ""], "1/2-1/2"),
        between("Keres, P", "Tal, M", ["2500", "2700"], "0-1"),
        between("Keres, P", "Fischer, R", ["", ""], "*"),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--winner tal", &[1, 4]),
            ("--loser tal", &[2]),
            ("--not-winner tal", &[2, 3, 5]),
            ("--winner tal --loser fischer", &[1]),
            ("--winner tal --winner fischer", &[1, 2, 4]),
            ("-p tal --result win", &[1, 4]),
            ("-p tal --result loss --result draw", &[2, 3]),
            ("-p tal --not-result win", &[2, 3]),
            ("-w tal --result win", &[1]),
            ("-b tal --result win", &[4]),
            ("-b tal --result loss", &[2]),
            ("-p tal --result 1-0", &[1, 2]),
            // The rating of the fifth game's players is unknown, and of Fischer in the third.
            ("--any-elo 2700..", &[1, 3, 4]),
            ("--any-elo 2700.. --maybe", &[1, 3, 4, 5]),
            ("--any-elo ..2500", &[4]),
            ("--not-any-elo 2700..", &[2]),
            ("--any-elo none", &[3, 5]),
            ("-p tal --opponent-elo 2600..", &[1, 2]),
            ("-p tal --opponent-elo 2600.. --maybe", &[1, 2, 3]),
            ("-p tal --opponent-elo none", &[3]),
            ("-w tal --opponent-elo ..2650", &[1]),
            ("-b tal --opponent-elo ..2600", &[4]),
            // Fischer's opponents: 2700, 2690, 2700, and one who is unknown.
            ("-p fischer --not-opponent-elo 2700..", &[2]),
        ],
    );
    for alone in ["--result win", "-w tal -b keres --opponent-elo 2600"] {
        assert!(Query::parse(alone).is_err(), "{alone}");
    }
}

/// The games of the tests below: a smothered mate, a sacrifice that castles, and one that promotes.
fn mates() -> String {
    [
        // 11 half moves; the queen pins the pawn that could take the knight.
        game(
            &[],
            "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Nd7 5. Qe2 Ngf6 6. Nd6# 1-0",
        ),
        // The same with the colours reversed, one half move later.
        game(
            &[],
            "1. a3 e5 2. c3 d5 3. d4 Nc6 4. dxe5 Nxe5 5. Nd2 Qe7 6. Ngf3 Nd3# 0-1",
        ),
        game(
            &[
                ("SetUp", "1"),
                ("FEN", "r3k3/6P1/8/8/8/8/8/4K2R w Kq - 0 1"),
            ],
            "1. O-O O-O-O 2. g8=N Rxg8+ 3. Kf2 *",
        ),
        game(
            &[("SetUp", "1"), ("FEN", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1")],
            "1. e4 dxe3 2. Kd1 e2+ 3. Kxe2 *",
        ),
    ]
    .concat()
}

#[test]
fn moves_by_their_san() {
    assert_found(
        &mates(),
        &[
            ("--move Nd6#", &[1]),
            ("--move Nd6+", &[1]),
            ("--move Nd6", &[1]),
            ("--move N??", &[1, 2]),
            // The letter that tells two knights apart may be missing.
            ("--move Nf6", &[1]),
            ("--move Ngf6", &[1]),
            ("--move Nbf6", &[]),
            ("--move #", &[1, 2]),
            ("--not-move #", &[3, 4]),
            ("--move +", &[1, 2, 3, 4]),
            ("--move black:#", &[2]),
            ("--move O-O", &[3]),
            ("--move white:0-0-0", &[]),
            ("--move black:O-O-O", &[3]),
            ("--move =N", &[3]),
            ("--move =Q --move O-O", &[3]),
            ("--move Nd6 --ply ..10", &[]),
            ("--move Nd6 --ply 11", &[1]),
            // The position is the one behind the move.
            ("--move Nd6 --pattern 'Nd6 pf7'", &[1]),
            ("--move Nxe4 --pattern Nd6", &[]),
            ("--capture 'N x P'", &[1, 2]),
            ("--capture 'R x N'", &[3]),
            ("--capture 'black:P x P' --not-capture 'white:* x P'", &[]),
            // En passant.
            ("--capture 'P x P' --move ?x?3", &[4]),
            ("--capture '* x QR'", &[]),
            ("--capture 'KQ x *'", &[4]),
            // Castling is a move of the king.
            ("--capture 'K x -' --ply 1", &[3]),
            ("--capture 'N x -' --move N??#", &[1, 2]),
            ("--capture '* x -' --move dxe?", &[]),
        ],
    );
    for wrong in [
        "--move ''",
        "--move Z9",
        "--capture N",
        "--capture 'N x '",
        "--capture 'x x x'",
        "--capture '- x N'",
    ] {
        assert!(Query::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn boards_with_the_colours_or_the_sides_exchanged() {
    assert_found(
        &mates(),
        &[
            ("--move Nd6# --flip", &[1, 2]),
            ("--move white:Nd6#", &[1]),
            ("--move Nd3#", &[2]),
            ("--move Nd3# --flip", &[1, 2]),
            ("--move white:Nd6# --flip", &[1, 2]),
            ("--move Ne6# --mirror", &[1]),
            // A run is seen from one side.
            ("--move 'white:*' --for 2 --flip", &[]),
            ("--move Ne6# --for 2 --mirror --flip", &[]),
            ("--move Ne6# --mirror --flip", &[1, 2]),
            // The knight, the queen before it and the king behind.
            ("--pattern 'Nd6 Qe2 ke8'", &[1]),
            ("--pattern 'Nd6 Qe2 ke8' --flip", &[1, 2]),
            ("--not-pattern 'Nd6 Qe2 ke8' --flip", &[3, 4]),
            // A piece somewhere on a file or a rank; the black pawn of the fourth game gets there.
            ("--pattern p?2", &[4]),
            ("--pattern 'P?7'", &[3]),
            ("--pattern 'p?2' --flip", &[3, 4]),
            ("--pattern 'Nd? .e7'", &[2]),
            ("--pattern 'ne? Qd1'", &[2]),
            // Nd2 and Ne5 in the second game; Ne4 and Nd7 in the first.
            ("--pattern 'Nd? ne?'", &[2]),
            ("--pattern 'Nd? ne?' --flip", &[1, 2]),
            ("--pattern 'Nd? ne?' --mirror", &[1, 2]),
            // The whole question is turned: no position has one half of it as it is.
            ("--pattern Qe2 --move Nd3# --flip", &[]),
            ("--material 'KRP kr'", &[3]),
            ("--material 'KR KRP' --ply 0", &[3]),
            // White has a pawn more in the third game until it promotes, Black in the fourth after dxe3.
            ("--imbalance 'P -' --setup", &[3, 4]),
            ("--imbalance 'p -' --setup", &[4]),
            ("--imbalance 'p -' --setup --flip", &[3, 4]),
            ("--imbalance 'white:P -' --setup", &[3]),
            ("--imbalance 'black:P -' --setup", &[4]),
            ("--imbalance 'white:- P' --setup", &[4]),
            ("--imbalance 'N v -' --setup", &[3]),
            ("--imbalance 'R v N'", &[]),
            ("--material 'krp KR'", &[]),
            ("--material 'krp KR' --flip", &[3]),
            ("--fen 'r3k3/8/8/8/8/8/6p1/4K2R b Kq' --flip", &[]),
            ("--fen 'r3k3/6P1/8/8/8/8/8/4K2R w Kq'", &[3]),
            // Seen by Black, the rooks change places with their rights.
            ("--fen '4k2r/8/8/8/8/8/6p1/R3K3 b Qk' --flip", &[3]),
            ("--fen '4k2r/8/8/8/8/8/6p1/R3K3 b Q' --flip", &[]),
            ("--fen '4k3/8/8/8/3Pp3/8/8/4K3 b - e3'", &[]),
            ("--fen '4k3/8/8/8/3pP3/8/8/4K3 b - e3'", &[4]),
            ("--fen '4k3/8/8/3Pp3/8/8/8/4K3 w - e6' --flip", &[4]),
            ("--fen '4k3/8/8/3Pp3/8/8/8/4K3 w - e6' --mirror", &[]),
            ("--moves-to '1.e4 c6' --flip", &[1]),
        ],
    );
}

#[test]
fn positions_that_occur_again() {
    let pgn = [
        // The start occurs three times, at 0, 4 and 8; only the second game goes on.
        game(&[], "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *"),
        game(&[], "1. Nf3 Nf6 2. Ng1 Ng8 3. Nc3 Nc6 4. Nb1 Nb8 5. e4 *"),
        // White's right to castle is lost between the two.
        game(
            &[("SetUp", "1"), ("FEN", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")],
            "1. Rh2 Kd8 2. Rh1 Ke8 3. Rh2 Kd8 4. Rh1 Ke8 *",
        ),
        // The pawn can be taken en passant only after it has moved.
        game(
            &[("SetUp", "1"), ("FEN", "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1")],
            "1. e4 Kd8 2. Kd1 Ke8 3. Ke1 Kd8 4. Kd1 Ke8 5. Ke1 *",
        ),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--repeated 2", &[1, 2, 3, 4]),
            ("--repeated 3", &[1, 2]),
            ("--repeated 3 --ply ..7", &[]),
            ("--repeated 3 --next --move e4", &[2]),
            ("--repeated 4", &[]),
            ("--not-repeated 3", &[3, 4]),
            ("--repeated 2 --pattern Rh1", &[1, 2, 3]),
            ("--repeated 2 --pattern 'Rh1 Ke1 .e2'", &[3]),
        ],
    );
}

#[test]
fn one_after_the_other() {
    assert_found(
        &mates(),
        &[
            ("--move e4 --then --move Nd6", &[1]),
            ("--move Nd6 --then --move e4", &[]),
            ("--move e4 --next --move c6", &[1]),
            ("--move e4 --next --move d5", &[]),
            ("--move e4 --next --move ?xe?", &[4]),
            (
                "--move e4 --then --move dxe4 --next --capture 'N x P'",
                &[1],
            ),
            ("--move e4 --next --next --move d4", &[1]),
            ("--move e4 --next --next --next --move d4", &[]),
            // The position after e4 has the pawn there until it is taken.
            ("--pattern Pe4 --next --pattern Pe4", &[1]),
            ("--pattern Pe4 --for 5 --then --pattern pe4", &[1]),
            ("--pattern Pe4 --for 6 --then --pattern pe4", &[]),
            ("--move #  --or --move =N", &[1, 2, 3]),
            (
                "--move # --ply ..11 --or --move =N --then --move Kf2",
                &[1, 3],
            ),
            ("--setup --not-move O-O --or --move Nd3#", &[2, 4]),
        ],
    );
    for wrong in [
        "--then --move e4",
        "--move e4 --then",
        "--move e4 --next --next",
        "--move e4 --then -p tal",
        "--move e4 --then --not-move e5",
        "--move e4 --or",
        "--or --move e4",
        "--ply 3 --plies 5",
        "--flip",
    ] {
        assert!(Query::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn comments_and_what_games_have() {
    let pgn = [
        game(&[], "1. e4 {A novelty, by Tal} e5 $1 *"),
        game(&[], "1. e4 (1. d4 {the Queen's pawn: no novelties}) e5 *"),
        game(&[], "1. e4 e5 ; novelty in line\n*"),
        game(&[], "1. e4 e5 *"),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--has comments", &[1, 2, 3]),
            ("--has variations", &[2]),
            ("--has nags", &[1]),
            ("--not-has comments", &[4]),
            ("--has nags --has variations", &[1, 2]),
            ("--comment 'novelty'", &[1, 3]),
            ("--comment 'NOVELT'", &[1, 2, 3]),
            ("--comment 'tal novelty'", &[1]),
            ("--not-comment novelty", &[2, 4]),
            ("--comment novelty --not-comment tal", &[3]),
            ("--comment novelty --move d4", &[]),
        ],
    );
    assert!(Query::parse("--has clock").is_err());
}

/// The moves behind a null move are text in the records, but moves of the game.
#[test]
fn clocks_behind_a_null_move() {
    let pgn = [
        game(
            &[],
            "1. e4 {[%clk 1:59]} -- {[%clk 1:58:00]} 2. d4 {[%clk 0:01:00]} *",
        ),
        // What is no time does not make others hours.
        game(&[], "1. e4 {[%clk 1:xx:00]} e5 {[%clk 1:59]} *"),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--clock 7140..7140", &[1]),
            ("--clock 7080..7080 --ply 2", &[1]),
            ("--clock 60..60 --ply 3", &[1]),
            ("--clock 119..119", &[2]),
        ],
    );
}

#[test]
fn clocks_and_evaluations() {
    let pgn = [
        game(
            &[],
            "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:00:09.5]} 2. Nf3 {[%clk 0:02:00]} *",
        ),
        // Times of a variation do not count, nor those before the first move.
        game(
            &[],
            "{[%clk 0:00:01]} 1. e4 {[%clk 0:03:00]} (1. d4 {[%clk 0:00:01]}) e5 *",
        ),
        game(&[], "1. e4 {[%eval 0.3]} e5 {[%eval -2.71]} 2. Nf3 *"),
        game(&[], "1. e4 {[%eval 0.3]} e5 2. Nf3 {[%eval 9]} *"),
        game(
            &[],
            "1. f3 {[%eval -0.5]} e5 {[%eval -0.6]} 2. g4 {[%eval #-1]} Qh4# 0-1",
        ),
        // An engine match: the values are from the side of the player, 1.20 and then 1.00 for Black.
        game(&[], "1. e4 {+1.20/20 5.0s} e5 {+1.00/20 5.0s, tl=4.000s} *"),
    ]
    .concat();
    assert_found(
        &pgn,
        &[
            ("--clock ..10", &[1]),
            ("--clock ..9", &[]),
            ("--clock 120..150", &[1]),
            ("--clock ..10 --ply ..1", &[]),
            ("--clock ..10 --ply 2", &[1]),
            ("--clock ..150 --ply 4..9", &[]),
            ("--not-clock ..600", &[3, 4, 5, 6]),
            ("--eval-swing 300..", &[3, 5]),
            ("--eval-swing 302..", &[5]),
            ("--eval-swing 301", &[3]),
            ("--eval-swing 9940", &[5]),
            ("--eval-swing ..10", &[5]),
            ("--eval-swing 220", &[6]),
            ("--eval-swing 300.. --ply 3..", &[5]),
            ("--eval-swing 300.. --move 'Qh4#'", &[5]),
        ],
    );
}

/// A question for clocks or evaluations tells the ply of the first move that matches, of one side if
/// it names one, unless a question for a position tells one.
#[test]
fn plies_of_clocks_and_evaluations() {
    let dir = Dir::new();
    let black_begins = [("SetUp", "1"), ("FEN", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")];
    let pgn = [
        game(
            &[("White", "Muster, Anna")],
            "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:00:09]} 2. d4 {[%clk 0:00:08]} *",
        ),
        game(
            &[],
            "1. e4 {[%eval 0.3]} e5 {[%eval -2.7]} 2. d4 {[%eval -5.8]} *",
        ),
        game(
            &[&black_begins[..], &[("Black", "Muster, A.")]].concat(),
            "1... Kd7 {[%clk 0:00:05]} 2. e4 {[%clk 0:05:00]} *",
        ),
    ];
    dir.put("a.pgn", pgn.concat());
    dir.pack("a.pgn");
    let archive = dir.open("a.pgc");
    for (asked, expected) in [
        (&["--clock", "..10"][..], &[(1, 2), (3, 1)][..]),
        (&["--clock", "white:..10"], &[(1, 3)]),
        (&["--clock", "black:..10"], &[(1, 2), (3, 1)]),
        (&["--clock", "white:..10", "--ply", "..2"], &[]),
        (&["--clock", "white:200.."], &[(3, 2)]),
        (&["--eval-swing", "300"], &[(2, 2)]),
        (&["--eval-swing", "white:300.."], &[(2, 3)]),
        (&["--clock", "..10", "--eval-swing", "300"], &[]),
        (&["--clock", "white:..10", "--moves", "1.e4"], &[(1, 1)]),
        // Anna has White in the first game, Black in the third.
        (
            &["-p", "muster", "--clock", "player:..10"],
            &[(1, 3), (3, 1)],
        ),
        (&["-p", "muster", "--clock", "player:100.."], &[(1, 1)]),
        (&["-w", "muster", "--clock", "player:..10"], &[(1, 3)]),
        (&["-p", "muster", "--eval-swing", "player:1.."], &[]),
    ] {
        let found = answer(&archive, asked);
        let numbers = found.numbers().collect::<Vec<u64>>().into_iter();
        let found: Vec<(u64, u32)> = numbers.zip(found.plies).collect();
        assert_eq!(found, expected, "{asked:?}");
    }
    assert!(Query::parse("--clock player:..10").is_err());
    let table = dir.run(&["find", "a.pgc", "--clock", "..10"]).stdout();
    assert!(table.lines().next().unwrap().contains(" ply "), "{table}");
    let epd = dir
        .run(&["find", "a.pgc", "--clock", "..10", "--format", "epd"])
        .stdout();
    let boards = epd.lines().map(|line| line.split(" - ").next().unwrap());
    let expected = [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq",
        "8/3k4/8/8/8/8/4P3/4K3 w",
    ];
    assert!(boards.eq(expected), "{epd}");
}

#[test]
fn what_variations_have() {
    let pgn = [
        game(&[], "1. e4 e5 2. Nf3 (2. Qh5 Ke7 3. Qxe5# *) 2... Nc6 *"),
        game(
            &[],
            "1. e4 e5 2. Nf3 (2. f4 (2. Nc3 Nf6) 2... exf4) 2... Nc6 *",
        ),
        game(&[], "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *"),
        game(
            &[],
            "1. e4 (1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. cxd5) 1... e5 *",
        ),
    ]
    .concat();
    // Twice sixteen, so that the lines of the index are asked.
    let all = pgn.repeat(8);
    let each = |games: &[u64]| -> Vec<u64> {
        let all = (0..8).flat_map(|i| games.iter().map(move |game| 4 * i + game));
        all.collect()
    };
    for (question, main, with_variations) in [
        ("--move Qxe5#", &[][..], &[1][..]),
        ("--move Nf3", &[1, 2, 3], &[1, 2, 3]),
        ("--move Nc3", &[], &[2, 4]),
        ("--move exf4", &[], &[2]),
        // The variation of 2.f4 begins before it, that of 2.Nc3 too.
        ("--moves-to '1.e4 e5 2.Nc3 Nf6'", &[], &[2]),
        ("--moves-to '1.e4 e5 2.f4 Nf6'", &[], &[]),
        // Longer than the main line, and with less material at its end.
        ("--capture 'P x P' --ply 7", &[], &[4]),
        ("--material 'KQRRBBNNP8 kqrrbbnnp7'", &[], &[1, 4]),
        ("--material 'KQRRBBNNP7 kqrrbbnnp8'", &[], &[2]),
        ("--move e4 --next --move e5 --then --move Nf6", &[], &[2]),
        // One group that goes into variations takes the others with it.
        (
            "--move e4 --not-move Nc3 --then --move Nf3",
            &[1, 2, 3],
            &[1, 3],
        ),
        ("--not-move Nf3", &[4], &[4]),
        ("--not-move Nc3", &[1, 2, 3, 4], &[1, 3]),
        ("--pattern 'Bb5 pa6'", &[3], &[3]),
    ] {
        let wider = format!("{question} --in-variations");
        assert_found(
            &all,
            &[(question, &each(main)), (&wider, &each(with_variations))],
        );
    }
    assert!(Query::parse("--in-variations --white tal").is_err());
}

#[test]
fn material_that_is_given() {
    assert_found(
        &[
            // Legal's mate: the queen for a pawn, then a pawn more.
            game(
                &[],
                "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0",
            ),
            // The same in a variation, and taken back in the game.
            game(
                &[],
                "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 Nc6 (4... g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#) 5. Nxe5 Nxe5 6. h3 Bh5 7. g3 *",
            ),
            // An exchange.
            game(&[], "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. d4 c6 5. Nf3 Bf5 *"),
        ]
        .concat(),
        &[
            // Of plies 6 to 9 it has least at 6, of 10 to 13 most behind Bxf7.
            ("--material-change 7", &[1]),
            ("--material-change white:7", &[1]),
            ("--material-change black:1..", &[]),
            ("--material-change black:7 --flip", &[1]),
            ("--material-change 7 --in-variations", &[1, 2]),
            ("--material-change 8..", &[]),
            ("--material-change 8/2", &[]),
            ("--material-change 9/1", &[1]),
            ("--material-change 2", &[2]),
            ("--material-change 3/1", &[2]),
            // The pawn that White takes, before it is taken back.
            ("--material-change black:1/1", &[1, 2, 3]),
            ("--material-change 1..2", &[2]),
            ("--not-material-change 7", &[2, 3]),
        ],
    );
}

#[test]
fn pawns_that_stand_in_some_way() {
    let pawns = |fen: &str| game(&[("SetUp", "1"), ("FEN", fen)], "*");
    assert_found(
        &[
            // White: a2, a3, d5, e4, h2; Black: c7, c6, g7.
            pawns("4k3/2p3p1/2p5/3P4/4P3/P7/P6P/4K3 w - - 0 1"),
            pawns("4k3/8/8/8/8/8/P7/4K3 w - - 0 1"),
            pawns("4k3/p7/8/8/8/8/8/4K3 w - - 0 1"),
        ]
        .concat(),
        &[
            ("--pattern white:passed", &[1, 2]),
            ("--pattern white:passed1", &[2]),
            ("--pattern passed", &[1, 2, 3]),
            ("--pattern black:passed --flip", &[1, 2, 3]),
            ("--pattern 'isolated3 doubled'", &[1]),
            ("--pattern 'Pa2 white:doubled0'", &[2]),
            ("--not-pattern isolated1", &[1]),
        ],
    );
}

/// Bishops, attacks, points and ways, each with what is almost one.
#[test]
fn pieces_to_each_other_and_their_ways() {
    let at = |fen: &str, moves: &str| game(&[("SetUp", "1"), ("FEN", fen)], moves);
    assert_found(
        &[
            // The rook sees the king through the knight, the bishop f7 through nothing.
            at("4k3/4n3/8/3B4/8/8/8/4RK2 w - - 0 1", "1. Kg1 Kf8 2. Re2 *"),
            // Two pieces between, and a pawn attacks to the sides only.
            at("4k3/4n3/4b3/3P4/8/1B6/8/4RK2 w - - 0 1", "1. dxe6 Kf8 *"),
            // A queen on the diagonal and a rook that is no way through for a knight.
            at(
                "7k/6b1/5n2/8/8/8/1Q6/K7 b - - 0 1",
                "1... Kg8 2. Qb3+ Nd5 *",
            ),
            at(
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "1. O-O-O Kf7 2. Rd7+ Ke8 3. Rdd1 *",
            ),
        ]
        .concat(),
        &[
            ("--pattern R>n>k", &[1]),
            ("--pattern R>n>k --not-pattern R>k", &[1]),
            ("--pattern r>N>K --flip", &[1]),
            ("--pattern 'R>n>k B>f7'", &[1]),
            ("--pattern 'R>[nb]>[nb]'", &[2]),
            ("--pattern Pd5>b", &[2]),
            ("--pattern P>d6", &[]),
            ("--pattern B>P", &[2]),
            ("--pattern Q>n>b", &[3]),
            ("--pattern Q>b", &[]),
            ("--pattern Q>n>k", &[3]),
            ("--pattern R>?7", &[1, 4]),
            ("--pattern 'Rd?>k'", &[4]),
            ("--pattern 'Rc?>k'", &[]),
            ("--pattern 'R?7>k'", &[4]),
            ("--pattern k>b", &[3]),
            ("--pattern opposite-bishops", &[]),
            ("--pattern same-bishops", &[2]),
            ("--pattern opposite-bishops --mirror", &[]),
            ("--pattern same-bishops0 --ply 0", &[1, 3, 4]),
            ("--imbalance 0", &[]),
            ("--imbalance 3 --ply ..0", &[2, 3]),
            ("--imbalance white:3", &[2, 3]),
            ("--imbalance black:-6..-5", &[1, 2]),
            ("--imbalance black:5..6 --flip", &[1, 2]),
            ("--imbalance white:5.. --for 4", &[1, 4]),
            ("--imbalance white:..4", &[2, 3]),
            ("--move Ra1-d1", &[4]),
            ("--move Ra1-d7", &[]),
            ("--move Ra1-d7/2", &[4]),
            ("--move Rd1-d1/2", &[4]),
            ("--move ?e1-c1", &[4]),
            ("--move Re1-c1", &[]),
            ("--move d5-e6", &[2]),
            ("--move white:?e8-f8", &[]),
            ("--move ?e8-f8", &[1, 2]),
            ("--move Nf6-d5 --not-move Qb2-b3", &[]),
            ("--move Nf3-d4 --flip", &[3]),
            ("--move Nc6-e5 --mirror", &[3]),
            ("--move 'R*' --then --within 2 --move 'R*'", &[4]),
            ("--move 'R*' --then --within 1 --move 'R*'", &[]),
            ("--move O-O-O --then --within 3 --move Rd?", &[4]),
            ("--move O-O-O --then --within 3 --move Rd1", &[]),
            (
                "--move O-O-O --then --within 2 --move Rd? --then --move Rd1 --within 2",
                &[4],
            ),
        ],
    );
    for wrong in [
        "--pattern R>",
        "--pattern R>n>k>q",
        "--pattern ??",
        "--pattern a?",
        "--pattern R>x",
        "--pattern same-bishop",
        "--imbalance ..",
        "--imbalance 5..3",
        "--imbalance 3v2",
        "--move Nf1-d5/0",
        "--move Nf1-d9",
        "--move Xf1-d5",
        "--move e4 --within 3",
        "--move e4 --then --move e5 --within 0",
        "--move e4 --next --move e5 --within 3",
    ] {
        assert!(Query::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn digits_that_only_one_month_has() {
    let dated = |date: &str| game(&[("Date", date)], "*");
    assert_found(
        &["1993.?5.??", "1993.05.??", "1993.?1.03", "1993.1?.??"]
            .map(dated)
            .concat(),
        &[
            ("--date 1993.05", &[1, 2]),
            ("--date 1993.05..1993.05", &[1, 2]),
            ("--not-date 1993.05", &[3, 4]),
            ("--not-date 1993.05 --maybe", &[3, 4]),
            ("--date 1993.01 --maybe", &[3]),
            ("--date 1993.1 --maybe", &[3]),
        ],
    );
}

/// The examples of spec/manual/questions.md.
#[test]
fn definitions() {
    let text = include_str!("../../spec/manual/questions.md");
    let (_, text) = text.split_once("## What is easily misread").unwrap();
    let (pgn, table) = text
        .split_once("```pgn\n")
        .unwrap()
        .1
        .split_once("```")
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, archive_of(pgn.as_bytes())).unwrap();
    let archive = Archive::open(&path).unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map_while(|line| line.split_once("` | "));
    let mut count = 0;
    for (question, rest) in rows {
        let answer = archive.find(&Query::parse(question).unwrap(), 1).unwrap();
        let mut plies = answer.plies.iter();
        let shown = |number: u64| {
            plies
                .next()
                .map_or(number.to_string(), |ply| format!("{number}@{ply}"))
        };
        let found: Vec<String> = answer.numbers().map(shown).collect();
        let expected = rest.trim_start_matches("| ").split(" | ").next().unwrap();
        let expected = if rest.starts_with('|') { "" } else { expected };
        assert_eq!(found.join(", "), expected, "{question}");
        count += 1;
        if question == "--move Nf3 --then --move Bb5" {
            break;
        }
    }
    assert_eq!(count, 32);
}
