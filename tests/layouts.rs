//! One source linked in several orders: `tacho layouts`, with a real C program and a real linker.

use crate::harness::Project;

/// Whether that program is on this host.
pub fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether a linker that shuffles is.
pub fn has_linker() -> bool {
    ["mold", "ld.lld"].into_iter().any(has)
}

/// A program of several files, built by this command.
pub fn program(build: &str) -> Project {
    let part = |n: u32| format!("int part{n}(int x) {{ return x * {n} + (x >> {n}); }}\n");
    let calls: String = (1..=6).map(|n| format!("    x = part{n}(x);\n")).collect();
    let names: String = (1..=6).map(|n| format!("int part{n}(int);\n")).collect();
    let main = format!(
        "{names}int main(void) {{ int x = 1; for (int i = 0; i < 10000; i++) {{\n{calls}}} return \
         x == 7; }}\n"
    );
    let project = Project::repository().file("main.c", &main);
    let project = (1..=6).fold(project, |project, n| project.file(&format!("part{n}.c"), &part(n)));
    project.commit("program").plan(&format!(
        "[subject]\nbuild = '{build}'\nartifacts = ['prog']\n[[benchmark]]\nname = \
         'parts'\ncommand = '{{build}}/prog'\n"
    ))
}

#[test]
fn a_program_that_is_relinked_ten_times_has_a_band_of_layouts() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = program("${CC:-cc} $LDFLAGS -o prog *.c");
    let answer = project.tacho("layouts -n 10 -r 3 --json").exits(0).json();
    let row = &answer["rows"][0];
    assert_eq!(row["layouts"].as_array().unwrap().len(), 10, "{answer}");
    assert!(
        row["layouts"].as_array().unwrap().iter().all(|layout| layout["samples"] == 3),
        "{answer}"
    );
    assert!(
        row["relink"].is_number() && row["restart"].is_number() && row["keep"].is_null(),
        "{answer}"
    );
    assert!(row["relink_at_most"].as_f64() > row["relink"].as_f64(), "{answer}");
    assert!(row["relink_at_least"].as_f64() <= row["relink"].as_f64(), "{answer}");
    // How often to repeat is said where it was distinguished from restarting, or is little: no advice
    // without evidence.
    let is_told = row["relink_at_least"].as_f64() > Some(0.0);
    let is_known = is_told || row["one_stands_for_all"] == true;
    assert_eq!(row["repetition"].is_object(), is_known, "{answer}");
    assert!(is_known || row["by_chance"].is_null(), "{answer}");
    assert!(row["interval"][0].is_number(), "{answer}");
    let series = project.tacho("show --json").json();
    let points = series["series"][0]["points"].as_array().unwrap();
    let values = |point: &serde_json::Value| point["values"].as_array().unwrap().len();
    assert!(points.iter().all(|point| values(point) == 0), "no part of any series: {series}");
    if has("ld.bfd") {
        let beside =
            project.tacho("layouts -n 2 -r 2 --with sorted,aligned --json").exits(0).json();
        let row = &beside["rows"][0];
        let orders: Vec<&str> = row["fixed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["order"].as_str().unwrap())
            .collect();
        assert_eq!(
            (row["layouts"].as_array().unwrap().len(), orders),
            (2, vec!["sorted", "aligned"]),
            "{beside}"
        );
        project.tacho("site pages").exits(0);
        let page = std::fs::read_to_string(project.path().join("pages/layouts/2.html")).unwrap();
        assert!(page.contains("sorted") && page.contains("aligned"), "{page}");
        project.tacho("compare HEAD HEAD --order sorted -r 2").exits(0);
    }
    let text = project.tacho("layouts -n 2 -r 2").exits(0).stdout;
    assert!(
        ["keep", "restart", "relink", "from 2 layouts"].iter().all(|word| text.contains(word)),
        "{text}"
    );
}

