//! C, C++ and others that are built by `CMake`.

use super::files::{Folder, calls, is_plain};
use super::{Program, Recipe};

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let root = folder.read("CMakeLists.txt")?;
    let project = calls(&root, "project").first().and_then(|call| first_word(call)).unwrap_or_default();
    let lists = folder.all("CMakeLists.txt");
    let programs: Vec<(String, String)> = (lists.iter())
        .flat_map(|(path, text)| {
            let calls = calls(text, "add_executable").into_iter();
            calls.filter_map(|call| Some((path.clone(), program(&call, &project)?))).collect::<Vec<_>>()
        })
        .collect();
    let program = programs.iter().find(|(_, name)| *name == project).or(programs.first());
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
            Program::with_help(&format!("{output}/{place}{name}"))
        }),
    })
}

/// The name of the program that such a call adds, unless it comes from elsewhere.
fn program(call: &str, project: &str) -> Option<String> {
    let is_elsewhere = call.split_whitespace().any(|word| word == "IMPORTED" || word == "ALIAS");
    let name = first_word(call)?;
    let name = name.replace("${PROJECT_NAME}", project).replace("${CMAKE_PROJECT_NAME}", project);
    (!is_elsewhere && is_plain(&name)).then_some(name)
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
