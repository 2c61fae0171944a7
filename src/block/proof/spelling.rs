//! Compares a spelling that a layout gives with the record of its element.
//!
//! A layout can give any element any spelling, so that equal text does not prove the record. The
//! rules here are not those by which the source was read: they know no position and no ladder of
//! lenient moves, and only compare what both spellings name.

use crate::proof::named_move::{NamedMove, squares};
use pgc_pgn::game::ElemKind;
use pgc_pgn::nag::spelled_nags;
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::tag::is_space;

/// Whether two spellings mean the same element. `usual` is how the style would spell the element of
/// the record, `given` how the layout does, perhaps with these piece letters.
pub(crate) fn agrees(
    kind: ElemKind,
    usual: &[u8],
    given: &[u8],
    letters: Option<&PieceLetters>,
) -> bool {
    match kind {
        // White space before and behind a move belongs to the gaps.
        ElemKind::Move if given.trim_ascii() != given => false,
        ElemKind::Move => NamedMove::parse(usual).is_some_and(|usual| match letters {
            Some(letters) => {
                let english = usual.in_english(given, letters);
                english.is_some_and(|english| usual.fits(&english))
            }
            None => usual.fits(given),
        }),
        ElemKind::Tag => is_tag_in(usual, given),
        ElemKind::Nag => nag_value(usual).is_some_and(|value| {
            nag_value(given) == Some(value)
                || spelled_nags(given).is_some_and(|nags| nags.contains(&value))
        }),
        // A comment that is not closed.
        ElemKind::Brace => {
            usual.split_last().is_some_and(|(_, open)| open == given) && !given.contains(&b'}')
        }
        // A variation that is not closed.
        ElemKind::RavClose => given.is_empty(),
        ElemKind::Terminator => is_result(given) == Some(usual),
        _ => false,
    }
}

/// Whether a gap that a layout gives, or that a style predicts, hides no element. `kind`: the
/// element behind it; `None` is the end of the game.
pub(crate) fn is_gap(kind: Option<ElemKind>, gap: &[u8]) -> bool {
    match kind {
        // Quoted mail has `>` before tag pairs.
        Some(ElemKind::Tag) => pieces(gap).all(|piece| is_blank(piece) || piece == b">"),
        Some(ElemKind::Move) => {
            let is_separator = |piece| is_blank(piece) || piece == "\u{2026}".as_bytes();
            let separates = pieces(gap).last().is_some_and(is_separator);
            (separates || gap.last().is_none_or(|&last| !may_belong_to_a_move(last)))
                && has_no_element(gap)
        }
        Some(_) => has_no_element(gap),
        None => !is_result_in(gap) && has_no_element(gap),
    }
}

/// The characters of a text; where it is no UTF-8, its bytes.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.utf8_chunks().flat_map(|chunk| {
        let characters = chunk.valid().split_inclusive(|_| true).map(str::as_bytes);
        characters.chain(chunk.invalid().chunks(1))
    })
}

/// Whether a character separates as white space does: it is white space in Unicode, or shows
/// nothing at all; the no-break space of Latin-1 too.
fn is_blank(piece: &[u8]) -> bool {
    const UNSEEN: [(u32, u32); 17] = [
        (0xad, 1),
        (0x34f, 1),
        (0x61c, 1),
        (0x115f, 2),
        (0x17b4, 2),
        (0x180b, 5),
        (0x200b, 5),
        (0x202a, 5),
        (0x2060, 16),
        (0x3164, 1),
        (0xfe00, 16),
        (0xfeff, 1),
        (0xffa0, 1),
        (0xfff0, 9),
        (0x1_bca0, 4),
        (0x1_d173, 8),
        (0xe_0000, 4_096),
    ];
    match std::str::from_utf8(piece).map(|text| text.chars().next()) {
        Ok(Some(c)) => {
            let mut unseen = UNSEEN.iter().map(|&(first, count)| first..first + count);
            let is_unseen = unseen.any(|range| range.contains(&u32::from(c)));
            c.is_whitespace() || matches!(c, '\0' | '\u{1a}') || is_unseen
        }
        _ => piece == b"\xa0",
    }
}

/// The length of the blanks that a text begins with.
fn blanks(text: &[u8]) -> usize {
    let blanks = pieces(text).take_while(|piece| is_blank(piece));
    blanks.map(<[u8]>::len).sum()
}

