//! A position and everything that is asked of it. (Plain version: sorts strings.)
#![allow(clippy::allow_attributes, missing_docs, clippy::cast_possible_truncation)]
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, FromSetup, Move, MoveList, Position as _, PositionError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    Chess,
    Chess960,
    Other(Variant),
}

impl Rules {
    /// The rules that the value of a Variant tag names; `None` when nobody knows it (D8).
    pub fn from_variant_tag(value: &[u8]) -> Option<Rules> {
        let v: Vec<u8> = value.iter().filter(|b| !b.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect();
        Some(match v.as_slice() {
            b"" | b"standard" | b"normal" | b"chess" | b"fromposition" => Rules::Chess,
            b"chess960" | b"fischerandom" | b"fischerrandom" => Rules::Chess960,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unreadable start position")]
pub struct StartError;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unresolved {
    NotAMove,
    Null,
    Illegal,
    Ambiguous,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    None,
    Check,
    Mate,
}

#[derive(Clone, Copy, Debug)]
pub struct Resolved {
    pub m: Move,
    /// Length of the move text proper; what follows in the token are check marks (`+`, `#`, `++`).
    pub core: usize,
    /// The first `core` bytes are the canonical SAN.
    pub canonical: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SanText {
    len: u8,
    bytes: [u8; 10],
}
impl SanText {
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

#[derive(Clone, Debug)]
pub struct Position {
    inner: VariantPosition,
}

impl Position {
    pub fn initial() -> Position {
        Position { inner: VariantPosition::new(Variant::Chess) }
    }
    pub fn start(rules: Rules, fen: Option<&[u8]>) -> Result<Position, StartError> {
        let variant = match rules {
            Rules::Other(v) => v,
            _ => Variant::Chess,
        };
        let Some(fen) = fen else { return Ok(Position { inner: VariantPosition::new(variant) }) };
        let setup = Fen::from_ascii(fen).map_err(|_| StartError)?.into_setup();
        VariantPosition::from_setup(variant, setup, CastlingMode::Chess960)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .map(|inner| Position { inner })
            .map_err(|_| StartError)
    }
    pub fn white_to_move(&self) -> bool {
        self.inner.turn().is_white()
    }
    pub fn fullmoves(&self) -> u32 {
        self.inner.fullmoves().get()
    }
    pub fn resolve(&self, token: &[u8]) -> Result<Resolved, Unresolved> {
        let core = token.iter().rposition(|b| !matches!(b, b'+' | b'#')).map_or(0, |i| i + 1);
        if matches!(&token[..core], b"--" | b"Z0" | b"null" | b"@@@@") {
            return Err(Unresolved::Null);
        }
        let san = San::from_ascii(&token[..core]).map_err(|_| Unresolved::NotAMove)?;
        let m = san.to_move(&self.inner).map_err(|_| Unresolved::Illegal)?;
        Ok(Resolved { m, core, canonical: self.san(m).as_bytes() == &token[..core] })
    }
    fn sorted(&self) -> Vec<(String, Move)> {
        let moves: MoveList = self.inner.legal_moves();
        let mut v: Vec<_> = moves.iter().map(|&m| (San::from_move(&self.inner, m).to_string(), m)).collect();
        v.sort_by(|a, b| a.0.cmp(&b.0));
        v
    }
    pub fn rank(&self, m: Move) -> Option<u8> {
        let i = self.sorted().iter().position(|x| x.1 == m)?;
        u8::try_from(i).ok()
    }
    pub fn select(&self, ordinal: u8) -> Option<Move> {
        self.sorted().get(usize::from(ordinal)).map(|x| x.1)
    }
    pub fn san(&self, m: Move) -> SanText {
        let s = San::from_move(&self.inner, m).to_string();
        let mut t = SanText { len: s.len() as u8, ..SanText::default() };
        t.bytes[..s.len()].copy_from_slice(s.as_bytes());
        t
    }
    pub fn play(&mut self, m: Move) {
        self.inner.play_unchecked(m);
    }
    pub fn check(&self) -> Check {
        if self.inner.is_check() {
            if self.inner.legal_moves().is_empty() { Check::Mate } else { Check::Check }
        } else {
            Check::None
        }
    }
}
