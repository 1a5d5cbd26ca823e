//! Caches that are torn, flipped or made to deceive.

use pkgindex::cache::{Builder, Cache, Shape, Verify};
use pkgindex::checksum::Checksum;
use pkgindex::query;

use crate::harness::{Folder, says};

const STEP: usize = 512;

/// A cache with a few hundred packages: some blocks of checksums, most of it text.
fn image(checksum: Checksum) -> Vec<u8> {
    let folder = Folder::new();
    let stanza = |n: usize| {
        let text = "a long description ".repeat(20);
        format!(
            "Package: p{n}\nVersion: 1.{n}\nDepends: p{}, q{n} | p0\nDescription: d\n {text}\n\n",
            n / 2
        )
    };
    folder.write("Packages", (0..300).map(stanza).collect::<String>().as_bytes());
    let mut builder = Builder::new(Shape { table: 101, ..Shape::default() });
    builder.add_file(&folder.at("Packages")).unwrap();
    builder.finish(checksum, [7; 32]).into_bytes()
}

/// Asks everything that can be asked. Answers may be wrong; the program must not fail otherwise.
fn ask_all(cache: &Cache) -> Result<Vec<Vec<u8>>, pkgindex::Error> {
    let names: Vec<String> = ["p0", "p1", "p150", "p299"].map(str::to_owned).to_vec();
    let mut answers =
        vec![query::show(cache, &names)?, query::search(cache, &["1".to_owned()], true)?];
    for name in &names {
        answers.push(query::depends(cache, name)?);
        answers.push(query::reverse_depends(cache, name)?);
    }
    answers.push(query::stats(cache)?.into_bytes());
    Ok(answers)
}

fn all_checksums() -> impl Iterator<Item = Checksum> {
    Checksum::ALL.into_iter().filter(|&checksum| checksum != Checksum::None)
}

