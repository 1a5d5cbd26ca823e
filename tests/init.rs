//! `tacho init`: a plan that works where it stands.

use crate::harness::{Project, done};

#[test]
fn a_make_project_is_tracked_with_the_plan_that_init_wrote() {
    let project = Project::repository()
        .file("Makefile", "hello: hello.c\n\t$(CC) -o $@ hello.c\n")
        .file("hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n")
        .commit("hello");
    let answer = project.tacho("init").succeeds();
    assert!(answer.stdout.starts_with("wrote `tacho.toml`"), "{}", answer.stdout);
    project.tacho("track --rounds 1").succeeds();
}

#[test]
fn a_plan_that_is_there_is_kept() {
    let project = Project::repository().plan("# mine\n");
    let answer = project.tacho("init").exits(2);
    assert_eq!(
        answer.stderr,
        "error: `./tacho.toml` exists already\nhint: `tacho init --force` replaces it\n"
    );
    assert_eq!(std::fs::read_to_string(project.path().join("tacho.toml")).unwrap(), "# mine\n");
    project.tacho("init --force").succeeds();
}

#[test]
fn a_folder_that_nothing_is_known_of_gets_a_skeleton_that_reads() {
    let project = Project::repository();
    std::fs::write(project.path().join("notes"), "x").unwrap();
    let project = project.commit("notes");
    project.tacho("init").succeeds();
    project.tacho("track --dry-run").succeeds();
    done(std::process::Command::new("test").arg("-f").arg(project.path().join("tacho.toml")));
}

#[test]
fn a_workflow_is_written_for_a_ci_system() {
    let project = Project::repository();
    let answer = project.tacho("init --ci github").succeeds().stdout;
    assert!(
        answer.starts_with(
            "wrote `.github/workflows/tacho.yml`\nthere is no plan yet: `tacho init` writes one\n\
             next: commit it and `tacho.toml`"
        ),
        "{answer}"
    );
    let workflow =
        std::fs::read_to_string(project.path().join(".github/workflows/tacho.yml")).unwrap();
    assert!(
        workflow.contains("fetch-depth: 0") && workflow.contains("--fail-on slower:3%"),
        "{workflow}"
    );
    assert_eq!(project.tacho("init --ci github --print").succeeds().stdout, workflow);
    assert_eq!(
        project.tacho("init --ci github").exits(2).stderr,
        "error: `./.github/workflows/tacho.yml` exists already\nhint: `--force` replaces it, \
         `--print` shows what would be written\n"
    );
    project.tacho("init").succeeds();
    for what in ["init --print", "init --ci github --print", "init --ci gitlab --print"] {
        let text = project.tacho(what).succeeds().stdout;
        let wide = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(wide, None, "{what}");
    }
    let with_plan = project.tacho("init --ci gitlab").succeeds().stdout;
    assert!(
        with_plan.contains(".gitlab/tacho.yml") && !with_plan.contains("no plan"),
        "{with_plan}"
    );
}

#[test]
fn a_plan_and_its_workflow_in_a_folder_of_the_repository_work() {
    let project = Project::repository()
        .file("lib/Makefile", "hello: hello.c\n\t$(CC) -o $@ hello.c\n")
        .file("lib/hello.c", "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n")
        .file("tacho.toml", "# that of the whole\n")
        .commit("hello");
    let answer = project.tacho("init lib").succeeds().stdout;
    assert!(
        answer.contains("commands in this folder now use this plan, and no longer `/"),
        "{answer}"
    );
    project.tacho("track --plan lib/tacho.toml --rounds 1").succeeds();
    let answer = project.tacho("init --ci github lib").succeeds().stdout;
    assert!(answer.starts_with("wrote `lib/../.github/workflows/tacho.yml`\nnext: "), "{answer}");
    let workflow =
        std::fs::read_to_string(project.path().join(".github/workflows/tacho.yml")).unwrap();
    assert!(workflow.contains("    defaults:\n      run:\n        working-directory: \"lib\"\n"));
    let workflow = project.tacho("init --ci gitlab --print lib").succeeds().stdout;
    for part in [
        "  script:\n    - cd \"lib\"\n    - |\n",
        "paths: [\"lib/report.md\"]",
        "junit: \"lib/tacho.xml\"",
    ] {
        assert!(workflow.contains(part), "{workflow}");
    }
}

