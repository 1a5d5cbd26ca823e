//! The order of all executions.
//!
//! Not revision after revision: each round executes every cell once, in a fresh random order, so
//! that the machine's drift falls on all alike (randomised blocks). The cells of one benchmark are
//! next to each other. The order is a function of the seed, the round and the number of cells
//! alone. A cell that has enough is left out of it and leaves a gap, which moves no other; so an
//! interrupted run goes on exactly as it would have.

use std::collections::HashMap;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_record::Place;

/// The order of all executions of one run.
#[derive(Clone, Debug)]
pub struct Schedule {
    seed: u64,
    cells: usize,
    /// Whether the first round keeps the order of the cells.
    first_in_order: bool,
    /// Whether cells 0 and 1, 2 and 3 … are executed at the same time.
    in_pairs: bool,
    /// The group of each cell; empty if all are one group.
    groups: Vec<usize>,
}

/// One execution that is to take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledTrial {
    /// The place.
    pub place: Place,
    /// The index of the cell.
    pub cell: usize,
}

impl Schedule {
    /// A schedule for this many cells.
    ///
    /// Without a warmup, the first round can replace it: it keeps the order of the cells, so that
    /// the first answer of a benchmark comes from the first cell.
    #[must_use]
    pub fn new(seed: u64, cells: usize, first_in_order: bool) -> Self {
        Self { seed, cells, first_in_order, in_pairs: false, groups: Vec::new() }
    }

    /// The same with cells 0 and 1, 2 and 3 … as pairs that are executed at the same time: pairs
    /// are in random order, and the one at the even position has the first of two processors. Both
    /// change places from round to round.
    #[must_use]
    pub fn in_pairs(self) -> Self {
        Self { in_pairs: true, ..self }
    }

    /// The same with the cells of a group next to each other in each round, so that they share the
    /// host's speed. Groups are in random order, and so are the cells of each. `groups` has the
    /// group of each cell.
    #[must_use]
    pub fn in_groups(self, groups: Vec<usize>) -> Self {
        Self { groups, ..self }
    }

    /// One pass of the warmup, which is round 0, counted from 0: all cells in their order.
    #[must_use]
    pub fn warm_up(&self, pass: u32) -> Vec<ScheduledTrial> {
        let before = self.cells.saturating_mul(pass as usize);
        let cells = (0..self.things()).flat_map(|thing| self.cells_of(thing, pass)).collect();
        trials(0, before, cells)
    }

    /// One round, counted from 1: all cells in a random order.
    #[must_use]
    pub fn round(&self, round: u32) -> Vec<ScheduledTrial> {
        let mut things: Vec<usize> = (0..self.things()).collect();
        if round > 1 || !self.first_in_order {
            things.shuffle(&mut self.generator(round));
            self.gather(&mut things);
        }
        trials(round, 0, things.into_iter().flat_map(|thing| self.cells_of(thing, round)).collect())
    }

    /// Brings the members of each group together, in the order in which they come; groups in the
    /// order of their first.
    fn gather(&self, things: &mut [usize]) {
        let group = |thing: usize| {
            let first_cell = if self.in_pairs { 2 * thing } else { thing };
            self.groups.get(first_cell).copied().unwrap_or(0)
        };
        let mut firsts = HashMap::new();
        for (at, &thing) in things.iter().enumerate() {
            firsts.entry(group(thing)).or_insert(at);
        }
        things.sort_by_key(|&thing| firsts[&group(thing)]);
    }

    /// How many things are in random order: cells, or pairs of them.
    fn things(&self) -> usize {
        if self.in_pairs { self.cells / 2 } else { self.cells }
    }

    /// The cells of one of them, in the order of their places.
    fn cells_of(&self, thing: usize, round: u32) -> Vec<usize> {
        if !self.in_pairs {
            return vec![thing];
        }
        let mut pair = vec![2 * thing, 2 * thing + 1];
        if self.is_swapped(round) {
            pair.reverse();
        }
        pair
    }

    /// Whether the second of a pair has the first place: in every other round, chosen by the seed.
    fn is_swapped(&self, round: u32) -> bool {
        (self.seed ^ u64::from(round)) & 1 == 1
    }

    /// Whether the second of two steps at a place is done first.
    #[must_use]
    pub fn is_turned(&self, place: Place) -> bool {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        // Streams that no round's order is of.
        generator.set_stream(1 << 32 | u64::from(place.round));
        generator.set_word_pos(place.position.into());
        generator.next_u32() & 1 == 1
    }

    /// Its own stream for each round: no round's order depends on how long the others are.
    fn generator(&self, round: u32) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        generator.set_stream(u64::from(round));
        generator
    }
}

