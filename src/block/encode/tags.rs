//! The tag pairs of a game (spec/extension.md section 7): their records, and what the records
//! cannot hold.

use std::collections::HashSet;

use crate::num::{put_num, put_str};
use crate::pieces::put_pieces;
use crate::style::Style;
use crate::tag_value::{SHORT, guess_value, is_plain, is_record_name, record_value};
use pgc_pgn::game::{ElemKind, ParsedGame, TagSpan};
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::put_source_escape;
use pgc_pgn::records::record::{ROSTER, Record, put_record};
use pgc_pgn::tag::{name_bit, unescape};

/// Appends the records of the tag pairs of a game and of the `%` lines among them; `entries` gets
/// what these cannot hold (the escape `T`). Returns whether the tag pairs would fit a 0x01.
pub(crate) fn put_tags(
    out: &mut Vec<u8>,
    entries: &mut Vec<u8>,
    src: &[u8],
    game: &ParsedGame<'_>,
    style: &Style,
) -> bool {
    entries.clear();
    let mut skip = 0;
    let mut names = Names::default();
    let mut roster = game.tags.len() == 7 && game.tag_elems == 7;
    for (i, elem) in game.elems[..game.tag_elems].iter().enumerate() {
        skip += 1;
        if elem.kind == ElemKind::Escape {
            put_source_escape(out, &src[elem.inner()]);
            continue;
        }
        let tag = &game.tags[elem.num as usize];
        let [name, raw] = [&tag.name, &tag.value].map(|range| &src[range.clone()]);
        roster = roster && ROSTER[usize::from(style.roster[i.min(6)])].as_bytes() == name;
        let is_new = !names.repeats(src, game, elem.num as usize);
        if is_new && !game.odd_tags && put_short_pair(out, src, tag).is_some() {
            continue;
        }
        let has_record = is_new && is_record_name(name);
        if has_record && is_plain(raw) {
            put_pair(out, name, raw);
            continue;
        }
        let value = unescape(raw);
        if has_record {
            let record = record_value(&value);
            put_pair(out, name, &record);
            if guess_value(&record, style.utf8) == value {
                continue;
            }
        }
        put_num(entries, skip - 1);
        skip = 0;
        entries.push(u8::from(!has_record));
        if !has_record {
            put_str(entries, name);
        }
        put_str(entries, &value);
    }
    roster && entries.is_empty()
}

/// Appends the record of a tag pair, which fits: [`is_record_name`] and [`record_value`] make sure.
fn put_pair(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    let put = put_record(out, &Record::TagPair { name, value });
    debug_assert!(put.is_some());
}

/// Replaces the records from `begin` on by one 0x01, if there are not too many moves.
pub(crate) fn put_reduced(
    out: &mut Vec<u8>,
    begin: usize,
    src: &[u8],
    game: &ParsedGame<'_>,
    style: &Style,
) -> bool {
    if game.ordinals.len() > MAX_REDUCED {
        return false;
    }
    let values: Vec<_> = game.tag_pairs(src).map(|pair| pair.1).collect();
    let latin: Vec<_> = values.iter().map(|value| record_value(value)).collect();
    let (mut str, moves) = ([&b""[..]; 7], game.ordinals);
    for (value, &place) in latin.iter().zip(&style.roster) {
        str[usize::from(place)] = value;
    }
    out.truncate(begin);
    put_record(out, &Record::Game { str, moves }).is_some()
}

/// The most moves of a 0x01.
pub const MAX_REDUCED: usize = 0xffff;

/// The names of the tag pairs examined so far.
#[derive(Default)]
struct Names<'a> {
    /// The bits of the names: a name whose bit is not set is new.
    bits: u64,
    /// The names, if there are so many tag pairs that comparing each with each would be slow.
    all: HashSet<&'a [u8]>,
}

impl<'a> Names<'a> {
    /// Whether an earlier tag pair has the same name. To be called for each tag pair in turn.
    fn repeats(&mut self, src: &'a [u8], game: &ParsedGame<'_>, number: usize) -> bool {
        let name = &src[game.tags[number].name.clone()];
        if game.tags.len() >= 32 {
            return !self.all.insert(name);
        }
        let bit = name_bit(name);
        let is_new = self.bits & bit == 0;
        self.bits |= bit;
        let mut before = game.tags[..number].iter();
        !is_new && before.any(|tag| &src[tag.name.clone()] == name)
    }
}

/// The fast path for a tag pair with a name of letters that its record holds unchanged. `None`, and
/// nothing is appended, unless name and value are short and enough bytes stand behind them to copy
/// a fixed number of bytes.
fn put_short_pair(out: &mut Vec<u8>, src: &[u8], tag: &TagSpan) -> Option<()> {
    let name: &[u8; SHORT] = src[tag.name.start..].first_chunk()?;
    let value: &[u8; SHORT] = src[tag.value.start..].first_chunk()?;
    let lengths = [tag.name.len(), tag.value.len()];
    if lengths.iter().any(|&len| len > SHORT) || !begins_plain(value, lengths[1]) {
        return None;
    }
    put_pieces::<PAIR, _>(out, |pieces| {
        pieces.put(&[Marker::TagPair.byte()], 1);
        for (bytes, len) in [name, value].into_iter().zip(lengths) {
            pieces.put(&[u8::try_from(len).ok()?], 1);
            pieces.put(bytes, len);
        }
        Some(())
    })
}

/// Room for such a record.
const PAIR: usize = 1 + 2 * (1 + SHORT);

/// [`is_plain`] of the first `len` bytes, at most [`SHORT`].
fn begins_plain(bytes: &[u8; SHORT], len: usize) -> bool {
    let is_odd = |byte: u8| !(b' '..=b'~').contains(&byte) | (byte == b'\\');
    // Of a comparison of the index with `len` the compiler would make one of 64 bits for each byte.
    let wanted = WANTED.as_flattened()[SHORT - len..].first_chunk::<SHORT>();
    let odd = |(&byte, &wanted): (&u8, &u8)| wanted & u8::from(is_odd(byte));
    wanted.is_some_and(|wanted| {
        bytes
            .iter()
            .zip(wanted)
            .fold(0, |all, pair| all | odd(pair))
            == 0
    })
}

/// Ones for the bytes that are wanted, and zeros behind them.
static WANTED: [[u8; SHORT]; 2] = [[1; SHORT], [0; SHORT]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_are_plain_as_any_are() {
        for odd in [b'\\', 0x1f, 0x7f, 0x80, 0xff, b'~', b' ', b']'] {
            for at in 0..SHORT {
                let mut bytes = [b'a'; SHORT];
                bytes[at] = odd;
                for len in 0..=SHORT {
                    let expected = is_plain(&bytes[..len]);
                    assert_eq!(begins_plain(&bytes, len), expected, "{odd} {at} {len}");
                }
            }
        }
    }
}
