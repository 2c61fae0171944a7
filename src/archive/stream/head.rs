//! The head and the tail of a segment (spec/extension.md 3 and 6).

use byteorder::{ByteOrder, LittleEndian};

use crate::run::SegmentForm;
use pgc_block::head::{HeadError, crc, put_checked, take_checked};
use pgc_block::num::{put_num, put_str, take_byte, take_num, take_slice, take_str};
use pgc_pgn::encoding::SourceEncoding;
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::records::private::{EscapeKind, unstuff};
use pgc_pgn::source_text::SourceText;

/// The newest format version. A segment has the oldest that can say what it holds.
pub(crate) const VERSION: u8 = 3;

/// The version of segments of PGN in English letters.
const PGN_VERSION: u8 = 1;

/// The version of segments of other text in UTF-8.
const TEXT_VERSION: u8 = 2;

/// Numbers that are never versions: as bytes they would have to be stuffed.
const NO_VERSIONS: [u8; 5] = [10, 13, 250, 253, 254];

/// The maximum length of a source name in bytes.
pub(crate) const MAX_NAME: usize = 4096;

/// The byte by which heads name the small form of a trial version.
const TRIAL_FORM: u8 = 1;

/// The bytes by which heads name the forms.
const PLAIN: u8 = SegmentForm::Plain as u8;
const SMALL: u8 = SegmentForm::Small as u8;

/// What the source is, as heads from version 2 on name it by a byte.
fn text_of(byte: u8) -> Option<SourceText> {
    match byte {
        0 => Some(SourceText::Pgn),
        EPD => Some(SourceText::Epd),
        _ => PieceLetters::from_number(byte.checked_sub(LETTERS)?).map(SourceText::Letters),
    }
}

/// The encoding with exactly this name.
fn encoding_of(name: &[u8]) -> Option<SourceEncoding> {
    let name = std::str::from_utf8(name).ok()?;
    SourceEncoding::for_label(name).filter(|encoding| encoding.name() == name)
}

/// The byte for EPD.
const EPD: u8 = 1;
/// The byte for the piece letters of the first language; those of the others follow.
const LETTERS: u8 = 16;

/// The head of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentHead {
    /// The form of its blocks.
    pub form: SegmentForm,
    /// What the source is.
    pub text: SourceText,
    /// The encoding of the source, if that is stored in UTF-8 instead.
    pub encoding: Option<SourceEncoding>,
    /// Name of the source.
    pub name: String,
}

/// The tail of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentTail {
    /// The number of blocks.
    pub blocks: u64,
    /// The number of games, the sum of the next three.
    pub games: u64,
    /// Games whose main line is all ordinals.
    pub whole: u64,
    /// Games whose main line ends in text.
    pub tails: u64,
    /// Games whose main line is text.
    pub text: u64,
    /// Ordinals.
    pub plies: u64,
    /// Length of the source, in UTF-8 if it is stored so.
    pub source: u64,
    /// BLAKE3 of the source.
    pub digest: [u8; 32],
    /// Length of the source in its encoding, if it is stored in UTF-8 instead.
    pub encoded: Option<u64>,
}

