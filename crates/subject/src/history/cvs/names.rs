//! From what people write to the point in time that they mean: dates, tags, names of commits.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::commits::written;
use super::file::CvsLine;
use super::past::{CvsHistory, HEAD, Tag};
use super::rlog::{Delta, File, Number};
use crate::SubjectError;
use crate::history::resolve;

/// The tags of all files.
pub(super) fn tags(files: &[File], line: CvsLine<'_>) -> HashMap<String, Tag> {
    let mut tags: HashMap<String, Tag> = HashMap::new();
    for file in files {
        let deltas: HashMap<&Number, &Delta> =
            file.deltas.iter().map(|delta| (&delta.number, delta)).collect();
        let branch = line.number(file);
        let shown: Vec<&Number> =
            line.history(file).iter().map(|shown| &shown.delta.number).collect();
        let is_on = |number: &Number| match &branch {
            Some(branch) => number.is_on(branch) || *number == branch.base(),
            None => number.is_on_trunk() && line.branch.is_none() || shown.contains(&number),
        };
        for (name, number) in &file.symbols {
            let Some(delta) =
                deltas.get(number).filter(|delta| !delta.dead && number.branch().is_none())
            else {
                continue;
            };
            let tag = tags.entry(name.clone()).or_insert(Tag { time: i64::MIN, aside: 0 });
            if is_on(number) {
                tag.time = tag.time.max(delta.time);
            } else {
                tag.aside += 1;
            }
        }
    }
    tags
}

/// Checks that the line's branch is one.
pub(super) fn check_branch(files: &[File], line: CvsLine<'_>) -> Result<(), SubjectError> {
    let Some(name) = line.branch else { return Ok(()) };
    if files.iter().any(|file| line.number(file).is_some()) {
        return Ok(());
    }
    let symbols = || files.iter().flat_map(|file| &file.symbols);
    if symbols().any(|(symbol, _)| symbol == name) {
        return Err(SubjectError::NotABranch { name: name.to_owned() });
    }
    let branches = symbols().filter(|(_, number)| number.branch().is_some());
    let nearest = resolve::nearest(name, branches.map(|(symbol, _)| symbol.as_str()));
    Err(SubjectError::UnknownRevision { name: name.to_owned(), nearest, shallow: false })
}

/// When the line begins: a branch when the last of the revisions that it starts from was there.
pub(super) fn start(files: &[File], line: CvsLine<'_>) -> i64 {
    let starts = files.iter().filter_map(|file| {
        let base = line.number(file)?.base();
        file.deltas.iter().find(|delta| delta.number == base && !delta.dead).map(|delta| delta.time)
    });
    starts.max().unwrap_or(i64::MIN)
}

impl CvsHistory {
    /// The place among the points of what is called so at that time.
    pub(super) fn point(&self, name: &str, now: Timestamp) -> Result<usize, SubjectError> {
        if name == HEAD {
            return Ok(self.settled(now) - 1);
        }
        if let Some(later) = name.strip_suffix('^') {
            return self.point(later, now)?.checked_sub(1).ok_or_else(|| self.unknown(name));
        }
        if let Some(tag) = self.tags.get(name) {
            let aside = || SubjectError::TagAside { name: name.to_owned() };
            return if tag.aside > 0 {
                Err(aside())
            } else {
                self.holding(tag.time).ok_or_else(aside)
            };
        }
        let called = |commit: &super::commits::CvsCommit| {
            commit.id == name || commit.name.as_deref() == Some(name)
        };
        if let Some(at) = self.commits.iter().position(called) {
            return self
                .points
                .iter()
                .position(|&point| point >= at)
                .ok_or_else(|| self.unknown(name));
        }
        let time = time(name).ok_or_else(|| self.unknown(name))?;
        let before = self.points.partition_point(|&at| self.commits[at].end <= time);
        before.checked_sub(1).ok_or_else(|| SubjectError::BeforeHistory {
            name: name.to_owned(),
            first: written(self.commits[self.points[0]].end),
        })
    }

    /// The first point that holds what was committed at this time.
    pub(super) fn holding(&self, time: i64) -> Option<usize> {
        let place = self.points.partition_point(|&at| self.commits[at].end < time);
        (place < self.points.len()).then_some(place)
    }

    fn unknown(&self, name: &str) -> SubjectError {
        let nearest = resolve::nearest(name, self.tags.keys().map(String::as_str));
        SubjectError::UnknownPoint { name: name.to_owned(), nearest }
    }
}

/// A time in UTC, in seconds since 1970: `2016-07-13`, which is its beginning, `2016-07-13T12:30`,
/// `2016-07-13T12:30:42Z`.
fn time(text: &str) -> Option<i64> {
    let utc = |time: DateTime| TimeZone::UTC.to_timestamp(time).ok();
    let instant = text.parse::<Timestamp>().ok();
    let date =
        || text.parse::<Date>().ok().filter(|_| text.len() == 10).map(|date| date.at(0, 0, 0, 0));
    let time = || text.parse::<DateTime>().ok().filter(|_| text.len() > 10);
    Some(instant.or_else(|| utc(date().or_else(time)?))?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_and_a_day_is_its_beginning() {
        let second = time("2016-07-13T00:00:00Z");
        assert!(second.is_some());
        for text in
            ["2016-07-13", "2016-07-13T00:00", "2016-07-13 00:00:00", "2016-07-13T02:00:00+02:00"]
        {
            assert_eq!(time(text), second, "{text}");
        }
        for text in ["", "2016", "2016-13-01", "yesterday", "v1.0", "OPENBSD_6_2"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
