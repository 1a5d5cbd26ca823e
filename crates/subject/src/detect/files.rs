//! Reads a folder and ignores all that cannot be read.

use std::fs;
use std::path::{Path, PathBuf};

/// The depth to which files of a build system are searched for; a deeper one is hardly the main
/// program.
const DEPTH: usize = 4;

/// The largest file that is read, in bytes; build descriptions are smaller.
const LARGEST: u64 = 1 << 20;

/// Folders that hold something else than the project's programs.
const ASIDE: [&str; 24] = [
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "build",
    "contrib",
    "deps",
    "doc",
    "docs",
    "example",
    "examples",
    "extern",
    "external",
    "fuzz",
    "node_modules",
    "site",
    "target",
    "test",
    "testdata",
    "testing",
    "tests",
    "third_party",
    "thirdparty",
    "vendor",
];

/// Words in names of programs that are not what users of a project execute.
const ASIDE_NAMES: [&str; 14] = [
    "bench",
    "benchmark",
    "check",
    "demo",
    "doc",
    "docs",
    "example",
    "examples",
    "fuzz",
    "fuzzer",
    "sample",
    "samples",
    "test",
    "tests",
];

/// Whether a program of that name is probably a test, an example or the like.
pub(super) fn is_aside(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        ASIDE_NAMES.contains(&word)
            || word.starts_with("test")
            || ["test", "tests"].iter().any(|end| word.ends_with(end)) && word != "latest"
    })
}

/// The folder that a plan is for.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    ignored: String,
}

impl Folder {
    /// The folder with that path.
    pub(super) fn new(root: &Path) -> Self {
        let mut folder = Self { root: root.to_owned(), ignored: String::new() };
        folder.ignored = folder.read(".gitignore").unwrap_or_default();
        folder
    }

    /// The text of a file, by its path from the folder.
    pub(super) fn read(&self, path: &str) -> Option<String> {
        let path = self.root.join(path);
        let small = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        small
            .then(|| fs::read(&path).ok())
            .flatten()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The content of a file in TOML, by its path from the folder.
    pub(super) fn table(&self, path: &str) -> Option<toml::Table> {
        toml::from_str(&self.read(path)?).ok()
    }

    /// Whether there is such a file.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.root.join(path).is_file()
    }

    /// Whether there is such a file, and as far as is known also in a clean checkout.
    pub(super) fn commits_file(&self, path: &str) -> bool {
        let ignored = |line: &str| line.trim().trim_start_matches('/') == path;
        self.has_file(path) && !self.ignored.lines().any(ignored)
    }

    /// The folder's own name, if it is a plain word.
    pub(super) fn name(&self) -> Option<String> {
        self.root.file_name()?.to_str().filter(|name| is_plain(name)).map(str::to_owned)
    }

    /// The names of what is in a folder below, sorted; folders end with `/`.
    pub(super) fn entries(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                let name = entry.file_name().into_string().ok().filter(|name| is_plain(name))?;
                // Links are left out: they may lead around in circles.
                Some(if kind.is_dir() {
                    name + "/"
                } else if kind.is_file() {
                    name
                } else {
                    return None;
                })
            })
            .collect();
        names.sort();
        names
    }

    /// All files with that name and what is in them, by their folder, the nearest first.
    ///
    /// The folder ends with `/`, or is empty for the outermost.
    pub(super) fn all(&self, name: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut folders = vec![String::new()];
        for _ in 0..=DEPTH {
            found.extend(folders.iter().filter_map(|folder| {
                let text = self.read(&format!("{folder}{name}"))?;
                Some((folder.clone(), text))
            }));
            folders = folders.iter().flat_map(|folder| self.folders(folder)).collect();
        }
        found
    }

    /// The folders in a folder, but for those that are known to hold something else.
    pub(super) fn folders(&self, path: &str) -> Vec<String> {
        let entries = self.entries(path).into_iter();
        let inner = entries.filter(|name| name.ends_with('/') && !name.starts_with('.'));
        let wanted = inner
            .filter(|name| !ASIDE.contains(&name.trim_end_matches('/').to_lowercase().as_str()));
        wanted.map(|name| format!("{path}{name}")).collect()
    }

    /// The web page of the repository, where the remote repository's address shows it.
    pub(super) fn web_page(&self) -> Option<String> {
        const KNOWN: [&str; 3] = ["codeberg.org", "github.com", "gitlab.com"];
        let config = self.read(".git/config")?;
        let (_, remote) = config.split_once("[remote \"origin\"]")?;
        let section = remote.split("\n[").next()?;
        let url = section.lines().find_map(|line| assigned(line, "url"))?;
        let address = url
            .trim_start_matches("ssh://")
            .trim_start_matches("https://")
            .trim_start_matches("git@");
        let path = address.replacen(':', "/", 1);
        let path = path.trim_end_matches('/').trim_end_matches(".git");
        let (host, _) = path.split_once('/')?;
        (KNOWN.contains(&host) && is_plain(path)).then(|| format!("https://{path}"))
    }
}

