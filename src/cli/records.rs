//! `pgc records`.

use pgc_io::input::Counter;
use pgc_io::output::Output;

use super::archive;
use super::args::RecordsArgs;
use super::failure::{Exit, WithName};
use super::output::shown;
use super::watch::ArchiveWatch;

pub(super) fn run(args: &RecordsArgs) -> anyhow::Result<Exit> {
    let mut source = archive::open(&args.archive, &Counter::default())?;
    let mut output = Output::stdout();
    let mut hooks = ArchiveWatch::passing(shown(&args.archive), None);
    let result = pgc::listing::records(&mut source.reader, &mut output, &mut hooks);
    // The records before the damage are printed too.
    output.commit().named(|| "standard output".to_owned())?;
    result.at(&args.archive)?;
    Ok(hooks.exit())
}
