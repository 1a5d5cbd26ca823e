//! Whether a change of wall time is only waiting for a CPU that other work on the host used.
//!
//! An execution takes its own time, and the time in which it was ready and got no CPU. Its own time
//! has all actions of the program: computing, sleeping, reading files. If this time hardly changed,
//! the host caused the rest.

use crate::Summary;

/// A change is the host's where at most this part of it is left without the waiting, by the far end
/// of the interval …
const LEFT: f64 = 0.5;
/// … and this part by the medians: what is more is a change of the program all the same.
const LEFT_BY_MEDIANS: f64 = 0.3;
/// From this number of CPUs used by others on, over all executions of the slower side, others may
/// be the cause: a program on a quiet host waits for itself.
const LOADED: f64 = 0.25;
/// Fewer executions of a side exclude nothing.
const FEWEST: usize = 6;
/// A launcher waits too, and that is not read: this many times what is read may be waiting.
const LAUNCHED: f64 = 2.0;
/// The system shares CPUs: what is ready waits at most this many times as long as it computes,
/// times what the first thread waits by its own CPU time.
const SHARED: f64 = 4.0;
/// The first thread's waiting is the program's where that thread used this share of its CPU time.
const FIRST_THREAD: f64 = 0.95;
/// A program waits for a CPU whose first thread is seen to wait this share of its wall time.
const WAITS: f64 = 0.1;
/// A program is busy whose least disturbed execution computes for this share of the time in which
/// it does not wait for a CPU.
const BUSY: f64 = 0.9;
/// One that uses more CPU time than wall time has several threads, which may wait for each other.
const PARALLEL: f64 = 1.05;

/// The times of one execution, in one unit of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExecutionTimes {
    /// From its start to its end.
    pub wall: f64,
    /// On CPUs, all threads and processes together.
    pub cpu: f64,
    /// The part of its first thread, if it is read.
    pub first_thread: Option<f64>,
    /// For how long the first thread was ready and got no CPU, where it is read.
    pub waited: Option<f64>,
    /// On CPUs, by everything else on the host; 0 where it is not read.
    pub others: f64,
}

impl ExecutionTimes {
    /// The share of its time that it computed, without the waiting for a CPU: beside other work
    /// that waiting would hide how long it slept.
    fn computing(&self) -> f64 {
        self.cpu / (self.wall - self.waited.unwrap_or(0.0)).max(f64::MIN_POSITIVE)
    }

    /// Whether enough executions show that the program hardly waits for anything but a CPU.
    #[must_use]
    pub fn are_busy(executions: &[Self]) -> bool {
        executions.len() >= FEWEST
            && executions.iter().any(|it| it.computing() >= BUSY)
            && executions.iter().all(|it| it.cpu <= PARALLEL * it.wall)
    }

    /// CPU time and waiting for a CPU by wall time, of all executions; more than 1 if several CPUs
    /// are used at once. If only a part of the waiting is read, the share is the CPU time of the
    /// least disturbed execution, by its time without that part.
    #[must_use]
    pub fn busy_share(executions: &[Self]) -> Option<f64> {
        if !reads_waiting(executions) {
            return executions.iter().map(Self::computing).max_by(f64::total_cmp);
        }
        let wall: f64 = executions.iter().map(|it| it.wall).sum();
        let busy: f64 = executions.iter().map(|it| it.cpu + it.waited.unwrap_or(0.0)).sum();
        (wall > 0.0).then(|| busy / wall)
    }
}

/// How long executions waited for a CPU, as shares of their time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WaitedShare {
    /// The waiting that is read.
    pub read: f64,
    /// The possible further waiting if the waiting of the whole program is not read; otherwise 0.
    pub unread: f64,
}

