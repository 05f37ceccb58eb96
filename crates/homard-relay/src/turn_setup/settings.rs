//! What a turn uses, decided once at its beginning from the owner's configuration and the session's own.

use std::path::PathBuf;
use std::time::Duration;

use homard_agent::{CompactionSettings, PromptInput};
use homard_config::Config;
use homard_config::config::agents::{Agent, Stamps, ThinkingLevel as Configured};
use homard_llm::{ModelError, Resolved, ThinkingLevel};
use homard_models::failover::Pinned;
use homard_models::router::ModelRouter;
use homard_models::select::{
    Guard, LEAST_ROOM, SMALL_WINDOW, SelectError, context_guard, default_level, level_for, usable_context,
};
use homard_protocol::{ChoiceSource, ModelRef, Word};
use homard_store::SessionEntry;
use jiff::tz::TimeZone;

use crate::turn_setup::turn_prompt;
use crate::turns::request::TurnOptions;

/// A small context is divided by this for what is kept free for the answer.
const SMALL_RESERVE_SHARE: u32 = 4;

/// What a turn uses.
#[derive(Debug, Clone)]
pub struct TurnSettings {
    pub workspace: PathBuf,
    pub model: Resolved,
    /// Who may think instead, after the first.
    pub chain: Vec<Resolved>,
    /// The credential the conversation keeps to.
    pub pinned: Option<Pinned>,
    pub thinking: ThinkingLevel,
    /// How long it may take.
    pub timeout: Duration,
    /// In which zone the model is told when a message was sent; `None` when it is not told.
    pub stamps: Option<TimeZone>,
    /// What goes into the prompt.
    pub prompt: PromptInput,
    /// How the conversation is kept within the model's context.
    pub compaction: CompactionSettings,
}

/// Why a turn cannot have the model it wants.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The text names none.
    #[error(transparent)]
    NoName(#[from] SelectError),
    /// Nobody answers for it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The owner's list does not have it.
    #[error("the model {0} is not allowed here: add it to agents.defaults.models, or choose another")]
    NotAllowed(ModelRef),
    /// Its context is too small to work in.
    #[error(
        "the model {model} has room for {window} tokens, and this conversation needs {taken} for its prompt and tools and at least {LEAST_ROOM} for question and answer: choose a larger model, allow fewer tools, or set its contextWindow if that is wrong"
    )]
    TooSmall {
        model: ModelRef,
        window: u32,
        /// What prompt and tools take of it.
        taken: u32,
    },
}

/// Decides what a turn of `agent` in a session uses: what this one message asks for before the session's own
/// choice, and that before the agent's.
///
/// # Errors
/// When the chosen model cannot be used.
pub fn settings_for(
    config: &Config,
    router: &ModelRouter,
    agent: &Agent,
    session: Option<&SessionEntry>,
    asked: Option<&str>,
) -> Result<TurnSettings, Unusable> {
    let (wanted, by_user) = match asked {
        Some(text) => {
            let wanted = router.selector().parse(text)?;
            if !router.selector().allows(&wanted.model) {
                return Err(Unusable::NotAllowed(wanted.model));
            }
            (wanted.model, wanted.profile)
        }
        None => (chosen_model(router, agent, session), None),
    };
    let chain = router.chain(agent, &wanted)?;
    let Some(model) = chain.first().cloned() else {
        return Err(Unusable::TooSmall { model: wanted, window: 0, taken: 0 });
    };
    let thinking = session
        .and_then(|entry| entry.thinking_level.as_ref())
        .and_then(|level| level.read(ThinkingLevel::parse))
        .or_else(|| agent.thinking.map(thinking_level))
        .map_or_else(|| default_level(&model.model), |asked| level_for(&model.model, asked));
    let pinned = by_user.map(|id| Pinned { id, by_user: true }).or_else(|| session.and_then(pinned));
    let defaults = &config.agents.defaults;
    let zone = time_zone(defaults.user_timezone.as_deref());
    Ok(TurnSettings {
        workspace: agent.workspace.clone(),
        thinking,
        timeout: defaults.timeout,
        compaction: compaction(config, &model),
        prompt: turn_prompt::prompt_input(config, agent, &model, &zone),
        stamps: match &defaults.stamps {
            Stamps::Off => None,
            Stamps::Owner => Some(zone),
            Stamps::Machine => Some(TimeZone::system()),
            Stamps::Zone(name) => Some(TimeZone::get(name).unwrap_or(TimeZone::UTC)),
        },
        chain,
        pinned,
        model,
    })
}

