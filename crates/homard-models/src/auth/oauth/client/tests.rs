//! Where the id and secret of a vendor's program are found.

use std::fs;
use std::path::Path;

use homard_config::Environment;
use tempfile::TempDir;

use super::{BorrowedClient, OAuthClient, OAuthRow};

static ROW: OAuthRow = OAuthRow {
    borrowed: Some(BorrowedClient {
        id_env: &["OWN_ID"],
        secret_env: &["OWN_SECRET"],
        program: "gem",
        install: "npm install gem",
    }),
    ..OAuthRow::EMPTY
};

/// What such a file looks like; the values are made up.
const SCRIPT: &str =
    "// Copyright\nconst ID = '12-abc.apps.googleusercontent.com';\nvar SECRET=\"GOCSPX-made_up-1\";";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A program on the path, with its id in this file of its package.
fn machine(file: &str) -> (TempDir, Environment) {
    let dir = TempDir::new().unwrap();
    let package = dir.path().join("lib/node_modules/@google/gem");
    write(&package.join("package.json"), "{}");
    write(&package.join("dist/index.js"), "main();");
    write(&package.join("bundle/aaa.js"), "nothing here");
    write(&package.join(file), SCRIPT);
    fs::create_dir_all(dir.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(package.join("dist/index.js"), dir.path().join("bin/gem")).unwrap();
    let path = format!("/nowhere:{}", dir.path().join("bin").display());
    (dir, Environment::from_pairs([("PATH", path)]))
}

fn found(id: &str, secret: &str) -> OAuthClient {
    OAuthClient { id: id.to_owned(), secret: Some(homard_llm::ApiKey::new(secret)) }
}

#[test]
fn an_installed_program_says_who_it_is_however_it_is_packed() {
    let core = "dist/src/code_assist/oauth2.js";
    let files = [
        format!("node_modules/@google/gemini-cli-core/{core}"),
        format!("../gemini-cli-core/{core}"),
        core.to_owned(),
        "bundle/chunk-X1.js".to_owned(),
    ];
    for file in files {
        let (_dir, env) = machine(&file);
        let expected = found("12-abc.apps.googleusercontent.com", "GOCSPX-made_up-1");
        assert_eq!(ROW.client(&env).unwrap(), expected, "{file}");
    }
}

#[test]
fn what_the_owner_says_counts_first_and_half_of_it_is_nothing() {
    let (_dir, installed) = machine("bundle/chunk-X1.js");
    let own = installed.beneath([("OWN_ID", "me"), ("OWN_SECRET", "mine")]);
    assert_eq!(ROW.client(&own).unwrap(), found("me", "mine"));
    let half = Environment::from_pairs([("OWN_ID", "me")]);
    let words = ROW.client(&half).unwrap_err().to_string();
    for part in ["npm install gem", "OWN_ID", "OWN_SECRET"] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn a_row_with_an_id_of_its_own_asks_nobody() {
    static OWN: OAuthRow = OAuthRow { client_id: "ours", ..OAuthRow::EMPTY };
    let ours = OAuthClient { id: "ours".to_owned(), secret: None };
    assert_eq!(OWN.client(&Environment::default()).unwrap(), ours);
    assert_eq!(format!("{ours:?}"), "OAuthClient(••••)");
}
