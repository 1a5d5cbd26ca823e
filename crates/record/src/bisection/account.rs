//! What a bisection leaves open beside what it named: another change, or a host that drifted.

use super::{Asked, BisectedEffect, Bisection, Comparison, Rung};

/// That the host may have drifted meanwhile is said from here on: where it did not, by far more than a hundred to one.
const DRIFTED: f64 = 0.995;

impl Bisection {
    /// Whether to say that the host may have drifted meanwhile: not where several steps were found or show in the ladder, which a
    /// level that wanders explains as well.
    #[must_use]
    pub fn may_have_drifted(&self) -> bool {
        let standing = &self.standing;
        standing.drift > DRIFTED
            && !standing.more
            && standing.culprits.len() < 2
            && self.left_unknown().is_none()
            && !self.shows_another_level()
    }

    /// What culprits leave of the whole change, where that is neither surely something nor surely less than was asked for, and nobody
    /// has looked for it.
    #[must_use]
    pub fn left_unknown(&self) -> Option<BisectedEffect> {
        let (asked, standing) = (&self.asked, &self.standing);
        let left = standing.left_over.filter(|_| !standing.more && standing.sides.is_empty())?;
        // Rates are never known so well.
        let (low, high) = left.interval;
        let may_be =
            asked.by != Comparison::Failure && (asked.is_reached_by(low) || asked.is_reached_by(high));
        (may_be && standing.found.is_some()).then_some(left)
    }

    /// Whether two revisions on one side of all culprits clearly differ by the least effect.
    fn shows_another_level(&self) -> bool {
        let side = |rung: &Rung| self.standing.culprits.iter().filter(|it| it.place <= rung.place).count();
        let rungs = &self.standing.ladder;
        let differ =
            |one: &Rung, other: &Rung| side(one) == side(other) && are_clear(&self.asked, one, other);
        let named = !self.standing.culprits.is_empty();
        named
            && rungs
                .iter()
                .enumerate()
                .any(|(at, one)| rungs[at + 1..].iter().any(|other| differ(one, other)))
    }
}

/// Whether the levels of both differ by the least effect, and their intervals do not meet.
fn are_clear(asked: &Asked, one: &Rung, other: &Rung) -> bool {
    let far = 1.96 * (one.error + other.error);
    let (by, apart) = match asked.by {
        Comparison::Ratio => (other.level / one.level - 1.0, (other.level / one.level).ln().abs()),
        Comparison::Difference | Comparison::Failure => {
            (other.level - one.level, (other.level - one.level).abs())
        }
    };
    asked.is_reached_by(by) && apart > far
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With one culprit, the third of four revisions with these levels.
    fn bisection(levels: [f64; 4], left: (f64, f64, f64), drift: f64) -> Bisection {
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
                "drift": drift, "builds": 4, "samples": 36, "building": 1.0, "executing": 1.0
            }
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn that_the_host_may_have_drifted_is_said_only_where_nothing_else_explains_it() {
        let one_step = [100.0, 100.5, 120.0, 120.4];
        let small = (0.01, -0.01, 0.03);
        assert!(bisection(one_step, small, 0.999).may_have_drifted());
        assert!(!bisection(one_step, small, 0.9).may_have_drifted(), "not by what chance does");
        assert!(!bisection([100.0, 110.0, 125.0, 125.4], small, 0.999).may_have_drifted(), "a second level");
        assert!(
            !bisection(one_step, (0.05, -0.004, 0.11), 0.999).may_have_drifted(),
            "perhaps a second step"
        );
    }

    #[test]
    fn what_is_left_over_is_known_only_where_its_interval_is_clear_of_what_was_asked_for() {
        let left = |left| bisection([100.0, 100.0, 120.0, 120.0], left, 0.0).left_unknown().is_some();
        assert!(left((0.052, -0.004, 0.112)) && left((-0.03, -0.08, 0.02)));
        assert!(!left((0.01, -0.02, 0.04)));
        let mut searched = bisection([100.0; 4], (0.05, -0.01, 0.11), 0.0);
        searched.standing.more = true;
        assert!(searched.left_unknown().is_none(), "that is said otherwise");
    }
}
