//! How many pieces of each kind a side has.

use std::ops::RangeInclusive;

use shakmaty::{Bitboard, Color};

use super::change::POINTS;
use super::error::{BoardError, short};
use super::moves::side;
use super::reach::Most;
use super::seen::BoardView;
use crate::pieces::Pieces;

/// The pieces of a side: how many of each kind, pawn to king.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Side([RangeInclusive<usize>; 6]);

/// The pieces of both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaterialTest {
    white: Side,
    black: Side,
    /// The sides may be exchanged.
    either: bool,
}

/// As many as there can be.
pub(super) const ALL: usize = 64;

impl std::str::FromStr for MaterialTest {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<MaterialTest, BoardError> {
        let (white, black, either) = by_colour(text)?;
        Ok(MaterialTest {
            white: white.parse()?,
            black: black.parse()?,
            either,
        })
    }
}

/// The pieces of White and of Black, and whether the sides may be exchanged.
fn by_colour(text: &str) -> Result<(&str, &str, bool), BoardError> {
    let wrong = || BoardError::Sides(short(text));
    let (first, second) = sides(text.trim()).ok_or_else(wrong)?;
    let is = |side: &str, upper: bool| {
        let mut letters = side.chars().filter(char::is_ascii_alphabetic);
        letters.all(|letter| letter.is_ascii_uppercase() == upper)
    };
    match (is(first, true), is(second, true)) {
        (true, true) => Ok((first, second, true)),
        (true, false) if is(second, false) => Ok((first, second, false)),
        (false, true) if is(first, false) => Ok((second, first, false)),
        (false, false) if is(first, false) && is(second, false) => Ok((first, second, true)),
        _ => Err(wrong()),
    }
}

/// What one side has more than the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImbalanceTest {
    /// How many more White has, pawns to queens, then points; below 0, Black.
    more: [RangeInclusive<i32>; 6],
    /// The sides may be exchanged.
    either: bool,
}

/// Reads `3`, `3..`, `-1..2`.
fn points(text: &str) -> Option<RangeInclusive<i32>> {
    let number = |text: &str, open: i32| match text.trim() {
        "" => Some(open),
        number => number.parse::<i16>().ok().map(i32::from),
    };
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let range = number(from, -i32::MAX)?..=number(to, i32::MAX)?;
    (!range.is_empty() && text.contains(|c: char| c.is_ascii_digit())).then_some(range)
}

impl std::str::FromStr for ImbalanceTest {
    type Err = BoardError;

    /// `PP v N`: two pawns for a knight; `-` is nothing; `3..`: three points or more. With `white:`
    /// or `black:` before them the first pieces, or the points, are those of this side.
    fn from_str(text: &str) -> Result<ImbalanceTest, BoardError> {
        let (first, asked) = side(text);
        let (mut more, mut either) = ([const { -i32::MAX..=i32::MAX }; 6], true);
        if let Some(points) = points(asked) {
            more[5] = points;
        } else {
            let (white, black, open) = by_colour(asked)?;
            let (mut counts, signs) = ([0; 5], [1, -1]);
            for (side, sign) in [white, black].into_iter().zip(signs) {
                for letter in side.chars().filter(|_| side != "-") {
                    let kind = "PNBRQ".find(letter.to_ascii_uppercase());
                    counts[kind.ok_or_else(|| BoardError::Imbalance(short(text)))?] += sign;
                }
            }
            for (more, count) in more.iter_mut().zip(counts) {
                *more = count..=count;
            }
            either = open;
        }
        either &= first.is_none();
        let test = ImbalanceTest { more, either };
        Ok(test.turned(first == Some(false)))
    }
}

impl ImbalanceTest {
    #[inline]
    pub(super) fn matches(&self, pieces: &Pieces) -> bool {
        let mut more = [0; 6];
        for (kind, points) in POINTS.iter().rev().take(5).enumerate() {
            let of = |side: Bitboard| (pieces.roles[kind + 1] & side).0.count_ones().cast_signed();
            more[kind] = of(pieces.white) - of(pieces.black);
            more[5] += points * more[kind];
        }
        let is = |sign: i32| {
            let mut kinds = self.more.iter().zip(more);
            kinds.all(|(wanted, more)| wanted.contains(&(sign * more)))
        };
        is(1) || self.either && is(-1)
    }

    pub(super) fn seen(&self, seen: BoardView) -> ImbalanceTest {
        self.turned(seen.flip)
    }

    fn turned(&self, flip: bool) -> ImbalanceTest {
        let mut other = self.clone();
        for more in other.more.iter_mut().filter(|_| flip) {
            *more = -more.end()..=-more.start();
        }
        other
    }
}

