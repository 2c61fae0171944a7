//! Iterates over the games of one block, decoded but not played, so that most questions need no
//! board.

use crate::foreign::export::{export_game, export_text};
use crate::foreign::game::{ExportForm, GameExport};
use crate::games::data::GameData;
use crate::games::outline::each_game;
use crate::games::rows::RowCheck;
use crate::run::Error;
use pgc_block::decode::block::{BlockDecoder, Damage};
use pgc_block::decode::game::{Decoded, RenderFault};
use pgc_block::decode::layout::{GivenText, Scratch, render};
use pgc_block::head::BlockHead;
use pgc_block::small::stored::Needs;
use pgc_index::IndexError;
use pgc_pgn::epd::source::put_pgn;
use pgc_pgn::respell::in_english;
use pgc_pgn::split::UnitKind;
use pgc_pgn::writer::Encoding;

/// Iterates over the games of a block.
#[derive(Debug)]
pub struct BlockGames<'a> {
    head: &'a BlockHead,
    records: &'a [u8],
    decoder: BlockDecoder<'a>,
    /// The kind of a unit that was read ahead, into `unit`.
    ahead: Option<UnitKind>,
    unit: Decoded,
    /// The offset in the archive of the bytes that the block stores, from those records on.
    at: u64,
    /// The number of games in the archive before those records.
    before: u64,
    /// The number of games in the block before those records. `None`: they are all of its records.
    skipped: Option<u64>,
    /// The number of the current game in the archive, from 1.
    number: u64,
    data: GameData,
    spelling: Scratch,
    export: Option<GameExport>,
    /// The rows of the index that proposed the block.
    pub(crate) rows: Option<RowCheck<'a>>,
}

