//! Answers from a cache, as text.

use std::fmt::Write;

use regex::bytes::{Regex, RegexBuilder};

use crate::cache::{Cache, Version};
use crate::stanza::{Relation, field, fields, lines, targets};
use crate::{Error, version};

/// The stanzas of packages, newest version first, each with an empty line after it.
///
/// # Errors
/// If a package is unknown or the cache is damaged.
pub fn show(cache: &Cache, names: &[String]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    for name in names {
        for version in versions(cache, name)? {
            extend_as_apt(&mut out, version.stanza);
            out.push(b'\n');
        }
    }
    Ok(out)
}

/// Appends a stanza with its fields in the order of `apt-cache show`, which prints the checksum of
/// the description right after it.
fn extend_as_apt(out: &mut Vec<u8>, stanza: &[u8]) {
    let sum = lines(stanza).find(|line| is_field(line, b"description-md5:")).unwrap_or_default();
    for field in lines(stanza).filter(|line| !is_field(line, b"description-md5:")) {
        out.extend(field);
        if is_field(field, b"description:") {
            out.extend(sum);
        }
    }
}

/// Whether the lines of a field begin with this name and colon, in any case.
fn is_field(lines: &[u8], name: &[u8]) -> bool {
    lines.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
}

/// The versions of a package, newest first, each once.
fn versions<'a>(cache: &'a Cache, name: &str) -> Result<Vec<Version<'a>>, Error> {
    let found = cache
        .find(name.as_bytes())?
        .map(|number| cache.versions(number))
        .transpose()?
        .unwrap_or_default();
    if found.is_empty() {
        return Err(unknown(cache, name)?);
    }
    let mut found = found;
    found.reverse();
    found.sort_by(|a, b| version::compare(b.version, a.version));
    found.dedup_by(|a, b| a.stanza == b.stanza);
    Ok(found)
}

/// The error for a name without a package: it names those that provide it, or have nearly its name.
fn unknown(cache: &Cache, name: &str) -> Result<Error, Error> {
    let mut hint = providers(cache, name)?;
    if hint.is_empty() {
        hint = similar(cache, name)?;
    }
    Ok(Error::UnknownPackage { name: name.to_owned(), hint })
}

/// A hint that names the package with the nearest name, if one is at most two typing mistakes away.
fn similar(cache: &Cache, name: &str) -> Result<String, Error> {
    let mut best: Option<(usize, String)> = None;
    for number in 0..cache.names() {
        let other = cache.name(number)?;
        let most =
            best.as_ref().map_or(name.len().div_ceil(4).min(2) + 1, |(mistakes, _)| *mistakes);
        if other.len().abs_diff(name.len()) >= most {
            continue;
        }
        let other = String::from_utf8_lossy(other);
        let mistakes = strsim::osa_distance(name, &other);
        if mistakes < most && !cache.versions(number)?.is_empty() {
            best = Some((mistakes, other.into_owned()));
        }
    }
    Ok(best.map_or_else(String::new, |(_, other)| format!("\nhint: did you mean `{other}`?")))
}

/// A hint that names the packages that provide a name.
fn providers(cache: &Cache, name: &str) -> Result<String, Error> {
    let Some(number) = cache.find(name.as_bytes())? else { return Ok(String::new()) };
    let mut names: Vec<String> = (cache.links_to(number)?.into_iter())
        .filter(|link| link.relation == Relation::Provides)
        .map(|link| package(&link.version))
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        return Ok(String::new());
    }
    let more = if names.len() > 5 { ", …" } else { "" };
    names.truncate(5);
    Ok(format!("\nhint: it is provided by {}{more}", names.join(", ")))
}

fn package(version: &Version) -> String {
    String::from_utf8_lossy(field(version.stanza, "Package").unwrap_or_default()).into_owned()
}

/// Packages whose name or description matches all patterns, in order of names: `name -
/// description`.
///
/// # Errors
/// If a pattern is no regular expression or the cache is damaged.
pub fn search(cache: &Cache, patterns: &[String], is_names_only: bool) -> Result<Vec<u8>, Error> {
    let compile = |pattern: &String| {
        let regex = RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build();
        regex
            .map_err(|source| Error::Pattern { pattern: pattern.clone(), source: Box::new(source) })
    };
    let patterns: Vec<Regex> = patterns.iter().map(compile).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for number in 0..cache.names() {
        let newest = |a: &Version, b: &Version| version::compare(a.version, b.version);
        let Some(version) = cache.versions(number)?.into_iter().max_by(newest) else { continue };
        let name = cache.name(number)?;
        let description = field(version.stanza, "Description").unwrap_or_default();
        let is_match = |pattern: &Regex| {
            pattern.is_match(name) || (!is_names_only && pattern.is_match(description))
        };
        if patterns.iter().all(is_match) {
            let summary = description.split(|&byte| byte == b'\n').next().unwrap_or_default();
            found.push([name, b" - ", summary, b"\n"].concat());
        }
    }
    found.sort();
    Ok(found.concat())
}

/// What a package depends on: one line for each alternative, with `|` before those that another may
/// stand for.
///
/// # Errors
/// If the package is unknown or the cache is damaged.
pub fn depends(cache: &Cache, name: &str) -> Result<Vec<u8>, Error> {
    let mut out = format!("{name}\n");
    for version in versions(cache, name)?.iter().take(1) {
        for relation in Relation::ALL.into_iter().filter(|&relation| relation != Relation::Provides)
        {
            let named =
                fields(version.stanza).find(|field| field.name == relation.field().as_bytes());
            for target in targets(named.map_or(&b""[..], |field| field.value)) {
                let bar = if target.has_alternative { '|' } else { ' ' };
                let text = String::from_utf8_lossy(target.text);
                let _ = writeln!(out, " {bar}{}: {text}", relation.field());
            }
        }
    }
    Ok(out.into_bytes())
}

/// Which packages name a package, in order of names.
///
/// # Errors
/// If no package has or names it, or the cache is damaged.
pub fn reverse_depends(cache: &Cache, name: &str) -> Result<Vec<u8>, Error> {
    let links = cache.find(name.as_bytes())?.map(|number| cache.links_to(number)).transpose()?;
    let Some(links) = links else {
        return Err(unknown(cache, name)?);
    };
    let mut shown: Vec<String> = links
        .iter()
        .map(|link| format!("  {}: {}\n", link.relation.field(), package(&link.version)))
        .collect();
    shown.sort();
    shown.dedup();
    Ok(format!("{name}\n{}", shown.concat()).into_bytes())
}

/// The sizes of a cache: `key: value` lines, in which plans find metrics.
///
/// # Errors
/// If the cache is damaged.
pub fn stats(cache: &Cache) -> Result<String, Error> {
    let lengths = cache.bucket_lengths()?;
    let used = lengths.iter().filter(|&&length| length > 0).count();
    // A name at place n of its bucket takes n comparisons to be found.
    let comparisons: usize = lengths.iter().map(|length| length * (length + 1) / 2).sum();
    let names = cache.names().max(1) as f64;
    Ok(format!(
        "names: {}\nversions: {}\nrelations: {}\ntable: {}\nused-buckets: {used}\n\
         mean-bucket: {:.3}\nlongest-bucket: {}\nmean-comparisons: {:.3}\n",
        cache.names(),
        cache.count(),
        cache.links(),
        cache.table(),
        cache.names() as f64 / used.max(1) as f64,
        lengths.iter().max().unwrap_or(&0),
        comparisons as f64 / names,
    ))
}
