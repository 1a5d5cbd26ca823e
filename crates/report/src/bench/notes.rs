//! The notes beside the numbers of commands: how they were executed, which failed, and which
//! samples are outliers.

use std::collections::BTreeMap;

use tacho_record::{Cgroup, Conditions, Failure, Inherit, Limit, Limits, Rule};
use tacho_stats::compare::{ChoiceReason, Comparison, EstimatorChoice};

use crate::block::AnswerNote;
use crate::comparison::clauses;
use crate::series::{self, outlier};
use crate::words::{count, duration, grouped};

/// How many outliers of a command are listed with their causes.
const OUTLIERS: usize = 3;
/// The status of a shell that did not find the program.
const NOT_FOUND: i32 = 127;

/// An outlier.
#[derive(Clone, Debug)]
pub struct FarSample {
    /// The round that it was in.
    pub round: u32,
    /// Its value by the median.
    pub ratio: f64,
    /// The possible causes, in words.
    pub causes: String,
    /// The kind of the likeliest cause; `None` if no reading explains it.
    pub kind: Option<&'static str>,
}

/// Says that the budget ended measuring after this many rounds. `None` if something else ended it,
/// or if a precision was requested, whose own words say it.
#[must_use]
pub fn spent_budget(rule: &Rule, rounds: usize) -> Option<String> {
    let budget = rule.budget.filter(|_| rule.precision.is_none())?;
    let is_ended = rounds < rule.max_rounds as usize;
    is_ended.then(|| {
        format!(
            "the budget of {} ended measuring after {}",
            duration(budget),
            count(rounds, "round")
        )
    })
}

/// The hint for a command that exits with a status that means failure.
#[must_use]
pub fn status_hint(code: i32) -> String {
    format!("`-i` accepts any exit status, `-i={code}` only 0 and {code}")
}

/// Says how many executions of a command exited with another status than 0, which `-i` accepted;
/// `None` if none did.
#[must_use]
pub fn accepted_failures([number, executions]: [usize; 2]) -> Option<String> {
    (number > 0).then(|| {
        format!("{number} of {} exited with another status than 0", count(executions, "execution"))
    })
}

/// Says that two commands were executed at the same time, on these processors.
#[must_use]
pub fn duet([first, second]: [u32; 2]) -> String {
    format!("executed at the same time on processors {first} and {second}, swapped each round")
}

/// The addition about the range beside times at the host's usual speed.
const RANGE: &str = ", min and max as measured";

/// How uneven the host was by these comparisons, and what it would have cost most not to see that;
/// where times are those at its usual speed, that they are, and by what share it moved.
/// `has_range`: min and max are shown beside the times.
#[must_use]
pub fn host_speed<'a>(
    compared: impl Iterator<Item = &'a Comparison>,
    uneven: Option<f64>,
    has_range: bool,
) -> Option<String> {
    let range = if has_range { RANGE } else { "" };
    let choices: Vec<EstimatorChoice> = compared.map(|it| it.choice).collect();
    let is_mixed = choices.iter().any(|it| it.because != choices[0].because);
    let moved = choices.into_iter().filter(|it| clauses::uneven(it).is_some());
    let gain = |it: &EstimatorChoice| it.gain.unwrap_or(0.0);
    let most = moved.max_by(|one, other| gain(one).total_cmp(&gain(other)));
    // If each ratio has a reason of its own, only the movement is common to all.
    let most = most.map(|it| {
        if is_mixed {
            EstimatorChoice { because: ChoiceReason::Levels, gain: None, ..it }
        } else {
            it
        }
    });
    match (most.and_then(|it| clauses::uneven(&it)), series::uneven(uneven, "times")) {
        (Some(line), Some(_)) => {
            Some(format!("{line}; times are corrected to the host's usual speed{range}"))
        }
        (line, usual) => usual.map(|it| it + range).or(line),
    }
}

/// Says that `-v` shows the omitted notes; the outliers come first.
#[must_use]
pub fn left_out(outliers: Option<String>, notes: usize) -> Option<String> {
    match (outliers, notes) {
        (None, 0) => None,
        (None, _) => Some(format!("`-v` shows {}", count(notes, "more note"))),
        (Some(outliers), 0) => Some(format!("{outliers} (`-v` lists them)")),
        (Some(outliers), _) => Some(format!("{outliers} (`-v`: {})", count(notes, "more note"))),
    }
}

/// How commands were executed, where that was requested: `executed on processors 2, with niceness
/// 5`.
#[must_use]
pub fn conditions(of: &Conditions, limits: &Limits) -> Option<String> {
    let Conditions { cpus, nice, aslr, cold, cgroup, inherit, random_environment, .. } = of;
    let amounts = limits.amounts();
    let words = [
        cpus.as_ref().map(|cpus| format!("on processors {cpus}")),
        nice.map(|nice| format!("with niceness {nice}")),
        (*aslr == Some(false)).then(|| "at the same addresses each time".to_owned()),
        cold.then(|| "with the file cache dropped".to_owned()),
        (*cgroup == Cgroup::Always).then(|| "in control groups".to_owned()),
        (*inherit != Inherit::All).then(|| "in a clean environment".to_owned()),
        (!random_environment).then(|| "with nothing added to the environment".to_owned()),
        (!amounts.is_empty()).then(|| format!("with at most {}", amounts.join(" and "))),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("executed {}", words.join(", ")))
}

