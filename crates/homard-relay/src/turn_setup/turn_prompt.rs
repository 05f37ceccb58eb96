//! What a turn's model is told first: the prompt's input from configuration and session, the prompt itself, the
//! pictures a person speaks of, and the report of where the tokens go.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_agent::{
    Audience, FileRules, History, PictureRules, PromptError, PromptInput, Surroundings, SystemPrompt,
    mentioned_pictures, read_pictures,
};
use homard_channel::{Conversation, Inbound, Sender};
use homard_config::Config;
use homard_config::config::agents::{Agent, Stamps};
use homard_llm::Resolved;
use homard_policy::accounts::ChannelAccounts;
use homard_policy::envelope::group_intro;
use homard_protocol::prompt_report::{PromptReport, PromptSource};
use homard_protocol::{ChannelId, SessionKey};
use homard_runtime::off_thread;
use homard_skills::Snapshot;
use homard_store::{SessionKind, StoreError};
use homard_tools::{Caller, Label, ToldTo, ToolPolicy, ToolSpec};
use jiff::tz::TimeZone;

use crate::message_actions::route::of_key;
use crate::parts::TurnSetup;
use crate::sessions::access::is_read_by_others;
use crate::turn_setup::history_limit::history_limit;
use crate::turn_setup::policy_layers::{ModelName, PolicySubject, asker, groups, policy_for};
use crate::turn_setup::resident::Resident;
use crate::turn_setup::sandbox;
use crate::turn_setup::settings::{TurnSettings, Unusable, settings_for};
use crate::turn_setup::small_window;

/// What the assistant is called when the owner gave no name.
const DEFAULT_NAME: &str = "Homard";
/// Where programs put pictures that are not to be kept.
const TEMPORARY: &str = "/tmp";

/// What the owner's configuration says about an agent's prompt.
pub(crate) fn prompt_input(config: &Config, agent: &Agent, model: &Resolved, zone: &TimeZone) -> PromptInput {
    let defaults = &config.agents.defaults;
    let name = agent.identity.name.as_deref().or(agent.name.as_deref()).unwrap_or(DEFAULT_NAME);
    let short_names = defaults.models.iter().filter_map(|(model, entry)| {
        let alias = entry.alias.as_ref()?;
        Some((alias.clone(), model.to_string()))
    });
    PromptInput {
        name: name.to_owned(),
        files: FileRules {
            workspace: agent.workspace.clone(),
            max_file_chars: defaults.bootstrap_max_chars,
            max_total_chars: defaults.bootstrap_total_max_chars,
            skip_templates: defaults.skip_bootstrap,
        },
        surroundings: Surroundings {
            model: format!("{}/{}", model.provider.id(), model.model.id),
            timezone: zone.iana_name().unwrap_or("UTC").to_owned(),
            is_unstamped: defaults.stamps == Stamps::Off,
            aliases: short_names.collect(),
            folder: None,
        },
        ..PromptInput::default()
    }
}

/// Fits the prompt to the conversation it is for; `about` is how its own people speak in it, `offering` what it is
/// offered.
pub(crate) fn fit(
    settings: &mut TurnSettings,
    config: &Config,
    about: &PolicySubject<'_>,
    offering: &ToolPolicy,
    skills: &Snapshot,
) {
    let (prompt, key) = (&mut settings.prompt, about.key);
    let is_subagent = SessionKind::of(key) == SessionKind::Subagent;
    // Skills are read before they are used; who works for another was given its task.
    prompt.skills = skills.prompt.clone().filter(|_| !is_subagent && offering.decide("read").allowed);
    prompt.mode = prompt.mode.min(Audience::of(key).prompt_mode());
    prompt.audience = match (Audience::of(key), asker(config, about).caller) {
        // What is remembered of the owner is not for others, alone or in a group.
        (Audience::Owner, Caller::Guest) => Audience::Group,
        (audience, _) => audience,
    };
    prompt.group = group(config, about);
    let is_apart = settings.workspace != prompt.files.workspace;
    prompt.surroundings.folder = is_apart.then(|| settings.workspace.clone());
    small_window::fit_prompt(prompt, settings.compaction.window);
}

/// Who hears what comes of what the model is told first, themselves or by who works for them; `about` is how the
/// conversation's own people speak in it.
pub(crate) fn told_to(settings: &TurnSettings, config: &Config, about: &PolicySubject<'_>) -> ToldTo {
    match (settings.prompt.audience, asker(config, about).caller) {
        (Audience::Group, _) | (_, Caller::Guest) => ToldTo::Others,
        (Audience::Owner | Audience::Worker, Caller::Owner) => ToldTo::Owner,
    }
}

