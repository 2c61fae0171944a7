//! Tag pairs: their names and values (spec/small.md section 4).

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::block::small::bits::{
    BitCoder, Chances, Context, Mixer, Read, context, plain_bits, plain_number,
};
use crate::block::small::known::{Id, Known};
use crate::block::small::values::{
    counted, date, number, signed_number, site, spell_date, spell_site, spell_time, time,
};
use crate::chess::BadCode;

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
pub(crate) const EVENT: Id = name(0);
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
    side: Option<PlayerSide>,
}

/// The values of a group that were spelled in letters, and the place of each.
#[derive(Clone, Debug, Default)]
struct SpelledGroup {
    values: Vec<Id>,
    places: HashMap<Id, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlayerSide {
    White,
    Black,
}

/// How a value that is no candidate is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Way {
    /// A value of its group, by its number.
    Known,
    Letters,
    /// As the difference to another number.
    Number,
    SignedNumber,
    Time,
    Date,
    /// As the value before, but for the number at its end.
    Counted,
    /// As the value before, but for eight letters and digits at its end.
    Site,
}

const WAYS: [Way; 8] = [
    Way::Known,
    Way::Letters,
    Way::Number,
    Way::SignedNumber,
    Way::Time,
    Way::Date,
    Way::Counted,
    Way::Site,
];

/// The model of all tags of a block.
#[derive(Debug)]
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
    letters: Mixer<5>,
    numbers: Mixer<2>,
    /// The first value that this game has for each of [`NAMES`], and its last value.
    game: [Id; NAMES.len()],
    last_value: Id,
    /// The name before.
    before: Id,
    /// The plies of this game.
    plies: u64,
}

impl Clone for Tags {
    fn clone(&self) -> Tags {
        let mut tags = Tags::new();
        tags.clone_from(self);
        tags
    }

    // The tables keep their memory.
    fn clone_from(&mut self, from: &Tags) {
        self.memory.clone_from(&from.memory);
        self.chances.clone_from(&from.chances);
        self.letters.clone_from(&from.letters);
        self.numbers.clone_from(&from.numbers);
        self.known.clone_from(&from.known);
        self.columns.clone_from(&from.columns);
        self.groups.clone_from(&from.groups);
        self.next_names.clone_from(&from.next_names);
        self.names.clone_from(&from.names);
        self.name_places.clone_from(&from.name_places);
        (self.players, self.game) = (from.players, from.game);
        (self.last_value, self.before) = (from.last_value, from.before);
        self.plies = from.plies;
    }
}

