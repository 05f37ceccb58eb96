//! A question that waits for a person, whatever it is about: read from the gateway, worded for a terminal,
//! answered. The commands and the terminal UI ask alike.

use homard_protocol::method::NoParams;
use homard_protocol::methods::approvals::{
    APPROVAL_SLUG_CHARS, ApprovalDecision, ApprovalEnding, ApprovalKind, ApprovalResolveParams, ExecApproval,
    ExecApprovalList, ExecApprovalResolve, PluginApproval, PluginApprovalList, PluginApprovalResolve,
};
use homard_protocol::word::Word;
use homard_protocol::{ApprovalId, EventFrame, RunId};
use homard_runtime::{Arrange as _, Clip, visible};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::ClientError;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    pub kind: ApprovalKind,
    pub id: ApprovalId,
    pub tool: String,
    /// What would be done.
    pub what: String,
    pub cwd: Option<String>,
    pub program: Option<String>,
    /// Why a person is asked.
    pub reasons: Vec<String>,
    pub can_always: bool,
    pub session_key: Option<String>,
    pub run_id: Option<RunId>,
    pub created_at: i64,
    pub expires_at: i64,
}

impl From<ExecApproval> for OpenQuestion {
    fn from(approval: ExecApproval) -> Self {
        let request = approval.request;
        Self {
            kind: ApprovalKind::Exec,
            id: approval.id,
            tool: "exec".to_owned(),
            what: visible(&request.command),
            cwd: request.cwd.as_deref().map(visible),
            program: request.resolved_path.as_deref().map(visible),
            reasons: reasons(&request.reasons, request.warning_text.as_deref()),
            can_always: request.allowed_decisions.contains(&ApprovalDecision::AllowAlways),
            session_key: request.session_key.map(|key| visible(&key.to_string())),
            run_id: request.run_id,
            created_at: approval.created_at_ms,
            expires_at: approval.expires_at_ms,
        }
    }
}

impl From<PluginApproval> for OpenQuestion {
    fn from(approval: PluginApproval) -> Self {
        let request = approval.request;
        Self {
            kind: ApprovalKind::Plugin,
            id: approval.id,
            tool: request.tool_name.as_deref().map_or_else(|| "plugin".to_owned(), visible),
            what: visible(request.detail.as_deref().unwrap_or(&request.description)),
            cwd: None,
            program: None,
            reasons: reasons(&request.reasons, None),
            can_always: request.allowed_decisions.contains(&ApprovalDecision::AllowAlways),
            session_key: request.session_key.map(|key| visible(&key.to_string())),
            run_id: request.run_id,
            created_at: approval.created_at_ms,
            expires_at: approval.expires_at_ms,
        }
    }
}

fn reasons(listed: &[String], text: Option<&str>) -> Vec<String> {
    if listed.is_empty() {
        return text.into_iter().flat_map(str::lines).map(visible).collect();
    }
    listed.iter().map(|reason| visible(reason)).collect()
}

/// The beginning of an id, which is enough to name it.
#[must_use]
pub fn short(id: &str) -> String {
    visible(id).clip_chars(APPROVAL_SLUG_CHARS).to_owned()
}

impl OpenQuestion {
    /// How long it still waits.
    #[must_use]
    pub fn left_ms(&self, now: i64) -> u64 {
        u64::try_from(self.expires_at.saturating_sub(now)).unwrap_or(0)
    }

    /// What a person reads before deciding; `left` says how long it still waits.
    #[must_use]
    pub fn lines(&self, left: &str) -> Vec<String> {
        let mut lines = vec![format!("approval needed: {} ({}, {left} left)", self.tool, short(&self.id))];
        lines.extend(self.what.lines().map(|line| format!("  {line}")));
        let mut fact = |name: &str, value: &str| {
            for (number, line) in value.lines().enumerate() {
                let name = if number == 0 { name } else { "" };
                lines.push(format!("  {name:<9}{line}"));
            }
        };
        for (name, value) in [("in", &self.cwd), ("program", &self.program), ("for", &self.session_key)] {
            if let Some(value) = value {
                fact(name, value);
            }
        }
        fact("because", &self.reasons.join("\n"));
        lines
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({"event": "asked", "id": self.id, "tool": self.tool, "what": self.what, "cwd": self.cwd,
            "program": self.program, "reasons": self.reasons, "canAlways": self.can_always,
            "sessionKey": self.session_key, "runId": self.run_id, "createdAtMs": self.created_at,
            "expiresAtMs": self.expires_at})
    }
}

