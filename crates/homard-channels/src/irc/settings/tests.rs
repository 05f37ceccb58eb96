//! What the owner may write.

use std::time::Duration;

use homard_channel::Dialect;
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::{Settings, Tls, details, is_configured};
use crate::registry::{BuildError, Parts};

fn read(account: &str, section: Value, env: &[(&str, &str)]) -> Result<Settings, BuildError> {
    Settings::read(&Parts {
        channel: ChannelId::parse("irc").unwrap(),
        account: AccountId::parse(account).unwrap(),
        section,
        env: Environment::from_pairs(env.iter().copied()),
        state_dir: "/".into(),
        clock: Clock::fixed(0),
        commands: Vec::new(),
        ingress: homard_channel::Ingress::default(),
    })
}

#[test]
fn a_server_and_a_nick_are_enough() {
    let settings = read("default", json!({"host": " irc.libera.chat ", "nick": "Homard"}), &[]).unwrap();
    assert_eq!(settings.host, "irc.libera.chat");
    assert_eq!((settings.port, settings.tls), (6697, Tls::System));
    assert_eq!((settings.username.as_str(), settings.realname.as_str()), ("homard", "Homard"));
    assert_eq!((settings.text_limit, settings.dialect), (350, Dialect::Plain));
    assert_eq!((settings.pace.burst, settings.pace.interval), (4, Duration::from_secs(2)));
    assert!(settings.rooms.is_empty() && settings.password.is_none() && settings.sasl.is_none());
    let plain = read("default", json!({"host": "h", "nick": "n", "tls": false}), &[]).unwrap();
    assert_eq!((plain.port, plain.tls), (6667, Tls::Off));
}

#[test]
fn everything_can_be_said() {
    let section = json!({
        "host": "h", "nick": "n", "port": 7000, "username": "u", "realname": "Real Name",
        "tlsFingerprint": "ab".repeat(32), "password": "p",
        "nickserv": {"service": "Nick", "password": "np", "register": true, "registerEmail": "a@b"},
        "sasl": {"username": "acc"},
        "channels": ["#a", "b", "#c key", "#A", " "],
        "textChunkLimit": 400, "formatting": "codes", "flood": {"burst": 20, "intervalMs": 0},
        "dmPolicy": "open", "groups": {"#a": {}},
    });
    let settings = read("default", section, &[]).unwrap();
    assert!(matches!(settings.tls, Tls::Pinned(_)));
    let nickserv = settings.nickserv.unwrap();
    assert_eq!((nickserv.service.as_str(), nickserv.register.as_deref()), ("Nick", Some("a@b")));
    let sasl = settings.sasl.unwrap();
    assert_eq!((sasl.account.as_str(), sasl.password.expose(), sasl.is_required), ("acc", "np", true));
    let rooms: Vec<(&str, Option<&str>)> = settings
        .rooms
        .iter()
        .map(|room| (room.name.as_str(), room.key.as_ref().map(homard_config::Secret::expose)))
        .collect();
    assert_eq!(rooms, [("#a", None), ("#b", None), ("#c", Some("key"))]);
    assert_eq!((settings.text_limit, settings.dialect), (400, Dialect::IrcCodes));
}

#[test]
fn variables_stand_in_for_the_default_account_only() {
    let env = [
        ("IRC_HOST", "irc.env"),
        ("IRC_PORT", "6668"),
        ("IRC_TLS", "false"),
        ("IRC_NICK", "envnick"),
        ("IRC_USERNAME", "u"),
        ("IRC_REALNAME", "Env Name"),
        ("IRC_PASSWORD", "pass"),
        ("IRC_CHANNELS", "#a,#b key"),
        ("IRC_NICKSERV_PASSWORD", "np"),
    ];
    let settings = read("default", Value::Null, &env).unwrap();
    assert_eq!((settings.host.as_str(), settings.port, settings.tls), ("irc.env", 6668, Tls::Off));
    assert_eq!((settings.nick.as_str(), settings.realname.as_str()), ("envnick", "Env Name"));
    assert_eq!(settings.password.unwrap().expose(), "pass");
    assert_eq!(settings.rooms.len(), 2);
    assert!(settings.nickserv.is_some());
    assert!(!settings.sasl.unwrap().is_required);
    let written = read("default", json!({"host": "irc.file", "tls": true}), &env).unwrap();
    assert_eq!((written.host.as_str(), written.tls), ("irc.file", Tls::System));
    assert!(matches!(read("second", json!({}), &env), Err(BuildError::Incomplete(_))));
}

