//! A comment as words, numbers and moves, and its text again (spec/small.md section 7.4).

use std::ops::Range;

use pgc_chess::{Position, coordinates};
use pgc_pgn::game::Mark;

/// A part of the text of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotePart {
    /// Bytes of the note that are coded as any other text.
    Text(Range<usize>),
    /// A word that is common in the block, as bytes of the note.
    Word(Range<usize>),
    Number(NumberForm, i64),
    /// Ordinals.
    Moves(MoveForm, Vec<u8>),
}

/// A comment in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NoteParts {
    pub parts: Vec<NotePart>,
    pub bytes: Vec<u8>,
}

impl NoteParts {
    /// A comment that is not taken apart.
    pub(crate) fn whole(text: &[u8]) -> NoteParts {
        let is_there = !text.is_empty();
        NoteParts {
            // A game may have half a million notes, so no room is kept for more parts.
            parts: is_there
                .then_some(NotePart::Text(0..text.len()))
                .into_iter()
                .collect(),
            bytes: text.to_vec(),
        }
    }

    /// Adds text.
    pub(crate) fn add(&mut self, text: &[u8]) -> Range<usize> {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(text);
        begin..self.bytes.len()
    }

    /// Whether it is more than a text.
    pub(crate) fn is_apart(&self) -> bool {
        let is_text = |part: &_| matches!(part, NotePart::Text(_));
        !self.parts.iter().all(is_text)
    }

    /// Whether there are moves in it.
    pub(crate) fn has_moves(&self) -> bool {
        let is_moves = |part: &_| matches!(part, NotePart::Moves(..));
        self.parts.iter().any(is_moves)
    }

    /// The text, once the moves have become text; `None` if a number has no text.
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        if let [NotePart::Text(only)] = &self.parts[..] {
            return self.bytes.get(only.clone()).map(<[u8]>::to_vec);
        }
        let mut text = Vec::new();
        for part in &self.parts {
            match part {
                NotePart::Text(range) | NotePart::Word(range) => {
                    text.extend_from_slice(self.bytes.get(range.clone())?);
                }
                NotePart::Number(form, number) => form.put(*number, &mut text)?,
                NotePart::Moves(..) => return None,
            }
        }
        Some(text)
    }
}

/// How a number is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    /// With this number of decimals, at most 3.
    Plain(u8),
    /// Likewise, with `+` if it is not below 0.
    Signed(u8),
    /// `HH:MM:SS`, as seconds.
    Time,
    /// `H:MM:SS`.
    ShortTime,
}

impl NumberForm {
    pub(crate) const COUNT: u32 = 10;

    /// The number of the form, from 0.
    pub(crate) fn number(self) -> u32 {
        match self {
            NumberForm::Plain(decimals) => decimals.into(),
            NumberForm::Signed(decimals) => 4 + u32::from(decimals),
            NumberForm::Time => 8,
            NumberForm::ShortTime => 9,
        }
    }

    pub(crate) fn new(number: u32) -> NumberForm {
        let [decimals, ..] = (number & 3).to_le_bytes();
        match number {
            0..4 => NumberForm::Plain(decimals),
            4..8 => NumberForm::Signed(decimals),
            8 => NumberForm::Time,
            _ => NumberForm::ShortTime,
        }
    }

    /// Appends the text of a number; `None` if it has none.
    pub(crate) fn put(self, number: i64, out: &mut Vec<u8>) -> Option<()> {
        let (sign, decimals) = match self {
            NumberForm::Plain(decimals) => ("", decimals),
            NumberForm::Signed(decimals) => ("+", decimals),
            NumberForm::Time | NumberForm::ShortTime => {
                let (width, most) = match self {
                    NumberForm::Time => (2, 100),
                    _ => (1, 10),
                };
                if !(0..most * 3600).contains(&number) {
                    return None;
                }
                let (hours, minutes, seconds) = (number / 3600, number / 60 % 60, number % 60);
                let text = format!("{hours:0width$}:{minutes:02}:{seconds:02}");
                out.extend_from_slice(text.as_bytes());
                return Some(());
            }
        };
        if number.unsigned_abs() >= LEAST_LARGE {
            return None;
        }
        let unit = 10_u64.pow(decimals.into());
        let sign = if number < 0 { "-" } else { sign };
        let (whole, part) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
        out.extend_from_slice(format!("{sign}{whole}").as_bytes());
        if decimals > 0 {
            let width = usize::from(decimals);
            out.extend_from_slice(format!(".{part:0width$}").as_bytes());
        }
        Some(())
    }
}

/// Numbers have at most 15 digits.
pub(crate) const LEAST_LARGE: u64 = 1_000_000_000_000_000;

/// How moves are spelled, and where they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoveForm {
    /// The moves begin in the position before the last ply, not in the one behind it.
    pub is_before: bool,
    pub spelling: MoveSpelling,
}

/// How moves are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum MoveSpelling {
    /// Canonical SAN with check marks.
    San,
    /// Canonical SAN without check marks.
    Unmarked,
    /// `e2e4`.
    Coordinates,
    /// SAN with `0-0` for `O-O`.
    Zeros,
    UnmarkedZeros,
}

impl MoveForm {
    pub(crate) const COUNT: u32 = 10;

    /// The number of the form, from 0.
    pub(crate) fn number(self) -> u32 {
        self.spelling as u32 * 2 + u32::from(self.is_before)
    }

    pub(crate) fn new(number: u32) -> MoveForm {
        use MoveSpelling::{Coordinates, San, Unmarked, UnmarkedZeros, Zeros};
        let all = [San, Unmarked, Coordinates, Zeros, UnmarkedZeros];
        let spelling = all[number as usize / 2 % all.len()];
        MoveForm {
            is_before: number & 1 == 1,
            spelling,
        }
    }
}

/// The most plies of a list of moves.
pub(crate) const MAX_PLIES: usize = 1024;

/// The most bytes of a word. Longer words are text.
pub(crate) const MAX_WORD: usize = 63;

/// Appends moves with this spelling; `None` if an ordinal has no move.
pub(crate) fn put_moves(
    out: &mut Vec<u8>,
    position: &Position,
    ordinals: &[u8],
    spelling: MoveSpelling,
) -> Option<()> {
    let mut position = position.clone();
    for (ply, &ordinal) in ordinals.iter().enumerate() {
        if ply > 0 {
            out.push(b' ');
        }
        if spelling == MoveSpelling::Coordinates {
            let played = position.select(ordinal)?;
            coordinates(played).put(out);
            position.play(played);
            continue;
        }
        let san = position.play_ordinal(ordinal)?;
        let zeros = matches!(spelling, MoveSpelling::Zeros | MoveSpelling::UnmarkedZeros);
        match san.as_bytes() {
            b"O-O" if zeros => out.extend_from_slice(b"0-0"),
            b"O-O-O" if zeros => out.extend_from_slice(b"0-0-0"),
            _ => san.put(out),
        }
        if matches!(spelling, MoveSpelling::San | MoveSpelling::Zeros) {
            out.extend_from_slice(Mark::from(position.check()).text());
        }
    }
    Some(())
}
