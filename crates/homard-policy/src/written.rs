//! For tests: the settings of somebody who wrote a certain file, and messages.

use homard_channel::{Conversation, Details, Inbound, Sender};
use homard_config::{Config, ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_runtime::Clock;
use serde_json::Value;

/// The settings of somebody who wrote this.
pub(crate) fn config(written: &Value) -> Config {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_source().parent().unwrap()).unwrap();
    std::fs::write(paths.config_source(), written.to_string()).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(0));
    let snapshot = Snapshot::load(&source, &Overrides::default());
    let issues = snapshot.issues;
    (*snapshot.config.unwrap_or_else(|| panic!("{issues:?}"))).clone()
}

/// A message of somebody with the id 42.
pub(crate) fn message(channel: &str, account: &str, conversation: Conversation) -> Inbound {
    Inbound {
        channel: channel.parse().unwrap(),
        account: account.parse().unwrap(),
        conversation,
        sender: Sender::Peer { id: "42".parse().unwrap(), name: Some("Ada".to_owned()) },
        message_id: "m1".to_owned(),
        text: "hi".to_owned(),
        images: Vec::new(),
        timestamp: 1_771_335_000_000,
        details: Details::default(),
    }
}
