//! The comments of a block, taken apart once: into shapes, which the block's head names, and values.

use std::collections::HashMap;

use super::encode::{Form, Parsed};
use crate::pgc::annotations::MAX_SHAPES;
use crate::pgc::shape::{self, Value};
use crate::pgn::game::Kind;

/// A longer shape is not worth a place in the head.
const MAX_SHAPE: usize = 200;

/// See the module.
#[derive(Default)]
pub(super) struct Comments {
    /// The shapes that two comments or more have, the most frequent first.
    pub shapes: Vec<Vec<u8>>,
    /// Of each brace comment, in source order: its shape as numbered here, and where its values end.
    found: Vec<(Option<usize>, usize)>,
    values: Vec<Value>,
    /// Where a shape as numbered here stands among the block's.
    ranks: Vec<Option<usize>>,
    /// The next comment to be asked for, and where its values begin.
    next: usize,
    at: usize,
}

impl Comments {
    /// Takes the comments of all games that are not written as text alone.
    pub(super) fn new(src: &[u8], parsed: &[Parsed]) -> Comments {
        let mut comments = Comments::default();
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut counts: Vec<u64> = Vec::new();
        // Nearly all comments of a block have the shape of the one before: those need no hashing.
        let mut last: (Vec<u8>, usize) = (Vec::new(), 0);
        let mut shape = Vec::new();
        for Parsed { unit, game, .. } in parsed.iter().filter(|p| p.form != Form::Text) {
            let src = &src[unit.start..unit.end];
            for elem in game.elems.iter().filter(|e| e.kind == Kind::Brace) {
                let mut number = None;
                if shape::parse(&src[elem.inner()], &mut shape, &mut comments.values) {
                    if shape != last.0 {
                        let new = counts.len();
                        last = (shape.clone(), *numbers.entry(shape.clone()).or_insert(new));
                        counts.resize(numbers.len(), 0);
                    }
                    counts[last.1] += 1;
                    number = Some(last.1);
                }
                comments.found.push((number, comments.values.len()));
            }
        }
        comments.choose(numbers, &counts);
        comments
    }

    fn choose(&mut self, numbers: HashMap<Vec<u8>, usize>, counts: &[u64]) {
        self.ranks = vec![None; counts.len()];
        let mut chosen: Vec<_> =
            numbers.into_iter().filter(|(shape, number)| counts[*number] > 1 && shape.len() < MAX_SHAPE).collect();
        chosen.sort_by_key(|&(_, number)| (std::cmp::Reverse(counts[number]), number));
        chosen.truncate(MAX_SHAPES);
        for (shape, number) in chosen {
            self.ranks[number] = Some(self.shapes.len());
            self.shapes.push(shape);
        }
    }

    /// The next comment: number and bytes of the block's shape that it has, if it has one, and its values.
    pub(super) fn next(&mut self) -> Option<(u64, &[u8], &[Value])> {
        let &(number, end) = self.found.get(self.next)?;
        let values = self.at..end;
        self.next += 1;
        self.at = end;
        let rank = self.ranks[number?]?;
        Some((rank as u64, &self.shapes[rank], &self.values[values]))
    }
}
