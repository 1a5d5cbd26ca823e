//! When to stop, and what comes before: with numbers that the subject prints, so that nothing
//! depends on time.

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{Project, steady};

/// Counts its executions, and prints what the number of the execution says.
pub fn project(measure: &str, prints: &str) -> Project {
    Project::scripts(1)
        .file(
            "prog",
            &format!(
                "n=$(cat n 2>/dev/null || echo 0)\nn=$((n + 1))\necho $n >n\necho took={prints}\n"
            ),
        )
        .commit("count")
        .plan(&format!(
            "[subject]\nartifacts = ['prog']\n[measure]\n{measure}\n[[benchmark]]\nname = \
             'b'\ncommand = 'sh {{build}}/prog'\nmetrics = [{{ name = 'took', from = 'key:took' \
             }}, 'wall']\n"
        ))
}

fn last_point(answer: &Value) -> &Value {
    answer["series"][0]["points"].as_array().unwrap().last().unwrap()
}

#[test]
fn a_cell_ends_with_the_precision_that_was_requested() {
    let project = project("precision = '1%'", "$((1000 + n % 3))");
    let answer = project.tacho("track HEAD").succeeds();
    assert_snapshot!(answer.steady_stdout(), @r#"
    b · took (lower is better)  <line>

      revision  date  subject  n  median  <percent>  spread
      922e2cd3b9  2023-11-15  count  10  1001  ± <percent> *  <percent>  ± <percent> reached
      * this interval is wider than for a fixed number of rounds, because the values
      decided when to stop

    11 samples in <time>: <time> building, <time> executing, <time> other
    "#);
    let again = project.tacho("track HEAD").succeeds();
    assert!(again.stdout.contains("nothing was missing"), "{}", again.stdout);
    let shown = project.tacho("show --json").succeeds().json();
    let point = last_point(&shown);
    assert_eq!((&point["looked_at"], &point["stopped"]["by"]), (&true.into(), &"precision".into()));
    assert_eq!(point["stopped"]["precision"]["share"], 0.01);
    // From the smallest to the largest of ten.
    assert_eq!((&point["interval"][0], &point["interval"][1]), (&1000.0.into(), &1002.0.into()));
    let text = project.tacho("show HEAD -m took").succeeds().steady_stdout();
    let end: Vec<&str> = text.lines().rev().take(2).collect();
    assert_snapshot!(format!("{}\n{}", end[1], end[0]), @r#"
    stopped: ± <percent> reached
    intervals are wider than for a fixed number of rounds, because the values decided when to stop
    "#);
}

#[test]
fn what_is_not_reached_is_said() {
    let project = project("warmup = 2", "$((1000 + n % 2 * 500))");
    let answer =
        project.tacho("track HEAD --precision 1% --max-rounds 12 --json").succeeds().json();
    assert_eq!(answer["samples"], 2 + 12);
    let point = last_point(&answer);
    assert_eq!(point["stopped"]["by"], "max-rounds");
    let shown = steady(&project.tacho("show").succeeds().stdout);
    assert!(shown.contains("<percent> not reached: the limit of rounds was reached"), "{shown}");
    // A fixed number that is requested later adds to what there is, and the interval stays what it
    // must be.
    let more = project.tacho("track HEAD --rounds 15 --json").succeeds().json();
    assert_eq!(
        (&more["samples"], &last_point(&more)["looked_at"]),
        (&Value::from(2 + 3), &true.into())
    );
    assert_eq!(last_point(&more)["stopped"], Value::Null);
}

#[test]
fn a_budget_ends_it_and_stays_spent() {
    let project = project("budget = '1ms'", "5");
    let answer = project.tacho("track HEAD --json").succeeds().json();
    assert_eq!(answer["samples"], 2, "a warmup and the one round that there is always");
    let point = last_point(&answer);
    assert_eq!((&point["looked_at"], &point["stopped"]["by"]), (&false.into(), &"budget".into()));
    assert_eq!(project.tacho("track HEAD --json").succeeds().json()["run"], Value::Null);
    assert_eq!(
        project.tacho("track HEAD --budget 1h --rounds 4 --json").succeeds().json()["samples"],
        1 + 3
    );
}

/// Seven runs of which the first two were boosted, as with a machine that was cool.
#[test]
fn a_warm_up_is_found_shown_and_left_out() {
    let project =
        project("rounds = 9\nwarmup = 'found'", "$((n > 2 ? 51400 + n * 7919 % 101 : 48000 + n))");
    let answer = project.tacho("track HEAD").succeeds();
    assert_snapshot!(answer.steady_stdout(), @r#"
    b · took (lower is better)  <line>

      revision  date  subject  n  median  <percent>  spread
      c4753fd24d  2023-11-15  count  7  51444  ± <percent>  <percent>
      warmup: 2 rounds left out (better at first)

    9 samples in <time>: <time> building, <time> executing, <time> other
    "#);
    let text = project.tacho("show HEAD -m took").succeeds().steady_stdout();
    let line = text.lines().find(|line| line.contains("warmup")).unwrap();
    assert_snapshot!(line, @"  warmup: slowdown, rounds 1 to 2 left out (took: <percent> in rounds \
        1 to 2, compared with rounds 3 to 9)");
    let samples = project.tacho("show HEAD -m took --samples").succeeds().stdout;
    assert_eq!(samples.matches("(warmup)").count(), 2, "{samples}");
    let shown = project.tacho("show HEAD --json").succeeds().json();
    let benchmark = &shown["hosts"][0]["benchmarks"][0];
    assert_snapshot!(benchmark["steadiness"], @r#"[{"counts_from":3,"course":"slowdown","metric":"took","phases":[{"first":1,"last":2,"level":48001.5},{"first":3,"last":9,"level":51444.0}],"run":1}]"#);
    assert_eq!(
        [&benchmark["samples"][1]["warm_up"], &benchmark["samples"][2]["warm_up"]],
        [true, false]
    );
    assert_eq!(
        last_point(&project.tacho("show --json").succeeds().json())["steadiness"]["counts_from"],
        3
    );
    assert!(project.tacho("track HEAD").succeeds().stdout.contains("nothing was missing"));
    project.tacho("site pages").succeeds();
    let pages = std::fs::read_dir(project.path().join("pages/revision")).unwrap();
    let page = std::fs::read_to_string(pages.last().unwrap().unwrap().path()).unwrap();
    let shown = project.tacho("show HEAD").succeeds().stdout;
    let clause = shown.lines().find_map(|line| line.trim().strip_prefix("warmup: ")).unwrap();
    assert!(page.contains(&format!("Warmup: {clause}.")), "{clause}: {page}");
}

#[test]
fn a_level_that_changes_at_the_end_is_no_steady_state() {
    let project =
        project("rounds = 20\nwarmup = 'found'", "$(((n > 16 ? 13000 : 10000) + n * 7919 % 101))");
    let answer = project.tacho("track HEAD").succeeds().stdout;
    assert!(answer.contains("no steady state"), "{answer}");
    let text = project.tacho("show HEAD -m took").succeeds().steady_stdout();
    let line = text.lines().find(|line| line.contains("warmup")).unwrap();
    assert_snapshot!(line, @"  warmup: no steady state, no rounds left out (took: <percent> in \
        rounds 1 to 16, compared with rounds 17 to 20)");
}

#[test]
fn a_dry_run_counts_what_is_missing() {
    let project = Project::scripts(3);
    let planned = |options: &str| {
        let answer = project.tacho(&format!("track --dry-run {options}")).succeeds().stdout;
        answer.rsplit("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    project.tacho("track --rounds 3 HEAD~1..HEAD").succeeds();
    assert_snapshot!(planned("--rounds 3 HEAD~1..HEAD"), @"would build and execute \
        nothing (2 already built)");
    assert_snapshot!(planned("--rounds 3 HEAD~2..HEAD"), @"would build 1 revision (2 already \
        built) and execute 1 benchmark in 3 rounds and 1 warmup round: at most 4 missing \
        executions");
    assert_snapshot!(planned("--rounds 5 HEAD"), @"would build 0 revisions (1 already built) and \
        execute 1 benchmark in 5 rounds and 1 warmup round: at most 3 missing executions");
}

#[test]
fn rules_that_do_not_go_together_are_refused() {
    let project = project("rounds = 3", "5");
    let said = |options: &str| project.tacho(&format!("track --dry-run {options}")).exits(2).stderr;
    assert_snapshot!(said("--precision 1"), @r#"
    error: `1` is not a precision
    hint: a precision is written like "1%" or "0.5%"
    "#);
    assert_snapshot!(said("--max-rounds 5"), @r#"
    error: `max-rounds` contradicts `rounds`
    hint: `rounds` is a fixed number: leave it out; `max-rounds` sets a limit
    "#);
    assert_snapshot!(said("--precision 1% --warmup found"), @r#"
    error: `precision` contradicts `warmup = "found"`
    hint: a precision needs to know where the warmup ends: give a number of executions or a time
    "#);
    assert_snapshot!(said("--precision 1% --precision-metric bytes"), @r#"
    error: no benchmark has a metric `bytes`
    hint: the metric must be built in, or in the `metrics` of a benchmark
    "#);
    let planned = |options: &str| {
        let answer = project.tacho(&format!("track --dry-run {options} HEAD")).succeeds();
        let last = answer.stdout.rsplit("\n\n").next().unwrap();
        last.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(planned("--precision 0.5% --budget 10m"), @"would build 1 revision and \
        execute 1 benchmark until each median is known to ± 0.5 %, in 10 to 10000 rounds and 1 \
        warmup round within 10 min 0 s: at most 10,001 missing executions");
    assert_snapshot!(planned("--warmup 2s"), @"would build 1 revision and execute 1 benchmark in \
        3 rounds: at most 3 missing executions besides the warmup");
}
