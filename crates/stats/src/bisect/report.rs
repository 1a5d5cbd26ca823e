//! Assembles the outcome.

use super::between_builds;
use super::estimates::{RevisionLevels, between, reach};
use super::levels::LevelPosterior;
use super::outcome::{
    BisectorCulprit, BisectorFinding, BisectorOutcome, BisectorSide, BisectorSuspects,
    EffectEstimate, NoCulpritReason, RevisionEstimate,
};
use super::rates::Rates;
use super::record::Record;
use super::rules::{BisectionRules, NOTHING, SURE, ValueKind, WITHIN};
use super::search::Search;
use super::verify::VerifiedNames;

/// Out of logarithms.
pub(super) fn effect(
    (step, variance): (f64, f64),
    record: &Record,
    rules: &BisectionRules,
) -> EffectEstimate {
    let of = |step: f64| if rules.values == ValueKind::Ratios { step.exp_m1() } else { step };
    let far = reach(record, rules) * variance.sqrt();
    let most = if rules.values == ValueKind::Failures { 1.0 } else { f64::INFINITY };
    EffectEstimate {
        estimate: of(step),
        interval: (of(step - far).max(-most), of(step + far).min(most)),
    }
}

/// A culprit as it is when it is named.
pub(super) fn culprit(named: VerifiedNames) -> BisectorCulprit {
    BisectorCulprit {
        revision: named.revision,
        parent: named.parent,
        posterior: named.posterior,
        effect: EffectEstimate { estimate: 0.0, interval: (0.0, 0.0) },
        pairs: named.pairs,
        neighbours: named.neighbours,
    }
}

/// Facts about culprits and ends beside the search.
pub(super) struct SearchFacts<'a> {
    pub(super) culprits: &'a [BisectorCulprit],
    pub(super) sides: &'a [BisectorSide],
    pub(super) ends: (usize, usize),
    pub(super) record: &'a Record,
    pub(super) rules: &'a BisectionRules,
}

pub(super) fn outcome(
    finding: BisectorFinding,
    search: &Search,
    known: &SearchFacts,
    account: &Account,
) -> BisectorOutcome {
    let &SearchFacts { culprits, sides, ends, record, rules } = known;
    let posterior = believed(search, record, rules);
    // If nothing changed between the measured candidates, the culprit is among the others.
    let outside =
        finding == BisectorFinding::Undecided(NoCulpritReason::End) && posterior.nothing > 0.5;
    let culprits: Vec<BisectorCulprit> = culprits
        .iter()
        .zip(&account.steps)
        .map(|(culprit, step)| BisectorCulprit { effect: effect(*step, record, rules), ..*culprit })
        .collect();
    let mut sides = sides.to_vec();
    sides.sort_by_key(|side| side.good);
    let ladder = ladder(account, record, rules);
    let builds_vary = finding == BisectorFinding::Undecided(NoCulpritReason::Builds)
        && between_builds::are_shown(record);
    BisectorOutcome {
        finding,
        suspects: if culprits.is_empty() && !outside {
            suspects(&posterior, search)
        } else {
            Vec::new()
        },
        nothing: if culprits.is_empty() { posterior.nothing } else { 0.0 },
        ends,
        change: account.whole.map(|whole| effect(whole, record, rules)),
        left_over: account.left.map(|left| effect(left, record, rules)),
        more: account.more(rules),
        culprits,
        sides,
        ladder,
        unusable: record.unusable().collect(),
        drift: if record.is_exact(rules) { 0.0 } else { record.moved },
        between_builds: builds_vary.then_some(posterior.builds),
        builds: record.builds,
        samples: record.readings.len(),
    }
}

/// The result of a search on a side of a culprit.
pub(super) fn side(finding: BisectorFinding, search: &Search) -> BisectorSide {
    let (good, bad) = search.whole;
    let is_open = matches!(finding, BisectorFinding::Undecided(_));
    let suspects = if is_open { suspects(&search.posterior(), search) } else { Vec::new() };
    BisectorSide { good, bad, finding, suspects }
}

/// A side whose ends are alike, and there was no time to look between them.
pub(super) fn unseen(search: &Search) -> BisectorSide {
    let (good, bad) = search.whole;
    BisectorSide {
        good,
        bad,
        finding: BisectorFinding::Undecided(NoCulpritReason::Budget),
        suspects: Vec::new(),
    }
}

/// The change from end to end, the part that the culprits explain, and the residual; each with its
/// variance.
#[derive(Clone, Debug)]
pub(super) struct Account {
    whole: Option<(f64, f64)>,
    steps: Vec<(f64, f64)>,
    left: Option<(f64, f64)>,
    /// The levels of a metric whose noise was observed.
    levels: Option<RevisionLevels>,
}

