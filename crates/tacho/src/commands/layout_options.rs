//! Over layouts: what `compare` and `try` do where each program is linked in several orders.

use tacho_experiment::build::linking::{
    FixedOrderEffect, LinkingRequest, check_tracked, drawn_orders, several_layouts,
};
use tacho_record::{Plan, RequestedEstimator};
use tacho_subject::Layout;

use crate::cli::ComparisonArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;

/// The requested layouts; empty for the build as it is.
pub fn layouts(typed: &ComparisonArgs, plan: &Plan) -> Result<Vec<Layout>, CliError> {
    let request = request(typed);
    // Layouts are drawn again for an interval, and the smallest of those drawn says little of the
    // smallest that there is.
    if request.number(plan) > 1 && typed.estimator() == Some(RequestedEstimator::Minimum) {
        return Err(CompareMistake::MinimumOfLayouts.into());
    }
    Ok(request.orders(plan)?)
}

fn request(typed: &ComparisonArgs) -> LinkingRequest<'_> {
    let ComparisonArgs { order, layouts, linker, .. } = typed;
    LinkingRequest { order: order.as_deref(), layouts: *layouts, linker: linker.as_deref() }
}

/// The plan's layouts; empty for the build as it is.
pub fn of_plan(plan: &Plan) -> Result<Vec<Layout>, CliError> {
    Ok(match several_layouts(plan) {
        Some(levels) => drawn_orders(plan, None, levels.layouts)?,
        None => Vec::new(),
    })
}

/// The plan for tracking: over layouts, if it requests them, each executed this many times.
pub fn tracked(plan: &Plan, processes: Option<u32>) -> Result<Plan, CliError> {
    let plan = plan.over_layouts(processes)?;
    check_tracked(&plan)?;
    Ok(plan)
}

/// How often each build is executed at the most, where there are several of a program.
pub fn rounds(typed: &ComparisonArgs, plan: &Plan) -> Option<u32> {
    let each = request(typed).executions(plan).filter(|_| typed.budget.is_none());
    typed.rounds.or(each)
}

/// Says of an order that it had no effect, or that this is unknown.
pub fn report_order(order: &str, name: &str, found: Option<&FixedOrderEffect>) {
    match found {
        None | Some(FixedOrderEffect::Differs) => {}
        Some(FixedOrderEffect::Ignored) => {
            let said = format!(
                "`--order {order}` had no effect: without the option, {name} builds to the \
                         same program"
            );
            output::note("warning", &said);
            output::note(
                "hint",
                "the build must use CC, CXX and LDFLAGS, or RUSTFLAGS, unless the program has that \
                 order anyway",
            );
        }
        Some(FixedOrderEffect::Unknown) => {
            let said = format!(
                "whether `--order {order}` had an effect is unknown: {name} does not build without \
                 the option"
            );
            output::note("note", &said);
        }
    }
}
