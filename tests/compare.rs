//! `tacho compare`: two programs beside one another.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Answer, Project, SCRIPT_PLAN, done};

#[test]
fn two_revisions_are_compared_in_a_run_of_their_own() {
    let project = Project::scripts(2);
    let answer = project.tacho("compare HEAD~1 HEAD --rounds 4 --json").exits(0).json();
    let row = &answer["rows"][0];
    assert_eq!((&row["benchmark"], &row["metric"]), (&"answer".into(), &"wall".into()));
    assert_eq!((&row["rounds"], &row["samples"]), (&4.into(), &serde_json::json!([4, 4])));
    assert!(row["a"].as_f64().unwrap() > 0.0 && row["control"].as_f64().unwrap() > 0.0, "{row}");
    assert!(row["host_uneven"].as_f64().is_none_or(|it| it >= 0.0), "{row}");
    let rank_test = &row["rank_test"];
    assert!(["mann-whitney", "wilcoxon"].contains(&rank_test["test"].as_str().unwrap()), "{row}");
    assert!((0.0..=1.0).contains(&rank_test["p"].as_f64().unwrap()), "{row}");
    let revision = project.git(["rev-parse", "HEAD~1"]);
    let a = serde_json::json!({
        "name": "HEAD~1",
        "program": { "kind": "revision", "revision": revision.trim() },
    });
    assert_eq!(answer["a"], a);
    let shown = project.tacho("log").exits(0).stdout;
    assert!(shown.contains("  compare HEAD~1 with HEAD"), "{shown}");
    let tracked = project.tacho("track HEAD~1..HEAD --json").exits(0).json();
    assert_eq!(tracked["samples"], 2 * 4, "what was compared is no part of a series");
}

#[test]
fn a_range_in_place_of_two_sides_is_told() {
    let project = Project::scripts(2);
    let refused = project.tacho("compare HEAD~1..HEAD").exits(2).stderr;
    assert!(
        refused.ends_with(
            "hint: a range has two ends, and only one range can be named; where one revision is \
             wanted, write them as two words\n"
        ),
        "{refused}"
    );
}

#[test]
fn what_is_slower_is_told_and_can_be_a_failure() {
    let project = Project::repository().wide().plan(SCRIPT_PLAN);
    let project =
        project.file("prog", "exit\n").commit("quick").file("prog", "sleep 0.7\n").commit("slow");
    let slower = project
        .tacho("compare HEAD~1 HEAD -r 8 --no-control -m wall --fail-on slower:50%")
        .exits(1);
    let why = slower.stderr.lines().last().unwrap();
    assert!(
        why.starts_with(
            "error: `--fail-on slower:50%`: failed because of answer · wall (slower by "
        ),
        "{why}"
    );
    let slower = slower.stdout;
    assert!(slower.starts_with("HEAD (the revision "), "{slower}");
    assert!(slower.contains(")\n\n  benchmark  metric  n  "), "{slower}");
    // Others on this host may be told of in between.
    assert!(
        slower.contains("  slower\n\n")
            && slower.contains("\n1 slower; smallest detectable difference "),
        "{slower}"
    );
    let faster = project
        .tacho("compare HEAD HEAD~1 -r 8 --no-control -m wall --fail-on slower --markdown")
        .exits(0)
        .stdout;
    let head = "**1 faster; `--fail-on slower`: passed**\n\n| benchmark | metric | verdict | \
        ratio | 95 % | HEAD | HEAD~1 | n |";
    assert!(faster.starts_with(head), "{faster}");
    assert!(
        faster.contains(" | wall | faster | × ") && faster.contains("\n- 1 faster"),
        "{faster}"
    );
    let commit = project.git(["rev-parse", "--short=10", "HEAD~1"]);
    assert!(faster.contains(commit.trim()) && faster.contains(" against HEAD ("), "{faster}");
}

/// A program that says itself how many errors it made.
const COUNTED: &str = "
[subject]
artifacts = ['prog']

[[benchmark]]
name = 'check'
command = 'sh {build}/prog'
metrics = [{ name = 'errors', from = 'regex:errors ([0-9]+)' }]
";

/// A share of nothing says nothing of how much worse something is.
#[test]
fn what_was_0_and_is_not_is_worse_beyond_each_limit() {
    let project = Project::repository().plan(COUNTED);
    let project = project.file("prog", "echo errors 0\n").commit("none");
    let project = project.file("prog", "echo errors $((100 + $$ % 9))\n").commit("many");
    let compare = |sides: &str| {
        project.tacho(&format!("compare {sides} -m errors -r 12 --fail-on slower:5%"))
    };
    let told = compare("HEAD~1 HEAD").exits(1).stdout;
    assert!(told.contains("\n1 worse"), "{told}");
    let told = compare("HEAD HEAD~1").exits(0).stdout;
    assert!(told.contains("\n1 better"), "{told}");
}

/// Of two metrics that never vary, at one value each a commit: errors, and bytes.
const STEADY: [(&str, i32, i32); 7] = [
    ("zero", 0, 28),
    ("still-zero", 0, 28),
    ("hundred", 100, 34),
    ("minus", -5, 34),
    ("less", -3, 34),
    ("thousand", 100, 1000),
    ("more", 105, 1100),
];

/// A commit of each, by its name as a tag.
fn steady() -> Project {
    let metrics = "metrics = [{ name = 'errors', from = 'regex:errors (-?[0-9]+)' }, \
                   { name = 'size', from = 'regex:size ([0-9]+)', unit = 'bytes' }]";
    let plan =
        COUNTED.replace("metrics = [{ name = 'errors', from = 'regex:errors ([0-9]+)' }]", metrics);
    STEADY.into_iter().fold(Project::repository().plan(&plan), |project, (name, errors, size)| {
        let prog = format!("echo errors {errors} size {size} # {name}\n");
        project.file("prog", &prog).commit(name).tag(name)
    })
}

#[test]
fn what_never_varies_is_told_for_certain_and_passes_no_gate() {
    let project = steady().wide();
    let gate = |sides: &str, rounds: u32, exits: i32| {
        let typed =
            format!("compare {sides} -m errors,size -r {rounds} --fail-on slower:5% --json");
        let rows = project.tacho(&typed).exits(exits).json()["rows"].take();
        let of = |metric: &str| {
            rows.as_array().unwrap().iter().find(|row| row["metric"] == metric).unwrap().clone()
        };
        [of("errors"), of("size")]
    };
    for rounds in [1, 2] {
        let rows = gate("zero hundred", rounds, 0);
        assert!(
            rows.iter().all(|row| row["verdict"] == "unclear" && row["more_rounds"] == 3 - rounds),
            "{rows:?}"
        );
    }
    for rounds in [5, 10] {
        let [errors, size] = gate("zero hundred", rounds, 1);
        assert_eq!((&errors["verdict"], &size["verdict"]), (&"slower".into(), &"slower".into()));
        assert_eq!((&errors["ratio"], &errors["more_rounds"]), (&Value::Null, &Value::Null));
        assert_eq!(errors["difference_interval"], serde_json::json!([100.0, 100.0]));
        // The rank test knows nothing of the control, whose executions are A's.
        assert!(errors["p"].as_f64().unwrap() < errors["rank_test"]["p"].as_f64().unwrap());
        let end = |at: usize| size["interval"][at].as_f64().unwrap();
        assert!((end(0) - 34.0 / 28.0).abs() < 1e-9 && (end(1) - end(0)).abs() < 1e-9, "{size}");
    }
    let [errors, _] = gate("minus less", 10, 1);
    assert_eq!((&errors["verdict"], &errors["difference"]), (&"slower".into(), &2.0.into()));
    for (sides, verdict) in [("hundred zero", "faster"), ("zero still-zero", "same")] {
        let [errors, size] = gate(sides, 10, 0);
        assert_eq!(
            (&errors["verdict"], &size["verdict"]),
            (&verdict.into(), &verdict.into()),
            "{sides}"
        );
    }
    let told = project.tacho("compare zero hundred -m errors -r 10").exits(0).stdout;
    assert!(told.contains("  +100  100 … 100  all pairs  worse\n"), "{told}");
    let few = project.tacho("compare zero hundred -m errors -r 2").exits(0).stdout;
    assert!(few.contains("  unclear: 1 more round (") && few.contains(") would decide\n"), "{few}");
    // The runs above were of both builds, and what they differ by is nothing.
    let kept =
        project.tacho("compare run:4/a hundred --kept -m errors -r 6 --fail-on slower:5%").exits(1);
    assert!(kept.stdout.contains("\n1 worse"), "{}", kept.stdout);
}

#[test]
fn a_gate_fails_at_its_limit_and_not_below_it() {
    let project = steady();
    for (metric, limit, exits) in
        [("size", 10, 1), ("size", 11, 0), ("errors", 5, 1), ("errors", 6, 0)]
    {
        let typed = format!("compare thousand more -m {metric} --fail-on slower:{limit}%");
        assert!(project.tacho(&typed).exits(exits).stdout.contains("\n1 worse"), "{typed}");
    }
    assert_eq!(
        project
            .tacho("compare thousand more -m size --margin 20% --fail-on slower:5%")
            .exits(2)
            .stderr,
        "error: `--fail-on slower:5%` is less than the margin of 20%, within which two \
         sides are the same\nhint: lower the margin to this limit: `--margin 5%` or less\n"
    );
}

/// As where a variable of a script is not set: all would pass.
#[test]
fn a_side_without_a_name_is_a_mistake() {
    let project = Project::scripts(2);
    for sides in [["", "HEAD"], ["HEAD", ""], ["rev:", "HEAD"]] {
        let mut command = project.command(["compare"].into_iter().chain(sides));
        let answer = Answer::of(&command.output().unwrap()).exits(2);
        assert_eq!(
            answer.stderr,
            "error: the name of a side is empty\nhint: perhaps a shell variable is not set; \
             `HEAD` is the newest revision\n",
            "{sides:?}"
        );
    }
}

