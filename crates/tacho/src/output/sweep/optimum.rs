//! A search for the best value, in words.

use super::rows::SweepRows;
use super::{OptimumReport, in_markdown, said};
use crate::output::text;

impl OptimumReport<'_> {
    pub(super) fn rows(&self) -> SweepRows<'_> {
        SweepRows {
            names: self.names,
            question: self.question,
            rows: &self.found.rows,
            curve: &self.found.curve,
            places: &self.found.places,
        }
    }

    /// The answer as people read it.
    pub fn text(&self) -> String {
        self.rows().text() + &said(self.lines())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        in_markdown(self.rows().table(), self.lines())
    }

    /// What was found, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.found.is_interrupted {
            lines.push(super::INTERRUPTED.to_owned());
        }
        lines.extend(self.rows().lines());
        if self.found.curve.is_ok() {
            lines.push(self.interval());
            if !self.found.is_interrupted {
                lines.push(self.one_dip().to_owned());
            }
        }
        lines.push(self.spent());
        lines
    }

    /// Where the best value lies.
    fn interval(&self) -> String {
        let value = |place: usize| format!("`{}`", self.names.label(place));
        let between = |ends: (usize, usize)| format!("{} … {}", value(ends.0), value(ends.1));
        let spans: Vec<String> = self.found.spans.iter().map(|span| between(span.ends)).collect();
        format!("interval: the best value lies in {}, with 95 % confidence", spans.join(" or in "))
    }

    fn one_dip(&self) -> &'static str {
        let minima = self.found.curve.as_ref().map_or(0, |curve| curve.minima.len());
        match (minima, self.found.spans.len()) {
            (0 | 1, 0 | 1) => {
                "checked: no second place may hold a better value, unless it is narrower than the \
                 first steps"
            }
            (0 | 1, _) => "unclear: more than one place may hold the best value",
            _ => "checked: there is more than one dip",
        }
    }

    fn spent(&self) -> String {
        let (taken, whole) = (self.found.taken, self.found.whole);
        let values = self.question.bench.commands.len();
        let why = if self.found.is_cut_short {
            "; this is the most a search takes: a larger `-r` allows more, and fewer `--steps` \
             need less"
        } else {
            ""
        };
        let taken = text::count(taken, "sample");
        format!("{taken}; all {values} values would have taken {whole}{why}")
    }
}
