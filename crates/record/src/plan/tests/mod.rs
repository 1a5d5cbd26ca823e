//! Plans as people write them, well and badly: what is shown for mistakes is in `shape` and
//! `sense`.

use proptest::prelude::*;

use super::*;
use crate::{Counter, Direction, Unit, Warmup};

mod beside;
mod conditions;
mod metrics;
mod quirks;
mod sense;
mod shape;

/// A plan in which every key is given.
const FULL: &str = r#"
[subject]
name = "zlib"
repository = "../zlib"
build = "make -j{jobs} REV={revision}"
build-timeout = "1h 30m"
artifacts = ["src/prog", "data"]
paths = ["src", "Make*"]
link = "https://example.org/c/{commit}"

[measure]
rounds = 20
warmup = false
cache-limit = "500MiB"

[[benchmark]]
name = "validate"
version = 2
command = "{build}/src/prog -b {batch} 'my data/' {{}}"
parameters = { batch = [1, 0.5, "all"], size = [64] }
setup = { command = "make-data {size} {revision}", timeout = "5m" }
prepare = "head -c {size} /dev/zero > in.txt"
conclude = "rm in.txt"
cleanup = "rm -r data"
timeout = "500ms"
directory = "work"
stdin = "in.txt"
output = "keep"
expect = { exit = 3, stdout = { contains = "ok" } }
metrics = ["wall", "user", "sys", "peak-memory"]

[[benchmark]]
name = "start"
command = ["{build}/src/prog", "--version"]
expect.stdout = { file = "expected.txt" }

[[benchmark]]
name = "requests"
command = "client localhost:{port} | tail -n {lines}"
shell = "bash -eu"
parameters = { lines = [1] }
output = { file = "out.txt" }
companion = { command = "{build}/server -p {port}", port = "free", ready = { line = "listening" }, timeout = "3s", per = "cell" }
"#;

/// What is shown for a plan with mistakes.
#[track_caller]
fn shown(text: &str) -> String {
    parse(text, "tacho.toml").expect_err("this plan has mistakes").render(false)
}

