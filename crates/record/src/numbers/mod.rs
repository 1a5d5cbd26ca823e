//! Numbers of any origin: series in a JSON or CSV file that no plan and no store knows of.
//!
//! [`parse`] finds out which of the two it is and reads it; `docs/src/formats` describes both.
//! Every fault is an error that names its place; only the parts that [`Numbers::left_out`] names
//! are skipped.

mod columns;
mod error;
mod given;
mod json;
mod node;
mod origins;
mod table;
#[cfg(test)]
mod tests;

use crate::{Direction, is_shown, shown_name};

pub use error::NumbersError;
pub(crate) use given::SampleOrigin;
pub use given::{GivenPoint, GivenSeries, MergedRows, Numbers, NumbersShape};

/// Reads a file of numbers; `better` is the direction if the file gives none. Without both, lower
/// is better, unless a name or unit is a rate ([`RateHint`](crate::RateHint)).
///
/// JSON begins with `{` or `[`; anything else is CSV with a header.
pub fn parse(bytes: &[u8], better: Option<Direction>) -> Result<Numbers, NumbersError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| NumbersError::NotText {
        line: bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count(),
    })?;
    let numbers = match text.trim_start().chars().next() {
        None => Err(NumbersError::Empty),
        Some('{' | '[') => json::parse(text, better),
        Some(_) => table::parse(text, better),
    }?;
    Ok(with_shown_names(numbers))
}

/// Names and labels are printed as they are, to terminals too.
fn with_shown_names(mut numbers: Numbers) -> Numbers {
    for series in &mut numbers.series {
        series.name = series.name.as_deref().map(shown_name);
        for label in series.points.iter_mut().filter_map(|point| point.label.as_mut()) {
            if !label.chars().all(is_shown) {
                *label = shown_name(label).into();
            }
        }
    }
    numbers
}
