//! `tools`: what agents may do.

pub mod loops;
pub mod message;
pub mod web;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use homard_runtime::CollectOrdered as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::loops::LoopDetection;
use self::message::MessageTool;
use self::web::WebTools;
use super::Resolve;
use super::agents::delegation::{AgentToAgent, Visibility};
use crate::paths::written_path;
use crate::raw::tools as raw;

pub use homard_protocol::session_words::{ExecAsk, ExecSecurity};

const DEFAULT_TIMEOUT_SECONDS: u64 = 1_800;
const DEFAULT_BACKGROUND_MS: u64 = 10_000;
const DEFAULT_CLEANUP_MS: u64 = 1_800_000;
/// Programs that only filter text.
const DEFAULT_SAFE_BINS: [&str; 9] = ["jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"];

/// A named set of tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolProfile {
    /// Only what every agent needs.
    Minimal,
    /// Files and commands.
    Coding,
    /// Messages and sessions.
    Messaging,
    /// Everything.
    #[default]
    Full,
}

impl ToolProfile {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Coding => "coding",
            Self::Messaging => "messaging",
            Self::Full => "full",
        }
    }
}

/// What happens to calls that act on the world while content of others is in a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaintMode {
    /// The owner is asked.
    #[default]
    Ask,
    /// They are refused.
    Deny,
    /// They run.
    Off,
}

/// Decided `tools.taint`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taint {
    /// What happens to calls that act on the world.
    pub mode: TaintMode,
    /// Tools that run all the same.
    pub allow: Vec<String>,
    /// Files and folders whose content is the owner's own.
    pub vouched: Vec<PathBuf>,
}

/// Which tools are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRule {
    /// Named set; `None` means the wider circle's.
    pub profile: Option<ToolProfile>,
    /// Tools offered; `None` means all of the profile.
    pub allow: Option<Vec<String>>,
    /// Tools added to the profile.
    pub also_allow: Vec<String>,
    pub deny: Vec<String>,
}

/// Tools inside the sandbox. A list that is left out is the built-in one, an empty one does not
/// restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxTools {
    pub allow: Option<Vec<String>>,
    pub deny: Option<Vec<String>>,
}

impl SandboxTools {
    fn from_raw(raw: Option<raw::SubTools>) -> Self {
        let lists = raw.and_then(|sub| sub.tools).unwrap_or_default();
        Self { allow: lists.allow, deny: lists.deny }
    }
}

/// Decided `tools`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tools {
    /// Which tools are offered.
    pub rule: ToolRule,
    /// The same, per provider or `provider/model`.
    pub by_provider: BTreeMap<String, ToolRule>,
    /// The same, per sender.
    pub by_sender: BTreeMap<String, ToolRule>,
    pub sandbox: SandboxTools,
    /// For agents started by agents.
    pub subagents: ToolRule,
    pub exec: Exec,
    /// Reading and writing files.
    pub fs: FileTools,
    /// Reading and searching the web.
    pub web: WebTools,
    /// Which other conversations are seen.
    pub visibility: Visibility,
    /// Agents writing to each other.
    pub agent_to_agent: AgentToAgent,
    /// Writing to people on chat platforms.
    pub message: MessageTool,
    /// While content of others is in a conversation.
    pub taint: Taint,
    /// When a model goes in circles.
    pub loop_detection: LoopDetection,
}

/// Running commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exec {
    /// Where commands run, as written: `sandbox`, `gateway`, `node` or `auto`.
    pub host: Option<String>,
    /// The node commands run on where they run on one, by id or name.
    pub node: Option<String>,
    /// Which commands may run; `None` means as the host decides.
    pub security: Option<ExecSecurity>,
    /// When the owner is asked; `None` when nothing is said about it.
    pub ask: Option<ExecAsk>,
    /// Longest run of a command.
    pub timeout: Duration,
    /// How long a command may hold the turn before it goes to the background.
    pub background_after: Duration,
    /// How long finished commands are remembered.
    pub cleanup_after: Duration,
    /// Directories put in front of PATH.
    pub path_prepend: Vec<PathBuf>,
    /// Whether the gateway's records are hidden from commands; where it costs nothing unless the owner says.
    pub hide_records: Option<bool>,
    /// Programs that may filter text without being asked about.
    pub safe_bins: Vec<String>,
    /// Tell the agent when a background command ends.
    pub notify_on_exit: bool,
    /// Tell it even when there was no output and no failure.
    pub notify_on_exit_empty_success: bool,
    pub apply_patch: ApplyPatch,
}

