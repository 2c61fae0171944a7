//! Answers the requests of the page with JSON, as `pgc find`, `names`, `get`, `tree`, `stats` and
//! `table` print it, with positions added.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use pgc::ask::name_list::{NameList, NameListOptions};
use pgc::ask::order::SortKey;
use pgc::ask::stats::PlayerStats;
use pgc::standings::{EventGames, StandingsOptions};
use pgc::{Archive, Game, NoHooks, PackOptions, Query, pack};
use pgc_chess::Position;
use pgc_index::{JoinOption, NameField, NamePattern, OPTIONS, QueryOption};
use serde_json::{Map, Value, json};

use super::answers::{FoundGames, KeptAnswers};
use super::boards;
use super::engine::Engine;
use super::notebook;
use super::save::{self, SavedGames};
use super::shelf::{Edition, Served, Shelf};
use crate::commands::stats::CountedPlayer;
use crate::commands::table::notes as notes_on;
use crate::commands::tree::{GrownTree, PLAYERS_EACH, ShownTree, from_a_position};
use crate::failure::{WithName, false_index};
use crate::files::copies::CopyCount;
use crate::show::columns::{self, GameColumn, GameLine};
use crate::show::game_json::GameJson;
use crate::show::output::{harmless_json, shown, text_of};

/// The number of games in an answer: the most, and the default.
const ROWS: usize = 500;
const USUAL_ROWS: usize = 100;

/// The most names of a list.
const NAMES: u64 = 100;

/// The most moves of a tree, the most openings and opponents of a player, and the most players of
/// standings.
const LONG: usize = 100;

/// The most moves, elements (moves, comments, glyphs and the like), and bytes of text, of a game
/// that the page shows.
const MOVES: usize = 20_000;
const ELEMS: usize = 50_000;
const TEXT: usize = 4 << 20;

/// The columns of the table.
const COLUMNS: &str =
    "number date white white_elo black black_elo result eco plies ply event round";

/// The parameters that are no questions about games.
pub(super) const OTHERS: &str =
    "query offset limit sort reverse at rules unique all_names task format open";

/// Why there is no answer.
enum Refusal {
    /// The question is wrong.
    Wrong(String),
    /// The game, archive or request does not exist.
    Absent(String),
    /// The archives have changed since the search: the number of the current edition.
    Changed(u64),
    /// Finding the answer failed.
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Refusal {
    fn from(error: E) -> Refusal {
        Refusal::Failed(error.into())
    }
}

fn wrong(why: impl ToString) -> Refusal {
    Refusal::Wrong(why.to_string())
}

impl Refusal {
    /// The HTTP status of the refusal, and the reason as JSON.
    fn reply(self) -> (u16, String) {
        let (status, answer) = match self {
            Refusal::Wrong(why) => (400, json!({ "error": why })),
            Refusal::Absent(why) => (404, json!({ "error": why })),
            Refusal::Changed(edition) => (
                409,
                json!({ "error": "an archive has changed; search again", "edition": edition }),
            ),
            Refusal::Failed(error) => (500, json!({ "error": format!("{error:#}") })),
        };
        (status, harmless_json(&answer))
    }
}

pub(super) struct Api {
    shelf: Shelf,
    answers: KeptAnswers,
    engine: Option<Engine>,
    /// The archive to which the page may add games: the last one.
    notebook: Option<PathBuf>,
}

impl Api {
    pub(super) fn new(shelf: Shelf, engine: Option<Engine>, notebook: Option<PathBuf>) -> Api {
        Api {
            shelf,
            answers: KeptAnswers::default(),
            engine,
            notebook,
        }
    }

    /// The answer to a question, with its HTTP status. `body` is the text that came with it.
    pub(super) fn answer(&self, question: &str, asked: &str, body: &[u8]) -> (u16, String) {
        let asked = QuestionParameters::parse(asked);
        let answered = || self.answered(question, &asked, body);
        // An index that turned out to be false is not used any more.
        let answer = match answered() {
            Err(Refusal::Failed(error)) if false_index(&error).is_some() => answered(),
            done => done,
        };
        match answer {
            Ok(answer) => (200, harmless_json(&answer)),
            Err(refusal) => refusal.reply(),
        }
    }

    /// The games of a search in a file of its own, or why not.
    pub(super) fn saved(&self, asked: &str) -> Result<SavedGames, (u16, String)> {
        let asked = QuestionParameters::parse(asked);
        let edition = self.shelf.edition();
        let line = asked.command_line().map_err(Refusal::reply)?;
        let saved = save::save(&self.shelf, &edition, &line, &asked);
        saved.map_err(|error| wrong(format!("{error:#}")).reply())
    }

