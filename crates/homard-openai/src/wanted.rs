//! Who is meant by a request: which agent, in which session, thinking with which model.

use homard_channel::Inbound;
use homard_protocol::{AgentId, ChannelId, Scope, ScopeSet, SessionKey};
use homard_runtime::hex;
use http::HeaderMap;
use sha2::{Digest, Sha256};

use super::refusal::ApiError;
use crate::OpenAiApi;

/// What headers begin with: the name existing programs send, and our own.
const PREFIXES: [&str; 2] = ["x-openclaw-", "x-homard-"];
/// Names the agents go by as models: the one existing programs use, and our own.
const FAMILIES: [&str; 2] = ["openclaw", "homard"];
/// Conversations of ours that no caller may speak in.
const RESERVED: [&str; 3] = ["subagent:", "cron:", "acp:"];
/// Longest end-user name that is part of a session's name as it is.
const MAX_PLAIN_USER: usize = 64;
/// Longest end-user name at all.
const MAX_USER: usize = 512;
/// Bytes of the fingerprint that stands for other names.
const FINGERPRINT_BYTES: usize = 16;

/// Who asks, and with what besides the body.
pub(super) struct Asker<'a> {
    pub(super) api: &'a OpenAiApi,
    pub(super) headers: &'a HeaderMap,
    pub(super) scopes: ScopeSet,
}

/// An agent, and whether the request named it.
pub(super) struct Chosen {
    pub(super) agent: AgentId,
    pub(super) is_named: bool,
}

/// A session, and whether it may have been spoken in before.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RequestPlace {
    pub(super) key: SessionKey,
    pub(super) is_stable: bool,
}

