//! Readings of other activity on this host: taken right before and right after an execution, and
//! compared.
//!
//! `held` keeps files open, `counts` understands those that count, `sensors` finds the others; here
//! they become [`Readings`]. The crates above interpret them for samples. Reading all of it takes
//! about 40 µs; an execution of less than [`SHORTEST`] gets none of its own, so that readings do
//! not slow down consecutive short ones. The kernel counts in ticks of 10 ms, which would show
//! nothing of a single short one anyway.

mod counts;
mod held;
mod sensors;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use counts::{MemoryCounts, ProcStat, TICK, parse_pressure};
use held::HeldReadings;
use sensors::{CpuLocation, Frequencies, Throttles};

use super::files::HostFiles;

/// The least time that readings are of.
pub const SHORTEST: Duration = Duration::from_millis(10);
/// Executions that follow each other so soon may share readings.
const GAP: Duration = Duration::from_millis(10);
/// Readings are of this many times the time that it takes to read them, at least.
const WORTH: u32 = 200;
/// A file that takes longer to read is not read at all, as one that a program emulates for a
/// container.
const TOO_SLOW: Duration = Duration::from_millis(2);
/// The unit of memory, as a part of all memory, at least.
const MEMORY_SHARE: u64 = 16;

/// The readings of the host during an execution; readings that are not available are absent.
///
/// Times and counts are differences between a moment before and one after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// The time that these readings cover: the execution, and those right before it if they were
    /// too short for readings of their own. Zero if there are none.
    pub span: Duration,
    /// Processor time that was used by others than the subject and us, in ticks of 10 ms.
    pub other_cpu: Option<Duration>,
    /// Time in which this host had work for its processors and a hypervisor gave them to others, in
    /// ticks.
    pub steal: Option<Duration>,
    /// Tasks that ran or were ready to, besides the one that asks; the most of before and after.
    pub running: Option<u64>,
    /// For how long some task waited for a CPU.
    pub pressure_cpu: Option<Duration>,
    /// For how long some task waited for a device.
    pub pressure_io: Option<Duration>,
    /// For how long some task waited for memory.
    pub pressure_memory: Option<Duration>,
    /// Interrupts, of all processors.
    pub interrupts: Option<u64>,
    /// Work that interrupts left for later.
    pub softirqs: Option<u64>,
    /// Context switches, of all processors.
    pub switches: Option<u64>,
    /// The frequency of the CPU that it ended on, in Hz, after.
    pub frequency: Option<u64>,
    /// The temperature of the hottest processor in thousandths of a degree Celsius, after.
    pub temperature: Option<i64>,
    /// How often processors slowed down because they were too warm: all sockets, and the core that
    /// it ended on.
    pub throttled: Option<u64>,
    /// The available memory, in bytes; the least of before and after.
    pub memory: Option<u64>,
    /// All memory, in bytes, of which the other is a share.
    pub memory_total: Option<u64>,
    /// The increase of swapped memory, in bytes.
    pub swapped: Option<u64>,
    /// The node of memory of the CPU that it ended on, where there are several.
    pub node: Option<u32>,
    /// The socket of the CPU that it ended on, where there are several.
    pub socket: Option<u32>,
    /// How often its first thread was moved to another CPU.
    pub migrations: Option<u64>,
}

