//! What each comparison of a study said, a line of JSON each, and the tables that all of them add
//! up to.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One comparison.
#[derive(Debug, Serialize, Deserialize)]
pub struct Trial {
    /// `null` or `power`.
    pub study: String,
    /// `idle` or `loaded`.
    pub host: String,
    /// What was compared: a program, or by how many per cent B is slower.
    pub case: String,
    pub verdict: String,
    pub ratio: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// Which ratio decided, and how wide the intervals of all that may were where nothing differs;
    /// not in old ledgers.
    #[serde(default)]
    pub estimator: Option<String>,
    #[serde(default)]
    pub widths: Option<Value>,
    /// What the ratio really is, where that is known.
    pub truth: Option<f64>,
    /// Executions of A, of its control and of B, warmup left out.
    pub samples: u64,
    pub rounds: u64,
    pub seconds: f64,
    /// Whether a rank test of as many samples as there may be tells both apart; absent where it was
    /// not to be had.
    pub rank_test: Option<bool>,
    pub rank_test_seconds: Option<f64>,
}

impl Trial {
    /// From what `tacho compare --json` answered.
    pub fn of(
        answer: &Value,
        (study, host, case): (&str, &str, String),
        truth: Option<f64>,
        seconds: f64,
    ) -> Self {
        let row = &answer["rows"][0];
        let interval = |end: usize| row["interval"][end].as_f64();
        let rounds = row["rounds"].as_u64().unwrap_or_default();
        Self {
            study: study.to_owned(),
            host: host.to_owned(),
            case,
            verdict: row["verdict"].as_str().unwrap_or("failed").to_owned(),
            ratio: row["ratio"].as_f64(),
            interval: interval(0).zip(interval(1)),
            estimator: row["estimator"].as_str().map(str::to_owned),
            widths: row.get("widths").cloned(),
            truth,
            samples: if row["control"].is_null() { 2 } else { 3 } * rounds,
            rounds,
            seconds,
            rank_test: None,
            rank_test_seconds: None,
        }
    }

    fn is_detected(&self) -> bool {
        matches!(self.verdict.as_str(), "faster" | "slower")
    }

    /// Whether the interval has the truth in it.
    fn is_covered(&self) -> Option<bool> {
        self.interval.zip(self.truth).map(|((low, high), truth)| low <= truth && truth <= high)
    }
}

/// Adds a line to the file, at once: a slot may end at any time.
pub fn append(file: &Path, trial: &Trial) {
    let mut file = std::fs::File::options().create(true).append(true).open(file).unwrap();
    writeln!(file, "{}", serde_json::to_string(trial).unwrap()).unwrap();
}

/// All that the file has, of whatever slot.
pub fn read(file: &Path) -> Vec<Trial> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    // The last line of a slot that was killed may be cut.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A table for benches/results: a row for each case, and one for all of a host.
pub fn table(study: &str, trials: &[Trial]) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<&Trial>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.study == study) {
        groups.entry((&trial.host, &trial.case)).or_default().push(trial);
        if study == "null" {
            groups.entry((&trial.host, "~ all")).or_default().push(trial);
        }
    }
    let mut out = "| host | compared | trials | told to differ | same | interval has the truth | \
        rounds | executions | takes | rank test tells | takes \
        |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for ((host, case), trials) in groups {
        let _ = writeln!(out, "| {host} | {} | {} |", case.trim_start_matches("~ "), line(&trials));
    }
    out
}

fn line(trials: &[&Trial]) -> String {
    let share = |of: &dyn Fn(&Trial) -> Option<bool>| {
        let known: Vec<bool> = trials.iter().filter_map(|trial| of(trial)).collect();
        let right = known.iter().filter(|is| **is).count();
        if known.is_empty() {
            "–".into()
        } else {
            format!("{:.1} %", 100.0 * right as f64 / known.len() as f64)
        }
    };
    let mean = |of: &dyn Fn(&Trial) -> Option<f64>| {
        let known: Vec<f64> = trials.iter().filter_map(|trial| of(trial)).collect();
        if known.is_empty() {
            "–".into()
        } else {
            format!("{:.1}", known.iter().sum::<f64>() / known.len() as f64)
        }
    };
    [
        trials.len().to_string(),
        share(&|trial| Some(trial.is_detected())),
        share(&|trial| Some(trial.verdict == "same")),
        share(&Trial::is_covered),
        mean(&|trial| Some(trial.rounds as f64)),
        mean(&|trial| Some(trial.samples as f64)),
        mean(&|trial| Some(trial.seconds)) + " s",
        share(&|trial| trial.rank_test),
        mean(&|trial| trial.rank_test_seconds) + " s",
    ]
    .join(" | ")
}
