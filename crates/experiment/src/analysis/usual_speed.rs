//! Values of a series at the host's usual speed: what the host did to each execution is taken off.

use std::collections::{BTreeMap, HashMap};

use tacho_record::{Digest, HostUnevenness, Measurement, Metric, Sample};
use tacho_stats::Summary;
use tacho_stats::interleaved::{Fit, InterleavedExecution, MovementQuestion, UsualSpeedValues};
use tacho_stats::summary::median;
use tacho_store::Values;

/// Standard errors that a 95 % interval reaches to either side.
const NORMAL_95: f64 = 1.96;
/// Fewer values of a program in a run do not show what the host did.
const FEWEST: usize = 3;

/// The result of a correction of values to the host's usual speed.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SeriesAtUsualSpeed {
    /// The runs in which the speed moved; empty for a metric that does not depend on the speed.
    pub uneven: Vec<HostUnevenness>,
    /// How far the 95 % interval of a level reaches to either side, as a logarithm, where it is
    /// known; by run, revision and artifact.
    pub reaches: HashMap<(i64, String, Digest), f64>,
}

/// Removes the host's path, run by run, if its speed moves. All values are of one metric of one
/// benchmark, so that the host slows them alike. The store keeps the values as they were measured.
pub(crate) fn even_out(values: &mut [Values], metric: &Metric) -> SeriesAtUsualSpeed {
    let mut found = SeriesAtUsualSpeed::default();
    if !metric.is_of_speed() {
        return found;
    }
    let mut runs: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (index, one) in values.iter().enumerate() {
        // Values of zero or below have no logarithm, and the host's speed does not move them.
        if one.values.len() >= FEWEST && one.values.iter().all(|value| *value > 0.0) {
            runs.entry(one.run).or_default().push(index);
        }
    }
    for (run, measured) in runs.into_iter().filter(|(_, measured)| measured.len() > 1) {
        even_out_run(run, values, &measured, &mut found);
    }
    found
}

/// An execution with the position of its value.
struct PlacedExecution {
    place: (u32, u32),
    execution: InterleavedExecution,
    index: (usize, usize),
}

/// Puts executions in order of time. The fit and their values at the host's usual speed, where the
/// speed is seen to move and can be corrected.
fn fitted(all: &mut [PlacedExecution], programs: usize) -> Option<(Fit, UsualSpeedValues)> {
    all.sort_by_key(|it| it.place);
    let executions: Vec<InterleavedExecution> = all.iter().map(|it| it.execution).collect();
    let fit =
        Fit::of(&executions, programs).filter(|fit| fit.host_moves(MovementQuestion::Once))?;
    let evened = fit.at_usual_speed(&executions)?;
    Some((fit, evened))
}

fn even_out_run(
    run: i64,
    values: &mut [Values],
    measured: &[usize],
    found: &mut SeriesAtUsualSpeed,
) {
    let mut all = Vec::new();
    for (program, &index) in measured.iter().enumerate() {
        let one = &values[index];
        let places = one.rounds.iter().zip(&one.positions);
        for (at, (value, (&round, &position))) in one.values.iter().zip(places).enumerate() {
            let execution = InterleavedExecution { program, round, value: value.ln() };
            all.push(PlacedExecution { place: (round, position), execution, index: (index, at) });
        }
    }
    let Some((fit, evened)) = fitted(&mut all, measured.len()) else { return };
    for (value, PlacedExecution { index: (one, at), .. }) in evened.values.into_iter().zip(&all) {
        values[*one].values[*at] = value.exp();
    }
    for (reach, &index) in evened.reaches.into_iter().zip(measured) {
        let one = &values[index];
        let key = (run, one.revision.clone(), one.artifact);
        found.reaches.extend(reach.map(|reach| (key, reach)));
    }
    found.uneven.push(HostUnevenness { run, slower: fit.uneven(), gain: fit.gain() });
}

/// Samples at the host's usual speed.
#[derive(Clone, Debug, PartialEq)]
pub struct UsualSpeed {
    /// The samples, with the values of the metric as they would be at that speed; as they were
    /// measured where nothing shows that the speed moved.
    pub samples: Vec<Vec<Sample>>,
    /// The share by which executions took longer at the slow speed, if the speed moved.
    pub uneven: Option<f64>,
    /// The reach of the 95 % interval of each program's level to either side, as a logarithm, if
    /// known.
    pub reaches: Vec<Option<f64>>,
}

impl UsualSpeed {
    /// Samples as they were measured.
    #[must_use]
    pub fn unknown(samples: &[Vec<Sample>]) -> Self {
        Self { samples: samples.to_vec(), uneven: None, reaches: vec![None; samples.len()] }
    }
}

