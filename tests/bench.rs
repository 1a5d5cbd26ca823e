//! `tacho bench`: commands side by side, without a plan.

use insta::assert_snapshot;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::harness::{Answer, Project};

/// The answer to these words, in a folder where nothing is.
fn bench(words: &[&str]) -> Answer {
    in_project(&Project::empty(), words)
}

fn in_project(project: &Project, words: &[&str]) -> Answer {
    Answer::of(
        &project
            .command(["bench", "--quiet"].into_iter().chain(words.iter().copied()))
            .output()
            .unwrap(),
    )
}

#[test]
fn several_commands_are_measured_without_a_plan() {
    let answer = bench(&["-r", "3", "--json", "true", "sleep 0.7"]).exits(0).json();
    let commands = answer["commands"].as_array().unwrap();
    assert_eq!(answer["reference"], "true");
    let samples: Vec<_> =
        commands.iter().map(|it| it["samples"].as_array().unwrap().len()).collect();
    assert_eq!(samples, [3, 3]);
    assert!(commands[1]["median"].as_f64().unwrap() >= 7e8, "{}", commands[1]["median"]);
    assert_eq!(commands[1]["compared"]["rounds"], 3);
    assert_eq!(
        (&commands[0]["shell"], &commands[0]["metric"]),
        (&serde_json::Value::Null, &"wall".into())
    );
    assert!(commands[0]["peak_memory"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_answer_has_rows_bars_and_ratios() {
    let answer =
        bench(&["-r", "2", "--bars", "sleep 0.01", "-n", "short", "sleep 0.9", "-n", "long"])
            .exits(0);
    let rows: Vec<&str> = answer.stdout.split("\n\n").next().unwrap().lines().collect();
    let named = |name: &str| rows.iter().any(|line| line.starts_with(name));
    assert!(named("short") && named("long") && rows.len() <= 7, "{}", answer.stdout);
    assert!(answer.stdout.contains('█'), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("ratios to `short`, with 95 % intervals\n  × "),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stdout.contains("  long  unclear"),
        "two rounds tell nothing: {}",
        answer.stdout
    );
}

#[test]
fn notes_are_counted_and_shown_when_asked() {
    let project = Project::empty();
    let brief = project.tacho("bench -q -r 6 true").exits(0);
    assert!(!brief.stderr.contains("peak of the largest process"), "{}", brief.stderr);
    assert!(
        brief.stderr.contains("more note") && brief.stderr.contains("`-v`"),
        "{}",
        brief.stderr
    );
    let verbose = project.tacho("bench -q -v -r 6 true").exits(0);
    let memory = "note: memory: the peak of the largest process, not of all together\n";
    assert!(verbose.stderr.contains(memory), "{}", verbose.stderr);
    assert!(!verbose.stderr.contains("`-v`"), "{}", verbose.stderr);
}

#[test]
fn a_pipe_gets_eighty_columns_and_the_verdict_last() {
    let long = "true with a good many words more than eighty columns have room for in a row";
    let answer = bench(&["-r", "6", long, "sleep 0.3"]).exits(0);
    assert!(answer.stdout.lines().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
    // On a busy host a clause says why the ratio is not that of the medians.
    let (_, last) = answer.stdout.rsplit_once("\n  × ").unwrap();
    let (verdict, clause) = last.split_once('\n').unwrap();
    assert!(verdict.ends_with("  sleep 0.3  slower"), "{last}");
    let clause = clause.replace("\n  ", " ");
    assert!(clause.is_empty() || clause.contains("the medians is × "), "{last}");
}

#[test]
fn sixty_columns_are_enough() {
    let project = Project::empty();
    let mut command = project.command(["bench", "--quiet", "-r", "2", "true", "sleep 0.3"]);
    let told = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).exits(0).stdout;
    assert!(told.starts_with("true\n  ") && told.contains("\n  spread "), "{told}");
    let rows = told.split("\n\n").next().unwrap();
    assert!(rows.lines().all(|line| line.chars().count() <= 60), "{told}");
}

#[test]
fn long_commands_are_wrapped_or_cut_at_sixty_columns() {
    let project = Project::empty();
    let long = |name: &str| {
        format!("true {name} and a good many words more than sixty columns have room for")
    };
    let (one, other) = (long("one"), long("other"));
    let mut command = project.command(["bench", "--quiet", "-r", "2", &one, &other]);
    let told = Answer::of(&command.env("COLUMNS", "60").output().unwrap()).exits(0).stdout;
    assert!(told.contains("\nratios to "), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 60), "{told}");
}

#[test]
fn notes_keep_to_sixty_columns_and_are_single_lines_in_a_pipe() {
    let project = Project::empty();
    let limits = ["--limit-address-space", "1GiB", "--limit-cpu-time", "10s"];
    let words = [&["bench", "-r", "2", "--nice", "5"], &limits[..], &["true"]].concat();
    let note = "note: executed with niceness 5, with at most 10.00 s of processor time and 1.000 \
        GiB of address space\n";
    let piped =
        Answer::of(&project.command(words.iter().copied()).output().unwrap()).exits(0).stderr;
    assert!(piped.contains(note), "{piped}");
    let told = |words: &[&str]| {
        let mut command = project.command(words.iter().copied());
        Answer::of(&command.env("COLUMNS", "60").output().unwrap()).stderr
    };
    let (notes, mistake) =
        (told(&words), told(&["bench", "--reference", "absent", "true", "false"]));
    assert!(notes.contains("with at most 10.00 s of\n  processor time and"), "{notes}");
    assert!(mistake.starts_with("error: ") && mistake.contains("\nhint: "), "{mistake}");
    for line in notes.lines().chain(mistake.lines()) {
        assert!(line.chars().count() <= 60, "{line}");
    }
}

#[test]
fn the_order_is_that_of_the_seed() {
    let project = Project::empty();
    let order = |seed: &str| {
        let log = project.path().join("log");
        let _ = std::fs::remove_file(&log);
        in_project(&project, &["-r", "5", "--seed", seed, "echo a >> log", "echo b >> log"])
            .exits(0);
        std::fs::read_to_string(&log).unwrap().replace('\n', "")
    };
    let first = order("7");
    assert_eq!(first, order("7"));
    assert_eq!(first.matches('a').count(), 5);
    assert!((0..9).any(|seed| order(&seed.to_string()) != first), "the order is random");
}

#[test]
fn a_shell_is_used_where_one_is_needed_and_taken_off() {
    let answer = bench(&["-r", "3", "--json", "echo x | cat", "echo x"]).exits(0).json();
    let of = |index: usize, key: &str| answer["commands"][index][key].clone();
    assert_eq!((of(0, "shell"), of(0, "metric")), ("sh".into(), "net-wall".into()));
    assert_eq!((of(1, "shell"), of(1, "metric")), (serde_json::Value::Null, "wall".into()));
    let typed = bench(&["-r", "3", "--json", "-S", "sh -e", "echo x"]).exits(0).json();
    assert_eq!(typed["commands"][0]["shell"], "sh -e");
}

#[test]
fn parameters_are_filled_in_everywhere() {
    let project = Project::empty();
    let words = [
        "-r",
        "1",
        "-P",
        "n",
        "1",
        "2",
        "-L",
        "w",
        "a,b",
        "-p",
        "echo {w} >> log",
        "-n",
        "{w}{n}",
        "echo {n} {w} {x}",
    ];
    let answer = in_project(&project, &[&words[..], &["--json"]].concat()).exits(0).json();
    let names: Vec<&str> = answer["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a1", "a2", "b1", "b2"]);
    assert_eq!(answer["commands"][3]["command"], "echo 2 b {x}");
    assert_eq!(answer["commands"][3]["parameters"], serde_json::json!({ "n": "2", "w": "b" }));
    let mut log: Vec<String> = std::fs::read_to_string(project.path().join("log"))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    log.sort();
    assert_eq!(log, ["a", "a", "b", "b"]);
}

#[test]
fn hooks_come_in_hyperfines_order() {
    let project = Project::empty();
    let words =
        ["-w", "1", "-r", "2", "-s", "echo s >> log", "-p", "echo p >> log", "-C", "echo C >> log"];
    in_project(
        &project,
        &[&words[..], &["-c", "echo c >> log", "-S", "sh", "echo x >> log"]].concat(),
    )
    .exits(0);
    let log = std::fs::read_to_string(project.path().join("log")).unwrap().replace('\n', "");
    assert_eq!(log, "spxCpxCpxCc");
}

#[test]
fn a_cleanup_that_fails_is_an_error_beside_what_was_measured() {
    let answer =
        bench(&["-r", "2", "--cleanup", "echo no room >&2; exit 3", "true", "--json"]).exits(2);
    assert!(
        answer.stderr.contains("error: `true`: `cleanup` failed: exit 3\n  | no room\n"),
        "{}",
        answer.stderr
    );
    assert_eq!(
        answer.json()["commands"][0]["samples"].as_array().unwrap().len(),
        2,
        "as hyperfine shows it"
    );
    let setup = bench(&["-r", "2", "--setup", "exit 3", "true"]).exits(2);
    assert!(setup.stdout.contains("not executed (`setup` failed: exit 3)"), "{}", setup.stdout);
    assert!(
        setup.stderr.contains("error: `true`: not executed: `setup` failed: exit 3\n"),
        "{}",
        setup.stderr
    );
}

#[test]
fn a_limit_is_a_result() {
    let words = [
        "-r",
        "3",
        "-N",
        "--limit-cpu-time",
        "40ms",
        "sh -c 'while :; do :; done'",
        "-n",
        "endless",
    ];
    let answer = bench(&words).exits(0);
    assert!(
        answer.stdout.contains("limit reached: 40.00 ms of processor time (3 executions)"),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stderr.contains("note: executed with at most 40.00 ms of processor time\n"),
        "{}",
        answer.stderr
    );
    let json = in_project(&Project::empty(), &[&words[..], &["--json"]].concat()).exits(0).json();
    let command = &json["commands"][0];
    assert_eq!((&command["limited"], &command["failed"]), (&3.into(), &0.into()), "{command}");
    assert_eq!(
        (&command["median_is_bound"], command["bounds"].as_array().unwrap().len()),
        (&true.into(), 3)
    );
    let project = Project::empty();
    in_project(&project, &[&words[..], &["--export-json", "o.json"]].concat()).exits(0);
    let exported = std::fs::read_to_string(project.path().join("o.json")).unwrap();
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(
        exported["results"][0]["times"],
        serde_json::json!([null, null, null]),
        "{exported}"
    );
}

#[test]
fn a_reference_is_one_of_them_or_measured_too() {
    let one =
        bench(&["-r", "1", "--json", "--reference", "sleep 0", "true", "sleep 0"]).exits(0).json();
    let with = |reference: &[&str]| {
        let typed =
            ["-r", "1", "--json", "-L", "n", "0,0.01", "sleep {n}", "-n", "of {n}", "--reference"];
        bench(&[&typed, reference].concat())
    };
    for (reference, called) in [
        (&["sleep 0.01"][..], "of 0.01"),
        (&["of 0"], "of 0"),
        (&["of 0", "--reference-name", "base"], "base"),
    ] {
        let one = with(reference).exits(0).json();
        assert_eq!(
            (&one["reference"], one["commands"].as_array().unwrap().len()),
            (&called.into(), 2)
        );
    }
    assert_eq!(
        with(&["sleep {n}"]).exits(2).stderr,
        "error: `--reference sleep {n}` means 2 commands, one for each value\nhint: name one of \
         them: `--reference 'of 0'`\n"
    );
    assert_eq!(
        (&one["reference"], one["commands"].as_array().unwrap().len()),
        (&"sleep 0".into(), 2)
    );
    let words = [
        "-r",
        "1",
        "--json",
        "--reference",
        "sleep 0",
        "--reference-name",
        "base",
        "true",
        "-n",
        "t",
    ];
    let added = bench(&words).exits(0).json();
    assert_eq!((&added["reference"], &added["commands"][1]["name"]), (&"base".into(), &"t".into()));
}

#[test]
fn the_same_command_twice_has_two_names() {
    let answer = bench(&["-r", "1", "--json", "true", "true"]).exits(0).json();
    assert_eq!(answer["commands"][1]["name"], "true (2)");
}

#[test]
fn a_precision_is_told_to_be_reached_or_not() {
    let words = ["--precision", "0.000001%", "--min-runs", "10", "--max-runs", "12", "sleep 0.001"];
    let answer = bench(&words).exits(0).stdout;
    assert!(
        answer.contains(" % *  ") && answer.contains("\n* this interval is wider than for "),
        "{answer}"
    );
    assert!(answer.contains(" not reached: the limit of rounds was reached\n"), "{answer}");
    let json = bench(&[&words[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(json["commands"][0]["stopped"]["by"], "max-rounds");
    let words = ["--precision", "99%", "--max-runs", "1000", "--json", "sleep 0.1"];
    assert_eq!(bench(&words).exits(0).json()["commands"][0]["stopped"]["by"], "precision");
    let few = bench(&["--precision", "1%", "--min-rounds", "2", "--max-rounds", "3", "true"])
        .exits(0)
        .stdout;
    assert!(!few.contains("* wider than"), "no interval has its mark: {few}");
}

#[test]
fn a_command_that_fails_is_told_and_the_others_are_measured() {
    let answer = bench(&["-r", "3", "sh -c 'echo why >&2; exit 4'", "true"]).exits(2);
    assert!(answer.stdout.contains("2 executions failed (exit 4)"), "{}", answer.stdout);
    assert!(answer.stdout.contains("\ntrue\n  median "), "{}", answer.stdout);
    let told = "2 executions failed; the first: exit 4\n  | why\nhint: `-i` accepts any exit \
        status, `-i=4` only 0 and 4\n";
    assert!(answer.stderr.contains(told), "{}", answer.stderr);
    let killed = bench(&["-r", "2", "sh -c 'kill -TERM $$'"]).exits(2);
    assert!(!killed.stderr.contains("`-i`"), "it had no status: {}", killed.stderr);
    bench(&["-r", "2", "-i", "sh -c 'exit 4'"]).exits(0);
    bench(&["-r", "2", "-i=4,5", "sh -c 'exit 4'"]).exits(0);
    bench(&["-r", "2", "--ignore-failure=5", "sh -c 'exit 4'"]).exits(2);
}

#[test]
fn a_command_without_a_steady_state_is_told() {
    // Far longer than what other work on the host adds, so that only the late ones are another
    // level.
    let late = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; sleep 0.1; test $n -lt 28 \
        || sleep 0.4\n";
    let project = Project::empty().file("late", late);
    let told = in_project(&project, &["-r", "36", "sh late"]).exits(0).stderr;
    assert!(
        told.contains("warning: `sh late`: no steady state: the level last changed "),
        "{told}"
    );
    assert!(told.contains("hint: if the last level stays in more rounds (`-r`)"), "{told}");
}

#[test]
fn outputs_and_inputs_go_where_they_are_sent() {
    let project = Project::empty().file("in", "12345\n");
    let shown =
        in_project(&project, &["-r", "2", "--show-output", "--input", "in", "cat"]).exits(0);
    assert!(shown.stdout.starts_with("12345\n12345\ncat\n  median "), "{}", shown.stdout);
    in_project(&project, &["-r", "2", "--input", "in", "--output", "out", "cat"]).exits(0);
    assert_eq!(std::fs::read_to_string(project.path().join("out")).unwrap(), "12345\n");
    // It is not overwritten, whoever wrote it.
    let again = ["-r", "2", "--input", "in", "--output", "out", "cat"];
    assert_snapshot!(in_project(&project, &again).exits(2).stderr, @r"
    error: `--output out` would overwrite an existing file
    hint: name another file, or move it away
    ");
    let piped =
        in_project(&project, &["-r", "1", "--json", "--input", "in", "--output", "pipe", "cat"])
            .exits(0);
    assert_eq!(piped.json()["commands"][0]["samples"][0]["values"]["output-bytes"], 6.0);
}

#[test]
fn an_export_to_standard_output_is_alone_there() {
    let json = bench(&["-r", "2", "--export-json", "-", "true"]).exits(0);
    assert_eq!(json.json()["results"][0]["times"].as_array().unwrap().len(), 2);
    assert!(json.stderr.contains("command") || json.stderr.contains("true\n"), "{}", json.stderr);
    let project = Project::empty();
    let csv =
        in_project(&project, &["-r", "1", "--export-csv", "-", "--export-json", "o.json", "true"]);
    assert!(csv.exits(0).stdout.starts_with("command,mean,"));
    assert!(project.path().join("o.json").metadata().unwrap().len() > 0);
    assert!(!project.path().join("-").exists());
    let markdown = bench(&["-r", "1", "--export-markdown", "-", "true"]).exits(0);
    assert!(markdown.stdout.starts_with("| command |"), "{}", markdown.stdout);
}

#[test]
fn of_what_could_not_be_measured_no_file_is_written() {
    let project = Project::empty().file("old.json", "{}");
    let words = ["-N", "-r", "2", "--export-json", "old.json", "--export-csv", "new.csv", "false"];
    let told = in_project(&project, &words).exits(2).stderr;
    assert!(told.contains("note: nothing was measured: `old.json` is not written\n"), "{told}");
    assert_eq!(std::fs::read_to_string(project.path().join("old.json")).unwrap(), "{}");
    assert!(!project.path().join("new.csv").exists());
}

#[test]
fn exports_that_would_be_mixed_are_refused_before_anything_is_executed() {
    let project = Project::empty();
    let refused = |words: &[&str]| {
        let told =
            in_project(&project, &[&["-r", "1"], words, &["touch executed"]].concat()).exits(2);
        assert!(!project.path().join("executed").exists(), "{}", told.stderr);
        assert_eq!(told.stdout, "");
        told.stderr
    };
    assert_snapshot!(refused(&["--json", "--export-json", "-"]), @"
    error: `--export-json -` and `--json` would be mixed on standard output
    hint: `--export-json FILE` writes to a file
    ");
    assert_snapshot!(refused(&["--show-output", "--export-csv", "-"]), @"
    error: `--export-csv -` and the output of the commands would be mixed on standard output
    hint: `--export-csv FILE` writes to a file
    ");
    assert_snapshot!(refused(&["--export-markdown", "-", "--export-csv", "-"]), @"
    error: `--export-csv` and `--export-markdown` would both write to standard output
    hint: give each a file of its own
    ");
    assert_snapshot!(refused(&["--export-json", "o", "--export-csv", "./o"]), @"
    error: `--export-json` and `--export-csv` would both write one file, `./o`
    hint: give each a file of its own
    ");
    assert!(!project.path().join("o").exists());
    assert!(
        refused(&["--json", "--export-csv", "/dev/stdout"])
            .contains("would be mixed on standard output")
    );
}

#[test]
fn the_files_of_hyperfine_are_written() {
    let project = Project::empty();
    let words = [
        "-r",
        "2",
        "-i",
        "--export-json",
        "o.json",
        "--export-csv",
        "o.csv",
        "--export-markdown",
        "o.md",
    ];
    in_project(&project, &[&words[..], &["sh -c 'exit 3'", "true"]].concat()).exits(0);
    let read = |name: &str| std::fs::read_to_string(project.path().join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("o.json")).unwrap();
    assert_eq!(json["results"][0]["exit_codes"], serde_json::json!([3, 3]));
    assert_eq!(json["results"][1]["times"].as_array().unwrap().len(), 2);
    let mean = json["results"][1]["mean"].as_f64().unwrap();
    assert!(mean > 0.0 && mean < 60.0, "seconds: {mean}");
    assert!(
        read("o.csv")
            .starts_with("command,mean,stddev,median,user,system,min,max\nsh -c 'exit 3',")
    );
    assert_eq!(read("o.md").lines().filter(|line| line.starts_with('|')).count(), 4);
    let unwritable =
        in_project(&project, &["-r", "1", "--export-csv", "no/such/o.csv", "true"]).exits(2);
    assert!(unwritable.stderr.contains("cannot write `no/such/o.csv`"), "{}", unwritable.stderr);
    assert_eq!(unwritable.stdout, "", "nothing is measured for it");
    let names = in_project(&project, &["-r", "1", "-n", "a", "-n", "b", "true"]).exits(2).stderr;
    assert!(
        names.starts_with("error: `-n` is given 2 times for 1 command\nhint: give one name for "),
        "{names}"
    );
}

#[test]
fn with_parameters_a_name_is_that_of_all_or_there_is_one_for_each() {
    let names = |words: &[&str]| -> Vec<(String, String)> {
        let json = bench(&[&["--json", "-r", "1"], words].concat()).exits(0).json();
        let text =
            |command: &serde_json::Value, key: &str| command[key].as_str().unwrap().to_owned();
        let one = |it: &serde_json::Value| (text(it, "command"), text(it, "name"));
        json["commands"].as_array().unwrap().iter().map(one).collect()
    };
    let pairs = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(command, name)| ((*command).to_owned(), (*name).to_owned())).collect()
    };
    let two = ["-L", "x", "1,2", "true {x}"];
    assert_eq!(
        names(&[&two[..], &["-n", "a", "-n", "b"]].concat()),
        pairs(&[("true 1", "a"), ("true 2", "b")])
    );
    assert_eq!(
        names(&[&two[..], &["-n", "with {x}"]].concat()),
        pairs(&[("true 1", "with 1"), ("true 2", "with 2")])
    );
    assert_eq!(
        names(&[&two[..], &["-n", "a"]].concat()),
        pairs(&[("true 1", "a"), ("true 2", "a (2)")])
    );
    // The command changes faster than its values, as hyperfine has it.
    let four =
        ["-L", "x", "1,2", "true {x}", "echo {x}", "-n", "a", "-n", "b", "-n", "c", "-n", "d"];
    assert_eq!(
        names(&four),
        pairs(&[("true 1", "a"), ("true 2", "c"), ("echo 1", "b"), ("echo 2", "d")])
    );
    let reference = names(
        &[&two[..], &["-n", "a", "-n", "b", "--reference", "b", "--reference-name", "r"]].concat(),
    );
    assert_eq!(reference, pairs(&[("true 1", "a"), ("true 2", "r")]));
    // One for each that was typed.
    let typed = ["-L", "x", "1,2", "true {x}", "echo {x}", "-n", "t{x}", "-n", "e{x}"];
    assert_eq!(
        names(&typed),
        pairs(&[("true 1", "t1"), ("true 2", "t2"), ("echo 1", "e1"), ("echo 2", "e2")])
    );
    let three = [&two[..], &["-n", "a", "-n", "b", "-n", "c"]].concat();
    assert_eq!(
        bench(&three).exits(2).stderr,
        "error: `-n` is given 3 times for 2 commands\nhint: give one name for each command, in \
         order; with parameters, give one name for all, one for each combination, or one for \
         each command before values are filled in\n"
    );
}

#[test]
fn ctrl_c_gives_what_was_measured() {
    let project = Project::empty();
    let mut command = project.command(["bench", "--json", "-r", "1000000", "echo x >> log"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let log = project.path().join("log");
    while std::fs::read_to_string(&log).map_or(0, |log| log.lines().count()) < 5 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["interrupted"], true);
    assert!(answer["commands"][0]["samples"].as_array().unwrap().len() >= 4);
}

/// The names of the variables that a command of this project printed.
fn variables(project: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(project.path().join("variables")).unwrap();
    text.lines().filter_map(|line| Some(line.split_once('=')?.0.to_owned())).collect()
}

#[test]
fn conditions_are_kept_and_told() {
    let project = Project::empty();
    let words = ["bench", "-r", "1", "-q", "--nice", "19", "--no-aslr", "--clean-environment"];
    let mut command =
        project.command(words.into_iter().chain(["nice > niceness; env > variables"]));
    let answer = Answer::of(&command.env("TACHO_TEST_SECRET", "x").output().unwrap()).exits(0);
    assert!(
        answer.stderr.contains(
            "note: executed with niceness 19, at the same addresses each time, in a clean \
             environment\n"
        ),
        "{}",
        answer.stderr
    );
    assert_eq!(std::fs::read_to_string(project.path().join("niceness")).unwrap(), "19\n");
    assert!(variables(&project).iter().all(|name| name != "TACHO_TEST_SECRET"));
    let refused = in_project(&project, &["--cpus", "8000", "true"]).exits(2).stderr;
    assert!(
        refused
            .starts_with("error: these conditions are not available: there is no processor 8000\n"),
        "{refused}"
    );
}

#[test]
fn what_is_added_to_the_environment_can_be_left_out() {
    let project = Project::empty();
    let words = ["bench", "-r", "1", "-q", "env > variables"];
    Answer::of(
        &project.command(words.into_iter().chain(["--clean-environment"])).output().unwrap(),
    )
    .exits(0);
    assert!(variables(&project).contains(&"TACHO_PADDING".to_owned()), "also to a clean one");
    let without = || project.command(words.into_iter().chain(["--no-random-environment"]));
    let told = Answer::of(&without().output().unwrap()).exits(0).stderr;
    assert!(told.contains("note: executed with nothing added to the environment\n"), "{told}");
    assert!(!variables(&project).contains(&"TACHO_PADDING".to_owned()));
    let answer = Answer::of(&without().arg("--json").output().unwrap()).exits(0).json();
    assert!(
        answer["conditions"]["environment.TACHO_PADDING"].is_null(),
        "{}",
        answer["conditions"]
    );
}

#[test]
fn the_answer_has_the_host_the_environment_and_the_instruments_readings() {
    let project = Project::empty();
    let mut command = project.command(["bench", "-r", "1", "--json", "env > variables"]);
    let answer =
        Answer::of(&command.env("TACHO_TEST_SECRET", "x").output().unwrap()).exits(0).json();
    assert!(variables(&project).contains(&"TACHO_TEST_SECRET".to_owned()), "as hyperfine has it");
    let condition = |name: &str| answer["conditions"][name].as_str().unwrap_or_default().to_owned();
    assert!(
        condition("environment.TACHO_TEST_SECRET").starts_with("digest "),
        "{}",
        answer["conditions"]
    );
    assert_eq!(condition("environment.TZ"), "UTC");
    assert_eq!(
        condition("environment.TACHO_PADDING"),
        "0 to 4095 letters X, another number for each execution"
    );
    assert!(variables(&project).contains(&"TACHO_PADDING".to_owned()), "it is there");
    assert!(condition("instrument.nothing").ends_with(" ns"), "{}", answer["conditions"]);
    assert!(answer["host"]["facts"]["arch"].is_string(), "{}", answer["host"]);
}

#[test]
fn a_name_of_several_lines_is_shown_on_one() {
    let answer = bench(&["-r", "2", "-n", "one\nname", "true"]).exits(0);
    assert!(answer.stdout.starts_with("one name\n  median "), "{}", answer.stdout);
}

#[test]
fn a_folder_that_was_deleted_is_told() {
    let project = Project::empty();
    let tacho = project.command([]).get_program().to_str().unwrap().to_owned();
    let script = format!("mkdir gone && cd gone && rmdir ../gone && {tacho} bench true");
    let output =
        Command::new("sh").args(["-c", &script]).current_dir(project.path()).output().unwrap();
    let told = Answer::of(&output).exits(2).stderr;
    assert!(told.starts_with("error: cannot find the current folder: "), "{told}");
}

#[test]
fn mistakes_are_told_before_anything_is_executed() {
    let project = Project::empty().file("notes", "text").file("x", "").file("prog", "");
    let prog = project.path().join("prog");
    assert!(Command::new("chmod").arg("+x").arg(prog).status().unwrap().success());
    std::os::unix::fs::symlink("circle", project.path().join("circle")).unwrap();
    assert!(Command::new("mkfifo").arg(project.path().join("pipe")).status().unwrap().success());
    let told = |words: &[&str]| in_project(&project, words).exits(2).stderr;
    for (words, wanted) in [
        (
            &["--limit-memory", "5", "true"][..],
            "error: `--limit-memory 5` is not a size with a unit\nhint: sizes are written like \
             `--limit-memory 512MiB`\n",
        ),
        (
            &["--limit-memory", "much", "true"][..],
            "error: `--limit-memory much` is not a size with a unit\nhint: sizes are written like \
             `--limit-memory 512MiB`\n",
        ),
        (
            &["sleep", "0.1"][..],
            "cannot execute `0.1`\nhint: a command and its arguments go in quotes: `tacho bench \
             'sleep 0.1'`\n",
        ),
        (
            &["cat", "prog", "|", "wc"],
            "cannot execute `prog`\nhint: did you mean `./prog`? or, if it is an argument: `tacho \
             bench 'cat prog | wc'`\n",
        ),
        (
            &["echo", "|", "wc"],
            "cannot execute `|`\nhint: a command and its arguments go in quotes: `tacho bench \
             'echo | wc'`\n",
        ),
        (&["prog"], "cannot execute `prog`\nhint: did you mean `./prog`?\n"),
        (&["slepe 1"], "cannot execute `slepe` (in `slepe 1`)\nhint: did you mean `sleep`?\n"),
        (&["./"], "cannot execute `./`\nhint: this is a folder: name the program in it\n"),
        (
            &["./notes"],
            "cannot execute `./notes`\nhint: the file is there, but may not be executed\n",
        ),
        (&["echo 'x"], "`echo 'x` cannot be split into words: a quote is missing\n"),
        (&["-N", "a | b"], "has `|`, which only a shell understands\nhint: leave out `-N`"),
        (
            &["-L", "thread", "1,2", "echo {threads}"],
            "no command has `{thread}`\nhint: a command has `{threads}`: did you mean",
        ),
        (&["-L", "a", "1", "-L", "a", "2", "echo {a}"], "the parameter `a` is given twice\n"),
        (&["-P", "n", "8", "1", "echo {n}"], "8 to 1 in steps of 1 has no values\nhint: "),
        (&["-P", "n", "1", "many", "echo {n}"], "`many` is not a number\n"),
        (&["-P", "n", "1", "", "echo {n}"], "a range needs both ends, such as `1..10`\n"),
        (&["-p", "a", "-p", "b", "true"], "`--prepare` is given 2 times for 1 command\nhint: "),
        (
            &["no-such-program-here"],
            "cannot execute `no-such-program-here`\nhint: no folder of `PATH` has it",
        ),
        (&["./nowhere"], "cannot execute `./nowhere`\nhint: there is no such file\n"),
        (
            &["./circle"],
            "cannot execute `./circle`\nhint: this is a link to `circle`, which does not exist\n",
        ),
        (&["--input", "nothing", "cat"], "there is no file `nothing`\n"),
        (&["--input", ".", "cat"], "`--input .` is not a regular file\nhint: save the"),
        (&["--cpus", "x", "true"], "`x` names no processors\nhint: "),
        (&["--input", "pipe", "cat"], "`--input pipe` is not a regular file\nhint: save the"),
        (&["--output", "no/where", "cat"], "`--output no/where`: there is no folder `no`\nhint: "),
        (
            &["--json", "--show-output", "true"],
            "the output of the commands would be mixed\nhint: `--output pipe`",
        ),
        (&["-i=x", "true"], "`x` is not an exit status\nhint: "),
        (&["-m", "9", "-M", "8", "true"], "`--min-rounds` is 9, and `--max-rounds` is 8\nhint: "),
        (&["-w", "often", "true"], "`often` is not a warmup\nhint: "),
        (
            &["--margin", "x", "true"],
            "`--margin x` is not a share between 0 % and 100 %\nhint: write a share like `--margin \
             1%` ",
        ),
        (&["--margin", "0%", "true"], "`--margin 0%`: the margin must be above 0 %\nhint: "),
        (&["--margin", "0", "true"], "`--margin 0`: the margin must be above 0 %\nhint: "),
        (
            &["--precision", "2", "true"],
            "`--precision 2` is not a share between 0 % and 100 %\nhint: ",
        ),
        (&[], "required arguments were not provided"),
        (&["-r", "0", "true"], "`--rounds` cannot be `0`\nhint: "),
    ] {
        let stderr = told(words);
        assert!(stderr.contains(wanted), "{words:?}: {stderr}");
    }
}

/// Each option of hyperfine 1.20 (`src/cli.rs`), with a use of it.
const OF_HYPERFINE: [(&str, &str, &[&str]); 32] = [
    ("-w", "--warmup", &["1"]),
    ("-m", "--min-runs", &["1"]),
    ("-M", "--max-runs", &["1"]),
    ("-r", "--runs", &["1"]),
    ("-s", "--setup", &["true"]),
    ("", "--reference", &["true"]),
    ("", "--reference-name", &["x", "--reference", "true"]),
    ("-p", "--prepare", &["true"]),
    ("-C", "--conclude", &["true"]),
    ("-c", "--cleanup", &["true"]),
    ("-P", "--parameter-scan", &["n", "1", "2"]),
    ("-D", "--parameter-step-size", &["1", "-P", "n", "1", "2"]),
    ("-L", "--parameter-list", &["n", "1,2"]),
    ("-S", "--shell", &["none"]),
    ("-N", "", &[]),
    ("-i", "--ignore-failure", &[]),
    ("", "--style", &["none"]),
    ("", "--sort", &["command"]),
    ("-u", "--time-unit", &["second"]),
    ("", "--export-asciidoc", &["o"]),
    ("", "--export-csv", &["o"]),
    ("", "--export-json", &["o"]),
    ("", "--export-markdown", &["o"]),
    ("", "--export-orgmode", &["o"]),
    ("", "--show-output", &[]),
    ("", "--output", &["pipe"]),
    ("", "--input", &["null"]),
    ("-n", "--command-name", &["x"]),
    ("", "--min-benchmarking-time", &["1"]),
    ("", "--debug-mode", &[]),
    ("-h", "--help", &[]),
    ("-V", "--version", &[]),
];

#[test]
fn each_option_of_hyperfine_means_the_same_or_names_what_does() {
    let project = Project::empty();
    for (short, long, with) in OF_HYPERFINE {
        for option in [short, long].into_iter().filter(|option| !option.is_empty()) {
            let mut words = vec![option];
            words.extend(with);
            if !["-m", "-M", "-r"].contains(&short) {
                words.extend(["-M", "1"]);
            } else if short == "-m" {
                words.extend(["--max-runs", "1"]);
            }
            words.push("echo {n}");
            let answer = in_project(&project, &words);
            let is_refused =
                answer.status == 2 && answer.stderr.contains("is not supported\nhint: ");
            assert!(answer.status == 0 || is_refused, "{option}: {}", answer.stderr);
        }
    }
}

#[test]
fn each_option_of_hyperfine_is_in_the_guide() {
    let guide = include_str!("../docs/src/guide/bench.md");
    let rows: Vec<&str> = guide.lines().filter(|line| line.starts_with("| `hyperfine ")).collect();
    for (short, long, _) in OF_HYPERFINE {
        for option in [short, long].into_iter().filter(|option| !option.is_empty()) {
            let has = |row: &&str| {
                let cell = row.split('|').nth(1).unwrap_or_default();
                cell.split(['`', ' ', ',']).any(|word| word == option)
            };
            assert!(
                rows.iter().any(has),
                "docs/src/guide/bench.md does not say what `{option}` is"
            );
        }
    }
}

#[test]
fn counters_stand_beside_the_times_and_a_warm_up_is_found() {
    let project = Project::empty();
    let arguments =
        ["bench", "-w", "found", "-r", "4", "--counter", "task-clock?", "true", "--json"];
    let command =
        &Answer::of(&project.command(arguments).output().unwrap()).succeeds().json()["commands"][0];
    assert!(command["counters"].as_object().unwrap().contains_key("task-clock"), "{command}");
    assert_eq!(command["steadiness"]["metric"], "wall");
    let arguments = ["bench", "-r", "1", "--counter", "energy?,instructions?", "true", "--json"];
    let answer = Answer::of(&project.command(arguments).output().unwrap()).succeeds().json();
    for name in ["energy", "instructions"] {
        let is_counted = answer["commands"][0]["counters"][name].is_number();
        assert_ne!(
            is_counted,
            answer["absent"][name].is_string(),
            "{name}: either, {}",
            answer["absent"]
        );
    }
    let few = project.tacho("bench -r 4 true").exits(0).stdout;
    assert!(few.contains("a median's 95 % interval needs 6 samples: use `-r 6`\n"), "{few}");
    let unknown = project.tacho("bench --counter heat true").exits(2).stderr;
    assert!(unknown.contains("`heat`"), "{unknown}");
    let wait = project.tacho("bench --quiet-wait=long true").exits(2).stderr;
    assert!(wait.starts_with("error: `long` is "), "{wait}");
}

#[test]
fn two_commands_may_be_executed_at_the_same_time() {
    let three = bench(&["--duet", "true", "true -a", "true -b"]).exits(2).stderr;
    assert_eq!(
        three,
        "error: `--duet` takes two commands, but 3 were given\nhint: without `--duet` any number \
         of commands is measured, in rounds and never two at once\n"
    );
    let by_shell = bench(&["--duet", "true", "true | true"]).exits(2).stderr;
    assert!(by_shell.ends_with("hint: `-S sh` starts both commands in a shell\n"), "{by_shell}");
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1) {
        return;
    }
    let to_file = bench(&["--duet", "--output", "out", "true", "true -a"]).exits(2).stderr;
    assert!(
        to_file.contains("twice at the same time: both would write their output to one file"),
        "{to_file}"
    );
    let answer = bench(&["--duet", "-r", "6", "-S", "sh", "--json", "sleep 0.1", "sleep 0.7"])
        .exits(0)
        .json();
    let compared = &answer["commands"][1]["compared"];
    assert_eq!((&compared["estimator"], &compared["rounds"]), (&"round-ratios".into(), &6.into()));
    assert_eq!(
        (&compared["verdict"], &answer["commands"][1]["metric"]),
        (&"slower".into(), &"net-wall".into())
    );
    assert_eq!(answer["duet"]["cpus"].as_array().map(Vec::len), Some(2), "{answer}");
    // Both began at the same moment, round by round.
    let begun = |command: usize| -> Vec<String> {
        let samples = answer["commands"][command]["samples"].as_array().unwrap();
        samples.iter().map(|sample| sample["at"].to_string()).collect()
    };
    assert_eq!(begun(0), begun(1));
}

/// Who reads the numbers first has believed them.
#[test]
fn that_a_command_is_mostly_its_shell_comes_before_its_numbers() {
    let project = Project::empty();
    let tacho = assert_cmd::cargo::cargo_bin!("tacho");
    let told = Command::new("sh")
        .args(["-c", "exec \"$0\" bench --quiet -r 12 'true && true' 2>&1"])
        .arg(tacho)
        .current_dir(project.path())
        .env("TACHO_LOCK", project.path().join(".tacho-lock"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.starts_with("warning: `true && true`: "), "{told}");
    let [warning, numbers] =
        ["of the time, and is subtracted", "median"].map(|text| told.find(text).unwrap());
    assert!(warning < numbers, "{told}");
}

#[test]
fn warnings_are_in_markdown_too() {
    let markdown = bench(&["-r", "2", "--export-markdown", "-", "true", "exit 3"]).exits(2).stdout;
    let warning = "\n- warning: `exit 3`: 2 executions failed; the first: exit 3\n";
    assert!(markdown.contains(warning), "{markdown}");
}
