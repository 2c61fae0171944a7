//! The values of tags (PGN 1994 8.1.1.1 to 8.1.1.7, section 9).

use std::ops::Range;

use crate::foreign::lint::RuleHits;
use pgc_pgn::clause::Rule;
use pgc_pgn::tag_column::days;
use pgc_pgn::text::decoded;
use pgc_pgn::time_control::{Period, Seconds, TimeControl};
use pgc_pgn::writer::Termination;

/// The abbreviations of titles of FIDE.
const TITLES: [&[u8]; 12] = [
    b"GM", b"IM", b"FM", b"CM", b"WGM", b"WIM", b"WFM", b"WCM", b"AGM", b"AIM", b"AFM", b"ACM",
];

/// The reasons of 9.8.1.
const REASONS: [&[u8]; 8] = [
    b"abandoned",
    b"adjudication",
    b"death",
    b"emergency",
    b"normal",
    b"rules infraction",
    b"time forfeit",
    b"unterminated",
];

/// Checks the value of a tag; `span` is where it stands.
pub(super) fn check(hits: &mut RuleHits, name: &[u8], value: &[u8], span: Range<usize>) {
    let broken = match name {
        b"Event" => value.is_empty().then_some(Rule::EmptyEvent),
        b"Site" => value.is_empty().then_some(Rule::EmptySite),
        b"Date" if !has_form(value, DATE) => Some(Rule::DateForm),
        b"Date" => (!is_day(value)).then_some(Rule::NoSuchDay),
        b"Round" => (!is_round(value)).then_some(Rule::RoundForm),
        b"White" => value.is_empty().then_some(Rule::EmptyWhite),
        b"Black" => value.is_empty().then_some(Rule::EmptyBlack),
        b"Result" => result(value),
        b"WhiteTitle" | b"BlackTitle" => {
            each(value, |title| title == b"-" || TITLES.contains(&title)).then_some(Rule::TitleForm)
        }
        b"WhiteElo" | b"BlackElo" => each(value, is_rating).then_some(Rule::EloForm),
        b"WhiteUSCF" | b"BlackUSCF" => each(value, is_rating).then_some(Rule::UscfForm),
        b"WhiteType" | b"BlackType" => {
            each(value, |kind| matches!(kind, b"human" | b"program")).then_some(Rule::TypeForm)
        }
        b"EventDate" => (!is_date(value)).then_some(Rule::EventDateForm),
        b"Board" => (!is_integer(value)).then_some(Rule::BoardForm),
        b"ECO" => (!is_eco(value)).then_some(Rule::EcoForm),
        b"Time" => (!is_time(value)).then_some(Rule::TimeForm),
        b"UTCTime" => (!is_time(value)).then_some(Rule::UtcTimeForm),
        b"UTCDate" => (!is_date(value)).then_some(Rule::UtcDateForm),
        b"TimeControl" => time_control(value, hits.rules.strict),
        b"SetUp" => (!matches!(value, b"0" | b"1")).then_some(Rule::SetUpForm),
        b"Termination" => (!REASONS.contains(&value)).then_some(Rule::TerminationForm),
        b"PlyCount" => (!is_integer(value)).then_some(Rule::PlyCountForm),
        _ => None,
    };
    if let Some(rule) = broken {
        hits.hit(rule, span.clone());
    }
    if hits.rules.strict {
        let rules = match name {
            b"White" => (Rule::WhiteComma, Rule::WhiteInitial),
            b"Black" => (Rule::BlackComma, Rule::BlackInitial),
            _ => return,
        };
        player(hits, value, span, rules);
    }
}

/// Whether a part of a value that may have several, with colons between (8.1, 9.1), is wrong.
fn each(value: &[u8], is_right: impl Fn(&[u8]) -> bool) -> bool {
    !value.split(|&byte| byte == b':').all(is_right)
}

