//! One line per write of the configuration, so that an owner can find out who changed it.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use homard_runtime::create_private_dir;
use serde_json::{Value, json};

use crate::load::{ConfigSource, Snapshot};
use crate::redact::is_sensitive_key;
use crate::secret::MASK;

const FILE: &str = "config-audit.jsonl";
/// A write that loses more than this share of the file is worth a second look.
const SHRINK_PERCENT: usize = 50;
/// Files smaller than this shrink for harmless reasons, in bytes.
const SHRINK_FLOOR: usize = 512;

/// What is known about a write when it is over.
pub(crate) struct Written<'a> {
    pub(crate) before: &'a Snapshot,
    /// The file after (or as it would have been).
    pub(crate) after: &'a Snapshot,
    /// How many places changed.
    pub(crate) changed: usize,
    /// Why it failed, if it did.
    pub(crate) error: Option<&'a std::io::Error>,
}

/// Appends the line.
pub(crate) fn append(source: &ConfigSource, written: &Written<'_>) -> std::io::Result<()> {
    let dir = source.paths.logs_dir();
    create_private_dir(&dir)?;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(dir.join(FILE))?;
    let mut line = record(source, written).to_string();
    line.push('\n');
    file.write_all(line.as_bytes())
}

fn record(source: &ConfigSource, written: &Written<'_>) -> Value {
    let Written { before, after, changed, error } = written;
    let bytes = |snapshot: &Snapshot| snapshot.raw.as_deref().map(str::len);
    let has_meta = |snapshot: &Snapshot| snapshot.parsed.get("meta").is_some();
    let mode = |snapshot: &Snapshot| snapshot.resolved.get("gateway").and_then(|g| g.get("mode")).cloned();
    json!({
        "ts": source.clock.now_rfc3339(),
        "source": "config-io",
        "event": "config.write",
        "configPath": source.paths.config_path,
        "pid": std::process::id(),
        "ppid": std::os::unix::process::parent_id(),
        "cwd": source.facts.working_dir,
        "argv": masked(&source.facts.argv),
        "execArgv": [],
        "watchMode": false,
        "watchSession": null,
        "watchCommand": null,
        "existsBefore": before.exists,
        "previousHash": before.exists.then_some(&before.hash),
        "nextHash": after.hash,
        "previousBytes": bytes(before),
        "nextBytes": bytes(after),
        "changedPathCount": changed,
        "hasMetaBefore": has_meta(before),
        "hasMetaAfter": has_meta(after),
        "gatewayModeBefore": mode(before),
        "gatewayModeAfter": mode(after),
        "suspicious": suspicious(before, after),
        "result": if error.is_some() { "failed" } else { "rename" },
        "errorCode": error.map(|e| format!("{:?}", e.kind())),
        "errorMessage": error.map(ToString::to_string),
    })
}

fn suspicious(before: &Snapshot, after: &Snapshot) -> Vec<&'static str> {
    let mut found = Vec::new();
    let size = |snapshot: &Snapshot| snapshot.raw.as_deref().map_or(0, str::len);
    let mode =
        |snapshot: &Snapshot| snapshot.resolved.get("gateway").is_some_and(|g| g.get("mode").is_some());
    if size(before) >= SHRINK_FLOOR && size(after) * 100 < size(before) * SHRINK_PERCENT {
        found.push("size-drop");
    }
    if mode(before) && !mode(after) {
        found.push("gateway-mode-removed");
    }
    if before.exists && before.parsed.get("meta").is_none() {
        found.push("missing-meta-before-write");
    }
    found
}

/// A command line with the values of secret options and settings masked.
pub(crate) fn masked(argv: &[String]) -> Vec<String> {
    let mut out = Vec::with_capacity(argv.len());
    let mut hide = false;
    for argument in argv {
        let name = argument.split('=').next().unwrap_or(argument);
        let sensitive = is_sensitive_key(name.rsplit(['.', '/']).next().unwrap_or(name));
        if std::mem::take(&mut hide) {
            out.push(MASK.to_owned());
            // What looks like a secret's name may have been a value (`--auth-choice token`), and this the next name.
            hide = sensitive && !argument.contains('=');
        } else if sensitive && argument.contains('=') {
            out.push(format!("{name}={MASK}"));
        } else {
            hide = sensitive;
            out.push(argument.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn values_of_secret_options_are_masked_also_behind_a_word_that_looks_like_one() {
        for (line, kept) in [
            ("onboard --api-key KEY --model m", "onboard --api-key •••• --model m"),
            ("onboard --api-key=KEY --json", "onboard --api-key=•••• --json"),
            (
                "onboard --auth-choice token --api-key KEY --json",
                "onboard --auth-choice token •••• •••• --json",
            ),
            ("onboard --gateway-auth token --gateway-token=KEY", "onboard --gateway-auth token ••••"),
            ("config set gateway.auth.token KEY", "config set gateway.auth.token ••••"),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(masked(&argv).join(" "), kept);
        }
    }
}
