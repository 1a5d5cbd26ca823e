//! Long histories, with scripted builds and executions and a real store.

use std::cell::Cell as Shared;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Request, ScriptedExecutor};
use tacho_record::{BuildState, QuirkRecipe, TagChange};
use tacho_stats::survey::PlaceStatus;
use tacho_subject::ScriptedBuilder;

use super::*;
use crate::test_context::lab_context;
use crate::track_tests::{TestLab, ended};

const ONE: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n";
const LEAST: SurveyRequest =
    SurveyRequest { least: 0.05, builds: None, budget: None, zoom: None, metric: None };

/// A history of 200 revisions with two changes.
struct SurveyPast {
    lab: TestLab,
    executed: Shared<u64>,
    /// The user stops it at this execution.
    stop: u64,
    /// Whether it has no change at all.
    is_flat: bool,
}

fn level(order: u64) -> f64 {
    100.0 * if order < 71 { 1.0 } else { 1.2 } * if order < 152 { 1.0 } else { 0.9 }
}

impl SurveyPast {
    fn new() -> Self {
        Self {
            lab: TestLab::new(ONE, 200),
            executed: Shared::new(0),
            stop: u64::MAX,
            is_flat: false,
        }
    }

    fn executes(&self, request: &Request, at: Timestamp) -> Execution {
        self.executed.set(self.executed.get() + 1);
        if self.executed.get() == self.stop {
            return ended(ExecutionEnd::Interrupted, at);
        }
        let order = request.command[1].trim_start_matches('r').parse().unwrap();
        let wobble = 0.02 * (((self.executed.get() * 7919) % 101) as f64 / 101.0 - 0.5);
        let level = if self.is_flat { 100.0 } else { level(order) };
        let wall = Duration::from_secs_f64(level * 1e-3 * (1.0 + wobble));
        Execution { wall, ..ended(ExecutionEnd::Exited(0), at) }
    }

    fn place(&self, builder: &mut ScriptedBuilder, goal: &SurveyRequest) -> SurveyOutcome {
        self.asks(builder, &self.lab.question(), goal)
    }

    fn asks(
        &self,
        builder: &mut ScriptedBuilder,
        question: &Question,
        goal: &SurveyRequest,
    ) -> SurveyOutcome {
        let mut store = self.lab.store();
        let script = |request: &Request, at| self.executes(request, at);
        let mut executor = ScriptedExecutor::new(script).starting_at(self.lab.clock.get());
        let mut context = lab_context(&mut store, builder, &mut executor);
        let placed = place(&mut context, question, goal).unwrap();
        self.lab.clock.set(tacho_measure::Executor::now(&mut executor));
        placed
    }
}

/// Between which revisions something changed, and how well that is known.
fn places(placed: &SurveyOutcome) -> Vec<(usize, usize, PlaceStatus)> {
    let [one] = placed.surveyed.as_slice() else { panic!("{placed:?}") };
    one.survey.places.iter().map(|place| (place.good + 1, place.bad + 1, place.known)).collect()
}

const BOTH: [(usize, usize, PlaceStatus); 2] =
    [(70, 71, PlaceStatus::Pinned), (151, 152, PlaceStatus::Pinned)];

#[test]
fn changes_are_pinned_by_few_builds_and_the_same_again_builds_nothing() {
    let past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    let placed = past.place(&mut builder, &LEAST);
    assert_eq!((places(&placed), placed.ended), (BOTH.to_vec(), SurveyEnd::Known));
    assert!(placed.made < 30 && builder.builds().len() == placed.made, "{placed:?}");
    assert_eq!(
        past.lab.store().runs().unwrap().len(),
        1 + 4,
        "the grid, and a batch for each halving of both"
    );
    let again = past.place(&mut builder, &LEAST);
    assert_eq!(
        (places(&again), again.tracked.samples, again.made),
        (BOTH.to_vec(), 0, placed.made)
    );
}

