//! What lists, evidence and pages say of the same change, and what no series shows.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Project, SCRIPT_PLAN, WORK, noise};

const PLAN: &str = "[subject]\nname = 'prog'\nartifacts = ['prog']\n";

/// The program of a commit: a step of 20 % with commit 17. Commits 5 and 6 have the program of
/// commit 4, and commits 10 and 16 take back what was between them and the program of commit 8.
fn program(commit: u32) -> String {
    let like = match commit {
        5 | 6 => 4,
        10 | 16 => 8,
        other => other,
    };
    let level = if like < 17 { 100.0 } else { 120.0 };
    format!("echo work {:.4}\n", level * noise(like))
}

fn only_change(listing: &Value) -> &Value {
    let all: Vec<&Value> = (listing["events"].as_array().unwrap().iter())
        .flat_map(|event| event["changes"].as_array().unwrap())
        .collect();
    let [change] = all.as_slice() else { panic!("{listing}") };
    change
}

#[test]
fn list_evidence_and_page_of_a_change_agree() {
    let commits = (1..=28).map(|commit| (program(commit), format!("change {commit}")));
    let project = Project::repository().commits("prog", commits).plan(&format!("{PLAN}{WORK}"));
    project.tacho("track --quiet").exits(0);
    let listing = project.tacho("changes --json").json();
    let change = only_change(&listing);
    let name = change["name"].as_str().unwrap();
    let shown = project.tacho(&format!("changes show {name} --json")).exits(0).json();
    let shown = &shown["changes"][0];
    assert_eq!((&shown["change"]["before"], &shown["change"]["after"]), {
        (&change["before"], &change["after"])
    });
    // Each build is measured once, in two rounds, however many commits have it.
    let builds = |commits: std::ops::RangeInclusive<u32>| -> BTreeSet<String> {
        commits.map(program).collect()
    };
    let samples = [1..=16, 17..=28].map(|side| 2 * builds(side).len());
    let counted = [0, 1].map(|side| shown["sides"][side]["values"].as_array().unwrap().len());
    assert_eq!(counted, samples, "{shown}");
    let text = project.tacho(&format!("changes show {name}")).exits(0).stdout;
    let (before, after) = text.lines().nth(1).unwrap().split_once(" → ").unwrap();
    let before = before.trim().strip_prefix("levels ").unwrap();
    project.tacho("site pages --quiet").exits(0);
    let page = |file: &str| std::fs::read_to_string(project.path().join(file)).unwrap();
    let file = std::fs::read_dir(project.path().join("pages/change")).unwrap().next().unwrap();
    let page_of_change = page(&format!("pages/change/{}", file.unwrap().file_name().display()));
    for told in [
        format!("<dt>Level before</dt><dd>{before}</dd>"),
        format!("<dt>Level after</dt><dd>{after}</dd>"),
        format!("{} samples before, {} after.", samples[0], samples[1]),
    ] {
        assert!(page_of_change.contains(&told), "{told}: {page_of_change}");
    }
    assert_eq!(listing["judged"], 1);
    assert!(page("pages/changes.html").contains("1 change at 1 place in 1 series"));
}

/// The series has no value at the commit at first, and then shows the change itself.
#[test]
fn a_commit_that_a_bisection_named_is_listed_until_a_change_shows_it() {
    let commits = (1..=28).map(|commit| (program(commit), format!("change {commit}")));
    let project = Project::repository().commits("prog", commits).plan(&format!("{PLAN}{WORK}"));
    project.tacho("track --quiet HEAD~27..HEAD~14").exits(0);
    project.tacho("bisect HEAD~27 HEAD --seed 1").exits(0);
    let named = project.git(["rev-parse", "HEAD~11"])[..10].to_owned();
    let told = project.tacho("changes").stdout;
    assert!(told.starts_with("no changes in 1 series\n"), "{told}");
    assert!(told.contains(&format!(": named {named} (work of `work`)")), "{told}");
    project.tacho("site pages --quiet").exits(0);
    let overview = std::fs::read_to_string(project.path().join("pages/index.html")).unwrap();
    let (_, changed) = overview.split_once("What changed").unwrap();
    let (changed, _) = changed.split_once("<h2>Bisections").unwrap();
    assert!(changed.contains(&named) && changed.contains("+20"), "{changed}");
    project.tacho("track --quiet").exits(0);
    let listing = project.tacho("changes --json").json();
    assert_eq!(listing["bisections"], json!([]), "{listing}");
    assert_eq!(only_change(&listing)["revision"].as_str().unwrap()[..10], named);
}

/// A commit with the program of the last one that is surely before cannot be the culprit, though
/// another program is between both.
#[test]
fn a_commit_that_takes_all_back_is_no_suspect() {
    let commits = (1..=28).map(|commit| (program(commit), format!("change {commit}")));
    let project = Project::repository().commits("prog", commits).plan(&format!("{PLAN}{WORK}"));
    project.tacho("track --quiet").exits(0);
    let change = only_change(&project.tacho("changes --json").json()).clone();
    let good = project.git(["rev-parse", "HEAD~12"]).trim().to_owned();
    assert_eq!(change["good"], json!(good), "the commit that takes back: {change}");
}

