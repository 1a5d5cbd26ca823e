//! The best value, looked for: coarse first, then finer where it may be.

use tacho_record::{Rule, Sample};
use tacho_report::sweep::SweepRow;
use tacho_stats::interleaved::InterleavedExecution;
use tacho_stats::sweep::{OptimumSearch, SearchRules, SearchStep, SweepCurve, ValueSpan};

use super::grid::{MissingCurve, SweepQuestion, judged};
use super::observed::executions;
use crate::bench::{BenchQuestion, measure};
use crate::{Context, ExperimentError};

/// A search may take this many executions in any case: those of its first stage, and a few more.
const FEWEST: usize = 50;

/// The question of a search: a sweep whose commands are the grid, and the way of searching.
#[derive(Clone, Debug)]
pub struct OptimumQuestion {
    /// The sweep; its rule says what comes before measuring, and its rounds are those of the whole
    /// grid.
    pub sweep: SweepQuestion,
    /// How to look.
    pub rules: SearchRules,
}

/// A stage of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchStage {
    /// The values of the grid that it executed.
    pub values: Vec<usize>,
    /// In this many rounds.
    pub rounds: u32,
    /// The possible ranges of the best value after it.
    pub spans: Vec<ValueSpan>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct FoundOptimum {
    /// The samples of each value of the grid; empty for a value that was not executed.
    pub samples: Vec<Vec<Sample>>,
    /// One a value of the grid.
    pub rows: Vec<SweepRow>,
    /// The curve over the values that were executed and are allowed.
    pub curve: Result<SweepCurve, MissingCurve>,
    /// The values of the grid in the curve, by their place in it.
    pub places: Vec<usize>,
    /// The ranges of the best value; the ends are places in the grid.
    pub spans: Vec<ValueSpan>,
    /// The stages, in order.
    pub stages: Vec<SearchStage>,
    /// How many executions there were.
    pub taken: usize,
    /// How many the whole grid would have taken.
    pub whole: usize,
    /// Whether the search ended because no more values were allowed.
    pub is_cut_short: bool,
    /// Whether the user stopped it.
    pub is_interrupted: bool,
}

/// Looks for the best value.
pub fn find_optimum(
    context: &mut Context<'_>,
    question: &OptimumQuestion,
) -> Result<FoundOptimum, ExperimentError> {
    let grid = question.sweep.bench.commands.len();
    let mut search = OptimumSearch::new(grid, question.rules);
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); grid];
    let (mut is_interrupted, mut is_cut_short) = (false, false);
    let mut stages = Vec::new();
    loop {
        match search.next_step() {
            SearchStep::Done { is_cut_short: is_short } => is_cut_short = is_short,
            SearchStep::Execute { values, rounds } => {
                is_interrupted = question.stage(context, &values, rounds, &mut samples)?;
                let goes_on = question.take(&mut search, &values, &samples);
                stages.push(SearchStage { values, rounds, spans: search.spans() });
                if goes_on && !is_interrupted {
                    continue;
                }
            }
        }
        break;
    }
    let (rows, places, curve) = judged(&question.sweep, &samples);
    let taken = samples.iter().flatten().filter(|sample| sample.place.round > 0).count();
    let whole = grid * question.sweep.bench.rule.max_rounds as usize;
    let spans = search.spans();
    Ok(FoundOptimum {
        samples,
        rows,
        curve,
        places,
        spans,
        stages,
        taken,
        whole,
        is_cut_short,
        is_interrupted,
    })
}

impl OptimumQuestion {
    /// A search with at most half of the executions that the rounds of the whole grid would take,
    /// or with up to `FEWEST` where that is more.
    #[must_use]
    pub fn of(sweep: SweepQuestion) -> Self {
        let values = sweep.bench.commands.len();
        let whole = values * sweep.bench.rule.max_rounds as usize;
        let usual = SearchRules::usual(values);
        let rules = SearchRules { most: (whole / 2).max(FEWEST), margin: sweep.margin, ..usual };
        Self { sweep, rules }
    }

    /// Executes these values; whether the user stopped it.
    fn stage(
        &self,
        context: &mut Context<'_>,
        values: &[usize],
        rounds: u32,
        samples: &mut [Vec<Sample>],
    ) -> Result<bool, ExperimentError> {
        let own = &self.sweep.bench;
        let commands = values.iter().map(|value| own.commands[*value].clone()).collect();
        let rule = Rule { min_rounds: rounds, max_rounds: rounds, ..own.rule.clone() };
        // Each stage has an order of its own.
        let stage = samples.iter().flatten().count() as u64;
        let question =
            BenchQuestion { commands, rule, seed: own.seed.wrapping_add(stage), ..own.clone() };
        let answer = measure(context, &question)?;
        let first = last_round(samples);
        for (value, measured) in values.iter().zip(answer.samples) {
            let later = |mut sample: Sample| {
                // The warmup of a later stage is a warmup too.
                if sample.place.round > 0 {
                    sample.place.round += first;
                }
                sample
            };
            samples[*value].extend(measured.into_iter().map(later));
        }
        Ok(answer.interrupted)
    }

    /// Has the search know what the last stage showed; whether there is something to go on with.
    fn take(&self, search: &mut OptimumSearch, values: &[usize], samples: &[Vec<Sample>]) -> bool {
        let before = search.rounds();
        let metrics: Vec<_> = (0..samples.len()).map(|value| self.sweep.metric(value)).collect();
        let own: Vec<&[Sample]> = samples.iter().map(Vec::as_slice).collect();
        let Ok(all) = executions(&own, &metrics) else { return false };
        let new: Vec<InterleavedExecution> =
            all.into_iter().filter(|it| it.round > before).collect();
        search.observe(&new);
        let executed = |value: &usize| {
            let rounds = samples[*value].iter().map(|sample| sample.place.round);
            rounds.filter(|round| *round > before).count()
        };
        let executed: usize = values.iter().map(executed).sum();
        search.observe_without_value(executed.saturating_sub(new.len()));
        for value in values {
            let has_values = new.iter().any(|it| it.program == *value)
                && !samples[*value].iter().any(Sample::is_limited);
            let mut limits =
                self.sweep.limits.iter().map(|limit| limit.median_keeps(&samples[*value]));
            let keeps = limits.all(|limit| limit.is_some_and(|(keeps, _)| keeps));
            search.allow(*value, keeps && has_values);
        }
        !new.is_empty()
    }
}

/// The last round so far.
fn last_round(samples: &[Vec<Sample>]) -> u32 {
    samples.iter().flatten().map(|sample| sample.place.round).max().unwrap_or(0)
}
