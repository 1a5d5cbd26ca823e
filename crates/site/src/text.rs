//! Numbers, times and counts as words; the grammar of the pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tacho_record::Commit;
pub(crate) use tacho_report::words::{count, duration, effect as percent_change, grouped, percent};

/// A day in UTC: `2026-03-01`.
pub(crate) fn day(at: Timestamp) -> String {
    let date = at.to_zoned(TimeZone::UTC).date();
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// A time of day in UTC, to the second: `14:03:22`.
pub(crate) fn time_of_day(at: Timestamp) -> String {
    let time = at.to_zoned(TimeZone::UTC).time();
    format!("{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
}

/// A day and a time, to the minute: `2026-03-01 14:03 UTC`.
pub(crate) fn minute(at: Timestamp) -> String {
    format!("{} {} UTC", day(at), &time_of_day(at)[..5])
}

/// The last lines of a text, and whether there were more.
pub(crate) fn tail(text: &str, lines: usize) -> (&str, bool) {
    let body = text.trim_end();
    match body.rmatch_indices('\n').nth(lines - 1) {
        Some((at, _)) => (&body[at + 1..], true),
        None => (body, false),
    }
}

/// The address of a revision by the lab's template; `None` if it would not be an `http` address.
pub(crate) fn link(template: Option<&str>, id: &str) -> Option<String> {
    let template = template?;
    let id = in_address(id);
    let is_of_revisions = is_web(template) && !template.contains("{file}");
    is_of_revisions.then(|| template.replace("{commit}", &id).replace("{release}", &id))
}

/// The address at which can be seen what a commit of CVS did to a file, where the template is of
/// files and the file was there before and after.
pub(crate) fn file_link(template: Option<&str>, commit: &Commit, file: &str) -> Option<String> {
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
        let link = |file: &str| file_link(template, &commit, file);
        assert_eq!(
            link("sub/a b.c").as_deref(),
            Some("https://e.org/src/sub/a%20b.c.diff?r1=1.4&r2=1.5")
        );
        assert_eq!((link("new.c"), link("other")), (None, None));
        assert_eq!(super::link(template, &commit.id), None);
        let of_commits = Some("https://e.org/{commit}");
        assert_eq!(file_link(of_commits, &commit, "sub/a b.c"), None);
    }

    #[test]
    fn times_are_in_utc() {
        let at: Timestamp = "2026-03-01T14:03:22+01:00".parse().unwrap();
        assert_eq!(minute(at), "2026-03-01 13:03 UTC");
        assert_eq!(time_of_day(at), "13:03:22");
    }

    #[test]
    fn the_last_lines_are_the_last_lines() {
        assert_eq!(tail("a\nb\nc\n", 2), ("b\nc", true));
        assert_eq!(tail("a\nb", 2), ("a\nb", false));
        assert_eq!(tail("", 2), ("", false));
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