#[test]
fn each_run_measures_a_revision_of_earlier_runs() {
    // Where nothing changed, nothing is to be measured again for its own sake.
    let mut past = SurveyPast { is_flat: true, ..SurveyPast::new() };
    past.lab.measure += "\nlink = 1";
    let mut builder = ScriptedBuilder::new();
    past.place(&mut builder, &SurveyRequest { builds: Some(6), ..LEAST });
    let budget = Some(Duration::from_secs(600));
    past.place(&mut builder, &SurveyRequest { budget, ..LEAST });
    let mut store = past.lab.store();
    assert!(store.runs().unwrap().len() > 1);
    let mut earlier = BTreeSet::new();
    for run in store.runs().unwrap() {
        let cells = store.cells(run.number).unwrap();
        let own: BTreeSet<String> = cells.into_iter().map(|(_, cell)| cell.revision).collect();
        assert!(earlier.is_empty() || !own.is_disjoint(&earlier), "run {}: {own:?}", run.number);
        earlier.extend(own);
    }
}

#[test]
fn interrupted_anywhere_it_ends_with_the_same_builds() {
    let mut builder = ScriptedBuilder::new();
    SurveyPast::new().place(&mut builder, &LEAST);
    for stop in [20, 80] {
        let mut past = SurveyPast::new();
        let mut resumed = ScriptedBuilder::new();
        past.stop = stop;
        assert_eq!(past.place(&mut resumed, &LEAST).ended, SurveyEnd::Interrupted, "{stop}");
        past.stop = u64::MAX;
        let placed = past.place(&mut resumed, &LEAST);
        assert_eq!(
            (places(&placed), resumed.builds()),
            (BOTH.to_vec(), builder.builds()),
            "{stop}"
        );
        assert_eq!(placed.made, builder.builds().len());
    }
}

#[test]
fn builds_that_do_not_suffice_leave_ranges_and_more_go_on_from_there() {
    let past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    let placed = past.place(&mut builder, &SurveyRequest { builds: Some(12), ..LEAST });
    assert_eq!((builder.builds().len(), placed.made, placed.ended), (12, 12, SurveyEnd::Builds));
    for (good, bad, known) in places(&placed) {
        assert!(
            known == PlaceStatus::Range && [71, 152].iter().any(|at| good < *at && *at <= bad),
            "{placed:?}"
        );
    }
    let more = past.place(&mut builder, &SurveyRequest { builds: Some(40), ..LEAST });
    assert_eq!((places(&more), more.ended), (BOTH.to_vec(), SurveyEnd::Known));
    assert!(more.made <= 40 && builder.builds().len() == more.made);
}

/// Builds these revisions as `tacho quirk check` and `tacho quirk suggest` do, without measuring.
fn build(past: &SurveyPast, builder: &mut ScriptedBuilder, revisions: impl Iterator<Item = usize>) {
    let mut store = past.lab.store();
    let mut executor = ScriptedExecutor::new(|_: &Request, at| ended(ExecutionEnd::Exited(0), at));
    let mut context = lab_context(&mut store, builder, &mut executor);
    let question = past.lab.question();
    for at in revisions {
        context.build_of(&question, &question.revisions[at]).unwrap().unwrap();
    }
}

#[test]
fn builds_that_were_there_before_are_not_counted() {
    let mut past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    // The first and the last, which are needed, are among them.
    build(&past, &mut builder, (0..200).step_by(10).chain([199]));
    let before = builder.builds().len();
    let goal = SurveyRequest { builds: Some(12), ..LEAST };
    past.stop = 20;
    assert_eq!(past.place(&mut builder, &goal).ended, SurveyEnd::Interrupted);
    let interrupted = builder.builds().len() - before;
    past.stop = u64::MAX;
    let placed = past.place(&mut builder, &goal);
    let made = builder.builds().len() - before;
    assert_eq!(placed.made, made, "{placed:?}");
    assert!(interrupted > 0 && made > interrupted && made <= 12, "{interrupted} of {made}");
}

#[test]
fn a_budget_is_spent_on_builds_too() {
    let past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    // A build takes a second.
    let goal = SurveyRequest { budget: Some(Duration::from_secs(15)), ..LEAST };
    let placed = past.place(&mut builder, &goal);
    assert_eq!(placed.ended, SurveyEnd::Budget);
    assert!((5..15).contains(&builder.builds().len()), "{:?}", builder.builds());
    let again = past.place(&mut builder, &goal);
    assert_eq!((again.tracked.samples, again.ended), (0, SurveyEnd::Budget), "spent stays spent");
}

