//! The version of a benchmark that a plan's entry is.
//!
//! The store has the definition of each version. An entry with the definition of a version is this
//! version; an edited entry is the next one, with series of its own. `same-as` in the plan says
//! that both wordings measure the same. The content of input files counts too; a version without
//! known content gets the first one. An edit of a version without a valid sample fixes a mistake,
//! and starts no version. Stores that were written before definitions were kept have them in the
//! plans of their runs.

use std::collections::{BTreeMap, BTreeSet};

use tacho_record::plan::Definition;
use tacho_record::{BenchmarkKey, Plan, plan};
use tacho_store::{HostId, Store, StoreError};

use crate::ExperimentError;

/// A benchmark of the plan that executes something else than its last measured version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedBenchmark {
    /// The benchmark's name.
    pub name: String,
    /// The version that the plan's entry is.
    pub version: u32,
    /// Whether the plan says that both are the same measurement.
    pub is_same: bool,
    /// The input files whose content changed, where nothing else did.
    pub inputs: Vec<String>,
    /// The earlier version with a valid sample that is most like it, of those with its command:
    /// failures are no measurement to join.
    pub measured: Option<u32>,
}

/// Gives each benchmark of the plan the version that its definition is.
pub fn resolve(store: &mut Store, plan: &mut Plan) -> Result<(), StoreError> {
    let known = VersionFacts::read(store)?;
    for benchmark in plan.benchmarks.iter_mut().filter(|benchmark| benchmark.same_as.is_none()) {
        let definition = benchmark.definition();
        let next = || known.next(&benchmark.name).unwrap_or(benchmark.raised);
        benchmark.version =
            known.version(&definition).unwrap_or_else(|| next().max(benchmark.raised));
    }
    Ok(())
}

/// Keeps the definitions of a plan's benchmarks, before they are measured. Another definition of
/// the same version is an error if the samples join a series.
pub(crate) fn keep(
    store: &mut Store,
    plan: &Plan,
    joins_series: bool,
) -> Result<(), ExperimentError> {
    let known = VersionFacts::read(store)?;
    for definition in &known.unkept {
        store.put_definition(definition, false)?;
    }
    for benchmark in &plan.benchmarks {
        let definition = benchmark.definition();
        if known.exact(&definition) == Some(definition.version) {
            continue;
        }
        let is_new = known.version(&definition) != Some(definition.version);
        let highest = known.highest.get(&benchmark.name).copied().unwrap_or(0);
        let is_new = is_new && benchmark.same_as.is_none() && definition.version > highest;
        if !store.put_definition(&definition, is_new)? && joins_series {
            return Err(ExperimentError::EditedMeanwhile { benchmark: definition.name });
        }
    }
    Ok(())
}

/// The benchmarks of the plan that were edited since they were measured last on any host.
///
/// # Errors
///
/// If `same-as` names a version that was never measured, or the store cannot be read.
pub fn edited(store: &mut Store, plan: &Plan) -> Result<Vec<EditedBenchmark>, ExperimentError> {
    let known = VersionFacts::read(store)?;
    plan.benchmarks.iter().try_for_each(|benchmark| known.check_same_as(benchmark))?;
    let valid = valid_versions(store)?;
    let mut edited = Vec::new();
    for benchmark in &plan.benchmarks {
        let definition = benchmark.definition();
        let highest = known.highest.get(&benchmark.name).copied();
        let is_known = known.version(&definition) == Some(benchmark.version);
        let is_fixed = known.failing.contains(&benchmark.name);
        if highest.is_some() && !is_known && !is_fixed {
            let is_same = benchmark.same_as.is_some();
            let (name, version) = (benchmark.name.clone(), benchmark.version);
            let measured = valid.get(&name).and_then(|all| known.nearest(&definition, all));
            let inputs = known.changed_inputs(&definition);
            edited.push(EditedBenchmark { name, version, is_same, inputs, measured });
        }
    }
    Ok(edited)
}

