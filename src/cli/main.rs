//! The command-line program: parses the arguments, calls the library, returns the exit code.

/// [`show::output::note`] of a formatted text.
macro_rules! note {
    ($($text:tt)*) => { $crate::show::output::note(&format!($($text)*)) };
}

/// [`show::output::note_line`] of a formatted text.
macro_rules! note_line {
    ($($text:tt)*) => { $crate::show::output::note_line(&format!($($text)*)) };
}

/// [`show::output::print_line`] of a formatted text.
macro_rules! print_line {
    ($($text:tt)*) => { $crate::show::output::print_line(&format!($($text)*)) };
}

mod args;
mod commands;
mod failure;
mod files;
mod interrupt;
#[cfg(feature = "serve")]
mod serve;
mod show;
#[cfg(unix)]
mod signals;

use std::process::ExitCode;
use std::{env, io};

use clap::{CommandFactory, FromArgMatches};

use args::{Args, Command, suggestions};
use commands::{
    add, dups, edit, find, get, import_sgf, index, info, lint, man, merge, names, pack, records,
    recovery, salvage, split, stats, table, test, tree, unpack, view,
};
use failure::Exit;
use files::indexed;
use show::output;

fn main() -> ExitCode {
    let matches = args::command_for(env::args_os()).try_get_matches();
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(mut error) => {
            suggestions::add_to(&mut error);
            // clap returns help and version as errors too; they go to stdout, with code 0.
            let printed = print(&error);
            let is_fine = error.exit_code() == 0 && printed.is_ok();
            return [Exit::Failure, Exit::Done][usize::from(is_fine)].into();
        }
    };
    // An error is ignored: without a handler Ctrl-C kills the process, and may leave a temporary file.
    #[cfg(unix)]
    let _ = signals::install();
    #[cfg(not(unix))]
    let _ = ctrlc::set_handler(interrupt::request);
    keep_memory();
    interrupt::watch();
    let ended = indexed::again_if_false(true, || run(&args.command));
    ended.unwrap_or_else(|error| failure::report(&error)).into()
}

/// Prints an error about the arguments, escaped if an argument could control the terminal: the name
/// of a file may come from somebody else.
fn print(error: &clap::Error) -> io::Result<()> {
    let is_harmless = |arg: &str| output::printable(arg) == arg;
    if !error.use_stderr() || env::args_os().all(|arg| is_harmless(&arg.to_string_lossy())) {
        return error.print();
    }
    output::note_lines(error.render().to_string().lines());
    Ok(())
}

/// Makes the allocator of glibc keep freed memory. It returns a large piece to the system at once,
/// until a piece of that size has been freed before. Without this first piece, each block of an
/// archive would ask the system for the same memory again. Nothing is written to the piece, so it
/// costs only a system call or two.
fn keep_memory() {
    const PIECE: usize = 1 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(PIECE)));
}

fn run(command: &Command) -> anyhow::Result<Exit> {
    match command {
        Command::Pack(args) => pack::run(args),
        Command::Add(args) => add::run(args),
        Command::Edit(args) => edit::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Split(args) => split::run(args),
        Command::Unpack(args) => unpack::run(args),
        Command::Test(args) => test::run(args),
        Command::Salvage(args) => salvage::run(args),
        Command::Try(args) => test::run_try(args),
        Command::Lint(args) => lint::run(args),
        Command::ImportSgf(args) => import_sgf::run(args),
        Command::Index(args) => index::run(args),
        Command::Get(args) => get::run(args),
        Command::Info(args) => info::run(args),
        Command::Find(args) => find::run(args),
        Command::Names(args) => names::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Dups(args) => dups::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Table(args) => table::run(args),
        Command::View(args) => view::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args),
        Command::Protect(args) => recovery::run_protect(args),
        Command::Repair(args) => recovery::run_repair(args),
        Command::Records(args) => records::run(args),
        Command::Completions(args) => man::run_completions(args),
        Command::Man(args) => man::run(args),
        Command::Questions(_) => {
            let mut command = Args::command();
            let questions = command.find_subcommand_mut("questions");
            let help = questions.map(|questions| questions.render_long_help());
            output::print_lines(help.unwrap_or_default().to_string().lines())?;
            Ok(Exit::Done)
        }
    }
}
