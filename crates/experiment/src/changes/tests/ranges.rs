//! The range of a change: narrower as revisions in between are measured, and reported once.

use super::*;

#[test]
fn revisions_that_were_not_measured_may_be_the_first_as_well() {
    let mut lab = ChangeLab::new();
    let change = lab.measure(1..17, step).measure(23..41, step).only();
    assert_eq!((change.finding.good.as_str(), change.finding.bad.as_str()), ("r16", "r23"));
}

#[test]
fn measured_between_it_is_the_same_change_in_a_narrower_range() {
    let mut lab = ChangeLab::new();
    let earlier = |order| if order < 18 { 100.0 } else { 120.0 };
    let change = lab.measure(1..17, earlier).measure(27..45, earlier).only();
    assert_eq!((change.finding.good.as_str(), change.finding.bad.as_str()), ("r16", "r27"));
    lab.store.say(&change.name, ChangeState::Expected, "the cache", Timestamp::UNIX_EPOCH).unwrap();
    let refined = lab.measure(17..27, earlier).only();
    let finding = &refined.finding;
    assert_eq!(
        (finding.good.as_str(), finding.revision.as_str(), finding.bad.as_str()),
        ("r17", "r18", "r18")
    );
    assert_eq!(
        (&refined.name, refined.word, refined.note.as_str()),
        (&change.name, ChangeState::Expected, "the cache")
    );
    assert_eq!(lab.story(&change.name), ["found", "said", "moved"]);
}

#[test]
fn measured_between_where_it_was_told_the_range_is_narrower_too() {
    let mut lab = ChangeLab::new();
    let later = |order| if order < 27 { 100.0 } else { 120.0 };
    let change = lab.measure(1..17, later).measure(27..45, later).only();
    let refined = lab.measure(17..27, later).only();
    assert_eq!((refined.finding.good.as_str(), refined.finding.bad.as_str()), ("r26", "r27"));
    assert_eq!(refined.name, change.name);
}

#[test]
fn a_narrower_range_is_told_where_the_revision_stays() {
    let mut lab = ChangeLab::new();
    let change = lab.measure(1..17, step).measure(20..45, step).only();
    let narrower = lab.measure(17..20, step).only();
    assert_eq!(narrower.finding.revision, change.finding.revision);
    assert_eq!((narrower.finding.good.as_str(), narrower.finding.bad.as_str()), ("r19", "r20"));
    assert_eq!(lab.story(&change.name), ["found", "moved"]);
    let moved = lab.store.happenings(&change.name).unwrap().pop().unwrap().what;
    let HappeningKind::Moved { from } = moved else { panic!("{moved:?}") };
    assert_eq!((from.good.as_str(), from.bad.as_str()), ("r16", "r20"));
    assert_eq!(from.otherwise(&narrower.finding), [FindingDifference::Ends]);
}

#[test]
fn a_range_as_older_versions_kept_it_is_narrowed_when_it_is_seen_again() {
    let mut lab = ChangeLab::new();
    let reported = lab.measure(1..41, step).only();
    let mut wide = reported.clone();
    (wide.finding.good, wide.finding.bad) = ("r1".into(), "r25".into());
    lab.keep(&wide);
    assert_eq!(lab.only(), wide, "without anything new nothing is judged anew");
    lab.measure(41..42, step);
    let now = lab.only();
    assert_eq!(now.name, reported.name);
    assert_eq!((now.finding.good.as_str(), now.finding.bad.as_str()), ("r19", "r20"));
    assert_eq!(
        lab.story(&now.name),
        ["found", "moved"],
        "what was reported never changes in silence"
    );
}

#[test]
fn a_change_whose_revisions_do_not_build_any_more_is_told_once() {
    let mut lab = ChangeLab::new();
    let reported = lab.measure(1..61, |order| if order < 30 { 100.0 } else { 120.0 }).only();
    lab.fail(28..33);
    assert_eq!(lab.only(), reported, "it stays, and is the one that is seen from farther away");
    lab.measure(61..66, |_| 120.0);
    assert_eq!(lab.only(), reported);
    lab.measure(66..90, |_| 100.0);
    assert_eq!(lab.judge().changes.len(), 2, "another is told");
    lab.build(28..33, |order| format!("program {order}"));
    let known =
        lab.judge().changes.into_iter().find(|change| change.name == reported.name).unwrap();
    assert_eq!(
        (known.life, &known.finding.good, &known.finding.bad),
        (Life::Provisional, &reported.finding.good, &reported.finding.bad),
        "and is looked at again"
    );
}

