//! Which candidates are changes: each against the noise of its own series.

use super::Options;
use super::finding::{Change, Detection, Judged, Kind, Refusal, Refused};
use super::robust;
use super::series::Series;

/// Two neighbouring levels, compared.
struct Comparison {
    before: f64,
    after: f64,
    error: f64,
    /// The difference as a multiple of the least one that counts.
    ratio: f64,
}

/// Drops the weakest candidate as long as it is too weak.
pub(super) fn judge(series: &Series, mut places: Vec<usize>, options: &Options) -> Detection {
    let mut refused = Vec::new();
    loop {
        let comparisons = compare_all(series, &places, options);
        let weakest = comparisons.iter().enumerate().min_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio));
        match weakest {
            Some((which, comparison)) if comparison.ratio < 1.0 => {
                refused.push(Refused { index: series.index[places.remove(which)], why: Refusal::Small });
            }
            _ => {
                refused.sort_by_key(|refused| refused.index);
                let changes = places
                    .iter()
                    .zip(&comparisons)
                    .map(|(&place, found)| change(series, place, found))
                    .collect();
                return Detection { changes, refused, drift: None, modes: None, judged: Judged::Yes };
            }
        }
    }
}

fn compare_all(series: &Series, places: &[usize], options: &Options) -> Vec<Comparison> {
    let n = series.y.len();
    let bounds: Vec<usize> = [0].into_iter().chain(places.iter().copied()).chain([n]).collect();
    bounds
        .windows(3)
        .map(|bound| {
            compare(
                series,
                bound[0].max(bound[1].saturating_sub(options.window)),
                bound[1],
                bound[2].min(bound[1] + options.window),
                options,
            )
        })
        .collect()
}

fn compare(series: &Series, first: usize, place: usize, end: usize, options: &Options) -> Comparison {
    let level = |from: usize, to: usize| {
        let mut values = series.y[from..to].to_vec();
        let level = robust::trimmed_mean(&mut values);
        let own = robust::deviation(&values, level);
        // A few values hardly know their spread: that of the whole series counts like five more.
        let (count, all) = ((to - from) as f64, series.sd[from]);
        (level, (count * own * own + 5.0 * all * all) / (count + 5.0) / count)
    };
    let ((before, left), (after, right)) = (level(first, place), level(place, end));
    let error = (left + right).sqrt();
    let fewest = (place - first).min(end - place) as f64;
    let ratio = (after - before).abs() / error / (options.threshold * (1.0 + 0.5 / fewest));
    Comparison { before, after, error, ratio }
}

fn change(series: &Series, place: usize, found: &Comparison) -> Change {
    let index = series.index[place];
    let earliest = series.index[place - 1] + 1;
    let difference = found.after - found.before;
    let effect = |difference| series.effect(found.before, difference);
    let environment = series.environment[place] != series.environment[place - 1];
    let p = (-0.5 * (difference / found.error).powi(2)).exp().clamp(1e-300, 1.0);
    Change {
        index,
        range: earliest..=index,
        before: series.unit(found.before),
        after: series.unit(found.after),
        effect: effect(difference),
        interval: (effect(difference - 1.96 * found.error), effect(difference + 1.96 * found.error)),
        p,
        confidence: 1.0 - p,
        kind: if environment { Kind::Environment } else { Kind::Step },
    }
}
