//! `pgc find -o FILE.parquet`: tables of games and positions (spec/tables.md).

use anyhow::bail;

use super::find_args::{FindArgs, FindFormat};

#[cfg(feature = "parquet")]
pub(super) use super::table_files::{prepare_folder, write};
#[cfg(not(feature = "parquet"))]
pub(super) use without::{prepare_folder, write};

/// Refuses options that do not fit the format.
pub(super) fn check(args: &FindArgs, format: FindFormat) -> anyhow::Result<()> {
    if format != FindFormat::Parquet {
        if args.table.is_some() || !args.with.is_empty() {
            bail!("--table and --with belong to Parquet files: name one with -o FILE.parquet");
        }
        return Ok(());
    }
    if cfg!(not(feature = "parquet")) {
        bail!(
            "this pgc was built without Parquet: build it with `cargo install --path . --features parquet`"
        );
    }
    if args.file().is_none() {
        bail!("Parquet cannot go to standard output: name a file or a folder with -o");
    }
    #[cfg(feature = "parquet")]
    super::table_files::selection(args)?;
    Ok(())
}

#[cfg(not(feature = "parquet"))]
mod without {
    use std::path::Path;

    use anyhow::bail;
    use pgc_io::output::Output;

    use crate::exit::Exit;
    use crate::find_args::FindArgs;
    use crate::gathered::Gathered;

    // `check` refuses Parquet before these are called.

    pub(crate) fn prepare_folder(_: &Path, _: bool) -> anyhow::Result<()> {
        bail!("built without Parquet")
    }

    pub(crate) fn write(_: &Gathered<'_>, _: Option<Output>, _: &FindArgs) -> anyhow::Result<Exit> {
        bail!("built without Parquet")
    }
}
