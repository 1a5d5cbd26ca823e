//! From the text of `tacho.toml` to a [`Plan`], or to all that is wrong with it.
//!
//! The text is read by the `toml` crate into values that know their place; `keys` takes out what
//! does not exist; serde reads each table on its own into the types of `file`; `check` makes sense
//! of what they hold.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::check::Check;
use super::error::{LocatedMistake, Mistake, PlanErrors};
use super::file::{
    BenchmarkTable, MeasureTable, QuirkTable, ReferenceTable, SubjectTable, WARMUPS,
};
use super::keys;
use super::schema::TREE;
use super::spot::Spot;
use super::{Benchmark, Measure, Plan, PlannedMetric, PlannedReference, Quirk, Source, Subject};
use crate::Metric;

type Entry<'a> = Spanned<DeValue<'a>>;

/// Reads a plan; the file's name is only for messages.
///
/// All mistakes that are distinct from one another are reported, but of those in syntax only the
/// first.
pub fn parse(text: &str, file_name: &str) -> Result<Plan, PlanErrors> {
    let fail = |found| PlanErrors::new(text, file_name, found);
    let mut root = DeTable::parse(text).map_err(|error| fail(vec![syntax(&error)]))?.into_inner();
    let mut reader = Reader { text, found: keys::prune(&mut root) };
    match reader.plan(root) {
        Some(plan) if reader.found.is_empty() => Ok(plan),
        _ => Err(fail(reader.found)),
    }
}

/// Reads a file of quirks: one that has nothing but `[[quirk]]` tables, for a subject that has
/// releases or not.
pub fn parse_quirks(
    text: &str,
    file_name: &str,
    subject: &Subject,
) -> Result<Vec<Quirk>, PlanErrors> {
    let fail = |found| PlanErrors::new(text, file_name, found);
    let mut root = DeTable::parse(text).map_err(|error| fail(vec![syntax(&error)]))?.into_inner();
    let mut reader = Reader { text, found: keys::prune_quirks(&mut root) };
    let releases = Some(matches!(subject.source, Source::Releases(_) | Source::ReleasesFrom(_)));
    let known = subject.quirks.iter().map(|quirk| quirk.name.clone()).collect();
    match reader.quirks(root.remove("quirk").as_ref(), releases, known) {
        Some(quirks) if reader.found.is_empty() => Ok(quirks),
        _ => Err(fail(reader.found)),
    }
}

fn syntax(error: &toml::de::Error) -> LocatedMistake {
    let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
    (error.span().unwrap_or(0..0), Mistake::Syntax { message })
}

/// Reads tables and gathers what is wrong with them; `None` always goes with a mistake.
struct Reader<'a> {
    text: &'a str,
    found: Vec<LocatedMistake>,
}

impl<'a> Reader<'a> {
    fn plan(&mut self, mut root: DeTable<'a>) -> Option<Plan> {
        let empty = || Spanned::new(0..0, DeValue::Table(DeTable::new()));
        let subject = self.subject(&root.remove("subject").unwrap_or_else(empty));
        let measured = root.remove("measure").unwrap_or_else(empty);
        let reference = root.remove("reference").unwrap_or_else(empty);
        let reference = self.reference(&reference);
        let measure = self.measure(&measured);
        let releases = subject
            .as_ref()
            .map(|subject| matches!(subject.source, Source::Releases(_) | Source::ReleasesFrom(_)));
        let quirks = self.quirks(root.remove("quirk").as_ref(), releases, BTreeSet::new());
        let benchmarks = self.benchmarks(&root.remove("benchmark")?, releases, measure.as_ref());
        let subject = Subject { quirks: quirks?, ..subject? };
        let measure = Measure { reference: reference?, ..measure? };
        let plan = Plan { subject, measure, benchmarks: benchmarks? };
        if let Err(error) = plan.known_precision() {
            let spot = Spot::new(self.text, &measured).get(error.key());
            self.found.push((spot.span(), error.into()));
        }
        Some(plan)
    }

    fn subject(&mut self, entry: &Entry<'a>) -> Option<Subject> {
        let table: SubjectTable = self.table(entry, "[subject]", &TREE["properties"]["subject"])?;
        Some(Check::new(&mut self.found, None).subject(table, Spot::new(self.text, entry)))
    }

    fn measure(&mut self, entry: &Entry<'a>) -> Option<Measure> {
        let table: MeasureTable = self.table(entry, "[measure]", &TREE["properties"]["measure"])?;
        Some(Check::new(&mut self.found, None).measure(table, Spot::new(self.text, entry)))
    }