/// Two commits between both sides were built and are one program, and so is the one between them:
/// whatever says where the change is leaves them out.
#[test]
fn commits_of_the_same_program_are_left_out_of_suspects_everywhere() {
    let like = |commit: u32| if (18..=19).contains(&commit) { 17 } else { commit };
    let commit = |commit| (program(like(commit)), format!("change {commit}"));
    let project =
        Project::repository().commits("prog", (1..=28).map(commit)).plan(&format!("{PLAN}{WORK}"));
    project.tacho("track --quiet HEAD~27..HEAD~14").exits(0);
    project.tacho("track --quiet HEAD~8..HEAD").exits(0);
    let before = project.tacho("changes").stdout;
    assert!(before.contains("one of 6 commits after"), "{before}");
    let said = project.tacho("compare HEAD~11 HEAD~9");
    assert!((said.stdout.clone() + &said.stderr).contains("the same artifacts"), "{}", said.stderr);
    let place = "(2 more gave the same program as the one before)";
    let listing = project.tacho("changes --json").json();
    let event = &listing["events"][0];
    assert_eq!((&event["commits"], &event["same_program"]), (&json!(4), &json!(2)));
    let full = |name: &str| project.git(["rev-parse", name]).trim().to_owned();
    let first = full("HEAD~8");
    let change = only_change(&listing);
    assert_eq!(change["same_program"], json!([full("HEAD~9"), full("HEAD~10")]));
    assert_eq!((&change["revision"], &event["revision"]["id"]), (&json!(first), &json!(first)));
    let list = project.tacho("changes").stdout;
    assert!(list.starts_with(&first[..10]) && list.contains("one of 4 commits"), "{list}");
    let evidence = project.tacho(&format!("changes show {}", change["name"].as_str().unwrap()));
    let evidence = evidence.exits(0).stdout;
    for text in [&list, &evidence] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(place), "{text}");
    }
    assert!(!evidence.contains("change 18") && evidence.contains("change 17"), "{evidence}");
    let table = project.tacho("show").exits(0).stdout;
    let marked: Vec<&str> = table.lines().filter(|line| line.contains(" worse")).collect();
    assert!(matches!(marked[..], [row] if row.contains(&first[..10])), "{table}");
    project.tacho("site pages --quiet").exits(0);
    let page = std::fs::read_to_string(project.path().join("pages/changes.html")).unwrap();
    assert!(page.contains(place), "{page}");
}

#[test]
fn what_bisections_of_answers_found_is_named_beside_series() {
    let answer = |commit: u32| if commit < 6 { "answer" } else { "wrong" };
    let commit =
        |commit| (format!("echo {} # {commit}\n", answer(commit)), format!("change {commit}"));
    let project = Project::repository().commits("prog", (1..=8).map(commit)).plan(SCRIPT_PLAN);
    let mut bisect = project.command(["bisect", "HEAD~7", "HEAD", "--seed", "1", "--test"]);
    bisect.arg("sh {build}/prog | grep -q answer");
    assert!(bisect.output().unwrap().status.success());
    let bad = project.git(["rev-parse", "HEAD~2"])[..10].to_owned();
    let shown = project.tacho("show HEAD").exits(0).stdout;
    assert!(!shown.contains("\ntest\n"), "no table of a benchmark `test`: {shown}");
    project.tacho("track").exits(0);
    let told = project.tacho("changes").stdout;
    assert!(told.contains(&format!(": named {bad} (how often `sh {{build}}/prog")), "{told}");
    let listing = project.tacho("changes --json").json();
    assert_eq!(listing["bisections"][0]["found"], json!(format!("named {bad}")), "{listing}");

    let plan = format!("{SCRIPT_PLAN}expect = {{ stdout = \"same\" }}\n");
    let project = project.plan(&plan);
    let bisect = project.tacho("bisect HEAD~7 HEAD --seed 1 --budget 5s --max-builds 20");
    let wrong = format!("from {bad} on the answer is wrong");
    let whose = &project.git(["rev-parse", "HEAD~7"])[..10];
    let both = format!(r#"(expected "answer", got "wrong"; {whose} printed the expected one)"#);
    assert!(bisect.stderr.contains(&format!("{wrong} {both}")), "{}", bisect.stderr);
    let told = project.tacho("changes").stdout.replace("\n    ", " ");
    assert!(told.contains(&wrong), "{told}");
    project.tacho("site pages --quiet").exits(0);
    let overview = std::fs::read_to_string(project.path().join("pages/index.html")).unwrap();
    let (_, changed) = overview.split_once("What changed").unwrap();
    let (changed, _) = changed.split_once("<h2>Bisections").unwrap();
    assert!(changed.contains("on the answer is wrong"), "{changed}");
}
