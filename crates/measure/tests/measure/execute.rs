//! How commands start, end, and what they use.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fs, iter};

use tacho_measure::{Capture, ExecutionEnd, Executor, ProcessExecutor, Request};

use super::subject::{beside, beside_after, in_role};
use super::{content, execute, printed, request, script, signals};

#[test]
fn the_end_is_told_as_it_was() {
    assert_eq!(execute(&request(&["true"])).ended, ExecutionEnd::Exited(0));
    assert_eq!(execute(&script("exit 7")).ended, ExecutionEnd::Exited(7));
    assert_eq!(execute(&script("kill -SEGV $$")).ended, ExecutionEnd::Killed(11));
    assert_eq!(execute(&script("kill -KILL $$")).ended, ExecutionEnd::Killed(9));
}

#[test]
fn each_signal_that_kills_is_told() {
    // All but those that are ignored, stop, or let go on unless somebody says otherwise, and those
    // of the C library.
    let harmless = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];
    let stopping = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
    let deadly = (1..=64).filter(|number| !harmless.contains(number) && !stopping.contains(number));
    for number in deadly.filter(|number| ![32, 33].contains(number)) {
        let ended = execute(&script(&format!("ulimit -c 0; kill -{number} $$; exit 0"))).ended;
        assert_eq!(ended, ExecutionEnd::Killed(number));
    }
    for number in harmless {
        assert_eq!(
            execute(&script(&format!("kill -{number} $$; exit 3"))).ended,
            ExecutionEnd::Exited(3),
            "{number}"
        );
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str, mode| {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    script("plain", "exit 0", 0o644);
    script("lost", "#!/no/such/interpreter\n", 0o755);
    let why = |command: &[&str]| {
        let mut request = request(command);
        folder.path().clone_into(&mut request.directory);
        match execute(&request).ended {
            ExecutionEnd::NotStarted(why) => why,
            other => panic!("{command:?} was started: {other:?}"),
        }
    };
    assert_eq!(why(&[]), "there is no command to execute");
    assert_eq!(why(&["no-such-command"]), "command not found: `no-such-command`");
    assert_eq!(why(&["./nothing"]), "`./nothing` does not exist");
    assert_eq!(why(&["./lost"]), "the interpreter that `./lost` names does not exist");
    assert_eq!(why(&["./plain"]), "`./plain` is not executable: permission denied");
    assert_eq!(why(&["/tmp"]), "`/tmp` is a folder, not a program");
    assert_eq!(why(&["tr\0ue"]), "cannot start `tr\0ue`: nul byte found in provided data");
    let long = "x".repeat(64);
    let words: Vec<&str> = iter::once("true").chain(iter::repeat_n(&*long, 1 << 16)).collect();
    assert_eq!(why(&words), "the argument list of `true` is too long: 4259845 bytes");
    // One variable may have 128 KiB, all words and variables together a quarter of the stack.
    let mut full = request(&["true"]);
    full.environment = (0..100).map(|n| (format!("V{n:03}"), "x".repeat(100_000))).collect();
    let too_large = |request: &Request| match execute(request).ended {
        ExecutionEnd::NotStarted(why) => {
            why.starts_with("the environment of `true` is too large: 1000")
        }
        other => panic!("{other:?}"),
    };
    assert!(too_large(&full));
    full.environment = vec![("ONE".to_owned(), "x".repeat(10_000_000))];
    assert!(too_large(&full));
}

#[test]
fn a_command_is_looked_for_in_the_path_that_it_would_have() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain"), "").unwrap();
    let mut request = request(&["plain"]);
    request.environment.push(("PATH".to_owned(), folder.path().display().to_string()));
    let why = "`plain` is not executable: permission denied";
    assert_eq!(execute(&request).ended, ExecutionEnd::NotStarted(why.into()));
    request.command = vec!["sh".to_owned()];
    assert_eq!(execute(&request).ended, ExecutionEnd::NotStarted("command not found: `sh`".into()));
}

#[test]
fn a_missing_folder_or_input_is_named() {
    let mut nowhere = request(&["true"]);
    nowhere.directory = "/no/such/folder".into();
    let why = "the folder `/no/such/folder` to execute it in does not exist";
    assert_eq!(execute(&nowhere).ended, ExecutionEnd::NotStarted(why.into()));
    let mut silent = request(&["true"]);
    silent.stdin = Some("/no/such/file".into());
    let why =
        "cannot open `/no/such/file` for standard input: No such file or directory (os error 2)";
    assert_eq!(execute(&silent).ended, ExecutionEnd::NotStarted(why.into()));
}

