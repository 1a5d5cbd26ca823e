//! Questions and answers.

use std::io::Write;

use crate::harness::{Folder, INDEX, says};

const BUILT: &str = "note: built the cache: there was none\n";

fn stanza(number: usize) -> String {
    let text = INDEX.split("\n\n").nth(number).unwrap();
    format!("{}\n\n", text.trim_end())
}

#[test]
fn show_prints_the_newest_version_first() {
    let folder = Folder::new();
    says(&folder.ask("show hello"), 0, &[stanza(2), stanza(0)].concat(), BUILT);
    says(&folder.ask("show libc6 mawk"), 0, &[stanza(3), stanza(1)].concat(), "");
}

/// Byte for byte, in a private root without other packages.
#[test]
fn show_prints_what_apt_cache_prints() {
    let folder = Folder::new();
    let index = "Package: hello\nVersion: 2.10-3\nArchitecture: amd64\nDepends: libc6 (>= 2.34)\n\
        Description: example\n More of it.\nHomepage: https://example.org\nDescription-md5: \
        c4a4aec43084cfb4a44c959b27e3a6d6\nTag: devel::debian,\n suite::gnu\nFilename: pool/h.deb\n\
        Size: 53080\n";
    let name = "lists/example.org_debian_dists_bookworm_main_binary-amd64_Packages";
    std::fs::create_dir_all(folder.at("lists/partial")).unwrap();
    folder.write(name, index.as_bytes());
    folder.write("sources.list", b"deb [trusted=yes] http://example.org/debian bookworm main\n");
    folder.write("status", b"");
    let root = folder.path.path().display();
    let settings = [
        "Dir::Etc::SourceList=sources.list",
        "Dir::Etc::SourceParts=/dev/null",
        "Dir::State::Lists=lists",
        "Dir::State::Status=status",
        "APT::Architecture=amd64",
    ];
    let mut apt = std::process::Command::new("apt-cache");
    apt.args(["-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]);
    for setting in settings {
        let (key, value) = setting.split_once('=').unwrap();
        let is_file = folder.at(value).exists();
        let value = if is_file { format!("{root}/{value}") } else { value.to_owned() };
        apt.args(["-o", &format!("{key}={value}")]);
    }
    let Ok(output) = apt.args(["show", "hello"]).output() else { return };
    assert!(output.status.success(), "{output:?}");
    assert_ne!(output.stdout, [index, "\n"].concat().into_bytes(), "fields change places");
    let ours = folder.pkgindex(&format!("-i {name} -c cache show hello"));
    assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&output.stdout));
}

#[test]
fn unknown_and_virtual_packages() {
    let folder = Folder::new();
    let stderr = "error: there is no package `helo`\nhint: did you mean `hello`?\n";
    says(&folder.ask("show helo"), 1, "", stderr);
    says(
        &folder.ask("depends lbic6"),
        1,
        "",
        &stderr.replace("helo", "lbic6").replace("hello", "libc6"),
    );
    says(&folder.ask("show emacs"), 1, "", "error: there is no package `emacs`\n");
    let stderr = "error: there is no package `awk`\nhint: it is provided by mawk\n";
    says(&folder.ask("show awk"), 1, "", stderr);
}

#[test]
fn search_matches_all_patterns() {
    let folder = Folder::new();
    let hello = "hello - example package based on GNU hello\n";
    says(&folder.ask("search gnu EXAMPLE"), 0, hello, BUILT);
    says(
        &folder.ask("search gnu"),
        0,
        &format!("{hello}libc6 - GNU C Library: Shared libraries\n"),
        "",
    );
    says(
        &folder.ask("search -n ^mawk$"),
        0,
        "mawk - Pattern scanning and text processing language\n",
        "",
    );
    says(&folder.ask("search -n gnu"), 1, "", "");
    let stderr = "error: `g++(` is no regular expression: unclosed group\nhint: to find this text \
        itself, write 'g\\+\\+\\('\n";
    says(&folder.ask("search g++("), 2, "", stderr);
}

#[test]
fn depends_in_both_directions() {
    let folder = Folder::new();
    let stdout = "hello\n  Depends: libc6 (>= 2.34)\n |Depends: mawk:any\n  Depends: awk\n  \
        Suggests: hello-doc\n";
    says(&folder.ask("depends hello"), 0, stdout, BUILT);
    says(&folder.ask("depends -r libc6"), 0, "libc6\n  Depends: hello\n  Pre-Depends: mawk\n", "");
    says(&folder.ask("depends -r awk"), 0, "awk\n  Depends: hello\n  Provides: mawk\n", "");
    says(&folder.ask("depends -r nothing"), 1, "", "error: there is no package `nothing`\n");
}

#[test]
fn stats_are_lines_of_keys_and_values() {
    let folder = Folder::new();
    let output = folder.ask("build --stats --table 1 --hash fnv");
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")));
        line.unwrap_or_else(|| panic!("{key} in {text}")).to_owned()
    };
    // hello, libc6, mawk, awk, hello-doc, all in the one bucket.
    assert_eq!(
        (value("names"), value("versions"), value("relations")),
        ("5".into(), "4".into(), "7".into())
    );
    assert_eq!((value("mean-bucket"), value("longest-bucket")), ("5.000".into(), "5".into()));
    assert_eq!(value("mean-comparisons"), "3.000");
    assert!(value("time-parse").ends_with(" s"));
    says(&folder.ask("show libc6"), 0, &stanza(3), "");
}

