//! A table of settings.

use std::time::Duration;

use serde_json::{Value, json};

use super::{AckScope, BlockCut, Delivery, TypingMode};
use crate::raw::Raw;

fn of(value: Value) -> Delivery {
    Delivery::resolve(&serde_json::from_value::<Raw>(value).unwrap())
}

#[test]
fn who_writes_nothing_gets_the_defaults() {
    let plain = of(json!({}));
    assert_eq!(plain, Delivery::default());
    assert_eq!((plain.blocks.min, plain.blocks.max, plain.blocks.by_default), (800, 1200, false));
    assert_eq!(
        (plain.ack_scope, plain.remove_ack, plain.human_delay),
        (AckScope::GroupMentions, false, None)
    );
}

#[test]
fn what_is_written_is_taken() {
    let all = of(json!({
        "messages": {"responsePrefix": "[{model}]", "ackReaction": "", "ackReactionScope": "all", "removeAckAfterReply": true},
        "session": {"typingMode": "never", "typingIntervalSeconds": 9},
        "agents": {"defaults": {
            "blockStreamingDefault": "on", "blockStreamingBreak": "message_end",
            "blockStreamingChunk": {"minChars": 5000, "maxChars": 900, "breakPreference": "sentence"},
            "blockStreamingCoalesce": {"minChars": 10, "idleMs": 250},
            "humanDelay": {"mode": "custom", "minMs": 300, "maxMs": 100},
            "typingMode": "thinking"}}
    }));
    assert_eq!((all.ack_reaction.as_deref(), all.ack_scope, all.remove_ack), (Some(""), AckScope::All, true));
    assert_eq!((all.typing, all.typing_interval), (Some(TypingMode::Thinking), Some(Duration::from_secs(9))));
    assert_eq!((all.blocks.min, all.blocks.max, all.blocks.cut), (900, 900, BlockCut::Sentence));
    assert!(all.blocks.by_default && all.blocks.at_message_end);
    assert_eq!((all.blocks.join_min, all.blocks.idle), (Some(10), Some(Duration::from_millis(250))));
    assert_eq!(all.human_delay, Some((Duration::from_millis(300), Duration::from_millis(300))));
    let natural = of(json!({"agents": {"defaults": {"humanDelay": {"mode": "natural", "minMs": 5}}}}));
    assert_eq!(natural.human_delay, Some((Duration::from_millis(800), Duration::from_millis(2500))));
}
