//! Collects the inputs of `pack`, `add` and `lint`, PGN and archives, from arguments, folders and lists.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc::join::feed::unpack_each;
use pgc::{SourceText, Summary};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::{InputError, is_truncated, walk};

use crate::args::options::{InputPaths, ReadAs};
use crate::failure::{Exit, WithName};
use crate::files::mistaken::{Given, sorted_out};
use crate::files::{archive::open_input, encodings::AskedEncoding};
use crate::interrupt::{self, Pipe};
use crate::show::output::{counted_as, is_stdin, note_first, shown};
use crate::show::watch::{ArchiveWatch, Bar};

/// The inputs, in order.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) paths: Vec<PathBuf>,
    /// For each path, what stands before the names of its sources: its folder inside one that -r
    /// takes, with a `/` behind it.
    before: Vec<String>,
    /// Whether an argument is a folder; then the archive has no default path beside its input.
    pub(crate) from_folder: bool,
    /// The total length of the inputs, if known.
    pub(crate) bytes: Option<u64>,
    /// The number of bytes, decompressed, that each input may have.
    pub(crate) most: Option<u64>,
    /// The name of a source read from standard input.
    pub(crate) stdin_name: &'static str,
    /// The encoding of the inputs.
    pub(crate) encoding: AskedEncoding,
}

/// Collects the inputs named by arguments and by a list, of which there is at least one.
pub(crate) fn collect(args: &InputPaths, read_as: ReadAs) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs {
        bytes: Some(0),
        most: args.max_input.map(|most| most as u64),
        stdin_name: match read_as.epd {
            true => "stdin.epd",
            false => STDIN_NAME,
        },
        encoding: read_as.encoding,
        ..Inputs::default()
    };
    for path in &args.inputs {
        inputs.add(path, args.recursive)?;
    }
    if let Some(list) = &args.files_from {
        let unit = if args.null { "path" } else { "line" };
        let reader: Box<dyn Read> = match is_stdin(list) {
            true => Box::new(Pipe::stdin()?),
            false => Box::new(File::open(list).at(list)?),
        };
        for (number, path) in walk::list(BufReader::new(reader), args.null).at(list)? {
            let added = inputs.add(&path, args.recursive);
            added.with_context(|| format!("{}: {unit} {number}", shown(list)))?;
        }
    }
    let from_stdin = inputs.paths.iter().filter(|path| is_stdin(path)).count();
    if from_stdin + usize::from(args.files_from.as_deref().is_some_and(is_stdin)) > 1 {
        bail!("standard input can be named only once");
    }
    if inputs.paths.is_empty() {
        return Err(Exit::Partly.error("no PGN or EPD files found"));
    }
    Ok(inputs)
}

impl Inputs {
    fn add(&mut self, path: &Path, recursive: bool) -> anyhow::Result<()> {
        if is_stdin(path) {
            self.push(path.to_owned(), String::new(), None);
            return Ok(());
        }
        let length = |metadata: &Metadata| metadata.is_file().then_some(metadata.len());
        // Checked now, so that a wrong path is reported before the work begins.
        let metadata = fs::metadata(path).at(path)?;
        if !metadata.is_dir() {
            self.push(path.to_owned(), String::new(), length(&metadata));
            return Ok(());
        }
        if !recursive {
            let path = shown(path);
            bail!("{path}: is a folder (use -r to take the PGN and EPD files in it)");
        }
        self.from_folder = true;
        for file in walk::folder(path)? {
            let metadata = fs::metadata(&file).at(&file)?;
            let inside = file.strip_prefix(path).ok().and_then(Path::parent);
            let parts = inside.unwrap_or(Path::new("")).components();
            let before = parts.map(|part| format!("{}/", part.as_os_str().to_string_lossy()));
            self.push(file.clone(), before.collect(), length(&metadata));
        }
        Ok(())
    }

    fn push(&mut self, path: PathBuf, before: String, length: Option<u64>) {
        let bytes = self.bytes.zip(length);
        self.bytes = bytes.map(|(all, more)| all.saturating_add(more));
        self.paths.push(path);
        self.before.push(before);
    }
}

