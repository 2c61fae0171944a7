//! Normalises a word of a person's name, so that the usual ways to write it in Latin letters
//! compare equal (D67): `Hübner` and `Huebner`, `Юсупов`, `Yusupov` and `Jussupow`.

use std::borrow::Cow;

/// Words with fewer letters are compared as they are: their spellings are too close to each other.
const SHORTEST: usize = 4;

/// The kind of each byte for [`TraitsOf`]: 0 between words, [`FOREIGN`] beyond ASCII, else a
/// number, the same for capitals and small letters, and for letters of which a rule can make another
/// one at the beginning of a word. Steady letters, which no rule adds to a word, takes away from it
/// or moves, have the bit [`IS_STEADY`].
const KINDS: [u8; 256] = {
    let (mut kinds, mut byte) = ([FOREIGN; 256], 0_u8);
    while byte.is_ascii() {
        kinds[byte as usize] = match byte.to_ascii_lowercase() {
            b'c' | b'h' | b'k' | b's' | b't' | b'x' => b'c' & 0x3f,
            b'e' | b'i' | b'j' | b'y' => b'e' & 0x3f,
            b'v' | b'w' => b'v' & 0x3f,
            steady @ (b'b' | b'd' | b'g' | b'l'..=b'n' | b'p'..=b'r') => steady & 0x3f | IS_STEADY,
            other if other.is_ascii_alphanumeric() => other & 0x3f,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};
const IS_STEADY: u8 = 0x40;
const FOREIGN: u8 = 0xff;

/// Hashes that are the same for all spellings of a name: for each word, a hash of its steady
/// letters and of the group of its first letter; for the whole name, a hash of its steady letters,
/// whatever their order. Found in one pass, without folding.
pub(super) struct TraitsOf<'t> {
    bytes: &'t [u8],
    /// The hash of the whole name, as far as it was read.
    pub(super) whole: u32,
    /// Whether a character is beyond ASCII: then nothing is known.
    pub(super) is_foreign: bool,
}

impl<'t> TraitsOf<'t> {
    pub(super) fn new(text: &'t str) -> TraitsOf<'t> {
        TraitsOf {
            bytes: text.as_bytes(),
            whole: 0,
            is_foreign: false,
        }
    }
}

impl Iterator for TraitsOf<'_> {
    type Item = u32;

    /// The hash of the next word.
    fn next(&mut self) -> Option<u32> {
        let mut word = 0_u32;
        while let Some((&byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            let kind = KINDS[usize::from(byte)];
            if kind == 0 {
                if word != 0 {
                    return Some(word);
                }
                continue;
            }
            self.is_foreign |= kind == FOREIGN;
            let number = u32::from(kind);
            if word == 0 {
                word = number;
            }
            if kind & IS_STEADY != 0 {
                word = word.wrapping_mul(0x0100_0193) ^ number;
                let term = number.wrapping_mul(number).wrapping_mul(0x9e37_79b1);
                self.whole = self.whole.wrapping_add(term);
            }
        }
        (word != 0).then_some(word)
    }
}

/// A bit for each of the steady letters in a text; `None` if not all of it is ASCII.
pub(super) fn skeleton(text: &[u8]) -> Option<u32> {
    let kinds = text.iter().map(|&byte| KINDS[usize::from(byte)]);
    let bits = kinds.map(|kind| u32::from(kind & IS_STEADY != 0) << (kind & 0x1f));
    let all = bits.fold(0, |all, bit| all | bit);
    // The highest bit is that of `FOREIGN`.
    (all < 1 << 31).then_some(all)
}

/// Appends the normalised spelling of a folded word.
pub(super) fn put_spelling(word: &str, out: &mut String) {
    let Some(word) = in_latin(word) else {
        out.push_str(word);
        return;
    };
    let mut plain = [0_u8; LONGEST];
    let Some(plain) = without_umlauts(word.as_bytes(), &mut plain) else {
        out.push_str(&word);
        return;
    };
    let letters = plain.len() - repeated(plain);
    let mut rest = 0;
    let from = out.len();
    while rest < plain.len() {
        let (taken, put) = match letters {
            0..SHORTEST => (1, None),
            SHORTEST => short(plain, rest),
            _ => long(plain, rest),
        };
        match put {
            Some(put) => out.push_str(put),
            None => out.push(char::from(plain[rest])),
        }
        rest += taken;
    }
    // Александр is Alexander as well as Aleksandr.
    if out[from..].ends_with("ksandr") {
        out.insert(out.len() - 1, 'e');
    }
}

/// The normalised spelling of a folded word in which `dj` stands for \u{111}, which folding makes a `d`.
pub(super) fn spelling_of_dj(word: &str) -> Option<String> {
    word.contains("dj")
        .then(|| spelling(&word.replace("dj", "d")))
}

/// The normalised spelling of a folded word.
pub(super) fn spelling(word: &str) -> String {
    let mut out = String::new();
    put_spelling(word, &mut out);
    out
}

/// Longer words are no names.
const LONGEST: usize = 64;

/// The word in Latin letters, if it has only letters of ASCII and of the Russian alphabet.
fn in_latin(word: &str) -> Option<Cow<'_, str>> {
    if word.is_ascii() {
        return Some(Cow::Borrowed(word));
    }
    let mut out = String::with_capacity(2 * word.len());
    for c in word.chars() {
        match c {
            _ if c.is_ascii() => out.push(c),
            // Folding has replaced \u{439} and \u{451} by letters of this range.
            '\u{430}'..='\u{44f}' => {
                out.push_str(LETTERS[usize::try_from(u32::from(c) - 0x430).unwrap_or(0)]);
            }
            _ => return None,
        }
    }
    Some(Cow::Owned(out))
}

/// The Latin letters for those from U+0430 on.
const LETTERS: [&str; 32] = [
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t",
    "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
];

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Whether a letter can stand for й, и or ы, or for the first half of я, ю and е.
fn is_iota(byte: u8) -> bool {
    matches!(byte, b'i' | b'y' | b'j')
}

/// The word with `ae`, `oe` and `ue` as one letter where they can be an umlaut, and `aa` as one;
/// unchanged if it has at most four letters. `None`: the word is too long to be a name.
fn without_umlauts<'o>(word: &[u8], out: &'o mut [u8; LONGEST]) -> Option<&'o [u8]> {
    if word.len() > LONGEST {
        return None;
    }
    let (mut len, mut at) = (0, 0);
    while at < word.len() {
        out[len] = word[at];
        len += 1;
        let two = word.get(at..at + 2);
        let is_short = word.len() <= SHORTEST;
        at += match two {
            Some(b"ae" | b"oe" | b"ue") if !is_short && is_umlaut(word, at) => 2,
            Some(b"aa") if !is_short => 2,
            _ => 1,
        };
    }
    Some(&out[..len])
}

