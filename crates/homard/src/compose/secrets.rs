//! Every secret the settings hold or point to, for whoever hides them. Stored logins are told by `homard-models` itself.

use std::path::Path;

use homard_config::{ConfigHandle, Environment, is_sensitive_key, schema, secrets_in};
use serde_json::{Map, Value};

/// Longest file that is read for a secret; none is longer.
const MAX_FILE: u64 = 4_096;
/// What a key ends with that names a file.
const FILE: &str = "File";

/// Fields of addresses that carry a secret under a short name.
const QUERY_SECRETS: [&str; 5] = ["auth", "key", "pass", "sig", "signature"];

/// The secrets of the settings in effect: keys, tokens and passwords of every section, what the files and variables
/// hold that it names for them, and variables named like one.
pub(crate) fn of(config: &ConfigHandle) -> Vec<String> {
    let effective = &config.snapshot().effective;
    let mut found = secrets_in(effective, schema());
    let current = config.current();
    let auth = &current.gateway.auth;
    found.extend(auth.token.iter().chain(&auth.password).map(|secret| secret.expose().to_owned()));
    let named = current.env.iter().filter(|(name, _)| is_sensitive_key(name));
    found.extend(named.map(|(_, value)| value.to_owned()));
    found.extend(current.env.iter().flat_map(|(_, value)| in_address(value)));
    elsewhere(effective, &current.env, &mut found);
    found
}

/// Secrets the settings only point to: files (`tokenFile`), variables of any name, passwords inside addresses and
/// behind the names of rooms.
fn elsewhere(value: &Value, env: &Environment, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| elsewhere(value, env, found)),
        Value::String(text) => found.extend(in_address(text)),
        Value::Object(map) => {
            found.extend(by_variable(map, env));
            for (key, value) in map {
                match (key.strip_suffix(FILE), value) {
                    (Some(what), Value::String(path)) if is_sensitive_key(what) => {
                        found.extend(in_file(Path::new(path.trim())));
                    }
                    (_, Value::String(text)) => found.extend(in_address(text)),
                    (_, Value::Array(rooms)) if key == "channels" => {
                        found.extend(rooms.iter().filter_map(Value::as_str).filter_map(behind_room));
                    }
                    (_, value) => elsewhere(value, env, found),
                }
            }
        }
        Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

fn by_variable(map: &Map<String, Value>, env: &Environment) -> Option<String> {
    let word = |key: &str| map.get(key).and_then(Value::as_str);
    env.get(word("id").filter(|_| word("source") == Some("env"))?).map(str::to_owned)
}

fn in_file(path: &Path) -> Option<String> {
    let facts = std::fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() <= MAX_FILE)?;
    let text = std::fs::read_to_string(path).ok().filter(|_| facts.len() > 0)?;
    Some(text.trim().to_owned())
}

/// The secrets of an address: the password of `scheme://name:password@host`, and what stands behind `?key=` and its
/// like.
fn in_address(address: &str) -> Vec<String> {
    let Some((_, rest)) = address.split_once("://") else { return Vec::new() };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let user = place.rsplit_once('@').map(|(user, _)| user);
    let password = user.and_then(|user| user.split_once(':')).map(|(_, password)| password.to_owned());
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let fields = query.split(['&', '#']).filter_map(|field| field.split_once('='));
    let is_secret = |name: &str| is_sensitive_key(name) || QUERY_SECRETS.contains(&name);
    let named = fields.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.to_owned());
    password.into_iter().chain(named).collect()
}

/// The key of `#room key`.
fn behind_room(room: &str) -> Option<String> {
    room.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use homard_config::Environment;
    use serde_json::json;

    use super::elsewhere;

    #[test]
    fn what_the_settings_only_point_to_is_a_secret_too() {
        let dir = tempfile::tempdir().unwrap();
        let [token, password] = ["t", "p"].map(|name| dir.path().join(name));
        std::fs::write(&token, "123456:in-a-file\n").unwrap();
        std::fs::write(&password, "irc-in-a-file").unwrap();
        let settings = json!({"channels": {
            "telegram": {
                "tokenFile": token, "logFile": password, "proxy": "socks5://me:proxy-word@host:1",
                "accounts": {"b": {"botToken": {"source": "env", "provider": "default", "id": "MY_BOT"}}},
            },
            "irc": {
                "nickserv": {"passwordFile": password}, "channels": ["#open", "#shut room-key"],
                "sasl": {"passwordFile": dir.path()},
            },
        }});
        let env = Environment::from_pairs([("MY_BOT", "bot-in-the-environment")]);
        let mut found = Vec::new();
        elsewhere(&settings, &env, &mut found);
        found.sort();
        let expected =
            ["123456:in-a-file", "bot-in-the-environment", "irc-in-a-file", "proxy-word", "room-key"];
        assert_eq!(found, expected);
    }
}
