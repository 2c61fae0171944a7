//! The encodings of the inputs: asked for, recognised, guessed and suspected.

use std::io::{self, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use pgc::{SourceEncoding, Summary};

use crate::show::output::counted_as;

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
        _ => SourceEncoding::of(text)
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
    pub(crate) fn of(self, sample: &[u8]) -> (Option<SourceEncoding>, Option<String>) {
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
            _ if self == AskedEncoding::Recognised => return (None, None),
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
    let guessed = SourceEncoding::of(detector.guess(None, Utf8Detection::Allow).name())?;
    let letters = within_words(guessed, text);
    // The detector knows no code page of DOS, in which the letters of Europe are the quotes and
    // signs of Windows. Of equal ones the first is more usual.
    let pages = ["cp850", "cp437", "cp852"]
        .into_iter()
        .filter_map(SourceEncoding::of);
    let best = pages.rev().max_by_key(|page| within_words(*page, text));
    Some(
        best.filter(|page| within_words(*page, text) > 2 * letters)
            .unwrap_or(guessed),
    )
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

/// The length of the lines that are collected for a suspicion.
const ENOUGH: usize = 1 << 16;

/// A text is looked at in parts of this length: most have no character beyond ASCII.
const PART: usize = 1 << 12;

/// A reader that collects the lines of a text that are not ASCII.
pub(crate) struct Suspecting<R> {
    pub(crate) inner: R,
    lines: Vec<u8>,
    /// The number of them that are UTF-8, and of the others.
    counts: [u32; 2],
}

impl<R: Read> Suspecting<R> {
    pub(crate) fn new(inner: R) -> Suspecting<R> {
        Suspecting {
            inner,
            lines: Vec::new(),
            counts: [0; 2],
        }
    }

    /// Says what is notable about the encoding of a source that was packed.
    pub(crate) fn tell(
        &self,
        packed: &Summary,
        encoding: Option<SourceEncoding>,
        asked: AskedEncoding,
        label: &str,
    ) {
        if let Some(encoding) = encoding.filter(|_| packed.undecoded > 0) {
            let bytes = counted_as(packed.undecoded, "byte is", "bytes are");
            let kept = if packed.undecoded == 1 {
                "it is"
            } else {
                "they are"
            };
            let name = encoding.name();
            note!("{label}: {bytes} no text in {name}, and kept as {kept}");
        }
        let suspects = packed.games > 0 && encoding.is_none() && asked == AskedEncoding::Recognised;
        if let Some(encoding) = suspects.then(|| self.suspicion()).flatten() {
            let name = encoding.name();
            note!("{label}: seems to be in {name}: --encoding {name} makes its names readable");
        }
    }

    /// The encoding that the text seems to have, if its characters look wrong as they are.
    pub(crate) fn suspicion(&self) -> Option<SourceEncoding> {
        let [right, wrong] = self.counts;
        let found = guess(&self.lines).filter(|_| wrong > 4 * right)?;
        // Where most are signs, or stand alone, nothing speaks for this encoding.
        let mut text = Vec::new();
        found.decode(&self.lines, true, &mut text);
        let text = String::from_utf8_lossy(&text);
        let odd = text.chars().filter(|char| !char.is_ascii());
        let letters: i32 = odd
            .map(|char| if char.is_alphabetic() { 1 } else { -1 })
            .sum();
        // Text that is not UTF-8 is shown as Latin-1.
        (letters > 0 && found.name() != "windows-1252").then_some(found)
    }
}

impl<R: Read> Read for Suspecting<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buf)?;
        let text = &buf[..read];
        for part in text.chunks(PART).filter(|part| !part.is_ascii()) {
            if self.lines.len() >= ENOUGH {
                break;
            }
            // The first and the last line are perhaps cut off.
            let lines = part.split_inclusive(|&byte| byte == b'\n').skip(1);
            for line in lines.filter(|line| line.ends_with(b"\n") && !line.is_ascii()) {
                self.counts[usize::from(!is_utf8(line))] += 1;
                if self.lines.len() < ENOUGH {
                    self.lines.extend_from_slice(line);
                }
            }
        }
        Ok(read)
    }
}
