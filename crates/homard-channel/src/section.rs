//! The keys every platform's section shares, as data: what they are called, what they take, and what for.
//!
//! An adapter adds its own; [`SectionKeys::schema`] makes of both what the configuration is checked against and forms
//! are drawn from. What a value means is decided where it is used.

use homard_config::INERT;
use serde_json::{Map, Value, json};

/// A key of a section.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What may stand there.
    pub takes: Takes,
    /// What it is for, in a line.
    pub help: &'static str,
}

/// What may stand at a key.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    Flag,
    /// A whole number, zero or more.
    Count,
    /// Any number above zero.
    Amount,
    Text,
    List,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An object with these keys.
    Object(&'static [Key]),
    /// An object of the owner's own names; each has these keys, or is `true` or `false`.
    Named(&'static [Key]),
    /// `true` or `false` by name.
    Flags,
    Either(&'static [Self]),
    /// Anything; whoever uses it checks it.
    Any,
    /// Anything; nobody uses it yet.
    Inert,
}

const fn key(name: &'static str, takes: Takes, help: &'static str) -> Key {
    Key { name, takes, help }
}

const DM_POLICIES: Takes = Takes::Word(&["pairing", "allowlist", "open", "disabled"]);
const GROUP_POLICIES: Takes = Takes::Word(&["allowlist", "open", "disabled"]);
const STREAM_MODES: Takes = Takes::Word(&["off", "partial", "block", "progress"]);
const CHUNK_MODES: Takes = Takes::Word(&["length", "newline"]);
const COALESCE: Takes = Takes::Object(&[
    key("minChars", Takes::Count, "Fewest characters that are sent."),
    key("maxChars", Takes::Count, "Most characters that are sent."),
    key("idleMs", Takes::Count, "Milliseconds without news after which what there is is sent."),
]);

const HEARTBEAT: Takes = Takes::Object(&[
    key("showOk", Takes::Flag, "Whether it is said that all is well (no unless given)."),
    key("showAlerts", Takes::Flag, "Whether alerts are sent (yes unless given)."),
    key(
        "useIndicator",
        Takes::Flag,
        "Whether those who watch the gateway see how it went (yes unless given).",
    ),
]);

/// What may be said about one group or topic, but for its topics.
macro_rules! group_keys {
    ($($more:expr),*) => {
        &[
            key("enabled", Takes::Flag, "Whether it is heard at all."),
            key("allow", Takes::Flag, "Older name of `enabled`."),
            key("requireMention", Takes::Flag, "Whether the assistant must be meant by name."),
            key("groupPolicy", GROUP_POLICIES, "Who is answered here."),
            key("allowFrom", Takes::List, "Who is answered here, instead of the wider list."),
            key("users", Takes::List, "Older name of `allowFrom`."),
            key("systemPrompt", Takes::Text, "What the model is told here."),
            key("skills", Takes::List, "Which skills are offered here."),
            key("tools", Takes::Any, "Which tools are offered here: allow, alsoAllow, deny."),
            key("toolsBySender", Takes::Any, "Which tools are offered to whom here."),
            key("historyLimit", Takes::Count, "How many messages of before are told."),
            $($more),*
        ]
    };
}

const TOPIC: &[Key] = group_keys!(key("agentId", Takes::Inert, "Which agent answers here."));
const GROUP: &[Key] =
    group_keys!(key("topics", Takes::Named(TOPIC), "Its topics by id; `*` stands for every one."));

/// The keys of every section and of every account in it.
pub const SHARED_KEYS: &[Key] = &[
    key("enabled", Takes::Flag, "Whether it is used at all."),
    key("name", Takes::Text, "What you call it."),
    key("dmPolicy", DM_POLICIES, "Who is answered in direct messages; `open` needs `*` in allowFrom."),
    key("allowFrom", Takes::List, "Who may write: ids of the platform."),
    key(
        "dm",
        Takes::Object(&[
            key("enabled", Takes::Flag, "Whether direct messages are answered."),
            key("policy", DM_POLICIES, "Older place of dmPolicy."),
            key("allowFrom", Takes::List, "Older place of allowFrom."),
            key("groupEnabled", Takes::Inert, "Whether group chats of direct messages are answered."),
            key("groupChannels", Takes::Inert, "Which of them."),
        ]),
        "Older place of the rules for direct messages.",
    ),
    key("groupPolicy", GROUP_POLICIES, "Who is answered in groups."),
    key("groupAllowFrom", Takes::List, "Who may write in groups; allowFrom unless given."),
    key("requireMention", Takes::Flag, "Whether the assistant must be meant by name in groups."),
    key(
        "groups",
        Takes::Named(GROUP),
        "Groups by id; when there are any, no other is heard, unless `*` is one.",
    ),
    key("rooms", Takes::Named(GROUP), "Another name of `groups`."),
    key("dms", Takes::Named(GROUP), "What holds for single people, by id."),
    key("direct", Takes::Named(GROUP), "Newer name of `dms`."),
    key("historyLimit", Takes::Count, "How many messages of a group are told with the next one."),
    key("dmHistoryLimit", Takes::Count, "How many turns of a direct chat are told; 0 for all."),
    key("dangerouslyAllowNameMatching", Takes::Flag, "Whether names count in lists, which anybody can take."),
    key(
        "allowBots",
        Takes::Either(&[Takes::Flag, Takes::Word(&["mentions"])]),
        "Whether programs are answered.",
    ),
    key(
        "botLoopProtection",
        Takes::Either(&[
            Takes::Flag,
            Takes::Object(&[
                key("enabled", Takes::Flag, "Whether there is a limit."),
                key("maxEventsPerWindow", Takes::Count, "Most messages of programs within the window."),
                key("windowSeconds", Takes::Count, "The window."),
            ]),
        ]),
        "How many messages of programs are answered in a row.",
    ),
    key("mentionPatterns", Takes::List, "What counts as our name here."),
    key(
        "replyToMode",
        Takes::Word(&["off", "first", "all", "batched"]),
        "Which messages are shown as replies.",
    ),
    key("textChunkLimit", Takes::Count, "Longest message."),
    key("chunkMode", CHUNK_MODES, "Where long texts are cut."),
    key("streamMode", STREAM_MODES, "What is shown while an answer is written."),
    key("blockStreaming", Takes::Flag, "Whether finished pieces are sent before the answer is whole."),
    key("blockStreamingCoalesce", COALESCE, "How small pieces are gathered."),
    key(
        "streaming",
        Takes::Either(&[
            Takes::Flag,
            STREAM_MODES,
            Takes::Object(&[
                key("mode", STREAM_MODES, "What is shown while an answer is written."),
                key("chunkMode", CHUNK_MODES, "Where long texts are cut."),
                key(
                    "block",
                    Takes::Object(&[
                        key("enabled", Takes::Flag, "Whether finished pieces are sent at once."),
                        key("coalesce", COALESCE, "How small pieces are gathered."),
                    ]),
                    "Pieces.",
                ),
                key("preview", Takes::Inert, "How the growing message is cut."),
                key("nativeTransport", Takes::Inert, "Whether the platform's own way is used."),
            ]),
        ]),
        "What is shown while an answer is written; wins over the older keys.",
    ),
    key("responsePrefix", Takes::Text, "What stands before every answer; empty for nothing."),
    key(
        "ackReaction",
        Takes::Either(&[
            Takes::Text,
            Takes::Object(&[
                key("emoji", Takes::Text, "The reaction."),
                key("direct", Takes::Inert, "Whether in direct chats."),
                key("group", Takes::Inert, "When in groups."),
            ]),
        ]),
        "What a seen message is marked with; empty for nothing.",
    ),
    key(
        "markdown",
        Takes::Object(&[key("tables", Takes::Word(&["off", "bullets", "code"]), "What becomes of tables.")]),
        "How formatting is carried over.",
    ),
    key("mediaMaxMb", Takes::Amount, "Largest file, in megabytes."),
    key("configWrites", Takes::Flag, "Whether messages here may change settings."),
    key(
        "commands",
        Takes::Object(&[
            key(
                "native",
                Takes::Either(&[Takes::Flag, Takes::Word(&["auto"])]),
                "Whether commands are in the menu.",
            ),
            key(
                "nativeSkills",
                Takes::Either(&[Takes::Flag, Takes::Word(&["auto"])]),
                "Whether skills are in the menu.",
            ),
        ]),
        "Commands in the platform's menu.",
    ),
    key("actions", Takes::Flags, "Which acts of the message tool are allowed, by name."),
    key("capabilities", Takes::Inert, "What the platform may be used for."),
    key("contextVisibility", Takes::Inert, "Whose quoted messages are told."),
    key("healthMonitor", Takes::Inert, "Whether a silent account is connected anew."),
    key("heartbeat", HEARTBEAT, "What is shown of heartbeats."),
    key("heartbeatVisibility", HEARTBEAT, "Newer name of `heartbeat`."),
];

/// What a platform adds to the shared keys.
#[derive(Debug, Clone, Copy)]
pub struct SectionKeys {
    /// The schema of the adapter's own keys, without references.
    pub own: fn() -> Value,
    /// Keys that are known and do nothing yet.
    pub inert: &'static [&'static str],
}

impl SectionKeys {
    /// The schema of the whole section: the shared keys, the platform's own, the accounts.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut properties = properties(SHARED_KEYS);
        let mut own = (self.own)();
        close(&mut own);
        if let Some(Value::Object(keys)) = own.get_mut("properties").map(Value::take) {
            properties.extend(keys);
        }
        for name in self.inert {
            properties.insert((*name).to_owned(), json!({INERT: true}));
        }
        let account = json!({"type": "object", "properties": properties, "additionalProperties": false});
        properties.insert(
            "defaultAccount".to_owned(),
            json!({"type": "string", "description": "Which account is meant where none is named."}),
        );
        properties.insert(
            "accounts".to_owned(),
            json!({
                "type": "object", "description": "Several accounts by name; each has what is said above it and its own.",
                "additionalProperties": account,
            }),
        );
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}

/// The schema of `channels.defaults`.
#[must_use]
pub fn defaults_schema() -> Value {
    object(SHARED_KEYS)
}

fn properties(keys: &[Key]) -> Map<String, Value> {
    let described = keys.iter().map(|key| {
        let mut schema = schema_of(&key.takes);
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("description".to_owned(), key.help.into());
        }
        (key.name.to_owned(), schema)
    });
    described.collect()
}

