//! The launcher's answer: how the subject ended, and its usage by the kernel's account.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Limit;

use crate::{ExecutionEnd, SchedulerTimes, Usage};

/// The kernel's unit of input and output, in bytes.
const BLOCK: u64 = 512;

/// `struct answer` of the launcher, whose numbers have these places.
#[derive(Debug)]
pub struct Answer {
    numbers: [i64; Self::NUMBERS],
    /// The ended subject's `/proc/PID/schedstat`, empty if there is none.
    schedstat: String,
}

const ERROR: usize = 0;
const STEP: usize = 1;
const STATUS: usize = 2;
const CUT: usize = 3;
const LEFT: usize = 4;
const STUCK: usize = 5;
const WALL: usize = 6;
const LAST_CPU: usize = 7;
const STOPPED: usize = 8;
const GROUP_CPU: usize = 9;
const IGNORES: usize = 10;
const PREPARED_RUNNING: usize = 11;
const PREPARED_WAITING: usize = 12;
const BEGAN: usize = 13;
const DUE: usize = 14;
const FOLLOWED: usize = 15;
const MIGRATIONS: usize = 16;
/// The offset of `struct rusage`.
const USAGE: usize = 17;

/// The tolerance of a control group's time over that of processes waited for: a tick of the kernel.
const TICK: Duration = Duration::from_millis(10);

/// Values of the number at [`CUT`].
const CUT_BY_LIMIT: i64 = 1;
const CUT_BY_ORDER: i64 = 2;
const CUT_BY_CPU_TIME: i64 = 3;

/// The step at which a child failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchStep {
    /// Becoming the program.
    Starting,
    /// Joining a control group.
    Joining,
    /// Taking its scheduling class.
    Scheduling,
    /// Taking its niceness.
    Nicing,
    /// Keeping to its processors.
    Pinning,
    /// Having random addresses, or not.
    Randomising,
    /// Limiting itself.
    Limiting,
}

impl Answer {
    const NUMBERS: usize = USAGE + 18;
    const TEXT: usize = 64;

    /// Its size.
    pub const BYTES: usize = Self::NUMBERS * 8 + Self::TEXT;

    /// The answer that these bytes are.
    pub fn new(bytes: &[u8; Self::BYTES]) -> Self {
        let (numbers, text) = bytes.split_at(Self::NUMBERS * 8);
        let mut answer = Self { numbers: [0; _], schedstat: String::new() };
        for (number, bytes) in answer.numbers.iter_mut().zip(numbers.as_chunks().0) {
            *number = i64::from_ne_bytes(*bytes);
        }
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        answer.schedstat = String::from_utf8_lossy(text).into_owned();
        answer
    }

    /// Whether it was started; the system's error if not.
    pub fn started(&self) -> io::Result<()> {
        match i32::try_from(self.numbers[ERROR]) {
            Ok(0) => Ok(()),
            Ok(error) => Err(io::Error::from_raw_os_error(error)),
            Err(_) => Err(io::ErrorKind::Other.into()),
        }
    }

    /// The step at which it could not be started.
    pub fn step(&self) -> LaunchStep {
        const STEPS: [LaunchStep; 6] = [
            LaunchStep::Joining,
            LaunchStep::Scheduling,
            LaunchStep::Nicing,
            LaunchStep::Pinning,
            LaunchStep::Randomising,
            LaunchStep::Limiting,
        ];
        let place = usize::try_from(self.numbers[STEP]).ok().and_then(|step| step.checked_sub(1));
        place.and_then(|place| STEPS.get(place).copied()).unwrap_or(LaunchStep::Starting)
    }

    /// Whether the launcher takes further orders.
    pub fn may_go_on(&self) -> bool {
        self.numbers[STUCK] == 0 && self.numbers[CUT] != CUT_BY_ORDER
    }

    /// Whether a process of it is still alive, although it was killed, and its end was not
    /// requested.
    pub fn is_stuck(&self) -> bool {
        self.numbers[STUCK] != 0 && self.numbers[CUT] != CUT_BY_ORDER
    }

    /// Whether it ended by itself, with status 0, and left no process behind.
    pub fn is_well(&self) -> bool {
        [ERROR, STATUS, CUT, LEFT, STUCK].iter().all(|place| self.numbers[*place] == 0)
    }

    /// Whether readings of the host were due when it ended.
    pub fn is_due(&self) -> bool {
        self.numbers[DUE] != 0
    }

    /// Whether the order that was sent ahead is executed by now.
    pub fn is_followed(&self) -> bool {
        self.numbers[FOLLOWED] != 0
    }

    /// When it was started.
    pub fn at(&self) -> Timestamp {
        Timestamp::from_nanosecond(self.numbers[BEGAN].into()).unwrap_or_default()
    }

    /// From right before it was made until it had ended.
    pub fn wall(&self) -> Duration {
        Duration::from_nanos(self.count(WALL))
    }

    /// How many processes of it were alive after it had ended of its own.
    pub fn left_behind(&self) -> u32 {
        if self.numbers[CUT] == 0 {
            u32::try_from(self.numbers[LEFT]).unwrap_or(u32::MAX)
        } else {
            0
        }
    }

