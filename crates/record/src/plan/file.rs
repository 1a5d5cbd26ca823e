//! The shape of `tacho.toml`: how the file spells what the plan means.
//!
//! Only types that serde reads; the keys that exist, those that must be given and the schema for editors all
//! come from here, and the documentation of a field is what editors show for its key. Durations, sizes and
//! commands are still text: `check` makes sense of them.

mod companion;
mod hook;
mod quirk;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use schemars::{JsonSchema, Schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::{Counter, Direction, Metric, Parameter};

pub(super) use companion::{CompanionTable, OutputEntry, PerName, PortEntry, ReadyEntry, ShellEntry};
pub(super) use hook::HookEntry;
pub(super) use quirk::{QuirkTable, TakeEntry, TextsEntry};

/// What to measure, and how: the plan of Tachograph.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[expect(dead_code, reason = "read table by table, so that one mistake does not hide the others")]
pub(super) struct PlanFile {
    /// The program under test: its history, and how it is built.
    subject: Option<SubjectTable>,
    /// How often is measured, and how much is kept.
    measure: Option<MeasureTable>,
    /// What else must be done so that old revisions build; one table each. There can be more in `quirks/*.toml`.
    quirk: Option<Vec<QuirkTable>>,
    /// What is measured; one table each.
    #[schemars(length(min = 1))]
    benchmark: Vec<BenchmarkTable>,
}

/// `[subject]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SubjectTable {
    /// Its name on pages; the name of the plan's folder when not given.
    pub name: Option<String>,
    /// The git repository, by path from the plan's folder; "." when no releases are given either. With
    /// `vcs = "cvs"` the CVS repository: a folder, or what `cvs -d` takes, such as ":ext:user@host:/cvs".
    pub repository: Option<String>,
    /// What keeps the repository: "git" when not given, or "cvs".
    pub vcs: Option<Vcs>,
    /// For CVS: the module, by its path in the repository or its name.
    pub module: Option<String>,
    /// For CVS: the branch; the trunk when not given.
    pub branch: Option<String>,
    /// For CVS: what becomes of keywords such as $Id$, as `cvs checkout -k` takes it: "k" when not given, which leaves
    /// their values out, so that a program is not another one because its file was committed again; "kv" expands them.
    pub keywords: Option<Keywords>,
    /// Published releases, oldest first, instead of a repository; `build` fetches them.
    #[schemars(length(min = 1))]
    pub releases: Option<Vec<String>>,
    /// A shell command that prints the releases, oldest first, separated by white space.
    pub releases_from: Option<String>,
    /// The shell command that builds it, in a clean checkout (for releases: in an empty folder).
    /// {jobs}, {revision} and, for releases, {release} are filled in, quoted where needed; all other braces are
    /// the shell's. Not given: the checkout is used as it is.
    pub build: Option<String>,
    /// How long a build may take: "90s", "30m", "2h".
    #[serde(default = "build_timeout")]
    pub build_timeout: String,
    /// Files and folders that benchmarks use, from the root of the checkout; patterns like "lib/*.so" are allowed,
    /// and "." is all of it.
    #[serde(default = "artifacts")]
    #[schemars(length(min = 1))]
    pub artifacts: Vec<String>,
    /// Files and folders that decide what the program is, from the root of the repository; patterns like "src/**/*.c" are
    /// allowed. Commits that touch none of them are left out when it is bisected. Not given: any file may.
    #[serde(default)]
    pub paths: Vec<String>,
    /// For git: whether submodules are checked out, which a build may not need: true when not given.
    pub submodules: Option<bool>,
    /// Where a commit can be seen, with {commit} for its hash (for releases: {release}). With CVS also where what a commit did
    /// to a file can be seen, with {file} for its path in the module, and {old} and {new} for its numbers before and after.
    pub link: Option<String>,
    /// The order in which it is linked, the same each time, so that layouts differ less: functions "sorted" by name, which needs
    /// GNU ld, or "aligned" to 64 bytes. Told by CC, CXX and LDFLAGS, or RUSTFLAGS.
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
    /// As they stand in the repository.
    O,
    /// Only the values.
    V,
}

