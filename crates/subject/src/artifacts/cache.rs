//! Archives by digest, of which the least recently used are evicted.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::io::Errno;
use tacho_record::Digest;

use super::archive;
use super::content::Content;
use super::manifest::{ArtifactManifest, make_read_only};
use crate::SubjectError;
use crate::files;

/// The suffix of every archive's name.
const SUFFIX: &str = ".tar.zst";

/// The prefix of names of incomplete folders and files.
const UNFINISHED: &str = ".unfinished-";

/// Archives of artifacts, and unpacked copies of some.
#[derive(Debug)]
pub(crate) struct Cache {
    /// `artifacts/DIGEST.tar.zst`.
    archives: PathBuf,
    /// `builds/DIGEST`, the digest always cut to the same length: where the arguments of a program
    /// end in memory moves its stack, and with it its speed.
    unpacked: PathBuf,
    /// `manifests/DIGEST`: what each copy looked like when it was known to be whole.
    manifests: PathBuf,
    /// The manifests of the copies that were handed out, until a copy is found to have changed.
    handed_out: HashMap<Digest, ArtifactManifest>,
    /// In bytes, for the archives.
    limit: u64,
    needed: HashSet<Digest>,
}

impl Cache {
    pub fn open(folder: &Path, limit: u64) -> Result<Self, SubjectError> {
        let (archives, unpacked) = (folder.join("artifacts"), folder.join("builds"));
        let manifests = folder.join("manifests");
        for folder in [&archives, &unpacked, &manifests] {
            fs::create_dir_all(folder).map_err(SubjectError::cache("create", folder))?;
            remove_unfinished(folder).map_err(SubjectError::cache("clean up", folder))?;
        }
        Ok(Self {
            archives,
            unpacked,
            manifests,
            handed_out: HashMap::new(),
            limit,
            needed: HashSet::new(),
        })
    }

    /// Whether its folders still exist.
    pub fn is_there(&self) -> bool {
        [&self.archives, &self.unpacked, &self.manifests].into_iter().all(|folder| folder.is_dir())
    }

    /// Keeps the content, whose digest this is; others may have to go.
    pub fn store(&mut self, content: &Content, digest: Digest) -> Result<(), SubjectError> {
        self.needed.insert(digest);
        let archive = self.archive(digest);
        if !touch(&archive) {
            self.pack(content, &archive).map_err(SubjectError::cache("write", &archive))?;
            self.let_go();
        }
        Ok(())
    }

    /// The folder with the content of that digest, as it was built; `None` if it was evicted.
    ///
    /// A copy that was changed since it was unpacked is replaced.
    pub fn unpack(&mut self, digest: Digest) -> Result<Option<PathBuf>, SubjectError> {
        let archive = self.archive(digest);
        let folder = self.folder(digest);
        let is_kept = touch(&archive);
        let manifest = if let Some(manifest) = self.whole_copy(digest, &folder) {
            manifest
        } else {
            self.remove_copy(&folder).map_err(SubjectError::cache("remove", &folder))?;
            let failed = SubjectError::cache("unpack", &archive);
            if !is_kept || !self.unpack_again(digest, &archive, &folder).map_err(failed)? {
                return Ok(None);
            }
            self.put_manifest(&folder).map_err(SubjectError::cache("write", &self.manifests))?
        };
        self.handed_out.insert(digest, manifest);
        self.needed.insert(digest);
        Ok(Some(folder))
    }

    /// A path in an unpacked copy that changed since it was handed out; reported only once.
    pub fn changed(&mut self, digest: Digest) -> Option<PathBuf> {
        let folder = self.folder(digest);
        let before = self.handed_out.get(&digest)?;
        let now = ArtifactManifest::of(&folder).unwrap_or_default();
        let changed = before.difference(&now)?.to_owned();
        self.handed_out.remove(&digest);
        Some(changed)
    }

