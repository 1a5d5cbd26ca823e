//! Stretches of history that could not be judged, since nothing in them could be built.
//!
//! Only builds by the plan as it is now count: what failed before a quirk was added says nothing of
//! what builds with it.

use tacho_record::BuildState;

use super::{SeriesView, View};
use crate::text::{count, grouped};

/// How many stretches are named where there is little room.
const NAMED: usize = 3;

/// Places in a row that were tried and have no build: none between them that was tried has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The first and the last of them.
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// How many were tried.
    pub(crate) tried: usize,
    /// How many revisions history has from the first to the last of them, tried or not.
    pub(crate) among: usize,
    /// Whether a quirk says not to build them; all of a stretch, or none.
    pub(crate) is_skipped: bool,
}

impl Stretch {
    /// What became of it: `8 revisions could not be built`, or `8 of 13 revisions were tried and
    /// could not be built`.
    pub(crate) fn told(&self) -> String {
        let how = match (self.is_skipped, self.tried, self.tried == self.among) {
            (true, 1, true) => "is skipped",
            (true, _, true) => "are skipped",
            (true, _, false) => "were tried and are skipped",
            (false, _, true) => "could not be built",
            (false, _, false) => "were tried and could not be built",
        };
        format!("{} {how}", tried_of(self.tried, self.among))
    }
}

/// `8 revisions`, or, where not all were tried, `8 of 13 revisions`.
pub(crate) fn tried_of(tried: usize, among: usize) -> String {
    let all = count(among, "revision", "revisions");
    if tried == among { all } else { format!("{} of {all}", grouped(tried)) }
}

/// The stretches among places in order of history, each with its order there and the state of its
/// build if one was tried.
pub(crate) fn stretches<'a>(
    places: impl Iterator<Item = (u64, Option<&'a BuildState>)>,
) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut is_open = false;
    let mut from = 0;
    for (place, (order, state)) in places.enumerate() {
        let Some(state) = state else { continue };
        let is_skipped = matches!(state, BuildState::Skipped { .. });
        let is_built = matches!(state, BuildState::Built { .. });
        match stretches.last_mut().filter(|last| is_open && last.is_skipped == is_skipped) {
            _ if is_built => {}
            Some(stretch) => {
                (stretch.last, stretch.tried) = (place, stretch.tried + 1);
                let among = usize::try_from(order.saturating_sub(from))
                    .map_or(usize::MAX, |apart| apart + 1);
                stretch.among = among.max(stretch.tried);
            }
            None => {
                from = order;
                stretches.push(Stretch {
                    first: place,
                    last: place,
                    tried: 1,
                    among: 1,
                    is_skipped,
                });
            }
        }
        is_open = !is_built;
    }
    stretches
}

/// Those of a series, by row.
pub(crate) fn of_series(series: &SeriesView) -> Vec<Stretch> {
    let points = series.rows.iter().map(|row| &row.point);
    stretches(
        points.map(|point| (point.revision.order, point.present_build().map(|build| &build.state))),
    )
}

/// Those of a host, by revision; of several builds of a revision the last one counts.
pub(crate) fn of_host(view: &View, host: &str) -> Vec<Stretch> {
    let of_host = |place: usize| {
        let builds = view.revisions[place].present_builds().rev();
        builds.map(|one| (&one.host, &one.build.state)).find(|(name, _)| *name == host)
    };
    let order = |place: usize| view.revisions[place].revision.order;
    stretches(
        (0..view.revisions.len())
            .map(|place| (order(place), of_host(place).map(|(_, state)| state))),
    )
}

/// The largest of them in order of history, and the others: how many, and, in words, of how many
/// revisions.
pub(crate) fn largest(all: &[Stretch]) -> (Vec<&Stretch>, usize, String) {
    let mut by_size: Vec<&Stretch> = all.iter().collect();
    by_size.sort_by_key(|stretch| std::cmp::Reverse(stretch.tried));
    let rest = by_size.split_off(NAMED.min(by_size.len()));
    by_size.sort_by_key(|stretch| stretch.first);
    let tried = rest.iter().map(|stretch| stretch.tried).sum();
    (by_size, rest.len(), tried_of(tried, rest.iter().map(|stretch| stretch.among).sum()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacho_record::Digest;

    use super::*;

    #[test]
    fn stretches_end_where_something_builds_and_not_where_nothing_was_tried() {
        let built = BuildState::Built { artifact: Digest::of("a"), size: 1, layouts: None };
        let failed = BuildState::Failed { why: "no header".to_owned() };
        let timed_out = BuildState::TimedOut { limit: Duration::from_secs(1) };
        let skipped = BuildState::Skipped { why: "known".to_owned() };
        let states = [
            Some(&built),
            Some(&failed),
            None,
            Some(&timed_out),
            Some(&built),
            Some(&failed),
            Some(&skipped),
            Some(&skipped),
        ];
        let found = stretches((20..).zip(states));
        let told: Vec<_> = found.iter().map(|it| (it.first, it.last, it.told())).collect();
        let expected = [
            (1, 3, "2 of 3 revisions were tried and could not be built".to_owned()),
            (5, 5, "1 revision could not be built".to_owned()),
            (6, 7, "2 revisions are skipped".to_owned()),
        ];
        assert_eq!(told, expected);
        assert_eq!(stretches(std::iter::empty()), []);
    }

    #[test]
    fn the_largest_are_named_in_order_of_history() {
        let stretch = |first: usize, tried: usize| Stretch {
            first,
            last: first + tried - 1,
            tried,
            among: tried,
            is_skipped: false,
        };
        let all = [stretch(0, 1), stretch(5, 4), stretch(20, 2), stretch(30, 9), stretch(50, 1)];
        let (named, others, revisions) = largest(&all);
        assert_eq!(
            (named, others, revisions),
            (vec![&all[1], &all[2], &all[3]], 2, "2 revisions".to_owned())
        );
    }
}
