//! Questions about positions, and trees, against games that shakmaty plays move by move.
#![expect(clippy::unwrap_used, reason = "the helpers are tests too")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pgc::ask::book::Book;
use pgc::ask::node::TreeNode;
use pgc::beside::{index_path, map_index};
use pgc::indexing::IndexOptions;
use pgc::{Archive, Game, NoHooks};
use pgc_chess::BoardTest;
use pgc_index::{BuildOptions, Clause, Query, Test, Window};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, Color, EnPassantMode, Position, PositionError, Square};

use crate::block::corpus::corpus;
use crate::support::random::Random;
use crate::support::{archive_of, small_of};

/// A position of a game, as shakmaty has it.
#[derive(Clone, Debug)]
struct Seen {
    /// Of each square, from a8 to h1, the letter of its piece or `.`.
    board: Vec<char>,
    white_to_move: bool,
    castling: String,
    en_passant: String,
    fen: String,
}

impl Seen {
    fn of(position: &VariantPosition) -> Seen {
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let fields: Vec<&str> = fen.split(' ').collect();
        let ranks = (0..8).rev();
        let squares = ranks.flat_map(|rank| (0..8).map(move |file| Square::new(8 * rank + file)));
        let letter = |square| position.board().piece_at(square).map_or('.', |p| p.char());
        Seen {
            board: squares.map(letter).collect(),
            white_to_move: position.turn() == Color::White,
            castling: fields[2].to_owned(),
            en_passant: fields[3].to_owned(),
            fen: fen.clone(),
        }
    }

    /// The same position, whatever the move counters.
    fn is_same(&self, other: &Seen) -> bool {
        (&self.board, self.white_to_move) == (&other.board, other.white_to_move)
            && (&self.castling, &self.en_passant) == (&other.castling, &other.en_passant)
    }

    fn at(&self, square: &str) -> char {
        let square = square.as_bytes();
        self.board[usize::from(b'8' - square[1]) * 8 + usize::from(square[0] - b'a')]
    }

    /// The pieces of a side, as capitals in the order KQRBNP.
    fn side(&self, white: bool) -> String {
        let of_side = |c: &&char| c.is_ascii_alphabetic() && c.is_ascii_uppercase() == white;
        let own: Vec<char> = self
            .board
            .iter()
            .filter(of_side)
            .map(char::to_ascii_uppercase)
            .collect();
        "KQRBNP"
            .chars()
            .flat_map(|kind| own.iter().filter(move |&&c| c == kind))
            .collect()
    }
}

/// The positions of the main line of a game, the start first.
fn positions(game: &Game) -> Vec<Seen> {
    let variant = match game.tag("Variant") {
        Some("Atomic") => Variant::Atomic,
        Some("Crazyhouse") => Variant::Crazyhouse,
        _ => Variant::Chess,
    };
    let chess960 = game.tag("Variant") == Some("Chess960");
    let mode = CastlingMode::from_chess960(chess960);
    let mut position = match &game.start {
        None => VariantPosition::new(variant),
        Some(fen) => {
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            VariantPosition::from_setup(variant, setup, mode)
                .or_else(PositionError::ignore_invalid_castling_rights)
                .or_else(PositionError::ignore_invalid_ep_square)
                .or_else(PositionError::ignore_too_much_material)
                .or_else(PositionError::ignore_impossible_check)
                .unwrap()
        }
    };
    let mut seen = vec![Seen::of(&position)];
    for played in &game.moves {
        let m = played
            .uci
            .parse::<UciMove>()
            .unwrap()
            .to_move(&position)
            .unwrap();
        position.play_unchecked(m);
        seen.push(Seen::of(&position));
    }
    seen
}

/// A question, and what tells whether a position answers it.
struct Asked {
    test: BoardTest,
    what: String,
    fits: Box<dyn Fn(&Seen) -> bool>,
}

/// The content that a letter of a pattern stands for, written down once more.
fn is_content(letter: char, content: char) -> bool {
    match letter {
        '?' => true,
        '!' => content != '.',
        'A' => content.is_ascii_uppercase(),
        'a' => content.is_ascii_lowercase(),
        letter => letter == content,
    }
}

fn square(i: usize) -> String {
    let file = char::from(b'a' + u8::try_from(i % 8).unwrap());
    format!("{file}{}", 8 - i / 8)
}

