//! That edits which are not committed are not measured.

use tacho_record::Revision;
use tacho_record::plan::Source;
use tacho_subject::edited_files;

use crate::output;
use crate::output::text::count;
use crate::project::Project;

/// Says that the work tree has edits beside what these revisions are, and how to measure them.
pub fn announce(project: &Project, revisions: &[Revision]) {
    let files = edited_files(&project.plan.subject, &project.file, revisions);
    if files == 0 {
        return;
    }
    let (are, they) = if files == 1 { ("is", "it is") } else { ("are", "they are") };
    let files = count(files, "file");
    output::note(
        "note",
        &format!("{files} {are} edited and not committed: {they} measured as in `HEAD`"),
    );
    let there = match &project.plan.subject.source {
        Source::Git(path) if path != "." => format!(" -C {path}"),
        _ => String::new(),
    };
    let command = format!("git{there} diff HEAD | tacho try -");
    output::note("hint", &format!("`{command}` measures the edits against `HEAD`"));
}
