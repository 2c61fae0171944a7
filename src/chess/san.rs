//! Canonical SAN (PGN 1994, 8.2.3), both ways, for chess and Chess960.

use shakmaty::{Bitboard, CastlingSide, File, Move, Role, Square};

use super::ordinal::{Named, PROMOTIONS, pawn_origins, rank_castling, rank_king, rank_pawn, rank_piece};
use super::squares::{BACKRANKS, file_of, on_file, on_rank, rank_of, turned};
use super::standard::{Standard, Step, StepKind};

/// A move as canonical SAN, without `+` or `#`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SanText {
    // Unused bytes are 0, so that comparing the arrays compares the texts.
    bytes: [u8; 8],
    len: u8,
}

impl SanText {
    /// The text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The SAN that the first `len` bytes of a text are known to be; `None` if there are not so many, or SAN is never so long.
    #[inline(always)]
    pub(crate) fn at_start(text: &[u8], len: usize) -> Option<SanText> {
        let bits = match text.first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => text.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        };
        let known = !u64::MAX.unbounded_shl(8 * u32::try_from(len).ok()?);
        let len = u8::try_from(len).ok().filter(|len| *len <= 8 && usize::from(*len) <= text.len())?;
        Some(SanText { bytes: (bits & known).to_le_bytes(), len })
    }

    /// Appends it.
    #[inline(always)]
    pub fn put(&self, out: &mut Vec<u8>) {
        // A copy of known length is one instruction.
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }

    /// Appends one byte; the longest SAN, `Qa1xb2` or `axb8=Q`, leaves room for a check mark. What is too much is lost.
    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8) {
        // As one number, so that it stays in a register.
        let bits = u64::from_le_bytes(self.bytes) | u64::from(byte).unbounded_shl(8 * u32::from(self.len));
        self.bytes = bits.to_le_bytes();
        self.len = (self.len + 1).min(8);
    }

    /// Puts a byte in front, if so.
    #[inline(always)]
    fn lead(&mut self, byte: u8, is_there: bool) {
        let bits = u64::from_le_bytes(self.bytes);
        let bits = if is_there { bits << 8 | u64::from(byte) } else { bits };
        self.bytes = bits.to_le_bytes();
        self.len += u8::from(is_there);
    }

    #[inline(always)]
    fn of_square(sq: Square) -> SanText {
        SanText { bytes: [file_byte(sq), rank_byte(sq), 0, 0, 0, 0, 0, 0], len: 2 }
    }

    fn push_square(&mut self, sq: Square) {
        self.push(file_byte(sq));
        self.push(rank_byte(sq));
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
    match role {
        Role::Pawn => b'P',
        Role::Knight => b'N',
        Role::Bishop => b'B',
        Role::Rook => b'R',
        Role::Queen => b'Q',
        Role::King => b'K',
    }
}

/// The canonical SAN of a legal move.
pub(super) fn write(view: &Standard, step: Step) -> SanText {
    let Step { role, from, to, .. } = step;
    let named = match role {
        Role::Pawn | Role::King => Named::default(),
        _ => Named::of(view.movers(role, to), from),
    };
    spell(step, view.them.contains(to), named)
}

/// The SAN of a drop: `N@f3`, `@e4`.
pub(super) fn spell_drop(role: Role, to: Square) -> SanText {
    let mut text = SanText::of_square(to);
    text.lead(b'@', true);
    text.lead(letter(role), role != Role::Pawn);
    text
}

/// The SAN of a move that names so much of its origin, and that lands on an enemy piece or does not.
#[inline(always)]
pub(super) fn spell(step: Step, lands_on_enemy: bool, named: Named) -> SanText {
    let Step { role, from, to, promotion, kind } = step;
    if kind == StepKind::Castling {
        let mut text = SanText::default();
        let castling: &[u8] = if step.side().is_queen_side() { b"O-O-O" } else { b"O-O" };
        castling.iter().for_each(|&byte| text.push(byte));
        return text;
    }
    // From its end, which is always there.
    let mut text = SanText::of_square(to);
    let is_capture = lands_on_enemy || kind == StepKind::EnPassant;
    text.lead(b'x', is_capture);
    if role != Role::Pawn {
        text.lead(rank_byte(from), named.rank);
        text.lead(file_byte(from), named.file);
        text.lead(letter(role), true);
        return text;
    }
    text.lead(file_byte(from), is_capture);
    if let Some(role) = promotion {
        text.push(b'=');
        text.push(letter(role));
    }
    text
}

