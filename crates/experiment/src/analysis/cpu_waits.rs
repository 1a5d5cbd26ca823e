//! Whether a verdict about wall time holds where programs waited for a CPU. The rule is in
//! docs/src/method/compare-cases.md.
//!
//! Waiting is part of the host's path: [`usual_speed`](super::usual_speed) takes it off, however
//! much it is.

use tacho_record::{Sample, busy_share, is_mostly_busy};
use tacho_stats::compare::{Comparison, Note, Verdict, WaitNote};

use super::host_load::host_load;

/// From this share of their time on that programs waited for a CPU, they are called the same only
/// where their CPU times are the same.
const MUCH: f64 = 0.1;
/// From this share on, wall times alone show little but the waiting. It is no half: a launcher
/// waits too, before and after the program, and that is not in the program's account.
const MOST: f64 = 0.3;
/// Less waiting than this hides no difference, whatever the margin.
const LITTLE: f64 = 0.02;
/// Of the waiting of one side alone, this many times what is in its account may be a difference: a
/// launcher waits too.
const UNREAD: f64 = 2.0;

/// The samples of both sides, of each build or layout apart; a control's are of the first side.
type WaitingSides<'a> = [&'a [&'a [Sample]]; 2];

/// What share of its time each side waited for a CPU that other processes used; nothing where no
/// others were active: a program with more threads than CPUs waits for itself.
fn waited_for_others(sides: WaitingSides<'_>) -> Option<[f64; 2]> {
    let shares = sides.map(waited);
    let is_seen = longest(shares) >= LITTLE && host_load(&sides.concat()).others.is_some();
    is_seen.then_some(shares)
}

/// The share of the side that waited longer: it alone may be what makes the difference.
fn longest([a, b]: [f64; 2]) -> f64 {
    a.max(b)
}

/// What share of their time all these waited for a CPU.
fn waited(builds: &[&[Sample]]) -> f64 {
    let counted = builds.iter().copied().flatten().filter(|sample| sample.counts());
    let (waited, ready, wall) = counted.fold((0.0, 0.0, 0.0), |sums, sample| {
        let of = |metric: &str| sample.value(metric).unwrap_or(0.0);
        let waited = of("cpu-wait");
        (sums.0 + waited, sums.1 + waited + of("cpu"), sums.2 + of("wall"))
    });
    // Threads wait together, and what sleeps needs no CPU: the smaller share holds for both.
    waited / f64::max(ready, wall)
}

/// Whether most of this side's time is its CPU time, or waiting for one.
fn is_busy(builds: &[&[Sample]]) -> bool {
    is_mostly_busy(busy_share(builds.iter().copied().flatten()))
}

/// The comparison of wall times without its verdict where waiting for a CPU may have brought that
/// about; `by_cpu` compares the CPU times of the same executions.
#[must_use]
pub fn beside_cpu_time(
    wall: Comparison,
    sides: WaitingSides<'_>,
    margin: f64,
    by_cpu: impl FnOnce() -> Comparison,
) -> Comparison {
    let Some(shares) = waited_for_others(sides).filter(|it| longest(*it) >= margin) else {
        return wall;
    };
    if is_beyond_waiting(&wall, shares) {
        return wall;
    }
    // The CPU time of a program that sleeps says nothing of its wall time.
    let cpu = sides.into_iter().all(is_busy).then(by_cpu);
    let by_cpu = cpu.as_ref().map_or(Verdict::Unclear, |cpu| cpu.verdict);
    if !is_doubtful(wall.verdict, by_cpu, longest(shares)) {
        return wall;
    }
    let by_cpu = cpu.and_then(|cpu| cpu.estimate).and_then(|it| it.ratio.zip(it.interval));
    let mut notes = wall.notes;
    notes.push(Note::Waited(WaitNote { shares, by_cpu }));
    Comparison { verdict: Verdict::Unclear, more: None, notes, ..wall }
}

/// Whether times still differ if the slower side waited for all that it may have waited, and the
/// other one for nothing.
fn is_beyond_waiting(wall: &Comparison, [a, b]: [f64; 2]) -> bool {
    let Some((low, high)) = wall.estimate.and_then(|it| it.interval) else { return false };
    let (slower, least) = match wall.verdict {
        Verdict::Slower => (b, low),
        Verdict::Faster => (a, 1.0 / high),
        _ => return false,
    };
    least * (1.0 - UNREAD * slower) > 1.0
}

/// Whether a verdict by wall time is none, beside that by CPU time.
fn is_doubtful(wall: Verdict, cpu: Verdict, share: f64) -> bool {
    match wall {
        Verdict::Same => cpu.differs() || (share >= MUCH && cpu != Verdict::Same),
        Verdict::Faster | Verdict::Slower => {
            (share >= MOST && cpu != wall) || (share >= MUCH && cpu == wall.opposite())
        }
        Verdict::Unclear => share >= MOST || (share >= MUCH && cpu.differs()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Outcome, Place};
    use tacho_stats::compare::{ComparisonRules, Look, SampleValue, Sides, compare};

    use super::*;

    /// Executions of `cpu` ms that waited for the rest of 100 ms, while others used that many CPUs.
    fn starved(cpu: f64, others: f64) -> Vec<Sample> {
        let sample = |round: u32| {
            let mut sample = Sample {
                place: Place { round, position: 0 },
                at: Timestamp::UNIX_EPOCH,
                outcome: Outcome::Valid,
                values: Vec::new(),
            };
            let wall = 100e6 + 1e4 * f64::from(round * 7 % 20);
            let cpu = cpu * 1e6 + 1e3 * f64::from(round * 3 % 20);
            for (name, value) in [
                ("wall", wall),
                ("cpu", cpu),
                ("cpu-wait", wall - cpu),
                ("host-other-cpu", others * wall),
            ] {
                sample.add(name, value);
            }
            sample
        };
        (1..=20).map(sample).collect()
    }

    fn compared(a: &[Sample], b: &[Sample]) -> Comparison {
        let by = |metric: &str| {
            let side = |samples: &[Sample]| -> Vec<SampleValue> {
                let value = |it: &Sample| {
                    Some(SampleValue::new(it.value(metric)?).in_round(it.place.round))
                };
                samples.iter().filter_map(value).collect()
            };
            let (a, b) = (side(a), side(b));
            let sides = Sides { a: &a, b: &b, control: &[] };
            compare(&sides, &ComparisonRules::default(), Look::only(20, 0.05))
        };
        beside_cpu_time(by("wall"), [&[a], &[b]], 0.01, || by("cpu"))
    }

    #[test]
    fn a_program_that_sleeps_is_no_witness_by_its_cpu_time() {
        // One sleeps for 100 ms, the other computes for 60 ms and waits for 90.
        let of = |wall: f64, cpu: f64, waited: f64| -> Vec<Sample> {
            let mut samples = starved(cpu, 2.0);
            for (sample, nth) in samples.iter_mut().zip(0..) {
                let wall = wall * 1e6 + 1e4 * f64::from(nth * 7 % 20);
                sample.values.retain(|(name, _)| ["cpu", "host-other-cpu"].contains(&&**name));
                sample.add("wall", wall);
                sample.add("cpu-wait", waited * 1e6);
            }
            samples
        };
        let (sleeper, loops) = (of(100.0, 1.0, 0.0), of(150.0, 60.0, 90.0));
        let found = compared(&sleeper, &loops);
        let waited = found.waited().map(|it| it.by_cpu);
        assert_eq!((found.verdict, waited), (Verdict::Unclear, Some(None)));
    }

    #[test]
    fn equal_wall_times_of_unequal_work_are_not_called_the_same() {
        let found = compared(&starved(20.0, 2.0), &starved(24.0, 2.0));
        assert_eq!(found.verdict, Verdict::Unclear);
        let [Note::Waited(WaitNote { shares: [a, b], by_cpu: Some((ratio, _)) })] = found.notes[..]
        else {
            panic!("{:?}", found.notes)
        };
        assert!((a - 0.8).abs() < 0.01 && (b - 0.76).abs() < 0.01, "{a} {b}");
        assert!((ratio - 1.2).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn what_sleeps_does_not_share_the_waiting_of_what_computes() {
        let (asleep, computes) = (starved(100.0, 2.0), starved(88.0, 2.0));
        let [a, b] = waited_for_others([&[&asleep], &[&computes]]).unwrap();
        assert!(a < 0.001 && (b - 0.12).abs() < 0.01, "{a} {b}");
    }

    #[test]
    fn equal_work_stays_the_same_on_a_busy_host() {
        let found = compared(&starved(20.0, 2.0), &starved(20.0, 2.0));
        assert_eq!((found.verdict, found.notes), (Verdict::Same, vec![]));
    }

    #[test]
    fn a_program_that_waits_for_its_own_threads_is_judged_by_wall_time() {
        let found = compared(&starved(20.0, 0.0), &starved(24.0, 0.0));
        assert_eq!((found.verdict, found.notes), (Verdict::Same, vec![]));
    }

    #[test]
    fn waiting_explains_no_difference_that_is_larger() {
        let sleeps = |cpu: f64, wall: f64| {
            let mut all = starved(cpu, 2.0);
            for (name, value) in all.iter_mut().flat_map(|sample| &mut sample.values) {
                *value *= if &**name == "wall" { wall / 100.0 } else { 1.0 };
                *value *= if &**name == "cpu-wait" { 0.1 } else { 1.0 };
            }
            all
        };
        // B sleeps, and needs less CPU time; both wait for a CPU.
        let [computes, asleep] = [sleeps(20.0, 28.0), sleeps(2.0, 80.0)];
        assert_eq!(compared(&computes, &asleep).verdict, Verdict::Slower);
        assert_eq!(compared(&asleep, &computes).verdict, Verdict::Faster);
        // Of what computes, 20 of 28 ms are its own: what sleeps for 36 is slower on any host.
        assert_eq!(compared(&computes, &sleeps(2.0, 36.0)).verdict, Verdict::Slower);
    }

    #[test]
    fn little_waiting_hides_nothing() {
        assert_eq!(waited_for_others([&[&starved(99.0, 2.0)]; 2]), None);
        assert!(is_doubtful(Verdict::Same, Verdict::Unclear, 0.2));
        assert!(!is_doubtful(Verdict::Same, Verdict::Unclear, 0.05), "none to be contradicted by");
        assert!(!is_doubtful(Verdict::Slower, Verdict::Unclear, 0.2));
        assert!(is_doubtful(Verdict::Slower, Verdict::Faster, 0.2));
        assert!(is_doubtful(Verdict::Slower, Verdict::Same, 0.8));
        assert!(is_doubtful(Verdict::Unclear, Verdict::Unclear, 0.9));
    }
}
