//! `pgc get`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc::foreign::sgf::write::put_sgf;
use pgc::{Archive, Error, Game, OpenOptions};
use pgc_pgn::{epd::game::Plies, respell::respelled};

use crate::args::addresses::{WantedGames, numbers, parse_address, wanted};
use crate::args::places;
use crate::args::{GetArgs, GetFormat};
use crate::failure::{self, Exit, INCOMPLETE};
use crate::files::destination;
use crate::files::indexed::{self, Unusable};
use crate::show::output::{counted, counted_as, is_stdin, note, printable, put_json, shown};
use crate::show::{diagram::diagram, game_json::GameJson, screen::TextOutput};

impl GetArgs {
    fn format(&self) -> GetFormat {
        let usual = match self.ply {
            Some(_) => GetFormat::Board,
            None => GetFormat::Pgn,
        };
        let fen = self.fen.then_some(GetFormat::Fen);
        let json = self.json.then_some(GetFormat::Json);
        let asked = fen.or(json).or(self.format).or_else(|| self.by_ending());
        asked.unwrap_or(usual)
    }

    /// The format that the extension of the output names, as with `find -o`.
    fn by_ending(&self) -> Option<GetFormat> {
        let ending = self.output.as_ref()?.extension()?.to_ascii_lowercase();
        match ending.to_str()? {
            "sgf" => Some(GetFormat::Sgf),
            "epd" => Some(GetFormat::Epd),
            "json" | "jsonl" | "ndjson" => Some(GetFormat::Json),
            _ => None,
        }
    }

    /// Refuses options that the format cannot follow.
    fn check(&self) -> anyhow::Result<()> {
        let format = self.format();
        match (&self.ply, format) {
            (Some(_), GetFormat::Pgn | GetFormat::Json | GetFormat::Sgf) => {
                bail!("--ply works only with --format board, --format epd and --fen")
            }
            (Some(plies @ Plies::Of(_)), GetFormat::Board) if places::single(plies).is_none() => {
                bail!("--format board shows one position: --ply 40")
            }
            _ => {}
        }
        if self.ep.is_some() && !matches!(format, GetFormat::Fen | GetFormat::Epd) {
            bail!("--ep works only with --fen and --format epd");
        }
        if self.show.pieces.is_some() && !matches!(format, GetFormat::Pgn | GetFormat::Board) {
            bail!("--pieces works only with --format pgn and --format board");
        }
        Ok(())
    }
}

pub(crate) fn run(args: &GetArgs) -> anyhow::Result<Exit> {
    args.check()?;
    let wanted = wanted(&args.games)?;
    let file = args.output.as_deref().filter(|path| !is_stdin(path));
    let archives: Vec<PathBuf> = wanted.iter().map(|w| w.archive.clone()).collect();
    let output = destination::asked(file, None, args.force, &archives)?;
    let output = output.map_or_else(TextOutput::stdout, |file| TextOutput::new(file, false));
    let (refuse, quiet) = (args.require_index, args.quiet);
    let mut job = GetJob {
        unusable: Unusable { refuse, quiet },
        archives: HashMap::new(),
        out: GameWriter {
            args,
            output,
            last: None,
            tail: Vec::new(),
            shown: 0,
            without: None,
        },
        gravest: Exit::Done,
    };
    for WantedGames { archive, range } in &wanted {
        if let Some(range) = range {
            job.range(archive, *range)?;
        }
    }
    if let Some(wanted) = wanted.iter().find(|wanted| wanted.range.is_none()) {
        job.stdin(&wanted.archive)?;
    }
    for archive in job.archives.values().flatten() {
        job.unusable.check_late(archive)?;
        job.gravest = job.gravest.max(indexed::tell_gaps(archive));
    }
    job.gravest = job.gravest.max(job.out.tell_without()?);
    if job.gravest == Exit::Damaged && file.is_some() && !args.partial {
        return Err(Exit::Damaged.error(INCOMPLETE));
    }
    job.out.output.commit()?;
    Ok(job.gravest)
}

struct GetJob<'a> {
    unusable: Unusable,
    /// `None` if opening the archive failed; that error has been printed.
    archives: HashMap<PathBuf, Option<Archive>>,
    out: GameWriter<'a>,
    gravest: Exit,
}

impl GetJob<'_> {
    /// Gets the games that standard input names: on each line an address, which may contain blanks,
    /// or any number of game numbers.
    fn stdin(&mut self, archive: &Path) -> anyhow::Result<()> {
        for line in io::stdin().lines() {
            let line = line.context("standard input")?;
            let line = line.trim_end_matches('\r');
            let mut numbered = line.split_whitespace();
            let words: Vec<&str> = match numbered.all(|word| numbers(word).is_some()) {
                true => line.split_whitespace().collect(),
                false => vec![line],
            };
            for word in words {
                match (numbers(word), parse_address(word)) {
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
            let options = OpenOptions::default().with_index(!self.out.args.no_index);
            let opened = self.unusable.open(path, options.passing_damage(true));
            let opened = opened.map_err(|error| {
                self.gravest = self.gravest.max(failure::report(&error));
            });
            self.archives.insert(path.to_owned(), opened.ok());
        }
        if first > last {
            let path = shown(path);
            bail!("{path}: the range {first}-{last} is backwards: write {last}-{first}");
        }
        let Some(Some(archive)) = self.archives.get(path) else {
            return Ok(());
        };
        match self.out.games(archive, first, last) {
            // Reading the archive failed; any other error comes from writing the output.
            Err(error) if error.is::<Error>() => {
                let exit = failure::report(&error.context(shown(path)));
                self.gravest = self.gravest.max(exit);
                Ok(())
            }
            done => done,
        }
    }
}

/// Writes games to the output and separates each from the one before.
struct GameWriter<'a> {
    args: &'a GetArgs,
    output: TextOutput,
    last: Option<(PathBuf, u64)>,
    /// The last bytes written, up to four.
    tail: Vec<u8>,
    /// The number of games of which a position was written.
    shown: u64,
    /// The number of games that have no such position, and why the first has none.
    without: Option<(u64, String)>,
}

