//! Reads moves that are not spelled as canonical SAN (D12). spec/pgn-import.md, section 4, describes
//! the spellings as a ladder for other readers of PGN; a single reading finds the same moves.
//!
//! A text is read as `[letter] [origin file] [origin rank] [mark] destination [promotion] [e.p.]`.
//! A move fits when everything that the text says, except the mark, is true of it:
//! - no letter means a pawn; but a whole origin square without a letter means whatever stands
//!   there;
//! - a pawn without an origin file steps straight on, unless there is a capture mark: then it
//!   captures;
//! - a pawn with an origin file and no origin rank captures;
//! - the text names a promotion if and only if the move is one; but a missing piece is a queen;
//! - a whole origin square with the king on it also means castling, when the destination is the
//!   square of the rook, or the square where the king lands and that is two files away.
//!
//! If exactly one legal move fits, it is as good as if it had been spelled canonically.

use shakmaty::{CastlingSide, File, Move, Rank, Role, Square};

/// Why a token is not one legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// The token does not look like a move.
    NotAMove,
    /// The token stands for "no move": `--`, `Z0` and the like.
    Null,
    /// The token looks like a move, but no legal move fits it.
    Illegal,
    /// More than one legal move fits it.
    Ambiguous,
}

/// What a token says.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Castling(CastlingSide),
    Drop { role: Role, to: Square },
    Move(SpelledMove),
}

#[derive(Clone, Copy, Debug)]
struct SpelledMove {
    /// `None`: whatever stands on the origin.
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    marked: bool,
    to_file: File,
    /// `None`: a pawn capture by files only.
    to_rank: Option<Rank>,
    promotion: Option<Role>,
}

/// Whether a token stands for "no move".
pub(super) fn is_null(core: &[u8]) -> bool {
    matches!(
        core,
        b"--" | b"Z0" | b"z0" | b"null" | b"NULL" | b"Null" | b"pass" | b"@@@@" | b"<>" | b"0000"
    )
}

/// Finds the move among `moves` that `core`, which is not canonical SAN, means.
pub(super) fn find(core: &[u8], moves: &[Move]) -> Result<Move, Unresolved> {
    let mut outcome = Unresolved::NotAMove;
    let (mut plain, mut buffer) = ([0; LONGEST], [0; LONGEST]);
    let (core, has_figurine) = match core.is_ascii() {
        true => (core, false),
        false => in_ascii(core, &mut plain),
    };
    // A figurine stands for a capital letter: no other case is tried.
    let readings = if has_figurine { 1 } else { Case::ALL.len() };
    for case in &Case::ALL[..readings] {
        let Some(shape) = case.read(core, &mut buffer).and_then(parse) else {
            continue;
        };
        for shape in std::iter::once(shape).chain(promoted(shape)) {
            let mut fitting = moves.iter().copied().filter(|&m| fits(shape, m));
            match (fitting.next(), fitting.next()) {
                // `B1A3` may mean a bishop's move (`B1a3`) or a move from b1 (`b1a3`).
                (Some(m), None) if *case == Case::FilesSmall && means_another(core, moves, m) => {
                    return Err(Unresolved::Ambiguous);
                }
                (Some(m), None) => return Ok(m),
                (Some(_), Some(_)) => outcome = Unresolved::Ambiguous,
                (None, _) if outcome == Unresolved::NotAMove => outcome = Unresolved::Illegal,
                (None, _) => {}
            }
        }
    }
    Err(outcome)
}

/// Whether the token, with all its letters small, fits another move than `m`.
fn means_another(core: &[u8], moves: &[Move], m: Move) -> bool {
    let mut buffer = [0; LONGEST];
    let shape = Case::AllSmall.read(core, &mut buffer).and_then(parse);
    shape.is_some_and(|shape| moves.iter().any(|&other| other != m && fits(shape, other)))
}

/// The ASCII letter or sign that the character at the beginning of `text`, outside ASCII, stands
/// for, and the character's length: a figurine, a dash, or a multiplication sign (in UTF-8 or in
/// Latin-1).
pub fn stands_for(text: &[u8]) -> Option<(u8, usize)> {
    Some(match *text {
        // U+2654 to U+265F: six pieces of White, then six of Black.
        [0xe2, 0x99, figurine @ 0x94..=0x9f, ..] => {
            (b"KQRBNP"[usize::from(figurine - 0x94) % 6], 3)
        }
        // U+2010 to U+2015, and the minus sign, U+2212.
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => (b'-', 3),
        [0xc3, 0x97, ..] => (b'x', 2),
        // Before a continuation byte of UTF-8 it begins a letter.
        [0xd7, ref rest @ ..] if !matches!(rest, [0x80..=0xbf, ..]) => (b'x', 1),
        _ => return None,
    })
}

