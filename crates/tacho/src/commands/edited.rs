//! Edits since something was measured: of benchmarks, and of files that are not committed.

use tacho_experiment::versions::{self, EditedBenchmark};
use tacho_record::plan::Source;
use tacho_record::{Plan, Revision, in_backticks};
use tacho_store::Store;
use tacho_subject::edited_files;

use crate::error::CliError;
use crate::output;
use crate::output::text::count;
use crate::project::Project;

/// The same as an item of a Markdown answer; empty where nothing is edited.
pub fn markdown(project: &Project, revisions: &[Revision]) -> String {
    line(project, revisions).map_or_else(String::new, |line| format!("- {line}\n"))
}

/// The note on edits in the work tree that these revisions lack, if there are any.
fn line(project: &Project, revisions: &[Revision]) -> Option<String> {
    let files = edited_files(&project.plan.subject, &project.file, revisions);
    let are = if files == 1 { "is" } else { "are" };
    let number = count(files, "file");
    (files > 0).then(|| {
        format!(
            "{number} {are} edited and not committed: builds use committed files only; commands \
             that read files of the plan's folder read the edited ones"
        )
    })
}

/// Says that the work tree has edits beside what these revisions are, and how to measure them.
pub fn announce(project: &Project, revisions: &[Revision]) {
    let Some(line) = line(project, revisions) else { return };
    output::note("note", &line);
    let there = match &project.plan.subject.source {
        Source::Git(path) if path != "." => format!(" -C {path}"),
        _ => String::new(),
    };
    let command = format!("git{there} diff HEAD | tacho try -");
    output::note("hint", &format!("`{command}` measures the edits against `HEAD`"));
}

/// Reports that a measured benchmark was edited: its samples are separate from earlier ones.
pub fn report_edits(
    store: &mut Store,
    plan: &Plan,
    is_measured: impl Fn(&str) -> bool,
) -> Result<(), CliError> {
    let edited = versions::edited(store, plan)?.into_iter();
    for edited in edited.filter(|it| is_measured(&it.name)) {
        let EditedBenchmark { name, version, is_same, inputs, measured } = edited;
        let edit = if inputs.is_empty() {
            format!("`{name}` was edited")
        } else {
            format!("the content of {} changed", in_backticks(&inputs))
        };
        if is_same {
            let samples = format!("`same-as = {version}` keeps the samples of `{name}`");
            output::note("note", &format!("{edit}; {samples}"));
            continue;
        }
        let it = if inputs.is_empty() { "it".to_owned() } else { format!("`{name}`") };
        output::note("note", &format!("{edit}: {it} starts a new series, as version {version}"));
        if let Some(before) = measured {
            let same = format!(
                "if version {version} measures the same as version {before}, write `same-as = \
                 {before}` in the plan"
            );
            output::note("hint", &same);
        }
    }
    Ok(())
}
