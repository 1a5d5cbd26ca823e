//! The database of FreeBSD's `pkg`: SQLite, with a row for each package and each file.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::database::{InstalledPackages, PackageChooser, PackageManager};
use crate::dpkg::PathFilter;
use crate::{Checksum, ListedFile, Package, Requirement, VerifyError};

/// Reads the database in the file `path`, as far as packages are chosen.
pub fn load(path: &Path, choose: PackageChooser) -> Result<InstalledPackages, VerifyError> {
    let failure = |source| VerifyError::FreeBsd { path: path.to_owned(), source };
    let database =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failure)?;
    let (packages, numbers) = packages(&database).map_err(failure)?;
    if packages.is_empty() {
        return Err(VerifyError::NoPackages { path: path.to_owned() });
    }
    let mut packages = choose(packages)?;
    add_files(&database, &numbers, &mut packages).map_err(failure)?;
    Ok(InstalledPackages {
        manager: PackageManager::Pkg,
        packages,
        left_out: PathFilter::default(),
        warnings: Vec::new(),
        unsummed: Vec::new(),
    })
}

/// All packages without their files, and the number of each by its label.
fn packages(database: &Connection) -> rusqlite::Result<(Vec<Package>, HashMap<String, i64>)> {
    let mut query = database
        .prepare("SELECT id, name, version, origin FROM packages ORDER BY name, version")?;
    let rows = query.query_map((), |row| {
        let (name, version): (String, String) = (row.get(1)?, row.get(2)?);
        let label = format!("{name}-{version}");
        let number: i64 = row.get(0)?;
        let depends = dependencies(database, number)?;
        let origin = row.get(3)?;
        Ok((number, Package { name, label, version, origin, depends, ..Package::default() }))
    })?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let numbers = rows.iter().map(|(number, package)| (package.label.clone(), *number)).collect();
    Ok((rows.into_iter().map(|(_, package)| package).collect(), numbers))
}

fn dependencies(database: &Connection, number: i64) -> rusqlite::Result<Vec<String>> {
    let mut query = database.prepare_cached("SELECT name FROM deps WHERE package_id = ?1")?;
    query.query_map([number], |row| row.get(0))?.collect()
}

fn add_files(
    database: &Connection,
    numbers: &HashMap<String, i64>,
    packages: &mut [Package],
) -> rusqlite::Result<()> {
    // One pass over all files: the table has no index by package.
    let mut by_number: HashMap<i64, &mut Package> = packages
        .iter_mut()
        .filter_map(|package| numbers.get(&package.label).map(|number| (*number, package)))
        .collect();
    let mut query = database.prepare("SELECT package_id, path, sha256 FROM files ORDER BY path")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let Some(package) = by_number.get_mut(&row.get(0)?) else { continue };
        let (path, sum): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        // A file without a sum has `-`, or nothing.
        let requirement = match sum.as_deref() {
            None | Some("" | "-") => Requirement::Exists,
            Some(sum) => Requirement::ContentOrTarget(Checksum::from_freebsd(sum)),
        };
        package.files.push(ListedFile { path: path.into(), requirement, is_conffile: false });
    }
    Ok(())
}
