//! What reached a limit is a lower bound, and shown as one wherever it is shown: whether some
//! executions or all did, of one side or both.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Answer, Project, steady};

/// Ends at once, in three rounds of four.
const SOME: &str = "read r < round\n[ $((r % 4)) != 0 ] || while :; do :; done\n";
/// Goes on for ever.
const ALL: &str = "while :; do :; done\n";

/// Eight rounds of these commands, which may use 40 ms of processor time.
fn bench(project: &Project, words: &[&str]) -> Answer {
    let usual = [
        "bench",
        "-q",
        "-N",
        "-r",
        "8",
        "--limit-cpu-time",
        "40ms",
        "-p",
        "echo $TACHO_ROUND > round",
    ];
    let mut command = project.command(usual.into_iter().chain(words.iter().copied()));
    Answer::of(&command.env("COLUMNS", "200").output().unwrap())
}

fn scripts() -> Project {
    Project::empty().file("some", SOME).file("all", ALL)
}

/// The lines of a text with its numbers alike, so that marks alone are left.
fn marks(text: &str) -> String {
    let text = regex::Regex::new(r"\d+(\.\d+)?").unwrap().replace_all(text, "1").into_owned();
    let text =
        steady(&text).replace("<time>", "T").replace("<size>", "M").replace("<percent>", "P");
    regex::Regex::new(r" ?± P|  P\b").unwrap().replace_all(&text, "").into_owned()
}

fn object<'a>(value: &'a Value, keys: &[&str]) -> Vec<&'a Value> {
    keys.iter().map(|key| &value[key]).collect()
}

#[test]
fn bench_marks_bounds_in_its_table() {
    let words = [
        "sh some",
        "-n",
        "some",
        "sh all",
        "-n",
        "all",
        "sh -c :",
        "-n",
        "none",
        "--reference",
        "none",
    ];
    let told = bench(&scripts(), &words).exits(0).stdout;
    let row = |name: &str| told.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let count = |line: &str| line.matches("> ").count();
    // Of some: where the median is, the largest, user, sys. Of all: the median and where it is,
    // both ends, user, sys and memory.
    assert_eq!([row("some"), row("all"), row("none")].map(count), [4, 7, 0], "{told}");
    assert!(
        row("some").ends_with("limit reached: 40.00 ms of processor time (2 executions)"),
        "{told}"
    );
    assert!(
        row("all").ends_with("limit reached: 40.00 ms of processor time (8 executions)"),
        "{told}"
    );
    assert!(
        !row("some").contains('%') && row("none").contains(" % "),
        "no share of what went on: {told}"
    );
    assert!(told.contains("  > × ") && told.contains(" … ∞ "), "{told}");
    let narrow = scripts();
    let mut command =
        narrow.command(["bench", "-q", "-N", "-r", "3", "--limit-cpu-time", "40ms", "sh all"]);
    let narrow = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).exits(0).stdout;
    assert!(narrow.lines().nth(2).unwrap_or_default().starts_with("  median > "), "{narrow}");
}

#[test]
fn what_a_limit_ended_has_left_nothing_behind() {
    let project = Project::empty().file("tree", "while :; do :; done &\nwhile :; do :; done\n");
    let told = bench(&project, &["-v", "sh tree", "-n", "tree"]).exits(0);
    assert!(
        told.stdout.contains("limit reached: 40.00 ms of processor time (8 executions)"),
        "{}",
        told.stdout
    );
    assert!(!told.stderr.contains("behind"), "{}", told.stderr);
    assert!(told.stderr.contains("note: user, sys: sampled at timer ticks"), "{}", told.stderr);
}

#[test]
fn of_commands_that_all_reach_a_limit_there_is_neither_a_fastest_nor_a_ratio() {
    let words = ["sh all", "-n", "one", "sh ./all", "-n", "two"];
    let told = bench(&scripts(), &words).exits(0).stdout;
    let against = told.split("\nagainst `").nth(1).unwrap_or_default();
    assert!(!told.contains("ratios to") && !against.contains("interval"), "{told}");
    assert!(!against.contains("fastest") && !against.contains('×'), "{told}");
    assert!(against.contains("unclear: only lower bounds of both are known"), "{told}");
    let json = bench(&scripts(), &[&words[..], &["--json"]].concat()).exits(0).json();
    let compared =
        json["commands"].as_array().unwrap().iter().find(|it| !it["compared"].is_null()).unwrap();
    let compared = &compared["compared"];
    assert_eq!(
        object(compared, &["ratio", "difference", "more_rounds"]),
        [&Value::Null; 3],
        "{compared}"
    );
}

