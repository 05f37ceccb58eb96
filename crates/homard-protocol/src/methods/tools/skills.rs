//! `skills.*`: what agents have been taught.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// `skills.status`.
#[derive(Debug)]
pub struct SkillsStatus;

impl Method for SkillsStatus {
    const NAME: &'static str = "skills.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = SkillsStatusParams;
    type Result = SkillsStatusResult;
}

/// Parameters of [`SkillsStatus`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsStatusParams {
    /// Whose; the default agent's when absent.
    pub agent_id: Option<AgentId>,
    /// Those of the agent that answers in this session.
    pub session_key: Option<SessionRef>,
}

/// Answer of [`SkillsStatus`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsStatusResult {
    pub workspace_dir: String,
    /// Where skills for all agents are kept.
    pub managed_skills_dir: String,
    /// Whose skills these are.
    pub agent_id: AgentId,
    /// All skills that were found, by name; those that cannot be read too.
    pub skills: Vec<SkillStatus>,
}

/// One skill, and whether the agent has it.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the wire has them")]
pub struct SkillStatus {
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Which kind of place it comes from.
    pub source: String,
    /// Whether it came with the program.
    pub bundled: bool,
    pub file_path: String,
    pub base_dir: String,
    /// Its key under `skills.entries`.
    pub skill_key: String,
    /// A picture for lists.
    pub emoji: Option<String>,
    /// Where to read more.
    pub homepage: Option<String>,
    /// The variable that `apiKey` fills.
    pub primary_env: Option<String>,
    /// Whether it asks for nothing of the machine.
    pub always: bool,
    /// Whether the owner turned it off.
    pub disabled: bool,
    /// Whether `skills.allowBundled` leaves it out.
    pub blocked_by_allowlist: bool,
    /// Whether the agent's own list leaves it out.
    #[serde(default)]
    pub blocked_by_agent_filter: bool,
    /// Whether the agent has it.
    pub eligible: bool,
    /// Whether it is named in the prompt when the agent has it.
    #[serde(default)]
    pub model_invocable: bool,
    /// Whether a person may call it as a command.
    #[serde(default)]
    pub user_invocable: bool,
    /// The command, without its slash.
    pub command: Option<String>,
    pub requirements: SkillNeeds,
    /// What of that is not there.
    pub missing: SkillNeeds,
    /// What it needs of the configuration, one by one.
    pub config_checks: Vec<SkillConfigCheck>,
    /// How its programs can be installed here.
    pub install: Vec<SkillInstallOption>,
    /// Why it cannot be used at all: its file is broken.
    pub problem: Option<String>,
    /// What the owner should know about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a skill needs of the machine and the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SkillNeeds {
    /// All of these programs.
    pub bins: Vec<String>,
    /// One of these programs.
    pub any_bins: Vec<String>,
    pub env: Vec<String>,
    pub config: Vec<String>,
    /// One of these systems.
    pub os: Vec<String>,
}

impl SkillNeeds {
    /// Whether nothing is needed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.bins, &self.any_bins, &self.env, &self.config, &self.os].iter().all(|list| list.is_empty())
    }
}

/// One setting a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillConfigCheck {
    pub path: String,
    /// Whether it is on.
    pub satisfied: bool,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillInstallOption {
    /// What `skills.install` is told.
    pub id: String,
    /// `brew`, `node`, `go`, `uv` or `download`.
    pub kind: String,
    pub label: String,
    /// The programs it brings.
    pub bins: Vec<String>,
}

/// `skills.bins`: the programs skills refer to, for nodes that offer them.
#[derive(Debug)]
pub struct SkillsBins;

impl Method for SkillsBins {
    const NAME: &'static str = "skills.bins";
    const ACCESS: Access = Access::Node;
    const ADVERTISED: bool = false;
    type Params = NoParams;
    type Result = SkillsBinsResult;
}

/// Answer of [`SkillsBins`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SkillsBinsResult {
    /// Names of programs, sorted.
    pub bins: Vec<String>,
}

/// `skills.install`.
#[derive(Debug)]
pub struct SkillsInstall;

impl Method for SkillsInstall {
    const NAME: &'static str = "skills.install";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SkillsInstallParams;
    type Result = SkillsInstallResult;
}

/// Parameters of [`SkillsInstall`]: `name` and `installId` for a skill's own programs; the other forms name a
/// `source` of whole skills.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SkillsInstallParams {
    pub agent_id: Option<AgentId>,
    pub name: Option<String>,
    /// Which of its ways to install.
    pub install_id: Option<String>,
    /// Taken without effect: there is no check it would skip.
    pub dangerously_force_unsafe_install: Option<bool>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    /// `clawhub` or `upload`, for whole skills.
    pub source: Option<String>,
    /// Name of a whole skill at its source.
    pub slug: Option<String>,
    pub version: Option<String>,
    /// Replace one that is there.
    pub force: Option<bool>,
    pub upload_id: Option<String>,
    pub sha256: Option<String>,
}

/// Answer of [`SkillsInstall`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillsInstallResult {
    /// Whether it is installed.
    pub ok: bool,
    pub message: String,
    /// What the installer wrote, both of its streams, shortened.
    pub stdout: String,
    /// Always empty: the streams are kept together in the order they were written.
    pub stderr: String,
    /// How the installer ended; absent when it was stopped.
    pub code: Option<i32>,
}

/// `skills.update`.
#[derive(Debug)]
pub struct SkillsUpdate;

impl Method for SkillsUpdate {
    const NAME: &'static str = "skills.update";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SkillsUpdateParams;
    type Result = SkillsUpdateResult;
}

/// Parameters of [`SkillsUpdate`]: what the owner says about one skill; the other form names a `source` to update
/// whole skills from.
#[skip_serializing_none]
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SkillsUpdateParams {
    pub skill_key: Option<String>,
    /// Turn it on or off.
    pub enabled: Option<bool>,
    /// Its key; blank takes it away.
    pub api_key: Option<String>,
    /// Its variables; a blank value takes one away, those that are not named stay.
    pub env: Option<BTreeMap<String, String>>,
    pub agent_id: Option<String>,
    /// `clawhub`, for whole skills.
    pub source: Option<String>,
    /// Name of a whole skill at its source.
    pub slug: Option<String>,
    pub all: Option<bool>,
    /// Also when they were changed here.
    pub force: Option<bool>,
}

/// Shows no value: some of them are secrets.
impl std::fmt::Debug for SkillsUpdateParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkillsUpdateParams")
            .field("skill_key", &self.skill_key)
            .field("enabled", &self.enabled)
            .field("env", &self.env.as_ref().map(|env| env.keys().collect::<Vec<_>>()))
            .finish_non_exhaustive()
    }
}

/// Answer of [`SkillsUpdate`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsUpdateResult {
    pub ok: bool,
    pub skill_key: String,
    /// Its entry now, secrets redacted.
    pub config: Value,
}
