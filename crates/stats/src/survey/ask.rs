//! The measurements that would help most to place a change.

use std::collections::BTreeSet;

use super::measured::MeasuredCandidates;
use super::places::{ChangePlace, PlaceStatus};
use super::rules::SurveyRules;

/// Between two measured candidates, this many that cannot be measured, and what is left is likely
/// no better, close the place.
const HOPELESS: usize = 8;
/// The probability of being measurable that a candidate needs to be tried in such a place.
const LIKELY: f64 = 0.2;
/// The probability that a candidate next to an unmeasurable one is unmeasurable too, and the number
/// of steps in which it is halved.
const NEIGHBOUR: (f64, f64) = (0.9, 3.0);

/// A request that would help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ask {
    /// The candidate.
    pub at: usize,
    /// Whether it is built already, and more samples of it are requested.
    pub again: bool,
    /// The measured candidates on both sides of the place: measured beside it, the three meet the
    /// same machine.
    pub beside: [usize; 2],
    /// How much it would say; more is better.
    pub score: f64,
}

/// All but the values.
pub(super) struct AskedHistory<'a> {
    pub unusable: &'a BTreeSet<usize>,
    pub edges: &'a BTreeSet<usize>,
    pub rules: &'a SurveyRules,
}

/// The requests of a place; how well the place is known if it has no requests.
pub(super) fn at(
    place: &ChangePlace,
    measured: &MeasuredCandidates,
    history: &AskedHistory<'_>,
) -> Result<Vec<Ask>, PlaceStatus> {
    let beside = [place.good, place.bad];
    let again = |of: Vec<usize>| -> Vec<Ask> {
        let doubtful = of.into_iter().filter(|at| measured.may_decide_more(*at));
        doubtful.map(|at| Ask { at, again: true, beside, score: place.certainty }).collect()
    };
    let inside = again(measured.between(place.good + 1, place.bad - 1));
    if !inside.is_empty() {
        return Ok(inside);
    }
    if let Some(builds) = builds(place, measured, history) {
        return Ok(builds);
    }
    let both = again(vec![place.good, place.bad]);
    if !place.is_reported && !both.is_empty() {
        return Ok(both);
    }
    let left = (place.good + 1..place.bad).any(|at| !history.unusable.contains(&at));
    Err(if left { PlaceStatus::Closed } else { PlaceStatus::Pinned })
}

/// The next builds. Several gaps may hold the change: the likeliest comes first, then the nearest
/// to it, as far as a gap can be made smaller.
fn builds(
    place: &ChangePlace,
    measured: &MeasuredCandidates,
    history: &AskedHistory<'_>,
) -> Option<Vec<Ask>> {
    let measured = measured.between(place.good, place.bad);
    let mut gaps: Vec<(usize, usize)> = measured.windows(2).map(|two| (two[0], two[1])).collect();
    gaps.sort_by_key(|(_, bad)| bad.abs_diff(place.likeliest));
    gaps.into_iter().find_map(|(good, bad)| {
        let sides = sides_of_an_edge(good, bad, history);
        let next =
            if sides.is_empty() { Vec::from_iter(between_two(good, bad, history)) } else { sides };
        let score = place.certainty * ((bad - good) as f64).log2();
        let beside = [place.good, place.bad];
        let asks = next.into_iter().map(|at| Ask { at, again: false, beside, score });
        Some(asks.collect::<Vec<_>>()).filter(|asks| !asks.is_empty())
    })
}

/// Both sides of the edge nearest to the middle between two measured candidates, as far as they are
/// between them and can be measured. A change there is likely to coincide with the edge, and then
/// nothing else needs to be built.
fn sides_of_an_edge(good: usize, bad: usize, history: &AskedHistory<'_>) -> Vec<usize> {
    let middle = usize::midpoint(good, bad);
    let sides = |edge: usize| {
        let inside = |at: &usize| good < *at && *at < bad && !history.unusable.contains(at);
        [edge - 1, edge].into_iter().filter(inside).collect::<Vec<_>>()
    };
    let edges = history.edges.range(good + 1..=bad).filter(|edge| !sides(**edge).is_empty());
    edges.min_by_key(|edge| edge.abs_diff(middle)).map_or_else(Vec::new, |edge| sides(*edge))
}

