//! The comments of a block, taken apart once: into shapes, which the block's head names, and values.

use std::collections::HashMap;

use super::encode::{Form, Parsed};
use crate::pgc::annotations::MAX_SHAPES;
use crate::pgc::shape::{self, Pattern, Value};
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
        // The shape of the comment before, and its number.
        let (mut pattern, mut last) = (Pattern::default(), 0);
        let mut shape = Vec::new();
        let braces = parsed.iter().flat_map(|p| &p.game.elems).filter(|e| e.kind == Kind::Brace).count();
        comments.found.reserve(braces);
        comments.values.reserve(2 * braces);
        for Parsed { unit, game, .. } in parsed.iter().filter(|p| p.form != Form::Text) {
            let src = &src[unit.start..unit.end];
            for elem in game.elems.iter().filter(|e| e.kind == Kind::Brace) {
                let (comment, values) = (&src[elem.inner()], &mut comments.values);
                let mut number = None;
                if pattern.take_apart(comment, values) {
                    number = Some(last);
                } else if shape::parse(comment, &mut shape, values) {
                    if shape != pattern.shape() {
                        let new = counts.len();
                        last = *numbers.entry(shape.clone()).or_insert(new);
                        counts.resize(numbers.len(), 0);
                        pattern = Pattern::new(&shape);
                    }
                    number = Some(last);
                }
                if let Some(number) = number {
                    counts[number] += 1;
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
