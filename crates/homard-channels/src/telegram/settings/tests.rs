//! Where the token comes from, and which sections are refused.

use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::{Settings, details, is_configured, schema};
use crate::registry::{BuildError, Parts};

fn parts(account: &str, section: Value, env: &[(&str, &str)]) -> Parts {
    Parts {
        channel: ChannelId::parse("telegram").unwrap(),
        account: AccountId::parse(account).unwrap(),
        section,
        env: Environment::from_pairs(env.iter().copied()),
        state_dir: std::path::PathBuf::new(),
        clock: Clock::fixed(0),
        commands: Vec::new(),
        ingress: homard_channel::Ingress::default(),
    }
}

#[test]
fn the_token_comes_from_the_section_then_a_file_then_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, " 2:file\n").unwrap();
    let env = [("TELEGRAM_BOT_TOKEN", "3:env"), ("OTHER", "4:other")];
    let rows = [
        ("default", json!({"botToken": "1:own", "tokenFile": file}), "1:own"),
        ("default", json!({"botToken": " ", "tokenFile": file}), "2:file"),
        ("work", json!({"tokenFile": file}), "2:file"),
        ("default", json!({}), "3:env"),
        ("default", Value::Null, "3:env"),
        ("work", json!({"botToken": {"source": "env", "id": "OTHER"}}), "4:other"),
    ];
    for (account, section, token) in rows {
        let settings = Settings::read(&parts(account, section.clone(), &env)).unwrap();
        assert_eq!(settings.token.expose(), token, "{account} {section}");
    }
    let none = Settings::read(&parts("work", json!({}), &env));
    assert!(matches!(none, Err(BuildError::Incomplete(_))));
}

#[test]
fn sections_that_cannot_work_say_why_and_keep_the_token() {
    let token = "12:secretsecret";
    let rows = [
        (json!({"botToken": "nonsense"}), "botToken"),
        (json!({"botToken": "12:a/../b"}), "botToken"),
        (json!({"botToken": 5}), "botToken"),
        (json!({"tokenFile": "/nowhere/at/all"}), "tokenFile"),
        (json!({"botToken": token, "apiRoot": "not an address"}), "apiRoot"),
        (json!({"botToken": token, "apiRoot": "ftp://x"}), "apiRoot"),
        (json!({"botToken": token, "webhookUrl": "https://a.example/x"}), "webhookSecret"),
        (
            json!({"botToken": token, "webhookUrl": "https://a.example/x", "webhookSecret": "a b"}),
            "webhookSecret",
        ),
        (
            json!({"botToken": token, "webhookUrl": "https://a.example/x", "webhookSecret": "ab", "webhookPath": "x"}),
            "webhookPath",
        ),
        (json!({"botToken": token, "reactionNotifications": "some"}), "reactionNotifications"),
        (json!({"botToken": {"source": "exec", "id": "x"}}), "botToken"),
    ];
    for (section, key) in rows {
        let error =
            Settings::read(&parts("default", section.clone(), &[])).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(key), "{section}: {error}");
        assert!(!error.contains("secretsecret"), "{section}: {error}");
    }
}

#[test]
fn an_account_is_configured_when_anything_names_a_token() {
    let none = Environment::from_pairs::<&str, &str>([]);
    let env = Environment::from_pairs([("TELEGRAM_BOT_TOKEN", "1:a")]);
    let rows = [
        (json!({}), false),
        (json!({"botToken": ""}), false),
        (json!({"botToken": "1:a"}), true),
        (json!({"tokenFile": "x"}), true),
        (json!({"botToken": {"source": "env", "id": "X"}}), true),
        (json!({"accounts": {"work": {"botToken": "1:a"}}}), true),
        (json!({"accounts": {"work": {}}}), false),
    ];
    for (section, expected) in rows {
        assert_eq!(is_configured(&section, &none), expected, "{section}");
        assert!(is_configured(&section, &env), "{section}");
    }
}

#[test]
fn the_schema_marks_what_is_secret() {
    let schema = schema();
    assert!(schema["properties"]["botToken"].to_string().contains("x-secret"), "{schema}");
    assert!(schema["properties"]["apiRoot"]["description"].is_string());
}

#[test]
fn people_see_how_a_bot_hears() {
    for (section, how) in [
        (json!({}), "Fetches messages (long polling)"),
        (json!({"webhookUrl": " "}), "Fetches messages (long polling)"),
        (json!({"webhookUrl": "https://x.test"}), "Messages are brought (webhook)"),
    ] {
        assert_eq!(details(&section), [("Connection", how.to_owned())]);
    }
}

#[test]
fn a_webhook_has_a_listener_of_its_own_only_where_one_is_written() {
    let own = |host: &str, port: u16| Some((host.to_owned(), port));
    let rows = [
        (json!({}), None),
        (json!({"webhookPort": 0}), None),
        (json!({"webhookHost": "0.0.0.0", "webhookPort": 0}), None),
        (json!({"webhookPort": 8787}), own("127.0.0.1", 8_787)),
        (json!({"webhookHost": "0.0.0.0"}), own("0.0.0.0", 8_787)),
        (json!({"webhookHost": "::1", "webhookPort": 9000}), own("::1", 9_000)),
    ];
    for (written, expected) in rows {
        let mut section =
            json!({"botToken": "12:secret", "webhookUrl": "https://a.example/x", "webhookSecret": "ab"});
        let fields = section.as_object_mut().unwrap();
        fields.extend(written.as_object().unwrap().clone());
        let settings = Settings::read(&parts("default", section, &[])).unwrap();
        assert_eq!(settings.webhook.unwrap().listener, expected, "{written}");
    }
}
