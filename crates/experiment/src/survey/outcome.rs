//! The goal of a survey, and its result.

use std::time::Duration;

use tacho_record::{BenchmarkKey, Metric};
use tacho_report::survey::SurveyEnd;
use tacho_stats::survey::Survey;

use crate::survey::edges::EnvironmentEdge;
use crate::track_result::TrackResult;

/// The changes to find, and the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct SurveyRequest {
    /// The smallest change that is worth a build: 0.05 is 5 %.
    pub least: f64,
    /// At most this many builds, those of interrupted sessions included.
    pub builds: Option<usize>,
    /// At most this much time for builds and executions together, that of interrupted sessions
    /// included.
    pub budget: Option<Duration>,
    /// Only between these two of the question's revisions; `None`: everywhere.
    pub zoom: Option<(usize, usize)>,
    /// The metric to survey; a benchmark without it uses its first one.
    pub metric: Option<String>,
}

/// The smallest change that is looked for where nothing else is known.
const LEAST: f64 = 0.05;
/// The size of changes to find in a zoom, as a share of the known change.
const OF_KNOWN: f64 = 0.5;
/// No smaller change is looked for in a zoom, unless the user names one.
const SMALLEST: f64 = 0.005;

/// The smallest change that is worth a build, as a share: the one that is `asked` for, else a part
/// of the effect of the change that is `known` there.
#[must_use]
pub fn least_of_survey(asked: Option<f64>, known: Option<f64>) -> f64 {
    let of_known = known.map(|effect| (OF_KNOWN * effect.abs()).clamp(SMALLEST, LEAST));
    asked.filter(|least| *least > 0.0).or(of_known).unwrap_or(LEAST)
}

/// The survey of one benchmark over the history.
#[derive(Clone, Debug)]
pub struct SurveyedBenchmark {
    /// The benchmark with its parameters.
    pub key: BenchmarkKey,
    /// By which metric.
    pub metric: Metric,
    /// The places of changes; they count the question's revisions.
    pub survey: Survey,
    /// The changes besides the program at each of these places, which may be the cause; reported at
    /// the end.
    pub edges: Vec<Vec<EnvironmentEdge>>,
}

/// The result of a survey.
#[derive(Clone, Debug)]
pub struct SurveyOutcome {
    /// The survey of each benchmark.
    pub surveyed: Vec<SurveyedBenchmark>,
    /// The builds and samples of this session. The builds are those of this question, including
    /// existing ones, in order of history; the run is the last one.
    pub tracked: TrackResult,
    /// How many builds the question has taken, those of interrupted sessions included.
    pub made: usize,
    /// The reason why the survey ended.
    pub ended: SurveyEnd,
    /// Builds tried by this session.
    pub tried: usize,
}

impl SurveyOutcome {
    pub(crate) fn nothing() -> Self {
        Self {
            surveyed: Vec::new(),
            tracked: TrackResult::nothing(),
            made: 0,
            ended: SurveyEnd::Interrupted,
            tried: 0,
        }
    }
}
