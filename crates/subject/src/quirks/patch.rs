//! Patches: read, looked through, applied.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::Output;

use tacho_record::Digest;

use crate::checkout::work::{CheckoutWork, WorkStop};
use crate::git::Git;
use crate::{SubjectError, files};

/// The fault of a hunk without context, whose lines may be in the file.
const BARE: &str = "has no lines of context, so git looks for it only at the end of the file: make \
                    the patch with context (`diff -u`, `git diff`)";

/// A patch in the format of `diff -u` or git.
#[derive(Clone, Debug)]
pub(crate) struct QuirkPatch {
    /// How it is called: its path as the plan has it, or as the user gave it.
    name: String,
    content: Vec<u8>,
    /// The files of the patch, as written in it: with the folder that git writes in front.
    files: Vec<String>,
    /// How many folders are in front of them, where headers of git say so.
    depth: Option<usize>,
    hunks: Vec<Hunk>,
}

/// A part of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    /// The file, as written in the patch.
    file: String,
    /// The number within its file, from 1.
    number: usize,
    /// The line that it begins at in the old file.
    line: u64,
    /// `@@ -12,7 +12,8 @@`.
    header: String,
    /// Whether the hunk has no context lines; added or removed files need none.
    is_bare: bool,
    /// The lines that it takes away.
    taken: Vec<String>,
}

impl Hunk {
    /// Whether a file with this content has the removed lines, one after the other.
    fn is_of(&self, content: &str) -> bool {
        let lines: Vec<&str> = content.split('\n').collect();
        self.taken.is_empty() || lines.windows(self.taken.len()).any(|lines| lines == self.taken)
    }
}

/// The largest patch that is read, in bytes: far more than people write or tools generate.
const LARGEST: u64 = 64 << 20;

impl QuirkPatch {
    /// Reads a patch of that name.
    pub fn read(file: &Path, name: &str) -> Result<Self, SubjectError> {
        let unreadable = |source| SubjectError::PatchUnreadable { path: file.to_owned(), source };
        let mut content = Vec::new();
        let opened = fs::File::open(file).map_err(unreadable)?;
        opened.take(LARGEST + 1).read_to_end(&mut content).map_err(unreadable)?;
        if content.len() as u64 > LARGEST {
            let why = format!("it is larger than {} MiB", LARGEST >> 20);
            return Err(unreadable(io::Error::new(io::ErrorKind::FileTooLarge, why)));
        }
        Self::parse(name, content)
    }

    /// Parses a patch, and checks that it stays inside the checkout.
    pub fn parse(name: &str, content: Vec<u8>) -> Result<Self, SubjectError> {
        let text = String::from_utf8_lossy(&content).into_owned();
        let (PatchNames { files, moved, depth }, hunks) = (PatchNames::of(&text), hunks(&text));
        if files.is_empty() && moved.is_empty() {
            return Err(SubjectError::NotAPatch { patch: name.to_owned() });
        }
        let outside = |file: &&String| !Path::new(file).components().all(is_inside);
        if let Some(file) = files.iter().chain(&moved).find(outside) {
            return Err(SubjectError::PatchEscapes { patch: name.to_owned(), path: file.clone() });
        }
        Ok(Self { name: name.to_owned(), content, files, depth, hunks })
    }

