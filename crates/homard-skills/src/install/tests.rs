//! What is run for which installer, and what never is.

use homard_config::config::skills::NodeManager;

use super::{InstallError, plan};
use crate::front_matter::Installer;

fn way(kind: &str, target: Option<&str>) -> Installer {
    Installer {
        id: "it".into(),
        kind: kind.into(),
        target: target.map(str::to_owned),
        ..Installer::default()
    }
}

#[test]
fn each_kind_has_its_command() {
    let rows = [
        ("brew", "gh", NodeManager::Npm, "brew install gh"),
        ("brew", "owner/tap/gh", NodeManager::Npm, "brew install owner/tap/gh"),
        ("go", "example.org/cmd/x@latest", NodeManager::Npm, "go install example.org/cmd/x@latest"),
        ("uv", "ruff", NodeManager::Npm, "uv tool install ruff"),
        ("node", "@scope/pkg@1.2.3", NodeManager::Npm, "npm install -g --ignore-scripts @scope/pkg@1.2.3"),
        ("node", "pkg", NodeManager::Pnpm, "pnpm add -g --ignore-scripts pkg"),
        ("node", "pkg", NodeManager::Yarn, "yarn global add --ignore-scripts pkg"),
        ("node", "pkg", NodeManager::Bun, "bun add -g --ignore-scripts pkg"),
    ];
    for (kind, target, node, line) in rows {
        let (program, args) = plan(&way(kind, Some(target)), node).unwrap();
        assert_eq!(format!("{program} {}", args.join(" ")), line);
    }
}

#[test]
fn what_cannot_be_installed_is_refused_before_anything_runs() {
    for kind in ["download", "", "apt", "sh"] {
        assert!(
            matches!(plan(&way(kind, Some("x")), NodeManager::Npm), Err(InstallError::Unsupported(_))),
            "{kind}"
        );
    }
    let long = "a".repeat(300);
    let targets = [
        None,
        Some(""),
        Some("-g"),
        Some("--prefix=/"),
        Some("a b"),
        Some("a;b"),
        Some("$(x)"),
        Some("./x"),
        Some("/etc"),
        Some("a/../../b"),
        Some("git+https://x"),
        Some(long.as_str()),
    ];
    for target in targets {
        assert!(
            matches!(plan(&way("node", target), NodeManager::Npm), Err(InstallError::BadTarget(_))),
            "{target:?}"
        );
    }
}
