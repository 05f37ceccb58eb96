//! Shape of the sandbox settings inside `agents`.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The container commands run in.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxDocker {
    /// Image used.
    pub image: Option<String>,
    /// Start of container names.
    pub container_prefix: Option<String>,
    /// Directory inside.
    ///
    /// Default: `/workspace`.
    pub workdir: Option<String>,
    /// Keep the image unchanged.
    ///
    /// Default: `true`.
    pub read_only_root: Option<bool>,
    /// Directories kept in memory.
    pub tmpfs: Option<Vec<String>>,
    /// Network it is on.
    ///
    /// Default: `none`.
    pub network: Option<String>,
    /// User inside.
    pub user: Option<String>,
    /// Capabilities taken away.
    pub cap_drop: Option<Vec<String>>,
    /// Variables set inside.
    pub env: Option<BTreeMap<String, String>>,
    /// Command run once after creation.
    pub setup_command: Option<String>,
    /// Most processes.
    pub pids_limit: Option<u64>,
    /// Memory limit.
    pub memory: Option<Value>,
    /// Memory and swap limit.
    pub memory_swap: Option<Value>,
    /// Processor share.
    pub cpus: Option<f64>,
    /// Further limits.
    pub ulimits: Option<Value>,
    /// System call filter.
    pub seccomp_profile: Option<String>,
    /// Security profile.
    pub apparmor_profile: Option<String>,
    /// Name servers.
    pub dns: Option<Vec<String>>,
    /// Host entries.
    pub extra_hosts: Option<Vec<String>>,
    /// Directories mounted.
    pub binds: Option<Vec<String>>,
}

/// The browser inside the sandbox.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxBrowser {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Image used.
    pub image: Option<String>,
    /// Start of container names.
    pub container_prefix: Option<String>,
    /// Control port.
    ///
    /// Default: `9222`.
    #[schemars(range(min = 1))]
    pub cdp_port: Option<u16>,
    /// Screen port.
    ///
    /// Default: `5900`.
    #[schemars(range(min = 1))]
    pub vnc_port: Option<u16>,
    /// Screen-in-a-page port.
    ///
    /// Default: `6080`.
    #[schemars(range(min = 1))]
    pub no_vnc_port: Option<u16>,
    /// Run without a screen.
    ///
    /// Default: `false`.
    pub headless: Option<bool>,
    /// Serve the screen in a page.
    ///
    /// Default: `true`.
    pub enable_no_vnc: Option<bool>,
    /// Newer spelling of `enableNoVnc`.
    pub no_vnc_enabled: Option<bool>,
    /// Let sandboxed sessions use the host's browser.
    ///
    /// Default: `false`.
    pub allow_host_control: Option<bool>,
    /// Start it when needed.
    ///
    /// Default: `true`.
    pub auto_start: Option<bool>,
    /// Longest start, in milliseconds.
    ///
    /// Default: `12000`.
    pub auto_start_timeout_ms: Option<u64>,
}

/// When unused containers are removed.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SandboxPrune {
    /// After this many idle hours.
    ///
    /// Default: `24`.
    pub idle_hours: Option<u64>,
    /// After this many days.
    ///
    /// Default: `7`.
    pub max_age_days: Option<u64>,
}

/// Where commands of untrusted sessions run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sandbox {
    /// Which sessions are sandboxed.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","non-main","all"]))]
    pub mode: Option<String>,
    /// What shares one container.
    ///
    /// Default: `agent`.
    #[schemars(extend("enum" = ["session","agent","shared"]))]
    pub scope: Option<String>,
    /// Older spelling of `scope`.
    pub per_session: Option<bool>,
    /// How the workspace is seen inside.
    ///
    /// Default: `none`.
    #[schemars(extend("enum" = ["none","ro","rw"]))]
    pub workspace_access: Option<String>,
    /// Directory for sandbox workspaces.
    pub workspace_root: Option<String>,
    /// Which sessions are visible from inside.
    ///
    /// Default: `spawned`.
    #[schemars(extend("enum" = ["spawned","all"]))]
    pub session_tools_visibility: Option<String>,
    /// Container settings.
    pub docker: Option<SandboxDocker>,
    /// Browser settings.
    pub browser: Option<SandboxBrowser>,
    /// Cleaning up.
    pub prune: Option<SandboxPrune>,
}
