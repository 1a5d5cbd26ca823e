//! Commands, one a line, and what they add up to.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipeCommand {
    /// `count NAME [NUMBER]`: add to a name.
    Count(String, i64),
    /// `quit`: end the helper.
    Quit,
    /// `report`: print all totals now.
    Report,
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipeCommandError {
    /// The number of `count` is none.
    #[error("`{0}` is not a whole number")]
    Number(String),
    /// `count` without a name.
    #[error("`count` needs a name")]
    Name,
    /// Words behind a whole command.
    #[error("`{0}` is one word too many")]
    Rest(String),
    /// An unknown first word.
    #[error("`{0}` is no command: count, report or quit")]
    Unknown(String),
}

impl FromStr for PipeCommand {
    type Err = PipeCommandError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let mut words = line.split_whitespace();
        let command = match words.next().unwrap_or_default() {
            "count" => {
                let name = words.next().ok_or(PipeCommandError::Name)?.to_owned();
                let number = words.next().map_or(Ok(1), |word| {
                    word.parse().map_err(|_| PipeCommandError::Number(word.to_owned()))
                })?;
                Self::Count(name, number)
            }
            "quit" => Self::Quit,
            "report" => Self::Report,
            other => return Err(PipeCommandError::Unknown(other.to_owned())),
        };
        words.next().map_or(Ok(command), |word| Err(PipeCommandError::Rest(word.to_owned())))
    }
}

/// A total for each name. Totals stay at the largest number instead of overflowing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<String, i64>);

impl Tally {
    /// Adds to a name.
    pub fn add(&mut self, name: &str, number: i64) {
        let total = self.0.entry(name.to_owned()).or_default();
        *total = total.saturating_add(number);
    }

    /// The total of a name, 0 if it was never counted.
    #[must_use]
    pub fn total(&self, name: &str) -> i64 {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// A line for each name, in their order.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, total)| writeln!(f, "{name} {total}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_say_why_not() {
        let parse = |line: &str| line.parse::<PipeCommand>();
        let error = |line: &str| parse(line).map_err(|error| error.to_string()).unwrap_err();
        assert_eq!(parse("count a"), Ok(PipeCommand::Count("a".to_owned(), 1)));
        assert_eq!(parse(" count  a  -5 "), Ok(PipeCommand::Count("a".to_owned(), -5)));
        assert_eq!(parse("quit"), Ok(PipeCommand::Quit));
        assert_eq!(error("count"), "`count` needs a name");
        assert_eq!(error("count a 1.5"), "`1.5` is not a whole number");
        assert_eq!(error("quit now"), "`now` is one word too many");
        assert_eq!(error("add a"), "`add` is no command: count, report or quit");
    }

    #[test]
    fn totals_are_sums_and_do_not_overflow() {
        let mut tally = Tally::default();
        tally.add("b", 2);
        tally.add("a", i64::MAX);
        tally.add("a", 1);
        tally.add("b", -3);
        assert_eq!(tally.to_string(), format!("a {}\nb -1\n", i64::MAX));
        assert_eq!(tally.total("none"), 0);
    }
}