impl SegmentHead {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let (version, text) = match self.text {
            SourceText::Pgn => (PGN_VERSION, 0),
            SourceText::Epd => (TEXT_VERSION, EPD),
            SourceText::Letters(letters) => {
                (TEXT_VERSION, LETTERS.saturating_add(letters.number()))
            }
        };
        let version = self.encoding.map_or(version, |_| VERSION);
        let mut data = vec![version, self.form as u8];
        if version != PGN_VERSION {
            data.push(text);
        }
        if let Some(encoding) = self.encoding {
            put_str(&mut data, encoding.name().as_bytes());
        }
        put_str(&mut data, self.name.as_bytes());
        put_checked(out, EscapeKind::Head, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<SegmentHead, HeadError> {
        // The version comes first, because a newer one may do everything else differently.
        match stuffed.first() {
            Some(&(PGN_VERSION..=VERSION)) => {}
            Some(&version) if version > VERSION && !NO_VERSIONS.contains(&version) => {
                return Err(match is_changed(stuffed) {
                    true => HeadError::Checksum,
                    false => HeadError::Version(version),
                });
            }
            _ => return Err(HeadError::Malformed),
        }
        let data = take_checked(EscapeKind::Head, stuffed)?;
        let &[version, form, ref rest @ ..] = data.as_slice() else {
            return Err(HeadError::Malformed);
        };
        let form = match form {
            PLAIN => SegmentForm::Plain,
            SMALL => SegmentForm::Small,
            TRIAL_FORM => return Err(HeadError::TrialForm),
            _ => return Err(HeadError::Malformed),
        };
        let mut src = rest;
        let head = (|| {
            let text = match version {
                PGN_VERSION => SourceText::Pgn,
                _ => take_byte(&mut src).and_then(text_of)?,
            };
            let encoding = match version {
                VERSION => Some(take_str(&mut src).and_then(encoding_of)?),
                _ => None,
            };
            let name = take_str(&mut src).filter(|name| name.len() <= MAX_NAME)?;
            Some(SegmentHead {
                form,
                text,
                encoding,
                name: String::from_utf8(name.to_vec()).ok()?,
            })
        })();
        head.filter(|_| src.is_empty()).ok_or(HeadError::Malformed)
    }
}

/// Whether a head has the checksum of a known version if its first byte is set to that version:
/// then damage changed the byte, and no newer pgc wrote the head.
fn is_changed(stuffed: &[u8]) -> bool {
    let mut data = Vec::new();
    if unstuff(&mut data, stuffed).is_none() || data.len() < 5 {
        return false;
    }
    let end = data.len() - 4;
    let (head, sum) = data.split_at_mut(end);
    (PGN_VERSION..=VERSION).any(|version| {
        head[0] = version;
        crc(EscapeKind::Head, head) == LittleEndian::read_u32(sum)
    })
}

impl SegmentTail {
    /// Appends the escape.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut data = Vec::new();
        for number in [
            self.blocks,
            self.games,
            self.whole,
            self.tails,
            self.text,
            self.plies,
            self.source,
        ] {
            put_num(&mut data, number);
        }
        data.extend_from_slice(&self.digest);
        if let Some(encoded) = self.encoded {
            put_num(&mut data, encoded);
        }
        put_checked(out, EscapeKind::Tail, data);
    }