/// `[measure]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct MeasureTable {
    /// Rounds in which everything is executed once: 10 when neither a precision nor a budget is given.
    pub rounds: Option<NonZeroU32>,
    /// How precisely medians are to be known, instead of a number of rounds: "1%" measures each cell until the 95 %
    /// interval of its median lies within ± 1 %.
    pub precision: Option<String>,
    /// The median of which metric: the first one of each benchmark when not given.
    pub precision_metric: Option<String>,
    /// Fewest rounds before a precision counts: 10 when not given.
    pub min_rounds: Option<NonZeroU32>,
    /// Most rounds: 200 with a precision and 10000 with a budget when not given.
    pub max_rounds: Option<NonZeroU32>,
    /// How long measuring may take in one run, builds not counted: "10m". No round begins that would probably
    /// not end in time.
    pub budget: Option<String>,
    /// What is executed before measuring, recorded and never summarised: true for once each, a number of
    /// executions, a time that they fill ("2s"), false for nothing; or "found": nothing, but the first phase of what is
    /// measured is left out where it differs from the rest. `expect.stdout = "same"` needs one of them.
    pub warmup: Option<WarmupEntry>,
    /// Before each round, wait until nothing else disturbs this host, in one run together at the most so long: "5m".
    /// A round that is disturbed all the same is repeated, twice at the most.
    pub quiet_wait: Option<String>,
    /// How often to repeat at each level, where `tacho track`, `compare`, `try` and `layouts` link programs in several
    /// orders: { layouts = 5, processes = 10 }.
    pub levels: Option<LevelsTable>,
    /// How large the cache of built artifacts may become, compressed: "500MiB", "2GiB".
    #[serde(default = "cache_limit")]
    pub cache_limit: String,
    /// Under which conditions benchmarks are executed that say nothing else.
    pub conditions: Option<ConditionsTable>,
    /// What they may use at most, likewise.
    pub limits: Option<LimitsTable>,
}

/// `levels`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct LevelsTable {
    /// Builds of each program, linked in another order each; 1 for the one that the build makes.
    pub layouts: NonZeroU32,
    /// Executions of each build.
    pub processes: NonZeroU32,
}

/// `warmup`.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(super) enum WarmupEntry {
    /// Whether each cell is executed once.
    Round(bool),
    /// How often each cell is executed.
    Executions(u32),
    /// How long, or "found".
    Text(String),
}

/// What `warmup` may be.
pub(super) const WARMUPS: &str = "`true`, `false`, a whole number or a string";

impl<'de> Deserialize<'de> for WarmupEntry {
    /// Not derived: an untagged enum would forget where in the file a mistake stands, and what it is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WarmupVisitor)
    }
}

struct WarmupVisitor;

