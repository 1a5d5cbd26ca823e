//! The words of `tacho doctor`.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use tacho_experiment::noise_history::{self, HourNoise};
use tacho_experiment::self_comparison::{MINUTES, NoiseOfLength};
use tacho_machine::Facts;
use tacho_machine::doctor::{Diagnosis, FindingRemedy, Harm, MachineFinding};

use tacho_record::{KeptNoise, Unit};

use tacho_report::block::Tone;

use super::colour::toned;
use super::progress_log::ProgressLog;
use super::{COLUMNS, spark, table, terminal_width, text};

/// How far the text of a finding is from the margin.
const INDENT: usize = 8;

/// The findings, with a summary in one line.
pub fn diagnosis(diagnosis: &Diagnosis) -> String {
    let width = terminal_width().unwrap_or(COLUMNS);
    let findings: Vec<String> =
        diagnosis.findings.iter().map(|finding| one(finding, width)).collect();
    let all =
        if findings.is_empty() { String::new() } else { format!("\n{}", findings.join("\n")) };
    format!("{}\n{all}", fitness(diagnosis))
}

/// Whether the machine is fit, by the number of findings of each harm.
fn fitness(diagnosis: &Diagnosis) -> String {
    let counts = [Harm::High, Harm::Medium, Harm::Low].map(|harm| (diagnosis.count(harm), harm));
    let mut shown: Vec<String> = Vec::new();
    for (number, harm) in counts.into_iter().filter(|(number, _)| *number > 0) {
        let what =
            if shown.is_empty() { text::count(number, "finding") } else { number.to_string() };
        shown.push(format!("{what} of {} harm", harm.word()));
    }
    let tone = if counts[0].0 == 0 { Tone::Better } else { Tone::Worse };
    match shown.join(", ") {
        none if none.is_empty() => toned("machine: no known setting disturbs measurements", tone),
        shown => format!("{}: {shown}", toned("machine", tone)),
    }
}

fn one(finding: &MachineFinding, width: usize) -> String {
    let head = format!("{:<INDENT$}{}", finding.harm.word(), finding.what);
    let lines =
        [finding.effect.to_owned(), remedy(&finding.remedy), format!("source: {}", finding.source)];
    let indented = lines.iter().map(|line| paragraph(line, INDENT, width));
    std::iter::once(paragraph(&head, 0, width)).chain(indented).collect()
}

fn remedy(remedy: &FindingRemedy) -> String {
    match remedy {
        FindingRemedy::Advice(text) => format!("do: {text}"),
        FindingRemedy::Command(command) => format!("set: {command}"),
        FindingRemedy::Impossible(why) => format!("cannot be set here: {why}"),
        FindingRemedy::Tune { setting, by_hand } => {
            format!("set: tacho tune {setting} (by hand: {by_hand})")
        }
    }
}

/// A text in lines no longer than that, all but a first one without indent that far from the
/// margin.
fn paragraph(text: &str, indent: usize, width: usize) -> String {
    let folded = text::wrap(&format!("{}{text}", " ".repeat(indent)), Some(width));
    folded + "\n"
}

/// Draws on standard error how much of the time is spent; where it cannot draw, a line now and then
/// says so.
pub fn noise_progress(time: Duration, quiet: bool) -> (ProgressBar, Option<ProgressLog>) {
    let target =
        if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(4) };
    let bar = ProgressBar::with_draw_target(Some(time.as_secs()), target);
    if let Ok(style) = ProgressStyle::with_template("comparing {wide_bar} {pos} of {len} s") {
        bar.set_style(style);
    }
    let line = |bar: &ProgressBar| {
        format!("comparing: {} of {} s", bar.position(), bar.length().unwrap_or_default())
    };
    let log = if quiet { None } else { ProgressLog::start(&bar, line) };
    (bar, log)
}

/// The host's noise from programs compared with themselves, at this load average.
pub fn noise(all: &[NoiseOfLength], load: Option<f64>, before: &[KeptNoise]) -> String {
    let mut list = table::plain(
        &["program", "takes", "rounds", "in 1 min", "in 10 min", "in 60 min", "host moves"],
        &[1, 2, 3, 4, 5],
    );
    for found in all {
        let found_in = |minutes| {
            found
                .detectable(minutes)
                .map_or_else(|| "unknown".to_owned(), |it| format!("{:.2} %", it * 100.0))
        };
        let [one, ten, sixty] = MINUTES.map(found_in);
        let speed = match (found.moves, found.speeds.len()) {
            (false, _) => "no".to_owned(),
            (true, 0 | 1) => format!("by {:.0} %", found.uneven * 100.0),
            (true, times) => format!("by {:.0} %, {times} speeds", found.uneven * 100.0),
        };
        let takes = Unit::Nanoseconds.show(found.takes);
        list.add_row([
            found.program.clone(),
            takes,
            found.rounds.to_string(),
            one,
            ten,
            sixty,
            speed,
        ]);
    }
    let head = "the smallest change that a comparison finds here (with a chance of 80 %):\n\n";
    let busy = load.filter(|load| *load > BUSY).map(|load| {
        let text = "warning: the host was busy (load average {}): these numbers hold only for a \
                    host as busy as that";
        paragraph(&text.replace("{}", &format!("{load:.1}")), 0, COLUMNS)
    });
    let earlier = all.iter().map(|found| found.measurements - 1).max().unwrap_or_default();
    let pooled = match earlier {
        0 => String::new(),
        _ => format!(
            "from this measurement and {} at about this load\n",
            text::count(earlier, "earlier one")
        ),
    };
    let modes: String = all.iter().filter_map(modes).collect();
    let table = table::render(&list);
    let drift = drift(all);
    let unknown = unknown(all, drift.is_none(), before);
    let (drift, busy) = (drift.unwrap_or_default(), busy.unwrap_or_default());
    let past = past(before).unwrap_or_default();
    format!("{head}{table}\n{unknown}{pooled}{modes}{drift}{busy}{past}")
}

