//! What was typed, and what it means.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use pkgverify::select::{PackageSelection, PatternKind};
use pkgverify::{Links, RootFolder, VerifyOptions, Way};

const AFTER_HELP: &str = "\
Examples:
  pkgverify                           all packages of this system
  pkgverify bash 'texlive-*'          some of them
  pkgverify --regex '^lib.*6'         names with such a part
  pkgverify --quiet                   only names of packages with findings
  pkgverify --root /mnt --json        another system, for a program

Exit status: 0 all files are as recorded, 1 some are not, 2 error.";

/// Verify the files of installed packages against the package database.
///
/// Knows the databases of Debian (dpkg) and FreeBSD (pkg). Each file that is not as recorded is
/// printed with its package and the reason. Files that you may not read are counted, not reported;
/// see `--no-filter`.
// Each switch is one of the command line.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Parser)]
#[command(name = "pkgverify", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Packages to verify, as patterns with `*`, `?` and `[…]` [default: all]
    #[arg(value_name = "PACKAGE")]
    pub packages: Vec<String>,

    /// Verify all packages
    #[arg(short, long, conflicts_with = "packages", help_heading = "Selection")]
    pub all: bool,

    /// Let patterns match upper and lower case exactly (the default)
    #[arg(short = 'C', long, conflicts_with = "ignore_case", help_heading = "Selection")]
    pub case_sensitive: bool,

    /// Let patterns match upper and lower case alike
    #[arg(short = 'i', long, help_heading = "Selection")]
    pub ignore_case: bool,

    /// Read PACKAGE as a pattern for the whole name (the default)
    #[arg(short, long, conflicts_with = "regex", help_heading = "Selection")]
    pub glob: bool,

    /// Read PACKAGE as a regular expression for a part of the name
    #[arg(short = 'x', long, help_heading = "Selection")]
    pub regex: bool,

    /// Match origins instead of names: Debian's source packages, FreeBSD's ports
    #[arg(short = 'O', long, help_heading = "Selection")]
    pub by_origin: bool,

    /// Verify also what these packages depend on directly
    #[arg(short, long, help_heading = "Selection")]
    pub dependencies: bool,

    /// Verify also what depends on these packages directly
    #[arg(short = 'r', long, help_heading = "Selection")]
    pub dependants: bool,

    /// Leave out configuration files, which administrators may edit
    #[arg(long, help_heading = "Selection")]
    pub no_conffiles: bool,

    /// Verify the system in this folder; absolute symlinks are meant within it
    #[arg(long, value_name = "DIR", default_value = "/", help_heading = "Selection")]
    root: PathBuf,

    /// The folder of the package database [default: var/lib/dpkg or var/db/pkg in the root]
    #[arg(long, value_name = "DIR", help_heading = "Selection")]
    pub admindir: Option<PathBuf>,

    /// Print origins instead of names
    #[arg(short, long, help_heading = "Output")]
    pub origin: bool,

    /// Print only the names of packages with findings, each once
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// Report also files that you may not read
    #[arg(short = 'm', long, help_heading = "Output")]
    pub no_filter: bool,

    /// Report also symlinks that lead nowhere, although they are as recorded
    #[arg(short = 'D', long, env = "DEVELOPER", value_parser = clap::builder::FalseyValueParser::new(),
          help_heading = "Output")]
    pub developer: bool,

    /// Show no progress line
    #[arg(short, long, help_heading = "Output")]
    pub clean: bool,

    /// Say what was verified, and name all packages without checksums; twice: list all packages
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,

    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["quiet", "verbose"], help_heading = "Output")]
    pub json: bool,

    /// How checksums are computed
    ///
    /// [default: in-process]
    #[arg(long, value_enum, help_heading = "Execution")]
    way: Option<WayName>,

    /// Files for one checksum program, from 1 to 65536; implies `--way batch` [default: 1024]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536),
          help_heading = "Execution")]
    batch: Option<u32>,

    /// What a checksum program gets for a symlink whose target path has the recorded checksum
    #[arg(long, value_enum, default_value_t = LinksName::DevNull, help_heading = "Execution")]
    links: LinksName,

    /// Threads at work [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = jobs, help_heading = "Execution")]
    jobs: Option<NonZeroUsize>,
}

/// More threads than this help nowhere, and a system may refuse to start them.
const MOST_JOBS: usize = 1024;

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().and_then(NonZeroUsize::new);
    number.filter(|number| number.get() <= MOST_JOBS).ok_or_else(|| {
        format!(
            "not a number from 1 to {MOST_JOBS}\n\
             hint: without `--jobs`, there is one thread for each processor"
        )
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WayName {
    /// Here, of several files at once
    InProcess,
    /// By `md5sum` or `sha256sum`, one process for many files
    Batch,
    /// By `md5sum` or `sha256sum`, one process for each file
    OneProcess,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LinksName {
    /// `/dev/null` instead, so that nothing is read in vain
    DevNull,
    /// The symlink, so that the file behind it is read in vain
    Follow,
}

impl Arguments {
    /// What was typed. What contradicts itself is explained, and ends the program.
    pub fn typed() -> Self {
        let arguments = Self::parse();
        if arguments.batch.is_some() && !matches!(arguments.way, None | Some(WayName::Batch)) {
            let message = "the argument '--batch <N>' can only be used with '--way batch'";
            Self::command().error(ErrorKind::ArgumentConflict, message).exit();
        }
        arguments
    }

    /// The system to verify.
    pub fn root(&self) -> RootFolder {
        RootFolder::new(&self.root)
    }

    /// Which packages.
    pub fn selection(&self) -> PackageSelection {
        PackageSelection {
            kind: if self.regex { PatternKind::Regex } else { PatternKind::Glob },
            ignores_case: self.ignore_case,
            by_origin: self.by_origin,
            with_dependencies: self.dependencies,
            with_dependants: self.dependants,
        }
    }

    /// How.
    pub fn options(&self) -> VerifyOptions {
        let way = match (self.way, self.batch) {
            (Some(WayName::InProcess), _) | (None, None) => Way::InProcess,
            (Some(WayName::OneProcess), _) => Way::Batch(1),
            (_, files) => Way::Batch(files.map_or(1024, |files| files as usize)),
        };
        let links = match self.links {
            LinksName::DevNull => Links::DevNull,
            LinksName::Follow => Links::Follow,
        };
        let processors = || available_parallelism().map_or(1, NonZeroUsize::get);
        let jobs = self.jobs.map_or_else(processors, NonZeroUsize::get);
        VerifyOptions { way, links, jobs, reports_dead_links: self.developer }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_batch_implies_its_way() {
        let way = |words: &[&str]| Arguments::parse_from(words).options().way;
        assert_eq!(way(&["pkgverify"]), Way::InProcess);
        assert_eq!(way(&["pkgverify", "-b64"]), Way::Batch(64));
        assert_eq!(way(&["pkgverify", "--way", "batch"]), Way::Batch(1024));
        assert_eq!(way(&["pkgverify", "--way", "one-process"]), Way::Batch(1));
    }
}
