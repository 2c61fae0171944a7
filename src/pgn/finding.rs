//! What a reader tells of a place in a source.

use crate::text::decoded;
use pgc_chess::named_enum;

/// Something that the user may want to know about one place of the source.
#[derive(Clone, Debug)]
pub struct Finding {
    /// `text-tail`, `text-only`, `rav-text`, `stray`, `repair`, `loss` ...
    pub kind: &'static str,
    /// A short sentence in lower case.
    pub what: String,
    /// Byte offset in the (decompressed) source, from 0.
    pub offset: u64,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1. A byte that is not UTF-8 counts as one character, a byte order
    /// mark as none.
    pub column: u64,
    /// Number of the game in its source, from 1; 0 outside any game.
    pub game: u64,
    /// The beginning of the offending text.
    pub text: Vec<u8>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)?;
        if self.game > 0 {
            write!(f, ", game {}", self.game)?;
        }
        write!(f, ": {}", self.what)?;
        match &*decoded(&self.text) {
            "" => Ok(()),
            text => write!(f, ": \"{text}\""),
        }
    }
}

named_enum! {
    /// A kind of loss under `--standard` (P3). The names are those on the command line and in reports,
    /// the order that of the documentation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[expect(missing_docs, reason = "the names are those of the option")]
    pub enum Loss, name {
        Comment => "comment",
        Character => "character",
        LongValue => "long-value",
        Tag => "tag",
        TextTail => "text-tail",
        Nag => "nag",
        Rav => "rav",
        Result => "result",
        Variant => "variant",
        StrayText => "stray-text",
        Escape => "escape",
    }
}