    /// Reads the data of the escape.
    ///
    /// # Errors
    /// [`HeadError`].
    pub fn take(stuffed: &[u8]) -> Result<SegmentTail, HeadError> {
        let data = take_checked(EscapeKind::Tail, stuffed)?;
        let mut src = data.as_slice();
        let tail = (|| {
            Some(SegmentTail {
                blocks: take_num(&mut src)?,
                games: take_num(&mut src)?,
                whole: take_num(&mut src)?,
                tails: take_num(&mut src)?,
                text: take_num(&mut src)?,
                plies: take_num(&mut src)?,
                source: take_num(&mut src)?,
                digest: take_slice(&mut src, 32)?.try_into().ok()?,
                encoded: match src {
                    [] => None,
                    _ => Some(take_num(&mut src)?),
                },
            })
        })();
        tail.filter(|_| src.is_empty()).ok_or(HeadError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::records::private::private;

    fn data(escape: &[u8]) -> &[u8] {
        private(&escape[3..]).unwrap().data
    }

    #[test]
    fn heads_come_back_and_damage_shows() {
        let mut out = Vec::new();
        let head = SegmentHead {
            name: "a.pgn".into(),
            ..SegmentHead::default()
        };
        head.put(&mut out);
        assert!(out.starts_with(b"\x0a\x11\x00pgcH\x01\x00\x05a.pgn\xfe\x02\x14\x75\xd5"));
        assert_eq!(SegmentHead::take(data(&out)), Ok(head));
        let mut newer = data(&out).to_vec();
        newer[0] = 4;
        // Only that byte was changed; a head of a newer version has another checksum.
        assert_eq!(SegmentHead::take(&newer), Err(HeadError::Checksum));
        for version in [0, 10, 13, 250, 253, 254] {
            newer[0] = version;
            assert_eq!(
                SegmentHead::take(&newer),
                Err(HeadError::Malformed),
                "{version}"
            );
        }
        assert_eq!(
            SegmentHead::take(b"\x04\x00\x05a.pgn1234"),
            Err(HeadError::Version(4))
        );
        assert_eq!(SegmentHead::take(b"\x04"), Err(HeadError::Version(4)));

        // A head of EPD is of version 2, and has a byte more.
        let (mut out, epd) = (
            Vec::new(),
            SegmentHead {
                text: SourceText::Epd,
                ..SegmentHead::take(data(&out)).unwrap()
            },
        );
        epd.put(&mut out);
        assert!(out.starts_with(b"\x0a\x11\x00pgcH\x02\x00\x01\x05a.pgn"));
        assert_eq!(SegmentHead::take(data(&out)), Ok(epd));
        // So has one of PGN in other piece letters: Czech, and German.
        for (code, byte) in [("cs", 16), ("de", 23)] {
            let mut out = Vec::new();
            let letters = SegmentHead {
                text: SourceText::Letters(PieceLetters::named(code).unwrap()),
                name: "a.pgn".into(),
                ..SegmentHead::default()
            };
            letters.put(&mut out);
            assert_eq!(out[7..11], [2, 0, byte, 5]);
            assert_eq!(SegmentHead::take(data(&out)), Ok(letters));
        }
        // Form 1 was that of a trial version; a head that damage gave this byte has a wrong checksum.
        let mut small = Vec::new();
        let head = SegmentHead {
            form: SegmentForm::Small,
            name: "a.pgn".into(),
            ..SegmentHead::default()
        };
        head.put(&mut small);
        assert_eq!(small[7..9], [1, 2]);
        assert_eq!(SegmentHead::take(data(&small)), Ok(head));
        let mut changed = data(&small).to_vec();
        changed[1] = TRIAL_FORM;
        assert_eq!(SegmentHead::take(&changed), Err(HeadError::Checksum));
        for (form, fault) in [
            (TRIAL_FORM, HeadError::TrialForm),
            (3, HeadError::Malformed),
        ] {
            let mut out = Vec::new();
            put_checked(&mut out, EscapeKind::Head, vec![1, form, 0]);
            assert_eq!(SegmentHead::take(data(&out)), Err(fault));
        }
        // The name of an encoding stands before that of the source.
        let mut encoded = Vec::new();
        let head = SegmentHead {
            encoding: SourceEncoding::for_label("koi8-r"),
            name: "a.pgn".into(),
            ..SegmentHead::default()
        };
        head.put(&mut encoded);
        assert!(encoded.starts_with(b"\x0a\x18\x00pgcH\x03\x00\x00\x06KOI8-R\x05a.pgn"));
        assert_eq!(SegmentHead::take(data(&encoded)), Ok(head));
        assert_eq!(encoding_of(b"koi8-r"), None, "the name, and no label");
        assert_eq!(text_of(19), None, "English");
        assert_eq!(text_of(33), None);
        for version in [1, 3, 4] {
            let mut wrong = data(&out).to_vec();
            wrong[0] = version;
            assert_eq!(SegmentHead::take(&wrong), Err(HeadError::Checksum));
        }

        for (len, right) in [(MAX_NAME, true), (MAX_NAME + 1, false)] {
            let mut out = Vec::new();
            SegmentHead {
                form: SegmentForm::Small,
                name: "a".repeat(len),
                ..SegmentHead::default()
            }
            .put(&mut out);
            assert_eq!(SegmentHead::take(data(&out)).is_ok(), right, "{len}");
        }

        let tail = SegmentTail {
            blocks: 1,
            games: 2,
            source: 300,
            digest: [0x0a; 32],
            ..SegmentTail::default()
        };
        let mut end = Vec::new();
        tail.put(&mut end);
        assert_eq!(SegmentTail::take(data(&end)), Ok(tail));
        for i in 0..end.len() - 7 {
            let mut wrong = data(&end).to_vec();
            wrong[i] ^= 1;
            assert!(SegmentTail::take(&wrong).is_err(), "{i}");
        }
    }
}