/// What is shown for the only benchmark of a plan, by its lines after the name.
#[track_caller]
fn shown_in_benchmark(lines: &str) -> String {
    shown(&format!("[[benchmark]]\nname = \"a\"\n{lines}\n"))
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn built_in(names: &[&str]) -> Vec<PlannedMetric> {
    let metric = |name: &&str| PlannedMetric::plain(crate::Metric::known(name).unwrap());
    names.iter().map(metric).collect()
}

#[expect(clippy::unnecessary_wraps, reason = "as the plan has it")]
fn hook(script: &str, milliseconds: u64) -> Option<Hook> {
    Some(Hook { script: script.to_owned(), timeout: Duration::from_millis(milliseconds) })
}

#[test]
fn what_goes_on_beside_a_benchmark_arrives_in_the_plan() {
    let plan = parse(FULL, "tacho.toml").unwrap();
    let benchmark = &plan.benchmarks[2];
    assert_eq!(benchmark.command, ["client localhost:{port} | tail -n {lines}"]);
    assert_eq!(benchmark.shell, Some(texts(&["bash", "-eu", "-c"])));
    assert_eq!(benchmark.output, Output::File("out.txt".into()));
    let companion = Companion {
        command: texts(&["{build}/server", "-p", "{port}"]),
        port: Some(Port::Free),
        ready: Ready::Line("listening".into()),
        timeout: Duration::from_secs(3),
        per: CompanionLifetime::Cell,
    };
    assert_eq!(benchmark.companion, Some(companion));
    assert_eq!(benchmark.metrics, built_in(&["net-wall", "wall", "cpu", "peak-memory", "shell"]));
}

#[test]
fn a_shell_is_a_name_or_its_words() {
    let shell = |value: &str| {
        let text = format!("[[benchmark]]\nname = 'a'\ncommand = 'a b'\nshell = {value}\n");
        parse(&text, "tacho.toml").unwrap().benchmarks.remove(0).shell.unwrap_or_default()
    };
    assert_eq!(shell("false"), texts(&[]));
    assert_eq!(shell("true"), texts(&["sh", "-c"]));
    assert_eq!(shell("'bash'"), texts(&["bash", "-c"]));
    assert_eq!(shell("'bash -eu -o pipefail -c'"), texts(&["bash", "-eu", "-o", "pipefail", "-c"]));
    assert_eq!(shell("'/bin/my\\ sh -lc'"), texts(&["/bin/my sh", "-lc"]));
    assert_eq!(shell("'bash --norc'"), texts(&["bash", "--norc", "-c"]));
}

#[test]
fn a_companion_is_ready_in_one_of_five_ways() {
    let ready = |lines: &str| {
        let text = format!(
            "[[benchmark]]\nname = 'a'\ncommand = 'a'\ncompanion = {{ command = 's', {lines} }}\n"
        );
        parse(&text, "tacho.toml").unwrap().benchmarks.remove(0).companion.unwrap().ready
    };
    assert_eq!(ready("port = 8080"), Ready::Port(None));
    assert_eq!(ready("ready = { port = 8080 }"), Ready::Port(Some(8080)));
    assert_eq!(ready("ready = { file = 'run/s.sock' }"), Ready::File("run/s.sock".into()));
    assert_eq!(ready("ready = { line = 'up' }"), Ready::Line("up".into()));
    assert_eq!(
        ready("ready = { command = 'curl -sf {{x}}' }"),
        Ready::Command("curl -sf {{x}}".into())
    );
    assert_eq!(ready("ready = 'started'"), Ready::Started);
}

/// `[measure]` with nothing in it.
fn measure() -> Measure {
    Measure {
        levels: None,
        request: RuleRequest::default(),
        rule: Rule::default(),
        link: 1,
        reference: PlannedReference::default(),
        cache_limit: 2 << 30,
        conditions: Conditions::default(),
        limits: Limits::default(),
    }
}

#[test]
fn every_key_arrives_in_the_plan() {
    let plan = parse(FULL, "tacho.toml").unwrap();
    assert_eq!(
        plan.subject,
        Subject {
            name: Some("zlib".into()),
            source: Source::Git("../zlib".into()),
            build: Some("make -j{jobs} REV={revision}".into()),
            build_timeout: Duration::from_secs(5400),
            artifacts: texts(&["src/prog", "data"]),
            paths: texts(&["src", "Make*"]),
            submodules: true,
            link: Some("https://example.org/c/{commit}".into()),
            quirks: vec![],
            layouts: None,
            order: None,
            onto: BTreeMap::new(),
        }
    );
    assert_eq!((plan.measure.rule.max_rounds, plan.measure.cache_limit), (20, 500 << 20));
    assert_eq!(plan.measure.rule.warmup, Warmup::Executions(0));
    assert_eq!(
        plan.benchmarks[0],
        Benchmark {
            name: "validate".into(),
            version: 2,
            raised: 2,
            same_as: None,
            inputs: BTreeMap::new(),
            command: texts(&["{build}/src/prog", "-b", "{batch}", "my data/", "{{}}"]),
            parameters: BTreeMap::from([
                (
                    "batch".into(),
                    vec![
                        Parameter::Integer(1),
                        Parameter::Number(0.5),
                        Parameter::Text("all".into())
                    ]
                ),
                ("size".into(), vec![Parameter::Integer(64)]),
            ]),
            shell: None,
            hooks: Hooks {
                setup: hook("make-data {size} {revision}", 300_000),
                prepare: hook("head -c {size} /dev/zero > in.txt", 500),
                conclude: hook("rm in.txt", 500),
                cleanup: hook("rm -r data", 500),
            },
            companion: None,
            output: Output::Keep,
            timeout: Duration::from_millis(500),
            directory: Some("work".into()),
            stdin: Some("in.txt".into()),
            conditions: Conditions::default(),
            limits: Limits::default(),
            expect: Expect { exit: 3, stdout: ExpectOutput::Contains("ok".into()) },
            metrics: built_in(&["wall", "user", "sys", "peak-memory"]),
        }
    );
    assert_eq!(plan.benchmarks[1].expect.stdout, ExpectOutput::File("expected.txt".into()));
}

#[test]
fn keys_that_are_not_given_have_their_defaults() {
    let plan = parse("[[benchmark]]\nname = \"a\"\ncommand = \"true\"\n", "tacho.toml").unwrap();
    assert_eq!(
        plan,
        Plan {
            subject: Subject {
                name: None,
                source: Source::Git(".".into()),
                build: None,
                build_timeout: Duration::from_secs(1800),
                artifacts: texts(&["."]),
                paths: vec![],
                submodules: true,
                link: None,
                quirks: vec![],
                layouts: None,
                order: None,
                onto: BTreeMap::new(),
            },
            measure: measure(),
            benchmarks: vec![Benchmark {
                name: "a".into(),
                version: 1,
                raised: 1,
                same_as: None,
                inputs: BTreeMap::new(),
                command: texts(&["true"]),
                parameters: BTreeMap::new(),
                shell: None,
                hooks: Hooks::default(),
                companion: None,
                timeout: Duration::from_secs(60),
                directory: None,
                stdin: None,
                output: Output::Needed,
                conditions: Conditions::default(),
                limits: Limits::default(),
                expect: Expect { exit: 0, stdout: ExpectOutput::Anything },
                metrics: built_in(&["wall", "cpu", "peak-memory"]),
            }],
        }
    );
}

#[test]
fn releases_are_a_history_too() {
    let releases = |subject: &str| {
        let benchmark = "[[benchmark]]\nname = \"a\"\ncommand = \"{build}/a {release}\"\n";
        parse(&format!("[subject]\n{subject}\n{benchmark}"), "tacho.toml").unwrap().subject.source
    };
    assert_eq!(
        releases(
            "releases = [\"1.0\", \"1.1\"]\nbuild = \"get {release}\"\nlink = \
             \"https://e.org/{release}\""
        ),
        Source::Releases(texts(&["1.0", "1.1"]))
    );
    assert_eq!(
        releases("releases-from = \"curl e.org | awk '{print $1}'\"\nbuild = \"get {release}\""),
        Source::ReleasesFrom("curl e.org | awk '{print $1}'".into())
    );
}

#[test]
fn a_module_of_cvs_is_a_history() {
    let subject = |keys: &str| {
        let benchmark = "[[benchmark]]\nname = \"a\"\ncommand = \"{build}/a\"\n";
        parse(&format!("[subject]\nvcs = \"cvs\"\n{keys}\n{benchmark}"), "tacho.toml")
            .unwrap()
            .subject
    };
    let least = subject("repository = \":ext:me@host:/cvs\"\nmodule = \"src/sys\"");
    let module = CvsModule {
        root: ":ext:me@host:/cvs".into(),
        module: "src/sys".into(),
        branch: None,
        keywords: "k".into(),
    };
    assert_eq!(least.source, Source::Cvs(module.clone()));
    let full =
        "repository = \"../cvs\"\nmodule = \"src/sys\"\nbranch = \"REL_1\"\nkeywords = \"kv\"";
    let root = "../cvs".to_owned();
    let module = CvsModule { root, branch: Some("REL_1".into()), keywords: "kv".into(), ..module };
    assert_eq!(subject(full).source, Source::Cvs(module));
    // What becomes of keywords is part of what is built.
    assert_ne!(subject(full).recipe(), least.recipe());
}

#[test]
fn braces_of_shell_code_are_the_shells() {
    let shell = "f() { echo ${HOME:-x} \"$@\"; }; f {a,b} {} \"{print}\" {{ @{commit} ${job}";
    let hooks = format!("prepare = '{shell} {{n}}'\nconclude = '{shell}'");
    let text = format!(
        "[subject]\nbuild = '{shell}'\n[[benchmark]]\nname = \"a\"\ncommand = \"b\"\n{hooks}\n\
         parameters = {{ n = [1] }}\n"
    );
    let plan = parse(&text, "tacho.toml").unwrap();
    assert_eq!(plan.subject.build.as_deref(), Some(shell));
    assert_eq!(plan.benchmarks[0].hooks.conclude, hook(shell, 60_000));
}

#[test]
fn only_the_benchmarks_that_are_named_by_name_or_key() {
    let plan = parse(FULL, "tacho.toml").unwrap();
    let keys = |names: &[&str]| -> Result<Vec<String>, String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let only = plan.only(&names).map_err(str::to_owned)?;
        Ok(only.keyed_benchmarks().iter().map(|(_, key)| key.to_string()).collect())
    };
    let all = ["0.5", "1", "all"].map(|batch| format!("validate v2 [batch={batch},size=64]"));
    let mut by_name = keys(&["validate"]).unwrap();
    by_name.sort();
    assert_eq!(by_name, all);
    assert_eq!(keys(&[&all[2], "start"]), Ok(vec![all[2].clone(), "start".to_owned()]));
    assert_eq!(keys(&[]).unwrap().len(), 5);
    assert_eq!(
        keys(&["start", "validate v1 [batch=1,size=64]"]),
        Err("validate v1 [batch=1,size=64]".into())
    );
}

