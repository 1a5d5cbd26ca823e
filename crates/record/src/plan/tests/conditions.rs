//! `conditions` and `limits`.

use std::collections::BTreeMap;
use std::time::Duration;

use insta::assert_snapshot;

use super::shown;
use crate::plan::{Benchmark, parse};
use crate::{Cgroup, Conditions, Cpus, Inherit, Limits, Scheduling};

const ALL: &str = r#"
[measure.conditions]
cpus = "1-2,4"
nice = -5
scheduling = "fifo 50"
environment = { A = "1", B = "2" }
inherit-environment = ["CARGO_*", "X"]
random-environment = true
aslr = false
cold = true
cgroup = "always"

[measure.limits]
memory = "512MiB"
address-space = "1GiB"
cpu-time = "1.5s"
"#;

/// The only benchmark of a plan that has that before it and in it.
fn benchmark(measure: &str, text: &str) -> Benchmark {
    let text = format!("{measure}\n[[benchmark]]\nname = 'a'\ncommand = 'true'\n{text}\n");
    let mut plan = parse(&text, "tacho.toml").unwrap_or_else(|errors| panic!("{errors}"));
    plan.benchmarks.remove(0)
}

#[test]
fn variables_refer_to_what_a_command_may_refer_to() {
    let set = "conditions.environment = { A = '{build}/{n}', B = '{\"a\": {\"b\": 1}}' }";
    let set = benchmark("", &format!("parameters = {{ n = [1] }}\n{set}"));
    assert!(set.names_revisions());
    assert_snapshot!(shown(
        "[measure.conditions.environment]\nA = '{biuld}'\n[[benchmark]]\nname = 'a'\ncommand = \
         'true'\n"
    ), @r"
    error: unknown placeholder `{biuld}` in `A`
     --> tacho.toml:2:6
      |
    2 | A = '{biuld}'
      |      ^^^^^^^
      |
    hint: did you mean `{build}`?
    ");
}

#[test]
fn every_condition_arrives_at_the_benchmarks() {
    let conditions = Conditions {
        cpus: Some(Cpus::List([1, 2, 4].into())),
        nice: Some(-5),
        scheduling: Some(Scheduling::Fifo(50)),
        environment: BTreeMap::from([("A".into(), "1".into()), ("B".into(), "2".into())]),
        inherit: Inherit::Named(vec!["CARGO_*".into(), "X".into()]),
        random_environment: true,
        aslr: Some(false),
        cold: true,
        cgroup: Cgroup::Always,
        huge_pages: None,
    };
    let limits = Limits {
        address_space: Some(1 << 30),
        cpu_time: Some(Duration::from_millis(1500)),
        memory: Some(512 << 20),
    };
    let found = benchmark(ALL, "");
    assert_eq!((&found.conditions, found.limits), (&conditions, limits));

    let own = "conditions = { cpus = [0], environment = { B = '3' }, inherit-environment = true, \
        cold = false }\nlimits = { memory = '1GiB' }";
    let found = benchmark(ALL, own);
    let expected = Conditions {
        cpus: Some(Cpus::List([0].into())),
        environment: BTreeMap::from([("A".into(), "1".into()), ("B".into(), "3".into())]),
        inherit: Inherit::All,
        cold: false,
        ..conditions
    };
    assert_eq!(
        (found.conditions, found.limits),
        (expected, Limits { memory: Some(1 << 30), ..limits })
    );
    let isolated =
        benchmark("", "conditions = { cpus = 'isolated', scheduling = 'idle' }").conditions;
    assert_eq!(
        (isolated.cpus, isolated.scheduling),
        (Some(Cpus::Isolated), Some(Scheduling::Idle))
    );
}

#[test]
fn conditions_that_make_no_sense() {
    assert_snapshot!(shown(
        "[measure.conditions]\ncpus = \"3-1\"\nnice = 20\nscheduling = \"fifo\"\nenvironment = { \
         \"A=B\" = \"\" }\ninherit-environment = [\"A*B\"]\ncolour = 1\n[measure.limits]\nmemory \
         = \"much\"\ncpu-time = \"0s\"\n[[benchmark]]\nname = \"a\"\ncommand = \"true\"\nlimits = \
         { memory = \"1MiB\" }\nconditions = { cgroup = \"never\" }\n"
    ), @r#"
    error: `3-1` is not a list of processors
     --> tacho.toml:2:8
      |
    2 | cpus = "3-1"
      |        ^^^^^
      |
    hint: processors are written like "1", "0-3,6" or [0, 1], or are "isolated"

    error: `nice` must be a whole number from -20 to 19
     --> tacho.toml:3:8
      |
    3 | nice = 20
      |        ^^

    error: `fifo` is not a way of scheduling
     --> tacho.toml:4:14
      |
    4 | scheduling = "fifo"
      |              ^^^^^^
      |
    hint: valid values: `other`, `batch`, `idle`; with a priority from 1 to 99 `fifo 50`, `rr 50`

    error: `A=B` cannot be the name of a variable
     --> tacho.toml:5:17
      |
    5 | environment = { "A=B" = "" }
      |                 ^^^^^
      |
    hint: a name has no `=`

    error: `A*B` cannot be the name of a variable
     --> tacho.toml:6:24
      |
    6 | inherit-environment = ["A*B"]
      |                        ^^^^^
      |
    hint: `*` is allowed only at the end

    error: unknown key `colour` in `conditions`
     --> tacho.toml:7:1
      |
    7 | colour = 1
      | ^^^^^^
      |
    hint: valid keys: `aslr`, `cgroup`, `cold`, `cpus`, `environment`, `inherit-environment`, `nice`, `random-environment`, `scheduling`

    error: `much` is not a size
     --> tacho.toml:9:10
      |
    9 | memory = "much"
      |          ^^^^^^
      |
    hint: sizes are written like "500MiB" or "2GiB"

    error: `0s` is not a duration: it is not above zero
      --> tacho.toml:10:12
       |
    10 | cpu-time = "0s"
       |            ^^^^
       |
    hint: durations are written like "500ms", "60s", "5m" or "2h"

    error: `limits.memory` contradicts `conditions.cgroup = "never"`
      --> tacho.toml:14:10
       |
    14 | limits = { memory = "1MiB" }
       |          ^^^^^^^^^^^^^^^^^^^
       |
    hint: this limit needs a control group: remove one of the two keys
    "#);
}

#[test]
fn conditions_of_a_wrong_type() {
    let wrong = |conditions: &str| {
        let text =
            format!("[[benchmark]]\nname = 'a'\ncommand = 'true'\nconditions = {conditions}\n");
        let errors = parse(&text, "tacho.toml").unwrap_err().errors;
        errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        wrong("{ cpus = true }"),
        "`conditions.cpus` must be a string or an array of whole numbers, not a boolean"
    );
    assert_eq!(
        wrong("{ cold = 1 }"),
        "`conditions.cold` must be `true` or `false`, not an integer"
    );
    assert_eq!(
        wrong("{ inherit-environment = 5 }"),
        "`conditions.inherit-environment` must be `true`, `false` or an array of strings, not an integer"
    );
    assert_eq!(
        wrong("{ cgroup = 'maybe' }"),
        "`conditions.cgroup` must be one of `always`, `auto`, `never`"
    );
    assert_eq!(
        wrong("{ environment = { A = 1 } }"),
        "`conditions.environment.A` must be a string, not an integer"
    );
    assert_eq!(wrong("5"), "`conditions` must be a table, not an integer");
}
