//! `tools.*`: which tools there are, which a conversation is offered, and why.

mod hooks;
pub(crate) mod invoke;
pub(crate) mod search_status;
pub(crate) mod skills;

use homard_protocol::methods::tools::hooks::HooksStatus;
use homard_protocol::methods::tools::invoke::ToolsInvoke;
use homard_protocol::methods::tools::search_status::WebSearchStatus;
use homard_protocol::methods::tools::skills::{SkillsBins, SkillsInstall, SkillsStatus, SkillsUpdate};
use homard_protocol::methods::tools::{
    ExplainedLayer, ExplainedTool, LayerWord, ToolGroupRow, ToolProfileRow, ToolRow, ToolsCatalog,
    ToolsCatalogParams, ToolsCatalogResult, ToolsEffective, ToolsEffectiveParams, ToolsEffectiveResult,
    ToolsExplain, ToolsExplainParams, ToolsExplainResult,
};
use homard_protocol::{PeerId, SessionKey};
use homard_relay::{PolicyQuestion, PolicyView};
use homard_runtime::{Arrange as _, Clip};
use homard_tools::{
    DecidedBy, GROUPS, Group, Layer, LayerName, LayerVerdict, Profile, ToolPolicy, ToolSpec, Unmatched,
    canonical_name, decision_of, known_names, near_names,
};

use super::session_key;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::{Cx, MethodTable};

/// Where our own tools come from.
const CORE: &str = "core";
/// The group of tools that belong to no other.
const OTHER: (&str, &str) = ("other", "Other");
/// Groups that only gather what others have.
const GATHERED: [&str; 2] = ["group:homard", "group:openclaw"];
/// Why a tool that may be used is not offered.
const TOO_SMALL: &str = "the model's context is small, so it is offered only the usual tools";
/// Most of a description that is shown, in characters.
const MAX_DESCRIPTION: usize = 200;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<HooksStatus, _, _>(hooks::status)
        .on::<SkillsBins, _, _>(skills::bins)
        .on::<SkillsInstall, _, _>(skills::install)
        .on::<SkillsStatus, _, _>(skills::status)
        .on::<SkillsUpdate, _, _>(skills::update)
        .on::<ToolsCatalog, _, _>(catalog)
        .on::<ToolsEffective, _, _>(effective)
        .on::<ToolsExplain, _, _>(explain)
        .on::<ToolsInvoke, _, _>(invoke::invoke)
        .on::<WebSearchStatus, _, _>(search_status::status)
}

/// `tools.catalog`.
pub(super) async fn catalog(cx: Cx, params: ToolsCatalogParams) -> Result<ToolsCatalogResult, RequestError> {
    let config = cx.gateway.config().current();
    let agent = params.agent_id.unwrap_or_else(|| config.agents.default_agent().id.clone());
    if config.agents.agent(&agent).is_none() {
        return Err(RequestError::invalid(format!("unknown agent id `{agent}`")));
    }
    let specs = cx.gateway.relay().setup().tools_there();
    let mut groups: Vec<ToolGroupRow> = Vec::new();
    for spec in specs.iter() {
        let (id, label) = group_of(&spec.name);
        let row =
            ToolRow { default_profiles: Some(profiles_with(&spec.name)), ..row(spec, spec.name.clone()) };
        match groups.iter_mut().find(|group| group.id == id) {
            Some(group) => group.tools.push(row),
            None => groups.push(group(id, label, vec![row])),
        }
    }
    groups.arrange_by(|a, b| (a.id == OTHER.0, &a.id).cmp(&(b.id == OTHER.0, &b.id)));
    let profile =
        |profile: Profile| ToolProfileRow { id: profile.id().into(), label: profile.label().into() };
    Ok(ToolsCatalogResult { agent_id: agent, profiles: Profile::ALL.map(profile).to_vec(), groups })
}

