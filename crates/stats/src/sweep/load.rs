//! The highest load that keeps a limit, by the rules of `MLRsearch` (RFC 9971).
//!
//! A trial at a load is good when it keeps the limit. Trials may differ, so a goal says how many
//! seconds of trials decide on a load, and which share of them may break the limit (the exceed
//! ratio). A load is then a lower bound, an upper bound, or undecided. The relevant lower bound is
//! the highest lower bound below all upper bounds. The load that was really carried at that share
//! of its trials is reported with it.
//!
//! Loads are places in a grid of rising loads. The search goes through phases: first one trial
//! decides on a load, then the whole goal, so that loads far from the answer cost one trial each.

use crate::distribution::beta_below;

/// A trial that took place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadTrial {
    /// The load's place in the grid.
    pub load: usize,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether the trial kept the limit.
    pub is_good: bool,
    /// The load that the trial really carried, if known, in any unit.
    pub received: Option<f64>,
}

/// The criterion for a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadGoal {
    /// Seconds of trials that decide on a load at least.
    pub duration_sum: f64,
    /// The share of these that may break the limit.
    pub exceed_ratio: f64,
    /// Upper and lower bound are near enough when they are this far apart in the grid.
    pub width: usize,
}

/// The verdict of trials on a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadVerdict {
    /// The load keeps the limit, whatever more trials would show.
    Lower,
    /// The load breaks the limit, whatever more trials would show.
    Upper,
    /// More trials would decide.
    Undecided,
}