    /// The digest of all that it says.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.content)
    }

    /// Applies it to all files of that tree, or to none; nothing above the cache is looked at.
    pub fn apply(
        &self,
        cache: &Path,
        tree: &Path,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        work.log.note(&format!("applies {}", self.name))?;
        let output = self.execute(cache, tree)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        work.log.write(said.as_bytes()).map_err(SubjectError::cache("write", work.log.path()))?;
        let ends = self.ends(tree).map_or_else(String::new, |ends| format!("; {ends}"));
        let why = self.why(&said, |file| fs::read(self.path(tree, file)).ok());
        Err(WorkStop::failed(format!("patch `{}` does not apply: {why}{ends}", self.name)))
    }

    /// Has git apply it.
    fn execute(&self, cache: &Path, tree: &Path) -> Result<Output, SubjectError> {
        let copy = cache.join("applied.patch");
        fs::write(&copy, &self.content).map_err(SubjectError::cache("write", &copy))?;
        let git = Git::below(cache, tree);
        let strip = format!("-p{}", self.strip(tree));
        let output =
            git.output(&["apply", "--whitespace=nowarn", &strip, "--", &copy.to_string_lossy()])?;
        files::remove(&copy).map_err(SubjectError::cache("remove", &copy))?;
        Ok(output)
    }

    /// The fault of line ends that differ between the patch and a file of the tree, if so: no line
    /// then matches.
    fn ends(&self, tree: &Path) -> Option<String> {
        let dos = |content: &[u8]| content.windows(2).any(|pair| pair == b"\r\n");
        let in_patch = dos(&self.content);
        let strip = self.strip(tree);
        let otherwise = |name: &&String| {
            fs::read(self.path(tree, name)).is_ok_and(|content| dos(&content) != in_patch)
        };
        let file = self.files.iter().find(otherwise)?;
        let file = file.splitn(strip + 1, '/').nth(strip).unwrap_or(file);
        Some(if in_patch {
            format!("its lines end with CR LF, and those of `{file}` do not")
        } else {
            format!("the lines of `{file}` end with CR LF, and its own do not")
        })
    }

    /// The path in the tree of a file that the patch names.
    fn path(&self, tree: &Path, name: &str) -> PathBuf {
        let strip = self.strip(tree);
        tree.join(name.splitn(strip + 1, '/').nth(strip).unwrap_or(name))
    }

    /// How many folders are to be left out in front of its names: what headers of git say, else
    /// one, unless they are found without.
    fn strip(&self, tree: &Path) -> usize {
        let is_whole = |file: &String| !file.contains('/') || tree.join(file).exists();
        self.depth.unwrap_or_else(|| usize::from(!self.files.iter().any(is_whole)))
    }

    /// Git's reason, with its hunk; files are read by the names that the patch has.
    fn why(&self, said: &str, read: impl Fn(&str) -> Option<Vec<u8>>) -> String {
        let place = |line: &str| {
            let (file, line) = line.strip_prefix("error: patch failed: ")?.rsplit_once(':')?;
            let line: u64 = line.trim().parse().ok()?;
            let is_it = |hunk: &&Hunk| {
                hunk.line == line && (hunk.file == file || hunk.file.ends_with(&format!("/{file}")))
            };
            let hunk = self.hunks.iter().find(is_it)?;
            // Only where its lines are in the file is it for want of context that they are not
            // found.
            let content = read(&hunk.file);
            let is_there =
                content.is_none_or(|content| hunk.is_of(&String::from_utf8_lossy(&content)));
            let why = if hunk.is_bare && is_there { BARE } else { "finds other lines there" };
            Some(format!("hunk {} of `{file}` (`{}`) {why}", hunk.number, hunk.header))
        };
        let first = said.lines().find(|line| line.starts_with("error: ")).or(said.lines().next());
        let first =
            first.map_or("git says nothing", |line| line.trim_start_matches("error: ").trim());
        said.lines().find_map(place).unwrap_or_else(|| first.to_owned())
    }
}

fn is_inside(part: Component<'_>) -> bool {
    matches!(part, Component::CurDir | Component::Normal(_))
}

/// The names in the headers of a patch.
#[derive(Debug, Default)]
struct PatchNames {
    /// The files, each once, as on the lines `---`, `+++` and `diff --git`.
    files: Vec<String>,
    /// The renamed or copied files: git never writes a folder in front of these.
    moved: Vec<String>,
    /// How many folders are in front of the others, where a header of git says so.
    depth: Option<usize>,
}

impl PatchNames {
    fn of(text: &str) -> Self {
        let (mut names, mut in_hunk) = (Self::default(), RemainingLines::default());
        // The text after `diff --git`, and the name of its file until then.
        let (mut both, mut from) = ("", "");
        for line in text.lines().filter(|line| !in_hunk.takes(line)) {
            let after =
                |heads: [&str; 2]| heads.into_iter().find_map(|head| line.strip_prefix(head));
            if let Some(rest) = line.strip_prefix("diff --git ") {
                (both, from) = (rest, "");
                names.see_both(rest);
            } else if let Some(file) = after(["--- ", "+++ "]) {
                names.see(name(file));
            } else if let Some(old) = after(["rename from ", "copy from "]) {
                from = old;
                names.moved.push(name(old));
            } else if let Some(new) = after(["rename to ", "copy to "]) {
                names.moved.push(name(new));
                // These names are certain, while `a/x b/x` may be a rename without a folder in
                // front.
                names.depth = in_front_of_moved(both, from, new).or(names.depth);
            }
        }
        names
    }

    /// Takes both names of `a/x b/x`.
    fn see_both(&mut self, both: &str) {
        if let Some((old, new)) = halves(both) {
            self.depth = self.depth.or_else(|| in_front(old, new));
            self.see(name_of(old));
            self.see(name_of(new));
        } else if let Some((_, new)) =
            both.rsplit_once(' ').filter(|_| both.matches(' ').count() == 1)
        {
            self.see(name_of(new));
        }
    }

