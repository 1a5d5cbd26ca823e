//! The highest load that keeps a limit: one execution is one trial.

use tacho_record::{Failure, Metric, Outcome, Rule, Sample};
use tacho_stats::sweep::{LoadGoal, LoadOutcome, LoadSearch, LoadStep, LoadTrial};

use super::MetricLimit;
use crate::bench::{BenchQuestion, measure};
use crate::{Context, ExperimentError};

/// The question of a search for the highest load.
#[derive(Clone, Debug)]
pub struct LoadQuestion {
    /// The commands, one a load, the lowest load first, and how they are executed.
    pub bench: BenchQuestion,
    /// The limit that a trial must keep.
    pub limit: MetricLimit,
    /// The metric of the load that a trial really carried, if it is read.
    pub received: Option<Metric>,
    /// The criterion for a load; its durations are counted in trials, which all have one length.
    pub goal: LoadGoal,
}

/// The result of a search for the highest load.
#[derive(Clone, Debug)]
pub struct HighestLoad {
    /// All trials, and what they decided.
    pub search: LoadSearch,
    /// The outcome; `None` if the search was interrupted, or a trial failed.
    pub outcome: Option<LoadOutcome>,
    /// The samples of each load of the grid.
    pub samples: Vec<Vec<Sample>>,
    /// How a trial failed, after which no other was made: the load's place, the reason, and the
    /// last that it printed.
    pub failure: Option<(usize, String, String)>,
    /// Whether the user stopped it.
    pub is_interrupted: bool,
}

/// Looks for the highest load that keeps the limit.
pub fn highest_load(
    context: &mut Context<'_>,
    question: &LoadQuestion,
) -> Result<HighestLoad, ExperimentError> {
    let loads = question.bench.commands.len();
    let mut found = HighestLoad {
        search: LoadSearch::new(loads, question.goal),
        outcome: None,
        samples: vec![Vec::new(); loads],
        failure: None,
        is_interrupted: false,
    };
    loop {
        match found.search.next_step() {
            LoadStep::Done(outcome) => found.outcome = Some(outcome),
            LoadStep::Try(load) => {
                question.trial(context, load, &mut found)?;
                if found.failure.is_none() && !found.is_interrupted {
                    continue;
                }
            }
        }
        return Ok(found);
    }
}

impl LoadQuestion {
    /// Makes one trial.
    fn trial(
        &self,
        context: &mut Context<'_>,
        load: usize,
        found: &mut HighestLoad,
    ) -> Result<(), ExperimentError> {
        let number = found.search.trials().len();
        let own = &self.bench;
        let rule = Rule { warmup: false.into(), min_rounds: 1, max_rounds: 1, ..own.rule.clone() };
        let question = BenchQuestion {
            commands: vec![own.commands[load].clone()],
            rule,
            seed: own.seed.wrapping_add(number as u64),
            ..own.clone()
        };
        let answer = measure(context, &question)?;
        found.is_interrupted = answer.interrupted;
        for mut sample in answer.samples.into_iter().flatten() {
            sample.place.round = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
            // An overloaded program may not end in time; another failure may be a mistake.
            let kept = self.limit.is_kept_by(&sample);
            match kept.or(is_timed_out(&sample).then_some(false)) {
                Some(is_good) => found.search.observe(LoadTrial {
                    load,
                    seconds: 1.0,
                    is_good,
                    received: self.received.as_ref().and_then(|metric| sample.value(&metric.name)),
                }),
                None => found.failure = Some(self.failure(load, &sample)),
            }
            found.samples[load].push(sample);
        }
        if !found.is_interrupted && found.failure.is_none() && found.search.trials().len() == number
        {
            found.failure = Some((load, "nothing was executed".to_owned(), String::new()));
        }
        Ok(())
    }

    fn failure(&self, load: usize, sample: &Sample) -> (usize, String, String) {
        let reported = sample.outcome.described();
        let (why, output) =
            reported.map(|(why, output)| (why, output.to_owned())).unwrap_or_default();
        let lacking = || format!("it has no `{}`", self.limit.metric.name);
        (load, if why.is_empty() { lacking() } else { why }, output)
    }
}

fn is_timed_out(sample: &Sample) -> bool {
    matches!(&sample.outcome, Outcome::Failed { failure: Failure::TimedOut, .. })
}