impl LoadGoal {
    /// RFC 9971, appendix A, for trials of full length.
    #[must_use]
    pub fn classify(&self, trials: &[LoadTrial], load: usize) -> LoadVerdict {
        let of_load = || trials.iter().filter(|trial| trial.load == load);
        let sum = |is_good: bool| -> f64 {
            of_load().filter(|trial| trial.is_good == is_good).map(|trial| trial.seconds).sum()
        };
        let (good, bad) = (sum(true), sum(false));
        let whole = (good + bad).max(self.duration_sum);
        let allowed = whole * self.exceed_ratio;
        // Durations are measured: rounding must not decide.
        let is_within = |seconds: f64| seconds <= allowed + 1e-9 * whole;
        match (is_within(bad), is_within(whole - good)) {
            (_, true) => LoadVerdict::Lower,
            (false, _) => LoadVerdict::Upper,
            (true, false) => LoadVerdict::Undecided,
        }
    }
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOutcome {
    /// The highest load of the grid keeps the limit.
    AllKeep,
    /// The first keeps the limit and the second, next to it, breaks it.
    Between(usize, usize),
    /// The lowest load of the grid breaks the limit.
    NoneKeeps,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadStep {
    /// Make a trial at the load of this place.
    Try(usize),
    /// The search has ended.
    Done(LoadOutcome),
}

/// A search for the highest load that keeps a limit.
#[derive(Clone, Debug)]
pub struct LoadSearch {
    loads: usize,
    goal: LoadGoal,
    trials: Vec<LoadTrial>,
}

impl LoadSearch {
    /// A search in a grid of this many loads, at least one.
    #[must_use]
    pub fn new(loads: usize, goal: LoadGoal) -> Self {
        Self { loads: loads.max(1), goal, trials: Vec::new() }
    }

    /// Takes a trial.
    pub fn observe(&mut self, trial: LoadTrial) {
        self.trials.push(trial);
    }

    /// The trials so far.
    #[must_use]
    pub fn trials(&self) -> &[LoadTrial] {
        &self.trials
    }

    /// The next step.
    #[must_use]
    pub fn next_step(&self) -> LoadStep {
        // One trial alone decides first; its bounds are where the whole goal is asked.
        let quick = LoadGoal { duration_sum: 0.0, ..self.goal };
        match self.step(&quick, None) {
            LoadStep::Done(outcome) => self.step(&self.goal, Some(outcome)),
            trial @ LoadStep::Try(_) => trial,
        }
    }

    /// The next trial of a phase; `before` is what the phase before it found.
    fn step(&self, goal: &LoadGoal, before: Option<LoadOutcome>) -> LoadStep {
        let last = self.loads - 1;
        let upper = (0..self.loads).find(|load| self.is(goal, *load, LoadVerdict::Upper));
        let below = upper.unwrap_or(self.loads);
        let lower = (0..below).rev().find(|load| self.is(goal, *load, LoadVerdict::Lower));
        let (hint_low, hint_high) = match before {
            None => (0, last),
            Some(LoadOutcome::Between(low, high)) => (low, high),
            Some(LoadOutcome::AllKeep) => (last, last),
            Some(LoadOutcome::NoneKeeps) => (0, 0),
        };
        let width = goal.width.max(1);
        match (lower, upper) {
            (None, Some(0)) => LoadStep::Done(LoadOutcome::NoneKeeps),
            (Some(lower), None) if lower == last => LoadStep::Done(LoadOutcome::AllKeep),
            (Some(lower), Some(upper)) if upper - lower <= width => {
                LoadStep::Done(LoadOutcome::Between(lower, upper))
            }
            (Some(lower), Some(upper)) => LoadStep::Try(self.between(lower, upper)),
            (None, None) => LoadStep::Try(hint_high),
            // The hint broke the limit after all: further down by twice as much each time.
            (None, Some(upper)) => LoadStep::Try(if hint_low < upper {
                hint_low
            } else {
                upper.saturating_sub(self.stride(hint_low, upper, width))
            }),
            (Some(lower), None) => LoadStep::Try(if hint_high > lower {
                hint_high
            } else {
                (lower + self.stride(lower, hint_high, width)).min(last)
            }),
        }
    }

    /// The load between two, undecided ones first: what has trials already is decided sooner.
    fn between(&self, lower: usize, upper: usize) -> usize {
        let begun = self
            .trials
            .iter()
            .map(|trial| trial.load)
            .filter(|load| *load > lower && *load < upper);
        let is_open = |load: &usize| self.is(&self.goal, *load, LoadVerdict::Undecided);
        let middle = usize::midpoint(lower, upper);
        begun.filter(is_open).min_by_key(|load| load.abs_diff(middle)).unwrap_or(middle)
    }

    fn is(&self, goal: &LoadGoal, load: usize, verdict: LoadVerdict) -> bool {
        self.trials.iter().any(|trial| trial.load == load)
            && goal.classify(&self.trials, load) == verdict
    }

    /// How far to go on outward: the width, and twice as far as the hint is away already.
    fn stride(&self, one: usize, other: usize, width: usize) -> usize {
        (2 * one.abs_diff(other)).max(width).min(self.loads)
    }

    /// The load that was really carried: the quantile of its trials at the exceed ratio, without
    /// the worst ones (RFC 9971, appendix B, by the received load).
    #[must_use]
    pub fn received(&self, load: usize) -> Option<f64> {
        let of_load = self.trials.iter().filter(|trial| trial.load == load);
        let mut carried: Vec<(f64, f64)> =
            of_load.filter_map(|trial| Some((trial.received?, trial.seconds))).collect();
        carried.sort_by(|one, other| other.0.total_cmp(&one.0));
        let all: f64 = carried.iter().map(|(_, seconds)| seconds).sum();
        let mut remaining = all * (1.0 - self.goal.exceed_ratio);
        let mut quantile = None;
        for (received, seconds) in carried {
            if quantile.is_some() && remaining <= 1e-9 * all {
                break;
            }
            quantile = Some(received);
            remaining -= seconds;
        }
        quantile
    }

    /// How many trials there were at a load, and how many of them kept the limit.
    #[must_use]
    pub fn kept(&self, load: usize) -> (usize, usize) {
        let of_load = || self.trials.iter().filter(|trial| trial.load == load);
        (of_load().filter(|trial| trial.is_good).count(), of_load().count())
    }
}

/// The share of trials that keep the limit at least, with 95 % confidence, where `kept` of `all`
/// did (Clopper & Pearson, Biometrika 26, 1934).
#[must_use]
pub fn kept_at_least(kept: usize, all: usize) -> f64 {
    if kept == 0 || kept > all {
        return 0.0;
    }
    let above = |share: f64| beta_below(share, kept as f64, (all - kept + 1) as f64);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let half = f64::midpoint(low, high);
        if above(half) < 0.05 { low = half } else { high = half }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: LoadGoal = LoadGoal { duration_sum: 7.0, exceed_ratio: 0.5, width: 1 };

    fn trials(good: u32, bad: u32) -> Vec<LoadTrial> {
        let one = |is_good| LoadTrial { load: 0, seconds: 1.0, is_good, received: None };
        (0..good).map(|_| one(true)).chain((0..bad).map(|_| one(false))).collect()
    }

    #[test]
    fn loads_are_classified_as_the_rfc_has_it() {
        use LoadVerdict::{Lower, Undecided, Upper};
        for ((good, bad), verdict) in [
            ((0, 0), Undecided),
            ((3, 0), Undecided),
            ((4, 0), Lower),
            ((4, 3), Lower),
            ((3, 3), Undecided),
            ((0, 4), Upper),
            ((3, 4), Upper),
            ((5, 5), Lower),
        ] {
            assert_eq!(GOAL.classify(&trials(good, bad), 0), verdict, "{good} good, {bad} bad");
        }
        // RFC 2544 allows no trial at all to break the limit.
        let strict = LoadGoal { exceed_ratio: 0.0, ..GOAL };
        assert_eq!(strict.classify(&trials(6, 1), 0), Upper);
        assert_eq!(strict.classify(&trials(6, 0), 0), Undecided);
        assert_eq!(strict.classify(&trials(7, 0), 0), Lower);
    }

    /// What a search finds, and after how many trials.
    fn found(loads: usize, mut is_good: impl FnMut(usize) -> bool) -> (LoadOutcome, usize) {
        let mut search = LoadSearch::new(loads, GOAL);
        loop {
            match search.next_step() {
                LoadStep::Done(outcome) => return (outcome, search.trials().len()),
                LoadStep::Try(load) => {
                    let is_good = is_good(load);
                    search.observe(LoadTrial { load, seconds: 1.0, is_good, received: None });
                    assert!(search.trials().len() < 1000, "{:?}", &search.trials()[980..]);
                }
            }
        }
    }

    #[test]
    fn a_sharp_limit_is_found_in_few_trials() {
        for limit in [0, 1, 17, 500, 998] {
            let (outcome, trials) = found(1000, |load| load <= limit);
            assert_eq!(outcome, LoadOutcome::Between(limit, limit + 1));
            assert!(trials <= 20, "{limit}: {trials}");
        }
        assert_eq!(found(1000, |_| true).0, LoadOutcome::AllKeep);
        assert_eq!(found(1000, |_| false).0, LoadOutcome::NoneKeeps);
        assert_eq!(found(1, |_| true).0, LoadOutcome::AllKeep);
    }

    #[test]
    fn one_bad_trial_far_below_the_limit_does_not_decide() {
        for unlucky in 0..12 {
            let mut number = 0;
            let (outcome, _) = found(1000, |load| {
                number += 1;
                load <= 700 && number != unlucky
            });
            assert_eq!(outcome, LoadOutcome::Between(700, 701), "trial {unlucky}");
        }
    }

    #[test]
    fn what_was_received_is_a_quantile_of_full_trials() {
        let mut search = LoadSearch::new(1, GOAL);
        for received in [90.0, 99.0, 100.0, 98.0] {
            let is_good = received > 95.0;
            search.observe(LoadTrial { load: 0, seconds: 1.0, is_good, received: Some(received) });
        }
        assert_eq!(search.received(0), Some(99.0));
        assert_eq!(search.kept(0), (3, 4));
        assert_eq!(search.received(1), None);
    }

    #[test]
    fn the_share_that_keeps_a_limit_is_bounded() {
        // 0.05^(1/n) where all did.
        assert!((kept_at_least(5, 5) - 0.5493).abs() < 1e-3);
        assert!((kept_at_least(9, 10) - 0.6058).abs() < 1e-3);
        assert_eq!(kept_at_least(0, 4), 0.0);
    }
}
