//! What the gateway tells, as values of this program. Fields that another version leaves out are empty, and what is not
//! understood is passed over.

use homard_client::questions::Change;
use homard_protocol::EventFrame;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Something the gateway told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GatewayNews {
    Chat(ChatStep),
    Agent(AgentStep),
    /// A message was written into a conversation.
    Said(SaidStep),
    /// A conversation is another than before.
    Changed(ChangedStep),
    Question(Change),
    /// The gateway goes, and says why.
    Ending(String),
}

/// A step of a run, for people.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ChatStep {
    pub(crate) run_id: String,
    pub(crate) session_key: String,
    /// `status`, `delta`, `final`, `aborted` or `error`.
    pub(crate) state: String,
    pub(crate) delta_text: String,
    pub(crate) message: Option<Snapshot>,
    pub(crate) error_message: String,
    pub(crate) phase: Option<String>,
}

impl ChatStep {
    /// The whole answer as far as it goes, where it was told.
    pub(crate) fn whole(&self) -> Option<String> {
        self.message.as_ref().map(Snapshot::text).filter(|text| !text.is_empty())
    }
}

/// An answer as far as it goes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Snapshot {
    content: Vec<SnapshotBlock>,
}

impl Snapshot {
    fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter(|block| block.kind == "text")
            .map(|block| block.text.as_str())
            .collect();
        texts.join("\n\n")
    }
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct SnapshotBlock {
    #[serde(rename = "type")]
    kind: String,
    text: String,
}

/// A step of a run, for programs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentStep {
    pub(crate) run_id: String,
    pub(crate) session_key: String,
    pub(crate) ts: i64,
    pub(crate) news: AgentNews,
}

/// What a step is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AgentNews {
    ToolStarted {
        call: String,
        name: String,
        args: Value,
    },
    ToolUpdated {
        call: String,
        name: String,
        output: String,
    },
    ToolEnded {
        call: String,
        name: String,
        failed: bool,
        result: Value,
    },
    Thinking {
        text: String,
    },
    Model {
        provider: String,
        model: String,
    },
    /// A model did not answer, and what is done about it.
    Trouble(String),
    /// Whether the run waits for a person.
    Waits(bool),
    /// Whether the conversation is being summarised.
    Compacting(bool),
}

/// A message was written into a conversation.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SaidStep {
    pub(crate) session_key: String,
    pub(crate) message: Value,
    pub(crate) message_id: String,
}

/// A conversation is another than before.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ChangedStep {
    pub(crate) session_key: String,
    pub(crate) reason: String,
}

impl GatewayNews {
    /// Reads an event; most are about something else.
    pub(crate) fn read(frame: &EventFrame) -> Option<Self> {
        match frame.event.as_str() {
            "chat" => read::<ChatStep>(&frame.payload).map(Self::Chat),
            // Tools of runs that somebody else started have another name.
            "agent" | "session.tool" => agent_step(&frame.payload).map(Self::Agent),
            "session.message" => read::<SaidStep>(&frame.payload).map(Self::Said),
            "sessions.changed" => read::<ChangedStep>(&frame.payload).map(Self::Changed),
            "shutdown" => Some(Self::Ending(text(&frame.payload, "reason"))),
            _ => Change::read(frame).map(Self::Question),
        }
    }
}

/// A value of the protocol; nothing where it is of another version.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    homard_runtime::json::from_value(value.clone()).ok()
}

fn agent_step(payload: &Value) -> Option<AgentStep> {
    let data = payload.get("data")?;
    let news = match payload.get("stream")?.as_str()? {
        "tool" => tool_news(data)?,
        "thinking" => AgentNews::Thinking { text: text(data, "text") },
        "lifecycle" => match text(data, "phase").as_str() {
            "model" => AgentNews::Model { provider: text(data, "provider"), model: text(data, "model") },
            "fallback" => AgentNews::Trouble(trouble(data)),
            _ => return None,
        },
        "approval" => AgentNews::Waits(text(data, "phase") == "requested"),
        "compaction" => AgentNews::Compacting(text(data, "phase") == "start"),
        _ => return None,
    };
    let ts = payload.get("ts").and_then(Value::as_i64).unwrap_or(0);
    Some(AgentStep { run_id: text(payload, "runId"), session_key: text(payload, "sessionKey"), ts, news })
}

