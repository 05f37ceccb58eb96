//! `/v1/chat/completions`.

mod request;
mod stream;

use homard_config::config::gateway::http_endpoints::ChatEndpoint;
use homard_protocol::{StopReason, ToolCall, TurnSource, Usage};
use homard_relay::RunEnd;
use http::StatusCode;
use serde_json::{Value, json};

use super::parts::{Loader, Rules};
use super::refusal::ApiError;
use super::run::{Ask, begin, tell};
use super::tools;
use super::wanted::Asker;
use homard_http::answers::{Answer, events, json_answer};
pub(super) use request::ChatRequest;
use stream::ChatTeller;

/// What sessions of this route begin with.
const PREFIX: &str = "openai";
/// The default agent, for requests that name no model.
const DEFAULT_MODEL: &str = "openclaw";

/// What all of an answer's documents share.
#[derive(Debug, Clone)]
struct Head {
    id: String,
    created: i64,
    model: String,
}

/// Answers one request.
pub(super) async fn answer(
    asker: &Asker<'_>,
    asked: ChatRequest,
    endpoint: &ChatEndpoint,
) -> Result<Answer, ApiError> {
    let model = asked.model.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let mut chosen = asker.agent(&model)?;
    let streaming = asked.streaming()?;
    let (sampling, max_tokens) = (asked.numbers.sampling()?, asked.numbers.max_tokens()?);
    let place = asker.place(&mut chosen, PREFIX, asked.user.as_deref())?;
    let offered = tools::read(asked.tools, asked.tool_choice.as_ref(), &asker.api.relay)?;
    let talk = request::talk(asked.messages)?;
    let head = Head { id: format!("chatcmpl_{}", uuid::Uuid::new_v4()), created: asker.api.seconds(), model };
    let ask =
        Ask { id: head.id.clone(), source: TurnSource::HttpChat, place, talk, offered, sampling, max_tokens };
    let running = begin(asker, ask, Loader::new(Rules::of_chat(endpoint))).await?;
    let Some(stream) = streaming else {
        let end = running.whole().await?;
        return Ok(json_answer(StatusCode::OK, &completion(&head, &end)));
    };
    let (out, answer) = events();
    asker.api.tasks.spawn(tell(running, ChatTeller::new(head, stream.include_usage), out));
    Ok(answer)
}

fn completion(head: &Head, end: &RunEnd) -> Value {
    let mut message = json!({"role": "assistant", "content": end.reply});
    if let Some(fields) = message.as_object_mut() {
        let calls = end.outcome.calls();
        if !calls.is_empty() {
            fields.insert("tool_calls".to_owned(), calls.iter().map(call).collect());
        } else if end.reply.is_none() {
            fields.insert("content".to_owned(), json!(""));
        }
    }
    json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": head.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish(end)}],
        "usage": usage(&end.outcome.usage()),
    })
}

fn call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

fn finish(end: &RunEnd) -> &'static str {
    match end.outcome.model_stopped() {
        _ if !end.outcome.calls().is_empty() => "tool_calls",
        Some(StopReason::Length) => "length",
        _ => "stop",
    }
}

fn usage(usage: &Usage) -> Value {
    let prompt = usage.prompt_tokens();
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": usage.output,
        "total_tokens": prompt.saturating_add(usage.output),
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    })
}

#[cfg(test)]
mod tests;
