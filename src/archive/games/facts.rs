//! Extracts the facts that an index holds of a game, from source text while packing, or from an
//! archive. Both give the same (spec/index.md section 3).

use pgc_block::units::Parsed;
use pgc_chess::{PlayedFacts, Playing, start_position};
use pgc_index::{Facts, Summaries};
use pgc_pgn::command::tell;
use pgc_pgn::game::{ElemKind, ParsedGame, ParsedGames, TagSpan, Wholeness};
use pgc_pgn::split::UnitKind;
use pgc_pgn::writer::Termination;

/// Which facts an index needs.
#[derive(Clone, Copy, Debug)]
pub struct Wants {
    /// Whether the index has the lines of games.
    pub lines: bool,
    /// Whether games are played for what that tells.
    pub played: bool,
}

impl Wants {
    /// What an index with or without lines wants.
    pub fn new(lines: bool) -> Wants {
        let played = true;
        Wants { lines, played }
    }
}

/// The games of a block, for the index.
#[derive(Debug)]
pub(crate) struct IndexedBlock {
    /// The summary of each game.
    pub games: Summaries,
    /// CRC-32 of the records of the block.
    pub crc: u32,
}

/// Summarises the games of a block of source.
pub(crate) fn of_source(src: &[u8], parsed: &[Parsed<'_>], wants: &Wants) -> Summaries {
    let mut games = Summaries::default();
    for Parsed { unit, game } in parsed {
        let text = &src[unit.start..unit.end];
        match unit.kind {
            UnitKind::Game => of_game(&mut games, text, game, wants),
            UnitKind::Piece(false) => of_piece(&mut games, text),
            UnitKind::Piece(true) | UnitKind::Stray(_) => {}
        }
    }
    games
}

/// Appends the summary of a parsed or decoded game. `text` is what its positions refer to.
pub(crate) fn of_game(games: &mut Summaries, text: &[u8], game: &ParsedGame<'_>, wants: &Wants) {
    let kinds = [ElemKind::Brace, ElemKind::Line];
    let [clocks, evals] = if game.kinds.any(&kinds) {
        let elems = game.elems.iter().filter(|elem| kinds.contains(&elem.kind));
        tell(text, elems.map(|elem| &text[elem.inner()]))
    } else {
        [false; 2]
    };
    let moves = if wants.lines { usize::MAX } else { 0 };
    let facts = Facts {
        terminator: Termination::from_number(game.terminator()),
        wholeness: game.wholeness,
        plies: u32::try_from(game.plies()).unwrap_or(u32::MAX),
        comments: game.kinds.any(&[ElemKind::Brace, ElemKind::Line]),
        variations: game.kinds.any(&[ElemKind::RavOpen]),
        nags: game.kinds.any(&[ElemKind::Nag]),
        clocks,
        evals,
        played: match game.played {
            None if wants.played => replayed(text, game),
            played => played,
        },
        line: game.main_line().take(moves).collect(),
    };
    push(games, text, game, &facts);
}

/// Plays the main line; `None` if it is text, or there is no position to start from.
fn replayed(text: &[u8], game: &ParsedGame<'_>) -> Option<PlayedFacts> {
    if game.wholeness == Wholeness::TextOnly {
        return None;
    }
    let tags: Vec<_> = game.tag_pairs(text).collect();
    let mut position = start_position(tags.iter().map(|(name, value)| (*name, &**value))).ok()?;
    let mut playing = Playing::default();
    playing.begin(&position);
    for ordinal in game.main_line() {
        position.advance(ordinal, None)?;
        playing.see(&position);
    }
    Some(playing.end(&position))
}

fn push(games: &mut Summaries, text: &[u8], game: &ParsedGame<'_>, facts: &Facts) {
    if game.odd_tags {
        let pairs: Vec<_> = game.tag_pairs(text).collect();
        games.push(pairs.iter().map(|(name, value)| (*name, &**value)), facts);
    } else {
        let pair = |tag: &TagSpan| (&text[tag.name.clone()], &text[tag.value.clone()]);
        games.push(game.tags.iter().map(pair), facts);
    }
}

/// Appends the summary of a game kept as text, with the tags that its first piece begins with.
pub(crate) fn of_piece(games: &mut Summaries, text: &[u8]) {
    let mut read = ParsedGames::default();
    let tags = tags_of_piece(&mut read, text).unwrap_or_default();
    let facts = Facts {
        wholeness: Wholeness::TextOnly,
        ..Facts::default()
    };
    push(games, text, &tags, &facts);
}

/// Parses the tag section at the start of a game kept as text.
pub(crate) fn tags_of_piece<'g>(games: &'g mut ParsedGames, text: &[u8]) -> Option<ParsedGame<'g>> {
    // The context before it does not matter: a game begins with a tag pair, with movetext, or at
    // the start of a line.
    games.read_tag_section(text, true).ok()?;
    games.last()
}