/// The value at the end of keys with dots between them.
pub(super) fn at<'a>(table: &'a toml::Table, keys: &str) -> Option<&'a toml::Value> {
    let (key, rest) = keys.split_once('.').map_or((keys, None), |(key, rest)| (key, Some(rest)));
    let value = table.get(key)?;
    rest.map_or(Some(value), |rest| at(value.as_table()?, rest))
}

/// The value of a key on a line `key = value`, without quotes.
pub(super) fn assigned<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let value = line.trim().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
    Some(match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next()?,
        _ => value,
    })
}

/// Whether a word can be in a command unquoted: no white space, quotes, braces or other special
/// letters.
pub(super) fn is_plain(word: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._+-/".contains(letter);
    !word.is_empty()
        && !word.starts_with(['-', '/'])
        && !word.contains("..")
        && word.chars().all(plain)
}

/// Whether that is the ending of a file's name.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == ending)
}

/// The strings in quotes in some text, in order.
pub(super) fn strings(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let Some(length) = rest[start + 1..].find(quote) else { break };
        found.push(&rest[start + 1..start + 1 + length]);
        rest = &rest[start + length + 2..];
    }
    found
}

/// The arguments of each call of a function, without comments.
pub(super) fn calls(text: &str, function: &str) -> Vec<String> {
    let code: Vec<&str> =
        text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let lower = code.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(place) = lower[from..].find(function) {
        let at = from + place;
        from = at + function.len();
        let is_whole =
            !lower[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let inner = code[from..].trim_start().strip_prefix('(').filter(|_| is_whole);
        if let Some(inner) = inner {
            // Calls within are no calls, and one that is never closed is the last: each letter is
            // in one call at most.
            let end = inner.find(')').unwrap_or(inner.len());
            found.push(inner[..end].trim().to_owned());
            from = code.len() - inner.len() + end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_are_not_programs() {
        for name in ["test", "testModule", "runtest", "unit_tests", "example-1", "api_fuzz"] {
            assert!(is_aside(name), "{name}");
        }
        for name in ["shellcheck", "docker", "latest", "resample", "xmllint"] {
            assert!(!is_aside(name), "{name}");
        }
    }

    #[test]
    fn a_remote_address_leads_to_its_page() {
        let page = |url: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join(".git")).unwrap();
            let config = format!(
                "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {url}\n\tfetch = x\n"
            );
            fs::write(folder.path().join(".git/config"), config).unwrap();
            Folder::new(folder.path()).web_page()
        };
        for url in
            ["git@github.com:o/r.git", "https://github.com/o/r", "ssh://git@github.com/o/r.git"]
        {
            assert_eq!(page(url).as_deref(), Some("https://github.com/o/r"), "{url}");
        }
        assert_eq!(page("/home/me/r.git"), None);
        assert_eq!(page("https://user:secret@github.com/o/r"), None);
    }

    #[test]
    fn only_plain_words_may_stand_in_commands() {
        for word in ["prog", "src/prog-2.0", "a_b+c"] {
            assert!(is_plain(word), "{word}");
        }
        for word in ["", "-rf", "/bin/sh", "../a", "a b", "a;b", "{a}", "$(a)", "ä"] {
            assert!(!is_plain(word), "{word}");
        }
    }

    #[test]
    fn quoted_strings_and_calls_are_found() {
        assert_eq!(strings("['a', \"b c\"] 'open"), ["a", "b c"]);
        assert_eq!(calls("# add(no)\nAdd( a b )\nmyadd(c)\nadd\n(d", "add"), ["a b", "d"]);
        let text = "add(a ".repeat(100);
        assert_eq!(calls(&text, "add"), [text["add(".len()..].trim()]);
    }
}
