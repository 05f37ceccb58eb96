//! What is decided about skills.

use serde_json::json;

use super::{NodeManager, Skills, SkillsLimits};
use crate::config::Resolve;
use crate::env::Environment;
use crate::paths::Paths;

fn decide(written: serde_json::Value) -> (Skills, Vec<String>) {
    let paths = Paths::under(std::path::Path::new("/home/owner"));
    let env = Environment::from_pairs([("KNOWN", "from outside")]);
    let mut cx = Resolve::new(&paths, &env);
    let skills = Skills::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    assert!(cx.issues.is_empty(), "a skill's settings never keep the gateway from starting");
    (skills, cx.warnings.iter().map(|warning| warning.path.clone()).collect())
}

#[test]
fn nothing_written_means_the_documented_defaults() {
    let (skills, warnings) = decide(json!({}));
    assert!(warnings.is_empty());
    assert!(skills.watch && skills.install.prefer_brew && skills.allow_bundled.is_none());
    assert_eq!(skills.install.node_manager, NodeManager::Npm);
    let limits = SkillsLimits {
        candidates_per_root: 300,
        per_source: 200,
        in_prompt: 150,
        prompt_chars: 30_000,
        file_bytes: 256_000,
    };
    assert_eq!((skills.limits, SkillsLimits::default()), (limits, limits));
}

#[test]
fn what_is_written_is_decided() {
    let (skills, warnings) = decide(json!({
        "allowBundled": ["weather"],
        "load": {"extraDirs": ["~/more", " "], "watch": false},
        "install": {"nodeManager": "pnpm", "preferBrew": false},
        "limits": {"maxSkillsInPrompt": 3},
        "entries": {
            "a": {"enabled": false, "apiKey": "k", "env": {"A": "1", "B": {"source": "env", "id": "KNOWN"}}},
            "b": {"apiKey": {"source": "env", "id": "MISSING"}, "env": {"C": " "}},
        },
    }));
    assert_eq!(skills.extra_dirs, [std::path::PathBuf::from("/home/owner/more")]);
    assert_eq!((skills.watch, skills.install.node_manager), (false, NodeManager::Pnpm));
    assert_eq!(skills.limits.in_prompt, 3);
    let a = &skills.entries["a"];
    assert_eq!((a.enabled, a.api_key.as_ref().unwrap().expose()), (Some(false), "k"));
    assert_eq!((a.env["A"].expose(), a.env["B"].expose()), ("1", "from outside"));
    assert_eq!((&skills.entries["b"].api_key, skills.entries["b"].env.len()), (&None, 0));
    assert_eq!(warnings, ["skills.entries.b.apiKey"]);
    assert!(!format!("{skills:?}").contains("from outside"), "secrets do not print");
}