/// A reader that takes the early end of a compressed input for its end, and keeps the error.
pub(crate) struct Tolerant {
    inner: Box<dyn Read + Send>,
    /// `false` if the output cannot be withdrawn: then the error must end the run before the output
    /// looks complete.
    tolerate: bool,
    pub(crate) truncated: Option<io::Error>,
}

impl Tolerant {
    pub(crate) fn new(inner: Box<dyn Read + Send>, tolerate: bool) -> Tolerant {
        Tolerant {
            inner,
            tolerate,
            truncated: None,
        }
    }
}

impl Read for Tolerant {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.truncated.is_some() {
            return Ok(0);
        }
        match self.inner.read(buf) {
            Err(error) if self.tolerate && is_truncated(&error) => {
                self.truncated = Some(error);
                Ok(0)
            }
            result => result,
        }
    }
}

/// The most links of a zip or tar file that messages name.
const LINKS: usize = 10;

/// The name of a source read from standard input.
pub(crate) const STDIN_NAME: &str = "stdin.pgn";

/// Calls `one` with each source of the inputs and its label for messages; `first` is the first
/// input if it is already open; `one` returns whether the source has games. `quiet`: no notes.
/// Returns [`Exit::Partly`] if an input has no game.
pub(crate) fn each_source(
    inputs: &Inputs,
    mut first: Option<Input>,
    counter: &Counter,
    quiet: bool,
    mut one: impl FnMut(Given, &str) -> anyhow::Result<bool>,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    for (path, before) in inputs.paths.iter().zip(&inputs.before) {
        let input = match first.take() {
            Some(input) => input,
            None => open_input(path, inputs.stdin_name, counter)?,
        };
        let mut input = input.limited(inputs.most);
        let is_one = input.sources() == 1;
        let mut has_games = false;
        for source in input.by_ref() {
            let mut source = source.at(path)?;
            let label = match is_one {
                true => shown(path),
                false => format!("{}: {}", shown(path), source.name),
            };
            source.name.insert_str(0, before);
            let tell = (!quiet).then_some(&*label);
            let given = sorted_out(source, inputs.encoding, tell);
            let (given, seems) = given.with_context(|| label.clone())?;
            let found = one(given, &label)?;
            has_games |= found;
            if !(found || quiet && has_games) {
                note!("{label}: has no game{seems} (its bytes are kept)");
            }
        }
        note_hidden(&input, path, quiet);
        if !has_games {
            exit = Exit::Partly;
        }
    }
    interrupt::cancelled()?;
    Ok(exit)
}

/// Refuses an archive whose sources together are longer than `most` bytes.
pub(crate) fn within(most: Option<usize>, sources: &[Summary]) -> anyhow::Result<()> {
    let bytes = sources.iter().map(|source| source.bytes_in);
    let bytes = bytes.fold(0, u64::saturating_add);
    match most.map(|most| most as u64).filter(|&most| bytes > most) {
        Some(most) => Err(io::Error::from(InputError::Limit(most)).into()),
        None => Ok(()),
    }
}

/// Calls `one` with each source of an archive: its name, its kind and its text. Errors of `one` name
/// their file themselves.
pub(crate) fn each_text(
    mut archive: Source,
    label: &str,
    bar: &Bar,
    threads: usize,
    mut one: impl FnMut(&str, SourceText, &mut (dyn Read + Send)) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut watch, mut is_named) = (ArchiveWatch::new(label.to_owned(), Some(bar)), false);
    let done = unpack_each(
        &mut archive.reader,
        threads,
        &mut watch,
        |name, kind, text| one(name, kind, text).inspect_err(|_| is_named = true),
    );
    match is_named {
        true => done,
        false => done.named(|| label.to_owned()),
    }
}

/// Prints which links and how many hidden files of a zip or tar file are left out; the latter unless
/// `quiet`.
pub(crate) fn note_hidden(input: &Input, path: &Path, quiet: bool) {
    let links = input.links().iter().map(|link| {
        let path = shown(path);
        format!("{path}: {link} is a link to another file and was left out")
    });
    note_first(LINKS, links);
    let hidden = input.hidden() as u64;
    if hidden > 0 && !quiet {
        let files = counted_as(hidden, "hidden file was", "hidden files were");
        note!("{}: {files} left out", shown(path));
    }
}