/// `tools.effective`.
pub(super) async fn effective(
    cx: Cx,
    params: ToolsEffectiveParams,
) -> Result<ToolsEffectiveResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let view = match view(gateway, &key, &PolicyQuestion::default()).await? {
        (_, false) => return Err(RequestError::invalid(format!("unknown session key `{key}`"))),
        (view, true) => view,
    };
    let specs = gateway.relay().setup().offered(&view);
    let row = |spec: &ToolSpec| ToolRow {
        raw_description: Some(spec.description.clone()),
        ..row(spec, title(&spec.name))
    };
    let tools = specs.iter().map(|spec| row(spec)).collect();
    let notices = Some(notices(gateway, &view)).filter(|notices| !notices.is_empty());
    Ok(ToolsEffectiveResult {
        agent_id: view.agent,
        profile: view.profile.to_owned(),
        groups: vec![group(CORE, "Built-in tools", tools)],
        notices,
    })
}

/// `tools.explain`.
pub(super) async fn explain(cx: Cx, params: ToolsExplainParams) -> Result<ToolsExplainResult, RequestError> {
    let gateway = &cx.gateway;
    let key = match &params.session_key {
        Some(key) => session_key(gateway, key, None)?,
        None => SessionKey::main(gateway.config().current().agents.default_agent().id.clone()),
    };
    let invalid = |wrong: String| RequestError::invalid(format!("invalid tools.explain params: {wrong}"));
    let sender = params.sender.as_deref().map(PeerId::parse).transpose();
    let sender = sender.map_err(|wrong| invalid(wrong.to_string()))?;
    let supposing = PolicyQuestion { sender, model: params.model };
    let (view, _) = view(gateway, &key, &supposing).await?;
    let there = names(gateway);
    let offered = gateway.relay().setup().offered(&view);
    let explained = |name: &str| {
        let told = explained(&view, name, &there);
        // A model with a small context is offered less than it may have.
        if !told.offered || offered.iter().any(|spec| spec.name == name) {
            return told;
        }
        let (decided_by, advice) = (TOO_SMALL.to_owned(), Some("choose a larger model".to_owned()));
        ExplainedTool { offered: false, decided_by, advice, ..told }
    };
    let tools = match params.name.as_deref().map(canonical_name) {
        Some(name) => vec![ExplainedTool { layers: layers(&view, &name), ..explained(&name) }],
        None => there.iter().map(|name| explained(name)).collect(),
    };
    Ok(ToolsExplainResult {
        session_key: key,
        agent_id: view.agent.clone(),
        model: view.model.to_string(),
        sender: params.sender,
        files: Some(view.files.to_owned()),
        tools,
        notices: notices(gateway, &view),
    })
}

/// A conversation's policy, and whether the conversation exists.
async fn view(
    gateway: &Gateway,
    key: &SessionKey,
    supposing: &PolicyQuestion,
) -> Result<(PolicyView, bool), RequestError> {
    let session = gateway.store().sessions().get(key).await?;
    let view = gateway.relay().setup().policy_view(key, session.as_ref(), supposing);
    Ok((view.map_err(|wrong| RequestError::invalid(wrong.to_string()))?, session.is_some()))
}

/// The names of all tools there are.
fn names(gateway: &Gateway) -> Vec<String> {
    let specs = gateway.relay().setup().tools_there();
    specs.iter().map(|spec| spec.name.clone()).collect()
}

/// Entries of the lists in play that name nothing, and what else does not hold.
fn notices(gateway: &Gateway, view: &PolicyView) -> Vec<String> {
    let there = names(gateway);
    let mut known: Vec<&str> = known_names().collect();
    known.extend(there.iter().map(String::as_str));
    let words = |Unmatched { place, pattern }: Unmatched| {
        let near = near_names(&pattern, known.iter().copied());
        let hint = near.first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        format!("{place} has `{pattern}`, which names no tool{hint}")
    };
    let misspelled = view.policy.unmatched(&known).into_iter().map(words);
    misspelled.chain(gateway.relay().setup().sandboxes_not_held()).collect()
}

