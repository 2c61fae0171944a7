//! The findings in a block, and their places in the source.

use std::ops::Range;
use std::str::Utf8Chunk;

use multiversion::multiversion;

use crate::cut::Block;
use crate::num::at32;
use crate::units::{Parsed, is_repair};
use pgc_pgn::clause::Rule;
use pgc_pgn::finding::{Finding, Loss};
use pgc_pgn::game::{Issue, IssueKind, Wholeness};
use pgc_pgn::split::UnitKind;
use pgc_pgn::tag::{BOM, is_newline};

/// The most bytes of the offending text that a finding shows.
const SHOWN: usize = 120;

/// What is wrong, and the offending text.
pub type FindingWords = (String, String);

/// Something found in a block. There may be very many of these, so they are small;
/// `Origin::finding` makes the report of one.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Spot {
    pub class: Class,
    pub why: Why,
    /// Offsets in the block.
    pub start: u32,
    pub end: u32,
    /// Number of the game in the block, from 1; 0 outside any.
    pub game: u32,
    /// See [`place`]: newlines in the block before it, and its column from 1.
    pub line: u32,
    pub column: u32,
}

impl Spot {
    /// With a place whose line and column are not counted yet.
    pub fn new(class: Class, why: Why, span: Range<usize>, game: u32) -> Spot {
        Spot {
            class,
            why,
            start: at32(span.start),
            end: at32(span.end),
            game,
            line: 0,
            column: 0,
        }
    }

    /// The order in which they are reported.
    fn rank(&self) -> (u32, usize) {
        match self.class {
            Class::Loss(loss) => (self.start, loss as usize),
            Class::Clause(rule) => (self.start, rule as usize),
            _ => (self.start, Loss::ALL.len()),
        }
    }
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Class {
    TextTail,
    TextOnly,
    RavText,
    Stray,
    Repair,
    Loss(Loss),
    /// A rule of the standard is broken.
    Clause(Rule),
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::TextTail => "text-tail",
            Class::TextOnly => "text-only",
            Class::RavText => "rav-text",
            Class::Stray => "stray",
            Class::Repair => "repair",
            Class::Loss(_) => "loss",
            Class::Clause(rule) => rule.clause(),
        }
    }
}

/// The reason for a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Why {
    /// An issue of the game.
    Issue(IssueKind),
    /// What is wrong with a line of EPD, by its number in the list of the block.
    Epd(u32),
    /// A rule of the standard is broken.
    Rule(Rule),
    NoRecord,
    Sign,
    Replaced,
    LongValue,
    NameForm,
    NameAgain,
    LargeNag,
    Result,
    Variant,
    PercentLine,
}

impl Why {
    fn text(self) -> &'static str {
        match self {
            Why::Issue(what) => what.text(),
            // Callers that have the words of the block report those.
            Why::Epd(_) => "irregular EPD",
            Why::Rule(rule) => rule.text(),
            Why::NoRecord => "has no record",
            Why::Sign => "sign that has no record",
            Why::Replaced => "outside Latin-1, or a control character: becomes ?",
            Why::LongValue => "only 255 characters fit",
            Why::NameForm => "name not of letters, digits and underscores",
            Why::NameAgain => "a tag pair with this name comes before",
            Why::LargeNag => "over 255",
            Why::Result => "the terminator differs from the Result tag, which is kept",
            Why::Variant => {
                "play by other rules, which a reader that ignores the Variant tag would misread"
            }
            Why::PercentLine => "line that begins with %",
        }
    }
}

/// The issues of the games as findings.
pub fn spots(src: &[u8], parsed: &[Parsed<'_>], want_repairs: bool) -> Vec<Spot> {
    let mut spots = Vec::new();
    let mut games = 0;
    for Parsed { unit, game, .. } in parsed {
        let is_game = matches!(unit.kind, UnitKind::Game | UnitKind::Piece(false));
        games += u32::from(is_game);
        for issue in game.issues {
            let class = class_of(issue, game.wholeness);
            if class == Class::Repair && !want_repairs {
                continue;
            }
            let start = unit.start + issue.start as usize;
            let mut end = unit.start + issue.end as usize;
            if issue.what == IssueKind::Stray {
                end = first_line(src, start, end);
            }
            let game = if is_game { games } else { 0 };
            spots.push(Spot::new(class, Why::Issue(issue.what), start..end, game));
        }
    }
    spots
}

/// Where the first line of `start..end` ends, which shows enough of text outside games.
pub fn first_line(src: &[u8], start: usize, end: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &src[start..end]).map_or(end, |n| start + n)
}

