//! The rules of `[[quirk]]`: one start, one end, something to do, and nothing that contradicts
//! that.

use std::path::{Component, Path};

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::super::error::Mistake;
use super::super::file::{QuirkTable, TakeEntry, TextsEntry};
use super::super::spot::Spot;
use super::super::{Commands, Edge, EdgePlace, Quirk, Take};
use super::{Check, Template};

/// The longest name that is made of a reason, in characters.
const LONGEST_NAME: usize = 40;

/// The keys of shell commands.
const COMMANDS: [&str; 4] = ["before-checkout", "after-checkout", "before-build", "after-build"];

impl Check<'_> {
    /// `[[quirk]]`.
    pub(in super::super) fn quirk(&mut self, table: QuirkTable, spot: Spot<'_>) -> Quirk {
        self.not_blank("why", &table.why, spot.get("why"));
        if let Some(name) = &table.name {
            self.name("quirk", name, spot.get("name"));
        }
        self.scripts(&table, spot);
        self.acts(&table, spot);
        let edge = |check: &mut Self, one, two| check.edge(one, two, spot);
        let start = edge(self, ("from", &table.from), ("after", &table.after));
        let end = edge(self, ("before", &table.before), ("until", &table.until));
        self.not_empty(start.as_ref(), end.as_ref(), &table, spot);
        for name in table.environment.keys() {
            self.variable(name, false, spot.get("environment").key(name));
        }
        let patches = table.patch.map_or_else(Vec::new, TextsEntry::all);
        for patch in &patches {
            self.not_blank("patch", patch, spot.get("patch"));
        }
        let take = table.take.map_or_else(Vec::new, TakeEntry::all);
        let take = take.into_iter().map(|take| Take { path: take.path, from: take.from });
        let take: Vec<Take> =
            take.inspect(|take| self.within(&take.path, spot.get("take"))).collect();
        Quirk {
            name: table.name.unwrap_or_else(|| named_after(&table.why)),
            is_tried: false,
            why: table.why.trim().to_owned(),
            start,
            end,
            once: table.once,
            skip: table.skip,
            patches,
            patch_names: Vec::new(),
            take,
            environment: table.environment,
            build: table.build,
            commands: Commands {
                before_checkout: table.before_checkout,
                after_checkout: table.after_checkout,
                before_build: table.before_build,
                after_build: table.after_build,
            },
        }
    }

    /// Checks that the references in its commands exist.
    fn scripts(&mut self, table: &QuirkTable, spot: Spot<'_>) {
        let names = self.with_release(["jobs", "revision"]);
        for (key, text) in
            COMMANDS.into_iter().zip(commands(table)).chain([("build", &table.build)])
        {
            if let Some(text) = text {
                self.not_blank(key, text, spot.get(key));
                self.shell(Template { key, names: &names, spot: spot.get(key), text });
            }
        }
    }

    /// Checks that the quirk does something, and that its actions do not contradict one another.
    fn acts(&mut self, table: &QuirkTable, spot: Spot<'_>) {
        const SKIPPED: &str = "a skipped revision is not built: keep one of the two keys";
        const DONE: &str = "a quirk with `once` has no end: remove this key";
        let mut report = |key: &str, mistake| self.found.push((spot.key(key), mistake));
        let contradicts = |key: &'static str, other: &'static str, hint| {
            Mistake::QuirkContradiction { key, other, hint }
        };
        match does(table).first().copied() {
            Some(key) if table.skip => report(key, contradicts(key, "skip", SKIPPED)),
            None if !table.skip => report("", Mistake::IdleQuirk),
            _ => {}
        }
        if table.once {
            for (key, given) in [("before", &table.before), ("until", &table.until)] {
                if given.is_some() {
                    report(key, contradicts(key, "once", DONE));
                }
            }
            if table.skip {
                report("skip", contradicts("skip", "once", SKIPPED));
            } else if table.build.is_none() {
                report("once", Mistake::OnceWithoutBuild);
            }
        }
        for (key, is_given) in [("patch", table.patch.is_some()), ("take", table.take.is_some())] {
            if is_given && self.releases == Some(true) {
                report(key, Mistake::NothingToPatch { key });
            }
        }
    }

    /// One edge of its range, of two keys that exclude each other: the first takes its own place
    /// in, or out.
    fn edge(
        &mut self,
        (one, first): (&'static str, &Option<String>),
        (two, second): (&'static str, &Option<String>),
        spot: Spot<'_>,
    ) -> Option<Edge> {
        if let (Some(_), Some(_)) = (first, second) {
            self.found.push((spot.key(two), Mistake::TwoEdges { key: two, other: one }));
        }
        let (key, text, itself) = match (first, second) {
            (Some(text), _) => (one, text, true),
            (None, Some(text)) => (two, text, false),
            (None, None) => return None,
        };
        self.not_blank(key, text, spot.get(key));
        let place = match time(text.trim(), itself) {
            Some(Ok(time)) => EdgePlace::Time(time),
            Some(Err(())) => {
                self.report(spot.get(key), Mistake::BadDate { text: text.clone() });
                return None;
            }
            None => EdgePlace::Revision { name: text.trim().to_owned(), itself },
        };
        Some(Edge { typed: format!("{key} `{}`", text.trim()), place })
    }

    /// Checks that the end comes after the start, as far as possible without the history.
    fn not_empty(
        &mut self,
        start: Option<&Edge>,
        end: Option<&Edge>,
        table: &QuirkTable,
        spot: Spot<'_>,
    ) {
        let (Some(start), Some(end)) = (start, end) else { return };
        let is_empty = match (&start.place, &end.place) {
            (EdgePlace::Time(start), EdgePlace::Time(end)) => end <= start,
            (
                EdgePlace::Revision { name: start, itself },
                EdgePlace::Revision { name: end, itself: end_itself },
            ) => start == end && (!*itself || *end_itself),
            _ => false,
        };
        if is_empty {
            let key = if table.before.is_some() { "before" } else { "until" };
            let (start, end) = (start.typed.clone(), end.typed.clone());
            self.report(spot.get(key), Mistake::EmptyRange { start, end });
        }
    }

    /// Checks that a path is inside the checkout.
    fn within(&mut self, path: &str, spot: Spot<'_>) {
        self.not_blank("path", path, spot);
        let inside = |part| matches!(part, Component::CurDir | Component::Normal(_));
        if !Path::new(path).components().all(inside) {
            self.report(spot, Mistake::OutsideCheckout { path: path.to_owned() });
        }
    }
}

/// The shell commands around its steps, in the order of their keys.
fn commands(table: &QuirkTable) -> [&Option<String>; 4] {
    [&table.before_checkout, &table.after_checkout, &table.before_build, &table.after_build]
}

/// The keys by which it does something.
fn does(table: &QuirkTable) -> Vec<&'static str> {
    let others = [
        ("patch", table.patch.is_some()),
        ("take", table.take.is_some()),
        ("environment", !table.environment.is_empty()),
        ("build", table.build.is_some()),
    ];
    let commands = COMMANDS.into_iter().zip(commands(table).map(Option::is_some));
    others.into_iter().chain(commands).filter_map(|(key, given)| given.then_some(key)).collect()
}

