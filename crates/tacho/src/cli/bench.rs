//! The options of `tacho bench`: hyperfine's, and more.

use std::path::PathBuf;

use clap::Args;
use tacho_record::{Counter, Metric, ReferenceMode};

use super::execution::ExecutionArgs;
use super::shared::EstimatorName;

/// Time commands side by side: how fast is it?
///
/// Needs no plan, and stores nothing. Each round executes the commands once, in a random order,
/// except those that have enough executions. A shell is used only where a command needs one, and
/// its time is subtracted. Options of hyperfine mean the same, or are refused with a hint.
///
/// Exit status: 0 done; 2 error, or a command or hook failed; 130 interrupted (results so far are
/// shown).
#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag that is typed or not
pub struct BenchArgs {
    /// The commands, each in quotes: 'grep -r todo .' 'rg todo'
    #[arg(value_name = "COMMAND", required = true)]
    pub commands: Vec<String>,
    /// The warmup of each command: N executions (such as 3), a time (such as 2s), or found (detect
    /// it afterwards and leave it out) [default: none]
    #[arg(long, short = 'w', value_name = "N|TIME|found", help_heading = "How often")]
    pub warmup: Option<String>,
    /// Execute each command in exactly N rounds
    #[arg(
        long, visible_alias = "runs", short = 'r', value_name = "N",
        allow_negative_numbers = true, help_heading = "How often",
        conflicts_with_all = ["min_rounds", "max_rounds", "precision", "budget"],
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub rounds: Option<u32>,
    /// Execute each command at least N times [default: 10]
    #[arg(
        long, visible_alias = "min-runs", short = 'm', value_name = "N",
        allow_negative_numbers = true, help_heading = "How often", value_parser = min_rounds
    )]
    pub min_rounds: Option<u32>,
    /// Execute each command at most N times. Without `--precision` and `--budget`, a command
    /// usually stops before that: after `--min-rounds` executions and 3 s [default: 1000 with
    /// `--precision`, else 1000000]
    #[arg(
        long, visible_alias = "max-runs", short = 'M', value_name = "N",
        allow_negative_numbers = true, help_heading = "How often",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_rounds: Option<u32>,
    /// Execute until the 95 % interval of each median is at most ± PERCENT of it, such as 1%
    #[arg(long, value_name = "PERCENT", help_heading = "How often")]
    pub precision: Option<String>,
    /// Measure all commands together for at most TIME, such as 30s
    #[arg(long, value_name = "TIME", help_heading = "How often")]
    pub budget: Option<String>,
    /// Replace {VAR} by each number of a range: -P threads 1 8 'make -j {threads}'
    #[arg(
        long, short = 'P', num_args = 3, value_names = ["VAR", "MIN", "MAX"],
        allow_hyphen_values = true, help_heading = "Parameters"
    )]
    pub parameter_scan: Vec<String>,
    /// The step of the range [default: 1]
    #[arg(
        long,
        short = 'D',
        value_name = "DELTA",
        requires = "parameter_scan",
        help_heading = "Parameters"
    )]
    pub parameter_step_size: Option<String>,
    /// Replace {VAR} by each value of a list: -L level 1,6,9 'gzip -{level} -k f'. Several lists
    /// make all combinations
    #[arg(
        long, short = 'L', num_args = 2, value_names = ["VAR", "VALUES"],
        allow_hyphen_values = true, action = clap::ArgAction::Append, help_heading = "Parameters"
    )]
    pub parameter_list: Vec<String>,
    /// Wait before each round for a quiet host, for at most MAX in total [default of MAX: 5m]
    #[arg(
        long,
        value_name = "MAX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5m",
        help_heading = "Around executions"
    )]
    pub quiet_wait: Option<String>,
    /// Execute two commands at the same time, on two processors: for a host that is never quiet
    #[arg(
        long, conflicts_with_all = ["cpus", "estimator"], help_heading = "Around executions"
    )]
    pub duet: bool,
    /// Also execute fixed programs, to see changes of the machine: off, cheap (at most 5 % of the
    /// time) or full (in each round) [default: off]
    #[arg(
        long,
        value_name = "MODE",
        default_value = "off",
        hide_default_value = true,
        help_heading = "Around executions"
    )]
    pub machine_reference: ReferenceMode,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    /// Drop the system's file cache before each execution, after `--prepare`; needs root
    #[arg(long, help_heading = "Conditions")]
    pub cold: bool,
    /// Use the same memory addresses each time: good for counting instructions, bad for times
    #[arg(long, help_heading = "Conditions")]
    pub no_aslr: bool,
    /// Use a control group for each execution, which also accounts for children that are not waited
    /// for
    #[arg(long, help_heading = "Conditions")]
    pub cgroup: bool,
    /// Pass only the variables that a plan passes (list: docs/src/formats/plan.md)
    #[arg(long, help_heading = "Conditions")]
    pub clean_environment: bool,
    /// Add no `TACHO_PADDING`, the variable of random length
    #[arg(long, help_heading = "Conditions")]
    pub no_random_environment: bool,
    /// End an execution that uses more processor time than TIME, such as 10s
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub limit_cpu_time: Option<String>,
    /// Limit the address space of each process to SIZE, such as 1GiB
    #[arg(long, value_name = "SIZE", help_heading = "Limits")]
    pub limit_address_space: Option<String>,
    /// The command that others are compared with, by name or text. One that is not among the
    /// commands is executed too [default: the fastest]
    #[arg(long, value_name = "COMMAND", help_heading = "Commands")]
    pub reference: Option<String>,
    /// A name for the reference
    #[arg(long, value_name = "NAME", requires = "reference", help_heading = "Commands")]
    pub reference_name: Option<String>,
    /// Where output goes: null, pipe, inherit or a file. Give one for all commands, or one for each
    #[arg(long, value_name = "WHERE", conflicts_with = "show_output", help_heading = "Commands")]
    pub output: Vec<String>,
    /// Show what commands print
    #[arg(long, help_heading = "Commands")]
    pub show_output: bool,
    /// The statistic to compare [default: auto, which depends on the samples]
    #[arg(long, value_name = "NAME", value_enum, help_heading = "Answer")]
    pub estimator: Option<EstimatorName>,
    /// Write hyperfine's JSON, in seconds; `-` is standard output
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub export_json: Option<PathBuf>,
    /// Write one line per command, in seconds; `-` is standard output
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub export_csv: Option<PathBuf>,
    /// Write a Markdown table; `-` is standard output
    #[arg(long, value_name = "FILE", help_heading = "Answer")]
    pub export_markdown: Option<PathBuf>,
    /// Draw a bar for each execution [default: only if the times look unsteady]
    #[arg(long, help_heading = "Answer")]
    pub bars: bool,
    /// Show all notes, and outliers with their causes
    #[arg(long, short, help_heading = "Answer")]
    pub verbose: bool,
    /// Print the answer as JSON (keys: docs/src/formats)
    #[arg(long, help_heading = "Answer")]
    pub json: bool,
    #[command(flatten)]
    pub elsewhere: HyperfineArgs,
}

