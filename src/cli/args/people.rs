//! The names of people: which spellings a question for a player matches.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueHint;
use pgc::beside::alias_path;
use pgc_index::{AliasError, AliasNames, NamePattern, Query, read_aliases};

use crate::failure::WithName;
use crate::show::output::shown;

/// Options for names of players.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PeopleOptions {
    /// A file of aliases, in the format of Scid's spelling files [default: games.ssp beside
    /// games.pgc, if there is one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "as_spelled")]
    aliases: Option<PathBuf>,
    /// Match names of players only as they are spelled: no initials for given names, no other
    /// transliterations, no aliases
    #[arg(long)]
    as_spelled: bool,
}

impl PeopleOptions {
    /// Checks that the file of aliases can be read.
    #[cfg(feature = "serve")]
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let mut anybody = NamePattern::person("a")?;
        self.prepare_patterns(std::iter::once(&mut anybody))
    }

    /// The query with the spellings that the options ask for. [`PeopleOptions::beside`] adds those
    /// of an alias file beside an archive.
    pub(crate) fn prepare(&self, mut query: Query) -> anyhow::Result<Query> {
        self.prepare_patterns(query.players_mut())?;
        Ok(query)
    }

    /// As [`PeopleOptions::prepare`], for patterns.
    pub(crate) fn prepare_patterns<'p>(
        &self,
        patterns: impl Iterator<Item = &'p mut NamePattern>,
    ) -> anyhow::Result<()> {
        let patterns = patterns.collect::<Vec<_>>();
        if self.as_spelled {
            for pattern in patterns {
                *pattern = pattern.clone().as_spelled();
            }
        } else if let Some(path) = &self.aliases
            && !read(path, patterns)?
        {
            bail!("{}: no such file", shown(path));
        }
        Ok(())
    }

    /// The query for an archive, with the alias file beside the archive, unless the options name
    /// another one.
    pub(crate) fn beside(&self, query: &Query, archive: &Path) -> anyhow::Result<Query> {
        let mut own = query.clone();
        self.beside_patterns(own.players_mut(), archive)?;
        Ok(own)
    }

    /// As [`PeopleOptions::beside`], for patterns.
    pub(crate) fn beside_patterns<'p>(
        &self,
        patterns: impl Iterator<Item = &'p mut NamePattern>,
        archive: &Path,
    ) -> anyhow::Result<()> {
        if self.as_spelled || self.aliases.is_some() {
            return Ok(());
        }
        let path = alias_path(archive);
        // Opening a pipe would wait for a program that writes to it.
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            bail!("{}: is not a file", shown(&path));
        }
        read(&path, patterns.collect()).map(drop)
    }
}

/// Reads an alias file, if a pattern is for people; returns whether the file exists.
fn read(path: &Path, mut patterns: Vec<&mut NamePattern>) -> anyhow::Result<bool> {
    use io::ErrorKind::{InvalidFilename, NotFound};
    let file = match File::open(path) {
        Ok(file) => file,
        // No file has a name that is too long.
        Err(error) if matches!(error.kind(), NotFound | InvalidFilename) => return Ok(false),
        Err(error) => return Err(error).at(path),
    };
    patterns.retain(|pattern| pattern.is_person());
    if patterns.is_empty() {
        return Ok(true);
    }
    let mut reader = BufReader::with_capacity(1 << 16, file);
    at_line(path, read_aliases(&mut reader, patterns)).map(|()| true)
}

/// Reads all names of an alias file.
pub(crate) fn read_names(path: &Path) -> anyhow::Result<AliasNames> {
    let file = File::open(path).at(path)?;
    at_line(
        path,
        AliasNames::read(&mut BufReader::with_capacity(1 << 16, file)),
    )
}

/// Names the file, and the line, of an error in it.
fn at_line<T>(path: &Path, read: Result<T, AliasError>) -> anyhow::Result<T> {
    match read {
        Err(AliasError::Line { line, what }) => bail!("{}:{line}: {what}", shown(path)),
        read => read.at(path),
    }
}
