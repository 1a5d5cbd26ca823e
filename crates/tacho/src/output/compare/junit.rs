//! The file of `tacho compare --junit`: a test case for each row, as CI systems show them.

use std::fmt::Write;

use tacho_experiment::compare::{ComparisonData, ComparisonResult};
use tacho_report::block::AnswerCell;
use tacho_report::comparison::{ComparedRow, in_order};

use crate::output::compare::report::{CompareReport, FailOnGate};

impl CompareReport<'_> {
    /// The rows as test cases in the XML of `JUnit`. A row fails where `--fail-on` fails on it, and
    /// is an error where a side has no values.
    pub fn junit(&self) -> String {
        let cases: Vec<Case> = match self.compared {
            ComparisonResult::Measured(all) => {
                let rows = in_order(&all.rows).into_iter().map(|row| self.case(all, row));
                rows.chain(self.missing()).collect()
            }
            ComparisonResult::NotBuilt { side, why, .. } => {
                vec![Case {
                    name: format!("{side} builds"),
                    end: CaseResult::Error(why.clone()),
                    words: String::new(),
                }]
            }
            ComparisonResult::Interrupted | ComparisonResult::SameProgram => Vec::new(),
        };
        // CI systems take a file without any test for a failure of the upload, or hide it.
        let cases = if cases.is_empty() { vec![self.nothing_judged()] } else { cases };
        let count =
            |is_it: fn(&CaseResult) -> bool| cases.iter().filter(|case| is_it(&case.end)).count();
        let (failures, errors, skipped) = (
            count(|end| matches!(end, CaseResult::Failed(_))),
            count(|end| matches!(end, CaseResult::Error(_))),
            count(|end| matches!(end, CaseResult::Skipped(_))),
        );
        let [a, b] = self.names().map(|name| escaped(&name));
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"tacho: \
             {b} against {a}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" \
             skipped=\"{skipped}\">\n",
            cases.len()
        );
        for case in &cases {
            case.write(&mut out);
        }
        out + "  </testsuite>\n</testsuites>\n"
    }

    /// The only test case without rows, with the reason.
    fn nothing_judged(&self) -> Case {
        let why = self.why_no_rows();
        Case { name: "comparison".to_owned(), end: CaseResult::Skipped(why), words: String::new() }
    }

    /// The benchmarks of the first side only, where `--fail-on` fails on them.
    fn missing(&self) -> impl Iterator<Item = Case> {
        let fails = self.fail_on.is_some_and(|it| it.gate.missing);
        let why = format!("only {} has it", self.names()[0]);
        let names = self.lone[0].iter().filter(move |_| fails);
        names.map(move |name| Case {
            name: name.clone(),
            end: CaseResult::Failed(why.clone()),
            words: String::new(),
        })
    }

    fn case(&self, all: &ComparisonData, row: &ComparedRow) -> Case {
        let cells: Vec<String> =
            self.worded(all).cells(row).iter().map(AnswerCell::whole).collect();
        let words: Vec<&str> = [5, 6, 7, 12]
            .iter()
            .map(|at| cells[*at].as_str())
            .filter(|cell| !cell.is_empty())
            .collect();
        let words = words.join("  ");
        let fails = |fail_on: &FailOnGate| {
            self.status(row).is_some_and(|status| fail_on.gate.fails_on(status))
        };
        let end = match self.fail_on {
            _ if row.is_error() => CaseResult::Error(cells[12].clone()),
            Some(fail_on) if fails(fail_on) => CaseResult::Failed(words.clone()),
            _ => CaseResult::Passed,
        };
        Case { name: row.name(), end, words }
    }
}

/// A test case.
struct Case {
    name: String,
    end: CaseResult,
    /// The measurements, in a line.
    words: String,
}

/// How a test case ended.
enum CaseResult {
    Error(String),
    Failed(String),
    Passed,
    /// The row was not judged, for this reason.
    Skipped(String),
}

impl Case {
    fn write(&self, out: &mut String) {
        let Self { name, end, words } = self;
        let _ = writeln!(out, "    <testcase classname=\"tacho\" name=\"{}\">", escaped(name));
        let _ = match end {
            CaseResult::Error(why) => writeln!(out, "      <error message=\"{}\"/>", escaped(why)),
            CaseResult::Failed(why) => {
                writeln!(out, "      <failure message=\"{}\"/>", escaped(why))
            }
            CaseResult::Skipped(why) => {
                writeln!(out, "      <skipped message=\"{}\"/>", escaped(why))
            }
            CaseResult::Passed => Ok(()),
        };
        if !words.is_empty() {
            let _ = writeln!(out, "      <system-out>{}</system-out>", escaped(words));
        }
        out.push_str("    </testcase>\n");
    }
}

/// Text as XML has it, in an attribute too.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
