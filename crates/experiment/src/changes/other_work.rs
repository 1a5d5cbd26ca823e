//! Changes of wall time that other work on the host explains.
//!
//! The judgement is [`tacho_stats::waiting`]'s. Here samples become numbers for it, and what it
//! says of a change becomes words.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tacho_record::{Digest, TagChange};
use tacho_report::words::effect;
use tacho_stats::changes::{self as stats, Kind};
use tacho_stats::waiting::{ExecutionTimes, WithoutWaiting, without_waiting};
use tacho_store::{Store, StoreError};

use super::scope::{JudgedSeries, Scope};
use super::{Material, attribution};

/// The times of an execution: all of it, on CPUs, on CPUs by its first thread, waiting for one, and
/// what others used meanwhile.
const TIMES: [&str; 5] = ["wall", "cpu", "on-cpu", "cpu-wait", "host-other-cpu"];

/// At most this many revisions of each side are looked at.
const NEAR: usize = 30;

/// Marks the changes of wall time that are waiting for other work on the host as changes of the
/// environment, and says why.
pub(super) fn mark(
    store: &mut Store,
    scope: Scope<'_>,
    series: &mut [JudgedSeries],
) -> Result<(), StoreError> {
    for one in series.iter_mut().filter(|one| one.material.series.key.metric.name == TIMES[0]) {
        let changes = &one.judgement.detection.changes;
        if !changes.iter().any(attribution::may_be_machines) {
            continue;
        }
        let executions = BuildExecutions::read(store, scope, &one.material)?;
        let found: Vec<(usize, WithoutWaiting)> = (0..changes.len())
            .filter(|which| attribution::may_be_machines(&changes[*which]))
            .filter_map(|which| {
                let sides = sides(changes, which, one.material.points.len());
                let sides = [(0, true), (1, false)]
                    .map(|(at, last)| executions.of(&one.material, sides[at].clone(), last));
                let found = changes[which].effect.ln_1p();
                Some((which, without_waiting(found, [&sides[0], &sides[1]])?))
            })
            .collect();
        for (which, left) in found {
            let change = &mut one.judgement.detection.changes[which];
            change.kind = Kind::Environment;
            one.judgement.machines.insert(change.index, words(left));
        }
    }
    Ok(())
}

/// The places before a change and those after it, up to the next change of the level.
fn sides(changes: &[stats::DetectedChange], which: usize, end: usize) -> [Range<usize>; 2] {
    let change = &changes[which];
    let from = if which == 0 { 0 } else { changes[which - 1].index };
    let to = changes.get(which + 1).map_or(end, |next| *next.range.start());
    [from..(*change.range.start()).max(from), change.index..to.max(change.index)]
}

/// Why a change is other work's.
fn words(left: WithoutWaiting) -> TagChange {
    let share = effect(left.effect.exp_m1());
    let after = if left.by_cpu {
        format!("the CPU time of the same samples changed by {share}")
    } else {
        format!("without the time spent waiting for a CPU, the change is {share}")
    };
    TagChange { tag: TagChange::OTHER_WORK.to_owned(), before: String::new(), after }
}

/// The place of an execution: run, round and position.
type ExecutionPlace = (i64, u32, u32);

/// The executions of a benchmark, by the revision and what was built of it.
struct BuildExecutions(HashMap<(String, Digest), Vec<ExecutionTimes>>);

impl BuildExecutions {
    fn read(store: &mut Store, scope: Scope<'_>, material: &Material) -> Result<Self, StoreError> {
        let benchmark = &material.series.key.benchmark;
        let mut read: [HashMap<ExecutionPlace, f64>; TIMES.len()] = Default::default();
        let mut places: Vec<((String, Digest), Vec<ExecutionPlace>)> = Vec::new();
        for (name, values) in TIMES.iter().zip(&mut read) {
            for one in store.values(scope.host, benchmark, name)? {
                let at = one.rounds.iter().zip(&one.positions);
                let at: Vec<ExecutionPlace> = at.map(|(&r, &p)| (one.run, r, p)).collect();
                values.extend(at.iter().copied().zip(one.values));
                if *name == TIMES[0] {
                    places.push(((one.revision, one.artifact), at));
                }
            }
        }
        let [wall, cpu, first, waited, others] = &read;
        let timed = |at: &ExecutionPlace| {
            Some(ExecutionTimes {
                wall: *wall.get(at)?,
                cpu: *cpu.get(at)?,
                first_thread: first.get(at).copied(),
                waited: waited.get(at).copied(),
                others: others.get(at).copied().unwrap_or(0.0),
            })
        };
        let mut all: HashMap<(String, Digest), Vec<ExecutionTimes>> = HashMap::new();
        for (build, places) in places {
            all.entry(build).or_default().extend(places.iter().filter_map(timed));
        }
        Ok(Self(all))
    }

    /// The times at the last or the first places with values in a range; each program counts once.
    fn of(&self, material: &Material, places: Range<usize>, last: bool) -> Vec<ExecutionTimes> {
        let mut places: Vec<usize> =
            material.places().filter(|place| places.contains(place)).collect();
        if last {
            places.reverse();
        }
        let mut counted = HashSet::new();
        let build = |place: &usize| material.measured_build(*place);
        let builds = places.iter().take(NEAR).filter_map(build).filter(|it| counted.insert(*it));
        let of = |(revision, artifact): (&str, Digest)| {
            self.0.get(&(revision.to_owned(), artifact)).into_iter().flatten().copied()
        };
        builds.flat_map(of).collect()
    }
}
