//! What a bisection says beside its answer: its exit status, how it is repeated, and what cannot
//! be meant.

use crate::bisect::{PLAN, history, id, step, without_plan};
use crate::harness::{Answer, Project};

/// Each exit status, as the guide's table and `--help` have it.
const STATUSES: [i32; 7] = [0, 2, 3, 4, 5, 6, 130];

#[test]
fn each_exit_status_has_its_sentence() {
    let help = Project::empty().tacho("bisect --help").succeeds().stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, told) = help.split_once("Exit status: ").unwrap();
    let (told, _) = told.split_once(" Usage:").unwrap();
    let numbers = regex::Regex::new(r"(?:^|; )(\d+) [a-z]").unwrap();
    let of_help: Vec<i32> = numbers.captures_iter(told).map(|it| it[1].parse().unwrap()).collect();
    assert_eq!(of_help, STATUSES, "{told}");
    let guide = include_str!("../docs/src/guide/bisect.md");
    let (_, part) = guide.split_once("## Exit status").unwrap();
    let (part, _) = part.split_once("\n## ").unwrap();
    let rows = regex::Regex::new(r"(?m)^\| (\d+) \| [^|]{15,} \|$").unwrap();
    let of_guide: Vec<i32> = rows.captures_iter(part).map(|it| it[1].parse().unwrap()).collect();
    assert_eq!(of_guide, STATUSES);
}

#[test]
fn each_end_has_its_exit_status() {
    let project = step(32, 20);
    let says = |words: &str, status: i32, starts: &str| {
        let answer = project.tacho(words).exits(status);
        assert!(answer.stdout.starts_with(starts), "{words}: {}", answer.stdout);
    };
    says("bisect HEAD~31 HEAD --max-builds 3 --quiet", 4, "undecided: ");
    says("bisect HEAD~31 HEAD --quiet", 0, &id(&project, "HEAD~11")[..10]);
    says("bisect HEAD~31 HEAD~14 --quiet", 3, "not reproduced: ");
    // What lists runs, and the run's own answer, name the end with the same words.
    let log = project.tacho("log").exits(0).stdout;
    // The end of a row is in further lines if it is long.
    let words: Vec<&str> = log.split_whitespace().collect();
    let said = words.windows(2).position(|two| two == ["not", "reproduced"]).unwrap();
    let begun = words[..said].iter().rposition(|word| word.len() == 10 && word.starts_with("20"));
    let run = words[begun.unwrap() - 1];
    let shown = project.tacho(&format!("show run:{run}")).exits(0).stdout;
    assert!(shown.lines().nth(1).unwrap().contains(", not reproduced after "), "{shown}");
    says("bisect HEAD~31 nobody --quiet", 2, "");
    let fails = history(4, |_| "exit 7".to_owned());
    let alike = fails.tacho("bisect HEAD~3 HEAD --quiet").exits(2).stdout;
    assert!(alike.starts_with("cannot bisect: "), "{alike}");
}

/// Slower only where the environment is short, as a probe makes it no more.
#[test]
fn what_a_probe_shows_to_depend_on_more_exits_with_a_status_of_its_own() {
    let slow = "if [ ${#TACHO_PADDING} -gt 0 ]; then echo work 100; else echo work 130; fi";
    let project = history(8, |n| if n < 5 { "echo work 100".to_owned() } else { slow.to_owned() });
    let plan = PLAN.to_owned() + "[measure]\nconditions = { random-environment = false }\n";
    let answer = project.plan(&plan).tacho("bisect HEAD~7 HEAD --probe --quiet").exits(5).stdout;
    let depends = "verified, but the effect depends on the machine or the layout of the program:\n";
    assert!(answer.starts_with(depends), "{answer}");
    assert!(
        answer.contains("\n  with an environment of random length: gone, +0.0 % in "),
        "{answer}"
    );
}

#[test]
fn all_that_shaped_it_is_in_the_command_that_repeats_it() {
    let project = step(8, 5);
    let more = "--budget 2h --max-builds 20 --before 100,130 --all --into-merges --revert";
    let typed = format!("--benchmark work --metric work --min-effect 3% {more}");
    let said = project.tacho(&format!("bisect HEAD~7 HEAD {typed} --quiet")).succeeds().stdout;
    let [good, bad] = ["HEAD~7", "HEAD"].map(|name| id(&project, name)[..10].to_owned());
    let command = format!("tacho bisect {good} {bad} {typed}");
    // In lines of a terminal, which a shell reads as one.
    let (_, again) = said.split_once("\nbisect once more, with fresh samples:\n  ").unwrap();
    let again = again.lines().take(3).collect::<Vec<_>>().join("\n").replace(" \\\n    ", " ");
    assert_eq!(again, format!("{command} --again"), "{said}");
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.contains(&format!(": `{command}`.\n")), "{markdown}");
    let same = project.tacho(command.strip_prefix("tacho ").unwrap()).exits(0).stderr;
    assert!(same.starts_with("note: this is the answer of "), "no forecast: {same}");
}