/// What the page of a run says.
fn page(project: &Project, run: u32) -> String {
    project.tacho("site pages --quiet").exits(0);
    std::fs::read_to_string(project.path().join(format!("pages/comparison/{run}.html"))).unwrap()
}

/// What comes of that where only one processor may be used.
fn on_one_processor(command: &Command) -> Answer {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list =
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let first = list.split([',', '-']).next().unwrap();
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", first]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => pinned.env(name, value),
            None => pinned.env_remove(name),
        };
    }
    Answer::of(&pinned.current_dir(command.get_current_dir().unwrap()).output().unwrap())
}

#[test]
fn both_are_executed_at_the_same_time_where_there_are_two_processors() {
    let project = Project::empty().wide();
    let compare = ["compare", "--duet", "--rounds", "6"];
    let one =
        on_one_processor(&project.command(compare.iter().chain(&["true", "sleep 0"]).copied()));
    assert_eq!(
        one.exits(2).stderr,
        "error: `--duet` is not possible here: two processors are needed, and one may \
         be used\nhint: `taskset -cp $$` shows those that may be used here; without `--duet`, the \
         sides are measured in rounds, never at the same time\n"
    );
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1) {
        return;
    }
    let both = ["sleep 0.01", "sleep 0.7"];
    let told = Answer::of(&project.command(compare.iter().chain(&both).copied()).output().unwrap())
        .exits(0)
        .stdout;
    let note = told.split("\nexecuted at the same time on processors ").nth(1).unwrap();
    assert!(note.lines().next().unwrap().ends_with(", swapped each round"), "{told}");
    assert!(told.contains("  slower\n"), "{told}");
    let arguments = compare.iter().chain(&both).chain(&["--json", "--all-rounds"]);
    let answer = Answer::of(&project.command(arguments.copied()).output().unwrap()).exits(0).json();
    let row = &answer["rows"][0];
    assert_eq!(answer["duet"]["cpus"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!((&row["rounds"], &row["estimator"]), (&6.into(), &"round-ratios".into()));
    assert_eq!((&row["significant"], &row["size"]), (&true.into(), &"beyond".into()));
    assert!(row["control"].is_null() && answer["carry_over"].is_null(), "{answer}");
}

#[test]
fn a_duet_is_judged_again_as_it_was_measured() {
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1) {
        return;
    }
    let project = Project::scripts(2);
    let answer =
        project.tacho("compare HEAD~1 HEAD -r 6 --all-rounds --duet --json").exits(0).json();
    let shown = project.tacho("show run:1 --json").exits(0).json();
    assert_eq!((&answer["rows"], &answer["duet"]), (&shown["rows"], &shown["duet"]));
    let markdown = project.tacho("compare HEAD~1 HEAD -r 6 --duet --markdown").exits(0).stdout;
    assert!(markdown.contains("\n\n- executed at the same time on processors "), "{markdown}");
    let kept = project.tacho("compare run:1/a run:1 --kept --duet").exits(2).stderr;
    assert!(
        kept.starts_with(
            "error: `--duet` must execute both sides, and one side has only saved \
            samples\n"
        ),
        "{kept}"
    );
}

#[test]
fn the_ratio_may_be_requested() {
    let project = Project::scripts(2);
    let answer = project
        .tacho("compare HEAD~1 HEAD -r 6 --all-rounds --estimator min --json")
        .exits(0)
        .json();
    assert_eq!(
        (&answer["estimator"], &answer["rows"][0]["estimator"]),
        (&"minimum".into(), &"minimum".into())
    );
    let shown = project.tacho("show run:1 --json").exits(0).json();
    assert_eq!((&shown["rows"], &shown["estimator"]), (&answer["rows"], &"minimum".into()));
    let usual = project.tacho("compare HEAD~1 HEAD -r 2 --estimator auto --json").exits(0).json();
    assert!(usual["estimator"].is_null(), "{usual}");
    let told = |typed: &str| project.tacho(&format!("compare {typed}")).exits(2).stderr;
    assert_eq!(
        told("run:1/a run:1 --kept --estimator mean"),
        "error: `--estimator` needs both sides to be executed in one run\nhint: earlier runs and \
         files are compared by the medians of whole runs\n"
    );
    assert_eq!(
        told("HEAD~1 HEAD --layouts 3 --estimator min"),
        "error: `--estimator min` cannot be combined with `--layouts`\n\
         hint: `--estimator median` or `mean` can be taken over layouts\n"
    );
    let duet = told("HEAD~1 HEAD --duet --estimator mean");
    assert!(duet.contains("cannot be used with"), "{duet}");
    let known = told("HEAD~1 HEAD --estimator best");
    assert!(known.contains("[possible values: auto, median, mean, min]"), "{known}");
}

#[test]
fn the_same_program_is_told_and_not_measured() {
    let project = Project::scripts(1).file("README", "words\n").commit("words");
    let same = project.tacho("compare HEAD~1 HEAD").exits(0).stdout;
    let same = same.replace(&project.git(["rev-parse", "HEAD"])[..10], "b");
    let same = same.replace(&project.git(["rev-parse", "HEAD~1"])[..10], "a");
    assert_eq!(
        same,
        "HEAD~1 (the revision a) and HEAD (the revision b) built to the same artifacts: they are \
         the same program\n"
    );
    // The store has both builds, and no run.
    for command in ["changes", "changes --json", "log", "log --json", "show"] {
        let said = project.tacho(command).exits(2).stderr;
        let nothing = "error: nothing is measured yet\nhint: `tacho track` measures revisions\n";
        assert_eq!(said, nothing, "{command}");
    }
    let one = project.tacho("compare HEAD").exits(0).stdout;
    assert!(one.ends_with("), so name another revision, such as `HEAD~1`\n"), "{one}");
    let other = project.tacho("compare HEAD~1 HEAD~1").exits(0).stdout;
    assert!(other.ends_with("), so name another revision\n"), "{other}");
    assert_eq!(project.tacho("compare HEAD~1 --json").exits(0).json()["same_program"], true);
    let markdown = project.tacho("compare HEAD~1 HEAD --markdown --junit same.xml").exits(0).stdout;
    assert!(markdown.starts_with("**same program: nothing to compare**\n\n"), "{markdown}");
    let junit = std::fs::read_to_string(project.path().join("same.xml")).unwrap();
    assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{junit}");
    assert!(junit.contains("<skipped message=\"same program: nothing to compare\"/>"), "{junit}");
}

#[test]
fn a_junit_file_that_cannot_be_written_is_reported_before_anything_is_executed() {
    let project = Project::empty();
    let arguments =
        ["compare", "touch executed", "true", "--command", "-r", "2", "--junit", "no/such.xml"];
    let refused = Answer::of(&project.command(arguments).output().unwrap()).exits(2);
    assert!(
        refused.stderr.starts_with("error: cannot write `no/such.xml`: "),
        "{}",
        refused.stderr
    );
    assert!(refused.stdout.is_empty() && !project.path().join("executed").exists());
}

#[test]
fn what_cannot_be_compared_is_said_with_the_reason() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = 'test -e prog'\nartifacts");
    let project = Project::repository().plan(&plan);
    let project =
        project.file("other", "").commit("nothing").file("prog", "exit\n").commit("something");
    let told = project.tacho("compare HEAD~1 HEAD").exits(2).stderr;
    assert!(told.contains("error: `HEAD~1` cannot be compared: its build failed: "), "{told}");
    let hint = "hint: `tacho show HEAD~1 --build-log` shows the build log\n";
    assert!(told.ends_with(hint), "{told}");
    let unknown = project.tacho("compare v9 HEAD").exits(2).stderr;
    assert!(unknown.starts_with("error: "), "{unknown}");
    let told = project.file("runs.json", "{}");
    let near = told.tacho("compare HEAD run.json").exits(2).stderr;
    assert_eq!(near, "error: there is no file `run.json`\nhint: did you mean `runs.json`?\n");
    let project = told;
    let program = project.tacho("compare HEAD sleep").exits(2).stderr;
    assert_eq!(
        program,
        "error: `sleep` is a program, not a revision\nhint: a revision cannot be compared with a \
         command: `tacho compare --command A B` compares two\n"
    );
    let both = project.tacho("compare command:true sleep").exits(2).stderr;
    assert!(both.ends_with("\nhint: `command:sleep` executes it\n"), "{both}");
    let missing = project.tacho("compare HEAD gone.json").exits(2).stderr;
    assert!(
        missing.starts_with("error: there is no file `gone.json`\nhint: a side is "),
        "{missing}"
    );
    let mistake = |typed: &str| project.tacho(&format!("compare HEAD~1 {typed}")).exits(2).stderr;
    assert_eq!(
        mistake("--margin 100%"),
        "error: `--margin 100%` is not a share between 0 % and 100 %\n\
         hint: write a share like `--margin 1%` or `--margin 0.5%`\n"
    );
    assert!(
        mistake("--precision x")
            .starts_with("error: `--precision x` is not a share between 0 % and 100 %\n")
    );
    assert_eq!(
        mistake("--fail-on bla"),
        "error: `--fail-on bla` is not a known condition\nhint: `slower` fails on rows that \
         are slower, `slower:5%` on rows that are certainly slower by 5 % or more, \
         `slower:5%,unclear` also on undecided rows\n"
    );
}

