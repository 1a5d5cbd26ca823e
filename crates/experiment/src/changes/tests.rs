//! A store with a scripted past: what is found in it, what becomes of it as time goes on.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{Timestamp, ToSpan};
use tacho_record::{
    BenchmarkKey, Build, BuildState, Cell, Change, ChangeKind, ChangeState, Digest, Finding,
    FindingDifference, HappeningKind, Host, Life, Metric, Outcome, Place, Plan, Purpose, Recipes,
    Rule, Sample, SeriesKey, TagChange, Warmup, Withdrawal,
};
use tacho_store::{HostId, Location, NewAnalysis, NewRun, Store};
use tempfile::TempDir;

use super::*;
use crate::build::builds::tests::revision;
use crate::track_tests::plan;

mod back;
mod environment;
mod machines;
mod other_work;
mod ranges;
mod shown_series;
mod to_report;

const PLAN: &str =
    "[[benchmark]]\nname = 'b'\ncommand = 'b'\n[[benchmark]]\nname = 'flat'\ncommand = 'flat'\n";

/// A change of that name, after `good` and up to `bad`.
pub fn change(name: &str, good: &str, bad: &str, effect: f64) -> Change {
    let benchmark = BenchmarkKey::plain("b");
    let metric = Metric::built_in("wall").unwrap();
    Change {
        name: name.into(),
        series: SeriesKey { benchmark, host: "lab".into(), metric },
        found: Timestamp::UNIX_EPOCH,
        finding: Finding {
            revision: bad.into(),
            good: good.into(),
            bad: bad.into(),
            before: 100.0,
            after: 100.0 * (1.0 + effect),
            effect: Some(effect),
            interval: Some((effect, effect)),
            p: 1e-9,
            kind: ChangeKind::Step,
            environment: vec![],
            points: 40,
            seen: 5,
            missed: 0,
        },
        life: Life::Confirmed,
        word: ChangeState::New,
        note: String::new(),
        fixed_by: None,
        again: None,
        named_by: None,
        of_merge: None,
        same_program: Vec::new(),
        left: None,
    }
}

/// A fixed to and fro of 2 %: the same each time.
fn noise(place: u64) -> f64 {
    1.0 + 0.02 * (((place * 7919) % 101) as f64 / 101.0 - 0.5)
}

