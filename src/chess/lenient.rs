//! Reads moves that are not spelled as canonical SAN (D12). [`Rung`] describes the ladder of
//! accepted spellings; spec/pgn-import.md, section 4, describes the same ladder for other readers
//! of PGN.

use shakmaty::{CastlingSide, File, Move, Rank, Role, Square};

/// The rungs of the ladder of lenient moves, the strictest first (D12).
///
/// Each rung allows what it names and everything that the rungs before it allow. The first rung on
/// which a text fits exactly one legal move wins, and the move is then as good as if it had been
/// spelled canonically. If no rung does, the text is ambiguous if it fitted several moves on some
/// rung, else illegal; a text that no rung can even read is not a move.
///
/// A text is read as `[letter] [origin file] [origin rank] [mark] destination [promotion] [e.p.]`.
/// A move fits when everything that the text says, except the mark, is true of it:
/// - no letter means a pawn; but a whole origin square without a letter means whatever stands
///   there;
/// - a pawn without an origin file steps straight on, unless there is a capture mark: then it
///   captures;
/// - a pawn with an origin file and no origin rank captures;
/// - the text names a promotion if and only if the move is one; but a missing piece is a queen
///   ([`Rung::Queen`]);
/// - a whole origin square with the king on it also means castling, when the destination is the
///   square of the rook, or the square where the king lands and that is two files away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// The canonical SAN of PGN 1994, 8.2.3, check marks apart.
    Canonical,
    /// Names more of the origin than it must, or the other half of it: `Ng1f3`, `Ngf3`, `R1a1`,
    /// `Ke1e2`.
    Origin,
    /// A capture mark is missing or superfluous, or is a colon: `Nf6`, `Nxf3`, `ed5`, `N:f3`.
    CaptureMark,
    /// Castling with zeros, small letters or without dashes: `0-0`, `o-o-o`, `OO`.
    Castling,
    /// A promotion spelled otherwise: `e8Q`, `e8(Q)`, `e8/Q`, `e8=q`, `e8=(Q)`.
    Promotion,
    /// Long algebraic, with or without letter and dash: `e2e4`, `e2-e4`, `Ng1-f3`, `e2xd3`,
    /// `e7e8q`, `e1g1`.
    Long,
    /// A pawn capture that names the two files only, or the destination only: `exd`, `ed`, `xd5`.
    PawnFiles,
    /// A capture that says it is en passant: `exd6e.p.`, `exd6ep`. (Whether it is, is not checked.)
    EnPassant,
    /// A letter for the pawn: `Pe4`, `Pe2-e4`, `Pxd5`.
    PawnLetter,
    /// A promotion that does not say to what: `e8`, `bxa8`, `e7e8`. It is a queen.
    Queen,
    /// A dash or a capture mark outside ASCII: an en dash in `O-O`, a multiplication sign for `x`.
    Sign,
    /// A figurine for the letter of a piece, or of the pawn.
    Figurine,
    /// A small letter for a piece, or capitals for files: `nf3`, `NF3`, `E4`. A `b` is a file
    /// first: `bxc4`.
    Case,
}

/// Why a token is not one legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// It does not look like a move.
    NotAMove,
    /// It stands for "no move": `--`, `Z0` and the like.
    Null,
    /// It looks like a move, but no legal move fits it.
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