    fn answered(
        &self,
        question: &str,
        asked: &QuestionParameters,
        body: &[u8],
    ) -> Result<Value, Refusal> {
        let edition = self.shelf.edition();
        match question {
            "about" => Ok(self.about(&edition)),
            "find" => self.find(asked, &edition),
            "names" => self.names(asked, &edition),
            "game" => game(asked, &edition),
            "tree" => self.tree(asked, &edition),
            "line" => line(asked),
            "position" => Ok(boards::playable(&asked.position().map_err(wrong)?)),
            "paste" => self.paste(body),
            "keep" => self.keep(body),
            "engine" => self.engine(asked),
            "stats" => self.stats(asked, &edition),
            "table" => self.standings(asked, &edition),
            _ => Err(Refusal::Absent("there is no such question".to_owned())),
        }
    }

    fn about(&self, edition: &Edition) -> Value {
        let describe = |served: &Served| {
            let archive = &served.archive;
            let path = archive.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let counted = match &served.lost {
                Some(why) => Err(why.clone()),
                None => archive.len().at(path).map_err(|error| format!("{error:#}")),
            };
            json!({
                "path": shown(path),
                "name": name,
                "games": counted.as_ref().unwrap_or(&0),
                "indexed": archive.index().is_some(),
                "lost": counted.as_ref().err(),
            })
        };
        let archives: Value = edition.archives.iter().map(describe).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "edition": edition.number,
            "archives": archives,
            "engine": self.engine.as_ref().map(Engine::name),
            "notebook": self.notebook.as_ref().map(|_| edition.archives.len() - 1),
            "sorts": SortKey::names().collect::<Value>(),
        })
    }

    fn find(&self, asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
        let offset = asked.number("offset", 0)?;
        let limit = asked.number("limit", USUAL_ROWS)?.min(ROWS);
        let sort = asked.sort().map_err(wrong)?;
        let line = asked.command_line()?;
        let games = self.found(&line, sort, edition)?;
        let reverse = asked.one("reverse").is_some();
        // The page with the game that is open, if it was found.
        let open = asked.game("open");
        let place = open.and_then(|game| games.place(game, reverse));
        let offset = place.map_or(offset, |place| place - place % limit.max(1));
        let page = games.page(offset, limit, reverse);
        Ok(json!({
            "edition": games.edition.number,
            "total": games.len(),
            "offset": offset,
            "place": place,
            "query": line,
            "notes": games.notes,
            "rows": self.rows(&games, &page, line.contains("--opening"))?,
        }))
    }

    /// The games that a search finds.
    fn found(
        &self,
        line: &str,
        key: Option<SortKey>,
        edition: &Edition,
    ) -> Result<Arc<FoundGames>, Refusal> {
        let search = (line.to_owned(), key);
        if let Some(games) = self.answers.known(&search, edition.number) {
            return Ok(games);
        }
        let query = Query::parse(line).map_err(wrong)?;
        let games = FoundGames::search(&self.shelf, edition.clone(), query, key)?;
        let games = Arc::new(games);
        self.answers.keep(search, games.clone());
        Ok(games)
    }

    /// Games as rows of the table. `with_opening`: where their openings are reached.
    fn rows(
        &self,
        games: &FoundGames,
        page: &[(u32, u32)],
        with_opening: bool,
    ) -> Result<Vec<Value>, Refusal> {
        let columns = COLUMNS.split(' ').map(columns::by_name);
        let columns: Vec<&GameColumn> = columns.flatten().collect();
        let archives = games.edition.archives.iter();
        let archives: Vec<&Archive> = archives.map(|served| &*served.archive).collect();
        let jobs = self.shelf.lookup.run.jobs;
        let asked = (&*columns, &games.found, with_opening);
        let lines = columns::lines_of(&archives, page, asked, jobs)?;
        let object = |(line, game): (&GameLine, &(u32, u32))| {
            let pair = |c: &&GameColumn| (c.name.to_owned(), c.value(line));
            let mut object: Map<String, Value> = columns.iter().map(pair).collect();
            object.insert("archive".to_owned(), json!(game.0));
            Value::Object(object)
        };
        Ok(lines.iter().zip(page).map(object).collect())
    }

    fn names(&self, asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
        let field = match asked.one("field").unwrap_or("player") {
            "player" => NameField::Player,
            "event" => NameField::Event,
            other => return Err(wrong(format!("{other}: use player or event"))),
        };
        let limit = asked.number("limit", 12)? as u64;
        let mut pattern = match asked.one("text").filter(|text| !text.trim().is_empty()) {
            Some(text) if field == NameField::Player => Some(NamePattern::person(text)),
            Some(text) => Some(NamePattern::parse(text)),
            None => None,
        }
        .transpose()
        .map_err(wrong)?;
        let (people, jobs) = (&self.shelf.lookup.people, self.shelf.lookup.run.jobs);
        people.prepare_patterns(pattern.iter_mut())?;
        let mut list = NameList::new(&NameListOptions {
            several: edition.archives.len() > 1,
            by_games: true,
            limit: limit.clamp(1, NAMES),
            ..NameListOptions::new(&self.shelf.lookup.temp_dir())
        });
        let found = edition.archives.iter();
        for Served { archive, .. } in found.filter(|served| served.lost.is_none()) {
            let mut own = pattern.clone();
            people.beside_patterns(own.iter_mut(), archive.path())?;
            let each = &mut |name: &str, games| list.add(name, games);
            // An archive that cannot be read has no names; the searches say so.
            let _ = archive.each_name(field, own.as_ref(), jobs, each);
        }
        let mut names = Vec::new();
        list.finish()?.each(&mut |name, games| {
            names.push(json!({ "name": name, "games": games }));
            Ok(())
        })?;
        Ok(json!({ "names": names }))
    }

    /// The tree of the position `at` (a FEN) under `rules` in the games of a search; without `at`,
    /// of the position that the search asks for.
    fn tree(&self, asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
        let line = asked.command_line()?;
        let query = Query::parse(&line).map_err(wrong)?;
        let side = PlayerStats::side(&query);
        let (query, among) = match asked.one("at") {
            None => (query, None),
            Some(at) => {
                let rules = asked.one("rules").filter(|rules| !rules.is_empty());
                let rules = quoted(rules.unwrap_or("chess"));
                let position = format!("--fen={} --variant={rules}", quoted(at));
                let query = Query::parse(&position).map_err(wrong)?;
                let among = (!line.is_empty()).then(|| self.found(&line, None, edition));
                (query, among.transpose()?)
            }
        };
        let lookup = &self.shelf.lookup;
        let query = lookup.people.prepare(from_a_position(query))?;
        let among = among.as_ref().map(|among| &*among.found.games);
        let (mut games, notes) = edition.games(&query, lookup, among)?;
        let unique = asked.one("unique").is_some();
        let copies = match unique && among.is_none() && asked.one("at").is_some() {
            true => Some(edition.without_copies(&mut games, lookup)?),
            false => CopyCount::among(&mut games, unique, lookup)?.copies,
        };
        let mut grown = GrownTree::default();
        for one in &games {
            let asked = (1, PLAYERS_EACH);
            let added = grown.add(&one.archive, &one.answer, asked, lookup.run.jobs);
            added.at(one.archive.path())?;
        }
        let shown = ShownTree {
            least: 1,
            limit: asked.number("limit", 20)?.clamp(1, LONG),
            position: grown.position(),
            side,
            copies,
        };
        let mut object = shown.json(&grown.tree);
        if let Some(position) = shown.position {
            boards::add_to_tree(&mut object["moves"], position);
        }
        object["edition"] = json!(edition.number);
        object["notes"] = json!(notes);
        Ok(object)
    }

    /// The first game of a text that the user pasted, and the texts of all games of it. They are
    /// packed and read again, as all games are.
    fn paste(&self, text: &[u8]) -> Result<Value, Refusal> {
        let (bytes, _) = packed(text)?;
        let folder = tempfile::tempdir_in(self.shelf.lookup.temp_dir())?;
        let path = folder.path().join("pasted.pgc");
        fs::write(&path, bytes)?;
        let archive = Archive::open(&path)?;
        let game = small_game(&archive, 1)?;
        let game = game.ok_or_else(|| wrong("this game is too long for the page"))?;
        let mut object = shown_game(&archive, &game)?;
        // It has no number: it is in none of the archives.
        object["number"] = Value::Null;
        let mut texts = Vec::new();
        for number in 1..=archive.len()? {
            let game = archive.game_within(number, ELEMS, TEXT)?;
            texts.extend(game.map(|game| text_of(&game.pgn)));
        }
        object["pgns"] = json!(texts);
        Ok(object)
    }

    /// Adds the games of a text to the archive of --notebook; their number, and that of the first.
    fn keep(&self, text: &[u8]) -> Result<Value, Refusal> {
        let Some(path) = &self.notebook else {
            let why = "pgc serve adds games only to the archive of its option --notebook";
            return Err(Refusal::Absent(why.to_owned()));
        };
        let (_, games) = packed(text)?;
        let first = notebook::add(path, text, &self.shelf.lookup)?;
        let edition = self.shelf.edition().number;
        Ok(json!({ "number": first, "games": games, "edition": edition }))
    }

    /// What the engine has found about a position until now.
    fn engine(&self, asked: &QuestionParameters) -> Result<Value, Refusal> {
        let engine = self.engine.as_ref();
        let engine = engine.ok_or_else(|| Refusal::Absent("there is no engine".to_owned()))?;
        let position = asked.position().map_err(wrong)?;
        let variant = asked.one("variant").unwrap_or_default();
        engine.look(&position, variant).map_err(wrong)
    }

    fn stats(&self, asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
        let query = Query::parse(&asked.command_line()?).map_err(wrong)?;
        if !PlayerStats::has_subject(&query) {
            return Err(wrong("name the player"));
        }
        let lookup = &self.shelf.lookup;
        let query = lookup.people.prepare(query)?;
        let (mut games, notes) = edition.games(&query, lookup, None)?;
        let is_asked = |name| asked.one(name).is_some();
        let how = (is_asked("all_names"), is_asked("unique"));
        let counted = CountedPlayer::new(&mut games, how, lookup)?;
        let limit = asked.number("limit", 10)?.clamp(1, LONG);
        let mut object = counted.json(limit);
        object["notes"] = json!(notes);
        Ok(object)
    }

    /// The standings of the games of a search; the result of each game too, if they are few.
    fn standings(&self, asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
        let lookup = &self.shelf.lookup;
        let query = Query::parse(&asked.command_line()?).map_err(wrong)?;
        let (mut games, mut notes) = edition.games(&lookup.people.prepare(query)?, lookup, None)?;
        let copies = CopyCount::among(&mut games, asked.one("unique").is_some(), lookup)?;
        let count: usize = games.iter().map(|one| one.answer.found.games.len()).sum();
        let mut all = EventGames::new(count <= ROWS);
        for one in &games {
            let added = all.add_games(&one.archive, &one.answer.found.games, lookup.run.jobs);
            added.at(one.archive.path())?;
        }
        let mut standings = all.standings(&StandingsOptions::default())?;
        standings.copies = copies.copies;
        standings.players.truncate(LONG);
        notes.extend(notes_on(&standings));
        let mut object = serde_json::to_value(&standings)?;
        object["notes"] = json!(notes);
        Ok(object)
    }
}

