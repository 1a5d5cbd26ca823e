//! What is believed, in one line: a bar over each stretch of commits.

use tacho_record::Bisection;
use tacho_record::bisection::Standing;

use super::words::{likely as certain, stage};
use crate::output::text::count;

/// So many blocks at the most.
const WIDTH: usize = 32;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Less than this is drawn as nothing.
const LEAST: f64 = 0.005;

/// The line for a terminal, while it goes on.
pub fn live(bisection: &Bisection) -> String {
    let Standing { samples, builds, .. } = &bisection.standing;
    let drawn = bars(bisection);
    let [left, changed] = so_far(bisection);
    let left = format!("{left} may be it");
    let changed =
        if bisection.standing.belief.is_empty() { String::new() } else { format!(", changed: {changed}") };
    let so_far = format!("{}, {}", count(*builds, "build"), count(*samples, "sample"));
    format!("{} [{drawn}] {left}{changed}, {so_far}", stage(bisection.standing.stage))
}

/// How many commits may be it, and how likely it is that something changed.
pub fn so_far(bisection: &Bisection) -> [String; 2] {
    [count(likely(bisection), "commit"), certain(1.0 - bisection.standing.nothing)]
}

/// The line as it stays.
pub fn belief(bisection: &Bisection) -> String {
    format!("  {}\n", live(bisection))
}

/// In how many commits it is with 95 %, of all that it may be.
fn likely(bisection: &Bisection) -> usize {
    let mut all = bisection.standing.belief.clone();
    all.sort_by(|a, b| b.posterior.total_cmp(&a.posterior));
    let whole: f64 = all.iter().map(|it| it.posterior).sum();
    let (mut sum, mut commits) = (0.0, 0);
    for suspects in all {
        if sum >= 0.95 * whole {
            break;
        }
        sum += suspects.posterior;
        commits += suspects.last - suspects.first + 1;
    }
    if commits == 0 { bisection.candidates.len().saturating_sub(1) } else { commits }
}

/// A block for each few commits, as high as the cause is likely to be there.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=7")]
fn bars(bisection: &Bisection) -> String {
    let commits = bisection.candidates.len().saturating_sub(1).max(1);
    let width = commits.min(WIDTH);
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
