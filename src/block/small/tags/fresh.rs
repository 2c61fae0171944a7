//! Values of tags that are no candidates: the ways to code them (spec/small.md section 4).

use hashbrown::hash_map::Entry;

use super::{BLACK_DIFF, BLACK_ELO, Column, NONE, RESULT, Tags, WHITE_DIFF, WHITE_ELO};
use crate::small::bits::{BitCoder, Context, Read, context};
use crate::small::known::Id;
use crate::small::values::{
    SITE_PAIRS, date, number, signed_number, site, site_pair, spell_date, spell_time, time,
};
use pgc_chess::BadCode;

/// How a value that is no candidate is coded.
type Way = u32;

/// As a value of its group, by its number.
const KNOWN: Way = 0;
const LETTERS: Way = 1;
/// As the difference to another number.
const NUMBER: Way = 2;
const SIGNED_NUMBER: Way = 3;
const TIME: Way = 4;
const DATE: Way = 5;
/// As the value before, but for eight letters and digits at its end.
const SITE: Way = 6;

impl Tags {
    /// Codes a value that is no candidate.
    pub(super) fn fresh<C: BitCoder>(
        &mut self,
        coder: &mut C,
        name: Id,
        column: &Column,
        player: Id,
        value: &[u8],
        given: Id,
    ) -> Read<Id> {
        let group = column.group;
        // The last value of the column that was no candidate, or else its last value.
        let last = match column.fresh {
            NONE => column.last,
            fresh => fresh,
        };
        let base = self.base(name, column, player);
        let way = if C::READS {
            KNOWN
        } else {
            let known = self.groups.get(&group);
            let is_known = known.is_some_and(|known| known.places.contains_key(&given));
            self.way(value, last, is_known)
        };
        let way = self.chances.symbol(coder, context(name, 2), 3, way);
        if way == KNOWN {
            let known = self.groups.get(&group).ok_or(BadCode)?;
            let place = known.places.get(&given).copied().unwrap_or(0);
            let place = coder.even(place, known.values.len() as u32)?;
            return Ok(known.values[place as usize]);
        }
        let text = if way == LETTERS {
            self.spell(coder, group, value, last)?
        } else {
            self.number_of(coder, way, name, value, last, base)?
        };
        // No record holds a longer value.
        if text.len() > 255 {
            return Err(BadCode);
        }
        let id = self.known.add(&text);
        if way == LETTERS {
            let group = self.groups.entry(group).or_default();
            if let Entry::Vacant(place) = group.places.entry(id) {
                place.insert(group.values.len() as u32);
                group.values.push(id);
            }
        }
        Ok(id)
    }

    /// Codes the number that a value is or ends in, mostly as a difference to `last`, or to what
    /// [`Tags::base`] gives; returns the text of the value.
    fn number_of<C: BitCoder>(
        &mut self,
        coder: &mut C,
        way: Way,
        name: Id,
        value: &[u8],
        last: Id,
        (kind, base): (u32, i64),
    ) -> Read<Vec<u8>> {
        let at = |kind: u32| context(context(name, kind), 3);
        Ok(match way {
            NUMBER => {
                let contexts = [at(kind), at(8)];
                let step = number(value).unwrap_or(0).wrapping_sub(base);
                let step = self.numbers.signed(coder, &contexts, kind as usize, step)?;
                let number = u64::try_from(base.wrapping_add(step)).map_err(|_| BadCode)?;
                number.to_string().into_bytes()
            }
            SIGNED_NUMBER => {
                let contexts = self.difference_contexts(name);
                let number = signed_number(value).unwrap_or(0);
                let number = self.numbers.signed(coder, &contexts, 8, number)?;
                format!("{number:+}").into_bytes()
            }
            TIME => {
                let before = time(self.known.get(last)).unwrap_or(0);
                let step = time(value).unwrap_or(0) - before;
                let step = self.numbers.signed(coder, &[at(9), at(10)], 9, step)?;
                spell_time(before.wrapping_add(step)).ok_or(BadCode)?
            }
            DATE => {
                let before = date(self.known.get(last)).unwrap_or(0);
                let step = date(value).unwrap_or(0) - before;
                let step = self.numbers.signed(coder, &[at(11), at(12)], 10, step)?;
                spell_date(before.wrapping_add(step)).ok_or(BadCode)?
            }
            SITE => {
                let (head, _) = site(self.known.get(last)).ok_or(BadCode)?;
                let mut text = head.to_vec();
                for pair in site(value).map_or([0; 4], |site| site.1) {
                    text.extend(site_pair(coder.even(pair, SITE_PAIRS)?));
                }
                text
            }
            _ => return Err(BadCode),
        })
    }

    /// The way to code a value.
    fn way(&self, value: &[u8], last: Id, is_known: bool) -> Way {
        let last = self.known.get(last);
        if number(value).is_some() {
            NUMBER
        } else if signed_number(value).is_some() {
            SIGNED_NUMBER
        } else if is_known {
            KNOWN
        } else if time(value).is_some() {
            TIME
        } else if date(value).is_some() && date(last).is_some() {
            DATE
        } else if let (Some(a), Some(b)) = (site(value), site(last))
            && a.0 == b.0
        {
            SITE
        } else {
            LETTERS
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
        let other = match name {
            BLACK_DIFF => self.value_of(WHITE_DIFF),
            _ => NONE,
        };
        let other = signed_number(self.known.get(other)).unwrap_or(99) as u32;
        let at = context(context(name, result), ahead as u32);
        [context(at, 4), context(context(name, other), result)]
    }

    /// Codes a text letter by letter.
    pub(super) fn spell<C: BitCoder>(
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
                context(one << 16 | two << 8 | three, 0x12),
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
