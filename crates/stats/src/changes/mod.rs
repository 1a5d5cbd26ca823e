//! Finds the changes in a series, and nothing else.
//!
//! [`detect`] takes the values of one series in order and reports the changes of their level, each
//! with its interval of places, its effect, and how sure it is; refused candidates are reported
//! with the reason. Whether a change is good is decided elsewhere. The rules are in
//! `docs/src/method/changes.md`, "What changed in a series".
//!
//! In steps, one file each: the values become logarithms, on which steps are ratios (`series`),
//! without the differences between hosts that take turns (`alternating`); a segmentation that
//! outliers cannot mislead (`segment`), that knows levels which the series keeps going to
//! (`modes`), and a search for short excursions (`dips`) propose candidates; those are chosen that
//! explain the series better than slow noise would (`choose`, `noise`), and than a curve with fewer
//! steps would (`trend`), each is placed where it is most often right (`locate`). Then the kinds of
//! changes (`judge`), changes of the spread (`scatter`) and the reasons against the other
//! candidates (`refuse`) are decided.

mod alternating;
mod choose;
mod dips;
mod environment;
mod exact;
mod filter;
mod finding;
mod judge;
pub mod ledger;
mod levels;
mod locate;
mod mode_swap;
mod modes;
mod noise;
mod options;
mod parts;
mod phases;
mod point;
mod refuse;
mod scale;
mod scatter;
mod second_level;
mod segment;
mod series;
mod stretches;
mod sums;
mod trend;

pub use exact::detect_exact;
pub use finding::{
    DetectedChange, Detection, Drift, JudgementStatus, Kind, Mode, Modes, Refusal, RefusedCandidate,
};
pub use options::Options;
pub(crate) use phases::differ;
pub use phases::phases;
pub use point::SeriesValue;

/// How often modes and noise are estimated again from the levels found with them.
const REFINEMENTS: usize = 2;

/// A series of this length is not divided again if its noise turns out
const LONG: usize = 1200;
/// to be within this share of the assumed one.
const ABOUT: f64 = 0.03;

/// The gain that a dip needs, in prices of one change: a little more than one, since its end is not
/// free.
const DIP_PRICE: f64 = 1.2;

/// Fewer values are no level.
const FEWEST: usize = 3;

/// From this many values on a level is well known.
const WELL_KNOWN: usize = 6;

/// Beyond how many standard deviations a value is left out of the judgement.
const MASKED: f64 = 4.0;

/// Finds what changed in a series of values in order.
///
/// Time and memory grow linearly with the length. Values that are not finite are skipped; indexes
/// always count them. Any two calls with the same input give the same answer.
#[must_use]
pub fn detect(points: &[SeriesValue], options: &Options) -> Detection {
    let series = match series::ValueSeries::of(points, options) {
        Ok(series) => alternating::without(series),
        Err(judged) => return Detection { judged, ..Detection::default() },
    };
    let proposed = CandidateSeries::of(series, options);
    let judge = proposed.judge();
    let choice = judge.choose(proposed.candidates.clone());
    let Some(curve) = trend::beside(&judge, &choice, &proposed.candidates) else {
        return proposed.detected(&judge, choice);
    };
    let rest = CandidateSeries::of(proposed.without(&curve), options);
    let judge = rest.judge();
    let choice = judge.choose(rest.candidates.clone());
    let detected = rest.detected(&judge, choice);
    Detection { drift: trend::detected(&rest.series), ..detected }
}

/// The same of values of which nothing more is known.
fn detect_values(values: &[f64]) -> Detection {
    let points: Vec<SeriesValue> = values.iter().copied().map(SeriesValue::of).collect();
    detect(&points, &Options::default())
}

/// A series, and where its level may have changed.
struct CandidateSeries {
    /// The values, each moved to its level from the mode that it is at, and their noise.
    series: series::ValueSeries,
    /// The values before any was moved.
    raw: Vec<f64>,
    modes: ModeVisits,
    candidates: Vec<usize>,
    /// The values that are not to count.
    masked: Vec<bool>,
}

