//! The clock fixed low or high, for single executions.

use std::ops::Range;
use std::sync::Arc;

use tacho_machine::Root;
use tacho_machine::tune::{Alternation, TuneError, obstacle};
use tacho_record::{Disturbance, Probing};

const FOLDER: &str = "/sys/devices/system/cpu/cpufreq";

/// The clock of one state, ready to be set.
#[derive(Clone, Debug)]
pub struct ClockSetting {
    all: Arc<Alternation>,
    which: Range<usize>,
}

impl ClockSetting {
    /// Sets it, or says in one line why that cannot be done.
    pub fn make(&self) -> Result<(), String> {
        self.all.make(self.which.clone()).map_err(|error| error.to_string())
    }

    /// Puts back what was there.
    pub fn put_back(&self) {
        self.all.put_back(self.which.clone());
    }
}

/// Why the clock cannot be fixed here, if so.
pub fn no_frequency(root: &Root) -> Option<String> {
    let all = writes(root, false);
    if all.is_empty() {
        return Some(format!(
            "the kernel does not set the clock here ({FOLDER}/policy0 is missing)"
        ));
    }
    let refused = |(path, _): &(String, String)| {
        let opened = std::fs::OpenOptions::new().write(true).open(root.place(path));
        obstacle(root, path).or_else(|| opened.err().map(|why| format!("{path}: {why}")))
    };
    all.iter().find_map(refused)
}

/// The contents and files to write for that clock.
fn writes(root: &Root, high: bool) -> Vec<(String, String)> {
    let one = |policy: u32| {
        let path = |name: &str| format!("{FOLDER}/policy{policy}/{name}");
        let [low, top] = [path("scaling_min_freq"), path("scaling_max_freq")];
        // The lower limit at the upper one, or the other way round.
        let (to, from) = if high { (low, top) } else { (top, low) };
        Some((to, root.read(&from).ok()?))
    };
    root.numbered(FOLDER, "policy").into_iter().filter_map(one).collect()
}

/// The clock of each state of a probe that has one, by the number of its disturbance.
pub fn clocks(root: &Root, terms: &Probing) -> Result<Vec<(Disturbance, ClockSetting)>, TuneError> {
    let wanted: Vec<Disturbance> = (terms.under.iter().copied())
        .filter(|it| matches!(it, Disturbance::Frequency { .. }))
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (mut all, mut ranges) = (Vec::new(), Vec::new());
    for under in &wanted {
        let begin = all.len();
        all.extend(writes(root, *under == Disturbance::Frequency { high: true }));
        ranges.push(begin..all.len());
    }
    let all = Arc::new(Alternation::ready(root, &all)?);
    let one = |(under, which)| (under, ClockSetting { all: all.clone(), which });
    Ok(wanted.into_iter().zip(ranges).map(one).collect())
}
