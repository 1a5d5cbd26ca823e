//! Looking for the best value without executing all of them: coarse first, then finer where the
//! best may be.
//!
//! The values are a fine grid, in rising order. The first stage executes a few values over the
//! whole range, so that a second dip is seen where it is wider than their distance. Each further
//! stage executes the values that may be the best once more, together with the middles of the gaps
//! beside them. A stage leaves no value out for good: each one stays in the estimate, and returns
//! as soon as it may be the best again.
//!
//! The answer is a span around each group of values that may be the best, up to the executed values
//! beside it that may not. If the curve has one dip between neighbours, the best of all values lies
//! in one of these spans. Stages leave values out for now at half of the error; simulations test
//! how often the answer is right.
//!
//! The search checks that there is only one dip: it looks into a gap wherever a convex curve
//! through the values around it would reach below the best one.

use super::SweepLevels;
use super::curve::{lowest, plateau};
use crate::distribution::student_quantile;
use crate::interleaved::InterleavedExecution;

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRules {
    /// Values of the first stage.
    pub coarse: usize,
    /// Rounds of the first stage.
    pub first_rounds: u32,
    /// Rounds of each other stage.
    pub rounds: u32,
    /// Values that are one after the other this far apart are near enough, in steps of the grid.
    pub width: usize,
    /// No more executions than this, whatever is known by then.
    pub most: usize,
    /// Up to this share two values are called the same.
    pub margin: f64,
}

impl SearchRules {
    /// The usual rules for a grid of this many values: half of the executions that ten rounds of
    /// all of them would take.
    #[must_use]
    pub fn usual(values: usize) -> Self {
        Self {
            coarse: 9,
            first_rounds: 5,
            rounds: 4,
            width: 1,
            most: (5 * values).max(50),
            margin: 0.01,
        }
    }
}

/// The part of the error that a stage may use to leave values out for now.
const STAGE: f64 = 0.5;
/// The number of gaps that one stage searches for a hidden lower value.
const HIDDEN: usize = 3;
/// A gap may hide a lower value where its reach is below the best level by no less than this many
/// standard errors above.
const NEAR: f64 = 1.0;
/// A value is executed this often at most before its stage is over: more rounds of it would settle
/// nothing.
const OFTENEST: usize = 200;

/// The next step.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchStep {
    /// Execute these values, in rising order, in this many rounds.
    Execute {
        /// Their places in the grid.
        values: Vec<usize>,
        /// How often each.
        rounds: u32,
    },
    /// Enough is known, or no more may be executed.
    Done {
        /// Whether the search ended because no more executions are allowed.
        is_cut_short: bool,
    },
}

/// Neighbours in the grid between which the best value may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSpan {
    /// The places of its ends in the grid. The value at an end is outside, unless the grid ends
    /// there.
    pub ends: (usize, usize),
    /// The executed values in it that may be the best.
    pub may_be_best: Vec<usize>,
}

/// A search for the best value of a grid.
#[derive(Clone, Debug)]
pub struct OptimumSearch {
    rules: SearchRules,
    values: usize,
    /// Whether a value keeps the limits that were requested; `None`: not known yet.
    allowed: Vec<Option<bool>>,
    /// The executions of each value, in order of time; `program` is the place in the grid.
    executions: Vec<InterleavedExecution>,
    /// How many executions gave no value.
    without_value: usize,
    has_begun: bool,
}

impl OptimumSearch {
    /// A search in a grid of this many values.
    #[must_use]
    pub fn new(values: usize, rules: SearchRules) -> Self {
        Self {
            rules,
            values,
            allowed: vec![None; values],
            executions: Vec::new(),
            without_value: 0,
            has_begun: false,
        }
    }

    /// Takes executions, in order of time: the program is the place in the grid, and no round
    /// number occurs in two stages.
    pub fn observe(&mut self, executions: &[InterleavedExecution]) {
        self.executions.extend_from_slice(executions);
    }

    /// Takes note of executions that gave no value: they count as executed too.
    pub fn observe_without_value(&mut self, executions: usize) {
        self.without_value += executions;
    }

    /// Takes note that a value does or does not keep the limits that were requested.
    pub fn allow(&mut self, value: usize, is_allowed: bool) {
        self.allowed[value] = Some(is_allowed);
    }

