//! C, C++ and others that are built by `CMake`.

use super::files::{Folder, calls, is_aside, is_plain};
use crate::recognise::recipe::{NamedProgram, Recipe};

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let root = folder.read("CMakeLists.txt")?;
    let project =
        calls(&root, "project").first().and_then(|call| first_word(call)).unwrap_or_default();
    let lists = folder.all("CMakeLists.txt");
    let programs: Vec<(String, String)> = (lists.iter())
        .flat_map(|(path, text)| {
            let calls = calls(text, "add_executable").into_iter();
            let names = calls.flat_map(|call| programs_of(&call, text, &project));
            names.map(|name| (path.clone(), name)).collect::<Vec<_>>()
        })
        .collect();
    let is_meant = |(_, name): &&(String, String)| !is_aside(name);
    let program =
        programs.iter().find(|(_, name)| *name == project).or(programs.iter().find(is_meant));
    // Some projects keep things in a folder `build`; a build folder that is one can be used again.
    let output = if folder.entries("build").is_empty() || folder.has_file("build/CMakeCache.txt") {
        "build"
    } else {
        "_build"
    };
    let mut configure = format!("cmake -S . -B {output} -DCMAKE_BUILD_TYPE=Release");
    let mut notes = Vec::new();
    if lists.iter().any(|(_, text)| !calls(text, "add_library").is_empty()) {
        configure.push_str(" -DBUILD_SHARED_LIBS=OFF");
        notes.push("Libraries are linked into the program, since only the program is kept.");
    }
    let target = program.map_or(String::new(), |(_, name)| format!(" --target {name}"));
    Some(Recipe {
        what: "a CMake project",
        build: Some(format!("{configure} && cmake --build {output} --parallel {{jobs}}{target}")),
        notes,
        program: program.map(|(path, name)| {
            let place = runtime_folder(&lists).unwrap_or_else(|| path.clone());
            NamedProgram::with_help(&format!("{output}/{place}{name}"))
        }),
    })
}

/// The names of the programs that such a call adds, unless they come from elsewhere: several in a
/// loop.
fn programs_of(call: &str, text: &str, project: &str) -> Vec<String> {
    let is_elsewhere = call.split_whitespace().any(|word| word == "IMPORTED" || word == "ALIAS");
    let Some(name) = first_word(call).filter(|_| !is_elsewhere) else { return Vec::new() };
    let name = name.replace("${PROJECT_NAME}", project).replace("${CMAKE_PROJECT_NAME}", project);
    let variable = name.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
    let names = variable.map_or_else(|| vec![name.clone()], |variable| values(text, variable));
    names.into_iter().filter(|name| is_plain(name)).collect()
}

/// What a variable is: each item of the loops over it, or of the list that it is set to.
fn values(text: &str, variable: &str) -> Vec<String> {
    let after = |call: String| {
        let mut words = call.split_whitespace().map(|word| word.trim_matches('"').to_owned());
        (words.next().as_deref() == Some(variable)).then(|| words.collect::<Vec<_>>())
    };
    let items = calls(text, "foreach").into_iter().filter_map(after).flatten();
    let items = items.filter(|word| !["IN", "ITEMS", "LISTS"].contains(&word.as_str()));
    let list = |item: String| match item.strip_prefix("${").and_then(|name| name.strip_suffix('}'))
    {
        Some(name) => {
            let set = |call: String| {
                Some(call.strip_prefix(name)?.strip_prefix(char::is_whitespace)?.to_owned())
            };
            let words = calls(text, "set").into_iter().find_map(set).unwrap_or_default();
            words.split_whitespace().map(str::to_owned).collect()
        }
        None => vec![item],
    };
    items.flat_map(list).collect()
}

/// Where all programs are put, from the build folder and with a final `/`, if the project says so.
fn runtime_folder(lists: &[(String, String)]) -> Option<String> {
    let mut sets = lists.iter().flat_map(|(_, text)| calls(text, "set"));
    let value = sets.find_map(|call| {
        call.strip_prefix("CMAKE_RUNTIME_OUTPUT_DIRECTORY").map(|value| value.trim().to_owned())
    })?;
    let value = first_word(&value)?;
    let inner = ["${CMAKE_BINARY_DIR}/", "${PROJECT_BINARY_DIR}/"]
        .iter()
        .find_map(|root| value.strip_prefix(root))?;
    is_plain(inner).then(|| format!("{}/", inner.trim_end_matches('/')))
}

fn first_word(call: &str) -> Option<String> {
    Some(call.split_whitespace().next()?.trim_matches('"').to_owned())
}
