//! The shape of `tacho.toml`: how the file spells what the plan means.
//!
//! Only types that serde reads; the keys that exist, those that must be given and the schema for
//! editors all come from here, and the documentation of a field is what editors show for its key.
//! Durations, sizes and commands are still text: `check` makes sense of them.

mod companion;
mod forms;
mod hook;
mod quirk;
mod words;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema};
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use crate::{Counter, Direction, Metric, Parameter, ReferenceMode};

pub(super) use companion::{
    CompanionTable, OutputEntry, PerName, PortEntry, ReadyEntry, ShellEntry,
};
use forms::Forms;
pub(super) use hook::HookEntry;
pub(super) use quirk::{QuirkTable, TakeEntry, TextsEntry};
pub(super) use words::Words;

/// The plan of Tachograph: what to measure, and how.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(dead_code, reason = "read table by table, so that one mistake does not hide the others")]
pub(super) struct PlanFile {
    /// The program under test: its history, and how it is built.
    subject: Option<SubjectTable>,
    /// How often to measure, and how much to keep.
    measure: Option<MeasureTable>,
    /// What is executed beside the subject, to see the machine's changes apart from the program's.
    reference: Option<ReferenceTable>,
    /// Quirks: what else to do so that old revisions build. More may be in `quirks/*.toml`.
    quirk: Option<Vec<QuirkTable>>,
    /// The benchmarks.
    #[schemars(length(min = 1))]
    benchmark: Vec<BenchmarkTable>,
}

/// `[subject]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SubjectTable {
    /// Its name on pages. Default: the name of the plan's folder.
    pub name: Option<String>,
    /// The git repository, a path from the plan's folder. Default: ".", unless releases are given.
    /// With `vcs = "cvs"` the CVS repository: a folder, or what `cvs -d` takes, such as
    /// ":ext:user@host:/cvs".
    pub repository: Option<String>,
    /// The kind of repository: "git" (default) or "cvs".
    pub vcs: Option<Vcs>,
    /// For CVS: the module, by its path in the repository or its name.
    pub module: Option<String>,
    /// For CVS: the branch. Default: the trunk.
    pub branch: Option<String>,
    /// For CVS: how keywords such as $Id$ are expanded, as for `cvs checkout -k`. Default: "k",
    /// without values, so that a new commit to a file alone does not change the program. "kv"
    /// expands them.
    pub keywords: Option<Keywords>,
    /// Published releases, oldest first, instead of a repository; `build` fetches them.
    #[schemars(length(min = 1))]
    pub releases: Option<Vec<String>>,
    /// A shell command that prints the releases, oldest first, separated by white space.
    pub releases_from: Option<String>,
    /// The shell command that builds a revision, in a clean checkout (for releases: in an empty
    /// folder). {jobs}, {revision} and, for releases, {release} are filled in, quoted where needed;
    /// all other braces are the shell's. Default: the checkout is used as it is.
    pub build: Option<String>,
    /// How long a build may take: "90s", "30m", "2h".
    #[serde(default = "build_timeout")]
    pub build_timeout: String,
    /// Files and folders that benchmarks use, from the root of the checkout; patterns like
    /// "lib/*.so" are allowed, and "." is all of it.
    #[serde(default = "artifacts")]
    #[schemars(length(min = 1))]
    pub artifacts: Vec<String>,
    /// Files and folders of which the program consists, from the root of the repository; patterns
    /// like "src/**/*.c" are allowed. A bisection leaves out commits that touch none of them.
    /// Default: all files.
    #[serde(default)]
    pub paths: Vec<String>,
    /// For git: whether to check out submodules. Default: true.
    pub submodules: Option<bool>,
    /// The web address of a commit, with {commit} for its hash (for releases: {release}). With CVS
    /// also of the diff of a file, with {file} for its path in the module, and {old} and {new} for
    /// its numbers before and after.
    pub link: Option<String>,
    /// A fixed link order, so that layouts differ less: functions "sorted" by name (needs GNU ld),
    /// or "aligned" to 64 bytes. Passed in CC, CXX and LDFLAGS, or RUSTFLAGS.
    pub order: Option<Order>,
}

/// `order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    /// Each function begins at a multiple of 64 bytes.
    Aligned,
    /// Functions are sorted by name.
    Sorted,
}

/// `vcs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Vcs {
    /// git.
    Git,
    /// CVS.
    Cvs,
}

