//! The options of `pgc find` that ask a question: the name of each, its help text, and the parser
//! of its value.

use std::ops::RangeInclusive;

use super::arguments::{
    elos, mover_numbers, moves_to, nag, numbers, repeated, result, rules, tag, time, word,
};
use super::error::ArgumentError;
use super::names::near_words;
use super::pattern::{NamePattern, RoundPattern};
use super::query::{Clause, EloField, LaterPlace, Mover, Query, Test, Window};
use crate::format::Feature;
use pgc_chess::{BoardTest, Ending, MoveTest};
use pgc_pgn::writer::Termination;

/// An option that asks for a test, and its opposite.
pub type QueryOption = AskOption<Test>;

/// An option that says where in a game questions look, or joins questions. It has no opposite.
pub type JoinOption = AskOption<AskedOption>;

/// An option of a question.
#[derive(Debug)]
pub struct AskOption<T> {
    /// The name.
    pub name: &'static str,
    /// The name of its opposite.
    pub opposite: &'static str,
    /// The short form, a letter.
    pub short: Option<char>,
    /// The placeholder for its value in the help text; empty if it takes none.
    pub value: &'static str,
    /// The help text.
    pub help: &'static str,
    parse: fn(&str) -> Result<T, ArgumentError>,
}

impl<T> AskOption<T> {
    /// What the option asks for with this value.
    ///
    /// # Errors
    /// The value cannot be parsed.
    pub fn parse(&self, value: &str) -> Result<T, ArgumentError> {
        (self.parse)(value)
    }
}

macro_rules! option {
    ($name:literal $(, $short:literal)?; $value:literal, $help:literal, $parse:expr $(,)?) => {
        AskOption {
            name: $name,
            opposite: concat!("not-", $name),
            short: option!(@ $($short)?),
            value: $value,
            help: $help,
            parse: $parse,
        }
    };
    (@ $short:literal) => { Some($short) };
    (@) => { None };
}

/// The options whose meaning depends on those that name a player.
const RELATIVE: [&str; 5] = ["vs", "result", "opponent-elo", "clock", "eval-swing"];

