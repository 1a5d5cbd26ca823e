//! The errors of a file of numbers, in words.

/// Why a file of numbers is not understood. Lines and columns count from 1, indices in JSON from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumbersError {
    /// A CSV cell is not what its column holds.
    #[error("line {line}, column `{column}`: `{text}` is not {wanted}")]
    Cell {
        /// Its line.
        line: u64,
        /// Its column's name.
        column: String,
        /// The text found, shortened.
        text: String,
        /// The expected form.
        wanted: &'static str,
    },
    /// The header cannot be understood.
    #[error("the header has {why}")]
    Header {
        /// The reason.
        why: String,
    },
    /// The file is empty.
    #[error("the input is empty")]
    Empty,
    /// The file is not valid JSON; the message has the position.
    #[error("it begins like JSON, but is not valid JSON: {why}")]
    Json {
        /// The parser's words, with line and column.
        why: String,
    },
    /// Two lists that belong together are not equally long.
    #[error("`{path}` has {found}, and `{other}` {wanted}")]
    Length {
        /// The one.
        path: String,
        /// How many entries it has.
        found: usize,
        /// The other.
        other: &'static str,
        /// How many that has.
        wanted: usize,
    },
    /// Something that every series has is not there.
    #[error("`{path}` has no {what}")]
    Missing {
        /// The place in JSON.
        path: String,
        /// What is missing.
        what: &'static str,
    },
    /// The file is CSV without a column of numbers.
    #[error("no column has numbers below its name")]
    NoNumbers,
    /// The file is JSON without a series.
    #[error("the input has no series")]
    NoSeries,
    /// Series share more tags than memory would hold.
    #[error("`tags` beside `series` gives {tags} tags to all series; the limit is {most}")]
    TooManyTags {
        /// The tags of one series, times the number of series.
        tags: usize,
        /// The limit.
        most: usize,
    },
    /// The file is not UTF-8.
    #[error("line {line} is not UTF-8 text")]
    NotText {
        /// The first line that is not.
        line: usize,
    },
    /// A row has more or fewer cells than the header.
    #[error(
        "line {line} has {found} cell{}, and the header {wanted}",
        if *.found == 1 { "" } else { "s" }
    )]
    Row {
        /// Its line.
        line: u64,
        /// How many it has.
        found: u64,
        /// How many it should have.
        wanted: u64,
    },
    /// A point has an array of values where it should have one.
    #[error("`{path}` is an array, not a number or null")]
    SeveralValues {
        /// The place, as `series.parse.values[17]`.
        path: String,
    },
    /// Two samples of a point that are of one round.
    #[error(
        "`{path}` gives two samples of one point the same round; each sample of a point needs its \
         own round"
    )]
    SameRound {
        /// The path within the document.
        path: String,
    },
    /// Two series have one name.
    #[error("there are two series `{name}`")]
    Twice {
        /// The name.
        name: String,
    },
    /// A key that is nearly one that is known.
    #[error("unknown key `{path}`")]
    UnknownKey {
        /// Its place.
        path: String,
        /// The known one.
        nearest: &'static str,
    },
    /// A place in JSON holds something else than it should.
    #[error("`{path}` is {found}, not {wanted}")]
    Wrong {
        /// The place, as `series.parse.values[17]`.
        path: String,
        /// The value found.
        found: String,
        /// The expected form.
        wanted: &'static str,
    },
}

const SIMPLEST: &str = r#"{"values": [5.1, 5.2, 5.0], "better": "lower"}"#;
const SAMPLES: &str = r#"{"samples": [[5.1, 5.2], [5.0, 5.3]]}"#;

impl NumbersError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Cell { column, .. } if column.eq_ignore_ascii_case("better") => None,
            Self::Cell { text, .. } if has_thousands(text) => {
                Some(format!("leave out the separators: `{}`", text.replace(',', "")))
            }
            Self::Cell { text, .. } if text.contains(',') => {
                Some("decimals are written with a point".to_owned())
            }
            Self::Cell { text, .. } if has_unit(text) => {
                Some("write only the number; the column's name may have the unit".to_owned())
            }
            Self::Cell { .. } => Some("a gap is an empty cell, or `NaN`".to_owned()),
            Self::Empty | Self::NoSeries | Self::Missing { .. } => {
                Some(format!("the simplest input is `{SIMPLEST}`"))
            }
            Self::Header { .. } | Self::NoNumbers => {
                Some("the first line names the columns: `commit,parse,load`".to_owned())
            }
            Self::SameRound { .. } => {
                Some("number the samples of each point: `[[1, 2], [1, 2]]`".to_owned())
            }
            Self::TooManyTags { .. } => {
                Some("put tags into the series that they belong to".to_owned())
            }
            Self::UnknownKey { nearest, .. } => Some(format!("did you mean `{nearest}`?")),
            Self::NotText { .. } => {
                Some("save it as UTF-8: a spreadsheet may have written UTF-16".to_owned())
            }
            Self::SeveralValues { .. } => {
                Some(format!("several values of a point are `samples`: `{SAMPLES}`"))
            }
            Self::Json { .. }
            | Self::Length { .. }
            | Self::Row { .. }
            | Self::Twice { .. }
            | Self::Wrong { .. } => None,
        }
    }
}

/// Whether a text is a number with a unit behind it.
pub(super) fn has_unit(text: &str) -> bool {
    let end = text.rfind(|c: char| c.is_ascii_digit()).map_or(0, |last| last + 1);
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let is_unit =
        !unit.starts_with(['-', '.', '_', ':']) && !unit.is_empty() && unit.chars().count() <= 8;
    is_unit && number.parse::<f64>().is_ok()
}

/// Whether a text is a number with its thousands set apart by commas, and not one with a decimal
/// comma: `10,050.12`, `1,207,000`.
pub(super) fn has_thousands(text: &str) -> bool {
    let (whole, decimals) =
        text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut groups = whole.strip_prefix('-').unwrap_or(whole).split(',');
    let is_digits =
        |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|group| group.len() <= 3 && is_digits(group));
    let rest: Vec<&str> = groups.collect();
    let is_whole = first && rest.iter().all(|group| group.len() == 3 && is_digits(group));
    // `1,207` may be either.
    let is_clear = rest.len() > 1 || rest.len() == 1 && decimals.is_some();
    is_whole && is_clear && decimals.is_none_or(|digits| digits.is_empty() || is_digits(digits))
}

/// The beginning of a text, fit for a message of one line.
pub(super) fn short(text: &str) -> String {
    let mut shown: String =
        text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}
