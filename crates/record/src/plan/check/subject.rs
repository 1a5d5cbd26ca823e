//! The rules of `[subject]`: one history, a build that fits it, artifacts within the checkout.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use glob::Pattern;

use super::super::error::Mistake;
use super::super::file::{Keywords, Order, SubjectTable, Vcs};
use super::super::spot::Spot;
use super::super::{CvsModule, Source, Subject};
use super::{Check, Template};

impl Check<'_> {
    /// `[subject]`; from here on it is known whether there are releases.
    pub(in super::super) fn subject(&mut self, table: SubjectTable, spot: Spot<'_>) -> Subject {
        let texts = [
            ("name", &table.name),
            ("repository", &table.repository),
            ("releases-from", &table.releases_from),
            ("module", &table.module),
            ("branch", &table.branch),
            ("build", &table.build),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                self.not_blank(key, text, spot.get(key));
            }
        }
        self.one_history(&table, spot);
        self.only_cvs(&table, spot);
        self.releases = Some(table.releases.is_some() || table.releases_from.is_some());
        self.build(table.build.as_deref(), spot);
        if table.artifacts.is_empty() {
            self.report(spot.get("artifacts"), Mistake::Empty { key: "artifacts".to_owned() });
        }
        self.paths(["artifacts", "artifact"], &table.artifacts, spot.get("artifacts"));
        self.paths(["paths", "path"], &table.paths, spot.get("paths"));
        self.link(table.link.as_deref(), table.vcs == Some(Vcs::Cvs), spot.get("link"));
        let build_timeout = self.duration(&table.build_timeout, spot.get("build-timeout"));
        let source = match table.vcs {
            Some(Vcs::Cvs) => self.cvs(&table, spot),
            _ => self.source(
                table.repository,
                table.releases,
                table.releases_from,
                spot.get("releases"),
            ),
        };
        Subject {
            name: table.name,
            source,
            build: table.build,
            build_timeout,
            artifacts: table.artifacts,
            paths: table.paths,
            submodules: table.submodules.unwrap_or(true),
            link: table.link,
            quirks: Vec::new(),
            layouts: None,
            order: table.order.map(|order| {
                match order {
                    Order::Aligned => "aligned",
                    Order::Sorted => "sorted",
                }
                .to_owned()
            }),
            onto: BTreeMap::new(),
        }
    }

    /// A CVS repository, which has no default.
    fn cvs(&mut self, table: &SubjectTable, spot: Spot<'_>) -> Source {
        for (key, text) in [("repository", &table.repository), ("module", &table.module)] {
            if text.is_none() {
                self.found.push((spot.key("vcs"), Mistake::CvsWithout { key }));
            }
        }
        let keywords = match table.keywords.unwrap_or(Keywords::K) {
            Keywords::B => "b",
            Keywords::K => "k",
            Keywords::Kv => "kv",
            Keywords::O => "o",
            Keywords::V => "v",
        };
        Source::Cvs(CvsModule {
            root: table.repository.clone().unwrap_or_default(),
            module: table.module.clone().unwrap_or_default(),
            branch: table.branch.clone(),
            keywords: keywords.to_owned(),
        })
    }

    /// Keys that only CVS knows, where it is not named.
    fn only_cvs(&mut self, table: &SubjectTable, spot: Spot<'_>) {
        let keys = [
            ("module", table.module.is_some()),
            ("branch", table.branch.is_some()),
            ("keywords", table.keywords.is_some()),
        ];
        for (key, _) in keys.into_iter().filter(|(_, given)| *given && table.vcs != Some(Vcs::Cvs))
        {
            self.found.push((spot.key(key), Mistake::OnlyCvs { key }));
        }
    }

    fn one_history(&mut self, table: &SubjectTable, spot: Spot<'_>) {
        let histories = [
            ("repository", table.repository.is_some()),
            ("vcs", table.vcs.is_some() && table.repository.is_none()),
            ("releases", table.releases.is_some()),
            ("releases-from", table.releases_from.is_some()),
        ];
        let mut given = histories.into_iter().filter_map(|(key, given)| given.then_some(key));
        if let Some(other) = given.next() {
            for key in given {
                self.found.push((spot.key(key), Mistake::TwoHistories { key, other }));
            }
        }
    }

    fn source(
        &mut self,
        repository: Option<String>,
        releases: Option<Vec<String>>,
        releases_from: Option<String>,
        spot: Spot<'_>,
    ) -> Source {
        let Some(releases) = releases else {
            let git = || Source::Git(repository.unwrap_or_else(|| ".".to_owned()));
            return releases_from.map_or_else(git, Source::ReleasesFrom);
        };
        if releases.is_empty() {
            self.report(spot, Mistake::Empty { key: "releases".to_owned() });
        }
        let mut names = BTreeSet::new();
        for (index, release) in releases.iter().enumerate() {
            self.not_blank("releases", release, spot.item(index));
            self.unique(&mut names, "release", release, spot.item(index));
        }
        Source::Releases(releases)
    }

    fn build(&mut self, build: Option<&str>, spot: Spot<'_>) {
        match build {
            Some(text) => {
                let names = self.with_release(["jobs", "revision"]);
                self.shell(Template { key: "build", names: &names, spot: spot.get("build"), text });
            }
            None if self.releases == Some(true) => {
                // The error is placed at the key that is present, so that its line is shown.
                let keys = [spot.key("releases"), spot.key("releases-from")];
                let at = keys.into_iter().find(|at| *at != spot.span()).unwrap_or(spot.span());
                self.found.push((at, Mistake::MissingBuild));
            }
            None => {}
        }
    }

    /// Patterns of paths within a checkout, each once.
    fn paths(&mut self, [key, one]: [&'static str; 2], paths: &[String], spot: Spot<'_>) {
        let mut known = BTreeSet::new();
        for (index, path) in paths.iter().enumerate() {
            let spot = spot.item(index);
            self.not_blank(key, path, spot);
            self.unique(&mut known, one, path, spot);
            let inside = |part| matches!(part, Component::CurDir | Component::Normal(_));
            if !Path::new(path).components().all(inside) {
                self.report(spot, Mistake::OutsideCheckout { path: path.clone() });
            }
            if let Err(error) = Pattern::new(path) {
                self.report(spot, Mistake::BadPattern { text: path.clone(), why: error.msg });
            }
        }
    }

    fn link(&mut self, link: Option<&str>, is_cvs: bool, spot: Spot<'_>) {
        let Some(text) = link else { return };
        let wanted = if self.releases == Some(true) { "release" } else { "commit" };
        let names: &[&str] = if is_cvs { &[wanted, "file", "old", "new"] } else { &[wanted] };
        if !["https://", "http://"].iter().any(|scheme| text.starts_with(scheme)) {
            self.report(spot, Mistake::LinkToNoPage);
            return;
        }
        let (well, used) = self.template(Template { key: "link", names, spot, text });
        if well && used.is_empty() {
            self.report(spot, Mistake::LinkWithoutReference { wanted });
        }
    }
}