#[test]
fn bench_says_in_json_which_keys_are_bounds() {
    let json =
        bench(&scripts(), &["--json", "sh some", "sh all", "sh -c :", "--reference", "sh -c :"])
            .exits(0)
            .json();
    let at_least = |index: usize| json["commands"][index]["at_least"].clone();
    assert_eq!(at_least(0), json!(["max", "user", "sys"]));
    assert_eq!(at_least(1), json!(["median", "min", "max", "user", "sys", "peak_memory"]));
    assert_eq!(
        (at_least(2), &json["commands"][2]["cpu_percent"].is_number()),
        (Value::Null, &true)
    );
    assert_eq!(
        [&json["commands"][0]["cpu_percent"], &json["commands"][1]["cpu_percent"]],
        [&Value::Null; 2]
    );
    let compared = &json["commands"][1]["compared"];
    assert_eq!(
        [&compared["at_least"], &compared["at_most"]],
        [&json!(["ratio", "difference"]), &json!(["p"])]
    );
    assert!(
        json["notes"]["cpu_percent"].as_str().unwrap().contains("reached a limit"),
        "{}",
        json["notes"]
    );
    let limited = ["limited", "limit"].map(|key| json["commands"][0][key].clone());
    assert_eq!(limited, [json!(2), json!("limit reached: 40.00 ms of processor time")]);
}

#[test]
fn files_of_others_leave_out_what_their_format_cannot_say() {
    let project = scripts();
    let files = ["--export-json", "o.json", "--export-csv", "o.csv", "--export-markdown", "o.md"];
    let words = [
        "sh some",
        "-n",
        "some",
        "sh all",
        "-n",
        "all",
        "sh -c :",
        "-n",
        "none",
        "--reference",
        "none",
    ];
    let answer = bench(&project, &[&words[..], &files].concat()).exits(0);
    let warned = |what: &str| {
        answer.stderr.contains(&format!("warning: {what} reached a limit: hyperfine's"))
    };
    assert!(
        warned("`some`: 2 of 8 executions") && warned("`all`: 8 of 8 executions"),
        "{}",
        answer.stderr
    );
    assert!(!warned("`none`: 0 of 8 executions"), "{}", answer.stderr);
    let read = |name: &str| std::fs::read_to_string(project.path().join(name)).unwrap();
    let json: Value = serde_json::from_str(&read("o.json")).unwrap();
    let known = |row: usize| -> Vec<String> {
        let row = json["results"][row].as_object().unwrap();
        row.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| key.clone()).collect()
    };
    // The last one is there where the host's speed moved meanwhile.
    let besides = ["command", "exit_codes", "memory_usage_byte", "times", "median_at_usual_speed"];
    let only = |row: usize| -> Vec<String> {
        known(row).into_iter().filter(|key| !besides.contains(&key.as_str())).collect()
    };
    assert_eq!(only(0), ["limit", "limited", "median", "min", "times_at_least"]);
    assert_eq!(only(1), ["limit", "limited", "times_at_least"]);
    assert_eq!(only(2), ["max", "mean", "median", "min", "stddev", "system", "user"]);
    let nothing = |row: usize, key: &str| {
        json["results"][row][key].as_array().unwrap().iter().filter(|it| it.is_null()).count()
    };
    assert_eq!(["times", "exit_codes", "memory_usage_byte"].map(|key| nothing(0, key)), [2; 3]);
    let again = project.tacho("compare o.json o.json --json").exits(0).json();
    let limited = again["rows"].as_array().unwrap().iter().map(|row| &row["limited"]);
    assert_eq!(
        limited.collect::<Vec<_>>(),
        [&json!([2, 2]), &json!([8, 8]), &json!([0, 0])],
        "{again}"
    );
    let p_is_bound = |row: usize| {
        again["rows"][row]["at_most"].as_array().is_some_and(|it| it.contains(&json!("p")))
    };
    assert_eq!([0, 1, 2].map(p_is_bound), [true, true, false], "{again}");
    assert_eq!(["times", "exit_codes", "memory_usage_byte"].map(|key| nothing(1, key)), [8; 3]);
    assert_snapshot!(marks(&read("o.csv")), @r"
    command,mean,stddev,median,user,system,min,max,limited
    some,,,1,,,1,,1
    all,,,,,,,,1
    none,1,1,1,1,1,1,1,1
    ");
    let markdown = read("o.md");
    assert!(!markdown.contains("inf"), "{markdown}");
    let rows = markdown.lines().skip(2).take(3);
    let cells: Vec<usize> = rows.map(|line| line.matches("| > ").count()).collect();
    // Of some the largest, and the ratio where two rounds of eight may move it.
    assert!(matches!(cells[..], [1 | 2, 4, 0]), "{markdown}");
    assert!(
        markdown.contains("\n- `all`: limit reached: 40.00 ms of processor time (8 executions)\n")
    );
}

