//! Games of several archives, written to one file.

use std::io::Write;
use std::path::{Path, PathBuf};

use pgc::ask::texts::{TextOptions, texts};
use pgc::fault::ArchiveFault;
use pgc::foreign::sgf::write::put_sgf;
use pgc::indexing::Indexing;
use pgc::join::boundary::Joiner;
use pgc::{Archive, PackOptions, SourceText};
use pgc_io::output::Output;
use pgc_pgn::from_ply::from_ply;
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::respell::respelled;

use super::destination;
use super::failure::{self, Exit, Incomplete};
use super::find_args::Lookup;
use super::indexed::NewArchive;
use super::interrupt;
use super::options::{NEW_INDEX, build_options};
use super::output::{counted, counted_as, shown, shown_output};
use super::packing::repack;
use super::screen::TextOutput;

/// Games of several archives, and how to write them.
pub(super) struct Gathered<'a> {
    pub(super) archives: &'a [Archive],
    /// The games, in order: position in `archives`, number of the game from 0.
    pub(super) games: &'a [(u32, u32)],
    /// For each game the number of plies to cut off; empty if the games are written whole.
    pub(super) cut: Vec<u32>,
    /// The piece letters of the moves; `None` is English.
    pub(super) letters: Option<&'static PieceLetters>,
    /// The file to write; `None` for standard output.
    pub(super) file: Option<&'a Path>,
    pub(super) lookup: &'a Lookup,
    pub(super) memory: usize,
    /// Write a file even if games are missing.
    pub(super) partial: bool,
    pub(super) force: bool,
}

/// A callback for the position of a game in [`Gathered::games`], and its text.
pub(super) type PlacedText<'a> = dyn FnMut(usize, &[u8]) -> Result<(), pgc::Error> + 'a;

/// What was written.
#[derive(Clone, Copy)]
pub(super) struct Written {
    /// The number of games, without those in damaged blocks.
    pub(super) games: u64,
    /// How many of them run together with the game before.
    pub(super) run_together: u64,
}

impl Written {
    /// So many games, each apart from the others.
    pub(super) fn separate(games: u64) -> Written {
        let run_together = 0;
        Written {
            games,
            run_together,
        }
    }
}