impl Readings {
    /// The available readings, by the names of [`Metric::HOST`](tacho_record::Metric::HOST) and in
    /// their units.
    ///
    /// They are rounded to what means something: whole ticks, milliseconds of pressure, thousands
    /// of interrupts and switches, 10 MHz, degrees, a sixteenth of the memory. They are kept for
    /// ever, and a quiet machine's are alike.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        let time = |time: Option<Duration>, step: Duration| {
            time.map(|time| {
                (time.as_secs_f64() / step.as_secs_f64()).round() * step.as_nanos() as f64
            })
        };
        let round = |value: Option<u64>, step: u64| {
            value.map(|value| (value as f64 / step as f64).round() * step as f64)
        };
        let (millisecond, whole) =
            (Duration::from_millis(1), |value: Option<u32>| value.map(f64::from));
        let share = self.memory_total.map_or(1, |total| 1 << (total / MEMORY_SHARE).max(1).ilog2());
        let values = [
            ("host-frequency", round(self.frequency, 10_000_000)),
            ("host-interrupts", round(self.interrupts, 1000)),
            ("host-memory", self.memory.map(|bytes| (bytes - bytes % share) as f64)),
            ("host-migrations", round(self.migrations, 1)),
            ("host-node", whole(self.node)),
            ("host-other-cpu", time(self.other_cpu, TICK)),
            ("host-pressure-cpu", time(self.pressure_cpu, millisecond)),
            ("host-pressure-io", time(self.pressure_io, millisecond)),
            ("host-pressure-memory", time(self.pressure_memory, millisecond)),
            ("host-running", round(self.running, 1)),
            ("host-socket", whole(self.socket)),
            ("host-softirqs", round(self.softirqs, 1000)),
            ("host-steal", time(self.steal, TICK)),
            ("host-swapped", round(self.swapped, 1 << 20)),
            ("host-switches", round(self.switches, 1000)),
            ("host-temperature", self.temperature.map(|it| (it as f64 / 1000.0).round())),
            ("host-throttled", round(self.throttled, 1)),
        ];
        values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Reads the host, again and again, from files that it opened once.
#[derive(Debug)]
pub struct HostReader {
    stat: Option<HeldReadings>,
    /// The pressure of the CPU, of devices, of memory.
    pressure: [Option<HeldReadings>; 3],
    memory: Option<HeldReadings>,
    thermometers: Vec<HeldReadings>,
    throttles: Option<Throttles>,
    frequencies: Option<Frequencies>,
    /// The location of each processor.
    seats: BTreeMap<u32, CpuLocation>,
    several_nodes: bool,
    several_sockets: bool,
    /// Whether the kernel counts how often a process is moved to another CPU.
    migrations: bool,
    absent: BTreeMap<&'static str, String>,
    buffer: Vec<u8>,
    shortest: Duration,
    span: Option<Span>,
}

/// The placement of a subject.
#[derive(Clone, Copy, Debug)]
pub struct CpuPlacement {
    /// The processor that it ended on.
    pub cpu: u32,
    /// How often it was moved to another, if that is known.
    pub migrations: Option<u64>,
}

/// The span of readings.
#[derive(Debug)]
struct Span {
    before: Moment,
    /// Processor time that the subjects used since.
    own: Duration,
    /// When the last execution in it ended.
    ended: Instant,
}

/// All that counts, at one moment.
#[derive(Clone, Copy, Debug)]
struct Moment {
    at: Instant,
    stat: Option<ProcStat>,
    pressure: [Option<Duration>; 3],
    memory: Option<MemoryCounts>,
    /// How often sockets were throttled.
    throttled: Option<u64>,
    /// Processor time that this process used.
    ours: Duration,
}

impl HostReader {
    /// A reader of this host.
    #[must_use]
    pub fn new() -> Self {
        Self::below(Path::new("/"))
    }

