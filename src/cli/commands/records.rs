//! `pgc records`.

use pgc_io::input::Counter;
use pgc_io::output::Output;

use crate::args::RecordsArgs;
use crate::failure::{Exit, WithName};
use crate::files::archive;
use crate::show::output::shown;
use crate::show::watch::ArchiveWatch;

pub(crate) fn run(args: &RecordsArgs) -> anyhow::Result<Exit> {
    let mut source = archive::open(&args.archive, &Counter::default())?;
    let mut output = Output::stdout();
    let mut hooks = ArchiveWatch::new(shown(&args.archive), None);
    let result = pgc::listing::records(&mut source.reader, &mut output, true, &mut hooks);
    // The records before the damage are printed too.
    output.commit().named(|| "standard output".to_owned())?;
    result.at(&args.archive)?;
    Ok(hooks.exit())
}
