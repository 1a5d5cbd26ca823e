//! Makes the question from the options.

use crate::commands::bench::names::used_by;
use std::path::Path;
use std::time::Duration;

use tacho_experiment::bench::{BenchCommand, Start};
use tacho_experiment::trial::prepared::Exits;
use tacho_record::plan::{Hook, Hooks, Output};
use tacho_record::{
    Cgroup, Conditions, Cpus, Inherit, Limits, Precision, Rule, Warmup, duration, size,
};

use super::names::CommandNames;
use super::parameters::{self, ParameterRange, ParameterSet, fill};
use super::start::{self, Shell};
use crate::cli::BenchArgs;
use crate::commands::defaults::share;
use crate::error::CliError;
use crate::error::bench::BenchMistake;

/// The default time of a command, as in hyperfine.
const EACH: Duration = Duration::from_secs(3);
/// The least number of executions.
const FEWEST: u32 = 10;
/// No command is executed more often.
const MOST: u32 = 1_000_000;
/// With a precision, unless more are requested.
const MOST_FOR_PRECISION: u32 = 1000;

/// The commands, and which of them is the reference.
pub struct BenchCommands {
    pub commands: Vec<BenchCommand>,
    pub reference: Option<usize>,
}

/// The warmup and the stopping rule.
pub fn rule(typed: &BenchArgs) -> Result<Rule, CliError> {
    let warmup =
        typed.warmup.as_deref().map(str::parse).transpose()?.unwrap_or(Warmup::Executions(0));
    let wanted = typed.precision.as_deref().map(|text| share("--precision", text)).transpose()?;
    let precision = wanted.map(|share| Precision { share, metric: None });
    let budget = typed.budget.as_deref().map(duration).transpose()?;
    let most = if precision.is_some() { MOST_FOR_PRECISION } else { MOST };
    let max_rounds = typed.rounds.or(typed.max_rounds).unwrap_or(most);
    let min_rounds = typed.rounds.or(typed.min_rounds).unwrap_or(FEWEST.min(max_rounds));
    if min_rounds > max_rounds {
        return Err(BenchMistake::FewestAboveMost { fewest: min_rounds, most: max_rounds }.into());
    }
    let is_open = typed.rounds.is_none() && precision.is_none() && budget.is_none();
    Ok(Rule {
        warmup,
        min_rounds,
        max_rounds,
        precision,
        budget,
        each: is_open.then_some(EACH),
        quiet_wait: typed.quiet_wait.as_deref().map(duration).transpose()?,
    })
}

/// The conditions of commands.
fn conditions(typed: &BenchArgs) -> Result<Conditions, BenchMistake> {
    let cpus = |text: &String| match text.as_str() {
        "isolated" => Ok(Cpus::Isolated),
        text => Cpus::list(text)
            .map(Cpus::List)
            .ok_or_else(|| BenchMistake::BadCpus { text: text.to_owned() }),
    };
    let usual = BenchCommand::usual_conditions();
    let inherit = if typed.clean_environment { Inherit::default() } else { usual.inherit };
    Ok(Conditions {
        cpus: typed.execution.cpus.as_ref().map(cpus).transpose()?,
        nice: typed.execution.nice,
        aslr: typed.no_aslr.then_some(false),
        cold: typed.cold,
        cgroup: if typed.cgroup { Cgroup::Always } else { usual.cgroup },
        inherit,
        random_environment: !typed.no_random_environment && usual.random_environment,
        ..usual
    })
}

/// The limits of an execution.
fn limits(typed: &BenchArgs) -> Result<Limits, CliError> {
    let bytes = |option: &'static str, typed: &Option<String>| {
        let bad = |text: &String| BenchMistake::BadSize { option, text: text.clone() };
        // A few bytes are never meant.
        let size = |text: &String| size(text).filter(|_| text.trim().parse::<f64>().is_err());
        typed
            .as_ref()
            .map(|text| size(text).filter(|size| *size > 0).ok_or_else(|| bad(text)))
            .transpose()
    };
    Ok(Limits {
        address_space: bytes("--limit-address-space", &typed.limit_address_space)?,
        cpu_time: typed.limit_cpu_time.as_deref().map(duration).transpose()?,
        memory: bytes("--limit-memory", &typed.execution.limit_memory)?,
    })
}

/// With which statuses a right execution exits.
pub fn exits(typed: &BenchArgs) -> Result<Exits, BenchMistake> {
    match typed.execution.ignore_failure.as_deref() {
        None => Ok(Exits::One(0)),
        Some("all-non-zero") => Ok(Exits::Any),
        Some(list) => {
            let status = |text: &str| {
                text.trim().parse().map_err(|_| BenchMistake::BadStatus { text: text.to_owned() })
            };
            let statuses: Result<Vec<i32>, BenchMistake> = list.split(',').map(status).collect();
            Ok(Exits::AnyOf(std::iter::once(0).chain(statuses?).collect()))
        }
    }
}

