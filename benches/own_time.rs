//! What deciding takes beside measuring: `cargo bench -p tacho-stats --bench own_time`.
//!
//! A bisection that does not end: nothing changed, the host has two speeds, and the budget is
//! large. For each thousand samples the mean time of our own a sample, which is to stay below 2 ms.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::time::{Duration, Instant};

use tacho_stats::bisect::{
    BisectionRules, Bisector, BisectorOutcome, NextStep, Observation, ObservedValues, Portion,
    UnusableReason,
};

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/bisect/world.rs"]
mod world;

use world::{BisectWorld, WorldScatter};

/// The samples of each world.
const SAMPLES: usize = 10_000;
/// The samples of a line.
const LINE: usize = 1000;

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| world | samples | own time a sample |");
    println!("| --- | ---: | ---: |");
    let rules = BisectionRules { budget: Some(1e12), least: 0.001, ..BisectionRules::default() };
    for (name, scatter) in [
        ("two speeds", WorldScatter::TwoSpeeds(0.41, 30.0)),
        ("noise of 10 %", WorldScatter::Gaussian(0.1)),
        ("drift", WorldScatter::Drifting(0.1)),
    ] {
        measure(name, BisectWorld::new(256, 0.0, scatter, 1), rules);
    }
}

fn measure(name: &str, mut world: BisectWorld, rules: BisectionRules) {
    let Some(mut bisection) = Bisector::new(rules, world.candidates) else { return };
    let (mut own, mut samples, mut line) = (Duration::ZERO, 0, LINE);
    let mut before = 0;
    while samples < SAMPLES {
        let began = Instant::now();
        let step = bisection.next();
        own += began.elapsed();
        let NextStep::Measure(portions) = step else { break };
        for portion in portions {
            let observation = world::observe(&mut world, portion);
            let began = Instant::now();
            bisection.observe(&observation);
            let standing = bisection.standing();
            own += began.elapsed();
            std::hint::black_box(standing);
            samples += portion.samples;
        }
        if samples >= line {
            let each = own.as_secs_f64() * 1e3 / (samples - before) as f64;
            println!("| {name} | {samples} | {each:.2} ms |");
            (own, before, line) = (Duration::ZERO, samples, line + LINE);
        }
    }
}