    /// How it ended, or why it was ended.
    pub fn ended(&self) -> ExecutionEnd {
        let status = ExitStatus::from_raw(i32::try_from(self.numbers[STATUS]).unwrap_or_default());
        match (self.numbers[CUT], status.code(), status.signal()) {
            (CUT_BY_LIMIT, ..) => self.timed_out(),
            (CUT_BY_ORDER, ..) => ExecutionEnd::Interrupted,
            (CUT_BY_CPU_TIME, ..) => ExecutionEnd::LimitReached(Limit::CpuTime),
            (_, Some(code), _) => ExecutionEnd::Exited(code),
            (_, None, signal) => ExecutionEnd::Killed(signal.unwrap_or_default()),
        }
    }

    /// How it was ended at its time limit.
    fn timed_out(&self) -> ExecutionEnd {
        match i32::try_from(self.numbers[STOPPED]) {
            Ok(signal) if signal > 0 => ExecutionEnd::Stopped(signal),
            _ => ExecutionEnd::TimedOut,
        }
    }

    /// Its usage; a peak of memory up to the floor may be the launcher's.
    pub fn usage(&self, floor: u64) -> Usage {
        // The places of `struct rusage`; the others are always 0 on Linux.
        let [user, sys, peak, minor, major] = [0, 2, 4, 8, 9].map(|place| USAGE + place);
        let [read, written, voluntary, involuntary] = [11, 12, 16, 17].map(|place| USAGE + place);
        let peak = self.count(peak).saturating_mul(1024);
        let (user, sys) = (self.time(user), self.time(sys));
        let group = u64::try_from(self.numbers[GROUP_CPU]).ok().map(Duration::from_nanos);
        let more = group.filter(|group| *group > user.saturating_add(sys).saturating_add(TICK));
        let forgotten = more.is_some() || (group.is_none() && self.numbers[IGNORES] != 0);
        Usage {
            user,
            sys,
            forgotten,
            tree_cpu: more,
            peak_memory: (peak > floor && !forgotten).then_some(peak),
            peak_floor: floor,
            minor_faults: self.count(minor),
            major_faults: self.count(major),
            voluntary_switches: self.count(voluntary),
            involuntary_switches: self.count(involuntary),
            block_input: self.count(read).saturating_mul(BLOCK),
            block_output: self.count(written).saturating_mul(BLOCK),
            scheduled: self.scheduled(),
            tree_memory: None,
            tree_blocks: None,
            last_cpu: u32::try_from(self.numbers[LAST_CPU]).ok(),
            migrations: u64::try_from(self.numbers[MIGRATIONS]).ok(),
        }
    }

    /// How it was scheduled, without what its conditions took, as its wall time is.
    fn scheduled(&self) -> Option<SchedulerTimes> {
        let without =
            |time: Duration, place| time.saturating_sub(Duration::from_nanos(self.count(place)));
        let whole = parse_schedstat(&self.schedstat)?;
        Some(SchedulerTimes {
            on_cpu: without(whole.on_cpu, PREPARED_RUNNING),
            waiting: without(whole.waiting, PREPARED_WAITING),
        })
    }

    fn count(&self, place: usize) -> u64 {
        u64::try_from(self.numbers[place]).unwrap_or(0)
    }

    /// A `struct timeval`: seconds, then microseconds.
    fn time(&self, place: usize) -> Duration {
        let micros = Duration::from_micros(self.count(place + 1));
        Duration::from_secs(self.count(place)).saturating_add(micros)
    }
}

