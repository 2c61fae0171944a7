//! The questions of `pgc find`: one option for each, and its opposite.
//!
//! They are a table, not fields: each comes twice, and all are read in the same way.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use pgc::archive::ask::moves::Opening;
use pgc::chess::Rules;
use pgc::index::query::{numbers, result};
use pgc::index::{Clause, EloField, NamePattern, RoundPattern, Test};

use super::columns::VARIANTS;

type Parse = fn(&str) -> Result<Test, String>;

/// An option that asks something.
struct Question {
    name: &'static str,
    opposite: &'static str,
    /// One letter at most.
    short: &'static [char],
    /// Empty: it takes no value.
    value: &'static str,
    help: &'static str,
    parse: Parse,
}

impl Question {
    fn id(&self, not: bool) -> &'static str {
        if not { self.opposite } else { self.name }
    }
}

/// The opponent: what it means depends on the other options.
const VERSUS: &str = "vs";

/// The table. The name of an opposite has to be known when this is compiled.
macro_rules! questions {
    ($($name:literal [$($short:literal)?] $value:literal $help:literal => $parse:expr;)*) => {
        static QUESTIONS: &[Question] = &[$(Question {
            name: $name,
            opposite: concat!("not-", $name),
            short: &[$($short)?],
            value: $value,
            help: $help,
            parse: $parse,
        }),*];
    };
}

questions! {
    "date" ['d'] "DATE"
        "The date: 1992, 1992.05, 1992.05.03, a range 1992.05..1993, 1992.., unknown, odd"
        => |s| s.parse().map(Test::Date).map_err(text);
    "event" ['e'] "NAME" "The event, by words of its name" => |s| name(s).map(Test::Event);
    "site" [] "NAME" "The site" => |s| name(s).map(Test::Site);
    "round" [] "ROUND" "The round: 3 is 3 and 3.1, =3 is 3 alone"
        => |s| RoundPattern::parse(s).map(Test::Round).map_err(text);
    "player" ['p'] "NAME" "A player, White or Black" => |s| name(s).map(Test::Player);
    "white" ['w'] "NAME" "White" => |s| name(s).map(Test::White);
    "black" ['b'] "NAME" "Black" => |s| name(s).map(Test::Black);
    "vs" [] "NAME" "The opponent of -p, -w or -b" => |s| name(s).map(Test::Player);
    "result" [] "RESULT" "The result: 1-0, 0-1, 1/2-1/2, *, or white, black, draw, unknown"
        => |s| winner(s).map(Test::Result);
    "eco" [] "ECO" "The ECO code: B33, B3, B, a range B30..B39"
        => |s| s.parse().map(Test::Eco).map_err(text);
    "elo" [] "N..M" "The Elo of both players: 2700, 2700.., ..2200, 2600..2700"
        => |s| elo(s, EloField::Each);
    "white-elo" [] "N..M" "The Elo of White" => |s| elo(s, EloField::White);
    "black-elo" [] "N..M" "The Elo of Black" => |s| elo(s, EloField::Black);
    "average-elo" [] "N..M" "The average of the two" => |s| elo(s, EloField::Average);
    "elo-difference" [] "N..M" "The difference between the two" => |s| elo(s, EloField::Difference);
    "plies" [] "N..M" "Half moves of the main line" => |s| numbers(s).map(Test::Plies).map_err(text);
    "variant" [] "NAME" "The rules: chess, chess960, atomic ..., other"
        => |s| variant(s).map(Test::Rules);
    "tag" [] "NAME=VALUE" "Any tag, by words of its value" => tag;
    "moves" [] "MOVES" "The moves that a game begins with: \"1.e4 c5 2.Nf3\""
        => |s| s.parse::<Opening>().map(|_| Test::Moves(s.to_owned())).map_err(text);
    "fen" [] "" "From a position that a FEN tag gives" => |_| Ok(Test::FenStart);
    "broken" [] ""
        "With moves that are not legal chess: the main line, or its end, is kept as text"
        => |_| Ok(Test::Broken);
    "result-mismatch" [] "" "The Result tag is not how the movetext ends"
        => |_| Ok(Test::ResultMismatch);
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn name(value: &str) -> Result<NamePattern, String> {
    NamePattern::parse(value).map_err(text)
}

/// A result, or who won.
fn winner(value: &str) -> Result<u8, String> {
    match value.to_ascii_lowercase().as_str() {
        "white" => Ok(2),
        "black" => Ok(1),
        "unknown" => Ok(0),
        other => result(other).map_err(|error| format!("{error}; or white, black, draw, unknown")),
    }
}

fn elo(value: &str, field: EloField) -> Result<Test, String> {
    numbers(value)
        .map(|range| Test::Elo(field, range))
        .map_err(text)
}

fn variant(value: &str) -> Result<u8, String> {
    let name = value.to_ascii_lowercase().replace([' ', '_'], "");
    if let Some(known) = VARIANTS.iter().find(|variant| variant.1 == name) {
        return Ok(known.0);
    }
    Rules::from_variant_tag(value.as_bytes())
        .map(Rules::number)
        .ok_or_else(|| {
            let all: Vec<_> = VARIANTS.iter().map(|variant| variant.1).collect();
            format!("there are {}", all.join(", "))
        })
}

fn tag(value: &str) -> Result<Test, String> {
    let (name, pattern) = value
        .split_once('=')
        .ok_or("NAME=VALUE, as in Annotator=tal or ECO==B33")?;
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(format!("\"{name}\" is no name of a tag"));
    }
    let pattern = NamePattern::parse(pattern).map_err(text)?;
    Ok(match name {
        // These an index has.
        "Event" => Test::Event(pattern),
        "Site" => Test::Site(pattern),
        "White" => Test::White(pattern),
        "Black" => Test::Black(pattern),
        name => Test::Tag {
            name: name.to_owned(),
            pattern,
        },
    })
}

