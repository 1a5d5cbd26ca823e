//! The main job: track a range, read it back.

use insta::assert_snapshot;
use regex::Regex;

use crate::harness::{Answer, Project, SCRIPT_PLAN};

#[test]
fn a_range_is_built_measured_and_shown() {
    let project = Project::scripts(3).tag("v1");
    let answer = project.tacho("track --seed 1").succeeds();
    // Three executions of a script of 1 ms may differ by chance where the host is busy.
    let without_verdicts = Regex::new(" (better|worse)\n").unwrap();
    let table = answer.steady_stdout();
    assert_snapshot!(without_verdicts.replace_all(&table, "\n"), @r#"
    answer · wall (lower is better)  <line>

      revision  date  subject  n  median  spread  change
      18b5b85ede  2023-11-14  change 1  3  <time>  <percent>
      feefca44dc  2023-11-15  change 2  3  <time>  <percent>  <percent>
      v1 76f430483c  2023-11-15  change 3  3  <time>  <percent>  <percent>

    12 samples in <time>: <time> building, <time> executing, <time> other
    "#);
}

#[test]
fn the_same_command_again_measures_nothing() {
    let project = Project::scripts(2);
    project.tacho("track").succeeds();
    let places = project.places();
    assert_eq!(places.len(), 2 * 4, "two revisions, a warmup and three rounds");
    let again = project.tacho("track --json").succeeds().json();
    assert_eq!((&again["samples"], &again["run"]), (&0.into(), &serde_json::Value::Null));
    assert_eq!(project.places(), places);
}

#[test]
fn more_rounds_and_new_commits_add_only_what_is_missing() {
    let project = Project::scripts(2);
    project.tacho("track").succeeds();
    let more = project.tacho("track --rounds 5 --json").succeeds().json();
    assert_eq!(more["samples"], 2 * (1 + 2), "a warmup and the two rounds that were missing");
    let project = project.file("prog", "echo answer # new\n").commit("change 3");
    let new = project.tacho("track --json").succeeds().json();
    assert_eq!(new["samples"], 2 * (1 + 3), "only the new commit, beside one that links the runs");
}

#[test]
fn a_range_of_new_commits_is_linked_to_what_was_measured_before() {
    let project = Project::scripts(2);
    project.tacho("track").succeeds();
    let project = project.file("prog", "echo answer # new\n").commit("change 3");
    let before = project.git(["rev-parse", "HEAD~1"])[..10].to_owned();
    let new = project.tacho("track HEAD").exits(0);
    assert!(
        new.stderr.contains(&format!("`{before}` was measured again, to link the runs")),
        "{}",
        new.stderr
    );
    assert!(!new.stdout.contains(&before), "only what was requested: {}", new.stdout);
    let again = project.tacho("track HEAD --json").succeeds().json();
    assert_eq!(again["samples"], 0, "nothing is new");
    let project = project.file("prog", "echo answer # newer\n").commit("change 4");
    let both = project.tacho("track HEAD --json").exits(0).json();
    assert_eq!(both["samples"], 2 * (1 + 3), "the new commit, and the newest one before it");
}

#[test]
fn another_recipe_makes_another_program_of_the_same_revision() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let recipe = |command: &str| {
        SCRIPT_PLAN.replace("artifacts", &format!("build = \"{command}\"\nartifacts"))
    };
    let project = project.plan(&recipe("echo true >> prog"));
    let other = project.tacho("track --json").exits(0).json();
    assert_eq!(other["samples"], 4, "it is measured on its own");
    assert_eq!(
        other["series"][0]["points"][0]["values"].as_array().unwrap().len(),
        3,
        "and not mixed in"
    );
    let project = project.plan(SCRIPT_PLAN);
    let back = project.tacho("track --json").succeeds().json();
    assert_eq!(back["samples"], 0, "nothing is lost of the first");
    assert_eq!(back["series"][0]["points"][0]["values"].as_array().unwrap().len(), 3);
}