impl TurnSettings {
    /// Takes over what is wanted of this turn alone.
    pub(crate) fn heed(&mut self, wanted: &TurnOptions) {
        let thinking = wanted.settings.thinking.as_ref();
        if let Some(level) = thinking.and_then(|level| level.read(ThinkingLevel::parse)) {
            self.thinking = level_for(&self.model.model, level);
        }
        if let Some(mode) = wanted.settings.prompt_mode.as_ref().and_then(Word::known) {
            self.prompt.mode = mode;
        }
    }

    /// Whether prompt and tools of so many tokens leave room to work in; fallbacks they leave none in are dropped.
    ///
    /// # Errors
    /// When the model itself is too small for them.
    pub(crate) fn make_room(&mut self, config: &Config, taken: u64) -> Result<(), Unusable> {
        let taken = u32::try_from(taken).unwrap_or(u32::MAX);
        let window = self.compaction.window;
        let model =
            || ModelRef { provider: self.model.model.provider.clone(), model: self.model.model.id.clone() };
        match context_guard(window, taken) {
            Guard::Ok => {}
            Guard::Warn => tracing::debug!(model = %model(), window, taken, "the model's context is small"),
            Guard::Block => return Err(Unusable::TooSmall { model: model(), window, taken }),
        }
        let fits =
            |next: &Resolved| context_guard(usable_context(&next.model, config), taken) != Guard::Block;
        self.chain.retain(fits);
        Ok(())
    }
}

/// How long conversations are kept within the model's context.
fn compaction(config: &Config, model: &Resolved) -> CompactionSettings {
    let configured = &config.agents.defaults.compaction;
    let window = usable_context(&model.model, config);
    let reserve = match window < SMALL_WINDOW {
        true => configured.reserve_tokens.min(u64::from(window / SMALL_RESERVE_SHARE)),
        false => configured.reserve_tokens,
    };
    CompactionSettings {
        ahead: configured.enabled,
        in_pieces: configured.in_pieces,
        window,
        reserve,
        keep_recent: configured.keep_recent_tokens,
        history_percent: configured.max_history_percent,
        timeout: configured.timeout,
    }
}

/// The session's model if the owner still allows it, else the agent's, else the first there is.
pub(crate) fn chosen_model(router: &ModelRouter, agent: &Agent, session: Option<&SessionEntry>) -> ModelRef {
    let own = session.and_then(|entry| {
        let model = entry.model_override.as_deref()?;
        let text = match entry.provider_override.as_deref() {
            Some(provider) => format!("{provider}/{model}"),
            None => model.to_owned(),
        };
        router.selector().parse(&text).ok().map(|wanted| wanted.model)
    });
    let own = own.filter(|model| router.selector().allows(model));
    let agents = || agent.model.primary.as_ref().map(|model| router.selector().normal(model));
    own.or_else(agents).unwrap_or_else(|| router.first_choice().clone())
}

/// The credential a conversation keeps to: a person's choice always, our own until the conversation was
/// compacted, because with the old prompt the provider's cache is gone too.
fn pinned(entry: &SessionEntry) -> Option<Pinned> {
    let id = entry.auth_profile_override.clone()?;
    let by_user = entry.auth_profile_override_source == Some(ChoiceSource::User.into());
    let compactions = |count: Option<u64>| count.unwrap_or(0);
    let same =
        compactions(entry.auth_profile_override_compaction_count) == compactions(entry.compaction_count);
    (by_user || same).then_some(Pinned { id, by_user })
}

/// The owner's time zone, or the machine's.
#[must_use]
pub fn time_zone(name: Option<&str>) -> TimeZone {
    match name {
        Some(name) => TimeZone::get(name).unwrap_or_else(|error| {
            tracing::warn!(%error, "agents.defaults.userTimezone is not a known time zone, using UTC");
            TimeZone::UTC
        }),
        None => TimeZone::system(),
    }
}

fn thinking_level(configured: Configured) -> ThinkingLevel {
    match configured {
        Configured::Off => ThinkingLevel::Off,
        Configured::Minimal => ThinkingLevel::Minimal,
        Configured::Low | Configured::Adaptive => ThinkingLevel::Low,
        Configured::Medium => ThinkingLevel::Medium,
        Configured::High => ThinkingLevel::High,
        Configured::Xhigh | Configured::Max | Configured::Ultra => ThinkingLevel::XHigh,
    }
}
