//! Reads one game (PGN 1994 section 8, import format, and what real files add; spec/pgn-import.md).
//!
//! Every byte of the source is accounted for: it belongs to an element, or to the gap before one.
//! No text is refused, unless it has too many elements.

use pgc_chess::{Position, SavedPosition, Unresolved, core_len};

use crate::begin::terminator_at;
use crate::blanks::{blank_at, blank_before, is_all_blank, trim_end};
use crate::game::{
    Elem, ElemKind, Form, Gap, IssueKind, Kinds, Mark, ParsedGames, Spelled, Wholeness,
};
use crate::piece_letters::PromotionLetters;
pub use crate::reading::{MAX_ELEMS, MAX_ESCAPE, MAX_TAG_PAIRS, TooMany};
use crate::reading::{Reading, at32, is_line_start, line_end};
use crate::token::{
    blank_len, ends_symbol, figures_len, glyph_len, is_blank, is_half_of_castling, is_touched,
    junk, lengthen, lone_dashes, spaced, starts_figurine, starts_symbol, symbol_len, without_signs,
};
use crate::words::{digits, first, letters, others, until, within, word};

mod lines;
mod numbered;
mod results;
mod signs;

/// Variations nested deeper are kept as text.
pub(crate) const MAX_DEPTH: usize = 1024;

impl ParsedGames {
    /// Reads the game that `src` holds, and nothing else. `line_start`: its first byte is the first
    /// of a line.
    ///
    /// # Errors
    /// [`TooMany`] elements; nothing is added then.
    pub fn read_game(&mut self, src: &[u8], line_start: bool) -> Result<(), TooMany> {
        let mut game = Reading::new(self);
        let done = read(&mut game, src, line_start);
        game.end(done)
    }

    /// Reads only the tag section: of a game that is too long to be read, or of its first piece.
    ///
    /// # Errors
    /// [`TooMany`] elements.
    pub fn read_tag_section(&mut self, src: &[u8], line_start: bool) -> Result<(), TooMany> {
        let mut game = Reading::new(self);
        let done = game.read_tags(src, line_start).map(drop);
        game.end(done)
    }
}

fn read(game: &mut Reading<'_>, src: &[u8], line_start: bool) -> Result<(), TooMany> {
    let at = game.read_tags(src, line_start)?;
    let start = game.start(src);
    MovetextReader::new(src, at, line_start, start, game).run()?;
    // The end of the game may have added the ends of variations and a terminator.
    game.count()
}

/// A line of play: the main line or a variation.
#[derive(Clone, Debug)]
struct PlayLine {
    now: Position,
    /// The position before the last move, saved only in a game that may have variations.
    before: Option<SavedPosition>,
    moves: u64,
    /// The index of the element that opened the line, and the kinds of the elements before it.
    opener: usize,
    kinds: Kinds,
    /// An issue already says why the rest of the line is text.
    reported: bool,
}

impl PlayLine {
    fn new(now: Position, opener: usize, kinds: Kinds) -> PlayLine {
        PlayLine {
            now,
            before: None,
            moves: 0,
            opener,
            kinds,
            reported: false,
        }
    }
}

/// A stretch of the source that becomes a text element.
#[derive(Clone, Copy, Debug)]
struct TextMode {
    start: usize,
    /// The number of parentheses open in it.
    depth: u64,
    /// The stretch is one parenthesis and ends where that closes; else it is the rest of a line of
    /// play.
    parenthesis: bool,
}

struct MovetextReader<'a, 'g> {
    src: &'a [u8],
    at: usize,
    line_start: bool,
    game: &'a mut Reading<'g>,
    /// `None` where the game has no usable start position.
    line: Option<PlayLine>,
    outer: Vec<PlayLine>,
    text: Option<TextMode>,
    /// The movetext has a parenthesis, so there may be variations.
    branches: bool,
    /// The letters of promotions.
    promotions: PromotionLetters,
    /// An issue already says that a move number is wrong.
    miscounted: bool,
    /// Braces that the comments directly before opened and did not close.
    nested: usize,
}

/// Marks digits, and no other bytes.
#[inline]
const fn figures(word: u64) -> u64 {
    within(word, b'0', b'9')
}

