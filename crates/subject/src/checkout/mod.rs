//! The checkout: one folder, always the same, that holds one revision's source.
//!
//! The folder is always the same, since its path gets into the artifacts: in debug information, in
//! messages, in caches; and with it in the digest. For git it is a clone of our own, which borrows
//! the objects of the user's repository and never writes there. `submodule` does the same for
//! submodules, `cvs` for CVS. The commands in a checkout are in `build`.

mod cvs;
mod merge;
pub(crate) mod network;
mod submodule;
pub(crate) mod work;

use std::path::{Path, PathBuf};
use std::{fs, io};

use tacho_record::Revision;
use tacho_record::plan::Source;

use crate::checkout::work::{CheckoutWork, WorkStop};
use crate::cvs::Cvs;
use crate::git::Git;
use crate::git_repository::Repository;
use crate::{SubjectError, files};

/// The origin of the source.
#[derive(Clone, Debug)]
pub(crate) enum CheckoutOrigin {
    /// The user's git repository.
    Git(Repository),
    /// A working copy from CVS.
    Cvs(cvs::Copy),
    /// Nowhere: the build commands of releases fetch them.
    Nowhere,
}

impl CheckoutOrigin {
    /// The origin that a plan in that folder names.
    pub fn of(source: &Source, plan_folder: &Path) -> Result<Self, SubjectError> {
        Ok(match source {
            Source::Git(path) => Self::Git(Repository::open(
                &plan_folder.join(path).components().collect::<PathBuf>(),
            )?),
            Source::Cvs(module) => {
                Self::Cvs(cvs::Copy::new(Cvs::of(module, plan_folder)?, module.clone()))
            }
            Source::Releases(_) | Source::ReleasesFrom(_) => Self::Nowhere,
        })
    }
}

/// The folder in which revisions are built, one after the other.
#[derive(Debug)]
pub(crate) struct Checkout {
    origin: CheckoutOrigin,
    cache: PathBuf,
    tree: PathBuf,
    /// Whether our clone has the tags that the user's repository had when we began.
    has_tags: bool,
    /// Whether submodules are checked out.
    submodules: bool,
}

impl Checkout {
    pub fn new(origin: CheckoutOrigin, cache: &Path) -> Self {
        Self {
            origin,
            cache: cache.to_owned(),
            tree: cache.join("tree"),
            has_tags: false,
            submodules: true,
        }
    }

    /// The same, with submodules checked out or left empty.
    pub fn with_submodules(self, submodules: bool) -> Self {
        Self { submodules, ..self }
    }

    /// The folder.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Makes the folder hold this revision's source and nothing else.
    pub fn take(&mut self, revision: &Revision, work: &mut CheckoutWork) -> Result<(), WorkStop> {
        match self.origin.clone() {
            CheckoutOrigin::Git(repository) => self.take_from_git(&repository, revision, work),
            CheckoutOrigin::Cvs(copy) => copy.take(&self.cache, &self.tree, revision, work),
            CheckoutOrigin::Nowhere => self.empty(),
        }
    }

    fn take_from_git(
        &mut self,
        repository: &Repository,
        revision: &Revision,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        let is_new = !self.is_whole(repository);
        if is_new {
            self.clone_again(repository, work)?;
        }
        match self.check_out(repository, revision, work) {
            // Whatever happened to our clone, it is cheaply replaced; the revision gets a second
            // chance.
            Err(WorkStop::Failed(..)) if !is_new => {
                self.clone_again(repository, work)?;
                self.check_out(repository, revision, work)
            }
            result => result,
        }
    }

    /// Puts a file or folder of another revision where the one of the same path is in the checkout.
    pub fn take_from(
        &self,
        other: &Revision,
        path: &str,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        work.log.note(&format!("takes {path} from {}", other.id))?;
        let what = format!("taking `{path}` from {}", other.short());
        match &self.origin {
            CheckoutOrigin::Git(repository) => {
                self.fetch_missing(repository, other, work)?;
                // A literal path, even if it looks like a pattern.
                let checkout = [
                    "--literal-pathspecs",
                    "checkout",
                    "--quiet",
                    "--force",
                    &other.id,
                    "--",
                    path,
                ];
                work.step(&what, self.git().command(checkout))
            }
            CheckoutOrigin::Cvs(copy) => {
                let taken = self.cache.join("taken");
                copy.take(&self.cache, &taken, other, work)?;
                let put = self.replace(&taken, path);
                files::remove(&taken).map_err(SubjectError::cache("remove", &taken))?;
                put.map_err(|error| WorkStop::failed(format!("{what} failed: {error}")))
            }
            CheckoutOrigin::Nowhere => {
                Err(WorkStop::failed(format!("{what} failed: there is no repository")))
            }
        }
    }

    /// Moves a file or folder from another tree to the same place in the checkout.
    fn replace(&self, other: &Path, path: &str) -> io::Result<()> {
        let (from, to) = (other.join(path), self.tree.join(path));
        from.symlink_metadata()?;
        files::remove(&to)?;
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::rename(from, to)
    }

    fn empty(&self) -> Result<(), WorkStop> {
        files::remove(&self.tree).map_err(SubjectError::cache("remove", &self.tree))?;
        fs::create_dir(&self.tree).map_err(SubjectError::cache("create", &self.tree))?;
        Ok(())
    }

    fn git(&self) -> Git {
        Git::below(&self.cache, &self.tree)
    }

    /// The file that marks the clone as complete, and has its source.
    fn seal(&self) -> PathBuf {
        self.tree.join(".git/tachograph")
    }

