//! `tacho track --missing`: benchmarks that are new, measured over the past.

use std::collections::HashSet;
use std::time::Duration;

use tacho_measure::Executor;
use tacho_record::{BenchmarkKey, Build, Cell, Change, Revision};
use tacho_store::{HostId, Store};

use crate::pending::track_forecast::typical_execution;
use crate::run::prepare::missing;
use crate::track::track;
use crate::{Context, ExperimentError, Question, TrackResult};

/// How many revisions are measured together: enough to distinguish levels, few enough that the
/// first answer comes soon.
pub const AT_ONCE: usize = 16;

/// Measures what is missing at revisions that are built, the most telling ones first.
///
/// `marks` are the full names of the last revision before and the first after each change that
/// other benchmarks show, the most important change first. At most this many revisions are
/// measured; `None`: all. After an interruption the same question resumes.
pub fn fill(
    context: &mut Context<'_>,
    question: &Question,
    marks: &[(String, String)],
    at_most: Option<usize>,
) -> Result<TrackResult, ExperimentError> {
    let mut all = TrackResult::nothing();
    let Gaps { revisions: mut lacking, builds, .. } =
        lacking((context.store, context.host), context.executor, question, marks)?;
    all.builds = builds;
    all.left = lacking.len().saturating_sub(at_most.unwrap_or(usize::MAX));
    lacking.truncate(at_most.unwrap_or(usize::MAX));
    for together in lacking.chunks(AT_ONCE) {
        let mut revisions: Vec<Revision> = together.to_vec();
        revisions.sort_by_key(|revision| revision.order);
        let tracked = track(context, &Question { revisions, ..question.clone() })?;
        let stopped = tracked.interrupted;
        all.add(&tracked);
        if stopped {
            all.interrupted = true;
            break;
        }
    }
    Ok(all)
}

/// Both sides of the changes that are not withdrawn, the largest first, for [`fill`].
#[must_use]
pub fn marks(changes: &[Change]) -> Vec<(String, String)> {
    let mut standing: Vec<&Change> = changes.iter().filter(|change| change.is_active()).collect();
    let size = |change: &Change| change.finding.effect.map_or(0.0, f64::abs);
    standing.sort_by(|one, two| size(two).total_cmp(&size(one)));
    standing
        .iter()
        .map(|change| (change.finding.good.clone(), change.finding.revision.clone()))
        .collect()
}

/// The cells that [`fill`] would measure.
#[derive(Clone, Debug, Default)]
pub struct MissingMeasurements {
    /// The revisions at which something is missing, in the order in which they are worth it.
    pub revisions: Vec<Revision>,
    /// The missing cells.
    pub cells: Vec<Cell>,
    /// How many revisions of the question are built.
    pub built: usize,
    /// The most executions that there may be; the warmup is among them where it is known how long
    /// it is.
    pub executions: u64,
    /// How long the executions take of benchmarks that were executed on this host before, by the
    /// median of their wall times.
    pub takes: Duration,
    /// The others: how long they take is not known.
    pub unknown: Vec<BenchmarkKey>,
}

/// Finds what [`fill`] would measure, and builds, executes and keeps nothing.
pub fn would_fill(
    (store, host): (&mut Store, HostId),
    executor: &mut dyn Executor,
    question: &Question,
    marks: &[(String, String)],
    at_most: Option<usize>,
) -> Result<MissingMeasurements, ExperimentError> {
    let Gaps { mut revisions, builds, mut cells } =
        lacking((store, host), executor, question, marks)?;
    revisions.truncate(at_most.unwrap_or(usize::MAX));
    let names: HashSet<&str> = revisions.iter().map(|revision| revision.id.as_str()).collect();
    cells.retain(|cell| names.contains(cell.revision.as_str()));
    let mut all = MissingMeasurements { built: builds.len(), ..MissingMeasurements::default() };
    let warmup = question.rule().warmup.executions().unwrap_or(0);
    for (_, key) in question.plan.keyed_benchmarks() {
        let of_key = cells.iter().filter(|cell| cell.benchmark == key);
        let executions: u64 = of_key.map(|cell| u64::from(cell.rounds) + u64::from(warmup)).sum();
        all.executions += executions;
        match typical_execution(store, host, &key)? {
            Some(once) => {
                all.takes += once.saturating_mul(u32::try_from(executions).unwrap_or(u32::MAX));
            }
            None if executions > 0 => all.unknown.push(key),
            None => {}
        }
    }
    Ok(MissingMeasurements { revisions, cells, ..all })
}

