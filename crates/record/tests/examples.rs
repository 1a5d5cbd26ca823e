//! The plans that people see first, in the documentation and the demo, are plans.

use std::fs;
use std::path::{Path, PathBuf};

use tacho_record::plan;

/// All files below a folder, those of tools and of builds left out.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// The examples of a page that are whole plans: blocks of TOML with a benchmark in them.
fn plans_of(page: &str) -> Vec<String> {
    let blocks = page.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.filter(|block| block.contains("[[benchmark]]")).map(str::to_owned).collect()
}

#[test]
fn every_plan_that_is_shown_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    files(&root, &mut found);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in found {
        let shown = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plans = match name.as_str() {
            "tacho.toml" => vec![fs::read_to_string(&path).unwrap()],
            _ if path.extension().is_some_and(|kind| kind == "md") => {
                plans_of(&fs::read_to_string(&path).unwrap())
            }
            _ => continue,
        };
        seen += plans.len();
        wrong.extend(plans.iter().filter_map(|plan| plan::parse(plan, &shown).err()));
    }
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(seen > 0, "no plan was found below {}", root.display());
}