fn is_integer(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

fn is_rating(value: &[u8]) -> bool {
    value == b"-" || is_integer(value)
}

/// Whether a value has this form, in which `#` is a digit or a question mark.
fn has_form(value: &[u8], form: &[u8]) -> bool {
    let fits = |(&byte, &sign): (&u8, &u8)| match sign {
        b'#' => byte.is_ascii_digit() || byte == b'?',
        _ => byte == sign,
    };
    value.len() == form.len() && value.iter().zip(form).all(fits)
}

const DATE: &[u8] = b"####.##.##";

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a date of the right form is possible, as far as it is known.
fn is_day(value: &[u8]) -> bool {
    let [year, month, day] = [0..4, 5..7, 8..10].map(|part| number(&value[part]));
    // A leap year, as the year 0 would be, and a month of 31 days.
    let year = year.filter(|&year| year > 0).unwrap_or(2000);
    days(year, month.unwrap_or(1), day.unwrap_or(1)).is_some()
}

fn is_date(value: &[u8]) -> bool {
    has_form(value, DATE) && is_day(value)
}

fn is_time(value: &[u8]) -> bool {
    let below = |at: usize, most: i32| number(&value[at..at + 2]).is_none_or(|n| n < most);
    has_form(value, b"##:##:##") && below(0, 24) && below(3, 60) && below(6, 60)
}

fn is_round(value: &[u8]) -> bool {
    matches!(value, b"?" | b"-") || value.split(|&byte| byte == b'.').all(is_integer)
}

fn is_eco(value: &[u8]) -> bool {
    let is_digit = u8::is_ascii_digit;
    match value {
        [b'A'..=b'E', a, b] => is_digit(a) && is_digit(b),
        [b'A'..=b'E', a, b, b'/', c, d] => [a, b, c, d].into_iter().all(is_digit),
        _ => false,
    }
}

fn result(value: &[u8]) -> Option<Rule> {
    match value {
        b"1-0" | b"0-1" | b"1/2-1/2" | b"*" => None,
        _ if Termination::is_all_of(value) => Some(Rule::ResultKnown),
        _ => Some(Rule::ResultForm),
    }
}

/// The text with at most nine digits of each number, without leading zeros: the standard allows
/// numbers of any length.
fn short_numbers(text: &str) -> String {
    const MOST: usize = 9;
    let (mut short, mut figures) = (String::new(), 0);
    for c in text.chars() {
        let is_leading_zero = figures == 1 && short.ends_with('0');
        if c.is_ascii_digit() && is_leading_zero {
            short.pop();
            figures = 0;
        }
        figures = if c.is_ascii_digit() { figures + 1 } else { 0 };
        if figures <= MOST {
            short.push(c);
        }
    }
    short
}

fn time_control(value: &[u8], strict: bool) -> Option<Rule> {
    let text = short_numbers(&decoded(value));
    // The standard has whole seconds, and no increment for a number of moves.
    let is_mixed = |period: &str| period.contains('/') && period.contains('+');
    let is_its =
        text.trim() == text && !text.contains(['.', ',']) && !text.split(':').any(is_mixed);
    let none = Seconds::whole(0);
    let Some(control) = TimeControl::parse(&text).filter(|_| is_its) else {
        return Some(Rule::TimeControlForm);
    };
    let is_odd = |(place, period): (usize, &Period)| {
        let is_last = place + 1 == control.periods().len();
        match *period {
            Period::Unknown | Period::Unlimited => false,
            Period::Moves(moves, time, _) => moves == 0 || time == none,
            Period::SuddenDeath(time) | Period::Sandclock(time) => !is_last || time == none,
            Period::Increment(base, more) => !is_last || base == none || more == none,
        }
    };
    let is_any_odd = strict && control.periods().iter().enumerate().any(is_odd);
    is_any_odd.then_some(Rule::TimeControlUse)
}

/// The two rules about names that a program can check.
fn player(hits: &mut RuleHits, value: &[u8], span: Range<usize>, (comma, initial): (Rule, Rule)) {
    let is_bare_comma = |pair: &[u8]| pair[0] == b',' && pair[1] != b' ';
    if value.windows(2).any(is_bare_comma) || value.ends_with(b",") {
        hits.hit(comma, span.clone());
    }
    let is_initial = |word: &[u8]| matches!(word, [b'A'..=b'Z']);
    let words = value.split(|byte| matches!(byte, b' ' | b',' | b':' | b'-'));
    if words.into_iter().any(is_initial) {
        hits.hit(initial, span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::lint::LintRules;

    fn rule(name: &str, value: &str) -> Option<&'static str> {
        let mut hits = RuleHits::new(LintRules {
            strict: true,
            ..LintRules::default()
        });
        check(&mut hits, name.as_bytes(), value.as_bytes(), 0..0);
        let mut found = Rule::ALL
            .iter()
            .filter(|rule| hits.counts.contains_key(*rule));
        let first = found.next().map(|rule| rule.clause());
        assert!(found.next().is_none(), "{name} {value}");
        first
    }

    /// The examples of the standard break no rule; the others were written to break one.
    #[test]
    fn values_of_the_standard() {
        for (name, value) in [
            ("Event", "FIDE World Championship"),
            ("Site", "New York City, NY USA"),
            ("Date", "1992.08.31"),
            ("Date", "1993.??.??"),
            ("Date", "2001.01.01"),
            ("Date", "????.??.??"),
            ("Date", "2000.02.29"),
            ("Round", "1"),
            ("Round", "3.1"),
            ("Round", "4.1.2"),
            ("Round", "-"),
            ("Round", "?"),
            ("White", "Tal, Mikhail N."),
            ("White", "van der Wiel, Johan"),
            ("White", "Acme Pawngrabber v.3.2"),
            ("White", "Fine, R."),
            ("Black", "Smith, John Q.:Woodpusher 2000"),
            ("Result", "0-1"),
            ("WhiteTitle", "IM:-:GM"),
            ("BlackElo", "-"),
            ("WhiteUSCF", "1800"),
            ("WhiteType", "program"),
            ("EventDate", "1992.08.31"),
            ("Board", "3"),
            ("ECO", "C97"),
            ("ECO", "B30/01"),
            ("Time", "18:30:00"),
            ("UTCTime", "??:??:??"),
            ("UTCDate", "1992.08.31"),
            ("TimeControl", "?"),
            ("TimeControl", "-"),
            ("TimeControl", "40/9000"),
            ("TimeControl", "300"),
            ("TimeControl", "4500+60"),
            ("TimeControl", "*180"),
            ("TimeControl", "40/7200:3600"),
            ("TimeControl", "4294967296"),
            ("TimeControl", "40/99999999999:00000000005"),
            ("SetUp", "0"),
            ("Termination", "rules infraction"),
            ("PlyCount", "85"),
            ("Annotator", ""),
        ] {
            assert_eq!(rule(name, value), None, "{name} {value}");
        }
        for (name, value, clause) in [
            ("Event", "", "8.1.1.1"),
            ("Site", "", "8.1.1.2"),
            ("Date", "1992-08-31", "8.1.1.3"),
            ("Date", "1992", "8.1.1.3"),
            ("Date", "1992.8.31", "8.1.1.3"),
            ("Date", "1900.02.29", "8.1.1.3"),
            ("Date", "1992.13.??", "8.1.1.3"),
            ("Round", "3a", "8.1.1.4"),
            ("Round", "3.", "8.1.1.4"),
            ("Round", "", "8.1.1.4"),
            ("White", "", "8.1.1.5"),
            ("White", "Tal,Mikhail", "8.1.1.5"),
            ("Black", "Smith, John Q", "8.1.1.6"),
            ("Result", "1/2", "8.1.1.7"),
            ("Result", "\u{10}", "8.1.1.7"),
            ("Result", "0-1 ff", "8.1.1.7"),
            ("WhiteTitle", "gm", "9.1.1"),
            ("WhiteElo", "?", "9.1.2"),
            ("BlackUSCF", "1800.5", "9.1.3"),
            ("WhiteType", "Human", "9.1.5"),
            ("EventDate", "1992", "9.2.1"),
            ("Board", "one", "9.2.5"),
            ("ECO", "F00", "9.4.1"),
            ("ECO", "B3", "9.4.1"),
            ("Time", "18:30", "9.5.1"),
            ("UTCTime", "24:00:00", "9.5.2"),
            ("UTCDate", "1992/08/31", "9.5.3"),
            ("TimeControl", "90 minutes", "9.6.1"),
            ("TimeControl", "10+0.1", "9.6.1"),
            ("TimeControl", "40/5400+30:1800+30", "9.6.1"),
            ("TimeControl", "180+0", "9.6.1"),
            ("TimeControl", "180+00000000000", "9.6.1"),
            ("TimeControl", "99999999999+", "9.6.1"),
            ("TimeControl", "300:40/9000", "9.6.1"),
            ("SetUp", "yes", "9.7.1"),
            ("Termination", "Normal", "9.8.1"),
            ("PlyCount", "85.5", "9.9.3"),
        ] {
            assert_eq!(rule(name, value), Some(clause), "{name} {value}");
        }
    }
}
