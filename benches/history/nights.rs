//! Alerts as they come: a history judged again after each night.

use std::collections::BTreeMap;

use tacho_stats::history::{HistoryChange, HistoryVerdict, Origin};

/// How likely a change must be to be reported: anywhere, at the ends, as the newest revision.
const LEAST: [[f64; 3]; 9] = [
    [0.65, 0.65, 0.65],
    [0.65, 0.65, 0.8],
    [0.65, 0.8, 0.85],
    [0.7, 0.8, 0.85],
    [0.7, 0.85, 0.9],
    [0.75, 0.8, 0.85],
    [0.75, 0.85, 0.9],
    [0.8, 0.9, 0.9],
    [0.85, 0.9, 0.95],
];
/// So many revisions at either end are near it.
const NEAR: usize = 2;

/// Many histories, and what becomes of their changes by each of the rules.
#[derive(Default)]
pub struct Nights {
    rules: [Alerts; LEAST.len()],
    /// By the detector's own rule: all, and those that are said to be of the commit.
    own: [Alerts; 2],
    histories: usize,
    clear: usize,
}

/// What one rule comes to.
#[derive(Default)]
struct Alerts {
    /// Places that were reported so far in this history.
    known: Vec<usize>,
    /// When each of its true changes was reported first.
    first: BTreeMap<usize, usize>,
    all: usize,
    wrong: usize,
    /// Of changes that can be seen, those that were reported, and with how many revisions.
    delays: Vec<usize>,
}

impl Nights {
    /// One more night, with the true places of all changes.
    pub fn night(&mut self, verdict: &HistoryVerdict, newest: usize, truth: &[usize]) {
        for (alerts, least) in self.rules.iter_mut().zip(LEAST) {
            let all = verdict.changes.iter().chain(&verdict.unclear);
            let is_likely =
                |change: &&HistoryChange| change.probability >= needed(change, newest, least);
            alerts.night(all.filter(is_likely), newest, truth);
        }
        let [all, commits] = &mut self.own;
        all.night(verdict.changes.iter(), newest, truth);
        let is_commit = |change: &&HistoryChange| change.origin == Origin::Commit;
        commits.night(verdict.changes.iter().filter(is_commit), newest, truth);
    }

    /// Ends a history of which these changes can be seen.
    pub fn end(&mut self, clear: impl Iterator<Item = usize>) {
        let clear: Vec<usize> = clear.collect();
        (self.histories, self.clear) = (self.histories + 1, self.clear + clear.len());
        for alerts in self.rules.iter_mut().chain(&mut self.own) {
            let first = std::mem::take(&mut alerts.first);
            alerts.known.clear();
            let told =
                clear.iter().filter_map(|index| Some(first.get(index)?.saturating_sub(*index)));
            alerts.delays.extend(told);
        }
    }

    pub fn print(&self) {
        println!(
            "night by night, {} histories, {} changes to be seen:",
            self.histories, self.clear
        );
        println!(
            "| from | near an end | newest | alerts | false | share | found | \
             with one revision | two | three |"
        );
        println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (alerts, [any, end, newest]) in self.rules.iter().zip(LEAST) {
            println!("| {any} | {end} | {newest} | {} |", alerts.cells());
        }
        println!("| the detector's own | | | {} |", self.own[0].cells());
        println!("| of them as the commit's | | | {} |", self.own[1].cells());
    }
}

/// How likely this change must be.
fn needed(change: &HistoryChange, newest: usize, [any, end, last]: [f64; 3]) -> f64 {
    match newest - change.index {
        0 => last,
        age if age <= NEAR || change.index < NEAR => end,
        _ => any,
    }
}

impl Alerts {
    fn night<'a>(
        &mut self,
        reported: impl Iterator<Item = &'a HistoryChange>,
        newest: usize,
        truth: &[usize],
    ) {
        for change in reported {
            let is_near =
                |place: &usize| change.range.contains(place) || place.abs_diff(change.index) <= 1;
            if self.known.iter().any(is_near) {
                continue;
            }
            self.known.push(change.index);
            self.all += 1;
            match truth.iter().find(|index| is_near(index)) {
                Some(index) => _ = self.first.entry(*index).or_insert(newest),
                None => self.wrong += 1,
            }
        }
    }

    fn cells(&self) -> String {
        let share = 100.0 * self.wrong as f64 / self.all.max(1) as f64;
        let within = |most: usize| self.delays.iter().filter(|delay| **delay <= most).count();
        let [one, two, three] = [0, 1, 2].map(within);
        let Self { all, wrong, delays, .. } = self;
        format!("{all} | {wrong} | {share:.1} % | {} | {one} | {two} | {three}", delays.len())
    }
}