    /// How many executions there were.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.executions.len() + self.without_value
    }

    /// The last round that was observed; 0 before the first.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.executions.iter().map(|it| it.round).max().unwrap_or(0)
    }

    /// The values that were executed or are known not to be allowed, in rising order.
    #[must_use]
    pub fn known(&self) -> Vec<usize> {
        let mut known: Vec<usize> = self.executions.iter().map(|it| it.program).collect();
        known.extend((0..self.values).filter(|value| self.allowed[*value] == Some(false)));
        known.sort_unstable();
        known.dedup();
        known
    }

    /// The executed values that are allowed, in rising order, with their levels; `None` if there
    /// are none.
    #[must_use]
    pub fn levels(&self) -> Option<(Vec<usize>, SweepLevels)> {
        let is_allowed = |value: usize| self.allowed[value] != Some(false);
        let mut values: Vec<usize> = self.executions.iter().map(|it| it.program).collect();
        values.sort_unstable();
        values.dedup();
        values.retain(|value| is_allowed(*value));
        let index = |it: &InterleavedExecution| {
            Some(InterleavedExecution { program: values.binary_search(&it.program).ok()?, ..*it })
        };
        let executions: Vec<InterleavedExecution> =
            self.executions.iter().filter_map(index).collect();
        let levels = SweepLevels::of(&executions, values.len())?;
        Some((values, levels))
    }

    /// The judgement of the executions so far.
    fn judged(&self, error: f64) -> Option<JudgedValue> {
        let (values, levels) = self.levels()?;
        let may_be_best = plateau(&levels, error);
        let best = lowest(&levels.levels)?;
        Some(JudgedValue {
            best,
            may_be_best: may_be_best.iter().map(|index| values[*index]).collect(),
            values,
            levels,
        })
    }

    /// The next step.
    #[must_use]
    pub fn next_step(&mut self) -> SearchStep {
        if !self.has_begun {
            self.has_begun = true;
            return SearchStep::Execute { values: self.coarse(), rounds: self.rules.first_rounds };
        }
        let Some(judged) = self.judged(STAGE * super::ERROR) else {
            return SearchStep::Done { is_cut_short: true };
        };
        let gaps = [self.edges(&judged), self.hidden(&judged)].concat();
        let middles: Vec<usize> =
            gaps.into_iter().map(|(low, high)| usize::midpoint(low, high)).collect();
        if middles.is_empty() && judged.is_settled(self.rules.margin) {
            return SearchStep::Done { is_cut_short: false };
        }
        let oftenest = self.executions.len() / self.known().len().max(1);
        let mut values = [judged.may_be_best, middles].concat();
        values.sort_unstable();
        values.dedup();
        // The last stage has the rounds that are left.
        let left = self.rules.most.saturating_sub(self.taken()) / values.len().max(1);
        let rounds = self.rules.rounds.min(u32::try_from(left).unwrap_or(u32::MAX));
        if rounds == 0 || oftenest > OFTENEST {
            return SearchStep::Done { is_cut_short: true };
        }
        SearchStep::Execute { values, rounds }
    }

    /// The values of the first stage: evenly over the whole range, its ends among them.
    fn coarse(&self) -> Vec<usize> {
        let (last, parts) = (self.values.saturating_sub(1), self.rules.coarse.max(2) - 1);
        let mut values: Vec<usize> =
            (0..=parts).map(|part| (part * last + parts / 2) / parts).collect();
        values.dedup();
        values
    }

    /// The gaps between a value that may be the best and one beside it that may not, where they are
    /// wide.
    fn edges(&self, judged: &JudgedValue) -> Vec<(usize, usize)> {
        let may_be_best = |value: usize| judged.may_be_best.binary_search(&value).is_ok();
        let is_edge = |(low, high): &(usize, usize)| may_be_best(*low) != may_be_best(*high);
        self.wide_gaps().into_iter().filter(is_edge).collect()
    }

    /// The gaps that may hide a value lower than the best one, those that reach lowest first.
    fn hidden(&self, judged: &JudgedValue) -> Vec<(usize, usize)> {
        let best = judged.levels.levels[judged.best];
        let reach = |gap: (usize, usize)| Some((judged.reach(gap)?, gap));
        let mut gaps: Vec<(f64, (usize, usize))> = self
            .wide_gaps()
            .into_iter()
            .filter_map(reach)
            .filter(|(reach, _)| *reach < best)
            .collect();
        gaps.sort_by(|one, other| one.0.total_cmp(&other.0));
        gaps.into_iter().take(HIDDEN).map(|(_, gap)| gap).collect()
    }

    /// Neighbours among what is known that are farther apart than was requested.
    fn wide_gaps(&self) -> Vec<(usize, usize)> {
        let known = self.known();
        let pairs = known.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.filter(|(low, high)| high - low > self.rules.width.max(1)).collect()
    }

    /// The spans that may contain the best value, in rising order.
    #[must_use]
    pub fn spans(&self) -> Vec<ValueSpan> {
        let Some(judged) = self.judged(super::ERROR) else { return Vec::new() };
        let known = self.known();
        let around = |value: &usize| {
            let at = known.binary_search(value).unwrap_or(0);
            let low = at.checked_sub(1).map_or(*value, |before| known[before]);
            let high = known.get(at + 1).copied().unwrap_or(*value);
            ValueSpan { ends: (low, high), may_be_best: vec![*value] }
        };
        let mut all: Vec<ValueSpan> = judged.may_be_best.iter().map(around).collect();
        let open = |ends: (usize, usize)| ValueSpan { ends, may_be_best: Vec::new() };
        all.extend(self.hidden(&judged).into_iter().map(open));
        all.sort_by_key(|span| span.ends);
        let mut spans: Vec<ValueSpan> = Vec::new();
        for span in all {
            match spans.last_mut().filter(|last| span.ends.0 <= last.ends.1) {
                Some(last) => {
                    last.ends.1 = last.ends.1.max(span.ends.1);
                    last.may_be_best.extend(span.may_be_best);
                }
                None => spans.push(span),
            }
        }
        spans
    }
}

