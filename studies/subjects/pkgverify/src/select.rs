//! Which of the installed packages are meant.

use glob::{MatchOptions, Pattern};
use regex::{Regex, RegexBuilder};

use crate::{Package, VerifyError};

/// How patterns are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PatternKind {
    /// `*`, `?` and `[…]`, for the whole name.
    #[default]
    Glob,
    /// A regular expression, for any part of the name.
    Regex,
}

/// How packages are selected.
// Each is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PackageSelection {
    /// How patterns are read.
    pub kind: PatternKind,
    /// Whether `A` matches `a`.
    pub ignores_case: bool,
    /// Whether patterns are for origins instead of names.
    pub by_origin: bool,
    /// Whether packages that a selected one depends on are added.
    pub with_dependencies: bool,
    /// Whether packages that depend on a selected one are added.
    pub with_dependants: bool,
}

enum NameMatcher {
    Glob(Pattern, MatchOptions),
    Regex(Regex),
}

impl NameMatcher {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Glob(pattern, options) => pattern.matches_with(name, *options),
            Self::Regex(regex) => regex.is_match(name),
        }
    }
}

impl PackageSelection {
    /// The packages that match one of the patterns, or all if there is none, and those that depend
    /// on them or that they depend on. To match nothing is an error.
    pub fn select(
        self,
        packages: Vec<Package>,
        patterns: &[String],
    ) -> Result<Vec<Package>, VerifyError> {
        if patterns.is_empty() {
            return Ok(packages);
        }
        let mut is_selected = vec![false; packages.len()];
        for pattern in patterns {
            let matcher = self.matcher(pattern)?;
            let mut has_matched = false;
            for (selected, package) in is_selected.iter_mut().zip(&packages) {
                if self.names(package).iter().any(|name| matcher.matches(name)) {
                    *selected = true;
                    has_matched = true;
                }
            }
            if !has_matched {
                return Err(self.no_match(pattern, &packages));
            }
        }
        self.add_related(&packages, &mut is_selected);
        Ok(packages
            .into_iter()
            .zip(is_selected)
            .filter_map(|(package, selected)| selected.then_some(package))
            .collect())
    }

    fn matcher(self, pattern: &str) -> Result<NameMatcher, VerifyError> {
        let bad = |reason: String, hint| VerifyError::Pattern {
            pattern: pattern.to_owned(),
            reason,
            hint,
        };
        match self.kind {
            PatternKind::Glob => {
                let options =
                    MatchOptions { case_sensitive: !self.ignores_case, ..MatchOptions::new() };
                let glob = Pattern::new(pattern)
                    .map_err(|error| bad(error.msg.to_owned(), "`[[]` matches a `[`"))?;
                Ok(NameMatcher::Glob(glob, options))
            }
            PatternKind::Regex => RegexBuilder::new(pattern)
                .case_insensitive(self.ignores_case)
                .build()
                .map(NameMatcher::Regex)
                .map_err(|error| {
                    let text = error.to_string();
                    let reason = text.lines().last().unwrap_or_default();
                    bad(
                        reason.strip_prefix("error: ").unwrap_or(reason).to_owned(),
                        "`\\[` matches a `[`; without `--regex`, PACKAGE is a pattern with `*`",
                    )
                }),
        }
    }

    fn names(self, package: &Package) -> Vec<&str> {
        if self.by_origin { vec![&package.origin] } else { vec![&package.name, &package.label] }
    }

    fn no_match(self, pattern: &str, packages: &[Package]) -> VerifyError {
        let names = packages.iter().flat_map(|package| self.names(package).into_iter().take(1));
        let nearest = names
            .map(|name| (strsim::jaro_winkler(name, pattern), name))
            .filter(|(similarity, _)| *similarity > 0.85)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let nearest = nearest.map(|(_, name)| name.to_owned());
        VerifyError::NoMatch { pattern: pattern.to_owned(), nearest }
    }

    /// Adds direct relations of those that patterns selected, as `pkg info -d` and `-r` name them.
    fn add_related(self, packages: &[Package], is_selected: &mut [bool]) {
        let matched = is_selected.to_vec();
        let needs = |one: &Package, other: &Package| {
            one.depends.iter().any(|name| *name == other.name || other.provides.contains(name))
        };
        let pairs = (0..packages.len()).filter(|&index| matched[index]);
        for (one, other) in pairs.flat_map(|one| (0..packages.len()).map(move |other| (one, other)))
        {
            is_selected[other] |= (self.with_dependencies
                && needs(&packages[one], &packages[other]))
                || (self.with_dependants && needs(&packages[other], &packages[one]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> Vec<Package> {
        let package = |name: &str, origin: &str, depends: &[&str]| Package {
            name: name.to_owned(),
            label: format!("{name}-1"),
            origin: origin.to_owned(),
            depends: depends.iter().map(|&name| name.to_owned()).collect(),
            ..Package::default()
        };
        vec![
            package("bash", "shells/bash", &["libc"]),
            package("libc", "devel/libc", &[]),
            package("texlive-base", "print/texlive", &["Perl", "libc"]),
            package("Perl", "lang/perl", &["libc"]),
        ]
    }

    fn selected(selection: PackageSelection, patterns: &[&str]) -> String {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        match selection.select(packages(), &patterns) {
            Ok(packages) => {
                packages.into_iter().map(|package| package.name).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn patterns_select_by_name_label_or_origin() {
        let glob = PackageSelection::default();
        let regex = PackageSelection { kind: PatternKind::Regex, ..glob };
        assert_eq!(selected(glob, &[]), "bash libc texlive-base Perl");
        assert_eq!(selected(glob, &["tex*", "bash-1"]), "bash texlive-base");
        assert_eq!(selected(regex, &["^l|sh$"]), "bash libc");
        assert_eq!(selected(PackageSelection { ignores_case: true, ..glob }, &["perl"]), "Perl");
        assert_eq!(
            selected(PackageSelection { by_origin: true, ..glob }, &["print/*"]),
            "texlive-base"
        );
    }

    #[test]
    fn relations_are_added_one_step_far() {
        let with = |with_dependencies, with_dependants| PackageSelection {
            with_dependencies,
            with_dependants,
            ..PackageSelection::default()
        };
        assert_eq!(selected(with(true, false), &["texlive-base"]), "libc texlive-base Perl");
        assert_eq!(selected(with(false, true), &["Perl"]), "texlive-base Perl");
    }

    #[test]
    fn what_matches_nothing_is_an_error_with_the_nearest_name() {
        let glob = PackageSelection::default();
        assert_eq!(
            selected(glob, &["bahs"]),
            "no installed package matches `bahs`\nhint: did you mean `bash`?"
        );
        assert_eq!(selected(glob, &["zzz"]), "no installed package matches `zzz`");
        assert!(selected(glob, &["[a"]).starts_with("`[a` is not a valid pattern: "));
        let regex = PackageSelection { kind: PatternKind::Regex, ..glob };
        assert!(
            selected(regex, &["["])
                .starts_with("`[` is not a valid pattern: unclosed character class\nhint: ")
        );
    }
}
