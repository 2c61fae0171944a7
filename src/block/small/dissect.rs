//! Takes the texts of comments apart (spec/small.md section 7.8).

use hashbrown::HashMap;

use crate::small::note::{
    MAX_PLIES, MAX_WORD, MoveForm, MoveSpelling, NotePart, NoteParts, NumberForm,
};
use pgc_chess::{Position, core_len};
use pgc_pgn::game::Mark;

/// A word is common if it occurs this often in the comments of a block.
const COMMON: u32 = 4;

/// The most common words of a block: fewer than [`Notes`](super::notes::Notes) has room for.
const MOST_WORDS: usize = 4000;

/// A longer comment is not taken apart: it may have as many parts as bytes.
const LONGEST_APART: usize = 1 << 18;

/// The most different words of a block that are counted: more than 1 MiB of text has. (One comment
/// more may go beyond it.)
const MOST_DIFFERENT: usize = 1 << 19;

/// What the comments of a block have in common.
#[derive(Debug, Default)]
pub(crate) struct WordCounts {
    /// How often each word occurs, by its hash.
    counts: HashMap<u64, u32>,
    /// The bytes of all comments, and those of numbers and moves among them.
    pub all: usize,
    pub told: usize,
    /// No comment is taken apart.
    pub is_off: bool,
}

fn hash(word: &[u8]) -> u64 {
    let letters = word.iter();
    letters.fold(0xcbf2_9ce4_8422_2325, |hash, &letter| {
        (hash ^ u64::from(letter)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl WordCounts {
    /// Counts the words of a comment.
    pub(crate) fn count(&mut self, text: &[u8], starts: Starts<'_>) {
        let mut begin = 0;
        self.all += text.len();
        if text.len() > LONGEST_APART || self.counts.len() > MOST_DIFFERENT {
            return;
        }
        for (part, end) in Dissection::new(text, starts) {
            match part {
                NotePart::Word(word) if word.len() <= MAX_WORD => {
                    *self.counts.entry(hash(&text[word])).or_default() += 1;
                }
                NotePart::Number(..) | NotePart::Moves(..) => self.told += end - begin,
                _ => {}
            }
            begin = end;
        }
    }

    /// Whether there are more than [`MOST_WORDS`] common words, or too many different ones.
    pub(crate) fn are_too_many(&self) -> bool {
        let common = self.counts.values().filter(|&&count| count >= COMMON);
        self.counts.len() > MOST_DIFFERENT || common.count() > MOST_WORDS
    }

    fn is_common(&self, word: &[u8]) -> bool {
        let count = self.counts.get(&hash(word));
        word.len() <= MAX_WORD && count.is_some_and(|&count| count >= COMMON)
    }

    /// Takes a comment apart. A stretch between common words becomes text if it has a rare word.
    /// The whole comment becomes text if more than half of it would, or if it has neither numbers
    /// nor moves.
    pub(crate) fn note(&self, text: &[u8], starts: Starts<'_>) -> NoteParts {
        if self.is_off || text.len() > LONGEST_APART {
            return NoteParts::whole(text);
        }
        let mut parts = Vec::new();
        // Behind the last common word: the number of parts, and the offset; then the offset behind
        // the last part.
        let (mut kept, mut begin, mut end) = (0, 0, 0);
        let (mut is_rare, mut rare) = (false, 0);
        let mut settle = |parts: &mut Vec<NotePart>, kept, begin, end| {
            parts.truncate(kept);
            parts.push(NotePart::Text(begin..end));
            rare += end - begin;
        };
        for (part, part_end) in Dissection::new(text, starts) {
            match &part {
                NotePart::Word(word) if self.is_common(&text[word.clone()]) => {
                    if std::mem::take(&mut is_rare) {
                        settle(&mut parts, kept, begin, end);
                    }
                    parts.push(part);
                    (kept, begin) = (parts.len(), part_end);
                }
                NotePart::Word(_) => is_rare = true,
                _ => parts.push(part),
            }
            end = part_end;
        }
        if is_rare {
            settle(&mut parts, kept, begin, end);
        }
        let is_told = |part: &NotePart| matches!(part, NotePart::Number(..) | NotePart::Moves(..));
        if 2 * rare > text.len() || !parts.iter().any(is_told) && !text.is_empty() {
            return NoteParts::whole(text);
        }
        // A game may have a million comments of one part.
        parts.shrink_to_fit();
        NoteParts {
            parts,
            bytes: text.to_vec(),
        }
    }
}

/// Where the moves of a comment may begin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Starts<'p> {
    /// The position before the last ply, and the ordinal of that ply.
    pub before: Option<&'p (Position, u8)>,
    pub after: Option<&'p Position>,
}

/// Takes the text of a comment apart: gives its parts, with the end of each. It keeps none, since a
/// comment may have as many as bytes.
struct Dissection<'t> {
    text: &'t [u8],
    starts: Starts<'t>,
    /// Where the current word begins, and the byte that is looked at next.
    word: usize,
    at: usize,
    before: u8,
    /// A number or moves behind the word given last.
    next: Option<(NotePart, usize)>,
}

impl<'t> Dissection<'t> {
    fn new(text: &'t [u8], starts: Starts<'t>) -> Dissection<'t> {
        Dissection {
            text,
            starts,
            word: 0,
            at: 0,
            before: b' ',
            next: None,
        }
    }

    /// Ends the current word before this byte, if it has a byte.
    fn end_word(&mut self, end: usize) -> Option<(NotePart, usize)> {
        let word = std::mem::replace(&mut self.word, end)..end;
        (!word.is_empty()).then_some((NotePart::Word(word), end))
    }
}

impl Iterator for Dissection<'_> {
    type Item = (NotePart, usize);

    fn next(&mut self) -> Option<(NotePart, usize)> {
        if self.next.is_some() {
            return self.next.take();
        }
        while let Some(&byte) = self.text.get(self.at) {
            let rest = &self.text[self.at..];
            let found = find_moves(rest, self.before, self.starts);
            if let Some((part, len)) = found.or_else(|| find_number(rest, self.before)) {
                let word = self.end_word(self.at);
                self.at += len;
                self.word = self.at;
                self.before = self.text[self.at - 1];
                let part = Some((part, self.at));
                if word.is_none() {
                    return part;
                }
                self.next = part;
                return word;
            }
            // A comma begins a word, an equals sign ends one.
            let end = match byte {
                b',' | b';' => self.at,
                b'=' => self.at + 1,
                _ => self.word,
            };
            self.at += 1;
            self.before = byte;
            let word = self.end_word(end);
            if word.is_some() {
                return word;
            }
        }
        self.end_word(self.at)
    }
}

