//! The method table: one typed line per method, no match on names.

use crate::error::RequestError;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use homard_protocol::ResponseFrame;
use homard_protocol::method::{Access, Method};
use homard_runtime::json::{self, ReadError};
use homard_runtime::{Arrange as _, CollectOrdered as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::access::caller::Caller;
use crate::gateway::Gateway;

/// What every handler gets besides its parameters.
#[derive(Clone)]
pub(crate) struct Cx {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) caller: Arc<Caller>,
    /// The request's id, for methods that answer twice.
    pub(crate) request_id: Arc<str>,
}

impl Cx {
    /// Sends an answer before the last one (`agent` is accepted, then finished).
    pub(crate) fn respond_early<R: Serialize>(&self, result: &R) {
        self.caller.client.respond(ok_frame(&self.request_id, result));
    }
}

/// Most answers are shorter, and begin with this much room.
const FRAME_BYTES: usize = 128;

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Call = Box<dyn Fn(Cx, Option<Box<RawValue>>) -> BoxFuture<Result<String, RequestError>> + Send + Sync>;

/// One method, ready to be called with raw parameters; answers with the finished response frame.
pub(crate) struct Entry {
    pub(crate) facts: Facts,
    pub(crate) rate_limited: bool,
    call: Call,
    #[cfg(test)]
    params: ParamsProbe,
}

/// What can be said about a method without calling it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) name: &'static str,
    /// Who may call it.
    pub(crate) access: Access,
    /// The least anybody needs, whatever the parameters.
    #[cfg_attr(not(test), expect(dead_code, reason = "the scope matrix compares it with the protocol"))]
    pub(crate) least: Access,
    /// Whether the greeting lists it.
    pub(crate) advertised: bool,
    /// Whether it counts against the limit of control-plane writes.
    pub(crate) rate_limited: bool,
    /// Whether the room behind it is not furnished.
    pub(crate) empty: bool,
}

/// How a test looks at a method's parameters without calling it.
#[cfg(test)]
#[derive(Clone, Copy)]
pub(crate) struct ParamsProbe {
    pub(crate) read: fn(&str) -> Result<(), RequestError>,
    /// The names of their fields, as serde tells them to who writes a wrong one.
    pub(crate) refusal: fn() -> String,
}

impl Entry {
    /// Calls it.
    pub(crate) fn call(
        &self,
        cx: Cx,
        params: Option<Box<RawValue>>,
    ) -> BoxFuture<Result<String, RequestError>> {
        (self.call)(cx, params)
    }
}

/// Every method this gateway answers.
#[derive(Default)]
pub(crate) struct MethodTable {
    entries: HashMap<&'static str, Entry>,
}

impl MethodTable {
    /// Registers the handler of one method.
    pub(crate) fn on<M, F, Fut>(mut self, handler: F) -> Self
    where
        M: Method + 'static,
        F: Fn(Cx, M::Params) -> Fut + Send + Sync + Copy + 'static,
        Fut: Future<Output = Result<M::Result, RequestError>> + Send + 'static,
        M::Params: 'static,
        M::Result: 'static,
    {
        let call: Call = Box::new(move |cx, params| {
            let params = match admitted::<M>(&cx, params.as_deref()) {
                Ok(params) => params,
                Err(error) => return refused(error),
            };
            Box::pin(async move {
                let id = Arc::clone(&cx.request_id);
                let result = handler(cx, params).await?;
                Ok(ok_frame(&id, &result))
            })
        });
        let facts = Facts {
            name: M::NAME,
            access: M::ACCESS,
            least: M::LEAST,
            advertised: M::ADVERTISED,
            rate_limited: M::RATE_LIMITED,
            empty: M::EMPTY,
        };
        let entry = Entry {
            facts,
            rate_limited: M::RATE_LIMITED,
            call,
            #[cfg(test)]
            params: ParamsProbe {
                read: |text| {
                    let raw = RawValue::from_string(text.to_owned())
                        .map_err(|error| RequestError::invalid(error.to_string()))?;
                    read_params::<M>(Some(&raw)).map(drop)
                },
                refusal: || {
                    let read = serde_json::from_str::<M::Params>(r#"{"no such field": null}"#);
                    read.err().map(|error| error.to_string()).unwrap_or_default()
                },
            },
        };
        self.entries.insert(M::NAME, entry);
        self
    }

    /// What can be said about every method, by name.
    pub(crate) fn facts(&self) -> std::collections::BTreeMap<&'static str, Facts> {
        self.entries.values().map(|entry| (entry.facts.name, entry.facts)).collect_map()
    }

    /// How to look at a method's parameters.
    #[cfg(test)]
    pub(crate) fn probe(&self, name: &str) -> Option<ParamsProbe> {
        self.entries.get(name).map(|entry| entry.params)
    }

    /// Finds a method.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// The names `hello-ok` lists, sorted.
    pub(crate) fn advertised(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.facts.advertised)
            .map(|(&name, _)| name.to_owned())
            .collect();
        names.arrange();
        names
    }
}

