//! The measurements of a revision's build, benchmark by benchmark, and what they show.

use std::collections::BTreeMap;

use tacho_record::{
    BenchmarkKey, Build, Digest, Measurement, Metric, Place, Plan, Sample, Steadiness, Stop,
};
use tacho_report::meaning::{MetricMeaning, is_split_by_ticks};
use tacho_stats::Summary;
use tacho_store::{HostId, Store, StoreError};

use super::usual_speed::{RunsAtUsualSpeed, by_run, with_measured_range};
use crate::build::layout_rotation::LayoutMedians;
use crate::pending::edited_benchmarks::without_void;
use crate::pending::identical_builds::Equals;
use crate::run::stopping_reason::{RunRules, StoppingReasons};
use crate::versions;

/// Below this share of the processor time there was more than the first thread; the rest is how
/// roughly the kernel reads both.
const FIRST_THREAD: f64 = 0.95;

/// A revision on a host.
#[derive(Clone, Copy, Debug)]
pub struct RevisionOnHost<'a> {
    /// The host, as the store knows it.
    pub host: HostId,
    /// The revision, by its full name.
    pub revision: &'a str,
    /// The build that is meant.
    pub build: Option<&'a Build>,
    /// The plan.
    pub plan: &'a Plan,
}

/// The output of an execution.
#[derive(Clone, Copy, Debug)]
pub struct KeptOutput {
    /// The number of the run.
    pub run: i64,
    /// The place of the execution in it.
    pub place: Place,
    /// The name of the content in the store.
    pub digest: Digest,
}

/// A benchmark at a revision.
#[derive(Clone, Debug)]
pub struct BenchmarkAtRevision {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The revision that was executed: another one when both built to the same artifacts.
    pub revision: String,
    /// The measurements, at least one.
    pub measurements: Vec<Measurement>,
    /// The absent metrics with the reasons.
    pub absent: BTreeMap<String, String>,
    /// Whether the number of samples was chosen by looking at them.
    pub looked_at: bool,
    /// How many builds the build is, where one source was linked in several orders.
    pub layouts: Option<u32>,
    /// The reason why measuring ended.
    pub stopped: Option<Stop>,
    /// The outputs that are kept, in order.
    pub kept: Vec<KeptOutput>,
    /// All that its runs measured of the benchmark, which shows the host's speed.
    together: Vec<Measurement>,
}

impl RevisionOnHost<'_> {
    /// What was measured of these benchmarks, without those that were not measured here.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn measured(
        self,
        store: &mut Store,
        keys: impl IntoIterator<Item = BenchmarkKey>,
    ) -> Result<Vec<BenchmarkAtRevision>, StoreError> {
        let equals = Equals::new(&store.counts(self.host)?);
        let rules = RunRules::read(store)?;
        let mut all = Vec::new();
        for key in keys {
            all.extend(self.of_benchmark(store, key, (&equals, &rules))?);
        }
        Ok(all)
    }

    fn of_benchmark(
        self,
        store: &mut Store,
        key: BenchmarkKey,
        (equals, rules): (&Equals, &RunRules),
    ) -> Result<Option<BenchmarkAtRevision>, StoreError> {
        let mut together = store.measurements(self.host, &key)?;
        if let Some(benchmark) = versions::planned(self.plan, &key) {
            together = without_void(store, together, benchmark)?;
        }
        let own = self.own(&key, &together, equals);
        let Some(first) = own.first() else { return Ok(None) };
        let (revision, artifact) = (first.revision.clone(), first.artifact);
        let is_own = |run: i64| own.iter().any(|one| one.run == run);
        together.retain(|one| is_own(one.run));
        let mut absent = BTreeMap::new();
        for one in &own {
            let found = store.absences(one.run, &key)?;
            absent.extend(found.into_iter().map(|absence| (absence.metric, absence.why)));
        }
        let stopped = StoppingReasons::read(store, rules, self.host, &key)?;
        let kept = store.kept_outputs(self.host, &key)?.into_iter();
        let kept = kept.filter(|(run, of, ..)| *of == revision && is_own(*run));
        Ok(Some(BenchmarkAtRevision {
            absent,
            looked_at: own.iter().any(|one| rules.looked_at(one.run)),
            layouts: self.build.and_then(|build| build.state.layouts()),
            stopped: stopped.of(&revision, artifact),
            kept: kept.map(|(run, _, place, digest)| KeptOutput { run, place, digest }).collect(),
            benchmark: key,
            revision,
            measurements: own,
            together,
        }))
    }

    /// The measurements of the build: those of the revision itself, else those of the revision that
    /// represents all with the same artifacts.
    fn own(self, key: &BenchmarkKey, all: &[Measurement], equals: &Equals) -> Vec<Measurement> {
        let artifact = self.build.and_then(|build| build.state.artifact());
        let of_build = || all.iter().filter(|one| Some(one.artifact) == artifact);
        let is_measured = of_build().any(|one| one.revision == self.revision);
        let first = artifact.and_then(|artifact| equals.of(key, artifact)).map(|(name, _)| name);
        let executed = if is_measured { Some(self.revision) } else { first };
        of_build().filter(|one| Some(one.revision.as_str()) == executed).cloned().collect()
    }
}