/// Commits of which the first ends, the second does so in three rounds of four, and the others
/// never.
fn history() -> Project {
    let plan = "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 8\n[[benchmark]]\nname = \
        'answer'\ncommand = 'sh {build}/prog'\nprepare = 'echo $TACHO_ROUND > round'\nmetrics = \
        ['cpu']\nlimits = { cpu-time = '40ms' }\n";
    let script = |project: Project, (subject, text): (&str, &str)| {
        project.file("prog", text).commit(subject)
    };
    let all =
        [("none", "exit\n"), ("some", SOME), ("all", ALL), ("all too", "while :; do : ; done\n")];
    all.into_iter().fold(Project::repository(), script).plan(plan)
}

#[test]
fn compare_marks_bounds_and_says_who_reached_the_limit() {
    let project = history().wide();
    let row = |words: &str| {
        let run = project
            .tacho(&format!("compare {words} -r 8 --all-rounds --no-control"))
            .exits(0)
            .stdout;
        let row = run.lines().find(|line| line.contains("answer  ")).unwrap_or_default().to_owned();
        (row, run)
    };
    let (some, told) = row("HEAD~3 HEAD~2");
    assert!(
        !some.contains("> ") && some.contains(" … ∞"),
        "the median is known, its upper end is not: {told}"
    );
    assert!(
        told.contains(
            "limit reached: 40.00 ms of processor time (2 executions of HEAD~2): their true"
        ),
        "{told}"
    );
    let (slower, told) = row("HEAD~3 HEAD~1");
    assert!(
        slower.contains(" > 4") && slower.contains(" > × ") && slower.ends_with("slower"),
        "{told}"
    );
    let (faster, told) = row("HEAD~1 HEAD~3");
    assert!(
        faster.contains(" > 4") && faster.contains(" < × ") && faster.ends_with("faster"),
        "{told}"
    );
    let (both, told) = row("HEAD~1 HEAD");
    assert!(
        !both.contains('×') && both.ends_with("unclear: only lower bounds of both are known"),
        "{told}"
    );
    assert!(told.contains("(8 executions of HEAD~1, 8 executions of HEAD)"), "{told}");
    let again = project.tacho("show run:2 --markdown").exits(0).stdout;
    assert!(
        again.contains(" | > 4")
            && again.contains(" | > × ")
            && again.contains("- answer · cpu: limit reached"),
        "{again}"
    );
    let json = |run: u32| {
        project.tacho(&format!("show run:{run} --json")).exits(0).json()["rows"][0].clone()
    };
    let at = |row: &Value| (row["at_least"].clone(), row["at_most"].clone());
    assert_eq!(at(&json(1)), (Value::Null, json!(["p"])));
    assert_eq!(at(&json(2)), (json!(["b", "ratio", "difference"]), json!(["p"])));
    assert_eq!(at(&json(3)), (json!(["a"]), json!(["ratio", "difference", "p"])));
    let none = json(4);
    assert_eq!((&none["ratio"], &none["limited"]), (&Value::Null, &json!([8, 8])), "{none}");
    project.tacho("site pages").exits(0);
    let page = |run: u32| {
        std::fs::read_to_string(project.path().join(format!("pages/comparison/{run}.html")))
            .unwrap()
    };
    assert!(
        page(2).contains("&gt; 4")
            && page(2).contains("&gt; × ")
            && page(2).contains("polygon class=\"cut-off\"")
    );
    assert!(page(2).contains("Limit reached: 40.00 ms of processor time (8 executions of HEAD~1)"));
    assert!(page(3).contains("&lt; × ") && !page(4).contains("× "));
}

