//! Quirks: revisions that do not build by themselves any more, and what is done about them.

use insta::assert_snapshot;

use crate::harness::{Answer, Project, SCRIPT_PLAN};

/// The plan of the harness, with a command that builds.
fn plan() -> String {
    let plan = SCRIPT_PLAN.replace("artifacts", "build = \"sh make.sh\"\nartifacts");
    plan.replace("rounds = 3", "rounds = 3\nlink = 0")
}

/// What mends the window in which the build is broken.
const PATCH: &str = "\
--- a/make.sh
+++ b/make.sh
@@ -1,2 +1,2 @@
 set -e
-cp missing prog
+cp src prog
";

const MENDED: &str = r#"
[[quirk]]
name = "missing"
why = "there is no `missing` any more"
from = "broken"
before = "mended"
patch = "quirks/missing.patch"
"#;

/// Six revisions, of which the second and third do not build.
fn history() -> Project {
    let whole = "set -e\ncp src prog\n";
    let project = Project::repository();
    let commit = |project: Project, n: u32, make: &str| {
        let project = project.file("make.sh", make).file("src", &format!("echo answer # {n}\n"));
        project.commit(&format!("change {n}"))
    };
    let project = commit(project, 1, whole).tag("first");
    let project = commit(project, 2, "set -e\ncp missing prog\n").tag("broken");
    let project = commit(project, 3, "set -e\ncp missing prog\n");
    let project = commit(project, 4, whole).tag("mended");
    let project = commit(commit(project, 5, whole), 6, whole).tag("last");
    project.plan(&plan()).file("quirks/missing.patch", PATCH)
}

fn with(project: Project, quirks: &str) -> Project {
    project.plan(&(plan() + quirks))
}

/// How many builds ended how: built, failed, skipped; and how many samples were taken.
#[track_caller]
fn counts(answer: Answer) -> [u64; 4] {
    let answer = answer.exits(0).json();
    let builds = &answer["builds"];
    [&builds["built"], &builds["failed"], &builds["skipped"], &answer["samples"]]
        .map(|it| it.as_u64().unwrap())
}

fn artifact(project: &Project, revision: &str) -> String {
    let shown = project.tacho(&format!("show {revision} --json")).exits(0).json();
    shown["hosts"][0]["build"]["artifact"].as_str().unwrap().to_owned()
}

#[test]
fn a_window_is_mended_and_nothing_outside_of_it_is_built_again() {
    let project = history();
    assert_eq!(counts(project.tacho("track --json --seed 1")), [4, 2, 0, 4 * 4]);
    let project = with(project, MENDED);
    let before = project.tacho("show broken").succeeds().stdout;
    assert!(
        before.contains("before the plan or its quirks were edited: `tacho track 4809682f10`"),
        "{before}"
    );
    assert_eq!(
        counts(project.tacho("track --json --seed 1")),
        [6, 0, 0, 2 * 4],
        "only the window is new"
    );
    let shown = project.tacho("show broken").succeeds().stdout;
    assert!(!shown.contains("were edited"), "{shown}");
    assert!(shown.contains("\nwith quirk: missing\n"), "{shown}");
    assert!(!project.tacho("show mended").succeeds().stdout.contains("quirk"));
    assert_eq!(
        project.git(["status", "--porcelain", "--", "make.sh", "src"]),
        "",
        "the user's tree is left alone"
    );
    let reworded = MENDED.replace("there is", "nobody has").replace("\"missing\"", "\"other\"");
    let project = with(project, &reworded);
    assert_eq!(
        counts(project.tacho("track --json")),
        [6, 0, 0, 0],
        "what it is called changes no build"
    );
    let edited = PATCH.replace("+cp src prog", "+cp src prog; echo true >> prog");
    let project = project.file("quirks/missing.patch", &edited);
    assert_eq!(
        counts(project.tacho("track --json")),
        [6, 0, 0, 2 * 4],
        "what it does makes other builds"
    );
}

#[test]
fn what_could_not_be_built_is_said_not_to_be_judged() {
    let project = history();
    let id = |name: &str| project.git(["rev-parse", name]).trim().to_owned();
    let (first, last) = (id("broken"), id("mended~1"));
    let line =
        format!("not judged: {}..{} (2 revisions, could not be built)", &first[..10], &last[..10]);
    // The noise of so short programs may look like a change, which is not asked here.
    let changes = |project: &Project, words: &str| {
        let answer = project.tacho(&format!("changes {words}"));
        assert!([0, 1].contains(&answer.status), "{}", answer.stderr);
        answer
    };
    let tracked = project.tacho("track --seed 1").exits(0);
    assert!(tracked.stderr.contains(&format!("note: {line}\n")), "{}", tracked.stderr);
    for form in ["", "--markdown"] {
        let listed = changes(&project, form).stdout;
        assert!(listed.contains(&line), "{listed}");
    }
    let of = |answer: Answer| {
        let unbuilt = answer.json()["unbuilt"].clone();
        assert_eq!(unbuilt.as_array().unwrap().len(), 1, "{unbuilt}");
        unbuilt[0].clone()
    };
    for stretch in [of(project.tacho("track --json").exits(0)), of(changes(&project, "--json"))] {
        assert_eq!(
            (&stretch["first"], &stretch["last"]),
            (&first.clone().into(), &last.clone().into())
        );
        assert_eq!((&stretch["revisions"], &stretch["state"]), (&2.into(), &"failed".into()));
        assert!(stretch["why"].as_str().unwrap().contains("missing"), "{stretch}");
    }
    assert!(!changes(&project, "mended..last").stdout.contains("not be built"));
    let project = with(
        project,
        "[[quirk]]\nname = 'q'\nwhy = 'old'\nskip = true\nfrom = 'broken'\nbefore = 'mended'\n",
    );
    let skipped = project.tacho("track").exits(0).stderr;
    assert!(skipped.contains(&line.replace("could not be built", "skipped")), "{skipped}");
    let project = with(project, MENDED);
    let mended = project.tacho("track").exits(0).stderr + &changes(&project, "").stdout;
    assert!(!mended.contains("2 revisions"), "{mended}");
}