/// The benchmarks of the plan of which no sample counts, though some of another version do: the
/// version that the plan has, and of those with samples and the same command the one that is most
/// like it.
pub fn unmeasured(
    store: &mut Store,
    plan: &Plan,
) -> Result<Vec<(BenchmarkKey, Option<u32>)>, StoreError> {
    let (known, valid) = (VersionFacts::read(store)?, valid_versions(store)?);
    let other = |(benchmark, key): (&plan::Benchmark, BenchmarkKey)| {
        let versions = valid.get(&key.name).filter(|all| !all.contains(&key.version))?;
        Some((key, known.nearest(&benchmark.definition(), versions)))
    };
    Ok(plan.keyed_benchmarks().into_iter().filter_map(other).collect())
}

/// The benchmarks of the plan that were never executed on any host, in no version, where others
/// were.
pub fn never_executed(store: &mut Store, plan: &Plan) -> Result<Vec<BenchmarkKey>, StoreError> {
    let mut executed = BTreeSet::new();
    for (host, _) in store.hosts()? {
        executed.extend(store.counts(host)?.into_iter().map(|count| count.benchmark.name));
    }
    if executed.is_empty() {
        return Ok(Vec::new());
    }
    let keys = plan.keyed_benchmarks().into_iter().map(|(_, key)| key);
    Ok(keys.filter(|key| !executed.contains(&key.name)).collect())
}

/// The versions of each benchmark that have a valid sample on any host.
fn valid_versions(store: &mut Store) -> Result<BTreeMap<String, BTreeSet<u32>>, StoreError> {
    let mut valid: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for (host, _) in store.hosts()? {
        for count in store.counts(host)?.into_iter().filter(|count| count.valid > 0) {
            valid.entry(count.benchmark.name).or_default().insert(count.benchmark.version);
        }
    }
    Ok(valid)
}

/// The benchmark of the plan that a key is of, if the plan has it in this version.
#[must_use]
pub fn planned<'p>(plan: &'p Plan, key: &BenchmarkKey) -> Option<&'p plan::Benchmark> {
    plan.benchmarks.iter().find(|it| it.name == key.name && it.version == key.version)
}

/// The version that the plan has of a benchmark, if this key is one of another version.
#[must_use]
pub fn superseded_by(plan: &Plan, key: &BenchmarkKey) -> Option<u32> {
    let planned = plan.benchmarks.iter().find(|benchmark| benchmark.name == key.name)?;
    Some(planned.version).filter(|version| *version != key.version)
}

/// Whether the plan has a benchmark of that name.
#[must_use]
pub fn is_planned(plan: &Plan, key: &BenchmarkKey) -> bool {
    plan.benchmarks.iter().any(|benchmark| benchmark.name == key.name)
}

/// The benchmarks that have measurements on that host: first those that the plan has, then their
/// superseded versions, the newest first, then those that the plan does not have.
///
/// A superseded version that has no valid sample is left out: its command was a mistake that was
/// corrected. So are versions that only bisections executed, such as the command of `--test`.
pub fn shown(
    store: &mut Store,
    host: HostId,
    plan: &Plan,
) -> Result<Vec<BenchmarkKey>, StoreError> {
    let counts = store.counts(host)?;
    let has_values =
        |key: &BenchmarkKey| counts.iter().any(|it| it.benchmark == *key && it.valid > 0);
    let is_old = |key: &BenchmarkKey| superseded_by(plan, key).is_some();
    let mut all = store.benchmarks(host)?;
    let is_tracked = |key: &BenchmarkKey| counts.iter().any(|it| it.benchmark == *key);
    all.retain(|key| match (is_planned(plan, key), is_old(key)) {
        (true, old) => !old || has_values(key),
        (false, _) => is_tracked(key),
    });
    all.sort_by_key(|key| {
        let age = if is_old(key) { u32::MAX - key.version } else { 0 };
        (!is_planned(plan, key), is_old(key), age)
    });
    Ok(all)
}

