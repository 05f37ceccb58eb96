//! A provider on the other side of a network: one call from request to last event.
//!
//! The API's spelling is in `wire`, the connection in `http`; this file owns the order of things and the
//! promise of the seam that a stream ends exactly once, whatever happens on the way.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use homard_protocol::{ModelId, ProviderId, StopReason};
use homard_runtime::{Clock, Mutex, OrCancel};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio_util::sync::CancellationToken;

use crate::call::answer::Draft;
use crate::call::request::Request;
use crate::call::tools_in_words::refuses_tools;
use crate::classify::{classify, looks_like_html, web_page};
use crate::embeddings::{self, EmbedRequest, Embedded, EmbeddingPlace};
use crate::error::{FailReason, LlmError, scrub};
use crate::provider::{Answer, Provider, StreamEvent};
use crate::spec::{ApiKey, Credential, CredentialKind, Headers, ProviderSpec};
use crate::transport::aws_sign::{REGION_PLACE, regional};
use crate::transport::framing::Frames;
use crate::transport::http::{Http, Incoming, Outgoing, add_header, address};
use crate::transport::sse::SseEvent;
use crate::wire::{self, Decode, Wire};

/// Headers that list features, to which several parties add.
const LISTS: &[&str] = &["anthropic-beta", "openai-beta"];

/// Where and how a provider is called.
#[derive(Debug)]
struct Target {
    id: ProviderId,
    base_url: String,
    api_key: Option<ApiKey>,
    headers: Headers,
    auth_header: bool,
    key_header: Option<String>,
    /// Models that were found to take no tools; they are told of them in words.
    without_tools: Mutex<BTreeSet<ModelId>>,
}

/// Any provider reached over HTTP. The wire API is the model's, so one provider may offer models of several.
#[derive(Debug)]
pub(crate) struct Remote {
    target: Arc<Target>,
    http: Http,
    clock: Clock,
}

impl Remote {
    pub(crate) fn new(spec: &ProviderSpec, http: Http, clock: Clock) -> Self {
        let target = Target {
            id: spec.id.clone(),
            base_url: spec.base_url.clone(),
            api_key: spec.api_key.clone(),
            headers: spec.headers.clone(),
            auth_header: spec.auth_header,
            key_header: spec.key_header.clone(),
            without_tools: Mutex::default(),
        };
        Self { target: Arc::new(target), http, clock }
    }
}

impl Provider for Remote {
    fn id(&self) -> &ProviderId {
        &self.target.id
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> BoxStream<'static, StreamEvent> {
        let Some(wire) = wire::find(&request.model.api) else {
            let error =
                LlmError::new(FailReason::Format, format!("there is no wire API `{}`", request.model.api));
            return stream::iter([StreamEvent::Failed(error)]).boxed();
        };
        let draft = Draft::new(Arc::clone(&request.model), self.clock.now_ms());
        let call = Call {
            target: Arc::clone(&self.target),
            http: self.http.clone(),
            wire,
            decoder: wire.decoder(draft),
            frames: Frames::new(wire.framing),
            clock: self.clock.clone(),
            out: VecDeque::new(),
            stage: Stage::Fresh(Box::new(request)),
            secrets: Vec::new(),
            cancel,
        };
        stream::unfold(call, Call::next).boxed()
    }

    fn embed(&self, request: EmbedRequest) -> BoxFuture<'static, Result<Embedded, LlmError>> {
        let (place, http) = (self.target.place(&request), self.http.clone());
        async move { embeddings::ask(&http, place, &request).await }.boxed()
    }
}

/// One call under way.
struct Call {
    target: Arc<Target>,
    http: Http,
    wire: &'static Wire,
    decoder: Box<dyn Decode>,
    frames: Frames,
    clock: Clock,
    /// Decoded but not yet taken.
    out: VecDeque<StreamEvent>,
    stage: Stage,
    /// What must not appear in an error, known once the request is written.
    secrets: Vec<ApiKey>,
    cancel: CancellationToken,
}

enum Stage {
    Fresh(Box<Request>),
    Reading(Box<Incoming>),
    Over,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("provider", &self.target.id)
            .field("api", &self.wire.api)
            .finish_non_exhaustive()
    }
}

impl Call {
    async fn next(mut self) -> Option<(StreamEvent, Self)> {
        loop {
            if let Some(event) = self.out.pop_front() {
                return Some((event, self));
            }
            let stage = std::mem::replace(&mut self.stage, Stage::Over);
            let step = match stage {
                Stage::Over => return None,
                Stage::Fresh(_) | Stage::Reading(_) if self.cancel.is_cancelled() => Err(LlmError::aborted()),
                Stage::Fresh(request) => self.open(&request).await,
                Stage::Reading(incoming) => self.read(incoming).await,
            };
            if let Err(error) = step {
                self.fail(error);
            }
        }
    }

