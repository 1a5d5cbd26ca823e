//! Warmups and stopping rules, with scripted executions whose walls are known: nothing is timed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Request};
use tacho_record::Course;

use crate::track_tests::{TestLab, ended};

const TWO: &str = "[[benchmark]]\nname = 'calm'\ncommand = 'calm {revision}'\n\
                   [[benchmark]]\nname = 'noisy'\ncommand = 'noisy {revision}'\n";

/// What is executed: how often each command was, over all sessions.
#[derive(Default)]
struct StoppingWorld {
    executed: RefCell<HashMap<String, u32>>,
}

impl StoppingWorld {
    /// The wall of the next execution of the command, in ms: 100, with noise of 0.2 or 5 %.
    fn next(&self, command: &str) -> u64 {
        let mut executed = self.executed.borrow_mut();
        let number = executed.entry(command.to_owned()).or_default();
        *number += 1;
        let phase = i64::from((*number * 7919) % 101) - 50;
        let noise = if command.starts_with("calm") { 4 } else { 100 };
        u64::try_from(100_000 + phase * noise).unwrap()
    }

    /// Executes so many times, then is interrupted.
    fn script(&self, mut left: usize) -> impl FnMut(&Request, Timestamp) -> Execution {
        move |request, at| {
            if left == 0 {
                return ended(ExecutionEnd::Interrupted, at);
            }
            left -= 1;
            let wall = Duration::from_micros(self.next(&request.command.join(" ")));
            Execution::of(ExecutionEnd::Exited(0), at, wall)
        }
    }
}

fn lab(measure: &str, revisions: u64) -> TestLab {
    let mut lab = TestLab::new(TWO, revisions);
    lab.measure = measure.to_owned();
    lab
}

/// All samples of an undisturbed run, which are those of one that is interrupted, wherever that is.
fn samples_however_interrupted(measure: &str, revisions: u64) -> Vec<String> {
    let undisturbed = lab(measure, revisions);
    let world = StoppingWorld::default();
    undisturbed.track(world.script(usize::MAX)).unwrap();
    let expected = undisturbed.samples();
    // Five places suffice for long runs, where each round is like the next.
    let places = if expected.len() > 32 { 5 } else { 16 };
    for stop in (0..expected.len()).step_by(expected.len().div_ceil(places)) {
        let (lab, world) = (lab(measure, revisions), StoppingWorld::default());
        assert!(
            lab.track(world.script(stop)).unwrap().interrupted,
            "{measure}, stopped after {stop}"
        );
        lab.clock.set(lab.clock.get() + Duration::from_secs(3600));
        assert!(!lab.track(world.script(usize::MAX)).unwrap().interrupted);
        assert_eq!(lab.samples(), expected, "{measure}, stopped after {stop}");
        let again = lab.track(|_, _| panic!("nothing is missing")).unwrap();
        assert_eq!((again.samples, again.run), (0, None), "{measure}");
    }
    expected
}

/// How many samples of that kind there are.
fn count(samples: &[String], part: &str) -> usize {
    samples.iter().filter(|line| line.contains(part)).count()
}

#[test]
fn a_warm_up_by_number() {
    let samples = samples_however_interrupted("rounds = 2\nwarmup = 3", 2);
    // Three passes in the order of the cells, the newest revision first.
    let warm: Vec<&String> = samples.iter().filter(|line| line.contains(" 0.")).collect();
    assert_eq!((warm.len(), samples.len()), (3 * 4, 3 * 4 + 2 * 4));
    assert_eq!(count(&samples, "r2 calm 0."), 3);
    assert!(
        samples.iter().any(|line| line.contains("r2 calm 0.08")),
        "the third pass begins with it"
    );
    assert_eq!(
        lab("rounds = 2\nwarmup = 0", 1).question().digest(),
        lab("rounds = 2\nwarmup = false", 1).question().digest()
    );
}