#[test]
fn both_sides_are_linked_in_several_orders_and_the_verdict_is_by_layouts() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = program("cc $LDFLAGS -o prog *.c");
    let levels = "[measure]\nlevels = { layouts = 3, processes = 4 }\n[[benchmark]]";
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    // What is printed does not depend on how fast this machine is.
    let said =
        "metrics = [{ name = \"work\", from = \"regex:work ([0-9]+)\", better = \"lower\" }]\n";
    let project = project.plan(&(plan.replace("[[benchmark]]", levels) + said));
    let main = |work: u32| {
        let text = std::fs::read_to_string(project.path().join("main.c")).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let said = format!("#include <stdio.h>\n{first}\n");
        let body: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
        said + &body.replace("return x == 7", &format!("printf(\"work {work}\\n\"); return x == 7"))
    };
    let (quick, slow) = (main(100), main(150));
    let project = project.file("main.c", &quick).commit("it says so").file("main.c", &slow);
    let slower = project.git(["diff"]);
    let project = project.commit("slower").file("slower.diff", &slower);
    let answer = project.tacho("compare HEAD~1 HEAD --all-rounds --json").exits(0).json();
    let row = &answer["rows"][0];
    assert_eq!(
        (&row["verdict"], &row["samples"]),
        (&"slower".into(), &serde_json::json!([12, 12])),
        "{answer}"
    );
    assert_eq!(
        (&row["levels"][0]["layouts"], &row["levels"][1]["layouts"]),
        (&3.into(), &3.into()),
        "{answer}"
    );
    assert!(row["repetition"]["layouts"].is_number(), "{answer}");

    let text = project.tacho("try slower.diff --base HEAD~1 --layouts 2 -r 3").exits(0).stdout;
    assert!(text.contains("parts · work: measured over 2 layouts: HEAD~1: restart "), "{text}");
    project.tacho("site pages").exits(0);
    let page = std::fs::read_to_string(project.path().join("pages/comparison/2.html")).unwrap();
    assert!(
        page.contains("HEAD~1 with and without slower.diff") && page.contains("again 2"),
        "{page}"
    );
    let refused = project.tacho("compare run:1/a run:1/b --layouts 2").exits(2).stderr;
    assert!(refused.starts_with("error: `--layouts` links revisions"), "{refused}");
    let alone = project.tacho("compare HEAD~1 HEAD --layouts 1 -r 2 --json").exits(0).json();
    assert_eq!(alone["rows"][0]["levels"], serde_json::Value::Null);
}

/// What it prints differs by much from execution to execution, and by nothing from layout to
/// layout.
fn noisy() -> Project {
    let project = program("cc $LDFLAGS -o prog *.c");
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let said =
        "metrics = [{ name = \"work\", from = \"regex:work ([0-9]+)\", better = \"lower\" }]\n";
    let main = "#include <stdio.h>\n#include <time.h>\nint part1(int), part4(int), \
        part6(int);\nint main(void) { struct timespec now; clock_gettime(CLOCK_REALTIME, \
        &now);\nprintf(\"work %d\\n\", 1000 + (int) (now.tv_nsec / 1000 % 7) * 100); return \
        part1(1) + part4(1) + part6(1) == 7; }\n";
    project.file("main.c", main).commit("it says so").plan(&format!("{plan}{said}"))
}

