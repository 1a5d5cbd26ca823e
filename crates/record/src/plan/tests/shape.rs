//! Mistakes in the shape of a plan: syntax, keys, types.

use insta::assert_snapshot;

use super::{shown, shown_in_benchmark};

#[test]
fn syntax() {
    assert_snapshot!(shown("[subject]\nname = zlib\n"), @"
    error: string values must be quoted, expected literal string
     --> tacho.toml:2:8
      |
    2 | name = zlib
      |        ^^^^
    ");
    assert_snapshot!(shown("[measure]\nrounds = 1\nrounds = 2\n"), @"
    error: duplicate key
     --> tacho.toml:3:1
      |
    3 | rounds = 2
      | ^^^^^^
    ");
    assert_snapshot!(shown("[[benchmark]\n"), @"
    error: unclosed array table, expected `]`
     --> tacho.toml:1:13
      |
    1 | [[benchmark]
      |             ^
    ");
}

#[test]
fn a_key_that_is_missing_in_a_table_within_is_said_once() {
    let errors = |levels: &str| {
        let text = format!(
            "[measure]\nlevels = {{ {levels} }}\n[[benchmark]]\nname = \"a\"\ncommand = \"a\"\n"
        );
        let errors = crate::plan::parse(&text, "tacho.toml").unwrap_err().errors;
        errors.into_iter().map(|error| error.message).collect::<Vec<_>>()
    };
    assert_eq!(errors("layouts = 3"), ["missing key `processes` in `levels`"]);
    assert_eq!(errors("processes = 3"), ["missing key `layouts` in `levels`"]);
    assert_eq!(
        errors("layout = 3"),
        ["missing key `processes` in `levels`", "unknown key `layout` in `levels`"]
    );
    assert_eq!(
        errors("layouts = 0, processes = 3"),
        ["`levels.layouts` must be a whole number from 1 to 4294967295"]
    );
}

#[test]
fn unknown_keys_are_all_shown_with_what_was_meant() {
    assert_snapshot!(shown("[[benchmark]]\nname = \"a\"\ncomand = \"true\"\n"), @r#"
    error: unknown key `comand` in `[[benchmark]]`
     --> tacho.toml:3:1
      |
    3 | comand = "true"
      | ^^^^^^
      |
    hint: did you mean `command`?
    "#);
    assert_snapshot!(shown(
        "build = \"make\"\n[subjct]\n[measure]\nround = 3\n[[benchmark]]\nname = \"a\"\ncommand = \
         \"true\"\nexit = 0\nrepositry = \".\"\ncolour = \"red\"\nexpect = { stdot = \"same\" }\n"
    ), @r#"
    error: unknown key `build` in the plan
     --> tacho.toml:1:1
      |
    1 | build = "make"
      | ^^^^^
      |
    hint: `build` belongs in `[subject]`

    error: unknown key `subjct` in the plan
     --> tacho.toml:2:2
      |
    2 | [subjct]
      |  ^^^^^^
      |
    hint: did you mean `[subject]`?

    error: unknown key `round` in `[measure]`
     --> tacho.toml:4:1
      |
    4 | round = 3
      | ^^^^^
      |
    hint: did you mean `rounds`?

    error: unknown key `exit` in `[[benchmark]]`
     --> tacho.toml:8:1
      |
    8 | exit = 0
      | ^^^^
      |
    hint: `exit` belongs in `[benchmark.expect]`

    error: unknown key `repositry` in `[[benchmark]]`
     --> tacho.toml:9:1
      |
    9 | repositry = "."
      | ^^^^^^^^^
      |
    hint: did you mean `repository` in `[subject]`?

    error: unknown key `colour` in `[[benchmark]]`
      --> tacho.toml:10:1
       |
    10 | colour = "red"
       | ^^^^^^
       |
    hint: valid keys: `cleanup`, `command`, `companion`, `conclude`, `conditions`, `directory`, `expect`, `limits`, `metrics`, `name`, `output`, `parameters`, `prepare`, `same-as`, `setup`, `shell`, `stdin`, `timeout`, `version`

    error: unknown key `stdot` in `expect`
      --> tacho.toml:11:12
       |
    11 | expect = { stdot = "same" }
       |            ^^^^^
       |
    hint: did you mean `stdout`?
    "#);
}

#[test]
fn missing_keys() {
    assert_snapshot!(shown("[[benchmark]]\n\n[[benchmark]]\nname = \"a\"\n"), @"
    error: missing key `name` in `[[benchmark]]`
     --> tacho.toml:1:1
      |
    1 | [[benchmark]]
      | ^^^^^^^^^^^^^

    error: missing key `command` in `[[benchmark]]`
     --> tacho.toml:1:1
      |
    1 | [[benchmark]]
      | ^^^^^^^^^^^^^

    error: missing key `command` in `[[benchmark]]`
     --> tacho.toml:3:1
      |
    3 | [[benchmark]]
      | ^^^^^^^^^^^^^
    ");
    assert_snapshot!(shown("[subject]\nreleases = [\"1.0\"]\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n"), @r#"
    error: `releases` needs a `build` command
     --> tacho.toml:2:1
      |
    2 | releases = ["1.0"]
      | ^^^^^^^^
      |
    hint: `build` fetches `{release}` into an empty folder and builds it there
    "#);
}

#[test]
fn plans_without_a_benchmark() {
    assert_snapshot!(shown(""), @"
    error: the plan has no `[[benchmark]]`
     --> tacho.toml:1:1
      |
    1 |
      | ^
      |
    hint: add one, with at least a `name` and a `command`
    ");
    assert_snapshot!(shown("benchmark = []"), @"
    error: the plan has no `[[benchmark]]`
     --> tacho.toml:1:13
      |
    1 | benchmark = []
      |             ^^
      |
    hint: add one, with at least a `name` and a `command`
    ");
    assert_snapshot!(shown("[[benchmarks]]\nname = \"a\""), @"
    error: unknown key `benchmarks` in the plan
     --> tacho.toml:1:3
      |
    1 | [[benchmarks]]
      |   ^^^^^^^^^^
      |
    hint: did you mean `[[benchmark]]`?
    ");
}

#[test]
fn wrong_types_are_all_shown() {
    assert_snapshot!(shown(
        "[subject]\nartifacts = \"prog\"\n[measure]\nrounds = 0\nwarmup = 1.5\ncache-limit = 2048\n\
         [[benchmark]]\nname = 1\ncommand = 5\n[[benchmark]]\nname = \"a\"\ncommand = [\"a\", 1]\n\
         timeout = 60\nparameters = { n = [1, true], m = 3 }\nexpect.exit = 256\nmetrics = [1]\n"
    ), @r#"
    error: `artifacts` must be an array, not a string
     --> tacho.toml:2:13
      |
    2 | artifacts = "prog"
      |             ^^^^^^
      |
    hint: write a list, even for one: `artifacts = ["…"]`

    error: `rounds` must be a whole number from 1 to 4294967295
     --> tacho.toml:4:10
      |
    4 | rounds = 0
      |          ^

    error: `warmup` must be `true`, `false`, a whole number or a string, not a float
     --> tacho.toml:5:10
      |
    5 | warmup = 1.5
      |          ^^^

    error: `cache-limit` must be a string, not an integer
     --> tacho.toml:6:15
      |
    6 | cache-limit = 2048
      |               ^^^^
      |
    hint: sizes are written like "500MiB" or "2GiB"

    error: `name` must be a string, not an integer
     --> tacho.toml:8:8
      |
    8 | name = 1
      |        ^

    error: `command` must be a string or an array of strings, not an integer
     --> tacho.toml:9:11
      |
    9 | command = 5
      |           ^

    error: `command` must be a string or an array of strings, not an array
      --> tacho.toml:12:11
       |
    12 | command = ["a", 1]
       |           ^^^^^^^^

    error: `timeout` must be a string, not an integer
      --> tacho.toml:13:11
       |
    13 | timeout = 60
       |           ^^
       |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: `parameters.m` must be an array, not an integer
      --> tacho.toml:14:35
       |
    14 | parameters = { n = [1, true], m = 3 }
       |                                   ^

    error: `expect.exit` must be a whole number from 0 to 255
      --> tacho.toml:15:15
       |
    15 | expect.exit = 256
       |               ^^^

    error: `metrics[0]` must be a string or a table, not an integer
      --> tacho.toml:16:12
       |
    16 | metrics = [1]
       |            ^
    "#);
}

#[test]
fn wrong_types_that_have_words_of_their_own() {
    assert_snapshot!(shown_in_benchmark("command = \"true\"\nexpect = { stdout = \"some\" }"), @r#"
    error: `expect.stdout` must be `"anything"`, `"same"`, `{ contains = "text" }` or `{ file = "path" }`
     --> tacho.toml:4:21
      |
    4 | expect = { stdout = "some" }
      |                     ^^^^^^
      |
    hint: `stdout = { contains = "text" }` expects a text within the output
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"true\"\nexpect.stdout = { contain = \"x\" }"), @r#"
    error: `expect.stdout` must be `"anything"`, `"same"`, `{ contains = "text" }` or `{ file = "path" }`
     --> tacho.toml:4:19
      |
    4 | expect.stdout = { contain = "x" }
      |                   ^^^^^^^
      |
    hint: `stdout = { contains = "text" }` expects a text within the output
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a {n}\"\nparameters.n = [inf, 9223372036854775808]"), @"
    error: `parameters.n` must be numbers that fit into 64 bits
     --> tacho.toml:4:17
      |
    4 | parameters.n = [inf, 9223372036854775808]
      |                 ^^^

    error: `parameters.n` must be numbers that fit into 64 bits
     --> tacho.toml:4:22
      |
    4 | parameters.n = [inf, 9223372036854775808]
      |                      ^^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(shown("subject = 1\n[[measure]]\n[benchmark]\nname = \"a\"\n"), @"
    error: `subject` must be a table, written `[subject]`, not an integer
     --> tacho.toml:1:11
      |
    1 | subject = 1
      |           ^

    error: `measure` must be a table, written `[measure]`, not an array
     --> tacho.toml:2:1
      |
    2 | [[measure]]
      | ^^^^^^^^^^^

    error: `benchmark` must be an array of tables, written `[[benchmark]]`, not a table
     --> tacho.toml:3:1
      |
    3 | [benchmark]
      | ^^^^^^^^^^^
    ");
}

#[test]
fn metrics_of_a_wrong_shape() {
    assert_snapshot!(shown_in_benchmark(
        "command = \"a\"\nmetrics = [\n\
         { name = \"a\", from = \"key:a\", beter = \"lower\" },\n\
         { name = \"b\" },\n\
         { name = \"c\", from = \"key:c\", better = \"more\" },\n\
         { name = \"d\", from = \"key:d\", unit = 3 },\n]"
    ), @r#"
    error: unknown key `beter` in `metrics`
     --> tacho.toml:5:31
      |
    5 | { name = "a", from = "key:a", beter = "lower" },
      |                               ^^^^^
      |
    hint: did you mean `better`?

    error: missing key `from` in `metrics`
     --> tacho.toml:6:1
      |
    6 | { name = "b" },
      | ^^^^^^^^^^^^^^

    error: `metrics[2].better` must be `higher` or `lower`
     --> tacho.toml:7:40
      |
    7 | { name = "c", from = "key:c", better = "more" },
      |                                        ^^^^^^
    "#);
}

#[test]
fn choices_that_are_none() {
    assert_snapshot!(shown_in_benchmark(
        "command = \"a\"\nshell = 1\noutput = \"inherit\"\nsetup = 5\n\
         companion = { command = 1, port = 0, ready = \"soon\", per = \"day\" }"
    ), @r#"
    error: `shell` must be `true`, `false` or a string, not an integer
     --> tacho.toml:4:9
      |
    4 | shell = 1
      |         ^

    error: `output` must be `"null"`, `"pipe"`, `"keep"` or `{ file = "path" }`
     --> tacho.toml:5:10
      |
    5 | output = "inherit"
      |          ^^^^^^^^^

    error: `setup` must be a string or a table, not an integer
     --> tacho.toml:6:9
      |
    6 | setup = 5
      |         ^

    error: `companion.command` must be a string or an array of strings, not an integer
     --> tacho.toml:7:25
      |
    7 | companion = { command = 1, port = 0, ready = "soon", per = "day" }
      |                         ^
    "#);
    assert_snapshot!(shown_in_benchmark(
        "command = \"a\"\noutput = { path = \"x\" }\nsetup = { comand = \"x\" }\n\
         companion = { command = \"a\", port = \"any\" }"
    ), @r#"
    error: `output` must be `"null"`, `"pipe"`, `"keep"` or `{ file = "path" }`
     --> tacho.toml:4:12
      |
    4 | output = { path = "x" }
      |            ^^^^

    error: unknown key `comand` in `setup`
     --> tacho.toml:5:11
      |
    5 | setup = { comand = "x" }
      |           ^^^^^^
      |
    hint: did you mean `command`?

    error: `companion.port` must be `"free"` or a number from 1 to 65535
     --> tacho.toml:6:37
      |
    6 | companion = { command = "a", port = "any" }
      |                                     ^^^^^
    "#);
    assert_snapshot!(shown_in_benchmark("command = \"a\"\ncompanion = { command = \"a\", ready = { port = 70000 } }"), @r#"
    error: `companion.ready.port` must be `{ port = 8080 }`, `{ file = "path" }`, `{ line = "text" }`, `{ command = "…" }` or `"started"`
     --> tacho.toml:4:47
      |
    4 | companion = { command = "a", ready = { port = 70000 } }
      |                                               ^^^^^
    "#);
}