#[test]
fn a_named_pipe_is_no_standard_input_and_a_device_is() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reading =
        |path: &Path| execute(&Request { stdin: Some(path.into()), ..script("head -c 1 | wc -c") });
    let why = format!("cannot open `{}` for standard input: it is a named pipe", pipe.display());
    assert_eq!(reading(&pipe).ended, ExecutionEnd::NotStarted(why));
    assert_eq!(
        ["/dev/null", "/dev/zero"].map(|it| printed(&reading(Path::new(it)))),
        ["0\n", "1\n"]
    );
}

#[test]
fn folder_environment_and_input_are_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    fs::write(&input, "from the file\n").unwrap();
    let mut request = script("cat; pwd; echo $ONE $TWO; test -n \"$PATH\" && echo inherited");
    request.directory = folder.path().canonicalize().unwrap();
    request.environment =
        [("ONE", "1"), ("TWO", "x"), ("TWO", "2")].map(|(a, b)| (a.into(), b.into())).to_vec();
    request.stdin = Some(input);
    let expected = format!("from the file\n{}\n1 2\ninherited\n", request.directory.display());
    assert_eq!(printed(&execute(&request)), expected);
    request.stdin = None;
    assert_eq!(printed(&execute(&request)), expected.trim_start_matches("from the file\n"));
}

#[test]
fn it_leads_its_own_group_and_takes_no_signal_settings_from_us() {
    let own =
        script("read -r pid name state parent group rest </proc/self/stat; test $pid = $group");
    assert_eq!(execute(&own).ended, ExecutionEnd::Exited(0));
    let status = printed(&execute(&request(&["cat", "/proc/self/status"])));
    assert_eq!(signals(&status, "SigBlk:"), 0);
    // We ignore writes to a closed pipe, as all Rust programs do; signal 13 is counted from 1.
    assert_eq!(signals(&status, "SigIgn:") & (1 << 12), 0);
}

#[test]
fn no_file_but_the_standard_ones_is_open_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    assert!(
        beside_after("exec 9</dev/null", "careless harness", &file).status().unwrap().success()
    );
    // The last is that of the shell's own look.
    assert_eq!(content(&file), "true 0 1 2 3\n");
}

#[test]
fn a_script_that_names_no_interpreter_is_the_shells() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain");
    fs::write(&path, "echo $0 $1; exit 4").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let execution = execute(&request(&[path.to_str().unwrap(), "one"]));
    assert_eq!(execution.ended, ExecutionEnd::Exited(4));
    assert_eq!(printed(&execution), format!("{} one\n", path.display()));
}

#[test]
fn who_inherits_that_ended_children_are_forgotten_still_accounts_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    assert!(beside("accountant", &file).status().unwrap().success());
    assert_eq!(content(&file), "Exited(7)");
}

#[test]
fn a_spinning_subject_uses_its_time_and_only_its_own() {
    let mut request = in_role("spin");
    request.stdout = Capture::Nothing;
    for _ in 0..3 {
        let execution = execute(&request);
        assert_eq!(execution.ended, ExecutionEnd::Exited(0));
        let cpu = execution.usage.user + execution.usage.sys;
        let about = Duration::from_millis(250)..Duration::from_millis(600);
        assert!(about.contains(&cpu), "used {cpu:?}");
        assert!(execution.wall > cpu / 2, "used {cpu:?} in {:?}", execution.wall);
    }
}

#[test]
fn a_sleeping_subject_takes_time_and_uses_none() {
    let execution = execute(&request(&["sleep", "0.3"]));
    assert!(execution.wall >= Duration::from_millis(300));
    assert!(execution.usage.user + execution.usage.sys < Duration::from_millis(150));
}

#[test]
fn wall_time_is_made_of_running_waiting_and_blocking() {
    // Of one thread, as this account is of the first only.
    let spinner = execute(&script("n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done"));
    let scheduled = spinner.usage.scheduled.unwrap();
    let cpu = spinner.usage.user + spinner.usage.sys;
    assert!(cpu.abs_diff(scheduled.on_cpu) < cpu / 20, "{scheduled:?}, cpu {cpu:?}");
    let seen = scheduled.on_cpu + scheduled.waiting;
    assert!(seen < spinner.wall + spinner.wall / 20, "{scheduled:?} of {:?}", spinner.wall);

    let sleeper = execute(&request(&["sleep", "0.3"]));
    let scheduled = sleeper.usage.scheduled.unwrap();
    let blocked = sleeper.wall.saturating_sub(scheduled.on_cpu + scheduled.waiting);
    assert!(blocked > Duration::from_millis(295), "{scheduled:?} of {:?}", sleeper.wall);
}

