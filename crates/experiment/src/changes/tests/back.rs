//! What becomes of a change whose level comes back.

use super::*;

#[test]
fn a_level_that_comes_back_is_fixed_by_itself() {
    let mut lab = ChangeLab::new();
    let slower = lab.measure(1..41, step).only();
    assert!(is_new_regression(&slower));
    let changes = lab.measure(41..61, |_| 101.0).judge().changes;
    let slower = changes.iter().find(|change| change.name == slower.name).unwrap();
    assert_eq!((slower.state(), slower.word), (ChangeState::Fixed, ChangeState::New));
    assert!(!changes.iter().any(is_new_regression), "{changes:#?}");
    assert!(lab.story(&slower.name.clone()).contains(&"fixed"));
}

#[test]
fn a_return_that_is_provisional_fixes_nothing() {
    let mut lab = ChangeLab::new();
    let slower = lab.measure(1..41, step).only();
    let changes = lab.measure(41..46, |_| 101.0).judge().changes;
    assert_eq!(
        changes.iter().map(|change| change.life).collect::<Vec<_>>(),
        [Life::Provisional, Life::Provisional]
    );
    assert!(changes.iter().any(is_new_regression), "{changes:#?}");
    for order in 46..61 {
        lab.measure(order..order + 1, |_| 101.0).judge();
    }
    assert!(lab.story(&slower.name).contains(&"fixed"));
}

#[test]
fn a_dip_keeps_its_name_and_the_word_while_it_is_backed_out() {
    let mut lab = ChangeLab::new();
    let level = |order: u64| if (34..37).contains(&order) { 120.0 } else { 100.0 };
    lab.measure(1..34, level).judge();
    let mut seen: Vec<Change> = Vec::new();
    for order in 34..50 {
        let changes = lab.measure(order..order + 1, level).judge().changes;
        for change in changes.into_iter().filter(|change| change.finding.effect > Some(0.0)) {
            if seen.is_empty() {
                lab.store
                    .say(&change.name, ChangeState::Expected, "a trial", Timestamp::UNIX_EPOCH)
                    .unwrap();
            }
            seen.push(change);
        }
    }
    assert!(seen.iter().all(|change| change.name == seen[0].name), "{seen:#?}");
    let last = seen.last().unwrap();
    assert_eq!((last.word, last.note.as_str()), (ChangeState::Expected, "a trial"));
    assert_eq!(last.finding.kind, ChangeKind::DipStart);
}

#[test]
fn a_dip_that_is_seen_no_more_came_back_all_the_same() {
    let mut lab = ChangeLab::new();
    // Of two samples each the values are judged: readings would still show what the first run
    // measured.
    lab.rounds = 2;
    let dip = |order: u64| if (20..23).contains(&order) { 130.0 } else { 100.0 };
    let changes = lab.measure(1..41, dip).judge().changes;
    let begin =
        changes.iter().find(|change| change.finding.kind == ChangeKind::DipStart).unwrap().clone();
    assert_eq!((begin.life, begin.state()), (Life::Provisional, ChangeState::Fixed));
    // Measured twice more, its commits are as fast as all others.
    lab.measure(20..23, |_| 100.0).measure(20..23, |_| 100.0);
    for order in 41..63 {
        lab.measure(order..order + 1, |_| 100.0).judge();
    }
    assert_eq!(lab.story(&begin.name), ["found", "fixed", "withdrawn"]);
}

#[test]
fn a_level_that_comes_back_with_the_compiler_is_not_fixed() {
    let mut lab = ChangeLab::new();
    let cc = |version: &str| BTreeMap::from([("cc".to_owned(), version.to_owned())]);
    lab.tools = cc("cc 12.2.0");
    let slower = lab.measure(1..41, step).only();
    lab.tools = cc("cc 13.1.0");
    let changes = lab.measure(41..61, |_| 100.0).judge().changes;
    let kinds: Vec<ChangeKind> = changes.iter().map(|change| change.finding.kind).collect();
    assert_eq!(kinds, [ChangeKind::Step, ChangeKind::Environment]);
    let slower = changes.iter().find(|change| change.name == slower.name).unwrap();
    assert_eq!((slower.state(), &slower.fixed_by), (ChangeState::New, &None));
    assert!(is_new_regression(slower), "the program is as slow as it was");
}

#[test]
fn a_gain_that_was_confirmed_and_is_lost_soon_is_a_loss() {
    let mut lab = ChangeLab::new();
    let level = |order: u64| if (20..30).contains(&order) { 50.0 } else { 100.0 };
    lab.measure(1..20, level).judge();
    for order in 20..30 {
        lab.measure(order..order + 1, level).judge();
    }
    let changes = lab.measure(30..45, level).judge().changes;
    let kinds: Vec<(ChangeKind, Life)> =
        changes.iter().map(|change| (change.finding.kind, change.life)).collect();
    assert_eq!(kinds, [(ChangeKind::Step, Life::Confirmed), (ChangeKind::Step, Life::Provisional)]);
    assert_eq!(changes.iter().filter(|change| is_new_regression(change)).count(), 1);
}

#[test]
fn a_dip_for_the_better_that_is_seen_at_once_is_no_loss() {
    let mut lab = ChangeLab::new();
    let level = |order: u64| if (20..30).contains(&order) { 50.0 } else { 100.0 };
    let changes = lab.measure(1..45, level).judge().changes;
    let kinds: Vec<ChangeKind> = changes.iter().map(|change| change.finding.kind).collect();
    assert_eq!(kinds, [ChangeKind::DipStart, ChangeKind::DipEnd]);
    assert!(!changes.iter().any(is_new_regression), "{changes:#?}");
}

#[test]
fn what_is_left_of_a_fixed_change_is_known() {
    let orders: RevisionOrders =
        ["a", "b", "c", "d", "e"].map(str::to_owned).into_iter().zip(1..).collect();
    let mut all = [change("slower", "a", "b", 0.2), change("back", "c", "d", -2.0 / 15.0)];
    all[0].fixed_by = Some("back".into());
    let left = |all: &mut [Change]| {
        super::super::verdict::add_left(all, &orders);
        all.iter().map(|change| change.left.map(|it| (100.0 * it).round())).collect::<Vec<_>>()
    };
    assert_eq!(left(&mut all), [Some(4.0), None]);
    let intervals = [(0.16, 0.24), (-0.16, -0.1)];
    for (change, interval) in all.iter_mut().zip(intervals) {
        change.finding.interval = Some(interval);
    }
    assert_eq!(left(&mut all), [None, None], "4 % may be chance where each is known to 3 %");
    for change in &mut all {
        change.finding.interval = None;
    }
    let [slower, back] = all;
    let mut host = change("host", "b", "c", 0.1);
    host.finding.kind = ChangeKind::Environment;
    assert_eq!(left(&mut [slower, host, back]), [None; 3], "how much of it is the host's?");
}
