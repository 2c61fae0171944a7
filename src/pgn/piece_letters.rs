//! Piece letters of other languages (PGN 1994, 17).

/// Room for the longest token that is read as a move.
const LONGEST: usize = 16;

/// The letters that a language has for the pieces.
#[derive(Debug, PartialEq, Eq)]
pub struct PieceLetters {
    /// The code of the language: `de`.
    pub code: &'static str,
    /// The name in English.
    pub language: &'static str,
    /// Pawn, knight, bishop, rook, queen, king.
    letters: [char; 6],
}

/// The letters of SAN, in the order of the list.
const ENGLISH: [char; 6] = ['P', 'N', 'B', 'R', 'Q', 'K'];

const fn letters(code: &'static str, language: &'static str, letters: [char; 6]) -> PieceLetters {
    PieceLetters {
        code,
        language,
        letters,
    }
}

/// The list of section 17.
pub static LANGUAGES: [PieceLetters; 17] = [
    letters("cs", "Czech", ['P', 'J', 'S', 'V', 'D', 'K']),
    letters("da", "Danish", ['B', 'S', 'L', 'T', 'D', 'K']),
    letters("nl", "Dutch", ['O', 'P', 'L', 'T', 'D', 'K']),
    letters("en", "English", ENGLISH),
    letters("et", "Estonian", ['P', 'R', 'O', 'V', 'L', 'K']),
    letters("fi", "Finnish", ['P', 'R', 'L', 'T', 'D', 'K']),
    letters("fr", "French", ['P', 'C', 'F', 'T', 'D', 'R']),
    letters("de", "German", ['B', 'S', 'L', 'T', 'D', 'K']),
    letters("hu", "Hungarian", ['G', 'H', 'F', 'B', 'V', 'K']),
    letters("is", "Icelandic", ['P', 'R', 'B', 'H', 'D', 'K']),
    letters("it", "Italian", ['P', 'C', 'A', 'T', 'D', 'R']),
    letters("no", "Norwegian", ['B', 'S', 'L', 'T', 'D', 'K']),
    letters("pl", "Polish", ['P', 'S', 'G', 'W', 'H', 'K']),
    letters("pt", "Portuguese", ['P', 'C', 'B', 'T', 'D', 'R']),
    letters("ro", "Romanian", ['P', 'C', 'N', 'T', 'D', 'R']),
    letters("es", "Spanish", ['P', 'C', 'A', 'T', 'D', 'R']),
    letters("sv", "Swedish", ['B', 'S', 'L', 'T', 'D', 'K']),
];

/// Figurines, the same for both sides. They are not in section 17; reading understands them anyway.
pub static FIGURINES: PieceLetters = letters(
    "figurine",
    "figurines",
    [
        '\u{2659}', '\u{2658}', '\u{2657}', '\u{2656}', '\u{2655}', '\u{2654}',
    ],
);

