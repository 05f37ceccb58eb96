//! From a request to a run and back. A caller that hangs up stops its run.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homard_channel::Inbound;
use homard_llm::Sampling;
use homard_protocol::{
    EntryKind, Message, RunId, Scope, SessionId, SessionKey, StopCause, TurnSource, UserBlock,
};
use homard_relay::{InlineSettings, Listener, Program, RunEnd, RunNews, TurnOptions};
use serde_json::Value;
use tokio::sync::mpsc;

use super::parts::Loader;
use super::refusal::ApiError;
use super::talk::{Names, Talk, TalkPiece, answer_message, result_message, user_message};
use super::tools::Offered;
use super::wanted::{Asker, RequestPlace};
use crate::OpenAiApi;

/// How long a stream stays silent before a comment shows that somebody is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A comment no client reads.
const COMMENT: &[u8] = b": still here\n\n";
/// What every stream ends with.
const DONE: &[u8] = b"data: [DONE]\n\n";

/// A request, read and checked.
pub(super) struct Ask {
    /// Names the answer and its run.
    pub(super) id: String,
    /// Which route, for the record.
    pub(super) source: TurnSource,
    pub(super) place: RequestPlace,
    pub(super) talk: Talk,
    pub(super) offered: Offered,
    pub(super) sampling: Sampling,
    pub(super) max_tokens: Option<u32>,
}

/// A run under way, and somebody who waits for it.
pub(super) struct Running {
    listener: Listener,
    hold: Hold,
}

/// Stops the run when dropped before its end: nobody waits for it any more.
struct Hold {
    api: OpenAiApi,
    key: SessionKey,
    run: RunId,
    is_over: bool,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (relay, key, run) = (self.api.relay.clone(), self.key.clone(), self.run.clone());
        self.api.tasks.spawn(async move {
            relay.abort(&key, Some(&run), StopCause::Disconnect).await;
        });
    }
}

/// Hands a request to the relay.
pub(super) async fn begin(asker: &Asker<'_>, ask: Ask, mut loader: Loader<'_>) -> Result<Running, ApiError> {
    let api = asker.api;
    let Ask { id, source, place, mut talk, offered, sampling, max_tokens } = ask;
    let model = asker.thinker()?;
    let remembered = match place.is_stable {
        true => api.store.sessions().get(&place.key).await?.map(|record| record.session_id),
        false => None,
    };
    let names = talk.names();
    talk.keep_news(remembered.is_some())?;
    let names = known_calls(api, &talk, names, remembered.as_ref()).await?;
    let now = api.clock.now_ms();
    let asked = match talk.said.pop() {
        Some(TalkPiece::User(parts)) => Some(loader.load(parts).await?),
        Some(other) => {
            talk.said.push(other);
            None
        }
        None => None,
    };
    if asked.as_ref().is_some_and(Vec::is_empty) {
        return Err(ApiError::invalid("the last message is empty"));
    }
    let mut before = Vec::with_capacity(talk.said.len());
    for said in talk.said {
        before.extend(message(said, &names, &mut loader, now).await?);
    }
    let mut message = Inbound::from_operator(place.key, id, String::new(), now);
    asker.dress(&mut message)?;
    for block in asked.unwrap_or_default() {
        match block {
            UserBlock::Text { text } => message.text = text,
            shown => message.images.push(shown),
        }
    }
    let Offered { tools, choice } = offered;
    let program =
        Program { tools, sampling: Sampling { tool_choice: choice, ..sampling }, max_tokens, before };
    let extra_system = (!talk.system.is_empty()).then(|| talk.system.join("\n\n"));
    let options = TurnOptions {
        settings: InlineSettings::asking(model, None),
        extra_system,
        labels: loader.labels,
        without_admin: !asker.scopes.grants(Scope::Admin),
        ..TurnOptions::of(source)
    };
    let listener = api.relay.turns().accept_program(message, program, options).await?;
    let hold = Hold {
        api: api.clone(),
        key: listener.session_key().clone(),
        run: listener.run_id().clone(),
        is_over: false,
    };
    Ok(Running { listener, hold })
}

