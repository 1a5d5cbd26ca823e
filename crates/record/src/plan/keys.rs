//! The keys that a plan may have, those it must have, and the likely meaning of unknown ones.
//!
//! The lists come from the schema, and so from the types in `file`: there is no second one to keep
//! in step.

use std::ops::Range;

use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{LocatedMistake, Mistake};
use super::schema::TREE;
use crate::in_backticks;

/// The title of the outermost table in messages.
const ROOT: &str = "the plan";

/// Takes out of a plan all keys that do not exist, and says which these are and which others are
/// missing.
///
/// A key is not called missing where an unknown one probably means it.
pub(super) fn prune(root: &mut DeTable<'_>) -> Vec<LocatedMistake> {
    let mut found = Vec::new();
    prune_table(root, 0..0, &TREE, ROOT, &mut found);
    found
}

/// The same for a file that holds quirks and nothing else.
pub(super) fn prune_quirks(root: &mut DeTable<'_>) -> Vec<LocatedMistake> {
    let mut found = Vec::new();
    let node = json!({ "properties": { "quirk": TREE["properties"]["quirk"] } });
    prune_table(root, 0..0, &node, ROOT, &mut found);
    found
}

/// The keys that such a table must have.
pub(super) fn required(node: &Value) -> impl Iterator<Item = &str> {
    node["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The word among those known that is spelled most like this one, if any is close.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |known: &'a str| {
        let limit = (known.len().max(word.len()) / 3).max(1);
        // A word much longer is never close, and may be as long as the file.
        let near = word.len() <= 2 * known.len() + 1;
        let distance =
            near.then(|| strsim::osa_distance(&word.to_lowercase(), &known.to_lowercase()))?;
        (distance <= limit && distance < known.len()).then_some((distance, known))
    };
    known.into_iter().filter_map(distance).min().map(|(_, known)| known)
}

/// The word among those known that differs from this one by so little that it must have been meant:
/// by at most two letters, and by less than half of its own.
pub(super) fn misspelt<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let distance = |known: &'a str| {
        // Code may have long words.
        let distance =
            (word.len() <= known.len() + 2).then(|| strsim::osa_distance(word, known))?;
        (distance <= 2 && 2 * distance < known.len()).then_some((distance, known))
    };
    known.into_iter().filter_map(distance).min().map(|(_, known)| known)
}

fn prune_table(
    table: &mut DeTable<'_>,
    span: Range<usize>,
    node: &Value,
    title: &str,
    found: &mut Vec<LocatedMistake>,
) {
    let mut meant = Vec::new();
    let mut unknown = Vec::new();
    for (key, value) in table.iter_mut() {
        let name: &str = key.get_ref();
        if let Some(inner) = node["properties"].get(name) {
            prune_value(value, inner, &title_of(name, inner, title), found);
        } else {
            let (hint, guess) = advice(name, node, title);
            meant.extend(guess);
            let mistake =
                Mistake::UnknownKey { key: name.to_owned(), table: title.to_owned(), hint };
            found.push((key.span(), mistake));
            unknown.push(name.to_owned());
        }
    }
    for key in unknown {
        table.remove(key.as_str());
    }
    for key in required(node).filter(|key| !table.contains_key(*key) && !meant.contains(key)) {
        let mistake = if title == ROOT {
            Mistake::EmptyPlan
        } else {
            Mistake::Missing { key: key.to_owned(), table: title.to_owned() }
        };
        found.push((span.clone(), mistake));
    }
}

fn prune_value(
    value: &mut Spanned<DeValue<'_>>,
    node: &Value,
    title: &str,
    found: &mut Vec<LocatedMistake>,
) {
    let span = value.span();
    match (value.get_mut(), table_of(node), node.get("items")) {
        (DeValue::Table(table), Some(node), _) => prune_table(table, span, node, title, found),
        (DeValue::Array(items), _, Some(node)) => {
            for item in items.iter_mut() {
                prune_value(item, node, title, found);
            }
        }
        _ => {}
    }
}

/// The schema of a table, whether the value must be a table or may be one.
fn table_of(node: &Value) -> Option<&Value> {
    let kinds = node["anyOf"].as_array().map_or(std::slice::from_ref(node), Vec::as_slice);
    kinds.iter().find(|kind| kind.get("properties").is_some())
}

/// How messages call the table that a key holds: `[subject]`, `[[benchmark]]`, `expect`.
fn title_of(key: &str, node: &Value, parent: &str) -> String {
    if parent != ROOT {
        format!("`{key}`")
    } else if node.get("items").is_some() {
        format!("`[[{key}]]`")
    } else {
        format!("`[{key}]`")
    }
}

