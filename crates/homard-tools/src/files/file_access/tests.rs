//! Who may have which files.

use std::path::{Path, PathBuf};

use homard_config::Records;

use super::{Caller, FileAccess, Withheld};

#[test]
fn records_are_nobodys_and_guests_have_what_is_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let state = root.join("state");
    let workspace = state.join("workspace");
    for file in [
        "state/homard.json",
        "state/homard.sqlite",
        "state/agents/main/sessions/1.jsonl",
        "state/credentials/oauth.json",
        "state/.env",
        "state/media/inbound/0123abcd.pdf",
        "state/skills/weather/SKILL.md",
        "state/workspace/notes.md",
        "state/workspace/MEMORY.md",
        "state/workspace/memory/2026-11-17.md",
        "state/workspace/User.md",
        "state/workspace/.git/config",
        "state/workspace/docs/memory.md",
        "state/workspace-work/notes.md",
        "home/.ssh/id_ed25519",
    ] {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let access = |caller, is_widened| FileAccess {
        caller,
        is_widened,
        records: Records::in_dir(state.clone()),
        given: vec![state.join("skills/weather")],
        workspace_only: None,
        is_confined: false,
    };
    let (owner, guest) = (access(Caller::Owner, false), access(Caller::Guest, false));
    let rows: [(&str, Option<Withheld>, Option<Withheld>); 16] = [
        ("state/homard.json", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/homard.sqlite", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/agents/main/sessions/1.jsonl", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/credentials/oauth.json", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/.env", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/agents/not/there/yet", Some(Withheld::Record), Some(Withheld::Record)),
        ("state/media/inbound/0123abcd.pdf", None, None),
        ("state/media/inbound", None, Some(Withheld::Outside)),
        ("state/skills/weather/SKILL.md", None, None),
        ("state/workspace/notes.md", None, None),
        ("state/workspace/MEMORY.md", None, Some(Withheld::Private)),
        ("state/workspace/memory/2026-11-17.md", None, Some(Withheld::Private)),
        ("state/workspace/User.md", None, Some(Withheld::Private)),
        ("state/workspace/.git/config", None, Some(Withheld::Private)),
        ("state/workspace-work/notes.md", None, Some(Withheld::Outside)),
        ("home/.ssh/id_ed25519", None, Some(Withheld::Outside)),
    ];
    for (file, for_owner, for_guest) in rows {
        let real: PathBuf = root.join(file);
        assert_eq!(owner.check(&workspace, &real).err(), for_owner, "owner {file}");
        assert_eq!(guest.check(&workspace, &real).err(), for_guest, "guest {file}");
        let widened = access(Caller::Guest, true).check(&workspace, &real).err();
        assert_eq!(widened, for_owner, "a guest who has what the owner has: {file}");
    }
    assert_eq!(guest.check(&workspace, &workspace.join("docs/memory.md")), Ok(()));
    assert_eq!(FileAccess::default().check(Path::new("/w"), Path::new("/etc/hostname")), Ok(()));
}

#[test]
fn a_sandboxed_conversation_has_its_folder_and_what_was_given_to_it_whoever_asks() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (state, workspace) = (root.join("state"), root.join("state/sandboxes/main-0123abcd"));
    for file in
        ["state/skills/weather/SKILL.md", "state/media/inbound/0123abcd.pdf", "state/workspace/MEMORY.md"]
    {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "x").unwrap();
    }
    let access = |caller| FileAccess {
        caller,
        is_widened: true,
        records: Records::in_dir(state.clone()),
        given: vec![state.join("skills/weather")],
        workspace_only: Some(false),
        is_confined: true,
    };
    for caller in [Caller::Owner, Caller::Guest] {
        let check = |path: &Path| access(caller).check(&workspace, path).err();
        assert_eq!(check(&workspace.join("memory/notes.md")), None, "{caller:?}");
        assert_eq!(check(&state.join("skills/weather/SKILL.md")), None, "{caller:?}");
        assert_eq!(check(&state.join("media/inbound/0123abcd.pdf")), None, "{caller:?}");
        assert_eq!(check(&state.join("skills/other/SKILL.md")), Some(Withheld::Confined), "{caller:?}");
        assert_eq!(check(Path::new("/etc/hostname")), Some(Withheld::Confined), "{caller:?}");
        assert_eq!(check(&state.join("homard.json")), Some(Withheld::Record), "{caller:?}");
        assert_eq!(check(&state.join("workspace/MEMORY.md")), Some(Withheld::Confined), "{caller:?}");
    }
}

#[test]
fn a_workspace_that_is_the_state_directory_opens_none_of_it() {
    let state = Path::new("/state");
    let access = FileAccess { records: Records::in_dir(state), ..FileAccess::default() };
    assert_eq!(access.check(state, &state.join("homard.json")), Err(Withheld::Record));
    assert_eq!(access.check(state, &state.join("skills/weather/SKILL.md")), Ok(()));
}
