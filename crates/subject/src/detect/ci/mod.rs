//! Workflows for CI systems, which compare each change with the commit where its branch began.

use std::path::Path;

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

    /// The workflow for a plan in this folder of the repository.
    #[must_use]
    pub fn workflow(self, folder: &Path) -> String {
        let text = match self {
            Self::Github => include_str!("github.yml"),
            Self::Gitlab => include_str!("gitlab.yml"),
        };
        if folder.as_os_str().is_empty() {
            return text.to_owned();
        }
        let folder = folder.display();
        let line = "    timeout-minutes: 60\n";
        let there =
            format!("{line}    defaults:\n      run:\n        working-directory: \"{folder}\"\n");
        text.replace(line, &there)
            .replace("  script:\n", &format!("  script:\n    - cd \"{folder}\"\n"))
            .replace("[report.md]", &format!("[\"{folder}/report.md\"]"))
            .replace("junit: tacho.xml", &format!("junit: \"{folder}/tacho.xml\""))
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
