//! Which commands a node may be asked: those it declares, the owner approved, and the lists allow.
//!
//! Each platform has a list of what does no harm by itself. Commands that watch people or act in their name are on
//! no list: the owner adds them by name (`gateway.nodes.allowCommands`). Commands of the machine itself are on the
//! lists of desktops, because nothing is offered without the owner's approval anyway.

use homard_config::config::gateway::Nodes as Lists;
use homard_protocol::Scope;
use homard_store::NodeSurface;

/// Longest name of a command or kind that is looked at.
const MAX_NAME: usize = 128;
/// Most names a node may declare of each sort; the rest is not looked at.
const MAX_NAMES: usize = 256;

/// Any node at all.
const EVERYWHERE: &[&str] = &["device.info", "device.status", "system.notify"];
const PERSONAL: &[&str] = &[
    "calendar.events",
    "camera.list",
    "contacts.search",
    "location.get",
    "motion.activity",
    "motion.pedometer",
    "photos.latest",
    "reminders.list",
];
const ANDROID: &[&str] = &[
    "callLog.search",
    "device.apps",
    "device.health",
    "device.permissions",
    "mobile.ui.act",
    "mobile.ui.observe",
    "notifications.actions",
    "notifications.list",
];
const MAC: &[&str] = &["camera.ptz.status", "device.apps"];
const SCREEN: &[&str] = &[
    "canvas.a2ui.push",
    "canvas.a2ui.pushJSONL",
    "canvas.a2ui.reset",
    "canvas.eval",
    "canvas.hide",
    "canvas.navigate",
    "canvas.present",
    "canvas.snapshot",
];
const DESKTOP: &[&str] = &[
    "browser.proxy",
    "browser.proxy.upload.v1",
    "camera.list",
    "computer.act",
    "desktop.stream",
    "fs.listDir",
    "location.get",
    "mcp.tools.call.v1",
    "screen.snapshot",
    "system.execApprovals.get",
    "system.execApprovals.set",
    "system.run",
    "system.run.prepare",
    "system.which",
    "terminal.upload",
];
const TALK: &[&str] = &["talk.ptt.cancel", "talk.ptt.once", "talk.ptt.start", "talk.ptt.stop"];

/// Commands that give away a machine: an admin approves them.
const SENSITIVE: &[&str] = &[
    "browser.proxy",
    "browser.proxy.upload.v1",
    "fs.listDir",
    "system.execApprovals.get",
    "system.execApprovals.set",
    "system.run",
    "system.run.prepare",
    "system.which",
];

/// Platforms by what they are called at the beginning.
const PLATFORMS: &[(&[&str], &[&[&str]])] = &[
    (&["ios", "ipados", "iphone", "ipad"], &[PERSONAL, SCREEN]),
    (&["android"], &[PERSONAL, SCREEN, ANDROID]),
    (&["watchos"], &[]),
    (&["macos", "mac", "darwin"], &[PERSONAL, SCREEN, MAC, DESKTOP]),
    (&["windows", "win32", "win"], &[SCREEN, DESKTOP]),
    (&["linux"], &[SCREEN, DESKTOP]),
];

/// Why a command may not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowed {
    /// The lists do not have it.
    #[error("command not allowlisted")]
    NotListed,
    /// The owner's list refuses it.
    #[error("command denied by gateway.nodes.denyCommands")]
    Denied,
    /// The node does not say that it has it.
    #[error("command not declared by node")]
    NotDeclared,
    /// The owner has not said yes.
    #[error("command not approved; see `homard nodes pending`")]
    NotApproved,
}

/// Whether the lists allow a command on a node that says this of itself.
fn listed(platform: &str, declared: &NodeSurface, lists: &Lists, command: &str) -> Result<(), NotAllowed> {
    if lists.deny_commands.iter().any(|denied| denied == command) {
        return Err(NotAllowed::Denied);
    }
    let by_owner = lists.allow_commands.iter().any(|allowed| allowed == command);
    let talks = declared.caps.iter().any(|cap| cap == "talk");
    let known = by_owner || EVERYWHERE.contains(&command) || (talks && TALK.contains(&command)) || {
        let platform = platform.trim().to_ascii_lowercase();
        let row = PLATFORMS.iter().find(|(names, _)| names.iter().any(|name| platform.starts_with(name)));
        row.is_some_and(|(_, groups)| groups.iter().any(|group| group.contains(&command)))
    };
    if known { Ok(()) } else { Err(NotAllowed::NotListed) }
}

/// Whether a command may be sent to a node.
pub(crate) fn check(
    platform: &str,
    declared: &NodeSurface,
    approved: Option<&NodeSurface>,
    lists: &Lists,
    command: &str,
) -> Result<(), NotAllowed> {
    listed(platform, declared, lists, command)?;
    if !declared.commands.iter().any(|known| known == command) {
        return Err(NotAllowed::NotDeclared);
    }
    let has = |approved: &NodeSurface| approved.commands.iter().any(|known| known == command);
    if approved.is_some_and(has) { Ok(()) } else { Err(NotAllowed::NotApproved) }
}

/// What of a node's claims can be asked about at all.
pub(crate) fn askable(platform: &str, declared: &NodeSurface, lists: &Lists) -> NodeSurface {
    let listed = |command: &&String| listed(platform, declared, lists, command).is_ok();
    NodeSurface { commands: declared.commands.iter().filter(listed).cloned().collect(), ..declared.clone() }
}

/// What may be used: declared, approved and allowed.
pub(crate) fn effective(
    platform: &str,
    declared: &NodeSurface,
    approved: &NodeSurface,
    lists: &Lists,
) -> NodeSurface {
    let both = |ours: &[String], theirs: &[String]| -> Vec<String> {
        ours.iter().filter(|name| theirs.contains(name)).cloned().collect()
    };
    let allowed = askable(platform, declared, lists);
    let granted = |name: &str| approved.permissions.get(name) == Some(&true);
    NodeSurface {
        caps: both(&allowed.caps, &approved.caps),
        commands: both(&allowed.commands, &approved.commands),
        permissions: allowed
            .permissions
            .into_iter()
            .map(|(name, has)| {
                let has = has && granted(&name);
                (name, has)
            })
            .collect(),
    }
}

/// What somebody needs to approve this.
#[must_use]
pub fn approve_scopes(commands: &[String]) -> Vec<Scope> {
    let mut scopes = vec![Scope::Pairing];
    if commands.iter().any(|command| SENSITIVE.contains(&command.as_str())) {
        scopes.push(Scope::Admin);
    } else if !commands.is_empty() {
        scopes.push(Scope::Write);
    }
    scopes
}

/// A node's claims in one spelling. Names nobody could mean are left out: people read them.
pub(crate) fn claims(
    caps: &[String],
    commands: Option<&[String]>,
    permissions: Option<&std::collections::BTreeMap<String, bool>>,
) -> NodeSurface {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.len() <= MAX_NAME
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ':'))
    };
    let names = |listed: &[String]| -> Vec<String> {
        listed
            .iter()
            .map(|name| name.trim())
            .filter(|name| is_name(name))
            .take(MAX_NAMES)
            .map(str::to_owned)
            .collect()
    };
    let permissions = permissions.into_iter().flatten().filter(|(name, _)| is_name(name)).take(MAX_NAMES);
    NodeSurface::new(
        names(caps),
        names(commands.unwrap_or_default()),
        permissions.map(|(name, has)| (name.clone(), *has)).collect(),
    )
}

#[cfg(test)]
mod tests;
