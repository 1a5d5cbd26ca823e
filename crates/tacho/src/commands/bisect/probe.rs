//! What a verified culprit is probed with: what can be otherwise on this host, for this benchmark.

use std::fs;

use tacho_record::bisection::Disturbance;
use tacho_record::plan::Benchmark;
use tacho_record::{Conditions, Cpus, Plan};
use tacho_subject::{Layout, Linker};

use crate::output;

/// So many other orders of linking.
const LAYOUTS: u32 = 2;

/// The other orders of linking; none where nothing is linked, or no linker can.
pub fn layouts(plan: &Plan) -> Vec<Layout> {
    let linker = plan.subject.build.as_ref().and_then(|_| Linker::find(None));
    linker
        .map_or_else(Vec::new, |linker| (1..=LAYOUTS).map(|number| linker.layout(number)).collect())
}

/// Says what is not probed.
pub fn tell_of_missing(layouts: &[Layout]) {
    if layouts.is_empty() {
        output::note(
            "note",
            "other orders of linking are left out: they need a build, and `mold` or `lld`",
        );
    }
}

/// What is to be otherwise, of a benchmark.
pub fn disturbances(benchmark: &Benchmark, layouts: &[Layout]) -> Vec<Disturbance> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let usual = read("/proc/sys/kernel/randomize_va_space").trim() != "0";
    let mut all = of_host(&benchmark.conditions, usual, &read("/proc/self/status"));
    all.extend(layouts.iter().map(|layout| Disturbance::Layout { number: layout.number }));
    all
}

/// `usual`: whether the system puts memory at random addresses; `status`: what it says of us, with
/// the processors that we may use.
fn of_host(conditions: &Conditions, usual: bool, status: &str) -> Vec<Disturbance> {
    let mut all = Vec::new();
    if !conditions.random_environment {
        all.push(Disturbance::Environment);
    }
    all.push(Disturbance::Addresses { random: !conditions.aslr.unwrap_or(usual) });
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let ours = line.and_then(|list| Cpus::list(list.trim())).unwrap_or_default();
    let pinned = |number: &u32| match &conditions.cpus {
        Some(Cpus::List(list)) => list.len() == 1 && list.contains(number),
        _ => false,
    };
    let other = ours.iter().rev().find(|number| !pinned(number)).filter(|_| ours.len() > 1);
    all.extend(other.map(|&number| Disturbance::Cpu { number }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_already_is_no_disturbance() {
        let status = "Name:\ttacho\nCpus_allowed:\tff\nCpus_allowed_list:\t0-2,7\n";
        let usual = of_host(&Conditions::default(), true, status);
        let [environment, addresses, cpu] = [
            Disturbance::Environment,
            Disturbance::Addresses { random: false },
            Disturbance::Cpu { number: 7 },
        ];
        assert_eq!(usual, [environment, addresses, cpu]);
        let pinned = Conditions {
            random_environment: true,
            aslr: Some(false),
            cpus: Some(Cpus::List([7].into())),
            ..Conditions::default()
        };
        let others = [Disturbance::Addresses { random: true }, Disturbance::Cpu { number: 2 }];
        assert_eq!(of_host(&pinned, true, status), others);
        assert_eq!(
            of_host(&Conditions::default(), true, "Cpus_allowed_list:\t3\n"),
            [environment, addresses]
        );
    }
}