#[test]
fn a_warm_up_by_time_is_filled_by_each_cell() {
    let samples = samples_however_interrupted("rounds = 2\nwarmup = '450ms'", 1);
    // 100 ms each: the fifth execution fills it.
    assert_eq!([count(&samples, "calm 0."), count(&samples, "noisy 0.")], [5, 5]);
    let shared = RefCell::new(0);
    let lab = lab("rounds = 2\nwarmup = '10s'", 1);
    let fails_at_third = |request: &Request, at| {
        *shared.borrow_mut() += 1;
        let fails = request.command[0] == "calm" && *shared.borrow() == 5;
        let how = ExecutionEnd::Exited(i32::from(fails));
        Execution::of(how, at, Duration::from_secs(1))
    };
    lab.track(fails_at_third).unwrap();
    assert_eq!(
        [count(&lab.samples(), "calm 0."), count(&lab.samples(), "noisy 0.")],
        [3, 10],
        "a failure ends it"
    );
}

#[test]
fn nothing_comes_before_a_warm_up_that_is_to_be_found() {
    let samples = samples_however_interrupted("rounds = 6\nwarmup = 'found'", 2);
    assert_eq!([count(&samples, " 0."), count(&samples, " 1.")], [0, 4]);
    assert!(
        samples.iter().any(|line| line.contains("r2 calm 1.00")),
        "the newest revision goes first"
    );
}

/// A machine that is quicker for the first two rounds, as one is that was cool.
#[test]
fn boosted_executions_are_found_and_left_out_of_all_revisions() {
    let (lab, executed) = (lab("rounds = 12\nwarmup = 'found'", 2), RefCell::new(HashMap::new()));
    let boosted = |request: &Request, at| {
        let mut executed = executed.borrow_mut();
        let number: &mut u64 = executed.entry(request.command.join(" ")).or_default();
        *number += 1;
        let level = if *number <= 2 && request.command[0] == "calm" { 93_000 } else { 100_000 };
        let wall = Duration::from_micros(level + *number * 7919 % 101 * 10);
        Execution::of(ExecutionEnd::Exited(0), at, wall)
    };
    assert_eq!(lab.track(boosted).unwrap().samples, 2 * 2 * 12);
    let mut store = lab.store();
    let (cells, host) = (store.cells(1).unwrap(), store.hosts().unwrap()[0].0);
    for (id, cell) in &cells {
        let measured = store.measurements(host, &cell.benchmark).unwrap();
        let own = measured.iter().find(|it| it.revision == cell.revision).unwrap();
        let found = own.steadiness.as_ref().unwrap();
        let counted = store.samples(*id).unwrap().iter().filter(|sample| sample.counts()).count();
        let boosted = cell.benchmark.name == "calm";
        let expected = if boosted { (Course::Slowdown, 3, 10) } else { (Course::Flat, 1, 12) };
        assert_eq!((found.course, found.counts_from, counted), expected, "{}", cell.benchmark);
    }
    let again = lab.track(|_, _| panic!("nothing is missing")).unwrap();
    assert_eq!(again.run, None, "what is left out was measured all the same");
}

#[test]
fn what_one_revision_needs_to_warm_up_is_left_out_of_all() {
    let (lab, executed) = (lab("rounds = 12\nwarmup = 'found'", 2), RefCell::new(HashMap::new()));
    let slow_start = |request: &Request, at| {
        let mut executed = executed.borrow_mut();
        let number: &mut u64 = executed.entry(request.command.join(" ")).or_default();
        *number += 1;
        let level =
            if *number <= 3 && request.command.join(" ") == "calm r2" { 130_000 } else { 100_000 };
        Execution::of(
            ExecutionEnd::Exited(0),
            at,
            Duration::from_micros(level + *number * 7919 % 101 * 10),
        )
    };
    lab.track(slow_start).unwrap();
    let mut store = lab.store();
    let host = store.hosts().unwrap()[0].0;
    let calm = store
        .cells(1)
        .unwrap()
        .into_iter()
        .find(|(_, cell)| cell.benchmark.name == "calm")
        .unwrap()
        .1;
    let measured = store.measurements(host, &calm.benchmark).unwrap();
    let found = |revision: &str| {
        let found = measured.iter().find(|it| it.revision == revision)?.steadiness.as_ref()?;
        Some((found.course, found.counts_from))
    };
    assert_eq!([found("r1"), found("r2")], [Some((Course::Flat, 4)), Some((Course::WarmUp, 4))]);
}

