//! `tarcheck`: checks source archives in one pass.

mod cli;

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use tarcheck::{Options, Report, checks};

use cli::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let result = execute(&arguments, &mut out).and_then(|exit| out.flush().map(|()| exit));
    match result {
        Ok(exit) => exit.into(),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot write the report: {error}");
            2.into()
        }
    }
}

/// Checks all archives; one that cannot be read does not keep the others from being checked.
fn execute(arguments: &Arguments, out: &mut impl Write) -> std::io::Result<u8> {
    if arguments.list {
        return list(out).map(|()| 0);
    }
    let options = match arguments.options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(2);
        }
    };
    let mut exit = 0;
    for path in &arguments.archives {
        exit = exit.max(one(path, arguments, &options, out)?);
    }
    Ok(exit)
}

fn one(
    path: &Path,
    arguments: &Arguments,
    options: &Options,
    out: &mut impl Write,
) -> std::io::Result<u8> {
    match tarcheck::check(path, options) {
        Ok(report) => {
            print(path, &report, arguments, out)?;
            if arguments.stats {
                eprint!("{}", report.cpu.lines());
            }
            Ok(u8::from(arguments.fail_on.is_reached(report.worst())))
        }
        Err(error) => {
            out.flush()?;
            eprintln!("error: {error}");
            Ok(2)
        }
    }
}

fn print(
    path: &Path,
    report: &Report,
    arguments: &Arguments,
    out: &mut impl Write,
) -> std::io::Result<()> {
    if arguments.json {
        let mut object = serde_json::json!({ "archive": path.to_string_lossy() });
        object["entries"] = report.totals.entries.into();
        object["packed"] = report.totals.packed.into();
        object["unpacked"] = report.totals.unpacked.into();
        object["hints"] = serde_json::to_value(&report.hints)?;
        return writeln!(out, "{object}");
    }
    for hint in &report.hints {
        writeln!(out, "{hint}")?;
    }
    out.flush()?;
    if !arguments.quiet {
        eprintln!("{}: {}", path.display(), report.summary());
    }
    Ok(())
}

fn list(out: &mut impl Write) -> std::io::Result<()> {
    checks::ALL.iter().try_for_each(|check| {
        writeln!(out, "{:<31} {:<8} {}", check.tag, check.severity, check.about)
    })
}
