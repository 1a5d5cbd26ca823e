//! A series as one line of blocks.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the values from their smallest (lowest block) to their largest; a missing one is a blank.
///
/// Values that differ by less than a tenth of their size are drawn around the middle: noise must
/// not look like mountains. More values than `width` are drawn as the mean of their neighbours.
pub fn line(values: &[Option<f64>], width: usize) -> String {
    let values = thinned(values, width.max(1));
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let (Some(low), Some(high)) =
        (known.iter().copied().reduce(f64::min), known.iter().copied().reduce(f64::max))
    else {
        return String::new();
    };
    let span = (high - low).max(0.1 * high.abs().max(low.abs())).max(f64::MIN_POSITIVE);
    let floor = f64::midpoint(low, high) - span / 2.0;
    values.iter().map(|value| value.map_or(' ', |value| block((value - floor) / span))).collect()
}

/// The block for a height between 0 and 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to 0..=7
fn block(height: f64) -> char {
    BLOCKS[(height * 7.0).round().clamp(0.0, 7.0) as usize]
}

fn thinned(values: &[Option<f64>], width: usize) -> Vec<Option<f64>> {
    let step = values.len().div_ceil(width).max(1);
    let mean = |chunk: &[Option<f64>]| {
        let known: Vec<f64> = chunk.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    values.chunks(step).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_seen_and_a_gap_is_a_gap() {
        assert_eq!(line(&[Some(1.0), Some(1.0), None, Some(2.0)], 40), "▁▁ █");
        assert_eq!(line(&[None, None], 40), "");
    }

    #[test]
    fn noise_stays_in_the_middle() {
        assert_eq!(line(&[Some(100.0), Some(100.5), Some(99.5)], 40), "▅▅▄");
        assert_eq!(line(&[Some(0.0), Some(0.0)], 40), "▅▅");
    }

    #[test]
    fn a_long_series_is_thinned() {
        let values: Vec<Option<f64>> = (0..1000).map(|i| Some(f64::from(i))).collect();
        assert_eq!(line(&values, 8), "▁▂▃▄▅▆▇█");
    }
}
