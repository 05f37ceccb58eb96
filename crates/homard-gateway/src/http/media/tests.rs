//! Which files of a conversation are shown.

use homard_config::{Config, Environment, Paths};

use super::find;

#[test]
fn files_are_shown_from_workspaces_and_the_media_folder_only() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    let config = Config::empty(&paths, &Environment::default());
    let workspace = config.agents.default_agent().workspace.clone();
    let media = paths.state_dir.join("media");
    for folder in [&workspace, &media, &workspace.join(".git")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let secret = home.path().join("secret.png");
    for file in [
        &workspace.join("a.png"),
        &workspace.join("run.html"),
        &workspace.join(".git/x.png"),
        &media.join("b.mp3"),
        &media.join("page.html"),
        &media.join("plans.zip"),
        &secret,
        &paths.state_dir.join("homard.json"),
    ] {
        std::fs::write(file, "x").unwrap();
    }
    #[cfg(unix)]
    for (to, name) in [(&secret, "link.png"), (&workspace.join("run.html"), "disguised.png")] {
        std::os::unix::fs::symlink(to, workspace.join(name)).unwrap();
    }
    let shown = |source: &str| find(&config, &paths, source).map(|(_, kind)| kind);
    let at = |path: &std::path::Path| path.display().to_string();
    assert_eq!(shown("a.png"), Some("image/png"));
    assert_eq!(shown(&at(&workspace.join("a.png"))), Some("image/png"));
    assert_eq!(shown(&format!("file://{}", at(&media.join("b.mp3")))), Some("audio/mpeg"));
    for kept in ["page.html", "plans.zip"] {
        assert_eq!(
            shown(&at(&media.join(kept))),
            Some("application/octet-stream"),
            "saved, never opened: {kept}"
        );
    }
    for source in [
        "",
        "run.html",
        "../secret.png",
        ".git/x.png",
        "link.png",
        "disguised.png",
        "gone.png",
        "/etc/passwd",
        "https://example.com/a.png",
        &at(&secret),
        &at(&paths.state_dir.join("homard.json")),
        &at(&workspace.join("sub/../../secret.png")),
    ] {
        assert_eq!(shown(source), None, "{source}");
    }
}
