//! Games as JSON.

use std::io::{self, Write};
use std::path::Path;

use pgc::Game;
use pgc::movetext::{Evaluation, PlayedMove};
use pgc_chess::NamedOpening;
use pgc_pgn::nag::nag_name;
use serde_json::{Map, Value, json};

use super::output::harmless_json;

/// Writes a game as a JSON object, without making one in memory: a few bytes of an archive can hold
/// a million glyphs. If several tags share a name, `tags` has the first of them and `repeated_tags`
/// the others.
pub(super) fn put_json(out: &mut dyn Write, path: &Path, game: &Game) -> io::Result<()> {
    let mut tags = Map::new();
    let mut more = Vec::new();
    for (name, value) in &game.tags {
        if tags.contains_key(name) {
            more.push(json!([name, value]));
        } else {
            tags.insert(name.clone(), json!(value));
        }
    }
    let opening = game
        .opening()
        .map(|NamedOpening { eco, name, ply, .. }| json!({ "eco": eco, "name": name, "ply": ply }));
    // In the order of their names, as serde_json has them.
    let mut object = JsonObject::begin(out)?;
    let address = format!("{}:{}", path.display(), game.number);
    object.put("address", json!(address))?;
    object.put("archive", json!(path.display().to_string()))?;
    object.list("comments", &game.comments, put_text)?;
    object.field("moves")?;
    put_list(object.out, &game.moves, put_move)?;
    object.list("nags", &game.nags, put_nag)?;
    object.put("number", json!(game.number))?;
    object.some("opening", opening)?;
    object.some("repeated_tags", Some(more).filter(|more| !more.is_empty()))?;
    object.some("start", game.start.as_deref())?;
    object.put("tags", tags.into())?;
    let termination = game.termination.map(|termination| termination.as_str());
    object.put("termination", json!(termination))?;
    object.some("text", game.tail.as_deref())?;
    object.put("wholeness", json!(game.wholeness.name()))?;
    object.end()
}

/// A game as a JSON value, for a caller that adds to it; `None` if it cannot be made.
#[cfg(feature = "serve")]
pub(super) fn as_json(path: &Path, game: &Game) -> Option<Value> {
    let mut text = Vec::new();
    put_json(&mut text, path, game).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Writes a move as a JSON object, without empty fields.
fn put_move(out: &mut dyn Write, played: &PlayedMove) -> io::Result<()> {
    let (pawns, mate) = match played.evaluation() {
        Some(Evaluation::Pawns(pawns)) => (Some(pawns), None),
        Some(Evaluation::Mate(moves)) => (None, Some(moves)),
        None => (None, None),
    };
    let mut object = JsonObject::begin(out)?;
    object.list("before", &played.before, put_text)?;
    object.some("clock", played.clock())?;
    object.list("comments", &played.comments, put_text)?;
    object.some("depth", played.depth())?;
    object.some("elapsed", played.elapsed())?;
    object.some("eval", pawns)?;
    object.some("mate", mate)?;
    object.list("nags", &played.nags, put_nag)?;
    object.list("nags_before", &played.nags_before, put_nag)?;
    object.put("san", json!(played.san))?;
    object.put("uci", json!(played.uci))?;
    object.list("variations", &played.variations, |out, line| {
        put_list(out, line, put_move)
    })?;
    object.end()
}

fn put_text(out: &mut dyn Write, text: &String) -> io::Result<()> {
    out.write_all(harmless_json(&json!(text)).as_bytes())
}

/// Writes a glyph with its number and its name.
fn put_nag(out: &mut dyn Write, nag: &u32) -> io::Result<()> {
    write!(out, "{}", json!({ "nag": nag, "name": nag_name(*nag) }))
}

fn put_list<T>(
    out: &mut dyn Write,
    list: &[T],
    each: impl Fn(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    let mut before = "[";
    for item in list {
        out.write_all(before.as_bytes())?;
        each(out, item)?;
        before = ",";
    }
    out.write_all(if list.is_empty() { b"[]" } else { b"]" })
}

/// A JSON object that is being written.
struct JsonObject<'o> {
    out: &'o mut dyn Write,
    is_empty: bool,
}

impl<'o> JsonObject<'o> {
    fn begin(out: &'o mut dyn Write) -> io::Result<JsonObject<'o>> {
        out.write_all(b"{")?;
        let is_empty = true;
        Ok(JsonObject { out, is_empty })
    }

    fn field(&mut self, name: &str) -> io::Result<()> {
        let comma = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        write!(self.out, "{comma}\"{name}\":")
    }

    fn put(&mut self, name: &str, value: Value) -> io::Result<()> {
        self.field(name)?;
        self.out.write_all(harmless_json(&value).as_bytes())
    }

    /// Leaves the field out if there is no value.
    fn some(&mut self, name: &str, value: Option<impl Into<Value>>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.put(name, value.into()))
    }

    /// Leaves an empty list out.
    fn list<T>(
        &mut self,
        name: &str,
        list: &[T],
        each: impl Fn(&mut dyn Write, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        self.field(name)?;
        put_list(self.out, list, each)
    }

    fn end(self) -> io::Result<()> {
        self.out.write_all(b"}")
    }
}