/// Questions that a position suggests.
fn questions(seen: &Seen, random: &mut Random) -> Vec<Asked> {
    let mut all = Vec::new();
    let wanted = seen.clone();
    all.push(Asked {
        test: BoardTest::fen(&seen.fen).unwrap(),
        what: seen.fen.clone(),
        fits: Box::new(move |seen| seen.is_same(&wanted)),
    });
    // Some squares are left open, and some ask for less than their content.
    let mut letters = seen.board.clone();
    for letter in &mut letters {
        *letter = match (random.below(4), *letter) {
            (0, _) => '?',
            (1, piece) if piece.is_ascii_uppercase() => random.pick(&['A', '!']),
            (1, piece) if piece.is_ascii_lowercase() => random.pick(&['a', '!']),
            (_, same) => same,
        };
    }
    let board: String = letters.iter().collect();
    let (board, turn) = match random.below(2) {
        0 => (board, "?"),
        _ => (board, if seen.white_to_move { "w" } else { "b" }),
    };
    let ranks: Vec<&str> = (0..8).map(|i| &board[8 * i..8 * i + 8]).collect();
    let text = if random.once_in(2) {
        format!("fen:{board} {turn}")
    } else {
        format!("{} {turn}", ranks.join("/"))
    };
    all.push(Asked {
        test: BoardTest::fen(&text).unwrap(),
        what: text,
        fits: Box::new(move |seen| {
            let is_turn = turn == "?" || (turn == "w") == seen.white_to_move;
            is_turn
                && letters
                    .iter()
                    .zip(&seen.board)
                    .all(|(&a, &b)| is_content(a, b))
        }),
    });
    let places: Vec<(String, char)> = (0..1 + random.below(4))
        .map(|_| random.below(64))
        .map(|i| (square(i), seen.board[i]))
        .collect();
    let words: Vec<String> = places
        .iter()
        .map(|(square, piece)| format!("{piece}{square}"))
        .collect();
    all.push(Asked {
        test: BoardTest::pieces(&words.join(" ")).unwrap(),
        what: words.join(" "),
        fits: Box::new(move |seen| {
            places
                .iter()
                .all(|(square, piece)| seen.at(square) == *piece)
        }),
    });
    let (white, black) = (seen.side(true), seen.side(false));
    if white.matches('K').count() == 1 && black.matches('K').count() == 1 {
        let colours = random.once_in(2);
        let text = if colours {
            format!("{white} {}", black.to_lowercase())
        } else {
            format!("{black}v{white}")
        };
        all.push(Asked {
            test: BoardTest::material(&text).unwrap(),
            what: text,
            fits: Box::new(move |seen| {
                let sides = (seen.side(true), seen.side(false));
                (sides.0 == white && sides.1 == black)
                    || !colours && sides.0 == black && sides.1 == white
            }),
        });
    }
    all
}

/// The first ply of a game at which so many positions in a row fit.
fn first(positions: &[Seen], window: &Window, fits: impl Fn(&Seen) -> bool) -> Option<u32> {
    let lasting = window.lasting as usize;
    let is_in = |ply: usize| window.plies.contains(&u32::try_from(ply).unwrap());
    let plies = 0..(positions.len() + 1).saturating_sub(lasting);
    let found = plies
        .into_iter()
        .find(|&ply| (ply..ply + lasting).all(|ply| is_in(ply) && fits(&positions[ply])));
    found.map(|ply| u32::try_from(ply).unwrap())
}

