//! The choice of the revisions of a long history to build, so that few builds pin each change to
//! one revision.
//!
//! [`survey`] finds in the measurements where the level changed, as far as known, and which
//! requests would help: builds of new candidates, or more samples of doubtful ones. [`batch()`]
//! chooses among what the surveys of several metrics ask for. Both are functions of the
//! measurements alone, so a caller that keeps these can resume at any point. Indexes count the
//! candidates in order of history. The rules are in `docs/src/method/survey.md`.
//!
//! The history is judged by [`history::judge`], like each series of a store. What it reports and
//! what it finds unclear becomes places (`places`); each place that is not pinned requests the most
//! informative measurements (`ask`), after a coarse `grid`.

mod ask;
mod batch;
mod grid;
mod measured;
mod places;
mod rules;
#[cfg(test)]
mod simulations;
#[cfg(test)]
mod world;

pub use ask::Ask;
pub use batch::{Batch, batch};
pub use places::{ChangePlace, PlaceStatus};
pub use rules::SurveyRules;

use std::collections::BTreeSet;

use crate::history::{self, RunReading};
use measured::MeasuredCandidates;

/// Facts about the candidates themselves.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// The candidates that cannot be measured.
    pub unusable: &'a BTreeSet<usize>,
    /// The candidates from which something besides the program is known to differ from the one
    /// before.
    pub edges: &'a BTreeSet<usize>,
}

/// The findings about one metric over the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The places where its level changed by the requested amount, in order of history.
    pub places: Vec<ChangePlace>,
    /// The requests that would help, the most informative first; empty if all is known.
    pub asks: Vec<Ask>,
    /// The largest distance between neighbouring measured candidates: a change that was undone
    /// within a shorter distance was not seen.
    pub widest: usize,
    /// The luck of builds: how far they differ from each other where nothing changed, beyond their
    /// noise. A standard deviation, relative.
    pub luck: f64,
    /// How large a lasting change may be that these samples do not show (relative), where there is
    /// no place and it may be as large as what is looked for: nothing is known then.
    pub unseen: Option<f64>,
}

/// The survey of these candidates by these readings, in any order.
#[must_use]
pub fn survey(candidates: Candidates<'_>, readings: &[RunReading], rules: &SurveyRules) -> Survey {
    let verdict = history::judge(readings);
    let measured = MeasuredCandidates::new(readings, &verdict);
    let history =
        ask::AskedHistory { unusable: candidates.unusable, edges: candidates.edges, rules };
    let mut asks = grid::missing(&history, &measured.places());
    let mut places = places::places(&verdict, &measured, rules.least);
    places.retain(|place| rules.window.0 <= place.good && place.bad <= rules.window.1);
    if asks.is_empty() {
        for place in &mut places {
            match ask::at(place, &measured, &history) {
                Ok(asked) => asks.extend(asked),
                Err(known) => place.known = known,
            }
        }
    }
    let widest = grid::widest(&history, &measured.places());
    let may_hide = measured.may_hide(rules.window);
    let unseen = (places.is_empty() && may_hide >= rules.least.ln_1p()).then(|| may_hide.exp_m1());
    if unseen.is_some() && asks.is_empty() {
        let more = measured.with_fewer(rules.rounds, rules.window).into_iter();
        asks.extend(more.map(|at| Ask { at, again: true, beside: [at; 2], score: 0.0 }));
    }
    asks.sort_by(|a, b| b.score.total_cmp(&a.score));
    Survey { places, asks, widest, luck: verdict.luck, unseen }
}
