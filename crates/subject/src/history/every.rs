//! Steps through history: by number, or by the calendar.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::SubjectError;

/// How densely a range is taken.
#[derive(Clone, Copy, Debug)]
pub enum RevisionStep {
    /// Each revision.
    Commit,
    /// The first and each so-manyth after it.
    Commits(u32),
    /// The last of each period of the calendar, by UTC: of each hour, week from Monday, month or
    /// year.
    ///
    /// Periods do not depend on where a range starts, so that two ranges take the same revisions
    /// where they overlap. Several units together are counted from the start of 1900, which was a
    /// Monday.
    Span(Span),
}

impl PartialEq for RevisionStep {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Commit, Self::Commit) => true,
            (Self::Commits(one), Self::Commits(two)) => one == two,
            (Self::Span(one), Self::Span(two)) => one.fieldwise() == two.fieldwise(),
            _ => false,
        }
    }
}

impl FromStr for RevisionStep {
    type Err = SubjectError;

    /// Reads `commit`, `10commits`, `3h`, `1d`, `2 weeks`, `month`, `1y`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text.trim()).ok_or_else(|| SubjectError::BadEvery { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<RevisionStep> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u32 = if digits == 0 { 1 } else { number.parse().ok()? };
    if number == 0 {
        return None;
    }
    let span = Span::new();
    let span = match unit.trim_start() {
        "commit" | "commits" if number == 1 => return Some(RevisionStep::Commit),
        "commit" | "commits" => return Some(RevisionStep::Commits(number)),
        "h" | "hour" | "hours" => span.try_hours(number),
        "d" | "day" | "days" => span.try_days(number),
        "w" | "week" | "weeks" => span.try_weeks(number),
        "month" | "months" => span.try_months(number),
        "y" | "year" | "years" => span.try_years(number),
        _ => return None,
    };
    span.ok().map(RevisionStep::Span)
}

impl fmt::Display for RevisionStep {
    /// As it is written: `commit`, `10commits`, `1w`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit => f.write_str("commit"),
            Self::Commits(number) => write!(f, "{number}commits"),
            Self::Span(span) => {
                let units = [
                    (i64::from(span.get_years()), "y"),
                    (i64::from(span.get_months()), "month"),
                    (i64::from(span.get_weeks()), "w"),
                    (i64::from(span.get_days()), "d"),
                    (i64::from(span.get_hours()), "h"),
                ];
                let units = units.into_iter().filter(|(number, _)| *number != 0);
                units.into_iter().try_for_each(|(number, unit)| write!(f, "{number}{unit}"))
            }
        }
    }
}

/// The periods of one length, counted from the start of 1900.
#[derive(Clone, Copy, Debug)]
pub(super) struct Periods {
    span: Span,
}

impl Periods {
    pub fn of(span: Span) -> Self {
        Self { span }
    }

    /// The number of the period that this time is in; 0 for all before 1900.
    pub fn number(self, time: Timestamp) -> i64 {
        let begun = |number: i64| self.start(number).is_some_and(|start| start <= time);
        let mut above = 1;
        while begun(above) {
            above *= 2;
        }
        let mut below = 0;
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if begun(middle) { below = middle } else { above = middle }
        }
        below
    }

    /// When that period starts; `None` if it is out of the calendar.
    fn start(self, number: i64) -> Option<Timestamp> {
        let epoch = DateTime::constant(1900, 1, 1, 0, 0, 0, 0);
        let start = epoch.checked_add(self.span.checked_mul(number).ok()?).ok()?;
        TimeZone::UTC.to_timestamp(start).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn period(every: &str, time: &str) -> i64 {
        let RevisionStep::Span(span) = every.parse().unwrap() else { panic!("{every} is no time") };
        Periods::of(span).number(time.parse().unwrap())
    }

    #[test]
    fn what_is_written_comes_back() {
        for text in ["commit", "10commits", "3h", "1d", "1w", "2month", "1y"] {
            assert_eq!(text.parse::<RevisionStep>().unwrap().to_string(), text);
        }
        assert_eq!(
            "week".parse::<RevisionStep>().unwrap(),
            RevisionStep::Span(Span::new().weeks(1))
        );
        assert_eq!(
            " 2 months".parse::<RevisionStep>().unwrap(),
            RevisionStep::Span(Span::new().months(2))
        );
        assert_eq!("1commits".parse::<RevisionStep>().unwrap(), RevisionStep::Commit);
    }

    #[test]
    fn other_text_is_refused_with_examples() {
        for text in
            ["", "0d", "-1d", "1", "1m", "1.5h", "99999999999d", "4000000000y", "2fortnights"]
        {
            let error = text.parse::<RevisionStep>().unwrap_err();
            assert_eq!(error.to_string(), format!("`{text}` is not a step through history"));
            assert!(error.hint().unwrap().contains("1month"));
        }
    }

    #[test]
    fn periods_are_those_of_the_calendar() {
        assert_eq!(
            period("1month", "2024-02-29T23:59:59Z"),
            period("1month", "2024-02-01T00:00:00Z")
        );
        assert_eq!(
            period("1month", "2024-03-01T00:00:00Z"),
            period("1month", "2024-02-01T00:00:00Z") + 1
        );
        // 2024-01-01 was a Monday.
        assert_eq!(period("1w", "2023-12-31T23:59:59Z") + 1, period("1w", "2024-01-01T00:00:00Z"));
        assert_eq!(period("1w", "2024-01-07T23:59:59Z"), period("1w", "2024-01-01T00:00:00Z"));
        assert_eq!(period("1y", "2023-12-31T23:59:59Z") + 1, period("1y", "2024-01-01T00:00:00Z"));
        assert_eq!(period("1h", "1899-01-01T00:00:00Z"), 0);
    }

    proptest! {
        #[test]
        fn each_time_is_in_its_period(
            seconds in 0_i64..4_000_000_000,
            number in 1_i64..50,
            unit in 0..5,
        ) {
            let span = match unit {
                0 => Span::new().hours(number),
                1 => Span::new().days(number),
                2 => Span::new().weeks(number),
                3 => Span::new().months(number),
                _ => Span::new().years(number),
            };
            let periods = Periods::of(span);
            let time = Timestamp::from_second(seconds).unwrap();
            let period = periods.number(time);
            prop_assert!(periods.start(period).unwrap() <= time);
            prop_assert!(time < periods.start(period + 1).unwrap());
        }
    }
}