impl WaitedShare {
    /// The waiting of these executions, while others used that many CPUs. If only a part of the
    /// waiting is read, all time beyond the CPU time may be waiting, as far as others used CPUs.
    #[must_use]
    pub fn of(executions: &[ExecutionTimes], others: f64) -> Self {
        let sum = |of: fn(&ExecutionTimes) -> f64| executions.iter().map(of).sum::<f64>();
        let [wall, cpu] = [sum(|it| it.wall).max(f64::MIN_POSITIVE), sum(|it| it.cpu)];
        let first = sum(|it| it.first_thread.unwrap_or(0.0));
        let waited = sum(|it| it.waited.unwrap_or(0.0));
        // Threads wait together, and what sleeps needs no CPU: the smaller share holds for both.
        let read = waited / wall.max(waited + cpu);
        let beyond = f64::min(1.0 - cpu / wall, others);
        let rate = if first > 0.0 { f64::max(waited / first, 1.0) } else { 1.0 };
        let most = SHARED * rate * (cpu - first).max(0.0) / wall;
        let most = if reads_waiting(executions) { 0.0 } else { most };
        let unread = (beyond - read).min(most).max(0.0);
        Self { read, unread }
    }

    /// The share that is read, plus the possible rest.
    #[must_use]
    pub fn share(self) -> f64 {
        self.read + self.unread
    }

    /// The largest possible waiting, including the launcher's.
    #[must_use]
    pub fn most(self) -> f64 {
        self.share().max(LAUNCHED * self.read)
    }
}

/// The residual of a change of wall time without the effect of other work on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithoutWaiting {
    /// The change of the program's own time, as a logarithm.
    pub effect: f64,
    /// Whether the residual is of CPU time, since the waiting of the whole program is not read.
    pub by_cpu: bool,
}

/// The residual of a change of wall time of this logarithm, between executions before and after, if
/// other work on the host explains most of it; `None` if the program does, or if unknown.
///
/// The residual must be at most three tenths of the change by the ratio of both medians, and at
/// most half by the far end of its interval. For that the distances of the medians to the ends of
/// their 95 % intervals are squared and added (Zou & Donner, "Construction of confidence limits
/// about effect measures", Statistics in Medicine 27, 2008).
#[must_use]
pub fn without_waiting(effect: f64, sides: [&[ExecutionTimes]; 2]) -> Option<WithoutWaiting> {
    let slower = sides[usize::from(effect > 0.0)];
    if sides.iter().any(|side| side.len() < FEWEST) || !is_loaded(slower) {
        return None;
    }
    let little = LEFT * effect.abs();
    let by = |own: fn(&ExecutionTimes) -> f64| OwnChange::of(sides, own, effect > 0.0);
    let is_little = |own: &OwnChange| {
        own.most <= little && own.left * effect.signum() <= LEFT_BY_MEDIANS * effect.abs()
    };
    let cpu = || by(|it| it.cpu).filter(is_little);
    if sides.iter().all(|side| reads_waiting(side)) {
        let own = by(|it| it.wall - it.waited.unwrap_or(0.0))?;
        if is_little(&own) {
            return Some(WithoutWaiting { effect: own.left, by_cpu: false });
        }
        // For programs that only compute and wait, CPU time shows the same more precisely.
        let is_alike = own.left * effect.signum() <= little;
        let computes = is_alike && sides.iter().all(|side| computes(side));
        return cpu()
            .filter(|_| computes)
            .map(|cpu| WithoutWaiting { effect: cpu.left, by_cpu: true });
    }
    let is_usable = waits(slower) || sides.iter().all(|side| ExecutionTimes::are_busy(side));
    cpu().filter(|_| is_usable).map(|cpu| WithoutWaiting { effect: cpu.left, by_cpu: true })
}

/// By how much times of a program differ between two sides.
struct OwnChange {
    /// The ratio of both medians, as a logarithm.
    left: f64,
    /// The end of its interval in the direction of the change: more of it.
    most: f64,
}

