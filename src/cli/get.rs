//! `pgc get`.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc::Error;
use pgc::internals::archive::Board;
use pgc::internals::io::Output;
use pgc::internals::pgn::Wholeness;
use pgc::{Archive, Game, OpenOptions};
use serde_json::{Map, Value, json};

use super::args::{Get, GetFormat};
use super::destination;
use super::exit::Exit;
use super::failure;
use super::indexed::Unusable;
use super::open::is_stdin;
use super::output::{counted, harmless_json, printable, shown};

pub(super) fn run(args: &Get) -> anyhow::Result<Exit> {
    if args.ply.is_some() && args.format != GetFormat::Board {
        bail!("--ply is for --format board");
    }
    let wanted = wanted(&args.games)?;
    let output = match &args.output {
        Some(path) if !is_stdin(path) => {
            let archives: Vec<PathBuf> =
                wanted.iter().map(|wanted| wanted.archive.clone()).collect();
            destination::create(path, args.force, &archives)?
        }
        _ => Output::stdout(),
    };
    let mut job = Job {
        args,
        unusable: Unusable {
            refuse: args.require_index,
            quiet: args.quiet,
        },
        archives: HashMap::new(),
        out: Writer {
            output,
            last: None,
            tail: Vec::new(),
        },
        gravest: Exit::Done,
    };
    for Wanted { archive, range } in &wanted {
        if let Some(range) = range {
            job.range(archive, *range)?;
        }
    }
    if let Some(wanted) = wanted.iter().find(|wanted| wanted.range.is_none()) {
        job.stdin(&wanted.archive)?;
    }
    for (path, archive) in &job.archives {
        if let Some(archive) = archive {
            job.unusable.check_late(path, archive)?;
        }
    }
    job.out.output.commit()?;
    Ok(job.gravest)
}

/// Numbers of one archive; `None`: they come from standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    archive: PathBuf,
    range: Option<(u64, u64)>,
}

/// The games that arguments name: archives, numbers of the archive before them, addresses, and `-`.
fn wanted(words: &[String]) -> anyhow::Result<Vec<Wanted>> {
    let mut current: Option<PathBuf> = None;
    let mut wanted = Vec::new();
    let mut named = false;
    for word in words {
        let range = numbers(word);
        let (archive, range) = if word == "-" {
            (current.clone().unwrap_or_default(), None)
        } else if let (Some(_), Some(archive)) = (range, &current) {
            (archive.clone(), range)
        } else if let Some((archive, range)) = address(word) {
            (archive, Some(range))
        } else {
            if current.is_some() && !named {
                break;
            }
            (current, named) = (Some(PathBuf::from(word)), false);
            continue;
        };
        wanted.push(Wanted { archive, range });
        named = true;
    }
    if !named {
        bail!(
            "{}: which games? Give numbers (12), ranges (5-9) or `-`",
            shown(&current.unwrap_or_default())
        );
    }
    Ok(wanted)
}

/// `12`, `5-9`, `12..20`, `12..`.
fn numbers(word: &str) -> Option<(u64, u64)> {
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse().ok())
            .flatten()
    };
    if let Some(number) = number(word) {
        return Some((number, number));
    }
    if let Some(first) = word.strip_suffix("..").and_then(number) {
        return Some((first, u64::MAX));
    }
    let (first, last) = word.split_once("..").or_else(|| word.split_once('-'))?;
    Some((number(first)?, number(last)?))
}

/// `games.pgc:12`, and ranges too.
fn address(word: &str) -> Option<(PathBuf, (u64, u64))> {
    let (path, rest) = word.rsplit_once(':')?;
    let range = numbers(rest)?;
    (!path.is_empty()).then(|| (PathBuf::from(path), range))
}

struct Job<'a> {
    args: &'a Get,
    unusable: Unusable,
    /// `None`: it could not be opened, which has been said.
    archives: HashMap<PathBuf, Option<Archive>>,
    out: Writer,
    gravest: Exit,
}

