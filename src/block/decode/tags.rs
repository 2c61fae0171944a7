//! The tag pairs of a game (spec/extension.md section 7): from records, and what `T` adds to them.

use crate::decode::game::Decoded;
use crate::num::{take_byte, take_num, take_str};
use crate::style::Style;
use crate::tag_value::{SHORT, guess_value, record_value};
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::reader::MAX_TAG_PAIRS;
use pgc_pgn::records::reader::Records;
use pgc_pgn::records::record::ROSTER;

/// Adds the tag pairs of a 0x01, in the order of the style's roster.
pub(crate) fn put_roster(game: &mut Decoded, values: [&[u8]; 7], style: &Style) {
    for &member in &style.roster {
        let member = usize::from(member);
        let value = guess_value(values[member], style.utf8);
        game.push_tag(ROSTER[member].as_bytes(), &value);
    }
    game.end_tags(game.elems.len());
}

/// Adds the tag pairs whose records come next, at most one more than a game may have; copies these
/// records in one piece.
#[inline]
pub(crate) fn put_pairs(game: &mut Decoded, records: &mut Records<'_>, utf8: bool) {
    let (bytes, first, base) = (records.rest(), game.tags.len(), game.text.len());
    while game.tags.len() <= MAX_TAG_PAIRS
        && let Some((name, value)) = records.next_tag_pair()
    {
        let end = base + bytes.len() - records.rest().len();
        let begin = end - value.len();
        // The byte between name and value is the length of the value.
        let name_end = begin - 1;
        game.push_tag_at(name_end - name.len()..name_end, begin..end);
    }
    let len = bytes.len() - records.rest().len();
    if len > 0 {
        // Copies some bytes behind them too, so that [`Decoded::short_pair`] works for the last
        // pair.
        let copied = bytes.len().min(len + SHORT);
        game.text.extend_from_slice(&bytes[..copied]);
        if utf8 && !bytes[..len].is_ascii() {
            game.guess_values(first);
        }
    }
}

/// Puts the entries of `T` in their places. The first `section` elements are tag pairs and `%`
/// lines.
pub(crate) fn merge(
    game: &mut Decoded,
    section: usize,
    mut entries: &[u8],
    utf8: bool,
) -> Option<()> {
    if entries.is_empty() {
        return Some(());
    }
    let play = game.elems.split_off(section);
    let mut old = std::mem::take(&mut game.elems).into_iter();
    let records = std::mem::take(&mut game.tags);
    let keep = |game: &mut Decoded, elem: Elem| {
        if elem.kind == ElemKind::Tag {
            let tag = records.get(elem.num as usize)?.clone();
            game.push_tag_at(tag.name, tag.value);
        } else {
            game.elems.push(elem);
        }
        Some(())
    };
    while !entries.is_empty() && game.tags.len() <= MAX_TAG_PAIRS {
        for _ in 0..take_num(&mut entries)? {
            keep(game, old.next()?)?;
        }
        match take_byte(&mut entries)? {
            0 => {
                let value = take_str(&mut entries)?;
                let elem = old.next().filter(|elem| elem.kind == ElemKind::Tag)?;
                let tag = records.get(elem.num as usize)?.clone();
                // The record must have the value that the true value becomes there.
                let record = record_value(value);
                if *guess_value(&record, utf8) != game.text[tag.value] {
                    return None;
                }
                let start = game.text.len();
                game.text.extend_from_slice(value);
                game.push_tag_at(tag.name, start..game.text.len());
            }
            1 => {
                let (name, value) = (take_str(&mut entries)?, take_str(&mut entries)?);
                game.push_tag(name, value);
            }
            _ => return None,
        }
    }
    for elem in old {
        keep(game, elem)?;
    }
    game.end_tags(game.elems.len());
    game.elems.extend(play);
    Some(())
}