#[test]
fn a_wait_for_a_cpu_is_told_from_work() {
    // Two that spin on one CPU: each waits about as long as it works, until the other has ended.
    let cpu = "cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/self/status)";
    let mut both = script(&format!(
        "{cpu}; exec taskset -c $cpu sh -c 'eval \"$SPIN\" & eval \"$SPIN\"; wait'"
    ));
    let spin = "n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done";
    both.environment.push(("SPIN".to_owned(), spin.to_owned()));
    let execution = execute(&both);
    assert_eq!(
        execution.ended,
        ExecutionEnd::Exited(0),
        "{}",
        String::from_utf8_lossy(&execution.stderr_tail)
    );
    let scheduled = execution.usage.scheduled.unwrap();
    assert!(scheduled.waiting > scheduled.on_cpu / 4, "{scheduled:?}");
}

#[test]
fn what_the_kernel_counts_is_counted() {
    let usage = execute(&request(&["sleep", "0.01"])).usage;
    assert!(usage.voluntary_switches > 0 && usage.minor_faults > 0, "{usage:?}");
    let few = usage.minor_faults;
    let usage = execute(&script("for n in 1 2 3 4 5 6 7 8; do sh -c :; done")).usage;
    assert!(usage.minor_faults > 8 * few / 2, "children are in it: {few}, {usage:?}");

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut writer = request(&["dd", "if=/dev/zero", "of=file", "bs=1M", "count=3"]);
    folder.path().clone_into(&mut writer.directory);
    let usage = execute(&writer).usage;
    let in_memory = rustix::fs::statfs(folder.path()).unwrap().f_type == 0x0102_1994;
    assert!(in_memory || usage.block_output >= 3 << 20, "{usage:?}");
}

#[test]
fn whoever_takes_too_long_is_ended_and_whoever_will_not_end_is_killed() {
    let mut request = request(&["sleep", "1000"]);
    request.timeout = Duration::from_millis(100);
    let execution = execute(&request);
    assert_eq!(execution.ended, ExecutionEnd::TimedOut);
    assert!(execution.wall >= request.timeout);
    assert_eq!(execution.left_behind, 0);

    let mut polite =
        script("trap 'echo ended; exit 3' TERM; echo begun; while :; do sleep 0.01; done");
    polite.timeout = Duration::from_secs(2);
    let execution = execute(&polite);
    assert_eq!(
        (execution.ended.clone(), printed(&execution)),
        (ExecutionEnd::TimedOut, "begun\nended\n".into())
    );

    let mut deaf = script("trap '' TERM; while :; do sleep 1000; done");
    deaf.timeout = Duration::from_secs(2);
    let execution = execute(&deaf);
    assert_eq!(execution.ended, ExecutionEnd::TimedOut);
    assert!(execution.wall >= Duration::from_millis(2500), "no grace: {:?}", execution.wall);
}

#[test]
fn who_is_stopped_without_a_limit_is_not_waited_for_for_ever() {
    assert_eq!(execute(&script("kill -STOP $$")).ended, ExecutionEnd::Stopped(libc::SIGSTOP));
}

#[test]
fn who_is_stopped_runs_into_its_limit() {
    let mut stopped = script("kill -STOP $$");
    stopped.timeout = Duration::from_secs(2);
    assert_eq!(execute(&stopped).ended, ExecutionEnd::Stopped(libc::SIGSTOP));
    // Who was stopped and goes on was only late.
    let wake = "until grep -q '^State:.T' /proc/$$/status; do sleep 0.01; done; kill -CONT $$";
    let mut late = script(&format!("({wake}) & kill -STOP $$; echo on; exec sleep 1000"));
    late.timeout = Duration::from_secs(5);
    let execution = execute(&late);
    assert_eq!(
        (execution.ended.clone(), printed(&execution)),
        (ExecutionEnd::TimedOut, "on\n".into())
    );
}

#[test]
fn one_executor_executes_whatever_came_before() {
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut late = request(&["sleep", "1000"]);
    late.timeout = Duration::from_millis(50);
    let mut ended = |request: &Request| executor.execute(request).ended;
    for _ in 0..3 {
        assert_eq!(ended(&late), ExecutionEnd::TimedOut);
        assert_eq!(ended(&request(&["no-such-command"])), not_found("no-such-command"));
        assert_eq!(ended(&script("sleep 1000 & exit 5")), ExecutionEnd::Exited(5));
        let mut long = request(&["true"]);
        long.command.extend((0..10).map(|_| "x".repeat(100_000)));
        assert_eq!(ended(&long), ExecutionEnd::Exited(0));
        long.command.extend((0..3).map(|_| "x".repeat(1 << 20)));
        assert!(
            matches!(ended(&long), ExecutionEnd::NotStarted(why) if why.contains("is too long"))
        );
    }
}

fn not_found(command: &str) -> ExecutionEnd {
    ExecutionEnd::NotStarted(format!("command not found: `{command}`"))
}

#[test]
fn a_limit_beyond_all_clocks_is_none() {
    let mut request = request(&["true"]);
    request.timeout = Duration::MAX;
    assert_eq!(execute(&request).ended, ExecutionEnd::Exited(0));
}