/// All options, in the order of their clauses in a query.
pub static OPTIONS: [QueryOption; 44] = [
    option!("date", 'd'; "DATE",
        "The date: 1992, 1992.05, 1992.05.03, a range such as 1992.05..1993 or 1992.., unknown, odd",
        |s| Ok(Test::Date(s.parse()?)),
    ),
    option!("event", 'e'; "NAME", "The event, by words of its name",
        |s| Ok(Test::Event(NamePattern::parse(s)?)),
    ),
    option!("site"; "NAME", "The site", |s| Ok(Test::Tag { name: "Site".to_owned(), pattern: NamePattern::parse(s)? })),
    option!("round"; "ROUND", "The round: 3 matches 3 and 3.1, =3 only 3",
        |s| Ok(Test::Round(RoundPattern::parse(s)?)),
    ),
    option!("player", 'p'; "NAME", "A player, White or Black",
        |s| Ok(Test::Player(NamePattern::person(s)?)),
    ),
    option!("white", 'w'; "NAME", "White", |s| Ok(Test::White(NamePattern::person(s)?))),
    option!("black", 'b'; "NAME", "Black", |s| Ok(Test::Black(NamePattern::person(s)?))),
    option!("vs"; "NAME", "The opponent of -p, -w or -b",
        |s| Ok(Test::Player(NamePattern::person(s)?)),
    ),
    option!("winner"; "NAME", "The player who won", |s| Ok(Test::Won(vec![NamePattern::person(s)?]))),
    option!("loser"; "NAME", "The player who lost", |s| Ok(Test::Lost(vec![NamePattern::person(s)?]))),
    option!("result"; "RESULT",
        "The result: 1-0, 0-1, 1/2-1/2, *, or white, black, draw, unknown; win or loss of -p, -w or -b", result,
    ),
    option!("eco"; "ECO", "The code in the ECO tag: B33, B3, B, a range B30..B39, none, other",
        |s| Ok(Test::Eco(s.parse()?)),
    ),
    option!("elo"; "N..M", "The Elo of each player: 2700, 2700.., ..2200, 2600..2700, none (both unknown)",
        |s| Ok(Test::Elo(EloField::Each, elos(s)?)),
    ),
    option!("any-elo"; "N..M", "The Elo of one of the players", |s| Ok(Test::Elo(EloField::Any, elos(s)?))),
    option!("opponent-elo"; "N..M", "The Elo of the opponent of -p, -w or -b",
        |s| Ok(Test::OpponentElo(Vec::new(), elos(s)?)),
    ),
    option!("white-elo"; "N..M", "The Elo of White", |s| Ok(Test::Elo(EloField::White, elos(s)?))),
    option!("black-elo"; "N..M", "The Elo of Black", |s| Ok(Test::Elo(EloField::Black, elos(s)?))),
    option!("average-elo"; "N..M", "The average Elo of the two players",
        |s| Ok(Test::Elo(EloField::Average, elos(s)?)),
    ),
    option!("elo-difference"; "N..M", "The Elo difference between the two players",
        |s| Ok(Test::Elo(EloField::Difference, elos(s)?)),
    ),
    option!("plies"; "N..M", "The number of half moves in the main line", |s| Ok(Test::Plies(numbers(s)?))),
    option!("variant"; "NAME", "The rules: chess, chess960, atomic, ..., other",
        |s| Ok(Test::Rules(rules(s)?)),
    ),
    option!("tag"; "NAME=VALUE", "Any tag, by words of its value (digits and signs alone match a whole word: WhiteRatingDiff=+7); White, Black and Annotator by the rules for people, as -p; opcodes of EPD likewise: id=BK.03", tag),
    option!("time"; "TIME", "The time control: 180+2, 40/7200:3600; 300..600 (seconds at first); bullet, blitz, rapid, classical, unlimited",
        |s| Ok(Test::Time(time(s)?)),
    ),
    option!("nag"; "GLYPH", "A glyph anywhere in the game: 3, $3, !!, +/-, \u{2a72}, N", |s| Ok(Test::Nag(nag(s)?))),
    option!("comment"; "WORDS", "A comment anywhere in the game, by words of it",
        |s| Ok(Test::Comment(NamePattern::parse(s)?)),
    ),
    option!("clock"; "N..M", "The seconds that a player has left after a move: ..10 at most ten, white:..10 White, player:..10 the player of -p, with --ply ..60 in the first thirty moves",
        |s| mover_numbers(s).map(|(mover, range)| Test::Clock(mover, range)),
    ),
    option!("eval-swing"; "N..M", "How far an evaluation is from that of the move before, in hundredths of a pawn: 300.. (a mate counts as 10000), black:300.. after moves of Black, player:300.. of the player of -p",
        |s| mover_numbers(s).map(|(mover, range)| Test::EvalSwing(mover, range)),
    ),
    option!("source"; "NAME", "The file that the game came from", |s| Ok(Test::Source(NamePattern::parse(s)?))),
    option!("moves"; "MOVES", "The first moves of the game: \"1.e4 c5 2.Nf3\"",
        |s| Ok(Test::Moves(s.parse()?)),
    ),
    option!("moves-to"; "MOVES",
        "The position after these moves, reached in any order: \"1.d4 Nf6 2.c4 e6\"", moves_to,
    ),
    option!("opening"; "NAME",
        "The opening that the game reached, by its positions and not by its tags: najdorf, \"sicilian dragon\", \"=Ruy Lopez\"",
        |s| Ok(Test::Opening(NamePattern::parse(s)?)),
    ),
    option!("fen"; "FEN",
        "A position; ? is any content of a square, and later fields may be left out",
        |s| Ok(Test::Position(BoardTest::fen(s)?)),
    ),
    option!("pattern"; "PIECES", "Pieces on squares: \"Pa4 pb5 Kg1\"; [NB]f3 a knight or bishop; Pa? on the file, p?7 on the rank; isolated, doubled, passed pawns: white:passed2..; same-bishops, opposite-bishops (one on each side); R>k a rook attacks the king, B>n>k it pins a knight, N>f7; ?, ! (any piece), A, a (any of White, of Black), . (empty)",
        |s| Ok(Test::Position(BoardTest::pieces(s)?)),
    ),
    option!("material"; "PIECES", "The pieces of both sides: \"KRP KR\" of either colour, \"KRP kr\" of White and Black; P2, P2..4, P+ (one or more), P* (any number), * (anything)",
        |s| Ok(Test::Position(BoardTest::material(s)?)),
    ),
    option!("imbalance"; "PIECES", "What each side has more than the other: \"PP v N\", \"R v BN\", \"P -\" of either colour, \"Q rr\" of White and Black, \"white:P -\"; or by how many points (9 5 3 3 1): 3.., white:-1..2, with --for 4 in four positions in a row",
        |s| Ok(Test::Position(BoardTest::imbalance(s)?)),
    ),
    option!("move"; "SAN", "A move: Bxh7+, O-O-O, =N (a promotion), \"?x?7#\"; ? is one character, * any; Nf1-d5/3 a knight that goes from f1 to d5 in at most 3 moves of its own, ?f1-d5/3 any piece; white:Qh5 or black:Qh5 of one side",
        |s| Ok(Test::Move(s.parse()?)),
    ),
    option!("capture"; "PIECES", "A capture, by the pieces that take and are taken: \"KP x Q\", \"* x R\"; \"K x -\" takes nothing",
        |s| Ok(Test::Move(MoveTest::capture(s)?)),
    ),
    option!("material-change"; "N/K", "A side gives N points and does not win them back: for K half moves [default: 4] it has less than in the K before: 3, 3.., white:2..4/6",
        |s| Ok(Test::MaterialChange(s.parse()?)),
    ),
    option!("repeated"; "N", "A position that occurs for the N-th time: 3", repeated),
    option!("end"; "HOW", "How the moves end: mate, stalemate, insufficient (material), threefold (or fivefold), fivefold (repetition), 50 (or 75), 75 (moves), variant (its rules), open (none of these)",
        |s| word(s, Ending::ALL).map(Test::Ending),
    ),
    option!("has"; "WHAT", "What the game has: comments, variations, nags, clocks, evals, white-castles, black-castles, promotion, underpromotion, en-passant",
        |s| word(s, Feature::ALL).map(Test::Has),
    ),
    option!("setup"; "", "Games that start from the position of a FEN tag", |_| Ok(Test::FenStart)),
    option!("broken"; "",
        "Games whose main line, or its end, is kept as text: it is not legal chess, or has a move behind the 256th of a position's",
        |_| Ok(Test::Broken),
    ),
    option!("result-mismatch"; "", "Games whose Result tag contradicts the result in the movetext",
        |_| Ok(Test::ResultMismatch),
    ),
];

