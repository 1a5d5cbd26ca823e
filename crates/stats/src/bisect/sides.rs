//! Changes on a side of a culprit that its ends do not show: a step and its repair, or two steps
//! that nearly cancel out.
//!
//! One step is believed at a time, from end to end. The revisions that were measured in between
//! show more, where their levels are clear of each other by the least effect: then the side is
//! searched in parts, each of which holds what it shows from its own ends.

use super::outcome::{BisectorFinding, BisectorSide, BisectorSuspects, NoCulpritReason};
use super::rates::Rates;
use super::record::Record;
use super::rules::{
    BisectionRules, BuildVariation, INTERVAL, LAYOUT, LESS, NEIGHBOURS, START, SURE, ValueKind,
    WITHIN,
};
use super::step::Portion;

/// From a revision without a change to one that has it.
pub(super) type SideRange = (usize, usize);

/// The level of a measured revision, and its standard error.
#[derive(Clone, Copy, Debug)]
struct Level {
    at: usize,
    value: f64,
    error: f64,
}

impl Level {
    /// From this one to a later one.
    fn to(&self, later: &Self) -> f64 {
        later.value - self.value
    }

    /// Whether both levels may be equal, or differ by less than requested.
    fn is_near(&self, other: &Self, rules: &BisectionRules) -> bool {
        let apart = self.to(other).abs();
        apart < rules.least / 2.0 || apart < WITHIN * self.error.hypot(other.error)
    }

    /// Whether both levels differ by the requested effect, and their intervals are apart: by the
    /// least effect, or by far.
    fn is_clear(&self, other: &Self, rules: &BisectionRules) -> bool {
        let apart = self.to(other).abs();
        let clear = apart - INTERVAL * (self.error + other.error) >= rules.least;
        apart >= rules.least && (clear || apart > FAR * self.error.hypot(other.error))
    }

    /// Whether both may differ by the requested effect, but their intervals are not apart.
    fn is_doubtful(&self, other: &Self, rules: &BisectionRules) -> bool {
        let farthest = self.to(other).abs() + LESS * self.error.hypot(other.error);
        farthest >= rules.least && !self.is_clear(other, rules)
    }
}

/// The first number of executions of a revision that show whether it fails as its neighbours do.
const EXECUTIONS: usize = 3;

/// After this many revisions without values in a gap, no more are tried there.
const UNUSABLE: usize = 3;

/// Standard errors that no two of some dozens of revisions are apart by chance.
const FAR: f64 = 4.0;

/// The measured levels from one revision to another, with noise of this standard deviation.
pub(super) struct SideLevels<'a> {
    levels: Vec<Level>,
    sd: f64,
    record: &'a Record,
    rules: &'a BisectionRules,
}

impl<'a> SideLevels<'a> {
    pub(super) fn of(
        range: SideRange,
        sd: f64,
        record: &'a Record,
        rules: &'a BisectionRules,
    ) -> Self {
        let builds = if let BuildVariation::Vary(sd) = rules.builds { sd } else { 0.0 };
        let level = |at: usize| {
            let count = record.count(at) as f64;
            if rules.values == ValueKind::Failures {
                let failed: f64 = record.of(at).map(|reading| reading.value).sum();
                let (value, variance) = Rates::rate_of(failed, count - failed);
                return Some(Level { at, value, error: variance.sqrt() });
            }
            let error = (sd / count.sqrt()).hypot(builds);
            record.level(at).map(|value| Level { at, value, error })
        };
        let tested = record.tested().filter(|at| range.0 <= *at && *at <= range.1);
        Self { levels: tested.filter_map(level).collect(), sd, record, rules }
    }

    /// All that differ clearly, the earlier one first.
    fn clear(&self) -> impl Iterator<Item = (&Level, &Level)> {
        let pairs = self.levels.iter().enumerate();
        let pairs =
            pairs.flat_map(|(place, one)| self.levels[place + 1..].iter().map(move |it| (one, it)));
        pairs.filter(|(one, other)| one.is_clear(other, self.rules))
    }

    /// Whether the level goes up somewhere and down elsewhere.
    pub(super) fn turns(&self) -> bool {
        let up = self.clear().any(|(one, other)| one.to(other) > 0.0);
        up && self.clear().any(|(one, other)| one.to(other) < 0.0)
    }

