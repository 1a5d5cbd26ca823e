//! `tacho doctor`: whether this machine is fit, what it is, and what the instrument reads of
//! itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::Instrument;
use tacho_experiment::noise_history;
use tacho_experiment::run::quiet::LOOK;
use tacho_experiment::run::quiet_limits::{HostTrust, Noise};
use tacho_experiment::self_comparison::{self, MINUTES, NoiseOfLength};
use tacho_machine::doctor::Diagnosis;
use tacho_machine::{Facts, Root};
use tacho_measure::{Executor, MeasureError, ProcessExecutor};
use tacho_record::{Host, Unit};
use tacho_report::summary::SummaryText;
use tacho_stats::Summary;

use crate::cli::{DoctorArgs, GlobalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, answer, doctor, table, text};

pub fn execute(global: &GlobalArgs, command: &DoctorArgs) -> Result<Exit, CliError> {
    if command.past {
        return past(command);
    }
    if let Some(time) = &command.noise {
        return noise(command, tacho_record::duration(time)?, global.quiet);
    }
    let examined = ExaminedMachine::of(command)?;
    let read = command.instrument.then(|| measure(command)).transpose()?;
    if command.json {
        output::print_json(&answer::versioned(DoctorAnswer::of(
            &examined,
            command,
            read.as_ref(),
        )))?;
        return Ok(examined.exit(command));
    }
    let mut shown =
        if command.sysroot.is_none() { verdict(read.as_ref())? + "\n\n" } else { String::new() };
    shown += &match &read {
        Some(read) => with_noise(read, command.turns),
        None if command.facts => doctor::facts(&examined.facts),
        None => doctor::diagnosis(&examined.diagnosis),
    };
    output::print(&shown)?;
    Ok(examined.exit(command))
}

/// Compares programs with themselves for that long, while no other tacho measures on this host.
fn noise(command: &DoctorArgs, time: Duration, quiet: bool) -> Result<Exit, CliError> {
    let interrupt = tacho_measure::install_interrupt()?;
    let wait = command.wait.then_some(&*interrupt);
    let _lock = super::session::lock("tacho doctor --noise", wait)?;
    let mut executor = ProcessExecutor::new(interrupt.clone());
    let path = noise_file();
    let read = || noise_history::read(&path, &host_name()).map_err(CliError::reading(&path));
    let earlier = noise_history::additions_a_millisecond(&read()?);
    let seed = crate::commands::seed::random_seed();
    let load = noise_history::load();
    let (bar, log) = doctor::noise_progress(time, quiet);
    let found = self_comparison::measure(
        &mut executor,
        (time, earlier),
        seed,
        &interrupt,
        |spent: Duration| {
            bar.set_position(spent.as_secs());
        },
    )?;
    bar.finish_and_clear();
    drop(log);
    let kept =
        noise_history::kept(Timestamp::now(), host_name(), (time.as_secs_f64(), load), &found);
    noise_history::keep(&path, &kept).map_err(CliError::writing(&path))?;
    let before = read()?;
    let pooled = |found| noise_history::pooled(found, &before);
    let found: Vec<NoiseOfLength> = found.into_iter().map(pooled).collect();
    if command.json {
        let noise: Vec<NoiseAnswer> = found.iter().map(NoiseAnswer::of).collect();
        let answer = serde_json::json!({ "noise": noise, "past": before });
        output::print_json(&answer::versioned(answer))?;
    } else {
        output::print(&doctor::noise(&found, kept.load, &before))?;
    }
    Ok(Exit::Success)
}

/// The history of this host's noise.
fn past(command: &DoctorArgs) -> Result<Exit, CliError> {
    let path = noise_file();
    let before = noise_history::read(&path, &host_name()).map_err(CliError::reading(&path))?;
    if command.json {
        output::print_json(&answer::versioned(serde_json::json!({ "past": before })))?;
    } else if before.is_empty() {
        output::print("no earlier noise is known: `tacho doctor --noise` measures and keeps it\n")?;
    } else {
        let past = doctor::past(&before);
        output::print(past.as_deref().unwrap_or(doctor::NO_PAST).trim_start())?;
    }
    Ok(Exit::Success)
}

/// The name of this host that survives restarts.
fn host_name() -> String {
    tacho_machine::host().name
}

/// The file with the history of the host's noise.
fn noise_file() -> PathBuf {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".local/state"));
    let state = absolute("XDG_STATE_HOME").or_else(home).unwrap_or_else(std::env::temp_dir);
    state.join("tacho/noise.jsonl")
}

