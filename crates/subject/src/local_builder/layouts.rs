//! One source linked in several orders, as one build: each order is a folder of its artifacts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tacho_record::plan::Subject;
use tacho_record::{BuildState, Revision, layout_folder};

use super::LocalBuilder;
use crate::artifacts::{Content, copy};
use crate::checkout::work::{CheckoutWork, WorkStop};
use crate::layout::{FixedOrder, Layout, Linker};
use crate::quirks::RevisionQuirks;
use crate::{SubjectError, files};

/// The layouts in which a subject is built; empty: as the plan's command links it.
pub(super) fn of(subject: &Subject) -> Result<Vec<Layout>, SubjectError> {
    let Some(number) = subject.layouts else { return Ok(Vec::new()) };
    let linker = Linker::find(None).ok_or(SubjectError::NoLinker)?;
    Ok((1..=number).map(|number| linker.layout(number)).collect())
}

/// The order in which a subject is always built; `None`: as the plan's command links it.
pub(super) fn usual(subject: &Subject) -> Result<Option<Layout>, SubjectError> {
    let Some(name) = &subject.order else { return Ok(None) };
    let found = FixedOrder::named(name).and_then(FixedOrder::layout);
    found.ok_or_else(|| SubjectError::NoOrder { name: name.clone() }).map(Some)
}

impl LocalBuilder {
    /// Builds in all layouts, and keeps those that differ.
    pub(super) fn in_layouts(
        &mut self,
        revision: &Revision,
        applied: &RevisionQuirks,
        work: &mut CheckoutWork,
    ) -> Result<BuildState, WorkStop> {
        let folder = self.folder.join("layouts");
        files::remove(&folder).map_err(SubjectError::cache("remove", &folder))?;
        let made = self.each(&folder, revision, applied, work);
        self.layout = None;
        let (content, number) = made?;
        let artifact = content.digest().map_err(WorkStop::failed)?;
        self.cache.store(&content, artifact)?;
        // A folder that cannot be removed now is removed before the next layouts.
        let _ = files::remove(&folder);
        Ok(BuildState::Built { artifact, size: content.size(), layouts: Some(number) })
    }

    /// Builds in each layout, and copies what it gives into a folder of its own, unless another
    /// gave the same; all together, and how many they are.
    fn each(
        &mut self,
        folder: &Path,
        revision: &Revision,
        applied: &RevisionQuirks,
        work: &mut CheckoutWork,
    ) -> Result<(Content, u32), WorkStop> {
        let (mut seen, mut number) = (BTreeSet::new(), 0);
        for layout in self.layouts.clone() {
            work.log.note(&format!("layout {}", layout.number))?;
            self.layout = Some(layout);
            let content = self.content(revision, applied, work)?;
            if seen.insert(content.digest().map_err(WorkStop::failed)?) {
                let own = folder.join(layout_folder(number));
                fs::create_dir_all(&own).map_err(SubjectError::cache("create", &own))?;
                copy(&content, &own).map_err(SubjectError::cache("write", &own))?;
                number += 1;
            }
        }
        let whole = Content::of_folder(folder).map_err(SubjectError::cache("read", folder))?;
        Ok((whole, number))
    }
}
