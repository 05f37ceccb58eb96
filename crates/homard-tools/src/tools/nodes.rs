//! `nodes`: the owner's other machines and phones. Only for the owner.
//!
//! Which commands a node may be asked is the gateway's to decide. Commands of a node's shell go through `exec` with
//! `host: "node"`, where the rules for commands are.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use homard_protocol::UserBlock;
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{millis, off_thread};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::approvals::{ApprovalRequest, CommandTerms, Outcome};
use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::{NodeAnswer, NodeCall, NodesPort, PortError, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::file_edits::replace_file::replace_file;
use crate::words_of_others::taint::{Label, Source};

/// The name the model calls it by.
pub(crate) const NAME: &str = "nodes";
/// Where pictures and recordings are put, in the workspace.
const MEDIA_DIR: &str = "media/nodes";
/// Longest recording that may be asked for, in milliseconds.
const MAX_DURATION_MS: u64 = 300_000;
/// How long a recording is when nobody says.
const DURATION_MS: u64 = 10_000;
/// What a node is given beyond the length of a recording, to begin and to send it.
const RECORDING_GRACE: Duration = Duration::from_secs(60);
/// Largest picture the model is shown.
const MAX_SHOWN_BYTES: usize = 5 * 1024 * 1024;
/// Commands whose answers hold nobody's words but the owner's machine's.
const OWN_WORDS: [&str; 7] = [
    "camera.list",
    "device.info",
    "device.status",
    "location.get",
    "system.notify",
    "system.which",
    "canvas.present",
];
/// Commands of a node's shell, which `exec` runs.
const SHELL: [&str; 2] = ["system.run", "system.run.prepare"];
/// Before the commands that read and write a node's own rules for commands, which are its owner's.
const RULES: &str = "system.execApprovals.";

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(NodesTool)) };

pub(crate) struct NodesTool;

/// See and use the owner's paired nodes (phones, other machines): notify, camera, screen, location, any command they
/// offer. Start with status: it lists nodes and their commands. Photos are shown and saved, recordings are saved.
/// To run shell commands on a node use exec with host "node".
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodesInput {
    action: Action,
    /// Id or name; needed where several could be meant.
    #[serde(default)]
    node: Option<String>,
    /// approve, reject: from pending.
    #[serde(default, alias = "request_id")]
    request_id: Option<String>,
    /// notify.
    #[serde(default)]
    title: Option<String>,
    /// notify.
    #[serde(default)]
    body: Option<String>,
    /// notify: passive, active or timeSensitive.
    #[serde(default)]
    priority: Option<String>,
    /// camera: front or back.
    #[serde(default)]
    facing: Option<String>,
    /// camera: from camera_list.
    #[serde(default, alias = "device_id")]
    device_id: Option<String>,
    /// camera_clip, screen_record.
    #[serde(default, alias = "duration_ms")]
    duration_ms: Option<u64>,
    /// location_get: coarse, balanced or precise.
    #[serde(default, alias = "desired_accuracy")]
    desired_accuracy: Option<String>,
    /// invoke: the command's name.
    #[serde(default, alias = "invoke_command")]
    command: Option<Value>,
    /// invoke: the command's arguments.
    #[serde(default, alias = "invokeParamsJson")]
    params: Option<Value>,
    /// How long to wait for the node.
    #[serde(default, alias = "invokeTimeoutMs", alias = "timeout_ms")]
    timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    #[default]
    Status,
    Describe,
    Pending,
    Approve,
    Reject,
    Notify,
    CameraList,
    CameraSnap,
    CameraClip,
    ScreenRecord,
    LocationGet,
    Run,
    Invoke,
}

impl Tool for NodesTool {
    type Input = NodesInput;
    const NAME: &'static str = NAME;
    const BRIEF: bool = true;

    fn subject(input: &NodesInput) -> Subject {
        match input.action {
            Action::Status | Action::Describe | Action::Pending | Action::CameraList => Subject::looking(),
            _ => Subject::default(),
        }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.nodes().is_ok_and(NodesPort::has_any)
    }

    async fn run(&self, input: NodesInput, cx: &ToolCx) -> ToolOutcome {
        act(input, cx).await.into()
    }
}

