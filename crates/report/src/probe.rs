//! Programs under disturbances of the machine, in words.

use tacho_record::{BenchmarkKey, Metric, UnavailableDisturbance, factor};
use tacho_stats::probe::RatioBounds;

use crate::block::{AnswerCell, AnswerTable, Block};
use crate::words::{change, count, end, times};

/// Levels below this share of the usual one, or above its inverse, are factors.
const HALF: f64 = 0.5;

/// A benchmark under disturbances.
#[derive(Clone, Debug)]
pub struct ProbedRow {
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The level of each program as usual, where it is known.
    pub usual: Vec<Option<f64>>,
    /// How many rounds were executed.
    pub rounds: usize,
    /// The meaning.
    pub sentence: String,
    /// The usual state, of two programs, and each disturbance.
    pub lines: Vec<ProbeLine>,
}

/// The effect of a disturbance.
#[derive(Clone, Debug)]
pub struct ProbeLine {
    /// Its name.
    pub name: String,
    /// The same in words.
    pub words: String,
    /// The level of each of two programs divided by its usual one; empty for a single program.
    pub levels: Vec<Option<RatioBounds>>,
    /// B by A; of one program its level by its usual one.
    pub ratio: Option<RatioBounds>,
    /// The conclusion, in a word.
    pub says: &'static str,
}

impl ProbedRow {
    /// Whether two programs were probed: ratios are then of the second by the first.
    #[must_use]
    pub fn is_pair(&self) -> bool {
        self.usual.len() > 1
    }

    /// Whether there is anything to compare: the usual level of each program is known.
    #[must_use]
    pub fn has_levels(&self) -> bool {
        self.usual.iter().all(Option::is_some)
    }

    /// `sort · wall: 12.34 ms and 25.85 ms as usual, 30 rounds`.
    #[must_use]
    pub fn heading(&self) -> String {
        let usual = self.usual.iter().flatten();
        let usual: Vec<String> = usual.map(|level| self.metric.unit.show(*level)).collect();
        format!(
            "{}: {} as usual, {}",
            self.metric.series_of(&self.benchmark),
            usual.join(" and "),
            count(self.rounds, "round")
        )
    }

    /// The column of [`Self::table`] that has the intervals, which a medium may draw.
    #[must_use]
    pub fn intervals(&self) -> usize {
        if self.is_pair() { 4 } else { 2 }
    }

    /// A row a disturbance.
    #[must_use]
    pub fn table(&self) -> AnswerTable {
        let heads: &[&str] = if self.is_pair() {
            &["disturbance", "A", "B", "B / A", "interval", "", "what it is"]
        } else {
            &["disturbance", "A", "interval", "", "what it is"]
        };
        let rows: Vec<_> = self.lines.iter().map(|line| self.cells(line)).collect();
        let narrow = |(cells, line): (&Vec<AnswerCell>, &ProbeLine)| {
            let named = heads.iter().zip(cells).skip(1).take(self.intervals());
            let named = named.filter(|(_, cell)| !cell.text.is_empty());
            let named: Vec<String> =
                named.map(|(head, cell)| format!("{head} {}", cell.text)).collect();
            let says = if line.says.is_empty() { "" } else { ": " };
            vec![format!("{}{says}{}", line.name, line.says), named.join("  ")]
        };
        let end = self.intervals() + 1;
        AnswerTable {
            narrow: rows.iter().zip(&self.lines).map(narrow).collect(),
            spare: vec![heads.len() - 1],
            ..AnswerTable::of(heads, &(1..end), rows)
        }
    }

    fn cells(&self, line: &ProbeLine) -> Vec<AnswerCell> {
        let shown = |it: RatioBounds| if self.is_pair() { factor(it.ratio) } else { level(it) };
        let levels = line.levels.iter().map(|known| known.map_or_else(String::new, level));
        let interval = |it: RatioBounds| format!("{} … {}", factor(it.low), end(it.high, factor));
        [line.name.clone()]
            .into_iter()
            .chain(levels)
            .chain([
                line.ratio.map_or_else(|| "–".to_owned(), shown),
                line.ratio.map_or_else(String::new, interval),
                line.says.to_owned(),
                line.words.clone(),
            ])
            .map(AnswerCell::from)
            .collect()
    }
}

/// A level by the usual one: `−4.0 %`, `× 2.14`.
fn level(level: RatioBounds) -> String {
    if (HALF..1.0 / HALF).contains(&level.ratio) { change(level.ratio) } else { times(level.ratio) }
}

/// The disturbances that are not available, with the reasons; empty if all are.
#[must_use]
pub fn left_out(all: &[UnavailableDisturbance]) -> Vec<Block> {
    let lead = (!all.is_empty()).then(|| Block::Lead("not available on this host".to_owned()));
    let items = all.iter().map(|it| Block::Item(format!("`{}`: {}", it.name, it.why)));
    lead.into_iter().chain(items).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_levels_and_a_ratio_and_one_program_its_level_alone() {
        let bounds =
            |ratio: f64| Some(RatioBounds { ratio, low: ratio - 0.01, high: ratio + 0.01 });
        let row = |usual: Vec<Option<f64>>, levels| ProbedRow {
            benchmark: BenchmarkKey::plain("work"),
            metric: Metric::built_in("wall").unwrap(),
            usual,
            rounds: 30,
            sentence: String::new(),
            lines: vec![ProbeLine {
                name: "core".into(),
                words: "another core busy".into(),
                levels,
                ratio: bounds(0.998),
                says: "gone",
            }],
        };
        let cells = |row: &ProbedRow| -> Vec<String> {
            row.table().rows[0].iter().map(AnswerCell::whole).collect()
        };
        let pair = row(vec![Some(1e6), Some(2e6)], vec![bounds(0.996), bounds(0.477)]);
        assert_eq!(pair.heading(), "work · wall: 1.000 ms and 2.000 ms as usual, 30 rounds");
        assert_eq!(
            cells(&pair),
            ["core", "−0.4 %", "× 0.477", "0.998", "0.988 … 1.008", "gone", "another core busy"]
        );
        let narrow = ["core: gone", "A −0.4 %  B × 0.477  B / A 0.998  interval 0.988 … 1.008"];
        assert_eq!(pair.table().narrow[0], narrow);
        let one = row(vec![Some(1e6)], vec![]);
        assert_eq!(cells(&one)[..3], ["core", "−0.2 %", "0.988 … 1.008"]);
    }
}
