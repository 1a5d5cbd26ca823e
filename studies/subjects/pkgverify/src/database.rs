//! Which database a system has, and what it says.

use std::path::{Path, PathBuf};

use crate::dpkg::PathFilter;
use crate::{Package, Requirement, RootFolder, VerifyError, dpkg, freebsd};

/// Whose database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageManager {
    /// Debian's `dpkg`.
    Dpkg,
    /// FreeBSD's `pkg`.
    Pkg,
}

impl PackageManager {
    /// The name of its command.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dpkg => "dpkg",
            Self::Pkg => "pkg",
        }
    }
}

/// What is installed.
#[derive(Debug)]
pub struct InstalledPackages {
    /// Whose database says so.
    pub manager: PackageManager,
    /// The packages, by label.
    pub packages: Vec<Package>,
    /// Files that the administrator had left out when packages were unpacked.
    pub left_out: PathFilter,
    /// Damage of the database itself, one sentence each.
    pub warnings: Vec<String>,
    /// Labels of packages with regular files and no checksum for any: only their presence can be
    /// verified, or not even that without a list of files.
    pub unsummed: Vec<String>,
}

impl InstalledPackages {
    /// Whether the database should record contents, and records none.
    #[must_use]
    pub fn records_nothing(&self) -> bool {
        let mut files = self.packages.iter().flat_map(|package| &package.files);
        !self.unsummed.is_empty()
            && files.all(|file| {
                matches!(file.requirement, Requirement::Exists | Requirement::Target(_))
            })
    }
}

/// Chooses packages, which have no files yet. Lists of files are read of the chosen ones only.
pub type PackageChooser<'a> = &'a dyn Fn(Vec<Package>) -> Result<Vec<Package>, VerifyError>;

/// Reads the database of the system in `root`, or the one in `admindir`, as far as packages are
/// chosen.
pub fn load(
    root: &RootFolder,
    admindir: Option<&Path>,
    choose: PackageChooser,
) -> Result<InstalledPackages, VerifyError> {
    let (manager, folder) = find(root, admindir)?;
    let mut installed = match manager {
        PackageManager::Dpkg => dpkg::load(root, &folder, choose)?,
        PackageManager::Pkg => freebsd::load(&folder.join("local.sqlite"), choose)?,
    };
    installed.packages.sort_by(|a, b| a.label.cmp(&b.label));
    Ok(installed)
}

fn find(
    root: &RootFolder,
    admindir: Option<&Path>,
) -> Result<(PackageManager, PathBuf), VerifyError> {
    let usual = ["var/lib/dpkg", "var/db/pkg"].map(|folder| root.path().join(folder));
    let folders = admindir.map_or_else(|| usual.to_vec(), |folder| vec![folder.to_owned()]);
    for folder in folders {
        if folder.join("status").exists() {
            return Ok((PackageManager::Dpkg, folder));
        }
        if folder.join("local.sqlite").exists() {
            return Ok((PackageManager::Pkg, folder));
        }
    }
    match admindir {
        Some(folder) => Err(VerifyError::NotADatabase { folder: folder.to_owned() }),
        None => Err(VerifyError::NoDatabase { root: root.path().to_owned() }),
    }
}
