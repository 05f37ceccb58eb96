//! What the owner wrote about one of our accounts, decided: the keys all platforms share.

use homard_channel::{Abilities, ChunkMode, Dialect, Shape, TableMode, TextUnit};
use homard_protocol::ChannelId;
use serde_json::{Map, Value};

use super::allow::{AllowList, NameMatching};
use super::bots::LoopLimit;
use super::places::{self, DirectRules, Groups};
use super::read::{Read, Reader};
use crate::reply::ReplyToMode;

/// Most messages of programs in a row the owner can allow.
const MAX_BOTS_IN_A_ROW: usize = 900;
/// Longest message where nothing is known about the platform.
const UNKNOWN_LIMIT: usize = 2_000;
/// Bytes in the unit of `mediaMaxMb`.
const MEGABYTE: f64 = 1024.0 * 1024.0;

/// Who is answered in direct messages (`dmPolicy`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DmPolicy {
    /// Whoever the owner let in; strangers may ask.
    #[default]
    Pairing,
    Allowlist,
    /// Everybody, if the list says `*`.
    Open,
    Disabled,
}

/// Who is answered in groups (`groupPolicy`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GroupPolicy {
    #[default]
    Allowlist,
    Open,
    Disabled,
}

/// Whether programs are answered (`allowBots`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AllowBots {
    #[default]
    Never,
    /// When they mean us.
    Mentions,
    Always,
}

/// What is shown while an answer is being written (`streamMode`, `streaming.mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    Off,
    /// One message that grows.
    Partial,
    /// One message that grows in pieces.
    Block,
    /// What is being done.
    Progress,
}

/// How small pieces are gathered (`blockStreamingCoalesce`, `streaming.block.coalesce`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coalesce {
    /// Fewest characters that are sent.
    pub min_chars: Option<usize>,
    pub max_chars: Option<usize>,
    /// How long nothing may come before what there is is sent, in milliseconds.
    pub idle_ms: Option<usize>,
}

/// What is shown there of agents that look around by themselves (`heartbeatVisibility`, `heartbeat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeartbeatShown {
    /// That all is well (`showOk`).
    pub ok: bool,
    /// What people should know (`showAlerts`).
    pub alerts: bool,
    /// To those who watch the gateway, how it went (`useIndicator`).
    pub indicator: bool,
}

impl Default for HeartbeatShown {
    fn default() -> Self {
        Self { ok: false, alerts: true, indicator: true }
    }
}

impl HeartbeatShown {
    /// Whether nothing would come of a look around, whatever it found.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        !(self.ok || self.alerts || self.indicator)
    }
}

/// How we speak there. `None` means the owner said nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpeakRules {
    pub reply_to_mode: Option<ReplyToMode>,
    pub text_chunk_limit: Option<usize>,
    /// Where long texts are cut.
    pub chunk_mode: Option<ChunkMode>,
    /// What is shown meanwhile.
    pub stream_mode: Option<StreamMode>,
    /// Whether finished pieces are sent before the answer is whole.
    pub block_streaming: Option<bool>,
    /// How pieces are gathered.
    pub coalesce: Option<Coalesce>,
    /// What stands before every answer; an empty text stops the wider settings.
    pub response_prefix: Option<String>,
    /// What we react with when a message was seen; an empty text is none.
    pub ack_reaction: Option<String>,
    /// What becomes of tables.
    pub tables: Option<TableMode>,
    pub heartbeat: HeartbeatShown,
}

impl SpeakRules {
    /// How texts are written and cut; `None` for a platform of which nothing is known.
    #[must_use]
    pub fn shape(&self, abilities: Option<&Abilities>) -> Shape {
        let Some(abilities) = abilities else {
            let (dialect, unit) = (Dialect::Plain, TextUnit::Chars);
            let (tables, mode) = (TableMode::Code, ChunkMode::Length);
            return Shape { dialect, tables, limit: UNKNOWN_LIMIT, unit, mode };
        };
        Shape {
            dialect: abilities.dialect,
            tables: self.tables.unwrap_or(abilities.tables),
            limit: self
                .text_chunk_limit
                .map_or(abilities.text_limit, |limit| limit.min(abilities.text_limit)),
            unit: abilities.unit,
            mode: self.chunk_mode.unwrap_or_default(),
        }
    }
}