/// One option of a command line, with its value.
#[derive(Clone, Debug)]
pub enum AskedOption {
    /// A test of this option, or of its opposite.
    Test(&'static QueryOption, bool, Test),
    /// The positions that are looked at.
    Plies(RangeInclusive<u32>),
    /// How many positions in a row must pass.
    Lasting(u32),
    /// The colours may be reversed.
    Flip,
    /// Left and right may be exchanged.
    Mirror,
    /// Variations count too.
    InVariations,
    /// What follows comes later in the game.
    Then,
    /// What follows comes one half move later.
    Next,
    /// What this group asks for comes at most so many half moves later.
    Within(u32),
    /// Another group of questions begins.
    Or,
}

impl JoinOption {
    /// The option with this name.
    pub fn named(name: &str) -> Option<&'static JoinOption> {
        JOINS.iter().find(|option| option.name == name)
    }
}

macro_rules! join {
    ($($option:tt)*) => {
        AskOption { opposite: "", ..option!($($option)*) }
    };
}

/// Parses a number of half moves.
fn half_moves(text: &str) -> Result<u32, ArgumentError> {
    let number = text.parse().ok().filter(|&n| n > 0);
    number.ok_or_else(|| ArgumentError::Lasting(text.to_owned()))
}

/// All such options.
pub static JOINS: [JoinOption; 9] = [
    join!("ply"; "N..M", "Look only at positions after this many half moves, and at the moves that lead to them: 20..40; 0 is the start of the game [default: all]", |s| {
        let plies = numbers(s).map_err(|_| ArgumentError::Plies(s.to_owned()))?;
        Ok(AskedOption::Plies(plies))
    }),
    join!("for"; "N", "The position, pattern or material must last for N half moves [default: 1]", |s| half_moves(s).map(AskedOption::Lasting)),
    join!("flip"; "", "Also with the colours reversed: positions, and moves", |_| Ok(AskedOption::Flip)),
    join!("mirror"; "", "Also with left and right exchanged, the a-file for the h-file", |_| Ok(AskedOption::Mirror)),
    join!("in-variations"; "", "Also in variations: positions, and moves", |_| Ok(AskedOption::InVariations)),
    join!("then"; "", "Later in the game: the questions about a position and a move behind it", |_| Ok(AskedOption::Then)),
    join!("within"; "N", "Behind --then: at most N half moves after what comes before it", |s| half_moves(s).map(AskedOption::Within)),
    join!("next"; "", "The same, one half move later; --next --next is two later", |_| Ok(AskedOption::Next)),
    join!("or"; "", "Or else: begins another group of questions; games of any group are found", |_| Ok(AskedOption::Or)),
];