fn tool_news(data: &Value) -> Option<AgentNews> {
    let (call, name) = (text(data, "toolCallId"), text(data, "name"));
    Some(match data.get("phase")?.as_str()? {
        "start" => AgentNews::ToolStarted { call, name, args: data.get("args").cloned().unwrap_or_default() },
        "update" => AgentNews::ToolUpdated {
            call,
            name,
            output: output_of(data.get("partialResult").unwrap_or(&Value::Null)),
        },
        "result" => AgentNews::ToolEnded {
            call,
            name,
            failed: data.get("isError").and_then(Value::as_bool).unwrap_or(false),
            result: data.get("result").cloned().unwrap_or_default(),
        },
        _ => return None,
    })
}

/// What a tool answered, in words: a text, or the texts of its blocks.
pub(crate) fn output_of(result: &Value) -> String {
    let content = result.get("content").unwrap_or(result);
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> =
                blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
            texts.join("\n\n")
        }
        _ => String::new(),
    }
}

fn trouble(data: &Value) -> String {
    let model = [text(data, "provider"), text(data, "model")].join("/");
    let reason = text(data, "reason").replace('_', " ");
    match data.get("retryInMs").and_then(Value::as_u64) {
        Some(ms) => format!("{model} did not answer ({reason}); trying again in {} s", ms.div_ceil(1_000)),
        None => format!("{model} did not answer ({reason}); trying another way"),
    }
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AgentNews, AgentStep, ChangedStep, GatewayNews};

    fn read(event: &str, payload: &Value) -> Option<GatewayNews> {
        GatewayNews::read(
            &serde_json::from_value(json!({"type": "event", "event": event, "payload": payload})).unwrap(),
        )
    }

    fn agent(stream: &str, data: &Value) -> Option<AgentNews> {
        let payload = json!({"runId": "r", "sessionKey": "s", "ts": 5, "stream": stream, "data": data});
        match read("agent", &payload) {
            Some(GatewayNews::Agent(AgentStep { news, ts: 5, .. })) => Some(news),
            _ => None,
        }
    }

    #[test]
    fn steps_of_programs_are_read() {
        let cases = [
            (
                "tool",
                json!({"phase": "start", "toolCallId": "c", "name": "exec", "args": {"command": "ls"}}),
                Some(AgentNews::ToolStarted {
                    call: "c".into(),
                    name: "exec".into(),
                    args: json!({"command": "ls"}),
                }),
            ),
            (
                "tool",
                json!({"phase": "update", "toolCallId": "c", "name": "exec", "partialResult": {"content": [{"text": "a"}]}}),
                Some(AgentNews::ToolUpdated { call: "c".into(), name: "exec".into(), output: "a".into() }),
            ),
            (
                "lifecycle",
                json!({"phase": "fallback", "provider": "p", "model": "m", "reason": "rate_limit", "retryInMs": 1500}),
                Some(AgentNews::Trouble("p/m did not answer (rate limit); trying again in 2 s".into())),
            ),
            ("approval", json!({"phase": "requested"}), Some(AgentNews::Waits(true))),
            ("compaction", json!({"phase": "end"}), Some(AgentNews::Compacting(false))),
            ("assistant", json!({"text": "told as chat, too"}), None),
            ("something new", json!({}), None),
        ];
        for (stream, data, news) in cases {
            assert_eq!(agent(stream, &data), news, "{stream} {data}");
        }
    }

    #[test]
    fn steps_for_people_are_read_and_others_passed_over() {
        let delta = json!({"runId": "r", "sessionKey": "s", "state": "delta", "deltaText": "b",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "ab"}], "timestamp": 1}, "seq": 9});
        let Some(GatewayNews::Chat(step)) = read("chat", &delta) else { panic!("not read") };
        assert_eq!((step.whole().as_deref(), step.delta_text.as_str()), (Some("ab"), "b"));
        let changed = json!({"sessionKey": "s", "reason": "reset", "ts": 1});
        assert_eq!(
            read("sessions.changed", &changed),
            Some(GatewayNews::Changed(ChangedStep { session_key: "s".into(), reason: "reset".into() }))
        );
        for (event, payload) in [("tick", json!({"ts": 1})), ("chat", json!([1])), ("agent", json!(null))] {
            assert_eq!(read(event, &payload), None, "{event}");
        }
    }
}