/// Decided rules of one of our accounts: `dmPolicy`, `allowFrom`, `groups` and what else all platforms share.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountRules {
    /// Whether it is used at all.
    pub enabled: bool,
    /// What the owner calls it.
    pub name: Option<String>,
    /// Who is answered in direct messages.
    pub dm_policy: DmPolicy,
    pub allow: AllowList,
    /// What holds for one person (`dms`, `direct`).
    pub directs: DirectRules,
    pub groups: Groups,
    pub names: NameMatching,
    /// Whether programs are answered.
    pub bots: AllowBots,
    /// How many of them in a row; `None` when the owner wants no limit.
    pub bot_loops: Option<LoopLimit>,
    /// How much of what was said in a group is told with the next message.
    pub history_limit: Option<usize>,
    /// What counts as our name on this platform.
    pub mention_patterns: Option<Vec<String>>,
    pub speaking: SpeakRules,
    /// Largest file, in bytes.
    pub media_max_bytes: Option<u64>,
    /// Whether people there may cause changes of the configuration.
    pub config_writes: bool,
    /// Whether commands are offered in a menu; `None` as `commands.native` says.
    pub native_commands: Option<bool>,
    /// Whether skills are; `None` as `commands.nativeSkills` says.
    pub native_skills: Option<bool>,
    /// What could not be read, in sentences for the owner.
    pub problems: Vec<String>,
}

impl Default for AccountRules {
    fn default() -> Self {
        Self::read(&Map::new(), &ChannelId::operator(), Reader::new("channels".to_owned()))
    }
}

impl AccountRules {
    /// Reads them from a platform's section, the account's own values over it, `channels.defaults` under it.
    pub(crate) fn of(
        channel: &ChannelId,
        own: Option<&Value>,
        section: &Value,
        defaults: Option<&Value>,
    ) -> Self {
        let mut reader = Reader::new(format!("channels.{channel}"));
        let mut merged = Map::new();
        let layers = [defaults, Some(section), own].into_iter().flatten();
        for layer in layers.filter(|layer| !layer.is_null()) {
            let Some(layer) = layer.as_object() else {
                reader.problem("*", "the section is not an object; nobody is let in");
                continue;
            };
            let values = layer.iter().filter(|(key, value)| *key != "accounts" && !value.is_null());
            merged.extend(values.map(|(key, value)| (key.clone(), value.clone())));
        }
        // An account may be off by itself or with its platform.
        let is_off = |layer: &Value| layer.get("enabled") == Some(&Value::Bool(false));
        if is_off(section) || own.is_some_and(is_off) {
            merged.insert("enabled".to_owned(), Value::Bool(false));
        }
        Self::read(&merged, channel, reader)
    }

    fn read(map: &Map<String, Value>, channel: &ChannelId, mut reader: Reader) -> Self {
        let cx = &mut reader;
        let (dm_policy, allow) = direct_policy(map, cx);
        let (bots, bot_loops) = bot_rules(map, cx);
        let mut rules = Self {
            enabled: cx.flag(map, "enabled").or_safe(false).unwrap_or(true),
            name: cx.text(map, "name"),
            dm_policy,
            directs: places::read_directs(map, cx),
            groups: places::read_groups(map, channel.as_str(), &allow, cx),
            allow,
            names: match cx.flag(map, "dangerouslyAllowNameMatching").or_safe(false) {
                Some(true) => NameMatching::Allowed,
                Some(false) | None => NameMatching::Never,
            },
            bots,
            bot_loops,
            history_limit: cx.number(map, "historyLimit"),
            mention_patterns: cx.texts(map, "mentionPatterns").readable(),
            speaking: speaking(map, cx),
            media_max_bytes: media_limit(map, cx),
            config_writes: cx.flag(map, "configWrites").or_safe(false).unwrap_or(true),
            native_commands: None,
            native_skills: None,
            problems: Vec::new(),
        };
        if let Some(commands) = cx.object(map, "commands").readable() {
            rules.native_commands = commands.get("native").and_then(Value::as_bool);
            rules.native_skills = commands.get("nativeSkills").and_then(Value::as_bool);
        }
        rules.problems = reader.problems;
        rules
    }
}

