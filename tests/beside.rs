//! What goes on beside executions, for real: shells, hooks, companions, and Ctrl-C in the middle of
//! them.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::harness::{Answer, Project, done};

/// A plan with that one benchmark, in so many rounds.
fn plan(rounds: u32, benchmark: &str) -> String {
    format!(
        "[subject]\nartifacts = ['prog']\n[measure]\nrounds = {rounds}\n[[benchmark]]\nname = \
         'b'\n{benchmark}\n"
    )
}

/// Waits until that file is there, looking often; fails after a long while.
#[track_caller]
fn until(file: &Path) {
    for _ in 0..24_000 {
        if file.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("`{}` was not made", file.display());
}

/// `tacho track`, under way.
fn track(project: &Project) -> Child {
    let mut command = project.command(["track", "--quiet"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(tacho: &Child) {
    done(Command::new("kill").args(["-INT", &tacho.id().to_string()]));
}

#[test]
fn nothing_in_a_shell_takes_about_no_time() {
    let project = Project::scripts(1).plan(&plan(20, "command = 'true'\nshell = true"));
    let answer = project.tacho("track --json").succeeds().json();
    assert_eq!(answer["series"][0]["metric"], "net-wall");
    let net = &answer["series"][0]["points"][0];
    let shell = project.tacho("show --metric shell --json").succeeds().json();
    let shell = shell["series"][0]["points"][0]["median"].as_f64().unwrap();
    let [low, high] = [0, 1].map(|end| net["interval"][end].as_f64().unwrap());
    assert!(
        low < shell / 2.0 && high > -shell / 2.0,
        "{low} to {high}, and the shell takes {shell}"
    );
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(shown.contains("\n  net-wall ") && shown.contains("\n  shell "), "{shown}");
}

#[test]
fn a_shell_has_pipes_and_what_is_filled_in_is_quoted() {
    let benchmark = "command = 'printf %s\\\\n {word} | wc -c >&2; exit 3'\nshell = 'bash -eu -o \
        pipefail -c'\nparameters = { word = ['a; b'] }\nexpect = { exit = 3 }\nmetrics = \
        ['net-wall', { name = 'length', from = 'regex:([0-9]+)', stream = 'stderr' }]";
    let project = Project::scripts(1).plan(&plan(2, benchmark));
    let answer = project.tacho("track --metric length --json").succeeds().json();
    assert_eq!(answer["series"][0]["points"][0]["values"], serde_json::json!([5.0, 5.0]));
}

/// Hooks that write down that they were there, and a subject that waits once it has said so.
const WAITS: &str = "command = 'sh -c \"echo >started; exec sleep 1000\"'\nsetup = 'echo setup \
    >>log'\nprepare = 'echo prepare $TACHO_ROUND >>log'\nconclude = 'echo conclude $TACHO_ROUND \
    >>log'\n";

#[test]
fn hooks_that_end_something_happen_after_ctrl_c() {
    let project =
        Project::scripts(1).plan(&plan(2, &format!("{WAITS}cleanup = 'echo cleanup >>log'")));
    let tacho = track(&project);
    until(&project.path().join("started"));
    interrupt(&tacho);
    let answer = Answer::of(&tacho.wait_with_output().unwrap()).exits(130);
    assert_eq!(answer.stderr, "");
    let log = std::fs::read_to_string(project.path().join("log")).unwrap();
    assert_eq!(log, "setup\nprepare 0\nconclude 0\ncleanup\n");
}

#[test]
fn a_second_ctrl_c_leaves_them_and_says_so() {
    let cleanup = "cleanup = 'echo >cleaning; sleep 1000'";
    let project = Project::scripts(1).plan(&plan(2, &format!("{WAITS}{cleanup}")));
    let tacho = track(&project);
    until(&project.path().join("started"));
    interrupt(&tacho);
    until(&project.path().join("cleaning"));
    // So late that it is no part of the first.
    std::thread::sleep(std::time::Duration::from_millis(150));
    interrupt(&tacho);
    let answer = Answer::of(&tacho.wait_with_output().unwrap()).exits(130);
    assert!(answer.stderr.contains("`cleanup` was not finished: interrupted"), "{}", answer.stderr);
    assert!(answer.stdout.contains("interrupted: the same command resumes"), "{}", answer.stdout);
}

#[test]
fn hooks_that_fail_or_hang_are_told_with_what_they_printed() {
    let fails = r#"command = "true"
setup = "printf 'no \\377 room\\n' >&2; exit 3""#;
    let project = Project::scripts(1).plan(&plan(2, fails));
    let answer = project.tacho("track").exits(2);
    assert!(answer.stderr.contains("`setup` failed: exit 3"), "{}", answer.stderr);
    let shown = project.tacho("show HEAD").exits(0).stdout;
    assert!(shown.contains("`setup` failed: exit 3\n    | no \u{fffd} room\n"), "{shown}");
    for (hook, why) in [
        ("setup = 'no-such-program'", "`setup` failed: exit 127 (sh: 1: no-such-program: "),
        ("conclude = 'kill -9 $$'", "`conclude` failed: killed by signal 9 (SIGKILL)"),
        (
            "setup = { command = 'sleep 1000 & sleep 1000', timeout = '300ms' }",
            "`setup` failed: timed out",
        ),
    ] {
        let project = Project::scripts(1).plan(&plan(1, &format!("command = 'true'\n{hook}")));
        let answer = project.tacho("track").exits(2);
        assert!(answer.stderr.contains(why), "{hook}: {}", answer.stderr);
    }
    // A cleanup spoils no sample.
    let cleanup = "command = 'true'\ncleanup = { command = 'sleep 1000', timeout = '300ms' }";
    let answer = Project::scripts(1).plan(&plan(1, cleanup)).tacho("track").exits(0);
    assert!(answer.stderr.contains("`cleanup` failed: timed out"), "{}", answer.stderr);
    let hangs = "command = 'true'\nprepare = { command = 'echo waiting; exec sleep 1000', timeout \
        = '300ms' }";
    let project = Project::scripts(1).plan(&plan(2, hangs));
    let answer = project.tacho("track").exits(2);
    assert!(answer.stderr.contains("`prepare` failed: timed out"), "{}", answer.stderr);
}

/// A server and its client, in a repository.
fn pair() -> Project {
    let project = Project::scripts(1);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pair.c");
    done(Command::new("cc").arg("-o").arg(project.path().join("pair")).arg(source));
    project
}

#[test]
fn a_server_and_its_client() {
    for per in ["execution", "cell", "run"] {
        let benchmark = format!(
            "command = './pair ask {{port}} 200'\nmetrics = [{{ name = 'rate', from = 'key:rate', \
             unit = 'requests/s', better = 'higher' }}, 'companion-cpu']\ncompanion = {{ command \
             = './pair serve {{port}}', port = 'free', per = '{per}' }}"
        );
        let project = pair().plan(&plan(3, &benchmark));
        let answer =
            project.tacho("track --metric rate --metric companion-cpu --json").succeeds().json();
        for series in answer["series"].as_array().unwrap() {
            let values = series["points"][0]["values"].as_array().unwrap();
            assert_eq!(values.len(), 3, "{per}: {series}");
            assert!(values.iter().all(|value| value.as_f64().unwrap() > 0.0), "{per}: {series}");
        }
    }
}

#[test]
fn a_server_that_cannot_be_had_is_told_with_what_it_printed() {
    let server = |companion: &str| {
        let benchmark = format!("command = 'true'\ncompanion = {{ {companion}, timeout = '10s' }}");
        let project = pair().plan(&plan(2, &benchmark));
        let failed = project.tacho("track").exits(2).stderr;
        (failed, project.tacho("show HEAD").exits(0).stdout)
    };
    let (failed, shown) =
        server("command = \"sh -c 'echo no licence >&2; exit 4'\", ready = { line = 'listening' }");
    assert!(failed.contains("`companion`: it ended before it was ready: exit 4"), "{failed}");
    assert!(shown.contains("| no licence"), "{shown}");
    let (failed, _) = server("command = './pairr', ready = 'started'");
    assert!(failed.contains("`companion`: `./pairr` does not exist"), "{failed}");
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let (failed, _) = server(&format!("command = './pair serve {{port}}', port = {port}"));
    assert!(
        failed.contains(&format!("`companion`: port {port} is in use already by `")),
        "{failed}"
    );
}

#[test]
fn what_was_kept_of_outputs_is_printed_as_it_was() {
    let counts = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; printf 'line %s \\377' $n";
    let more = format!("command = ['sh', '-c', {counts:?}]\noutput = 'keep'");
    let silent = "[[benchmark]]\nname = 'silent'\ncommand = 'true'";
    let project = Project::scripts(1).plan(&plan(2, &format!("{more}\n{silent}")));
    project.tacho("track").succeeds();
    let printed = |options: &str| {
        let options = format!("show HEAD --output {options}");
        done(&mut project.command(options.split_whitespace()))
    };
    let last = printed("");
    assert_eq!(last.stdout, b"line 2 \xff");
    assert_eq!(
        String::from_utf8_lossy(&last.stderr),
        "note: `b`, run 1, round 2: one of 3 that are kept\n"
    );
    assert_eq!(printed("--round 0").stdout, b"line 0 \xff");
    assert_eq!(printed("-b b --round 1").stdout, b"line 1 \xff");
    let none = project.tacho("show HEAD --output -b silent").exits(2).stderr;
    assert!(
        none.starts_with("error: no such output of `")
            && none.contains("hint: `output = \"keep\"`"),
        "{none}"
    );
    let text = project.tacho("show HEAD").succeeds().stdout;
    assert!(text.contains("3 outputs kept; `--output` prints one"), "{text}");
    let shown = project.tacho("show HEAD --json").succeeds().json();
    let of =
        |benchmark: usize| shown["hosts"][0]["benchmarks"][benchmark]["samples"][0]["kept"].clone();
    assert!(of(0).is_string() && of(1).is_null(), "{} {}", of(0), of(1));
}