/// The host's noise from a program compared with itself, in JSON.
#[derive(Serialize)]
struct NoiseAnswer<'a> {
    program: &'a str,
    takes: f64,
    rounds: u32,
    detectable: BTreeMap<u32, Option<f64>>,
    measurements: usize,
    moves: bool,
    uneven: f64,
    speeds: &'a [f64],
    modes: Option<NoiseModesAnswer>,
    levels: &'a [f64],
    drift: Option<NoiseDriftAnswer>,
    additions: Option<f64>,
}

/// Two modes, in nanoseconds.
#[derive(Serialize)]
struct NoiseModesAnswer {
    low: f64,
    high: f64,
    upper_share: f64,
}

/// The distances between the levels of minutes, as shares.
#[derive(Serialize)]
struct NoiseDriftAnswer {
    neighbours: f64,
    range: f64,
}

impl<'a> NoiseAnswer<'a> {
    fn of(found: &'a NoiseOfLength) -> Self {
        Self {
            program: &found.program,
            takes: found.takes,
            rounds: found.rounds,
            detectable: MINUTES.map(|minutes| (minutes, found.detectable(minutes))).into(),
            measurements: found.measurements,
            moves: found.moves,
            uneven: found.uneven,
            speeds: &found.speeds,
            modes: found.modes.map(|it| NoiseModesAnswer {
                low: it.low,
                high: it.high,
                upper_share: it.upper_share,
            }),
            levels: &found.levels,
            drift: found
                .drift()
                .map(|it| NoiseDriftAnswer { neighbours: it.neighbours, range: it.range }),
            additions: found.additions,
        }
    }
}

/// A copy of a machine's files has something in one of these.
const SYSTEM: [&str; 2] = ["proc", "sys"];

/// The machine that is examined: this one, or another by its files.
struct ExaminedMachine {
    facts: Facts,
    diagnosis: Diagnosis,
}

impl ExaminedMachine {
    fn of(command: &DoctorArgs) -> Result<Self, CliError> {
        let (root, folder) = if let Some(folder) = &command.sysroot {
            std::fs::read_dir(folder).map_err(CliError::reading(folder))?;
            let holds = |name: &str| {
                std::fs::read_dir(folder.join(name)).is_ok_and(|mut files| files.next().is_some())
            };
            if !SYSTEM.into_iter().any(holds) {
                return Err(CliError::NoMachine { folder: folder.clone() });
            }
            (Root::of_folder(folder), "/".to_owned())
        } else {
            let folder = std::env::current_dir().map_err(CliError::NowhereHere)?;
            (Root::this_machine(), folder.to_string_lossy().into_owned())
        };
        let mut facts = Facts::read(&root, &folder);
        if command.facts {
            facts.add_tools(&root);
        }
        Ok(Self { facts, diagnosis: Diagnosis::of(&root, &folder) })
    }

    /// The status is that of the findings, where the question was for them.
    fn exit(&self, command: &DoctorArgs) -> Exit {
        let asked = !command.facts && !command.instrument;
        if asked && !self.diagnosis.is_fit() { Exit::Unfit } else { Exit::Success }
    }
}

/// The instrument's readings of itself, and the disturbance of the host right before.
struct DoctorReadings {
    instrument: Instrument,
    noise: Option<Noise>,
}

/// Has the instrument measure itself, while no other tacho measures on this host.
fn measure(command: &DoctorArgs) -> Result<DoctorReadings, CliError> {
    let interrupt = tacho_measure::install_interrupt()?;
    let _lock = super::session::lock("tacho doctor", command.wait.then_some(&interrupt))?;
    let mut executor = ProcessExecutor::new(interrupt.clone());
    let noise = Noise::of_look(&executor.look(LOOK));
    Ok(DoctorReadings { instrument: Instrument::measure(&mut executor, command.turns)?, noise })
}

/// Turns that show how far times vary: some 50 ms.
const TURNS: u32 = 21;

