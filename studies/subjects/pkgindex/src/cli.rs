//! What was typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pkgindex::cache::{Shape, Verify, WriteWay};
use pkgindex::checksum::Checksum;
use pkgindex::hash::Hash;
use pkgindex::rred::Output;
use pkgindex::session::Settings;

/// Answers questions about Debian packages from a memory-mapped cache of package indices.
///
/// The cache is built when it is missing, outdated or damaged.
/// Exit status: 0 answered, 1 no such package or nothing found, 2 error.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
pub struct Common {
    /// An index (`Packages`) in any compression; may be repeated [default: all of apt's lists].
    #[arg(short, long, global = true, value_name = "FILE")]
    index: Vec<PathBuf>,
    /// Where the cache is [default: in the user's `pkgindex` cache folder, one for each
    /// choice of indices].
    #[arg(short, long, global = true, value_name = "FILE", env = "PKGINDEX_CACHE")]
    cache: Option<PathBuf>,
    /// When checksums are looked at.
    #[arg(long, global = true, value_enum, default_value = "touched", help_heading = "Ways")]
    verify: VerifyName,
    /// The hash function of names.
    #[arg(long, global = true, value_enum, default_value = "djb", help_heading = "Ways")]
    hash: HashName,
    /// How many buckets the table of names has.
    #[arg(long, global = true, value_name = "N", default_value_t = 15_013, help_heading = "Ways",
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    table: u32,
    /// The checksum of blocks.
    #[arg(long, global = true, value_enum, default_value = "crc32", help_heading = "Ways")]
    checksum: ChecksumName,
    /// What keeps a torn cache from being believed after a crash.
    #[arg(long, global = true, value_enum, default_value = "checksum", help_heading = "Ways")]
    write: WriteName,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print files, unpacked from any compression (gz, xz, lzma, zst, bz2, lz4).
    Cat {
        /// Files; `-` is standard input.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Build the cache.
    Build {
        /// Print sizes and times as `key: value` lines.
        #[arg(long)]
        stats: bool,
    },
    /// Print the stanzas of packages, newest version first.
    Show {
        /// Names of packages.
        #[arg(required = true)]
        packages: Vec<String>,
    },
    /// Find packages whose name or description matches all patterns.
    Search {
        /// Regular expressions, in any case.
        #[arg(required = true)]
        patterns: Vec<String>,
        /// Look at names only.
        #[arg(short, long)]
        names_only: bool,
    },
    /// Print what a package depends on.
    Depends {
        /// The name of a package.
        package: String,
        /// Print which packages name it instead.
        #[arg(short, long)]
        reverse: bool,
    },
    /// Print the sizes of the cache and of its table as `key: value` lines.
    Stats,
    /// Look at all checksums of the cache.
    Verify,
    /// Apply ed-style patches to an index, one after the other in one pass.
    Rred {
        /// Write to this file instead of standard output; it is replaced when it is whole.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Print one patch that does what all of them do; INPUT is the first patch then.
        #[arg(short, long)]
        merge: bool,
        /// How the new file is written.
        #[arg(long, value_enum, default_value = "buffered")]
        writing: WritingName,
        /// The index, in any compression.
        input: PathBuf,
        /// The patches, in any compression, oldest first.
        #[arg(required_unless_present = "merge")]
        patches: Vec<PathBuf>,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum VerifyName {
    /// All, whenever the cache is opened.
    Always,
    /// All, unless the cache was written or verified since the machine started.
    Doubt,
    /// Of the blocks that are read.
    Touched,
    /// None.
    Never,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum HashName {
    /// The sum of all bytes.
    Sum,
    /// Multiplies by 5.
    Times5,
    /// Bernstein's: multiplies by 33.
    Djb,
    /// Fowler, Noll and Vo's 1a.
    Fnv,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ChecksumName {
    /// Adler-32.
    Adler32,
    /// CRC-32.
    Crc32,
    /// 64 bits of BLAKE3.
    Blake3,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WriteName {
    /// A flag, and a sync before it is set.
    Sync,
    /// A flag, a sync before it is set, and one after.
    SyncRename,
    /// Checksums and no sync.
    Checksum,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum WritingName {
    /// In large pieces.
    Buffered,
    /// Each line by itself.
    Unbuffered,
}

impl WritingName {
    /// What it means.
    pub fn output(self) -> Output {
        match self {
            Self::Buffered => Output::Buffered,
            Self::Unbuffered => Output::Unbuffered,
        }
    }
}

impl Common {
    /// What the options mean.
    pub fn settings(&self) -> Settings {
        Settings {
            cache: self.cache.clone().unwrap_or_else(|| default_cache(&self.index)),
            is_named: self.cache.is_some(),
            indices: self.index.clone(),
            shape: Shape { hash: self.hash(), table: self.table },
            checksum: match self.checksum {
                ChecksumName::Adler32 => Checksum::Adler32,
                ChecksumName::Crc32 => Checksum::Crc32,
                ChecksumName::Blake3 => Checksum::Blake3,
            },
            write: match self.write {
                WriteName::Sync => WriteWay::Sync,
                WriteName::SyncRename => WriteWay::SyncRename,
                WriteName::Checksum => WriteWay::Checksum,
            },
            verify: match self.verify {
                VerifyName::Always => Verify::Always,
                VerifyName::Doubt => Verify::Doubt,
                VerifyName::Touched => Verify::Touched,
                VerifyName::Never => Verify::Never,
            },
        }
    }

    fn hash(&self) -> Hash {
        match self.hash {
            HashName::Sum => Hash::Sum,
            HashName::Times5 => Hash::Times5,
            HashName::Djb => Hash::Djb,
            HashName::Fnv => Hash::Fnv,
        }
    }
}

/// In the user's cache folder: one for apt's lists, and one for each choice of other indices.
fn default_cache(indices: &[PathBuf]) -> PathBuf {
    let set =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    folder.unwrap_or_else(std::env::temp_dir).join("pkgindex").join(cache_name(indices))
}

fn cache_name(indices: &[PathBuf]) -> String {
    if indices.is_empty() {
        return "cache".to_owned();
    }
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let names: Vec<u8> = indices
        .iter()
        .flat_map(|path| [absolute(path).as_os_str().as_encoded_bytes(), b"\0"].concat())
        .collect();
    format!("cache-{:016x}", Checksum::Blake3.of(&names))
}