impl OwnChange {
    /// The change of these times; `None` if there are too few, or they have no logarithm.
    fn of(
        sides: [&[ExecutionTimes]; 2],
        own: fn(&ExecutionTimes) -> f64,
        rises: bool,
    ) -> Option<Self> {
        let level = |side: &[ExecutionTimes]| {
            let of = Summary::of(&side.iter().map(own).collect::<Vec<_>>())?;
            let (low, high) = of.interval?;
            Some((of.median.ln(), (of.median / low).ln(), (high / of.median).ln()))
        };
        let [(before, below, above), (after, down, up)] = [level(sides[0])?, level(sides[1])?];
        let left = after - before;
        let most = if rises { left + up.hypot(below) } else { down.hypot(above) - left };
        most.is_finite().then_some(Self { left, most })
    }
}

/// Whether a program computes or waits for a CPU most of the time, in most executions.
fn computes(executions: &[ExecutionTimes]) -> bool {
    let shares: Vec<f64> = executions.iter().map(ExecutionTimes::computing).collect();
    Summary::of(&shares).is_some_and(|share| share.median >= BUSY)
        && executions.iter().all(|it| it.cpu <= PARALLEL * it.wall)
}

/// Whether a part of the program is seen to wait for a CPU.
fn waits(executions: &[ExecutionTimes]) -> bool {
    let waited: f64 = executions.iter().filter_map(|it| it.waited).sum();
    waited >= WAITS * executions.iter().map(|it| it.wall).sum::<f64>()
}

/// Whether other work used the host meanwhile.
fn is_loaded(executions: &[ExecutionTimes]) -> bool {
    let sum = |of: fn(&ExecutionTimes) -> f64| executions.iter().map(of).sum::<f64>();
    sum(|it| it.others) >= LOADED * sum(|it| it.wall)
}

