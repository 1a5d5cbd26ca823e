//! A bisection, for tests here and of the terminal.

use serde_json::json;
use tacho_record::bisection::Candidate;
use tacho_record::{Bisection, Metric, Revision};

/// One of 10,000 commits, at this stage.
pub fn bisection(stage: &str) -> Bisection {
    let candidate = |order: u64| Candidate::new(Revision { order, ..Revision::bare("r") });
    let candidates: Vec<Candidate> = (0..10_000).map(candidate).collect();
    let json = json!({
        "name": "zurepi", "run": 1, "host": "lab", "started": "2026-01-01T00:00:00Z",
        "asked": {
            "good": "a", "bad": "b", "exchanged": false, "of": "execution", "by": "ratio",
            "benchmark": { "name": "b", "version": 1, "parameters": {} }, "all": false,
            "metric": Metric::built_in("wall"), "least": 0.02
        },
        "candidates": candidates,
        "standing": {
            "updated": "2026-01-01T00:00:00Z", "stage": stage, "ends": [0, 9999],
            "belief": [{ "first": 1, "last": 9999, "posterior": 0.9999 }], "nothing": 0.0001,
            "culprits": [], "suspects": [], "more": false, "ladder": [], "unusable": [],
            "drift": 0.0, "builds": 18, "samples": 4321, "building": 1.0, "executing": 1.0
        }
    });
    serde_json::from_value(json).unwrap()
}
