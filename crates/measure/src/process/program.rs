//! Checks that the program of a request exists, and suggests similar names.

use std::ffi::OsStr;
use std::fs::read_dir;
use std::path::{Path, PathBuf};

use super::order::{candidates, environment_of};
use crate::{Request, Unavailable};

/// The largest number of wrong letters in a mistyped name, which must have some right ones.
const WRONG: usize = 2;
/// A shorter name has one at the most.
const LONG: usize = 5;

/// The program of a request, by name or path as given, if there is no such file.
#[must_use]
pub fn missing_program(request: &Request) -> Option<&str> {
    let program = request.command.first()?;
    // A folder that we may not look into may hold it.
    let is_there = |place: &PathBuf| place.try_exists().unwrap_or(true);
    (!places(request, program).iter().any(is_there)).then_some(program)
}

/// Its possible paths.
fn places(request: &Request, program: &str) -> Vec<PathBuf> {
    let path = environment_of(request).remove(OsStr::new("PATH"));
    let candidates = candidates(program, path.as_ref());
    candidates.iter().map(|place| request.directory.join(place)).collect()
}

/// The reason why it cannot be started, if there is no such file.
pub fn missing(request: &Request) -> Option<Unavailable> {
    let program = missing_program(request)?;
    let named = program.contains('/');
    let why = if named {
        format!("`{program}` does not exist")
    } else {
        format!("command not found: `{program}`")
    };
    let wanted = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let hint = nearest(wanted, &places(request, program));
    let hint = hint.map(|name| format!("did you mean `{name}`?"));
    Some(Unavailable { why, hint })
}

/// The installed program whose name is so near to this one that it was probably meant.
#[must_use]
pub fn nearest_program(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH");
    let places: Vec<PathBuf> =
        candidates(name, path.as_ref()).into_iter().map(PathBuf::from).collect();
    nearest(name, &places)
}

/// The nearest name in the folders of these places.
fn nearest(wanted: &str, places: &[PathBuf]) -> Option<String> {
    let entries =
        places.iter().filter_map(|place| read_dir(place.parent()?).ok()).flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let near = names.filter_map(|name| Some((distance(&name, wanted)?, name)));
    near.min().map(|(_, name)| name)
}

/// The number of wrong letters, if one name may have been meant by the other. Two are too many in a
/// short name, and if the first letter is wrong: `nosuch` is not meant as `touch`.
fn distance(name: &str, wanted: &str) -> Option<usize> {
    let far = strsim::osa_distance(name, wanted);
    let is_alike = wanted.chars().count() >= LONG && name.chars().next() == wanted.chars().next();
    let most = if is_alike { WRONG } else { (WRONG - 1).min(wanted.chars().count() / 2) };
    (far <= most).then_some(far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_program_is_told_with_the_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("compress"), "").unwrap();
        let of = |program: &str| {
            let path = ("PATH".to_owned(), folder.path().to_str().unwrap().to_owned());
            let request = Request {
                directory: folder.path().to_owned(),
                environment: vec![path],
                ..Request::new([program])
            };
            assert_eq!(missing_program(&request).is_some(), missing(&request).is_some());
            missing(&request).map(|missing| (missing.why, missing.hint.unwrap_or_default()))
        };
        assert_eq!(of("compress"), None);
        assert_eq!(of("./compress"), None);
        let meant = "did you mean `compress`?".to_owned();
        assert_eq!(of("comprss"), Some(("command not found: `comprss`".to_owned(), meant.clone())));
        assert_eq!(of("./cmopress"), Some(("`./cmopress` does not exist".to_owned(), meant)));
        assert_eq!(of("nompress").unwrap().1, "did you mean `compress`?");
        assert_eq!(of("nonpress").unwrap().1, "", "the first letter and another are wrong");
        assert_eq!(of("./x"), Some(("`./x` does not exist".to_owned(), String::new())));
    }
}
