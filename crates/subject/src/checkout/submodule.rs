//! Submodules of a checkout: from the user's own copies where there are any, so that no network is
//! needed.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::checkout::work::{CheckoutWork, WorkStop};
use crate::git::Git;
use crate::{SubjectError, files};

/// A submodule of the revision that is checked out.
struct Submodule {
    name: String,
    path: String,
}

/// Removes the work trees of all submodules; what they consist of stays in `.git/modules`.
///
/// git leaves them in place when the next revision does not have them, or has something else there.
pub(super) fn clear(git: &Git) -> Result<(), SubjectError> {
    for path in links(git)? {
        let path = git.folder().join(path);
        files::remove(&path).map_err(SubjectError::cache("remove", &path))?;
    }
    Ok(())
}

/// Checks out the submodules of a work tree, and theirs. `user` is where the user has the
/// repository that the work tree is of, if anywhere: its submodules are borrowed from as well.
pub(super) fn update(
    cache: &Path,
    tree: &Path,
    user: &Path,
    work: &mut CheckoutWork,
) -> Result<(), WorkStop> {
    let git = Git::below(cache, tree);
    for submodule in submodules(&git)? {
        let name = Path::new(&submodule.name);
        if !name.components().all(|component| matches!(component, Component::Normal(_))) {
            return Err(WorkStop::failed(format!(
                "submodule `{}` has a name that is not a path",
                submodule.name
            )));
        }
        let user = user.join("modules").join(name);
        update_one(&git, &submodule, &user, work)?;
        update(cache, &tree.join(&submodule.path), &user, work)?;
    }
    Ok(())
}

fn update_one(
    git: &Git,
    submodule: &Submodule,
    user: &Path,
    work: &mut CheckoutWork,
) -> Result<(), WorkStop> {
    let Submodule { name, path } = submodule;
    // The settings of an earlier revision are removed first.
    git.output(&["config", "--remove-section", &format!("submodule.{name}")])?;
    work.fetch("git submodule init", git.command(["submodule", "--quiet", "init", "--", path]))?;
    let url = git.lines_if_any(&["config", "--get", &format!("submodule.{name}.url")])?;
    let own = git_folder(git)?.join("modules").join(name);
    let tree = git.folder().join(path);
    if !own.exists() && user.join("objects").is_dir() {
        if let Some(parent) = own.parent() {
            fs::create_dir_all(parent).map_err(SubjectError::cache("create", parent))?;
        }
        let mut clone =
            git.command(["clone", "--quiet", "--shared", "--no-checkout", "--template="]);
        clone.arg("--separate-git-dir").arg(&own).arg("--").arg(user).arg(&tree);
        work.fetch("git clone", clone)?;
    }
    if let (Some(url), true) = (url.first(), own.exists()) {
        Git::new(&own).read(&["--git-dir=.", "config", "remote.origin.url", url])?;
    }
    let update = [
        "submodule",
        "--quiet",
        "update",
        "--force",
        "--checkout",
        "--no-recommend-shallow",
        "--",
        path,
    ];
    work.fetch("git submodule update", git.command(update))
}

/// The submodules that are at their places and that the project does not leave out itself.
fn submodules(git: &Git) -> Result<Vec<Submodule>, SubjectError> {
    if !git.folder().join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let links = links(git)?;
    let file = ["config", "--file", ".gitmodules", "--null"];
    let output = git.output(&[&file[..], &["--get-regexp", r"^submodule\..*\.path$"]].concat())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut found = Vec::new();
    for (key, path) in text.split('\0').filter_map(|setting| setting.split_once('\n')) {
        let name = key.trim_start_matches("submodule.").trim_end_matches(".path").to_owned();
        let update = git.lines_if_any(&[
            "config",
            "--file",
            ".gitmodules",
            "--get",
            &format!("submodule.{name}.update"),
        ])?;
        if links.iter().any(|link| link == Path::new(path))
            && update.first().map(String::as_str) != Some("none")
        {
            found.push(Submodule { name, path: path.to_owned() });
        }
    }
    Ok(found)
}

/// The places of submodules in the index.
fn links(git: &Git) -> Result<Vec<PathBuf>, SubjectError> {
    let text = git.read(&["ls-files", "--stage", "-z"])?;
    let link = |entry: &[u8]| {
        let path = entry.strip_prefix(b"160000 ")?.splitn(2, |&byte| byte == b'\t').nth(1)?;
        Some(PathBuf::from(String::from_utf8_lossy(path).into_owned()))
    };
    Ok(text.split(|&byte| byte == 0).filter_map(link).collect())
}

/// The folder that git keeps the repository in.
fn git_folder(git: &Git) -> Result<PathBuf, SubjectError> {
    let lines = git.lines(&["rev-parse", "--absolute-git-dir"])?;
    Ok(lines.first().map(PathBuf::from).unwrap_or_default())
}
