//! What the index knows from playing: how games end, their special moves, their openings, and which
//! positions their last material rules out. The games are typed, and the answers follow from the
//! rules.

use shakmaty::san::San;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{Move, Position as _, Role};

use crate::index::questions::assert_found;
use crate::support::random::Random;

/// The questions that a game is an answer to, with `|` between them; its tags; its moves.
type Answer<'a> = (&'a str, &'a str, &'a str);

/// Asserts that each of the questions finds exactly its games.
fn assert_answers(games: &[Answer<'_>]) {
    let pgn: String = games
        .iter()
        .map(|(_, tags, moves)| format!("[Event \"x\"]\n{tags}\n\n{moves} *\n\n"))
        .collect();
    let numbers = |question| -> Vec<u64> {
        let has = |game: &Answer<'_>| game.0.split('|').any(|other| other == question);
        let numbered = (1..).zip(games).filter(|(_, game)| has(game));
        numbered.map(|(number, _)| number).collect()
    };
    let questions = games.iter().flat_map(|game| game.0.split('|'));
    let found: Vec<_> = questions
        .map(|question| (question, numbers(question)))
        .collect();
    let asked = found
        .iter()
        .map(|(question, games)| (*question, games.as_slice()));
    assert_found(&pgn, &asked.collect::<Vec<_>>());
}

#[test]
fn how_games_end() {
    let twice = "1. Nf3 Nf6 2. Ng1 Ng8";
    let thrice = format!("{twice} 3. Nf3 Nf6 4. Ng1 Ng8");
    let five = format!("{thrice} 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8");
    let bare = "[FEN \"8/8/8/8/8/k7/4p3/4K3 w - - 0 1\"]";
    let rook = |halfmoves| format!("[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - {halfmoves} 90\"]");
    let (fifty, seventy_five, less) = (rook(98), rook(148), rook(97));
    let rights = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]";
    let kings = "1. Ke2 Ke7 2. Ke1 Ke8 3. Ke2 Ke7 4. Ke1 Ke8";
    let kings_again = format!("{kings} 5. Ke2 Ke7 6. Ke1 Ke8");
    // The capture en passant that is possible behind 2... d5 is not possible later.
    let passed = "1. e4 Nf6 2. e5 d5 3. Nf3 Ng8 4. Ng1 Nf6 5. Nf3 Ng8 6. Ng1 Nf6";
    let passed_again = format!("{passed} 7. Nf3 Ng8 8. Ng1 Nf6");
    let stalemate = "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 \
                     8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6";
    assert_answers(&[
        ("--end mate", "", "1. f3 e5 2. g4 Qh4#"),
        ("--end open", "", "1. f3 e5 2. g4 Qh4# 3. xyz"),
        ("--end stalemate", "", stalemate),
        ("--end open", "", twice),
        ("--end threefold", "", &thrice),
        ("--end fivefold|--end threefold", "", &five),
        ("--end insufficient", bare, "1. Kxe2"),
        ("--end open", bare, "1. Kd2 Kb3"),
        ("--end 50", &fifty, "1. Ra2 Ke7"),
        ("--end 75|--end 50", &seventy_five, "1. Ra2 Ke7"),
        ("--end open", &less, "1. Ra2 Ke7"),
        ("--end open", rights, kings),
        ("--end threefold", rights, &kings_again),
        ("--end open", "", passed),
        ("--end threefold", "", &passed_again),
        (
            "--end variant",
            "[Variant \"King of the Hill\"]",
            "1. e4 a6 2. Ke2 a5 3. Ke3 a4 4. Kd4",
        ),
        (
            "--end mate",
            "[Variant \"Crazyhouse\"]",
            "1. f3 e5 2. g4 Qh4#",
        ),
        ("--end open", "[Variant \"Losers\"]", "1. f3 e5 2. g4 Qh4#"),
        ("--end open", "", ""),
    ]);
}

#[test]
fn what_games_have() {
    let pawn = "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]";
    let italian = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O (4. d3 Nf6 5. c3 O-O) Nf6";
    assert_answers(&[
        ("--has white-castles", "", italian),
        (
            "--has black-castles",
            "",
            "1. d4 d5 2. c4 Nc6 3. Nc3 Bf5 4. a3 e6 5. b3 Qd7 6. e3 O-O-O",
        ),
        (
            "--has promotion|--has promotion --not-has underpromotion",
            pawn,
            "1. a8=Q",
        ),
        ("--has promotion|--has underpromotion", pawn, "1. a8=N"),
        ("--has en-passant", "", "1. e4 a6 2. e5 d5 3. exd6"),
        (
            "--has comments|--has clocks|--has clocks --not-has evals",
            "",
            "1. e4 {[%clk 0:01:00]} e5",
        ),
        (
            "--has comments|--has evals|--has evals --not-has clocks",
            "",
            "1. e4 {so [%eval 0.3]} e5",
        ),
        (
            "--has comments|--has evals|--has evals --not-has clocks",
            "",
            "1. e4 {+0.35/21 1.2s} e5",
        ),
        (
            "--has comments|--has clocks|--has evals",
            "",
            "1. e4 {d=31, tl=00:01:05, wv=0.2} e5",
        ),
        (
            "--has comments|--has comments --not-has clocks --not-has evals",
            "",
            "1. e4 {100%clk 1/2 x=3} e5",
        ),
        ("--has nags", "", "1. e4 $1 e5"),
    ]);
}

