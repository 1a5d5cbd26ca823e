//! Bisections and their steps, and runs whose cells are not known from the start.

use tacho_record::bisection::{
    BisectedEffect, BisectionEnd, BisectionRequest, BisectionState, BisectionStep, Candidate,
    Culprit, HostReadings, LackOfValues, Stage, StepResult, Suspects, UndecidedReason,
    UnusableKind, ValueComparison, ValueSource,
};
use tacho_record::{Bisection, Digest, Metric, Purpose, Revision, RunState};
use tacho_store::NewRun;

use crate::common::{Ground, benchmark, cell, host, new_run, sample, time};

fn standing() -> BisectionState {
    BisectionState {
        updated: time(7),
        stage: Stage::Searching,
        found: None,
        ends: (0, 1),
        nothing: 0.1 + 0.2,
        belief: vec![Suspects { first: 1, last: 1, posterior: 0.7 }],
        culprits: vec![],
        probes: vec![],
        suspects: vec![],
        sides: vec![],
        aside: None,
        change: Some(BisectedEffect { estimate: 1e-300, interval: (-0.1, 1e300) }),
        left_over: None,
        more: false,
        ladder: vec![],
        unusable: vec![],
        drift: 0.0,
        between_builds: Some(0.0104),
        cpu: None,
        busy_share: None,
        by_cpu: None,
        builds: 2,
        samples: 4,
        building: 20.5,
        executing: 1.0,
    }
}

fn bisection(name: &str, run: i64) -> Bisection {
    let revision = |order: u64| Revision {
        id: format!("r{order}"),
        order,
        author: "A. Author".into(),
        date: Some(time(0)),
        subject: "change".into(),
        tags: vec![],
    };
    let candidate = |order: u64| Candidate::after(revision(order), vec![revision(order - 1)]);
    Bisection {
        name: name.into(),
        run,
        host: "lab".into(),
        started: time(1),
        asked: BisectionRequest {
            good: "v1".into(),
            bad: "HEAD".into(),
            exchanged: false,
            benchmark: benchmark("b"),
            metric: Metric::built_in("wall").unwrap(),
            of: ValueSource::Execution,
            by: ValueComparison::Ratio,
            test: None,
            least: 0.02,
            budget: Some(7200.0),
            most_builds: None,
            all: false,
            into_merges: false,
            revert: false,
            change: None,
            typed: None,
            probe: Vec::new(),
            layout: Some(0.01),
            prior: vec![0.25, 0.1 + 0.2],
            within: Vec::new(),
            spent: None,
            before: Some((21e9, 44e9)),
            aside: Some("v0".into()),
        },
        candidates: vec![candidate(1), candidate(5)],
        standing: standing(),
    }
}

fn observed(number: u32, seen: StepResult) -> BisectionStep {
    BisectionStep {
        number,
        at: time(2),
        revision: "r1".into(),
        build: Some(1.5),
        executing: 0.25,
        under: None,
        seen,
    }
}

pub fn bisections_come_back_with_their_steps(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    assert_eq!((store.bisections().unwrap(), store.bisection("one").unwrap()), (vec![], None));
    let new = NewRun { purpose: Purpose::Bisect, started: time(1), ..new_run(lab, "bisect") };
    let (run, _) = store.begin_run(&new, &[]).unwrap();
    assert_eq!(run.purpose, Purpose::Bisect);
    let mut kept = bisection("one", run.number);
    store.put_bisection(&kept).unwrap();
    assert_eq!(store.bisections().unwrap(), [(kept.clone(), RunState::Unfinished)]);

    let steps = [
        observed(1, StepResult::Built { artifact: Digest::of("a") }),
        observed(
            2,
            StepResult::Samples {
                values: vec![0.1 + 0.2, 1e300],
                limited: vec![1],
                host: vec![
                    HostReadings::from([("host-steal".to_owned(), 1e7)]),
                    HostReadings::new(),
                ],
                failure: Some("exit 3: no such file".to_owned()),
            },
        ),
        observed(
            3,
            StepResult::Unusable(LackOfValues::new(UnusableKind::NoMetric, "nothing matches")),
        ),
    ];
    for step in &steps {
        store.put_observed(run.number, step).unwrap();
    }
    assert_eq!(store.observed(run.number).unwrap(), steps);
    assert!(store.put_observed(run.number, &steps[0]).is_err(), "a step is kept once");

    let effect = BisectedEffect { estimate: 0.05, interval: (0.04, 0.06) };
    let culprit = Culprit {
        place: 1,
        revision: "r5".into(),
        parent_place: 0,
        parent: "r1".into(),
        posterior: 0.99,
        effect,
        pairs: 3,
        neighbours: 0,
    };
    let found = Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget });
    kept.standing = BisectionState {
        found,
        culprits: vec![culprit],
        stage: Stage::Finished,
        ..kept.standing.clone()
    };
    store.put_standing(run.number, &kept.standing).unwrap();
    assert_eq!(store.bisection("one").unwrap().as_ref(), Some(&kept));
    assert_eq!(store.bisection_of(run.number).unwrap(), Some(kept));
}

pub fn cells_are_added_to_a_run_that_goes_on(ground: &Ground) {
    let mut store = ground.open();
    let lab = store.put_host(&host("lab")).unwrap();
    let new = NewRun { purpose: Purpose::Bisect, ..new_run(lab, "bisect") };
    let (run, _) = store.begin_run(&new, &[]).unwrap();
    let cells = [cell("r1", "b"), cell("r2", "b")];
    let ids: Vec<_> =
        cells.iter().map(|cell| store.add_cell(run.number, lab, cell).unwrap()).collect();
    assert_eq!(
        store.cells(run.number).unwrap(),
        ids.iter().copied().zip(cells).collect::<Vec<_>>(),
        "in the order in which they were added"
    );
    store.put_sample(ids[1], &sample(1, 0)).unwrap();
    assert_eq!([0, 1].map(|at| store.samples(ids[at]).unwrap().len()), [0, 1]);
}
