//! Whether each revision would be measured by the same program, which is never meant.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tacho_record::Plan;
use tacho_record::bisection::ValueSource;
use tacho_record::plan::Benchmark;

use crate::cli::BisectArgs;
use crate::output;

/// Says so before hours are spent on it. It is no mistake for certain: what is executed may find
/// the program by itself.
pub fn tell(plan: &Plan, of: ValueSource, command: &BisectArgs, folder: &Path) {
    let executed = plan.benchmarks.first().filter(|_| of == ValueSource::Execution);
    let typed = command.test.as_deref().or(command.typed.run.as_deref());
    let told = match typed {
        Some(typed) => in_repository(typed, folder).map(|path| of_path(&path)),
        None => executed.filter(|it| !it.names_revisions()).map(of_benchmark),
    };
    if let Some([warning, hint]) = told {
        output::note("warning", &warning);
        output::note("hint", &hint);
    }
}

fn of_benchmark(benchmark: &Benchmark) -> [String; 2] {
    let program =
        benchmark.command.first().filter(|word| benchmark.shell.is_none() && word.contains('/'));
    let name =
        program.and_then(|word| Path::new(word).file_name()).map(|name| name.to_string_lossy());
    [
        format!(
            "nothing that `{}` executes names `{{build}}`: each revision is measured by the same \
             program",
            benchmark.name
        ),
        format!(
            "in the plan's command `{{build}}/{}` is the program of each revision",
            name.unwrap_or("prog".into())
        ),
    ]
}

fn of_path(path: &Path) -> [String; 2] {
    let path = path.display();
    [
        format!(
            "`{path}` of the repository's folder is executed whatever is built: each revision is \
             measured by the same program"
        ),
        format!("`./{path}` is the one that was built"),
    ]
}

/// A program of the repository's folder that a shell command names by its whole path, from that
/// folder: the command is executed where the revision was built.
fn in_repository(command: &str, folder: &Path) -> Option<PathBuf> {
    let quotes = |c: char| matches!(c, '\'' | '"' | ';' | '(' | ')');
    let words = command.split_whitespace().map(|word| Path::new(word.trim_matches(quotes)));
    let program = |path: PathBuf| {
        let is_program = |of: fs::Metadata| of.is_file() && of.permissions().mode() & 0o111 != 0;
        fs::metadata(&path).is_ok_and(is_program).then_some(path)
    };
    let whole = words.filter(|path| path.is_absolute()).filter_map(|path| path.canonicalize().ok());
    whole.filter_map(program).find_map(|path| path.strip_prefix(folder).map(Path::to_owned).ok())
}
