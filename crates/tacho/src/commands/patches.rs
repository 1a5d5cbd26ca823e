//! Diffs as they were typed: files, or standard input.

use std::fs;
use std::io::Read;
use std::path::Path;

use tacho_experiment::patches::PatchFile;
use tacho_record::Digest;

use crate::error::CliError;
use crate::project::Project;

/// The argument for standard input, and its name.
const INPUT: (&str, &str) = ("-", "standard input");

/// The diff of this path; what can be read only once (`-`, a pipe like `<(git diff)`) is read now,
/// and kept in the cache.
pub fn typed(project: &Project, path: &Path) -> Result<PatchFile, CliError> {
    if is_input(path) {
        return read(project, std::io::stdin(), INPUT.1);
    }
    let is_stream = fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
    if is_stream {
        let stream = fs::File::open(path).map_err(CliError::reading(path))?;
        return read(project, stream, &path.to_string_lossy());
    }
    let full = path.canonicalize().map_err(CliError::reading(path))?;
    let from_plan = full.strip_prefix(&project.folder).unwrap_or(&full);
    Ok(PatchFile {
        name: path.to_string_lossy().into_owned(),
        path: from_plan.to_string_lossy().into_owned(),
    })
}

/// Whether the path means standard input.
pub fn is_input(path: &Path) -> bool {
    path == Path::new(INPUT.0)
}

fn read(project: &Project, from: impl Read, name: &str) -> Result<PatchFile, CliError> {
    let content = tacho_measure::read_all(from).map_err(CliError::reading(Path::new(name)))?;
    if content.trim_ascii().is_empty() {
        let is_input = name == INPUT.1;
        let name = if is_input { name.to_owned() } else { format!("`{name}`") };
        return Err(CliError::EmptyPatch { name });
    }
    let folder = project.cache();
    let path = folder.join(format!("input-{}.patch", Digest::of(&content).short()));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, content))
        .map_err(CliError::reading(&path))?;
    Ok(PatchFile { name: name.to_owned(), path: path.to_string_lossy().into_owned() })
}
