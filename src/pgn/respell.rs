//! Shows a game with the piece letters of another language (PGN 1994, 17).

use super::game::{Elem, ElemKind, Form, ParsedGames};
use super::piece_letters::{EnglishToken, PieceLetters};

/// The text of a game with these letters in its moves, in UTF-8 if they need it. Moves that are
/// spelled without a capital letter for the piece stay as they are, and so does text that is not
/// chess.
pub fn respelled(text: &[u8], letters: &PieceLetters) -> Vec<u8> {
    let mut games = ParsedGames::with_null_moves(None);
    let Some(game) = games.read_one(text) else {
        return text.to_vec();
    };
    let (mut out, mut copied) = (Vec::with_capacity(text.len() + text.len() / 8), 0);
    let is_move = |elem: &&Elem| elem.kind == ElemKind::Move;
    for elem in game.elems.iter().filter(is_move) {
        let is_canonical = elem.spelled.form() == Form::Canonical;
        out.extend_from_slice(&text[copied..elem.start as usize]);
        put_token(&mut out, &text[elem.span()], is_canonical, letters);
        copied = elem.end as usize;
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// The text of a game that is written with these letters, in those of English. Text that is not
/// chess stays as it is.
pub fn in_english(text: &[u8], letters: &'static PieceLetters) -> Vec<u8> {
    let mut english = text.to_vec();
    let mut games = ParsedGames::with_null_moves(Some(letters));
    let Some(game) = games.read_one(text) else {
        return english;
    };
    let moves = game.elems.iter().filter(|elem| elem.kind == ElemKind::Move);
    for span in moves.map(Elem::span) {
        let mut buffer = EnglishToken::default();
        if let Some(token) = letters.english(&text[span.clone()], &mut buffer) {
            english[span].copy_from_slice(token);
        }
    }
    english
}

fn put_token(out: &mut Vec<u8>, token: &[u8], is_canonical: bool, letters: &PieceLetters) {
    // `B4` is a file in capitals.
    let is_file = !is_canonical && matches!(token, [b'B', b'1'..=b'8', ..]);
    let rank = token.iter().rposition(u8::is_ascii_digit);
    for (at, &byte) in token.iter().enumerate() {
        let is_letter = (at == 0 && !is_file) || rank.is_some_and(|rank| at > rank);
        match letters.letter(char::from(byte)).filter(|_| is_letter) {
            Some(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_get_other_letters_and_nothing_else() {
        let text = "[White \"Kf1\"]\n\n1. Nf3 {Nf6 is best} e5 (1... Nf6 2. Bxh7) 2. g1h3?? ; Q\n2... Qh4 3. B4 1-0\n";
        let text = text.replace("g1h3", "Nxe5");
        let german = String::from_utf8(respelled(
            text.as_bytes(),
            PieceLetters::named("de").unwrap(),
        ));
        assert_eq!(
            german.unwrap(),
            "[White \"Kf1\"]\n\n1. Sf3 {Nf6 is best} e5 (1... Sf6 2. Bxh7) 2. Sxe5?? ; Q\n2... Dh4 3. B4 1-0\n"
        );
        let figurine = respelled(b"1. Nf3 e5 *", PieceLetters::to_write("figurine").unwrap());
        assert_eq!(String::from_utf8(figurine).unwrap(), "1. \u{2658}f3 e5 *");
    }
}
