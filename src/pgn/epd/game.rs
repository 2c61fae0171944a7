//! Positions of a game, as EPD or as FEN.

use std::ops::RangeInclusive;

use super::line::{EpdLine, Operand, Operation};
use super::source::{TAGS, said};
use crate::game::{ParsedGames, Wholeness};
use crate::text::decoded;
use pgc_chess::{EpSquare, Position, Rules, known_start};

/// Which positions of the main line of a game the caller wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plies {
    /// The last one.
    End,
    /// Those after these numbers of half moves; 0 is the start. Positions beyond the end of the
    /// game are left out.
    Of(RangeInclusive<usize>),
}

/// A position of a game.
#[derive(Clone, Debug)]
pub struct GamePosition {
    /// The position as FEN.
    pub fen: String,
    /// The move that is played there, in SAN.
    pub next: Option<String>,
}

/// A game whose positions are wanted.
#[derive(Clone, Debug)]
pub struct GamePositions {
    /// The operations that are the same in all its positions.
    operations: Vec<Operation>,
    start: Position,
    /// The moves of the main line; a null move has no ordinal.
    ordinals: Vec<Option<u8>>,
    /// Whether all moves of the main line were understood.
    pub is_whole: bool,
    /// The line that the game was made of, if it has no moves: it has operations of its own.
    line: Option<EpdLine>,
    /// When their FENs have the en passant square.
    pub ep: EpSquare,
}

/// Name and value of a tag.
type EpdTag<'a> = (&'a [u8], &'a [u8]);

impl GamePositions {
    /// Reads a game; `None` if it is too long, or its start position cannot be used. `address` is
    /// what `id` says of a game whose tags say nothing.
    pub fn read(text: &[u8], address: &str) -> Option<GamePositions> {
        let mut games = ParsedGames::with_null_moves(None);
        let game = games.read_one(text)?;
        let tags: Vec<_> = game.tag_pairs(text).collect();
        let tags: Vec<EpdTag<'_>> = tags.iter().map(|(name, value)| (*name, &**value)).collect();
        let mut positions = GamePositions::from_moves(&tags, game.main_moves().collect(), address)?;
        positions.is_whole = game.wholeness == Wholeness::Whole;
        Some(positions)
    }

    /// [`GamePositions::read`] for a game with these tag pairs and these ordinals of its main line.
    pub fn from_moves(
        tags: &[EpdTag<'_>],
        ordinals: Vec<Option<u8>>,
        address: &str,
    ) -> Option<GamePositions> {
        let has_no_moves = ordinals.is_empty();
        let line = has_no_moves.then(|| said(tags.iter().copied())).flatten();
        // The operation `Variant` is private, so a line may give it a value that names no rules.
        let start = known_start(tags.iter().copied()).ok();
        Some(GamePositions {
            operations: operations(tags, address),
            start: start.or_else(|| line.as_ref()?.start())?,
            ordinals,
            is_whole: true,
            line,
            ep: EpSquare::default(),
        })
    }

    /// Calls `each` with the wanted positions, in the order of the game.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn each<E>(
        &self,
        plies: &Plies,
        mut each: impl FnMut(&GamePosition) -> Result<(), E>,
    ) -> Result<(), E> {
        let last = self.ordinals.len();
        let wanted = match plies {
            Plies::End => last..=last,
            Plies::Of(plies) => *plies.start()..=(*plies.end()).min(last),
        };
        let mut position = self.start.clone();
        for ply in 0..=*wanted.end() {
            let fen = wanted.contains(&ply).then(|| position.fen_with(self.ep));
            let next = self.ordinals.get(ply).and_then(|&ordinal| {
                let Some(ordinal) = ordinal else {
                    position.pass();
                    return None;
                };
                let m = position.select(ordinal)?;
                Some(position.play_san(m).to_string())
            });
            if let Some(fen) = fen {
                each(&GamePosition { fen, next })?;
            }
        }
        Ok(())
    }

    /// A position of the game as EPD (D69): with the counters of its FEN, operations made from the
    /// tags, and the move that is played there. A game made from a line of EPD gives that line.
    pub fn epd(&self, position: &GamePosition) -> EpdLine {
        if let Some(line) = &self.line {
            return line.clone();
        }
        let mut operations = self.operations.clone();
        if let Some(san) = &position.next {
            operations.push(Operation::new("sm", vec![Operand::Word(san.clone())]));
        }
        // The counters are the last two fields, in the FENs of variants too.
        let mut fields = position.fen.rsplitn(3, ' ');
        let mut number = |usual| fields.next().and_then(|n| n.parse().ok()).unwrap_or(usual);
        let (full, half) = (number(1), number(0));
        EpdLine {
            position: fields.next().unwrap_or_default().to_owned(),
            counters: Some((half, full)),
            operations,
            ..EpdLine::default()
        }
    }
}

/// The operations that say which game it is.
fn operations(tags: &[EpdTag<'_>], address: &str) -> Vec<Operation> {
    let value = |tag: &str| {
        let (_, value) = tags.iter().rfind(|(name, _)| *name == tag.as_bytes())?;
        let value = decoded(value).trim().to_owned();
        // A value of nothing but question marks, periods, dashes and blanks is unknown.
        value.contains(|c| !"?.- ".contains(c)).then_some(value)
    };
    let operation = |opcode, value: &str| Operation::new(opcode, vec![Operand::string(value)]);
    let known = TAGS.iter();
    let known = known.filter_map(|(tag, opcode)| Some(operation(opcode, &value(tag)?)));
    let mut all: Vec<Operation> = known.collect();
    let players = match (value("White"), value("Black")) {
        (None, None) => None,
        (white, black) => {
            let name = |name: Option<String>| name.unwrap_or_else(|| "?".to_owned());
            Some(format!("{} - {}", name(white), name(black)))
        }
    };
    let facts = [players, value("Event"), value("Date")];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    all.push(match facts.as_slice() {
        [] => operation("id", address),
        facts => operation("id", &facts.join(", ")),
    });
    // Opcodes that begin with a capital are private (16.2.4.2).
    let is_chess = |name: &str| Rules::from_variant_tag(name.as_bytes()) == Some(Rules::Chess);
    let variant = value("Variant").filter(|name| !is_chess(name));
    all.extend(variant.map(|name| operation("Variant", &name)));
    all
}
