//! The moves in comments, game by game (spec/small.md section 7.7).

use crate::decode::game::Decoded;
use crate::num::{put_str, take_str};
use crate::small::bits::{BitCoder, Mixer, Read, context};
use crate::small::models::start;
use crate::small::note::{NotePart, NoteParts, put_moves};
use crate::small::parts::ShapeFields;
use crate::small::walk::LineWalk;
use pgc_chess::{BadCode, CodedLine, Position, RangeDecoder, RangeEncoder};
use pgc_pgn::game::ElemKind;

/// Writes or reads one of the moves that were not guessed.
trait MoveCoder: BitCoder {
    fn other(&mut self, line: &mut CodedLine, wrong: &[u8], ordinal: u8) -> Read<u8>;
}

impl MoveCoder for RangeEncoder {
    fn other(&mut self, line: &mut CodedLine, wrong: &[u8], ordinal: u8) -> Read<u8> {
        line.put_other(ordinal, wrong, self).ok_or(BadCode)?;
        Ok(ordinal)
    }
}

impl MoveCoder for RangeDecoder<'_> {
    fn other(&mut self, line: &mut CodedLine, wrong: &[u8], _: u8) -> Read<u8> {
        line.take_other(wrong, self)
    }
}

/// What was played from a position.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    check: u32,
    /// The last move, and the last other one in comments; 0 is none, else the ordinal + 1.
    moves: [u16; 2],
    /// The move of the game, likewise.
    played: u16,
    /// How often in a row the last move came again, at most 3.
    count: u16,
}

const SEEN_BITS: u32 = 13;

/// The model of the moves in the comments of a game.
struct Foretold {
    seen: Vec<Seen>,
    hits: Mixer<3>,
}

impl Foretold {
    fn new() -> Foretold {
        Foretold {
            seen: vec![Seen::default(); 1 << SEEN_BITS],
            hits: Mixer::new(12, 8, 3, 255),
        }
    }

    fn at(&mut self, key: u64) -> &mut Seen {
        let seen = &mut self.seen[(key >> (64 - SEEN_BITS)) as usize];
        let check = (key << SEEN_BITS >> 32) as u32 | 1;
        if seen.check != check {
            *seen = Seen::default();
            seen.check = check;
        }
        seen
    }

    /// Remembers the moves of the game.
    fn game(&mut self, game: &Decoded, start: &Position) -> Option<()> {
        let mut walk = LineWalk::new(start.clone(), true);
        game.play().iter().try_for_each(|elem| {
            walk.step(elem.kind, |position| {
                let key = position.key()?;
                self.at(key).played = u16::from(elem.ordinal) + 1;
                position.advance(elem.ordinal, None)?;
                Some(elem.ordinal)
            })
        })
    }

    /// Codes a list of moves from this line on; `played`: the move with which the game went on.
    fn list(
        &mut self,
        coder: &mut impl MoveCoder,
        mut line: CodedLine,
        played: Option<u8>,
        ordinals: &mut [u8],
    ) -> Read<()> {
        let mut history = 0;
        for (ply, ordinal) in ordinals.iter_mut().enumerate() {
            let key = line.position().key().ok_or(BadCode)?;
            let seen = *self.at(key);
            let played = if ply == 0 { played } else { None };
            let first = played.map_or(0, |played| u16::from(played) + 1);
            let guesses = [first, seen.moves[0], seen.moves[1], seen.played];
            let depth = ply.min(3) as u32;
            let state = history | depth << 8;
            let hit;
            (*ordinal, hit) = self.ply(coder, &mut line, guesses, &seen, state, *ordinal)?;
            history = (history << 2 | hit) & 0x3f;
            let seen = self.at(key);
            let found = u16::from(*ordinal) + 1;
            if seen.moves[0] == found {
                seen.count = (seen.count + 1).min(3);
            } else {
                (seen.moves, seen.count) = ([found, seen.moves[0]], 0);
            }
        }
        Ok(())
    }