impl PieceLetters {
    /// The letters of a language, by its code or its English name.
    pub fn named(name: &str) -> Option<&'static PieceLetters> {
        LANGUAGES.iter().find(|letters| {
            letters.code.eq_ignore_ascii_case(name) || letters.language.eq_ignore_ascii_case(name)
        })
    }

    /// The language, and its code: `German (de)`.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.language, self.code)
    }

    /// The letters of a language other than English, by its place in [`LANGUAGES`], from 0.
    pub fn from_number(number: u8) -> Option<&'static PieceLetters> {
        let letters = LANGUAGES.get(usize::from(number));
        letters.filter(|letters| letters.letters != ENGLISH)
    }

    /// The place of the language in [`LANGUAGES`].
    pub fn number(&self) -> u8 {
        let found = (0..).zip(&LANGUAGES).find(|found| found.1 == self);
        found.map_or(u8::MAX, |found| found.0)
    }

    /// The letters to write: those of a language, by its code or its English name, or the
    /// figurines.
    pub fn to_write(name: &str) -> Option<&'static PieceLetters> {
        let figurines = Some(&FIGURINES).filter(|known| name.eq_ignore_ascii_case(known.code));
        figurines.or_else(|| PieceLetters::named(name))
    }

    /// The letter of the piece that has this letter in SAN.
    pub fn letter(&self, san: char) -> Option<char> {
        let at = ENGLISH.iter().position(|&letter| letter == san)?;
        Some(self.letters[at])
    }

    /// Whether a piece has this letter.
    pub fn has(&self, letter: char) -> bool {
        self.letters.contains(&letter)
    }

    /// A byte of a canonical SAN, or of a check mark, in these letters.
    pub fn local(&self, byte: u8) -> u8 {
        let letter = match byte {
            b'A'..=b'Z' => self.letter(char::from(byte)),
            _ => None,
        };
        letter.map_or(byte, |letter| u8::try_from(letter).unwrap_or(byte))
    }

    /// A canonical SAN, with or without a number before it, in these letters.
    pub fn respell(&self, san: &str) -> String {
        san.chars().map(|c| self.letter(c).unwrap_or(c)).collect()
    }

    /// The letter of SAN for the piece that has this letter, in either case.
    pub(crate) fn san(&self, letter: u8) -> Option<u8> {
        let capital = char::from(letter.to_ascii_uppercase());
        let piece = self.letters.iter().position(|&own| own == capital)?;
        u8::try_from(ENGLISH[piece]).ok()
    }

    /// Whether the first letter of a token is a small `b` that can only be a file: another piece
    /// than the bishop has the letter.
    pub(crate) fn begins_with_file(&self, token: &[u8]) -> bool {
        let is_letter = matches!(token, [b'b', second, ..] if !second.is_ascii_digit());
        is_letter && self.san(b'b').is_some_and(|piece| piece != b'B')
    }

    /// A token of the movetext with English letters in place of its first letter and the letter of
    /// a promotion. The first letter becomes a capital one; a small one from a to h is a file.
    /// `None`: nothing changes.
    pub fn english<'b>(&self, token: &[u8], buffer: &'b mut EnglishToken) -> Option<&'b [u8]> {
        // Dutch and Estonian have an O.
        if matches!(token, [b'O', b'O' | b'-', ..]) {
            return None;
        }
        let text = buffer.get_mut(..token.len())?;
        text.copy_from_slice(token);
        let behind = token.iter().rposition(u8::is_ascii_digit)?;
        let is_file = (b'a'..=b'h').contains(&token[0]);
        if let Some(piece) = self.san(token[0]).filter(|_| !is_file) {
            text[0] = piece;
        }
        if let Some(at) = promotion_at(&token[behind + 1..]).map(|at| behind + 1 + at)
            && let Some(piece) = self.san(token[at])
        {
            let is_small = token[at].is_ascii_lowercase();
            text[at] = piece | if is_small { 0x20 } else { 0 };
        }
        (text != token).then_some(text)
    }
}

/// Where the letter of a promotion stands in what follows the last digit of a token: the first
/// capital letter, or a small one before which and behind which there are only signs.
fn promotion_at(behind: &[u8]) -> Option<usize> {
    let capital = behind.iter().position(u8::is_ascii_uppercase);
    let is_sign = |byte: &u8| matches!(byte, b'=' | b'(' | b')' | b'+' | b'#');
    let small = || {
        let at = behind.iter().position(|byte| !is_sign(byte))?;
        let is_last = behind[at + 1..].iter().all(is_sign);
        (behind[at].is_ascii_lowercase() && is_last).then_some(at)
    };
    capital.or_else(small)
}

/// The letters that name the piece of a promotion where a token ends, as a set of capital letters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PromotionLetters(u32);

impl PromotionLetters {
    /// Those of a language (`None` is English), and those of English that none of its pieces has.
    pub(crate) fn new(letters: Option<&PieceLetters>) -> PromotionLetters {
        let bit = |letter: u8| 1_u32 << (letter - b'A');
        let of_piece = |piece: u8| match letters {
            Some(letters) if letters.has(char::from(piece)) => bit(letters.local(piece)),
            Some(letters) => bit(letters.local(piece)) | bit(piece),
            None => bit(piece),
        };
        PromotionLetters(b"QRBN".iter().fold(0, |all, &piece| all | of_piece(piece)))
    }

