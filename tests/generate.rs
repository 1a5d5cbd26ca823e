//! What is made from the code for shells, editors and readers of manuals.

use crate::harness::Project;

#[test]
fn completions_know_every_command() {
    let project = Project::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = project.tacho(&format!("generate completions {shell}")).succeeds().stdout;
        for command in ["init", "track", "log", "show", "site"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let project = Project::empty();
    project.tacho("generate man man").succeeds();
    for page in ["tacho", "tacho-init", "tacho-track", "tacho-log", "tacho-show", "tacho-site"] {
        let text = std::fs::read_to_string(project.path().join(format!("man/{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
}

#[test]
fn the_schema_of_the_plan_is_the_committed_one() {
    let printed = Project::empty().tacho("generate schema").succeeds().stdout;
    assert_eq!(printed.trim_end(), include_str!("../docs/tacho.schema.json").trim_end());
}