/// What the pages say of the series' wall time: stretches that were not built, and where quirks
/// begin and end.
fn on_pages(project: &Project) -> [Vec<String>; 2] {
    project.tacho("site pages").exits(0);
    let of_wall = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("answer.wall.") && path.extension().is_some_and(|it| it == "json")
    };
    let data = std::fs::read_dir(project.path().join("pages").join("data")).unwrap();
    let path = data.map(|file| file.unwrap().path()).find(of_wall).unwrap();
    let data: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    ["unbuilt", "quirks"].map(|what| {
        let at = |one: &serde_json::Value| one.get("at").or(one.get("from")).unwrap().to_string();
        let told =
            |one: &serde_json::Value| format!("{}: {}", at(one), one["text"].as_str().unwrap());
        // Where there are none, the key is not there.
        data[what].as_array().into_iter().flatten().map(told).collect()
    })
}

#[test]
fn what_was_built_before_quirks_were_edited_is_not_on_pages() {
    let project = history();
    project.tacho("track --seed 1").exits(0);
    let broken = [vec!["1: 2 revisions, could not be built".to_owned()], vec![]];
    assert_eq!(on_pages(&project), broken);
    let overview = |project: &Project| {
        let page = std::fs::read_to_string(project.path().join("pages/index.html")).unwrap();
        page.contains("Not judged: ")
    };
    assert!(overview(&project));
    // One of the two is built with it, the other was tried only before.
    let project = with(project, MENDED);
    project.tacho("track --seed 1 first broken mended last").exits(0);
    let mended: [Vec<String>; 2] =
        [vec![], vec!["1: from here with missing".into(), "3: no longer with missing".into()]];
    assert_eq!(on_pages(&project), mended);
    assert!(!overview(&project));
    let page = project.path().join("pages/revision");
    let id = project.git(["rev-parse", "mended~1"]);
    let mut pages = std::fs::read_dir(page).unwrap().map(|page| page.unwrap().path());
    let page =
        pages.find(|page| page.file_name().unwrap().to_string_lossy().contains(&id[..10])).unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Built before the plan or its quirks were edited."), "{page}");
    project.tacho("track --seed 1").exits(0);
    assert_eq!(on_pages(&project), mended);
    let project = with(project, "");
    assert_eq!(on_pages(&project), broken, "as before");
    assert!(overview(&project));
}

#[test]
fn of_what_was_not_tried_nothing_is_said() {
    let commit = |project: Project, n: u32| {
        let from = if (2..=5).contains(&n) { "missing" } else { "src" };
        let project = project.file("make.sh", &format!("set -e\ncp {from} prog\n"));
        project.file("src", &format!("echo answer # {n}\n")).commit(&format!("change {n}"))
    };
    let project = (1..=6).fold(Project::repository(), commit).plan(&plan());
    let tracked = project.tacho("track --seed 1 HEAD~5 HEAD~4 HEAD~1 HEAD").exits(0);
    let line = " (2 of 4 revisions tried, and none of these could be built)\n";
    assert!(tracked.stderr.contains(line), "{}", tracked.stderr);
    let listed = project.tacho("changes").exits(0).stdout;
    assert!(listed.contains("2 of 4 revisions tried"), "{listed}");
    let unbuilt = project.tacho("changes --json").exits(0).json()["unbuilt"].clone();
    assert_eq!((&unbuilt[0]["revisions"], &unbuilt[0]["among"]), (&2.into(), &4.into()));
    assert_eq!(
        on_pages(&project)[0],
        ["1: 2 of 4 revisions tried, and none of these could be built"]
    );
}

#[test]
fn both_sides_of_an_edge_are_taken_when_requested() {
    let project = with(history(), MENDED);
    assert_eq!(
        counts(project.tacho("track --json --every 10commits --rounds 1")),
        [2, 0, 0, 2 * 2]
    );
    let edges = project.tacho("track --json --every 10commits --rounds 1 --quirk-edges");
    assert_eq!(counts(edges), [5, 0, 0, 3 * 2], "all but the fifth");
}

