//! What a source is: games or positions, in which letters.

use crate::piece_letters::PieceLetters;

/// The kind of text of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceText {
    /// Games in PGN.
    #[default]
    Pgn,
    /// Games in PGN whose moves have the piece letters of another language (PGN 1994, 17).
    Letters(&'static PieceLetters),
    /// Positions in EPD (PGN 1994, 16.2), one a line.
    Epd,
}

impl SourceText {
    /// `pgn` or `epd`: the word in reports, and the extension of its files.
    pub fn name(self) -> &'static str {
        match self {
            SourceText::Pgn | SourceText::Letters(_) => "pgn",
            SourceText::Epd => "epd",
        }
    }

    /// The kind of a file with this name: EPD if the name ends in `.epd` or `.fen`, in any case; else
    /// PGN, whose moves have these piece letters, `None` is English.
    pub fn from_name(name: &str, letters: Option<&'static PieceLetters>) -> SourceText {
        let ending = name.len().checked_sub(4).and_then(|at| name.get(at..));
        let is = |wanted: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
        match letters {
            _ if is(".epd") || is(".fen") => SourceText::Epd,
            Some(letters) => SourceText::Letters(letters),
            None => SourceText::Pgn,
        }
    }

    /// The piece letters of its moves; `None` is English.
    pub fn letters(self) -> Option<&'static PieceLetters> {
        match self {
            SourceText::Letters(letters) => Some(letters),
            SourceText::Pgn | SourceText::Epd => None,
        }
    }
}
