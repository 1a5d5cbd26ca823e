//! Commands so short that most of their time is the start of a process.

use std::collections::BTreeMap;

use tacho_record::Sample;
use tacho_stats::Summary;

/// From this share of its wall time on the start of a process is reported.
const START_SHARE: f64 = 0.5;

/// Up to this multiple of a command's time the start of a process can be a part of it: both are
/// medians, taken one after the other. If it took longer, the host was slower then.
const START_MOST: f64 = 1.25;

/// How long the start of a process takes here, in nanoseconds, where that is most of the time of
/// these executions: the instrument has executed `true` before, which is among the conditions of
/// their run.
#[must_use]
pub fn mostly_start<'a>(
    conditions: &BTreeMap<String, String>,
    samples: impl Iterator<Item = &'a Sample>,
) -> Option<f64> {
    let known = conditions.get("instrument.true")?;
    let start: f64 = known.strip_suffix(" ns")?.parse().ok()?;
    let counted = samples.filter(|sample| sample.counts());
    let walls: Vec<f64> = counted.filter_map(|sample| sample.value("wall")).collect();
    let median = Summary::of(&walls)?.median;
    (START_SHARE..=START_MOST).contains(&(start / median)).then_some(start)
}
