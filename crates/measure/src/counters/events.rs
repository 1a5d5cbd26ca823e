//! The counters of one process: all events of what it starts, opened once and read after each
//! execution.

use std::io;
use std::path::Path;

use tacho_record::Counter;

use super::count::{CountReading, CounterValue, Unavailable};
use super::energy::{Domain, Energy};
use super::event::{CounterEvent, EventKind, anchor, refusal};
use super::processors::kinds_of_processors;
use crate::MissingMetric;

/// Counters that count at the same time, because one is divided by the other.
///
/// A group has no more than two counters: a group that exceeds the processor's counters is never
/// counted at all. If there are too many groups, the kernel lets them take turns.
const GROUPS: [[Counter; 2]; 3] = [
    [Counter::Instructions, Counter::Cycles],
    [Counter::Branches, Counter::BranchMisses],
    [Counter::CacheReferences, Counter::CacheMisses],
];

/// Some counters, opened on a process that starts others.
///
/// The process itself is not counted. The processes that it starts are counted, with all
/// descendants, from their exec on. When one of them ends, the kernel adds its counts to the
/// readings here.
#[derive(Debug, Default)]
pub struct Events {
    asked: Vec<Counter>,
    counted: Vec<CountedEvent>,
    energy: Vec<(Counter, Energy)>,
    /// The counters that are not available.
    refused: Vec<(Counter, Unavailable)>,
    /// Open as long as the events are.
    anchor: Option<CounterEvent>,
}

/// A counter: one event for each kind of processors.
#[derive(Debug)]
struct CountedEvent {
    counter: Counter,
    events: Vec<CounterEvent>,
    /// Their last reading.
    last: CountReading,
}

impl Events {
    /// Opens them on that process of the host whose files these are.
    ///
    /// A counter that is not available is no error: it is reported after each execution.
    pub fn open(pid: u32, asked: &[Counter], root: &Path) -> Self {
        let mut events = Self {
            asked: asked.to_vec(),
            counted: Vec::new(),
            energy: Vec::new(),
            refused: Vec::new(),
            anchor: None,
        };
        events.open_energy(root);
        let is_wanted =
            |counter: &Counter| asked.contains(counter) && EventKind::of(*counter).is_some();
        let wanted: Vec<Counter> = Counter::ALL.into_iter().filter(is_wanted).collect();
        if !wanted.is_empty() {
            events.open_kernels(pid, &wanted, root);
        }
        events
    }

    fn open_energy(&mut self, root: &Path) {
        let of = [(Counter::Energy, Domain::Package), (Counter::EnergyDram, Domain::Dram)];
        for (counter, domain) in of.into_iter().filter(|(counter, _)| self.asked.contains(counter))
        {
            match Energy::open(domain, root) {
                Ok(energy) => self.energy.push((counter, energy)),
                Err(why) => self.refused.push((counter, why)),
            }
        }
    }

    fn open_kernels(&mut self, pid: u32, wanted: &[Counter], root: &Path) {
        let anchor = match anchor(pid) {
            Ok(anchor) => anchor,
            Err(error) => {
                self.refused.extend(
                    wanted.iter().map(|&counter| (counter, refusal(counter, &error, root))),
                );
                return;
            }
        };
        self.anchor = Some(anchor);
        let processors = kinds_of_processors(root);
        for &counter in wanted {
            let Some(kind) = EventKind::of(counter) else { continue };
            match self.open_one(pid, counter, kind, &processors) {
                Ok(events) => {
                    self.counted.push(CountedEvent {
                        counter,
                        events,
                        last: CountReading::default(),
                    });
                }
                Err(error) => self.refused.push((counter, refusal(counter, &error, root))),
            }
        }
    }

