//! Interprets the values of a plan, and checks whether they agree with one another.
//!
//! This module has the rules that no type expresses: durations and sizes, references and what they
//! may refer to, duplicates, contradictions. `subject`, `benchmark` and `metric` hold those of
//! their tables. Each check reports and continues with a harmless value, so that all mistakes are
//! reported at once.

mod benchmark;
mod companion;
mod conditions;
mod hook;
mod metric;
mod quirk;
mod subject;

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use super::error::{LocatedMistake, Mistake};
use super::file::{MeasureTable, ReferenceTable, WarmupEntry};
use super::shell;
use super::spot::Spot;
use super::template::{Piece, pieces};
use super::{Measure, PlannedReference, keys};
use crate::{Conditions, Limits, Rule, RuleError, RuleRequest, Warmup, in_backticks, percentage};

/// Gathers mistakes while it makes sense of values.
pub(super) struct Check<'f> {
    found: &'f mut Vec<LocatedMistake>,
    /// Whether the subject has releases; unknown before it is read, or if it cannot be read.
    releases: Option<bool>,
    /// Whether there is a warmup; unknown before `[measure]` is read, or if it cannot be read.
    warmup: Option<bool>,
    /// The conditions and limits of benchmarks without their own.
    base: (Conditions, Limits),
}

/// A template, and what it may refer to.
#[derive(Clone, Copy)]
struct Template<'a> {
    /// The key that holds it.
    key: &'a str,
    /// The names that it may refer to, `release` among them only for subjects that have releases.
    names: &'a [&'a str],
    /// The place in the file.
    spot: Spot<'a>,
    /// The template itself.
    text: &'a str,
}

impl<'f> Check<'f> {
    /// Puts what it finds to the rest.
    pub(super) fn new(found: &'f mut Vec<LocatedMistake>, releases: Option<bool>) -> Self {
        Self { found, releases, warmup: None, base: Default::default() }
    }

    /// Gives it what `[measure]` says, if that could be read.
    pub(super) fn with_measure(self, measure: Option<&Measure>) -> Self {
        let base = measure.map(|measure| (measure.conditions.clone(), measure.limits));
        Self {
            warmup: measure.map(|measure| measure.rule.warmup.is_any()),
            base: base.unwrap_or_default(),
            ..self
        }
    }

    /// `[measure]`.
    pub(super) fn measure(&mut self, table: MeasureTable, spot: Spot<'_>) -> Measure {
        let request = self.request(&table, spot);
        let rule = request.rule().unwrap_or_else(|error| {
            self.report(spot.get(error.key()), error.into());
            Rule::default()
        });
        let (conditions, limits) = (Conditions::default(), Limits::default());
        let names = self.with_release(["build", "revision"]);
        self.environment_references(table.conditions.as_ref(), &names, spot.get("conditions"));
        Measure {
            request,
            rule,
            levels: table.levels.as_ref().map(|levels| super::RepetitionLevels {
                layouts: levels.layouts.get(),
                processes: levels.processes.get(),
            }),
            link: table.link,
            reference: PlannedReference::default(),
            cache_limit: self.size(&table.cache_limit, spot.get("cache-limit")),
            conditions: self.conditions(table.conditions, &conditions, spot.get("conditions")),
            limits: self.limits(table.limits, limits, spot.get("limits")),
        }
    }

    /// `[reference]`.
    pub(super) fn reference(&mut self, table: ReferenceTable, spot: Spot<'_>) -> PlannedReference {
        if let Some(revision) = &table.revision {
            self.not_blank("revision", revision, spot.get("revision"));
        }
        PlannedReference { programs: table.programs, revision: table.revision }
    }

    fn request(&mut self, table: &MeasureTable, spot: Spot<'_>) -> RuleRequest {
        let rounds = |key: Option<NonZeroU32>| key.map(NonZeroU32::get);
        RuleRequest {
            rounds: rounds(table.rounds),
            precision: self.interpret(
                table.precision.as_deref(),
                percentage,
                spot.get("precision"),
            ),
            precision_metric: table.precision_metric.clone(),
            min_rounds: rounds(table.min_rounds),
            max_rounds: rounds(table.max_rounds),
            budget: self.interpret(table.budget.as_deref(), crate::duration, spot.get("budget")),
            quiet_wait: self.interpret(
                table.quiet_wait.as_deref(),
                crate::duration,
                spot.get("quiet-wait"),
            ),
            warmup: table.warmup.as_ref().and_then(|entry| match entry {
                WarmupEntry::Round(any) => Some((*any).into()),
                WarmupEntry::Executions(number) => Some(Warmup::Executions(*number)),
                WarmupEntry::Text(text) => {
                    self.interpret(Some(text), str::parse, spot.get("warmup"))
                }
            }),
        }
    }

