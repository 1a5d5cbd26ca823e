//! The compilers, linkers and interpreters that builds find.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::SubjectError;
use crate::build::{BuildEnd, BuildLimits, BuildLog, Cut, execute};

/// The time limit for the versions of all tools together.
const LIMIT: Duration = Duration::from_secs(30);

/// Asks each existing tool. A failed tool gives no version, since its output may describe the
/// failure. `CC` and `CXX` are commands, possibly of several words.
const ASK: &str = r#"
ask() {
    name=$1
    shift
    command -v "$1" >/dev/null && said=$("$@" 2>/dev/null) || return 0
    printf '%s\t%s\n' "$name" "$(printf '%s\n' "$said" | head -n 1)"
}
ask cc ${CC:-cc} --version
ask c++ ${CXX:-c++} --version
for tool in ld rustc python3 node; do ask "$tool" "$tool" --version; done
ask go go version
"#;

/// The tools' versions, by the environment in which they were searched for.
#[derive(Debug, Default)]
pub(crate) struct Tools(HashMap<BTreeMap<String, String>, BTreeMap<String, String>>);

impl Tools {
    /// The first line of each tool's version, by name, asked once for each environment. Tools that
    /// are missing or print no version are absent.
    pub fn find(
        &mut self,
        environment: &BTreeMap<&str, &str>,
        folder: &Path,
        interrupt: &AtomicBool,
    ) -> Result<BTreeMap<String, String>, SubjectError> {
        let key =
            environment.iter().map(|(&name, &value)| (name.to_owned(), value.to_owned())).collect();
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let mut log = BuildLog::create(folder.join("logs").join(".tools"))?;
        let mut command = Command::new("sh");
        // Asking must not make rustup fetch a toolchain.
        command
            .args(["-c", ASK])
            .current_dir(folder)
            .env("RUSTUP_AUTO_INSTALL", "0")
            .envs(environment);
        let ended = execute(command, &mut log, BuildLimits { time: LIMIT, interrupt })?;
        let path = log.finish()?;
        let said = fs::read(&path).map_err(SubjectError::cache("read", &path))?;
        let found = understand(&String::from_utf8_lossy(&said));
        // After an interruption not all of them have answered.
        if ended != BuildEnd::Cut(Cut::Interrupted) {
            self.0.insert(key, found.clone());
        }
        Ok(found)
    }
}

/// The lines of the answer: a name, a tab, what it said.
fn understand(said: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let (name, version) = line.split_once('\t')?;
        let version: String =
            version.trim().chars().filter(|c| !c.is_control()).take(200).collect();
        (!version.is_empty() && !name.starts_with('#')).then(|| (name.to_owned(), version))
    };
    said.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::AtomicBool;

    use tempfile::TempDir;

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// A folder with programs, by name and what they do, and with a place for logs.
    fn programs(programs: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        for (name, script) in programs {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    fn found(tools: &mut Tools, folder: &TempDir) -> Vec<(String, String)> {
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let environment = BTreeMap::from([("PATH", path.as_str())]);
        let all = tools.find(&environment, folder.path(), &NEVER).unwrap();
        // What else this machine has is its own affair.
        all.into_iter()
            .filter(|(name, _)| !["c++", "ld", "python3"].contains(&name.as_str()))
            .collect()
    }

    #[test]
    fn what_is_there_is_asked_once_and_what_fails_says_nothing() {
        let folder = programs(&[
            ("cc", "echo \"cc (Own) 12.2.0\"; echo Copyright; echo warning >&2"),
            ("rustc", "echo no toolchain; exit 1"),
            ("node", "exit 0"),
            ("go", "test \"$1\" = version && echo go version go1.24 linux/amd64"),
        ]);
        let mut tools = Tools::default();
        let expected = [("cc", "cc (Own) 12.2.0"), ("go", "go version go1.24 linux/amd64")];
        let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
        assert_eq!(found(&mut tools, &folder), expected);
        fs::write(folder.path().join("cc"), "#!/bin/sh\necho other\n").unwrap();
        assert_eq!(found(&mut tools, &folder), expected, "asked once");
        assert_eq!(found(&mut Tools::default(), &folder)[0].1, "other");
    }

    #[test]
    fn the_compiler_is_the_one_that_the_environment_names() {
        let folder =
            programs(&[("cc", "echo usual"), ("own", "test \"$1\" = -m32 && echo own 1.2")]);
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let environment = BTreeMap::from([("PATH", path.as_str()), ("CC", "own -m32")]);
        let all = Tools::default().find(&environment, folder.path(), &NEVER).unwrap();
        assert_eq!(all["cc"], "own 1.2");
    }

    #[test]
    fn what_is_no_answer_is_left_out() {
        let said = "# left behind and killed: x\ty\ncc\tcc 13\u{1b}[0m\r\nwarning\nnode\t\n";
        assert_eq!(understand(said), BTreeMap::from([("cc".to_owned(), "cc 13[0m".to_owned())]));
    }
}
