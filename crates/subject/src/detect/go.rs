//! Go modules with a `package main`.

use super::files::{Folder, has_ending, is_plain};
use crate::detect::recipe::{NamedProgram, Recipe};

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let module = folder.read("go.mod")?;
    let path =
        module.lines().find_map(|line| line.strip_prefix("module "))?.trim().trim_matches('"');
    let name = last_part(path)?;
    let package = main_package(folder, name);
    let inner = package.as_deref().map_or("", |package| package.trim_end_matches('/'));
    let binary = last_part(inner).unwrap_or(name);
    let target =
        package.as_ref().map_or("./...".to_owned(), |_| format!("-o bin/{binary} ./{inner}"));
    Some(Recipe {
        what: "a Go module",
        build: Some(format!("go build -p {{jobs}} -trimpath -buildvcs=false {target}")),
        notes: vec![
            "-trimpath and -buildvcs=false keep paths and commits out of the program, so that \
             equal code gives",
            "an equal program.",
        ],
        program: package.as_ref().map(|_| NamedProgram::with_help(&format!("bin/{binary}"))),
    })
}

/// The last part of a module's path that is no version.
fn last_part(path: &str) -> Option<&str> {
    let is_version =
        |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    path.rsplit('/').find(|part| !is_version(part)).filter(|part| is_plain(part))
}

/// The folder of the main package: the outermost, below `cmd/` that which is named like the module,
/// or any.
fn main_package(folder: &Folder, name: &str) -> Option<String> {
    let mut candidates = vec![String::new(), format!("cmd/{name}/")];
    candidates.extend(folder.folders("cmd/"));
    candidates.extend(folder.folders(""));
    candidates.into_iter().find(|path| {
        let sources = folder.entries(path).into_iter();
        let mut sources =
            sources.filter(|name| has_ending(name, "go") && !name.ends_with("_test.go"));
        sources.any(|source| {
            folder.read(&format!("{path}{source}")).is_some_and(|text| is_main(&text))
        })
    })
}

fn is_main(source: &str) -> bool {
    let is_left_out = source.contains("//go:build ignore") || source.contains("// +build ignore");
    !is_left_out
        && source
            .lines()
            .any(|line| line.split("//").next().is_some_and(|code| code.trim() == "package main"))
}
