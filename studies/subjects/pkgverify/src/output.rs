//! Findings as lines, names or JSON, and the progress line.

use std::io::{self, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pkgverify::database::InstalledPackages;
use pkgverify::{Discrepancy, Fault, Notice, Package, VerifyError};
use serde::Serialize;

use crate::arguments::Arguments;

/// The version of what `--json` prints.
const JSON_VERSION: u32 = 1;

/// So many packages are named in a warning that would name many.
const MOST_NAMED: usize = 3;

/// Prints what a verification finds.
pub(crate) struct Printer<'a> {
    arguments: &'a Arguments,
    installed: &'a InstalledPackages,
    progress: ProgressBar,
    findings: Vec<JsonFinding>,
    reported: usize,
    filtered: usize,
    /// The package that `--quiet` printed last.
    last_named: Option<usize>,
    /// The first error of standard output.
    failure: Option<io::Error>,
}

/// All that `--json` prints.
#[derive(Debug, Serialize)]
struct JsonReport {
    version: u32,
    /// `dpkg` or `pkg`.
    database: &'static str,
    packages: usize,
    /// Files, symlinks and folders.
    paths: usize,
    /// Files that could not be read and are not among the findings.
    unread: usize,
    warnings: Vec<String>,
    /// Packages with files and without checksums: only presence was verified.
    unsummed: Vec<String>,
    findings: Vec<JsonFinding>,
}

/// A file that is not as recorded.
#[derive(Debug, Serialize)]
struct JsonFinding {
    package: String,
    version: String,
    origin: String,
    path: String,
    conffile: bool,
    reason: &'static str,
    message: String,
}

impl<'a> Printer<'a> {
    pub fn new(arguments: &'a Arguments, installed: &'a InstalledPackages) -> Self {
        let count = installed.packages.len() as u64;
        let target = if arguments.clean {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let progress = ProgressBar::with_draw_target(Some(count), target);
        // The template is a constant; were it malformed, the usual one would be shown.
        if let Ok(style) =
            ProgressStyle::with_template("Checking package {pos} of {len}: {wide_msg}")
        {
            progress.set_style(style);
        }
        Self {
            arguments,
            installed,
            progress,
            findings: Vec::new(),
            reported: 0,
            filtered: 0,
            last_named: None,
            failure: None,
        }
    }

    /// What is said beforehand: damage of the database, and on demand the packages.
    pub fn begin(&self) {
        if !self.arguments.json {
            for warning in &self.installed.warnings {
                eprintln!("warning: {warning}");
            }
            self.warn_of_unsummed();
        }
        if self.arguments.verbose > 1 {
            eprintln!("Checking packages:");
            for package in &self.installed.packages {
                eprintln!("  {}", self.name(package));
            }
        }
    }

    fn warn_of_unsummed(&self) {
        let labels = &self.installed.unsummed;
        if labels.is_empty() {
            return;
        }
        let shown = if self.arguments.verbose > 0 { labels.len() } else { MOST_NAMED };
        let mut names = labels.iter().take(shown).cloned().collect::<Vec<_>>().join(", ");
        if shown < labels.len() {
            names += ", …; `--verbose` names all";
        }
        let have = if labels.len() == 1 { "has" } else { "have" };
        eprintln!(
            "warning: {} {have} no checksums: the content of the files is not verified: {names}",
            counted(labels.len(), "package"),
        );
    }

    pub fn note(&mut self, notice: Notice) {
        match notice {
            Notice::Verified(index) => {
                self.progress.set_position(index as u64 + 1);
                if let Some(next) = self.installed.packages.get(index + 1) {
                    self.progress.set_message(self.name(next).to_owned());
                }
            }
            Notice::Found(found) if self.is_filtered(&found) => {}
            Notice::Found(found) => {
                self.reported += 1;
                self.print(&found);
            }
        }
    }

    /// Whether a finding is not reported. Counts what could not be read.
    fn is_filtered(&mut self, found: &Discrepancy) -> bool {
        let is_unread = matches!(found.fault, Fault::NoAccess { .. }) && !self.arguments.no_filter;
        self.filtered += usize::from(is_unread);
        is_unread
    }

    fn print(&mut self, found: &Discrepancy) {
        let package = &self.installed.packages[found.package];
        if self.arguments.json {
            self.findings.push(JsonFinding {
                package: package.label.clone(),
                version: package.version.clone(),
                origin: package.origin.clone(),
                path: found.path.to_string_lossy().into_owned(),
                conffile: found.is_conffile,
                reason: found.fault.name(),
                message: found.to_string(),
            });
            return;
        }
        let name = self.name(package);
        let line = if self.arguments.quiet { name.to_owned() } else { format!("{name}: {found}") };
        if self.arguments.quiet && self.last_named.replace(found.package) == Some(found.package) {
            return;
        }
        let printed = self.progress.suspend(|| print_line(&line));
        self.failure = self.failure.take().or(printed.err());
    }

    fn name<'p>(&self, package: &'p Package) -> &'p str {
        if self.arguments.origin { &package.origin } else { &package.label }
    }

    /// What is said afterwards. Returns the number of findings.
    ///
    /// # Errors
    /// If findings could not be written.
    pub fn end(self, paths: usize) -> Result<usize, VerifyError> {
        self.progress.finish_and_clear();
        let packages = self.installed.packages.len();
        if self.arguments.json {
            let report = JsonReport {
                version: JSON_VERSION,
                database: self.installed.manager.name(),
                packages,
                paths,
                unread: self.filtered,
                warnings: self.installed.warnings.clone(),
                unsummed: self.installed.unsummed.clone(),
                findings: self.findings,
            };
            let text = serde_json::to_string_pretty(&report).map_err(io::Error::from);
            text.and_then(|text| print_line(&text)).map_err(VerifyError::Write)?;
        } else {
            if self.filtered > 0 {
                let files = counted(self.filtered, "file");
                eprintln!(
                    "note: {files} could not be read and therefore not verified; --no-filter \
                     lists them"
                );
            }
            if self.arguments.verbose > 0 {
                let findings = counted(self.reported, "finding");
                eprintln!(
                    "verified {} of {}: {findings}",
                    counted(paths, "path"),
                    counted(packages, "package")
                );
            }
        }
        self.failure.map_or(Ok(self.reported), |failure| Err(VerifyError::Write(failure)))
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Prints a line. A reader that closed the pipe wants no more: the status still says what was
/// found.
fn print_line(line: &str) -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{line}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
