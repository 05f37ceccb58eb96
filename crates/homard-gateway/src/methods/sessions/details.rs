//! `sessions.describe`, `sessions.messages.*` and `agent.identity.get`.

use homard_protocol::methods::session_look::{
    AgentIdentityParams, AgentIdentityResult, SessionsDescribeParams, SessionsDescribeResult,
    SessionsMessagesResult, SessionsMessagesSubscribeParams, SessionsMessagesUnsubscribeParams,
};
use homard_protocol::{AgentId, ErrorShape};

use crate::error;
use crate::methods::session_key;
use crate::session_rows;
use crate::table::Cx;

/// What an agent without a name is called.
const NAMELESS: &str = "Assistant";

/// `sessions.describe`.
pub(crate) async fn describe(
    cx: Cx,
    params: SessionsDescribeParams,
) -> Result<SessionsDescribeResult, ErrorShape> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key, params.agent_id.as_deref())?;
    let record = gateway.store().sessions().get(&key).await.map_err(|e| error::store(&e))?;
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
) -> Result<SessionsMessagesResult, ErrorShape> {
    let key = session_key(&cx.gateway, &params.key, params.agent_id.as_deref())?.to_string();
    if !cx.caller.client.hear(key.clone()) {
        return Err(ErrorShape::invalid("too many sessions are listened to on this connection"));
    }
    cx.gateway.listen_as_wanted();
    Ok(SessionsMessagesResult { subscribed: true, key })
}

/// `sessions.messages.unsubscribe`.
pub(crate) async fn unsubscribe(
    cx: Cx,
    params: SessionsMessagesUnsubscribeParams,
) -> Result<SessionsMessagesResult, ErrorShape> {
    let key = session_key(&cx.gateway, &params.key, params.agent_id.as_deref())?.to_string();
    cx.caller.client.unhear(&key);
    cx.gateway.listen_as_wanted();
    Ok(SessionsMessagesResult { subscribed: false, key })
}

/// `agent.identity.get`.
pub(crate) async fn identity(cx: Cx, params: AgentIdentityParams) -> Result<AgentIdentityResult, ErrorShape> {
    let config = cx.gateway.config().current();
    let asked = match (&params.session_key, &params.agent_id) {
        (Some(key), agent) => session_key(&cx.gateway, key, agent.as_deref())?.agent_id().cloned(),
        (None, Some(agent)) => Some(AgentId::parse(agent).map_err(|e| ErrorShape::invalid(e.to_string()))?),
        (None, None) => None,
    };
    let agent = match &asked {
        Some(id) => {
            let unknown = || ErrorShape::invalid(format!("unknown agent id \"{id}\""));
            config.agents.agent(id).ok_or_else(unknown)?
        }
        None => config.agents.default_agent(),
    };
    let identity = &agent.identity;
    let name = identity.name.clone().or_else(|| agent.name.clone()).unwrap_or_else(|| NAMELESS.to_owned());
    let letter = || name.chars().next().map(|first| first.to_uppercase().collect::<String>());
    let avatar = identity.avatar.clone().or_else(|| identity.emoji.clone()).or_else(letter);
    Ok(AgentIdentityResult {
        agent_id: agent.id.to_string(),
        avatar: avatar.unwrap_or_default(),
        emoji: identity.emoji.clone(),
        name,
    })
}
