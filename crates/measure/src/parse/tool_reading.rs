//! The choice of a benchmark in a tool's report.

use std::collections::HashSet;

use tacho_record::{LimitedExecutions, first_of};

use super::number::short;

/// Something that a tool measured.
pub(super) struct ToolReading {
    /// Its possible names; the first name distinguishes it from all others.
    pub names: Vec<String>,
    /// Its values, or why they cannot be used.
    pub values: Result<Vec<f64>, String>,
    /// Executions beside these that reached a limit.
    pub limited: LimitedExecutions,
}

impl ToolReading {
    /// One of which all values are known.
    pub fn new(names: Vec<String>, values: Result<Vec<f64>, String>) -> Self {
        Self { names, values, limited: LimitedExecutions::default() }
    }

    /// Its values, where that is all of them: to leave out what reached a limit would judge by the
    /// others.
    fn whole(self) -> Result<Vec<f64>, String> {
        match self.limited.count {
            0 => self.values,
            limited => Err(format!(
                "{limited} of its executions reached a limit, so their real times are unknown"
            )),
        }
    }
}

/// At most this many names are listed in a message.
const LISTED: usize = 5;

/// The values of the benchmark with this name; without a name, of the only one.
///
/// Things of the same first name are the same one, measured several times.
pub(super) fn choose(things: Vec<ToolReading>, name: &str) -> Result<Vec<f64>, String> {
    let all: Vec<String> = first_names(&things);
    let chosen: Vec<ToolReading> = things
        .into_iter()
        .filter(|thing| name.is_empty() || thing.names.iter().any(|n| n == name))
        .collect();
    match (first_names(&chosen).as_slice(), name) {
        ([_], _) => {
            let values: Result<Vec<Vec<f64>>, String> =
                chosen.into_iter().map(ToolReading::whole).collect();
            Ok(values?.concat())
        }
        ([], _) if all.is_empty() => Err("it reports nothing".to_owned()),
        ([], _) => Err(format!("nothing is called `{}`; there is {}", short(name), list(&all))),
        (several, "") => {
            Err(format!("several things are reported, so one must be named: {}", list(several)))
        }
        (several, _) => Err(format!("`{}` could be {}", short(name), list(several))),
    }
}

/// The first names, each once.
fn first_names(things: &[ToolReading]) -> Vec<String> {
    let mut seen = HashSet::new();
    let names = things.iter().filter_map(|thing| thing.names.first());
    names.filter(|name| seen.insert(*name)).cloned().collect()
}

fn list(names: &[String]) -> String {
    first_of(names.iter().map(|name| format!("`{}`", short(name))), LISTED)
}
