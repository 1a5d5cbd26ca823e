//! Few builds of a long history: `tacho track` with `--builds`, `--budget` and `--zoom`.

use insta::assert_snapshot;

use crate::harness::Project;

/// Says what it costs, so that nothing depends on how fast this machine is.
const PLAN: &str = r#"
[subject]
build = "! grep -q broken prog"
artifacts = ["prog"]

[measure]
rounds = 3

[[benchmark]]
name = "answer"
command = "sh {build}/prog"
metrics = [{ name = "cost", from = "regex:cost ([0-9]+)", better = "lower" }]
"#;

/// Sixty commits: the cost rises with the 23rd and falls with the 48th.
fn history() -> Project {
    let cost = |n: u32| {
        if n < 23 {
            100
        } else if n < 48 {
            130
        } else {
            110
        }
    };
    let commit = |n: u32| {
        let broken = if (40..44).contains(&n) { " broken" } else { "" };
        (format!("echo cost {} # revision {n}{broken}\n", cost(n)), format!("change {n}"))
    };
    Project::repository().commits("prog", (1..=60).map(commit)).plan(PLAN)
}

fn places(answer: &serde_json::Value) -> Vec<String> {
    let places = answer["survey"]["series"][0]["places"].as_array().unwrap();
    places
        .iter()
        .map(|place| format!("{} {}", place["commits"], place["known"].as_str().unwrap()))
        .collect()
}

