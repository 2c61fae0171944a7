//! `pgc records`.

use pgc::internals::io::Counter;
use pgc::internals::io::Output;

use super::archive;
use super::args::Records;
use super::exit::Exit;
use super::failure::Named;
use super::output::shown;
use super::watch::Reading;

pub(super) fn run(args: &Records) -> anyhow::Result<Exit> {
    let mut source = archive::open(&args.archive, &Counter::default())?;
    let mut output = Output::stdout();
    let mut hooks = Reading::new(shown(&args.archive), None);
    let result = pgc::internals::foreign::records(&mut source.reader, &mut output, &mut hooks);
    // What was read before the damage is shown too.
    output.commit().named(|| "standard output".to_owned())?;
    result.named(|| shown(&args.archive))?;
    Ok(Exit::Done)
}
