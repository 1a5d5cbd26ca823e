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
use crate::git_repository::folder_in_repository;
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

/// A plan to start from.
#[derive(Debug)]
pub struct FirstPlan {
    /// The plan with its comments.
    pub text: String,
    /// Whether a program was recognised, and how it is built.
    pub has_program: bool,
    /// The benchmark that the project has of its own, in a few words: the plan has a table for it,
    /// commented out.
    pub own_benchmark: Option<String>,
}

/// A plan for the project in a folder.
///
/// If no project or no executable is recognised, the benchmark is `true`, and the comments explain
/// what to put in its place. Builds begin at the root of the repository, which may be above.
#[must_use]
pub fn init_plan(folder: &Path) -> FirstPlan {
    let inner = folder_in_repository(folder);
    let root = folder.ancestors().nth(inner.components().count()).unwrap_or(folder);
    let link = Folder::new(root).web_page();
    let folder = Folder::new(folder);
    let recipe = RECOGNISERS.iter().find_map(|recognise| recognise(&folder));
    let own = benches::find(&folder);
    let (recipe, own) = match inner.to_str() {
        Some("") => (recipe, own),
        Some(inner) if files::is_plain(inner) => {
            (recipe.map(|recipe| recipe.within(inner)), own.map(|own| own.within(inner)))
        }
        _ => (None, None),
    };
    let recipe = recipe.unwrap_or_default();
    FirstPlan {
        text: write::plan(&recipe, own.as_ref(), link.as_deref()),
        has_program: recipe.program.is_some(),
        own_benchmark: own.map(|own| own.what),
    }
}
