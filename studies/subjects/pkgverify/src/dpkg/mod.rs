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
    let status = read(&admindir.join("status"))?;
    let diversions = Diversions::parse(&read_if_there(&admindir.join("diversions"))?);
    let mut database = Database { admindir, diversions, warnings: Vec::new() };
    let stanzas: HashMap<String, Stanza> = status::stanzas(&status)
        .filter(Stanza::has_files)
        .map(|stanza| (stanza.label(), stanza))
        .collect();
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
    let warnings = database.warnings;
    Ok(InstalledPackages { manager: PackageManager::Dpkg, packages, left_out, warnings })
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
    admindir: &'a Path,
    diversions: Diversions,
    warnings: Vec<String>,
}

impl Database<'_> {
    fn files(&mut self, stanza: &Stanza) -> Result<Vec<ListedFile>, VerifyError> {
        let mut files = self.conffiles(stanza);
        let conffiles: HashSet<PathBuf> =
            stanza.conffiles.iter().map(|conffile| path(conffile.path)).collect();
        for (listed, checksum) in self.summed(stanza)? {
            if !conffiles.contains(&listed) {
                files.push(self.listed(stanza, &listed, Requirement::Content(checksum), false));
            }
        }
        self.add_unsummed(stanza, &conffiles, &mut files)?;
        Ok(files)
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

    /// Files that are listed without a checksum, such as symlinks: they must be there.
    fn add_unsummed(
        &mut self,
        stanza: &Stanza,
        conffiles: &HashSet<PathBuf>,
        files: &mut Vec<ListedFile>,
    ) -> Result<(), VerifyError> {
        let Some(name) = self.info(stanza, "list") else {
            self.warnings.push(format!("package `{}` has no list of files", stanza.label()));
            return Ok(());
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
        Ok(())
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
