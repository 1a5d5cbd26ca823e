//! Checks verdicts about wall time of programs that waited for a CPU. The rule is in
//! docs/src/method/compare-cases.md.
//!
//! Waiting is part of the host's path: [`usual_speed`](super::usual_speed) takes it off, however
//! much it is.

use tacho_record::{Sample, is_mostly_busy};
use tacho_stats::compare::{Comparison, Note, Verdict, WaitNote};
use tacho_stats::waiting::WaitedShare;

use super::execution_times::{busy_share, execution_times};
use super::host_load::host_load;

/// From this share of their time on that programs waited for a CPU, they are called the same only
/// where their CPU times are the same, and different only where that is no waiting.
const MUCH: f64 = 0.1;
/// From this share on, wall times differ only where CPU times do: a launcher waits too, unread.
const MOST: f64 = 0.3;
/// Less waiting than this hides no difference, whatever the margin.
const LITTLE: f64 = 0.02;

/// The samples of both sides, of each build or layout apart; a control's are of the first side.
type WaitingSides<'a> = [&'a [&'a [Sample]]; 2];

/// The share of its time that each side waited for a CPU used by other processes; `None` if no
/// others were active: a program with more threads than CPUs waits for itself.
fn waited_for_others(sides: WaitingSides<'_>) -> Option<[WaitedShare; 2]> {
    let others = host_load(&sides.concat()).others?;
    let times = |side: &[&[Sample]]| execution_times(side.iter().copied().flatten());
    let shares = sides.map(|side| WaitedShare::of(&times(side), others));
    (longest(shares) >= LITTLE).then_some(shares)
}

/// The share of the side that waited longer: it alone may be what makes the difference.
fn longest([a, b]: [WaitedShare; 2]) -> f64 {
    f64::max(a.share(), b.share())
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
    // The CPU time of a program that sleeps is no evidence about its wall time.
    let is_busy = |side: &[&[Sample]]| is_mostly_busy(busy_share(side.iter().copied().flatten()));
    let cpu = sides.into_iter().all(is_busy).then(by_cpu);
    if !is_doubtful(wall.verdict, cpu.as_ref().map(|it| it.verdict), shares) {
        return wall;
    }
    let by_cpu = cpu.and_then(|cpu| cpu.estimate).and_then(|it| it.ratio.zip(it.interval));
    let mut notes = wall.notes;
    notes.push(Note::Waited(WaitNote { shares, by_cpu }));
    Comparison { verdict: Verdict::Unclear, more: None, notes, ..wall }
}

/// Whether times still differ if the slower side waited as long as possible, and the other one not
/// at all.
fn is_beyond_waiting(wall: &Comparison, [a, b]: [WaitedShare; 2]) -> bool {
    let Some((low, high)) = wall.estimate.and_then(|it| it.interval) else { return false };
    let (slower, least) = match wall.verdict {
        Verdict::Slower => (b, low),
        Verdict::Faster => (a, 1.0 / high),
        _ => return false,
    };
    least * (1.0 - slower.most()) > 1.0
}

/// Whether waiting makes a verdict by wall time doubtful; `cpu` is a conclusive one by CPU time.
fn is_doubtful(wall: Verdict, cpu: Option<Verdict>, shares: [WaitedShare; 2]) -> bool {
    let read = shares.map(|it| WaitedShare { unread: 0.0, ..it });
    let (waited, read) = (longest(shares), longest(read));
    let differs = cpu.is_some_and(Verdict::differs);
    match (wall, cpu) {
        (Verdict::Same, _) => differs || (read >= MUCH && cpu != Some(Verdict::Same)),
        (Verdict::Unclear, _) => read >= MOST || (waited >= MUCH && differs),
        (_, None) => waited >= MUCH,
        (_, Some(cpu)) => {
            (waited >= MOST && cpu != wall) || (waited >= MUCH && cpu == wall.opposite())
        }
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
                ("on-cpu", cpu),
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
                sample.values.retain(|(name, _)| !["wall", "cpu-wait"].contains(&&**name));
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
        let [Note::Waited(WaitNote { shares, by_cpu: Some((ratio, _)) })] = found.notes[..] else {
            panic!("{:?}", found.notes)
        };
        let [a, b] = shares.map(WaitedShare::share);
        assert!((a - 0.8).abs() < 0.01 && (b - 0.76).abs() < 0.01, "{a} {b}");
        assert!((ratio - 1.2).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn what_sleeps_does_not_share_the_waiting_of_what_computes() {
        let (asleep, computes) = (starved(100.0, 2.0), starved(88.0, 2.0));
        let [a, b] = waited_for_others([&[&asleep], &[&computes]]).unwrap();
        let [a, b] = [a, b].map(WaitedShare::share);
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
        // Of 50 ms it waited 9.8, and may have waited twice that: more than 28 are left. Of 36 ms
        // less are left, and no CPU time says otherwise.
        assert_eq!(compared(&computes, &sleeps(2.0, 50.0)).verdict, Verdict::Slower);
        assert_eq!(compared(&computes, &sleeps(2.0, 36.0)).verdict, Verdict::Unclear);
    }

    #[test]
    fn little_waiting_hides_nothing() {
        assert_eq!(waited_for_others([&[&starved(99.0, 2.0)]; 2]), None);
    }

    #[test]
    fn a_verdict_is_doubted_by_how_long_was_waited_and_what_cpu_times_say() {
        use Verdict::{Faster, Same, Slower, Unclear};
        let is_doubted = |wall, cpu, read, unread| {
            is_doubtful(wall, cpu, [WaitedShare::default(), WaitedShare { read, unread }])
        };
        assert!(is_doubted(Same, Some(Unclear), 0.2, 0.0));
        assert!(!is_doubted(Same, Some(Unclear), 0.05, 0.0), "none to be contradicted by");
        assert!(!is_doubted(Same, None, 0.05, 0.9), "what is not read brings nothing together");
        assert!(is_doubted(Same, Some(Slower), 0.05, 0.9));
        assert!(!is_doubted(Slower, Some(Unclear), 0.2, 0.0));
        assert!(is_doubted(Slower, None, 0.2, 0.0), "no witness");
        assert!(!is_doubted(Slower, None, 0.05, 0.0));
        assert!(is_doubted(Slower, Some(Faster), 0.2, 0.0));
        assert!(is_doubted(Slower, Some(Same), 0.8, 0.0) && is_doubted(Slower, None, 0.0, 0.5));
        assert!(!is_doubted(Slower, Some(Slower), 0.8, 0.0));
        assert!(
            is_doubted(Unclear, Some(Unclear), 0.9, 0.0) && is_doubted(Unclear, None, 0.9, 0.0)
        );
        assert!(
            !is_doubted(Unclear, None, 0.05, 0.9) && is_doubted(Unclear, Some(Slower), 0.2, 0.0)
        );
    }

    /// Executions of these times in ms beside two busy CPUs; the first thread, a shell's, used 1 ms
    /// of a CPU, and waited for that long.
    fn children_of_a_shell(wall: f64, cpu: f64, waited: f64) -> Vec<Sample> {
        let mut samples = starved(cpu, 2.0);
        for (sample, nth) in samples.iter_mut().zip(0..) {
            sample.values.retain(|(name, _)| ["cpu", "host-other-cpu"].contains(&&**name));
            sample.add("wall", wall * 1e6 + 1e4 * f64::from(nth * 7 % 20));
            sample.add("on-cpu", 1e6);
            sample.add("cpu-wait", waited * 1e6);
        }
        samples
    }

    #[test]
    fn the_children_of_a_shell_may_wait_for_all_that_they_do_not_compute() {
        // 21 ms each on a quiet host: one sleeps, the other one computes and gets half a CPU.
        let asleep = children_of_a_shell(23.0, 2.0, 0.5);
        let computes = children_of_a_shell(50.0, 22.0, 1.0);
        let found = compared(&asleep, &computes);
        assert_eq!(found.verdict, Verdict::Unclear);
        let [_, b] = found.waited().unwrap().shares;
        assert!((b.read - 0.02).abs() < 1e-3 && (b.share() - 0.56).abs() < 1e-2, "{b:?}");
        assert_eq!(compared(&computes, &asleep).verdict, Verdict::Unclear);
        // What computes for longer than the other one takes is slower on any host.
        let longer = children_of_a_shell(70.0, 40.0, 1.0);
        assert_eq!(compared(&asleep, &longer).verdict, Verdict::Slower);
        // Two that compute have their CPU times as witnesses.
        assert_eq!(
            compared(&children_of_a_shell(30.0, 22.0, 1.0), &children_of_a_shell(45.0, 33.0, 1.0))
                .verdict,
            Verdict::Slower
        );
    }

    #[test]
    fn a_little_waiting_is_a_reason_where_cpu_time_is_no_witness() {
        let mut asleep = children_of_a_shell(20.0, 0.6, 0.4);
        let mut computes = children_of_a_shell(25.0, 20.5, 4.0);
        for (sample, cpu) in
            asleep.iter_mut().map(|it| (it, 0.6)).chain(computes.iter_mut().map(|it| (it, 20.5)))
        {
            sample.values.retain(|(name, _)| &**name != "on-cpu");
            sample.add("on-cpu", cpu * 1e6);
        }
        assert_eq!(compared(&asleep, &computes).verdict, Verdict::Unclear);
    }
}
