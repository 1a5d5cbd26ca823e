//! A revision with and without patches.
//!
//! A patch is a quirk that is in no plan: it is built as one, in a checkout of ours and by a recipe
//! of its own, and both builds are compared as any two are. All is built before anything is
//! measured.

use std::path::Path;
use std::time::Duration;

use tacho_record::plan::{Quirk, Subject};
use tacho_record::{Comparing, Plan, Program, Revision};
use tacho_subject::{Layout, SubjectError};

use crate::build::linking::FixedOrderEffect;
use crate::build::programs::{laid_out, order_effect, program};
use crate::compare::{ComparisonResult, compare};
use crate::context::PlanSessions;

/// A patch to try.
#[derive(Clone, Debug)]
pub struct PatchFile {
    /// Its name, as the user gave it.
    pub name: String,
    /// Its path, from the plan's folder if it is in there.
    pub path: String,
}

/// The program of a revision by a plan of its own.
#[derive(Debug)]
pub struct PlannedBuild {
    /// The additions of the plan: the names of patches or of a quirk.
    pub names: Vec<String>,
    /// The plan.
    pub plan: Plan,
    /// The program, or why the revision does not build.
    pub built: Result<Program, String>,
}

/// A revision with and without patches, compared.
#[derive(Debug)]
pub struct TryOutcome {
    /// The names of the patches.
    pub patches: Vec<String>,
    /// The terms of the comparison.
    pub terms: Comparing,
    /// Its result.
    pub compared: ComparisonResult,
    /// How long a build took, where there are several of each side.
    pub build: Option<Duration>,
}

/// How trying patches ended.
#[derive(Debug)]
pub enum TryEnd {
    /// The user stopped it before anything was compared.
    Interrupted,
    /// The revision does not build without a patch, for this reason.
    NotBuilt(String),
    /// Each patch was compared by itself, and several of them all together, until the user stopped
    /// it.
    Compared(Vec<TryOutcome>),
}

/// Builds revisions by several plans, and compares the builds.
#[derive(Debug)]
pub struct PlanComparer<S> {
    sessions: S,
    layouts: Vec<Layout>,
    build: Option<Duration>,
}

impl<S: PlanSessions> PlanComparer<S> {
    /// A builder that links all in these layouts; if empty, as the plan builds it.
    pub fn new(sessions: S, layouts: Vec<Layout>) -> Self {
        Self { sessions, layouts, build: None }
    }

    /// Compares a revision with and without each patch, and with all of them.
    pub fn try_patches(
        &mut self,
        (base, plan): (&Revision, &Plan),
        patches: &[PatchFile],
        terms: &Comparing,
    ) -> Result<TryEnd, S::Error> {
        let without = match self.built(base, plan)? {
            Some(Ok(without)) => without,
            Some(Err(why)) => return Ok(TryEnd::NotBuilt(why)),
            None => return Ok(TryEnd::Interrupted),
        };
        let mut builds = Vec::new();
        for patches in combinations(patches) {
            let plan = with_patches(plan, patches);
            let Some(built) = self.built(base, &plan)? else { return Ok(TryEnd::Interrupted) };
            let names = patches.iter().map(|patch| patch.name.clone()).collect();
            builds.push(PlannedBuild { names, plan, built });
        }
        let mut tried = Vec::new();
        for build in builds {
            let outcome = self.compare(base, (&without, build), terms)?;
            let is_over = outcome.compared.is_interrupted();
            tried.push(outcome);
            if is_over {
                break;
            }
        }
        Ok(TryEnd::Compared(tried))
    }

    /// Whether the order in which all is linked has an effect on a revision; `None` if there are
    /// several orders, if the revision does not build, or if interrupted.
    pub fn order_effect(
        &mut self,
        base: &Revision,
        plan: &Plan,
    ) -> Result<Option<FixedOrderEffect>, S::Error> {
        let Some(Ok(program)) = self.built(base, plan)? else { return Ok(None) };
        order_effect(&mut self.sessions, plan, (base, &program))
    }

