//! The model in integers (spec/moves.md, section 5): scores and frequencies of the legal moves.

use crate::features::{Features, HIDDEN, NONE};
use crate::tables::Tables;

/// The frequencies of the moves, in their order.
pub fn frequencies(tables: &Tables, features: &Features) -> Vec<u32> {
    let scores = scores(tables, features);
    let best = scores.iter().copied().max().unwrap_or(0);
    scores
        .iter()
        .map(|score| {
            let behind = (best - score) as usize;
            let whole = behind >> 8;
            let frequency = match whole {
                0..16 => tables.exp[behind & 255] >> whole,
                _ => 0,
            };
            u32::from(frequency.max(1))
        })
        .collect()
}

/// In 1/256 bit.
fn scores(tables: &Tables, features: &Features) -> Vec<i32> {
    let mut sums = [0_i32; HIDDEN];
    for &input in &features.inputs {
        for (sum, value) in sums.iter_mut().zip(tables.inputs[input as usize]) {
            *sum += i32::from(value);
        }
    }
    let mut active = [0_i32; HIDDEN];
    for unit in 0..HIDDEN {
        active[unit] = (i32::from(tables.bias[unit]) + 4 * sums[unit]).clamp(0, 256) >> 1;
    }
    features
        .moves
        .iter()
        .map(|m| {
            let mut dot = 0;
            for row in m.rows {
                for (active, value) in active.iter().zip(tables.rows[row as usize]) {
                    dot += active * i32::from(value);
                }
            }
            let small: i32 = m
                .entries
                .iter()
                .filter(|entry| **entry != NONE)
                .map(|entry| i32::from(tables.small[*entry as usize]))
                .sum();
            (dot >> 4) + small
        })
        .collect()
}