    /// Interprets a request, if it is there.
    fn interpret<T>(
        &mut self,
        text: Option<&str>,
        read: impl FnOnce(&str) -> Result<T, RuleError>,
        spot: Spot<'_>,
    ) -> Option<T> {
        text.and_then(|text| read(text).map_err(|error| self.report(spot, error.into())).ok())
    }

    /// Reports a name that was there before.
    pub(super) fn unique(
        &mut self,
        names: &mut BTreeSet<String>,
        what: &'static str,
        name: &str,
        spot: Spot<'_>,
    ) {
        if !names.insert(name.to_owned()) {
            self.report(spot, Mistake::Duplicate { what, name: name.to_owned() });
        }
    }

    fn report(&mut self, spot: Spot<'_>, mistake: Mistake) {
        self.found.push((spot.span(), mistake));
    }

    /// Reports text that has nothing in it.
    fn not_blank(&mut self, key: &str, text: &str, spot: Spot<'_>) {
        if text.trim().is_empty() {
            self.report(spot, Mistake::Empty { key: key.to_owned() });
        }
    }

    fn duration(&mut self, text: &str, spot: Spot<'_>) -> Duration {
        self.interpret(Some(text), crate::duration, spot).unwrap_or_default()
    }

    fn size(&mut self, text: &str, spot: Spot<'_>) -> u64 {
        crate::size(text).unwrap_or_else(|| {
            self.report(spot, Mistake::BadSize { text: text.to_owned() });
            0
        })
    }

    /// Reports whatever a template must not refer to; returns whether all is well, and what it
    /// refers to.
    fn template<'a>(&mut self, template: Template<'a>) -> (bool, Vec<&'a str>) {
        let Template { key, names, spot, text } = template;
        let before = self.found.len();
        let mut used = Vec::new();
        for (at, piece) in pieces(text) {
            match piece {
                Piece::Brace(_) | Piece::Text(_) => {}
                Piece::Lone(brace) => {
                    self.found.push((
                        spot.part(at, 1),
                        Mistake::LoneBrace { brace, key: key.to_owned() },
                    ));
                }
                Piece::Reference(name) if names.contains(&name) => used.push(name),
                Piece::Reference(name) => {
                    self.found
                        .push((spot.part(at, name.len() + 2), self.bad_reference(name, template)));
                }
            }
        }
        (self.found.len() == before, used)
    }

    /// Reports what shell code probably means to refer to and does not; returns as
    /// [`Check::template`] does.
    ///
    /// Any other brace is the shell's.
    fn shell<'a>(&mut self, template: Template<'a>) -> (bool, Vec<&'a str>) {
        let all = shell::references(template.text);
        self.loose(template, all.into_iter().map(|it| (it.at, it.name)))
    }

    /// The same of a variable of the environment.
    fn variable_value<'a>(&mut self, template: Template<'a>) -> (bool, Vec<&'a str>) {
        let all = pieces(template.text).into_iter().filter_map(|(at, piece)| match piece {
            Piece::Reference(name) => Some((at, name)),
            _ => None,
        });
        self.loose(template, all)
    }

    fn loose<'a>(
        &mut self,
        template: Template<'a>,
        all: impl Iterator<Item = (usize, &'a str)>,
    ) -> (bool, Vec<&'a str>) {
        let Template { key, names, spot, .. } = template;
        let before = self.found.len();
        let mut used = Vec::new();
        for (at, name) in all {
            if names.contains(&name) {
                used.push(name);
            } else if name == "release" && self.releases == Some(false) {
                let mistake = Mistake::ReleaseWithoutReleases { key: key.to_owned() };
                self.found.push((spot.part(at, name.len() + 2), mistake));
            } else if let Some(guess) = keys::misspelt(name, names.iter().copied()) {
                let (name, hint) = (name.to_owned(), format!("did you mean `{{{guess}}}`?"));
                let span = spot.part(at, name.len() + 2);
                self.found.push((span, Mistake::BadReference { name, key: key.to_owned(), hint }));
            }
        }
        (self.found.len() == before, used)
    }

    fn bad_reference(&self, name: &str, template: Template<'_>) -> Mistake {
        let key = template.key.to_owned();
        if name == "release" && self.releases == Some(false) {
            return Mistake::ReleaseWithoutReleases { key };
        }
        let hint = if name == "port" {
            "the key `port` of a `companion` sets the port".to_owned()
        } else if let Some(guess) = keys::nearest(name, template.names.iter().copied()) {
            format!("did you mean `{{{guess}}}`?")
        } else {
            let names: Vec<String> =
                template.names.iter().map(|name| format!("{{{name}}}")).collect();
            let names = in_backticks(names);
            format!("valid values: {names}; for braces themselves write `{{{{` and `}}}}`")
        };
        Mistake::BadReference { name: name.to_owned(), key, hint }
    }

    /// These names, and `release` unless the subject has none.
    fn with_release<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let release = (self.releases != Some(false)).then_some("release");
        names.into_iter().chain(release).collect()
    }
}
