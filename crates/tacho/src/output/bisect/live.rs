//! The belief, in a line or two: a bar over each stretch of commits.

use tacho_record::Bisection;
use tacho_record::bisection::BisectionState;
use tacho_report::bisection::{so_far, stage};

use crate::output::text::count;

/// The largest number of blocks.
const WIDTH: usize = 32;
/// The columns around them: ` [` and `] `, and one that stays free.
const BRACKETS: usize = 5;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Less than this is drawn as nothing.
const LEAST: f64 = 0.005;

/// Two lines for a terminal of this many columns, while it goes on.
pub fn live(bisection: &Bisection, columns: usize) -> [String; 2] {
    let stage = stage(bisection.standing.stage);
    let [left, changed] = so_far(bisection);
    let words = format!("{left} may be the cause");
    let room = columns.saturating_sub(stage.len() + words.len() + BRACKETS);
    let drawn = bars(bisection, room.clamp(1, WIDTH));
    let changed = if bisection.standing.belief.is_empty() {
        String::new()
    } else {
        format!("changed: {changed}, ")
    };
    [format!("{stage} [{drawn}] {words}"), format!("{changed}{}", taken(bisection))]
}

/// The same without bars, for a line of a log.
pub fn plain(bisection: &Bisection) -> String {
    let (stage, [left, _]) = (stage(bisection.standing.stage), so_far(bisection));
    format!("{stage}, {left} may be the cause, {}", taken(bisection))
}

fn taken(bisection: &Bisection) -> String {
    let BisectionState { samples, builds, .. } = bisection.standing;
    format!("{}, {}", count(builds, "build"), count(samples, "sample"))
}

/// The same as it stays, in one line.
pub fn belief(bisection: &Bisection) -> String {
    let [first, second] = live(bisection, usize::MAX);
    format!("{first}, {second}")
}

/// A block for each few commits, as high as the cause is likely to be there.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=7")]
fn bars(bisection: &Bisection, most: usize) -> String {
    let commits = bisection.candidates.len().saturating_sub(1).max(1);
    let width = commits.min(most);
    let mut heights = vec![0.0; width];
    for suspects in &bisection.standing.belief {
        let share = suspects.posterior / (suspects.last - suspects.first + 1) as f64;
        for place in suspects.first..=suspects.last {
            if let Some(height) = heights.get_mut(place.saturating_sub(1) * width / commits) {
                *height += share;
            }
        }
    }
    let block = |height: &f64| match *height {
        height if height < LEAST => ' ',
        height => BLOCKS[(height * 7.0).ceil().clamp(0.0, 7.0) as usize],
    };
    heights.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::bisect::example::bisection;

    #[test]
    fn a_narrow_terminal_has_room_for_it() {
        let bisection = bisection("verifying");
        for columns in [60, 80, 200] {
            for line in live(&bisection, columns) {
                assert!(line.chars().count() < columns, "{columns}: {line}");
            }
        }
        assert_eq!(live(&bisection, 60)[1], "changed: over 99.9 %, 18 builds, 4,321 samples");
    }
}
