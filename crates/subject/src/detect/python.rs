//! Python packages, executed from their source or, where that does not do, installed beside it.

use toml::Value;

use super::files::{Folder, at, calls, has_ending, is_aside, is_plain, strings};
use crate::detect::recipe::{NamedProgram, Recipe};

/// Build systems that do more than copy files.
const COMPILING: [&str; 6] =
    ["maturin", "mesonpy", "scikit_build_core", "setuptools_rust", "skbuild", "flit_scm"];

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let project = folder.table("pyproject.toml").filter(|project| {
        // Others keep the settings of their tools in this file.
        at(project, "project")
            .or_else(|| at(project, "build-system"))
            .or_else(|| at(project, "tool.poetry"))
            .is_some()
    });
    let setup = folder.read("setup.py");
    if project.is_none() && setup.is_none() {
        return None;
    }
    let project = project.unwrap_or_default();
    let setup = setup.unwrap_or_default() + &folder.read("setup.cfg").unwrap_or_default();
    let named = at(&project, "project.name")
        .or_else(|| at(&project, "tool.poetry.name"))
        .and_then(Value::as_str);
    let named = named.map(str::to_owned).or_else(|| setup_name(&setup));
    let needs_others = at(&project, "project.dependencies")
        .and_then(Value::as_array)
        .is_some_and(|all| !all.is_empty())
        || at(&project, "tool.poetry.dependencies")
            .and_then(Value::as_table)
            .is_some_and(|all| all.len() > 1)
        || setup.contains("install_requires");
    let backend =
        at(&project, "build-system.build-backend").and_then(Value::as_str).unwrap_or_default();
    let compiles =
        COMPILING.iter().any(|name| backend.starts_with(name)) || setup.contains("ext_modules");
    let module = module(folder, named.as_deref());
    Some(if needs_others || compiles { installed(module, needs_others) } else { as_it_is(module) })
}

/// A module, and its folder, which is empty or ends with `/`.
struct Module {
    folder: &'static str,
    name: String,
    /// Its path: a folder, or one file.
    file: String,
}

/// Whether a file of that name is a module of the project: `__main__`, `setup` and similar ones
/// must not be imported.
fn is_module(name: &str) -> bool {
    !name.starts_with("__") && !["setup", "conftest", "noxfile", "tasks", "fabfile"].contains(&name)
}

/// The module that is named like the project, else the only one there is.
fn module(folder: &Folder, named: Option<&str>) -> Option<Module> {
    let named = named.map(|name| name.to_lowercase().replace(['-', '.'], "_"));
    let is_package = |path: &str| folder.has_file(&format!("{path}__init__.py"));
    let mut found = Vec::new();
    for place in ["src/", ""] {
        for entry in folder.entries(place) {
            let package =
                entry.strip_suffix('/').filter(|_| is_package(&format!("{place}{entry}")));
            let module = entry.strip_suffix(".py").filter(|name| is_module(name));
            if let Some(name) = package.or(module) {
                let (name, file) =
                    (name.to_owned(), format!("{place}{}", entry.trim_end_matches('/')));
                found.push(Module { folder: place, name, file });
            }
        }
    }
    let by_name = found.iter().position(|module| Some(module.name.to_lowercase()) == named);
    let aside = ["test", "tests", "docs", "examples", "benchmarks"];
    let any = || {
        found
            .iter()
            .position(|module| !aside.contains(&module.name.as_str()) && !is_aside(&module.name))
    };
    let chosen = by_name.or_else(any)?;
    Some(found.swap_remove(chosen))
}

/// Pure Python that needs nothing else: its source is what is executed.
fn as_it_is(module: Option<Module>) -> Recipe {
    let build = module.as_ref().map(|module| compile(&module.file));
    let program = module.map(|Module { folder, name, file }| NamedProgram {
        artifacts: if has_ending(&file, "py") {
            vec![file, format!("{folder}__pycache__")]
        } else {
            vec![file]
        },
        benchmark: "import",
        command: import(&format!("{{build}}/{folder}"), &name),
    });
    Recipe {
        what: "a Python project",
        build,
        notes: vec![
            "Byte code is compiled here, without times: equal revisions have equal artifacts.",
        ],
        program,
    }
}

/// Anything else: installed into a folder of its own.
fn installed(module: Option<Module>, needs_others: bool) -> Recipe {
    let mut notes = vec![
        "Byte code is compiled here, without times, and pip's records of the folder are removed:",
        "equal revisions have equal artifacts.",
    ];
    if needs_others {
        notes.push(
            "The newest dependencies are installed too: pin them, or their releases will look \
             like changes.",
        );
    }
    let options = if needs_others { "" } else { " --no-deps" };
    let install = format!("python3 -m pip install --quiet --no-compile{options} --target site .");
    let clean = "rm -f site/*.dist-info/RECORD site/*.dist-info/direct_url.json";
    let program = module.map(|Module { name, .. }| NamedProgram {
        artifacts: vec!["site".to_owned()],
        benchmark: "import",
        command: import("{build}/site", &name),
    });
    Recipe {
        what: "a Python project",
        build: Some(format!("{install} && {clean} && {}", compile("site"))),
        notes,
        program,
    }
}

fn compile(path: &str) -> String {
    format!("python3 -m compileall -q --invalidation-mode unchecked-hash {path}")
}

/// Python takes modules from the current folder first, which is that of the plan, where another
/// revision is checked out. So the folder of the build replaces it.
fn import(path: &str, module: &str) -> String {
    let path = path.trim_end_matches('/');
    format!("python3 -c 'import sys; sys.path[0] = \"{path}\"; import {module}'")
}

/// The name that `setup.py` or `setup.cfg` gives, where it is written out.
fn setup_name(setup: &str) -> Option<String> {
    let call = calls(setup, "setup").into_iter().next().unwrap_or_default();
    let line = call
        .split(',')
        .map(str::trim)
        .chain(setup.lines())
        .find(|part| part.starts_with("name"))?;
    let value = line.split_once('=')?.1.trim();
    let name = strings(value).first().copied().unwrap_or(value);
    is_plain(name).then(|| name.to_owned())
}
