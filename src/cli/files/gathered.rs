//! Games of several archives, written to one file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pgc::ask::texts::{TextOptions, texts};
use pgc::{
    Archive, PackOptions, Sink, SourceText, foreign::sgf::write::put_sgf, indexing::Indexing,
    join::boundary::Joiner, join::feed::feed, pack::pack_indexed,
};
use pgc_io::output::Output;
use pgc_pgn::{piece_letters::PieceLetters, respell::respelled};

use crate::args::find::Lookup;
use crate::args::options::build_options;
use crate::failure::{Exit, INCOMPLETE, WithName};
use crate::files::{destination, indexed::NewArchive};
use crate::interrupt;
use crate::show::output::{counted, counted_as, shown, shown_output};
use crate::show::{
    screen::TextOutput,
    watch::{Bar, Watch},
};

/// Games of several archives, and how to write them.
pub(crate) struct Gathered<'a> {
    pub(crate) archives: Vec<&'a Archive>,
    /// The games, in order: position in `archives`, number of the game from 0.
    pub(crate) games: &'a [(u32, u32)],
    /// The piece letters of the moves; `None` is English.
    pub(crate) letters: Option<&'static PieceLetters>,
    /// The file to write; `None` for standard output.
    pub(crate) file: Option<&'a Path>,
    pub(crate) lookup: &'a Lookup,
    pub(crate) memory: usize,
    /// Write a file even if games are missing.
    pub(crate) partial: bool,
    pub(crate) force: bool,
}

/// A callback for the position of a game in [`Gathered::games`], and its text.
pub(crate) type PlacedText<'a> = dyn FnMut(usize, &[u8]) -> Result<(), pgc::Error> + 'a;

impl Gathered<'_> {
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.lookup.temp_dir_beside(self.file)
    }

    /// Says what is in the file, or the folder.
    pub(crate) fn tell_written(&self, what: &str) {
        if let Some(path) = self.file.filter(|_| !self.lookup.run.quiet) {
            note_line!("{}: {what}", shown(path));
        }
    }

    /// Completes the file, and says what is in it.
    pub(crate) fn complete(&self, out: TextOutput, what: &str) -> anyhow::Result<()> {
        self.may_commit()?;
        out.commit()?;
        self.tell_written(what);
        Ok(())
    }

    /// Refuses to write a file if games are missing, unless `partial` is set.
    pub(crate) fn may_commit(&self) -> anyhow::Result<()> {
        let mut archives = self.archives.iter();
        let is_damaged = archives.any(|archive| !archive.gaps().is_empty());
        if is_damaged && self.file.is_some() && !self.partial {
            return Err(Exit::Damaged.error(INCOMPLETE));
        }
        Ok(())
    }

    /// Passes the texts of the games to `each`, without the plies to cut off.
    pub(crate) fn each_text(&self, each: &mut PlacedText<'_>) -> Result<(), pgc::Error> {
        let options = TextOptions {
            threads: self.lookup.run.jobs,
            memory: self.memory / 4,
            temp_dir: self.temp_dir(),
        };
        let games = self.games.iter();
        let games = games.map(|&(archive, game)| (archive as usize, game));
        texts(&self.archives, games, &options, &mut |rank, text| {
            interrupt::cancelled()?;
            each(usize::try_from(rank).unwrap_or(usize::MAX), text)
        })
    }

    /// Passes the texts of the games to `each`, and between them the text that keeps them separate
    /// games. Returns the number of games, without those in damaged blocks, and how many of them run
    /// together with the game before.
    fn joined(
        &self,
        each: &mut dyn FnMut(&[u8]) -> Result<(), pgc::Error>,
    ) -> Result<(u64, u64), pgc::Error> {
        let (mut joiner, mut written) = (Joiner::default(), 0);
        self.each_text(&mut |_, text| {
            written += 1;
            let shown = self.letters.map(|letters| respelled(text, letters));
            let parts = joiner.next(shown.as_deref().unwrap_or(text)).into_iter();
            let mut parts = parts.filter(|part| !part.is_empty());
            parts.try_for_each(&mut *each)
        })?;
        if joiner.closed() > 0 && !self.lookup.run.quiet {
            let games = counted_as(joiner.closed(), "game was", "games were");
            note!("{games} closed, so that the next game does not run into it");
        }
        Ok((written, joiner.run_together()))
    }

    /// Writes the texts of the games. Returns how many there are, and how many run together with the
    /// game before.
    pub(crate) fn pgn(&self, out: &mut TextOutput) -> anyhow::Result<(u64, u64)> {
        Ok(self.joined(&mut |bytes| Ok(out.write_all(bytes)?))?)
    }

    /// Writes the games as SGF.
    pub(crate) fn sgf(&self, mut out: TextOutput) -> anyhow::Result<Exit> {
        let (mut games, mut with_text, mut tree) = (0, 0, Vec::new());
        self.each_text(&mut |_, text| {
            tree.clear();
            with_text += u64::from(put_sgf(&mut tree, text));
            games += 1;
            Ok(out.write_all(&tree)?)
        })?;
        let exit = self.commit(out, (games, 0))?;
        if with_text > 0 && !self.lookup.run.quiet {
            let games = counted_as(with_text, "game has", "games have");
            note!("{games} text that is not chess, in the property TEXT");
        }
        Ok(exit)
    }

    /// Completes a file of so many games, of which some run together with the game before.
    pub(crate) fn commit(&self, out: TextOutput, written: (u64, u64)) -> anyhow::Result<Exit> {
        let (games, apart) = (written.0, written.0 - written.1);
        self.complete(out, &counted(games, "game"))?;
        if apart < games {
            let name = shown_output(self.file.unwrap_or(Path::new("-")));
            note!("{name}: only {apart} of {games} games can be told apart: some ran together");
        }
        Ok(Exit::partly_if(apart < games))
    }

    /// Packs the games into an archive and writes its index.
    pub(crate) fn archive(&self, mut output: Output) -> anyhow::Result<Exit> {
        let path = self.file.context("an archive needs a file name")?;
        let options = PackOptions {
            threads: self.lookup.run.jobs,
            form: destination::form_of(path),
            text: Some(SourceText::Pgn),
            ..PackOptions::default()
        };
        let new = NewArchive::new(path, true, self.force)?;
        let build = build_options(self.memory, Some(&self.temp_dir()), path, true);
        let mut indexing = Indexing::new(build);
        let stem = path.file_stem().unwrap_or_default();
        let name = format!("{}.pgn", stem.to_string_lossy());
        let bar = Bar::default();
        let (mut watch, index) = (Watch::silent(&bar), Some(&mut indexing));
        // One thread supplies the texts that another packs.
        let fed = feed(
            |feed| self.joined(&mut |bytes| Ok(feed.write(bytes)?)),
            |source| pack_indexed(source, &name, &mut output, &options, &mut watch, index),
        );
        let (packed, (games, _)) = fed.at(path)?;
        self.may_commit()?;
        let indexed = new.finish(output, Some(indexing))?;
        self.tell_written(&counted(games, "game"));
        indexed?;
        new.tell_left(self.lookup.run.quiet);
        // The count comes from packing, so it also shows games that were split.
        let (path, now) = (shown(path), packed.games);
        if now != games {
            note!("{path}: {games} games became {now}: some ran together or were split");
        }
        Ok(Exit::partly_if(now != games))
    }
}
