//! Reads games: the training text (tags, then SAN without move numbers), and PGN.

use std::{fs::File, io, ops::ControlFlow, path::Path};

use anyhow::{Context as _, Result};
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Move, Position as _, PositionError, fen::Fen, san::San};

use crate::features::Line;

/// A game: where it starts, and its moves with variations.
#[derive(Clone, Debug, Default)]
pub struct Game {
    pub start: Chess,
    pub items: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Move(Move),
    /// A variation begins: it replaces the last move.
    Open,
    Close,
}

impl Game {
    /// Calls `f` with every move and the line that it is played in, variations in their places.
    pub fn each(&self, mut f: impl FnMut(&Line, Move)) {
        let mut line = Line::new(self.start.clone());
        let mut before = line.clone();
        let mut stack = Vec::new();
        for &item in &self.items {
            match item {
                Item::Move(m) => {
                    f(&line, m);
                    before = line.clone();
                    line.play(m);
                }
                Item::Open => {
                    stack.push((line.clone(), before.clone()));
                    line = before.clone();
                }
                Item::Close => (line, before) = stack.pop().expect("closes what was opened"),
            }
        }
    }

    pub fn plies(&self) -> usize {
        self.items
            .iter()
            .filter(|item| matches!(item, Item::Move(_)))
            .count()
    }
}

/// What the tags say: rules that the model knows, and the start.
#[derive(Debug, Default)]
pub struct Tags {
    variant: String,
    fen: Option<String>,
}

impl Tags {
    fn set(&mut self, name: &str, value: &str) {
        match name {
            "Variant" => {
                self.variant = value
                    .chars()
                    .filter(|c| *c != ' ')
                    .map(|c| c.to_ascii_lowercase())
                    .collect();
            }
            "FEN" => self.fen = Some(value.to_string()),
            _ => (),
        }
    }

    /// `None`: the model does not know the rules, or nobody knows the start.
    fn start(&self) -> Option<Chess> {
        let mode = match self.variant.as_str() {
            "" | "?" | "standard" | "normal" | "chess" | "fromposition" | "regular"
            | "classical" => CastlingMode::Standard,
            "chess960" | "chess-960" | "fischerandom" | "fischerrandom" | "fischerrandomchess"
            | "frc" => CastlingMode::Chess960,
            _ => return None,
        };
        let Some(fen) = &self.fen else {
            return Some(Chess::default());
        };
        let fen: Fen = fen.parse().ok()?;
        position(fen, mode)
    }
}

/// The position of a FEN, repaired as spec/pgn-import.md 3.2 repairs it.
pub fn position(fen: Fen, mode: CastlingMode) -> Option<Chess> {
    fen.into_position::<Chess>(mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// Reads training text, decompressed if its name ends in `.zst`.
pub fn read_text(path: &Path) -> Result<String> {
    let context = || format!("reading {}", path.display());
    let bytes = std::fs::read(path).with_context(context)?;
    let bytes = match path.extension().is_some_and(|ext| ext == "zst") {
        true => zstd::decode_all(&bytes[..]).with_context(context)?,
        false => bytes,
    };
    String::from_utf8(bytes).with_context(context)
}

/// The pieces of training text that each hold one game.
pub fn split(text: &str) -> Vec<&str> {
    let mut games = Vec::new();
    let mut rest = text;
    // A game is a block of tags, an empty line, a line of moves, an empty line.
    while let Some(tags) = rest.find("\n\n") {
        let end = rest[tags + 2..]
            .find("\n\n")
            .map_or(rest.len(), |at| tags + 2 + at + 2);
        games.push(&rest[..end]);
        rest = &rest[end..];
    }
    games
}

/// One game of training text, as far as it can be read.
pub fn parse(text: &str) -> Option<Game> {
    let mut tags = Tags::default();
    let mut items = Vec::new();
    let mut pos: Option<Chess> = None;
    let mut start = None;
    'lines: for line in text.lines() {
        if let Some(tag) = line.strip_prefix('[') {
            if let Some((name, value)) = tag.split_once(' ') {
                tags.set(name, value.trim_end_matches(']').trim_matches('"'));
            }
            continue;
        }
        for token in line.split_ascii_whitespace() {
            if pos.is_none() {
                start = tags.start();
                pos = Some(start.clone()?);
            }
            let pos = pos.as_mut()?;
            let Ok(san) = San::from_ascii(token.as_bytes()) else {
                break 'lines;
            };
            let Ok(m) = san.to_move(pos) else {
                break 'lines;
            };
            items.push(Item::Move(m));
            pos.play_unchecked(m);
        }
    }
    Some(Game {
        start: start?,
        items,
    })
}

/// Calls `f` with every game of a PGN file that the model knows the rules of. A line ends at its
/// first move that is not spelled as it should be, or is not legal.
pub fn each_pgn(path: &Path, f: impl FnMut(Game)) -> Result<()> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let mut reader = Reader::new(io::BufReader::new(file));
    let mut visitor = PgnVisitor { f };
    while reader
        .read_game(&mut visitor)
        .with_context(|| format!("reading {}", path.display()))?
        .is_some()
    {}
    Ok(())
}

struct PgnVisitor<F> {
    f: F,
}

struct Movetext {
    game: Game,
    line: Chess,
    before: Option<Chess>,
    /// A move could not be read: the line has ended.
    ended: bool,
    stack: Vec<(Chess, Option<Chess>, bool)>,
}

impl<F: FnMut(Game)> Visitor for PgnVisitor<F> {
    type Tags = Tags;
    type Movetext = Movetext;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        tags.set(&String::from_utf8_lossy(name), &value.decode_utf8_lossy());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<(), Movetext> {
        match tags.start() {
            Some(start) => ControlFlow::Continue(Movetext {
                line: start.clone(),
                game: Game {
                    start,
                    items: Vec::new(),
                },
                before: None,
                ended: false,
                stack: Vec::new(),
            }),
            None => ControlFlow::Break(()),
        }
    }

    fn san(&mut self, text: &mut Movetext, san: SanPlus) -> ControlFlow<()> {
        if text.ended {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(&text.line) {
            Ok(m) => {
                text.game.items.push(Item::Move(m));
                text.before = Some(text.line.clone());
                text.line.play_unchecked(m);
            }
            Err(_) => text.ended = true,
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, text: &mut Movetext) -> ControlFlow<(), Skip> {
        let Some(before) = text.before.clone().filter(|_| !text.ended) else {
            return ControlFlow::Continue(Skip(true));
        };
        text.game.items.push(Item::Open);
        text.stack
            .push((text.line.clone(), text.before.take(), text.ended));
        text.line = before;
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, text: &mut Movetext) -> ControlFlow<()> {
        if let Some((line, before, ended)) = text.stack.pop() {
            (text.line, text.before, text.ended) = (line, before, ended);
            text.game.items.push(Item::Close);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, mut text: Movetext) {
        for _ in text.stack.drain(..) {
            text.game.items.push(Item::Close);
        }
        (self.f)(text.game);
    }
}
