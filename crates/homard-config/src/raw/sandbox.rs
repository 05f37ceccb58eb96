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
pub(crate) struct SandboxDocker {
    /// Image used.
    pub(crate) image: Option<String>,
    /// Start of container names.
    pub(crate) container_prefix: Option<String>,
    /// Directory inside.
    ///
    /// Default: `/workspace`.
    pub(crate) workdir: Option<String>,
    /// Keep the image unchanged.
    ///
    /// Default: `true`.
    pub(crate) read_only_root: Option<bool>,
    /// Directories kept in memory.
    pub(crate) tmpfs: Option<Vec<String>>,
    /// Network it is on.
    ///
    /// Default: `none`.
    pub(crate) network: Option<String>,
    /// User inside.
    pub(crate) user: Option<String>,
    /// Capabilities taken away.
    pub(crate) cap_drop: Option<Vec<String>>,
    /// Variables set inside.
    pub(crate) env: Option<BTreeMap<String, String>>,
    /// Command run once after creation.
    pub(crate) setup_command: Option<String>,
    /// Most processes.
    pub(crate) pids_limit: Option<u64>,
    /// Memory limit.
    pub(crate) memory: Option<Value>,
    /// Memory and swap limit.
    pub(crate) memory_swap: Option<Value>,
    /// Processor share.
    pub(crate) cpus: Option<f64>,
    /// Further limits.
    pub(crate) ulimits: Option<Value>,
    /// System call filter.
    pub(crate) seccomp_profile: Option<String>,
    /// Security profile.
    pub(crate) apparmor_profile: Option<String>,
    /// Name servers.
    pub(crate) dns: Option<Vec<String>>,
    /// Host entries.
    pub(crate) extra_hosts: Option<Vec<String>>,
    /// Directories mounted.
    pub(crate) binds: Option<Vec<String>>,
}

/// The browser inside the sandbox.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SandboxBrowser {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Image used.
    pub(crate) image: Option<String>,
    /// Start of container names.
    pub(crate) container_prefix: Option<String>,
    /// Control port.
    ///
    /// Default: `9222`.
    #[schemars(range(min = 1))]
    pub(crate) cdp_port: Option<u16>,
    /// Screen port.
    ///
    /// Default: `5900`.
    #[schemars(range(min = 1))]
    pub(crate) vnc_port: Option<u16>,
    /// Screen-in-a-page port.
    ///
    /// Default: `6080`.
    #[schemars(range(min = 1))]
    pub(crate) no_vnc_port: Option<u16>,
    /// Run without a screen.
    ///
    /// Default: `false`.
    pub(crate) headless: Option<bool>,
    /// Serve the screen in a page.
    ///
    /// Default: `true`.
    pub(crate) enable_no_vnc: Option<bool>,
    /// Newer spelling of `enableNoVnc`.
    pub(crate) no_vnc_enabled: Option<bool>,
    /// Let sandboxed sessions use the host's browser.
    ///
    /// Default: `false`.
    pub(crate) allow_host_control: Option<bool>,
    /// Start it when needed.
    ///
    /// Default: `true`.
    pub(crate) auto_start: Option<bool>,
    /// Longest start, in milliseconds.
    ///
    /// Default: `12000`.
    pub(crate) auto_start_timeout_ms: Option<u64>,
}

/// When unused containers are removed.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SandboxPrune {
    /// After this many idle hours.
    ///
    /// Default: `24`.
    pub(crate) idle_hours: Option<u64>,
    /// After this many days.
    ///
    /// Default: `7`.
    pub(crate) max_age_days: Option<u64>,
}

/// Where commands of untrusted sessions run.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Sandbox {
    /// Which sessions are sandboxed.
    ///
    /// Default: `off`.
    #[schemars(extend("enum" = ["off","non-main","all"]))]
    pub(crate) mode: Option<String>,
    /// What shares one container.
    ///
    /// Default: `agent`.
    #[schemars(extend("enum" = ["session","agent","shared"]))]
    pub(crate) scope: Option<String>,
    /// Older spelling of `scope`.
    pub(crate) per_session: Option<bool>,
    /// How the workspace is seen inside.
    ///
    /// Default: `none`.
    #[schemars(extend("enum" = ["none","ro","rw"]))]
    pub(crate) workspace_access: Option<String>,
    /// Directory for sandbox workspaces.
    pub(crate) workspace_root: Option<String>,
    /// Which sessions are visible from inside.
    ///
    /// Default: `spawned`.
    #[schemars(extend("enum" = ["spawned","all"]))]
    pub(crate) session_tools_visibility: Option<String>,
    /// Container settings.
    pub(crate) docker: Option<SandboxDocker>,
    /// Browser settings.
    pub(crate) browser: Option<SandboxBrowser>,
    /// Cleaning up.
    pub(crate) prune: Option<SandboxPrune>,
}