#[test]
fn the_next_step_is_possible() {
    let next = |project: &Project| {
        let answer = project.tacho("init --force").succeeds().stdout;
        answer.split_once('\n').unwrap().1.to_owned()
    };
    let fill = "fill in `build`, `artifacts` and `command`, then `tacho track HEAD`\n";
    let store = "`.tacho/`, where results are kept, has its own `.gitignore`\n";
    let project = Project::repository().file("notes", "x");
    assert_eq!(
        next(&project),
        format!(
            "no program was recognised\nthe repository has no commits yet: commit the program and \
             `tacho.toml`; {store}next: {fill}"
        )
    );
    let project = project.commit("notes");
    let unknown = "no program was recognised\n";
    assert_eq!(next(&project), format!("{unknown}commit `tacho.toml`; {store}next: {fill}"));
    let bare = Project::empty();
    bare.git(["init", "--quiet", "--bare"]);
    assert_eq!(next(&bare), format!("{unknown}next: {fill}"));
    let answer = next(&Project::empty());
    assert!(
        answer.ends_with(
            "next: fill in `repository`, `build`, `artifacts` and `command`, then `tacho track \
             HEAD`\n"
        ),
        "{answer}"
    );
}

#[test]
fn a_benchmark_of_the_project_itself_is_proposed() {
    let project = Project::repository()
        .file("Makefile", "prog: prog.c\n\tcc -o prog prog.c\nbench: prog\n\t./prog\n");
    let answer = project.tacho("init").succeeds().stdout;
    assert!(
        answer.contains("has a benchmark of its own, `make bench`: the end of the plan"),
        "{answer}"
    );
    assert!(answer.ends_with("next: edit `command`, then `tacho track HEAD`\n"), "{answer}");
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let (_, table) = plan.split_once("remove the `#` of this table,\n").unwrap();
    let table: String =
        table.lines().skip(1).map(|line| line.trim_start_matches("# ").to_owned() + "\n").collect();
    let whole = plan.clone() + &table.replace("[[benchmark]]", "\n[[benchmark]]");
    project.plan(&whole).tacho("track --dry-run").exits(2).stderr.lines().for_each(|line| {
        assert!(!line.contains("tacho.toml"), "the table is a benchmark: {line}\n{whole}");
    });
}

#[test]
fn a_folder_without_history_is_reported() {
    let answer = Project::empty().tacho("init").succeeds().stdout;
    assert!(answer.contains("not in a git repository: set `repository` in the plan"), "{answer}");
    let answer = Project::repository().tacho("init").succeeds().stdout;
    assert!(!answer.contains("not in a git repository"), "{answer}");
}

#[test]
fn a_benchmark_in_python_imports_what_was_built() {
    let project = Project::repository()
        .file("pyproject.toml", "[project]\nname = 'slug'\ndependencies = ['pytest-benchmark']\n")
        .file("slug/__init__.py", "")
        .file("tests/test_speed.py", "import slug\n");
    project.tacho("init").succeeds();
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let [line] =
        plan.lines().filter(|line| line.contains("--benchmark-json")).collect::<Vec<_>>()[..]
    else {
        panic!("{plan}")
    };
    // `python3 -m` would look into the plan's folder first, which is the work tree.
    assert!(line.contains(" PYTHONPATH={build}/src:{build} pytest "), "{line}");
}

