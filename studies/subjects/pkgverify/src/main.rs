//! The command line of `pkgverify`: what was typed, and how findings are printed.

mod arguments;
mod output;

use std::process::ExitCode;

use pkgverify::{VerifyError, database, verify};

use arguments::Arguments;
use output::Printer;

fn main() -> ExitCode {
    let arguments = Arguments::typed();
    match execute(&arguments) {
        Ok(outcome) => outcome,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns 0 if all is as recorded, 1 if something is not, 2 if nothing could be verified.
fn execute(arguments: &Arguments) -> Result<ExitCode, VerifyError> {
    let root = arguments.root();
    let patterns = if arguments.all { &[] } else { arguments.packages.as_slice() };
    let choose = |packages| arguments.selection().select(packages, patterns);
    let mut installed = database::load(&root, arguments.admindir.as_deref(), &choose)?;
    if arguments.no_conffiles {
        installed
            .packages
            .iter_mut()
            .for_each(|package| package.files.retain(|file| !file.is_conffile));
    }
    let records_nothing = installed.records_nothing();
    let mut printer = Printer::new(arguments, &installed);
    printer.begin();
    let paths = verify(&installed, &root, arguments.options(), |notice| printer.note(notice))?;
    let findings = printer.end(paths)?;
    if findings == 0 && records_nothing {
        eprintln!(
            "error: no content was verified: the database has no checksum for these packages\n\
             hint: `apt-get install --reinstall PACKAGE` records the checksums of a package again"
        );
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::from(u8::from(findings > 0)))
}