async fn act(input: NodesInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let room = cx.scope.ports.nodes()?;
    Ok(match input.action {
        Action::Status => told(room.list(None).await),
        Action::Describe => told(room.list(Some(needed(input.node.as_deref(), "node")?)).await),
        Action::Pending => told(room.pending().await),
        Action::Approve | Action::Reject => decide(&input, cx).await?,
        Action::Run => {
            return Err(PortError::Invalid(
                "use exec with host \"node\" (and node) to run commands on a node".to_owned(),
            ));
        }
        Action::CameraSnap | Action::CameraClip | Action::ScreenRecord => record(input, cx).await?,
        Action::Notify | Action::CameraList | Action::LocationGet | Action::Invoke => {
            let (command, params) = command(&input)?;
            let answer = ask(&input, &command, params, cx).await?;
            let text = json!({"node": answer.name, "command": command, "result": answer.payload});
            label(ToolOutcome::text(text.to_string()), &command, &answer)
        }
    })
}

async fn ask(input: &NodesInput, command: &str, params: Value, cx: &ToolCx) -> Result<NodeAnswer, PortError> {
    let call = NodeCall {
        node: input.node.clone().filter(|node| !node.trim().is_empty()),
        command: command.to_owned(),
        params,
        timeout: input.timeout_ms.filter(|ms| *ms > 0).map(Duration::from_millis),
    };
    cx.scope.ports.nodes()?.invoke(cx, call).await
}

/// The owner says what a node may offer, never the model: it can only bring the question.
async fn decide(input: &NodesInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let room = cx.scope.ports.nodes()?;
    let request = needed(input.request_id.as_deref(), "requestId")?;
    let allow = input.action == Action::Approve;
    if allow {
        let pending = room.pending().await?;
        let rows = pending.get("pending").and_then(Value::as_array);
        let row = rows.into_iter().flatten().find(|row| row.get("requestId") == Some(&json!(request)));
        let row = row.ok_or_else(|| PortError::Invalid(format!("nothing waits by the name `{request}`")))?;
        let asked = ApprovalRequest {
            tool: NAME.to_owned(),
            action: format!("let a node offer these commands: {row}"),
            cwd: None,
            resolved_path: None,
            reasons: vec!["only the owner decides what nodes may offer".to_owned()],
            can_always: false,
            terms: CommandTerms::default(),
            session_key: Some(cx.session_key.clone()),
            run_id: Some(cx.run_id.clone()),
            call_id: Some(cx.call_id.clone()),
            for_guest: cx.is_for_guest(),
        };
        match cx.ask(asked).await {
            Outcome::Said(ApprovalDecision::AllowOnce | ApprovalDecision::AllowAlways) => {}
            Outcome::Said(ApprovalDecision::Deny) => {
                return Err(PortError::NotAllowed("the owner said no".to_owned()));
            }
            Outcome::Expired | Outcome::NoRoute => {
                return Err(PortError::NotAllowed("the owner could not be asked".to_owned()));
            }
            Outcome::Withdrawn => return Err(PortError::Stopped),
        }
    }
    Ok(told(room.decide(request, allow).await))
}

/// A picture or a recording: kept in the workspace; pictures are shown, too.
async fn record(mut input: NodesInput, cx: &ToolCx) -> Result<ToolOutcome, PortError> {
    let length = input.duration_ms.unwrap_or(DURATION_MS).clamp(1, MAX_DURATION_MS);
    let facing = input.facing.clone().map(Value::from);
    let device = input.device_id.clone().map(Value::from);
    let (command, params) = match input.action {
        Action::CameraSnap => (
            "camera.snap",
            fields([("facing", facing), ("deviceId", device), ("format", Some(json!("jpg")))]),
        ),
        Action::CameraClip => (
            "camera.clip",
            fields([("facing", facing), ("deviceId", device), ("durationMs", Some(json!(length)))]),
        ),
        _ => ("screen.record", fields([("durationMs", Some(json!(length)))])),
    };
    if command != "camera.snap" && input.timeout_ms.is_none() {
        let all = Duration::from_millis(length).saturating_add(RECORDING_GRACE);
        input.timeout_ms = Some(millis(all));
    }
    let answer = ask(&input, command, params, cx).await?;
    let (bytes, format) = media(&answer.payload)?;
    let path = keep(&cx.workspace, cx.call_id.as_str(), &format, bytes.clone()).await?;
    let mut outcome = ToolOutcome::text(format!("saved to {}", path.display())).with_details(json!({
        "path": path.display().to_string(), "node": answer.node_id, "command": command, "bytes": bytes.len(),
    }));
    if let Some(mime_type) = picture_type(&format).filter(|_| bytes.len() <= MAX_SHOWN_BYTES) {
        let data = STANDARD.encode(&bytes);
        outcome.content.push(UserBlock::Image { data, mime_type: mime_type.to_owned() });
    }
    Ok(label(outcome, command, &answer))
}

