//! Reads rows of the games of an archive: from its index alone, or from its blocks in parallel.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;

use super::builders::ColumnBuilders;
use super::games::{GameRows, RowPlace};
use super::indexed::{IndexedGames, is_indexed};
use super::positions::PositionRows;
use super::schema::{Selection, TableColumn, TableKind};
use pgc::games::walk::BlockGames;
use pgc::open::Archive;
use pgc::run::Error;
use pgc::stream::walk::BlockPlace;
use pgc_index::IndexError;

/// A batch ends with the block that brings it to this number of rows, or of bytes.
pub(super) const BATCH_ROWS: usize = 8192;
pub(super) const BATCH_BYTES: usize = 8 << 20;

/// Approximate limit in bytes for the rows of a block, since several threads hold rows at the same
/// time. Hardly any block has more; its further rows are read later, by one thread.
const BLOCK_BYTES: usize = 12 << 20;

/// Takes rows of games in the order in which they are read.
pub(super) type RowSink<'a> = dyn FnMut(&mut BlockRows) -> Result<(), Error> + 'a;

/// An archive whose games become rows.
pub(super) struct ArchiveTable<'a> {
    archive: &'a Archive,
    path: String,
    /// The names of the sources, and the numbers of games up to the end of each.
    sources: Vec<(u64, Option<String>)>,
    selection: Selection,
}

/// Rows of some games of an archive, often of a block.
#[derive(Default)]
pub(super) struct BlockRows {
    rows: Option<TableRows>,
    /// The games, from 0, and the number of rows up to the end of each.
    pub(super) games: Vec<(u32, usize)>,
    /// The text of the current game.
    text: Vec<u8>,
}

enum TableRows {
    Games(Box<GameRows>),
    Positions(Box<PositionRows>),
}

impl BlockRows {
    fn columns(&mut self) -> Option<&mut ColumnBuilders> {
        Some(match self.rows.as_mut()? {
            TableRows::Games(rows) => &mut rows.columns,
            TableRows::Positions(rows) => &mut rows.columns,
        })
    }

    /// The number of rows, and about their bytes.
    pub(super) fn size(&mut self) -> (usize, usize) {
        let columns = self.columns();
        columns.map_or((0, 0), |columns| (columns.rows, columns.bytes))
    }

    /// The rows so far, which are removed; `None` if there never were any.
    pub(super) fn finish(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.games.clear();
        self.columns().map(ColumnBuilders::finish).transpose()
    }

    /// Notes that the rows of a game are complete.
    fn end_game(&mut self, game: u32) {
        let (rows, _) = self.size();
        self.games.push((game, rows));
    }
}

impl TableRows {
    fn new(selection: &Selection) -> TableRows {
        let columns = selection.clone();
        match selection.kind() {
            TableKind::Games => TableRows::Games(Box::new(GameRows::new(columns))),
            TableKind::Positions | TableKind::Nodes => {
                TableRows::Positions(Box::new(PositionRows::new(columns)))
            }
        }
    }
}