fn check(archive: &Archive, games: &[Vec<Seen>], random: &mut Random, rounds: usize) {
    for round in 0..rounds {
        let game = &games[random.below(games.len())];
        let seen = &game[random.below(game.len())];
        let asked = questions(seen, random);
        let from = u32::try_from(random.below(game.len())).unwrap();
        let window = match round % 3 {
            0 => Window::default(),
            1 => Window {
                plies: from..=from + 20,
                ..Window::default()
            },
            _ => Window {
                lasting: 1 + u32::try_from(random.below(4)).unwrap(),
                ..Window::default()
            },
        };
        let find = |clauses: Vec<Clause>| {
            let query = Query {
                all: clauses,
                window: window.clone(),
                ..Query::default()
            };
            let answer = archive.find(&query, 2).unwrap();
            answer
                .numbers()
                .zip(answer.plies.clone())
                .collect::<Vec<_>>()
        };
        let plainly = |fits: &dyn Fn(&Seen) -> bool| -> Vec<(u64, u32)> {
            let found = (1..)
                .zip(games)
                .filter_map(|(n, game)| Some((n, first(game, &window, fits)?)));
            found.collect()
        };
        let clause = |asked: &Asked| Clause::any(vec![Test::Position(asked.test.clone())]);
        for asked in &asked {
            let expected = plainly(&*asked.fits);
            assert_eq!(
                find(vec![clause(asked)]),
                expected,
                "{} {window:?}",
                asked.what
            );
            let none = Clause::none(vec![Test::Position(asked.test.clone())]);
            let query = Query {
                all: vec![none],
                window: window.clone(),
                ..Query::default()
            };
            let others = archive.find(&query, 1).unwrap().numbers().count();
            assert_eq!(others + expected.len(), games.len(), "not {}", asked.what);
        }
        // Two questions ask for one position.
        let (a, b) = (
            &asked[random.below(asked.len())],
            &asked[random.below(asked.len())],
        );
        let both = plainly(&|seen| (a.fits)(seen) && (b.fits)(seen));
        assert_eq!(
            find(vec![clause(a), clause(b)]),
            both,
            "{} and {}",
            a.what,
            b.what
        );
    }
}

/// Games that stay near each other: each move is one of the first few of the list.
fn random_games(random: &mut Random, games: usize) -> String {
    const STARTS: [(&str, &str); 7] = [
        ("", ""),
        ("", ""),
        ("", ""),
        ("", "4k3/PP6/8/8/3pP3/8/6pp/4K3 b - e3 0 30"),
        (
            "Chess960",
            "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
        ),
        ("Atomic", ""),
        ("Crazyhouse", ""),
    ];
    let mut pgn = String::new();
    for _ in 0..games {
        let (variant, fen) = random.pick(&STARTS);
        let rules = match variant {
            "Atomic" => Variant::Atomic,
            "Crazyhouse" => Variant::Crazyhouse,
            _ => Variant::Chess,
        };
        let mut position = VariantPosition::new(rules);
        let result = random.pick(&["1-0", "0-1", "1/2-1/2", "*"]);
        let _ = write!(
            pgn,
            "[White \"{}\"]\n[Black \"B\"]\n[Date \"{}.01.01\"]\n[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[Result \"{result}\"]\n",
            random.pick(&["Ada", "Bob", "Cyd"]),
            1900 + random.below(100),
            1000 + random.below(1800),
            random.pick(&["", "2200", "2300"])
        );
        if !variant.is_empty() {
            let _ = writeln!(pgn, "[Variant \"{variant}\"]");
        }
        if !fen.is_empty() {
            let _ = writeln!(pgn, "[SetUp \"1\"]\n[FEN \"{fen}\"]");
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            let mode = CastlingMode::from_chess960(variant == "Chess960");
            position = VariantPosition::from_setup(rules, setup, mode).unwrap();
        }
        pgn.push('\n');
        for _ in 0..random.below(60) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let few = if random.once_in(4) {
                moves.len()
            } else {
                moves.len().min(3)
            };
            let m = moves[random.below(few)];
            if position.turn() == Color::White {
                let _ = write!(pgn, "{}. ", position.fullmoves());
            }
            let _ = write!(pgn, "{} ", San::from_move(&position, m));
            position.play_unchecked(m);
            if random.once_in(20) {
                pgn.push_str("{a word} ");
            }
        }
        let _ = write!(pgn, "{result}\n\n");
    }
    pgn
}

/// An archive, with an index that has lines or without any index.
fn written(folder: &tempfile::TempDir, bytes: &[u8], with_lines: bool) -> Archive {
    let path = folder.path().join("x.pgc");
    std::fs::write(&path, bytes).unwrap();
    let beside = index_path(&path);
    if with_lines {
        let build = BuildOptions {
            memory: 1 << 20,
            temp_dir: folder.path().to_owned(),
            lines: true,
        };
        let mut out = std::fs::File::create(&beside).unwrap();
        let options = IndexOptions::new(build, 2);
        let mut archive = std::io::Cursor::new(bytes);
        pgc::index(&mut archive, &mut out, &options, &mut NoHooks).unwrap();
        map_index(&beside).unwrap().verify(1).unwrap();
    } else {
        let _ = std::fs::remove_file(&beside);
    }
    let archive = Archive::open(&path).unwrap();
    assert_eq!(archive.index().is_some(), with_lines);
    archive
}

