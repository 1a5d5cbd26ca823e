//! How well the machine's changes and the program's are known from each other in simulated labs:
//! `cargo bench -p tacho-stats --bench lab`. `TACHO_LABS` is the number of labs a row (31),
//! `TACHO_FIRST_LAB` the seed of the first (1).

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[path = "../crates/stats/src/lab/score.rs"]
mod score;
#[path = "../crates/stats/src/lab/world.rs"]
mod world;

use score::LabScore;
use tacho_stats::changes::{DetectedChange, Options, SeriesValue, detect};
use tacho_stats::lab::{
    LabCause, LabChange, LabNumbers, LabSeries, LabValue, ReferenceLevel, SlowResponse, causes,
};
use world::{LabWorld, ReferenceUse};

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let number = |name, usual| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (labs, first) = (number("TACHO_LABS", 31), number("TACHO_FIRST_LAB", 1));
    println!(
        "| runs scatter | machine steps by | reference | the machine's: found, said so | \
         of 31 | programs' changes: planted, found | said to be the machine's | \
         reported where nothing was planted | excused there |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for hosts in [2, 1] {
        for run in [0.0, 0.01, 0.03] {
            for machine in [0.0, 0.05, 0.10] {
                for beside in [ReferenceUse::Full, ReferenceUse::Cheap, ReferenceUse::Off] {
                    row(first..first + labs, LabWorld { hosts, run, machine, beside, ..WORLD });
                }
            }
        }
    }
}

/// Two hosts, 50 series, 150 nights; 10 programs change in nights of their own and 5 in the
/// machine's.
const WORLD: LabWorld = LabWorld {
    hosts: 2,
    series: 50,
    nights: 150,
    noise: 0.01,
    run: 0.0,
    machine: 0.05,
    changes: 10,
    same_night: 5,
    beside: ReferenceUse::Full,
};

fn row(seeds: std::ops::Range<u64>, world: LabWorld) {
    let LabScore { machines, said, planted, found, blamed, invented, excused } =
        LabScore::of_all(world, seeds);
    let of_31 = 31.0 * said as f64 / machines.max(1) as f64;
    let hosts = if world.hosts == 1 { "one host, " } else { "" };
    println!(
        "| {hosts}{:.0} % | {:.0} % | {:?} | {machines}, {said} | {of_31:.1} | {planted}, {found} \
         | {blamed} | {invented} | {excused} |",
        100.0 * world.run,
        100.0 * world.machine,
        world.beside
    );
}
