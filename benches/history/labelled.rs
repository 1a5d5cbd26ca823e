//! How good the detector of histories measured in rounds is on series whose changes are known.
//!
//! The file is JSON, one array: `{"samples": [[…]], "rounds": [[…]], "runs": [[…]], "truth":
//! {"family": "A", "changes": [{"index": 5, "z": 8.1, "left": 3, "right": 1, "log": 0.05}], …}}`; a
//! change is found where it is reported at its index.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tacho_stats::history::{HistoryExecution, HistoryVerdict, Origin, RunReading, judge, readings};

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

/// Prints how good the detector is on the series of this file; `odd` says which half of them, if
/// not all.
pub fn report(path: &Path, odd: Option<usize>) {
    let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut recall: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut calibration: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut covered: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (number, series) in all.as_array().unwrap().iter().enumerate() {
        if odd.is_some_and(|odd| number % 2 != odd) || series.get("samples").is_none() {
            continue;
        }
        let truth = &series["truth"];
        let verdict = judge(&executions(series));
        let labels: Vec<usize> = truth["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["index"].as_u64().unwrap() as usize)
            .collect();
        let family = truth["family"].as_str().unwrap();
        let mut keys = vec![family.to_owned(), "all".to_owned()];
        if family == "A" && truth["n"].as_u64().unwrap() <= 12 {
            keys.push("A short".to_owned());
        }
        for key in &keys {
            count(counts.entry(key.clone()).or_default(), &verdict, &labels);
        }
        for change in truth["changes"].as_array().unwrap() {
            let hit =
                verdict.changes.iter().any(|c| Some(c.index as u64) == change["index"].as_u64());
            let side = change["left"].as_u64().unwrap().min(change["right"].as_u64().unwrap());
            let z = change["z"].as_f64().unwrap();
            let mut keys = vec![
                format!("side {}", side.min(3)),
                format!(
                    "z {}",
                    if z < 3.0 {
                        "0-3"
                    } else if z < 4.5 {
                        "3-4.5"
                    } else if z < 7.0 {
                        "4.5-7"
                    } else if z < 15.0 {
                        "7-15"
                    } else {
                        "15-"
                    }
                ),
            ];
            if change["excursion"] == true && z >= 6.0 {
                keys.push("single, z 6".to_owned());
            }
            for key in keys {
                let entry = recall.entry(key).or_default();
                *entry = (entry.0 + usize::from(hit), entry.1 + 1);
            }
        }
        for change in verdict.changes.iter().chain(&verdict.unclear) {
            let entry =
                calibration.entry((change.probability * 20.0).min(19.0) as usize).or_default();
            let exact = labels.iter().any(|label| change.range.contains(label));
            *entry = (entry.0 + usize::from(exact), entry.1 + 1);
        }
        for change in &verdict.changes {
            let Some(label) = truth["changes"]
                .as_array()
                .unwrap()
                .iter()
                .find(|c| c["index"].as_u64() == Some(change.index as u64))
            else {
                continue;
            };
            let effect = label["log"].as_f64().unwrap();
            let inside = change.interval.0 <= effect && effect <= change.interval.1;
            let found_all = labels.iter().all(|l| verdict.changes.iter().any(|c| c.index == *l))
                && verdict.changes.len() == labels.len();
            for key in [
                "all".to_owned(),
                format!("tau {}", truth["tau"]),
                format!("tau {} found all {}", truth["tau"], found_all),
                format!("found all {found_all}"),
            ] {
                let entry = covered.entry(key).or_default();
                *entry = (entry.0 + usize::from(inside), entry.1 + 1);
            }
        }
    }
    for (key, count) in counts {
        count.print(&key);
    }
    for (key, (hits, all)) in recall {
        println!("recall {key}: {:.3} of {all}", hits as f64 / all as f64);
    }
    for (key, (hits, all)) in calibration {
        println!("said {:.3}: {:.3} of {all}", key as f64 / 20.0 + 0.025, hits as f64 / all as f64);
    }
    for (key, (hits, all)) in covered {
        println!("interval {key}: {:.3} of {all}", hits as f64 / all as f64);
    }
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

fn count(count: &mut Count, verdict: &HistoryVerdict, labels: &[usize]) {
    if labels.is_empty() {
        count.quiet += 1;
        count.alarmed += usize::from(!verdict.changes.is_empty());
        count.blamed +=
            usize::from(verdict.changes.iter().any(|change| change.origin == Origin::Commit));
        return;
    }
    let hits = verdict.changes.iter().filter(|change| labels.contains(&change.index)).count();
    count.hits += hits;
    count.alarms += verdict.changes.len() - hits;
    count.misses += labels.len() - hits;
}

impl Count {
    fn print(&self, key: &str) {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        println!(
            "{key}: P {:.3} R {:.3} F1 {:.3}, of {} without a change {:.3} alarmed, {:.3} as the \
             commit's",
            share(self.hits, self.hits + self.alarms),
            share(self.hits, self.hits + self.misses),
            share(2 * self.hits, 2 * self.hits + self.alarms + self.misses),
            self.quiet,
            share(self.alarmed, self.quiet),
            share(self.blamed, self.quiet)
        );
    }
}