impl Visitor<'_> for WarmupVisitor {
    type Value = WarmupEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(WARMUPS)
    }

    fn visit_bool<E: serde::de::Error>(self, any: bool) -> Result<WarmupEntry, E> {
        Ok(WarmupEntry::Round(any))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<WarmupEntry, E> {
        let wrong = |_| E::invalid_value(serde::de::Unexpected::Signed(number), &self);
        u32::try_from(number).map(WarmupEntry::Executions).map_err(wrong)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<WarmupEntry, E> {
        Ok(WarmupEntry::Text(text.to_owned()))
    }
}

/// `[[benchmark]]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct BenchmarkTable {
    /// Its name, unique in the plan.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Raised to measure all again though nothing here was edited, as when the content of an input changed. An edit of
    /// what is executed makes another version by itself.
    #[serde(default = "version")]
    pub version: NonZeroU32,
    /// The version whose values stay valid: what is executed reads otherwise than before, and measures the same.
    pub same_as: Option<NonZeroU32>,
    /// The command: a string that is split into words as a shell would, or the words. No shell is started.
    /// {build}, {revision}, for releases {release}, and the parameters are filled in; {{ and }} are braces.
    /// With `shell` it is one string, which is left to that shell.
    pub command: Words,
    /// Whether `command` is for a shell: true for `sh -c`, or another one, as "bash" or "bash -eu -o pipefail -c". An
    /// empty shell is then executed beside each execution, and the metric `net-wall` is without its time.
    pub shell: Option<ShellEntry>,
    /// Values for each parameter; all combinations are measured.
    #[serde(default)]
    pub parameters: BTreeMap<String, Vec<ParameterValue>>,
    /// A shell command executed once in a session for the benchmark at each build, before everything is executed. The
    /// same names as in `command` are filled in, quoted where needed; all other braces are the shell's. With a time
    /// limit of its own it is `{ command = "…", timeout = "5m" }`, as are the other hooks.
    pub setup: Option<HookEntry>,
    /// A shell command executed before each execution, not timed; filled in like `setup`.
    pub prepare: Option<HookEntry>,
    /// A shell command executed after each execution, not timed; filled in like `setup`.
    pub conclude: Option<HookEntry>,
    /// A shell command executed once in a session for the benchmark at each build, after everything was executed;
    /// filled in like `setup`.
    pub cleanup: Option<HookEntry>,
    /// A program that is under way while it is executed, such as a server.
    pub companion: Option<CompanionTable>,
    /// How long one execution may take: "500ms", "60s", "5m", "2h".
    #[serde(default = "timeout")]
    pub timeout: String,
    /// The folder that it is executed in, by path from the plan's folder.
    pub directory: Option<String>,
    /// A file for its standard input, by path from the plan's folder; not given: nothing.
    pub stdin: Option<String>,
    /// What becomes of its standard output: "null" (nothing), "pipe" (read and counted), "keep" (its beginning is kept),
    /// or a file. Not given: nothing, unless `expect` or `metrics` look at it.
    pub output: Option<OutputEntry>,
    /// Under which conditions it is executed; what is not given is as in `[measure]`.
    pub conditions: Option<ConditionsTable>,
    /// What it may use at most; what is not given is as in `[measure]`. To reach a limit is a result, not an error.
    pub limits: Option<LimitsTable>,
    /// What a right answer is.
    #[serde(default)]
    pub expect: ExpectTable,
    /// The metrics that are shown, the most telling first: built-in ones by name, which are all recorded anyway,
    /// counters by name, which are counted where they stand here ("instructions?" where the host has them), and tables
    /// for those that are read from the output.
    #[serde(default = "metrics")]
    #[schemars(length(min = 1), transform = only_metrics)]
    pub metrics: Vec<MetricEntry>,
}

/// `conditions` of `[measure]` or of a benchmark.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct ConditionsTable {
    /// The processors that it may use, counted from 0: "1", "0-3,6", [0, 1]; or "isolated", those that the system
    /// was booted to leave alone. Not given: those that tacho may use.
    pub cpus: Option<CpusValue>,
    /// Its niceness, from -20 (goes first, needs rights) to 19. Not given: that of tacho.
    #[schemars(range(min = -20, max = 19))]
    pub nice: Option<i64>,
    /// How the kernel shares processors out to it: "other", "batch", "idle", or with rights "fifo 50", "rr 50"
    /// (real time, with its priority from 1 to 99). Not given: as to tacho.
    pub scheduling: Option<String>,
    /// Variables of its environment, and of that of its hooks.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Which variables it has of tacho's environment beside HOME, LANG, LANGUAGE, LC_*, LOGNAME, PATH, SHELL, TERM,
    /// TMPDIR, TZ and USER: a list of names like `JAVA_HOME` and `CARGO_*`, or true for all.
    pub inherit_environment: Option<InheritValue>,
    /// Whether its environment is made longer by a random number of bytes, up to 4095, another one each time.
    pub random_environment: Option<bool>,
    /// Whether the kernel puts its memory at random addresses. Not given: as the system does.
    pub aslr: Option<bool>,
    /// Whether the system forgets all files that it has in memory before each execution. Needs root.
    pub cold: Option<bool>,
    /// Whether it is executed in a control group of its own, which accounts for all its processes together: "auto"
    /// where a metric or a limit needs it, "always", "never".
    pub cgroup: Option<CgroupName>,
}

