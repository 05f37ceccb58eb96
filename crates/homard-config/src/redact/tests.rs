//! Nothing secret leaves.

use serde_json::json;

use super::{is_sensitive_key, redact, redact_text, secret_places};
use crate::secret::REDACTED;
use crate::syntax::document::parse;
use crate::validation::schema::schema;

#[test]
fn keys_named_like_secrets_are_known() {
    for key in
        ["token", "botToken", "appToken", "signingSecret", "api_key", "apiKey", "password", "webhookSecret"]
    {
        assert!(is_sensitive_key(key), "{key}");
    }
    for key in ["maxTokens", "contextTokens", "tokenFile", "port", "resetTriggers", "keyPath", "passEnv"] {
        assert!(!is_sensitive_key(key), "{key}");
    }
}

#[test]
fn secrets_become_the_sentinel_and_references_stay() {
    let value = json!({
        "gateway": { "port": 1, "auth": { "token": "s", "password": "${PW}" } },
        "models": { "providers": { "p": { "apiKey": "s", "headers": { "X-Auth": "s" }, "baseUrl": "https://x" } } },
        "channels": { "x": { "botToken": "s", "accounts": { "a": { "signingSecret": "s", "name": "n" } } } },
        "env": { "NAME": "s", "vars": { "OTHER": "s" }, "shellEnv": { "enabled": true } },
        "agents": { "defaults": { "contextTokens": 5 } },
    });
    let expected = json!({
        "gateway": { "port": 1, "auth": { "token": REDACTED, "password": "${PW}" } },
        "models": { "providers": { "p": { "apiKey": REDACTED, "headers": { "X-Auth": REDACTED }, "baseUrl": "https://x" } } },
        "channels": { "x": { "botToken": REDACTED, "accounts": { "a": { "signingSecret": REDACTED, "name": "n" } } } },
        "env": { "NAME": REDACTED, "vars": { "OTHER": REDACTED }, "shellEnv": { "enabled": true } },
        "agents": { "defaults": { "contextTokens": 5 } },
    });
    assert_eq!(redact(&value, schema()), expected);
    let text = value.to_string();
    let redacted = redact_text(&text, &parse(&text).unwrap(), schema());
    assert_eq!(parse(&redacted).unwrap().to_value(), expected);
}

#[test]
fn secrets_of_sections_that_do_nothing_yet_are_secrets() {
    let value = json!({
        "memory": { "search": { "remote": { "headers": { "X-Auth": "s" }, "baseUrl": "https://x" } } },
        "tools": { "media": { "audio": { "headers": { "X-Auth": "s" }, "language": "de" } } },
        "hooks": { "gmail": { "pushToken": { "source": "env", "id": "T" } } },
    });
    let expected = json!({
        "memory": { "search": { "remote": { "headers": { "X-Auth": REDACTED }, "baseUrl": "https://x" } } },
        "tools": { "media": { "audio": { "headers": { "X-Auth": REDACTED }, "language": "de" } } },
        "hooks": { "gmail": { "pushToken": { "source": "env", "id": "T" } } },
    });
    assert_eq!(redact(&value, schema()), expected);
}

#[test]
fn redacted_text_keeps_comments() {
    let text = "{ gateway: { auth: { token: 'abc' /* mine */ } } } // end";
    let expected = format!("{{ gateway: {{ auth: {{ token: \"{REDACTED}\" /* mine */ }} }} }} // end");
    assert_eq!(redact_text(text, &parse(text).unwrap(), schema()), expected);
}

#[test]
fn places_of_secrets_say_how_each_is_kept_and_not_what_it_is() {
    let value = json!({
        "gateway": { "port": 1, "auth": { "token": "hunter2", "password": "x${PW}${SALT}" } },
        "channels": { "x": { "accounts": [{ "botToken": { "source": "env", "id": "BOT" } }] } },
        "hooks": { "token": { "source": "file", "id": "/hooks" } },
    });
    let places = secret_places(&value, schema());
    let told: Vec<(&str, &str, String)> = places
        .iter()
        .map(|place| (place.path.as_str(), place.kept.as_str(), place.needs().join(" ")))
        .collect();
    assert_eq!(
        told,
        [
            ("gateway.auth.token", "plain", String::new()),
            ("gateway.auth.password", "variable", "PW SALT".to_owned()),
            ("channels.x.accounts[0].botToken", "env", "BOT".to_owned()),
            ("hooks.token", "file", String::new()),
        ]
    );
}
