//! What a turn uses, decided once at its beginning from the owner's configuration and the session's own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_agent::PromptSettings;
use homard_config::Config;
use homard_config::config::agents::{Agent, ThinkingLevel as Configured};
use homard_config::config::tools::{Exec, ExecAsk, ExecSecurity, ToolProfile, ToolRule};
use homard_llm::{ModelError, Models, Resolved, ThinkingLevel};
use homard_protocol::ModelRef;
use homard_store::SessionEntry;
use homard_tools::{Layer, LayerName, Profile, ToolPolicy};
use jiff::tz::TimeZone;

/// What the assistant is called when the owner gave no name.
const DEFAULT_NAME: &str = "Homard";

/// What a turn uses.
#[derive(Debug, Clone)]
pub struct TurnSettings {
    /// The agent's folder.
    pub workspace: PathBuf,
    /// Who thinks.
    pub model: Resolved,
    /// How hard.
    pub thinking: ThinkingLevel,
    /// Which tools.
    pub policy: Arc<ToolPolicy>,
    /// How long it may take.
    pub timeout: Duration,
    /// The owner's time zone.
    pub zone: TimeZone,
    /// What goes into the prompt.
    pub prompt: PromptSettings,
}

/// Decides what a turn of `agent` in a session uses: the session's own choice before the agent's.
///
/// # Errors
/// When the chosen model cannot be used.
pub fn settings_for(
    config: &Config,
    models: &Models,
    agent: &Agent,
    session: Option<&SessionEntry>,
) -> Result<TurnSettings, ModelError> {
    let model = models.resolve(&chosen_model(models, agent, session))?;
    let thinking = session
        .and_then(|entry| entry.thinking_level.as_deref())
        .and_then(ThinkingLevel::parse)
        .or_else(|| agent.thinking.map(thinking_level))
        .unwrap_or(if model.model.reasoning { ThinkingLevel::Low } else { ThinkingLevel::Off });
    let defaults = &config.agents.defaults;
    let zone = time_zone(defaults.user_timezone.as_deref());
    let name = agent.identity.name.as_deref().or(agent.name.as_deref()).unwrap_or(DEFAULT_NAME);
    Ok(TurnSettings {
        workspace: agent.workspace.clone(),
        policy: Arc::new(policy(config, agent, &model, session)),
        thinking,
        timeout: defaults.timeout,
        prompt: PromptSettings {
            name: name.to_owned(),
            workspace: agent.workspace.clone(),
            timezone: zone.iana_name().unwrap_or("UTC").to_owned(),
            max_file_chars: defaults.bootstrap_max_chars,
            max_total_chars: defaults.bootstrap_total_max_chars,
        },
        zone,
        model,
    })
}

/// The session's model, else the agent's, else the first that is configured, else the demo.
pub(crate) fn chosen_model(models: &Models, agent: &Agent, session: Option<&SessionEntry>) -> ModelRef {
    let own = session.and_then(|entry| {
        let model = entry.model_override.as_deref()?;
        match entry.provider_override.as_deref() {
            Some(provider) => ModelRef::parse(&format!("{provider}/{model}")).ok(),
            None => ModelRef::parse(model).ok(),
        }
    });
    own.or_else(|| agent.model.primary.clone()).unwrap_or_else(|| {
        let demo = Models::demo();
        let first = models.list().find(|model| model.provider != demo.provider);
        first.map_or(demo, |model| ModelRef { provider: model.provider.clone(), model: model.id.clone() })
    })
}

/// The owner's time zone, or the machine's.
fn time_zone(name: Option<&str>) -> TimeZone {
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

/// The layers of the tool policy, in the documented order; later rooms add theirs.
fn policy(config: &Config, agent: &Agent, model: &Resolved, session: Option<&SessionEntry>) -> ToolPolicy {
    let provider = model.provider.id().as_str();
    let model = format!("{provider}/{}", model.model.id);
    let by_provider = config.tools.by_provider.get(&model).or_else(|| config.tools.by_provider.get(provider));
    let own = &agent.tools.rule;
    let mut layers = Vec::new();
    // An agent's profile replaces the global one.
    let profile_of = if own.profile.is_some() { own } else { &config.tools.rule };
    push_profile(&mut layers, LayerName::Profile, profile_of);
    push_lists(&mut layers, LayerName::Global, &config.tools.rule);
    if let Some(rule) = by_provider {
        push_profile(&mut layers, LayerName::ProviderProfile, rule);
        push_lists(&mut layers, LayerName::GlobalProvider, rule);
    }
    push_lists(&mut layers, LayerName::Agent, own);
    if !may_run_commands(&config.tools.exec, agent, session) {
        layers.push(Layer::new(LayerName::Global, &[], &["exec"]));
    }
    if agent.tools.workspace_only == Some(true) && !config.tools.fs.workspace_only {
        // File tools are kept in the workspace for all agents or for none; this one asked for it alone.
        layers.push(Layer::new(LayerName::Agent, &[], &["read", "write", "edit"]));
    }
    ToolPolicy::new(layers)
}

/// Whether commands run at all. An owner who restricted them gets none until approvals can be asked for: a
/// rule that cannot be kept is kept by refusing.
fn may_run_commands(exec: &Exec, agent: &Agent, session: Option<&SessionEntry>) -> bool {
    let owner = matches!(exec.security, None | Some(ExecSecurity::Full))
        && exec.ask != ExecAsk::Always
        && !exec.is_elsewhere()
        && !agent.tools.restricts_commands;
    let in_session = session.is_none_or(|entry| {
        entry.exec_security.as_deref().is_none_or(|security| security == "full")
            && entry.exec_ask.as_deref().is_none_or(|ask| ask != "always")
            && entry.exec_host.as_deref().is_none_or(|host| host == "gateway")
    });
    owner && in_session
}

fn push_profile(layers: &mut Vec<Layer>, name: LayerName, rule: &ToolRule) {
    let profile = match rule.profile {
        None => return,
        Some(ToolProfile::Minimal) => Profile::Minimal,
        Some(ToolProfile::Coding) => Profile::Coding,
        Some(ToolProfile::Messaging) => Profile::Messaging,
        Some(ToolProfile::Full) => Profile::Full,
    };
    layers.push(Layer::profile(name, profile, &rule.also_allow));
}

fn push_lists(layers: &mut Vec<Layer>, name: LayerName, rule: &ToolRule) {
    let allow = rule.allow.clone().unwrap_or_default();
    layers.push(Layer::new(name, &allow, &rule.deny));
}
