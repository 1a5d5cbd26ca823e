//! Changes measured again, with scripted builds and executions and a real store.

use std::cell::Cell as Shared;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Request, ScriptedExecutor};
use tacho_record::{
    BuildState, Change, ChangeKind, Digest, HappeningKind, Life, Purpose, Recipes, Rule, Withdrawal,
};
use tacho_subject::{Layout, ScriptedBuilder};

use super::sides::why_not;
use super::*;
use crate::changes::{Scope, analyse, is_new_regression};
use crate::test_context::lab_context;
use crate::track_tests::{TestLab, ended};
use crate::{Context, Question};

const ONE: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n";

/// A history whose twelfth revision is where it changes.
struct ConfirmedPast {
    lab: TestLab,
    executed: Shared<u64>,
}

impl ConfirmedPast {
    /// Measured with these levels, in microseconds.
    fn of(level: impl Fn(u64) -> f64) -> Self {
        let past = Self { lab: TestLab::new(ONE, 24), executed: Shared::new(0) };
        past.lab.track(|request, at| past.executes(request, at, &level)).unwrap();
        past
    }

    /// An execution at the level of its revision, with a fixed to and fro of 1 %.
    fn executes(&self, request: &Request, at: Timestamp, level: &impl Fn(u64) -> f64) -> Execution {
        self.executed.set(self.executed.get() + 1);
        let order = request.command[1].trim_start_matches('r').parse().unwrap();
        let wobble = 0.02 * (((self.executed.get() * 7919) % 101) as f64 / 101.0 - 0.5);
        let wall = Duration::from_secs_f64(level(order) * 1e-6 * (1.0 + wobble));
        Execution { wall, ..ended(ExecutionEnd::Exited(0), at) }
    }

    /// The only change that is kept, judged now.
    fn change(&self) -> Change {
        let changes = self.changes();
        let [change] = changes.as_slice() else { panic!("{changes:#?}") };
        change.clone()
    }

    /// All changes that are kept, judged now.
    fn changes(&self) -> Vec<Change> {
        let mut store = self.lab.store();
        let (host, _) = store.hosts().unwrap()[0].clone();
        let plan = &self.lab.question().plan;
        let recipes = &self.lab.question().recipes;
        let scope = Scope { host, host_name: "lab", plan, recipes };
        analyse(&mut store, scope, Timestamp::UNIX_EPOCH).unwrap().changes
    }

    fn question(&self, rounds: u32) -> Question {
        let mut question = self.lab.question();
        question.plan.measure.rule =
            Rule { min_rounds: rounds, max_rounds: rounds, ..Rule::default() };
        question
    }

    fn confirm(&self, builder: &mut ScriptedBuilder, level: impl Fn(u64) -> f64) -> Confirmation {
        self.confirm_by(builder, |request, at| self.executes(request, at, &level))
    }

    fn confirm_by(
        &self,
        builder: &mut ScriptedBuilder,
        script: impl FnMut(&Request, Timestamp) -> Execution,
    ) -> Confirmation {
        self.with_context(builder, script, |context| {
            confirm(context, &self.question(20), &[self.change()], &[]).unwrap()
        })
    }