/// Whether the two letters at a place can be an umlaut: not behind a vowel, before one or in
/// `que` and `rgue`, nor at the end of the word or before its last `l` (Bauer, Joe, Samuel).
fn is_umlaut(word: &[u8], at: usize) -> bool {
    let behind = &word[at + 2..];
    let before = at.checked_sub(1).map(|at| word[at]);
    let is_silent = word[at] == b'u' && word[..at].ends_with(b"rg");
    !is_silent
        && !matches!(behind, [] | b"l")
        && !behind.first().is_some_and(|&byte| is_vowel(byte))
        && !before.is_some_and(|byte| byte == b'q' || is_vowel(byte))
}

/// The number of iotas that follow another iota.
fn repeated(word: &[u8]) -> usize {
    let is_repeated = |pair: &&[u8]| is_iota(pair[0]) && is_iota(pair[1]);
    word.windows(2).filter(is_repeated).count()
}

/// The number of iotas at a place.
fn iotas(word: &[u8], at: usize) -> usize {
    word[at..].iter().take_while(|&&byte| is_iota(byte)).count()
}

/// For a word of four letters: how many of them are taken at a place, and what is put for them
/// (`None`: the letter itself). A `j` at the beginning is no `y` if a consonant ends the word:
/// `Jing` and `Ying` are two names.
fn short(word: &[u8], at: usize) -> (usize, Option<&'static str>) {
    let run = iotas(word, at);
    let is_open = word.last().is_some_and(|&byte| is_vowel(byte));
    if run > 0 && (at > 0 || is_open || word.last().is_some_and(|&byte| is_iota(byte))) {
        (run, Some("i"))
    } else {
        (1, None)
    }
}