/// The games of a text that the user sent as an archive, and their number.
fn packed(mut text: &[u8]) -> Result<(Vec<u8>, u64), Refusal> {
    let (mut bytes, options) = (Vec::new(), PackOptions::default());
    let games = pack(&mut text, "pasted.pgn", &mut bytes, &options, &mut NoHooks)?.games;
    match games {
        0 => Err(wrong("this is no game, and no position")),
        _ => Ok((bytes, games)),
    }
}

fn game(asked: &QuestionParameters, edition: &Edition) -> Result<Value, Refusal> {
    let place = asked.number("archive", 0)?;
    let number = asked.number("number", 1)? as u64;
    // In another edition the number may belong to another game.
    if asked.one("edition").is_some() && asked.number("edition", 0)? as u64 != edition.number {
        return Err(Refusal::Changed(edition.number));
    }
    let served = edition.archives.get(place);
    let served = served.ok_or_else(|| Refusal::Absent(format!("there is no archive {place}")))?;
    if let Some(why) = &served.lost {
        return Err(Refusal::Absent(why.clone()));
    }
    let archive = &served.archive;
    let game = match small_game(archive, number) {
        Err(error @ pgc::Error::NoSuchGame { .. }) => {
            return Err(Refusal::Absent(error.to_string()));
        }
        game => game.at(archive.path())?,
    };
    let game = game.ok_or_else(|| {
        let path = shown(archive.path());
        let why = format!("this game is too long for the page: pgc get {path} {number} shows it");
        Refusal::Absent(why)
    })?;
    let mut object = shown_game(archive, &game)?;
    object["archive"] = json!(place);
    object["edition"] = json!(edition.number);
    Ok(object)
}

