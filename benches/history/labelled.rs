//! How good the detector of histories measured in rounds is on series whose changes are known.
//!
//! The file is JSON, one array: `{"samples": [[…]], "rounds": [[…]], "runs": [[…]], "truth":
//! {"family": "A", "changes": [{"index": 5, "z": 8.1, "left": 3, "right": 1, "log": 0.05}], …}}`; a
//! change is found where it is reported at its index.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tacho_stats::history::{
    HistoryExecution, HistoryVerdict, Origin, RunReading, is_judged_by, judge, readings,
};

use crate::nights::Nights;

/// Histories of many runs are judged again after each run up to this many revisions.
const REPLAYED: u64 = 45;

/// Prints how good the detector is on the series of this file; `odd` says which half of them, if
/// not all.
pub fn report(path: &Path, odd: Option<usize>) {
    let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut labelled = Labelled::default();
    for (number, series) in all.as_array().unwrap().iter().enumerate() {
        if odd.is_none_or(|odd| number % 2 == odd) && series.get("samples").is_some() {
            labelled.add(series);
        }
    }
    labelled.print();
}

/// Hits, and of how many.
type Share = (usize, usize);

/// What many series came to.
#[derive(Default)]
struct Labelled {
    counts: BTreeMap<String, Count>,
    recall: BTreeMap<String, Share>,
    calibration: BTreeMap<usize, Share>,
    covered: BTreeMap<String, Share>,
    nights: Nights,
}

/// A true change.
struct Label {
    index: usize,
    /// By how many of its standard errors.
    z: f64,
    /// How long the shorter of its levels is.
    side: u64,
    is_excursion: bool,
    effect: f64,
}

impl Label {
    fn of(change: &Value) -> Self {
        let count = |key: &str| change[key].as_u64().unwrap();
        Self {
            index: count("index") as usize,
            z: change["z"].as_f64().unwrap(),
            side: count("left").min(count("right")),
            is_excursion: change["excursion"] == true,
            effect: change["log"].as_f64().unwrap(),
        }
    }
}

impl Labelled {
    fn add(&mut self, series: &Value) {
        let truth = &series["truth"];
        let readings = executions(series);
        let verdict = judge(&readings);
        let labels: Vec<Label> =
            truth["changes"].as_array().unwrap().iter().map(Label::of).collect();
        let places: Vec<usize> = labels.iter().map(|label| label.index).collect();
        let (family, length) = (truth["family"].as_str().unwrap(), truth["n"].as_u64().unwrap());
        if family == "C" && length <= REPLAYED {
            replay(&readings, &places, &mut self.nights);
        }
        let is_short = family == "A" && length <= 12;
        for key in [family, "all"].into_iter().chain(is_short.then_some("A short")) {
            self.counts.entry(key.to_owned()).or_default().add(&verdict, &places);
        }
        for label in &labels {
            self.recalls(label, &verdict);
        }
        for change in verdict.changes.iter().chain(&verdict.unclear) {
            let is_true = places.iter().any(|place| change.range.contains(place));
            let said = (change.probability * 20.0).min(19.0) as usize;
            add(self.calibration.entry(said).or_default(), is_true);
        }
        let is_whole = places.len() == verdict.changes.len()
            && places.iter().all(|place| verdict.changes.iter().any(|c| c.index == *place));
        let luck = format!("tau {}", truth["tau"]);
        let keys = [
            "all".to_owned(),
            format!("{luck} found all {is_whole}"),
            luck,
            format!("found all {is_whole}"),
        ];
        for label in &labels {
            let found = verdict.changes.iter().find(|change| change.index == label.index);
            let Some((low, high)) = found.map(|change| change.interval) else { continue };
            for key in &keys {
                let is_inside = (low..=high).contains(&label.effect);
                add(self.covered.entry(key.clone()).or_default(), is_inside);
            }
        }
    }

