//! How good the detector is on series whose changes somebody has labelled.
//!
//! The file is JSON: an array, or an object whose `series` is one, of `{"values": […], "changes":
//! [{"i": 57}, …]}`, each `i` (or `index`) the first place of a new level; other keys are not read.
//! A series without changes counts for alarms only.

use std::path::Path;

use serde_json::Value;
use tacho_stats::changes::ledger::{self, Alert, AlertEvent, WithdrawalReason};
use tacho_stats::changes::{Options, SeriesValue, detect};

/// A change is found when it is told within so many values of its label.
const NEAR: usize = 2;
/// Within so many it is the same one, told at another place.
const SAME: usize = 10;
/// Replayed are series that are no longer than this,
const REPLAYED: usize = 300;
/// from so many values on.
const FROM: usize = 20;
/// A p value above this is not told of a series that is judged alone.
const TOLD: f64 = 0.05;

/// A labelled series.
pub struct Series {
    pub points: Vec<SeriesValue>,
    pub labels: Vec<usize>,
}

/// Prints how good the detector is on the series of this file; with `TACHO_REPLAY=0` not value by
/// value.
pub fn report(path: &Path) {
    let series = read(path);
    quality(&series);
    if std::env::var("TACHO_REPLAY").is_ok_and(|replay| replay == "0") {
        return;
    }
    let short: Vec<&Series> = series.iter().filter(|one| one.points.len() <= REPLAYED).collect();
    let mut replay = Replay::default();
    for one in &short {
        replay.add(one);
    }
    replay.print(short.len());
}

/// Prints how good the detector is on each of these series as a whole.
pub fn quality(series: &[Series]) {
    let mut quality = Quality::default();
    for one in series {
        quality.add(one);
    }
    quality.print(series);
}

fn read(path: &Path) -> Vec<Series> {
    let all: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let one = |series: &Value| {
        let values = series["values"].as_array().unwrap().iter();
        let labels = series["changes"].as_array().unwrap().iter();
        let place = |label: &Value| {
            let place = label.get("i").unwrap_or_else(|| &label["index"]);
            usize::try_from(place.as_u64().unwrap()).unwrap()
        };
        Series {
            points: values
                .map(|value| SeriesValue::of(value.as_f64().unwrap_or(f64::NAN)))
                .collect(),
            labels: labels.map(place).collect(),
        }
    };
    all.get("series").unwrap_or(&all).as_array().unwrap().iter().map(one).collect()
}

/// What is told of a series as a whole.
#[derive(Default)]
struct Quality {
    found: usize,
    told: usize,
    labels: usize,
    /// In series without a change.
    false_alarms: usize,
    alarmed: usize,
    /// How far off each is that is the same as a label.
    off: Vec<usize>,
}

impl Quality {
    fn add(&mut self, series: &Series) {
        let changes = detect(&series.points, &Options::default()).changes;
        let told: Vec<usize> =
            changes.iter().filter(|one| one.p <= TOLD).map(|one| one.index).collect();
        self.told += told.len();
        self.labels += series.labels.len();
        self.found += matched(&series.labels, &told, NEAR).len();
        self.off.extend(matched(&series.labels, &told, SAME));
        if series.labels.is_empty() {
            self.false_alarms += told.len();
            self.alarmed += usize::from(!told.is_empty());
        }
    }

    fn print(&self, all: &[Series]) {
        let unchanged: Vec<&Series> = all.iter().filter(|one| one.labels.is_empty()).collect();
        let values: usize = unchanged.iter().map(|one| one.points.len()).sum();
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        println!(
            "{} series, {} labels, {} series without",
            all.len(),
            self.labels,
            unchanged.len()
        );
        println!(
            "F1, alarms in series without labels counted: {:.4}",
            share(2 * self.found, self.told + self.labels)
        );
        println!(
            "precision {:.3}, recall {:.3}",
            share(self.found, self.told),
            share(self.found, self.labels)
        );
        println!(
            "false alarms of 1,000 values without change: {:.3}",
            1e3 * share(self.false_alarms, values)
        );
        println!(
            "series without change alarmed: {:.1} %",
            1e2 * share(self.alarmed, unchanged.len())
        );
        let exact = self.off.iter().filter(|off| **off == 0).count();
        println!("named exactly: {exact} of {}", self.labels);
        println!("error of the place: {:.3}", share(self.off.iter().sum(), self.off.len()));
    }
}

