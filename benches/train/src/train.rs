//! Training in floating point, and rounding to the integers of the format.
//!
//! The same input gives the same tables, on any machine and with any number of threads: each batch
//! is cut into two halves whose gradients are added in a fixed order, sums run in a fixed order,
//! and nothing is used but IEEE addition, multiplication, division and square root.

use rayon::prelude::*;

use crate::data::{Plies, unpack};
use crate::evaluate;
use crate::features::{Features, HIDDEN, INPUTS, NONE, ROWS, TABLES};
use crate::tables::Tables;

const ROW_AT: usize = INPUTS * HIDDEN;
const BIAS_AT: usize = ROW_AT + ROWS * HIDDEN;
const SMALL_AT: usize = BIAS_AT + HIDDEN;
const WEIGHTS: usize = SMALL_AT + TABLES;

/// How training goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub seed: u64,
    pub passes: usize,
    pub batch: usize,
    /// The first step width; it falls to 0 in a straight line.
    pub step: f32,
    /// Behind this part of the passes, weights are rounded as the format rounds them.
    pub round_from: f32,
    /// How much of the sums of gradients each batch keeps.
    pub momentum: f32,
    pub squares: f32,
}

/// Splitmix64.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is small beside 2^64.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn shuffle(&mut self, places: &mut [u64]) {
        for end in (2..=places.len()).rev() {
            places.swap(end - 1, self.below(end));
        }
    }
}

/// 2^x for x <= 0. Not the platform's, which differs from one to the next.
fn exp2(x: f32) -> f32 {
    if x < -100.0 {
        return 0.0;
    }
    let whole = x.floor();
    let f = x - whole;
    // Taylor's series of 2^f around 1/2 would be a little better; this is good to 1e-6.
    let y = f * std::f32::consts::LN_2;
    let power = 1.0
        + y * (1.0
            + y * (1.0 / 2.0
                + y * (1.0 / 6.0
                    + y * (1.0 / 24.0
                        + y * (1.0 / 120.0 + y * (1.0 / 720.0 + y * (1.0 / 5040.0)))))));
    power * f32::from_bits(((whole as i32 + 127) as u32) << 23)
}

fn row(values: &[f32], at: usize) -> &[f32; HIDDEN] {
    values[at..at + HIDDEN].try_into().expect("a row of 64")
}

fn row_mut(values: &mut [f32], at: usize) -> &mut [f32; HIDDEN] {
    (&mut values[at..at + HIDDEN])
        .try_into()
        .expect("a row of 64")
}

fn add_scaled(sum: &mut [f32; HIDDEN], factor: f32, values: &[f32; HIDDEN]) {
    for unit in 0..HIDDEN {
        sum[unit] += factor * values[unit];
    }
}

fn add(sum: &mut [f32; HIDDEN], values: &[f32; HIDDEN]) {
    for unit in 0..HIDDEN {
        sum[unit] += values[unit];
    }
}

fn dot(a: &[f32; HIDDEN], b: &[f32; HIDDEN]) -> f32 {
    let mut lanes = [0.0; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for lane in 0..16 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
    }
    lanes[0]
}

/// What one thread works in.
struct Half {
    gradient: Vec<f32>,
    /// Bits of this half's moves.
    bits: f64,
    features: Features,
    scores: Vec<f32>,
    /// For each row of the move table, its product with the hidden units in this ply, and the sum
    /// of its moves' gradients.
    products: Vec<f32>,
    sums: Vec<f32>,
    seen: Vec<u32>,
    ply: u32,
    rows: Vec<u16>,
}

impl Half {
    fn new() -> Half {
        Half {
            gradient: vec![0.0; WEIGHTS],
            bits: 0.0,
            features: Features::default(),
            scores: Vec::new(),
            products: vec![0.0; ROWS],
            sums: vec![0.0; ROWS],
            seen: vec![0; ROWS],
            ply: 0,
            rows: Vec::new(),
        }
    }

    fn work(&mut self, weights: &[f32], plies: &Plies, places: &[u64], rounded: bool) {
        self.bits = 0.0;
        for &place in places {
            self.one(weights, plies.ply(place), rounded);
        }
    }