/// `cpus` of `conditions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum CpusValue {
    /// A list as the kernel writes it, or "isolated".
    Text(String),
    /// The numbers.
    Numbers(Vec<u32>),
}

/// `inherit-environment` of `conditions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum InheritValue {
    /// All of it, or nothing beyond what is always inherited.
    All(bool),
    /// Names; a `*` at the end stands for any letters.
    Named(Vec<String>),
}

/// `cgroup` of `conditions`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CgroupName {
    /// Each execution.
    Always,
    /// Where a metric or a limit needs it.
    Auto,
    /// None.
    Never,
}

/// `limits` of `[measure]` or of a benchmark.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct LimitsTable {
    /// Address space of each of its processes: "1GiB".
    pub address_space: Option<String>,
    /// Processor time of all its processes together: "10s", "500ms".
    pub cpu_time: Option<String>,
    /// Memory of all its processes together: "512MiB". Needs control groups.
    pub memory: Option<String>,
}

/// An element of `metrics`.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(super) enum MetricEntry {
    /// The name of a built-in metric, or of a counter; with a "?" behind it a counter may be absent.
    Named(String),
    /// A metric that is read from what an execution prints.
    Read(MetricTable),
}

/// A table in `metrics`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct MetricTable {
    /// Its name in tables and pages.
    // That it is missing is found, as everywhere, by `keys`; here it must not hide what else is wrong.
    #[schemars(required, length(min = 1))]
    pub name: Option<String>,
    /// Where its values stand: `regex:mean bucket ([0-9.]+)`, `json:/results/*/mean`, `csv:COLUMN`, `key:NAME`, or a
    /// tool and which of its numbers: `time:real`, `iperf3:received`, `tcpbench:mbps`, `google-benchmark:NAME`,
    /// `criterion:NAME`, `go-bench:NAME:B/op`, `pytest-benchmark:NAME`, `hyperfine:COMMAND`, `jmh:NAME`,
    /// `pyperf:NAME`, `metrics`.
    #[schemars(required)]
    pub from: Option<String>,
    /// The unit of its numbers: ns, us, ms, s, B, kB, KiB, MiB … are converted, any other is shown as it is. Not
    /// needed for tools that say theirs.
    pub unit: Option<String>,
    /// Which way is better: "lower" unless the tool says otherwise.
    pub better: Option<Direction>,
    /// Which output it stands in: "stdout" unless the tool says otherwise.
    pub stream: Option<StreamName>,
    /// The file it stands in instead, by path from the plan's folder; it is removed before each execution.
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
    /// Not derived: an untagged enum would forget where in the file a mistake stands, and what it is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = MetricEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a table")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<MetricEntry, E> {
        Ok(MetricEntry::Named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MetricEntry, A::Error> {
        MetricTable::deserialize(MapAccessDeserializer::new(map)).map(MetricEntry::Read)
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
    /// Anything; it is not even read.
    #[default]
    Anything,
    /// That it contains this text.
    Contains(String),
    /// Exactly the content of this file, by path from the plan's folder.
    File(String),
    /// The same as in all other executions of the benchmark with these parameters, the first of which is in the
    /// warm-up.
    Same,
}

/// A command: one string, or its words.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Words {
    /// To be split as a shell would.
    Line(String),
    /// As they are.
    Split(Vec<String>),
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
