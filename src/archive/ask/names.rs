//! Copies data out of an index, game by game and name by name.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::ask::check::tag_of;
use crate::ask::name_list::{NameList, NameListOptions};
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use crate::stand_in::io_error;
use crate::stream::frame::{FrameRecord, frame_at};
use pgc_block::small::stored::Needs;
use pgc_index::{Date, NameField, NamePattern, NamedValue, Row, kind};
use pgc_pgn::eco;
use pgc_pgn::epd::source::said;

/// The range of dates in an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dates {
    /// The earliest date with a known year.
    pub first: Option<Date>,
    /// The latest date with a known year.
    pub last: Option<Date>,
    /// The number of games whose year is unknown.
    pub unknown: u64,
}

/// Questions of the program. They are hidden, since their types may change at any time.
impl Archive {
    /// The rows of the index for games (from 0), in the order of the list.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn rows(&self, games: &[u32], threads: usize) -> Result<Vec<Row>, Error> {
        self.with_index(threads, |index| {
            let mut rows = index.rows()?;
            games.iter().map(|&game| rows.row(game)).collect()
        })
    }

    /// Calls `each` with the values of a field that match the pattern, if there is one, and their
    /// numbers of games, in byte order (rounds in their own order). If there is damage, `each` is never called.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn each_name(
        &self,
        field: NameField,
        pattern: Option<&NamePattern>,
        threads: usize,
        each: &mut dyn FnMut(&str, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let names = self.with_index(threads, |index| {
            let names = index.names(field, pattern)?;
            // All names are read once before the first is passed on: if the index turns out to be
            // damaged, the stand-in starts anew.
            names.iter().try_for_each(|name| name.map(drop))?;
            Ok(names)
        })?;
        names.iter().try_for_each(|name| {
            let name = name.map_err(io_error)?;
            each(&name.value, name.games.into())
        })
    }

    /// As [`Archive::each_name`] for any tag, in byte order: reads the games.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn each_tag_name(
        &self,
        tag: &str,
        pattern: Option<&NamePattern>,
        threads: usize,
        each: &mut dyn FnMut(&str, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let options = NameListOptions {
            several: true,
            ..NameListOptions::new(&self.temp_dir)
        };
        let mut list = NameList::new(&options);
        self.scan(
            None,
            Needs::Tags,
            threads,
            |_, games, out: &mut Vec<String>| {
                let value = tag_of(games, tag.as_bytes());
                let value = value.filter(|value| pattern.is_none_or(|of| of.matches(value)));
                out.extend(value.map(Cow::into_owned));
                Ok(())
            },
            |values| values.iter().try_for_each(|value| list.add(value, 1)),
        )?;
        list.finish()?.each(each)
    }

    /// The values with the most similar spelling, the nearest first, at most `most`.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn near_names(
        &self,
        field: NameField,
        text: &str,
        most: usize,
        threads: usize,
    ) -> Result<Vec<NamedValue>, Error> {
        self.with_index(threads, |index| index.near_names(field, text, most))
    }

    /// The `most` values with the most games. `all` lists values by their positions in the table of
    /// the field, with their numbers of games.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn most_frequent(
        &self,
        field: NameField,
        mut all: Vec<(u32, u32)>,
        most: usize,
        threads: usize,
    ) -> Result<Vec<NamedValue>, Error> {
        let before = |&(id, games): &(u32, u32)| (Reverse(games), id);
        // There may be millions of values: only the first are sorted.
        if all.len() > most {
            all.select_nth_unstable_by_key(most, before);
            all.truncate(most);
        }
        all.sort_unstable_by_key(before);
        self.with_index(threads, |index| {
            let named = |&(id, games): &(u32, u32)| {
                let value = index.value(field, id)?;
                Ok(NamedValue { id, value, games })
            };
            all.iter().map(named).collect()
        })
    }

    /// The ECO codes in order, with their numbers of games; `?` stands for values that are not
    /// codes.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn eco_codes(&self, threads: usize) -> Result<Vec<(String, u64)>, Error> {
        let ecos = self.with_index(threads, |index| index.column(kind::ECO)?.whole())?;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for eco in ecos.iter().filter_map(|eco| u32::try_from(eco).ok()) {
            *counts.entry(eco).or_default() += 1;
        }
        counts.remove(&0);
        let name = |eco| eco::code(eco).unwrap_or_else(|| "?".to_owned());
        let named = counts.into_iter().map(|(eco, games)| (name(eco), games));
        Ok(named.collect())
    }

    /// The earliest and the latest date.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn dates(&self, threads: usize) -> Result<Dates, Error> {
        let dates = self.with_index(threads, |index| index.dates())?.into_iter();
        let (known, unknown): (Vec<_>, Vec<_>) = dates.partition(|(date, _)| date.known() >= 4);
        let known = known.iter().map(|&(date, _)| date);
        let digits = |date: &Date| date.digits();
        Ok(Dates {
            first: known.clone().min_by_key(digits),
            // Of dates with the same digits, the first.
            last: known.rev().max_by_key(digits),
            unknown: unknown.iter().map(|&(_, games)| u64::from(games)).sum(),
        })
    }

    /// The names of the sources of games (from 0), in the order of the list; a stream of another
    /// program has none. The name is empty if the head that has it is damaged.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn sources_of(&self, games: &[u32], threads: usize) -> Result<Vec<String>, Error> {
        let (mut ends, mut names, mut end) = (Vec::new(), Vec::new(), 0);
        self.each_segment(threads, |name, games| {
            end += games;
            ends.push(end);
            names.push(name.unwrap_or_default().to_owned());
            Ok(())
        })?;
        let source = |&game: &u32| {
            let place = ends.partition_point(|&end| end <= u64::from(game));
            names.get(place).cloned().unwrap_or_default()
        };
        Ok(games.iter().map(source).collect())
    }

    /// Calls `each` with the source names of all segments and their numbers of games, in the order
    /// of the archive; the name is `None` if the head of the segment is damaged. A stream of
    /// another program has no segments.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn each_segment(
        &self,
        threads: usize,
        mut each: impl FnMut(Option<&str>, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !self.is_ours() {
            return Ok(());
        }
        // Offset and first game of each source, 16 bytes a source.
        let segments = self.with_index(threads, |index| {
            let places = index.segments().map(|segment| {
                let segment = segment?;
                Ok((segment.offset, segment.first_game.into()))
            });
            let end = Ok((0, index.games().into()));
            places.chain([end]).collect::<Result<Vec<(u64, u64)>, _>>()
        })?;
        for pair in segments.windows(2) {
            let framed = frame_at(self.bytes(), pair[0].0)?;
            let name = match framed.map(|framed| framed.frame) {
                Some(FrameRecord::Head(head)) => Some(head.name),
                _ => None,
            };
            each(name.as_deref(), pair[1].1.saturating_sub(pair[0].1))?;
        }
        Ok(())
    }
}

/// Among more names a further one is not looked up, and may be there twice: a game can have a million.
const MOST_LOOKED_UP: usize = 256;

/// Adds the names of the tags of the current game that are not there yet; of a line of EPD also its
/// opcodes.
pub(super) fn add_tag_names(games: &BlockGames<'_>, names: &mut Vec<Vec<u8>>) {
    let tags = games.game().tags();
    let line = said(tags.clone());
    let operations = line.iter().flat_map(|line| &line.operations);
    let opcodes = operations.map(|operation| operation.opcode.as_bytes());
    for (place, name) in tags.map(|tag| tag.0).chain(opcodes).enumerate() {
        // Most games have the same tags in the same order.
        let is_known = names.get(place).is_some_and(|known| known == name);
        if !is_known && (names.len() > MOST_LOOKED_UP || !names.iter().any(|known| known == name)) {
            names.push(name.to_vec());
        }
    }
}
