//! Labels of executions: as numbers, by place, and exchanged at random.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Labels as numbers from 0.
pub(super) fn places_of(labels: &[u32]) -> Vec<usize> {
    let distinct: BTreeSet<u32> = labels.iter().copied().collect();
    labels.iter().map(|label| distinct.range(..label).count()).collect()
}

/// The places of each label.
pub(super) fn places_by(labels: &[u32]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, &label) in labels.iter().enumerate() {
        places.entry(label).or_default().push(place);
    }
    places.into_values().collect()
}

/// Shuffles the labels among the places of each.
pub(super) fn exchange_within(places: &[Vec<usize>], labels: &mut [usize], rng: &mut ChaCha8Rng) {
    for places in places {
        for last in (1..places.len()).rev() {
            labels.swap(places[last], places[rng.random_range(0..=last)]);
        }
    }
}
