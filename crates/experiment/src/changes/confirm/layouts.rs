//! Both sides in other layouts: where one build alone differs, its layout may be why.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tacho_record::{Change, Digest};
use tacho_subject::{FixedOrder, Layout, Linker};

use super::sides::ChangeSides;
use crate::build::layouts::{LayoutsResult, build};
use crate::{Context, ExperimentError, Question};

/// The orders in which each side is linked.
const LAYOUTS: u32 = 5;

/// The first bytes of a file with machine code.
const MACHINE_CODE: [u8; 4] = *b"\x7fELF";

/// The layouts that this host can give a build: shuffled ones, or without a linker that shuffles
/// those of a fixed order.
#[must_use]
pub fn other_layouts() -> Vec<Layout> {
    match Linker::find(None) {
        Some(linker) => (1..=LAYOUTS).map(|number| linker.layout(number)).collect(),
        None => FixedOrder::ALL.into_iter().filter_map(FixedOrder::layout).collect(),
    }
}

/// The artifacts of both sides of some changes in other layouts, and their folders.
pub(super) struct LayoutArtifacts {
    /// By revision: the artifacts, or the reason why there are none.
    made: BTreeMap<String, Result<Vec<Digest>, String>>,
    /// The folder of each.
    pub folders: HashMap<Digest, PathBuf>,
}

impl Context<'_> {
    /// Builds both sides in these layouts where one build alone differs; `None` if interrupted.
    pub(super) fn in_layouts(
        &mut self,
        question: &Question,
        (changes, layouts): (&[Change], &[Layout]),
        pairs: &mut [Result<ChangeSides, String>],
    ) -> Result<Option<LayoutArtifacts>, ExperimentError> {
        let mut all = LayoutArtifacts { made: BTreeMap::new(), folders: HashMap::new() };
        let is_asked = |(change, pair): &(&Change, &mut Result<ChangeSides, String>)| {
            change.asks_for_layouts() && pair.is_ok()
        };
        for (_, pair) in changes.iter().zip(pairs.iter_mut()).filter(is_asked) {
            let Ok(pair) = pair else { continue };
            for (revision, usual) in pair.usual() {
                if all.made.contains_key(&revision) {
                    continue;
                }
                let made = self.side_in_layouts(question, (&revision, usual), layouts)?;
                let Some(made) = made else { return Ok(None) };
                all.made.insert(revision, made);
            }
            pair.take_layouts(&all.made);
        }
        let artifacts: Vec<Digest> = all.made.values().flatten().flatten().copied().collect();
        self.builder.keep(&artifacts);
        for artifact in artifacts {
            if let Some(folder) = self.builder.unpack(artifact)? {
                all.folders.insert(artifact, folder);
            }
        }
        // Sides with one build keep it.
        for pair in pairs.iter_mut().flatten() {
            pair.let_go(&all.folders);
        }
        Ok(Some(all))
    }

    /// The artifacts of a revision in these layouts, or the reason why there are no others; `None`
    /// if interrupted.
    fn side_in_layouts(
        &mut self,
        question: &Question,
        (revision, usual): (&str, Digest),
        layouts: &[Layout],
    ) -> Result<Option<Result<Vec<Digest>, String>>, ExperimentError> {
        let Some(known) = question.revisions.iter().find(|known| known.id == revision) else {
            return Ok(Some(Err(format!("{revision} is no longer a known revision"))));
        };
        if question.plan.subject.build.is_none() {
            return Ok(Some(Err("nothing is built".to_owned())));
        }
        if layouts.is_empty() {
            return Ok(Some(Err("no linker here can shuffle code".to_owned())));
        }
        let question = Question { revisions: vec![known.clone()], ..question.clone() };
        let why = match build(self, &question, layouts)? {
            Ok((artifacts, _)) => match others(artifacts, usual, layouts) {
                Some(artifacts) => return Ok(Some(Ok(artifacts))),
                None => "the build ignores the order of its code".to_owned(),
            },
            Err(LayoutsResult::Interrupted) => return Ok(None),
            Err(LayoutsResult::NotBuilt { why, .. }) => {
                format!("another layout does not build: {why}")
            }
            Err(LayoutsResult::Ignored | LayoutsResult::Measured(_)) => {
                "the build ignores the order of its code".to_owned()
            }
        };
        Ok(Some(Err(why)))
    }
}

/// The layouts of a side. There are few fixed orders, so the usual one counts as a layout besides
/// them.
fn others(mut artifacts: Vec<Digest>, usual: Digest, layouts: &[Layout]) -> Option<Vec<Digest>> {
    if layouts.iter().all(|layout| layout.fixed.is_some()) && !artifacts.contains(&usual) {
        artifacts.push(usual);
    }
    (artifacts.len() > 1).then_some(artifacts)
}

/// Whether a build has machine code, which has one layout: a script has none, and only the size of
/// its environment can vary.
pub(super) fn has_machine_code(folder: &Path) -> bool {
    let begins_as_code = |path: &Path| {
        let mut first = [0; 4];
        File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
            && first == MACHINE_CODE
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    entries.flatten().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => has_machine_code(&entry.path()),
        Ok(kind) if kind.is_file() => begins_as_code(&entry.path()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_no_machine_code() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bin")).unwrap();
        std::fs::write(folder.path().join("bin/prog"), "#!/bin/sh\n").unwrap();
        assert!(!has_machine_code(folder.path()));
        std::fs::write(folder.path().join("bin/part"), b"\x7fELF\x02\x01").unwrap();
        assert!(has_machine_code(folder.path()));
    }

    #[test]
    fn the_usual_build_is_a_layout_beside_fixed_ones() {
        let [usual, sorted] = ["usual", "sorted"].map(Digest::of);
        let fixed = Layout { number: 0, fixed: Some(FixedOrder::Sorted), variables: vec![] };
        let shuffled = Layout { number: 1, fixed: None, ..fixed.clone() };
        assert_eq!(
            others(vec![sorted], usual, std::slice::from_ref(&fixed)),
            Some(vec![sorted, usual])
        );
        assert_eq!(others(vec![usual], usual, &[fixed]), None, "the order changed nothing");
        assert_eq!(others(vec![sorted], usual, &[shuffled]), None);
    }
}