const MEMORY_BITS: u32 = 16;
/// The most candidates that are tried.
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

    /// See [`Models::settle`](super::models::Models::settle).
    pub(crate) fn settle(&mut self, limit: u32) {
        self.chances.settle(limit);
        self.letters.settle(limit);
        self.numbers.settle(limit);
    }

    pub(crate) fn begin_game(&mut self, plies: u64) {
        self.players = [self.value_of(WHITE), self.value_of(BLACK)];
        (self.game, self.last_value) = ([NONE; NAMES.len()], NONE);
        self.before = NONE;
        self.plies = plies;
    }

    /// The number of a name of the roster.
    pub(crate) fn known_name(&self, name: &[u8]) -> Id {
        self.known.find(name).unwrap_or(NONE)
    }

    /// The text of a name or value.
    pub(crate) fn text(&self, id: Id) -> &[u8] {
        self.known.get(id)
    }

    /// The first value that this game has for one of [`NAMES`].
    pub(crate) fn value_of(&self, name: Id) -> Id {
        let place = name.checked_sub(FIRST_NAME).map(|at| at as usize);
        place
            .and_then(|at| self.game.get(at))
            .copied()
            .unwrap_or(NONE)
    }

    /// Codes the name of the next tag.
    pub(crate) fn name<C: BitCoder>(&mut self, coder: &mut C, next: NextTag<'_>) -> Read<Id> {
        let (given, name) = match next {
            NextTag::Unknown => (NONE, &b""[..]),
            NextTag::End => (TAGS_END, &b""[..]),
            NextTag::Line => (TAG_LINE, &b""[..]),
            NextTag::Name(name) => (self.known.find(name).unwrap_or(NONE), name),
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
                let total = self.names.len() as u64 + 2;
                let place = match given {
                    TAGS_END | TAG_LINE => u64::from(given) - 1,
                    _ => 2 + u64::from(place.unwrap_or(0)),
                };
                match plain_number(coder, place, total)? {
                    place @ (0 | 1) => place as Id + 1,
                    place => self.names[place as usize - 2],
                }
            } else {
                let text = self.spell(coder, 0, name, NONE)?;
                if text.is_empty() {
                    return Err(BadCode);
                }
                let id = self.known.add(&text);
                self.name_places
                    .entry(id)
                    .or_insert(self.names.len() as u32);
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
        let sides = [
            (&b"White"[..], PlayerSide::White),
            (b"Black", PlayerSide::Black),
        ];
        let split = sides
            .into_iter()
            .find_map(|(prefix, side)| Some((text.strip_prefix(prefix)?.to_vec(), side)));
        let group = match &split {
            Some((rest, _)) => self.known.add(&[b"White", &rest[..]].concat()),
            None => name,
        };
        let column = Column {
            group,
            side: split.map(|(_, side)| side),
            ..Column::default()
        };
        self.columns.insert(name, column);
        column
    }

    fn slot(kind: u32, a: u32, b: u32) -> usize {
        (context(context(a, b), kind).wrapping_mul(0x9e37_79b1) >> (32 - MEMORY_BITS)) as usize
    }

    /// Codes the value of the tag whose name was coded last.
    pub(crate) fn value<C: BitCoder>(&mut self, coder: &mut C, name: Id, value: &[u8]) -> Read<Id> {
        let given = if C::READS {
            NONE
        } else {
            self.known.find(value).unwrap_or(NONE)
        };
        let column = self.column(name);
        let player = match column.side {
            Some(PlayerSide::White) if name != WHITE => self.value_of(WHITE),
            Some(PlayerSide::Black) if name != BLACK => self.value_of(BLACK),
            _ => NONE,
        };
        let tag_before = self.last_value;
        let slots = [
            Tags::slot(0, column.group, player),
            Tags::slot(1, name, column.last),
            Tags::slot(2, name, tag_before),
            Tags::slot(3, name, self.value_of(EVENT)),
            Tags::slot(4, name, self.value_of(RESULT)),
        ];
        let bound = player != NONE;
        let copy = match name {
            WHITE => self.players[1],
            BLACK => self.players[0],
            PLY_COUNT => self.known.add(self.plies.to_string().as_bytes()),
            _ => self.value_of(DATE),
        };
        let offers = [
            if bound { self.memory[slots[0]] } else { NONE },
            self.memory[slots[1]],
            self.memory[slots[2]],
            column.last,
            self.memory[slots[3]],
            self.memory[slots[4]],
            copy,
            tag_before,
        ];
        let mut tried = [NONE; CANDIDATES];
        let (mut count, mut found) = (0, NONE);
        for (i, &offer) in offers.iter().enumerate() {
            if offer == NONE || tried[..count].contains(&offer) || count == CANDIDATES {
                continue;
            }
            let agree = offers[i..]
                .iter()
                .filter(|&&other| other == offer)
                .count()
                .min(3);
            tried[count] = offer;
            let at = context(
                context(name, column.history & 0x1ff),
                i as u32 | (agree as u32) << 4 | (count as u32) << 8,
            );
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
        if bound {
            self.memory[slots[0]] = found;
        }
        for &slot in &slots[1..] {
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
        if let Some(first) = name
            .checked_sub(FIRST_NAME)
            .and_then(|at| self.game.get_mut(at as usize))
            && *first == NONE
        {
            *first = found;
        }
        Ok(found)
    }

    /// Codes a value that is no candidate.
    fn fresh<C: BitCoder>(
        &mut self,
        coder: &mut C,
        name: Id,
        column: &Column,
        player: Id,
        value: &[u8],
        given: Id,
    ) -> Read<Id> {
        let group = column.group;
        let base = self.base(name, column, player);
        let last = if column.fresh == NONE {
            column.last
        } else {
            column.fresh
        };
        let way = if C::READS {
            Way::Known
        } else {
            let known = self.groups.get(&group);
            let is_known = known.is_some_and(|known| known.places.contains_key(&given));
            self.way(value, last, is_known)
        };
        let way = WAYS[self.chances.symbol(coder, context(name, 2), 3, way as u32) as usize];
        let at = |kind: u32| context(context(name, kind), 3);
        let text = match way {
            Way::Known => {
                let known = self.groups.get(&group).ok_or(BadCode)?;
                let place = known.places.get(&given).copied().unwrap_or(0);
                let place = plain_number(coder, u64::from(place), known.values.len() as u64)?;
                return Ok(known.values[place as usize]);
            }
            Way::Letters => self.spell(coder, group, value, last)?,
            Way::Number => {
                let (kind, base) = base;
                let number = number(value).unwrap_or(0).wrapping_sub(base);
                let number = self
                    .numbers
                    .signed(coder, &[at(kind), at(8)], kind as usize, number);
                let number = base.wrapping_add(number);
                u64::try_from(number)
                    .map_err(|_| BadCode)?
                    .to_string()
                    .into_bytes()
            }
            Way::SignedNumber => {
                let contexts = self.difference_contexts(name);
                let number = signed_number(value).unwrap_or(0);
                let number = self.numbers.signed(coder, &contexts, 8, number);
                format!("{number:+}").into_bytes()
            }
            Way::Time => {
                let before = time(self.known.get(last)).unwrap_or(0);
                let step = time(value).unwrap_or(0) - before;
                let step = self.numbers.signed(coder, &[at(9), at(10)], 9, step);
                spell_time(before.wrapping_add(step)).ok_or(BadCode)?
            }
            Way::Date => {
                let before = date(self.known.get(last)).unwrap_or(0);
                let step = date(value).unwrap_or(0) - before;
                let step = self.numbers.signed(coder, &[at(11), at(12)], 10, step);
                spell_date(before.wrapping_add(step)).ok_or(BadCode)?
            }
            Way::Counted => {
                let (head, before) = counted(self.known.get(last)).ok_or(BadCode)?;
                let head = head.to_vec();
                let step = counted(value).map_or(0, |v| v.1) - before;
                let step = self.numbers.signed(coder, &[at(13), at(14)], 11, step);
                let number = u64::try_from(before.wrapping_add(step)).map_err(|_| BadCode)?;
                [&head[..], number.to_string().as_bytes()].concat()
            }
            Way::Site => {
                let (head, _) = site(self.known.get(last)).ok_or(BadCode)?;
                let head = head.to_vec();
                let number = site(value).map_or(0, |v| v.1);
                let number = plain_bits(coder, number, 48);
                [&head[..], &spell_site(number).ok_or(BadCode)?].concat()
            }
        };
        // No record holds a longer value.
        if text.len() > 255 {
            return Err(BadCode);
        }
        let id = self.known.add(&text);
        if way == Way::Letters {
            let group = self.groups.entry(group).or_default();
            if let Entry::Vacant(place) = group.places.entry(id) {
                place.insert(group.values.len() as u32);
                group.values.push(id);
            }
        }
        Ok(id)
    }

    /// The way to code a value.
    fn way(&self, value: &[u8], last: Id, is_known: bool) -> Way {
        let last = self.known.get(last);
        if number(value).is_some() {
            Way::Number
        } else if signed_number(value).is_some() {
            Way::SignedNumber
        } else if is_known {
            Way::Known
        } else if time(value).is_some() {
            Way::Time
        } else if date(value).is_some() && date(last).is_some() {
            Way::Date
        } else if let (Some(a), Some(b)) = (counted(value), counted(last))
            && a.0 == b.0
        {
            Way::Counted
        } else if let (Some(a), Some(b)) = (site(value), site(last))
            && a.0 == b.0
        {
            Way::Site
        } else {
            Way::Letters
        }
    }

    /// The number from which one of this column probably differs little, and its kind.
    fn base(&self, name: Id, column: &Column, player: Id) -> (u32, i64) {
        let read = |id: Id| number(self.known.get(id));
        if player != NONE
            && let Some(own) = read(self.memory[Tags::slot(0, column.group, player)])
        {
            return (0, own);
        }
        if name == BLACK_ELO
            && let Some(other) = read(self.value_of(WHITE_ELO))
        {
            return (1, other);
        }
        (2, read(column.last).unwrap_or(0))
    }

    /// What a difference of ratings depends on: the ratings and the result; the other difference.
    fn difference_contexts(&self, name: Id) -> [Context; 2] {
        let read = |id: Id| number(self.known.get(self.value_of(id))).unwrap_or(0);
        let ahead = (read(WHITE_ELO) - read(BLACK_ELO)).clamp(-600, 600) / 20;
        let result = self.value_of(RESULT);
        let other = if name == BLACK_DIFF {
            self.value_of(WHITE_DIFF)
        } else {
            NONE
        };
        let other = signed_number(self.known.get(other)).unwrap_or(99) as u32;
        let at = context(context(name, result), ahead as u32);
        [context(at, 4), context(context(name, other), result)]
    }

    /// Codes a text letter by letter.
    fn spell<C: BitCoder>(
        &mut self,
        coder: &mut C,
        group: Id,
        text: &[u8],
        last: Id,
    ) -> Read<Vec<u8>> {
        let mut done: Vec<u8> = Vec::new();
        let mut fits = true;
        loop {
            let at = done.len();
            let letter = |back: usize| at.checked_sub(back).map_or(0, |at| u32::from(done[at]));
            let guess = match self.known.get(last).get(at) {
                Some(&byte) if fits => u32::from(byte) + 1,
                _ => 0,
            };
            let (one, two, three) = (letter(1), letter(2), letter(3));
            let contexts = [
                context(context(group, one), 0x10),
                context(context(group, one << 8 | two), 0x11),
                context(one << 16 | two << 8 | three, 0x12),
                context(
                    context(one << 24 | two << 16 | three << 8 | letter(4), letter(5)),
                    0x13,
                ),
                context(context(group, guess), (at.min(30) as u32) << 8 | 0x14),
            ];
            let given = text.get(at).copied().unwrap_or(0);
            let byte = self.letters.symbol(coder, &contexts, one as usize, given);
            if byte == 0 {
                return Ok(done);
            }
            fits &= guess == u32::from(byte) + 1;
            done.push(byte);
            if done.len() > 255 {
                return Err(BadCode);
            }
        }
    }
}
