//! The book: the pages of `docs`, packed into the program in a release, on disk in a debug build; the search in it, and
//! its pages as a browser shows them.

mod html;
mod search;

pub(crate) use html::page;
pub use search::{Passage, find};

/// A page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it is, without an ending: `cron`, `channels/telegram`.
    pub name: String,
    pub title: String,
    /// As it was written, in Markdown.
    pub text: String,
}

impl Page {
    fn new(name: &str, text: &str) -> Self {
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name).to_owned();
        Self { name: name.to_owned(), title, text: text.to_owned() }
    }
}

/// What mdBook calls the list of pages.
const CONTENTS: &str = "SUMMARY";

/// Every page, in alphabetical order; none where the program was built without the book.
#[must_use]
pub fn pages() -> Vec<Page> {
    all().into_iter().filter(|page| page.name != CONTENTS).collect()
}

/// The pages and the list of them.
fn all() -> Vec<Page> {
    let book = packed();
    let pages = book.split('\0').filter_map(|page| page.split_once('\n'));
    pages.map(|(name, text)| Page::new(name, text)).collect()
}

/// The pages one after the other, each after a line that begins with a zero character and names it.
#[cfg(not(debug_assertions))]
fn packed() -> String {
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/book"));
    const MAX_BYTES: u64 = 8 * 1024 * 1024;
    let book = homard_runtime::inflated(PACKED, MAX_BYTES);
    book.and_then(|book| String::from_utf8(book).ok()).unwrap_or_default()
}

/// The same, read from the clone.
#[cfg(debug_assertions)]
fn packed() -> String {
    let Some(docs) = crate::dist::clone_folder("docs") else { return String::new() };
    let mut pages = Vec::new();
    let mut folders = vec![docs.clone()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    let mut book = String::new();
    for page in pages {
        let name = page.strip_prefix(&docs).unwrap_or(&page).with_extension("");
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        book.push_str(&format!("\0{}\n{text}", name.display()));
    }
    book
}

#[cfg(test)]
mod tests;
