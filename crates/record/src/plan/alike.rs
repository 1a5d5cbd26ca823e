//! Whether values of a benchmark in two plans can be shown together: both must execute the same
//! command in the same way.

use serde_json::Value;

use super::Benchmark;

/// The keys that decide what is executed; [`PARTS`] has the keys of its parts and surroundings.
const WHAT: [&str; 6] = ["command", "shell", "companion", "directory", "stdin", "output"];
/// Tables of keys that each matter.
const PARTS: [&str; 3] = ["hooks", "conditions", "limits"];

impl Benchmark {
    /// The keys in which another plan's benchmark executes something else, or in another way;
    /// empty: their values mean the same.
    ///
    /// Names, versions, values of parameters, expectations and metrics are not looked at.
    #[must_use]
    pub fn executes_otherwise(&self, other: &Self) -> Vec<String> {
        // Only a number that JSON cannot write has no value, and plans refuse those.
        let [one, other] = [self, other].map(|it| serde_json::to_value(it).unwrap_or_default());
        let keys =
            WHAT.iter().filter(|key| one[**key] != other[**key]).map(|key| (*key).to_owned());
        keys.chain(PARTS.iter().flat_map(|part| differing(&one[*part], &other[*part]))).collect()
    }
}

fn differing(one: &Value, other: &Value) -> Vec<String> {
    let keys = one.as_object().into_iter().flat_map(|all| all.keys());
    keys.filter(|key| one[*key] != other[*key]).map(|key| key.replace('_', "-")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn what_changes_an_execution_is_named() {
        let plan = |lines: &str| {
            let text = format!(
                "[subject]\nbuild = 'make'\nartifacts = ['p']\n[[benchmark]]\nname = 'b'\n{lines}"
            );
            parse(&text, "tacho.toml").unwrap().benchmarks.remove(0)
        };
        let one = plan("command = 'p 1'\n");
        assert!(one.executes_otherwise(&one).is_empty());
        let graded = plan("command = 'p 1'\nversion = 2\nmetrics = ['cpu']\n");
        assert!(one.executes_otherwise(&graded).is_empty(), "values mean the same");
        let other = plan(
            "command = 'p 2'\nprepare = 'true'\nconditions = { nice = 5 }\nlimits = { memory = \
             '1GiB' }\n",
        );
        assert_eq!(one.executes_otherwise(&other), ["command", "prepare", "nice", "memory"]);
        assert_eq!(other.executes_otherwise(&one), one.executes_otherwise(&other));
    }
}
