//! The order of Debian versions (Debian Policy, section 5.6.12).

use std::cmp::Ordering;

/// Compares two versions: `1.0~rc1 < 1.0 < 1.0-1 < 1:0`.
#[must_use]
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (epoch_a, rest_a) = epoch(a);
    let (epoch_b, rest_b) = epoch(b);
    let (upstream_a, revision_a) = revision(rest_a);
    let (upstream_b, revision_b) = revision(rest_b);
    number(epoch_a, epoch_b)
        .then_with(|| part(upstream_a, upstream_b))
        .then_with(|| part(revision_a, revision_b))
}

fn epoch(version: &[u8]) -> (&[u8], &[u8]) {
    memchr::memchr(b':', version).map_or((b"", version), |at| (&version[..at], &version[at + 1..]))
}

fn revision(version: &[u8]) -> (&[u8], &[u8]) {
    memchr::memrchr(b'-', version).map_or((version, b""), |at| (&version[..at], &version[at + 1..]))
}

/// Numbers of any length: without leading zeros, the longer one is larger.
fn number(a: &[u8], b: &[u8]) -> Ordering {
    let significant =
        |digits: &[u8]| digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len());
    let (a, b) = (&a[significant(a)..], &b[significant(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Stretches of other characters and of digits in turn.
fn part(mut a: &[u8], mut b: &[u8]) -> Ordering {
    while !a.is_empty() || !b.is_empty() {
        let (text_a, rest_a) = stretch(a, false);
        let (text_b, rest_b) = stretch(b, false);
        let (digits_a, after_a) = stretch(rest_a, true);
        let (digits_b, after_b) = stretch(rest_b, true);
        let order = text(text_a, text_b).then_with(|| number(digits_a, digits_b));
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (after_a, after_b);
    }
    Ordering::Equal
}

fn stretch(bytes: &[u8], is_digits: bool) -> (&[u8], &[u8]) {
    let end =
        bytes.iter().position(|byte| byte.is_ascii_digit() != is_digits).unwrap_or(bytes.len());
    bytes.split_at(end)
}

/// `~` comes before the end, the end before letters, letters before all others.
fn text(a: &[u8], b: &[u8]) -> Ordering {
    let weight = |byte: Option<&u8>| match byte {
        Some(b'~') => -1,
        None => 0,
        Some(letter) if letter.is_ascii_alphabetic() => i32::from(*letter),
        Some(other) => i32::from(*other) + 256,
    };
    let longest = a.len().max(b.len());
    (0..longest)
        .map(|at| weight(a.get(at)).cmp(&weight(b.get(at))))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_orders() {
        let ascending = [
            "1.0~~", "1.0~~a", "1.0~", "1.0", "1.0-1", "1.0-1+b1", "1.0-1.1", "1.0a", "1.0+",
            "1.0.1", "1.2", "1.10", "1:0",
        ];
        for (place, a) in ascending.iter().enumerate() {
            for (other, b) in ascending.iter().enumerate() {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), place.cmp(&other), "{a} {b}");
            }
        }
        assert_eq!(compare(b"0:1.00-0", b"1.0"), Ordering::Equal);
    }
}