/// The judgement of the executions so far.
struct JudgedValue {
    /// The executed values that are allowed, in rising order, with their levels.
    values: Vec<usize>,
    levels: SweepLevels,
    /// The index of the lowest level.
    best: usize,
    /// The values that may be the best.
    may_be_best: Vec<usize>,
}

impl JudgedValue {
    /// The lowest level that may be in a gap if the curve is convex around it, less what the noise
    /// allows: the lines through the values on either side, prolonged into it. `None` where a line
    /// is not known on either side.
    fn reach(&self, (low, high): (usize, usize)) -> Option<f64> {
        let left = self.values.binary_search(&low).ok();
        let right = self.values.binary_search(&high).ok();
        let line = |near: Option<usize>, far: Option<usize>| {
            let (near, far) = (near?, far?);
            let at = |index: usize| self.values[index] as f64;
            let slope = (self.levels.levels[near] - self.levels.levels[far]) / (at(near) - at(far));
            Some((at(near), self.levels.levels[near], slope))
        };
        let left_line = line(left, left.and_then(|left| left.checked_sub(1)));
        let right_line =
            line(right, right.map(|right| right + 1).filter(|far| *far < self.values.len()));
        let ends = [left, right].into_iter().flatten();
        let error = ends.map(|index| self.levels.error(index, self.best)).fold(0.0, f64::max);
        let lowest = match (left_line, right_line) {
            (None, None) => return None,
            (Some((at, level, slope)), None) => level + slope.min(0.0) * (high as f64 - at),
            (None, Some((at, level, slope))) => level - slope.max(0.0) * (at - low as f64),
            (Some(left), Some(right)) => crossing(left, right, low as f64, high as f64),
        };
        Some(lowest - NEAR * error)
    }

    /// Whether more rounds would change nothing that matters: only one value may be the best, or
    /// all candidates cost no more than the margin.
    fn is_settled(&self, margin: f64) -> bool {
        let levels = &self.levels;
        let chance = 1.0 - super::ERROR / self.values.len() as f64;
        let far = |value: &usize| {
            let at = self.values.binary_search(value).unwrap_or(self.best);
            if at == self.best {
                return 0.0;
            }
            let critical = student_quantile(chance, levels.freedom(at, self.best));
            levels.levels[at] - levels.levels[self.best] + critical * levels.error(at, self.best)
        };
        self.may_be_best.len() < 2
            || self.may_be_best.iter().all(|value| far(value) <= margin.ln_1p())
    }
}

