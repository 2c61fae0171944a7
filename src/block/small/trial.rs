//! Whether the comments of a block are taken apart (spec/small.md section 7.8).

use crate::small::dissect::{Starts, WordCounts};
use crate::small::note::{NotePart, NoteParts};
use crate::small::notes::{NextPart, Notes};
use crate::small::texts::TextWriter;
use pgc_chess::RangeEncoder;

/// At least this many bytes of numbers and moves, if they are a fourth of all bytes, need no trial.
const MANY: usize = 2048;

/// The bits that a ply in a comment takes, roughly.
const PLY_BITS: usize = 4;

/// Whether the numbers and moves of a block are worth taking comments apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Apart,
    Whole,
    /// Only a trial can tell.
    Doubt,
}

/// The verdict, from the bytes of all comments and of the numbers and moves among them.
pub(crate) fn verdict(all: usize, told: usize) -> Verdict {
    match told {
        0 => Verdict::Whole,
        MANY.. if told >= all / 4 => Verdict::Apart,
        _ => Verdict::Doubt,
    }
}

/// Codes comments both ways.
#[derive(Debug)]
pub(crate) struct NotesTrial {
    notes: Notes,
    coder: RangeEncoder,
    pieces: TextWriter,
    plies: usize,
    whole: TextWriter,
}

impl NotesTrial {
    pub(crate) fn new() -> NotesTrial {
        NotesTrial {
            notes: Notes::new(),
            coder: RangeEncoder::default(),
            pieces: TextWriter::default(),
            plies: 0,
            whole: TextWriter::default(),
        }
    }

    /// Adds a comment.
    pub(crate) fn put(
        &mut self,
        words: &WordCounts,
        text: &[u8],
        starts: Starts<'_>,
    ) -> Option<()> {
        let is_white = starts.after.is_none_or(|position| position.white_to_move());
        let note = words.note(text, starts);
        self.notes.begin(u64::from(!is_white));
        put_note(&mut self.notes, &mut self.coder, &mut self.pieces, &note)?;
        for part in &note.parts {
            if let NotePart::Moves(_, ordinals) = part {
                self.plies += ordinals.len();
            }
        }
        self.whole.put(text)
    }

    /// Whether they are shorter apart.
    pub(crate) fn shorter_apart(self) -> Option<bool> {
        let apart = self.coder.finish().len() + self.pieces.finish()?.len();
        Some(apart + self.plies * PLY_BITS / 8 < self.whole.finish()?.len())
    }
}

/// Codes the parts of a comment, without the moves themselves.
pub(crate) fn put_note(
    notes: &mut Notes,
    coder: &mut RangeEncoder,
    texts: &mut TextWriter,
    note: &NoteParts,
) -> Option<()> {
    for part in &note.parts {
        let next = match part {
            NotePart::Text(_) => NextPart::Text,
            NotePart::Word(word) => NextPart::Word(note.bytes.get(word.clone())?),
            NotePart::Number(form, number) => NextPart::Number(*form, *number),
            NotePart::Moves(form, ordinals) => NextPart::Moves(*form, ordinals.len()),
        };
        notes.part(coder, next).ok()?;
        if let NotePart::Text(text) = part {
            texts.put(note.bytes.get(text.clone())?)?;
        }
    }
    notes.part(coder, NextPart::End).ok().map(|_| ())
}
