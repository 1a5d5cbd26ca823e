//! The content of a list of changes, and its notes.

use std::collections::HashSet;

use tacho_record::{Bisection, Change, Metric, Plan, SeriesKey};
use tacho_report::bisection::{beside_changes, subject};
use tacho_store::Store;

use super::{ChangeFilter, JudgedSeries, StoredChanges, is_new_regression};
use crate::ExperimentError;

/// The changes of a list.
pub struct ListedChanges<'a> {
    /// The changes that are shown as changes of the program.
    pub shown: Vec<&'a Change>,
    /// The changes that are probably other work on the host.
    pub other_work: Vec<&'a Change>,
    /// The changes of series that the plan no longer has. Only a filter of all changes shows them.
    pub unplanned: Vec<&'a Change>,
    /// How many of the plan's series are new regressions.
    pub regressions: usize,
    /// How many changes of the filter's series are not shown because of its other conditions.
    pub hidden: usize,
}

impl StoredChanges {
    /// The changes that the filter shows, `among` some of them.
    pub fn listed(
        &self,
        filter: &ChangeFilter,
        among: impl Fn(&Change) -> bool,
    ) -> ListedChanges<'_> {
        let is_shown =
            |change: &&Change| among(change) && filter.shows_kept(change, self.place(change));
        let (mut shown, unplanned): (Vec<&Change>, Vec<&Change>) =
            self.changes().filter(is_shown).partition(|change| self.is_planned(change));
        let regressions = shown.iter().filter(|change| is_new_regression(change)).count();
        let usual = ChangeFilter::default();
        let is_hidden = |change: &&Change| {
            among(change)
                && self.is_planned(change)
                && filter.shows_series(&change.series)
                && usual.shows_kept(change, self.place(change))
                && !filter.shows_kept(change, self.place(change))
        };
        let hidden = self.changes().filter(is_hidden).count();
        if filter.all {
            shown.extend(&unplanned);
        }
        let (other_work, shown) =
            shown.into_iter().partition(|change| change.is_active() && change.is_of_other_work());
        ListedChanges { shown, other_work, unplanned, regressions, hidden }
    }

    /// The series that the filter shows.
    pub fn series_shown(&self, filter: &ChangeFilter) -> impl Iterator<Item = &JudgedSeries> {
        self.series().filter(|series| filter.shows_series(&series.material.series.key))
    }

    /// The bisections, newest first: where series are judged, those that found what no change
    /// shows, each commit once. And how many named a commit for a benchmark, or a version of one,
    /// that the plan no longer has.
    pub fn listed_bisections(
        &self,
        store: &mut Store,
        (plan, filter): (&Plan, &ChangeFilter),
        is_judged: bool,
    ) -> Result<(Vec<Bisection>, usize), ExperimentError> {
        let all = store.bisections()?.into_iter().rev().map(|(bisection, _)| bisection);
        if !is_judged {
            return Ok((all.collect(), 0));
        }
        let planned = plan.keyed_benchmarks();
        let is_known = |it: &Bisection| {
            let key = &it.asked.benchmark;
            it.asked.test.is_some() || planned.iter().any(|(_, of)| of == key)
        };
        let is_shown = |it: &Bisection| {
            let key = &it.asked.benchmark;
            filter.shows_benchmark(&key.to_string(), &key.name)
        };
        let order = |id: &str| self.orders.get(id).copied();
        let mut said = HashSet::new();
        let mut is_new = |it: &Bisection| {
            let named = it.standing.culprits.iter().map(|culprit| &culprit.revision);
            let named: Vec<String> = named.cloned().collect();
            let finds = !beside_changes(it, &self.changes(), order).is_empty();
            finds && (named.is_empty() || said.insert((subject(&it.asked), named)))
        };
        let (known, unplanned): (Vec<Bisection>, Vec<Bisection>) =
            all.filter(is_shown).partition(is_known);
        let named = unplanned.iter().filter(|it| !it.standing.culprits.is_empty()).count();
        Ok((known.into_iter().filter(|it| is_new(it)).collect(), named))
    }

    /// Series of metrics that the filter names and that were measured, but that are not judged,
    /// since the plan does not name the metric.
    pub fn not_planned(
        &self,
        store: &mut Store,
        plan: &Plan,
        filter: &ChangeFilter,
    ) -> Result<Vec<SeriesKey>, ExperimentError> {
        let metrics = store.metrics()?.into_iter();
        let named: Vec<Metric> = metrics.filter(|it| filter.names_metric(&it.name)).collect();
        let mut all = Vec::new();
        for (host, known) in store.named_hosts()?.into_iter().filter(|_| !named.is_empty()) {
            for (_, benchmark) in plan.keyed_benchmarks() {
                for metric in &named {
                    let (benchmark, host_name) = (benchmark.clone(), known.name.clone());
                    let key = SeriesKey { benchmark, host: host_name, metric: metric.clone() };
                    let is_judged = self.series().any(|it| it.material.series.key == key);
                    let is_shown = filter.shows_series(&key) && !is_judged;
                    if is_shown && !store.values(host, &key.benchmark, &metric.name)?.is_empty() {
                        all.push(key);
                    }
                }
            }
        }
        Ok(all)
    }
}
