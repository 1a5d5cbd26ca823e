//! The path of the host's speed while a run measured a benchmark, and what it was in words.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Unit;
use tacho_report::words::moved;
use tacho_stats::interleaved::{Fit, InterleavedExecution, MovementQuestion, Spell, spells};

use crate::RunBenchmark;
use crate::text::{count, day, time_of_day};

/// Fewer values of a program do not show what the host did.
const FEWEST: usize = 3;
/// Shorter spells are noise of single executions.
const LONG: usize = 5;
/// A spell is named where the speed differs from the usual one by this share.
const APART: f64 = 0.05;
/// The most spells that are named.
const NAMED: usize = 4;
/// Times of a spell with fewer seconds have tenths.
const BRIEF: i64 = 10;

/// The host's speed while a run measured a benchmark.
pub(crate) struct HostSpeed {
    /// In order of time: when an execution began, and the speed then, as a share of the usual one.
    pub(crate) path: Vec<(Timestamp, f64)>,
    /// The lead of the sentences, if they are only the largest of many spells.
    pub(crate) lead: Option<String>,
    /// The speed in words, one spell a sentence.
    pub(crate) sentences: Vec<String>,
}

/// An execution that takes part.
struct TimedExecution {
    at: Timestamp,
    program: usize,
    round: u32,
    value: f64,
}

impl HostSpeed {
    /// The host's speed during a benchmark's executions; `None` if its metric is no time. All its
    /// programs slow alike with the host; those of another benchmark may slow more or less.
    pub(crate) fn of(benchmark: &RunBenchmark) -> Option<Self> {
        if benchmark.metric.unit != Unit::Nanoseconds {
            return None;
        }
        let mut timed = timed(benchmark);
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for it in &timed {
            *sizes.entry(it.program).or_default() += 1;
        }
        sizes.retain(|_, size| *size >= FEWEST);
        timed.retain(|it| sizes.contains_key(&it.program));
        let numbers: BTreeMap<usize, usize> = sizes.into_keys().zip(0..).collect();
        let unknown = |why: String| Self { path: Vec::new(), lead: None, sentences: vec![why] };
        let execution = |it: &TimedExecution| InterleavedExecution {
            program: numbers[&it.program],
            round: it.round,
            value: it.value.ln(),
        };
        let executions: Vec<InterleavedExecution> = timed.iter().map(execution).collect();
        let fit = Fit::of(&executions, numbers.len()).filter(|_| numbers.len() > 1);
        Some(fit.map_or_else(
            || {
                unknown(
                    "There are too few executions of several programs in turn to show the \
                     host's speed."
                        .to_owned(),
                )
            },
            |fit| Self::fitted(&timed, &fit),
        ))
    }

    fn fitted(timed: &[TimedExecution], fit: &Fit) -> Self {
        let (lead, sentences) = sentences(timed, fit);
        if !fit.host_moves(MovementQuestion::Once) {
            // The rest is the noise of single executions.
            return Self { path: Vec::new(), lead, sentences };
        }
        let speeds = fit.path().into_iter().map(|slower| (-slower).exp());
        Self { path: timed.iter().map(|it| it.at).zip(speeds).collect(), lead, sentences }
    }
}

/// In order of time.
fn timed(benchmark: &RunBenchmark) -> Vec<TimedExecution> {
    let counted = benchmark.executions.iter().filter(|it| it.counts);
    let mut all: Vec<TimedExecution> = counted
        .filter_map(|it| {
            let value = it.value.filter(|value| *value > 0.0)?;
            let (at, program, round) = (it.at, it.program, it.place.round);
            Some(TimedExecution { at, program, round, value })
        })
        .collect();
    all.sort_by_key(|it| it.at);
    all
}

/// The lead, and the sentences.
fn sentences(timed: &[TimedExecution], fit: &Fit) -> (Option<String>, Vec<String>) {
    if !fit.host_moves(MovementQuestion::Once) {
        let unchanged = format!(
            "No change of the host's speed is seen in {}. One from each execution to the next \
             would not be seen.",
            count(timed.len(), "execution")
        );
        return (None, vec![unchanged]);
    }
    let mut named: Vec<Spell> =
        spells(&fit.rest, fit.usual, LONG).into_iter().filter(speed_differs).collect();
    if named.is_empty() {
        let by = moved(fit.uneven());
        let short =
            format!("The host's speed moved {by}, in spells that are too short for this list.");
        return (None, vec![short]);
    }
    let lead = (named.len() > NAMED).then(|| {
        let (by, spells) = (moved(fit.uneven()), named.len());
        format!("The host's speed moved {by}, in {spells} spells; the largest:")
    });
    // The ones with most weight, in order of time.
    named.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    named.truncate(NAMED);
    named.sort_by_key(|it| it.executions.start);
    (lead, named.iter().map(|it| sentence(timed, it)).collect())
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
    let is_brief = to.duration_since(from).as_secs() < BRIEF;
    let moment = |at| moment(at, timed[0].at, is_brief);
    let speed = format!("{:.0} %", 100.0 * (-spell.slower).exp());
    let [from, to] = [from, to].map(moment);
    let when = if from == to { format!("at {from}") } else { format!("from {from} to {to}") };
    format!("This host ran at {speed} of its usual speed {when}.")
}

