//! The book does what it says: every block marked `sh run` is run, page by page, in the home of somebody new with a
//! gateway that runs.

use std::fs;
use std::path::{Path, PathBuf};

use homard_testkit::{TestGateway, TestHome};
use tokio::process::Command;

use crate::scenarios::world::{as_owner, launch};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The lines of a page that are to be run. Blocks may be indented, in lists.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(docs().join(page)).unwrap();
    let mut found = Vec::new();
    let mut is_run = false;
    for line in text.lines().map(str::trim) {
        match line {
            "```sh run" => is_run = true,
            "```" => is_run = false,
            _ if is_run && !line.is_empty() => found.push(line.to_owned()),
            _ => {}
        }
    }
    found
}

/// Runs a page as its reader would, and stops where something does not work.
async fn follow(page: &str) {
    let commands = commands(page);
    assert!(!commands.is_empty(), "{page} has nothing to run");
    let gateway = TestGateway::start(launch(), TestHome::new().unwrap()).await.unwrap();
    let home = gateway.home();
    let bin = home.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(crate::homard(), bin.join("homard")).unwrap();
    for line in commands {
        let mut shell = Command::new("sh");
        shell.args(["-euc", &line]);
        let mut shell = as_owner(shell, home);
        shell.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        shell.env("HOMARD_GATEWAY_PORT", gateway.port().to_string());
        let output = shell.output().await.unwrap();
        let said =
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
        assert!(output.status.success(), "{page}: `{line}` ended with {}: {said}", output.status);
        assert!(!said.is_empty(), "{page}: `{line}` said nothing");
    }
}

#[tokio::test]
async fn the_first_five_minutes_go_as_the_book_says() {
    follow("start.md").await;
}

#[tokio::test]
async fn recipes_can_be_cooked() {
    for page in ["briefing.md", "family.md", "home-server.md", "coding-node.md"] {
        follow(&format!("recipes/{page}")).await;
    }
}

#[tokio::test]
async fn what_is_said_about_conversations_installing_upgrading_and_trouble_works() {
    for page in ["conversations.md", "install.md", "upgrading.md", "troubleshooting.md", "openclaw.md"] {
        follow(page).await;
    }
}

#[tokio::test]
async fn the_book_is_served_beside_the_page() {
    let gateway = TestGateway::start(launch(), TestHome::new().unwrap()).await.unwrap();
    for (path, heading) in [
        ("/docs/", "<h1 id=\"five-minutes\">"),
        ("/docs/index.html", "<h1 id=\"five-minutes\">"),
        ("/docs/upgrading.html", "<h2 id=\"homard-update\">"),
        ("/docs/channels/telegram.html", "<h1 id=\"telegram\">"),
    ] {
        let (status, page) = gateway.get(path).await.unwrap();
        assert!(status == 200 && page.contains(heading), "{path}: {status} {page}");
    }
    for path in ["/docs/nothing.html", "/docs/start.md", "/docs/../homard.json"] {
        assert_eq!(gateway.get(path).await.unwrap().0, 404, "{path}");
    }
}

#[test]
fn no_page_has_commands_that_nobody_runs() {
    let run =
        ["start.md", "conversations.md", "install.md", "upgrading.md", "troubleshooting.md", "openclaw.md"];
    let mut folders = vec![docs()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let page = path.strip_prefix(docs()).unwrap().to_string_lossy().into_owned();
            let is_run = run.contains(&page.as_str()) || page.starts_with("recipes/");
            if path.extension().is_some_and(|kind| kind == "md") && !is_run {
                assert_eq!(commands(&page), Vec::<String>::new(), "{page} is not among those that are run");
            }
        }
    }
}