/// A number of executions; a metric here is a mistake by users who know `-m` from other commands.
fn min_rounds(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().map_err(|error| error.to_string());
    let number = number.and_then(|number| match number {
        0 => Err("at least 1 is needed".to_owned()),
        number => Ok(number),
    });
    number.map_err(|error| meant_metric(text).unwrap_or(error))
}

/// The advice if a metric was meant, which may be mistyped.
fn meant_metric(text: &str) -> Option<String> {
    let text = match Counter::named(text) {
        Some(counter) => counter.name(),
        None => text,
    };
    let names = Metric::BUILT_IN.into_iter().chain(Counter::ALL.map(Counter::name));
    let far = |name: &str| strsim::osa_distance(name, text);
    let name = names.min_by_key(|name| far(name)).filter(|name| far(name) <= 2)?;
    let guess = if name == text { String::new() } else { format!("did you mean `{name}`? ") };
    let how = match Counter::named(name) {
        Some(_) => format!("`--counter {name}` counts it"),
        None => format!("`{name}` is measured anyway"),
    };
    Some(format!("{guess}{how}; `-m` is the least number of executions"))
}

/// Options of hyperfine that are refused here, each with a hint.
#[derive(Debug, Default, Args)]
pub struct HyperfineArgs {
    #[arg(long, hide = true, value_name = "FILE")]
    pub export_asciidoc: Option<String>,
    #[arg(long, hide = true, value_name = "FILE")]
    pub export_orgmode: Option<String>,
    #[arg(long, hide = true, value_name = "TYPE")]
    pub style: Option<String>,
    #[arg(long, hide = true, value_name = "METHOD")]
    pub sort: Option<String>,
    #[arg(long, short = 'u', hide = true, value_name = "UNIT")]
    pub time_unit: Option<String>,
    #[arg(long, hide = true, value_name = "SECONDS")]
    pub min_benchmarking_time: Option<String>,
    #[arg(long, hide = true)]
    pub debug_mode: bool,
}

impl HyperfineArgs {
    /// The first one that was typed, and what does it here.
    pub fn typed(&self) -> Option<(&'static str, &'static str)> {
        let table =
            "`--export-markdown` writes a table, `--export-csv` and `--json` have all numbers";
        let all = [
            (self.export_asciidoc.is_some(), "--export-asciidoc", table),
            (self.export_orgmode.is_some(), "--export-orgmode", table),
            (
                self.style.is_some(),
                "--style",
                "`-q` shows no progress, `NO_COLOR=1` no colours; if the output is not a \
                    terminal, both are off",
            ),
            (
                self.sort.is_some(),
                "--sort",
                "rows are in the order of the commands, ratios are sorted by time",
            ),
            (
                self.time_unit.is_some(),
                "--time-unit",
                "each time has the unit that suits it; exported files have seconds",
            ),
            (
                self.min_benchmarking_time.is_some(),
                "--min-benchmarking-time",
                "`--budget 30s` is for all commands together; `--precision 1%` goes on as long as \
                 needed",
            ),
            (self.debug_mode, "--debug-mode", "it is there for hyperfine's own tests"),
        ];
        all.into_iter()
            .find(|(is_typed, ..)| *is_typed)
            .map(|(_, option, instead)| (option, instead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_no_number_of_executions() {
        assert_eq!(min_rounds("20"), Ok(20));
        assert!(min_rounds("0").is_err() && min_rounds("-1").is_err());
        let meant = |text: &str| min_rounds(text).unwrap_err();
        assert_eq!(
            meant("wal"),
            "did you mean `wall`? `wall` is measured anyway; `-m` is the least number of executions"
        );
        assert!(meant("cpu").starts_with("`cpu` is measured anyway; "));
        assert!(meant("instructions=callgrind").starts_with("`--counter callgrind-instructions`"));
        assert_eq!(meant("many"), "invalid digit found in string");
    }
}
