//! The real executor: a launcher starts the subject, waits for it, and answers what it used.
//!
//! One execution reads from top to bottom in [`ProcessExecutor::measure`]. Each step has its file:
//! `order` puts the request into the launcher's terms, `launcher` holds that process, `perform` has
//! it execute orders, `watch` waits for its answer while `output` reads what the subject prints,
//! `answer` reads the result; [`Events`] count meanwhile; `ahead` begins the next execution early
//! if it is certain. Nothing here knows the purpose of the readings. With two executions at the
//! same time, each has a launcher of its own, so that each step is the same for both.
//!
//! Why a launcher: a program inherits the peak of memory of the process that it was made from, and
//! is made the slower the larger that is. And why one in C (`launcher/launcher.c`): it holds 24
//! KiB, so that a static program shows its own 548; to execute ourselves again for the purpose
//! would hold several MiB, which is what our dynamic loader touches, and would need a place at the
//! top of every `main`, those of tests included. No second file has to be installed, and building
//! `SQLite` takes a C compiler anyway.

mod adopted;
mod ahead;
pub(crate) mod answer;
mod cgroup;
mod companion;
mod environment;
mod launcher;
mod order;
mod output;
mod perform;
mod program;
mod settings;
mod under_way;
mod watch;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tacho_record::{Cgroup, Counter, Limit, Metric};

use crate::counters::{self, Events};
use crate::interrupt::{Interrupt, TICK};
use crate::{
    Blocks, CompanionRequest, Execution, ExecutionEnd, Executor, HostReader, MissingMetric,
    NotReady, Readings, ReadyCompanion, Request, Unavailable, Usage,
};
use answer::{Answer, LaunchStep};
use cgroup::{Cgroups, Group, GroupDemand, GroupFiles};
use launcher::Launcher;
use order::{ExecutionCost, LauncherOrder, Orders};
use output::Pipe;
use under_way::{ActiveOrder, CompletedOrder, EarlyExecution, NextOrder};

pub use environment::environment;
pub use launcher::{in_memory, program};
pub use program::{missing_program, nearest_program};

/// Executes commands on this host.
///
/// - The subject leads a process group of its own, in the background of our terminal: Ctrl-C
///   reaches us alone. A program that asks at `/dev/tty` is stopped by the kernel, and so runs into
///   its time limit: [`ExecutionEnd::Stopped`].
/// - Nothing outlives its execution: the launcher is the parent of all orphans below it, and kills
///   them, whatever group or session they moved to. Nothing outlives this process either, even
///   after `kill -9`: the launcher sees that it is gone and does the same. If a subject kills the
///   launcher itself, this process adopts and kills the rest.
/// - Standard input and outputs are the only files that the subject has open.
/// - The launcher is started with the first execution. Inherited settings (limits, priority,
///   allowed processors) are those of this process at that time.
/// - Executors of one process take turns, as two executions at once would disturb each other. For
///   intended pairs, one executor executes both, each by a launcher of its own, so that each has
///   its own account.
/// - Reading output takes processor time beside the subject: give it
///   [`Capture::Nothing`](crate::Capture::Nothing) where the answer is not needed.
#[derive(Debug)]
pub struct ProcessExecutor {
    interrupt: Interrupt,
    /// How long what must still be done may take once the user has interrupted.
    patience: Duration,
    /// The buffer for output, kept so that no execution waits for memory.
    buffer: Vec<u8>,
    /// The one of the last execution, unless that was its last, and what is counted of all that it
    /// executes; the second is for the second of two at the same time.
    launchers: [Option<(Launcher, Events)>; 2],
    host: HostReader,
    /// The pipe for the next subject's output.
    spare: Option<Pipe>,
    /// The common parts of orders for the same request.
    orders: Orders,
    /// The places of control groups, after the first request.
    cgroups: Option<Cgroups>,
    /// The execution that began before it was requested.
    ahead: Option<EarlyExecution>,
    /// How many processors we and what we execute may use.
    processors: usize,
    /// When the last answer came, and how long what was done between the one before it and the next
    /// wait took.
    ordered_at: Option<Instant>,
    beside: Duration,
    /// The source of the host's facts that may vary.
    facts: fn() -> BTreeMap<String, String>,
}

/// Why there is no control group where the plan does not want one.
const FORBIDDEN: &str = "control groups are forbidden (`cgroup = \"never\"`)";

