//! `[[quirk]]`, well and badly.

use insta::assert_snapshot;

use super::*;

const BENCHMARK: &str = "[[benchmark]]\nname = \"a\"\ncommand = \"true\"\n";

/// What is shown for a quirk with mistakes.
#[track_caller]
fn shown_in_quirk(lines: &str) -> String {
    shown(&format!("[[quirk]]\n{lines}\n{BENCHMARK}"))
}

#[test]
fn every_key_of_a_quirk_arrives_in_the_plan() {
    let text = r#"
[[quirk]]
why = "glibc 2.36 needs <stdint.h>"
after = "v1.1"
until = "2017-12-01"
patch = "quirks/stdint.patch"
take = { path = "configure", from = "v1.2" }
environment = { CFLAGS = "-std=gnu89" }
build = "make -j{jobs}"
before-checkout = "echo 1"
after-checkout = "echo 2"
before-build = "echo 3"
after-build = "echo 4"

[[quirk]]
name = "tool"
why = "the parser generator"
from = "v1.4"
build = "make -C tools install"
patch = ["a.patch", "b.patch"]
once = true
"#;
    let plan = parse(&format!("{text}{BENCHMARK}"), "tacho.toml").unwrap();
    let [one, two] = plan.subject.quirks.as_slice() else { panic!("{:?}", plan.subject.quirks) };
    let expected = Quirk {
        name: "glibc-2.36-needs-stdint.h".into(),
        is_tried: false,
        why: "glibc 2.36 needs <stdint.h>".into(),
        start: Some(Edge {
            typed: "after `v1.1`".into(),
            place: EdgePlace::Revision { name: "v1.1".into(), itself: false },
        }),
        end: Some(Edge {
            typed: "until `2017-12-01`".into(),
            place: EdgePlace::Time("2017-12-02T00:00Z".parse().unwrap()),
        }),
        once: false,
        skip: false,
        patches: texts(&["quirks/stdint.patch"]),
        patch_names: Vec::new(),
        take: vec![Take { path: "configure".into(), from: "v1.2".into() }],
        environment: BTreeMap::from([("CFLAGS".to_owned(), "-std=gnu89".to_owned())]),
        build: Some("make -j{jobs}".into()),
        commands: Commands {
            before_checkout: Some("echo 1".into()),
            after_checkout: Some("echo 2".into()),
            before_build: Some("echo 3".into()),
            after_build: Some("echo 4".into()),
        },
    };
    assert_eq!(*one, expected);
    assert_eq!((two.name.as_str(), two.once, two.patches.len()), ("tool", true, 2));
    assert_eq!(plan.subject.recipe(), parse(BENCHMARK, "tacho.toml").unwrap().subject.recipe());
}

