//! From the owner's configuration to the layers of the tool policy, in the documented order: profile, provider's
//! profile, global, global for the provider, agent, agent for the provider, group and sender, sandbox, subagent,
//! owner.
//!
//! Every layer carries the place it is written at, because `homard tools explain` shows it.

use std::collections::BTreeMap;

use homard_channel::Sender;
use homard_config::Config;
use homard_config::config::agents::Agent;
use homard_config::config::tools::{ApplyPatch, ToolProfile, ToolRule};
use homard_protocol::{AccountId, ChannelId, SessionKey, SessionScope};
use homard_store::SessionEntry;
use homard_tools::{
    ADMIN_TOOLS, ALL_FILES, Caller, Layer, LayerName, OWNER_ALWAYS, OWNER_ONLY, Profile, SUBAGENT_LEAF_NEVER,
    SUBAGENT_NEVER, ToolPolicy, Unmatched, known_names,
};

use crate::intake::admit::Admitted;
use crate::sessions::access::is_read_by_others;
use crate::turn_setup::exec_rules::may_run_commands;
use crate::turn_setup::sandbox;

pub(super) mod groups;

/// Whose models know the format of the patch tool.
const PATCHING_PROVIDERS: [&str; 2] = ["openai", "openai-codex"];
/// What is shown as the place of lists nobody wrote.
const BUILT_IN: &str = "built in";

/// The conversation and the message a policy is made for.
#[derive(Debug, Clone, Copy)]
pub struct PolicySubject<'a> {
    pub key: &'a SessionKey,
    pub sender: &'a Sender,
    /// The platform they speak on.
    pub channel: &'a ChannelId,
    /// Which of our accounts heard it.
    pub account: Option<&'a AccountId>,
    /// The model that answers.
    pub model: ModelName<'a>,
    /// What the session itself decided.
    pub session: Option<&'a SessionEntry>,
    /// The conversation at the beginning of a chain of subagents; `None` where the session's own word is enough.
    pub works_for: Option<&'a SessionKey>,
    /// Whether the sender is the owner, as the rules of company judged.
    pub is_owner: bool,
    /// Whether the message only passes on what others than the owner said.
    pub passed_on: bool,
    /// Whether it came from a client that may write and not change settings.
    pub without_admin: bool,
}

/// A model by its provider's name and its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelName<'a> {
    pub provider: &'a str,
    pub model: &'a str,
}

impl<'a> PolicySubject<'a> {
    /// An operator speaks in a conversation on `channel`.
    pub(crate) fn of_operator(
        key: &'a SessionKey,
        channel: &'a ChannelId,
        session: Option<&'a SessionEntry>,
        model: ModelName<'a>,
    ) -> Self {
        Self {
            key,
            sender: &Sender::Operator,
            channel,
            account: None,
            model,
            session,
            works_for: None,
            is_owner: true,
            passed_on: false,
            without_admin: false,
        }
    }
}

/// Who asks for what a turn does, and what the owner gives them beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Requester {
    pub(crate) caller: Caller,
    /// Whether a guest has the files the owner has.
    pub(crate) has_all_files: bool,
}

/// Who asks in these circumstances.
pub(crate) fn asker(config: &Config, about: &PolicySubject<'_>) -> Requester {
    // Where others read the answer, they would have what the owner has.
    let is_read_by_others =
        is_read_by_others(about.key) || parent(about).as_ref().is_some_and(is_read_by_others);
    let caller = if is_owner(about) && !is_read_by_others { Caller::Owner } else { Caller::Guest };
    let has_all_files = groups::given(config, about).iter().any(|name| name == ALL_FILES);
    Requester { caller, has_all_files }
}

/// Which tools a turn of `agent` is offered.
#[must_use]
pub fn policy_for(config: &Config, agent: &Agent, about: &PolicySubject<'_>) -> ToolPolicy {
    let mut layers = Vec::with_capacity(LayerName::ALL.len());
    let own = AgentRule { rule: &agent.tools.rule, place: format!("agents.list[{}].tools", agent.id) };
    push_profiles(&mut layers, config, agent, &own, about.model);
    push_global(&mut layers, config, agent, about);
    layers.push(lists(LayerName::Agent, own.rule).at(own.place.clone()));
    if let Some((key, rule)) = by_provider(&agent.tools.by_provider, about.model) {
        layers.push(lists(LayerName::AgentProvider, rule).at(format!("{}.byProvider[{key}]", own.place)));
    }
    layers.extend(groups::layers(config, about));
    layers.extend(sandbox::layers(config, agent, about.key));
    push_subagent(&mut layers, config, about);
    if !is_owner(about) {
        let words = "only the owner may have this done; who that is on chat platforms is in commands.ownerAllowFrom, \
                     and tools.toolsBySender.<id>.alsoAllow can give it to somebody else";
        let given = groups::given(config, about);
        let is_given = |name: &&str| given.iter().any(|given| given == name) && !OWNER_ALWAYS.contains(name);
        let never: Vec<&str> = OWNER_ONLY.iter().copied().filter(|name| !is_given(name)).collect();
        layers.push(Layer::new(LayerName::Owner, &[], &never).at(BUILT_IN).remedy(words));
    }
    if about.without_admin {
        let words = "it changes settings, and the client that asks may not (operator.admin)";
        layers.push(Layer::new(LayerName::Owner, &[], ADMIN_TOOLS).at(BUILT_IN).remedy(words));
    }
    ToolPolicy::new(layers)
}

