//! Changes of a history with planted ones: listed, shown, talked about.

use std::sync::{Arc, Mutex, Weak};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Answer, Project, steady};

const PLAN: &str = r#"
[subject]
name = "prog"
artifacts = ["prog"]
link = "https://example.org/commit/{commit}"

[measure]
rounds = 2
warmup = false

[[benchmark]]
name = "generate"
command = "sh {build}/prog"
metrics = [{ name = "time", from = "regex:generate ([0-9.]+)", unit = "ms" }]

[[benchmark]]
name = "show"
command = "sh {build}/prog"
metrics = [{ name = "time", from = "regex:show ([0-9.]+)", unit = "ms" }]

[[benchmark]]
name = "hits"
command = "sh {build}/prog"
metrics = [{ name = "hit-rate", from = "regex:hits ([0-9.]+)", better = "higher" }]
"#;

/// A fixed to and fro of 1 %: noise that is the same each time.
fn noise(commit: u32) -> f64 {
    1.0 + 0.01 * (f64::from((commit * 7919) % 101) / 101.0 - 0.5)
}

/// Commits whose program prints these levels: generating, showing, hits.
fn history(commits: u32, levels: impl Fn(u32) -> [f64; 3]) -> Project {
    grown(Project::repository().wide(), 1..=commits, levels).plan(PLAN)
}

fn grown(
    project: Project,
    commits: std::ops::RangeInclusive<u32>,
    levels: impl Fn(u32) -> [f64; 3],
) -> Project {
    let commit = |commit| {
        let [generate, show, hits] = levels(commit).map(|level| level * noise(commit));
        let script = format!(
            "echo generate {generate:.4}\necho show {show:.4}\necho hits {hits:.4}\n# {commit}\n"
        );
        let subject = if commit == 13 {
            "cache | what was *generated*".to_owned()
        } else {
            format!("change {commit}")
        };
        (script, subject)
    };
    project.commits("prog", commits.map(commit))
}

/// With commit 13 generating takes half the time, and showing eight times as long.
fn trade_off(commit: u32) -> [f64; 3] {
    if commit < 13 { [100.0, 10.0, 50.0] } else { [50.0, 80.0, 50.0] }
}

/// That history, measured. Tests that go on at the same time share the measuring, and each has a
/// copy of its own.
pub fn tracked() -> (Project, Arc<Project>) {
    static SHARED: Mutex<Weak<Project>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap();
    let measured = shared.upgrade().unwrap_or_else(|| {
        let project = history(24, trade_off);
        project.tacho("track --quiet").succeeds();
        Arc::new(project)
    });
    *shared = Arc::downgrade(&measured);
    (measured.copied(), measured)
}

/// The changes of all events of a listing.
fn changes(listing: &Value) -> Vec<Value> {
    let events = listing["events"].as_array().unwrap();
    events.iter().flat_map(|event| event["changes"].as_array().unwrap().clone()).collect()
}

fn named<'a>(changes: &'a [Value], benchmark: &str) -> &'a Value {
    changes.iter().find(|change| change["benchmark"] == benchmark).unwrap()
}

/// What an answer says, without names that depend on the host, and without the time.
fn nameless(answer: &str, listing: &Value) -> String {
    let times = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d").unwrap();
    let all = changes(listing);
    let text =
        times.replace_all(answer, "<moment>").replace(all[0]["host"].as_str().unwrap(), "<host>");
    let hide = |text: String, change: &Value| {
        text.replace(
            change["name"].as_str().unwrap(),
            &format!("<{}>", change["benchmark"].as_str().unwrap()),
        )
    };
    steady(&all.iter().fold(text, hide))
}

