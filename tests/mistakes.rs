//! What people do wrong and what goes wrong: each has its clear error, and nothing is harmed.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

use crate::harness::{Answer, Project, SCRIPT_PLAN, done};

/// A plan whose one benchmark is this command, with more lines of it.
fn benchmark(command: &str, more: &str) -> String {
    format!(
        "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 2\n[[benchmark]]\nname = \
         'b'\ncommand = {command:?}\n{more}\n"
    )
}

#[test]
fn a_benchmark_that_uses_nothing_of_the_build_is_named() {
    let project = Project::scripts(2).plan(
        "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 2\n[[benchmark]]\nname = 'answer'\n\
         command = 'true'\n",
    );
    let both = project.tacho("track HEAD~1..").exits(0).stderr;
    assert!(both.contains("uses nothing of the build: all revisions are measured with"), "{both}");
    assert!(both.contains("\nhint: `{build}` in `command` is the folder"), "{both}");
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    for word in ["help", "--version", "track --help", "log"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let project = Project::scripts(1);
        if word == "log" {
            project.tacho("track --quiet").succeeds();
        }
        let mut command = project.command(word.split_whitespace());
        let answer = Answer::of(&command.stdout(full).output().unwrap()).exits(2);
        assert!(
            answer.stderr.contains("error: cannot print: No space left"),
            "{word}: {}",
            answer.stderr
        );
    }
}