/// Finds the move among `moves` that `core`, which is not canonical SAN, means, and the rung that
/// accepts it.
pub(super) fn find(core: &[u8], moves: &[Move]) -> Result<(Move, Rung), Unresolved> {
    let mut outcome = Unresolved::NotAMove;
    let (mut plain, mut buffer) = ([0; LONGEST], [0; LONGEST]);
    let (core, written) = if core.is_ascii() {
        (core, Rung::Origin)
    } else {
        in_ascii(core, &mut plain)
    };
    // A figurine stands for a capital letter: no other case is tried.
    let readings = if written == Rung::Figurine { 1 } else { 4 };
    for (place, reading) in [as_is, piece_capital, files_small, all_small]
        .iter()
        .take(readings)
        .enumerate()
    {
        let Some((text, at_least)) = reading(core, &mut buffer) else {
            continue;
        };
        let Some((shape, rung)) = parse(text) else {
            continue;
        };
        let as_queen = promoted(shape).map(|shape| (shape, rung.max(Rung::Queen)));
        for (shape, rung) in std::iter::once((shape, rung)).chain(as_queen) {
            let mut fitting = moves.iter().copied().filter(|&m| fits(shape, m));
            match (fitting.next(), fitting.next()) {
                // `B1A3` may mean a bishop's move (`B1a3`) or a move from b1 (`b1a3`).
                (Some(m), None) if place == 2 && means_another(core, moves, m) => {
                    return Err(Unresolved::Ambiguous);
                }
                (Some(m), None) => {
                    return Ok((m, rung.max(at_least).max(written).max(mark_rung(shape, m))));
                }
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
    let shape = all_small(core, &mut buffer)
        .and_then(|(text, _)| parse(text))
        .map(|(shape, _)| shape);
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

/// Replaces figurines and signs in `core` by their ASCII letters, and tells the rung that they
/// need. Leaves other bytes alone.
fn in_ascii<'a>(core: &[u8], plain: &'a mut [u8; LONGEST]) -> (&'a [u8], Rung) {
    let (mut at, mut len, mut rung) = (0, 0, Rung::Sign);
    while at < core.len() {
        let (byte, width) = stands_for(&core[at..]).unwrap_or((core[at], 1));
        let Some(to) = plain.get_mut(len) else {
            return (&[], rung);
        };
        *to = byte;
        rung = if width > 1 && byte.is_ascii_uppercase() {
            Rung::Figurine
        } else {
            rung
        };
        (at, len) = (at + width, len + 1);
    }
    (&plain[..len], rung)
}

/// The same move as a promotion to a queen, if the text has a whole destination and no promotion.
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

type Recased<'a> = Option<(&'a [u8], Rung)>;

fn as_is<'a>(core: &'a [u8], _: &'a mut [u8; LONGEST]) -> Recased<'a> {
    (core.len() <= LONGEST).then_some((core, Rung::Origin))
}

fn recased<'a>(
    core: &[u8],
    buffer: &'a mut [u8; LONGEST],
    first: impl Fn(u8) -> u8,
    rest: impl Fn(u8) -> u8,
) -> Recased<'a> {
    let text = buffer.get_mut(..core.len())?;
    for (i, (to, &from)) in text.iter_mut().zip(core).enumerate() {
        *to = if i == 0 { first(from) } else { rest(from) };
    }
    Some((text, Rung::Case))
}

/// `nf3` as `Nf3`.
fn piece_capital<'a>(core: &'a [u8], buffer: &'a mut [u8; LONGEST]) -> Recased<'a> {
    if !matches!(core.first(), Some(b'k' | b'q' | b'r' | b'b' | b'n' | b'p')) {
        return None;
    }
    recased(core, buffer, |byte| byte.to_ascii_uppercase(), |byte| byte)
}

/// `NF3` as `Nf3`.
fn files_small<'a>(core: &'a [u8], buffer: &'a mut [u8; LONGEST]) -> Recased<'a> {
    has_capital_files(core).then_some(())?;
    recased(core, buffer, |byte| byte, |byte| byte.to_ascii_lowercase())
}

