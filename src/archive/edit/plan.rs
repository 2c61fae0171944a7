//! Which games an edit changes, and which sources have them.

use std::borrow::Cow;
use std::io;

use crate::edit::edits::{Edits, FieldChange, GameTag};
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use crate::stream::head::{SegmentHead, SegmentTail};
use crate::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use pgc_block::small::stored::Needs;
use pgc_io::read_at::Onward;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::writer::Termination;

/// A game that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameChange {
    /// The number of the game in the archive, from 1.
    pub number: u64,
    /// What happens to it.
    pub what: GameEdit,
}

/// What happens to a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEdit {
    /// Some fields change.
    Fields(Vec<FieldChange>),
    /// The game is deleted; its text, if it is asked for.
    Deleted(Vec<u8>),
}

/// The games of an archive that an edit changes.
#[derive(Clone, Debug)]
pub struct EditPlan {
    pub(super) edits: Edits,
    /// The numbers of the games in the archive, from 0, ascending.
    pub(super) games: Vec<u32>,
    /// The lines of EPD that were passed over.
    passed: u64,
    pub(super) segments: Vec<PlannedSegment>,
}

/// A segment of the archive that is edited.
#[derive(Clone, Debug)]
pub(super) struct PlannedSegment {
    /// Where it begins and ends in the archive.
    pub begin: u64,
    pub end: u64,
    pub head: SegmentHead,
    pub tail: SegmentTail,
    /// The number of its first game, from 0.
    pub first: u64,
}

impl PlannedSegment {
    /// The number of the game behind its last one, from 0.
    fn end_game(&self) -> u64 {
        self.first.saturating_add(self.tail.games)
    }

    fn is_epd(&self) -> bool {
        self.head.text == SourceText::Epd
    }
}

/// The beginning of a game, or of text outside games, in the edited text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartStart {
    pub at: u64,
    /// The number of the game in the archive, from 1; `None`: text outside games.
    pub game: Option<u64>,
}

