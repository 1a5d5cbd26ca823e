//! Regular expressions: the first group of each match. Syntax:
//! <https://docs.rs/regex/latest/regex/#syntax>.

use regex::{Regex, RegexBuilder};

use super::number::NumberScale;

/// The compiled pattern; `^` and `$` are the ends of a line, as people who look at output expect.
pub(super) fn compile(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).multi_line(true).build().ok()
}

/// The first groups of all matches.
pub(super) fn values(
    text: &str,
    regex: Option<&Regex>,
    scale: &NumberScale,
) -> Result<Vec<f64>, String> {
    let regex = regex.ok_or("its pattern is not a regular expression")?;
    let groups = regex.captures_iter(text).filter_map(|captures| captures.get(1));
    let values: Vec<f64> =
        groups.map(|group| scale.read(group.as_str())).collect::<Result<_, _>>()?;
    if values.is_empty() {
        Err(format!("nothing matches `{}`", regex.as_str()))
    } else {
        Ok(values)
    }
}
