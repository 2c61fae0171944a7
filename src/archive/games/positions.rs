//! The positions of a game, as tables show them (spec/manual/tables.md, 3): those of its main line,
//! or those before each move, variations too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::repeat_n;

use super::annotations::{LineNotes, MoveNotes, OpenLines};
use super::line::play;
use super::walk::BlockGames;
use crate::run::Error;
use pgc_chess::{EpSquare, Position, SanText, known_start};
use pgc_pgn::game::{ElemKind, Wholeness};
use pgc_pgn::says::Says;

/// The letters of pawn to king, and their values in pawns.
const PIECES: [(char, i32); 6] = [('K', 0), ('Q', 9), ('R', 5), ('B', 3), ('N', 3), ('P', 1)];

/// What is wanted of each position; the rest is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedFacts {
    /// The key, and how often the game had the position.
    pub key: bool,
    /// The move in SAN.
    pub san: bool,
    /// What comments and NAGs say of the move.
    pub notes: bool,
    /// A row for each move of all lines, instead of each position of the main line.
    pub nodes: bool,
}

impl WantedFacts {
    /// Those that the columns with these names show.
    pub fn shown_by<'n>(columns: impl IntoIterator<Item = &'n str>) -> WantedFacts {
        let mut wanted = WantedFacts::default();
        for column in columns {
            match column {
                "key" | "repetition" => wanted.key = true,
                "san" => wanted.san = true,
                "clock" | "elapsed" | "eval" | "mate" | "depth" | "comment" | "before" | "nags" => {
                    wanted.notes = true;
                }
                _ => {}
            }
        }
        wanted
    }
}

/// A value of a column of the table of positions.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the types of spec/manual/tables.md")]
pub enum PositionValue<'r> {
    Text(Option<Cow<'r, str>>),
    Number(Option<i32>),
    /// The number of a game.
    Game(u64),
    Key(Option<u64>),
    Move(Option<u16>),
    Seconds(Option<f64>),
    Flag(bool),
    /// Null if there are none.
    Numbers(Vec<i32>),
}

fn text<'r>(text: impl Into<Cow<'r, str>>) -> PositionValue<'r> {
    PositionValue::Text(Some(text.into()))
}

/// A column of the table of positions: its name, and its value.
pub type PositionColumn = (
    &'static str,
    for<'r> fn(&'r PositionRow<'_>) -> PositionValue<'r>,
);

/// The columns, as spec/manual/tables.md defines them.
pub static COLUMNS: [PositionColumn; 23] = {
    use PositionValue::{Flag, Game, Key, Move, Number, Numbers, Seconds, Text};
    [
        ("archive", |row| text(row.archive)),
        ("number", |row| Game(row.number)),
        ("ply", |row| Number(i32::try_from(row.ply).ok())),
        ("key", |row| Key(row.key)),
        ("fen", |row| text(row.position.fen())),
        ("fen_always", |row| {
            text(row.position.fen_with(EpSquare::Always))
        }),
        ("move", |row| Move(row.packed)),
        ("san", |row| Text(row.packed.map(|_| row.san.into()))),
        ("uci", |row| {
            Text(row.uci().map(|uci| uci.to_string().into()))
        }),
        ("side", |row| text(row.side())),
        ("clock", |row| Seconds(row.says().clock)),
        ("elapsed", |row| Seconds(row.says().elapsed)),
        ("eval", |row| Number(row.evaluation()[0])),
        ("mate", |row| Number(row.evaluation()[1])),
        ("depth", |row| Number(row.evaluation()[2])),
        ("comment", |row| {
            Text(row.notes.and_then(MoveNotes::comment).map(Cow::from))
        }),
        ("nags", |row| {
            let nags = row.notes.and_then(MoveNotes::nags);
            Numbers(nags.map(<[i32]>::to_vec).unwrap_or_default())
        }),
        ("white_material", |row| Number(Some(row.points()[0]))),
        ("black_material", |row| Number(Some(row.points()[1]))),
        ("material", |row| text(row.material())),
        ("phase", |row| text(row.phase())),
        ("repetition", |row| Number(row.repetition)),
        ("is_last", |row| Flag(row.packed.is_none())),
    ]
};

/// Further columns of the table of nodes.
pub static NODE_COLUMNS: [PositionColumn; 4] = {
    use PositionValue::{Number, Text};
    [
        ("node", |row| Number(i32::try_from(row.node).ok())),
        ("parent", |row| Number(i32::try_from(row.parent).ok())),
        ("variation", |row| Number(i32::try_from(row.depth).ok())),
        ("before", |row| {
            let before = row.notes.map(|notes| notes.before.as_str());
            Text(before.filter(|text| !text.is_empty()).map(Cow::from))
        }),
    ]
};

/// A position, and the move that is played in it.
#[derive(Debug)]
pub struct PositionRow<'r> {
    archive: &'r str,
    /// The number of the game, from 1.
    number: u64,
    /// The plies played before.
    ply: u32,
    position: &'r Position,
    /// PolyGlot's key; `None` under rules that it does not know.
    key: Option<u64>,
    /// How often the game has had the position so far.
    repetition: Option<i32>,
    /// The move in 16 bits; `None` in the last position.
    packed: Option<u16>,
    san: &'r str,
    ordinal: Option<u8>,
    /// What comments and NAGs say of the move.
    notes: Option<&'r MoveNotes>,
    /// The number of the move among all of the game, of the move that it follows (0: none), and
    /// the variations around it; only of a move of any line.
    node: u32,
    parent: u32,
    depth: usize,
}