/// The same of samples: those that one run executed in turns. Each vector is of one program; those
/// with equal `programs` are of the same. Executions that do not count stay as they are, and so do
/// programs with few values or some that have no logarithm, and metrics that no speed moves.
#[must_use]
pub fn at_usual_speed(samples: &[Vec<Sample>], programs: &[usize], metric: &Metric) -> UsualSpeed {
    if !metric.is_of_speed() {
        return UsualSpeed::unknown(samples);
    }
    let metric = metric.name.as_str();
    let mut all = Vec::new();
    let mut known: Vec<usize> = Vec::new();
    for (index, (samples, name)) in samples.iter().zip(programs).enumerate() {
        let counted = samples.iter().enumerate().filter(|(_, sample)| sample.counts());
        let values: Vec<(usize, f64)> =
            counted.filter_map(|(at, sample)| Some((at, sample.value(metric)?))).collect();
        if values.len() < FEWEST || values.iter().any(|(_, value)| *value <= 0.0) {
            continue;
        }
        let program = known.iter().position(|one| one == name).unwrap_or_else(|| {
            known.push(*name);
            known.len() - 1
        });
        all.extend(values.into_iter().map(|(at, value)| {
            let place = samples[at].place;
            let execution = InterleavedExecution { program, round: place.round, value: value.ln() };
            PlacedExecution { place: (place.round, place.position), execution, index: (index, at) }
        }));
    }
    let mut usual = UsualSpeed::unknown(samples);
    let several = Some(&mut all).filter(|_| known.len() > 1);
    let Some((fit, evened)) = several.and_then(|all| fitted(all, known.len())) else {
        return usual;
    };
    for (level, PlacedExecution { index: (index, at), execution, .. }) in
        evened.values.iter().zip(&all)
    {
        usual.reaches[*index] = evened.reaches[execution.program];
        let values = &mut usual.samples[*index][*at].values;
        for (_, value) in values.iter_mut().filter(|(name, _)| name == metric) {
            *value *= (level - execution.value).exp();
        }
    }
    UsualSpeed { uneven: Some(fit.uneven()), ..usual }
}

/// The summary of values at the host's usual speed: with the interval of their level if known, and
/// with the measured range; with their own range if the median is not within that.
#[must_use]
pub(crate) fn with_measured_range(
    usual: Summary,
    measured: Option<Summary>,
    reach: Option<f64>,
) -> Summary {
    let usual = usual.with_reach(reach);
    match measured {
        Some(Summary { min, max, .. }) if (min..=max).contains(&usual.median) => {
            Summary { min, max, ..usual }
        }
        _ => usual,
    }
}

/// All that runs measured of a benchmark, at the host's usual speed.
pub(crate) struct RunsAtUsualSpeed {
    /// The measurements, run by run.
    pub measurements: Vec<Measurement>,
    /// The reach of the 95 % interval of each measurement's level, as a logarithm, if known.
    pub reaches: Vec<Option<f64>>,
    /// The share by which executions took longer at the slow speed, where it moved most.
    pub uneven: Option<f64>,
}

impl RunsAtUsualSpeed {
    /// The samples of those measurements for which this holds, and how far the interval of their
    /// level reaches.
    #[must_use]
    pub fn of(
        self,
        metric: &Metric,
        is_own: impl Fn(&Measurement) -> bool,
    ) -> (Vec<Sample>, Option<f64>) {
        let all = self.measurements.into_iter().zip(self.reaches);
        let (own, reaches): (Vec<Vec<Sample>>, Vec<_>) =
            all.filter(|(one, _)| is_own(one)).map(|(one, reach)| (one.samples, reach)).unzip();
        let counted = |samples: &Vec<Sample>| -> Vec<f64> {
            let counted = samples.iter().filter(|sample| sample.counts());
            counted.filter_map(|sample| sample.value(&metric.name)).collect()
        };
        let values: Vec<Vec<f64>> = own.iter().map(counted).collect();
        let runs: Vec<_> = values.iter().map(Vec::as_slice).zip(reaches).collect();
        (own.concat(), pooled_reach(&runs))
    }
}

/// Takes off what the host did, run by run.
#[must_use]
pub(crate) fn by_run(mut all: Vec<Measurement>, metric: &Metric) -> RunsAtUsualSpeed {
    all.sort_by_key(|one| one.run);
    let (mut uneven, mut reaches): (Option<f64>, _) = (None, Vec::with_capacity(all.len()));
    for of_run in all.chunk_by_mut(|one, other| one.run == other.run) {
        let samples: Vec<Vec<Sample>> = of_run.iter().map(|one| one.samples.clone()).collect();
        let usual = each_at_usual_speed(&samples, metric);
        for (one, samples) in of_run.iter_mut().zip(usual.samples) {
            one.samples = samples;
        }
        reaches.extend(usual.reaches);
        uneven = uneven.into_iter().chain(usual.uneven).max_by(f64::total_cmp);
    }
    RunsAtUsualSpeed { measurements: all, reaches, uneven }
}

