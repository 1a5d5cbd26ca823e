//! Numbers, times and counts as words; the grammar of the pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;
pub(crate) use tacho_report::words::{count, duration, effect as percent_change, grouped, percent};

/// A day in UTC: `2026-03-01`.
pub(crate) fn day(at: Timestamp) -> String {
    let date = at.to_zoned(TimeZone::UTC).date();
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// A time of day in UTC, to the second: `14:03:22`.
pub(crate) fn time_of_day(at: Timestamp) -> String {
    let time = at.to_zoned(TimeZone::UTC).time();
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

/// A day and a time, to the minute: `2026-03-01 14:03 UTC`.
pub(crate) fn minute(at: Timestamp) -> String {
    format!("{} {} UTC", day(at), &time_of_day(at)[..5])
}

/// The last lines of a text, and whether there were more.
pub(crate) fn tail(text: &str, lines: usize) -> (&str, bool) {
    let body = text.trim_end();
    match body.rmatch_indices('\n').nth(lines - 1) {
        Some((at, _)) => (&body[at + 1..], true),
        None => (body, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        let at: Timestamp = "2026-03-01T14:03:22+01:00".parse().unwrap();
        assert_eq!(minute(at), "2026-03-01 13:03 UTC");
        assert_eq!(time_of_day(at), "13:03:22");
    }

    #[test]
    fn the_last_lines_are_the_last_lines() {
        assert_eq!(tail("a\nb\nc\n", 2), ("b\nc", true));
        assert_eq!(tail("a\nb", 2), ("a\nb", false));
        assert_eq!(tail("", 2), ("", false));
    }
}
