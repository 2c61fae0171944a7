//! The features of a position and of its legal moves (spec/moves.md, sections 2 to 4), taken
//! straight from shakmaty. Slow on purpose: the fast code of the archiver is checked against this.

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, attacks};

/// Rows of the input table.
pub const INPUTS: usize = 2048;
/// Rows of the move table.
pub const ROWS: usize = 1200;
/// Hidden units.
pub const HIDDEN: usize = 64;

/// Where each of the six small tables starts in their concatenation.
pub const EXCHANGE: usize = 0;
pub const ORIGIN: usize = EXCHANGE + 2592;
pub const CHECK: usize = ORIGIN + 864;
pub const STEP: usize = CHECK + 576;
pub const OWN: usize = STEP + 8100;
pub const SPECIAL: usize = OWN + 192;
pub const TABLES: usize = SPECIAL + 48;

/// One move that was played, as far as later moves ask for it.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// The kind of the piece, before it promoted.
    role: Role,
    from: Square,
    to: Square,
    capture: bool,
}

/// The last two plies.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    /// The last one, the other side's.
    theirs: Option<Played>,
    /// The one before.
    ours: Option<Played>,
}

impl History {
    /// The history after one more move.
    pub fn after(self, m: Move) -> History {
        let played = Played {
            role: m.role(),
            from: m.from().expect("no drops in chess"),
            to: destination(m),
            capture: m.is_capture(),
        };
        History {
            theirs: Some(played),
            ours: self.theirs,
        }
    }
}

/// What is known of one legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveFeatures {
    /// Rows of the move table: destination, origin, exchange.
    pub rows: [u16; 3],
    /// Entries of the concatenated small tables; `NONE` where a table takes no part.
    pub entries: [u16; 6],
}

/// No entry of a table.
pub const NONE: u16 = u16::MAX;

/// All that the model sees of a position.
#[derive(Clone, Debug, Default)]
pub struct Features {
    pub inputs: Vec<u16>,
    /// In the order of the legal moves.
    pub moves: Vec<MoveFeatures>,
}

/// The square where the piece lands; in castling, the king.
pub fn destination(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => {
            let file = if rook > king {
                shakmaty::File::G
            } else {
                shakmaty::File::C
            };
            Square::from_coords(file, king.rank())
        }
        _ => m.to(),
    }
}

/// The legal moves in the order of spec/moves.md, section 1.
pub fn ordered(pos: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = pos.legal_moves().into_iter().collect();
    // Squares by their names: file, then rank.
    let by_name = |sq: Square| sq.flip_diagonal().to_usize();
    moves.sort_by_key(|&m| {
        (
            if m.is_castle() { 6 } else { piece(m.role()) },
            m.from().map_or(64, by_name),
            by_name(destination(m)),
            m.promotion().map_or(0, piece),
        )
    });
    moves
}

/// P to K: 0 to 5.
fn piece(role: Role) -> usize {
    role as usize - 1
}

/// The square as its side sees it: mirrored for Black.
fn seen(sq: Square, turn: Color) -> usize {
    match turn {
        Color::White => sq.to_usize(),
        Color::Black => sq.to_usize() ^ 56,
    }
}

/// 0 none, 1 pawn, 2 minor piece, 3 rook, 4 queen, 5 king.
fn least(pos: &Chess, attackers: Bitboard) -> usize {
    let board = pos.board();
    attackers
        .into_iter()
        .filter_map(|sq| board.role_at(sq))
        .map(|role| [1, 2, 2, 3, 4, 5][piece(role)])
        .min()
        .unwrap_or(0)
}

pub fn phase(pos: &Chess) -> usize {
    match pos.board().occupied().count() {
        30.. => 0,
        22.. => 1,
        12.. => 2,
        _ => 3,
    }
}