fn all_positions(archive: &Archive) -> Vec<Vec<Seen>> {
    archive
        .games()
        .map(|game| positions(&game.unwrap()))
        .collect()
}

#[test]
fn positions_against_shakmaty() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..8 {
        let random = &mut Random::new(seed);
        let pgn = random_games(random, 120);
        let archive = match seed {
            0 | 1 => small_of(pgn.as_bytes(), false).unwrap(),
            // Two segments.
            2 | 3 => pgn_halves(&pgn).map(archive_of).concat(),
            _ => archive_of(pgn.as_bytes()),
        };
        let archive = written(&folder, &archive, seed % 2 == 0);
        let games = all_positions(&archive);
        assert_eq!(games.len(), 120);
        check(&archive, &games, random, 12);
    }
}

/// A block of the small form keeps the moves of four games together: those of games that begin
/// from the usual position and have no variations are read without the tags.
#[test]
fn usual_games_beside_others_in_small_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        let random = &mut Random::new(100 + seed);
        let pgn = random_games(random, 200);
        let is_usual = |game: &&str| !game.contains("[Variant") && !game.contains("[FEN");
        let games = pgn.replace("\n\n[White", "\n\n\0[White");
        let (usual, others): (Vec<&str>, Vec<&str>) = games.split('\0').partition(is_usual);
        assert!(usual.len() > 64 && others.len() > 64);
        // Runs of usual games, mixed ones, runs of others, and a few more usual ones.
        let (some, more) = usual.split_at(52);
        let (few, rest) = others.split_at(4);
        let mut pgn = [some, few, more, rest, &some[..10]].concat().concat();
        if seed > 0 {
            // A variation in a run of usual games, and a game that is text.
            pgn = pgn.replacen("e5 ", "e5 (1... a6) ", 1);
        }
        if seed > 1 {
            pgn.push_str("[White \"Ada\"]\n\n1. e4 e5 2. ??? what 3. Nf3 *\n\n");
        }
        let archive = small_of(pgn.as_bytes(), true).unwrap();
        let archive = written(&folder, &archive, true);
        let games = all_positions(&archive);
        assert_eq!(games.len(), 210 + usize::from(seed > 1));
        check(&archive, &games, random, 12);
    }
}

/// Two halves, between two games.
fn pgn_halves(pgn: &str) -> [&[u8]; 2] {
    let middle = pgn.len() / 2 + pgn[pgn.len() / 2..].find("\n\n[").unwrap() + 2;
    let (first, second) = pgn.split_at(middle);
    [first.as_bytes(), second.as_bytes()]
}

#[test]
fn lines_answer_without_reading_games() {
    let folder = tempfile::tempdir().unwrap();
    let game = |moves: &str| format!("[Result \"*\"]\n\n{moves} *\n\n");
    let lines = [
        "1. e4 e5 2. Nf3 Nc6",
        "1. e4 e5 2. f4 exf4",
        "1. d4 d5 2. c4 e6",
        "1. e4 c5 2. d4 cxd4",
    ];
    let pgn: String = (0..40).map(|i| game(lines[i % 4])).collect();
    for archive in [
        archive_of(pgn.as_bytes()),
        small_of(pgn.as_bytes(), false).unwrap(),
    ] {
        let archive = written(&folder, &archive, true);
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
        for (query, games, read) in [
            ("--moves '1.e4 e5'", 20, 0),
            ("--moves 1.e4 --moves '1.d4 d5 2.c4'", 40, 0),
            ("--not-moves 1.e4", 10, 0),
            (&format!("--fen '{fen}'"), 20, 0),
            (&format!("--not-fen '{fen}'"), 20, 0),
            // Behind the moves that the index keeps of 1.d4 d5 2.c4, the pawn may still go to e4.
            ("--pattern 'Pe4 pf4'", 10, 10),
            ("--ply 1..1 --pattern Pe4", 30, 0),
        ] {
            let answer = archive.find(&Query::parse(query).unwrap(), 1).unwrap();
            assert_eq!(
                (answer.found.games.len(), answer.scanned),
                (games, read),
                "{query}"
            );
        }
    }
}

