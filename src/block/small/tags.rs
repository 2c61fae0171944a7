//! Tag pairs: their names and values (spec/small.md section 4).

use hashbrown::HashMap;

use crate::small::bits::{BitCoder, Chances, Mixer, Read, context};
use crate::small::known::{Id, Known};
use pgc_chess::BadCode;

mod fresh;

/// No text.
const NONE: Id = 0;
/// The name of the end of the tags, and of a `%` line among them.
pub(crate) const TAGS_END: Id = 1;
pub(crate) const TAG_LINE: Id = 2;
/// The first name of the roster.
pub(crate) const FIRST_NAME: Id = 3;

/// Names that the model treats in a way of their own. They have the first numbers.
const NAMES: [&[u8]; 20] = [
    b"Event",
    b"Site",
    b"Date",
    b"Round",
    b"White",
    b"Black",
    b"Result",
    b"UTCDate",
    b"UTCTime",
    b"WhiteElo",
    b"BlackElo",
    b"WhiteRatingDiff",
    b"BlackRatingDiff",
    b"ECO",
    b"Opening",
    b"TimeControl",
    b"Termination",
    b"EventDate",
    b"PlyCount",
    b"Variant",
];

const fn name(at: u32) -> Id {
    FIRST_NAME + at
}

/// The place of a name in [`NAMES`]; beyond its end for another name.
fn place(name: Id) -> usize {
    name.wrapping_sub(FIRST_NAME) as usize
}

pub(crate) const DATE: Id = name(2);
pub(crate) const WHITE: Id = name(4);
pub(crate) const BLACK: Id = name(5);
pub(crate) const RESULT: Id = name(6);
const WHITE_ELO: Id = name(9);
const BLACK_ELO: Id = name(10);
const WHITE_DIFF: Id = name(11);
const BLACK_DIFF: Id = name(12);
pub(crate) const TIME_CONTROL: Id = name(15);
const PLY_COUNT: Id = name(18);

/// What follows in the tag section.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextTag<'a> {
    /// A reader passes this, and gets what it reads.
    Unknown,
    End,
    /// A `%` line.
    Line,
    /// A tag of this name.
    Name(&'a [u8]),
}

/// Tags of one name.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    /// The last value, and the last value that was no candidate.
    last: Id,
    fresh: Id,
    /// The last outcomes: the number of candidates tried, or 7 if none was right; the latest in the
    /// lowest bits.
    history: u32,
    /// The columns of both sides, such as WhiteElo and BlackElo, share a group.
    group: Id,
    /// The name of the player whom they are about: [`WHITE`] or [`BLACK`].
    side: Option<Id>,
}

/// The values of a group that were spelled in letters, and the place of each.
#[derive(Clone, Debug, Default)]
struct SpelledGroup {
    values: Vec<Id>,
    places: HashMap<Id, u32>,
}

/// Places in [`Tags::memory`]: by the player whom the tag is about, if that is known, by the last
/// value of the column, by the value of the tag before and by the result.
type TagMemory = [Option<usize>; 4];

/// The model of all tags of a block.
pub(crate) struct Tags {
    known: Known,
    columns: HashMap<Id, Column>,
    groups: HashMap<Id, SpelledGroup>,
    /// White and Black of the game before.
    players: [Id; 2],
    /// What followed a name last.
    next_names: HashMap<Id, [Id; 2]>,
    names: Vec<Id>,
    name_places: HashMap<Id, u32>,
    /// The value that a tag had last time in a context, such as the same player or the same value
    /// before it.
    memory: Vec<Id>,
    chances: Chances,
    letters: Mixer<3>,
    numbers: Mixer<2>,
    /// The first value that this game has for each of [`NAMES`], and its last value.
    game: [Id; NAMES.len()],
    last_value: Id,
    /// The name before.
    before: Id,
    /// The plies of this game.
    plies: u64,
}

const MEMORY_BITS: u32 = 16;
/// The most candidates of a value.
const CANDIDATES: usize = 6;

impl Tags {
    pub(crate) fn new() -> Tags {
        // The first three stand for no text: for nothing, the end of the tags, and a line.
        let mut known = Known::with_reserved(3);
        let names: Vec<Id> = NAMES.iter().map(|name| known.add(name)).collect();
        let name_places = names.iter().copied().zip(0..).collect();
        Tags {
            known,
            columns: HashMap::new(),
            groups: HashMap::new(),
            players: [NONE; 2],
            next_names: HashMap::new(),
            names,
            name_places,
            memory: vec![NONE; 1 << MEMORY_BITS],
            chances: Chances::new(16),
            letters: Mixer::new(18, 256, 6, 127),
            numbers: Mixer::new(16, 64, 4, 255),
            game: [NONE; NAMES.len()],
            last_value: NONE,
            before: NONE,
            plies: 0,
        }
    }

    pub(crate) fn begin_game(&mut self, plies: u64) {
        self.players = [self.value_of(WHITE), self.value_of(BLACK)];
        (self.game, self.last_value) = ([NONE; NAMES.len()], NONE);
        self.before = NONE;
        self.plies = plies;
    }

    /// The number of a text, such as a name of the roster.
    pub(crate) fn find(&self, text: &[u8]) -> Id {
        self.known.find(text).unwrap_or(NONE)
    }

    /// The text of a name or value.
    pub(crate) fn text(&self, id: Id) -> &[u8] {
        self.known.get(id)
    }

    /// The first value that this game has for one of [`NAMES`].
    pub(crate) fn value_of(&self, name: Id) -> Id {
        self.game.get(place(name)).copied().unwrap_or(NONE)
    }