/// The square that two bytes name.
#[inline]
fn square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    if file < 8 && rank < 8 { Square::try_from(8 * file + rank).ok() } else { None }
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
///
/// This is the way nearly every ply takes: no list, no string, and the masks that find the move also rank it.
#[inline(always)]
pub(super) fn read(view: &Standard, text: &[u8]) -> Option<(Step, usize)> {
    match *text.first()? {
        b'a'..=b'h' => read_pawn(view, text),
        b'N' => read_piece(view, Role::Knight, &text[1..]),
        b'B' => read_piece(view, Role::Bishop, &text[1..]),
        b'R' => read_piece(view, Role::Rook, &text[1..]),
        b'Q' => read_piece(view, Role::Queen, &text[1..]),
        b'K' => read_king(view, &text[1..]),
        b'O' => read_castling(view, text),
        _ => None,
    }
}

#[inline(always)]
fn read_pawn(view: &Standard, text: &[u8]) -> Option<(Step, usize)> {
    let (origin, to, promotion) = match *text {
        [f, r] => (f, square(f, r)?, None),
        [f, b'x', g, r] => (f, square(g, r)?, None),
        [f, r, b'=', p] => (f, square(f, r)?, Some(p)),
        [f, b'x', g, r, b'=', p] => (f, square(g, r)?, Some(p)),
        _ => return None,
    };
    let origin = file(origin)?;
    let promotion = match promotion {
        Some(p) => Some(*PROMOTIONS.iter().find(|&&role| letter(role) == p)?),
        None => None,
    };
    if promotion.is_some() != BACKRANKS.contains(to) {
        return None;
    }
    let pawns = view.pawns();
    let from = (pawn_origins(view, &pawns, to) & origin).single_square()?;
    let is_capture = text[1] == b'x';
    let passes = pawns.passed == Some(to) && pawns.passers.contains(from);
    let kind = if passes { StepKind::EnPassant } else { StepKind::Normal };
    // `dxd5` names a step straight on as a capture.
    let captures = passes || view.them.contains(to);
    let step = Step { promotion, kind, ..Step::new(Role::Pawn, from, to) };
    (captures == is_capture).then(|| (step, rank_pawn(view, &pawns, from, to, promotion)))
}

#[inline(always)]
fn read_piece(view: &Standard, role: Role, text: &[u8]) -> Option<(Step, usize)> {
    let (origin, to) = match *text {
        [f, r] => (&text[..0], square(f, r)?),
        [.., f, r] => (&text[..text.len() - 2], square(f, r)?),
        _ => return None,
    };
    let (origin, is_capture) = match *origin {
        [ref origin @ .., b'x'] => (origin, true),
        _ => (origin, false),
    };
    let movers = view.movers(role, to);
    let from = match *origin {
        [] => movers.single_square()?,
        [f @ b'a'..=b'h'] => (movers & file(f)?).single_square()?,
        [r] => (movers & rank(r)?).single_square()?,
        [f, r] => square(f, r).filter(|&sq| movers.contains(sq))?,
        _ => return None,
    };
    if is_capture != view.them.contains(to) {
        return None;
    }
    if !origin.is_empty() || movers.more_than_one() {
        let file = matches!(origin.first(), Some(b'a'..=b'h'));
        let rank = matches!(origin.last(), Some(b'1'..=b'8'));
        if (Named { file, rank }) != Named::of(movers, from) {
            return None;
        }
    }
    Some((Step::new(role, from, to), rank_piece(view, role, from, to)))
}

#[inline(always)]
fn read_king(view: &Standard, text: &[u8]) -> Option<(Step, usize)> {
    let (to, is_capture) = match *text {
        [f, r] => (square(f, r)?, false),
        [b'x', f, r] => (square(f, r)?, true),
        _ => return None,
    };
    if !view.census.reach[Role::King as usize].contains(to) || is_capture != view.them.contains(to) {
        return None;
    }
    Some((Step::new(Role::King, view.king, to), rank_king(view, to)))
}

#[inline(always)]
fn read_castling(view: &Standard, text: &[u8]) -> Option<(Step, usize)> {
    let side = match text {
        b"O-O" => CastlingSide::KingSide,
        b"O-O-O" => CastlingSide::QueenSide,
        _ => return None,
    };
    let step = view.castling(side)?;
    Some((step, rank_castling(view, side)))
}

/// A move as its squares (`e2e4`, `e1g1`, and `e7e8q` for a promotion), as chess programs tell each other moves of chess. Castling is the
/// king's move.
#[must_use]
pub fn coordinates(m: Move) -> SanText {
    let mut text = SanText::default();
    let to = match m {
        Move::Castle { king, rook } => {
            let file = if rook.file() > king.file() { File::G } else { File::C };
            Square::from_coords(file, king.rank())
        }
        _ => m.to(),
    };
    for square in m.from().into_iter().chain([to]) {
        text.push_square(turned(square));
    }
    if let Some(role) = m.promotion() {
        text.push(letter(role).to_ascii_lowercase());
    }
    text
}