/// Replaces figurines and signs in `core` by their ASCII letters, and tells whether there is a
/// figurine. Leaves other bytes alone.
fn in_ascii<'a>(core: &[u8], plain: &'a mut [u8; LONGEST]) -> (&'a [u8], bool) {
    let (mut at, mut len, mut has_figurine) = (0, 0, false);
    while at < core.len() {
        let (byte, width) = stands_for(&core[at..]).unwrap_or((core[at], 1));
        let Some(to) = plain.get_mut(len) else {
            return (&[], has_figurine);
        };
        *to = byte;
        has_figurine |= width > 1 && byte.is_ascii_uppercase();
        (at, len) = (at + width, len + 1);
    }
    (&plain[..len], has_figurine)
}

/// The move as a promotion to a queen, if the text has a whole destination and no promotion.
fn promoted(shape: Shape) -> Option<Shape> {
    match shape {
        Shape::Move(step) if step.promotion.is_none() && step.to_rank.is_some() => {
            Some(Shape::Move(SpelledMove {
                promotion: Some(Role::Queen),
                ..step
            }))
        }
        _ => None,
    }
}

/// Room for the longest move text that can be read, `Pe7xd8=(Q)e.p.`, and a little more.
const LONGEST: usize = 16;

/// How the letters of a token are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    AsWritten,
    /// `nf3` as `Nf3`. A `b` is a file first: `bxc4`.
    PieceCapital,
    /// `NF3` as `Nf3`.
    FilesSmall,
    /// `E4` as `e4`. A capital `B` becomes a file only where the other files are capitals too.
    AllSmall,
}

impl Case {
    const ALL: [Case; 4] = {
        use Case::*;
        [AsWritten, PieceCapital, FilesSmall, AllSmall]
    };

    /// The token in this case; `None` if it cannot be read so.
    fn read<'b>(self, core: &[u8], buffer: &'b mut [u8; LONGEST]) -> Option<&'b [u8]> {
        let text = buffer.get_mut(..core.len())?;
        text.copy_from_slice(core);
        match (self, core) {
            (Case::AsWritten, _) => {}
            (Case::PieceCapital, [b'k' | b'q' | b'r' | b'b' | b'n' | b'p', ..]) => {
                text[..1].make_ascii_uppercase();
            }
            (Case::FilesSmall, _) if has_capital_files(core) => text[1..].make_ascii_lowercase(),
            (Case::AllSmall, _) if has_capital_files(core) => text.make_ascii_lowercase(),
            _ => return None,
        }
        Some(text)
    }
}

fn has_capital_files(core: &[u8]) -> bool {
    match core {
        [b'A' | b'C'..=b'H', ..] | [b'B', b'1'..=b'8', ..] => true,
        [_, rest @ ..] => rest
            .windows(2)
            .any(|pair| matches!(pair, [b'A'..=b'H', b'1'..=b'8'])),
        [] => false,
    }
}

/// Reads a token whose letters have the right case.
fn parse(text: &[u8]) -> Option<Shape> {
    if let Some(side) = parse_castling(text) {
        return Some(Shape::Castling(side));
    }
    if let Some(at) = text.iter().position(|&byte| byte == b'@') {
        return parse_drop(&text[..at], &text[at + 1..]);
    }
    let suffixes = [&b"e.p."[..], b"e.p", b"ep"];
    let bare = suffixes
        .iter()
        .find_map(|suffix| text.strip_suffix(*suffix));
    let (text, promotion) = cut_promotion(bare.unwrap_or(text));
    let (rest, to_file, to_rank) = match *text {
        [ref rest @ .., f @ b'a'..=b'h', r @ b'1'..=b'8'] => (rest, file(f)?, rank(r)),
        [ref rest @ .., f @ b'a'..=b'h'] if promotion.is_none() => (rest, file(f)?, None),
        _ => return None,
    };
    let (rest, marked) = match *rest {
        [ref rest @ .., b'x' | b':'] => (rest, true),
        [ref rest @ .., b'-'] if !rest.is_empty() => (rest, false),
        _ => (rest, false),
    };
    let (role, file, rank) = parse_origin(rest)?;
    // Without a rank only the two files of a pawn's capture say enough.
    if to_rank.is_none() && (role != Some(Role::Pawn) || file.is_none()) {
        return None;
    }
    Some(Shape::Move(SpelledMove {
        role,
        file,
        rank,
        marked,
        to_file,
        to_rank,
        promotion,
    }))
}