/// Why columns are empty that all commands have, by why their metrics are absent.
#[must_use]
pub fn unaccounted(absent: &BTreeMap<String, String>) -> Option<String> {
    let (what, why) = match (absent.get("cpu"), absent.get("user")) {
        (Some(why), _) => ("user, sys, CPU and memory", why),
        (None, Some(why)) => ("user, sys and memory", why),
        (None, None) => return None,
    };
    Some(format!("{what} are {why}"))
}

/// Why a counter is absent.
#[must_use]
pub fn uncounted(counter: &str, why: &str) -> String {
    format!("no {counter}: {why}")
}

/// All outliers in one line, with their most frequent cause.
#[must_use]
pub fn outliers(all: &[FarSample]) -> Option<String> {
    let mut kinds: Vec<(usize, &str)> = Vec::new();
    for kind in all.iter().filter_map(|it| it.kind) {
        match kinds.iter_mut().find(|(_, known)| *known == kind) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, kind)),
        }
    }
    let cause = match kinds.into_iter().max_by_key(|(count, _)| *count) {
        None => "no cause seen".to_owned(),
        Some((count, kind)) if count == all.len() => kind.to_owned(),
        Some((count, kind)) => format!("{} of them {kind}", grouped(count)),
    };
    (!all.is_empty()).then(|| format!("{}, {cause}", count(all.len(), "outlier")))
}

/// The outliers of a command, the farthest first: a line, and the lines below it.
#[must_use]
pub fn outliers_of(name: &str, far: &[FarSample]) -> Option<(String, Vec<String>)> {
    let line = |it: &FarSample| outlier(it.round, it.ratio, &it.causes);
    match far {
        [] => None,
        [one] => Some((format!("`{name}`: 1 outlier, {}", line(one)), Vec::new())),
        _ => {
            let number = count(far.len(), "outlier");
            let lines = far.iter().take(OUTLIERS).map(line).collect();
            Some((format!("`{name}`: {number}, the farthest:"), lines))
        }
    }
}

/// Says that nothing shows that a command works below this limit, with advice.
#[must_use]
pub fn refusal(name: &str, refused: Limit) -> Option<[AnswerNote; 2]> {
    let option = match refused {
        Limit::AddressSpace => "--limit-address-space",
        Limit::Memory => "--limit-memory",
        Limit::CpuTime => return None,
    };
    let what = "all executions reached the limit, which may be too low for the command";
    Some([
        AnswerNote::warning(format!("`{name}`: {what}")),
        AnswerNote::hint(format!("`{option}` sets a higher limit")),
    ])
}

/// How this number of executions of a command failed, with the first failure.
#[must_use]
pub fn failure(name: &str, number: usize, first: &Failure) -> String {
    let why = first.line();
    if matches!(first, Failure::Setup { .. }) {
        format!("`{name}`: not executed: {why}")
    } else {
        format!("`{name}`: {} failed; the first: {why}", count(number, "execution"))
    }
}

/// The meaning of a failure's status if readers may not know it, or what the command lacks.
#[must_use]
pub fn failure_hint(failure: &Failure, command: &str) -> Option<String> {
    if let Some(name) = unfilled(command) {
        return Some(format!(
            "`{{{name}}}` has no value: `-L {name} 1,2` executes the command with each value"
        ));
    }
    (*failure == Failure::Exit { code: NOT_FOUND })
        .then(|| "a shell exits with 127 if it does not find the program".to_owned())
}

/// The name of a parameter without a value in this command: what is in braces, but neither in
/// quotes, as programs of awk are, nor a variable of a shell.
fn unfilled(command: &str) -> Option<&str> {
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
    };
    let (mut quote, mut before) = (None, ' ');
    for (at, letter) in command.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '{') if before != '$' => {
                let name = command[at + 1..].split_once('}').map(|(name, _)| name);
                if let Some(name) = name.filter(is_name) {
                    return Some(name);
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_without_a_value_is_named() {
        assert_eq!(unfilled("sleep {x}"), Some("x"));
        assert_eq!(unfilled("gzip -{level} -k f"), Some("level"));
        for command in ["awk '{print}' f", "echo ${HOME}", "find . -exec ls {} +", "a {b c}", "x"] {
            assert_eq!(unfilled(command), None, "{command}");
        }
        assert!(
            failure_hint(&Failure::Exit { code: 1 }, "sleep {x}").unwrap().contains("`-L x 1,2`")
        );
        assert_eq!(failure_hint(&Failure::Exit { code: 1 }, "false"), None);
    }
}
