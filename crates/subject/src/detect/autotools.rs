//! Projects with a `configure` script, or the means to make one.

use super::files::{Folder, assigned, is_aside, is_plain};
use crate::detect::recipe::{NamedProgram, Recipe};

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let source = folder.read("configure.ac").or_else(|| folder.read("configure.in"));
    let has_script = folder.commits_file("configure");
    let preparation = if has_script {
        ""
    } else if source.is_none() {
        return None;
    } else if folder.commits_file("autogen.sh") {
        "NOCONFIGURE=1 ./autogen.sh && "
    } else if folder.commits_file("bootstrap") {
        "./bootstrap && "
    } else {
        "autoreconf --force --install && "
    };
    let mut notes = Vec::new();
    let uses_libtool =
        source.is_some_and(|text| text.contains("LT_INIT") || text.contains("PROG_LIBTOOL"));
    let options = if uses_libtool { " --disable-shared" } else { "" };
    if uses_libtool {
        notes.push(
            "Shared libraries are off: with them, the program is a script that needs the checkout.",
        );
    }
    Some(Recipe {
        what: "a project with a configure script",
        build: Some(format!("{preparation}./configure{options} && make -j{{jobs}}")),
        notes,
        program: program(folder).map(|path| NamedProgram::with_help(&path)),
    })
}

/// The first program that is made to be installed, by its path from the root.
fn program(folder: &Folder) -> Option<String> {
    let makefiles = folder.all("Makefile.am");
    let mut lists = makefiles.iter().flat_map(|(path, text)| {
        let text = text.replace("\\\n", " ");
        let programs: Vec<String> = (text.lines())
            .filter_map(|line| {
                assigned(line, "bin_PROGRAMS").or_else(|| assigned(line, "bin_PROGRAMS +"))
            })
            .flat_map(|names| {
                names.split_whitespace().map(|name| format!("{path}{name}")).collect::<Vec<_>>()
            })
            .collect();
        programs
    });
    lists
        .find(|path| is_plain(path) && !is_aside(path))
        .or_else(|| super::make::program(&folder.read("Makefile.in")?))
}
