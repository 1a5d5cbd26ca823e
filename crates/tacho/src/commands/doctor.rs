//! `tacho doctor`: what this machine is, and what the instrument reads of itself.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::Instrument;
use tacho_experiment::run::disturbance::LOOK;
use tacho_experiment::run::noise::Noise;
use tacho_measure::{Executor, MeasureError, ProcessExecutor};
use tacho_record::{Host, Unit};
use tacho_stats::Summary;

use super::Exit;
use crate::cli::Doctor;
use crate::error::CliError;
use crate::output::{self, answer, table, text};

pub fn execute(command: &Doctor) -> Result<Exit, CliError> {
    let host = tacho_measure::host();
    let read = command.instrument.then(|| measure(command)).transpose()?;
    if command.json {
        output::print_json(&answer::versioned(DoctorAnswer::of(&host, command, read.as_ref())))?;
        return Ok(Exit::Success);
    }
    let mut shown = format!("{}\n\n{}", verdict(read.as_ref())?, facts(&host));
    if let Some(read) = &read {
        shown.push_str(&readings(&read.instrument, command.turns));
        let disturbed =
            |noise| format!("not quiet: {noise} right before; once it is, these will be smaller\n");
        shown.extend(read.noise.map(disturbed));
    }
    output::print(&shown)?;
    Ok(Exit::Success)
}

/// What the instrument read of itself, and what disturbed the host right before.
struct Readings {
    instrument: Instrument,
    noise: Option<Noise>,
}

/// Has the instrument measure itself, while nobody else measures on this host.
fn measure(command: &Doctor) -> Result<Readings, CliError> {
    let interrupt = tacho_measure::install_interrupt()?;
    let _lock = super::session::lock("tacho doctor", command.wait.then_some(&interrupt))?;
    let mut executor = ProcessExecutor::new(interrupt.clone());
    let noise = Noise::of_look(&executor.look(LOOK));
    Ok(Readings { instrument: Instrument::measure(&mut executor, command.turns)?, noise })
}

/// Turns that tell how far times vary: some 50 ms.
const TURNS: u32 = 21;
/// From this spread of the time of an empty program on, times are not steady.
const UNSTEADY: f64 = 0.1;

/// In a line whether this host can be trusted now, by what was read or by a short look.
fn verdict(read: Option<&Readings>) -> Result<String, CliError> {
    let own = match read {
        Some(_) => None,
        None => match measure(&Doctor { instrument: true, turns: TURNS, wait: false, json: false }) {
            Ok(read) => Some(read),
            Err(CliError::Measure(busy @ MeasureError::HostBusy { .. })) => {
                return Ok(format!("busy: {busy}"));
            }
            Err(error) => return Err(error),
        },
    };
    let Some(Readings { instrument, noise }) = read.or(own.as_ref()) else { return Ok(String::new()) };
    let spread = instrument.of_true.spread().unwrap_or(0.0);
    let varies = format!("times vary by {:.0} %", spread * 100.0);
    let advice = if text::has_callgrind() { "use cpu or callgrind" } else { "use cpu" };
    Ok(match noise {
        Some(noise) => format!("busy: {noise}; {varies}; {advice}"),
        None if spread >= UNSTEADY => format!("unsteady: nothing else is busy, and {varies}; {advice}"),
        None => format!("quiet: nothing else is busy; {varies}"),
    })
}

/// What the host is, a line a fact.
fn facts(host: &Host) -> String {
    let mut list = table::plain(&["host", &host.name], &[]);
    for (name, value) in &host.facts {
        list.add_row([name.strip_prefix("now.").unwrap_or(name), value]);
    }
    table::render(&list)
}

/// What the instrument read of itself.
fn readings(instrument: &Instrument, turns: u32) -> String {
    let time = |value: f64| Unit::Nanoseconds.show(value);
    let head = ["the instrument", "median", "95 %", "spread", "min", "max"];
    let mut list = table::plain(&head, &[1, 2, 3, 4, 5]);
    for (name, summary) in instrument.parts() {
        let interval = summary.interval.map(|(low, high)| format!("{} to {}", time(low), time(high)));
        let spread = summary.spread().map(text::percent);
        list.add_row([
            name.to_owned(),
            time(summary.median),
            interval.unwrap_or_default(),
            spread.unwrap_or_default(),
            time(summary.min),
            time(summary.max),
        ]);
    }
    format!(
        "\n{}\n{}, interleaved; the clock goes in steps of {} and takes {} to read\n",
        table::render(&list),
        text::count(turns as usize, "turn"),
        time(instrument.clock_step),
        time(instrument.clock_cost),
    )
}

/// The answer in JSON.
#[derive(Serialize)]
struct DoctorAnswer<'a> {
    host: &'a str,
    facts: &'a BTreeMap<String, String>,
    instrument: Option<InstrumentAnswer>,
}

/// What the instrument read of itself, in nanoseconds.
#[derive(Serialize)]
struct InstrumentAnswer {
    turns: u32,
    clock_step: f64,
    clock_cost: f64,
    empty_loop: Times,
    nothing: Times,
    r#true: Times,
    between: Times,
    disturbed: Option<String>,
}

/// A summary of times, in nanoseconds.
#[derive(Serialize)]
struct Times {
    median: f64,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    min: f64,
    max: f64,
}

impl From<&Summary> for Times {
    fn from(summary: &Summary) -> Self {
        let &Summary { median, interval, min, max, .. } = summary;
        Self { median, interval, spread: summary.spread(), min, max }
    }
}

impl<'a> DoctorAnswer<'a> {
    fn of(host: &'a Host, command: &Doctor, read: Option<&Readings>) -> Self {
        let instrument = read.map(|Readings { instrument, noise }| InstrumentAnswer {
            turns: command.turns,
            clock_step: instrument.clock_step,
            clock_cost: instrument.clock_cost,
            empty_loop: (&instrument.empty_loop).into(),
            nothing: (&instrument.nothing).into(),
            r#true: (&instrument.of_true).into(),
            between: (&instrument.between).into(),
            disturbed: noise.map(|noise| noise.to_string()),
        });
        Self { host: &host.name, facts: &host.facts, instrument }
    }
}
