//! The proposal of `tacho quirk suggest`: a quirk with which the revision was built, otherwise one
//! to fill in.

use tacho_experiment::build::failure_range::{FailureRange, RemedyRoute, StretchNeighbour};
use tacho_experiment::quirks::remedies_to_try;
use tacho_record::Revision;

use crate::commands::session::{CommandSession, SessionRequest};
use crate::error::CliError;
use crate::project::Project;

/// The result of the trials of known remedies.
#[derive(Default)]
pub struct Proposal {
    /// The one with which the revision builds.
    cure: Option<RemedyRoute>,
    /// The remedies that did not help.
    in_vain: Vec<RemedyRoute>,
    /// Whether the user stopped the trials.
    pub interrupted: bool,
}

/// Builds the revision with each remedy that is known for this error, until it builds.
pub fn propose(
    session: &mut CommandSession,
    project: &Project,
    revision: &Revision,
    error: &str,
    quiet: bool,
) -> Result<Proposal, CliError> {
    let mut proposal = Proposal::default();
    for (cure, plan) in remedies_to_try(&project.plan, error) {
        let how = format!(" with {}", words(&cure));
        let wanted = SessionRequest {
            quiet,
            how,
            ..SessionRequest::new(plan, std::slice::from_ref(revision))
        };
        let tried = session
            .measure(project, wanted, |context, question| context.build_of(question, revision))?;
        match tried {
            None => return Ok(Proposal { interrupted: true, ..proposal }),
            Some(build) if build.state.artifact().is_some() => {
                return Ok(Proposal { cure: Some(cure), ..proposal });
            }
            Some(_) => proposal.in_vain.push(cure),
        }
    }
    Ok(proposal)
}

fn words(cure: &RemedyRoute) -> String {
    match cure {
        RemedyRoute::Environment(remedy) => {
            format!("CFLAGS={} in the environment", quoted(remedy.flags))
        }
        RemedyRoute::Build(_, build) => format!("`{build}`"),
    }
}

impl Proposal {
    /// Whether a quirk was found with which the revision builds.
    pub fn has_fix(&self) -> bool {
        self.cure.is_some()
    }

    /// The quirk for this stretch of history, as a plan has it.
    pub fn quirk(
        &self,
        project: &Project,
        line: &[Revision],
        window: &FailureRange,
        error: &str,
    ) -> String {
        let why = self.cure.as_ref().map_or(error, |cure| cure.remedy().why);
        let mut out =
            format!("[[quirk]]\nwhy = {}\n", quoted(&why.chars().take(120).collect::<String>()));
        if window.before.is_some() {
            out += &format!("from = {}\n", quoted(line[window.first].short()));
        }
        if let Some(after) = window.after.as_ref().and_then(StretchNeighbour::near) {
            out += &format!("before = {}\n", quoted(line[after].short()));
        }
        match &self.cure {
            Some(RemedyRoute::Environment(remedy)) => {
                out + &format!("environment = {{ CFLAGS = {} }}\n", quoted(remedy.flags))
            }
            Some(RemedyRoute::Build(_, build)) => out + &format!("build = {}\n", quoted(build)),
            None => out + &self.choices(project),
        }
    }

    /// The possible actions of a quirk, to choose from.
    fn choices(&self, project: &Project) -> String {
        let tried = self
            .in_vain
            .iter()
            .map(|cure| format!("# tried, does not build either: {}\n", words(cure)));
        let build = project.plan.subject.build.as_deref().unwrap_or("make -j{jobs}");
        tried.collect::<String>()
            + "# one of these:\n# patch = \"quirks/name.patch\"\n# environment = \
               { NAME = \"value\" }\n"
            + &format!("# build = {}\n# skip = true\n", quoted(build))
    }
}

/// A text as TOML writes it, which for one line is as JSON does.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