/// Reads `/proc/PID/schedstat`: nanoseconds on a CPU, nanoseconds waiting for one, and how often it
/// got one.
///
/// A kernel without these statistics has no such file, or one with zeros.
fn parse_schedstat(text: &str) -> Option<SchedulerTimes> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    let (on_cpu, waiting, slices) = (next()?, next()?, next()?);
    (slices > 0).then(|| SchedulerTimes {
        on_cpu: Duration::from_nanos(on_cpu),
        waiting: Duration::from_nanos(waiting),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An answer with these numbers at these places, zeroes elsewhere, and that text.
    fn answer(numbers: &[(usize, i64)], schedstat: &str) -> Answer {
        let mut bytes = [0; Answer::BYTES];
        for (place, number) in numbers {
            bytes[place * 8..][..8].copy_from_slice(&number.to_ne_bytes());
        }
        bytes[Answer::NUMBERS * 8..][..schedstat.len()].copy_from_slice(schedstat.as_bytes());
        Answer::new(&bytes)
    }

    #[test]
    fn no_number_is_too_large() {
        let answer = Answer { numbers: [i64::MAX; _], schedstat: String::new() };
        assert_eq!(answer.usage(0).block_input, u64::MAX);
    }

    #[test]
    fn each_number_is_read_from_its_place() {
        // As `struct rusage` has them: user, sys, maxrss, ixrss, idrss, isrss, minflt, majflt,
        // nswap, inblock, oublock, msgsnd, msgrcv, nsignals, nvcsw, nivcsw.
        let usage = [1, 2, 3, 4, 500, 0, 0, 0, 6, 7, 0, 8, 9, 0, 0, 0, 10, 11];
        let other = [
            (LAST_CPU, -1),
            (GROUP_CPU, -1),
            (PREPARED_RUNNING, 2),
            (PREPARED_WAITING, 100),
            (MIGRATIONS, 12),
        ];
        let numbers: Vec<(usize, i64)> = (USAGE..).zip(usage).chain(other).collect();
        let read = answer(&numbers, "14 113 14\n").usage(100 * 1024);
        let expected = Usage {
            user: Duration::new(1, 2000),
            sys: Duration::new(3, 4000),
            forgotten: false,
            tree_cpu: None,
            peak_memory: Some(500 * 1024),
            peak_floor: 100 * 1024,
            minor_faults: 6,
            major_faults: 7,
            block_input: 8 * 512,
            block_output: 9 * 512,
            voluntary_switches: 10,
            involuntary_switches: 11,
            scheduled: Some(SchedulerTimes {
                on_cpu: Duration::from_nanos(12),
                waiting: Duration::from_nanos(13),
            }),
            tree_memory: None,
            tree_blocks: None,
            last_cpu: None,
            migrations: Some(12),
        };
        assert_eq!(read, expected);
        assert_eq!(answer(&numbers, "").usage(500 * 1024).peak_memory, None);
        // The same place, by the system's own words.
        assert_eq!(size_of::<libc::rusage>(), 18 * 8);
        assert_eq!(std::mem::offset_of!(libc::rusage, ru_nivcsw), 17 * 8);
        assert_eq!(std::mem::offset_of!(libc::rusage, ru_minflt), 8 * 8);
    }

    #[test]
    fn what_nobody_waited_for_is_known_by_the_group_or_by_what_the_program_ignores() {
        let second = [(USAGE, 1), (USAGE + 4, 500)];
        let read = |group, ignores| {
            answer(&[&second[..], &[(GROUP_CPU, group), (IGNORES, ignores)]].concat(), "")
        };
        let usage = |group, ignores| read(group, ignores).usage(0);
        let more = Duration::from_millis(1011);
        assert_eq!(
            (usage(1_011_000_000, 0).cpu(), usage(1_011_000_000, 0).forgotten),
            (Some(more), true)
        );
        assert_eq!(
            usage(1_009_000_000, 1).cpu(),
            Some(Duration::from_secs(1)),
            "no more than a tick"
        );
        assert_eq!((usage(-1, 1).cpu(), usage(-1, 1).peak_memory), (None, None));
        let known = usage(-1, 0);
        assert_eq!(
            (known.cpu(), known.peak_memory),
            (Some(Duration::from_secs(1)), Some(500 * 1024))
        );
        let lacking: Vec<_> =
            usage(1_011_000_000, 0).absent().into_iter().map(|it| it.metric).collect();
        assert!(
            lacking.contains(&"user".into()) && !lacking.contains(&"cpu".into()),
            "{lacking:?}"
        );
        assert!(usage(-1, 1).absent().iter().any(|it| it.metric == "cpu"));
    }

    #[test]
    fn an_end_of_our_making_goes_before_its_own() {
        assert_eq!(answer(&[(STATUS, 7 << 8)], "").ended(), ExecutionEnd::Exited(7));
        assert_eq!(answer(&[(STATUS, 11)], "").ended(), ExecutionEnd::Killed(11));
        assert_eq!(
            answer(&[(STATUS, 7 << 8), (CUT, CUT_BY_LIMIT)], "").ended(),
            ExecutionEnd::TimedOut
        );
        assert_eq!(
            answer(&[(STATUS, 15), (CUT, CUT_BY_ORDER)], "").ended(),
            ExecutionEnd::Interrupted
        );
        assert_eq!(
            answer(&[(STOPPED, 19), (CUT, CUT_BY_LIMIT)], "").ended(),
            ExecutionEnd::Stopped(19)
        );
        assert_eq!(answer(&[(LEFT, 2)], "").left_behind(), 2);
        assert_eq!(answer(&[(LEFT, 2), (CUT, CUT_BY_LIMIT)], "").left_behind(), 0);
    }

    #[test]
    fn a_kernel_that_keeps_no_account_of_cpus_says_nothing() {
        assert_eq!(parse_schedstat(""), None);
        assert_eq!(parse_schedstat("0 0 0\n"), None);
        let read = parse_schedstat("95600000 175400000 12\n").unwrap();
        assert_eq!((read.on_cpu.as_micros(), read.waiting.as_micros()), (95_600, 175_400));
    }

    proptest! {
        #[test]
        fn any_other_text_is_no_reading_and_no_panic(text in "[ 0-9a-f\n-]{0,60}") {
            let is_number = |word: &&str| word.parse::<u64>().is_ok();
            let numbers = text.split_ascii_whitespace().take_while(is_number).count();
            prop_assert!(parse_schedstat(&text).is_none() || numbers >= 3);
        }
    }
}