    async fn open(&mut self, request: &Request) -> Result<(), LlmError> {
        let model = &request.model.id;
        if self.target.without_tools.lock().contains(model) {
            return self.send(&request.with_tools_in_words()).await;
        }
        match self.send(request).await {
            Err(error) if !request.tools.is_empty() && refuses_tools(&error) => {
                tracing::info!(%model, "the model takes no tools; it is told of them in words");
                self.target.without_tools.lock().insert(model.clone());
                self.send(&request.with_tools_in_words()).await
            }
            sent => sent,
        }
    }

    async fn send(&mut self, request: &Request) -> Result<(), LlmError> {
        let outgoing = self.outgoing(request)?;
        let target = Arc::clone(&self.target);
        let secrets: Vec<&str> = target.secrets(request).collect();
        self.secrets = secrets.iter().map(|secret| ApiKey::new(secret)).collect();
        let sending = self.http.send(outgoing, &secrets);
        let incoming = sending.or_cancel(&self.cancel).await.map_err(|_cancelled| LlmError::aborted())??;
        self.out.push_back(StreamEvent::Start);
        if incoming.is_whole {
            let reading = incoming.whole();
            let body = reading.or_cancel(&self.cancel).await.map_err(|_cancelled| LlmError::aborted())??;
            self.decoder.event(SseEvent { name: b"", data: &body }, &mut self.out)?;
            if self.decoder.draft().stop.is_none() && self.decoder.draft().is_empty() {
                // Some servers refuse with a 200 and say so inside.
                return Err(classify(None, &body, &secrets));
            }
            return self.end();
        }
        self.stage = Stage::Reading(Box::new(incoming));
        Ok(())
    }

    async fn read(&mut self, mut incoming: Box<Incoming>) -> Result<(), LlmError> {
        let speaking = !self.decoder.draft().is_empty();
        let next = incoming.next(speaking).or_cancel(&self.cancel).await;
        let piece = match next.map_err(|_cancelled| LlmError::aborted())? {
            Ok(piece) => piece,
            // The model had finished; only the formal end is missing.
            Err(_) if self.decoder.draft().stop.is_some() => return self.end(),
            Err(error) => return Err(error),
        };
        let Some(piece) = piece else {
            let (decoder, out) = (&mut self.decoder, &mut self.out);
            self.frames.finish(&mut |event| decode(decoder, event, out))?;
            return self.end();
        };
        if !speaking && looks_like_html(&piece) {
            return Err(web_page(200, &piece));
        }
        let (decoder, out) = (&mut self.decoder, &mut self.out);
        let mut events = 0_usize;
        self.frames.feed(&piece, &mut |event| {
            events += 1;
            decode(decoder, event, out)
        })?;
        if events > 0 {
            incoming.progressed();
        }
        if self.decoder.draft().finished {
            incoming.drain().await;
            return self.end();
        }
        self.stage = Stage::Reading(incoming);
        Ok(())
    }

    /// The stream is over: a finished answer, or one that was cut.
    fn end(&mut self) -> Result<(), LlmError> {
        let Some(stop) = self.decoder.draft().stop else {
            let what = if self.decoder.draft().is_empty() {
                "without an answer"
            } else {
                "in the middle of the answer"
            };
            return Err(LlmError::new(FailReason::Timeout, format!("the provider's stream ended {what}")));
        };
        let draft = self.decoder.draft();
        if stop == StopReason::Length {
            draft.drop_cut_calls();
        }
        draft.close_calls(&mut self.out);
        let stop = if stop == StopReason::Stop && draft.has_calls() { StopReason::ToolUse } else { stop };
        let message = draft.take(stop, None);
        self.out.push_back(StreamEvent::Done(Answer { message }));
        Ok(())
    }

    fn fail(&mut self, mut error: LlmError) {
        let stop = if error.reason == FailReason::Aborted { StopReason::Aborted } else { StopReason::Error };
        // Decoders quote what the provider said in the stream, and it may have quoted our key.
        let secrets: Vec<&str> = self.secrets.iter().map(ApiKey::expose).collect();
        error.message = scrub(&error.message, &secrets);
        let draft = self.decoder.draft();
        if !draft.is_empty() {
            error.partial = Some(Box::new(draft.take(stop, Some(error.message.clone()))));
        }
        self.stage = Stage::Over;
        self.out.push_back(StreamEvent::Failed(error));
    }