/// The number that `text` begins with, behind the byte `before`, and its length.
fn find_number(text: &[u8], before: u8) -> Option<(NotePart, usize)> {
    let begins = match text[0] {
        b'0'..=b'9' => !before.is_ascii_alphanumeric(),
        b'+' | b'-' => !before.is_ascii_alphabetic(),
        _ => false,
    };
    if !begins {
        return None;
    }
    let (form, number, len) = read_number(text)?;
    Some((NotePart::Number(form, number), len))
}

/// The moves that `text` begins with, behind the byte `before`, and their length.
fn find_moves(text: &[u8], before: u8, starts: Starts<'_>) -> Option<(NotePart, usize)> {
    if before.is_ascii_alphanumeric() || !may_be_move(token(text)) {
        return None;
    }
    let Starts { before, after } = starts;
    let played = before.map(|(_, played)| played);
    let before = before.and_then(|(position, _)| read_moves(text, position));
    let after = after.and_then(|position| read_moves(text, position));
    let is_before = match (&before, &after) {
        (Some((before, ..)), Some((after, ..))) => {
            before.first() == played || before.len() > after.len()
        }
        (before, _) => before.is_some(),
    };
    let (ordinals, spelling, len) = if is_before { before } else { after }?;
    let form = MoveForm {
        is_before,
        spelling,
    };
    Some((NotePart::Moves(form, ordinals), len))
}

/// The bytes that may be a move at the beginning of the text, at most one more than a move can
/// have.
fn token(text: &[u8]) -> &[u8] {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'=' | b'-');
    let text = &text[..text.len().min(LONGEST + 1)];
    let end = text.iter().position(|b| !is_part(b)).unwrap_or(text.len());
    &text[..end]
}

/// The bytes of the longest move.
const LONGEST: usize = 9;

fn may_be_move(token: &[u8]) -> bool {
    let is_piece = |b: &u8| matches!(b, b'N' | b'B' | b'R' | b'Q' | b'K' | b'O' | b'0');
    let begins = |b: &u8| matches!(b, b'a'..=b'h') || is_piece(b);
    token.first().is_some_and(begins)
        && (2..=LONGEST).contains(&token.len())
        && (token.iter().any(|b| matches!(b, b'1'..=b'8')) || matches!(token[1], b'-'))
}

