//! Numbers a caller may set, each within its range.

use homard_llm::Sampling;
use serde::Deserialize;
use serde_json::Value;

use super::refusal::ApiError;

/// Most texts at which an answer may end.
const MAX_STOPS: usize = 4;

/// How words are to be chosen, as the API spells it. Both routes share it; what one of them does not know, its
/// clients do not send.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Numbers {
    temperature: Option<Value>,
    top_p: Option<Value>,
    frequency_penalty: Option<Value>,
    presence_penalty: Option<Value>,
    seed: Option<Value>,
    stop: Option<Value>,
    max_completion_tokens: Option<Value>,
    max_tokens: Option<Value>,
    max_output_tokens: Option<Value>,
}

impl Numbers {
    /// The numbers, each checked.
    pub(super) fn sampling(&self) -> Result<Sampling, ApiError> {
        Ok(Sampling {
            temperature: within("temperature", self.temperature.as_ref(), 0.0, 2.0)?,
            top_p: within("top_p", self.top_p.as_ref(), 0.0, 1.0)?,
            frequency_penalty: within("frequency_penalty", self.frequency_penalty.as_ref(), -2.0, 2.0)?,
            presence_penalty: within("presence_penalty", self.presence_penalty.as_ref(), -2.0, 2.0)?,
            seed: seed(self.seed.as_ref())?,
            stop: stops(self.stop.as_ref())?,
            ..Sampling::default()
        })
    }

    /// The longest answer, in tokens; the newer name wins.
    pub(super) fn max_tokens(&self) -> Result<Option<u32>, ApiError> {
        let named = [
            ("max_completion_tokens", self.max_completion_tokens.as_ref()),
            ("max_tokens", self.max_tokens.as_ref()),
            ("max_output_tokens", self.max_output_tokens.as_ref()),
        ];
        let mut wanted = None;
        for (name, value) in named {
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            let count = value.as_u64().filter(|count| *count > 0);
            let count =
                count.ok_or_else(|| ApiError::at(name, format!("`{name}` must be a positive integer")))?;
            wanted = wanted.or(Some(u32::try_from(count).unwrap_or(u32::MAX)));
        }
        Ok(wanted)
    }
}

fn within(name: &'static str, value: Option<&Value>, least: f64, most: f64) -> Result<Option<f64>, ApiError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| (least..=most).contains(number));
    let bad = || ApiError::at(name, format!("`{name}` must be a number from {least} to {most}"));
    number.map(Some).ok_or_else(bad)
}

fn seed(value: Option<&Value>) -> Result<Option<i64>, ApiError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(None) };
    value.as_i64().map(Some).ok_or_else(|| ApiError::at("seed", "`seed` must be an integer"))
}

fn stops(value: Option<&Value>) -> Result<Vec<String>, ApiError> {
    let bad =
        || ApiError::at("stop", format!("`stop` must be a text or up to {MAX_STOPS} of them, none empty"));
    let stops = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(many)) => {
            let texts = many.iter().map(|one| one.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>().ok_or_else(bad)?
        }
        Some(_) => return Err(bad()),
    };
    let good = stops.len() <= MAX_STOPS && stops.iter().all(|stop| !stop.is_empty());
    if good { Ok(stops) } else { Err(bad()) }
}

#[cfg(test)]
mod tests;
