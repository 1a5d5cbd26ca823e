//! The program or the machine: whose the changes of a host are.
//!
//! The judgement is [`tacho_stats::lab`]'s. Here series, references and other hosts become numbers
//! for it, and what it says of a change becomes words.

use std::collections::HashMap;

use tacho_record::{
    BenchmarkKey, Change, Direction, Metric, Point, ReferenceProgram, TagChange, Unit,
};
use tacho_stats::changes::{self as stats, Kind};
use tacho_stats::lab::{
    LabCause, LabChange, LabNumbers, LabSeries, LabValue, MachineEvidence, ReferenceMove,
    SlowResponse, causes,
};
use tacho_store::{HostId, Store, StoreError};

use super::scope::{JudgedSeries, Scope};
use crate::analysis::reference::{self, ReferenceTrack};
use crate::analysis::series::{self, SeriesScope};
use crate::pending::identical_builds::Equals;
use crate::run::stopping_reason::RunRules;

/// Half of a 95 % interval, in standard errors.
const HALF: f64 = 1.96;

/// Marks the changes that are the machine's as changes of the environment, and says why.
pub(super) fn mark(
    store: &mut Store,
    scope: Scope<'_>,
    series: &mut [JudgedSeries],
) -> Result<(), StoreError> {
    let changed = |one: &JudgedSeries| one.judgement.detection.changes.iter().any(may_be_machines);
    if !series.iter().any(changed) {
        return Ok(());
    }
    let places = RevisionPlaces::read(store)?;
    let mut gathering = LabGathering { places, keys: Vec::new(), lab: LabNumbers::default() };
    let tracks = reference::tracks(store, scope.host)?;
    gathering.lab.references.push(reference::levels(&tracks));
    for one in series.iter() {
        gathering.add_own(one);
    }
    for (host, facts) in store.hosts()? {
        if host != scope.host {
            gathering.lab.references.push(reference::levels(&reference::tracks(store, host)?));
            let keys: Vec<(BenchmarkKey, Metric)> = series
                .iter()
                .filter(|one| changed(one))
                .map(|one| &one.material.series.key)
                .map(|key| (key.benchmark.clone(), key.metric.clone()))
                .collect();
            gathering.add_other(store, scope, (host, &facts.name), &keys)?;
        }
    }
    let mut said = causes(&gathering.lab).into_iter();
    for one in series.iter_mut() {
        let causes = said.next().unwrap_or_default();
        let own = one.judgement.detection.changes.iter_mut().filter(|change| is_known(change));
        for (change, cause) in own.zip(causes) {
            if let LabCause::Machine(evidence) = cause {
                change.kind = Kind::Environment;
                one.judgement.machines.insert(change.index, words(&evidence, &tracks));
            }
        }
    }
    Ok(())
}

/// Whether a change is of the level, and has no other known cause.
pub(super) fn may_be_machines(change: &stats::DetectedChange) -> bool {
    is_known(change) && change.kind != Kind::Environment
}

/// Whether the change has a size.
fn is_known(change: &stats::DetectedChange) -> bool {
    change.kind.is_of_level() && change.effect.is_finite() && change.effect > -1.0
}

/// Why a change is the machine's.
fn words(evidence: &MachineEvidence, tracks: &[ReferenceTrack]) -> TagChange {
    let MachineEvidence { reference, changed, measured, denied } = *evidence;
    let together = format!("{changed} of {measured} benchmarks changed at once");
    let after = match reference {
        Some(moved) => {
            let said = moved_words(&moved, tracks);
            if changed > 1 { format!("{said}; {together}") } else { said }
        }
        None => format!("{together}, and {denied} series did not change on another host"),
    };
    TagChange { tag: TagChange::MACHINE.to_owned(), before: String::new(), after }
}

/// How the reference moved: ``the reference became 5.1 % slower (`latency` most clearly)``.
fn moved_words(moved: &ReferenceMove, tracks: &[ReferenceTrack]) -> String {
    let program = moved.program.and_then(|program| tracks.get(program as usize));
    let program: Option<ReferenceProgram> = program.map(|track| track.program);
    let which = program.map_or_else(|| "all programs".to_owned(), |it| format!("`{it}`"));
    let (share, verb) = if moved.effect > 0.0 {
        (moved.effect.exp_m1(), "slower")
    } else {
        (-moved.effect.exp_m1(), "faster")
    };
    format!("the reference became {:.1} % {verb} ({which})", share * 100.0)
}

/// The response of a metric's values to a slower machine.
fn response(metric: &Metric) -> SlowResponse {
    match (&metric.unit, metric.better) {
        (Unit::Nanoseconds, _) => SlowResponse::Rise,
        (unit, Direction::Higher) if unit.is_of_time() => SlowResponse::Fall,
        _ => SlowResponse::Stay,
    }
}

/// The places of revisions in history, the same for all hosts.
struct RevisionPlaces(HashMap<String, usize>);

impl RevisionPlaces {
    fn read(store: &mut Store) -> Result<Self, StoreError> {
        let mut revisions = store.revisions()?;
        revisions.sort_by_key(|revision| revision.order);
        let place = |(place, revision): (usize, tacho_record::Revision)| (revision.id, place);
        Ok(Self(revisions.into_iter().enumerate().map(place).collect()))
    }

