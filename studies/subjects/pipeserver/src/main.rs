//! The command line of `pipeserver`.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pipeserver::{
    Helper, Interrupt, PipeCommand, PipeError, PipeWriter, Product, TestCase, Waiting,
};

/// How long a product waits for room in a full pipe.
const PATIENCE: Duration = Duration::from_secs(10);

const AFTER_HELP: &str = "\
Examples:
  pipeserver serve /tmp/tally &               count what is written to /tmp/tally
  echo count requests 3 > /tmp/tally          any program may write to it
  pipeserver send /tmp/tally 'count errors' report quit
  pipeserver test --wait busy                 the study's test case

Commands in the pipe, one a line: count NAME [NUMBER], report, quit.
Exit status: 0 done, 2 error.";

/// Count what scripts write to a named pipe.
///
/// A helper reads the pipe and adds up the numbers of each name. It waits for input by sleeping, or
/// by trying again and again, as a bad program would: a study measures what that does to others.
#[derive(Debug, Parser)]
#[command(name = "pipeserver", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Read commands from a pipe until `quit` or Ctrl-C, then print the totals
    ///
    /// The pipe is made if it is not there, and then removed at the end.
    Serve {
        /// The named pipe
        pipe: PathBuf,
        /// How to wait for input
        #[arg(long, value_enum, default_value_t = Wait::Block)]
        wait: Wait,
    },
    /// Send lines to a helper
    Send {
        /// The named pipe
        pipe: PathBuf,
        /// Commands, each in quotes: 'count NAME [NUMBER]', report, quit
        #[arg(required = true, value_name = "COMMAND", allow_negative_numbers = true)]
        lines: Vec<String>,
        /// How long to wait for room in a full pipe
        #[arg(long, value_name = "SECONDS", default_value_t = 10,
              value_parser = clap::value_parser!(u64).range(1..=86_400))]
        timeout: u64,
    },
    /// Work in steps, and report each to a helper
    Product {
        /// The named pipe [default: no report]
        #[arg(long)]
        pipe: Option<PathBuf>,
        #[command(flatten)]
        work: WorkAmount,
    },
    /// Execute the study's test case: a helper beside a product, and what they take
    Test {
        /// How the helper waits for input
        #[arg(long, value_enum, default_value_t = Wait::Block)]
        wait: Wait,
        /// Write nothing to the pipe while working
        #[arg(long)]
        silent: bool,
        #[command(flatten)]
        work: WorkAmount,
    },
}

#[derive(Args, Clone, Copy, Debug)]
struct WorkAmount {
    /// Steps
    #[arg(long, value_name = "N", default_value_t = 200)]
    steps: u32,
    /// Rounds of arithmetic in each step
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    work: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Wait {
    /// Sleep until there is some
    Block,
    /// Try again and again, which uses a whole processor
    Busy,
}

impl From<Wait> for Waiting {
    fn from(wait: Wait) -> Self {
        match wait {
            Wait::Block => Self::Blocking,
            Wait::Busy => Self::Busy,
        }
    }
}

impl From<WorkAmount> for Product {
    fn from(amount: WorkAmount) -> Self {
        Self { steps: amount.steps, work: amount.work }
    }
}

fn main() -> ExitCode {
    match execute(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn execute(command: Subcommands) -> Result<(), PipeError> {
    match command {
        Subcommands::Serve { pipe, wait } => {
            serve(&pipe, wait)?;
        }
        Subcommands::Send { pipe, lines, timeout } => {
            check(&pipe, &lines)?;
            let mut writer = PipeWriter::open(&pipe, Duration::from_secs(timeout))?;
            lines.iter().try_for_each(|line| writer.send(line))?;
        }
        Subcommands::Product { pipe, work } => {
            let open = |pipe| PipeWriter::open(pipe, PATIENCE);
            let mut writer = pipe.as_deref().map(open).transpose()?;
            let checksum = Product::from(work).work(|| match &mut writer {
                Some(writer) => writer.send("count steps"),
                None => Ok(()),
            })?;
            print_all(&format!("checksum {checksum:016x}\n"))?;
        }
        Subcommands::Test { wait, silent, work } => test(wait, silent, work)?,
    }
    Ok(())
}

/// Serves a pipe, and prints the totals at the end.
fn serve(pipe: &Path, wait: Wait) -> Result<(), PipeError> {
    let failure = |source| PipeError::Io { action: "serve", path: pipe.to_owned(), source };
    let interrupt = Interrupt::register().map_err(failure)?;
    let mut helper = Helper::open(pipe, wait.into())?;
    let complain = |error| eprintln!("warning: {error}");
    let tally = helper.serve(&interrupt, &mut io::stdout().lock(), complain)?;
    print(&tally.to_string()).map_err(|source| PipeError::Totals { tally: tally.clone(), source })
}

/// Refuses lines of which the helper alone would say that they are no commands.
fn check(pipe: &Path, lines: &[String]) -> Result<(), PipeError> {
    let parsed = |line: &String| line.parse::<PipeCommand>();
    let mut commands = lines.iter().filter(|line| !line.trim().is_empty());
    let Some(source) = commands.find_map(|line| parsed(line).err()) else { return Ok(()) };
    let joined = lines.join(" ");
    let hint = match parsed(&joined) {
        Ok(_) => format!(
            "\nhint: put each command in quotes: pipeserver send {} '{joined}'",
            pipe.display()
        ),
        Err(_) => String::new(),
    };
    Err(PipeError::Line { source, hint })
}

fn test(wait: Wait, is_silent: bool, work: WorkAmount) -> Result<(), PipeError> {
    let case = TestCase { waiting: wait.into(), product: work.into(), is_silent };
    let program = std::env::current_exe().map_err(|source| PipeError::Io {
        action: "find",
        path: "pipeserver".into(),
        source,
    })?;
    let result = case.execute(&program)?;
    let helper = result
        .helper_cpu
        .map_or_else(|| "unknown".to_owned(), |cpu| format!("{:.6} s", cpu.as_secs_f64()));
    print_all(&format!(
        "product {:.6} s\nhelper-cpu {helper}\ncounted {}\nchecksum {:016x}\n",
        result.wall.as_secs_f64(),
        result.counted,
        result.checksum,
    ))
}

fn print_all(text: &str) -> Result<(), PipeError> {
    let path = "standard output".into();
    print(text).map_err(|source| PipeError::Io { action: "write to", path, source })
}

/// Prints text. A reader that closed the pipe wants no more.
fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