/// A game of an archive; `None` if it is too long for the page.
fn small_game(archive: &Archive, number: u64) -> Result<Option<Game>, pgc::Error> {
    let game = archive.game_within(number, ELEMS, TEXT)?;
    Ok(game.filter(|game| boards::count(&game.moves) <= MOVES))
}

/// A game as the page shows it.
fn shown_game(archive: &Archive, game: &Game) -> Result<Value, Refusal> {
    let object = serde_json::to_value(GameJson(archive.path(), game));
    let mut object = object.context("the game cannot be written as JSON")?;
    boards::add(&mut object, game);
    object["pgn"] = json!(text_of(&game.pgn));
    Ok(object)
}

/// The moves of a line, each with the position after it.
fn line(asked: &QuestionParameters) -> Result<Value, Refusal> {
    let start = asked.position();
    let start = start.map_err(|why| wrong(format!("fen: {why}")))?;
    let moves = boards::played(start, asked.one("moves").unwrap_or_default());
    Ok(json!({ "moves": moves }))
}

/// The parameters of a question.
pub(super) struct QuestionParameters(Vec<(String, String)>);

impl QuestionParameters {
    pub(super) fn parse(text: &str) -> QuestionParameters {
        let pairs = form_urlencoded::parse(text.as_bytes());
        QuestionParameters(pairs.into_owned().collect())
    }