impl<'a, 'g> MovetextReader<'a, 'g> {
    fn new(
        src: &'a [u8],
        at: usize,
        line_start: bool,
        start: Option<Position>,
        game: &'a mut Reading<'g>,
    ) -> Self {
        if let Some((playing, start)) = game.games.playing.as_mut().zip(start.as_ref()) {
            playing.begin(start);
        }
        let line = start.map(|now| PlayLine::new(now, 0, Kinds::default()));
        let branches = memchr::memchr(b'(', &src[at..]).is_some();
        let promotions = PromotionLetters::new(game.games.letters);
        MovetextReader {
            src,
            at,
            line_start,
            promotions,
            game,
            line,
            outer: Vec::new(),
            text: None,
            branches,
            miscounted: false,
            nested: 0,
        }
    }

    fn run(&mut self) -> Result<(), TooMany> {
        loop {
            if let Some((core, len, gap)) = self.next_move() {
                self.game.count()?;
                self.play(core, len, gap);
                if self.text.is_none() && self.src[self.at..].starts_with(b" {") {
                    // A move ends here.
                    self.at += 1;
                    self.brace(Gap::Blank);
                }
                continue;
            }
            // Count the blanks in a register, and update `self.at`, which is in memory, once.
            let rest = self.src.get(self.at..).unwrap_or_default();
            let Some(blanks) = rest.iter().position(|&byte| !is_blank(byte)) else {
                break;
            };
            let byte = rest[blanks];
            self.at += blanks;
            self.game.count()?;
            match byte {
                b'{' => self.brace(Gap::Any),
                b';' => self.rest_of_line(ElemKind::Line),
                b'%' if is_line_start(self.src, self.at, self.line_start) => {
                    self.rest_of_line(ElemKind::Escape)
                }
                b'(' => self.open(),
                b')' => self.close(),
                b'0'..=b'9' if self.digits() => return Ok(()),
                b'*' if self.terminator(4, 1) => return Ok(()),
                b'0'..=b'9' | b'*' => {}
                b'!' | b'?' => self.suffix(),
                b'$' => self.glyph(),
                b'a'..=b'z' | b'A'..=b'Z' | b'@' => {
                    if let Some((core, len)) = self.plain_move(self.at).or_else(|| self.symbol()) {
                        self.play(core, len, Gap::Any);
                    }
                }
                0x80.. if starts_figurine(&self.src[self.at..]) => self.unusual(),
                _ if self.other() => return Ok(()),
                _ => {}
            }
        }
        self.at = self.src.len();
        self.finish(None);
        Ok(())
    }

    fn push(&mut self, kind: ElemKind, end: usize, num: u32) {
        self.game.push(kind, self.at, end, num);
        self.at = end;
    }

    fn skip_junk(&mut self, len: usize) {
        if self.text.is_none() {
            self.game.issue(IssueKind::Junk, self.at, self.at + len);
        }
        self.at += len;
    }

    /// Skips bytes that have no meaning. If a symbol follows directly, they may belong to it: then
    /// the line becomes text.
    fn junk(&mut self, len: usize) {
        if self.text.is_none() && starts_symbol(self.src, self.at + len, self.promotions) {
            self.not_a_move(len);
        } else {
            self.skip_junk(len);
        }
    }

    fn not_a_move(&mut self, len: usize) {
        let what = match self.line {
            Some(_) => IssueKind::NotAMove,
            None => IssueKind::BadStart,
        };
        self.unplayable(len, what);
    }

    /// What is known of a gap that begins here and is `seen`.
    #[inline(always)]
    fn gap(&self, seen: Gap) -> Gap {
        // Something else may have been passed over.
        if self.game.ends_at(self.at) {
            seen
        } else {
            Gap::Any
        }
    }

    fn brace(&mut self, gap: Gap) {
        let rest = &self.src[self.at..];
        // Nearly always there is no brace inside.
        let brace = 1 + memchr::memchr2(b'}', b'{', &rest[1..]).unwrap_or(rest.len() - 1);
        let (len, within) = match rest.get(brace) {
            Some(b'{') => {
                let len = memchr::memchr(b'}', &rest[brace..]).map_or(rest.len(), |n| brace + n);
                (len, memchr::memchr_iter(b'{', &rest[brace..len]).count())
            }
            _ => (brace, 0),
        };
        let is_closed = len < rest.len();
        let end = match is_closed {
            true => self.at + len + 1,
            false => self.trimmed(self.at + 1, self.src.len()),
        };
        if self.text.is_some() {
            self.at = end;
            return;
        }
        if !is_closed {
            self.game.issue(IssueKind::CommentUnclosed, self.at, end);
        }
        self.push(ElemKind::Brace, end, 0);
        self.game.closed(is_closed, gap);
        let opened = std::mem::take(&mut self.nested) + within;
        if is_closed && opened > 0 {
            self.nested_comment(opened);
        }
    }

