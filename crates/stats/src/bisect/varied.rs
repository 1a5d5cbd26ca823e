//! The belief if builds of the same program may differ by an unknown amount.
//!
//! The levels of the builds of one side show how much builds vary. A step must exceed this
//! variation.

use super::belief::RangeBelief;
use super::filter::{KalmanFilter, Tail};
use super::levels::{BisectLevels, LevelPosterior};
use super::location::{CauseLocation, locations};
use super::noise::{NONE, own_scale};
use super::record::Record;
use super::rules::{BisectionRules, NOTHING, SURE, ValueKind};

/// The belief.
pub(super) struct VariedBelief {
    by_builds: BuildsBelief,
    /// The belief from the samples, as if builds did not vary.
    by_samples: LevelPosterior,
}

impl VariedBelief {
    /// Of this range, where one step may be as large as this; of a metric.
    pub(super) fn of(
        belief: &RangeBelief,
        step: f64,
        record: &Record,
        rules: &BisectionRules,
    ) -> Option<Self> {
        let RangeBelief::Levels(levels) = belief else { return None };
        if levels.tested.is_empty() {
            return None;
        }
        let seen = VariedSeen::of(levels, record, rules);
        let wanted = if record.is_exact(rules) { SURE } else { LIKELY };
        let by_builds = BuildsBelief::of(&seen, levels, step, wanted, record, rules);
        Some(Self { by_builds, by_samples: levels.posterior() })
    }

    /// How likely the change is to be right before this tested revision, if that is enough to name
    /// it.
    pub(super) fn sure(&self, culprit: usize) -> Option<f64> {
        let chance = self.by_builds.chance(culprit);
        (chance >= self.by_builds.wanted).then_some(chance)
    }

    /// The standard deviation of a sample.
    pub(super) fn sd(&self) -> f64 {
        self.by_builds.sd
    }

    /// The reported belief.
    pub(super) fn posterior(self) -> LevelPosterior {
        self.by_builds.posterior(self.by_samples)
    }
}

/// With noise, the levels of builds are not known precisely enough to make a change more likely
/// than this before its verification.
const LIKELY: f64 = 0.9;

/// Builds of the same program usually differ by about this much, and the more the rarer; of
/// differences, in the unit.
fn rare(rules: &BisectionRules) -> f64 {
    if rules.values == ValueKind::Ratios { RARE } else { rules.least / 4.0 }
}

/// As a ratio: a quarter of the effect that is requested, by default.
const RARE: f64 = 0.005;

/// The belief from the levels of builds.
struct BuildsBelief {
    nothing: f64,
    /// Each tested revision but the first, and how likely there is a step right before it.
    steps: Vec<(usize, f64)>,
    /// How far builds vary, as a standard deviation.
    builds: f64,
    /// The standard deviation of a sample.
    sd: f64,
    /// How likely a step has to be.
    wanted: f64,
}

/// One build.
struct VariedBuild {
    revision: usize,
    level: f64,
    /// The variance of the level, by the noise of samples.
    variance: f64,
    samples: usize,
}

/// Levels of builds, in the order in which they are judged: what is known best comes first.
struct VariedSeen {
    builds: Vec<VariedBuild>,
    /// The standard deviation of a sample.
    sd: f64,
}

impl VariedSeen {
    /// By the samples of each build.
    fn of(levels: &BisectLevels, record: &Record, rules: &BisectionRules) -> Self {
        // By repeated samples alone, however small it is: what builds are apart is no noise.
        let sd = own_scale(&record.readings).0.max(rules.least * NONE);
        let values = |at: &usize| record.of(*at).map(|reading| reading.value).collect::<Vec<f64>>();
        let tested: Vec<usize> =
            levels.tested.iter().copied().filter(|at| record.has(*at)).collect();
        let located = locations(&tested.iter().map(values).collect::<Vec<_>>(), sd);
        let of = |(&revision, location): (&usize, CauseLocation)| {
            let CauseLocation { level, variance } = location;
            VariedBuild { revision, level, variance, samples: record.count(revision) }
        };
        let mut builds: Vec<VariedBuild> = tested.iter().zip(located).map(of).collect();
        builds.sort_by_key(|build| std::cmp::Reverse(build.samples));
        Self { builds, sd }
    }
}

