//! From orders to what came back of them.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tacho_record::Counter;

use super::answer::Answer;
use super::launcher::Launcher;
use super::order::LauncherOrder;
use super::output::{CapturedOutputs, Outputs, Stream};
use super::under_way::{ActiveOrder, CompletedOrder, NextOrder};
use super::watch::{self, StopReason};
use super::{ProcessExecutor, start};
use crate::counters::Events;
use crate::{CounterValue, CpuPlacement, MissingMetric, Readings, Request, Usage};

/// An order that was carried out, and its launcher.
struct ChildEnd {
    launcher: Launcher,
    events: Events,
    outputs: Outputs,
    answer: Answer,
    usage: Usage,
    counts: Vec<(Counter, CounterValue)>,
    uncounted: Vec<MissingMetric>,
}

impl ProcessExecutor {
    /// Has a launcher do each of these, all at the same time.
    pub(super) fn perform(
        &mut self,
        orders: &[(&Request, &LauncherOrder)],
        patient: bool,
    ) -> Result<Vec<CompletedOrder>, String> {
        let under_way = self.begin(orders, Duration::ZERO)?;
        self.finish_all(under_way, None, patient)
    }

    /// The same without waiting for it; readings of the host are of at least that span.
    pub(super) fn begin(
        &mut self,
        orders: &[(&Request, &LauncherOrder)],
        span: Duration,
    ) -> Result<Vec<ActiveOrder>, String> {
        let mut under_way = Vec::with_capacity(orders.len());
        for ((request, _), launcher) in orders.iter().zip(&mut self.launchers) {
            // Only one that did its work is used again.
            let idle = launcher.take().filter(|(launcher, _)| launcher.is_there());
            let (launcher, events) = idle.map_or_else(start, Ok)?;
            let events = events.or_those(&request.counters, launcher.id());
            let (outputs, ends) = Outputs::new(request, &mut self.spare)?;
            under_way.push((
                ActiveOrder { launcher, events, outputs, limit: request.timeout, answer: None },
                ends,
            ));
        }
        self.host.begin();
        for (one, _) in &mut under_way {
            one.events.begin();
        }
        // To read the place costs as much as half of all other accounting: it is worth that only
        // where it is read.
        let due = if orders.len() == 1 { self.due(span) } else { Duration::MAX };
        for ((one, ends), (_, order)) in under_way.iter_mut().zip(orders) {
            one.launcher.order(order, due, ends)?;
        }
        // Our ends of their outputs go, else the pipes would have no end.
        Ok(under_way.into_iter().map(|(one, _)| one).collect())
    }

    /// When the host is to be read again, on the monotonic clock.
    pub(super) fn due(&self, span: Duration) -> Duration {
        Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default()
            + self.host.due(span)
    }

    /// Waits until all have ended. Of one alone, what certainly comes next may be begun meanwhile.
    pub(super) fn finish_all(
        &mut self,
        mut under_way: Vec<ActiveOrder>,
        next: Option<NextOrder<'_>>,
        patient: bool,
    ) -> Result<Vec<CompletedOrder>, String> {
        let sent = next.and_then(|next| self.send_ahead(next, &mut under_way));
        // For the next one, while these are being started.
        self.spare = self.spare.take().or_else(|| Stream::pipe().ok());
        let stop = if patient {
            StopReason::patient(&self.interrupt, self.patience)
        } else {
            StopReason::at_once(&self.interrupt)
        };
        self.beside =
            self.ordered_at.take().map_or(Duration::ZERO, |ordered_at| ordered_at.elapsed());
        watch::until_answered(&mut under_way, &mut self.buffer, stop)?;
        self.ordered_at = Some(Instant::now());
        let mut ended = under_way.into_iter().map(ChildEnd::new).collect::<Result<Vec<_>, _>>()?;
        let readings = self.readings(&mut ended);
        let at = ended.iter().map(|one| one.answer.at()).min().unwrap_or_default();
        let mut done = Vec::with_capacity(ended.len());
        for (place, one) in ended.into_iter().enumerate() {
            let ChildEnd { launcher, events, outputs, answer, usage, counts, uncounted } = one;
            if answer.may_go_on() {
                self.launchers[place] = Some((launcher, events));
            }
            let readings = readings.clone();
            done.push((
                outputs,
                CompletedOrder {
                    at,
                    answer,
                    output: CapturedOutputs::default(),
                    usage,
                    counts,
                    uncounted,
                    readings,
                },
            ));
        }
        if let (Some(sent), [(_, CompletedOrder { answer, .. })]) = (sent, &done[..]) {
            self.go_on(sent, answer);
        }
        // Whatever comes next does not wait for this.
        Ok(done
            .into_iter()
            .map(|(outputs, done)| CompletedOrder {
                output: outputs.finish(&mut self.buffer),
                ..done
            })
            .collect())
    }

    /// The readings of the host meanwhile; for a single execution, only if readings were due when
    /// it ended.
    fn readings(&mut self, ended: &mut [ChildEnd]) -> Readings {
        let own = ended.iter_mut().map(ChildEnd::own_time).sum();
        if let [ChildEnd { answer, .. }] = ended
            && !answer.is_due()
        {
            self.host.pass(own);
            return Readings::default();
        }
        let was = ended.last().and_then(|ChildEnd { usage, .. }| {
            Some(CpuPlacement { cpu: usage.last_cpu?, migrations: usage.migrations })
        });
        let readings = self.host.end(own, was);
        // Unknown usage of it cannot be separated from that of others.
        let is_known = ended.iter().all(|ChildEnd { usage, .. }| usage.cpu().is_some());
        let other_cpu = readings.other_cpu.filter(|_| is_known);
        Readings { other_cpu, ..readings }
    }
}

impl ChildEnd {
    fn new(one: ActiveOrder) -> Result<Self, String> {
        let ActiveOrder { launcher, mut events, outputs, answer, .. } = one;
        let answer = answer.ok_or("the process of tacho that starts commands did not answer")?;
        let (counts, uncounted) = events.end();
        let usage = answer.usage(launcher.floor());
        Ok(Self { launcher, events, outputs, answer, usage, counts, uncounted })
    }

    /// The processor time that it used, and its launcher since this was asked last.
    fn own_time(&mut self) -> Duration {
        let Usage { tree_cpu, user, sys, .. } = self.usage;
        tree_cpu.unwrap_or(user + sys) + self.launcher.newly_used()
    }
}