    fn of(&self, revision: &str) -> usize {
        self.0.get(revision).copied().unwrap_or(0)
    }
}

/// A lab on its way.
struct LabGathering {
    places: RevisionPlaces,
    /// The benchmarks and metrics, by number.
    keys: Vec<(String, String)>,
    lab: LabNumbers,
}

impl LabGathering {
    /// The numbers of a benchmark and of a metric.
    fn numbers(&mut self, benchmark: &BenchmarkKey, metric: &Metric) -> (usize, usize) {
        let mut number = |name: (String, String)| {
            self.keys.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.keys.push(name);
                self.keys.len() - 1
            })
        };
        (
            number(("benchmark".to_owned(), benchmark.identity())),
            number(("metric".to_owned(), metric.name.clone())),
        )
    }

    /// A series of the host that is judged.
    fn add_own(&mut self, one: &JudgedSeries) {
        let material = &one.material;
        let key = &material.series.key;
        let place = |index: usize| self.places.of(material.revision(index));
        let last = material.points.len().saturating_sub(1);
        let change = |change: &stats::DetectedChange| {
            let (low, high) = change.interval;
            LabChange {
                place: place(change.index),
                range: place(*change.range.start())..=place((*change.range.end()).min(last)),
                effect: change.effect.ln_1p(),
                error: error(low, high),
            }
        };
        let changes: Vec<LabChange> = one
            .judgement
            .detection
            .changes
            .iter()
            .filter(|change| is_known(change))
            .map(change)
            .collect();
        let values = material.series.points.iter().zip(&material.points);
        let values = values.filter_map(|(measured, point)| self.value(measured, point.value));
        let values: Vec<LabValue> = values.collect();
        self.add(0, (&key.benchmark, &key.metric), values, changes);
    }

    fn add(
        &mut self,
        host: usize,
        (benchmark, metric): (&BenchmarkKey, &Metric),
        mut values: Vec<LabValue>,
        changes: Vec<LabChange>,
    ) {
        let response = response(metric);
        let (benchmark, metric) = self.numbers(benchmark, metric);
        values.sort_by_key(|value| value.place);
        self.lab.series.push(LabSeries { host, benchmark, metric, response, values, changes });
    }

    /// The same series on another host, with the changes that are kept of it.
    fn add_other(
        &mut self,
        store: &mut Store,
        scope: Scope<'_>,
        (host, host_name): (HostId, &str),
        keys: &[(BenchmarkKey, Metric)],
    ) -> Result<(), StoreError> {
        let revisions = store.revisions()?;
        let (equals, rules) = (Equals::new(&store.counts(host)?), RunRules::read(store)?);
        let (kept, number) = (store.changes(host)?, self.lab.references.len() - 1);
        for (key, metric) in keys {
            let recipes = scope.recipes;
            let (equals, rules) = (&equals, &rules);
            let of = SeriesScope {
                host,
                host_name,
                benchmark: key,
                recipes,
                equals,
                rules,
                planned: crate::versions::planned(scope.plan, key),
            };
            let read = series::read(store, of, std::slice::from_ref(metric), &revisions)?;
            for series in read {
                let value = |measured: &Point| {
                    let own = measured.equal_to.is_none().then_some(&measured.values[..])?;
                    let summary = tacho_stats::Summary::of(own)?;
                    self.value(measured, summary.median)
                };
                let values: Vec<LabValue> = series.points.iter().filter_map(value).collect();
                let is_of = |change: &&Change| {
                    change.series.benchmark == *key && change.series.metric.name == metric.name
                };
                let changes = kept.iter().filter(is_of).filter_map(|it| self.kept(it)).collect();
                self.add(number, (key, metric), values, changes);
            }
        }
        Ok(())
    }

    /// A value that has a logarithm and was measured by itself.
    fn value(&self, measured: &Point, value: f64) -> Option<LabValue> {
        let runs: Vec<u32> =
            measured.runs.iter().filter_map(|run| u32::try_from(*run).ok()).collect();
        (value.is_finite() && value > 0.0 && !runs.is_empty()).then(|| LabValue {
            place: self.places.of(&measured.revision.id),
            runs,
            ln: value.ln(),
        })
    }

    /// A kept change that is not withdrawn.
    fn kept(&self, change: &Change) -> Option<LabChange> {
        let finding = &change.finding;
        let effect = finding.effect.filter(|effect| *effect > -1.0)?;
        let (low, high) = finding.interval.unwrap_or((effect, effect));
        let (place, good) = (self.places.of(&finding.revision), self.places.of(&finding.good));
        let bad = self.places.of(&finding.bad);
        (change.is_active() && finding.kind.is_of_level()).then(|| LabChange {
            place,
            range: (good + 1).min(place)..=bad.max(place),
            effect: effect.ln_1p(),
            error: error(low, high),
        })
    }
}

/// The standard error of an effect, from its 95 % interval.
fn error(low: f64, high: f64) -> f64 {
    let ln = |effect: f64| effect.max(-0.999_999).ln_1p();
    let error = (ln(high) - ln(low)) / (2.0 * HALF);
    if error.is_finite() { error } else { 0.0 }
}
