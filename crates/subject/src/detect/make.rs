//! Projects with a Makefile and nothing else to go by.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::files::{Folder, has_ending, is_aside, is_plain};
use crate::detect::recipe::{NamedProgram, Recipe};

/// Variables that by custom hold the program's name.
const CUSTOMARY: [&str; 9] =
    ["PROG", "PROGRAM", "PROGNAME", "TARGET", "BIN", "BINARY", "EXE", "EXECUTABLE", "OUTPUT"];

/// How deep variables are nested; what nests deeper goes in circles.
const DEPTH: usize = 8;

/// How much work a Makefile may cause beyond one look at each line: bytes of variables' values put
/// into text, and needs of targets. A few lines could ask for any amount.
const EFFORT: usize = 1 << 20;

pub(super) fn recognise(folder: &Folder) -> Option<Recipe> {
    let makefile =
        ["GNUmakefile", "makefile", "Makefile"].iter().find_map(|name| folder.read(name))?;
    Some(Recipe {
        what: "a project with a Makefile",
        build: Some("make -j{jobs}".to_owned()),
        notes: Vec::new(),
        program: program(&makefile).map(|path| NamedProgram::with_help(&path)),
    })
}

/// The program that a Makefile makes first, or that its customary variables name.
pub(crate) fn program(text: &str) -> Option<String> {
    let makefile = Makefile::read(&text.replace("\\\n", " "));
    let customary = || {
        let values = CUSTOMARY.iter().filter_map(|name| makefile.variables.get(*name));
        values.map(|value| makefile.expand(value)).find(|value| looks_like_program(value.trim()))
    };
    let goal = makefile.goal.as_ref()?;
    let made = makefile.follow(goal).or_else(customary)?;
    Some(made.trim().trim_start_matches("./").to_owned())
}

/// The content of a Makefile, as far as known without executing anything.
#[derive(Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: BTreeMap<String, MakeRule>,
    phony: BTreeSet<String>,
    /// The default goal.
    goal: Option<String>,
    /// The part of [`EFFORT`] that is used up.
    used: Cell<usize>,
}

/// How a target is made.
#[derive(Default)]
struct MakeRule {
    /// Its prerequisites, in words: those of each line, which all targets of the line share.
    needs: Vec<Rc<[String]>>,
    has_recipe: bool,
}

impl Makefile {
    fn read(text: &str) -> Self {
        let mut makefile = Self::default();
        let lines: Vec<&str> =
            text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
        for line in lines.iter().filter(|line| !line.starts_with('\t')) {
            if let Some((name, value)) = assignment(line) {
                makefile.variables.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
        for (index, line) in lines.iter().enumerate() {
            let next_is_recipe = lines.get(index + 1).is_some_and(|next| next.starts_with('\t'));
            if !line.starts_with('\t') && assignment(line).is_none() {
                makefile.rule(line, next_is_recipe || line.contains(';'));
            }
        }
        makefile.goal = makefile.variables.get(".DEFAULT_GOAL").cloned().or(makefile.goal);
        makefile
    }

    fn rule(&mut self, line: &str, has_recipe: bool) {
        let Some((targets, needs)) = line.split_once(':') else { return };
        let needs = needs.trim_start_matches(':').split([';', '|']).next().unwrap_or_default();
        let needs: Rc<[String]> =
            self.expand(needs).split_whitespace().map(str::to_owned).collect();
        let targets = self.expand(targets);
        if targets.split_whitespace().any(|target| target == ".PHONY") {
            self.phony.extend(needs.iter().cloned());
        }
        for target in targets.split_whitespace() {
            if target.contains('%') || (target.starts_with('.') && !target.contains('/')) {
                continue;
            }
            self.goal.get_or_insert_with(|| target.to_owned());
            let rule = self.rules.entry(target.to_owned()).or_default();
            rule.needs.push(Rc::clone(&needs));
            rule.has_recipe |= has_recipe;
        }
    }

    /// Whether the budget allows this amount of work, which then counts as done.
    fn affords(&self, work: usize) -> bool {
        let used = self.used.get().saturating_add(work);
        let is_within = used <= EFFORT;
        if is_within {
            self.used.set(used);
        }
        is_within
    }

    /// The text with its variables replaced by their values; what is not known, or a function, by
    /// nothing.
    fn expand(&self, text: &str) -> String {
        let mut expanded = String::new();
        self.expand_into(&mut expanded, text, DEPTH);
        expanded
    }

    fn expand_into(&self, expanded: &mut String, text: &str, depth: usize) {
        let mut rest = text;
        while let Some((before, close, after)) = reference(rest) {
            expanded.push_str(before);
            let Some((name, after)) = after.split_once(close) else { return };
            let value = self.variables.get(name).filter(|_| depth > 0);
            if let Some(value) = value.filter(|value| self.affords(value.len() + 1)) {
                self.expand_into(expanded, value, depth - 1);
            }
            rest = after;
        }
        expanded.push_str(rest);
    }

    /// The first program among what is made for a target: itself, or what it needs if it is no
    /// file.
    fn follow(&self, goal: &str) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![goal];
        while let Some(target) = open.pop() {
            let Some(rule) = self.rules.get(target).filter(|_| seen.insert(target)) else {
                continue;
            };
            if !self.affords(rule.needs.iter().map(|line| line.len()).sum()) {
                return None;
            }
            if !self.is_file(target, rule) {
                // The last is looked at first.
                let needs = rule.needs.iter().rev().flat_map(|line| line.iter().rev());
                open.extend(needs.map(String::as_str));
            } else if looks_like_program(target) {
                return Some(target.to_owned());
            }
        }
        None
    }

    /// Whether a rule makes a file of that name.
    fn is_file(&self, target: &str, rule: &MakeRule) -> bool {
        // A file that make links by a built-in rule needs no recipe.
        let is_part = |need: &String| has_ending(need, "o") || need.contains(".c");
        let is_linked = || rule.needs.iter().flat_map(|line| line.iter()).any(is_part);
        let is_name = self.phony.contains(target) || target == "all" || target == "default";
        !is_name && (rule.has_recipe || is_linked())
    }
}

/// The first reference to a variable: the text before it, the letter that ends it, and the text
/// after its beginning.
fn reference(text: &str) -> Option<(&str, char, &str)> {
    text.match_indices('$').find_map(|(at, _)| {
        let after = &text[at + 1..];
        let close = match after.chars().next()? {
            '(' => ')',
            '{' => '}',
            _ => return None,
        };
        Some((&text[..at], close, &after[1..]))
    })
}

/// A variable's name and value, from a line that assigns one.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    let name = name.strip_prefix("export ").unwrap_or(name);
    let is_name = !name.is_empty() && !name.contains([' ', '\t', ':', '$', '(']);
    is_name.then(|| (name, value.trim()))
}

