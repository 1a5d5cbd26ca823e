//! Rust projects: one package or a workspace, with a program or at least an example.

use toml::{Table, Value};

use super::files::{Folder, at, is_plain};
use crate::detect::recipe::{NamedProgram, Recipe};

/// The target of `cargo build`.
struct CargoTarget {
    /// The package, by name.
    package: String,
    /// `bin` or `example`.
    kind: &'static str,
    name: String,
}

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let manifest = folder.table("Cargo.toml")?;
    let own = target(folder, "");
    let is_program = |target: &CargoTarget| target.kind == "bin";
    let target = match own {
        Some(own) if is_program(&own) => Some(own),
        own => members(folder, &manifest, is_program).or(own),
    };
    let mut notes =
        vec!["The target folder is given, since Cargo's configuration may name another."];
    let mut command = vec!["cargo build --release".to_owned()];
    if folder.commits_file("Cargo.lock") {
        command.push("--locked".to_owned());
        notes.push(
            "Leave out --locked where old revisions have no Cargo.lock, or one that does not fit.",
        );
    }
    if let Some(CargoTarget { package, kind, name }) = &target {
        command.push(format!("--package {package} --{kind} {name}"));
    }
    command.push("--jobs {jobs} --target-dir target".to_owned());
    let program = target.map(|target| {
        let folder = if is_program(&target) { "target/release" } else { "target/release/examples" };
        NamedProgram::with_help(&format!("{folder}/{}", target.name))
    });
    Some(Recipe { what: "a Cargo project", build: Some(command.join(" ")), notes, program })
}

/// A program of the workspace's members: that which is named like the folder, else the first.
fn members(
    folder: &Folder,
    manifest: &Table,
    is_program: fn(&CargoTarget) -> bool,
) -> Option<CargoTarget> {
    let paths =
        at(manifest, "workspace.default-members").or_else(|| at(manifest, "workspace.members"))?;
    let mut folders = Vec::new();
    for path in paths.as_array()?.iter().filter_map(Value::as_str) {
        let path = format!("{}/", path.trim_start_matches("./").trim_end_matches('/'));
        match path.strip_suffix("*/") {
            Some(parent) => folders.extend(folder.folders(parent)),
            None => folders.push(path),
        }
    }
    let targets = folders.iter().filter_map(|path| target(folder, path)).filter(is_program);
    let mut targets: Vec<CargoTarget> = targets.collect();
    let name = folder.name();
    let named = targets.iter().position(|target| Some(&target.name) == name.as_ref()).unwrap_or(0);
    (named < targets.len()).then(|| targets.swap_remove(named))
}

/// The executable of the package in a folder: its main program, otherwise its first one, otherwise
/// an example.
fn target(folder: &Folder, path: &str) -> Option<CargoTarget> {
    let manifest = folder.table(&format!("{path}Cargo.toml"))?;
    let package = at(&manifest, "package.name")?.as_str().filter(|name| is_plain(name))?.to_owned();
    let default = at(&manifest, "package.default-run").and_then(Value::as_str).map(str::to_owned);
    let listed = at(&manifest, "bin").and_then(Value::as_array).into_iter().flatten();
    let listed = listed.filter_map(|bin| Some(bin.get("name")?.as_str()?.to_owned()));
    let main = folder.has_file(&format!("{path}src/main.rs")).then(|| package.clone());
    let programs = default
        .into_iter()
        .chain(listed)
        .chain(main)
        .chain(sources(folder, &format!("{path}src/bin/")));
    let programs = programs.map(|name| ("bin", name));
    let examples =
        sources(folder, &format!("{path}examples/")).into_iter().map(|name| ("example", name));
    let (kind, name) = programs.chain(examples).find(|(_, name)| is_plain(name))?;
    Some(CargoTarget { package, kind, name })
}

/// The programs of the files and folders in such a folder.
fn sources(folder: &Folder, path: &str) -> Vec<String> {
    let program = |name: String| match name.strip_suffix('/') {
        Some(inner) => folder.has_file(&format!("{path}{inner}/main.rs")).then(|| inner.to_owned()),
        None => name.strip_suffix(".rs").map(str::to_owned),
    };
    folder.entries(path).into_iter().filter_map(program).collect()
}
