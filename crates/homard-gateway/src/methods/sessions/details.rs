//! `sessions.describe`, `sessions.messages.*` and `agent.identity.get`.

use homard_protocol::methods::sessions::details::{
    AgentIdentityParams, AgentIdentityResult, SessionsDescribeParams, SessionsDescribeResult,
    SessionsMessagesResult, SessionsMessagesSubscribeParams, SessionsMessagesUnsubscribeParams,
};

use crate::error::RequestError;
use crate::methods::session_key;
use crate::session_rows;
use crate::table::Cx;

/// What an agent without a name is called.
const NAMELESS: &str = "Assistant";

/// `sessions.describe`.
pub(crate) async fn describe(
    cx: Cx,
    params: SessionsDescribeParams,
) -> Result<SessionsDescribeResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    let record = gateway.store().sessions().get(&key).await?;
    let session = record.map(|record| {
        let mut row = session_rows::row(gateway, &record);
        row.derived_title = row.derived_title.filter(|_| params.include_derived_titles == Some(true));
        row.last_message_preview =
            row.last_message_preview.filter(|_| params.include_last_message == Some(true));
        row
    });
    Ok(SessionsDescribeResult { session })
}

/// `sessions.messages.subscribe`.
pub(crate) async fn subscribe(
    cx: Cx,
    params: SessionsMessagesSubscribeParams,
) -> Result<SessionsMessagesResult, RequestError> {
    let key = session_key(&cx.gateway, &params.key, params.agent_id.as_ref())?.to_string();
    if !cx.caller.client.hear(key.clone()) {
        return Err(RequestError::invalid("too many sessions are listened to on this connection"));
    }
    cx.gateway.listen_as_wanted();
    Ok(SessionsMessagesResult { subscribed: true, key })
}

/// `sessions.messages.unsubscribe`.
pub(crate) async fn unsubscribe(
    cx: Cx,
    params: SessionsMessagesUnsubscribeParams,
) -> Result<SessionsMessagesResult, RequestError> {
    let key = session_key(&cx.gateway, &params.key, params.agent_id.as_ref())?.to_string();
    cx.caller.client.unhear(&key);
    cx.gateway.listen_as_wanted();
    Ok(SessionsMessagesResult { subscribed: false, key })
}

/// `agent.identity.get`.
pub(crate) async fn identity(
    cx: Cx,
    params: AgentIdentityParams,
) -> Result<AgentIdentityResult, RequestError> {
    let config = cx.gateway.config().current();
    let asked = match (&params.session_key, &params.agent_id) {
        (Some(key), agent) => session_key(&cx.gateway, key, agent.as_ref())?.agent_id().cloned(),
        (None, Some(agent)) => Some(agent.clone()),
        (None, None) => None,
    };
    let agent = match &asked {
        Some(id) => {
            let unknown = || RequestError::invalid(format!("unknown agent id \"{id}\""));
            config.agents.agent(id).ok_or_else(unknown)?
        }
        None => config.agents.default_agent(),
    };
    let identity = &agent.identity;
    let name = identity.name.clone().or_else(|| agent.name.clone()).unwrap_or_else(|| NAMELESS.to_owned());
    let letter = || name.chars().next().map(|first| first.to_uppercase().collect::<String>());
    let avatar = identity.avatar.clone().or_else(|| identity.emoji.clone()).or_else(letter);
    Ok(AgentIdentityResult {
        agent_id: agent.id.clone(),
        avatar: avatar.unwrap_or_default(),
        emoji: identity.emoji.clone(),
        name,
    })
}