    pub(super) fn one(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|pair| pair.0 == name);
        found.map(|pair| pair.1.as_str())
    }

    /// The position that is asked about.
    fn position(&self) -> Result<Position, String> {
        boards::start(self.one("variant").unwrap_or_default(), self.one("fen"))
    }

    fn number(&self, name: &str, usual: usize) -> Result<usize, Refusal> {
        let number = |text: &str| {
            let wrong = || wrong(format!("{name}: {text:?} is not a number"));
            text.parse().map_err(|_| wrong())
        };
        self.one(name).map_or(Ok(usual), number)
    }

    /// A game `archive:number`: the position of its archive, and its number from 0.
    fn game(&self, name: &str) -> Option<(u32, u32)> {
        let (archive, number) = self.one(name)?.split_once(':')?;
        let number: u32 = number.parse().ok()?;
        Some((archive.parse().ok()?, number.checked_sub(1)?))
    }

    /// The order of the games; `None`: that of the archives.
    pub(super) fn sort(&self) -> anyhow::Result<Option<SortKey>> {
        let Some(name) = self.one("sort") else {
            return Ok(None);
        };
        let key = SortKey::from_name(name).with_context(|| format!("sort: no such key: {name}"))?;
        Ok(Some(key).filter(|key| *key != SortKey::Number))
    }

    /// The options of `pgc find` that ask the same: one for each parameter named like an option,
    /// and after them the text of the parameter `query`.
    fn command_line(&self) -> Result<String, Refusal> {
        let mut words = Vec::new();
        for (name, value) in &self.0 {
            let named =
                |option: &&QueryOption| [option.name, option.opposite].contains(&name.as_str());
            let option = OPTIONS.iter().find(named).map(|option| option.value);
            let join = || JoinOption::named(name).map(|option| option.value);
            match option.or_else(join) {
                Some("") => words.push(format!("--{name}")),
                Some(_) => words.push(format!("--{name}={}", quoted(value))),
                None if name == "maybe" => words.push("--maybe".to_owned()),
                None if OTHERS.split(' ').any(|other| other == name) => {}
                None => return Err(wrong(format!("{name}: there is no such question"))),
            }
        }
        words.extend(self.one("query").map(str::to_owned));
        Ok(words.join(" "))
    }
}

/// A value as a word of a command line: quoted, unless all its characters are plain.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.,:/=".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "'\"'\"'"))
    }
}

#[cfg(test)]
mod tests {
    use pgc::Query;

    use super::{QuestionParameters, Refusal, quoted};

    #[test]
    fn values_are_quoted_as_a_shell_reads_them() {
        assert_eq!(quoted("1992.."), "1992..");
        assert_eq!(quoted("Tal, M"), "'Tal, M'");
        assert_eq!(quoted("O'Kelly"), "'O'\"'\"'Kelly'");
        assert_eq!(quoted(""), "''");
        let line = format!("--player={} --moves='1.e4 c5'", quoted("a'b\"c d"));
        assert_eq!(Query::parse(&line).unwrap().all.len(), 2);
    }

    #[test]
    fn parameters_become_a_command_line() {
        let line = |text: &str| QuestionParameters::parse(text).command_line();
        let same = "--player='m tal' --not-result=draw --setup -d 1960..";
        let asked = "player=m+tal&not-result=draw&setup=&limit=5&query=-d%201960..";
        assert_eq!(line(asked).ok().as_deref(), Some(same));
        assert!(matches!(line("colour=white"), Err(Refusal::Wrong(_))));
        assert!(matches!(
            QuestionParameters::parse("offset=-1").number("offset", 0),
            Err(Refusal::Wrong(_))
        ));
    }
}