/// A time of day; with its day if that is not the first one's.
fn moment(at: Timestamp, first: Timestamp, has_tenths: bool) -> String {
    let tenths =
        if has_tenths { format!(".{}", at.subsec_millisecond() / 100) } else { String::new() };
    let time = time_of_day(at) + &tenths;
    if day(at) == day(first) { time } else { format!("{} {time}", day(at)) }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use tacho_record::{BenchmarkKey, Metric, Place};

    use super::*;
    use crate::RunExecution;

    /// Two programs, one 5 % slower, in turns every `apart` milliseconds in 60 rounds; in rounds 20
    /// to 39 both take `slow` times as long.
    fn run(slow: f64, apart: i64) -> RunBenchmark {
        let start: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let one = |at: u32| {
            let (round, program) = (at / 2 + 1, (at + at / 2) % 2);
            let noise = 1.0 + 0.01 * f64::from(at * 7 % 5);
            let host = if (20..40).contains(&round) { slow } else { 1.0 };
            RunExecution {
                program: program as usize,
                place: Place { round, position: at % 2 },
                at: start + SignedDuration::from_millis(apart * i64::from(at)),
                value: Some(1e8 * (1.0 + 0.05 * f64::from(program)) * noise * host),
                counts: true,
                failed: false,
            }
        };
        RunBenchmark {
            benchmark: BenchmarkKey::plain("grind"),
            metric: Metric::built_in("wall").unwrap(),
            executions: (0..120).rev().map(one).collect(),
        }
    }

    fn speed_of(benchmark: &RunBenchmark) -> HostSpeed {
        HostSpeed::of(benchmark).unwrap()
    }

    #[test]
    fn a_slow_spell_is_named_with_its_times() {
        let speed = speed_of(&run(1.75, 1000));
        let [line] = speed.sentences.as_slice() else { panic!("{:?}", speed.sentences) };
        let share = line.strip_prefix("This host ran at ").and_then(|rest| {
            rest.strip_suffix(" % of its usual speed from 12:00:38 to 12:01:17.")?.parse().ok()
        });
        let share: f64 = share.unwrap_or_else(|| panic!("{line}"));
        assert!((share - 100.0 / 1.75).abs() < 2.0, "{line}");
        assert_eq!(speed.path.len(), 120);
        assert!((speed.path[60].1 - 1.0 / 1.75).abs() < 0.02, "{:?}", speed.path[60]);
        assert!((speed.path[5].1 - 1.0).abs() < 0.02, "{:?}", speed.path[5]);
    }

    #[test]
    fn times_of_a_brief_spell_have_tenths() {
        let [line] = &speed_of(&run(1.75, 10)).sentences[..] else { panic!() };
        assert!(line.ends_with(" from 12:00:00.3 to 12:00:00.9."), "{line}");
    }

    #[test]
    fn a_spell_within_a_tenth_of_a_second_has_one_time() {
        let mut brief = run(1.75, 1);
        for it in &mut brief.executions {
            it.value = it.value.map(|value| value / 1e3);
        }
        let [line] = &speed_of(&brief).sentences[..] else { panic!() };
        let at = line.split_once(" of its usual speed ").unwrap().1;
        assert!(at.starts_with("at 12:00:00.") && !at.contains(" to "), "{line}");
    }

    #[test]
    fn of_many_spells_the_largest_are_below_a_lead() {
        let mut many = run(1.0, 1000);
        for it in &mut many.executions {
            let slow = if (it.place.round / 6).is_multiple_of(2) { 1.75 } else { 1.0 };
            it.value = it.value.map(|value| value * slow);
        }
        let speed = speed_of(&many);
        let lead = speed.lead.unwrap();
        assert!(lead.ends_with(" spells; the largest:"), "{lead}");
        assert_eq!(speed.sentences.len(), NAMED);
    }

    #[test]
    fn only_times_have_a_path() {
        let memory = Metric::built_in("peak-memory").unwrap();
        assert!(HostSpeed::of(&RunBenchmark { metric: memory, ..run(1.75, 10) }).is_none());
    }

    #[test]
    fn an_even_host_shows_no_change_of_its_speed() {
        let mut even = run(1.0, 1000);
        // Without any order in time.
        for (at, it) in even.executions.iter_mut().enumerate() {
            let noise = ((at * 2_654_435_761) % 1000) as f64 / 1000.0;
            it.value = Some(1e8 * (1.0 + 0.02 * noise));
        }
        assert!(
            speed_of(&even).sentences[0].starts_with("No change of the host's speed is seen in ")
        );
    }

    #[test]
    fn what_was_not_executed_in_turns_says_nothing() {
        let mut alone = run(1.5, 1000);
        alone.executions.retain(|it| it.program == 0);
        let none = speed_of(&alone);
        assert!(none.path.is_empty() && none.sentences[0].contains("too few"));
    }
}
