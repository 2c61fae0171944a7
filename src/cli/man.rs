//! `pgc man`.

use std::fs;
use std::io::Write;

use anyhow::Context;
use clap::CommandFactory;
use pgc::io::output::Output;

use super::args::{Args, Man};
use super::exit::Exit;
use super::output::shown;

pub(super) fn run(args: &Man) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.out_dir {
        fs::create_dir_all(folder).with_context(|| shown(folder))?;
        clap_mangen::generate_to(Args::command(), folder).with_context(|| shown(folder))?;
        return Ok(Exit::Done);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut page)?;
    let mut output = Output::stdout();
    output.write_all(&page)?;
    output.commit()?;
    Ok(Exit::Done)
}
