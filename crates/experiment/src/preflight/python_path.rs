//! Checks whether Python would import modules from the work tree instead of the build.
//!
//! With `-c` and `-m` Python looks into the current folder before those of `PYTHONPATH`. The
//! current folder is that of the plan, which is the same at every revision: all revisions would be
//! measured with the code in the work tree, and no difference would ever be found.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use tacho_record::plan::{BUILD, Benchmark};

/// The variable that keeps Python from looking into the current folder first.
const SAFE: &str = "PYTHONSAFEPATH";

/// A module that Python takes from elsewhere than the build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadowedModule {
    /// The path of the module, from the folder in which the benchmark is executed: `slug/`.
    pub taken: String,
    /// The folder that it is meant to come from: `{build}/src`.
    pub meant: String,
}

/// The module of that benchmark which is taken from the current folder, if there is one.
///
/// Only modules that are both there and among the artifacts are reported, so that a program of the
/// work tree may use a package of the build.
pub fn shadowed(
    benchmark: &Benchmark,
    artifacts: &[String],
    plan_folder: &Path,
) -> Option<ShadowedModule> {
    let words = words(benchmark)?;
    let place = words.iter().position(|word| is_python(word))?;
    let (before, options) = (&words[..place], &words[place + 1..]);
    let is_moved = |word: &String| ["cd", "pushd", "-C"].contains(&word.as_str());
    if before.iter().any(|word| is_moved(word) || word.starts_with("--chdir")) {
        return None;
    }
    let inherited = || tacho_measure::environment(&benchmark.conditions).remove(OsStr::new(SAFE));
    if assigned(SAFE, before)
        .map(OsString::from)
        .or_else(inherited)
        .is_some_and(|it| !it.is_empty())
    {
        return None;
    }
    let folder = benchmark.folder(plan_folder, None)?;
    let modules = imported(options)?;
    let set = || benchmark.conditions.environment.get("PYTHONPATH").map(String::as_str);
    let path = assigned("PYTHONPATH", before).or_else(set)?;
    path.split(':').filter_map(|meant| Some((meant, meant.strip_prefix(BUILD)?))).find_map(
        |(meant, within)| {
            let names = of_build(within.trim_matches('/'), &modules, artifacts);
            let taken = names.iter().find_map(|name| in_folder(&folder, name))?;
            Some(ShadowedModule { taken, meant: meant.trim_end_matches('/').to_owned() })
        },
    )
}

/// The words of its command, as far as they can be read without a shell.
fn words(benchmark: &Benchmark) -> Option<Vec<String>> {
    match benchmark.shell {
        None => Some(benchmark.command.clone()),
        Some(_) => shell_words::split(benchmark.command.first()?).ok(),
    }
}

/// `python3`, `/usr/bin/python3.12`, `pypy`.
fn is_python(word: &str) -> bool {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The value to which the command sets a variable before the program.
fn assigned<'a>(name: &str, before: &'a [String]) -> Option<&'a str> {
    let set = before.iter().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    set.map(|value| value.trim_end_matches(';'))
}

