//! What a bisection leaves open beside what it named: another change.

use super::effect::{ResidualEffect, ResidualFinding};
use super::{Bisection, BisectionRequest, ValueComparison};
use crate::Direction;

impl Bisection {
    /// What the culprits leave unexplained of the whole change: surely something, or an amount not
    /// surely below the requested one. `None` if that part is unknown or too small to matter.
    #[must_use]
    pub fn left(&self) -> Option<ResidualEffect> {
        let (asked, standing) = (&self.asked, &self.standing);
        let effect = standing.left_over?;
        if standing.more {
            return Some(
                self.unless_of_bounds(ResidualEffect { effect, said: ResidualFinding::More }),
            );
        }
        // Rates are never known so well.
        let is_open = standing.found.is_some()
            && standing.sides.is_empty()
            && asked.by != ValueComparison::Failure;
        let (low, high) = effect.interval;
        let may_be = is_open && (asked.is_reached_by(low) || asked.is_reached_by(high));
        let said = match effect.estimate {
            left if asked.is_reached_by(left) => ResidualFinding::Likely,
            left if asked.is_half_reached_by(left) => ResidualFinding::Unknown,
            _ => ResidualFinding::Little,
        };
        may_be.then(|| self.unless_of_bounds(ResidualEffect { effect, said }))
    }

    /// The same, or that it is not known where limits were reached by what says how much is left.
    fn unless_of_bounds(&self, left: ResidualEffect) -> ResidualEffect {
        let culprits = self.standing.culprits.iter().flat_map(|it| [it.parent_place, it.place]);
        let mut places = [self.standing.ends.0, self.standing.ends.1].into_iter().chain(culprits);
        if places.any(|place| self.limited(place) > 0) {
            ResidualEffect { said: ResidualFinding::Bounds, ..left }
        } else {
            left
        }
    }

    /// How many samples of a candidate reached a limit.
    #[must_use]
    pub fn limited(&self, place: usize) -> u32 {
        let mut rungs = self.standing.ladder.iter();
        rungs.find(|rung| rung.is_of(place)).map_or(0, |rung| rung.limited)
    }

    /// Whether the bad end is the better one; `None` if that is unknown, or follows from the words
    /// *good* and *bad*.
    #[must_use]
    pub fn bad_is_better(&self) -> Option<bool> {
        let BisectionRequest { exchanged, by, metric, .. } = &self.asked;
        let change = self.standing.change?;
        let later_is_better = (change.estimate < 0.0) == (metric.better == Direction::Lower);
        let bad_is_better = later_is_better != *exchanged;
        let (low, high) = change.interval;
        let known = self.standing.nothing < 0.5
            && (low > 0.0 || high < 0.0)
            && *by != ValueComparison::Failure
            && self.shows_direction(change.estimate);
        // A request with ends exchanged in time does not name the better one.
        (known && (bad_is_better || *exchanged)).then_some(bad_is_better)
    }

    /// Whether limits that the ends reached leave the direction of the change known: the true value
    /// is at least as large as a value at a limit.
    fn shows_direction(&self, change: f64) -> bool {
        let (first, last) = self.standing.ends;
        match [first, last].map(|place| self.limited(place) > 0) {
            [false, false] => true,
            [false, true] => change > 0.0,
            [true, false] => change < 0.0,
            [true, true] => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one culprit, the third of four revisions with these levels.
    fn bisection(levels: [f64; 4], left: (f64, f64, f64)) -> Bisection {
        let id = |place: usize| format!("r{place}");
        let revision = |place: usize| {
            serde_json::json!({
                "id": id(place), "order": place, "author": "", "date": null, "subject": "", "tags": [], "left_out": 0
            })
        };
        let rung = |(place, level): (usize, &f64)| {
            serde_json::json!({
                "place": place, "revision": id(place), "same_to": place, "samples": 9, "level": level, "error": 0.005
            })
        };
        let effect = serde_json::json!({ "estimate": 0.2, "interval": [0.19, 0.21] });
        let left = serde_json::json!({ "estimate": left.0, "interval": [left.1, left.2] });
        let json = serde_json::json!({
            "name": "zurepi", "run": 1, "host": "lab", "started": "2026-01-01T00:00:00Z",
            "asked": {
                "good": "a", "bad": "b", "exchanged": false, "of": "execution", "by": "ratio", "least": 0.05,
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "all": false,
                "metric": crate::Metric::built_in("wall")
            },
            "candidates": (0..4).map(revision).collect::<Vec<_>>(),
            "standing": {
                "updated": "2026-01-01T00:00:00Z", "stage": "finished", "found": { "finding": "verified" },
                "ends": [0, 3], "nothing": 0.0, "belief": [], "suspects": [], "change": effect, "left_over": left,
                "culprits": [{
                    "place": 2, "revision": "r2", "parent_place": 1, "parent": "r1", "posterior": 0.99,
                    "effect": effect, "pairs": 3, "neighbours": 0
                }],
                "more": false, "ladder": levels.iter().enumerate().map(rung).collect::<Vec<_>>(), "unusable": [],
                "drift": 0.0, "builds": 4, "samples": 36, "building": 1.0, "executing": 1.0
            }
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn an_end_that_was_ended_by_a_limit_is_not_the_better_one() {
        let mut lower = bisection([100.0, 100.0, 60.0, 60.0], (0.0, 0.0, 0.0));
        let change = lower.standing.change.as_mut().unwrap();
        (change.estimate, change.interval) = (-0.4, (-0.45, 0.01));
        assert_eq!(lower.bad_is_better(), None, "there may be no change");
        lower.standing.change.as_mut().unwrap().interval = (-0.45, -0.35);
        assert_eq!(lower.bad_is_better(), Some(true));
        lower.standing.ladder[3].limited = 2;
        assert_eq!(lower.bad_is_better(), None, "it died before it needed more");
    }

    #[test]
    fn what_is_left_over_is_told_by_how_likely_it_is_to_be_something() {
        let said =
            |left| bisection([100.0, 100.0, 120.0, 120.0], left).left().map(|left| left.said);
        assert_eq!(said((0.01, -0.02, 0.04)), None, "surely less than was requested");
        assert_eq!(said((0.02, -0.03, 0.07)), Some(ResidualFinding::Little));
        assert_eq!(said((-0.03, -0.08, 0.02)), Some(ResidualFinding::Unknown));
        assert_eq!(said((0.052, -0.004, 0.112)), Some(ResidualFinding::Likely));
        let mut searched = bisection([100.0; 4], (0.05, -0.01, 0.11));
        searched.standing.more = true;
        assert_eq!(searched.left().map(|left| left.said), Some(ResidualFinding::More));
        searched.standing.ladder[3].limited = 1;
        assert_eq!(
            searched.left().map(|left| left.said),
            Some(ResidualFinding::Bounds),
            "the later end is no more known"
        );
    }
}