/// The fields that the edits change in the current game, which has this number, or is a line of EPD.
fn changes_of(
    games: &mut BlockGames<'_>,
    edits: &Edits,
    number: u64,
    is_epd: bool,
) -> Result<Vec<FieldChange>, Error> {
    let game = games.game();
    let terminator = Termination::from_number(game.game().terminator());
    let tags = game.tags().map(|(name, value)| (name, value.into()));
    let tags: Vec<GameTag<'_>> = tags.collect();
    let edits = match is_epd {
        // A line of EPD has no moves, and so no opening that it reached.
        true => Cow::Borrowed(edits),
        false => edits.of_game(&tags, game.game().main_line()),
    };
    let changes = edits.changes(&tags, terminator);
    // Of a game in pieces only the tags are read: its termination marker could contradict a new
    // Result.
    if game.is_text() && changes.iter().any(FieldChange::sets_result) {
        let what = format!(
            "game {number}: is too long, or has too many elements, to find its termination \
             marker: its Result cannot be set"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
    }
    Ok(changes)
}

impl EditPlan {
    /// Makes the plan for the `wanted` games (from 0 and ascending, as the index or its stand-in
    /// counts them; `None`: all of them). `each` gets every game that changes, in order; with
    /// `with_texts`, deleted games have their whole text.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], and those of `each`.
    pub fn new(
        archive: &Archive,
        wanted: Option<&[u32]>,
        edits: &Edits,
        threads: usize,
        with_texts: bool,
        each: &mut dyn FnMut(GameChange) -> Result<(), Error>,
    ) -> Result<EditPlan, Error> {
        let segments = segments(archive)?;
        let epd = segments.iter().filter(|segment| segment.is_epd());
        let epd: Vec<_> = epd.map(|of| of.first..of.end_game()).collect();
        let is_epd = |number: u64| {
            let segment = epd.partition_point(|games| games.end < number);
            epd.get(segment).is_some_and(|games| games.start < number)
        };
        let mut plan = EditPlan {
            edits: edits.clone(),
            games: Vec::new(),
            passed: 0,
            segments,
        };
        archive.scan(
            wanted,
            Needs::All,
            threads,
            |place, games, (found, passed): &mut (Vec<GameChange>, u64)| {
                archive.compare(games)?;
                let number = archive.number_of(games.number() - 1);
                let is_epd = is_epd(number);
                *passed += u64::from(is_epd && edits.opening.is_some());
                let what = if edits.deletes() {
                    let mut text = Vec::new();
                    if with_texts {
                        archive.text_of(place, games, &mut |bytes| {
                            text.extend_from_slice(bytes);
                            Ok(())
                        })?;
                    }
                    GameEdit::Deleted(text)
                } else {
                    let changes = changes_of(games, edits, number, is_epd)?;
                    if changes.is_empty() {
                        return Ok(());
                    }
                    GameEdit::Fields(changes)
                };
                found.push(GameChange { number, what });
                Ok(())
            },
            |(found, passed)| {
                plan.passed += passed;
                for change in found {
                    let game = u32::try_from(change.number - 1);
                    plan.games.push(game.map_err(io::Error::other)?);
                    each(change)?;
                }
                Ok(())
            },
        )?;
        plan.refuse_epd()?;
        Ok(plan)
    }

    /// Refuses to change lines of EPD, which have no tag pairs.
    fn refuse_epd(&self) -> Result<(), Error> {
        let mut epd = self.segments.iter().filter(|segment| segment.is_epd());
        let Some(&game) = epd.find_map(|segment| self.changed(segment).first()) else {
            return Ok(());
        };
        let what = format!(
            "game {}: is a line of EPD, which is not edited: change its source, and pack that \
             again (or exclude it from the query)",
            u64::from(game) + 1
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, what).into())
    }

    /// The number of games that change.
    pub fn len(&self) -> u64 {
        self.games.len() as u64
    }

    /// The number of lines of EPD that were asked for their opening, which they do not have.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Whether no game changes.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The number of games of the archive.
    pub fn archive_games(&self) -> u64 {
        let last = self.segments.last();
        last.map_or(0, PlannedSegment::end_game)
    }

    /// The number of bytes that writing reports as progress.
    pub fn work(&self) -> u64 {
        let of = |segment: &PlannedSegment| match self.changed(segment).is_empty() {
            true => segment.end - segment.begin,
            false => segment.tail.source,
        };
        self.segments.iter().map(of).fold(0, u64::saturating_add)
    }

    /// The games of a segment that change.
    pub(super) fn changed(&self, segment: &PlannedSegment) -> &[u32] {
        let before = |end: u64| self.games.partition_point(|&game| u64::from(game) < end);
        &self.games[before(segment.first)..before(segment.end_game())]
    }
}

/// The segments of an archive.
fn segments(archive: &Archive) -> Result<Vec<PlannedSegment>, Error> {
    let mut reader = ArchiveReader::for_heads(Onward::new(archive.bytes()), OnDamage::Stop);
    let (mut segments, mut begun, mut first) = (Vec::new(), None, 0_u64);
    loop {
        let part = reader.next_head();
        match part.map_err(|error| error.after_game(reader.games()))? {
            None => return Ok(segments),
            Some(ArchivePart::Head(head)) => {
                begun = Some((reader.begin(), head));
            }
            Some(ArchivePart::Tail(tail)) => {
                let Some((begin, head)) = begun.take() else {
                    continue;
                };
                let segment = PlannedSegment {
                    begin,
                    end: reader.offset(),
                    head,
                    tail,
                    first,
                };
                first = segment.end_game();
                segments.push(segment);
            }
            // The reader stops at damage.
            Some(ArchivePart::Block(..) | ArchivePart::Gap(_) | ArchivePart::Gaps(_))
            | Some(ArchivePart::NoTail) => {}
        }
    }
}
