//! Making a configuration of another program ours: what it says differently is replaced, what nobody here understands is
//! taken out and told. Comments and layout stay.

use serde_json::Value;

use crate::changes::overrides::Overrides;
use crate::issue::Issue;
use crate::load::{ConfigSource, Snapshot};
use crate::syntax::document;
use crate::syntax::splice::rewrite;
use crate::syntax::value_path::ValuePath;

/// How often what is wrong is taken out: one wrong thing may hide another.
const MAX_ROUNDS: usize = 32;

/// A configuration that can be used here.
#[derive(Debug, Clone, PartialEq)]
pub struct AdoptedConfig {
    pub text: String,
    /// What the text says, references untouched.
    pub value: Value,
    /// What had to be taken out, and why.
    pub left_out: Vec<Issue>,
    /// Places that are known and do nothing yet.
    pub inert: Vec<String>,
}

/// Why a configuration cannot be made ours.
#[derive(Debug, thiserror::Error)]
#[error("it cannot be read: {0}")]
pub struct NotAdopted(String);

/// Makes a text ours as it would be read at the place of our own file; `change` replaces what is to be different.
///
/// # Errors
/// When the text is no configuration, or stays wrong whatever is taken out.
pub fn adopt_config(
    source: &ConfigSource,
    text: &str,
    change: impl FnOnce(&mut Value),
) -> Result<AdoptedConfig, NotAdopted> {
    let mut value = document::parse(text).map_err(|error| NotAdopted(error.to_string()))?.to_value();
    if !value.is_object() {
        return Err(NotAdopted("it is not one object { … }".to_owned()));
    }
    change(&mut value);
    let mut left_out = Vec::new();
    for _round in 0..MAX_ROUNDS {
        let text = rewrite(text, &value);
        let read =
            Snapshot::of_text(source, &source.paths.config_path, Some(text.clone()), &Overrides::default());
        if read.valid() {
            return Ok(AdoptedConfig { text, value, left_out, inert: read.inert });
        }
        let mut took_out = false;
        for issue in read.issues {
            let place = ValuePath::parse(&issue.path).ok();
            if place.is_some_and(|place| place.remove(&mut value).is_some()) {
                took_out = true;
                left_out.push(issue);
            } else if !took_out {
                return Err(NotAdopted(issue.message));
            }
        }
    }
    Err(NotAdopted("too much of it is not understood".to_owned()))
}

#[cfg(test)]
mod tests {
    use homard_runtime::Clock;
    use serde_json::json;

    use super::adopt_config;
    use crate::env::Environment;
    use crate::load::ConfigSource;
    use crate::paths::Paths;

    #[test]
    fn what_is_not_understood_goes_and_comments_stay() {
        let home = tempfile::tempdir().unwrap();
        let nothing: [(&str, &str); 0] = [];
        let source = ConfigSource::isolated(
            Paths::under(home.path()),
            Environment::from_pairs(nothing),
            Clock::fixed(0),
        );
        let text = "{\n  // my port\n  gateway: {port: 4000, bind: 'nowhere'},\n  nonsense: {a: 1},\n}\n";
        let adopted =
            adopt_config(&source, text, |value| value["agents"] = json!({"defaults": {"workspace": "/w"}}))
                .unwrap();
        let mut left: Vec<&str> = adopted.left_out.iter().map(|issue| issue.path.as_str()).collect();
        left.sort_unstable();
        assert_eq!(left, ["gateway.bind", "nonsense"]);
        assert!(adopted.text.contains("// my port"), "{}", adopted.text);
        assert_eq!(
            adopted.value,
            json!({"gateway": {"port": 4000}, "agents": {"defaults": {"workspace": "/w"}}})
        );
        for broken in ["{", "[]", "\"text\""] {
            assert!(adopt_config(&source, broken, |_| {}).is_err(), "{broken}");
        }
    }
}