impl BuildsBelief {
    /// No step, one step or two, each with builds that vary by an unknown amount.
    fn of(
        seen: &VariedSeen,
        levels: &BisectLevels,
        step: f64,
        wanted: f64,
        record: &Record,
        rules: &BisectionRules,
    ) -> Self {
        let places = &levels.tested[1..];
        let width = width(step, rules);
        let share = |at: usize| {
            let part = |at| record.prior.part(levels.ends.0, at, levels.ends.1);
            part(at) - part(levels.before(at))
        };
        let mut all = Vec::new();
        for (steps, prior) in hypotheses(places, share) {
            for (part, between) in PARTS_OF_STEP {
                let vary = part * step.abs();
                let prior = prior.ln() + between.ln() - vary / rare(rules);
                for freedom in FREEDOM {
                    let evidence = evidence(seen, &steps, vary, width, freedom);
                    all.push((steps.clone(), vary, prior + evidence));
                }
            }
        }
        Self::among(all, places, seen.sd, wanted)
    }

    /// Of steps, how far builds vary, and the logarithm of how likely both are, not summing to one.
    fn among(mut all: Vec<(Vec<usize>, f64, f64)>, places: &[usize], sd: f64, wanted: f64) -> Self {
        let most = all.iter().map(|of| of.2).fold(f64::NEG_INFINITY, f64::max);
        for of in &mut all {
            of.2 = (of.2 - most).exp();
        }
        let sum: f64 = all.iter().map(|of| of.2).sum();
        let of = |is: &dyn Fn(&[usize]) -> bool| {
            all.iter().filter(|of| is(&of.0)).map(|of| of.2).sum::<f64>() / sum
        };
        Self {
            nothing: of(&|steps| steps.is_empty()),
            steps: places.iter().map(|at| (*at, of(&|steps| steps.contains(at)))).collect(),
            builds: all.iter().map(|of| of.1 * of.2).sum::<f64>() / sum,
            sd,
            wanted,
        }
    }

    fn chance(&self, culprit: usize) -> f64 {
        self.steps.iter().find(|of| of.0 == culprit).map_or(0.0, |of| of.1)
    }

    /// The same of the places alone, beside what samples say of the rest.
    fn posterior(self, by_samples: LevelPosterior) -> LevelPosterior {
        let sum: f64 = self.steps.iter().map(|of| of.1).sum::<f64>().max(f64::MIN_POSITIVE);
        let changed = 1.0 - self.nothing;
        let intervals = self.steps.iter().map(|(at, share)| (*at, changed * share / sum)).collect();
        LevelPosterior { nothing: self.nothing, intervals, builds: self.builds, ..by_samples }
    }
}

/// The hypotheses with their priors: no step, one step at each of these places, and one at each
/// pair of them.
fn hypotheses(places: &[usize], share: impl Fn(usize) -> f64) -> Vec<(Vec<usize>, f64)> {
    let mut all = vec![(Vec::new(), NOTHING)];
    for (rank, &one) in places.iter().enumerate() {
        all.push((vec![one], (1.0 - NOTHING) * (1.0 - TWO) * share(one)));
        for &other in &places[rank + 1..] {
            all.push((vec![one, other], (1.0 - NOTHING) * TWO * 2.0 * share(one) * share(other)));
        }
    }
    all
}

/// The prior width of the differences between levels.
fn width(step: f64, rules: &BisectionRules) -> f64 {
    (4.0 * rules.least).max(1.5 * step.abs())
}

/// The logarithm of how likely these levels are, with steps at these places and builds that vary by
/// this much.
fn evidence(seen: &VariedSeen, steps: &[usize], vary: f64, width: f64, freedom: f64) -> f64 {
    let first = seen.builds.first().map_or(0.0, |build| build.level);
    let mut filter = KalmanFilter::new(first, 25.0 * width * width, width * width);
    filter.grow(width * width);
    let tail = Tail::new(freedom, 1.0);
    for build in &seen.builds {
        let changed = steps.iter().enumerate().filter(|step| *step.1 <= build.revision);
        let parts: Vec<usize> = std::iter::once(0).chain(changed.map(|step| 1 + step.0)).collect();
        filter.observe(&parts, build.level, build.variance + vary * vary, Some(tail));
    }
    filter.ln_evidence
}

/// The prior share of ranges with two steps among ranges with a change.
const TWO: f64 = 0.1;

/// Degrees of freedom of the tails: builds and samples with or without outliers.
const FREEDOM: [f64; 2] = [3.0, 30.0];

/// Parts of the step by which builds may vary, as a standard deviation, and the width of each in
/// between.
const PARTS_OF_STEP: [(f64, f64); 10] = [
    (0.0, 0.025),
    (0.05, 0.05),
    (0.1, 0.05),
    (0.15, 0.05),
    (0.2, 0.075),
    (0.3, 0.1),
    (0.4, 0.15),
    (0.6, 0.2),
    (0.8, 0.2),
    (1.0, 0.2),
];
