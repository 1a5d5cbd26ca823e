//! The changes of a history, and what they are.

use std::ops::RangeInclusive;

use super::choice::{ChangeCandidate, candidates};
use super::course::HistoryReadings;
use super::effect::{LevelsAround, Scatter, fits, levels, quantile};
use super::parts::{FoundHistory, HistoryParts, parts};
use super::posterior::Posterior;
use super::prior::Setting;
use super::readings::RunReading;
use super::state::Chances;
use super::{REPORTED, UNCLEAR};
use crate::robust::median_of;

/// The probabilities from which a change is reported: anywhere, near an end, at the newest
/// revision. The newest revision has one reading, which includes the luck of its build.
const IN_ONE_RUN: [f64; 3] = [REPORTED, REPORTED, 0.8];
/// A history of several runs is looked at after each of them, and what is ever reported is an
/// alert: of alerts at most 5 % are to be false.
const IN_SEVERAL_RUNS: [f64; 3] = [0.8, 0.9, 0.9];
/// The number of revisions that are near an end.
const NEAR_END: usize = 2;
/// A build alone that differs by less than this (a logarithm) may be luck, however clear it is.
const LUCKY: f64 = 0.1;
/// If this many reported changes are of builds alone,
const COMMON: usize = 3;
/// this many builds in a row may have the same luck.
const SEVERAL: usize = 3;

/// All that is known of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryVerdict {
    /// The changes that are reported, in order.
    pub changes: Vec<HistoryChange>,
    /// Places that may be changes, in order.
    pub unclear: Vec<HistoryChange>,
    /// The standard deviation of the luck of one build, as a logarithm.
    pub luck: f64,
    /// The standard deviation of the effects of runs; `None` if there is only one run.
    pub run: Option<f64>,
    /// The standard deviation of a reading by the noise of its samples.
    pub noise: f64,
    /// By how much the level wandered from the first to the last revision beside its changes, if it
    /// did (a logarithm).
    pub drift: Option<f64>,
    /// The parts of the readings: levels, effects of runs, luck of builds.
    pub parts: HistoryParts,
}

/// A change of the level, or a place that may be one. Levels are natural logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryChange {
    /// The first revision at the new level.
    pub index: usize,
    /// The revisions that may as well be the first.
    pub range: RangeInclusive<usize>,
    /// The probability of a change within the range.
    pub probability: f64,
    /// The level before.
    pub before: f64,
    /// The level after, less the one before.
    pub effect: f64,
    /// The 95 % interval of the effect.
    pub interval: (f64, f64),
    /// The origin of the change.
    pub origin: Origin,
    /// The most informative next measurement.
    pub settling: Settling,
}

/// The origin of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The commit.
    Commit,
    /// One build, which may be its layout alone: another layout would show it.
    Build,
}

/// The most informative next measurement for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Settling {
    /// More rounds of both revisions.
    Rounds,
    /// Both revisions in another layout.
    Layout,
    /// Both revisions in one run.
    Link,
}

/// Up to this many revisions are judged at once; of more, stretches of this length that overlap by
/// half.
const STRETCH: usize = 400;

/// Judges the readings of a history. Of the same readings it says the same.
///
/// Levels and variances that are not finite are left out; of several readings of a revision in one
/// run the first counts.
#[must_use]
pub fn judge(readings: &[RunReading]) -> HistoryVerdict {
    let mut usable: Vec<RunReading> = readings
        .iter()
        .filter(|one| one.level.is_finite() && one.variance.is_finite())
        .cloned()
        .collect();
    usable.sort_by_key(|one| (one.revision, one.run));
    usable.dedup_by_key(|one| (one.revision, one.run));
    let mut places: Vec<usize> = usable.iter().map(|one| one.revision).collect();
    places.dedup();
    let mut verdict = if places.len() <= STRETCH {
        judge_at_once(&usable)
    } else {
        judge_stretches(&usable, &places)
    };
    let changes: Vec<usize> = verdict.changes.iter().map(|change| change.index).collect();
    let (luck, run) = (verdict.luck, verdict.run.unwrap_or(0.0));
    verdict.parts = parts(&usable, &FoundHistory { changes: &changes, luck, run });
    verdict
}