/// A store, and what is measured next.
struct ChangeLab {
    _folder: TempDir,
    store: Store,
    host: HostId,
    plan: Plan,
    kernel: &'static str,
    /// How often each revision is executed in a run.
    rounds: u32,
    /// What is read beside the wall time of benchmark `b` at a revision.
    beside: fn(u64, f64) -> Vec<(&'static str, f64)>,
    quirks: Vec<String>,
    tools: BTreeMap<String, String>,
    /// What each revision is built to, with its number.
    program: &'static str,
    /// How often it was judged: the clock.
    judged: i64,
}

impl ChangeLab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Location::Folder(folder.path().join(".tacho"))).unwrap();
        let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
        store.put_metrics(&[Metric::built_in("wall").unwrap()]).unwrap();
        Self {
            _folder: folder,
            store,
            host,
            plan: plan(PLAN),
            kernel: "6.1",
            rounds: 3,
            beside: |_, _| Vec::new(),
            quirks: vec![],
            tools: BTreeMap::new(),
            program: "program",
            judged: 0,
        }
    }

    /// A run over these revisions, with the level that each has in benchmark `b`; `flat` stays as
    /// it is.
    fn measure(&mut self, orders: std::ops::Range<u64>, level: impl Fn(u64) -> f64) -> &mut Self {
        let (rounds, program) = (self.rounds, self.program);
        self.build(orders.clone(), |order| format!("{program} {order}"));
        let cells: Vec<(u64, Cell)> = orders
            .flat_map(|order| {
                self.plan.keyed_benchmarks().into_iter().map(move |(_, key)| (order, key))
            })
            .map(|(order, benchmark)| {
                let artifact = Digest::of(format!("{program} {order}"));
                (order, Cell { revision: format!("r{order}"), artifact, benchmark, rounds })
            })
            .collect();
        let new = NewRun {
            purpose: Purpose::Track,
            question: Digest::of(self.judged.to_le_bytes()),
            plan: format!("[subject]\n[measure]\nrounds = {rounds}\n{PLAN}"),
            seed: 1,
            rounds,
            rule: Rule {
                warmup: Warmup::Executions(0),
                min_rounds: rounds,
                max_rounds: rounds,
                ..Rule::default()
            },
            host: self.host,
            version: "test".into(),
            started: Timestamp::UNIX_EPOCH,
            conditions: BTreeMap::from([
                ("now.kernel".into(), self.kernel.into()),
                ("now.load".into(), "1".into()),
            ]),
        };
        let all: Vec<Cell> = cells.iter().map(|(_, cell)| cell.clone()).collect();
        let (run, ids) = self.store.begin_run(&new, &all).unwrap();
        for (position, ((order, cell), id)) in (0..).zip(cells.iter().zip(ids)) {
            let level = if cell.benchmark.name == "b" { level(*order) } else { 50.0 };
            for round in 1..=rounds {
                let value = level * noise(order * 3 + u64::from(round));
                let (place, at) = (Place { round, position }, Timestamp::UNIX_EPOCH);
                let mut sample = Sample { place, at, outcome: Outcome::Valid, values: vec![] };
                sample.add("wall", value);
                let beside = (cell.benchmark.name == "b").then(|| (self.beside)(*order, value));
                for (name, value) in beside.into_iter().flatten() {
                    sample.add(name, value);
                }
                self.store.put_sample(id, &sample).unwrap();
            }
        }
        self.store.finish_run(run.number, self.time()).unwrap();
        self
    }

    /// The time, by how often it was judged.
    fn time(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + self.judged.seconds()
    }

    /// Builds these revisions in vain.
    fn fail(&mut self, orders: std::ops::Range<u64>) {
        for order in orders {
            self.put_build(order, BuildState::failed("exit status 1"));
        }
    }

    /// Builds these revisions to these artifacts.
    fn build(&mut self, orders: std::ops::Range<u64>, content: impl Fn(u64) -> String) {
        let revisions: Vec<_> = orders.clone().map(revision).collect();
        self.store.put_revisions(&revisions).unwrap();
        for order in orders {
            let state =
                BuildState::Built { artifact: Digest::of(content(order)), size: 1, layouts: None };
            self.put_build(order, state);
        }
    }

    fn put_build(&mut self, order: u64, state: BuildState) {
        let (revision, recipe) = (format!("r{order}"), self.plan.subject.recipe());
        let took = std::time::Duration::ZERO;
        let (quirks, tools) = (self.quirks.clone(), self.tools.clone());
        let started = Timestamp::UNIX_EPOCH;
        let onto = Vec::new();
        let build =
            Build { revision, recipe, quirks, onto, tools, state, started, took, log: None };
        self.store.put_build(self.host, &build).unwrap();
    }

    fn judge(&mut self) -> ChangeAnalysis {
        self.judged += 1;
        let recipes = &Recipes::usual(self.plan.subject.recipe());
        let scope = Scope { host: self.host, host_name: "lab", plan: &self.plan, recipes };
        let now = self.time();
        analyse(&mut self.store, scope, now).unwrap()
    }

    /// What was found on all hosts.
    fn look(&mut self) -> StoredChanges {
        let recipes = Recipes::usual(self.plan.subject.recipe());
        StoredChanges::look(&mut self.store, &self.plan, Path::new("."), |_| recipes).unwrap()
    }

    /// Keeps a change as it is, or as it is now.
    fn keep(&mut self, change: &Change) {
        let key = &change.series;
        let mut all = self.store.analyses(self.host).unwrap().into_iter();
        let (.., before) =
            all.find(|(of, metric, _)| *of == key.benchmark && *metric == key.metric.name).unwrap();
        let changes = std::slice::from_ref(change);
        let (series, happenings) = (key, &[][..]);
        let new = NewAnalysis { series, before: Some(&before), now: &before, changes, happenings };
        assert!(self.store.keep_analysis(self.host, &new).unwrap());
    }

    /// The only change there is.
    fn only(&mut self) -> Change {
        let changes = self.judge().changes;
        let [change] = changes.as_slice() else { panic!("{changes:#?}") };
        change.clone()
    }

    /// What happened to a change, in one word each.
    fn story(&mut self, name: &str) -> Vec<&'static str> {
        let word = |what: &HappeningKind| match what {
            HappeningKind::Confirmed { .. } => "confirmed",
            HappeningKind::Fixed { .. } => "fixed",
            HappeningKind::Found { .. } => "found",
            HappeningKind::Measured(_) => "measured",
            HappeningKind::Moved { .. } => "moved",
            HappeningKind::Said { .. } => "said",
            HappeningKind::Unfixed => "unfixed",
            HappeningKind::Withdrawn { .. } => "withdrawn",
        };
        self.store.happenings(name).unwrap().iter().map(|happening| word(&happening.what)).collect()
    }
}

