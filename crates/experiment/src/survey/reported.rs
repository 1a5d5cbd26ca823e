//! The changes that `tacho changes` reports at the places of a survey.

use tacho_record::{Change, Life, Revision};
use tacho_report::detection::NotReported;
use tacho_stats::changes::JudgementStatus;
use tacho_stats::survey::ChangePlace;

use super::SurveyedBenchmark;
use crate::changes::{ChangeAnalysis, JudgedSeries, RevisionOrders, place_of};

/// The report of a place.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportedPlace {
    /// The change of this name.
    Change(String),
    /// No change, and why.
    Nothing(NotReported),
}

/// The report of each place of these benchmarks, which were surveyed at these revisions of the
/// analysed host.
#[must_use]
pub fn reported(
    (analysed, orders): (&ChangeAnalysis, &RevisionOrders),
    revisions: &[Revision],
    surveyed: &[SurveyedBenchmark],
) -> Vec<Vec<ReportedPlace>> {
    let of = |one: &SurveyedBenchmark, place: &ChangePlace| {
        let ends = (revisions[place.good].order, revisions[place.bad].order);
        reported_at((analysed, orders), one, (place, ends))
    };
    let places = |one: &SurveyedBenchmark| -> Vec<ReportedPlace> {
        one.survey.places.iter().map(|place| of(one, place)).collect()
    };
    surveyed.iter().map(places).collect()
}

/// The same of one place, which is after the first and up to the second of these in history.
fn reported_at(
    (analysed, orders): (&ChangeAnalysis, &RevisionOrders),
    one: &SurveyedBenchmark,
    (place, (good, bad)): (&ChangePlace, (u64, u64)),
) -> ReportedPlace {
    let is_there = |change: &&Change| {
        let (key, finding) = (&change.series, &change.finding);
        let (after, up_to) = place_of(change, orders);
        let is_of = key.benchmark == one.key && key.metric.name == one.metric.name;
        let is_alike = (finding.after > finding.before) == (place.effect > 0.0);
        is_of && finding.kind.is_of_level() && after.max(good) < up_to.min(bad) && is_alike
    };
    let there: Vec<&Change> = analysed.changes.iter().filter(is_there).collect();
    if let Some(change) = there.iter().find(|change| change.is_active()) {
        return ReportedPlace::Change(change.name.clone());
    }
    let gone = there.iter().find_map(|change| match change.life {
        Life::Withdrawn { why } => Some(NotReported::Withdrawn(why)),
        Life::Confirmed | Life::Provisional => None,
    });
    let series = analysed.series(&one.key, &one.metric.name);
    ReportedPlace::Nothing(gone.unwrap_or_else(|| why_not(series, (good, bad))))
}

/// Why nothing was ever reported after the first and up to the second of these places in history.
fn why_not(series: Option<&JudgedSeries>, (good, bad): (u64, u64)) -> NotReported {
    let Some(JudgedSeries { material, judgement, .. }) = series else {
        return NotReported::NoSeries;
    };
    let detection = &judgement.detection;
    if let judged @ (JudgementStatus::Empty | JudgementStatus::TooFew { .. }) = detection.judged {
        return NotReported::NotJudged(judged);
    }
    let is_there = |index: usize| {
        let order = material.series.points[index].revision.order;
        good < order && order <= bad
    };
    if judgement.chance.iter().any(|change| is_there(change.index)) {
        return NotReported::ByChance;
    }
    let refused = detection.refused.iter().find(|refused| is_there(refused.index));
    refused.map_or(NotReported::Unclear, |refused| NotReported::Refused(refused.why))
}
