//! `tacho changes --from`: anybody's numbers, without a plan or a store.

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{Answer, Project};

/// A level with a fixed to and fro of 2 %: the same each time, and no noise that anybody could
/// complain of.
fn level(level: f64, points: std::ops::Range<usize>) -> Vec<f64> {
    let value = |place: usize| level * (1.0 + 0.02 * (((place * 7919) % 101) as f64 / 101.0 - 0.5));
    points.map(|place| (value(place) * 1000.0).round() / 1000.0).collect()
}

/// Forty points; from the twentieth on they are so much higher.
fn step(share: f64) -> Vec<f64> {
    [level(100.0, 0..20), level(100.0 * (1.0 + share), 20..40)].concat()
}

/// `tacho changes --from` of a file with this content, with these words after it.
fn from(content: &str, words: &str) -> Answer {
    let project = Project::empty().wide().file("numbers", content);
    project.tacho(&format!("changes --from numbers {words}"))
}

#[test]
fn commands_that_hyperfine_exports_are_no_history() {
    let project = Project::empty();
    let rows = "command,mean,stddev,median,user,system,min,max\na,1,1,1,1,1,1,1\n";
    std::fs::write(project.path().join("hf.csv"), rows).unwrap();
    let answer = project.tacho("changes --from hf.csv").exits(2);
    let error =
        "error: `hf.csv` is a table of hyperfine: it has summaries only, no samples\nhint: ";
    assert!(answer.stderr.starts_with(error), "{}", answer.stderr);
}

#[test]
fn steps_with_too_few_values_are_no_silence() {
    let values = "[31.5, 21.6, 21.6, 21.3, 21.7, 31.7, 31.3, 31.6]";
    let said = "no changes in 1 series\nnot reported: 2 possible steps, since there are too few \
                values yet (`--all` shows where)\n";
    assert_eq!(from(values, "").succeeds().stdout, said);
    let all = from(values, "--all").succeeds().stdout;
    assert!(all.contains("no change at index 1: too few values yet"), "{all}");
    assert!(all.ends_with("\nno changes in 1 series\n"), "{all}");
}

#[test]
fn folders_of_criterion_are_points_by_their_names() {
    let mut project = Project::empty().wide();
    for (at, value) in step(0.1).into_iter().enumerate() {
        let sample = json!({ "iters": [1.0, 2.0], "times": [value * 1e6, value * 2e6] });
        let file = format!("s.{at}/criterion/sum/new/sample.json");
        project = project.file(&file, &sample.to_string());
    }
    let folders: Vec<String> = (0..40).map(|at| format!("s.{at}")).collect();
    let answer = project.tacho(&format!("changes --from {}", folders.join(" "))).exits(1);
    assert!(answer.stdout.contains("s.20") && answer.stdout.contains("worse"), "{}", answer.stdout);
}

#[test]
fn folders_within_a_folder_are_points_that_are_called_by_what_differs() {
    let exported = |time: f64| json!({ "results": [{ "command": "work", "times": [time] }] });
    let sample = |time: f64| json!({ "iters": [1.0, 2.0], "times": [time, time * 2.0] });
    let mut project = Project::empty().wide();
    for (at, value) in step(0.1).into_iter().enumerate() {
        let files = [
            (format!("deep/r{at}/criterion/sum/new/sample.json"), sample(value * 1e6)),
            (format!("sum/v{at}/sample.json"), sample(value * 1e6)),
            (format!("sum/v{at}/estimates.json"), json!({ "median": { "point_estimate": 1.0 } })),
            (format!("sum/v{at}/benchmark.json"), json!({ "full_id": "sum" })),
            (format!("runs/r{at}/a.json"), exported(value)),
            (format!("bench/lab/{at}.json"), exported(value)),
        ];
        for (file, content) in files {
            project = project.file(&file, &content.to_string());
        }
    }
    let says = |from: &str, label: &str| {
        let answer = project.tacho(&format!("changes --from {from} --order name")).exits(1);
        let line = answer.stdout.lines().find(|line| line.contains(" worse ")).unwrap().to_owned();
        assert!(line.split_whitespace().any(|word| word == label), "{from}: {line}");
        assert_eq!(answer.stderr.matches("skipped").count(), 0, "{}", answer.stderr);
    };
    says("deep", "r20");
    says("sum", "v20");
    says("runs", "r20");
    says("bench", "20");
    let lone = project.tacho("changes --from sum/v0").exits(2).stderr;
    assert!(lone.starts_with("error: `sum/v0` is one report of criterion"), "{lone}");
}

