//! Tracking on a schedule: only what is new, told once.

use insta::assert_snapshot;

use crate::harness::{Answer, Project, WORK, noise};

const SUBJECT: &str = r#"
[subject]
name = "prog"
artifacts = ["prog"]
"#;

fn plan() -> String {
    format!("{SUBJECT}{WORK}")
}

const OTHER: &str = r#"
[[benchmark]]
name = "later"
command = "sh {build}/prog"
metrics = [{ name = "work", from = "regex:work ([0-9.]+)" }]
"#;

/// What a mail would hold goes to a file, each after the other.
const MAIL: &str = "{ echo \"$TACHO_TITLE [$TACHO_SUBJECT $TACHO_WORSE] $(echo $TACHO_CHANGES | \
    wc -w)\"; cat; } >> mail";

/// Commits whose program prints these levels, with a fixed to and fro of 1 %.
fn grown(project: Project, commits: std::ops::RangeInclusive<u32>, level: f64) -> Project {
    let commit = |commit| {
        let script = format!("echo work {:.4} # {commit}\n", level * noise(commit));
        (script, format!("change {commit}"))
    };
    project.commits("prog", commits.map(commit))
}

fn scheduled(project: &Project, more: &str) -> Answer {
    let words = format!("track --quiet --since-last {more}");
    let command = project.command(words.split_whitespace().chain(["--notify", MAIL])).output();
    Answer::of(&command.unwrap())
}

fn samples(project: &Project) -> usize {
    project.places().len()
}

