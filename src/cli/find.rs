//! `pgc find`.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::{Context, anyhow, bail};
use pgc::Query;
use pgc::archive::ask::order::{SortKey, sample, sort};
use pgc::archive::ask::texts::{TextOptions, texts};
use pgc::archive::fault::ArchiveFault;
use pgc::archive::indexing::run::IndexOptions;
use pgc::archive::join::boundary::Joiner;
use pgc::archive::open::index_path;
use pgc::io::output::Output;
use pgc::{Archive, OpenOptions};
use pgc::{NoHooks, PackOptions};

use super::columns::{self, Column, Line};
use super::destination;
use super::exit::Exit;
use super::failure::{self, Named};
use super::find_args::{Find, Format, Sort};
use super::footer::Footer;
use super::indexed::{self, Interruptible};
use super::inputs::is_stdin;
use super::interrupt;
use super::output::{
    counted, harmless_json, note, note_line, print_line, printable, shown, text_of,
};
use super::table;

/// Rows of a table that nobody asked the number of.
const ROWS: u64 = 40;

/// The width of a table that goes to no terminal.
const WIDTH: usize = 100;

/// Games whose rows are fetched together.
const PORTION: usize = 4096;

pub(super) fn run(args: &Find) -> anyhow::Result<Exit> {
    let format = format(args)?;
    let (paths, mut exit) = archives(&args.archives)?;
    if paths.is_empty() && exit == Exit::Done {
        note("no archives found");
        return Ok(Exit::Partly);
    }
    let output = match &args.output {
        // Begun first: nobody wants to wait for an answer that has no place.
        Some(path) if !is_stdin(path) => Some(destination::create(path, args.force, &paths)?),
        _ => None,
    };
    let mut footer = Footer::new(paths.len() > 1);
    let mut hunt = Hunt {
        args,
        format,
        archives: Vec::new(),
        found: Vec::new(),
        games: Vec::new(),
    };
    let query = Query {
        all: args.questions.clauses.clone(),
        maybe: args.maybe,
    };
    let mut count = 0;
    for path in &paths {
        let searched = indexed::open(path, OpenOptions::default(), args.require_index, args.quiet)
            .and_then(|archive| {
                let archive = archive.with_temp_dir(&hunt.temp_dir());
                let answer = archive.find(&query, args.jobs).named(|| shown(path))?;
                if !args.quiet {
                    footer
                        .add(&archive, &answer, args.jobs)
                        .named(|| shown(path))?;
                }
                indexed::check_late(path, &archive, args.require_index, args.quiet)?;
                Ok((archive, answer))
            });
        match searched {
            Ok((archive, answer)) => {
                count += answer.found.games.len() as u64;
                for error in answer.damage {
                    let error = anyhow::Error::from(error).context(shown(path));
                    exit = exit.max(failure::report(&error));
                }
                if !args.count && !answer.found.games.is_empty() {
                    hunt.found.push(answer.found.games);
                    hunt.archives.push(archive);
                }
            }
            Err(error) => match failure::report(&error) {
                end @ (Exit::Done | Exit::Interrupted) => return Ok(end),
                worse => exit = exit.max(worse),
            },
        }
    }
    if args.count {
        print_line(&count.to_string())?;
    } else if count > 0 {
        hunt.select()?;
        exit = exit.max(hunt.write(output, paths.len() > 1)?);
        if format == Format::Table && !args.quiet {
            let more = count
                .saturating_sub(args.offset)
                .saturating_sub(hunt.games.len() as u64);
            if args.sample.is_none() && more > 0 {
                note_line(&format!(
                    "... and {} (--limit 0 shows all, -o FILE writes them)",
                    counted(more, "more game", "more games")
                ));
            }
        }
    }
    if !args.quiet {
        illegal_moves(args);
        footer.print(count, args.maybe)?;
    }
    Ok(if count == 0 {
        exit.max(Exit::Partly)
    } else {
        exit
    })
}

