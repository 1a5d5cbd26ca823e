//! What only all entries together show: duplicates, dangling links, missing licences.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use crate::Selection;
use crate::archive::{Batch, Kind};
use crate::checks;
use crate::hint::{Hint, printable};

/// The names of all entries so far.
#[derive(Default)]
pub(crate) struct Names {
    /// Name to number of entries with it; folders without the slash at the end.
    seen: HashMap<Box<[u8]>, Seen>,
    links: Vec<Link>,
    tops: BTreeSet<Vec<u8>>,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct Seen {
    count: u32,
    is_folder: bool,
}

struct Link {
    path: Box<[u8]>,
    target: Box<[u8]>,
    is_hard: bool,
    /// Whether a hard link's target stood before it.
    is_known: bool,
}

impl Names {
    pub(crate) fn add(&mut self, batch: &Batch) {
        for item in &batch.items {
            let path = trimmed(&item.path);
            if matches!(item.kind, Kind::Symlink | Kind::HardLink) {
                let target = item.target.strip_prefix(b"./").unwrap_or(&item.target);
                self.links.push(Link {
                    path: path.into(),
                    target: target.into(),
                    is_hard: item.kind == Kind::HardLink,
                    is_known: self.seen.contains_key(trimmed(target)),
                });
            }
            let top = path.split(|&byte| byte == b'/').next().unwrap_or_default();
            if !top.is_empty() && !self.tops.contains(top) {
                self.tops.insert(top.to_vec());
            }
            let is_folder = item.kind == Kind::Folder;
            match self.seen.get_mut(path) {
                Some(seen) => seen.count += u32::from(!(is_folder && seen.is_folder)),
                None => {
                    self.seen.insert(path.into(), Seen { count: 1, is_folder });
                }
            }
        }
    }

    /// Adds the hints about the archive as a whole.
    pub(crate) fn judge(&self, selection: &Selection, hints: &mut Vec<Hint>) {
        let rules: [(&str, Rule); 7] = [
            ("duplicate-name", Self::duplicates),
            ("case-conflict", Self::case_conflicts),
            ("hardlink-without-target", Self::broken_hard_links),
            ("dangling-symlink", Self::dangling_symlinks),
            ("minified-without-source", Self::minified),
            ("several-top-folders", Self::several_tops),
            ("license-missing", Self::no_license),
        ];
        for (tag, find) in rules {
            let Some(check) = checks::by_tag(tag).filter(|check| selection.has(check.tag)) else {
                continue;
            };
            let made = find(self).into_iter().map(|(file, note)| Hint {
                file: printable(&file),
                line: None,
                tag: check.tag,
                severity: check.severity,
                note,
            });
            hints.extend(made);
        }
    }

    fn duplicates(&self) -> Vec<Place> {
        let repeated = self.seen.iter().filter(|(_, seen)| seen.count > 1);
        repeated.map(|(path, seen)| (path.to_vec(), format!("{} entries", seen.count))).collect()
    }

    /// Names that are equal once folded. Sorting hashes takes less memory than keeping each folded
    /// name.
    fn case_conflicts(&self) -> Vec<Place> {
        let paths = self.seen.keys().map(AsRef::as_ref);
        let mut hashes: Vec<(u64, &[u8])> = paths
            .filter_map(|path: &[u8]| Some((self.hasher.hash_one(folded(path)?), path)))
            .collect();
        hashes.sort_unstable();
        let mut found = Vec::new();
        for pair in hashes.windows(2) {
            let [(hash, first), (next, path)] = pair else { continue };
            if hash == next && folded(first) == folded(path) {
                found.push((path.to_vec(), format!("`{}` differs in case only", printable(first))));
            }
        }
        found
    }

    fn broken_hard_links(&self) -> Vec<Place> {
        let broken = self.links.iter().filter(|link| link.is_hard && !link.is_known);
        broken
            .map(|link| (link.path.to_vec(), format!("to `{}`", printable(&link.target))))
            .collect()
    }