#[test]
fn each_cell_stops_where_its_median_is_known() {
    let samples = samples_however_interrupted("precision = '1%'\nmax-rounds = 40", 1);
    let rounds = |benchmark: &str| count(&samples, benchmark) - 1;
    assert_eq!(rounds("calm"), 10, "the fewest that give an interval");
    assert_eq!(rounds("noisy"), 40, "which it does not reach");
    let samples = samples_however_interrupted("precision = '4%'\nmin-rounds = 12", 1);
    let rounds = |benchmark: &str| count(&samples, benchmark) - 1;
    assert_eq!(rounds("calm"), 12);
    assert!((13..40).contains(&rounds("noisy")), "{}", rounds("noisy"));
}

#[test]
fn what_is_known_already_is_not_measured_again() {
    let (mut lab, world) = (lab("rounds = 10", 2), StoppingWorld::default());
    lab.track(world.script(usize::MAX)).unwrap();
    lab.measure = "precision = '1%'\nmax-rounds = 30".into();
    let tracked = lab.track(world.script(usize::MAX)).unwrap();
    let samples = lab.samples();
    assert_eq!(count(&samples, "calm"), 2 * 11, "ten rounds were enough");
    assert_eq!(
        (count(&samples, "r1 noisy"), count(&samples, "r2 noisy")),
        (1 + 10 + 1 + 20, 1 + 10 + 1 + 20)
    );
    assert_eq!(tracked.samples, 2 * 21);
    lab.measure = "precision = '6%'".into();
    assert_eq!(lab.track(|_, _| panic!("nothing is missing")).unwrap().samples, 0);
}

#[test]
fn no_round_begins_that_would_not_end_within_the_budget() {
    // Of about 200 ms a round, warmup included: five fill the second that there is.
    let samples = samples_however_interrupted("budget = '1050ms'", 1);
    assert_eq!(
        [count(&samples, " 0."), count(&samples, "calm") - 1, count(&samples, "noisy") - 1],
        [2, 4, 4]
    );
    let samples = samples_however_interrupted("budget = '1ms'", 1);
    assert_eq!(count(&samples, " 1."), 2, "one round there is always");
    let samples = samples_however_interrupted("rounds = 3\nbudget = '1h'", 1);
    assert_eq!(count(&samples, "calm"), 1 + 3);
}

#[test]
fn who_knows_enough_leaves_the_budget_to_others() {
    let samples = samples_however_interrupted("precision = '1%'\nbudget = '5s'", 1);
    let rounds = |benchmark: &str| count(&samples, benchmark) - 1;
    // 0.2 s of warmup, 2 s of ten rounds, and 2.8 s of the noisy one alone.
    assert_eq!(rounds("calm"), 10);
    assert!((37..=38).contains(&rounds("noisy")), "{}", rounds("noisy"));
}

#[test]
fn a_budget_that_is_spent_is_not_spent_again_for_the_next_commit() {
    let (mut lab, world) = (lab("budget = '1s'", 2), StoppingWorld::default());
    let newest = lab.revisions.pop().unwrap();
    lab.track(world.script(usize::MAX)).unwrap();
    let before = count(&lab.samples(), "r1");
    lab.revisions.push(newest);
    lab.track(world.script(usize::MAX)).unwrap();
    assert_eq!(count(&lab.samples(), "r1"), before);
    assert!(count(&lab.samples(), "r2") > 0);
    lab.measure = "budget = '2s'".into();
    lab.track(world.script(usize::MAX)).unwrap();
    assert!(count(&lab.samples(), "r1") > before, "more time is another question");
}