impl GameWriter<'_> {
    fn games(&mut self, archive: &Archive, first: u64, last: u64) -> anyhow::Result<()> {
        let (path, pieces) = (archive.path(), self.args.show.pieces);
        let format = self.args.format();
        if first == last && format == GetFormat::Pgn && pieces.is_none() {
            return self.one(path, archive, first);
        }
        let mut found = 0;
        for game in archive.range(first.max(1), last) {
            let game = game?;
            found += 1;
            match format {
                GetFormat::Pgn => {
                    self.separate(path, game.number)?;
                    match pieces {
                        Some(letters) => self.put(&respelled(&game.pgn, letters))?,
                        None => self.put(&game.pgn)?,
                    }
                    self.last = Some((path.to_owned(), game.number));
                }
                GetFormat::Json => put_json(&mut self.output, &GameJson(path, &game))?,
                GetFormat::Board => self.board(path, &game)?,
                GetFormat::Sgf => {
                    let mut tree = Vec::new();
                    put_sgf(&mut tree, &game.pgn);
                    self.put(&tree)?;
                }
                GetFormat::Fen | GetFormat::Epd => self.positions(path, &game)?,
            }
        }
        let is_short =
            first == 0 || found == 0 || (last != u64::MAX && found <= last.saturating_sub(first));
        // Games lost to damage are reported as gaps, not as numbers out of range.
        if is_short && (archive.gaps().is_empty() || !(1..=archive.len()?).contains(&first)) {
            let number = if first == 0 { 0 } else { first + found };
            let games = archive.len()?;
            return Err(Error::NoSuchGame { number, games }.into());
        }
        Ok(())
    }

    /// Draws the board of a game at --ply, or else at the end.
    fn board(&mut self, path: &Path, game: &Game) -> io::Result<()> {
        let ply = self.args.ply.as_ref().and_then(places::single);
        let Some(board) = game.board(ply.unwrap_or(game.moves.len())) else {
            self.has_none(no_board(path, game, ply));
            return Ok(());
        };
        if self.last.replace((path.to_owned(), game.number)).is_some() {
            self.line("")?;
        }
        self.shown += 1;
        for line in diagram(&address(path, game), game, &board, self.args.show) {
            self.line(&printable(&line))?;
        }
        Ok(())
    }

    /// Counts a game without such a position.
    fn has_none(&mut self, why: String) {
        self.without.get_or_insert((0, why)).0 += 1;
    }

    /// Reports the games without the position; fails if no game has it.
    fn tell_without(&mut self) -> anyhow::Result<Exit> {
        let Some((games, why)) = self.without.take() else {
            return Ok(Exit::Done);
        };
        if self.shown == 0 {
            bail!("{why}");
        }
        note(&why);
        if games > 1 {
            let games = counted_as(games, "game has", "games have");
            note!("{games} no such position");
        }
        Ok(Exit::Partly)
    }

    /// Writes positions of a game as FEN or EPD, a line each.
    fn positions(&mut self, path: &Path, game: &Game) -> io::Result<()> {
        let plies = self.args.ply.clone().unwrap_or(Plies::End);
        let address = address(path, game);
        let one = places::single(&plies);
        let has_ply = one.is_none_or(|ply| ply <= game.moves.len());
        let Some(mut positions) = game.positions(&address).filter(|_| has_ply) else {
            self.has_none(no_board(path, game, one));
            return Ok(());
        };
        positions.ep = self.args.ep.unwrap_or_default();
        self.shown += 1;
        let is_epd = self.args.format() == GetFormat::Epd;
        positions.each(&plies, |position| {
            let line = match is_epd {
                true => positions.epd(position).to_string(),
                false => position.fen.clone(),
            };
            self.line(&line)
        })
    }

    /// Copies the text of a game in pieces: a game may be longer than the memory.
    fn one(&mut self, path: &Path, archive: &Archive, number: u64) -> anyhow::Result<()> {
        let mut target = Separated {
            writer: self,
            next: Some((path, number)),
            failed: None,
        };
        let copied = archive.copy_game(number, &mut target);
        if let Some(error) = target.failed.take() {
            return Err(error.into());
        }
        copied?;
        self.last = Some((path.to_owned(), number));
        Ok(())
    }

    /// Writes an empty line between the last game and the next one, if none is there. Games that
    /// follow each other in the archive keep the gap of the source.
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
}

/// Why a game has no such position.
fn no_board(path: &Path, game: &Game, ply: Option<usize>) -> String {
    let why = match ply {
        Some(ply) if ply > game.moves.len() => {
            let plies = counted(game.moves.len() as u64, "ply");
            format!("there is no ply {ply}: the game has {plies}")
        }
        _ => "no board: its start position or its rules are not understood".to_owned(),
    };
    format!("{}: {why}", address(path, game))
}

fn address(path: &Path, game: &Game) -> String {
    format!("{}:{}", path.display(), game.number)
}

/// The output for `copy_game`: before the first bytes of the game it writes the separator from the
/// game before.
struct Separated<'a, 'w> {
    writer: &'a mut GameWriter<'w>,
    /// The game, until it begins.
    next: Option<(&'a Path, u64)>,
    failed: Option<io::Error>,
}

impl Write for Separated<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let separated = match self.next.take() {
            Some((path, number)) => self.writer.separate(path, number),
            None => Ok(()),
        };
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