impl CandidateSeries {
    fn of(mut series: series::ValueSeries, options: &Options) -> Self {
        let raw = series.y.clone();
        let modes = ModeVisits::find(&mut series, options);
        let levels = levels::SegmentLevels::robust(&series, &modes.places, &[], options.outlier);
        let price = DIP_PRICE * options.penalty * (series.len() as f64).ln();
        let mut candidates = dips::add(&series, &levels, &modes.places, options.outlier, price);
        without_ends(&mut candidates, series.len());
        let levels = if candidates == modes.places {
            levels
        } else {
            levels::SegmentLevels::robust(&series, &candidates, &[], options.outlier)
        };
        let masked =
            levels.residual.iter().zip(&series.sd).map(|(r, sd)| r.abs() > MASKED * sd).collect();
        Self { series, raw, modes, candidates, masked }
    }

    /// The series as it was, less a curve.
    fn without(&self, curve: &[f64]) -> series::ValueSeries {
        self.series.less(&self.raw, curve)
    }

    fn judge(&self) -> choose::Judge<'_> {
        choose::Judge::new(&self.series, &self.masked)
    }

    /// The detection reported for a choice.
    fn detected(&self, judge: &choose::Judge, choice: choose::SegmentChoice) -> Detection {
        let (series, modes, raw) = (&self.series, &self.modes, &self.raw);
        let choice = locate::locate(judge, choice);
        let levels = levels::SegmentLevels::means(series, &choice.places, &self.masked);
        let mut scatter = scatter::spreads(series, &levels, &choice);
        scatter.extend(scatter::shares(series, &levels, &modes.modes, &modes.at));
        let mut changes = judge::changes(judge, &choice);
        mode_swap::divide(judge, &choice, raw, &mut changes, &mut scatter);
        scatter.sort_by_key(|change| change.index);
        Detection {
            changes,
            scatter,
            refused: refuse::refused(judge, &choice, &self.candidates, &modes.visits()),
            drift: refuse::drift(judge, &choice),
            modes: modes.detected(series),
            judged: JudgementStatus::Yes,
        }
    }
}

/// Takes out a level of one or two values at either end beside one that is well known: they are far
/// off, and must not be noise of that level either. Beside few values they may be what it is.
fn without_ends(places: &mut Vec<usize>, n: usize) {
    let bounds: Vec<usize> = [0].into_iter().chain(places.iter().copied()).chain([n]).collect();
    let length = |level: usize| bounds[level + 1] - bounds[level];
    let last = bounds.len() - 2;
    if last > 0 && length(last) < FEWEST && length(last - 1) >= WELL_KNOWN {
        places.pop();
    }
    if !places.is_empty() && length(0) < FEWEST && length(1) >= WELL_KNOWN {
        places.remove(0);
    }
}

/// Whether no standard deviation changed much.
fn is_about(sd: &[f64], rough: &[f64]) -> bool {
    sd.iter().zip(rough).all(|(sd, rough)| (sd / rough - 1.0).abs() <= ABOUT)
}

/// The places where the level may have changed, if visits to modes are no changes, and these
/// visits.
struct ModeVisits {
    places: Vec<usize>,
    modes: Vec<second_level::SecondLevel>,
    /// The mode of each value, if any.
    at: Vec<Option<usize>>,
}

