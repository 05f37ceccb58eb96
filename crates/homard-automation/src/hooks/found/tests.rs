//! What counts as a hook, what is missing of one, and whose name wins.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_runtime::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{FoundHook, HookOrigin, find};

fn hook(place: &Path, folder: &str, head: &str, handler: Option<(&str, u32)>) {
    let dir = place.join(folder);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("HOOK.md"), head).unwrap();
    if let Some((name, mode)) = handler {
        std::fs::write(dir.join(name), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(dir.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn head(name: &str, more: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Does something.\nmetadata: {{\"openclaw\": {{\"events\": [\"command:new\"]{more}}}}}\n---\n"
    )
}

fn looked(internal: &Value, fill: impl FnOnce(&Path, &Path)) -> Vec<FoundHook> {
    let home: TempDir = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let workspace = home.path().join("workspace");
    fill(&workspace.join("hooks"), &paths.state_dir.join("hooks"));
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), json!({"hooks": {"internal": internal}}).to_string()).unwrap();
    let source = ConfigSource::isolated(paths.clone(), Environment::default(), Clock::system());
    let snapshot = Snapshot::load(&source, &Overrides::default());
    let config: Config = (*snapshot.config.unwrap()).clone();
    find(&config, &snapshot.effective, &workspace, &paths)
}

fn named<'a>(hooks: &'a [FoundHook], name: &str) -> &'a FoundHook {
    hooks.iter().rfind(|hook| hook.name == name).unwrap()
}

#[test]
fn nothing_runs_until_hooks_are_on_and_those_of_the_workspace_only_by_name() {
    let fill = |workspace: &Path, managed: &Path| {
        hook(workspace, "mine", &head("mine", ""), Some(("handler", 0o755)));
        hook(managed, "kept", &head("kept", ""), Some(("handler.sh", 0o755)));
    };
    let off = looked(&json!({}), fill);
    assert!(off.iter().all(|hook| !hook.is_ready()), "{off:?}");
    let on = looked(&json!({"enabled": true, "entries": {"boot-md": {"enabled": false}}}), fill);
    let ready = |name: &str| named(&on, name).is_ready();
    assert!(ready("kept") && ready("session-memory") && ready("command-logger"));
    assert!(!ready("mine"), "the assistant writes there, too");
    assert!(!ready("boot-md"));
    let both = looked(&json!({"enabled": true, "entries": {"mine": {"enabled": true}}}), fill);
    assert!(named(&both, "mine").is_ready());
}

#[test]
fn a_hook_that_cannot_run_says_why() {
    let all = looked(&json!({"enabled": true}), |_, managed| {
        hook(managed, "module", &head("module", ""), Some(("handler.ts", 0o644)));
        hook(managed, "closed", &head("closed", ""), Some(("handler.sh", 0o644)));
        hook(managed, "empty", &head("empty", ""), None);
        hook(managed, "torn", "---\nname: [", Some(("handler", 0o755)));
        hook(managed, "deaf", "---\nname: deaf\ndescription: d\n---\n", Some(("handler", 0o755)));
        hook(managed, "odd", &head("odd", "").replace("command:new", "moon:full"), Some(("handler", 0o755)));
        hook(
            managed,
            "poor",
            &head("poor", ", \"requires\": {\"bins\": [\"no-such-program-here\"], \"env\": [\"NO_SUCH\"]}"),
            Some(("handler", 0o755)),
        );
    });
    let why = |name: &str| named(&all, name).problem.clone().unwrap_or_default();
    assert!(why("module").contains("`handler.ts` is a JavaScript module"), "{}", why("module"));
    assert!(why("closed").contains("chmod +x"), "{}", why("closed"));
    assert!(why("empty").contains("no `handler`"), "{}", why("empty"));
    assert!(why("torn").contains("front matter"), "{}", why("torn"));
    assert!(why("deaf").contains("names no events"), "{}", why("deaf"));
    assert!(why("odd").contains("moon:full"), "{}", why("odd"));
    assert_eq!(named(&all, "poor").missing, ["program `no-such-program-here`", "variable `NO_SUCH`"]);
    assert!(all.iter().filter(|hook| hook.origin == HookOrigin::Managed).all(|hook| !hook.is_ready()));
}

