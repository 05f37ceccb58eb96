//! Which keys do something today.
//!
//! The schema knows every key; this table knows the ones that are built. A key that is known and written but
//! not in the table is told about once, so that nobody wonders why it does nothing. Whoever builds a room
//! adds its keys here.

use serde_json::Value;

use crate::value_path::ValuePath;

/// Keys in effect; `*` stands for any key or position, and everything beneath a key is in effect with it.
const IN_EFFECT: &[&str] = &[
    "$schema",
    "agents.defaults.bootstrapMaxChars",
    "agents.defaults.bootstrapTotalMaxChars",
    "agents.defaults.cliBackends",
    "agents.defaults.compaction.enabled",
    "agents.defaults.compaction.keepRecentTokens",
    "agents.defaults.compaction.maxHistoryShare",
    "agents.defaults.compaction.memoryFlush",
    "agents.defaults.compaction.reserveTokens",
    "agents.defaults.compaction.reserveTokensFloor",
    "agents.defaults.compaction.timeoutSeconds",
    "agents.defaults.contextPruning",
    "agents.defaults.contextTokens",
    "agents.defaults.imageModel",
    "agents.defaults.maxConcurrent",
    "agents.defaults.model",
    "agents.defaults.modelPolicy.allow",
    "agents.defaults.models.*.alias",
    "agents.defaults.subagents.allowAgents",
    "agents.defaults.subagents.archiveAfterMinutes",
    "agents.defaults.subagents.maxChildrenPerAgent",
    "agents.defaults.subagents.maxConcurrent",
    "agents.defaults.subagents.maxSpawnDepth",
    "agents.defaults.subagents.model",
    "agents.defaults.subagents.runTimeoutSeconds",
    "agents.defaults.subagents.thinking",
    "agents.defaults.thinkingDefault",
    "agents.defaults.timeoutSeconds",
    "agents.defaults.userTimezone",
    "agents.defaults.workspace",
    "agents.entries.*.default",
    "agents.entries.*.id",
    "agents.entries.*.identity",
    "agents.entries.*.model",
    "agents.entries.*.name",
    "agents.entries.*.skills",
    "agents.entries.*.subagents",
    "agents.entries.*.thinkingDefault",
    "agents.entries.*.tools.allow",
    "agents.entries.*.tools.alsoAllow",
    "agents.entries.*.tools.byProvider",
    "agents.entries.*.tools.deny",
    "agents.entries.*.tools.exec.ask",
    "agents.entries.*.tools.exec.host",
    "agents.entries.*.tools.exec.mode",
    "agents.entries.*.tools.exec.safeBins",
    "agents.entries.*.tools.exec.security",
    "agents.entries.*.tools.fs",
    "agents.entries.*.tools.profile",
    "agents.entries.*.tools.sandbox",
    "agents.entries.*.workspace",
    "agents.list.*.default",
    "agents.list.*.id",
    "agents.list.*.identity",
    "agents.list.*.model",
    "agents.list.*.name",
    "agents.list.*.skills",
    "agents.list.*.subagents",
    "agents.list.*.thinkingDefault",
    "agents.list.*.tools.allow",
    "agents.list.*.tools.alsoAllow",
    "agents.list.*.tools.byProvider",
    "agents.list.*.tools.deny",
    "agents.list.*.tools.exec.ask",
    "agents.list.*.tools.exec.host",
    "agents.list.*.tools.exec.mode",
    "agents.list.*.tools.exec.safeBins",
    "agents.list.*.tools.exec.security",
    "agents.list.*.tools.fs",
    "agents.list.*.tools.profile",
    "agents.list.*.tools.sandbox",
    "agents.list.*.workspace",
    "agents.ownership",
    "auth",
    "budgets",
    "commands.ownerAllowFrom",
    "env",
    "gateway.auth.mode",
    "gateway.auth.password",
    "gateway.auth.rateLimit",
    "gateway.auth.token",
    "gateway.bind",
    "gateway.controlUi.allowedOrigins",
    "gateway.controlUi.basePath",
    "gateway.controlUi.enabled",
    "gateway.customBindHost",
    "gateway.mode",
    "gateway.port",
    "gateway.reload",
    "gateway.remote.url",
    "gateway.trustedProxies",
    "logging.consoleLevel",
    "logging.consoleStyle",
    "logging.file",
    "logging.level",
    "logging.maxFileBytes",
    "meta",
    "models.bedrockDiscovery",
    "models.mode",
    "models.providers",
    "skills",
    "talk",
    "tools.agentToAgent",
    "tools.allow",
    "tools.alsoAllow",
    "tools.byProvider",
    "tools.deny",
    "tools.exec.applyPatch",
    "tools.exec.ask",
    "tools.exec.backgroundMs",
    "tools.exec.cleanupMs",
    "tools.exec.host",
    "tools.exec.mode",
    "tools.exec.notifyOnExit",
    "tools.exec.notifyOnExitEmptySuccess",
    "tools.exec.pathPrepend",
    "tools.exec.safeBins",
    "tools.exec.security",
    "tools.exec.timeoutSec",
    "tools.exec.timeoutSeconds",
    "tools.fs",
    "tools.loopDetection",
    "tools.profile",
    "tools.sandbox",
    "tools.sessions.visibility",
    "tools.subagents",
    "tools.taint",
    "tools.toolsBySender",
    "tools.web.fetch.cacheTtlMinutes",
    "tools.web.fetch.enabled",
    "tools.web.fetch.maxChars",
    "tools.web.fetch.maxCharsCap",
    "tools.web.fetch.maxRedirects",
    "tools.web.fetch.maxResponseBytes",
    "tools.web.fetch.readability",
    "tools.web.fetch.timeoutSeconds",
    "tools.web.fetch.userAgent",
    "tools.web.search.apiKey",
    "tools.web.search.brave.apiKey",
    "tools.web.search.brave.baseUrl",
    "tools.web.search.cacheTtlMinutes",
    "tools.web.search.duckduckgo.baseUrl",
    "tools.web.search.enabled",
    "tools.web.search.maxResults",
    "tools.web.search.perplexity",
    "tools.web.search.provider",
    "tools.web.search.searxng.baseUrl",
    "tools.web.search.timeoutSeconds",
    "wizard",
];

/// Places that are written but do nothing yet, each as short as it can be.
pub(crate) fn not_yet(value: &Value) -> Vec<String> {
    let patterns: Vec<Vec<&str>> = IN_EFFECT.iter().map(|p| p.split('.').collect()).collect();
    let patterns: Vec<&[&str]> = patterns.iter().map(Vec::as_slice).collect();
    let mut found = Vec::new();
    walk(value, &patterns, &ValuePath::default(), &mut found);
    found
}

/// `patterns` are what is left of the patterns that lead here.
fn walk(value: &Value, patterns: &[&[&str]], path: &ValuePath, found: &mut Vec<String>) {
    if value.is_null() || patterns.iter().any(|p| p.is_empty()) {
        return;
    }
    let onward = |key: &str| -> Vec<&[&str]> {
        let heads = patterns.iter().filter_map(|pattern| pattern.split_first());
        heads.filter(|(head, _)| **head == key || **head == "*").map(|(_, rest)| rest).collect()
    };
    match value {
        _ if patterns.is_empty() => found.push(path.to_string()),
        Value::Object(map) => map.iter().for_each(|(key, v)| walk(v, &onward(key), &path.key(key), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, v)| walk(v, &onward("*"), &path.index(i), found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