    /// The manifest of a copy that holds what it should; `None` if it does not, or is not there.
    fn whole_copy(&self, digest: Digest, folder: &Path) -> Option<ArtifactManifest> {
        let now = ArtifactManifest::of(folder).ok()?;
        let kept = fs::read(self.manifest(folder))
            .ok()
            .and_then(|bytes| ArtifactManifest::from_bytes(&bytes));
        if kept.as_ref() == Some(&now) {
            return Some(now);
        }
        // Times may differ without a change, as when a cache was moved to another disk.
        let content = Content::of_folder(folder).ok()?;
        let is_whole = content.entries().count() == now.len() && content.digest().ok()? == digest;
        // A manifest that cannot be kept only costs this comparison again.
        is_whole.then(|| self.put_manifest(folder).unwrap_or(now))
    }

    /// Keeps what a copy that is whole looks like.
    fn put_manifest(&self, folder: &Path) -> io::Result<ArtifactManifest> {
        let manifest = ArtifactManifest::of(folder)?;
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.manifests)?;
        file.write_all(&manifest.to_bytes())?;
        file.persist(self.manifest(folder))?;
        Ok(manifest)
    }

    fn manifest(&self, folder: &Path) -> PathBuf {
        self.manifests.join(folder.file_name().unwrap_or_default())
    }

    /// From now on these must stay, and nothing else: unpacked copies of others go, archives when
    /// there is more than the limit.
    pub fn keep(&mut self, needed: &[Digest]) {
        self.needed = needed.iter().copied().collect();
        let stays: HashSet<PathBuf> = needed.iter().map(|digest| self.folder(*digest)).collect();
        for folder in children(&self.unpacked)
            .unwrap_or_default()
            .into_iter()
            .filter(|path| !stays.contains(path))
        {
            // A copy that cannot be removed now does no harm.
            let _ = self.remove_copy(&folder);
        }
        self.let_go();
    }

    fn archive(&self, digest: Digest) -> PathBuf {
        self.archives.join(format!("{digest}{SUFFIX}"))
    }

    fn folder(&self, digest: Digest) -> PathBuf {
        self.unpacked.join(&digest.to_string()[..16])
    }

    fn pack(&self, content: &Content, target: &Path) -> io::Result<()> {
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.archives)?;
        archive::pack(content, file.as_file())?;
        // A name that survives a power failure must not name an empty file.
        file.as_file().sync_data()?;
        file.persist(target)?;
        Ok(())
    }

    /// Unpacks an archive, or removes it if it does not hold what its name says; whether it did.
    fn unpack_again(&self, digest: Digest, archive: &Path, folder: &Path) -> io::Result<bool> {
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.unpacked)?;
        let copy = unfinished.path().join("copy");
        fs::create_dir(&copy)?;
        let unpacked =
            archive::unpack(&File::open(archive)?, &copy).and_then(|()| Content::of_folder(&copy));
        match unpacked {
            Ok(content) if content.digest() == Ok(digest) => {}
            unpacked => {
                if let Some(error) = unpacked.err().as_ref().and_then(disk_error)
                    && can_be_read(archive)
                {
                    return Err(error);
                }
                fs::remove_file(archive)?;
                return Ok(false);
            }
        }
        rustix::fs::syncfs(File::open(&copy)?)?;
        make_read_only(&copy)?;
        fs::rename(&copy, folder)?;
        // Only now: a folder that cannot be written to cannot be moved.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555))?;
        Ok(true)
    }

    /// Removes archives until the rest is within the limit, the least recently used first; the
    /// needed stay.
    fn let_go(&self) {
        let Ok(mut archives) = self.by_use() else { return };
        let mut total: u64 = archives.iter().map(|archive| archive.size).sum();
        archives.retain(|archive| !self.needed.contains(&archive.digest));
        for archive in archives {
            if total <= self.limit {
                return;
            }
            let _ = self.remove_copy(&self.folder(archive.digest));
            if fs::remove_file(self.archive(archive.digest)).is_ok() {
                total -= archive.size;
            }
        }
    }

    /// All archives, the least recently used first.
    fn by_use(&self) -> io::Result<Vec<Archive>> {
        let archive = |path: &PathBuf| {
            let digest = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?.parse().ok()?;
            let metadata = path.metadata().ok()?;
            Some(Archive { used: metadata.modified().ok()?, digest, size: metadata.len() })
        };
        let mut archives: Vec<Archive> =
            children(&self.archives)?.iter().filter_map(archive).collect();
        archives.sort_by_key(|archive| (archive.used, archive.digest));
        Ok(archives)
    }

    /// Removes an unpacked copy so that it is never visible in part.
    fn remove_copy(&self, folder: &Path) -> io::Result<()> {
        let Ok(metadata) = folder.symlink_metadata() else { return Ok(()) };
        let manifest = self.manifest(folder);
        if manifest.exists() {
            fs::remove_file(manifest)?;
        }
        if metadata.is_dir() {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        }
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.unpacked)?;
        fs::rename(folder, unfinished.path().join("copy"))?;
        files::remove(unfinished.path())
    }
}