/// What happened to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Asked(OpenQuestion),
    Ended(QuestionEnd),
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionEnd {
    pub id: ApprovalId,
    #[serde(default)]
    pub decision: Option<ApprovalDecision>,
    #[serde(default)]
    pub resolved_by: Option<String>,
    #[serde(default)]
    pub terminal_reason: Option<Word<ApprovalEnding>>,
}

impl QuestionEnd {
    /// In a few words.
    #[must_use]
    pub fn words(&self) -> String {
        let said = match self.decision {
            Some(ApprovalDecision::AllowOnce) => "allowed once",
            Some(ApprovalDecision::AllowAlways) => "allowed always",
            Some(ApprovalDecision::Deny) | None => "denied",
        };
        match (self.terminal_reason.as_ref().and_then(Word::known), &self.resolved_by) {
            (Some(ApprovalEnding::Timeout), _) => "nobody answered in time, which is a no".to_owned(),
            (Some(ApprovalEnding::Cancelled), _) => "no longer asked: the run was stopped".to_owned(),
            (_, Some(by)) => format!("{said} by {}", visible(by)),
            (_, None) => said.to_owned(),
        }
    }
}

impl Change {
    /// Reads an event; most are about something else.
    #[must_use]
    pub fn read(frame: &EventFrame) -> Option<Self> {
        let payload = || frame.payload.clone();
        match frame.event.as_str() {
            "exec.approval.requested" => homard_runtime::json::from_value::<ExecApproval>(payload())
                .ok()
                .map(|asked| Self::Asked(asked.into())),
            "plugin.approval.requested" => homard_runtime::json::from_value::<PluginApproval>(payload())
                .ok()
                .map(|asked| Self::Asked(asked.into())),
            "exec.approval.resolved" | "plugin.approval.resolved" => {
                homard_runtime::json::from_value(payload()).ok().map(Self::Ended)
            }
            _ => None,
        }
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Asked(asked) => asked.to_json(),
            Self::Ended(ended) => json!({"event": "ended", "id": ended.id, "decision": ended.decision,
                "resolvedBy": ended.resolved_by, "terminalReason": ended.terminal_reason}),
        }
    }
}

/// Everything that waits, oldest first.
///
/// # Errors
/// When the gateway does not answer.
pub async fn pending(client: &Client) -> Result<Vec<OpenQuestion>, ClientError> {
    let commands = client.call::<ExecApprovalList>(&NoParams {}).await?;
    let others = client.call::<PluginApprovalList>(&NoParams {}).await?;
    let mut all: Vec<OpenQuestion> = commands
        .into_iter()
        .map(OpenQuestion::from)
        .chain(others.into_iter().map(OpenQuestion::from))
        .collect();
    all.arrange_by_key(|asked| asked.created_at);
    Ok(all)
}

/// Gives an answer.
///
/// # Errors
/// When the gateway does not take it.
pub async fn answer(
    client: &Client,
    kind: ApprovalKind,
    id: ApprovalId,
    decision: ApprovalDecision,
) -> Result<(), ClientError> {
    let params = ApprovalResolveParams { id, decision, reviewer: None, grant_expires_in_days: None };
    match kind {
        ApprovalKind::Exec => client.call::<ExecApprovalResolve>(&params).await.map(drop),
        ApprovalKind::Plugin => client.call::<PluginApprovalResolve>(&params).await.map(drop),
    }
}

#[cfg(test)]
mod tests;
