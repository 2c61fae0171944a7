//! Options that several commands share, each defined once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::ValueHint;
use pgc::SourceText;
use pgc::indexing::IndexOptions;
use pgc_chess::EpSquare;
use pgc_index::BuildOptions;
use pgc_io::output::folder_of;
use pgc_pgn::piece_letters::{LANGUAGES, PieceLetters};

use crate::files::encodings::{self, AskedEncoding};

/// The headings of options in the help of commands that ask: questions come first, then these.
pub(crate) const OUTPUT: &str = "Output";
pub(crate) const RARE: &str = "Rare options";

/// The inputs of `pack`, `add` and `lint`.
#[derive(Debug, clap::Args)]
pub(crate) struct InputPaths {
    /// PGN or EPD files, archives, zip and tar files, folders (with -r), or `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present = "files_from", value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Take the files in folders, recursively: .pgn and .epd, both also with .gz, .bz2, .xz or
    /// .zst, .fen, and .zip and .tar
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// Take more inputs from a list, one path a line (`-` for standard input)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// Paths in the list end with a NUL byte instead of a line end
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,
    /// Refuse an input that decompresses to more bytes than this, for example 2G [default: no
    /// limit]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_input: Option<usize>,
}

/// The inputs of `pack` and `add`, and how they are read.
#[derive(Debug, clap::Args)]
pub(crate) struct InputOptions {
    #[command(flatten)]
    pub(crate) paths: InputPaths,
    #[command(flatten)]
    pub(crate) read_as: ReadAs,
    /// Write blocks without decoding them again and comparing them with the source
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Write every finding (irregularities, text that is not chess) to a file, as JSON Lines (`-`
    /// for standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
}

/// How to read the inputs. Archives among them store this, so the options do not apply to them.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ReadAs {
    /// Read the inputs as EPD, one position a line, whatever their names (a file whose name ends in
    /// .epd or .fen is always read as EPD)
    #[arg(long)]
    pub(crate) epd: bool,
    /// Read the moves of PGN with the piece letters of this language, by code or name (de, fr,
    /// Dutch); archives among the inputs keep theirs [default: English]
    #[arg(long, value_name = "LANGUAGE", value_parser = read_pieces, conflicts_with = "epd")]
    pub(crate) pieces: Option<&'static PieceLetters>,
    /// The encoding of the inputs (cp1251, koi8-r, gbk and so on; `auto` guesses that of each input,
    /// utf-8 takes every byte as it is): searches and exports then have the text in UTF-8, and
    /// unpacking gives the same bytes again. UTF-16 is recognised without it
    #[arg(long, value_name = "NAME", value_parser = encodings::asked, default_value = "utf-16", hide_default_value = true)]
    pub(crate) encoding: AskedEncoding,
}

impl ReadAs {
    /// The kind of a source with this name.
    pub(crate) fn text_of(self, name: &str) -> SourceText {
        match self.epd {
            true => SourceText::Epd,
            false => SourceText::from_name(name, self.pieces),
        }
    }
}

/// Parses the value of `--ep`.
pub(crate) fn ep_square(name: &str) -> Result<EpSquare, &'static str> {
    EpSquare::from_name(name).ok_or("write legal or always")
}

/// Piece letters to show moves with.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ShowPieces {
    /// Show moves with the piece letters of this language, by code or name (de, fr, Dutch), or as
    /// figurines (figurine) [default: as they are stored]
    #[arg(long, value_name = "LANGUAGE", value_parser = shown_pieces)]
    pub(crate) pieces: Option<&'static PieceLetters>,
}

impl ShowPieces {
    /// A move, or a text with one move, in these letters.
    pub(crate) fn respelled<'m>(self, san: &'m str) -> Cow<'m, str> {
        match self.pieces {
            Some(letters) => Cow::Owned(letters.respell(san)),
            None => Cow::Borrowed(san),
        }
    }
}

/// The codes of all languages.
fn codes() -> String {
    LANGUAGES.each_ref().map(|letters| letters.code).join(", ")
}

/// Parses the value of `--pieces` where games are read.
fn read_pieces(name: &str) -> Result<&'static PieceLetters, String> {
    PieceLetters::named(name).ok_or_else(|| format!("no such piece letters: use {}", codes()))
}

/// Parses the value of `--pieces` where games are shown.
fn shown_pieces(name: &str) -> Result<&'static PieceLetters, String> {
    PieceLetters::to_write(name)
        .ok_or_else(|| format!("no such piece letters: use figurine, {}", codes()))
}

/// Archives that are read from the first byte to the last.
#[derive(Debug, clap::Args)]
pub(crate) struct Archives {
    /// Archives, folders of archives, or `-` for standard input
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) archives: Vec<PathBuf>,
}

/// Options of commands that write archives.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WriteOptions {
    /// Write no index beside the archive
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Leave the first moves of the games out of the index, which is smaller then; questions about
    /// moves and positions then read the games
    #[arg(long)]
    pub(crate) no_positions: bool,
    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Options of every command that may run long.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// Threads, at most 64 [default: one for each processor]
    #[arg(
        short,
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) jobs: usize,
    /// Print no progress, no summary and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Options of every command that makes or checks an index.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkOptions {
    /// Memory to use, for example 1G; what does not fit goes to temporary files
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub(crate) memory: usize,
    /// Folder for temporary files [default: the folder of the output, or the system's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Print the summary as JSON on standard output, one object on each line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// The builder of an index gets this fraction of the run's memory; the rest is for packing.
const SHARE: usize = 8;

/// Options for building the index at the path `index`.
pub(crate) fn build_options(
    memory: usize,
    temp_dir: Option<&Path>,
    index: &Path,
    lines: bool,
) -> BuildOptions {
    BuildOptions {
        memory: memory / SHARE,
        temp_dir: temp_dir.unwrap_or(folder_of(index)).to_owned(),
        lines,
    }
}

impl WriteOptions {
    /// Whether a new index has the lines of games.
    pub(crate) fn lines(&self) -> bool {
        !self.no_positions
    }
}

impl WorkOptions {
    /// Options for building the index at `place` while the archive is written.
    pub(crate) fn build(&self, place: &Path, lines: bool) -> BuildOptions {
        build_options(self.memory, self.temp_dir.as_deref(), place, lines)
    }

    /// Options for making the index at `place` from an existing archive.
    pub(crate) fn index(&self, place: &Path, lines: bool) -> IndexOptions {
        IndexOptions::new(self.build(place, lines), self.run.jobs)
    }
}

/// Parses a size such as `256M` into a number of bytes.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let wrong = |_| "write a size as a whole number, with or without K, M or G: 256M".to_owned();
    let units = [
        (['k', 'K'], 1 << 10),
        (['m', 'M'], 1 << 20),
        (['g', 'G'], 1 << 30),
    ];
    let mut known = units.into_iter();
    let known = known.find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
    let (digits, unit) = known.unwrap_or((text, 1));
    let number: usize = digits.trim().parse().map_err(wrong)?;
    let size = number.checked_mul(unit);
    size.ok_or_else(|| "the size is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        assert_eq!(
            ["512", "4k", "256M", "2G"].map(size),
            [Ok(512), Ok(4096), Ok(256 << 20), Ok(2 << 30)]
        );
        for wrong in [
            "",
            "M",
            "1.5G",
            "-1",
            "99999999999999999999",
            "99999999999G",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
