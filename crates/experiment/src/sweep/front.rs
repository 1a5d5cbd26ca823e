//! The front of time and memory: what no other beats at both.

use crate::bench::Standings;

/// The commands that no other is certainly faster than and needs less memory than, in their order.
/// The floor does not do the work: it is on no front, and beats nothing.
#[must_use]
pub fn front(standings: &Standings, floor: Option<usize>) -> Vec<usize> {
    let is_beaten = |at: usize| standings.each[at].beaten_by.iter().any(|by| Some(*by) != floor);
    let gave_values = |at: usize| standings.each[at].time.is_some();
    (0..standings.each.len())
        .filter(|at| floor != Some(*at) && gave_values(*at) && !is_beaten(*at))
        .collect()
}