impl Gathered<'_> {
    pub(super) fn temp_dir(&self) -> PathBuf {
        self.lookup.temp_dir_beside(self.file)
    }

    /// Adds the path of the archive that an error is about.
    pub(super) fn blame(&self, fault: ArchiveFault) -> anyhow::Error {
        failure::of_archive(fault, |archive| self.archives[archive].path())
    }

    /// Prints the number of games in the file.
    pub(super) fn tell_written(&self, written: Written) {
        if let Some(path) = self.file.filter(|_| !self.lookup.run.quiet) {
            let games = counted(written.games, "game");
            note_line!("{}: {games}", shown(path));
        }
    }

    /// Refuses to write a file if games are missing, unless `partial` is set.
    pub(super) fn may_commit(&self) -> anyhow::Result<()> {
        let damaged = self
            .archives
            .iter()
            .any(|archive| !archive.gaps().is_empty());
        if damaged && self.file.is_some() && !self.partial {
            return Err(Incomplete.into());
        }
        Ok(())
    }

    /// Passes the texts of the games to `each`, without the plies to cut off.
    fn texts(&self, archives: &[&Archive], each: &mut PlacedText<'_>) -> Result<(), ArchiveFault> {
        let options = TextOptions {
            threads: self.lookup.run.jobs,
            memory: self.memory / 4,
            temp_dir: self.temp_dir(),
        };
        let games = self.games.iter();
        let mut games = games.map(|&(archive, game)| Ok((archive as usize, game)));
        texts(archives, &mut games, &options, &mut |rank, text| {
            interrupt::cancelled()?;
            let rank = usize::try_from(rank).unwrap_or(usize::MAX);
            let cut = self
                .cut
                .get(rank)
                .and_then(|&ply| from_ply(text, ply as usize));
            each(rank, cut.as_deref().unwrap_or(text))
        })
    }

    /// As [`Gathered::texts`]; an error names its archive.
    pub(super) fn each_text(&self, each: &mut PlacedText<'_>) -> anyhow::Result<()> {
        let archives: Vec<&Archive> = self.archives.iter().collect();
        let passed = self.texts(&archives, each);
        passed.map_err(|fault| self.blame(fault))
    }

    /// Passes the texts of the games to `each`, and between them the text that keeps them separate
    /// games.
    fn joined(
        &self,
        archives: &[&Archive],
        each: &mut dyn FnMut(&[u8]) -> Result<(), pgc::Error>,
    ) -> Result<Written, ArchiveFault> {
        let (mut joiner, mut written) = (Joiner::new(), 0);
        self.texts(archives, &mut |_, text| {
            written += 1;
            let shown = self.letters.map(|letters| respelled(text, letters));
            joiner
                .next(shown.as_deref().unwrap_or(text))
                .into_iter()
                .filter(|part| !part.is_empty())
                .try_for_each(&mut *each)
        })?;
        if joiner.closed() > 0 && !self.lookup.run.quiet {
            let games = counted_as(joiner.closed(), "game was", "games were");
            note!("{games} closed, so that the next game does not run into it");
        }
        Ok(Written {
            games: written,
            run_together: joiner.run_together(),
        })
    }

    /// Writes the texts of the games.
    pub(super) fn pgn(&self, out: &mut TextOutput) -> anyhow::Result<Written> {
        let archives: Vec<&Archive> = self.archives.iter().collect();
        let joined = self.joined(&archives, &mut |bytes| Ok(out.write_all(bytes)?));
        joined.map_err(|fault| self.blame(fault))
    }

    /// Writes the games as SGF.
    pub(super) fn sgf(&self, mut out: TextOutput) -> anyhow::Result<Exit> {
        let (mut games, mut with_text, mut tree) = (0, 0, Vec::new());
        self.each_text(&mut |_, text| {
            tree.clear();
            with_text += u64::from(put_sgf(&mut tree, text));
            games += 1;
            Ok(out.write_all(&tree)?)
        })?;
        let exit = self.commit(out, Written::separate(games))?;
        if with_text > 0 && !self.lookup.run.quiet {
            let games = counted_as(with_text, "game has", "games have");
            note!("{games} text that is not chess, in the property TEXT");
        }
        Ok(exit)
    }

    /// Completes a file of texts.
    pub(super) fn commit(&self, out: TextOutput, written: Written) -> anyhow::Result<Exit> {
        self.may_commit()?;
        out.commit()?;
        self.tell_written(written);
        if written.run_together == 0 {
            return Ok(Exit::Done);
        }
        let name = shown_output(self.file.unwrap_or(Path::new("-")));
        let games = written.games;
        note!(
            "{name}: only {} of {games} games can be told apart: some ran together",
            games - written.run_together
        );
        Ok(Exit::Partly)
    }

    /// Packs the games into an archive and writes its index.
    pub(super) fn archive(&self, mut output: Output, path: &Path) -> anyhow::Result<Exit> {
        let options = PackOptions {
            threads: self.lookup.run.jobs,
            form: destination::form_of(path),
            text: Some(SourceText::Pgn),
            ..PackOptions::default()
        };
        let new = NewArchive::new(path, true, self.force)?;
        let build = build_options(self.memory, Some(&self.temp_dir()), path, NEW_INDEX);
        let mut indexing = Indexing::new(build);
        let archives: Vec<&Archive> = self.archives.iter().collect();
        let (packed, written) = repack(
            &archives,
            |feed| self.joined(&archives, &mut |bytes| feed.write(bytes)),
            (path, &mut output),
            &options,
            Some(&mut indexing),
        )?;
        self.may_commit()?;
        let indexed = new.finish(output, Some(indexing))?;
        self.tell_written(written);
        let games = written.games;
        indexed?;
        new.tell_left(self.lookup.run.quiet);
        if packed.games == games {
            return Ok(Exit::Done);
        }
        // The count comes from packing, so it also shows games that were split.
        note!(
            "{}: {games} games became {}: some ran together or were split",
            shown(path),
            packed.games
        );
        Ok(Exit::Partly)
    }
}