/// The gaps in a store.
struct Gaps {
    /// The revisions at which something is, in the order in which they are worth it.
    revisions: Vec<Revision>,
    /// All that are built.
    builds: Vec<Build>,
    cells: Vec<Cell>,
}

fn lacking(
    (store, host): (&mut Store, HostId),
    executor: &mut dyn Executor,
    question: &Question,
    marks: &[(String, String)],
) -> Result<Gaps, ExperimentError> {
    let mut built: Vec<(Revision, Build)> = Vec::new();
    for revision in &question.revisions {
        let known = store
            .build(host, &revision.id, question.recipes.of(&revision.id))?
            .filter(|build| build.state.artifact().is_some());
        built.extend(known.map(|build| (revision.clone(), build)));
    }
    let revisions: Vec<Revision> = built.iter().map(|(revision, _)| revision.clone()).collect();
    let builds: Vec<Build> = built.into_iter().map(|(_, build)| build).collect();
    let of_built = Question { revisions: revisions.clone(), ..question.clone() };
    let cells = missing((store, host), executor, &of_built, &builds)?;
    let place = |id: &String| revisions.iter().position(|revision| revision.id == *id);
    let marks: Vec<usize> =
        marks.iter().flat_map(|(good, bad)| [place(bad), place(good)]).flatten().collect();
    let orders: Vec<u64> = revisions.iter().map(|revision| revision.order).collect();
    let worth = worth(&orders, &marks).into_iter().map(|place| &revisions[place]);
    let lacking = worth.filter(|revision| cells.iter().any(|cell| cell.revision == revision.id));
    let revisions = lacking.cloned().collect();
    Ok(Gaps { revisions, builds, cells })
}

/// Places in the order in which they are most informative: the newest; those that are marked; the
/// oldest; then each time the one in the middle of the widest gap, by place in history, that is
/// left.
fn worth(orders: &[u64], marks: &[usize]) -> Vec<usize> {
    let Some(last) = orders.len().checked_sub(1) else { return Vec::new() };
    let mut taken: Vec<usize> = Vec::with_capacity(orders.len());
    let mut is_taken = vec![false; orders.len()];
    for place in std::iter::once(last).chain(marks.iter().copied()).chain([0]) {
        if place <= last && !std::mem::replace(&mut is_taken[place], true) {
            taken.push(place);
        }
    }
    let mut gaps: std::collections::BinaryHeap<(u64, usize, usize)> =
        std::collections::BinaryHeap::new();
    let put = |gaps: &mut std::collections::BinaryHeap<_>, from: usize, to: usize| {
        if to - from > 1 {
            gaps.push((orders[to].saturating_sub(orders[from]), to, from));
        }
    };
    let mut ends: Vec<usize> = (0..=last).filter(|&place| is_taken[place]).collect();
    ends.dedup();
    for pair in ends.windows(2) {
        put(&mut gaps, pair[0], pair[1]);
    }
    while let Some((_, to, from)) = gaps.pop() {
        let middle = orders[from] + (orders[to].saturating_sub(orders[from])) / 2;
        let near = |place: &usize| orders[*place].abs_diff(middle);
        let place = (from + 1..to).min_by_key(near).unwrap_or(from + 1);
        taken.push(place);
        put(&mut gaps, from, place);
        put(&mut gaps, place, to);
    }
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_newest_then_the_marked_then_the_widest_gap() {
        let orders: Vec<u64> = (1..=9).collect();
        assert_eq!(worth(&orders, &[]), [8, 0, 4, 6, 2, 7, 5, 3, 1]);
        assert_eq!(worth(&orders, &[3, 2]), [8, 3, 2, 0, 5, 6, 7, 4, 1]);
        assert_eq!(worth(&[], &[]), [0; 0]);
        assert_eq!(worth(&[5], &[0, 7]), [0]);
    }

    #[test]
    fn gaps_are_those_of_history() {
        assert_eq!(worth(&[1, 2, 3, 4, 90, 100], &[]), [5, 0, 4, 3, 1, 2]);
    }

    proptest! {
        #[test]
        fn each_comes_once(
            steps in prop::collection::vec(0..50_u64, 0..40),
            marks in prop::collection::vec(0..50_usize, 0..6),
        ) {
            let mut sum = 0;
            let mut next = |step: &u64| {
                sum += step;
                sum
            };
            let orders: Vec<u64> = steps.iter().map(&mut next).collect();
            let mut worth = worth(&orders, &marks);
            prop_assert!(worth.first().is_none_or(|first| first + 1 == orders.len()));
            worth.sort_unstable();
            prop_assert_eq!(worth, (0..orders.len()).collect::<Vec<_>>());
        }
    }
}
