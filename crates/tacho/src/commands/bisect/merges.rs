//! `tacho bisect --into-merges`: goes on among the commits that a guilty merge brought.

use std::collections::BTreeMap;

use tacho_experiment::bisect::{BisectionResult, InsideMerge, MergeRange};
use tacho_record::bisection::{BisectionCost, Culprit};
use tacho_record::{Bisection, Revision};
use tacho_subject::{History, history};

use crate::cli::{BisectArgs, GlobalArgs};
use crate::commands::bisect::single::{BisectedCommits, once};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// Says how to go on where a merge is named.
pub fn hint(project: &Project, found: &BisectionResult) -> Result<(), CliError> {
    let bisection = &found.bisection;
    if found.interrupted || bisection.standing.culprits.is_empty() {
        return Ok(());
    }
    let history = history(&project.plan.subject, &project.folder)?;
    for culprit in &bisection.standing.culprits {
        let Some(candidate) = bisection.candidates.get(culprit.place) else { continue };
        if bisection.asked.within.is_empty() && history.parents(&candidate.revision.id)?.len() > 1 {
            let short = candidate.revision.short();
            let how = "with `--into-merges` the same command searches its commits";
            output::note("hint", &format!("{short} is a merge: {how}"));
        }
    }
    Ok(())
}

/// What was found in the end.
pub struct BisectionWithMerges {
    /// Of the range; where one merge did it alone, of what that brought.
    pub answer: BisectionResult,
    /// Where several did it, of what each merge of them brought.
    pub inside: Vec<BisectionResult>,
}

impl BisectionWithMerges {
    /// Whether the user stopped any of it.
    pub fn is_interrupted(&self) -> bool {
        self.answer.interrupted || self.inside.iter().any(|it| it.interrupted)
    }
}

/// Goes on among what guilty merges brought, as long as there are any; what was found in the end.
pub fn follow(
    global: &GlobalArgs,
    project: &Project,
    command: &BisectArgs,
    outer: BisectionResult,
) -> Result<BisectionWithMerges, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let spent = BisectionCost::default().and(&outer.bisection.standing);
    MergeFollower { global, project, command, history: &*history, spent }
        .enter(outer, &BTreeMap::new())
}

/// What goes on into merges.
struct MergeFollower<'a> {
    global: &'a GlobalArgs,
    project: &'a Project,
    command: &'a BisectArgs,
    history: &'a dyn History,
    /// What all that was bisected so far has taken.
    spent: BisectionCost,
}

impl MergeFollower<'_> {
    /// Goes into the merges that this named among revisions that are themselves merged into those
    /// others.
    fn enter(
        &mut self,
        outer: BisectionResult,
        onto: &BTreeMap<String, Vec<String>>,
    ) -> Result<BisectionWithMerges, CliError> {
        let mut inside = Vec::new();
        let is_only = outer.bisection.standing.culprits.len() == 1;
        for (culprit, merge) in self.merges(&outer)? {
            let of = (&culprit, &merge);
            let brought = MergeRange::brought(self.history, &outer, of, onto, self.spent)?;
            let Some(inner) = self.among(&merge, &brought)? else { continue };
            let interrupted = inner.interrupted;
            let followed = self.enter(inner, &brought.onto)?;
            if is_only {
                return Ok(followed);
            }
            inside.extend([followed.answer].into_iter().chain(followed.inside));
            if interrupted {
                break;
            }
        }
        Ok(BisectionWithMerges { answer: outer, inside })
    }

    /// Bisects what a merge brought; nothing where that does not say more than that the merge did
    /// it.
    fn among(
        &mut self,
        merge: &Revision,
        brought: &MergeRange,
    ) -> Result<Option<BisectionResult>, CliError> {
        let short = merge.short();
        if brought.onto.is_empty() {
            output::note("note", &format!("{short} is a merge that brought no commits"));
            return Ok(None);
        }
        output::note("note", &format!("{short} is a merge: searching its commits"));
        let ends = (Some(format!("{short}^1")), Some(short.to_owned()));
        let inside = BisectArgs { good: ends.0, bad: ends.1, before: None, ..self.command.clone() };
        let Some(inner) =
            once(self.global, self.project, &inside, BisectedCommits::Merge(brought))?
        else {
            return Ok(None);
        };
        self.spent = self.spent.and(&inner.bisection.standing);
        let effect = brought.within.last().map_or(0.0, |merge| merge.effect.estimate);
        let why = match InsideMerge::of(&inner, effect) {
            InsideMerge::Answered => return Ok(Some(inner)),
            InsideMerge::Undecided => {
                let what = "is verified as the cause; it is undecided which of its commits made \
                            the change";
                output::note("note", &format!("merge {short} {what}"));
                return Ok(Some(inner));
            }
            InsideMerge::NotReproduced => {
                format!("the change of {short} was not found again among the commits of the merge")
            }
            InsideMerge::OtherWay => {
                format!(
                    "the changes found among the commits of the merge are opposite to the change \
                     of {short}"
                )
            }
        };
        output::note("note", &why);
        Ok(None)
    }

    /// The culprits that are merges to be gone into: no other may have done it instead.
    fn merges(&self, bisected: &BisectionResult) -> Result<Vec<(Culprit, Revision)>, CliError> {
        let bisection = &bisected.bisection;
        let mut merges = Vec::new();
        if bisected.interrupted {
            return Ok(merges);
        }
        for culprit in &bisection.standing.culprits {
            let Some(candidate) = bisection.candidates.get(culprit.place) else { continue };
            if self.history.parents(&candidate.revision.id)?.len() < 2 {
                continue;
            }
            match stays_out(bisection, culprit, candidate.revision.short()) {
                Some(why) => output::note("note", &why),
                None => merges.push((culprit.clone(), candidate.revision.clone())),
            }
        }
        Ok(merges)
    }
}

/// Why a merge that was named is not gone into, if it is not.
fn stays_out(bisection: &Bisection, culprit: &Culprit, short: &str) -> Option<String> {
    let others = bisection.others(culprit).words();
    let is_only = bisection.standing.culprits.len() == 1;
    match (bisection.is_merge_itself(culprit.place), others) {
        (true, Some(others)) => Some(format!("the cause is {short} itself, or {others}")),
        (true, None) if is_only => Some(format!(
            "no single commit of merge {short} makes the change: the merge itself does"
        )),
        (true, None) => Some(format!(
            "the commits of merge {short} explain only a part of its effect: the merge itself \
             made the rest"
        )),
        (false, Some(others)) => Some(format!(
            "{short} is a merge, but {others} may have done it instead: the merge is not searched"
        )),
        (false, None) => None,
    }
}
