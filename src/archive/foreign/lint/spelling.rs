//! Moves that are not spelled as SAN (PGN 1994 8.2.3): what is different.

use crate::foreign::lint::RuleHits;
use pgc_block::replay::Play;
use pgc_chess::{core_len, stands_for, start_position};
use pgc_pgn::clause::Rule;
use pgc_pgn::game::{Elem, ElemKind, Form, IssueKind, ParsedGame};
use pgc_pgn::piece_letters::EnglishToken;

/// Of piece letters that are not English, [`check_letters`] reports those that differ.
pub(super) fn check(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    if !game.issues.iter().any(|n| n.what == IssueKind::Spelling) {
        return;
    }
    let pairs: Vec<_> = game.tag_pairs(text).collect();
    let start = start_position(pairs.iter().map(|(name, value)| (*name, &**value)));
    let Ok(start) = start else { return };
    let mut play = Play::new(start, false);
    for elem in &game.elems[game.tag_elems..] {
        let is_known = match elem.kind {
            ElemKind::RavOpen => play.rav_begin(),
            ElemKind::RavClose => play.rav_end(),
            ElemKind::Move => match play.play(elem.ordinal) {
                Some(played) => {
                    match elem.spelled.form() {
                        Form::Other => other(hits, text, elem, played.san.as_bytes()),
                        Form::Squares => hits.hit(Rule::Squares, elem.span()),
                        _ => {}
                    }
                    true
                }
                None => false,
            },
            _ => true,
        };
        if !is_known {
            return;
        }
    }
}

/// A move that is spelled in another way than its SAN, and not by its squares.
fn other(hits: &mut RuleHits, text: &[u8], elem: &Elem, san: &[u8]) {
    let (mut buffer, token, letters) = (
        EnglishToken::default(),
        &text[elem.span()],
        hits.rules.letters,
    );
    let english = letters.and_then(|letters| letters.english(token, &mut buffer));
    let token = english.unwrap_or(token);
    let core = &token[..core_len(token)];
    if letters.is_none() || core != san {
        hits.hit(rule_of(core, san), elem.span());
    }
}

/// The moves whose piece letters are those of another language than English.
pub(super) fn check_letters(hits: &mut RuleHits, text: &[u8], game: &ParsedGame<'_>) {
    let Some(letters) = hits.rules.letters else {
        return;
    };
    let moves = game.elems.iter().filter(|elem| elem.kind == ElemKind::Move);
    for span in moves.map(Elem::span) {
        let mut buffer = EnglishToken::default();
        if letters.english(&text[span.clone()], &mut buffer).is_some() {
            hits.strict(Rule::PieceLetter, span);
        }
    }
}

/// The rule that a spelling of a move breaks, given its SAN; both without check marks.
fn rule_of(token: &[u8], san: &[u8]) -> Rule {
    if san.starts_with(b"O") {
        return match token.iter().any(|byte| matches!(byte, b'a'..=b'h')) {
            true => Rule::Squares,
            false => Rule::Castling,
        };
    }
    let is_mark = |byte: &u8| matches!(byte, b'x' | b':');
    let without = |text: &[u8], is_left: &dyn Fn(&u8) -> bool| -> Vec<u8> {
        text.iter().copied().filter(|byte| !is_left(byte)).collect()
    };
    let is_promoting = |byte: &u8| matches!(byte, b'=' | b'(' | b')' | b'/');
    let unmarked = without(token, &is_mark);
    if unmarked == without(san, &is_mark) {
        return Rule::CaptureMark;
    }
    if token.iter().any(|byte| !byte.is_ascii()) {
        return match stands_for(token) {
            Some((letter, _)) if letter.is_ascii_uppercase() => Rule::PieceLetter,
            _ => Rule::Spelling,
        };
    }
    if token.eq_ignore_ascii_case(san) || token.first() == Some(&b'P') {
        let rank = san.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
        let is_promotion = san.contains(&b'=') && token.get(..=rank) == san.get(..=rank);
        return match is_promotion {
            true => Rule::Promotion,
            false => Rule::PieceLetter,
        };
    }
    if token.ends_with(b"ep") || token.ends_with(b"e.p") || token.ends_with(b"e.p.") {
        return Rule::EnPassant;
    }
    let promoted = without(&unmarked, &is_promoting).to_ascii_uppercase();
    let plain = without(&without(san, &is_mark), &is_promoting).to_ascii_uppercase();
    let to_queen = plain.strip_suffix(b"Q").filter(|_| san.contains(&b'='));
    if san.contains(&b'=') && (promoted == plain || to_queen == Some(&promoted)) {
        return Rule::Promotion;
    }
    // The same piece and the same destination.
    let is_same =
        |letter: Option<&u8>| letter == san.first() && letter.is_some_and(u8::is_ascii_uppercase);
    if is_same(token.first()) && !token.contains(&b'-') {
        return Rule::Origin;
    }
    let is_two_files = |byte: &u8| matches!(byte, b'a'..=b'h' | b'x' | b':');
    match token.iter().all(is_two_files) {
        true => Rule::Spelling,
        false if token.contains(&b'-') => Rule::Squares,
        false => Rule::Origin,
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, rule_of};

    #[test]
    fn differences() {
        for (token, san, rule) in [
            ("0-0", "O-O", Rule::Castling),
            ("ooo", "O-O-O", Rule::Castling),
            ("e1-g1", "O-O", Rule::Squares),
            ("Nf6", "Nxf6", Rule::CaptureMark),
            ("ed5", "exd5", Rule::CaptureMark),
            ("N:f3", "Nf3", Rule::CaptureMark),
            ("Ng1f3", "Nf3", Rule::Origin),
            ("Ngf3", "N1f3", Rule::Origin),
            ("Ng1xf3", "Nxf3", Rule::Origin),
            ("e2e4", "e4", Rule::Origin),
            ("e2-e4", "e4", Rule::Squares),
            ("Ng1-f3", "Nf3", Rule::Squares),
            ("Pe4", "e4", Rule::PieceLetter),
            ("nf3", "Nf3", Rule::PieceLetter),
            ("\u{2658}f3", "Nf3", Rule::PieceLetter),
            ("e8Q", "e8=Q", Rule::Promotion),
            ("e8(Q)", "e8=Q", Rule::Promotion),
            ("e8=q", "e8=Q", Rule::Promotion),
            ("bxa8", "bxa8=Q", Rule::Promotion),
            ("exd6e.p.", "exd6", Rule::EnPassant),
            ("ed", "exd5", Rule::Spelling),
        ] {
            assert_eq!(rule_of(token.as_bytes(), san.as_bytes()), rule, "{token}");
        }
    }
}
