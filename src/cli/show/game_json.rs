//! Games as JSON.

use std::path::Path;

use pgc::Game;
use pgc::movetext::{Evaluation, PlayedMove};
use pgc_chess::Rules;
use pgc_index::rules_word;
use pgc_pgn::nag::nag_name;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, json};

/// A game as a JSON object. If several tags share a name, `tags` has the last of them and
/// `repeated_tags` the others. Comments, moves and glyphs become JSON only while they are written: a
/// few bytes of an archive can hold a million glyphs.
pub(crate) struct GameJson<'g>(pub(crate) &'g Path, pub(crate) &'g Game);

impl Serialize for GameJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let GameJson(path, game) = self;
        let (mut tags, mut more) = (Map::new(), Vec::new());
        for (name, value) in &game.tags {
            if let Some(before) = tags.insert(name.clone(), json!(value)) {
                more.push(json!([name, before]));
            }
        }
        let opening = game.opening();
        let opening = opening.map(|o| json!({ "eco": o.eco, "name": o.name, "ply": o.ply }));
        // In the order of their names, as serde_json has them.
        let mut map = Fields(serializer.serialize_map(None)?);
        map.put("address", format!("{}:{}", path.display(), game.number))?;
        map.put("archive", path.display().to_string())?;
        map.list("comments", &game.comments, String::as_str)?;
        map.put("moves", Each(&game.moves, MoveJson))?;
        map.list("nags", &game.nags, NagJson::new)?;
        map.put("number", game.number)?;
        map.some("opening", opening)?;
        map.some("repeated_tags", Some(more).filter(|more| !more.is_empty()))?;
        map.some("start", game.start.as_ref())?;
        map.put("tags", tags)?;
        map.put("termination", game.termination.map(|end| end.as_str()))?;
        map.some("text", game.tail.as_ref())?;
        let rules = game.tag("Variant").map_or(Some(Rules::Chess), |variant| {
            Rules::from_variant_tag(variant.as_bytes())
        });
        map.put("variant", rules_word(rules))?;
        map.put("wholeness", game.wholeness.name())?;
        map.0.end()
    }
}

/// A move, without empty fields.
struct MoveJson<'g>(&'g PlayedMove);

impl Serialize for MoveJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let played = self.0;
        let evaluation = played.evaluation();
        let mate = match evaluation {
            Some(Evaluation::Mate(moves)) => Some(moves),
            _ => None,
        };
        let mut map = Fields(serializer.serialize_map(None)?);
        map.list("before", &played.before, String::as_str)?;
        map.some("clock", played.clock())?;
        map.list("comments", &played.comments, String::as_str)?;
        map.some("depth", played.depth())?;
        map.some("elapsed", played.elapsed())?;
        map.some("eval", evaluation.and_then(Evaluation::centipawns))?;
        map.some("mate", mate)?;
        map.list("nags", &played.nags, NagJson::new)?;
        map.list("nags_before", &played.nags_before, NagJson::new)?;
        map.put("san", played.san.as_str())?;
        map.put("uci", played.uci.as_str())?;
        map.list("variations", &played.variations, |line| {
            Each(line, MoveJson)
        })?;
        map.0.end()
    }
}

/// A glyph with its number and its name.
#[derive(serde::Serialize)]
struct NagJson {
    nag: u32,
    name: Option<&'static str>,
}

impl NagJson {
    fn new(&nag: &u32) -> NagJson {
        let name = nag_name(nag);
        NagJson { nag, name }
    }
}

/// A list, of which each item is written as the function makes it.
struct Each<'g, T, J>(&'g [T], fn(&'g T) -> J);

impl<T, J: Serialize> Serialize for Each<'_, T, J> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

/// The fields of an object that is being written.
struct Fields<M>(M);

impl<M: SerializeMap> Fields<M> {
    fn put(&mut self, name: &str, value: impl Serialize) -> Result<(), M::Error> {
        self.0.serialize_entry(name, &value)
    }

    /// Leaves the field out if there is no value.
    fn some(&mut self, name: &str, value: Option<impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.put(name, value))
    }

    /// Leaves an empty list out.
    fn list<'g, T, J: Serialize>(
        &mut self,
        name: &str,
        list: &'g [T],
        each: fn(&'g T) -> J,
    ) -> Result<(), M::Error> {
        self.some(name, Some(Each(list, each)).filter(|_| !list.is_empty()))
    }
}