/// The patch tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyPatch {
    pub enabled: bool,
    /// Keep it inside the workspace, whatever the other file tools do.
    pub workspace_only: bool,
    /// Models it is offered to, as `model` or `provider/model`; empty means every model it is meant for.
    pub allow_models: Vec<String>,
}

impl ApplyPatch {
    fn resolve(raw: raw::ApplyPatch) -> Self {
        Self {
            enabled: raw.enabled.unwrap_or(false),
            workspace_only: raw.workspace_only.unwrap_or(true),
            allow_models: raw.allow_models.unwrap_or_default(),
        }
    }
}

/// Reading and writing files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileTools {
    /// Keep file tools inside the workspace.
    pub workspace_only: bool,
}

/// What one agent says about its tools; what it leaves out comes from [`Tools`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTools {
    /// Which tools are offered.
    pub rule: ToolRule,
    /// The same, per provider or `provider/model`.
    pub by_provider: BTreeMap<String, ToolRule>,
    /// Inside the sandbox; what it leaves out comes from [`Tools::sandbox`].
    pub sandbox: SandboxTools,
    /// Keep file tools inside the workspace; `None` means as everywhere.
    pub workspace_only: Option<bool>,
    pub exec: AgentExec,
}

/// What one agent says about its commands; what it leaves out comes from [`Exec`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentExec {
    /// Where they run, as written.
    pub host: Option<String>,
    pub security: Option<ExecSecurity>,
    /// When the owner is asked.
    pub ask: Option<ExecAsk>,
    /// Programs that may filter text without being asked about.
    pub safe_bins: Option<Vec<String>>,
}

impl Tools {
    pub(super) fn resolve(raw: raw::Tools, cx: &mut Resolve<'_>) -> Self {
        let also = raw.also_allow.unwrap_or_default();
        let rule = ToolRule {
            profile: raw.profile,
            allow: raw.allow.filter(|list| !list.is_empty()),
            also_allow: also,
            deny: raw.deny.unwrap_or_default(),
        };
        if rule.allow.is_some() && !rule.also_allow.is_empty() {
            cx.issue("tools.alsoAllow", "`allow` and `alsoAllow` cannot both be used; put everything in `allow`, or use a profile with `alsoAllow`");
        }
        let lists = raw.subagents.and_then(|sub| sub.tools).unwrap_or_default();
        let subagents = raw::ToolRule { allow: lists.allow, deny: lists.deny, ..raw::ToolRule::default() };
        Self {
            rule,
            by_provider: rules(raw.by_provider),
            by_sender: rules(raw.tools_by_sender),
            sandbox: SandboxTools::from_raw(raw.sandbox),
            subagents: ToolRule::from_raw(subagents),
            exec: Exec::resolve(raw.exec.unwrap_or_default(), cx),
            fs: FileTools { workspace_only: raw.fs.and_then(|fs| fs.workspace_only).unwrap_or(false) },
            web: WebTools::resolve(raw.web.unwrap_or_default(), cx),
            visibility: Visibility::resolve(raw.sessions),
            agent_to_agent: AgentToAgent::resolve(raw.agent_to_agent.unwrap_or_default()),
            message: MessageTool::resolve(&raw.message.unwrap_or_default()),
            taint: Taint::resolve(raw.taint.unwrap_or_default(), cx),
            loop_detection: LoopDetection::resolve(&raw.loop_detection.unwrap_or_default()),
        }
    }
}