/// What the options of a command line ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// All must hold.
    pub(super) clauses: Vec<Clause>,
    /// Of `--moves` and `--not-moves`.
    pub(super) openings: Vec<Opening>,
}

fn argument(question: &'static Question, not: bool) -> Arg {
    let id = question.id(not);
    let help = if not {
        format!("The opposite of --{}", question.name)
    } else {
        question.help.to_owned()
    };
    let mut arg = Arg::new(id).long(id).help(help).help_heading("Questions");
    if let Some(short) = question.short.first().filter(|_| !not) {
        arg = arg.short(*short);
    }
    if not {
        // The help says once that there is one for each; the manual page lists them.
        arg = arg.hide(true);
    }
    if question.value.is_empty() {
        return arg.action(ArgAction::SetTrue);
    }
    arg.value_name(question.value)
        .action(ArgAction::Append)
        .allow_hyphen_values(true)
        .value_parser(question.parse)
}

impl Args for Questions {
    fn augment_args(command: Command) -> Command {
        let all = QUESTIONS
            .iter()
            .flat_map(|question| [argument(question, false), argument(question, true)]);
        command.args(all)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Questions::augment_args(command)
    }
}

/// The tests of an option.
fn tests(matches: &ArgMatches, question: &Question, not: bool) -> Vec<Test> {
    let id = question.id(not);
    if question.value.is_empty() {
        let asked = matches.get_flag(id).then(|| (question.parse)(""));
        return asked.into_iter().flatten().collect();
    }
    values(matches, id)
}

fn values(matches: &ArgMatches, id: &str) -> Vec<Test> {
    let values = matches.get_many::<Test>(id);
    values.into_iter().flatten().cloned().collect()
}

impl FromArgMatches for Questions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Questions, Error> {
        let mut asked = Questions::default();
        for question in QUESTIONS {
            for not in [false, true] {
                let any = tests(matches, question, not);
                for test in &any {
                    if let Test::Moves(moves) = test {
                        asked.openings.extend(moves.parse());
                    }
                }
                let any = if question.name == VERSUS {
                    versus(matches, any)?
                } else {
                    any
                };
                if !any.is_empty() {
                    asked.clauses.push(Clause { not, any });
                }
            }
        }
        Ok(asked)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Questions::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What the opponent has to be: of a player of either colour, the other one; of White, Black.
fn versus(matches: &ArgMatches, opponents: Vec<Test>) -> Result<Vec<Test>, Error> {
    let patterns = |tests: Vec<Test>| -> Vec<NamePattern> {
        let pattern = |test| match test {
            Test::Player(pattern) | Test::White(pattern) | Test::Black(pattern) => Some(pattern),
            _ => None,
        };
        tests.into_iter().filter_map(pattern).collect()
    };
    let opponents = patterns(opponents);
    if opponents.is_empty() {
        return Ok(Vec::new());
    }
    let of = |name: &str| patterns(values(matches, name));
    let (players, white, black) = (of("player"), of("white"), of("black"));
    Ok(if !players.is_empty() {
        vec![Test::Pairing(players, opponents)]
    } else if !white.is_empty() && black.is_empty() {
        opponents.into_iter().map(Test::Black).collect()
    } else if !black.is_empty() && white.is_empty() {
        opponents.into_iter().map(Test::White).collect()
    } else {
        let what = "--vs names the opponent of -p, or of -w or -b alone";
        let kind = ErrorKind::MissingRequiredArgument;
        return Err(Error::raw(kind, format!("{what}\n")));
    })
}

#[cfg(test)]
mod tests {
    use super::{tag, variant, winner};

    #[test]
    fn values() {
        assert_eq!(
            (
                winner("draw"),
                winner("1/2-1/2"),
                winner("Black"),
                winner("*")
            ),
            (Ok(3), Ok(3), Ok(1), Ok(0))
        );
        assert!(winner("won").is_err());
        assert_eq!(
            (
                variant("Chess960"),
                variant("three-check"),
                variant("other")
            ),
            (Ok(1), Ok(8), Ok(15))
        );
        assert_eq!(
            (variant("Fischer Random"), variant("Suicide").is_err()),
            (Ok(1), true)
        );
        assert!(tag("Annotator=tal").is_ok() && tag("Annotator").is_err() && tag("=x").is_err());
    }
}
