//! Which node or request a person means, and how it is put into words.

use homard_protocol::methods::nodes::{Node, NodeApproval, PendingNodeRow};
use serde_json::Value;

use super::words;
use crate::commands::machines::only;
use crate::report::Advice;

/// Most names listed in one cell.
const MAX_LISTED: usize = 6;
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// What people call a node.
pub(super) fn name_of(node: &Node) -> String {
    node.display_name.clone().unwrap_or_else(|| words::short(node.node_id.as_str()))
}

/// The node whose id, name or address this is, or whose id begins like this. Of several, the one that is connected.
///
/// # Errors
/// When none or several are.
pub(in crate::commands) fn node<'a>(nodes: &'a [Node], id: &str) -> anyhow::Result<&'a Node> {
    let is = |node: &&Node| {
        node.node_id.as_str() == id
            || node.remote_ip.as_deref() == Some(id)
            || node.display_name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(id))
    };
    let begins = |node: &&Node| !id.is_empty() && node.node_id.as_str().starts_with(id);
    let mut found: Vec<&Node> = nodes.iter().filter(is).collect();
    if found.is_empty() {
        found = nodes.iter().filter(begins).collect();
    }
    let here: Vec<&Node> = found.iter().copied().filter(|node| node.connected).collect();
    match (here.as_slice(), found.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one),
        (_, []) => Err(Advice::error(format!("no node is called `{id}`"), "`homard nodes` lists them")),
        _ => Err(Advice::error("more than one node is meant by that", "write more of the id")),
    }
}

/// The request whose id this is, or begins like this.
///
/// # Errors
/// When none or several do.
pub(super) fn request<'a>(pending: &'a [PendingNodeRow], id: &str) -> anyhow::Result<&'a PendingNodeRow> {
    let begins = pending.iter().filter(|asks| !id.is_empty() && asks.request_id.starts_with(id));
    only(&[], &begins.collect::<Vec<_>>(), || {
        Advice::error(
            format!("no node waits with the request `{id}`"),
            "`homard nodes pending` lists what waits; a device that is not let in yet is in `homard devices`",
        )
    })
}

/// The request that came last, if the person said that it is meant.
///
/// # Errors
/// When nothing waits, or the person did not say which.
pub(super) fn latest(pending: &[PendingNodeRow], said: bool) -> anyhow::Result<&PendingNodeRow> {
    let last = pending.iter().max_by_key(|asks| asks.ts);
    match last {
        Some(last) if said => Ok(last),
        Some(_) => {
            Err(Advice::error("which request?", "`homard nodes pending` lists them; --latest takes the last"))
        }
        None => Err(Advice::error("no node waits for approval", "`homard nodes` lists those there are")),
    }
}

/// What the owner said, in a word.
pub(super) fn approval(state: NodeApproval) -> &'static str {
    match state {
        NodeApproval::Approved => "approved",
        NodeApproval::PendingApproval => "waits",
        NodeApproval::PendingReapproval => "wants more",
        NodeApproval::Unapproved => "none",
    }
}

/// What a node asks to offer.
pub(super) fn wants(asks: &PendingNodeRow) -> String {
    if asks.commands.is_empty() { "no commands".to_owned() } else { listed(&asks.commands) }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_LISTED).map(String::as_str).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// Everything about one node.
pub(super) fn facts(node: &Node, now: i64) -> Vec<(&'static str, String)> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let ago = |at: Option<i64>| at.map(|at| words::ago(at, now)).unwrap_or_default();
    let granted: Vec<String> =
        node.permissions.iter().filter(|(_, has)| **has).map(|(name, _)| name.clone()).collect();
    let rows = [
        ("node", node.node_id.to_string()),
        ("name", text(&node.display_name)),
        ("platform", text(&node.platform)),
        ("family", text(&node.device_family)),
        ("model", text(&node.model_identifier)),
        ("version", text(&node.version)),
        ("address", text(&node.remote_ip)),
        ("connected", if node.connected { ago(node.connected_at_ms) } else { "no".to_owned() }),
        ("seen", ago(node.last_seen_at_ms)),
        ("approval", approval(node.approval_state).to_owned()),
        ("commands", node.commands.join(", ")),
        ("kinds", node.caps.join(", ")),
        ("permissions", granted.join(", ")),
        ("machine", node.host_stats.as_ref().map(machine).unwrap_or_default()),
        ("asks for", node.pending_declared_commands.as_deref().unwrap_or_default().join(", ")),
        ("request", text(&node.pending_request_id)),
    ];
    rows.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// How a machine is, in one line.
fn machine(stats: &Value) -> String {
    let number = |name: &str| stats.get(name).and_then(Value::as_f64);
    let mut parts = Vec::new();
    if let Some(cpus) = number("cpuCount") {
        match stats.pointer("/loadAverage/0").and_then(Value::as_f64) {
            Some(load) => parts.push(format!("load {load:.1} of {cpus}")),
            None => parts.push(format!("{cpus} processors")),
        }
    }
    if let (Some(total), Some(free)) = (number("memoryTotalBytes"), number("memoryFreeBytes")) {
        parts.push(format!("memory {:.1} of {:.1} GiB used", (total - free) / GIB, total / GIB));
    }
    if let Some(free) = number("diskAvailableBytes") {
        parts.push(format!("disk {:.0} GiB free", free / GIB));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests;