/// These cells one after the other, the first at the position after `before` others.
fn trials(round: u32, before: usize, cells: Vec<usize>) -> Vec<ScheduledTrial> {
    let place =
        |position: usize| Place { round, position: u32::try_from(position).unwrap_or(u32::MAX) };
    (before..)
        .zip(cells)
        .map(|(position, cell)| ScheduledTrial { place: place(position), cell })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    use proptest::prelude::*;

    use super::*;

    fn cells(trials: &[ScheduledTrial]) -> Vec<usize> {
        trials.iter().map(|trial| trial.cell).collect()
    }

    #[test]
    fn the_warm_up_keeps_the_order_and_the_rounds_do_not() {
        let schedule = Schedule::new(1, 8, false);
        assert_eq!(cells(&schedule.warm_up(0)), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(
            schedule.warm_up(2)[1],
            ScheduledTrial { place: Place { round: 0, position: 17 }, cell: 1 }
        );
        let orders: BTreeSet<Vec<usize>> = (1..=5).map(|r| cells(&schedule.round(r))).collect();
        assert_eq!(orders.len(), 5, "each round has an order of its own");
        let first_in_order = Schedule::new(1, 8, true);
        assert_eq!(cells(&first_in_order.round(1)), cells(&schedule.warm_up(0)));
        assert_eq!(first_in_order.round(2), schedule.round(2));
    }

    #[test]
    fn the_recorded_seed_gives_the_same_order_on_every_machine() {
        assert_eq!(cells(&Schedule::new(42, 6, false).round(2)), GOLDEN);
    }
    const GOLDEN: [usize; 6] = [4, 2, 0, 5, 3, 1];

    #[test]
    fn no_cell_prefers_a_position() {
        // 4 cells, 4000 rounds: each cell is expected at each position 1000 times, standard
        // deviation 27.
        let schedule = Schedule::new(9, 4, false);
        let mut counts = BTreeMap::new();
        for trial in (1..=4000).flat_map(|round| schedule.round(round)) {
            *counts.entry((trial.cell, trial.place.position)).or_insert(0) += 1;
        }
        assert!(
            counts.len() == 16 && counts.values().all(|count| (880..=1120).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn pairs_stay_together_and_change_places() {
        for seed in 0..4 {
            let schedule = Schedule::new(seed, 6, false).in_pairs();
            let mut firsts = BTreeSet::new();
            for round in 1..=20 {
                let all = cells(&schedule.round(round));
                for pair in all.chunks(2) {
                    assert_eq!(pair[0] / 2, pair[1] / 2, "{all:?}");
                    assert_eq!(
                        u64::from(round) % 2 == seed % 2,
                        pair[0] % 2 == 0,
                        "round {round}: {all:?}"
                    );
                }
                firsts.insert(all[0] / 2);
            }
            assert_eq!(firsts.len(), 3, "pairs are in random order");
        }
    }

    #[test]
    fn groups_stay_together_in_random_order() {
        let schedule = Schedule::new(7, 6, false).in_groups(vec![0, 1, 0, 1, 0, 1]);
        let mut orders = BTreeSet::new();
        for round in 1..=40 {
            let all = cells(&schedule.round(round));
            assert!(all[..3].iter().all(|cell| cell % 2 == all[0] % 2), "{all:?}");
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 6);
            orders.insert(all);
        }
        // Of 72 orders 40 rounds see about 31.
        assert!(orders.len() > 20, "{}", orders.len());
        assert_eq!(
            Schedule::new(7, 6, false).in_groups((0..6).collect()).round(3),
            Schedule::new(7, 6, false).round(3)
        );
    }

    #[test]
    fn half_of_all_places_are_turned() {
        // 4000 places: 2000 are expected, standard deviation 32; of neighbours that are alike as
        // well.
        let schedule = Schedule::new(5, 0, true);
        let places =
            (0..40).flat_map(|round| (0..100).map(move |position| Place { round, position }));
        let turned: Vec<bool> = places.map(|place| schedule.is_turned(place)).collect();
        let count = turned.iter().filter(|turned| **turned).count();
        let alike = turned.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(
            [count, alike].iter().all(|count| (1850..=2150).contains(count)),
            "{count}, {alike}"
        );
    }

    #[test]
    fn no_cell_prefers_a_predecessor() {
        let schedule = Schedule::new(3, 4, false);
        let mut counts = BTreeMap::new();
        for round in 1..=4000 {
            for pair in schedule.round(round).windows(2) {
                *counts.entry((pair[0].cell, pair[1].cell)).or_insert(0) += 1;
            }
        }
        assert!(
            counts.len() == 12 && counts.values().all(|count| (880..=1120).contains(count)),
            "{counts:?}"
        );
    }

    proptest! {
        #[test]
        fn every_cell_is_once_in_every_round_and_no_place_is_given_twice(
            seed: u64, pairs in 0..6_usize, lone in 0..2_usize, passes in 0..4_u32, rounds in 0..6_u32,
            first_in_order: bool,
        ) {
            let number = 2 * pairs + lone;
            let plain = Schedule::new(seed, number, first_in_order);
            let schedule = if lone == 0 { plain.in_pairs() } else { plain };
            let warm_up = (0..passes).map(|pass| schedule.warm_up(pass));
            let all: Vec<Vec<ScheduledTrial>> = warm_up.chain((1..=rounds).map(|round| schedule.round(round))).collect();
            for trials in &all {
                prop_assert_eq!(cells(trials).into_iter().collect::<HashSet<_>>().len(), number);
                prop_assert_eq!(trials.len(), number);
            }
            let places: HashSet<Place> = all.iter().flatten().map(|trial| trial.place).collect();
            prop_assert_eq!(places.len(), all.iter().map(Vec::len).sum::<usize>());
        }
    }
}
