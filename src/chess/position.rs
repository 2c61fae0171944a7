//! A position and everything that PGC asks of it.

use std::sync::LazyLock;

use shakmaty::fen::Fen;
use shakmaty::variant::VariantPosition;
use shakmaty::{
    Bitboard, CastlingMode, Chess, EnPassantMode, FromSetup, Move, Position as _, PositionError,
    Setup, Square,
};

use super::fen::mended_fen;
use super::lenient::{self, Unresolved};
use super::pieces::Pieces;
use super::rules::Rules;
pub use super::san::SanText;
use super::squares::{nth_bit, turned};
use super::standard::{BoardMove, Check, SavedBoard, Standard};
use super::{ordinal, ply, san, variant};

/// The greatest move number at which a game may start (spec/chess.md 2). Twice the number of
/// any move that follows fits 32 bits.
const MAX_FULLMOVES: u32 = 999_999_999;

/// A FEN that is unreadable, or a position that no game under the rules can start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unreadable start position")]
pub struct StartError;

/// The move that a token of the movetext means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The move.
    pub m: Move,
    /// The ordinal; `None` if it is the 257th or later of the list (D2).
    pub ordinal: Option<u8>,
    /// Length of the move text proper; what follows in the token are check marks (`+`, `#`, `++`).
    pub core: usize,
    /// The first `core` bytes are the canonical SAN.
    pub canonical: bool,
}

/// A position, under the rules of its game.
///
/// ```
/// use pgc_chess::Position;
///
/// let mut position = Position::initial();
/// let e4 = position.resolve(b"e4").expect("a legal move");
/// assert_eq!(e4.ordinal, Some(13));
/// assert_eq!(position.select(13), Some(e4.m));
/// position.play(e4.m);
/// assert!(!position.white_to_move());
/// ```
#[derive(Clone, Debug)]
pub struct Position(pub(super) Inner);

/// What no later move brings back: see [`Position::lasting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasting {
    /// Of both sides: a pawn takes the place of another only by taking it.
    pawns: Bitboard,
    /// The number of pieces.
    men: usize,
    rights: Bitboard,
}

/// When a FEN has the en passant square behind a pawn that made a double step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EpSquare {
    /// Where a capture is legal, as chess libraries write it.
    #[default]
    Legal,
    /// After each double step (PGN 1994 16.1.3.4).
    Always,
}

