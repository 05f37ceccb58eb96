//! Where messages belong.

use homard_channel::{Conversation, Sender};
use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_protocol::{AgentId, SessionKey};
use homard_runtime::Clock;

use super::{Route, Unroutable};
use crate::intake::admit::tests::inbound;

pub(crate) fn config() -> std::sync::Arc<Config> {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), r#"{"agents": {"list": [{"id": "main"}, {"id": "ops"}]}}"#)
        .unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::system());
    Snapshot::load(&source, &Overrides::default()).config.unwrap()
}

fn routed(key: &str) -> Result<(String, String), Unroutable> {
    let mut message = inbound(Sender::Operator);
    message.conversation = Conversation::Session(SessionKey::parse(key).unwrap());
    let route = Route::named(&config(), &message)?;
    Ok((route.session_key().to_string(), route.agent().to_string()))
}

#[test]
fn the_session_key_decides() {
    let pair = |a: &str, b: &str| Ok((a.to_owned(), b.to_owned()));
    assert_eq!(routed("agent:main:main"), pair("agent:main:main", "main"));
    assert_eq!(routed("agent:ops:x"), pair("agent:ops:x", "ops"));
    assert_eq!(routed("global"), pair("global", "main"));
    assert_eq!(routed("agent:ghost:x"), Err(Unroutable::UnknownAgent(AgentId::parse("ghost").unwrap())));
}
