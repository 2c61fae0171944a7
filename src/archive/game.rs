//! A game of an archive, as the library returns it.

use crate::games::walk::BlockGames;
use crate::movetext::{Movetext, PlayedMove, text};
use crate::run::Error;
use pgc_chess::{NamedOpening, Position, known_start, named_opening};
use pgc_pgn::epd::game::GamePositions;
use pgc_pgn::game::{ElemKind, ParsedGames, Wholeness};
use pgc_pgn::writer::Termination;

/// A game.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Game {
    /// The number of the game in the archive, from 1.
    pub number: u64,
    /// Name and unescaped value of each tag pair, in the order of the source, decoded as UTF-8 or
    /// else as Latin-1.
    pub tags: Vec<(String, String)>,
    /// The text as it was written, byte for byte; in a stream of another program, in export format
    /// and UTF-8; for a line of EPD, as PGN.
    pub pgn: Vec<u8>,
    /// The main line, up to the first move that is not legal, with its annotations. Null moves are
    /// moves here.
    pub moves: Vec<PlayedMove>,
    /// The comments before the first move; all comments, if there is no move.
    pub comments: Vec<String>,
    /// The NAGs before the first move; all NAGs, if there is no move.
    pub nags: Vec<u32>,
    /// The start position as FEN; `None` for the standard one, and for one that cannot be used
    /// (then there are no moves).
    pub start: Option<String>,
    /// The terminator.
    pub termination: Option<Termination>,
    /// Whether the main line is all legal moves, ends in text, or is only text.
    pub wholeness: Wholeness,
    /// The text at the end of the main line, from the first move that is not legal.
    pub tail: Option<String>,
    /// The ordinals of the main line; null moves have none.
    ordinals: Vec<Option<u8>>,
}

/// A position, as FEN and square by square.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Board {
    /// The position as FEN.
    pub fen: String,
    /// The pieces, as FEN's letters, rank by rank from the eighth, each from the a-file; `None` is
    /// an empty square.
    pub squares: [[Option<char>; 8]; 8],
    /// Whether White is to move.
    pub white_to_move: bool,
    /// The number of plies played.
    pub ply: usize,
    /// The last move, with its number: `12... Nf6`.
    pub last: Option<String>,
}

impl Game {
    /// The current game of `games`, without its text.
    pub(crate) fn new(games: &BlockGames<'_>) -> Result<Game, Error> {
        let data = games.game();
        let read = data.game();
        let tags = data.tags();
        let tags = tags.map(|(name, value)| (text(name), text(value)));
        let mut game = Game {
            number: games.number(),
            tags: tags.collect(),
            termination: Termination::from_number(read.terminator()),
            wholeness: read.wholeness,
            tail: read.tail(data.text()).map(text),
            ..Game::default()
        };
        let start = known_start(data.tags()).ok();
        if data.tag(b"FEN").is_some() || data.tag(b"Variant").is_some() {
            let fen = start.as_ref().map(Position::fen);
            game.start = fen.filter(|fen| *fen != Position::initial().fen());
        }
        let movetext = Movetext::read(data.text(), &read, start).map_err(|ordinal| {
            let what = format!("0x{ordinal:02x}: no legal move has this ordinal");
            games.fault("move ordinal", what)
        })?;
        game.take(movetext);
        game.ordinals = read.main_moves().collect();
        Ok(game)
    }

    fn take(&mut self, movetext: Movetext) {
        self.moves = movetext.moves;
        self.comments = movetext.comments;
        self.nags = movetext.nags;
    }

    /// Takes lines of play with null moves, which are text in the records (D35), from the text of the
    /// game.
    pub(crate) fn take_null_moves(&mut self) {
        let mut games = ParsedGames::with_null_moves(None);
        let Some(game) = games.read_one(&self.pgn) else {
            return;
        };
        if let (true, Ok(start)) = (
            game.kinds.any(&[ElemKind::Null]),
            known_start(self.tag_bytes()),
        ) && let Ok(movetext) = Movetext::read(&self.pgn, &game, Some(start))
        {
            self.tail = game.tail(&self.pgn).map(text);
            self.ordinals = game.main_moves().collect();
            self.take(movetext);
        }
    }

