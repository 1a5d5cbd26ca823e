//! A run: what it was, what it executed in order of time, and what the host did meanwhile.

use jiff::Timestamp;
use maud::{Markup, html};
use tacho_report::comparison::clauses::NO_NAMES;
use tacho_report::comparison::sentence;
use tacho_report::run;

use super::blocks::with_code;
use super::{PageFrame, facts, framed, revision_named};
use crate::schedule::{self, DrawnExecution, ScheduleFrame};
use crate::text::{count, grouped, minute};
use crate::view::{DisplayScale, HostSpeed, View};
use crate::{RunBenchmark, RunExecutions, RunProgram, RunRecord};

/// The list of more programs is folded.
const LISTED: usize = 12;

/// Writes the page of a run.
pub(crate) fn page(view: &View, record: &RunRecord, executed: &RunExecutions) -> Vec<u8> {
    let number = record.run.number;
    let title = format!("Run {number}");
    let times = times(executed);
    let content = html! {
        h1 { "Run " (number) ": " (with_code(&record.what)) }
        (summary(view, record))
        @if let Some(reference) = &record.reference { p.note { (sentence(reference, NO_NAMES)) } }
        (ways(view, "../", number))
        (super::probe::of_run(view, number))
        @if times.is_empty() {
            p.note { "It has no executions." }
        } @else {
            (programs(view, &executed.programs))
            @for one in executed.benchmarks.iter().filter(|one| !one.executions.is_empty()) {
                (benchmark(executed, one, &times))
            }
        }
        section {
            h2 { "How it was measured" }
            @if record.conditions.is_empty() {
                p.note { "Nothing is kept of the host's state." }
            } @else { (facts(&record.conditions)) }
            @if !record.run.plan.is_empty() {
                details { summary { "Plan" } pre { (record.run.plan) } }
            }
        }
        section {
            h2 { "See it again" }
            pre { "tacho show run:" (number) }
        }
    };
    framed(view, &PageFrame { title: &title, root: "../", active: "", scripts: &[] }, &content)
}

/// The links to the results of a run.
pub(super) fn ways(view: &View, root: &str, run: i64) -> Markup {
    html! {
        (super::comparison::of_run(view, root, run))
        (super::bisection::of_run(view, root, run))
        (super::layouts::of_run(view, root, run))
    }
}

/// When, where and how far it measured, in a paragraph.
pub(super) fn summary(view: &View, record: &RunRecord) -> Markup {
    let mut bisections = view.lab.bisections.iter().map(|one| &one.bisection);
    let bisection = bisections.find(|one| one.run == record.run.number);
    let clauses = run::summary(&record.run, bisection, &minute(record.run.started), record.took);
    html! { p { @for clause in clauses { (sentence(&clause, NO_NAMES)) " " } } }
}

/// When each execution began, in order.
fn times(executed: &RunExecutions) -> Vec<Timestamp> {
    let all = executed.benchmarks.iter().flat_map(|one| &one.executions);
    let mut times: Vec<Timestamp> = all.map(|it| it.at).collect();
    times.sort_unstable();
    times
}

/// The programs executed in turns, each with its colour.
fn programs(view: &View, programs: &[RunProgram]) -> Markup {
    let list = html! {
        ul.programs { @for (number, program) in programs.iter().enumerate() {
            li {
                @let colour = schedule::colour(number, programs.len());
                span.swatch style={ "background:" (colour) } {} " "
                @if !program.is_revision() { (program.name) " " }
                @if let Some(revision) = &program.revision {
                    (revision_named(view, "../", revision))
                    @if let Some(one) = view.revision(revision) { " " (one.revision.subject) }
                }
            }
        } }
    };
    html! {
        section {
            h2 { "What was executed" }
            @if programs.len() > LISTED {
                details { summary { (count(programs.len(), "program")) } (list) }
            } @else { (list) }
        }
    }
}

/// The executions of a benchmark as a picture.
fn benchmark(executed: &RunExecutions, one: &RunBenchmark, times: &[Timestamp]) -> Markup {
    let failed = one.executions.iter().filter(|it| it.failed).count();
    let mut values: Vec<f64> = one.executions.iter().filter_map(|it| it.value).collect();
    values.sort_by(f64::total_cmp);
    let scale =
        DisplayScale::of(&one.metric.unit, values.get(values.len() / 2).copied().unwrap_or(0.0));
    let name = one.metric.series_of(&one.benchmark);
    let label = format!("{name} of each execution in order of time");
    let frame = ScheduleFrame { times, label: &label };
    let executions: Vec<DrawnExecution> = one
        .executions
        .iter()
        .map(|it| DrawnExecution {
            at: it.at,
            value: it.value.filter(|_| !it.failed),
            counts: it.counts,
            colour: schedule::colour(it.program, executed.programs.len()),
            words: words(executed, one, it),
        })
        .collect();
    html! {
        section {
            h2 { (name) }
            figure.chart {
                (schedule::picture(&executions, &frame, &|it| scale.show(it)))
                figcaption {
                    (grouped(one.executions.len())) " executions in order of time. "
                    "Hollow: not summarised, such as warmup."
                    @if failed > 0 {
                        " Crosses at the bottom: "
                        (count(failed, "failed execution")) "."
                    }
                    @if schedule::has_pauses(times) { " A line: a pause in the run." }
                }
            }
            (host(one, times))
        }
    }
}

/// An execution in words: which, when, what.
fn words(executed: &RunExecutions, of: &RunBenchmark, it: &crate::RunExecution) -> String {
    let name = executed.programs.get(it.program).map_or("", |program| program.name.as_str());
    let round = match it.place.round {
        0 => "warmup".to_owned(),
        round => format!("round {round}"),
    };
    let value = match it.value {
        _ if it.failed => "failed".to_owned(),
        Some(value) => of.metric.unit.show(value),
        None => format!("no {}", of.metric.name),
    };
    format!("{name}, {round}, {}: {value}", crate::text::time_of_day(it.at))
}

/// The path of the host's speed.
fn host(one: &RunBenchmark, times: &[Timestamp]) -> Markup {
    html! {
        @if let Some(speed) = HostSpeed::of(one) {
            h3 { "The host's speed" }
            @if let Some(lead) = &speed.lead { p { (lead) } }
            @match speed.sentences.as_slice() {
                [one] => p { (one) },
                several => ul { @for one in several { li { (one) } } },
            }
            @if !speed.path.is_empty() {
                figure.chart {
                    (schedule::path(&speed.path, times))
                    figcaption {
                        "The host's speed as a share of its usual speed, estimated from all "
                        "programs of this benchmark: what executions next to each other have in \
                         common is "
                        "the host's."
                    }
                }
            }
        }
    }
}
