//! A game as JSON.

use std::path::Path;

use pgc::Game;
use pgc::internals::archive::{Evaluation, PlayedMove};
use pgc::internals::chess::NamedOpening;
use pgc::internals::pgn::{Wholeness, nag_name};
use serde_json::{Map, Value, json};

/// A game as a JSON object. If several tags share a name, `tags` has the first of them and
/// `repeated_tags` the others.
pub(super) fn as_json(path: &Path, game: &Game) -> Value {
    let mut tags = Map::new();
    let mut more = Vec::new();
    for (name, value) in &game.tags {
        if tags.contains_key(name) {
            more.push(json!([name, value]));
        } else {
            tags.insert(name.clone(), json!(value));
        }
    }
    let mut object = json!({
        "address": format!("{}:{}", path.display(), game.number),
        "archive": path.display().to_string(),
        "number": game.number,
        "tags": tags,
        "moves": game.moves.iter().map(move_json).collect::<Vec<_>>(),
        "termination": game.termination.map(|termination| termination.as_str()),
        "wholeness": wholeness(game),
    });
    if let Value::Object(fields) = &mut object {
        if !more.is_empty() {
            fields.insert("repeated_tags".into(), json!(more));
        }
        if !game.comments.is_empty() {
            fields.insert("comments".into(), json!(game.comments));
        }
        if !game.nags.is_empty() {
            fields.insert("nags".into(), nags_json(&game.nags));
        }
        if let Some(start) = &game.start {
            fields.insert("start".into(), json!(start));
        }
        if let Some(NamedOpening { eco, name, ply, .. }) = game.opening() {
            let opening = json!({ "eco": eco, "name": name, "ply": ply });
            fields.insert("opening".into(), opening);
        }
        if let Some(tail) = &game.tail {
            fields.insert("text".into(), json!(tail));
        }
    }
    object
}

/// A move as a JSON object, without empty fields.
fn move_json(played: &PlayedMove) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    put("san", json!(played.san));
    put("uci", json!(played.uci));
    if !played.nags.is_empty() {
        put("nags", nags_json(&played.nags));
    }
    if !played.nags_before.is_empty() {
        put("nags_before", nags_json(&played.nags_before));
    }
    if !played.before.is_empty() {
        put("before", json!(played.before));
    }
    if !played.comments.is_empty() {
        put("comments", json!(played.comments));
    }
    if let Some(seconds) = played.clock() {
        put("clock", json!(seconds));
    }
    if let Some(seconds) = played.elapsed() {
        put("elapsed", json!(seconds));
    }
    match played.evaluation() {
        Some(Evaluation::Pawns(pawns)) => put("eval", json!(pawns)),
        Some(Evaluation::Mate(moves)) => put("mate", json!(moves)),
        None => {}
    }
    if !played.variations.is_empty() {
        let line = |line: &Vec<PlayedMove>| line.iter().map(move_json).collect::<Value>();
        put("variations", played.variations.iter().map(line).collect());
    }
    Value::Object(fields)
}

/// NAGs, each with its number and its name.
fn nags_json(nags: &[u32]) -> Value {
    let named = |&nag: &u32| json!({ "nag": nag, "name": nag_name(nag) });
    nags.iter().map(named).collect()
}

fn wholeness(game: &Game) -> &'static str {
    match game.wholeness {
        Wholeness::Whole => "whole",
        Wholeness::Tail => "text tail",
        Wholeness::TextOnly => "text only",
    }
}
