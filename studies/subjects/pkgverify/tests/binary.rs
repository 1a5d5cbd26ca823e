//! `pkgverify` as it is called, on systems made for it.

#![allow(clippy::unwrap_used)] // helpers of tests stand outside of test functions

mod system;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use system::{Answer, System, md5, pkg_sum, pkg_target_sum};

/// All ways to compute checksums find the same.
const WAYS: [&[&str]; 4] =
    [&[], &["--way", "one-process"], &["--batch", "2"], &["--batch", "8192"]];

fn debian() -> System {
    System::debian()
        .package("alpha", &[("/usr/bin/alpha", "a"), ("/usr/share/doc/alpha/a b", "b")])
        .package("beta", &[("/usr/lib/beta.so.1", "beta")])
        .conffile("beta", "/etc/beta.conf", "x = 1\n")
        .link("beta", "/usr/lib/beta.so", "beta.so.1")
}

#[test]
fn an_intact_system_has_no_findings_in_any_way() {
    for way in WAYS {
        assert_eq!(debian().verify(way), Answer::new(0, "", ""), "{way:?}");
    }
    let answer = debian().verify(&["-v"]);
    assert_eq!(answer, Answer::new(0, "", "verified 7 paths of 2 packages: 0 findings\n"));
}

#[test]
fn each_damage_is_found_with_its_reason_in_each_way() {
    for way in WAYS {
        let system = debian()
            .package(
                "gamma",
                &[("/usr/bin/dir", "1"), ("/usr/bin/pipe", "2"), ("/usr/bin/dead", "3")],
            )
            .package(
                "omega",
                &[("/usr/bin/omega", "4"), ("/usr/bin/ok", "5"), ("/usr/bin/same", "6")],
            )
            .md5sums("omega", "abcdef  usr/bin/odd\n");
        system.write("/usr/bin/alpha", "A");
        system.write("/etc/beta.conf", "x = 2\n");
        system.remove("/usr/share/doc/alpha/a b");
        system.remove("/usr/lib/beta.so");
        system.replace_by_folder("/usr/bin/dir");
        system.replace_by_pipe("/usr/bin/pipe");
        system.replace_by_link("/usr/bin/dead", "/nowhere");
        system.write("/usr/bin/copy", "6");
        system.replace_by_link("/usr/bin/same", "/usr/bin/copy");
        let expected = "\
            alpha: checksum mismatch for /usr/bin/alpha\n\
            alpha: missing file /usr/share/doc/alpha/a b\n\
            beta: checksum mismatch for conffile /etc/beta.conf\n\
            beta: missing file /usr/lib/beta.so\n\
            gamma: cannot follow symlink /usr/bin/dead to /nowhere\n\
            gamma: /usr/bin/dir is a folder, not a regular file\n\
            gamma: /usr/bin/pipe is a named pipe, not a regular file\n\
            omega: unsupported unknown checksum for /usr/bin/odd\n";
        assert_eq!(system.verify(way), Answer::new(1, expected, ""), "{way:?}");
    }
}

#[test]
fn one_flipped_bit_is_found_wherever_it_is() {
    let content = "0123456789abcdef".repeat(10_000);
    let system = System::debian().package("big", &[("/usr/big", &content), ("/usr/small", "s")]);
    for position in [0, 63, 64, 32_767, 32_768, 100_000, content.len() - 1] {
        let mut bytes = content.clone().into_bytes();
        bytes[position] ^= 1;
        system.write("/usr/big", &String::from_utf8(bytes).unwrap());
        let answer = system.verify(&[]);
        assert_eq!(answer.stdout, "big: checksum mismatch for /usr/big\n", "byte {position}");
    }
    system.write("/usr/big", &content);
    assert_eq!(system.verify(&[]).status, 0);
}

