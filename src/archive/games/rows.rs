//! Compares games with their rows in the index, which only proposes them.

use crate::games::data::GameData;
use crate::games::facts::Wants;
use pgc_index::{Flags, Index, IndexError, RowReader, Summaries};
use pgc_io::mmap::Map;

/// The rows of an index, for comparison with the games of a block.
#[derive(Debug)]
pub(crate) struct RowCheck<'i> {
    index: &'i Index<Map>,
    /// Whether the games are played, to compare what only that tells.
    plays: bool,
    /// Made when the first game is compared.
    open: Option<(RowReader<'i>, Summaries, Wants)>,
}

impl<'i> RowCheck<'i> {
    pub(crate) fn new(index: &'i Index<Map>, plays: bool) -> RowCheck<'i> {
        let open = None;
        RowCheck { index, plays, open }
    }

    /// Compares the game with this number, from 1, with its row, except for the hash, the opening
    /// and, unless games are played, what only playing tells.
    ///
    /// # Errors
    /// [`IndexError::FalseRow`]: they differ. The index is damaged.
    pub(crate) fn compare(&mut self, number: u64, game: &GameData) -> Result<(), IndexError> {
        let (rows, found, wants) = match &mut self.open {
            Some(open) => open,
            none => {
                let wants = Wants {
                    lines: false,
                    played: self.plays,
                };
                none.insert((self.index.rows()?, Summaries::default(), wants))
            }
        };
        let told = |flags: Flags| match self.plays {
            true => flags.known(),
            false => flags.unplayed(),
        };
        found.clear();
        game.summarize(found, wants);
        let row = rows.row(u32::try_from(number - 1).unwrap_or(u32::MAX))?;
        let Some(game) = found.iter().next() else {
            return Ok(());
        };
        let fields = [
            (row.date == game.date, "date"),
            (row.event == game.event, "Event"),
            (row.round == game.round, "Round"),
            (row.white == game.white, "White"),
            (row.black == game.black, "Black"),
            (row.white_elo == game.white_elo, "WhiteElo"),
            (row.black_elo == game.black_elo, "BlackElo"),
            (row.eco == game.eco, "ECO"),
            (row.plies == game.plies, "number of plies"),
            (told(row.flags) == told(game.flags), "result or kind"),
        ];
        match fields.into_iter().find(|(is_same, _)| !is_same) {
            Some((_, field)) => Err(IndexError::FalseRow { field, number }),
            None => Ok(()),
        }
    }
}
