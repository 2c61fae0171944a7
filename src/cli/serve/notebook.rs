//! Adds games of the page to the archive of --notebook.

use std::fs::{self, File};
use std::path::Path;

use anyhow::bail;
use clap::{Args, Command, FromArgMatches};
use pgc::{NoHooks, PackOptions, pack};

use crate::args::find::Lookup;
use crate::args::pack::AddArgs;
use crate::commands::add;
use crate::failure::{Exit, WithName};
use crate::files::destination::{ARCHIVES, form_of, has_ending};
use crate::show::output::shown;

/// The source that is added.
const SOURCE: &str = "notebook.pgn";

/// Makes an archive without games, if there is no file.
pub(super) fn make(archive: &Path) -> anyhow::Result<()> {
    if archive.exists() {
        return Ok(());
    }
    if !has_ending(archive, &ARCHIVES) {
        bail!("{}: name a notebook .pgc or .pgcz", shown(archive));
    }
    let options = PackOptions {
        form: form_of(archive),
        ..PackOptions::default()
    };
    let mut file = File::create_new(archive).at(archive)?;
    pack(&mut &b""[..], SOURCE, &mut file, &options, &mut NoHooks).at(archive)?;
    Ok(())
}

/// Adds the games of a text to an archive, as `pgc add` does; returns the number of the first one.
pub(super) fn add(archive: &Path, text: &[u8], lookup: &Lookup) -> anyhow::Result<u64> {
    let folder = tempfile::tempdir_in(lookup.temp_dir())?;
    let source = folder.path().join(SOURCE);
    fs::write(&source, text)?;
    let command = AddArgs::augment_args(Command::new("add").no_binary_name(true));
    let words = ["-q".as_ref(), "--".as_ref(), archive, &source];
    let args = AddArgs::from_arg_matches(&command.try_get_matches_from(words)?)?;
    match add::add(&args)? {
        (Exit::Done | Exit::Partly, before) => Ok(before + 1),
        _ => bail!("the games cannot be added: try `pgc add`"),
    }
}
