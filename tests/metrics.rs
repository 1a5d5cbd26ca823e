//! Metrics that a subject prints: from the plan to tables, answers and pages.

use insta::assert_snapshot;

use crate::harness::Project;

/// A plan for scripts with these metrics beside the wall time.
fn plan(metrics: &str) -> String {
    format!(
        "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 3\n[[benchmark]]\nname = 'hash'\n\
         command = 'sh {{build}}/prog'\nmetrics = [{metrics}, 'wall']\n"
    )
}

/// Two commits: the first gives buckets of 6.5, the second of 4.5.
fn buckets(metrics: &str) -> Project {
    let script = |bucket: &str, rate: u32| {
        format!("echo hashing\necho mean bucket {bucket}\necho rate: {rate} >&2\n")
    };
    Project::repository()
        .file("prog", &script("6.5", 100))
        .commit("hash")
        .file("prog", &script("4.5", 150))
        .commit("another hash function")
        .plan(&plan(metrics))
}

const BUCKET: &str = "{ name = 'bucket', from = 'regex:mean bucket ([0-9.]+)', unit = 'entries' }";
const RATE: &str = "{ name = 'rate', from = 'key:rate', unit = 'requests/s', better = 'higher', \
    stream = 'stderr' }";

#[test]
fn a_number_in_the_output_is_a_metric() {
    let project = buckets(&format!("{BUCKET}, {RATE}"));
    assert_snapshot!(project.tacho("track").succeeds().steady_stdout(), @r#"
    hash · bucket (lower is better)  <line>

      revision  date  subject  n  median  spread  change
      9a431d1571  2023-11-14  hash  3  6.500 entries  <percent>
      f662ed9dbc  2023-11-15  another hash funct…  3  4.500 entries  <percent>  <percent>

    8 samples in <time>: <time> building, <time> executing, <time> other
    "#);
    assert_snapshot!(project.tacho("show --metric rate").succeeds().stdout, @r#"
    hash · rate (higher is better)  ▁█

      revision    date        subject             n          median  spread   change
      9a431d1571  2023-11-14  hash                3  100 requests/s   0.0 %
      f662ed9dbc  2023-11-15  another hash func…  3  150 requests/s   0.0 %  +50.0 %
    "#);
    let shown = project.tacho("show").succeeds().stdout;
    let others = "\n\nother metrics: `rate`, `wall`; `tacho show --metric NAME` shows one\n";
    assert!(shown.starts_with("hash · bucket ") && shown.ends_with(others), "{shown}");
    let all = project.tacho("show --metric all --json").succeeds().json();
    let series: Vec<_> = all["series"].as_array().unwrap().iter().collect();
    let named = |name: &str| *series.iter().find(|series| series["metric"] == name).unwrap();
    assert_eq!(series.len(), tacho_record::Metric::BUILT_IN.len() + 2);
    assert_eq!(named("bucket")["points"][1]["values"], serde_json::json!([4.5, 4.5, 4.5]));
    assert_eq!(named("bucket")["unit"], serde_json::json!({ "other": "entries" }));
    assert_eq!(
        (&named("bucket")["better"], &named("rate")["better"]),
        (&"lower".into(), &"higher".into())
    );
    let head = project.git(["rev-parse", "HEAD"]);
    let shown = project.tacho(&format!("show {} --samples", head.trim())).succeeds().stdout;
    assert!(shown.contains("4.500 entries") && shown.contains("150 requests/s"), "{shown}");
}

#[test]
fn pages_show_it_with_its_direction() {
    // From three revisions on a series is judged.
    let project = Project::repository().plan(&plan(RATE));
    let project = [100, 100, 150, 150].into_iter().zip(1..).fold(project, |project, (rate, n)| {
        project.file("prog", &format!("echo rate: {rate} >&2 # {n}\n")).commit(&format!("rate {n}"))
    });
    project.tacho("track").succeeds();
    project.tacho("site pages").succeeds();
    let pages = project.path().join("pages");
    let index = std::fs::read_to_string(pages.join("index.html")).unwrap();
    assert!(index.contains("higher is better"), "{index}");
    let data: Vec<_> =
        std::fs::read_dir(pages.join("data")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let csv = data.iter().find(|path| {
        path.to_string_lossy().contains("rate")
            && path.extension().is_some_and(|kind| kind == "csv")
    });
    let csv = csv.unwrap_or_else(|| panic!("{data:?}"));
    let csv = std::fs::read_to_string(csv).unwrap();
    let last = csv.lines().last().unwrap();
    assert!(last.ends_with("valid,150,requests/s,higher"), "{last}");
    let first = project.git(["rev-parse", "HEAD~1"]);
    let revision =
        std::fs::read_to_string(pages.join(format!("revision/{}.html", first.trim()))).unwrap();
    assert!(
        revision.contains("class=\"word better\">better<"),
        "a rate that rises is better: {revision}"
    );
}

#[test]
fn replicates_are_one_value_each_execution() {
    let project = Project::repository()
        .file("prog", "echo '{\"times\": [3, 1, 2.5]}' > out.json\n")
        .commit("prints")
        .plan(&plan("{ name = 'time', from = 'json:/times', unit = 'ms', file = 'out.json' }"));
    let all = project.tacho("track --json").succeeds().json();
    assert_eq!(all["series"][0]["points"][0]["values"], serde_json::json!([2.5e6, 2.5e6, 2.5e6]));
    let head = project.git(["rev-parse", "HEAD"]);
    let one = project.tacho(&format!("show {} --json", head.trim())).succeeds().json();
    let sample = &one["hosts"][0]["benchmarks"][0]["samples"][1];
    assert_eq!(sample["replicates"], serde_json::json!({ "time": [3e6, 1e6, 2.5e6] }));
    assert_eq!(sample["values"]["time"], 2.5e6);
}

#[test]
fn an_output_without_it_is_a_failure_that_shows_what_was_there() {
    let project = Project::repository()
        .file("prog", "echo hashing; echo median bucket 6.5\n")
        .commit("prints otherwise")
        .plan(&plan(BUCKET));
    assert_snapshot!(project.tacho("track").exits(2).steady_stdout(), @r#"
    hash · bucket (lower is better)

      revision  date  subject
      12e09e9fdd  2023-11-14  prints otherwise
      2 executions failed (unreadable: `bucket`: nothing matches `mean bucket
      ([0-9.]+)`)

    2 samples in <time>: <time> building, <time> executing, <time> other
    "#);
    let head = project.git(["rev-parse", "HEAD"]);
    let one = project.tacho(&format!("show {} --json", head.trim())).succeeds().json();
    let sample = &one["hosts"][0]["benchmarks"][0]["samples"][0];
    assert_eq!(sample["output"], "hashing\nmedian bucket 6.5\n");
    assert!(sample["values"]["wall"].is_number(), "what was read all the same is kept");
}

#[test]
fn a_file_of_an_earlier_execution_is_never_read() {
    let project = Project::repository()
        .file("prog", "echo '{\"m\": 1}' >out.json\n")
        .commit("writes it")
        .file("prog", "echo done\n")
        .commit("writes nothing")
        .plan(&plan("{ name = 'm', from = 'metrics', file = 'out.json' }"));
    let all = project.tacho("track --json").exits(2).json();
    let points = &all["series"][0]["points"];
    assert_eq!(points[0]["values"], serde_json::json!([1.0, 1.0, 1.0]));
    let failure = points[1]["failure"].as_str().unwrap();
    assert!(
        failure.starts_with("unreadable: `m`: ") && failure.ends_with("was not written"),
        "{failure}"
    );
}

#[test]
fn a_metric_never_changes_its_unit() {
    let project = buckets(BUCKET);
    project.tacho("track").succeeds();
    let project = project.plan(&plan(&BUCKET.replace("entries", "ms")));
    assert_snapshot!(project.tacho("track").exits(2).stderr, @r#"
    error: stored values of metric `bucket` have the unit `entries`, but the plan now gives a time
    hint: choose another name
    "#);
}

#[test]
fn a_metric_that_is_not_there_is_told_with_those_that_are() {
    let project = buckets(BUCKET);
    project.tacho("track --quiet").succeeds();
    assert_snapshot!(project.tacho("show --metric buckets").exits(2).stderr, @r#"
    error: unknown metric `buckets`
    hint: did you mean `bucket`?
    "#);
}