    fn see(&mut self, name: String) {
        if name != "/dev/null" && !name.is_empty() && !self.files.contains(&name) {
            self.files.push(name);
        }
    }
}

/// Splits two names of the same length, which may have spaces; for one file both are equal.
fn halves(both: &str) -> Option<(&str, &str)> {
    let (old, new) = both.split_at_checked(both.len() / 2)?;
    Some((old, new.strip_prefix(' ')?)).filter(|(old, new)| old.len() == new.len())
}

/// How many folders git wrote in front of both names of one file: 0 if they are the same
/// (`--no-prefix`), one where they differ in it (`a/` and `b/`, or `i/` and `w/`).
fn in_front(old: &str, new: &str) -> Option<usize> {
    let without = |name| str::split_once(name, '/').map(|(_, rest)| rest);
    let is_one_below = || without(old).is_some() && without(old) == without(new);
    if old == new { Some(0) } else { is_one_below().then_some(1) }
}

/// The same where a file is renamed or copied, by its names without.
fn in_front_of_moved(both: &str, from: &str, to: &str) -> Option<usize> {
    // Quotes around a name are the same with and without a folder in front.
    let plain = |text: &str| text.trim_end().replace('"', "");
    let (both, from, to) = (plain(both), plain(from), plain(to));
    let is_one_below = || {
        let (_, rest) = both.split_once('/')?;
        let middle = rest.strip_prefix(&from)?.strip_prefix(' ')?.strip_suffix(&to)?;
        middle.strip_suffix('/').filter(|folder| !folder.contains('/'))
    };
    if both == format!("{from} {to}") { Some(0) } else { is_one_below().map(|_| 1) }
}

/// A name in a header: what follows a tab is a date.
fn name(text: &str) -> String {
    name_of(text.split('\t').next().unwrap_or(text))
}

fn name_of(text: &str) -> String {
    text.trim().trim_matches('"').to_owned()
}

/// How many lines of a hunk are still to come, so that `--- ` in it is no header.
#[derive(Default)]
struct RemainingLines {
    old: u64,
    new: u64,
}

impl RemainingLines {
    /// Whether the line belongs to a hunk.
    fn takes(&mut self, line: &str) -> bool {
        if self.old == 0 && self.new == 0 {
            if let Some((_, old, new)) = numbers(line) {
                *self = Self { old, new };
            }
            return line.starts_with("@@ ");
        }
        match line.bytes().next() {
            Some(b'-') => self.old = self.old.saturating_sub(1),
            Some(b'+') => self.new = self.new.saturating_sub(1),
            Some(b'\\') => {}
            _ => *self = Self { old: self.old.saturating_sub(1), new: self.new.saturating_sub(1) },
        }
        true
    }
}

/// The old line and both lengths of `@@ -12,7 +12,8 @@`.
fn numbers(line: &str) -> Option<(u64, u64, u64)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut range = |sign| {
        let range = words.next()?.strip_prefix(sign)?;
        // A single line is written without its number.
        let (start, length) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    let (line_at, old): (u64, u64) = range('-')?;
    let (_, new): (u64, u64) = range('+')?;
    Some((line_at, old, new))
}

