//! Which positions of a game are meant: `--ply` of `pgc get`, `--at` of `pgc find`.

use std::ops::RangeInclusive;

use pgc_pgn::epd::game::Plies;

use crate::args::addresses::numbers;

/// The positions that `pgc find --format epd` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// The position that a question asks for.
    Match,
    /// These plies of each game.
    Plies(Plies),
}

/// Parses the value of `--at`.
pub(crate) fn places(text: &str) -> Result<Places, String> {
    match text {
        "match" => Ok(Places::Match),
        _ => plies(text).map(Places::Plies),
    }
}

/// Parses numbers of half moves: `40`, `20..40`, `20..`, `..40`, `all`, `start`, `end`.
pub(crate) fn plies(text: &str) -> Result<Plies, String> {
    let range = match text {
        "end" => return Ok(Plies::End),
        "start" => Some((0, 0)),
        "all" => Some((0, u64::MAX)),
        text if text.starts_with("..") => numbers(&format!("0{text}")),
        text => numbers(text),
    };
    let ply = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let range = range.map(|(first, last)| ply(first)..=ply(last));
    let range = range.filter(|range| !range.is_empty());
    range.map(Plies::Of).ok_or_else(|| {
        "write a number of half moves (40), a range (20..40, 20..), all, start or end".to_owned()
    })
}

/// The ply, if only one is meant; `None` also for the end, which depends on the game.
pub(crate) fn single(plies: &Plies) -> Option<usize> {
    let is_one = |plies: &&RangeInclusive<usize>| plies.start() == plies.end();
    match plies {
        Plies::End => None,
        Plies::Of(plies) => Some(plies).filter(is_one).map(|plies| *plies.start()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_half_moves() {
        for (text, range) in [
            ("0", 0..=0),
            ("40", 40..=40),
            ("20..40", 20..=40),
            ("20-40", 20..=40),
            ("20..", 20..=usize::MAX),
            ("..40", 0..=40),
            ("all", 0..=usize::MAX),
            ("start", 0..=0),
        ] {
            assert_eq!(plies(text), Ok(Plies::Of(range)), "{text}");
        }
        assert_eq!(plies("end"), Ok(Plies::End));
        assert_eq!(places("match"), Ok(Places::Match));
        for wrong in ["", "-1", "+4", "4..2", "a", "1..b", "1..2..3"] {
            assert!(places(wrong).is_err(), "{wrong}");
        }
    }
}