/// Whether the waiting that is read is that of the whole program.
fn reads_waiting(executions: &[ExecutionTimes]) -> bool {
    let cpu: f64 = executions.iter().map(|it| it.cpu).sum();
    let first: f64 = executions.iter().filter_map(|it| it.first_thread).sum();
    executions.iter().all(|it| it.waited.is_some()) && first >= FIRST_THREAD * cpu
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Two sides of a change, before and after each.
    struct WaitingWorld {
        /// Milliseconds on a CPU.
        cpu: [f64; 2],
        /// Milliseconds asleep.
        asleep: [f64; 2],
        /// How many other programs want a CPU.
        others: [f64; 2],
        /// Of what part of the program the waiting is read.
        read: ReadWaiting,
    }

    /// Of what part of a program the waiting is read.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum ReadWaiting {
        Whole,
        FirstOfSeveral,
        Nothing,
    }

    const READ: [ReadWaiting; 3] =
        [ReadWaiting::Whole, ReadWaiting::FirstOfSeveral, ReadWaiting::Nothing];

    impl WaitingWorld {
        fn quiet(cpu: [f64; 2], asleep: [f64; 2]) -> Self {
            Self { cpu, asleep, others: [0.0; 2], read: ReadWaiting::Whole }
        }

        fn side(&self, which: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<ExecutionTimes> {
            let part = if self.read == ReadWaiting::FirstOfSeveral { 0.6 } else { 1.0 };
            let execution = |rng: &mut ChaCha8Rng| {
                let cpu = self.cpu[which] * (0.02 * gaussian(rng)).exp();
                // A CPU is shared with others for parts of the time.
                let waited = self.others[which] * cpu * rng.random::<f64>();
                let wall = cpu + waited + self.asleep[which] * (0.01 * gaussian(rng)).exp();
                ExecutionTimes {
                    wall,
                    cpu,
                    first_thread: Some(cpu * part),
                    waited: (self.read != ReadWaiting::Nothing).then_some(waited * part),
                    others: self.others[which] * wall,
                }
            };
            (0..count).map(|_| execution(rng)).collect()
        }

        /// The change of the wall time, as a logarithm.
        fn effect(&self) -> f64 {
            let mean = |at: usize| self.cpu[at] * (1.0 + self.others[at] / 2.0) + self.asleep[at];
            (mean(1) / mean(0)).ln()
        }

        /// Of 400 such changes, how many are taken for the host's, as a share.
        fn blamed(&self, count: usize) -> f64 {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let is_blamed = |_: &usize| {
                let sides = [0, 1].map(|which| self.side(which, count, &mut rng));
                without_waiting(self.effect(), [&sides[0], &sides[1]]).is_some()
            };
            (0..400).filter(is_blamed).count() as f64 / 400.0
        }
    }

    #[test]
    fn a_change_that_is_waiting_for_others_is_the_hosts() {
        // By CPU time alone one execution on each side must have been hardly disturbed.
        for (read, least) in READ.into_iter().zip([0.95, 0.95, 0.8]) {
            let world = WaitingWorld {
                others: [0.2, 1.2],
                read,
                ..WaitingWorld::quiet([100.0, 103.0], [0.0; 2])
            };
            assert!(world.blamed(20) > least, "{} {read:?}", world.blamed(20));
            let faster = WaitingWorld { others: [1.2, 0.2], cpu: [100.0; 2], ..world };
            assert!(faster.blamed(20) > least, "{} {read:?}", faster.blamed(20));
        }
    }

    #[test]
    fn a_change_of_the_program_stays_one_on_a_busy_host() {
        for (read, others) in READ.into_iter().flat_map(|read| [(read, 1.0), (read, 0.3)]) {
            for by in [1.05, 1.4, 0.8] {
                let world = WaitingWorld {
                    others: [others; 2],
                    read,
                    ..WaitingWorld::quiet([100.0, 100.0 * by], [0.0; 2])
                };
                assert!(world.blamed(20) < 0.02, "{} {read:?} {others} {by}", world.blamed(20));
            }
        }
        // The host did most of it, and the program a part that counts.
        for read in READ {
            let others = [0.2, 1.0];
            let world =
                WaitingWorld { others, read, ..WaitingWorld::quiet([100.0, 130.0], [0.0; 2]) };
            assert!(world.blamed(20) < 0.02, "{} {read:?}", world.blamed(20));
        }
    }

    #[test]
    fn what_sleeps_is_not_busy_however_long_it_waits_for_a_cpu() {
        let of = |cpu: f64, asleep: f64, waited: f64| ExecutionTimes {
            wall: cpu + asleep + waited,
            cpu,
            waited: Some(waited),
            ..ExecutionTimes::default()
        };
        let waits = [0.0, 10.0, 20.0, 40.0, 80.0, 160.0];
        assert!(!ExecutionTimes::are_busy(&waits.map(|waited| of(4.0, 4.0, waited))));
        assert!(ExecutionTimes::are_busy(&waits.map(|waited| of(8.0, 0.2, waited))));
    }

    #[test]
    fn a_change_of_sleep_stays_one() {
        for read in READ {
            for asleep in [[0.0, 30.0], [5.0, 9.0], [50.0, 10.0]] {
                let world = WaitingWorld { read, ..WaitingWorld::quiet([100.0; 2], asleep) };
                assert_eq!(world.blamed(10), 0.0, "on a quiet host {asleep:?}");
            }
        }
        // Of a program that computes but for little, too: CPU time does not decide alone.
        let little =
            WaitingWorld { others: [0.5; 2], ..WaitingWorld::quiet([100.0; 2], [0.0, 9.0]) };
        assert!(little.blamed(20) < 0.02, "{}", little.blamed(20));
        // Where the waiting is read, on a busy host too.
        let world =
            WaitingWorld { others: [0.5; 2], ..WaitingWorld::quiet([100.0; 2], [0.0, 40.0]) };
        assert!(world.blamed(20) < 0.02, "{}", world.blamed(20));
    }

    #[test]
    fn few_executions_and_those_without_readings_say_nothing() {
        let world =
            WaitingWorld { others: [0.2, 1.2], ..WaitingWorld::quiet([100.0; 2], [0.0; 2]) };
        assert_eq!(world.blamed(5), 0.0);
        let plain = vec![ExecutionTimes { wall: 1.0, ..ExecutionTimes::default() }; 20];
        let slower = vec![ExecutionTimes { wall: 2.0, ..ExecutionTimes::default() }; 20];
        assert_eq!(without_waiting(2f64.ln(), [&plain, &slower]), None);
    }

    #[test]
    fn what_is_not_read_may_all_be_waiting_as_far_as_others_used_the_cpus() {
        let of = |first_thread: f64, waited: f64| {
            vec![
                ExecutionTimes {
                    wall: 50.0,
                    cpu: 20.0,
                    first_thread: Some(first_thread),
                    waited: Some(waited),
                    others: 0.0,
                };
                6
            ]
        };
        let near = |it: f64, expected: f64| assert!((it - expected).abs() < 1e-12, "{it}");
        let whole = WaitedShare::of(&of(20.0, 5.0), 2.0);
        near(whole.share(), 0.1);
        near(whole.most(), 0.2);
        let shell = WaitedShare::of(&of(1.0, 5.0), 2.0);
        near(shell.read, 0.1);
        near(shell.share(), 0.6);
        near(shell.most(), 0.6);
        near(WaitedShare::of(&of(1.0, 5.0), 0.3).share(), 0.3);
        near(WaitedShare::of(&of(1.0, 5.0), 0.0).share(), 0.1);
        // What hardly computes cannot have waited for long.
        let asleep = ExecutionTimes { cpu: 2.0, ..of(1.0, 0.5)[0] };
        near(WaitedShare::of(&[asleep; 6], 2.0).share(), 0.01 + 0.08);
        let starved = ExecutionTimes { waited: Some(5.0), ..asleep };
        near(WaitedShare::of(&[starved; 6], 2.0).share(), 0.1 + 0.4);
        assert_eq!(WaitedShare::of(&[], 2.0), WaitedShare::default());
    }

    #[test]
    fn how_busy_the_child_of_a_shell_is_shows_where_it_was_disturbed_least() {
        let of = |wall: f64, cpu: f64, first_thread: f64, waited: f64| ExecutionTimes {
            wall,
            cpu,
            first_thread: Some(first_thread),
            waited: Some(waited),
            others: wall,
        };
        let share = |first_thread: f64| {
            ExecutionTimes::busy_share(
                &[50.0, 25.0, 75.0].map(|wall| of(wall, 20.0, first_thread, 0.0)),
            )
            .unwrap()
        };
        assert!((share(1.0) - 0.8).abs() < 1e-12, "of 25");
        assert!((share(20.0) - 0.4).abs() < 1e-12, "all of it is read");
        // A shell that waits long before its child sleeps does not make that busy.
        let asleep = [0.0, 30.0, 60.0].map(|waited| of(22.0 + waited, 2.0, 1.0, waited));
        assert!((ExecutionTimes::busy_share(&asleep).unwrap() - 1.0 / 11.0).abs() < 1e-12);
        assert_eq!(ExecutionTimes::busy_share(&[]), None);
    }

    #[test]
    fn it_says_what_is_left() {
        let of = |wall: f64, waited: f64| ExecutionTimes {
            wall,
            cpu: wall - waited,
            first_thread: Some(wall - waited),
            waited: Some(waited),
            others: wall,
        };
        let (before, after) = (vec![of(110.0, 10.0); 8], vec![of(150.0, 48.0); 8]);
        let left = without_waiting((150f64 / 110.0).ln(), [&before, &after]).unwrap();
        assert!((left.effect - 1.02f64.ln()).abs() < 1e-12 && !left.by_cpu, "{left:?}");
    }
}
