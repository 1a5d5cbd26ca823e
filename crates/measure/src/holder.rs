//! The holder of the host's lock.

use std::fmt;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The process that measures on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The number of its process.
    pub pid: u32,
    /// When it began.
    pub since: Timestamp,
    /// The name of its project, in one line.
    pub what: String,
}

impl Holder {
    pub(super) fn to_text(&self) -> String {
        format!("pid {}\nsince {}\nmeasuring {}\n", self.pid, self.since, self.what)
    }

    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
        Some(Self {
            pid: value("pid")?.parse().ok()?,
            since: value("since")?.parse().ok()?,
            what: value("measuring")?.to_owned(),
        })
    }

    /// In words for people whose clock says `now`: the day is named if it is another.
    pub(super) fn line(&self, now: &Zoned) -> String {
        let since = self.since.to_zoned(now.time_zone().clone());
        let format = if since.date() == now.date() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
        format!("pid {}, since {}, in `{}`", self.pid, since.strftime(format), self.what)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line(&Timestamp::now().to_zoned(TimeZone::system())))
    }
}
