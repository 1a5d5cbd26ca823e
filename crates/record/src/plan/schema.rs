//! The JSON Schema of `tacho.toml`, made from the types that read it.
//!
//! Editors use the copy in `docs/tacho.schema.json`, which a test keeps fresh; `keys` learns from
//! it which keys there are. Draft 7 and without references, because that is what TOML editors
//! understand.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::Value;

use super::file::PlanFile;

/// The schema as data.
pub(super) static TREE: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema =
        settings.with_transform(without_null).into_generator().into_root_schema_for::<PlanFile>();
    schema.insert("title".into(), "tacho.toml".into());
    schema.to_value()
});

/// The JSON Schema of `tacho.toml`, for editors: indented, with keys in a stable order and a final
/// line feed.
#[must_use]
pub fn schema() -> String {
    format!("{:#}\n", *TREE)
}

/// Removes `null` from the types of optional keys: TOML has no such value.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.ensure_object().entry(key).or_insert(value);
            }
        }
    }
    transform_subschemas(&mut without_null, schema);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_committed_schema_is_fresh() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tacho.schema.json");
        if std::env::var_os("TACHO_BLESS").is_some_and(|bless| bless == "1") {
            std::fs::write(&path, schema()).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed.parse::<Value>().is_ok_and(|committed| committed == *TREE),
            "docs/tacho.schema.json is stale: renew it with `TACHO_BLESS=1 cargo test -p \
             tacho-record`"
        );
    }

    #[test]
    fn nothing_in_it_may_be_null() {
        fn nullable(node: &Value) -> bool {
            match node {
                Value::Null => true,
                Value::Array(items) => items.iter().any(nullable),
                Value::Object(keys) => {
                    let of_type = |kinds: &Value| {
                        kinds == "null"
                            || kinds.as_array().is_some_and(|kinds| kinds.contains(&"null".into()))
                    };
                    keys.get("type").is_some_and(of_type) || keys.values().any(nullable)
                }
                _ => false,
            }
        }
        assert!(!nullable(&TREE), "{}", schema());
    }
}