#[test]
fn a_step_is_told_with_where_how_much_and_how_sure() {
    let answer =
        from(&json!({ "values": step(0.1), "better": "lower", "unit": "ms" }).to_string(), "")
            .exits(1);
    assert_eq!(answer.stderr, "");
    assert_snapshot!(answer.steady_stdout(), @r"
    values (lower is better)  <line>

      index  before  after  change  <percent>  confidence  kind
      20  <time>  <time>  <percent>  worse  <percent> … <percent>  > <percent>  step

    1 change in 1 series; the first point has index 0
    ");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let project = Project::empty().file("numbers", "rev,time\na,1.0\nb,1.1\n");
    let mut narrow = project.command(["changes", "--from", "numbers"]);
    let told = Answer::of(&narrow.env("COLUMNS", "80").output().unwrap()).exits(0).stdout;
    assert!(told.contains("\n  not judged: 2 points with values; a verdict "), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
}

#[test]
fn the_same_in_json() {
    let mut values: Vec<Option<f64>> = step(0.1).into_iter().map(Some).collect();
    values[3] = None;
    let answer = from(&json!({ "values": values, "better": "higher" }).to_string(), "--json")
        .exits(0)
        .json();
    let [change] = answer["changes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(change["index"], 20);
    assert_eq!(change["range"], json!([20, 20]));
    assert_eq!((&change["kind"], &change["verdict"]), (&json!("step"), &json!("better")));
    let between = |value: &serde_json::Value, low: f64, high: f64| {
        (low..high).contains(&value.as_f64().unwrap())
    };
    assert!(between(&change["effect"], 0.08, 0.12), "{change}");
    let interval = change["interval"].as_array().unwrap();
    assert!(between(&interval[0], 0.05, 0.1) && between(&interval[1], 0.1, 0.15), "{change}");
    assert!(between(&change["confidence"], 0.99, 1.01), "{change}");
    assert_eq!(
        (&answer["points"], &answer["judged"], &answer["format_version"]),
        (&json!(40), &json!(true), &json!(1))
    );
}

#[test]
fn nothing_is_told_of_what_does_not_change() {
    let answer = from(&json!({ "values": level(100.0, 0..60) }).to_string(), "").succeeds();
    assert_snapshot!(answer.steady_stdout(), @"no changes in 1 series");
    let few = from("[1, 2, 3]", "").succeeds();
    assert_snapshot!(few.stdout, @r"
    values (lower is better)  ▁▅█

      not judged: 3 points with values; a verdict needs 6 points, or 3 points that one run measured in 3 rounds

    no series was judged
    ");
}

#[test]
fn many_series_are_answered_as_they_were_asked() {
    let (up, flat) = (step(0.1), level(100.0, 0..40));
    let named =
        from(&json!({ "series": { "up": { "values": up }, "flat": flat } }).to_string(), "--json")
            .exits(1)
            .json();
    assert_eq!(named["series"]["up"]["changes"][0]["index"], 20);
    assert_eq!(named["series"]["flat"]["changes"], json!([]));
    let listed =
        from(&json!([{ "name": "up", "values": up }, { "values": flat }]).to_string(), "--json")
            .exits(1)
            .json();
    assert_eq!(listed["series"][0]["changes"][0]["index"], 20);
    assert_eq!((&listed["series"][1]["name"], &listed["judged"]), (&json!(null), &json!(2)));
}

#[test]
fn a_table_with_commits_and_a_change_of_the_machine() {
    let mut csv = "commit,host,parse,load\n".to_owned();
    for (place, (parse, load)) in step(0.1).iter().zip(step(-0.2)).enumerate() {
        let host = if place < 20 { "old" } else { "new" };
        csv += &format!("c{place},{host},{parse},{load}\n");
    }
    let answer = from(&csv, "").succeeds().stdout;
    let rows: Vec<&str> =
        answer.lines().filter(|line| line.ends_with("environment  host: old → new")).collect();
    assert_eq!(rows.len(), 2, "neither is a regression of the program: {answer}");
    assert!(rows.iter().all(|row| row.trim_start().starts_with("20  c20")), "{answer}");
    let better = from(&csv.replace("new", "old"), "--better higher --json").exits(1).json();
    let verdicts: Vec<_> =
        (0..2).map(|at| better["series"][at]["changes"][0]["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["better", "worse"]);
    assert_eq!(better["series"][0]["changes"][0]["label"], "c20");
}

#[test]
fn filters_leave_out_what_is_not_requested() {
    let content = json!({ "values": step(0.1) }).to_string();
    from(&content, "--min-effect 5%").exits(1);
    let small = from(&content, "--min-effect 20").succeeds();
    assert!(small.stdout.contains("no changes in 1 series"), "{}", small.stdout);
    from(&content, "--kind dip,environment").succeeds();
    from(&content, "--kind step").exits(1);
}

#[test]
fn another_host_fixes_no_regression() {
    let host = |name: &str| json!({ "host": name });
    let values = [level(100.0, 0..30), level(122.0, 30..60), level(100.0, 60..90)].concat();
    let tags = [vec![host("one"); 60], vec![host("two"); 30]].concat();
    let answer =
        from(&json!({ "values": values, "tags": tags }).to_string(), "--json").exits(1).json();
    let told: Vec<_> = answer["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| [&one["kind"], &one["returned"]])
        .collect();
    assert_eq!(told, [[&json!("step"), &json!(null)], [&json!("environment"), &json!(null)]]);
}

#[test]
fn numbers_come_from_standard_input_too() {
    let project = Project::empty();
    let input = json!(step(0.1)).to_string();
    let answer = project.tacho_with("changes --from - --json", &input).exits(1);
    assert_eq!(answer.json()["changes"][0]["index"], 20);
}

#[test]
fn mistakes_are_told_with_their_place() {
    assert_snapshot!(
        from("{\"values\": [1, \"12 ms\"]}", "").exits(2).stderr,
        @"error: cannot judge `numbers`: `values[1]` is the text `12 ms`, not a number or null"
    );
    assert_snapshot!(from("commit,parse\na,1\nb,12 ms\n", "").exits(2).stderr, @r"
    error: cannot judge `numbers`: line 3, column `parse`: `12 ms` is not a number
    hint: write only the number; the column's name may have the unit
    ");
    assert_snapshot!(from("", "").exits(2).stderr, @r#"
    error: cannot judge `numbers`: the input is empty
    hint: the simplest input is `{"values": [5.1, 5.2, 5.0], "better": "lower"}`
    "#);
    let missing = Project::empty().tacho("changes --from nowhere.json").exits(2);
    assert_snapshot!(
        missing.stderr,
        @"error: cannot read `nowhere.json`: No such file or directory"
    );
    assert_snapshot!(
        from("[1]", "--min-effect much").exits(2).stderr.lines().next().unwrap(),
        @"error: invalid value 'much' for '--min-effect <PERCENT>': not a number of per cent"
    );
}

#[test]
fn a_range_beside_a_file_is_refused() {
    let mistake = from("values\n1\n", "A..B").exits(2).stderr;
    assert_eq!(mistake, "error: cannot read `A..B`: No such file or directory\n");
    let usage = from("values\n1\n", "--state new").exits(2).stderr;
    assert!(usage.contains("tacho changes --from <FILE>... [OPTIONS]\n"), "{usage}");
    assert!(!usage.contains("<FILE>... [A..B"), "{usage}");
}

#[test]
fn a_slower_processor_time_is_told_whatever_its_column_is_called() {
    let rows: String =
        step(0.1).iter().enumerate().map(|(place, cpu)| format!("c{place},10,{cpu}\n")).collect();
    let answer = from(&format!("commit,wall,cpu\n{rows}"), "").exits(1);
    assert!(
        answer.stdout.contains("1 change in 2 series; the first point has index 0"),
        "{}",
        answer.stdout
    );
    assert_eq!(answer.stderr, "");
}

#[test]
fn columns_that_are_no_series_are_named() {
    let answer = from("commit,author,parse\na,Ann,1\n", "").exits(0);
    assert_eq!(answer.stderr, "note: ignored columns (no values to judge): `author`\n");
}

#[test]
fn a_table_for_a_mail_and_small_numbers_with_their_digits() {
    let values: Vec<f64> = (0..40)
        .map(|i| if i < 20 { 0.01 } else { 0.0104 } * (1.0 + f64::from(i * 7 % 5) / 1000.0))
        .collect();
    let project = Project::empty();
    let series = serde_json::json!({ "name": "parse|all", "unit": "s", "values": values });
    let project = project.file("numbers.json", &series.to_string());
    let answer = project.tacho("changes --from numbers.json --markdown").exits(1);
    assert_snapshot!(answer.stdout, @r"
    **parse\|all**

    | index | before | after | change |  | 95 % | confidence | kind |
    |---:|---:|---:|---:|:---|:---|---:|:---|
    | 20 | 10.02 ms | 10.42 ms | +4.0 % | **worse** | +3.9 % … +4.1 % | > 99.99 % | step |

    **1 change in 1 series; the first point has index 0**
    ");
    let bare = project.file("numbers.json", &serde_json::json!({ "values": values }).to_string());
    let text = bare.tacho("changes --from numbers.json").exits(1).stdout;
    assert!(text.contains("0.01002") && text.contains("0.01042"), "{text}");
}

#[test]
fn a_series_that_the_file_has_not_is_a_mistake() {
    let numbers = json!({ "series": { "parse": [1, 2], "load": [3, 4] } }).to_string();
    assert_snapshot!(from(&numbers, "-b nope").exits(2).stderr, @r"
    error: unknown series `nope`
    hint: known: `load`, `parse`
    ");
    from(&numbers, "-b parse").succeeds();
    let near = from(&numbers, "-b prase").exits(2).stderr;
    assert!(near.ends_with("hint: did you mean `parse`?\n"), "{near}");
    assert_snapshot!(from("[1, 2]", "-b nope").exits(2).stderr, @r"
    error: unknown series `nope`
    hint: no series of the file has a name
    ");
}

#[test]
fn from_nothing_there_is_no_ratio() {
    let values: Vec<f64> =
        step(0.0).iter().enumerate().map(|(i, v)| if i < 20 { 0.0 } else { *v }).collect();
    let content = json!({ "values": values }).to_string();
    let answer = from(&content, "--json").exits(1).json();
    let change = &answer["changes"][0];
    assert_eq!(
        (&change["index"], &change["effect"], &change["interval"]),
        (&json!(20), &json!(null), &json!(null))
    );
    let text = from(&content, "").exits(1).stdout;
    assert!(text.contains("from zero  worse"), "{text}");
}

#[test]
fn hosts_that_take_turns_excuse_nothing() {
    let hosts: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "one" } else { "two" }).collect();
    let content = json!({ "values": step(0.1), "tags": { "host": hosts } }).to_string();
    let change = &from(&content, "--json").exits(1).json()["changes"][0];
    assert_eq!((&change["index"], &change["kind"]), (&json!(20), &json!("step")));
    assert_eq!(change["environment"], json!([]));
}

#[test]
fn times_that_descend_are_warned_of() {
    let lines = |days: &mut dyn Iterator<Item = u32>| {
        let rows = days.map(|day| format!("2024-03-{day:02},{day},{day}\n"));
        format!("date,parse,load\n{}", rows.collect::<String>())
    };
    assert_eq!(from(&lines(&mut (1..=28)), "").stderr, "");
    let answer = from(&lines(&mut (1..=28).rev()), "");
    assert_snapshot!(answer.stderr, @"warning: the times of `parse`, and those of 1 more are not \
        in order: `2024-03-27` comes after `2024-03-28`; points are judged in the order of \
        the file");
}

#[test]
fn drift_is_a_kind_that_can_be_requested() {
    let values: Vec<f64> = level(100.0, 0..300)
        .iter()
        .enumerate()
        .map(|(i, v)| v * (1.0 + 0.0004 * i as f64))
        .collect();
    let content = json!({ "values": values }).to_string();
    let drifts = |words: &str| {
        from(&content, &format!("--json {words}")).exits(0).json()["drift"].is_object()
    };
    assert!(drifts("") && drifts("--kind drift") && !drifts("--kind step"));
    assert!(drifts("--min-effect 5") && !drifts("--min-effect 50"), "it is some 12 %");
    let mail = from(&content, "--markdown").exits(0).stdout;
    assert!(mail.starts_with("**values**\n\n- drifts by +"), "{mail}");
}

#[test]
fn what_is_left_out_by_name_is_not_counted() {
    let content =
        json!({ "series": { "a": step(0.1), "b": level(50.0, 0..40), "c": [1, 2] } }).to_string();
    assert!(
        from(&content, "")
            .exits(1)
            .stdout
            .ends_with("1 change in 2 series; the first point has index 0; 1 not judged\n")
    );
    assert!(from(&content, "-b b").exits(0).stdout.ends_with("no changes in 1 series\n"));
    let mail = from(&content, "-b c --markdown").exits(0).stdout;
    let why = "**c**\n\n- not judged: 2 points with values; a verdict needs 6 points, \
               or 3 points that one run measured in 3 rounds\n\n";
    assert_eq!(mail, format!("{why}**no series was judged**\n"));
}

#[test]
fn a_terminal_of_sixty_columns_has_room_for_all() {
    let project = Project::empty().file("numbers", &json!({ "values": step(0.1) }).to_string());
    let mut command = project.command(["changes", "--from", "numbers"]);
    let told = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).exits(1).stdout;
    assert!(told.lines().all(|line| line.chars().count() <= 60), "{told}");
    assert!(told.contains("\n\n  index 20\n    +10.2 % worse  "), "{told}");
}

#[test]
fn a_filter_that_hides_all_says_so() {
    let values = json!({ "values": step(0.1) }).to_string();
    let told = from(&values, "--min-effect 50").exits(0).stdout;
    assert_eq!(told, "no changes in 1 series; 1 change not shown, by `--min-effect` or `--kind`\n");
    let markdown = from(&values, "--kind spread --markdown").exits(0).stdout;
    assert_eq!(markdown, format!("**{}**\n", told.trim_end()));
    let shown = from(&values, "--min-effect 5").exits(1).stdout;
    assert!(shown.ends_with("\n1 change in 1 series; the first point has index 0\n"), "{shown}");
}

#[test]
fn values_near_the_largest_number_are_judged_and_can_be_read() {
    let huge =
        |values: Vec<f64>| values.into_iter().map(|value| value * 1e306).collect::<Vec<f64>>();
    let quiet = from(&json!({ "values": huge(step(0.0)) }).to_string(), "").exits(0).stdout;
    assert_eq!(quiet, "no changes in 1 series\n");
    let told = from(&json!({ "values": huge(step(0.1)) }).to_string(), "").exits(1).stdout;
    assert!(told.contains("e307  ") || told.contains("e308  "), "{told}");
    assert!(told.lines().all(|line| line.chars().count() < 150), "{told}");
}

#[test]
fn rows_of_one_version_are_told_to_be_samples() {
    let rows: String = (0..40).map(|row| format!("1.{},{}\n", row / 10, 100 + row % 7)).collect();
    let told = from(&format!("version,wall\n{rows}"), "").exits(0);
    assert_eq!(
        told.stderr,
        "note: rows with the same `version` are samples of one point: 40 rows make 4 points\n\
         hint: a column `commit` or `date` distinguishes revisions of one release\n"
    );
}

/// A report of hyperfine with these times of one command.
fn hyperfine(times: [f64; 3]) -> String {
    format!(
        "{{\"results\": [{{\"command\": \"work\", \"mean\": {0}, \"median\": {0}, \"min\": {0}, \
         \"max\": {0}, \"user\": 0, \"system\": 0, \"times\": [{0}, {1}, {2}]}}]}}",
        times[0], times[1], times[2]
    )
}

#[test]
fn several_reports_are_points_of_a_series() {
    let mut project = Project::empty();
    for n in 1..=16_u32 {
        let level = if n < 9 { 0.1 } else { 0.15 };
        let times = [1, 2, 3].map(|k| level * crate::harness::noise(n * 3 + k));
        project = project.file(&format!("runs/run-{n}.json"), &hyperfine(times));
    }
    let folder = project.tacho("changes --from runs").exits(1).stdout;
    assert!(folder.contains("run-9"), "{folder}");
    assert_eq!(project.tacho("changes --from runs/run-*.json").exits(1).stdout, folder);
    // As a shell writes `runs/*`: `run-10` before `run-2`.
    let mut files: Vec<String> = (1..=16).map(|n| format!("runs/run-{n}.json")).collect();
    files.sort();
    let typed = |order: &str, files: &[String]| {
        project.tacho(&format!("changes {order} --from {}", files.join(" ")))
    };
    let expanded = typed("", &files).exits(1);
    assert_eq!(expanded.stdout, folder);
    let by_name = "note: points are in order of the names of the files, numbers by value; ";
    assert!(expanded.stderr.starts_with(by_name), "{}", expanded.stderr);
    // By letters run-10 to run-16 come early, so that the new level ends.
    let given = typed("--order given", &files).exits(0);
    assert!(given.stdout.contains(" better "), "{}", given.stdout);
    files.sort_by_key(String::len);
    files.reverse();
    let reversed = typed("", &files).exits(0).stderr;
    assert!(reversed.starts_with("note: points are in the order given; "), "{reversed}");
    let told = project.tacho("changes --order time --from runs").exits(2).stderr;
    assert!(
        told.starts_with("error: `runs/run-1.json` does not say when it was measured"),
        "{told}"
    );
    // More is better: the same numbers are no regression.
    let higher = project.tacho("changes --from runs --better higher").exits(0).stdout;
    assert!(higher.contains("(higher is better)") && higher.contains(" better "), "{higher}");
    let project = project.file("runs/notes.json", "{\"a\": 1}").file("other/a.json", "[]");
    let skipping = project.tacho("changes --from runs").exits(1);
    assert_eq!(skipping.stdout, folder);
    assert!(
        skipping.stderr.starts_with("note: skipped `runs/notes.json`, which is not a report: "),
        "{}",
        skipping.stderr
    );
    let named = project.tacho("changes --from runs/run-1.json runs/notes.json").exits(2).stderr;
    assert!(named.starts_with("error: `runs/notes.json` is not a report: "), "{named}");
    let none = project.tacho("changes --from other").exits(2).stderr;
    assert!(
        none.starts_with("note: skipped `other/a.json`, which is not a report: ")
            && none.contains("error: no file in `other` is a report\n"),
        "{none}"
    );
    let one = project.tacho("changes --from runs/run-1.json").exits(2).stderr;
    assert_snapshot!(one, @"
    error: `runs/run-1.json` is one report of hyperfine: a point, not a series
    hint: `tacho compare runs/run-1.json OTHER` compares two; `tacho changes --from FILE FILE …` judges several in a row
    ");
    assert_snapshot!(
        project.tacho("changes --from none*.json").exits(2).stderr,
        @"error: no file matches `none*.json`"
    );
}

#[test]
fn results_of_asv_are_a_series_in_order_of_their_dates() {
    let mut project = Project::empty();
    for n in 1..=16_i64 {
        let level =
            if n < 9 { 0.1 } else { 0.15 } * crate::harness::noise(u32::try_from(n).unwrap());
        // Names are hashes, which are in no order.
        let hash = format!("{:02x}{n:038}", (n * 37) % 251);
        let result = format!(
            "{{\"commit_hash\": \"{hash}\", \"date\": {}, \"result_columns\": [\"result\", \
             \"params\", \"version\"], \"results\": {{\"suite.time_sort\": [[{level}, null], \
             [[\"10\", \"20\"]], \"v\"]}}, \"version\": 2}}",
            1_700_000_000_000 + n * 86_400_000
        );
        project = project.file(&format!("results/kiln/{hash}.json"), &result);
    }
    let project = project
        .file("results/kiln/machine.json", "{\"arch\": \"x86_64\"}")
        .file("results/benchmarks.json", "{}");
    let told = project.tacho("changes --from results/kiln").exits(1).stdout;
    assert_eq!(project.tacho("changes --from results").exits(1).stdout, told, "the only machine");
    let culprit = format!("{:02x}00000000", (9 * 37) % 251);
    assert!(told.contains("suite.time_sort(10)") && told.contains(&culprit), "{told}");
    let project = project.file("results/anvil/machine.json", "{}");
    assert_snapshot!(project.tacho("changes --from results").exits(2).stderr, @"
    error: `results` has results of several machines: name the folder of one of them
    hint: it has `results/anvil`, `results/kiln`
    ");
}

/// Six samples a revision in common rounds, each round 5 % off the others.
fn in_rounds(levels: &[f64]) -> serde_json::Value {
    let sample = |revision: usize, round: usize, level: f64| {
        let noise = ((revision * 7919 + round * 104_729) % 101) as f64 / 101.0 - 0.5;
        level * (1.0 + 0.05 * (round % 3) as f64) * (1.0 + 0.01 * noise)
    };
    let samples: Vec<Vec<f64>> = (levels.iter().enumerate())
        .map(|(revision, level)| (0..6).map(|round| sample(revision, round, *level)).collect())
        .collect();
    let rounds = vec![(0..6).collect::<Vec<u32>>(); levels.len()];
    json!({ "samples": samples, "rounds": rounds })
}

#[test]
fn what_was_measured_in_rounds_is_judged_by_its_samples() {
    let series = in_rounds(&[100.0, 100.0, 106.0, 100.0, 100.0, 130.0, 130.0, 130.0]);
    let answer = from(&series.to_string(), "--json").exits(1).json();
    let kinds: Vec<(u64, &str)> = (answer["changes"].as_array().unwrap().iter())
        .map(|change| (change["index"].as_u64().unwrap(), change["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [(2, "build"), (3, "build"), (5, "step")]);
    let history = &answer["history"];
    assert_eq!(history["reported"][2]["of"], "commit");
    assert!(history["reported"][2]["probability"].as_f64().unwrap() > 0.95, "{history}");
    assert_eq!(history["run"], json!(null));
}

#[test]
fn one_build_that_differs_is_no_regression() {
    let series = in_rounds(&[100.0, 100.0, 100.0, 100.0, 100.0, 106.0]);
    let answer = from(&series.to_string(), "").exits(0);
    assert!(
        answer.stdout.contains("single build")
            && answer.stdout.contains("another layout would decide"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_column_called_rev_is_the_label() {
    let rows: String =
        (0..12).map(|n| format!("r{n},{}\n", if n < 6 { 1.0 } else { 1.5 })).collect();
    let project = Project::empty().file("t.csv", &format!("rev,value\n{rows}"));
    let answer = project.tacho("changes --from t.csv").exits(1);
    assert!(answer.stdout.contains("r6") && answer.stderr.is_empty(), "{}", answer.stdout);
}

#[test]
fn reports_that_say_when_they_were_made_are_in_order_of_time() {
    let mut project = Project::empty();
    for n in 1..=16_u32 {
        let level = if n < 9 { 0.1 } else { 0.15 };
        let data: Vec<f64> =
            [1, 2, 3].iter().map(|k| level * crate::harness::noise(n * 3 + k)).collect();
        // Names are in no order.
        let report = json!({
            "datetime": format!("2026-03-{n:02}T10:00:00.5+00:00"),
            "machine_info": {}, "commit_info": {}, "version": "5.1.0",
            "benchmarks": [{ "name": "work", "fullname": "test.py::work", "params": null,
                "stats": { "data": data, "median": data[0], "min": data[0], "max": data[0] } }],
        });
        project = project.file(&format!("r/{:02}.json", n * 7 % 17), &report.to_string());
    }
    let told = project.tacho("changes --from r").exits(1);
    assert!(told.stderr.starts_with("note: points are in order of the times"), "{}", told.stderr);
    assert!(told.stdout.contains("\n1 change in 1 series"), "{}", told.stdout);
    assert!(told.stdout.contains("  2026-03-09T10:00:00Z"), "a date: {}", told.stdout);
}

#[test]
fn a_direction_that_is_typed_holds_for_two_files() {
    let report = |level: f64| {
        let times: Vec<f64> = (1..=20).map(|n| level * crate::harness::noise(n)).collect();
        json!({ "results": [{ "command": "work", "times": times }] }).to_string()
    };
    let project = Project::empty().file("a.json", &report(0.1)).file("b.json", &report(0.2)).wide();
    let gate = "compare a.json b.json --fail-on slower:5%";
    let lower = project.tacho(gate).exits(1).stdout;
    assert!(lower.contains("slower") && !lower.contains("faster"), "{lower}");
    let higher = project.tacho(&format!("{gate} --better higher")).exits(0).stdout;
    assert!(higher.contains("faster") && !higher.contains("slower"), "{higher}");
    let commands = project.tacho("compare --command true true --better higher").exits(2).stderr;
    assert!(
        commands.starts_with("error: `--better` is for two files of other tools"),
        "{commands}"
    );
}

#[test]
fn benchmarks_below_one_another_are_judged_by_themselves() {
    let rows: String = (step(0.1).iter().zip(level(50.0, 0..40)).enumerate())
        .map(|(at, (parse, sort))| format!("c{at},parse,{parse},x\nc{at},sort,{sort},y\n"))
        .collect();
    let answer = from(&format!("commit,benchmark,time,author\n{rows}"), "").exits(1);
    assert!(answer.stdout.contains("1 change in 2 series"), "{}", answer.stdout);
    assert!(answer.stdout.starts_with("parse (lower is better)"), "{}", answer.stdout);
    assert_snapshot!(answer.stderr, @r"
    note: column `benchmark` names the series of each row: 2 series
    note: ignored columns (no values to judge): `author`
    ");
}

#[test]
fn the_direction_that_is_taken_of_a_rate_is_said() {
    let rows = |head: &str| {
        let rows = step(-0.1).into_iter().enumerate().map(|(at, it)| format!("c{at},{it}\n"));
        format!("commit,{head}\n{}", rows.collect::<String>())
    };
    let rate = from(&rows("requests_per_s"), "").exits(1);
    assert!(rate.stdout.contains("requests_per_s (higher is better)"), "{}", rate.stdout);
    assert_eq!(
        rate.stderr,
        "note: higher is taken as better for `requests_per_s`, by name or unit; `--better lower` \
         changes that\n"
    );
    let score = from(&rows("score"), "").exits(0);
    assert_eq!(
        score.stderr,
        "note: lower is taken as better for `score`; if more is better, use `--better higher`\n"
    );
    assert_eq!(from(&rows("score"), "--better higher").exits(1).stderr, "");
    assert_eq!(from(&rows("wall"), "").exits(0).stderr, "");
}
