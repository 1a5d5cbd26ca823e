//! What a verified culprit is probed with: what can be otherwise on this host, for this benchmark.

use tacho_experiment::probe::{ProbeSubject, availability};
use tacho_machine::Root;
use tacho_record::plan::Benchmark;
use tacho_record::{Disturbance, Plan};
use tacho_subject::{Layout, Linker};

use crate::output;

/// So many other orders of linking.
const LAYOUTS: u32 = 2;
/// Disturbances of a probe that a culprit is not measured under: they need to know how much memory
/// the program needs, or change settings of the machine.
const ELSEWHERE: [&str; 4] = ["frequency-high", "frequency-low", "memory", "storage"];

/// Why there are no other orders of linking.
pub const LAYOUTS_LEFT_OUT: &str = "they need a build, and `mold` or `lld`";

/// The other orders of linking; none where nothing is linked, or no linker can.
pub fn layouts(plan: &Plan) -> Vec<Layout> {
    let linker = plan.subject.build.as_ref().and_then(|_| Linker::find(None));
    linker
        .map_or_else(Vec::new, |linker| (1..=LAYOUTS).map(|number| linker.layout(number)).collect())
}

/// Says what is not probed.
pub fn tell_of_missing(layouts: &[Layout]) {
    if layouts.is_empty() {
        output::note("note", &format!("other orders of linking are left out: {LAYOUTS_LEFT_OUT}"));
    }
}

/// What is to be otherwise, of a benchmark.
pub fn disturbances(benchmark: &Benchmark, layouts: &[Layout]) -> Vec<Disturbance> {
    let numbers: Vec<u32> = layouts.iter().map(|layout| layout.number).collect();
    let subject = ProbeSubject {
        benchmarks: std::slice::from_ref(benchmark),
        layouts: &numbers,
        no_layouts: LAYOUTS_LEFT_OUT,
        folder: None,
    };
    availability(&Root::this_machine(), subject, |name| !ELSEWHERE.contains(&name)).under
}
