//! The recognised recipe: how a program is built, and its name.

/// The recipe of a folder.
#[derive(Debug, Default)]
pub(crate) struct Recipe {
    /// The kind of project, for the first line: `a Cargo project`.
    pub(crate) what: &'static str,
    /// The shell command that builds it; `None` if its source is executed without a build.
    pub(crate) build: Option<String>,
    /// The notes about the build, one a line.
    pub(crate) notes: Vec<&'static str>,
    /// The program to execute.
    pub(crate) program: Option<NamedProgram>,
}

/// Something that can be executed.
#[derive(Debug)]
pub(crate) struct NamedProgram {
    /// The files that the benchmark needs, from the root of the checkout.
    pub(crate) artifacts: Vec<String>,
    /// The benchmark's name.
    pub(crate) benchmark: &'static str,
    /// The benchmark's command.
    pub(crate) command: String,
}

impl NamedProgram {
    /// A program that is to print its help: hardly any refuses, and none works long at it.
    pub(crate) fn with_help(path: &str) -> Self {
        Self {
            artifacts: vec![path.to_owned()],
            benchmark: "help",
            command: format!("{{build}}/{path} --help"),
        }
    }
}
