//! `pgc man` and `pgc completions`: what is generated from the command line.

use std::fs;
use std::io::Write;

use anyhow::Context;
use clap::builder::Resettable;
use clap::{Arg, Args, Command};
use pgc_io::output::Output;

use crate::args::find::FindArgs;
use crate::args::{self, CompletionsArgs, ManArgs};
use crate::failure::{Exit, WithName};

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.out_dir {
        fs::create_dir_all(folder).at(folder)?;
        clap_mangen::generate_to(command(), folder).at(folder)?;
        return Ok(Exit::Done);
    }
    let page_of = match &args.of {
        None => command(),
        Some(name) => {
            // `build` gives the subcommand its full name, `pgc find`, for the page.
            let mut all = command();
            all.build();
            let found = all.find_subcommand(name).cloned();
            found.with_context(|| format!("{name}: no such command"))?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(page_of).render(&mut page)?;
    print(&page)
}

pub(crate) fn run_completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    // Generated into memory, since the generator panics if a pipe breaks.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "pgc", &mut script);
    print(&script)
}

fn print(generated: &[u8]) -> anyhow::Result<Exit> {
    let mut output = Output::stdout();
    output.write_all(generated)?;
    output.commit()?;
    Ok(Exit::Done)
}

/// The command line with all its options: the help hides rare questions and the opposites of all, the
/// manual shows them.
fn command() -> Command {
    let all = args::command().mut_subcommand("find", |find| {
        find.defer(|find| FindArgs::augment_args(find).mut_args(|arg: Arg| arg.hide(false)))
    });
    let after = all.get_after_help().cloned().unwrap_or_default();
    // The pages are the same on every processor.
    all.long_version(Resettable::Reset).after_help(format!(
        "{after}\n\nEach command has a page with its options: `pgc man COMMAND`."
    ))
}