    fn reference(&mut self, entry: &Entry<'a>) -> Option<PlannedReference> {
        let node = &TREE["properties"]["reference"];
        let table: ReferenceTable = self.table(entry, "[reference]", node)?;
        Some(Check::new(&mut self.found, None).reference(table, Spot::new(self.text, entry)))
    }

    /// All quirks, if there are any, whose names are not among those known.
    fn quirks(
        &mut self,
        entry: Option<&Entry<'a>>,
        releases: Option<bool>,
        mut names: BTreeSet<String>,
    ) -> Option<Vec<Quirk>> {
        let Some(entry) = entry else { return Some(Vec::new()) };
        let Some(items) = entry.get_ref().as_array() else {
            self.wrong_shape(entry, "[[quirk]]");
            return None;
        };
        let mut quirks = Vec::with_capacity(items.len());
        for item in items {
            let table: Option<QuirkTable> =
                self.table(item, "[[quirk]]", &TREE["properties"]["quirk"]["items"]);
            let spot = Spot::new(self.text, item);
            let mut check = Check::new(&mut self.found, releases);
            if let Some(table) = table {
                let key = if table.name.is_some() { "name" } else { "why" };
                let quirk = check.quirk(table, spot);
                check.unique(&mut names, "quirk", &quirk.name, spot.get(key));
                quirks.push(quirk);
            }
        }
        (quirks.len() == items.len()).then_some(quirks)
    }

    /// All benchmarks; whether there are releases, and what `[measure]` says, is not known where
    /// that could not be read.
    fn benchmarks(
        &mut self,
        entry: &Entry<'a>,
        releases: Option<bool>,
        measure: Option<&Measure>,
    ) -> Option<Vec<Benchmark>> {
        let Some(items) = entry.get_ref().as_array() else {
            self.wrong_shape(entry, "[[benchmark]]");
            return None;
        };
        if items.is_empty() {
            self.found.push((entry.span(), Mistake::EmptyPlan));
        }
        let mut names = BTreeSet::new();
        let mut benchmarks = Vec::new();
        for item in items {
            let node = &TREE["properties"]["benchmark"]["items"];
            let table: Option<BenchmarkTable> = self.table(item, "[[benchmark]]", node);
            let spot = Spot::new(self.text, item);
            let mut check = Check::new(&mut self.found, releases).with_measure(measure);
            if let Some(table) = table {
                check.unique(&mut names, "benchmark", &table.name, spot.get("name"));
                benchmarks.push(check.benchmark(table, spot));
            }
        }
        (benchmarks.len() == items.len()).then(|| {
            self.one_meaning(items, &benchmarks);
            benchmarks
        })
    }

