//! `artifacts.*`: pictures and documents that stand in a conversation, found by the message they are in.

use homard_protocol::methods::agents::workspace::WorkspaceEncoding;
use homard_protocol::methods::sessions::artifacts::{
    Artifact, ArtifactDownload, ArtifactType, ArtifactsDownloadParams, ArtifactsDownloadResult,
    ArtifactsListParams, ArtifactsListResult, MAX_ARTIFACTS,
};
use homard_protocol::{
    AgentId, EntryId, EntryKind, Message, RunId, SessionKey, SessionRef, UserBlock, UserContent,
};
use homard_store::{PageEntry, PageQuery};
use serde_json::json;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// Entries read at once while looking for artifacts.
const PAGE: usize = 200;
/// Most artifacts of an answer nobody limited.
const MOST: usize = 500;

/// `artifacts.list`.
pub(crate) async fn list(cx: Cx, params: ArtifactsListParams) -> Result<ArtifactsListResult, RequestError> {
    check_range("artifacts.list", "limit", params.limit, 1..=MAX_ARTIFACTS)?;
    let about = params.run_id.as_ref().or(params.task_id.as_ref());
    let key = conversation(&cx.gateway, params.session_key.as_ref(), about, params.agent_id.as_ref()).await?;
    let record = cx.gateway.store().sessions().get(&key).await?;
    let Some(record) = record.filter(|_| params.message_role.is_none()) else {
        return Ok(ArtifactsListResult::default());
    };
    let limit = params.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MOST);
    let (mut before_seq, mut skip) = cursor(params.cursor.as_deref())?;
    let mut artifacts = Vec::new();
    loop {
        let query = PageQuery { limit: PAGE, before_seq, offset: 0 };
        let page = cx.gateway.store().transcripts().page(&record.session_id, query).await?;
        let first = page.entries.first().map(|place| place.seq);
        for place in page.entries.into_iter().rev() {
            let found = of_message(&key, &place).into_iter().map(|(artifact, _)| artifact);
            let wanted = found.filter(|one| params.wanted.is_none_or(|wanted| wanted == one.kind));
            for (at, artifact) in wanted.enumerate().skip(std::mem::take(&mut skip)) {
                if artifacts.len() == limit {
                    let next_cursor = Some(format!("{}.{at}", place.seq + 1));
                    return Ok(ArtifactsListResult { artifacts, next_cursor });
                }
                artifacts.push(artifact);
            }
        }
        if !page.has_more || first.is_none() {
            return Ok(ArtifactsListResult { artifacts, next_cursor: None });
        }
        before_seq = first;
    }
}

/// `artifacts.download`.
pub(crate) async fn download(
    cx: Cx,
    params: ArtifactsDownloadParams,
) -> Result<ArtifactsDownloadResult, RequestError> {
    let about = params.run_id.as_ref().or(params.task_id.as_ref());
    let key = conversation(&cx.gateway, params.session_key.as_ref(), about, params.agent_id.as_ref()).await?;
    let id = params.artifact_id;
    let missing = || {
        let details = json!({"type": "artifact_not_found", "artifactId": id});
        RequestError::invalid("artifact not found").with_details(details)
    };
    let entry = id.rsplit_once('.').and_then(|(entry, _)| EntryId::parse(entry).ok()).ok_or_else(missing)?;
    let record = cx.gateway.store().sessions().get(&key).await?.ok_or_else(missing)?;
    let place = cx.gateway.store().transcripts().entry(&record.session_id, &entry).await?;
    let found = of_message(&key, &place.ok_or_else(missing)?).into_iter().find(|(one, _)| one.id == id);
    let (artifact, data) = found.ok_or_else(missing)?;
    Ok(ArtifactsDownloadResult { artifact, encoding: WorkspaceEncoding::Base64, data })
}

/// The conversation that is named, or that of a run.
async fn conversation(
    gateway: &Gateway,
    said: Option<&SessionRef>,
    run: Option<&RunId>,
    agent: Option<&AgentId>,
) -> Result<SessionKey, RequestError> {
    let refused = |kind: &str, words: &str| RequestError::invalid(words).with_details(json!({"type": kind}));
    match (said, run) {
        (Some(said), _) => session_key(gateway, said, agent),
        (None, Some(run)) => {
            let found = gateway.store().runs().get(run).await?;
            let none = || refused("artifact_scope_not_found", "no session found for artifact query");
            Ok(found.ok_or_else(none)?.session_key)
        }
        (None, None) => {
            let words = "artifacts require one of sessionKey, runId, or taskId";
            Err(refused("artifact_query_unsupported", words))
        }
    }
}

/// A cursor is the place before which to go on, and how many of the message there were told already.
fn cursor(text: Option<&str>) -> Result<(Option<i64>, usize), RequestError> {
    let Some(text) = text else { return Ok((None, 0)) };
    let parts = text.split_once('.').and_then(|(seq, skip)| Some((seq.parse().ok()?, skip.parse().ok()?)));
    let (seq, skip) = parts.ok_or_else(|| {
        RequestError::invalid("this cursor is not one of artifacts.list; begin without one")
            .with_details(json!({"type": "artifact_cursor_invalid"}))
    })?;
    Ok((Some(seq), skip))
}

/// The artifacts of one message in their order, each with its content in base64.
fn of_message(key: &SessionKey, place: &PageEntry) -> Vec<(Artifact, String)> {
    let EntryKind::Message { message } = &place.entry.kind else { return Vec::new() };
    let blocks = match message {
        Message::User(said) => match &said.content {
            UserContent::Blocks(blocks) => blocks.as_slice(),
            UserContent::Text(_) => &[],
        },
        Message::ToolResult(result) => result.content.as_slice(),
        Message::Assistant(_) | Message::Other(_) => &[],
    };
    let one = |(at, block): (usize, &UserBlock)| {
        let (kind, title, mime_type, data) = match block {
            UserBlock::Image { data, mime_type } => (ArtifactType::Image, "Image", mime_type, data),
            UserBlock::Document { data, mime_type, name } => {
                (ArtifactType::File, name.as_deref().unwrap_or("Document"), mime_type, data)
            }
            UserBlock::Text { .. } => return None,
        };
        let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
        let artifact = Artifact {
            id: format!("{}.{at}", place.entry.id),
            kind,
            title: title.to_owned(),
            mime_type: mime_type.clone(),
            size_bytes: (data.len() * 3 / 4).saturating_sub(padding) as u64,
            session_key: key.clone(),
            message_seq: place.seq,
            source: "session-transcript".to_owned(),
            download: ArtifactDownload { mode: "bytes".to_owned() },
        };
        Some((artifact, data.clone()))
    };
    blocks.iter().enumerate().filter_map(one).collect()
}
