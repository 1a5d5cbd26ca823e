//! Workflows for CI systems, which compare each change with the commit where its branch began.

/// A CI system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CiSystem {
    /// Actions of GitHub.
    Github,
    /// Pipelines of GitLab.
    Gitlab,
}

impl CiSystem {
    /// The path of its workflow, from the root of the repository.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/tacho.yml",
            Self::Gitlab => ".gitlab/tacho.yml",
        }
    }

    /// The workflow.
    #[must_use]
    pub fn workflow(self) -> &'static str {
        match self {
            Self::Github => include_str!("github.yml"),
            Self::Gitlab => include_str!("gitlab.yml"),
        }
    }

    /// The remaining manual step for it.
    #[must_use]
    pub fn next_step(self) -> &'static str {
        match self {
            Self::Github => {
                "commit it and `tacho.toml`, and set the repository variable `TACHO_SOURCE` to the \
                 address of a release archive of `tacho`, or of its source"
            }
            Self::Gitlab => {
                "commit it and `tacho.toml`, include it in `.gitlab-ci.yml` (`include: \
                 [{ local: .gitlab/tacho.yml }]`), and set the variable `TACHO_SOURCE` to the \
                 address of a release archive of `tacho`, or of its source"
            }
        }
    }
}