#[test]
fn a_corrected_mistake_leaves_no_trace_and_the_next_one_is_reported_as_itself() {
    let mistake = |command: &str| SCRIPT_PLAN.replace("sh {build}/prog", command);
    let project = Project::scripts(1).plan(&mistake("sh {build}/prgo"));
    let failed = project.tacho("track").exits(2);
    assert_snapshot!(failed.steady_stderr(), @r#"
    note: 2 executions failed; first `answer` at 18b5b85ede: exit 2: sh: 0: cannot open <folder>/.cache/<project>/builds/e450ffe96c114a6c/prgo: No such file
    hint: `tacho show 18b5b85ede` shows the output; `--retry-failed` executes again
    error: no values, because executions failed: `answer` at 18b5b85ede
    "#);
    let again = project.tacho("track").exits(2).stdout;
    let all = "\nnothing was measured: everything was executed before, and all of it failed\n";
    assert!(again.ends_with(all), "{again}");
    assert!(!project.tacho("show").exits(0).stdout.contains("other metrics"));
    let run = project.tacho("show run:1").succeeds().stdout;
    assert!(run.contains("\n`answer` at 18b5b85ede: 2 executions failed (exit 2)\n"), "{run}");
    assert!(run.contains(" of measuring\n"), "{run}");
    let log = project.tacho("log").exits(0).stdout;
    assert!(log.starts_with("run  started") && log.contains("measuring"), "{log}");
    let json = project.tacho("show run:1 --json").succeeds().json();
    let failure = &json["runs"][0]["failures"][0];
    assert_eq!((&failure["failed"], &failure["failure"]), (&2.into(), &"exit 2".into()));
    let project = project.plan(&mistake("sh -c 'exit 3'"));
    let other = project.tacho("track").exits(2);
    assert_snapshot!(other.steady_stderr(), @r#"
    note: 2 executions failed; first `answer` at 18b5b85ede: exit 3
    hint: `tacho show 18b5b85ede` shows the output; `--retry-failed` executes again
    error: no values, because executions failed: `answer` at 18b5b85ede
    "#);
    let project = project.plan(SCRIPT_PLAN);
    let corrected = project.tacho("track --json").exits(0);
    assert_eq!(corrected.json()["samples"], 4);
    let again = project.tacho("track").succeeds();
    assert!(again.stdout.contains("nothing was missing"), "{}", again.stdout);
    for shown in
        [project.tacho("show").succeeds().stdout, project.tacho("show HEAD").succeeds().stdout]
    {
        assert!(shown.contains("answer") && !shown.contains("answer v"), "{shown}");
        assert!(!shown.contains("failed"), "{shown}");
    }
}

#[test]
fn failures_of_a_joined_mistake_do_not_come_back() {
    let mistyped = SCRIPT_PLAN.replace("sh {build}/prog", "sh {build}/porg");
    let project = Project::scripts(1).plan(&mistyped);
    project.tacho("track").exits(2);
    let joined = SCRIPT_PLAN.replace("[[benchmark]]", "[[benchmark]]\nsame-as = 1");
    let project = project.plan(&joined);
    let tracked = project.tacho("track").exits(0).stdout;
    assert!(tracked.starts_with("answer · wall") && !tracked.contains("failed"), "{tracked}");
}

#[test]
fn the_version_to_join_is_one_that_has_values() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let expecting = |what: &str| {
        SCRIPT_PLAN.replace("[[benchmark]]", &format!("[[benchmark]]\nexpect = {{ {what} }}"))
    };
    let project = project.plan(&expecting("exit = 1"));
    project.tacho("track").exits(2);
    let project = project.plan(&expecting("stdout = 'same'"));
    let edited = project.tacho("track").exits(0).stderr;
    assert!(edited.contains("as version 3") && edited.contains("`same-as = 1`"), "{edited}");
}

#[test]
fn the_version_to_join_is_the_one_with_the_same_command() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let project = project.plan(&SCRIPT_PLAN.replace("sh {build}/prog", "sh {build}/prog again"));
    project.tacho("track").exits(0);
    let same = SCRIPT_PLAN.replace("[[benchmark]]", "[[benchmark]]\nexpect = { stdout = 'same' }");
    let edited = project.plan(&same).tacho("track").exits(0).stderr;
    assert!(edited.contains("as version 3") && edited.contains("`same-as = 1`"), "{edited}");
}

