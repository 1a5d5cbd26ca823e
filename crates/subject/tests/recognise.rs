//! First plans for tiny projects of each kind: that they can be read, and that what they say works.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tacho_record::plan::{self, Plan};
use tacho_subject::init_plan;
use tempfile::TempDir;

const MAIN_C: &str = "#include <stdio.h>\nint main(void) { puts(\"at work\"); return 0; }\n";

/// A folder with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::Builder::new().prefix("project").tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[track_caller]
fn read(text: &str) -> Plan {
    let is_prose = |line: &str| line.starts_with("# ") && !line.starts_with("# build = ");
    let is_wide = |line: &&str| is_prose(line) && line.chars().count() > 100;
    assert_eq!(text.lines().find(is_wide), None, "a comment has room in a terminal");
    plan::parse(text, "tacho.toml").unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The build command of the plan for a project, its artifacts and the command of its benchmark.
#[track_caller]
fn planned(folder: &TempDir) -> (String, Vec<String>, Vec<String>) {
    let plan = read(&init_plan(folder.path()).text);
    (plan.subject.build.unwrap(), plan.subject.artifacts, plan.benchmarks[0].command.clone())
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn succeed(command: &mut Command) -> Output {
    let output = command.env_remove("CARGO_TARGET_DIR").output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Does what the plan for this project says, its artifacts alone being left when the benchmark is
/// executed; returns what that prints. Without these tools only the plan is read.
#[track_caller]
fn execute(folder: &TempDir, tools: &[&str]) -> Option<String> {
    let (build, artifacts, command) = planned(folder);
    if let Some(missing) = tools.iter().find(|tool| !is_installed(tool)) {
        eprintln!("`{missing}` is not installed: the plan is not executed");
        return None;
    }
    let script = plan::fill_shell(&build, &[("jobs", "2"), ("revision", "0")]);
    succeed(Command::new("sh").args(["-c", &script]).current_dir(folder.path()));
    let kept = tempfile::tempdir().unwrap();
    for artifact in &artifacts {
        let to = kept.path().join(artifact);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        succeed(Command::new("cp").arg("-a").arg(folder.path().join(artifact)).arg(to));
    }
    let build = kept.path().to_str().unwrap();
    let words: Vec<String> =
        command.iter().map(|word| plan::fill(word, &[("build", build)])).collect();
    // In the work tree, where another revision is checked out meanwhile.
    if tools == ["python3"] {
        let mut sources = artifacts.iter().map(|artifact| folder.path().join(artifact));
        let source = sources.find(|it| it.is_file() || it.join("__init__.py").is_file()).unwrap();
        let file = if source.is_dir() { source.join("__init__.py") } else { source };
        fs::write(file, "print('the work tree')\n").unwrap();
    }
    let output = succeed(Command::new(&words[0]).args(&words[1..]).current_dir(folder.path()));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// That the plan works and its benchmark executes the program.
#[track_caller]
fn works(folder: &TempDir, tools: &[&str]) {
    if let Some(output) = execute(folder, tools) {
        assert_eq!(output, "at work\n");
    }
}

const CARGO: &str = "[package]\nname = \"tool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const CARGO_LOCK: &str = "version = 3\n\n[[package]]\nname = \"tool\"\nversion = \"0.1.0\"\n";
const MAIN_RS: &str = "fn main() {\n    println!(\"at work\");\n}\n";

#[test]
fn cargo_package() {
    let folder =
        project(&[("Cargo.toml", CARGO), ("Cargo.lock", CARGO_LOCK), ("src/main.rs", MAIN_RS)]);
    assert_eq!(
        planned(&folder),
        (
            "cargo build --release --locked --package tool --bin tool --jobs {jobs} --target-dir \
             target"
                .into(),
            vec!["target/release/tool".into()],
            vec!["{build}/target/release/tool".into(), "--help".into()],
        )
    );
    works(&folder, &["cargo"]);
}

#[test]
fn cargo_workspace_with_a_named_program() {
    let member = "[package]\nname = \"cli\"\nversion = \"0.1.0\"\n\n[[bin]]\nname = \
        \"tool\"\npath = \"src/cli.rs\"\n";
    let library = "[package]\nname = \"base\"\nversion = \"0.1.0\"\n";
    let folder = project(&[
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\n  \"crates/*\",\n]\n"),
        (".gitignore", "/target\nCargo.lock\n"),
        ("Cargo.lock", ""),
        ("crates/base/Cargo.toml", library),
        ("crates/base/src/lib.rs", ""),
        ("crates/cli/Cargo.toml", member),
        ("crates/cli/src/cli.rs", MAIN_RS),
    ]);
    let (build, ..) = planned(&folder);
    assert_eq!(
        build,
        "cargo build --release --package cli --bin tool --jobs {jobs} --target-dir target"
    );
    works(&folder, &["cargo"]);
}

#[test]
fn cargo_library_with_an_example() {
    let folder =
        project(&[("Cargo.toml", CARGO), ("src/lib.rs", ""), ("examples/show.rs", MAIN_RS)]);
    let (build, artifacts, _) = planned(&folder);
    assert_eq!(
        build,
        "cargo build --release --package tool --example show --jobs {jobs} --target-dir target"
    );
    assert_eq!(artifacts, ["target/release/examples/show"]);
    works(&folder, &["cargo"]);
}

#[test]
fn make() {
    let makefile = "CFLAGS = -O1\nPROG = bin/tool\n\nall: $(PROG)\n\n$(PROG): main.c\n\tmkdir -p \
        bin\n\t$(CC) $(CFLAGS) -o $@ main.c\n\n.PHONY: all\n";
    let folder = project(&[("Makefile", makefile), ("main.c", MAIN_C)]);
    let (build, artifacts, _) = planned(&folder);
    assert_eq!(
        (build.as_str(), artifacts.as_slice()),
        ("make -j{jobs}", ["bin/tool".to_owned()].as_slice())
    );
    works(&folder, &["make", "cc"]);
}

#[test]
fn cmake() {
    let folder = project(&[
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.5)\nproject(tool \
             C)\nadd_subdirectory(lib)\nadd_subdirectory(src)\n",
        ),
        ("lib/CMakeLists.txt", "add_library(base base.c)\n"),
        ("lib/base.c", "int base(void) { return 0; }\n"),
        (
            "src/CMakeLists.txt",
            "# add_executable(no x.c)\nadd_executable(helper \
             main.c)\nadd_executable(${PROJECT_NAME} \
             main.c)\ntarget_link_libraries(${PROJECT_NAME} base)\n",
        ),
        ("src/main.c", MAIN_C),
        ("build/notes.txt", "a folder of the project"),
    ]);
    let (build, artifacts, _) = planned(&folder);
    assert_eq!(
        build,
        "cmake -S . -B _build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
         && cmake --build _build --parallel {jobs} --target tool"
    );
    assert_eq!(artifacts, ["_build/src/tool"]);
    works(&folder, &["cmake", "cc"]);
}

#[test]
fn meson() {
    let folder = project(&[
        ("meson.build", "project('tool', 'c')\nsubdir('src')\n"),
        ("src/meson.build", "executable(meson.project_name(), 'main.c')\n"),
        ("src/main.c", MAIN_C),
    ]);
    let (_, artifacts, _) = planned(&folder);
    assert_eq!(artifacts, ["builddir/src/tool"]);
    works(&folder, &["meson", "ninja", "cc"]);
}

#[test]
fn autotools_without_the_script() {
    let folder = project(&[
        (
            "configure.ac",
            "AC_INIT([tool], [1.0])\nAM_INIT_AUTOMAKE([foreign \
             subdir-objects])\nAC_PROG_CC\nAC_CONFIG_FILES([Makefile src/Makefile])\nAC_OUTPUT\n",
        ),
        ("Makefile.am", "SUBDIRS = src\n"),
        (
            "src/Makefile.am",
            "noinst_PROGRAMS = gen\ngen_SOURCES = main.c\nbin_PROGRAMS = \\\n  tool\ntool_SOURCES \
             = main.c\n",
        ),
        ("src/main.c", MAIN_C),
    ]);
    let (build, artifacts, _) = planned(&folder);
    assert_eq!(build, "autoreconf --force --install && ./configure && make -j{jobs}");
    assert_eq!(artifacts, ["src/tool"]);
    works(&folder, &["autoreconf", "automake", "make", "cc"]);
}

#[test]
fn configure_script_written_by_hand() {
    let folder = project(&[
        ("configure", "#!/bin/sh\ncp Makefile.in Makefile\n"),
        ("Makefile.in", "all: tool\n\ntool: main.o\n\t$(CC) -o tool main.o\n"),
        ("main.c", MAIN_C),
    ]);
    make_executable(&folder.path().join("configure"));
    assert_eq!(planned(&folder).0, "./configure && make -j{jobs}");
    works(&folder, &["make", "cc"]);
}

#[test]
fn go() {
    let main = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"at work\") }\n";
    let folder = project(&[
        ("go.mod", "module example.org/team/tool/v2\n\ngo 1.18\n"),
        ("lib.go", "package tool // the library\n"),
        ("cmd/tool/main.go", main),
        ("cmd/aside/main.go", main),
    ]);
    let (build, artifacts, _) = planned(&folder);
    assert_eq!(build, "go build -p {jobs} -trimpath -buildvcs=false -o bin/tool ./cmd/tool");
    assert_eq!(artifacts, ["bin/tool"]);
    if Command::new("go").arg("version").output().is_ok() {
        works(&folder, &[]);
    }
}

#[test]
fn python_source() {
    let folder = project(&[
        ("pyproject.toml", "[project]\nname = \"My-Tool\"\nversion = \"1\"\n"),
        ("src/my_tool/__init__.py", "print('at work')\n"),
        ("src/another/__init__.py", ""),
        ("tests/__init__.py", ""),
    ]);
    let (_, artifacts, command) = planned(&folder);
    assert_eq!(artifacts, ["src/my_tool"]);
    let code = "import sys; sys.path[0] = \"{build}/src\"; import my_tool";
    assert_eq!(command, ["python3", "-c", code]);
    works(&folder, &["python3"]);
}

#[test]
fn python_beside_its_plan_is_not_that_of_the_work_tree() {
    let folder = project(&[
        ("pyproject.toml", "[project]\nname = \"slug\"\nversion = \"1\"\n"),
        ("slug/__init__.py", "print('at work')\n"),
    ]);
    assert_eq!(planned(&folder).1, ["slug"]);
    works(&folder, &["python3"]);
}

#[test]
fn python_in_one_file() {
    let folder = project(&[
        ("setup.py", "from setuptools import setup\nsetup(name='tool', py_modules=['tool'])\n"),
        ("tool.py", "print('at work')\n"),
    ]);
    assert_eq!(planned(&folder).1, ["tool.py", "__pycache__"]);
    works(&folder, &["python3"]);
}

#[test]
fn python_that_has_to_be_installed() {
    // Not executed, since pip would fetch what builds it.
    let folder = project(&[
        (
            "pyproject.toml",
            "[project]\nname = \"tool\"\nversion = \"1\"\ndependencies = [\"packaging\"]\n",
        ),
        ("tool/__init__.py", "import packaging\nprint('at work')\n"),
    ]);
    let (build, artifacts, command) = planned(&folder);
    assert!(
        build.starts_with("python3 -m pip install --quiet --no-compile --target site . && "),
        "{build}"
    );
    assert_eq!(artifacts, ["site"]);
    assert_eq!(command[2], "import sys; sys.path[0] = \"{build}/site\"; import tool");
}

#[test]
fn what_is_not_known_gets_a_plan_that_can_be_read() {
    for files in [
        [("notes.txt", "nothing to build")].as_slice(),
        &[("Cargo.toml", "[package]\nname = \"lib\"\n"), ("src/lib.rs", "")],
        &[("Cargo.toml", "not TOML at all")],
        &[("go.mod", "module a")],
        &[("Makefile", "")],
        &[("CMakeLists.txt", "project(\"a b\")\nadd_executable($<x> y)\nadd_executable(../x)")],
        &[("meson.build", "executable(")],
        &[("setup.py", "")],
    ] {
        let folder = project(files);
        let plan = read(&init_plan(folder.path()).text);
        assert_eq!(plan.subject.build, None);
        assert_eq!(plan.benchmarks[0].command, ["true"]);
    }
    read(&init_plan(Path::new("/nowhere/at all")).text);
}

#[test]
fn a_commented_key_can_be_used_by_taking_out_its_mark() {
    let folder = project(&[("notes.txt", "")]);
    let text = init_plan(folder.path()).text;
    let is_key = |line: &&str| {
        let key = line.strip_prefix("# ").and_then(|line| line.split_once(" = "));
        key.is_some_and(|(key, _)| {
            key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        })
    };
    let keys: Vec<&str> = text.lines().filter(is_key).collect();
    assert_eq!(keys.len(), 20, "{keys:?}");
    for line in keys {
        let used = text.replace(line, &line[2..]);
        let used = if line.contains("parameters") {
            used.replace("\"true\"", "\"true {size}\"")
        } else {
            used
        };
        read(&used);
    }
}

#[test]
fn a_known_host_of_repositories_gives_the_link() {
    let folder =
        project(&[(".git/config", "[remote \"origin\"]\n\turl = git@github.com:team/tool.git\n")]);
    let plan = read(&init_plan(folder.path()).text);
    assert_eq!(plan.subject.link.as_deref(), Some("https://github.com/team/tool/commit/{commit}"));
}

#[test]
fn a_project_in_a_folder_of_its_repository_is_built_from_the_root() {
    let folder = project(&[
        ("lib/Makefile", "prog: prog.c\n\t$(CC) -o prog prog.c\nbench: prog\n\t./prog\n"),
        ("a b/Makefile", "prog: prog.c\n"),
        ("py/pyproject.toml", "[project]\nname = 'slug'\n"),
        ("py/slug/__init__.py", ""),
    ]);
    succeed(Command::new("git").args(["init", "--quiet"]).current_dir(folder.path()));
    let origin = "https://github.com/team/tool";
    let add = ["remote", "add", "origin", origin];
    succeed(Command::new("git").args(add).current_dir(folder.path()));
    let first = init_plan(&folder.path().join("lib"));
    let plan = read(&first.text);
    assert_eq!(plan.subject.build.as_deref(), Some("cd lib && make -j{jobs}"));
    assert_eq!(plan.subject.artifacts, ["lib/prog"]);
    assert_eq!(plan.benchmarks[0].command, ["{build}/lib/prog", "--help"]);
    assert_eq!(plan.subject.link, Some(format!("{origin}/commit/{{commit}}")));
    let own = "and set `artifacts` to [\"lib\"].\n# [[benchmark]]\n# name = \"bench\"\n# command = \
               \"make --silent -C {build}/lib bench\"";
    assert!(first.text.contains(own), "{}", first.text);
    let python = read(&init_plan(&folder.path().join("py")).text);
    assert_eq!(python.subject.artifacts, ["py/slug"]);
    assert!(python.benchmarks[0].command[2].contains("\"{build}/py\""));
    assert!(!init_plan(&folder.path().join("a b")).has_program, "no plain word for a command");
}

#[test]
fn cmake_programs_of_a_loop_and_no_tests() {
    let folder = project(&[(
        "CMakeLists.txt",
        "project(libxml2)\nset(TESTS runtest testapi)\nforeach(TEST \
         ${TESTS})\nadd_executable(${TEST} ${TEST}.c)\nendforeach()\nset(PROGRAMS\n  xmllint\n  \
         xmlcatalog)\nforeach(PROGRAM ${PROGRAMS})\nadd_executable(${PROGRAM} \
         ${PROGRAM}.c)\nendforeach()\n",
    )]);
    assert_eq!(planned(&folder).2, ["{build}/build/xmllint", "--help"]);
    let tests = project(&[(
        "CMakeLists.txt",
        "project(x)\nadd_executable(unit_test t.c)\nadd_executable(tool a.c)\n",
    )]);
    assert_eq!(planned(&tests).2, ["{build}/build/tool", "--help"]);
}

#[test]
fn a_python_file_that_is_executed_is_not_imported() {
    let folder = project(&[
        ("pyproject.toml", "[project]\nname = \"other\"\n"),
        ("__main__.py", ""),
        ("work.py", ""),
    ]);
    let command = planned(&folder).2;
    assert!(command.last().unwrap().ends_with("; import work"), "{command:?}");
}
