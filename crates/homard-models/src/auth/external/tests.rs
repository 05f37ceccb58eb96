//! Facts about logins of other programs.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::import_external;
use crate::auth::NewSecret;

fn home(files: &[(&str, &Value)]) -> TempDir {
    let home = TempDir::new().unwrap();
    for (name, value) in files {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }
    home
}

fn jwt(claims: &Value) -> String {
    format!("e30.{}.s", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

#[test]
fn logins_of_other_programs_are_found_and_nothing_is_written() {
    let access = jwt(&json!({"exp": 1_800, "https://api.openai.com/auth": {"chatgpt_account_id": "acct"}}));
    let codex = json!({"OPENAI_API_KEY": null, "tokens": {
        "access_token": access, "refresh_token": "r", "id_token": jwt(&json!({"email": "p@x.test"}))}});
    let claude = json!({"claudeAiOauth": {"accessToken": "a", "refreshToken": "r", "expiresAt": 9}});
    let gemini = json!({"access_token": "ya29.a", "refresh_token": "r", "expiry_date": 1_769_159_945_362.7,
        "id_token": jwt(&json!({"email": "g@x.test"}))});
    let home = home(&[
        (".codex/auth.json", &codex),
        (".claude/.credentials.json", &claude),
        (".gemini/oauth_creds.json", &gemini),
    ]);
    let found = import_external(home.path());
    let ids: Vec<_> = found.iter().map(|one| one.profile.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["openai-codex:codex-cli", "anthropic:claude-cli", "google-gemini-cli:gemini-cli"]);
    let NewSecret::OAuth { expires, account, .. } = &found[0].profile.secret else { panic!("not a login") };
    assert_eq!((*expires, account.as_deref()), (1_800_000, Some("acct")));
    assert_eq!(found[0].profile.email.as_deref(), Some("p@x.test"));
    let NewSecret::OAuth { expires, .. } = &found[2].profile.secret else { panic!("not a login") };
    assert_eq!(*expires, 1_769_159_945_362);
    assert!(!format!("{found:?}").contains(&access));
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 3);
}

#[test]
fn strange_files_are_no_logins() {
    let cases: [(&str, Value, usize); 5] = [
        (".codex/auth.json", json!({"OPENAI_API_KEY": "sk-x"}), 1),
        (".codex/auth.json", json!([]), 0),
        (".codex/auth.json", json!({"tokens": {"access_token": 5}}), 0),
        (".claude/.credentials.json", json!({"claudeAiOauth": {"accessToken": "only"}}), 1),
        (".claude/.credentials.json", json!("text"), 0),
    ];
    for (name, value, expected) in cases {
        assert_eq!(import_external(home(&[(name, &value)]).path()).len(), expected, "{value}");
    }
}
