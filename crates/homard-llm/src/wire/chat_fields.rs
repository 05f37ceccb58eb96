//! What the APIs that are spelled like OpenAI's chat have in common.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::call::request::ToolSpec;
use crate::call::sampling::Sampling;
use crate::call::schema::Dialect;
use crate::spec::ModelSpec;

/// A tool, as a function that may be called.
#[derive(Serialize)]
pub(super) struct FunctionTool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

impl<'a> FunctionTool<'a> {
    pub(super) fn of(spec: &'a ToolSpec, model: &ModelSpec) -> Self {
        let parameters = spec.parameters.written(Dialect::of(model));
        let function = Function { name: &spec.name, description: &spec.description, parameters };
        Self { r#type: "function", function }
    }
}

/// How words are chosen.
#[derive(Default, Serialize)]
pub(super) struct SamplingFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    presence_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
}

impl<'a> SamplingFields<'a> {
    /// Only what says nothing of how words are chosen.
    pub(super) fn of_seed(seed: Option<i64>) -> Self {
        Self { seed, ..Self::default() }
    }

    pub(super) fn of(sampling: &'a Sampling) -> Self {
        Self {
            temperature: sampling.temperature,
            top_p: sampling.top_p,
            top_k: sampling.top_k,
            frequency_penalty: sampling.frequency_penalty,
            presence_penalty: sampling.presence_penalty,
            seed: sampling.seed,
            stop: &sampling.stop,
        }
    }
}

/// Several texts as one.
pub(super) fn joined(mut parts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    if parts.len() <= 1 {
        return parts.pop().unwrap_or_default();
    }
    Cow::Owned(parts.join("\n\n"))
}
