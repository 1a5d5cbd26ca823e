//! The orders in which programs are linked: random ones, a fixed one, or the build's own.

use tacho_record::plan::{Benchmark, RepetitionLevels, Subject};
use tacho_record::{BuildState, Digest, Plan};
use tacho_subject::{FixedOrder, Layout, Linker, SubjectError};

/// Executions of each layout where neither the command nor the plan gives a number.
pub const PROCESSES: u32 = 10;

/// Why a program cannot be linked in another order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkingError {
    /// The companion comes from the build, but one companion serves all layouts.
    #[error(
        "the companion of `{benchmark}` comes from the build, which is linked in several orders"
    )]
    CompanionOfLayouts {
        /// The benchmark's name.
        benchmark: String,
    },
    /// No linker of this host shuffles, or none of that name.
    #[error("no linker{} here can shuffle code", called(name.as_deref()))]
    NoLinker {
        /// The linker that was named, if one was.
        name: Option<String>,
    },
    /// No linker of this host has that fixed order.
    #[error("no linker here has the order `{name}`")]
    NoOrder {
        /// Its name.
        name: String,
    },
    /// Nothing is built, so nothing is linked.
    #[error("the plan has no `build`, so nothing is linked")]
    NothingLinked,
}

impl LinkingError {
    /// The advice.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let own = match self {
            Self::NoLinker { .. } => return SubjectError::NoLinker.hint(),
            Self::NoOrder { name } => return SubjectError::NoOrder { name: name.clone() }.hint(),
            Self::CompanionOfLayouts { .. } => {
                "remove `levels` from the plan; `tacho compare A B --layouts 5` starts a \
                 companion from each build"
            }
            Self::NothingLinked => "add a `build` command to `[subject]`",
        };
        Some(own.to_owned())
    }
}

/// ` called x`, where there is a name.
fn called(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" `{name}`"))
}

/// The request of a command.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkingRequest<'a> {
    /// One fixed order, by name.
    pub order: Option<&'a str>,
    /// How many orders are drawn; else the plan's number.
    pub layouts: Option<u32>,
    /// The linker that draws them, by name; else the first that is installed.
    pub linker: Option<&'a str>,
}

impl LinkingRequest<'_> {
    /// In how many orders each program is linked.
    #[must_use]
    pub fn number(&self, plan: &Plan) -> u32 {
        if self.order.is_some() {
            return 1;
        }
        self.layouts.or(plan.measure.levels.map(|levels| levels.layouts)).unwrap_or(1)
    }

    /// The orders; empty for the build as it is.
    pub fn orders(&self, plan: &Plan) -> Result<Vec<Layout>, LinkingError> {
        match (self.order, self.number(plan)) {
            (Some(order), _) => fixed_orders(plan, &[order]),
            (None, number) if number > 1 => drawn_orders(plan, self.linker, number),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// How many times each build is executed at most, where there are several of a program.
    #[must_use]
    pub fn executions(&self, plan: &Plan) -> Option<u32> {
        let each = plan.measure.levels.map_or(PROCESSES, |levels| levels.processes);
        (self.number(plan) > 1).then_some(each)
    }
}

/// The levels of a plan that asks for several layouts.
#[must_use]
pub fn several_layouts(plan: &Plan) -> Option<RepetitionLevels> {
    plan.measure.levels.filter(|levels| levels.layouts > 1)
}

/// The fixed orders of these names.
pub fn fixed_orders(plan: &Plan, names: &[impl AsRef<str>]) -> Result<Vec<Layout>, LinkingError> {
    if plan.subject.build.is_none() && !names.is_empty() {
        return Err(LinkingError::NothingLinked);
    }
    let lacks = |name: &str| LinkingError::NoOrder { name: name.to_owned() };
    names
        .iter()
        .map(AsRef::as_ref)
        .map(|name| FixedOrder::named(name).and_then(FixedOrder::layout).ok_or_else(|| lacks(name)))
        .collect()
}

/// This number of random orders, for the linker of that name or the first installed one.
pub fn drawn_orders(
    plan: &Plan,
    linker: Option<&str>,
    number: u32,
) -> Result<Vec<Layout>, LinkingError> {
    if plan.subject.build.is_none() {
        return Err(LinkingError::NothingLinked);
    }
    let found = Linker::find(linker)
        .ok_or_else(|| LinkingError::NoLinker { name: linker.map(str::to_owned) })?;
    Ok((1..=number).map(|number| found.layout(number)).collect())
}

/// Checks, before anything is built, that revisions can be tracked by this plan in the orders that
/// it asks for.
pub fn check_tracked(plan: &Plan) -> Result<(), LinkingError> {
    fixed_orders(plan, plan.subject.order.as_slice())?;
    let Some(number) = plan.subject.layouts else { return Ok(()) };
    drawn_orders(plan, None, number)?;
    let of_build = |word: &String| word.contains("{build}");
    let built = |it: &&Benchmark| {
        let variables = it.conditions.environment.values();
        let companion = it.companion.as_ref();
        companion.is_some_and(|it| it.command.iter().chain(variables).any(of_build))
    };
    match plan.benchmarks.iter().find(built) {
        Some(benchmark) => {
            Err(LinkingError::CompanionOfLayouts { benchmark: benchmark.name.clone() })
        }
        None => Ok(()),
    }
}

/// Whether linking in one fixed order made any difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedOrderEffect {
    /// The order made a difference.
    Differs,
    /// The build is the same without it: the build ignores the order.
    Ignored,
    /// The effect is unknown, since the revision does not build without the order.
    Unknown,
}

impl FixedOrderEffect {
    /// The effect on a build in that order, against one without.
    #[must_use]
    pub fn of(ordered: Digest, without: &BuildState) -> Self {
        match without.artifact() {
            Some(without) if without == ordered => Self::Ignored,
            Some(_) => Self::Differs,
            None => Self::Unknown,
        }
    }
}

/// The plan without its fixed order.
pub(crate) fn without_order(plan: &Plan) -> Plan {
    Plan { subject: Subject { order: None, ..plan.subject.clone() }, ..plan.clone() }
}
