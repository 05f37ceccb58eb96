//! From the owner's configuration to tools.

use std::collections::BTreeMap;

use homard_config::{Config, Paths};
use homard_exec::BuiltEnv;
use homard_tools::{ToolOptions, Toolbox};

/// What the model may do.
pub(crate) fn tools(config: &Config, paths: &Paths) -> Toolbox {
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
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
        exec_timeout: config.tools.exec.timeout,
    })
}
