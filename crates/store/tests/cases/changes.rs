//! Changes, their events and the user's word.

use tacho_record::{
    Change, ChangeKind, ChangeState, Digest, Finding, Happening, HappeningKind, Life, Metric,
    RepeatMeasurement, SeriesKey, Withdrawal,
};
use tacho_store::{Analysis, HostId, MeasuredAgain, NewAnalysis, Store, StoreError};

use crate::common::{Ground, benchmark, host, time};

fn finding(revision: &str) -> Finding {
    Finding {
        revision: revision.into(),
        good: "good".into(),
        bad: "bad".into(),
        before: 0.1 + 0.2,
        after: 1e300,
        effect: None,
        interval: Some((-0.1, 0.1)),
        p: 1e-300,
        kind: ChangeKind::DipStart,
        environment: vec![],
        points: 40,
        seen: 1,
        missed: 0,
    }
}

fn change(name: &str) -> Change {
    let metric = Metric::built_in("wall").unwrap();
    Change {
        name: name.into(),
        series: SeriesKey { benchmark: benchmark("b"), host: "lab".into(), metric },
        found: time(1),
        finding: finding("first"),
        life: Life::Provisional,
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

fn analysis(judged: &str) -> Analysis {
    Analysis { judged: Digest::of(judged), newest: "newest".into(), at: time(2) }
}

fn at_three(what: HappeningKind) -> Happening {
    Happening { at: time(3), what }
}

/// A store that knows the metric of these changes.
fn store(ground: &Ground) -> (Store, HostId) {
    let mut store = ground.open();
    store.put_metrics(&[Metric::built_in("wall").unwrap()]).unwrap();
    let lab = store.put_host(&host("lab")).unwrap();
    (store, lab)
}

fn keep(store: &mut Store, lab: HostId, before: Option<&Analysis>, changes: &[Change]) -> bool {
    let happenings: Vec<_> = changes
        .iter()
        .map(|c| (c.name.clone(), at_three(HappeningKind::Found { revision: "r".into() })))
        .collect();
    let now = analysis(&format!("{before:?}"));
    let series = &change("").series;
    store
        .keep_analysis(
            lab,
            &NewAnalysis { series, before, now: &now, changes, happenings: &happenings },
        )
        .unwrap()
}

pub fn changes_come_back_with_all_that_happened(ground: &Ground) {
    let (mut store, lab) = store(ground);
    assert_eq!((store.changes(lab).unwrap(), store.analyses(lab).unwrap()), (vec![], vec![]));
    assert!(keep(&mut store, lab, None, &[change("one"), change("two")]));
    assert_eq!(store.changes(lab).unwrap(), [change("one"), change("two")]);
    assert_eq!(store.change("two").unwrap(), Some((lab, change("two"))));
    assert_eq!(store.change("three").unwrap(), None);
    let analyses = store.analyses(lab).unwrap();
    assert_eq!(analyses, [(benchmark("b"), "wall".to_owned(), analysis("None"))]);

    let gone = Life::Withdrawn { why: Withdrawal::NotReproduced };
    let again = RepeatMeasurement {
        run: 7,
        samples: 10,
        differs: Some(false),
        effect: Some(0.001),
        interval: None,
        limited: [0, 3],
        layouts: 5,
        environments: true,
    };
    let events = [
        at_three(HappeningKind::Measured(again.clone())),
        at_three(HappeningKind::Withdrawn { why: Withdrawal::NotReproduced }),
    ];
    let other = finding("elsewhere");
    let two = MeasuredAgain {
        name: "two",
        life: gone,
        again: &again,
        finding: Some(&other),
        happenings: &events,
    };
    store.put_again(&[two]).unwrap();
    let (_, two) = store.change("two").unwrap().unwrap();
    assert_eq!((two.life, two.again.as_ref(), two.finding), (gone, Some(&again), other));
    let found = at_three(HappeningKind::Found { revision: "r".into() });
    assert_eq!(
        store.happenings("two").unwrap(),
        [std::slice::from_ref(&found), &events[..]].concat()
    );
    assert_eq!(store.happenings("one").unwrap(), [found]);
    let before = store.change("one").unwrap();
    let [one, three] = ["one", "three"].map(|name| MeasuredAgain {
        name,
        life: gone,
        again: &again,
        finding: None,
        happenings: &[],
    });
    let nothing = store.put_again(&[one, three]).unwrap_err();
    assert!(matches!(nothing, StoreError::Unknown { .. }), "{nothing}");
    assert_eq!(store.change("one").unwrap(), before, "all are kept or none");
}

pub fn no_analysis_touches_the_users_word(ground: &Ground) {
    let (mut store, lab) = store(ground);
    assert!(keep(&mut store, lab, None, &[change("one")]));
    store.say("one", ChangeState::Expected, "the price of safety", time(5)).unwrap();
    let mut anew = change("one");
    (anew.finding, anew.life, anew.fixed_by) =
        (finding("second"), Life::Confirmed, Some("two".into()));
    assert!(keep(&mut store, lab, Some(&analysis("None")), std::slice::from_ref(&anew)));
    let (_, known) = store.change("one").unwrap().unwrap();
    assert_eq!((known.word, &*known.note), (ChangeState::Expected, "the price of safety"));
    assert_eq!(
        (known.finding, known.life, known.fixed_by),
        (anew.finding, anew.life, anew.fixed_by)
    );
    let said = HappeningKind::Said {
        from: ChangeState::New,
        to: ChangeState::Expected,
        note: "the price of safety".into(),
    };
    assert_eq!(store.happenings("one").unwrap()[1], Happening { at: time(5), what: said });
    assert!(matches!(
        store.say("no", ChangeState::New, "", time(6)),
        Err(StoreError::Unknown { .. })
    ));
}

pub fn of_two_analyses_at_once_one_is_kept(ground: &Ground) {
    let (mut store, lab) = store(ground);
    assert!(keep(&mut store, lab, None, &[change("one")]));
    assert!(
        !keep(&mut store, lab, None, &[change("two")]),
        "it went on from nothing, and there is something"
    );
    assert!(!keep(&mut store, lab, Some(&analysis("other")), &[change("two")]));
    assert_eq!(store.changes(lab).unwrap().len(), 1);
    assert!(keep(&mut store, lab, Some(&analysis("None")), &[change("two")]));
}

pub fn a_name_is_never_given_to_a_change_of_another_series(ground: &Ground) {
    let (mut store, lab) = store(ground);
    assert!(keep(&mut store, lab, None, &[change("one")]));
    let series = SeriesKey { benchmark: benchmark("other"), ..change("one").series };
    let now = analysis("now");
    let changes = [Change { series: series.clone(), ..change("one") }];
    let new = NewAnalysis {
        series: &series,
        before: None,
        now: &now,
        changes: &changes,
        happenings: &[],
    };
    let error = store.keep_analysis(lab, &new).unwrap_err();
    assert!(matches!(error, StoreError::AlreadyStored { .. }), "{error}");
    assert_eq!(store.changes(lab).unwrap(), [change("one")]);
    assert_eq!(store.analyses(lab).unwrap().len(), 1, "all or nothing");
}
