//! Reads what `git log` prints.

use jiff::Timestamp;

use super::dag::DagEntry;
use crate::SubjectError;
use crate::git::Git;

/// A zero byte before each field but the files; otherwise the rest of a record could not be
/// distinguished from the files.
const FORMAT: &str = "--format=format:%x00%H%x00%P%x00%aN%x00%ct%x00%s";

/// The commits that these have in their history and the excluded one does not, in one process.
pub(super) fn read(
    git: &Git,
    tips: &[String],
    below: Option<&String>,
) -> Result<Vec<DagEntry>, SubjectError> {
    let mut arguments = vec![
        "log",
        "-z",
        "--name-only",
        "--no-renames",
        "--no-diff-merges",
        "--no-ext-diff",
        "--no-color",
        "--no-show-signature",
        "--ignore-submodules=none",
        "--encoding=UTF-8",
        FORMAT,
    ];
    let below = below.map(|id| format!("^{id}"));
    arguments.extend(tips.iter().map(String::as_str));
    arguments.extend(below.as_deref());
    arguments.push("--");
    let text = git.read(&arguments)?;
    parse(&text).ok_or_else(|| SubjectError::Git {
        command: "log".to_owned(),
        why: "its output is not understood".to_owned(),
    })
}

/// The records: each five fields with a zero byte before them, then, where there are any, a line
/// feed and the files with a zero byte between them. Between records are one or two zero bytes. No
/// file has an empty name.
pub(crate) fn parse(text: &[u8]) -> Option<Vec<DagEntry>> {
    let mut fields = text.split(|&byte| byte == 0).peekable();
    let mut entries = Vec::new();
    loop {
        while fields.next_if(|field| field.is_empty()).is_some() {}
        let Some(id) = fields.next() else { return Some(entries) };
        let mut entry = DagEntry {
            id: lossy(id),
            parents: lossy(fields.next()?).split_whitespace().map(str::to_owned).collect(),
            author: lossy(fields.next()?),
            date: date(fields.next()?),
            subject: String::new(),
            files: Vec::new(),
        };
        let subject = fields.next()?;
        let end = subject.iter().position(|&byte| byte == b'\n');
        entry.subject = lossy(&subject[..end.unwrap_or(subject.len())]);
        if let Some(end) = end {
            entry.files.push(lossy(&subject[end + 1..]));
            entry.files.extend(
                std::iter::from_fn(|| fields.next_if(|field| !field.is_empty())).map(lossy),
            );
        }
        entries.push(entry);
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Seconds since 1970; a commit's date may be nonsense.
fn date(field: &[u8]) -> Option<Timestamp> {
    let seconds = std::str::from_utf8(field).ok()?.parse().ok()?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The entry as git prints it, without the separator.
    fn print(entry: &DagEntry) -> String {
        let date = entry.date.map(|date| date.as_second().to_string()).unwrap_or_default();
        let parents = entry.parents.join(" ");
        let mut text =
            format!("\0{}\0{parents}\0{}\0{date}\0{}", entry.id, entry.author, entry.subject);
        if !entry.files.is_empty() {
            text += &format!("\n{}\0", entry.files.join("\0"));
        }
        text
    }

    fn entry() -> impl Strategy<Value = DagEntry> {
        let id = "[0-9a-f]{40}";
        let date = proptest::option::of(0_i64..4_000_000_000);
        let files = prop::collection::vec("[^\0]{1,12}", 0..4);
        (id, prop::collection::vec(id, 0..3), "[^\0\n]{0,9}", date, "[^\0\n]{0,9}", files).prop_map(
            |(id, parents, author, date, subject, files)| {
                let date = date.map(|date| Timestamp::from_second(date).unwrap());
                DagEntry { id, parents, author, date, subject, files }
            },
        )
    }

    proptest! {
        #[test]
        fn what_git_prints_is_read(entries in prop::collection::vec(entry(), 0..6)) {
            let text = entries.iter().map(print).collect::<Vec<_>>().join("\0");
            prop_assert_eq!(parse(text.as_bytes()), Some(entries));
        }

        #[test]
        fn anything_else_is_no_panic(
            text in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 0..200),
        ) {
            let _ = parse(&text);
        }
    }
}