/// The modules that these options import; `None` if the current folder is not looked into.
fn imported(options: &[String]) -> Option<Vec<String>> {
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let letters = word.strip_prefix('-').filter(|rest| !rest.is_empty())?;
        for (at, letter) in letters.char_indices() {
            let mut value = || match &letters[at + letter.len_utf8()..] {
                "" => words.next().map(String::as_str),
                rest => Some(rest),
            };
            match letter {
                'c' => return imports(value()?),
                'm' => return Some(vec![top(value()?).to_owned()]),
                'I' | 'P' => return None,
                'W' | 'X' => {
                    value()?;
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

/// The modules that code imports; `None` if it sees to its path itself.
fn imports(code: &str) -> Option<Vec<String>> {
    if code.contains("sys.path") || code.contains("chdir") {
        return None;
    }
    let statements = code.split([';', '\n']).map(str::trim);
    let modules = statements.flat_map(|statement| {
        let all = statement.strip_prefix("import ").map(|rest| rest.split(',').collect());
        let one = statement.strip_prefix("from ").map(|rest| vec![rest]);
        all.or(one).unwrap_or_default()
    });
    Some(modules.map(|module| top(module).to_owned()).collect())
}

/// The package of `package.module as name`.
fn top(module: &str) -> &str {
    module.trim_start().split(['.', ' ']).next().unwrap_or_default()
}

/// The modules that the build has in that folder: those that are named and may be among the
/// artifacts, and artifacts that are modules themselves.
fn of_build(within: &str, named: &[String], artifacts: &[String]) -> Vec<String> {
    let prefix = if within.is_empty() { String::new() } else { format!("{within}/") };
    let plain = |artifact: &str| artifact.trim_start_matches("./").trim_end_matches('/').to_owned();
    let has = |module: &&String| {
        let places = [format!("{prefix}{module}"), format!("{prefix}{module}.py")];
        artifacts.iter().map(|artifact| plain(artifact)).any(|artifact| {
            let pattern = glob::Pattern::new(&artifact).ok();
            let is_it = |place: &String| pattern.as_ref().is_some_and(|it| it.matches(place));
            artifact.is_empty()
                || artifact == "."
                || Path::new(&places[0]).starts_with(&artifact)
                || places.iter().any(is_it)
        })
    };
    let own = artifacts.iter().filter_map(|artifact| {
        let name = plain(artifact).strip_prefix(&prefix)?.to_owned();
        let name = name.strip_suffix(".py").unwrap_or(&name);
        (!name.is_empty() && !name.contains(['/', '.'])).then(|| name.to_owned())
    });
    named.iter().filter(has).cloned().chain(own).collect()
}

/// The module of that name in a folder; a folder without `__init__.py` gives way to a package.
fn in_folder(folder: &Path, name: &str) -> Option<String> {
    if folder.join(name).join("__init__.py").is_file() {
        return Some(format!("{name}/"));
    }
    let file = format!("{name}.py");
    folder.join(&file).is_file().then_some(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tacho_record::plan;

    use super::*;

    /// What is shadowed in a folder with the package `slug`, by what follows in a benchmark.
    fn of(artifact: &str, benchmark: &str) -> Option<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("slug/data")).unwrap();
        fs::write(folder.path().join("slug/__init__.py"), "").unwrap();
        fs::write(folder.path().join("harness.py"), "").unwrap();
        let text = format!(
            "[subject]\nartifacts = [\"{artifact}\"]\n[[benchmark]]\nname = \"x\"\n{benchmark}\n"
        );
        let plan = plan::parse(&text, "tacho.toml").unwrap();
        let found = shadowed(&plan.benchmarks[0], &plan.subject.artifacts, folder.path());
        found.map(|it| (it.taken, it.meant))
    }

    fn command(artifact: &str, words: &str) -> Option<(String, String)> {
        of(artifact, &format!("command = '''{words}'''"))
    }

    fn taken(meant: &str) -> (String, String) {
        ("slug/".to_owned(), meant.to_owned())
    }

    #[test]
    fn a_package_of_the_work_tree_goes_before_that_of_the_build() {
        let build = "env PYTHONPATH={build}";
        let cases = [
            "python3 -c 'import slug'",
            "python3 -m slug",
            "python3.12 -m slug.cli --help",
            "/usr/bin/python3 -B -Xutf8 -X dev -c 'import os, slug as s; s.work()'",
            "python3 -Bm slug",
            "python3 -cfrom\\ slug.parts\\ import\\ it",
            // The program itself lies in the work tree, and imports the package.
            "python3 -m harness",
        ];
        for case in cases {
            assert_eq!(
                command("slug", &format!("{build} {case}")),
                Some(taken("{build}")),
                "{case}"
            );
        }
        let installed = "env PYTHONPATH={build}/site/ python3 -c 'import slug'";
        assert_eq!(command("site", installed), Some(taken("{build}/site")));
        assert_eq!(command("site/*", installed), Some(taken("{build}/site")));
        assert_eq!(command("src/slug/", "env PYTHONPATH={build}/src python3 -m slug"), {
            Some(taken("{build}/src"))
        });
        let set = "command = 'python3 -m slug'\nconditions.environment.PYTHONPATH = '{build}'";
        assert_eq!(of("slug", set), Some(taken("{build}")));
        let shell = "command = 'PYTHONPATH={build} python3 -m slug | wc -l'\nshell = true";
        assert_eq!(of("slug", shell), Some(taken("{build}")));
    }

    #[test]
    fn what_comes_from_the_build_is_no_mistake() {
        let build = "env PYTHONPATH={build}";
        let cases = [
            "python3 -P -m slug",
            "python3 -BIc 'import slug'",
            "PYTHONSAFEPATH=1 python3 -m slug",
            "python3 -c 'import sys; sys.path[0] = \"{build}\"; import slug'",
            "python3 {build}/slug/__main__.py -m slug",
            "python3 harness.py",
            "-C {build} python3 -m slug",
            "sh -c 'true'",
        ];
        for case in cases {
            assert_eq!(command("slug", &format!("{build} {case}")), None, "{case}");
        }
        // Another package, and the same one in a layout of folders that nothing shadows.
        assert_eq!(command("other", "env PYTHONPATH={build} python3 -c 'import other'"), None);
        assert_eq!(command("prog", "env PYTHONPATH={build} python3 -m harness {build}/prog"), None);
        assert_eq!(command("slug", "env PYTHONPATH=/usr/lib python3 -m slug"), None);
        for directory in ["{build}", "{build}/slug", "slug/data"] {
            let elsewhere = "command = 'env PYTHONPATH={build} python3 -m slug'";
            assert_eq!(of("slug", &format!("{elsewhere}\ndirectory = \"{directory}\"")), None);
        }
        let safe = "command = 'env PYTHONPATH={build} python3 -m slug'\n\
                    conditions.environment = { PYTHONSAFEPATH = \"1\" }";
        assert_eq!(of("slug", safe), None);
        let moved = "command = 'cd {build} && PYTHONPATH={build} python3 -m slug'\nshell = true";
        assert_eq!(of("slug", moved), None);
    }
}
