//! The expected cost of a bisection, in words.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tacho_experiment::bisect::{BisectForecast, Inquiry};
use tacho_record::bisection::{BisectionRequest, ValueComparison};
use tacho_report::bisection::{subject, varying};
use tacho_report::build::RETRY;
use tacho_report::words::as_written;

use super::forecast::about;
use crate::output::text::{count, duration, has_callgrind};

/// Seconds that would be shown as 0.00.
const SHORT: f64 = 0.01;

/// The forecast for machines: `docs/src/formats`.
#[derive(Debug, Serialize)]
pub struct BisectForecastAnswer<'a> {
    asked: &'a BisectionRequest,
    revisions: Vec<&'a str>,
    left_out: usize,
    programs: usize,
    may_be_fewer: bool,
    builds: usize,
    built: usize,
    samples: (f64, f64),
    takes: Option<(f64, f64)>,
    by_metric: BTreeMap<&'static str, f64>,
    one_build: bool,
    answered: bool,
}

/// For machines.
pub fn expected_answer<'a>(
    expected: &BisectForecast,
    inquiry: &'a Inquiry,
) -> BisectForecastAnswer<'a> {
    let asked = &inquiry.asked;
    let is_nothing = expected.is_answered || expected.is_one_build;
    let nothing = (0.0, 0.0);
    BisectForecastAnswer {
        asked,
        revisions: inquiry.candidates.iter().map(|it| it.revision.id.as_str()).collect(),
        left_out: expected.left_out,
        programs: expected.programs,
        may_be_fewer: expected.may_be_fewer,
        builds: expected.builds,
        built: expected.built,
        samples: if is_nothing { nothing } else { expected.samples(asked) },
        takes: if is_nothing { Some(nothing) } else { expected.takes(asked) },
        by_metric: expected.costs(asked, has_callgrind()).into_iter().collect(),
        one_build: expected.is_one_build,
        answered: expected.is_answered,
    }
}

/// In a few lines.
pub fn expected_text(expected: &BisectForecast, inquiry: &Inquiry) -> String {
    let asked = &inquiry.asked;
    if expected.is_one_build {
        return "both ends are the same build, so there is nothing to find\n".to_owned();
    }
    if expected.is_answered {
        let again = if expected.ends_failed { RETRY } else { "`--again` bisects again" };
        return format!("an answer is kept, so nothing is executed: {again}\n");
    }
    let outside = outside(expected);
    let least = least(asked);
    let question = match expected.commits {
        1 => format!("does the one commit{outside} change {} by {least} or more?", subject(asked)),
        commits => format!(
            "which of {}{outside} changed {} by {least} or more?",
            count(commits, "commit"),
            subject(asked)
        ),
    };
    format!(
        "{question}\nexpected: about {}; {}{}\n{}\n{}",
        builds(expected, asked),
        samples(expected, asked),
        if expected.may_be_fewer { "; fewer where commits give the same program" } else { "" },
        time(expected, asked),
        others(expected, asked),
    )
}

/// How many commits cannot be the cause, as far as is known, and why.
fn outside(expected: &BisectForecast) -> String {
    let same = (expected.commits + 1).saturating_sub(expected.programs);
    let same = (same > 0).then(|| {
        let verb = if same == 1 { "is" } else { "are" };
        format!("{same} {verb} the same program as the one before")
    });
    let left_out = (expected.left_out > 0).then(|| {
        let verb = if expected.left_out == 1 { "touches" } else { "touch" };
        format!("{} more {verb} none of the plan's paths", expected.left_out)
    });
    let both: Vec<String> = same.into_iter().chain(left_out).collect();
    if both.is_empty() { String::new() } else { format!(" ({})", both.join("; ")) }
}

/// How many builds, how many of them are there, and how many may be made.
fn builds(expected: &BisectForecast, asked: &BisectionRequest) -> String {
    let built = match expected.built {
        _ if expected.ends_failed => {
            format!(" (both ends failed to build before: {RETRY})")
        }
        0 => String::new(),
        all if all >= expected.builds => ", all made before".to_owned(),
        some => format!(", {some} made before"),
    };
    let most = asked.own_builds().map_or_else(String::new, |most| {
        let most = most.saturating_sub(expected.resumed.0);
        format!("; `--max-builds` allows {}", count(most, "new build"))
    });
    format!("{}{built}{most}", count(expected.builds, "build"))
}

/// The cost with each metric: wall time, CPU time and instructions vary unlike, and counting takes
/// long.
fn others(expected: &BisectForecast, asked: &BisectionRequest) -> String {
    let line = |(metric, takes): (&str, f64)| format!("{} with `-m {metric}`", seconds(takes));
    let all: Vec<String> = expected.costs(asked, has_callgrind()).into_iter().map(line).collect();
    if all.is_empty() {
        return String::new();
    }
    // If the ends are not known to differ, the change may be that small.
    let small = match expected.step {
        None => format!(", for a change of {}", least(asked)),
        Some(_) => String::new(),
    };
    format!("by metric{small}: about {}\n", all.join(", "))
}

/// How many samples of each kind of noise, or of that which is known here.
fn samples(expected: &BisectForecast, asked: &BisectionRequest) -> String {
    let (low, high) = expected.samples(asked);
    let known = expected.sd.filter(|_| asked.by != ValueComparison::Failure);
    if known.is_none() && low >= high {
        return format!("about {} samples", about(high));
    }
    let Some(sd) = known else {
        let much = match asked.by {
            ValueComparison::Failure => "if the command is flaky",
            _ => "if values vary much",
        };
        let [low, high] = [low, high].map(about);
        return format!("{low} samples, or {high} and more {much}");
    };
    let varied = if sd > 0.0 {
        format!("varied by {}", varying(asked, sd))
    } else {
        "did not vary".to_owned()
    };
    let values = if expected.is_by_cpu {
        "CPU times, which may decide in place of wall times,"
    } else {
        "values"
    };
    let earlier = format!("in earlier runs {values} {varied}");
    match expected.step {
        None if low < high => format!(
            "about {low:.0} samples for a large change, {} for {} ({earlier})",
            about(high),
            least(asked)
        ),
        _ => format!("about {} samples ({earlier})", about(high)),
    }
}

fn time(expected: &BisectForecast, asked: &BisectionRequest) -> String {
    let most = asked.own_budget().map(|most| most - expected.resumed.1);
    let most = most.map_or_else(String::new, |it| format!("; `--budget` allows {}", seconds(it)));
    let Some(building) = expected.building() else {
        return format!("the time is known after the first build{most}");
    };
    let builds = match building {
        little if little < SHORT => "hardly any time".to_owned(),
        building => format!("about {}", seconds(building)),
    };
    let executing = match expected.takes(asked) {
        None => "; the time of executions is known after the first execution",
        Some(_) if !expected.executes => "",
        Some((low, high)) => {
            let [low, high] = [low, high].map(seconds);
            let range = if low == high { low } else { format!("{low} to {high}") };
            return format!("about {range}{most}");
        }
    };
    format!("{builds} for the builds{executing}{most}")
}

/// The least effect that is looked for.
fn least(asked: &BisectionRequest) -> String {
    match asked.by {
        ValueComparison::Ratio | ValueComparison::Failure => as_written(asked.least),
        ValueComparison::Difference => asked.metric.unit.show(asked.least),
    }
}

fn seconds(seconds: f64) -> String {
    duration(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
}
