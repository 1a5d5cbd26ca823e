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
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns how many files are not as recorded.
fn execute(arguments: &Arguments) -> Result<usize, VerifyError> {
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
    let mut printer = Printer::new(arguments, &installed);
    printer.begin();
    let paths = verify(&installed, &root, arguments.options(), |notice| printer.note(notice))?;
    Ok(printer.end(paths))
}