#[test]
fn what_got_faster_and_what_got_slower_stand_together() {
    let (project, _shared) = tracked();
    let listing = project.tacho("changes --json").exits(1).json();
    let answer = project.tacho("changes").exits(1);
    assert_eq!(answer.stderr, "");
    assert_snapshot!(nameless(&answer.stdout, &listing), @r"
    267f7807e0  2023-11-15  cache | what was *generated*
      a trade-off: 1 worse, 1 better

      name  series  before  after  change  <percent>  kind  state
      <show>  show · time  <time>  <time>  <percent>  worse  <percent> … <percent>  step  provisional, new
      <generate>  generate · time  <time>  <time>  <percent>  better  <percent> … <percent>  step  provisional, new

    2 changes at 1 place in 3 series; 1 new regression
    `tacho changes show NAME` shows the evidence
    ");
    let markdown = project.tacho("changes list --markdown").exits(1);
    assert_snapshot!(nameless(&markdown.stdout, &listing), @r"
    **[`267f7807e0`](https://example.org/commit/267f7807e05224e9451fa154478383d7941f7ea6)  2023-11-15  cache \| what was \*generated\***

    - a trade-off: 1 worse, 1 better

    | name | series | before | after | change |  | <percent> | kind | state |
    |:---|:---|---:|---:|---:|:---|:---|:---|:---|
    | <show> | show · time | <time> | <time> | <percent> | **worse** | <percent> … <percent> | step | provisional, new |
    | <generate> | generate · time | <time> | <time> | <percent> | better | <percent> … <percent> | step | provisional, new |

    **2 changes at 1 place in 3 series; 1 new regression**
    ");

    let thirteenth = project.git(["rev-parse", "HEAD~11"]);
    let event = &listing["events"][0];
    assert_eq!(listing["events"].as_array().unwrap().len(), 1, "{listing}");
    assert_eq!(event["revision"]["id"], thirteenth.trim());
    assert_eq!(
        (&event["better"], &event["worse"], &event["commits"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!((&listing["judged"], &listing["regressions"]), (&json!(3), &json!(1)));
    let changes = changes(&listing);
    let slower = named(&changes, "show");
    assert_eq!(
        (&slower["kind"], &slower["verdict"], &slower["life"]),
        (&json!("step"), &json!("worse"), &json!("provisional"))
    );
    assert_eq!((&slower["state"], &slower["regression"]), (&json!("new"), &json!(true)));
    assert!((slower["effect"].as_f64().unwrap() - 7.0).abs() < 0.2, "{slower}");
    assert_eq!(slower["unit"], "nanoseconds");
}

/// Commit 10 makes thirty of forty-four benchmarks slower and ten faster, each by another share;
/// the last four stay as they are.
#[test]
fn a_commit_that_moves_forty_benchmarks_is_one_event_of_forty_rows() {
    let level = |commit: u32, benchmark: u32| match benchmark {
        _ if commit < 10 => 100.0,
        1..=30 => 110.0 + f64::from(benchmark),
        31..=40 => 90.0 - f64::from(benchmark - 30),
        _ => 100.0,
    };
    let levels = |commit: u32| -> String {
        let noisy =
            |benchmark: u32| level(commit, benchmark) * noise(commit * (7 * commit + benchmark));
        (1..=44).map(|benchmark| format!("{benchmark}: {:.4}\n", noisy(benchmark))).collect()
    };
    let plan = format!(
        "[subject]\nname = \"prog\"\nartifacts = [\"prog\"]\n[measure]\nrounds = 1\nwarmup = \
         false\n[[benchmark]]\nname = \"b\"\ncommand = \"grep ^{{k}}: \
         {{build}}/prog\"\nparameters = {{ k = {:?} }}\nmetrics = [{{ name = \"time\", from = \
         \"regex:: ([0-9.]+)\", unit = \"ms\" }}]\n",
        (1..=44).collect::<Vec<u32>>()
    );
    let commit = |commit| (levels(commit), format!("change {commit}"));
    let project = Project::repository().wide().commits("prog", (1..=18).map(commit)).plan(&plan);
    project.tacho("track --quiet").succeeds();

    let listing = project.tacho("changes --json").exits(1).json();
    assert_eq!((&listing["judged"], &listing["regressions"]), (&json!(44), &json!(30)));
    let [event] = listing["events"].as_array().unwrap().as_slice() else { panic!("{listing}") };
    assert_eq!(
        (&event["worse"], &event["better"], &event["commits"]),
        (&json!(30), &json!(10), &json!(1))
    );
    assert_eq!(event["revision"]["id"], project.git(["rev-parse", "HEAD~8"]).trim());
    assert_eq!(event["changes"].as_array().unwrap().len(), 40);

    let answer = project.tacho("changes").exits(1).stdout;
    let rows: Vec<&str> = answer.lines().filter(|line| line.contains("b[k=")).collect();
    assert_eq!(rows.len(), 40, "{answer}");
    let worse = rows.iter().position(|row| row.contains(" better ")).unwrap();
    assert_eq!(worse, 30, "what got worse comes first: {answer}");
    assert!(answer.contains("\n  a trade-off: 30 worse, 10 better\n"), "{answer}");
    assert!(
        answer.contains("40 changes at 1 place in 44 series; 30 new regressions\n"),
        "{answer}"
    );
    let name = event["changes"][0]["name"].as_str().unwrap();
    let shown = project.tacho(&format!("changes show {name} --json")).succeeds().json();
    assert_eq!(shown["changes"].as_array().unwrap().len(), 1);
    assert_eq!(shown["changes"][0]["together"].as_array().unwrap().len(), 39, "{shown}");
}

#[test]
fn the_evidence_has_both_sides_the_commit_and_what_became_of_it() {
    let (project, _shared) = tracked();
    let listing = project.tacho("changes --json").exits(1).json();
    let name = named(&changes(&listing), "show")["name"].as_str().unwrap().to_owned();
    let shown = project.tacho(&format!("changes show {name}")).succeeds();
    assert_snapshot!(nameless(&shown.stdout, &listing), @r"
    <show>  show · time on <host>  <percent> worse (<percent>: <percent> … <percent>)  step
      levels <time> → <time>
      267f7807e0  2023-11-15  cache | what was *generated*
      provisional, new

      median  <percent>  spread  samples  builds
      before  <line><time>  <time> … <time>  <percent>  24  12
      after  <line><time>  <time> … <time>  <percent>  24  12
      <time>  <time>

      a series without any change would look like this by chance in less than <percent> of cases; 3 series were judged together
      provisional: seen in one run so far; 5 runs in a row confirm it

    the commit
      267f7807e0  2023-11-15  A. Author  cache | what was *generated*
      https://example.org/commit/267f7807e05224e9451fa154478383d7941f7ea6
      prog
      to measure both sides again: tacho changes --confirm <show>
      to see the commit's diff: tacho show 267f7807e0 --diff

    what else changed there
      name  series  before  after  change  <percent>  kind  state
      <generate>  generate · time on <host>  <time>  <time>  <percent>  better  <percent> … <percent>  step  provisional, new

    what happened
      <moment>  found at 267f7807e0
    ");

    // A note of two lines stays below its date, and sixty columns have room for all but addresses.
    let noted =
        project.command(["changes", "set", &name, "new", "--note", "one\ntwo"]).output().unwrap();
    assert!(noted.status.success());
    let mut narrow = project.command(["changes", "show", &name]);
    let told = Answer::of(&narrow.env("COLUMNS", "60").output().unwrap()).succeeds().stdout;
    let too_long = |line: &&str| line.chars().count() > 60 && !line.contains("https://");
    assert_eq!(told.lines().filter(too_long).collect::<Vec<_>>(), Vec::<&str>::new(), "{told}");
    assert!(told.contains("marked new: one\n    two\n"), "{told}");

    let json = project.tacho("changes show HEAD~11 --json").succeeds().json();
    assert_eq!(
        json["changes"].as_array().unwrap().len(),
        2,
        "of a revision all that changed there"
    );
    let evidence = json["changes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["change"]["name"] == *name)
        .unwrap();
    assert_eq!(evidence["commits"][0]["files"], json!(["prog"]));
    assert!(
        evidence["commits"][0]["link"].as_str().unwrap().starts_with("https://example.org/commit/")
    );
    assert_eq!(evidence["sides"][0]["revisions"].as_array().unwrap().len(), 12);
    assert_eq!(
        evidence["sides"][1]["values"].as_array().unwrap().len(),
        24,
        "two of each of twelve revisions"
    );
    assert_eq!(evidence["happenings"][0]["happened"], "found");
}

/// From commit 13 on a quirk makes the number that is printed 50 into 90.
#[test]
fn a_change_where_a_quirk_begins_is_told_as_that() {
    let project = history(24, |_| [100.0, 10.0, 50.0]);
    let thirteenth = project.git(["rev-parse", "HEAD~11"]);
    let quirk = format!(
        "[[quirk]]\nname = \"libc\"\nwhy = \"it does not start with this one\"\nfrom = \"{}\"\n\
        after-build = \"sed -i 's/hits 49/hits 89/; s/hits 50/hits 90/' prog\"\n",
        thirteenth.trim()
    );
    let project = project.plan(&format!("{PLAN}\n{quirk}"));
    project.tacho("track --quiet").succeeds();
    let listing = project.tacho("changes --json").exits(0).json();
    let all = changes(&listing);
    let [change] = all.as_slice() else { panic!("{listing}") };
    assert_eq!((&change["kind"], &change["regression"]), (&json!("environment"), &json!(false)));
    assert_eq!(
        change["environment"],
        json!([{ "tag": "quirks", "before": "none", "after": "libc" }])
    );
    let shown =
        project.tacho(&format!("changes show {}", change["name"].as_str().unwrap())).succeeds();
    let why = "the cause may be outside the program: the quirk `libc` begins here\n";
    assert!(shown.stdout.contains(why), "{}", shown.stdout);
}

/// The second half of the history is built with another compiler, which makes the number that is
/// printed 50 into 90.
#[test]
fn a_change_with_the_compiler_is_told_as_that() {
    let project = history(12, |_| [100.0, 10.0, 50.0]);
    let plan = PLAN.replace("name = \"prog\"\n", "name = \"prog\"\nbuild = \"cc prog\"\n");
    let compiler = |version: &str, does: &str| {
        format!(
            "#!/bin/sh\nif test \"$1\" = --version; then echo 'cc {version}'; else {does}; fi\n"
        )
    };
    let mut project = project.plan(&plan).file("bin/cc", &compiler("12.2.0", "true"));
    let track = |project: &Project| {
        let cc = project.path().join("bin/cc");
        std::fs::set_permissions(&cc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path =
            format!("{}:{}", project.path().join("bin").display(), std::env::var("PATH").unwrap());
        let done = project.command(["track", "--quiet"]).env("PATH", path).output().unwrap();
        Answer::of(&done).exits(0);
    };
    track(&project);
    let other = compiler("13.1.0", "sed -i 's/hits 49/hits 89/; s/hits 50/hits 90/' prog");
    project = grown(project, 13..=24, |_| [100.0, 10.0, 50.0]).file("bin/cc", &other);
    track(&project);
    let listing = project.tacho("changes --json").exits(0).json();
    let all = changes(&listing);
    let [change] = all.as_slice() else { panic!("{listing}") };
    let expected = json!([{ "tag": "compiler cc", "before": "cc 12.2.0", "after": "cc 13.1.0" }]);
    assert_eq!((&change["kind"], &change["environment"]), (&json!("environment"), &expected));
    let shown =
        project.tacho(&format!("changes show {}", change["name"].as_str().unwrap())).succeeds();
    let why = "the cause may be outside the program: the compiler cc changed here too: cc 12.2.0, \
         then cc 13.1.0\n";
    assert!(shown.stdout.contains(why), "{}", shown.stdout);
    let built = project.tacho("show HEAD --json").succeeds().json();
    assert_eq!(built["hosts"][0]["build"]["tools"]["cc"], "cc 13.1.0");
}

#[test]
fn the_users_word_is_kept_and_counted() {
    let (project, _shared) = tracked();
    let listing = project.tacho("changes --json").exits(1).json();
    let all = changes(&listing);
    let name = |benchmark: &str| named(&all, benchmark)["name"].as_str().unwrap().to_owned();
    let (slower, faster) = (name("show"), name("generate"));
    let said = project
        .command(["changes", "set", &slower, "expected", "--note", "the price of the cache"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("{slower}  show · time: expected\n"));
    let listing = project.tacho("changes --json").exits(0).json();
    let change = named(&changes(&listing), "show").clone();
    assert_eq!(
        (&change["state"], &change["note"]),
        (&json!("expected"), &json!("the price of the cache"))
    );

    let text = project.tacho("changes").exits(0).stdout;
    assert!(text.contains("false alarms: 0 of 1 change judged by the user (0.0 %)"), "{text}");

    project.tacho(&format!("changes set {faster} false-alarm")).succeeds();
    let listing = project.tacho("changes --json").exits(0).json();
    assert_eq!(
        listing["false_alarms"],
        json!({ "marked": 1, "looked_at": 2, "reported": 2, "rate": 0.5 })
    );
    assert_eq!(changes(&listing).len(), 1, "a false alarm is no change");
    let text = project.tacho("changes --all").exits(0).stdout;
    assert!(text.contains("false alarms: 1 of 2 changes judged by the user (50.0 %)"), "{text}");
    assert!(text.contains(&faster), "{text}");
    assert_eq!(
        changes(&project.tacho("changes --state false-alarm --json").exits(0).json()).len(),
        1
    );

    let said = project.tacho(&format!("changes set {slower} confirmed")).succeeds().stdout;
    assert_eq!(
        said,
        format!("{slower}  show · time: acknowledged (was expected: the price of the cache)\n"),
        "another word than for what analyses say"
    );
    let count = |state: &str| {
        changes(&project.tacho(&format!("changes --state {state} --json")).exits(0).json()).len()
    };
    assert_eq!(count("acknowledged"), 1);
    assert_eq!(
        (count("provisional"), count("acknowledged,provisional")),
        (1, 1),
        "of one run there is one analysis"
    );
    assert_eq!(
        (count("acknowledged,confirmed"), count("expected,provisional"), count("withdrawn")),
        (0, 0, 0)
    );

    project.tacho("changes set HEAD~11 new").succeeds();
    assert_eq!(
        project.tacho("changes --json").exits(1).json()["regressions"],
        1,
        "the word is taken back of both"
    );
}

#[test]
fn filters_say_what_is_listed_and_what_fails() {
    let (project, _shared) = tracked();
    let count = |words: &str, status: i32| {
        let answer = project.tacho(&format!("changes --json {words}")).exits(status);
        changes(&answer.json()).len()
    };
    assert_eq!(count("--benchmark show", 1), 1);
    assert_eq!(count("-b generate", 0), 1);
    assert_eq!(count("--metric time", 1), 2);
    assert_eq!(count("--metric hit-rate", 0), 0);
    assert_eq!(count("--min-effect 100%", 1), 1);
    assert_eq!(count("--kind environment,dip", 0), 0);
    assert_eq!(count("--state expected", 0), 0);
    assert_eq!(count("HEAD~12..HEAD~11", 1), 2);
    assert_eq!(count("HEAD~11..", 0), 0);
    assert_eq!(count("..HEAD~12", 0), 0);
    assert_eq!(count("--kind drift", 0), 0);
    assert_eq!(count("HEAD~11", 1), 2);
    assert_eq!(count("-m all", 1), 2);
    // It was measured, and no plan asks what happened.
    let wall = project.tacho("changes -m wall").exits(0).stdout;
    let why = "no series was judged\nnot judged: generate · wall, show · wall, hits · wall (the \
        plan's `metrics` do not name it)\n";
    assert_eq!(wall, why);
    let mut narrow = project.command(["changes"]);
    let told = Answer::of(&narrow.env("COLUMNS", "60").output().unwrap()).exits(1).stdout;
    assert!(
        told.lines().all(|line| line.chars().count() <= 60) && told.contains("\n    −50."),
        "{told}"
    );
}

#[test]
fn what_lies_between_two_ranges_that_were_measured_is_told() {
    // From commit 20 on generating takes longer, and showing scatters.
    let scatters =
        |commit: u32| if commit < 20 { 0.0 } else { 20.0 * (noise(commit * 3 + 1) - 1.0) };
    let level = |commit: u32| if commit < 20 { 100.0 } else { 120.0 };
    let project = history(40, |commit| [level(commit), 10.0 * (1.0 + scatters(commit)), 50.0]);
    project.tacho("track --quiet --rounds 1 HEAD~39..HEAD~22").succeeds();
    // It says that a commit of the first range is measured again, which links both.
    project.tacho("track --quiet --rounds 1 HEAD~18..HEAD").exits(0);
    let listing = project.tacho("changes --json").exits(1).json();
    let event = &listing["events"][0];
    assert_eq!(
        (listing["events"].as_array().unwrap().len(), &event["commits"]),
        (1, &json!(4)),
        "{listing}"
    );
    let text = project.tacho("changes").exits(1).stdout;
    assert!(text.contains("  one of 4 commits after "), "{text}");
    let all = changes(&listing);
    let [level, spread] =
        ["generate", "show"].map(|name| named(&all, name)["name"].as_str().unwrap().to_owned());
    let shown = project.tacho(&format!("changes show {level}")).succeeds().stdout;
    let bisect = format!("tacho bisect --change {level}\n");
    assert!(shown.contains(&bisect) && shown.contains("change 20"), "{shown}");

    assert_eq!(named(&all, "show")["kind"], "spread");
    let shown = project.tacho(&format!("changes show {spread}")).succeeds().stdout;
    assert!(shown.contains(" commits after ") && !shown.contains("tacho bisect"), "{shown}");
    let refused = project.tacho(&format!("bisect --change {spread}")).exits(2).stderr;
    let why = format!("error: cannot bisect `{spread}`: the change is in its spread, and only ");
    assert!(refused.starts_with(&why) && refused.contains("hint: `tacho track "), "{refused}");

    project.tacho("site pages --quiet").succeeds();
    let read =
        |page: &str| std::fs::read_to_string(project.path().join("pages").join(page)).unwrap();
    let page = |name: &str| read(&format!("change/{name}.html"));
    assert!(read("changes.html").contains("one of 4 commits after "));
    assert!(page(&level).contains("4 commits between") && page(&level).contains(bisect.trim()));
    assert!(page(&spread).contains(" commits between") && !page(&spread).contains("tacho bisect"));
}

#[test]
fn a_level_that_comes_back_is_no_news() {
    let (project, _shared) = tracked();
    project.tacho("changes").exits(1);
    let project = grown(project, 25..=36, |_| [50.0, 10.0, 50.0]);
    project.tacho("track --quiet").succeeds();
    let listing = project.tacho("changes --json").exits(0).json();
    let all = changes(&listing);
    let slower = all
        .iter()
        .find(|change| change["benchmark"] == "show" && change["verdict"] == "worse")
        .unwrap();
    let back = all
        .iter()
        .find(|change| change["benchmark"] == "show" && change["verdict"] == "better")
        .unwrap();
    assert_eq!((&slower["state"], &slower["fixed_by"]), (&json!("fixed"), &back["name"]));
    assert_eq!(listing["events"].as_array().unwrap().len(), 2);
    assert_eq!(listing["events"][1]["changes"].as_array().unwrap().len(), 2, "the newest first");
}

#[test]
fn an_improvement_that_is_lost_was_not_fixed() {
    let (project, _shared) = tracked();
    let project = grown(project, 25..=36, |_| [100.0, 80.0, 50.0]);
    project.tacho("track --quiet").succeeds();
    let listing = project.tacho("changes --json").exits(1).json();
    let all = changes(&listing);
    let name = |verdict: &str| {
        let of =
            |change: &&Value| change["benchmark"] == "generate" && change["verdict"] == verdict;
        all.iter().find(of).unwrap()["name"].as_str().unwrap()
    };
    let text = project.tacho("changes").exits(1).stdout;
    assert!(text.contains(&format!("lost with {}", name("worse"))), "{text}");
}

#[test]
fn what_the_plan_no_longer_has_fails_nothing() {
    let (project, _shared) = tracked();
    project.tacho("changes").exits(1);
    let without = PLAN.replace("name = \"show\"", "name = \"shown\"");
    let project = project.plan(&without);
    let listing = project.tacho("changes --json").exits(0).json();
    assert_eq!((&listing["regressions"], &listing["unplanned"]), (&json!(0), &json!(1)));
    assert_eq!(changes(&listing).len(), 1);
    let text = project.tacho("changes").exits(0).stdout;
    assert!(
        text.contains("of series that the plan no longer has: 1 change (`--all` lists them)"),
        "{text}"
    );
    let text = project.tacho("changes --all").exits(0).stdout;
    assert!(text.contains("of series that the plan no longer has: 1 change\n"), "{text}");
    assert!(!text.contains("worse and new"), "{text}");
    let all = changes(&project.tacho("changes --all --json").exits(0).json());
    let gone = named(&all, "show");
    assert_eq!((&gone["planned"], &gone["regression"]), (&json!(false), &json!(false)));
}

#[test]
fn without_a_change_nothing_is_told() {
    let project = history(8, |_| [100.0, 10.0, 50.0]);
    project.tacho("track --quiet -b generate").succeeds();
    assert_snapshot!(project.tacho("changes").succeeds().stdout, @"
    no changes in 1 series
    not judged: hits · hit-rate (`hits` is not measured yet: `tacho track` measures it)
    not judged: show · time (`show` is not measured yet: `tacho track` measures it)
    ");
    let markdown = project.tacho("changes --markdown").succeeds().stdout;
    assert!(markdown.starts_with("**no changes in 1 series**\n"), "{markdown}");
    let few = history(3, trade_off);
    few.tacho("track --quiet").succeeds();
    assert_snapshot!(few.tacho("changes").succeeds().stdout, @r"
    no series was judged
    not judged: generate · time, show · time, hits · hit-rate (3 points with values; a verdict needs 6 points, or 3 points that one run measured in 3 rounds)
    ");
}

#[test]
fn mistakes_have_their_answers() {
    let project = history(3, trade_off);
    assert_snapshot!(project.tacho("changes").exits(2).steady_stderr(), @r"
    error: nothing is measured yet: there is no `<folder>/.tacho/tacho.db`
    hint: `tacho track` measures and creates the store
    ");
    project.tacho("track --quiet").succeeds();
    assert_snapshot!(project.tacho("changes show nosuch").exits(2).stderr, @r"
    error: unknown change `nosuch`
    hint: `tacho changes --all` lists all of them
    ");
    assert_snapshot!(project.tacho("changes set HEAD expected").exits(2).stderr, @r"
    error: no change is reported at `HEAD`
    hint: `tacho changes --all` lists all of them
    ");
    assert_snapshot!(project.tacho("changes v1..v2").exits(2).stderr, @r"
    error: unknown name `v1`
    hint: `tacho show` lists the revisions that were measured
    ");
    assert_snapshot!(project.tacho("changes HEAD..HEAD~1").exits(2).stderr, @r"
    error: `HEAD..HEAD~1` has no commits: `HEAD~1` does not come after `HEAD`
    hint: did you mean `HEAD~1..HEAD`?
    ");
    assert_snapshot!(project.tacho("changes HEAD..HEAD").exits(2).stderr, @r"
    error: `HEAD..HEAD` has no commits: `HEAD` does not come after `HEAD`
    hint: did you mean `HEAD~1..HEAD`?
    ");
    let benchmark = project.tacho("changes -b nope").exits(2).stderr;
    assert!(
        benchmark.starts_with("error: unknown benchmark `nope`\nhint: known: `"),
        "{benchmark}"
    );
    let metric = project.tacho("changes --metric tim").exits(2).stderr;
    assert_eq!(metric, "error: unknown metric `tim`\nhint: did you mean `time`?\n");
    assert_snapshot!(
        project.tacho("changes set x perhaps").exits(2).stderr.lines().next().unwrap(),
        @"error: invalid value 'perhaps' for '<STATE>'"
    );
    assert_snapshot!(
        project.tacho("changes --from x A..B").exits(2).stderr.lines().next().unwrap(),
        @"error: cannot read `x`: No such file or directory"
    );
}

#[test]
fn as_points_are_added_it_is_provisional_then_confirmed_and_keeps_its_name() {
    let project = history(12, trade_off);
    project.tacho("track --quiet -b show").succeeds();
    assert_eq!(project.tacho("changes --json").exits(0).json()["events"], json!([]));
    let mut project = project;
    let mut seen: Vec<(String, String)> = Vec::new();
    for commit in 13..=22 {
        project = grown(project, commit..=commit, trade_off);
        project.tacho("track --quiet -b show").succeeds();
        let listing = project.tacho("changes --json -b show").json();
        let word = |change: &Value, key: &str| change[key].as_str().unwrap().to_owned();
        seen.extend(
            changes(&listing).iter().map(|change| (word(change, "name"), word(change, "life"))),
        );
    }
    assert!(seen.iter().all(|(name, _)| *name == seen[0].0), "one name for ever: {seen:?}");
    let lives: Vec<&str> = seen.iter().map(|(_, life)| life.as_str()).collect();
    assert_eq!((lives[0], lives[lives.len() - 1]), ("provisional", "confirmed"));
    let sure = lives.iter().position(|life| *life == "confirmed").unwrap();
    assert!(lives[sure..].iter().all(|life| *life == "confirmed"), "and stays so: {lives:?}");
    assert!(sure >= 4, "not before five analyses: {lives:?}");
}

/// Commits 14 and 15 change only a text, so that the program of 13 is built again; the step comes
/// with commit 16.
#[test]
fn a_commit_with_the_program_from_before_the_change_is_no_suspect() {
    let level = |commit: u32| if commit < 16 { 100.0 } else { 130.0 };
    let project = (1..=26).fold(Project::repository().plan(PLAN), |project, commit| {
        let project = project.file("README", &format!("{commit}\n"));
        let time = level(commit) * noise(commit);
        let script =
            format!("echo generate {time:.4}\necho show {time:.4}\necho hits 50\n# {commit}\n");
        let project =
            if [14, 15].contains(&commit) { project } else { project.file("prog", &script) };
        project.commit(&format!("change {commit}"))
    });
    project.tacho("track --quiet").exits(0);
    let listing = project.tacho("changes --json -b generate").json();
    let all = changes(&listing);
    let [change] = all.as_slice() else { panic!("{listing}") };
    let id = |name: &str| project.git(["rev-parse", name]).trim().to_owned();
    assert_eq!(
        (&change["good"], &change["revision"]),
        (&json!(id("HEAD~11")), &json!(id("HEAD~10")))
    );
    assert!(change["named_by"].is_null(), "{change}");

    project.tacho("bisect HEAD~20 HEAD -b generate --seed 1").exits(0);
    let named = project.tacho("changes --json -b generate").json();
    let all = changes(&named);
    let [change] = all.as_slice() else { panic!("{named}") };
    assert_eq!((&change["good"], &change["bad"]), (&json!(id("HEAD~11")), &json!(id("HEAD~10"))));
    assert!(change["named_by"].is_string(), "{change}");
    let text = project.tacho("changes -b generate").stdout;
    assert!(text.contains("named by bisection "), "{text}");
}

/// A table that goes elsewhere has no more columns than people's terminals.
#[test]
fn tables_in_a_pipe_have_eighty_columns() {
    let (project, _shared) = tracked();
    let listing = project.tacho("changes --json").exits(1).json();
    let name = changes(&listing)[0]["name"].as_str().unwrap().to_owned();
    let show = format!("changes show {name}");
    for words in ["changes", &show, "show HEAD", "show", "compare HEAD~12 HEAD -r 4", "log"] {
        let mut command = project.command(words.split(' '));
        let answer = Answer::of(&command.env_remove("COLUMNS").output().unwrap());
        let is_row = |line: &&str| line.trim().contains("  ") && !line.contains(".tar.zst");
        let mut wide = answer.stdout.lines().filter(is_row).filter(|it| it.chars().count() > 80);
        assert_eq!(wide.next(), None, "{words}: {}", answer.stdout);
    }
}