impl BenchmarkAtRevision {
    /// The samples with their runs.
    pub fn samples(&self) -> impl Iterator<Item = (i64, &Sample)> {
        self.measurements.iter().flat_map(|m| m.samples.iter().map(move |sample| (m.run, sample)))
    }

    /// The results of the search for a warmup, by run.
    pub fn steadiness(&self) -> impl Iterator<Item = (i64, &Steadiness)> {
        self.measurements.iter().filter_map(|m| Some((m.run, m.steadiness.as_ref()?)))
    }

    /// The share by which executions took longer at the slow speed of the host, if that moved.
    #[must_use]
    pub fn uneven(&self, metric: &Metric) -> Option<f64> {
        self.at_usual_speed(metric).uneven
    }

    /// The summary of a metric. As in a series, values are corrected to the host's usual speed;
    /// smallest and largest ones are as they were measured. Of several layouts their medians are
    /// summarised.
    #[must_use]
    pub fn summary(&self, metric: &Metric) -> Option<Summary> {
        let (samples, reach) = self.at_usual_speed(metric).of(metric, |it| self.is_own(it));
        if let Some(layouts) = self.layouts {
            let of = LayoutMedians::of_samples(samples.iter(), metric, layouts);
            return Summary::over_layouts(&of.medians, &of.bounds);
        }
        let reach = reach.filter(|_| !self.looked_at);
        let bounds: Vec<f64> =
            self.samples().filter_map(|(_, sample)| sample.bound(metric)).collect();
        let of = |values: &[f64]| Summary::sampled(values, &bounds, self.looked_at);
        let measured = of(&counted(self.samples().map(|(_, sample)| sample), metric));
        of(&counted(samples.iter(), metric))
            .map(|usual| with_measured_range(usual, measured, reach))
    }

    fn at_usual_speed(&self, metric: &Metric) -> RunsAtUsualSpeed {
        by_run(self.together.clone(), metric)
    }

    fn is_own(&self, one: &Measurement) -> bool {
        let key = |it: &Measurement| (it.run, it.artifact, it.revision.clone());
        self.measurements.iter().any(|own| key(own) == key(one))
    }

