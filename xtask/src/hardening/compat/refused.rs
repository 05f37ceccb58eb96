//! What the client asked for and Homard does not know, with the reason; made from what the flows recorded, which is kept
//! in `asked.txt`: a test compares the manual with it.

use std::collections::BTreeMap;

use super::Line;

/// Where it is kept.
pub(super) const RECORD: &str = "xtask/src/hardening/compat/asked.txt";
const HEAD: &str = "# What flows of `cargo xtask compat` asked for and this gateway does not know; `--write` makes it anew.\n";
/// Beginnings of method names and why they are not answered. A method without one is told as not judged yet.
const REASONS: [(&str, &str); 11] = [
    ("doctor.memory.", "how a memory stands is told by `memory.status`; there are no dreams to report on"),
    ("migrations.", "memory of other programs is not taken over"),
    (
        "node.",
        "the node takes exactly these words as a no and goes on; what it offers beyond commands has no room here",
    ),
    ("plugins.", "there are no plugins yet, and no catalogue of them"),
    ("skills.library.", "there is no library of skills beside their folders"),
    ("skills.proposals.", "no assistant proposes skills"),
    ("skills.search", "skills are not fetched from a registry; those installed are in `skills.status`"),
    ("themes.", "the gateway keeps no looks of the client's page"),
    ("tools.github.", "the gateway has no account with GitHub"),
    ("users.", "there is one owner, who has no profile"),
    ("worktrees.", "working copies are not looked after"),
];

/// What the flows asked for, as it is kept.
pub(super) fn record(lines: &[Line]) -> String {
    let mut text = HEAD.to_owned();
    for line in lines.iter().filter(|line| !line.unknown.is_empty()) {
        text.push_str(&format!("{}: {}\n", line.name, line.unknown.join(" ")));
    }
    text
}

/// What is kept as a table of Markdown: each method, the flows that asked for it, and the reason.
pub(super) fn table(record: &str) -> String {
    let mut asked: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let lines = record.lines().filter(|line| !line.starts_with('#'));
    for (flow, methods) in lines.filter_map(|line| line.split_once(": ")) {
        for method in methods.split(' ') {
            asked.entry(method).or_default().push(flow);
        }
    }
    let mut text = "| method | asked for by | why it is not answered |\n|---|---|---|\n".to_owned();
    for (method, flows) in asked {
        let reason = REASONS.iter().find(|(begins, _)| method.starts_with(begins));
        let reason = reason.map_or("not judged yet", |(_, reason)| reason);
        text.push_str(&format!("| `{method}` | {} | {reason} |\n", flows.join(", ")));
    }
    text
}
