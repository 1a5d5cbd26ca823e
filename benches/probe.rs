//! How often a probe is wrong: `cargo bench -p tacho-stats --bench probe`.
//!
//! Simulated with fixed seeds: 11 disturbances that change the level of both programs (and some the
//! noise), on a host whose speed wanders and jumps, with wild values in 3 % of the executions. An
//! honest pair differs by the same in each state. A confound takes the whole difference away under
//! one disturbance.

use tacho_stats::probe;

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/probe/world.rs"]
mod world;

// What `world` finds in the crate that it is part of.
use probe::{Dependence, PROBE_ERROR, ProbeRules, ProbeValues, judge_pair, probe_looks};
use world::{DISTURBANCES, ProbeWorld, said_of};

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let probes: u32 =
        std::env::var("TACHO_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    println!("{probes} probes each, {DISTURBANCES} disturbances, 30 rounds at the most\n");
    println!("| difference | noise | pair | *depends* | *upheld* | neither |");
    println!("|---:|---:|---|---:|---:|---:|");
    for (usual, noise) in [(0.03, 0.003), (0.03, 0.01), (0.1, 0.01), (0.1, 0.03), (0.74, 0.05)] {
        row("honest", &ProbeWorld::honest(usual, noise, 30), probes);
        row("confound", &ProbeWorld::honest(usual, noise, 30).confounded(0), probes);
        row("noisy confound", &ProbeWorld::honest(usual, noise, 30).confounded(3), probes);
    }
}

fn row(pair: &str, world: &ProbeWorld, probes: u32) {
    let (depends, upheld) = said_of(world, probes);
    let share = |number: usize| format!("{:.1} %", 100.0 * number as f64 / f64::from(probes));
    println!(
        "| {:+.1} % | {:.1} % | {pair} | {} | {} | {} |",
        100.0 * world.usual.exp_m1(),
        100.0 * world.noise,
        share(depends),
        share(upheld),
        share(probes as usize - depends - upheld)
    );
}
