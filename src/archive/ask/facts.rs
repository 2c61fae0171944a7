//! What the index knows of each game that trees, books and statistics count.

use crate::open::Archive;
use crate::run::Error;
use pgc_index::{Flags, Integers, kind};
use pgc_pgn::writer::Termination;

/// The number of games whose columns are read together.
const PORTION: usize = 4096;

/// What the index knows of a game.
pub(super) struct GameFacts {
    pub(super) result: Termination,
    /// Whether the moves, or some of them, are text.
    pub(super) has_text: bool,
    /// 0: unknown.
    pub(super) elo: [u32; 2],
    pub(super) year: Option<u16>,
    /// 1 to 12.
    pub(super) month: Option<u8>,
    pub(super) players: [u32; 2],
}

impl Archive {
    /// The columns of the index that facts come from, verified; `with_dates`: years and months too.
    pub(super) fn fact_columns(
        &self,
        with_dates: bool,
        threads: usize,
    ) -> Result<FactColumns<'_>, Error> {
        let short = |part: Option<u32>| part.and_then(|part| u16::try_from(part).ok());
        self.with_index(threads, |index| {
            let column = |kind| index.column(kind)?.whole();
            let dates = with_dates.then(|| index.date_list()).transpose()?;
            let dates = dates.into_iter().flatten();
            Ok(FactColumns {
                columns: [
                    column(kind::FLAGS)?,
                    column(kind::WHITE_ELO)?,
                    column(kind::BLACK_ELO)?,
                    column(kind::DATE)?,
                    column(kind::WHITE)?,
                    column(kind::BLACK)?,
                ],
                dates: dates.map(|date| date.parts().map(short)).collect(),
            })
        })
    }
}

/// The columns of an index that facts come from, and the parts of its dates.
pub(super) struct FactColumns<'i> {
    columns: [Integers<'i>; 6],
    /// In 16 bits: a table that is in the processor's cache is read faster.
    dates: Vec<[Option<u16>; 3]>,
}

impl FactColumns<'_> {
    /// What the index knows of a game.
    pub(super) fn facts(&self, game: u32) -> GameFacts {
        self.of(self.columns.each_ref().map(|column| {
            let integer = column.get(game as usize).unwrap_or_default();
            u32::try_from(integer).unwrap_or(u32::MAX)
        }))
    }

    /// Calls `each` with these games, which ascend, and their facts: faster than one after another.
    pub(super) fn each(&self, games: &[u32], mut each: impl FnMut(u32, &GameFacts)) {
        let mut read: [Vec<u32>; 6] = Default::default();
        for games in games.chunks(PORTION) {
            for (column, read) in self.columns.iter().zip(&mut read) {
                column.pick(games, read);
            }
            for (at, &game) in games.iter().enumerate() {
                each(game, &self.of(read.each_ref().map(|read| read[at])));
            }
        }
    }

    #[inline]
    fn of(&self, integers: [u32; 6]) -> GameFacts {
        let [flags, white_elo, black_elo, date, white, black] = integers;
        let date = self.dates.get(date as usize);
        let [year, month, _] = date.copied().unwrap_or_default();
        GameFacts {
            result: Flags::from_bits(flags).result(),
            has_text: Flags::from_bits(flags).has(Flags::TAIL | Flags::TEXT),
            elo: [white_elo, black_elo],
            year,
            month: month.and_then(|month| u8::try_from(month).ok()),
            players: [white, black],
        }
    }
}