#[test]
fn the_workflow_compares_and_fails_where_it_got_slower() {
    let project = Project::empty();
    let work = |project: Project, n: u32, milliseconds: &str| {
        let project = project.file("prog", &format!("sleep {milliseconds} # {n}\n"));
        project.commit(&format!("change {n}"))
    };
    project.git(["init", "--quiet", "--initial-branch=main"]);
    let project = work(work(work(project, 1, "0.01"), 2, "0.01"), 3, "0.03");
    let project = work(project, 4, "0.01");
    project.git(["branch", "faster"]);
    project.git(["checkout", "--quiet", "-b", "behind", "HEAD~1"]);
    let project = work(project, 5, "0.03");
    let project = project.plan(&format!("{}metrics = [\"wall\"]\n", crate::harness::SCRIPT_PLAN));
    let workflow = project.tacho("init --ci github --print").succeeds().stdout;
    let (_, step) = workflow.split_once("- name: Compare\n").unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let script: String = script
        .lines()
        .map_while(|line| line.strip_prefix("          "))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let tacho = project.command([]);
    let place = std::path::Path::new(tacho.get_program()).parent().unwrap().to_owned();
    let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap());
    let compare = |base: &str, head: &str| {
        let [base, head] =
            [base, head].map(|name| project.git(["rev-parse", name]).trim().to_owned());
        let mut shell = std::process::Command::new("bash");
        shell.args(["-eo", "pipefail", "-c", &script]).current_dir(project.path());
        for (name, value) in tacho.get_envs() {
            value.map(|value| shell.env(name, value));
        }
        shell.env("BASE", base).env("HEAD", head).env("PATH", &path);
        shell.env("NOISE", "1s").env("GITHUB_STEP_SUMMARY", project.path().join("summary.md"));
        crate::harness::Answer::of(&shell.output().unwrap())
    };
    let slower = compare("faster~2", "faster~1").exits(1).stdout;
    assert!(
        slower.starts_with("::error title=performance::1 slower")
            && slower.contains(" slower")
            && slower.contains(": fails on `slower:3%`: answer · wall × "),
        "{slower}"
    );
    let summary = std::fs::read_to_string(project.path().join("summary.md")).unwrap();
    assert!(summary.starts_with("**1 slower"), "{summary}");
    let junit = std::fs::read_to_string(project.path().join("tacho.xml")).unwrap();
    assert!(junit.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{junit}");
    assert!(junit.contains("<failure message=\"× "), "{junit}");
    assert_eq!(compare("faster~1", "faster").exits(0).stdout, "");
    let plan = project.path().join("tacho.toml");
    let right = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(&plan, format!("{right}expect.stdout = {{ contains = 'ok' }}\n")).unwrap();
    let wrong = compare("faster~1", "faster").exits(2).stdout;
    assert!(
        wrong.contains("::error title=performance::1 failed; `--fail-on slower:3%`: ")
            && wrong.contains("not judged: `answer v2` failed at ")
            && wrong.contains("(wrong answer: "),
        "{wrong}"
    );
    std::fs::write(&plan, "[subject\n").unwrap();
    let mistake = compare("faster~1", "faster").exits(2).stdout;
    let (_, why) = mistake.split_once("::error title=performance::").unwrap();
    assert!(!why.starts_with("error"), "{mistake}");
    let summary = std::fs::read_to_string(project.path().join("summary.md")).unwrap();
    assert!(summary.contains(&format!("```\nerror: {}\n", why.trim_end())), "{summary}");
    let unbuilt = right.replace("artifacts", "build = 'echo no room >&2; exit 1'\nartifacts");
    std::fs::write(&plan, unbuilt).unwrap();
    let broken = compare("HEAD", "HEAD").exits(2);
    let (_, why) = broken.stdout.split_once("::error title=performance::").unwrap();
    assert!(broken.stderr.contains(&format!("error: {why}")), "{}", broken.stderr);
    let report = std::fs::read_to_string(project.path().join("report.md")).unwrap();
    assert!(report.contains(&format!("error: {why}")) && report.contains("no room"), "{report}");
    std::fs::write(&plan, right).unwrap();
    project.git(["checkout", "--quiet", "--orphan", "apart"]);
    project.git(["commit", "--quiet", "--message=apart"]);
    project.git(["checkout", "--quiet", "behind"]);
    let unknown = "0".repeat(40);
    for (base, status, why) in
        [("apart", 1, "have no commit in common"), (&unknown, 128, "Not a valid commit name")]
    {
        let failed = compare(base, "behind").exits(status);
        let (_, said) = failed.stdout.split_once("::error title=performance::").unwrap();
        assert!(said.contains(why) && failed.stderr.contains(said.trim()), "{said}");
        let summary = std::fs::read_to_string(project.path().join("summary.md")).unwrap();
        assert!(summary.ends_with(&format!("{said}```\n")), "{summary}");
    }
    // What the base gained since the branch left it is no loss of the branch.
    assert_eq!(compare("faster", "behind").exits(0).stdout, "");
    compare("HEAD", "HEAD").exits(0);
    assert!(
        std::fs::read_to_string(project.path().join("report.md")).unwrap().starts_with("```\n")
    );
}

#[test]
fn a_test_that_takes_a_benchmark_is_one_without_a_requirement() {
    let project = Project::repository()
        .file("pyproject.toml", "[project]\nname = 'slug'\n")
        .file("slug/__init__.py", "")
        .file("tests/test_words.py", "def test_words():\n    pass\n")
        .file("benchmarks/test_speed.py", "def test_speed(benchmark):\n    benchmark(len, [])\n");
    let answer = project.tacho("init").succeeds().stdout;
    assert!(answer.contains("those of pytest-benchmark in benchmarks/"), "{answer}");
    let without = Project::repository()
        .file("pyproject.toml", "[project]\nname = 'slug'\n")
        .file("tests/test_words.py", "def test_words(benchmark_file):\n    pass\n");
    let answer = without.tacho("init").succeeds().stdout;
    assert!(!answer.contains("pytest-benchmark"), "{answer}");
}