    fn rest_of_line(&mut self, kind: ElemKind) {
        let end = line_end(self.src, self.at);
        if self.text.is_some() {
            self.at = end;
        } else if kind == ElemKind::Escape && end - self.at - 1 > MAX_ESCAPE {
            self.game.issue(IssueKind::LongEscape, self.at, end);
            self.push(ElemKind::Text, end, 0);
        } else {
            self.push(kind, end, 0);
        }
    }

    /// A move number, a terminator, or castling written with zeros. `true`: the game is over.
    fn digits(&mut self) -> bool {
        let rest = &self.src[self.at..];
        // Nearly always it is a move number.
        let n = until(rest, |word| others(figures(word)));
        if rest.get(n) == Some(&b'.') && !rest.starts_with(b"0.5") {
            let add =
                |sum: u32, byte: &u8| sum.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
            let number = rest[..n].iter().fold(0, add);
            let is_wrong = |line: &PlayLine| line.now.num() >> 1 != number || n > 9;
            if self.line.as_ref().is_some_and(is_wrong) {
                self.wrong_number(n);
            }
            self.at += n + 1;
            return false;
        }
        if let Some((number, len)) = self.result() {
            return self.terminator(number, len);
        }
        if let Some(len) = self.forfeit() {
            self.game.issue(IssueKind::Junk, self.at, self.at + len);
            self.push(ElemKind::Text, self.at + len, 0);
            return false;
        }
        match *rest {
            [_, b'.', ..] => self.at += 2,
            [b'0', b'-', b'0', ..] => self.unusual(),
            [b'0', b'0', ..] if n < 4 && rest[..n].iter().all(|&b| b == b'0') => self.unusual(),
            [b'0', 0x80..=0xff, ..] if symbol_len(self.src, self.at, self.promotions) > 1 => {
                self.unusual()
            }
            // Part of castling: a move number 0 would have a period.
            [b'0', ..] if n == 1 => self.not_a_move(1),
            [b'0', b'0', b'0', b'0', ..]
                if n == 4
                    && (rest.get(n).is_none_or(|&b| is_blank(b) || ends_symbol(b))
                        || blank_at(&rest[n..]) > 0) =>
            {
                self.unplayable(n, IssueKind::NullMove);
            }
            _ => {
                let len = figures_len(self.src, self.at, self.promotions);
                self.figures(n, len);
            }
        }
        false
    }

    /// A move number of `n` digits, or digits and signs that are no move, `len` bytes in all.
    fn figures(&mut self, n: usize, len: usize) {
        let token = &self.src[self.at..self.at + len];
        match token.get(n) {
            Some(b'-' | b'/' | b'=' | b'+' | b'#' | b'_' | b':') => {
                if token.iter().any(|b| b.is_ascii_alphabetic() || *b == b'@') {
                    self.not_a_move(len);
                } else {
                    self.junk(len);
                }
            }
            _ => self.at += n.min(len),
        }
    }

    /// A symbol that is probably not canonical SAN.
    fn unusual(&mut self) {
        if let Some((core, len)) = self.symbol() {
            self.save_position();
            self.play_otherwise(core, len);
        }
    }

    /// `true`: the game is over.
    fn terminator(&mut self, number: u8, len: usize) -> bool {
        let depth = self.outer.len() as u64 + self.text.map_or(0, |t| t.depth);
        let last = || is_all_blank(&self.src[self.at + len..]);
        // In a variation a terminator ends the game only if nothing follows: the variation was not
        // closed.
        if depth > 0 && !last() {
            self.junk(len);
            return false;
        }
        self.finish(Some((number, len)));
        true
    }

    /// `!` and `?`, alone or two of them (PGN 1994 8.2.3.8).
    fn suffix(&mut self) {
        let (value, len) = match self.src[self.at..] {
            [b'!', b'!', ..] => (3, 2),
            [b'?', b'?', ..] => (4, 2),
            [b'!', b'?', ..] => (5, 2),
            [b'?', b'!', ..] => (6, 2),
            [b'!', ..] => (1, 1),
            _ => (2, 1),
        };
        if self.text.is_some() {
            self.at += len;
        } else {
            self.push(ElemKind::Nag, self.at + len, value);
        }
    }

    fn glyph(&mut self) {
        let digits = digits(&self.src[self.at + 1..], usize::MAX);
        let end = self.at + 1 + digits;
        if terminator_at(self.src, self.at + 1, self.promotions).is_some() {
            return self.junk(1);
        }
        let value = std::str::from_utf8(&self.src[self.at + 1..end]).unwrap_or_default();
        match value.parse() {
            Ok(value @ ..=0x7fff_ffff) if self.text.is_none() => {
                self.push(ElemKind::Nag, end, value)
            }
            _ => self.junk(1 + digits),
        }
    }