/// The benchmarks of which all executions failed, of each version on each host.
fn failing(store: &mut Store) -> Result<BTreeSet<String>, StoreError> {
    let (mut failed, mut valid) = (BTreeSet::new(), BTreeSet::new());
    for (host, _) in store.hosts()? {
        for count in store.counts(host)? {
            let all = if count.valid > 0 { &mut valid } else { &mut failed };
            all.insert(count.benchmark.name);
        }
    }
    Ok(failed.difference(&valid).cloned().collect())
}

/// The store's facts about versions.
struct VersionFacts {
    kept: Vec<Definition>,
    /// The definitions that are only in the plans of runs.
    unkept: Vec<Definition>,
    highest: BTreeMap<String, u32>,
    /// The benchmarks of which all executions failed, of each version on each host.
    failing: BTreeSet<String>,
}

impl VersionFacts {
    fn read(store: &mut Store) -> Result<Self, StoreError> {
        let (kept, mut highest) = (store.definitions()?, store.highest_versions()?);
        let is_kept = |name: &str| kept.iter().any(|definition| definition.name == name);
        let before = highest.keys().any(|name| !is_kept(name));
        let mut unkept = if before { of_runs(store)? } else { Vec::new() };
        unkept.retain(|definition| {
            highest.contains_key(&definition.name) && !is_kept(&definition.name)
        });
        for definition in kept.iter().chain(&unkept) {
            let highest = highest.entry(definition.name.clone()).or_insert(definition.version);
            *highest = definition.version.max(*highest);
        }
        Ok(Self { kept, unkept, highest, failing: failing(store)? })
    }

    /// The version of a definition that is not known: the one after the highest, and this one where
    /// none has ever had a value.
    fn next(&self, name: &str) -> Option<u32> {
        let highest = *self.highest.get(name)?;
        Some(if self.failing.contains(name) { highest } else { highest + 1 })
    }

    /// Checks that the version of `same-as` exists. A store that knows nothing of the benchmark may
    /// be that of another machine, where the first samples are of this version.
    fn check_same_as(&self, benchmark: &plan::Benchmark) -> Result<(), ExperimentError> {
        let highest = self.highest.get(&benchmark.name).copied();
        match (benchmark.same_as, highest) {
            (Some(version), Some(highest)) if version > highest => {
                let benchmark = benchmark.name.clone();
                Err(ExperimentError::UnknownVersion { benchmark, version, highest })
            }
            _ => Ok(()),
        }
    }

    /// The version that is kept for a definition, or that it may be: all but input files is the
    /// same, and on one side their content is not known.
    fn version(&self, definition: &Definition) -> Option<u32> {
        let is_unread = |version: u32| {
            let mut all = self.all(&definition.name).filter(|it| it.version == version);
            all.all(|known| known.inputs().is_empty())
        };
        let may_be =
            |known: &&Definition| definition.inputs().is_empty() || is_unread(known.version);
        let alike = || self.alike(definition).filter(may_be).map(|known| known.version).max();
        self.exact(definition).or_else(alike)
    }

    /// The version with the same command that is most like a definition; the newest of several.
    /// Another command is probably another measurement.
    fn nearest(&self, definition: &Definition, of: &BTreeSet<u32>) -> Option<u32> {
        let likeness = |version: u32| {
            let all = self.all(&definition.name).filter(|known| known.version == version);
            all.filter_map(|known| definition.likeness(known)).max()
        };
        let alike = of.iter().filter_map(|&version| Some((likeness(version)?, version)));
        alike.max().map(|(_, version)| version)
    }

    /// The version that is kept for a definition.
    fn exact(&self, definition: &Definition) -> Option<u32> {
        let mut all = self.all(&definition.name);
        all.find(|known| known.content == definition.content).map(|known| known.version)
    }