/// It is a fifth slower from the thirtieth revision on.
fn at_thirty(order: u64) -> f64 {
    if order < 30 { 100.0 } else { 120.0 }
}

/// A change that was told, and with which no further analysis agreed as yet.
fn told_once() -> (ChangeLab, Change) {
    let mut lab = ChangeLab::new();
    let mut reported = lab.measure(1..52, at_thirty).only();
    reported.life = Life::Provisional;
    lab.keep(&reported);
    (lab, reported)
}

#[test]
fn a_provisional_change_is_told_once_too() {
    let (mut lab, reported) = told_once();
    lab.fail(20..40);
    assert_eq!(lab.only(), reported, "no analysis can look at it");
    lab.measure(52..60, at_thirty);
    assert_eq!(lab.only(), reported);
    lab.build(20..40, |order| format!("program {order}"));
    assert_eq!(lab.only().finding.seen, reported.finding.seen, "no values were added");
    let known = lab.measure(60..61, at_thirty).only();
    assert_eq!(
        (&known.name, known.finding.seen),
        (&reported.name, reported.finding.seen + 1),
        "it is looked at again"
    );
}

#[test]
fn what_was_told_from_farther_away_goes_where_a_nearer_one_explains_it() {
    let nearer = Life::Withdrawn { why: Withdrawal::Nearer };
    for hides in [false, true] {
        let mut lab = ChangeLab::new();
        lab.measure(1..60, at_thirty).fail(20..40);
        let far = lab.only();
        assert_eq!((far.finding.good.as_str(), far.finding.bad.as_str()), ("r19", "r40"));
        lab.build(20..40, |order| format!("program {order}"));
        let near = Change {
            name: "nearer".into(),
            finding: Finding {
                revision: "r30".into(),
                good: "r29".into(),
                bad: "r30".into(),
                ..far.finding.clone()
            },
            life: Life::Provisional,
            ..far.clone()
        };
        lab.keep(&near);
        if hides {
            lab.fail(20..40);
        }
        // Something new is what makes it look again.
        lab.measure(60..61, at_thirty);
        let changes = lab.judge().changes;
        let life = |name: &str| changes.iter().find(|change| change.name == name).unwrap().life;
        assert_eq!((changes.len(), life(&far.name)), (2, nearer), "{changes:#?}");
        assert!(life("nearer") != nearer);
        assert_eq!(lab.story(&far.name).last(), Some(&"withdrawn"));
        lab.measure(61..70, at_thirty);
        assert_eq!(lab.judge().changes.len(), 2, "and it does not come again");
    }
}

#[test]
fn what_the_environment_did_explains_no_change_of_the_program() {
    let (mut lab, mut reported) = told_once();
    reported.finding.kind = ChangeKind::Environment;
    lab.keep(&reported);
    lab.fail(20..40);
    lab.measure(52..60, at_thirty);
    assert_eq!(lab.judge().changes.len(), 2);
}

#[test]
fn what_is_seen_over_unbuilt_revisions_is_told_where_it_is_far_larger_than_what_is_known_there() {
    let level = |order: u64| match order {
        0..30 => 100.0,
        30..40 => 120.0,
        _ => 150.0,
    };
    let mut lab = ChangeLab::new();
    assert_eq!(lab.measure(1..70, level).judge().changes.len(), 2);
    lab.fail(28..43);
    assert_eq!(lab.judge().changes.len(), 2, "both together are what is seen");
    let mut lab = ChangeLab::new();
    lab.measure(1..61, |order| if order < 30 { 100.0 } else { 120.0 }).only();
    lab.fail(28..61);
    lab.measure(61..90, |_| 200.0);
    assert_eq!(lab.judge().changes.len(), 2, "something else came to it");
}
