//! Benchmarks that a project has of its own: what they are executed by, and how a plan reads what
//! they print.

use std::path::Path;

use super::files::{Folder, calls, is_plain};
use super::recipe::command_within;

/// A benchmark of the project's own.
#[derive(Debug)]
pub(super) struct OwnBenchmark {
    /// Its file, as `benches/sort.rs`.
    pub what: String,
    /// The addition to the build command.
    pub build: Option<String>,
    /// The file that it needs of the checkout.
    pub artifact: String,
    pub command: String,
    /// How its values are read; `None`: its time is measured.
    pub metrics: Option<&'static str>,
}

impl OwnBenchmark {
    /// The benchmark of a project in this folder of its repository; the build command is there
    /// already where the addition follows it.
    pub(super) fn within(self, folder: &str) -> Self {
        let artifact = format!("{folder}/{}", self.artifact);
        let artifact = artifact.trim_end_matches("/.").to_owned();
        Self { artifact, command: command_within(folder, &self.command), ..self }
    }
}

/// Looks for one, the most exact way of measuring first.
pub(super) fn find(folder: &Folder) -> Option<OwnBenchmark> {
    [criterion, google_benchmark, go_bench, pytest_benchmark, make_target]
        .iter()
        .find_map(|find| find(folder))
}

fn criterion(folder: &Folder) -> Option<OwnBenchmark> {
    let manifests = folder.all("Cargo.toml");
    let uses = |name: &str| manifests.iter().any(|(_, text)| text.contains(name));
    let benches = folder.entries("benches/").into_iter();
    let name = benches
        .filter_map(|file| file.strip_suffix(".rs").map(str::to_owned))
        .find(|name| is_plain(name))?;
    let metrics = uses("criterion").then_some("[{ name = \"time\", from = \"criterion\" }]");
    Some(OwnBenchmark {
        what: format!("benches/{name}.rs"),
        // The name of what is built has a digest in it.
        build: Some(format!(
            "cargo bench --no-run --bench {name} --target-dir target && cp \"$(ls -t \
             target/release/deps/{name}-* | grep -v '\\.d$' | head -n 1)\" bench-{name}"
        )),
        artifact: format!("bench-{name}"),
        command: format!("{{build}}/bench-{name} --bench"),
        metrics,
    })
}

fn google_benchmark(folder: &Folder) -> Option<OwnBenchmark> {
    let lists = folder.all("CMakeLists.txt");
    let linked = lists.iter().flat_map(|(path, text)| {
        calls(text, "target_link_libraries").into_iter().map(move |call| (path.clone(), call))
    });
    let (path, call) =
        linked.into_iter().find(|(_, call)| call.contains("benchmark::benchmark"))?;
    let name = call.split_whitespace().next().filter(|name| is_plain(name))?.to_owned();
    let program = format!("build/{path}{name}");
    Some(OwnBenchmark {
        what: format!("`{name}`, which uses Google Benchmark"),
        build: Some(format!("cmake --build build --parallel {{jobs}} --target {name}")),
        command: format!("{{build}}/{program} --benchmark_format=json"),
        artifact: program,
        metrics: Some("[{ name = \"time\", from = \"google-benchmark\" }]"),
    })
}

fn go_bench(folder: &Folder) -> Option<OwnBenchmark> {
    folder.read("go.mod")?;
    let tests = folder.entries("").into_iter().filter(|file| file.ends_with("_test.go"));
    let file = tests
        .into_iter()
        .find(|file| folder.read(file).is_some_and(|text| text.contains("func Benchmark")))?;
    Some(OwnBenchmark {
        what: format!("the benchmarks of {file}"),
        build: Some("go test -c -o bench.test .".to_owned()),
        artifact: "bench.test".to_owned(),
        command: "{build}/bench.test -test.run xxx -test.bench .".to_owned(),
        metrics: Some("[{ name = \"time\", from = \"go-bench\" }]"),
    })
}

fn pytest_benchmark(folder: &Folder) -> Option<OwnBenchmark> {
    const PLACES: [&str; 5] = ["benchmarks/", "bench/", "tests/benchmarks/", "tests/", "test/"];
    let uses =
        ["pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "requirements.txt"];
    let is_required =
        |file: &&&str| folder.read(file).is_some_and(|text| text.contains("pytest-benchmark"));
    let by_fixture = PLACES.into_iter().find(|place| takes_benchmark(folder, place));
    let required = || {
        uses.iter().find(is_required)?;
        PLACES.into_iter().find(|place| !folder.entries(place).is_empty())
    };
    let place = by_fixture.or_else(required)?;
    Some(OwnBenchmark {
        what: format!("those of pytest-benchmark in {place}"),
        build: None,
        artifact: ".".to_owned(),
        // `python3 -m pytest` would import the modules of the work tree, an editable install too.
        command: format!(
            "env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={{build}}/src:{{build}} pytest -p \
             no:cacheprovider --benchmark-only --benchmark-json out.json --rootdir {{build}} \
             {{build}}/{place}"
        ),
        metrics: Some("[{ name = \"time\", from = \"pytest-benchmark\", file = \"out.json\" }]"),
    })
}

/// Whether a test in this folder has the parameter `benchmark`, which pytest-benchmark fills in.
fn takes_benchmark(folder: &Folder, place: &str) -> bool {
    let is_test = |line: &str| {
        let parameters = line.strip_prefix("def test_").and_then(|rest| rest.split_once('('));
        parameters
            .is_some_and(|(_, rest)| rest.split([',', ')']).any(|it| it.trim() == "benchmark"))
    };
    let is_python = |file: &String| Path::new(file).extension().is_some_and(|it| it == "py");
    let files = folder.entries(place).into_iter().filter(is_python);
    let texts = files.filter_map(|file| folder.read(&format!("{place}{file}")));
    texts.into_iter().any(|text| text.lines().any(|line| is_test(line.trim_start())))
}

fn make_target(folder: &Folder) -> Option<OwnBenchmark> {
    let makefile =
        ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| folder.read(name))?;
    let is_target =
        |name: &&&str| makefile.lines().any(|line| line.starts_with(&format!("{name}:")));
    let target = ["bench", "benchmark", "benchmarks"].iter().find(is_target)?;
    Some(OwnBenchmark {
        what: format!("`make {target}`"),
        build: None,
        artifact: ".".to_owned(),
        command: format!("make --silent -C {{build}} {target}"),
        metrics: None,
    })
}