/// In a line whether this host can be trusted now, by what was read or by a short look; below it
/// how far times varied in that, and what to do if it cannot.
fn verdict(read: Option<&DoctorReadings>) -> Result<String, CliError> {
    let own = match read {
        Some(_) => None,
        None => match measure(&DoctorArgs {
            instrument: true,
            turns: TURNS,
            facts: false,
            wait: false,
            sysroot: None,
            noise: None,
            past: false,
            json: false,
        }) {
            Ok(read) => Some(read),
            Err(CliError::Measure(busy @ MeasureError::HostBusy { .. })) => {
                return Ok(format!("busy: {busy}"));
            }
            Err(error) => return Err(error),
        },
    };
    let Some(DoctorReadings { instrument, noise }) = read.or(own.as_ref()) else {
        return Ok(String::new());
    };
    let spread = instrument.of_true.spread().unwrap_or(0.0);
    let seen = format!(
        "`true`, executed {} just now: spread {:.0} %",
        text::count(instrument.of_true.n, "time"),
        spread * 100.0
    );
    let advice = if text::has_callgrind() {
        "hint: `tacho compare -m cpu` or `-m instructions=callgrind` varies less"
    } else {
        "hint: `tacho compare -m cpu` compares CPU time, which varies less"
    };
    Ok(match HostTrust::of(*noise, spread) {
        // A short look says no more than what it saw.
        HostTrust::Busy(noise) => format!("busy: {noise}\n{seen}\n{advice}"),
        HostTrust::Unsteady => {
            format!("unsteady: nothing else is busy, and yet times vary\n{seen}\n{advice}")
        }
        HostTrust::Quiet => format!("quiet now: nothing else is busy\n{seen}"),
    })
}

/// The instrument's readings of itself, and its disturbance.
fn with_noise(read: &DoctorReadings, turns: u32) -> String {
    let disturbed = |noise| {
        format!("not quiet: {noise} right before; these times are shorter on a quiet host\n")
    };
    readings(&read.instrument, turns) + &read.noise.map(disturbed).unwrap_or_default()
}

/// The instrument's readings of itself.
fn readings(instrument: &Instrument, turns: u32) -> String {
    let time = |value: f64| Unit::Nanoseconds.show(value);
    let head = ["the instrument", "median", "95 %", "spread", "min", "max"];
    let mut list = table::plain(&head, &[1, 2, 3, 4, 5]);
    for (name, summary) in instrument.parts() {
        let SummaryText { median, interval, spread, min, max, .. } =
            SummaryText::of(&Unit::Nanoseconds, Some(summary));
        list.add_row([name.to_owned(), median, interval, spread, min, max]);
    }
    format!(
        "{}\n{}, interleaved; the clock goes in steps of {} and takes {} to read\n",
        table::render(&list),
        text::count(turns as usize, "turn"),
        time(instrument.clock_step),
        time(instrument.clock_cost),
    )
}

/// The answer in JSON.
#[derive(Serialize)]
struct DoctorAnswer<'a> {
    host: String,
    facts: BTreeMap<String, String>,
    machine: &'a Facts,
    fit: bool,
    #[serde(flatten)]
    diagnosis: &'a Diagnosis,
    instrument: Option<InstrumentAnswer>,
}

/// The instrument's readings of itself, in nanoseconds.
#[derive(Serialize)]
struct InstrumentAnswer {
    turns: u32,
    clock_step: f64,
    clock_cost: f64,
    empty_loop: TimeSummary,
    nothing: TimeSummary,
    r#true: TimeSummary,
    between: TimeSummary,
    disturbed: Option<String>,
}

/// A summary of times, in nanoseconds.
#[derive(Serialize)]
struct TimeSummary {
    median: f64,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    min: f64,
    max: f64,
}

impl From<&Summary> for TimeSummary {
    fn from(summary: &Summary) -> Self {
        let &Summary { median, interval, min, max, .. } = summary;
        Self { median, interval, spread: summary.spread(), min, max }
    }
}

impl<'a> DoctorAnswer<'a> {
    fn of(
        examined: &'a ExaminedMachine,
        command: &DoctorArgs,
        read: Option<&DoctorReadings>,
    ) -> Self {
        let Host { name, facts } = match command.sysroot {
            Some(_) => {
                Host { name: examined.facts.0["host.name"].to_string(), facts: BTreeMap::new() }
            }
            None => tacho_machine::host(),
        };
        Self {
            host: name,
            facts,
            machine: &examined.facts,
            fit: examined.diagnosis.is_fit(),
            diagnosis: &examined.diagnosis,
            instrument: read.map(|read| InstrumentAnswer::of(read, command.turns)),
        }
    }
}

impl InstrumentAnswer {
    fn of(DoctorReadings { instrument, noise }: &DoctorReadings, turns: u32) -> Self {
        Self {
            turns,
            clock_step: instrument.clock_step,
            clock_cost: instrument.clock_cost,
            empty_loop: (&instrument.empty_loop).into(),
            nothing: (&instrument.nothing).into(),
            r#true: (&instrument.of_true).into(),
            between: (&instrument.between).into(),
            disturbed: noise.map(|noise| noise.to_string()),
        }
    }
}