impl Job<'_> {
    /// Addresses, one a line, whatever blanks are in it; or numbers, several of them on a line too.
    fn stdin(&mut self, archive: &Path) -> anyhow::Result<()> {
        for line in io::stdin().lock().lines() {
            let line = line.context("standard input")?;
            let line = line.trim_end_matches('\r');
            let words: Vec<&str> = match line {
                "" => Vec::new(),
                line if line.split_whitespace().all(|word| numbers(word).is_some()) => {
                    line.split_whitespace().collect()
                }
                line => vec![line],
            };
            for word in words {
                match (numbers(word), address(word)) {
                    (Some(range), _) if !archive.as_os_str().is_empty() => {
                        self.range(archive, range)?;
                    }
                    (_, Some((path, range))) => self.range(&path, range)?,
                    _ => bail!(
                        "standard input: \"{word}\" is neither the number of a game nor an address like games.pgc:12"
                    ),
                }
            }
        }
        Ok(())
    }

    fn range(&mut self, path: &Path, (first, last): (u64, u64)) -> anyhow::Result<()> {
        if !self.archives.contains_key(path) {
            let options = OpenOptions {
                no_index: self.args.no_index,
                ..OpenOptions::default()
            };
            let opened = match self.unusable.open(path, options) {
                Ok(archive) => Some(archive),
                Err(error) => {
                    self.gravest = self.gravest.max(failure::report(&error));
                    None
                }
            };
            self.archives.insert(path.to_owned(), opened);
        }
        if first > last {
            bail!(
                "{}: {first}-{last} runs backwards: write {last}-{first}",
                shown(path)
            );
        }
        let Some(Some(archive)) = self.archives.get(path) else {
            return Ok(());
        };
        match self.out.games(self.args, path, archive, first, last) {
            Ok(()) => Ok(()),
            Err(Fault::Archive(error)) => {
                let error = anyhow::Error::from(error).context(shown(path));
                self.gravest = self.gravest.max(failure::report(&error));
                Ok(())
            }
            Err(Fault::Output(error)) => Err(error),
        }
    }
}

/// Whose fault it was: of an archive, or of where the games go.
enum Fault {
    Archive(Error),
    Output(anyhow::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Archive(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Output(error.into())
    }
}

/// Where the games go, and how the last of them ended.
struct Writer {
    output: Output,
    last: Option<(PathBuf, u64)>,
    /// The last bytes written.
    tail: Vec<u8>,
}

impl Writer {
    fn games(
        &mut self,
        args: &Get,
        path: &Path,
        archive: &Archive,
        first: u64,
        last: u64,
    ) -> Result<(), Fault> {
        if first == last && args.format == GetFormat::Pgn {
            return self.one(path, archive, first);
        }
        let mut found = 0;
        for game in archive.range(first.max(1), last) {
            let game = game?;
            found += 1;
            match args.format {
                GetFormat::Pgn => {
                    self.separate(path, game.number)?;
                    self.put(&game.pgn)?;
                    self.last = Some((path.to_owned(), game.number));
                }
                GetFormat::Json => self.line(&harmless_json(&as_json(path, &game)))?,
                GetFormat::Board => self.board(path, &game, args.ply)?,
            }
        }
        if first == 0 || found == 0 || (last != u64::MAX && found <= last.saturating_sub(first)) {
            return Err(Error::NoSuchGame {
                number: if first == 0 { 0 } else { first + found },
                games: archive.len()?,
            }
            .into());
        }
        Ok(())
    }

    /// A game as it was written, of any length.
    fn one(&mut self, path: &Path, archive: &Archive, number: u64) -> Result<(), Fault> {
        let mut target = Separated {
            writer: self,
            path,
            number,
            begun: false,
            failed: None,
        };
        let copied = archive.copy_game(number, &mut target);
        match (target.failed.take(), copied) {
            (Some(error), _) => Err(Fault::Output(error.into())),
            (None, copied) => {
                copied?;
                self.last = Some((path.to_owned(), number));
                Ok(())
            }
        }
    }

    /// Where the games were neighbours, they are as the source had them; else there is an empty
    /// line at least.
    fn separate(&mut self, path: &Path, number: u64) -> io::Result<()> {
        let Some((last_path, last)) = &self.last else {
            return Ok(());
        };
        let is_newline = |byte: Option<&u8>| matches!(byte, Some(b'\n' | b'\r'));
        let follows = last_path == path && *last + 1 == number;
        if follows && is_newline(self.tail.last()) {
            return Ok(());
        }
        let missing: &[u8] = match self.tail.as_slice() {
            [.., b'\r', b'\n', b'\r', b'\n'] | [.., b'\n', b'\n'] | [.., b'\r', b'\r'] => b"",
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\n'] => b"\n",
            [.., b'\r'] => b"\r",
            _ => b"\n\n",
        };
        self.put(missing)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.tail
            .extend_from_slice(&bytes[bytes.len().saturating_sub(4)..]);
        self.tail.drain(..self.tail.len().saturating_sub(4));
        Ok(())
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.put(text.as_bytes())?;
        self.put(b"\n")
    }

