//! Patterns for words of names.

/// A pattern for one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordPattern {
    /// The whole word.
    Whole(String),
    /// The beginning of the word.
    Begin(String),
    /// The word consists of these pieces with any characters between them: at least two pieces,
    /// some of them perhaps empty.
    Pieces(Vec<String>),
}

impl WordPattern {
    /// `text` is folded and not empty; `last`: it is the last word.
    pub(super) fn new(text: &str, last: bool) -> WordPattern {
        let mut chars = text.chars();
        let initial = chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none();
        if text.contains('*') {
            WordPattern::Pieces(text.split('*').map(str::to_owned).collect())
        } else if last || initial {
            WordPattern::Begin(text.to_owned())
        } else {
            WordPattern::Whole(text.to_owned())
        }
    }

    /// The common beginning of all matching words.
    pub(crate) fn beginning(&self) -> &str {
        match self {
            WordPattern::Whole(text) | WordPattern::Begin(text) => text,
            WordPattern::Pieces(pieces) => pieces.first().map_or("", String::as_str),
        }
    }

    /// Whether a folded word matches.
    pub(crate) fn matches(&self, word: &str) -> bool {
        match self {
            WordPattern::Whole(text) => word == text,
            WordPattern::Begin(text) => word.starts_with(text.as_str()),
            WordPattern::Pieces(pieces) => in_pieces(pieces, word),
        }
    }
}

/// Whether `text` consists of the pieces with any characters between them. Matching each piece as
/// early as possible leaves most for the others.
pub(super) fn in_pieces(pieces: &[String], text: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return false;
    };
    let rest = text.strip_prefix(first.as_str());
    let rest = rest.and_then(|rest| rest.strip_suffix(last.as_str()));
    let rest = rest.and_then(|rest| {
        let mut pieces = middle.iter();
        pieces.try_fold(rest, |rest, piece| {
            Some(&rest[rest.find(piece.as_str())? + piece.len()..])
        })
    });
    rest.is_some()
}
