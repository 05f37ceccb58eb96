//! The method table: one typed line per method, no match on names.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use homard_protocol::method::{Access, Method};
use homard_protocol::{ErrorShape, ResponseFrame};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::caller::{Caller, is_wrong_role};
use crate::gateway::Gateway;

/// What every handler gets besides its parameters.
#[derive(Clone)]
pub(crate) struct Cx {
    /// The gateway.
    pub(crate) gateway: Arc<Gateway>,
    /// Who is calling.
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

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Call = Box<dyn Fn(Cx, Option<Box<RawValue>>) -> BoxFuture<Result<String, ErrorShape>> + Send + Sync>;

/// One method, ready to be called with raw parameters; answers with the finished response frame.
pub(crate) struct Entry {
    access: Access,
    advertised: bool,
    pub(crate) rate_limited: bool,
    call: Call,
}

impl Entry {
    /// Whether a caller of this role may call it at all; scopes are checked with the parameters.
    pub(crate) fn check_role(&self, caller: &Caller) -> Result<(), ErrorShape> {
        match caller.check(self.access) {
            Err(error) if is_wrong_role(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Calls it.
    pub(crate) fn call(
        &self,
        cx: Cx,
        params: Option<Box<RawValue>>,
    ) -> BoxFuture<Result<String, ErrorShape>> {
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
        Fut: Future<Output = Result<M::Result, ErrorShape>> + Send + 'static,
        M::Params: 'static,
        M::Result: 'static,
    {
        let call: Call = Box::new(move |cx, params| {
            Box::pin(async move {
                let params = match read_params::<M>(params.as_deref()) {
                    Ok(params) => params,
                    Err(error) => {
                        cx.caller.check(M::LEAST)?;
                        return Err(error);
                    }
                };
                cx.caller.check(M::access_for(&params))?;
                let id = Arc::clone(&cx.request_id);
                let result = handler(cx, params).await?;
                Ok(ok_frame(&id, &result))
            })
        });
        let entry =
            Entry { access: M::ACCESS, advertised: M::ADVERTISED, rate_limited: M::RATE_LIMITED, call };
        self.entries.insert(M::NAME, entry);
        self
    }

    /// Finds a method.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// All names, sorted.
    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.entries.keys().map(|&name| name.to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// The names `hello-ok` lists, sorted.
    pub(crate) fn advertised(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.advertised)
            .map(|(&name, _)| name.to_owned())
            .collect();
        names.sort_unstable();
        names
    }
}

/// A good response as text.
fn ok_frame<R: Serialize>(id: &str, result: &R) -> String {
    serde_json::to_string(&ResponseFrame::ok(id, result)).unwrap_or_else(|error| {
        tracing::error!(%error, "a result could not be written as JSON");
        error_frame(
            id,
            ErrorShape::unavailable("the result could not be written as JSON; this is a bug in Homard"),
        )
    })
}

/// A refusal as text.
pub(crate) fn error_frame(id: &str, error: ErrorShape) -> String {
    let fallback = || r#"{"type":"res","id":"invalid","ok":false}"#.to_owned();
    serde_json::to_string(&ResponseFrame::<()>::error(id, error)).unwrap_or_else(|_never| fallback())
}

/// Fields that name the session a method acts on.
const TARGETS: [&str; 2] = ["sessionKey", "key"];

fn read_params<M: Method>(raw: Option<&RawValue>) -> Result<M::Params, ErrorShape> {
    let text = raw.map_or("{}", RawValue::get);
    if !text.starts_with('{') {
        // Serde would read a list as a struct.
        return Err(ErrorShape::invalid(format!("invalid {} params: at root: must be object", M::NAME)));
    }
    serde_json::from_str(text).map_err(|error| params_error(M::NAME, &error))
}

/// Says what is wrong with parameters in the words clients match on.
pub(crate) fn params_error(method: &str, error: &serde_json::Error) -> ErrorShape {
    let reason = homard_protocol::frame::plain_reason(error);
    let names_target = TARGETS.iter().any(|field| reason == format!("missing field `{field}`"));
    if names_target {
        return ErrorShape::invalid("session mutation target is unavailable")
            .with_details(json!({"code": "SESSION_MUTATION_TARGET_REQUIRED"}));
    }
    let said = if let Some(field) = quoted(&reason, "unknown field `") {
        format!("at root: unexpected property '{field}'")
    } else if let Some(field) = quoted(&reason, "missing field `") {
        format!("at root: must have required property '{field}'")
    } else {
        reason
    };
    ErrorShape::invalid(format!("invalid {method} params: {said}"))
}

fn quoted<'a>(reason: &'a str, prefix: &str) -> Option<&'a str> {
    reason.strip_prefix(prefix)?.split('`').next()
}