    /// Codes a ply and plays it. Also returns 0 if the first guess was right, 1 if a later one was,
    /// else 2.
    fn ply(
        &mut self,
        coder: &mut impl MoveCoder,
        line: &mut CodedLine,
        guesses: [u16; 4],
        seen: &Seen,
        state: u32,
        ordinal: u8,
    ) -> Read<(u8, u32)> {
        let (mut wrong, mut tries) = ([0; 4], 0);
        for (i, guess) in guesses.into_iter().enumerate() {
            let Some(guess) = guess.checked_sub(1).map(|guess| guess.to_le_bytes()[0]) else {
                continue;
            };
            if wrong[..tries].contains(&guess) || line.position().select(guess).is_none() {
                continue;
            }
            let agrees = u32::from(seen.played == u16::from(guess) + 1);
            let kind = i as u32 | (tries as u32) << 2 | agrees << 4;
            let count = if i == 1 { u32::from(seen.count) } else { 0 };
            let contexts = [
                context(kind, count << 8 | 0x1000),
                context(kind, state | 0x2000),
                context(kind | count << 8, state & 0x30f | 0x3000),
            ];
            if self.hits.bit(coder, &contexts, i, 0, guess == ordinal) {
                line.follow(guess).ok_or(BadCode)?;
                return Ok((guess, u32::from(tries > 0)));
            }
            wrong[tries] = guess;
            tries += 1;
        }
        Ok((coder.other(line, &wrong[..tries], ordinal)?, 2))
    }

    /// Codes all lists of a game, comment by comment.
    fn lists(
        &mut self,
        coder: &mut impl MoveCoder,
        game: &Decoded,
        shapes: &ShapeFields,
        notes: &mut [NoteParts],
    ) -> Read<()> {
        let start = start(game).ok_or(BadCode)?;
        self.game(game, &start).ok_or(BadCode)?;
        let mut walk = LineWalk::new(CodedLine::new(start), true);
        let mut notes = notes.iter_mut();
        for elem in game.play() {
            if elem.kind == ElemKind::Brace {
                for _ in 0..shapes.notes(elem.num) {
                    self.note(coder, &walk, notes.next().ok_or(BadCode)?)?;
                }
                continue;
            }
            let play = |line: &mut CodedLine| line.follow(elem.ordinal).map(|_| elem.ordinal);
            walk.step(elem.kind, play).ok_or(BadCode)?;
        }
        Ok(())
    }

    /// Codes the lists of a comment. A reader puts the text of each in its place.
    fn note<C: MoveCoder>(
        &mut self,
        coder: &mut C,
        walk: &LineWalk<CodedLine>,
        note: &mut NoteParts,
    ) -> Read<()> {
        for part in &mut note.parts {
            let NotePart::Moves(form, ordinals) = part else {
                continue;
            };
            let (line, played) = match (&walk.before, form.is_before) {
                (Some((before, played)), true) => (before, Some(*played)),
                (None, true) => return Err(BadCode),
                _ => (&walk.line, None),
            };
            self.list(coder, line.clone(), played, ordinals)?;
            if C::READS {
                let begin = note.bytes.len();
                put_moves(&mut note.bytes, line.position(), ordinals, form.spelling)
                    .ok_or(BadCode)?;
                *part = NotePart::Word(begin..note.bytes.len());
            }
        }
        Ok(())
    }
}

/// Adds the moves in the comments of a game to the stream; `None` if they are not legal.
pub(crate) fn put_foretold(
    out: &mut Vec<u8>,
    game: &Decoded,
    shapes: &ShapeFields,
    notes: &mut [NoteParts],
) -> Option<()> {
    if notes.iter().any(NoteParts::has_moves) {
        let (mut coder, mut foretold) = (RangeEncoder::default(), Foretold::new());
        foretold.lists(&mut coder, game, shapes, notes).ok()?;
        put_str(out, &coder.finish());
    }
    Some(())
}

/// Takes the moves in the comments of a game that has some from the stream, or passes them if they
/// are not wanted.
pub(crate) fn take_foretold(
    src: &mut &[u8],
    game: &Decoded,
    shapes: &ShapeFields,
    notes: &mut [NoteParts],
    wanted: bool,
) -> Option<()> {
    let run = take_str(src)?;
    if !wanted {
        return Some(());
    }
    let (mut coder, mut foretold) = (RangeDecoder::new(run), Foretold::new());
    foretold.lists(&mut coder, game, shapes, notes).ok()?;
    coder.finish().ok()
}