/// Whether a byte directly before a move may be a part of its spelling.
fn may_belong_to_a_move(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii() || (byte.is_ascii_control() && !is_space(byte))
}

fn has_no_element(gap: &[u8]) -> bool {
    let begins = |byte: &u8| matches!(byte, b'{' | b'(' | b';' | b'!' | b'?');
    let escapes = |pair: &[u8]| matches!(pair, [b'\n' | b'\r', b'%']);
    let castles = |token: &[u8]| token.starts_with(b"O-O") || token.starts_with(b"0-0");
    let mut tokens = gap.split(|&byte| is_space(byte) || byte == b'.');
    let at = |byte: u8| memchr::memchr_iter(byte, gap).map(|at| &gap[at..]);
    !gap.iter().any(begins)
        && !gap.windows(2).any(escapes)
        && !tokens.any(castles)
        && squares(gap).next().is_none()
        && !at(b'$').any(is_nag)
        && !at(b'[').any(is_tag_pair)
}

/// Whether `text` begins with `$` and a number that a NAG can have.
fn is_nag(text: &[u8]) -> bool {
    let behind = text[1..].iter();
    let digits = behind.take_while(|byte| byte.is_ascii_digit()).count();
    // A `$` before a result is no NAG.
    let is_result = matches!(text.get(1 + digits), Some(b'-' | b'/'));
    !is_result && nag_value(&text[..1 + digits]).is_some_and(|value| value < 1 << 31)
}

/// Whether `text` begins with a bracket, a name and a quote, and has the other bracket.
fn is_tag_pair(text: &[u8]) -> bool {
    let name = text[1..].trim_ascii_start();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let len = name.iter().take_while(is_part).count();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name[len..].trim_ascii_start().starts_with(b"\"")
        && name.contains(&b']')
}

/// Whether a token of the gap, or all of it, is a result. Signs of a judgement are none there, and
/// neither is what only the end of a game makes a result.
fn is_result_in(gap: &[u8]) -> bool {
    let gap = gap.trim_ascii();
    let has_points = |token: &[u8]| {
        let is_point = |byte: &u8| matches!(byte, b'*' | b'0'..=b'9' | 0xbd);
        token.iter().any(is_point) && is_result(token).is_some()
    };
    let mut tokens = gap.split(|&byte| is_space(byte));
    has_points(gap)
        || tokens.clone().next_back().is_some_and(has_points)
        || tokens.any(|token| token.is_ascii() && has_points(token))
}

/// The result that a text spells, as the standard writes it: without blanks, and with other signs
/// for the dash and the half. Forfeits have a sign for each player, or a letter behind; a double
/// forfeit has no winner.
fn is_result(text: &[u8]) -> Option<&'static [u8]> {
    let text: String = match std::str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect(),
    };
    let plain: String = text.chars().filter(|c| *c != ' ').collect();
    let plain = plain.replace(['\u{96}', '\u{97}', '\u{2212}', ':'], "-");
    let plain = plain.replace(|c| ('\u{2010}'..='\u{2015}').contains(&c), "-");
    let halves = ["1/2", "0.5", "0,5"].iter();
    let plain = halves.fold(plain, |plain, half| plain.replace(half, "\u{bd}"));
    let won = plain.trim_end_matches(['F', 'f']);
    Some(match (plain.as_str(), won) {
        (_, "1-0") | ("+-" | "+--" | "+/-", _) => b"1-0",
        (_, "0-1") | ("-+" | "--+" | "-/+", _) => b"0-1",
        ("\u{bd}", _) if !text.starts_with('0') => b"1/2-1/2",
        ("\u{bd}-\u{bd}", _) => b"1/2-1/2",
        ("*" | "0-0" | "--" | "---" | "-/-", _) => b"*",
        _ => return None,
    })
}