/// Judges stretches of a long history that overlap.
fn judge_stretches(usable: &[RunReading], places: &[usize]) -> HistoryVerdict {
    let firsts = (0..places.len() - STRETCH / 2).step_by(STRETCH / 2);
    let stretches: Vec<HistoryVerdict> =
        firsts.map(|first| stretch(usable, places, first)).collect();
    let count = stretches.len() as f64;
    let mean = |of: fn(&HistoryVerdict) -> f64| stretches.iter().map(of).sum::<f64>() / count;
    let drift = stretches.iter().filter_map(|one| one.drift).sum::<f64>() / 2.0;
    HistoryVerdict {
        luck: mean(|one| one.luck),
        run: stretches
            .iter()
            .any(|one| one.run.is_some())
            .then(|| mean(|one| one.run.unwrap_or(0.0))),
        noise: mean(|one| one.noise),
        drift: stretches.iter().any(|one| one.drift.is_some()).then_some(drift),
        changes: stretches.iter().flat_map(|one| one.changes.clone()).collect(),
        unclear: stretches.into_iter().flat_map(|one| one.unclear).collect(),
        parts: HistoryParts::default(),
    }
}

/// A stretch of a long history, with the changes that are not nearer to the middle of another.
fn stretch(readings: &[RunReading], places: &[usize], first: usize) -> HistoryVerdict {
    let end = (first + STRETCH).min(places.len());
    let is_within = |one: &&RunReading| (places[first]..=places[end - 1]).contains(&one.revision);
    let within: Vec<RunReading> = readings.iter().filter(is_within).cloned().collect();
    let mut verdict = judge_at_once(&within);
    let from = if first == 0 { 0 } else { places[first + STRETCH / 4] };
    let to = if end == places.len() { usize::MAX } else { places[end - STRETCH / 4] };
    verdict.changes.retain(|change| (from..to).contains(&change.index));
    verdict.unclear.retain(|change| (from..to).contains(&change.index));
    verdict
}

fn judge_at_once(readings: &[RunReading]) -> HistoryVerdict {
    let course = HistoryReadings::of(readings);
    if course.places.len() < 2 {
        return HistoryVerdict::default();
    }
    let posterior = Posterior::of(&course);
    Judging { course: &course, posterior: &posterior }.verdict()
}

struct Judging<'a> {
    course: &'a HistoryReadings,
    posterior: &'a Posterior,
}