/// The features of all legal moves, which `moves` must be, in the order of `ordered`.
pub fn features(pos: &Chess, history: &History, moves: &[Move]) -> Features {
    let us = pos.turn();
    let them = !us;
    let board = pos.board();
    let ours = board.by_color(us);
    let king = board.king_of(us).expect("a side of chess has a king");
    // Our king hides nothing from the other side's sliders: it cannot flee along their line.
    let without_king = board.occupied() ^ Bitboard::from_square(king);
    let by_them = |sq: Square| board.attacks_to(sq, them, without_king);
    let by_us = |sq: Square| board.attacks_to(sq, us, board.occupied());
    let at = |sq: Square| seen(sq, us);

    let mut inputs = Vec::with_capacity(48);
    for sq in board.occupied() {
        let role = board.role_at(sq).expect("an occupied square");
        let side = if ours.contains(sq) { 0 } else { 384 };
        inputs.push(side + piece(role) * 64 + at(sq));
    }
    if let Some(last) = history.theirs {
        inputs.push(768 + at(last.to));
        inputs.push(896 + piece(last.role) * 64 + at(last.from));
    }
    if let Some(last) = history.ours {
        inputs.push(832 + at(last.to));
    }
    for sq in board.occupied() {
        let role = board.role_at(sq).expect("an occupied square");
        if role == Role::King {
            continue;
        }
        if ours.contains(sq) {
            let least = least(pos, by_them(sq));
            let hanging = least > 0 && by_us(sq).is_empty()
                || least == 1 && role != Role::Pawn
                || least == 2 && matches!(role, Role::Rook | Role::Queen)
                || least == 3 && role == Role::Queen;
            if hanging {
                inputs.push(1280 + piece(role) * 64 + at(sq));
            }
        } else {
            let attackers = by_us(sq);
            let hanging = attackers.any() && by_them(sq).is_empty()
                || role != Role::Pawn && (attackers & board.pawns()).any();
            if hanging {
                inputs.push(1664 + piece(role) * 64 + at(sq));
            }
        }
    }

    let phase = phase(pos);
    let moved_attacks = history.theirs.map_or(Bitboard::EMPTY, |last| {
        let piece = board.piece_at(last.to).expect("a piece has moved there");
        attacks::attacks(last.to, piece, without_king)
    });
    let moves = moves
        .iter()
        .map(|&m| {
            let from = m.from().expect("no drops in chess");
            let to = destination(m);
            let pc = piece(m.role());
            let cap = m.capture().map_or(0, |role| piece(role) + 1);
            let captures = usize::from(cap > 0);
            let ta = least(pos, by_them(to));
            let enough = if pc == 0 && cap == 0 { 1 } else { 2 };
            let def = usize::from(by_us(to).count() >= enough);
            let fa = least(pos, by_them(from));
            let fd = usize::from(by_us(from).any());
            let newatt = usize::from(moved_attacks.contains(from));
            let recap = match history.theirs {
                Some(last) if cap > 0 && last.to == to => 1 + usize::from(last.capture),
                _ => 0,
            };

            let mut next = pos.clone();
            next.play_unchecked(m);
            let checkers = next.checkers();
            let direct = usize::from(checkers.contains(to));
            let discovered = usize::from(checkers.without(to).any());
            let check = direct | discovered;

            let exchange = ((pc * 6 + cap) * 6 + ta) * 2 + def;
            let late = usize::from(phase >= 2);
            let mut entries = [usize::from(NONE); 6];
            entries[0] = EXCHANGE + (exchange * 3 + recap) * 2 + late;
            entries[1] =
                ORIGIN + ((((pc * 6 + fa) * 2 + fd) * 2 + newatt) * 3 + ta.min(2)) * 2 + captures;
            if check > 0 {
                entries[2] = CHECK
                    + ((((pc * 2 + direct) * 2 + discovered) * 6 + ta) * 2 + def) * 2
                    + captures;
            }
            if let Some(last) = history.theirs {
                let (to, last_to) = (at(to), at(last.to));
                let dx = (to & 7) + 7 - (last_to & 7);
                let dy = (to >> 3) + 7 - (last_to >> 3);
                entries[3] = STEP + (piece(last.role) * 6 + pc) * 225 + dx + 15 * dy;
            }
            if let Some(last) = history.ours {
                let same = usize::from(from == last.to);
                let back = usize::from(to == last.from);
                entries[4] = OWN + (((pc * 2 + same) * 2 + back) * 2 + captures) * 4 + phase;
            }
            if let Some(role) = m.promotion() {
                entries[5] = SPECIAL + (piece(role) * 2 + captures) * 2 + check;
            } else if let Move::Castle { king, rook } = m {
                entries[5] = SPECIAL + 40 + 4 * usize::from(rook > king) + phase;
            }
            MoveFeatures {
                rows: [
                    (pc * 64 + at(to)) as u16,
                    (384 + pc * 64 + at(from)) as u16,
                    (768 + exchange) as u16,
                ],
                entries: entries.map(|entry| entry as u16),
            }
        })
        .collect();
    Features {
        inputs: inputs.into_iter().map(|row| row as u16).collect(),
        moves,
    }
}

/// A position with what the model remembers.
#[derive(Clone, Debug, Default)]
pub struct Line {
    pub pos: Chess,
    pub history: History,
}

impl Line {
    pub fn new(pos: Chess) -> Line {
        Line {
            pos,
            history: History::default(),
        }
    }

    pub fn play(&mut self, m: Move) {
        self.history = self.history.after(m);
        self.pos.play_unchecked(m);
    }
}
