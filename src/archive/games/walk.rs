//! The games of one block, one after another: decoded but not played, so that most questions are
//! answered without a board.

use std::borrow::Cow;
use std::hash::BuildHasher;

use crate::archive::games::facts::{Wants, of_foreign, of_game, of_piece, tags_of_piece};
use crate::block::decode::block::{BlockDecoder, Damage};
use crate::block::decode::game::Decoded;
use crate::block::decode::layout::{Fault, Given, render};
use crate::block::head::BlockHead;
use crate::foreign::export::{GameExport, apply, is_ours};
use crate::foreign::export_own::{export_game, export_text};
use crate::index::Summaries;
use crate::pgn::game::{Elem, Game, Games as ParsedGames, Kind, Wholeness};
use crate::pgn::reader::MAX_ELEMS;
use crate::pgn::split::UnitKind;
use crate::records::marker::Marker;
use crate::records::private::{Kind as Escape, Private, private};
use crate::records::reader::{Dialect, ReadError, Records};
use crate::records::record::{ROSTER, Record, record_len};
use crate::run::Error;

/// The tags of one game of a stream may take so many bytes, as when it is exported.
const MAX_TAGS: usize = 16 << 20;

/// How the game at hand is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// As records of an archive.
    #[default]
    Records,
    /// As text, in pieces.
    Text,
    /// As records of a stream of somebody else.
    Foreign,
}

/// A game, decoded but not played.
#[derive(Debug, Default)]
pub(crate) struct GameData {
    unit: Decoded,
    form: Form,
    /// Of a foreign game: moves of the main line, counted because its elements are bounded here
    /// and its moves are not.
    moves: u64,
    /// Open variations of a foreign game.
    depth: u32,
    /// Bytes of its tags.
    tag_bytes: usize,
    /// It has more elements than are kept.
    cut: bool,
}

impl GameData {
    /// Its elements and tag pairs, whose places are in [`GameData::text`]; of a foreign game at
    /// most [`MAX_ELEMS`]. A game kept as text has only the tags that its first piece begins with.
    pub(crate) fn game(&self) -> Game<'_> {
        self.unit.game()
    }

    /// What they stand in.
    pub(crate) fn text(&self) -> &[u8] {
        &self.unit.text
    }

    /// Name and true value of each tag pair, in the order of the source. What is not UTF-8 is
    /// Latin-1.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        self.unit.tag_pairs()
    }

    /// It is kept as text, in pieces: nothing but its tags is known.
    pub(crate) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// Not all of its elements are here: a foreign game may have any number.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(crate) fn restart(&mut self) {
        let mut unit = std::mem::take(&mut self.unit);
        unit.clear();
        *self = GameData {
            unit,
            ..GameData::default()
        };
    }

    /// Appends the summary of a foreign game. `pgn2pgc`: its ordinals are those of that program.
    pub(crate) fn summarize_foreign(&self, games: &mut Summaries, wants: &Wants, pgn2pgc: bool) {
        let (text, game) = (self.text(), self.game());
        of_foreign(games, text, &game, self.moves, pgn2pgc, wants);
    }

    /// The tags of a game kept as text are those that its first piece begins with.
    fn read_piece(&mut self) {
        self.form = Form::Text;
        let mut games = ParsedGames::default();
        let (raw, unit) = (std::mem::take(&mut self.unit.raw), &mut self.unit);
        if let Some(tags) = tags_of_piece(&mut games, &raw) {
            tags.tag_pairs(&raw)
                .for_each(|(name, value)| unit.push_tag(name, &value));
        }
        unit.tag_elems = unit.elems.len();
        unit.wholeness = Wholeness::TextOnly;
        unit.raw = raw;
    }

    /// Takes a record of a foreign game; the last one ends it. `false`: it ends here.
    pub(crate) fn take(&mut self, record: &Record<'_>) -> Result<bool, &'static str> {
        match *record {
            Record::Game { str, moves } => {
                for (name, value) in ROSTER.iter().zip(str) {
                    self.take_tag(name.as_bytes(), value)?;
                }
                self.take_moves(moves);
                return Ok(false);
            }
            Record::TagPair { name, value } => {
                if matches!(name, b"Variant" | b"FEN") && self.moves > 0 {
                    return Err("Variant and FEN come before the first move");
                }
                self.take_tag(name, value)?;
            }
            Record::ShortMoves(moves) | Record::LongMoves(moves) => self.take_moves(moves),
            Record::Nag(value) => self.keep(Kind::Nag, u32::from(value)),
            Record::RavBegin => {
                if self.moves == 0 {
                    return Err("there is no move that the variation could replace");
                }
                self.depth += 1;
                self.keep(Kind::RavOpen, 0);
            }
            Record::RavEnd => {
                self.depth = self.depth.saturating_sub(1);
                self.keep(Kind::RavClose, 0);
            }
            Record::GameEnd => return Ok(false),
            Record::Noop | Record::GameBegin | Record::Escape(_) => {}
        }
        Ok(true)
    }

    fn take_tag(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        self.tag_bytes += name.len() + value.len();
        if self.tag_bytes > MAX_TAGS {
            return Err("the game has more tags than a reader keeps");
        }
        // Text of a record is Latin-1 (pgc.md section 2).
        self.unit.push_tag(&latin1(name), &latin1(value));
        Ok(())
    }

    fn take_moves(&mut self, moves: &[u8]) {
        if self.depth == 0 {
            self.moves += moves.len() as u64;
        }
        let room = MAX_ELEMS.saturating_sub(self.unit.elems.len());
        self.unit.push_moves(&moves[..moves.len().min(room)]);
        self.cut |= moves.len() > room;
    }

    fn keep(&mut self, kind: Kind, num: u32) {
        if self.unit.elems.len() < MAX_ELEMS {
            self.unit.push(kind, num, self.unit.text.len());
        } else {
            // What there is of it is known all the same.
            self.unit.kinds.add(kind);
            self.cut = true;
        }
    }

    /// At the end of a foreign game: play of rules that nobody knows, or from nowhere, is as good
    /// as text.
    pub(crate) fn end_foreign(&mut self) {
        self.form = Form::Foreign;
        let is_first = |elem: &Elem| elem.kind != Kind::Tag;
        self.unit.tag_elems = self
            .unit
            .elems
            .iter()
            .position(is_first)
            .unwrap_or(self.unit.elems.len());
        if self.moves > 0 && crate::chess::start_position(self.tags()).is_err() {
            self.moves = 0;
            self.unit.wholeness = Wholeness::TextOnly;
        }
    }
}