/// From the twentieth revision on it is a fifth slower.
fn step(order: u64) -> f64 {
    if order < 20 { 100.0 } else { 120.0 }
}

#[test]
fn a_history_measured_at_once_is_judged_at_once() {
    let mut lab = ChangeLab::new();
    let change = lab.measure(1..41, step).only();
    let finding = &change.finding;
    assert_eq!(
        (finding.good.as_str(), finding.revision.as_str(), finding.bad.as_str()),
        ("r19", "r20", "r20")
    );
    assert!((finding.effect.unwrap() - 0.2).abs() < 0.02, "{finding:?}");
    assert_eq!(
        (change.life, change.state()),
        (Life::Provisional, ChangeState::New),
        "one run is one analysis, however many points it added"
    );
    assert_eq!(finding.seen, 1);
    assert!(is_new_regression(&change));
    assert_eq!(lab.story(&change.name), ["found"]);
}

#[test]
fn the_same_again_tells_nothing_new() {
    let mut lab = ChangeLab::new();
    let first = lab.measure(1..41, step).only();
    assert_eq!(lab.only(), first);
    assert_eq!(lab.only(), first);
    assert_eq!(lab.story(&first.name).len(), 1);
}

#[test]
fn points_that_go_and_come_back_confirm_nothing() {
    let mut lab = ChangeLab::new();
    let first = lab.measure(1..41, step).only();
    for _ in 0..6 {
        // The newest revision does not build for a while, as with a typo in the recipe.
        lab.fail(40..41);
        lab.judge();
        lab.build(40..41, |order| format!("program {order}"));
        let now = lab.only();
        assert_eq!((now.life, now.finding.seen), (Life::Provisional, 1));
    }
    assert_eq!(lab.story(&first.name), ["found"]);
    let later = lab.measure(41..42, step).only();
    assert_eq!(later.finding.seen, 2);
}

#[test]
fn a_change_after_a_revision_that_does_not_build_is_judged_again() {
    let mut lab = ChangeLab::new();
    lab.measure(1..18, step);
    // The last good program, one that does not build, the same program again, and the slow ones.
    lab.fail(18..19);
    lab.build(19..20, |_| "program 17".to_owned());
    let first = lab.measure(20..41, step).only();
    assert_eq!((first.finding.good.as_str(), first.finding.revision.as_str()), ("r19", "r20"));
    for seen in 2..6 {
        lab.rounds = 3 * seen;
        let now = lab.measure(14..41, |order| if order == 18 { f64::NAN } else { step(order) });
        assert_eq!(now.only().finding.seen, seen);
    }
}

#[test]
fn it_keeps_its_name_from_the_first_sight_to_being_sure() {
    let mut lab = ChangeLab::new();
    lab.measure(1..20, step).judge();
    let mut seen: Vec<Change> = Vec::new();
    for order in 20..40 {
        let analysed = lab.measure(order..order + 1, step).judge();
        seen.extend(analysed.changes);
    }
    assert!(seen.iter().all(|change| change.name == seen[0].name), "{seen:#?}");
    assert_eq!((seen[0].life, seen.last().unwrap().life), (Life::Provisional, Life::Confirmed));
    let story = lab.story(&seen[0].name);
    assert_eq!(
        (story[0], story.iter().filter(|word| **word == "confirmed").count()),
        ("found", 1),
        "{story:?}"
    );
}

