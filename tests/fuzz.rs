//! Every target of `fuzz/`, with its corpus and random changes of it: seconds of what `make fuzz`
//! does for minutes, without coverage to lead it.

use std::panic::catch_unwind;
use std::path::PathBuf;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[path = "../fuzz/targets.rs"]
mod targets;

/// How many changed inputs each target gets.
const ROUNDS: u32 = 300;
/// What breaks parsers more often than random bytes do.
const WORDS: [&[u8]; 16] = [
    b"\0",
    b"\n",
    b"\xff\xff\xff\xff",
    b"\"",
    b"{",
    b"[",
    b"]",
    b"}",
    b"-1",
    b"1e999",
    b"NaN",
    b"18446744073709551615",
    b"\xef\xbb\xbf",
    "\u{202e}".as_bytes(),
    b",",
    b"@@ -1 +1 @@\n",
];

#[test]
fn every_parser_answers_any_input() {
    for (name, target) in targets::TARGETS {
        let corpus = corpus(name);
        assert!(!corpus.is_empty(), "fuzz/corpus/{name} is empty");
        for input in &corpus {
            answers(name, target, input);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(27);
        for _ in 0..ROUNDS {
            answers(name, target, &changed(&corpus, &mut rng));
        }
    }
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[track_caller]
fn answers(name: &str, target: targets::Target, input: &[u8]) {
    let shown = String::from_utf8_lossy(&input[..input.len().min(2000)]);
    assert!(catch_unwind(|| target(input)).is_ok(), "{name} panics at {input:02x?}\n{shown}");
}

/// One of them with a few bytes, words and parts changed.
fn changed(corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = corpus[rng.random_range(0..corpus.len())].clone();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=input.len());
        let end = (at + rng.random_range(0..20)).min(input.len());
        match rng.random_range(0..6) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => drop(input.splice(at..at, WORDS[rng.random_range(0..WORDS.len())].to_vec())),
            3 => {
                let other = &corpus[rng.random_range(0..corpus.len())];
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..200)).min(other.len());
                drop(input.splice(at..end, other[from..to].to_vec()));
            }
            4 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
            _ if at < input.len() => input[at] = rng.random(),
            _ => {}
        }
    }
    input
}