    /// A reader of the host whose files are below that folder.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        let files = HostFiles::below(root);
        let (seats, mut buffer) = (sensors::seats(&files), vec![0; 8192]);
        let mut absent = BTreeMap::new();
        let mut hold = |path: &str, names: &[&'static str], means: fn(&[u8]) -> bool| {
            let held = open(&files, path, means);
            held.map_err(|why| absent.extend(names.iter().map(|name| (*name, why.clone())))).ok()
        };
        let stat = [
            "host-interrupts",
            "host-other-cpu",
            "host-running",
            "host-softirqs",
            "host-steal",
            "host-switches",
        ];
        let pressed = |text: &[u8]| parse_pressure(text).is_some();
        // The parent that reaps the subject reads its count; ours shows whether the kernel counts
        // migrations.
        let migrations =
            hold("/proc/self/sched", &["host-migrations"], counts_migrations).is_some();
        let mut reader = Self {
            stat: hold("/proc/stat", &stat, |text| ProcStat::parse(text).is_some()),
            pressure: [
                hold("/proc/pressure/cpu", &["host-pressure-cpu"], pressed),
                hold("/proc/pressure/io", &["host-pressure-io"], pressed),
                hold("/proc/pressure/memory", &["host-pressure-memory"], pressed),
            ],
            memory: hold("/proc/meminfo", &["host-memory", "host-swapped"], |text| {
                MemoryCounts::parse(text).is_some()
            }),
            thermometers: Vec::new(),
            throttles: None,
            frequencies: None,
            several_nodes: false,
            several_sockets: false,
            migrations,
            seats,
            absent,
            buffer: Vec::new(),
            shortest: SHORTEST,
            span: None,
        };
        reader.find_sensors(&files, &mut buffer);
        reader.find_seats();
        reader.buffer = buffer;
        reader.weigh();
        reader
    }

    /// The unavailable readings with their reasons; determined once.
    pub fn absent(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.absent.iter().map(|(name, why)| (*name, why.as_str()))
    }

    fn find_sensors(&mut self, files: &HostFiles, buffer: &mut Vec<u8>) {
        match sensors::thermometers(files) {
            Ok(found) => self.thermometers = found,
            Err(why) => _ = self.absent.insert("host-temperature", why),
        }
        match Throttles::open(files, &self.seats, buffer) {
            Ok(found) => self.throttles = Some(found),
            Err(why) => _ = self.absent.insert("host-throttled", why),
        }
        match Frequencies::open(files, &self.seats, buffer) {
            Ok(found) => self.frequencies = Some(found),
            Err(why) => _ = self.absent.insert("host-frequency", why),
        }
        if let Some(memory) = &self.memory
            && memory
                .ask(buffer, MemoryCounts::parse)
                .is_some_and(|memory| memory.swapped.is_none())
        {
            let why = "not available here: there is nowhere to swap to".to_owned();
            self.absent.insert("host-swapped", why);
        }
    }

    /// A place that all processors share has no information.
    fn find_seats(&mut self) {
        let several = |of: fn(&CpuLocation) -> Option<u32>| {
            let mut all: Vec<u32> = self.seats.values().filter_map(of).collect();
            all.sort_unstable();
            all.dedup();
            all.len() > 1
        };
        (self.several_nodes, self.several_sockets) =
            (several(|seat| seat.node), several(|seat| seat.socket));
        if !self.several_nodes {
            self.absent
                .insert("host-node", "not available here: there is one node of memory".to_owned());
        }
        if !self.several_sockets {
            self.absent.insert("host-socket", "not available here: there is one socket".to_owned());
        }
    }

    /// Finds out what reading takes, so that it is never more than a two-hundredth of what is read.
    fn weigh(&mut self) {
        let mut cost = || {
            let begun = Instant::now();
            self.moment();
            self.now(Readings::default(), None);
            begun.elapsed()
        };
        let least = [cost(), cost(), cost()].into_iter().min().unwrap_or_default();
        self.shortest = SHORTEST.max(least * WORTH);
    }

    /// Must be called right before an execution.
    pub fn begin(&mut self) {
        if self.span.as_ref().is_none_or(|span| span.ended.elapsed() >= GAP) {
            let before = self.moment();
            self.span = Some(Span { ended: before.at, before, own: Duration::ZERO });
        }
    }

    /// The same for readings of what is not to be read with anything before.
    pub fn begin_again(&mut self) {
        self.span = None;
        self.begin();
    }

    /// Must be called right after an execution, with the processor time that it took, what we spend
    /// on starting it included, and where it was, if that is known.
    pub fn end(&mut self, own: Duration, was: Option<CpuPlacement>) -> Readings {
        let Some(mut span) = self.span.take() else { return Readings::default() };
        span.own = span.own.saturating_add(own);
        if span.before.at.elapsed() < self.shortest {
            self.span = Some(Span { ended: Instant::now(), ..span });
            return Readings::default();
        }
        let after = self.moment();
        let readings = self.now(between(&span.before, &after, span.own), was);
        self.span = Some(Span { before: after, own: Duration::ZERO, ended: Instant::now() });
        readings
    }

    /// To call after an execution instead, with its processor time, if the next one is under way by
    /// now: activity from then on is not read.
    pub fn pass(&mut self, own: Duration) {
        if let Some(span) = &mut self.span {
            span.own = span.own.saturating_add(own);
            span.ended = Instant::now();
        }
    }

    /// How much longer it takes until there are readings, of at least that span: an execution that
    /// ends before has none of its own.
    #[must_use]
    pub fn due(&self, least: Duration) -> Duration {
        let until = |span: &Span| self.shortest.max(least).saturating_sub(span.before.at.elapsed());
        self.span.as_ref().map_or(Duration::ZERO, until)
    }

    fn moment(&mut self) -> Moment {
        let buffer = &mut self.buffer;
        Moment {
            at: Instant::now(),
            stat: self.stat.as_ref().and_then(|held| held.ask(buffer, ProcStat::parse)),
            pressure: self
                .pressure
                .each_ref()
                .map(|held| held.as_ref()?.ask(buffer, parse_pressure)),
            memory: self.memory.as_ref().and_then(|held| held.ask(buffer, MemoryCounts::parse)),
            throttled: self.throttles.as_ref().map(|throttles| throttles.of_sockets(buffer)),
            ours: ours(),
        }
    }

    /// Adds what holds now.
    fn now(&mut self, mut readings: Readings, was: Option<CpuPlacement>) -> Readings {
        let buffer = &mut self.buffer;
        readings.temperature = sensors::warmest(&self.thermometers, buffer);
        let Some(CpuPlacement { cpu, migrations }) = was else { return readings };
        readings.migrations = migrations.filter(|_| self.migrations);
        readings.frequency = self.frequencies.as_mut().and_then(|all| all.of(cpu, buffer));
        let core = self.throttles.as_mut().map(|all| all.of_core(cpu, buffer));
        readings.throttled = readings.throttled.zip(core).map(|(sockets, core)| sockets + core);
        let seat = self.seats.get(&cpu);
        readings.node = seat.and_then(|seat| seat.node).filter(|_| self.several_nodes);
        readings.socket = seat.and_then(|seat| seat.socket).filter(|_| self.several_sockets);
        readings
    }
}

