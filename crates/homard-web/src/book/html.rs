//! A page of the book as a browser shows it: the contents at the side, nothing that runs, nothing fetched from elsewhere.
//!
//! Links between pages lead to pages; pictures are not in the program, and their words stand in their place.

use std::collections::HashSet;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::{CONTENTS, Page, all};

/// The page a reader begins with.
const FIRST: &str = "start";
/// What the name of a page ends with in an address, and in the book's sources.
const PAGE: &str = ".html";
const SOURCE: &str = ".md";
const STYLE: &str = include_str!("page.css");

/// The page at an address below that of the book, such as `channels/telegram.html`.
pub(crate) fn page(address: &str) -> Option<String> {
    let name = address.strip_suffix(PAGE)?;
    let name = if name == "index" { FIRST } else { name };
    let book = all();
    let page = book.iter().find(|page| page.name == name)?;
    let contents = book.iter().find(|page| page.name == CONTENTS);
    Some(render(page, contents))
}

fn render(page: &Page, contents: Option<&Page>) -> String {
    let up = "../".repeat(page.name.matches('/').count());
    let title = escape(&page.title.replace('`', ""));
    let contents = contents.map(|contents| body(&contents.text, &up)).unwrap_or_default();
    let text = body(&page.text, "");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Homard</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<nav aria-label=\"Contents\">\n{contents}</nav>\n\
         <main>\n{text}</main>\n</body>\n</html>\n"
    )
}

/// Markdown as HTML. Links of the book are relative to the page they stand on; `up` leads from another one to there.
fn body(text: &str, up: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events: Vec<Event<'_>> =
        Parser::new_ext(text, options).filter_map(|event| shown(event, up)).collect();
    name_headings(&mut events);
    let mut html = String::with_capacity(text.len() * 2);
    push_html(&mut html, events.into_iter());
    html
}

/// What is left of a piece of a page: links that lead somewhere, no pictures and no HTML of its own.
fn shown<'a>(event: Event<'a>, up: &str) -> Option<Event<'a>> {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = CowStr::from(address(&dest_url, up));
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::Start(Tag::Image { .. }) => Some(Event::Start(Tag::Emphasis)),
        Event::End(TagEnd::Image) => Some(Event::End(TagEnd::Emphasis)),
        Event::Html(_) | Event::InlineHtml(_) => None,
        other => Some(other),
    }
}

/// Where a link leads in a browser.
fn address(link: &str, up: &str) -> String {
    if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
        return link.to_owned();
    }
    let (path, place) = link.split_once('#').map_or((link, None), |(path, place)| (path, Some(place)));
    let path = match path.strip_suffix(SOURCE) {
        Some(name) => format!("{up}{name}{PAGE}"),
        None => format!("{up}{path}"),
    };
    place.map_or_else(|| path.clone(), |place| format!("{path}#{place}"))
}

/// Gives headings the names that links of the book use: their words in small letters, with dashes between.
fn name_headings(events: &mut [Event<'_>]) {
    let mut taken = HashSet::new();
    let mut at = 0;
    while at < events.len() {
        let is_heading = matches!(events.get(at), Some(Event::Start(Tag::Heading { .. })));
        if is_heading {
            let words: String = events
                .iter()
                .skip(at + 1)
                .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
                .filter_map(|event| match event {
                    Event::Text(text) | Event::Code(text) => Some(&**text),
                    _unsaid => None,
                })
                .collect();
            let name = free(&slug(&words), &mut taken);
            if let Some(Event::Start(Tag::Heading { id, .. })) = events.get_mut(at) {
                *id = Some(CowStr::from(name));
            }
        }
        at += 1;
    }
}

fn slug(words: &str) -> String {
    let kept = words.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// A name that no heading of this page has yet.
fn free(name: &str, taken: &mut HashSet<String>) -> String {
    let mut found = name.to_owned();
    let mut number = 0;
    while !taken.insert(found.clone()) {
        number += 1;
        found = format!("{name}-{number}");
    }
    found
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