/// `E4` as `e4`. A capital `B` becomes a file only where the other files are capitals too.
fn all_small<'a>(core: &'a [u8], buffer: &'a mut [u8; LONGEST]) -> Recased<'a> {
    has_capital_files(core).then_some(())?;
    recased(
        core,
        buffer,
        |byte| byte.to_ascii_lowercase(),
        |byte| byte.to_ascii_lowercase(),
    )
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
fn parse(text: &[u8]) -> Option<(Shape, Rung)> {
    if let Some(side) = parse_castling(text) {
        return Some((Shape::Castling(side), Rung::Castling));
    }
    if let Some(at) = text.iter().position(|&byte| byte == b'@') {
        return parse_drop(&text[..at], &text[at + 1..]);
    }
    let (text, en_passant) = cut_en_passant(text);
    let (text, promotion, promoted) = cut_promotion(text);
    let (rest, to_file, to_rank) = match *text {
        [ref rest @ .., f @ b'a'..=b'h', r @ b'1'..=b'8'] => (rest, file(f)?, rank(r)),
        [ref rest @ .., f @ b'a'..=b'h'] if promotion.is_none() => (rest, file(f)?, None),
        _ => return None,
    };
    let (rest, marked, mark) = cut_mark(rest);
    let (role, file, rank) = parse_origin(rest)?;
    let mut rung = en_passant.max(promoted).max(mark);
    if matches!(rest, [b'P', ..]) {
        rung = rung.max(Rung::PawnLetter);
    }
    match role {
        None => rung = rung.max(Rung::Long),
        Some(Role::Pawn) if to_rank.is_none() || (file.is_none() && marked) => {
            rung = rung.max(Rung::PawnFiles)
        }
        Some(_) => {}
    }
    // Without a rank only the two files of a pawn's capture say enough.
    if to_rank.is_none() && (role != Some(Role::Pawn) || file.is_none()) {
        return None;
    }
    Some((
        Shape::Move(SpelledMove {
            role,
            file,
            rank,
            marked,
            to_file,
            to_rank,
            promotion,
        }),
        rung,
    ))
}

/// Cuts the mark between origin and destination off the end, and tells whether it is a capture
/// mark.
fn cut_mark(text: &[u8]) -> (&[u8], bool, Rung) {
    match *text {
        [ref rest @ .., b'x'] => (rest, true, Rung::Origin),
        [ref rest @ .., b':'] => (rest, true, Rung::CaptureMark),
        [ref rest @ .., b'-'] if !rest.is_empty() => (rest, false, Rung::Long),
        _ => (text, false, Rung::Origin),
    }
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
        [a, b'-', b] if is_o(&a) && is_o(&b) => CastlingSide::KingSide,
        [a, b] if is_o(&a) && is_o(&b) => CastlingSide::KingSide,
        [a, b'-', b, b'-', c] if is_o(&a) && is_o(&b) && is_o(&c) => CastlingSide::QueenSide,
        [a, b, c] if is_o(&a) && is_o(&b) && is_o(&c) => CastlingSide::QueenSide,
        _ => return None,
    };
    Some(side)
}

fn parse_drop(letter: &[u8], square: &[u8]) -> Option<(Shape, Rung)> {
    let (role, rung) = match *letter {
        [] => (Role::Pawn, Rung::Origin),
        [b'P'] => (Role::Pawn, Rung::PawnLetter),
        [letter] => (piece(letter)?, Rung::Origin),
        _ => return None,
    };
    Some((
        Shape::Drop {
            role,
            to: Square::from_ascii(square).ok()?,
        },
        rung,
    ))
}

fn cut_en_passant(text: &[u8]) -> (&[u8], Rung) {
    for suffix in [&b"e.p."[..], b"e.p", b"ep"] {
        if let Some(text) = text.strip_suffix(suffix) {
            return (text, Rung::EnPassant);
        }
    }
    (text, Rung::Origin)
}

/// Cuts off the promotion at the end, which must follow a rank.
fn cut_promotion(text: &[u8]) -> (&[u8], Option<Role>, Rung) {
    let (rest, letter, is_plain) = match *text {
        [ref rest @ .., b'=', b'(', p, b')'] | [ref rest @ .., b'(', p, b')'] => (rest, p, false),
        [ref rest @ .., b'=', p] => (rest, p, true),
        [ref rest @ .., b'/', p] => (rest, p, false),
        [ref rest @ .., p] => (rest, p, false),
        [] => return (text, None, Rung::Origin),
    };
    let role = piece(letter.to_ascii_uppercase()).filter(|&role| role != Role::Pawn);
    match (rest.last(), role) {
        (Some(b'1'..=b'8'), Some(role)) => {
            let rung = if is_plain && letter.is_ascii_uppercase() {
                Rung::Origin
            } else {
                Rung::Promotion
            };
            (rest, Some(role), rung)
        }
        _ => (text, None, Rung::Origin),
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

/// The rung that a missing or superfluous capture mark needs.
fn mark_rung(shape: Shape, m: Move) -> Rung {
    match shape {
        Shape::Move(step) if step.marked != m.is_capture() => Rung::CaptureMark,
        _ => Rung::Origin,
    }
}
