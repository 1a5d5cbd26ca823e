//! What merges changed is accounted for: by their commits, by the merge itself, and within one
//! allowance.

use insta::assert_snapshot;

use crate::bisect::id;
use crate::bisect_merges::{made, named, told};
use crate::harness::Project;

/// A branch whose second commit changes it by half, and the main line.
const BRANCH: &str = "m1; tag good; on br; b1; b2 b=150; b3; on main; m2";

/// Merges the branch in that way, and then changes a file; the end of the range.
fn merged(steps: &str, how: &[&str], (file, text): (&str, &str)) -> Project {
    let project = made(steps);
    let merge = [&["merge", "--quiet", "--no-ff", "--no-commit"], how, &["br"]].concat();
    let mut command = std::process::Command::new("git");
    command.current_dir(project.path()).args(merge).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_COMMITTER_NAME", "A. Author").env("GIT_COMMITTER_EMAIL", "a@example.org");
    assert!(command.status().unwrap().success());
    project.file(file, text).commit("bring").tag("bad")
}

#[test]
fn a_merge_that_takes_back_what_it_brought_is_named_beside_it() {
    let project = merged(BRANCH, &["-s", "ours"], ("a", "112"));
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0);
    // How much is measured depends on what a build takes.
    let pairs = regex::Regex::new("in [0-9]+ fresh pairs?").unwrap();
    let out = pairs.replace_all(&told(&answer.stdout), "in N fresh pairs").into_owned();
    assert_snapshot!(out.split("\n\nrevision ").next().unwrap(), @r"
    0da4fa5937 2023-11-15 b2
      by A. Author
      changed work of `work` by +50.0 %
      over 99.9 % likely; verified in N fresh pairs, compared with 0356fb6275

    e8df7926a4 2023-11-15 bring
      by A. Author
      the merge itself, compared with its commits merged one after the other
      changed work of `work` by −25.3 %
      over 99.9 % likely; verified in N fresh pairs, compared with b4ca8e0349

    after dba21a94de, up to 0356fb6275: nothing else changed by 2 % or more
    after 0da4fa5937, up to b4ca8e0349: nothing else changed by 2 % or more

    inside the merge e8df7926a4 (bring), which has an effect of +12.0 % in bisection NAME
    each commit that e8df7926a4 brought is merged into dba21a94de, and the result is measured
    the whole merge, with all commits it brought: +12.0 %
    ");
    let short = &id(&project, "HEAD")[..10];
    let why = format!(
        "note: the commits of merge {short} explain only a part of its effect: the merge itself \
         made the rest\n"
    );
    assert!(answer.stderr.ends_with(&why), "{}", answer.stderr);
    let again = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert_eq!(named(&again), ["b2", "bring"]);
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(markdown.contains("the merge itself, compared with its commits"), "{markdown}");
}

#[test]
fn where_a_conflict_was_resolved_otherwise_the_merge_is_in_the_set() {
    let steps = "m1; tag good; on br; b1; b2 b=150; b3 c=2; on main; m2 c=9";
    let project = merged(steps, &["-X", "ours"], ("b", "112"));
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0);
    let out = &answer.stdout;
    assert!(out.contains(" b2\n  by A. Author\n  changed work of `work` by +50.0 %\n"), "{out}");
    let set = " bring\n  by A. Author\n  or the commit before it that could not be measured\n  \
        the merge itself, \
        compared with";
    assert!(out.contains(set) && out.contains("  changed work of `work` by −25.3 %\n"), "{out}");
    assert!(!out.contains("--retry-failed"), "a conflict stays one: {out}");
}

#[test]
fn what_goes_the_other_way_is_told_with_all_that_makes_it_up() {
    let steps = "m1; tag good; on br; b1; b2-better b=50; b3; b4-worse b=130; b5; on main; m2";
    let project = merged(steps, &[], ("id-bring", "it"));
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    let mut all = named(&json);
    all.sort_unstable();
    assert_eq!(all, ["b2-better", "b4-worse"]);
}

/// Both merges become slower, the second by its second commit; the first by a merge inside of it,
/// too.
const TWO: &str = "tag good; m1; on br; b1; b2 b=112; on main; m2; merge bring br; m3; on other; \
    o1; o2 a=130; on main; m4; merge carry other; m5; m6; tag bad";