    /// Bytes that begin no token: signs such as `+-` and `=`, brackets, anything outside ASCII. A
    /// dash pair is a null move, and so is `<>`. `true`: the game is over.
    fn other(&mut self) -> bool {
        let is_null_move = self.src[self.at..].starts_with(b"--");
        match self.result().filter(|_| !is_null_move) {
            Some((number, len)) => self.terminator(number, len),
            None => {
                self.signs();
                false
            }
        }
    }

    fn signs(&mut self) {
        let rest = &self.src[self.at..];
        if (rest.starts_with(b"--") || rest.starts_with(b"<>"))
            && rest.get(2).is_none_or(|&b| {
                blank_at(&rest[2..]) > 0 || matches!(b, b'!' | b'?' | b'$' | b'{' | b'(' | b')')
            })
        {
            self.unplayable(2, IssueKind::NullMove);
            return;
        }
        // Directly behind a move, dashes are an annotation.
        let before = self.src[..self.at].last();
        let is_apart = before.is_none_or(|&byte| is_blank(byte) || ends_symbol(byte))
            || blank_before(&self.src[..self.at]) > 0;
        if let Some(len) = lone_dashes(rest).filter(|_| is_apart) {
            if self.separates(len) {
                return self.skip_junk(len);
            }
            return self.unplayable(len, IssueKind::NullMove);
        }
        let junk = junk(rest);
        if junk.len == 0 {
            // A brace that closes nothing, or a blank.
            return self.skip_junk(blank_len(rest).unwrap_or(1));
        }
        // A possible letter is not junk: it may name a piece, or be a part of castling.
        if self.text.is_none() && junk.letter {
            self.not_a_move(junk.len);
        } else if self.text.is_some()
            || junk.unknown
            || starts_symbol(self.src, self.at + junk.len, self.promotions)
        {
            self.junk(junk.len);
        } else {
            self.sign(junk.len);
        }
    }

    /// Whether one of these letters spells a move together with the next symbol, which is looked
    /// for `len` bytes further on.
    fn is_spelled_with(&self, letters: &[u8], len: usize) -> bool {
        let Some(line) = &self.line else { return false };
        let mut text = vec![0];
        spaced(self.src, self.at + len, &mut text, self.promotions).is_some()
            && letters.iter().any(|&letter| {
                text[0] = letter;
                matches!(line.now.resolve(&text), Ok(_) | Err(Unresolved::Ambiguous))
            })
    }

    /// The fast path of [`MovetextReader::symbol`] for the symbol at `at`, if it is of letters and
    /// digits that end in a digit and that nothing makes longer, as in nearly all moves: the length of
    /// the symbol without its check mark, and with it.
    #[inline(always)]
    fn plain_move(&self, at: usize) -> Option<(usize, usize)> {
        let rest = self.src.get(at..)?;
        let word = word(rest)?;
        let core = first(others(letters(word) | figures(word)));
        let ends = |at: usize| rest.get(at).is_some_and(|&behind| ends_symbol(behind));
        let is_plain = rest[..core].last().is_some_and(u8::is_ascii_digit) && self.text.is_none();
        if is_plain && ends(core) {
            return Some((core, core));
        }
        let is_marked = is_plain && matches!(rest.get(core), Some(b'+' | b'#')) && ends(core + 1);
        is_marked.then_some((core, core + 1))
    }

    /// The length of any symbol without its check mark, and with it. `None`: it is not a move, and
    /// was skipped or made the line text.
    fn symbol(&mut self) -> Option<(usize, usize)> {
        let rest = &self.src[self.at..];
        let len = symbol_len(self.src, self.at, self.promotions);
        if self.text.is_some() {
            self.at += len;
            return None;
        }
        let glyph = glyph_len(rest, len);
        if glyph > 0 {
            self.editorial(glyph);
            return None;
        }
        let longer = lengthen(rest, len, self.promotions);
        let behind = self.at + longer;
        if is_touched(self.src, behind, self.promotions) && !self.meets_result(behind) {
            self.not_a_move(longer);
            return None;
        }
        let len = if longer > len {
            longer
        } else {
            without_signs(&rest[..len], &rest[len..], self.promotions)
        };
        let core = core_len(&rest[..len]);
        if is_half_of_castling(self.src, self.at, (core, len), self.promotions)
            && !self.is_piece_o(self.at + len)
        {
            self.not_a_move(len);
            return None;
        }
        Some((core, len))
    }