/// Reads moves with one blank between two, as many as are legal and spelled alike.
fn read_moves(text: &[u8], start: &Position) -> Option<(Vec<u8>, MoveSpelling, usize)> {
    start.key()?;
    let mut position = start.clone();
    let (mut ordinals, mut len) = (Vec::new(), 0);
    let (mut marked, mut zeros) = (None, None);
    let first = token(text);
    let coordinates = is_coordinates(first);
    while ordinals.len() < MAX_PLIES {
        let from = if ordinals.is_empty() { 0 } else { len + 1 };
        if from > 0 && text.get(len) != Some(&b' ') {
            break;
        }
        let token = token(text.get(from..).unwrap_or_default());
        if !may_be_move(token) {
            break;
        }
        let ordinal = if coordinates {
            position.follow_coordinates(token)
        } else {
            follow_san(&mut position, token, &mut marked, &mut zeros)
        };
        // Nobody looks at the position any more.
        let Some(ordinal) = ordinal else { break };
        ordinals.push(ordinal);
        len = from + token.len();
    }
    let spelling = match (coordinates, marked, zeros) {
        (true, ..) => MoveSpelling::Coordinates,
        (_, Some(false), Some(true)) => MoveSpelling::UnmarkedZeros,
        (_, Some(false), _) => MoveSpelling::Unmarked,
        (_, _, Some(true)) => MoveSpelling::Zeros,
        _ => MoveSpelling::San,
    };
    (!ordinals.is_empty()).then_some((ordinals, spelling, len))
}

fn is_coordinates(token: &[u8]) -> bool {
    let is_file = |b: &u8| (b'a'..=b'h').contains(b);
    let is_rank = |b: &u8| (b'1'..=b'8').contains(b);
    match token {
        [a, b, c, d] | [a, b, c, d, _] => is_file(a) && is_rank(b) && is_file(c) && is_rank(d),
        _ => false,
    }
}

/// Plays a move in SAN that is spelled as those before it.
fn follow_san(
    position: &mut Position,
    token: &[u8],
    marked: &mut Option<bool>,
    zeros: &mut Option<bool>,
) -> Option<u8> {
    let (core, given) = token.split_at(core_len(token));
    let (core, has_zeros): (&[u8], _) = match core {
        b"0-0" => (b"O-O", Some(true)),
        b"0-0-0" => (b"O-O-O", Some(true)),
        b"O-O" | b"O-O-O" => (core, Some(false)),
        _ => (core, None),
    };
    if has_zeros.is_some() && zeros.is_some() && has_zeros != *zeros {
        return None;
    }
    let ordinal = position.follow(core)?;
    let mark = Mark::from(position.check()).text();
    if !given.is_empty() && given != mark {
        return None;
    }
    if !mark.is_empty() {
        let is_marked = mark == given;
        if *marked.get_or_insert(is_marked) != is_marked {
            return None;
        }
    }
    *zeros = zeros.or(has_zeros);
    Some(ordinal)
}

/// The most digits of a number.
const MAX_DIGITS: usize = 15;

/// The number that the text begins with, and its length.
fn read_number(text: &[u8]) -> Option<(NumberForm, i64, usize)> {
    let time = read_time(text);
    if time.is_some() {
        return time;
    }
    let sign = text.first()?;
    let (negative, plus) = (*sign == b'-', *sign == b'+');
    let begin = usize::from(negative || plus);
    let whole = digits(&text[begin..]);
    if whole == 0 || whole > MAX_DIGITS || (whole > 1 && text[begin] == b'0') {
        return None;
    }
    let end = begin + whole;
    let decimals = match text.get(end) {
        Some(b'.') => digits(&text[end + 1..]),
        _ => 0,
    };
    let is_short = decimals <= 3 && whole + decimals <= MAX_DIGITS;
    let decimals = if is_short { decimals } else { 0 };
    let len = end + if decimals > 0 { 1 + decimals } else { 0 };
    let all = text[begin..len].iter().filter(|&&b| b != b'.');
    let number = all.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    if negative && number == 0 {
        return None;
    }
    let decimals = u8::try_from(decimals).ok()?;
    let form = match plus {
        true => NumberForm::Signed(decimals),
        false => NumberForm::Plain(decimals),
    };
    Some((form, if negative { -number } else { number }, len))
}

/// How many digits the text begins with, counted up to one more than a number can have.
fn digits(text: &[u8]) -> usize {
    let text = &text[..text.len().min(MAX_DIGITS + 1)];
    let end = text.iter().position(|b| !b.is_ascii_digit());
    end.unwrap_or(text.len())
}

fn read_time(text: &[u8]) -> Option<(NumberForm, i64, usize)> {
    let hours = digits(text);
    let form = match hours {
        1 => NumberForm::ShortTime,
        2 => NumberForm::Time,
        _ => return None,
    };
    let (hour, mut rest) = text.split_at(hours);
    let digit = |byte: &u8| i64::from(byte - b'0');
    let mut seconds = hour.iter().fold(0, |n, byte| n * 10 + digit(byte));
    for _ in 0..2 {
        let [b':', tens @ b'0'..=b'5', ones @ b'0'..=b'9', behind @ ..] = rest else {
            return None;
        };
        seconds = seconds * 60 + digit(tens) * 10 + digit(ones);
        rest = behind;
    }
    let goes_on = matches!(rest, [b'0'..=b'9' | b':', ..]);
    (!goes_on).then_some((form, seconds, text.len() - rest.len()))
}
