//! Puts the annotations of a game in their places among the elements that have records
//! (spec/extension.md section 8).

use crate::annotations::{BadNotes, Note, NotesReader};
use crate::decode::game::Decoded;
use crate::shape::Pattern;
use pgc_pgn::game::{Elem, ElemKind, TAIL, Wholeness};
use pgc_pgn::reader::MAX_ELEMS;

/// Adds the annotations to the elements of a game that have records, and the terminator behind
/// them: `predicted`, unless the annotations have another. `played` is a buffer.
///
/// Stops with an error once the text is longer than `max_text`.
pub(crate) fn annotate(
    game: &mut Decoded,
    notes: &[u8],
    shapes: &[Pattern],
    predicted: u8,
    max_text: usize,
    played: &mut Vec<Elem>,
) -> Result<(), BadNotes> {
    let mut terminator = predicted;
    if !notes.is_empty() {
        played.clear();
        played.extend(game.elems.drain(game.tag_elems..));
        let mut line = PendingElems {
            rest: played,
            tail: false,
            depth: 0,
            moved: false,
            looked_at: game.tag_elems,
        };
        let mut notes = NotesReader::new(notes, shapes);
        let mut given = None;
        while let Some(distance) = notes.next_distance()? {
            line.go_on(game, distance)?;
            let note = notes.ahead();
            // Nothing follows a terminator. Only a terminator or the end of the line of play
            // follows its tail.
            let is_terminator = matches!(note, Note::Terminator(_));
            if given.is_some() || (line.tail && !is_terminator) || game.text.len() > max_text {
                return Err(BadNotes);
            }
            if game.elems.len() > MAX_ELEMS {
                break;
            }
            let start = game.text.len();
            match note {
                Note::Brace(_) => {
                    game.text.push(b'{');
                    notes.take_into(&mut game.text)?;
                    game.text.push(b'}');
                    game.push(ElemKind::Brace, 0, start);
                }
                Note::Line(_) => {
                    game.text.push(b';');
                    notes.take_into(&mut game.text)?;
                    game.push(ElemKind::Line, 0, start);
                }
                Note::Text(_) | Note::Tail(_) => {
                    notes.take_into(&mut game.text)?;
                    let is_tail = matches!(note, Note::Tail(_));
                    if is_tail {
                        line.ends_in_text(game)?;
                    }
                    game.push(ElemKind::Text, if is_tail { TAIL } else { 0 }, start);
                }
                Note::Nag(_) => {
                    let number = notes.take_into(&mut game.text)?;
                    game.push(ElemKind::Nag, number, start);
                }
                Note::Terminator(_) => {
                    let number = notes.take_into(&mut game.text)?;
                    given = u8::try_from(number).ok();
                    if !line.rest.is_empty() {
                        return Err(BadNotes);
                    }
                }
            }
        }
        game.elems.extend_from_slice(line.rest);
        terminator = given.unwrap_or(predicted);
    }
    if terminator > 0 {
        let end = game.text.len();
        game.push(ElemKind::Terminator, u32::from(terminator), end);
    }
    Ok(())
}

/// The elements with records that are not placed yet.
struct PendingElems<'e> {
    rest: &'e [Elem],
    /// A line of play has just ended in text.
    tail: bool,
    /// The number of elements of the game examined so far, the number of variations open behind
    /// them, and whether the main line has a move.
    looked_at: usize,
    depth: u32,
    moved: bool,
}

impl PendingElems<'_> {
    /// Places the next `distance` elements.
    #[inline]
    fn go_on(&mut self, game: &mut Decoded, distance: u64) -> Result<(), BadNotes> {
        let distance = usize::try_from(distance).map_err(|_| BadNotes)?;
        let (run, rest) = self.rest.split_at_checked(distance).ok_or(BadNotes)?;
        // Mostly one move, and `push` needs no call for it.
        match run {
            [elem] => game.elems.push(*elem),
            _ => game.elems.extend_from_slice(run),
        }
        self.tail &= run.is_empty();
        self.rest = rest;
        Ok(())
    }

    /// Ends the current line of play with text. In the main line, this sets the wholeness of the
    /// game (P5). Fails if the line goes on.
    fn ends_in_text(&mut self, game: &mut Decoded) -> Result<(), BadNotes> {
        self.tail = true;
        for elem in &game.elems[self.looked_at..] {
            match elem.kind {
                ElemKind::RavOpen => self.depth += 1,
                ElemKind::RavClose => self.depth = self.depth.saturating_sub(1),
                ElemKind::Move if self.depth == 0 => self.moved = true,
                _ => {}
            }
        }
        self.looked_at = game.elems.len();
        if self.depth == 0 && game.wholeness == Wholeness::Whole {
            game.wholeness = match self.moved {
                true => Wholeness::Tail,
                false => Wholeness::TextOnly,
            };
        }
        let ends = match self.rest.first() {
            Some(next) => self.depth > 0 && next.kind == ElemKind::RavClose,
            None => self.depth == 0,
        };
        ends.then_some(()).ok_or(BadNotes)
    }
}