/// The results that a longer measurement would add, in one line.
fn unknown(all: &[NoiseOfLength], lacks_drift: bool, before: &[KeptNoise]) -> String {
    let lacks_forecast = all.iter().any(|found| found.forecast.is_none());
    let parts = [
        lacks_forecast.then_some("what is *unknown* above"),
        lacks_drift.then_some("the drift over minutes"),
        past(before).is_none().then_some("the noise over time"),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    let line = format!("too short to show {}; `--noise=5m` measures longer", parts.join(" or "));
    paragraph(&line, 0, COLUMNS)
}

/// Two times that a program takes in turn.
fn modes(found: &NoiseOfLength) -> Option<String> {
    let modes = found.modes?;
    let [low, high] = [modes.low, modes.high].map(|it| Unit::Nanoseconds.show(it));
    let share = modes.upper_share * 100.0;
    let text =
        format!("{} has two modes: {low}, and {high} in {share:.0} % of executions", found.program);
    Some(paragraph(&text, 0, COLUMNS))
}

/// How the level of the longest program moved from minute to minute.
fn drift(all: &[NoiseOfLength]) -> Option<String> {
    let (found, drift) = all.iter().rev().find_map(|it| Some((it, it.drift()?)))?;
    let levels: Vec<Option<f64>> = found.levels.iter().copied().map(Some).collect();
    let (minutes, program) = (text::count(found.levels.len(), "minute"), &found.program);
    let text = format!(
        "the level differs by {:.2} % from one minute to the next, by {:.2} % in all",
        drift.neighbours * 100.0,
        drift.range * 100.0
    );
    let line = spark::line(&levels, 40);
    Some(format!("drift over {minutes} ({program}): {line}\n{}", paragraph(&text, 2, COLUMNS)))
}

/// Above this load average others are at work.
const BUSY: f64 = 0.7;

/// The program whose past is shown.
const SHOWN: &str = noise_history::LOOP;
/// More hours of the day are not listed on either side.
const HOURS: usize = 3;
/// The note if the past is too short to be shown.
pub const NO_PAST: &str = "too few results yet: two measurements of 40 rounds are needed; `tacho \
     doctor --noise=5m` makes one\n";

/// The history of the host's noise, over time and by hour, and the accuracy of its forecasts.
pub fn past(all: &[KeptNoise]) -> Option<String> {
    let known = noise_history::over_time(all, SHOWN);
    let (first, _) = known.first().filter(|_| known.len() > 1)?;
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    let values: Vec<Option<f64>> = known.iter().map(|it| Some(it.1)).collect();
    let low = known.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
    let high = known.iter().map(|it| it.1).fold(0.0, f64::max);
    let head = format!(
        "smallest change that a comparison of 10 minutes finds, for the program `{SHOWN}` ({} \
         since {}): {} to {}",
        text::count(known.len(), "measurement"),
        text::moment(*first),
        percent(low),
        percent(high),
    );
    let mut out = format!("\n{}  {}\n", paragraph(&head, 0, COLUMNS), spark::line(&values, 60));
    let hours = noise_history::hours(all, SHOWN, &TimeZone::system());
    let named = |it: &HourNoise| format!("{:02} h {}", it.hour, percent(it.detectable));
    let list = |hours: &mut dyn Iterator<Item = &HourNoise>| {
        hours.take(HOURS).map(named).collect::<Vec<String>>().join(", ")
    };
    if hours.len() > 1 {
        let half = hours.len() / 2;
        out += &format!("good hours: {}\n", list(&mut hours[..half.max(1)].iter()));
        out += &format!("bad hours: {}\n", list(&mut hours[half.max(1)..].iter().rev()));
    }
    let missed = noise_history::missed(all, SHOWN);
    let right = missed.iter().filter(|it| it.abs() <= 0.3).count();
    if !missed.is_empty() {
        let text = format!(
            "forecasts of a next measurement with about the same load: {right} of {} within 30 %",
            missed.len()
        );
        out += &paragraph(&text, 0, COLUMNS);
    }
    Some(out)
}

/// Facts that are kept of a run, a line a fact.
pub fn named(facts: &std::collections::BTreeMap<String, String>) -> String {
    let width = facts.keys().map(String::len).max().unwrap_or_default() + 2;
    let columns = terminal_width().unwrap_or(COLUMNS);
    let line =
        |(name, fact): (&String, &String)| paragraph(&format!("{name:<width$}{fact}"), 0, columns);
    facts.iter().map(line).collect()
}

/// All facts, a line a fact; folded for a terminal, and whole for a program that reads them.
pub fn facts(Facts(facts): &Facts) -> String {
    let width = facts.keys().map(String::len).max().unwrap_or_default() + 2;
    let line = |(name, fact): (&String, &tacho_machine::Fact)| {
        text::wrap(&format!("{name:<width$}{fact}"), terminal_width()) + "\n"
    };
    facts.iter().map(line).collect()
}
