//! Requests to the gateway, each under its own method.

use homard_client::questions::{answer, pending};
use homard_client::{Client, ClientError};
use homard_protocol::method::NoParams;
use homard_protocol::methods::chat::agent::{AgentsList, ModelsList, ModelsListParams};
use homard_protocol::methods::chat::startup::{CommandsList, CommandsListParams};
use homard_protocol::methods::chat::{
    ChatAbort, ChatAbortParams, ChatHistory, ChatHistoryParams, ChatSend, ChatSendParams,
};
use homard_protocol::methods::sessions::details::{
    SessionsMessagesSubscribe, SessionsMessagesSubscribeParams,
};
use homard_protocol::methods::sessions::{
    SessionsList, SessionsListParams, SessionsPatch, SessionsPatchParams, SessionsSubscribe,
};
use homard_protocol::{Method, RunId};

use crate::app::{CallFailure, Reply, Request};

/// Conversations in the list to choose from.
const SESSIONS: u32 = 200;

/// Asks the gateway.
pub(super) async fn ask(client: &Client, request: Request) -> Reply {
    match request {
        Request::History { session, limit, offset } => {
            let params = ChatHistoryParams {
                session_key: session.as_str().into(),
                limit: Some(limit),
                offset,
                ..ChatHistoryParams::default()
            };
            let page = call::<ChatHistory>(client, &params).await.map(Box::new);
            Reply::History { session, limit, offset, page }
        }
        Request::Send(params) => send(client, &params).await,
        Request::Abort { session } => {
            Reply::Aborted(abort(client, &session, None).await.map_err(CallFailure::from))
        }
        Request::TakeBack { session, run, text } => {
            let done = abort(client, &session, Some(&run)).await.map_err(CallFailure::from);
            Reply::TakenBack { run, text, done }
        }
        Request::Watch { session } => {
            watch(client, &session).await;
            Reply::Watching
        }
        Request::Sessions => {
            let params = SessionsListParams {
                limit: Some(SESSIONS),
                include_derived_titles: Some(true),
                include_last_message: Some(true),
                ..SessionsListParams::default()
            };
            Reply::Sessions(call::<SessionsList>(client, &params).await.map(|list| list.sessions))
        }
        Request::Agents => Reply::Agents(call::<AgentsList>(client, &NoParams {}).await.map(Box::new)),
        Request::Models { session } => {
            let params = ModelsListParams {
                session_key: Some(session.as_str().into()),
                ..ModelsListParams::default()
            };
            Reply::Models(call::<ModelsList>(client, &params).await.map(|list| list.models))
        }
        Request::Commands { session } => {
            let params = CommandsListParams {
                session_key: Some(session.as_str().into()),
                include_args: Some(true),
                ..CommandsListParams::default()
            };
            Reply::Commands(call::<CommandsList>(client, &params).await.map(|list| list.commands))
        }
        Request::Patch { session, settings } => {
            let params = SessionsPatchParams { key: session.as_str().into(), agent_id: None, settings };
            Reply::Patched(call::<SessionsPatch>(client, &params).await.map(drop))
        }
        Request::Questions => Reply::Questions(pending(client).await.map_err(CallFailure::from)),
        Request::Decide { kind, id, decision } => {
            let done = answer(client, kind, id.clone(), decision).await.map_err(CallFailure::from);
            Reply::Decided { id, done }
        }
    }
}

async fn call<M: Method>(client: &Client, params: &M::Params) -> Result<M::Result, CallFailure> {
    client.call::<M>(params).await.map_err(CallFailure::from)
}

async fn send(client: &Client, params: &ChatSendParams) -> Reply {
    let answer = call::<ChatSend>(client, params).await.map(|result| result.status);
    Reply::Sent { run: params.idempotency_key.to_string(), answer }
}

async fn abort(client: &Client, session: &str, run: Option<&str>) -> Result<bool, ClientError> {
    let params = ChatAbortParams {
        session_key: session.into(),
        run_id: run.and_then(|run| RunId::parse(run).ok()),
        ..ChatAbortParams::default()
    };
    client.call::<ChatAbort>(&params).await.map(|result| result.aborted)
}

/// Asks for what is said in one conversation, and which of them change. A gateway that does not know how is heard all the
/// same: runs are told to everybody.
async fn watch(client: &Client, session: &str) {
    let params =
        SessionsMessagesSubscribeParams { key: session.into(), agent_id: None, include_approvals: None };
    drop(client.call::<SessionsSubscribe>(&SessionsListParams::default()).await);
    drop(client.call::<SessionsMessagesSubscribe>(&params).await);
}