    /// The program of a revision by a plan, or the reason why it does not build; `None` if
    /// interrupted.
    pub fn built(
        &mut self,
        revision: &Revision,
        plan: &Plan,
    ) -> Result<Option<Result<Program, String>>, S::Error> {
        if self.layouts.is_empty() {
            return program(&mut self.sessions, plan, revision);
        }
        let program = laid_out(&mut self.sessions, plan, revision, &self.layouts)?;
        Ok(match program.map_err(|ended| ended.why_not_built()) {
            Ok((program, took)) => {
                self.build = Some(took);
                Some(Ok(program))
            }
            Err(why) => why.map(Err),
        })
    }

    /// Compares a program with what its revision builds to by another plan, on these terms. The
    /// second side is called by what that plan adds.
    pub fn compare(
        &mut self,
        revision: &Revision,
        (without, with): (&Program, PlannedBuild),
        terms: &Comparing,
    ) -> Result<TryOutcome, S::Error> {
        let mut terms = terms.clone();
        terms.sides[0].program = without.clone();
        terms.sides[1].name = with.names.join(" + ");
        // A quirk is no patch.
        if terms.quirk.is_none() {
            terms.patches.clone_from(&with.names);
        }
        let compared = match with.built {
            Err(why) => {
                let (side, has_log) = (terms.sides[1].name.clone(), false);
                ComparisonResult::NotBuilt { side, why, has_log }
            }
            Ok(program) => {
                terms.sides[1].program = program;
                self.sessions.measure(&with.plan, revision, |context, question| {
                    compare(context, question, &terms)
                })?
            }
        };
        Ok(TryOutcome { patches: with.names, terms, compared, build: self.build })
    }
}

/// Checks, before anything is built, that these are patches.
pub fn check_patches(
    folder: &Path,
    (base, plan): (&Revision, &Plan),
    patches: &[PatchFile],
) -> Result<(), SubjectError> {
    let subject = with_patches(plan, patches).subject;
    tacho_subject::recipes(&subject, folder, std::slice::from_ref(base)).map(drop)
}

/// Each by itself, and several all together.
fn combinations(patches: &[PatchFile]) -> impl Iterator<Item = &[PatchFile]> {
    let all = (patches.len() > 1).then_some(patches);
    patches.chunks(1).chain(all)
}

/// The plan that applies these patches to whatever it builds.
fn with_patches(plan: &Plan, patches: &[PatchFile]) -> Plan {
    let quirk = Quirk {
        is_tried: true,
        patches: patches.iter().map(|patch| patch.path.clone()).collect(),
        patch_names: patches.iter().map(|patch| patch.name.clone()).collect(),
        ..Quirk::named("try", "it is tried")
    };
    let quirks = plan.subject.quirks.iter().cloned().chain([quirk]).collect();
    Plan { subject: Subject { quirks, ..plan.subject.clone() }, ..plan.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(name: &str) -> PatchFile {
        PatchFile { name: name.to_owned(), path: format!("cache/{name}.patch") }
    }

    #[test]
    fn several_patches_are_tried_each_alone_and_then_together() {
        let names = |patches: &[PatchFile]| -> Vec<String> {
            let joined = |all: &[PatchFile]| {
                all.iter().map(|patch| patch.name.clone()).collect::<Vec<_>>().join(" + ")
            };
            combinations(patches).map(joined).collect()
        };
        assert_eq!(names(&[]), [""; 0]);
        assert_eq!(names(&[patch("a")]), ["a"]);
        assert_eq!(names(&["a", "b", "c"].map(patch)), ["a", "b", "c", "a + b + c"]);
    }

    #[test]
    fn a_plan_tries_patches_under_the_names_that_the_user_gave_them() {
        let text = "[subject]\nbuild = \"make\"\n[[benchmark]]\nname = \"a\"\n\
            command = \"true\"\n";
        let plan = tacho_record::plan::parse(text, "p").unwrap();
        let tried = with_patches(&plan, &["a", "b"].map(patch));
        let quirk = &tried.subject.quirks[0];
        assert!(quirk.is_tried && tried.subject.quirks.len() == 1);
        assert_eq!(quirk.patches, ["cache/a.patch", "cache/b.patch"]);
        assert_eq!(quirk.patch_names, ["a", "b"]);
        assert_eq!(plan.subject.quirks, []);
    }
}
