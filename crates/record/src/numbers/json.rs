//! Series in JSON: one alone, several by name, several in a list.

use std::collections::BTreeMap;

use super::error::NumbersError;
use super::given::{GivenPoint, GivenSeries, Numbers, NumbersShape, direction, distinct};
use super::node::Node;
use crate::{Direction, Unit};

/// The keys that a series may have; only a list of series has `series`.
const KEYS: [&str; 12] = [
    "better", "labels", "layouts", "name", "rounds", "runs", "samples", "series", "tags", "times",
    "unit", "values",
];

/// The tag that a point has whose tags are one text.
const ENVIRONMENT: &str = "environment";

/// The most tags that all series of a file may share, each series counted.
const MOST_SHARED: usize = 1_000_000;

pub(super) fn parse(text: &str, better: Option<Direction>) -> Result<Numbers, NumbersError> {
    let root = Node::read(text)?;
    let (shape, series) = match &root {
        Node::List(list) if list.iter().all(is_value) && !list.is_empty() => {
            let map = [("values".to_owned(), root.clone())];
            (
                NumbersShape::One,
                vec![
                    JsonReading { map: &map, around: &[], path: String::new(), better }
                        .series(None)?,
                ],
            )
        }
        Node::List(list) => (NumbersShape::Listed, listed(list, "", &[], better)?),
        Node::Map(map) => match get(map, "series") {
            None => (
                NumbersShape::One,
                vec![JsonReading { map, around: &[], path: String::new(), better }.series(None)?],
            ),
            Some(Node::List(list)) => {
                limit_shared_tags(map, list.len())?;
                (NumbersShape::Listed, listed(list, "series", map, better)?)
            }
            Some(Node::Map(named)) => {
                limit_shared_tags(map, named.len())?;
                (NumbersShape::Named, by_name(named, map, better)?)
            }
            Some(other) => return Err(wrong("series", other, "an object or an array of series")),
        },
        other => return Err(wrong("", other, "an object or an array")),
    };
    if series.is_empty() {
        return Err(NumbersError::NoSeries);
    }
    distinct(&series)?;
    Ok(Numbers { shape, series, left_out: Vec::new(), named_by: Vec::new(), together: None })
}

/// Each series has the tags around it: a small file could ask for all memory.
fn limit_shared_tags(around: &[(String, Node)], series: usize) -> Result<(), NumbersError> {
    let size = |node: &Node| match node {
        Node::List(list) => list.len(),
        Node::Map(map) => map.len(),
        _ => 1,
    };
    let number: usize = match get(around, "tags") {
        Some(Node::List(points)) => points.iter().map(size).sum(),
        Some(Node::Map(names)) => names.iter().map(|(_, node)| size(node)).sum(),
        _ => 0,
    };
    let tags = number.saturating_mul(series);
    if tags > MOST_SHARED {
        Err(NumbersError::TooManyTags { tags, most: MOST_SHARED })
    } else {
        Ok(())
    }
}

fn is_value(node: &Node) -> bool {
    matches!(node, Node::Number(_) | Node::Null) || *node == Node::Text(String::new())
}

/// Series one after the other, each an object.
fn listed(
    list: &[Node],
    key: &str,
    around: &[(String, Node)],
    better: Option<Direction>,
) -> Result<Vec<GivenSeries>, NumbersError> {
    let one = |(index, node): (usize, &Node)| {
        let path = format!("{key}[{index}]");
        let Node::Map(map) = node else { return Err(wrong(&path, node, "an object")) };
        JsonReading { map, around, path, better }.series(None)
    };
    list.iter().enumerate().map(one).collect()
}

/// Series by name, each an object or an array of values.
fn by_name(
    named: &[(String, Node)],
    around: &[(String, Node)],
    better: Option<Direction>,
) -> Result<Vec<GivenSeries>, NumbersError> {
    let one = |(name, node): &(String, Node)| {
        let path = format!("series.{name}");
        let values;
        let map = match node {
            Node::Map(map) => map.as_slice(),
            Node::List(_) => {
                values = [("values".to_owned(), node.clone())];
                &values
            }
            other => return Err(wrong(&path, other, "an object or an array of values")),
        };
        JsonReading { map, around, path, better }.series(Some(name))
    };
    named.iter().map(one).collect()
}

/// One series being read.
pub(super) struct JsonReading<'a> {
    map: &'a [(String, Node)],
    /// The surrounding keys apply to a series unless it overrides them.
    around: &'a [(String, Node)],
    path: String,
    better: Option<Direction>,
}