/// Whether two senders in one conversation have the same tools as far as that depends on who they are.
pub(crate) fn have_same_tools(config: &Config, one: &Admitted, other: &Admitted) -> bool {
    let layers = |admitted: &Admitted| {
        let message = admitted.message();
        groups::layers(
            config,
            &PolicySubject {
                key: admitted.session_key(),
                sender: &message.sender,
                channel: &message.channel,
                account: Some(&message.account),
                model: ModelName::default(),
                session: None,
                works_for: None,
                is_owner: admitted.standing().is_owner,
                passed_on: false,
                without_admin: false,
            },
        )
    };
    layers(one) == layers(other)
}

/// An agent's rule and where it is written.
struct AgentRule<'a> {
    rule: &'a ToolRule,
    place: String,
}

/// The profiles: an agent's replaces the global one, and so does what it is widened by.
fn push_profiles(
    layers: &mut Vec<Layer>,
    config: &Config,
    agent: &Agent,
    own: &AgentRule<'_>,
    model: ModelName<'_>,
) {
    let global = AgentRule { rule: &config.tools.rule, place: "tools".to_owned() };
    layers.extend(profile(LayerName::Profile, Some(own), Some(&global)));
    let of_agent = by_provider(&agent.tools.by_provider, model)
        .map(|(key, rule)| AgentRule { rule, place: format!("{}.byProvider[{key}]", own.place) });
    let of_all = by_provider(&config.tools.by_provider, model)
        .map(|(key, rule)| AgentRule { rule, place: format!("tools.byProvider[{key}]") });
    layers.extend(profile(LayerName::ProviderProfile, of_agent.as_ref(), of_all.as_ref()));
}

fn profile(name: LayerName, near: Option<&AgentRule<'_>>, far: Option<&AgentRule<'_>>) -> Option<Layer> {
    let said = |own: &&AgentRule<'_>| own.rule.profile.is_some();
    let chosen = near.filter(said).or(far.filter(said))?;
    let widens = |own: &&AgentRule<'_>| !own.rule.also_allow.is_empty();
    let also = near.filter(widens).or(far.filter(widens)).map(|own| own.rule.also_allow.as_slice());
    let profile = match chosen.rule.profile? {
        ToolProfile::Minimal => Profile::Minimal,
        ToolProfile::Coding => Profile::Coding,
        ToolProfile::Messaging => Profile::Messaging,
        ToolProfile::Full => Profile::Full,
    };
    let place = format!("{}.profile", chosen.place);
    Some(Layer::profile(name, profile, also.unwrap_or_default()).at(place))
}

/// What is said for everybody, and what the other settings of the tools come to.
fn push_global(layers: &mut Vec<Layer>, config: &Config, agent: &Agent, about: &PolicySubject<'_>) {
    layers.push(lists(LayerName::Global, &config.tools.rule).at("tools"));
    if !may_run_commands(&config.tools.exec, agent, about.session) {
        let words = "commands are restricted by tools.exec, by the agent's or by the session's exec settings";
        let layer = Layer::new(LayerName::Global, &[], &["exec", "process"]);
        layers.push(layer.at("tools.exec").remedy(words));
    }
    if !may_patch(&config.tools.exec.apply_patch, about.model) {
        let words = "set tools.exec.applyPatch.enabled, and use a model of OpenAI's that applyPatch.allowModels names";
        let layer = Layer::new(LayerName::Global, &[], &["apply_patch"]);
        layers.push(layer.at("tools.exec.applyPatch").remedy(words));
    }
    if let Some((key, rule)) = by_provider(&config.tools.by_provider, about.model) {
        layers.push(lists(LayerName::GlobalProvider, rule).at(format!("tools.byProvider[{key}]")));
    }
}

/// The rule for `provider/model`, else the one for the provider.
fn by_provider<'c>(
    rules: &'c BTreeMap<String, ToolRule>,
    ModelName { provider, model }: ModelName<'_>,
) -> Option<(&'c str, &'c ToolRule)> {
    if rules.is_empty() {
        return None;
    }
    let named = |name: &str| {
        let found = rules.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        found.map(|(key, rule)| (key.as_str(), rule))
    };
    named(&format!("{provider}/{model}")).or_else(|| named(provider))
}