/// The advice about an unknown key, and the key of the same table that was probably meant.
fn advice<'a>(key: &str, node: &'a Value, title: &str) -> (String, Option<&'a str>) {
    if let Some(said) = of_expect(key, title) {
        return (said, None);
    }
    let mut everywhere = Vec::new();
    collect(&TREE, ROOT, &mut everywhere);
    // Keys of quirks mostly belong to another table first, so `[[quirk]]` comes last.
    everywhere.sort_by_key(|(table, _)| table.contains("quirk"));
    if let Some((table, _)) = everywhere.iter().find(|(_, known)| *known == key) {
        // A key that holds a table has keys of its own in the lists.
        let header = header_of(key, &Value::Null, table);
        let is_table = table != ROOT && everywhere.iter().any(|(inner, _)| *inner == header);
        let written = if is_table { format!(", as {header}") } else { String::new() };
        return (format!("`{key}` belongs in {table}{written}"), None);
    }
    if let Some(guess) = nearest(key, keys(node)) {
        let meant = if title == ROOT {
            title_of(guess, &node["properties"][guess], ROOT)
        } else {
            format!("`{guess}`")
        };
        return (format!("did you mean {meant}?"), Some(guess));
    }
    if let Some(guess) = nearest(key, everywhere.iter().map(|(_, known)| *known)) {
        let table =
            everywhere.iter().find(|(_, known)| *known == guess).map_or(ROOT, |(table, _)| table);
        return (format!("did you mean `{guess}` in {table}?"), None);
    }
    (format!("valid keys: {}", in_backticks(keys(node))), None)
}

/// The place of a key that states an expectation of the output or of the exit status.
fn of_expect(key: &str, title: &str) -> Option<String> {
    match (key, title) {
        ("contains", _) | ("file" | "text" | "output", "`expect`") => {
            let inner = if key == "file" { r#"file = "path""# } else { r#"contains = "text""# };
            let key = if key == "file" { "file" } else { "contains" };
            Some(format!("`{key}` belongs into `stdout`: `expect = {{ stdout = {{ {inner} }} }}`"))
        }
        ("exit-code" | "exit-status" | "code" | "status", "`expect`") => {
            Some("did you mean `exit`?".to_owned())
        }
        _ => None,
    }
}

/// The keys that such a table may have.
fn keys(node: &Value) -> impl Iterator<Item = &str> {
    node["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str())
}

/// How a plan writes the table that a key of another table holds: `[benchmark.conditions]`.
fn header_of(key: &str, node: &Value, parent: &str) -> String {
    if parent == ROOT {
        return title_of(key, node, parent);
    }
    let path = format!("{}.{key}", parent.trim_matches(['`', '[', ']']));
    title_of(&path, node, ROOT)
}

/// All keys of all tables, each with the header of its table.
fn collect<'a>(node: &'a Value, title: &str, everywhere: &mut Vec<(String, &'a str)>) {
    for key in keys(node) {
        everywhere.push((title.to_owned(), key));
        let inner = &node["properties"][key];
        if let Some(table) = table_of(inner.get("items").unwrap_or(inner)) {
            collect(table, &header_of(key, inner, title), everywhere);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_close_or_none() {
        let known = ["build", "build-timeout", "name", "sys"];
        assert_eq!(nearest("biuld", known), Some("build"));
        assert_eq!(nearest("build_timeout", known), Some("build-timeout"));
        assert_eq!(nearest("Name", known), Some("name"));
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest(&"build".repeat(100_000), known), None);
    }

    #[test]
    fn a_short_word_is_misspelt_only_by_a_letter() {
        let known = ["jobs", "n", "release", "revision"];
        for (word, meant) in
            [("job", "jobs"), ("jbos", "jobs"), ("relase", "release"), ("rlase", "release")]
        {
            assert_eq!(misspelt(word, known), Some(meant));
        }
        for word in ["m", "nn", "print", "next", "jo", "JOBS", "rel", &"n".repeat(100_000)] {
            assert_eq!(misspelt(word, known), None, "{word}");
        }
    }

    #[test]
    fn what_is_expected_of_the_output_belongs_into_stdout() {
        let said = |key: &str, title: &str| of_expect(key, title);
        let contains =
            "`contains` belongs into `stdout`: `expect = { stdout = { contains = \"text\" } }`";
        assert_eq!(said("contains", "`expect`").as_deref(), Some(contains));
        assert_eq!(said("contains", "`[[benchmark]]`").as_deref(), Some(contains));
        assert!(said("file", "`expect`").unwrap().ends_with("{ stdout = { file = \"path\" } }`"));
        assert_eq!(said("exit-code", "`expect`").as_deref(), Some("did you mean `exit`?"));
        assert_eq!(said("file", "`metrics`"), None);
    }

    #[test]
    fn the_schema_knows_the_keys_of_every_table() {
        let mut everywhere = Vec::new();
        collect(&TREE, ROOT, &mut everywhere);
        for wanted in [
            (ROOT, "benchmark"),
            ("`[subject]`", "releases-from"),
            ("`[measure]`", "link"),
            ("`[measure]`", "cache-limit"),
            ("`[[benchmark]]`", "command"),
            ("`[benchmark.expect]`", "stdout"),
            ("`[[benchmark.metrics]]`", "better"),
        ] {
            assert!(
                everywhere.iter().any(|(table, key)| (table.as_str(), *key) == wanted),
                "{wanted:?}"
            );
        }
        let benchmark = &TREE["properties"]["benchmark"]["items"];
        let hint = advice("conditions", &TREE, ROOT).0;
        assert_eq!(hint, "`conditions` belongs in `[[benchmark]]`, as `[benchmark.conditions]`");
        assert_eq!(required(benchmark).collect::<Vec<_>>(), ["name", "command"]);
    }
}
