//! Which of several games with the same moves are the same game (D66).

use std::array;
use std::collections::HashMap;

use crate::ask::sample::Random;

/// The fields in which two copies of a game agree: White, Black, year and result, each as a number;
/// 0 is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GameFields(pub(super) [u32; 4]);

/// The bits of White and Black in a mask of known fields.
const PLAYERS: usize = 0b11;

impl GameFields {
    /// The known fields, a bit for each.
    fn known(self) -> usize {
        let bits = self.0.iter().enumerate();
        bits.map(|(at, &value)| usize::from(value != 0) << at).sum()
    }

    /// Only the fields of a mask.
    fn only(self, mask: usize) -> GameFields {
        GameFields(array::from_fn(|at| {
            if mask >> at & 1 == 1 { self.0[at] } else { 0 }
        }))
    }

    /// Whether no field differs where both are known. `alone`: the moves are evidence enough; else
    /// a player must be known in both.
    fn agrees(self, other: GameFields, alone: bool) -> bool {
        let both = self.known() & other.known();
        self.only(both) == other.only(both) && (alone || both & PLAYERS != 0)
    }

    /// The result: below 4, and 0 if it is unknown.
    pub(super) fn result(self) -> u32 {
        self.0[3]
    }

    /// White, Black and year, if both players are known.
    pub(super) fn pair(self) -> Option<[u32; 3]> {
        let [white, black, year, _] = self.0;
        (white != 0 && black != 0).then_some([white, black, year])
    }
}

/// Divides games with the same moves into sets of the same game: those that agree with each other,
/// and with exactly the same others. A game that agrees with two that do not agree with each other
/// may be either, and is neither. Returns the number of the set of each game; `None` for a game
/// that cannot be the same as any other.
///
/// The time is linear in the number of games, whatever the fields.
pub(super) fn sets(games: &[GameFields], alone: bool) -> Vec<Option<u32>> {
    let mut distinct = games.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let numbers = numbers(&distinct, alone);
    let number = |game: &GameFields| distinct.binary_search(game).ok().and_then(|at| numbers[at]);
    games.iter().map(number).collect()
}

/// The number of the set of each of these fields, which are all different.
fn numbers(distinct: &[GameFields], alone: bool) -> Vec<Option<u32>> {
    let number = |at: usize| u32::try_from(at).ok();
    let all = |fields: &GameFields| fields.known() == 0b1111;
    if distinct.iter().all(all) {
        return (0..distinct.len()).map(number).collect();
    }
    // Equal sums: they agree with the same games.
    let sums = sums_of_agreeing(distinct, alone);
    let mut firsts: HashMap<u128, usize> = HashMap::new();
    let number_of = |(at, sum): (usize, u128)| {
        let fields = distinct[at];
        if !fields.agrees(fields, alone) {
            return None;
        }
        let first = *firsts.entry(sum).or_insert(at);
        // A sum that two sets share by chance must not join them.
        number(if fields.agrees(distinct[first], alone) {
            first
        } else {
            at
        })
    };
    sums.into_iter().enumerate().map(number_of).collect()
}

/// For each of these fields the sum of random numbers that stand for those that it agrees with.
fn sums_of_agreeing(distinct: &[GameFields], alone: bool) -> Vec<u128> {
    let mut by_mask: [Vec<usize>; 16] = Default::default();
    for (at, fields) in distinct.iter().enumerate() {
        by_mask[fields.known()].push(at);
    }
    let mut sums = vec![0_u128; distinct.len()];
    for theirs in 0..16 {
        for common in (0..16).filter(|common| common & !theirs == 0) {
            let of_mask = |mask: &usize| mask & theirs == common && !by_mask[*mask].is_empty();
            let mine: Vec<usize> = (0..16).filter(of_mask).collect();
            let is_enough = alone || common & PLAYERS != 0;
            if mine.is_empty() || by_mask[theirs].is_empty() || !is_enough {
                continue;
            }
            let mut agreeing: HashMap<GameFields, u128> = HashMap::new();
            for &at in &by_mask[theirs] {
                let sum = agreeing.entry(distinct[at].only(common)).or_default();
                *sum = sum.wrapping_add(random(at));
            }
            for &at in mine.iter().flat_map(|&mask| &by_mask[mask]) {
                let sum = agreeing.get(&distinct[at].only(common));
                sums[at] = sums[at].wrapping_add(sum.copied().unwrap_or(0));
            }
        }
    }
    sums
}

/// A number of 128 bits for each position.
fn random(at: usize) -> u128 {
    let mut random = Random(at as u64);
    u128::from(random.next()) << 64 | u128::from(random.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, word for word.
    fn is_same(games: &[GameFields], a: usize, b: usize, alone: bool) -> bool {
        let agrees = |a: usize, b: usize| games[a].agrees(games[b], alone);
        agrees(a, b) && (0..games.len()).all(|c| agrees(a, c) == agrees(b, c))
    }

    #[test]
    fn sets_are_those_of_the_definition() {
        let mut seed = 1_u64;
        let mut below = |n: u32| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((seed >> 33) % u64::from(n)).unwrap()
        };
        let mut together = 0;
        for round in 0..3000 {
            let (count, values) = (2 + round % 9, 2 + below(2));
            let games: Vec<GameFields> = (0..count)
                .map(|_| GameFields(array::from_fn(|_| below(values))))
                .collect();
            for alone in [false, true] {
                let sets = sets(&games, alone);
                for a in 0..games.len() {
                    for b in (0..games.len()).filter(|&b| b != a) {
                        let found = sets[a].is_some() && sets[a] == sets[b];
                        assert_eq!(found, is_same(&games, a, b, alone), "{games:?} {a} {b}");
                        together += u32::from(found);
                    }
                }
            }
        }
        assert!(together > 1000);
    }

    #[test]
    fn a_game_that_may_be_either_is_neither() {
        let of = |fields: &[[u32; 4]], alone| {
            let games: Vec<GameFields> = fields.iter().copied().map(GameFields).collect();
            sets(&games, alone)
        };
        // The year of the last is unknown.
        let two = [[1, 2, 1960, 1], [1, 2, 1961, 1], [1, 2, 0, 1]];
        assert_eq!(of(&two, true), [Some(1), Some(2), Some(0)]);
        assert_eq!(of(&two[1..], false), [Some(0), Some(0)]);
        // Nobody is known in both.
        let unknown = [[0, 2, 1960, 1], [1, 0, 1960, 1], [0, 0, 0, 0]];
        assert_eq!(of(&unknown[..2], true), [Some(0), Some(0)]);
        assert_eq!(of(&unknown[..2], false), [Some(0), Some(1)]);
        assert_eq!(of(&unknown, false)[2], None);
    }
}