    fn with_context<T>(
        &self,
        builder: &mut ScriptedBuilder,
        script: impl FnMut(&Request, Timestamp) -> Execution,
        work: impl FnOnce(&mut Context<'_>) -> T,
    ) -> T {
        let mut store = self.lab.store();
        let mut executor = ScriptedExecutor::new(script).starting_at(self.lab.clock.get());
        let mut context = lab_context(&mut store, builder, &mut executor);
        let done = work(&mut context);
        self.lab.clock.set(tacho_measure::Executor::now(&mut executor));
        done
    }

    /// What happened to a change since it was found, in the store's own words.
    fn story(&self, change: &Change) -> Vec<HappeningKind> {
        let all = self.lab.store().happenings(&change.name).unwrap();
        all.into_iter().map(|happening| happening.what).filter(|what| !is_first(what)).collect()
    }
}

fn is_first(what: &HappeningKind) -> bool {
    matches!(what, HappeningKind::Found { .. } | HappeningKind::Confirmed { seen: Some(_) })
}

fn step(order: u64) -> f64 {
    if order < 12 { 100.0 } else { 120.0 }
}

fn outcome(confirmation: &Confirmation) -> ConfirmationVerdict {
    let [ConfirmationResult::Measured(said)] = confirmation.answers.as_slice() else {
        panic!("{confirmation:?}")
    };
    said.outcome
}

#[test]
fn what_still_differs_side_by_side_is_confirmed_and_stays_apart_from_its_series() {
    let past = ConfirmedPast::of(step);
    let before = past.change();
    let mut builder = ScriptedBuilder::new();
    let confirmation = past.confirm(&mut builder, step);
    assert_eq!(
        (outcome(&confirmation), confirmation.samples),
        (ConfirmationVerdict::Confirmed, 2 * 21)
    );
    assert_eq!(builder.builds(), ["r11", "r12"], "only both sides");

    let after = past.change();
    let again = after.again.clone().unwrap();
    assert_eq!((again.samples, again.differs), (20, Some(true)));
    assert!((again.effect.unwrap() - 0.2).abs() < 0.01, "{again:?}");
    assert_eq!(
        (after.life, &after.finding),
        (Life::Confirmed, &before.finding),
        "its series is as it was"
    );
    assert!(
        matches!(
            past.story(&after).as_slice(),
            [HappeningKind::Measured(_), HappeningKind::Confirmed { seen: None }]
        ),
        "{:?}",
        past.story(&after)
    );
    let run = past.lab.store().run(confirmation.run.unwrap()).unwrap().unwrap();
    assert_eq!(run.purpose, Purpose::Confirm);
}

#[test]
fn both_sides_are_executed_in_the_same_rounds() {
    let past = ConfirmedPast::of(step);
    past.change();
    let executed = std::cell::RefCell::new(Vec::new());
    past.confirm_by(&mut ScriptedBuilder::new(), |request, at| {
        executed.borrow_mut().push(request.command[1].clone());
        past.executes(request, at, &step)
    });
    let executed = executed.into_inner();
    assert_eq!(executed[..2], ["r12", "r11"], "the warmup: the newest first");
    let mut rounds: Vec<&[String]> = executed.chunks(2).collect();
    assert!(rounds.iter().all(|round| round[0] != round[1]), "{executed:?}");
    rounds.dedup();
    assert!(rounds.len() > 5, "now one is first, now the other: {executed:?}");
}

#[test]
fn what_only_the_past_shows_is_withdrawn_and_never_found_again() {
    let past = ConfirmedPast::of(step);
    let confirmation = past.confirm(&mut ScriptedBuilder::new(), |_| 120.0);
    assert_eq!(outcome(&confirmation), ConfirmationVerdict::NotReproduced);
    let after = past.change();
    assert_eq!(after.life, Life::Withdrawn { why: Withdrawal::NotReproduced });
    assert!(!is_new_regression(&after));
    let story = past.story(&after);
    assert!(
        matches!(story.as_slice(), [HappeningKind::Measured(_), HappeningKind::Withdrawn { .. }]),
        "{story:?}"
    );
    // More of the past, in which it is as clear as before.
    let mut lab = past.lab;
    lab.revisions.extend((25..=36).map(crate::build::builds::tests::revision));
    let past = ConfirmedPast { lab, executed: past.executed };
    past.lab.track(|request, at| past.executes(request, at, &step)).unwrap();
    assert_eq!(past.change(), Change { ..after }, "the only one there is");
}

#[test]
fn what_was_confirmed_by_measuring_is_not_withdrawn_by_what_comes_later() {
    let past = ConfirmedPast::of(step);
    past.confirm(&mut ScriptedBuilder::new(), step);
    let mut lab = past.lab;
    lab.revisions.extend((25..=60).map(crate::build::builds::tests::revision));
    let past = ConfirmedPast { lab, executed: past.executed };
    // So much noise that nobody could see a fifth in it.
    let noisy =
        |order: u64| step(order) * if order > 24 { 1.0 + (order * 7919 % 13) as f64 } else { 1.0 };
    past.lab.track(|request, at| past.executes(request, at, &noisy)).unwrap();
    let mut store = past.lab.store();
    let (host, _) = store.hosts().unwrap()[0].clone();
    let plan = &past.lab.question().plan;
    let recipes = &Recipes::usual(plan.subject.recipe());
    let changes =
        analyse(&mut store, Scope { host, host_name: "lab", plan, recipes }, Timestamp::UNIX_EPOCH)
            .unwrap()
            .changes;
    assert_eq!(changes[0].life, Life::Confirmed, "{changes:#?}");
}

#[test]
fn interrupted_it_goes_on_where_it_stopped_and_says_nothing_before() {
    let past = ConfirmedPast::of(step);
    let executions = Shared::new(0);
    let stopped = past.confirm_by(&mut ScriptedBuilder::new(), |request, at| {
        executions.set(executions.get() + 1);
        if executions.get() > 9 {
            ended(ExecutionEnd::Interrupted, at)
        } else {
            past.executes(request, at, &step)
        }
    });
    assert_eq!((stopped.interrupted, stopped.samples, stopped.answers.len()), (true, 9, 0));
    assert_eq!(past.change().again, None);
    let rest = past.confirm(&mut ScriptedBuilder::new(), step);
    assert_eq!((rest.run, rest.samples), (stopped.run, 2 * 21 - 9));
    assert_eq!(outcome(&rest), ConfirmationVerdict::Confirmed);
}

#[test]
fn killed_between_the_last_sample_and_the_verdict_it_is_only_judged() {
    let past = ConfirmedPast::of(step);
    let change = past.change();
    let mut builder = ScriptedBuilder::new();
    past.with_context(
        &mut builder,
        |request, at| past.executes(request, at, &step),
        |context| {
            let (question, changes) = (past.question(20), [change.clone()]);
            let pairs = context.pairs(&question, &changes).unwrap();
            let built = context.unpack_sides(&question, pairs, HashMap::new());
            let BuiltSides { folders, pairs } = built.unwrap().unwrap();
            let session = context.session_of_pairs(&question, &pairs, &folders).unwrap();
            measure(context, &session).unwrap();
        },
    );
    let runs = past.lab.store().runs().unwrap().len();
    let judged = past.confirm(&mut builder, |_| panic!("all is measured"));
    assert_eq!((outcome(&judged), judged.samples), (ConfirmationVerdict::Confirmed, 0));
    assert_eq!(past.lab.store().runs().unwrap().len(), runs);
    assert_ne!(past.confirm(&mut builder, step).samples, 0, "asked again, it is measured again");
}

#[test]
fn what_cannot_be_built_any_more_is_said_and_stays_what_it_was() {
    let past = ConfirmedPast::of(step);
    let before = past.change();
    let confirmation = past
        .confirm(&mut ScriptedBuilder::new().with_failure("r11", "exit 2"), |_| panic!("nothing"));
    let [ConfirmationResult::NotMeasured { why }] = confirmation.answers.as_slice() else {
        panic!("{confirmation:?}")
    };
    assert_eq!(why, "r11 cannot be built any more: exit 2");
    assert_eq!(
        (confirmation.run, past.change()),
        (None, before),
        "and its samples are still there"
    );
    let mut store = past.lab.store();
    let (host, _) = store.hosts().unwrap()[0].clone();
    let build = store.build(host, "r11", past.question(1).recipes.of("r11")).unwrap().unwrap();
    assert!(matches!(build.state, BuildState::Built { .. }), "{build:?}");
}

#[test]
fn a_side_that_fails_each_time_says_nothing() {
    let past = ConfirmedPast::of(step);
    let confirmation =
        past.confirm_by(&mut ScriptedBuilder::new(), |_, at| ended(ExecutionEnd::Exited(3), at));
    let [ConfirmationResult::NotMeasured { why }] = confirmation.answers.as_slice() else {
        panic!("{confirmation:?}")
    };
    assert_eq!(why, "no execution of a side counts: exit 3");
    assert_eq!(past.change().again, None);
}

#[test]
fn what_is_no_level_or_no_longer_held_is_not_measured() {
    let past = ConfirmedPast::of(step);
    let mut change = past.change();
    assert_eq!(why_not(&change), None);
    change.finding.kind = tacho_record::ChangeKind::Spread;
    assert!(why_not(&change).unwrap().contains("spread"));
    change.life = Life::Withdrawn { why: Withdrawal::NotSeen };
    assert_eq!(why_not(&change).unwrap(), "the change is withdrawn already");
}

/// A history of which one revision alone takes longer.
struct Lone {
    past: ConfirmedPast,
}

const PLACED: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision} {build}'\n";

