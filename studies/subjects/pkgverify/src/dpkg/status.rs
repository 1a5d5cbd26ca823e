//! `status`: one stanza of fields for each package.

use std::path::Path;

use crate::Checksum;

/// The fields of one package that matter here.
#[derive(Clone, Debug, Default)]
pub(super) struct Stanza<'a> {
    pub name: String,
    pub version: String,
    pub architecture: String,
    pub source: String,
    pub depends: Vec<String>,
    pub provides: Vec<String>,
    pub conffiles: Vec<Conffile<'a>>,
    state: String,
    is_shared: bool,
}

/// A configuration file; without a checksum if it does not belong to the package any more, or not
/// yet.
#[derive(Clone, Debug)]
pub(super) struct Conffile<'a> {
    pub path: &'a [u8],
    pub sum: Option<Checksum>,
}

impl Stanza<'_> {
    /// Whether the package's files are on the system, configured or not.
    pub fn has_files(&self) -> bool {
        const STATES: [&str; 5] =
            ["installed", "unpacked", "half-configured", "triggers-awaited", "triggers-pending"];
        STATES.contains(&self.state.as_str())
    }

    /// The name, with the architecture where several may be installed, as `dpkg` shows it.
    pub fn label(&self) -> String {
        if self.is_shared {
            format!("{}:{}", self.name, self.architecture)
        } else {
            self.name.clone()
        }
    }
}

/// All stanzas that name a package.
pub(super) fn stanzas(status: &[u8]) -> impl Iterator<Item = Stanza<'_>> {
    let mut lines = status.split(|&byte| byte == b'\n');
    std::iter::from_fn(move || {
        let mut stanza = Stanza::default();
        let mut field: &[u8] = b"";
        let mut is_empty = true;
        for line in lines.by_ref() {
            if line.is_empty() {
                if is_empty {
                    continue;
                }
                return Some(stanza);
            }
            is_empty = false;
            if line[0] == b' ' || line[0] == b'\t' {
                stanza.more(field, line.trim_ascii());
            } else if let Some(colon) = line.iter().position(|&byte| byte == b':') {
                field = &line[..colon];
                stanza.set(field, line[colon + 1..].trim_ascii());
            }
        }
        (!is_empty).then_some(stanza)
    })
    .filter(|stanza| !stanza.name.is_empty())
}

/// What is wrong with the file as a whole, one sentence each.
pub(super) fn damage(status: &[u8], path: &Path) -> Vec<String> {
    let path = path.display();
    let mut warnings = Vec::new();
    let is_field = |line: &[u8]| matches!(line, [] | [b' ' | b'\t', ..]) || line.contains(&b':');
    let mut lines = status.split(|&byte| byte == b'\n').enumerate();
    if let Some((number, _)) = lines.find(|(_, line)| !is_field(line)) {
        warnings.push(format!("`{path}`, line {}: no field and value", number + 1));
    }
    if !status.is_empty() && !status.ends_with(b"\n") {
        warnings.push(format!("`{path}` ends within a line: its last packages may be missing"));
    }
    warnings
}

impl<'a> Stanza<'a> {
    fn set(&mut self, field: &[u8], value: &[u8]) {
        let value = String::from_utf8_lossy(value);
        match field {
            b"Package" => {
                self.name = value.into_owned();
                if self.source.is_empty() {
                    self.source.clone_from(&self.name);
                }
            }
            b"Version" => self.version = value.into_owned(),
            b"Architecture" => self.architecture = value.into_owned(),
            // A source version may follow in parentheses.
            b"Source" => value.split(' ').next().unwrap_or_default().clone_into(&mut self.source),
            b"Status" => value.rsplit(' ').next().unwrap_or_default().clone_into(&mut self.state),
            b"Multi-Arch" => self.is_shared = value == "same",
            b"Depends" | b"Pre-Depends" => self.depends.extend(relations(&value)),
            b"Provides" => self.provides.extend(relations(&value)),
            _ => {}
        }
    }

    /// A further line of a field.
    fn more(&mut self, field: &[u8], line: &'a [u8]) {
        if field == b"Conffiles" {
            self.conffiles.extend(conffile(line));
        }
    }
}

/// A line `/path sum`, with `obsolete` or `remove-on-upgrade` behind; paths may hold blanks.
fn conffile(line: &[u8]) -> Option<Conffile<'_>> {
    let mut rest = line;
    let mut is_current = true;
    loop {
        let space = rest.iter().rposition(|&byte| byte == b' ')?;
        let (path, word) = (rest[..space].trim_ascii_end(), &rest[space + 1..]);
        match word {
            b"obsolete" | b"remove-on-upgrade" => is_current = false,
            b"newconffile" => return Some(Conffile { path, sum: None }),
            sum => {
                return Some(Conffile {
                    path,
                    sum: is_current.then(|| Checksum::from_debian(sum)),
                });
            }
        }
        rest = path;
    }
}

/// The names in a list of relations: `libc6 (>= 2.36), a | b:any`.
fn relations(value: &str) -> Vec<String> {
    value
        .split([',', '|'])
        .filter_map(|relation| relation.trim().split([' ', '(', ':']).next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &[u8] = b"Package: libc6\nStatus: install ok installed\nMulti-Arch: same\n\
        Architecture: amd64\nSource: glibc (2.36-9)\nVersion: 2.36-9+deb12u1\n\
        Depends: libgcc-s1, a (>= 1) | b:any\nConffiles:\n\
        \x20/etc/ld.so.conf d41d8cd98f00b204e9800998ecf8427e\n\
        \x20/etc/a b d41d8cd98f00b204e9800998ecf8427e obsolete\n\
        \x20/etc/new newconffile remove-on-upgrade\nDescription: library\n text: more\n\n\n\
        Package: gone\nStatus: deinstall ok config-files\n";

    #[test]
    fn stanzas_are_read() {
        let stanzas: Vec<_> = stanzas(STATUS).collect();
        assert_eq!(stanzas.len(), 2);
        let libc = &stanzas[0];
        assert!(libc.has_files() && !stanzas[1].has_files());
        assert_eq!((libc.label().as_str(), libc.source.as_str()), ("libc6:amd64", "glibc"));
        assert_eq!(libc.depends, ["libgcc-s1", "a", "b"]);
        assert_eq!(stanzas[1].source, "gone");
    }

    #[test]
    fn damage_is_said() {
        let path = Path::new("status");
        assert_eq!(damage(STATUS, path), [""; 0]);
        assert_eq!(
            damage(&STATUS[..STATUS.len() - 1], path),
            ["`status` ends within a line: its last packages may be missing"]
        );
        assert_eq!(damage(b"Package: a\nStatus\n", path), ["`status`, line 2: no field and value"]);
    }

    #[test]
    fn only_current_conffiles_have_a_checksum() {
        let libc = stanzas(STATUS).next().unwrap();
        let conffiles: Vec<_> = libc.conffiles.iter().map(|c| (c.path, c.sum.is_some())).collect();
        let expected: [(&[u8], bool); 3] =
            [(b"/etc/ld.so.conf", true), (b"/etc/a b", false), (b"/etc/new", false)];
        assert_eq!(conffiles, expected);
    }
}
