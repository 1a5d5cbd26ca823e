//! How long a run measured, however often it was interrupted. The rule is in
//! docs/src/formats/database.md, "`session`".

use std::time::Duration;

use jiff::Timestamp;
use tacho_record::{Purpose, Run, RunState};
use tacho_store::{Store, StoreError};

use crate::run::budget::wall;

/// The time in which the sessions of a run measured; `None` if no session has completed an
/// execution.
pub fn took(store: &mut Store, run: &Run) -> Result<Option<Duration>, StoreError> {
    let mut sessions = store.sessions(run.number)?;
    if sessions.is_empty() {
        sessions.push(run.started);
    }
    let mut ends = Vec::new();
    if let (RunState::Finished, Some(ended)) = (run.state, run.ended) {
        ends.push(ended);
    }
    // A finished run with one session needs no other ends.
    if sessions.len() > 1 || ends.is_empty() {
        for (id, _) in store.cells(run.number)? {
            let samples = store.samples(id)?.into_iter();
            ends.extend(
                samples.map(|sample| sample.at.saturating_add(wall(&sample)).unwrap_or(sample.at)),
            );
        }
        if run.purpose == Purpose::Bisect {
            ends.extend(store.observed(run.number)?.into_iter().map(|step| step.at));
        }
    }
    Ok(added_up(&sessions, &ends))
}

/// Each session, from its beginning to the last of these ends before the next one.
fn added_up(sessions: &[Timestamp], ends: &[Timestamp]) -> Option<Duration> {
    let of = |(place, began): (usize, &Timestamp)| {
        let next = sessions.get(place + 1).copied().unwrap_or(Timestamp::MAX);
        let last = ends.iter().filter(|end| (*began..next).contains(end)).max()?;
        Duration::try_from(last.duration_since(*began)).ok()
    };
    let measured: Vec<Duration> = sessions.iter().enumerate().filter_map(of).collect();
    (!measured.is_empty()).then(|| measured.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(all: &[i64]) -> Vec<Timestamp> {
        all.iter().map(|second| Timestamp::from_second(*second).unwrap()).collect()
    }

    fn took(sessions: &[i64], ends: &[i64]) -> Option<u64> {
        added_up(&seconds(sessions), &seconds(ends)).map(|it| it.as_secs())
    }

    #[test]
    fn what_lies_between_two_sessions_is_no_time_of_measuring() {
        assert_eq!(took(&[100], &[160]), Some(60));
        assert_eq!(took(&[100, 5000], &[110, 140, 5003, 5020]), Some(60));
        assert_eq!(took(&[100, 4000, 5000], &[140, 5020]), Some(60), "one that came to nothing");
    }

    #[test]
    fn nothing_is_known_of_what_has_not_measured() {
        assert_eq!(took(&[100], &[]), None);
        assert_eq!(took(&[], &[100]), None);
    }
}