#[test]
fn each_of_several_merges_is_gone_into() {
    let project = made(TWO);
    let answer = project.tacho("bisect good bad --into-merges --all --quiet").exits(0);
    assert_snapshot!(answer.stderr, @r"
    note: f6afdbf70a is a merge: searching its commits
    note: 25f27cac59 is a merge: searching its commits
    ");
    let out = told(&answer.stdout);
    for subject in [" bring\n", " carry\n", " b2\n", " o2\n"] {
        assert!(out.contains(subject), "{subject}: {out}");
    }
    let json = project.tacho("bisect good bad --into-merges --all --json").exits(0).json();
    let inside = json["inside"].as_array().unwrap();
    let mut all: Vec<_> = inside.iter().flat_map(named).collect();
    all.sort_unstable();
    assert_eq!(all, ["b2", "o2"]);
    let markdown = project.tacho("bisect good bad --into-merges --all --markdown").exits(0).stdout;
    assert!(markdown.contains(" b2**\n") && markdown.contains(" o2**\n"), "{markdown}");
}

#[test]
fn what_the_outer_range_leaves_is_told_in_the_end() {
    let project = made(TWO);
    let answer = project.tacho("bisect good bad --into-merges --quiet").exits(0);
    let out = told(&answer.stdout);
    assert_snapshot!(out, @r"
    02c7abdf59 2023-11-15 o2
      by A. Author
      changed work of `work` by +30.0 %
      over 99.9 % likely; verified in 1 fresh pair, compared with adb980ee71

    inside the merge f6afdbf70a (carry), which has an effect of +30.0 % in bisection NAME
    each commit that f6afdbf70a brought is merged into 66d880d559, and the result is measured
    whole range good..bad: +45.6 %; +12.0 % is not explained by the named commits, so something else changed too
    hint: `--all` searches for the rest
    the whole merge, with all commits it brought: +30.0 %

    revision    date        samples   work
    66d880d559  2023-11-15        2  11200
    adb980ee71  2023-11-15        2  11200
    02c7abdf59  2023-11-15        3  14560     ←
        and the commit after it, the same program

    bisect once more, with fresh samples:
      tacho bisect good bad --benchmark work --metric work --min-effect 2% \
        --into-merges --again
    ");
    let json = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    assert_eq!(json["asked"]["within"][0]["left"]["said"], "more", "{json}");
}

#[test]
fn what_may_be_spent_is_for_all_of_a_call() {
    let project = made(TWO);
    let whole = project.tacho("bisect good bad --into-merges --json").exits(0).json();
    let builds = |of: &serde_json::Value| of["builds"].as_u64().unwrap();
    let (outer, inner) = (builds(&whole["asked"]["spent"]), builds(&whole["standing"]));
    assert!(outer > 2 && inner > 0, "{whole}");
    let project = made(TWO);
    let most = outer + inner - 1;
    let spent = project
        .tacho(&format!("bisect good bad --into-merges --max-builds {most} --json"))
        .exits(4)
        .json();
    assert_eq!(spent["standing"]["found"]["reason"], "budget");
    assert_eq!(builds(&spent["asked"]["spent"]) + builds(&spent["standing"]), most);
    let command = format!("bisect good bad --into-merges --max-builds {}", most + 1);
    let goes_on = project.tacho(&format!("{command} --quiet")).exits(0).stdout;
    let repeats = format!(" --max-builds {} --into-merges --again\n", most + 1);
    assert!(goes_on.ends_with(&repeats), "{goes_on}");
    let all = format!(" (the whole search: {} builds and ", most + 1);
    assert!(goes_on.contains(&all), "{goes_on}");
}

#[test]
fn of_ends_that_are_exchanged_the_better_one_is_told() {
    let project = made("m1; tag good; on br; b1; b2 b=112; on main; m2; merge bring br; tag bad");
    let out = project.tacho("bisect bad good --into-merges --quiet").exits(0).stdout;
    let told = "\nwhole range good..bad: +12.0 %; the better end is good\n";
    assert!(out.contains(" b2\n") && out.contains(told), "{out}");
}
