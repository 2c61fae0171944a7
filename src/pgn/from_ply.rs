//! Cuts off the first moves of a game, for `pgc find --from-match`.

use std::ops::Range;

use super::game::{Elem, ElemKind, ParsedGame, ParsedGames};
use pgc_chess::{EpSquare, Position, start_position};

/// The game from the position after the first `ply` plies of its main line on. Its tag pairs stay,
/// with SetUp and FEN for that position (section 9.7 of the standard) and a PlyCount of what is
/// left; so do the comments between the last of those plies and the next one, and the rest as it is
/// written. `None`: nothing is cut off, since the game has fewer plies or `ply` is 0.
pub fn from_ply(text: &[u8], ply: usize) -> Option<Vec<u8>> {
    let mut games = ParsedGames::default();
    games.read_game(text, true).ok()?;
    let game = games.last().filter(|_| ply > 0)?;
    let tags: Vec<_> = game.tag_pairs(text).collect();
    let tags = tags.iter().map(|(name, value)| (*name, &**value));
    let mut position = start_position(tags).ok()?;
    let plies = game.main_line().count();
    let mut main_line = game.main_line();
    for _ in 0..ply {
        position.play_ordinal(main_line.next()?)?;
    }
    let eol = if text.contains(&b'\r') { "\r\n" } else { "\n" };
    // A game of the standard has the square after each double step (16.1.3.4).
    let fen = position.fen_with(EpSquare::Always);
    let mut out = tag_section(text, &game, eol, &fen, plies - ply);
    let mut rest = game.main_elems();
    let mut left = ply;
    while left > 0 {
        left -= usize::from(rest.next()?.kind == ElemKind::Move);
    }
    put_movetext(&mut out, text, rest, eol, &position);
    Some(out)
}

/// The tag section as it is written, with new values of SetUp, FEN and PlyCount. Adds SetUp and FEN
/// where they are missing.
fn tag_section(text: &[u8], game: &ParsedGame<'_>, eol: &str, fen: &str, plies: usize) -> Vec<u8> {
    let plies = plies.to_string();
    let new = [("SetUp", "1"), ("FEN", fen), ("PlyCount", &plies)];
    let value_of = |name: Range<usize>| {
        let named = new
            .iter()
            .find(|new| new.0.as_bytes() == &text[name.clone()]);
        named.map(|new| new.1)
    };
    let (mut out, mut copied) = (Vec::with_capacity(text.len()), 0);
    for tag in game.tags {
        if let Some(value) = value_of(tag.name.clone()) {
            out.extend_from_slice(&text[copied..tag.value.start]);
            out.extend_from_slice(value.as_bytes());
            copied = tag.value.end;
        }
    }
    out.extend_from_slice(&text[copied..game.tags_end()]);
    for (name, value) in &new[..2] {
        let mut names = game.tags.iter().map(|tag| &text[tag.name.clone()]);
        if !names.any(|known| known == name.as_bytes()) {
            let before = if out.is_empty() { "" } else { eol };
            out.extend_from_slice(format!("{before}[{name} \"{value}\"]").as_bytes());
        }
    }
    out
}

/// Appends the movetext from `position` on; `rest` are the elements of the main line behind the
/// last move that is cut off.
fn put_movetext<'g>(
    out: &mut Vec<u8>,
    text: &[u8],
    rest: impl Iterator<Item = &'g Elem>,
    eol: &str,
    position: &Position,
) {
    out.extend_from_slice(eol.repeat(2).as_bytes());
    for elem in rest {
        let behind = match elem.kind {
            ElemKind::Brace => " ",
            ElemKind::Line => eol,
            // A glyph belongs to the last move that is cut off. `%` lines are dropped too.
            ElemKind::Nag | ElemKind::Escape => continue,
            kind => {
                if kind == ElemKind::Move {
                    let dots = if position.white_to_move() { "." } else { "..." };
                    let number = format!("{}{dots} ", position.fullmoves());
                    out.extend_from_slice(number.as_bytes());
                }
                return out.extend_from_slice(&text[elem.start as usize..]);
            }
        };
        out.extend_from_slice(&text[elem.span()]);
        out.extend_from_slice(behind.as_bytes());
    }
    out.extend_from_slice(eol.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::from_ply;

    const GAME: &str = "[White \"A\"]\n[PlyCount \"5\"]\n\n{Before} 1. e4 $1 e5 2. Nf3!? $14 (2. f4 {no}) {now} Nc6 (2... d6) 3. Bb5 1-0\n\n";

    fn cut(text: &str, ply: usize) -> Option<String> {
        from_ply(text.as_bytes(), ply).map(|cut| String::from_utf8_lossy(&cut).into_owned())
    }

    #[test]
    fn the_first_moves_are_cut_off() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
        assert_eq!(
            cut(GAME, 3).unwrap(),
            format!(
                "[White \"A\"]\n[PlyCount \"2\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n\
                 {{now}} 2... Nc6 (2... d6) 3. Bb5 1-0\n\n"
            )
        );
        let all = cut(GAME, 5).unwrap();
        assert!(
            all.ends_with(" b kq - 3 3\"]\n\n1-0\n\n") || all.ends_with("KQkq - 3 3\"]\n\n1-0\n\n"),
            "{all}"
        );
        assert_eq!((cut(GAME, 0), cut(GAME, 6)), (None, None));
    }

    #[test]
    fn a_start_of_its_own_is_replaced() {
        let text = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 7\"]\r\n[SetUp \"1\"]\r\n\r\n7. e4 ; so\r\n7... Kd7 *\r\n";
        assert_eq!(
            cut(text, 1).unwrap(),
            "[FEN \"4k3/8/8/8/4P3/8/8/4K3 b - e3 0 7\"]\r\n[SetUp \"1\"]\r\n\r\n; so\r\n7... Kd7 *\r\n"
        );
    }

    #[test]
    fn a_game_without_tags_gets_two() {
        assert_eq!(
            cut("1. d4 d5", 2).unwrap(),
            "[SetUp \"1\"]\n[FEN \"rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq d6 0 2\"]\n\n\n"
        );
    }
}
