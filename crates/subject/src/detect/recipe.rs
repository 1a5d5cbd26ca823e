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

impl Recipe {
    /// The recipe of a project in this folder of its repository.
    pub(super) fn within(self, folder: &str) -> Self {
        let build = self.build.map(|build| format!("cd {folder} && {build}"));
        let program = self.program.map(|program| NamedProgram {
            artifacts: program.artifacts.iter().map(|path| format!("{folder}/{path}")).collect(),
            command: command_within(folder, &program.command),
            ..program
        });
        Self { build, program, ..self }
    }
}

/// A command whose paths in the build are in this folder of it.
pub(super) fn command_within(folder: &str, command: &str) -> String {
    command.replace("{build}", &format!("{{build}}/{folder}"))
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