impl BenchCommands {
    /// The commands that were typed, with all that belongs to them.
    pub fn new(typed: &BenchArgs, folder: &Path) -> Result<Self, CliError> {
        let parameters = parameters(typed)?;
        let names = CommandNames::of(typed, &parameters)?;
        let (texts, reference_text) = with_reference(typed, &parameters, &names);
        let mut reference = None;
        let shell = Shell::parse(typed.execution.shell.as_deref(), typed.execution.no_shell)?;
        let prepare = PerCommand::new("--prepare", &typed.execution.prepare, texts.len())?;
        let conclude = PerCommand::new("--conclude", &typed.execution.conclude, texts.len())?;
        let output = PerCommand::new("--output", &typed.output, texts.len())?;
        typed.output.iter().try_for_each(|output| check_output(output, folder))?;
        let timeout =
            typed.execution.timeout.as_deref().map(duration).transpose()?.unwrap_or(Duration::MAX);
        check_input(&typed.execution.input, folder)?;
        let (conditions, limits) = (conditions(typed)?, limits(typed)?);
        let mut used = vec![false; parameters.len()];
        let mut commands: Vec<BenchCommand> = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let hooks = [
                typed.execution.setup.as_deref(),
                prepare.of(index),
                conclude.of(index),
                typed.execution.cleanup.as_deref(),
            ];
            let own: Vec<ParameterRange> = used_by(&parameters, text, &hooks, &mut used);
            let first = commands.len();
            for (place, choice) in parameters::choices(&own).into_iter().enumerate() {
                let filled = fill(text, &choice);
                let start = shell.start(&filled)?;
                start::check(&start, &filled, folder, &typed.commands)?;
                let added = texts.len() - typed.commands.len();
                let own = index.checked_sub(added).and_then(|text| names.get(text, place));
                let own = own.map(|name| fill(name, &choice));
                let is_reference =
                    reference_text == Some(index) && is_meant(typed, own.as_deref(), &filled);
                if is_reference {
                    reference = Some(commands.len());
                }
                let of_reference = typed.reference_name.clone().filter(|_| is_reference);
                let name = of_reference.or(own).unwrap_or_else(|| filled.clone());
                commands.push(BenchCommand {
                    name: unique(name, &commands),
                    parameters: choice.clone(),
                    input: Some(typed.execution.input.clone()).filter(|input| input != "null"),
                    output: where_to(output.of(index), typed.show_output),
                    hooks: hooks_of(hooks, &choice),
                    text: filled,
                    timeout,
                    start,
                    conditions: conditions.clone(),
                    limits,
                });
            }
            // The command as typed, before values were filled in.
            if reference_text == Some(index) && reference.is_none() {
                reference = Some(only(typed, &mut commands[first..])? + first);
            }
        }
        report_unused(&parameters, &used, &texts)?;
        Ok(Self { commands, reference })
    }

    /// Checks that the commands can be executed at the same time: two, and both by a shell or
    /// neither.
    pub fn check_duet(&self) -> Result<(), BenchMistake> {
        let [one, other] = self.commands.as_slice() else {
            return Err(BenchMistake::DuetOfTwo { commands: self.commands.len() });
        };
        let by_shell = [one, other].map(|command| matches!(command.start, Start::Shell(..)));
        if by_shell[0] == by_shell[1] { Ok(()) } else { Err(BenchMistake::DuetByShell) }
    }

    /// Whether their output goes to the terminal.
    pub fn is_loud(&self) -> bool {
        self.commands.iter().any(|command| command.output == Output::Inherit)
    }
}

/// The commands, after a separate reference, if there is one; and the index of the reference, which
/// may be a command with certain values of parameters.
fn with_reference(
    typed: &BenchArgs,
    parameters: &[ParameterRange],
    names: &CommandNames<'_>,
) -> (Vec<String>, Option<usize>) {
    let mut texts = typed.commands.clone();
    let Some(reference) = &typed.reference else { return (texts, None) };
    let position = |is_it: &dyn Fn(&String) -> bool| {
        (0..texts.len()).find(|text| names.of_text(*text).iter().copied().any(is_it))
    };
    let found = position(&|name| name == reference)
        .or_else(|| texts.iter().position(|text| text == reference));
    let found = found.or_else(|| {
        let choices = parameters::choices(parameters);
        let is_it = |text: &String| choices.iter().any(|choice| fill(text, choice) == *reference);
        position(&is_it).or_else(|| texts.iter().position(is_it))
    });
    if found.is_none() {
        texts.insert(0, reference.clone());
    }
    (texts, Some(found.unwrap_or(0)))
}

/// Whether the reference has this name or this text.
fn is_meant(typed: &BenchArgs, name: Option<&str>, filled: &str) -> bool {
    let reference = typed.reference.as_deref();
    reference.is_some() && (name == reference || reference == Some(filled))
}

