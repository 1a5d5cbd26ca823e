//! Every sample of a bisection with what was read of the host during it: the part of its page that
//! is long.

use std::collections::BTreeSet;

use maud::{Markup, html};
use tacho_record::bisection::{BisectionStep, HostReadings, StepResult};
use tacho_record::{Bisection, Metric};
use tacho_report::bisection::level;
use tacho_stats::BoundedValue;

use super::scrolling;
use crate::text::{count, time_of_day};

/// The samples in the order in which they were taken, folded.
pub(super) fn section(one: &Bisection, steps: &[BisectionStep]) -> Markup {
    let nothing = HostReadings::new();
    let mut rows: Vec<(&BisectionStep, BoundedValue, &HostReadings)> = Vec::new();
    for step in steps {
        let StepResult::Samples { values, limited, host, .. } = &step.seen else { continue };
        let row = |(at, value): (usize, &f64)| {
            (
                step,
                BoundedValue::least(*value, limited.contains(&at)),
                host.get(at).unwrap_or(&nothing),
            )
        };
        rows.extend(values.iter().enumerate().map(row));
    }
    let names = rows.iter().flat_map(|row| row.2.keys()).map(String::as_str);
    let names: BTreeSet<&str> =
        names.filter(|name| *name != "wall" && *name != one.asked.metric.name).collect();
    html! {
        @if !rows.is_empty() {
            section {
                h2 { "Samples" }
                details {
                    summary { (count(rows.len(), "sample"))
                        ", in the order in which they were taken" }
                    p.note { "Readings of the host cover the execution. If it took less than 10 \
                              ms, they cover executions before it, too." }
                    (scrolling("samples", &html! {
                        table.samples {
                            thead { tr {
                                th.num scope="col" { "step" }
                                th scope="col" { "time" }
                                th scope="col" { "commit" }
                                th.num scope="col" { (one.asked.metric.name) }
                                @for name in &names { th.num scope="col" { (name) } }
                            } }
                            tbody { @for (step, value, host) in &rows { tr {
                                td.num { (step.number) }
                                td { (time_of_day(step.at)) }
                                td { (short(one, &step.revision)) }
                                td.num { (value.shown(|value| level(one, value))) }
                                @for name in &names { td.num { (read(host, name)) } }
                            } } }
                        }
                    }))
                }
            }
        }
    }
}

fn short<'a>(one: &'a Bisection, revision: &'a str) -> &'a str {
    one.place(revision).map_or(revision, |place| one.candidates[place].revision.short())
}

/// A reading, if there is one.
fn read(host: &HostReadings, name: &str) -> String {
    let Some(value) = host.get(name) else { return String::new() };
    Metric::host(name)
        .or_else(|| Metric::known(name))
        .map_or_else(|| value.to_string(), |metric| metric.unit.show(*value))
}