const DM_POLICIES: &[(&str, DmPolicy)] = &[
    ("pairing", DmPolicy::Pairing),
    ("allowlist", DmPolicy::Allowlist),
    ("open", DmPolicy::Open),
    ("disabled", DmPolicy::Disabled),
];

fn direct_policy(map: &Map<String, Value>, cx: &mut Reader) -> (DmPolicy, AllowList) {
    let mut policy = cx.choice(map, "dmPolicy", DM_POLICIES).or_safe(DmPolicy::Pairing);
    let mut allow = cx.allow_list(map, "allowFrom");
    if let Some(older) = cx.object(map, "dm").readable() {
        cx.inside("dm", |cx| {
            policy = policy.or_else(|| cx.choice(older, "policy", DM_POLICIES).or_safe(DmPolicy::Pairing));
            if allow.is_none() {
                allow = cx.allow_list(older, "allowFrom");
            }
            if cx.flag(older, "enabled").or_safe(false) == Some(false) {
                policy = Some(DmPolicy::Disabled);
            }
        });
    }
    let (policy, allow) = (policy.unwrap_or_default(), allow.unwrap_or_default());
    if policy == DmPolicy::Open && !allow.has_everybody() {
        cx.problem(
            "dmPolicy",
            "`open` needs `allowFrom: [\"*\"]`; until then only those listed are answered",
        );
    }
    (policy, allow)
}

fn bot_rules(map: &Map<String, Value>, cx: &mut Reader) -> (AllowBots, Option<LoopLimit>) {
    let bots = match map.get("allowBots") {
        None | Some(Value::Null | Value::Bool(false)) => AllowBots::Never,
        Some(Value::Bool(true)) => AllowBots::Always,
        Some(Value::String(word)) if word == "mentions" => AllowBots::Mentions,
        Some(_) => {
            cx.problem("allowBots", "true, false or \"mentions\" is expected here");
            AllowBots::Never
        }
    };
    let limit = LoopLimit::default();
    let limit = match map.get("botLoopProtection") {
        Some(Value::Bool(false)) => None,
        None | Some(Value::Null | Value::Bool(true)) => Some(limit),
        Some(Value::Object(wish)) => cx.inside("botLoopProtection", |cx| {
            let is_off = cx.flag(wish, "enabled").readable() == Some(false);
            let most = cx.number(wish, "maxEventsPerWindow").unwrap_or(limit.most);
            let seconds = cx.number(wish, "windowSeconds").and_then(|s| i64::try_from(s).ok());
            let within_ms = seconds.map_or(limit.within_ms, |seconds| seconds.saturating_mul(1000));
            (!is_off).then_some(LoopLimit { most: most.min(MAX_BOTS_IN_A_ROW), within_ms })
        }),
        Some(_) => {
            cx.problem("botLoopProtection", "an object is expected here");
            Some(limit)
        }
    };
    (bots, limit)
}

/// The newer name wins, key by key.
fn heartbeat_shown(map: &Map<String, Value>, cx: &mut Reader) -> HeartbeatShown {
    let mut shown = HeartbeatShown::default();
    for name in ["heartbeat", "heartbeatVisibility"] {
        let Some(said) = cx.object(map, name).readable() else { continue };
        cx.inside(name, |cx| {
            let mut take = |key: &str, to: &mut bool| {
                *to = cx.flag(said, key).or_safe(false).unwrap_or(*to);
            };
            take("showOk", &mut shown.ok);
            take("showAlerts", &mut shown.alerts);
            take("useIndicator", &mut shown.indicator);
        });
    }
    shown
}

fn media_limit(map: &Map<String, Value>, cx: &mut Reader) -> Option<u64> {
    let megabytes = map.get("mediaMaxMb").filter(|value| !value.is_null())?;
    match megabytes.as_f64().filter(|size| size.is_finite() && *size > 0.0) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number is positive, and one too large becomes the largest"
        )]
        Some(size) => Some((size * MEGABYTE) as u64),
        None => {
            cx.problem("mediaMaxMb", "a number above zero is expected here");
            None
        }
    }
}