/// `keywords`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Keywords {
    /// Binary: neither keywords nor ends of lines are touched.
    B,
    /// Only the names of keywords.
    K,
    /// Names and values, as in a checkout without options.
    Kv,
    /// As in the repository.
    O,
    /// Only the values.
    V,
}

/// `[measure]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct MeasureTable {
    /// The number of rounds. Default: 10, unless a precision or a budget is given.
    pub rounds: Option<NonZeroU32>,
    /// The precision of medians, instead of a number of rounds: "1%" measures each cell until the
    /// 95 % interval of its median is within ± 1 %.
    pub precision: Option<String>,
    /// The metric whose median must be precise. Default: the first one of each benchmark.
    pub precision_metric: Option<String>,
    /// The fewest rounds before a precision counts. Default: 10.
    pub min_rounds: Option<NonZeroU32>,
    /// The most rounds. Default: 200 with a precision, 10000 with a budget.
    pub max_rounds: Option<NonZeroU32>,
    /// The longest time to measure in one run, builds not counted: "10m". No round begins that
    /// would probably end too late.
    pub budget: Option<String>,
    /// The warmup, recorded and never summarised: true for one execution each, a number of
    /// executions, a time ("2s"), or false for none. "found" executes nothing in advance, and
    /// leaves out the first phase of the samples if it differs from the rest. `expect.stdout =
    /// "same"` needs a warmup.
    pub warmup: Option<WarmupEntry>,
    /// Wait before each round until the host is quiet, in one run for at most this time: "5m". A
    /// round that is disturbed anyway is repeated, at most twice.
    pub quiet_wait: Option<String>,
    /// Link programs in several orders in `tacho track`, `compare`, `try` and `layouts`, and how
    /// often to repeat at each level: { layouts = 5, processes = 10 }.
    pub levels: Option<LevelsTable>,
    /// How many of the newest revisions that have samples are measured again in a run with new
    /// revisions, so that the runs can be compared. 0: none.
    #[serde(default = "link")]
    pub link: u32,
    /// The largest size of the cache of built artifacts, compressed: "500MiB", "2GiB".
    #[serde(default = "cache_limit")]
    pub cache_limit: String,
    /// Conditions of all benchmarks without their own.
    pub conditions: Option<ConditionsTable>,
    /// Limits of all benchmarks without their own.
    pub limits: Option<LimitsTable>,
}

/// `[reference]`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ReferenceTable {
    /// How much of the time goes to fixed programs that are executed beside the subject: "off",
    /// "cheap" (at most 5 %) or "full" (all six in each round). Default: "cheap" in `tacho track`,
    /// "off" elsewhere.
    pub programs: Option<ReferenceMode>,
    /// A revision of the subject that each run with new revisions measures again: "v1.0".
    pub revision: Option<String>,
}

/// `levels`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct LevelsTable {
    /// The number of link orders of each program; 1 for the order of the build.
    pub layouts: NonZeroU32,
    /// Executions of each build.
    pub processes: NonZeroU32,
}

/// `warmup`.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(super) enum WarmupEntry {
    /// Whether to execute each cell once.
    Round(bool),
    /// The number of executions of each cell.
    Executions(u32),
    /// A time, or "found".
    Text(String),
}

/// What `warmup` may be.
pub(super) const WARMUPS: &str = "`true`, `false`, a whole number or a string";

impl<'de> Deserialize<'de> for WarmupEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms: Forms<Self> = Forms {
            flag: Some(Self::Round),
            number: Some(|number| u32::try_from(number).ok().map(Self::Executions)),
            text: Some(|text| Some(Self::Text(text.to_owned()))),
            ..Forms::expecting(WARMUPS)
        };
        forms.read(deserializer)
    }
}

