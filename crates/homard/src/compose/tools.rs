//! From the owner's configuration to tools.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use homard_channel::{ChannelEntry, ChannelRegistry};
use homard_config::{Config, Paths};
use homard_exec::{BuiltEnv, HiddenPaths, HideRecords, Launcher, Processes};
use homard_relay::ChannelName;
use homard_runtime::CollectOrdered as _;
use homard_tools::{ApplyPatchOptions, ToolOptions, Toolbox, WebOptions};

/// What the model may do. Commands in the background go on when the tools are made anew.
pub(crate) fn tools(config: &Config, paths: &Paths, processes: &Processes) -> Toolbox {
    let patch = &config.tools.exec.apply_patch;
    processes.keep_finished_for(config.tools.exec.cleanup_after);
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    let mut env = BuiltEnv::from_base(&base);
    if !config.tools.exec.path_prepend.is_empty() {
        let first = config.tools.exec.path_prepend.iter().map(|path| path.display().to_string());
        let rest = base.get("PATH").cloned();
        let path = first.chain(rest).collect::<Vec<_>>().join(":");
        match env.clone().with_explicit("PATH", &path) {
            Ok(changed) => env = changed,
            Err(error) => tracing::warn!(%error, "tools.exec.pathPrepend is not used"),
        }
    }
    Toolbox::new(&ToolOptions {
        home: paths.home.clone(),
        workspace_only: config.tools.fs.workspace_only,
        env,
        launcher: Launcher::this_program(hidden(config, paths)).map(Arc::new),
        exec_timeout: config.tools.exec.timeout,
        exec_background_after: config.tools.exec.background_after,
        processes: processes.clone(),
        apply_patch: patch.enabled.then_some(ApplyPatchOptions { workspace_only: patch.workspace_only }),
        web: WebOptions { tools: config.tools.web.clone(), reachable: Vec::new() },
    })
}

/// What commands do not see: the gateway's records, less the workspaces among them.
fn hidden(config: &Config, paths: &Paths) -> HiddenPaths {
    let how = match config.tools.exec.hide_records {
        None => HideRecords::WhereFree,
        Some(true) => HideRecords::Always,
        Some(false) => HideRecords::Never,
    };
    let places = paths.records().places().map(Path::to_owned).collect();
    HiddenPaths {
        how,
        places,
        shown: config.agents.list.iter().map(|agent| agent.workspace.clone()).collect(),
    }
}

/// What the chat platforms are called.
pub(crate) fn channel_names(platforms: ChannelRegistry) -> Vec<ChannelName> {
    let name =
        |entry: &ChannelEntry| ChannelName { id: entry.id, aliases: entry.aliases, label: entry.label };
    platforms.entries().iter().map(name).collect()
}