/// Of the groups of lines (1,024 games each, by segment) whose games all begin alike, only the
/// beginning is looked at.
#[test]
fn many_games_that_begin_alike() {
    let folder = tempfile::tempdir().unwrap();
    let games = |moves: &str, count| format!("[Result \"*\"]\n\n{moves} *\n\n").repeat(count);
    let first = games("1. b3 e5", 3000) + &games("1. d4 d5", 1100) + &games("1. e4 e5", 2500);
    // Here 1.d4 follows in another segment, behind the 1.e4 of the first.
    let second = games("1. d4 Nf6", 5) + &games("1. e4 c5", 1030);
    let archive = [first, second].map(|pgn| archive_of(pgn.as_bytes()));
    for with_lines in [true, false] {
        let archive = written(&folder, &archive.concat(), with_lines);
        for (query, games) in [
            ("--moves 1.e4", 3530),
            ("--moves '1.e4 e5'", 2500),
            ("--moves 1.d4", 1105),
            ("--not-moves 1.b3", 4635),
            ("--pattern 'pe5 Pb3'", 3000),
            ("--pattern 'Pb2 Pe2 pc5'", 0),
            ("--ply 2.. --pattern 'Pb2 Pe2'", 1105),
        ] {
            let answer = archive.find(&Query::parse(query).unwrap(), 2).unwrap();
            assert_eq!(answer.found.games.len(), games, "{query} {with_lines}");
        }
    }
}

/// An alternative to a position that is out of reach after a move may need more moves.
#[test]
fn openings_beside_positions_in_small_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = "[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n".repeat(30);
    let archive = small_of(pgn.as_bytes(), false).unwrap();
    let tests = [("moves", "1.e4 e5 2.Nf3"), ("pattern", "Pe2 Pd4")];
    let query =
        Query::new().and_one_of(tests.map(|(name, value)| Test::parse(name, value).unwrap()));
    let answer = written(&folder, &archive, false).find(&query, 1).unwrap();
    assert_eq!(answer.found.games.len(), 30);
}

/// A game of which no move can be read has its start position, with lines or without.
#[test]
fn start_positions_of_games_without_legal_moves() {
    let folder = tempfile::tempdir().unwrap();
    let mut pgn = "[Result \"*\"]\n\n1. e4 e5 *\n\n".repeat(30);
    pgn += "[Result \"*\"]\n\n1. Zz9 *\n\n";
    pgn += "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n[Result \"*\"]\n\n1. Zz9 *\n\n";
    for with_lines in [true, false] {
        let archive = written(&folder, &archive_of(pgn.as_bytes()), with_lines);
        for (query, games) in [
            ("--fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 31),
            ("--fen 4k3/8/8/8/8/8/4P3/4K3", 1),
            ("--not-material 'KP K'", 31),
        ] {
            let answer = archive.find(&Query::parse(query).unwrap(), 1).unwrap();
            assert_eq!(answer.found.games.len(), games, "{query} {with_lines}");
        }
    }
}

/// The reference knows four kinds of rules, and none for a game kept as text.
fn is_known(game: &Game) -> bool {
    matches!(
        game.tag("Variant"),
        None | Some("Atomic" | "Crazyhouse" | "Chess960" | "Standard" | "chess")
    ) && game.wholeness == pgc_pgn::game::Wholeness::Whole
}

#[test]
fn positions_of_real_games() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random::new(17);
    let (files, mut asked) = (corpus(), 0);
    for file in &files {
        let is_small = std::fs::metadata(file).unwrap().len() < 300_000;
        if !is_small || file.extension().is_none_or(|ending| ending != "pgn") {
            continue;
        }
        let archive = archive_of(&std::fs::read(file).unwrap());
        let archive = written(&folder, &archive, random.once_in(2));
        let games: Vec<Game> = archive.games().map(|game| game.unwrap()).collect();
        if games.is_empty() || !games.iter().all(is_known) {
            continue;
        }
        let games: Vec<Vec<Seen>> = games.iter().map(positions).collect();
        check(&archive, &games, random, 2);
        asked += games.len();
    }
    assert!(files.is_empty() || asked > 1000, "{asked}");
}

/// Counts of a move: games, White's wins, draws, Black's wins.
type Counts = [u64; 4];

