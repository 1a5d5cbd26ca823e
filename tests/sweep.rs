//! `tacho sweep`: a command over the values of a parameter, without a plan.

use crate::harness::{Answer, Project};

/// A program that prints what a number costs and needs no time that matters: `work 40` prints
/// `cost=…`, lowest at 30.
const WORK: &str = "echo cost=$((1000 + ($1 - 30) * ($1 - 30)))\n";

fn sweep(words: &[&str]) -> Answer {
    let project = Project::empty().file("work", WORK);
    Answer::of(
        &project
            .command(["sweep", "--quiet"].into_iter().chain(words.iter().copied()))
            .env("COLUMNS", "80")
            .output()
            .unwrap(),
    )
}

/// `-m` reads the cost, which is then looked at.
const COST: [&str; 4] = ["-m", "cost=key:cost", "--minimise", "cost"];

#[test]
fn the_best_value_of_a_grid_is_named_with_what_the_default_costs() {
    let words =
        [&COST[..], &["-r", "3", "-P", "n=10..50:10", "--default", "n=10", "sh work {n}"]].concat();
    let answer = sweep(&words).exits(0);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("  value  n  median"), "{}", answer.stdout);
    let best = lines[3].split_whitespace().collect::<Vec<_>>();
    assert_eq!(best[..4], ["n=30", "3", "1000", "1.000"]);
    assert!(lines[3].ends_with("  best") && lines[1].ends_with("  default"), "{}", answer.stdout);
    let told = lines[7..].join("\n");
    assert!(told.starts_with("best: `n=30`, 1000\n"), "{told}");
    assert!(told.contains("\nplateau: `n=30` alone (95 % confidence)\n"), "{told}");
    assert!(
        told.contains("\ndefault: `n=10` is 40.0 % worse than the best (95 %: 40.0 % … 40.0 %)"),
        "{told}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
    // What it says is about the cost, not about times.
    assert_eq!(answer.stderr, "");
}

#[test]
fn a_sweep_waits_for_a_quiet_host_where_that_is_wanted() {
    let words = [&COST[..], &["-r", "1", "-P", "n=20,30", "sh work {n}"]].concat();
    let waits = sweep(&[&words[..], &["--quiet-wait=1ms"]].concat()).exits(0);
    assert!(waits.stdout.contains("best: `n=30`, 1000\n"), "{}", waits.stdout);
}

