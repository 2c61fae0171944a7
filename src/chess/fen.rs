//! FEN as some programs write it, in the form of the standard (PGN 1994 16.1; spec/chess.md 2).

use super::rules::Rules;

/// The castling letters of chess, in their order, and the files of the rooks that mean the same.
const RIGHTS: [[u8; 2]; 4] = [*b"KH", *b"QA", *b"kh", *b"qa"];

/// Fewer words than these are looked at: a FEN has seven at most, or four, three numbers and an
/// operation of two.
const WORDS: usize = 10;

/// The FEN with counters in the place of operations of EPD (`- hmvc 0; fmvn 2;`), the en passant
/// square behind the pawn that is named instead, move number 1 instead of 0, and, except in
/// Chess960, `KQkq` instead of `HAha`. `None`: it has none of these.
pub fn mended_fen(rules: Rules, fen: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(fen).ok()?;
    let mut fields = match text.contains(';') {
        true => without_operations(text)?,
        false => words(text),
    };
    if fields.len() == WORDS {
        return None;
    }
    let square = fields.get(1).zip(fields.get(3)).and_then(|(side, at)| {
        let [file, rank] = *at.as_bytes() else {
            return None;
        };
        let rank = match (*side, rank) {
            ("b", b'4') => '3',
            ("w", b'5') => '6',
            _ => return None,
        };
        Some(format!("{}{rank}", char::from(file)))
    });
    let rights = fields.get(2).filter(|_| rules != Rules::Chess960);
    let rights = rights.and_then(|field| letters_of_chess(field));
    // The count of Three-check stands before the counters or behind them.
    let at = 5 + usize::from(fields.get(4).is_some_and(|field| field.contains('+')));
    let is_zero = fields
        .get(at)
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b == b'0'));
    if square.is_none() && rights.is_none() && !is_zero && !text.contains(';') {
        return None;
    }
    let mended = [
        (2, rights.as_deref()),
        (3, square.as_deref()),
        (at, is_zero.then_some("1")),
    ];
    for (place, mended) in mended {
        if let Some(mended) = mended {
            fields[place] = mended;
        }
    }
    Some(fields.join(" ").into_bytes())
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(' ').filter(|word| !word.is_empty());
    words.take(WORDS).collect()
}

/// `KQkq` where the letters name rooks in the corners.
fn letters_of_chess(rights: &str) -> Option<String> {
    let is_letter = |right: u8| RIGHTS.iter().any(|pair| pair[0] == right);
    let is_known = |right: u8| RIGHTS.as_flattened().contains(&right);
    if rights.bytes().all(is_letter) || !rights.bytes().all(is_known) {
        return None;
    }
    let is_there = |pair: &&[u8; 2]| rights.bytes().any(|right| pair.contains(&right));
    let there = RIGHTS.iter().filter(is_there);
    Some(there.map(|pair| char::from(pair[0])).collect())
}

/// The fields of a position with operations of EPD behind it, of which `hmvc` and `fmvn` are the
/// counters. `None`: there are not four fields before them.
fn without_operations(text: &str) -> Option<Vec<&str>> {
    let mut quoted = false;
    let mut parts = text.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let mut fields = words(parts.next()?);
    let is_field = |word: &&str| word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+'));
    let behind = fields
        .get(4..)?
        .iter()
        .take(3)
        .take_while(|word| is_field(word))
        .count();
    let first = fields.split_off(4 + behind);
    let checks = fields[4..].iter().position(|field| field.contains('+'));
    let checks = checks.map(|at| fields.remove(4 + at));
    let (mut half, mut full) = (fields.get(4).copied(), fields.get(5).copied());
    for operation in std::iter::once(first).chain(parts.map(words)) {
        match *operation {
            ["hmvc", number] => half = Some(number),
            ["fmvn", number] => full = Some(number),
            _ => {}
        }
    }
    fields.truncate(4);
    fields.extend(checks);
    fields.extend([half.unwrap_or("0"), full.unwrap_or("1")]);
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use shakmaty::variant::Variant;

    #[test]
    fn what_programs_write() {
        const BOARD: &str = "r3k2r/8/8/8/3Pp3/8/8/R3K2R";
        let three = Rules::Other(Variant::ThreeCheck);
        for (rules, said, meant) in [
            (Rules::Chess, "b KQkq - hmvc 3; fmvn 2;", "b KQkq - 3 2"),
            (
                Rules::Chess,
                "b KQkq - fmvn 2; id \"a; hmvc 9;\";",
                "b KQkq - 0 2",
            ),
            (Rules::Chess, "b KQkq - 4 7;", "b KQkq - 4 7"),
            (Rules::Chess, "b KQkq -;", "b KQkq - 0 1"),
            (Rules::Chess, "b KQkq d4 0 7", "b KQkq d3 0 7"),
            (Rules::Chess, "b AHah - 0 0", "b KQkq - 0 1"),
            (Rules::Chess, "b hH - 0 3", "b Kk - 0 3"),
            (Rules::Chess, "b A", "b Q"),
            (three, "b - - 3+3 0 0", "b - - 3+3 0 1"),
            (three, "b - - 0 0 +0+0", "b - - 0 1 +0+0"),
            (three, "b - - 2+3 hmvc 5;", "b - - 2+3 5 1"),
        ] {
            let mended = mended_fen(rules, format!("{BOARD} {said}").as_bytes());
            assert_eq!(
                mended,
                Some(format!("{BOARD} {meant}").into_bytes()),
                "{said}"
            );
        }
        for (rules, said) in [
            (Rules::Chess960, "b AHah - 0 1"),
            (Rules::Chess, "b KQkq d3 0 1"),
            (Rules::Chess, "w KQkq d4 0 1"),
            (Rules::Chess, "b BGbg - 0 1"),
            (Rules::Chess, "b QK - 0 1"),
            (three, "b - - 3+3 0 1"),
            (Rules::Chess, ""),
            (Rules::Chess, "b;"),
        ] {
            assert_eq!(
                mended_fen(rules, format!("{BOARD} {said}").as_bytes()),
                None,
                "{said}"
            );
        }
        let fen = format!("{BOARD} b KQkq d4 hmvc 0; fmvn 2;");
        let start = Position::start(Rules::Chess, Some(fen.as_bytes())).unwrap();
        assert!(start.clone().resolve(b"exd3").is_ok());
        assert_eq!(start.fullmoves(), 2);
    }
}