#[test]
fn each_word_cuts_history_where_it_says() {
    let project = history();
    // The second commit was made at 2023-11-15T00:13:20Z, the fourth at 02:13:20Z.
    let cases = [
        ("from = 'broken'\nuntil = 'mended'", "2 3 4"),
        ("after = 'broken'\nbefore = 'mended'", "3"),
        ("after = 'mended'", "5 6"),
        ("until = 'broken'", "1 2"),
        ("from = '2023-11-15T00:13:20Z'\nbefore = '2023-11-15T02:13:20Z'", "2 3"),
        ("after = '2023-11-15T00:13:20Z'\nuntil = '2023-11-15T02:13:20Z'", "3 4"),
        ("from = '2023-11-15'", "2 3 4 5 6"),
        ("until = '2023-11-14'", "1"),
        ("after = '2023-11-15'", ""),
    ];
    for (range, expected) in cases {
        let project =
            with(project.copied(), &format!("[[quirk]]\nwhy = 'w'\nskip = true\n{range}\n"));
        let answer = project.tacho("track --json --rounds 1").exits(0).json();
        let points = answer["series"][0]["points"].as_array().unwrap().iter().zip(1..);
        let skipped = points.filter(|(point, _)| point["build"] == "skipped");
        let skipped: Vec<String> = skipped.map(|(_, n)| n.to_string()).collect();
        assert_eq!(skipped.join(" "), expected, "{range}");
    }
}

