//! Changes measured again: those that a commit made, and those that only the past shows.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Answer, Project, steady};

/// A program that says how long it took: the level of its commit, times what a file outside the
/// repository says, with noise of up to 0.6 %: that of the next execution is another, and with the
/// same seed the same each time.
fn grown(
    project: Project,
    commits: std::ops::RangeInclusive<u32>,
    level: impl Fn(u32) -> u32,
) -> Project {
    let commit = |commit| {
        let level = level(commit);
        let script = format!(
            "read outside <\"$1\"\nread count <\"$1.count\"\necho $((count + 1)) >\"$1.count\"\n\
             noise=$((count * 7919 % 101 * 6))\n\
             echo \"took $((({level} + noise) * outside / 100))\" # {commit}\n"
        );
        (script, format!("change {commit}"))
    };
    project.commits("prog", commits.map(commit))
}

/// That program, its plan, and the file outside.
struct Ground {
    project: Project,
    outside: tempfile::TempDir,
}

impl Ground {
    fn new(commits: u32, level: impl Fn(u32) -> u32) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let plan = format!(
            "[subject]\nname = 'prog'\nartifacts = ['prog']\n[measure]\nrounds = 3\nlink = \
             0\nwarmup = false\n[[benchmark]]\nname = 'work'\ncommand = 'sh {{build}}/prog \
             {}/factor'\nmetrics = [{{ name = 'time', from = 'regex:took ([0-9]+)', unit = 'ns' \
             }}]\n",
            outside.path().display()
        );
        let project = grown(Project::repository().wide(), 1..=commits, level).plan(&plan);
        let ground = Self { project, outside };
        ground.factor(100);
        std::fs::write(ground.outside.path().join("factor.count"), "1\n").unwrap();
        ground
    }

    fn factor(&self, factor: u32) {
        std::fs::write(self.outside.path().join("factor"), format!("{factor}\n")).unwrap();
    }
}

fn step(commit: u32) -> u32 {
    if commit < 13 { 100_000 } else { 120_000 }
}

/// The only change there is, withdrawn or not.
fn change(project: &Project) -> Value {
    let listing = project.tacho("changes --all --json");
    let listing = listing.json();
    let changes = listing["events"].as_array().unwrap()[0]["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{listing}");
    changes[0].clone()
}

