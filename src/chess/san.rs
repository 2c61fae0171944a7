//! Canonical SAN (PGN 1994, 8.2.3), both ways, for chess and Chess960.

use std::fmt;
use std::ops::Deref;

use shakmaty::{Bitboard, CastlingSide, Move, Role, Square};

use super::ordinal::{PROMOTIONS, rank_castling, rank_piece, rank_plain_pawn, read_special_pawn};
use super::pawns::origin;
use super::shared::Disambiguation;
use super::squares::{BACKRANKS, file_of, on_file, on_rank, rank_of, turned};
use super::standard::{BoardMove, MoveKind, PlainMove, Standard};

/// A move as text, in SAN or in the notation of UCI. It reads as a `str`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SanText {
    // Unused bytes are 0, so that comparing the arrays compares the texts.
    bytes: [u8; 8],
    len: u8,
}

impl SanText {
    /// The text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The text, all of ASCII.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Appends the text to `out`.
    #[inline(always)]
    pub fn put(&self, out: &mut Vec<u8>) {
        // A copy of known length is one instruction.
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }

    /// Appends one byte. There is room for the longest SAN, `Qa1xb2` or `axb8=Q`, and a check mark;
    /// a ninth byte is dropped.
    #[inline(always)]
    pub fn push(&mut self, byte: u8) {
        // As one number, so that it stays in a register.
        let bits =
            u64::from_le_bytes(self.bytes) | u64::from(byte).unbounded_shl(8 * u32::from(self.len));
        self.bytes = bits.to_le_bytes();
        self.len = (self.len + 1).min(8);
    }

    /// Each byte changed.
    pub fn map(mut self, change: impl Fn(u8) -> u8) -> SanText {
        let bytes = &mut self.bytes[..usize::from(self.len)];
        bytes.iter_mut().for_each(|byte| *byte = change(*byte));
        self
    }
}

impl From<&str> for SanText {
    fn from(text: &str) -> SanText {
        let mut made = SanText::default();
        text.bytes().for_each(|byte| made.push(byte));
        made
    }
}

impl Deref for SanText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for SanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl PartialEq<&str> for SanText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

/// A text that is built from its end: one number, which stays in a register.
struct BackwardText {
    bits: u64,
    len: u8,
}

impl BackwardText {
    #[inline(always)]
    fn from_square(sq: Square) -> BackwardText {
        BackwardText {
            bits: u64::from(rank_byte(sq)) << 8 | u64::from(file_byte(sq)),
            len: 2,
        }
    }

    /// Puts a byte in front if `is_there`.
    #[inline(always)]
    fn lead(&mut self, byte: u8, is_there: bool) {
        self.bits = if is_there {
            self.bits << 8 | u64::from(byte)
        } else {
            self.bits
        };
        self.len += u8::from(is_there);
    }