/// Whether `given` has the name and the value of the tag pair `usual`, backslashes aside, and
/// nothing else.
fn is_tag_in(usual: &[u8], given: &[u8]) -> bool {
    let plain = |text: &[u8]| {
        let bytes = text.iter().copied();
        bytes.filter(|&byte| byte != b'\\').collect::<Vec<_>>()
    };
    let Some(blank) = memchr::memmem::find(usual, b" \"") else {
        return false;
    };
    let (name, value) = (&usual[1..blank], plain(&usual[blank + 2..usual.len() - 2]));
    let rest = given.strip_prefix(b"[").map(|rest| &rest[blanks(rest)..]);
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix(name)) else {
        return false;
    };
    let behind = &rest[blanks(rest)..];
    if behind.len() == rest.len() && !rest.starts_with(b"\"") {
        return false;
    }
    let opening = pieces(behind).next().filter(|piece| is_quote(piece));
    let opening = opening.map_or(0, <[u8]>::len);
    // A bare value may begin with a typographic quote that has no counterpart.
    let bare = if behind.starts_with(b"\"") {
        opening
    } else {
        0
    };
    [opening, bare].iter().any(|&opening| {
        let rest = plain(&behind[opening..]);
        rest.strip_prefix(value.as_slice()).is_some_and(|end| {
            pieces(end).all(|piece| is_blank(piece) || is_quote(piece) || piece == b"]")
        })
    })
}

/// Whether a character is a quote, of any kind that a word processor makes.
fn is_quote(piece: &[u8]) -> bool {
    match std::str::from_utf8(piece) {
        Ok(quote) => "\"'`\u{ab}\u{bb}\u{2018}\u{2019}\u{201a}\u{201b}\u{201c}\u{201d}\u{201e}\
            \u{201f}\u{2033}\u{2039}\u{203a}\u{ff02}"
            .contains(quote),
        Err(_) => matches!(piece, [0x82 | 0x84 | 0x91..=0x94 | 0xab | 0xbb]),
    }
}

