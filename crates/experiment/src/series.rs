//! Series, read back from the store in order of history.

use std::collections::HashMap;

use tacho_record::{
    BenchmarkKey, Build, Digest, Measurement, Metric, Outcome, Point, Revision, Series, SeriesKey,
};
use tacho_store::{HostId, Store, StoreError};

/// All series of one benchmark on one host, one a metric, over these revisions.
///
/// A revision that has no samples of its own takes the values of one with the same artifacts, and says so.
pub fn read(
    store: &mut Store,
    host: (HostId, &str),
    benchmark: &BenchmarkKey,
    metrics: &[Metric],
    revisions: &[Revision],
) -> Result<Vec<Series>, StoreError> {
    let (id, name) = host;
    let builds = store.builds(id)?;
    let measurements = store.measurements(id, benchmark)?;
    let material = Material::new(&builds, &measurements);
    let series = |metric: &Metric| Series {
        key: SeriesKey { benchmark: benchmark.clone(), host: name.to_owned(), metric: metric.clone() },
        points: revisions.iter().map(|revision| material.point(revision, &metric.name)).collect(),
    };
    Ok(metrics.iter().map(series).collect())
}

/// Builds and measurements, findable by revision.
struct Material<'a> {
    builds: HashMap<&'a str, &'a Build>,
    measurements: HashMap<&'a str, Vec<&'a Measurement>>,
    /// For each artifact a revision that was measured.
    measured: HashMap<Digest, &'a str>,
}

impl<'a> Material<'a> {
    fn new(builds: &'a [Build], measurements: &'a [Measurement]) -> Self {
        let builds: HashMap<&str, &Build> = builds.iter().map(|b| (b.revision.as_str(), b)).collect();
        let mut by_revision: HashMap<&str, Vec<&Measurement>> = HashMap::new();
        let mut measured = HashMap::new();
        for measurement in measurements.iter().filter(|measurement| !measurement.samples.is_empty()) {
            let revision = measurement.revision.as_str();
            by_revision.entry(revision).or_default().push(measurement);
            if let Some(artifact) = builds.get(revision).and_then(|build| build.state.artifact()) {
                measured.entry(artifact).or_insert(revision);
            }
        }
        Self { builds, measurements: by_revision, measured }
    }

    fn point(&self, revision: &Revision, metric: &str) -> Point {
        let build = self.builds.get(revision.id.as_str()).copied();
        let own = self.measurements.get(revision.id.as_str());
        let stand_in = build
            .filter(|_| own.is_none())
            .and_then(|build| self.measured.get(&build.state.artifact()?).copied());
        let measurements = own.or_else(|| self.measurements.get(stand_in?));
        let samples = measurements.into_iter().flatten().flat_map(|measurement| &measurement.samples);
        let mut point = Point {
            revision: revision.clone(),
            build: build.cloned(),
            equal_to: stand_in.map(str::to_owned),
            values: Vec::new(),
            failed: 0,
            failure: None,
        };
        for sample in samples {
            if let Outcome::Failed { failure, .. } = &sample.outcome {
                point.failed += 1;
                point.failure.get_or_insert_with(|| failure.line());
            } else if sample.counts() {
                point.values.extend(sample.value(metric));
            }
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Failure, Place, Sample};

    use super::*;
    use crate::builds::tests::{built, revision};

    fn sample(round: u32, wall: f64, outcome: Outcome) -> Sample {
        let place = Place { round, position: 0 };
        Sample { place, at: Timestamp::UNIX_EPOCH, outcome, values: vec![("wall".into(), wall)] }
    }

    fn measured(revision: &Revision, samples: Vec<Sample>) -> Measurement {
        Measurement { run: 1, revision: revision.id.clone(), samples }
    }

    #[test]
    fn the_warm_up_and_failures_are_told_and_not_counted() {
        let one = revision(1);
        let crash = Outcome::Failed { failure: Failure::Signal { number: 11 }, output: String::new() };
        let samples = vec![
            sample(0, 9.0, Outcome::Valid),
            sample(1, 1.0, Outcome::Valid),
            sample(2, 0.1, crash),
            sample(3, 2.0, Outcome::Valid),
        ];
        let (builds, measurements) = ([built(&one, "a")], [measured(&one, samples)]);
        let point = Material::new(&builds, &measurements).point(&one, "wall");
        assert_eq!(point.values, [1.0, 2.0]);
        assert_eq!((point.failed, point.failure.as_deref()), (1, Some("killed by signal 11")));
    }

    #[test]
    fn an_equal_build_takes_the_values_of_the_one_measured() {
        let (one, two) = (revision(1), revision(2));
        let builds = [built(&one, "same"), built(&two, "same")];
        let measurements = [measured(&two, vec![sample(1, 5.0, Outcome::Valid)])];
        let point = Material::new(&builds, &measurements).point(&one, "wall");
        assert_eq!((point.values.as_slice(), point.equal_to.as_deref()), (&[5.0][..], Some("r2")));
        let point = Material::new(&builds, &measurements).point(&two, "wall");
        assert_eq!(point.equal_to, None);
    }

    #[test]
    fn several_runs_add_up() {
        let one = revision(1);
        let builds = [built(&one, "a")];
        let measurements = [
            measured(&one, vec![sample(1, 5.0, Outcome::Valid)]),
            measured(&one, vec![sample(1, 6.0, Outcome::Valid)]),
        ];
        assert_eq!(Material::new(&builds, &measurements).point(&one, "wall").values, [5.0, 6.0]);
    }
}
