//! The choice of known remedies to try on a revision that does not build.

use tacho_record::plan::{Plan, Subject};

use crate::build::failure_range::{RemedyRoute, remedy_of};

/// The remedies for an error that no quirk of the plan contradicts, each with the plan that has it
/// for all of history, in the order in which they are tried.
#[must_use]
pub fn remedies_to_try(plan: &Plan, error: &str) -> Vec<(RemedyRoute, Plan)> {
    let usual = plan.subject.build.as_deref();
    let all = remedy_of(error).map(|remedy| remedy.cures(usual)).unwrap_or_default();
    let free = all.into_iter().filter(|route| is_free(&plan.subject, route));
    free.map(|route| {
        let quirks =
            plan.subject.quirks.iter().cloned().chain([route.quirk("suggested")]).collect();
        let subject = Subject { quirks, ..plan.subject.clone() };
        (route, Plan { subject, ..plan.clone() })
    })
    .collect()
}

/// Whether no quirk of the plan sets the same variable.
fn is_free(subject: &Subject, route: &RemedyRoute) -> bool {
    !subject.quirks.iter().any(|quirk| match route {
        RemedyRoute::Environment(_) => quirk.environment.contains_key("CFLAGS"),
        RemedyRoute::Build(..) => quirk.build.is_some(),
    })
}
