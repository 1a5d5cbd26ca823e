//! C, C++ and others that are built by Meson.

use super::files::{Folder, calls, is_aside, is_plain, strings};
use crate::detect::recipe::{NamedProgram, Recipe};

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let root = folder.read("meson.build")?;
    let project = calls(&root, "project")
        .first()
        .and_then(|call| first_argument(call, ""))
        .unwrap_or_default();
    let programs: Vec<(String, String)> = (folder.all("meson.build").into_iter())
        .flat_map(|(path, text)| {
            let names = calls(&text, "executable")
                .into_iter()
                .filter_map(|call| first_argument(&call, &project));
            names.map(|name| (path.clone(), name)).collect::<Vec<_>>()
        })
        .collect();
    let is_meant = |(_, name): &&(String, String)| !is_aside(name);
    let program =
        programs.iter().find(|(_, name)| *name == project).or(programs.iter().find(is_meant));
    let target = program.map_or(String::new(), |(path, name)| format!(" {path}{name}"));
    Some(Recipe {
        what: "a Meson project",
        build: Some(format!(
            "meson setup --buildtype=release --default-library=static builddir && ninja -C \
             builddir -j {{jobs}}{target}"
        )),
        notes: vec!["Libraries are linked into the program, since only the program is kept."],
        program: program
            .map(|(path, name)| NamedProgram::with_help(&format!("builddir/{path}{name}"))),
    })
}

/// The first argument of a call: a string, or the project's name.
fn first_argument(call: &str, project: &str) -> Option<String> {
    let argument = call.split(',').next()?.trim();
    let strings = strings(argument);
    let name =
        if argument.starts_with("meson.project_name") { project } else { strings.first()? };
    is_plain(name).then(|| name.to_owned())
}
