//! What files say of each benchmark that must be alike at both sides: how its executions ended, and
//! on how many processors Go executed it.

use std::collections::{BTreeMap, HashSet};

use tacho_measure::Report;
use tacho_record::{BenchmarkKey, ExportedMetric, Metric, Plan, shown};

use super::sides::ResolvedSide;

/// In what both sides differ, in words.
pub fn differ(what: &str, taken: &[ResolvedSide; 2], [a, b]: [&str; 2]) -> Option<String> {
    let [of_a, of_b] = taken.each_ref().map(|taken| shown(&taken.side.name));
    (a != b).then(|| format!("{what} {a} of {of_a}, {b} of {of_b}"))
}

/// How the executions of a benchmark of a file ended, where it says so.
pub fn status<'a>(taken: &'a ResolvedSide, benchmark: &str) -> Option<&'a str> {
    taken.report.as_ref()?.host.get(&format!("exit status of `{benchmark}`")).map(String::as_str)
}

/// In which of these rows executions of the file at that side ended otherwise than those will that
/// count of the other side: with what the plan expects, of a command with 0.
pub fn statuses(
    taken: &[ResolvedSide; 2],
    file: usize,
    plan: Option<&Plan>,
    rows: &[(BenchmarkKey, Vec<Metric>)],
    names: &BTreeMap<String, String>,
) -> Vec<String> {
    let of = |(key, _): &(BenchmarkKey, Vec<Metric>)| {
        let name = names.get(&key.to_string())?;
        let found = status(&taken[file], name)?;
        let planned = plan.and_then(|plan| plan.benchmarks.iter().find(|it| it.name == key.name));
        let right = planned.map_or(0, |benchmark| benchmark.expect.exit).to_string();
        let found = if is_all(found, &right) { &right } else { found };
        let both = if file == 0 { [found, &right] } else { [&right, found] };
        differ(&format!("exit status of `{name}`"), taken, both)
    };
    rows.iter().filter_map(of).collect()
}

/// Whether all executions ended with that status: `1 in 20 of 20 executions`.
fn is_all(found: &str, status: &str) -> bool {
    match found.split(' ').collect::<Vec<_>>()[..] {
        [one, "in", count, "of", all, ..] => one == status && count == all,
        _ => found == status,
    }
}

/// Takes from the names of Go's benchmarks the processors (`-8`) where the two files have others,
/// so that they are the same ones; says on how many each executed them then.
pub fn same_processors(
    taken: &[ResolvedSide; 2],
    said: &mut [Vec<ExportedMetric>; 2],
) -> Option<String> {
    let is_go = |report: &Report| report.tool == "go test";
    if !taken.iter().all(|taken| taken.report.as_ref().is_some_and(is_go)) {
        return None;
    }
    let all = said.each_ref().map(|said| processors(said));
    // Go leaves away that it is one.
    let told = all.map(|number| number.unwrap_or(1).to_string());
    let differ = differ("GOMAXPROCS", taken, told.each_ref().map(String::as_str))?;
    let mut renamed = said.clone();
    for (said, number) in renamed.iter_mut().zip(all) {
        let end = number.map_or_else(String::new, |number| format!("-{number}"));
        for one in said {
            one.benchmark.truncate(one.benchmark.len() - end.len());
        }
    }
    // Else it was something else that the names end with. Two that are alone in their files are
    // compared whatever they are called.
    let names: HashSet<&str> = renamed[1].iter().map(|it| it.benchmark.as_str()).collect();
    let is_common = |one: &ExportedMetric| names.contains(one.benchmark.as_str());
    let are_alone = said.iter().all(|said| only_name(said).is_some());
    if !are_alone && !renamed[0].iter().any(is_common) {
        return None;
    }
    *said = renamed;
    Some(differ)
}

/// The number that all names end with.
fn processors(said: &[ExportedMetric]) -> Option<u32> {
    let of = |one: &ExportedMetric| {
        let (_, number) = one.benchmark.rsplit_once('-')?;
        number.parse::<u32>().ok().filter(|it| it.to_string() == number)
    };
    let mut all = said.iter().map(of);
    let first = all.next()??;
    all.all(|it| it == Some(first)).then_some(first)
}

/// What the only benchmark is called.
pub fn only_name(said: &[ExportedMetric]) -> Option<&str> {
    let first = said.first()?;
    said.iter().all(|one| one.benchmark == first.benchmark).then_some(first.benchmark.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_executions_may_end_as_they_should_and_not_with_0() {
        for (found, status, wanted) in [
            ("0", "0", true),
            ("1 in 20 of 20 executions", "1", true),
            ("1 in 2 of 20 executions", "1", false),
            ("1, 2 in 20 of 20 executions", "1", false),
            ("0", "1", false),
        ] {
            assert_eq!(is_all(found, status), wanted, "{found}");
        }
    }
}
