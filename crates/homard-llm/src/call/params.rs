//! What the owner wants of every call to a model: read from `params`, sent in each API's spelling.

use serde_json::{Map, Value};

use crate::call::sampling::Sampling;

/// Names that belong to the call itself and are never the owner's to replace, folded.
const RESERVED: [&str; 12] = [
    "model",
    "messages",
    "input",
    "contents",
    "system",
    "systeminstruction",
    "instructions",
    "tools",
    "toolchoice",
    "toolconfig",
    "stream",
    "streamoptions",
];
/// Names that steer other programs' clients and mean nothing to a server, folded.
const NOT_FOR_SERVERS: [&str; 9] = [
    "cacheretention",
    "cachecontrolttl",
    "transport",
    "openaiwswarmup",
    "fastmode",
    "context1m",
    "responsesservercompaction",
    "responsescompactthreshold",
    "streaming",
];

/// What every call to a model asks for, unless the caller says otherwise.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    /// The longest answer, in tokens, where a server must be told: the owner's wish, or our own caution with one
    /// that has no limit. `None` where the provider's own limit is all there is to say.
    pub max_tokens: Option<u32>,
    /// How words are chosen.
    pub sampling: Sampling,
    /// Whatever else the owner wrote, as the server understands it: beside the other fields of the request, in
    /// Ollama's `options`, in Gemini's `generationConfig`, in Bedrock's additional fields.
    pub extra: Map<String, Value>,
}

impl Params {
    /// Reads what the owner wrote, in either spelling (`topP`, `top_p`); `options` may hold more of the same. Also
    /// the names that have no effect: those of the call itself, those of other programs, and unusable values.
    #[must_use]
    pub fn read(written: &Map<String, Value>) -> (Self, Vec<String>) {
        let (mut params, mut unused) = (Self::default(), Vec::new());
        for (name, value) in written {
            match (folded(name).as_str(), value) {
                ("options", Value::Object(more)) => {
                    let (more, also) = Self::read(more);
                    params = params.under(more);
                    unused.extend(also.into_iter().map(|inner| format!("{name}.{inner}")));
                }
                (folded, value) => {
                    if !params.take(folded, name, value) {
                        unused.push(name.clone());
                    }
                }
            }
        }
        (params, unused)
    }

    /// Takes one of them; answers whether it has an effect.
    fn take(&mut self, folded: &str, name: &str, value: &Value) -> bool {
        let sampling = &mut self.sampling;
        match folded {
            "temperature" => set(&mut sampling.temperature, value.as_f64()),
            "topp" => set(&mut sampling.top_p, value.as_f64()),
            "topk" => set(&mut sampling.top_k, value.as_u64()),
            "frequencypenalty" => set(&mut sampling.frequency_penalty, value.as_f64()),
            "presencepenalty" => set(&mut sampling.presence_penalty, value.as_f64()),
            "seed" => set(&mut sampling.seed, value.as_i64()),
            "stop" | "stopsequences" => {
                sampling.stop = texts(value);
                !sampling.stop.is_empty()
            }
            "maxtokens" | "maxcompletiontokens" | "maxoutputtokens" | "numpredict" => {
                let wanted = value.as_u64().filter(|n| *n > 0);
                set(&mut self.max_tokens, wanted.map(|n| u32::try_from(n).unwrap_or(u32::MAX)))
            }
            other if RESERVED.contains(&other) || NOT_FOR_SERVERS.contains(&other) => false,
            _ => {
                self.extra.insert(name.to_owned(), value.clone());
                true
            }
        }
    }

    /// These, with `over` laid over them.
    #[must_use]
    pub fn under(mut self, over: Self) -> Self {
        self.max_tokens = over.max_tokens.or(self.max_tokens);
        self.sampling = over.sampling.or(&self.sampling);
        self.extra.extend(over.extra);
        self
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let usable = value.is_some();
    *place = value;
    usable
}

fn texts(value: &Value) -> Vec<String> {
    let one = value.as_str().map(str::to_owned).into_iter();
    let many = value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    one.chain(many).collect()
}

/// A name with one spelling for capitals, dashes and underscores.
fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests;