    /// Whether any two levels differ clearly.
    pub(super) fn is_uneven(&self) -> bool {
        self.clear().next().is_some()
    }

    /// The parts to search instead of all of it: around the two that differ most, apart from the
    /// ends; `None` if none do.
    pub(super) fn parts(&self) -> Option<SideParts> {
        let whole = (self.levels.first()?.at, self.levels.last()?.at);
        let inner = self.clear().filter(|(one, other)| (one.at, other.at) != whole);
        let (one, other) = inner.max_by(|a, b| a.0.to(a.1).abs().total_cmp(&b.0.to(b.1).abs()))?;
        let inside = Some(self.around(one, other)).filter(|range| *range != whole);
        let inside = inside.unwrap_or((one.at, other.at));
        let is_layout =
            self.rules.builds == BuildVariation::Unknown && one.to(other).abs() < LAYOUT;
        let is_narrow = is_layout && inside.1 - inside.0 < NEIGHBOURS;
        let all = [(whole.0, inside.0), inside, (inside.1, whole.1)].into_iter();
        let wanted = |range: &SideRange| range.0 < range.1 && (!is_narrow || *range != inside);
        Some(SideParts {
            ranges: all.filter(wanted).collect(),
            narrow: is_narrow.then(|| undecided(inside)),
        })
    }

    /// The portion to measure before the side is said to hold no change. First the middle of the
    /// longest gap, until no gap is longer than this or has a single revision, which one build
    /// settles. Then more samples of levels that are neither clearly apart from the ends nor surely
    /// like them.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    pub(super) fn unseen(&self, longest: usize) -> Option<Portion> {
        let samples = if self.rules.values == ValueKind::Failures {
            EXECUTIONS
        } else {
            // A standard error of a quarter of the least effect shows one that is as large from
            // none.
            (4.0 * self.sd / self.rules.least).powi(2).ceil().clamp(1.0, 16.0) as usize
        };
        let (first, last) = (self.levels.first()?, self.levels.last()?);
        let revision = self.gap(longest).or_else(|| {
            let few = |at: usize| {
                self.record.usable(at) && self.record.count(at) < (4 * samples).max(START)
            };
            let doubtful =
                |it: &&Level| [first, last].iter().any(|end| it.is_doubtful(end, self.rules));
            self.levels.iter().filter(|it| few(it.at)).find(doubtful).map(|it| it.at)
        })?;
        Some(Portion { revision, samples })
    }

    /// Whether all measured levels are surely like the ends.
    pub(super) fn is_like_ends(&self) -> bool {
        let ends = || self.levels.first().into_iter().chain(self.levels.last());
        let differs = |it: &Level, end: &Level| {
            it.is_doubtful(end, self.rules) || it.is_clear(end, self.rules)
        };
        !self.levels.iter().any(|it| ends().any(|end| differs(it, end)))
    }

    /// The middle of the longest gap between measured revisions that is longer than this, or holds
    /// one; or the nearest to it that may have values.
    fn gap(&self, longest: usize) -> Option<usize> {
        let gaps = self.levels.windows(2).map(|pair| (pair[0].at, pair[1].at));
        let is_long = |reach: usize| reach > longest.max(1) || reach == 2;
        let long = gaps.filter(|&(before, after)| {
            is_long(after - before)
                && self.record.unusable_between(before, after) < UNUSABLE
                && (before + 1..after).any(|at| self.record.usable(at))
        });
        let (before, after) = long.max_by_key(|(before, after)| after - before)?;
        let middle = before.midpoint(after);
        (before + 1..after)
            .filter(|at| self.record.usable(*at))
            .min_by_key(|at| at.abs_diff(middle))
    }

    /// The range of these two levels, extended on either side by revisions with the same levels.
    fn around(&self, one: &Level, other: &Level) -> SideRange {
        let before = self.levels.iter().rev().filter(|it| it.at <= one.at);
        let after = self.levels.iter().filter(|it| it.at >= other.at);
        let first = before.take_while(|it| it.is_near(one, self.rules)).last().unwrap_or(one);
        let last = after.take_while(|it| it.is_near(other, self.rules)).last().unwrap_or(other);
        (first.at, last.at)
    }
}