/// The value of a NAG, as a suffix or a number.
fn nag_value(text: &[u8]) -> Option<u32> {
    match text {
        b"!" => Some(1),
        b"?" => Some(2),
        b"!!" => Some(3),
        b"??" => Some(4),
        b"!?" => Some(5),
        b"?!" => Some(6),
        [b'$', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_of_a_move_agree_and_other_moves_do_not() {
        let spellings: [(&str, &[&str]); 12] = [
            (
                "Nf3",
                &[
                    "Ng1f3",
                    "N1f3",
                    "Ngf3",
                    "Ng1-f3",
                    "g1f3",
                    "nf3",
                    "NF3",
                    "Nf3+",
                    "N:f3",
                    "\u{2658}f3",
                    "\u{265e}f3",
                ],
            ),
            ("e4", &["e2e4", "e2-e4", "Pe4", "E4", "P-e4"]),
            (
                "exd5",
                &[
                    "ed5", "exd", "ed", "e4xd5", "xd5", "exd5e.p.", "e:d5", "Pxd5",
                ],
            ),
            ("Bxc4", &["bxc4", "BXC4", "Bf1xc4", "B:c4"]),
            ("O-O", &["0-0", "o-o", "OO", "e1g1", "Kg1", "Ke1g1"]),
            ("O-O-O", &["0-0-0", "ooo", "e8c8"]),
            ("e8=Q", &["e8", "e8Q", "e8(Q)", "e7e8q", "e8/Q"]),
            ("bxa8=N", &["bxa8N", "ba8n", "b7xa8=N", "bxa8=\u{2658}"]),
            ("Qf7#", &["Qf7mate", "Qf7+", "Qh5f7"]),
            ("N@f3", &["n@f3"]),
            ("e2e4", &["e4", "e2-e4", "P-e2-e4"]),
            ("e1g1", &["O-O", "0-0"]),
        ];
        for (usual, given) in spellings {
            for given in given {
                assert!(
                    agrees(ElemKind::Move, usual.as_bytes(), given.as_bytes(), None),
                    "{usual}: {given}"
                );
            }
            for (other, _) in spellings.iter().filter(|(other, _)| *other != usual) {
                // In Chess960 the squares of castling do not tell its side.
                let same = [["e4", "e2e4"], ["O-O", "e1g1"]]
                    .iter()
                    .any(|pair| pair.contains(&usual) && pair.contains(other));
                let same = same || [usual, other] == ["O-O-O", "e1g1"];
                assert_eq!(
                    agrees(ElemKind::Move, usual.as_bytes(), other.as_bytes(), None),
                    same,
                    "{usual}: {other}"
                );
            }
        }
        let wrong = [
            ("Nf3", "Nc3"),
            ("Nf3", "Bf3"),
            ("Nf3", "f3"),
            ("f3", "Nf3"),
            ("e8=Q", "e8=N"),
            ("e8=N", "e8"),
            ("O-O", "O-O-O"),
        ];
        for (usual, given) in wrong {
            assert!(
                !agrees(ElemKind::Move, usual.as_bytes(), given.as_bytes(), None),
                "{usual}: {given}"
            );
        }
    }

    #[test]
    fn moves_in_other_letters_agree_only_with_their_own() {
        let agrees = |code, usual: &str, given: &str| {
            let letters = PieceLetters::named(code);
            agrees(ElemKind::Move, usual.as_bytes(), given.as_bytes(), letters)
        };
        for (code, usual, given) in [
            ("fr", "Nf3", "Cf3"),
            ("fr", "Nf3", "Cg1f3+"),
            ("fr", "Kf1", "Rf1"),
            ("fr", "e8=Q", "e8=D"),
            ("fr", "bxa8=N", "bxa8C"),
            ("fr", "O-O", "O-O"),
            ("fr", "O-O", "0-0"),
            ("et", "Bb5", "Ob5"),
            ("nl", "e4", "Oe4"),
            ("de", "Bb5", "Lb5"),
            ("de", "exd5", "Bxd5"),
            ("is", "Bb5", "Bb5"),
            ("fr", "g1f3", "Cf3"),
            ("fr", "e4", "e2-e4"),
            ("de", "Nf3", "sf3"),
            ("de", "Bxc4", "lxc4"),
            ("de", "e8=R", "e8(T)"),
            ("de", "e8=R", "e8=(T)"),
            ("de", "e8=B", "e8/L"),
            ("de", "e8=Q", "e8=d"),
            ("de", "e7e8q", "e7e8d"),
            ("de", "exd8=N", "exd8s"),
            ("de", "exd6", "exd6e.p."),
            ("de", "e8=Q", "e8q"),
            ("de", "Nf3", "nf3"),
            ("de", "bxc4", "bxc4"),
            ("de", "Bc6", "b5c6"),
            ("pt", "Bb5", "bb5"),
            ("cs", "Bb5", "bb5"),
            ("fr", "Kf1", "rf1"),
            ("et", "Bb5", "ob5"),
        ] {
            assert!(agrees(code, usual, given), "{code} {usual} {given}");
        }
        for (code, usual, given) in [
            ("fr", "Rf1", "Rf1"),
            ("fr", "Nf3", "Ff3"),
            ("fr", "Nf3", "Cf4"),
            ("fr", "e8=Q", "e8=T"),
            ("fr", "e8=R", "e8=R"),
            ("fr", "O-O", "O-O-O"),
            ("de", "Bb5", "Bb5"),
            ("ro", "Nf3", "Nf3"),
            ("de", "Bb5", "bb5"),
            ("de", "Bxc4", "bxc4"),
            ("de", "Nf3", "lf3"),
            ("de", "Qd4", "dd4"),
            ("de", "e8=Q", "e8=t"),
            ("de", "e8=R", "e8(D)"),
            ("de", "e8=R", "e8=d"),
            ("fr", "e8=R", "e8=r"),
            ("fr", "Rf1", "rf1"),
            ("hu", "e8=B", "e8=b"),
        ] {
            assert!(!agrees(code, usual, given), "{code} {usual} {given}");
        }
    }

    #[test]
    fn other_elements_agree_where_they_say_the_same() {
        let agrees =
            |kind, usual: &str, given: &str| agrees(kind, usual.as_bytes(), given.as_bytes(), None);
        assert!(agrees(
            ElemKind::Tag,
            "[White \"A\\\"B\"]",
            "[ White   \"A\\\"B\" ]"
        ));
        assert!(agrees(ElemKind::Tag, "[White \"A\"]", "[White A]"));
        assert!(!agrees(ElemKind::Tag, "[White \"A\"]", "[White  \"B\"]"));
        assert!(!agrees(ElemKind::Tag, "[White \"A\"]", "[Black  \"A\"]"));
        assert!(!agrees(ElemKind::Tag, "[White \"\\\"A\"]", "[White \"A\"]"));
        assert!(agrees(ElemKind::Tag, "[White \"\\\"\"]", "[White \\\"]"));
        assert!(agrees(
            ElemKind::Tag,
            "[White \"\\\"A\"]",
            "[White  \"\"A\"]"
        ));
        assert!(
            agrees(ElemKind::Nag, "$1", "!")
                && agrees(ElemKind::Nag, "??", "$4")
                && agrees(ElemKind::Nag, "$14", "$014")
                && agrees(ElemKind::Nag, "$18", "+ \u{2212}")
                && agrees(ElemKind::Nag, "$33", "\u{27f3}")
                && agrees(ElemKind::Nag, "!!", "\u{203c}")
        );
        assert!(!agrees(ElemKind::Nag, "$19", "+-") && !agrees(ElemKind::Nag, "$34", "\u{27f3}"));
        assert!(!agrees(ElemKind::Nag, "$1", "?") && !agrees(ElemKind::Nag, "$14", "$"));
        assert!(
            agrees(ElemKind::Brace, "{a}", "{a")
                && !agrees(ElemKind::Brace, "{a}", "{b}")
                && !agrees(ElemKind::Brace, "{a}}", "{a}")
        );
        let ends = |usual, given| agrees(ElemKind::Terminator, usual, given);
        for (usual, spellings) in [
            ("1-0", ["1 - 0", "1:0", "1\u{2013}0", "+:-", "+/-", "1-0F"]),
            ("0-1", ["0- 1", "0:1", "0\u{2014}1", "-:+", "-+", "0-1ff"]),
            (
                "1/2-1/2",
                [
                    "1/2",
                    "\u{bd}-\u{bd}",
                    "0.5-0.5",
                    "1/2 - 1/2",
                    "\u{bd}",
                    "0,5:0,5",
                ],
            ),
            ("*", ["0-0", "0:0", "-:-", "-/-", "0 - 0", "0\u{2013}0"]),
        ] {
            for given in spellings {
                for other in ["1-0", "0-1", "1/2-1/2", "*"] {
                    assert_eq!(ends(other, given), other == usual, "{other} {given}");
                }
            }
        }
        assert!(
            ["", "1", "0.5", "1-1", "1/2-0", "e4", "O-O"]
                .iter()
                .all(|given| !ends("*", given))
        );
        assert!(
            !agrees(ElemKind::Line, ";a", ";b")
                && agrees(ElemKind::RavClose, ")", "")
                && !agrees(ElemKind::RavOpen, "(", "")
        );
    }

    #[test]
    fn an_element_in_a_gap_is_seen() {
        let is_gap = |kind, gap: &str| is_gap(kind, gap.as_bytes());
        for gap in [
            "",
            " ",
            " 1. ",
            "\n",
            " 12.",
            " N ",
            " +- 3. ",
            " \u{b1} 3. ",
            " 1-0 ",
            " 5% ",
            "\u{a0}",
            " 1\u{2026}",
            // Blanks that are shown as nothing.
            " \u{ad}",
            "\0",
        ] {
            assert!(is_gap(Some(ElemKind::Move), gap), "{gap:?}");
        }
        let elements = [
            " {a} ",
            " (",
            " ;a\n",
            " $1 ",
            "! ",
            " e4 ",
            " E4 ",
            " O-O ",
            "\n%a\n",
            "\n[White \"A\"]\n",
        ];
        let touching = ["N", " \u{2658}", " 2. \u{a4}", " \u{7f}"];
        for gap in elements.iter().chain(&touching) {
            assert!(!is_gap(Some(ElemKind::Move), gap), "{gap:?}");
        }
        assert!(
            is_gap(Some(ElemKind::Tag), "\n\t\n")
                && is_gap(Some(ElemKind::Tag), "\u{feff}")
                && !is_gap(Some(ElemKind::Tag), "\n1.")
        );
        for gap in ["\n\n\0", " +/- ", " --- ", " 0.5", " \u{bd} N"] {
            assert!(is_gap(None, gap), "{gap:?}");
        }
        for gap in [
            " 1-0\n",
            " *",
            " 1 - 0\n",
            " 0:1",
            " \u{bd}-\u{bd}",
            " 0.5-0.5 ",
            " 1\u{2013}0",
        ] {
            assert!(!is_gap(None, gap), "{gap:?}");
        }
    }
}