    /// The meanings of these metrics whose names do not show them.
    #[must_use]
    pub fn meanings(&self, metrics: &[Metric]) -> BTreeMap<&'static str, MetricMeaning> {
        let has = |name| self.samples().any(|(_, it)| it.counts() && it.value(name).is_some());
        let shown = |name| metrics.iter().any(|metric| metric.name == name) && has(name);
        let is_split = is_split_by_ticks(self.samples().map(|(_, sample)| sample));
        let first = self.first_thread().filter(|share| *share < FIRST_THREAD);
        let first = first.map(|share| MetricMeaning::FirstThread { share });
        let blocks = Metric::TREE_BLOCKS.into_iter().any(shown);
        let all: [(&[&'static str], Option<MetricMeaning>); 7] = [
            (&["cpu"], self.is_of_group().then_some(MetricMeaning::OfGroup)),
            (&["peak-memory"], Some(MetricMeaning::LargestProcess)),
            (&[Metric::PEAK_MEMORY_TREE], Some(MetricMeaning::PeakOfGroup)),
            (&["block-input", "block-output"], blocks.then_some(MetricMeaning::WaitedFor)),
            (&Metric::TREE_BLOCKS, Some(MetricMeaning::BlocksOfGroup)),
            (&["user", "sys"], is_split.then_some(MetricMeaning::ByTicks)),
            (&["on-cpu", "cpu-wait", "blocked"], first),
        ];
        let known = all.into_iter().filter_map(|(names, meaning)| Some((names, meaning?)));
        let each = known.flat_map(|(names, meaning)| names.iter().map(move |it| (*it, meaning)));
        each.filter(|(name, _)| shown(name)).collect()
    }

    /// Whether the processor time of a sample is that of its control group, for which the kernel
    /// does not split user and system time.
    fn is_of_group(&self) -> bool {
        self.samples()
            .any(|(_, sample)| sample.value("cpu").is_some() && sample.value("user").is_none())
    }

    /// The share of its first thread in the processor time of all threads and processes.
    fn first_thread(&self) -> Option<f64> {
        let counted = self.samples().filter(|(_, sample)| sample.counts());
        let both =
            counted.filter_map(|(_, sample)| Some((sample.value("on-cpu")?, sample.value("cpu")?)));
        let (first, all) =
            both.fold((0.0, 0.0), |(first, all), (on_cpu, cpu)| (first + on_cpu, all + cpu));
        (all > 0.0).then(|| first / all)
    }
}

/// The values of that metric, of the samples that count.
fn counted<'a>(samples: impl Iterator<Item = &'a Sample>, metric: &Metric) -> Vec<f64> {
    samples.filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect()
}

#[cfg(test)]
mod tests {
    use tacho_record::Outcome;

    use super::*;

    /// A benchmark with one execution of these values, in order of their names.
    fn measured(values: &[(&'static str, f64)]) -> BenchmarkAtRevision {
        let values = values.iter().map(|(name, value)| ((*name).into(), *value)).collect();
        let place = Place { round: 1, position: 0 };
        let at = jiff::Timestamp::UNIX_EPOCH;
        let samples = vec![Sample { place, at, outcome: Outcome::Valid, values }];
        let (revision, artifact) = ("a".to_owned(), Digest::of("a"));
        let one =
            Measurement { run: 1, revision: revision.clone(), artifact, samples, steadiness: None };
        BenchmarkAtRevision {
            benchmark: BenchmarkKey::plain("work"),
            revision,
            measurements: vec![one.clone()],
            absent: BTreeMap::new(),
            looked_at: false,
            layouts: None,
            stopped: None,
            kept: Vec::new(),
            together: vec![one],
        }
    }

    #[test]
    fn a_metric_has_a_meaning_where_its_name_does_not_show_it() {
        let known: Vec<Metric> = Metric::BUILT_IN.into_iter().filter_map(Metric::known).collect();
        let of = |values: &[(&'static str, f64)]| {
            measured(values).meanings(&known).into_iter().collect::<Vec<_>>()
        };
        let (long, part) = (4e9, MetricMeaning::FirstThread { share: 0.25 });
        assert_eq!(of(&[("cpu", long), ("on-cpu", 0.96 * long), ("user", long)]), []);
        assert_eq!(
            of(&[("blocked", 1.0), ("cpu", long), ("on-cpu", 0.25 * long), ("user", long)]),
            [("blocked", part), ("on-cpu", part)]
        );
        assert_eq!(of(&[("cpu", long)]), [("cpu", MetricMeaning::OfGroup)]);
        let ticks = [("sys", MetricMeaning::ByTicks), ("user", MetricMeaning::ByTicks)];
        assert_eq!(of(&[("cpu", 1e6), ("sys", 1.0), ("user", 1e6)]), ticks);
    }
}