impl Default for HostReader {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a `/proc/PID/sched` has the number of moves of its process to other CPUs.
fn counts_migrations(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("se.nr_migrations")
}

/// The file, if it can be read, means something and does not take too long; else why not.
fn open(files: &HostFiles, path: &str, means: fn(&[u8]) -> bool) -> Result<HeldReadings, String> {
    let held = HeldReadings::open(files, path)?;
    let mut buffer = vec![0; 8192];
    let mut read = || {
        let begun = Instant::now();
        let understood = held.ask(&mut buffer, |text| Some(means(text)));
        (understood == Some(true), begun.elapsed())
    };
    let tries = [read(), read(), read()];
    let took = tries.iter().map(|(_, took)| *took).min().unwrap_or_default();
    if !tries.iter().all(|(understood, _)| *understood) {
        return Err(format!("not available here: {path} does not have it"));
    }
    if took > TOO_SLOW {
        return Err(format!("not read here: {path} takes {} ms a time", took.as_millis()));
    }
    Ok(held)
}

/// The readings between two moments, in which subjects used this much processor time.
fn between(before: &Moment, after: &Moment, own: Duration) -> Readings {
    let stat = before.stat.zip(after.stat);
    // A counter that went backwards was reset: what it counted is not known.
    let counted =
        |of: fn(&ProcStat) -> u64| stat.and_then(|(one, two)| of(&two).checked_sub(of(&one)));
    let ticks = |count: u64| TICK * u32::try_from(count).unwrap_or(u32::MAX);
    let ours = own.saturating_add(after.ours.saturating_sub(before.ours));
    let [cpu, io, memory] =
        [0, 1, 2].map(|place| after.pressure[place]?.checked_sub(before.pressure[place]?));
    let both = before.memory.zip(after.memory);
    let swapped = both.and_then(|(one, two)| Some(two.swapped?.saturating_sub(one.swapped?)));
    Readings {
        span: after.at.duration_since(before.at),
        other_cpu: counted(|stat| stat.busy).map(|busy| ticks(busy).saturating_sub(ours)),
        steal: counted(|stat| stat.steal).map(ticks),
        running: stat.map(|(one, two)| one.running.max(two.running).saturating_sub(1)),
        pressure_cpu: cpu,
        pressure_io: io,
        pressure_memory: memory,
        interrupts: counted(|stat| stat.interrupts),
        softirqs: counted(|stat| stat.softirqs),
        switches: counted(|stat| stat.switches),
        throttled: before
            .throttled
            .zip(after.throttled)
            .and_then(|(one, two)| two.checked_sub(one)),
        memory: both.map(|(one, two)| one.available.min(two.available)),
        memory_total: both.map(|(_, two)| two.total),
        swapped,
        ..Readings::default()
    }
}

/// Processor time that this process has used.
fn ours() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}
