//! `go test -bench` (<https://go.dev/design/14313-benchmark-format>): a name, how many iterations,
//! pairs of number and unit. The repetitions of `-count` are replicates.

use std::collections::{HashMap, HashSet};

use super::tool_reading::{ToolReading, choose};

/// The numbers of that unit of the benchmark of that name, which may go without `Benchmark` and
/// without `-8`.
pub(super) fn values(text: &str, name: &str, unit: &str) -> Result<Vec<f64>, String> {
    choose(things(text, unit), name)
}

/// All benchmarks, by that unit.
pub(super) fn things(text: &str, unit: &str) -> Vec<ToolReading> {
    let thing = |line: &str| {
        let mut words = line.split_whitespace();
        let full = words.next().filter(|word| word.starts_with("Benchmark"))?;
        words.next()?.parse::<u64>().ok()?;
        let words: Vec<&str> = words.collect();
        let pair = words.chunks_exact(2).find(|pair| pair[1] == unit);
        let value = pair.and_then(|pair| pair[0].parse::<f64>().ok());
        let values =
            value.map(|value| vec![value]).ok_or_else(|| format!("it reports no `{unit}`"));
        Some(ToolReading::new(names(full), values))
    };
    text.lines().filter_map(thing).collect()
}

/// All benchmarks by each unit that is reported, in the order in which units are first reported.
pub(super) fn all(text: &str) -> Vec<(&str, Vec<ToolReading>)> {
    let mut all: Vec<(&str, Vec<ToolReading>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().filter(|line| line.starts_with("Benchmark")) {
        let mut words = line.split_whitespace();
        let full = words.next().unwrap_or_default();
        let is_counted = words.next().is_some_and(|word| word.parse::<u64>().is_ok());
        let words: Vec<&str> = words.collect();
        let mut seen = HashSet::new();
        for pair in words.chunks_exact(2) {
            let Ok(value) = pair[0].parse::<f64>() else { continue };
            let place = *places.entry(pair[1]).or_insert_with(|| {
                all.push((pair[1], Vec::new()));
                all.len() - 1
            });
            if is_counted && seen.insert(pair[1]) {
                all[place].1.push(ToolReading::new(vec![full.to_owned()], Ok(vec![value])));
            }
        }
    }
    all
}

/// `BenchmarkSum/size=1-8`, and shorter names of the same.
fn names(full: &str) -> Vec<String> {
    let processors = |name: &str| {
        let (before, after) = name.rsplit_once('-')?;
        after.parse::<u32>().ok().map(|_| before.to_owned())
    };
    let without = full.strip_prefix("Benchmark").unwrap_or(full);
    [Some(full.to_owned()), Some(without.to_owned()), processors(full), processors(without)]
        .into_iter()
        .flatten()
        .collect()
}