/// The words in what a node brings in may be anybody's.
fn label(outcome: ToolOutcome, command: &str, answer: &NodeAnswer) -> ToolOutcome {
    if OWN_WORDS.contains(&command) {
        return outcome;
    }
    outcome.from_others(Label::new(Source::Tool, format!("{command} on {}", answer.name)))
}

/// What a node is asked, for the actions that only pass a question on.
fn command(input: &NodesInput) -> Result<(String, Value), PortError> {
    let text = |value: &Option<String>| value.clone().map(Value::from);
    match input.action {
        Action::Notify => {
            if input.title.is_none() && input.body.is_none() {
                return Err(PortError::Invalid("title or body is needed".to_owned()));
            }
            let given = [
                ("title", text(&input.title)),
                ("body", text(&input.body)),
                ("priority", text(&input.priority)),
            ];
            Ok(("system.notify".to_owned(), fields(given)))
        }
        Action::CameraList => Ok(("camera.list".to_owned(), json!({}))),
        Action::LocationGet => {
            let given = [("desiredAccuracy", text(&input.desired_accuracy))];
            Ok(("location.get".to_owned(), fields(given)))
        }
        _ => {
            let command = input.command.as_ref().and_then(Value::as_str).map(str::trim);
            let command = needed(command, "command")?;
            if SHELL.contains(&command) {
                return Err(PortError::Invalid("use exec with host \"node\" for that".to_owned()));
            }
            if command.starts_with(RULES) {
                let words = "the rules of a node are the owner's: `homard approvals set --node NODE`";
                return Err(PortError::NotAllowed(words.to_owned()));
            }
            let params = match &input.params {
                // Some models write arguments as text.
                Some(Value::String(text)) => serde_json::from_str(text)
                    .map_err(|error| PortError::Invalid(format!("params is no JSON: {error}")))?,
                Some(params) => params.clone(),
                None => json!({}),
            };
            Ok((command.to_owned(), params))
        }
    }
}

fn needed<'t>(text: Option<&'t str>, name: &str) -> Result<&'t str, PortError> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    text.ok_or_else(|| PortError::Invalid(format!("{name} is needed")))
}

fn fields<const N: usize>(given: [(&str, Option<Value>); N]) -> Value {
    let given = given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<_, _>>())
}

/// The bytes of a picture or recording a node sent, and the ending of its kind; `None` when it sent none.
#[must_use]
pub fn node_media(payload: &Value) -> Option<(Vec<u8>, String)> {
    let bytes = STANDARD.decode(payload.get("base64")?.as_str()?).ok()?;
    let format = payload.get("format").and_then(Value::as_str).unwrap_or("bin").to_ascii_lowercase();
    let is_plain =
        !format.is_empty() && format.len() <= 8 && format.chars().all(|c| c.is_ascii_alphanumeric());
    Some((bytes, if is_plain { format } else { "bin".to_owned() }))
}

fn media(payload: &Value) -> Result<(Vec<u8>, String), PortError> {
    let broken = || PortError::Failed("the node sent no picture or recording that can be read".to_owned());
    node_media(payload).ok_or_else(broken)
}

fn picture_type(format: &str) -> Option<&'static str> {
    match format {
        "jpg" | "jpeg" => Some("image/jpeg"),
        "png" => Some("image/png"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// Writes a new file; the name of the call keeps two from meeting.
async fn keep(workspace: &Path, call: &str, format: &str, bytes: Vec<u8>) -> Result<PathBuf, PortError> {
    let name: String = call.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
    let (workspace, name) = (workspace.to_owned(), format!("{name}.{format}"));
    let writing = off_thread(move || {
        let workspace = workspace.canonicalize().unwrap_or(workspace);
        let path = workspace.join(MEDIA_DIR).join(name);
        replace_file(&path, &bytes).map(|_is_new| path)
    });
    match writing.await {
        Ok(Ok(kept)) => Ok(kept),
        Ok(Err(error)) => Err(PortError::Failed(format!("it could not be saved: {error}"))),
        Err(_panicked) => Err(PortError::Failed("it could not be saved".to_owned())),
    }
}

#[cfg(test)]
mod tests;