/// `[[benchmark]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct BenchmarkTable {
    /// Its name, unique in the plan.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Raise it to measure everything again although nothing here was edited, as when the content
    /// of an input changed. An edit of what is executed makes a new version automatically.
    #[serde(default = "version")]
    pub version: NonZeroU32,
    /// The version whose values stay valid: the wording changed, and the meaning did not.
    pub same_as: Option<NonZeroU32>,
    /// The command: a string that is split into words as in a shell, or the words. No shell is
    /// started. {build}, {revision}, for releases {release}, and the parameters are filled in; {{
    /// and }} are braces. With `shell` it is one string of shell code.
    pub command: Words,
    /// The shell that executes `command`: true for `sh -c`, or another one, as "bash" or "bash -eu
    /// -o pipefail -c". An empty shell is then executed beside each execution, and the metric
    /// `net-wall` excludes its time.
    pub shell: Option<ShellEntry>,
    /// Values for each parameter; all combinations are measured.
    #[serde(default)]
    pub parameters: BTreeMap<String, Vec<ParameterValue>>,
    /// A shell command executed once per session, for the benchmark at each build, before all
    /// executions. The same names as in `command` are filled in, quoted where needed; all other
    /// braces are the shell's. A hook with its own time limit is `{ command = "…", timeout = "5m"
    /// }`.
    pub setup: Option<HookEntry>,
    /// A shell command executed before each execution, not timed; filled in like `setup`.
    pub prepare: Option<HookEntry>,
    /// A shell command executed after each execution, not timed; filled in like `setup`.
    pub conclude: Option<HookEntry>,
    /// A shell command executed once per session, for the benchmark at each build, after all
    /// executions; filled in like `setup`.
    pub cleanup: Option<HookEntry>,
    /// A program that is up during each execution, such as a server.
    pub companion: Option<CompanionTable>,
    /// The longest time of an execution: "500ms", "60s", "5m", "2h".
    #[serde(default = "timeout")]
    pub timeout: String,
    /// The working folder, a path from the plan's folder; `{build}` at its start is the folder with
    /// the artifacts.
    pub directory: Option<String>,
    /// A file for standard input, a path from the plan's folder. Default: none.
    pub stdin: Option<String>,
    /// Where standard output goes: "null" (nowhere), "pipe" (read and counted), "keep" (its
    /// beginning is kept), or a file. Default: nowhere, unless `expect` or `metrics` read it.
    pub output: Option<OutputEntry>,
    /// Its conditions. Default for each key: as in `[measure]`.
    pub conditions: Option<ConditionsTable>,
    /// Its limits. Default for each key: as in `[measure]`. Reaching a limit is a result, not an
    /// error.
    pub limits: Option<LimitsTable>,
    /// The right answer.
    #[serde(default)]
    pub expect: ExpectTable,
    /// The metrics to show, the main one first. Built-in ones by name (all are recorded anyway),
    /// counters by name ("instructions?" only where the host has them), and tables for those read
    /// from output.
    #[serde(default = "metrics")]
    #[schemars(length(min = 1), transform = only_metrics)]
    pub metrics: Vec<MetricEntry>,
}

/// `conditions` of `[measure]` or of a benchmark.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ConditionsTable {
    /// The processors to use, counted from 0: "1", "0-3,6", [0, 1]; or "isolated", those reserved
    /// at boot. Default: those of tacho.
    pub cpus: Option<CpusValue>,
    /// Niceness, from -20 (highest priority, needs rights) to 19. Default: that of tacho.
    #[schemars(range(min = -20, max = 19))]
    pub nice: Option<i64>,
    /// The scheduling class: "other", "batch", "idle", or with rights "fifo 50", "rr 50" (real
    /// time, with a priority from 1 to 99). Default: that of tacho.
    pub scheduling: Option<String>,
    /// Variables for the environment of the benchmark and its hooks, with what `command` can have
    /// filled in.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Variables to pass on besides HOME, LANG, LANGUAGE, LC_*, LOGNAME, PATH, SHELL, TERM, TMPDIR,
    /// TZ and USER: a list of names like `JAVA_HOME` and `CARGO_*`, or true for all.
    pub inherit_environment: Option<InheritValue>,
    /// Whether to lengthen the environment by a random number of bytes, up to 4095, new for each
    /// execution.
    pub random_environment: Option<bool>,
    /// Whether the kernel uses random memory addresses. Default: as the system does.
    pub aslr: Option<bool>,
    /// Whether to drop the system's file cache before each execution. Needs root.
    pub cold: Option<bool>,
    /// Whether each execution has a control group, which accounts for all its processes together:
    /// "auto" (if a metric or a limit needs it), "always", "never".
    pub cgroup: Option<CgroupName>,
}

/// `cpus` of `conditions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum CpusValue {
    /// A list like "0-3,6", or "isolated".
    Text(String),
    /// The numbers.
    Numbers(Vec<u32>),
}

/// `inherit-environment` of `conditions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum InheritValue {
    /// All variables, or only those always inherited.
    All(bool),
    /// Names; a `*` at the end means any letters.
    Named(Vec<String>),
}

