//! `tools.invoke`: one tool, called by a program.

use std::time::Instant;

use homard_protocol::Scope;
use homard_protocol::methods::tools::invoke::{
    ToolFailure, ToolFailureCode, ToolsInvokeParams, ToolsInvokeResult,
};
use homard_relay::{Invocation, Invoked, WhenAsked};
use homard_tools::canonical_name;
use http::StatusCode;
use serde_json::Value;

use crate::error::RequestError;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::replay::{Turn, wait};
use crate::table::Cx;
use crate::tool_answer::{tool_output, tool_words};

/// Where our own tools come from.
const CORE: &str = "core";
/// Longest name of a call, in characters.
const MAX_KEY: usize = 256;

/// `tools.invoke`.
pub(crate) async fn invoke(cx: Cx, params: ToolsInvokeParams) -> Result<ToolsInvokeResult, RequestError> {
    let gateway = &cx.gateway;
    if params.name.trim().is_empty() {
        return Err(RequestError::invalid("invalid tools.invoke params: at /name: must not be empty"));
    }
    let chars = params.idempotency_key.as_ref().map(|key| key.chars().count());
    check_range("tools.invoke", "idempotencyKey", chars, 1..=MAX_KEY)?;
    let key = session_key(gateway, &params.session_key.unwrap_or_default(), params.agent_id.as_ref())?;
    let config = gateway.config().current();
    if let Some(id) = key.agent_id().filter(|id| config.agents.agent(id).is_none()) {
        return Err(RequestError::invalid(format!("unknown agent id `{id}`")));
    }
    let name = canonical_name(&params.name);
    let call = Invocation {
        session_key: key,
        tool: name.clone(),
        arguments: Value::Object(params.args.unwrap_or_default()),
        action: None,
        call_id: None,
        when_asked: if params.confirm == Some(true) { WhenAsked::Ask } else { WhenAsked::Report },
        is_admin: cx.caller.check_scope(Scope::Admin).is_ok(),
    };
    let named = params.idempotency_key.map(|key| format!("rpc\n{}\n{name}\n{key}", call.session_key));
    let sender = match named.map(|key| gateway.http().tool_calls.enter(&key, Instant::now())) {
        None => None,
        Some(Turn::First(sender)) => Some(sender),
        Some(Turn::Again(coming)) => {
            let (_, said) =
                wait(coming).await.ok_or_else(|| RequestError::unavailable("the call was not finished"))?;
            return homard_runtime::json::from_value(said)
                .map_err(|error| RequestError::unavailable(error.to_string()));
        }
    };
    let cancel = gateway.lifecycle().tasks.token().child_token();
    let invoked = gateway.relay().setup().invoke(call, cancel).await?;
    let result = told(name, invoked);
    if let Some(sender) = sender {
        sender.send_replace(serde_json::to_value(&result).ok().map(|said| (StatusCode::OK, said)));
    }
    Ok(result)
}

fn told(tool_name: String, invoked: Invoked) -> ToolsInvokeResult {
    let failed = |code, message: String| ToolsInvokeResult {
        ok: false,
        tool_name: tool_name.clone(),
        error: Some(ToolFailure { code, message }),
        ..ToolsInvokeResult::default()
    };
    match invoked {
        Invoked::Ran(outcome) if !outcome.is_error => ToolsInvokeResult {
            ok: true,
            output: Some(tool_output(&outcome)),
            source: Some(CORE.to_owned()),
            tool_name,
            ..ToolsInvokeResult::default()
        },
        Invoked::Ran(outcome) => failed(ToolFailureCode::ToolError, tool_words(&outcome)),
        Invoked::NotOffered => failed(ToolFailureCode::NotFound, format!("Tool not available: {tool_name}")),
        Invoked::NotAllowed(why) => ToolsInvokeResult {
            requires_approval: Some(true),
            ..failed(ToolFailureCode::RequiresApproval, why)
        },
        Invoked::TimedOut => {
            failed(ToolFailureCode::Timeout, "the tool took too long and was stopped".to_owned())
        }
    }
}
