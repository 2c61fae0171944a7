//! A game in export format, with all that its text says (`pgc lint --fix`).

use crate::foreign::export::{export_elems, export_piece};
use crate::foreign::game::{ExportForm, GameExport};
use crate::foreign::lint::LintRules;
use crate::foreign::loose::{LoosePart, LooseParts};
use crate::foreign::signs::signs_of;
use pgc_chess::{lacks_chess960, misnamed_start};
use pgc_pgn::game::{ElemKind, ParsedGame, ParsedGames};
use pgc_pgn::tag::is_newline;
use pgc_pgn::writer::{Encoding, Text};

/// Text that stood outside games and becomes comments of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct LooseText {
    /// What comes before the first move.
    pub before: Vec<LooseRegion>,
    /// What comes before the terminator.
    pub behind: Vec<LooseRegion>,
}

/// A region of text outside games.
#[derive(Clone, Debug)]
pub(crate) struct LooseRegion {
    pub text: Vec<u8>,
    /// Whether its first byte is the first of a line.
    pub line_start: bool,
}

impl LooseText {
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }
}

impl LooseRegion {
    /// Whether it is nothing but `%` lines and blank lines.
    pub(crate) fn are_escapes(&self) -> bool {
        let mut parts = LooseParts::new(&self.text, self.line_start);
        parts.all(|(part, _)| part == LoosePart::Escape)
    }
}

/// Writes games in export format.
pub(crate) struct GameFixer {
    export: GameExport,
    rules: LintRules,
    /// To read what was written.
    games: ParsedGames,
    /// Whether a game that is kept as text in pieces has begun.
    in_pieces: bool,
}

impl GameFixer {
    pub(crate) fn new(rules: LintRules) -> GameFixer {
        let form = ExportForm {
            encoding: rules.encoding,
            ..ExportForm::default()
        };
        GameFixer {
            export: GameExport::new(form, false),
            rules,
            games: ParsedGames::default(),
            in_pieces: false,
        }
    }

    /// Appends a game; `game` is `None` if it could not be read.
    pub(crate) fn put(
        &mut self,
        out: &mut Vec<u8>,
        text: &[u8],
        game: Option<&ParsedGame<'_>>,
        loose: &LooseText,
    ) {
        if let Some(text) =
            game.and_then(|game| with_chess960(text, game).or_else(|| with_start_tag(text, game)))
        {
            let mut games = ParsedGames::in_letters(self.rules.letters);
            if let Some(game) = games.read_one(&text) {
                return self.put(out, &text, Some(&game), loose);
            }
        }
        let begin = out.len();
        let export = &mut self.export;
        export.begin();
        put_loose(export, &loose.before);
        let known =
            game.and_then(|game| export_elems(export, text, game, &signs_of(text, game)).ok());
        // If the game has more tag pairs than the exporter can hold back, its text is kept.
        if known.is_none() {
            export.clear();
            export.begin();
            put_loose(export, &loose.before);
            export.text(Text::from_bytes(text));
        }
        put_loose(export, &loose.behind);
        export.end(known.flatten());
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
                self.export.escape(Text::from_bytes(data));
            }
        }
        self.take(out);
    }

    fn take(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.export.bytes());
        self.export.clear();
    }

    /// Puts question marks into Latin-1 that would be read as UTF-8 (D6), so that readers see no
    /// other characters than those written.
    fn settle(&mut self, out: &mut [u8]) {
        if self.rules.encoding == Encoding::Utf8 || out.is_ascii() {
            return;
        }
        self.games.clear();
        let Some(game) = self.games.read_one(out) else {
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
                // Without the bytes that begin characters, the others are not UTF-8.
                for byte in bytes.iter_mut().filter(|byte| **byte >= 0xc0) {
                    *byte = b'?';
                }
            }
        }
    }
}

/// The text with the Variant tag that its FEN lacks.
pub(super) fn with_chess960(text: &[u8], game: &ParsedGame<'_>) -> Option<Vec<u8>> {
    let pairs: Vec<_> = game.tag_pairs(text).collect();
    if !lacks_chess960(pairs.iter().map(|(name, value)| (*name, &**value))) {
        return None;
    }
    let tags = game.elems.iter().filter(|elem| elem.kind == ElemKind::Tag);
    let (fen, _) = tags.zip(&pairs).find(|(_, pair)| pair.0 == b"FEN")?;
    let (before, behind) = text.split_at(fen.start as usize);
    Some([before, b"[Variant \"Chess960\"]\n", behind].concat())
}

/// The text with the tag FEN or Variant in the place of one whose name is in another case.
fn with_start_tag(text: &[u8], game: &ParsedGame<'_>) -> Option<Vec<u8>> {
    let pairs: Vec<_> = game.tag_pairs(text).collect();
    let at = misnamed_start(pairs.iter().map(|(name, value)| (*name, &**value)))?;
    let name = game.tags[at].name.clone();
    let proper: &[u8] = if name.len() == 3 { b"FEN" } else { b"Variant" };
    Some([&text[..name.start], proper, &text[name.end..]].concat())
}

/// A text outside games: its `%` lines stay lines, its comments and words become comments.
fn put_loose(export: &mut GameExport, regions: &[LooseRegion]) {
    for region in regions {
        for (part, span) in LooseParts::new(&region.text, region.line_start) {
            let text = &region.text[span];
            match (part, text) {
                (LoosePart::Escape, [_, data @ ..]) => export.escape(Text::from_bytes(data)),
                (LoosePart::Comment, [b'{', inner @ .., b'}'] | [b';', inner @ ..]) => {
                    export.comment(Text::from_bytes(inner));
                }
                _ => export.text(Text::from_bytes(text)),
            }
        }
    }
}
