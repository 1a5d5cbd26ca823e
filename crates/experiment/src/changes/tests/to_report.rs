//! Which changes are reported, and which are measured again before.

use std::collections::BTreeSet;

use super::*;

#[test]
fn a_change_is_reported_once_and_measured_again_where_it_came_with_a_run() {
    let names = |changes: &[&Change]| changes.iter().map(|it| it.name.clone()).collect();
    let none = BTreeSet::new();
    let mut lab = ChangeLab::new();
    lab.measure(1..41, step);
    let found = lab.look();
    let reported: BTreeSet<String> = names(&found.unreported(&none));
    assert_eq!(reported.len(), 1);
    assert!(found.unreported(&reported).is_empty(), "only once");
    assert!(found.to_confirm(&none).is_empty(), "one run measured both sides");

    let mut lab = ChangeLab::new();
    lab.measure(1..20, step).judge();
    lab.measure(20..41, step);
    let found = lab.look();
    let doubtful = found.to_confirm(&none);
    assert_eq!(doubtful.len(), 1);
    assert!(found.to_confirm(&names(&doubtful.iter().collect::<Vec<_>>())).is_empty());

    let other = Host { name: "other".into(), facts: BTreeMap::new() };
    let other = lab.store.put_host(&other).unwrap();
    let (here, left_out) = found.divided(doubtful.clone(), lab.host, &lab.plan);
    assert_eq!((here.as_slice(), left_out.len()), (doubtful.as_slice(), 0));
    let (here, left_out) = found.divided(doubtful, other, &lab.plan);
    assert_eq!((here.len(), left_out.len()), (0, 1));
    assert_eq!(left_out[0].1, "measured on host `lab`: confirm the change there");
}
