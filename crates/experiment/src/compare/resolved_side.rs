//! A side of a comparison: its name and the meaning.

use tacho_measure::Report;
use tacho_record::{EarlierSide, Program, Side};
use tacho_report::comparison::program_of;
use tacho_store::Store;

use crate::ExperimentError;

/// A side, and the meaning of its name.
#[derive(Clone, Debug)]
pub struct ResolvedSide {
    /// Its name and its program.
    pub side: Side,
    /// The meaning of the name, in a few words.
    pub what: String,
    /// The side of an earlier run, if it is one.
    pub earlier: Option<EarlierSide>,
    /// The report, if it is a file.
    pub report: Option<Report>,
}

impl ResolvedSide {
    /// A side that is executed.
    #[must_use]
    pub fn new(name: &str, program: Program) -> Self {
        let side = Side { name: name.to_owned(), program };
        Self { what: program_of(&side), side, earlier: None, report: None }
    }

    /// A report of another tool.
    #[must_use]
    pub fn of_report(name: &str, report: Report) -> Self {
        let program = Program::File { file: name.to_owned(), tool: report.tool.to_owned() };
        Self { report: Some(report), ..Self::new(name, program) }
    }

    /// Its name and the meaning: `v1 (the revision 0123456789)`.
    #[must_use]
    pub fn described(&self) -> String {
        format!("{} ({})", self.side.name, self.what)
    }

    /// Whether it is a file of another tool.
    #[must_use]
    pub fn is_file(&self) -> bool {
        matches!(self.side.program, Program::File { .. })
    }
}

/// The program of a side of an earlier run: the build that it was, since its revision may give
/// another build by now. `None` if that run was no comparison.
pub fn earlier_program(
    store: &mut Store,
    of: EarlierSide,
) -> Result<Option<Program>, ExperimentError> {
    let Some(terms) = store.comparing(of.run)? else { return Ok(None) };
    let built = store.cells(of.run)?.into_iter().nth(of.side).map(|(_, cell)| cell.artifact);
    Ok(Some(match (&terms.sides[of.side.min(1)].program, built) {
        (Program::Revision { revision } | Program::Layouts { revision, .. }, Some(artifact)) => {
            Program::Build { artifact, revision: revision.clone() }
        }
        (other, _) => other.clone(),
    }))
}

/// Two commands of which one needs a shell are both started by it, since the shell takes time.
pub fn start_alike(sides: &mut [ResolvedSide; 2]) {
    let is_shell =
        |it: &ResolvedSide| matches!(it.side.program, Program::Command { shell: true, .. });
    if sides.iter().any(is_shell) {
        for side in sides {
            if let Program::Command { words, shell, .. } = &mut side.side.program {
                (*words, *shell) = (["sh", "-c"].map(str::to_owned).to_vec(), true);
            }
        }
    }
}
