//! Lines `NAME=VALUE` or `NAME: VALUE`, as shells, `/proc` and many programs print them.

use super::number::NumberScale;

/// The values of all lines with that name.
pub(super) fn values(text: &str, name: &str, scale: &NumberScale) -> Result<Vec<f64>, String> {
    let value = |line: &'_ str| -> Option<String> {
        let rest = line.trim_start().strip_prefix(name)?.trim_start();
        Some(rest.strip_prefix(['=', ':'])?.to_owned())
    };
    let values: Vec<f64> =
        text.lines().filter_map(value).map(|text| scale.read(&text)).collect::<Result<_, _>>()?;
    if values.is_empty() {
        Err(format!("no line begins with `{name}=` or `{name}:`"))
    } else {
        Ok(values)
    }
}