/// How a side is divided.
#[derive(Debug, PartialEq)]
pub(super) struct SideParts {
    /// To be searched by themselves.
    pub(super) ranges: Vec<SideRange>,
    /// So narrow that nothing beside it would distinguish a change from layout: it stays undecided.
    pub(super) narrow: Option<BisectorSide>,
}

/// A stretch whose ends differ for certain, by a change or by layout.
fn undecided((good, bad): SideRange) -> BisectorSide {
    let suspects = vec![BisectorSuspects { first: good + 1, last: bad, posterior: SURE }];
    BisectorSide {
        good,
        bad,
        finding: BisectorFinding::Undecided(NoCulpritReason::Builds),
        suspects,
    }
}

/// The parts of a side that its search settled, and the parts that are still to be searched.
pub(super) fn settled(
    side: BisectorSide,
    sd: f64,
    record: &Record,
    rules: &BisectionRules,
) -> (Vec<BisectorSide>, Vec<SideRange>) {
    let whole = (side.good, side.bad);
    let shown = SideLevels::of(whole, sd, record, rules);
    let divided = match side.finding {
        BisectorFinding::Verified | BisectorFinding::Undecided(NoCulpritReason::Budget) => {
            return (vec![side], Vec::new());
        }
        BisectorFinding::NotReproduced => shown.parts(),
        BisectorFinding::Undecided(_) => shown.parts().filter(|_| shown.turns()),
    };
    if let Some(SideParts { ranges, narrow }) = divided {
        return (narrow.into_iter().collect(), ranges);
    }
    // Beside what it may be among.
    let first = side.suspects.iter().map(|it| it.first - 1).min().unwrap_or(side.bad);
    let last = side.suspects.iter().map(|it| it.last).max().unwrap_or(side.bad);
    let beside = [(side.good, first), (last, side.bad)].into_iter();
    let uneven = |range: &SideRange| SideLevels::of(*range, sd, record, rules).is_uneven();
    let ranges =
        beside.filter(|range| range.0 < range.1 && *range != whole && uneven(range)).collect();
    (vec![side], ranges)
}

#[cfg(test)]
mod tests {
    use super::super::world::{BisectWorld, WorldScatter, bisect};
    use super::super::{Bisector, BisectorOutcome, NextStep, Observation, ObservedValues};
    use super::*;

    const ALL: BisectionRules = BisectionRules {
        values: ValueKind::Ratios,
        least: 0.04,
        builds: BuildVariation::Unknown,
        build_cost: 10.0,
        budget: None,
        all: true,
        of_speed: true,
    };

    fn world(
        candidates: usize,
        steps: &[(usize, f64)],
        scatter: WorldScatter,
        seed: u64,
    ) -> BisectWorld {
        let mut world = BisectWorld::new(candidates, 0.1, scatter, seed);
        world.steps = steps.iter().map(|(at, by)| (*at, f64::ln_1p(*by))).collect();
        world
    }

    fn named(outcome: &BisectorOutcome) -> Vec<usize> {
        let mut named: Vec<usize> = outcome.culprits.iter().map(|it| it.revision).collect();
        named.sort_unstable();
        named
    }

    /// Every place lies on one side at least, unless it was named; where nothing is said to be,
    /// nothing is.
    fn check(outcome: &BisectorOutcome, world: &BisectWorld) {
        let truth: Vec<usize> = world.steps.iter().map(|step| step.0).collect();
        assert!(named(outcome).iter().all(|at| truth.contains(at)), "{outcome:?}");
        for at in truth.iter().filter(|at| !named(outcome).contains(at)) {
            let of = outcome.sides.iter().filter(|side| side.good < *at && *at <= side.bad);
            let open = |side: &BisectorSide| matches!(side.finding, BisectorFinding::Undecided(_));
            assert!(of.clone().count() > 0 && of.clone().all(open), "{at}: {outcome:?}");
        }
        for side in
            outcome.sides.iter().filter(|side| side.finding == BisectorFinding::NotReproduced)
        {
            let inside = |it: &&super::super::RevisionEstimate| {
                side.good <= it.revision && it.revision <= side.bad
            };
            let rungs: Vec<_> = outcome.ladder.iter().filter(inside).collect();
            for (place, one) in rungs.iter().enumerate() {
                for other in &rungs[place + 1..] {
                    let far = INTERVAL * (one.error + other.error);
                    let apart = (other.level / one.level).ln().abs() - far;
                    assert!(apart < ALL.least, "{one:?} {other:?}: {outcome:?}");
                }
            }
        }
    }