#[test]
fn an_error_says_where_it_is() {
    let errors =
        parse("# ü\r\n[[benchmark]]\r\nname = \"ü\"\r\n'ü' = 1\r\ncommand = \"true\"", "p")
            .unwrap_err();
    let [error] = errors.errors.as_slice() else { panic!("{errors}") };
    assert_eq!((error.line, error.column, error.span.clone()), (4, 1, 34..38));
    assert_eq!(error.message, "unknown key `ü` in `[[benchmark]]`");
    assert!(error.hint.as_deref().unwrap().starts_with("valid keys: `cleanup`, `command`, "));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let errors = parse("[[benchmark]]\ncomand = 1\n", "tacho.toml").unwrap_err();
    let narrow = errors.render_within(false, 60);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&narrow), words(&errors.render(false)), "nothing is lost");
    let mut coloured = errors.render(true);
    assert!(coloured.contains("\u{1b}["));
    while let Some(start) = coloured.find("\u{1b}[") {
        let end = start + coloured[start..].find('m').unwrap();
        coloured.replace_range(start..=end, "");
    }
    assert_eq!(coloured, errors.to_string());
    assert!(errors.to_string().is_ascii());
}

#[test]
fn depth_is_refused_and_not_followed() {
    for text in ["a = ".to_owned() + &"[".repeat(100_000), "a.".repeat(100_000) + "a = 1"] {
        assert!(parse(&text, "tacho.toml").is_err());
    }
}

