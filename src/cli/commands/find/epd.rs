//! `pgc find --format epd`: positions of the games that were found.

use std::io::Write;

use pgc::Error;
use pgc_index::{Flags, Row};
use pgc_pgn::epd::game::{GamePositions, Plies};

use super::{Hunt, PORTION};
use crate::args::places::Places;
use crate::failure::{Exit, WithName};
use crate::files::gathered::Gathered;
use crate::show::output::{counted, counted_as};
use crate::show::screen::TextOutput;

impl Hunt<'_> {
    /// Writes positions of the games as EPD.
    pub(super) fn epd(&self, gathered: &Gathered<'_>, mut out: TextOutput) -> anyhow::Result<Exit> {
        let usual = match self.args.ask.ask_for_place() {
            true => Places::Match,
            false => Places::Plies(Plies::End),
        };
        let places = self.args.at.as_ref().unwrap_or(&usual);
        let (mut lines, mut without) = (0_u64, 0_u64);
        gathered.each_text(&mut |rank, text| {
            let game = self.games[rank];
            let plies = match places {
                Places::Plies(plies) => plies.clone(),
                Places::Match => {
                    let ply = self.found.ply(game, None).unwrap_or(0) as usize;
                    Plies::Of(ply..=ply)
                }
            };
            let before = lines;
            if let Some(mut positions) = self.positions(game, text)? {
                positions.ep = self.args.ep.unwrap_or_default();
                positions.each(&plies, |position| {
                    lines += 1;
                    writeln!(out, "{}", positions.epd(position))
                })?;
            }
            without += u64::from(lines == before);
            Ok(())
        })?;
        gathered.complete(out, &counted(lines, "position"))?;
        if without > 0 && !self.args.lookup.run.quiet {
            let games = counted_as(without, "game has", "games have");
            note_line!("{games} no such position");
        }
        Ok(Exit::partly_if(lines == 0))
    }

    /// Whether the games of the first rows are lines of EPD.
    pub(super) fn are_lines(&self) -> anyhow::Result<bool> {
        let jobs = self.args.lookup.run.jobs;
        let first = &self.games[..self.games.len().min(PORTION)];
        for run in first.chunk_by(|a, b| a.0 == b.0) {
            let archive = &self.archives[run[0].0 as usize];
            let path = archive.path();
            let games: Vec<u32> = run.iter().map(|game| game.1).collect();
            let rows = archive.rows(&games, jobs).at(path)?;
            let is_position = |row: &Row| row.plies == 0 && row.flags.has(Flags::FEN);
            let are_positions = rows.iter().all(is_position);
            // Other games need not be read.
            let epds = || archive.tag_values(&games, &["EPD"], jobs).at(path);
            if !are_positions || epds()?[0].contains(&None) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The positions of a game, from its text. If the text does not give all moves, as with other
    /// piece letters, the positions come from the records of the game.
    fn positions(&self, game: (u32, u32), text: &[u8]) -> Result<Option<GamePositions>, Error> {
        let address = self.address(game);
        let positions = GamePositions::read(text, &address);
        if positions.as_ref().is_none_or(|found| found.is_whole) {
            return Ok(positions);
        }
        let archive = &self.archives[game.0 as usize];
        let read = archive.game(archive.number_of(game.1.into()))?;
        Ok(read.positions(&address))
    }
}
