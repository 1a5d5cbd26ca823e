//! The names that `tacho changes` gives to what a survey found.

use tacho_experiment::changes::{ChangeAnalysis, JudgedSeries};
use tacho_experiment::survey::{SurveyOutcome, SurveyedBenchmark};
use tacho_record::{Change, Life, Revision};
use tacho_report::change::withdrawal;
use tacho_report::detection::{BY_CHANCE, not_judged, refusal};
use tacho_stats::place::ChangePlace;

use crate::commands::changes::found::StoredChanges;
use crate::commands::session::CommandSession;
use crate::error::CliError;
use crate::output::surveyed::{PlaceFinding, SurveyFindings};
use crate::project::Project;

/// Judges all series, as `tacho changes` does, and says what it reports at each place of each
/// series; the revisions are those that were surveyed.
pub(super) fn findings(
    project: &Project,
    session: &mut CommandSession,
    revisions: &[Revision],
    placed: &SurveyOutcome,
) -> Result<Vec<SurveyFindings>, CliError> {
    let found = StoredChanges::look(project, &mut session.store)?;
    let on_host = found.hosts.iter().find(|(host, _)| *host == session.host_id);
    let Some((_, analysed)) = on_host else { return Ok(Vec::new()) };
    let judged = SurveyJudgement { found: &found, analysed, revisions };
    Ok(placed.surveyed.iter().map(|one| judged.told(one)).collect())
}

/// What is judged of the host, and of which revisions it was surveyed.
struct SurveyJudgement<'a> {
    found: &'a StoredChanges,
    analysed: &'a ChangeAnalysis,
    revisions: &'a [Revision],
}

impl SurveyJudgement<'_> {
    fn told(&self, one: &SurveyedBenchmark) -> SurveyFindings {
        SurveyFindings {
            places: one.survey.places.iter().map(|place| self.at(one, place)).collect(),
        }
    }

    /// The changes of the level of that series, withdrawn ones too.
    fn changes(&self, one: &SurveyedBenchmark) -> impl Iterator<Item = &Change> {
        let is_of = |change: &&Change| {
            let key = &change.series;
            key.benchmark == one.key && key.metric.name == one.metric.name
        };
        let all = self.analysed.changes.iter().filter(|change| change.finding.kind.is_of_level());
        all.filter(is_of).collect::<Vec<_>>().into_iter()
    }

    /// What is reported of one place.
    fn at(&self, one: &SurveyedBenchmark, place: &ChangePlace) -> PlaceFinding {
        let [good, bad] = [place.good, place.bad].map(|at| self.revisions[at].order);
        let is_there = |change: &&Change| {
            let (after, up_to) = self.found.place(change);
            let rises = change.finding.after > change.finding.before;
            after.max(good) < up_to.min(bad) && rises == (place.effect > 0.0)
        };
        let there: Vec<&Change> = self.changes(one).filter(is_there).collect();
        if let Some(change) = there.iter().find(|change| change.stands()) {
            return PlaceFinding { change: Some(change.name.clone()), why_not: None };
        }
        let gone = there.iter().find_map(|change| match change.life {
            Life::Withdrawn { why } => Some(withdrawal(why).to_owned()),
            Life::Confirmed | Life::Provisional => None,
        });
        let why = gone.unwrap_or_else(|| self.why_not(one, (good, bad)));
        PlaceFinding { change: None, why_not: Some(why) }
    }

    /// Why nothing was ever reported of a change after the first and up to the second of these
    /// places in history.
    fn why_not(&self, one: &SurveyedBenchmark, (good, bad): (u64, u64)) -> String {
        let Some(series) = self.analysed.series(&one.key, &one.metric.name) else {
            return "its series is not judged".to_owned();
        };
        let detection = &series.judgement.detection;
        if let Some(why) = not_judged(detection.judged) {
            return why;
        }
        let is_there = |index: usize| {
            let order = order_at(series, index);
            good < order && order <= bad
        };
        if series.judgement.chance.iter().any(|change| is_there(change.index)) {
            return BY_CHANCE.to_owned();
        }
        let refused = detection.refused.iter().find(|refused| is_there(refused.index));
        let unclear = "it is not clear enough yet".to_owned();
        refused.map_or(unclear, |refused| refusal(refused.why).to_owned())
    }
}

/// The place in history of that point of a series.
fn order_at(series: &JudgedSeries, index: usize) -> u64 {
    series.material.series.points[index].revision.order
}
