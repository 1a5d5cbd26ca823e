//! Mistakes in what a plan says of metrics: what cannot be read, or is read of nothing.

use insta::assert_snapshot;

use super::{shown, shown_in_benchmark};

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
    hint: choose another name

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
    hint: valid values: `csv`, `json`, `key`, `regex`, `criterion`, `go-bench`, `google-benchmark`, `hyperfine`, `iperf3`, `jmh`, `metrics`, `pyperf`, `pytest-benchmark`, `tcpbench`, `time`

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
    hint: `all` means all metrics

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
    hint: the values are in one place: keep one of the two keys
    "#);
}

#[test]
fn one_metric_has_one_meaning() {
    let benchmark = |name: &str, metric: &str| {
        format!(
            "[[benchmark]]\nname = \"{name}\"\ncommand = \"a\"\nmetrics = [{{ name = \"m\", \
             {metric} }}]\n"
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
    hint: choose another name
    "#);
    let well = first + &benchmark("b", "from = \"csv:m\", unit = \"s\"");
    assert!(crate::plan::parse(&well, "tacho.toml").is_ok());
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
    error: `{build}` cannot be used here
     --> tacho.toml:4:20
      |
    4 | output = { file = "{build}/out" }
      |                    ^^^^^^^
      |
    hint: this is a path from the plan's folder, the same for all revisions
    "#);
}

#[test]
fn a_part_of_a_name_and_a_misspelt_alias_are_guessed() {
    for (typed, meant) in
        [("memory", "peak-memory"), ("instructions=callgrnd", "instructions=callgrind")]
    {
        let said = shown_in_benchmark(&format!("command = 'a'\nmetrics = ['{typed}']"));
        assert!(said.contains(&format!("did you mean `{meant}`?")), "{said}");
    }
}

#[test]
fn instructions_of_callgrind_have_two_names() {
    let metric = |name: &str| {
        let text =
            format!("[subject]\n[[benchmark]]\nname = 'a'\ncommand = 'a'\nmetrics = ['{name}']");
        crate::plan::parse(&text, "p").unwrap().benchmarks[0].metrics[0].clone()
    };
    assert_eq!(metric("instructions=callgrind"), metric("callgrind-instructions"));
    assert_eq!(metric("instructions=callgrind?").metric, metric("callgrind-instructions").metric);
}
