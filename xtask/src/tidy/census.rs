//! The census of chat platforms: a platform's name belongs in its own module and the registry line.
//!
//! Counted is the code that ships; documentation, tests, fakes and the configuration's schema may name whom
//! they like. Once adapters exist, a name in the rooms a message walks through is a finding, and so is one in the page
//! outside its words: what the page knows of a platform comes from the adapter's schema.

use std::collections::BTreeMap;

use super::Finding;
use super::clone::SourceFile;

/// Names that mean a platform wherever they stand.
const PLAIN: [&str; 12] = [
    "telegram",
    "discord",
    "slack",
    "whatsapp",
    "imessage",
    "bluebubbles",
    "mattermost",
    "msteams",
    "googlechat",
    "nostr",
    "feishu",
    "zalo",
];
/// Names that are words too; only a string of nothing else counts.
const ALSO_WORDS: [&str; 5] = ["signal", "matrix", "line", "irc", "twitch"];

/// Where the adapters are; that folder's existence makes the census a rule.
const ADAPTERS: &str = "crates/homard-channels/src/";
/// The rooms that must not know any platform.
const WALKED: [&str; 3] = ["crates/homard-agent/", "crates/homard-relay/", "crates/homard-gateway/"];
/// The page, which must know none either.
const PAGE: &str = "web/src/";
/// Where the page's words and pictures are, the types made from ours, and what tests alone use.
const PAGE_MAY_NAME: [&str; 3] = ["web/src/words/", "web/src/protocol.ts", ".test.ts"];
/// Names that are words too and mean a platform in the page; a line there is a line.
const ALSO_WORDS_IN_PAGE: [&str; 4] = ["signal", "matrix", "irc", "twitch"];
/// Places that may name any platform.
const MAY_NAME: [&str; 3] =
    ["crates/homard-config/", "crates/homard-testkit/", "crates/homard-channels/src/registry.rs"];

/// A line of code that names a platform outside the platform's module.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    platform: &'static str,
    path: String,
    line: usize,
}

/// How often each platform is named where, for looking at.
pub(super) fn table(files: &[SourceFile]) -> Vec<String> {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for mention in mentions(files) {
        *counts.entry((mention.platform, mention.path)).or_default() += 1;
    }
    counts.iter().map(|((platform, path), count)| format!("names {platform}: {path} ({count})")).collect()
}

/// Mentions in the rooms a message walks through and in the page, once there are adapters to hold them instead.
pub(super) fn check(files: &[SourceFile]) -> Vec<Finding> {
    if !files.iter().any(|file| file.path.starts_with(ADAPTERS)) {
        return Vec::new();
    }
    let walked =
        mentions(files).into_iter().filter(|found| WALKED.iter().any(|room| found.path.starts_with(room)));
    let walked = walked.map(|found| (found, "say it with `Abilities` or the adapter's entry instead"));
    let page = files.iter().flat_map(in_page);
    let page = page.map(|found| (found, "say it in the adapter's schema (`x-form`) or in web/src/words"));
    walked
        .chain(page)
        .map(|(Mention { platform, path, line }, instead)| {
            Finding::new(format!("{path}:{line}"), format!("names `{platform}`; {instead}"))
        })
        .collect()
}

/// Mentions in a file of the page, its name and comments included.
fn in_page(file: &SourceFile) -> Vec<Mention> {
    if !file.path.starts_with(PAGE) || PAGE_MAY_NAME.iter().any(|place| file.path.contains(place)) {
        return Vec::new();
    }
    let quoted =
        |line: &str, name: &str| ['\'', '"', '`'].iter().any(|q| line.contains(&format!("{q}{name}{q}")));
    let lines = std::iter::once((1, file.path.as_str()))
        .chain(file.text.lines().enumerate().map(|(index, line)| (index + 1, line)));
    lines
        .flat_map(|(line, text)| {
            let lower = text.to_lowercase();
            let plain = PLAIN.into_iter().filter(|name| lower.contains(*name)).collect::<Vec<_>>();
            let words = ALSO_WORDS_IN_PAGE.into_iter().filter(|name| quoted(&lower, name));
            let found = plain.into_iter().chain(words);
            found.map(|platform| Mention { platform, path: file.path.clone(), line }).collect::<Vec<_>>()
        })
        .collect()
}

fn mentions(files: &[SourceFile]) -> Vec<Mention> {
    let mut mentions = Vec::new();
    for file in files.iter().filter(|file| is_counted(file)) {
        for (line, text) in file.code_lines() {
            let lower = text.to_lowercase();
            let plain = PLAIN.iter().filter(|name| lower.contains(**name));
            let words = ALSO_WORDS.iter().filter(|name| lower.contains(&format!("\"{name}\"")));
            for platform in plain.chain(words).filter(|name| !file.path.contains(**name)) {
                mentions.push(Mention { platform, path: file.path.clone(), line });
            }
        }
    }
    mentions
}

fn is_counted(file: &SourceFile) -> bool {
    let ships = file.path.starts_with("crates/") && file.path.ends_with(".rs") && !file.is_test();
    ships && !MAY_NAME.iter().any(|place| file.path.starts_with(place))
}

#[cfg(test)]
mod tests;