#[test]
fn a_precision_that_was_not_reached_is_told() {
    let project = Project::scripts(2);
    let told = project.tacho("compare HEAD~1 HEAD -r 6 --precision 0.00001%").exits(0).stdout;
    let (_, note) = told.split_once("\n± 0.00001 % not reached: answer · wall ± ").unwrap();
    assert!(note.lines().next().unwrap().ends_with(" % in 6 rounds"), "{told}");
    let row = &project.tacho("show run:1 --json").exits(0).json()["rows"][0];
    assert_eq!(row["precision"]["reached"], false);
    let [wanted, found] = ["wanted", "found"].map(|key| row["precision"][key].as_f64().unwrap());
    assert!((wanted - 1e-7).abs() < 1e-12 && found > wanted, "{row}");
    let usual = project.tacho("compare HEAD~1 HEAD -r 2 --json").exits(0).json();
    assert!(usual["rows"][0]["precision"].is_null(), "{usual}");
}

#[test]
fn what_is_asked_of_a_run_is_shown_or_refused() {
    let project = Project::scripts(2);
    project.tacho("compare HEAD~1 HEAD -r 4 --all-rounds").exits(0);
    let metrics = |typed: &str| {
        let shown = project.tacho(&format!("show run:1 --json {typed}")).exits(0).json();
        shown["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["metric"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(metrics("-m wall"), ["wall"]);
    assert_eq!(metrics("-m all"), metrics(""));
    let told = |typed: &str| project.tacho(&format!("show run:1 {typed}")).exits(2).stderr;
    assert!(
        told("-m nope").starts_with("error: `nope` was not compared; compared were: `wall`"),
        "{}",
        told("-m nope")
    );
    assert_eq!(
        told("--build-log"),
        "error: `--build-log` needs a revision, and this is a run\nhint: `tacho show REVISION \
         --build-log`\n"
    );
    assert!(
        told("--output").starts_with("error: `--output` needs a revision"),
        "{}",
        told("--output")
    );
    let all = project.tacho("show run:1 --samples --json").exits(0).json();
    let cells = all["samples"].as_array().unwrap();
    let counted = |cell: &Value| {
        let counts = |sample: &&Value| sample["valid"] == true && sample["warm_up"] == false;
        cell["samples"].as_array().unwrap().iter().filter(counts).count()
    };
    let counts: Vec<usize> = cells.iter().map(counted).collect();
    assert!(counts.len() >= 2 && counts.iter().all(|count| *count == 4), "{counts:?}");
    let text = project.tacho("show run:1 --samples").exits(0).stdout;
    assert_eq!(text.matches("\nanswer at ").count(), cells.len(), "{text}");
    assert_eq!(text.matches("position  at ").count(), cells.len(), "{text}");
}

#[test]
fn a_run_is_shown_again_in_markdown() {
    let project = Project::scripts(2);
    let first = project.tacho("compare HEAD~1 HEAD -r 6 --markdown").exits(0).stdout;
    let again = project.tacho("show run:1 --markdown").exits(0).stdout;
    let table = |text: &str| text.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n");
    assert_eq!(table(&again), table(&first));
    assert!(again.starts_with("**1 "), "{again}");
    assert!(
        again
            .contains("**\n\n| benchmark | metric | verdict | ratio | 95 % | HEAD~1 | HEAD | n | "),
        "{again}"
    );
    let revision = project.tacho("show HEAD --markdown").exits(2).stderr;
    assert_eq!(
        revision,
        "error: `--markdown` needs a comparison, such as `run:12`\nhint: `tacho show run:12 \
         --markdown` \
         writes a table of it\n"
    );
}

#[test]
fn what_fails_at_one_revision_is_told() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project =
        project.file("prog", "exit\n").commit("works").file("prog", "exit 3\n").commit("fails");
    let answer = project.tacho("compare HEAD~1 HEAD -r 3 --no-control").exits(2).stdout;
    assert!(
        answer.contains("failed at HEAD (exit 3); no round has values of both sides\n")
            && answer.contains(", n 1 and 0\n"),
        "{answer}"
    );
}

#[test]
fn the_time_without_a_shell_is_explained_once() {
    let commands = ["compare", "true | true", "true | cat", "-r", "2", "--no-control"];
    let told = Answer::of(&Project::empty().command(commands).output().unwrap()).stdout;
    let explained = "\nnet-wall: wall time without the start of the shell\n";
    assert_eq!(told.matches(explained).count(), 1, "{told}");
}

#[test]
fn a_short_budget_is_told_with_its_unit() {
    let project = Project::empty();
    let arguments = ["compare", "sleep 0.01", "sleep 0.011", "--budget", "1ms", "--no-control"];
    let told = Answer::of(&project.command(arguments).output().unwrap()).stdout;
    assert!(told.contains("the budget of 1.000 ms ended measuring after "), "{told}");
}

#[test]
fn commands_need_no_plan() {
    let project = Project::empty();
    let arguments = ["compare", "sleep 0.01", "sh -c 'sleep 0.7'", "-r", "6", "--no-control"];
    let told = Answer::of(&project.command(arguments).output().unwrap()).succeeds().stdout;
    assert!(
        told.starts_with("sh -c 'sleep 0.7' (a command) against sleep 0.01 (a command)\n"),
        "{told}"
    );
    assert!(told.contains("1 slower"), "{told}");
    let answer = project.tacho("compare --command true false -r 6 --json").exits(2).json();
    assert_eq!(answer["b"]["program"]["kind"], "command");
    assert_eq!(answer["rows"][0]["failure"], "exit 1");
    assert_eq!(answer["run"], serde_json::Value::Null, "nothing is kept");
    let failed = project.tacho("compare --command true false -r 6").exits(2).stdout;
    assert!(failed.contains("\n1 failed\n") && !failed.contains("run 1"), "{failed}");
    let no_plan = project.tacho("compare v1 v2").exits(2).stderr;
    assert!(no_plan.starts_with("error: there is no plan"), "{no_plan}");
    let none = project.command(["compare", "sleep 0.1", "nosuchprog x"]).output().unwrap();
    let none = Answer::of(&none).exits(2);
    assert!(
        none.stderr.contains("`nosuchprog`") && none.stdout.is_empty(),
        "before anything: {}",
        none.stderr
    );
    let mixed = project.tacho("compare true --save-as x --command").exits(2).stderr;
    assert!(mixed.starts_with("error: only one command was given\n"), "{mixed}");
}

#[test]
fn a_name_is_kept_and_measured_again_and_never_lost_silently() {
    let project = Project::scripts(2);
    project.tacho("compare HEAD~1 HEAD -r 2 --no-control --save-as good").exits(0);
    let again =
        project.tacho("compare HEAD HEAD~1 -r 2 --no-control --save-as good").exits(2).stderr;
    assert!(
        again.starts_with("error: there is a baseline `good` already\nhint: `--force` "),
        "{again}"
    );
    let project = project.file("prog", "echo answer # revision 3\n").commit("change 3");
    let told = project.tacho("compare good -r 2 --no-control").exits(0).stdout;
    assert!(told.contains(" against good (the baseline of run 1: the build "), "{told}");
    assert!(!told.contains("kept samples"), "{told}");
    let first = project.tacho("compare run:1/a run:1 -r 2 --no-control --json").exits(0).json();
    assert_eq!(
        (&first["a"]["name"], &first["a"]["program"]["kind"]),
        (&"run:1/a".into(), &"build".into())
    );
    let shown = project.tacho("show run:1 --json").exits(0).json();
    assert_eq!(
        (&shown["run"], &shown["rows"][0]["samples"]),
        (&1.into(), &serde_json::json!([2, 2]))
    );
    assert_eq!(shown["rows"][0]["estimator"], "all-ratios");
    let by_name = project.tacho("show good --json").exits(0).json();
    assert_eq!(by_name["run"], 1, "{by_name}");
    assert!(
        project.tacho("show saved:good --markdown").exits(0).stdout.contains("\n\n| benchmark |")
    );
    let none = project.tacho("show saved:god").exits(2).stderr;
    assert!(none.starts_with("error: unknown baseline `god`\n"), "{none}");
    let none = project.tacho("compare run:9 HEAD").exits(2).stderr;
    assert!(none.starts_with("error: unknown run 9\n"), "{none}");
}

#[test]
fn a_baseline_whose_commit_is_gone_is_still_what_was_measured() {
    let project = Project::scripts(2);
    project.tacho("compare HEAD~1 HEAD -r 2 --no-control --save-as good").exits(0);
    project.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    project.git(["reflog", "expire", "--expire=now", "--all"]);
    project.git(["gc", "--quiet", "--prune=now"]);
    let project = project.file("prog", "echo answer # otherwise\n").commit("otherwise");
    std::fs::remove_dir_all(project.cache()).unwrap();
    let told = project.tacho("compare good HEAD -r 2").exits(2);
    let expected = regex::Regex::new(
        "^note: the commit [0-9a-f]+ is gone from the repository; `--kept` uses the old samples of \
         `good`\nerror: `good` cannot be compared: its build is not kept any more",
    );
    assert!(expected.unwrap().is_match(&told.stderr), "{}", told.stderr);
    let json = project.tacho("compare good HEAD -r 2 --json").exits(2).json();
    assert_eq!(json["executed"], serde_json::json!([false, false]));
    project.tacho("compare good HEAD -r 2 --kept").exits(0);
}

#[test]
fn no_name_of_a_side_breaks_a_table_in_markdown() {
    let project = Project::empty();
    let sides = ["compare", "command:true | cat", "command:true\ntrue", "-r", "2", "--markdown"];
    let told = Answer::of(&done(&mut project.command(sides))).exits(0).stdout;
    let head = "| benchmark | metric | verdict | ratio | 95 % | true \\| cat | true true | n | ";
    let (_, told) = told.split_once("\n\n").unwrap();
    assert!(told.starts_with(head), "{told}");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let table: Vec<usize> =
        told.lines().take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(table.len() == 3 && table.iter().all(|of| *of == table[0]), "{told}");
}

#[test]
fn names_of_benchmarks_are_literal_and_on_one_line() {
    let named =
        |seconds: f64| hyperfine("sort <n> | `tr`\\nuniq", seconds).replace("]}]}", "]}, OTHER]}");
    let other = hyperfine("other", 0.1);
    let other = &other[r#"{"results": ["#.len()..other.len() - 2];
    let project = Project::empty()
        .wide()
        .file("<a>.json", &named(0.1).replace("OTHER", other))
        .file("b.json", &named(0.3).replace("OTHER", other));
    let text = project.tacho("compare <a>.json b.json").exits(0).stdout;
    assert!(text.contains("\n  sort <n> | `tr` uniq  time  "), "{text}");
    let markdown = project.tacho("compare <a>.json b.json --markdown").exits(0).stdout;
    assert!(markdown.contains("\n| sort \\<n> \\| \\`tr\\` uniq | time | "), "{markdown}");
    assert!(markdown.contains("not executed in this run: \\<a>.json and b.json"), "{markdown}");
}

#[test]
fn a_baseline_has_a_name_of_one_word() {
    let project = Project::scripts(2);
    for name in ["a\nb", "a/b", "a\u{202e}b", "a\tb"] {
        let typed = ["compare", "HEAD~1", "HEAD", "-r", "2", "--save-as", name];
        let refused = Answer::of(&project.command(typed).output().unwrap()).exits(2).stderr;
        let (first, hint) = refused.split_once('\n').unwrap();
        assert!(
            first.starts_with("error: `a")
                && first.ends_with("b` cannot be the name of a baseline"),
            "{refused}"
        );
        assert_eq!(
            hint,
            "hint: a name must not be a revision, and has no blanks, no line breaks, no `:` and \
             no `/`\n"
        );
    }
}

#[test]
fn a_budget_that_ended_nothing_is_not_said_to_be_too_small() {
    let compare = |asked: &str| {
        let asked = format!("compare command:true command:/bin/true --all-rounds {asked}");
        Project::empty().tacho(&asked).exits(0).stdout
    };
    let told = compare("-r 2 --budget 10m");
    assert!(told.contains("1 unclear") && !told.contains("the budget"), "{told}");
    let told = compare("--budget 50ms");
    assert!(
        !told.contains("1 unclear") || told.contains("the budget of 0.05 s ended measuring after "),
        "{told}"
    );
}

/// Two benchmarks with two metrics each.
fn two_by_two() -> Project {
    let more = SCRIPT_PLAN.replace("name = \"answer\"", "name = \"late\"");
    let (_, late) = more.split_once("[[benchmark]]").unwrap();
    let project = Project::scripts(2).plan(&format!("{SCRIPT_PLAN}\n[[benchmark]]{late}"));
    project.tacho("compare HEAD~1 HEAD -r 3 --all-rounds -m wall,cpu --save-as good").exits(0);
    project
}

#[test]
fn some_rows_of_a_run_are_shown_as_they_were_judged_among_all() {
    let project = two_by_two().wide();
    let rows = |asked: &str| {
        let answer = project.tacho(&format!("show run:1 --json {asked}")).exits(0).json();
        let rows = answer["rows"].as_array().unwrap().clone();
        (rows, answer["family"]["rows"].clone())
    };
    let (all, family) = rows("");
    assert_eq!((all.len(), &family), (4, &2.into()), "processor time follows from its parts");
    let (some, family) = rows("-b late -m cpu");
    assert_eq!(family, 2);
    let is_it = |row: &&Value| row["benchmark"] == "late" && row["metric"] == "cpu";
    assert_eq!(some, all.iter().filter(is_it).cloned().collect::<Vec<_>>());
    let text = project.tacho("show run:1 -b late -m wall").exits(0).stdout;
    assert!(
        text.contains("  late ") && !text.contains("  answer ") && !text.contains(" cpu "),
        "{text}"
    );
    assert!(text.contains("2 rows judged together"), "{text}");
    let unknown = project.tacho("show run:1 -b none").exits(2).stderr;
    assert_eq!(unknown, "error: unknown benchmark `none`\nhint: known: `answer`, `late`\n");
    let refused = project.tacho("show run:1 --diff").exits(2).stderr;
    assert!(refused.starts_with("error: `--diff` needs a revision"), "{refused}");
}

#[test]
fn each_sample_of_a_run_is_shown_of_both_sides() {
    let project = two_by_two();
    let of = |run: i64, benchmark: &str, side: &str| {
        let answer = project.tacho(&format!("show run:{run} --samples --json")).exits(0).json();
        let sides = answer["samples"].as_array().unwrap().clone();
        let is_it = |it: &&Value| it["benchmark"] == benchmark && it["side"] == side;
        let [side] = sides.iter().filter(is_it).collect::<Vec<_>>()[..] else { panic!("{answer}") };
        let counted = side["samples"].as_array().unwrap().iter().filter(|it| it["round"] != 0);
        counted
            .map(|it| (it["run"].as_i64().unwrap(), it["values"]["wall"].clone()))
            .collect::<Vec<_>>()
    };
    let [a, b, control] = ["a", "b", "control"].map(|side| of(1, "late", side));
    assert!(
        [&a, &b, &control].iter().all(|side| side.len() == 3) && a != b && a != control,
        "{a:?}"
    );
    let text = project.tacho("show run:1 --samples -b late -m wall").exits(0).stdout;
    for head in ["late at HEAD~1\n", "late at HEAD\n", "late at HEAD~1, once more as the control\n"]
    {
        assert!(text.contains(head), "{text}");
    }
    assert!(!text.contains("answer at "), "{text}");
    project.tacho("compare good HEAD~1 --kept -r 4 --all-rounds").exits(0);
    assert_eq!(of(2, "answer", "a"), of(1, "answer", "b"), "those of the run that measured it");
    assert_eq!(of(2, "answer", "b").len(), 4);
}

#[test]
fn values_of_parameters_are_compared_at_one_revision() {
    let plan = SCRIPT_PLAN.replace("sh {build}/prog", "sh {build}/prog {n}");
    let project = Project::repository().plan(&format!("{plan}parameters = {{ n = [1, 2] }}\n"));
    let project = project.file("prog", "exit\n").commit("works");
    let answer =
        project.tacho("compare HEAD:n=1 HEAD:n=2 -r 2 --no-control --json").exits(0).json();
    assert_eq!(answer["rows"].as_array().unwrap().len(), 1);
    assert_eq!(answer["rows"][0]["benchmark"], "answer");
    assert_eq!(answer["b"]["program"]["parameters"], serde_json::json!({ "n": 2 }));
    let page = page(&project, 1);
    assert!(
        page.contains("<h1>HEAD:n=2 against HEAD:n=1</h1>"),
        "of one revision, and no diff: {page}"
    );
    assert!(!page.contains("without"), "{page}");
    let one = project.tacho("compare HEAD:n=1 HEAD").exits(2).stderr;
    assert!(one.contains("both sides must set the same parameters"), "{one}");
    let before = project.tacho("log --json").exits(0).json();
    for sides in ["HEAD:n=1 HEAD:n=3", "HEAD:n=3 HEAD:n=1"] {
        let unknown = project.tacho(&format!("compare {sides}")).exits(2).stderr;
        assert!(unknown.contains("`answer` has no n = 3; known: 1, 2\n"), "{unknown}");
    }
    assert_eq!(project.tacho("log --json").exits(0).json(), before, "no run was begun");
}

/// A file of hyperfine's with so many times of that command, around so many seconds.
fn hyperfine(command: &str, seconds: f64) -> String {
    let times: Vec<String> =
        (0..20).map(|n| format!("{}", seconds * (1.0 + 0.0001 * f64::from(n)))).collect();
    format!(r#"{{"results": [{{"command": "{command}", "times": [{}]}}]}}"#, times.join(", "))
}

#[test]
fn files_of_other_tools_are_compared_and_never_as_if_of_today() {
    let project = Project::empty()
        .wide()
        .file("old.json", &hyperfine("old", 0.1))
        .file("new.json", &hyperfine("new", 0.11));
    let told = project.tacho("compare old.json new.json").exits(0).stdout;
    insta::assert_snapshot!(told, @r"
    new.json (a report of hyperfine) against old.json (a report of hyperfine)

      benchmark  metric   n  old.json  new.json    ratio           95 %  ratio of  detectable  verdict
      old → new  time    20  100.1 ms  110.1 ms  × 1.100  0.922 … 1.313  runs          26.7 %  unclear: measuring both sides again may decide

    not executed in this run: old.json and new.json; the interval includes the variation between runs of one program (a standard deviation of up to 4.5 %, assumed: this host has few earlier runs)
    1 unclear; smallest detectable difference (with a chance of 80 %): 26.7 %
    ");
    let answer = project.tacho("compare file:old.json file:new.json --json").exits(0).json();
    assert_eq!(
        answer["a"]["program"],
        serde_json::json!({ "kind": "file", "file": "old.json", "tool": "hyperfine" })
    );
    assert_eq!(answer["executed"], serde_json::json!([false, false]));
    let row = &answer["rows"][0];
    assert_eq!((&row["verdict"], &row["estimator"]), (&"unclear".into(), &"runs".into()));
    assert_eq!(row["between_runs"]["assumed"], true);
    // All of the one lie above all of the other, which says nothing of other runs.
    assert_eq!(row["rank_test"]["test"], "mann-whitney");
    assert!(row["rank_test"]["p"].as_f64().unwrap() < 1e-6, "{row}");
    project
        .file("twice.json", &hyperfine("new", 0.2))
        .tacho("compare old.json twice.json --fail-on slower")
        .exits(1);
}

/// Nobody is to believe that it was checked.
#[test]
fn a_gate_says_what_it_cannot_tell_and_fails_on_it_if_asked_to() {
    let project = Project::empty()
        .file("old.json", &hyperfine("old", 0.1))
        .file("new.json", &hyperfine("new", 0.11));
    let gate =
        |fail_on: &str| project.tacho(&format!("compare old.json new.json --fail-on {fail_on}"));
    let told = gate("slower:5%").exits(0);
    assert!(told.stdout.contains("\n1 unclear; "), "{}", told.stdout);
    assert_eq!(
        told.stderr,
        "warning: 1 of 1 row is undecided at the limit of 5 %, and `--fail-on \
         slower:5%` lets it pass:\n\
         \x20 old → new · time: slower by at most 31.3 %, if at all\n\
         hint: `--fail-on slower:5%,unclear` fails on it\n"
    );
    assert_eq!(
        gate("slower:5%,unclear").exits(1).stderr,
        "warning: 1 of 1 row is undecided at the limit of 5 %, and `--fail-on \
         slower:5%,unclear` fails:\n\
         \x20 old → new · time: slower by at most 31.3 %, if at all\n\
         error: `--fail-on slower:5%,unclear`: failed because of old → new · time (slower by at \
         most 31.3 %, if at all)\n"
    );
    // The same row is unclear, and yet not slower by so much.
    assert_eq!(
        gate("slower:40%,unclear").exits(0).stderr,
        "note: no row is unclear at the limit of 40 %: 1 unclear row is certainly below it\n"
    );
    assert_eq!(
        gate("unclear").exits(1).stderr,
        "warning: 1 of 1 row is unclear, and `--fail-on unclear` fails:\n  old → new · time: \
         unclear\nerror: `--fail-on unclear`: failed because of old → new · time (unclear)\n"
    );
    let json = gate("slower:5%,unclear --json").exits(1).json();
    assert_eq!(
        json["fail_on"],
        serde_json::json!({
            "typed": "slower:5%,unclear", "slower": 0.05, "unclear": true, "missing": false, "open": 1, "failed": true
        })
    );
    assert_eq!(
        (&json["rows"][0]["fail_on"], &json["rows"][0]["fail_on_more_rounds"]),
        (&"open".into(), &Value::Null)
    );
    assert_eq!(gate("slower:40% --json").exits(0).json()["rows"][0]["fail_on"], "below");
    let markdown = gate("slower:5% --markdown").exits(0).stdout;
    assert!(
        markdown.ends_with(
            "\n- warning: 1 of 1 row is undecided at the limit of 5 %, and `--fail-on \
         slower:5%` lets it pass:\n\
             \x20 - old → new · time: slower by at most 31.3 %, if at all\n"
        ),
        "{markdown}"
    );
    let none = project.tacho("compare old.json new.json --json").exits(0).json();
    assert_eq!((&none["fail_on"], &none["rows"][0]["fail_on"]), (&Value::Null, &Value::Null));
}

/// Only a time or a rate is slower.
#[test]
fn a_size_is_worse_and_not_slower() {
    let project = steady().wide();
    let told = project.tacho("compare thousand more -r 8 -m errors,size").exits(0).stdout;
    assert!(told.contains("  worse\n") && told.contains("\n2 worse\n"), "{told}");
    let better = project.tacho("compare more thousand -r 8 -m errors,size").exits(0).stdout;
    assert!(better.contains("  better\n") && !(told + &better).contains("slower"), "{better}");
}

/// Long after its exit status is gone.
#[test]
fn how_a_gate_stood_is_told_by_the_run_and_its_page() {
    let project = steady();
    let gate = |sides: &str, gate: &str, exits: i32| {
        let typed = format!("compare {sides} -r 8 -m errors,size --fail-on {gate} --json");
        project.tacho(&typed).exits(exits).json()["run"].as_i64().unwrap()
    };
    let failed = gate("thousand more", "slower:8%", 1);
    let passed = gate("thousand more", "slower:20%", 0);
    let beyond = gate("zero hundred", "slower:25%", 1);
    project.tacho("site pages --quiet").exits(0);
    for (run, told) in [
        (failed, "slower:8%: failed because of check · size (worse by 10.0 %)"),
        (passed, "slower:20%: passed"),
        (
            beyond,
            "slower:25%: failed because of check · errors (worse: values of 0 or below have no \
             percentage)",
        ),
    ] {
        let line = format!("\n--fail-on {told}\n");
        let shown = project.tacho(&format!("show run:{run}")).exits(0).stdout;
        assert!(shown.contains(&line), "{line} {shown}");
        let page =
            std::fs::read_to_string(project.path().join(format!("pages/comparison/{run}.html")));
        let html = format!("<p><code>--fail-on {}.</p>", told.replacen(": ", "</code>: ", 1));
        assert!(page.as_ref().unwrap().contains(&html), "{html} {page:?}");
    }
    let shown = project.tacho(&format!("show run:{failed} --json")).exits(0).json();
    assert_eq!(
        (&shown["fail_on"]["typed"], &shown["fail_on"]["failed"]),
        (&"slower:8%".into(), &true.into())
    );
    let errors = project.tacho(&format!("show run:{failed} --json -m errors")).exits(0).json();
    assert_eq!(errors["fail_on"], Value::Null, "of some rows alone");
}

#[test]
fn a_gate_with_too_few_rounds_says_how_many_it_takes() {
    let project = Project::scripts(2).wide();
    let told = project.tacho("compare HEAD~1 HEAD -r 2 -m wall --fail-on slower:5%").exits(0);
    assert!(
        told.stderr.ends_with(
            "warning: 1 of 1 row is undecided at the limit of 5 %, and `--fail-on \
         slower:5%` lets it pass:\n\
             \x20 answer · wall: an interval of this ratio needs 3 rounds\n\
             hint: `--fail-on slower:5%,unclear` fails on it\n"
        ),
        "{}",
        told.stderr
    );
    let row = told.stdout.lines().nth(3).unwrap();
    assert!(
        row.ends_with("  unclear: an interval of this ratio needs 3 rounds"),
        "{}",
        told.stdout
    );
    project.tacho("compare HEAD~1 HEAD -r 2 -m wall --fail-on slower:5%,unclear").exits(1);
    let steady = steady();
    let few = steady
        .tacho("compare zero hundred -m errors -r 2 --fail-on slower:5%,unclear")
        .exits(1)
        .stderr;
    let few = few.split_once("  check · errors: 1 more round (").unwrap().1;
    let (few, gate) = few.split_once('\n').unwrap();
    assert!(few.ends_with(") would decide at the margin of 1 %"), "{few}");
    assert!(
        gate.starts_with(
            "error: `--fail-on slower:5%,unclear`: failed because of check · errors ("
        ),
        "{gate}"
    );
    // The rows of the warning are not named once more.
    let two = "compare zero hundred -m errors,size -r 2 --fail-on slower:5%,unclear";
    let said = steady.tacho(two).exits(1).stderr;
    let end = "\nerror: `--fail-on slower:5%,unclear`: failed because of 2 undecided rows\n";
    assert!(said.ends_with(end) && said.matches("check · size").count() == 1, "{said}");
}

#[test]
fn what_only_one_side_has_is_told_and_may_be_a_failure() {
    let old = hyperfine_of(&[("a", 0.1), ("b", 0.2), ("c", 0.1)]);
    let new = hyperfine_of(&[("a", 0.1), ("d", 0.2)]);
    let project = Project::empty().file("old.json", &old).file("new.json", &new);
    let compare = |typed: &str| project.tacho(&format!("compare old.json new.json {typed}"));
    assert_eq!(
        compare("").exits(0).stderr,
        "note: only `old.json` has `b`, `c`\nnote: only `new.json` has `d`\n"
    );
    assert_eq!(
        compare("--fail-on slower:50%").exits(0).stderr,
        "warning: only `old.json` has `b`, `c`: `--fail-on slower:50%` ignores this\n\
         hint: `--fail-on slower:50%,missing` fails on benchmarks that only A has\n\
         note: only `new.json` has `d`\n"
    );
    assert_eq!(
        compare("--fail-on slower:50%,missing").exits(1).stderr,
        "warning: only `old.json` has `b`, `c`: `--fail-on slower:50%,missing` fails\n\
         note: only `new.json` has `d`\n\
         error: `--fail-on slower:50%,missing`: failed because of benchmarks that only `old.json` \
         has (b, c)\n"
    );
    compare("--fail-on missing --junit lone.xml").exits(1);
    let junit = std::fs::read_to_string(project.path().join("lone.xml")).unwrap();
    assert!(junit.contains("tests=\"3\" failures=\"2\""), "{junit}");
    assert!(junit.contains("name=\"c\">\n      <failure message=\"only old.json has it\"/>"));
    let slower = hyperfine_of(&[("a", 0.2), ("d", 0.2)]);
    std::fs::write(project.path().join("slower.json"), slower).unwrap();
    let gate = "compare old.json slower.json --fail-on slower:9%,missing --markdown";
    let headline = project.tacho(gate).exits(1).stdout;
    let rest = " and benchmarks that only `old.json` has (b, c)**\n";
    assert!(headline.starts_with("**1 slower: fails on ") && headline.contains(rest), "{headline}");
    let json = compare("--fail-on missing --json").exits(1).json();
    assert_eq!(
        (&json["only_a"], &json["only_b"]),
        (&serde_json::json!(["b", "c"]), &serde_json::json!(["d"]))
    );
    assert_eq!(json["fail_on"]["failed"], true);
    let markdown = compare("--fail-on slower:50% --markdown").exits(0).stdout;
    assert!(
        markdown.ends_with(
            "\n- warning: only `old.json` has `b`, `c`: `--fail-on slower:50%` ignores this\n\
             - only `new.json` has `d`\n"
        ),
        "{markdown}"
    );
    // What is new is no failure, and neither is what was not requested.
    project.tacho("compare new.json old.json --fail-on missing -b a").succeeds();
    compare("--fail-on missing --benchmark a").succeeds();
    assert_eq!(
        compare("--benchmark e").exits(2).stderr,
        "error: unknown benchmark `e`\nhint: known: `a`, `b`, `c`, `d`\n"
    );
    let common = compare("--benchmark b").exits(2).stderr;
    assert!(common.contains("have nothing in common: no benchmark"), "{common}");
    let comma = compare("--fail-on slower,").exits(2).stderr;
    assert!(comma.starts_with("error: `--fail-on` has an empty condition"), "{comma}");
    assert_eq!(
        project.tacho("compare old.json true -r 2").exits(2).stderr,
        "error: `old.json` has 3 benchmarks, and a command is compared with one\n\
         hint: name one of them: `--benchmark 'a'`\n"
    );
    project.tacho("compare old.json true -r 2 -b c").exits(0);
    let named = project.tacho("compare true false -r 2 -b c").exits(2).stderr;
    assert!(named.starts_with("error: `--benchmark` names benchmarks of a plan"), "{named}");
    let failed = project.tacho("compare true false -r 2").exits(2).stderr;
    let error = "error: not compared: `command` failed at false (exit 1)\n";
    assert!(failed.ends_with(error), "{failed}");
}

#[test]
fn a_benchmark_that_the_plan_lost_is_not_forgotten() {
    let project = Project::scripts(2);
    let more = SCRIPT_PLAN.replace("name = \"answer\"", "name = \"late\"");
    let (_, late) = more.split_once("[[benchmark]]").unwrap();
    let project = project.plan(&format!("{SCRIPT_PLAN}\n[[benchmark]]{late}"));
    project.tacho("compare HEAD~1 HEAD -r 3 --no-control --save-as good").exits(0);
    let project = project.plan(SCRIPT_PLAN);
    let told = project
        .tacho("compare good HEAD~1 --kept -r 3 -m wall --fail-on slower:5%,missing")
        .exits(1)
        .stderr;
    assert!(
        told.contains(
            "warning: only `good` has `late`: `--fail-on slower:5%,missing` fails\nerror: "
        ),
        "{told}"
    );
    let told = project.tacho("compare good HEAD~1 --kept -r 3").exits(0).stderr;
    assert!(told.ends_with("note: only `good` has `late`\n"), "{told}");
}

/// Its other executions, which are faster, are not all of it.
#[test]
fn a_file_with_executions_that_reached_a_limit_is_refused() {
    let limited = r#"{"results": [{"command": "b", "times": [0.05, null, 0.05], "limited": 1}]}"#;
    let null = r#"{"results": [{"command": "b", "times": [0.05, null, 0.05]}]}"#;
    let project = Project::empty().file("a.json", &hyperfine("a", 0.1));
    let project = project.file("limited.json", limited).file("null.json", null);
    let refused = |file: &str| {
        project.tacho(&format!("compare a.json {file} --fail-on slower:5%")).exits(2).stderr
    };
    let (why, null) = (refused("limited.json"), refused("null.json"));
    assert!(
        why.contains("1 of its executions reached a limit, so their real times are unknown"),
        "{why}"
    );
    assert!(null.contains("1 of 3 values of `times` are not numbers"), "{null}");
}

/// Twenty executions of a command, of which the last ones reached a limit of a second.
fn cut_off(limited: usize) -> String {
    let known = (limited..20).map(|n| format!("{}", 0.2 * (1.0 + 0.0001 * n as f64)));
    let times: Vec<String> = known.chain((0..limited).map(|_| "null".to_owned())).collect();
    let bounds = vec!["1.0"; limited].join(", ");
    format!(
        r#"{{"results": [{{"command": "b", "times": [{}], "limited": {limited}, "limit": "limit reached: 1 s",
            "times_at_least": [{bounds}]}}]}}"#,
        times.join(", ")
    )
}

