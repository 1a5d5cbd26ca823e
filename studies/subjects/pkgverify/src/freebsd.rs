//! The database of FreeBSD's `pkg`: SQLite, with a row for each package and each file.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::database::{InstalledPackages, PackageManager};
use crate::dpkg::PathFilter;
use crate::{Checksum, ListedFile, Package, Requirement, VerifyError};

/// Reads the database in the file `path`.
pub fn load(path: &Path) -> Result<InstalledPackages, VerifyError> {
    let packages = read(path).map_err(|source| VerifyError::FreeBsd { path: path.to_owned(), source })?;
    Ok(InstalledPackages {
        manager: PackageManager::Pkg,
        packages,
        left_out: PathFilter::default(),
        warnings: Vec::new(),
    })
}

fn read(path: &Path) -> rusqlite::Result<Vec<Package>> {
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut packages = packages(&database)?;
    add_files(&database, &mut packages)?;
    add_dependencies(&database, &mut packages)?;
    Ok(packages.into_values().collect())
}

/// All packages by their number.
fn packages(database: &Connection) -> rusqlite::Result<HashMap<i64, Package>> {
    let mut query = database.prepare("SELECT id, name, version, origin FROM packages")?;
    let rows = query.query_map((), |row| {
        let (name, version): (String, String) = (row.get(1)?, row.get(2)?);
        let label = format!("{name}-{version}");
        Ok((row.get(0)?, Package { name, label, version, origin: row.get(3)?, ..Package::default() }))
    })?;
    rows.collect()
}

fn add_files(database: &Connection, packages: &mut HashMap<i64, Package>) -> rusqlite::Result<()> {
    let mut query = database.prepare("SELECT package_id, path, sha256 FROM files ORDER BY path")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        let (path, sum): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        // A file without a sum has `-`, or nothing.
        let requirement = match sum.as_deref() {
            None | Some("" | "-") => Requirement::Exists,
            Some(sum) => Requirement::ContentOrTarget(Checksum::from_freebsd(sum)),
        };
        if let Some(package) = packages.get_mut(&row.get(0)?) {
            package.files.push(ListedFile { path: path.into(), requirement, is_conffile: false });
        }
    }
    Ok(())
}

fn add_dependencies(database: &Connection, packages: &mut HashMap<i64, Package>) -> rusqlite::Result<()> {
    let mut query = database.prepare("SELECT package_id, name FROM deps")?;
    let mut rows = query.query(())?;
    while let Some(row) = rows.next()? {
        if let Some(package) = packages.get_mut(&row.get(0)?) {
            package.depends.push(row.get(1)?);
        }
    }
    Ok(())
}