impl Lone {
    fn new() -> Self {
        let mut lab = TestLab::new(PLACED, 24);
        lab.subject = "build = 'make'\n".to_owned();
        let past = ConfirmedPast { lab, executed: Shared::new(0) };
        past.track_lone();
        Self { past }
    }

    /// Both edges of the lone revision, measured again in five layouts.
    fn confirm(&self, builder: &mut ScriptedBuilder, is_slow: impl Fn(&Request) -> bool) {
        let changes = self.past.changes();
        assert_eq!(changes.len(), 2, "{changes:#?}");
        assert!(changes.iter().all(|it| it.finding.kind == ChangeKind::Build), "{changes:#?}");
        let layout = |number| Layout { number, fixed: None, variables: vec![] };
        let layouts: Vec<Layout> = (1..=5).map(layout).collect();
        let script = |request: &Request, at| {
            let factor = if is_slow(request) { 1.06 } else { 1.0 };
            self.past.executes(request, at, &|_| 100.0 * factor)
        };
        let question = self.past.question(20);
        let confirmed = self.past.with_context(builder, script, |context| {
            confirm(context, &question, &changes, &layouts).unwrap()
        });
        assert!(confirmed.answers.iter().all(|it| matches!(it, ConfirmationResult::Measured(_))));
    }
}