#[test]
fn what_the_user_says_stays_whatever_is_found_later() {
    let mut lab = ChangeLab::new();
    let change = lab.measure(1..41, step).only();
    lab.store
        .say(&change.name, ChangeState::Expected, "it does more", Timestamp::UNIX_EPOCH)
        .unwrap();
    let later = lab.measure(41..61, |_| 100.0).judge().changes;
    let [slower, faster] = later.as_slice() else { panic!("{later:#?}") };
    assert_eq!((slower.word, slower.note.as_str()), (ChangeState::Expected, "it does more"));
    assert_eq!(
        slower.fixed_by.as_ref(),
        Some(&faster.name),
        "that it came back is known all the same"
    );
    assert!(!is_new_regression(slower) && !is_new_regression(faster));
}

#[test]
fn what_an_older_version_judged_is_judged_again_and_the_users_word_stays() {
    let mut lab = ChangeLab::new();
    let reported = lab.measure(1..41, step).only();
    lab.store
        .say(&reported.name, ChangeState::Acknowledged, "known", Timestamp::UNIX_EPOCH)
        .unwrap();
    // As the detector of values had it: a commit late, by another digest.
    let mut late = lab.only();
    (late.finding.revision, late.finding.bad) = ("r21".into(), "r21".into());
    let (.., before) =
        lab.store.analyses(lab.host).unwrap().into_iter().find(|it| it.0.name == "b").unwrap();
    let older = tacho_store::Analysis { judged: Digest::of("judged 5"), ..before.clone() };
    let changes = std::slice::from_ref(&late);
    let new = NewAnalysis {
        series: &late.series,
        before: Some(&before),
        now: &older,
        changes,
        happenings: &[],
    };
    assert!(lab.store.keep_analysis(lab.host, &new).unwrap());
    let now = lab.only();
    assert_eq!(
        (&now.name, now.word, now.note.as_str()),
        (&reported.name, ChangeState::Acknowledged, "known")
    );
    assert_eq!((now.finding.revision.as_str(), now.life), ("r20", Life::Provisional));
    assert!(!is_new_regression(&now));
}

#[test]
fn short_levels_of_one_run_are_found_by_its_samples() {
    let mut lab = ChangeLab::new();
    let level = |order: u64| match order {
        ..4 => 100.0,
        4..7 => 115.0,
        7..10 => 130.0,
        _ => 104.0,
    };
    let analysed = lab.measure(1..13, level).judge();
    let places: Vec<&str> =
        analysed.changes.iter().map(|change| change.finding.revision.as_str()).collect();
    assert_eq!(places, ["r4", "r7", "r10"]);
    let befores: Vec<f64> =
        analysed.changes.iter().map(|change| change.finding.before.round()).collect();
    assert_eq!(befores, [100.0, 115.0, 130.0]);
    assert!(analysed.series.iter().all(|series| series.judgement.history.is_some()));
}

#[test]
fn the_same_program_is_one_point() {
    let mut lab = ChangeLab::new();
    lab.measure(1..5, step).build(2..4, |_| "program 2".into());
    let analysed = lab.judge();
    let material = &analysed.series[0].material;
    assert_eq!(
        material.places().map(|place| material.revision(place)).collect::<Vec<_>>(),
        ["r1", "r2", "r4"]
    );
    // Built again like the second, after another: the same level is there again.
    lab.build(5..6, |_| "program 2".into());
    let analysed = lab.judge();
    let material = &analysed.series[0].material;
    assert_eq!(material.places().last().map(|place| material.revision(place)), Some("r5"));
    assert_eq!(material.points[4].value, material.points[1].value);
}

#[test]
fn a_series_that_is_too_short_is_said_to_be() {
    let mut lab = ChangeLab::new();
    let analysed = lab.measure(1..3, step).judge();
    assert_eq!(analysed.changes, []);
    assert!(
        analysed
            .series
            .iter()
            .all(|one| one.judgement.detection.judged != tacho_stats::changes::JudgementStatus::Yes)
    );
}
