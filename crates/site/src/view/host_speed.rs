//! The path of the host's speed in a run, estimated from all executions, and what it was in words.

use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Unit;
use tacho_stats::interleaved::{Fit, InterleavedExecution, Spell, spells};

use crate::RunExecutions;
use tacho_report::words::moved;

use crate::text::{count, day, time_of_day};

/// Fewer values of a program do not show what the host did.
const FEWEST: usize = 3;
/// Of more programs than this the estimate would take longer than it is worth.
const MOST_CELLS: usize = 300;
/// Shorter spells are noise of single executions.
const LONG: usize = 5;
/// A spell is named where the speed differs from the usual one by this share.
const APART: f64 = 0.05;
/// The most spells that are named.
const NAMED: usize = 4;
/// In a run of fewer seconds, times have tenths.
const BRIEF: i64 = 120;

/// What is known of the host's speed in a run.
pub(crate) struct HostSpeed {
    /// In order of time: when an execution began, and the speed then, as a share of the usual one.
    pub(crate) path: Vec<(Timestamp, f64)>,
    /// It in words, a sentence each.
    pub(crate) sentences: Vec<String>,
}

/// An execution that takes part, with its cell.
struct TimedExecution {
    at: Timestamp,
    cell: (usize, usize),
    round: u32,
    value: f64,
}

impl HostSpeed {
    /// Of all executions of a run whose metric is a time.
    pub(crate) fn of(run: &RunExecutions) -> Self {
        let mut timed = timed(run);
        timed.sort_by_key(|it| it.at);
        let mut cells: Vec<(usize, usize)> = timed.iter().map(|it| it.cell).collect();
        cells.sort_unstable();
        let sizes: Vec<_> =
            cells.chunk_by(|a, b| a == b).map(|cell| (cell[0], cell.len())).collect();
        let cells: Vec<(usize, usize)> =
            sizes.into_iter().filter(|(_, size)| *size >= FEWEST).map(|(cell, _)| cell).collect();
        timed.retain(|it| cells.binary_search(&it.cell).is_ok());
        if cells.len() > MOST_CELLS {
            let why = format!(
                "The host's speed is not estimated in runs of more than {MOST_CELLS} \
                               programs."
            );
            return Self { path: Vec::new(), sentences: vec![why] };
        }
        let executions: Vec<InterleavedExecution> =
            timed.iter().map(|it| execution(it, &cells)).collect();
        match Fit::of(&executions, cells.len()).filter(|_| cells.len() > 1) {
            Some(fit) => Self::fitted(&timed, &fit),
            None => Self {
                path: Vec::new(),
                sentences: vec![
                    "There are too few executions of several programs in turn to show the host's \
                     speed."
                        .to_owned(),
                ],
            },
        }
    }

    fn fitted(timed: &[TimedExecution], fit: &Fit) -> Self {
        let sentences = sentences(timed, fit);
        if !fit.moves {
            // What is left is the noise of single executions.
            return Self { path: Vec::new(), sentences };
        }
        let speeds = fit.path().into_iter().map(|slower| (-slower).exp());
        Self { path: timed.iter().map(|it| it.at).zip(speeds).collect(), sentences }
    }
}

fn timed(run: &RunExecutions) -> Vec<TimedExecution> {
    let mut all = Vec::new();
    let times = run.benchmarks.iter().enumerate();
    for (number, one) in times.filter(|(_, one)| one.metric.unit == Unit::Nanoseconds) {
        for it in one.executions.iter().filter(|it| it.counts) {
            if let Some(value) = it.value.filter(|value| *value > 0.0) {
                let cell = (number, it.program);
                all.push(TimedExecution { at: it.at, cell, round: it.place.round, value });
            }
        }
    }
    all
}

fn execution(it: &TimedExecution, cells: &[(usize, usize)]) -> InterleavedExecution {
    let program = cells.binary_search(&it.cell).unwrap_or(0);
    InterleavedExecution { program, round: it.round, value: it.value.ln() }
}

fn sentences(timed: &[TimedExecution], fit: &Fit) -> Vec<String> {
    if !fit.moves {
        return vec![format!(
            "The host's speed was even, as far as {} show: neighbours in time are no more alike \
             than others.",
            count(timed.len(), "execution")
        )];
    }
    let mut named: Vec<Spell> = spells(&fit.rest)
        .into_iter()
        .filter(|it| it.executions.len() >= LONG && speed_differs(it))
        .collect();
    if named.is_empty() {
        let by = moved(fit.uneven());
        return vec![format!("The host's speed moved {by}, in spells too short to be named.")];
    }
    let mut all = Vec::new();
    if named.len() > NAMED {
        let by = moved(fit.uneven());
        let spells = named.len();
        all.push(format!("The host's speed moved {by}, in {spells} spells; the largest:"));
    }
    // The ones with most weight, in order of time.
    named.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    named.truncate(NAMED);
    named.sort_by_key(|it| it.executions.start);
    all.extend(named.iter().map(|it| sentence(timed, it)));
    all
}