#[test]
fn a_file_of_ours_says_what_its_executions_that_reached_a_limit_would_have_been_at_least() {
    let project = Project::empty().file("a.json", &hyperfine("a", 0.1));
    let project = project.file("some.json", &cut_off(5)).file("all.json", &cut_off(20));
    let row = |files: &str| {
        let json = project.tacho(&format!("compare {files} --fail-on slower:5% --json"));
        json.json()["rows"][0].clone()
    };
    let some = row("a.json some.json");
    assert_eq!(
        (&some["verdict"], &some["limited"], &some["samples"]),
        (&"slower".into(), &serde_json::json!([0, 5]), &serde_json::json!([20, 20]))
    );
    assert!(
        some["at_least"].is_null() && some["b"].as_f64().unwrap() < 0.21e9,
        "the median is known: {some}"
    );
    let all = row("a.json all.json");
    assert_eq!((&all["verdict"], &all["b"]), (&"slower".into(), &1e9.into()), "{all}");
    assert_eq!(all["at_least"], serde_json::json!(["b", "ratio", "difference"]));
    let both = row("all.json all.json");
    assert_eq!((&both["verdict"], &both["ratio"]), (&"unclear".into(), &Value::Null), "{both}");
    let told = project.tacho("compare a.json all.json --fail-on slower:5%").exits(1).stdout;
    assert!(
        told.contains(
            "limit reached: 1 s (20 executions of all.json): their true values may be larger"
        ),
        "{told}"
    );
}