    fn outgoing(&self, request: &Request) -> Result<Outgoing, LlmError> {
        let target = &self.target;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        for (name, value) in self.wire.headers {
            add_header(&mut headers, name, value)?;
        }
        self.prove(request, &mut headers)?;
        let credential = request.credential.as_deref();
        let own = credential.into_iter().flat_map(|credential| credential.headers.iter());
        for (name, value) in target.headers.iter().chain(own).chain(request.model.headers.iter()) {
            let joined = joined(&headers, name, value);
            add_header(&mut headers, name, joined.as_deref().unwrap_or(value))?;
        }
        let body = self.wire.body(request)?;
        let base = credential.and_then(|credential| credential.base_url.as_deref());
        let base = base.unwrap_or(&target.base_url);
        let keys = credential.and_then(|credential| credential.aws.as_ref());
        let base = if base.contains(REGION_PLACE) { &regional(base, keys)? } else { base };
        let url = address(&self.wire.endpoint(base, &request.model))?;
        let mut outgoing = Outgoing { url, headers, body };
        if let (Some(sign), Some(keys)) = (self.wire.sign, keys) {
            sign(&mut outgoing, keys, self.clock.now_ms())?;
        }
        Ok(outgoing)
    }

    /// Adds the key or token, where the call has one.
    fn prove(&self, request: &Request, headers: &mut HeaderMap) -> Result<(), LlmError> {
        let target = &self.target;
        let (kind, secret) = match request.credential.as_deref() {
            Some(Credential { kind, secret, .. }) => (*kind, secret.as_ref()),
            None => (CredentialKind::ApiKey, target.api_key.as_ref()),
        };
        let Some(secret) = secret else { return Ok(()) };
        // People paste tokens where keys are asked for.
        let is_token = self.wire.token_mark.is_some_and(|mark| secret.expose().starts_with(mark));
        let is_key = kind == CredentialKind::ApiKey && !is_token;
        let own = target.key_header.as_deref().or(self.wire.key_header);
        match own.filter(|_| is_key && !target.auth_header) {
            Some(name) => add_header(headers, name, secret.expose())?,
            None => add_header(headers, "authorization", &format!("Bearer {}", secret.expose()))?,
        }
        for (name, value) in self.wire.token_headers.iter().filter(|_| !is_key) {
            add_header(headers, name, value)?;
        }
        Ok(())
    }
}

impl Target {
    /// Where and with what it is asked for embeddings.
    fn place(&self, request: &EmbedRequest) -> EmbeddingPlace {
        let credential = request.credential.as_deref();
        let secret = match credential {
            Some(credential) => credential.secret.as_ref(),
            None => self.api_key.as_ref(),
        };
        let is_key = credential.is_none_or(|credential| credential.kind == CredentialKind::ApiKey);
        let usual = wire::find(&request.model.api).and_then(|wire| wire.key_header);
        let own = self.key_header.as_deref().or(usual).filter(|_| is_key && !self.auth_header);
        let proof = secret.map(|secret| match own {
            Some(name) => (name.to_owned(), secret.expose().to_owned()),
            None => ("authorization".to_owned(), format!("Bearer {}", secret.expose())),
        });
        let theirs = credential.into_iter().flat_map(|credential| credential.headers.iter());
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let kind = ("content-type".to_owned(), "application/json".to_owned());
        let named = self.headers.iter().chain(theirs).map(owned);
        let headers: Headers = [kind].into_iter().chain(proof).chain(named).collect();
        let secrets = secret.map(|secret| secret.expose().to_owned()).into_iter();
        let secrets = secrets.chain(self.headers.iter().map(|(_, value)| value.to_owned())).collect();
        let base_url = credential.and_then(|credential| credential.base_url.as_deref());
        EmbeddingPlace { base_url: base_url.unwrap_or(&self.base_url).to_owned(), headers, secrets }
    }

    /// Everything that must not appear in an error.
    fn secrets<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = &'a str> {
        let credential = request.credential.as_deref();
        let own = credential.into_iter().flat_map(|credential| credential.headers.iter());
        let headers = self.headers.iter().chain(own).chain(request.model.headers.iter());
        let aws = credential.and_then(|credential| credential.aws.as_ref());
        let signing = aws.into_iter().flat_map(|k| [Some(&k.secret_access_key), k.session_token.as_ref()]);
        let keys = [self.api_key.as_ref(), credential.and_then(|credential| credential.secret.as_ref())];
        let keys = keys.into_iter().chain(signing).flatten().map(ApiKey::expose);
        keys.chain(headers.map(|(_, value)| value))
    }
}

/// A header that lists features keeps those the credential needs when the owner names others.
fn joined(headers: &HeaderMap, name: &str, value: &str) -> Option<String> {
    let is_list = LISTS.iter().any(|list| name.eq_ignore_ascii_case(list));
    let known = headers.get(name).filter(|_| is_list)?.to_str().ok()?;
    (!value.split(',').any(|one| one.trim() == known)).then(|| format!("{known},{value}"))
}

fn decode(
    decoder: &mut Box<dyn Decode>,
    event: SseEvent<'_>,
    out: &mut VecDeque<StreamEvent>,
) -> Result<(), LlmError> {
    if decoder.draft().finished {
        return Ok(());
    }
    decoder.event(event, out)
}