impl Account {
    /// Whether the residual is more than chance explains.
    pub(super) fn more(&self, rules: &BisectionRules) -> bool {
        self.left.is_some_and(|(step, variance)| {
            step.abs() > WITHIN * variance.sqrt() && step.abs() >= rules.least / 2.0
        })
    }
}

impl SearchFacts<'_> {
    /// The account of all that was measured.
    pub(super) fn account(&self) -> Account {
        let levels = RevisionLevels::of(self.record, self.rules);
        let between = |ends| between(ends, levels.as_ref(), self.record, self.rules);
        let whole = between(self.ends);
        let of = |culprit: &BisectorCulprit| {
            between((culprit.parent, culprit.revision)).unwrap_or((0.0, 0.0))
        };
        let steps: Vec<(f64, f64)> = self.culprits.iter().map(of).collect();
        let left = whole
            .filter(|_| !steps.is_empty())
            .map(|whole| steps.iter().fold(whole, |left, step| (left.0 - step.0, left.1 + step.1)));
        Account { whole, steps, left, levels }
    }
}

/// How likely each interval between tested revisions is to hold the cause, in order.
pub(super) fn belief(
    search: &Search,
    record: &Record,
    rules: &BisectionRules,
) -> Vec<BisectorSuspects> {
    let suspects = |&(last, posterior): &(usize, f64)| {
        let first = search.belief.before(last) + 1;
        BisectorSuspects { first: first.min(last), last, posterior }
    };
    believed(search, record, rules).intervals.iter().map(suspects).collect()
}

/// The belief. A single time of each program shows no noise, and so is no evidence of a change:
/// each commit is as likely as before.
fn believed(search: &Search, record: &Record, rules: &BisectionRules) -> LevelPosterior {
    let mut posterior = search.posterior();
    let is_silent = rules.has_path() && !record.shows_noise() && !record.readings.is_empty();
    if !is_silent {
        return posterior;
    }
    let commits = |last: usize| (last - search.belief.before(last)) as f64;
    let all: f64 = posterior.intervals.iter().map(|(last, _)| commits(*last)).sum();
    for (last, share) in &mut posterior.intervals {
        *share = (1.0 - NOTHING) * commits(*last) / all;
    }
    posterior.nothing = NOTHING;
    posterior
}

/// The likeliest intervals that together are sure enough.
fn suspects(posterior: &LevelPosterior, search: &Search) -> Vec<BisectorSuspects> {
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
        suspects.push(BisectorSuspects {
            first: search.belief.before(last) + 1,
            last,
            posterior: share,
        });
    }
    suspects
}

/// The level of each measured revision.
fn ladder(account: &Account, record: &Record, rules: &BisectionRules) -> Vec<RevisionEstimate> {
    let levels = account.levels.as_ref().filter(|_| !record.is_exact(rules));
    let level = |revision: usize| {
        let known = levels.and_then(|levels| levels.level(revision, record));
        known.or_else(|| Some((record.level(revision)?, 0.0))).unwrap_or_default()
    };
    let rung = |revision: usize| {
        let samples = record.of(revision).count();
        let (level, error) = if rules.values == ValueKind::Failures {
            let failed: f64 = record.of(revision).map(|reading| reading.value).sum();
            let variance = Rates::rate_of(failed, samples as f64 - failed).1;
            (failed / samples as f64, variance.sqrt())
        } else {
            let (level, variance) = level(revision);
            let is_ratio = rules.values == ValueKind::Ratios;
            (if is_ratio { level.exp() } else { level }, variance.sqrt())
        };
        RevisionEstimate { revision, samples, level, error }
    };
    record.tested_programs().map(rung).collect()
}

#[cfg(test)]
mod tests {
    use super::super::world::{BisectWorld, WorldScatter, bisect};
    use super::super::{BisectionRules, BuildVariation};

    #[test]
    fn a_metric_without_noise_has_no_intervals_and_nothing_left_over() {
        let mut world = BisectWorld::new(64, 0.05, WorldScatter::None, 1);
        let outcome = bisect(
            &mut world,
            BisectionRules { builds: BuildVariation::Alike, ..BisectionRules::default() },
        );
        let [culprit] = outcome.culprits.as_slice() else { panic!("{outcome:?}") };
        for effect in [Some(culprit.effect), outcome.change] {
            let effect = effect.unwrap();
            assert!((effect.estimate - 0.05).abs() < 1e-12, "{effect:?}");
            assert_eq!(effect.interval, (effect.estimate, effect.estimate));
        }
        assert!(
            outcome.ladder.iter().all(|rung| rung.error == 0.0) && !outcome.more,
            "{outcome:?}"
        );
        let mut world = BisectWorld::new(64, 0.05, WorldScatter::Gaussian(0.01), 1);
        let noisy = bisect(
            &mut world,
            BisectionRules { builds: BuildVariation::Alike, ..BisectionRules::default() },
        );
        assert!(noisy.ladder.iter().all(|rung| rung.error > 0.0), "{noisy:?}");
    }
}
