//! Parses the values of the options of `pgc find`.

use std::ops::RangeInclusive;

use super::error::ArgumentError;
use super::pattern::NamePattern;
use super::query::{Mover, Test, TimeTest};
use crate::format::rules_word;
use pgc_chess::{BoardTest, Opening, Rules, side};
use pgc_pgn::nag::spelled_nags;
use pgc_pgn::tag::is_tag;
use pgc_pgn::time_control::{Speed, TimeControl};
use pgc_pgn::writer::Termination;

/// The two ends of a range: `..` between them, or `-` where it can be no sign.
fn ends(text: &str) -> Option<(&str, &str)> {
    let dashed = text.split_once('-');
    let dashed = dashed.filter(|ends| !ends.0.trim().is_empty());
    text.split_once("..").or(dashed)
}

/// Parses a range of numbers: `2700`, `2700..`, `2700..2800`, `2700-2800`, `..2800`. A
/// number that is too large for any game is the largest one.
///
/// # Errors
/// The text is not a range of numbers.
pub(super) fn numbers(text: &str) -> Result<RangeInclusive<u32>, ArgumentError> {
    let wrong = || ArgumentError::Numbers(text.to_owned());
    let number = |part: &str, open: u32| match part.trim() {
        "" => Ok(open),
        part if part.bytes().all(|b| b.is_ascii_digit()) => Ok(part.parse().unwrap_or(u32::MAX)),
        _ => Err(wrong()),
    };
    let (from, to) = ends(text).unwrap_or((text, text));
    if from.trim().is_empty() && to.trim().is_empty() {
        return Err(wrong());
    }
    let (from, to) = (number(from, 0)?, number(to, u32::MAX)?);
    match from <= to {
        true => Ok(from..=to),
        false => Err(ArgumentError::Backwards(text.to_owned())),
    }
}

/// Parses a range of numbers that moves of one side, of the player who is asked for, or of either
/// side have: `white:..10`, `player:..10`.
pub(super) fn mover_numbers(text: &str) -> Result<(Mover, RangeInclusive<u32>), ArgumentError> {
    if let Some(range) = text.strip_prefix("player:") {
        return Ok((Mover::Players(Vec::new()), numbers(range)?));
    }
    let (side, range) = side(text);
    Ok((side.map_or(Mover::Either, Mover::White), numbers(range)?))
}

/// Parses a range of ratings, or `none`.
pub(super) fn elos(text: &str) -> Result<Option<RangeInclusive<u32>>, ArgumentError> {
    let is_none = text.trim().eq_ignore_ascii_case("none");
    (!is_none).then(|| numbers(text)).transpose()
}

/// Parses a result: one that a Result tag may have (`1-0`, `1/2`, `*`), or `white`, `black`, `draw`, `unknown`, `win`, `loss`.
pub(super) fn result(text: &str) -> Result<Test, ArgumentError> {
    let text = text.to_ascii_lowercase();
    Ok(Test::Result(match text.trim() {
        "win" => return Ok(Test::Won(Vec::new())),
        "loss" => return Ok(Test::Lost(Vec::new())),
        "unknown" => Termination::Unknown,
        "black" => Termination::BlackWins,
        "white" => Termination::WhiteWins,
        "draw" => Termination::Draw,
        other => Termination::from_tag(other.as_bytes())
            .ok_or_else(|| ArgumentError::Result(text.clone()))?,
    }))
}

/// Parses rules: their [word](rules_word), or a value of the Variant tag, with or without hyphens.
pub(super) fn rules(text: &str) -> Result<Option<Rules>, ArgumentError> {
    let name = text.to_ascii_lowercase().replace([' ', '_', '-'], "");
    match Rules::from_variant_tag(name.as_bytes()) {
        None if name != rules_word(None) => Err(ArgumentError::Rules),
        rules => Ok(rules),
    }
}