impl EpSquare {
    /// What `legal` or `always` stands for.
    pub fn from_name(name: &str) -> Option<EpSquare> {
        match name {
            "legal" => Some(EpSquare::Legal),
            "always" => Some(EpSquare::Always),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Inner {
    /// Chess and Chess960: counting on bitboards.
    Standard(Standard),
    /// Everything else: sorted lists. The number has the kinds of special moves that were played.
    Variant(VariantPosition, u8),
}

/// A saved position, to which a variation goes back. In chess it is much smaller than a
/// [`Position`], so that saving one is cheap.
#[derive(Clone, Debug)]
pub struct SavedPosition(Saved);

#[derive(Clone, Debug)]
enum Saved {
    Standard(SavedBoard),
    Variant(VariantPosition, u8),
}

impl Position {
    /// The start position of chess.
    ///
    /// # Panics
    ///
    /// Never: there is one king a side.
    pub fn initial() -> Position {
        static INITIAL: LazyLock<Standard> =
            LazyLock::new(|| ply::start(&Chess::new()).expect("the start position has kings"));
        Position(Inner::Standard(INITIAL.clone()))
    }

    /// The start of a game: the rules' own start position, or that of the FEN tag (D8).
    ///
    /// Castling rights and en passant squares that the board cannot have are ignored, missing
    /// fields take their defaults, move number 0 is 1, and there may be any number of pieces and
    /// any combination of checks. [`mended_fen`] says what other forms are read.
    ///
    /// # Errors
    ///
    /// When the FEN is unreadable or its move number is over 999,999,999, a side has not exactly
    /// one king (where the rules want one), the side not to move is in check, or a pawn stands on
    /// the first or last rank.
    pub fn start(rules: Rules, fen: Option<&[u8]>) -> Result<Position, StartError> {
        let Some(fen) = fen else {
            return Ok(match rules {
                Rules::Other(variant) => Position(Inner::Variant(VariantPosition::new(variant), 0)),
                Rules::Chess | Rules::Chess960 => Position::initial(),
            });
        };
        // shakmaty takes `_` for a blank, which nobody else does.
        if fen.contains(&b'_') {
            return Err(StartError);
        }
        let mended = mended_fen(rules, fen);
        let fen = mended.as_deref().unwrap_or(fen);
        let setup = Fen::from_ascii(fen).map_err(|_| StartError)?.into_setup();
        if setup.fullmoves.get() > MAX_FULLMOVES {
            return Err(StartError);
        }
        // Outside Chess960 only a king on e1 or e8 and rooks in the corners have castling rights
        // (D8).
        let mode = CastlingMode::from_chess960(rules == Rules::Chess960);
        match rules {
            Rules::Chess | Rules::Chess960 => {
                if setup.pockets.is_some() || setup.remaining_checks.is_some() {
                    return Err(StartError);
                }
                let chess = repaired(Chess::from_setup(setup, mode))?;
                Ok(Position(Inner::Standard(
                    ply::start(&chess).ok_or(StartError)?,
                )))
            }
            Rules::Other(variant) => {
                let position = repaired(VariantPosition::from_setup(variant, setup, mode))?;
                // Refuse a position that is over by the rules of the variant although shakmaty
                // still lists moves, as it does where a side has no pieces.
                if position.is_variant_end() && !position.legal_moves().is_empty() {
                    return Err(StartError);
                }
                Ok(Position(Inner::Variant(position, 0)))
            }
        }
    }

    /// The position of chess or Chess960; `None` under other rules.
    #[inline]
    pub(super) fn standard(&mut self) -> Option<&mut Standard> {
        match &mut self.0 {
            Inner::Standard(position) => Some(position),
            Inner::Variant(..) => None,
        }
    }

    /// A number for where the pieces stand and who is to move (spec/small.md section 7.7); `None`
    /// under other rules than those of chess.
    pub fn key(&self) -> Option<u64> {
        match &self.0 {
            Inner::Standard(position) => Some(position.key()),
            Inner::Variant(..) => None,
        }
    }

    /// Whether the rules are those of chess or Chess960.
    #[inline]
    pub fn is_standard(&self) -> bool {
        matches!(self.0, Inner::Standard(_))
    }

    /// Which pieces stand where.
    #[inline(always)]
    pub(super) fn pieces(&self) -> Pieces {
        match &self.0 {
            Inner::Standard(position) => position.both_sides(),
            Inner::Variant(position, _) => Pieces::from_board(position.board()),
        }
    }

    /// Whether the same pieces stand on the same squares, and the same side is to move.
    pub fn is_same_board(&self, other: &Position) -> bool {
        self.white_to_move() == other.white_to_move() && self.pieces() == other.pieces()
    }

    /// The rooks that may still castle.
    pub(super) fn rights(&self) -> Bitboard {
        match &self.0 {
            Inner::Standard(position) => position.rights,
            Inner::Variant(position, _) => position.castles().castling_rights().flip_diagonal(),
        }
    }

    /// The number of castling rights.
    pub fn castling_rights(&self) -> usize {
        self.rights().count()
    }

    /// What no later move brings back: where the pawns are, the number of pieces, and the castling
    /// rights. While these are the same, so is the number of pieces of each kind.
    #[inline]
    pub fn lasting(&self) -> Lasting {
        let pieces = self.pieces();
        Lasting {
            pawns: pieces.roles[1],
            men: (pieces.white | pieces.black).count(),
            rights: self.rights(),
        }
    }

    /// The square behind a pawn that can be taken en passant.
    pub(super) fn en_passant(&self) -> Option<Square> {
        match &self.0 {
            Inner::Standard(position) => {
                position.passed?;
                position.to_chess().legal_ep_square().map(turned)
            }
            Inner::Variant(position, _) => position.legal_ep_square().map(turned),
        }
    }

    /// The position in shakmaty's form; `None` under other rules than those of chess.
    pub(super) fn to_chess(&self) -> Option<Chess> {
        match &self.0 {
            Inner::Standard(position) => Some(position.to_chess()),
            Inner::Variant(..) => None,
        }
    }

    /// How many moves have an ordinal: at most 256 (D2).
    pub(super) fn ordinals(&self) -> u32 {
        let moves = match &self.0 {
            Inner::Standard(position) => position.to_chess().legal_moves().len(),
            Inner::Variant(position, _) => position.legal_moves().len(),
        };
        u32::try_from(moves.min(256)).unwrap_or(256)
    }

    /// Whether White is to move.
    #[inline]
    pub fn white_to_move(&self) -> bool {
        match &self.0 {
            Inner::Standard(position) => position.turn.is_white(),
            Inner::Variant(position, _) => position.turn().is_white(),
        }
    }

    /// The number of the next move.
    #[inline]
    pub fn fullmoves(&self) -> u32 {
        match &self.0 {
            Inner::Standard(position) => position.fullmoves,
            Inner::Variant(position, _) => position.fullmoves().get(),
        }
    }

    /// Twice the number of the next move, plus one if it is Black's.
    #[inline]
    pub fn num(&self) -> u32 {
        self.fullmoves() << 1 | u32::from(!self.white_to_move())
    }

    /// The move that a token of the movetext means: one move symbol, without `!` and `?` but with
    /// any check marks.
    ///
    /// Canonical SAN is tried first and takes well under a microsecond; everything else goes up the
    /// ladder (D12).
    ///
    /// # Errors
    ///
    /// Says why the token is not one legal move.
    #[inline]
    pub fn resolve(&self, token: &[u8]) -> Result<Resolved, Unresolved> {
        let core = core_len(token);
        let text = &token[..core];
        let (m, ordinal, canonical) = match &self.0 {
            Inner::Standard(position) => match san::read(position, text) {
                Some((board_move, ordinal)) => (position.to_move(board_move), Some(ordinal), true),
                None => resolve_leniently(position, text)?,
            },
            Inner::Variant(..) if lenient::is_null(text) => return Err(Unresolved::Null),
            Inner::Variant(position, _) => variant::resolve(position, text)?,
        };
        let ordinal = ordinal.and_then(|n| u8::try_from(n).ok());
        Ok(Resolved {
            m,
            ordinal,
            core,
            canonical,
        })
    }

    /// The ordinal of a move (PGN 1994, 20.2): its place among the legal moves sorted by canonical
    /// SAN, from 0. `None` if it is not legal, or is the 257th or later (D2).
    pub fn rank(&self, m: Move) -> Option<u8> {
        let ordinal = match &self.0 {
            Inner::Standard(position) => {
                BoardMove::from_move(m).and_then(|board_move| ordinal::rank(position, board_move))
            }
            Inner::Variant(position, _) => variant::rank(position, m),
        };
        ordinal.and_then(|n| u8::try_from(n).ok())
    }

    /// The move that has this ordinal; `None` if there are fewer moves.
    pub fn select(&self, ordinal: u8) -> Option<Move> {
        match &self.0 {
            Inner::Standard(position) => ordinal::select(position, usize::from(ordinal), nth_bit)
                .map(|found| position.to_move(found.0)),
            Inner::Variant(position, _) => variant::select(position, usize::from(ordinal)),
        }
    }

    /// Plays the move whose canonical SAN, without check marks, is `san`, and returns its ordinal:
    /// [`Position::resolve`] and [`Position::play`] in one, for nearly every ply. Plays nothing and
    /// returns `None` for any other text, for a move without an ordinal (D2), and in variants of
    /// chess.
    #[inline]
    pub fn follow(&mut self, san: &[u8]) -> Option<u8> {
        match &mut self.0 {
            Inner::Standard(position) => ply::follow(position, san),
            Inner::Variant(..) => None,
        }
    }

    /// [`Position::follow`] for a move in the notation of UCI, castling as the king's move.
    pub fn follow_coordinates(&mut self, text: &[u8]) -> Option<u8> {
        let Inner::Standard(position) = &mut self.0 else {
            return None;
        };
        let played = san::read_coordinates(position, text)?;
        let ordinal = u8::try_from(ordinal::rank(position, played)?).ok()?;
        ply::play(position, played);
        Some(ordinal)
    }

    /// Saves the position, in place of the one saved before.
    #[inline(always)]
    pub fn save(&self, saved: &mut Option<SavedPosition>) {
        *saved = Some(SavedPosition(match &self.0 {
            Inner::Standard(position) => Saved::Standard(position.board),
            Inner::Variant(position, specials) => Saved::Variant(position.clone(), *specials),
        }));
    }

    /// Goes back to a saved position of the same game.
    pub fn go_back(&mut self, saved: &SavedPosition) {
        match (&mut self.0, &saved.0) {
            (Inner::Standard(position), Saved::Standard(saved)) => ply::go_back(position, saved),
            (Inner::Variant(position, specials), Saved::Variant(saved, before)) => {
                position.clone_from(saved);
                *specials = *before;
            }
            _ => debug_assert!(false, "a position of another game"),
        }
    }

    /// Plays the move that has this ordinal and returns its canonical SAN: [`Position::select`] and
    /// [`Position::play`] in one. `None` if there are fewer moves.
    #[inline]
    pub fn play_ordinal(&mut self, ordinal: u8) -> Option<SanText> {
        let mut san = SanText::default();
        self.advance(ordinal, Some(&mut san)).map(|()| san)
    }

    /// As [`Position::play_ordinal`], which spells the move: only if its SAN is asked for.
    #[inline]
    pub fn advance(&mut self, ordinal: u8, spelled: Option<&mut SanText>) -> Option<()> {
        match &mut self.0 {
            Inner::Standard(position) => ply::play_ordinal(position, ordinal, spelled),
            Inner::Variant(position, _) => {
                let (m, san) = variant::select_san(position, usize::from(ordinal))?;
                self.play(m);
                if let Some(spelled) = spelled {
                    *spelled = san;
                }
                Some(())
            }
        }
    }

    /// The move to which the old program `pgn2pgc` gave this ordinal: it sorted moves before it
    /// disambiguated them. It knew standard chess only; for variants this is [`Position::select`].
    pub fn select_pgn2pgc(&self, ordinal: u8) -> Option<Move> {
        match &self.0 {
            Inner::Standard(position) => {
                variant::select_pgn2pgc(&position.to_chess(), usize::from(ordinal))
            }
            Inner::Variant(..) => self.select(ordinal),
        }
    }

    /// The canonical SAN of a legal move, without `+` or `#` (PGN 1994, 8.2.3).
    pub fn san(&self, m: Move) -> SanText {
        match &self.0 {
            Inner::Standard(position) => BoardMove::from_move(m)
                .map(|board_move| san::write(position, board_move))
                .unwrap_or_default(),
            Inner::Variant(position, _) => variant::san(position, m),
        }
    }

    /// Plays a legal move; returns it in SAN, with its check mark.
    pub fn play_san(&mut self, m: Move) -> SanText {
        let mut san = self.san(m);
        self.play(m);
        match self.check() {
            Check::None => {}
            Check::Check => san.push(b'+'),
            Check::Mate => san.push(b'#'),
        }
        san
    }

    /// Plays a legal move: one that `resolve` or `select` returned for this position.
    ///
    /// # Panics
    ///
    /// Possibly, if the move is not legal.
    #[inline]
    pub fn play(&mut self, m: Move) {
        match &mut self.0 {
            Inner::Standard(position) => {
                if let Some(board_move) = BoardMove::from_move(m) {
                    ply::play(position, board_move);
                }
            }
            Inner::Variant(position, specials) => {
                let board_move = BoardMove::from_move(m);
                *specials |= board_move.map_or(0, |played| played.special(position.turn()));
                position.play_unchecked(m);
            }
        }
    }

    /// Passes the turn to the other side, as a null move does; `false` if the side to move is in check,
    /// or the rules do not allow it. The move has no record (D35).
    pub fn pass(&mut self) -> bool {
        fn setup_after(position: &impl shakmaty::Position) -> Setup {
            let mut setup = position.to_setup(EnPassantMode::Always);
            setup.halfmoves = setup.halfmoves.saturating_add(1);
            if setup.turn.is_black() {
                setup.fullmoves = setup.fullmoves.saturating_add(1);
            }
            setup.swap_turn();
            setup
        }
        let mode = self.castling_mode();
        let passed = match &self.0 {
            Inner::Standard(position) => {
                let after = repaired(Chess::from_setup(setup_after(&position.to_chess()), mode));
                let after = after.ok().and_then(|chess| ply::start(&chess));
                after.map(Inner::Standard)
            }
            Inner::Variant(position, _) => {
                let (variant, setup) = (position.variant(), setup_after(position));
                let after = repaired(VariantPosition::from_setup(variant, setup, mode));
                after.ok().map(|after| Inner::Variant(after, 0))
            }
        };
        if let Some(passed) = passed {
            self.0 = passed;
            return true;
        }
        false
    }

    /// Whether the side to move is in check, or mated. Costs next to nothing when it is not in
    /// check.
    #[inline]
    pub fn check(&self) -> Check {
        match &self.0 {
            Inner::Standard(position) => ply::check(position),
            Inner::Variant(position, _) => variant::check(position),
        }
    }

    /// The position as FEN, with the en passant square where a capture is legal.
    pub fn fen(&self) -> String {
        self.fen_with(EpSquare::Legal)
    }

    /// The position as FEN. In Crazyhouse the pieces in hand stand in the order in which
    /// python-chess and most engines write them: queens first, pawns last, White's before Black's.
    pub fn fen_with(&self, ep: EpSquare) -> String {
        let mode = match ep {
            EpSquare::Legal => EnPassantMode::Legal,
            EpSquare::Always => EnPassantMode::Always,
        };
        let fen = match &self.0 {
            Inner::Standard(position) => Fen::from_position(&position.to_chess(), mode),
            Inner::Variant(position, _) => Fen::from_position(position, mode),
        };
        let fen = fen.to_string();
        let Some((board, hand, rest)) = fen
            .split_once('[')
            .and_then(|(board, rest)| rest.split_once(']').map(|(hand, rest)| (board, hand, rest)))
        else {
            return fen;
        };
        let mut hand: Vec<char> = hand.chars().collect();
        hand.sort_by_key(|&piece| "QRBNPqrbnp".find(piece));
        format!("{board}[{}]{rest}", String::from_iter(hand))
    }

    /// The move in the notation of UCI: `e2e4`, `e7e8q`, `P@e4` for a drop. Castling is `e1g1`, or
    /// in Chess960 the king's move to the square of its rook.
    pub fn uci(&self, m: Move) -> SanText {
        SanText::from(&*m.to_uci(self.castling_mode()).to_string())
    }

    pub(super) fn castling_mode(&self) -> CastlingMode {
        match &self.0 {
            Inner::Standard(position) => position.mode,
            Inner::Variant(position, _) => position.castles().mode(),
        }
    }
}

/// The length of a token without its check marks.
#[inline]
pub fn core_len(token: &[u8]) -> usize {
    match token.last() {
        Some(b'+' | b'#') => token
            .iter()
            .rposition(|b| !matches!(b, b'+' | b'#'))
            .map_or(0, |i| i + 1),
        _ => token.len(),
    }
}

/// Accepts the faults of a start position that D8 tolerates.
pub(super) fn repaired<P>(position: Result<P, PositionError<P>>) -> Result<P, StartError> {
    position
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|_| StartError)
}

/// Finds the move of a token that is not canonical SAN. Listing all moves is slow, but such tokens
/// are rare.
#[cold]
fn resolve_leniently(
    position: &Standard,
    text: &[u8],
) -> Result<(Move, Option<usize>, bool), Unresolved> {
    if lenient::is_null(text) {
        return Err(Unresolved::Null);
    }
    let m = lenient::find(text, &position.to_chess().legal_moves())?;
    let ordinal = BoardMove::from_move(m).and_then(|found| ordinal::rank(position, found));
    Ok((m, ordinal, false))
}
