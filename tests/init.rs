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
        "error: there is a `./tacho.toml` already\nhint: `tacho init --force` replaces it\n"
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
