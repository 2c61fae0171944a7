//! The questions of `pgc find`: an option and its opposite for each.
//!
//! The options are built from the library's table [`OPTIONS`] instead of struct fields, since each
//! comes twice and all are parsed in the same way.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};
use pgc_chess::Opening;
use pgc_index::{ArgumentError, AskedOption, JOINS, JoinOption, OPTIONS, Query, QueryOption, Test};
use pgc_io::input::Counter;
use pgc_pgn::epd::list::read_positions;

use crate::files::archive::open_input;
use crate::show::output::{counted_as, shown};

/// The questions asked on a command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    pub(crate) query: Query,
}

impl Questions {
    pub(crate) fn is_empty(&self) -> bool {
        self.query.all.is_empty()
    }

    /// The openings of `--moves` and `--not-moves`.
    pub(crate) fn openings(&self) -> impl Iterator<Item = &Opening> {
        let tests = self.query.clauses().flat_map(|clause| &clause.any);
        tests.filter_map(|test| match test {
            Test::Moves(opening) => Some(opening),
            _ => None,
        })
    }

    /// Whether one of them asks for a position or a move.
    pub(crate) fn ask_for_position(&self) -> bool {
        self.query.groups().any(asks_for_position) || self.has(Test::is_of_move)
    }

    /// Whether one of them matches at a ply of the main line: a question for a position, or for
    /// moves.
    pub(crate) fn ask_for_place(&self) -> bool {
        self.ask_for_position() || self.has(|test| matches!(test, Test::Moves(_)))
    }

    /// Whether one of them asks for the name of an opening.
    pub(crate) fn ask_for_opening(&self) -> bool {
        self.has(|test| matches!(test, Test::Opening(_)))
    }

    fn has(&self, is: impl Fn(&Test) -> bool) -> bool {
        let mut asked = self.query.clauses().filter(|clause| !clause.not);
        asked.any(|clause| clause.any.iter().any(&is))
    }
}

/// Whether a group of questions asks for a position of the main line, or a move of it.
pub(crate) fn asks_for_position(query: &Query) -> bool {
    let mut asked = query.all.iter().filter(|clause| !clause.not);
    !query.goes_into_variations() && asked.any(|clause| clause.any.iter().any(Test::is_place))
}

/// The questions that the help of commands shows, in this order; `pgc help questions` shows all.
const COMMON: [&str; 12] = [
    "player", "white", "black", "vs", "event", "date", "result", "elo", "opening", "moves", "fen",
    "material",
];

const HEADING: &str = "Questions (pgc help questions shows all of them)";

/// An option that asks something. The help of commands hides it if it is not common.
fn question(name: &'static str, help: String) -> Arg {
    let arg = Arg::new(name).long(name).help(help).help_heading(HEADING);
    arg.hide(!COMMON.contains(&name))
}

/// A question as `pgc help questions` shows it; the opposites are mentioned once.
pub(crate) fn on_its_page(question: Arg) -> Arg {
    let is_opposite = question.get_id().as_str().starts_with("not-");
    question.hide(is_opposite)
}

fn argument(option: &'static QueryOption, not: bool) -> Arg {
    let help = if not {
        format!("The opposite of --{}", option.name)
    } else {
        option.help.to_owned()
    };
    let id = if not { option.opposite } else { option.name };
    let mut arg = question(id, help);
    if let Some(short) = option.short.filter(|_| !not) {
        arg = arg.short(short);
    }
    with_value(arg, option.value, move |value| {
        let test = option.parse(value)?;
        Ok(AskedOption::Test(option, not, test))
    })
}

fn join_argument(option: &'static JoinOption) -> Arg {
    let arg = question(option.name, option.help.to_owned());
    with_value(arg, option.value, |value| option.parse(value))
}

/// The argument with a value, or without one if it has no name.
fn with_value(
    arg: Arg,
    name: &'static str,
    parse: impl Fn(&str) -> Result<AskedOption, ArgumentError> + Clone + Send + Sync + 'static,
) -> Arg {
    let read = move |value: &str| parse(value).map_err(|error| error.to_string());
    let arg = arg.action(ArgAction::Append).value_parser(read);
    match name {
        "" => arg.num_args(0).default_missing_value(""),
        name => arg.value_name(name).allow_hyphen_values(true),
    }
}

/// The option for games whose date or Elo is not known.
const MAYBE: &str = "maybe";

fn maybe() -> Arg {
    let help = "Also games that could match, but whose date or Elo is unknown or incomplete";
    let arg = question(MAYBE, help.to_owned());
    arg.action(ArgAction::SetTrue).hide(false)
}

/// The option for a file of positions.
const FEN_FILE: &str = "fen-file";

fn fen_file() -> Arg {
    let help = "One of the positions in a file, one a line, as EPD or FEN; - is standard input";
    question(FEN_FILE, help.to_owned())
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .action(ArgAction::Append)
        .value_parser(|path: &str| read_file(Path::new(path)).map_err(|error| format!("{error:#}")))
}

/// The test that a position is one of those in a file: a further value of --fen.
fn read_file(path: &Path) -> anyhow::Result<AskedOption> {
    let mut input = open_input(path, "stdin", &Counter::default())?;
    let source = input.next().context("the file is empty")??;
    let listed = read_positions(source.reader).with_context(|| shown(path))?;
    if let Some(fault) = &listed.fault {
        let lines = counted_as(
            listed.skipped,
            "line is no position",
            "lines are no positions",
        );
        note!(
            "{}: {lines} and passed over, the first is {fault}",
            shown(path)
        );
    }
    if input.next().is_some() {
        bail!("{}: holds several files", shown(path));
    }
    let fen = OPTIONS.iter().find(|option| option.name == "fen");
    let fen = fen.context("there is no --fen")?;
    Ok(AskedOption::Test(fen, false, Test::Position(listed.test)))
}

impl Args for Questions {
    fn augment_args(command: Command) -> Command {
        let all = OPTIONS.iter();
        let all = all.flat_map(|option| [argument(option, false), argument(option, true)]);
        let all = all.chain([fen_file()]);
        let all = all.chain(JOINS.iter().map(join_argument)).chain([maybe()]);
        // The common ones come first, the others in the order of the table.
        command.args(all.enumerate().map(|(place, arg)| {
            let common = COMMON.iter().position(|&name| *arg.get_id() == name);
            arg.display_order(common.unwrap_or(COMMON.len() + place))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Questions::augment_args(command)
    }
}

impl FromArgMatches for Questions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Questions, Error> {
        let tests = OPTIONS.iter().map(|option| [option.name, option.opposite]);
        let joins = JOINS.iter().map(|option| option.name);
        // By the places of the values on the command line.
        let mut asked: BTreeMap<usize, AskedOption> = BTreeMap::new();
        for id in tests.flatten().chain([FEN_FILE]).chain(joins) {
            let values = matches.get_many(id).into_iter().flatten().cloned();
            asked.extend(matches.indices_of(id).into_iter().flatten().zip(values));
        }
        let query = Query::from_asked(asked.into_values());
        let wrong = |error| Error::raw(ErrorKind::MissingRequiredArgument, format!("{error}\n"));
        let mut query = query.map_err(wrong)?;
        query.maybe = matches.get_flag(MAYBE);
        Ok(Questions { query })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Questions::from_arg_matches(matches)?;
        Ok(())
    }
}
