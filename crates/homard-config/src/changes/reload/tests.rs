//! The rule table.

use homard_protocol::ChannelId;

use super::{HotPart, ReloadAction, action_for, needs_restart};
use crate::config::gateway::ReloadMode;

fn action(mode: ReloadMode, paths: &[&str]) -> ReloadAction {
    action_for(&paths.iter().map(|&p| p.to_owned()).collect::<Vec<_>>(), mode)
}

#[test]
fn each_place_asks_for_its_own_action() {
    let hot = |part| ReloadAction::Hot(vec![part]);
    let rows = [
        ("gateway.nodes.allowCommands", ReloadAction::None),
        ("gateway.reload.mode", ReloadAction::None),
        ("gateway.remote.url", ReloadAction::None),
        ("gateway.port", ReloadAction::Restart),
        ("gateway.auth.token", ReloadAction::Restart),
        ("hooks.gmail.label", hot(HotPart::MailWatcher)),
        ("hooks.token", hot(HotPart::Hooks)),
        ("agents.defaults.heartbeat.every", hot(HotPart::Heartbeat)),
        ("agents.defaults.model", ReloadAction::None),
        ("agents.list[0].name", ReloadAction::None),
        ("agents.list", ReloadAction::None),
        ("cron.enabled", hot(HotPart::Cron)),
        ("browser.headless", hot(HotPart::Browser)),
        ("channels.irc.nick", hot(HotPart::Channel(ChannelId::parse("irc").unwrap()))),
        ("logging.level", ReloadAction::None),
        ("meta.lastTouchedAt", ReloadAction::None),
        ("plugins.allow", ReloadAction::Restart),
        ("discovery.mdns.mode", ReloadAction::Restart),
        ("somethingElse", ReloadAction::Restart),
        ("agentsX", ReloadAction::Restart),
    ];
    for (path, expected) in rows {
        assert_eq!(action(ReloadMode::Hybrid, &[path]), expected, "{path}");
    }
}

#[test]
fn the_mode_decides_what_is_done_with_it() {
    let both = ["gateway.port", "cron.enabled", "cron.store"];
    assert_eq!(action(ReloadMode::Hybrid, &both), ReloadAction::Restart);
    assert_eq!(action(ReloadMode::Hot, &both), ReloadAction::Hot(vec![HotPart::Cron]));
    assert_eq!(action(ReloadMode::Hot, &["gateway.port"]), ReloadAction::None);
    assert_eq!(action(ReloadMode::Off, &both), ReloadAction::None);
    assert_eq!(action(ReloadMode::Restart, &["logging.level"]), ReloadAction::Restart);
    assert_eq!(action(ReloadMode::Restart, &["meta.lastTouchedAt"]), ReloadAction::None);
    assert_eq!(action(ReloadMode::Restart, &[]), ReloadAction::None);
    assert!(needs_restart("gateway.bind") && !needs_restart("tools.deny"));
}