#[test]
fn a_quirk_says_why_and_does_something() {
    assert_snapshot!(shown_in_quirk("from = \"v1\"\nafter = \"v2\"\nbefore = \"2017-02-30\"\npatchs = \"x\""), @r#"
    error: missing key `why` in `[[quirk]]`
     --> tacho.toml:1:1
      |
    1 | [[quirk]]
      | ^^^^^^^^^

    error: unknown key `patchs` in `[[quirk]]`
     --> tacho.toml:5:1
      |
    5 | patchs = "x"
      | ^^^^^^
      |
    hint: did you mean `patch`?
    "#);
    assert_snapshot!(shown_in_quirk("why = \"w\"\nfrom = \"v1\""), @"
    error: the quirk does nothing
     --> tacho.toml:1:1
      |
    1 | [[quirk]]
      | ^^^^^^^^^
      |
    hint: give it a `patch`, `take`, `environment`, `build`, one of the commands around it, or `skip = true`
    ");
}

#[test]
fn what_contradicts_itself_is_said() {
    assert_snapshot!(shown_in_quirk("why = \"w\"\nskip = true\nbuild = \"make {jbos}\""), @r#"
    error: `build` contradicts `skip`
     --> tacho.toml:4:1
      |
    4 | build = "make {jbos}"
      | ^^^^^
      |
    hint: a skipped revision is not built: keep one of the two keys

    error: unknown placeholder `{jbos}` in `build`
     --> tacho.toml:4:15
      |
    4 | build = "make {jbos}"
      |               ^^^^^^
      |
    hint: did you mean `{jobs}`?
    "#);
    assert_snapshot!(shown_in_quirk("why = \"w\"\nonce = true\nbefore = \"v2\"\npatch = 3"), @"
    error: `patch` must be a string or an array of strings, not an integer
     --> tacho.toml:5:9
      |
    5 | patch = 3
      |         ^
    ");
    assert_snapshot!(shown_in_quirk("why = \"w\"\nonce = true\nbefore = \"v2\"\npatch = \"p\""), @r#"
    error: `once` needs a `build` command
     --> tacho.toml:3:1
      |
    3 | once = true
      | ^^^^
      |
    hint: `build` is the command that is executed once; it leaves what later builds need in $TACHO_STATE

    error: `before` contradicts `once`
     --> tacho.toml:4:1
      |
    4 | before = "v2"
      | ^^^^^^
      |
    hint: a quirk with `once` has no end: remove this key
    "#);
    assert_snapshot!(shown_in_quirk("why = \"w\"\nskip = true\nfrom = \"2017-02-03\"\nbefore = \"2017-02-03\""), @r#"
    error: the range is empty: its end (before `2017-02-03`) is not after its start (from `2017-02-03`)
     --> tacho.toml:5:10
      |
    5 | before = "2017-02-03"
      |          ^^^^^^^^^^^^
      |
    hint: `from` and `until` include what they name, `after` and `before` do not
    "#);
    assert_snapshot!(shown_in_quirk("why = \"w\"\ntake = { path = \"../x\", from = \"v1\" }"), @r#"
    error: `../x` is not in the checkout
     --> tacho.toml:3:8
      |
    3 | take = { path = "../x", from = "v1" }
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    hint: artifacts and paths start at the root of the checkout
    "#);
}

#[test]
fn names_are_unique_and_releases_are_not_patched() {
    let quirk = "[[quirk]]\nwhy = \"w\"\nskip = true\n";
    assert_snapshot!(shown(&format!("{quirk}{quirk}{BENCHMARK}")), @r#"
    error: quirk `w` is given twice
     --> tacho.toml:5:7
      |
    5 | why = "w"
      |       ^^^
    "#);
    let releases =
        "[subject]\nreleases = [\"1\"]\nbuild = \"true\"\n[[quirk]]\nwhy = \"w\"\npatch = \"p\"\n";
    assert_snapshot!(shown(&format!("{releases}{BENCHMARK}")), @r#"
    error: `patch` cannot be used in a quirk of releases
     --> tacho.toml:6:1
      |
    6 | patch = "p"
      | ^^^^^
      |
    hint: `build` fetches releases: apply the patch in `build` or `before-build`
    "#);
}

#[test]
fn a_file_of_quirks_holds_nothing_else() {
    let subject = parse(&format!("[[quirk]]\nwhy = \"w\"\nskip = true\n{BENCHMARK}"), "tacho.toml")
        .unwrap()
        .subject;
    let read = |text: &str| parse_quirks(text, "quirks/old.toml", &subject);
    assert_eq!(read("[[quirk]]\nwhy = \"other\"\nskip = true\n").unwrap().len(), 1);
    assert_eq!(read("").unwrap(), []);
    let shown = |text: &str| read(text).unwrap_err().render(false);
    assert_snapshot!(shown("[[quirk]]\nwhy = \"w\"\nskip = true\n[subject]\nname = \"x\"\n"), @r#"
    error: quirk `w` is given twice
     --> quirks/old.toml:2:7
      |
    2 | why = "w"
      |       ^^^

    error: unknown key `subject` in the plan
     --> quirks/old.toml:4:2
      |
    4 | [subject]
      |  ^^^^^^^
      |
    hint: `subject` belongs in the plan
    "#);
}
