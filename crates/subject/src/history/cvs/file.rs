//! The revision of a file that a checkout by date has: as cvs decides it, even where this is
//! surprising.

use super::rlog::{Delta, File, Number};

/// From a time on, this revision is the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShownFile<'a> {
    /// Seconds since 1970.
    pub time: i64,
    pub delta: &'a Delta,
    /// The one before, if the file was there.
    pub before: Option<&'a Delta>,
}

/// The line of a checkout: the trunk, or a branch of this name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CvsLine<'a> {
    pub branch: Option<&'a str>,
}

impl CvsLine<'_> {
    /// The number of the branch in this file; `None` on the trunk, and if the file does not have
    /// the branch.
    pub fn number(self, file: &File) -> Option<Number> {
        let name = self.branch?;
        let (_, number) = file.symbols.iter().find(|(symbol, _)| symbol == name)?;
        number.branch()
    }

    /// All that changes in a checkout of this file as its date goes on.
    pub fn history(self, file: &File) -> Vec<ShownFile<'_>> {
        let chains = Chains::of(file, self.number(file));
        if self.branch.is_some() && chains.branch.is_none() {
            return Vec::new();
        }
        let mut times: Vec<i64> = file.deltas.iter().map(|delta| delta.time).collect();
        times.sort_unstable();
        times.dedup();
        let mut shown: Vec<ShownFile> = Vec::new();
        let mut current: Option<&Delta> = None;
        for time in times {
            let delta = chains.at(time);
            let alive = |delta: Option<&Delta>| delta.is_some_and(|delta| !delta.dead);
            if let Some(delta) = delta
                && current != Some(delta)
                && (alive(Some(delta)) || alive(current))
            {
                shown.push(ShownFile { time, delta, before: current.filter(|delta| !delta.dead) });
            }
            current = delta;
        }
        shown
    }
}

/// The revisions of a branch in order, after the one that it starts from.
struct Branch<'a> {
    base: Option<&'a Delta>,
    deltas: Vec<&'a Delta>,
}

impl<'a> Branch<'a> {
    fn of(file: &'a File, number: &Number) -> Self {
        let mut deltas: Vec<&Delta> =
            file.deltas.iter().filter(|delta| delta.number.is_on(number)).collect();
        deltas.sort_by(|one, two| one.number.cmp(&two.number));
        let base = number.base();
        Self { base: file.deltas.iter().find(|delta| delta.number == base), deltas }
    }

    /// The last before one that is too late, even where an earlier date follows.
    fn at(&self, time: i64) -> Option<&'a Delta> {
        let base = self.base?;
        let base = Some(base).filter(|base| base.time <= time);
        self.deltas.iter().take_while(|delta| delta.time <= time).last().copied().or(base)
    }
}

/// The revisions of a file as cvs walks through them.
struct Chains<'a> {
    /// The newest first.
    trunk: Vec<&'a Delta>,
    /// The branch that is checked before the trunk.
    default: Option<Branch<'a>>,
    /// The branch of the first vendor, 1.1.1.
    vendor: Option<Branch<'a>>,
    branch: Option<Branch<'a>>,
}

impl<'a> Chains<'a> {
    fn of(file: &'a File, branch: Option<Number>) -> Self {
        let mut trunk: Vec<&Delta> =
            file.deltas.iter().filter(|delta| delta.number.is_on_trunk()).collect();
        trunk.sort_by(|one, two| two.number.cmp(&one.number));
        let vendor = "1.1.1".parse().ok();
        Self {
            trunk,
            default: file.default.as_ref().map(|number| Branch::of(file, number)),
            vendor: vendor.map(|number| Branch::of(file, &number)),
            branch: branch.map(|number| Branch::of(file, &number)),
        }
    }

    fn at(&self, time: i64) -> Option<&'a Delta> {
        match &self.branch {
            Some(branch) => branch.at(time),
            None => self
                .default
                .as_ref()
                .and_then(|default| default.at(time))
                .or_else(|| self.on_trunk(time)),
        }
    }

    /// The newest revision of the trunk that is early enough; instead of the first one that of the
    /// vendor, if both came with the same import.
    fn on_trunk(&self, time: i64) -> Option<&'a Delta> {
        let found = self.trunk.iter().copied().find(|delta| delta.time <= time);
        let vendor = self.vendor.as_ref();
        let imported = vendor.and_then(|vendor| vendor.deltas.first());
        match found {
            Some(delta) if delta.number.parts() != [1, 1] => Some(delta),
            Some(delta) if imported.is_none_or(|imported| imported.time != delta.time) => {
                Some(delta)
            }
            found => vendor.and_then(|vendor| vendor.at(time)).or(found),
        }
    }
}

/// The revisions of the line that no checkout by date ever shows, the oldest first, since one that
/// follows is dated earlier.
pub(super) fn left_out<'a>(file: &'a File, line: CvsLine<'_>) -> Vec<&'a Delta> {
    let chains = Chains::of(file, line.number(file));
    let Some(branch) = chains.branch else {
        // The newest that is early enough is taken.
        let mut earliest = i64::MAX;
        let mut hidden = Vec::new();
        for delta in chains.trunk {
            if earliest < delta.time {
                hidden.push(delta);
            }
            earliest = earliest.min(delta.time);
        }
        hidden.reverse();
        return hidden;
    };
    // The last before one that is too late is taken.
    let mut latest = i64::MIN;
    let followed = branch.deltas.windows(2).filter(|pair| {
        latest = latest.max(pair[0].time);
        pair[1].time < latest
    });
    followed.map(|pair| pair[0]).collect()
}
