//! A game in export format, with all that its text says (`pgc lint --fix`).

use crate::foreign::export::{ExportForm, GameExport};
use crate::foreign::export_own::{export_elems, export_piece, export_text};
use crate::foreign::signs::signs_of;
use crate::pgn::game::{ElemKind, ParsedGame, ParsedGames};
use crate::pgn::tag::{is_newline, is_space};
use crate::pgn::writer::{Encoding, Text};

/// Text that stood outside games and becomes comments of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct LooseText {
    /// What comes before the first move.
    pub before: Vec<Vec<u8>>,
    /// What comes before the terminator.
    pub behind: Vec<Vec<u8>>,
}

impl LooseText {
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }
}

/// Whether text outside games is nothing but `%` lines and blank lines.
pub(crate) fn are_escapes(text: &[u8], line_start: bool) -> bool {
    let mut lines = text.split(|&byte| is_newline(byte));
    line_start
        && lines.all(|line| line.first() == Some(&b'%') || line.iter().all(|&byte| is_space(byte)))
}

/// Writes games in export format.
pub(crate) struct GameFixer {
    export: GameExport,
    encoding: Encoding,
    /// To read what was written.
    games: ParsedGames,
    /// A game that is kept as text in pieces has begun.
    in_pieces: bool,
}

impl GameFixer {
    pub(crate) fn new(encoding: Encoding) -> GameFixer {
        let form = ExportForm {
            utf8: encoding == Encoding::Utf8,
            reduced: false,
            letters: None,
        };
        GameFixer {
            export: GameExport::new(form, false),
            encoding,
            games: ParsedGames::default(),
            in_pieces: false,
        }
    }

    /// Appends a game; `None`: it could not be read.
    pub(crate) fn put(
        &mut self,
        out: &mut Vec<u8>,
        text: &[u8],
        game: Option<&ParsedGame<'_>>,
        loose: &LooseText,
    ) {
        let begin = out.len();
        let export = &mut self.export;
        match game {
            None if loose.is_empty() => export_text(export, text),
            _ => {
                export.begin();
                loose.before.iter().for_each(|text| comment(export, text));
                let known = game
                    .map(|game| export_elems(export, text, game, &signs_of(text, game)))
                    .and_then(Result::ok);
                // Of a game with more tag pairs than export format can hold back the text is kept.
                if known.is_none() {
                    export.clear();
                    export.begin();
                    loose.before.iter().for_each(|text| comment(export, text));
                    export.text(Text::of(text));
                }
                loose.behind.iter().for_each(|text| comment(export, text));
                export.end(known.flatten());
            }
        }
        self.take(out);
        self.settle(&mut out[begin..]);
    }

    /// Appends a piece of a game that is kept as text.
    pub(crate) fn put_piece(&mut self, out: &mut Vec<u8>, text: &[u8], is_first: bool) {
        export_piece(&mut self.export, text, is_first);
        self.in_pieces = true;
        self.take(out);
    }

    /// Ends the game that is kept in pieces, if there is one.
    pub(crate) fn end_pieces(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.in_pieces) {
            self.export.end(None);
            self.take(out);
        }
    }

    /// Appends `%` lines between games.
    pub(crate) fn put_escapes(&mut self, out: &mut Vec<u8>, text: &[u8]) {
        for line in text.split(|&byte| is_newline(byte)) {
            if let Some(data) = line.strip_prefix(b"%") {
                self.export.escape(Text::of(data));
            }
        }
        self.take(out);
    }

    fn take(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.export.bytes());
        self.export.clear();
    }

    /// Latin-1 that would be read as UTF-8 (D6) is written with question marks, so that what is
    /// written says the same when it is read.
    fn settle(&mut self, out: &mut [u8]) {
        if self.encoding == Encoding::Utf8 || out.is_ascii() {
            return;
        }
        self.games.clear();
        if self.games.read_game(out, true).is_err() {
            return;
        }
        let Some(game) = self.games.last() else {
            return;
        };
        for elem in game.elems {
            let span = match elem.kind {
                ElemKind::Tag => game.tags[elem.num as usize].value.clone(),
                ElemKind::Brace | ElemKind::Line | ElemKind::Escape => elem.inner(),
                _ => continue,
            };
            let bytes = &mut out[span];
            if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() {
                // Without a byte that begins a character, the others continue none.
                for byte in bytes.iter_mut().filter(|byte| **byte >= 0xc0) {
                    *byte = b'?';
                }
            }
        }
    }
}

/// A text outside games as a comment. One that is a single comment already loses its braces.
fn comment(export: &mut GameExport, text: &[u8]) {
    let text = text.trim_ascii();
    let inner = text
        .strip_prefix(b"{")
        .and_then(|text| text.strip_suffix(b"}"));
    match inner.filter(|text| memchr::memchr2(b'{', b'}', text).is_none()) {
        Some(inner) => export.comment(Text::of(inner)),
        None => export.text(Text::of(text)),
    }
}