/// The message for a subject that does not end.
const STUCK: &str = "a process of the command cannot be killed: the process waits for a device, \
    or has another user now";

impl ProcessExecutor {
    /// An executor that ends what it executes, and starts no more, once that flag is set.
    #[must_use]
    pub fn new(interrupt: Arc<AtomicBool>) -> Self {
        // The next measurement removes them, whether it makes groups itself or not.
        Cgroups::sweep();
        Self {
            interrupt: Interrupt::new(interrupt),
            patience: watch::PATIENCE,
            buffer: vec![0; output::BUFFER],
            launchers: [None, None],
            host: HostReader::new(),
            spare: None,
            orders: Orders::default(),
            cgroups: None,
            ahead: None,
            processors: thread::available_parallelism().map_or(1, NonZero::get),
            ordered_at: None,
            beside: Duration::ZERO,
            facts: BTreeMap::new,
        }
    }

    /// The same, which asks this for [facts of the host](Executor::facts).
    #[must_use]
    pub fn with_facts(self, facts: fn() -> BTreeMap<String, String>) -> Self {
        Self { facts, ..self }
    }

    /// Whether the user interrupted.
    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Executes these when it is our turn, unless the user wants that no more; of one, with what
    /// certainly comes next.
    fn take_turn<const N: usize>(
        &mut self,
        requests: [&Request; N],
        next: Option<&Request>,
        patient: bool,
    ) -> [Execution; N] {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let at = Timestamp::now();
        let begun = self.resume(&requests);
        if if patient { self.interrupt.is_urgent() } else { self.interrupt.is_raised() } {
            return requests.map(|_| Execution::of(ExecutionEnd::Interrupted, at, Duration::ZERO));
        }
        let not_started = |why| Execution::of(ExecutionEnd::NotStarted(why), at, Duration::ZERO);
        let mut measured = self.measure(requests, begun, next, patient);
        // The next execution may have begun and killed the launcher before the launcher reported
        // the result of the one before. Executed alone, each command has its own end.
        if next.is_some() && measured.as_ref().is_err_and(|why| launcher::was_killed(why)) {
            measured = self.measure(requests, None, None, patient);
        }
        match measured {
            Ok(measured) => measured.map(|one| one.unwrap_or_else(not_started)),
            Err(why) => requests.map(|_| not_started(why.clone())),
        }
    }

    /// Executes the requests at the same time, or returns the reason why one could not be started.
    /// Then none counts, though one may have begun.
    fn measure<const N: usize>(
        &mut self,
        requests: [&Request; N],
        begun: Option<ActiveOrder>,
        next: Option<&Request>,
        patient: bool,
    ) -> Result<[Result<Execution, String>; N], String> {
        let next = next.zip(requests.first()).map(|(request, after)| NextOrder { after, request });
        let (under_way, groups) = if let Some(begun) = begun {
            // An execution that needs a group does not begin early.
            (Ok(vec![begun]), vec![None])
        } else {
            let (orders, groups) = self.prepare(&requests)?;
            let orders: Vec<_> = requests.into_iter().zip(&orders).collect();
            (self.begin(&orders, Duration::ZERO), groups)
        };
        let performed = under_way.and_then(|under_way| self.finish_all(under_way, next, patient));
        let is_grouped = groups.iter().all(Option::is_some);
        let performed =
            performed.map_err(|why| if is_grouped { launcher::in_group(why) } else { why })?;
        let mut all = performed.into_iter().zip(&groups);
        Ok(requests.map(|request| {
            let (done, group) = all.next().ok_or("there is no answer to an order")?;
            self.executed(request, done, group.as_ref())
        }))
    }

    /// The orders for these requests, and the control groups that they need.
    fn prepare(
        &mut self,
        requests: &[&Request],
    ) -> Result<(Vec<LauncherOrder>, Vec<Option<Group>>), String> {
        let (mut orders, mut groups) =
            (Vec::with_capacity(requests.len()), Vec::with_capacity(requests.len()));
        for request in requests {
            let group = self.group(request)?;
            orders.push(
                self.orders.order(request, group.as_ref().map_or_else(no_files, Group::files)?)?,
            );
            groups.push(group);
        }
        if requests.iter().any(|request| request.conditions.cold) {
            settings::drop_caches()?;
        }
        Ok((orders, groups))
    }

