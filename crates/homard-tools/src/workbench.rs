//! A workspace with tools, for tests that go through several of them as a model would.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use homard_exec::{BuiltEnv, Processes};
use homard_protocol::{RunId, SessionKey, ToolCallId};
use homard_runtime::Clock;
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::cx::{ProgressSender, ToolCx};
use crate::files::file_access::FileAccess;
use crate::files::undo::Undo;
use crate::outcome::ToolOutcome;
use crate::policy::ToolPolicy;
use crate::registry::{ApplyPatchOptions, ToolOptions, Toolbox, WebOptions};
use crate::scope::Scope;

/// The conversation calls are made in.
pub(crate) const SESSION: &str = "agent:main:story";

pub(crate) struct Workbench {
    _dir: TempDir,
    /// A folder of its own with nothing but the workspace and what tests put beside it.
    pub(crate) root: PathBuf,
    pub(crate) workspace: PathBuf,
    pub(crate) undo: Undo,
    /// What the run says about the workspace.
    pub(crate) workspace_only: Option<bool>,
    tools: Toolbox,
}

impl Workbench {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let workspace = root.join("ws");
        fs::create_dir(&workspace).unwrap();
        let options = ToolOptions {
            home: root.clone(),
            workspace_only: true,
            env: BuiltEnv::from_base(&[("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into()),
            launcher: None,
            exec_timeout: ToolOptions::EXEC_TIMEOUT,
            web: WebOptions::default(),
            exec_background_after: ToolOptions::EXEC_BACKGROUND_AFTER,
            processes: Processes::new(Clock::system()),
            apply_patch: Some(ApplyPatchOptions { workspace_only: false }),
        };
        let undo = Undo::new(root.join("undo"), Clock::system());
        Self { _dir: dir, root, workspace, undo, workspace_only: Some(true), tools: Toolbox::new(&options) }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) async fn call(&self, run: &str, tool: &str, arguments: Value) -> ToolOutcome {
        let access = FileAccess { workspace_only: self.workspace_only, ..FileAccess::default() };
        let scope = Scope { undo: self.undo.clone(), access, ..Scope::default() };
        let cx = ToolCx {
            workspace: self.workspace.clone(),
            run_id: RunId::parse(run).unwrap(),
            ..call_context(scope)
        };
        self.tools.call(&ToolPolicy::default(), tool, arguments, &cx).await
    }
}

/// The surroundings of a call in no particular place.
pub(crate) fn call_context(scope: Scope) -> ToolCx {
    ToolCx {
        workspace: PathBuf::from("/nowhere"),
        session_key: SessionKey::parse(SESSION).unwrap(),
        run_id: RunId::parse("run").unwrap(),
        call_id: ToolCallId::parse("call").unwrap(),
        cancel: CancellationToken::new(),
        progress: ProgressSender::nobody(),
        clock: Clock::system(),
        scope: Arc::new(scope),
    }
}
