//! Executions that begin before they are requested, because they surely come next.
//!
//! The order for it is sent while the execution before it goes on. If that execution succeeds, and
//! no reading of the host is due, the launcher executes the next one at once, and only then reports
//! the result of the one before. So all work here after an execution (its account, its sample) is
//! done during the next one, on a processor that the next one leaves free. In all other cases the
//! launcher forgets the order.

use std::time::Duration;

use tacho_record::{Cgroup, Limits};

use super::ProcessExecutor;
use super::answer::Answer;
use super::cgroup::GroupFiles;
use super::order::ExecutionCost;
use super::output::Outputs;
use super::under_way::{ActiveOrder, EarlyExecution, NextOrder};
use crate::{Capture, Request};

/// Longer executions gain nothing: the time between them is a small part of their time.
const SHORT: Duration = Duration::from_millis(10);
/// An execution must take at least this many times as long as the work beside it. The launcher may
/// see the end of a shorter one too late, as it is busy, or waits for a processor itself.
const ROOM: u32 = 3;
/// If the next execution has to wait for readings, these cover at least this time: 500 times the
/// duration of the readings and the wait.
const SPAN: Duration = Duration::from_millis(100);

/// An order that was sent ahead.
pub struct SentOrder<'a> {
    request: &'a Request,
    outputs: Outputs,
}

impl ProcessExecutor {
    /// The execution that began early, if it is the requested one; otherwise it is ended, without
    /// any result.
    pub(super) fn resume(&mut self, requests: &[&Request]) -> Option<ActiveOrder> {
        let ahead = self.ahead.take()?;
        (requests == [&ahead.request]).then_some(ahead.under_way)
    }

    /// Sends the order for what comes next, if that may be begun as soon as the only one that is
    /// under way has ended.
    pub(super) fn send_ahead<'a>(
        &mut self,
        next: NextOrder<'a>,
        under_way: &mut [ActiveOrder],
    ) -> Option<SentOrder<'a>> {
        let [one] = under_way else { return None };
        if !(self.leaves_room(next.after) && self.leaves_room(next.request)) {
            return None;
        }
        let due = self.due(SPAN);
        // A failure to order is reported when the execution is requested.
        let order = self.orders.order(next.request, GroupFiles::default()).ok()?.ahead()?;
        let (outputs, ends) = Outputs::new(next.request, &mut self.spare).ok()?;
        one.launcher.order(&order, due, &ends).ok()?;
        Some(SentOrder { request: next.request, outputs })
    }

    /// Makes the order that was sent ahead the active one. If the launcher dropped it because
    /// readings were due, it begins here.
    pub(super) fn go_on(&mut self, sent: SentOrder<'_>, before: &Answer) {
        if before.is_followed() {
            let Some((launcher, events)) = self.launchers[0].take() else { return };
            let (outputs, limit) = (sent.outputs, sent.request.timeout);
            let under_way = ActiveOrder { launcher, events, outputs, limit, answer: None };
            self.ahead = Some(EarlyExecution { request: sent.request.clone(), under_way });
        } else if before.is_well() && !self.is_interrupted() {
            self.begin_ahead(sent.request);
        }
    }

    fn begin_ahead(&mut self, request: &Request) {
        let Ok(order) = self.orders.order(request, GroupFiles::default()) else { return };
        // A failure to begin is reported when the execution is requested.
        let begun = self.begin(&[(request, &order)], SPAN).ok().and_then(|mut begun| begun.pop());
        self.ahead = begun.map(|under_way| EarlyExecution { request: request.clone(), under_way });
    }

    /// Whether an execution of this request leaves room for the work after the one before it: it
    /// needs no step right before or after it, and its last execution was neither too short nor too
    /// long, left a processor free, and got one at once.
    fn leaves_room(&self, request: &Request) -> bool {
        let others = u32::try_from(self.processors.saturating_sub(1)).unwrap_or(u32::MAX);
        let has_room = |ExecutionCost { wall, cpu, waiting }: ExecutionCost| {
            wall < SHORT
                && wall >= self.beside * ROOM
                && cpu <= wall * others
                && waiting <= wall / 4
        };
        is_plain(request) && self.orders.last(request).is_some_and(has_room)
    }
}

/// Whether an execution of this request needs nothing opened, emptied, read or set right before or
/// after it, and may use any processor.
fn is_plain(request: &Request) -> bool {
    let Request { conditions, stdout, stderr, .. } = request;
    let is_piped = |output: &Capture| matches!(output, Capture::Nothing | Capture::Read(_));
    request.stdin.is_none()
        && [stdout, stderr].into_iter().all(is_piped)
        && request.counters.is_empty()
        && !(request.tree_memory || request.tree_blocks || conditions.cold)
        && conditions.cgroup != Cgroup::Always
        && (&conditions.cpus, conditions.nice, conditions.scheduling) == (&None, None, None)
        && request.limits == Limits::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_the_one_that_is_told() {
        let method = include_str!("../../../../docs/src/method/instrument.md");
        let method = method.split_whitespace().collect::<Vec<_>>().join(" ");
        let times = if ROOM == 3 { "three times" } else { "other times" };
        let (short, span) = (SHORT.as_millis(), SPAN.as_millis());
        for said in [
            format!("took less than {short} ms and at least {times} as long"),
            format!("here cover at least {span} ms"),
            "waited for one no more than a quarter of its time".to_owned(),
        ] {
            assert!(method.contains(&said), "docs/src/method/instrument.md does not say `{said}`");
        }
    }
}