#[test]
fn what_is_too_noisy_to_tell_is_said_and_nothing_advised() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    // Executions differ by 20 % and no layout by anything: three of four each tell of that hardly
    // ever.
    let project = noisy();
    let answer = project.tacho("layouts -n 3 -r 4 --json").json();
    let row = &answer["rows"][0];
    assert_eq!(row["one_stands_for_all"], false, "{answer}");
    if row["relink_at_least"] == 0.0 {
        let more = &row["would_tell"];
        assert!(
            more["layouts"].as_u64().unwrap() * more["processes"].as_u64().unwrap() >= 24,
            "{answer}"
        );
        assert!(row["repetition"].is_null() && row["by_chance"].is_null(), "{answer}");
    }
    let text = project.tacho("layouts -n 3 -r 4").stdout;
    let noisy = "  too noisy to distinguish relinking from restarting (executing the same build \
                 again): relinking adds at most ";
    assert!(!text.contains("one build represents all"), "{text}");
    assert_eq!(text.contains(noisy), !text.contains("a build takes as long as"), "{text}");
    // One number for one thing: what is said of a build is what its page says.
    let project = tracked_over_layouts("{ layouts = 3, processes = 4 }");
    let answer = project.tacho("layouts -n 3 -r 4 --json").json();
    project.tacho("site pages").exits(0);
    let page = std::fs::read_to_string(project.path().join("pages/layouts/1.html")).unwrap();
    let (build, execution) =
        (answer["build"].as_f64().unwrap(), answer["rows"][0]["execution"].as_f64().unwrap());
    let cost = format!("a build takes as long as {:.0} executions", (build / execution).max(1.0));
    assert!(page.contains(&cost), "{cost}: {page}");
}

/// A plan that tracks over layouts, with a metric that does not depend on how fast this machine is.
fn tracked_over_layouts(levels: &str) -> Project {
    let project = program("cc $LDFLAGS -o prog *.c");
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let said =
        "metrics = [{ name = \"work\", from = \"regex:work ([0-9]+)\", better = \"lower\" }]\n";
    let measure = format!("[measure]\nlevels = {levels}\n[[benchmark]]");
    let project = project.plan(&(plan.replace("[[benchmark]]", &measure) + said));
    let main = |work: &str| {
        let text = std::fs::read_to_string(project.path().join("main.c")).unwrap();
        let said = format!("#include <stdio.h>\n{}\n", text.lines().next().unwrap_or_default());
        let body: String = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
        said + &body
            .replace("return x == 7", &format!("printf(\"work %d\\n\", {work}); return x == 7"))
    };
    // The order in which the linker put two functions is what a layout is, and here the number that
    // counts.
    let order =
        "(int) (100 + 10 * ((char *) part2 > (char *) part5) + ((char *) part3 > (char *) part4))";
    let (quick, slow) = (main(order), main(&format!("2 * {order}")));
    project.file("main.c", &quick).commit("it says so").file("main.c", &slow).commit("slower")
}

#[test]
fn revisions_are_tracked_over_layouts_and_each_layout_counts_once() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = tracked_over_layouts("{ layouts = 3, processes = 4 }");
    let text = project.tacho("track --dry-run HEAD~1..HEAD").exits(0).stdout;
    assert!(text.contains("12 rounds and 3 warmup"), "{text}");
    let answer = project.tacho("track HEAD~1..HEAD --json").exits(0).json();
    assert_eq!(
        (&answer["samples"], &answer["builds"]["built"]),
        (&30.into(), &2.into()),
        "{answer}"
    );
    let series = &answer["series"][0];
    for point in series["points"].as_array().unwrap() {
        let values = point["values"].as_array().unwrap();
        let layouts = point["layouts"].as_array().unwrap();
        assert_eq!((values.len(), layouts.len()), (3, 3), "{point}");
        for (median, of) in values.iter().zip(layouts) {
            let of = of.as_array().unwrap();
            assert!(of.len() == 4 && of.iter().all(|value| value == median), "{point}");
        }
    }
    // Executions of one layout all say the same here, and layouts do not.
    assert_eq!(series["levels"]["restart"], 0.0, "{answer}");
    assert!(series["levels"]["relink"].is_number(), "{answer}");
    let again = project.tacho("track HEAD~1..HEAD").exits(0).stdout;
    assert!(
        again.contains("nothing was missing") && again.contains("medians over up to 3 layouts"),
        "{again}"
    );
    let shown = project.tacho("show HEAD").exits(0).stdout;
    assert!(
        shown.contains("in 3 layouts") && shown.contains("each row summarises the medians"),
        "{shown}"
    );
    let digest =
        shown.split("artifacts ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let refused = project.tacho(&format!("compare build:{digest} HEAD")).exits(2).stderr;
    assert!(refused.contains("is one source built with several layouts"), "{refused}");
    project.tacho("site pages").exits(0);
}

