//! Parsers of what others wrote, on any bytes: for `fuzz/`, and no part of the interface.

use crate::process::answer::Answer;

/// An answer of the launcher; what is missing of it is zero.
pub fn launcher_answer(bytes: &[u8]) {
    let mut whole = [0; Answer::BYTES];
    let length = bytes.len().min(whole.len());
    whole[..length].copy_from_slice(&bytes[..length]);
    let answer = Answer::new(&whole);
    let _ = (answer.started().is_ok(), answer.step(), answer.ended(), answer.left_behind());
    let _ = (answer.at(), answer.wall(), answer.usage(0), answer.is_stuck(), answer.is_well());
}
