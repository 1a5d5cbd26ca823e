//! Recognises the project in a folder, to write a first plan for it.
//!
//! [`init_plan`] asks one recogniser after the other (Cargo, Go, `CMake`, Meson, autotools, Python,
//! Make) for a [`Recipe`], which `write` puts down as a plan with comments. All of
//! it is guessing from files: nothing is executed, and what cannot be read is passed over. A guess
//! never becomes part of a command unless it is a plain word.

mod autotools;
mod benches;
mod cargo;
mod ci;
pub(crate) mod cmake;
mod files;
mod go;
pub(crate) mod make;
mod meson;
mod python;
mod recipe;
mod write;

use crate::detect::recipe::Recipe;
use std::path::Path;

pub use ci::CiSystem;
use files::Folder;

/// The recognisers of kinds of projects, the most reliable first: a Makefile may be beside
/// anything.
const RECOGNISERS: [fn(&Folder) -> Option<Recipe>; 7] = [
    cargo::recognise,
    go::recognise,
    cmake::recognise,
    meson::recognise,
    autotools::recognise,
    python::recognise,
    make::recognise,
];

/// A plan for the project in a folder, as text with comments.
///
/// If no project or no executable is recognised, the benchmark is `true`, and the comments explain
/// what to put in its place.
#[must_use]
pub fn init_plan(folder: &Path) -> String {
    let folder = Folder::new(folder);
    let recipe = RECOGNISERS.iter().find_map(|recognise| recognise(&folder)).unwrap_or_default();
    write::plan(&recipe, benches::find(&folder).as_ref(), folder.web_page().as_deref())
}

/// The benchmark that the project has of its own, in a few words: the plan has a table for it,
/// commented out.
#[must_use]
pub fn own_benchmark(folder: &Path) -> Option<String> {
    benches::find(&Folder::new(folder)).map(|found| found.what)
}