/// Whether the patch tool is offered: only to the models that were taught its format.
fn may_patch(patch: &ApplyPatch, ModelName { provider, model }: ModelName<'_>) -> bool {
    let is_named = |name: &String| {
        let name = name.trim();
        let of_provider = name.split_once('/').filter(|(first, _)| first.eq_ignore_ascii_case(provider));
        name.eq_ignore_ascii_case(model)
            || of_provider.is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(model))
    };
    patch.enabled
        && PATCHING_PROVIDERS.contains(&provider)
        && (patch.allow_models.is_empty() || patch.allow_models.iter().any(is_named))
}

fn lists(name: LayerName, rule: &ToolRule) -> Layer {
    Layer::new(name, rule.allow.as_deref().unwrap_or_default(), &rule.deny)
}

/// What a subagent does not get.
fn push_subagent(layers: &mut Vec<Layer>, config: &Config, about: &PolicySubject<'_>) {
    let SessionKey::Agent { scope: SessionScope::Subagent(chain), .. } = about.key else { return };
    let nested = u32::try_from(chain.matches(":subagent:").count()).unwrap_or(u32::MAX);
    let depth = about.session.and_then(|entry| entry.spawn_depth).unwrap_or(1).max(nested.saturating_add(1));
    let leaf: &[&str] =
        if depth >= config.agents.defaults.subagents.max_depth { SUBAGENT_LEAF_NEVER } else { &[] };
    let never: Vec<&str> = SUBAGENT_NEVER.iter().chain(leaf).copied().collect();
    let words = "subagents do not get this; the agent that started them can use it for them";
    layers.push(Layer::new(LayerName::Subagent, &[], &never).at(BUILT_IN).remedy(words));
    layers.push(lists(LayerName::Subagent, &config.tools.subagents).at("tools.subagents.tools"));
}

/// Whether the owner speaks. What a hook brings, and what works for a chat with others, does not count as the
/// owner's wish, whoever passed it on.
fn is_owner(about: &PolicySubject<'_>) -> bool {
    if let SessionKey::Agent { scope, .. } = about.key {
        let works_for_others = match scope {
            SessionScope::Hook(_) => true,
            SessionScope::Subagent(_) => parent(about).is_some_and(|key| key.channel().is_some()),
            _ => false,
        };
        if works_for_others {
            return false;
        }
    }
    match about.sender {
        Sender::Operator => !about.passed_on,
        Sender::Peer { .. } => about.is_owner,
    }
}

/// The conversation a subagent works for.
fn parent(about: &PolicySubject<'_>) -> Option<SessionKey> {
    if let Some(key) = about.works_for {
        return Some(key.clone());
    }
    SessionKey::parse(about.session?.spawned_by.as_deref()?).ok()
}

/// Entries of the owner's lists that name no tool: misspelled, most likely.
pub(crate) fn misspelled<'n>(config: &Config, there: impl Iterator<Item = &'n str>) -> Vec<Unmatched> {
    let mut known: Vec<&str> = known_names().collect();
    known.extend(there);
    known.push(ALL_FILES);
    let mut layers = vec![
        lists(LayerName::Global, &config.tools.rule).at("tools"),
        also(&config.tools.rule).at("tools.profile"),
        lists(LayerName::Subagent, &config.tools.subagents).at("tools.subagents.tools"),
    ];
    let by = |rules: &BTreeMap<String, ToolRule>, place: &str| -> Vec<Layer> {
        let places = rules.iter().map(|(key, rule)| (rule, format!("{place}[{key}]")));
        places
            .flat_map(|(rule, place)| {
                [lists(LayerName::Global, rule).at(place.clone()), also(rule).at(format!("{place}.profile"))]
            })
            .collect()
    };
    layers.extend(by(&config.tools.by_provider, "tools.byProvider"));
    layers.extend(by(&config.tools.by_sender, "tools.toolsBySender"));
    for agent in &config.agents.list {
        let place = format!("agents.list[{}].tools", agent.id);
        layers.push(lists(LayerName::Agent, &agent.tools.rule).at(place.clone()));
        layers.push(also(&agent.tools.rule).at(format!("{place}.profile")));
        layers.extend(by(&agent.tools.by_provider, &format!("{place}.byProvider")));
    }
    ToolPolicy::new(layers).unmatched(&known)
}

fn also(rule: &ToolRule) -> Layer {
    Layer::new(LayerName::Profile, &rule.also_allow, &[])
}

#[cfg(test)]
mod tests;
