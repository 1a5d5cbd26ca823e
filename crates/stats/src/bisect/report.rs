//! What was found, put together.

use super::belief::Belief;
use super::levels::Posterior;
use super::noise::median;
use super::outcome::{Culprit, Effect, Finding, Outcome, Rung, Suspects};
use super::rates::Rates;
use super::record::Record;
use super::rules::{Rules, SURE, Values, WITHIN};
use super::search::{Named, Search};

/// What changed from a revision to a later one, on the scale of the readings, with its variance.
pub(super) fn between(ends: (usize, usize), record: &Record, rules: &Rules) -> Option<(f64, f64)> {
    let mut belief = Belief::of(ends, &Record::default(), rules);
    let of_ends =
        record.readings.iter().filter(|reading| reading.revision == ends.0 || reading.revision == ends.1);
    of_ends.for_each(|reading| belief.observe(*reading));
    belief.step(None).filter(|_| record.has(ends.0) && record.has(ends.1))
}

/// Out of logarithms.
pub(super) fn effect((step, variance): (f64, f64), rules: &Rules) -> Effect {
    let of = |step: f64| if rules.values == Values::Ratios { step.exp_m1() } else { step };
    let far = 1.96 * variance.sqrt();
    let most = if rules.values == Values::Failures { 1.0 } else { f64::INFINITY };
    Effect { estimate: of(step), interval: (of(step - far).max(-most), of(step + far).min(most)) }
}

pub(super) fn culprit(named: Named, record: &Record, rules: &Rules) -> Culprit {
    let step = between((named.parent, named.revision), record, rules).unwrap_or((0.0, 0.0));
    Culprit {
        revision: named.revision,
        parent: named.parent,
        posterior: named.posterior,
        effect: effect(step, rules),
        pairs: named.pairs,
        neighbours: named.neighbours,
    }
}

pub(super) fn outcome(
    finding: Finding,
    culprits: Vec<Culprit>,
    search: &Search,
    record: &Record,
    candidates: usize,
    rules: &Rules,
) -> Outcome {
    let usable = |mut all: Box<dyn Iterator<Item = usize>>| all.find(|at| record.usable(*at));
    let ends = (
        usable(Box::new(0..candidates)).unwrap_or(0),
        usable(Box::new((0..candidates).rev())).unwrap_or(candidates - 1),
    );
    let whole = between(ends, record, rules);
    let left = whole.filter(|_| !culprits.is_empty()).map(|whole| left_over(whole, &culprits, record, rules));
    let posterior = search.posterior();
    Outcome {
        finding,
        suspects: if culprits.is_empty() { suspects(&posterior, search) } else { Vec::new() },
        nothing: if culprits.is_empty() { posterior.nothing } else { 0.0 },
        ends,
        change: whole.map(|whole| effect(whole, rules)),
        left_over: left.map(|left| effect(left, rules)),
        more: left.is_some_and(|(step, variance)| {
            step.abs() > WITHIN * variance.sqrt() && step.abs() >= rules.least / 2.0
        }),
        culprits,
        ladder: ladder(&posterior, record, rules),
        unusable: record.unusable().collect(),
        drift: posterior.drift,
        builds: record.builds,
        samples: record.readings.len(),
    }
}

/// What changed from end to end, without what is verified.
fn left_over(whole: (f64, f64), culprits: &[Culprit], record: &Record, rules: &Rules) -> (f64, f64) {
    let steps =
        culprits.iter().filter_map(|culprit| between((culprit.parent, culprit.revision), record, rules));
    steps.fold(whole, |left, step| (left.0 - step.0, left.1 + step.1))
}

/// How likely each interval between tested revisions is to hold the cause, in order.
pub(super) fn belief(search: &Search) -> Vec<Suspects> {
    let suspects = |&(last, posterior): &(usize, f64)| {
        let first = search.belief.before(last) + 1;
        Suspects { first: first.min(last), last, posterior }
    };
    search.posterior().intervals.iter().map(suspects).collect()
}

/// The likeliest intervals that together are sure enough.
fn suspects(posterior: &Posterior, search: &Search) -> Vec<Suspects> {
    let mut all = posterior.intervals.clone();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let changed = 1.0 - posterior.nothing;
    let mut sum = 0.0;
    let mut suspects = Vec::new();
    for (last, share) in all {
        if sum >= SURE * changed {
            break;
        }
        sum += share;
        suspects.push(Suspects { first: search.belief.before(last) + 1, last, posterior: share });
    }
    suspects
}

fn ladder(posterior: &Posterior, record: &Record, rules: &Rules) -> Vec<Rung> {
    let rung = |revision: usize| {
        let mut values: Vec<f64> = record.of(revision).map(|reading| reading.value).collect();
        let samples = values.len();
        let mean = values.iter().sum::<f64>() / samples as f64;
        let middle = median(&mut values).unwrap_or(0.0);
        let level = match rules.values {
            Values::Ratios => middle.exp(),
            Values::Differences => middle,
            Values::Failures => mean,
        };
        let count = samples as f64;
        let error = match rules.values {
            Values::Failures => Rates::rate_of(mean * count, (1.0 - mean) * count).1.sqrt(),
            Values::Ratios | Values::Differences => posterior.sd / count.sqrt(),
        };
        Rung { revision, samples, level, error }
    };
    record.tested().map(rung).collect()
}
