//! An agent's own words are laid over what holds for all.

use std::path::Path;

use serde_json::{Value, json};

use super::{Sandbox, SandboxMode, SandboxScope, WorkspaceAccess};
use crate::paths::Paths;

fn raw(written: Value) -> crate::raw::agents::Sandbox {
    serde_json::from_value(written).unwrap()
}

#[test]
fn what_an_agent_leaves_out_is_as_for_all() {
    let paths = Paths::under(Path::new("/home/x"));
    let usual = Sandbox::usual(&paths);
    assert_eq!(usual.mode, SandboxMode::Off);
    assert_eq!((usual.workspace, usual.scope), (WorkspaceAccess::None, SandboxScope::Agent));
    assert_eq!(usual.root, paths.state_dir.join("sandboxes"));
    let all = usual.with(
        raw(json!({"mode": "non-main", "workspaceAccess": "ro", "workspaceRoot": "/boxes",
            "perSession": true, "sessionToolsVisibility": "all"})),
        &paths,
    );
    let expected = Sandbox {
        mode: SandboxMode::NonMain,
        workspace: WorkspaceAccess::Read,
        scope: SandboxScope::Session,
        root: "/boxes".into(),
        sees_all_sessions: true,
    };
    assert_eq!(all, expected);
    assert_eq!(all.clone().with(raw(json!({})), &paths), expected);
    let own = all.with(raw(json!({"workspaceAccess": "rw", "scope": "shared", "perSession": true})), &paths);
    assert_eq!(own, Sandbox { workspace: WorkspaceAccess::Write, scope: SandboxScope::Shared, ..expected });
}