    /// Whether this capital letter is one of them.
    #[inline]
    pub(crate) fn has(self, letter: u8) -> bool {
        letter.is_ascii_uppercase() && self.0 >> (letter - b'A') & 1 != 0
    }
}

/// Room for a token in English letters.
pub type EnglishToken = [u8; LONGEST];

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of section 17, typed once more as it stands there.
    const SECTION_17: &str = "\
Czech        P J S V D K
Danish       B S L T D K
Dutch        O P L T D K
English      P N B R Q K
Estonian     P R O V L K
Finnish      P R L T D K
French       P C F T D R
German       B S L T D K
Hungarian    G H F B V K
Icelandic    P R B H D K
Italian      P C A T D R
Norwegian    B S L T D K
Polish       P S G W H K
Portuguese   P C B T D R
Romanian     P C N T D R
Spanish      P C A T D R
Swedish      B S L T D K";

    #[test]
    fn the_list_is_that_of_section_17() {
        let lines: Vec<String> = LANGUAGES
            .iter()
            .map(|l| {
                let letters: Vec<String> = l.letters.iter().map(char::to_string).collect();
                format!("{:<12} {}", l.language, letters.join(" "))
            })
            .collect();
        assert_eq!(lines.join("\n"), SECTION_17);
    }

    #[test]
    fn moves_in_other_letters() {
        // From the game 1. Nf3 ... with one move of each kind, typed by hand.
        for (code, local) in [
            ("cs", "Jf3 Sb5 Vd8# Dxd4+ Kf1 e8=D bxa8=J O-O"),
            ("da", "Sf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=S O-O"),
            ("nl", "Pf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=P O-O"),
            ("en", "Nf3 Bb5 Rd8# Qxd4+ Kf1 e8=Q bxa8=N O-O"),
            ("et", "Rf3 Ob5 Vd8# Lxd4+ Kf1 e8=L bxa8=R O-O"),
            ("fi", "Rf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=R O-O"),
            ("fr", "Cf3 Fb5 Td8# Dxd4+ Rf1 e8=D bxa8=C O-O"),
            ("de", "Sf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=S O-O"),
            ("hu", "Hf3 Fb5 Bd8# Vxd4+ Kf1 e8=V bxa8=H O-O"),
            ("is", "Rf3 Bb5 Hd8# Dxd4+ Kf1 e8=D bxa8=R O-O"),
            ("it", "Cf3 Ab5 Td8# Dxd4+ Rf1 e8=D bxa8=C O-O"),
            ("no", "Sf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=S O-O"),
            ("pl", "Sf3 Gb5 Wd8# Hxd4+ Kf1 e8=H bxa8=S O-O"),
            ("pt", "Cf3 Bb5 Td8# Dxd4+ Rf1 e8=D bxa8=C O-O"),
            ("ro", "Cf3 Nb5 Td8# Dxd4+ Rf1 e8=D bxa8=C O-O"),
            ("es", "Cf3 Ab5 Td8# Dxd4+ Rf1 e8=D bxa8=C O-O"),
            ("sv", "Sf3 Lb5 Td8# Dxd4+ Kf1 e8=D bxa8=S O-O"),
            (
                "figurine",
                "\u{2658}f3 \u{2657}b5 \u{2656}d8# \u{2655}xd4+ \u{2654}f1 e8=\u{2655} bxa8=\u{2658} O-O",
            ),
        ] {
            let letters = PieceLetters::to_write(code).unwrap();
            let english = "Nf3 Bb5 Rd8# Qxd4+ Kf1 e8=Q bxa8=N O-O";
            assert_eq!(letters.respell(english), local, "{code}");
            let read = |(local, english): (&str, &str)| {
                let mut buffer = EnglishToken::default();
                let read = letters.english(local.as_bytes(), &mut buffer);
                assert_eq!(
                    read.unwrap_or(local.as_bytes()),
                    english.as_bytes(),
                    "{code} {local}"
                );
            };
            if code != "figurine" {
                local.split(' ').zip(english.split(' ')).for_each(read);
            }
        }
        assert_eq!(PieceLetters::named("German"), PieceLetters::named("DE"));
        assert_eq!(
            (PieceLetters::named("figurine"), PieceLetters::named("xx")),
            (None, None)
        );
    }
}