impl JsonReading<'_> {
    fn series(&self, name: Option<&str>) -> Result<GivenSeries, NumbersError> {
        for (key, _) in self.map.iter().chain(self.around) {
            self.refuse_misspelt(key)?;
        }
        let mut points = self.points()?;
        let count = points.len();
        for (point, label) in points.iter_mut().zip(self.words("labels", count)?) {
            point.label = label.map(Into::into);
        }
        for (point, time) in points.iter_mut().zip(self.words("times", count)?) {
            point.time = time.map(Into::into);
        }
        for (point, tags) in points.iter_mut().zip(self.tags(count)?) {
            point.tags = tags;
        }
        let own = get(self.map, "name").filter(|node| **node != Node::Null);
        let own =
            own.map(|node| node.word().ok_or_else(|| wrong(&self.at("name"), node, "a text")));
        let unit = self.text("unit")?.unwrap_or_default();
        let name = own.transpose()?.or_else(|| name.map(str::to_owned));
        let begun = GivenSeries::begun(name, Unit::Other(unit), self.direction()?);
        Ok(GivenSeries { points, ..begun })
    }

    /// A key that is almost a known one is a misspelling; other keys are the user's, and ignored.
    fn refuse_misspelt(&self, key: &str) -> Result<(), NumbersError> {
        let near = |known: &&&str| strsim::damerau_levenshtein(known, &key.to_lowercase()) <= 1;
        match KEYS.iter().find(near).filter(|_| !KEYS.contains(&key)) {
            Some(nearest) => Err(NumbersError::UnknownKey { path: self.at(key), nearest }),
            None => Ok(()),
        }
    }

    /// The points with their samples, from `samples` or `values`, or both.
    fn points(&self) -> Result<Vec<GivenPoint>, NumbersError> {
        let values = self.list("values")?;
        let samples = self.list("samples")?;
        if let (Some(values), Some(samples)) = (values, samples) {
            self.same_length("samples", samples.len(), ("values", values.len()))?;
        }
        let count = values.or(samples).map(<[Node]>::len);
        let Some(count) = count else {
            let path = if self.path.is_empty() { "the object" } else { &self.path };
            return Err(NumbersError::Missing { path: path.to_owned(), what: "`values`" });
        };
        let point = |index: usize| {
            let own = samples.map_or(Ok(Vec::new()), |all| self.samples(index, &all[index]))?;
            let value = values
                .map_or(Ok(None), |all| value(&all[index], || self.place("values", index)))?;
            let samples = if own.is_empty() { value.into_iter().collect() } else { own };
            Ok(GivenPoint { samples, ..GivenPoint::default() })
        };
        let mut points: Vec<GivenPoint> = (0..count).map(point).collect::<Result<_, _>>()?;
        self.origins(samples, &mut points)?;
        Ok(points)
    }

    /// The samples of one point.
    fn samples(&self, index: usize, node: &Node) -> Result<Vec<f64>, NumbersError> {
        let Node::List(list) = node else {
            let one = number(node, || self.place("samples", index));
            return match one {
                Ok(one) => Ok(one.into_iter().collect()),
                Err(_) => Err(wrong(&self.place("samples", index), node, "an array of numbers")),
            };
        };
        let all: Result<Vec<Option<f64>>, _> = (list.iter().enumerate())
            .map(|(at, node)| number(node, || format!("{}[{at}]", self.place("samples", index))))
            .collect();
        Ok(all?.into_iter().flatten().collect())
    }

    /// A word for each point; `None` without the key.
    fn words(&self, key: &'static str, count: usize) -> Result<Vec<Option<String>>, NumbersError> {
        let Some(list) = self.list(key)? else { return Ok(Vec::new()) };
        self.same_length(key, list.len(), (self.counted(), count))?;
        let word = |(index, node): (usize, &Node)| match node {
            Node::Null => Ok(None),
            node => {
                node.word().map(Some).ok_or_else(|| wrong(&self.place(key, index), node, "a text"))
            }
        };
        list.iter().enumerate().map(word).collect()
    }

    /// The tags of each point: an array with an entry a point, or an object with an array a tag.
    fn tags(&self, count: usize) -> Result<Vec<BTreeMap<String, String>>, NumbersError> {
        match self.get("tags") {
            None | Some(Node::Null) => Ok(Vec::new()),
            Some(Node::List(list)) => {
                self.same_length("tags", list.len(), (self.counted(), count))?;
                list.iter()
                    .enumerate()
                    .map(|(index, node)| self.tags_of_point(index, node))
                    .collect()
            }
            Some(Node::Map(tags)) => self.tags_by_name(tags, count),
            Some(other) => Err(wrong(&self.at("tags"), other, "an array or an object")),
        }
    }

    fn tags_of_point(
        &self,
        index: usize,
        node: &Node,
    ) -> Result<BTreeMap<String, String>, NumbersError> {
        match node {
            Node::Null => Ok(BTreeMap::new()),
            Node::Map(tags) => {
                let present = tags.iter().filter(|(_, node)| *node != Node::Null);
                let tag = |(name, node): &(String, Node)| match node.word() {
                    Some(word) => Ok((name.clone(), word)),
                    None => {
                        Err(wrong(&format!("{}.{name}", self.place("tags", index)), node, "a text"))
                    }
                };
                present.map(tag).collect()
            }
            node => match node.word() {
                Some(word) => Ok(BTreeMap::from([(ENVIRONMENT.to_owned(), word)])),
                None => Err(wrong(&self.place("tags", index), node, "an object of texts")),
            },
        }
    }

    fn tags_by_name(
        &self,
        tags: &[(String, Node)],
        count: usize,
    ) -> Result<Vec<BTreeMap<String, String>>, NumbersError> {
        let mut all = vec![BTreeMap::new(); count];
        for (name, node) in tags {
            let key = format!("tags.{name}");
            let Node::List(list) = node else {
                return Err(wrong(&self.at(&key), node, "an array"));
            };
            self.same_length(&key, list.len(), (self.counted(), count))?;
            for (index, node) in list.iter().enumerate().filter(|(_, node)| **node != Node::Null) {
                let word =
                    node.word().ok_or_else(|| wrong(&self.place(&key, index), node, "a text"))?;
                all[index].insert(name.clone(), word);
            }
        }
        Ok(all)
    }

    /// The given direction, if any.
    fn direction(&self) -> Result<Option<Direction>, NumbersError> {
        match self.get("better") {
            None | Some(Node::Null) => Ok(self.better),
            Some(node) => {
                let known = if let Node::Text(word) = node { direction(word) } else { None };
                let wrong = || wrong(&self.at("better"), node, "`lower` or `higher`");
                known.map(Some).ok_or_else(wrong)
            }
        }
    }

    /// The key that says how many points there are.
    fn counted(&self) -> &'static str {
        if matches!(self.get("values"), Some(Node::List(_))) { "values" } else { "samples" }
    }

    fn text(&self, key: &str) -> Result<Option<String>, NumbersError> {
        match self.get(key) {
            None | Some(Node::Null) => Ok(None),
            Some(Node::Text(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(&self.at(key), other, "a text")),
        }
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&[Node]>, NumbersError> {
        match self.get(key) {
            None | Some(Node::Null) => Ok(None),
            Some(Node::List(list)) => Ok(Some(list)),
            Some(other) => Err(wrong(&self.at(key), other, "an array")),
        }
    }

    fn get(&self, key: &str) -> Option<&Node> {
        get(self.map, key).or_else(|| get(self.around, key))
    }

    pub(super) fn same_length(
        &self,
        key: &str,
        found: usize,
        (other, wanted): (&'static str, usize),
    ) -> Result<(), NumbersError> {
        if found == wanted {
            return Ok(());
        }
        Err(NumbersError::Length { path: self.at(key), found, other, wanted })
    }

    /// The place of a key, for messages: `series.parse.values`.
    fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(super) fn place(&self, key: &str, index: usize) -> String {
        format!("{}[{index}]", self.at(key))
    }
}

fn get<'a>(map: &'a [(String, Node)], key: &str) -> Option<&'a Node> {
    map.iter().find(|(name, _)| name == key).map(|(_, node)| node)
}

/// The one value of a point; `None` if there is a gap.
fn value(node: &Node, path: impl Fn() -> String) -> Result<Option<f64>, NumbersError> {
    match node {
        Node::List(_) => Err(NumbersError::SeveralValues { path: path() }),
        other => number(other, path),
    }
}

/// A number; `None` if there is a gap.
fn number(node: &Node, path: impl Fn() -> String) -> Result<Option<f64>, NumbersError> {
    match node {
        Node::Number(number) => Ok(Some(*number).filter(|number| number.is_finite())),
        Node::Null => Ok(None),
        Node::Text(text) if text.is_empty() => Ok(None),
        other => Err(wrong(&path(), other, "a number or null")),
    }
}

pub(super) fn wrong(path: &str, found: &Node, wanted: &'static str) -> NumbersError {
    let path = if path.is_empty() { "the document" } else { path };
    NumbersError::Wrong { path: path.to_owned(), found: found.describe(), wanted }
}