#[test]
fn what_a_commit_made_is_confirmed() {
    let Ground { project, outside: _outside } = Ground::new(20, step);
    project.tacho("track --quiet --seed 1").succeeds();
    let before = change(&project);
    let name = before["name"].as_str().unwrap();
    let answer = project.tacho("changes --confirm --quiet --rounds 8 --seed 2").exits(1);
    let text = steady(&answer.stdout.replace(name, "<name>"));
    assert_snapshot!(text, @r"
      name  series  in the series  again  <percent>  samples  outcome  state
      <name>  work · time  <percent>  <percent>  <percent> … <percent>  8  confirmed  new

    1 confirmed: 16 samples in <time>, run 2
    ");

    let after = change(&project);
    let again = &after["again"];
    assert_eq!((&again["samples"], &again["differs"]), (&json!(8), &json!(true)));
    assert!((again["effect"].as_f64().unwrap() - 0.2).abs() < 0.02, "{after}");
    assert_eq!((&after["life"], &after["regression"]), (&json!("confirmed"), &json!(true)));
    assert_eq!(after["points"], before["points"]);
    assert_eq!((&after["effect"], &after["interval"]), (&again["effect"], &again["interval"]));
    let of = ["effect", "interval"].map(|key| (&after["in_series"][key], &before[key]));
    assert!(of.iter().all(|(after, before)| after == before), "{after}");
    assert_eq!(before.get("in_series"), None);
    let narrow = project.command(["changes"]).env("COLUMNS", "60").output().unwrap();
    let narrow = Answer::of(&narrow).exits(1).stdout;
    assert!(narrow.contains("µs in the series  step, confirmed"), "{narrow}");
    let shown = project.tacho(&format!("changes show {name}")).succeeds().stdout;
    assert!(shown.contains("\n  levels in the series "), "{shown}");
    assert!(
        shown.contains("measured again in run 2, 8 samples on each side: the sides still differ"),
        "{shown}"
    );
    assert!(project.tacho("log").succeeds().stdout.contains("  confirm a change, "));

    let nothing = project.tacho("changes --confirm --quiet").succeeds().stdout;
    assert_snapshot!(
        nothing,
        @"nothing to confirm: no new change is left to measure again"
    );
    let more = project
        .tacho(&format!("changes --confirm {name} --rounds 6 --seed 3 --json"))
        .exits(1)
        .json();
    assert_eq!(
        (&more["confirmed"], &more["samples"], &more["run"]),
        (&json!(1), &json!(12), &json!(3))
    );
    assert_eq!(more["changes"][0]["outcome"], "confirmed");

    let mut narrow =
        project.command(["changes", "--confirm", name, "--quiet", "--rounds", "7", "--seed", "4"]);
    let told = Answer::of(&narrow.env("COLUMNS", "60").output().unwrap()).exits(1).stdout;
    assert_snapshot!(steady(&told.replace(name, "<name>")), @r"
    <name>  work · time
      <percent> in the series
      <percent> (<percent> … <percent>) measured again
      7 samples a side: confirmed; state: new

    1 confirmed: 14 samples in <time>, run 4
    ");
    assert!(told.lines().all(|line| line.chars().count() <= 60), "{told}");
}

/// A program of which one revision takes 5 % longer: in all layouts, or in the usual one only.
fn lone(in_all_layouts: bool) -> Project {
    let outside = tempfile::tempdir().unwrap().keep();
    std::fs::write(outside.join("count"), "1\n").unwrap();
    let plan = format!(
        "[subject]\nname = 'prog'\nbuild = 'echo layout=${{TACHO_LAYOUT:-usual}} > part && cat \
         part script > prog'\nartifacts = ['prog']\n[measure]\nrounds = 4\nlink = 0\nwarmup = \
         false\n[[benchmark]]\nname = 'work'\ncommand = 'sh {{build}}/prog {}/count'\nmetrics = \
         [{{ name = 'time', from = 'regex:took ([0-9]+)', unit = 'ns' }}]\n",
        outside.display()
    );
    let commit = |commit| {
        let slow = if commit == 6 { 5000 } else { 0 };
        let script = format!(
            "read count <\"$1\"\necho $((count + 1)) >\"$1\"\nslow={slow}\n\
             [ $layout = usual ] || slow=$((slow * {}))\n\
             echo \"took $((100000 + slow + count * 7919 % 101 * 6))\" # {commit}\n",
            u32::from(in_all_layouts)
        );
        (script, format!("change {commit}"))
    };
    Project::repository().commits("script", (1..=10).map(commit)).plan(&plan)
}

#[test]
fn one_build_that_differs_is_its_layout_or_its_commit() {
    if !["mold", "ld.lld"].into_iter().any(crate::layouts::has) {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    for (in_all_layouts, outcome) in [(false, "not-reproduced"), (true, "confirmed")] {
        let project = lone(in_all_layouts);
        project.tacho("track --quiet --seed 1").succeeds();
        let found = project.tacho("changes --json").json();
        let kinds = |listing: &Value| -> Vec<Value> {
            let events = listing["events"].as_array().unwrap().iter();
            let changes = events.flat_map(|event| event["changes"].as_array().unwrap().clone());
            changes.map(|change| change["kind"].clone()).collect()
        };
        assert_eq!(kinds(&found), ["build", "build"], "{found}");
        let answer = project.tacho("changes --confirm --quiet --rounds 6 --seed 2 --json");
        let answer = answer.json();
        for change in answer["changes"].as_array().unwrap() {
            assert_eq!(change["outcome"], outcome, "{answer}");
            assert_eq!(change["how"], "each side in 5 layouts");
            assert_eq!(change["change"]["again"]["layouts"], 5);
        }
        let after = project.tacho("changes --json").json();
        let settled: &[&str] = if in_all_layouts { &["step", "step"] } else { &[] };
        assert_eq!(kinds(&after), settled, "{after}");
        assert_eq!(after["regressions"], 0, "it is over with the next commit");
        let again = project.tacho("changes --confirm --quiet").succeeds().stdout;
        assert!(again.starts_with("nothing to confirm"), "{again}");
    }
}

#[test]
fn what_only_the_past_shows_is_withdrawn() {
    let ground = Ground::new(12, |_| 100_000);
    ground.project.tacho("track --quiet --seed 1").succeeds();
    ground.factor(120);
    let Ground { project, outside: _outside } = ground;
    let project = grown(project, 13..=20, |_| 100_000);
    project.tacho("track --quiet --seed 1").succeeds();
    project.tacho("changes").exits(1);
    let name = change(&project)["name"].as_str().unwrap().to_owned();
    let answer = project.tacho("changes --confirm --quiet --rounds 8 --seed 2").exits(0);
    assert_snapshot!(steady(&answer.stdout.replace(&name, "<name>")), @r"
      name  series  in the series  again  <percent>  samples  outcome  state
      <name>  work · time  <percent>  <percent>  <percent> … <percent>  8  not reproduced  withdrawn: at most a quarter of the difference was found again

    1 not reproduced: 16 samples in <time>, run 3
    ");
    assert_snapshot!(project.tacho("changes").succeeds().stdout, @"no changes in 1 series");

    // As clear as ever in what comes later, and told no more.
    let project = grown(project, 21..=26, |_| 100_000);
    project.tacho("track --quiet --seed 1").succeeds();
    project.tacho("changes").succeeds();
    let withdrawn = change(&project);
    assert_eq!(
        (&withdrawn["name"], &withdrawn["withdrawn"]),
        (&json!(name), &json!("not-reproduced"))
    );
    let all = project.tacho("changes --all").succeeds().stdout;
    let why = "withdrawn: at most a quarter of the difference was found again";
    assert!(all.contains(why), "{all}");
}

#[test]
fn listing_takes_the_same_options() {
    let list = Project::empty().tacho("changes list --help").succeeds().stdout;
    for option in ["--confirm", "--rounds", "--from"] {
        assert!(list.contains(option), "{list}");
    }
    let none = Project::empty().file("numbers", "[1, 2, 3]");
    none.tacho("changes list --from numbers").succeeds();
    assert!(
        none.tacho("changes list --confirm").exits(2).stderr.starts_with("error: there is no plan")
    );
}

#[test]
fn what_cannot_be_measured_again_says_why() {
    let Ground { project, outside: _outside } = Ground::new(20, step);
    project.tacho("track --quiet --seed 1").succeeds();
    let name = change(&project)["name"].as_str().unwrap().to_owned();
    assert_snapshot!(project.tacho("changes --confirm nosuch").exits(2).stderr, @r"
    error: unknown change `nosuch`
    hint: `tacho changes --all` lists all of them
    ");
    let few = project.tacho("changes --confirm --rounds 4").exits(2).stderr;
    assert_snapshot!(few, @r"
    error: `--rounds` cannot be `4`
    hint: write a whole number from 5 to 10000
    ");
    let alone = project.tacho("changes --rounds 9").exits(2).stderr;
    assert_snapshot!(alone.lines().nth(1).unwrap().trim(), @"--confirm [<NAME>...]");
    // Nobody has the builds any more, and the recipe no longer makes them.
    std::fs::remove_dir_all(project.cache()).unwrap();
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let project =
        project.file("tacho.toml", &plan.replace("artifacts =", "build = 'true'\nartifacts ="));
    let answer = project.tacho("changes --confirm --quiet").exits(2);
    assert_snapshot!(answer.stdout.replace(&name, "<name>"), @r"
    not measured: <name>  work · time (this host has no build of a17f8aa546 by the present plan: `tacho compare a17f8aa546 e7956e3f36` builds and compares both)

    1 not measured
    ");
}