#[test]
fn a_command_with_other_spaces_and_quotes_may_be_joined() {
    let of = |script: &str| SCRIPT_PLAN.replace("sh {build}/prog", &format!("sh -c {script}"));
    let project = Project::scripts(1).plan(&of("'sh {build}/prog'"));
    project.tacho("track").succeeds();
    let edited = project.plan(&of(r#"'sh  \"{build}/prog\"'"#)).tacho("track").exits(0).stderr;
    assert!(edited.contains("as version 2") && edited.contains("`same-as = 1`"), "{edited}");
}

#[test]
fn an_edited_command_is_measured_by_itself_and_the_old_values_are_marked() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let slow = SCRIPT_PLAN.replace("sh {build}/prog", "sh -c 'sleep 0.02; echo slow' {build}");
    let project =
        project.plan(&slow.replace("[[benchmark]]", "[[benchmark]]\nexpect = { stdout = 'same' }"));
    let judged = project.tacho("changes").exits(0).stdout.replace("\n  ", " ");
    assert_eq!(
        judged,
        "no series was judged\nnot judged: answer v2 · wall (version 2 of `answer` is not \
         measured yet: `tacho track` measures it)\n"
    );
    let edited = project.tacho("track --json").exits(0);
    assert_snapshot!(edited.stderr, @r#"
    note: `answer` was edited: it starts a new series, as version 2
    "#);
    let edited = edited.json();
    assert_eq!(
        (&edited["series"][0]["benchmark"], &edited["samples"]),
        (&"answer v2".into(), &4.into())
    );
    assert!(edited["series"][0]["points"][0]["median"].as_f64() > Some(2e7), "{edited}");
    let shown = project.tacho("show").succeeds();
    assert_snapshot!(shown.steady_stdout(), @r#"
    answer v2 · wall (lower is better)  <line>

      revision  date  subject  n  median  spread
      18b5b85ede  2023-11-14  change 1  3  <time>  <percent>

    answer · wall (lower is better)  <line>
      of an older definition: the plan's `answer` is version 2 since its last edit

      revision  date  subject  n  median  spread
      18b5b85ede  2023-11-14  change 1  3  <time>  <percent>

    other metrics: `cpu`, `peak-memory`; `tacho show --metric NAME` shows one
    "#);
    // The first wording is known again.
    let project = project.plan(SCRIPT_PLAN);
    let back = project.tacho("track --json").succeeds().json();
    assert_eq!((&back["series"][0]["benchmark"], &back["samples"]), (&"answer".into(), &0.into()));
    let shown = project.tacho("show").succeeds().stdout;
    assert!(
        shown.contains("\n  not used any more: the plan's `answer` is version 1 again\n"),
        "{shown}"
    );
}

#[test]
fn other_content_of_an_input_file_starts_a_new_series() {
    let plan = SCRIPT_PLAN.replace("[[benchmark]]", "[[benchmark]]\nstdin = 'in'");
    let project = Project::scripts(1).plan(&plan).file("in", "1\n");
    project.tacho("track").succeeds();
    let project = project.file("in", "2\n");
    let edited = project.tacho("track").exits(0);
    assert_snapshot!(edited.stderr, @r#"
    note: the content of `in` changed: `answer` starts a new series, as version 2
    hint: if version 2 measures the same as version 1, write `same-as = 1` in the plan
    "#);
    assert!(edited.stdout.starts_with("answer v2"), "{}", edited.stdout);
    let back = project.file("in", "1\n").tacho("track").succeeds();
    assert!(back.stdout.starts_with("answer · wall"), "{}", back.stdout);
}

#[test]
fn a_run_says_what_it_measured_and_no_range_where_revisions_were_named() {
    let project = Project::scripts(4);
    let names = ["HEAD~3", "HEAD~2", "HEAD"].map(|it| project.git(["rev-parse", it]));
    let [a, b, c] = names.each_ref().map(|id| &id[..10]);
    // The memory of so short a script may change by chance, which is a note.
    project.tacho("track HEAD~3 HEAD~2 HEAD").exits(0);
    let log = project.tacho("log").succeeds().stdout;
    assert!(log.contains(&format!("track {a}, {b}, {c}\n")), "{log}");
    let run = project.tacho("show run:1").succeeds().stdout;
    assert!(run.contains("\n12 executions at 3 revisions; "), "{run}");
    project.tacho("track").exits(0);
    let log = project.tacho("log -n 1").succeeds().stdout;
    assert!(log.contains(".."), "{log}");
}

#[test]
fn removed_benchmarks_do_not_fill_the_overview() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let project = project.plan(&SCRIPT_PLAN.replace("\"answer\"", "\"other\""));
    project.tacho("track").succeeds();
    let shown = project.tacho("show").succeeds().stdout;
    assert!(shown.starts_with("other · wall") && !shown.contains("answer ·"), "{shown}");
    assert!(shown.contains("1 benchmark that the plan no longer has: `answer`; "), "{shown}");
    let named = project.tacho("show --benchmark answer").succeeds().stdout;
    assert!(named.contains("the plan no longer has this benchmark"), "{named}");
}

#[test]
fn an_edited_recipe_is_announced_and_values_of_the_old_one_are_marked() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let recipe = SCRIPT_PLAN.replace("[subject]", "[subject]\nbuild = 'echo \"# 1\" >> prog'");
    let project = project.plan(&recipe);
    let before = project.tacho("show").succeeds().stdout;
    assert!(before.contains("by an older recipe"), "{before}");
    let edited = project.tacho("track").exits(0).stderr;
    assert!(
        edited.starts_with(
            "note: the build recipe was edited: 1 measured revision is built again, and measured \
             again where artifacts differ\n"
        ),
        "{edited}"
    );
    let again = project.tacho("track").exits(0);
    assert!(!again.stderr.contains("edited"), "{}", again.stderr);
    let project = project.plan(&recipe.replace("{build}/prog", "{build}/prog again"));
    project.tacho("track").exits(0);
    let project = project.plan(&recipe.replace("# 1", "# 2"));
    let shown = project.tacho("show").succeeds();
    assert!(shown.stdout.matches(" by an older recipe\n").count() == 2, "{}", shown.stdout);
    let skips = format!("{recipe}\n[[quirk]]\nwhy = \"broken\"\nskip = true\n");
    let skipped = project.plan(&skips).tacho("track").exits(2);
    assert!(!skipped.stderr.contains("edited"), "{}", skipped.stderr);
}

#[test]
fn where_the_recipe_was_edited_no_change_is_shown() {
    let project = Project::scripts(3).wide();
    project.tacho("track HEAD~2..HEAD~1").succeeds();
    // The newest of these is measured again with the one that is new.
    let recipe = SCRIPT_PLAN.replace("[subject]", "[subject]\nbuild = 'echo \"# 1\" >> prog'");
    let project = project.plan(&recipe);
    let tracked = project.tacho("track HEAD").exits(0);
    assert!(!tracked.stdout.contains("another build recipe"), "{}", tracked.stdout);
    let shown = project.tacho("show").succeeds().stdout;
    let row = shown.lines().find(|line| line.contains("change 2")).unwrap();
    assert!(
        row.ends_with(" run 2 from here; another build recipe from here") && !row.contains('+'),
        "{shown}"
    );
    let why = "\n  where another build recipe begins, the difference may come from it, not from a \
               commit\n";
    assert!(shown.contains(why) && !shown.contains("the host may differ"), "{shown}");
    // A comparison builds by the new recipe, and has no values of the series.
    project.tacho("compare HEAD~2 HEAD~1 --rounds 4").exits(0);
    let shown = project.tacho("show").succeeds().stdout;
    let row = shown.lines().find(|line| line.contains("change 1")).unwrap();
    assert!(row.contains("s  ") && row.ends_with("by an older recipe"), "{shown}");
}

#[test]
fn a_metric_that_is_added_later_is_said_to_have_no_values() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let more = "[[benchmark]]\nmetrics = [{ name = 'x', from = 'regex:([0-9]+)' }]";
    let command = SCRIPT_PLAN.replace("[[benchmark]]", more);
    let project = project.plan(&command);
    let answer = project.tacho("track -m x").exits(2);
    let end = "\nnothing was measured: all rounds were executed before\n";
    assert!(answer.stdout.ends_with(end), "{}", answer.stdout);
    assert_eq!(
        answer.stderr,
        "error: `x` has no values at 1 revision: measured before the plan had this metric\n\
         hint: `tacho track --rounds 6` measures 3 more rounds of each revision\n"
    );
    let beside = more.replace("{ name", "'wall', { name");
    let project = project.plan(&SCRIPT_PLAN.replace("[[benchmark]]", &beside));
    assert_eq!(
        project.tacho("track").exits(0).stderr,
        "note: `x` has no values: measured before the plan had this metric\n\
         hint: `tacho track --rounds 6` measures 3 more rounds of each revision\n"
    );
    let counter = "[[benchmark]]\nmetrics = ['instructions=callgrind']";
    let project = project.plan(&SCRIPT_PLAN.replace("[[benchmark]]", counter));
    let answer = project.tacho("track");
    let hint = "hint: the same command with `--counter callgrind-instructions` counts what was \
                measured before";
    assert!(answer.exits(2).stderr.contains(hint));
    let beside = counter.replace("['", "['wall', '");
    let answer = project.plan(&SCRIPT_PLAN.replace("[[benchmark]]", &beside)).tacho("track");
    assert_eq!(
        answer.exits(0).stderr,
        "note: `callgrind-instructions` has no values: measured before the plan had this metric\n\
         hint: the same command with `--counter callgrind-instructions` counts what was \
         measured before\n"
    );
}

#[test]
fn other_metrics_that_changed_are_named() {
    let metric = |name: &str| format!("{{ name = '{name}', from = 'regex:{name} ([0-9]+)' }}");
    let metrics = format!("metrics = [{}, {}]", metric("cost"), metric("size"));
    let plan = SCRIPT_PLAN.replace("[[benchmark]]", &format!("[[benchmark]]\n{metrics}"));
    let commit = |n: u32| {
        let (cost, size) = if n < 4 { (100, 70) } else { (130, 80) };
        (format!("echo cost {cost} size {size} # {n}\n"), format!("change {n}"))
    };
    let project = Project::repository().commits("prog", (1..=6).map(commit)).plan(&plan);
    let note = "note: also changed at these revisions: `size`; `tacho changes` shows where\n";
    assert_eq!(project.tacho("track HEAD~5..HEAD").exits(0).stderr, note);
    assert_eq!(project.tacho("track HEAD~5..HEAD -m size,cost").succeeds().stderr, "");
    assert_eq!(project.tacho("track HEAD~1..HEAD").exits(0).stderr, "", "it is not shown");
}

#[test]
fn two_wordings_are_one_measurement_if_the_plan_says_so() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let other = SCRIPT_PLAN.replace("sh {build}/prog", "/bin/sh {build}/prog");
    let project = project.plan(&other.replace("[[benchmark]]", "[[benchmark]]\nsame-as = 1"));
    let same = project.tacho("track --rounds 4 --json").exits(0);
    assert_eq!(
        same.stderr,
        "note: `answer` was edited; `same-as = 1` keeps the samples of `answer`\n"
    );
    let same = same.json();
    assert_eq!(same["series"][0]["benchmark"], "answer");
    assert_eq!(same["series"][0]["points"][0]["values"].as_array().unwrap().len(), 4);
    let unknown = other.replace("[[benchmark]]", "[[benchmark]]\nsame-as = 7");
    let project = project.plan(&unknown);
    let refused = project.tacho("track").exits(2).stderr;
    assert_eq!(
        refused,
        "error: benchmark `answer` has `same-as = 7`, but no version 7 was measured\n\
         hint: the only version is 1\n"
    );
    // What was said once is known without `same-as`.
    let project = project.plan(&other);
    let known = project.tacho("track --rounds 4").succeeds();
    assert!(known.stdout.starts_with("answer · wall"), "{}", known.stdout);
}