    /// The events of a counter: one, or one for each kind of processors.
    fn open_one(
        &self,
        pid: u32,
        counter: Counter,
        kind: EventKind,
        processors: &[u32],
    ) -> io::Result<Vec<CounterEvent>> {
        let each = |index: usize, kind: EventKind| {
            let leader = self.leader(counter).and_then(|events| events.get(index));
            match kind.open(pid, leader) {
                // They cannot be counted at the same time: then each on its own.
                Err(error) if leader.is_some() && error.raw_os_error() == Some(libc::EINVAL) => {
                    kind.open(pid, None)
                }
                opened => opened,
            }
        };
        if processors.is_empty() || !counter.is_of_processor() {
            return Ok(vec![each(0, kind)?]);
        }
        processors.iter().enumerate().map(|(index, &kinds)| each(index, kind.at(kinds))).collect()
    }

    /// The events of the counter that this one is counted together with, if those are open.
    fn leader(&self, counter: Counter) -> Option<&[CounterEvent]> {
        let first = GROUPS.iter().find(|[_, second]| *second == counter)?[0];
        let leader = self.counted.iter().find(|counted| counted.counter == first)?;
        Some(&leader.events)
    }

    /// These events, if they are the requested ones; otherwise the requested ones, on the process
    /// with this id.
    pub fn or_those(self, asked: &[Counter], pid: u32) -> Self {
        if self.asked == asked { self } else { Self::open(pid, asked, Path::new("/")) }
    }

    /// Why one of them cannot be counted at all.
    pub fn refusal(&self, counter: Counter) -> Option<&Unavailable> {
        self.refused.iter().find(|(refused, _)| *refused == counter).map(|(_, why)| why)
    }

    /// Must be called right before an execution.
    pub fn begin(&mut self) {
        self.energy.iter_mut().for_each(|(_, energy)| energy.begin());
    }

    /// The counts since then, and the missing ones with their reasons. Must be called after the
    /// execution has ended.
    pub fn end(&mut self) -> (Vec<(Counter, CounterValue)>, Vec<MissingMetric>) {
        let energy = self.energy.iter_mut().map(|(counter, energy)| (*counter, energy.end()));
        let counted = self.counted.iter_mut().map(|counted| (counted.counter, counted.end()));
        let (mut counts, mut absent) = (Vec::new(), Vec::new());
        for (counter, count) in counted.chain(energy) {
            match count {
                Ok(count) => counts.push((counter, count)),
                Err(why) => absent.push(MissingMetric::new(counter.name(), why)),
            }
        }
        absent.extend(
            self.refused
                .iter()
                .map(|(counter, why)| MissingMetric::new(counter.name(), why.why.clone())),
        );
        (counts, absent)
    }
}

impl CountedEvent {
    /// The count since the last time. The process itself counts nothing, so this is the execution
    /// since then.
    fn end(&mut self) -> Result<CounterValue, String> {
        let mut now = CountReading::default();
        for event in &self.events {
            let reading = event
                .read()
                .map_err(|error| format!("the kernel does not report the count: {error}"))?;
            now = now.and(reading);
        }
        let reading = now.since(std::mem::replace(&mut self.last, now));
        CounterValue::of(reading).map_err(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Printed with `--nocapture`, and not asserted: a busy machine is no mistake.
    #[test]
    fn what_reading_them_costs() {
        let asked = [Counter::TaskClock, Counter::CpuMigrations];
        for asked in [&asked[..], &Counter::ALL] {
            let mut events = Events::open(std::process::id(), asked, Path::new("/"));
            let mut costs: Vec<_> = (0..1000)
                .map(|_| {
                    let began = Instant::now();
                    events.begin();
                    let (counts, absent) = events.end();
                    (began.elapsed(), counts.len() + absent.len())
                })
                .collect();
            costs.sort_unstable();
            assert!(
                costs.iter().all(|(_, all)| *all == events.counted.len() + events.refused.len())
            );
            let open = events.counted.len();
            println!(
                "reading {open} of {} counters: {:?} in the median",
                asked.len(),
                costs[costs.len() / 2].0
            );
        }
    }

    #[test]
    fn what_has_not_begun_a_program_is_not_counted() {
        let mut events = Events::open(std::process::id(), &[Counter::TaskClock], Path::new("/"));
        let (counts, absent) = events.end();
        assert_eq!(
            (counts, absent.len()),
            (Vec::new(), 1),
            "nothing but us is there, and we stay what we are"
        );
    }
}