#[test]
fn what_contradicts_layouts_is_said_before_anything_is_built() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = tracked_over_layouts("{ layouts = 3, processes = 4 }");
    insta::assert_snapshot!(project.tacho("track HEAD --precision 1%").exits(2).stderr, @"
    error: `precision` contradicts `levels`
    hint: the precision depends on the number of layouts: raise `layouts` in `levels`; the command `tacho layouts` recommends a number
    ");
    insta::assert_snapshot!(project.tacho("track HEAD --warmup found").exits(2).stderr, @"
    error: `warmup` contradicts `levels`
    hint: with `levels` each build has its own warmup: give a number of executions or a time
    ");
    let nothing = program("cc -o prog *.c");
    let plan = std::fs::read_to_string(nothing.path().join("tacho.toml")).unwrap();
    let nothing = nothing.plan(&(plan + "[measure]\nlevels = { layouts = 2, processes = 2 }\n"));
    let said = nothing.tacho("track HEAD").exits(0).stderr;
    assert!(said.contains("are the same program: there is no interval"), "{said}");
}

#[test]
fn a_build_that_does_not_do_as_its_linker_is_told_is_said() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let answer = program("cc -o prog *.c").tacho("layouts -n 2 -r 2").exits(2);
    assert!(answer.stdout.contains("are the same program"), "{}", answer.stdout);
    assert!(answer.stderr.contains("must pass LDFLAGS (or RUSTFLAGS)"), "{}", answer.stderr);
}