/// A plan of whatever is in the file: parsing must end, and what it reports must be showable.
fn read_whatever(text: &str) -> Result<(), TestCaseError> {
    if let Err(errors) = parse(text, "tacho.toml") {
        prop_assert!(!errors.errors.is_empty());
        prop_assert!(!errors.render(true).is_empty());
        for error in &errors.errors {
            prop_assert!(text.get(error.span.clone()).is_some(), "{error:?}");
            prop_assert_eq!(text[..error.span.start].split('\n').count(), error.line);
        }
    }
    Ok(())
}

/// A piece of TOML that may or may not belong where it is put.
fn piece() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(
        "name build command parameters expect metrics timeout releases repository artifacts \
         rounds link stdin prepare setup shell output companion companion.ready companion.port \
         version stdout benchmark subject.build expect.exit cache-limit nmae"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let values = prop::sample::select(vec![
        "1",
        "-1",
        "1.5",
        "nan",
        "true",
        "\"a\"",
        "\"\"",
        "[]",
        "{}",
        "[1, 2]",
        "[\"a\"]",
        "\"{build}/{n} {x\"",
        "{ n = [1, 'x'] }",
        "{ stdout = \"same\" }",
        "1979-05-27",
        "\"60s\"",
        "'''\nü'''",
        "99999999999999999999",
        "{ stdout = { file = 1 } }",
        "{ command = \"a {port}\", port = \"free\", ready = { line = \"x\" } }",
        "[[[{ a = 1 }]]]",
        "\"\\u0000\\n{build}\"",
    ]);
    let headers = prop::sample::select(vec![
        "[subject]",
        "[measure]",
        "[[benchmark]]",
        "[benchmark]",
        "[[subject]]",
        "[benchmark.expect]",
        "[x]",
    ]);
    prop_oneof![
        4 => (keys, values).prop_map(|(key, value)| format!("{key} = {value}\n")),
        2 => headers.prop_map(|header| format!("{header}\n")),
        1 => ".{0,12}\n",
    ]
}

proptest! {
    #[test]
    fn any_text_is_a_plan_or_is_refused(text in "(?s).{0,200}") {
        read_whatever(&text)?;
    }

    #[test]
    fn pieces_of_plans_are_a_plan_or_are_refused(pieces in prop::collection::vec(piece(), 0..16)) {
        read_whatever(&pieces.concat())?;
    }

    #[test]
    fn a_plan_with_a_mistake_in_it_is_a_plan_or_is_refused(
        at in 0..FULL.len(), length in 0..12_usize, with in "(?s).{0,6}",
    ) {
        let mut text = FULL.to_owned();
        text.replace_range(at..(at + length).min(FULL.len()), &with);
        read_whatever(&text)?;
    }
}

/// The metrics of a plan whose only benchmark has this one.
fn read(metric: &str) -> PlannedMetric {
    let text = format!(
        "[[benchmark]]\nname = \"a\"\ncommand = \"a\"\nmetrics = [{{ name = \"m\", {metric} }}]\n"
    );
    parse(&text, "tacho.toml")
        .unwrap_or_else(|errors| panic!("{errors}"))
        .benchmarks
        .remove(0)
        .metrics
        .remove(0)
}