    #[test]
    fn a_fall_and_a_rise_after_a_culprit_are_found_too() {
        let steps = [(12, 0.2), (25, -0.07), (40, 0.1)];
        let (mut all, mut samples) = (0, 0);
        for seed in 0..24 {
            let mut world = world(50, &steps, WorldScatter::Gaussian(0.01), seed);
            let outcome = bisect(&mut world, ALL);
            check(&outcome, &world);
            all += usize::from(named(&outcome) == [12, 25, 40]);
            samples += world.samples;
        }
        assert!(all >= 22 && samples < 24 * 250, "{all} {samples}");
    }

    #[test]
    fn without_noise_all_of_several_steps_are_found_that_hide_each_other() {
        for steps in [
            [(12, 0.2), (25, -0.07), (40, 0.1)],
            [(12, 0.2), (25, -0.1), (40, 1.0 / 0.9 - 1.0)],
            [(5, 0.1), (6, 0.3), (30, -0.2)],
        ] {
            let mut world = world(50, &steps, WorldScatter::None, 1);
            let outcome = bisect(&mut world, ALL);
            check(&outcome, &world);
            assert!(outcome.culprits.len() >= 2, "{outcome:?}");
        }
    }

    #[test]
    fn what_comes_and_goes_between_alike_ends_is_found() {
        for scatter in [WorldScatter::None, WorldScatter::Gaussian(0.01)] {
            for seed in 0..8 {
                let mut world = world(100, &[(10, 2.0), (90, 1.0 / 3.0 - 1.0)], scatter, seed);
                let outcome = bisect(&mut world, ALL);
                check(&outcome, &world);
                assert_eq!(
                    (outcome.finding, named(&outcome)),
                    (BisectorFinding::Verified, vec![10, 90]),
                    "{outcome:?}"
                );
                let mut same = self::world(100, &[], scatter, seed);
                let outcome = bisect(&mut same, ALL);
                assert_eq!(
                    (outcome.finding, outcome.sides.len()),
                    (BisectorFinding::NotReproduced, 1),
                    "{outcome:?}"
                );
                assert!(same.builds() >= 8, "each eighth is looked at: {}", same.builds());
            }
        }
    }