#[test]
fn a_series_and_a_revision_show_bounds_as_such() {
    let project = history();
    let table = project.tacho("track HEAD~3..HEAD").exits(0).stdout;
    let row = |subject: &str| table.lines().find(|line| line.contains(subject)).unwrap_or_default();
    // Of some only where the median is; of all the median, where it is and the difference.
    let bounds = [row(" some "), row(" all  ")].map(|row| row.matches("> ").count());
    assert_eq!(bounds, [1, 3], "{table}");
    let shown = project.tacho("show HEAD~2 --metric cpu").exits(0).stdout;
    let cpu = shown.lines().find(|line| line.trim_start().starts_with("cpu ")).unwrap_or_default();
    assert_eq!((cpu.matches("> ").count(), cpu.matches(" … ∞").count()), (1, 1), "{shown}");
    assert!(
        shown.contains("  2 executions reached a limit; the first: limit reached: 40.00 ms"),
        "{shown}"
    );
}

#[test]
fn a_bisection_shows_bounds_as_such() {
    let all = [
        ("one", "exit\n"),
        ("two", "exit 0\n"),
        ("three", ALL),
        ("four", "while :; do : ; done\n"),
    ];
    let script = |project: Project, (subject, text): (&str, &str)| {
        project.file("prog", text).commit(subject)
    };
    let plan = std::fs::read_to_string(history().path().join("tacho.toml")).unwrap();
    let project = all.into_iter().fold(Project::repository(), script).plan(&plan);
    let told = project.tacho("bisect HEAD~3 HEAD --quiet").exits(0).stdout;
    let line = |what: &str| told.lines().find(|line| line.contains(what)).unwrap_or_default();
    assert!(told.contains(" three\n"), "{told}");
    assert!(
        line("  changed CPU time of `answer` by ").contains(" by > ")
            && line(": > ").contains("limit"),
        "{told}"
    );
    assert!(told.contains("  > 4") && !line(" > 4").contains('±'), "{told}");
    let log = project.tacho("bisect log").exits(0).stdout;
    let is_limited = |line: &str| line.contains("(2 of 3): > 4") || line.contains("(3 of 3): > 4");
    assert!(log.lines().any(is_limited), "{log}");
    assert!(!log.lines().any(|line| line.contains("(0 of 3): > ")), "{log}");
    let markdown = project.tacho("bisect log --markdown").exits(0).stdout;
    assert!(markdown.contains(" by > ") && markdown.contains("| > 4"), "{markdown}");
    let json = project.tacho("bisect log --json").exits(0).json();
    let ladder = json["standing"]["ladder"].as_array().unwrap();
    let last = &ladder[ladder.len() - 1];
    assert_eq!((&last["limited"], &last["is_bound"]), (&last["samples"], &json!(true)), "{json}");
    assert_eq!(ladder[0]["limited"], Value::Null);
    project.tacho("site pages").exits(0);
    let pages = project.path().join("pages/bisection");
    let page = std::fs::read_dir(pages).unwrap().next().unwrap().unwrap().path();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<dd>&gt; ") && page.matches("&gt; 4").count() > 2, "{page}");
}

#[test]
fn sixty_columns_are_enough_for_a_revision() {
    let project = history();
    project.tacho("track HEAD~3..HEAD").exits(0);
    for words in [&["show", "HEAD~2"][..], &["show", "HEAD~2", "--metric", "all", "--samples"]] {
        let mut command = project.command(words.iter().copied());
        let told = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).exits(0).stdout;
        assert!(told.lines().all(|line| line.chars().count() <= 60), "{told}");
    }
}

#[test]
fn a_limit_too_low_to_start_is_said_and_no_success() {
    let project = Project::empty();
    let words = ["bench", "-q", "-N", "-r", "2", "--limit-address-space", "64KiB", "true"];
    let answer = Answer::of(&project.command(words).output().unwrap()).exits(2);
    let told = "error: `true`: all executions reached the limit, which may be too low for the \
        command\nhint: `--limit-address-space` sets a higher limit\n";
    assert!(answer.stderr.contains(told), "{}", answer.stderr);
}
