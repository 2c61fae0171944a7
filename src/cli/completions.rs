//! `pgc completions`.

use std::io::Write;

use clap::CommandFactory;
use pgc_io::output::Output;

use super::args::{Args, CompletionsArgs};
use super::failure::Exit;

pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    // Generated into memory, since the generator panics if a pipe breaks.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "pgc", &mut script);
    let mut output = Output::stdout();
    output.write_all(&script)?;
    output.commit()?;
    Ok(Exit::Done)
}