/// What one of these words stands for.
pub(super) fn word<T, const N: usize>(
    text: &str,
    known: [(&'static str, T); N],
) -> Result<T, ArgumentError> {
    let names = known.each_ref().map(|known| known.0);
    let is_given = |known: &(&str, T)| known.0 == text.trim().to_ascii_lowercase();
    let wrong = || ArgumentError::Word(text.to_owned(), names.join(", "));
    let found = known.into_iter().find(is_given);
    Ok(found.ok_or_else(wrong)?.1)
}

/// Parses a tag name and a pattern for its value: `Annotator=tal`.
pub(super) fn tag(text: &str) -> Result<Test, ArgumentError> {
    let (name, pattern) = text.split_once('=').ok_or(ArgumentError::Tag)?;
    if !is_tag(name.as_bytes()) {
        return Err(ArgumentError::TagName(name.to_owned()));
    }
    // An index answers tests of some tags.
    let pattern = NamePattern::for_tag(name, pattern)?;
    Ok(match name {
        "White" => Test::White(pattern),
        "Black" => Test::Black(pattern),
        "Event" => Test::Event(pattern),
        name => Test::Tag {
            name: name.to_owned(),
            pattern,
        },
    })
}

/// Parses a NAG: `3`, `$3`, `!!`.
pub(super) fn nag(text: &str) -> Result<RangeInclusive<u32>, ArgumentError> {
    let number = text.strip_prefix('$').unwrap_or(text).parse::<u8>();
    let number = number.ok().map(|number| u32::from(number)..=number.into());
    let named = || spelled_nags(text.as_bytes()).filter(|_| !text.starts_with('$'));
    number
        .or_else(named)
        .ok_or_else(|| ArgumentError::Nag(text.to_owned()))
}

/// Parses how often a position occurs.
pub(super) fn repeated(text: &str) -> Result<Test, ArgumentError> {
    let times = text.trim().parse().ok().filter(|&times| times > 0);
    let wrong = || ArgumentError::Repeated(text.to_owned());
    times.map(Test::Repeated).ok_or_else(wrong)
}

/// Parses a test of a time control.
pub(super) fn time(text: &str) -> Result<TimeTest, ArgumentError> {
    let name = text.to_ascii_lowercase();
    if let Some((_, speed)) = Speed::ALL.into_iter().find(|known| known.0 == name) {
        return Ok(TimeTest::Speed(speed));
    }
    match TimeControl::parse(text) {
        Some(control) => Ok(TimeTest::Is(control)),
        None if ends(text).is_some() => Ok(TimeTest::Base(numbers(text)?)),
        None => Err(ArgumentError::Time(text.to_owned())),
    }
}

/// Parses moves from the standard start position, for a test of the position that they lead to.
pub(super) fn moves_to(text: &str) -> Result<Test, ArgumentError> {
    let moves: Opening = text.parse()?;
    if let Some(illegal) = moves.illegal() {
        return Err(ArgumentError::IllegalMove(illegal));
    }
    let position = moves.position().ok_or(ArgumentError::NoValue)?;
    Ok(Test::Position(BoardTest::exactly(&position)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Lichess' addresses and PGN, chess.com's and people write them.
    #[test]
    fn variants_in_any_spelling() {
        for (spellings, name) in [
            (
                "standard Standard CHESS from-position fromPosition",
                "chess",
            ),
            (
                "chess960 chess-960 CHESS_960 fischer-random Fischerandom",
                "chess960",
            ),
            ("antichess anti-chess give-away", "antichess"),
            (
                "crazyhouse crazyHouse crazy-house Crazy_House",
                "crazyhouse",
            ),
            (
                "kingOfTheHill king-of-the-hill King_of_the_Hill kingofthehill KOTH",
                "kingofthehill",
            ),
            ("racingKings racing-kings Racing_Kings", "racingkings"),
            (
                "threeCheck three-check Three-Check 3check 3-check",
                "three-check",
            ),
        ] {
            for spelling in spellings.split(' ') {
                for spelling in [spelling.to_owned(), spelling.replace(['-', '_'], " ")] {
                    let found = rules(&spelling).map(rules_word);
                    assert_eq!(found, Ok(name), "{spelling}");
                }
            }
        }
        assert_eq!(rules("losers"), Err(ArgumentError::Rules));
        assert_eq!(rules("other"), Ok(None));
    }

    #[test]
    fn ranges() {
        assert_eq!(numbers("2700"), Ok(2700..=2700));
        assert_eq!(numbers("2700.."), Ok(2700..=u32::MAX));
        assert_eq!(numbers(" 2700 .. 2800"), Ok(2700..=2800));
        assert_eq!(numbers("..2800"), Ok(0..=2800));
        assert_eq!(numbers("4294967296"), Ok(u32::MAX..=u32::MAX));
        assert_eq!(numbers("2700-2800"), Ok(2700..=2800));
        assert_eq!(numbers("2700 - "), Ok(2700..=u32::MAX));
        for text in [
            "", "..", "x", "1..x", "-1", "+1", "1...2", "1-2-3", "1--2", "-", "-2800",
        ] {
            assert!(
                matches!(numbers(text), Err(ArgumentError::Numbers(_))),
                "{text}"
            );
        }
        assert!(matches!(numbers("2..1"), Err(ArgumentError::Backwards(_))));
        use Termination::{BlackWins, Draw, Unknown, WhiteWins};
        let given = ["1-0", "Black", "1/2", "draw", "*"];
        for (text, is) in given
            .into_iter()
            .zip([WhiteWins, BlackWins, Draw, Draw, Unknown])
        {
            assert!(matches!(result(text), Ok(Test::Result(result)) if result == is));
        }
        assert!(result("2-0").is_err() && result("won").is_err());
    }

    #[test]
    fn rules_and_tags() {
        assert_eq!(rules("Chess960"), Ok(Some(Rules::Chess960)));
        assert_eq!(rules("Fischer Random"), Ok(Some(Rules::Chess960)));
        assert_eq!(
            rules("three-check"),
            Ok(Some(Rules::Other(pgc_chess::Variant::ThreeCheck)))
        );
        assert_eq!(rules("other"), Ok(None));
        assert!(rules("Losers").is_err());
        assert!(tag("Annotator=tal").is_ok() && tag("Annotator").is_err() && tag("=x").is_err());
    }
}