    fn board(&mut self, path: &Path, game: &Game, ply: Option<usize>) -> Result<(), Fault> {
        let address = format!("{}:{}", path.display(), game.number);
        if self.last.is_some() {
            self.line("")?;
        }
        self.last = Some((path.to_owned(), game.number));
        let Some(board) = game.board(ply.unwrap_or(game.moves.len())) else {
            let why = match ply {
                Some(ply) if ply > game.moves.len() => {
                    format!(
                        "there is no ply {ply}: the game has {}",
                        counted(game.moves.len() as u64, "ply", "plies")
                    )
                }
                _ => "the start position or the rules cannot be used".to_owned(),
            };
            return Err(Fault::Output(anyhow::anyhow!("{address}: {why}")));
        };
        for line in diagram(&address, game, &board) {
            self.line(&printable(&line))?;
        }
        Ok(())
    }
}

/// What `copy_game` writes to: the first bytes come behind what separates the game from the last
/// one.
struct Separated<'a> {
    writer: &'a mut Writer,
    path: &'a Path,
    number: u64,
    begun: bool,
    failed: Option<io::Error>,
}

impl Write for Separated<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let separated = if self.begun {
            Ok(())
        } else {
            self.writer.separate(self.path, self.number)
        };
        self.begun = true;
        match separated.and_then(|()| self.writer.put(bytes)) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let copy = io::Error::from(error.kind());
                self.failed = Some(error);
                Err(copy)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wholeness(game: &Game) -> &'static str {
    match game.wholeness {
        Wholeness::Whole => "whole",
        Wholeness::Tail => "text tail",
        Wholeness::TextOnly => "text only",
    }
}

/// A game as an object. Of tags with one name `tags` has the first.
fn as_json(path: &Path, game: &Game) -> Value {
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
        "moves": game.moves.iter().map(|m| json!({ "san": m.san, "uci": m.uci })).collect::<Vec<_>>(),
        "termination": game.termination.map(|termination| termination.as_str()),
        "wholeness": wholeness(game),
    });
    if let Value::Object(fields) = &mut object {
        if !more.is_empty() {
            fields.insert("repeated_tags".into(), json!(more));
        }
        if let Some(start) = &game.start {
            fields.insert("start".into(), json!(start));
        }
        if let Some(tail) = &game.tail {
            fields.insert("text".into(), json!(tail));
        }
    }
    object
}

/// The lines of a diagram.
fn diagram(address: &str, game: &Game, board: &Board) -> Vec<String> {
    let tag = |name| game.tag(name).unwrap_or("?");
    let mut lines = vec![
        format!(
            "{address}: {} - {}, {}",
            tag("White"),
            tag("Black"),
            tag("Result")
        ),
        String::new(),
    ];
    for (row, rank) in board.squares.iter().zip((1..=8).rev()) {
        let pieces: Vec<String> = row.iter().map(|&square| figure(square)).collect();
        lines.push(format!("{rank} {}", pieces.join(" ")));
    }
    lines.push("  a b c d e f g h".to_owned());
    lines.push(String::new());
    let side = if board.white_to_move {
        "White"
    } else {
        "Black"
    };
    lines.push(match &board.last {
        Some(last) => format!(
            "after {last} (ply {} of {}), {side} to move",
            board.ply,
            game.moves.len()
        ),
        None => format!(
            "the start (of {}), {side} to move",
            counted(game.moves.len() as u64, "ply", "plies")
        ),
    });
    lines.push(board.fen.clone());
    lines
}

fn figure(square: Option<char>) -> String {
    let piece = square.unwrap_or('\u{b7}');
    let figures = "KQRBNPkqrbnp".chars().zip('\u{2654}'..='\u{265f}');
    let figure = figures.into_iter().find(|(letter, _)| *letter == piece);
    figure.map_or(piece, |(_, figure)| figure).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_games() {
        let list = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let wanted = wanted(&words).ok()?;
            Some(
                wanted
                    .iter()
                    .map(|w| (w.archive.display().to_string(), w.range))
                    .collect::<Vec<_>>(),
            )
        };
        let a = |first, last| ("a.pgc".to_owned(), Some((first, last)));
        let b = |first, last| ("b.pgc".to_owned(), Some((first, last)));
        assert_eq!(
            list(&["a.pgc", "3", "5-9", "12..20", "7.."]),
            Some(vec![a(3, 3), a(5, 9), a(12, 20), a(7, u64::MAX)])
        );
        assert_eq!(
            list(&["a.pgc:1", "b.pgc:2-3"]),
            Some(vec![a(1, 1), b(2, 3)])
        );
        assert_eq!(
            list(&["a.pgc", "1", "b.pgc", "2", "a.pgc:4"]),
            Some(vec![a(1, 1), b(2, 2), a(4, 4)])
        );
        assert_eq!(
            list(&["2024", "1"]),
            Some(vec![("2024".to_owned(), Some((1, 1)))])
        );
        assert_eq!(
            list(&["a.pgc", "-"]),
            Some(vec![("a.pgc".to_owned(), None)])
        );
        for nothing in [
            &["a.pgc"][..],
            &["12"],
            &["a.pgc", "b.pgc", "1"],
            &["a.pgc", "1", "b.pgc"],
        ] {
            assert_eq!(list(nothing), None, "{nothing:?}");
        }
    }
}