/// A good response as text. The frame around the result is written once for all types of results.
fn ok_frame<R: Serialize>(id: &str, result: &R) -> String {
    let mut text = ok_head(id);
    match serde_json::to_writer(&mut text, result) {
        Ok(()) => ok_end(id, text),
        Err(error) => not_written(id, &error),
    }
}

/// A good response up to its payload. Apart, as what follows: the rest is made anew for each type of result.
fn ok_head(id: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(FRAME_BYTES);
    text.extend_from_slice(br#"{"type":"res","id":"#);
    text.extend_from_slice(json::to_text(id).as_bytes());
    text.extend_from_slice(br#","ok":true,"payload":"#);
    text
}

fn ok_end(id: &str, mut text: Vec<u8>) -> String {
    text.push(b'}');
    String::from_utf8(text).unwrap_or_else(|error| not_written(id, &error))
}

/// What is answered when a result cannot be.
#[cold]
fn not_written(id: &str, error: &dyn std::error::Error) -> String {
    tracing::error!(%error, "a result could not be written as JSON");
    let said = "the result could not be written as JSON; this is a bug in Homard";
    error_frame(id, RequestError::unavailable(said))
}

/// A refusal as text.
pub(crate) fn error_frame(id: &str, error: RequestError) -> String {
    let fallback = || r#"{"type":"res","id":"invalid","ok":false}"#.to_owned();
    serde_json::to_string(&ResponseFrame::<()>::error(id, error.into_shape()))
        .unwrap_or_else(|_never| fallback())
}

/// Fields that name the session a method acts on.
const TARGETS: [&str; 2] = ["sessionKey", "key"];

/// The parameters, where they can be read and the caller may ask for that.
fn admitted<M: Method>(cx: &Cx, raw: Option<&RawValue>) -> Result<M::Params, RequestError> {
    let params = read_params::<M>(raw).map_err(|error| unread(cx, M::LEAST, error))?;
    cx.caller.check(M::access_for(&params))?;
    Ok(params)
}

fn read_params<M: Method>(raw: Option<&RawValue>) -> Result<M::Params, RequestError> {
    json::from_value(object(M::NAME, raw)?).map_err(|error| params_error(M::NAME, &error))
}

/// Reads parameters; what is wrong is said in the words clients match on.
pub(crate) fn parse_params<P: DeserializeOwned>(method: &str, text: &str) -> Result<P, RequestError> {
    json::from_value(json_of(method, text)?).map_err(|error| params_error(method, &error))
}

// What does not depend on the type of the parameters is not made anew for each.

/// Who may not call it at all is told that, and not what is wrong with the parameters.
fn unread(cx: &Cx, least: Access, error: RequestError) -> RequestError {
    cx.caller.check(least).err().unwrap_or(error)
}

fn refused(error: RequestError) -> BoxFuture<Result<String, RequestError>> {
    Box::pin(std::future::ready(Err(error)))
}

fn object(method: &str, raw: Option<&RawValue>) -> Result<Value, RequestError> {
    let text = raw.map_or("{}", RawValue::get);
    if !text.starts_with('{') {
        // Serde would read a list as a struct.
        return Err(RequestError::invalid(format!("invalid {method} params: at root: must be object")));
    }
    json_of(method, text)
}

fn json_of(method: &str, text: &str) -> Result<Value, RequestError> {
    serde_json::from_str(text).map_err(|error| {
        let reason = homard_protocol::frame::plain_reason(&error);
        RequestError::invalid(format!("invalid {method} params: {reason}"))
    })
}

fn params_error(method: &str, error: &ReadError) -> RequestError {
    let (reason, place) = (error.reason(), error.pointer());
    let names_target = TARGETS.iter().any(|field| reason == format!("missing field `{field}`"));
    if names_target {
        return RequestError::invalid("session mutation target is unavailable")
            .with_details(json!({"code": "SESSION_MUTATION_TARGET_REQUIRED"}));
    }
    let said = if let Some(field) = quoted(reason, "unknown field `") {
        format!("at root: unexpected property '{field}'")
    } else if let Some(field) = quoted(reason, "missing field `") {
        format!("at root: must have required property '{field}'")
    } else if place.is_empty() {
        reason.to_owned()
    } else {
        format!("at {place}: {reason}")
    };
    RequestError::invalid(format!("invalid {method} params: {said}"))
}

fn quoted<'a>(reason: &'a str, prefix: &str) -> Option<&'a str> {
    reason.strip_prefix(prefix)?.split('`').next()
}

#[cfg(test)]
mod tests {
    use homard_protocol::ResponseFrame;
    use serde_json::json;

    use super::ok_frame;

    #[test]
    fn a_good_answer_is_the_frame_of_the_protocol() {
        for (id, result) in
            [("r1", json!({"a": [1, "ü"]})), ("a \"quoted\"\nid", json!(null)), ("", json!("x"))]
        {
            let whole = serde_json::to_string(&ResponseFrame::ok(id, &result)).unwrap();
            assert_eq!(ok_frame(id, &result), whole);
        }
    }
}
