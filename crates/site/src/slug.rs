//! Names of files: ASCII, unique, the same every time, and never out of their folder.
//!
//! A name of plain characters does not change. Any other is made plain, and a digest of the whole
//! is added, so that two names never meet in one file, whatever they hold and whatever else is
//! measured.

use std::collections::HashSet;

use tacho_record::{BenchmarkKey, Digest, SeriesKey};

/// Longer names are cut.
const LONGEST: usize = 96;

/// The name of a series' files, without their extension: `validate,batch=64.wall.lab`.
pub(crate) fn series(key: &SeriesKey) -> String {
    let mut slug = Slug::default();
    slug.benchmark(&key.benchmark);
    slug.text.push('.');
    slug.part(&key.metric.name);
    slug.text.push('.');
    slug.part(&key.host);
    slug.finish(&format!("{:?}", (&key.benchmark, &key.metric.name, &key.host)))
}

/// The name of a revision's page, without its extension: the hash or the release.
pub(crate) fn revision(id: &str) -> String {
    let mut slug = Slug::default();
    for piece in id.split_inclusive('.') {
        let (word, dot) = piece.strip_suffix('.').map_or((piece, ""), |word| (word, "."));
        slug.part(word);
        slug.text.push_str(dot);
    }
    slug.plain &= !id.ends_with('.');
    slug.finish(id)
}

/// Makes equal names differ by a number: `name`, `name-2`.
pub(crate) fn unique(slug: String, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{slug}-{number}"));
    let free = std::iter::once(slug.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(slug);
    taken.insert(free.clone());
    free
}

struct Slug {
    text: String,
    /// Whether no character had to be replaced.
    plain: bool,
}

impl Default for Slug {
    fn default() -> Self {
        Self { text: String::new(), plain: true }
    }
}

impl Slug {
    fn benchmark(&mut self, key: &BenchmarkKey) {
        self.part(&key.name);
        if key.version != 1 {
            self.text.extend([".v", &key.version.to_string()]);
        }
        for (name, value) in &key.parameters.0 {
            self.text.push(',');
            self.part(name);
            self.text.push('=');
            self.part(&value.to_string());
        }
    }

    /// Adds a name of which only `a-z`, `0-9`, `_` and `-` stay.
    fn part(&mut self, name: &str) {
        let keeps = |c: &char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
        self.plain &= !name.is_empty() && name.chars().all(|c| keeps(&c));
        let plain =
            name.chars().map(|c| c.to_ascii_lowercase()).map(|c| if keeps(&c) { c } else { '-' });
        self.text.extend(plain);
    }

    fn finish(mut self, whole: &str) -> String {
        let reserved = is_reserved(&self.text);
        if self.plain && self.text.len() <= LONGEST && !reserved {
            return self.text;
        }
        self.text.truncate(LONGEST);
        let digest = Digest::of(whole).short();
        match self.text.trim_matches(['-', '.']) {
            "" => digest,
            text if reserved => format!("{digest}-{text}"),
            text => format!("{text}-{digest}"),
        }
    }
}

/// Whether the file would be hidden, or Windows reserves the name for a device, whatever follows
/// the first dot.
fn is_reserved(name: &str) -> bool {
    match name.split('.').next().unwrap_or_default() {
        "" | "aux" | "con" | "nul" | "prn" => true,
        first => first.len() == 4 && (first.starts_with("com") || first.starts_with("lpt")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use tacho_record::{Metric, Parameter, Parameters};

    use super::*;

    fn key(name: &str, version: u32, parameters: &[(&str, Parameter)], host: &str) -> SeriesKey {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let parameters = Parameters(parameters.collect::<BTreeMap<_, _>>());
        SeriesKey {
            benchmark: BenchmarkKey { name: name.into(), version, parameters },
            host: host.into(),
            metric: Metric::built_in("wall").unwrap(),
        }
    }

    #[test]
    fn plain_names_stand_as_they_are() {
        let batch = [("batch", Parameter::Integer(64))];
        assert_eq!(series(&key("validate", 1, &batch, "lab")), "validate,batch=64.wall.lab");
        assert_eq!(series(&key("validate", 2, &[], "lab")), "validate.v2.wall.lab");
        assert_eq!(revision("2.0.0-beta.12"), "2.0.0-beta.12");
    }

    #[test]
    fn other_names_are_made_plain_and_kept_apart() {
        let script = series(&key("</script><b>", 1, &[], "lab"));
        assert!(script.starts_with("script--b-.wall.lab-"), "{script}");
        assert_ne!(series(&key("A", 1, &[], "lab")), series(&key("a", 1, &[], "lab")));
        assert_eq!(revision(".."), Digest::of("..").short());
        assert!(revision("con.1").ends_with("-con.1"));
    }

    #[test]
    fn equal_names_are_numbered() {
        let mut taken = HashSet::new();
        let names: Vec<String> = (0..3).map(|_| unique("a".into(), &mut taken)).collect();
        assert_eq!(names, ["a", "a-2", "a-3"]);
    }

    fn is_safe(name: &str) -> bool {
        let allowed = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-' | '.' | ',' | '=');
        name.chars().all(allowed) && !name.is_empty() && !name.starts_with('.') && name.len() < 128
    }

    proptest! {
        #[test]
        fn whatever_the_name_the_file_is_safe(
            name in ".{0,200}",
            host in ".{0,20}",
            id in ".{0,200}",
        ) {
            prop_assert!(is_safe(&series(&key(&name, 1, &[], &host))));
            prop_assert!(is_safe(&revision(&id)));
        }

        #[test]
        fn other_names_have_other_files(
            a in "[aA.,=v2 -]{0,4}",
            b in "[aA.,=v2 -]{0,4}",
            v in 1..3_u32,
        ) {
            let (one, two) = (key(&a, 1, &[], "lab"), key(&b, v, &[], "lab"));
            prop_assert_eq!(series(&one) == series(&two), one == two);
            prop_assert_eq!(revision(&a) == revision(&b), a == b);
        }
    }
}
