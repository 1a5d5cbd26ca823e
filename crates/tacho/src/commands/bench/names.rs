//! The names of commands: `-n` once for all, once for each, or once for each that values of
//! parameters make of them.

use super::parameters::{self, ParameterRange};
use crate::cli::BenchArgs;
use crate::error::bench::BenchMistake;

/// The names that were typed, by command and by place among those that its parameters make of it.
pub struct CommandNames<'a>(Vec<Vec<Option<&'a String>>>);

impl<'a> CommandNames<'a> {
    /// Without parameters the first name is that of the first command. With parameters the rules
    /// are hyperfine's. One name is for all. As many names as final commands are in hyperfine's
    /// order, in which the command changes fastest and the last parameter slowest. As many names as
    /// typed commands are for these.
    pub fn of(typed: &'a BenchArgs, parameters: &[ParameterRange]) -> Result<Self, BenchMistake> {
        let (given, texts) = (&typed.execution.command_name, typed.commands.len());
        let made: Vec<usize> = (0..texts).map(|text| makes(typed, parameters, text)).collect();
        let commands = made.iter().sum();
        let each = |name: &dyn Fn(usize, usize) -> Option<&'a String>| {
            let of_text =
                |(text, made): (usize, &usize)| (0..*made).map(|place| name(text, place)).collect();
            Self(made.iter().enumerate().map(of_text).collect())
        };
        match given.as_slice() {
            [one] if !parameters.is_empty() => Ok(each(&|_, _| Some(one))),
            all if all.len() <= texts => Ok(each(&|text, _| all.get(text))),
            all if all.len() == commands => {
                let mut order: Vec<(usize, usize)> = (0..texts)
                    .flat_map(|text| (0..made[text]).map(move |place| (place, text)))
                    .collect();
                order.sort_unstable();
                Ok(each(&|text, place| all.get(order.iter().position(|it| *it == (place, text))?)))
            }
            all => Err(BenchMistake::Names { given: all.len(), commands }),
        }
    }

    /// The name of a command that was typed, at one choice of its parameters' values.
    pub fn get(&self, text: usize, place: usize) -> Option<&'a String> {
        *self.0.get(text)?.get(place)?
    }

    /// All names of a command that was typed.
    pub fn of_text(&self, text: usize) -> Vec<&'a String> {
        self.0.get(text).into_iter().flatten().copied().flatten().collect()
    }
}

/// How many commands the parameters make of one that was typed.
fn makes(typed: &BenchArgs, parameters: &[ParameterRange], text: usize) -> usize {
    let commands = typed.commands.len();
    // A separate reference is before them.
    let of = |hooks: &'_ [String]| match hooks.len() {
        0 | 1 => hooks.first().cloned(),
        all => hooks.get((text + all).saturating_sub(commands)).cloned(),
    };
    let (prepare, conclude) = (of(&typed.execution.prepare), of(&typed.execution.conclude));
    let hooks = [
        typed.execution.setup.as_deref(),
        prepare.as_deref(),
        conclude.as_deref(),
        typed.execution.cleanup.as_deref(),
    ];
    let own =
        used_by(parameters, &typed.commands[text], &hooks, &mut vec![false; parameters.len()]);
    parameters::choices(&own).len()
}

/// The parameters that have a place in the command or its hooks.
pub(super) fn used_by(
    parameters: &[ParameterRange],
    text: &str,
    hooks: &[Option<&str>; 4],
    used: &mut [bool],
) -> Vec<ParameterRange> {
    let texts = || hooks.iter().flatten().copied().chain([text]);
    let mut own = Vec::new();
    for (parameter, used) in parameters.iter().zip(used) {
        if texts().any(|text| parameters::has(text, &parameter.0)) {
            *used = true;
            own.push(parameter.clone());
        }
    }
    own
}
