//! Copies data out of an index, game by game and name by name.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::name_list::{NameList, NameListOptions};
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use crate::stand_in::io_error;
use crate::stream::frame::FrameRecord;
use crate::stream::slice::frame_at;
use pgc_block::small::stored::Needs;
use pgc_index::{Date, Flags, NameField, NamePattern, kind};
use pgc_pgn::eco;
use pgc_pgn::epd::source::said;
use pgc_pgn::text::decoded;

/// The number of games looked up together.
const PORTION: usize = 1 << 16;

/// The columns of an index for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the tags")]
pub struct GameRow {
    /// From 1.
    pub number: u64,
    pub date: Date,
    pub event: String,
    pub site: String,
    pub round: String,
    pub white: String,
    pub black: String,
    /// 0: none.
    pub white_elo: u16,
    /// 0: none.
    pub black_elo: u16,
    /// 0: none; 1 to 500: A00 to E99; 501: anything else.
    pub eco: u16,
    /// Plies of the main line.
    pub plies: u32,
    /// All other properties.
    pub flags: Flags,
}

/// A name and the number of its games.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NameCount {
    pub name: String,
    pub games: u64,
}

/// The range of dates in an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The rows of the index for games (from 0), in the order of the list. With `sites`, the sites
    /// are read from the games; else they are empty.
    ///
    /// # Errors
    /// [`Error::NoSuchGame`], [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn rows(&self, games: &[u32], sites: bool, threads: usize) -> Result<Vec<GameRow>, Error> {
        let mut rows = self.with_index(threads, |index| {
            let mut reader = index.rows()?;
            games
                .iter()
                .map(|&game| {
                    let row = reader.row(game)?;
                    Ok(GameRow {
                        number: self.number_of(game.into()),
                        date: row.date,
                        event: row.event,
                        site: String::new(),
                        round: row.round,
                        white: row.white,
                        black: row.black,
                        white_elo: row.white_elo,
                        black_elo: row.black_elo,
                        eco: row.eco,
                        plies: row.plies,
                        flags: row.flags,
                    })
                })
                .collect::<Result<Vec<_>, _>>()
        })?;
        if sites {
            for (row, site) in rows.iter_mut().zip(self.sites(games, threads)?) {
                row.site = site;
            }
        }
        Ok(rows)
    }

    /// Calls `each` with the values of a field that match the pattern, if there is one, and their
    /// numbers of games, in byte order (rounds in their own order). If there is damage, `each` is never called.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    #[doc(hidden)]
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
    #[doc(hidden)]
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
        self.each_tag_value(tag, threads, |value| {
            if pattern.is_none_or(|pattern| pattern.matches(&value)) {
                list.add(&value, 1)
            } else {
                Ok(())
            }
        })?;
        list.finish()?.each(each)
    }

    /// The names of the tags of games (from 0, ascending), or of all games; of lines of EPD also their
    /// opcodes.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn tag_names(
        &self,
        games: Option<&[u32]>,
        threads: usize,
    ) -> Result<BTreeSet<String>, Error> {
        let mut all = BTreeSet::new();
        self.scan(
            games,
            Needs::Tags,
            threads,
            |_, games, out: &mut Vec<Vec<u8>>| {
                add_tag_names(games, out);
                Ok(())
            },
            |names| {
                all.extend(names.iter().map(|name| decoded(name).into_owned()));
                Ok(())
            },
        )?;
        Ok(all)
    }

    /// The values with the most similar spelling, the nearest first, at most `most`.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn near_names(
        &self,
        field: NameField,
        text: &str,
        most: usize,
        threads: usize,
    ) -> Result<Vec<NameCount>, Error> {
        self.with_index(threads, |index| {
            let count = |named: pgc_index::NamedValue| NameCount {
                name: named.value,
                games: named.games.into(),
            };
            Ok(index
                .near_names(field, text, most)?
                .into_iter()
                .map(count)
                .collect())
        })
    }

    /// The `most` values with the most games. `all` lists values as positions in the table of the
    /// field, with their numbers of games.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn most_frequent(
        &self,
        field: NameField,
        all: &[(u32, u32)],
        most: usize,
        threads: usize,
    ) -> Result<Vec<NameCount>, Error> {
        // There may be millions of values: only the candidates are copied.
        let mut values: Vec<(u32, u32)> = Vec::new();
        let before = |&(id, games): &(u32, u32)| (std::cmp::Reverse(games), id);
        let mut least = 0;
        for &value in all {
            if value.1 < least {
                continue;
            }
            if values.len() >= most.saturating_mul(2) {
                values.sort_unstable_by_key(before);
                values.truncate(most);
                least = values.last().map_or(u32::MAX, |value| value.1);
            }
            values.push(value);
        }
        values.sort_unstable_by_key(before);
        values.truncate(most);
        self.with_index(threads, |index| {
            let named = |&(id, games): &(u32, u32)| {
                Ok(NameCount {
                    name: index.value(field, id)?,
                    games: games.into(),
                })
            };
            values.iter().map(named).collect()
        })
    }

    /// The ECO codes in order, with their numbers of games; `?` stands for values that are not
    /// codes.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn eco_codes(&self, threads: usize) -> Result<Vec<NameCount>, Error> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let count = self.with_index(threads, |index| Ok(index.games()))?;
        for from in (0..count).step_by(PORTION) {
            let games: Vec<u32> = (from..count).take(PORTION).collect();
            for eco in self.with_index(threads, |index| index.integers(kind::ECO, &games))? {
                *counts.entry(eco).or_default() += 1;
            }
        }
        counts.remove(&0);
        Ok(counts
            .into_iter()
            .map(|(eco, games)| NameCount {
                name: eco::code(eco).unwrap_or_else(|| "?".to_owned()),
                games,
            })
            .collect())
    }

    /// The earliest and the latest date.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
    pub fn dates(&self, threads: usize) -> Result<Dates, Error> {
        let dated = self.with_index(threads, |index| index.dates())?;
        let mut dates = Dates::default();
        for (date, games) in dated {
            if date.known() < 4 {
                dates.unknown += u64::from(games);
                continue;
            }
            if dates
                .first
                .is_none_or(|first| date.digits() < first.digits())
            {
                dates.first = Some(date);
            }
            if dates.last.is_none_or(|last| date.digits() > last.digits()) {
                dates.last = Some(date);
            }
        }
        Ok(dates)
    }

    /// The names of the sources of games (from 0), in the order of the list; a stream of another
    /// program has none. The name is empty if the head that has it is damaged.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    #[doc(hidden)]
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

    /// Calls `each` with the sources of the archive and their numbers of games; a stream of another
    /// program has no sources. A source whose head is damaged has no name, and is left out.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn each_source(
        &self,
        threads: usize,
        each: &mut dyn FnMut(&str, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.each_segment(threads, |name, games| {
            name.map_or(Ok(()), |name| each(name, games))
        })
    }

    /// Calls `each` with the source names of all segments and their numbers of games, in the order
    /// of the archive; the name is `None` if the head of the segment is damaged. A stream of
    /// another program has no segments.
    ///
    /// # Errors
    /// As [`Archive::each_source`].
    pub fn each_segment(
        &self,
        threads: usize,
        mut each: impl FnMut(Option<&str>, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Offset and first game of each source, 16 bytes a source.
        let segments = self.with_index(threads, |index| {
            if index.is_foreign() {
                return Ok(Vec::new());
            }
            let mut segments: Vec<(u64, u64)> = Vec::new();
            for segment in index.segments() {
                let segment = segment?;
                segments.push((segment.offset, segment.first_game.into()));
            }
            segments.push((0, index.games().into()));
            Ok(segments)
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
        if !is_known && !names.iter().any(|known| known == name) {
            names.push(name.to_vec());
        }
    }
}