#[test]
fn diverted_files_are_verified_at_their_new_place() {
    let system = System::debian()
        .package("one", &[("/usr/bin/tool", "one")])
        .package("two", &[])
        .divert("/usr/bin/tool", "/usr/bin/tool.distrib", "two");
    system.write("/usr/bin/tool", "of two");
    assert_eq!(system.verify(&[]).stdout, "one: missing file /usr/bin/tool.distrib\n");
    system.write("/usr/bin/tool.distrib", "one");
    assert_eq!(system.verify(&[]), Answer::new(0, "", ""));
}

#[test]
fn alternatives_must_point_to_a_choice() {
    let system =
        System::debian().package("vi", &[("/usr/bin/vi", "vi"), ("/usr/bin/nano", "nano")]);
    system.write(
        "/var/lib/dpkg/alternatives/editor",
        "auto\n/usr/bin/editor\n\n/usr/bin/nano\n10\n/usr/bin/vi\n20\n\n",
    );
    system.link_at("/usr/bin/editor", "/etc/alternatives/editor");
    system.link_at("/etc/alternatives/editor", "/usr/bin/vi");
    assert_eq!(system.verify(&[]), Answer::new(0, "", ""));
    system.replace_by_link("/etc/alternatives/editor", "/tmp/evil");
    assert_eq!(
        system.verify(&[]).stdout,
        "(alternatives): symlink /etc/alternatives/editor points to /tmp/evil, \
         not to /usr/bin/nano or /usr/bin/vi\n"
    );
    system.remove("/etc/alternatives/editor");
    assert_eq!(
        system.verify(&[]).stdout,
        "(alternatives): missing file /etc/alternatives/editor\n"
    );
}

#[test]
fn what_the_administrator_left_out_is_not_missing() {
    let system = debian();
    system.remove("/usr/share/doc/alpha/a b");
    assert_eq!(system.verify(&[]).status, 1);
    system.write("/etc/dpkg/dpkg.cfg.d/slim", "path-exclude=/usr/share/doc/*\n");
    assert_eq!(system.verify(&[]), Answer::new(0, "", ""));
}

#[test]
fn absolute_symlinks_are_meant_within_the_system() {
    let system = System::debian();
    system.write("/usr/bin/sh", "shell");
    system.link_at("/bin", "/usr/bin");
    let system = system.recorded("dash", &[("/bin/sh", "shell")]);
    for way in WAYS {
        assert_eq!(system.verify(way), Answer::new(0, "", ""), "{way:?}");
    }
}

#[test]
fn dead_symlinks_are_reported_on_demand() {
    let system = debian();
    system.remove("/usr/lib/beta.so.1");
    let without = system.verify(&[]).stdout;
    assert_eq!(without, "beta: missing file /usr/lib/beta.so.1\n");
    let dead = "beta: cannot follow symlink /usr/lib/beta.so to beta.so.1\n";
    assert_eq!(system.verify(&["-D"]).stdout, format!("{dead}{without}"));
}

#[test]
fn packages_are_selected_and_named() {
    let system = debian().package("gamma", &[("/usr/bin/gamma", "g")]).depends("gamma", "alpha");
    for file in ["/usr/bin/alpha", "/usr/lib/beta.so.1", "/usr/bin/gamma"] {
        system.write(file, "damaged");
    }
    let names = |arguments: &[&str]| {
        let answer = system.verify(&[&["-q"], arguments].concat());
        answer.stdout.lines().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "alpha beta gamma");
    assert_eq!(names(&["-a"]), "alpha beta gamma");
    assert_eq!(names(&["*a", "-j1"]), "alpha beta gamma");
    assert_eq!(names(&["beta"]), "beta");
    assert_eq!(names(&["-x", "^g"]), "gamma");
    assert_eq!(names(&["-i", "BETA"]), "beta");
    assert_eq!(names(&["-d", "gamma"]), "alpha gamma");
    assert_eq!(names(&["-r", "alpha"]), "alpha gamma");
    assert_eq!(names(&["-oO", "src-b*"]), "src-beta");
}

#[test]
fn edited_conffiles_can_be_left_out() {
    let system = debian();
    system.write("/etc/beta.conf", "edited");
    assert_eq!(system.verify(&["--no-conffiles"]), Answer::new(0, "", ""));
}