    #[test]
    fn what_comes_and_goes_with_a_single_revision_is_found_where_those_beside_it_are_measured() {
        for scatter in [WorldScatter::None, WorldScatter::Gaussian(0.01)] {
            for at in [2, 7, 8, 13, 17] {
                let steps = [(11, 0.2), (at, 0.3), (at + 1, 1.0 / 1.3 - 1.0)];
                let mut world = world(20, &steps, scatter, 1);
                let outcome =
                    bisect(&mut world, BisectionRules { builds: BuildVariation::Alike, ..ALL });
                check(&outcome, &world);
                assert_eq!(named(&outcome).len(), 3, "{at}: {outcome:?}");
                assert_eq!(world.builds(), 20);
            }
        }
        let mut builds = 0;
        for seed in 0..8 {
            let mut world = world(
                100,
                &[(10 + 9 * usize::try_from(seed).unwrap(), 0.2)],
                WorldScatter::None,
                seed,
            );
            let outcome = bisect(&mut world, ALL);
            let places: Vec<usize> = outcome.ladder.iter().map(|rung| rung.revision).collect();
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] != 2), "{places:?}");
            builds += world.builds();
        }
        assert!(
            builds <= 8 * 21,
            "log₂ 100, the ends, neighbours, each eighth, and few more: {builds}"
        );
    }

    #[test]
    fn a_side_that_stays_undecided_is_told_with_its_suspects() {
        let steps = [(12, 0.2), (40, 0.1)];
        let mut world = world(50, &steps, WorldScatter::None, 1);
        let rules = BisectionRules { budget: Some(1e9), ..ALL };
        let whole = bisect(&mut world, rules);
        assert_eq!((named(&whole), whole.sides.len()), (vec![12, 40], 3), "{whole:?}");
        assert!(
            whole.sides.iter().all(|side| side.finding == BisectorFinding::NotReproduced),
            "{whole:?}"
        );
        let places: Vec<(usize, usize)> =
            whole.sides.iter().map(|side| (side.good, side.bad)).collect();
        assert_eq!(places, [(0, 11), (12, 39), (40, 49)]);
        // The time is over right after the first was named.
        let spent = |budget: f64| {
            let mut world = self::world(50, &steps, WorldScatter::None, 1);
            bisect(&mut world, BisectionRules { budget: Some(budget), ..ALL })
        };
        let first = (10..1000)
            .map(|tens| spent(f64::from(tens)))
            .find(|it| !it.culprits.is_empty())
            .unwrap();
        assert_eq!(
            (first.finding, first.culprits.len()),
            (BisectorFinding::Verified, 1),
            "{first:?}"
        );
        let budget = BisectorFinding::Undecided(NoCulpritReason::Budget);
        let open: Vec<&BisectorSide> =
            first.sides.iter().filter(|side| side.finding == budget).collect();
        let rest = if named(&first) == [12] { 40 } else { 12 };
        let holds = |side: &&BisectorSide| {
            side.suspects.iter().any(|it| it.first <= rest && rest <= it.last)
        };
        assert!(open.len() == 1 && open.iter().all(holds), "{first:?}");
    }

    #[test]
    fn what_is_still_to_be_searched_is_told_on_the_way() {
        let mut bisection = Bisector::new(ALL, 50).unwrap();
        let level = |at: usize| {
            100.0 + 20.0 * f64::from(u8::from(at >= 12)) + 12.0 * f64::from(u8::from(at >= 40))
        };
        let mut most = 0;
        while let NextStep::Measure(portions) = bisection.next() {
            let revision = portions[0].revision;
            let seen = ObservedValues::Samples(vec![level(revision); portions[0].samples]);
            bisection.observe(&Observation { revision, seen, build: Some(1.0), executing: 1.0 });
            let standing = bisection.standing();
            most = most.max(standing.open.len());
            let named = standing.outcome.culprits.len();
            assert!(named > 0 || standing.open.is_empty());
        }
        assert!(most == 2 && bisection.standing().open.is_empty());
    }

    #[test]
    fn parts_are_around_what_differs_most_with_all_that_is_alike() {
        let rules = BisectionRules { builds: BuildVariation::Alike, ..ALL };
        let mut record = Record::default();
        for (at, level) in
            [(12, 120.0), (15, 120.3), (20, 112.0), (30, 111.8), (44, 122.0), (49, 122.0)]
        {
            let seen = ObservedValues::Samples(vec![level; 4]);
            record.add(&Observation { revision: at, seen, build: None, executing: 4.0 }, &rules);
        }
        let shown = |range, sd| SideLevels::of(range, sd, &record, &rules);
        assert!(shown((12, 49), 0.01).turns());
        let parts = SideParts { ranges: vec![(12, 20), (20, 49)], narrow: None };
        assert_eq!(shown((12, 49), 0.01).parts(), Some(parts));
        assert!(!shown((20, 49), 0.01).turns() && shown((20, 49), 0.01).is_uneven());
        // Within noise nothing is shown.
        assert!(!shown((12, 49), 0.1).is_uneven());
        assert_eq!(shown((12, 49), 0.1).parts(), None);
    }

    #[test]
    fn where_nothing_beside_would_tell_it_from_layout_it_stays_undecided() {
        let mut record = Record::default();
        for (at, level) in [(12, 120.0), (21, 115.0), (22, 124.0), (49, 120.0)] {
            let seen = ObservedValues::Samples(vec![level; 4]);
            record.add(&Observation { revision: at, seen, build: None, executing: 4.0 }, &ALL);
        }
        let side = BisectorSide {
            good: 12,
            bad: 49,
            finding: BisectorFinding::NotReproduced,
            suspects: Vec::new(),
        };
        let (sides, ranges) = settled(side, 0.01, &record, &ALL);
        let [narrow] = sides.as_slice() else { panic!("{sides:?}") };
        assert_eq!(
            (narrow.good, narrow.bad, narrow.finding),
            (21, 22, BisectorFinding::Undecided(NoCulpritReason::Builds))
        );
        assert_eq!(ranges, [(12, 21), (22, 49)]);
    }
}
