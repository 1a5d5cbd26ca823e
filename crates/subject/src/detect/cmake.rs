//! C, C++ and others that are built by `CMake`.

use std::collections::BTreeMap;

use super::files::{Folder, calls, is_aside, is_plain};
use crate::detect::recipe::{NamedProgram, Recipe};

/// How many programs of a file are looked at, and how many items of a loop; a few lines could name
/// any number.
const MOST: usize = 1000;

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let root = folder.read("CMakeLists.txt")?;
    let project =
        calls(&root, "project").first().and_then(|call| first_word(call)).unwrap_or_default();
    let lists = folder.all("CMakeLists.txt");
    let programs: Vec<(String, String)> = (lists.iter())
        .flat_map(|(path, text)| {
            programs(text, &project).into_iter().map(|name| (path.clone(), name))
        })
        .collect();
    let is_meant = |(_, name): &&(String, String)| !is_aside(name);
    let program =
        programs.iter().find(|(_, name)| *name == project).or(programs.iter().find(is_meant));
    // Some projects keep things in a folder `build`; an existing build folder of CMake can be used
    // again.
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

/// The names of the programs that a file adds, unless they come from elsewhere: several in a loop.
pub(crate) fn programs(text: &str, project: &str) -> Vec<String> {
    let variables = Variables::read(text);
    let names = calls(text, "add_executable").into_iter().flat_map(|call| {
        let is_elsewhere =
            call.split_whitespace().any(|word| word == "IMPORTED" || word == "ALIAS");
        let Some(name) = first_word(&call).filter(|_| !is_elsewhere) else { return Vec::new() };
        let name =
            name.replace("${PROJECT_NAME}", project).replace("${CMAKE_PROJECT_NAME}", project);
        variable(&name).map_or_else(|| vec![name.clone()], |variable| variables.values(variable))
    });
    names.filter(|name| is_plain(name)).take(MOST).collect()
}

/// The name of the variable to which a word refers.
fn variable(word: &str) -> Option<&str> {
    word.strip_prefix("${")?.strip_suffix('}')
}

/// The variables of a file.
struct Variables {
    /// The items of all loops over each.
    loops: BTreeMap<String, Vec<String>>,
    /// The list that each is first set to.
    lists: BTreeMap<String, Vec<String>>,
}

impl Variables {
    fn read(text: &str) -> Self {
        let (mut loops, mut lists) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        for call in calls(text, "foreach") {
            let mut words = call.split_whitespace().map(|word| word.trim_matches('"').to_owned());
            let Some(name) = words.next() else { continue };
            let items = words.filter(|word| !["IN", "ITEMS", "LISTS"].contains(&word.as_str()));
            loops.entry(name).or_default().extend(items);
        }
        for call in calls(text, "set") {
            let mut words = call.split_whitespace().map(str::to_owned);
            if let (Some(name), list @ [_, ..]) = (words.next(), &*words.collect::<Vec<_>>()) {
                lists.entry(name).or_insert_with(|| list.to_vec());
            }
        }
        Self { loops, lists }
    }

    /// The values of a variable: each item of the loops over it, or of the list to which an item
    /// refers.
    fn values(&self, name: &str) -> Vec<String> {
        let items = self.loops.get(name).into_iter().flatten();
        let values = items.take(MOST).flat_map(|item| match variable(item) {
            Some(name) => self.lists.get(name).map_or(&[][..], Vec::as_slice),
            None => std::slice::from_ref(item),
        });
        values.take(MOST).cloned().collect()
    }
}

/// The folder of all programs, from the build folder and with a final `/`, if the project says so.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_loops_are_found() {
        let text = "set(ALL three\n four)\nset(ALL five)\nforeach(it IN ITEMS one \"two\" ${ALL})\n\
                    add_executable(${it} ${it}.c)\nendforeach()\n\
                    add_executable(${PROJECT_NAME} p.c)\nadd_executable(no ALIAS one)\n";
        assert_eq!(programs(text, "p"), ["one", "two", "three", "four", "p"]);
    }

    #[test]
    fn few_lines_that_name_many_programs_are_read_up_to_a_bound() {
        let set = format!("set(L {})\n", "x ".repeat(10_000));
        let text = format!("{set}foreach(i {})\n", "${L} ".repeat(10_000));
        assert_eq!(Variables::read(&text).values("i").len(), MOST);
        let text = text + &"add_executable(${i})\n".repeat(10_000);
        assert_eq!(programs(&text, "p").len(), MOST);
    }
}