#[test]
fn every_hash_and_table_finds_all() {
    let folder = Folder::new();
    for hash in ["sum", "times5", "djb", "fnv"] {
        for table in [1, 2, 7, 15_013] {
            says(&folder.ask(&format!("build --hash {hash} --table {table}")), 0, "", "");
            for (name, number) in [("mawk", 1), ("libc6", 3)] {
                says(&folder.ask(&format!("show {name}")), 0, &stanza(number), "");
            }
        }
    }
}

#[test]
fn a_changed_index_is_read_again() {
    let folder = Folder::new();
    says(&folder.ask("show libc6"), 0, &stanza(3), BUILT);
    folder.write("Packages", b"Package: libc6\nVersion: 3\n");
    let note = "note: built the cache: the indices have changed\n";
    says(&folder.ask("show libc6"), 0, "Package: libc6\nVersion: 3\n\n", note);
}

#[test]
fn a_cache_that_cannot_be_kept_still_answers() {
    let folder = Folder::new();
    let output = folder.pkgindex("-i Packages -c /proc/cache show libc6");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stanza(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let note = "note: the cache is not kept: cannot write `/proc/cache`: No such file or directory \
        (os error 2)\n";
    assert!(stderr.ends_with(note), "{stderr}");
}

#[test]
fn a_named_folder_is_not_made_and_the_usual_one_is() {
    let folder = Folder::new();
    let stderr = |cache: &str, of: &str| {
        format!(
            "error: cannot keep the cache `{cache}`: there is no folder `{of}`\nhint: make the \
             folder with `mkdir -p`, or leave out `--cache` and `PKGINDEX_CACHE` for the usual \
             place\n"
        )
    };
    for command in ["show libc6", "build"] {
        let output = folder.pkgindex(&format!("-i Packages -c no/such/cache {command}"));
        says(&output, 2, "", &stderr("no/such/cache", "no/such"));
        let output = folder.pkgindex(&format!("-i Packages -c Packages/cache {command}"));
        says(&output, 2, "", &stderr("Packages/cache", "Packages"));
    }
    assert!(!folder.at("no").exists());
    let mut command = assert_cmd::Command::cargo_bin("pkgindex").unwrap();
    command.current_dir(folder.path.path()).env_remove("PKGINDEX_CACHE");
    command.env("XDG_CACHE_HOME", folder.at("new")).args(["-i", "Packages", "build"]);
    says(&command.output().unwrap(), 0, "", "");
    let mut names = std::fs::read_dir(folder.at("new/pkgindex")).unwrap();
    let is_cache = |name: std::ffi::OsString| name.to_string_lossy().starts_with("cache-");
    assert!(names.any(|entry| is_cache(entry.unwrap().file_name())));
}

#[test]
fn cat_prints_any_compression() {
    let folder = Folder::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(INDEX.as_bytes()).unwrap();
    folder.write("Packages.gz", &gz.finish().unwrap());
    says(&folder.pkgindex("cat Packages.gz Packages"), 0, &INDEX.repeat(2), "");
    for (packer, extension) in
        [("xz -k", "xz"), ("zstd -qk", "zst"), ("bzip2 -k", "bz2"), ("lz4 -qkm", "lz4")]
    {
        let mut words = packer.split(' ');
        let mut command = std::process::Command::new(words.next().unwrap());
        if command
            .args(words)
            .arg(folder.at("Packages"))
            .status()
            .is_ok_and(|status| status.success())
        {
            says(&folder.pkgindex(&format!("cat Packages.{extension}")), 0, INDEX, "");
        }
    }
    let stderr = "error: cannot read `missing`: No such file or directory (os error 2)\n";
    says(&folder.pkgindex("cat missing"), 2, "", stderr);
}

#[test]
fn what_is_no_index_is_said_so_and_leaves_other_caches_alone() {
    let folder = Folder::new();
    folder.write("passwd", b"root:x:0:0:root:/root:/bin/sh\n");
    let stderr = "error: `passwd` is no package index: it has no field `Package`\n";
    says(&folder.pkgindex("-i passwd -c other show root"), 2, "", stderr);
    folder.write("empty", b"");
    let stderr = "error: no package in `empty`\nhint: fetch the index again, or name another with \
        `--index`\n";
    says(&folder.pkgindex("-i empty -c other show root"), 2, "", stderr);
    says(&folder.pkgindex("-i empty -c other build"), 2, "", stderr);
    assert!(!folder.at("other").exists());
    // An archive has such indices: a suite without an update yet.
    says(&folder.pkgindex("-i empty -i Packages -c other build"), 0, "", "");

    folder.write("Other", INDEX.replace("hello", "hallo").as_bytes());
    let own = |words: &str| {
        let mut command = assert_cmd::Command::cargo_bin("pkgindex").unwrap();
        command
            .current_dir(folder.path.path())
            .env("XDG_CACHE_HOME", folder.at("home"))
            .env_remove("PKGINDEX_CACHE")
            .args(words.split(' '))
            .output()
            .unwrap()
    };
    let again = |words| String::from_utf8_lossy(&own(words).stderr).contains("built the cache");
    assert!(again("-i Packages show mawk") && again("-i Other show mawk"));
    assert!(!again("-i Packages show mawk") && !again("-i Other show mawk"));
}
