//! The database of Debian's `dpkg`, as `deb(5)` and `dpkg-query(1)` describe its files.

mod alternatives;
mod diversions;
mod filter;
mod status;
mod sums;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::database::{InstalledPackages, PackageChooser, PackageManager};
use crate::{ListedFile, Package, Requirement, RootFolder, VerifyError};
use diversions::Diversions;
pub use filter::PathFilter;
use status::Stanza;

/// Reads the database in `admindir`, which describes the system in `root`, as far as packages are
/// chosen.
pub fn load(
    root: &RootFolder,
    admindir: &Path,
    choose: PackageChooser,
) -> Result<InstalledPackages, VerifyError> {
    let status_path = admindir.join("status");
    let status = read(&status_path)?;
    let diversions = Diversions::parse(&read_if_there(&admindir.join("diversions"))?);
    let warnings = status::damage(&status, &status_path);
    let mut database = Database {
        root,
        admindir,
        diversions,
        warnings,
        unlisted: Vec::new(),
        unsummed: Vec::new(),
    };
    let stanzas: HashMap<String, Stanza> = status::stanzas(&status)
        .filter(Stanza::has_files)
        .map(|stanza| (stanza.label(), stanza))
        .collect();
    if stanzas.is_empty() {
        return Err(VerifyError::NoPackages { path: status_path });
    }
    let mut packages: Vec<Package> = stanzas.values().map(package).collect();
    packages.extend(alternatives::package(
        root,
        &admindir.join("alternatives"),
        &mut database.warnings,
    ));
    packages.sort_by(|a, b| a.label.cmp(&b.label));
    let mut packages = choose(packages)?;
    for package in &mut packages {
        // The alternatives have their files, and no stanza.
        if let Some(stanza) = stanzas.get(&package.label) {
            package.files = database.files(stanza)?;
        }
    }
    let left_out = PathFilter::load(&root.path().join("etc/dpkg"))?;
    let Database { mut warnings, unlisted, unsummed, .. } = database;
    warnings.extend(without_list(&unlisted));
    let manager = PackageManager::Dpkg;
    Ok(InstalledPackages { manager, packages, left_out, warnings, unsummed })
}

/// A package, without its files.
fn package(stanza: &Stanza) -> Package {
    Package {
        name: stanza.name.clone(),
        label: stanza.label(),
        version: stanza.version.clone(),
        origin: stanza.source.clone(),
        depends: stanza.depends.clone(),
        provides: stanza.provides.clone(),
        files: Vec::new(),
    }
}

struct Database<'a> {
    root: &'a RootFolder,
    admindir: &'a Path,
    diversions: Diversions,
    warnings: Vec<String>,
    /// Labels of packages without `*.list`.
    unlisted: Vec<String>,
    unsummed: Vec<String>,
}

impl Database<'_> {
    fn files(&mut self, stanza: &Stanza) -> Result<Vec<ListedFile>, VerifyError> {
        let mut files = self.conffiles(stanza);
        let conffiles: HashSet<PathBuf> =
            stanza.conffiles.iter().map(|conffile| path(conffile.path)).collect();
        let summed = self.summed(stanza)?;
        let has_sums = !summed.is_empty();
        for (listed, checksum) in summed {
            if !conffiles.contains(&listed) {
                files.push(self.listed(stanza, &listed, Requirement::Content(checksum), false));
            }
        }
        let is_listed = self.add_unsummed(stanza, &conffiles, &mut files)?;
        if !has_sums && (!is_listed || files.iter().any(|file| self.lacks_sum(file))) {
            self.unsummed.push(stanza.label());
        }
        Ok(files)
    }

    /// Whether it is a regular file, whose content nothing in the database describes. Packages of
    /// symlinks and folders need no checksums.
    fn lacks_sum(&self, file: &ListedFile) -> bool {
        file.requirement == Requirement::Exists
            && self
                .root
                .locate(&file.path, false)
                .and_then(|path| path.symlink_metadata())
                .is_ok_and(|found| found.is_file())
    }

    /// Conffiles that still belong to the package; their checksums stand in the status.
    fn conffiles(&self, stanza: &Stanza) -> Vec<ListedFile> {
        let current = stanza
            .conffiles
            .iter()
            .filter_map(|conffile| Some((conffile.path, conffile.sum.clone()?)));
        current
            .map(|(listed, sum)| {
                self.listed(stanza, &path(listed), Requirement::Content(sum), true)
            })
            .collect()
    }

    /// Files with a checksum of their own.
    fn summed(&mut self, stanza: &Stanza) -> Result<Vec<sums::Summed>, VerifyError> {
        let Some(name) = self.info(stanza, "md5sums") else { return Ok(Vec::new()) };
        let (summed, bad) = sums::parse(&read(&name)?);
        if let Some(line) = bad {
            self.warnings.push(format!("`{}`, line {line}: no checksum and path", name.display()));
        }
        Ok(summed)
    }

    /// Files that are listed without a checksum, such as symlinks: they must be there. Returns
    /// whether there is a list.
    fn add_unsummed(
        &mut self,
        stanza: &Stanza,
        conffiles: &HashSet<PathBuf>,
        files: &mut Vec<ListedFile>,
    ) -> Result<bool, VerifyError> {
        let Some(name) = self.info(stanza, "list") else {
            self.unlisted.push(stanza.label());
            return Ok(false);
        };
        let list = read(&name)?;
        let known: HashSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        for line in
            list.split(|&byte| byte == b'\n').filter(|line| !line.is_empty() && line != b"/.")
        {
            let listed = path(line);
            let place = self.diversions.place(&listed, &stanza.name);
            if !known.contains(place) && !conffiles.contains(&listed) {
                files.push(self.listed(stanza, &listed, Requirement::Exists, false));
            }
        }
        Ok(true)
    }

    fn listed(
        &self,
        stanza: &Stanza,
        path: &Path,
        requirement: Requirement,
        is_conffile: bool,
    ) -> ListedFile {
        let path = self.diversions.place(path, &stanza.name).to_owned();
        ListedFile { path, requirement, is_conffile }
    }

    /// The file of `kind` for a package. Those that several architectures may share have the
    /// architecture in their name.
    fn info(&self, stanza: &Stanza, kind: &str) -> Option<PathBuf> {
        let names = [
            format!("{}:{}.{kind}", stanza.name, stanza.architecture),
            format!("{}.{kind}", stanza.name),
        ];
        names
            .into_iter()
            .map(|name| self.admindir.join("info").join(name))
            .find(|path| path.exists())
    }
}

/// One warning, however many packages have no list: a lost folder `info` would give hundreds.
fn without_list(labels: &[String]) -> Option<String> {
    match labels {
        [] => None,
        [label] => Some(format!("package `{label}` has no list of files")),
        [first, ..] => {
            Some(format!("{} packages have no list of files, such as `{first}`", labels.len()))
        }
    }
}

/// A path as the database writes it: absolute, or without its leading `/`, or with `./`.
fn path(text: &[u8]) -> PathBuf {
    let text = text.strip_prefix(b"./").unwrap_or(text);
    Path::new("/").join(OsStr::from_bytes(text))
}

fn read(path: &Path) -> Result<Vec<u8>, VerifyError> {
    std::fs::read(path).map_err(|source| VerifyError::Read { path: path.to_owned(), source })
}

fn read_if_there(path: &Path) -> Result<Vec<u8>, VerifyError> {
    match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        content => content.map_err(|source| VerifyError::Read { path: path.to_owned(), source }),
    }
}
