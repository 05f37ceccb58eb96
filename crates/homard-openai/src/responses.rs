//! `/v1/responses`. A response's id is its run's, so the store knows which session a previous one was in.

mod document;
mod request;
mod stream;

use homard_config::config::gateway::http_endpoints::ResponsesEndpoint;
use homard_protocol::{RunId, TurnSource};
use homard_runtime::Clip;
use http::StatusCode;

use super::parts::{Loader, Rules};
use super::refusal::ApiError;
use super::run::{Ask, begin, tell};
use super::tools;
use super::wanted::{Asker, Chosen, RequestPlace};
use document::{Head, finished};
use homard_http::answers::{Answer, events, json_answer};
pub(super) use request::ResponsesRequest;
use stream::ResponseTeller;

/// What sessions of this route begin with.
const PREFIX: &str = "openresponses";

/// Answers one request.
pub(super) async fn answer(
    asker: &Asker<'_>,
    asked: ResponsesRequest,
    endpoint: &ResponsesEndpoint,
) -> Result<Answer, ApiError> {
    let mut chosen = asker.agent(&asked.model)?;
    let (sampling, max_tokens) = (asked.numbers.sampling()?, asked.numbers.max_tokens()?);
    let mut place = asker.place(&mut chosen, PREFIX, asked.user.as_deref())?;
    if let Some(previous) = &asked.previous_response_id {
        place = continued(asker, previous, &chosen).await?;
    }
    let offered = tools::read(asked.tools, asked.tool_choice.as_ref(), &asker.api.relay)?;
    let head = Head {
        id: format!("resp_{}", uuid::Uuid::new_v4()),
        created_at: asker.api.seconds(),
        model: asked.model,
        instructions: asked.instructions.clone(),
        metadata: asked.metadata,
        previous: asked.previous_response_id,
        max_output_tokens: max_tokens,
        tool_choice: asked.tool_choice,
        tools: offered.tools.clone(),
        sampling: sampling.clone(),
    };
    let mut talk = request::talk(asked.input)?;
    if let Some(instructions) = asked.instructions {
        talk.instruct(instructions);
    }
    let ask = Ask {
        id: head.id.clone(),
        source: TurnSource::HttpResponses,
        place,
        talk,
        offered,
        sampling,
        max_tokens,
    };
    let running = begin(asker, ask, Loader::new(Rules::of_responses(endpoint))).await?;
    if !asked.stream.unwrap_or(false) {
        let end = running.whole().await?;
        return Ok(json_answer(StatusCode::OK, &finished(&head, &end)));
    }
    let (out, answer) = events();
    asker.api.tasks.spawn(tell(running, ResponseTeller::new(head), out));
    Ok(answer)
}

/// The session of a response that was given before.
async fn continued(asker: &Asker<'_>, previous: &str, chosen: &Chosen) -> Result<RequestPlace, ApiError> {
    let unknown = || ApiError::Invalid {
        message: format!("Previous response with id '{}' not found.", previous.clip_chars(100)),
        param: Some("previous_response_id"),
        code: Some("previous_response_not_found"),
    };
    let run = RunId::parse(previous).map_err(|_not_an_id| unknown())?;
    let is_ours = |record: &homard_store::RunRecord| record.source == TurnSource::HttpResponses.into();
    let record = asker.api.store.runs().get(&run).await?.filter(is_ours);
    let key = record.ok_or_else(unknown)?.session_key;
    match key.agent_id() {
        Some(agent) if *agent == chosen.agent || !chosen.is_named => {
            Ok(RequestPlace { key, is_stable: true })
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests;
