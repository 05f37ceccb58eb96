//! `hooks`: calls from outside that wake an agent or give it something to do.

pub mod internal;

use std::path::PathBuf;

use self::internal::InternalHooks;
use super::Resolve;
use super::gateway::Auth;
use crate::raw::extensions as raw;
use crate::secret::Secret;
use homard_protocol::WakeMode;

/// Where hooks arrive when nobody says otherwise.
const DEFAULT_PATH: &str = "/hooks";
/// Largest call when nobody says otherwise, in bytes.
const DEFAULT_MAX_BODY: u64 = 256 * 1024;
/// The ready-made mapping for mail notices.
const GMAIL: &str = "gmail";

/// Decided `hooks`.
#[derive(Debug, Clone, PartialEq)]
pub struct Hooks {
    /// Whether calls are accepted.
    pub enabled: bool,
    /// The path they arrive at, with a leading and without a trailing slash.
    pub path: String,
    /// What they must carry; always there when hooks are enabled.
    pub token: Option<Secret>,
    /// Largest call, in bytes.
    pub max_body: usize,
    /// Which conversations they may speak in.
    pub sessions: HookSessions,
    /// Agents they may name; `None` means any.
    pub allowed_agents: Option<Vec<String>>,
    /// What calls with names of their own do, in the order they are tried.
    pub mappings: Vec<HookMapping>,
    /// Where the programs are that rewrite calls; in the state directory.
    pub transforms_dir: PathBuf,
    /// Programs on the gateway's own events.
    pub internal: InternalHooks,
}

/// Which conversations hooks may speak in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSessions {
    /// The one used when none is named.
    pub default_key: Option<String>,
    /// Whether callers may name one.
    pub callers_choose: bool,
    /// What named ones must start with; `None` means anything.
    pub prefixes: Option<Vec<String>>,
}

/// What a mapping does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HookAction {
    /// Tells the agent something and wakes it.
    Wake,
    /// Gives the agent a message to answer.
    #[default]
    Agent,
}

/// Whether calls share a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionMode {
    /// Every call begins a fresh one.
    #[default]
    Isolated,
    Persistent,
}

impl SessionMode {
    /// Reads the word of the file and of calls.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "isolated" => Some(Self::Isolated),
            "persistent" => Some(Self::Persistent),
            _ => None,
        }
    }

    /// The word of the file and of calls.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Isolated => "isolated",
            Self::Persistent => "persistent",
        }
    }
}

/// What a call with a name of its own does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookMapping {
    /// Its name, for answers and the log.
    pub id: String,
    /// The path it takes, without slashes at the ends; `None` takes any.
    pub path: Option<String>,
    /// The `source` a call must name; `None` takes any.
    pub source: Option<String>,
    pub action: HookAction,
    /// When a wake is looked at; for agents, when the main conversation is told of the answer, if at all.
    pub wake_mode: Option<WakeMode>,
    /// Whether its calls share a conversation.
    pub session_mode: SessionMode,
    /// The template of what the agent is told.
    pub template: Option<String>,
    /// A list in the call whose items are calls of their own.
    pub for_each: Option<String>,
    /// Who is told, and how it answers.
    pub turn: HookTurn,
    /// Where the answer goes.
    pub delivery: HookDelivery,
    /// Whether the owner vouches for the content.
    pub trusts_content: bool,
    /// The program that rewrites the call.
    pub transform: Option<HookTransform>,
}

/// A program that rewrites a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookTransform {
    /// Its file, in the folder of transforms.
    pub module: String,
    /// A word it is called with.
    pub export: Option<String>,
}

/// Who is told by a mapping, and how it answers. Texts may be templates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookTurn {
    pub name: Option<String>,
    pub agent: Option<String>,
    pub session_key: Option<String>,
    pub model: Option<String>,
    /// How hard it thinks.
    pub thinking: Option<String>,
    /// How long it may take, in seconds.
    pub timeout_seconds: Option<u64>,
}

/// Where an answer goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookDelivery {
    /// Whether it goes anywhere; `None` means that it does.
    pub deliver: Option<bool>,
    pub channel: Option<String>,
    pub to: Option<String>,
}

impl Hooks {
    pub(super) fn resolve(raw: raw::Hooks, gateway: &Auth, cx: &mut Resolve<'_>) -> Self {
        let enabled = raw.enabled.unwrap_or(false);
        let token = cx.secret("hooks.token", raw.token);
        if enabled && token.is_none() {
            cx.issue("hooks.token", "a token is needed because `hooks.enabled` is true");
        }
        let secrets = [&gateway.token, &gateway.password];
        let is_gateways = |token: &Secret| secrets.iter().any(|s| s.as_ref() == Some(token));
        if enabled && token.as_ref().is_some_and(is_gateways) {
            cx.issue(
                "hooks.token",
                "must differ from the gateway's own token: whoever may call a hook could do everything else",
            );
        }
        let written = raw.path.as_deref().unwrap_or(DEFAULT_PATH).trim().trim_matches('/').to_owned();
        if written.is_empty() {
            cx.issue(
                "hooks.path",
                "hooks cannot arrive at `/`: choose a path of their own, for example /hooks",
            );
        }
        let mut mappings = Vec::new();
        for (at, mapping) in raw.mappings.unwrap_or_default().into_iter().enumerate() {
            mappings.push(HookMapping::resolve(mapping, at, cx));
        }
        let gmail = raw.gmail.unwrap_or_default();
        for preset in raw.presets.unwrap_or_default() {
            if preset == GMAIL {
                mappings.push(HookMapping::gmail(&gmail));
            } else {
                cx.warn("hooks.presets", format!("there is no preset `{preset}`; known: {GMAIL}"));
            }
        }
        let agents = raw.allowed_agent_ids.filter(|ids| !ids.iter().any(|id| id.trim() == "*"));
        Self {
            enabled,
            path: format!("/{written}"),
            token,
            max_body: usize::try_from(raw.max_body_bytes.unwrap_or(DEFAULT_MAX_BODY)).unwrap_or(usize::MAX),
            sessions: HookSessions {
                default_key: raw.default_session_key.filter(|key| !key.trim().is_empty()),
                callers_choose: raw.allow_request_session_key.unwrap_or(false),
                prefixes: raw.allowed_session_key_prefixes.map(trimmed).filter(|list| !list.is_empty()),
            },
            allowed_agents: agents.map(trimmed),
            mappings,
            transforms_dir: transforms_dir(raw.transforms_dir.as_deref(), cx),
            internal: InternalHooks::resolve(raw.internal.unwrap_or_default(), cx),
        }
    }
}

