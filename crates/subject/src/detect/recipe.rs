//! What was recognised: how a program is built, and what it is called.

/// What is known about a folder.
#[derive(Debug, Default)]
pub(crate) struct Recipe {
    /// What it is, for the first line: `a Cargo project`.
    pub(crate) what: &'static str,
    /// The shell command that builds it; none when its source is executed as it is.
    pub(crate) build: Option<String>,
    /// What there is to know about the build, each one line.
    pub(crate) notes: Vec<&'static str>,
    /// What executing it takes.
    pub(crate) program: Option<NamedProgram>,
}

/// Something that can be executed.
#[derive(Debug)]
pub(crate) struct NamedProgram {
    /// What the benchmark needs, from the root of the checkout.
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
