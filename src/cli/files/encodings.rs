//! The encodings of the inputs: asked for, recognised, guessed and suspected.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use pgc::SourceEncoding;

/// What --encoding asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AskedEncoding {
    /// UTF-16 is recognised; anything else is stored as it is.
    #[default]
    Recognised,
    /// UTF-16 is recognised, and others are guessed.
    Auto,
    /// All is stored as it is.
    Bytes,
    /// This one, or UTF-16 where that is recognised.
    Named(SourceEncoding),
}

/// The value of --encoding.
pub(crate) fn asked(text: &str) -> Result<AskedEncoding, String> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Ok(AskedEncoding::Auto),
        "utf-16" => Ok(AskedEncoding::Recognised),
        "utf-8" | "utf8" | "ascii" => Ok(AskedEncoding::Bytes),
        _ => SourceEncoding::for_label(text)
            .map(AskedEncoding::Named)
            .ok_or_else(|| {
                "use auto, utf-8, or an encoding of the web or of DOS: cp437, cp850, cp852, windows-1250 to 1258 (cp1251), iso-8859-2 to 16, koi8-r, ibm866, \
                 macintosh, gbk, gb18030, big5, euc-jp, shift_jis, euc-kr"
                    .to_owned()
            }),
    }
}

impl AskedEncoding {
    /// Whether more of the source than its first bytes is looked at.
    pub(crate) fn looks_ahead(self) -> bool {
        matches!(self, AskedEncoding::Auto | AskedEncoding::Named(_))
    }

    /// The encoding to decode a source from that begins so, and what to say about it.
    pub(crate) fn chosen_for(self, sample: &[u8]) -> (Option<SourceEncoding>, Option<String>) {
        let as_it_is = |why: &str| (None, Some(format!("is {why}, and is stored as it is")));
        if self == AskedEncoding::Bytes {
            return (None, None);
        }
        if let Some(utf16) = SourceEncoding::utf16_of(sample) {
            return (Some(utf16), Some(format!("is in {}", utf16.name())));
        }
        let named = match self {
            AskedEncoding::Named(encoding) => Some(encoding),
            _ => None,
        };
        let is_ascii = sample.is_ascii();
        let encoding = match named {
            Some(named) if named.is_utf16() => {
                return as_it_is(&format!("not in {}", named.name()));
            }
            _ if self == AskedEncoding::Recognised => return (None, suspicion(sample)),
            _ if is_utf8(sample) && !is_ascii => return as_it_is("in UTF-8"),
            Some(named) => named,
            None if is_ascii => return (None, None),
            None if is_mostly_utf8(sample) => return as_it_is("mostly in UTF-8"),
            None => match guess(sample) {
                Some(guessed) => guessed,
                None => return (None, None),
            },
        };
        let name = encoding.name();
        let (_, kept) = encoding.decode(sample, false, &mut Vec::new());
        let others = sample.iter().filter(|byte| !byte.is_ascii()).count();
        if kept > others as u64 / 4 {
            return as_it_is(&format!("not in {name}"));
        }
        let seems = || format!("seems to be in {name}, and is read so (--encoding names another)");
        (Some(encoding), named.is_none().then(seems))
    }
}

/// Whether a text, which may be cut off, is UTF-8.
fn is_utf8(text: &[u8]) -> bool {
    std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Whether half of the lines that are not ASCII, or more, are UTF-8.
fn is_mostly_utf8(text: &[u8]) -> bool {
    let lines = text.split(|&byte| byte == b'\n');
    let lines = lines.filter(|line| !line.is_ascii());
    let (utf8, others): (Vec<_>, Vec<_>) = lines.partition(|line| is_utf8(line));
    utf8.len() >= others.len()
}

/// The encoding that a text seems to have.
fn guess(text: &[u8]) -> Option<SourceEncoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(text, true);
    let guessed = SourceEncoding::for_label(detector.guess(None, Utf8Detection::Allow).name())?;
    let letters = within_words(guessed, text);
    // The detector knows no code page of DOS, in which the letters of Europe are the quotes and
    // signs of Windows. Of equal ones the first is more usual.
    let pages = ["cp850", "cp437", "cp852"]
        .into_iter()
        .filter_map(SourceEncoding::for_label);
    let best = pages.rev().max_by_key(|page| within_words(*page, text));
    Some(
        best.filter(|page| within_words(*page, text) > 2 * letters)
            .unwrap_or(guessed),
    )
}

/// What to say of a text whose characters look wrong as they are, and right in another encoding.
fn suspicion(text: &[u8]) -> Option<String> {
    // Text has no control characters below the tab.
    if text.is_ascii() || is_mostly_utf8(text) || text.iter().any(|&byte| byte < b'\t') {
        return None;
    }
    let found = guess(text)?;
    let mut decoded = Vec::new();
    found.decode(text, true, &mut decoded);
    // Where most are signs, or stand alone, nothing speaks for this encoding.
    let decoded = String::from_utf8_lossy(&decoded);
    let odd = decoded.chars().filter(|char| !char.is_ascii());
    let (letters, signs): (Vec<char>, Vec<char>) = odd.partition(|char| char.is_alphabetic());
    // Text that is not UTF-8 is shown as Latin-1.
    let is_likely = letters.len() > signs.len() && found.name() != "windows-1252";
    let name = found.name();
    is_likely.then(|| format!("seems to be in {name}: --encoding {name} makes its names readable"))
}

/// How many characters beyond ASCII are small letters between small letters.
fn within_words(encoding: SourceEncoding, text: &[u8]) -> usize {
    let mut decoded = Vec::new();
    encoding.decode(text, true, &mut decoded);
    let decoded = String::from_utf8_lossy(&decoded);
    let behind = |chars: usize| decoded.chars().skip(chars);
    let threes = behind(0).zip(behind(1)).zip(behind(2));
    let is_within = |&((before, char), behind): &((char, char), char)| {
        !char.is_ascii() && char.is_lowercase() && before.is_alphabetic() && behind.is_lowercase()
    };
    threes.filter(is_within).count()
}
