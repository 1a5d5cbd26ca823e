//! The project of a command: its plan, its store and its cache.

use std::path::{Path, PathBuf};

use tacho_record::plan::{self, Plan};
use tacho_record::{Counter, Digest, Recipes, Revision};
use tacho_store::{Location, Store};
use tacho_subject::SubjectError;

use crate::cli::GlobalArgs;
use crate::counters::{counters, counting, uncounted};
use crate::error::CliError;
use crate::output;

/// The name that a plan's file has.
pub const PLAN_FILE: &str = "tacho.toml";

/// The folder beside the plan whose files hold more quirks.
const QUIRKS: &str = "quirks";

/// A plan, read, with what belongs to it.
#[derive(Debug)]
pub struct Project {
    /// The plan.
    pub plan: Plan,
    /// The plan's text.
    pub text: String,
    /// The plan's file, absolute; a typed plan has none.
    pub file: PathBuf,
    /// The folder of the plan, absolute.
    pub folder: PathBuf,
    /// The subject's name.
    pub name: String,
    /// Whether options took the place of a plan.
    pub is_typed: bool,
    store: Option<String>,
    cache: Option<PathBuf>,
}

impl Project {
    /// Finds and reads the plan.
    pub fn open(global: &GlobalArgs) -> Result<Self, CliError> {
        let path = match &global.plan {
            Some(path) => path.clone(),
            None => find_plan(&current_folder()?)?,
        };
        let text = std::fs::read_to_string(&path).map_err(CliError::reading(&path))?;
        let shown = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let mut plan = plan::parse(&text, &shown).map_err(CliError::Plan)?;
        let path = path.canonicalize().map_err(CliError::reading(&path))?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let text = text + &more_quirks(&folder, &mut plan)?;
        let name = plan.subject.name.clone().unwrap_or_else(|| folder_name(&folder));
        let project = Self {
            plan,
            text,
            file: path,
            folder,
            name,
            is_typed: false,
            store: global.store(),
            cache: global.cache(),
        };
        Ok(project.resolved())
    }

    /// A plan that was typed, for a subject in that folder; what is measured is kept in the user's
    /// cache, so that nothing is left in the folder.
    pub fn typed(global: &GlobalArgs, text: String, folder: &Path) -> Result<Self, CliError> {
        let plan = plan::parse(&text, "what was typed").map_err(CliError::Plan)?;
        let (folder, name) = (folder.to_owned(), folder_name(folder));
        let (store, cache) = (global.store(), global.cache());
        let file = folder.join("typed");
        let project = Self { plan, text, file, folder, name, is_typed: true, store, cache };
        let beside = || project.cache().join("store").to_string_lossy().into_owned();
        let store = project.store.clone().or_else(|| Some(beside()));
        Ok(Self { store, ..project }.resolved())
    }

    /// The project with these counters in each benchmark of its plan, spelt as on the command line,
    /// and with those that are named among the metrics.
    pub fn counting(mut self, names: &[String], metrics: &[String]) -> Result<Self, CliError> {
        let uncounted = uncounted(&self.plan, metrics);
        let plain = Counter::Instructions.name();
        let callgrind = Counter::CallgrindInstructions;
        if uncounted.iter().any(|name| name == plain)
            && counters(names)?.iter().any(|it| it.counter == callgrind)
        {
            let known = callgrind.name().to_owned();
            return Err(CliError::UnknownMetric { name: plain.to_owned(), known });
        }
        let among = counters(&uncounted)?;
        self.plan = counting(counting(self.plan, &among), &counters(names)?);
        Ok(self)
    }

    /// The project with the versions of its benchmarks as the store knows them.
    ///
    /// A store that cannot be opened says why to the command that needs it.
    fn resolved(mut self) -> Self {
        tacho_experiment::input_files::read(&mut self.plan, &self.folder);
        let Ok(mut store) = self.store() else { return self };
        let mut plan = self.plan.clone();
        if tacho_experiment::versions::resolve(&mut store, &mut plan).is_ok() {
            self.plan = plan;
        }
        self
    }

    /// The location of the store.
    pub fn location(&self) -> Location {
        let beside = self.folder.join(".tacho");
        match &self.store {
            None => Location::Folder(beside),
            Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Location::Postgres { url: url.clone(), logs: beside.join("logs") }
            }
            Some(folder) => Location::Folder(PathBuf::from(folder)),
        }
    }

    /// The recipes by which the plan builds these revisions.
    ///
    /// If the history is not available, the applying quirks are unknown: then a revision's last
    /// build is used, with a note.
    pub fn recipes(&self, revisions: &[Revision]) -> Recipes {
        self.known_recipes(revisions).unwrap_or_else(|error| {
            output::note("note", &format!("which quirks apply is unknown: {error}"));
            Recipes::usual(self.plan.subject.over(self.plan.measure.levels).recipe())
        })
    }

    /// The same, or why it is not known which quirks apply.
    pub fn known_recipes(&self, revisions: &[Revision]) -> Result<Recipes, SubjectError> {
        let subject = self.plan.subject.over(self.plan.measure.levels);
        tacho_subject::recipes(&subject, &self.folder, revisions)
    }

    /// Opens the store, which must be there.
    pub fn store(&self) -> Result<Store, CliError> {
        Ok(Store::open_existing(&self.location())?)
    }

    /// Opens an existing store to read it; it may belong to another user.
    pub fn store_to_read(&self) -> Result<Store, CliError> {
        Ok(Store::open_to_read(&self.location())?)
    }

    /// The folder for checkouts and builds: outside the user's work tree, since build tools look
    /// for their configuration in all folders above. It is the same for the same plan, and no other
    /// plan's.
    pub fn cache(&self) -> PathBuf {
        let root = self.cache.clone().unwrap_or_else(user_cache);
        let identity = Digest::of(self.folder.as_os_str().as_encoded_bytes()).short();
        root.join(format!("{}-{identity}", slug(&self.name)))
    }
}

/// Adds the quirks of `quirks/*.toml` beside the plan, in order of the files' names; gives their
/// text.
fn more_quirks(folder: &Path, plan: &mut Plan) -> Result<String, CliError> {
    let quirks = folder.join(QUIRKS);
    let Ok(entries) = std::fs::read_dir(&quirks) else { return Ok(String::new()) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut all = String::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(CliError::reading(&path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{QUIRKS}/{name}");
        let more = plan::parse_quirks(&text, &name, &plan.subject).map_err(CliError::Plan)?;
        plan.subject.quirks.extend(more);
        all += &format!("\n# {name}\n{text}");
    }
    Ok(all)
}

/// The plan in this folder or the nearest one above.
pub fn find_plan(folder: &Path) -> Result<PathBuf, CliError> {
    let found = folder.ancestors().map(|folder| folder.join(PLAN_FILE)).find(|path| path.is_file());
    found.ok_or_else(|| CliError::NoPlan { folder: folder.to_owned() })
}

/// The user's cache, as the XDG Base Directory Specification has it.
fn user_cache() -> PathBuf {
    let absolute = |name| {
        std::env::var_os(name).map(PathBuf::from).filter(|path: &PathBuf| path.is_absolute())
    };
    let root =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    root.unwrap_or_else(std::env::temp_dir).join("tacho")
}

fn folder_name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| "subject".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The name with everything but letters, digits, `-`, `_` and `.` replaced.
fn slug(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().map(keep).take(40).collect()
}

/// The folder that the command was typed in.
pub fn current_folder() -> Result<PathBuf, CliError> {
    std::env::current_dir().map_err(CliError::NowhereHere)
}