/// The moves from the first position that fits, two plies deep, as `e4` and `e4 e5`.
fn tree_plainly(games: &[Game], fits: impl Fn(&Seen) -> bool) -> BTreeMap<String, Counts> {
    let mut tree: BTreeMap<String, Counts> = BTreeMap::new();
    for game in games {
        let Some(ply) = positions(game).iter().position(&fits) else {
            continue;
        };
        let result = match game.tag("Result") {
            Some("1-0") => 1,
            Some("1/2-1/2") => 2,
            Some("0-1") => 3,
            _ => 0,
        };
        let sans: Vec<&str> = game.moves[ply..]
            .iter()
            .map(|m| m.san.trim_end_matches(['+', '#']))
            .collect();
        for depth in 1..=2.min(sans.len()) {
            let counts = tree.entry(sans[..depth].join(" ")).or_default();
            counts[0] += 1;
            if result > 0 {
                counts[result] += 1;
            }
        }
    }
    tree
}

fn flattened(node: &TreeNode, path: &str, out: &mut BTreeMap<String, Counts>) {
    for (san, child) in &node.next {
        let san = String::from_utf8_lossy(san.as_bytes());
        let path = if path.is_empty() {
            san.into_owned()
        } else {
            format!("{path} {san}")
        };
        let [white, draws, black] = child.results();
        out.insert(path.clone(), [child.games(), white, draws, black]);
        flattened(child, &path, out);
    }
}

#[test]
fn trees_against_shakmaty() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random::new(5);
    let bytes = archive_of(random_games(random, 400).as_bytes());
    for round in 0..24 {
        let archive = written(&folder, &bytes, round % 2 == 0);
        let games: Vec<Game> = archive.games().map(|game| game.unwrap()).collect();
        let game = positions(&games[random.below(games.len())]);
        let wanted = game[random.below(game.len().min(4))].clone();
        let fen = wanted.fen.clone();
        let query = Query::new().and(Test::Position(BoardTest::fen(&fen).unwrap()));
        let answer = archive.find(&query, 0).unwrap();
        let (mut tree, mut found) = (TreeNode::default(), BTreeMap::new());
        let (position, is_mixed) = archive.add_to_tree(&mut tree, &answer, (2, 3), 0).unwrap();
        assert!(!is_mixed);
        let position = position.unwrap();
        assert_eq!(
            position.fen().split([' ', '[']).next(),
            fen.split([' ', '[']).next()
        );
        flattened(&tree, "", &mut found);
        let same = |seen: &Seen| seen.is_same(&wanted);
        assert_eq!(found, tree_plainly(&games, same), "{fen}");
    }
}

/// A game of [`trees_of_many_games_that_begin_alike`]; 0 is an unknown rating or year.
struct Plain {
    moves: Vec<&'static str>,
    result: usize,
    elo: [u32; 2],
    year: u16,
    players: [usize; 2],
}

/// What a tree says of a move: games and results, the rating of those who made it, the years.
type Fared = (Counts, Option<u64>, Option<(u16, u16)>);

/// The moves behind the position before the ply that `begins` says, and who made the first ones.
fn fared(
    games: &[Plain],
    begins: impl Fn(&Plain) -> Option<usize>,
    depth: usize,
) -> (BTreeMap<String, Fared>, BTreeMap<(String, usize), u64>) {
    let mut games_of: BTreeMap<String, Vec<(&Plain, usize)>> = BTreeMap::new();
    let mut makers = BTreeMap::new();
    for game in games {
        let Some(ply) = begins(game) else { continue };
        let moves = &game.moves[ply..];
        for depth in 1..=depth.min(moves.len()) {
            let side = (ply + depth - 1) % 2;
            let path = moves[..depth].join(" ");
            games_of.entry(path.clone()).or_default().push((game, side));
            if depth == 1 {
                *makers.entry((path, game.players[side])).or_default() += 1;
            }
        }
    }
    let sum = |games: &Vec<(&Plain, usize)>| {
        let mut counts = [games.len() as u64, 0, 0, 0];
        for (game, _) in games.iter().filter(|(game, _)| game.result > 0) {
            counts[game.result] += 1;
        }
        let ratings = games.iter().map(|(game, side)| u64::from(game.elo[*side]));
        let ratings: Vec<u64> = ratings.filter(|&elo| elo > 0).collect();
        let (sum, count) = (ratings.iter().sum::<u64>(), ratings.len() as u64);
        let years = games.iter().map(|(game, _)| game.year).filter(|&y| y > 0);
        let years = years.clone().min().zip(years.max());
        (counts, (2 * sum + count).checked_div(2 * count), years)
    };
    let fared = games_of.iter().map(|(path, of)| (path.clone(), sum(of)));
    (fared.collect(), makers)
}