/// The moment at which a day or an instant begins, or, if that is `itself` still earlier, the first
/// after it; `None` if the text is no date, an error where it looks like one.
fn time(text: &str, itself: bool) -> Option<Result<Timestamp, ()>> {
    let digits = |range: std::ops::Range<usize>| {
        text.as_bytes().get(range)?.iter().all(u8::is_ascii_digit).then_some(())
    };
    let dash = |at: usize| (text.as_bytes().get(at) == Some(&b'-')).then_some(());
    digits(0..4).and(dash(4)).and(digits(5..7)).and(dash(7)).and(digits(8..10))?;
    let rest = &text[10..];
    if !(rest.is_empty() || rest.starts_with(['T', 't', ' '])) {
        return None;
    }
    Some(moment(text, itself).ok_or(()))
}

fn moment(text: &str, itself: bool) -> Option<Timestamp> {
    if text.len() == 10 {
        let day: Date = text.parse().ok()?;
        let day = if itself { day } else { day.tomorrow().ok()? };
        return TimeZone::UTC.to_timestamp(day.into()).ok();
    }
    let local = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    let instant = text.parse::<Timestamp>().ok().or_else(local)?;
    if itself { Some(instant) } else { instant.checked_add(SignedDuration::from_nanos(1)).ok() }
}

/// A name made of a reason: its words, as far as they fit.
fn named_after(why: &str) -> String {
    let keep = |c: char| c.is_alphanumeric() || "+-._".contains(c);
    let words = why.split(|c| !keep(c)).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        let word = word.trim_matches(['.', '-']);
        if !name.is_empty() && name.chars().count() + 1 + word.chars().count() > LONGEST_NAME {
            break;
        }
        if !name.is_empty() && !word.is_empty() {
            name.push('-');
        }
        name.extend(word.chars().take(LONGEST_NAME));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, itself: bool) -> String {
        match time(text, itself) {
            None => "a name".to_owned(),
            Some(Err(())) => "no date".to_owned(),
            Some(Ok(time)) => time.to_string(),
        }
    }

    #[test]
    fn a_day_is_a_day_and_an_instant_an_instant() {
        assert_eq!(at("2017-12-01", true), "2017-12-01T00:00:00Z");
        assert_eq!(at("2017-12-31", false), "2018-01-01T00:00:00Z");
        assert_eq!(at("2017-12-01T12:30+02:00", true), "2017-12-01T10:30:00Z");
        assert_eq!(at("2017-12-01 12:30", false), "2017-12-01T12:30:00.000000001Z");
        for text in ["2017-13-01", "2017-02-30", "2017-12-01 noon"] {
            assert_eq!(at(text, true), "no date", "{text}");
        }
        for text in ["v1.1", "2017-12", "2017-12-01-rc1", "20171201", "äääää", ""] {
            assert_eq!(at(text, true), "a name", "{text}");
        }
    }

    #[test]
    fn a_name_is_made_of_whole_words() {
        assert_eq!(named_after("glibc 2.36 needs <stdint.h>"), "glibc-2.36-needs-stdint.h");
        let long = "the linker of binutils 2.40 wants every symbol to be defined but once";
        assert_eq!(named_after(long), "the-linker-of-binutils-2.40-wants-every");
        assert_eq!(named_after(&"x".repeat(100)), "x".repeat(40));
        assert_eq!(named_after(" … "), "");
    }
}
