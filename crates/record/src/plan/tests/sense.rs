//! Mistakes in what a plan says: references, contradictions, duplicates, values.

use insta::assert_snapshot;

use super::{shown, shown_in_benchmark};

#[test]
fn references_that_lead_nowhere() {
    assert_snapshot!(shown(
        "[subject]\nbuild = \"make -j{job} {build}\"\nlink = \"https://e.org/{hash}\"\n[[benchmark]]\nname = \"a\"\n\
         command = \"{biuld}/a {bach} {jobs}\"\nparameters = { batch = [1] }\nprepare = \"awk '{print}' {bach} {{\"\n\
         conclude = \"a } {revison}\"\n"
    ), @r#"
    error: unknown reference `{job}` in `build`
     --> tacho.toml:2:17
      |
    2 | build = "make -j{job} {build}"
      |                 ^^^^^
      |
    hint: did you mean `{jobs}`?

    error: unknown reference `{hash}` in `link`
     --> tacho.toml:3:23
      |
    3 | link = "https://e.org/{hash}"
      |                       ^^^^^^
      |
    hint: there can be `{commit}`; for braces themselves write `{{` and `}}`

    error: unknown reference `{biuld}` in `command`
     --> tacho.toml:6:12
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |            ^^^^^^^
      |
    hint: did you mean `{build}`?

    error: unknown reference `{bach}` in `command`
     --> tacho.toml:6:22
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |                      ^^^^^^
      |
    hint: did you mean `{batch}`?

    error: unknown reference `{jobs}` in `command`
     --> tacho.toml:6:29
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |                             ^^^^^^
      |
    hint: there can be `{build}`, `{revision}` and `{batch}`; for braces themselves write `{{` and `}}`

    error: unknown reference `{bach}` in `prepare`
     --> tacho.toml:8:26
      |
    8 | prepare = "awk '{print}' {bach} {{"
      |                          ^^^^^^
      |
    hint: did you mean `{batch}`?

    error: unknown reference `{revison}` in `conclude`
     --> tacho.toml:9:17
      |
    9 | conclude = "a } {revison}"
      |                 ^^^^^^^^^
      |
    hint: did you mean `{revision}`?
    "#);
    assert_snapshot!(shown_in_benchmark("command = [\"{build}\", \"\\u007bx}\"]\nstdin = \"{build}/in\""), @r#"
    error: unknown reference `{x}` in `command`
     --> tacho.toml:3:23
      |
    3 | command = ["{build}", "\u007bx}"]
      |                       ^^^^^^^^^^
      |
    hint: there can be `{build}` and `{revision}`; for braces themselves write `{{` and `}}`

    error: `{build}` is not filled in here
     --> tacho.toml:4:10
      |
    4 | stdin = "{build}/in"
      |          ^^^^^^^
      |
    hint: it is a path from the plan's folder, the same for all revisions
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a } {\""), @r#"
    error: a `}` stands alone in `command`
     --> tacho.toml:3:14
      |
    3 | command = "a } {"
      |              ^
      |
    hint: for the brace itself write `}}`

    error: a `{` stands alone in `command`
     --> tacho.toml:3:16
      |
    3 | command = "a } {"
      |                ^
      |
    hint: for the brace itself write `{{`
    "#);
}

#[test]
fn contradictions() {
    assert_snapshot!(shown(
        "[subject]\nrepository = \".\"\nreleases = [\"1.0\"]\nreleases-from = \"ls\"\nbuild = \"get {release}\"\n\
         [[benchmark]]\nname = \"a\"\ncommand = \"true\"\n"
    ), @r#"
    error: `releases` contradicts `repository`
     --> tacho.toml:3:1
      |
    3 | releases = ["1.0"]
      | ^^^^^^^^
      |
    hint: a subject has one history: keep one of them

    error: `releases-from` contradicts `repository`
     --> tacho.toml:4:1
      |
    4 | releases-from = "ls"
      | ^^^^^^^^^^^^^
      |
    hint: a subject has one history: keep one of them
    "#);
    assert_snapshot!(shown(
        "[subject]\nbuild = \"get {release}\"\nlink = \"https://e.org/{release}\"\n[[benchmark]]\nname = \"a\"\n\
         command = \"{build}/a {release}\"\n"
    ), @r#"
    error: `{release}` in `build`, but the subject has no releases
     --> tacho.toml:2:14
      |
    2 | build = "get {release}"
      |              ^^^^^^^^^
      |
    hint: the history of a repository is made of commits: see `{revision}` and, in `link`, `{commit}`

    error: `{release}` in `link`, but the subject has no releases
     --> tacho.toml:3:23
      |
    3 | link = "https://e.org/{release}"
      |                       ^^^^^^^^^
      |
    hint: the history of a repository is made of commits: see `{revision}` and, in `link`, `{commit}`

    error: `{release}` in `command`, but the subject has no releases
     --> tacho.toml:6:22
      |
    6 | command = "{build}/a {release}"
      |                      ^^^^^^^^^
      |
    hint: the history of a repository is made of commits: see `{revision}` and, in `link`, `{commit}`
    "#);
    assert_snapshot!(shown(
        "[[benchmark]]\nname = \"a\"\ncommand = \"b\"\nexpect.stdout = \"same\"\n[measure]\nwarmup = false\n"
    ), @r#"
    error: `expect.stdout = "same"` contradicts `warmup = false`
     --> tacho.toml:4:17
      |
    4 | expect.stdout = "same"
      |                 ^^^^^^
      |
    hint: the answer that all must equal comes from the warm-up: keep it, or compare with a `file`
    "#);
    assert_snapshot!(shown("[subject]\nlink = \"https://e.org\"\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"), @r#"
    error: `link` refers to nothing
     --> tacho.toml:2:8
      |
    2 | link = "https://e.org"
      |        ^^^^^^^^^^^^^^^
      |
    hint: write `{commit}` where it belongs
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a\"\nparameters = { n = [1], build = [2], 'a b' = [3] }"), @"
    error: parameter `n` is used neither in `command` nor in `setup`, `prepare` or `companion`
     --> tacho.toml:4:16
      |
    4 | parameters = { n = [1], build = [2], 'a b' = [3] }
      |                ^
      |
    hint: write `{n}` where its values belong

    error: `build` cannot be the name of a parameter
     --> tacho.toml:4:25
      |
    4 | parameters = { n = [1], build = [2], 'a b' = [3] }
      |                         ^^^^^
      |
    hint: it is filled in by itself

    error: `a b` cannot be the name of a parameter
     --> tacho.toml:4:38
      |
    4 | parameters = { n = [1], build = [2], 'a b' = [3] }
      |                                      ^^^^^
      |
    hint: names are made of letters, digits, `_` and `-`, and begin with a letter or `_`
    ");
}

#[test]
fn wishes_that_do_not_go_together() {
    let measure =
        |keys: &str| shown(&format!("[measure]\n{keys}\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"));
    assert_snapshot!(measure("rounds = 5\nprecision = \"1%\""), @r#"
    error: `precision` contradicts `rounds`
     --> tacho.toml:3:13
      |
    3 | precision = "1%"
      |             ^^^^
      |
    hint: `rounds` is a fixed number: leave it out, and give `max-rounds` if there are to be no more
    "#);
    assert_snapshot!(measure("precision = \"1\"\nbudget = \"soon\"\nwarmup = \"yes\""), @r#"
    error: `1` is not a precision
     --> tacho.toml:2:13
      |
    2 | precision = "1"
      |             ^^^
      |
    hint: a precision is written like "1%" or "0.5%"

    error: `soon` is not a duration
     --> tacho.toml:3:10
      |
    3 | budget = "soon"
      |          ^^^^^^
      |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: `yes` is not a warm-up
     --> tacho.toml:4:10
      |
    4 | warmup = "yes"
      |          ^^^^^
      |
    hint: `true`, `false`, a number of executions, a time like "2s", or "found"
    "#);
    assert_snapshot!(measure("precision = \"1%\"\nprecision-metric = \"cpus\""), @r#"
    error: no benchmark has a metric `cpus`
     --> tacho.toml:3:20
      |
    3 | precision-metric = "cpus"
      |                    ^^^^^^
      |
    hint: it must be built in or stand in the `metrics` of a benchmark
    "#);
}

#[test]
fn artifacts_lie_in_the_checkout() {
    assert_snapshot!(shown(
        "[subject]\nartifacts = [\"/usr/bin/a\", \"../a\", \"lib/[a\"]\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"
    ), @r#"
    error: `/usr/bin/a` does not lie in the checkout
     --> tacho.toml:2:14
      |
    2 | artifacts = ["/usr/bin/a", "../a", "lib/[a"]
      |              ^^^^^^^^^^^^
      |
    hint: artifacts and paths start at the root of the checkout

    error: `../a` does not lie in the checkout
     --> tacho.toml:2:28
      |
    2 | artifacts = ["/usr/bin/a", "../a", "lib/[a"]
      |                            ^^^^^^
      |
    hint: artifacts and paths start at the root of the checkout

    error: `lib/[a` is not a pattern for files: invalid range pattern
     --> tacho.toml:2:36
      |
    2 | artifacts = ["/usr/bin/a", "../a", "lib/[a"]
      |                                    ^^^^^^^^
      |
    hint: for `*`, `?` or `[` itself write `[*]`, `[?]` or `[[]`
    "#);
}

#[test]
fn duplicates() {
    assert_snapshot!(shown(
        "[subject]\nreleases = [\"1\", \"1\"]\nbuild = \"b\"\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n\
         [[benchmark]]\nname = \"a\"\ncommand = \"b {n}\"\nparameters = { n = [1, 2, 1.0] }\n\
         metrics = [\"wall\", \"wall\"]\n"
    ), @r#"
    error: release `1` is given twice
     --> tacho.toml:2:18
      |
    2 | releases = ["1", "1"]
      |                  ^^^

    error: benchmark `a` is given twice
     --> tacho.toml:8:8
      |
    8 | name = "a"
      |        ^^^

    error: value `1` is given twice
      --> tacho.toml:10:27
       |
    10 | parameters = { n = [1, 2, 1.0] }
       |                           ^^^

    error: metric `wall` is given twice
      --> tacho.toml:11:20
       |
    11 | metrics = ["wall", "wall"]
       |                    ^^^^^^
    "#);
}

#[test]
fn values_that_make_no_sense() {
    assert_snapshot!(shown(
        "[subject]\nbuild-timeout = \"30\"\n[measure]\ncache-limit = \"much\"\n[[benchmark]]\nname = \"a\"\n\
         command = \"echo 'a\"\ntimeout = \"0s\"\nmetrics = [\"wal\", \"speed\"]\n\
         [[benchmark]]\nname = \"b\\n\"\ncommand = \"true\"\ntimeout = \"99999999999h\"\n"
    ), @r#"
    error: `30` is not a duration
     --> tacho.toml:2:17
      |
    2 | build-timeout = "30"
      |                 ^^^^
      |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: `much` is not a size
     --> tacho.toml:4:15
      |
    4 | cache-limit = "much"
      |               ^^^^^^
      |
    hint: sizes are written like "500MiB" or "2GiB"

    error: a quote in `command` is not closed
     --> tacho.toml:7:11
      |
    7 | command = "echo 'a"
      |           ^^^^^^^^^

    error: `0s` is not a duration: it is not above zero
     --> tacho.toml:8:11
      |
    8 | timeout = "0s"
      |           ^^^^
      |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: unknown metric `wal`
     --> tacho.toml:9:12
      |
    9 | metrics = ["wal", "speed"]
      |            ^^^^^
      |
    hint: did you mean `wall`?

    error: unknown metric `speed`
     --> tacho.toml:9:19
      |
    9 | metrics = ["wal", "speed"]
      |                   ^^^^^^^
      |
    hint: there can be `wall`, `cpu`, `user`, `sys`, `peak-memory`, `on-cpu`, `cpu-wait`, `blocked`, `cpu-percent`, `minor-faults`, `major-faults`, `voluntary-switches`, `involuntary-switches`, `left-behind`, `block-input`, `block-output`, `net-wall`, `shell`, `output-bytes`, `companion-cpu`, `companion-peak-memory`, `peak-memory-tree`, `instructions`, `cycles`, `branches`, `branch-misses`, `cache-references`, `cache-misses`, `task-clock`, `cpu-migrations`, `energy` and `callgrind-instructions`; what it prints is read with `{ name = …, from = … }`

    error: `b\n` cannot be the name of a benchmark
      --> tacho.toml:11:8
       |
    11 | name = "b\n"
       |        ^^^^^
       |
    hint: it is shown in tables, so it has to be one line of text

    error: `99999999999h` is not a duration: it is longer than a year
      --> tacho.toml:13:11
       |
    13 | timeout = "99999999999h"
       |           ^^^^^^^^^^^^^^
       |
    hint: durations are written like "500ms", "60s", "5m" or "2h"
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"\"\nprepare = \"\"\nmetrics = []\nparameters = { n = [] }"), @r#"
    error: `command` is empty
     --> tacho.toml:3:11
      |
    3 | command = ""
      |           ^^

    error: `prepare` is empty
     --> tacho.toml:4:11
      |
    4 | prepare = ""
      |           ^^

    error: `metrics` is empty
     --> tacho.toml:5:11
      |
    5 | metrics = []
      |           ^^

    error: parameter `n` is used neither in `command` nor in `setup`, `prepare` or `companion`
     --> tacho.toml:6:16
      |
    6 | parameters = { n = [] }
      |                ^
      |
    hint: write `{n}` where its values belong

    error: `parameters.n` is empty
     --> tacho.toml:6:20
      |
    6 | parameters = { n = [] }
      |                    ^^
    "#);
}

#[test]
fn metrics_that_cannot_be_read() {
    assert_snapshot!(shown_in_benchmark(
        "command = \"a\"\nmetrics = [\n\
         { name = \"a\", from = \"regex:took [0-9\" },\n\
         { name = \"b\", from = \"regex:took [0-9]+\" },\n\
         { name = \"c\", from = \"json:results/0\" },\n\
         { name = \"wall\", from = \"jsn:/results\" },\n\
         { name = \"d\", from = \"awk\" },\n\
         { name = \"e\", from = \"time:rael\" },\n\
         { name = \"e\", from = \"key:\" },\n\
         { name = \"all\", from = \"iperf3:sent\", unit = \"ms\" },\n\
         { name = \"f\", from = \"metrics\", stream = \"stderr\", file = \"out.json\" },\n]"
    ), @r#"
    error: `took [0-9` is not a regular expression: unclosed character class
     --> tacho.toml:5:22
      |
    5 | { name = "a", from = "regex:took [0-9" },
      |                      ^^^^^^^^^^^^^^^^^

    error: `took [0-9]+` has no group
     --> tacho.toml:6:22
      |
    6 | { name = "b", from = "regex:took [0-9]+" },
      |                      ^^^^^^^^^^^^^^^^^^^
      |
    hint: put what matches the number into parentheses: `took ([0-9.]+) ms`

    error: `results/0` is not a JSON pointer
     --> tacho.toml:7:22
      |
    7 | { name = "c", from = "json:results/0" },
      |                      ^^^^^^^^^^^^^^^^
      |
    hint: pointers are written like `/results/0/mean`, with `*` for all elements of an array

    error: `wall` is a built-in metric
     --> tacho.toml:8:10
      |
    8 | { name = "wall", from = "jsn:/results" },
      |          ^^^^^^
      |
    hint: give it another name

    error: unknown parser `jsn`
     --> tacho.toml:8:25
      |
    8 | { name = "wall", from = "jsn:/results" },
      |                         ^^^^^^^^^^^^^^
      |
    hint: did you mean `json`?

    error: unknown parser `awk`
     --> tacho.toml:9:22
      |
    9 | { name = "d", from = "awk" },
      |                      ^^^^^
      |
    hint: there can be `csv`, `json`, `key`, `regex`, `criterion`, `go-bench`, `google-benchmark`, `hyperfine`, `iperf3`, `jmh`, `metrics`, `pyperf`, `pytest-benchmark`, `tcpbench` and `time`

    error: `time` has no `rael`
      --> tacho.toml:10:22
       |
    10 | { name = "e", from = "time:rael" },
       |                      ^^^^^^^^^^^
       |
    hint: did you mean `time:real`?

    error: metric `e` is given twice
      --> tacho.toml:11:10
       |
    11 | { name = "e", from = "key:" },
       |          ^^^

    error: `key:` is empty
      --> tacho.toml:11:22
       |
    11 | { name = "e", from = "key:" },
       |                      ^^^^^^

    error: `all` cannot be the name of a metric
      --> tacho.toml:12:10
       |
    12 | { name = "all", from = "iperf3:sent", unit = "ms" },
       |          ^^^^^
       |
    hint: it stands for all metrics

    error: `iperf3:sent` has a unit of its own, `Mbit/s`
      --> tacho.toml:12:46
       |
    12 | { name = "all", from = "iperf3:sent", unit = "ms" },
       |                                              ^^^^
       |
    hint: leave `unit` out

    error: `file` contradicts `stream`
      --> tacho.toml:13:52
       |
    13 | { name = "f", from = "metrics", stream = "stderr", file = "out.json" },
       |                                                    ^^^^
       |
    hint: values stand in one place: keep one of them
    "#);
}

#[test]
fn one_metric_has_one_meaning() {
    let benchmark = |name: &str, metric: &str| {
        format!(
            "[[benchmark]]\nname = \"{name}\"\ncommand = \"a\"\nmetrics = [{{ name = \"m\", {metric} }}]\n"
        )
    };
    let first = benchmark("a", "from = \"key:m\", unit = \"ms\"");
    assert_snapshot!(shown(&(first.clone() + &benchmark("b", "from = \"key:m\", unit = \"MB\""))), @r#"
    error: metric `m` has another unit or direction in another benchmark
     --> tacho.toml:8:12
      |
    8 | metrics = [{ name = "m", from = "key:m", unit = "MB" }]
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    hint: give it another name
    "#);
    let well = first + &benchmark("b", "from = \"csv:m\", unit = \"s\"");
    assert!(crate::plan::parse(&well, "tacho.toml").is_ok());
}

#[test]
fn a_shell_takes_one_string() {
    assert_snapshot!(shown_in_benchmark("command = [\"a\", \"b\"]\nshell = true"), @r#"
    error: `command` must be one string, since `shell` is given
     --> tacho.toml:3:11
      |
    3 | command = ["a", "b"]
      |           ^^^^^^^^^^
      |
    hint: what is given as words needs no shell: leave `shell` out, or write one string
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a {bulid}\"\nshell = \"ba'sh\""), @r#"
    error: unknown reference `{bulid}` in `command`
     --> tacho.toml:3:14
      |
    3 | command = "a {bulid}"
      |              ^^^^^^^
      |
    hint: did you mean `{build}`?

    error: a quote in `shell` is not closed
     --> tacho.toml:4:9
      |
    4 | shell = "ba'sh"
      |         ^^^^^^^
    "#);
    assert_snapshot!(shown_in_benchmark("command = \" \"\nshell = \"\""), @r#"
    error: `command` is empty
     --> tacho.toml:3:11
      |
    3 | command = " "
      |           ^^^

    error: `shell` is empty
     --> tacho.toml:4:9
      |
    4 | shell = ""
      |         ^^
    "#);
}

#[test]
fn what_nobody_keeps_cannot_be_read() {
    let metric = "{ name = \"m\", from = \"key:m\" }";
    assert_snapshot!(shown_in_benchmark("command = \"a\"\noutput = \"null\"\nexpect.stdout = \"same\""), @r#"
    error: `output = "null"` contradicts `expect.stdout`, which reads it
     --> tacho.toml:4:10
      |
    4 | output = "null"
      |          ^^^^^^
      |
    hint: leave `output` out, or use a pipe or a file, which are read
    "#);
    assert_snapshot!(shown_in_benchmark(&format!("command = \"a\"\nmetrics = [{metric}]\noutput = \"null\"")), @r#"
    error: `output = "null"` contradicts `metrics`, which reads it
     --> tacho.toml:5:10
      |
    5 | output = "null"
      |          ^^^^^^
      |
    hint: leave `output` out, or use a pipe or a file, which are read
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a\"\noutput = { file = \"{build}/out\" }"), @r#"
    error: `{build}` is not filled in here
     --> tacho.toml:4:20
      |
    4 | output = { file = "{build}/out" }
      |                    ^^^^^^^
      |
    hint: it is a path from the plan's folder, the same for all revisions
    "#);
}

#[test]
fn hooks_and_companions_that_cannot_be() {
    assert_snapshot!(shown_in_benchmark(
        "command = \"a {port}\"\nsetup = { command = \" \", timeout = \"soon\" }\ncleanup = { timeout = \"1s\" }"
    ), @r#"
    error: unknown reference `{port}` in `command`
     --> tacho.toml:3:14
      |
    3 | command = "a {port}"
      |              ^^^^^^
      |
    hint: `port` of a `companion` says what it is

    error: `setup` is empty
     --> tacho.toml:4:21
      |
    4 | setup = { command = " ", timeout = "soon" }
      |                     ^^^

    error: `soon` is not a duration
     --> tacho.toml:4:36
      |
    4 | setup = { command = " ", timeout = "soon" }
      |                                    ^^^^^^
      |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: missing key `command` in `cleanup`
     --> tacho.toml:5:11
      |
    5 | cleanup = { timeout = "1s" }
      |           ^^^^^^^^^^^^^^^^^^
    "#);
    assert_snapshot!(shown_in_benchmark(
        "command = \"a {port}\"\nsetup = \"b {prot}\"\n\
         companion = { command = \"s {port} {x}\", port = 8080, ready = { command = \"c {biuld}\" }, timeout = \"0s\" }"
    ), @r#"
    error: unknown reference `{x}` in `command`
     --> tacho.toml:5:35
      |
    5 | companion = { command = "s {port} {x}", port = 8080, ready = { command = "c {biuld}" }, timeout = "0s" }
      |                                   ^^^
      |
    hint: there can be `{build}`, `{revision}` and `{port}`; for braces themselves write `{{` and `}}`

    error: unknown reference `{biuld}` in `ready.command`
     --> tacho.toml:5:77
      |
    5 | companion = { command = "s {port} {x}", port = 8080, ready = { command = "c {biuld}" }, timeout = "0s" }
      |                                                                             ^^^^^^^
      |
    hint: did you mean `{build}`?

    error: `0s` is not a duration: it is not above zero
     --> tacho.toml:5:99
      |
    5 | companion = { command = "s {port} {x}", port = 8080, ready = { command = "c {biuld}" }, timeout = "0s" }
      |                                                                                                   ^^^^
      |
    hint: durations are written like "500ms", "60s", "5m" or "2h"
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a\"\ncompanion = { command = \"s\" }"), @r#"
    error: `companion` does not say when it is ready
     --> tacho.toml:4:13
      |
    4 | companion = { command = "s" }
      |             ^^^^^^^^^^^^^^^^^
      |
    hint: give it a `port`, or `ready = { line = "listening" }`, `{ file = "path" }`, `{ command = "…" }` or "started"
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a\"\ncompanion = { ready = \"started\" }"), @r#"
    error: missing key `command` in `companion`
     --> tacho.toml:4:13
      |
    4 | companion = { ready = "started" }
      |             ^^^^^^^^^^^^^^^^^^^^^
    "#);
    assert_snapshot!(shown_in_benchmark(
        "command = \"a\"\ncompanion = { command = \"\", ready = { line = \"\" } }\nparameters = { port = [1] }"
    ), @r#"
    error: `command` is empty
     --> tacho.toml:4:25
      |
    4 | companion = { command = "", ready = { line = "" } }
      |                         ^^

    error: `ready.line` is empty
     --> tacho.toml:4:46
      |
    4 | companion = { command = "", ready = { line = "" } }
      |                                              ^^

    error: `port` cannot be the name of a parameter
     --> tacho.toml:5:16
      |
    5 | parameters = { port = [1] }
      |                ^^^^
      |
    hint: it is filled in by itself
    "#);
}

#[test]
fn what_cvs_needs_and_only_cvs_has() {
    assert_snapshot!(shown(
        "[subject]\nvcs = \"cvs\"\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n"
    ), @r#"
    error: `vcs = "cvs"` without a `repository`
     --> tacho.toml:2:1
      |
    2 | vcs = "cvs"
      | ^^^
      |
    hint: a folder, or what `cvs -d` takes: ":ext:user@host:/cvs"

    error: `vcs = "cvs"` without a `module`
     --> tacho.toml:2:1
      |
    2 | vcs = "cvs"
      | ^^^
      |
    hint: the folder in the repository that holds the subject
    "#);
    assert_snapshot!(shown(
        "[subject]\nvcs = \"svn\"\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n"
    ), @r#"
    error: `vcs` must be `git` or `cvs`
     --> tacho.toml:2:7
      |
    2 | vcs = "svn"
      |       ^^^^^
    "#);
    assert_snapshot!(shown(
        "[subject]\nmodule = \"src\"\nkeywords = \"kv\"\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n"
    ), @r#"
    error: `module` without `vcs = "cvs"`
     --> tacho.toml:2:1
      |
    2 | module = "src"
      | ^^^^^^
      |
    hint: it says what to get of a CVS repository; git has nothing like it here

    error: `keywords` without `vcs = "cvs"`
     --> tacho.toml:3:1
      |
    3 | keywords = "kv"
      | ^^^^^^^^
      |
    hint: it says what to get of a CVS repository; git has nothing like it here
    "#);
}
