//! `alternatives`: symlinks that `update-alternatives(1)` keeps. No package owns them.

use std::path::{Path, PathBuf};

use crate::{ListedFile, Package, Requirement, RootFolder};

/// The name under which the alternatives are selected and reported.
const NAME: &str = "(alternatives)";

/// All alternatives as if they were a package; none if there are none.
pub(super) fn package(
    root: &RootFolder,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Option<Package> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    let mut files = Vec::new();
    for path in names {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match std::fs::read_to_string(&path)
            .ok()
            .and_then(|content| Alternative::parse(&name, &content))
        {
            Some(alternative) => files.extend(alternative.files(root)),
            None => warnings.push(format!("alternative `{name}` cannot be read")),
        }
    }
    let name = NAME.to_owned();
    (!files.is_empty()).then(|| Package {
        name: name.clone(),
        label: name.clone(),
        origin: name,
        files,
        ..Package::default()
    })
}

/// A symlink kept for a group: its name in `/etc/alternatives` and its place.
#[derive(Debug)]
struct AlternativeLink {
    name: String,
    place: PathBuf,
}

/// A group: the links, the first of which is the master, and what each choice offers for each.
#[derive(Debug)]
struct Alternative {
    links: Vec<AlternativeLink>,
    choices: Vec<Vec<PathBuf>>,
}

impl Alternative {
    /// Reads `auto` or `manual`, the master's place, name and place of each other link, an empty
    /// line; then for each choice its path, priority and a path for each other link; then an empty
    /// line.
    fn parse(name: &str, content: &str) -> Option<Self> {
        let mut content = content.lines();
        let mut next = || content.next();
        next()?;
        let mut links = vec![AlternativeLink { name: name.to_owned(), place: next()?.into() }];
        loop {
            match next()? {
                "" => break,
                name => {
                    links.push(AlternativeLink { name: name.to_owned(), place: next()?.into() });
                }
            }
        }
        let mut choices = Vec::new();
        while let Some(path) = next().filter(|path| !path.is_empty()) {
            let mut choice = vec![PathBuf::from(path)];
            next()?.parse::<i64>().ok()?;
            for _ in 1..links.len() {
                choice.push(next()?.into());
            }
            choices.push(choice);
        }
        Some(Self { links, choices })
    }

    /// Two symlinks for each link of the choice that is in force: from its place to
    /// `/etc/alternatives`, and from there to what the choice offers.
    fn files(&self, root: &RootFolder) -> Vec<ListedFile> {
        let middle = |link: &AlternativeLink| Path::new("/etc/alternatives").join(&link.name);
        let target = |path: &Path| root.locate(path, false).and_then(std::fs::read_link);
        let current = target(&middle(&self.links[0])).ok();
        let chosen = self.choices.iter().find(|choice| Some(&choice[0]) == current.as_ref());
        let mut files = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            let allowed: Vec<PathBuf> = match chosen {
                Some(choice) => vec![choice[index].clone()],
                None if index == 0 => self.choices.iter().map(|choice| choice[0].clone()).collect(),
                // Without a choice, nobody knows what the others should be.
                None => continue,
            };
            // `update-alternatives` makes no link to what a choice lacks.
            let is_offered =
                |path: &PathBuf| !path.as_os_str().is_empty() && root.leads_somewhere(path);
            if index > 0 && !allowed.iter().any(is_offered) {
                continue;
            }
            files.push(listed(link.place.clone(), vec![middle(link)]));
            files.push(listed(middle(link), allowed));
        }
        files
    }
}

fn listed(path: PathBuf, targets: Vec<PathBuf>) -> ListedFile {
    ListedFile { path, requirement: Requirement::Target(targets), is_conffile: false }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const AWK: &str = "auto\n/usr/bin/awk\nawk.1.gz\n/usr/share/man/man1/awk.1.gz\n\n\
        /usr/bin/mawk\n5\n/usr/share/man/man1/mawk.1.gz\n/usr/bin/gawk\n10\n\n\n";

    #[test]
    fn links_of_the_choice_in_force_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for name in ["etc/alternatives", "usr/bin", "usr/share/man/man1"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::fs::write(at("usr/bin/mawk"), "").unwrap();
        let alternative = Alternative::parse("awk", AWK).unwrap();
        let root = RootFolder::new(folder.path());

        symlink("/usr/bin/mawk", at("etc/alternatives/awk")).unwrap();
        assert_eq!(alternative.files(&root).len(), 2, "the manual page is not installed");
        std::fs::write(at("usr/share/man/man1/mawk.1.gz"), "").unwrap();
        let files = alternative.files(&root);
        assert_eq!(files.len(), 4);
        assert_eq!(files[1].path, Path::new("/etc/alternatives/awk"));
        assert_eq!(files[1].requirement, Requirement::Target(vec!["/usr/bin/mawk".into()]));
    }

    #[test]
    fn a_cut_file_is_not_understood() {
        assert!(Alternative::parse("awk", "auto\n/usr/bin/awk\nawk.1.gz\n").is_none());
        assert!(Alternative::parse("awk", &AWK.replace("10\n", "ten\n")).is_none());
    }
}