impl ModeVisits {
    /// Finds them; values that are at a mode are moved to where they would be without it.
    fn find(series: &mut series::ValueSeries, options: &Options) -> Self {
        let outlier = options.outlier;
        let penalty = options.penalty * (series.len() as f64).ln();
        scale::from_differences(series);
        let mut modes = Vec::new();
        let mut places = segment::segment(series, &modes, outlier, penalty);
        for _ in 0..REFINEMENTS {
            let levels = levels::SegmentLevels::robust(series, &places, &modes, outlier);
            let rough = series.sd.clone();
            scale::from_residuals(series, &levels.residual);
            modes = modes::find(series, &levels, outlier);
            if series.len() >= LONG && modes.is_empty() && is_about(&series.sd, &rough) {
                break;
            }
            let ratio = crate::robust::median_of(&series.sd) / crate::robust::median_of(&rough);
            let before =
                std::mem::replace(&mut places, segment::segment(series, &modes, outlier, penalty));
            if modes.is_empty() && places == before && (0.9..1.1).contains(&ratio) {
                break;
            }
        }
        let mut at = vec![None; series.len()];
        if !modes.is_empty() {
            let levels = levels::SegmentLevels::robust(series, &places, &modes, outlier);
            at = levels::fold(series, &levels, &modes, outlier);
            let levels = levels::SegmentLevels::robust(series, &places, &[], outlier);
            scale::from_residuals(series, &levels.residual);
        }
        Self { places, modes, at }
    }

    /// The starts of stays at a mode that are long enough to look like a level.
    fn visits(&self) -> Vec<usize> {
        let begins = |i: usize| self.at[i].is_some() && (i == 0 || self.at[i - 1] != self.at[i]);
        let stays = |i: usize| (i..i + 3).all(|next| self.at.get(next) == Some(&self.at[i]));
        (0..self.at.len()).filter(|&i| begins(i) && stays(i)).collect()
    }

    fn detected(&self, series: &series::ValueSeries) -> Option<Modes> {
        let share = |which: Option<usize>| {
            self.at.iter().filter(|at| **at == which).count() as f64 / self.at.len() as f64
        };
        let size = crate::robust::median_of(&series.y).abs();
        let ratio = |offset: f64| if series.log { offset.exp() } else { 1.0 + offset / size };
        let usual = Mode { ratio: 1.0, share: share(None) };
        let others = self.modes.iter().enumerate();
        let others = others
            .map(|(which, mode)| Mode { ratio: ratio(mode.offset), share: share(Some(which)) });
        (!self.modes.is_empty())
            .then(|| Modes { levels: [usual].into_iter().chain(others).collect() })
    }
}

