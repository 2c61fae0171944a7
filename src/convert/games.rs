//! The games of one block, one after another: decoded but not played, so that most questions are
//! answered without a board.

use std::hash::{BuildHasher, Hash, Hasher};

use super::Error;
use super::decode::{BlockDecoder, Damage, Decoded, Item, Unit, push_moves};
use super::elements::Kept;
use super::export::{GameExport, apply, is_ours};
use super::export_own::{export_game, export_text};
use super::render::{Fault, Given, render};
use crate::archive::BlockHead;
use crate::pgc::extension::{Kind as Escape, Private, private};
use crate::pgc::marker::Marker;
use crate::pgc::reader::{Dialect, ReadError, Records};
use crate::pgc::record::{ROSTER, Record, record_len};
use crate::pgn::game::{Games as ParsedGames, Kind, Wholeness, outside_variations};
use crate::pgn::reader::{MAX_ELEMS, TAIL};
use crate::pgn::tag::unescape;
use crate::pgn::text::from_latin1;
use crate::pgn::writer::Termination;

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
    /// Moves of the main line; kept apart because the elements of a foreign game are bounded here
    /// and its moves are not.
    plies: u64,
    wholeness: Wholeness,
    comments: bool,
    variations: bool,
    nags: bool,
    /// Open variations of a foreign game.
    depth: u32,
    /// Bytes of its tags.
    tag_bytes: usize,
    /// It has more elements than are kept.
    cut: bool,
}

