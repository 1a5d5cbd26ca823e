//! Which revisions of a long history to build, so that each change is pinned to one of them by few
//! builds.
//!
//! [`survey`] says of what was measured where the level changed, as far as that is known, and what
//! would tell more: builds of new candidates, or more samples of doubtful ones. [`batch()`] chooses
//! among what the surveys of several metrics ask for. Both are functions of what is known alone:
//! who stores what was measured goes on wherever it was interrupted. Indexes count the candidates
//! in order of history. The rules are in `docs/src/method/survey.md`.
//!
//! In steps, one file each: readings of several runs are put on one scale (`align`); all ways to
//! cut the history into levels are weighed against each other (`belief`); what is believed becomes
//! places (`places`); each place that is not pinned asks for what tells most (`ask`), after a
//! coarse `grid`.

mod align;
mod ask;
mod batch;
mod belief;
mod grid;
mod places;
mod reading;
mod rules;
#[cfg(test)]
mod simulations;
#[cfg(test)]
mod world;

pub use ask::Ask;
pub use batch::{Batch, batch};
pub use places::{Known, Place};
pub use reading::Reading;
pub use rules::Rules;

use std::collections::BTreeSet;

/// What is known of the candidates themselves.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// How many there are.
    pub number: usize,
    /// Those that cannot be measured.
    pub unusable: &'a BTreeSet<usize>,
    /// Those from which on something besides the program is known to be otherwise than at the one
    /// before.
    pub edges: &'a BTreeSet<usize>,
}

/// What is known of one metric over the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Where its level changed by what is looked for, in order of history.
    pub places: Vec<Place>,
    /// What would tell more, most telling first; empty when all is known.
    pub asks: Vec<Ask>,
    /// How many candidates lie from one that was measured to the next, at the widest: what came and
    /// went within fewer was not seen.
    pub widest: usize,
    /// How far builds differ from each other where nothing changed, beyond their noise: a standard
    /// deviation, relative.
    pub between: f64,
}

/// What these readings, in whatever order, say of these candidates.
#[must_use]
pub fn survey(candidates: Candidates<'_>, readings: &[Reading], rules: &Rules) -> Survey {
    let levels = align::levels(readings);
    let history = ask::History { unusable: candidates.unusable, edges: candidates.edges, rules };
    let measured: BTreeSet<usize> = levels.iter().map(|level| level.at).collect();
    let mut asks = grid::missing(&history, &measured);
    let (believed, between) = belief::Belief::settled(&levels, candidates.number, rules.least);
    let mut places = places::places(&levels, &believed, rules.least);
    places.retain(|place| rules.window.0 <= place.good && place.bad <= rules.window.1);
    if asks.is_empty() {
        for place in &mut places {
            match ask::at(place, &levels, &believed, between, &history) {
                Ok(asked) => asks.extend(asked),
                Err(known) => place.known = known,
            }
        }
        asks.extend(ask::doubtful(&levels, &believed, &places, between, &history));
    }
    asks.sort_by(|a, b| b.score.total_cmp(&a.score));
    Survey { places, asks, widest: grid::widest(&history, &measured), between }
}
