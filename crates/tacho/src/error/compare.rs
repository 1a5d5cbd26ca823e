//! The mistakes in the options of `tacho compare`.

use tacho_record::in_backticks;

/// The mistakes.
#[derive(Debug, thiserror::Error)]
pub enum CompareMistake {
    #[error("`{name}` is ambiguous: {}", candidates.join(" or "))]
    Ambiguous { name: String, candidates: Vec<String> },
    #[error("there is a baseline `{name}` already")]
    BaselineExists { name: String },
    #[error("`--better` is for two files of other tools")]
    DirectionOfFiles,
    #[error("`--duet` must execute both sides, and one side has only saved samples")]
    DuetOfOne,
    #[error(
        "a duet uses the same two processors for all benchmarks, but the plan gives them \
        different `cpus`"
    )]
    DuetOfMany,
    #[error("`--estimator` needs both sides to be executed in one run")]
    EstimatorOfRuns,
    #[error("`--estimator min` cannot be combined with `--layouts`")]
    MinimumOfLayouts,
    #[error("`--markdown` needs a comparison, such as `run:12`")]
    MarkdownOfRevision,
    #[error("`--fail-on{}", no_condition(text))]
    NoLimit { text: String },
    #[error(
        "`--fail-on {text}` is less than the margin of {margin}, within which two sides are \
        the same"
    )]
    LimitWithinMargin { text: String, margin: String },
    #[error("`{option} {text}` is not a share between 0 % and 100 %")]
    NoShare { option: &'static str, text: String },
    #[error("`{option} {text}`: the {} must be above 0 %", option.trim_start_matches('-'))]
    ShareOfNothing { option: &'static str, text: String },
    #[error("neither A nor B is executed, so {} no meaning", has_or_have(options))]
    NothingExecuted { options: Vec<&'static str> },
    #[error("`--kept` needs a baseline or a run, and neither A nor B is one")]
    NothingKept,
    #[error("A and B were not measured alike: {}", differ.join("; "))]
    NotAlike { differ: Vec<String> },
    #[error("`{file}` is not a report: {why}")]
    NoReport { file: String, why: String },
    #[error("there is no file `{file}`")]
    NoFile { file: String, nearest: Option<String> },
    #[error("`{name}` is not a program, but the file `./{name}` is one")]
    NoPath { name: String },
    #[error("`{name}` is neither a file nor a program, and without a plan it cannot be a revision")]
    NothingHere { name: String, nearest: Option<String> },
    #[error("`{name}` is a program, not a revision")]
    IsProgram { name: String, beside_revision: bool },
    #[error("`{name}` is a report, and there is nothing to compare it with")]
    ReportAlone { name: String },
    #[error("only one command was given")]
    OneCommand,
    #[error("`{a}` and `{b}` cannot be compared: {why}")]
    NotComparable { a: String, b: String, why: String },
    #[error("`{a}` and `{b}` have nothing in common: {why}")]
    NothingInCommon { a: String, b: String, why: String },
    #[error("`{file}` has {number} benchmarks, and a command is compared with one")]
    SeveralBenchmarks { file: String, number: usize, first: String },
    #[error("`--benchmark` names benchmarks of a plan or a file, and both sides are commands")]
    BenchmarkOfCommands,
    #[error("`--layouts` links revisions, and these sides are linked already or are not revisions")]
    NoLayouts,
    #[error("unknown build `{name}`")]
    NoBuild { name: String },
    #[error("`{name}` is one source built with several layouts")]
    BuildOfLayouts { name: String, revision: String },
    #[error("`{metric}` was not compared; compared were: {known}")]
    NotCompared { metric: String, known: String },
    #[error("`{option}` needs a revision, and this is a run")]
    OfRevision { option: &'static str },
    #[error("run {run} compared nothing")]
    NoComparison { run: i64 },
    #[error("unknown run {run}")]
    NoRun { run: i64 },
    #[error("unknown baseline `{name}`")]
    NoBaseline { name: String },
    #[error("`{name}` cannot be the name of a baseline")]
    NoName { name: String },
    #[error("`{option}` needs a plan: what is measured without one is not kept")]
    NeedsPlan { option: &'static str },
    #[error("the name of a side is empty")]
    Nothing,
}

/// The advice for a revision that cannot be compared with a command.
const TWO_COMMANDS: &str =
    "a revision cannot be compared with a command: `tacho compare --command A B` compares two";

impl CompareMistake {
    /// The advice.
    pub fn hint(&self) -> String {
        match self {
            CompareMistake::Ambiguous { candidates, .. } => {
                let first =
                    candidates.first().and_then(|one| one.rsplit('`').nth(1)).unwrap_or("rev:…");
                format!("say which: `{first}`")
            }
            CompareMistake::BaselineExists { .. } => "`--force` replaces it".to_owned(),
            CompareMistake::DirectionOfFiles => {
                "a plan states the better direction of each metric: `better = \"higher\"`"
                    .to_owned()
            }
            CompareMistake::DuetOfOne => {
                "baselines and runs are executed again if `--kept` is left out; files are never \
                 executed"
                    .to_owned()
            }
            CompareMistake::DuetOfMany => "`--benchmark NAME` compares one".to_owned(),
            CompareMistake::EstimatorOfRuns => {
                "earlier runs and files are compared by the medians of whole runs".to_owned()
            }
            CompareMistake::MinimumOfLayouts => {
                "`--estimator median` or `mean` can be taken over layouts".to_owned()
            }
            CompareMistake::NotCompared { .. } => "`tacho show run:12 -m all` shows all".to_owned(),
            CompareMistake::OfRevision { option } => format!("`tacho show REVISION {option}`"),
            CompareMistake::MarkdownOfRevision => {
                "`tacho show run:12 --markdown` writes a table of it".to_owned()
            }
            CompareMistake::NoLimit { text } if lacks_sign(text) => {
                format!("a limit is a percentage: `--fail-on {text}%`")
            }
            CompareMistake::NoLimit { .. } => LIMITS.to_owned(),
            CompareMistake::LimitWithinMargin { text, .. } => {
                let limit = text.strip_prefix("slower:").unwrap_or(text);
                format!("lower the margin to this limit: `--margin {limit}` or less")
            }
            CompareMistake::NoShare { option, .. }
            | CompareMistake::ShareOfNothing { option, .. } => {
                format!("write a share like `{option} 1%` or `{option} 0.5%`")
            }
            CompareMistake::NothingExecuted { .. } => {
                "leave this option out: A and B are compared as they were measured".to_owned()
            }
            CompareMistake::NothingKept => {
                "name a baseline, which `--save-as` makes, or a run such as `run:12`".to_owned()
            }
            CompareMistake::NotAlike { .. } => "`--regardless` compares them anyway".to_owned(),
            CompareMistake::NoReport { .. } => {
                "`tacho bench --export-json FILE` writes one that can be compared; reports of \
                 hyperfine, criterion, Google Benchmark, pyperf, pytest-benchmark and JMH are JSON \
                 too"
                .to_owned()
            }
            CompareMistake::NoFile { nearest: Some(nearest), .. }
            | CompareMistake::NothingHere { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`?")
            }
            CompareMistake::NoPath { name } => format!("did you mean `./{name}`?"),
            CompareMistake::NothingHere { .. } => {
                "without a plan a side is a file of another tool, or a command: `tacho compare \
                 --help`"
                    .to_owned()
            }
            CompareMistake::NoFile { .. } => {
                "a side is a revision, a file of another tool, or a command: `tacho compare --help`"
                    .to_owned()
            }
            CompareMistake::IsProgram { beside_revision: true, .. } => TWO_COMMANDS.to_owned(),
            CompareMistake::IsProgram { name, .. } => format!("`command:{name}` executes it"),
            CompareMistake::ReportAlone { name } => {
                format!("`tacho compare {name} OTHER` compares two reports")
            }
            CompareMistake::OneCommand => "`tacho bench` measures one command".to_owned(),
            CompareMistake::NotComparable { .. }
            | CompareMistake::NothingInCommon { .. }
            | CompareMistake::SeveralBenchmarks { .. }
            | CompareMistake::BenchmarkOfCommands => self.hint_of_sides(),
            CompareMistake::NoLayouts => {
                "name two revisions of the plan's subject, such as `HEAD~1 HEAD`".to_owned()
            }
            CompareMistake::BuildOfLayouts { revision, .. } => {
                format!("name the revision: `{revision}` with `--layouts`")
            }
            CompareMistake::NoBuild { .. } => {
                "`tacho show REVISION` shows a build's digest".to_owned()
            }
            CompareMistake::NoComparison { .. } | CompareMistake::NoRun { .. } => {
                "`tacho log` lists the runs, and what they were for".to_owned()
            }
            CompareMistake::NoName { .. } => {
                "a name must not be a revision, and has no blanks, no line breaks, no `:` and no \
                 `/`"
                .to_owned()
            }
            CompareMistake::NoBaseline { .. } => "`--save-as NAME` gives one a name".to_owned(),
            CompareMistake::NeedsPlan { .. } => "`tacho init` writes one".to_owned(),
            CompareMistake::Nothing => {
                "perhaps a shell variable is not set; `HEAD` is the newest revision".to_owned()
            }
        }
    }
}

impl CompareMistake {
    /// The advice for sides that have nothing to compare.
    fn hint_of_sides(&self) -> String {
        match self {
            CompareMistake::NothingInCommon { .. } => {
                "name benchmarks, metrics and values that both sides have".to_owned()
            }
            CompareMistake::SeveralBenchmarks { first, .. } => {
                format!("name one of them: `--benchmark '{first}'`")
            }
            CompareMistake::BenchmarkOfCommands => "leave this option out".to_owned(),
            _ => "name a second side of the same kind: `tacho compare --help`".to_owned(),
        }
    }
}

/// What is wrong with a condition.
fn no_condition(text: &str) -> String {
    let percent = text.trim_end().strip_suffix('%').and_then(|it| it.rsplit(':').next());
    match percent.and_then(|it| it.trim().parse::<f64>().ok()) {
        _ if text.is_empty() => "` has an empty condition: a comma too many".to_owned(),
        Some(share) if share <= 0.0 => format!(" {text}`: the limit must be above 0 %"),
        _ => format!(" {text}` is not a known condition"),
    }
}

/// The values of `--fail-on`.
const LIMITS: &str = "`slower` fails on rows that are slower, `slower:5%` on rows that are \
                      certainly slower by 5 % or more, `slower:5%,unclear` also on undecided rows";

/// Whether a limit only lacks its percent sign: `slower:5`.
fn lacks_sign(text: &str) -> bool {
    let number = text.strip_prefix("slower:").or_else(|| text.strip_prefix("worse:"));
    number.is_some_and(|number| number.parse::<f64>().is_ok_and(|it| it >= 0.0))
}

/// Options, and the verb.
fn has_or_have(options: &[&str]) -> String {
    format!("{} {}", in_backticks(options), if options.len() == 1 { "has" } else { "have" })
}