#[test]
fn a_hook_waits_for_the_settings_and_systems_it_names() {
    let all = looked(&json!({"enabled": true}), |_, managed| {
        for (name, needs) in [
            ("settled", r#", "requires": {"config": ["hooks.internal.enabled", "workspace.dir"]}"#),
            ("unsettled", r#", "requires": {"config": ["hooks.enabled"]}"#),
            ("elsewhere", r#", "os": ["plan9"]"#),
            ("here", r#", "os": ["plan9", "Linux", "macos"]"#),
            (
                "always",
                r#", "always": true, "requires": {"config": ["no.such"], "bins": ["no-such-program-here"]}"#,
            ),
        ] {
            hook(managed, name, &head(name, needs), Some(("handler", 0o755)));
        }
    });
    let missing = |name: &str| named(&all, name).missing.join(", ");
    assert_eq!(missing("unsettled"), "setting `hooks.enabled`");
    assert_eq!(missing("elsewhere"), "the system plan9");
    for name in ["settled", "here", "always"] {
        assert!(named(&all, name).is_ready(), "{name}: {}", missing(name));
    }
}

#[test]
fn a_name_that_is_taken_cannot_be_taken_over_from_the_workspace() {
    let all = looked(
        &json!({"enabled": true, "entries": {"session-memory": {"enabled": true}}}),
        |workspace, _| {
            hook(workspace, "session-memory", &head("session-memory", ""), Some(("handler", 0o755)));
        },
    );
    let theirs = named(&all, "session-memory");
    assert_eq!(theirs.origin, HookOrigin::Workspace);
    assert!(!theirs.is_ready() && theirs.problem.as_ref().unwrap().contains("taken"), "{theirs:?}");
    assert_eq!(all.iter().filter(|hook| hook.name == "session-memory" && hook.is_ready()).count(), 1);
}

#[test]
fn hooks_are_found_where_the_owner_says_besides() {
    let settings = json!({"enabled": true, "load": {"extraDirs": ["~/more-hooks"]}});
    let all = looked(&settings, |workspace, _| {
        let home = workspace.parent().unwrap().parent().unwrap();
        hook(&home.join("more-hooks"), "far", &head("far", ""), Some(("handler", 0o755)));
    });
    let far = named(&all, "far");
    assert_eq!((far.origin, far.is_ready()), (HookOrigin::Extra, true), "{far:?}");
}

#[test]
fn whatever_lies_in_a_workspace_runs_only_by_name_whichever_list_names_it() {
    let home: TempDir = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let workspace = home.path().join("workspace");
    let (inside, outside) = (workspace.join("more"), home.path().join("outside"));
    hook(&inside, "planted", &head("planted", ""), Some(("handler", 0o755)));
    hook(&inside, "named", &head("named", ""), Some(("handler", 0o755)));
    hook(&outside, "kept", &head("kept", ""), Some(("handler", 0o755)));
    std::os::unix::fs::symlink(&inside, home.path().join("link")).unwrap();
    let dirs = json!([inside, home.path().join("link"), outside]);
    let config = json!({
        "agents": {"defaults": {"workspace": workspace}},
        "hooks": {"internal": {"enabled": true, "load": {"extraDirs": dirs}, "entries": {"named": {"enabled": true}}}},
    });
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), config.to_string()).unwrap();
    let source = ConfigSource::isolated(paths.clone(), Environment::default(), Clock::system());
    let snapshot = Snapshot::load(&source, &Overrides::default());
    let config: Config = (*snapshot.config.unwrap()).clone();
    let found = find(&config, &snapshot.effective, &workspace, &paths);
    let ready: Vec<&str> =
        found.iter().filter(|hook| hook.is_ready()).map(|hook| hook.name.as_str()).collect();
    assert!(ready.contains(&"named") && ready.contains(&"kept"), "{ready:?}");
    assert!(!ready.contains(&"planted"), "{ready:?}");
}