fn class_of(issue: &Issue, wholeness: Wholeness) -> Class {
    match issue.what {
        IssueKind::Stray => Class::Stray,
        _ if issue.main && wholeness == Wholeness::Tail => Class::TextTail,
        _ if issue.main => Class::TextOnly,
        what if is_repair(what) => Class::Repair,
        // The rules or the start cannot be used, but there is no play.
        IssueKind::BadStart => Class::Repair,
        _ => Class::RavText,
    }
}

/// Sorts the spots into source order and counts their lines and columns. Returns the end of the
/// block.
pub fn place(spots: &mut [Spot], block: &Block) -> End {
    spots.sort_by_key(Spot::rank);
    let mut lines = LineCounter::new(&block.src, block.before);
    for spot in spots {
        let (line, column) = lines.place(spot.start as usize);
        (spot.line, spot.column) = (at32(line), at32(column));
    }
    let (newlines, column) = lines.place(block.src.len());
    End {
        newlines: newlines as u64,
        column: column as u64 - 1,
    }
}

/// The end of a block: newlines in it, and characters behind the last one (or in all of it).
#[derive(Clone, Copy, Debug)]
pub struct End {
    newlines: u64,
    column: u64,
}

/// Counts the lines of a block, which LF, CRLF and CR end. Places must be asked for in ascending
/// order.
struct LineCounter<'a> {
    src: &'a [u8],
    /// Lines are counted up to here.
    at: usize,
    count: usize,
    /// Where the current line begins, or up to where its characters are counted.
    start: usize,
    /// How many characters of the line are before `start`.
    chars: usize,
}

impl<'a> LineCounter<'a> {
    /// `before`: the last byte of the block before.
    fn new(src: &'a [u8], before: Option<u8>) -> LineCounter<'a> {
        // The first byte may be the LF of a CRLF whose CR was counted.
        let begin = usize::from(before == Some(b'\r') && src.first() == Some(&b'\n'));
        // A byte order mark is no character of the first line.
        let has_mark = before.is_none() && src.starts_with(BOM);
        LineCounter {
            src,
            at: begin,
            count: 0,
            start: if has_mark { BOM.len() } else { begin },
            chars: 0,
        }
    }

    /// The number of newlines before a place, and its column from 1, in characters. On line 0, the
    /// one that the block begins in, columns count from the beginning of the block.
    fn place(&mut self, at: usize) -> (usize, usize) {
        // A place on the LF of a CRLF is still on the line that it ends.
        let in_newline = self.src[..at].ends_with(b"\r") && self.src.get(at) == Some(&b'\n');
        let end = at - usize::from(in_newline);
        if end > self.at {
            let text = &self.src[self.at..end];
            self.count += newlines(text);
            if let Some(newline) = memchr::memrchr2(b'\n', b'\r', text) {
                (self.start, self.chars) = (self.at + newline + 1, 0);
            }
            self.at = end;
        }
        // A place before the beginning of the line is its newline, or in a byte order mark.
        if at > self.start {
            self.chars += chars(&self.src[self.start..at]);
            self.start = at;
        }
        (self.count, self.chars + 1)
    }
}

/// The number of characters of a text. A byte that is no UTF-8 is one of Latin-1.
fn chars(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let of = |chunk: Utf8Chunk<'_>| chunk.valid().chars().count() + chunk.invalid().len();
    text.utf8_chunks().map(of).sum()
}

/// The number of newlines in a text. Counts many bytes at a time: the number in one chunk fits a
/// byte.
#[multiversion(targets("x86_64+avx512f+avx512bw", "x86_64+avx2"))]
fn newlines(text: &[u8]) -> usize {
    let Some((&last, rest)) = text.split_last() else {
        return 0;
    };
    let ends_line = |(&byte, &next): (&u8, &u8)| {
        u8::from((byte == b'\n') | ((byte == b'\r') & (next != b'\n')))
    };
    let ((chunks, rest), (next, behind)) = (rest.as_chunks::<128>(), text[1..].as_chunks::<128>());
    let chunks = chunks.iter().zip(next);
    let of_chunks = chunks.map(|(chunk, next)| chunk.iter().zip(next).map(ends_line).sum::<u8>());
    let of_rest = rest.iter().zip(behind).map(ends_line).sum::<u8>();
    of_chunks.map(usize::from).sum::<usize>() + usize::from(of_rest) + usize::from(is_newline(last))
}

/// Where a block begins in its source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin {
    offset: u64,
    newlines: u64,
    /// Characters before it on its first line.
    column: u64,
    games: u64,
}