/// The names of the changes that `tacho changes` tells, the newest first.
fn names(project: &Project) -> Vec<String> {
    let changes = project.tacho("changes --json").json();
    let all = changes["events"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|event| event["changes"].as_array().unwrap());
    all.map(|change| change["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn changes_of_another_metric_are_looked_for() {
    let commit = |n: u32| {
        let size = if n < 10 { 50 } else { 80 };
        (format!("echo cost 100 size {size} '# {n}'\n"), format!("change {n}"))
    };
    let size = r#"{ name = "size", from = "regex:size ([0-9]+)", better = "lower" }"#;
    let plan = PLAN.replace(" }]", &format!(" }}, {size}]"));
    let project = Project::repository().commits("prog", (1..=20).map(commit)).plan(&plan);
    for (metric, found) in [("cost", 0), ("size", 1)] {
        let answer =
            project.tacho(&format!("track --builds 20 -m {metric} --json")).exits(0).json();
        assert_eq!(answer["survey"]["series"][0]["metric"], metric, "{answer}");
        assert_eq!(places(&answer).len(), found, "{answer}");
    }
}

#[test]
fn every_change_is_pinned_by_few_builds() {
    let project = history();
    let answer = project.tacho("track --builds 30 --seed 1").exits(0);
    let end: Vec<&str> = answer.stdout.lines().rev().take(7).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    let names = names(&project);
    let end = names.iter().fold(end.join("\n"), |end, name| end.replace(name, "<name>"));
    assert_snapshot!(end, @r"
    answer · cost: 2 changes of 5.0 % or more
       change  95 %                       name    where
      +30.0 %  +29.9 % … +30.1 %  worse   <name>  38d490fb22 change 23
      −15.4 %  −15.4 % … −15.3 %  better  <name>  3cc8c76a0c change 48
      a change that came and went within 8 commits would not be seen

    built 14 of 60 revisions: no further change of the level was found
    ");
    let again = project.tacho("track --builds 30 --json").exits(0).json();
    assert_eq!((&again["samples"], &again["survey"]["ended"]), (&0.into(), &"known".into()));
    assert_eq!(places(&again), ["1 pinned", "1 pinned"]);
    let series = &again["survey"]["series"][0];
    let told = |place: usize| series["places"][place]["change"].as_str().unwrap().to_owned();
    assert_eq!(vec![told(1), told(0)], names);
}

#[test]
fn a_range_has_the_name_of_its_change_and_is_zoomed_into() {
    let project = history();
    let answer = project.tacho("track --builds 5 --seed 1").exits(0).stdout;
    let names = names(&project);
    assert!(names.iter().all(|name| answer.contains(name)), "{answer}");
    let json = project.tacho("track --builds 5 --json").exits(0).json();
    let series = &json["survey"]["series"][0];
    for place in series["places"].as_array().unwrap() {
        let name = place["change"].as_str().unwrap();
        assert!(names.iter().any(|other| other == name), "{json}");
        assert_eq!(place["why_not"], serde_json::Value::Null, "{json}");
    }
    // Each of these ranges can be looked into all the same.
    let place = &series["places"][0];
    let range = format!("{}..{}", place["good"].as_str().unwrap(), place["bad"].as_str().unwrap());
    let zoomed = project.tacho(&format!("track --zoom {range} --json")).exits(0).json();
    assert_eq!(places(&zoomed), ["1 pinned"]);
    let found = &zoomed["survey"]["series"][0]["places"][0];
    assert_eq!(found["bad"].as_str().unwrap(), project.git(["rev-parse", "HEAD~37"]).trim());
    let dry = |range: &str| project.tacho(&format!("track --dry-run --zoom {range}"));
    let said = dry("HEAD~40..HEAD~30").succeeds().stdout;
    assert!(said.contains("10\n  revisions apart"), "{said}");
    assert_snapshot!(dry("HEAD~30..HEAD~40").exits(2).stderr, @r"
    error: `9820a155cd..6d7de12381` has no commits: `6d7de12381` does not come after `9820a155cd`
    hint: did you mean `6d7de12381..9820a155cd`?
    ");
    assert!(dry("HEAD~30..nowhere").exits(2).stderr.contains("`nowhere`"));
}

#[test]
fn too_few_builds_leave_a_range_and_more_go_on_from_there() {
    let project = history();
    let few = project.tacho("track --builds 6 --json").json();
    assert_eq!((&few["survey"]["builds"], &few["survey"]["ended"]), (&6.into(), &"builds".into()));
    assert!(places(&few).iter().any(|place| place.ends_with("range")), "{:?}", places(&few));
    let more = project.tacho("track --builds 40 --json").json();
    assert_eq!(places(&more), ["1 pinned", "1 pinned"]);
    assert!(more["survey"]["builds"].as_u64().unwrap() < 25, "{}", more["survey"]);
}

#[test]
fn a_short_range_is_built_whole_unless_builds_are_limited() {
    let project = history();
    let builds = |options: &str| {
        let command = format!("track {options} HEAD~9.. --json");
        project.tacho(&command).exits(0).json()["survey"]["builds"].as_u64().unwrap()
    };
    assert!(builds("--builds 5") <= 5);
    assert_eq!(builds("--budget 1h"), 10);
}

#[test]
fn a_budget_of_a_range_ends_building_too() {
    let project = history();
    let spent = project.tacho("track --budget 1ms --json").json();
    let built = &spent["survey"]["builds"];
    assert_eq!(
        (built, &spent["survey"]["ended"]),
        (&2.into(), &"budget".into()),
        "both ends, since what began is ended"
    );
    let again = project.tacho("track --budget 1ms --json").json();
    assert_eq!(again["samples"], 0, "spent stays spent");
    let enough = project.tacho("track --budget 1h --json").json();
    assert_eq!(
        (places(&enough), &enough["survey"]["ended"]),
        (vec!["1 pinned".into(), "1 pinned".into()], &"known".into())
    );
}

#[test]
fn what_was_measured_before_gets_no_more_rounds_of_few_builds() {
    let project = history();
    project.tacho("track HEAD~3..HEAD").exits(0);
    let told = project.tacho("track --budget 1h --rounds 5 HEAD~3..HEAD").exits(0).stderr;
    let note = "note: 4 revisions keep fewer than 5 samples: with `--budget` or `--builds`, \
                `--rounds` applies only to newly measured revisions\n\
                hint: without `--budget` and `--builds`, each revision gets all rounds\n";
    assert!(told.contains(note), "{told}");
    let as_many = project.tacho("track --budget 1h --rounds 3 HEAD~3..HEAD").exits(0).stderr;
    assert!(!as_many.contains("newly measured"), "{as_many}");
}

#[test]
fn a_change_that_is_known_is_zoomed_into() {
    let project = history();
    project.tacho("track --every 3commits").exits(0);
    let changes = project.tacho("changes --json").json();
    let name = changes["events"][0]["changes"][0]["name"].as_str().unwrap().to_owned();
    let zoomed = project.tacho(&format!("track --zoom {name} --json")).exits(0).json();
    assert_eq!(places(&zoomed), ["1 pinned"]);
    assert!(zoomed["survey"]["builds"].as_u64().unwrap() <= 5, "{}", zoomed["survey"]);
    let now = project.tacho("changes --json").json();
    let has_it = |event: &&serde_json::Value| {
        event["changes"].as_array().unwrap().iter().any(|change| change["name"] == name.as_str())
    };
    let event = now["events"].as_array().unwrap().iter().find(has_it);
    assert_eq!(
        event.map(|event| &event["commits"]),
        Some(&1.into()),
        "the same change, pinned: {now}"
    );
    assert_snapshot!(project.tacho("track --zoom nothing").exits(2).stderr, @r"
    error: unknown change `nothing`
    hint: `tacho changes --all` lists all of them
    ");
}

#[test]
fn a_zoom_tells_of_its_range_alone() {
    let project = history();
    project.tacho("track --builds 30 --seed 1").exits(0);
    let zoom = "track --zoom HEAD~30..HEAD~22";
    let told = project.tacho(zoom).exits(0).stdout;
    let short = |name: &str| project.git(["rev-parse", "--short=10", name]).trim().to_owned();
    let range = format!("{}..{}", short("HEAD~30"), short("HEAD~22"));
    assert!(
        told.contains(&format!(
            "\nanswer · cost in {range}: no change of 5.0 % or more was seen\n"
        )),
        "{told}"
    );
    let json = project.tacho(&format!("{zoom} --json")).exits(0).json();
    let points = json["series"][0]["points"].as_array().unwrap();
    let listed: Vec<&str> =
        points.iter().map(|point| point["revision"].as_str().unwrap()).collect();
    let all = project.git(["rev-list", "--first-parent", "HEAD~31..HEAD~22"]);
    assert!(listed.len() > 1 && listed.iter().all(|id| all.contains(id)), "{listed:?} of {all}");
    assert_eq!(names(&project).len(), 2);
}

#[test]
fn what_is_not_measured_is_not_called_measured() {
    let project = history();
    let again = |track: &str| {
        project.tacho(track).exits(0);
        project.tacho(track).exits(0).stdout
    };
    let told = again("track HEAD~1..");
    assert!(told.contains("\nnothing was missing: all rounds are executed\n"), "{told}");
    let told = again("track --builds 2 HEAD~20..");
    assert!(told.contains("build failed"), "{told}");
    assert!(
        told.contains(
            "\nnothing was left to measure: 1 build failed, and all others are measured\n"
        ),
        "{told}"
    );
    // What another command has built, and the survey did not ask for.
    let at = project.git(["rev-parse", "HEAD~5"]).trim().to_owned();
    let quirk = format!(
        "[[quirk]]\nname = 'q'\nwhy = 'w'\nfrom = '{at}'\nuntil = '{at}'\nenvironment = {{ A = \
         '1' }}\n"
    );
    let project = project.plan(&format!("{PLAN}{quirk}"));
    project.tacho("quirk check").exits(0);
    project.tacho("track --builds 2 HEAD~9..").exits(0);
    let told = project.tacho("track --builds 2 HEAD~9..").exits(0).stdout;
    assert!(told.contains("not measured yet"), "{told}");
    let nothing = "\nnothing was measured this time: 1 revision is built and not measured yet\n";
    assert!(told.contains(nothing), "{told}");
}

#[test]
fn what_would_be_done_is_said() {
    let project = history();
    let said =
        |options: &str| project.tacho(&format!("track --dry-run {options}")).succeeds().stdout;
    assert_snapshot!(said("--builds 20 HEAD~9.."), @"
    would look for changes of 5.0 % or more \
                                                     among 10 revisions with at most 20
      \
                                                     builds, and execute 1 benchmark in 3 rounds \
                                                     and 1 warmup round at each built
      revision
    ");
    assert_snapshot!(said("--budget 2h --min-effect 2%"), @"
    would look for changes of 2.0 % \
                                                            or more among 60 revisions in 2 h 0 \
                                                            min, builds
      included, and \
                                                            execute 1 benchmark in 3 rounds and \
                                                            1 warmup round at each built
      revision
    ");
    let json = |options: &str| {
        project.tacho(&format!("track --dry-run --json {options}")).succeeds().json()
    };
    let survey = json("--builds 20 --budget 2h HEAD~9..");
    let of = |key: &str| survey[key].clone();
    assert_eq!((of("least"), of("builds"), of("budget")), (0.05.into(), 20.into(), 7200.0.into()));
    assert_eq!(
        (of("revisions").as_array().unwrap().len(), of("good")),
        (10, serde_json::Value::Null)
    );
    let plain = json("HEAD~1..");
    assert_eq!(plain["revisions"][1], project.git(["rev-parse", "HEAD"]).trim());
    assert_eq!((&plain["benchmarks"], &plain["executions"]), (&1.into(), &8.into()));
    assert_snapshot!(project.tacho("track --builds 1").exits(2).stderr, @r"
    error: `--builds` cannot be `1`
    hint: write a whole number, at least 2
    ");
}

/// Thirty commits that change nothing but a note; with the quirk, from the 11th to before the 21st,
/// the cost is higher.
fn with_a_quirk() -> Project {
    let make = "! grep -q broken prog && echo \"echo cost \\$((100 + ${MORE:-0})) '#' $(cat \
        note)\" > prog\n";
    let project = (1..=30).fold(Project::repository().file("make.sh", make), |project, n| {
        project.file("note", &n.to_string()).commit(&format!("change {n}")).tag(&format!("n{n}"))
    });
    let plan = PLAN.replace("! grep -q broken prog", "sh make.sh");
    let quirk = "[[quirk]]\nname = 'slower'\nwhy = 'w'\nfrom = 'n11'\nbefore = 'n21'\nenvironment \
        = { MORE = '20' }\n";
    project.plan(&format!("{plan}{quirk}"))
}

#[test]
fn a_change_at_a_quirks_edge_is_said_to_be_there() {
    let project = with_a_quirk();
    let told = project.tacho("track --builds 25 --seed 1").exits(0).stdout;
    let short = |name: &str| project.git(["rev-parse", "--short=10", name]).trim().to_owned();
    let (begin, end) = (short("n11"), short("n21"));
    assert!(
        told.contains(
            ": 2 changes of 5.0 % or more, 2 with a possible cause outside the program\n"
        ),
        "{told}"
    );
    for (at, verb) in [(&begin, "begins"), (&end, "ends")] {
        let line = format!(
            "\n  {at}: the cause may be outside the program: the quirk `slower` {verb} \
                here\n"
        );
        assert!(told.contains(&line), "{told}");
    }
    let json = project.tacho("track --builds 25 --json").exits(0).json();
    let found = &json["survey"]["series"][0]["places"];
    let edge = |before: &str, after: &str, name: &str| {
        let at = project.git(["rev-parse", name]).trim().to_owned();
        serde_json::json!([{ "at": at, "tag": "quirks", "before": before, "after": after }])
    };
    assert_eq!(found[0]["environment"], edge("none", "slower", "n11"), "{json}");
    assert_eq!(found[1]["environment"], edge("slower", "none", "n21"), "{json}");
    // The list says the same, once it has enough values to tell it.
    project.tacho("track").exits(0);
    let json = project.tacho("track --builds 25 --json").exits(0).json();
    let found = &json["survey"]["series"][0]["places"];
    for form in ["changes", "changes --markdown"] {
        let listed = project.tacho(form).exits(0).stdout;
        assert!(
            listed.contains("environment") && listed.contains(found[0]["change"].as_str().unwrap()),
            "{listed}"
        );
    }

    // A range over an edge says so too.
    let told = with_a_quirk().tacho("track --builds 3 --seed 1 n1..n15").exits(0).stdout;
    let line = format!(
        "the cause may be outside the program: at {begin}: the quirk `slower` \
        begins here\n"
    );
    assert!(told.contains(&line), "{told}");
}
