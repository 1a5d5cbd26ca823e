//! Systems with a package database, made for one test each.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use md5::{Digest, Md5};
use sha2::Sha256;
use tempfile::TempDir;

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_pkgverify");

/// What the program answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    pub fn new(status: i32, stdout: &str, stderr: &str) -> Self {
        Self { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }
}

/// A system in a temporary folder.
pub struct System {
    folder: TempDir,
}

impl System {
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// One with an empty database of dpkg.
    pub fn debian() -> Self {
        let system = Self::empty();
        system.write("/var/lib/dpkg/status", "");
        fs::create_dir_all(system.at("/var/lib/dpkg/info")).unwrap();
        system
    }

    /// One with a database of FreeBSD's pkg that holds the package zsh, without files.
    pub fn freebsd() -> Self {
        let system = Self::empty();
        fs::create_dir_all(system.at("/var/db/pkg")).unwrap();
        // The columns that matter, as `pkg` 1.20 declares them.
        let tables = "
            CREATE TABLE packages (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, name TEXT NOT NULL,
                version TEXT NOT NULL);
            CREATE TABLE files (path TEXT PRIMARY KEY, sha256 TEXT,
                package_id INTEGER REFERENCES packages(id));
            CREATE TABLE deps (origin TEXT NOT NULL, name TEXT NOT NULL, version TEXT,
                package_id INTEGER REFERENCES packages(id));
            INSERT INTO packages VALUES (1, 'shells/zsh', 'zsh', '5.9');";
        system.database().execute_batch(tables).unwrap();
        system
    }

    fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.at("/var/db/pkg/local.sqlite")).unwrap()
    }

    /// A file of a FreeBSD package.
    pub fn row(self, package: &str, path: &str, sum: &str) -> Self {
        let row = "INSERT INTO files SELECT ?2, ?3, id FROM packages WHERE name = ?1";
        self.database().execute(row, (package, path, sum)).unwrap();
        self
    }

    /// A Debian package with files, which are written.
    pub fn package(self, name: &str, files: &[(&str, &str)]) -> Self {
        for (path, content) in files {
            self.write(path, content);
        }
        self.recorded(name, files)
    }

    /// A Debian package with files, which are not written.
    pub fn recorded(self, name: &str, files: &[(&str, &str)]) -> Self {
        let stanza = format!(
            "Package: {name}\nStatus: install ok installed\nSource: src-{name}\nArchitecture: all\n\
             Version: 1.0\n\n"
        );
        self.append("/var/lib/dpkg/status", &stanza);
        self.append(&format!("/var/lib/dpkg/info/{name}.list"), "/.\n/usr\n");
        for (path, content) in files {
            self.list(name, path);
            self.append(
                &format!("/var/lib/dpkg/info/{name}.md5sums"),
                &format!("{}  {}\n", md5(content), &path[1..]),
            );
        }
        fs::create_dir_all(self.at("/usr")).unwrap();
        self
    }

    fn list(&self, package: &str, path: &str) {
        self.append(&format!("/var/lib/dpkg/info/{package}.list"), &format!("{path}\n"));
    }

    /// A further line of a package's sums.
    pub fn md5sums(self, package: &str, line: &str) -> Self {
        self.append(&format!("/var/lib/dpkg/info/{package}.md5sums"), line);
        self
    }

    /// A configuration file of the package that was added last.
    pub fn conffile(self, package: &str, path: &str, content: &str) -> Self {
        self.write(path, content);
        self.list(package, path);
        self.field(&format!("Conffiles:\n {path} {}", md5(content)));
        self
    }

    /// A dependency of the package that was added last.
    pub fn depends(self, _package: &str, on: &str) -> Self {
        self.field(&format!("Depends: {on} (>= 0.1)"));
        self
    }

    fn field(&self, text: &str) {
        let status = fs::read_to_string(self.at("/var/lib/dpkg/status")).unwrap();
        self.write("/var/lib/dpkg/status", &format!("{}\n{text}\n\n", status.trim_end()));
    }

    /// A symlink of a package.
    pub fn link(self, package: &str, path: &str, target: &str) -> Self {
        self.link_at(path, target);
        self.list(package, path);
        self
    }

    pub fn divert(self, from: &str, to: &str, package: &str) -> Self {
        self.append("/var/lib/dpkg/diversions", &format!("{from}\n{to}\n{package}\n"));
        self
    }

    /// A system with copies of these packages of this machine; none if it is no Debian or they are
    /// damaged.
    pub fn copy_of_real_packages(names: &[&str]) -> Option<Self> {
        let intact = Command::new(PROGRAM).args(names).arg("--no-conffiles").status().ok()?;
        if !Path::new("/var/lib/dpkg/status").exists() || !intact.success() {
            return None;
        }
        let system = Self::debian();
        // Folders that became symlinks must be there before anything is put into them.
        for name in ["bin", "sbin", "lib", "lib64"] {
            if let Ok(target) = fs::read_link(Path::new("/").join(name)) {
                let target = target.to_str()?.trim_start_matches('/');
                fs::create_dir_all(system.at(target)).unwrap();
                symlink(target, system.at(name)).unwrap();
            }
        }
        let status = fs::read_to_string("/var/lib/dpkg/status").unwrap();
        for name in names {
            let stanza =
                status.split("\n\n").find(|stanza| stanza.contains(&format!("Package: {name}\n")));
            system.append("/var/lib/dpkg/status", &format!("{}\n\n", stanza?));
            for kind in ["list", "md5sums"] {
                let file = format!("/var/lib/dpkg/info/{name}.{kind}");
                fs::copy(&file, system.at(&file)).unwrap();
            }
            let list = format!("/var/lib/dpkg/info/{name}.list");
            let copy = format!(
                "tar -C / --no-recursion --verbatim-files-from -cf - -T {list} 2>/dev/null"
            );
            let extract = "tar --keep-directory-symlink -xf - -C";
            let line = format!("{copy} | {extract} {}", system.at("/").display());
            Command::new("sh")
                .args(["-c", &line])
                .stderr(std::process::Stdio::null())
                .status()
                .unwrap();
        }
        fs::copy("/var/lib/dpkg/diversions", system.at("/var/lib/dpkg/diversions")).ok();
        Some(system)
    }

    /// Where a path of the system is.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    /// The same, to be changed: its folder is made. Panics if a symlink leads out of the system, so
    /// that no test can damage the machine that executes it.
    fn within(&self, path: &str) -> PathBuf {
        let (place, folder) = (self.at(path), self.folder.path().canonicalize().unwrap());
        let is_there = |part: &&Path| part.symlink_metadata().is_ok();
        let parent = place.parent().unwrap();
        let nearest = parent.ancestors().find(is_there).unwrap().canonicalize().unwrap();
        assert!(nearest.starts_with(folder), "`{path}` leads out of the system");
        fs::create_dir_all(parent).unwrap();
        place
    }

    pub fn write(&self, path: &str, content: &str) {
        let place = self.within(path);
        assert!(!place.is_symlink(), "`{path}` is a symlink");
        fs::write(place, content).unwrap();
    }

    fn append(&self, path: &str, content: &str) {
        let before = fs::read_to_string(self.at(path)).unwrap_or_default();
        self.write(path, &(before + content));
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.within(path)).unwrap();
    }

    pub fn link_at(&self, path: &str, target: &str) {
        symlink(target, self.within(path)).unwrap();
    }

    pub fn replace_by_link(&self, path: &str, target: &str) {
        self.remove(path);
        self.link_at(path, target);
    }

    pub fn replace_by_folder(&self, path: &str) {
        self.remove(path);
        fs::create_dir(self.at(path)).unwrap();
    }

    pub fn replace_by_pipe(&self, path: &str) {
        self.remove(path);
        assert!(Command::new("mkfifo").arg(self.at(path)).status().unwrap().success());
    }

    pub fn flip_bit(&self, path: &str, position: usize) {
        let place = self.within(path);
        assert!(!place.is_symlink(), "`{path}` is a symlink");
        let mut bytes = fs::read(&place).unwrap();
        bytes[position] ^= 1;
        fs::write(place, bytes).unwrap();
    }

    /// Lets other users read it.
    pub fn share(&self) {
        fs::set_permissions(self.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Copies a program, by another process: no child of another test then holds the copy open for
    /// writing.
    pub fn copy_program(&self, program: &Path, path: &str) {
        let copy = self.within(path);
        assert!(
            Command::new("install")
                .args(["-m", "755"])
                .arg(program)
                .arg(copy)
                .status()
                .unwrap()
                .success()
        );
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("--root").arg(self.folder.path()).args(arguments).env_remove("DEVELOPER");
        command
    }

    pub fn verify(&self, arguments: &[&str]) -> Answer {
        answer(&mut self.command(arguments))
    }

    /// The same as the user `nobody`, from a copy that this user may execute.
    pub fn verify_as_nobody(&self, arguments: &[&str]) -> Answer {
        let copy = self.at("/pkgverify");
        if !copy.exists() {
            self.copy_program(Path::new(PROGRAM), "/pkgverify");
        }
        let mut command = Command::new(copy);
        command.arg("--root").arg(self.folder.path()).args(arguments).env_remove("DEVELOPER");
        answer(command.uid(65534).gid(65534).current_dir("/"))
    }
}

fn answer(command: &mut Command) -> Answer {
    let output = command.output().unwrap();
    Answer {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The MD5 sum of a text, as Debian records it.
pub fn md5(content: &str) -> String {
    hex(&Md5::digest(content))
}

/// The sum of a file, as FreeBSD records it.
pub fn pkg_sum(content: &str) -> String {
    format!("1${}", hex(&Sha256::digest(content)))
}

/// The sum of a symlink by its target path, as FreeBSD records it.
pub fn pkg_target_sum(target: &str) -> String {
    target.strip_prefix('/').map_or_else(|| pkg_sum(target), |rest| pkg_sum(&format!("{rest}\0")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