/// How far the 95 % interval of a level that several runs measured reaches, as a logarithm; of each
/// run its values and how far its own reaches. `None` where that is not known of each run.
///
/// Runs count by their numbers of values. The differences of their levels add to the uncertainty of
/// each.
pub(crate) fn pooled_reach(runs: &[(&[f64], Option<f64>)]) -> Option<f64> {
    let known = |(values, reach): &(&[f64], Option<f64>)| {
        Some((values.len() as f64, median(values)?.ln(), (*reach)?))
    };
    let measured = runs.iter().filter(|(values, _)| !values.is_empty());
    let runs: Vec<(f64, f64, f64)> = measured.map(known).collect::<Option<_>>()?;
    let all: f64 = runs.iter().map(|(count, ..)| count).sum();
    let mean = runs.iter().map(|(count, level, _)| count * level).sum::<f64>() / all;
    let square = |(count, level, reach): &(f64, f64, f64)| {
        (count / all).powi(2) * (reach.powi(2) + (NORMAL_95 * (level - mean)).powi(2))
    };
    (!runs.is_empty()).then(|| runs.iter().map(square).sum::<f64>().sqrt())
}

/// The same, where each vector is of a program of its own.
#[must_use]
pub fn each_at_usual_speed(samples: &[Vec<Sample>], metric: &Metric) -> UsualSpeed {
    at_usual_speed(samples, &(0..samples.len()).collect::<Vec<_>>(), metric)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tacho_record::{Digest, LimitedExecutions, Outcome, Place};

    use super::*;

    /// Two programs, 5 % apart, in rounds on a host that is half as fast for a while.
    fn measured() -> Vec<Values> {
        let slow = |round: u32| if (8..15).contains(&round) { 2.0 } else { 1.0 };
        let one = |program: u32| Values {
            run: 1,
            revision: format!("r{program}"),
            artifact: Digest::of(program.to_string()),
            values: (0..20)
                .map(|n| (100.0 + 5.0 * f64::from(program)) * slow(n) + f64::from(n % 3))
                .collect(),
            rounds: (0..20).collect(),
            positions: (0..20).map(|n| (n + program) % 2).collect(),
            limited: LimitedExecutions::default(),
            bound_rounds: vec![],
            failed: 0,
            failure: None,
            failure_said: None,
            steadiness: None,
        };
        vec![one(0), one(1)]
    }

    fn named(metric: &str) -> Metric {
        Metric::built_in(metric).unwrap()
    }

    #[test]
    fn the_hosts_speed_moves_neither_sizes_nor_counts_nor_waiting() {
        let sizes = ["peak-memory", "minor-faults", "voluntary-switches"];
        for metric in sizes.into_iter().chain(["blocked", "cpu-percent", "cpu-wait"]) {
            let mut values = measured();
            let found = even_out(&mut values, &named(metric));
            assert_eq!(found, SeriesAtUsualSpeed::default(), "{metric}");
            assert_eq!(values, measured(), "{metric}");
        }
    }

    #[test]
    fn a_slow_spell_is_taken_off() {
        let mut values = measured();
        let uneven = even_out(&mut values, &named("wall")).uneven;
        assert_eq!(uneven.len(), 1);
        assert!((uneven[0].slower - 1.0).abs() < 0.1 && uneven[0].gain > 100.0, "{uneven:?}");
        for (one, level) in values.iter().zip([101.0, 106.0]) {
            assert!(
                one.values.iter().all(|value| (value / level - 1.0).abs() < 0.05),
                "{:?}",
                one.values
            );
        }
    }

    #[test]
    fn the_range_is_as_measured_and_holds_the_median() {
        let of = |values: &[f64]| Summary::of(values).unwrap();
        let usual = of(&[9.0, 10.0, 11.0]);
        let shown = |measured: &[f64]| {
            let shown = with_measured_range(usual, Some(of(measured)), None);
            (shown.min, shown.median, shown.max)
        };
        assert_eq!(shown(&[8.0, 14.0, 20.0]), (8.0, 10.0, 20.0));
        assert_eq!(shown(&[18.0, 20.0, 22.0]), (9.0, 10.0, 11.0));
    }

    #[test]
    fn a_level_that_is_known_has_its_interval_and_the_range_as_measured() {
        let of = |values: &[f64]| Summary::of(values).unwrap();
        let usual = of(&[9.0, 10.0, 11.0]);
        let shown = with_measured_range(usual, Some(of(&[8.0, 14.0, 20.0])), Some(1.25_f64.ln()));
        let (low, high) = shown.interval.unwrap();
        assert!((low - 8.0).abs() < 1e-9 && (high - 12.5).abs() < 1e-9, "{shown:?}");
        assert_eq!((shown.min, shown.max), (8.0, 20.0));
    }

    #[test]
    fn runs_that_disagree_widen_the_interval() {
        let known = Some(0.02);
        let reach = |runs: &[(&[f64], Option<f64>)]| pooled_reach(runs);
        assert_eq!(reach(&[(&[10.0; 6], known)]), known);
        // As sharp, and twice as many: narrower by the square root of two.
        let twice = reach(&[(&[10.0; 6], known), (&[10.0; 6], known)]).unwrap();
        assert!((twice - 0.02 / 2.0_f64.sqrt()).abs() < 1e-12, "{twice}");
        // 10 % apart: the interval holds both levels.
        let apart = reach(&[(&[10.0; 6], known), (&[11.0; 6], known)]).unwrap();
        assert!(apart > 1.1_f64.ln() / 2.0 && apart < 0.1, "{apart}");
        assert_eq!(reach(&[(&[10.0; 6], known), (&[10.0; 6], None)]), None);
        assert_eq!(reach(&[]), None);
    }

    #[test]
    fn samples_are_evened_as_values_are() {
        let mut expected = measured();
        even_out(&mut expected, &named("wall"));
        let sample = |one: &Values, at: usize| {
            let place = Place { round: one.rounds[at] + 1, position: one.positions[at] };
            let mut sample = Sample {
                place,
                at: jiff::Timestamp::default(),
                outcome: Outcome::Valid,
                values: vec![],
            };
            sample.add("wall", one.values[at]);
            sample.add("peak-memory", 5.0);
            sample
        };
        let programs: Vec<Vec<Sample>> =
            measured().iter().map(|one| (0..20).map(|at| sample(one, at)).collect()).collect();
        for (one, samples) in
            expected.iter().zip(at_usual_speed(&programs, &[0, 1], &named("wall")).samples)
        {
            for (value, sample) in one.values.iter().zip(samples) {
                assert!((sample.value("wall").unwrap() / value - 1.0).abs() < 1e-9);
                assert_eq!(sample.value("peak-memory"), Some(5.0));
            }
        }
        assert_eq!(at_usual_speed(&programs, &[0, 1], &named("cpu")).samples, programs);
    }

    #[test]
    fn waiting_for_a_cpu_is_taken_off_too() {
        // Two programs that compute for 100 and 105 ms, in slices of 4 ms; in spells two others
        // have a slice of about that length each in between.
        let mut rng = ChaCha8Rng::seed_from_u64(70);
        let (mut squares, mut waited) = ([0.0; 2], 0.0);
        for _ in 0..40 {
            let mut values = measured();
            let mut others = 0.0;
            for round in 0..20 {
                for position in 0..2 {
                    if rng.random::<f64>() < 0.1 {
                        others = 2.0 - others;
                    }
                    let program = (round + position) % 2;
                    let [slices, rest] = [[25, 0], [26, 1]][program];
                    let slice = |_| 4.0 * others * (0.5 + rng.random::<f64>());
                    let cpu = f64::from(4 * slices + rest);
                    let waits: f64 = (0..slices).map(slice).sum();
                    values[program].values[round] = cpu + waits;
                    values[program].positions[round] = u32::from(position == 1);
                    waited += waits / (cpu + waits) / 1600.0;
                }
            }
            let ratio = |values: &[Values]| {
                let [a, b] = [0, 1].map(|at| median(&values[at].values).unwrap());
                (b / a / 1.05).ln()
            };
            let raw = ratio(&values);
            even_out(&mut values, &named("wall"));
            for (square, off) in squares.iter_mut().zip([raw, ratio(&values)]) {
                *square += off * off;
            }
        }
        println!("waited {waited:.2} of the time: error of medians by evened {squares:?}");
        assert!((0.2..0.5).contains(&waited), "{waited}");
        assert!(squares[1] < squares[0] / 4.0, "{squares:?}");
    }

    #[test]
    fn what_has_no_logarithm_or_no_company_stays() {
        let mut with_zero = measured();
        with_zero[0].values[3] = 0.0;
        let mut alone = measured();
        alone[1].run = 2;
        for before in [with_zero, alone] {
            let mut after = before.clone();
            assert_eq!(even_out(&mut after, &named("wall")), SeriesAtUsualSpeed::default());
            assert_eq!(after, before);
        }
    }

    #[test]
    fn a_program_without_a_logarithm_leaves_the_others_their_path() {
        let [zero, one] = <[Values; 2]>::try_from(measured()).unwrap();
        let two = Values { revision: "r2".into(), ..one.clone() };
        let mut values = [Values { values: vec![0.0; 20], ..zero }, one, two];
        assert_eq!(even_out(&mut values, &named("wall")).uneven.len(), 1);
        assert_eq!(values[0].values, [0.0; 20]);
        assert!(values[1].values.iter().all(|value| (value / 106.0 - 1.0).abs() < 0.05));
    }
}
