//! The environment that subjects inherit, for the record.

use std::collections::BTreeMap;

use tacho_record::{Conditions, Digest, Inherit};

/// The text with `~` for the user's home folder, whose name may be the user's: it is on pages.
fn without_home(text: &str, home: Option<&str>) -> String {
    let Some(home) = home.filter(|home| home.len() > 1 && home.starts_with('/')) else {
        return text.to_owned();
    };
    let short = |path: &str| match path.strip_prefix(home) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => path.to_owned(),
    };
    text.split(':').map(short).collect::<Vec<String>>().join(":")
}

/// The variables that are inherited under these conditions, each as `environment.NAME`.
///
/// Variables that are always inherited are kept with their values. Of others, which may be secrets,
/// only a short digest is kept, which shows whether they were the same.
pub fn inherited<'a>(all: impl Iterator<Item = &'a Conditions>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let home = std::env::var("HOME").ok();
    // Many benchmarks inherit the same.
    let mut seen: Vec<&Inherit> = Vec::new();
    for Conditions { inherit, .. } in all {
        if seen.contains(&inherit) {
            continue;
        }
        seen.push(inherit);
        let conditions = Conditions { inherit: inherit.clone(), ..Conditions::default() };
        for (name, value) in tacho_measure::environment(&conditions) {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            let is_kept = Inherit::default().takes(&name);
            let shown = if is_kept {
                without_home(&value, home.as_deref())
            } else {
                format!("digest {}", Digest::of(&*value).short())
            };
            found.insert(format!("environment.{name}"), shown);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_is_not_named() {
        let short = |text: &str| without_home(text, Some("/home/kim"));
        assert_eq!(short("/home/kim"), "~");
        assert_eq!(short("/home/kim/bin:/usr/bin:/home/kimono"), "~/bin:/usr/bin:/home/kimono");
        assert_eq!(without_home("/bin", Some("/")), "/bin");
        assert_eq!(without_home("/root", None), "/root");
    }
}