fn tree_fared(node: &TreeNode, path: &str, out: &mut BTreeMap<String, Fared>) {
    for (san, child) in &node.next {
        let path = format!("{path} {}", san.as_str()).trim().to_owned();
        let [white, draws, black] = child.results();
        let counts = [child.games(), white, draws, black];
        out.insert(path.clone(), (counts, child.rating(), child.years));
        tree_fared(child, &path, out);
    }
}

/// Where all games of a group of lines (1,024 games) begin alike, a tree counts the group at once;
/// here most groups do, in two segments. A position comes after two plies or after four.
#[test]
fn trees_of_many_games_that_begin_alike() {
    const LINES: [&str; 8] = [
        "1. e4 e5 2. Nf3",
        "1. e4 e5 2. Nf3",
        "1. e4 e5 2. f4",
        "1. e4 c5 2. Nf3",
        "1. d4 d5 2. c4",
        "1. d4 d5 2. c4",
        "1. e3 e6 2. e4 e5 3. Nc3",
        "1. Nf3",
    ];
    let random = &mut Random::new(52);
    let (mut games, mut pgn) = (Vec::new(), [String::new(), String::new()]);
    for i in 0..9000 {
        let (line, last) = (LINES[random.below(8)], ["a6", "b6", "h6"][random.below(3)]);
        let moves = line.split(' ').filter(|word| !word.ends_with('.'));
        let result = random.below(4);
        let [white, black] = [0; 2].map(|_| u32::try_from(random.below(500)).unwrap());
        let game = Plain {
            moves: moves.chain([last]).collect(),
            result,
            elo: [white, black].map(|elo| if elo < 100 { 0 } else { 2000 + elo }),
            year: [0, 1960, 1961, 2024][random.below(4)],
            players: [random.below(9), 9 + random.below(300)],
        };
        let marker = ["*", "1-0", "1/2-1/2", "0-1"][result];
        let pgn = &mut pgn[usize::from(i >= 6000)];
        for (name, elo) in ["WhiteElo", "BlackElo"].iter().zip(game.elo) {
            if elo > 0 {
                let _ = writeln!(pgn, "[{name} \"{elo}\"]");
            }
        }
        if game.year > 0 {
            let _ = writeln!(pgn, "[Date \"{}.02.03\"]", game.year);
        }
        let [white, black] = game.players;
        let _ = write!(
            pgn,
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{marker}\"]\n\n{line} {last} {marker}\n\n"
        );
        games.push(game);
    }
    let bytes = pgn.map(|pgn| archive_of(pgn.as_bytes())).concat();
    let folder = tempfile::tempdir().unwrap();
    let open_game = |game: &Plain| match game.moves.as_slice() {
        ["e4", "e5", ..] => Some(2),
        ["e3", "e6", "e4", "e5", ..] => Some(4),
        _ => None,
    };
    let start = |_: &Plain| Some(0);
    let strong = |game: &Plain| (game.elo[0] >= 2250).then_some(0);
    let fen = "--fen 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -'";
    type Begins<'a> = &'a dyn Fn(&Plain) -> Option<usize>;
    let questions: [(&str, Begins<'_>); 3] = [
        ("", &start),
        ("--white-elo 2250..", &strong),
        (fen, &open_game),
    ];
    for with_lines in [true, false] {
        let archive = written(&folder, &bytes, with_lines);
        for (query, begins) in questions {
            for (depth, threads) in [(1, 1), (1, 2), (2, 2), (9, 1)] {
                let answer = archive
                    .find(&Query::parse(query).unwrap(), threads)
                    .unwrap();
                let (mut tree, mut found) = (TreeNode::default(), BTreeMap::new());
                let asked = (depth, 1000);
                archive
                    .add_to_tree(&mut tree, &answer, asked, threads)
                    .unwrap();
                tree_fared(&tree, "", &mut found);
                let (expected, makers) = fared(&games, begins, depth);
                assert_eq!(found, expected, "{query} {depth} {threads} {with_lines}");
                let named = tree.next.iter().flat_map(|(san, node)| {
                    let players = node.players.iter();
                    players.map(|(name, &games)| {
                        ((san.as_str().to_owned(), name.parse().unwrap()), games)
                    })
                });
                assert_eq!(named.collect::<BTreeMap<_, _>>(), makers, "{query}");
            }
        }
    }
}

/// Known ratings: 8 of 10 points against 2000 on the average is 1.386 / ln 10 * 400 = 241 more.
#[test]
fn scores_and_performances() {
    let mut pgn = String::new();
    for i in 0..10 {
        let result = if i < 8 { "1-0" } else { "0-1" };
        let (elo, year) = (1900 + 200 * (i % 2), 1990 + i);
        let _ = write!(
            pgn,
            "[White \"Ada\"]\n[Date \"{year}.01.01\"]\n[Result \"{result}\"]\n[WhiteElo \"2100\"]\n[BlackElo \"{elo}\"]\n\n1. e4 e5 {result}\n\n"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let archive = written(&folder, &archive_of(pgn.as_bytes()), true);
    let answer = archive.find(&Query::new(), 0).unwrap();
    let mut tree = TreeNode::default();
    archive.add_to_tree(&mut tree, &answer, (9, 3), 0).unwrap();
    let (_, e4) = tree.next.first_key_value().unwrap();
    assert_eq!(
        (e4.games(), e4.results(), e4.years),
        (10, [8, 0, 2], Some((1990, 1999)))
    );
    assert_eq!(
        (e4.rating(), e4.performance(0), e4.performance(1)),
        (Some(2100), Some(2241), Some(1859))
    );
    assert_eq!(e4.players["Ada"], 10);
    let (_, e5) = e4.next.first_key_value().unwrap();
    // Black scored 2 of 10 against 2100. The ratings are those of the players who moved.
    assert_eq!(
        (e5.rating(), e5.performance(0), e5.performance(1)),
        (Some(2000), Some(2241), Some(1859))
    );
    let scores = [e5.score(0).unwrap(), e5.score(1).unwrap()];
    assert!((scores[0] - 0.8).abs() < 1e-9 && (scores[1] - 0.2).abs() < 1e-9);
    assert!(e5.players.is_empty());
}

/// An entry of a book: key, squares and promotion, weight.
fn entries(book: &[u8]) -> Vec<(u64, u16, u16)> {
    let number = |bytes: &[u8]| bytes.iter().fold(0_u64, |n, &b| n << 8 | u64::from(b));
    let entry = |e: &[u8]| {
        (
            number(&e[..8]),
            u16::try_from(number(&e[8..10])).unwrap(),
            u16::try_from(number(&e[10..12])).unwrap(),
        )
    };
    book.chunks(16).map(entry).collect()
}

#[test]
fn books_of_polyglot() {
    let game = |moves: &str, result: &str| format!("[Result \"{result}\"]\n\n{moves} {result}\n\n");
    let pgn = [
        game("1. e4 e5", "1-0"),
        game("1. e4 d5", "1/2-1/2"),
        game("1. d4 d5 2. e4", "0-1"),
        game("1. e4 d5 2. d4", "0-1"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let archive = written(&folder, &archive_of(pgn.concat().as_bytes()), true);
    let answer = archive.find(&Query::new(), 0).unwrap();
    let mut book = Book::default();
    archive.add_to_book(&mut book, &answer, 3, 0).unwrap();
    let square = |name: &str| u16::from(u8::from(name.parse::<Square>().unwrap()));
    let number = |from: &str, to: &str| square(from) << 6 | square(to);
    let found = entries(&book.bytes(1));
    let at = |key: u64| -> Vec<(u16, u16)> {
        let of_key = found.iter().filter(|entry| entry.0 == key);
        of_key.map(|entry| (entry.1, entry.2)).collect()
    };
    // The keys of the start position and of the one after 1. e4 stand in PolyGlot's description.
    assert_eq!(at(0x463b_9618_1691_fc9c), [(number("e2", "e4"), 3)]);
    assert_eq!(at(0x823c_9b50_fd11_4196), [(number("d7", "d5"), 3)]);
    assert!(found.is_sorted_by_key(|entry| entry.0));
    assert!(book.bytes(4).is_empty());
}
