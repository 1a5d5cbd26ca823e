//! How many builds it takes to pin every change of a history: `cargo bench -p tacho-stats --bench
//! place`.
//!
//! Simulated with fixed seeds: 500 commits with 1, 2 and 4 changes of 5 to 50 % up or down, ten
//! samples a build and run. Beside it what others take: to measure every commit, and a bisection
//! for each change by somebody who knows how many there are and what level each commit is on (the
//! least that halving can take, both ends included). Changes that are pinned, and places where
//! nothing changed, in per cent of the changes.

use tacho_stats::history;
use tacho_stats::survey::{self, SurveyRules};

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/survey/world.rs"]
mod world;

// What `world` finds in the crate that it is part of.
use survey::{Candidates, ChangePlace, PlaceStatus, Survey, batch, survey};
use world::{SurveyWorld, explore, score};

const CANDIDATES: usize = 500;

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let trials: u64 =
        std::env::var("TACHO_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    println!("{CANDIDATES} commits, means of {trials} histories\n");
    println!(
        "| noise | host | changes | builds | at most | samples | pinned | wrong | a bisection \
         each | every commit |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for noise in [0.01, 0.03] {
        for (host, drift) in [("alike", 0.0), ("± 3 % a run", 0.03)] {
            for changes in [0, 1, 2, 4] {
                row((noise, host, drift), changes, trials);
            }
        }
    }
}

fn row((noise, host, drift): (f64, &str, f64), changes: usize, trials: u64) {
    let (mut builds, mut most, mut samples) = (0, 0, 0);
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..trials {
        let mut world = SurveyWorld::new(CANDIDATES, changes, noise, 1000 + seed).drifting(drift);
        let explored = explore(&mut world, &SurveyRules::new(0.05, CANDIDATES, None), usize::MAX);
        let scored = score(&world, &explored.survey);
        (right, wrong) = (right + scored.0, wrong + scored.1);
        (builds, most) = (builds + explored.builds, most.max(explored.builds));
        samples += explored.samples;
    }
    let of = |sum: usize| sum as f64 / trials as f64;
    let share = |number: usize| match changes {
        0 => format!("{number} in all"),
        _ => format!("{:.1} %", 100.0 * number as f64 / (changes as f64 * trials as f64)),
    };
    let bisections = changes * (CANDIDATES - 1).ilog2() as usize + changes + 2;
    println!(
        "| {:.0} % | {host} | {changes} | {:.1} | {most} | {:.0} | {} | {} | {bisections} | \
         {CANDIDATES} |",
        100.0 * noise,
        of(builds),
        of(samples),
        share(right),
        share(wrong),
    );
}
