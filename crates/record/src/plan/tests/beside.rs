//! Mistakes in what a plan says of shells, hooks and companions.

use insta::assert_snapshot;

use super::shown_in_benchmark;

#[test]
fn a_shell_takes_one_string() {
    assert_snapshot!(shown_in_benchmark("command = [\"a\", \"b\"]\nshell = true"), @r#"
    error: `command` must be one string, since `shell` is given
     --> tacho.toml:3:11
      |
    3 | command = ["a", "b"]
      |           ^^^^^^^^^^
      |
    hint: a list of words needs no shell: leave `shell` out, or write one string
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a {bulid}\"\nshell = \"ba'sh\""), @r#"
    error: unknown placeholder `{bulid}` in `command`
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
fn hooks_and_companions_that_cannot_be() {
    assert_snapshot!(shown_in_benchmark(
        "command = \"a {port}\"\nsetup = { command = \" \", timeout = \"soon\" }\ncleanup = { \
         timeout = \"1s\" }"
    ), @r#"
    error: unknown placeholder `{port}` in `command`
     --> tacho.toml:3:14
      |
    3 | command = "a {port}"
      |              ^^^^^^
      |
    hint: the key `port` of a `companion` sets the port

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
        "command = \"a {port}\"\nsetup = \"b {prot}\"\ncompanion = { command = \"s {port} {x}\", \
         port = 8080, ready = { command = \"c {biuld}\" }, timeout = \"0s\" }"
    ), @r#"
    error: unknown placeholder `{x}` in `command`
     --> tacho.toml:5:35
      |
    5 | companion = { command = "s {port} {x}", port = 8080, ready = { command = "c {biuld}" }, timeout = "0s" }
      |                                   ^^^
      |
    hint: valid values: `{build}`, `{revision}`, `{port}`; for braces themselves write `{{` and `}}`

    error: unknown placeholder `{biuld}` in `ready.command`
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
        "command = \"a\"\ncompanion = { command = \"\", ready = { line = \"\" } }\nparameters = { \
         port = [1] }"
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
    hint: this name is filled in automatically
    "#);
}