impl PositionRow<'_> {
    fn uci(&self) -> Option<SanText> {
        let chosen = self.position.select(self.ordinal?)?;
        Some(self.position.uci(chosen))
    }

    /// Who is to move.
    fn side(&self) -> &'static str {
        ["black", "white"][usize::from(self.position.white_to_move())]
    }

    fn says(&self) -> Says {
        self.notes.map(|notes| notes.says).unwrap_or_default()
    }

    /// The evaluation after the move in hundredths of a pawn, the moves to mate, and the depth.
    fn evaluation(&self) -> [Option<i32>; 3] {
        self.notes.map_or([None; 3], MoveNotes::evaluation)
    }

    /// The pieces of White and of Black in pawns.
    fn points(&self) -> [i32; 2] {
        self.position.material().map(|counts| {
            let values = PIECES.iter().zip(counts);
            values
                .map(|(piece, count)| piece.1 * i32::from(count))
                .sum()
        })
    }

    /// The pieces of White and of Black by their letters.
    fn material(&self) -> String {
        let [white, black] = self.position.material().map(|counts| -> String {
            let pieces = PIECES.iter().zip(counts);
            pieces
                .flat_map(|(piece, count)| repeat_n(piece.0, count.into()))
                .collect()
        });
        format!("{white} {black}")
    }

    /// The phase of the game, by the number of queens, rooks, bishops and knights.
    fn phase(&self) -> &'static str {
        let counts = self.position.material();
        let pieces = counts.iter().flat_map(|side| &side[1..5]);
        match pieces.map(|&count| u32::from(count)).sum() {
            ..=6_u32 => "endgame",
            7..=10 => "middlegame",
            _ => "opening",
        }
    }
}

/// Walks over the positions of games, and keeps memory for the next game.
#[derive(Debug, Default)]
pub struct PositionWalk {
    notes: LineNotes,
    /// How often each position of the current game was there.
    seen: HashMap<u64, i32>,
    san: SanText,
}

/// A line whose moves are being walked over.
struct WalkedLine {
    now: Position,
    /// The position before the last move, if variations may need it.
    before: Option<Position>,
    /// The number of the last move, and of the one that it follows.
    ends: (u32, u32),
}

impl PositionWalk {
    /// Calls `each` with the positions of the current game, which has this number (from 1) in its
    /// archive.
    ///
    /// # Errors
    /// [`Error::Damaged`]: a move has no legal ordinal.
    pub fn each(
        &mut self,
        games: &BlockGames<'_>,
        (archive, number): (&str, u64),
        wanted: WantedFacts,
        mut each: impl FnMut(&PositionRow<'_>),
    ) -> Result<(), Error> {
        let data = games.game();
        let read = data.game();
        let Ok(position) = known_start(data.tags()) else {
            return Ok(());
        };
        self.seen.clear();
        if wanted.notes {
            let black = !position.white_to_move();
            self.notes.read(data.text(), &read, black, wanted.nodes);
        }
        let is_played = !data.is_text() && read.wholeness != Wholeness::TextOnly;
        let elems = read.elems[read.tag_elems..].iter().filter(|_| is_played);
        let has_variations = wanted.nodes && read.kinds.any(&[ElemKind::RavOpen]);
        let mut open = OpenLines::new(wanted.nodes);
        let line = |now, parent| WalkedLine {
            now,
            before: None,
            ends: (parent, 0),
        };
        let mut lines = vec![line(position, 0)];
        // The last position has no move.
        for elem in elems.map(Some).chain((!wanted.nodes).then_some(None)) {
            let is_read = elem.is_none_or(|elem| open.take(elem.kind));
            lines.truncate(open.depth() + 1);
            let is_new = lines.len() <= open.depth();
            let Some(last) = lines.last_mut().filter(|_| is_read) else {
                continue;
            };
            let moved = elem.filter(|elem| elem.kind == ElemKind::Move);
            if elem.is_some() && moved.is_none() {
                if let (Some(before), true) = (&last.before, is_new) {
                    let variation = line(before.clone(), last.ends.1);
                    lines.push(variation);
                }
                continue;
            }
            let position = last.now.clone();
            let key = wanted.key.then(|| position.polyglot_key()).flatten();
            let repetition = key.map(|key| {
                let times = self.seen.entry(key).or_default();
                *times += 1;
                *times
            });
            let san = wanted.san.then_some(&mut self.san);
            let packed = moved.map(|elem| play(games, &mut last.now, elem.ordinal, san));
            let (node, ply) = open.last();
            last.ends = (node, last.ends.0);
            each(&PositionRow {
                archive,
                number,
                ply: ply + u32::from(moved.is_none() && node > 0),
                position: &position,
                key,
                repetition,
                packed: packed.transpose()?,
                san: &self.san,
                ordinal: moved.map(|elem| elem.ordinal),
                notes: moved.and_then(|_| self.notes.of_ply(node - 1)),
                node,
                parent: last.ends.1,
                depth: open.depth(),
            });
            last.before = has_variations.then_some(position);
        }
        Ok(())
    }
}