    /// Codes the name of the next tag.
    pub(crate) fn name<C: BitCoder>(&mut self, coder: &mut C, next: NextTag<'_>) -> Read<Id> {
        let (given, name) = match next {
            NextTag::Unknown => (NONE, &b""[..]),
            NextTag::End => (TAGS_END, &b""[..]),
            NextTag::Line => (TAG_LINE, &b""[..]),
            NextTag::Name(name) => (self.find(name), name),
        };
        let before = self.before;
        let guesses = self.next_names.get(&before).copied().unwrap_or_default();
        let base = context(before, 1);
        let mut found = NONE;
        for (i, guess) in (0..).zip(guesses) {
            if guess != NONE && self.chances.bit(coder, base, i, guess == given) {
                found = guess;
                break;
            }
        }
        if found == NONE {
            let place = self.name_places.get(&given).copied();
            let is_known = matches!(given, TAGS_END | TAG_LINE) || place.is_some();
            found = if self.chances.bit(coder, base, 2, is_known) {
                let total = self.names.len() as u32 + 2;
                let place = match given {
                    TAGS_END | TAG_LINE => given - 1,
                    _ => 2 + place.unwrap_or(0),
                };
                match coder.even(place, total)? {
                    place @ (0 | 1) => place + 1,
                    place => self.names[place as usize - 2],
                }
            } else {
                let text = self.spell(coder, 0, name, NONE)?;
                if text.is_empty() {
                    return Err(BadCode);
                }
                let id = self.known.add(&text);
                let place = self.names.len() as u32;
                self.name_places.entry(id).or_insert(place);
                self.names.push(id);
                id
            };
        }
        if guesses[0] != found {
            self.next_names.insert(before, [found, guesses[0]]);
        }
        self.before = found;
        Ok(found)
    }

    /// The column of a name.
    fn column(&mut self, name: Id) -> Column {
        if let Some(column) = self.columns.get(&name) {
            return *column;
        }
        let text = self.known.get(name);
        let (white, black) = (text.strip_prefix(b"White"), text.strip_prefix(b"Black"));
        let side = white.map(|_| WHITE).or(black.map(|_| BLACK));
        let group = match white.or(black) {
            Some(rest) => self.known.add(&[b"White", rest].concat()),
            None => name,
        };
        let column = self.columns.entry(name).or_default();
        (column.group, column.side) = (group, side);
        *column
    }

    fn slot(kind: u32, a: u32, b: u32) -> usize {
        (context(context(a, b), kind).wrapping_mul(0x9e37_79b1) >> (32 - MEMORY_BITS)) as usize
    }

    /// Codes the value of the tag whose name was coded last.
    pub(crate) fn value<C: BitCoder>(&mut self, coder: &mut C, name: Id, value: &[u8]) -> Read<Id> {
        let given = if C::READS { NONE } else { self.find(value) };
        let column = self.column(name);
        let player = match column.side {
            Some(side) if side != name => self.value_of(side),
            _ => NONE,
        };
        let memory = self.memory_of(name, &column, player);
        let offers = self.offers(name, &column, &memory);
        let mut tried = [NONE; CANDIDATES];
        let (mut count, mut found) = (0, NONE);
        for (i, &offer) in offers.iter().enumerate() {
            if offer == NONE || tried[..count].contains(&offer) {
                continue;
            }
            let agree = offers[i..].iter().filter(|&&other| other == offer);
            let agree = agree.count().min(3);
            let state = i as u32 | (agree as u32) << 4 | (count as u32) << 8;
            let at = context(context(name, column.history & 0x1ff), state);
            tried[count] = offer;
            count += 1;
            if self.chances.bit(coder, at, 0, offer == given) {
                found = offer;
                break;
            }
        }
        let outcome = if found == NONE { 7 } else { count as u32 };
        let found = match found {
            NONE => self.fresh(coder, name, &column, player, value, given)?,
            found => found,
        };
        self.remember(name, &memory, outcome, found);
        Ok(found)
    }

    /// Where the memory has the values of the tag of this name.
    #[inline]
    fn memory_of(&self, name: Id, column: &Column, player: Id) -> TagMemory {
        [
            (player != NONE).then(|| Tags::slot(0, column.group, player)),
            Some(Tags::slot(1, name, column.last)),
            Some(Tags::slot(2, name, self.last_value)),
            Some(Tags::slot(3, name, self.value_of(RESULT))),
        ]
    }

    /// The values that the tag probably has, the most probable first. Some may be equal, or
    /// [`NONE`].
    #[inline]
    fn offers(&mut self, name: Id, column: &Column, memory: &TagMemory) -> [Id; CANDIDATES] {
        let copy = match name {
            WHITE => self.players[1],
            BLACK => self.players[0],
            PLY_COUNT => self.known.add(self.plies.to_string().as_bytes()),
            _ => self.value_of(DATE),
        };
        let [of_player, after_last, after_tag, with_result] =
            memory.map(|slot| slot.map_or(NONE, |slot| self.memory[slot]));
        [
            of_player,
            after_last,
            after_tag,
            column.last,
            with_result,
            copy,
        ]
    }

    /// Keeps the value of a tag for the tags and games behind it.
    #[inline]
    fn remember(&mut self, name: Id, memory: &TagMemory, outcome: u32, found: Id) {
        for &slot in memory.iter().flatten() {
            self.memory[slot] = found;
        }
        if let Some(column) = self.columns.get_mut(&name) {
            if outcome == 7 {
                column.fresh = found;
            }
            column.last = found;
            column.history = column.history << 3 | outcome;
        }
        self.last_value = found;
        if let Some(first @ &mut NONE) = self.game.get_mut(place(name)) {
            *first = found;
        }
    }
}