    /// The result of an order, with the account of its control group.
    fn executed(
        &mut self,
        request: &Request,
        done: CompletedOrder,
        group: Option<&Group>,
    ) -> Result<Execution, String> {
        let mut usage = done.usage;
        let wall = done.answer.wall();
        let waiting = usage.scheduled.map_or(Duration::ZERO, |scheduled| scheduled.waiting);
        self.orders.remember(request, usage.cpu().map(|cpu| ExecutionCost { wall, cpu, waiting }));
        let ended = ended(request, &done.answer, &usage, group)?;
        usage.tree_memory = group.filter(|_| request.tree_memory).and_then(Group::peak);
        let mut absent = usage.absent();
        usage.tree_blocks = group.and_then(Group::blocks);
        absent.extend(self.no_tree_memory(request, usage.tree_memory));
        absent.extend(self.no_tree_blocks(request, usage.tree_blocks));
        absent.extend(done.uncounted);
        absent.extend(no_share(&done.answer).filter(|_| usage.cpu().is_some()));
        Ok(Execution {
            at: done.at,
            wall,
            left_behind: done.answer.left_behind(),
            ended,
            usage,
            absent,
            counts: done.counts,
            readings: done.readings,
            stdout: done.output.stdout,
            stderr_tail: done.output.stderr_tail,
            stderr: done.output.stderr,
        })
    }

    /// A control group for that request, if it needs one; or why it cannot have it.
    fn group(&mut self, request: &Request) -> Result<Option<Group>, String> {
        let must = request.conditions.cgroup == Cgroup::Always || request.limits.memory.is_some();
        let wants = request.tree_memory || request.tree_blocks;
        let may = must || wants || request.limits.cpu_time.is_some();
        if !may || request.conditions.cgroup == Cgroup::Never {
            return Ok(None);
        }
        if !self.cgroups.as_ref().is_some_and(|found| found.knows_blocks() || !request.tree_blocks)
        {
            // The search may move this process to another group, and processes that were started
            // before would not follow.
            self.launchers = [None, None];
        }
        let cgroups = self.cgroups.get_or_insert_with(Cgroups::find);
        if request.tree_blocks {
            cgroups.find_blocks();
        }
        match cgroups.no_memory() {
            Some(why) if must => Err(why.to_owned()),
            _ => cgroups
                .make(GroupDemand {
                    memory_limit: request.limits.memory,
                    blocks: request.tree_blocks,
                })
                .map(Some),
        }
    }

    /// The reason why the memory of all processes together was not read, if so.
    fn no_tree_memory(&self, request: &Request, read: Option<u64>) -> Option<MissingMetric> {
        let why = match &self.cgroups {
            _ if read.is_some() || !request.tree_memory => return None,
            Some(cgroups) => {
                cgroups.no_memory().unwrap_or("not available here: the control group does not say")
            }
            None => FORBIDDEN,
        };
        Some(MissingMetric::new(Metric::PEAK_MEMORY_TREE, why.to_owned()))
    }

    /// The same of what they read from devices and wrote to them.
    fn no_tree_blocks(&self, request: &Request, read: Option<Blocks>) -> Vec<MissingMetric> {
        let why = match &self.cgroups {
            _ if read.is_some() || !request.tree_blocks => return Vec::new(),
            Some(cgroups) => {
                cgroups.no_blocks().unwrap_or("not available here: the control group does not say")
            }
            None => FORBIDDEN,
        };
        Metric::TREE_BLOCKS.map(|metric| MissingMetric::new(metric, why.to_owned())).into()
    }