#[test]
fn secrets_come_from_variables_and_files_and_never_print() {
    let dir = std::env::temp_dir().join(format!("homard-irc-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("password");
    std::fs::write(&file, "from-file\n").unwrap();
    let base = |more: Value| {
        let mut section = json!({"host": "h", "nick": "n"});
        section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read("default", section, &[("PW", "from-env")])
    };
    let named = base(json!({"password": {"source": "env", "id": "PW"}})).unwrap();
    assert_eq!(named.password.as_ref().unwrap().expose(), "from-env");
    let filed = base(json!({"passwordFile": file})).unwrap();
    assert_eq!(filed.password.as_ref().unwrap().expose(), "from-file");
    assert!(!format!("{named:?}{filed:?}").contains("from-"));
    assert!(base(json!({"password": {"source": "env", "id": "NONE"}})).is_err());
    assert!(base(json!({"passwordFile": dir.join("missing")})).is_err());
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn what_cannot_be_used_is_named_with_its_place() {
    let rows = [
        (json!({"host": "h", "nick": "two words"}), "irc.nick"),
        (json!({"host": "h", "nick": "9lives"}), "irc.nick"),
        (json!({"host": "h", "nick": "#room"}), "irc.nick"),
        (json!({"host": "h\r\nQUIT", "nick": "n"}), "irc.host"),
        (json!({"host": "h", "nick": "n", "port": 0}), "irc.port"),
        (json!({"host": "h", "nick": "n", "port": "x"}), "irc.port"),
        (json!({"host": "h", "nick": "n", "port": 70000}), "irc.port"),
        (json!({"host": "h", "nick": "n", "tls": "yes"}), "irc.tls"),
        (json!({"host": "h", "nick": "n", "tlsFingerprint": "ab"}), "irc.tlsFingerprint"),
        (json!({"host": "h", "nick": "n", "channels": ["#a,#b"]}), "irc.channels"),
        (json!({"host": "h", "nick": "n", "channels": [7]}), "irc.channels[0]"),
        (json!({"host": "h", "nick": "n", "textChunkLimit": 1}), "irc.textChunkLimit"),
        (json!({"host": "h", "nick": "n", "password": "a\nb"}), "irc.password"),
        (json!({"host": "h", "nick": "n", "sasl": {}}), "irc.sasl.password"),
        (json!({"host": "h", "nick": "n", "nickserv": {"register": true}}), "irc.nickserv.register"),
        (json!({"host": "h", "nick": "n", "flood": {"burst": 0}}), "irc.flood.burst"),
        (json!({"host": "h", "nick": "n", "flood": {"intervalMs": 99_999_999}}), "irc.flood.intervalMs"),
        (json!({"host": "h", "nick": "n", "formatting": "html"}), "irc.formatting"),
    ];
    for (section, place) in rows {
        match read("default", section.clone(), &[]) {
            Err(BuildError::BadValue { path, .. }) => assert_eq!(path, place, "{section}"),
            other => panic!("{section}: {other:?}"),
        }
    }
    assert!(read("default", json!([]), &[]).is_err());
}

#[test]
fn an_account_is_configured_with_a_server_and_a_nick_from_anywhere() {
    let env = Environment::from_pairs([("IRC_HOST", "h")]);
    assert!(is_configured(&json!({"nick": "n"}), &env));
    assert!(!is_configured(&json!({"nick": " "}), &env));
    assert!(!is_configured(&json!({"nick": "n"}), &Environment::default()));
    assert!(!is_configured(&Value::Null, &Environment::default()));
}

#[test]
fn people_see_where_an_account_is_and_no_key_of_a_channel() {
    let section = json!({"host": "h", "port": 6667, "tls": false, "channels": ["den", "#lab sesame", 7], "password": "p"});
    let seen = [("Connection", "h:6667, not encrypted".to_owned()), ("Channels", "#den, #lab".to_owned())];
    assert_eq!(details(&section), seen);
    assert_eq!(details(&json!({"host": "h"})), [("Connection", "h, encrypted".to_owned())]);
    assert_eq!(details(&json!({"nick": "n"})), []);
}
