//! Games one behind the other, which were not so: each must stay a game of its own.

use crate::pgn::split::{Splitter, UnitKind};

/// What is put between two games, where the line end and the empty line that separate games are there already. The first that works is taken:
/// movetext without an end needs one, and a comment or variation that never ends swallows what follows.
const CLOSERS: [&[u8]; 5] = [b"", b"*\n\n", b"}\n*\n\n", b")\n*\n\n", b"}\n)\n*\n\n"];

/// So much of a game, at its beginning, decides whether it begins one.
const ENOUGH: usize = 1 << 12;

/// Longer games are not looked at again: they are kept as text in pieces, and what separates them is left to their line ends.
const LONGEST: usize = 1 << 20;

/// The byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Joins games to a text. Give it each game in turn, write what it gives.
///
/// A game is left as it is, but what separates it from the next is added where it is missing: a line end, an empty line, and where that is
/// not enough, the end of a comment or the terminator `*`. A byte order mark stays only at the beginning.
///
/// # Examples
/// ```
/// use pgc::store::Joiner;
///
/// let mut joiner = Joiner::new();
/// let mut text = Vec::new();
/// for game in ["1. e4 *\r\n", "1. d4 *", "1. c4 *\n\n"] {
///     for part in joiner.next(game.as_bytes()) {
///         text.extend_from_slice(part);
///     }
/// }
/// assert_eq!(text, b"1. e4 *\r\n\r\n1. d4 *\r\n\r\n1. c4 *\n\n");
/// ```
#[derive(Debug, Default)]
pub struct Joiner {
    /// The game before.
    last: Option<Last>,
    /// Between it and the next.
    between: Vec<u8>,
    closed: u64,
}

#[derive(Debug, Default)]
struct Last {
    text: Vec<u8>,
    /// More of it than is kept.
    cut: bool,
    /// How its lines end.
    newline: &'static [u8],
}

impl Joiner {
    /// Before the first game.
    #[must_use]
    pub fn new() -> Joiner {
        Joiner::default()
    }

    /// What to write for this game: what separates it from the one before, and the game.
    pub fn next<'a>(&'a mut self, game: &'a [u8]) -> [&'a [u8]; 2] {
        let mut game = game;
        if let Some(last) = &self.last {
            game = game.strip_prefix(MARK).unwrap_or(game);
            self.between.clear();
            last.separate(&mut self.between);
            self.closed += u64::from(last.close(&mut self.between, game));
        }
        let newline = newline_of(game).or(self.last.as_ref().map(|last| last.newline)).unwrap_or(b"\n");
        let last = self.last.get_or_insert_default();
        // Only the end of a long one is of interest.
        let from = if game.len() > LONGEST { game.len() - 16 } else { 0 };
        last.text.clear();
        last.text.extend_from_slice(&game[from..]);
        (last.cut, last.newline) = (from > 0, newline);
        [&self.between, game]
    }

    /// Games so far that needed more than an empty line behind them.
    #[must_use]
    pub fn closed(&self) -> u64 {
        self.closed
    }
}

fn newline_of(game: &[u8]) -> Option<&'static [u8]> {
    let at = memchr::memchr2(b'\n', b'\r', game)?;
    Some(match &game[at..] {
        [b'\r', b'\n', ..] => b"\r\n",
        [b'\r', ..] => b"\r",
        _ => b"\n",
    })
}

impl Last {
    /// Appends the line ends that are missing.
    fn separate(&self, out: &mut Vec<u8>) {
        let blanks = self.text.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        let end = &self.text[self.text.len() - blanks..];
        let feeds = end.iter().filter(|&&b| b == b'\n').count();
        let ends = if feeds > 0 { feeds } else { end.iter().filter(|&&b| b == b'\r').count() };
        for _ in ends..2 {
            out.extend_from_slice(self.newline);
        }
        // The last line must be empty, not blank.
        if ends >= 2 && matches!(end.last(), Some(b' ' | b'\t')) {
            out.extend_from_slice(self.newline);
        }
    }

    /// Appends what else keeps `next` apart. Whether anything was needed.
    fn close(&self, out: &mut Vec<u8>, next: &[u8]) -> bool {
        if self.cut {
            return false;
        }
        let plain = out.len();
        for closer in CLOSERS {
            out.truncate(plain);
            out.extend_from_slice(closer);
            if self.stays_apart(out, next) {
                return !closer.is_empty();
            }
        }
        out.truncate(plain);
        false
    }

    /// Whether a unit ends where the next game begins.
    fn stays_apart(&self, between: &[u8], next: &[u8]) -> bool {
        let begin = self.text.len() + between.len();
        let mut text = Vec::with_capacity(begin + ENOUGH);
        text.extend_from_slice(&self.text);
        text.extend_from_slice(between);
        text.extend_from_slice(&next[..next.len().min(ENOUGH)]);
        let mut splitter = Splitter::new();
        // The first byte is not that of a source: no byte order mark is expected.
        while let Some(unit) = splitter.next_unit(&text, true) {
            if unit.start >= self.text.len() {
                return unit.start <= begin && matches!(unit.kind, UnitKind::Game | UnitKind::Piece(false));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(games: &[&str]) -> (String, u64) {
        let mut joiner = Joiner::new();
        let mut text = Vec::new();
        for game in games {
            joiner.next(game.as_bytes()).iter().for_each(|part| text.extend_from_slice(part));
        }
        (String::from_utf8(text).unwrap(), joiner.closed())
    }

    fn games(text: &str) -> usize {
        let mut splitter = Splitter::new();
        let mut games = 0;
        while let Some(unit) = splitter.next_unit(text.as_bytes(), true) {
            games += usize::from(unit.kind == UnitKind::Game);
        }
        games
    }

    #[test]
    fn every_two_stay_two() {
        let all = [
            "1. e4 *\n\n",
            "1. e4 *",
            "1. e4 e5\n",
            "1. e4 { lost\n",
            "1. e4 (1. d4 { lost",
            "1. e4 (1. d4\n\n",
            "[A \"1\"]\n\n",
            "[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n\n1. d4 1-0\n",
            "[C \"3\"]\n",
            "% a line\n1. e4 *\n",
            "1. e4 ; comment",
            "1. e4\n% line",
            "\u{feff}1. c4 *\n",
        ];
        for a in all {
            for b in all {
                let (text, _) = joined(&[a, b]);
                assert_eq!(games(&text), 2, "{a:?} {b:?}: {text:?}");
                assert!(text.starts_with(a) && text.ends_with(b.trim_start_matches('\u{feff}')));
            }
        }
    }

    #[test]
    fn no_more_than_is_needed() {
        assert_eq!(joined(&["1. e4 *\n\n", "1. d4 *\n\n"]).0, "1. e4 *\n\n1. d4 *\n\n");
        assert_eq!(joined(&["1. e4 *\n", "1. d4 *"]), ("1. e4 *\n\n1. d4 *".into(), 0));
        assert_eq!(joined(&["1. e4 *\r\n", "1. d4 *"]).0, "1. e4 *\r\n\r\n1. d4 *");
        assert_eq!(joined(&["1. e4", "1. d4"]), ("1. e4\n\n*\n\n1. d4".into(), 1));
        assert_eq!(joined(&["1. e4 {", "1. d4"]), ("1. e4 {\n\n}\n*\n\n1. d4".into(), 1));
    }
}
