//! That edits which are not committed are not built.

use tacho_record::Revision;
use tacho_record::plan::Source;
use tacho_subject::edited_files;

use crate::output;
use crate::output::text::count;
use crate::project::Project;

/// The same as an item of a Markdown answer; empty where nothing is edited.
pub fn markdown(project: &Project, revisions: &[Revision]) -> String {
    line(project, revisions).map_or_else(String::new, |line| format!("- {line}\n"))
}

/// That the work tree has edits beside what these revisions are, if it has.
fn line(project: &Project, revisions: &[Revision]) -> Option<String> {
    let files = edited_files(&project.plan.subject, &project.file, revisions);
    let are = if files == 1 { "is" } else { "are" };
    let number = count(files, "file");
    (files > 0).then(|| {
        format!(
            "{number} {are} edited and not committed: builds use `HEAD`; commands read the edited \
             files of the plan's folder"
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
