//! The disturbances for a verified culprit: those that are available on this host for this
//! benchmark.

use tacho_machine::Root;
use tacho_record::plan::Benchmark;
use tacho_record::{Disturbance, Plan};
use tacho_subject::Layout;

use super::available::{ProbeSubject, availability};
use crate::build::linking::drawn_orders;

/// How many other orders of linking are probed.
const LAYOUTS: u32 = 2;
/// Disturbances of a probe under which a culprit is not measured: they need to know how much memory
/// the program needs, or change settings of the machine.
const ELSEWHERE: [&str; 4] = ["frequency-high", "frequency-low", "memory", "storage"];

/// Why there are no other orders of linking.
pub const NO_OTHER_ORDERS: &str = "they need a build, and `mold` or `lld`";

/// The other orders of linking; empty if nothing is linked, or no linker can.
#[must_use]
pub fn other_orders(plan: &Plan) -> Vec<Layout> {
    drawn_orders(plan, None, LAYOUTS).unwrap_or_default()
}

/// Under what a culprit is measured, of a benchmark.
#[must_use]
pub fn disturbances_of_culprit(benchmark: &Benchmark, orders: &[Layout]) -> Vec<Disturbance> {
    let numbers: Vec<u32> = orders.iter().map(|layout| layout.number).collect();
    let subject = ProbeSubject {
        benchmarks: std::slice::from_ref(benchmark),
        layouts: &numbers,
        no_layouts: NO_OTHER_ORDERS,
        folder: None,
    };
    availability(&Root::this_machine(), subject, |name| !ELSEWHERE.contains(&name)).under
}