#[test]
fn what_is_new_is_measured_and_told_once() {
    let project = grown(Project::repository(), 1..=12, 100.0).plan(&plan());
    assert_snapshot!(scheduled(&project, "").exits(2).steady_stderr(), @r#"
    error: `--since-last` has nothing to continue: nothing has been tracked on this host
    hint: track an explicit range once, such as `tacho track v1.0..`
    "#);
    project.tacho("track --quiet").succeeds();

    let nothing = scheduled(&project, "").succeeds();
    assert_eq!((nothing.stdout.as_str(), samples(&project)), ("", 24));
    let said = project.tacho("track --since-last").exits(0).stderr;
    assert_eq!(said, "note: nothing is new since the last tracked revision\n");

    let project = grown(project, 13..=20, 130.0);
    let told = scheduled(&project, "").exits(1);
    assert!(told.stdout.contains("+30.0 % worse  run 2 from here\n"), "{}", told.stdout);
    assert_eq!(samples(&project), 40);
    let mail = std::fs::read_to_string(project.path().join("mail")).unwrap();
    assert_eq!(mail.lines().next().unwrap(), "prog: 1 new change, 1 for the worse [prog 1] 1");
    assert!(mail.contains("change 13"), "{mail}");

    assert_eq!(scheduled(&project, "").succeeds().stdout, "");
    let project = grown(project, 21..=21, 130.0);
    scheduled(&project, "HEAD").succeeds();
    assert_eq!(std::fs::read_to_string(project.path().join("mail")).unwrap(), mail);
}

/// A host that is slower by a factor, in per cent, whatever is executed.
struct Host(tempfile::TempDir);

impl Host {
    fn new() -> Self {
        let host = Self(tempfile::tempdir().unwrap());
        std::fs::write(host.0.path().join("factor.count"), "1\n").unwrap();
        host.slower(100);
        host
    }

    fn slower(&self, factor: u32) {
        std::fs::write(self.0.path().join("factor"), format!("{factor}\n")).unwrap();
    }

    fn plan(&self) -> String {
        let command = format!("sh {{build}}/prog {}/factor", self.0.path().display());
        plan().replace("sh {build}/prog", &command).replace("rounds = 2", "rounds = 3")
    }
}

/// Commits of a program on such a host. Its noise, of up to 0.6 %, is that of the next execution,
/// whichever that is.
fn hosted(project: Project, commits: std::ops::RangeInclusive<u32>, level: u32) -> Project {
    let commit = |commit| {
        let script = format!(
            "read factor <\"$1\"\nread count <\"$1.count\"\necho $((count + 1)) >\"$1.count\"\n\
             echo work $((({level} + count * 7919 % 101 * 6) * factor / 100)) # {commit}\n"
        );
        (script, format!("change {commit}"))
    };
    project.commits("prog", commits.map(commit))
}

#[test]
fn a_run_that_measures_an_old_revision_again_knows_what_the_host_did() {
    let host = Host::new();
    let plan = host.plan().replace("link = 0", "link = 1");
    let project = hosted(Project::repository(), 1..=12, 100_000).plan(&plan);
    project.tacho("track --quiet --seed 1").succeeds();
    host.slower(120);
    let project = hosted(project, 13..=20, 100_000);
    project.tacho("track --quiet --seed 2 --since-last").succeeds();
    let none = project.tacho("changes --all --json").exits(0).json();
    assert_eq!(none["events"], serde_json::json!([]));

    let project = hosted(project, 21..=24, 110_000);
    host.slower(100);
    project.tacho("track --quiet --seed 3 --since-last").succeeds();
    let found = project.tacho("changes --json").exits(1).json();
    let change = &found["events"][0]["changes"][0];
    let change_21 = project.git(["rev-parse", "HEAD~3"]).trim().to_owned();
    assert_eq!(
        (&found["events"].as_array().unwrap().len(), &change["revision"]),
        (&1, &change_21.into())
    );
}

#[test]
fn what_the_host_did_between_two_runs_is_told_to_nobody() {
    let (host, grown) = (Host::new(), hosted);
    let project = grown(Project::repository(), 1..=12, 100_000).plan(&host.plan());
    project.tacho("track --quiet --seed 1").succeeds();

    // Where no run links two others, less than 10 % between them is taken for the host's.
    host.slower(120);
    let project = grown(project, 13..=20, 100_000);
    let words = ["track", "--since-last", "--seed", "2", "--notify", MAIL];
    let slower = Answer::of(&project.command(words).output().unwrap()).exits(0);
    assert!(
        slower.stderr.contains(
            " appeared with a new run; both sides were measured again: not reproduced: the \
              environment, not the commit\n"
        ),
        "{}",
        slower.stderr
    );
    assert!(!project.path().join("mail").exists());
    let gone = project.tacho("changes --all --json").exits(0).json();
    assert_eq!(gone["events"][0]["changes"][0]["withdrawn"], "not-reproduced", "{gone}");

    let project = grown(project, 21..=28, 130_000);
    scheduled(&project, "--seed 3").exits(1);
    let mail = std::fs::read_to_string(project.path().join("mail")).unwrap();
    assert_eq!(mail.lines().next().unwrap(), "prog: 1 new change, 1 for the worse [prog 1] 1");
    assert!(mail.contains("change 21"), "{mail}");
    let told = project.tacho("changes --json").exits(1).json();
    assert_eq!(told["events"][0]["changes"][0]["again"]["differs"], true, "{told}");
}

#[test]
fn what_came_with_a_run_is_told_as_it_is_where_nothing_is_to_be_measured_again() {
    let project = grown(Project::repository(), 1..=12, 100.0).plan(&plan());
    project.tacho("track --quiet").succeeds();
    let project = grown(project, 13..=20, 130.0);
    let again = |project: &Project| {
        let changes = project.tacho("changes --json").exits(1).json();
        changes["events"][0]["changes"][0]["again"].clone()
    };
    let confirmed = project.copied();
    scheduled(&confirmed, "").exits(1);
    assert!(again(&confirmed).is_object());
    scheduled(&project, "--no-confirm").exits(1);
    assert!(again(&project).is_null());
    let mail = std::fs::read_to_string(project.path().join("mail")).unwrap();
    assert!(
        mail.starts_with("prog: 1 new change, 1 for the worse") && mail.contains("change 13"),
        "{mail}"
    );
    let alone = project.tacho("track --no-confirm").exits(2).stderr;
    assert!(alone.contains("--notify <CMD>"), "{alone}");
}

#[test]
fn who_could_not_be_told_is_told_the_next_time() {
    let project = grown(Project::repository(), 1..=12, 100.0).plan(&plan());
    project.tacho("track --quiet").succeeds();
    let project = grown(project, 13..=20, 130.0);
    let words = ["track", "--quiet", "--since-last", "--notify", "exit 3"];
    let failed = Answer::of(&project.command(words).output().unwrap()).exits(2);
    assert_snapshot!(failed.steady_stderr(), @r#"
    error: `exit 3` failed: exit status: 3
    hint: the same changes are reported again the next time
    "#);
    assert_eq!(samples(&project), 40);
    assert_eq!(scheduled(&project, "").exits(1).stdout, "");
    assert!(project.path().join("mail").exists());
}

#[test]
fn a_gap_is_caught_up_with_in_steps_and_a_fetch_that_fails_is_told() {
    let project = grown(Project::repository(), 1..=3, 100.0).plan(&plan());
    project.tacho("track --quiet").succeeds();
    let project = grown(project, 4..=30, 100.0);
    project.git(["remote", "add", "origin", "./nowhere"]);
    let answer = scheduled(&project, "--every 1d --fetch").exits(2);
    let line = answer.stderr.lines().next().unwrap().to_owned();
    assert!(
        line.starts_with("error: `git fetch` failed: ")
            && line.ends_with("; measuring what is present"),
        "{line}"
    );
    project.git(["remote", "set-url", "origin", "ext::sleep 1000"]);
    project.git(["config", "protocol.ext.allow", "always"]);
    let silent = scheduled(&project, "--fetch --fetch-timeout 100ms").exits(2);
    assert_eq!(
        silent.stderr,
        "error: `git fetch` failed: it took more than 0 s; measuring what is present\n"
    );
    // Hourly commits: the last one of the first day, and the newest.
    assert!(samples(&project) < 2 * 3 + 2 * 4, "{}", samples(&project));
    let newest = project.git(["rev-parse", "HEAD"]);
    assert!(answer.stdout.contains(&newest[..10]), "{}", answer.stdout);
    assert_snapshot!(scheduled(&project, "HEAD~2..HEAD").exits(2).steady_stderr(), @r#"
    error: `--since-last` takes only the end of a range
    hint: the range begins where tracking stopped: name only its end, or nothing
    "#);
}

#[test]
fn a_new_benchmark_is_filled_in_over_the_past_the_newest_first() {
    let project = grown(Project::repository(), 1..=12, 100.0).plan(&plan());
    project.tacho("track --quiet").succeeds();
    let project = project.plan(&(plan() + OTHER));
    let measured = |arguments: &str| {
        let answer = project.tacho(arguments).exits(0).json();
        let later = answer["series"]
            .as_array()
            .unwrap()
            .iter()
            .find(|series| series["benchmark"] == "later")
            .cloned();
        let later = later.unwrap_or_default();
        let points = later["points"].as_array().cloned().unwrap_or_default();
        let has = |point: &&serde_json::Value| {
            !point["values"].as_array().is_none_or(Vec::is_empty) || !point["median"].is_null()
        };
        let names =
            points.iter().filter(has).map(|point| point["subject"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    let would = project.tacho("track --missing --at-most 3 --dry-run").succeeds();
    assert_snapshot!(would.steady_stdout(), @"
    revision  date  subject
    d0c582d037  2023-11-15  change 12
    3931a748b2  2023-11-14  change 1
    19d41ebfaf  2023-11-15  change 6

    would execute 1 benchmark in 2 rounds at 3 revisions, in the order above; at
      most 6 executions; the time is unknown: never executed here: `later`
    ");
    let would = || project.tacho("track --missing --dry-run --json").succeeds().json();
    let before = would();
    assert_eq!((&before["benchmarks"], &before["executions"]), (&1.into(), &(12 * 2).into()));
    assert_eq!(
        (&before["takes"], &before["unknown"]),
        (&0.0.into(), &serde_json::json!(["later"]))
    );
    assert_eq!(samples(&project), 24, "nothing is executed");
    assert_eq!(measured("track --missing --at-most 3 --json"), "change 1, change 6, change 12");
    let after = would();
    assert_eq!(
        (after["revisions"].as_array().unwrap().len(), &after["unknown"]),
        (9, &serde_json::json!([]))
    );
    assert!(after["takes"].as_f64().unwrap() > 0.0, "{after}");
    assert_eq!(samples(&project), 24 + 6);
    measured("track --missing --json");
    assert_eq!(samples(&project), 48);
    let done = project.tacho("track --missing").succeeds();
    assert!(done.stdout.contains("nothing was missing"), "{}", done.stdout);
    let would = project.tacho("track --missing --dry-run").succeeds().stdout;
    assert_eq!(would, "nothing is missing: all rounds are executed\n");
}

#[test]
fn what_was_never_built_is_not_filled_in() {
    let project = grown(Project::repository(), 1..=3, 100.0).plan(&plan());
    let nothing = project.tacho("track --missing").exits(2);
    assert_eq!(nothing.stdout, "");
    assert!(nothing.stderr.starts_with("error: nothing is measured yet"), "{}", nothing.stderr);
    // With a build command that does not work, all are known and none is built.
    let failing = plan().replace("artifacts", "build = \"false\"\nartifacts");
    let project = project.plan(&failing);
    project.tacho("track --quiet").exits(2);
    assert_snapshot!(project.tacho("track --missing").exits(2).steady_stderr(), @r#"
    error: none of these revisions has been built on this host
    hint: `--missing` measures revisions that are built: `tacho track` with a range builds them
    "#);
    let dry = project.tacho("track --missing --dry-run").exits(2).stderr;
    assert_eq!(dry, project.tacho("track --missing").exits(2).stderr);
    let project = project.plan(&plan());
    project.tacho("track --quiet HEAD").succeeds();
    let filled = project.tacho("track --missing").succeeds();
    assert!(!filled.stdout.contains("not built yet"), "{}", filled.stdout);
    assert!(filled.stdout.contains("change 3"), "{}", filled.stdout);
}