#[cfg(test)]
mod bound;
#[cfg(test)]
mod distances;
#[cfg(test)]
mod lengths;
#[cfg(test)]
mod rates;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod stills;

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise without a generator: a fixed to and fro of about 1 %.
    fn noisy(level: f64, place: usize) -> f64 {
        let phase = (place * 7919) % 101;
        level * (1.0 + 0.02 * (phase as f64 / 101.0 - 0.5))
    }

    #[test]
    fn one_step_is_found_where_it_is() {
        let values: Vec<f64> =
            (0..60).map(|i| noisy(if i < 30 { 100.0 } else { 110.0 }, i)).collect();
        let detection = detect_values(&values);
        assert_eq!(detection.changes.len(), 1, "{detection:?}");
        let change = &detection.changes[0];
        assert_eq!((change.index, change.kind), (30, Kind::Step));
        assert!((change.effect - 0.1).abs() < 0.01, "{change:?}");
        assert!(change.interval.0 < 0.1 && 0.1 < change.interval.1, "{change:?}");
        assert!(change.p < 1e-6 && change.confidence > 0.999_99, "{change:?}");
    }

    #[test]
    fn a_step_between_constant_stretches_is_found_however_large() {
        for ratio in [1.0 + 1e-6, 1.001, 1.5, 3.0, 1e3, 1e6] {
            for (before, after) in [(5, 5), (20, 5), (15, 15), (20, 20)] {
                let up = [vec![7.0; before], vec![7.0 * ratio; after]].concat();
                let down = [vec![7.0 * ratio; before], vec![7.0; after]].concat();
                for values in [up, down] {
                    let detection = detect_values(&values);
                    let places: Vec<usize> =
                        detection.changes.iter().map(|change| change.index).collect();
                    assert_eq!(places, [before], "{ratio}: {detection:?}");
                }
            }
        }
    }

    #[test]
    fn a_dip_between_constant_stretches_is_found() {
        let kinds: Vec<(usize, Kind)> =
            detect_values(&[vec![100.0; 15], vec![110.0; 4], vec![100.0; 15]].concat())
                .changes
                .iter()
                .map(|change| (change.index, change.kind))
                .collect();
        assert_eq!(kinds, [(15, Kind::DipStart), (19, Kind::DipEnd)]);
    }

    #[test]
    fn values_of_any_size_are_judged() {
        for (before, after) in [
            (-f64::MAX, f64::MAX),
            (-1.7e308, 1.7e308),
            (0.0, 1e308),
            (-1e307, 1e307),
            (1e200, -1e200),
            (0.0, 5e-324),
        ] {
            let detection = detect_values(&[[before; 20], [after; 20]].concat());
            let places: Vec<usize> = detection.changes.iter().map(|change| change.index).collect();
            assert_eq!(places, [20], "{before} {after}: {detection:?}");
        }
    }

    #[test]
    fn values_beside_one_of_another_size_are_judged() {
        for far in [-1e300, -1e200, 1e300, 1e-300, 0.0, -3.0] {
            for n in [12, 60, 300, 1500] {
                let mut values: Vec<f64> =
                    (0..n).map(|i| noisy(if i < n / 2 { 100.0 } else { 110.0 }, i)).collect();
                values[n / 3] = far;
                assert_eq!(detect_values(&values).judged, JudgementStatus::Yes, "{far} of {n}");
                values[n / 3 + 1] = 1e300;
                values[n / 2 + 2] = -1e300;
                assert_eq!(
                    detect_values(&values).judged,
                    JudgementStatus::Yes,
                    "{far}, 1e300 and -1e300 of {n}"
                );
            }
        }
    }

    #[test]
    fn a_step_with_the_environment_is_called_that() {
        let mut points: Vec<SeriesValue> = (0..60)
            .map(|i| SeriesValue::of(noisy(if i < 30 { 100.0 } else { 110.0 }, i)))
            .collect();
        points[30..].iter_mut().for_each(|point| point.environment = 1);
        let kinds: Vec<Kind> =
            detect(&points, &Options::default()).changes.iter().map(|change| change.kind).collect();
        assert_eq!(kinds, [Kind::Environment]);
    }

    /// The kinds of what is found in sixty points, with a step half way or not, that were measured
    /// on these hosts.
    fn on_hosts(level: impl Fn(usize) -> f64, host: impl Fn(usize) -> u32) -> Vec<Kind> {
        let point =
            |i: usize| SeriesValue { environment: host(i), ..SeriesValue::of(noisy(level(i), i)) };
        let points: Vec<SeriesValue> = (0..60).map(point).collect();
        detect(&points, &Options::default()).changes.iter().map(|change| change.kind).collect()
    }

    #[test]
    fn where_hosts_take_turns_the_program_is_not_excused() {
        let step = |i: usize| if i < 30 { 100.0 } else { 110.0 };
        let turns = |i: usize| u32::try_from(i % 2).unwrap();
        assert_eq!(on_hosts(step, turns), [Kind::Step]);
        assert_eq!(
            on_hosts(step, |i| u32::try_from(i / 5 % 3).unwrap()),
            [Kind::Step],
            "five in a row each"
        );
        assert_eq!(on_hosts(step, |i| u32::from(i == 30)), [Kind::Step], "one point elsewhere");
    }

    #[test]
    fn another_host_that_stays_is_the_environment() {
        let step = |i: usize| if i < 30 { 100.0 } else { 110.0 };
        assert_eq!(on_hosts(step, |i| u32::from(i >= 30)), [Kind::Environment]);
        let new = |i: usize| if i < 30 { i % 2 } else { 2 + i % 2 };
        assert_eq!(
            on_hosts(step, |i| u32::try_from(new(i)).unwrap()),
            [Kind::Environment],
            "two new ones in turns"
        );
        let tried = |i: usize| u32::from(i >= 30 || i == 10);
        let level = |i: usize| if tried(i) == 1 { 110.0 } else { 100.0 };
        assert_eq!(
            on_hosts(level, tried),
            [Kind::Environment],
            "it was as slow when it was tried before"
        );
    }

    #[test]
    fn hosts_that_are_never_met_again_excuse_no_program() {
        let step = |i: usize| if i < 30 { 100.0 } else { 110.0 };
        for each in [1, 2, 5] {
            assert_eq!(
                on_hosts(step, |i| u32::try_from(i / each).unwrap()),
                [Kind::Step],
                "{each} values each"
            );
        }
        let rented = |i: usize| if i < 30 { 0 } else { i };
        assert_eq!(
            on_hosts(step, |i| u32::try_from(rented(i)).unwrap()),
            [Kind::Environment],
            "from here on"
        );
        let upgraded = |i: usize| u32::from(i >= 12) + u32::from(i >= 30) + u32::from(i >= 50);
        assert_eq!(on_hosts(step, upgraded), [Kind::Environment], "a new kernel now and then");
    }

    #[test]
    fn what_is_less_than_a_grain_is_no_drift() {
        let level = |i: usize| if i < 30 { 0.0 } else { 50.0 };
        let detection =
            detect_values(&(0..60).map(|i| 1e15 + noisy(100.0, i) + level(i)).collect::<Vec<_>>());
        assert_eq!((detection.changes, detection.drift), (vec![], None));
    }

    #[test]
    fn a_ratio_to_nothing_is_none() {
        let noise = |i: usize| 0.01 * noisy(1.0, i) - 0.01;
        for level in [1.0, -1.0] {
            let values: Vec<f64> =
                (0..40).map(|i| noise(i) + if i < 20 { 0.0 } else { level }).collect();
            let change = &detect_values(&values).changes[0];
            assert_eq!((change.index, change.effect), (20, level * f64::INFINITY), "{change:?}");
        }
        let from_zero: Vec<f64> =
            (0..40).map(|i| if i < 20 { 0.0 } else { noisy(1.0, i) }).collect();
        assert_eq!(detect_values(&from_zero).changes[0].effect, f64::INFINITY);
        let to_zero: Vec<f64> = (0..40).map(|i| if i < 20 { noisy(1.0, i) } else { 0.0 }).collect();
        assert!((detect_values(&to_zero).changes[0].effect + 1.0).abs() < 0.01);
    }

    #[test]
    fn a_commit_that_was_backed_out_is_a_dip() {
        let level = |i: usize| if (30..35).contains(&i) { 90.0 } else { 100.0 };
        let values: Vec<f64> = (0..60).map(|i| noisy(level(i), i)).collect();
        let kinds: Vec<(usize, Kind)> = detect_values(&values)
            .changes
            .iter()
            .map(|change| (change.index, change.kind))
            .collect();
        assert_eq!(kinds, [(30, Kind::DipStart), (35, Kind::DipEnd)]);
    }

    #[test]
    fn gaps_belong_to_what_may_be_the_first_at_the_new_level() {
        let mut values: Vec<f64> =
            (0..60).map(|i| noisy(if i < 30 { 100.0 } else { 110.0 }, i)).collect();
        values[27..30].fill(f64::NAN);
        let change = &detect_values(&values).changes[0];
        assert_eq!((change.index, &change.range), (30, &(27..=30)));
    }

    #[test]
    fn what_cannot_be_judged_says_why() {
        assert_eq!(detect_values(&[]).judged, JudgementStatus::Empty);
        assert_eq!(
            detect_values(&[1.0, f64::NAN, 2.0]).judged,
            JudgementStatus::TooFew { points: 2, needed: 6 }
        );
        assert_eq!(detect_values(&[5.0; 20]).judged, JudgementStatus::Constant);
    }

    #[test]
    fn phases_cover_all_values() {
        let values: Vec<f64> =
            (0..40).map(|i| noisy(if i < 10 { 150.0 } else { 100.0 }, i)).collect();
        assert_eq!(phases(&values), [0..10, 10..40]);
        assert_eq!(phases(&[1.0, 2.0]).len(), 1);
        assert!(phases(&[]).is_empty());
    }
}
