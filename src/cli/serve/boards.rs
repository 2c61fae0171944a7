//! Positions after each move, so that the page need not know the rules of chess.

use pgc::{Game, parts::PlayedMove};
use pgc_chess::{Check, Move, Position, Rules};
use serde_json::{Value, json};

/// The most moves of a line that are played.
const MAX_LINE: usize = 500;

/// The number of moves, those of variations included.
pub(super) fn count(moves: &[PlayedMove]) -> usize {
    let variations = moves.iter().flat_map(|played| &played.variations);
    variations.fold(moves.len(), |sum, line| sum + count(line))
}

/// The position of a FEN, by the rules that a Variant tag names.
pub(super) fn start(variant: &str, fen: Option<&str>) -> Result<Position, String> {
    let rules = Rules::from_variant_tag(variant.as_bytes());
    let rules = rules.ok_or_else(|| format!("{variant}: pgc does not know these rules"))?;
    Position::start(rules, fen.map(str::as_bytes)).map_err(|error| error.to_string())
}

/// Adds to a game as JSON the start position, and to each move the position after it, as FEN.
pub(super) fn add(object: &mut Value, game: &Game) {
    // There is no board if pgc does not understand the FEN tag; the usual start would be wrong.
    let Some(board) = game.board(0) else {
        return;
    };
    let variant = game.tag("Variant").unwrap_or_default();
    let Ok(position) = start(variant, Some(&board.fen)) else {
        return;
    };
    object["fen"] = json!(position.fen());
    object["ply"] = json!(position.num());
    line(&mut object["moves"], &game.moves, position);
}

/// Adds to the moves of a tree the position after each, and the moves in UCI notation.
pub(super) fn add_to_tree(moves: &mut Value, position: &Position) {
    for object in moves.as_array_mut().into_iter().flatten() {
        let san = object["san"].as_str().unwrap_or_default();
        if let Some((uci, fen)) = play(&mut position.clone(), san) {
            object["uci"] = json!(uci);
            object["fen"] = json!(fen);
        }
    }
}

/// The moves of a line from a position, as many as are legal, with the position after each.
pub(super) fn played(mut position: Position, moves: &str) -> Vec<Value> {
    let moves = moves.split_whitespace().take(MAX_LINE);
    let played = moves.map_while(|san| {
        let (uci, fen) = play(&mut position, san)?;
        Some(json!({ "san": san, "uci": uci, "fen": fen }))
    });
    played.collect()
}

/// A position as the page plays on from it: its FEN, each legal move with the position after it, and
/// whether the side to move is in check.
pub(super) fn playable(position: &Position) -> Value {
    let moves = (0..=u8::MAX).map_while(|ordinal| {
        let mut after = position.clone();
        Some(play_move(&mut after, position.select(ordinal)?))
    });
    json!({
        "fen": position.fen(),
        "ply": position.num(),
        "check": position.check() != Check::None,
        "legal": moves.collect::<Value>(),
    })
}

/// Plays a move; returns it in SAN, with its check mark, and in UCI notation, with the position after
/// it.
fn play_move(position: &mut Position, m: Move) -> Value {
    let (uci, san) = (position.uci(m), position.play_san(m));
    json!({ "san": san.as_str(), "uci": uci.as_str(), "fen": position.fen() })
}

/// The moves of a line in UCI notation, as many as are legal.
pub(super) fn played_uci(mut position: Position, moves: &[String]) -> Value {
    let played = moves.iter().map_while(|uci| {
        let mut legal = (0..=u8::MAX).map_while(|ordinal| position.select(ordinal));
        let m = legal.find(|&m| position.uci(m) == uci.as_str())?;
        Some(play_move(&mut position, m))
    });
    played.collect()
}

/// Plays a move; returns it in UCI notation, and the position after it.
fn play(position: &mut Position, san: &str) -> Option<(String, String)> {
    if san == "--" {
        return position.pass().then(|| ("0000".to_owned(), position.fen()));
    }
    let m = position.resolve(san.as_bytes()).ok()?.m;
    let uci = position.uci(m);
    position.play(m);
    Some((uci.to_string(), position.fen()))
}

fn line(objects: &mut Value, moves: &[PlayedMove], mut position: Position) {
    let objects = objects.as_array_mut().into_iter().flatten();
    for (object, played) in objects.zip(moves) {
        let variations = object.get_mut("variations").and_then(Value::as_array_mut);
        for (variation, moves) in variations.into_iter().flatten().zip(&played.variations) {
            line(variation, moves, position.clone());
        }
        let Some((_, fen)) = play(&mut position, &played.san) else {
            return;
        };
        object["fen"] = json!(fen);
    }
}
