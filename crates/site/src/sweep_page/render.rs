//! The page around the pictures.

use maud::{Markup, PreEscaped, html};
use tacho_report::block::AnswerNote;
use tacho_report::comparison::clauses::NO_NAMES;

use super::axis::ValueAxis;
use super::data::SweepPage;
use super::{curve, front, stages, trials};
use crate::page::{PageDocument, blocks, document, facts};
use crate::{assets, text};

impl SweepPage {
    /// The whole page, as HTML in one file.
    #[must_use]
    pub fn html(&self) -> String {
        let header = html! { span.subject { "tacho sweep" } };
        let title = format!("Sweep of {}", self.title);
        let frame = PageDocument {
            title: &title,
            version: &self.version,
            head: html! { style { (PreEscaped(assets::STYLE)) } },
            is_undated: false,
        };
        document(&frame, &header, &self.content())
    }

    fn content(&self) -> Markup {
        html! {
            h1 { "Sweep of " (self.title) }
            p.byline {
                "Of " b { (self.metric.name) } ", measured on " (self.host.name) ", "
                (text::minute(self.made)) "."
            }
            ul.findings { @for line in &self.lines { li { (clause(line)) } } }
            @for note in &self.notes { (blocks::note(note, NO_NAMES)) }
            @if let Some(axis) = self.axis() { (self.charts(&axis)) }
            @if self.axis().is_none() && !self.values.is_empty() {
                section { h2 { "The values" } (curve::rungs(self)) }
            }
            @if !self.values.is_empty() { (blocks::table(&self.table)) }
            @if !self.variants.is_empty() { (front::section(self)) }
            @if !self.typed.is_empty() { section { h2 { "See it again" } pre { (self.typed) } } }
            section { h2 { "Host" } (facts(&self.host.facts)) }
        }
    }

    /// The axis of the parameter, where its values are numbers.
    fn axis(&self) -> Option<ValueAxis> {
        self.grid.as_deref().and_then(ValueAxis::of)
    }

    fn charts(&self, axis: &ValueAxis) -> Markup {
        html! {
            @if !self.values.is_empty() {
                section { h2 { "The curve" } (curve::figure(self, axis)) }
            }
            @if !self.stages.is_empty() {
                section { h2 { "The stages of the search" } (stages::figure(&self.stages, axis)) }
            }
            @if !self.trials.is_empty() {
                section { h2 { "The trials" } (trials::figure(&self.trials, self.highest, axis)) }
            }
        }
    }
}

/// A line, whose names are in backticks.
fn clause(line: &AnswerNote) -> Markup {
    html! {
        @if let Some(subject) = &line.subject { b { (subject) } ": " }
        (blocks::with_code(&line.text))
    }
}