impl ConfirmedPast {
    fn track_lone(&self) {
        let level = |order| if order == 12 { 106.0 } else { 100.0 };
        self.lab.track(|request, at| self.executes(request, at, &level)).unwrap();
    }
}

fn is_lone(request: &Request) -> bool {
    request.command[1] == "r12"
}

#[test]
fn what_one_layout_alone_did_is_withdrawn() {
    let lone = Lone::new();
    let usual = format!("/builds/{}", &Digest::of("r12").to_string()[..16]);
    let mut builder = ScriptedBuilder::new().heeding_layouts();
    lone.confirm(&mut builder, |request| is_lone(request) && request.command[2] == usual);
    for change in lone.past.changes() {
        assert_eq!(change.life, Life::Withdrawn { why: Withdrawal::NotReproduced }, "{change:#?}");
        assert_eq!(change.again.unwrap().layouts, 5);
    }
}

#[test]
fn what_all_layouts_show_is_the_commit_and_stays_so() {
    let mut lone = Lone::new();
    lone.confirm(&mut ScriptedBuilder::new().heeding_layouts(), is_lone);
    let check = |changes: Vec<Change>| {
        assert_eq!(changes.len(), 2, "{changes:#?}");
        for change in changes {
            assert_eq!((change.finding.kind, change.life), (ChangeKind::Step, Life::Confirmed));
            assert_eq!(change.again.unwrap().layouts, 5);
        }
    };
    let regressions = lone.past.changes().iter().filter(|it| is_new_regression(it)).count();
    assert_eq!(regressions, 0, "the level came back with the next revision");
    check(lone.past.changes());
    lone.past.lab.revisions.extend((25..=30).map(crate::build::builds::tests::revision));
    lone.past.track_lone();
    check(lone.past.changes());
}

#[test]
fn where_the_build_has_one_layout_it_stays_this_build() {
    let lone = Lone::new();
    lone.confirm(&mut ScriptedBuilder::new(), is_lone);
    for change in lone.past.changes() {
        assert_eq!((change.finding.kind, change.life), (ChangeKind::Build, Life::Confirmed));
        let again = change.again.clone().unwrap();
        assert_eq!((again.layouts, again.environments), (0, true));
        assert!(!is_new_regression(&change));
    }
}