#[test]
fn what_is_asked_of_a_known_answer_repeats_with_it() {
    let project = step(8, 5);
    let plain = project.tacho("bisect HEAD~7 HEAD --quiet").succeeds().stdout;
    assert!(!plain.contains("--revert"), "{plain}");
    project.tacho("bisect HEAD~7 HEAD --revert --quiet").exits(0);
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(markdown.contains(" --min-effect 2% --revert`.\n"), "{markdown}");
}

#[test]
fn a_metric_without_noise_has_no_intervals() {
    let project = step(8, 5);
    let said = project.tacho("bisect HEAD~7 HEAD --quiet").succeeds().stdout;
    assert!(
        said.contains("  changed work of `work` by +30.0 %\n") && !said.contains('±'),
        "{said}"
    );
    let markdown = project.tacho("bisect log --markdown").succeeds().stdout;
    assert!(
        markdown.contains("- changed work of `work` by +30.0 %\n") && !markdown.contains('±'),
        "{markdown}"
    );
    let json = project.tacho("bisect log --json").succeeds().json();
    assert_eq!(json["standing"]["ladder"][0]["error"], 0.0);
    let effect = &json["standing"]["culprits"][0]["effect"];
    assert_eq!(effect["interval"], serde_json::json!([effect["estimate"], effect["estimate"]]));
}

#[test]
fn that_each_revision_is_measured_by_the_same_program_is_told() {
    let project = step(8, 5).plan(&PLAN.replace("sh {build}/prog", "sh ./prog"));
    let said = project.tacho("bisect HEAD~7 HEAD --dry-run").exits(0).stderr;
    assert_eq!(
        said,
        "warning: `work` uses nothing of the build: all revisions are measured with the same \
         program\nhint: write `{build}/prog` in the plan's command: the program of each \
         revision\n"
    );
    let of_build = project.tacho("bisect HEAD~7 HEAD -m build-time --dry-run").exits(0).stderr;
    assert!(!of_build.contains("warning:"), "{of_build}");
    let project = without_plan(step(8, 5)).file("tool", "#!/bin/sh\necho work 1\n");
    let tool = project.path().join("tool");
    std::process::Command::new("chmod").arg("+x").arg(&tool).status().unwrap();
    let run = |run: &str| {
        let words = ["bisect", "HEAD~7", "HEAD", "--dry-run", "--run", run];
        Answer::of(&project.command(words).output().unwrap()).exits(0).stderr
    };
    assert_eq!(
        run(&format!("time {} -n 3", tool.display())),
        "warning: `tool` in the repository's folder is executed, not the build: all revisions \
         are measured with the same program\nhint: `./tool` is the program that was built\n"
    );
    // What is read is the same at each revision with good reason.
    for fine in [format!("sh prog {}/prog", project.path().display()), "./tool".to_owned()] {
        assert!(!run(&fine).contains("warning:"), "{fine}");
    }
}

#[test]
fn what_others_wrote_moves_no_cursor_and_turns_no_writing() {
    let project =
        step(8, 8).file("prog", "echo work 130\n").commit("slow\u{202e}er \u{1b}[31mred\u{2066}");
    project.git([
        "commit",
        "--quiet",
        "--amend",
        "--no-edit",
        "--author",
        "A.\u{202e} Author <a@example.org>",
    ]);
    let clean = |text: &str| {
        let evil = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}".contains(c));
        assert!(!text.contains(evil), "{text:?}");
    };
    let answer = project.tacho("bisect HEAD~7 HEAD").exits(0);
    assert!(answer.stdout.contains(" slower [31mred\n  by A. Author\n"), "{}", answer.stdout);
    clean(&answer.stdout);
    clean(&answer.stderr);
    for words in [
        "bisect log --markdown",
        "bisect log",
        "bisect list",
        "track HEAD~1..HEAD --quiet",
        "show HEAD",
    ] {
        let answer = project.tacho(words).succeeds();
        clean(&answer.stdout);
        clean(&answer.stderr);
    }
}
