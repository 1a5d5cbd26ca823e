//! Two sets of values as two lines of blocks over one axis.

use tacho_stats::summary::axis;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The axis, and the number of values of each set in each of its parts.
pub struct Histogram {
    /// The values at the ends of the axis. A value beyond is drawn at the end.
    pub ends: (f64, f64),
    /// Each set as a line.
    pub lines: [String; 2],
}

/// Draws both sets in this many parts, each as high as its own highest; `None` if there are no
/// values.
pub fn draw(sets: [&[f64]; 2], width: usize) -> Option<Histogram> {
    let ends = axis(&sets.concat())?;
    Some(Histogram { ends, lines: sets.map(|set| line(&count(set, ends, width.max(1)))) })
}

/// The number of values in each part.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to the parts there are
fn count(values: &[f64], (low, high): (f64, f64), width: usize) -> Vec<usize> {
    let mut counts = vec![0; width];
    for value in values.iter().filter(|value| value.is_finite()) {
        let part =
            ((value - low) / (high - low) * width as f64).floor().clamp(0.0, (width - 1) as f64);
        counts[part as usize] += 1;
    }
    counts
}

/// A block for each part that has any, a blank for the others.
fn line(counts: &[usize]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0);
    let block = |&count: &usize| {
        if count == 0 { ' ' } else { BLOCKS[(count * BLOCKS.len()).div_ceil(most) - 1] }
    };
    counts.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sets: [&[f64]; 2]) -> [String; 2] {
        draw(sets, 10).unwrap().lines
    }

    #[test]
    fn two_levels_lie_apart_on_one_axis() {
        assert_eq!(lines([&[1.0, 1.0, 1.1, 1.2], &[2.0, 2.0]]), ["█▄▄       ", "         █"]);
    }

    #[test]
    fn a_value_far_off_is_drawn_at_the_end_and_squeezes_nothing() {
        let mut values: Vec<f64> = (0..100).map(|n| 100.0 + f64::from(n) / 100.0).collect();
        values[50] = 1e9;
        let Some(Histogram { ends, lines }) = draw([&values, &[]], 10) else {
            panic!("there are values")
        };
        assert!(ends.1 < 102.0, "{ends:?}");
        assert!(!lines[0].contains(' ') && lines[1].trim().is_empty(), "{lines:?}");
    }

    #[test]
    fn equal_values_and_none() {
        assert_eq!(lines([&[5.0, 5.0], &[5.0]])[0].trim(), "█");
        assert!(draw([&[], &[f64::NAN]], 10).is_none());
    }
}
