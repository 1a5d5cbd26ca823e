//! Many series judged together: what a single one shows by chance, a hundred show a hundred times.

use std::collections::BTreeMap;

use crate::changes::judgement::Judgement;
use tacho_stats::believed;
use tacho_stats::changes::{Detection, JudgementStatus, Options, SeriesValue, detect};
use tacho_stats::history::RunReading;

use super::tracked::{add_at_borders, tracked};

/// The largest expected share of false ones among the reported changes.
pub const FALSE_SHARE: f64 = 0.05;

/// Judges each series by its readings where runs measured it in rounds, and the others by their
/// values, as [`judge`](judge()) does.
///
/// At borders that no run links, where readings are no evidence, values count too.
#[must_use]
pub fn judge_measured<S: AsRef<[SeriesValue]>>(
    series: &[S],
    readings: &[Option<Vec<RunReading>>],
    options: &Options,
) -> Vec<Judgement> {
    let measured = series.iter().zip(readings).zip(judge(series, options));
    let judged = measured.map(|((points, readings), by_values)| {
        let Some(readings) = readings else { return by_values };
        let mut judgement = tracked(points.as_ref(), readings);
        add_at_borders(&mut judgement.detection, &by_values.detection, readings);
        judgement
    });
    judged.collect()
}

/// Finds the changes of all series, and holds the share of false ones down over all of them
/// (docs/src/method).
///
/// Series that could not be judged do not count among the many.
#[must_use]
pub fn judge<S: AsRef<[SeriesValue]>>(series: &[S], options: &Options) -> Vec<Judgement> {
    let detections: Vec<Detection> =
        series.iter().map(|points| detect(points.as_ref(), options)).collect();
    let judged = detections.iter().filter(|detection| detection.judged == JudgementStatus::Yes);
    let families: Vec<Vec<f64>> = judged
        .map(|detection| detection.everything().iter().map(|change| change.p).collect())
        .collect();
    let cut = believed(families.iter().map(Vec::as_slice), FALSE_SHARE);
    detections.into_iter().map(|detection| divide(detection, cut)).collect()
}

fn divide(mut detection: Detection, cut: f64) -> Judgement {
    let chance =
        detection.everything().into_iter().filter(|change| change.p > cut).cloned().collect();
    detection.changes.retain(|change| change.p <= cut);
    detection.scatter.retain(|change| change.p <= cut);
    Judgement { detection, chance, cut, history: None, machines: BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use tacho_stats::changes::DetectedChange;

    use super::*;

    /// A level with a fixed to and fro of 1 %, and a step half way.
    fn stepping(step: f64) -> Vec<SeriesValue> {
        let noise = |place: usize| 0.02 * (((place * 7919) % 101) as f64 / 101.0 - 0.5);
        let level = |place: usize| if place < 30 { 100.0 } else { 100.0 * (1.0 + step) };
        (0..60).map(|place| SeriesValue::of(level(place) * (1.0 + noise(place)))).collect()
    }

    #[test]
    fn a_clear_change_is_told_however_many_series_there_are() {
        let mut series = vec![stepping(0.0); 200];
        series.push(stepping(0.2));
        let judged = judge(&series, &Options::default());
        assert_eq!(judged.iter().map(|one| one.detection.changes.len()).sum::<usize>(), 1);
        assert_eq!(judged[200].detection.changes[0].index, 30);
    }

    #[test]
    fn a_change_that_many_series_show_by_chance_is_set_aside() {
        let one = DetectedChange {
            index: 1,
            range: 1..=1,
            before: 1.0,
            after: 2.0,
            effect: 1.0,
            interval: (0.9, 1.1),
            p: 0.01,
            confidence: 0.99,
            kind: tacho_stats::changes::Kind::Step,
        };
        let detection = Detection { changes: vec![one.clone()], ..Detection::default() };
        assert_eq!(divide(detection.clone(), 0.05).chance, []);
        let aside = divide(detection, 0.001);
        assert_eq!((aside.chance.len(), aside.detection.changes.len()), (1, 0));
    }
}