#[test]
fn a_grid_is_answered_in_json_and_in_markdown() {
    let words =
        [&COST[..], &["-r", "2", "-P", "n=10,30,50", "--seed", "7", "sh work {n}"]].concat();
    let json = sweep(&[&words[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(
        (&json["best"], &json["shape"], &json["metric"]),
        (&"n=30".into(), &"varied".into(), &"cost".into())
    );
    assert_eq!(json["plateau"], serde_json::json!(["n=30"]));
    let first = &json["values"][0];
    assert_eq!((&first["parameters"]["n"], &first["median"]), (&"10".into(), &1400.0.into()));
    assert!((first["cost"].as_f64().unwrap() - 0.4).abs() < 1e-6, "{first}");
    assert_eq!(first["samples"].as_array().unwrap().len(), 2);
    let markdown = sweep(&[&words[..], &["--markdown"]].concat()).exits(0).stdout;
    assert!(
        markdown.starts_with("| value | n | median |") && markdown.contains("\n- best: `n=30`"),
        "{markdown}"
    );
}

#[test]
fn a_flat_curve_is_called_flat() {
    let words = [
        "-m",
        "cost=key:cost",
        "--minimise",
        "cost",
        "-r",
        "2",
        "-P",
        "n=1,2,4..16",
        "sh -c 'echo cost=5; : {n}'",
    ];
    let told = sweep(&words).exits(0).stdout;
    assert!(told.contains("\nflat: no value is more than 0.0 % worse than the best\n"), "{told}");
}

#[test]
fn a_limit_decides_which_values_may_be_the_best() {
    let limits = ["--where", "cost<1300", "--maximise", "cost", "-m", "cost=key:cost"];
    let words = [&limits[..], &["-r", "6", "-P", "n=10,20,30", "sh work {n}"]].concat();
    let told = sweep(&words).exits(0).stdout;
    assert!(
        told.contains("breaks cost < 1300") && told.contains("\nbest: `n=20`, 1100\n"),
        "{told}"
    );
    let none = sweep(
        &[&COST[..], &["--where", "cost<10", "-r", "2", "-P", "n=1,2", "sh work {n}"]].concat(),
    );
    let none = none.exits(2);
    assert!(none.stdout.contains("\nno curve: no value keeps `cost < 10`\n"), "{}", none.stdout);
    assert_eq!(none.stderr, "error: no curve: no value keeps `cost < 10`\n");
}

#[test]
fn a_repeated_value_is_measured_once_and_that_is_said() {
    let words = [&COST[..], &["-r", "2", "-P", "n=30,20,30", "sh work {n}"]].concat();
    let told = sweep(&words).exits(0);
    assert_eq!(told.stdout.matches("  n=").count(), 2, "{}", told.stdout);
    let note = "note: `n=30,20,30` repeats a value: each is measured once\n";
    assert!(told.stderr.starts_with(note), "{}", told.stderr);
}

#[test]
fn a_search_names_an_interval_and_how_many_samples_it_took() {
    let words = [&COST[..], &["--search", "n=1..100", "--json", "sh work {n}"]].concat();
    let json = sweep(&words).exits(0).json();
    assert_eq!(json["best"], "n=30");
    let spans = json["spans"].as_array().unwrap();
    assert_eq!(spans.len(), 1, "{spans:?}");
    let (taken, whole) = (json["taken"].as_u64().unwrap(), json["whole"].as_u64().unwrap());
    assert!(whole == 650 && taken <= 325, "{taken} of {whole}");
}

#[test]
fn the_highest_load_that_keeps_a_limit_is_found() {
    let words = [
        "--highest-load",
        "n=31..100",
        "--keep",
        "cost<=1400",
        "-m",
        "cost=key:cost",
        "--trials",
        "3",
    ];
    let answer = sweep(&[&words[..], &["sh work {n}"]].concat()).exits(0);
    let told = &answer.stdout;
    assert!(told.contains("\nhighest load that keeps `cost <= 1400`: `n=50`\n"), "{told}");
    assert!(told.contains("\n`n=51` breaks the limit in 2 of 2 trials\n"), "{told}");
    assert!(
        told.contains(
            "\nkept in 2 of 2 trials: with 95 % confidence, at least 22.4 % of all trials"
        ),
        "{told}"
    );
    let all =
        sweep(&[&words[..2], &["--keep", "cost<9999"], &words[4..], &["sh work {n}"]].concat())
            .exits(0);
    assert!(all.stdout.contains("\nhighest load: at least `n=100`\n"), "{}", all.stdout);
    // An overloaded program may not end in time.
    let slow = "sh -c 'test {n} -lt 70 || exec sleep 9; sh work {n}'";
    let ends = [&words[..], &["--timeout", "300ms", slow]].concat();
    let told = sweep(&ends).exits(0).stdout;
    assert!(told.contains("\nhighest load that keeps `cost <= 1400`: `n=50`\n"), "{told}");
}

#[test]
fn variants_are_times_of_the_floor() {
    let words = [
        "-r",
        "3",
        "--floor",
        "true",
        "-n",
        "nothing",
        "-n",
        "work",
        "true",
        "sleep 0.05",
        "--json",
    ];
    let json = sweep(&words).exits(0).json();
    assert_eq!((&json["floor"], &json["front"]), (&"nothing".into(), &serde_json::json!(["work"])));
    assert!(json["values"][1]["floor_ratio"].as_f64().unwrap() > 2.0);
    let markdown = sweep(&[&words[..words.len() - 1], &["--markdown"]].concat()).exits(0).stdout;
    assert!(
        markdown.contains("\n| nothing | ") && markdown.contains("\n- Pareto front of time"),
        "{markdown}"
    );
    let told = sweep(&words[..words.len() - 1]).exits(0).stdout;
    assert!(
        told.contains("× floor") && told.contains("\nPareto front of time and memory"),
        "{told}"
    );
}

#[test]
fn a_benchmark_of_the_plan_is_swept_over_its_parameters() {
    let plan = "[subject]\n[[benchmark]]\nname = 'cost'\ncommand = 'sh {build}/work {n} {mode}'\n\
                parameters = { n = [50, 10, 30], mode = ['fast'] }\n\
                metrics = [{ name = 'cost', from = 'key:cost' }]\n";
    let project = Project::repository().file("work", WORK).plan(plan);
    let told = project.tacho("sweep --quiet --benchmark cost --minimise cost -r 2").exits(0).stdout;
    assert!(told.contains("\nbest: `n=30`, 1000\n"), "{told}");
    let typed = project
        .tacho("sweep --quiet --benchmark cost --minimise cost -r 2 -P n=28,29 --json")
        .exits(0);
    assert_eq!(typed.json()["best"], "n=29");
    let found = project
        .tacho("sweep --quiet --benchmark cost --minimise cost --search n=1..60 --json")
        .exits(0);
    assert_eq!(found.json()["best"], "n=30");
    let wrong = project.tacho("sweep --benchmark cost -P batch=1,2").exits(2);
    assert_eq!(
        wrong.stderr,
        "error: the benchmark has no parameter `batch`\nhint: known: `mode`, `n`\n"
    );
    let unknown = project.tacho("sweep --benchmark coast").exits(2);
    assert!(unknown.stderr.starts_with("error: unknown benchmark `coast`\n"), "{}", unknown.stderr);
}

/// Needs root, `iperf3` and most of a minute; `benches/highest-load.sh` does it twenty times.
#[test]
#[ignore = "takes most of a minute"]
fn the_rate_of_a_link_between_namespaces_is_found() {
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/highest-load.sh");
    let tacho = assert_cmd::cargo::cargo_bin!("tacho");
    let output = std::process::Command::new(script).arg(tacho).arg("1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(77) => eprintln!("{}", told.trim_end()),
        status => assert_eq!(status, Some(0), "{told}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn mistakes_are_named_before_anything_is_executed() {
    for (words, error) in [
        (&["true"][..], "there is nothing to sweep"),
        (&["-P", "n", "true {n}"], "`n` is not a parameter with values"),
        (&["-P", "n=1,2", "true"], "no command has `{n}`"),
        (&["-P", "n=1,2", "--default", "n=3", "true {n}"], "no value of `n` is `3`"),
        (
            &["-P", "n=1,2", "--default", "m=1", "true {n}"],
            "`--default` names `m`, which is not varied\nhint: known: `n`",
        ),
        (&["-P", "n=1,2", "--minimise", "cost", "true {n}"], "unknown metric `cost`"),
        (
            &["-P", "n=1,2", "--minimise", "memory", "true {n}"],
            "unknown metric `memory`\nhint: did you mean `peak-memory` or",
        ),
        (&["-P", "n=1,2,", "true {n}"], "`n=1,2,` has an empty value"),
        (&["-P", "n=1,2", "--log", "true {n}"], "`--log` is for `--search` and `--highest-load`"),
        (&["-P", "n=1,2", "--where", "wall=3", "true {n}"], "`wall=3` is not a limit"),
        (&["-P", "n=1,2", "--keep", "wall<1", "true {n}"], "`--keep` is for `--highest-load`"),
        (&["--search", "n=9..1", "true {n}"], "`n=9..1` is not a range"),
        (
            &["--search", "n=0..9", "--log", "true {n}"],
            "`--log` needs values above 0, and `n=0..9` begins at 0",
        ),
        (
            &["--search", "n=1..9", "true {n}", "false {n}"],
            "a search takes one command, but 2 were given",
        ),
    ] {
        let answer = sweep(words).exits(2);
        assert!(
            answer.stderr.starts_with(&format!("error: {error}"))
                && answer.stderr.contains("\nhint: "),
            "{words:?}: {}",
            answer.stderr
        );
    }
}

#[test]
fn a_value_that_reaches_a_limit_is_shown() {
    let hold = "exec(\"import sys\\nx = bytearray(int(sys.argv[1]) * 1048576)\")";
    let command = format!("python3 -c '{hold}' {{mb}}");
    let words = ["-r", "2", "--limit-memory", "64MiB", "-P", "mb=1,200", &command];
    let answer = sweep(&words).exits(0);
    let line = answer.stdout.lines().find(|line| line.contains("mb=200")).unwrap();
    assert!(line.contains("2 reached 64.00 MiB of memory"), "{}", answer.stdout);
    let json = sweep(&[&words[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(json["values"][1]["limited"], 2, "{json}");
}

/// The executions that stay below a limit say nothing of those that do not.
#[test]
fn a_value_that_reaches_a_limit_now_and_then_is_not_the_best() {
    const PROGRAM: &str = "\
import sys
name = 'count' + sys.argv[1]
try: count = int(open(name).read())
except OSError: count = 0
open(name, 'w').write(str(count + 1))
if sys.argv[1] == '2' and count % 2: x = bytearray(200 * 1048576)
print('cost=' + str(10 - int(sys.argv[1])))
";
    let project = Project::empty().file("sometimes.py", PROGRAM);
    let words = ["sweep", "--quiet", "-r", "4", "--limit-memory", "64MiB", "-P", "n=1,2"];
    let words = words.into_iter().chain(COST).chain(["python3 sometimes.py {n}"]);
    let answer = Answer::of(&project.command(words).output().unwrap()).exits(0);
    assert!(answer.stdout.contains("best: `n=1`, 9\n"), "{}", answer.stdout);
    let line = answer.stdout.lines().find(|line| line.contains("n=2")).unwrap();
    assert!(line.contains("2 reached 64.00 MiB of memory"), "{}", answer.stdout);
}

#[test]
fn a_value_that_fails_is_shown_and_is_an_error() {
    let words =
        [&COST[..], &["-r", "2", "-P", "n=20,30", "sh -c 'test {n} -gt 20 && sh work {n}'"]]
            .concat();
    let answer = sweep(&words).exits(2);
    assert!(
        answer.stdout.contains("2 failed (exit 1)") && answer.stdout.contains("\nbest: `n=30`"),
        "{}",
        answer.stdout
    );
}

#[test]
fn what_makes_the_numbers_worth_less_is_on_the_page_and_in_markdown() {
    let project = Project::empty();
    let words = ["sweep", "-q", "-r", "2", "--page", "o.html", "--markdown", "-P", "n=0,3"];
    let command = project.command(words.into_iter().chain(["exit {n}"])).output().unwrap();
    let markdown = Answer::of(&command).exits(2).stdout;
    let page = std::fs::read_to_string(project.path().join("o.html")).unwrap();
    let failed = "2 executions failed; the first: exit 3";
    assert!(markdown.contains(&format!("\n- warning: `exit 3`: {failed}\n")), "{markdown}");
    assert!(page.contains(&format!("<code>exit 3</code>: {failed}.</p>")), "{page}");
}

#[test]
fn a_page_shows_the_curve_the_stages_and_the_front_in_one_file() {
    let project = Project::empty().file("work", WORK);
    let page = |words: &[&str]| {
        let words = ["sweep", "--quiet", "--page", "out.html"].iter().chain(words);
        Answer::of(&project.command(words.copied()).output().unwrap()).exits(0);
        std::fs::read_to_string(project.path().join("out.html")).unwrap()
    };
    let grid = page(&[&COST[..], &["-r", "2", "-P", "n=10..50:10", "sh work {n}"]].concat());
    assert!(grid.contains("<h1>Sweep of n</h1>") && grid.contains("<h2>The curve</h2>"), "{grid}");
    assert!(grid.contains("<b>best</b>: <code>n=30</code>, 1000"), "{grid}");
    assert!(!grid.contains("<link rel=\"stylesheet\"") && !grid.contains("<script"), "{grid}");
    let search = page(&[&COST[..], &["--search", "n=1..100", "sh work {n}"]].concat());
    assert!(search.contains("<h2>The stages of the search</h2>"), "{search}");
    let load = ["--highest-load", "n=31..100", "--keep", "cost<=1400", "-m", "cost=key:cost"];
    let load = page(&[&load[..], &["--trials", "3", "sh work {n}"]].concat());
    assert!(
        load.contains("highest load 50</text>") && load.contains("path class=\"broken\""),
        "{load}"
    );
    let front = page(&["-r", "2", "--floor", "true", "sh work 1", "sh work 2"]);
    assert!(front.contains("<h2>Time and memory</h2>") && front.contains("(floor)"), "{front}");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_before_anything_is_executed() {
    let words = ["--page", "no/such/folder.html", "-P", "n=1,2", "touch done-{n}"];
    let answer = sweep(&words).exits(2);
    assert!(answer.stderr.contains("cannot write `no/such/folder.html`"), "{}", answer.stderr);
}

#[test]
fn a_value_without_a_ratio_is_named_as_all_values_are() {
    let words = ["-m", "cost=key:cost", "--minimise", "cost", "-r", "1", "-P", "n=1,2"];
    let answer = sweep(&[&words[..], &["sh -c 'echo cost=-{n}000000'"]].concat());
    let both = answer.stdout + &answer.stderr;
    let said = "`cost` was −1000000, and values are compared by their ratio";
    assert!(both.contains(said), "{both}");
}
