//! `*.md5sums`: a checksum and a path on each line.

use std::path::PathBuf;

use crate::Checksum;

/// A path and its checksum.
pub(super) type Summed = (PathBuf, Checksum);

/// All that is understood, and the number of the first line that is not.
pub(super) fn parse(content: &[u8]) -> (Vec<Summed>, Option<usize>) {
    let mut summed = Vec::new();
    let mut bad = None;
    for (number, line) in
        content.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
    {
        match entry(line) {
            Some(entry) => summed.push(entry),
            None => bad = bad.or(Some(number + 1)),
        }
    }
    (summed, bad)
}

fn entry(line: &[u8]) -> Option<Summed> {
    let space = line.iter().position(|&byte| byte == b' ')?;
    let (sum, rest) = line.split_at(space);
    // `md5sum` writes ` ` or `*` between them, for text and binary files.
    let path = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b" *"))?;
    let is_sum = !sum.is_empty() && sum.iter().all(u8::is_ascii_hexdigit);
    (is_sum && !path.is_empty()).then(|| (super::path(path), Checksum::from_debian(sum)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_the_first_bad_one_is_named() {
        let content = b"d41d8cd98f00b204e9800998ecf8427e  usr/bin/a b\n\
            d41d8cd98f00b204e9800998ecf8427e *./usr/b\nnot a line\n\nabcd  usr/short\n";
        let (summed, bad) = parse(content);
        let paths: Vec<_> = summed.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert_eq!(paths, ["/usr/bin/a b", "/usr/b", "/usr/short"]);
        assert!(matches!(summed[0].1, Checksum::Md5(_)));
        assert!(matches!(summed[2].1, Checksum::Unsupported(_)));
        assert_eq!(bad, Some(3));
    }
}