fn hunks(text: &str) -> Vec<Hunk> {
    let (mut file, mut number) = (String::new(), 0);
    let (mut old, mut hunks) = (String::new(), Vec::<Hunk>::new());
    let mut left = RemainingLines::default();
    // A carriage return is part of its line: a file without has other ones.
    for line in text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line)) {
        let header = line.starts_with("@@ ") && left.old == 0 && left.new == 0;
        if left.takes(line) && !header {
            let is_context = !line.starts_with(['-', '+', '\\']);
            if let Some(hunk) = hunks.last_mut() {
                hunk.is_bare &= !is_context;
                hunk.taken.extend(line.strip_prefix('-').map(str::to_owned));
            }
            continue;
        }
        if let Some((line_at, _, _)) = numbers(line).filter(|_| header) {
            number += 1;
            let end = line[3..].find("@@").map_or(line.trim_end().len(), |at| at + 5);
            let header = line[..end].to_owned();
            let is_bare = !header.contains(" -0,0 ") && !header.contains(" +0,0 ");
            hunks.push(Hunk {
                file: file.clone(),
                number,
                line: line_at,
                header,
                is_bare,
                taken: Vec::new(),
            });
        } else if let Some(from) = line.strip_prefix("--- ") {
            old = name(from);
        } else if let Some(to) = line.strip_prefix("+++ ") {
            let new = name(to);
            file = if new == "/dev/null" { old.clone() } else { new };
            number = 0;
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_patch_without_end_is_refused() {
        let error = QuirkPatch::read(Path::new("/dev/zero"), "zero").unwrap_err().to_string();
        assert!(error.ends_with("it is larger than 64 MiB"), "{error}");
    }

    const PATCH: &str = "\
diff --git a/src/x.c b/src/x.c
index 1..2 100644
--- a/src/x.c
+++ b/src/x.c
@@ -1,3 +1,3 @@ int main
 one
+#include <stdint.h>
 two
--- three
@@ -12,2 +13,2 @@
-a
+b
 c
--- a/y.c\t2017-01-01
+++ /dev/null
@@ -1 +0,0 @@
-gone
";

    fn parse(text: &str) -> Result<QuirkPatch, SubjectError> {
        QuirkPatch::parse("p.patch", text.as_bytes().to_vec())
    }

    #[test]
    fn files_and_hunks_are_found() {
        let patch = parse(PATCH).unwrap();
        assert_eq!(patch.files, ["a/src/x.c", "b/src/x.c", "a/y.c"]);
        let hunks: Vec<_> =
            patch.hunks.iter().map(|hunk| (hunk.file.as_str(), hunk.number, hunk.line)).collect();
        assert_eq!(hunks, [("b/src/x.c", 1, 1), ("b/src/x.c", 2, 12), ("a/y.c", 1, 1)]);
        assert_eq!(patch.hunks[0].header, "@@ -1,3 +1,3 @@");
        let said = "error: patch failed: src/x.c:12\nerror: src/x.c: patch does not apply\n";
        let why = |said: &str| patch.why(said, |_| None);
        assert_eq!(why(said), "hunk 2 of `src/x.c` (`@@ -12,2 +13,2 @@`) finds other lines there");
        assert_eq!(
            why("error: src/x.c: No such file or directory\n"),
            "src/x.c: No such file or directory"
        );
    }

    #[test]
    fn a_hunk_without_context_is_told_from_one_of_other_lines() {
        let patch = parse(PATCH).unwrap();
        assert_eq!(
            patch.hunks.iter().map(|hunk| hunk.is_bare).collect::<Vec<_>>(),
            [false, false, false]
        );
        let bare =
            parse("--- a/x\n+++ b/x\n@@ -3 +3 @@\n-old\n+new\n@@ -5,0 +6 @@\n+more\n").unwrap();
        assert_eq!(bare.hunks.iter().map(|hunk| hunk.is_bare).collect::<Vec<_>>(), [true, true]);
        let why = |line: u32, content: &str| {
            let said = format!("error: patch failed: x:{line}\nerror: x: patch does not apply\n");
            bare.why(&said, |name| (name == "b/x").then(|| content.as_bytes().to_vec()))
        };
        let first = "hunk 1 of `x` (`@@ -3 +3 @@`)";
        // It is for want of context only where the line is there.
        assert_eq!(why(3, "one\nold\nthree\n"), format!("{first} {BARE}"));
        assert_eq!(why(3, "one\nnew\nthree\n"), format!("{first} finds other lines there"));
        assert_eq!(why(3, "one\nold\r\n"), format!("{first} finds other lines there"));
        let dos = parse("--- a/x\r\n+++ b/x\r\n@@ -3 +3 @@\r\n-old\r\n+new\r\n").unwrap();
        assert_eq!(
            (dos.hunks[0].taken[0].as_str(), dos.hunks[0].header.as_str()),
            ("old\r", "@@ -3 +3 @@")
        );
        assert_eq!(why(5, "one\n"), format!("hunk 2 of `x` (`@@ -5,0 +6 @@`) {BARE}"));
    }

    /// What may be done to the files of [`base`]: by a shell, in its folder.
    const CHANGES: [&str; 14] = [
        "echo more >> x.c",
        "echo more >> sub/y.c",
        "echo more >> a/x.c",
        "chmod +x a/x.c",
        "git mv x.c z.c; echo more >> z.c",
        "git mv sub/y.c sub/z.c",
        "git mv a/only b/only",
        "mkdir new; git mv sub/y.c new/z.c; echo more >> new/z.c; echo more >> x.c",
        "cp sub/y.c sub/copy.c; echo more >> sub/copy.c; echo more >> sub/y.c",
        "echo new > new.c; echo new > sub/new.c",
        "rm x.c a/x.c",
        "printf '\\0\\1\\4' > sub/binary",
        "chmod +x 'two words' 'sub/two words'; git mv 'sub/two words' 'sub/three more words'",
        "chmod +x sub/caf\u{e9}.c; git mv 'sub/a\"b.c' 'sub/c\"d.c'; echo more >> 'sub/c\"d.c'",
    ];

    /// How `git diff` may be asked to write it.
    const ASKED: [&[&str]; 5] = [
        &[],
        &["--no-prefix"],
        &["-C", "--find-copies-harder"],
        &["-C", "--find-copies-harder", "--no-prefix"],
        &["--no-renames", "--src-prefix=i/", "--dst-prefix=w/"],
    ];

    fn shell(folder: &Path, script: &str) -> String {
        let mut shell = std::process::Command::new("sh");
        for variable in crate::git::REPOSITORY_VARIABLES {
            shell.env_remove(variable);
        }
        shell.env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
        let output = shell.current_dir(folder).args(["-euc", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A repository with files of which some are at the top and in the folders `a` and `b` as well.
    fn base() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let script = "git init -q; git config user.name x; git config user.email x; git config \
            core.fileMode true
            mkdir a b sub; for name in x.c a/x.c b/x.c a/only sub/y.c 'two words' 'sub/two words' sub/caf\u{e9}.c 'sub/a\"b.c'
            do { echo \"$name\"; seq 20; } > \"$name\"; done; printf '\\0\\1\\2' > sub/binary
            git add -A; git commit -qm base";
        shell(folder.path(), script);
        folder
    }

    #[test]
    fn what_git_writes_is_applied() {
        let (folder, cache) = (base(), tempfile::tempdir().unwrap());
        let tree = folder.path();
        for change in CHANGES {
            shell(tree, &format!("{change}; git add -A"));
            let changed = shell(tree, "git write-tree");
            let mut diffs = Vec::new();
            for asked in ASKED {
                let ask = [&["diff", "--binary", "--cached"], asked].concat();
                diffs.push((asked, Git::new(tree).read(&ask).unwrap()));
            }
            shell(tree, "git reset -q --hard; git clean -fdq");
            for (asked, diff) in diffs {
                let text = String::from_utf8_lossy(&diff).into_owned();
                let patch = QuirkPatch::parse("p.diff", diff).unwrap();
                let output = patch.execute(cache.path(), tree).unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{change} {asked:?}: {said}\n{text}");
                let applied =
                    shell(tree, "git add -A; git write-tree; git reset -q --hard; git clean -fdq");
                assert_eq!(applied, changed, "{change} {asked:?}\n{text}");
            }
        }
    }

    #[test]
    fn folders_in_front_are_told_by_what_git_writes() {
        let depth = |text: &str| PatchNames::of(text).depth;
        let moved = |both: &str, from: &str, to: &str| {
            depth(&format!("diff --git {both}\nrename from {from}\nrename to {to}\n"))
        };
        assert_eq!(moved("a/x.c b/z.c", "x.c", "z.c"), Some(1));
        assert_eq!(
            moved("a/x.c b/x.c", "a/x.c", "b/x.c"),
            Some(0),
            "renamed, without a folder in front"
        );
        assert_eq!(moved("a/a/x.c b/b/x.c", "a/x.c", "b/x.c"), Some(1));
        assert_eq!(moved("\"a/\\303.c\" b/z.c", "\"\\303.c\"", "z.c"), Some(1));
        assert_eq!(
            depth("diff --git a/one two b/one two\nold mode 100644\nnew mode 100755\n"),
            Some(1)
        );
        assert_eq!(depth("diff --git one two one two\n"), Some(0));
        assert_eq!(depth("diff --git\ndiff --git \ndiff --git x\ndiff --git x y\n"), None);
        assert_eq!(depth("--- a/x\n+++ b/x\n"), None);
    }

    #[test]
    fn what_leads_out_of_the_checkout_is_no_patch() {
        for name in ["../x", "/etc/passwd", "a/../../x"] {
            let text = format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-a\n+b\n");
            assert!(matches!(parse(&text), Err(SubjectError::PatchEscapes { .. })), "{name}");
        }
        let rename =
            "diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to ../../x\n";
        assert!(matches!(parse(rename), Err(SubjectError::PatchEscapes { .. })));
        assert!(matches!(parse("hello\n"), Err(SubjectError::NotAPatch { .. })));
        assert!(matches!(parse(""), Err(SubjectError::NotAPatch { .. })));
    }

    proptest! {
        #[test]
        fn whatever_it_is_it_is_looked_through(
            text in "(?s).{0,400}|(--- |\\+\\+\\+ |@@ -|[0-9,+ @-]|a/x|\n){0,60}",
        ) {
            let _ = parse(&text).map(|patch| patch.why(&text, |_| Some(text.clone().into_bytes())));
        }
    }
}