#[test]
fn no_plan() {
    let answer = Project::empty().tacho("track").exits(2);
    assert_snapshot!(answer.steady_stderr(), @r#"
    error: there is no plan: no `tacho.toml` in `<folder>` or a folder above it
    hint: `tacho init` writes one
    "#);
}

#[test]
fn a_broken_plan() {
    let answer =
        Project::repository().plan("[subject]\nrepositry = \".\"\n").tacho("track").exits(2);
    assert_snapshot!(answer.stderr, @r#"
    error: the plan has no `[[benchmark]]`
     --> tacho.toml:1:1
      |
    1 | [subject]
      | ^
      |
    hint: add one, with at least a `name` and a `command`

    error: unknown key `repositry` in `[subject]`
     --> tacho.toml:2:1
      |
    2 | repositry = "."
      | ^^^^^^^^^
      |
    hint: did you mean `repository`?
    "#);
}

#[test]
fn not_a_repository() {
    let answer = Project::empty().plan(SCRIPT_PLAN).tacho("track").exits(2);
    assert_snapshot!(answer.steady_stderr(), @r#"
    error: `<folder>` is not in a git repository
    hint: `repository` in `[subject]` names the repository; without one, `releases` lists published releases
    "#);
}

#[test]
fn an_unknown_revision() {
    let project = Project::scripts(2).tag("v1.0");
    assert_snapshot!(project.tacho("track v1.1..HEAD").exits(2).steady_stderr(), @r#"
    error: unknown revision `v1.1`
    hint: did you mean `v1.0`?
    "#);
    let folder = "error: `.` is a folder, not a revision\nhint: what is not committed yet is \
                  measured as a patch: `git diff HEAD | tacho try -`\n";
    for command in ["compare HEAD .", "track .", "bisect HEAD~1 .", "try . --base ."] {
        assert_eq!(project.tacho(command).exits(2).stderr, folder, "{command}");
    }
}

#[test]
fn an_empty_range() {
    let project = Project::scripts(2);
    assert_snapshot!(project.tacho("track HEAD..HEAD~1").exits(2).steady_stderr(), @r#"
    error: the range `HEAD..HEAD~1` is empty: `HEAD~1` is an ancestor of `HEAD`
    hint: did you mean `HEAD~1..HEAD`?
    "#);
}

#[test]
fn a_range_with_three_dots_is_not_taken_for_another() {
    let stderr = Project::scripts(3).tacho("track HEAD~2...HEAD").exits(2).stderr;
    let told = "error: `HEAD~2...HEAD` has three dots\nhint: write `HEAD~2..HEAD`, which \
                begins at the fork point\n";
    assert_eq!(stderr, told);
}

#[test]
fn an_unknown_benchmark_or_metric() {
    let project = Project::scripts(1);
    assert_snapshot!(project.tacho("track -b anser").exits(2).stderr, @r#"
    error: unknown benchmark `anser`
    hint: did you mean `answer`?
    "#);
    assert_snapshot!(project.tacho("track --metric wal").exits(2).stderr, @r#"
    error: unknown metric `wal`
    hint: did you mean `wall`?
    "#);
}

#[test]
fn a_build_command_that_is_not_there() {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = \"no-such-compiler\"\nartifacts");
    let answer = Project::scripts(1).plan(&plan).tacho("track").exits(2);
    assert_snapshot!(answer.steady_stderr(), @r#"
    error: 1 of 1 build failed; 18b5b85ede: exit status 127: sh: 1: no-such-compiler: not found
      | # builds 18b5b85ede2e0d4ee6c46e5823a716a277bfc5a4 change 1
      | # clones <folder>/.git
      | # checks out 18b5b85ede2e0d4ee6c46e5823a716a277bfc5a4 in <folder>/.cache/<project>/tree
      | # executes in <folder>/.cache/<project>/tree:
      | # no-such-compiler
      | sh: 1: no-such-compiler: not found
      | # failed: exit status 127: sh: 1: no-such-compiler: not found, after <time>
    hint: `no-such-compiler` is not installed, or not in `PATH`
    hint: `tacho show 18b5b85ede --build-log` shows the build log; `--retry-failed` builds again
    note: not judged: 18b5b85ede (1 revision, could not be built)
    "#);
}

#[test]
fn a_build_that_never_ends() {
    let plan = SCRIPT_PLAN
        .replace("artifacts", "build = \"sleep 1000\"\nbuild-timeout = \"200ms\"\nartifacts");
    let answer = Project::scripts(1).plan(&plan).tacho("track").exits(2);
    assert!(answer.stderr.contains("timed out after 0.20 s"), "{}", answer.stderr);
}

#[test]
fn an_artifact_that_was_not_made() {
    let plan = SCRIPT_PLAN.replace("[\"prog\"]", "[\"prgo\"]");
    let answer = Project::scripts(1).plan(&plan).tacho("track").exits(2);
    assert!(answer.stderr.contains("artifact `prgo` was not made"), "{}", answer.stderr);
}

#[test]
fn a_benchmark_that_fails_crashes_hangs_or_is_not_there() {
    let failure = |command: &str, more: &str| {
        let project = Project::scripts(1).plan(&benchmark(command, more));
        let answer = project.tacho("track --json").exits(2).json();
        let point = &answer["series"][0]["points"][0];
        assert_eq!((&point["values"], &point["failed"]), (&serde_json::json!([]), &2.into()));
        assert_eq!(answer["samples"], 2, "given up after the warmup and a round");
        point["failure"].as_str().unwrap().to_owned()
    };
    assert_eq!(failure("false", ""), "exit 1");
    assert_eq!(failure("sh -c 'kill -SEGV $$'", ""), "killed by signal 11 (SIGSEGV)");
    assert_eq!(failure("sh -c 'kill -HUP $$'", ""), "killed by signal 1 (SIGHUP)");
    assert_eq!(failure("sh -c 'kill -KILL $$'", ""), "killed by signal 9 (SIGKILL)");
    assert_eq!(
        failure("sh -c 'kill -STOP $$'", "timeout = '2s'"),
        "suspended by signal 19 (SIGSTOP), so it was killed",
        "who is stopped waits for ever"
    );
    assert_eq!(failure("sleep 1000", "timeout = '100ms'"), "timed out");
    assert_eq!(failure("true", "prepare = 'exit 4'"), "`prepare` failed: exit 4");
    assert!(failure("{build}/nothing-here", "").contains("nothing-here"));
    assert_eq!(failure("no-such-program", ""), "command not found: `no-such-program`");
    assert_eq!(failure("/", ""), "`/` is a folder, not a program");
    assert_eq!(failure("./tacho.toml", ""), "`./tacho.toml` is not executable: permission denied");
    let long = "x".repeat(200_000);
    let environment = format!("conditions = {{ environment = {{ LONG = '{long}' }} }}");
    let why = failure("true", &environment);
    assert!(why.starts_with("the environment of `true` is too large: "), "{why}");
    let why = failure(&format!("true {long}"), "");
    assert!(why.starts_with("the argument list of `true` is too long: "), "{why}");
    let wrong = "expect = { stdout = { contains = 'right' } }";
    assert_eq!(
        failure("echo wrong", wrong),
        "wrong answer: the output does not contain the expected text"
    );
}

#[test]
fn no_file_is_written_over_that_is_not_an_executions_own() {
    let reads = |file: &str| {
        benchmark("true", &format!("metrics = [{{ name = 'n', from = 'key:n', file = '{file}' }}]"))
    };
    let refused = |plan: &str, name: &str| {
        let project = Project::scripts(1).plan(plan).file("notes.txt", "n=1\n");
        std::fs::create_dir(project.path().join("folder")).unwrap();
        let before = std::fs::read(project.path().join(name)).ok();
        let answer = project.tacho("track").exits(2);
        assert_eq!(std::fs::read(project.path().join(name)).ok(), before);
        assert!(!project.cache().exists() || project.places().is_empty(), "something was built");
        answer.steady_stderr()
    };
    assert_snapshot!(refused(&reads("notes.txt"), "notes.txt"), @r"
    error: benchmark `b` would overwrite `<folder>/notes.txt`, which no earlier execution wrote
    hint: name another file in `file`, or move the existing one away; only files that this benchmark wrote are overwritten
    ");
    assert!(
        refused(&reads("tacho.toml"), "tacho.toml").contains("which no earlier execution wrote")
    );
    assert!(refused(&reads("folder"), "folder").contains("which is a folder"));
    let input = "stdin = 'notes.txt'\noutput = { file = './folder/../notes.txt' }";
    assert!(refused(&benchmark("cat", input), "notes.txt").contains("its standard input"));
    let right = "expect = { stdout = { file = 'notes.txt' } }\noutput = { file = 'notes.txt' }";
    assert!(
        refused(&benchmark("cat", right), "notes.txt").contains("which holds the right answer")
    );
}

#[test]
fn what_an_execution_wrote_before_is_written_again() {
    let more = "metrics = [{ name = 'n', from = 'key:n', file = 'own.txt' }]\noutput = { file = \
        'out.txt' }";
    let project = Project::scripts(1).plan(&benchmark("sh -c 'echo n=5 >own.txt; echo n=6'", more));
    project.tacho("track --quiet").exits(0);
    assert_eq!(std::fs::read_to_string(project.path().join("out.txt")).unwrap(), "n=6\n");
    let more = project.tacho("track --rounds 4 --json").exits(0).json();
    assert_eq!(more["series"][0]["points"][0]["values"], serde_json::json!([5.0, 5.0, 5.0, 5.0]));
}

#[test]
fn a_mistyped_program_is_found_after_the_first_build() {
    let project = Project::scripts(3).plan(&benchmark("{build}/porg", ""));
    let answer = project.tacho("track").exits(2);
    let stderr = answer.steady_stderr();
    assert!(stderr.contains("error: benchmark `b` cannot be executed: `"), "{stderr}");
    assert!(stderr.ends_with("/porg` does not exist\nhint: did you mean `prog`?\n"), "{stderr}");
    let built = project.tacho("show HEAD~1 --build-log");
    assert!(
        built.stderr.contains("unknown name `build log"),
        "the second of three was built: {}",
        built.stderr
    );
    // One that came later is none.
    let later = Project::scripts(1).file("late", "#!/bin/sh\n").commit("late");
    std::process::Command::new("chmod")
        .args(["+x", "late"])
        .current_dir(later.path())
        .status()
        .unwrap();
    let later = later
        .commit("may be executed")
        .plan(&benchmark("{build}/late", "").replace("'prog'", "'*'"));
    let answer = later.tacho("track --json").exits(2).json();
    assert_eq!(answer["builds"]["built"], 3);
}

#[test]
fn an_output_that_is_not_utf_8_is_read_and_shown_all_the_same() {
    let prints = "metrics = [{ name = 'n', from = 'key:n' }]\nexpect = { stdout = 'same' }";
    let project =
        Project::scripts(1).plan(&benchmark("printf '\\377\\376 no text\\nn=5\\n'", prints));
    let answer = project.tacho("track --json").succeeds().json();
    assert_eq!(answer["series"][0]["points"][0]["values"], serde_json::json!([5.0, 5.0]));
    let project = Project::scripts(1).plan(&benchmark("printf '\\377\\376 no number\\n'", prints));
    project.tacho("track").exits(2);
    let shown = project.tacho("show HEAD").succeeds().stdout;
    assert!(
        shown.contains(
            "unreadable: `n`: no line begins with `n=` or `n:`\n    | \u{fffd}\u{fffd} no number"
        ),
        "{shown}"
    );
}

#[test]
fn a_limit_below_what_it_needs_to_start_is_reached() {
    let project =
        Project::scripts(1).plan(&benchmark("true", "limits = { address-space = '64KiB' }"));
    let answer = project.tacho("track --json").succeeds().json();
    let point = &answer["series"][0]["points"][0];
    assert_eq!((&point["limited"], &point["failed"]), (&2.into(), &0.into()));
    let limit = point["limit"].as_str().unwrap();
    assert!(limit.starts_with("limit reached: 64.00 KiB of address space"), "{limit}");
}

#[test]
fn a_benchmark_that_prints_a_gigabyte() {
    let print = "sh -c 'head -c 1000000000 /dev/zero; head -c 100000000 /dev/zero >&2'";
    let project = Project::scripts(1).plan(
        &benchmark(print, "expect = { stdout = 'same' }").replace("rounds = 2", "rounds = 1"),
    );
    project.tacho("track").succeeds();
    let kept: u64 = size_of_tree(&project.path().join(".tacho"));
    assert!(kept < 10_000_000, "{kept} bytes are kept of it");
}

fn size_of_tree(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() { size_of_tree(&entry.path()) } else { meta.len() }
        })
        .sum()
}

#[test]
fn another_tacho_is_measuring() {
    let plan = benchmark(
        "sh -c 'tacho=$(cat command); $tacho track --quiet --store other 2>inner'",
        "conditions = { inherit-environment = true }",
    );
    let project = Project::scripts(1).plan(&plan);
    let command = project.command([]).get_program().to_string_lossy().into_owned();
    let project = project.file("command", &command);
    project.tacho("track --quiet").exits(2);
    let inner = std::fs::read_to_string(project.path().join("inner")).unwrap();
    assert!(inner.contains("is measuring on this host") && inner.contains("hint: "), "{inner}");
}

#[test]
fn a_store_of_a_newer_tacho() {
    let project = Project::scripts(1);
    project.tacho("track").succeeds();
    let store = project.path().join(".tacho/tacho.db");
    let sql = "INSERT INTO migration (number, name, applied) VALUES (999, 'later', '')";
    done(Command::new("python3").args([
        "-c",
        &format!(
            "import sqlite3; c = sqlite3.connect('{}'); c.execute({sql:?}); c.commit()",
            store.display()
        ),
    ]));
    let answer = project.tacho("log").exits(2);
    assert!(answer.stderr.contains("999") && answer.stderr.contains("hint: "), "{}", answer.stderr);
}

#[test]
fn nothing_measured_yet() {
    let answer = Project::scripts(1).tacho("log").exits(2);
    let hint = "hint: `tacho track` measures and creates the store";
    assert!(answer.stderr.contains(hint), "{}", answer.stderr);
}

#[test]
fn names_with_spaces_and_paths_that_are_not_utf_8() {
    let project = Project::scripts(2);
    let odd = std::ffi::OsStr::from_bytes(b"odd \xff name");
    std::fs::write(project.path().join(odd), "x").unwrap();
    let project = project
        .commit("odd file")
        .file("sub/<script>", "x")
        .commit("<b>markup</b> & \u{1b}[2J control");
    let mut command = project.command(["track", "HEAD^{/change 2}", "HEAD"]);
    Answer::of(&command.output().unwrap()).exits(0);
    project.tacho("site pages").exits(0);
    let mut command = project.command(["track", "no such name..HEAD"]);
    let answer = Answer::of(&command.output().unwrap()).exits(2);
    assert!(answer.stderr.contains("unknown revision `no such name`"), "{}", answer.stderr);
}

#[test]
fn a_disk_that_is_full() {
    let project = Project::scripts(2);
    let small = project.path().join(".small");
    std::fs::create_dir(&small).unwrap();
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=96k", "tmpfs"]).arg(&small).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: mounting a tmpfs needs root");
        return;
    }
    let answer = project.tacho(&format!("track --store {}/store", small.display()));
    let unmounted = Command::new("umount").arg(&small).status().unwrap();
    assert!(unmounted.success());
    let answer = answer.exits(2);
    assert!(answer.stderr.contains("disk") && answer.stderr.contains("full"), "{}", answer.stderr);
}

#[test]
fn what_was_probably_meant_is_said() {
    let project = Project::scripts(2);
    let said = |arguments: &str, status: i32| project.tacho(arguments).exits(status).stderr;
    project.tacho("track HEAD --quiet").exits(0);
    assert!(
        said("show HAED", 2).ends_with("hint: did you mean `HEAD`?\n"),
        "{}",
        said("show HAED", 2)
    );
    assert!(said("track HAED~1", 2).ends_with("hint: did you mean `HEAD`?\n"));
    assert_snapshot!(said("show HEAD~1", 2), @"
    error: `HEAD~1` is not measured yet
    hint: `tacho track HEAD~1` measures it
    ");
    assert_snapshot!(said("show HEAD --metric peakmemory", 2), @"
    error: unknown metric `peakmemory`
    hint: did you mean `peak-memory`?
    ");
    let project = project.file("numbers.csv", "commit,time\na,1\nb,2\n");
    assert_snapshot!(project.tacho("changes numbers.csv").exits(2).stderr, @"
    error: `numbers.csv` is a file, not a revision
    hint: `tacho changes --from numbers.csv` judges a series, `tacho compare` two reports
    ");
    let project = project.file("near/numbers.csv", "commit,time\na,1\nb,2\n");
    assert_snapshot!(project.tacho("changes near/../numbers.csv").exits(2).stderr, @"
    error: `near/../numbers.csv` is a file, not a revision
    hint: `tacho changes --from near/../numbers.csv` judges a series, `tacho compare` two reports
    ");
    std::fs::remove_file(project.path().join("tacho.toml")).unwrap();
    let without_plan = project.tacho("changes numbers.csv").exits(2).stderr;
    assert!(without_plan.contains("`tacho changes --from numbers.csv` judges a series"));
    let rounds = project.tacho("track --rounds -1").exits(2).stderr;
    assert!(rounds.starts_with("error: `--rounds` cannot be `-1`\n"), "{rounds}");
}

#[test]
fn a_program_that_is_missing_is_named() {
    let project = Project::scripts(1);
    let plan = crate::harness::SCRIPT_PLAN;
    let project = project.plan(&plan.replace("artifacts", "build = \"mak\"\nartifacts"));
    let said = project.tacho("track").exits(2).stderr;
    assert!(said.contains("hint: did you mean `make`? `mak` is not installed\n"), "{said}");
    let project = project.plan(&plan.replace("artifacts = [\"prog\"]", "artifacts = \"prog\""));
    let said = project.tacho("track").exits(2).stderr;
    assert!(said.contains("hint: write a list, even for one: `artifacts = [\"…\"]`"), "{said}");
}

#[test]
fn a_name_in_part_and_a_run_that_is_none_have_their_advice() {
    let project = Project::scripts(1);
    project.tacho("track HEAD").exits(0);
    let part = project.tacho("show -m memory").exits(2);
    assert!(part.stderr.contains("did you mean `peak-memory`"), "{}", part.stderr);
    let run = project.tacho("show run:99").exits(2);
    assert!(run.stderr.ends_with("hint: `tacho log` lists the runs\n"), "{}", run.stderr);
}

#[test]
fn a_build_that_is_a_list_is_to_be_one_line() {
    let plan = benchmark("true", "").replace("[subject]", "[subject]\nbuild = ['make']");
    let answer = Project::scripts(1).plan(&plan).tacho("track HEAD").exits(2);
    let hint = "hint: write one line for a shell: `build = \"cmake . && make\"`\n";
    assert!(answer.stderr.ends_with(hint), "{}", answer.stderr);
}

#[test]
fn a_report_alone_is_compared_with_nothing() {
    let report = r#"{"results": [{"command": "a", "times": [1.0, 1.1]}]}"#;
    let project = Project::empty().file("a.json", report);
    let answer = project.tacho("compare a.json").exits(2);
    assert_eq!(
        answer.stderr,
        "error: `a.json` is a report, and there is nothing to compare it with\nhint: `tacho \
         compare a.json OTHER` compares two reports\n"
    );
}

#[test]
fn a_metric_that_there_is_not_is_reported_before_anything_is_measured() {
    let project = Project::scripts(2);
    let mistyped = project.tacho("track -m wal").exits(2).stderr;
    assert_eq!(mistyped, "error: unknown metric `wal`\nhint: did you mean `wall`?\n");
    assert_eq!(project.places(), Vec::<String>::new());
    let bench = project.tacho("bench -m wal true").exits(2).stderr;
    assert!(bench.contains("did you mean `wall`? `wall` is measured anyway"), "{bench}");
    project.tacho("track HEAD --quiet").succeeds();
    let uncounted = project.tacho("show -m cycles").exits(2).stderr;
    assert_eq!(
        uncounted,
        "error: unknown metric `cycles`\n\
         hint: this counter was not counted here: `tacho track --counter cycles` counts it\n"
    );
}

#[test]
fn a_program_that_is_mistyped_names_the_artifact() {
    let project = Project::scripts(1).plan(&benchmark("{build}/porg", ""));
    let said = project.tacho("track --quiet").exits(2).stderr;
    assert!(said.contains("hint: did you mean `{build}/prog`? there is no `porg`\n"), "{said}");
}

/// Two revisions of a package that print other answers, and a plan that imports it in this way.
fn python_package(command: &str, more: &str) -> Project {
    let module = |n| format!("print('work {n}')\n");
    Project::repository()
        .file("slug/__init__.py", &module(1))
        .commit("one")
        .file("slug/__init__.py", &module(2))
        .commit("two")
        .plan(&format!(
            "[subject]\nartifacts = ['slug']\n[measure]\nrounds = 2\nlink = 0\nwarmup = false\n\
             [[benchmark]]\nname = 'import'\ncommand = {command:?}\n{more}\nmetrics = [{{ name = \
             'work', from = 'regex:work ([0-9]+)' }}]\n"
        ))
}

/// The medians of both revisions.
fn work(project: &Project) -> [f64; 2] {
    [1, 0].map(|age| {
        let shown = project.tacho(&format!("show HEAD~{age} --json")).succeeds().json();
        shown["hosts"][0]["benchmarks"][0]["samples"][0]["values"]["work"].as_f64().unwrap()
    })
}

#[test]
fn python_that_imports_the_work_tree_is_warned_of() {
    let command = "env PYTHONPATH={build} python3 -B -c 'import slug'";
    let project = python_package(command, "");
    let answer = project.tacho("track HEAD~1..HEAD").exits(0);
    assert!(
        answer.stderr.contains(
            "warning: `import` measures `slug/` of the current folder at every revision: with \
             `-c` and `-m` Python looks there before `PYTHONPATH`\nhint: write `directory = \
             \"{build}\"` for the benchmark, or set `PYTHONSAFEPATH=1` beside `PYTHONPATH` \
             (Python 3.11)\n"
        ),
        "{}",
        answer.stderr
    );
    assert_eq!(work(&project), [2.0, 2.0]);
    let compared = project.tacho("compare HEAD~1 HEAD -r 2");
    assert_eq!(
        compared.stderr.matches("warning: `import` measures `slug/`").count(),
        1,
        "{}",
        compared.stderr
    );

    // The way out that the hint names.
    let cured = python_package(command, "directory = '{build}'");
    cured.tacho("track HEAD~1..HEAD").succeeds();
    assert_eq!(work(&cured), [1.0, 2.0]);
}

#[test]
fn a_subject_of_another_name_is_refused_with_the_way_out() {
    let named =
        |name: &str| SCRIPT_PLAN.replace("[subject]", &format!("[subject]\nname = '{name}'"));
    let project = Project::scripts(1).plan(&named("one"));
    project.tacho("track").succeeds();
    let project = project.plan(&named("other"));
    let refused = project.tacho("track").exits(2).stderr;
    assert!(
        refused.contains("hint: if both are the same subject, write the first name into"),
        "{refused}"
    );
    project.plan(&named("one")).tacho("track").succeeds();
}

/// What people type who know other tools, or another command of this one.
#[test]
fn natural_mistakes_are_answered_with_what_was_meant() {
    let project = Project::scripts(2);
    let said = |arguments: &str| project.tacho(arguments).exits(2).stderr;
    assert_snapshot!(said("bench -r -1 true"), @r"
    error: `--rounds` cannot be `-1`
    hint: write a whole number, at least 1
    ");
    assert_snapshot!(said("compare HEAD~1 HEAD --fail-on slower:5"), @r"
    error: `--fail-on slower:5` is not a known condition
    hint: a limit is a percentage: `--fail-on slower:5%`
    ");
    assert_snapshot!(said("bisect start"), @r"
    error: `start` is a step of `git bisect`, not a revision
    hint: `tacho bisect GOOD BAD` names both ends once; measurements decide on the rest
    ");
    assert_eq!(said("bisect start HEAD HEAD~1"), said("bisect start"));
    assert_snapshot!(said("bisect run ./check"), @r"
    error: `run` is a step of `git bisect`, not a revision
    hint: `tacho bisect GOOD BAD --test COMMAND` searches by a command that passes or fails
    ");
    // A revision may be called so.
    let tagged = Project::scripts(2).tag("start").tacho("bisect start HEAD --dry-run");
    assert!(!tagged.stderr.contains("git bisect"), "{}", tagged.stderr);
    project.tacho("track").succeeds();
    assert_snapshot!(said("show answer"), @r"
    error: `answer` is a benchmark, not a revision
    hint: `tacho show -b answer` shows its history, `tacho changes -b answer` what changed
    ");
    let answer = Answer::of(&project.command(["bench", "-r", "1", "sleep {x}"]).output().unwrap());
    let hint = "\nhint: `{x}` has no value: `-L x 1,2` executes the command with each value\n";
    assert!(answer.stderr.contains(hint), "{}", answer.stderr);
}

#[test]
fn an_execution_that_a_mended_limit_ended_is_measured_again() {
    // The third execution hangs, and no other.
    let command = "n=$(cat n 2>/dev/null); echo \"$n\"x > n; if [ \"$n\" = xx ]; then sleep 3; fi";
    let plan = |limit: &str| {
        format!(
            "[subject]\nartifacts = ['prog']\n[measure]\nrounds = 4\nwarmup = false\n\
             [[benchmark]]\nname = 'b'\nshell = true\ncommand = '''{command}'''\n\
             timeout = '{limit}'\n"
        )
    };
    let project = Project::scripts(1).plan(&plan("1s"));
    let first = project.tacho("track --json").succeeds().json();
    let point = |answer: &serde_json::Value| {
        let point = &answer["series"][0]["points"][0];
        (point["values"].as_array().map(Vec::len), point["failed"].as_u64())
    };
    assert_eq!(point(&first), (Some(3), Some(1)), "{first}");
    let again = project.plan(&plan("50s")).tacho("track --json").succeeds().json();
    assert_eq!((point(&again).0, &again["samples"]), (Some(4), &1.into()), "{again}");
}
