//! The questions of `pgc find`: an option and its opposite for each.
//!
//! The options are built from the library's table [`OPTIONS`] instead of struct fields, since each
//! comes twice and all are parsed in the same way.

use std::path::Path;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};
use pgc::internals::chess::Opening;
use pgc::internals::index::{Clause, OPTIONS, Query, QueryOption, Test};
use pgc::internals::io::Counter;
use pgc::internals::pgn::read_positions;

use super::open::open_input;
use super::output::shown;

/// The questions asked on a command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// The clauses; all must hold.
    pub(super) clauses: Vec<Clause>,
    /// The openings of `--moves` and `--not-moves`.
    pub(super) openings: Vec<Opening>,
}

impl Questions {
    /// Whether one of them asks for a position.
    pub(super) fn ask_for_position(&self) -> bool {
        let mut asked = self.clauses.iter().filter(|clause| !clause.not);
        asked.any(|clause| clause.any.iter().any(is_position))
    }

    /// Whether one of them matches at a ply of the game: a question for a position, or for moves.
    pub(super) fn ask_for_place(&self) -> bool {
        let mut asked = self.clauses.iter().filter(|clause| !clause.not);
        let is_place = |test: &Test| is_position(test) || matches!(test, Test::Moves(_));
        asked.any(|clause| clause.any.iter().any(is_place))
    }

    /// Whether one of them, or of their opposites, is about a position.
    pub(super) fn mention_positions(&self) -> bool {
        self.clauses
            .iter()
            .flat_map(|clause| &clause.any)
            .any(is_position)
    }
}

fn is_position(test: &Test) -> bool {
    matches!(test, Test::Position(_))
}

fn id(option: &QueryOption, not: bool) -> &'static str {
    if not { option.opposite } else { option.name }
}

fn argument(option: &'static QueryOption, not: bool) -> Arg {
    let help = if not {
        format!("The opposite of --{}", option.name)
    } else {
        option.help.to_owned()
    };
    let id = id(option, not);
    let mut arg = Arg::new(id).long(id).help(help).help_heading("Questions");
    if let Some(short) = option.short.filter(|_| !not) {
        arg = arg.short(short);
    }
    if not {
        // The help mentions the opposites once; the manual page lists them.
        arg = arg.hide(true);
    }
    if option.value.is_empty() {
        return arg.action(ArgAction::SetTrue);
    }
    arg.value_name(option.value)
        .action(ArgAction::Append)
        .allow_hyphen_values(true)
        .value_parser(|value: &str| read(option, value))
}

/// Parses a value into a test.
fn read(option: &QueryOption, value: &str) -> Result<Test, String> {
    option.parse(value).map_err(|error| error.to_string())
}

/// The option for a file of positions.
const FEN_FILE: &str = "fen-file";

/// The option whose values are positions.
const FEN: &str = "fen";

fn fen_file() -> Arg {
    Arg::new(FEN_FILE)
        .long(FEN_FILE)
        .help("One of the positions in a file, one a line, as EPD or FEN; - is standard input")
        .help_heading("Questions")
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .action(ArgAction::Append)
        .value_parser(|path: &str| read_file(Path::new(path)).map_err(|error| format!("{error:#}")))
}

/// The test that a position is one of those in a file.
fn read_file(path: &Path) -> anyhow::Result<Test> {
    let mut input = open_input(path, "stdin", &Counter::default())?;
    let source = input.next().context("the file is empty")??;
    let test = read_positions(source.reader).with_context(|| shown(path))?;
    anyhow::ensure!(
        input.next().is_none(),
        "{}: holds several files",
        shown(path)
    );
    Ok(Test::Position(test))
}

impl Args for Questions {
    fn augment_args(command: Command) -> Command {
        let all = OPTIONS
            .iter()
            .flat_map(|option| [argument(option, false), argument(option, true)]);
        command.args(all).arg(fen_file())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Questions::augment_args(command)
    }
}

/// The tests given for an option.
fn tests(matches: &ArgMatches, option: &QueryOption, not: bool) -> Vec<Test> {
    let id = id(option, not);
    if option.value.is_empty() {
        let is_given = matches.get_flag(id);
        return option.parse("").into_iter().filter(|_| is_given).collect();
    }
    let given = matches.get_many::<Test>(id).into_iter().flatten();
    // Positions in files are further values of --fen.
    let is_fen = option.name == FEN && !not;
    let in_files = is_fen.then(|| matches.get_many::<Test>(FEN_FILE)).flatten();
    given
        .chain(in_files.into_iter().flatten())
        .cloned()
        .collect()
}

impl FromArgMatches for Questions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Questions, Error> {
        let query =
            Query::of_options(|option, not| tests(matches, option, not)).map_err(|error| {
                Error::raw(ErrorKind::MissingRequiredArgument, format!("{error}\n"))
            })?;
        let tests = query.all.iter().flat_map(|clause| &clause.any);
        let openings = tests.filter_map(|test| match test {
            Test::Moves(opening) => Some(opening.clone()),
            _ => None,
        });
        Ok(Questions {
            openings: openings.collect(),
            clauses: query.all,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Questions::from_arg_matches(matches)?;
        Ok(())
    }
}
