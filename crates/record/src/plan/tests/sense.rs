//! Mistakes in what a plan says: references, contradictions, duplicates, values.

use insta::assert_snapshot;

use super::{shown, shown_in_benchmark};

#[test]
fn references_that_lead_nowhere() {
    assert_snapshot!(shown(
        "[subject]\nbuild = \"make -j{job} {build}\"\nlink = \
         \"https://e.org/{hash}\"\n[[benchmark]]\nname = \"a\"\ncommand = \"{biuld}/a {bach} \
         {jobs}\"\nparameters = { batch = [1] }\nprepare = \"awk '{print}' {bach} {{\"\nconclude \
         = \"a } {revison}\"\n"
    ), @r#"
    error: unknown placeholder `{job}` in `build`
     --> tacho.toml:2:17
      |
    2 | build = "make -j{job} {build}"
      |                 ^^^^^
      |
    hint: did you mean `{jobs}`?

    error: unknown placeholder `{hash}` in `link`
     --> tacho.toml:3:23
      |
    3 | link = "https://e.org/{hash}"
      |                       ^^^^^^
      |
    hint: valid values: `{commit}`; for braces themselves write `{{` and `}}`

    error: unknown placeholder `{biuld}` in `command`
     --> tacho.toml:6:12
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |            ^^^^^^^
      |
    hint: did you mean `{build}`?

    error: unknown placeholder `{bach}` in `command`
     --> tacho.toml:6:22
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |                      ^^^^^^
      |
    hint: did you mean `{batch}`?

    error: unknown placeholder `{jobs}` in `command`
     --> tacho.toml:6:29
      |
    6 | command = "{biuld}/a {bach} {jobs}"
      |                             ^^^^^^
      |
    hint: valid values: `{build}`, `{revision}`, `{batch}`; for braces themselves write `{{` and `}}`

    error: unknown placeholder `{bach}` in `prepare`
     --> tacho.toml:8:26
      |
    8 | prepare = "awk '{print}' {bach} {{"
      |                          ^^^^^^
      |
    hint: did you mean `{batch}`?

    error: unknown placeholder `{revison}` in `conclude`
     --> tacho.toml:9:17
      |
    9 | conclude = "a } {revison}"
      |                 ^^^^^^^^^
      |
    hint: did you mean `{revision}`?
    "#);
    assert_snapshot!(shown_in_benchmark("command = [\"{build}\", \"\\u007bx}\"]\nstdin = \"{build}/in\""), @r#"
    error: unknown placeholder `{x}` in `command`
     --> tacho.toml:3:23
      |
    3 | command = ["{build}", "\u007bx}"]
      |                       ^^^^^^^^^^
      |
    hint: valid values: `{build}`, `{revision}`; for braces themselves write `{{` and `}}`

    error: `{build}` cannot be used here
     --> tacho.toml:4:10
      |
    4 | stdin = "{build}/in"
      |          ^^^^^^^
      |
    hint: this is a path from the plan's folder, the same for all revisions
    "#);
    let of_build = |directory: &str| {
        let text = format!("[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n{directory}\n");
        let plan = crate::plan::parse(&text, "tacho.toml").ok()?;
        plan.benchmarks[0].folder("/plan".as_ref(), Some("/build".as_ref()))
    };
    assert_eq!(of_build("directory = \"{build}\""), Some("/build".into()));
    assert_eq!(of_build("directory = \"{build}/src/\""), Some("/build/src/".into()));
    assert_eq!(of_build("directory = \"in\""), Some("/plan/in".into()));
    assert_eq!(of_build(""), Some("/plan".into()));
    assert_eq!(of_build("directory = \"{build}s\""), None);
    assert_eq!(of_build("directory = \"in/{build}\""), None);
    assert_snapshot!(shown_in_benchmark("command = \"a } {\""), @r#"
    error: there is a single `}` in `command`
     --> tacho.toml:3:14
      |
    3 | command = "a } {"
      |              ^
      |
    hint: for the brace itself write `}}`

    error: there is a single `{` in `command`
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
        "[subject]\nrepository = \".\"\nreleases = [\"1.0\"]\nreleases-from = \"ls\"\nbuild = \
         \"get {release}\"\n[[benchmark]]\nname = \"a\"\ncommand = \"true\"\n"
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
        "[subject]\nbuild = \"get {release}\"\nlink = \
         \"https://e.org/{release}\"\n[[benchmark]]\nname = \"a\"\ncommand = \"{build}/a \
         {release}\"\n"
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
        "[[benchmark]]\nname = \"a\"\ncommand = \"b\"\nexpect.stdout = \
         \"same\"\n[measure]\nwarmup = false\n"
    ), @r#"
    error: `expect.stdout = "same"` contradicts `warmup = false`
     --> tacho.toml:4:17
      |
    4 | expect.stdout = "same"
      |                 ^^^^^^
      |
    hint: the reference answer comes from the warmup: keep the warmup, or compare with a `file`
    "#);
    assert_snapshot!(shown("[subject]\nlink = \"javascript:alert({commit})\"\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"), @r#"
    error: `link` is not the address of a page
     --> tacho.toml:2:8
      |
    2 | link = "javascript:alert({commit})"
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    hint: a link begins with `https://` or `http://`
    "#);
    assert_snapshot!(shown("[subject]\nlink = \"https://e.org\"\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"), @r#"
    error: `link` contains no placeholder
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
    hint: this name is filled in automatically

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
    let measure = |keys: &str| {
        shown(&format!("[measure]\n{keys}\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"))
    };
    assert_snapshot!(measure("rounds = 5\nprecision = \"1%\""), @r#"
    error: `precision` contradicts `rounds`
     --> tacho.toml:3:13
      |
    3 | precision = "1%"
      |             ^^^^
      |
    hint: `rounds` is a fixed number: leave it out; `max-rounds` sets a limit
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

    error: `yes` is not a warmup
     --> tacho.toml:4:10
      |
    4 | warmup = "yes"
      |          ^^^^^
      |
    hint: write a number of executions, a time like "2s", "found", true or false
    "#);
    assert_snapshot!(measure("precision = \"1%\"\nprecision-metric = \"cpus\""), @r#"
    error: no benchmark has a metric `cpus`
     --> tacho.toml:3:20
      |
    3 | precision-metric = "cpus"
      |                    ^^^^^^
      |
    hint: the metric must be built in, or in the `metrics` of a benchmark
    "#);
}

#[test]
fn artifacts_lie_in_the_checkout() {
    assert_snapshot!(shown(
        "[subject]\nartifacts = [\"/usr/bin/a\", \"../a\", \"lib/[a\"]\n[[benchmark]]\nname = \
         \"a\"\ncommand = \"b\"\n"
    ), @r#"
    error: `/usr/bin/a` is not in the checkout
     --> tacho.toml:2:14
      |
    2 | artifacts = ["/usr/bin/a", "../a", "lib/[a"]
      |              ^^^^^^^^^^^^
      |
    hint: artifacts and paths start at the root of the checkout

    error: `../a` is not in the checkout
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
        "[subject]\nreleases = [\"1\", \"1\"]\nbuild = \"b\"\n[[benchmark]]\nname = \
         \"a\"\ncommand = \"a\"\n[[benchmark]]\nname = \"a\"\ncommand = \"b {n}\"\nparameters = { \
         n = [1, 2, 1.0] }\nmetrics = [\"wall\", \"wall\"]\n"
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
        "[subject]\nbuild-timeout = \"30\"\n[measure]\ncache-limit = \
         \"much\"\n[[benchmark]]\nname = \"a\"\ncommand = \"echo 'a\"\ntimeout = \"0s\"\nmetrics \
         = [\"wal\", \"speed\"]\n[[benchmark]]\nname = \"b\\n\"\ncommand = \"true\"\ntimeout = \
         \"99999999999h\"\n"
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
    hint: valid values: `wall`, `cpu`, `user`, `sys`, `peak-memory`, `on-cpu`, `cpu-wait`, `blocked`, `cpu-percent`, `minor-faults`, `major-faults`, `voluntary-switches`, `involuntary-switches`, `left-behind`, `block-input`, `block-output`, `net-wall`, `shell`, `output-bytes`, `companion-cpu`, `companion-peak-memory`, `peak-memory-tree`, `block-input-tree`, `block-output-tree`, `instructions`, `cycles`, `branches`, `branch-misses`, `cache-references`, `cache-misses`, `task-clock`, `cpu-migrations`, `energy`, `energy-dram`, `callgrind-instructions`; a number in the output is read with `{ name = …, from = … }`

    error: `b\n` cannot be the name of a benchmark
      --> tacho.toml:11:8
       |
    11 | name = "b\n"
       |        ^^^^^
       |
    hint: tables show this name: one line of text, without invisible characters

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
fn what_cvs_needs_and_only_cvs_has() {
    assert_snapshot!(shown(
        "[subject]\nvcs = \"cvs\"\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n"
    ), @r#"
    error: `vcs = "cvs"` needs the key `repository`
     --> tacho.toml:2:1
      |
    2 | vcs = "cvs"
      | ^^^
      |
    hint: a folder, or what `cvs -d` takes: ":ext:user@host:/cvs"

    error: `vcs = "cvs"` needs the key `module`
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
        "[subject]\nmodule = \"src\"\nkeywords = \"kv\"\n[[benchmark]]\nname = \"a\"\ncommand = \
         \"a\"\n"
    ), @r#"
    error: `module` needs `vcs = "cvs"`
     --> tacho.toml:2:1
      |
    2 | module = "src"
      | ^^^^^^
      |
    hint: the key is for CVS repositories only

    error: `keywords` needs `vcs = "cvs"`
     --> tacho.toml:3:1
      |
    3 | keywords = "kv"
      | ^^^^^^^^
      |
    hint: the key is for CVS repositories only
    "#);
}

#[test]
fn what_only_a_shell_understands_is_no_word_of_a_command() {
    assert_snapshot!(shown_in_benchmark("command = \"a | wc -l\""), @r#"
    error: `|` in `command` means something only to a shell, and no shell is started
     --> tacho.toml:3:11
      |
    3 | command = "a | wc -l"
      |           ^^^^^^^^^^^
      |
    hint: add `shell = true` (in a companion write `sh -c '…'`), or quote it
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"A=1 b\""), @r#"
    error: `A=1` in `command` means something only to a shell, and no shell is started
     --> tacho.toml:3:11
      |
    3 | command = "A=1 b"
      |           ^^^^^^^
      |
    hint: set variables in `[benchmark.conditions]`: `environment = { NAME = "value" }`; or add `shell = true` to have a shell read the command
    "#);
    for right in
        ["command = \"a '|' b\"", "command = [\"a\", \"|\"]", "command = \"a | b\"\nshell = true"]
    {
        assert!(
            crate::plan::parse(&format!("[subject]\n[[benchmark]]\nname = 'a'\n{right}"), "p")
                .is_ok(),
            "{right}"
        );
    }
}