/// Groups of letters, the longer ones first, and what is put for them.
const GROUPS: [(&[u8], &str); 14] = [
    (b"schtsch", "sh"),
    (b"chtch", "sh"),
    (b"shch", "sh"),
    (b"szcz", "sh"),
    (b"tsch", "ch"),
    (b"tch", "ch"),
    (b"sch", "sh"),
    (b"dzh", "di"),
    (b"cz", "ch"),
    (b"kh", "h"),
    (b"tz", "ts"),
    (b"ct", "kt"),
    (b"x", "ks"),
    (b"w", "v"),
];

/// As [`short`], for a longer word.
fn long(word: &[u8], at: usize) -> (usize, Option<&'static str>) {
    let (rest, run) = (&word[at..], iotas(word, at));
    if run > 0 {
        return of_iotas(word, at, run);
    }
    if matches!(rest[0], b'c' | b'd' | b'k' | b's' | b't' | b'w' | b'x') {
        let mut groups = GROUPS.iter();
        if let Some(&(letters, put)) = groups.find(|group| rest.starts_with(group.0)) {
            return (letters.len(), Some(put));
        }
    }
    let before = at.checked_sub(1).map(|at| word[at]);
    let is_behind_vowel = before.is_some_and(is_vowel);
    match rest {
        b"ff" if matches!(before, Some(b'e' | b'o')) => (2, Some("v")),
        [b's', b's', behind, ..] if is_behind_vowel && is_vowel(*behind) => (2, Some("s")),
        [b'c', b'h', b'a', b'i', ..] if word[..at].ends_with(b"mi") => (2, Some("h")),
        [b'u', b'e' | b'i' | b'j' | b'y', ..] if word[..at].ends_with(b"rg") => (1, Some("")),
        _ => (1, None),
    }
}