impl<'a> BlockGames<'a> {
    /// The games of a block, after `before` games. The bytes that it stores begin at byte `at` of the
    /// archive. `records` are all of its records; or if `skipped` says how many of its games stand
    /// before them, some, from the beginning of a unit on. They are decoded as far as `needs` says.
    pub(crate) fn new(
        head: &'a BlockHead,
        records: &'a [u8],
        at: u64,
        before: u64,
        skipped: Option<u64>,
        needs: Needs,
    ) -> BlockGames<'a> {
        let before = before + skipped.unwrap_or(0);
        BlockGames {
            head,
            records,
            decoder: BlockDecoder::new(head, records, needs),
            ahead: None,
            unit: Decoded::default(),
            at,
            before,
            skipped,
            number: before,
            data: GameData::default(),
            spelling: Scratch::default(),
            export: None,
            rows: None,
        }
    }

    /// The number of the current game in the archive, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Compares the current game with its row in the index, if an index proposed it.
    pub(crate) fn compare(&mut self) -> Result<(), IndexError> {
        let rows = self.rows.as_mut();
        rows.map_or(Ok(()), |rows| rows.compare(self.number, &self.data))
    }

    /// The current game.
    pub fn game(&self) -> &GameData {
        &self.data
    }

    /// Skips the games before the `nth` of the block (from 0) without decoding them, and checks the
    /// number of games against the head.
    pub(crate) fn pass(&mut self, nth: u64) -> Result<(), Error> {
        debug_assert_eq!(self.number, self.before, "only at the beginning");
        let game = nth - self.skipped.unwrap_or(0);
        if let [place] = self.places([game], true)?[..] {
            self.seek(game, place);
        }
        Ok(())
    }

    /// Advances to each of the `wanted` games (from 0 in the archive, ascending) and calls `each`
    /// with its place among them. Other games are not decoded, and nothing behind the last of them is
    /// looked at.
    pub(crate) fn visit(
        &mut self,
        wanted: &[u32],
        mut each: impl FnMut(usize, &mut BlockGames<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let before = self.before;
        let games = wanted
            .iter()
            .map(|&game| u64::from(game).saturating_sub(before));
        let places = self.places(games.clone(), false)?;
        if places.len() < wanted.len() {
            return Err(self.fault("games of the block", "are fewer than its head says"));
        }
        for (at, (game, place)) in games.zip(places).enumerate() {
            self.seek(game, place);
            if !self.next()? {
                break;
            }
            each(at, self)?;
        }
        Ok(())
    }

    /// The offsets at which these games (from 0 in the records, ascending) begin there, as far as
    /// they exist. Checks the number of games against the head if `all` are passed.
    fn places(
        &self,
        wanted: impl IntoIterator<Item = u64>,
        all: bool,
    ) -> Result<Vec<usize>, Error> {
        let (mut game, mut places) = (0, Vec::new());
        let mut wanted = wanted.into_iter().peekable();
        each_game(self.records, |at| {
            places.extend(wanted.next_if_eq(&game).map(|_| at));
            game += 1;
            all || wanted.peek().is_some()
        })
        .map_err(|error| {
            let (at, game) = (self.place(error.offset), self.before + error.game);
            Error::damaged(at, game, error.item, error.fault.to_string())
        })?;
        if all && game != self.head.games && self.skipped.is_none() {
            let what = format!("{game}, the head says {}", self.head.games);
            return Err(Error::damaged(
                self.at,
                self.before,
                "games of the block",
                what,
            ));
        }
        Ok(places)
    }

    /// Continues at the game at this offset in the records, behind so many of their games.
    fn seek(&mut self, games: u64, offset: usize) {
        self.decoder.seek(offset, games);
        self.number = self.before + games;
        self.ahead = None;
    }

    /// Advances to the next game; `false` at the end.
    pub(crate) fn next(&mut self) -> Result<bool, Error> {
        self.data.is_text = false;
        loop {
            let found = match self.ahead.take() {
                Some(kind) => {
                    std::mem::swap(&mut self.unit, &mut self.data.unit);
                    Some(kind)
                }
                None => {
                    let next = self.decoder.next(&mut self.data.unit);
                    next.map_err(|d| damage(d, self.head, self.at, self.before))?
                }
            };
            match found {
                None => return Ok(false),
                Some(UnitKind::Game) => {}
                Some(UnitKind::Piece(false)) => self.data.read_piece(),
                Some(UnitKind::Stray(_) | UnitKind::Piece(true)) => continue,
            }
            self.number += 1;
            return Ok(true);
        }
    }

    /// Appends the text of the current game: as it was written, except that the piece letters are
    /// English; as PGN for a line of EPD. Returns `true` if the game may continue in the pieces that
    /// the next block begins with. Call it once for each game.
    pub(crate) fn text(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        let fault = self.faults();
        if self.data.is_text() {
            out.extend_from_slice(&self.data.unit.raw);
            loop {
                let next = self.decoder.next(&mut self.unit);
                match next.map_err(|d| damage(d, self.head, self.at, self.before))? {
                    Some(UnitKind::Piece(true)) => out.extend_from_slice(&self.unit.raw),
                    other => {
                        self.ahead = other;
                        return Ok(other.is_none());
                    }
                }
            }
        }
        let style = &self.head.style;
        if style.epd {
            put_pgn(out, self.data.unit.tag_pairs());
            return Ok(false);
        }
        let begin = out.len();
        let source = usize::try_from(self.head.source).unwrap_or(usize::MAX);
        let limit = begin.saturating_add(source);
        let (unit, spelling) = (&self.data.unit, &mut self.spelling);
        render(out, unit, style, spelling, limit, GivenText::Believed).map_err(fault)?;
        if let Some(letters) = style.letters {
            let english = in_english(&out[begin..], letters);
            out.splice(begin.., english);
        }
        Ok(false)
    }

    /// The movetext of the current game in export format and UTF-8, at most `most` bytes.
    pub(crate) fn movetext(&mut self, most: usize) -> Result<&[u8], Error> {
        let fault = self.faults();
        let form = ExportForm {
            encoding: Encoding::Utf8,
            ..ExportForm::default()
        };
        let new = || GameExport::new(form, false);
        let export = self.export.get_or_insert_with(new);
        export.clear();
        if self.data.is_text() {
            export_text(export, &self.data.unit.raw);
        } else if !GameExport::holds_tags(&self.data.unit.game()) {
            export_text(export, &[]);
        } else {
            // The collating order of an index ignores the signs in gaps.
            export_game(export, &self.data.unit.text, &self.data.unit.game(), &[])
                .map_err(fault)?;
        }
        let bytes = export.bytes();
        // The movetext follows the first empty line: no tag pair of export format contains a
        // newline.
        let begin = memchr::memmem::find(bytes, b"\n\n").map_or(bytes.len(), |at| at + 2);
        Ok(&bytes[begin..bytes.len().min(begin.saturating_add(most))])
    }

    /// The offset of the current game.
    pub(crate) fn offset(&self) -> u64 {
        self.place(self.decoder.begin)
    }

    /// The offset in the archive of this place in the records.
    fn place(&self, offset: u64) -> u64 {
        self.at + self.head.offset_of(offset)
    }

    /// Returns a function for `map_err` that makes the error for damage in the current game.
    fn faults(&self) -> impl Fn(RenderFault) -> Error + Copy + use<> {
        let (offset, game) = (self.offset(), self.number);
        move |(item, what)| Error::damaged(offset, game, item, what)
    }

    /// The error for damage in the current game.
    pub fn fault(&self, item: &'static str, what: impl Into<String>) -> Error {
        self.faults()((item, what.into()))
    }
}

