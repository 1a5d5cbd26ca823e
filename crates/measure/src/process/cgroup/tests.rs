use super::*;

/// A group as version 2 shows it, in a plain folder.
fn unified(folder: &Path, files: &[(&str, &str)]) -> Group {
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
    }
    let at = Some((folder.to_owned(), Version::Two));
    Group { folders: Vec::new(), memory: at.clone(), usage: at, blocks: Some(folder.to_owned()) }
}

#[test]
fn the_files_of_version_2_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let events = "low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n";
    let group = unified(folder.path(), &[("memory.peak", "10485760\n"), ("memory.events", events)]);
    assert_eq!(group.peak(), Some(10 << 20));
    assert!(
        !group.was_short_of_memory(),
        "to reach a limit and to be killed for it are two things"
    );
    fs::write(folder.path().join("memory.events"), events.replace("oom_kill 0", "oom_kill 2"))
        .unwrap();
    assert!(group.was_short_of_memory());
    assert_eq!(group.blocks(), None, "without a file");
    fs::write(folder.path().join("io.stat"), "").unwrap();
    assert_eq!(group.blocks(), Some(Blocks::default()), "none touched");
}

#[test]
fn limits_of_version_2_are_written_and_the_first_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    limit(folder.path(), Version::Two.limits(4096)).unwrap();
    let content = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    assert_eq!(
        (content("memory.max"), content("memory.swap.max")),
        ("4096".to_owned(), "0".to_owned())
    );
    let why = limit(&folder.path().join("gone"), Version::Two.limits(4096)).unwrap_err();
    assert!(why.starts_with("cannot set `memory.max` of its control group: "), "{why}");
}

#[test]
fn version_1_is_looked_at_first() {
    let mounts = find::mounts(
        "1 0 0:1 / /u rw - cgroup2 cgroup2 rw\n2 0 0:2 / /m rw - cgroup cgroup rw,memory\n",
    );
    let folders = |controller: &str| candidates(&mounts, "4:memory:/a\n0::/b\n", controller);
    let two = [("/u/b".into(), Version::Two), ("/u".into(), Version::Two)];
    assert_eq!(folders("cpuacct"), two);
    assert_eq!(
        folders("memory")[..2],
        [("/m/a".into(), Version::One), ("/m".into(), Version::One)]
    );
    assert_eq!(folders("memory")[2..], two);
}

#[test]
fn where_none_can_be_made_it_is_said_why() {
    let folder = tempfile::tempdir().unwrap();
    let parent = folder.path().display();
    // A plain folder holds no groups.
    let why = try_out(folder.path(), Version::One, "memory.max_usage_in_bytes").unwrap_err();
    let expected = "have no `memory.max_usage_in_bytes`";
    assert_eq!(why, format!("not available here: control groups below `{parent}` {expected}"));
    let why = try_out(folder.path(), Version::Two, "memory.peak").unwrap_err();
    assert_eq!(why, format!("not available here: `{parent}` does not account for memory"));
    let why = try_out(folder.path(), Version::Two, "io.stat").unwrap_err();
    assert_eq!(why, format!("not available here: `{parent}` does not account for devices"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn what_a_killed_one_of_us_left_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["tacho-4000000000-1", &format!("tacho-{}-1", process::id()), "tacho-self", "other"];
    for name in names {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    sweep(folder.path());
    assert!(names.map(|name| folder.path().join(name).exists()) == [false, true, true, true]);
}