    /// Reports metrics that mean something else than those of the same name in a benchmark above.
    fn one_meaning(&mut self, items: &[Entry<'a>], benchmarks: &[Benchmark]) {
        let mut known: HashMap<&str, &Metric> = HashMap::new();
        for (item, benchmark) in items.iter().zip(benchmarks) {
            for (index, PlannedMetric { metric, .. }) in benchmark.metrics.iter().enumerate() {
                if *known.entry(&metric.name).or_insert(metric) != metric {
                    let at = Spot::new(self.text, item).get("metrics").item(index).span();
                    self.found.push((at, Mistake::OtherMeaning { name: metric.name.clone() }));
                }
            }
        }
    }

    /// A table by its type.
    ///
    /// One value of a wrong type does not hide the next: it is taken out, and the rest is read
    /// again. All required values are texts, so that an empty text can replace a wrong one.
    fn table<T: DeserializeOwned>(
        &mut self,
        entry: &Entry<'a>,
        title: &str,
        node: &Value,
    ) -> Option<T> {
        let Some(mut table) = entry.get_ref().as_table().cloned() else {
            self.wrong_shape(entry, title);
            return None;
        };
        let before = self.found.len();
        if !keys::required(node).all(|key| table.contains_key(key)) {
            return None;
        }
        for _ in 0..=table.len() {
            let rest = Spanned::new(entry.span(), DeValue::Table(table.clone()));
            let error = match T::deserialize(ValueDeserializer::from(rest)) {
                Ok(read) => return (self.found.len() == before).then_some(read),
                Err(error) => error,
            };
            let span = error.span().unwrap_or(entry.span());
            let culprit = table.iter().find_map(|(key, value)| {
                let place = place(value, &span)?;
                Some((key.get_ref().to_string(), place))
            });
            let Some((key, place)) = culprit else {
                self.found.push(syntax(&error));
                break;
            };
            if !self.is_reported(&span, error.message()) {
                self.found.push((span, place.mistake(&key, error.message())));
            }
            if keys::required(node).any(|required| required == key) {
                table.insert(
                    Spanned::new(0..0, key.into()),
                    Spanned::new(0..0, DeValue::String("".into())),
                );
            } else {
                table.remove(key.as_str());
            }
        }
        None
    }

    /// Whether `keys` has said already that a key is missing within those bytes, or wrong.
    fn is_reported(&self, within: &Range<usize>, message: &str) -> bool {
        let of_keys = |mistake: &Mistake| {
            matches!(mistake, Mistake::Missing { .. } | Mistake::UnknownKey { .. })
        };
        let inside = |at: &Range<usize>| within.start <= at.start && at.end <= within.end;
        message.starts_with("missing field")
            && self.found.iter().any(|(at, mistake)| inside(at) && of_keys(mistake))
    }

    fn wrong_shape(&mut self, entry: &Entry<'_>, title: &str) {
        let kind = if title.starts_with("[[") { "an array of tables" } else { "a table" };
        let key = title.trim_matches(['[', ']']).to_owned();
        let expected = format!("{kind}, written `{title}`");
        let found = Some(entry.get_ref().type_str());
        self.found.push((entry.span(), Mistake::WrongType { key, expected, found }));
    }
}

/// A value of a wrong type: the keys that lead to it, and what it is.
struct ValuePlace {
    keys: String,
    kind: &'static str,
}

/// The place of the value with that span, within this one; that of a table for one of its keys.
fn place(value: &Entry<'_>, span: &Range<usize>) -> Option<ValuePlace> {
    if value.span() == *span {
        return Some(ValuePlace { keys: String::new(), kind: value.get_ref().type_str() });
    }
    match value.get_ref() {
        DeValue::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let inner = place(item, span)?;
            Some(ValuePlace { keys: format!("[{index}]{}", inner.keys), ..inner })
        }),
        DeValue::Table(table) => table.iter().find_map(|(key, value)| {
            if key.span() == *span {
                return Some(ValuePlace { keys: String::new(), kind: value.get_ref().type_str() });
            }
            let inner = place(value, span)?;
            Some(ValuePlace { keys: format!(".{}{}", key.get_ref(), inner.keys), ..inner })
        }),
        _ => None,
    }
}

impl ValuePlace {
    /// What serde says about the value below this key, in the words of TOML.
    fn mistake(self, key: &str, message: &str) -> Mistake {
        let key = format!("{key}{}", self.keys);
        let found = message.starts_with("invalid type").then_some(self.kind);
        let (expected, found) = match key.as_str() {
            "command" | "companion.command" | "patch" => {
                ("a string or an array of strings", Some(self.kind))
            }
            key if key.starts_with("take") => {
                (r#"`{ path = "…", from = "…" }` or an array of such tables"#, Some(self.kind))
            }
            "companion.per" => (r#"`"execution"`, `"cell"` or `"run"`"#, None),
            "companion.port" => (r#"`"free"` or a number from 1 to 65535"#, None),
            key if key.starts_with("companion.ready") => {
                let choices = concat!(
                    r#"`{ port = 8080 }`, `{ file = "path" }`, `{ line = "text" }`, "#,
                    r#"`{ command = "…" }` or `"started"`"#
                );
                (choices, None)
            }
            key if key.starts_with("output") => {
                (r#"`"null"`, `"pipe"`, `"keep"` or `{ file = "path" }`"#, None)
            }
            "conditions.cpus" => ("a string or an array of whole numbers", Some(self.kind)),
            "conditions.inherit-environment" => {
                ("`true`, `false` or an array of strings", Some(self.kind))
            }
            key if key.starts_with("expect.stdout") => {
                let choices =
                    r#"`"anything"`, `"same"`, `{ contains = "text" }` or `{ file = "path" }`"#;
                (choices, None)
            }
            key if key.starts_with("parameters.") && !message.starts_with("invalid type") => {
                ("a number or a string", Some(self.kind))
            }
            _ => match message.rsplit_once(", expected ").map_or(message, |(_, expected)| expected)
            {
                "a boolean" => ("`true` or `false`", found),
                WARMUPS => (WARMUPS, Some(self.kind)),
                "a map" => ("a table", found),
                "a nonzero u32" => ("a whole number from 1 to 4294967295", found),
                "a sequence" => return Mistake::NoList { key, found },
                "u8" => ("a whole number from 0 to 255", found),
                table if table.starts_with("struct ") => ("a table", found),
                other => (other, found),
            },
        };
        Mistake::WrongType { expected: expected.to_owned(), key, found }
    }
}