/// The error for damage in a block whose stored bytes begin at byte `at` of the archive, after
/// `before` games.
pub(crate) fn damage(damage: Damage, head: &BlockHead, at: u64, before: u64) -> Error {
    let (offset, game) = (at + head.offset_of(damage.offset), before + damage.game);
    Error::damaged(offset, game, damage.item, damage.what)
}

/// Appends the pieces at the start of a block that continue a game. Returns `true` if the block has
/// only such pieces, so that the game may continue in the next block.
pub(crate) fn continued(
    head: &BlockHead,
    records: &[u8],
    at: u64,
    before: u64,
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    let mut decoder = BlockDecoder::new(head, records, Needs::All);
    let mut unit = Decoded::default();
    // Decoding stops at the first unit that is not such a piece.
    loop {
        let next = decoder.next(&mut unit);
        match next.map_err(|d| damage(d, head, at, before))? {
            None => return Ok(true),
            Some(UnitKind::Piece(true)) => out.extend_from_slice(&unit.raw),
            Some(_) => return Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::pack;
    use crate::run::{NoHooks, PackOptions};
    use crate::stream::reader::{ArchivePart, ArchiveReader};

    /// The text and the number of the `nth` game of a block.
    fn fetched(mut games: BlockGames<'_>, nth: u64) -> (Vec<u8>, u64) {
        let mut text = Vec::new();
        games.pass(nth).unwrap();
        assert!(games.next().unwrap());
        assert!(!games.text(&mut text).unwrap() || nth == 4);
        (text, games.number())
    }

    /// The records from one game on are enough for all later games.
    #[test]
    fn some_records_are_enough() {
        let pgn = "1. e4 *\n\nwords\n\n1. d4 *\n\n[A \"1\"]\n\n1. c4 (1. b4) *\n\n1. a4 ; x\n*\n\n1. h4 *\n";
        let mut archive = Vec::new();
        let options = PackOptions::default();
        pack(
            &mut pgn.as_bytes(),
            "x",
            &mut archive,
            &options,
            &mut NoHooks,
        )
        .unwrap();
        let mut reader = ArchiveReader::new(&*archive);
        reader.next_part().unwrap();
        let Some(ArchivePart::Block(head, records, at)) = reader.next_part().unwrap() else {
            panic!("a block");
        };
        assert_eq!(head.games, 5);
        let games =
            |records, skipped| BlockGames::new(&head, records, at, 100, skipped, Needs::All);
        let places = games(&records, None).places(0..5, true).unwrap();
        for (first, place) in (0..).zip(&places) {
            let some = || games(&records[*place..], Some(first));
            for nth in first..5 {
                let right = fetched(games(&records, None), nth);
                assert_eq!(fetched(some(), nth), right);
                assert_eq!(right.1, 101 + nth);
            }
            let found = some().places(0..5 - first, true).unwrap();
            let here = u32::try_from(first).unwrap();
            let expected: Vec<usize> = places[here as usize..]
                .iter()
                .map(|at| at - place)
                .collect();
            assert_eq!(found, expected);
            let mut visited = Vec::new();
            let visit = |at, games: &mut BlockGames<'_>| {
                visited.push((at, games.number()));
                Ok(())
            };
            some().visit(&[100 + here], visit).unwrap();
            assert_eq!(visited, [(0, 101 + first)]);
            assert!(some().visit(&[105], |_, _| Ok(())).is_err());
        }
    }
}