#[test]
fn json_says_all() {
    let system = debian();
    system.write("/usr/bin/alpha", "A");
    let answer = system.verify(&["--json"]);
    let report: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(answer.status, 1);
    let expected = serde_json::json!({
        "version": 1, "database": "dpkg", "packages": 2, "paths": 7, "unread": 0, "warnings": [], "unsummed": [],
        "findings": [{
            "package": "alpha", "version": "1.0", "origin": "src-alpha", "path": "/usr/bin/alpha",
            "conffile": false, "reason": "mismatch", "message": "checksum mismatch for /usr/bin/alpha",
        }],
    });
    assert_eq!(report, expected);
}

#[test]
fn mistakes_are_explained() {
    let system = debian();
    let error = |arguments: &[&str], expected: &str| {
        let answer = system.verify(arguments);
        assert_eq!((answer.status, answer.stderr.as_str()), (2, expected), "{arguments:?}");
    };
    error(&["alhpa"], "error: no installed package matches `alhpa`\nhint: did you mean `alpha`?\n");
    let which = "hint: `dpkg -S /bin/sh` or `pkg which /bin/sh` names its package\n";
    error(&["/bin/sh"], &format!("error: no installed package matches `/bin/sh`\n{which}"));
    let hint = "hint: `\\[` matches a `[`; without `--regex`, PACKAGE is a pattern with `*`\n";
    let bad = |what: &str| format!("error: `{what}` is not a valid pattern: unclosed ");
    error(&["-x", "("], &format!("{}group\n{hint}", bad("(")));
    error(&["--regex", "["], &format!("{}character class\n{hint}", bad("[")));
    let jobs = system.verify(&["-j", "0"]).stderr;
    let reason = "'--jobs <N>': not a number from 1 to 1024\nhint: without `--jobs`, there is one \
        thread for each processor\n";
    assert!(jobs.contains(reason), "{jobs}");
    for wrong in [
        &["-b0"][..],
        &["-b65537"],
        &["-j0"],
        &["-q", "-v"],
        &["--way", "fast"],
        &["-b2", "--way", "in-process"],
    ] {
        assert_eq!(system.verify(wrong).status, 2, "{wrong:?}");
    }
    let empty = System::empty().verify(&[]);
    assert_eq!(empty.status, 2);
    assert!(empty.stderr.starts_with("error: no package database in `"), "{}", empty.stderr);
}

#[test]
fn damage_of_the_database_is_a_warning() {
    let system = debian().md5sums("alpha", "what is this\n");
    assert_eq!(system.verify(&[]).status, 0);
    assert!(system.verify(&[]).stderr.ends_with("alpha.md5sums`, line 3: no checksum and path\n"));
    system.remove("/var/lib/dpkg/info/alpha.list");
    assert!(system.verify(&[]).stderr.contains("warning: package `alpha` has no list of files\n"));
    // Of packages that are not chosen, nothing is read.
    assert_eq!(system.verify(&["beta"]), Answer::new(0, "", ""));
}

#[test]
fn an_empty_or_broken_status_is_said() {
    for content in ["", "\n\n", "garbage\n", "Package: a\nStatus: deinstall ok config-files\n\n"] {
        let system = debian();
        system.write("/var/lib/dpkg/status", content);
        let answer = system.verify(&[]);
        let error =
            "/var/lib/dpkg/status` names no installed package, so nothing can be verified\n";
        assert!(answer.stderr.contains(error), "{}", answer.stderr);
        assert!(answer.stderr.contains("\nhint: "), "{}", answer.stderr);
        assert_eq!(answer.status, 2, "{content:?}");
    }
    let system = debian();
    system.write("/var/lib/dpkg/status-old", "Package: a\n");
    system.write("/var/lib/dpkg/status", "");
    let answer = system.verify(&[]);
    assert!(answer.stderr.ends_with("/var/lib/dpkg/status-old`\n"), "{}", answer.stderr);

    let system = debian();
    let whole = fs::read_to_string(system.at("/var/lib/dpkg/status")).unwrap();
    system.write("/var/lib/dpkg/status", &whole[..whole.len() - 10]);
    let answer = system.verify(&[]);
    assert!(answer.stderr.contains("` ends within a line: its last packages may be missing\n"));
}

