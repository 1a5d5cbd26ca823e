//! The content of the files that a benchmark reads by path from the plan's folder.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use tacho_record::{Digest, Plan};

/// Only the first and the last bytes of a file larger than twice this are read, this many each.
const PART: u64 = 32 << 20;

/// Fills in the digests of the input files of all benchmarks. A file that cannot be read has none:
/// why is reported when it is needed.
pub fn read(plan: &mut Plan, folder: &Path) {
    for benchmark in &mut plan.benchmarks {
        let digest = |path: &str| Some((path.to_owned(), digest(&folder.join(path)).ok()??));
        benchmark.inputs = benchmark.input_files().filter_map(digest).collect();
    }
}

/// The digest of a file's content; for a large file, of its length and its ends. `None` if it is
/// not a file, such as a device.
fn digest(path: &Path) -> io::Result<Option<Digest>> {
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let (mut file, length) = (File::open(path)?, metadata.len());
    let mut content = Vec::new();
    if length <= 2 * PART {
        file.read_to_end(&mut content)?;
    } else {
        content.extend(length.to_le_bytes());
        file.by_ref().take(PART).read_to_end(&mut content)?;
        file.seek(SeekFrom::Start(length - PART))?;
        file.take(PART).read_to_end(&mut content)?;
    }
    Ok(Some(Digest::of(content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_digest_is_that_of_its_content_and_a_device_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in");
        std::fs::write(&path, "1").unwrap();
        assert_eq!(digest(&path).unwrap(), Some(Digest::of("1")));
        assert_eq!(digest(Path::new("/dev/null")).unwrap(), None);
        assert!(digest(&folder.path().join("none")).is_err());
    }

    #[test]
    fn the_ends_of_a_large_file_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let file = File::create(&path).unwrap();
        file.set_len(2 * PART + 1).unwrap();
        let one = digest(&path).unwrap();
        file.set_len(2 * PART + 2).unwrap();
        assert_ne!(digest(&path).unwrap(), one);
    }
}