impl Judging<'_> {
    fn verdict(&self) -> HistoryVerdict {
        let all = candidates(self.posterior, UNCLEAR);
        let (reported, unclear): (Vec<ChangeCandidate>, Vec<ChangeCandidate>) =
            all.into_iter().partition(|one| one.probability >= self.needed(one));
        let mut changes: Vec<HistoryChange> = reported.iter().map(|one| self.change(one)).collect();
        self.mark_builds(&mut changes);
        let unclear: Vec<HistoryChange> = unclear.iter().map(|one| self.change(one)).collect();
        let wanders = self.posterior.mean(|setting| f64::from(setting.chances.walk > 0.0)) > 0.5;
        let verdict = HistoryVerdict {
            drift: wanders.then(|| self.drift(&changes)),
            changes,
            unclear,
            luck: self.posterior.mean(Setting::luck_variance).sqrt(),
            run: (self.course.open > 0)
                .then(|| self.posterior.mean(|setting| setting.chances.run).sqrt()),
            noise: self.noise(),
            parts: HistoryParts::default(),
        };
        self.placed(verdict)
    }

    /// How likely a change at this place must be to be reported.
    fn needed(&self, candidate: &ChangeCandidate) -> f64 {
        let [anywhere, near_end, newest] =
            if self.course.open > 0 { IN_SEVERAL_RUNS } else { IN_ONE_RUN };
        match self.course.places.len() - candidate.index {
            1 => newest,
            age if age <= NEAR_END + 1 || candidate.index < NEAR_END => near_end,
            _ => anywhere,
        }
    }

    fn change(&self, candidate: &ChangeCandidate) -> HistoryChange {
        let index = candidate.index;
        let sides = self.posterior.around(index);
        let at = |(first, end): (usize, usize), scatter: Scatter| {
            levels(&self.course.readings, (first, index, end), scatter)
        };
        let fits: Vec<(f64, LevelsAround)> = self
            .scatters()
            .into_iter()
            .flat_map(|(weight, scatter)| fits(&sides, weight, |ends| at(ends, scatter)))
            .collect();
        let mean = |of: fn(&LevelsAround) -> f64| {
            fits.iter().map(|(weight, fit)| weight * of(fit)).sum::<f64>()
        };
        let mixture: Vec<(f64, f64, f64)> =
            fits.iter().map(|(weight, fit)| (*weight, fit.effect, fit.variance)).collect();
        let likeliest = (sides[0][0].0, sides[1][0].0);
        HistoryChange {
            index,
            range: candidate.range.clone(),
            probability: candidate.probability,
            before: mean(|fit| fit.before),
            effect: mean(|fit| fit.effect),
            interval: (quantile(&mixture, 0.025), quantile(&mixture, 0.975)),
            origin: Origin::Commit,
            settling: self.settling(|scatter| at(likeliest, scatter)),
        }
    }

    /// The standard deviation of a reading by the noise of its samples.
    fn noise(&self) -> f64 {
        median_of(&self.course.readings.iter().map(|one| one.variance).collect::<Vec<_>>()).sqrt()
    }

    /// The sizes of luck and effects of runs that are likely, with their probabilities for
    /// intervals.
    fn scatters(&self) -> Vec<(f64, Scatter)> {
        let scatter = |(setting, weight): &(Setting, f64)| {
            let Chances { run, walk, .. } = setting.chances;
            let scatter = Scatter { luck: setting.luck_variance(), run, walk, noise: 1.0 };
            (weight * setting.caution(), scatter)
        };
        let all: Vec<(f64, Scatter)> = self.posterior.settings.iter().map(scatter).collect();
        let total: f64 = all.iter().map(|(weight, _)| weight).sum();
        all.into_iter().map(|(weight, scatter)| (weight / total, scatter)).collect()
    }

    /// The measurement that would help most: the part without which the variance of the effect
    /// would be smallest.
    fn settling(&self, at: impl Fn(Scatter) -> LevelsAround) -> Settling {
        let mean = Scatter {
            luck: self.posterior.mean(Setting::luck_variance),
            run: self.posterior.mean(|setting| setting.chances.run),
            walk: 0.0,
            noise: 1.0,
        };
        let without = [
            (Settling::Rounds, Scatter { noise: 1e-3, ..mean }),
            (Settling::Layout, Scatter { luck: 0.0, ..mean }),
            (Settling::Link, Scatter { run: 0.0, ..mean }),
        ];
        let left = without.map(|(settling, scatter)| (settling, at(scatter).variance));
        left.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(Settling::Rounds, |best| best.0)
    }

    /// Marks the changes that may be the luck of builds: of those alone, then of a few in a row
    /// where that is common.
    fn mark_builds(&self, changes: &mut [HistoryChange]) {
        for longest in [1, SEVERAL] {
            let alone = changes.iter().filter(|change| change.origin == Origin::Build).count();
            if longest > 1 && alone < COMMON {
                return;
            }
            let origins: Vec<Origin> =
                (0..changes.len()).map(|which| self.origin(changes, which, longest)).collect();
            for (change, origin) in changes.iter_mut().zip(origins) {
                change.origin = origin;
                if origin == Origin::Build {
                    change.settling = Settling::Layout;
                }
            }
        }
    }

    /// Whether a change begins or ends a small level of a few revisions, each with a single build.
    fn origin(&self, changes: &[HistoryChange], which: usize, longest: usize) -> Origin {
        let change = &changes[which];
        let next = changes.get(which + 1).map_or(self.course.places.len(), |next| next.index);
        let previous = if which == 0 { 0 } else { changes[which - 1].index };
        let is_short = |first: usize, end: usize| {
            end - first <= longest && (first..end).all(|at| self.is_one_build(at))
        };
        // The end of a level of builds alone belongs to them if the level comes back.
        let comes_back = which == 0 || {
            let before = &changes[which - 1];
            before.effect.abs() < LUCKY
                && (before.effect + change.effect).abs() < 0.5 * before.effect.abs()
        };
        let is_builds = change.effect.abs() < LUCKY
            && (is_short(change.index, next) || (is_short(previous, change.index) && comes_back));
        if is_builds { Origin::Build } else { Origin::Commit }
    }

    fn is_one_build(&self, revision: usize) -> bool {
        let builds = &self.course.builds[revision];
        builds.len() == 1 && builds[0].layouts < 2.0
    }

    /// From the first to the last revision beside the changes, by the first and the last quarter.
    fn drift(&self, changes: &[HistoryChange]) -> f64 {
        let length = self.course.places.len();
        let quarter = length.div_ceil(4);
        let level = |range: std::ops::Range<usize>| {
            let of = self.course.readings.iter().filter(|one| range.contains(&one.revision));
            median_of(&of.map(|one| one.level).collect::<Vec<_>>())
        };
        // The middles of both quarters are nearer to each other than both ends.
        let reach = (length - 1) as f64 / (length - quarter) as f64;
        let all = level(length - quarter..length) - level(0..quarter);
        reach * (all - changes.iter().map(|change| change.effect).sum::<f64>())
    }

    /// From counts of measured revisions to places in the history.
    fn placed(&self, mut verdict: HistoryVerdict) -> HistoryVerdict {
        let places = &self.course.places;
        for change in verdict.changes.iter_mut().chain(&mut verdict.unclear) {
            change.range = places[*change.range.start()]..=places[*change.range.end()];
            change.index = places[change.index];
        }
        verdict
    }
}