impl<'a> ArchiveTable<'a> {
    pub(super) fn new(
        archive: &'a Archive,
        selection: &Selection,
        threads: usize,
    ) -> Result<ArchiveTable<'a>, Error> {
        let (mut sources, mut end) = (Vec::new(), 0);
        if selection.has(TableColumn::Source) {
            archive.each_segment(threads, |name, games| {
                end += games;
                sources.push((end, name.map(str::to_owned)));
                Ok(())
            })?;
        }
        Ok(ArchiveTable {
            archive,
            path: archive.path().display().to_string(),
            sources,
            selection: selection.clone(),
        })
    }

    /// Reads the rows of some games (from 0, ascending), in their order: from the index as far as
    /// it gives them, the rest from the blocks.
    pub(super) fn read(
        &self,
        games: &[u32],
        threads: usize,
        add: &mut RowSink<'_>,
    ) -> Result<(), Error> {
        let of_one: Vec<(u32, u32)> = games.iter().map(|&game| (0, game)).collect();
        let answered = answer_from_indexes(&[self], &of_one, add)?;
        if answered == games.len() {
            return Ok(());
        }
        self.archive.scan_in_parts(
            &games[answered..],
            self.selection.needs(),
            threads,
            |place, games, rows| self.push(place, games, rows),
            |mut rows: BlockRows| add(&mut rows),
        )
    }

    fn row_place(&self, game: u64) -> RowPlace<'_> {
        let source = self.sources.partition_point(|source| source.0 <= game);
        RowPlace {
            archive: &self.path,
            number: self.archive.number_of(game),
            source: self.sources.get(source).and_then(|s| s.1.as_deref()),
        }
    }

    /// Adds a game from the index alone; `false` if the index does not give all columns of it.
    /// Damage ends the use of the index, as in all answers.
    fn push_indexed(
        &self,
        reader: &mut Option<IndexedGames<'a>>,
        game: u32,
        block: &mut BlockRows,
    ) -> Result<bool, Error> {
        let Some(index) = self.archive.index() else {
            return Ok(false);
        };
        let mut push = || -> Result<bool, IndexError> {
            let reader = match reader {
                Some(reader) => reader,
                None => reader.insert(IndexedGames::new(index, &self.selection)?),
            };
            let Some(found) = reader.game(game)? else {
                return Ok(false);
            };
            let new = || TableRows::new(&self.selection);
            if let TableRows::Games(rows) = block.rows.get_or_insert_with(new) {
                rows.push_indexed(self.row_place(game.into()), &found);
            }
            block.end_game(game);
            Ok(true)
        };
        match push() {
            Ok(is_added) => Ok(is_added),
            // Reading failed; the index may be fine.
            Err(IndexError::Io(error)) => Err(error.into()),
            Err(error) => {
                self.archive.give_up_index(&error);
                Ok(false)
            }
        }
    }

    /// Adds the current game to the rows of its block, if they have room; returns whether they have.
    fn push(
        &self,
        place: &BlockPlace,
        games: &mut BlockGames<'_>,
        block: &mut BlockRows,
    ) -> Result<bool, Error> {
        self.archive.compare(games)?;
        let number = games.number() - 1;
        let game = u32::try_from(number).unwrap_or(u32::MAX);
        let new = || TableRows::new(&self.selection);
        if block.size().1 > BLOCK_BYTES {
            return Ok(false);
        }
        let row = self.row_place(number);
        match block.rows.get_or_insert_with(new) {
            TableRows::Positions(rows) => rows.push(row, games)?,
            TableRows::Games(rows) => {
                rows.push(row, games)?;
                if self.selection.has(TableColumn::Pgn) {
                    // The text may go on in the next blocks, and reading it moves on from the game.
                    block.text.clear();
                    self.archive.text_of(place, games, &mut |bytes| {
                        block.text.extend_from_slice(bytes);
                        Ok(())
                    })?;
                    rows.push_text(&block.text);
                }
            }
        }
        block.end_game(game);
        Ok(true)
    }
}

/// Adds the first of these games (each the position of its archive in `tables` and its number from
/// 0, in any order) from the indexes alone. Returns how many: all of them; or those before the
/// first game that has to be read, because its archive has no usable index, the index lacks a
/// column, or may have cut a value.
pub(super) fn answer_from_indexes(
    tables: &[&ArchiveTable<'_>],
    games: &[(u32, u32)],
    add: &mut RowSink<'_>,
) -> Result<usize, Error> {
    let Some(selection) = tables.first().map(|table| &table.selection) else {
        return Ok(0);
    };
    if !is_indexed(selection) {
        return Ok(0);
    }
    let mut readers: Vec<Option<IndexedGames<'_>>> = tables.iter().map(|_| None).collect();
    let (mut block, mut answered) = (BlockRows::default(), 0);
    for &(archive, game) in games {
        let number = archive as usize;
        let is_added = tables[number].push_indexed(&mut readers[number], game, &mut block);
        if !is_added.map_err(|error| tables[number].archive.named(error))? {
            break;
        }
        answered += 1;
        let (rows, bytes) = block.size();
        if rows >= BATCH_ROWS || bytes >= BATCH_BYTES {
            add(&mut block)?;
        }
    }
    if block.size().0 > 0 {
        add(&mut block)?;
    }
    Ok(answered)
}