#[test]
fn every_truncation_is_recognised() {
    for checksum in Checksum::ALL {
        let whole = image(checksum);
        assert!(whole.len() > 100 * STEP);
        for length in (0..whole.len()).step_by(STEP) {
            for verify in [Verify::Always, Verify::Touched, Verify::Never] {
                let cache = Cache::of_bytes(whole[..length].to_vec(), verify);
                assert!(
                    cache.is_err_and(|error| error.is_corrupt()),
                    "{checksum:?} {length} {verify:?}"
                );
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_recognised() {
    for checksum in all_checksums() {
        let whole = image(checksum);
        for at in (0..whole.len()).step_by(STEP) {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at / STEP % 8);
            let cache = Cache::of_bytes(flipped, Verify::Always);
            assert!(cache.is_err_and(|error| error.is_corrupt()), "{checksum:?} {at}");
        }
    }
}

/// A sector that was never written is full of zeros, or of what stood there before.
#[test]
fn every_torn_sector_is_recognised() {
    let whole = image(Checksum::Crc32);
    for at in (0..whole.len()).step_by(STEP) {
        for old in [0, 0xaa] {
            let mut torn = whole.clone();
            let end = (at + STEP).min(torn.len());
            torn[at..end].fill(old);
            if torn != whole {
                assert!(Cache::of_bytes(torn, Verify::Always).is_err(), "{at}");
            }
        }
    }
}

#[test]
fn with_touched_blocks_no_answer_is_wrong() {
    let whole = image(Checksum::Crc32);
    let right = ask_all(&Cache::of_bytes(whole.clone(), Verify::Touched).unwrap()).unwrap();
    for at in (0..whole.len()).step_by(STEP) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x80;
        match Cache::of_bytes(flipped, Verify::Touched).and_then(|cache| ask_all(&cache)) {
            Ok(answers) => assert_eq!(answers, right, "{at}"),
            Err(error) => assert!(error.is_corrupt(), "{at}: {error}"),
        }
    }
}

/// Without checksums, any value at any place leads to an answer or an error, never to a panic or an
/// endless chain.
#[test]
fn without_checksums_nothing_is_trusted() {
    let whole = image(Checksum::None);
    // The text comes first, then the records.
    let text = u64::from_le_bytes(whole[64 + 8..][..8].try_into().unwrap());
    let records = usize::try_from(text).unwrap().next_multiple_of(8);
    for at in (records..whole.len() - 3).step_by(4 * 97) {
        for value in [0, 1, 150, 299, 300, 601, u32::MAX / 2, u32::MAX] {
            let mut hostile = whole.clone();
            hostile[at..at + 4].copy_from_slice(&value.to_le_bytes());
            if let Ok(cache) = Cache::of_bytes(hostile, Verify::Never) {
                let _ = ask_all(&cache);
            }
        }
    }
}

/// A header whose own checksum is right, and which lies.
#[test]
fn a_lying_header_is_an_error() {
    let whole = image(Checksum::None);
    for at in (8..64 + 6 * 16).step_by(4).filter(|at| !(16..64).contains(at)) {
        for value in [1, 4096, 0x7fff_ffff, u32::MAX] {
            let mut hostile = whole.clone();
            hostile[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
            hostile[24] = 0;
            let own = crc32fast::hash(&hostile[..4092]);
            hostile[4092..4096].copy_from_slice(&own.to_le_bytes());
            hostile[24] = 1;
            if let Ok(cache) = Cache::of_bytes(hostile, Verify::Touched) {
                let _ = ask_all(&cache);
            }
        }
    }
}

#[test]
fn a_damaged_cache_is_built_again() {
    let folder = Folder::new();
    let answer = String::from_utf8(folder.ask("show libc6").stdout).unwrap();
    let whole = folder.read("cache");
    let note = |what: &str| format!("note: built the cache: the cache is damaged: {what}\n");
    folder.write("cache", &whole[..whole.len() / 2]);
    says(&folder.ask("show libc6"), 0, &answer, &note("its sections do not fit its length"));
    assert_eq!(folder.read("cache"), whole);
    let mut flipped = whole.clone();
    flipped[5000] ^= 1;
    folder.write("cache", &flipped);
    says(
        &folder.ask("verify"),
        2,
        "",
        "error: the cache is damaged: the checksum of a block differs\n\
        hint: `pkgindex build` writes it again\n",
    );
    says(&folder.ask("show libc6"), 0, &answer, &note("the checksum of a block differs"));
    says(&folder.ask("verify"), 0, "the cache is sound\n", "");
    folder.write("cache", b"");
    let output = folder.ask("show libc6");
    assert_eq!(String::from_utf8_lossy(&output.stdout), answer);
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.at("pipe")).status().unwrap();
    assert!(made.success());
    let path = folder.at("pipe");
    let error = "error: cannot write `pipe`: it is no regular file\n";
    says(&folder.pkgindex("--index Packages --cache pipe build"), 2, "", error);
    folder.write("patch", b"1d\n.\n");
    let answer = folder.pkgindex("rred -o pipe Packages patch");
    assert!(!answer.status.success(), "{answer:?}");
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(
        &std::fs::metadata(&path).unwrap().file_type()
    ));
}

#[test]
fn doubt_ends_with_the_mark() {
    let folder = Folder::new();
    let answer = folder.ask("show libc6").stdout;
    let stderr = |words: &str| String::from_utf8(folder.ask(words).stderr).unwrap();
    assert_eq!(stderr("show libc6 --verify doubt"), "", "marked when it was written");
    // Another file in its place is in doubt, and found out.
    let mut flipped = folder.read("cache");
    flipped[5000] ^= 1;
    folder.write("cache", &flipped);
    assert!(stderr("show libc6 --verify doubt").contains("built the cache"));
    // Without its mark it is in doubt, verified, and marked.
    std::fs::remove_file(folder.at("cache.mark")).unwrap();
    assert_eq!(folder.ask("show libc6 --verify doubt").stdout, answer);
    assert!(folder.at("cache.mark").exists());
}

#[test]
fn every_way_of_writing_is_read() {
    let folder = Folder::new();
    let answer = String::from_utf8(folder.ask("show libc6").stdout).unwrap();
    for write in ["sync", "sync-rename", "checksum"] {
        says(&folder.ask(&format!("build --write {write}")), 0, "", "");
        for verify in ["always", "doubt", "touched", "never"] {
            says(&folder.ask(&format!("show libc6 --verify {verify}")), 0, &answer, "");
        }
    }
    // A cache whose writer died before it set the flag.
    let mut dirty = folder.read("cache");
    dirty[24] = 0;
    folder.write("cache", &dirty);
    let note = "note: built the cache: the cache is damaged: it was not written to its end\n";
    says(&folder.ask("show libc6"), 0, &answer, note);
}
