//! Changes that come with something else than the program.

use super::*;

#[test]
fn a_change_with_the_kernel_is_called_that() {
    let mut lab = ChangeLab::new();
    lab.measure(1..20, step).kernel = "6.2";
    let change = lab.measure(20..41, step).only();
    assert_eq!(change.finding.kind, ChangeKind::Environment);
    let tags = &change.finding.environment;
    assert_eq!(
        (tags[0].tag.as_str(), tags[0].before.as_str(), tags[0].after.as_str()),
        ("kernel", "6.1", "6.2")
    );
    assert!(!is_new_regression(&change), "it need not be the program");
}

#[test]
fn a_change_where_a_quirk_begins_is_called_that() {
    let mut lab = ChangeLab::new();
    lab.measure(1..20, step).quirks = vec!["libc".into()];
    let change = lab.measure(20..41, step).only();
    assert_eq!(change.finding.kind, ChangeKind::Environment);
    let reported: Vec<String> =
        change.finding.environment.iter().map(TagChange::described).collect();
    assert_eq!(reported, ["the quirk `libc` begins here"]);
    assert!(!is_new_regression(&change));
}

#[test]
fn a_change_with_the_compiler_of_the_builds_is_called_that() {
    let mut lab = ChangeLab::new();
    let cc = |version: &str| BTreeMap::from([("cc".to_owned(), version.to_owned())]);
    lab.tools = cc("cc 12.2.0");
    lab.measure(1..20, step).tools = cc("cc 13.1.0");
    let change = lab.measure(20..41, step).only();
    assert_eq!(change.finding.kind, ChangeKind::Environment);
    let reported: Vec<String> =
        change.finding.environment.iter().map(TagChange::described).collect();
    assert_eq!(reported, ["the compiler cc changed here too: cc 12.2.0, then cc 13.1.0"]);
    assert!(!is_new_regression(&change));
}

#[test]
fn a_compiler_that_is_not_known_is_no_other() {
    let mut lab = ChangeLab::new();
    lab.measure(1..20, step).tools = BTreeMap::from([("cc".to_owned(), "cc 13.1.0".to_owned())]);
    assert_eq!(lab.measure(20..41, step).only().finding.kind, ChangeKind::Step);
}

#[test]
fn a_change_elsewhere_than_a_quirk_begins_is_the_programs() {
    let mut lab = ChangeLab::new();
    lab.measure(1..10, step).quirks = vec!["libc".into()];
    let change = lab.measure(10..41, step).only();
    assert_eq!((change.finding.kind, change.finding.revision.as_str()), (ChangeKind::Step, "r20"));
    assert_eq!(change.finding.environment, []);
}

#[test]
fn a_build_recipe_that_was_edited_and_restored_marks_nothing() {
    let mut lab = ChangeLab::new();
    lab.measure(1..11, |_| 100.0);
    let before = lab.plan.subject.build.replace("make CFLAGS=-O0".to_owned());
    lab.program = "slow";
    let change = lab.measure(8..11, |_| 125.0).only();
    assert_eq!(change.finding.kind_words(), "build recipe");
    lab.plan.subject.build = before;
    let after = lab.only();
    assert_eq!(after.life, Life::Withdrawn { why: Withdrawal::OtherRecipe });
    assert_eq!(after.finding.environment, change.finding.environment, "as it came");
    assert_eq!(lab.story(&after.name), ["found", "withdrawn"]);
}