#[test]
fn what_a_failed_execution_printed_is_shown() {
    let project =
        Project::scripts(1).file("prog", "echo useful message >&2; exit 4\n").commit("fails");
    let tracked = project.tacho("track HEAD").exits(2);
    let why = "exit 4: useful message";
    assert!(tracked.stdout.contains(&format!("2 executions failed ({why})")), "{}", tracked.stdout);
    assert!(tracked.stderr.contains(&format!(": {why}\n")), "{}", tracked.stderr);
    let shown = project.tacho("show HEAD").exits(0).stdout;
    assert!(
        shown.contains("2 executions failed; the first: exit 4\n    | useful message\n"),
        "{shown}"
    );
}

#[test]
fn what_has_no_value_as_it_failed_is_named_and_an_error() {
    let project = Project::scripts(1).file("prog", "exit 4\n").commit("fails");
    let plan = format!("{SCRIPT_PLAN}\n[[benchmark]]\nname = 'fine'\ncommand = 'true'\n");
    let project = project.plan(&plan);
    let answer = project.tacho("track --quiet").exits(2);
    let end = answer.stderr.lines().last().unwrap().to_owned();
    assert!(
        end.starts_with("error: no values, because executions failed: `answer` at "),
        "{}",
        answer.stderr
    );
    assert!(!end.contains("fine"), "{end}");
    project.tacho("track --quiet").exits(2);
    project.tacho("track --quiet -b fine").exits(0);
    project.tacho("track --quiet HEAD~1").exits(0);
}