#[test]
fn packages_without_checksums_are_counted_and_named() {
    let mut system = debian();
    for name in ["p1", "p2", "p3", "p4"] {
        system = system.package(name, &[(&format!("/usr/share/{name}"), name)]);
        system.remove(&format!("/var/lib/dpkg/info/{name}.md5sums"));
    }
    // It has folders only.
    let system = system.package("empty", &[]);
    let begin = "warning: 4 packages have no checksums: the content of the files is not verified: ";
    let short = format!("{begin}p1, p2, p3, …; `--verbose` names all\n");
    assert_eq!(system.verify(&[]), Answer::new(0, "", &short));
    let long = format!("{begin}p1, p2, p3, p4\n");
    assert!(system.verify(&["-v"]).stderr.starts_with(&long));
    let report = system.verify(&["--json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["unsummed"], serde_json::json!(["p1", "p2", "p3", "p4"]));
    assert_eq!(system.verify(&["empty"]), Answer::new(0, "", ""));

    let answer = system.verify(&["p1"]);
    let none = "error: no content was verified: the database has no checksum for these packages\n";
    assert!(answer.stderr.starts_with("warning: 1 package has no checksums: "), "{answer:?}");
    assert!(answer.stderr.contains(none), "{answer:?}");
    assert_eq!(answer.status, 2);
}

#[test]
fn what_may_not_be_read_is_counted_or_named_with_user_and_part() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let system = debian();
    system.share();
    fs::set_permissions(system.at("/usr/share/doc"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(system.at("/etc/beta.conf"), fs::Permissions::from_mode(0o600)).unwrap();
    for way in WAYS {
        let filtered = system.verify_as_nobody(way);
        let note =
            "note: 2 files could not be read and therefore not verified; --no-filter lists them\n";
        assert_eq!(filtered, Answer::new(0, "", note), "{way:?}");
        let answer = system.verify_as_nobody(&[&["-m"], way].concat());
        let expected = "\
            alpha: user nobody cannot access /usr/share/doc(/alpha/a b)\n\
            beta: user nobody cannot access /etc/beta.conf\n";
        assert_eq!(answer, Answer::new(1, expected, ""), "{way:?}");
    }
}

/// How many processes of `md5sum` a verification starts, counted by a program in its place.
fn processes(system: &System, way: &[&str]) -> usize {
    let counter = system.at("/counter");
    let script = "#!/bin/sh\necho >> \"$COUNTER\"\nPATH=/usr/bin:/bin exec md5sum \"$@\"\n";
    system.write("/programs/script", script);
    system.copy_program(&system.at("/programs/script"), "/programs/md5sum");
    let mut command = system.command(way);
    command.env("COUNTER", &counter).env("PATH", system.at("/programs"));
    assert!(command.status().unwrap().success());
    fs::read_to_string(counter).unwrap_or_default().len()
}

#[test]
fn a_batch_holds_as_many_files_as_requested() {
    let names: Vec<String> = (0..10).map(|n| format!("/usr/file{n}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let count = |way: &[&str]| {
        processes(&System::debian().package("ten", &files), &[&["-j1"], way].concat())
    };
    assert_eq!(count(&["--way", "one-process"]), 10);
    assert_eq!(count(&["--batch", "3"]), 4);
    assert_eq!(count(&["--batch", "10"]), 1);
    assert_eq!(count(&["--way", "in-process"]), 0);
}

#[test]
fn a_missing_checksum_program_is_an_error() {
    let system = debian();
    let output = system.command(&["--batch", "8"]).env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot start `md5sum`: "), "{stderr}");
    assert!(stderr.ends_with("hint: `--way in-process` needs no other program\n"), "{stderr}");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let system = debian();
    system.write("/usr/bin/alpha", "A");
    let line = format!("{} --root {} | true", system::PROGRAM, system.at("/").display());
    let output = Command::new("bash").args(["-o", "pipefail", "-c", &line]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
}

#[test]
fn findings_that_cannot_be_written_are_an_error() {
    let system = debian();
    system.write("/usr/bin/alpha", "A");
    for arguments in [&[][..], &["--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = system.command(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let expected = "error: cannot write the findings: No space left on device (os error 28)\n";
        assert_eq!((output.status.code(), stderr.as_str()), (Some(2), expected), "{arguments:?}");
    }
}

fn freebsd() -> System {
    let system = System::freebsd();
    system.write("/usr/local/bin/zsh", "shell");
    system.link_at("/usr/local/bin/rzsh", "zsh");
    system.link_at("/usr/local/bin/absolute", "/usr/local/bin/zsh");
    system
        .row("zsh", "/usr/local/bin/zsh", &pkg_sum("shell"))
        .row("zsh", "/usr/local/bin/rzsh", &pkg_target_sum("zsh"))
        .row("zsh", "/usr/local/bin/absolute", &pkg_target_sum("/usr/local/bin/zsh"))
}

#[test]
fn freebsd_packages_are_verified_with_its_rule_for_symlinks() {
    let links: [&[&str]; 2] = [&["-b4", "--links", "dev-null"], &["-b4", "--links", "follow"]];
    for way in WAYS.into_iter().chain(links) {
        let system = freebsd();
        assert_eq!(system.verify(way), Answer::new(0, "", ""), "{way:?}");
        system.replace_by_link("/usr/local/bin/absolute", "/usr/local/bin/rzsh");
        system.replace_by_link("/usr/local/bin/rzsh", "/usr/local/bin/zsh");
        let expected = "\
            zsh-5.9: checksum mismatch for /usr/local/bin/absolute\n\
            zsh-5.9: checksum mismatch for /usr/local/bin/rzsh\n";
        assert_eq!(system.verify(way), Answer::new(1, expected, ""), "{way:?}");
    }
}

#[test]
fn freebsd_names_missing_dead_and_unsupported_files() {
    let system = freebsd().row("zsh", "/usr/local/share/new", "2$ybndrfg8ejkmcpqx");
    system.remove("/usr/local/bin/zsh");
    let expected = "\
        zsh-5.9: cannot follow symlink /usr/local/bin/absolute to /usr/local/bin/zsh\n\
        zsh-5.9: cannot follow symlink /usr/local/bin/rzsh to zsh\n\
        zsh-5.9: missing file /usr/local/bin/zsh\n\
        zsh-5.9: unsupported BLAKE2 (base 32) checksum for /usr/local/share/new\n";
    assert_eq!(system.verify(&["--developer"]), Answer::new(1, expected, ""));
    assert_eq!(system.verify(&["-qo", "-O", "shells/*"]).stdout, "shells/zsh\n");
}

#[test]
fn damage_to_a_copy_of_real_packages_is_found() {
    // Any Debian has them; elsewhere there is nothing to copy.
    let Some(system) = System::copy_of_real_packages(&["bash", "dpkg", "coreutils"]) else {
        return;
    };
    let intact = system.verify(&[]);
    assert_eq!(intact, Answer::new(0, "", ""));
    system.flip_bit("/bin/bash", 1000);
    system.remove("/usr/bin/dpkg-query");
    system.replace_by_link("/usr/bin/sha256sum", "/usr/bin/md5sum");
    let expected = "\
        bash: checksum mismatch for /bin/bash\n\
        coreutils: checksum mismatch for /usr/bin/sha256sum\n\
        dpkg: missing file /usr/bin/dpkg-query\n";
    for way in WAYS {
        assert_eq!(system.verify(way), Answer::new(1, expected, ""), "{way:?}");
    }
}

#[test]
fn sums_of_this_file_are_those_of_known_answers() {
    assert_eq!(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
    let abc = "1$ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(pkg_sum("abc"), abc);
    assert_eq!(pkg_target_sum("/abc"), pkg_sum("abc\0"));
}