/// The lowest level above both lines between two places; each is a place, the level there, and the
/// slope.
fn crossing(left: (f64, f64, f64), right: (f64, f64, f64), low: f64, high: f64) -> f64 {
    let above =
        |at: f64| f64::max(left.1 + left.2 * (at - left.0), right.1 + right.2 * (at - right.0));
    let meet = (right.1 - right.2 * right.0 - left.1 + left.2 * left.0) / (left.2 - right.2);
    let inside = if meet.is_finite() { meet.clamp(low, high) } else { low };
    above(inside).min(above(low)).min(above(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executes what a search asks for, with this much noise and levels by place.
    fn searched(
        values: usize,
        noise: f64,
        level: impl Fn(usize) -> f64,
    ) -> (OptimumSearch, Vec<usize>, bool) {
        let mut search = OptimumSearch::new(values, SearchRules::usual(values));
        let (mut round, mut number, mut order) = (0, 0_u32, Vec::new());
        loop {
            match search.next_step() {
                SearchStep::Done { is_cut_short } => return (search, order, is_cut_short),
                SearchStep::Execute { values, rounds } => {
                    order.extend(&values);
                    for _ in 0..rounds {
                        round += 1;
                        for program in &values {
                            number += 1;
                            let noise = noise * (f64::from((number * 7919) % 101) / 50.0 - 1.0);
                            let value = level(*program) + noise;
                            search.observe(&[InterleavedExecution {
                                program: *program,
                                round,
                                value,
                            }]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn executions_without_a_value_count_as_executed() {
        let mut search = OptimumSearch::new(100, SearchRules::usual(100));
        search.observe_without_value(7);
        assert_eq!(search.taken(), 7);
    }

    #[test]
    fn a_dip_is_found_and_values_far_from_it_are_left_out() {
        let (search, order, is_cut_short) =
            searched(65, 0.01, |at| 0.002 * (at as f64 - 23.0) * (at as f64 - 23.0));
        assert_eq!(&order[..9], &[0, 8, 16, 24, 32, 40, 48, 56, 64]);
        let spans = search.spans();
        assert_eq!(spans.len(), 1, "{spans:?}");
        assert!(
            spans[0].ends.0 < 23 && spans[0].ends.1 > 23 && spans[0].ends.1 - spans[0].ends.0 < 10
        );
        assert!(!order[9..].iter().any(|at| *at > 40), "{order:?}");
        assert!(search.taken() <= 325 && !is_cut_short, "{}", search.taken());
    }

    #[test]
    fn two_dips_that_are_alike_are_two_spans() {
        let level = |at: usize| 0.02 * (at as f64 - 12.0).abs().min((at as f64 - 52.0).abs());
        let (search, ..) = searched(65, 0.005, level);
        let ends: Vec<(usize, usize)> = search.spans().into_iter().map(|span| span.ends).collect();
        assert_eq!(ends.len(), 2, "{ends:?}");
        assert!(ends[0].0 < 12 && ends[0].1 > 12 && ends[1].0 < 52 && ends[1].1 > 52, "{ends:?}");
    }

    #[test]
    fn a_flat_curve_ends_without_an_answer_or_with_all_of_the_range() {
        let (search, _, _) = searched(65, 0.05, |_| 0.0);
        assert_eq!(search.spans().first().map(|span| span.ends.0), Some(0));
        assert!(search.taken() <= 325);
    }

    #[test]
    fn what_is_not_allowed_is_beside_the_answer_and_not_in_it() {
        let mut search = OptimumSearch::new(9, SearchRules { coarse: 9, ..SearchRules::usual(9) });
        let _ = search.next_step();
        for round in 0..10 {
            let level = |program: usize| -(program as f64) + 0.01 * f64::from(round % 3);
            let all = (0..9).map(|program| InterleavedExecution {
                program,
                round,
                value: level(program),
            });
            search.observe(&all.collect::<Vec<_>>());
        }
        (6..9).for_each(|value| search.allow(value, false));
        assert_eq!(search.next_step(), SearchStep::Done { is_cut_short: false });
        assert_eq!(search.spans(), [ValueSpan { ends: (4, 6), may_be_best: vec![5] }]);
    }
}
