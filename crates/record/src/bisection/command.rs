//! The command that asks what a bisection asks, whole: it can be given to a shell elsewhere.

use std::time::Duration;

use jiff::SignedDuration;

use super::typed_subject::TypedSubject;
use super::{Bisection, BisectionRequest, Candidate, ValueComparison, ValueSource};
use crate::Direction;

impl Bisection {
    /// The good end and the bad one by names that mean the same tomorrow: as they were typed where
    /// that is a tag or part of the full name, else the short name.
    #[must_use]
    pub fn end_names(&self) -> [&str; 2] {
        let mut ends = self.ends_of_candidates();
        if let Some(aside) = &self.asked.aside {
            // The first candidate is only where its way and the main line part.
            ends[usize::from(self.asked.exchanged)] = aside.get(..SHORT).unwrap_or(aside);
        }
        ends
    }

    fn ends_of_candidates(&self) -> [&str; 2] {
        let (first, last) = (self.candidates.first(), self.candidates.last());
        let (good, bad) = if self.asked.exchanged { (last, first) } else { (first, last) };
        [(good, &self.asked.good), (bad, &self.asked.bad)].map(|(candidate, typed)| {
            let Some(Candidate { revision, .. }) = candidate else { return typed.as_str() };
            let is_part = typed.len() >= SHORTEST && revision.id.starts_with(typed.as_str());
            let lasts = is_part || *typed == revision.id || revision.tags.contains(typed);
            if lasts { typed } else { revision.short() }
        })
    }

    /// The command that asks the same, for a shell.
    #[must_use]
    pub fn command(&self) -> String {
        let asked = &self.asked;
        let mut ends = self.end_names();
        if let Some(outermost) = asked.within.first() {
            ends = [&outermost.ends.0, &outermost.ends.1];
        }
        let mut words: Vec<String> = ends.map(str::to_owned).into();
        if let Some(typed) = &asked.typed {
            words.extend(of_typed(typed));
        }
        words.extend(of_metric(asked));
        let size = |size: f64| match asked.by {
            ValueComparison::Difference => asked.metric.unit.exact(size),
            ValueComparison::Ratio | ValueComparison::Failure => {
                format!("{}%", (size * 1e8).round() / 1e6)
            }
        };
        words.extend(["--min-effect".to_owned(), size(asked.least)]);
        words.extend(asked.layout.into_iter().flat_map(|sd| ["--layout".to_owned(), size(sd)]));
        words.extend(within(asked));
        let flags = [
            ("--all", asked.all),
            ("--into-merges", asked.into_merges),
            ("--probe", !asked.probe.is_empty()),
            ("--revert", asked.revert),
        ];
        words.extend(flags.iter().filter(|(_, typed)| *typed).map(|(name, _)| (*name).to_owned()));
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("tacho bisect {}", words.join(" "))
    }
}

fn of_typed(typed: &TypedSubject) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |option: &str, value: &String| words.extend([option.to_owned(), value.clone()]);
    typed.build.iter().for_each(|build| add("--build", build));
    typed.artifacts.iter().for_each(|path| add("--artifact", path));
    typed.run.iter().for_each(|run| add("--run", run));
    typed.number.iter().for_each(|number| add("--number", number));
    typed.repository.iter().for_each(|folder| add("--repository", folder));
    words
}

/// What may be spent, and what the ends once were.
fn within(asked: &BisectionRequest) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    asked.budget.iter().for_each(|seconds| add("--budget", time(*seconds)));
    asked.most_builds.iter().for_each(|most| add("--max-builds", most.to_string()));
    let unit = &asked.metric.unit;
    asked.before.iter().for_each(|(good, bad)| {
        add("--before", format!("{},{}", unit.typed(*good), unit.typed(*bad)));
    });
    words
}

/// A time as it is typed: `2h`.
fn time(seconds: f64) -> String {
    let time = Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|time| SignedDuration::try_from(time).ok());
    time.map_or_else(|| format!("{seconds}s"), |time| format!("{time:#}"))
}

fn of_metric(asked: &BisectionRequest) -> Vec<String> {
    if let Some(test) = &asked.test {
        return vec!["--test".to_owned(), test.clone()];
    }
    let mut words = Vec::new();
    if asked.of == ValueSource::Execution && asked.typed.is_none() {
        words.extend(["--benchmark".to_owned(), asked.benchmark.to_string()]);
    }
    words.extend(["--metric".to_owned(), asked.metric.name.clone()]);
    let is_number = asked.typed.as_ref().is_some_and(|typed| typed.number.is_some());
    if is_number && asked.metric.better == Direction::Higher {
        words.extend(["--better", "higher"].map(str::to_owned));
    }
    words
}

/// The fewest digits of an abbreviated full name, and the number of digits that are printed.
const SHORTEST: usize = 7;
const SHORT: usize = 10;

/// A word as a POSIX shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+^~".contains(c);
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one() {
        assert_eq!(quoted("HEAD~3"), "HEAD~3");
        assert_eq!(quoted("parse[n=1]"), "'parse[n=1]'");
        assert_eq!(quoted("echo 'a b'"), r"'echo '\''a b'\'''");
        assert_eq!([quoted(""), quoted("~/x")], ["''", "'~/x'"]);
    }

    #[test]
    fn a_time_can_be_typed_again() {
        for text in ["2h", "90m", "1h 30m", "500ms", "1.5s"] {
            let seconds = crate::duration(text).unwrap().as_secs_f64();
            assert_eq!(crate::duration(&time(seconds)).unwrap().as_secs_f64(), seconds, "{text}");
        }
        assert_eq!(time(7200.0), "2h");
    }
}
