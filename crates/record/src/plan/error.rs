//! The errors of a plan, in words.
//!
//! [`Mistake`] holds the grammar of all messages and their advice; [`PlanErrors`] shows them beside
//! the line of the file that they are about. `keys`, `parse` and `check` find them.

use std::fmt;
use std::ops::Range;

use crate::RuleError;
use crate::rule::DURATIONS;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// A mistake, and the bytes of the file that it is about.
pub(super) type LocatedMistake = (Range<usize>, Mistake);

/// One mistake in a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Mistake {
    #[error("`{text}` is not a list of processors")]
    BadCpus { text: String },
    #[error("`{text}` is not a date")]
    BadDate { text: String },
    #[error("`{name}` cannot be the name of a {what}")]
    BadName { what: &'static str, name: String, hint: &'static str },
    #[error("`{text}` is not a pattern for files: {why}")]
    BadPattern { text: String, why: &'static str },
    #[error("`{text}` is not a JSON pointer")]
    BadPointer { text: String },
    #[error("unknown placeholder `{{{name}}}` in `{key}`")]
    BadReference { name: String, key: String, hint: String },
    #[error("`{text}` is not a regular expression: {why}")]
    BadRegex { text: String, why: String },
    #[error("`{text}` is not a way of scheduling")]
    BadScheduling { text: String },
    #[error("`{text}` is not a size")]
    BadSize { text: String },
    #[error("`{name}` is a built-in metric")]
    BuiltInMetric { name: String },
    #[error("{what} `{name}` is given twice")]
    Duplicate { what: &'static str, name: String },
    #[error("`{key}` is empty")]
    Empty { key: String },
    #[error("the plan has no `[[benchmark]]`")]
    EmptyPlan,
    #[error("the range is empty: its end ({end}) is not after its start ({start})")]
    EmptyRange { start: String, end: String },
    #[error("the quirk does nothing")]
    IdleQuirk,
    #[error("`{parser}` has a unit of its own, {unit}")]
    KnownUnit { parser: String, unit: String },
    #[error("`vcs = \"cvs\"` needs the key `{key}`")]
    CvsWithout { key: &'static str },
    #[error("`link` is not the address of a page")]
    LinkToNoPage,
    #[error("`link` contains no placeholder")]
    LinkWithoutReference { wanted: &'static str },
    #[error("`limits.memory` contradicts `conditions.cgroup = \"never\"`")]
    LimitWithoutGroup,
    #[error("there is a single `{brace}` in `{key}`")]
    LoneBrace { brace: char, key: String },
    #[error("missing key `{key}` in {table}")]
    Missing { key: String, table: String },
    #[error("`releases` needs a `build` command")]
    MissingBuild,
    #[error("`{part}` in `command` means something only to a shell, and no shell is started")]
    NeedsShell { part: String },
    #[error("`{text}` has no group")]
    NoGroup { text: String },
    #[error("`companion` does not say when it is ready")]
    NeverReady,
    #[error("`{key}` cannot be used in a quirk of releases")]
    NothingToPatch { key: &'static str },
    #[error("`{key}` needs `vcs = \"cvs\"`")]
    OnlyCvs { key: &'static str },
    #[error("`{{{name}}}` cannot be used here")]
    NotFilledIn { name: String },
    #[error("`once` needs a `build` command")]
    OnceWithoutBuild,
    #[error("metric `{name}` has another unit or direction in another benchmark")]
    OtherMeaning { name: String },
    #[error("`output = \"null\"` contradicts `{reader}`, which reads it")]
    OutputNotRead { reader: &'static str },
    #[error("`{path}` is not in the checkout")]
    OutsideCheckout { path: String },
    #[error("`{key}` contradicts `{other}`")]
    QuirkContradiction { key: &'static str, other: &'static str, hint: &'static str },
    #[error("`{{release}}` in `{key}`, but the subject has no releases")]
    ReleaseWithoutReleases { key: String },
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error("{message}")]
    Syntax { message: String },
    #[error("`{key}` contradicts `{other}`")]
    TwoEdges { key: &'static str, other: &'static str },
    #[error("`{key}` contradicts `{other}`")]
    TwoHistories { key: &'static str, other: &'static str },
    #[error("`file` contradicts `stream`")]
    TwoPlaces,
    #[error("a quote in `{key}` is not closed")]
    UnclosedQuote { key: &'static str },
    #[error("unknown key `{key}` in {table}")]
    UnknownKey { key: String, table: String, hint: String },
    #[error("unknown metric `{name}`")]
    UnknownMetric { name: String, hint: String },
    #[error("unknown parser `{name}`")]
    UnknownParser { name: String, hint: String },
    #[error("`{parser}` has no `{name}`")]
    UnknownQuantity { parser: String, name: String, hint: String },
    #[error(
        "parameter `{name}` is used neither in `command` nor in `setup`, `prepare` or `companion`"
    )]
    UnusedParameter { name: String },
    #[error("`command` must be one string, since `shell` is given")]
    WordsForShell,
    #[error("`{key}` must be an array{}", not(*found))]
    NoList { key: String, found: Option<&'static str> },
    #[error("`{key}` must be {expected}{}", not(*found))]
    WrongType { key: String, expected: String, found: Option<&'static str> },
}

const CPUS: &str = "processors are written like \"1\", \"0-3,6\" or [0, 1], or are \"isolated\"";
const SIZES: &str = "sizes are written like \"500MiB\" or \"2GiB\"";

/// `, not an array`, if it is known what was found.
fn not(found: Option<&str>) -> String {
    found.map_or(String::new(), |found| {
        let article = if found.starts_with(['a', 'i']) { "an" } else { "a" };
        format!(", not {article} {found}")
    })
}

impl Mistake {
    /// The advice, if the message does not make it obvious.
    #[allow(clippy::too_many_lines, reason = "one arm a mistake")]
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Mistake::BadCpus { .. } => CPUS,
            Mistake::BadDate { .. } => {
                "dates are written like \"2017-12-01\" or \"2017-12-01T12:30Z\""
            }
            Mistake::BadName { hint, .. } | Mistake::QuirkContradiction { hint, .. } => *hint,
            Mistake::BadReference { hint, .. }
            | Mistake::UnknownKey { hint, .. }
            | Mistake::UnknownMetric { hint, .. }
            | Mistake::UnknownParser { hint, .. }
            | Mistake::UnknownQuantity { hint, .. } => hint,
            Mistake::BadPointer { .. } => {
                "pointers are written like `/results/0/mean`, with `*` for all elements of an array"
            }
            Mistake::BuiltInMetric { .. } | Mistake::OtherMeaning { .. } => "choose another name",
            Mistake::KnownUnit { .. } => "leave `unit` out",
            Mistake::NoGroup { .. } => {
                "put what matches the number into parentheses: `took ([0-9.]+) ms`"
            }
            Mistake::TwoPlaces => "the values are in one place: keep one of the two keys",
            Mistake::BadScheduling { .. } => {
                "valid values: `other`, `batch`, `idle`; with a priority from 1 to 99 `fifo \
                 50`, `rr 50`"
            }
            Mistake::BadSize { .. } => SIZES,
            Mistake::EmptyPlan => "add one, with at least a `name` and a `command`",
            Mistake::CvsWithout { key: "module" } => {
                "the folder in the repository that holds the subject"
            }
            Mistake::CvsWithout { .. } => {
                "a folder, or what `cvs -d` takes: \":ext:user@host:/cvs\""
            }
            Mistake::OnlyCvs { .. } => "the key is for CVS repositories only",
            Mistake::LimitWithoutGroup => {
                "this limit needs a control group: remove one of the two keys"
            }
            Mistake::LinkToNoPage => "a link begins with `https://` or `http://`",
            Mistake::LinkWithoutReference { wanted } => {
                return Some(format!("write `{{{wanted}}}` where it belongs"));
            }
            Mistake::LoneBrace { brace, .. } => {
                return Some(format!("for the brace itself write `{brace}{brace}`"));
            }
            Mistake::MissingBuild => {
                "`build` fetches `{release}` into an empty folder and builds it there"
            }
            Mistake::NeverReady => {
                "give it a `port`, or `ready = { line = \"listening\" }`, `{ file = \"path\" }`, \
                 `{ command = \"…\" }` or \"started\""
            }
            Mistake::NeedsShell { part } if part.contains('=') => {
                "set variables in `[benchmark.conditions]`: `environment = { NAME = \"value\" }`; \
                 or add `shell = true` to have a shell read the command"
            }
            Mistake::NeedsShell { .. } => {
                "add `shell = true` (in a companion write `sh -c '…'`), or quote it"
            }
            Mistake::NotFilledIn { .. } => {
                "this is a path from the plan's folder, the same for all revisions"
            }
            Mistake::OutputNotRead { .. } => {
                "leave `output` out, or use a pipe or a file, which are read"
            }
            Mistake::IdleQuirk => {
                "give it a `patch`, `take`, `environment`, `build`, one of the commands around \
                 it, or `skip = true`"
            }
            Mistake::NothingToPatch { .. } => {
                "`build` fetches releases: apply the patch in `build` or `before-build`"
            }
            Mistake::OnceWithoutBuild => {
                "`build` is the command that is executed once; it leaves what later builds need \
                 in $TACHO_STATE"
            }
            Mistake::TwoEdges { key, other } => {
                return Some(format!(
                    "both give the same edge of the range: keep `{key}` or `{other}`"
                ));
            }
            Mistake::EmptyRange { .. } => {
                "`from` and `until` include what they name, `after` and `before` do not"
            }
            Mistake::OutsideCheckout { .. } => {
                "artifacts and paths start at the root of the checkout"
            }
            Mistake::ReleaseWithoutReleases { .. } => {
                "the history of a repository is made of commits: see `{revision}` and, in `link`, \
                 `{commit}`"
            }
            Mistake::Rule(error) => error.hint(),
            Mistake::TwoHistories { .. } => "a subject has one history: keep one of them",
            Mistake::UnusedParameter { name } => {
                return Some(format!("write `{{{name}}}` where its values belong"));
            }
            Mistake::WordsForShell => {
                "a list of words needs no shell: leave `shell` out, or write one string"
            }
            Mistake::NoList { key, found: Some("string") } => {
                return Some(format!("write a list, even for one: `{key} = [\"…\"]`"));
            }
            Mistake::WrongType { key, found: Some("array"), .. } if key == "build" => {
                "write one line for a shell: `build = \"cmake . && make\"`"
            }
            Mistake::WrongType { key, found: Some("string"), .. } if key == "expect" => {
                "`expect = { stdout = { contains = \"text\" } }` expects a text within the output"
            }
            Mistake::WrongType { key, .. } if key == "expect.stdout" => {
                "`stdout = { contains = \"text\" }` expects a text within the output"
            }
            Mistake::WrongType { key, .. } if key.ends_with("cpus") => CPUS,
            Mistake::WrongType { key, .. }
                if key.ends_with("timeout") || key.ends_with("cpu-time") || key == "budget" =>
            {
                DURATIONS
            }
            Mistake::WrongType { key, .. }
                if ["cache-limit", "limits.memory", "limits.address-space"].contains(&&**key) =>
            {
                SIZES
            }
            Mistake::BadPattern { .. } => "for `*`, `?` or `[` itself write `[*]`, `[?]` or `[[]`",
            Mistake::BadRegex { .. }
            | Mistake::Duplicate { .. }
            | Mistake::Empty { .. }
            | Mistake::Missing { .. }
            | Mistake::Syntax { .. }
            | Mistake::UnclosedQuote { .. }
            | Mistake::NoList { .. }
            | Mistake::WrongType { .. } => return None,
        };
        Some(hint.to_owned())
    }
}

/// One mistake in a plan, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The message, in one line.
    pub message: String,
    /// The bytes of the file that it is about; they begin and end between characters.
    pub span: Range<usize>,
    /// The line in which they begin, counted from 1.
    pub line: usize,
    /// The character of the line at which they begin, counted from 1.
    pub column: usize,
    /// The advice, in one line.
    pub hint: Option<String>,
}

/// Everything that is wrong in a plan, in order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanErrors {
    /// The single errors; at least one.
    pub errors: Vec<PlanError>,
    file_name: String,
    text: String,
}

impl PlanErrors {
    /// The error of all mistakes in the text of a file.
    pub(super) fn new(text: &str, file_name: &str, mut found: Vec<LocatedMistake>) -> Self {
        found.sort_by_key(|(span, _)| (span.start, span.end));
        found.dedup();
        let errors = found.into_iter().map(|(span, mistake)| place(text, span, &mistake)).collect();
        Self { errors, file_name: file_name.to_owned(), text: text.to_owned() }
    }

    /// All errors, each with its line of the file, as text of several lines without a final line
    /// feed.
    ///
    /// Without colour the text has no control characters, and draws with ASCII alone.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        self.render_within(colour, usize::MAX)
    }

    /// The same in lines of at most this many columns, where words leave the choice.
    #[must_use]
    pub fn render_within(&self, colour: bool, width: usize) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = if width == usize::MAX { renderer } else { renderer.term_width(width) };
        let shown: Vec<String> =
            self.errors.iter().map(|error| self.show(error, &renderer, width)).collect();
        shown.join("\n\n")
    }

    fn show(&self, error: &PlanError, renderer: &Renderer, width: usize) -> String {
        let place = Snippet::source(&self.text)
            .path(&self.file_name)
            .annotation(AnnotationKind::Primary.span(error.span.clone()));
        let message = folded(&error.message, width.saturating_sub("error: ".len()));
        let mut report = vec![Level::ERROR.primary_title(message).element(place)];
        if let Some(hint) = &error.hint {
            let hint = annotate_snippets::normalize_untrusted_str(hint);
            let hint = folded(&hint, width.saturating_sub("hint: ".len()));
            report.push(Group::with_title(Level::HELP.with_name("hint").secondary_title(hint)));
        }
        renderer.render(&report)
    }
}

/// The text in lines of at most this many characters, broken at blanks.
fn folded(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            out.push('\n');
            used = 0;
        } else if !out.is_empty() {
            out.push(' ');
            used += 1;
        }
        out += word;
        used += length;
    }
    out
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for PlanErrors {}

/// The mistake with its place in the text, which is moved outwards to whole characters.
fn place(text: &str, span: Range<usize>, mistake: &Mistake) -> PlanError {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=span.start.min(text.len())).rev().find(boundary).unwrap_or(0);
    let end = (span.end.max(start)..text.len()).find(boundary).unwrap_or(text.len());
    let line_start = text[..start].rfind('\n').map_or(0, |feed| feed + 1);
    PlanError {
        message: mistake.to_string(),
        span: start..end,
        line: text[..start].matches('\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        hint: mistake.hint(),
    }
}