    fn recalls(&mut self, label: &Label, verdict: &HistoryVerdict) {
        let hit = verdict.changes.iter().any(|change| change.index == label.index);
        let z = ["0-3", "3-4.5", "4.5-7", "7-15", "15-"];
        let z = z[[3.0, 4.5, 7.0, 15.0].iter().filter(|bound| label.z >= **bound).count()];
        let mut keys = vec![format!("side {}", label.side.min(3)), format!("z {z}")];
        if label.is_excursion && label.z >= 6.0 {
            keys.push("single, z 6".to_owned());
        }
        for key in keys {
            add(self.recall.entry(key).or_default(), hit);
        }
    }

    fn print(self) {
        for (key, count) in self.counts {
            count.print(&key);
        }
        let share = |(hits, all): Share| format!("{:.3} of {all}", hits as f64 / all as f64);
        for (key, hits) in self.recall {
            println!("recall {key}: {}", share(hits));
        }
        for (said, hits) in self.calibration {
            println!("said {:.3}: {}", said as f64 / 20.0 + 0.025, share(hits));
        }
        for (key, hits) in self.covered {
            println!("interval {key}: {}", share(hits));
        }
        self.nights.print();
    }
}

fn add(share: &mut Share, hit: bool) {
    *share = (share.0 + usize::from(hit), share.1 + 1);
}

/// Judges a history again after each of its runs.
fn replay(readings: &[RunReading], labels: &[usize], nights: &mut Nights) {
    let last = readings.iter().map(|one| one.run).max().unwrap_or(0);
    for run in 0..=last {
        let so_far: Vec<RunReading> =
            readings.iter().filter(|one| one.run <= run).cloned().collect();
        let newest = so_far.iter().map(|one| one.revision).max().unwrap_or(0);
        if is_judged_by(&so_far) {
            nights.night(&judge(&so_far), newest, labels);
        }
    }
    nights.end(labels.iter().copied());
}

fn executions(series: &Value) -> Vec<RunReading> {
    let mut runs: BTreeMap<u32, Vec<HistoryExecution>> = BTreeMap::new();
    let table = |key: &str, i: usize, j: usize| series[key][i][j].as_u64().unwrap() as u32;
    for (revision, samples) in series["samples"].as_array().unwrap().iter().enumerate() {
        for (at, sample) in samples.as_array().unwrap().iter().enumerate() {
            let round = table("rounds", revision, at);
            let one =
                HistoryExecution { revision, layout: 0, round, ln: sample.as_f64().unwrap().ln() };
            runs.entry(table("runs", revision, at)).or_default().push(one);
        }
    }
    runs.into_iter()
        .flat_map(|(run, mut executions)| {
            executions.sort_by_key(|one| one.round);
            readings(run, &executions)
        })
        .collect()
}

/// True and false reports, misses; series without a change, and those of them that are alarmed.
#[derive(Default)]
struct Count {
    hits: usize,
    alarms: usize,
    misses: usize,
    quiet: usize,
    alarmed: usize,
    blamed: usize,
}

impl Count {
    fn add(&mut self, verdict: &HistoryVerdict, labels: &[usize]) {
        if labels.is_empty() {
            self.quiet += 1;
            self.alarmed += usize::from(!verdict.changes.is_empty());
            self.blamed +=
                usize::from(verdict.changes.iter().any(|change| change.origin == Origin::Commit));
            return;
        }
        let hits = verdict.changes.iter().filter(|change| labels.contains(&change.index)).count();
        self.hits += hits;
        self.alarms += verdict.changes.len() - hits;
        self.misses += labels.len() - hits;
    }

    fn print(&self, key: &str) {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        println!(
            "{key}: P {:.3} R {:.3} F1 {:.3}, of {} without a change {:.3} alarmed, \
             {:.3} as the commit's",
            share(self.hits, self.hits + self.alarms),
            share(self.hits, self.hits + self.misses),
            share(2 * self.hits, 2 * self.hits + self.alarms + self.misses),
            self.quiet,
            share(self.alarmed, self.quiet),
            share(self.blamed, self.quiet)
        );
    }
}
