//! `sessions.fork`, `.rewind` and `.branches.*`.

use homard_protocol::events::SessionChange;
use homard_protocol::methods::sessions::branches::{
    AtEntryParams, BranchRow, BranchesListResult, BranchesSwitchParams, BranchesSwitchResult,
    EditorAttachment, SessionsForkResult, SessionsRewindResult,
};
use homard_protocol::methods::system::conversation_stubs::InSessionParams;
use homard_protocol::session_words::{Thoughts, Verbosity};
use homard_protocol::{
    ChoiceSource, EntryKind, Message, QueueMode, SessionKey, ThinkingLevel, UserBlock, UserContent, Word,
};
use homard_store::{Branch, SessionEntry, SessionRecord, Turning};
use uuid::Uuid;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::session_key;
use crate::table::Cx;

/// Who is said to have made a session here.
const CREATED_VIA: &str = "fork";

/// `sessions.fork`.
pub(crate) async fn fork(cx: Cx, params: AtEntryParams) -> Result<SessionsForkResult, RequestError> {
    let gateway = &cx.gateway;
    let (record, place) = place(gateway, &params).await?;
    let name = format!("dashboard:{}", Uuid::new_v4()).into();
    let key = session_key(gateway, &name, Some(&record.agent_id))?;
    let settings = Settings::of(&record);
    let made = gateway
        .store()
        .transcripts()
        .copy(&record.session_id, &place.turning, &key, |entry| settings.apply(entry))
        .await?;
    gateway.relay().sessions().announce_change(&made, SessionChange::Create);
    Ok(SessionsForkResult {
        session_key: key,
        editor_text: place.text,
        editor_attachments: place.attachments,
    })
}

/// `sessions.rewind`.
pub(crate) async fn rewind(cx: Cx, params: AtEntryParams) -> Result<SessionsRewindResult, RequestError> {
    let (record, place) = place(&cx.gateway, &params).await?;
    turn(&cx.gateway, &record, &place.turning).await?;
    Ok(SessionsRewindResult { editor_text: place.text, editor_attachments: place.attachments })
}

/// `sessions.branches.list`.
pub(crate) async fn list(cx: Cx, params: InSessionParams) -> Result<BranchesListResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let Some(record) = gateway.store().sessions().get(&key).await? else {
        return Ok(BranchesListResult::default());
    };
    let branches = gateway.store().transcripts().branches(&record.session_id).await?;
    Ok(BranchesListResult { branches: branches.into_iter().map(row).collect() })
}

/// `sessions.branches.switch`.
pub(crate) async fn switch(
    cx: Cx,
    params: BranchesSwitchParams,
) -> Result<BranchesSwitchResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let record = known(gateway, &key).await?;
    turn(gateway, &record, &Turning::After(params.leaf_entry_id)).await?;
    Ok(BranchesSwitchResult {})
}

/// A place in a conversation, and the question that stands there.
struct Place {
    turning: Turning,
    text: Option<String>,
    attachments: Option<Vec<EditorAttachment>>,
}

async fn known(gateway: &Gateway, key: &SessionKey) -> Result<SessionRecord, RequestError> {
    let record = gateway.store().sessions().get(key).await?;
    record.ok_or_else(|| RequestError::invalid(format!("unknown session: {key}")))
}

async fn place(gateway: &Gateway, params: &AtEntryParams) -> Result<(SessionRecord, Place), RequestError> {
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let id = params.entry_id.clone();
    let record = known(gateway, &key).await?;
    let found = gateway.store().transcripts().entry(&record.session_id, &id).await?;
    let Some(found) = found else {
        return Err(RequestError::invalid(format!("no entry of the conversation has the id `{id}`")));
    };
    let EntryKind::Message { message: Message::User(question) } = found.entry.kind else {
        return Ok((record, Place { turning: Turning::After(id), text: None, attachments: None }));
    };
    let blocks = match question.content {
        UserContent::Text(text) => vec![UserBlock::Text { text }],
        UserContent::Blocks(blocks) => blocks,
    };
    let mut texts = Vec::new();
    let mut files = Vec::new();
    for block in blocks {
        match block {
            UserBlock::Text { text } => texts.push(homard_policy::envelope::shown(&text)),
            UserBlock::Image { data, mime_type } => {
                files.push(EditorAttachment { mime_type, data, file_name: None });
            }
            UserBlock::Document { data, mime_type, name } => {
                files.push(EditorAttachment { mime_type, data, file_name: name });
            }
        }
    }
    let attachments = (!files.is_empty()).then_some(files);
    Ok((record, Place { turning: Turning::Before(id), text: Some(texts.join("\n\n")), attachments }))
}

/// Lets a conversation go on elsewhere, unless somebody is speaking in it.
async fn turn(gateway: &Gateway, record: &SessionRecord, to: &Turning) -> Result<(), RequestError> {
    if !gateway.relay().turns().active_ids(&record.key).is_empty() {
        return Err(RequestError::invalid(
            "a run is under way in this session: stop it, or wait for its end",
        ));
    }
    let turned = gateway.store().transcripts().turn_back(&record.session_id, to).await?;
    if let Some(record) = turned {
        gateway.relay().sessions().announce_change(&record, SessionChange::Rewind);
    }
    Ok(())
}

/// What a copy takes over from the conversation it was made of. Rights that were given to that one are not.
struct Settings {
    model: Option<String>,
    provider: Option<String>,
    source: Option<Word<ChoiceSource>>,
    thinking: Option<Word<ThinkingLevel>>,
    verbose: Option<Word<Verbosity>>,
    reasoning: Option<Word<Thoughts>>,
    queue: Option<Word<QueueMode>>,
    parent: String,
}

impl Settings {
    fn of(record: &SessionRecord) -> Self {
        let entry = &record.entry;
        Self {
            model: entry.model_override.clone(),
            provider: entry.provider_override.clone(),
            source: entry.model_override_source.clone(),
            thinking: entry.thinking_level.clone(),
            verbose: entry.verbose_level.clone(),
            reasoning: entry.reasoning_level.clone(),
            queue: entry.queue_mode.clone(),
            parent: record.key.to_string(),
        }
    }

    fn apply(self, entry: &mut SessionEntry) {
        entry.model_override = self.model;
        entry.provider_override = self.provider;
        entry.model_override_source = self.source;
        entry.thinking_level = self.thinking;
        entry.verbose_level = self.verbose;
        entry.reasoning_level = self.reasoning;
        entry.queue_mode = self.queue;
        entry.parent_session_key = Some(self.parent);
        entry.created_via = Some(CREATED_VIA.to_owned());
    }
}

fn row(branch: Branch) -> BranchRow {
    BranchRow {
        leaf_entry_id: branch.leaf.to_string(),
        headline: branch.headline,
        message_count: branch.messages,
        updated_at: branch.updated_at,
        active: branch.active,
        first_entry_id: branch.first_own.map(|id| id.to_string()),
        instead_entry_id: branch.instead.map(|id| id.to_string()),
    }
}
