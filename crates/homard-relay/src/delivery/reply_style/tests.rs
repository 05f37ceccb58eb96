//! A table of sections.

use std::time::Duration;

use homard_channel::{Abilities, ChunkMode, TableMode};
use homard_config::{ConfigHandle, ConfigSource, Environment, Paths};
use homard_policy::reply::ReplyToMode;
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::ReplyStyle;
use crate::fixture::{abilities, address, editable};

fn of(config: &Value, abilities: Option<Abilities>) -> ReplyStyle {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    std::fs::create_dir_all(paths.config_path.parent().unwrap()).unwrap();
    std::fs::write(&paths.config_path, config.to_string()).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(0));
    ReplyStyle::decide(&ConfigHandle::open(source).unwrap().current(), &address("1"), abilities)
}

#[test]
fn the_platform_decides_where_the_owner_says_nothing() {
    let plain = of(&json!({}), Some(abilities()));
    assert_eq!(
        (plain.shape.limit, plain.shape.mode, plain.reply_mode),
        (200, ChunkMode::Length, ReplyToMode::Off)
    );
    assert!(!plain.preview && plain.blocks.is_none() && plain.prefix.is_none());
    assert!(of(&json!({}), Some(editable())).preview);
    assert_eq!(of(&json!({}), None).shape.limit, 2_000);
}

#[test]
fn the_owner_decides_within_what_the_platform_can_do() {
    let section = json!({"channels": {"fake": {
        "textChunkLimit": 100, "chunkMode": "newline", "replyToMode": "all", "streamMode": "off",
        "markdown": {"tables": "bullets"}, "responsePrefix": "x",
        "accounts": {"default": {"textChunkLimit": 9_000, "responsePrefix": "y"}}}},
        "messages": {"responsePrefix": "z", "ackReaction": "!"}});
    let style = of(&section, Some(editable()));
    assert_eq!(
        (style.shape.limit, style.shape.mode, style.shape.tables),
        (200, ChunkMode::Newline, TableMode::Bullets)
    );
    assert_eq!((style.reply_mode, style.preview), (ReplyToMode::All, false));
    assert_eq!((style.prefix.as_deref(), style.ack.as_deref()), (Some("y"), Some("!")));
}

#[test]
fn pieces_are_cut_to_the_platform_and_joined_as_it_likes() {
    let section = json!({"channels": {"fake": {"blockStreaming": true}}});
    let slow = Abilities { coalesce: Some((150, Duration::from_secs(3))), ..editable() };
    let style = of(&section, Some(slow));
    let blocks = style.blocks.unwrap();
    assert_eq!((blocks.cut.min, blocks.cut.max), (200, 200));
    assert_eq!((blocks.join.min, blocks.join.max, blocks.idle), (150, 200, Duration::from_secs(3)));
    assert!(!style.preview, "one or the other");
    let everywhere = json!({"agents": {"defaults": {"blockStreamingDefault": "on"}}});
    assert!(of(&everywhere, Some(abilities())).blocks.is_some());
}
