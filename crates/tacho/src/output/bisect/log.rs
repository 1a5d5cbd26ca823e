//! Bisections that are kept: a list, and the steps of one.

use tacho_record::Bisection;
use tacho_record::bisection::{
    BisectionStep, HostActivity, HostReadings, StepResult, ValueComparison,
};
use tacho_stats::BoundedValue;

use tacho_report::bisection::{changed_subject, failure, found, level};
use tacho_report::block::Block;
use tacho_report::change_list::UNTRACKED;

use crate::output;
use crate::output::table::{fits, plain, render};
use crate::output::text::{count, cut, duration, moment, wrap};

/// The number of digits of a commit that is no candidate.
const SHORT: usize = 10;
/// The line above the findings of bisections.
const FOUND: &str = "bisections found:";
/// At most this many are named where there is nothing else.
const NEWEST: usize = 5;

/// A row a bisection.
pub fn list(all: &[Bisection]) -> String {
    if all.is_empty() {
        return "there are no bisections yet\n".to_owned();
    }
    let mut table = plain(&["name", "begun", "range", "what", "result"], &[]);
    for bisection in all {
        let [good, bad] = bisection.end_names();
        table.add_row([
            bisection.name.clone(),
            moment(bisection.started),
            format!("{}..{}", cut(good, 20), cut(bad, 20)),
            changed_subject(bisection),
            found(bisection),
        ]);
    }
    let (text, width) = (render(&table), output::table_width());
    if fits(&text, Some(width)) { text } else { all.iter().map(|it| narrow(it, width)).collect() }
}

/// A bisection in two lines or more: its subject, and below it its result.
fn narrow(bisection: &Bisection, width: usize) -> String {
    let [good, bad] = bisection.end_names();
    let (name, begun) = (&bisection.name, moment(bisection.started));
    let head = format!("{name}  {begun}  {}..{}\n", cut(good, 20), cut(bad, 20));
    let result = format!("    {}: {}\n", changed_subject(bisection), found(bisection));
    head + &wrap(&result, Some(width))
}

/// The findings of bisections, newest first, if no series is tracked.
pub fn untracked(all: &[Bisection]) -> Vec<Block> {
    let found = if all.is_empty() { String::new() } else { format!("; {FOUND}") };
    let lead = Block::Lead(format!("{UNTRACKED}{found}"));
    let last = Block::Sentence("`tacho track` measures series".to_owned());
    [lead].into_iter().chain(newest(all).into_iter().skip(1)).chain([last]).collect()
}

/// The findings of the newest bisections, one a line.
pub fn newest(all: &[Bisection]) -> Vec<Block> {
    if all.is_empty() {
        return Vec::new();
    }
    let line = |bisection: &Bisection| {
        let [good, bad] = bisection.end_names();
        let (name, of) = (&bisection.name, changed_subject(bisection));
        format!("{name}  {}..{}: {} ({of})", cut(good, 20), cut(bad, 20), found(bisection))
    };
    let more = all.len().saturating_sub(NEWEST);
    let more = (more > 0).then(|| format!("… and {more} more"));
    let items = all.iter().take(NEWEST).map(line).chain(more).map(Block::Item);
    let hint = "`tacho bisect list` lists them, `tacho bisect log NAME` shows one".to_owned();
    let first = [Block::Sentence(FOUND.to_owned())].into_iter();
    first.chain(items).chain([Block::Sentence(hint)]).collect()
}

/// The report, and each step before it.
pub fn log(bisection: &Bisection, steps: &[BisectionStep]) -> String {
    let steps: String = steps.iter().map(|it| step(bisection, it)).collect();
    format!("{steps}\n{}", super::text(bisection, None))
}

/// One step in a line.
pub fn step(bisection: &Bisection, step: &BisectionStep) -> String {
    let place = bisection.place(&step.revision);
    let last = bisection.candidates.len().saturating_sub(1);
    let cut = step.revision.get(..SHORT).unwrap_or(&step.revision);
    let short = place.map_or(cut, |place| bisection.candidates[place].revision.short());
    let place = place.map_or_else(String::new, |place| format!(" ({place} of {last})"));
    let took = |seconds: f64| {
        duration(std::time::Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
    };
    let what = match &step.seen {
        StepResult::Built { artifact } => match step.build {
            Some(seconds) => format!("built in {}, artifacts {}", took(seconds), artifact.short()),
            None => format!("its build exists already, artifacts {}", artifact.short()),
        },
        StepResult::Samples { values, failure, .. }
            if bisection.asked.by == ValueComparison::Failure =>
        {
            let failed = values.iter().filter(|value| **value != 0.0).count();
            let how = failure.as_ref().map_or_else(String::new, |how| format!(": {how}"));
            format!("{failed} of {} failed{how}", count(values.len(), "execution"))
        }
        StepResult::Samples { values, limited, host, .. } => {
            let known =
                |(at, value): (usize, &f64)| BoundedValue::least(*value, limited.contains(&at));
            let shown = values.iter().enumerate().map(known);
            let shown: Vec<String> =
                shown.map(|it| it.shown(|value| level(bisection, value))).collect();
            let shown = shown.join(", ") + &cpu_times(bisection, host);
            match HostActivity::of(host).map(|beside| beside.line()).unwrap_or_default() {
                beside if beside.is_empty() => shown,
                beside => format!("{shown} ({beside})"),
            }
        }
        StepResult::Unusable(lack) => failure(lack),
    };
    let under = step.under.map_or_else(String::new, |under| format!(" with {}", under.words()));
    format!("{:>4} {short}{place}{under}: {what}\n", step.number)
}

/// The CPU times of samples, where they decided in place of wall times.
fn cpu_times(bisection: &Bisection, host: &[HostReadings]) -> String {
    let read = host.iter().filter_map(|it| it.get("cpu")).map(|cpu| level(bisection, *cpu));
    let read: Vec<String> = read.filter(|_| bisection.standing.by_cpu.is_some()).collect();
    if read.is_empty() { String::new() } else { format!("; CPU {}", read.join(", ")) }
}