#[test]
fn environment_commands_and_files_of_others_act_in_their_order() {
    let quirks = r#"
expect.stdout = { contains = "answer\n1\n0\nsaid\n" }

[[quirk]]
name = "order"
why = "order"
from = "broken"
before = "mended"
take = { path = "make.sh", from = "first" }
environment = { WORD = "said" }
after-checkout = "echo \"echo $(grep -c missing make.sh)\" > log"
before-build = "echo \"echo $(grep -c missing make.sh)\" >> log"
build = "sh make.sh; echo \"echo $WORD\" >> log"
after-build = "cat log >> prog"
"#;
    let project = with(history(), quirks);
    assert_eq!(counts(project.tacho("track broken --json")), [1, 0, 0, 4]);
    let build = project.tacho("show broken --build-log").exits(0).stdout;
    assert!(
        build.contains("# takes make.sh from") && build.contains("# with WORD=said"),
        "{build}"
    );
    let misspelt = with(history(), &quirks.replace("path = \"make.sh\"", "path = \"maek.sh\""));
    let refused = misspelt.tacho("track --dry-run broken").exits(2).stderr;
    assert_snapshot!(refused, @"
    error: quirk `order`: `take`: there is no `maek.sh` in `first`
    hint: paths go from the root of the repository: `git ls-tree -r --name-only first` lists them
    ");
    assert_eq!(misspelt.tacho("track broken").exits(2).stderr, refused);
    let failing = quirks.replace("cat log >> prog", "echo no disk; exit 3");
    let project = with(project, &failing);
    assert_eq!(project.tacho("track broken --json").json()["builds"]["failed"], 1);
    let shown = project.tacho("show broken").stdout;
    assert!(
        shown.contains("`after-build` of quirk `order` failed with exit status 3: no disk"),
        "{shown}"
    );
}

#[test]
fn what_is_done_once_is_replayed_for_a_revision_alone() {
    let plan = plan().replace("sh make.sh", "cat src $TACHO_STATE/* > prog 2>/dev/null; true");
    let once = |from: &str| {
        format!(
            "[[quirk]]\nname = '{from}'\nwhy = 'a tool'\nfrom = '{from}'\nonce = true\n\
                 build = 'sed \"s/^/# $(ls $TACHO_STATE | wc -l) /\" src > $TACHO_STATE/{from}'\n"
        )
    };
    let quirks = format!("{}{}", once("mended"), once("broken"));
    let project = history().plan(&format!("{plan}{quirks}"));
    let alone = project.copied();
    assert_eq!(counts(project.tacho("track --json")), [6, 0, 0, 6 * 4]);
    assert_eq!(counts(alone.tacho("track last --json")), [1, 0, 0, 4]);
    assert_eq!(artifact(&project, "last"), artifact(&alone, "last"));
    assert_eq!(counts(alone.tacho("track first --json")), [1, 0, 0, 4]);
    assert_eq!(artifact(&project, "first"), artifact(&alone, "first"), "what is done is undone");
    let shown = alone.tacho("show last").succeeds().stdout;
    assert!(shown.contains("\nwith quirks: broken, mended\n"), "in the order of history: {shown}");
}

#[test]
fn a_patch_that_does_not_apply_names_the_hunk() {
    let project = with(history(), &MENDED.replace("\"mended\"", "\"last\""));
    let answer = project.tacho("track --json");
    assert_eq!(answer.json()["builds"]["failed"], 2, "the others are built");
    let shown = project.tacho("show mended").stdout;
    let why = "quirk `missing`: patch `quirks/missing.patch` does not apply: \
               hunk 1 of `make.sh` (`@@ -1,2 +1,2 @@`) finds other lines there";
    assert!(shown.contains(why), "{shown}");
}

#[test]
fn what_cannot_be_is_said_before_anything_is_built() {
    let project = history();
    let said = |quirks: &str| {
        let project = with(project.copied(), quirks);
        let answer = project.tacho("track").exits(2);
        assert_eq!(
            project.tacho("track --dry-run").exits(2).steady_stderr(),
            answer.steady_stderr()
        );
        assert!(!project.path().join(".cache").join("tree").exists());
        answer.steady_stderr()
    };
    let quirk = |lines: &str| format!("[[quirk]]\nname = 'q'\nwhy = 'w'\n{lines}\n");
    assert_snapshot!(said(&quirk("skip = true\nfrom = 'brokn'")), @"
    error: quirk `q`: unknown revision `brokn`
    hint: did you mean `broken`?
    ");
    assert_snapshot!(
        said(&quirk("skip = true\nfrom = 'mended'\nbefore = 'broken'")),
        @r"
    error: quirk `q`: the range is empty: its end (before `broken`) is not after its start (from `mended`)
    "
    );
    assert_snapshot!(
        said(&quirk("skip = true\nfrom = 'last'\nuntil = '2023-11-14'")),
        @"error: quirk `q`: the range is empty: its end (until `2023-11-14`) is not after its start (from `last`)"
    );
    assert_snapshot!(said(&quirk("patch = 'none.patch'")), @"
    error: quirk `q`: cannot read patch `<folder>/none.patch`: No such file or directory
    hint: patches are given by path from the folder of the plan
    ");
    assert_snapshot!(
        said(&quirk("patch = 'src'")),
        @"error: quirk `q`: `src` is not a patch: no line says which file it changes (`+++ FILE`)"
    );
    let both = quirk("build = 'a'\nfrom = 'first'\nuntil = 'broken'")
        + "[[quirk]]\nname = 'r'\nwhy = 'w'\nfrom = 'broken'\nbuild = 'b'\n";
    assert_snapshot!(said(&both), @"
    error: quirks `q` and `r` both set `build`, and both \
                                    apply to 4809682f10
    hint: end one quirk before the other \
                                    begins, or merge both
    ");
    let project = project.file("out.patch", &PATCH.replace("b/make.sh", "b/../../make.sh"));
    let answer = with(project, &quirk("patch = 'out.patch'")).tacho("track").exits(2);
    assert_snapshot!(answer.steady_stderr(), @"error: quirk `q`: patch `out.patch` changes \
        `b/../../make.sh`, which is not in the checkout");
}

#[test]
fn an_edge_on_another_branch_is_told() {
    let project = history();
    project.git(["branch", "side", "first"]);
    project.git(["checkout", "--quiet", "side"]);
    let project = project.file("note", "side\n").commit("a release branch").tag("released");
    project.git(["checkout", "--quiet", "main"]);
    let project =
        with(project, "[[quirk]]\nname = 'q'\nwhy = 'w'\nskip = true\nbefore = 'released'\n");
    let listed = project.tacho("quirk list").exits(0);
    assert_snapshot!(listed.stderr, @"
    note: the end of quirk `q` (before `released`) is on another branch, not on this one
    hint: name a commit of this line of history, or a date
    ");
    let tracked = project.tacho("track --dry-run").exits(0).stderr;
    assert!(tracked.contains("(before `released`) is on another branch"), "{tracked}");
    // The way from there to where it is does pass it.
    assert!(!project.tacho("track --dry-run released").exits(0).stderr.contains("another branch"));
}

#[test]
fn quirks_may_stand_in_files_of_their_own() {
    let project = history().file("quirks/old.toml", MENDED);
    assert_eq!(counts(project.tacho("track --json --rounds 1")), [6, 0, 0, 6 * 2]);
    let project = project.file("quirks/more.toml", &MENDED.replace("from", "form"));
    assert_snapshot!(project.tacho("track").exits(2).steady_stderr(), @r#"
    error: unknown key `form` in `[[quirk]]`
     --> quirks/more.toml:5:1
      |
    5 | form = "broken"
      | ^^^^
      |
    hint: did you mean `from`?
    "#);
}

#[test]
fn the_window_is_found_and_a_quirk_suggested() {
    let project = history();
    let answer = project.tacho("quirk suggest HEAD~3").succeeds();
    assert_snapshot!(answer.steady_stdout(), @r#"
    77fa50b292 does not build:
      cp: cannot stat 'missing': No such file or directory

    2 revisions in a row:
      builds  2cdd082175  2023-11-14  change 1
      first failure  4809682f10  2023-11-15  change 2
      last failure  77fa50b292  2023-11-15  change 3
      builds  8cc0a422b2  2023-11-15  change 4

    a quirk to fill in, for tacho.toml or quirks/*.toml:

    [[quirk]]
    why = "cp: cannot stat 'missing': No such file or directory"
    from = "4809682f10"
    before = "8cc0a422b2"
    # one of these:
    # patch = "quirks/name.patch"
    # environment = { NAME = "value" }
    # build = "sh make.sh"
    # skip = true
    "#);
    let json = project.tacho("quirk suggest broken --json").succeeds().json();
    let id = |name: &str| project.git(["rev-parse", name]).trim().to_owned();
    assert_eq!(
        (json["first"].as_str(), json["after"].as_str()),
        (Some(&*id("broken")), Some(&*id("mended")))
    );
    assert_eq!((&json["revisions"], &json["builds"]), (&2.into(), &false.into()));
    let stub = json["quirk"].as_str().unwrap().replace("# skip", "skip");
    let project = with(project, &stub);
    assert_eq!(
        counts(project.tacho("track --json --rounds 1")),
        [4, 0, 2, 4 * 2],
        "the stub is a quirk"
    );
    let builds = project.tacho("quirk suggest first").succeeds().stdout;
    assert_eq!(builds, "2cdd082175 builds: no quirk is needed\n");
}

/// Two files in C, with a script that builds them by the compiler's flags in the environment.
fn of_c(two: &str, make: &str) -> Project {
    Project::repository()
        .file("one.c", "int shared; int main(void) { return 0; }\n")
        .file("two.c", two)
        .file("make.sh", make)
        .commit("begin")
        .plan(&plan())
}

#[test]
fn only_a_quirk_that_was_tried_is_called_one_that_mends() {
    let project = of_c("int shared;\n", "set -e\ncc $CFLAGS one.c two.c -o prog\n");
    let answer = project.tacho("quirk suggest HEAD").succeeds().stdout;
    assert!(answer.contains("multiple definition of `shared'"), "{answer}");
    let (_, quirk) =
        answer.split_once("builds with this quirk, for tacho.toml or quirks/*.toml:\n\n").unwrap();
    assert_snapshot!(quirk, @r#"
    [[quirk]]
    why = "variables are defined in several files, which gcc 10 refuses"
    environment = { CFLAGS = "-O2 -fcommon" }
    "#);
    assert_eq!(project.tacho("quirk suggest HEAD --json").succeeds().json()["works"], true);
    let mended = with(project, quirk).tacho("quirk check").succeeds().stdout;
    assert!(mended.contains(": needed\n"), "{mended}");
}

#[test]
fn a_remedy_that_does_not_mend_is_not_proposed() {
    let project = of_c("int shared;\n", "set -e\ncc one.c two.c -o prog\n");
    let answer = project.tacho("quirk suggest HEAD").succeeds().stdout;
    let (_, quirk) =
        answer.split_once("a quirk to fill in, for tacho.toml or quirks/*.toml:\n\n").unwrap();
    assert!(
        quirk.contains(
            "\n# tried, does not build either: CFLAGS=\"-O2 -fcommon\" in the environment\n"
        ),
        "{quirk}"
    );
    assert!(!quirk.contains("\nenvironment"), "{quirk}");
    assert_eq!(project.tacho("quirk suggest HEAD --json").succeeds().json()["works"], false);
}

#[test]
fn one_cause_at_other_lines_is_one_failure() {
    let line = |n: usize| format!("{}#include \"missing.h\"\n", "\n".repeat(n));
    let make = "set -e\ncc -c two.c -o prog\n";
    let project = (2..=4).fold(of_c(&line(1), make), |project, n| {
        project.file("two.c", &line(n)).commit(&format!("change {n}"))
    });
    let answer = project.tacho("track --rounds 1");
    assert!(answer.stderr.contains("4 of 4 builds failed; first"), "{}", answer.stderr);
    assert!(answer.stderr.contains("fatal error: missing.h: No such file"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("other error"), "{}", answer.stderr);
}

/// `make` starts simple commands itself, and others by a shell: each has words of its own.
#[test]
fn a_compiler_that_is_missing_is_one_cause_however_that_is_said() {
    let plan = "[subject]\nbuild = 'make'\nartifacts = ['prog']\n\
                [[benchmark]]\nname = 'b'\ncommand = '{build}/prog'\n";
    let make = |recipe: &str| format!("prog: a.c\n\t{recipe}\n");
    let project = Project::repository()
        .file("a.c", "int main(void) { return 0; }\n")
        .file("Makefile", &make("clang-3.6 -o prog a.c"))
        .commit("simple")
        .file("Makefile", &make("clang-3.6 -o prog a.c 2>&1; exit $$?"))
        .commit("by a shell")
        .plan(plan);
    let answer = project.tacho("track").exits(2);
    assert!(answer.stderr.contains("2 of 2 builds failed; first"), "{}", answer.stderr);
    assert!(answer.stderr.contains("clang-3.6: No such file"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("other error"), "{}", answer.stderr);
    let hint = "hint: `clang-3.6` is not installed, or not in `PATH`";
    assert!(answer.stderr.contains(hint), "{}", answer.stderr);
}

/// What a warning quotes is source, whatever its words.
#[test]
fn the_linkers_error_is_told_and_not_what_a_warning_quotes() {
    let two = "#include <stdio.h>\ndouble pow10x(double);\nint main(void) { int error = \
        printf(\"error: no %d\"); return (int)pow10x(error); }\n";
    let project = of_c(two, "cc -Wall two.c -o prog\n");
    let answer = project.tacho("track --rounds 1");
    let told = answer.stderr.split("\n  |").next().unwrap().replace("\n  ", " ");
    assert!(told.ends_with("undefined reference to `pow10x'"), "{}", answer.stderr);
}

#[test]
fn what_fails_for_another_reason_is_another_stretch() {
    let commit = |project: Project, (n, from): (u32, &str)| {
        let project = project.file("make.sh", &format!("set -e\n# {n}\ncp {from} prog\n"));
        project.file("src", &format!("echo answer # {n}\n")).commit(&format!("change {n}"))
    };
    let from =
        [(1, "src"), (2, "lost"), (3, "lost"), (4, "gone"), (5, "gone"), (6, "gone"), (7, "src")];
    let project = from.into_iter().fold(Project::repository(), commit).plan(&plan());
    let id = |n: u32| project.git(["rev-parse", &format!("HEAD~{}", 7 - n)]).trim().to_owned();
    let told = project.tacho("quirk suggest HEAD~4").succeeds().stdout;
    let short = |n: u32| id(n)[..10].to_owned();
    let expected = format!(
        "  other error    {0}  2023-11-15  change 4\n\n3 revisions next to these, {0} to {1}, fail \
         for another reason:\n  cp: cannot stat 'gone': No such file or directory\n",
        short(4),
        short(6)
    );
    assert!(
        told.contains(&expected) && told.contains("\n2 revisions in a row:\n  builds  "),
        "{told}"
    );
    let json = project.tacho("quirk suggest HEAD~4 --json").succeeds().json();
    assert_eq!((&json["first"], &json["last"]), (&id(2).into(), &id(3).into()));
    assert_eq!((&json["before"], &json["after"]), (&id(1).into(), &id(7).into()));
    let other = &json["others"][0];
    assert_eq!(
        (&other["first"], &other["last"], &other["revisions"]),
        (&id(4).into(), &id(6).into(), &3.into())
    );
    // The stub is for what fails so, and for nothing else.
    let stub = json["quirk"].as_str().unwrap();
    assert!(stub.contains(&format!("before = \"{}\"", short(4))), "{stub}");
    let beyond = project.tacho("quirk suggest HEAD~2 --json").succeeds().json();
    assert_eq!((&beyond["first"], &beyond["last"]), (&id(4).into(), &id(6).into()));
    assert_eq!(beyond["others"][0]["error"], "cp: cannot stat 'lost': No such file or directory");
}

#[test]
fn each_other_reason_is_told_with_its_revisions() {
    let commit = |project: Project, (n, from): (u32, &str)| {
        let project = project.file("make.sh", &format!("set -e\n# {n}\ncp {from} prog\n"));
        project.commit(&format!("change {n}"))
    };
    let from = [(1, "lost"), (2, "lost"), (3, "lost"), (4, "gone"), (5, "gone"), (6, "missing")];
    let project = from.into_iter().fold(Project::repository(), commit).plan(&plan());
    let id = |n: u32| project.git(["rev-parse", &format!("HEAD~{}", 6 - n)])[..10].to_owned();
    let told = project.tacho("quirk suggest HEAD").succeeds().stdout;
    let expected = format!(
        "\n2 revisions next to these, {} to {}, fail for another reason:\n  \
         cp: cannot stat 'gone': No such file or directory\n\n\
         3 revisions beyond these, {} to {}, fail for another reason:\n  \
         cp: cannot stat 'lost': No such file or directory\n",
        id(4),
        id(5),
        id(1),
        id(3)
    );
    assert!(told.contains(&expected), "{told}");
    let others = &project.tacho("quirk suggest HEAD --json").succeeds().json()["others"];
    let of = |at: usize| {
        (others[at]["first"].as_str().unwrap()[..10].to_owned(), others[at]["revisions"].clone())
    };
    assert_eq!((of(0), of(1)), ((id(1), 3.into()), (id(4), 2.into())), "in order of history");
}

#[test]
fn a_quirk_is_checked_with_and_without() {
    let project = with(history(), MENDED);
    assert_snapshot!(project.tacho("quirk list").succeeds().stdout, @"
    missing
      there is no `missing` any more
      from `broken`, before `mended`: 2 revisions, 4809682f10 to 77fa50b292
      patch quirks/missing.patch
    ");
    let unnamed = "[[quirk]]\nwhy = 'ask `make` for less'\nbuild = \"make less\\n./less\"\n";
    assert_snapshot!(with(project.copied(), unnamed).tacho("quirk list").succeeds().stdout, @"
    ask-make-for-less
      all of history: 6 revisions, 2cdd082175 to 2e8ac55ebd
      build `make less …`
    ");
    assert_snapshot!(project.tacho("quirk check").succeeds().steady_stdout(), @"
    missing: needed
      4809682f10 with quirk: builds
      4809682f10 without quirk: exit status 1: cp: cannot stat 'missing': No such file or directory
      77fa50b292 with quirk: builds
      77fa50b292 without quirk: exit status 1: cp: cannot stat 'missing': No such file or directory
    ");
    let wide = MENDED.replace("\"mended\"", "\"last\"");
    let project = with(project, &wide);
    let failing = project.tacho("quirk check missing --json").exits(1).json();
    assert_eq!(failing["quirks"][0]["verdict"], "fails");
    let tried = |arguments: &str| {
        let answer = project.tacho(&format!("quirk check --json {arguments}")).exits(1).json();
        let tried = answer["quirks"][0]["tried"].as_array().unwrap().len();
        assert_eq!(answer["quirks"][0]["revisions"], 4);
        tried
    };
    assert_eq!((tried(""), tried("-n 2"), tried("--all")), (3, 2, 4));
    let told = project.tacho("quirk check").exits(1).stdout;
    assert!(told.ends_with("  tried 3 of 4 revisions; `--all` tries each\n"), "{told}");
    let idle = with(
        project,
        &MENDED.replace("\"broken\"", "\"last\"").replace(
            "before = \"mended\"\npatch = \"quirks/missing.patch\"",
            "environment = { A = \"1\" }",
        ),
    );
    let checked = idle.tacho("quirk check --json").succeeds().json()["quirks"][0].clone();
    assert_eq!(
        (&checked["verdict"], &checked["tried"][0]["differs"]),
        (&"not needed".into(), &false.into())
    );
    let told = idle.tacho("quirk check").succeeds().stdout;
    assert!(told.starts_with("missing: not needed\n"), "{told}");
    assert!(idle.tacho("quirk check mising").exits(2).stderr.contains("did you mean `missing`?"));
}

#[test]
fn one_that_is_not_needed_to_build_may_make_other_builds() {
    let project = with_numbers(false);
    let told = project.tacho("quirk check").succeeds().stdout;
    let line = "flag: not needed to build, but 3 of 3 revisions tried give other artifacts \
        with it: `tacho quirk effect flag` measures what it does\n";
    assert!(told.starts_with(line), "{told}");
    let checked = project.tacho("quirk check --json").succeeds().json()["quirks"][0].clone();
    assert_eq!(
        (&checked["verdict"], &checked["tried"][0]["differs"]),
        (&"not needed".into(), &true.into())
    );
}

#[test]
fn a_quirk_for_no_revision_is_told() {
    let later =
        "[[quirk]]\nname = 'later'\nwhy = 'w'\nfrom = '2090-01-01'\nenvironment = { A = '1' }\n";
    let project = with(history(), &format!("{MENDED}{later}"));
    let told = |command: &str| project.tacho(command).exits(0).stderr;
    let note = "note: the quirk `later` (from `2090-01-01`) applies to none of these revisions\n";
    assert!(
        told("track --dry-run").contains(note) && !told("track --dry-run").contains("`missing`")
    );
    // Of a part of history that says nothing.
    assert!(!told("track --dry-run last~1..").contains(note));
}

#[test]
fn what_is_skipped_is_no_build_that_fails() {
    let skip = "[[quirk]]\nname = 'gone'\nwhy = 'too old'\nskip = true\nfrom = 'broken'\nuntil = \
        'broken'\n";
    let project = with(history(), skip);
    assert_snapshot!(
        project.tacho("quirk suggest broken").exits(0).stdout,
        @"4809682f10 is skipped by the quirk `gone`: too old"
    );
    let json = project.tacho("quirk suggest broken --json").exits(0).json();
    assert_eq!(
        (&json["skipped"], &json["builds"], &json["quirk"]),
        (&"too old".into(), &false.into(), &serde_json::Value::Null)
    );
    // The stretch that fails begins behind it.
    let beside = project.tacho("quirk suggest HEAD~3").exits(0).stdout;
    assert!(beside.contains("1 revision in a row:\n  skipped        4809682f10"), "{beside}");
    let nothing = project.tacho("quirk effect gone").exits(0).stdout;
    assert_eq!(
        nothing,
        "a quirk with `skip` leaves its revisions unbuilt, so it has no effect to \
        measure\n"
    );
    assert_eq!(
        project.tacho("quirk effect gone --json").exits(0).json()["effects"],
        serde_json::json!([])
    );
    let bisect = project.tacho("bisect first broken --quiet").exits(4).stdout;
    assert!(
        bisect.contains("(skipped: too old)\nhint: name ends that no quirk of the plan skips\n")
            && bisect.contains("\n1 build in "),
        "{bisect}"
    );
    // Another's range is tried and measured where it is built.
    let project = with(project, &format!("{skip}{MENDED}"));
    let checked = project.tacho("quirk check missing").exits(0).stdout;
    assert!(checked.starts_with("missing: needed\n  77fa50b292 with quirk: builds\n"), "{checked}");
    let effect = project.tacho("quirk effect missing -r 2").exits(0).stdout;
    assert!(
        effect.contains("missing begins 4809682f10") && effect.contains("77fa50b292 without"),
        "{effect}"
    );
}

#[test]
fn each_reason_of_builds_that_fail_is_named() {
    let other = PATCH.replace("cp missing", "cp nothing");
    let quirks = "\
[[quirk]]
name = 'one'
why = 'w'
from = 'mended'
before = 'last'
patch = 'quirks/missing.patch'

[[quirk]]
name = 'two'
why = 'w'
from = 'last'
patch = 'quirks/other.patch'
";
    let project = with(history().file("quirks/other.patch", &other), quirks);
    let told = project.tacho("track mended~1..").exits(2).stderr;
    let hunk = "hunk 1 of `make.sh` (`@@ -1,2 +1,2 @@`) finds other lines there";
    assert!(
        told.contains("error: 4 of 4 builds failed; first 77fa50b292: exit status 1: cp:"),
        "{told}"
    );
    let patch =
        format!("and 1 more: quirk `one`: patch `quirks/missing.patch` does not apply: {hunk}\n");
    assert!(told.contains(&patch), "{told}");
    assert!(told.contains("quirk `two`: patch `quirks/other.patch` does not apply"), "{told}");
}

/// What the program prints is its number: 100, with the quirk 120, and 10 more since the commit.
fn with_numbers(fails_without: bool) -> Project {
    let make = |at: u32| {
        let without = if fails_without { "false" } else { "true" };
        format!(
            "set -e\n[ -n \"$FAST\" ] || {without}\necho \"echo answer; echo work $(({at} + \
             ${{FAST:-0}})) # $(cat n)\" > prog\n"
        )
    };
    let project = Project::repository();
    let project = (1..=12).fold(project, |project, n| {
        let at = if n < 7 { 100 } else { 110 };
        let make = if n < 7 { make(at).replace("false", "true") } else { make(at) };
        let project = project.file("make.sh", &make).file("n", &n.to_string());
        let project = project.commit(&format!("change {n}"));
        if n == 7 { project.tag("flag") } else { project }
    });
    let metrics =
        "metrics = [{ name = \"work\", from = \"regex:work ([0-9]+)\", better = \"lower\" }]\n";
    let quirk = "[[quirk]]\nname = \"flag\"\nwhy = \"it wants one\"\nfrom = \"flag\"\nenvironment \
        = { FAST = \"20\" }\n";
    project.plan(&format!("{}{metrics}{quirk}", plan()))
}

#[test]
fn what_is_the_quirks_is_told_from_what_is_the_commits() {
    for fails_without in [false, true] {
        let project = with_numbers(fails_without);
        project.tacho("track --rounds 6").exits(0);
        let before = project.tacho("changes --json").json();
        let name = before["events"][0]["changes"][0]["name"].as_str().unwrap().to_owned();
        let shown = project.tacho(&format!("changes show {name}")).stdout;
        assert!(
            shown.contains("`tacho quirk effect` measures what the quirk alone does"),
            "{shown}"
        );

        let answer = project.tacho("quirk effect flag -r 8 --json").exits(0).json();
        let effect = &answer["effects"][0];
        assert_eq!(
            (&effect["quirk"], &effect["begins"]),
            (&"flag".into(), &true.into()),
            "{answer}"
        );
        // Where it needs the quirk, it is the one before that is built with it.
        let same = effect["at"] == effect["revision"];
        assert_eq!(same, !fails_without, "{answer}");
        let ratio = if fails_without { 120.0 / 100.0 } else { 130.0 / 110.0 };
        let found = effect["compared"]["rows"][0]["ratio"].as_f64().unwrap();
        assert!((found - ratio).abs() < 1e-9, "{answer}");

        let shown = project.tacho(&format!("changes show {name} --json")).json();
        let quirk = &shown["changes"][0]["quirks"][0];
        // Of 100 to 130 the commit's is 10: what is left is not the quirk's.
        let rest = quirk["rest"].as_f64().unwrap();
        assert!((rest - (1.3 / ratio - 1.0)).abs() < 0.001, "{shown}");
        let text = project.tacho(&format!("changes show {name}")).stdout;
        assert!(
            text.contains("effect of the quirk `flag` alone: +")
                && text.contains("the rest of the change: +"),
            "{text}"
        );
        project.tacho("site pages").exits(0);
        for folder in ["series", "change"] {
            let pages = std::fs::read_dir(project.path().join("pages").join(folder)).unwrap();
            let mut pages =
                pages.map(|page| std::fs::read_to_string(page.unwrap().path()).unwrap());
            let alone = "ffect of the quirk <code>flag</code> alone: +";
            assert!(pages.any(|page| page.contains(alone)), "{folder}");
        }
    }
}

#[test]
fn quirks_that_adjoin_are_no_conflict() {
    let quirk = |name: &str, range: &str, fast: u32| {
        format!(
            "[[quirk]]\nname = '{name}'\nwhy = 'w'\n{range}\nenvironment = {{ FAST = '{fast}' }}\n"
        )
    };
    let adjoining =
        [quirk("one", "from = 'flag'\nbefore = 'HEAD'", 20), quirk("two", "from = 'HEAD'", 30)]
            .concat();
    let of = |fails_without: bool| {
        let project = with_numbers(fails_without);
        let plan = std::fs::read_to_string(project.path().join("tacho.toml")).unwrap();
        let head = project.git(["rev-parse", "HEAD"]);
        let adjoining = adjoining.replace("HEAD", head.trim());
        project.plan(&format!("{}{adjoining}", &plan[..plan.find("[[quirk]]").unwrap()]))
    };
    let answer = of(false).tacho("quirk effect -r 2 --json").exits(0).json();
    let ratio =
        |effect: &serde_json::Value| effect["compared"]["rows"][0]["ratio"].as_f64().unwrap();
    for (effect, to) in answer["effects"].as_array().unwrap().iter().zip([130.0, 130.0, 140.0]) {
        assert!((ratio(effect) - to / 110.0).abs() < 1e-9, "{answer}");
    }
    assert_eq!(answer["effects"].as_array().unwrap().len(), 3);

    // Where one or the other is needed, nothing is told of the edge between them; of the others it
    // is.
    let answer = of(true).tacho("quirk effect -r 2 --json").exits(0).json();
    let effects = answer["effects"].as_array().unwrap();
    assert!((ratio(&effects[0]) - 120.0 / 100.0).abs() < 1e-9, "{answer}");
    let why = |at: usize| effects[at]["why"].as_str().unwrap();
    assert!(why(1).contains("without the quirk does not build: exit status 1"), "{answer}");
    for (at, other) in [(1, "two"), (2, "one")] {
        assert!(why(at).contains(&format!("quirk `{other}` also applies to ")), "{answer}");
        assert!(why(at).ends_with(" and sets another `environment.FAST`"), "{answer}");
    }
}

#[test]
fn what_cannot_be_told_of_a_quirk_is_said() {
    let project = with(history(), MENDED);
    let text = project.tacho("quirk effect -r 2").exits(0).stdout;
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("missing begins 4809682f10") && text.contains("missing ends before"),
        "{text}"
    );
    assert!(
        text.contains(
            "the effect of the quirk cannot be separated from that of the commit: 4809682f10 \
             without the quirk does"
        ),
        "{text}"
    );
    assert!(
        project.tacho("quirk effect mising").exits(2).stderr.contains("did you mean `missing`?")
    );
    let none = with(project, "");
    assert_eq!(
        none.tacho("quirk effect").exits(0).stdout,
        "no quirk begins or ends within this history\n"
    );
}