    /// Takes the conditions of that request upon nothing.
    fn try_conditions(&mut self, request: &Request) -> Result<(), Unavailable> {
        self.ahead = None;
        let without_hint = |why| Unavailable::new(why, None);
        let group = self.group(request).map_err(|why| Unavailable::new(why, Some(cgroup::HINT)))?;
        let files = group.as_ref().map_or_else(no_files, Group::files).map_err(without_hint)?;
        let order = LauncherOrder::rehearsal(request, files).map_err(without_hint)?;
        let quiet =
            Request { conditions: request.conditions.clone(), ..Request::new(["rehearsal"]) };
        let done = self.perform(&[(&quiet, &order)], false).map_err(without_hint)?;
        let refused =
            done.iter().find_map(|done| Some((done.answer.started().err()?, done.answer.step())));
        match refused {
            // To be too small even for that is a result.
            Some((error, step)) if step != LaunchStep::Starting => {
                Err(settings::why_not(request, step, &error))
            }
            _ => Ok(()),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "in place of what opens files")]
fn no_files() -> Result<GroupFiles, String> {
    Ok(GroupFiles::default())
}

/// How it ended; or why it could not be started.
fn ended(
    request: &Request,
    answer: &Answer,
    usage: &Usage,
    group: Option<&Group>,
) -> Result<ExecutionEnd, String> {
    let limits = request.limits;
    if answer.is_stuck() {
        return Err(STUCK.to_owned());
    }
    let ended = match answer.started() {
        Ok(()) => answer.ended(),
        Err(error)
            if error.raw_os_error() == Some(libc::ENOMEM) && limits.address_space.is_some() =>
        {
            ExecutionEnd::LimitReached(Limit::AddressSpace)
        }
        Err(error) if error.raw_os_error() == Some(libc::ENOMEM) && limits.memory.is_some() => {
            ExecutionEnd::LimitReached(Limit::Memory)
        }
        Err(error) => return Err(order::why_not(request, answer.step(), &error)),
    };
    // Without a group each process is limited, and its parent may end as if nothing had happened.
    let used_up =
        limits.cpu_time.is_some_and(|limit| usage.cpu().is_some_and(|used| used >= limit));
    let short = limits.memory.is_some() && group.is_some_and(Group::was_short_of_memory);
    Ok(match ended {
        ExecutionEnd::Exited(_) | ExecutionEnd::Killed(_) if short => {
            ExecutionEnd::LimitReached(Limit::Memory)
        }
        ExecutionEnd::Exited(_) | ExecutionEnd::Killed(_) if used_up => {
            ExecutionEnd::LimitReached(Limit::CpuTime)
        }
        ExecutionEnd::Killed(libc::SIGXCPU) if limits.cpu_time.is_some() => {
            ExecutionEnd::LimitReached(Limit::CpuTime)
        }
        other => other,
    })
}

impl Executor for ProcessExecutor {
    fn execute(&mut self, request: &Request) -> Execution {
        let [execution] = self.take_turn([request], None, false);
        execution
    }

    fn execute_before(&mut self, request: &Request, next: &Request) -> Execution {
        let [execution] = self.take_turn([request], Some(next), false);
        execution
    }

    fn execute_pair(&mut self, requests: [&Request; 2]) -> [Execution; 2] {
        self.take_turn(requests, None, false)
    }

    fn finish(&mut self, request: &Request) -> Execution {
        let [execution] = self.take_turn([request], None, true);
        execution
    }

    fn accompany(
        &mut self,
        request: &CompanionRequest,
    ) -> Result<Box<dyn ReadyCompanion>, NotReady> {
        self.ahead = None;
        companion::accompany(self, request)
    }

    fn free_port(&mut self) -> Result<u16, String> {
        companion::ports::free().map_err(|error| format!("there is no free port: {error}"))
    }

    fn lacks(&mut self, counter: Counter) -> Option<Unavailable> {
        counters::lacks(counter)
    }

    fn lacks_program(&mut self, request: &Request) -> Option<Unavailable> {
        program::missing(request)
    }

    fn facts(&mut self) -> BTreeMap<String, String> {
        (self.facts)()
    }

    fn look(&mut self, span: Duration) -> Readings {
        self.ahead = None;
        let began = Instant::now();
        self.host.begin_again();
        while let Some(left) = span.checked_sub(began.elapsed()).filter(|left| !left.is_zero())
            && !self.is_interrupted()
        {
            thread::sleep(left.min(TICK));
        }
        self.host.end(Duration::ZERO, None)
    }

    fn unread(&mut self) -> Vec<MissingMetric> {
        self.host.absent().map(|(metric, why)| MissingMetric::new(metric, why.to_owned())).collect()
    }

    fn rehearse(&mut self, request: &Request) -> Result<(), Unavailable> {
        if request.conditions.cold {
            settings::may_drop_caches()?;
        }
        self.try_conditions(request)
    }

    fn now(&mut self) -> Timestamp {
        Timestamp::now()
    }
}

/// The reason why there is no share of processors, if so.
fn no_share(answer: &Answer) -> Option<MissingMetric> {
    let why = "what an execution left behind used processor time after its wall time";
    (answer.left_behind() > 0).then(|| MissingMetric::new("cpu-percent", why))
}

/// A new launcher, of whose executions nothing is counted yet.
fn start() -> Result<(Launcher, Events), String> {
    Ok((Launcher::start()?, Events::default()))
}
