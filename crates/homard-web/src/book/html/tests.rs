//! Pages as a browser shows them: every link of the real book leads somewhere, and nothing runs.

use std::collections::{HashMap, HashSet};

use super::{all, body, page, slug};

#[test]
fn markdown_becomes_a_page_that_runs_and_fetches_nothing() {
    let text = "# A `b` & c\n\n[x](models.md#all-of-them) ![a picture](ui/a.webp) <script>alert(1)</script> <img src=x>\n\n\
        | a |\n|---|\n| `1` |\n\n## Twice\n\n## Twice\n";
    let html = body(text, "../");
    for part in [
        "<h1 id=\"a-b--c\">A <code>b</code> &amp; c</h1>",
        "<a href=\"../models.html#all-of-them\">x</a>",
        "<em>a picture</em>",
        "<td><code>1</code></td>",
        "<h2 id=\"twice\">",
        "<h2 id=\"twice-1\">",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
}

#[test]
fn headings_are_named_as_links_name_them() {
    for (words, name) in
        [("Five minutes", "five-minutes"), ("What's `new`?", "whats-new"), ("a_b-c", "a_b-c")]
    {
        assert_eq!(slug(&words.replace('`', "")), name);
    }
}

/// The values of an attribute in a page.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=\"");
    html.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// `channels/../start.html` without the detour.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_link_of_the_book_leads_to_a_page_and_a_heading_of_it() {
    let pages: HashMap<String, String> = all()
        .iter()
        .filter_map(|found| Some((format!("{}.html", found.name), page(&format!("{}.html", found.name))?)))
        .collect();
    assert!(pages.len() > 30, "{}", pages.len());
    let named: HashMap<&str, HashSet<&str>> =
        pages.iter().map(|(name, html)| (name.as_str(), values(html, "id").into_iter().collect())).collect();
    let mut wrong = Vec::new();
    for (name, html) in &pages {
        let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for link in values(html, "href").into_iter().filter(|link| !link.contains("://")) {
            let (path, place) =
                link.split_once('#').map_or((link, None), |(path, place)| (path, Some(place)));
            let path = if path.is_empty() { name.clone() } else { plain(&format!("{folder}{path}")) };
            // The schema is a file beside the book's pages, not one of them.
            let is_file = !path.ends_with(".html");
            let there = named.get(path.as_str());
            if !is_file && !there.is_some_and(|ids| place.is_none_or(|place| ids.contains(place))) {
                wrong.push(format!("{name}: {link}"));
            }
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_book_begins_with_the_first_five_minutes_and_has_no_other_pages() {
    assert!(page("index.html").unwrap().contains("<h1 id=\"five-minutes\">"));
    assert!(page("channels/telegram.html").unwrap().contains("href=\"../start.html\""));
    for address in ["", "index", "start.md", "../README.html", "SUMMARY.htm", "nothing.html"] {
        assert!(page(address).is_none(), "{address}");
    }
}