fn illegal_moves(args: &Find) {
    for opening in &args.questions.openings {
        if let Some(san) = opening.illegal() {
            note(&format!(
                "--moves: {san} is illegal from the usual start position: only games from others can match"
            ));
        }
    }
}

fn format(args: &Find) -> anyhow::Result<Format> {
    let file = args.output.as_deref().filter(|path| !is_stdin(path));
    let by_ending = match file.map(|path| path.extension().unwrap_or_default().to_ascii_lowercase())
    {
        None => Some(Format::Table),
        Some(ending) => match ending.to_str() {
            Some("pgn") => Some(Format::Pgn),
            Some("pgc") => Some(Format::Pgc),
            Some("csv") => Some(Format::Csv),
            Some("jsonl" | "ndjson") => Some(Format::Jsonl),
            _ => None,
        },
    };
    let Some(format) = args.format.or(by_ending) else {
        bail!(
            "{}: what should it be? .pgn, .pgc, .csv, .jsonl, or say --format",
            shown(args.output.as_deref().unwrap_or(Path::new("")))
        );
    };
    if format == Format::Pgc && file.is_none() {
        bail!("an archive is written to a file: name it with -o");
    }
    if !args.columns.is_empty() && matches!(format, Format::Pgn | Format::Pgc | Format::Addresses) {
        bail!("--columns is for tables, CSV and JSON");
    }
    Ok(format)
}

/// The archives among the arguments and in the folders among them. A path that is none is reported;
/// the others are searched.
pub(super) fn archives(arguments: &[PathBuf]) -> anyhow::Result<(Vec<PathBuf>, Exit)> {
    let (mut paths, mut exit) = (Vec::new(), Exit::Done);
    for path in arguments {
        if is_stdin(path) {
            bail!(
                "-: an archive that is searched must be a file, for its games are looked up wherever they stand"
            );
        }
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                paths.extend(pgc::io::walk::folder_of(path, &[".pgc"])?)
            }
            Ok(_) => paths.push(path.clone()),
            Err(error) => {
                exit = exit.max(failure::report(
                    &anyhow::Error::from(error).context(shown(path)),
                ))
            }
        }
    }
    Ok((paths, exit))
}

/// What was found, and what becomes of it.
struct Hunt<'a> {
    args: &'a Find,
    format: Format,
    archives: Vec<Archive>,
    /// What was found in each.
    found: Vec<Vec<u32>>,
    /// What is wanted of that: place of the archive, number from 0.
    games: Vec<(u32, u32)>,
}