#[test]
fn what_executes_nothing_waits_for_nobody() {
    let project = Project::empty()
        .file("old.json", &hyperfine("old", 0.1))
        .file("new.json", &hyperfine("new", 0.11));
    let path = project.path().join(".tacho-lock");
    let held = tacho_measure::lock_host(&path, "another", tacho_measure::LockWait::No).unwrap();
    project.tacho("compare old.json new.json").exits(0);
    assert!(
        project.tacho("compare true false --command").exits(2).stderr.contains("in `another`)")
    );
    drop(held);
}

/// What `go test -bench` prints of these benchmarks, by names with their ends.
fn go_bench(names: &[&str], nanoseconds: u32) -> String {
    let line = |name: &str, n: u32| format!("Benchmark{name}\t100\t{} ns/op\n", nanoseconds + n);
    names.iter().flat_map(|name| (0..8).map(move |n| line(name, n))).collect()
}

#[test]
fn benchmarks_of_go_on_other_numbers_of_processors_are_the_same_under_another_condition() {
    let project = Project::empty()
        .file("a.txt", &go_bench(&["Sum-8", "Sort/n-16-8", "Old-8"], 1000))
        .file("b.txt", &go_bench(&["Sum-16", "Sort/n-16-16"], 2000))
        .file("one.txt", &go_bench(&["Sum", "Sort/n-16"], 2000))
        .file("sum.txt", &go_bench(&["Sum-4"], 2000))
        .file("total.txt", &go_bench(&["Total-8"], 1000));
    assert_eq!(
        project.tacho("compare a.txt b.txt").exits(2).stderr,
        "error: A and B were not measured alike: GOMAXPROCS is 8 for a.txt, 16 \
         for b.txt\nhint: `--regardless` compares them anyway\n"
    );
    let answer = |sides: &str| {
        project.tacho(&format!("compare {sides} --regardless --json")).exits(0).json()
    };
    let told = answer("a.txt b.txt");
    assert_eq!(told["otherwise"], serde_json::json!(["GOMAXPROCS is 8 for a.txt, 16 for b.txt"]));
    assert_eq!(told["only_a"], serde_json::json!(["BenchmarkOld"]));
    let names: Vec<&Value> =
        told["rows"].as_array().unwrap().iter().map(|row| &row["benchmark"]).collect();
    assert_eq!(names, ["BenchmarkSum", "BenchmarkSort/n-16"]);
    let told = answer("one.txt b.txt");
    assert_eq!(told["otherwise"], serde_json::json!(["GOMAXPROCS is 1 for one.txt, 16 for b.txt"]));
    assert_eq!(told["rows"].as_array().unwrap().len(), 2);
    let told = answer("total.txt sum.txt");
    assert_eq!(
        told["otherwise"],
        serde_json::json!(["GOMAXPROCS is 8 for total.txt, 4 for sum.txt"]),
        "alone"
    );
    let none = project.tacho("compare a.txt total.txt").exits(2).stderr;
    assert!(none.contains("no benchmark with the same metric is in both"), "{none}");
}