#[test]
fn without_a_linker_or_anything_to_link_there_are_no_layouts() {
    let answer = program("cc -o prog *.c").tacho("layouts --linker bfd").exits(2);
    insta::assert_snapshot!(answer.stderr, @r"
    error: no linker `bfd` here can shuffle code
    hint: install `mold` or `lld`: both have `--shuffle-sections`
    ");
    let answer = Project::scripts(1).tacho("layouts").exits(2);
    insta::assert_snapshot!(answer.stderr, @r"
    error: the plan has no `build`, so nothing is linked
    hint: add a `build` command to `[subject]`
    ");
}

#[test]
fn a_plan_may_have_one_order_for_all_that_is_built() {
    let build = "echo $TACHO_LAYOUT $LDFLAGS; ${CC:-cc} $LDFLAGS -o prog *.c";
    let with = |keys: &str| {
        let project = program(build);
        let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
        project.plan(&plan.replace("artifacts", &format!("{keys}\nartifacts")))
    };
    let artifact = |project: &Project| {
        project.tacho("track HEAD --rounds 1").exits(0);
        let shown = project.tacho("show HEAD --json").exits(0).json();
        shown["hosts"][0]["build"]["artifact"].as_str().unwrap().to_owned()
    };
    let (plain, aligned) = (with(""), with("order = 'aligned'"));
    assert_ne!(artifact(&plain), artifact(&aligned), "functions begin elsewhere");
    let log = aligned.tacho("show HEAD --build-log").exits(0).stdout;
    assert!(log.contains("aligned -Wl,-z,separate-code"), "{log}");
    let again = aligned.tacho("track HEAD --rounds 1").exits(0).stdout;
    assert!(again.contains("nothing was missing"), "{again}");
    if has("ld.bfd") {
        let sorted = with("order = 'sorted'");
        sorted.tacho("track HEAD --rounds 1").exits(0);
        let log = sorted.tacho("show HEAD --build-log").exits(0).stdout;
        assert!(log.contains("sorted -fuse-ld=bfd -Wl,--sort-section=name"), "{log}");
    }
    let both = with("order = 'aligned'");
    let ordered = std::fs::read_to_string(both.path().join("tacho.toml")).unwrap();
    let both = both.plan(&(ordered + "[measure]\nlevels = { layouts = 2, processes = 2 }\n"));
    insta::assert_snapshot!(both.tacho("track HEAD").exits(2).stderr, @"
    error: `order` contradicts `levels`
    hint: `order` is one fixed order, and `levels` shuffles the order: remove one of the two keys
    ");
    let wrong = with("order = 'random'").tacho("track HEAD").exits(2).stderr;
    assert!(wrong.contains("order = 'random'"), "{wrong}");
}

#[test]
fn a_change_over_layouts_is_not_measured_again_by_one_build_of_each_side() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = program("cc $LDFLAGS -o prog *.c");
    let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
    let levels = plan.replace(
        "[[benchmark]]",
        "[measure]\nlevels = { layouts = 2, processes = 1 }\n[[benchmark]]",
    );
    let metrics = "metrics = [{ name = 'work', from = 'regex:work ([0-9]+)', better = 'lower' }]\n";
    let commit = |n| {
        let work = if n <= 5 { 100 } else { 200 };
        let main = format!(
            "#include <stdio.h>\nint part1(int);\nvolatile int n = {n};\nint main(void) {{ \
             printf(\"work %d\\n\", {work}); return part1(0); }}\n"
        );
        (main, format!("change {n}"))
    };
    let project = project.plan(&(levels + metrics)).commits("main.c", (1..=10).map(commit));
    project.tacho("track HEAD~9..HEAD").exits(0);
    let listed = project.tacho("changes --json").json();
    let change = &listed["events"][0]["changes"][0];
    let told = project
        .tacho(&format!("changes --confirm {}", change["name"].as_str().unwrap()))
        .exits(2)
        .stdout;
    assert!(
        told.contains("the change was measured over 2 layouts") && told.contains("tacho compare "),
        "{told}"
    );
}

#[test]
fn a_diff_is_not_tried_over_layouts_that_are_all_the_same() {
    if !has_linker() {
        eprintln!("left out: no linker here can shuffle code");
        return;
    }
    let project = program("cc -o prog *.c");
    let main = std::fs::read_to_string(project.path().join("main.c")).unwrap();
    let context: String = main.lines().take(2).map(|line| format!(" {line}\n")).collect();
    let diff = "--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,3 @@\n+static int unused;\n".to_owned();
    let project = project.file("a.diff", &(diff + &context));
    let said = project.tacho("try a.diff --layouts 2").exits(2).stderr;
    let why = "cannot be compared: all its layouts are the same program: the build must pass";
    assert!(said.contains(why) && !said.contains("does not build"), "{said}");
    assert!(!said.contains("--build-log"), "{said}");
}

#[test]
fn an_order_that_the_build_ignores_is_told() {
    if !has("ld.bfd") {
        eprintln!("left out: there is no linker here that sorts");
        return;
    }
    let diff = "--- a/main.c\n+++ b/main.c\n@@ -1,2 +1,3 @@\n+static int unused;\n";
    // The other way round than they are sorted.
    let heeded = "${CC:-cc} $LDFLAGS -o prog $(ls -r *.c)";
    for (build, is_ignored) in [("cc -o prog *.c", true), (heeded, false)] {
        let project = program(build);
        let main = std::fs::read_to_string(project.path().join("main.c")).unwrap();
        let context: String = main.lines().take(2).map(|line| format!(" {line}\n")).collect();
        let project = project.file("a.diff", &format!("{diff}{context}"));
        for command in ["try a.diff --order sorted -r 2", "compare HEAD HEAD --order sorted -r 2"] {
            let told = project.tacho(command).stderr;
            let line = "warning: `--order sorted` had no effect: ";
            assert_eq!(told.matches(line).count(), usize::from(is_ignored), "{command}: {told}");
        }
    }
}
