//! `exec.approval.*` and `plugin.approval.*`: questions to people, listed, asked, answered.

use crate::error::RequestError;
use std::time::Duration;

use homard_protocol::method::NoParams;
use homard_protocol::methods::approvals::{
    ApprovalAccepted, ApprovalDecided, ApprovalDecision, ApprovalEnding, ApprovalIdParams, ApprovalKind,
    ApprovalReceipt, ApprovalResolveParams, ApprovalResolved, ApprovalReviewer, ApprovalRoute, ExecApproval,
    ExecApprovalGetResult, ExecApprovalRequestParams, MAX_APPROVAL_WAIT_MS, PluginApproval,
};
use homard_protocol::session_words::{ExecAsk, ExecHost};
use homard_protocol::word::Word;
use homard_protocol::{ApprovalId, ErrorCode};
use homard_runtime::millis_i64;
use homard_tools::{
    ANSWER_WITHIN, ApprovalOutcome, ApprovalRequest, CommandTerms, NotAsked, NotFound, NotTaken, Question,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::approvals::{DECIDERS, EXEC, decided, exec, kind, plugin};
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// Longest name a requester may choose.
const MAX_ID_BYTES: usize = 128;

/// Parameters that are about rooms not furnished yet, or change nothing here: taken without effect.
const KNOWN_REST: [&str; 12] = [
    "agentId",
    "approvalReviewerDeviceIds",
    "commandSpans",
    "deliverToApprovalClientsOnly",
    "nodeId",
    "scope",
    "sessionId",
    "suppressDelivery",
    "turnSourceAccountId",
    "turnSourceChannel",
    "turnSourceThreadId",
    "turnSourceTo",
];

/// `exec.approval.list`.
pub(crate) async fn list(cx: Cx, _params: NoParams) -> Result<Vec<ExecApproval>, RequestError> {
    let pending = cx.gateway.relay().approvals().pending();
    Ok(pending.iter().filter(|question| kind(question) == ApprovalKind::Exec).map(exec).collect())
}

/// `plugin.approval.list`.
pub(crate) async fn plugin_list(cx: Cx, _params: NoParams) -> Result<Vec<PluginApproval>, RequestError> {
    let pending = cx.gateway.relay().approvals().pending();
    Ok(pending.iter().filter(|question| kind(question) == ApprovalKind::Plugin).map(plugin).collect())
}

/// `exec.approval.get`.
pub(crate) async fn get(cx: Cx, params: ApprovalIdParams) -> Result<ExecApprovalGetResult, RequestError> {
    let question = named(&cx.gateway, &params.id, ApprovalKind::Exec)?;
    if question.outcome.is_some() {
        return Err(NotFound::Unknown.into());
    }
    let ExecApproval { id, request, expires_at_ms, .. } = exec(&question);
    Ok(ExecApprovalGetResult {
        id,
        command_text: request.command,
        command_preview: request.command_preview,
        allowed_decisions: request.allowed_decisions,
        host: Some(request.host),
        node_id: None,
        agent_id: request.agent_id,
        expires_at_ms,
        reasons: request.reasons,
    })
}

/// `exec.approval.request`: answers `accepted` at once if asked to, and when somebody has decided.
pub(crate) async fn request(
    cx: Cx,
    params: ExecApprovalRequestParams,
) -> Result<ApprovalDecided, RequestError> {
    let gateway = &cx.gateway;
    check_range("exec.approval.request", "timeoutMs", params.timeout_ms, 1..=MAX_APPROVAL_WAIT_MS)?;
    check_rest(&params.rest)?;
    let within = params.timeout_ms.map_or(ANSWER_WITHIN, Duration::from_millis);
    let id = chosen_id(params.id.clone())?;
    let has_route = gateway.connections().clients.someone_hears(DECIDERS, Some(&cx.caller.client.conn));
    if params.require_delivery_route == Some(true) && !has_route {
        return Ok(unasked(gateway, id, within));
    }
    let two_phase = params.two_phase == Some(true);
    let asked = asked(&cx, params)?;
    let router = gateway.relay().approvals();
    let question = router.post_as(id, asked, gateway.clock(), within)?;
    if two_phase {
        cx.respond_early(&ApprovalAccepted {
            status: ApprovalReceipt::Accepted,
            id: question.id.clone(),
            delivery_route: if has_route { ApprovalRoute::ApprovalClient } else { ApprovalRoute::None },
            created_at_ms: question.created_at,
            expires_at_ms: question.expires_at,
        });
    }
    // Only time and people end it: a requester that hangs up may come back and wait for the decision.
    let outcome = router.wait(&question.id, within, &CancellationToken::new()).await;
    Ok(decided(&question, outcome))
}

/// The answer when nobody would hear the question.
fn unasked(gateway: &Gateway, id: ApprovalId, within: Duration) -> ApprovalDecided {
    let now = gateway.clock().now_ms();
    ApprovalDecided {
        id,
        decision: None,
        created_at_ms: now,
        expires_at_ms: now.saturating_add(millis_i64(within)),
        terminal_reason: Some(ApprovalEnding::NoRoute),
    }
}

fn check_rest(rest: &Map<String, Value>) -> Result<(), RequestError> {
    let wrong = |what: String| RequestError::invalid(format!("invalid exec.approval.request params: {what}"));
    if let Some(name) = rest.keys().find(|name| !KNOWN_REST.contains(&name.as_str())) {
        // A plan of a node among them: what would really run is not in the command then.
        return Err(wrong(format!("at root: unexpected property '{name}'")));
    }
    let reviewers = rest.get("approvalReviewerDeviceIds").and_then(Value::as_array);
    if reviewers.is_some_and(|devices| !devices.is_empty()) {
        return Err(wrong("at /approvalReviewerDeviceIds: is not in effect yet".to_owned()));
    }
    Ok(())
}

fn chosen_id(id: Option<String>) -> Result<ApprovalId, RequestError> {
    let Some(id) = id else { return Ok(uuid::Uuid::new_v4().into()) };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    let id = ApprovalId::parse(&id).ok().filter(|id| id.len() <= MAX_ID_BYTES && id.bytes().all(fits));
    id.ok_or_else(|| {
        RequestError::invalid(
            "invalid exec.approval.request params: at /id: must be letters, digits, `-`, `_`, `.` or `:`",
        )
    })
}

/// What another program asks, with its name among the reasons: the gateway does not vouch for it.
fn asked(cx: &Cx, params: ExecApprovalRequestParams) -> Result<ApprovalRequest, RequestError> {
    let invalid = |what: &str| RequestError::invalid(format!("invalid exec.approval.request params: {what}"));
    if params.host.as_ref().is_some_and(|host| host.known() != Some(ExecHost::Gateway)) {
        return Err(invalid("at /host: only `gateway` can be asked about"));
    }
    let command = params.command.or_else(|| params.command_argv.map(|words| spelled(&words)));
    let action = command.filter(|text| !text.trim().is_empty());
    let action = action.ok_or_else(|| invalid("at root: must have required property 'command'"))?;
    let mut reasons = vec![format!("asked by another program: {}", cx.caller.id)];
    reasons.extend(params.warning_text.filter(|text| !text.trim().is_empty()));
    if let Some(env) = params.env.filter(|env| !env.is_empty()) {
        let names: Vec<&str> = env.keys().map(String::as_str).collect();
        reasons.push(format!("it sets {}", names.join(", ")));
    }
    let refused = params.unavailable_decisions.unwrap_or_default();
    let key = params.session_key.as_ref();
    Ok(ApprovalRequest {
        tool: EXEC.to_owned(),
        action,
        cwd: params.cwd,
        resolved_path: params.resolved_path,
        reasons,
        can_always: params.ask.as_ref().and_then(Word::known) != Some(ExecAsk::Always)
            && !refused.contains(&ApprovalDecision::AllowAlways),
        terms: CommandTerms {
            security: params.security,
            ask: params.ask.map(|ask| ask.to_string()),
            on_node: false,
        },
        session_key: key.map(|key| session_key(&cx.gateway, key, None)).transpose()?,
        run_id: params.run_id,
        call_id: params.tool_call_id,
        for_guest: false,
    })
}

/// Words as one line, so that a person sees where each begins.
fn spelled(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let word = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// `exec.approval.waitDecision`.
pub(crate) async fn wait_decision(cx: Cx, params: ApprovalIdParams) -> Result<ApprovalDecided, RequestError> {
    let question = named(&cx.gateway, &params.id, ApprovalKind::Exec)?;
    if let Some(outcome) = question.outcome {
        return Ok(decided(&question, outcome));
    }
    let watched = cx.gateway.relay().approvals().watch(&question.id);
    let mut ended = watched.ok_or(NotFound::Unknown)?;
    let outcome = match ended.wait_for(Option::is_some).await {
        Ok(outcome) => outcome.unwrap_or(ApprovalOutcome::Withdrawn),
        Err(_gone) => ApprovalOutcome::Withdrawn,
    };
    Ok(decided(&question, outcome))
}

/// `exec.approval.resolve`.
pub(crate) async fn resolve(cx: Cx, params: ApprovalResolveParams) -> Result<ApprovalResolved, RequestError> {
    answer(&cx, &params, ApprovalKind::Exec)
}

/// `plugin.approval.resolve`.
pub(crate) async fn plugin_resolve(
    cx: Cx,
    params: ApprovalResolveParams,
) -> Result<ApprovalResolved, RequestError> {
    answer(&cx, &params, ApprovalKind::Plugin)
}

fn answer(
    cx: &Cx,
    params: &ApprovalResolveParams,
    kind: ApprovalKind,
) -> Result<ApprovalResolved, RequestError> {
    let question = named(&cx.gateway, &params.id, kind)?;
    let by = reviewer(cx, params.reviewer.as_ref());
    let router = cx.gateway.relay().approvals();
    router.resolve(&question.id, params.decision, &by)?;
    Ok(ApprovalResolved { ok: true })
}

/// Who answered.
pub(super) fn reviewer(cx: &Cx, named: Option<&ApprovalReviewer>) -> String {
    match named {
        Some(reviewer) => format!("{} for {} {}", cx.caller.id, reviewer.channel, reviewer.sender_id),
        None => cx.caller.id.to_string(),
    }
}

/// The question a client means; those of the other family are not known by this name.
fn named(gateway: &Gateway, name: &ApprovalId, wanted: ApprovalKind) -> Result<Question, RequestError> {
    let question = gateway.relay().approvals().find(name)?;
    if kind(&question) == wanted { Ok(question) } else { Err(NotFound::Unknown.into()) }
}

impl From<NotFound> for RequestError {
    fn from(error: NotFound) -> Self {
        match error {
            NotFound::Unknown => unknown(error.to_string()),
            NotFound::Many(_) => {
                Self::invalid(error.to_string()).with_details(json!({"reason": "APPROVAL_AMBIGUOUS_PREFIX"}))
            }
        }
    }
}

fn unknown(message: String) -> RequestError {
    RequestError::new(ErrorCode::ApprovalNotFound, message)
        .with_details(json!({"reason": "APPROVAL_NOT_FOUND"}))
}

impl From<NotTaken> for RequestError {
    fn from(error: NotTaken) -> Self {
        let refused = |reason: &str| Self::invalid(error.to_string()).with_details(json!({"reason": reason}));
        match error {
            NotTaken::Unknown => unknown(error.to_string()),
            NotTaken::Answered => refused("APPROVAL_ALREADY_RESOLVED"),
            NotTaken::OnceOnly => refused("APPROVAL_ALLOW_ALWAYS_UNAVAILABLE"),
        }
    }
}

impl From<NotAsked> for RequestError {
    fn from(error: NotAsked) -> Self {
        match error {
            NotAsked::Taken => Self::invalid(error.to_string()),
            NotAsked::Nobody | NotAsked::TooMany => Self::unavailable(error.to_string()).retry_after(1_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{check_rest, chosen_id, spelled};

    #[test]
    fn words_are_spelled_so_that_each_is_seen() {
        let words = ["git", "commit", "-m", "it's done", ""].map(str::to_owned);
        assert_eq!(spelled(&words), r"git commit -m 'it'\''s done' ''");
    }

    #[test]
    fn a_name_is_plain_and_short() {
        assert_eq!(chosen_id(Some("req-1:a.b_C".to_owned())).unwrap().as_str(), "req-1:a.b_C");
        assert_eq!(chosen_id(None).unwrap().len(), 36);
        for bad in [String::new(), "a b".to_owned(), "é".to_owned(), "x".repeat(129)] {
            assert!(chosen_id(Some(bad)).is_err());
        }
    }

    #[test]
    fn what_would_change_the_question_is_refused_and_the_rest_is_taken() {
        let check = |rest: serde_json::Value| {
            check_rest(rest.as_object().unwrap()).map_err(|e| e.message().to_owned())
        };
        assert_eq!(check(json!({"turnSourceChannel": "webchat", "nodeId": null})), Ok(()));
        assert_eq!(check(json!({"approvalReviewerDeviceIds": []})), Ok(()));
        assert!(check(json!({"approvalReviewerDeviceIds": ["d"]})).unwrap_err().contains("not in effect"));
        assert!(check(json!({"systemRunPlan": {}})).unwrap_err().contains("systemRunPlan"));
    }
}