const REPLY_MODES: &[(&str, ReplyToMode)] = &[
    ("off", ReplyToMode::Off),
    ("first", ReplyToMode::First),
    ("all", ReplyToMode::All),
    ("batched", ReplyToMode::Batched),
];
const STREAM_MODES: &[(&str, StreamMode)] = &[
    ("off", StreamMode::Off),
    ("partial", StreamMode::Partial),
    ("block", StreamMode::Block),
    ("progress", StreamMode::Progress),
];
const CHUNK_MODES: &[(&str, ChunkMode)] = &[("length", ChunkMode::Length), ("newline", ChunkMode::Newline)];
const TABLE_MODES: &[(&str, TableMode)] =
    &[("code", TableMode::Code), ("bullets", TableMode::Bullets), ("off", TableMode::Off)];

/// How we speak; the newer `streaming` object wins over the older keys.
fn speaking(map: &Map<String, Value>, cx: &mut Reader) -> SpeakRules {
    let mut speaking = SpeakRules {
        reply_to_mode: cx.choice(map, "replyToMode", REPLY_MODES).readable(),
        text_chunk_limit: cx.number(map, "textChunkLimit").filter(|limit| *limit > 0),
        chunk_mode: cx.choice(map, "chunkMode", CHUNK_MODES).readable(),
        stream_mode: cx.choice(map, "streamMode", STREAM_MODES).readable(),
        block_streaming: cx.flag(map, "blockStreaming").readable(),
        coalesce: coalesce(map, "blockStreamingCoalesce", cx),
        heartbeat: heartbeat_shown(map, cx),
        response_prefix: cx.text(map, "responsePrefix"),
        ack_reaction: ack_reaction(map, cx),
        tables: None,
    };
    if let Read::Value(markdown) = cx.object(map, "markdown") {
        speaking.tables = cx.inside("markdown", |cx| cx.choice(markdown, "tables", TABLE_MODES).readable());
    }
    match map.get("streaming") {
        Some(Value::Bool(true)) => speaking.stream_mode = Some(StreamMode::Partial),
        Some(Value::Bool(false)) => speaking.stream_mode = Some(StreamMode::Off),
        Some(Value::String(_)) => {
            speaking.stream_mode = cx.choice(map, "streaming", STREAM_MODES).readable();
        }
        Some(Value::Object(newer)) => cx.inside("streaming", |cx| newer_streaming(newer, &mut speaking, cx)),
        None | Some(_) => {}
    }
    speaking
}

fn newer_streaming(map: &Map<String, Value>, speaking: &mut SpeakRules, cx: &mut Reader) {
    let mode = cx.choice(map, "mode", STREAM_MODES).readable();
    speaking.stream_mode = mode.or(speaking.stream_mode);
    let chunk_mode = cx.choice(map, "chunkMode", CHUNK_MODES).readable();
    speaking.chunk_mode = chunk_mode.or(speaking.chunk_mode);
    if let Read::Value(block) = cx.object(map, "block") {
        cx.inside("block", |cx| {
            let enabled = cx.flag(block, "enabled").readable();
            speaking.block_streaming = enabled.or(speaking.block_streaming);
            let newer = coalesce(block, "coalesce", cx);
            speaking.coalesce = newer.or(speaking.coalesce);
        });
    }
}

fn coalesce(map: &Map<String, Value>, key: &str, cx: &mut Reader) -> Option<Coalesce> {
    let wish = cx.object(map, key).readable()?;
    cx.inside(key, |cx| {
        Some(Coalesce {
            min_chars: cx.number(wish, "minChars"),
            max_chars: cx.number(wish, "maxChars"),
            idle_ms: cx.number(wish, "idleMs"),
        })
    })
}

/// The emoji; an older shape has it in an object.
fn ack_reaction(map: &Map<String, Value>, cx: &mut Reader) -> Option<String> {
    match map.get("ackReaction") {
        Some(Value::Object(older)) => cx.inside("ackReaction", |cx| cx.text(older, "emoji")),
        _ => cx.text(map, "ackReaction"),
    }
}

#[cfg(test)]
mod tests;