fn explained(view: &PolicyView, name: &str, there: &[String]) -> ExplainedTool {
    let verdicts = view.policy.explain(name);
    let decision = decision_of(&verdicts);
    let exists = there.iter().any(|known| known == name);
    let is_known = exists || known_names().any(|known| known == name);
    let refusal = verdicts.iter().find(|verdict| verdict.by.refuses());
    let advice = match refusal {
        _ if !is_known => None,
        Some(verdict) => verdict.advice.clone(),
        None if !exists => {
            Some("there is no such tool in this gateway as it is set up: look at its own settings".to_owned())
        }
        None => None,
    };
    let decided_by = match refusal.and_then(|verdict| verdict.place.as_deref()) {
        // The entry that decided stands in the list of that place.
        Some(place) => match &decision.by {
            DecidedBy::Denied { pattern, .. } => format!("{place}: deny has `{pattern}`"),
            _ => format!("{place}: allow does not list it"),
        },
        None => decision.by.to_string(),
    };
    let similar = if is_known {
        Vec::new()
    } else {
        let mut known: Vec<&str> = known_names().collect();
        known.extend(there.iter().map(String::as_str));
        near_names(name, known.into_iter())
    };
    ExplainedTool {
        name: name.to_owned(),
        offered: decision.allowed && exists,
        allowed: decision.allowed,
        exists,
        decided_by,
        advice,
        similar,
        layers: Vec::new(),
    }
}

fn layers(view: &PolicyView, name: &str) -> Vec<ExplainedLayer> {
    let verdicts = view.policy.explain(name);
    let refusal = verdicts.iter().position(|verdict| verdict.by.refuses());
    let decides = refusal.or_else(|| verdicts.iter().rposition(|verdict| verdict.by != DecidedBy::Nothing));
    let told = |(at, verdict): (usize, LayerVerdict)| ExplainedLayer {
        layer: verdict.layer.id().to_owned(),
        verdict: match &verdict.by {
            DecidedBy::Denied { .. } => LayerWord::Denied,
            DecidedBy::NotListed { .. } => LayerWord::NotListed,
            DecidedBy::Listed { .. } => LayerWord::Allowed,
            DecidedBy::Nothing => LayerWord::Silent,
        },
        pattern: verdict.by.pattern().map(str::to_owned),
        place: verdict.place,
        allow: verdict.allow,
        deny: verdict.deny,
        advice: verdict.advice,
        decides: decides == Some(at),
    };
    verdicts.into_iter().enumerate().map(told).collect()
}

fn group_of(tool: &str) -> (&'static str, &'static str) {
    let holds = |group: &&Group| !GATHERED.contains(&group.name) && group.members.contains(&tool);
    let found = GROUPS.iter().find(holds);
    found.map_or(OTHER, |group| (group.name.trim_start_matches("group:"), group.label))
}

/// The profiles that have a tool; the one that has everything goes without saying.
fn profiles_with(tool: &str) -> Vec<String> {
    let allows = |profile: &Profile| {
        *profile != Profile::Full
            && ToolPolicy::new(vec![Layer::profile::<&str>(LayerName::Profile, *profile, &[])])
                .decide(tool)
                .allowed
    };
    Profile::ALL.into_iter().filter(allows).map(|profile| profile.id().to_owned()).collect()
}

fn group(id: &str, label: &str, tools: Vec<ToolRow>) -> ToolGroupRow {
    ToolGroupRow {
        id: id.to_owned(),
        label: label.to_owned(),
        source: CORE.to_owned(),
        plugin_id: None,
        tools,
    }
}

fn row(spec: &ToolSpec, label: String) -> ToolRow {
    ToolRow {
        id: spec.name.clone(),
        label,
        description: first_sentence(&spec.description),
        source: CORE.to_owned(),
        ..ToolRow::default()
    }
}

/// `apply_patch` as people read it.
fn title(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    });
    words.collect::<Vec<_>>().join(" ")
}

fn first_sentence(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = flat.find(". ").map_or(flat.len(), |at| at + 1);
    flat.get(..end).unwrap_or(&flat).clip_chars(MAX_DESCRIPTION).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, group_of, profiles_with, title};

    #[test]
    fn tools_are_named_and_grouped_for_people() {
        assert_eq!((title("apply_patch"), title("exec")), ("Apply Patch".to_owned(), "Exec".to_owned()));
        assert_eq!(group_of("web_fetch"), ("web", "Web"));
        assert_eq!(group_of("frobnicate"), ("other", "Other"));
        assert_eq!(profiles_with("read"), ["coding"]);
        assert_eq!(profiles_with("session_status"), ["minimal", "coding", "messaging"]);
        assert_eq!(first_sentence("Reads. Then more."), "Reads.");
        assert_eq!(first_sentence("only\n one"), "only one");
    }
}