/// The one command that the reference is with its parameters' values, by the name that was typed
/// for it.
fn only(typed: &BenchArgs, of_text: &mut [BenchCommand]) -> Result<usize, BenchMistake> {
    let [command] = of_text else {
        let reference = typed.reference.clone().unwrap_or_default();
        let first = of_text.first().map(|command| command.name.clone()).unwrap_or_default();
        return Err(BenchMistake::ReferenceOfSeveral { reference, commands: of_text.len(), first });
    };
    if let Some(name) = &typed.reference_name {
        command.name.clone_from(name);
    }
    Ok(0)
}

/// The name, with a number where another has it already.
fn unique(name: String, others: &[BenchCommand]) -> String {
    let is_taken = |name: &String| others.iter().any(|other| other.name == *name);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
}

fn parameters(typed: &BenchArgs) -> Result<Vec<ParameterRange>, BenchMistake> {
    let mut all = Vec::new();
    if let [name, from, to] = typed.parameter_scan.as_slice() {
        if let Some(mistake) = BenchMistake::assigned(name) {
            return Err(mistake);
        }
        all.push(parameters::range([name, from, to], typed.parameter_step_size.as_deref())?);
    }
    for pair in typed.parameter_list.chunks_exact(2) {
        all.push(parameters::list([&pair[0], &pair[1]]));
    }
    for (index, (name, _)) in all.iter().enumerate() {
        if all[..index].iter().any(|(other, _)| other == name) {
            return Err(BenchMistake::Twice { name: name.clone() });
        }
    }
    Ok(all)
}

fn report_unused(
    parameters: &[ParameterRange],
    used: &[bool],
    texts: &[String],
) -> Result<(), BenchMistake> {
    let Some(((name, _), _)) = parameters.iter().zip(used).find(|(_, used)| !**used) else {
        return Ok(());
    };
    let places = parameters::places(texts.iter().map(String::as_str));
    let others =
        places.into_iter().filter(|place| parameters.iter().all(|(known, _)| known != place));
    let near = others.filter(|place| strsim::osa_distance(place, name) <= 3).map(str::to_owned);
    Err(BenchMistake::Unused {
        name: name.clone(),
        nearest: near.min_by_key(|place| strsim::osa_distance(place, name)),
    })
}

fn check_input(input: &str, folder: &Path) -> Result<(), BenchMistake> {
    let file = folder.join(input);
    match input {
        "null" => Ok(()),
        _ if file.is_dir() || tacho_measure::check_no_pipe(&file).is_err() => {
            Err(BenchMistake::BadInput { path: input.to_owned() })
        }
        _ if file.exists() => Ok(()),
        _ => Err(BenchMistake::NoInput { path: input.to_owned() }),
    }
}

/// Checks that executions overwrite no file of the user's.
fn check_output(output: &str, folder: &Path) -> Result<(), BenchMistake> {
    let Output::File(path) = where_to(Some(output), false) else { return Ok(()) };
    let above = Path::new(&path).parent().filter(|above| !folder.join(above).is_dir());
    if let Some(above) = above {
        let folder = above.display().to_string();
        return Err(BenchMistake::NoFolder { path, folder });
    }
    // A device has no content to lose.
    match folder.join(&path).metadata() {
        Ok(found) if found.is_file() && found.len() > 0 => {
            Err(BenchMistake::WouldOverwrite { path })
        }
        _ => Ok(()),
    }
}

fn where_to(typed: Option<&str>, show_output: bool) -> Output {
    match typed {
        _ if show_output => Output::Inherit,
        None | Some("null") => Output::Needed,
        Some("inherit") => Output::Inherit,
        Some("pipe") => Output::Pipe,
        Some(file) => Output::File(file.to_owned()),
    }
}

fn hooks_of(
    [setup, prepare, conclude, cleanup]: [Option<&str>; 4],
    choice: &ParameterSet,
) -> Hooks {
    let hook = |script: Option<&str>| {
        // The empty command is hyperfine's way to have none for one of several.
        let script = script.filter(|script| !script.is_empty())?;
        Some(Hook { script: fill(script, choice), timeout: Duration::MAX })
    };
    Hooks {
        setup: hook(setup),
        prepare: hook(prepare),
        conclude: hook(conclude),
        cleanup: hook(cleanup),
    }
}

/// An option that is given once for all commands, or once for each.
struct PerCommand<'a>(&'a [String]);

impl<'a> PerCommand<'a> {
    fn new(
        option: &'static str,
        given: &'a [String],
        commands: usize,
    ) -> Result<Self, BenchMistake> {
        match given.len() {
            0 | 1 => Ok(Self(given)),
            all if all == commands => Ok(Self(given)),
            given => Err(BenchMistake::HowMany { option, given, commands }),
        }
    }

    fn of(&self, index: usize) -> Option<&'a str> {
        let only = self.0.first().filter(|_| self.0.len() == 1);
        only.or_else(|| self.0.get(index)).map(String::as_str)
    }
}
