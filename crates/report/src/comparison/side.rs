//! A side of a comparison, in a few words.

use tacho_record::{Program, Side, short_name};

/// The program of a side: `the revision 0123456789`. A command whose name is its text is only
/// called `a command`.
#[must_use]
pub fn program_of(side: &Side) -> String {
    match &side.program {
        Program::Build { artifact, revision } => {
            format!("the build {} of {}", artifact.short(), short_name(revision))
        }
        Program::Command { command, .. } if *command == side.name => "a command".to_owned(),
        Program::Command { command, .. } => format!("the command `{command}`"),
        Program::File { tool, .. } => format!("a report of {tool}"),
        Program::Layouts { artifacts, revision } => {
            format!("{} layouts of {}", artifacts.len(), short_name(revision))
        }
        Program::Revision { revision } => format!("the revision {}", short_name(revision)),
        Program::Variant { revision, parameters } => {
            format!("the revision {} with {parameters}", short_name(revision))
        }
    }
}

/// The name and its meaning: `v1 (the revision 0123456789)`.
#[must_use]
pub fn described(side: &Side) -> String {
    format!("{} ({})", side.name, program_of(side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_not_written_twice() {
        let side = |name: &str| {
            let words = vec!["sleep".to_owned(), "1".to_owned()];
            let program = Program::Command { command: "sleep 1".to_owned(), words, shell: false };
            described(&Side { name: name.to_owned(), program })
        };
        assert_eq!(side("sleep 1"), "sleep 1 (a command)");
        assert_eq!(side("run:3"), "run:3 (the command `sleep 1`)");
    }
}