#[test]
fn a_zoom_builds_nothing_outside() {
    let past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    let placed = past.place(&mut builder, &SurveyRequest { zoom: Some((60, 80)), ..LEAST });
    assert_eq!(places(&placed), BOTH[..1]);
    let order = |name: &String| name[1..].parse::<usize>().unwrap();
    assert!(
        builder.builds().iter().all(|name| (61..=81).contains(&order(name))),
        "{:?}",
        builder.builds()
    );
}

#[test]
fn where_nothing_builds_it_ends() {
    let past = SurveyPast::new();
    let failed = || BuildState::failed("no");
    let mut builder = (1..=200).fold(ScriptedBuilder::new(), |builder, order| {
        builder.with(&format!("r{order}"), failed())
    });
    let placed = past.place(&mut builder, &LEAST);
    assert!(places(&placed).is_empty() && placed.tracked.samples == 0);
    assert!(builder.builds().len() < 40, "{:?}", builder.builds());
}

/// The question of a history with a quirk from one of its revisions to before another.
fn with_a_quirk(past: &SurveyPast, from: usize, before: usize, skip: bool) -> Question {
    let mut question = past.lab.question();
    let does = if skip { "skip = true" } else { "environment = { A = '1' }" };
    let quirk = format!("[[quirk]]\nname = 'q'\nwhy = 'w'\nfrom = 'r1'\n{does}\n");
    let text = format!("[subject]\n{quirk}[measure]\nrounds = 3\n{ONE}");
    question.plan = tacho_record::plan::parse(&text, "tacho.toml").unwrap();
    for revision in &question.revisions[from - 1..before - 1] {
        let quirky = QuirkRecipe { recipe: Digest::of("scripted"), quirks: vec!["q".into()] };
        question.recipes.insert(revision.id.clone(), quirky);
    }
    question
}

#[test]
fn what_changes_at_a_quirks_edge_is_said_to_be_there_and_takes_no_more_than_its_sides() {
    let past = SurveyPast::new();
    let mut builder = ScriptedBuilder::new();
    let placed = past.asks(&mut builder, &with_a_quirk(&past, 40, 71, false), &LEAST);
    assert_eq!(places(&placed), BOTH);
    let tagged = TagChange { tag: "quirks".into(), before: "q".into(), after: "none".into() };
    assert_eq!(
        placed.surveyed[0].edges,
        [vec![EnvironmentEdge { at: 70, tagged: tagged.clone() }], vec![]]
    );
    // The grid has 17, the other change halves a stretch of 12 or 13: of the edge there are both
    // sides.
    let of_edge =
        builder.builds().iter().filter(|name| (62..75).contains(&name[1..].parse().unwrap()));
    assert_eq!(of_edge.collect::<Vec<_>>(), ["r63", "r70", "r71"]);

    // A range over an edge is told to be one, and so where it begins.
    let past = SurveyPast::new();
    let goal = SurveyRequest { builds: Some(3), ..LEAST };
    let question = with_a_quirk(&past, 60, 65, false);
    let placed = past.asks(&mut ScriptedBuilder::new(), &question, &goal);
    let range = places(&placed).iter().position(|(good, bad, _)| *good < 60 && 65 <= *bad).unwrap();
    let begins = TagChange { before: "none".into(), after: "q".into(), ..tagged.clone() };
    assert_eq!(
        placed.surveyed[0].edges[range],
        [EnvironmentEdge { at: 59, tagged: begins }, EnvironmentEdge { at: 64, tagged }],
        "{placed:?}"
    );

    // What is not built is no other program.
    let past = SurveyPast::new();
    let placed = past.asks(&mut ScriptedBuilder::new(), &with_a_quirk(&past, 40, 71, true), &LEAST);
    assert_eq!(
        (places(&placed), &placed.surveyed[0].edges),
        (BOTH.to_vec(), &vec![vec![], vec![]])
    );
}
