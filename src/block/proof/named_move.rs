//! The move that a spelling names, compared with another spelling without a position.

use pgc_pgn::piece_letters::PieceLetters;

/// What the usual spelling of a move names: a canonical SAN, or the squares of the move.
pub(super) struct NamedMove<'a> {
    san: &'a [u8],
    /// `KQRBN`, or `P` where there is none.
    piece: u8,
    /// The last square of the text; none for castling.
    to: Option<[u8; 2]>,
    promotion: Option<u8>,
}

impl NamedMove<'_> {
    pub(super) fn parse(usual: &[u8]) -> Option<NamedMove<'_>> {
        let is_mark = |byte: &u8| matches!(byte, b'+' | b'#');
        let last = usual.iter().rposition(|byte| !is_mark(byte))?;
        let (san, last) = (&usual[..=last], usual[last].to_ascii_uppercase());
        let piece = match san[0] {
            piece @ (b'K' | b'Q' | b'R' | b'B' | b'N') => piece,
            _ => b'P',
        };
        let to = squares(san).last();
        let promotion = (to.is_some() && last.is_ascii_alphabetic()).then_some(last);
        Some(NamedMove {
            san,
            piece,
            to,
            promotion,
        })
    }

    /// `given` with English letters, as far as they name what moves, and what a pawn becomes;
    /// `None` if its first letter is that of another piece.
    pub(super) fn in_english(&self, given: &[u8], letters: &PieceLetters) -> Option<Vec<u8>> {
        let mut text = given.to_vec();
        if self.to.is_none() {
            return Some(text);
        }
        let letter = |piece: u8| letters.letter(char::from(piece));
        let is_own = |byte: u8, piece: u8| letter(piece) == Some(char::from(byte));
        let is_any = |byte: u8| b"PNBRQK".iter().any(|&piece| is_own(byte, piece));
        let first = *given.first()?;
        let capital = first.to_ascii_uppercase();
        if (b'a'..=b'h').contains(&first) {
            // A file; or the bishop, if no other piece has the letter.
            let is_other = is_any(b'B') && !is_own(b'B', b'B');
            if first == b'b' && self.piece == b'B' && is_other && squares(given).count() < 2 {
                return None;
            }
        } else if is_own(capital, self.piece) {
            text[0] = self.piece;
        } else if is_any(capital) && castling(given) < 2 {
            // Its squares name a move without its piece.
            text[0] = self.is_squares().then_some(b'N')?;
        }
        if let Some(promotion) = self.promotion
            && let Some(digit) = given.iter().rposition(u8::is_ascii_digit)
            && let Some(at) = given[digit..].iter().position(u8::is_ascii_alphabetic)
        {
            let letter = given[digit + at].to_ascii_uppercase();
            if is_own(letter, promotion) {
                text[digit + at] = promotion;
            } else if is_any(letter) {
                return None;
            }
        }
        Some(text)
    }

    /// Whether the move is spelled as its squares: `e2e4`, `e7e8q`.
    fn is_squares(&self) -> bool {
        squares(self.san).count() == 2 && self.san[0].is_ascii_lowercase()
    }

    pub(super) fn fits(&self, given: &[u8]) -> bool {
        let castles = castling(given);
        let Some(to) = self.to else {
            return self.fits_castling(given);
        };
        if castles > 0 {
            // The squares of castling are those of the king: it goes to the g-file or to the
            // c-file.
            return self.is_squares()
                && castles == if to[0] == b'g' { 2 } else { 3 }
                && matches!(to, [b'g' | b'c', b'1' | b'8']);
        }
        let drops = |text: &[u8]| text.contains(&b'@');
        if drops(given) != drops(self.san) {
            // The square of a drop is the one where the piece lands.
            return self.san.len() == 2 && drops(given) && self.fits_target(given, to);
        }
        let piece_fits = self.is_squares() || self.fits_piece(given);
        piece_fits && self.fits_target(given, to) && self.fits_promotion(given)
    }

    fn fits_castling(&self, given: &[u8]) -> bool {
        let rank = |square: [u8; 2]| matches!(square[1], b'1' | b'8');
        match castling(given) {
            // The king's squares, or its own letter and one of them.
            0 => {
                let has_two = squares(given).count() == 2;
                let is_king = piece(given).map_or(has_two, |piece| piece == b'K');
                is_king && squares(given).last().is_some_and(rank)
            }
            // `O-O-O` has three.
            letters => letters == castling(self.san),
        }
    }

    fn fits_piece(&self, given: &[u8]) -> bool {
        match piece(given) {
            // A capital may be the file of a pawn: `BXC5`.
            Some(piece) => {
                piece == self.piece
                    || (given[0] == b'B' && self.piece == b'P' && self.san[0] == b'b')
            }
            // A small `b` may be the file or the bishop; two squares say all without a letter.
            None => {
                let first = given.first().map_or(0, u8::to_ascii_uppercase);
                self.piece == b'P' || first == self.piece || squares(given).count() == 2
            }
        }
    }

    fn fits_target(&self, given: &[u8], to: [u8; 2]) -> bool {
        match squares(given).last() {
            Some(square) => square == to,
            // A pawn takes on a file: `exd`, `ed`.
            None => {
                let letters = given.iter().map(u8::to_ascii_lowercase);
                let files = letters.filter(|byte| (b'a'..=b'h').contains(byte));
                self.piece == b'P' && files.take(2).last() == Some(to[0])
            }
        }
    }

    /// A promotion without a piece is to a queen.
    fn fits_promotion(&self, given: &[u8]) -> bool {
        let digit = given.iter().rposition(u8::is_ascii_digit);
        let behind = digit.map_or(&[][..], |at| &given[at + 1..]);
        let mut letters = behind.iter().map(u8::to_ascii_uppercase);
        let letter = letters.find(|byte| b"QRBNK".contains(byte));
        let named = letter.or_else(|| (0..behind.len()).find_map(|at| figurine(&behind[at..])));
        self.promotion
            .is_none_or(|piece| named.unwrap_or(b'Q') == piece)
    }
}

/// The squares that a text names, in order and in small letters.
pub(super) fn squares(text: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    text.windows(2).filter_map(|pair| {
        let (file, rank) = (pair[0].to_ascii_lowercase(), pair[1]);
        ((b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank)).then_some([file, rank])
    })
}

/// The number of letters or zeros of castling in a text, if it is castling; else 0.
fn castling(text: &[u8]) -> usize {
    let is_letter = |byte: &&u8| matches!(byte, b'O' | b'o' | b'0');
    match text.first().filter(is_letter) {
        Some(_) => text.iter().filter(is_letter).count(),
        None => 0,
    }
}

/// The piece of a figurine (U+2654 to U+265F) that a text begins with.
fn figurine(text: &[u8]) -> Option<u8> {
    match text {
        [0xe2, 0x99, last @ 0x94..=0x9f, ..] => Some(b"KQRBNP"[usize::from(last - 0x94) % 6]),
        _ => None,
    }
}

/// The piece that a text begins with, as a capital letter or a figurine; `None`: a file, or a small
/// letter.
fn piece(text: &[u8]) -> Option<u8> {
    match text {
        [0xe2, ..] => figurine(text),
        [letter @ (b'K' | b'Q' | b'R' | b'N' | b'P'), ..] => Some(*letter),
        // Before a digit it may be a file in capitals.
        [b'B', next, ..] if !next.is_ascii_digit() => Some(b'B'),
        [letter @ (b'k' | b'q' | b'r' | b'n' | b'p'), ..] => Some(letter.to_ascii_uppercase()),
        _ => None,
    }
}
