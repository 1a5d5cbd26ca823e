//! Checkouts from CVS.
//!
//! A working copy of our own is updated from one date to the next by `cvs update`, which transfers
//! only the differences. As cvs cannot remove the files that a build leaves, nothing is built
//! there. Each revision is copied to its build folder, without the folders called `CVS`, whose
//! dates would get into artifacts.

use std::fs::{self, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tacho_record::Revision;
use tacho_record::plan::CvsModule;

use crate::checkout::work::{CheckoutWork, WorkStop};
use crate::cvs::Cvs;
use crate::{SubjectError, files};

/// The bit of a file's mode by which its owner may write to it.
const OWNER_WRITES: u32 = 0o200;

/// A working copy.
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    cvs: Cvs,
    module: CvsModule,
}

impl Copy {
    pub fn new(cvs: Cvs, module: CvsModule) -> Self {
        Self { cvs, module }
    }

    /// Makes the tree hold this revision's source and nothing else; what is needed for it goes into
    /// the cache.
    pub fn take(
        &self,
        cache: &Path,
        tree: &Path,
        revision: &Revision,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        let (folder, seal) = (cache.join("cvs"), cache.join("cvs.whole"));
        let is_new = fs::read_to_string(&seal).ok() != Some(self.seal());
        match self.update(&folder, &seal, is_new, revision, work) {
            // Our copy may be damaged: another one is made, and the revision gets a second chance.
            Err(WorkStop::Failed(..)) if !is_new => {
                self.update(&folder, &seal, true, revision, work)
            }
            result => result,
        }
        .map_err(|stop| self.whose(stop))?;
        files::remove(tree).map_err(SubjectError::cache("remove", tree))?;
        if !folder.exists() {
            // All that there ever was is removed at that date.
            fs::create_dir(&folder).map_err(SubjectError::cache("create", &folder))?;
        }
        let time = revision.date.map_or(SystemTime::UNIX_EPOCH, SystemTime::from);
        copy(&folder, tree, time).map_err(SubjectError::cache("write", tree))?;
        Ok(())
    }

    /// A repository that does not answer is not the revision's fault.
    fn whose(&self, stop: WorkStop) -> WorkStop {
        match stop {
            WorkStop::Failed(why, cause) => {
                self.cvs.reach().map_or_else(WorkStop::Fatal, |()| WorkStop::Failed(why, cause))
            }
            stop => stop,
        }
    }

    /// Brings the copy to the revision's date. The seal exists while the copy is complete.
    fn update(
        &self,
        folder: &Path,
        seal: &Path,
        is_new: bool,
        revision: &Revision,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        let date = revision.date.map(|date| date.strftime("%Y-%m-%d %H:%M:%S UTC").to_string());
        let date = date.ok_or_else(|| WorkStop::failed("the revision has no date"))?;
        work.log.note(&format!(
            "gets `{}` of {date} from {}",
            self.module.module,
            self.cvs.root()
        ))?;
        files::remove(seal).map_err(SubjectError::cache("remove", seal))?;
        let keywords = format!("-k{}", self.module.keywords);
        let mut options = vec![keywords.as_str(), "-D", date.as_str()];
        if let Some(branch) = &self.module.branch {
            options.extend(["-r", branch]);
        }
        if is_new {
            files::remove(folder).map_err(SubjectError::cache("remove", folder))?;
            let into = ["checkout", "-P", "-d", &name(folder)];
            let module = ["--", &self.module.module];
            let mut command = self.cvs.command([&into, options.as_slice(), &module].concat());
            command.current_dir(folder.parent().unwrap_or(folder));
            work.fetch("cvs checkout", command)?;
        } else {
            let mut command =
                self.cvs.command([&["update", "-d", "-P", "-C"], options.as_slice()].concat());
            command.current_dir(folder);
            work.fetch("cvs update", command)?;
        }
        fs::write(seal, self.seal()).map_err(SubjectError::cache("write", seal))?;
        Ok(())
    }

    /// The text of the seal: the source of the copy.
    fn seal(&self) -> String {
        let CvsModule { module, branch, keywords, .. } = &self.module;
        format!(
            "1 {}\n{module}\n{}\n{keywords}\n",
            self.cvs.root(),
            branch.as_deref().unwrap_or_default()
        )
    }
}

/// The last part of the path, which is ours and plain.
fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Copies a folder without what cvs keeps in it. All files get the same time: which of two that
/// were committed together is the newer says nothing, and yet `make` would make one of the other.
fn copy(from: &Path, to: &Path, time: SystemTime) -> io::Result<()> {
    fs::create_dir(to)?;
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(from)? {
        entries.push(entry?.path());
    }
    for path in entries {
        let target = to.join(path.file_name().unwrap_or_default());
        let kind = path.symlink_metadata()?.file_type();
        if kind.is_dir() {
            if path.file_name().is_some_and(|name| name != "CVS") {
                copy(&path, &target, time)?;
            }
        } else if kind.is_file() {
            fs::copy(&path, &target)?;
            // cvs makes files that are watched (`cvs watch on`) read-only: a matter of its users,
            // not of a build.
            let mode = target.metadata()?.permissions().mode();
            fs::set_permissions(&target, Permissions::from_mode(mode | OWNER_WRITES))?;
            let file = fs::File::options().append(true).open(&target)?;
            file.set_times(FileTimes::new().set_modified(time))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