fn object(keys: &[Key]) -> Value {
    json!({"type": "object", "properties": properties(keys), "additionalProperties": false})
}

fn schema_of(takes: &Takes) -> Value {
    match takes {
        Takes::Flag => json!({"type": "boolean"}),
        Takes::Count => json!({"type": "integer", "minimum": 0}),
        Takes::Amount => json!({"type": "number", "minimum": 0}),
        Takes::Text => json!({"type": "string"}),
        Takes::List => json!({"type": "array", "items": {"type": ["string", "number"]}}),
        Takes::Word(words) => json!({"type": "string", "enum": words}),
        Takes::Object(keys) => object(keys),
        Takes::Named(keys) => {
            let each = json!({"anyOf": [object(keys), {"type": "boolean"}]});
            json!({"type": "object", "additionalProperties": each})
        }
        Takes::Flags => json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
        Takes::Either(options) => {
            json!({"anyOf": options.iter().map(schema_of).collect::<Vec<_>>()})
        }
        Takes::Any => json!({}),
        Takes::Inert => json!({INERT: true}),
    }
}

/// Objects whose keys are named take no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") {
                map.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            map.values_mut().for_each(close);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{INERT, SectionKeys};

    #[test]
    fn a_section_has_the_shared_keys_the_platforms_own_and_accounts_with_both() {
        let own = || json!({"type": "object", "properties": {"token": {"type": "string"}, "box": {"properties": {}}}});
        let schema = SectionKeys { own, inert: &["retry"] }.schema();
        for base in ["", "/properties/accounts/additionalProperties"] {
            let at = |path: &str| schema.pointer(&format!("{base}{path}"));
            assert_eq!(at("/additionalProperties"), Some(&Value::Bool(false)));
            assert_eq!(at("/properties/token/type"), Some(&json!("string")));
            assert_eq!(at("/properties/dmPolicy/enum/0"), Some(&json!("pairing")));
            assert_eq!(at("/properties/box/additionalProperties"), Some(&Value::Bool(false)));
            assert_eq!(at(&format!("/properties/retry/{INERT}")), Some(&Value::Bool(true)));
        }
        assert!(schema.pointer("/properties/accounts/additionalProperties/properties/accounts").is_none());
    }
}