/// As [`long`], for iotas.
fn of_iotas(word: &[u8], at: usize, run: usize) -> (usize, Option<&'static str>) {
    let behind = &word[at + run..];
    let is_ending = matches!(behind, b"ev" | b"eva" | b"ew" | b"ewa" | b"eff");
    let is_dutch = &word[at..at + run] == b"ij" && behind.first().is_some_and(|&b| !is_vowel(b));
    match behind {
        [b'e', ..] if is_ending || at == 0 => (run, Some("")),
        [b'o', b'u', ..] if at == 0 => (run + 2, Some("iu")),
        _ if is_dutch => (run, Some("ij")),
        _ => (run, Some("i")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::fold::folded;

    fn spelling(word: &str) -> String {
        super::spelling(&folded(word))
    }

    #[test]
    fn spellings_of_one_name() {
        for names in [
            "H\u{fc}bner Huebner Hubner HUEBNER",
            "M\u{fc}ller Mueller Muller",
            "J\u{e4}ger Jaeger Jager",
            "S\u{f8}ren Soeren Soren S\u{f6}ren",
            "\u{c5}gaard Aagaard Agard",
            "Wei\u{df} Weiss",
            "Korchnoi Kortschnoj Kortchnoi Korchnoy \u{41a}\u{43e}\u{440}\u{447}\u{43d}\u{43e}\u{439}",
            "Nepomniachtchi Nepomniashchy Nepomniaschtschij Nepomnyashchiy \
             \u{41d}\u{435}\u{43f}\u{43e}\u{43c}\u{43d}\u{44f}\u{449}\u{438}\u{439}",
            "Jussupow Yusupov Iusupov Yussupov \u{42e}\u{441}\u{443}\u{43f}\u{43e}\u{432}",
            "Alexander Aleksandr Alexandr Aleksander",
            "Alexandra Aleksandra",
            "Evgeny Yevgeny Jewgeni Evgenij Yevgeniy",
            "Elena Yelena Jelena \u{415}\u{43b}\u{435}\u{43d}\u{430}",
            "Sergey Sergei Sergej Serguei Sergueï",
            "Yuri Yury Juri Jurij Yuriy",
            "Iouri Youri Iuri",
            "Ilya Ilia Ilja",
            "Mikhail Mihail Michail \u{41c}\u{438}\u{445}\u{430}\u{438}\u{43b}",
            "Viktor Victor",
            "Chigorin Tschigorin Tchigorin Czigorin",
            "Vasiliev Vasilyev Vasiljev Wassiliew Vassilieff",
            "Grigoriev Grigor\u{65}v Grigoryev",
            "Andreev Andreyev Andreiev",
            "Smirnoff Smirnov Smirnow",
            "Khalifman Halifman",
            "Radjabov Radzhabov",
            "Kuhn Kuehn K\u{fc}hn",
        ] {
            let all: Vec<String> = names.split_whitespace().map(spelling).collect();
            assert!(
                all.windows(2).all(|two| two[0] == two[1]),
                "{names} {all:?}"
            );
        }
    }

    #[test]
    fn names_of_different_people() {
        for names in [
            "Miller M\u{fc}ller Moller Mahler",
            "Carlsen Karlsen Carlson Larsen",
            "Michael Michal Michel",
            "Yang Jang Zhang Jiang",
            "Ju Yu Zhu",
            "Jing Ying",
            "Juan Yuan",
            "Tal Tahl Tall",
            "Wang Vang Huang",
            "Paz Paez",
            "Meyer Meer",
            "Martin Martijn",
            "Samuel Samul Sammel",
            "Bauer Baur",
            "Jan Ian Yan",
            "Szabo Sabo Schabo",
            "\u{15a}wi\u{119}tek Vitek",
        ] {
            let all: Vec<String> = names.split_whitespace().map(spelling).collect();
            for (i, one) in all.iter().enumerate() {
                assert!(!all[..i].contains(one), "{names} {all:?}");
            }
        }
    }

    #[test]
    fn letters_that_stay() {
        let words = "Nepomniachtchi Aleksandr Radzhabov Guenter qux Dobbelaere Ctirad Yevgeny Khan \
             Khalifman Schulz Tschigorin Chtchoukin Xaver Wiesel Czerniak Juan Serguei Smirnoff \
             Aagaard Ijzer Iouri Weiss Michail Zaitzev Oezil";
        let traits = |text: &str| TraitsOf::new(text).collect::<Vec<_>>();
        for word in words.split(' ') {
            let out = spelling(word);
            assert_eq!(
                skeleton(word.as_bytes()),
                skeleton(out.as_bytes()),
                "{word} {out}"
            );
            assert_eq!(traits(word), traits(&out), "{word} {out}");
            let (mut one, mut other) = (TraitsOf::new(word), TraitsOf::new(&out));
            assert_eq!((one.by_ref().count(), other.by_ref().count()), (1, 1));
            assert_eq!(one.whole, other.whole, "{word} {out}");
        }
        assert_eq!(traits(" Tal,Mihail--(X)").len(), 3);
        assert_ne!(traits("Tal"), traits("Tan"));
        assert_ne!(traits("Nal"), traits("Lan"));
        assert_eq!(skeleton("Hübner".as_bytes()), None);
        assert_eq!(skeleton(b"Tal, Aito"), skeleton(b"l"));
        assert_eq!(spelling(&"ae".repeat(40)), "ae".repeat(40));
    }
}