/// The most informative candidate between two measured ones: in the middle, and not beside an
/// unmeasurable one. `None` if there is no candidate, or little hope to measure one.
fn between_two(good: usize, bad: usize, history: &AskedHistory<'_>) -> Option<usize> {
    let unusable: Vec<usize> = history.unusable.range(good + 1..bad).copied().collect();
    let is_unusable = |at: &usize| unusable.binary_search(at).is_ok();
    let open: Vec<usize> = (good + 1..bad).filter(|at| !is_unusable(at)).collect();
    let likely = |at: usize| {
        let after = unusable.partition_point(|other| *other < at);
        let near =
            [after.checked_sub(1).map(|before| unusable[before]), unusable.get(after).copied()];
        let fails = |other: usize| {
            NEIGHBOUR.0 * 0.5_f64.powf((at.abs_diff(other) - 1) as f64 / NEIGHBOUR.1)
        };
        near.into_iter().flatten().map(|other| 1.0 - fails(other)).product::<f64>()
    };
    let informs = |nth: usize| {
        let share = (nth as f64 + 1.0) / (open.len() as f64 + 1.0);
        -share * share.log2() - (1.0 - share) * (1.0 - share).log2()
    };
    let best =
        open.iter().enumerate().map(|(nth, &at)| (at, likely(at), likely(at) * informs(nth)));
    let (at, chance, _) = best.max_by(|a, b| a.2.total_cmp(&b.2))?;
    (unusable.len() < HOPELESS || chance >= LIKELY).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(good: usize, bad: usize, unusable: &[usize]) -> Option<usize> {
        let unusable = unusable.iter().copied().collect();
        let rules = SurveyRules::new(0.05, 100, None);
        between_two(
            good,
            bad,
            &AskedHistory { unusable: &unusable, edges: &BTreeSet::new(), rules: &rules },
        )
    }

    #[test]
    fn both_sides_of_an_edge_are_requested_as_far_as_there_is_need() {
        let rules = SurveyRules::new(0.05, 100, None);
        let sides = |good: usize, bad: usize, unusable: &[usize]| {
            let (unusable, edges) =
                (unusable.iter().copied().collect(), BTreeSet::from([20, 27, 60]));
            sides_of_an_edge(
                good,
                bad,
                &AskedHistory { unusable: &unusable, edges: &edges, rules: &rules },
            )
        };
        assert_eq!(sides(10, 40, &[]), [26, 27], "that nearest to the middle");
        assert_eq!(sides(10, 40, &[26]), [27]);
        assert_eq!(sides(10, 40, &[26, 27]), [19, 20]);
        assert_eq!((sides(19, 25, &[]), sides(10, 20, &[])), (vec![20], vec![19]));
        // What is known of both sides already leaves what lies beside them.
        assert_eq!(
            (sides(19, 20, &[]), sides(20, 26, &[]), sides(0, 19, &[])),
            (vec![], vec![], vec![])
        );
    }

    #[test]
    fn the_middle_is_requested_and_what_cannot_be_measured_is_kept_away_from() {
        assert_eq!(next(10, 20, &[]), Some(15));
        assert_eq!(next(10, 11, &[]), None);
        assert_eq!(next(10, 12, &[11]), None);
        let beside = next(0, 64, &[32]).unwrap();
        assert!((8..=26).contains(&beside) || (38..=56).contains(&beside), "{beside}");
        // Nothing but what cannot be measured, as far as one sees.
        assert_eq!(next(10, 26, &[12, 13, 15, 17, 18, 20, 22, 24]), None);
    }
}