    fn one(&mut self, weights: &[f32], words: &[u64], rounded: bool) {
        let about = unpack(words, &mut self.features);
        let features = &self.features;
        let mut sums = *row(weights, BIAS_AT);
        for &input in &features.inputs {
            add(&mut sums, row(weights, usize::from(input) * HIDDEN));
        }
        let mut hidden = sums.map(|sum| sum.clamp(0.0, 1.0));
        if rounded {
            hidden = hidden.map(|value| (value * 128.0).floor() * (1.0 / 128.0));
        }

        self.ply = self.ply.wrapping_add(1);
        self.rows.clear();
        self.scores.clear();
        let mut best = f32::MIN;
        for m in &features.moves {
            let mut score = 0.0;
            for number in m.rows {
                let at = usize::from(number);
                if self.seen[at] != self.ply {
                    self.seen[at] = self.ply;
                    self.rows.push(number);
                    self.sums[at] = 0.0;
                    self.products[at] = dot(&hidden, row(weights, ROW_AT + at * HIDDEN));
                }
                score += self.products[at];
            }
            for entry in m.entries {
                if entry != NONE {
                    score += weights[SMALL_AT + usize::from(entry)];
                }
            }
            best = best.max(score);
            self.scores.push(score);
        }
        let played = self.scores[about.played] - best;
        let mut total = 0.0;
        for score in &mut self.scores {
            *score = exp2(*score - best);
            total += *score;
        }
        self.bits += f64::from(total).log2() - f64::from(played);

        let scale = 1.0 / total;
        for (number, m) in features.moves.iter().enumerate() {
            let wrong = self.scores[number] * scale - f32::from(number == about.played);
            for row in m.rows {
                self.sums[usize::from(row)] += wrong;
            }
            for entry in m.entries {
                if entry != NONE {
                    self.gradient[SMALL_AT + usize::from(entry)] += wrong;
                }
            }
        }
        let mut back = [0.0; HIDDEN];
        for &number in &self.rows {
            let at = ROW_AT + usize::from(number) * HIDDEN;
            let sum = self.sums[usize::from(number)];
            add_scaled(&mut back, sum, row(weights, at));
            add_scaled(row_mut(&mut self.gradient, at), sum, &hidden);
        }
        for unit in 0..HIDDEN {
            if sums[unit] <= 0.0 || sums[unit] >= 1.0 {
                back[unit] = 0.0;
            }
        }
        add(row_mut(&mut self.gradient, BIAS_AT), &back);
        for &input in &features.inputs {
            add(
                row_mut(&mut self.gradient, usize::from(input) * HIDDEN),
                &back,
            );
        }
    }
}

/// How large a unit of the format's integers is, and the least and greatest of them.
fn grid(weight: usize) -> (f32, f32, f32) {
    match weight {
        0..ROW_AT => (64.0, -128.0, 127.0),
        ROW_AT..BIAS_AT => (32.0, -128.0, 127.0),
        BIAS_AT..SMALL_AT => (256.0, -32768.0, 32767.0),
        _ => (256.0, -32768.0, 32767.0),
    }
}

fn rounded(weight: usize, value: f32) -> f32 {
    let (unit, least, most) = grid(weight);
    (value * unit).round_ties_even().clamp(least, most)
}

/// The integers nearest to the weights.
fn tables(weights: &[f32]) -> Tables {
    let whole = |weight: usize| rounded(weight, weights[weight]);
    let rows = |at: usize, count: usize| {
        (0..count)
            .map(|row| std::array::from_fn(|unit| whole(at + row * HIDDEN + unit) as i8))
            .collect()
    };
    Tables {
        inputs: rows(0, INPUTS),
        rows: rows(ROW_AT, ROWS),
        bias: std::array::from_fn(|unit| whole(BIAS_AT + unit) as i16),
        small: (0..TABLES)
            .map(|entry| whole(SMALL_AT + entry) as i16)
            .collect(),
        exp: Tables::exponentials(),
    }
}

/// Bits a ply of the plies held out, by file, by the integer evaluation.
fn held_out(tables: &Tables, plies: &Plies) -> Vec<(f64, usize)> {
    let mut files = Vec::new();
    let mut features = Features::default();
    for &place in &plies.held_out {
        let about = unpack(plies.ply(place), &mut features);
        let frequencies = evaluate::frequencies(tables, &features);
        let total: u32 = frequencies.iter().sum();
        if files.len() <= about.file {
            files.resize(about.file + 1, (0.0, 0));
        }
        let (bits, count) = &mut files[about.file];
        *bits += (f64::from(total) / f64::from(frequencies[about.played])).log2();
        *count += 1;
    }
    files
}

/// Weights and what Adam remembers of each.
struct Adam {
    weights: Vec<f32>,
    /// The weights that plies are scored with: the same, or rounded.
    used: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// Products of the decays so far.
    decays: (f32, f32),
}

