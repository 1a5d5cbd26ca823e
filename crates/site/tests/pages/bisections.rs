//! Bisections.

use super::*;

#[test]
fn a_bisection_tells_what_it_named_and_by_what() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    pages(&mut fixture, dir.path());
    let read = |file: &str| fs::read_to_string(dir.path().join(file)).unwrap();
    let html = read("bisection/b3.html");
    let culprit = &fixture.lab.bisections[1].bisection.candidates[19].revision;
    for text in [
        culprit.short(),
        " by +9.0 % (",
        "98.0 %",
        "5 fresh pairs",
        "cannot find &lt;vector&gt;",
        "tacho bisect log b3",
        "others used 0.1 CPU, 2.9 GHz",
        "14 samples",
        "<th class=\"num\" scope=\"col\">host-other-cpu</th>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    // Complete without a script: a bar for each stretch of the belief, a dot for each measured
    // commit.
    assert!(!html.contains("<script"));
    let picture = |label: &str| html.split(label).nth(1).unwrap().split("</svg>").next().unwrap();
    assert_eq!(picture("how likely each stretch").matches("<rect").count(), 4 + 1);
    assert_eq!(picture("levels of measured commits").matches("<circle").count(), 7);
    let other = read("bisection/b2.html");
    assert!(other.contains("Not reproduced: "));
    let around = " in bisection <a href=\"../bisection/b3.html\">b3</a>";
    assert!(other.contains("bring &lt;b&gt;all&lt;/b&gt;") && other.contains(around), "{other}");
    let by = "which has an effect of &gt; +12.0 % (a limit was reached) in ";
    assert!(other.contains(by), "{other}");
    let left = "Whole range v2..v1 &amp; &lt;old&gt;: ";
    assert!(
        other.contains(left) && other.contains("the named commits, so something else changed too"),
        "{other}"
    );
    let back = "The commits of the merge were searched by bisection \
                <a href=\"../bisection/b2.html\">b2</a>: Not reproduced";
    assert!(html.contains(back), "{html}");
    let [good, bad] = fixture.lab.bisections[1].bisection.end_names();
    assert!(
        html.contains(&format!("39 commits after <code>{good}</code>, up to <code>{bad}</code>"))
    );
    assert!(
        html.contains(&format!("tacho bisect {good} {bad} "))
            && html.contains(" --min-effect 2% --again")
    );
    let place = page_of(dir.path(), &culprit.id);
    assert!(fs::read_to_string(place).unwrap().contains("../bisection/b3.html"));
    let change = fixture.lab.bisections[1].bisection.asked.change.clone().unwrap();
    assert!(read(&format!("change/{change}.html")).contains("../bisection/b3.html"));
    let overview = read("bisections.html");
    assert!(overview.find("b3").unwrap() < overview.find("bisection/b2.html").unwrap());
    // The commit that is named is marked in the chart, and the first page says what was found.
    let chart = picture("levels of measured commits");
    assert!(chart.contains(&format!(">{}</text>", culprit.short())), "{chart}");
    assert!(html.contains("A line with its name marks each commit that is named."));
    let first = read("index.html");
    assert!(first.contains("bisections.html"));
    let section = first.split("<h2>Bisections</h2>").nth(1).unwrap().split("</section>").next();
    let section = section.unwrap();
    assert!(
        section.contains("bisection/b3.html") && section.contains(culprit.short()),
        "{section}"
    );
}

#[test]
fn a_commit_that_stands_for_others_is_named_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    fixture.lab.bisections[1].bisection.standing.culprits[0].parent_place = 16;
    pages(&mut fixture, dir.path());
    let html = fs::read_to_string(dir.path().join("bisection/b3.html")).unwrap();
    assert!(
        html.contains(" or one of the 2 commits before it that could not be measured changed ")
    );
}

#[test]
fn a_lab_without_bisections_has_no_page_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = realistic();
    fixture.lab.bisections.clear();
    pages(&mut fixture, dir.path());
    assert!(!dir.path().join("bisections.html").exists());
    assert!(
        !fs::read_to_string(dir.path().join("index.html")).unwrap().contains("bisections.html")
    );
}
