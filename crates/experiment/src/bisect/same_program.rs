//! Checks whether the same program would be measured for each revision.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tacho_record::Plan;
use tacho_record::bisection::ValueSource;
use tacho_record::plan::Benchmark;
use tacho_report::bisection::SameProgram;

/// The program that would be executed for each revision alike, by the plan or by a `typed` command,
/// with a repository in that folder. This may be no mistake: the command may find the revision's
/// program by itself.
#[must_use]
pub fn same_program(
    plan: &Plan,
    of: ValueSource,
    typed: Option<&str>,
    folder: &Path,
) -> Option<SameProgram> {
    if let Some(typed) = typed {
        return in_repository(typed, folder).map(SameProgram::InRepository);
    }
    let executed = plan.benchmarks.first().filter(|_| of == ValueSource::Execution);
    executed.filter(|it| !it.names_revisions()).map(of_benchmark)
}

fn of_benchmark(benchmark: &Benchmark) -> SameProgram {
    let is_path = |word: &&String| benchmark.shell.is_none() && word.contains('/');
    SameProgram::Benchmark {
        name: benchmark.name.clone(),
        program: benchmark.command.first().filter(is_path).cloned(),
    }
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
