//! Who may write to the assistant: direct messages, groups, who counts as the owner.

use homard_config::Config;
use homard_config::config::session::DmScope;
use homard_config::config::tools::TaintMode;
use homard_policy::access::{AccountRules, CommandRules, DmPolicy, GroupPolicy};
use homard_policy::accounts::ChannelAccounts;
use serde_json::json;

use super::gateway::is_exposed;
use super::tools::runs_commands;
use crate::finding::{Act, Finding};
use crate::scene::Scene;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let accounts = settings.view::<ChannelAccounts>();
    let mut found = Vec::new();
    for (channel, account, about) in accounts.all().filter(|(_, _, about)| about.rules.enabled) {
        let named = format!("{channel} ({account})");
        found.extend(direct(channel.as_str(), &named, &about.rules));
        found.extend(groups(channel.as_str(), &named, &about.rules, &settings));
    }
    let guests_join =
        settings.session.guest_dm_scope == DmScope::Main && accounts.platforms_on().next().is_some();
    if guests_join {
        let words =
            "`session.guestDmScope` is main: everybody who may write reads along in your own conversation";
        found.push(
            Finding::error("channels.dm.scope_main_multiuser", words)
                .fix("homard config unset session.guestDmScope"),
        );
    }
    let has_owner = CommandRules::of(&settings).names_an_owner();
    let several = accounts.all().any(|(_, _, about)| about.rules.allow.entries().len() > 1);
    if several && !has_owner {
        let words =
            "several people may write and `commands.ownerAllowFrom` names nobody: none of them is the owner";
        found.push(
            Finding::info("channels.owner_unset", words)
                .fix("homard config set commands.ownerAllowFrom '[\"PLATFORM:ID\"]'"),
        );
    }
    if settings.owners.ids().iter().any(|id| id == "*" || id.ends_with(":*")) {
        let words = "`commands.ownerAllowFrom` has `*`: everybody is the owner";
        found.push(
            Finding::error("channels.owner_everybody", words).fix("name yourself, by the id of the platform"),
        );
    }
    found
}

fn direct(channel: &str, named: &str, rules: &AccountRules) -> Vec<Finding> {
    let everybody = rules.allow.has_everybody();
    let finding = match rules.dm_policy {
        DmPolicy::Open if everybody => Some(
            Finding::error(format!("channels.{channel}.dm.open"), format!("everybody may write to {named}"))
                .fix(format!(
                    "homard config set channels.{channel}.dmPolicy pairing, and take \"*\" out of allowFrom"
                )),
        ),
        DmPolicy::Allowlist if everybody => Some(
            Finding::error(
                format!("channels.{channel}.dm.open"),
                format!("the list of who may write to {named} has `*`"),
            )
            .fix(format!("name people in channels.{channel}.allowFrom")),
        ),
        DmPolicy::Disabled => Some(Finding::info(
            format!("channels.{channel}.dm.disabled"),
            format!("nobody may write to {named} directly"),
        )),
        DmPolicy::Open | DmPolicy::Allowlist | DmPolicy::Pairing => None,
    };
    finding.into_iter().collect()
}

fn groups(channel: &str, named: &str, rules: &AccountRules, settings: &Config) -> Vec<Finding> {
    let groups = &rules.groups;
    let mut found = Vec::new();
    if groups.policy == GroupPolicy::Open {
        let words = format!("anybody in any group with {named} may give it work");
        let finding = if runs_commands(settings) { Finding::error } else { Finding::warn };
        let act = Act::Set { key: format!("channels.{channel}.groupPolicy"), value: json!("allowlist") };
        found.push(finding(format!("channels.{channel}.groups.open"), words).act(act));
    } else if groups.policy == GroupPolicy::Allowlist && groups.allow.has_everybody() {
        let words = format!("the list of who may speak to {named} in groups has `*`");
        found.push(
            Finding::warn(format!("channels.{channel}.groups.allowFrom.wildcard"), words)
                .fix(format!("name people in channels.{channel}.groupAllowFrom")),
        );
    }
    let listed = groups.listed.iter().flatten();
    let loud: Vec<&str> =
        listed.filter(|(_, rules)| rules.require_mention == Some(false)).map(|(id, _)| id.as_str()).collect();
    if groups.require_mention == Some(false) || !loud.is_empty() {
        let words = format!("{named} answers in groups without being meant");
        found.push(Finding::info(format!("channels.{channel}.groups.no_mention"), words));
    }
    found
}

/// What stands open, in one sentence, and the combination that is worst.
pub(super) fn summary(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let accounts = settings.view::<ChannelAccounts>();
    let on: Vec<_> = accounts.all().filter(|(_, _, about)| about.rules.enabled).collect();
    let open = on.iter().filter(|(_, _, about)| is_open(&about.rules)).count();
    let yes_no = |is: bool| if is { "yes" } else { "no" };
    let words = format!(
        "accounts on chat platforms: {} ({open} open to anybody), hooks: {}, reached from elsewhere: {}, commands: {}, asks before it acts on others' words: {}",
        on.len(),
        yes_no(settings.hooks.enabled),
        yes_no(is_exposed(&settings.gateway)),
        yes_no(runs_commands(&settings)),
        yes_no(settings.tools.taint.mode != TaintMode::Off),
    );
    let mut found = vec![Finding::info("summary.attack_surface", words)];
    if open > 0 && runs_commands(&settings) && settings.tools.taint.mode == TaintMode::Off {
        let words = "anybody may write, commands run, and nothing is asked: a stranger has this machine";
        found.push(
            Finding::error("summary.exposure.open_with_commands", words)
                .fix("homard config unset tools.taint.mode"),
        );
    }
    found
}

fn is_open(rules: &AccountRules) -> bool {
    let direct =
        matches!(rules.dm_policy, DmPolicy::Open | DmPolicy::Allowlist) && rules.allow.has_everybody();
    direct || rules.groups.policy == GroupPolicy::Open
}