/// What runs there runs as the gateway, so it lies among the gateway's own files.
fn transforms_dir(written: Option<&str>, cx: &mut Resolve<'_>) -> PathBuf {
    let usual = cx.paths.state_dir.join("hooks/transforms");
    let Some(written) = written.map(str::trim).filter(|written| !written.is_empty()) else { return usual };
    let is_whole = written.starts_with(['/', '~']);
    let meant = if is_whole { cx.paths.expand(written) } else { usual.join(written) };
    let climbs = meant.components().any(|part| part == std::path::Component::ParentDir);
    if climbs || !meant.starts_with(&cx.paths.state_dir) {
        let words =
            format!("must lie in the state directory; transforms are looked for in {}", usual.display());
        cx.warn("hooks.transformsDir", words);
        return usual;
    }
    meant
}

fn trimmed(list: Vec<String>) -> Vec<String> {
    let list = list.into_iter().map(|text| text.trim().to_lowercase());
    list.filter(|text| !text.is_empty()).collect()
}

impl HookMapping {
    fn resolve(raw: raw::HookMapping, at: usize, cx: &mut Resolve<'_>) -> Self {
        let place = format!("hooks.mappings[{at}]");
        let matching = raw.matching.unwrap_or_default();
        let action = match raw.action.as_deref() {
            Some("wake") => HookAction::Wake,
            _agent => HookAction::Agent,
        };
        let (template, named) = match action {
            HookAction::Wake => (raw.text_template, "textTemplate"),
            HookAction::Agent => (raw.message_template, "messageTemplate"),
        };
        let transform = raw.transform.map(|program| HookTransform {
            module: program.module.unwrap_or_default().trim().to_owned(),
            export: program.export,
        });
        if transform.as_ref().is_some_and(|program| program.module.is_empty()) {
            cx.warn(format!("{place}.transform.module"), "names no program: such calls are refused");
        } else if transform.is_none() && template.is_none() {
            cx.warn(
                format!("{place}.{named}"),
                "without a template the agent is told the call's own text only",
            );
        }
        Self {
            id: raw.id.unwrap_or_else(|| format!("mapping-{}", at + 1)),
            path: matching.path.map(|path| path.trim().trim_matches('/').to_owned()),
            source: matching.source.map(|source| source.trim().to_owned()),
            action,
            wake_mode: raw.wake_mode.as_deref().and_then(|word| word.parse().ok()),
            session_mode: raw.session_mode.as_deref().and_then(SessionMode::parse).unwrap_or_default(),
            template,
            for_each: raw.for_each,
            turn: HookTurn {
                name: raw.name,
                agent: raw.agent_id,
                session_key: raw.session_key,
                model: raw.model,
                thinking: raw.thinking,
                timeout_seconds: raw.timeout_seconds,
            },
            delivery: HookDelivery { deliver: raw.deliver, channel: raw.channel, to: raw.to },
            trusts_content: raw.allow_unsafe_external_content.unwrap_or(false),
            transform,
        }
    }

    /// The ready-made mapping for mail notices: every letter is a conversation.
    fn gmail(gmail: &raw::Gmail) -> Self {
        let template = "A letter arrived.\nFrom: {{messages[0].from}}\nSubject: {{messages[0].subject}}\n\
            {{messages[0].snippet}}\n\n{{messages[0].body}}";
        Self {
            id: GMAIL.to_owned(),
            path: Some(GMAIL.to_owned()),
            template: Some(template.to_owned()),
            for_each: Some("messages".to_owned()),
            turn: HookTurn {
                name: Some("Gmail".to_owned()),
                session_key: Some("hook:gmail:{{messages[0].id}}".to_owned()),
                model: gmail.model.clone(),
                thinking: gmail.thinking.clone(),
                ..HookTurn::default()
            },
            trusts_content: gmail.allow_unsafe_external_content.unwrap_or(false),
            ..Self::default()
        }
    }

    /// What it is called where its calls are counted: the path it takes, which nobody else chooses, or its name.
    #[must_use]
    pub fn account(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.id)
    }

    /// Whether its calls carry letters, which are larger than other calls.
    #[must_use]
    pub fn is_mail(&self) -> bool {
        self.id == GMAIL
    }
}

#[cfg(test)]
mod tests;