/// An archive in the cache.
struct Archive {
    used: SystemTime,
    digest: Digest,
    size: u64,
}

/// Marks an archive as used now. Returns whether it exists.
fn touch(archive: &Path) -> bool {
    File::open(archive).is_ok_and(|file| {
        // A clock that cannot be set only makes the order of going less fair.
        let _ = file.set_modified(SystemTime::now());
        true
    })
}

/// The system's error, if the system failed rather than the content: `tar` hides it.
fn disk_error(error: &io::Error) -> Option<io::Error> {
    let system = [Errno::DQUOT, Errno::IO, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOSPC]
        .map(Errno::raw_os_error);
    iter::successors(Some(error as &dyn Error), |error| (*error).source())
        .filter_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error())
        .find(|code| system.contains(code))
        .map(io::Error::from_raw_os_error)
}

/// Whether the whole file can be read.
fn can_be_read(path: &Path) -> bool {
    File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink())).is_ok()
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Removes what an earlier process did not get finished with.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let is_unfinished = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()))
    };
    children(folder)?
        .iter()
        .filter(|path| is_unfinished(path))
        .try_for_each(|path| files::remove(path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use tempfile::TempDir;

    use super::*;
    use crate::testing::folder;

    /// Stores a file with this content and this many bytes that do not compress.
    fn store(cache: &mut Cache, name: &str, size: usize) -> Digest {
        let folder = folder(&[&format!("prog: {name}")]);
        let mut noise = vec![0; size];
        blake3::Hasher::new().update(name.as_bytes()).finalize_xof().fill(&mut noise);
        fs::write(folder.path().join("noise"), noise).unwrap();
        let content = Content::of_folder(folder.path()).unwrap();
        let digest = content.digest().unwrap();
        cache.store(&content, digest).unwrap();
        digest
    }

    fn cache(limit: u64) -> (TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), limit).unwrap();
        (folder, cache)
    }

    /// The content of the file `prog`, if it can be had.
    fn read(cache: &mut Cache, digest: Digest) -> Option<String> {
        let folder = cache.unpack(digest).unwrap()?;
        Some(fs::read_to_string(folder.join("prog")).unwrap())
    }

    /// Pretends that an archive was used last this many seconds ago.
    fn used_ago(cache: &Cache, digest: Digest, seconds: u64) {
        let time = SystemTime::now() - std::time::Duration::from_secs(seconds);
        File::open(cache.archive(digest)).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn what_is_stored_can_be_unpacked_under_names_of_one_length() {
        let (folder, mut cache) = cache(u64::MAX);
        let (one, two) = (store(&mut cache, "one", 10), store(&mut cache, "two", 10));
        assert_eq!(read(&mut cache, one).as_deref(), Some("one"));
        assert_eq!(read(&mut cache, two).as_deref(), Some("two"));
        let paths = [one, two].map(|digest| cache.unpack(digest).unwrap().unwrap());
        assert_eq!(paths[0].as_os_str().len(), paths[1].as_os_str().len());
        assert_eq!(paths[0], folder.path().join("builds").join(&one.to_string()[..16]));
        assert_eq!(cache.unpack(Digest::of("never")).unwrap(), None);
    }

    #[test]
    fn a_copy_is_unpacked_once_unless_it_was_changed() {
        let (_folder, mut cache) = cache(u64::MAX);
        let one = store(&mut cache, "one", 10);
        let copy = cache.unpack(one).unwrap().unwrap();
        let inode = |path: &Path| path.metadata().unwrap().ino();
        let first = inode(&copy);
        assert_eq!((cache.changed(one), read(&mut cache, one).as_deref()), (None, Some("one")));
        assert_eq!(inode(&copy), first);
        let change: [&dyn Fn(); 4] = [
            &|| fs::write(copy.join("prog"), "two").unwrap(),
            &|| fs::remove_file(copy.join("prog")).unwrap(),
            &|| fs::write(copy.join("beside"), "").unwrap(),
            &|| {
                rustix::fs::mkfifoat(rustix::fs::CWD, copy.join("pipe"), rustix::fs::Mode::RWXU)
                    .unwrap();
            },
        ];
        for (change, path) in change.into_iter().zip(["prog", "prog", "beside", "pipe"]) {
            make_writable(&copy);
            cache.unpack(one).unwrap();
            change();
            assert_eq!(cache.changed(one), Some(PathBuf::from(path)));
            assert_eq!(cache.changed(one), None, "it is said once");
            assert_eq!(read(&mut cache, one).as_deref(), Some("one"));
            assert_eq!(children(&copy).unwrap().len(), 2);
        }
    }

    /// As a user without the right to write may do.
    fn make_writable(copy: &Path) {
        fs::set_permissions(copy, fs::Permissions::from_mode(0o755)).unwrap();
        if let Ok(metadata) = copy.join("prog").metadata() {
            fs::set_permissions(
                copy.join("prog"),
                fs::Permissions::from_mode(metadata.mode() | 0o200),
            )
            .unwrap();
        }
    }

    #[test]
    fn an_error_of_the_disk_is_none_of_the_archive() {
        let [io, missing] = [Errno::IO, Errno::NOENT].map(io::Error::from);
        let inside = |error| io::Error::other(Outer(io::Error::other(Outer(error))));
        assert_eq!(disk_error(&Errno::NOSPC.into()).unwrap().kind(), io::ErrorKind::StorageFull);
        assert_eq!(disk_error(&inside(io)).unwrap().raw_os_error(), Some(Errno::IO.raw_os_error()));
        assert!(disk_error(&inside(missing)).is_none());
        assert!(disk_error(&io::Error::other("wrong checksum")).is_none());
    }

    /// An error with a cause, as `tar` gives it.
    #[derive(Debug, thiserror::Error)]
    #[error("failed to unpack")]
    struct Outer(#[source] io::Error);

    #[test]
    fn a_copy_that_only_looks_changed_is_kept() {
        let (_folder, mut cache) = cache(u64::MAX);
        let one = store(&mut cache, "one", 10);
        let copy = cache.unpack(one).unwrap().unwrap();
        let inode = copy.metadata().unwrap().ino();
        fs::remove_file(cache.manifest(&copy)).unwrap();
        assert_eq!(read(&mut cache, one).as_deref(), Some("one"));
        assert_eq!(copy.metadata().unwrap().ino(), inode);
        assert!(cache.manifest(&copy).exists());
    }

    #[test]
    fn a_changed_copy_without_its_archive_is_not_there() {
        let (_folder, mut cache) = cache(u64::MAX);
        let one = store(&mut cache, "one", 10);
        let copy = cache.unpack(one).unwrap().unwrap();
        fs::remove_file(cache.archive(one)).unwrap();
        assert_eq!(read(&mut cache, one).as_deref(), Some("one"));
        make_writable(&copy);
        fs::remove_file(copy.join("noise")).unwrap();
        assert_eq!(read(&mut cache, one), None);
        assert!(!copy.exists());
    }

    #[test]
    fn a_copy_is_read_only() {
        let (_folder, mut cache) = cache(u64::MAX);
        let one = store(&mut cache, "one", 10);
        let copy = cache.unpack(one).unwrap().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o222;
        assert_eq!((mode(&copy), mode(&copy.join("prog"))), (0, 0));
    }

    #[test]
    fn the_least_recently_used_goes_first_and_the_needed_never() {
        let (_folder, mut cache) = cache(25_000);
        let [old, needed, used] =
            ["old", "needed", "used"].map(|name| store(&mut cache, name, 10_000));
        // All three are new, and so needed, whatever the limit says.
        assert!([old, needed, used].iter().all(|&digest| cache.archive(digest).exists()));
        for (digest, seconds) in [(needed, 300), (old, 200), (used, 100)] {
            used_ago(&cache, digest, seconds);
        }
        cache.keep(&[needed]);
        assert_eq!(read(&mut cache, old), None);
        assert_eq!(read(&mut cache, needed).as_deref(), Some("needed"));
        assert_eq!(read(&mut cache, used).as_deref(), Some("used"));
    }

    #[test]
    fn storing_lets_others_go() {
        let (_folder, mut cache) = cache(15_000);
        let one = store(&mut cache, "one", 10_000);
        assert!(cache.unpack(one).unwrap().is_some());
        cache.keep(&[]);
        let two = store(&mut cache, "two", 10_000);
        assert_eq!((read(&mut cache, one), read(&mut cache, two).as_deref()), (None, Some("two")));
        let again = store(&mut cache, "one", 10_000);
        assert_eq!((again, read(&mut cache, one).as_deref()), (one, Some("one")));
    }

    #[test]
    fn to_be_stored_again_is_to_be_used() {
        let (_folder, mut cache) = cache(25_000);
        let [one, two] = ["one", "two"].map(|name| store(&mut cache, name, 10_000));
        for digest in [one, two] {
            used_ago(&cache, digest, 100);
        }
        store(&mut cache, "one", 10_000);
        cache.keep(&[]);
        store(&mut cache, "three", 10_000);
        assert_eq!((cache.archive(one).exists(), cache.archive(two).exists()), (true, false));
    }

    #[test]
    fn what_is_not_what_its_name_says_is_not_there() {
        let (_folder, mut cache) = cache(u64::MAX);
        let [one, two] = ["one", "two"].map(|name| store(&mut cache, name, 10));
        fs::copy(cache.archive(two), cache.archive(one)).unwrap();
        assert_eq!(read(&mut cache, one), None);
        assert!(!cache.archive(one).exists());
        let archive = cache.archive(two);
        let length = archive.metadata().unwrap().len();
        File::options().write(true).open(&archive).unwrap().set_len(length - 5).unwrap();
        assert_eq!(read(&mut cache, two), None);
        assert_eq!(children(&cache.unpacked).unwrap(), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let (folder, mut cache) = cache(u64::MAX);
        let one = store(&mut cache, "one", 10);
        let half = folder.path().join("builds/.unfinished-x/copy/y");
        fs::create_dir_all(&half).unwrap();
        fs::write(folder.path().join("artifacts/.unfinished-z"), "").unwrap();
        let mut cache = Cache::open(folder.path(), u64::MAX).unwrap();
        assert_eq!(children(&cache.unpacked).unwrap().len(), 0);
        assert_eq!(children(&cache.archives).unwrap().len(), 1);
        assert_eq!(read(&mut cache, one).as_deref(), Some("one"));
    }
}
