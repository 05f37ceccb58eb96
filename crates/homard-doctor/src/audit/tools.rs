//! What the assistant may do unasked.

use homard_config::Config;
use homard_config::config::tools::{ExecAsk, ExecSecurity, TaintMode, ToolProfile, ToolRule};

use crate::finding::Finding;
use crate::scene::Scene;

/// What stands for every tool that runs commands.
const COMMANDS: [&str; 3] = ["exec", "group:runtime", "*"];

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let tools = &settings.tools;
    let mut found = Vec::new();
    match tools.taint.mode {
        TaintMode::Off => found.push(
            Finding::error(
                "tools.taint_off",
                "nothing is asked while text of others is in play: a web page can give orders",
            )
            .fix("homard config unset tools.taint.mode"),
        ),
        TaintMode::Ask | TaintMode::Deny if !tools.taint.allow.is_empty() => {
            let words = format!("these run unasked on others' words: {}", tools.taint.allow.join(", "));
            let finding = if names_commands(&tools.taint.allow) { Finding::error } else { Finding::warn };
            found.push(finding("tools.taint_allow", words).fix("homard config unset tools.taint.allow"));
        }
        TaintMode::Ask | TaintMode::Deny => {}
    }
    let unbounded = tools.exec.security == Some(ExecSecurity::Full) && tools.exec.ask == Some(ExecAsk::Off);
    if unbounded && runs_commands(&settings) {
        let words = "any command runs without a question in your own conversations";
        found.push(
            Finding::info("tools.exec.unrestricted", words)
                .fix("homard config set tools.exec.security allowlist"),
        );
    }
    if tools.exec.hide_records == Some(false) {
        let words = "commands can read the gateway's records: settings, logins, conversations";
        found.push(
            Finding::warn("tools.exec.records_visible", words)
                .fix("homard config unset tools.exec.hideRecords"),
        );
    }
    found.extend(overridden(&settings));
    let gifts = tools.by_sender.iter().filter(|(who, rule)| who.trim() == "*" && !rule.also_allow.is_empty());
    found.extend(gifts.map(|(_, rule)| {
        let words = format!("everybody who may write has {}", rule.also_allow.join(", "));
        let finding = if names_commands(&rule.also_allow) { Finding::error } else { Finding::warn };
        finding("tools.by_sender.wildcard", words).fix("homard config unset 'tools.toolsBySender[\"*\"]'")
    }));
    if settings.commands.bash {
        let words = "`commands.bash` is on: whoever may use commands in chats runs programs on this machine with /bash";
        found.push(Finding::warn("tools.chat_bash", words).fix("homard config unset commands.bash"));
    }
    found.extend(elevated(scene));
    found
}

fn names_commands(list: &[String]) -> bool {
    list.iter().any(|name| COMMANDS.contains(&name.as_str()))
}

/// Whether commands run at all.
pub(super) fn runs_commands(settings: &Config) -> bool {
    let rule = &settings.tools.rule;
    let refused = names_commands(&rule.deny);
    let offered = match (&rule.allow, rule.profile) {
        (Some(list), _) => names_commands(list),
        (None, Some(ToolProfile::Minimal | ToolProfile::Messaging)) => names_commands(&rule.also_allow),
        (None, _) => true,
    };
    offered && !refused
}

/// An agent with more than the narrow profile everybody has.
fn overridden(settings: &Config) -> Vec<Finding> {
    if settings.tools.rule.profile != Some(ToolProfile::Minimal) {
        return Vec::new();
    }
    let widens = |rule: &ToolRule| rule.profile.is_some_and(|profile| profile != ToolProfile::Minimal);
    let wider: Vec<&str> = settings
        .agents
        .list
        .iter()
        .filter(|agent| widens(&agent.tools.rule))
        .map(|agent| agent.id.as_str())
        .collect();
    if wider.is_empty() {
        return Vec::new();
    }
    let words = format!("`tools.profile` is minimal and these agents have more: {}", wider.join(", "));
    vec![Finding::warn("tools.profile_minimal_overridden", words)]
}

/// Lists of who may leave the sandbox, which do nothing here and everything where they were written for.
fn elevated(scene: &Scene<'_>) -> Vec<Finding> {
    let lists =
        scene.snapshot.resolved.pointer("/tools/elevated/allowFrom").and_then(serde_json::Value::as_object);
    let everybody = lists
        .into_iter()
        .flatten()
        .filter(|(_, ids)| ids.as_array().is_some_and(|ids| ids.iter().any(|id| id.as_str() == Some("*"))));
    everybody
        .map(|(channel, _)| {
            let words = format!("`tools.elevated.allowFrom.{channel}` has `*`; it does nothing here yet");
            Finding::warn(format!("tools.elevated.allowFrom.{channel}.wildcard"), words)
                .fix(format!("homard config unset tools.elevated.allowFrom.{channel}"))
        })
        .collect()
}
