//! `pgc serve`: a page on the local machine that searches archives and shows their games.

mod answers;
mod api;
mod boards;
mod engine;
mod files;
mod notebook;
mod save;
mod shelf;
mod site;
mod token;
mod turns;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use clap::ValueHint;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::args::find::Lookup;
use crate::commands::find::archives;
use crate::failure::Exit;
use crate::files::destination::is_same;
use crate::interrupt;
use crate::show::output::{note_line, print_line};
use api::Api;
use engine::{Engine, EngineOptions};
use shelf::Shelf;
use site::Site;
use turns::QUESTIONS;

/// The port of the page if the user names none, and it is free: a browser keeps its notebook and its
/// choices for each port.
const PORT: u16 = 7642;

/// Show archives in the browser: search, board, opening tree, statistics
///
/// Prints the address of a page and serves the page until interrupted (Ctrl-C). Only this machine
/// can reach the page, and only with the random token in its address. What a user makes of games is
/// kept by the browser, and saved as PGN from there. Nothing is written but the file of --token-file,
/// and the archive of --notebook.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/serve.txt"))]
pub(super) struct ServeArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    /// The port to listen on [default: 7642 if it is free, else any]
    ///
    /// A browser keeps the notebook of the page for each port.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Read the token from this file, or write a new one into it, so that the address works again
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,
    /// Let the page add games to this archive, and show it with the others
    ///
    /// A button of the page adds a game with the user's moves, comments and arrows, as `pgc add`
    /// does. If there is no such archive, it is made, without games.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    notebook: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    lookup: Lookup,
}

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<Exit> {
    let (mut paths, exit) = archives(&args.archives, args.lookup.run.quiet)?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    if let Some(path) = &args.notebook {
        notebook::make(path)?;
        paths.retain(|known| !is_same(known, path));
        paths.push(path.clone());
    }
    let shelf = Shelf::open(paths, args.lookup.clone())?;
    // The first tree leaves out copies. An error is told by that tree.
    let (edition, lookup) = (shelf.edition(), args.lookup.clone());
    thread::spawn(move || {
        interrupt::watch();
        edition.without_copies(&mut [], &lookup)
    });
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(QUESTIONS)
        .build()
        .context("the server cannot start")?;
    let api = Api::new(shelf, Engine::start(&args.engine)?, args.notebook.clone());
    let served = runtime.block_on(serve(args, api));
    // A question that is still being answered does not keep the program from ending.
    runtime.shutdown_background();
    served?;
    Ok(Exit::Done)
}

async fn serve(args: &ServeArgs, api: Api) -> anyhow::Result<()> {
    let (port, other) = args.port.map_or((PORT, 0), |port| (port, port));
    let usual = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = match usual {
        Ok(listener) => listener,
        Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, other))
            .await
            .with_context(|| format!("127.0.0.1:{port}: cannot listen"))?,
    };
    let port = listener.local_addr()?.port();
    let token = token::read_or_made(args.token_file.as_deref())?;
    let site = Site::new(port, token, api);
    let address = site.address();
    print_line(&address)?;
    if !args.lookup.run.quiet {
        note_line("Open this address in a browser. Ctrl-C ends the server.");
    }
    Arc::new(site).serve(&listener).await;
    Ok(())
}