/// Splits at a blank, at `v` or `vs` (`KRPvKR`), or where capitals end or begin (`KRPkr`).
fn sides(text: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [first, second] | [first, "v" | "vs" | "vs." | "-", second] => {
            return Some((first, second));
        }
        [_] => {}
        _ => return None,
    }
    if let Some(pair) = text.split_once("vs").or_else(|| text.split_once('v')) {
        return Some(pair);
    }
    let is_upper = text.chars().next()?.is_ascii_uppercase();
    let end = text.find(|c: char| c.is_ascii_alphabetic() && c.is_ascii_uppercase() != is_upper)?;
    Some(text.split_at(end))
}

impl std::str::FromStr for Side {
    type Err = BoardError;

    /// Letters with numbers behind them; a king is always there. `*` alone is any material.
    fn from_str(text: &str) -> Result<Side, BoardError> {
        let wrong = || BoardError::Material(short(text));
        let mut counts = [const { 0..=0 }; 6];
        counts[5] = 1..=1;
        if text.is_empty() {
            return Err(wrong());
        }
        if text == "*" {
            return Ok(Side(std::array::from_fn(|_| 0..=ALL)));
        }
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let kind = "PNBRQK"
                .find(letter.to_ascii_uppercase())
                .ok_or_else(wrong)?;
            let end = rest[1..].find(|c: char| c.is_ascii_alphabetic());
            let (number, more) = rest[1..].split_at(end.unwrap_or(rest.len() - 1));
            rest = more;
            let number = count(number)?;
            if kind == 5 {
                counts[kind] = number;
                continue;
            }
            let sum = |a: &usize, b: &usize| (a + b).min(ALL);
            let known = &counts[kind];
            counts[kind] = sum(known.start(), number.start())..=sum(known.end(), number.end());
        }
        Ok(Side(counts))
    }
}

/// Reads a number of pieces: nothing (one), `2`, `2..4`, `2..`, `+`, `*`, `?`.
pub(super) fn count(text: &str) -> Result<RangeInclusive<usize>, BoardError> {
    let wrong = || BoardError::Count(short(text));
    let number = |text: &str, open: usize| match text {
        "" => Ok(open),
        text => text.parse().ok().filter(|&n| n <= ALL).ok_or_else(wrong),
    };
    let range = match (text, text.split_once("..")) {
        ("", _) => 1..=1,
        ("+", _) => 1..=ALL,
        ("*", _) => 0..=ALL,
        ("?", _) => 0..=1,
        (_, Some((from, to))) => number(from, 0)?..=number(to, ALL)?,
        (text, None) => number(text, 0).map(|n| n..=n)?,
    };
    if range.is_empty() || text == ".." {
        return Err(wrong());
    }
    Ok(range)
}

impl Side {
    #[inline]
    fn matches(&self, pieces: &Pieces, color: Color) -> bool {
        let own = pieces.by_color(color);
        let mut kinds = self.0.iter().zip(&pieces.roles[1..7]);
        kinds.all(|(range, &all)| range.contains(&(own & all).count()))
    }

    /// Whether too few pieces or pawns are left.
    #[inline]
    fn is_out_of_reach(&self, pieces: &Pieces, color: Color) -> bool {
        let own = pieces.by_color(color);
        let least: usize = self.0.iter().map(RangeInclusive::start).sum();
        own.count() < least || (own & pieces.roles[1]).count() < *self.0[0].start()
    }
}

impl MaterialTest {
    /// How many pieces of each kind there may be, for each way round.
    pub(super) fn most(&self) -> impl Iterator<Item = Most> {
        let most = |side: &Side| [5, 4, 3, 2, 1, 0].map(|kind: usize| *side.0[kind].end());
        let (white, black) = (most(&self.white), most(&self.black));
        [[white, black]]
            .into_iter()
            .chain(self.either.then_some([black, white]))
    }

    pub(super) fn seen(&self, seen: BoardView) -> MaterialTest {
        let mut other = self.clone();
        if seen.flip {
            std::mem::swap(&mut other.white, &mut other.black);
        }
        other
    }

    #[inline]
    pub(super) fn matches(&self, pieces: &Pieces) -> bool {
        let is =
            |white, black| self.white.matches(pieces, white) && self.black.matches(pieces, black);
        is(Color::White, Color::Black) || self.either && is(Color::Black, Color::White)
    }

    #[inline]
    pub(super) fn is_out_of_reach(&self, pieces: &Pieces) -> bool {
        let is_gone = |white, black| {
            self.white.is_out_of_reach(pieces, white) || self.black.is_out_of_reach(pieces, black)
        };
        is_gone(Color::White, Color::Black) && (!self.either || is_gone(Color::Black, Color::White))
    }
}