/// The most groups of questions of a query. The time that a game takes grows with them.
pub(super) const MOST_GROUPS: u32 = 64;

/// Questions that ask for one place of a game, and those for the whole game before them.
#[derive(Default)]
struct AskedGroup {
    within: Option<u32>,
    tests: Vec<(&'static QueryOption, bool, Test)>,
    window: Window,
}

/// The option with this name, and whether the name is that of its opposite.
fn find(name: &str) -> Option<(&'static QueryOption, bool)> {
    OPTIONS.iter().find_map(|option| {
        let is_short = || option.short.is_some_and(|c| c.to_string() == name);
        if option.opposite == name {
            Some((option, true))
        } else {
            (option.name == name || is_short()).then_some((option, false))
        }
    })
}

/// The error about a name that no option has.
fn no_option(given: &str) -> ArgumentError {
    let all = (OPTIONS.iter()).flat_map(|option| [option.name, option.opposite]);
    let near = near_words(given.trim_start_matches('-'), all);
    let near = near.first().map(|near| format!("; similar: --{near}"));
    ArgumentError::Option(given.to_owned(), near.unwrap_or_default())
}

/// The option that a word of a command line is (`--white`, `--not-white`, `-w`), and whether it is
/// the opposite.
fn written(word: &str) -> Option<(&'static QueryOption, bool)> {
    match word.strip_prefix("--") {
        Some(name) => find(name).filter(|_| name.len() > 1),
        None => find(word.strip_prefix('-')?).filter(|_| word.len() == 2),
    }
}

impl Test {
    /// The test that an option of `pgc find` (`white`, `date`) asks for with this value.
    ///
    /// # Errors
    /// There is no such option, or its value cannot be parsed.
    pub fn parse(option: &str, value: &str) -> Result<Test, ArgumentError> {
        match find(option) {
            Some((option, false)) => option.parse(value),
            _ => Err(no_option(option)),
        }
    }
}

impl Query {
    /// Parses a query written like the command line of `pgc find`: `--white carlsen -d 2019..2020
    /// --not-event 'world cup' --elo 2700..`. An option given several times matches any of its
    /// values, different options must all match, and each has an opposite, `--not-...`. A value
    /// with blanks stands in single or double quotation marks. `--maybe` is accepted too, and the
    /// options that join questions. Three options name files or change all names, and are not
    /// accepted: for `--fen-file` add [`Test::Position`] with `BoardTest::one_of`, for `--aliases`
    /// call [`read_aliases`](crate::read_aliases), and for `--as-spelled`
    /// [`NamePattern::as_spelled`](crate::NamePattern::as_spelled), both with
    /// [`Query::players_mut`].
    ///
    /// # Errors
    /// There is no such option, or its value cannot be parsed.
    pub fn parse(text: &str) -> Result<Query, ArgumentError> {
        let (mut asked, mut maybe) = (Vec::new(), false);
        let mut words = command_words(text)?.into_iter();
        while let Some(word) = words.next() {
            if word == "--maybe" {
                maybe = true;
                continue;
            }
            let (given, value) = match word.split_once('=') {
                Some((given, value)) if given.starts_with("--") => (given, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let within = |error| ArgumentError::In(given.to_owned(), Box::new(error));
            let value_of = |placeholder: &str| match (placeholder.is_empty(), value) {
                (true, Some(_)) => Err(within(ArgumentError::Value)),
                (true, None) => Ok(String::new()),
                (false, Some(value)) => Ok(value),
                (false, None) => words.next().ok_or_else(|| within(ArgumentError::NoValue)),
            };
            if let Some(join) = given.strip_prefix("--").and_then(JoinOption::named) {
                asked.push(join.parse(&value_of(join.value)?).map_err(within)?);
            } else {
                let (option, not) = written(given).ok_or_else(|| no_option(given))?;
                let test = option.parse(&value_of(option.value)?).map_err(within)?;
                asked.push(AskedOption::Test(option, not, test));
            }
        }
        let query = Query::from_asked(asked)?;
        Ok(Query { maybe, ..query })
    }

    /// The query that options ask, in their order.
    ///
    /// # Errors
    /// [`ArgumentError::Relative`]: an option depends on a player that none names.
    /// [`ArgumentError::Window`], [`ArgumentError::Then`], [`ArgumentError::Or`],
    /// [`ArgumentError::Groups`].
    #[doc(hidden)]
    pub fn from_asked(
        asked: impl IntoIterator<Item = AskedOption>,
    ) -> Result<Query, ArgumentError> {
        let (mut queries, mut groups) = (Vec::new(), Vec::new());
        let (mut group, mut joins) = (AskedGroup::default(), 0);
        for asked in asked {
            let begins = matches!(
                asked,
                AskedOption::Then | AskedOption::Next | AskedOption::Or
            );
            joins += u32::from(begins);
            if joins >= MOST_GROUPS {
                return Err(ArgumentError::Groups);
            }
            match asked {
                AskedOption::Test(option, not, test) => group.tests.push((option, not, test)),
                AskedOption::Plies(plies) => group.window.plies = plies,
                AskedOption::Lasting(lasting) => group.window.lasting = lasting,
                AskedOption::Flip => group.window.seen.flip = true,
                AskedOption::Mirror => group.window.seen.mirror = true,
                AskedOption::InVariations => group.window.in_variations = true,
                AskedOption::Then | AskedOption::Next => {
                    groups.push(std::mem::take(&mut group));
                    group.within = matches!(asked, AskedOption::Next).then_some(1);
                }
                AskedOption::Within(_) if groups.is_empty() || group.within.is_some() => {
                    return Err(ArgumentError::Within);
                }
                AskedOption::Within(most) => group.within = Some(most),
                AskedOption::Or => {
                    groups.push(std::mem::take(&mut group));
                    queries.push(Query::from_groups(std::mem::take(&mut groups))?);
                }
            }
        }
        groups.push(group);
        queries.push(Query::from_groups(groups)?);
        if queries.len() > 1 && queries.iter().any(|query| query.all.is_empty()) {
            return Err(ArgumentError::Or);
        }
        let mut query = queries.remove(0);
        query.or = queries;
        Ok(query)
    }

    /// The query of groups that come one after another.
    fn from_groups(groups: Vec<AskedGroup>) -> Result<Query, ArgumentError> {
        let mut query = Query::default();
        let all = groups.len();
        let in_variations = groups.iter().any(|group| group.window.in_variations);
        for (i, mut group) in groups.into_iter().enumerate() {
            let clauses = clauses_of(&group.tests)?;
            let mut tests = clauses.iter().flat_map(|clause| &clause.any);
            // --ply alone may also bound the moves whose comments are looked at.
            let bounds_moves = group.window
                == Window {
                    plies: group.window.plies.clone(),
                    ..Window::default()
                };
            let is_bounded = |test: &Test| test.is_place() || (bounds_moves && test.is_of_plies());
            if group.window != Window::default() && !tests.any(is_bounded) {
                return Err(ArgumentError::Window);
            }
            let mut places = clauses.iter().map(Clause::asks_for_position);
            // Between others, a group without questions passes over a position.
            let is_place = if i == 0 {
                all == 1 || places.any(|is| is)
            } else {
                (!clauses.is_empty() || i + 1 < all) && places.all(|is| is)
            };
            if !is_place {
                return Err(ArgumentError::Then);
            }
            group.window.in_variations = in_variations;
            if i == 0 {
                (query.all, query.window) = (clauses, group.window);
            } else {
                query.then.push(LaterPlace {
                    within: group.within,
                    all: clauses,
                    window: group.window,
                });
            }
        }
        Ok(query)
    }
}

/// The clauses of tests, in the order of the options.
fn clauses_of(tests: &[(&'static QueryOption, bool, Test)]) -> Result<Vec<Clause>, ArgumentError> {
    let given = |wanted: &QueryOption, wanted_not: bool| -> Vec<Test> {
        let same = tests
            .iter()
            .filter(|(option, not, _)| (option.name, *not) == (wanted.name, wanted_not));
        same.map(|test| test.2.clone()).collect()
    };
    let mut clauses = Vec::new();
    for option in &OPTIONS {
        for not in [false, true] {
            let mut any = given(option, not);
            if any.is_empty() {
                continue;
            }
            if RELATIVE.contains(&option.name) {
                any = related(&given, option.name, any)?;
            }
            clauses.push(Clause { not, any });
        }
    }
    Ok(clauses)
}

/// The tests of an option that depends on a player: of a player of either colour, tests with the
/// names; of White or of Black, tests of a colour.
fn related(
    given: &impl Fn(&QueryOption, bool) -> Vec<Test>,
    option: &'static str,
    tests: Vec<Test>,
) -> Result<Vec<Test>, ArgumentError> {
    let patterns = |name| -> Vec<NamePattern> {
        let tests = find(name).map_or_else(Vec::new, |(option, _)| given(option, false));
        tests.into_iter().filter_map(name_of).collect()
    };
    let [players, white, black] = ["player", "white", "black"].map(patterns);
    let side = match (players.is_empty(), white.is_empty(), black.is_empty()) {
        (false, _, _) => None,
        (true, false, true) => Some(true),
        (true, true, false) => Some(false),
        _ if !tests.iter().any(is_relative) => return Ok(tests),
        _ => return Err(ArgumentError::Relative(option)),
    };
    if let ("vs", None) = (option, side) {
        let opponents = tests.into_iter().filter_map(name_of).collect();
        return Ok(vec![Test::Pairing(players, opponents)]);
    }
    let won_by = |white| [Termination::BlackWins, Termination::WhiteWins][usize::from(white)];
    let mover = |mover| match (mover, side) {
        (Mover::Players(_), None) => Mover::Players(players.clone()),
        (Mover::Players(_), Some(white)) => Mover::White(white),
        (mover, _) => mover,
    };
    let related = |test| match (test, side) {
        (Test::Clock(of, range), _) => Test::Clock(mover(of), range),
        (Test::EvalSwing(of, range), _) => Test::EvalSwing(mover(of), range),
        (Test::Won(_), None) => Test::Won(players.clone()),
        (Test::Lost(_), None) => Test::Lost(players.clone()),
        (Test::OpponentElo(_, range), None) => Test::OpponentElo(players.clone(), range),
        (Test::Player(name), Some(true)) => Test::Black(name),
        (Test::Player(name), Some(false)) => Test::White(name),
        (Test::Won(_), Some(white)) => Test::Result(won_by(white)),
        (Test::Lost(_), Some(white)) => Test::Result(won_by(!white)),
        (Test::OpponentElo(_, range), Some(true)) => Test::Elo(EloField::Black, range),
        (Test::OpponentElo(_, range), Some(false)) => Test::Elo(EloField::White, range),
        (test, _) => test,
    };
    Ok(tests.into_iter().map(related).collect())
}

/// Whether a test of such an option depends on a player.
fn is_relative(test: &Test) -> bool {
    match test {
        Test::Clock(mover, _) | Test::EvalSwing(mover, _) => matches!(mover, Mover::Players(_)),
        test => !matches!(test, Test::Result(_)),
    }
}

/// The name that a test of a player asks for.
fn name_of(test: Test) -> Option<NamePattern> {
    match test {
        Test::Player(name) | Test::White(name) | Test::Black(name) => Some(name),
        _ => None,
    }
}

/// Splits a command line into words; blanks within quotation marks are part of a word.
///
/// # Errors
/// A quotation mark is not closed.
fn command_words(text: &str) -> Result<Vec<String>, ArgumentError> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(_) => Err(ArgumentError::Quote),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<(bool, String)> {
        let query = Query::parse(text).unwrap();
        let clauses = query.all.iter();
        clauses.map(|c| (c.not, format!("{:?}", c.any))).collect()
    }

    #[test]
    fn a_command_line_is_a_query() {
        let text =
            "--white 'Carlsen, M' -d 2019..2020 --not-event=\"world cup\" -d unknown --setup";
        let mut same = Query::new()
            .and_one_of(["2019..2020", "unknown"].map(|d| Test::parse("date", d).unwrap()))
            .and(Test::parse("white", "Carlsen, M").unwrap())
            .and(Test::FenStart);
        let not_cup = Clause::none(vec![Test::parse("event", "world cup").unwrap()]);
        same.all.insert(1, not_cup);
        assert_eq!(asked("--nag '?!' --not-nag $14").len(), 2);
        assert_eq!(asked("--nag '?!'")[0].1, "[Nag(6..=6)]");
        assert_eq!(
            asked("--time blitz --time 60..120")[0].1,
            "[Time(Speed(Blitz)), Time(Base(60..=120))]"
        );
        assert_eq!(
            asked("--time 180+2")[0].1,
            "[Time(Is(TimeControl([Increment(180, 2)])))]"
        );
        assert_eq!(
            format!("{same:?}"),
            format!("{:?}", Query::parse(text).unwrap())
        );
        assert!(Query::parse("--maybe").unwrap().maybe && asked(" ").is_empty());
        assert!(asked("-p tal --vs fischer")[1].1.starts_with("[Pairing("));
        assert!(asked("-w tal --not-vs fischer")[1].1.starts_with("[Black("));
    }

    #[test]
    fn groups_of_questions_are_limited() {
        for join in ["--then", "--next"] {
            let of =
                |joins: usize| format!("--move e4{}", format!(" {join} --move e5").repeat(joins));
            let joined = Query::parse(&of(63)).map(|query| query.then.len());
            assert_eq!(joined, Ok(63));
            let refused = Query::parse(&of(64)).map(|query| query.then.len());
            assert_eq!(refused, Err(ArgumentError::Groups));
        }
        let or = "-p tal".to_owned() + &" --or -p tal".repeat(64);
        assert!(matches!(Query::parse(&or), Err(ArgumentError::Groups)));
    }

    #[test]
    fn what_is_no_query() {
        let within = |option: &str, error| ArgumentError::In(option.into(), Box::new(error));
        for (text, error) in [
            (
                "carlsen",
                ArgumentError::Option("carlsen".into(), String::new()),
            ),
            (
                "--colour x",
                ArgumentError::Option("--colour".into(), String::new()),
            ),
            ("-x 1", ArgumentError::Option("-x".into(), String::new())),
            ("--not-white", within("--not-white", ArgumentError::NoValue)),
            ("--setup=no", within("--setup", ArgumentError::Value)),
            (
                "-white tal",
                ArgumentError::Option("-white".into(), "; similar: --white".into()),
            ),
            (
                "--d 1992",
                ArgumentError::Option("--d".into(), String::new()),
            ),
            ("--white 'tal", ArgumentError::Quote),
            ("--vs tal", ArgumentError::Relative("vs")),
            ("--result win", ArgumentError::Relative("result")),
            ("--variant x", within("--variant", ArgumentError::Rules)),
            ("--tag=x", within("--tag", ArgumentError::Tag)),
            (
                "--nag=!!!",
                within("--nag", ArgumentError::Nag("!!!".into())),
            ),
            (
                "--nag 256",
                within("--nag", ArgumentError::Nag("256".into())),
            ),
            (
                "--time soon",
                within("--time", ArgumentError::Time("soon".into())),
            ),
        ] {
            assert_eq!(
                Query::parse(text).map(|q| q.all.len()),
                Err(error),
                "{text}"
            );
        }
    }
}