    /// Is there while git works on the clone: it may have been killed.
    fn busy(&self) -> PathBuf {
        self.cache.join("tree.busy")
    }

    fn is_whole(&self, repository: &Repository) -> bool {
        !self.busy().exists() && fs::read(self.seal()).is_ok_and(|seal| seal == seal_of(repository))
    }

    /// Clones the user's repository, without its objects: git looks them up there.
    fn clone_again(
        &mut self,
        repository: &Repository,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        work.log.note(&format!("clones {}", repository.common.display()))?;
        files::remove(&self.tree).map_err(SubjectError::cache("remove", &self.tree))?;
        let clone = [
            "clone",
            "--quiet",
            "--shared",
            "--no-checkout",
            "--template=",
            "--origin=origin",
            "--",
        ];
        let mut command = Git::below(&self.cache, &self.cache).command(clone);
        command.arg(&repository.common).arg(&self.tree);
        // A failed clone is not the revision's fault.
        work.fetch("git clone", command).map_err(|stop| match stop {
            WorkStop::Failed(why, _) => {
                WorkStop::Fatal(SubjectError::Git { command: "clone".to_owned(), why })
            }
            stop => stop,
        })?;
        self.configure(repository).map_err(WorkStop::Fatal)?;
        fs::write(self.seal(), seal_of(repository))
            .map_err(SubjectError::cache("write", &self.seal()))?;
        self.has_tags = true;
        Ok(())
    }

    /// Lets the clone have the remote of the user's repository: submodules may be named relative to
    /// it, and objects that a partial clone left out come from there.
    fn configure(&self, repository: &Repository) -> Result<(), SubjectError> {
        let git = self.git();
        let remotes = repository.git.lines(&["remote"])?;
        let remote = remotes.iter().find(|name| *name == "origin").or(remotes.first());
        let setting = |remote: &str, key: &str| -> Result<Option<String>, SubjectError> {
            let key = format!("remote.{remote}.{key}");
            Ok(repository.git.lines_if_any(&["config", "--get", &key])?.into_iter().next())
        };
        let top = repository.top().unwrap_or_else(|| repository.common.clone());
        let url = remote.map(|remote| setting(remote, "url")).transpose()?.flatten();
        let url = match url {
            Some(url) if url.starts_with("./") || url.starts_with("../") => top.join(url),
            Some(url) => PathBuf::from(url),
            None => top,
        };
        git.read(&["config", "remote.origin.url", &url.to_string_lossy()])?;
        if let Some(remote) = remote
            && setting(remote, "promisor")?.as_deref() == Some("true")
        {
            git.read(&["config", "core.repositoryFormatVersion", "1"])?;
            git.read(&["config", "extensions.partialClone", "origin"])?;
            git.read(&["config", "remote.origin.promisor", "true"])?;
            if let Some(filter) = setting(remote, "partialclonefilter")? {
                git.read(&["config", "remote.origin.partialclonefilter", &filter])?;
            }
        }
        Ok(())
    }

    fn check_out(
        &mut self,
        repository: &Repository,
        revision: &Revision,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        work.log.note(&format!("checks out {} in {}", revision.id, self.tree.display()))?;
        let busy = self.busy();
        fs::write(&busy, "").map_err(SubjectError::cache("write", &busy))?;
        let git = self.git();
        submodule::clear(&git)?;
        self.fetch_tags(repository, work)?;
        self.fetch_missing(repository, revision, work)?;
        // git sees neither sockets nor FIFOs nor devices, and takes a folder that holds one for an
        // empty one.
        files::remove_special(&self.tree)
            .map_err(|error| WorkStop::failed(format!("cannot clean the checkout: {error}")))?;
        let checkout = ["checkout", "--quiet", "--force", "--detach", &revision.id, "--"];
        work.step("git checkout", git.command(checkout))?;
        work.step("git clean", git.command(["clean", "-ffdxq"]))?;
        self.update_submodules(repository, work)?;
        fs::remove_file(&busy).map_err(SubjectError::cache("remove", &busy))?;
        Ok(())
    }

    fn update_submodules(
        &self,
        repository: &Repository,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        if self.submodules {
            submodule::update(&self.cache, &self.tree, &repository.common, work)
        } else {
            Ok(())
        }
    }

    /// Gets the tags that were made since we cloned: many a build asks `git describe` for its
    /// version.
    fn fetch_tags(
        &mut self,
        repository: &Repository,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        if !self.has_tags {
            let fetch =
                ["fetch", "--quiet", "--force", "--prune", "--no-tags", "--update-shallow", "--"];
            let mut command = self.git().command(fetch);
            command.arg(&repository.common).arg("refs/tags/*:refs/tags/*");
            work.fetch("git fetch", command)?;
            self.has_tags = true;
        }
        Ok(())
    }

    /// Gets a revision that our clone does not see: git does not let clones borrow from shallow
    /// ones.
    fn fetch_missing(
        &self,
        repository: &Repository,
        revision: &Revision,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        let name = format!("{}^{{commit}}", revision.id);
        if self.git().output(&["cat-file", "-e", &name])?.status.success() {
            return Ok(());
        }
        let pack = "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack";
        let mut command =
            self.git().command(["fetch", "--quiet", "--no-tags", "--update-shallow", pack, "--"]);
        command.arg(&repository.common).arg(&revision.id);
        work.fetch("git fetch", command)
    }
}

/// The content of the seal in a complete clone of a repository.
fn seal_of(repository: &Repository) -> Vec<u8> {
    [b"1 ", repository.common.as_os_str().as_encoded_bytes(), b"\n"].concat()
}

#[cfg(test)]
mod tests;