    /// The value of the last tag pair with this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().rfind(|tag| tag.0 == name);
        tag.map(|tag| tag.1.as_str())
    }

    /// The positions of the main line, for EPD; `None` if the start position cannot be used.
    /// `address` is what `id` says of a game whose tags say nothing.
    pub fn positions(&self, address: &str) -> Option<GamePositions> {
        let tags: Vec<_> = self.tag_bytes().collect();
        GamePositions::from_moves(&tags, self.ordinals.clone(), address)
    }

    fn tag_bytes(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        let pairs = self.tags.iter();
        pairs.map(|(name, value)| (name.as_bytes(), value.as_bytes()))
    }

    /// The opening that the game reached: the name of the last position of its main line that has
    /// one, among the first 40 plies; `None` if there is none, or under other rules than those of
    /// chess.
    ///
    /// # Examples
    /// ```
    /// # use pgc::{NoHooks, PackOptions};
    /// # use pgc::pack;
    /// # use pgc::Archive;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("x.pgc");
    /// # let mut bytes = Vec::new();
    /// # pack(&mut &b"1. Nf3 Nc6 2. e4 e5 3. Bb5 Kf8 *"[..], "x.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
    /// # std::fs::write(&path, bytes)?;
    /// let game = Archive::open(&path)?.game(1)?;
    /// let opening = game.opening().expect("the moves 1. Nf3 Nc6 2. e4 e5 3. Bb5");
    /// assert_eq!((opening.eco, opening.name, opening.ply), ("C60", "Ruy Lopez", 5));
    /// # Ok::<(), pgc::Error>(())
    /// ```
    pub fn opening(&self) -> Option<NamedOpening> {
        let ordinals: Vec<u8> = self.ordinals.iter().map_while(|&ordinal| ordinal).collect();
        named_opening(self.tag_bytes(), &ordinals)
    }

    /// The position after `ply` plies of the main line; `None` if there are not so many, or the
    /// start position cannot be used.
    ///
    /// # Examples
    /// ```
    /// # use pgc::{NoHooks, PackOptions};
    /// # use pgc::pack;
    /// # use pgc::Archive;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("x.pgc");
    /// # let mut bytes = Vec::new();
    /// # pack(&mut &b"1. e4 e5 *"[..], "x.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
    /// # std::fs::write(&path, bytes)?;
    /// let game = Archive::open(&path)?.game(1)?;
    /// let board = game.board(2).expect("the game has two plies");
    /// assert_eq!(board.fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    /// assert_eq!(board.squares[4][4], Some('P'));
    /// assert_eq!(board.last.as_deref(), Some("1... e5"));
    /// assert!(game.board(3).is_none());
    /// # Ok::<(), pgc::Error>(())
    /// ```
    pub fn board(&self, ply: usize) -> Option<Board> {
        self.board_after(self.moves.get(..ply)?)
    }

    /// The position after these moves from the start; `None` if the start position cannot be used, or
    /// a move is illegal.
    pub fn board_after<'m>(&self, line: impl IntoIterator<Item = &'m PlayedMove>) -> Option<Board> {
        let mut position = known_start(self.tag_bytes()).ok()?;
        let (mut last, mut ply) = (None, 0);
        for played in line {
            let dots = if position.white_to_move() { "." } else { "..." };
            last = Some((position.fullmoves(), dots, &played.san));
            played.again(&mut position)?;
            ply += 1;
        }
        let fen = position.fen();
        Some(Board {
            squares: squares(&fen),
            white_to_move: position.white_to_move(),
            ply,
            last: last.map(|(number, dots, san)| format!("{number}{dots} {san}")),
            fen,
        })
    }
}

/// Parses the first field of a FEN into squares. The mark of promoted pieces (`Q~`) is dropped, and
/// so are the pieces in hand (`[...]`).
fn squares(fen: &str) -> [[Option<char>; 8]; 8] {
    let mut squares = [[None; 8]; 8];
    let placement = fen.split([' ', '[']).next().unwrap_or_default();
    for (rank, row) in squares.iter_mut().zip(placement.split('/')) {
        let mut file = 0;
        for c in row.chars() {
            if let Some(empty) = c.to_digit(10) {
                file += usize::try_from(empty).unwrap_or(8);
            } else if c.is_ascii_alphabetic() {
                if let Some(square) = rank.get_mut(file) {
                    *square = Some(c);
                }
                file += 1;
            }
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_a_fen() {
        let squares = squares("r3k2r/8/8/3pP3/8/8/PP1Q~4/4K2R[Pn] w Kkq - 0 1");
        assert_eq!(
            squares[0],
            [
                Some('r'),
                None,
                None,
                None,
                Some('k'),
                None,
                None,
                Some('r')
            ]
        );
        assert_eq!(
            (squares[3][3], squares[3][4], squares[6][3]),
            (Some('p'), Some('P'), Some('Q'))
        );
        assert_eq!(
            squares[7],
            [None, None, None, None, Some('K'), None, None, Some('R')]
        );
    }
}
