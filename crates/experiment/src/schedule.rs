//! In which order everything is executed.
//!
//! Not revision after revision: each round executes every cell once, in a fresh random order, so that the
//! machine's drift falls on all alike (randomised blocks). The order is a function of the seed, the round and
//! the number of cells alone, so an interrupted run goes on exactly as it would have.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_record::Place;

/// The order of all executions of one run.
#[derive(Clone, Debug)]
pub struct Schedule {
    seed: u64,
    warmup: bool,
    /// For each cell, in how many rounds it takes part.
    rounds: Vec<u32>,
}

/// One execution that is to take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Where it stands.
    pub place: Place,
    /// What is executed: the index of the cell.
    pub cell: usize,
}

impl Schedule {
    /// A schedule for cells that take part in so many rounds each, after a warm-up round if wanted.
    #[must_use]
    pub fn new(seed: u64, rounds: Vec<u32>, warmup: bool) -> Self {
        Self { seed, warmup, rounds }
    }

    /// The rounds in order; 0 is the warm-up.
    #[must_use]
    pub fn rounds(&self) -> std::ops::RangeInclusive<u32> {
        u32::from(!self.warmup)..=self.rounds.iter().copied().max().unwrap_or(0)
    }

    /// The trials of one round, in order.
    ///
    /// The warm-up keeps the order of the cells, so that the first answer of a benchmark comes from the first
    /// cell; the others are shuffled. A cell with fewer rounds takes part in the first ones.
    #[must_use]
    pub fn round(&self, round: u32) -> Vec<Trial> {
        let mut cells: Vec<usize> =
            (0..self.rounds.len()).filter(|&cell| self.rounds[cell] >= round.max(1)).collect();
        if round > 0 {
            cells.shuffle(&mut self.generator(round));
        }
        let place = |position: usize| Place { round, position: u32::try_from(position).unwrap_or(u32::MAX) };
        cells.into_iter().enumerate().map(|(position, cell)| Trial { place: place(position), cell }).collect()
    }

    /// Whether of two things that are done at a place, the second is done first.
    #[must_use]
    pub fn is_turned(&self, place: Place) -> bool {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        // Streams that no round's order is of.
        generator.set_stream(1 << 32 | u64::from(place.round));
        generator.set_word_pos(place.position.into());
        generator.next_u32() & 1 == 1
    }

    /// How many executions that makes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.rounds.iter().map(|&rounds| self.executions(rounds)).sum()
    }

    /// How many executions a cell with so many rounds has, the warm-up included.
    #[must_use]
    pub fn executions(&self, rounds: u32) -> usize {
        if rounds == 0 { 0 } else { rounds as usize + usize::from(self.warmup) }
    }

    /// Its own stream for each round: no round's order depends on how long the others are.
    fn generator(&self, round: u32) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        generator.set_stream(u64::from(round));
        generator
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn cells(trials: &[Trial]) -> Vec<usize> {
        trials.iter().map(|trial| trial.cell).collect()
    }

    #[test]
    fn the_warm_up_keeps_the_order_and_the_rounds_do_not() {
        let schedule = Schedule::new(1, vec![5; 8], true);
        assert_eq!(schedule.rounds(), 0..=5);
        assert_eq!(cells(&schedule.round(0)), [0, 1, 2, 3, 4, 5, 6, 7]);
        let orders: std::collections::BTreeSet<Vec<usize>> =
            (1..=5).map(|r| cells(&schedule.round(r))).collect();
        assert_eq!(orders.len(), 5, "each round has an order of its own");
        assert_eq!(Schedule::new(1, vec![5; 8], false).rounds(), 1..=5);
    }

    #[test]
    fn the_recorded_seed_gives_the_same_order_on_every_machine() {
        assert_eq!(cells(&Schedule::new(42, vec![3; 6], true).round(2)), GOLDEN);
    }
    const GOLDEN: [usize; 6] = [4, 2, 0, 5, 3, 1];

    #[test]
    fn no_cell_prefers_a_position() {
        // 4 cells, 4000 rounds: each cell is expected at each position 1000 times, standard deviation 27.
        let schedule = Schedule::new(9, vec![4000; 4], false);
        let mut counts = BTreeMap::new();
        for trial in schedule.rounds().flat_map(|round| schedule.round(round)) {
            *counts.entry((trial.cell, trial.place.position)).or_insert(0) += 1;
        }
        assert!(
            counts.len() == 16 && counts.values().all(|count| (880..=1120).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn half_of_all_places_are_turned() {
        // 4000 places: 2000 are expected, standard deviation 32; of neighbours that are alike as well.
        let schedule = Schedule::new(5, vec![], true);
        let places = (0..40).flat_map(|round| (0..100).map(move |position| Place { round, position }));
        let turned: Vec<bool> = places.map(|place| schedule.is_turned(place)).collect();
        let count = turned.iter().filter(|turned| **turned).count();
        let alike = turned.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!([count, alike].iter().all(|count| (1850..=2150).contains(count)), "{count}, {alike}");
    }

    #[test]
    fn no_cell_prefers_a_predecessor() {
        let schedule = Schedule::new(3, vec![4000; 4], false);
        let mut counts = BTreeMap::new();
        for round in schedule.rounds() {
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
        fn every_cell_takes_part_as_often_as_it_should(
            seed: u64, rounds in prop::collection::vec(0..6_u32, 0..12), warmup: bool,
        ) {
            let schedule = Schedule::new(seed, rounds.clone(), warmup);
            let trials: Vec<Trial> = schedule.rounds().flat_map(|round| schedule.round(round)).collect();
            prop_assert_eq!(trials.len(), schedule.total());
            for (cell, &wanted) in rounds.iter().enumerate() {
                let times = trials.iter().filter(|trial| trial.cell == cell).count();
                prop_assert_eq!(times, schedule.executions(wanted));
            }
            let places: std::collections::HashSet<Place> = trials.iter().map(|trial| trial.place).collect();
            prop_assert_eq!(places.len(), trials.len());
        }
    }
}
