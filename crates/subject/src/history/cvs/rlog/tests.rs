use proptest::prelude::*;

use super::*;

const TWO: &str = "
RCS file: /cvs/mod/a.c,v
head: 1.2
branch:
locks: strict
access list:
symbolic names:
\tBR: 1.1.0.2
\tV1: 1.1
keyword substitution: kv
total revisions: 2;\tselected revisions: 2
description:
----------------------------
revision 1.2\tlocked by: ann;
date: 2016-01-03 12:00:00 +0200;  author: ann;  state: dead;  lines: +1 -1;  commitid: c2;
second
----------------------------
not a separator
----------------------------
revision 1.1
date: 2016/01/01 10:00:00;  author: bob;  state: Exp;
branches:  1.1.2;
first
=============================================================================
";

/// A log of one file with these messages, newest first, printed as rlog does.
fn print(messages: &[String]) -> String {
    let count = messages.len();
    let mut text = format!(
        "\nRCS file: /r/m/f,v\nhead: 1.{count}\nbranch:\nlocks: strict\naccess list:\nsymbolic \
         names:\n"
    );
    text += &format!(
        "keyword substitution: kv\ntotal revisions: {count};\tselected revisions: \
         {count}\ndescription:\n"
    );
    for (place, message) in messages.iter().enumerate() {
        let number = count - place;
        text += &format!(
            "----------------------------\nrevision 1.{number}\ndate: 2016-01-01 \
             00:00:{number:02} +0000;  author: a;  state: Exp;\n{message}\n"
        );
    }
    text + "=============================================================================\n"
}

#[test]
fn all_that_is_said_of_a_file_is_read() {
    let files = parse(TWO.as_bytes()).unwrap();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(
        (file.path.as_str(), file.doubtful, &file.default),
        ("/cvs/mod/a.c,v", false, &None)
    );
    assert_eq!(file.symbols[0].1.branch().unwrap().to_string(), "1.1.2");
    assert_eq!(file.symbols[1].1.branch(), None);
    let [second, first] = file.deltas.as_slice() else { panic!("{file:?}") };
    assert_eq!(
        (second.time, second.dead, second.commit.as_deref()),
        (1_451_815_200, true, Some("c2"))
    );
    assert_eq!(second.message, "second\n----------------------------\nnot a separator");
    assert_eq!(
        (first.time, first.author.as_str(), first.message.as_str()),
        (1_451_642_400, "bob", "first")
    );
}

#[test]
fn a_log_that_is_quoted_in_a_message_is_part_of_the_message() {
    let quote = "see\n----------------------------\nrevision 1.1\ndate: 2016-01-01 00:00:01 \
        +0000;  author: a;  state: \
        Exp;\nold\n=============================================================================\nall";
    let files = parse(print(&["new".into(), quote.into(), "old".into()]).as_bytes()).unwrap();
    let messages: Vec<&str> = files[0].deltas.iter().map(|delta| delta.message.as_str()).collect();
    assert_eq!((messages, files[0].doubtful), (vec!["new", quote, "old"], false));
}

#[test]
fn the_log_of_another_file_may_be_quoted_too() {
    let quote = "as there:\n----------------------------\nrevision 4.7\ndate: 2015-01-01 00:00:01 \
        +0000;  author: z;\nx"
        .to_owned();
    let files = parse(print(&["new".into(), quote.clone(), "old".into()]).as_bytes()).unwrap();
    assert_eq!(files[0].deltas.len(), 3);
    assert_eq!(files[0].deltas[1].message, quote);
}

#[test]
fn what_is_cut_off_is_an_error() {
    let whole = print(&["one".into(), "two".into()]);
    for end in ["revision 1.1", "description", "======="] {
        let cut = &whole[..whole.find(end).unwrap() + 3];
        assert_eq!(
            parse(cut.as_bytes()),
            Err(RlogFault::Truncated { path: "/r/m/f,v".into() }),
            "{end}"
        );
    }
    assert_eq!(parse(b"\n\nwhat?\n"), Err(RlogFault::Strange { line: 3 }));
    assert_eq!(parse(b""), Ok(Vec::new()));
}

#[test]
fn what_is_not_utf_8_is_latin_1() {
    let text = print(&["gr@n".into()]).into_bytes();
    let text: Vec<u8> =
        text.into_iter().map(|byte| if byte == b'@' { 0xfc } else { byte }).collect();
    assert_eq!(parse(&text).unwrap()[0].deltas[0].message, "grün");
}

#[test]
fn dates_that_are_none_begin_no_revision() {
    for date in [
        "",
        "2016-01-01",
        "2016-13-01 00:00:00",
        "2016-01-01 00:00:00 +x",
        "2016-01-01 00:00:00 +é",
        "2016-01-01 00:00:00 +1999999999",
        "a b c",
    ] {
        assert_eq!(seconds(date), None, "{date}");
    }
    assert_eq!(seconds("1970-01-01 00:30:00 -0130"), Some(7200));
}

proptest! {
    #[test]
    fn messages_come_back(messages in prop::collection::vec("([a-z=-]{0,30}\n?){0,4}", 1..5)) {
        let messages: Vec<String> = messages.iter().map(|message| message.trim_end().to_owned()).collect();
        let files = parse(print(&messages).as_bytes()).unwrap();
        prop_assert_eq!(files.len(), 1);
        prop_assert!(!files[0].doubtful);
        let read: Vec<String> = files[0].deltas.iter().map(|delta| delta.message.clone()).collect();
        prop_assert_eq!(read, messages);
    }

    #[test]
    fn any_number_of_files_is_read(counts in prop::collection::vec(1..5_usize, 0..6)) {
        let text: String = counts.iter().map(|&count| print(&vec!["same".to_owned(); count])).collect();
        let files = parse(text.as_bytes()).unwrap();
        prop_assert_eq!(files.iter().map(|file| file.deltas.len()).collect::<Vec<_>>(), counts);
    }

    #[test]
    fn anything_else_is_no_panic(
        cut in 0..1000_usize,
        place in 0..1000_usize,
        with in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut text = print(&["one\n----------------------------\nrevision 1.9".into(), "two".into()]).into_bytes();
        text.extend(TWO.bytes());
        text.truncate(cut);
        let place = place.min(text.len());
        text.splice(place..place, with);
        let _ = parse(&text);
    }
}
