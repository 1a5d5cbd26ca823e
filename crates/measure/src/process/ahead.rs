//! What is begun before it is requested: what certainly comes next.
//!
//! The order for it is sent while the execution before it goes on. If that ends well, and before
//! the host is to be read again, the launcher executes it at once, and reports only then what came
//! of the one before. So all that is done here after an execution (its account, its sample) is done
//! beside the next one, on a processor that the next one leaves free. In all other cases the
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

/// Beside what takes longer nothing need be done: what is between two such is little of their time.
const SHORT: Duration = Duration::from_millis(10);
/// An execution takes at least this many times as long as what is done beside it. Of a shorter one
/// the launcher might see the end too late, as it is busy, or waits for a processor itself.
const ROOM: u32 = 3;
/// Where the next execution has to wait for readings, they are of this much at least: 500 times
/// what they and the waiting take.
const SPAN: Duration = Duration::from_millis(100);

/// An order that was sent ahead.
pub struct SentOrder<'a> {
    request: &'a Request,
    outputs: Outputs,
}

impl ProcessExecutor {
    /// What was begun before it was requested, if it is what is requested now; else it is ended,
    /// and as if it had never been.
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
        // What cannot be ordered is reported when it is requested.
        let order = self.orders.order(next.request, GroupFiles::default()).ok()?.ahead()?;
        let (outputs, ends) = Outputs::new(next.request, &mut self.spare).ok()?;
        one.launcher.order(&order, due, &ends).ok()?;
        Some(SentOrder { request: next.request, outputs })
    }

    /// Takes what was sent ahead for what is under way now. Where the launcher has forgotten it
    /// since the host had to be read, it is begun here.
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
        // What cannot be begun is reported when it is requested.
        let begun = self.begin(&[(request, &order)], SPAN).ok().and_then(|mut begun| begun.pop());
        self.ahead = begun.map(|under_way| EarlyExecution { request: request.clone(), under_way });
    }

    /// Whether there is room beside an execution of that request for what is done after the one
    /// before it: nothing has to be done right before it or after it, and its last one was neither
    /// too short nor long, left a processor free, and found one at once.
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

/// Whether nothing is to be opened, emptied, read or set right before an execution of that request
/// or right after it, and it may be executed by any processor.
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