impl Adam {
    fn new(seed: u64) -> Adam {
        let mut random = Random(seed);
        let mut weights = vec![0.0; WEIGHTS];
        for weight in &mut weights[..BIAS_AT] {
            *weight = (random.below(2001) as f32 - 1000.0) * 1e-4;
        }
        weights[BIAS_AT..SMALL_AT].fill(0.5);
        Adam {
            used: weights.clone(),
            weights,
            mean: vec![0.0; WEIGHTS],
            square: vec![0.0; WEIGHTS],
            decays: (1.0, 1.0),
        }
    }

    /// One step against the sum of the two gradients, which are cleared.
    fn step(&mut self, halves: &mut [Half; 2], step: f32, round: bool, options: &Options) {
        const PART: usize = 8192;
        let (keep_mean, keep_square) = (options.momentum, options.squares);
        self.decays.0 *= keep_mean;
        self.decays.1 *= keep_square;
        let (mean_scale, square_scale) = (1.0 / (1.0 - self.decays.0), 1.0 / (1.0 - self.decays.1));
        let scale = 1.0 / options.batch as f32;
        let [left, right] = halves;
        self.weights
            .par_chunks_mut(PART)
            .zip(self.used.par_chunks_mut(PART))
            .zip(self.mean.par_chunks_mut(PART))
            .zip(self.square.par_chunks_mut(PART))
            .zip(left.gradient.par_chunks_mut(PART))
            .zip(right.gradient.par_chunks_mut(PART))
            .enumerate()
            .for_each(
                |(part, (((((weights, used), mean), square), left), right))| {
                    // A part may hold two kinds; one loop for each stretch of a kind is fast.
                    let mut at = 0;
                    while at < weights.len() {
                        let weight = part * PART + at;
                        let end = [ROW_AT, BIAS_AT, SMALL_AT, WEIGHTS]
                            .into_iter()
                            .find(|end| *end > weight)
                            .unwrap_or(WEIGHTS);
                        let end = (end - part * PART).min(weights.len());
                        let (unit, least, most) = grid(weight);
                        let (low, high) = (least / unit, most / unit);
                        for i in at..end {
                            let gradient = (left[i] + right[i]) * scale;
                            left[i] = 0.0;
                            right[i] = 0.0;
                            mean[i] = keep_mean * mean[i] + (1.0 - keep_mean) * gradient;
                            square[i] =
                                keep_square * square[i] + (1.0 - keep_square) * gradient * gradient;
                            let moved = step * mean[i] * mean_scale
                                / ((square[i] * square_scale).sqrt() + 1e-7);
                            weights[i] = (weights[i] - moved).clamp(low, high);
                            used[i] = match round {
                                true => (weights[i] * unit).round_ties_even() / unit,
                                false => weights[i],
                            };
                        }
                        at = end;
                    }
                },
            );
    }
}

/// Trains; tells how it goes.
pub fn train(plies: &Plies, options: &Options) -> Tables {
    let mut adam = Adam::new(options.seed);
    let mut halves = [Half::new(), Half::new()];
    let mut random = Random(options.seed ^ 0x5eed);
    let mut places = plies.train.clone();
    let batches = places.len() / options.batch;
    let all = (batches * options.passes) as f32;
    let mut done = 0;
    let start = std::time::Instant::now();
    for pass in 1..=options.passes {
        random.shuffle(&mut places);
        let (mut bits, mut count) = (0.0, 0);
        for (number, batch) in places.chunks_exact(options.batch).enumerate() {
            let part = done as f32 / all;
            let round = part >= options.round_from;
            let (left, right) = batch.split_at(options.batch / 2);
            let [left_half, right_half] = &mut halves;
            let used = &adam.used;
            rayon::join(
                || left_half.work(used, plies, left, round),
                || right_half.work(used, plies, right, round),
            );
            bits += halves[0].bits + halves[1].bits;
            count += batch.len();
            // The first steps are shorter: the sums of squares know little yet.
            let warm = (done as f32 / 500.0).min(1.0);
            adam.step(
                &mut halves,
                options.step * (1.0 - part) * warm,
                round,
                options,
            );
            done += 1;
            if number % (batches / 4).max(1) == batches / 8 {
                eprintln!(
                    "pass {pass}, {:.0} %: {:.4} bits a ply, {:.0} s",
                    100.0 * number as f32 / batches as f32,
                    bits / count as f64,
                    start.elapsed().as_secs_f64(),
                );
                (bits, count) = (0.0, 0);
            }
        }
        let files = held_out(&tables(&adam.weights), plies);
        let each: Vec<String> = files
            .iter()
            .map(|(bits, count)| format!("{:.4}", bits / (*count).max(1) as f64))
            .collect();
        eprintln!(
            "pass {pass}: held out, integers: {} bits a ply, {:.0} s",
            each.join(" "),
            start.elapsed().as_secs_f64()
        );
    }
    tables(&adam.weights)
}