/// What the last material rules out, and what it does not: a promoted piece was a pawn, of its own
/// side.
#[test]
fn material_that_can_have_been() {
    let start = |fen: &str| format!("[FEN \"{fen}\"]");
    let pawns = start("4k3/P7/8/8/8/8/p7/4K3 w - - 0 1");
    assert_answers(&[
        (
            "--material \"KP K\"",
            &start("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
            "1. a8=Q+ Kd7 2. Qa1",
        ),
        (
            "--material \"KR KR\"",
            &start("4k2r/8/8/8/8/8/8/R3K3 w - - 0 1"),
            "1. Ra2 Rh2 2. Rxh2",
        ),
        (
            "--fen \"4k3/P7/8/8/8/8/p7/4K3 w\"",
            &pawns,
            "1. a8=Q+ Kd7 2. Qxa2",
        ),
        (
            "--material \"KN K\"",
            &start("4k3/8/8/8/8/8/8/3NK3 w - - 0 1"),
            "",
        ),
    ]);
}

#[test]
fn openings_by_their_names() {
    let najdorf = "1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. h4";
    assert_answers(&[
        ("--opening najdorf", "", najdorf),
        (
            "--opening ruy|--opening \"=Ruy Lopez\"",
            "",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        ),
        (
            "--opening ruy|--opening berlin",
            "",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6",
        ),
        (
            "--variant atomic --not-opening ruy",
            "[Variant \"Atomic\"]",
            "1. e4 e5 2. Nf3 Nc6 3. Bb5",
        ),
    ]);
}

/// Random games of every variant, each move with what it is by shakmaty, and each last position with
/// what it is and what stands there.
#[test]
fn what_games_of_every_variant_have() {
    let mut random = Random::new(52);
    let mut games: Vec<(String, String, String)> = Vec::new();
    for variant in Variant::ALL {
        for _ in 0..8 {
            let mut position = VariantPosition::new(variant);
            let (mut answers, mut moves) = (Vec::new(), String::new());
            for _ in 0..random.pick(&[30, 90, 150]) {
                let list = position.legal_moves();
                let rare: Vec<Move> = list
                    .iter()
                    .filter(|m| kind_of(m).is_some())
                    .copied()
                    .collect();
                let list = if rare.is_empty() {
                    &list[..]
                } else {
                    &rare[..]
                };
                if list.is_empty() || position.is_game_over() {
                    break;
                }
                let m = random.pick(list);
                let is_white = position.turn().is_white();
                answers.extend(kind_of(&m).map(|kind| match (kind, is_white) {
                    ("castles", true) => "white-castles",
                    ("castles", false) => "black-castles",
                    (kind, _) => kind,
                }));
                if m.promotion().is_some() {
                    answers.push("promotion");
                }
                let dots = if is_white { "." } else { "..." };
                let san = San::from_move(&position, m);
                moves += &format!("{}{dots} {san} ", position.fullmoves());
                position.play_unchecked(m);
            }
            let name = variant_name(variant);
            answers.sort_unstable();
            answers.dedup();
            let mut answers: Vec<String> = answers
                .iter()
                .map(|has| format!("--has {has}|--has {has} --variant {name}"))
                .collect();
            if position.is_variant_end() {
                answers.push("--end variant".to_owned());
            } else if position.is_checkmate() {
                answers.push("--end mate".to_owned());
            } else if position.is_stalemate() {
                answers.push("--end stalemate".to_owned());
            }
            let fen = position.board().board_fen();
            answers.push(format!("--fen {fen} --variant {name}"));
            games.push((answers.join("|"), format!("[Variant \"{name}\"]"), moves));
        }
    }
    for kind in [
        "white-castles",
        "black-castles",
        "promotion",
        "underpromotion",
        "en-passant",
    ] {
        let variants = Variant::ALL.map(variant_name).into_iter().filter(|name| {
            let question = format!("--has {kind} --variant {name}");
            games.iter().any(|game| game.0.contains(&question))
        });
        assert!(variants.count() >= 4, "{kind}");
    }
    let games: Vec<Answer<'_>> = games.iter().map(|(a, b, c)| (&**a, &**b, &**c)).collect();
    assert_answers(&games);
}

/// What a move is that few moves are, but for promotions to a queen.
fn kind_of(m: &Move) -> Option<&'static str> {
    match m {
        Move::Castle { .. } => Some("castles"),
        Move::EnPassant { .. } => Some("en-passant"),
        _ => m
            .promotion()
            .filter(|&role| role != Role::Queen)
            .map(|_| "underpromotion"),
    }
}

fn variant_name(variant: Variant) -> &'static str {
    match variant {
        Variant::Chess => "chess",
        Variant::Antichess => "antichess",
        Variant::Atomic => "atomic",
        Variant::Crazyhouse => "crazyhouse",
        Variant::Horde => "horde",
        Variant::KingOfTheHill => "kingofthehill",
        Variant::RacingKings => "racingkings",
        Variant::ThreeCheck => "three-check",
    }
}
