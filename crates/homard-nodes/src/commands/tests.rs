//! Which commands a node may be asked, by platform and lists.

use std::collections::BTreeMap;

use homard_config::config::gateway::Nodes as Lists;
use homard_protocol::Scope;
use homard_store::NodeSurface;

use super::{NotAllowed, approve_scopes, askable, check, claims, effective};

fn lists(allow: &[&str], deny: &[&str]) -> Lists {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Lists { allow_commands: owned(allow), deny_commands: owned(deny), auto_approve_local: true }
}

fn surface(commands: &[&str]) -> NodeSurface {
    let commands = commands.iter().map(|&name| name.to_owned()).collect();
    NodeSurface::new(Vec::new(), commands, BTreeMap::new())
}

#[test]
fn every_platform_has_its_own_list_and_dangerous_commands_are_on_none() {
    let plain = lists(&[], &[]);
    for (platform, command, allowed) in [
        ("ios 18.4", "camera.list", true),
        ("iPadOS", "contacts.search", true),
        ("ios", "system.run", false),
        ("android", "notifications.list", true),
        ("ios", "notifications.list", false),
        ("linux", "system.run", true),
        ("Linux 6.1", "system.which", true),
        ("darwin", "system.run", true),
        ("win32", "browser.proxy", true),
        ("watchos", "camera.list", false),
        ("watchos", "system.notify", true),
        ("toaster", "device.info", true),
        ("toaster", "system.run", false),
        ("", "system.run", false),
        ("ios", "camera.snap", false),
        ("android", "sms.send", false),
        ("macos", "screen.record", false),
        ("macos", "made.up", false),
    ] {
        let declared = surface(&[command]);
        let found = check(platform, &declared, Some(&declared), &plain, command);
        assert_eq!(found.is_ok(), allowed, "{platform} {command}: {found:?}");
    }
}

#[test]
fn a_command_needs_the_lists_the_node_and_the_owner() {
    let (has, other) = (surface(&["system.notify", "camera.snap"]), surface(&["device.info"]));
    for (declared, approved, allow, deny, command, expected) in [
        (&has, Some(&has), &[][..], &[][..], "system.notify", Ok(())),
        (&has, None, &[], &[], "system.notify", Err(NotAllowed::NotApproved)),
        (&has, Some(&other), &[], &[], "system.notify", Err(NotAllowed::NotApproved)),
        (&other, Some(&has), &[], &[], "system.notify", Err(NotAllowed::NotDeclared)),
        (&has, Some(&has), &[], &["system.notify"], "system.notify", Err(NotAllowed::Denied)),
        (&has, Some(&has), &[], &[], "camera.snap", Err(NotAllowed::NotListed)),
        (&has, Some(&has), &["camera.snap"], &[], "camera.snap", Ok(())),
        (&has, Some(&has), &["camera.snap"], &["camera.snap"], "camera.snap", Err(NotAllowed::Denied)),
    ] {
        let found = check("ios", declared, approved, &lists(allow, deny), command);
        assert_eq!(found, expected, "{command} {allow:?} {deny:?}");
    }
}

#[test]
fn talking_is_allowed_where_a_node_says_that_it_talks() {
    let talks = NodeSurface { caps: vec!["talk".to_owned()], ..surface(&["talk.ptt.once"]) };
    assert_eq!(check("toaster", &talks, Some(&talks), &lists(&[], &[]), "talk.ptt.once"), Ok(()));
}

#[test]
fn what_may_be_used_is_what_all_three_agree_on() {
    let permissions = |camera| BTreeMap::from([("camera".to_owned(), camera), ("mic".to_owned(), false)]);
    let declared = NodeSurface {
        caps: vec!["camera".to_owned(), "screen".to_owned()],
        permissions: permissions(true),
        ..surface(&["camera.list", "camera.snap", "system.notify"])
    };
    let approved = NodeSurface {
        caps: vec!["camera".to_owned()],
        permissions: permissions(true),
        ..surface(&["camera.list", "camera.snap", "location.get"])
    };
    let found = effective("ios", &declared, &approved, &lists(&[], &[]));
    assert_eq!((found.caps, found.commands), (vec!["camera".to_owned()], vec!["camera.list".to_owned()]));
    assert_eq!(found.permissions, permissions(true));
    let less = NodeSurface { permissions: permissions(false), ..approved };
    assert_eq!(effective("ios", &declared, &less, &lists(&[], &[])).permissions, permissions(false));
    assert_eq!(askable("ios", &declared, &lists(&[], &[])).commands, ["camera.list", "system.notify"]);
}

#[test]
fn who_may_approve_depends_on_what_is_asked() {
    for (commands, scopes) in [
        (&[][..], &[Scope::Pairing][..]),
        (&["system.notify"], &[Scope::Pairing, Scope::Write]),
        (&["system.notify", "system.which"], &[Scope::Pairing, Scope::Admin]),
        (&["fs.listDir"], &[Scope::Pairing, Scope::Admin]),
    ] {
        let commands: Vec<String> = commands.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(approve_scopes(&commands), scopes);
    }
}

#[test]
fn names_nobody_could_mean_are_left_out() {
    let commands: Vec<String> =
        ["a.b", " a.b ", "", "x\u{202e}y", "two words", &"n".repeat(200)].map(str::to_owned).into();
    let many: Vec<String> = (0..999).map(|n| format!("cap{n}")).collect();
    let found = claims(&many, Some(&commands), None);
    assert_eq!((found.caps.len(), found.commands), (256, vec!["a.b".to_owned()]));
}
