//! The choice of the next revision and its number of samples: the most informative for its cost.

use super::belief::RangeBelief;
use super::failing;
use super::information::information;
use super::levels::LevelPosterior;
use super::record::Record;
use super::rules::{BisectionRules, BuildVariation};
use super::step::Portion;

/// Numbers of samples to choose from.
const NUMBERS: [usize; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256];

/// The most executions of a command that passes or fails that are thought of at a time.
const EXECUTIONS: usize = 32;

/// Less than this, in nats, is not worth measuring.
const WORTHLESS: f64 = 1e-3;

/// The distance from a place within which each revision is considered; farther away only some: rows
/// of unusable ones are shorter.
const EACH: usize = 128;

/// The knowledge at a choice.
struct ChoiceKnown<'a> {
    posterior: &'a LevelPosterior,
    record: &'a Record,
    build_cost: f64,
    /// Between builds of the same program, as a variance.
    builds: f64,
}

impl ChoiceKnown<'_> {
    /// How many standard deviations apart both sides look by this many more samples of a revision
    /// that has some.
    fn distance(&self, has: usize, more: usize) -> f64 {
        let noise = self.posterior.sd.powi(2).max(f64::MIN_POSITIVE);
        let precise = |samples: usize| 1.0 / (self.builds + noise / samples as f64);
        let gained = precise(has + more) - if has == 0 { 0.0 } else { precise(has) };
        if gained <= 0.0 {
            return 0.0;
        }
        self.posterior.step.0.abs() / (1.0 / gained + self.posterior.middle).sqrt()
    }

    /// The information of this many more samples of a revision that has the change with this
    /// chance, in nats.
    fn detected(&self, share: f64, has: usize, more: usize) -> f64 {
        let channels = &self.posterior.channels;
        if channels.is_empty() {
            return information(share, self.distance(has, more));
        }
        channels.iter().map(|channel| channel.weight * channel.information(share, more)).sum()
    }

    /// The best number of samples for a revision that has the change with this chance, and its
    /// worth.
    fn best_number(&self, share: f64, has: usize) -> (usize, f64) {
        let cost = if has == 0 { self.build_cost } else { 0.0 };
        let worth = |number: usize| {
            let detected = self.detected(share, has, number);
            if detected < WORTHLESS { 0.0 } else { detected / (cost + number as f64) }
        };
        let most = if self.posterior.channels.is_empty() { usize::MAX } else { EXECUTIONS };
        let all =
            NUMBERS.iter().filter(|number| **number <= most).map(|&number| (number, worth(number)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((1, 0.0))
    }
}

/// The next portion; `None` where nothing is informative.
pub(super) fn next(
    belief: &RangeBelief,
    posterior: &LevelPosterior,
    record: &Record,
    rules: &BisectionRules,
) -> Option<Portion> {
    let builds = if let BuildVariation::Vary(sd) = rules.builds { sd * sd } else { 0.0 };
    let known = ChoiceKnown { posterior, record, build_cost: record.build_cost(rules), builds };
    let mut best = (Portion { revision: 0, samples: 1 }, 0.0);
    let mut consider = |revision: usize, (samples, worth): (usize, f64)| {
        if worth > best.1 {
            best = (Portion { revision, samples }, worth);
        }
    };
    let mut before = belief.ends().0;
    let mut share = 0.0;
    for &(from, chance) in &posterior.intervals {
        if let Some((at, below)) = inside(before, from, share, chance, &known) {
            let (samples, worth) = known.best_number(below, 0);
            consider(at, (samples, worth * (1.0 - failing::chance(at, record))));
        }
        share += chance;
        if from != belief.ends().1 && record.usable(from) {
            consider(from, known.best_number(share, record.count(from)));
        }
        before = from;
    }
    (best.1 > 0.0).then_some(best.0)
}

/// The place to split an interval, and how likely the change is to be at or before that place.
fn inside(
    before: usize,
    from: usize,
    share: f64,
    chance: f64,
    known: &ChoiceKnown,
) -> Option<(usize, f64)> {
    if from - before <= 1 || failing::is_closed(before, from, known.record) {
        return None;
    }
    let prior = &known.record.prior;
    let middle = share + chance / 2.0;
    // The place that makes both outcomes equally likely, or the middle where none does.
    let wanted = if chance > 0.0 { ((0.5 - share) / chance).clamp(0.1, 0.9) } else { 0.5 };
    let wanted = if middle.is_finite() { wanted } else { 0.5 };
    let around = prior.place(before, from, wanted);
    let below = |at: usize| share + chance * prior.part(before, at, from);
    let worth = |at: usize| {
        (1.0 - failing::chance(at, known.record))
            * super::information::entropy(below(at).clamp(0.0, 1.0))
    };
    // Near the place first, then ever farther from it, so that a long range is not looked through.
    let steps = (0..).map(|step: usize| if step < EACH { step } else { EACH << (step - EACH) });
    let steps = steps.take_while(|step| *step < from - before);
    let places =
        steps.flat_map(|step| [around.checked_sub(step), around.checked_add(step)]).flatten();
    let usable = places.filter(|at| before < *at && *at < from && known.record.usable(*at));
    usable.max_by(|a, b| worth(*a).total_cmp(&worth(*b))).map(|at| (at, below(at)))
}
