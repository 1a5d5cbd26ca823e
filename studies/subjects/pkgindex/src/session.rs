//! Opens the cache for a question, and builds it again where it is missing, outdated or damaged.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Error;
use crate::cache::{
    Builder, Cache, Image, Shape, Verify, WriteWay, Written, digest, folder_of, write,
};
use crate::checksum::Checksum;

/// Where apt keeps its indices.
const LISTS: &str = "/var/lib/apt/lists";

/// What to work with, and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the cache is.
    pub cache: PathBuf,
    /// Whether the user named it. The folder of the usual place is made if it is missing, and not
    /// that of a name that may be mistyped.
    pub is_named: bool,
    /// The indices; if there are none, all of apt's.
    pub indices: Vec<PathBuf>,
    /// How the table of names is made.
    pub shape: Shape,
    /// The checksum of blocks; none is kept where the cache is synced instead.
    pub checksum: Checksum,
    /// How the cache is stored.
    pub write: WriteWay,
    /// When checksums are looked at.
    pub verify: Verify,
}

/// How long the phases of building took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Reading and parsing indices.
    pub parse: Duration,
    /// Putting the image together, with its checksums.
    pub image: Duration,
    /// Storing it.
    pub store: Written,
}

impl Phases {
    /// `key: value` lines, in which plans find metrics.
    #[must_use]
    pub fn lines(&self) -> String {
        let phases = [
            ("parse", self.parse),
            ("image", self.image),
            ("write", self.store.write),
            ("sync", self.store.sync),
        ];
        phases.map(|(name, time)| format!("time-{name}: {:.6} s\n", time.as_secs_f64())).concat()
    }
}

/// What happened beside the answer, to be shown on standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The cache was built, for this reason.
    Rebuilt(String),
    /// The cache could not be stored, for this reason; the answer comes from memory.
    NotStored(String),
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rebuilt(why) => write!(f, "built the cache: {why}"),
            Self::NotStored(why) => write!(f, "the cache is not kept: {why}"),
        }
    }
}

impl Settings {
    /// The indices that are meant.
    ///
    /// # Errors
    /// If none are named and apt has none.
    pub fn indices(&self) -> Result<Vec<PathBuf>, Error> {
        if !self.indices.is_empty() {
            return Ok(self.indices.clone());
        }
        indices_in(Path::new(LISTS))
    }

    /// Builds the cache and stores it.
    ///
    /// # Errors
    /// If an index cannot be read or the cache cannot be stored.
    pub fn build(&self) -> Result<Phases, Error> {
        self.check_folder()?;
        let (image, mut phases) = self.image(&self.indices()?)?;
        phases.store = self.store(&image)?;
        Ok(phases)
    }

    fn check_folder(&self) -> Result<(), Error> {
        let is_wrong = match folder_of(&self.cache).metadata() {
            Ok(found) => !found.is_dir(),
            Err(error) => {
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
            }
        };
        if self.is_named && is_wrong {
            return Err(Error::NoCacheFolder { path: self.cache.clone() });
        }
        Ok(())
    }

    fn store(&self, image: &Image) -> Result<Written, Error> {
        if !self.is_named {
            let folder = folder_of(&self.cache);
            std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        write(image, &self.cache, self.write)
    }

    fn image(&self, indices: &[PathBuf]) -> Result<(Image, Phases), Error> {
        let source = digest(indices)?;
        let begin = Instant::now();
        let mut builder = Builder::new(self.shape);
        indices.iter().try_for_each(|path| builder.add_file(path))?;
        if builder.is_empty() {
            return Err(Error::NoPackage { paths: indices.to_vec() });
        }
        let parse = begin.elapsed();
        let begin = Instant::now();
        let checksum =
            if self.write == WriteWay::Checksum { self.checksum } else { Checksum::None };
        let image = builder.finish(checksum, source);
        Ok((image, Phases { parse, image: begin.elapsed(), ..Phases::default() }))
    }

    /// Answers a question from the cache, which is built again if it is missing, outdated or
    /// damaged.
    ///
    /// # Errors
    /// If the question has no answer, or no cache can be built.
    pub fn ask<T>(
        &self,
        question: impl Fn(&Cache) -> Result<T, Error>,
    ) -> Result<(T, Vec<Notice>), Error> {
        self.check_folder()?;
        let indices = self.indices()?;
        let why = match self.current(&indices)? {
            Ok(cache) => match question(&cache) {
                Err(error) if error.is_corrupt() => first_line(&error),
                answer => return answer.map(|answer| (answer, Vec::new())),
            },
            Err(why) => why,
        };
        let (image, _) = self.image(&indices)?;
        let mut notices = vec![Notice::Rebuilt(why)];
        if let Err(error) = self.store(&image) {
            notices.push(Notice::NotStored(error.to_string()));
        }
        let cache = Cache::of_bytes(image.into_bytes(), Verify::Never)?;
        question(&cache).map(|answer| (answer, notices))
    }

    /// The cache, or why it must be built again.
    fn current(&self, indices: &[PathBuf]) -> Result<Result<Cache, String>, Error> {
        let source = digest(indices)?;
        match Cache::open(&self.cache, self.verify) {
            Ok(cache) if cache.source() == source => Ok(Ok(cache)),
            Ok(_) => Ok(Err("the indices have changed".to_owned())),
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Ok(Err("there was none".to_owned()))
            }
            Err(error) if error.is_corrupt() => Ok(Err(first_line(&error))),
            Err(Error::File { action: "map", source, .. }) => Ok(Err(source.to_string())),
            Err(error) => Err(error),
        }
    }
}

fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

fn indices_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = std::fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_index(path)).collect();
    found.sort();
    if found.is_empty() { Err(Error::NoIndex { path: folder.to_owned() }) } else { Ok(found) }
}

/// `…_Packages`, with or without a compression's extension.
fn is_index(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, extension)| {
        if matches!(extension, "lz4" | "gz" | "xz" | "zst" | "bz2" | "lzma") { stem } else { &name }
    });
    stem.ends_with("_Packages") || stem == "Packages"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_known_by_their_names() {
        for name in [
            "Packages",
            "Packages.gz",
            "deb.debian.org_dists_bookworm_main_binary-amd64_Packages.lz4",
        ] {
            assert!(is_index(Path::new(name)), "{name}");
        }
        for name in ["InRelease", "x_Sources.lz4", "x_Packages.diff_Index", "lock"] {
            assert!(!is_index(Path::new(name)), "{name}");
        }
    }
}
