//! Tables with a head and separators (RFC 4180): the cells below one head.

use super::number::{NumberScale, short};

/// The cells of that column. The separator is the first of comma, semicolon and tab with which the
/// head has it.
pub(super) fn values(text: &str, column: &str, scale: &NumberScale) -> Result<Vec<f64>, String> {
    for separator in [b',', b';', b'\t'] {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(|error| format!("it is not CSV: {error}"))?;
        let Some(index) = head.iter().position(|name| name == column) else { continue };
        let mut values = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| format!("it is not CSV: {error}"))?;
            values.push(scale.read(row.get(index).unwrap_or(""))?);
        }
        return Ok(values);
    }
    let head = text.lines().next().unwrap_or("");
    Err(format!("there is no column `{column}` in `{}`", short(head)))
}
