//! The questions of `pgc find`: one option for each, and its opposite.
//!
//! They are a table of the library, not fields: each comes twice, and all are read in the same way.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use pgc::internals::archive::Opening;
use pgc::internals::index::{Clause, OPTIONS, Query, QueryOption, Test};

/// What the options of a command line ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// All must hold.
    pub(super) clauses: Vec<Clause>,
    /// Of `--moves` and `--not-moves`.
    pub(super) openings: Vec<Opening>,
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
        // The help says once that there is one for each; the manual page lists them.
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

/// The test of a value.
fn read(option: &QueryOption, value: &str) -> Result<Test, String> {
    let test = option.parse(value).map_err(|error| error.to_string())?;
    if let Test::Moves(moves) = &test {
        let opening = moves.parse::<Opening>();
        opening.map_err(|error| error.to_string())?;
    }
    Ok(test)
}

impl Args for Questions {
    fn augment_args(command: Command) -> Command {
        let all = OPTIONS
            .iter()
            .flat_map(|option| [argument(option, false), argument(option, true)]);
        command.args(all)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Questions::augment_args(command)
    }
}

/// The tests of an option.
fn tests(matches: &ArgMatches, option: &QueryOption, not: bool) -> Vec<Test> {
    let id = id(option, not);
    if option.value.is_empty() {
        let is_given = matches.get_flag(id);
        return option.parse("").into_iter().filter(|_| is_given).collect();
    }
    let given = matches.get_many::<Test>(id);
    given.into_iter().flatten().cloned().collect()
}

impl FromArgMatches for Questions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Questions, Error> {
        let query =
            Query::of_options(|option, not| tests(matches, option, not)).map_err(|error| {
                Error::raw(ErrorKind::MissingRequiredArgument, format!("{error}\n"))
            })?;
        let tests = query.all.iter().flat_map(|clause| &clause.any);
        let openings = tests.filter_map(|test| match test {
            Test::Moves(moves) => moves.parse().ok(),
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