impl Hunt<'_> {
    /// The file to write, if it is not standard output.
    fn file(&self) -> Option<&Path> {
        self.args.output.as_deref().filter(|path| !is_stdin(path))
    }

    fn threads(&self) -> usize {
        self.args.jobs
    }

    /// Sample, order, and the part that is wanted.
    fn select(&mut self) -> anyhow::Result<()> {
        let args = self.args;
        let key = args.sort.and_then(sort_key);
        let mut begins = vec![0];
        for games in &self.found {
            begins.push(begins.last().unwrap_or(&0) + games.len());
        }
        let found = &self.found;
        let at = |place: u64| {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            let archive = begins
                .partition_point(|&begin| begin <= place)
                .saturating_sub(1);
            (
                u32::try_from(archive).unwrap_or(u32::MAX),
                found[archive][place - begins[archive]],
            )
        };
        let all = begins.last().map_or(0, |&all| all as u64);
        let (count, picked) = match args.sample {
            Some(count) => {
                let picked = sample(all, count, args.seed);
                (picked.len() as u64, Some(picked))
            }
            None => (all, None),
        };
        let usual = if self.format == Format::Table {
            ROWS
        } else {
            0
        };
        let wanted = match args.limit.unwrap_or(usual) {
            0 => args.offset.min(count)..count,
            limit => args.offset.min(count)..args.offset.saturating_add(limit).min(count),
        };
        let place = |place: u64| match &picked {
            Some(picked) => picked[usize::try_from(place).unwrap_or(usize::MAX)],
            None => place,
        };
        let Some(key) = key else {
            // Ten million games are found in no time, as long as nobody makes a list of them.
            let game = |i: u64| at(place(if args.reverse { count - 1 - i } else { i }));
            self.games = wanted.map(game).collect();
            return Ok(());
        };
        let mut games: Vec<(u32, u32)> = (0..count).map(|i| at(place(i))).collect();
        let archives: Vec<&Archive> = self.archives.iter().collect();
        sort(&archives, &mut games, key, args.jobs).map_err(|fault| self.blame(fault))?;
        if args.reverse {
            games.reverse();
        }
        let place = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        games.truncate(place(wanted.end));
        games.drain(..place(wanted.start));
        self.games = games;
        Ok(())
    }

    /// Says which archive an error is about.
    fn blame(&self, fault: ArchiveFault) -> anyhow::Error {
        failure::of_archive(fault, |archive| self.archives[archive].path())
    }

    fn write(&self, output: Option<Output>, several: bool) -> anyhow::Result<Exit> {
        let name = self
            .file()
            .map_or_else(|| "standard output".to_owned(), shown);
        if self.format == Format::Pgc {
            let Some(path) = self.file() else {
                bail!("an archive needs a name")
            };
            let output = output.context("an archive needs a file")?;
            return self.archive(output, path);
        }
        let terminal = output.is_none() && io::stdout().is_terminal();
        let mut out = output.unwrap_or_else(Output::stdout);
        let mut run_together = 0;
        match self.format {
            Format::Table => self.table(&mut out, several, terminal)?,
            Format::Csv => self.csv(&mut out, terminal)?,
            Format::Jsonl => self.jsonl(&mut out)?,
            Format::Addresses => self.addresses(&mut out)?,
            Format::Pgn | Format::Pgc => run_together = self.pgn(&mut out, terminal)?,
        }
        out.commit()?;
        if run_together == 0 {
            return Ok(Exit::Done);
        }
        let games = self.games.len() as u64;
        note(&format!(
            "{name}: {} of {games} games: some ran together",
            games - run_together
        ));
        Ok(Exit::Partly)
    }

    /// Calls `each` with every game in turn.
    fn lines(
        &self,
        columns: &[Column],
        each: &mut dyn FnMut(&Line) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let sites = columns.contains(&Column::Site);
        for portion in self.games.chunks(PORTION) {
            for run in portion.chunk_by(|a, b| a.0 == b.0) {
                if interrupt::requested() {
                    return Err(pgc::Error::Cancelled.into());
                }
                let archive = &self.archives[run[0].0 as usize];
                let games: Vec<u32> = run.iter().map(|game| game.1).collect();
                let rows = archive
                    .rows(&games, sites, self.threads())
                    .named(|| shown(archive.path()))?;
                for row in rows {
                    each(&Line {
                        archive: archive.path().display().to_string(),
                        row,
                    })?;
                }
            }
        }
        Ok(())
    }

    fn columns(&self, usual: impl FnOnce() -> Vec<Column>) -> Vec<Column> {
        if self.args.columns.is_empty() {
            usual()
        } else {
            self.args.columns.clone()
        }
    }

    fn table(&self, out: &mut Output, several: bool, terminal: bool) -> anyhow::Result<()> {
        let columns = self.columns(|| columns::of_table(several));
        let asked = !self.args.columns.is_empty();
        let heads: Vec<table::Head> = columns
            .iter()
            .map(|column| column.head())
            // What was asked for stays.
            .map(|head| {
                if asked {
                    table::Head { leaves: 0, ..head }
                } else {
                    head
                }
            })
            .collect();
        let size = terminal.then(terminal_size::terminal_size).flatten();
        let width = size.map_or(WIDTH, |(width, _)| usize::from(width.0));
        // A long table is cut into parts, each as wide as it needs to be, so that it begins at
        // once.
        let mut rows = Vec::new();
        let mut first = true;
        let mut flush = |rows: &mut Vec<Vec<String>>| -> anyhow::Result<()> {
            let lines = table::lines(&heads, rows, width);
            let skip = usize::from(!std::mem::take(&mut first));
            for line in &lines[skip.min(lines.len())..] {
                writeln!(out, "{line}")?;
            }
            rows.clear();
            Ok(())
        };
        self.lines(&columns, &mut |line| {
            rows.push(
                columns
                    .iter()
                    .map(|column| column.cell(line).into_text())
                    .collect(),
            );
            if rows.len() == PORTION {
                flush(&mut rows)
            } else {
                Ok(())
            }
        })?;
        if rows.is_empty() {
            Ok(())
        } else {
            flush(&mut rows)
        }
    }

    fn csv(&self, out: &mut Output, terminal: bool) -> anyhow::Result<()> {
        let columns = self.columns(columns::all);
        let harmless = |cell: String| if terminal { printable(&cell) } else { cell };
        out.write_all(
            columns::csv_line(columns.iter().map(|column| column.name().to_owned())).as_bytes(),
        )?;
        self.lines(&columns, &mut |line| {
            let cells = columns
                .iter()
                .map(|column| harmless(column.cell(line).into_csv()));
            Ok(out.write_all(columns::csv_line(cells).as_bytes())?)
        })
    }

    fn jsonl(&self, out: &mut Output) -> anyhow::Result<()> {
        let columns = self.columns(columns::all);
        self.lines(&columns, &mut |line| {
            let pair = |column: &Column| (column.name().to_owned(), column.cell(line).into_json());
            let object = serde_json::Value::Object(columns.iter().map(pair).collect());
            Ok(writeln!(out, "{}", harmless_json(&object))?)
        })
    }

    fn addresses(&self, out: &mut Output) -> anyhow::Result<()> {
        for &(archive, game) in &self.games {
            let address = format!(
                "{}:{}",
                self.archives[archive as usize].path().display(),
                u64::from(game) + 1
            );
            writeln!(out, "{}", printable(&address))?;
        }
        Ok(())
    }

    /// Gives the games, joined so that they stay games. Returns how many could not be kept apart
    /// from the one before them.
    fn joined(&self, each: &mut dyn FnMut(&[u8]) -> Result<(), pgc::Error>) -> anyhow::Result<u64> {
        let archives: Vec<&Archive> = self.archives.iter().collect();
        let options = TextOptions {
            threads: self.threads(),
            memory: self.args.memory / 4,
            temp_dir: self.temp_dir(),
        };
        let mut joiner = Joiner::new();
        let mut games = self
            .games
            .iter()
            .map(|&(archive, game)| Ok((archive as usize, game)));
        texts(&archives, &mut games, &options, &mut |text| {
            if interrupt::requested() {
                return Err(pgc::Error::Cancelled);
            }
            joiner
                .next(text)
                .into_iter()
                .filter(|part| !part.is_empty())
                .try_for_each(&mut *each)
        })
        .map_err(|fault| self.blame(fault))?;
        if joiner.closed() > 0 && !self.args.quiet {
            let games = counted(joiner.closed(), "game was", "games were");
            note(&format!(
                "{games} ended: without that the next would have run into it"
            ));
        }
        Ok(joiner.run_together())
    }

    fn temp_dir(&self) -> PathBuf {
        if let Some(folder) = &self.args.temp_dir {
            return folder.clone();
        }
        let beside = self.file().and_then(Path::parent);
        match beside {
            Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
            Some(folder) => folder.to_owned(),
            None => std::env::temp_dir(),
        }
    }

    fn pgn(&self, out: &mut Output, terminal: bool) -> anyhow::Result<u64> {
        self.joined(&mut |bytes| {
            if !terminal {
                return Ok(out.write_all(bytes)?);
            }
            for line in text_of(bytes).split_inclusive('\n') {
                let end = if line.ends_with('\n') { "\n" } else { "" };
                write!(
                    out,
                    "{}{end}",
                    printable(line.trim_end_matches(['\r', '\n']))
                )?;
            }
            Ok(())
        })
    }

    /// Packs the games, and makes the index.
    fn archive(&self, mut output: Output, path: &Path) -> anyhow::Result<Exit> {
        let (sender, receiver) = sync_channel::<Vec<u8>>(4);
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
            + ".pgn";
        let options = PackOptions {
            threads: self.threads(),
            ..PackOptions::default()
        };
        let packed = thread::scope(|scope| {
            let out = &mut output;
            let packer = thread::Builder::new().spawn_scoped(scope, move || {
                pgc::pack(
                    &mut Pipe {
                        receiver,
                        rest: Vec::new(),
                        at: 0,
                    },
                    &name,
                    out,
                    &options,
                    &mut NoHooks,
                )
            })?;
            let mut piece = Vec::new();
            let mut send = |bytes: &[u8], last: bool| {
                piece.extend_from_slice(bytes);
                if piece.len() < 1 << 16 && !last {
                    return Ok(());
                }
                // Nobody takes it: packing failed, and says why.
                sender
                    .send(std::mem::take(&mut piece))
                    .map_err(|_| pgc::Error::Cancelled)
            };
            let sent = self
                .joined(&mut |bytes| send(bytes, false))
                .and_then(|_| Ok(send(b"", true)?));
            drop(sender);
            let packed = packer.join().map_err(|_| anyhow!("packing stopped"))?;
            match (packed, sent) {
                (Err(error), _) => Err(error).named(|| shown(path)),
                (_, Err(error)) => Err(error),
                (Ok(summary), Ok(())) => Ok(summary),
            }
        })?;
        output.commit().named(|| shown(path))?;
        let games = self.games.len() as u64;
        self.index(path).named(|| shown(path))?;
        if packed.games == games {
            return Ok(Exit::Done);
        }
        // What was packed is counted, so that games that were added would be seen too.
        note(&format!(
            "{}: {games} games became {}: some ran together or apart",
            shown(path),
            packed.games
        ));
        Ok(Exit::Partly)
    }

    fn index(&self, path: &Path) -> anyhow::Result<()> {
        let mut out = indexed::create(&index_path(path), self.args.force, path)?;
        let build =
            indexed::build_options(self.args.memory, self.args.temp_dir.as_deref(), path, false);
        let options = IndexOptions {
            build,
            threads: self.threads(),
            pgn2pgc: false,
        };
        pgc::archive::indexing::run::index(
            &mut File::open(path)?,
            &mut Interruptible(&mut out),
            &options,
            &mut NoHooks,
        )?;
        Ok(out.commit()?)
    }
}

fn sort_key(sort: Sort) -> Option<SortKey> {
    Some(match sort {
        Sort::Number => return None,
        Sort::Date => SortKey::Date,
        Sort::White => SortKey::White,
        Sort::Black => SortKey::Black,
        Sort::Event => SortKey::Event,
        Sort::Site => SortKey::Site,
        Sort::Round => SortKey::Round,
        Sort::Result => SortKey::Result,
        Sort::Eco => SortKey::Eco,
        Sort::Elo => SortKey::Elo,
        Sort::WhiteElo => SortKey::WhiteElo,
        Sort::BlackElo => SortKey::BlackElo,
        Sort::Plies => SortKey::Plies,
    })
}

/// What one thread sends and another reads.
struct Pipe {
    receiver: Receiver<Vec<u8>>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.rest.len() {
            match self.receiver.recv() {
                Ok(bytes) => (self.rest, self.at) = (bytes, 0),
                Err(_) => return Ok(0),
            }
        }
        let count = buf.len().min(self.rest.len() - self.at);
        buf[..count].copy_from_slice(&self.rest[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