    /// Whether an O behind blanks begins the move of a piece that has this letter, as in Estonian.
    fn is_piece_o(&self, at: usize) -> bool {
        let letters = self.game.games.letters;
        let rest = self.src[at..].trim_ascii_start();
        letters.is_some_and(|letters| letters.has('O'))
            && matches!(rest, [b'O' | b'o', b'a'..=b'h' | b'1'..=b'8' | b'x', ..])
    }

    /// Skips a sign of an editor. But a letter that spells a move together with the next symbol is
    /// no such sign.
    fn editorial(&mut self, len: usize) {
        let is_spelling = match self.src[self.at..self.at + len] {
            [b'N'] => {
                let letters = self.game.games.letters;
                // In Romanian it is the bishop.
                let piece = letters.and_then(|letters| letters.san(b'N'));
                self.is_spelled_with(&[b'N', piece.unwrap_or(b'N')], len)
            }
            // `D` is the queen in many languages.
            [b'D'] => self.is_spelled_with(b"DQ", len),
            [b'x'] => spaced(self.src, self.at + len, &mut Vec::new(), self.promotions).is_some(),
            _ => false,
        };
        if is_spelling || is_touched(self.src, self.at + len, self.promotions) {
            self.not_a_move(len);
        } else {
            self.sign(len);
        }
    }

    #[inline(always)]
    fn play(&mut self, core: usize, len: usize, gap: Gap) {
        self.save_position();
        if self.game.games.letters.is_some() {
            return self.play_in_letters(core, len);
        }
        if self.follow(core, len, gap).is_none() {
            self.play_otherwise(core, len);
        }
    }

    /// Saves the position before a move, if there may be variations. If no legal move follows, the
    /// rest of the line is text, and no variation there needs the position.
    #[inline(always)]
    fn save_position(&mut self) {
        if let Some(line) = self.line.as_mut().filter(|_| self.branches) {
            line.now.save(&mut line.before);
        }
    }

    /// Plays a move that is spelled as canonical SAN. `None`: it is not, and nothing was played.
    #[inline(always)]
    fn follow(&mut self, core: usize, len: usize, gap: Gap) -> Option<()> {
        let rest = &self.src[self.at..];
        let line = self.line.as_mut()?;
        let num = line.now.num();
        let ordinal = line.now.follow(rest.get(..core)?)?;
        let check = line.now.check().into();
        let mark = Mark::from_text(&rest[core..len]);
        let spelled = Spelled::new(Form::Canonical, mark, check);
        self.push_move(len, ordinal, num, spelled, gap);
        Some(())
    }

    #[inline(always)]
    fn push_move(&mut self, len: usize, ordinal: u8, num: u32, spelled: Spelled, gap: Gap) {
        if let Some(line) = &mut self.line {
            line.moves += 1;
            if let Some(playing) = &mut self.game.games.playing
                && self.outer.is_empty()
            {
                playing.see(&line.now);
            }
        }
        let start = self.at;
        self.at += len;
        self.game.games.ordinals.push(ordinal);
        self.game.games.elems.push(Elem {
            kind: ElemKind::Move,
            ordinal,
            spelled,
            gap,
            start: at32(start),
            end: at32(self.at),
            num,
        });
    }

    /// Ends the game here, with a terminator or without.
    fn finish(&mut self, terminator: Option<(u8, usize)>) {
        let content = self.at;
        self.end_text(content);
        if let Some(line) = self.line.as_ref().filter(|_| !self.outer.is_empty()) {
            let open = self.game.games.elems[line.opener].start as usize;
            self.game.issue(IssueKind::RavUnclosed, open, open + 1);
        }
        while !self.outer.is_empty() {
            let last = self.game.games.elems.last().map_or(0, |e| e.end as usize);
            let end = self.trimmed(last, content);
            self.close_line(end, end);
        }
        if let Some((number, len)) = terminator {
            self.push(ElemKind::Terminator, self.at + len, u32::from(number));
        }
        if self.game.facts.wholeness != Wholeness::TextOnly
            && let (Some(playing), Some(line)) = (&self.game.games.playing, &self.line)
        {
            self.game.facts.played = Some(playing.end(&line.now));
        }
    }

    /// `end` without the white space before it, but not less than `start`.
    fn trimmed(&self, start: usize, end: usize) -> usize {
        start + trim_end(&self.src[start.min(end)..end]).len()
    }
}
