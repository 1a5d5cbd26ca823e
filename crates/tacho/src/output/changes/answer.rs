//! Changes in JSON; docs/src/formats says what each key means.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::changes::is_new_regression;
use tacho_record::{
    Change, ChangeKind, ChangeState, ChangeVerdict, Commit, CommitOfMerge, CvsNumbers, Direction,
    Life, RepeatMeasurement, Revision, TagChange, Unit, Withdrawal,
};
use tacho_report::revision::link as link_of;

/// A change that is kept.
#[derive(Serialize)]
pub struct ChangeAnswer<'a> {
    name: &'a str,
    benchmark: String,
    host: &'a str,
    metric: &'a str,
    unit: &'a Unit,
    better: Direction,
    kind: ChangeKind,
    verdict: ChangeVerdict,
    revision: &'a str,
    good: &'a str,
    bad: &'a str,
    before: f64,
    after: f64,
    effect: Option<f64>,
    interval: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_series: Option<SizeInSeries>,
    p: f64,
    confidence: f64,
    environment: &'a [TagChange],
    points: u32,
    life: &'static str,
    withdrawn: Option<Withdrawal>,
    state: ChangeState,
    note: &'a str,
    fixed_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    named_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of_merge: Option<&'a CommitOfMerge>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    same_program: &'a [String],
    again: Option<&'a RepeatMeasurement>,
    found: Timestamp,
    planned: bool,
    regression: bool,
}

/// The size as it was found in the series, beside the one that was measured again.
#[derive(Serialize)]
struct SizeInSeries {
    effect: Option<f64>,
    interval: Option<(f64, f64)>,
}

impl<'a> ChangeAnswer<'a> {
    /// The change; whether the plan still has its series.
    pub fn of(change: &'a Change, planned: bool) -> Self {
        let (key, finding) = (&change.series, &change.finding);
        let withdrawn = if let Life::Withdrawn { why } = change.life { Some(why) } else { None };
        Self {
            name: &change.name,
            benchmark: key.benchmark.to_string(),
            host: &key.host,
            metric: &key.metric.name,
            unit: &key.metric.unit,
            better: key.metric.better,
            kind: finding.kind,
            verdict: change.verdict(),
            revision: &finding.revision,
            good: &finding.good,
            bad: &finding.bad,
            before: finding.before,
            after: finding.after,
            effect: change.effect(),
            interval: change.interval(),
            in_series: change
                .confirmation()
                .map(|_| SizeInSeries { effect: finding.effect, interval: finding.interval }),
            p: finding.p,
            confidence: 1.0 - finding.p,
            environment: &finding.environment,
            points: finding.points,
            life: life_key(change.life),
            withdrawn,
            state: change.state(),
            note: &change.note,
            fixed_by: change.fixed_by.as_deref(),
            named_by: change.named_by.as_deref(),
            of_merge: change.of_merge.as_ref(),
            same_program: &change.same_program,
            again: change.again.as_ref(),
            found: change.found,
            planned,
            regression: planned && is_new_regression(change),
        }
    }
}

/// A revision in short.
#[derive(Serialize)]
pub struct RevisionAnswer<'a> {
    id: &'a str,
    order: u64,
    date: Option<Timestamp>,
    subject: &'a str,
    tags: &'a [String],
}

/// The word of the format for it, which stays when people read another.
fn life_key(life: Life) -> &'static str {
    match life {
        Life::Confirmed => "confirmed",
        Life::Provisional => "provisional",
        Life::Withdrawn { .. } => "withdrawn",
    }
}

impl<'a> RevisionAnswer<'a> {
    /// The revision.
    pub fn of(revision: &'a Revision) -> Self {
        Self {
            id: &revision.id,
            order: revision.order,
            date: revision.date,
            subject: &revision.subject,
            tags: &revision.tags,
        }
    }
}

/// A commit, with where it can be seen.
#[derive(Serialize)]
pub struct CommitAnswer<'a> {
    id: &'a str,
    order: u64,
    author: &'a str,
    date: Option<Timestamp>,
    subject: &'a str,
    files: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    numbers: &'a BTreeMap<String, CvsNumbers>,
    link: Option<String>,
}

impl<'a> CommitAnswer<'a> {
    /// The commit; `link` is the plan's pattern.
    pub fn of(commit: &'a Commit, link: Option<&str>) -> Self {
        Self {
            id: &commit.id,
            order: commit.order,
            author: &commit.author,
            date: commit.date,
            subject: &commit.subject,
            files: &commit.files,
            numbers: &commit.numbers,
            link: link_of(link, &commit.id),
        }
    }
}
