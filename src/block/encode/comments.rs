//! The annotations of a block (spec/extension.md section 8). They are gathered from all games
//! before the first game is written, because the frequencies in the whole block decide which shapes
//! of comments its head names.

use std::collections::HashMap;

use crate::annotations::{GameNotes, MAX_SHAPES, Note, NotesWriter};
use crate::encode::play::has_record;
use crate::shape::{self, Pattern, Value};
use crate::tag_value::terminator_of;
use crate::units::Parsed;
use pgc_pgn::game::{ElemKind, ParsedGame, TAIL};
use pgc_pgn::split::UnitKind;
use pgc_pgn::tag::unescape;

/// A longer shape is not worth a place in the head.
const MAX_SHAPE: usize = 200;

/// Gathers and writes the annotations of a block.
#[derive(Debug, Default)]
pub(crate) struct Comments<'a> {
    /// The shapes that two comments or more have, the most frequent first.
    pub shapes: Vec<Vec<u8>>,
    notes: NotesWriter<'a>,
    games: Vec<GameNotes>,
    /// For each number of a shape, its rank among the block's shapes, if it was chosen.
    ranks: Vec<Option<u64>>,
    /// The index of the next game to be written.
    next: usize,
}

impl<'a> Comments<'a> {
    /// Gathers the annotations of all games that are not written as text alone.
    pub(crate) fn new(src: &'a [u8], parsed: &[Parsed<'_>]) -> Comments<'a> {
        let mut comments = Comments::default();
        let mut known = Shapes::default();
        let games = || {
            let games = parsed.iter().filter(|p| p.unit.kind == UnitKind::Game);
            games.map(|p| (&src[p.unit.start..], &p.game))
        };
        for (src, game) in games() {
            let notes = read_notes(&mut comments.notes, &mut known, src, game);
            comments.games.push(notes);
        }
        let mut counts = vec![0; known.numbers.len()];
        for game in &comments.games {
            let shapes = comments.notes.shapes(game);
            shapes.for_each(|(number, count)| counts[number] += count);
        }
        comments.choose(&mut known, &counts);
        if comments.ranks.contains(&None) {
            // Comments of shapes that were not chosen become text, and predict no values.
            let is_chosen = |(number, _): (usize, u64)| comments.ranks[number].is_some();
            for (notes, (src, game)) in comments.games.iter_mut().zip(games()) {
                if !comments.notes.shapes(notes).all(is_chosen) {
                    *notes = read_notes(&mut comments.notes, &mut known, src, game);
                }
            }
        }
        comments
    }

    fn choose(&mut self, known: &mut Shapes, counts: &[u64]) {
        self.ranks = vec![None; counts.len()];
        let mut chosen: Vec<_> = known.numbers.iter().collect();
        chosen.retain(|&(_, number)| counts[*number] > 1);
        chosen.sort_by_key(|&(_, number)| (std::cmp::Reverse(counts[*number]), number));
        chosen.truncate(MAX_SHAPES);
        for (rank, &(shape, &number)) in (0..).zip(&chosen) {
            self.ranks[number] = Some(rank);
            self.shapes.push(shape.clone());
        }
        let is_chosen = |number: &usize| self.ranks[*number].is_some();
        known.numbers.retain(|_, number| is_chosen(number));
        known.recent = [None, None];
        known.is_closed = true;
    }

    /// Appends the escape of the next game's annotations, if it has any.
    pub(crate) fn put_next(&mut self, out: &mut Vec<u8>) {
        // By now every shape that a game has was chosen.
        let rank = |number: usize| self.ranks[number].unwrap_or_default();
        if let Some(notes) = self.games.get(self.next) {
            self.notes.put_escape(out, notes, rank);
        }
        self.next += 1;
    }
}

/// The shapes of the comments seen so far.
#[derive(Default)]
struct Shapes {
    numbers: HashMap<Vec<u8>, usize>,
    /// The last two shapes that are quick to recognise, with their numbers, the latest first.
    recent: [Option<(usize, Pattern)>; 2],
    /// No new shapes are added.
    is_closed: bool,
    /// Buffers, kept for their memory.
    shape: Vec<u8>,
    values: Vec<Value>,
}

impl Shapes {
    /// Adds the comment in the first `len` bytes of `src`, by its shape or as text.
    fn put<'a>(&mut self, notes: &mut NotesWriter<'a>, place: u64, src: &'a [u8], len: usize) {
        for i in 0..2 {
            if let Some((number, pattern)) = &self.recent[i]
                && notes.put_fitting(place, *number, pattern, src, len)
            {
                if i > 0 {
                    self.recent.swap(0, i);
                }
                return;
            }
        }
        self.put_new(notes, place, &src[..len]);
    }

    /// Adds a comment that has none of the recent shapes.
    fn put_new<'a>(&mut self, notes: &mut NotesWriter<'a>, place: u64, comment: &'a [u8]) {
        self.values.clear();
        let number = match shape::parse(comment, &mut self.shape, &mut self.values) {
            true if self.shape.len() < MAX_SHAPE => self.number(),
            _ => None,
        };
        let Some(number) = number else {
            return notes.put(place, Note::Brace(comment));
        };
        notes.put_shaped(place, number, comment, &self.shape, &self.values);
        let pattern = Pattern::new(&self.shape);
        if !pattern.needs_search {
            self.recent[1] = Some((number, pattern));
            self.recent.swap(0, 1);
        }
    }

    /// The number of `self.shape`; `None` if it is new and no new shapes are added.
    fn number(&mut self) -> Option<usize> {
        let known = self.numbers.get(&self.shape).copied();
        if known.is_some() || self.is_closed {
            return known;
        }
        let new = self.numbers.len();
        self.numbers.insert(self.shape.clone(), new);
        Some(new)
    }
}

/// Gathers the annotations of the game at the beginning of `src`. The place of an annotation is the
/// number of elements with a record before it.
fn read_notes<'a>(
    notes: &mut NotesWriter<'a>,
    shapes: &mut Shapes,
    src: &'a [u8],
    game: &ParsedGame<'_>,
) -> GameNotes {
    notes.begin_game();
    // Most games have nothing to annotate but their terminator, which is the last element.
    let begin = match game.kinds.are_among(&[ElemKind::Terminator]) {
        true => game.elems.len().saturating_sub(1).max(game.tag_elems),
        false => game.tag_elems,
    };
    let (mut place, mut terminator) = ((begin - game.tag_elems) as u64, 0);
    for elem in &game.elems[begin..] {
        match elem.kind {
            ElemKind::Brace => {
                let inner = elem.inner();
                shapes.put(notes, place, &src[inner.start..], inner.len());
            }
            ElemKind::Terminator => terminator = u8::try_from(elem.num).unwrap_or(0),
            ElemKind::Line => notes.put(place, Note::Line(&src[elem.inner()])),
            ElemKind::Text if elem.num == TAIL => notes.put(place, Note::Tail(&src[elem.span()])),
            ElemKind::Text => notes.put(place, Note::Text(&src[elem.span()])),
            ElemKind::Nag if !has_record(elem) => notes.put(place, Note::Nag(elem.num)),
            _ => place += 1,
        }
    }
    let result = game.tags.iter().find(|t| &src[t.name.clone()] == b"Result");
    let predicted = result.map_or(0, |t| terminator_of(&unescape(&src[t.value.clone()])));
    if terminator != predicted {
        notes.put(place, Note::Terminator(terminator));
    }
    notes.end_game()
}