/// `cgroup` of `conditions`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CgroupName {
    /// For each execution.
    Always,
    /// If a metric or a limit needs it.
    Auto,
    /// Never.
    Never,
}

/// `limits` of `[measure]` or of a benchmark.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct LimitsTable {
    /// Address space of each of its processes: "1GiB".
    pub address_space: Option<String>,
    /// Processor time of all its processes together: "10s", "500ms". Without control groups: of
    /// each process, in whole seconds.
    pub cpu_time: Option<String>,
    /// Memory of all its processes together: "512MiB". Needs control groups.
    pub memory: Option<String>,
}

/// An element of `metrics`.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(super) enum MetricEntry {
    /// The name of a built-in metric or a counter; a counter with "?" at the end may be absent.
    Named(String),
    /// A metric read from output.
    Read(MetricTable),
}

/// A table in `metrics`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct MetricTable {
    /// Its name in tables and pages.
    // That it is missing is found, as everywhere, by `keys`; here it must not hide what else is
    // wrong.
    #[schemars(required, length(min = 1))]
    pub name: Option<String>,
    /// Where its values are: `regex:mean bucket ([0-9.]+)`, `json:/results/*/mean`, `csv:COLUMN`,
    /// `key:NAME`, or a tool and its number: `time:real`, `iperf3:received`, `tcpbench:mbps`,
    /// `google-benchmark:NAME`, `criterion:NAME`, `go-bench:NAME:B/op`, `pytest-benchmark:NAME`,
    /// `hyperfine:COMMAND`, `jmh:NAME`, `pyperf:NAME`, `metrics`.
    #[schemars(required)]
    pub from: Option<String>,
    /// The unit of its numbers. ns, us, ms, s, B, kB, KiB, MiB … are converted, others are shown as
    /// they are. Not needed for tools that print their unit.
    pub unit: Option<String>,
    /// The better direction. Default: "lower", or "higher" for rates, by name or unit.
    pub better: Option<Direction>,
    /// The output to read. Default: "stdout", or that of the tool.
    pub stream: Option<StreamName>,
    /// The file to read instead, a path from the plan's folder. It is removed before each
    /// execution.
    pub file: Option<String>,
}

/// `stream` of a metric.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StreamName {
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
}

impl<'de> Deserialize<'de> for MetricEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms = Forms {
            text: Some(|name| Some(Self::Named(name.to_owned()))),
            table: Some(Self::Read),
            ..Forms::expecting("a string or a table")
        };
        forms.read(deserializer)
    }
}

/// `expect` of a benchmark.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ExpectTable {
    /// The exit status.
    #[serde(default)]
    pub exit: u8,
    /// The standard output.
    #[serde(default)]
    pub stdout: ExpectStdout,
}

/// `stdout` of `expect`.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExpectStdout {
    /// Any output; it is not read.
    #[default]
    Anything,
    /// Output that contains this text.
    Contains(String),
    /// Exactly the content of this file, a path from the plan's folder.
    File(String),
    /// The same as in all other executions of the benchmark with these parameters. The warmup
    /// gives the reference answer.
    Same,
}

/// One value of a parameter.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ParameterValue {
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// Any text.
    Text(String),
}

impl From<ParameterValue> for Parameter {
    fn from(value: ParameterValue) -> Self {
        match value {
            ParameterValue::Integer(value) => Self::Integer(value),
            ParameterValue::Number(value) => Self::Number(value),
            ParameterValue::Text(value) => Self::Text(value),
        }
    }
}

/// Lets editors offer the names of the metrics.
fn only_metrics(schema: &mut Schema) {
    if let Some(named) = schema.pointer_mut("/items/anyOf/0") {
        let optional = Counter::ALL.map(|counter| format!("{}?", counter.name()));
        let names = Metric::names().chain(Metric::HOST).map(str::to_owned);
        named["enum"] = names.chain(optional).collect::<Vec<_>>().into();
    }
}

fn artifacts() -> Vec<String> {
    vec![".".to_owned()]
}

fn build_timeout() -> String {
    "30m".to_owned()
}

fn link() -> u32 {
    1
}

fn cache_limit() -> String {
    "2GiB".to_owned()
}

fn metrics() -> Vec<MetricEntry> {
    ["wall", "cpu", "peak-memory"].map(|name| MetricEntry::Named(name.to_owned())).into()
}

fn timeout() -> String {
    "60s".to_owned()
}

const fn version() -> NonZeroU32 {
    NonZeroU32::MIN
}
