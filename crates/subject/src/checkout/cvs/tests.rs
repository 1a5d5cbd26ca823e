use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_record::plan::{Source, Subject};
use tempfile::TempDir;

use super::*;
use crate::build::{BuildLimits, BuildLog};
use crate::history::history;
use crate::history::selection::Selection;
use crate::testing::{Rcs, cvs_root};

static NEVER: AtomicBool = AtomicBool::new(false);

struct CvsBench {
    cache: TempDir,
    subject: Subject,
    copy: Copy,
}

impl CvsBench {
    fn of(root: &Path, keywords: &str, branch: Option<&str>) -> Self {
        let module = CvsModule {
            root: root.display().to_string(),
            module: "m".into(),
            branch: branch.map(str::to_owned),
            keywords: keywords.into(),
        };
        let copy = Copy::new(Cvs::of(&module, Path::new("/")).unwrap(), module.clone());
        let source = Source::Cvs(module);
        let artifacts = vec![".".to_owned()];
        let (name, build, link, build_timeout) = (None, None, None, Duration::from_secs(600));
        let (paths, quirks) = (Vec::new(), Vec::new());
        let subject = Subject {
            name,
            source,
            build,
            build_timeout,
            artifacts,
            paths,
            submodules: true,
            link,
            quirks,
            layouts: None,
            order: None,
            onto: BTreeMap::new(),
        };
        Self { cache: tempfile::tempdir().unwrap(), subject, copy }
    }

    fn revisions(&self) -> Vec<Revision> {
        let history = history(&self.subject, Path::new("/")).unwrap();
        history.select(&Selection::parse_range("..")).unwrap().revisions
    }

    /// All files with their content after taking this, in one line.
    fn take(&self, revision: &Revision) -> Result<String, WorkStop> {
        let mut log = BuildLog::create(self.cache.path().join("log")).unwrap();
        let limits = BuildLimits { time: Duration::from_secs(600), interrupt: &NEVER };
        let tree = self.cache.path().join("tree");
        self.copy.take(
            self.cache.path(),
            &tree,
            revision,
            &mut CheckoutWork { log: &mut log, limits },
        )?;
        let mut found = Vec::new();
        collect(&tree, &tree, &mut found);
        found.sort_unstable();
        Ok(found.join("; "))
    }
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else {
            let shown = path.strip_prefix(root).unwrap().display().to_string();
            found.push(format!("{shown}: {}", fs::read_to_string(&path).unwrap().trim_end()));
        }
    }
}

fn sample() -> TempDir {
    cvs_root(&[
        (
            "m/a",
            Rcs::new(&[("2016-01-01 10:00:00", "x"), ("2016-01-03 10:00:00", "y")])
                .symbols("REL:1.1.0.2"),
        ),
        (
            "m/Attic/gone",
            Rcs::new(&[("2016-01-02 10:00:00", "add"), ("2016-02-01 00:00:00", "-remove")]),
        ),
        ("m/sub/b", Rcs::new(&[("2016-01-02 10:00:00", "add")])),
    ])
}

#[test]
fn each_revision_has_its_files_whatever_was_there_before() {
    let root = sample();
    let bench = CvsBench::of(root.path(), "k", None);
    let revisions = bench.revisions();
    let trees = [
        "a: revision 1 $Id$",
        "a: revision 1 $Id$; gone: revision 1 $Id$; sub/b: revision 1 $Id$",
        "a: revision 2 $Id$; gone: revision 1 $Id$; sub/b: revision 1 $Id$",
        "a: revision 2 $Id$; sub/b: revision 1 $Id$",
    ];
    assert_eq!(revisions.len(), trees.len());
    for place in [0, 1, 2, 3, 0, 2, 1, 3] {
        assert_eq!(bench.take(&revisions[place]).unwrap(), trees[place], "{place}");
        // What a build leaves behind is gone with the next one.
        fs::write(bench.cache.path().join("tree/left-behind"), "x").unwrap();
    }
}

#[test]
fn what_is_watched_may_be_written_by_a_build() {
    let root = sample();
    let bench = CvsBench::of(root.path(), "k", None);
    let revisions = bench.revisions();
    bench.take(&revisions[0]).unwrap();
    // As after `cvs watch on`.
    let file = |tree: &str| bench.cache.path().join(tree).join("a");
    fs::set_permissions(file("cvs"), Permissions::from_mode(0o444)).unwrap();
    bench.take(&revisions[0]).unwrap();
    let mode = |tree: &str| file(tree).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("cvs"), mode("tree")), (0o444, 0o644));
}

#[test]
fn keywords_and_branches_are_as_the_plan_says() {
    let root = sample();
    let expanded = CvsBench::of(root.path(), "kv", None);
    let first = expanded.take(&expanded.revisions()[0]).unwrap();
    assert_eq!(first, "a: revision 1 $Id: a,v 1.1 2016/01/01 10:00:00 ann Exp $");
    let branch = CvsBench::of(root.path(), "k", Some("REL"));
    assert_eq!(branch.take(&branch.revisions()[0]).unwrap(), "a: revision 1 $Id$");
}

#[test]
fn a_copy_that_was_spoilt_or_left_half_done_is_made_again() {
    let root = sample();
    let bench = CvsBench::of(root.path(), "k", None);
    let revisions = bench.revisions();
    let third = bench.take(&revisions[2]).unwrap();
    fs::remove_file(bench.cache.path().join("cvs/CVS/Root")).unwrap();
    fs::remove_file(bench.cache.path().join("cvs/CVS/Repository")).unwrap();
    assert_eq!(bench.take(&revisions[2]).unwrap(), third);
    fs::remove_file(bench.cache.path().join("cvs.whole")).unwrap();
    fs::write(bench.cache.path().join("cvs/stray"), "x").unwrap();
    assert_eq!(bench.take(&revisions[2]).unwrap(), third);
}

#[test]
fn a_repository_that_is_gone_is_no_failed_build() {
    let root = sample();
    let bench = CvsBench::of(root.path(), "k", None);
    let revisions = bench.revisions();
    bench.take(&revisions[0]).unwrap();
    fs::rename(root.path().join("CVSROOT"), root.path().join("away")).unwrap();
    let stop = bench.take(&revisions[1]).unwrap_err();
    assert!(matches!(stop, WorkStop::Fatal(SubjectError::NoCvsRoot { .. })), "{stop:?}");
}