/// The distances of as many labels as can each have a change of its own within reach, both in
/// order.
fn matched(labels: &[usize], told: &[usize], reach: usize) -> Vec<usize> {
    // The most pairs, and of those the nearest, from each place on: as (pairs, distance).
    let width = told.len() + 1;
    let mut best = vec![(0_usize, 0_usize); (labels.len() + 1) * width];
    let better = |one: (usize, usize), other: (usize, usize)| {
        if (one.0, std::cmp::Reverse(one.1)) >= (other.0, std::cmp::Reverse(other.1)) {
            one
        } else {
            other
        }
    };
    let pair = |best: &[(usize, usize)], at: usize, to: usize| {
        let (pairs, distance) = best[(at + 1) * width + to + 1];
        let off = labels[at].abs_diff(told[to]);
        (off <= reach).then_some((pairs + 1, distance + off))
    };
    for at in (0..labels.len()).rev() {
        for to in (0..told.len()).rev() {
            let without = better(best[(at + 1) * width + to], best[at * width + to + 1]);
            best[at * width + to] =
                pair(&best, at, to).map_or(without, |with| better(with, without));
        }
    }
    let (mut at, mut to, mut off) = (0, 0, Vec::new());
    while at < labels.len() && to < told.len() {
        let here = best[at * width + to];
        if pair(&best, at, to) == Some(here) {
            off.push(labels[at].abs_diff(told[to]));
            (at, to) = (at + 1, to + 1);
        } else if best[(at + 1) * width + to] == here {
            at += 1;
        } else {
            to += 1;
        }
    }
    off
}

/// What is told while the series grow value by value.
#[derive(Default)]
struct Replay {
    labels: usize,
    alerts: usize,
    taken_back: usize,
    /// After how many values each label's change was a fact.
    delays: Vec<usize>,
}

impl Replay {
    fn add(&mut self, series: &Series) {
        let mut alerts: Vec<Alert> = Vec::new();
        let mut delays: Vec<Option<usize>> = vec![None; series.labels.len()];
        for length in FROM..=series.points.len() {
            let mut found = detect(&series.points[..length], &Options::default());
            found.scatter.clear();
            let known: Vec<usize> =
                ledger::known(&alerts, &found).iter().map(|one| one.index).collect();
            found.changes.retain(|one| one.p <= TOLD || known.contains(&one.index));
            let (after, events) = ledger::update(&alerts, &found, length);
            alerts = after;
            for event in events {
                match event {
                    AlertEvent::Confirmed { id } => {
                        self.alerts += 1;
                        let place = alerts
                            .iter()
                            .find(|alert| alert.id == id)
                            .map(|alert| alert.change.index);
                        note(&series.labels, &mut delays, place, length);
                    }
                    AlertEvent::Withdrawn { why: WithdrawalReason::NotSeen, .. } => {
                        self.taken_back += 1;
                    }
                    _ => {}
                }
            }
        }
        self.labels += series.labels.len();
        self.delays.extend(delays.into_iter().flatten());
    }

    fn print(mut self, series: usize) {
        self.delays.sort_unstable();
        let median = self.delays.get(self.delays.len() / 2);
        println!("value by value, {series} series of at most {REPLAYED} values:");
        println!(
            "alerts: {}, of which taken back: {:.3}",
            self.alerts,
            self.taken_back as f64 / self.alerts.max(1) as f64
        );
        println!("labels found: {} of {}", self.delays.len(), self.labels);
        println!(
            "values until it is told, median: {}",
            median.map_or("–".to_owned(), usize::to_string)
        );
    }
}

/// Notes how long the change of the nearest label took to become a fact.
fn note(labels: &[usize], delays: &mut [Option<usize>], place: Option<usize>, length: usize) {
    let Some(place) = place else { return };
    let nearest = labels.iter().enumerate().min_by_key(|(_, label)| label.abs_diff(place));
    if let Some((which, label)) = nearest.filter(|(_, label)| label.abs_diff(place) <= NEAR) {
        delays[which].get_or_insert(length - 1 - label.min(&(length - 1)));
    }
}
