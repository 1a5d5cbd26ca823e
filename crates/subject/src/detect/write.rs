//! Writing a recipe down as a plan, with comments that say what each key is for.
//!
//! Keys that need not be given are there too, commented out: each of them can be used by taking out
//! its `#`.

use super::benches::OwnBenchmark;
use crate::detect::recipe::{NamedProgram, Recipe};

/// The plan as text; the web page is that of the repository.
pub(super) fn plan(recipe: &Recipe, own: Option<&OwnBenchmark>, web_page: Option<&str>) -> String {
    let benchmark = benchmark(recipe.program.as_ref());
    let parts = [head(recipe), subject(recipe, web_page), MEASURE.to_owned(), benchmark];
    parts.into_iter().chain(own.map(proposed)).collect::<Vec<_>>().join("\n")
}

/// A table for a benchmark of the project's own, commented out.
fn proposed(own: &OwnBenchmark) -> String {
    let OwnBenchmark { what, build, artifact, command, metrics } = own;
    let artifact = quoted(artifact);
    let (more, build) = match build {
        Some(build) => (
            format!("add {artifact} to `artifacts`, and this to the end of `build`:"),
            format!("#   && {build}\n"),
        ),
        None => (format!("and set `artifacts` to [{artifact}]."), String::new()),
    };
    let mut out = comment(&format!(
        "The repository has a benchmark: {what}. To measure it, remove the `#` of this table,"
    ));
    out += &(comment(&more) + &build);
    out += &format!(
        "# [[benchmark]]\n# name = \"bench\"\n# command = {}\n# timeout = \"10m\"\n",
        quoted(command)
    );
    if let Some(metrics) = metrics {
        out += &format!("# metrics = {metrics}\n");
    }
    out
}

fn head(recipe: &Recipe) -> String {
    let found = match (recipe.what, &recipe.program) {
        ("", _) => "Nothing was recognised: fill in `build`, `artifacts` and `command`.".to_owned(),
        (what, None) => {
            format!(
                "Written for {what}, in which no program was found: fill in `command`, `build` and \
                 `artifacts`."
            )
        }
        (what, Some(_)) => {
            format!(
                "Written for {what}; all but `command` should fit. What `command` executes is a \
                 guess: replace it with what users wait for."
            )
        }
    };
    let found = comment(&found);
    format!(
        "\
# What Tachograph measures, and how.
{found}\
# `tacho track HEAD` measures the newest commit, and `tacho track HEAD~5..HEAD` the last six.
# Later runs measure the last measured commit again, to link the runs.
"
    )
}

fn subject(recipe: &Recipe, web_page: Option<&str>) -> String {
    let notes: String = recipe.notes.iter().map(|note| comment(note)).collect();
    let build = quoted(recipe.build.as_deref().unwrap_or("make -j{jobs}"));
    let artifacts =
        recipe.program.as_ref().map(|program| program.artifacts.iter().map(|path| quoted(path)));
    let artifacts = artifacts.map(|paths| paths.collect::<Vec<_>>().join(", "));
    let (artifacts, no_artifacts) =
        artifacts.map_or(("\"prog\"".to_owned(), "# "), |paths| (paths, ""));
    // Without a program to execute a build would only cost time.
    let no_build = if recipe.build.is_some() { no_artifacts } else { "# " };
    let link = web_page
        .map_or("# link = \"https://example.org".to_owned(), |page| format!("link = \"{page}"));
    format!(
        "\
[subject]
# name = \"example\"           # on pages; if not given, the name of this folder
# repository = \".\"           # the git repository: a path from this file
# How a revision is built: a shell command, executed at the root of a clean checkout of it. {{jobs}}
# is the number of CPUs to use, {{revision}} the commit.
{notes}{no_build}build = {build}
# build-timeout = \"30m\"
# The files of the built checkout that benchmarks need: paths or patterns, from its root. Name only
# what is executed: an unneeded file that changes makes equal programs look different.
{no_artifacts}artifacts = [{artifacts}]
# Where a commit can be seen; pages link there.
{link}/commit/{{commit}}\"
"
    )
}

const MEASURE: &str = "\
[measure]
# rounds = 10                # how often everything is executed, each time in a new random order
# warmup = true              # one more round before the others, recorded but not counted
# cache-limit = \"2GiB\"       # how much of what was built is kept
";

fn benchmark(program: Option<&NamedProgram>) -> String {
    let (name, command) =
        program.map_or(("nothing", "true"), |program| (program.benchmark, &program.command));
    let (name, command) = (quoted(name), quoted(command));
    format!(
        "\
# One such table for each thing to measure.
[[benchmark]]
name = {name}
# version = 1                # raise it when old and new values must not be compared any more
# What is executed and timed, without a shell; {{build}} is the folder with the artifacts.
# CHANGE THIS: execute the work that users wait for, best for 50 ms or more.
command = {command}
# Put {{size}} into the command: each of the values is measured.
# parameters = {{ size = [1, 64, 1024] }}
# prepare = \"sync\"           # a shell command before each execution, not timed
# conclude = \"rm -f out.txt\" # a shell command after each execution, not timed
# setup = \"make data\"        # a shell command once before all executions, not timed
# cleanup = \"make clean\"     # a shell command once after all executions, not timed
# More keys, such as `shell` and `companion`: see the guide.
# timeout = \"60s\"
# directory = \".\"            # where it is executed, by path from this file
# stdin = \"in.txt\"           # a file for its standard input, by path from this file
# A different output is a failure; also stdout = {{ contains = \"ok\" }}.
# expect = {{ exit = 0, stdout = \"same\" }}
# The metrics that are shown, the main one first. user and sys are possible too.
# metrics = [\"wall\", \"cpu\", \"peak-memory\"]
"
    )
}

/// How wide a comment is at most.
const COLUMNS: usize = 100;

/// Text in lines of comment.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 1 && last + 1 + word.chars().count() > COLUMNS {
            lines.push("#".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            line.extend([" ", word]);
        }
    }
    lines.join("\n") + "\n"
}

/// Text as a string of TOML; the recognisers make no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