    #[inline(always)]
    fn text(self) -> SanText {
        SanText {
            bytes: self.bits.to_le_bytes(),
            len: self.len,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a file is less than 8")]
fn file_byte(sq: Square) -> u8 {
    b'a' + file_of(sq) as u8
}

#[expect(clippy::cast_possible_truncation, reason = "a rank is less than 8")]
fn rank_byte(sq: Square) -> u8 {
    b'1' + rank_of(sq) as u8
}

/// The letter of a piece.
fn letter(role: Role) -> u8 {
    b"?PNBRQK"[role as usize]
}

/// The canonical SAN of a legal move.
pub(super) fn write(view: &Standard, board_move: BoardMove) -> SanText {
    let BoardMove { role, from, to, .. } = board_move;
    let named = match role {
        Role::Pawn | Role::King => Disambiguation::default(),
        _ => Disambiguation::among(view.movers(role, to), from),
    };
    spell(board_move, view.them.contains(to), named)
}

/// The SAN of a drop: `N@f3`, `@e4`.
pub(super) fn spell_drop(role: Role, to: Square) -> SanText {
    let mut tail = BackwardText::from_square(to);
    tail.lead(b'@', true);
    tail.lead(letter(role), role != Role::Pawn);
    tail.text()
}

/// The SAN of a move with this disambiguation. `lands_on_enemy`: whether an enemy piece stands on
/// its destination.
pub(super) fn spell(board_move: BoardMove, lands_on_enemy: bool, named: Disambiguation) -> SanText {
    let BoardMove {
        role,
        from,
        to,
        promotion,
        kind,
    } = board_move;
    match kind {
        MoveKind::Castling => match board_move.side() {
            CastlingSide::KingSide => SanText {
                bytes: *b"O-O\0\0\0\0\0",
                len: 3,
            },
            CastlingSide::QueenSide => SanText {
                bytes: *b"O-O-O\0\0\0",
                len: 5,
            },
        },
        MoveKind::Normal | MoveKind::EnPassant => {
            let is_capture = lands_on_enemy || kind == MoveKind::EnPassant;
            let mut text = spell_plain(PlainMove { role, from, to }, is_capture, named);
            if let Some(role) = promotion {
                text.push(b'=');
                text.push(letter(role));
            }
            text
        }
    }
}

/// The SAN of a plain move with this disambiguation.
#[inline(always)]
pub(super) fn spell_plain(plain: PlainMove, is_capture: bool, named: Disambiguation) -> SanText {
    let PlainMove { role, from, to } = plain;
    // Built from the end, because only the destination is always there.
    let mut tail = BackwardText::from_square(to);
    tail.lead(b'x', is_capture);
    if role == Role::Pawn {
        tail.lead(file_byte(from), is_capture);
    } else {
        tail.lead(rank_byte(from), named.rank);
        tail.lead(file_byte(from), named.file);
        tail.lead(letter(role), true);
    }
    tail.text()
}

/// The square that two bytes name.
#[inline]
fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    if file < 8 && rank < 8 {
        Square::try_from(8 * file + rank).ok()
    } else {
        None
    }
}

#[inline]
fn file(byte: u8) -> Option<Bitboard> {
    let file = usize::from(byte.wrapping_sub(b'a'));
    (file < 8).then(|| on_file(file))
}

#[inline]
fn rank(byte: u8) -> Option<Bitboard> {
    let rank = usize::from(byte.wrapping_sub(b'1'));
    (rank < 8).then(|| on_rank(rank))
}

/// The move whose canonical SAN is exactly `text`, and its ordinal.
pub(super) fn read(view: &Standard, text: &[u8]) -> Option<(BoardMove, usize)> {
    match read_plain(view, text) {
        Some((plain, ordinal)) => Some((plain.into(), ordinal)),
        None => read_special(view, text),
    }
}

/// The plain move whose canonical SAN is exactly `text`, and its ordinal. `None` for every pawn
/// move where some pawn can promote or take en passant.
///
/// Nearly every ply takes this path: no list, no string, and the masks that find the move also rank
/// it.
#[inline(always)]
pub(super) fn read_plain(view: &Standard, text: &[u8]) -> Option<(PlainMove, usize)> {
    // The kind of piece is unpredictable, so one piece of code serves them all.
    match ROLES[usize::from(*text.first()?)]? {
        Role::Pawn => read_pawn(view, text),
        role => read_piece(view, role, text),
    }
}

/// The castling or pawn move whose canonical SAN is exactly `text`, and its ordinal.
pub(super) fn read_special(view: &Standard, text: &[u8]) -> Option<(BoardMove, usize)> {
    match *text.first()? {
        b'O' => read_castling(view, text),
        b'a'..=b'h' => read_special_pawn(view, text),
        _ => None,
    }
}

/// The kind of piece that moves, by the first letter of its SAN; `None` for castling.
static ROLES: [Option<Role>; 256] = {
    let mut table = [None; 256];
    let mut byte = b'a';
    while byte <= b'h' {
        table[byte as usize] = Some(Role::Pawn);
        byte += 1;
    }
    table[b'N' as usize] = Some(Role::Knight);
    table[b'B' as usize] = Some(Role::Bishop);
    table[b'R' as usize] = Some(Role::Rook);
    table[b'Q' as usize] = Some(Role::Queen);
    table[b'K' as usize] = Some(Role::King);
    table
};

/// The pawn move that `text` spells, where no pawn can promote or take en passant.
#[inline(always)]
fn read_pawn(view: &Standard, text: &[u8]) -> Option<(PlainMove, usize)> {
    let (to, is_capture) = match *text {
        [f, r] => (square(f, r)?, false),
        [_, b'x', f, r] => (square(f, r)?, true),
        _ => return None,
    };
    let pawns = view.pawns();
    if pawns.is_special() {
        return None;
    }
    // Branch-free: whether it is a single step, a double step or a capture is unpredictable.
    let file = square(text[0], b'1')?;
    let from = origin(view, to, file);
    let across = file_of(to).wrapping_sub(file_of(file));
    let ends = if across == 1 { pawns.right } else { pawns.left };
    let ends = if is_capture { ends } else { pawns.push };
    let is_near = (across.wrapping_add(1) <= 2) & (is_capture != (across == 0));
    (is_near & ends.contains(to)).then(|| {
        (
            PlainMove {
                role: Role::Pawn,
                from,
                to,
            },
            rank_plain_pawn(view, &pawns, from, to),
        )
    })
}

#[inline(always)]
fn read_piece(view: &Standard, role: Role, text: &[u8]) -> Option<(PlainMove, usize)> {
    let [.., before, f, r] = *text else {
        return None;
    };
    let to = square(f, r)?;
    let is_capture = before == b'x';
    let movers = view.movers(role, to);
    let from = if text.len() == 3 + usize::from(is_capture) {
        movers.single_square()?
    } else {
        named_origin(movers, &text[1..text.len() - 2 - usize::from(is_capture)])?
    };
    (is_capture == view.them.contains(to)).then(|| {
        (
            PlainMove { role, from, to },
            rank_piece(view, role, from, to),
        )
    })
}

/// The piece among `movers` that `origin` names, if it is the disambiguation that SAN demands.
#[inline(never)]
fn named_origin(movers: Bitboard, origin: &[u8]) -> Option<Square> {
    let (from, named) = match *origin {
        [f @ b'a'..=b'h'] => ((movers & file(f)?).single_square()?, Disambiguation::FILE),
        [r] => ((movers & rank(r)?).single_square()?, Disambiguation::RANK),
        [f, r] => (
            square(f, r).filter(|&sq| movers.contains(sq))?,
            Disambiguation::BOTH,
        ),
        _ => return None,
    };
    (named == Disambiguation::among(movers, from)).then_some(from)
}

fn read_castling(view: &Standard, text: &[u8]) -> Option<(BoardMove, usize)> {
    let side = match text {
        b"O-O" => CastlingSide::KingSide,
        b"O-O-O" => CastlingSide::QueenSide,
        _ => return None,
    };
    let board_move = view.castling(side)?;
    Some((board_move, rank_castling(view, side)))
}

/// The move that the notation of UCI means, if it is legal; castling is the king's move.
pub(super) fn read_coordinates(position: &Standard, text: &[u8]) -> Option<BoardMove> {
    let (from, to, promotion) = match *text {
        [a, b, c, d] => (square(a, b)?, square(c, d)?, None),
        [a, b, c, d, e] => {
            let role = PROMOTIONS
                .into_iter()
                .find(|&role| letter(role).to_ascii_lowercase() == e)?;
            (square(a, b)?, square(c, d)?, Some(role))
        }
        _ => return None,
    };
    let role = position
        .role_at(from)
        .filter(|_| position.us.contains(from))?;
    let promotes = role == Role::Pawn && BACKRANKS.contains(to);
    if promotion.is_some() != promotes {
        return None;
    }
    if role == Role::King {
        let sides = [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter();
        let castling = sides
            .filter(|side| turned(side.king_to(position.turn)) == to)
            .find_map(|side| position.castling(side));
        if castling.is_some() {
            return castling;
        }
    }
    let is_passing =
        role == Role::Pawn && position.passed == Some(to) && file_of(from) != file_of(to);
    Some(BoardMove {
        promotion,
        kind: if is_passing {
            MoveKind::EnPassant
        } else {
            MoveKind::Normal
        },
        ..BoardMove::new(role, from, to)
    })
}

/// A move of chess in the notation of UCI: `e2e4`, `e7e8q`. Castling is the king's move, `e1g1`.
pub fn coordinates(m: Move) -> SanText {
    let mut text = SanText::default();
    let to = match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => m.to(),
    };
    for square in m.from().into_iter().chain([to]).map(turned) {
        text.push(file_byte(square));
        text.push(rank_byte(square));
    }
    if let Some(role) = m.promotion() {
        text.push(letter(role).to_ascii_lowercase());
    }
    text
}