/// What is told in a group's own conversation: how to behave there, and what the owner wrote about it.
fn group(config: &Config, about: &PolicySubject<'_>) -> Option<String> {
    let address = of_key(about.key, config).filter(|_| is_read_by_others(about.key))?;
    let accounts = config.view::<ChannelAccounts>();
    let account = accounts.get(&address.channel, &groups::account(&accounts, &address.channel, about));
    let intro = group_intro(address.channel.as_str());
    let conversation = Conversation::Group { id: address.to, thread: address.thread };
    let place = account.rules.groups.place(&conversation, None);
    let words = std::iter::once(intro.as_str()).chain(place.system_prompt);
    Some(words.collect::<Vec<_>>().join("\n\n"))
}

/// The prompt: kept, or made off the reactor.
pub(crate) async fn system_prompt(
    setup: &TurnSetup,
    input: &PromptInput,
    specs: &Arc<[Arc<ToolSpec>]>,
) -> Result<SystemPrompt, ContextError> {
    let prompt = Arc::clone(setup.prompt());
    if let Some(kept) = prompt.fresh(input, specs) {
        return Ok(kept);
    }
    let (input, specs) = (input.clone(), Arc::clone(specs));
    let made = off_thread(move || prompt.build(&input, &specs)).await;
    Ok(made.map_err(|_stopped| ContextError::Stopped)??)
}

/// Where pictures of a conversation may be shown from.
pub(crate) fn picture_rules(
    config: &Config,
    home: &Path,
    agent: &Agent,
    settings: &TurnSettings,
    key: &SessionKey,
) -> PictureRules {
    let stays_inside = config.tools.fs.workspace_only
        || agent.tools.workspace_only == Some(true)
        || sandbox::of(agent, key).is_some();
    let roots = if stays_inside { Vec::new() } else { vec![home.to_owned(), PathBuf::from(TEMPORARY)] };
    PictureRules { workspace: settings.workspace.clone(), home: home.to_owned(), roots }
}

/// Shows a model that can see the pictures an operator speaks of. Words of others (`labels`) open no files: not what a
/// hook passes on, nor what a client says that may not change settings.
pub(crate) async fn show_pictures(
    rules: PictureRules,
    model: &Resolved,
    message: &Inbound,
    labels: &[Label],
    told: &mut History,
) {
    if message.sender != Sender::Operator || !labels.is_empty() || !model.model.sees_images() {
        return;
    }
    let mentioned: Vec<String> = mentioned_pictures(&message.text).into_iter().map(str::to_owned).collect();
    if mentioned.is_empty() {
        return;
    }
    let read = off_thread(move || read_pictures(&mentioned, &rules)).await;
    match read {
        Ok(pictures) if !pictures.is_empty() => told.show(pictures),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "pictures that were spoken of could not be read"),
    }
}

/// Where the tokens of a conversation's next request go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextReport {
    /// Prompt, files, skills and tools.
    pub prompt: PromptReport,
    /// How many messages the model is told.
    pub messages: usize,
    /// How many tokens these are guessed to be.
    pub message_tokens: u64,
    /// The context that may be used, in tokens.
    pub window: u32,
}

impl fmt::Display for ContextReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prompt = &self.prompt;
        writeln!(f, "Prompt: {} characters ({})", prompt.system_prompt.chars, prompt.mode)?;
        for section in &prompt.sections {
            writeln!(f, "- {}: {}", section.name, section.chars)?;
        }
        for file in prompt.injected_workspace_files.iter().filter(|file| !file.missing) {
            let cut = if file.truncated { format!(" of {}", file.raw_chars) } else { String::new() };
            writeln!(f, "- {}: {}{cut}", file.name, file.injected_chars)?;
        }
        writeln!(f, "Skills: {}, {} characters", prompt.skills.count, prompt.skills.prompt_chars)?;
        let tools = &prompt.tools;
        writeln!(f, "Tools: {}, {} characters", tools.entries.len(), tools.list_chars + tools.schema_chars)?;
        write!(f, "Messages: {}, about {} of {} tokens", self.messages, self.message_tokens, self.window)
    }
}

