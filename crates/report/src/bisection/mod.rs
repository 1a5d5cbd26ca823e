//! A bisection: what came of it, in words.
//!
//! ```text
//! words  names and sentences        why    why nothing was named, and what helps
//! sizes  levels and effects         noise  how much samples vary
//! ```

mod noise;
mod sizes;
mod why;
mod words;

pub use noise::{noise, varying};
pub use sizes::{
    bounded, effect, effect_between, least, level, level_of, name, parts, size, within,
};
pub use why::{
    alike, any_not_built, failure, failure_of, headline, hidden_ends, moved, ratios, retry,
    stretch, undecided, unit,
};
pub use words::{
    around_it, aside, constant, culprit_line, found, left, left_hint, likely, merges,
    not_reproduced, outcome, probes, sides, small, so_far, stage, subject, suspected, then,
};

#[cfg(test)]
mod tests {
    use tacho_record::Bisection;

    /// One of 10,000 commits, at this stage.
    pub fn bisection(stage: &str) -> Bisection {
        let revision =
            |order: u64| tacho_record::Revision { order, ..tacho_record::Revision::bare("r") };
        let candidates: Vec<_> = (0..10_000)
            .map(|order| tacho_record::bisection::Candidate::new(revision(order)))
            .collect();
        let json = serde_json::json!({
            "name": "zurepi", "run": 1, "host": "lab", "started": "2026-01-01T00:00:00Z",
            "asked": {
                "good": "a", "bad": "b", "exchanged": false, "of": "execution", "by": "ratio", "least": 0.02,
                "benchmark": { "name": "b", "version": 1, "parameters": {} }, "all": false,
                "metric": tacho_record::Metric::built_in("wall")
            },
            "candidates": candidates,
            "standing": {
                "updated": "2026-01-01T00:00:00Z", "stage": stage, "ends": [0, 9999], "nothing": 0.0001,
                "belief": [{ "first": 1, "last": 9999, "posterior": 0.9999 }], "culprits": [], "suspects": [],
                "more": false, "ladder": [], "unusable": [], "drift": 0.0, "builds": 18, "samples": 4321,
                "building": 1.0, "executing": 1.0
            }
        });
        serde_json::from_value(json).unwrap()
    }
}