    /// Links within the archive whose target is in it neither by name nor as a folder of a name.
    fn dangling_symlinks(&self) -> Vec<Place> {
        let soft: Vec<&Link> = self.links.iter().filter(|link| !link.is_hard).collect();
        if soft.is_empty() {
            return Vec::new();
        }
        let folders = self.folders();
        let is_known = |path: &[u8]| self.seen.contains_key(path) || folders.contains(path);
        let through: HashSet<&[u8]> = soft.iter().map(|link| link.path.as_ref()).collect();
        let is_dangling = |link: &&&Link| {
            resolve(&link.path, &link.target).is_some_and(|target| {
                !is_known(&target) && !parents(&target).any(|parent| through.contains(parent))
            })
        };
        let note = |link: &&Link| (link.path.to_vec(), format!("to `{}`", printable(&link.target)));
        soft.iter().filter(is_dangling).map(note).collect()
    }

    /// All folders that names imply, the top included.
    fn folders(&self) -> HashSet<&[u8]> {
        self.seen.keys().flat_map(|path| parents(path)).chain([&b""[..]]).collect()
    }

    fn minified(&self) -> Vec<Place> {
        let mut found = Vec::new();
        for path in self.seen.keys() {
            for (end, source) in [(&b".min.js"[..], &b".js"[..]), (b".min.css", b".css")] {
                let Some(stem) = path.strip_suffix(end) else { continue };
                if !self.seen.contains_key([stem, source].concat().as_slice()) {
                    let name = printable(&[stem, source].concat());
                    found.push((path.to_vec(), format!("no `{name}`")));
                }
            }
        }
        found
    }

    fn several_tops(&self) -> Vec<Place> {
        if self.tops.len() < 2 {
            return Vec::new();
        }
        let first: Vec<String> =
            self.tops.iter().take(3).map(|top| format!("`{}`", printable(top))).collect();
        let more = if self.tops.len() > 3 { ", …" } else { "" };
        vec![(Vec::new(), format!("{}: {}{more}", self.tops.len(), first.join(", ")))]
    }

    fn no_license(&self) -> Vec<Place> {
        let is_license = |path: &[u8]| {
            let depth = memchr::memchr_iter(b'/', path).count();
            let name =
                path.rsplit(|&byte| byte == b'/').next().unwrap_or_default().to_ascii_uppercase();
            let begins = [&b"LICENSE"[..], b"LICENCE", b"COPYING", b"COPYRIGHT", b"UNLICENSE"];
            depth <= 1 && begins.iter().any(|begin| name.starts_with(begin))
        };
        if self.seen.keys().any(|path| is_license(path)) {
            return Vec::new();
        }
        vec![(Vec::new(), "no `LICENSE`, `COPYING` or `COPYRIGHT` at the top".to_owned())]
    }
}

/// Finds all places of one fault.
type Rule = fn(&Names) -> Vec<Place>;

/// A file, and what was found there.
type Place = (Vec<u8>, String);

/// A name without its case; `None` if it is not UTF-8.
fn folded(path: &[u8]) -> Option<String> {
    std::str::from_utf8(path).ok().map(str::to_lowercase)
}

fn trimmed(path: &[u8]) -> &[u8] {
    path.strip_suffix(b"/").unwrap_or(path)
}

/// All folders above a name, nearest first.
fn parents(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memrchr_iter(b'/', path).map(|at| &path[..at])
}

/// Where a relative link at `path` points to, as a name in the archive; `None` if outside of it.
pub(crate) fn resolve(path: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if target.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
    parts.pop();
    for part in target.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_resolve_like_paths() {
        let name = |path: &str, target: &str| {
            resolve(path.as_bytes(), target.as_bytes()).map(|name| String::from_utf8(name).unwrap())
        };
        assert_eq!(name("a/b/c", "../d").as_deref(), Some("a/d"));
        assert_eq!(name("a/b", "./c//d").as_deref(), Some("a/c/d"));
        assert_eq!(name("a/b", "..").as_deref(), Some(""));
        assert_eq!(name("a/b", "../.."), None);
        assert_eq!(name("a/b", "/c"), None);
    }
}
