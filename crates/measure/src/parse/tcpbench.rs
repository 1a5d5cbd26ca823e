//! tcpbench of OpenBSD (`usr.bin/tcpbench/tcpbench.c`): a line for each slice of time, of TCP and
//! of UDP, and the statistics at the end that newer ones print.

use super::number::leading;

/// `mbps` of each slice, the `peak` so far at the end, or the `avg` of the closing statistics; all
/// in Mbit/s.
pub(super) fn values(text: &str, quantity: &str) -> Result<Vec<f64>, String> {
    let number = |text: &str| leading(text.trim_start()).map(|(number, _)| number);
    let of_slices = |label: &str| -> Vec<f64> {
        let slices =
            text.lines().filter(|line| line.starts_with("Conn:") || line.starts_with("Elapsed:"));
        slices.filter_map(|line| number(line.split_once(label)?.1)).collect()
    };
    let values = match quantity {
        "avg" => {
            let closing = text
                .lines()
                .filter_map(|line| line.strip_prefix("bandwidth min/avg/max/std-dev ="));
            closing.filter_map(|numbers| number(numbers.split('/').nth(1)?)).collect()
        }
        "peak" => of_slices(" Peak Mbps:").pop().into_iter().collect(),
        _ => of_slices(" Mbps:"),
    };
    if values.is_empty() { Err(format!("tcpbench reports no `{quantity}`")) } else { Ok(values) }
}
