//! The choice of revisions from a range.

use jiff::Timestamp;
use tacho_record::Revision;

use super::every::{Periods, RevisionStep};

/// The revisions that the step takes among those that are wanted, and both ends: the last, and that
/// with the start's name, if the question has a start.
pub(super) fn choose(
    revisions: Vec<Revision>,
    every: RevisionStep,
    start: Option<&str>,
    wanted: impl Fn(&Revision) -> bool,
) -> Vec<Revision> {
    let Some(last) = revisions.len().checked_sub(1) else { return revisions };
    let candidates: Vec<usize> = (0..=last).filter(|&place| wanted(&revisions[place])).collect();
    let mut taken = vec![false; revisions.len()];
    for place in step(&revisions, &candidates, every) {
        taken[place] = true;
    }
    taken[last] = true;
    if let Some(start) = revisions.iter().position(|revision| Some(revision.id.as_str()) == start) {
        taken[start] = true;
    }
    revisions
        .into_iter()
        .zip(taken)
        .filter(|(_, taken)| *taken)
        .map(|(revision, _)| revision)
        .collect()
}

/// The candidates that the step takes.
fn step(revisions: &[Revision], candidates: &[usize], every: RevisionStep) -> Vec<usize> {
    match every {
        RevisionStep::Commit => candidates.to_vec(),
        RevisionStep::Commits(number) => {
            candidates.iter().copied().step_by(number.max(1) as usize).collect()
        }
        RevisionStep::Span(span) => {
            let times = times(revisions);
            let periods = Periods::of(span);
            let numbered: Vec<_> =
                candidates.iter().map(|&at| (at, times[at].map(|at| periods.number(at)))).collect();
            let last_of_its_period = |&(nth, (_, period)): &(usize, &(usize, _))| {
                numbered.get(nth + 1).is_none_or(|(_, next)| next != period)
            };
            numbered.iter().enumerate().filter(last_of_its_period).map(|(_, (at, _))| *at).collect()
        }
    }
}

/// The time of each revision: the latest date up to it, since history decides the order and clocks
/// may be wrong.
fn times(revisions: &[Revision]) -> Vec<Option<Timestamp>> {
    let latest = |latest: &mut Option<Timestamp>, revision: &Revision| {
        *latest = (*latest).max(revision.date);
        Some(*latest)
    };
    revisions.iter().scan(None, latest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Revisions with these dates, and tags where a name follows.
    fn revisions(lines: &[&str]) -> Vec<Revision> {
        let revision = |(place, line): (usize, &&str)| {
            let (date, tag) = line.split_once(' ').unwrap_or((line, ""));
            Revision {
                id: format!("r{place}"),
                order: place as u64 + 1,
                author: String::new(),
                date: Some(format!("{date}T12:00Z").parse().unwrap()),
                subject: String::new(),
                tags: tag.split_whitespace().map(str::to_owned).collect(),
            }
        };
        lines.iter().enumerate().map(revision).collect()
    }

    fn chosen(lines: &[&str], every: &str, start: Option<&str>, tagged: bool) -> String {
        let wanted = |revision: &Revision| !tagged || !revision.tags.is_empty();
        let chosen = choose(revisions(lines), every.parse().unwrap(), start, wanted);
        chosen.iter().map(|revision| revision.id.as_str()).collect::<Vec<_>>().join(" ")
    }

    const WEEKS: [&str; 6] =
        ["2024-01-01", "2024-01-07", "2024-01-08", "2024-01-09", "2024-01-16", "2024-01-17"];

    #[test]
    fn of_each_week_the_last_is_taken() {
        assert_eq!(chosen(&WEEKS, "1w", None, false), "r1 r3 r5");
        assert_eq!(chosen(&WEEKS, "1w", Some("r0"), false), "r0 r1 r3 r5");
    }

    #[test]
    fn by_number_they_are_counted_from_the_start_and_the_end_comes_with_them() {
        assert_eq!(chosen(&WEEKS, "commit", None, false), "r0 r1 r2 r3 r4 r5");
        assert_eq!(chosen(&WEEKS, "2commits", None, false), "r0 r2 r4 r5");
        assert_eq!(chosen(&WEEKS, "100commits", None, false), "r0 r5");
    }

    #[test]
    fn dates_that_run_backwards_change_no_order() {
        let dates = ["2024-01-01", "2024-02-01", "2024-01-15", "2024-03-01"];
        assert_eq!(chosen(&dates, "1month", None, false), "r0 r2 r3");
    }

    #[test]
    fn tags_are_stepped_through_like_anything_else() {
        let tagged =
            ["2024-01-01 v1", "2024-01-02", "2024-01-03 v2", "2024-02-01 v3", "2024-02-02"];
        assert_eq!(chosen(&tagged, "commit", None, true), "r0 r2 r3 r4");
        assert_eq!(chosen(&tagged, "1month", None, true), "r2 r3 r4");
        assert_eq!(chosen(&tagged, "2commits", None, true), "r0 r3 r4");
    }

    #[test]
    fn nothing_stays_nothing() {
        assert_eq!(chosen(&[], "1w", Some("r0"), false), "");
    }
}
