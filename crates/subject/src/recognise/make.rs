//! Projects with a Makefile and nothing else to go by.

use std::collections::BTreeMap;

use super::files::{Folder, has_ending, is_aside, is_plain};
use crate::recognise::recipe::{NamedProgram, Recipe};

/// Variables that by custom hold the program's name.
const CUSTOMARY: [&str; 9] =
    ["PROG", "PROGRAM", "PROGNAME", "TARGET", "BIN", "BINARY", "EXE", "EXECUTABLE", "OUTPUT"];

/// How deep variables and targets are followed; whoever nests deeper goes in circles.
const DEPTH: usize = 8;

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
pub(super) fn program(text: &str) -> Option<String> {
    let makefile = Makefile::read(&text.replace("\\\n", " "));
    let customary = || {
        let values = CUSTOMARY.iter().filter_map(|name| makefile.variables.get(*name));
        values
            .map(|value| makefile.expand(value, DEPTH))
            .find(|value| looks_like_program(value.trim()))
    };
    let goal = makefile.goal.as_ref()?;
    let made = makefile.follow(goal, DEPTH).or_else(customary)?;
    Some(made.trim().trim_start_matches("./").to_owned())
}

/// What a Makefile says, as far as it can be told without executing anything.
#[derive(Default)]
struct Makefile {
    variables: BTreeMap<String, String>,
    rules: BTreeMap<String, Rule>,
    phony: Vec<String>,
    /// What is made when nothing is asked for.
    goal: Option<String>,
}

/// How a target is made.
#[derive(Default)]
struct Rule {
    /// What it is made of, in words.
    needs: Vec<String>,
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
        let needs = self.expand(
            needs.trim_start_matches(':').split([';', '|']).next().unwrap_or_default(),
            DEPTH,
        );
        let needs: Vec<String> = needs.split_whitespace().map(str::to_owned).collect();
        for target in self.expand(targets, DEPTH).split_whitespace() {
            match target {
                ".PHONY" => self.phony.extend(needs.iter().cloned()),
                _ if target.contains('%') || (target.starts_with('.') && !target.contains('/')) => {
                }
                _ => {
                    self.goal.get_or_insert_with(|| target.to_owned());
                    let rule = self.rules.entry(target.to_owned()).or_default();
                    rule.needs.extend(needs.iter().cloned());
                    rule.has_recipe |= has_recipe;
                }
            }
        }
    }

    /// The text with its variables replaced by their values; what is not known, or a function, by
    /// nothing.
    fn expand(&self, text: &str, depth: usize) -> String {
        let starts = [text.find("$("), text.find("${")];
        let Some(start) = starts.into_iter().flatten().min().filter(|_| depth > 0) else {
            return text.to_owned();
        };
        let close = if text[start..].starts_with("$(") { ')' } else { '}' };
        let Some(length) = text[start..].find(close) else { return text[..start].to_owned() };
        let name = &text[start + 2..start + length];
        let value =
            self.variables.get(name).map_or(String::new(), |value| self.expand(value, depth - 1));
        let rest = self.expand(&text[start + length + 1..], depth - 1);
        format!("{}{value}{rest}", &text[..start])
    }

    /// The first program among what is made for a target: itself, or what it needs if it is no
    /// file.
    fn follow(&self, target: &str, depth: usize) -> Option<String> {
        let rule = self.rules.get(target)?;
        // What make knows by itself how to link needs no recipe.
        let is_linked = rule.needs.iter().any(|need| has_ending(need, "o") || need.contains(".c"));
        let is_made = rule.has_recipe || is_linked;
        let is_name = self.phony.iter().any(|phony| phony == target)
            || target == "all"
            || target == "default";
        if is_made && !is_name {
            return looks_like_program(target).then(|| target.to_owned());
        }
        rule.needs.iter().filter(|_| depth > 0).find_map(|need| self.follow(need, depth - 1))
    }
}

/// A variable's name and value, from a line that assigns one.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    let name = name.strip_prefix("export ").unwrap_or(name);
    let is_name = !name.is_empty() && !name.contains([' ', '\t', ':', '$', '(']);
    is_name.then(|| (name, value.trim()))
}

/// Whether a file of that name may be a program: no object, no library, nothing with another known
/// ending.
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
    use super::program;

    #[test]
    fn the_first_program_that_is_made_is_found() {
        for (text, wanted) in [
            ("prog: prog.o\n\nclean:\n\trm -f prog\n", Some("prog")),
            (
                "# a = b\nCC ?= cc\n.PHONY: all docs\nall: docs bin/prog\nbin/prog: x.c\n\tcc -o $@ x.c\n",
                Some("bin/prog"),
            ),
            (
                "OUT := out\nNAME=p\nall: ${OUT}/$(NAME)\n${OUT}/$(NAME): \\\n  a.o b.o\n",
                Some("out/p"),
            ),
            ("all: build\nbuild: lib.a tool\nlib.a: x.o\ntool: y.o\n", Some("tool")),
            ("PROG = hello\n.include <bsd.prog.mk>\nall: depend\n", Some("hello")),
            (
                "%.o: %.c\n.SUFFIXES:\nTARGET := ./run.exe\nall: sub\nsub:\n\t$(MAKE) -C sub $(TARGET)\n",
                Some("sub"),
            ),
            ("all: lib.so\nlib.so: x.o\n", None),
            ("A = $(A)$(A)\nall: $(A)\n", None),
            ("", None),
            ("x: $(shell echo\n\ttouch x\n", Some("x")),
        ] {
            assert_eq!(program(text).as_deref(), wanted, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in "([a-c$(){}:=# \t\n|%.\\\\]){0,60}") {
            let _ = program(&text);
        }
    }
}