/// Reads what stands before the mark: the role (`None`: whatever stands on the origin), file and
/// rank of the origin.
fn parse_origin(text: &[u8]) -> Option<(Option<Role>, Option<File>, Option<Rank>)> {
    let (letter, rest) = match *text {
        [letter, ref rest @ ..] if let Some(role) = piece(letter) => (Some(role), rest),
        _ => (None, text),
    };
    let (file, rank) = match *rest {
        [] => (None, None),
        [f @ b'a'..=b'h'] => (file(f), None),
        [r @ b'1'..=b'8'] => (None, rank(r)),
        [f @ b'a'..=b'h', r @ b'1'..=b'8'] => (file(f), rank(r)),
        _ => return None,
    };
    match (letter, file, rank) {
        (None, None, Some(_)) => None,
        (None, _, None) => Some((Some(Role::Pawn), file, rank)),
        _ => Some((letter, file, rank)),
    }
}

fn file(byte: u8) -> Option<File> {
    File::try_from(byte.wrapping_sub(b'a')).ok()
}

fn rank(byte: u8) -> Option<Rank> {
    Rank::try_from(byte.wrapping_sub(b'1')).ok()
}

fn piece(letter: u8) -> Option<Role> {
    Role::from_char(letter.into()).filter(|_| letter.is_ascii_uppercase())
}

/// Two or three of `O`, `0`, `o`, with dashes between all of them or none.
fn parse_castling(text: &[u8]) -> Option<CastlingSide> {
    let is_o = |byte: &u8| matches!(byte, b'O' | b'0' | b'o');
    let side = match *text {
        [a, b'-', b] | [a, b] if [a, b].iter().all(is_o) => CastlingSide::KingSide,
        [a, b'-', b, b'-', c] | [a, b, c] if [a, b, c].iter().all(is_o) => CastlingSide::QueenSide,
        _ => return None,
    };
    Some(side)
}

fn parse_drop(letter: &[u8], square: &[u8]) -> Option<Shape> {
    let role = match *letter {
        [] => Role::Pawn,
        [letter] => piece(letter)?,
        _ => return None,
    };
    let to = Square::from_ascii(square).ok()?;
    Some(Shape::Drop { role, to })
}

/// Cuts off the promotion at the end, which must follow a rank.
fn cut_promotion(text: &[u8]) -> (&[u8], Option<Role>) {
    let (rest, letter) = match *text {
        [ref rest @ .., b'=', b'(', p, b')'] | [ref rest @ .., b'(', p, b')'] => (rest, p),
        [ref rest @ .., b'=' | b'/', p] | [ref rest @ .., p] => (rest, p),
        [] => return (text, None),
    };
    let role = piece(letter.to_ascii_uppercase()).filter(|&role| role != Role::Pawn);
    match (rest.last(), role) {
        (Some(b'1'..=b'8'), Some(role)) => (rest, Some(role)),
        _ => (text, None),
    }
}

fn fits(shape: Shape, m: Move) -> bool {
    match (shape, m) {
        (Shape::Castling(side), _) => m.castling_side() == Some(side),
        (Shape::Drop { role, to }, Move::Put { role: r, to: t }) => role == r && to == t,
        (
            Shape::Move(step),
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            },
        ) => step.fits(role, from, to, m.is_capture(), promotion),
        (Shape::Move(step), Move::EnPassant { from, to }) => {
            step.fits(Role::Pawn, from, to, true, None)
        }
        (Shape::Move(step), Move::Castle { king, rook }) => step.castles(king, rook),
        _ => false,
    }
}

impl SpelledMove {
    fn fits(
        &self,
        role: Role,
        from: Square,
        to: Square,
        is_capture: bool,
        promotion: Option<Role>,
    ) -> bool {
        let said = self.role.is_none_or(|r| r == role)
            && self.file.is_none_or(|f| f == from.file())
            && self.rank.is_none_or(|r| r == from.rank())
            && self.to_file == to.file()
            && self.to_rank.is_none_or(|r| r == to.rank())
            && self.promotion == promotion;
        // A pawn's text means what it leaves out: `d5` never captures, `ed5` never steps straight
        // on.
        let as_pawn = match (self.role, self.file, self.rank) {
            (Some(Role::Pawn), None, _) => is_capture == self.marked,
            (Some(Role::Pawn), Some(_), None) => is_capture,
            _ => true,
        };
        said && as_pawn
    }

    fn castles(&self, king: Square, rook: Square) -> bool {
        let (Some(file), Some(rank), Some(to_rank)) = (self.file, self.rank, self.to_rank) else {
            return false;
        };
        let to = Square::from_coords(self.to_file, to_rank);
        let lands = CastlingSide::from_queen_side(rook < king).king_to_file();
        Square::from_coords(file, rank) == king
            && self.role.is_none_or(|role| role == Role::King)
            && self.promotion.is_none()
            && (to == rook
                || (to == Square::from_coords(lands, king.rank())
                    && to.file().distance(king.file()) == 2))
    }
}