/// Why there is no report, or no prompt.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// Nobody answers in this conversation.
    #[error("agent `{0}` is not configured any more")]
    NoAgent(String),
    /// There is no model to tell anything.
    #[error(transparent)]
    Model(#[from] Unusable),
    /// The workspace cannot be used.
    #[error("{error}: {}", error.source)]
    Prompt {
        #[from]
        error: PromptError,
    },
    /// The transcript cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The gateway is going down.
    #[error("stopped before the prompt was made")]
    Stopped,
}

impl TurnSetup {
    /// What the next turn of a conversation would be told, measured. Nothing is sent and nothing is kept.
    ///
    /// # Errors
    /// When the agent, its model, its workspace or the transcript cannot be used.
    pub fn context_report<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<ContextReport, ContextError>> {
        async move {
            let inner = self.inner();
            let config = inner.config();
            let agent = match key.agent_id() {
                Some(id) => config.agents.agent(id).ok_or_else(|| ContextError::NoAgent(id.to_string()))?,
                None => config.agents.default_agent(),
            };
            let session = inner.store().sessions().get(key).await?;
            let entry = session.as_ref().map(|record| &record.entry);
            let rooms = inner.reloadable();
            let mut settings = settings_for(&config, &rooms.router, agent, entry, None)?;
            let model = &settings.model;
            let (provider, model) = (model.provider.id().to_string(), model.model.id.to_string());
            let model = ModelName { provider: &provider, model: &model };
            let operator = ChannelId::operator();
            let about = PolicySubject::of_operator(key, &operator, entry, model);
            let resident = Resident::of(inner, &about);
            let about = resident.speaking(&about);
            let offering = policy_for(&config, agent, &about);
            let skills = self.skills().for_turn(&config, agent).await;
            settings.workspace = sandbox::folder(agent, key);
            fit(&mut settings, &config, &about, &offering, &skills);
            let offer = self.offer(&offering, settings.compaction.window);
            let system = system_prompt(self, &settings.prompt, &offer.described).await?;
            let (messages, message_tokens) = match session {
                Some(record) => {
                    let context = inner.store().transcripts().context(&record.session_id).await?;
                    let mut told = History::new(record.session_id, context, settings.stamps);
                    told.limit_turns(history_limit(&config, key));
                    told.size()
                }
                None => (0, 0),
            };
            let prompt =
                PromptReport { source: PromptSource::Estimate, ..PromptReport::clone(&system.report) };
            Ok(ContextReport { prompt, messages, message_tokens, window: settings.compaction.window })
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homard_agent::{History, PictureRules};
    use homard_channel::Inbound;
    use homard_llm::{InputKind, ModelSpec, Resolved};
    use homard_protocol::{
        AgentId, Message, ModelId, ProviderId, SessionId, SessionKey, UserContent, UserMessage,
    };
    use homard_store::Context;
    use homard_tools::{Label, Source};
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::show_pictures;
    use crate::fixture::World;

    #[tokio::test]
    async fn pictures_are_opened_for_nobody_elses_words() {
        let world = World::new(json!({}));
        let workspace = world.dir.path().join("workspace");
        std::fs::write(workspace.join("cat.png"), b"\x89PNG\r\n\x1a\n").unwrap();
        let (provider, name) = (ProviderId::parse("test").unwrap(), ModelId::parse("seer").unwrap());
        let mut model = ModelSpec::new(provider, name, "openai-responses");
        model.input = vec![InputKind::Text, InputKind::Image];
        let model = Resolved { provider: Arc::clone(&world.talker) as _, model: Arc::new(model) };
        let text = "look at cat.png".to_owned();
        let message =
            Inbound::from_operator(SessionKey::main(AgentId::main()), "m".to_owned(), text.clone(), 1);
        for (labels, is_shown) in [(vec![], true), (vec![Label::new(Source::Hook, "bell")], false)] {
            let mut told = History::new(SessionId::parse("s").unwrap(), Context::default(), TimeZone::UTC);
            let (content, idempotency_key) = (UserContent::Text(text.clone()), None);
            told.record(Message::User(UserMessage { content, timestamp: 1, idempotency_key }), 1);
            let rules = PictureRules { workspace: workspace.clone(), ..PictureRules::default() };
            show_pictures(rules, &model, &message, &labels, &mut told).await;
            let told = format!("{:?}", told.messages());
            assert_eq!(told.contains("image/png"), is_shown, "{labels:?}: {told}");
        }
    }
}
