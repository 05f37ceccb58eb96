//! Whether the gateway is installed as a service, and whether another program's service is in its way. Only files are
//! looked at: there may be no session to ask.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{entries, name_of};
use crate::finding::Finding;
use crate::scene::Scene;

/// Services of the program this one replaces; they want the same port.
const OTHERS: [&str; 2] = ["openclaw-gateway", "clawdbot-gateway"];

/// There where systemd runs the machine.
const BOOTED: &str = "/run/systemd/system";
/// What to do where nothing keeps services.
const ELSEWHERE: &str =
    "have whatever starts programs here run homard gateway: there is no systemd to install it for";

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let home = &scene.source.paths.home;
    let config =
        scene.source.environment.get("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let folders = [
        config.join("systemd").join("user"),
        PathBuf::from("/etc/systemd/system"),
        home.join("Library").join("LaunchAgents"),
    ];
    let units: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    let is_service = |path: &Path| [".service", ".plist"].iter().any(|end| name_of(path).ends_with(end));
    let ours: Vec<&PathBuf> =
        units.iter().filter(|path| is_service(path) && name_of(path).contains("homard")).collect();
    let mut found = Vec::new();
    if ours.is_empty() {
        let words = "the gateway is not installed as a service; it runs as long as somebody runs it";
        let fix = if can_be_kept() { "homard gateway install" } else { ELSEWHERE };
        found.push(Finding::info("service.none", words).fix(fix));
    }
    for path in &ours {
        found.extend(gone(path));
    }
    if !ours.is_empty() && !scene.rooms.lock.is_held {
        let words = "the gateway is installed as a service and does not run";
        found.push(
            Finding::warn("service.stopped", words)
                .fix("homard gateway start; homard logs says why it ended"),
        );
    }
    let is_users = |path: &&&PathBuf| path.starts_with(&config);
    if ours.iter().any(|path| is_users(&path)) && !lingers(scene) {
        let words = "the service ends when you log out";
        found.push(Finding::info("service.no_linger", words).fix("loginctl enable-linger"));
    }
    for path in units
        .iter()
        .filter(|path| is_service(path) && OTHERS.iter().any(|other| name_of(path).contains(other)))
    {
        let name = name_of(path);
        let words = format!("{name} is installed, too, and would take the same port and the same chats");
        found.push(
            Finding::warn("service.other", words).fix(format!("systemctl --user disable --now {name}")),
        );
    }
    found
}

/// Whether something on this machine keeps services.
fn can_be_kept() -> bool {
    cfg!(not(target_os = "linux")) || Path::new(BOOTED).exists()
}

/// A service whose program is not where it says.
fn gone(path: &Path) -> Option<Finding> {
    let text = fs::read_to_string(path).ok()?;
    let start = text.lines().find_map(|line| line.strip_prefix("ExecStart="))?.trim_start();
    let program = first_word(start);
    let is_gone = program.starts_with('/') && !Path::new(&program).exists();
    let program = Some(program).filter(|_| is_gone)?;
    let words = format!("{} starts {program}, which is not there", path.display());
    Some(Finding::error("service.program_gone", words).fix("homard gateway install --force"))
}

/// The first word of a command line as systemd reads it: quoted or not, with its own escapes.
fn first_word(line: &str) -> String {
    let mut rest = line.chars().peekable();
    let quote = rest.next_if(|first| matches!(first, '"' | '\''));
    let mut word = String::new();
    while let Some(next) = rest.next() {
        match next {
            '\\' => word.extend(rest.next()),
            '%' => word.extend(rest.next_if_eq(&'%').or(Some('%'))),
            _ if Some(next) == quote || (quote.is_none() && next.is_whitespace()) => break,
            _ => word.push(next),
        }
    }
    word
}

/// Whether the owner's services outlive their session.
fn lingers(scene: &Scene<'_>) -> bool {
    let user = scene.source.environment.get("USER").or_else(|| scene.source.environment.get("LOGNAME"));
    user.is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user).exists())
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn a_program_is_read_as_systemd_reads_it() {
        for (line, program) in [
            ("/usr/bin/homard gateway run", "/usr/bin/homard"),
            ("\"/opt/a b/homard\" gateway", "/opt/a b/homard"),
            ("\"/opt/100%%/homard\" gateway", "/opt/100%/homard"),
            ("\"/opt/\\\"x\\\"/homard\"", "/opt/\"x\"/homard"),
            ("", ""),
        ] {
            assert_eq!(first_word(line), program, "{line}");
        }
    }
}