impl Asker<'_> {
    /// A header of ours; an empty one says nothing.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = PREFIXES.iter().find_map(|prefix| self.headers.get(format!("{prefix}{name}")));
        found.and_then(|value| value.to_str().ok()).map(str::trim).filter(|value| !value.is_empty())
    }

    /// The agent a request means.
    pub(super) fn agent(&self, model: &str) -> Result<Chosen, ApiError> {
        let by_model = named_by(model)?;
        let by_header = self.header("agent-id").map(AgentId::parse).transpose();
        let by_header = by_header.map_err(|error| ApiError::invalid(format!("invalid agent id: {error}")))?;
        let config = self.api.config.current();
        let Some(agent) = by_header.or(by_model) else {
            let unnamed = config.agents.unnamed().map(|agent| agent.id.clone());
            let agent = unnamed.ok_or_else(|| {
                ApiError::at(
                    "model",
                    "Invalid `model`. There are several agents and none is the default: name one, as in `openclaw/<agentId>`.",
                )
            })?;
            return Ok(Chosen { agent, is_named: false });
        };
        match config.agents.agent(&agent) {
            Some(_) => Ok(Chosen { agent, is_named: true }),
            None => Err(ApiError::at(
                "model",
                format!("unknown agent id `{agent}`; `/v1/models` lists the agents"),
            )),
        }
    }

    /// The session a request means: the named one, the end user's, or a fresh one.
    pub(super) fn place(
        &self,
        chosen: &mut Chosen,
        prefix: &str,
        user: Option<&str>,
    ) -> Result<RequestPlace, ApiError> {
        if let Some(named) = self.header("session-key") {
            let key = self.named_session(named, chosen)?;
            return Ok(RequestPlace { key, is_stable: true });
        }
        let agent = &chosen.agent;
        let user = user.map(str::trim).filter(|user| !user.is_empty());
        let text = match user {
            Some(user) if user.len() > MAX_USER => {
                return Err(ApiError::at("user", format!("`user` is longer than {MAX_USER} bytes")));
            }
            Some(user) => format!("agent:{agent}:{prefix}-user:{}", user_part(user)),
            None => format!("agent:{agent}:{prefix}:{}", uuid::Uuid::new_v4()),
        };
        let key = SessionKey::parse(&text).map_err(|error| ApiError::invalid(error.to_string()))?;
        Ok(RequestPlace { key, is_stable: user.is_some() })
    }

    fn named_session(&self, named: &str, chosen: &mut Chosen) -> Result<SessionKey, ApiError> {
        let bad = |message: String| ApiError::invalid(format!("invalid session key: {message}"));
        let key = SessionKey::parse_for(named, &chosen.agent).map_err(|error| bad(error.to_string()))?;
        let text = key.to_string();
        let rest = text.strip_prefix("agent:").and_then(|rest| rest.split_once(':')).map(|(_, rest)| rest);
        if let Some(reserved) =
            RESERVED.iter().find(|reserved| rest.is_some_and(|r| r.starts_with(**reserved)))
        {
            return Err(bad(format!("keys beginning with `{reserved}` are reserved")));
        }
        match key.agent_id() {
            Some(agent) if *agent != chosen.agent && chosen.is_named => {
                return Err(bad(format!("it belongs to the agent `{agent}`, not to `{}`", chosen.agent)));
            }
            Some(agent) => {
                if self.api.config.current().agents.agent(agent).is_none() {
                    return Err(bad(format!("unknown agent id `{agent}`")));
                }
                chosen.agent = agent.clone();
            }
            None => {}
        }
        Ok(key)
    }

    /// The model the agent shall think with in this one turn; only administrators choose.
    pub(super) fn backend(&self) -> Result<Option<String>, ApiError> {
        let Some(named) = self.header("model") else { return Ok(None) };
        if !self.scopes.grants(Scope::Admin) {
            return Err(ApiError::Forbidden(Scope::Admin));
        }
        Ok(Some(named.to_owned()))
    }

    /// The same, checked to be one a turn can have.
    pub(super) fn thinker(&self) -> Result<Option<String>, ApiError> {
        let Some(named) = self.backend()? else { return Ok(None) };
        let desk = self.api.relay.router();
        let bad = |why: String| ApiError::invalid(format!("Invalid `x-openclaw-model`: {why}"));
        let wanted = desk.selector().parse(&named).map_err(|error| bad(error.to_string()))?;
        if !desk.selector().allows(&wanted.model) {
            return Err(bad(format!("the model {} is not allowed here", wanted.model)));
        }
        desk.models().resolve(&wanted.model).map_err(|error| bad(error.to_string()))?;
        Ok(Some(named))
    }

    /// Lets a message look as if it came by the channel a header names.
    pub(super) fn dress(&self, message: &mut Inbound) -> Result<(), ApiError> {
        if let Some(named) = self.header("message-channel") {
            message.channel = ChannelId::parse(&named.to_ascii_lowercase())
                .map_err(|error| ApiError::invalid(format!("invalid message channel: {error}")))?;
        }
        Ok(())
    }
}

/// The agent in a model's name; `None` when it means the default one.
fn named_by(model: &str) -> Result<Option<AgentId>, ApiError> {
    let invalid = || {
        ApiError::at(
            "model",
            "Invalid `model`. Use `openclaw` or `openclaw/<agentId>`; `/v1/models` lists them.",
        )
    };
    let model = model.trim();
    let lower = model.to_ascii_lowercase();
    if FAMILIES.contains(&lower.as_str()) {
        return Ok(None);
    }
    let rest = FAMILIES
        .iter()
        .find_map(|family| lower.strip_prefix(family)?.strip_prefix(['/', ':']))
        .or_else(|| lower.strip_prefix("agent:"))
        .ok_or_else(invalid)?;
    if rest == "default" {
        return Ok(None);
    }
    AgentId::parse(rest).map(Some).map_err(|_not_an_id| invalid())
}

/// An end user's name as part of a session's: session names know no capital letters and no colons of others,
/// so all but plain names are stood for by a fingerprint.
fn user_part(user: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._@-".contains(c);
    if user.len() <= MAX_PLAIN_USER && user.chars().all(plain) {
        return user.to_owned();
    }
    let hash = Sha256::digest(user.as_bytes());
    format!("~{}", hex(hash.iter().take(FINGERPRINT_BYTES)))
}

#[cfg(test)]
mod tests;
