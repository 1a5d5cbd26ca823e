//! How commands that are typed are executed.

use clap::Args;

/// What `bench` and `sweep` understand alike.
#[derive(Clone, Debug, Default, Args)]
pub struct ExecutionArgs {
    /// Also count this, such as instructions or instructions=callgrind (list:
    /// docs/src/glossary.md). `instructions?` counts only where the host has the counter
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Around executions")]
    pub counter: Vec<String>,
    /// Execute this shell command before all measurements, once for each command and combination of
    /// values
    #[arg(long, short = 's', value_name = "CMD", help_heading = "Around executions")]
    pub setup: Option<String>,
    /// Execute this shell command before each execution, not timed. Give one for all commands, or
    /// one for each
    #[arg(long, short = 'p', value_name = "CMD", help_heading = "Around executions")]
    pub prepare: Vec<String>,
    /// Execute this shell command after each execution, not timed. Give one for all commands, or
    /// one for each
    #[arg(long, short = 'C', value_name = "CMD", help_heading = "Around executions")]
    pub conclude: Vec<String>,
    /// Execute this shell command after all measurements, once for each command and combination of
    /// values
    #[arg(long, short = 'c', value_name = "CMD", help_heading = "Around executions")]
    pub cleanup: Option<String>,
    /// The processors that commands may use, such as 1 or 0-3,6, or isolated (reserved at boot)
    #[arg(long, value_name = "LIST", help_heading = "Conditions")]
    pub cpus: Option<String>,
    /// Niceness, from -20 (highest priority, needs rights) to 19 (lowest)
    #[arg(
        long, value_name = "N", allow_negative_numbers = true, help_heading = "Conditions",
        value_parser = clap::value_parser!(i32).range(-20..=19)
    )]
    pub nice: Option<i32>,
    /// End an execution that uses more memory than SIZE, such as 512MiB; needs control groups
    #[arg(long, value_name = "SIZE", help_heading = "Limits")]
    pub limit_memory: Option<String>,
    /// The name of a command. Repeat the option for the next command. With parameters: one name for
    /// all ('{threads} threads'), one per combination, or one per command
    #[arg(long, short = 'n', value_name = "NAME", help_heading = "Commands")]
    pub command_name: Vec<String>,
    /// Start all commands by this shell, such as "bash --norc". `default` means sh for every
    /// command, `none` means no shell. Without this option, only commands that need a shell get sh
    #[arg(long, short = 'S', value_name = "SHELL", help_heading = "Commands")]
    pub shell: Option<String>,
    /// Start no command by a shell
    #[arg(short = 'N', conflicts_with = "shell", help_heading = "Commands")]
    pub no_shell: bool,
    /// Accept any exit status; `--ignore-failure=1,2` accepts only 0, 1 and 2
    #[arg(
        long,
        short = 'i',
        value_name = "STATUS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all-non-zero",
        help_heading = "Commands"
    )]
    pub ignore_failure: Option<String>,
    /// The file for standard input, or null
    #[arg(long, value_name = "WHERE", default_value = "null", help_heading = "Commands")]
    pub input: String,
    /// End an execution that takes longer than TIME, such as 60s, and count it as a failure
    #[arg(long, value_name = "TIME", help_heading = "Commands")]
    pub timeout: Option<String>,
    /// The largest difference that counts as the same, such as 2%
    #[arg(long, value_name = "PERCENT", default_value = "1%", help_heading = "Answer")]
    pub margin: String,
    /// The seed of the random order [default: random]
    #[arg(long, value_name = "NUMBER", help_heading = "Answer")]
    pub seed: Option<u64>,
    /// Wait until no other measurement is active on this host
    #[arg(long, help_heading = "Answer")]
    pub wait: bool,
}