impl GameData {
    /// Name and true value of each tag pair, in the order of the source. What is not UTF-8 is
    /// Latin-1.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        let unit = &self.unit;
        unit.items
            .iter()
            .filter(|i| i.kind == Kind::Tag)
            .map(|i| (unit.name(i), unit.text(i)))
    }

    /// The ordinals of the main line; of a foreign game at most [`MAX_ELEMS`].
    pub(crate) fn ordinals(&self) -> impl Iterator<Item = u8> {
        outside_variations(self.unit.items.iter(), |item| item.kind)
            .filter(|item| item.kind == Kind::Move)
            .map(|item| item.ordinal)
    }

    /// What is behind the tag section of a game of ours, unless a `%` line stands among the tags.
    pub(super) fn play(&self) -> Option<&[Item]> {
        let (tags, play) = self.unit.items.split_at(self.unit.tag_items);
        (self.form == Form::Records && tags.iter().all(|item| item.kind != Kind::Escape))
            .then_some(play)
    }

    /// The number of [`Facts::play`](crate::index::Facts::play); 0 for what is no game of ours, and
    /// where a `%` line stands among the tags.
    pub(crate) fn hash_play(&self, plays: &impl BuildHasher) -> u64 {
        let Some(play) = self.play() else { return 0 };
        let mut state = plays.build_hasher();
        for item in play.iter().filter(|item| item.kind != Kind::Terminator) {
            state.write_u64(
                item.kind as u64 | u64::from(item.ordinal) << 8 | u64::from(item.num) << 32,
            );
            if !matches!(item.kind, Kind::Move | Kind::RavOpen | Kind::RavClose) {
                self.unit.text(item).hash(&mut state);
            }
        }
        state.finish()
    }

    /// So many ordinals has its main line.
    pub(crate) fn plies(&self) -> u64 {
        self.plies
    }

    /// P5's kind.
    pub(crate) fn wholeness(&self) -> Wholeness {
        self.wholeness
    }

    /// It is kept as text, in pieces: nothing but its tags is known.
    pub(crate) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// It has comments of either kind.
    pub(crate) fn has_comments(&self) -> bool {
        self.comments
    }

    /// It has variations that are records.
    pub(crate) fn has_variations(&self) -> bool {
        self.variations
    }

    /// It has numeric annotation glyphs.
    pub(crate) fn has_nags(&self) -> bool {
        self.nags
    }

    /// Not all of its elements are here: a foreign game may have any number.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// The terminator, where the archive says what it was.
    pub(crate) fn terminator(&self) -> Option<Termination> {
        let last = self
            .unit
            .items
            .last()
            .filter(|i| i.kind == Kind::Terminator)?;
        u8::try_from(last.num)
            .ok()
            .and_then(Termination::from_number)
    }

    /// The text that the main line ends in: from the first move that is not chess, or all of the
    /// first piece of a game kept as text.
    pub(crate) fn tail(&self) -> Option<&[u8]> {
        if self.form == Form::Text {
            return Some(&self.unit.raw);
        }
        outside_variations(self.unit.items.iter(), |item| item.kind)
            .find(|item| item.kind == Kind::Text && item.num == TAIL)
            .map(|item| self.unit.text(item))
    }

    pub(super) fn restart(&mut self) {
        let mut unit = std::mem::take(&mut self.unit);
        unit.clear();
        *self = GameData {
            unit,
            ..GameData::default()
        };
    }

    /// What the elements of a game of ours come to.
    fn weigh(&mut self) {
        self.form = Form::Records;
        self.wholeness = self.unit.wholeness();
        let mut depth = 0_u32;
        for item in &self.unit.items {
            match item.kind {
                Kind::RavOpen => {
                    depth += 1;
                    self.variations = true;
                }
                Kind::RavClose => depth = depth.saturating_sub(1),
                Kind::Move => self.plies += u64::from(depth == 0),
                Kind::Brace | Kind::Line => self.comments = true,
                Kind::Nag => self.nags = true,
                Kind::Tag | Kind::Escape | Kind::Text | Kind::Terminator => {}
            }
        }
    }

    /// The tags of a game kept as text are those that its first piece begins with.
    fn read_piece(&mut self) {
        self.form = Form::Text;
        self.wholeness = Wholeness::TextOnly;
        let raw = std::mem::take(&mut self.unit.raw);
        piece_tags(&raw, |name, value| self.unit.push_tag(name, value));
        self.unit.tag_items = self.unit.items.len();
        self.unit.raw = raw;
    }

    /// Takes a record of a foreign game; the last one ends it. `false`: it ends here.
    pub(super) fn take(&mut self, record: &Record<'_>) -> Result<bool, &'static str> {
        match *record {
            Record::Game { str, moves } => {
                for (name, value) in ROSTER.iter().zip(str) {
                    self.take_tag(name.as_bytes(), value)?;
                }
                self.take_moves(moves);
                return Ok(false);
            }
            Record::TagPair { name, value } => {
                if matches!(name, b"Variant" | b"FEN") && self.plies > 0 {
                    return Err("Variant and FEN come before the first move");
                }
                self.take_tag(name, value)?;
            }
            Record::ShortMoves(moves) | Record::LongMoves(moves) => self.take_moves(moves),
            Record::Nag(value) => {
                self.nags = true;
                self.keep(|unit| unit.push(Kind::Nag, u32::from(value), b""));
            }
            Record::RavBegin => {
                if self.plies == 0 {
                    return Err("there is no move that the variation could replace");
                }
                self.variations = true;
                self.depth += 1;
                self.keep(|unit| unit.push(Kind::RavOpen, 0, b""));
            }
            Record::RavEnd => {
                self.depth = self.depth.saturating_sub(1);
                self.keep(|unit| unit.push(Kind::RavClose, 0, b""));
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
        self.unit.push_tag(&from_latin1(name), &from_latin1(value));
        Ok(())
    }

    fn take_moves(&mut self, moves: &[u8]) {
        if self.depth == 0 {
            self.plies += moves.len() as u64;
        }
        let room = MAX_ELEMS.saturating_sub(self.unit.items.len());
        push_moves(&mut self.unit, &moves[..moves.len().min(room)]);
        self.cut |= moves.len() > room;
    }

    fn keep(&mut self, push: impl FnOnce(&mut Decoded)) {
        if self.unit.items.len() < MAX_ELEMS {
            push(&mut self.unit);
        } else {
            self.cut = true;
        }
    }

    /// At the end of a foreign game: play of rules that nobody knows, or from nowhere, is as good
    /// as text.
    pub(super) fn end_foreign(&mut self) {
        self.form = Form::Foreign;
        self.unit.tag_items = self.unit.items.len();
        if self.plies > 0 && crate::chess::start_position(self.tags()).is_err() {
            self.plies = 0;
            self.wholeness = Wholeness::TextOnly;
        }
    }
}

/// Gives the tags (name and true value) that a game kept as text begins with.
pub(super) fn piece_tags(text: &[u8], mut each: impl FnMut(&[u8], &[u8])) {
    let mut games = ParsedGames::default();
    // A game begins with a tag pair, with movetext, or at a line start, so what stands before it
    // does not matter.
    if games.read_tag_section(text, true).is_ok() {
        for tag in games.iter().flat_map(|game| game.tags) {
            each(&text[tag.name.clone()], &unescape(&text[tag.value.clone()]));
        }
    }
}

enum Source<'a> {
    Ours {
        head: &'a BlockHead,
        records: &'a [u8],
        decoder: Box<BlockDecoder<'a>>,
        /// A unit that was read ahead.
        ahead: Option<Unit>,
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
    pub(super) fn places(&self, wanted: &[u64]) -> Result<Vec<usize>, Error> {
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
    pub(super) fn jump(&mut self, nth: u64, place: usize) {
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
                    Some(Unit::Game) => self.data.weigh(),
                    Some(Unit::Piece(false)) => self.data.read_piece(),
                    Some(Unit::Stray(_) | Unit::Piece(true)) => continue,
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
                        Some(Unit::Piece(true)) => out.extend_from_slice(&unit.raw),
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
                    &mut Kept::new(unit),
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
                let mut summary = super::Summary::default();
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
            Some(Unit::Piece(true)) => out.extend_from_slice(&unit.raw),
            Some(_) => return Ok(false),
        }
    }
}