/// The calls results may answer: those of the request, else those the conversation remembers.
async fn known_calls(
    api: &OpenAiApi,
    talk: &Talk,
    mut names: Names,
    remembered: Option<&SessionId>,
) -> Result<Names, ApiError> {
    if let Some(session) = remembered.filter(|_| talk.orphan(&names).is_some()) {
        for entry in api.store.transcripts().context(session).await?.entries {
            if let EntryKind::Message { message: Message::Assistant(answer) } = entry.kind {
                names.extend(answer.tool_calls().map(|call| (call.id.to_string(), call.name.clone())));
            }
        }
    }
    match talk.orphan(&names) {
        Some(id) => Err(ApiError::invalid(format!(
            "the result of `{id}` follows no call of that id, neither in this request nor in the session"
        ))),
        None => Ok(names),
    }
}

async fn message(
    said: TalkPiece,
    names: &Names,
    loader: &mut Loader<'_>,
    now: i64,
) -> Result<Option<Message>, ApiError> {
    Ok(match said {
        TalkPiece::User(parts) => {
            Some(loader.load(parts).await?).filter(|blocks| !blocks.is_empty()).map(user_message)
        }
        TalkPiece::Assistant { text, calls } if text.is_empty() && calls.is_empty() => None,
        TalkPiece::Assistant { text, calls } => Some(answer_message(text, calls, now)),
        TalkPiece::Result { id, text } => {
            let name = names.get(&id).map(String::as_str).unwrap_or_default();
            Some(result_message(&id, name, text, now)?)
        }
    })
}

impl Running {
    /// What is heard next; a run that ends badly is an error.
    pub(super) async fn next(&mut self) -> Result<News, ApiError> {
        match self.listener.next().await {
            RunNews::Text(text) => Ok(News::Text(text)),
            RunNews::Ended(end) => {
                self.hold.is_over = true;
                match ApiError::of_run(&end) {
                    Some(error) => Err(error),
                    None => Ok(News::Ended(end)),
                }
            }
            RunNews::Gone => {
                self.hold.is_over = true;
                Err(ApiError::Stopping)
            }
        }
    }

    /// Waits for the end.
    pub(super) async fn whole(mut self) -> Result<Arc<RunEnd>, ApiError> {
        loop {
            if let News::Ended(end) = self.next().await? {
                return Ok(end);
            }
        }
    }
}

/// What is heard of a run that goes well.
pub(super) enum News {
    Text(String),
    Ended(Arc<RunEnd>),
}

/// How a route tells a run as a stream of events.
pub(super) trait Teller: Send + 'static {
    /// What stands before everything.
    fn begin(&mut self) -> Vec<Bytes>;
    /// More words.
    fn text(&mut self, text: String) -> Vec<Bytes>;
    /// The end.
    fn end(&mut self, end: &RunEnd) -> Vec<Bytes>;
    /// A bad end.
    fn fail(&mut self, error: &ApiError) -> Vec<Bytes>;
}

/// Tells a run to its end, or until the client is gone.
pub(super) async fn tell(mut running: Running, mut teller: impl Teller, out: mpsc::Sender<Bytes>) {
    let mut pieces = teller.begin();
    let mut has_spoken = false;
    loop {
        for piece in pieces {
            if out.send(piece).await.is_err() {
                return;
            }
        }
        let heard = tokio::select! {
            heard = running.next() => heard,
            () = out.closed() => return,
            () = tokio::time::sleep(KEEP_ALIVE) => {
                pieces = vec![Bytes::from_static(COMMENT)];
                continue;
            }
        };
        let last = match heard {
            Ok(News::Text(text)) => {
                has_spoken = true;
                pieces = teller.text(text);
                continue;
            }
            Ok(News::Ended(end)) => {
                // A very short answer is held back to its end, because it might have become silence.
                let late = end.reply.clone().filter(|_| !has_spoken);
                let mut last = late.map(|text| teller.text(text)).unwrap_or_default();
                last.extend(teller.end(&end));
                last
            }
            Err(error) => teller.fail(&error),
        };
        for piece in last.into_iter().chain([Bytes::from_static(DONE)]) {
            if out.send(piece).await.is_err() {
                return;
            }
        }
        return;
    }
}

/// One event without a name.
pub(super) fn data(value: &Value) -> Bytes {
    Bytes::from(format!("data: {value}\n\n"))
}

/// One event with a name.
pub(super) fn event(name: &str, value: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {value}\n\n"))
}