#[test]
fn a_metric_of_the_output_arrives_with_its_unit_and_direction() {
    let metric = read(
        r#"from = 'regex:mean bucket ([0-9.]+)', unit = "ms", better = "higher", stream = "stderr""#,
    );
    let reading = Reading {
        place: OutputPlace::Stderr,
        pattern: Pattern::Regex("mean bucket ([0-9.]+)".into()),
        scale: 1e6,
    };
    let m = |unit, better| crate::Metric { name: "m".into(), unit, better };
    assert_eq!(metric.metric, m(Unit::Nanoseconds, Direction::Higher));
    assert_eq!(metric.reading, Some(reading));
    let plain = read("from = 'key:a: b', file = 'out.txt'");
    assert_eq!(plain.metric, m(Unit::Other(String::new()), Direction::Lower));
    let file = OutputPlace::File("out.txt".into());
    let reading = Reading { place: file, pattern: Pattern::Key("a: b".into()), scale: 1.0 };
    assert_eq!(plain.reading, Some(reading));
}

#[test]
fn a_counter_is_named_and_may_be_optional() {
    let metrics = |names: &str| {
        let text = format!("[[benchmark]]\nname = \"a\"\ncommand = \"a\"\nmetrics = [{names}]\n");
        parse(&text, "tacho.toml").map(|mut plan| plan.benchmarks.remove(0).metrics)
    };
    let expected = [
        PlannedMetric::plain(crate::Metric::built_in("wall").unwrap()),
        PlannedMetric::counted(Counter::Instructions, true),
        PlannedMetric::counted(Counter::CallgrindInstructions, false),
    ];
    assert_eq!(metrics("'wall', 'instructions?', 'callgrind-instructions'").unwrap(), expected);
    let said = |names: &str| metrics(names).unwrap_err().errors.remove(0);
    assert_eq!(said("'wall?'").hint.as_deref(), Some("did you mean `wall`?"));
    assert_eq!(said("'cycels'").hint.as_deref(), Some("did you mean `cycles`?"));
    assert_eq!(said("'cycles', 'cycles?'").message, "metric `cycles` is given twice");
    assert_eq!(
        said("{ name = 'energy', from = 'key:e' }").message,
        "`energy` is a built-in metric"
    );
}

#[test]
fn tools_know_where_they_print_and_what_they_count() {
    let of = |from: &str| {
        let PlannedMetric { metric, reading, .. } = read(&format!("from = \"{from}\""));
        let reading = reading.unwrap();
        let Pattern::Tool { name, quantity, .. } = reading.pattern else {
            panic!("{from} is a tool")
        };
        (name, quantity, metric.unit, metric.better, reading.place)
    };
    let text = str::to_owned;
    let other = |name: &str| Unit::Other(name.to_owned());
    let (lower, higher) = (Direction::Lower, Direction::Higher);
    let (stdout, stderr) = (OutputPlace::Stdout, OutputPlace::Stderr);
    let wanted = [
        ("time:user", "", "user", Unit::Nanoseconds, lower, &stderr),
        ("time", "", "real", Unit::Nanoseconds, lower, &stderr),
        ("iperf3:sent", "", "sent", other("Mbit/s"), higher, &stdout),
        ("go-bench:Sum/size=1:B/op", "Sum/size=1", "B/op", Unit::Bytes, lower, &stdout),
        ("go-bench:Sum:frames/s", "Sum", "frames/s", other("frames/s"), higher, &stdout),
        ("go-bench:A:b", "A:b", "ns/op", Unit::Nanoseconds, lower, &stdout),
        (
            "google-benchmark:BM/threads:2",
            "BM/threads:2",
            "real_time",
            Unit::Nanoseconds,
            lower,
            &stdout,
        ),
        (
            "google-benchmark:BM:bytes_per_second",
            "BM",
            "bytes_per_second",
            other("MB/s"),
            higher,
            &stdout,
        ),
        ("hyperfine", "", "", Unit::Nanoseconds, lower, &stdout),
        ("metrics", "m", "", other(""), lower, &stdout),
    ];
    for (from, name, quantity, unit, better, place) in wanted {
        assert_eq!(of(from), (text(name), text(quantity), unit, better, place.clone()), "{from}");
    }
}

#[test]
fn the_direction_of_a_rate_is_guessed_where_the_plan_gives_none() {
    use crate::{Direction, RateHint};
    let of = |metric: &str| {
        let PlannedMetric { metric, guessed, .. } = read(metric);
        (metric.better, guessed)
    };
    let from = r#"from = "key:x""#;
    assert_eq!(of(from), (Direction::Lower, None));
    let rate = format!(r#"{from}, unit = "requests/s""#);
    assert_eq!(of(&rate), (Direction::Higher, Some(RateHint::Certain)));
    assert_eq!(of(&format!(r#"{rate}, better = "lower""#)), (Direction::Lower, None));
    assert_eq!(of(r#"from = "iperf3:sent""#), (Direction::Higher, None), "the tool is known");
}
