//! Revisions and what they changed, in words.

use tacho_record::Commit;

use crate::words::grouped;

/// The numbers of a file of CVS before and after a commit: `1.4 to 1.5`; `None` for other systems.
#[must_use]
pub fn numbers(commit: &Commit, file: &str) -> Option<String> {
    match commit.numbers.get(file)? {
        [Some(old), Some(new)] => Some(format!("{old} to {new}")),
        [None, Some(new)] => Some(format!("new as {new}")),
        [Some(old), None] => Some(format!("removed after {old}")),
        [None, None] => None,
    }
}

/// A file of a commit; of CVS with its numbers: `prog.c 1.4 to 1.5`.
#[must_use]
pub fn numbered(commit: &Commit, file: &str) -> String {
    numbers(commit, file).map_or_else(|| file.to_owned(), |numbers| format!("{file} {numbers}"))
}

/// The rest of a list of commits: `and 12 older ones`.
#[must_use]
pub fn older_commits(more: usize) -> String {
    format!("and {} older ones", grouped(more))
}

/// The address of a revision by the plan's template; `None` if it would not be an `http` address.
#[must_use]
pub fn link(template: Option<&str>, id: &str) -> Option<String> {
    let template = template?;
    let id = in_address(id);
    let is_of_revisions = is_web(template) && !template.contains("{file}");
    is_of_revisions.then(|| template.replace("{commit}", &id).replace("{release}", &id))
}

/// The address at which can be seen what a commit of CVS did to a file, where the template is of
/// files and the file was there before and after.
#[must_use]
pub fn file_link(template: Option<&str>, commit: &Commit, file: &str) -> Option<String> {
    let template = template.filter(|template| is_web(template) && template.contains("{file}"))?;
    let [Some(old), Some(new)] = commit.numbers.get(file)? else { return None };
    let path: Vec<String> = file.split('/').map(in_address).collect();
    let filled =
        [("{file}", path.join("/")), ("{old}", in_address(old)), ("{new}", in_address(new))];
    let filled = filled.into_iter().chain([("{commit}", in_address(&commit.id))]);
    Some(filled.fold(template.to_owned(), |text, (name, value)| text.replace(name, &value)))
}

fn is_web(template: &str) -> bool {
    template.starts_with("https://") || template.starts_with("http://")
}

/// Text as a part of an address: all but plain characters as `%XX` (RFC 3986).
fn in_address(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+".contains(&byte);
    let encoded = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_cvs_is_linked_where_it_was_there_before_and_after() {
        let number = |text: &str| Some(text.to_owned());
        let numbers = [
            ("sub/a b.c".to_owned(), [number("1.4"), number("1.5")]),
            ("new.c".to_owned(), [None, number("1.1")]),
        ];
        let commit = Commit {
            id: "2016-07-13T12:30:42Z-0123456789".into(),
            order: 1,
            author: String::new(),
            date: None,
            subject: String::new(),
            files: Vec::new(),
            numbers: numbers.into(),
        };
        let template = Some("https://e.org/src/{file}.diff?r1={old}&r2={new}");
        let linked = |file: &str| file_link(template, &commit, file);
        assert_eq!(
            linked("sub/a b.c").as_deref(),
            Some("https://e.org/src/sub/a%20b.c.diff?r1=1.4&r2=1.5")
        );
        assert_eq!((linked("new.c"), linked("other")), (None, None));
        assert_eq!(link(template, &commit.id), None);
        let of_commits = Some("https://e.org/{commit}");
        assert_eq!(file_link(of_commits, &commit, "sub/a b.c"), None);
    }

    #[test]
    fn only_web_addresses_become_links() {
        assert_eq!(link(Some("https://x.org/{commit}"), "ab"), Some("https://x.org/ab".into()));
        assert_eq!(
            link(Some("https://x.org/{release}"), "1 /\""),
            Some("https://x.org/1%20%2F%22".into())
        );
        assert_eq!(link(Some("javascript:alert({commit})"), "1"), None);
        assert_eq!(link(None, "1"), None);
    }
}