    /// The input files whose content differs from that of the newest definition that is the same
    /// in all else.
    fn changed_inputs(&self, definition: &Definition) -> Vec<String> {
        let newest = self.alike(definition).max_by_key(|known| known.version);
        let Some(before) = newest.map(Definition::inputs) else { return Vec::new() };
        let is_other = |(path, digest): &(String, String)| before.get(path) != Some(digest);
        definition.inputs().into_iter().filter(is_other).map(|(path, _)| path).collect()
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &Definition> {
        self.kept.iter().chain(&self.unkept).filter(move |known| known.name == name)
    }

    /// The definitions that differ from this one at most in the content of input files.
    fn alike(&self, definition: &Definition) -> impl Iterator<Item = &Definition> {
        let content = definition.without_inputs();
        self.all(&definition.name).filter(move |known| known.without_inputs() == content)
    }
}

/// The definitions in the plans of all runs, each once. Where a version was edited, all its
/// wordings are this version, since their samples were kept as one series.
fn of_runs(store: &mut Store) -> Result<Vec<Definition>, StoreError> {
    let mut texts: Vec<String> = store.runs()?.into_iter().map(|run| run.plan).collect();
    texts.sort_unstable();
    texts.dedup();
    let mut all: Vec<Definition> = Vec::new();
    for plan in texts.iter().filter_map(|text| plan::parse(text, "tacho.toml").ok()) {
        for definition in plan.benchmarks.iter().map(plan::Benchmark::definition) {
            if !all.contains(&definition) {
                all.push(definition);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use tacho_record::{Cell, Digest, Host, Outcome, Parameters, Place, Purpose, Rule, Sample};
    use tacho_store::{Location, MeasurementId, NewRun};

    use super::*;

    fn text(command: &str) -> String {
        format!("[subject]\n[[benchmark]]\nname = 'b'\ncommand = '{command}'\n")
    }

    fn planned(store: &mut Store, text: &str) -> u32 {
        let mut plan = plan::parse(text, "tacho.toml").unwrap();
        resolve(store, &mut plan).unwrap();
        plan.benchmarks[0].version
    }

    /// A run as one was begun before definitions were kept.
    fn run(store: &mut Store, plan: &str, version: u32) {
        let host = store.put_host(&Host { name: "lab".into(), facts: [].into() }).unwrap();
        let benchmark =
            BenchmarkKey { name: "b".into(), version, parameters: Parameters::default() };
        begin(store, host, plan.to_owned(), benchmark);
    }

    /// A run of one benchmark at one revision: its number, and that of the measurement.
    fn begin(
        store: &mut Store,
        host: HostId,
        plan: String,
        benchmark: BenchmarkKey,
    ) -> (i64, MeasurementId) {
        let new = NewRun {
            purpose: Purpose::Track,
            question: Digest::of(format!("{plan} {benchmark:?}")),
            plan,
            seed: 1,
            rounds: 1,
            rule: Rule::default(),
            host,
            version: "0.1.0".to_owned(),
            started: jiff::Timestamp::UNIX_EPOCH,
            conditions: BTreeMap::new(),
        };
        let cell = Cell { revision: "r1".into(), artifact: Digest::of("a"), benchmark, rounds: 1 };
        let (run, ids) = store.begin_run(&new, &[cell]).unwrap();
        (run.number, ids[0])
    }

    #[test]
    fn an_old_store_knows_its_versions_from_the_plans_of_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        assert_eq!(planned(&mut store, &text("one")), 1);
        run(&mut store, &text("one"), 1);
        run(&mut store, &text("one again"), 1);
        assert_eq!(planned(&mut store, &text("one")), 1);
        assert_eq!(planned(&mut store, &text("one again")), 1, "both wordings were one series");
        let other = plan::parse(&text("two"), "tacho.toml").unwrap();
        let mut resolved = other.clone();
        resolve(&mut store, &mut resolved).unwrap();
        assert_eq!(resolved.benchmarks[0].version, 2);
        keep(&mut store, &resolved, true).unwrap();
        assert_eq!(planned(&mut store, &text("two")), 2);
        assert_eq!(planned(&mut store, &text("one")), 1, "what the old runs say is kept with it");
        assert_eq!(planned(&mut store, &text("three")), 3);
    }

    #[test]
    fn other_content_of_an_input_file_is_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        let text = text("one") + "stdin = 'in'\n";
        let mut with = |content: Option<&str>| {
            let mut plan = plan::parse(&text, "tacho.toml").unwrap();
            let inputs = content.map(|content| ("in".to_owned(), Digest::of(content)));
            plan.benchmarks[0].inputs = inputs.into_iter().collect();
            resolve(&mut store, &mut plan).unwrap();
            let changed = edited(&mut store, &plan).unwrap().pop().map(|it| it.inputs);
            keep(&mut store, &plan, true).unwrap();
            (plan.benchmarks[0].version, changed)
        };
        assert_eq!(with(None), (1, None), "as stores were written before");
        assert_eq!(with(Some("a")), (1, None), "what was read first is that of the version");
        assert_eq!(with(Some("b")), (2, Some(vec!["in".to_owned()])));
        assert_eq!(with(Some("a")), (1, None));
        assert_eq!(with(None), (1, None), "as it was kept");
    }

    #[test]
    fn a_version_that_was_raised_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        run(&mut store, &text("one"), 1);
        let raised = text("one") + "version = 2\n";
        assert_eq!(planned(&mut store, &raised), 2);
        let same = text("other") + "same-as = 1\n";
        assert_eq!(planned(&mut store, &same), 1);
        assert_eq!(planned(&mut store, &(text("x") + "version = 7\n")), 7);
    }

    /// How many benchmarks were edited where the plan says that they are the same as that version.
    fn joined(store: &mut Store, version: u32) -> Result<usize, String> {
        let same = format!("{}same-as = {version}\n", text("other"));
        let plan = plan::parse(&same, "tacho.toml").unwrap();
        edited(store, &plan).map(|it| it.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_plans_version_is_shown_first_then_older_ones_and_what_it_has_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        let host = store.put_host(&Host { name: "lab".into(), facts: [].into() }).unwrap();
        let key = |name: &str, version| BenchmarkKey {
            name: name.into(),
            version,
            parameters: Parameters::default(),
        };
        for benchmark in [key("gone", 1), key("b", 1), key("b", 3), key("b", 2)] {
            measure(&mut store, host, benchmark);
        }
        let mut plan = plan::parse(&text("one"), "tacho.toml").unwrap();
        let mut shown = |store: &mut Store, version| {
            plan.benchmarks[0].version = version;
            let all = shown(store, host, &plan).unwrap().into_iter();
            let unmeasured = unmeasured(store, &plan).unwrap();
            (all.map(|key| (key.name, key.version)).collect::<Vec<_>>(), unmeasured)
        };
        let named = |all: &[(&str, u32)]| -> Vec<(String, u32)> {
            all.iter().map(|(name, version)| ((*name).to_owned(), *version)).collect()
        };
        let all = named(&[("b", 2), ("b", 3), ("b", 1), ("gone", 1)]);
        assert_eq!(shown(&mut store, 2), (all, vec![]));
        let all = named(&[("b", 3), ("b", 2), ("b", 1), ("gone", 1)]);
        assert_eq!(
            shown(&mut store, 4),
            (all, vec![(key("b", 4), Some(1))]),
            "the plan of all runs is that of 1"
        );
    }

    /// A run with one sample of a benchmark.
    fn measure(store: &mut Store, host: HostId, benchmark: BenchmarkKey) {
        let (run, measurement) = begin(store, host, text("one"), benchmark);
        let sample = Sample {
            place: Place { round: 1, position: 0 },
            at: jiff::Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: vec![("wall".into(), 1.0)],
        };
        store.put_sample(measurement, &sample).unwrap();
        store.finish_run(run, jiff::Timestamp::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn a_benchmark_is_the_same_as_a_version_that_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().to_owned())).unwrap();
        assert_eq!(joined(&mut store, 7), Ok(0), "samples may be in the store of another machine");
        run(&mut store, &text("one"), 1);
        assert_eq!(joined(&mut store, 1), Ok(1));
        let why = "benchmark `b` has `same-as = 7`, but no version 7 was measured".to_owned();
        assert_eq!(joined(&mut store, 7), Err(why));
    }
}