#[test]
fn a_series_of_one_benchmark_is_shown_by_its_name() {
    let plan = format!("{SCRIPT_PLAN}\n[[benchmark]]\nname = 'fine'\ncommand = 'true'\n");
    let project = Project::scripts(1).plan(&plan);
    project.tacho("track --quiet").exits(0);
    let names = |arguments: &str, key: &str| -> Vec<String> {
        let answer = project.tacho(arguments).succeeds().json();
        let list =
            if key == "series" { &answer["series"] } else { &answer["hosts"][0]["benchmarks"] };
        let name = |one: &serde_json::Value| one["benchmark"].as_str().unwrap().to_owned();
        list.as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(names("show --json", "series"), ["answer", "fine"]);
    assert_eq!(names("show -b fine --json", "series"), ["fine"]);
    assert_eq!(names("show HEAD -b fine --json", "benchmarks"), ["fine"]);
    assert_snapshot!(project.tacho("show HEAD -b fin").exits(2).stderr, @r"
    error: unknown benchmark `fin`
    hint: did you mean `fine`?
    ");
}

#[test]
fn a_cache_that_goes_away_is_an_error_and_loses_nothing() {
    let plan = SCRIPT_PLAN.to_owned()
        + "prepare = \"[ -e away ] || { touch away; rm -rf $TACHO_CACHE; }\"\n\
         conditions = { inherit-environment = [\"TACHO_CACHE\"] }\n";
    let project = Project::scripts(1).plan(&plan);
    let answer = project.tacho("track").exits(2);
    assert!(answer.stderr.contains("is gone\nhint: "), "{}", answer.stderr);
    let answer = project.tacho("track --json").exits(0).json();
    assert_eq!(
        (&answer["samples"], &answer["series"][0]["points"][0]["failed"]),
        (&4.into(), &0.into())
    );
}

#[test]
fn a_store_belongs_to_one_subject() {
    let project = Project::scripts(1);
    project.tacho("track --store shared").succeeds();
    let other = SCRIPT_PLAN.replace("[subject]", "[subject]\nname = \"another\"");
    let answer = project.plan(&other).tacho("track --store shared").exits(2);
    assert!(answer.stderr.contains("not of `another`\nhint: "), "{}", answer.stderr);
}

#[test]
fn equal_builds_are_measured_once_and_shown_so() {
    let project = Project::scripts(2).file("README", "words\n").commit("only words");
    let answer = project.tacho("track --json").succeeds().json();
    assert_eq!(answer["samples"], 2 * 4);
    let points = answer["series"][0]["points"].as_array().unwrap().clone();
    assert_eq!(points[2]["equal_to"], points[1]["revision"]);
    assert_eq!(points[2]["values"], points[1]["values"]);
    let each = project.tacho("track --measure-equal --json").succeeds().json();
    assert_eq!(each["samples"], 2 * 4, "the equal one on its own, beside one that links the runs");
}

#[test]
fn a_range_begins_with_the_state_before_its_first_commit() {
    let project = Project::scripts(4);
    let revisions = |arguments: &str| {
        let answer = project.tacho(&format!("track {arguments} --dry-run")).succeeds();
        let subjects = answer
            .stdout
            .lines()
            .filter_map(|line| Some(format!("change{}", line.split("change").nth(1)?)));
        subjects.collect::<Vec<_>>()
    };
    assert_eq!(revisions("HEAD~2..HEAD"), ["change 2", "change 3", "change 4"]);
    assert_eq!(revisions("HEAD~3 HEAD~1"), ["change 1", "change 3"]);
    assert_eq!(revisions("--every 2commits HEAD~3..HEAD"), ["change 1", "change 3", "change 4"]);
}

#[test]
fn a_wrong_answer_is_a_failed_sample_and_never_a_fast_one() {
    let plan = SCRIPT_PLAN.to_owned() + "expect = { stdout = \"same\" }\n";
    let project = Project::scripts(1).file("prog", "echo wrong\n").commit("fast and wrong");
    let project = project.file("prog", "echo answer\n").commit("right again").plan(&plan);
    let answer = project.tacho("track --json").exits(2).json();
    let points = &answer["series"][0]["points"];
    assert_eq!(points[0]["failed"], 0);
    assert_eq!(points[1]["values"], serde_json::json!([]));
    assert!(points[1]["failure"] == r#"wrong answer: expected "answer", got "wrong""#, "{points}");
    assert_eq!(points[2]["failed"], 0, "the newest revision's answer is the reference");

    // Both answers are whole at 80 columns, and it is said whose answer the right one is.
    let answer = project.tacho("track").exits(2);
    let [wrong, right] =
        ["HEAD~1", "HEAD"].map(|of| project.git(["rev-parse", of])[..10].to_owned());
    let said = answer.stderr.replace("\n  ", " ");
    let told = said.split("wrong answer: ").nth(1).unwrap().split('\n').next().unwrap();
    let both = r#"expected "answer", got "wrong""#;
    assert_eq!(told, format!("{both}; {right} printed the expected one"), "{said}");
    let table = answer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(table.contains(&format!("wrong answer: {both}")), "{wrong}: {table}");

    // The text of a longer answer is not kept.
    let long = Project::scripts(1).file("prog", "seq 2000\n").commit("long").plan(&plan);
    let answer = long.tacho("track --json").exits(2).json();
    let failure = answer["series"][0]["points"][0]["failure"].as_str().unwrap();
    assert!(failure.starts_with("wrong answer: digest "), "{failure}");
}

#[test]
fn parameters_make_series_of_their_own() {
    let plan = SCRIPT_PLAN.replace("sh {build}/prog", "sh {build}/prog {n}")
        + "parameters = { n = [1, 2] }\n";
    let project = Project::scripts(1).plan(&plan);
    let answer = project.tacho("track --json --metric wall --metric peak-memory").succeeds().json();
    let names: Vec<String> = answer["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| {
            format!(
                "{} {}",
                series["benchmark"].as_str().unwrap(),
                series["metric"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "answer[n=1] wall",
            "answer[n=1] peak-memory",
            "answer[n=2] wall",
            "answer[n=2] peak-memory"
        ]
    );
}

#[test]
fn releases_are_tracked_without_a_repository() {
    let project = Project::empty().plan(
        r#"
        [subject]
        releases-from = "printf '1.0\n1.1\n'"
        build = "echo 'echo {release}' > prog"
        artifacts = ["prog"]
        [measure]
        rounds = 1
        [[benchmark]]
        name = "answer"
        command = "sh {build}/prog"
        expect = { stdout = { contains = "1." } }
        "#,
    );
    let answer = project.tacho("track --json").succeeds().json();
    let points = &answer["series"][0]["points"];
    assert_eq!((&points[0]["revision"], &points[1]["revision"]), (&"1.0".into(), &"1.1".into()));
    assert_eq!(points[1]["values"].as_array().unwrap().len(), 1);
}

#[test]
fn the_work_tree_is_never_touched() {
    let project =
        Project::scripts(2).file("prog", "echo unfinished work\n").file("untracked", "mine\n");
    let state = |project: &Project| {
        (project.git(["status", "--porcelain"]), project.git(["rev-parse", "HEAD"]))
    };
    let before = state(&project);
    let said = project.tacho("track").exits(0).stderr;
    assert!(said.starts_with("note: 1 file is edited and not committed"), "{said}");
    let (status, head) = state(&project);
    // The cache and the lock stand in the project only in tests.
    let status: String = status
        .lines()
        .filter(|line| !line.contains(".cache") && !line.contains(".tacho-lock"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!((status, head), before);
}

#[test]
fn failed_builds_are_told_and_do_not_hurt() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = \"sh build\"\nartifacts");
    let project = Project::repository()
        .file("build", "echo compiling; echo 'prog.c:1: missing header' >&2; exit 3\n")
        .file("prog", "echo 1\n")
        .commit("does not build")
        .file("build", "true\n")
        .commit("builds")
        .plan(&plan);
    let answer = project.tacho("track").exits(0);
    assert_snapshot!(answer.steady_stdout(), @r#"
    answer · wall (lower is better)  <line>

      revision  date  subject  n  median  spread
      cb734f5d67  2023-11-14  does not build  build failed
      d757fdfd0c  2023-11-15  builds  3  <time>  <percent>

    4 samples in <time>: <time> building, <time> executing, <time> other
    "#);
    assert_snapshot!(answer.steady_stderr(), @r#"
    note: 1 of 2 builds failed; cb734f5d67: exit status 3: prog.c:1: missing header
      | # builds cb734f5d675a1248c7f9c19dd29529be16e68567 does not build
      | # clones <folder>/.git
      | # checks out cb734f5d675a1248c7f9c19dd29529be16e68567 in <folder>/.cache/<project>/tree
      | # executes in <folder>/.cache/<project>/tree:
      | # sh build
      | compiling
      | prog.c:1: missing header
      | # failed: exit status 3: prog.c:1: missing header, after <time>
    hint: `tacho show cb734f5d67 --build-log` shows the build log; `--retry-failed` builds again
    note: not judged: cb734f5d67 (1 revision, could not be built)
    "#);
    let again = project.tacho("track").exits(0).stderr;
    let old = "note: 1 of 2 revisions did not build earlier, and was not tried again \
               (`--retry-failed` tries); cb734f5d67: exit status 3: \
               prog.c:1: missing header\n";
    assert!(again.starts_with(old) && !again.contains("builds failed"), "{again}");
    let retried = project.tacho("track --retry-failed").exits(0).stderr;
    assert!(retried.starts_with("note: 1 of 2 builds failed; "), "{retried}");
    let log = project.tacho("show HEAD~1 --build-log").succeeds().stdout;
    assert!(log.contains("compiling\nprog.c:1: missing header\n"), "{log}");
}

#[test]
fn a_benchmark_that_nothing_was_built_for_is_known_by_the_plan() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = \"exit 3\"\nartifacts");
    let project =
        Project::repository().file("prog", "echo 1\n").commit("does not build").plan(&plan);
    project.tacho("track -q");
    let shown = project.tacho("show HEAD -b answer").succeeds().stdout;
    assert!(shown.contains("exit status 3"), "{shown}");
    let wrong = project.tacho("show HEAD -b anser").exits(2).stderr;
    assert!(wrong.contains("unknown benchmark `anser`\nhint: did you mean `answer`?\n"), "{wrong}");
}

#[test]
fn what_was_measured_is_read_back() {
    let project = Project::scripts(2).tag("v1").wide();
    project.tacho("track --seed 5").succeeds();
    let shown = project.tacho("show v1").succeeds().steady_stdout();
    let (head, table) = shown.split_at(shown.find("  user").unwrap());
    assert_snapshot!(head, @r#"
    revision feefca44dc8d23f503b09728b34b25dd2d92520e  v1
      2023-11-15  A. Author
      change 2

    on <host>: built in <time>, <size>, artifacts 14ecd014a04c

    answer
      metric  n  median  spread  min  max
      wall  3  <time>  <percent>  <time>  <time>
      cpu  3  <time>  <percent>  <time>  <time>
    "#);
    // Which of the others are 0 is the machine's affair, and decides which columns they have.
    let words = table.lines().filter_map(|line| line.split_whitespace().next());
    let others: Vec<&str> = words.take_while(|word| !word.ends_with([':', ','])).collect();
    assert_eq!(others[..3], ["user", "sys", "peak-memory"]);
    assert_eq!(others.last(), Some(&"block-output"));
    assert!(table.contains("\n  peak-memory: the peak of the largest "), "{table}");
    assert!(table.contains("\n  sys, user: sampled at timer ticks "), "{table}");
    let one = project.tacho("show v1 --metric cpu").succeeds().stdout;
    assert!(one.contains("\n  cpu ") && !one.contains("wall"), "{one}");
    let log = project.tacho("log").succeeds().stdout;
    assert!(log.lines().count() == 2 && log.contains("  track "), "{log}");
    let all = project.tacho("show --json").succeeds().json();
    assert_eq!(all["series"][0]["points"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_are_written_and_open_from_disk() {
    let project = Project::scripts(2);
    project.tacho("track").succeeds();
    let answer = project.tacho("site pages").succeeds();
    assert!(answer.stdout.contains("pages/index.html"), "{}", answer.stdout);
    let index = std::fs::read_to_string(project.path().join("pages/index.html")).unwrap();
    assert!(index.contains("answer"), "{index}");
}

#[test]
fn an_outlier_is_shown_with_what_the_readings_tell_of_it() {
    // One execution of eight sleeps: it is blocked for no reason that a reading shows.
    let script = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; if [ $n = 5 ]; \
        then sleep 1; fi\n";
    let plan = SCRIPT_PLAN.replace("rounds = 3", "rounds = 8");
    assert!(plan.contains("rounds = 8"));
    let project = Project::repository().file("prog", script).commit("one").plan(&plan);
    project.tacho("track HEAD").succeeds();
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(shown.contains("outlier: wall of run 1, round 5: "), "{shown}");
    let known = project.tacho("show HEAD --json").succeeds().json();
    let outliers = known["hosts"][0]["benchmarks"][0]["outliers"].as_array().unwrap().clone();
    let slow = outliers.iter().find(|it| it["round"] == 5).unwrap();
    assert!(
        slow["ratio"].as_f64().unwrap() > 2.0 && slow["score"].as_f64().unwrap() > 3.5,
        "{slow}"
    );
    assert_eq!((&slow["metric"], &slow["run"]), (&"wall".into(), &1.into()));
    project.tacho("site pages").succeeds();
    let pages = std::fs::read_dir(project.path().join("pages/revision")).unwrap().flatten();
    let pages: Vec<String> =
        pages.filter_map(|page| std::fs::read_to_string(page.path()).ok()).collect();
    assert!(pages.iter().any(|page| page.contains("<li>wall, round 5: ")), "{pages:?}");
}

#[test]
fn a_narrow_terminal_has_the_whole_table() {
    let project = Project::scripts(3);
    let project = project
        .file("prog", "echo answer # 4\n")
        .commit("a subject that is as long as many a commit has one");
    project.tacho("track --rounds 6").exits(0);
    let shown = |columns: &str| {
        let mut command = project.command(["show"]);
        Answer::of(&command.env("COLUMNS", columns).output().unwrap()).exits(0).stdout
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    for columns in [100, 80, 60] {
        let text = shown(&columns.to_string());
        assert!(widest(&text) <= columns, "{columns}: {text}");
        assert!(text.contains("median") && text.contains("95 %"), "{text}");
    }
    assert!(widest(&shown("200")) > 80 && shown("200").contains("as long as many a commit"));
}

#[test]
fn all_of_a_long_history_is_built_only_where_that_is_requested() {
    let project = Project::scripts(1);
    for n in 2..=101 {
        project.git(["commit", "--quiet", "--allow-empty", "-m", &format!("change {n}")]);
    }
    let asked = project.tacho("track").exits(2);
    assert_snapshot!(asked.stderr, @r#"
    error: all of history takes 101 builds, which needs `--yes` or a range
    hint: `tacho track HEAD` builds one and shows how long that takes; `--every 10commits`, `--tags 'v*'`, `--builds 30` or a range builds fewer; `--yes` builds all
    "#);
    project.tacho("track --every 50commits").succeeds();
    project.tacho("track --quiet").succeeds();
}

#[test]
fn where_another_run_begins_is_marked_and_each_run_says_what_it_was() {
    let marks = |link: &str| {
        let plan = SCRIPT_PLAN.replace("rounds = 3", &format!("rounds = 3\nlink = {link}"));
        let project = Project::scripts(1).plan(&plan);
        project.tacho("track").succeeds();
        let project = project.file("prog", "echo answer # 2\n").commit("change 2");
        let table = project.tacho("track").succeeds().stdout;
        let marks: Vec<bool> =
            table.lines().skip(3).take(2).map(|line| line.ends_with("run 2 from here")).collect();
        (project, marks)
    };
    assert_eq!(marks("1").1, [false, false], "what both runs measured links them");
    let (project, marks) = marks("0");
    assert_eq!(marks, [false, true]);
    let [one, two] =
        ["HEAD~1", "HEAD"].map(|name| project.git(["rev-parse", name])[..10].to_owned());
    project.tacho("track --rounds 5").succeeds();
    let log = project.tacho("log").succeeds().stdout;
    let whats: Vec<&str> =
        log.lines().skip(1).map(|line| line.rsplit_once("track ").unwrap().1).collect();
    let all = format!("{one}..{two}");
    assert_eq!(whats, [&all, &all, &one], "what was requested, whatever was missing of it");
    let pages = project.tacho("site pages").exits(0);
    let read =
        |name: &str| std::fs::read_to_string(project.path().join("pages").join(name)).unwrap();
    assert!(read("runs.html").contains("Run 3: track "), "{}", pages.stdout);
}

#[test]
fn the_log_names_both_ends_of_a_range() {
    // The first and the last commit change nothing that is executed.
    let project = Project::scripts(2)
        .file("README", "one\n")
        .commit("a readme")
        .file("prog", "echo answer # 3\n")
        .commit("change 3")
        .file("README", "two\n")
        .commit("another readme")
        .plan(SCRIPT_PLAN);
    let short = |name: &str| project.git(["rev-parse", name])[..10].to_owned();
    let logged = |range: [&str; 2]| {
        let line = format!("track {}..{}", short(range[0]), short(range[1]));
        let log = project.tacho("log").succeeds().stdout;
        assert!(log.lines().nth(1).is_some_and(|it| it.ends_with(&line)), "{line}:\n{log}");
    };
    // A metric of so short a script may change by chance, which is a note.
    project.tacho("track HEAD~4..HEAD~1").exits(0);
    logged(["HEAD~4", "HEAD~1"]);
    // The build of the range's end is that of a later commit, too.
    project.tacho("track HEAD~3..HEAD~2 --rounds 4").exits(0);
    logged(["HEAD~3", "HEAD~2"]);
    // What is built later was no part of that run.
    project.tacho("track HEAD").exits(0);
    logged(["HEAD~3", "HEAD~2"]);
    let other = Project::scripts(2).file("README", "").commit("a readme").plan(SCRIPT_PLAN);
    other.tacho("track").exits(0);
    let ends = ["HEAD~2", "HEAD"].map(|name| other.git(["rev-parse", name])[..10].to_owned());
    let log = other.tacho("log").succeeds().stdout;
    assert!(log.contains(&format!("track {}..{}\n", ends[0], ends[1])), "{log}");
}

#[test]
fn a_mistyped_revision_leaves_no_store() {
    let project = Project::scripts(1);
    project.tacho("track HAED").exits(2);
    assert!(!project.path().join(".tacho/tacho.db").exists());
    project.tacho("show").exits(2);
}

#[test]
fn a_log_says_what_goes_on_where_it_takes_long() {
    let plan = SCRIPT_PLAN.replacen("[subject]", "[subject]\nbuild = \"sleep 2\"", 1);
    let project = Project::scripts(1).plan(&plan);
    let track = |words: &[&str]| {
        let output = project.command(["track"].iter().chain(words).copied()).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let said = track(&[]);
    let build = format!("building 0/1: {} change 1", &project.git(["rev-parse", "HEAD"])[..10]);
    let lines: Vec<&str> = said.lines().filter(|it| it.contains("ing ")).collect();
    assert!(lines[0] == build && lines[1].contains("/4"), "{said}");
    assert_eq!(lines.len(), 2, "{said}");
    let bench = project.command(["bench", "-r", "1", "sleep 2"]).output().unwrap();
    let said = String::from_utf8(bench.stderr).unwrap();
    assert!(
        said.contains("measuring for 1.") && said.contains(", nothing has ended yet"),
        "{said}"
    );
    let plan = plan.replace("sleep 2", "sleep 1.5");
    let project = project.plan(&plan);
    let quiet = project.command(["track", "--quiet"]).output().unwrap();
    assert!(!String::from_utf8(quiet.stderr).unwrap().contains("building"));
}