/// A file of hyperfine's with one command, which ended so.
fn ended(command: &str, codes: [u8; 20]) -> String {
    hyperfine(command, 0.1).replacen("]}]}", &format!(r#"], "exit_codes": {codes:?}}}]}}"#), 1)
}

#[test]
fn a_file_of_executions_that_failed_is_not_alike_beside_a_command() {
    let mut some = [0; 20];
    some[3] = 2;
    let project = Project::scripts(1)
        .file("failed.json", &ended("true", some))
        .file("well.json", &ended("true", [0; 20]))
        .file("other.json", &ended("false", [1; 20]))
        .file("answer.json", &ended("answer", [1; 20]));
    let refused = |sides: &str| project.tacho(&format!("compare {sides} -r 4")).exits(2).stderr;
    assert_eq!(
        refused("file:failed.json command:true"),
        "error: A and B were not measured alike: \
         exit status of `true` is 2 in 1 of 20 executions for failed.json, 0 for true\n\
         hint: `--regardless` compares them anyway\n"
    );
    assert!(
        refused("command:true file:failed.json").contains("exit status of `true` is 0 for "),
        "the other way"
    );
    let told = project
        .tacho("compare file:failed.json command:true -r 4 --regardless --json")
        .exits(0)
        .json();
    assert!(
        told["otherwise"][0].as_str().unwrap().starts_with("exit status of `true` is 2 in 1 of 20"),
        "{told}"
    );
    project.tacho("compare file:well.json command:true -r 4").exits(0);
    let of_plan = refused("file:answer.json HEAD");
    assert!(
        of_plan.contains("exit status of `answer` is 1 in 20 of 20 executions for "),
        "{of_plan}"
    );
    let files = project.tacho("compare file:other.json file:well.json").exits(2).stderr;
    assert!(
        files.contains("exit status is 1 in 20 of 20 executions for "),
        "whatever they are called: {files}"
    );
}

#[test]
fn how_to_execute_is_a_mistake_where_nothing_is_executed() {
    let project = Project::empty()
        .file("old.json", &hyperfine("old", 0.1))
        .file("new.json", &hyperfine("new", 0.11));
    let mistake =
        |typed: &str| project.tacho(&format!("compare old.json new.json {typed}")).exits(2).stderr;
    assert_eq!(
        mistake("-r 10"),
        "error: neither A nor B is executed, so `--rounds` has no meaning\nhint: leave this \
         option out: A and B are compared as they were measured\n"
    );
    let several = mistake("--all-rounds --wait --seed 7 --no-control --budget 1m");
    let listed = "`--budget`, `--all-rounds`, `--no-control`, `--seed`, `--wait` have no meaning\n";
    assert!(several.contains(listed), "{several}");
    assert!(
        mistake("--precision 1%").contains("so `--precision` has no meaning\n"),
        "as it ends executing"
    );
    project.tacho("compare old.json true -r 4").succeeds();
}

/// A file of hyperfine's with several commands, each with so many times around so many seconds.
fn hyperfine_of(commands: &[(&str, f64)]) -> String {
    let mut all = Vec::new();
    for (command, seconds) in commands {
        let one = hyperfine(command, *seconds);
        all.push(one[r#"{"results": ["#.len()..one.len() - 2].to_owned());
    }
    format!(r#"{{"results": [{}]}}"#, all.join(", "))
}

#[test]
fn trade_offs_come_first_and_several_rows_are_judged_together() {
    let old = hyperfine_of(&[("even", 0.1), ("down", 0.2), ("up", 0.1), ("double", 0.1)]);
    let new = hyperfine_of(&[("even", 0.1), ("down", 0.1), ("up", 0.3), ("double", 0.2)]);
    let project = Project::empty().wide().file("old.json", &old).file("new.json", &new);
    let told = project.tacho("compare old.json new.json").exits(0).stdout;
    let (_, rows) = told.split_once("\n\n").unwrap();
    insta::assert_snapshot!(rows, @r"
      benchmark  metric   n  old.json  new.json    ratio           95 %  ratio of  detectable  verdict
      up         time    20  100.1 ms  300.3 ms   × 3.00    2.51 … 3.58  runs          26.7 %  slower
      double     time    20  100.1 ms  200.2 ms  × 2.000   1.676 … 2.39  runs          26.7 %  slower
      down       time    20  200.2 ms  100.1 ms  × 0.500  0.419 … 0.597  runs          26.7 %  faster
      even       time    20  100.1 ms  100.1 ms  × 1.000  0.838 … 1.193  runs          26.7 %  unclear: measuring both sides again may decide

    not executed in this run: old.json and new.json; the interval includes the variation between runs of one program (a standard deviation of up to 4.5 %, assumed: this host has few earlier runs)
    a trade-off: 2 slower, 1 faster, 1 unclear; smallest detectable difference (with a chance of 80 %): 26.7 %
    4 rows judged together: at most 5 % of reported differences are expected to be false
    ");
    let answer = project.tacho("compare old.json new.json --json").exits(0).json();
    assert_eq!(answer["family"], serde_json::json!({ "rows": 4, "false_discovery": 0.05 }));
    let rows = answer["rows"].as_array().unwrap().iter();
    let names: Vec<&str> = rows.filter_map(|row| row["benchmark"].as_str()).collect();
    assert_eq!(
        (names, answer["trade_off"].as_bool()),
        (vec!["up", "double", "down", "even"], Some(true))
    );
    let markdown = project.tacho("compare old.json new.json --markdown").exits(0).stdout;
    let list = markdown.splitn(3, "\n\n").last().unwrap();
    assert!(list.starts_with("- not executed in this run: old.json and new.json; "), "{markdown}");
    assert!(list.contains("\n- a trade-off: 2 slower, 1 faster, 1 unclear; "), "{markdown}");
    let alone = project.tacho("compare old.json old.json --regardless --json").exits(0).json();
    assert_eq!((alone["family"]["rows"].as_u64(), &alone["trade_off"]), (Some(4), &false.into()));
}

#[test]
fn a_file_stands_beside_a_command() {
    let project = Project::empty().file("old.json", &hyperfine("anything", 3.0));
    let answer = project
        .command(["compare", "old.json", "sleep 0.01", "-r", "5", "--json"])
        .output()
        .unwrap();
    let answer = Answer::of(&answer).succeeds().json();
    let row = &answer["rows"][0];
    assert_eq!((&row["verdict"], &row["metric"]), (&"faster".into(), &"wall".into()));
    assert_eq!(
        (&row["samples"], &answer["executed"]),
        (&serde_json::json!([20, 5]), &serde_json::json!([false, true]))
    );
}

#[test]
fn what_is_no_report_of_the_same_host_is_refused() {
    let go = |cpu: &str| {
        format!("cpu: {cpu}\nBenchmarkSort-2 100 1200 ns/op\nBenchmarkSort-2 100 1210 ns/op\n")
    };
    let project =
        Project::empty().file("a.txt", &go("fast")).file("b.txt", &go("slow")).file("c", "words\n");
    let other = project.tacho("compare a.txt b.txt").exits(2).stderr;
    assert_eq!(
        other,
        "error: A and B were not measured alike: cpu is fast for a.txt, slow for b.txt\n\
         hint: `--regardless` compares them anyway\n"
    );
    let told = project.tacho("compare a.txt b.txt --regardless").exits(0).stdout;
    assert!(told.contains("not measured alike: cpu is fast for a.txt, slow for b.txt\n"), "{told}");
    let markdown = project.tacho("compare a.txt b.txt --regardless --markdown").exits(0).stdout;
    assert!(
        markdown.contains("\n- not measured alike: cpu is fast for a.txt, slow for b.txt\n"),
        "{markdown}"
    );
    let none = project.tacho("compare file:a.txt file:c").exits(2).stderr;
    assert!(
        none.starts_with("error: `c` is not a report: its format is not that of a known tool\n"),
        "{none}"
    );
    let project = project.file("broken.json", "{").file("words.json", "words\n");
    for missing in ["a.txt gone.json", "gone.json a.txt", "./gone.json a.txt"] {
        let told = project.tacho(&format!("compare {missing}")).exits(2).stderr;
        assert!(
            told.starts_with("error: there is no file `") && told.contains("gone.json`\n"),
            "{missing}: {told}"
        );
    }
    let own = project.tacho("bench true -r 2 --json --quiet").exits(0).stdout;
    let project = project.file("own.json", &own);
    project.tacho("bench true -r 2 --quiet --export-csv own.csv").exits(0);
    for (file, what) in [("own.json", "an answer of tacho in JSON"), ("own.csv", "a table, ")] {
        let said = project.tacho(&format!("compare {file} a.txt")).exits(2).stderr;
        assert!(said.contains(&format!("`{file}` is not a report: it is {what}")), "{said}");
        assert!(said.contains("hint: `tacho bench --export-json FILE` writes one "), "{said}");
    }
    let broken = project.tacho("compare broken.json words.json").exits(2).stderr;
    assert!(broken.starts_with("error: `broken.json` is not a report: "), "{broken}");
    let unknown = project.tacho("compare a.txt a.txt -m B/op").exits(2).stderr;
    assert!(unknown.contains("`ns/op`"), "{unknown}");
}

#[test]
fn what_was_kept_is_compared_without_measuring_it_again() {
    let project = Project::scripts(2);
    project.tacho("compare HEAD~1 HEAD -r 4 --no-control --save-as good").exits(0);
    let answer = project.tacho("compare run:1/a good --kept --json").exits(0).json();
    assert_eq!(
        (&answer["run"], &answer["rows"][0]["estimator"]),
        (&serde_json::Value::Null, &"runs".into())
    );
    assert_eq!(answer["rows"][0]["samples"], serde_json::json!([4, 4]));
    let half = project.tacho("compare good HEAD~1 --kept -r 5 --json").exits(0).json();
    assert_eq!((&half["executed"], &half["run"]), (&serde_json::json!([false, true]), &2.into()));
    assert_eq!(
        (&half["rows"][0]["samples"], &half["rows"][0]["control"]),
        (&serde_json::json!([4, 5]), &serde_json::Value::Null)
    );
    let again = project.tacho("show run:2 --json").exits(0).json();
    assert_eq!(again["rows"], half["rows"], "judged again from what is kept");
    let page = page(&project, 2);
    for text in [
        "<h1>HEAD~1 against good</h1>",
        "good was not executed: its values are those of run 1. HEAD~1 was executed in this run, \
         by itself.",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let markdown = project.tacho("show run:2 --markdown").exits(0).stdout;
    assert!(markdown.contains("\n- not executed in this run: good; "), "{markdown}");
    let none = project.tacho("compare HEAD~1 HEAD --kept").exits(2).stderr;
    assert!(
        none.starts_with(
            "error: `--kept` needs a baseline or a run, and neither A nor B is one\nhint: name a "
        ),
        "{none}"
    );
}

/// What is measured later, at another level, tells more of the host, and must not change what was
/// judged before.
#[test]
fn a_run_beside_a_baseline_is_judged_at_any_time_as_on_its_day() {
    let project = Project::repository().plan(SCRIPT_PLAN).file("nap", "0.01");
    let nap = project.path().join("nap").display().to_string();
    let prog = |n: u32| format!("sleep $(cat {nap}) # revision {n}\n");
    let project = project.file("prog", &prog(1)).commit("one").file("prog", &prog(2)).commit("two");
    let both = "compare HEAD~1 HEAD -r 3 --all-rounds --no-control";
    project.tacho(&format!("{both} --save-as good")).exits(0);
    let on_the_day = project.tacho("compare good HEAD~1 --kept -r 4 --json").exits(0).json();
    let shown = || {
        ["--json", "", "--markdown"]
            .map(|form| project.tacho(&format!("show run:2 {form}")).exits(0).stdout)
    };
    let before = shown();
    for nap in ["0.03", "0.06"] {
        std::fs::write(project.path().join("nap"), nap).unwrap();
        project.tacho(both).exits(0);
    }
    assert_eq!(shown(), before);
    let again: Value = serde_json::from_str(&before[0]).unwrap();
    assert_eq!(again["rows"], on_the_day["rows"]);
}

#[test]
fn a_benchmark_that_a_baseline_never_measured_is_named() {
    let project = Project::scripts(2).wide();
    project.tacho("compare HEAD~1 HEAD -r 3 --no-control --save-as good").exits(0);
    let more = SCRIPT_PLAN.replace("name = \"answer\"", "name = \"late\"");
    let (_, late) = more.split_once("[[benchmark]]").unwrap();
    let project = project.plan(&format!("{SCRIPT_PLAN}\n[[benchmark]]{late}"));
    let told = project.tacho("compare good HEAD~1 --kept -r 3").exits(2).stdout;
    assert!(told.contains("  `good` has no measurements of `late`\n"), "{told}");
    assert!(told.contains("1 not measured; ") || told.contains("1 not measured\n"), "{told}");
    let again = project.tacho("show run:2 --json").exits(0).json();
    assert!(again["rows"][0]["why"].is_null(), "{again}");
    assert_eq!(again["rows"][1]["why"], "`good` has no measurements of `late`");
    let markdown = project.tacho("show run:2 --markdown").exits(0).stdout;
    assert!(
        markdown.contains("| late | wall | \\`good\\` has no measurements of \\`late\\` |"),
        "{markdown}"
    );
    let page = page(&project, 2);
    assert!(page.contains("<code>good</code> has no measurements of <code>late</code>."), "{page}");
}

#[test]
fn what_was_executed_otherwise_is_not_compared() {
    let project = Project::scripts(2);
    project.tacho("compare HEAD~1 HEAD -r 3 --no-control --save-as good").exits(0);
    let plan = SCRIPT_PLAN.replace("sh {build}/prog", "sh {build}/prog 2");
    let project =
        project.plan(&format!("{plan}conditions = {{ environment = {{ LIMIT = '9' }} }}\n"));
    let other = project.tacho("compare good HEAD~1 --kept -r 3").exits(2).stderr;
    assert_eq!(
        other,
        "error: A and B were not measured alike: the plan's `command`, `environment` of \
         `answer` differ\nhint: `--regardless` compares them anyway\n"
    );
    let what = "the plan's `command`, `environment` of `answer` differ";
    let alike = format!("not measured alike: {what}\n");
    let told = project.tacho("compare good HEAD~1 --kept -r 3 --regardless").exits(0).stdout;
    assert!(told.contains(&alike), "{told}");
    let again = project.tacho("show run:2").exits(0).stdout;
    assert!(again.contains(&alike), "{again}");
    let again = project.tacho("show run:2 --json").exits(0).json();
    assert_eq!(again["otherwise"], serde_json::json!([what]));
    let page = page(&project, 2);
    assert!(page.contains("<code>environment</code> of <code>answer</code> differ."), "{page}");
    project.tacho("compare run:1/a good --kept").exits(0);
}

#[test]
fn what_failed_is_no_baseline() {
    let project = Project::repository().plan(SCRIPT_PLAN);
    let project =
        project.file("prog", "exit\n").commit("works").file("prog", "exit 3\n").commit("fails");
    let told = project.tacho("compare HEAD~1 HEAD -r 3 --no-control --save-as bad").exits(2).stderr;
    assert!(told.contains("note: baseline `bad` was not saved: an execution failed\n"), "{told}");
    let none = project.tacho("compare saved:bad HEAD").exits(2).stderr;
    assert!(none.starts_with("error: unknown baseline `bad`\n"), "{none}");
}

#[test]
fn a_path_to_a_program_is_a_command_beside_a_plan_too() {
    let project =
        Project::scripts(1).file("light", "#!/bin/sh\n").file("heavy", "#!/bin/sh\nsleep 0.05\n");
    for name in ["light", "heavy"] {
        let path = project.path().join(name);
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }
    let told = project.tacho("compare ./light ./heavy -r 6 --all-rounds").exits(0).stdout;
    let head = "./heavy (a command) against ./light (a command)\n";
    assert!(told.starts_with(head), "{told}");
    let shown = project.tacho("show run:1").exits(0).stdout;
    assert!(shown.starts_with(head), "{shown}");
}

#[test]
fn a_name_that_is_nothing_is_told_with_what_it_may_be() {
    let project = Project::empty().file("light", "#!/bin/sh\n").file("results.json", "{}");
    std::fs::set_permissions(
        project.path().join("light"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let told = |typed: &str| project.tacho(typed).exits(2).stderr;
    let of_folder = "error: `light` is not a program, but the file `./light` is one\n\
        hint: did you mean `./light`?\n";
    assert_eq!(told("compare light true"), of_folder);
    assert_eq!(
        told("bench light"),
        "error: cannot execute `light`\nhint: did you mean `./light`?\n"
    );
    let nothing = |name: &str| {
        format!(
            "error: `{name}` is neither a file nor a program, and without a plan it cannot be a \
             revision\n"
        )
    };
    assert_eq!(
        told("compare other.jsn results.json"),
        nothing("other.jsn")
            + "hint: without a plan a side is a file of another tool, or a command: `tacho \
                compare --help`\n"
    );
    assert_eq!(
        told("compare result.jsn true"),
        nothing("result.jsn") + "hint: did you mean `results.json`?\n"
    );
    assert!(
        told("compare v1 v2").starts_with("error: there is no plan: "),
        "{}",
        told("compare v1 v2")
    );
    assert_eq!(
        told("compare criterion/base criterion/new"),
        nothing("criterion/base")
            + "hint: without a plan a side is a file of another tool, or a command: `tacho \
                compare --help`\n"
    );
    let project = Project::scripts(1).file("light", "#!/bin/sh\n");
    std::fs::set_permissions(
        project.path().join("light"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    assert_eq!(project.tacho("compare HEAD light").exits(2).stderr, of_folder, "beside a plan too");
}

#[test]
fn nothing_on_both_sides_is_the_same() {
    let zeros = |name: &str| {
        format!(r#"{{"results": [{{"command": "{name}", "times": [{}]}}]}}"#, ["0.0"; 10].join(","))
    };
    let project = Project::empty().file("a.json", &zeros("c")).file("b.json", &zeros("c"));
    let told = project.tacho("compare a.json b.json").exits(0).stdout;
    assert!(told.contains("  same, no difference\n"), "{told}");
    let json = project.tacho("compare a.json b.json --json").exits(0);
    assert!(!json.stdout.contains("-0.0"), "{}", json.stdout);
    assert_eq!(json.json()["rows"][0]["notes"], serde_json::json!(["by-difference"]));
}

#[test]
fn sixty_columns_are_enough() {
    let project = Project::empty()
        .file("old.json", &hyperfine("old", 0.1))
        .file("new.json", &hyperfine("new", 0.2));
    let mut command = project.command(["compare", "old.json", "new.json"]);
    let told = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).succeeds().stdout;
    let rows = told.split("\n\n").nth(1).unwrap();
    assert_eq!(
        rows,
        "old → new · time: slower\n  × 2.000  1.676 … 2.39  (by runs)\n  old.json: 100.1 ms, \
         new.json: 200.2 ms, n 20"
    );
    assert_eq!(told.matches("26.7 %").count(), 1, "said once: {told}");
    assert!(told.lines().all(|line| line.chars().count() <= 60), "{told}");
}

/// A file of hyperfine's with thirty times, of which so many are around 0.12 s and the others
/// around 0.1 s.
fn in_two_modes(slow: u32) -> String {
    let time = |n: u32| if n < slow { 0.12 } else { 0.1 } * (1.0 + 0.0001 * f64::from(n * 7 % 13));
    let times: Vec<String> = (0..30).map(|n| time(n).to_string()).collect();
    format!(r#"{{"results": [{{"command": "c", "times": [{}]}}]}}"#, times.join(", "))
}

#[test]
fn of_modes_the_means_are_compared() {
    let project =
        Project::empty().file("old.json", &in_two_modes(8)).file("new.json", &in_two_modes(23));
    let told = project.tacho("compare old.json new.json").exits(0).stdout;
    assert!(
        told.contains(
            "\nc · time: two modes (old.json near 100.1 ms or 120.1 ms, new.json near 100.1 ms or \
             120.1 ms): 26.7 % of old.json and 76.7 % of new.json are in the upper mode, a \
             difference of +50.0 points (95 % interval +25.0 … +67.0); in another \
             run the shares of the modes may differ"
        ),
        "{told}"
    );
    assert!(told.contains("  × 1.095  "), "of the medians it would be 1.200: {told}");
    assert!(told.contains("\n1 unclear"), "{told}");
    let modes =
        &project.tacho("compare old.json new.json --json").exits(0).json()["rows"][0]["modes"];
    assert!(modes["difference"][0].as_f64().unwrap() > 0.2, "{modes}");
}

#[test]
fn files_of_two_modes_differ_by_more_than_their_modes() {
    let file = |slow: u32, level: f64| {
        let time = |n: u32| {
            level * if n < slow { 0.12 } else { 0.1 } * (1.0 + 0.0001 * f64::from(n * 7 % 13))
        };
        let times: Vec<String> = (0..30).map(|n| time(n).to_string()).collect();
        format!(r#"{{"results": [{{"command": "c", "times": [{}]}}]}}"#, times.join(", "))
    };
    // Levels 30 % lower are beyond what runs and shares of modes differ by.
    let project = Project::empty().file("old.json", &file(8, 1.0)).file("new.json", &file(8, 0.7));
    let told = project.tacho("compare old.json new.json").exits(0).stdout;
    assert!(told.contains("faster"), "{told}");
}