impl Origin {
    /// The finding of a spot in the block that begins here; `words` are those of the block.
    pub fn finding(&self, src: &[u8], spot: &Spot, words: &[FindingWords]) -> Finding {
        let start = spot.start as usize;
        let column = if spot.line == 0 { self.column } else { 0 };
        let game = if spot.game > 0 { self.games } else { 0 };
        let mut finding = Finding {
            kind: spot.class.name(),
            what: match spot.class {
                Class::Loss(loss) => format!("{}: {}", loss.name(), spot.why.text()),
                _ => spot.why.text().to_owned(),
            },
            offset: self.offset + u64::from(spot.start),
            line: self.newlines + u64::from(spot.line) + 1,
            column: column + u64::from(spot.column),
            game: game + u64::from(spot.game),
            text: src[start..(spot.end as usize).min(start + SHOWN)].to_vec(),
        };
        if let Why::Epd(number) = spot.why
            && let Some((what, text)) = words.get(number as usize)
        {
            finding.what.clone_from(what);
            finding.text = text[..text.floor_char_boundary(SHOWN)].into();
        }
        finding
    }

    /// Moves to where the next block begins.
    pub fn pass(&mut self, src: &[u8], end: End, games: u64) {
        self.offset += src.len() as u64;
        self.newlines += end.newlines;
        let column = if end.newlines > 0 { 0 } else { self.column };
        self.column = column + end.column;
        self.games += games;
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Class, IssueKind, LineCounter, Origin, Spot, Why, place};

    #[test]
    fn lines_are_counted_as_one_reads_them() {
        let mut random = 1_u32;
        for round in 0..2000 {
            let src: Vec<u8> = (0..round % 400)
                .map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"\r\nab\r\nab"[(random >> 28) as usize % if round % 2 == 0 { 4 } else { 8 }]
                })
                .collect();
            let before = [None, Some(b'\r'), Some(b'\n')][round % 3];
            let mut lines = LineCounter::new(&src, before);
            let (mut count, mut start) = (0, 0);
            for at in 0..=src.len() {
                if round % 5 == 0 || at % (round % 5 * 7 + 1) == 0 || at == src.len() {
                    assert_eq!(
                        lines.place(at),
                        (count, (at + 1).saturating_sub(start).max(1)),
                        "{src:?} {before:?} {at}"
                    );
                }
                let next = src.get(at + 1) == Some(&b'\n');
                let is_rest = at == 0 && before == Some(b'\r');
                match src.get(at) {
                    Some(b'\n') if is_rest => start = 1,
                    Some(b'\n') => (count, start) = (count + 1, at + 1),
                    Some(b'\r') if !next => (count, start) = (count + 1, at + 1),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn places_across_blocks() {
        let mut origin = Origin::default();
        let mut before = None;
        let mut found = Vec::new();
        for src in [&b"ab\ncd"[..], b"ef\r", b"\nx\ry", b"", b"z"] {
            let visible = (0..src.len())
                .rev()
                .filter(|&at| !src[at].is_ascii_control());
            let mut spots: Vec<_> = visible
                .map(|at| {
                    Spot::new(
                        Class::TextTail,
                        Why::Issue(IssueKind::Illegal),
                        at..src.len(),
                        1,
                    )
                })
                .collect();
            let block = Block {
                number: 0,
                src: src.to_vec(),
                units: Vec::new(),
                before,
            };
            let end = place(&mut spots, &block);
            for finding in spots.iter().map(|spot| origin.finding(src, spot, &[])) {
                found.push((
                    finding.text[0],
                    finding.offset,
                    finding.line,
                    finding.column,
                    finding.game,
                ));
            }
            origin.pass(src, end, 1);
            before = src.last().copied().or(before);
        }
        let expected = [
            (b'a', 0, 1, 1, 1),
            (b'b', 1, 1, 2, 1),
            (b'c', 3, 2, 1, 1),
            (b'd', 4, 2, 2, 1),
            (b'e', 5, 2, 3, 2),
            (b'f', 6, 2, 4, 2),
            (b'x', 9, 3, 1, 3),
            (b'y', 11, 4, 1, 3),
            (b'z', 12, 4, 2, 5),
        ];
        assert_eq!(found, expected);
    }
}
