//! The rules of `metrics`: built-in ones by name, others with a place in the output that can be
//! read.

use std::collections::BTreeSet;

use regex::RegexBuilder;

use super::super::error::Mistake;
use super::super::file::{MetricEntry, MetricTable, StreamName};
use super::super::spot::Spot;
use super::super::{OutputPlace, Pattern, PlannedMetric, Reading, Tool};
use super::Check;
use crate::{Counter, Metric, RateHint, Unit, in_backticks, is_shown, plan::keys, shown_name};

/// The parsers that belong to no tool.
const GENERAL: [&str; 4] = ["csv", "json", "key", "regex"];

impl Check<'_> {
    /// The metrics of a benchmark.
    pub(super) fn metrics(
        &mut self,
        entries: Vec<MetricEntry>,
        spot: Spot<'_>,
    ) -> Vec<PlannedMetric> {
        if entries.is_empty() {
            self.report(spot, Mistake::Empty { key: "metrics".to_owned() });
        }
        let mut names = BTreeSet::new();
        let mut metrics = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let spot = spot.item(index);
            match entry {
                MetricEntry::Named(name) => {
                    self.unique(&mut names, "metric", name.trim_end_matches('?'), spot);
                    metrics.extend(self.built_in(name, spot));
                }
                MetricEntry::Read(table) => {
                    let Some(name) = table.name.clone() else { continue };
                    self.unique(&mut names, "metric", &name, spot.get("name"));
                    metrics.extend(self.read(name, &table, spot));
                }
            }
        }
        metrics
    }

    fn built_in(&mut self, name: String, spot: Spot<'_>) -> Option<PlannedMetric> {
        let (plain, optional) =
            name.strip_suffix('?').map_or((&*name, false), |plain| (plain, true));
        if let Some(counter) = Counter::named(plain) {
            return Some(PlannedMetric::counted(counter, optional));
        }
        if let (Some(metric), false) = (Metric::known(plain), optional) {
            return Some(PlannedMetric::plain(metric));
        }
        let known = Metric::names().chain(["instructions=callgrind"]);
        let longer = Metric::names().filter(|known| !plain.is_empty() && known.contains(plain));
        let guess = keys::nearest(plain, known).or_else(|| longer.min_by_key(|known| known.len()));
        let hint = match guess {
            Some(guess) => format!("did you mean `{guess}`?"),
            None => format!(
                "valid values: {}; a number in the output is read with `{{ name = …, from = … \
                 }}`",
                in_backticks(Metric::names())
            ),
        };
        self.report(spot, Mistake::UnknownMetric { name, hint });
        None
    }

    /// A metric that is read from the output.
    fn read(&mut self, name: String, table: &MetricTable, spot: Spot<'_>) -> Option<PlannedMetric> {
        self.metric_name(&name, spot.get("name"));
        let place = self.place(table, spot);
        let pattern = self.pattern(&name, table.from.as_deref()?, spot.get("from"))?;
        let (unit, scale) = self.unit(table, &pattern, spot.get("unit"));
        let rate = RateHint::of(&name, &unit).filter(|_| table.better.is_none());
        let better = table.better.unwrap_or_else(|| RateHint::direction(rate));
        // The unit of a tool's quantity is known.
        let is_known = matches!(&pattern, Pattern::Tool { tool, quantity, .. }
            if tool.unit(quantity).is_some());
        let guessed = rate.filter(|_| !is_known);
        let tool = if let Pattern::Tool { tool, .. } = pattern { Some(tool) } else { None };
        let usual = tool.map_or(OutputPlace::Stdout, Tool::place);
        let reading = Reading { place: place.unwrap_or(usual), pattern, scale };
        let metric = Metric { name, unit, better };
        Some(PlannedMetric { reading: Some(reading), guessed, ..PlannedMetric::plain(metric) })
    }

    fn metric_name(&mut self, name: &str, spot: Spot<'_>) {
        self.not_blank("name", name, spot);
        if Metric::known(name).is_some() {
            self.report(spot, Mistake::BuiltInMetric { name: name.to_owned() });
        }
        let hint = match name {
            "all" => "`all` means all metrics",
            _ if !name.chars().all(is_shown) => super::benchmark::VISIBLE,
            _ => return,
        };
        self.report(spot, Mistake::BadName { what: "metric", name: shown_name(name), hint });
    }

    /// The place that the plan names, if it does.
    fn place(&mut self, table: &MetricTable, spot: Spot<'_>) -> Option<OutputPlace> {
        let stream = table.stream.map(|stream| match stream {
            StreamName::Stderr => OutputPlace::Stderr,
            StreamName::Stdout => OutputPlace::Stdout,
        });
        let Some(file) = &table.file else { return stream };
        self.path("file", file, spot.get("file"));
        if stream.is_some() {
            self.found.push((spot.key("file"), Mistake::TwoPlaces));
        }
        Some(OutputPlace::File(file.clone()))
    }

    /// The unit that its numbers are kept in, and what they are multiplied by for that.
    fn unit(&mut self, table: &MetricTable, pattern: &Pattern, spot: Spot<'_>) -> (Unit, f64) {
        let given = table.unit.as_deref().map(Unit::named);
        let Pattern::Tool { tool, quantity, .. } = pattern else {
            return given.unwrap_or((Unit::Other(String::new()), 1.0));
        };
        if let (Some((given, _)), Some(own)) = (&given, tool.unit(quantity))
            && *given != own
        {
            let unit = match own {
                Unit::Bytes => "bytes".to_owned(),
                Unit::Nanoseconds => "a time".to_owned(),
                Unit::Other(name) => format!("`{name}`"),
            };
            self.report(
                spot,
                Mistake::KnownUnit { parser: table.from.clone().unwrap_or_default(), unit },
            );
        }
        given.unwrap_or_else(|| (tool.usual_unit(quantity), 1.0))
    }

    fn pattern(&mut self, metric: &str, from: &str, spot: Spot<'_>) -> Option<Pattern> {
        let (parser, rest) = from.split_once(':').unwrap_or((from, ""));
        if let Some((_, tool)) = Tool::ALL.iter().find(|(name, _)| *name == parser) {
            return self.tool(*tool, (parser, rest), metric, spot);
        }
        if !GENERAL.contains(&parser) {
            let known = || GENERAL.into_iter().chain(Tool::ALL.map(|(name, _)| name));
            let hint = match keys::nearest(parser, known()) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!("valid values: {}", in_backticks(known())),
            };
            self.report(spot, Mistake::UnknownParser { name: parser.to_owned(), hint });
            return None;
        }
        // The root of a JSON document has an empty pointer; of the others something must be named.
        if parser != "json" && rest.is_empty() {
            self.report(spot, Mistake::Empty { key: format!("{parser}:") });
            return None;
        }
        let rest = rest.to_owned();
        match parser {
            "csv" => Some(Pattern::Csv(rest)),
            "json" => self.pointer(rest, spot),
            "key" => Some(Pattern::Key(rest)),
            _ => self.regex(rest, spot),
        }
    }

    fn tool(
        &mut self,
        tool: Tool,
        (parser, rest): (&str, &str),
        metric: &str,
        spot: Spot<'_>,
    ) -> Option<Pattern> {
        let quantities = tool.quantities();
        let usual = quantities.first().copied().unwrap_or_default();
        let (name, quantity) = match tool {
            Tool::Metrics if rest.is_empty() => (metric, usual),
            _ if tool.is_of_one_thing() => ("", if rest.is_empty() { usual } else { rest }),
            _ => split_quantity(tool, rest).unwrap_or((rest, usual)),
        };
        if tool.is_of_one_thing() && !quantities.contains(&quantity) {
            let hint = match keys::nearest(quantity, quantities.iter().copied()) {
                Some(guess) => format!("did you mean `{parser}:{guess}`?"),
                None => format!("valid values: {}", in_backticks(quantities.iter().copied())),
            };
            let (parser, name) = (parser.to_owned(), quantity.to_owned());
            self.report(spot, Mistake::UnknownQuantity { parser, name, hint });
            return None;
        }
        Some(Pattern::Tool { tool, name: name.to_owned(), quantity: quantity.to_owned() })
    }

    fn pointer(&mut self, text: String, spot: Spot<'_>) -> Option<Pattern> {
        // RFC 6901: each token begins with `/`, and `~` is only allowed before 0 or 1.
        let escapes = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        if (text.is_empty() || text.starts_with('/')) && escapes {
            return Some(Pattern::Json(text));
        }
        self.report(spot, Mistake::BadPointer { text });
        None
    }

    fn regex(&mut self, text: String, spot: Spot<'_>) -> Option<Pattern> {
        match RegexBuilder::new(&text).multi_line(true).build() {
            Ok(regex) if regex.captures_len() > 1 => return Some(Pattern::Regex(text)),
            Ok(_) => self.report(spot, Mistake::NoGroup { text }),
            Err(error) => {
                // The last line says what, those before it draw where.
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default();
                let why = why.strip_prefix("error: ").unwrap_or(why).to_owned();
                self.report(spot, Mistake::BadRegex { text, why });
            }
        }
        None
    }
}

/// The name and the quantity, if the text ends in a quantity: benchmarks' names may have colons.
fn split_quantity(tool: Tool, text: &str) -> Option<(&str, &str)> {
    let (name, quantity) = text.rsplit_once(':').unwrap_or(("", text));
    let of_go = tool == Tool::GoBench && (quantity.ends_with("/op") || quantity.ends_with("/s"));
    (of_go || tool.quantities().contains(&quantity)).then_some((name, quantity))
}