impl Taint {
    fn resolve(raw: raw::Taint, cx: &mut Resolve<'_>) -> Self {
        let mut vouched = Vec::new();
        for (at, entry) in raw.vouched.iter().flatten().enumerate() {
            match written_path(entry, &cx.paths.home) {
                Some(path) => vouched.push(path),
                None => cx.issue(
                    format!("tools.taint.vouched[{at}]"),
                    format!("`{entry}` does not say where it begins; write it from `/` or `~/`"),
                ),
            }
        }
        Self { mode: raw.mode.unwrap_or_default(), allow: raw.allow.unwrap_or_default(), vouched }
    }
}

fn rules(raw: Option<BTreeMap<String, raw::ToolRule>>) -> BTreeMap<String, ToolRule> {
    raw.unwrap_or_default().into_iter().map(|(id, rule)| (id, ToolRule::from_raw(rule))).collect_map()
}

impl ToolRule {
    fn from_raw(raw: raw::ToolRule) -> Self {
        Self {
            profile: raw.profile,
            allow: raw.allow.filter(|list| !list.is_empty()),
            also_allow: raw.also_allow.unwrap_or_default(),
            deny: raw.deny.unwrap_or_default(),
        }
    }
}

/// The newer spelling of security and asking in one word.
fn of_mode(mode: Option<&str>) -> (Option<ExecSecurity>, Option<ExecAsk>) {
    match mode {
        Some("deny") => (Some(ExecSecurity::Deny), Some(ExecAsk::Off)),
        Some("allowlist") => (Some(ExecSecurity::Allowlist), Some(ExecAsk::Off)),
        Some("ask" | "auto") => (Some(ExecSecurity::Allowlist), Some(ExecAsk::OnMiss)),
        Some("full") => (Some(ExecSecurity::Full), Some(ExecAsk::Off)),
        _ => (None, None),
    }
}

impl AgentTools {
    pub(super) fn resolve(raw: raw::AgentTools) -> Self {
        let rule = raw::ToolRule {
            profile: raw.profile,
            allow: raw.allow,
            also_allow: raw.also_allow,
            deny: raw.deny,
        };
        let exec = raw.exec.unwrap_or_default();
        let (security, ask) = of_mode(exec.mode.as_deref());
        Self {
            rule: ToolRule::from_raw(rule),
            by_provider: rules(raw.by_provider),
            sandbox: SandboxTools::from_raw(raw.sandbox),
            workspace_only: raw.fs.and_then(|fs| fs.workspace_only),
            exec: AgentExec {
                host: exec.host,
                security: exec.security.or(security),
                ask: exec.ask.or(ask),
                safe_bins: exec.safe_bins,
            },
        }
    }
}

impl Exec {
    fn resolve(raw: raw::Exec, cx: &Resolve<'_>) -> Self {
        let (mode_security, mode_ask) = of_mode(raw.mode.as_deref());
        let millis = |written: Option<u64>, default| Duration::from_millis(written.unwrap_or(default));
        let seconds = raw.timeout_sec.or(raw.timeout_seconds).unwrap_or(DEFAULT_TIMEOUT_SECONDS);
        Self {
            host: raw.host,
            node: raw.node.filter(|node| !node.trim().is_empty()),
            security: raw.security.or(mode_security),
            ask: raw.ask.or(mode_ask),
            timeout: Duration::from_secs(seconds),
            background_after: millis(raw.background_ms, DEFAULT_BACKGROUND_MS),
            cleanup_after: millis(raw.cleanup_ms, DEFAULT_CLEANUP_MS),
            path_prepend: raw.path_prepend.unwrap_or_default().iter().map(|p| cx.paths.expand(p)).collect(),
            hide_records: raw.hide_records,
            safe_bins: raw.safe_bins.unwrap_or_else(|| DEFAULT_SAFE_BINS.map(str::to_owned).to_vec()),
            notify_on_exit: raw.notify_on_exit.unwrap_or(true),
            notify_on_exit_empty_success: raw.notify_on_exit_empty_success.unwrap_or(false),
            apply_patch: ApplyPatch::resolve(raw.apply_patch.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests;
