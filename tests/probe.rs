//! `tacho probe`, through the binary.

use crate::harness::Project;

/// Two revisions whose scripts print a number: 100, and 130 unless the environment is longer.
fn project(second: &str) -> Project {
    let plan = "[subject]\nartifacts = [\"prog\"]\n\
                [[benchmark]]\nname = \"work\"\ncommand = \"sh {build}/prog\"\n\
                metrics = [{ name = \"work\", from = 'regex:work ([0-9.]+)' }]\n";
    let project = Project::repository().file("prog", "echo work 100\n").commit("one").tag("v1");
    project.file("prog", second).commit("two").tag("v2").plan(plan)
}

#[test]
fn a_difference_that_holds_is_upheld() {
    let project = project("echo work 210\n");
    let words = "probe v1 v2 -m work --only environment,addresses,nice --rounds 6 --quiet";
    let answer = project.tacho(words).exits(0);
    let said = "the factor of 2.1 holds under all 3 disturbances\n";
    assert!(answer.stdout.contains(said), "{}", answer.stdout);
    assert!(answer.stdout.contains("\n  environment"), "{}", answer.stdout);
    assert!(answer.stderr.contains("note: kept as run 1\n"), "{}", answer.stderr);
    let wide = answer.stdout.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "{}", answer.stdout);
    let log = project.tacho("log").succeeds().stdout;
    assert!(log.contains("probe v1 and v2"), "{log}");
    let markdown = project.tacho(&format!("{words} --markdown")).exits(0).stdout;
    let row = "\nwork · work: 100 and 210 as usual, 6 rounds\n\n\
               **the factor of 2.1 holds under all 3 disturbances**\n\n|";
    assert!(markdown.contains(row), "{markdown}");
    project.tacho("site pages").succeeds();
}

#[test]
fn one_revision_is_not_probed_beside_itself() {
    let said = project("echo work 210\n").tacho("probe v2 HEAD --quiet").exits(2).stderr;
    let error = "error: `v2` and `HEAD` are the same revision: there is no difference to probe\n\
                 hint: `tacho probe v2` shows how much each disturbance changes it\n";
    assert_eq!(said, error);
}

#[test]
fn a_difference_that_depends_on_the_environment_is_caught() {
    let slow = "if [ ${#TACHO_PADDING} -gt 0 ]; then echo work 100; else echo work 130; fi\n";
    let project = project(slow);
    let words = "probe v1 v2 -m work --only environment,addresses --rounds 6 --json";
    let json = project.tacho(words).exits(5).json();
    let row = &json["rows"][0];
    assert_eq!((&row["verdict"], &row["difference"]), (&"depends".into(), &"differs".into()));
    assert_eq!(row["depends"], serde_json::json!(["environment"]));
    assert_eq!(row["disturbances"][0]["under"]["disturbance"], "environment");
    assert_eq!(row["disturbances"][0]["says"], "gone");
    assert_eq!(row["disturbances"][1]["says"], "holds");
    let sentence = row["sentence"].as_str().unwrap();
    assert!(
        sentence.starts_with("the difference is gone when the environment has another length"),
        "{sentence}"
    );
}

#[test]
fn all_disturbances_are_had_or_it_is_said_why_not() {
    let project = Project::empty();
    let json = project.tacho("probe --list --json").succeeds().json();
    let names = |key: &str| {
        let all = json[key].as_array().unwrap();
        all.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (has, lacks) = (names("available"), names("left_out"));
    for name in ["environment", "addresses", "same-cpu", "burst", "nice", "twice"] {
        assert!(has.contains(&name.to_owned()), "{has:?}");
    }
    assert!(has.iter().all(|name| !lacks.contains(name)));
    let text = project.tacho("probe --list").succeeds().stdout;
    assert!(text.contains("environment"), "{text}");
    let mistyped = project.tacho("probe --command --only enviroment true true").exits(2).stderr;
    assert!(mistyped.contains("error: unknown disturbance `enviroment`\n"), "{mistyped}");
    assert!(mistyped.contains("did you mean `environment`?"), "{mistyped}");
    let of_commands = project.tacho("probe --list --command").succeeds().stdout;
    assert!(of_commands.contains("layout          no    a command is linked"), "{of_commands}");
    let none = project.tacho("probe --command --only nice --skip nice true false").exits(2).stderr;
    assert_eq!(none, "error: no disturbance is left\nhint: take names out of `--skip`\n");
}

#[test]
fn of_a_command_that_fails_only_that_is_said() {
    let project = Project::empty();
    let answer = project.tacho("probe --command --only nice -r 4 true false").exits(2);
    assert_eq!(
        answer.stdout,
        "\
A  true (a command)
B  false (a command)

undecided: executions failed: exit 1
"
    );
    let error = "error: an execution of `command` failed without any disturbance: exit 1\n";
    assert!(answer.stderr.ends_with(error), "{}", answer.stderr);
    assert_eq!(answer.stderr.matches("failed").count(), 1, "{}", answer.stderr);
    assert!(!answer.stderr.contains("note"), "{}", answer.stderr);
}

#[test]
fn commands_are_really_disturbed() {
    let project = Project::empty();
    // What the shell sees of its state is what the disturbances make of it.
    let script =
        "nice; grep Cpus_allowed_list /proc/self/status; echo ${#TACHO_PADDING}; sh -c : &";
    let only = "core,same-cpu,one-cpu,nice,environment,burst,twice,cold,memory";
    let words =
        ["probe", "--command", "--only", only, "--rounds", "4", "--json", "--quiet", script];
    let answer = project.command(words).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&answer.stderr)));
    let row = &json["rows"][0];
    assert_eq!(row["verdict"], "levels");
    for disturbance in row["disturbances"].as_array().unwrap() {
        assert_eq!(disturbance["failure"], serde_json::Value::Null, "{disturbance}");
        assert!(disturbance["rounds"].as_u64() > Some(2), "{disturbance}");
    }
}
