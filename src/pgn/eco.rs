//! ECO codes as numbers: 0 none, 1 to 500 for A00 to E99, 501 anything else (spec/index.md 3.2).

/// The number for no code.
pub const NONE: u16 = 0;
/// The number for a value that is not a code.
pub const OTHER: u16 = 501;

/// The number of the value of an ECO tag. Only its first three characters count.
pub fn number(value: Option<&[u8]>) -> u16 {
    match value {
        None | Some(b"" | b"?" | b"-") => NONE,
        Some(&[letter, tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..]) => first(letter)
            .map_or(OTHER, |first| {
                first + u16::from(tens - b'0') * 10 + u16::from(ones - b'0')
            }),
        Some(_) => OTHER,
    }
}

/// The number of a volume's first code.
pub(crate) fn first(letter: u8) -> Option<u16> {
    let volume = letter.to_ascii_uppercase().wrapping_sub(b'A');
    (volume < 5).then(|| u16::from(volume) * 100 + 1)
}

/// The numbers of the first and the last code that begin with this text, a letter and at most two
/// digits.
pub fn that_begin(text: &str) -> Option<(u16, u16)> {
    let (&letter, digits) = text.as_bytes().split_first()?;
    let first = first(letter)?;
    let are_digits = digits.len() <= 2 && digits.iter().all(u8::is_ascii_digit);
    let digit = |i: usize, open: u16| digits.get(i).map_or(open, |&c| u16::from(c - b'0'));
    let code = |open| first + digit(0, open) * 10 + digit(1, open);
    are_digits.then(|| (code(0), code(9)))
}

/// The code of a number: `B33`; `None` if the number stands for no code.
pub fn code(number: u32) -> Option<String> {
    let characters = u16::try_from(number).ok().and_then(characters)?;
    Some(characters.into_iter().map(char::from).collect())
}

/// The ASCII characters of the code of a number.
pub fn characters(number: u16) -> Option<[u8; 3]> {
    let place = number.checked_sub(1).filter(|place| *place < 500)?;
    // Below 5, 10 and 10.
    let [volume, tens, ones] =
        [place / 100, place / 10 % 10, place % 10].map(|part| part.to_le_bytes()[0]);
    Some([b'A' + volume, b'0' + tens, b'0' + ones])
}