/// Whether a file of that name may be a program: it is no object, no library, and has no other
/// known ending.
fn looks_like_program(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_plain(path)
        && !name.is_empty()
        && !is_aside(name)
        && matches!(ending, "" | "bin" | "elf" | "exe" | "out")
}

#[cfg(test)]
mod tests {
    use super::{EFFORT, Makefile, program};

    #[test]
    fn the_first_program_that_is_made_is_found() {
        for (text, wanted) in [
            ("prog: prog.o\n\nclean:\n\trm -f prog\n", Some("prog")),
            (
                "# a = b\nCC ?= cc\n.PHONY: all docs\nall: docs bin/prog\nbin/prog: x.c\n\tcc -o \
                 $@ x.c\n",
                Some("bin/prog"),
            ),
            (
                "OUT := out\nNAME=p\nall: ${OUT}/$(NAME)\n${OUT}/$(NAME): \\\n  a.o b.o\n",
                Some("out/p"),
            ),
            ("all: build\nbuild: lib.a tool\nlib.a: x.o\ntool: y.o\n", Some("tool")),
            ("PROG = hello\n.include <bsd.prog.mk>\nall: depend\n", Some("hello")),
            (
                "%.o: %.c\n.SUFFIXES:\nTARGET := ./run.exe\nall: sub\nsub:\n\t$(MAKE) -C sub \
                 $(TARGET)\n",
                Some("sub"),
            ),
            ("all: lib.so\nlib.so: x.o\n", None),
            ("A = $(A)$(A)\nall: $(A)\n", None),
            ("P = p\nall: $(A)$(A)$(A)$(A)$(A)$(A)$(A)$(A)$(P)\np: p.o\n", Some("p")),
            ("", None),
            ("x: $(shell echo\n\ttouch x\n", Some("x")),
        ] {
            assert_eq!(program(text).as_deref(), wanted, "{text}");
        }
    }

    /// A text that asks for more work than a machine can do, and how much is done for it.
    fn work(text: &str) -> usize {
        let makefile = Makefile::read(text);
        let _ = makefile.goal.as_ref().and_then(|goal| makefile.follow(goal));
        let held = makefile.rules.values().map(|rule| rule.needs.len()).sum::<usize>();
        assert!(held <= text.len() + EFFORT);
        makefile.used.get()
    }

    #[test]
    fn a_target_that_needs_itself_in_many_ways_is_followed_once() {
        let needs = "a b c d e f g h i j k l m n o p q r s t ".repeat(20);
        let targets = "a b c d e f g h i j k l m n o p q r s t";
        let text = format!("all: {needs}\n{targets}: {needs}\n");
        assert_eq!(work(&text), 21 * 400);
    }

    #[test]
    fn variables_that_grow_are_replaced_up_to_a_bound() {
        let nested = |last: &str| {
            let names = ["A", "B", "C", "D", "E", "F", "G"];
            let line =
                |two: &[&str]| format!("{} = {}\n", two[0], format!("$({})", two[1]).repeat(99));
            let lines: String = names.windows(2).map(line).collect();
            format!("{lines}G = {last}\nall: $(A)\n\t$(A)\n")
        };
        // Whether anything comes of it or not.
        for text in [nested("x "), nested("")] {
            assert!(work(&text) <= EFFORT);
            assert!(Makefile::read(&text).expand("$(A)").len() <= EFFORT);
        }
        let text =
            format!("A = {}\n{}", "x ".repeat(1 << 15), "$(A) .PHONY: $(A)\n".repeat(1 << 15));
        assert!(work(&text) <= EFFORT);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "([a-c$(){}:=# \t\n|%.\\\\]){0,60}") {
            let _ = program(&text);
        }
    }
}
