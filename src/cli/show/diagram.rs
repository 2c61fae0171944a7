//! Draws a position as text.

use pgc::Game;
use pgc::game::Board;
use pgc_chess::NamedOpening;

use crate::args::options::ShowPieces;
use crate::show::output::counted;

/// The lines of a board diagram, with a heading and the FEN.
pub(crate) fn diagram(address: &str, game: &Game, board: &Board, show: ShowPieces) -> Vec<String> {
    let tag = |name| game.tag(name).unwrap_or("?");
    let [white, black, result] = ["White", "Black", "Result"].map(tag);
    let mut lines = vec![format!("{address}: {white} - {black}, {result}")];
    lines.extend(game.opening().map(|opening| opening_line(&opening)));
    lines.push(String::new());
    lines.extend(drawn(board, false));
    lines.push(String::new());
    let side = ["Black", "White"][usize::from(board.white_to_move)];
    let (ply, plies) = (board.ply, game.moves.len() as u64);
    lines.push(
        match board.last.as_deref().map(|last| show.respelled(last)) {
            Some(last) => format!("after {last} (ply {ply} of {plies}), {side} to move"),
            None => format!("the start (of {}), {side} to move", counted(plies, "ply")),
        },
    );
    lines.push(board.fen.clone());
    lines
}

/// `opening: B90 Sicilian Defense: Najdorf Variation (ply 10)`.
pub(crate) fn opening_line(opening: &NamedOpening) -> String {
    let NamedOpening { eco, name, ply, .. } = opening;
    format!("opening: {eco} {name} (ply {ply})")
}

/// The ranks and the files of a board.
pub(crate) fn drawn(board: &Board, is_flipped: bool) -> Vec<String> {
    let ranks = rows(board, is_flipped).into_iter();
    let ranks = ranks.map(|(rank, row)| format!("{rank} {}", row.map(figure).join(" ")));
    let mut lines: Vec<String> = ranks.collect();
    lines.push(format!("  {}", files(is_flipped).join(" ")));
    lines
}

/// The rows of the board from above, as it is seen, each with its rank.
pub(crate) fn rows(board: &Board, is_flipped: bool) -> Vec<(u8, [Option<char>; 8])> {
    let mut rows: Vec<_> = (1..=8).rev().zip(board.squares).collect();
    if is_flipped {
        rows.reverse();
        rows.iter_mut().for_each(|(_, row)| row.reverse());
    }
    rows
}

/// The files from the left, as they are seen.
pub(crate) fn files(is_flipped: bool) -> [&'static str; 8] {
    let mut files = ["a", "b", "c", "d", "e", "f", "g", "h"];
    if is_flipped {
        files.reverse();
    }
    files
}

/// The figurine of a piece; a dot for an empty square.
pub(crate) fn figure(square: Option<char>) -> String {
    let piece = square.unwrap_or('\u{b7}');
    let figures = "KQRBNPkqrbnp".chars().zip('\u{2654}'..='\u{265f}');
    let figure = figures.into_iter().find(|(letter, _)| *letter == piece);
    figure.map_or(piece, |(_, figure)| figure).to_string()
}
