//! What a bisection tells of ends that are alike.

use crate::bisect::PLAN;
use crate::harness::Project;

/// So many commits without paths that matter; those in this range are slower, and all others are the same program.
fn there_and_back(commits: u32, slower: std::ops::Range<u32>) -> Project {
    let plan = PLAN.replace("paths = [\"prog\", \"Makefile\"]\n", "");
    let commit = |project: Project, n: u32| {
        let work = if slower.contains(&n) { 150 } else { 100 };
        project.file("prog", &format!("echo work {work}\n")).commit(&format!("change {n}"))
    };
    (0..commits).fold(Project::repository(), commit).plan(&plan)
}

#[test]
fn all_changes_are_looked_for_between_ends_that_are_the_same_program() {
    let project = there_and_back(24, 8..15);
    let said = project.tacho("bisect HEAD~23 HEAD --quiet").exits(3).stdout;
    assert!(said.contains("\n  both built to the same artifacts: they are the same program\n"), "{said}");
    let said = project.tacho("bisect HEAD~23 HEAD --all --quiet").exits(0).stdout;
    assert!(said.contains(" change 8\n") && said.contains(" change 15\n"), "{said}");
    let project = there_and_back(24, 0..0);
    let said = project.tacho("bisect HEAD~23 HEAD --all --quiet").exits(3).stdout;
    assert!(
        said.contains(
            "  both built to the same artifacts: they are the same program\n  so did all that were built in between; \
             what came and went again within 3 commits would not be seen\n"
        ),
        "{said}"
    );
}
