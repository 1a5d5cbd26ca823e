//! Warnings about influences on the numbers of commands, with advice.

use tacho_record::Unit;

use super::BenchFindings;
use crate::host;
use crate::series::{LEFT_BEHIND_HINT, left_behind};
use crate::words::{change, count, cut};

/// How wide the name of a command may become in a warning.
const NAME: usize = 40;

/// Something that may spoil a command's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BenchWarning {
    /// This many times are below zero, because the time of the shell, which is subtracted, varies
    /// by more.
    BelowShell(usize),
    /// Executions that follow the command at this index take this share more or less time.
    CarryOver(usize, f64),
    /// The first execution took this multiple of the median, and there was no warmup.
    FirstSlow(f64),
    /// This number of executions left processes behind, which were killed.
    LeftBehind(usize),
    /// Other processes used this number of CPUs meanwhile.
    Loaded(f64),
    /// Its shell took this share of the wall time.
    MostlyShell(f64),
    /// Most of its time is the start of a process, which takes this number of nanoseconds here.
    MostlyStart(f64),
    /// The level changed for the last time this number of rounds before the end, which is too near
    /// to it to say that it stays.
    NoSteadyState(u32),
    /// A hypervisor kept this number of CPUs' time from the host.
    Stolen(f64),
}

/// The options that are given already, and so are not advised.
#[derive(Clone, Copy, Debug)]
pub struct AdviceGiven {
    /// A command has a `prepare`.
    pub prepare: bool,
    /// Executions come before measuring, or the warmup is found.
    pub warmup: bool,
    /// Whether a precision ends measuring: then the warmup must be fixed in advance.
    pub precision: bool,
}

impl BenchWarning {
    /// Whether a command is so short that most of its time is not its own.
    #[must_use]
    pub fn is_of_length(&self) -> bool {
        matches!(self, Self::BelowShell(_) | Self::MostlyShell(_) | Self::MostlyStart(_))
    }
}

impl BenchFindings<'_> {
    /// A warning in words.
    #[must_use]
    pub fn warning(&self, warning: BenchWarning) -> String {
        match warning {
            BenchWarning::BelowShell(below) => {
                let values = if below == 1 {
                    "1 value is".to_owned()
                } else {
                    format!("{below} values are")
                };
                format!(
                    "after subtracting the shell, {values} negative: the time of the shell varies \
                     by more than the command takes"
                )
            }
            BenchWarning::CarryOver(index, share) => format!(
                "executions right after `{}` differ by {} from those after other commands",
                cut(self.rows[index].name, NAME),
                change(1.0 + share)
            ),
            BenchWarning::FirstSlow(ratio) => {
                format!("the first execution took {ratio:.1} times as long as the median")
            }
            BenchWarning::LeftBehind(number) => left_behind(number),
            BenchWarning::Loaded(cpus) => host::others(cpus, "meanwhile"),
            BenchWarning::MostlyShell(share) => {
                let share = if share < 0.95 {
                    format!("{:.0} %", share * 100.0)
                } else {
                    "nearly all".to_owned()
                };
                format!("the shell took {share} of the time, and is subtracted")
            }
            BenchWarning::MostlyStart(start) => mostly_start(start),
            BenchWarning::NoSteadyState(rounds) => {
                let rounds = count(rounds as usize, "round");
                format!("no steady state: the level last changed {rounds} before the end")
            }
            BenchWarning::Stolen(share) => host::stolen(share, "meanwhile"),
        }
    }

    /// The advice for a warning; options that are given already are not advised.
    #[must_use]
    pub fn advice(&self, warning: BenchWarning, given: AdviceGiven) -> Option<&'static str> {
        match warning {
            BenchWarning::BelowShell(_) | BenchWarning::MostlyStart(_) => Some(REPEAT_WORK),
            BenchWarning::CarryOver(..) => {
                Some("`-p` can make the same state before each execution, such as `-p 'sleep 1'`")
            }
            BenchWarning::FirstSlow(_) if given.warmup => None,
            BenchWarning::FirstSlow(_) if given.prepare => {
                Some("`-w 3` executes each command three times before measuring")
            }
            BenchWarning::FirstSlow(_) => Some(
                "`-w 3` executes each command three times before measuring; `-p` can restore the \
                 first state before each execution instead",
            ),
            BenchWarning::LeftBehind(_) => Some(LEFT_BEHIND_HINT),
            // If something is unclear, the ways out include this advice.
            BenchWarning::Loaded(_) if self.needs_way_out() => None,
            BenchWarning::Loaded(_) => Some("`--quiet-wait=10m` waits until the host is quiet"),
            BenchWarning::MostlyShell(_) => {
                Some("`-N` uses no shell; by default, only a command with shell syntax gets one")
            }
            BenchWarning::NoSteadyState(_) if given.precision => None,
            BenchWarning::NoSteadyState(_) => Some(
                "if the last level stays in more rounds (`-r`), `-w found` leaves out the rounds \
                 before it",
            ),
            BenchWarning::Stolen(_) => None,
        }
    }
}

/// Says that most of a command's time is its start; `start` is the time of `true`, in nanoseconds.
#[must_use]
pub fn mostly_start(start: f64) -> String {
    let start = Unit::Nanoseconds.show(start);
    format!("most of the time is the start of a process: `true` takes {start} here")
}

/// The advice for [`mostly_start`].
pub const REPEAT_WORK: &str = "repeat the work many times within one execution";
