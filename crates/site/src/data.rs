//! The data of a series for others: the contract with `web/src/data.ts`, version by version.
//!
//! `data/SERIES.json` is for programs that read the numbers, `data/SERIES.js` the same for the
//! page. Values are in the metric's base unit; what is absent is left out, never 0 and never null.

use serde::{Serialize, Serializer};
use tacho_record::{BenchmarkKey, ChangeVerdict, Metric, Revision};
use tacho_report::build::gap_words;

use crate::SiteError;
use crate::view::{ChangeView, DisplayScale, SeriesRow, SeriesView, View, edges, unbuilt};

/// Raised when a reader of the version before would misread the data.
pub const FORMAT_VERSION: u32 = 1;

#[derive(Serialize)]
struct SeriesFile<'a> {
    format_version: u32,
    subject: &'a str,
    title: String,
    benchmark: &'a BenchmarkKey,
    metric: &'a Metric,
    host: &'a str,
    scale: &'a DisplayScale,
    points: Vec<PointData<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<FoundData<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quirks: Vec<EdgeData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unbuilt: Vec<StretchData>,
}

/// Points in a row that have no build, so that nothing is known of them.
#[derive(Serialize)]
struct StretchData {
    from: usize,
    to: usize,
    text: String,
}

/// An edge of a quirk.
#[derive(Serialize)]
struct EdgeData {
    /// The first point with another build.
    at: usize,
    text: String,
}

/// A change that was found in the series and is still held.
#[derive(Serialize)]
struct FoundData<'a> {
    name: &'a str,
    page: String,
    /// The index of its first point, and the points between which it may be.
    at: usize,
    from: usize,
    to: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<[PlainNumber; 2]>,
    judged: &'static str,
    text: String,
}

#[derive(Serialize)]
struct PointData<'a> {
    revision: &'a Revision,
    short: &'a str,
    page: String,
    state: &'static str,
    state_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    equal_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeData>,
    /// The run that begins here, where nothing links it to the runs of the point before.
    #[serde(skip_serializing_if = "Option::is_none")]
    begins_run: Option<i64>,
    #[serde(serialize_with = "plain_all")]
    values: &'a [f64],
    failed: u32,
    limited: u32,
}

#[derive(Serialize)]
struct SummaryData {
    n: usize,
    median: PlainNumber,
    q1: PlainNumber,
    q3: PlainNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[PlainNumber; 2]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_bound: bool,
}

#[derive(Serialize)]
struct ChangeData {
    share: f64,
    text: String,
    judged: &'static str,
}

/// A series as JSON, on one line and with no `<` in it.
pub(crate) fn json(view: &View, series: &SeriesView) -> Result<Vec<u8>, SiteError> {
    let key = &series.series.key;
    let file = SeriesFile {
        format_version: FORMAT_VERSION,
        subject: &view.lab.subject,
        title: key.benchmark.to_string(),
        benchmark: &key.benchmark,
        metric: &key.metric,
        host: &key.host,
        scale: &series.scale,
        points: series.rows.iter().map(|row| point(view, row)).collect(),
        changes: found(view, series),
        quirks: edges(view, series)
            .into_iter()
            .map(|edge| EdgeData { at: edge.at, text: edge.text.replace('`', "") })
            .collect(),
        unbuilt: stretches(series),
    };
    let text = serde_json::to_string(&file).map_err(|source| SiteError::Encode {
        path: format!("data/{}.json", series.slug),
        source: source.into(),
    })?;
    Ok(inert(text).into_bytes())
}

fn stretches(series: &SeriesView) -> Vec<StretchData> {
    let gaps = unbuilt::of_series(series);
    let rows = unbuilt::rows(series, &gaps).into_iter();
    let data = |((from, to), gap)| StretchData { from, to, text: gap_words(gap) };
    rows.zip(&gaps).map(data).collect()
}

/// The same as a script that a page can load from disk.
pub(crate) fn script(json: &[u8]) -> Vec<u8> {
    [b"window.TACHO = ".as_slice(), json, b";\n"].concat()
}

fn point<'a>(view: &View<'a>, row: &SeriesRow<'a>) -> PointData<'a> {
    let revision = &view.revisions[row.revision];
    PointData {
        revision: revision.revision,
        short: revision.revision.short(),
        page: format!("revision/{}.html", revision.slug),
        state: row.state.key(),
        state_text: row.state_text(|id| view.short(id)),
        equal_to: row.point.equal_to.as_deref(),
        summary: row.summary.map(|s| SummaryData {
            n: s.n,
            median: PlainNumber(s.median),
            q1: PlainNumber(s.q1),
            q3: PlainNumber(s.q3),
            interval: s
                .interval
                .filter(|(_, high)| high.is_finite())
                .map(|(low, high)| [PlainNumber(low), PlainNumber(high)]),
            is_bound: s.is_bound,
        }),
        change: row.change.map(|change| ChangeData {
            share: change.share,
            text: change.text(),
            judged: change.verdict.map_or("unclear", ChangeVerdict::word),
        }),
        begins_run: row.begins_run,
        values: &row.point.values,
        failed: row.point.failed,
        limited: row.point.limited.count,
    }
}

/// The changes of the series, by place among its points.
fn found<'a>(view: &View<'a>, series: &SeriesView) -> Vec<FoundData<'a>> {
    let number = view.series.iter().position(|one| one.slug == series.slug);
    let place = |revision: usize| series.rows.iter().position(|row| row.revision == revision);
    let one = |change: &ChangeView<'a>| {
        let at = place(change.place?)?;
        let (row, finding) = (&change.row, &change.change().finding);
        Some(FoundData {
            name: &change.change().name,
            page: format!("change/{}.html", change.slug),
            at,
            from: change.good.and_then(place).map_or(at, |good| good + 1),
            to: change.bad.and_then(place).unwrap_or(at),
            levels: change
                .has_levels()
                .then_some([PlainNumber(finding.before), PlainNumber(finding.after)]),
            judged: change.word(),
            text: format!("{} {}, {}", row.effect, row.verdict, row.state),
        })
    };
    number
        .map(|number| view.changes_of(number))
        .unwrap_or_default()
        .into_iter()
        .filter_map(one)
        .collect()
}

/// A number that is written without a point when it is whole, as nearly all are.
struct PlainNumber(f64);

impl Serialize for PlainNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            #[allow(clippy::cast_possible_truncation)] // whole and below 2^53
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

fn plain_all<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().copied().map(PlainNumber))
}

/// JSON that means the same and is harmless wherever it is put: `</script>` cannot end a script,
/// and the two line ends of Unicode cannot break one.
fn inert(json: String) -> String {
    if !json.contains(['<', '\u{2028}', '\u{2029}']) {
        return json;
    }
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_point() {
        let json = serde_json::to_string(&[
            PlainNumber(416_253_988.0),
            PlainNumber(-0.5),
            PlainNumber(1e300),
        ])
        .unwrap();
        assert_eq!(json, "[416253988,-0.5,1e+300]");
    }

    #[test]
    fn a_script_cannot_be_left_and_means_the_same() {
        let text = "</script><b>\u{2028}";
        let json = inert(serde_json::to_string(text).unwrap());
        assert_eq!(json, r#""\u003c/script>\u003cb>\u2028""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