/// Latin-1 as UTF-8.
fn latin1(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.is_ascii() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(
        bytes
            .iter()
            .map(|&b| char::from(b))
            .collect::<String>()
            .into_bytes(),
    )
}

enum Source<'a> {
    Ours {
        head: &'a BlockHead,
        records: &'a [u8],
        decoder: Box<BlockDecoder<'a>>,
        /// A unit that was read ahead.
        ahead: Option<UnitKind>,
        unit: Decoded,
    },
    Foreign {
        bytes: &'a [u8],
        records: Records<'a>,
        pgn2pgc: bool,
        /// Where the records of the game at hand stand in `bytes`.
        span: std::ops::Range<usize>,
    },
}

/// Walks over the games of a block.
pub(crate) struct Games<'a> {
    source: Source<'a>,
    /// Where the bytes of the source stand in the archive.
    at: u64,
    /// Games in the archive before those of the source.
    before: u64,
    /// Games so far.
    number: u64,
    data: GameData,
    spelling: Vec<u8>,
    exports: [Option<GameExport>; 2],
}

impl<'a> Games<'a> {
    /// The games of a block of ours, whose records begin at byte `at` of the archive, behind
    /// `before` games.
    pub(crate) fn ours(head: &'a BlockHead, records: &'a [u8], at: u64, before: u64) -> Games<'a> {
        let decoder = Box::new(BlockDecoder::new(head, records));
        Games::new(
            Source::Ours {
                head,
                records,
                decoder,
                ahead: None,
                unit: Decoded::default(),
            },
            at,
            before,
        )
    }

    /// The games of a part of a foreign stream.
    pub(crate) fn foreign(bytes: &'a [u8], pgn2pgc: bool, at: u64, before: u64) -> Games<'a> {
        let records = Records::new(bytes, dialect(pgn2pgc));
        Games::new(
            Source::Foreign {
                bytes,
                records,
                pgn2pgc,
                span: 0..0,
            },
            at,
            before,
        )
    }

    fn new(source: Source<'a>, at: u64, before: u64) -> Games<'a> {
        let data = GameData::default();
        Games {
            source,
            at,
            before,
            number: before,
            data,
            spelling: Vec::new(),
            exports: [None, None],
        }
    }

    /// The number of the game at hand in the archive, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Appends the summary of the game at hand.
    pub(crate) fn summarize(&self, games: &mut Summaries, wants: &Wants) {
        match &self.source {
            Source::Foreign { pgn2pgc, .. } => self.data.summarize_foreign(games, wants, *pgn2pgc),
            Source::Ours { .. } if self.data.is_text() => {
                of_piece(games, &self.data.unit.raw, wants.hashes)
            }
            Source::Ours { head, decoder, .. } => {
                let movetext = (decoder.movetext(), wants.plays.hash_one(&head.shapes));
                of_game(games, self.data.text(), &self.data.game(), movetext, wants);
            }
        }
    }

    /// Whether the games are of somebody else's stream.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self.source, Source::Foreign { .. })
    }

    /// Whether their ordinals are those of that program.
    pub(crate) fn is_pgn2pgc(&self) -> bool {
        matches!(self.source, Source::Foreign { pgn2pgc: true, .. })
    }

    /// The records of the block, and who wrote them.
    pub(crate) fn records(&self) -> (&'a [u8], Dialect) {
        match &self.source {
            Source::Ours { records, .. } => (records, Dialect::Standard),
            Source::Foreign { bytes, pgn2pgc, .. } => (bytes, dialect(*pgn2pgc)),
        }
    }

    /// The game at hand.
    pub(crate) fn game(&self) -> &GameData {
        &self.data
    }

    /// Passes over all games before the `nth` of the block (from 0) without looking into them, and
    /// makes sure that there are as many games as its head says.
    pub(crate) fn pass(&mut self, nth: u64) -> Result<(), Error> {
        debug_assert_eq!(self.number, self.before, "only at the beginning");
        match &mut self.source {
            Source::Ours { .. } => {
                if let [place] = self.places(&[nth])?[..] {
                    self.jump(nth, place);
                }
            }
            Source::Foreign { .. } => while self.number < self.before + nth && self.next()? {},
        }
        Ok(())
    }

    /// Where in the records of the block, which is ours, these of its games begin (from 0,
    /// ascending), as far as there are so many. Makes sure that there are as many as its head says.
    pub(crate) fn places(&self, wanted: &[u64]) -> Result<Vec<usize>, Error> {
        let Source::Ours { head, records, .. } = &self.source else {
            return Ok(Vec::new());
        };
        let (found, places) =
            begins(records, wanted).map_err(|e| read_error(&e, self.at, self.before))?;
        if found != head.games {
            let what = format!("{found}, the head says {}", head.games);
            return Err(damaged(self.at, self.before, "games of the block", what));
        }
        Ok(places)
    }

    /// Makes the game that begins there, the `nth` from here (from 0), the next.
    pub(crate) fn jump(&mut self, nth: u64, place: usize) {
        let Source::Ours {
            head,
            records,
            decoder,
            ..
        } = &mut self.source
        else {
            return;
        };
        *records = &records[place..];
        **decoder = BlockDecoder::new(head, records);
        self.at += place as u64;
        self.before += nth;
        self.number = self.before;
    }

    /// Goes on to the next game; `false` when there is none.
    pub(crate) fn next(&mut self) -> Result<bool, Error> {
        self.data.restart();
        match &mut self.source {
            Source::Ours {
                decoder,
                ahead,
                unit,
                ..
            } => loop {
                let found = match ahead.take() {
                    Some(kind) => {
                        std::mem::swap(unit, &mut self.data.unit);
                        Some(kind)
                    }
                    None => decoder
                        .next(&mut self.data.unit)
                        .map_err(|d| damage(d, self.at, self.before))?,
                };
                match found {
                    None => return Ok(false),
                    Some(UnitKind::Game) => self.data.form = Form::Records,
                    Some(UnitKind::Piece(false)) => self.data.read_piece(),
                    Some(UnitKind::Stray(_) | UnitKind::Piece(true)) => continue,
                }
                self.number += 1;
                return Ok(true);
            },
            Source::Foreign { records, span, .. } => {
                loop {
                    let Some(next) = records.next() else {
                        return Ok(false);
                    };
                    let (offset, record) =
                        next.map_err(|e| read_error(&e, self.at, self.before))?;
                    let marker = record.marker();
                    let bad = |what: &str| {
                        damaged(
                            self.at + offset,
                            self.before + records.game(),
                            marker.name(),
                            what.to_owned(),
                        )
                    };
                    match record {
                        Record::Escape(data) if is_ours(data) => {
                            return Err(bad("belongs to an archive of pgc, but not here"));
                        }
                        Record::GameBegin | Record::Game { .. } => {
                            span.start = usize::try_from(offset).unwrap_or(usize::MAX)
                        }
                        _ => {}
                    }
                    // Between games stand noops and escapes, of which nothing is kept.
                    let more = self.data.take(&record).map_err(bad)?;
                    if !more {
                        span.end = usize::try_from(records.offset()).unwrap_or(usize::MAX);
                        self.data.end_foreign();
                        self.number += 1;
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Appends the game as it was written; of a foreign stream, in export format. `true`: it may go
    /// on in the pieces that the next block begins with. To be asked once a game.
    pub(crate) fn text(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        let place = self.place();
        match (&mut self.source, self.data.form) {
            (
                Source::Ours {
                    decoder,
                    ahead,
                    unit,
                    ..
                },
                Form::Text,
            ) => {
                out.extend_from_slice(&self.data.unit.raw);
                loop {
                    match decoder
                        .next(unit)
                        .map_err(|d| damage(d, self.at, self.before))?
                    {
                        Some(UnitKind::Piece(true)) => out.extend_from_slice(&unit.raw),
                        other => {
                            *ahead = other;
                            return Ok(other.is_none());
                        }
                    }
                }
            }
            (Source::Ours { head, .. }, _) => {
                let limit = out
                    .len()
                    .saturating_add(usize::try_from(head.source).unwrap_or(usize::MAX));
                let unit = &self.data.unit;
                render(
                    out,
                    unit,
                    &head.style,
                    &mut self.spelling,
                    limit,
                    Given::Believed,
                )
                .map_err(|fault| place.of(fault))?;
                Ok(false)
            }
            (Source::Foreign { .. }, _) => {
                self.export(false)?;
                if let Some(export) = &self.exports[0] {
                    out.extend_from_slice(export.bytes());
                }
                Ok(false)
            }
        }
    }

    /// Its movetext in export format and UTF-8, up to so many bytes.
    pub(crate) fn movetext(&mut self, most: usize) -> Result<&[u8], Error> {
        self.export(true)?;
        let bytes = self.exports[1].as_ref().map_or(&[][..], GameExport::bytes);
        // Behind the first empty line: no tag pair of export format has a newline in it.
        let begin = memchr::memmem::find(bytes, b"\n\n").map_or(bytes.len(), |at| at + 2);
        Ok(&bytes[begin..bytes.len().min(begin.saturating_add(most))])
    }

    fn export(&mut self, utf8: bool) -> Result<(), Error> {
        let place = self.place();
        let pgn2pgc = matches!(self.source, Source::Foreign { pgn2pgc: true, .. });
        let export =
            self.exports[usize::from(utf8)].get_or_insert_with(|| GameExport::new(utf8, pgn2pgc));
        export.clear();
        match (&self.source, self.data.form) {
            (Source::Ours { .. }, Form::Text) => export_text(export, &self.data.unit.raw),
            // The order of an index does not know the signs of gaps.
            (Source::Ours { .. }, _) => {
                export_game(export, &self.data.unit, &[]).map_err(|fault| place.of(fault))?
            }
            (Source::Foreign { bytes, span, .. }, _) => {
                let mut summary = crate::run::Summary::default();
                for record in Records::new(&bytes[span.clone()], dialect(pgn2pgc)) {
                    let (_, record) = record.map_err(|e| read_error(&e, self.at, self.before))?;
                    let marker = record.marker();
                    apply(export, &record, &mut summary)
                        .map_err(|error| place.of((marker.name(), error.to_string())))?;
                }
            }
        }
        Ok(())
    }

    /// Where the game at hand begins.
    pub(crate) fn offset(&self) -> u64 {
        self.at
            + match &self.source {
                Source::Ours { decoder, .. } => decoder.begin,
                Source::Foreign { span, .. } => span.start as u64,
            }
    }

    fn place(&self) -> Place {
        Place {
            offset: self.offset(),
            game: self.number,
        }
    }
}

impl Games<'_> {
    /// Damage found in playing the game at hand.
    pub(crate) fn fault(&self, item: &'static str, what: String) -> Error {
        self.place().of((item, what))
    }
}

#[derive(Clone, Copy)]
struct Place {
    offset: u64,
    game: u64,
}

impl Place {
    fn of(self, (item, what): Fault) -> Error {
        damaged(self.offset, self.game, item, what)
    }
}

fn dialect(pgn2pgc: bool) -> Dialect {
    if pgn2pgc {
        Dialect::Pgn2pgc
    } else {
        Dialect::Standard
    }
}

fn damaged(offset: u64, game: u64, item: &'static str, what: String) -> Error {
    Error::Damaged {
        offset,
        game,
        item,
        what,
    }
}

fn damage(damage: Damage, at: u64, before: u64) -> Error {
    damaged(
        at + damage.offset,
        before + damage.game,
        damage.item,
        damage.what,
    )
}

fn read_error(error: &ReadError, at: u64, before: u64) -> Error {
    damaged(
        at + error.offset,
        before + error.game,
        error.item,
        error.fault.to_string(),
    )
}

/// How many games begin in the records of a block, and where these (from 0, ascending) do.
fn begins(records: &[u8], wanted: &[u64]) -> Result<(u64, Vec<usize>), ReadError> {
    let (mut games, mut places) = (0, Vec::with_capacity(wanted.len()));
    // An escape between games goes on in the next record.
    let (mut at, mut open, mut in_game) = (0, false, false);
    while at < records.len() {
        let Some(len) = record_len(&records[at..]) else {
            // To read them says what is wrong.
            return Records::new(records, Dialect::Standard)
                .find_map(Result::err)
                .map_or(Ok((games, places)), Err);
        };
        let record = &records[at..at + len];
        let begins = match Marker::from_byte(record[0]) {
            Some(Marker::ReducedGame) => true,
            Some(Marker::GameBegin) => {
                in_game = true;
                true
            }
            Some(Marker::GameEnd) => {
                in_game = false;
                false
            }
            Some(Marker::Escape) if !in_game => match private(&record[3..]) {
                Some(Private {
                    kind,
                    continues,
                    data,
                }) => {
                    let first = !std::mem::replace(&mut open, continues);
                    first && kind == Escape::Piece && data.first() == Some(&0)
                }
                None => false,
            },
            _ => false,
        };
        if begins {
            if wanted.get(places.len()) == Some(&games) {
                places.push(at);
            }
            games += 1;
        }
        at += len;
    }
    Ok((games, places))
}

/// Appends the pieces that a block begins with and that continue a game. `true`: the whole block is
/// such pieces, so the game may go on in the next.
pub(crate) fn continued(
    head: &BlockHead,
    records: &[u8],
    at: u64,
    before: u64,
    out: &mut Vec<u8>,
) -> Result<bool, Error> {
    let mut decoder = BlockDecoder::new(head, records);
    let mut unit = Decoded::default();
    // Decoding goes no further than the first game, which is all that is needed to see that the
    // pieces end.
    loop {
        match decoder.next(&mut unit).map_err(|d| damage(d, at, before))? {
            None => return Ok(true),
            Some(UnitKind::Piece(true)) => out.extend_from_slice(&unit.raw),
            Some(_) => return Ok(false),
        }
    }
}

/// Summaries of the games of a block of an archive.
pub(crate) fn summaries_of(block: &mut Games<'_>, wants: &Wants) -> Result<Summaries, Error> {
    let mut games = wants.summaries();
    while block.next()? {
        if wants.hashes && block.game().is_cut() {
            return Err(block.fault(
                "game",
                "more elements than a game may have: it has no hash".to_owned(),
            ));
        }
        block.summarize(&mut games, wants);
    }
    Ok(games)
}