fn speed_differs(spell: &Spell) -> bool {
    ((-spell.slower).exp() - 1.0).abs() >= APART
}

fn weight(spell: &Spell) -> f64 {
    spell.slower.abs() * spell.executions.len() as f64
}

fn sentence(timed: &[TimedExecution], spell: &Spell) -> String {
    let (from, last) = (timed[spell.executions.start].at, &timed[spell.executions.end - 1]);
    let took = Duration::try_from_secs_f64(last.value / 1e9).unwrap_or_default();
    let to = last.at.checked_add(took).unwrap_or(last.at);
    let ends = (timed[0].at, timed[timed.len() - 1].at);
    let speed = format!("{:.0} %", 100.0 * (-spell.slower).exp());
    format!(
        "This host ran at {speed} of its usual speed from {} to {}.",
        moment(from, ends),
        moment(to, ends)
    )
}

/// A time of day in a run between these; with its day if that is not the first one's.
fn moment(at: Timestamp, (first, last): (Timestamp, Timestamp)) -> String {
    let time = time_of_day(at);
    if day(at) != day(first) {
        format!("{} {time}", day(at))
    } else if last.duration_since(first).as_secs() < BRIEF {
        format!("{time}.{}", at.subsec_millisecond() / 100)
    } else {
        time
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use tacho_record::{BenchmarkKey, Metric, Place};

    use super::*;
    use crate::{RunBenchmark, RunExecution};

    /// Two programs, 5 % apart, each once a second in 60 rounds; the host takes this factor longer
    /// in rounds 20 to 39.
    fn run(slow: f64) -> RunExecutions {
        let start: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let one = |at: u32| {
            let (round, program) = (at / 2 + 1, (at + at / 2) % 2);
            let noise = 1.0 + 0.01 * f64::from(at * 7 % 5);
            let host = if (20..40).contains(&round) { slow } else { 1.0 };
            RunExecution {
                program: program as usize,
                place: Place { round, position: at % 2 },
                at: start + SignedDuration::from_secs(i64::from(at)),
                value: Some(1e8 * (1.0 + 0.05 * f64::from(program)) * noise * host),
                counts: true,
                failed: false,
            }
        };
        RunExecutions {
            programs: Vec::new(),
            benchmarks: vec![RunBenchmark {
                benchmark: BenchmarkKey::plain("grind"),
                metric: Metric::built_in("wall").unwrap(),
                executions: (0..120).rev().map(one).collect(),
            }],
        }
    }

    #[test]
    fn a_slow_spell_is_named_with_its_times() {
        let speed = HostSpeed::of(&run(1.75));
        let [line] = speed.sentences.as_slice() else { panic!("{:?}", speed.sentences) };
        let share = line.strip_prefix("This host ran at ").and_then(|rest| {
            rest.strip_suffix(" % of its usual speed from 12:00:38.0 to 12:01:17.1.")?.parse().ok()
        });
        let share: f64 = share.unwrap_or_else(|| panic!("{line}"));
        assert!((share - 100.0 / 1.75).abs() < 2.0, "{line}");
        assert_eq!(speed.path.len(), 120);
        assert!((speed.path[60].1 - 1.0 / 1.75).abs() < 0.02, "{:?}", speed.path[60]);
        assert!((speed.path[5].1 - 1.0).abs() < 0.02, "{:?}", speed.path[5]);
    }

    #[test]
    fn an_even_host_is_said_to_be_even() {
        let mut even = run(1.0);
        // Without any order in time.
        for (at, it) in even.benchmarks[0].executions.iter_mut().enumerate() {
            let noise = ((at * 2_654_435_761) % 1000) as f64 / 1000.0;
            it.value = Some(1e8 * (1.0 + 0.02 * noise));
        }
        assert!(HostSpeed::of(&even).sentences[0].contains("was even"));
    }

    #[test]
    fn what_was_not_executed_in_turns_says_nothing() {
        let mut alone = run(1.5);
        alone.benchmarks[0].executions.retain(|it| it.program == 0);
        let none = HostSpeed::of(&alone);
        assert!(none.path.is_empty() && none.sentences[0].contains("too few"));
        assert!(HostSpeed::of(&RunExecutions::default()).path.is_empty());
    }
}
