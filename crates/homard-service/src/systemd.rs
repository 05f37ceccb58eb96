//! systemd: a unit of the owner's, or one of the machine's.

use std::path::{Path, PathBuf};

use crate::charge::{Account, Charge, Role};
use crate::words::{Activity, Ask, Dialect, Places, State, Step};

/// Where accounts of their own keep their files; systemd makes the folders.
const STATE: &str = "/var/lib";

/// What the service cannot do, whoever it runs as. Everything agents need stays: programs, the network, namespaces of
/// their own. Becoming another user does not; who wants `sudo` in commands takes `NoNewPrivileges` and
/// `RestrictSUIDSGID` out with `systemctl edit`.
const HARDENING: &str = "\
    NoNewPrivileges=yes\n\
    RestrictSUIDSGID=yes\n\
    PrivateTmp=yes\n\
    ProtectKernelTunables=yes\n\
    ProtectKernelModules=yes\n\
    ProtectKernelLogs=yes\n\
    ProtectControlGroups=yes\n\
    ProtectClock=yes\n\
    ProtectHostname=yes\n\
    LockPersonality=yes\n\
    RestrictRealtime=yes\n\
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n\
    SystemCallArchitectures=native\n\
    SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap\n\
    SystemCallErrorNumber=EPERM\n\
    UMask=0077\n\
    LimitCORE=0\n\
    MemoryMax=75%\n\
    TasksMax=4096\n";

/// What only a unit of the machine can be denied, because systemd itself needs it to set up one of an owner's.
const HARDENING_OF_THE_MACHINE: &str = "\
    CapabilityBoundingSet=\n\
    AmbientCapabilities=\n\
    PrivateDevices=yes\n\
    ProtectProc=invisible\n\
    RemoveIPC=yes\n";

/// How systemd is spoken to.
#[derive(Debug)]
pub(crate) struct Systemd;

impl Systemd {
    fn ask(charge: &Charge, words: &[&str]) -> Ask {
        let mut ask = Ask::new("systemctl", if charge.is_of_the_machine() { &[] } else { &["--user"] });
        ask.words.extend(words.iter().map(|&word| word.to_owned()));
        ask
    }
}

impl Dialect for Systemd {
    fn called(&self) -> &'static str {
        "systemd"
    }

    fn label(&self, charge: &Charge) -> String {
        format!("{}.service", charge.name())
    }

    fn path(&self, charge: &Charge, places: &Places) -> PathBuf {
        let folder = if charge.is_of_the_machine() {
            places.of_the_machine("/etc/systemd/system")
        } else {
            places.config_home.join("systemd/user")
        };
        folder.join(self.label(charge))
    }

    fn definition(&self, charge: &Charge, _: &Places) -> Vec<u8> {
        unit(charge).into_bytes()
    }

    /// systemd refuses a unit whose program has these in its path, however they are written.
    fn starts(&self, program: &Path) -> bool {
        !program.to_string_lossy().contains(|c: char| c.is_control() || matches!(c, '"' | '\'' | '\\'))
    }

    fn presence(&self, charge: &Charge) -> Option<Ask> {
        Some(Self::ask(charge, &["show-environment"]))
    }

    fn take_up(&self, charge: &Charge, _: &Path, _: &Places) -> Vec<Step> {
        let label = self.label(charge);
        let step = |change: &[&str], undo: &[&str]| Step {
            change: Self::ask(charge, change),
            undo: Some(Self::ask(charge, undo)),
        };
        vec![
            step(&["daemon-reload"], &["daemon-reload"]),
            step(&["enable", &label], &["disable", &label]),
            step(&["start", &label], &["stop", &label]),
        ]
    }

    fn renew(&self, charge: &Charge, _: &Path, _: &Places) -> Vec<Ask> {
        let label = self.label(charge);
        let lines: [&[&str]; 3] = [&["daemon-reload"], &["enable", &label], &["restart", &label]];
        lines.iter().map(|words| Self::ask(charge, words)).collect()
    }

    fn give_up(&self, charge: &Charge, _: &Places) -> Vec<Ask> {
        vec![Self::ask(charge, &["disable", "--now", &self.label(charge)])]
    }

    fn forget(&self, charge: &Charge) -> Vec<Ask> {
        vec![Self::ask(charge, &["daemon-reload"])]
    }

    fn start(&self, charge: &Charge, _: &Path, _: &Places) -> Ask {
        Self::ask(charge, &["start", &self.label(charge)])
    }

    fn stop(&self, charge: &Charge, _: &Places) -> Ask {
        Self::ask(charge, &["stop", &self.label(charge)])
    }

    fn restart(&self, charge: &Charge, _: &Places) -> Ask {
        Self::ask(charge, &["restart", &self.label(charge)])
    }

    fn look(&self, charge: &Charge, _: &Places) -> Ask {
        let properties = "--property=LoadState,ActiveState,UnitFileState,MainPID";
        Self::ask(charge, &["show", properties, &self.label(charge)])
    }

    fn read(&self, is_success: bool, answer: &str) -> State {
        let value = |name: &str| {
            let mut pairs = answer.lines().filter_map(|line| line.split_once('='));
            pairs.find(|(found, _)| *found == name).map(|(_, value)| value.trim())
        };
        if !is_success || value("LoadState") != Some("loaded") {
            return State::UNKNOWN;
        }
        State {
            is_known: true,
            is_enabled: value("UnitFileState").is_some_and(|state| state.starts_with("enabled")),
            activity: match value("ActiveState") {
                Some("active" | "reloading") => Activity::Running,
                Some("activating" | "deactivating") => Activity::Changing,
                Some("failed") => Activity::Failed,
                _ => Activity::Stopped,
            },
            pid: value("MainPID").and_then(|pid| pid.parse().ok()).filter(|&pid| pid != 0),
        }
    }

    fn lingering(&self, places: &Places) -> Option<Ask> {
        Some(Ask::new("loginctl", &["show-user", &places.user.to_string(), "--property=Linger"]))
    }

    fn log(&self, charge: &Charge, _: &Places, lines: u32, is_followed: bool) -> Option<Ask> {
        let (label, lines) = (self.label(charge), lines.to_string());
        let whose = if charge.is_of_the_machine() { "--unit" } else { "--user-unit" };
        let mut ask = Ask::new("journalctl", &["--no-pager", "--lines", &lines, whose, &label]);
        if is_followed {
            ask.words.push("--follow".to_owned());
        }
        Some(ask)
    }
}

fn unit(charge: &Charge) -> String {
    // Of the program itself systemd expands no variables.
    let program = quoted(&charge.program.display().to_string(), Expanding::Nothing);
    let words = charge.arguments.iter().map(|word| quoted(word, Expanding::Variables));
    let start = std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ");
    let is_of_the_machine = charge.is_of_the_machine();
    let target = if is_of_the_machine { "multi-user.target" } else { "default.target" };
    let account = account(charge);
    let role = charge.role.as_str();
    let [readiness, reload, watchdog] = signs_of_life(charge.role);
    let hardening_of_the_machine = if is_of_the_machine { HARDENING_OF_THE_MACHINE } else { "" };
    let variables: String = charge
        .variables
        .iter()
        .map(|(name, value)| {
            format!("Environment={}\n", quoted(&format!("{name}={value}"), Expanding::Nothing))
        })
        .collect();
    format!(
        "[Unit]\n\
         Description=Homard {role}\n\
         Wants=network-online.target\n\
         After=network-online.target\n\
         StartLimitIntervalSec=120\n\
         StartLimitBurst=10\n\
         \n\
         [Service]\n\
         {readiness}\
         ExecStart={start}\n\
         {reload}\
         Restart=on-failure\n\
         RestartSec=2\n\
         TimeoutStopSec=45\n\
         {watchdog}\
         KillMode=mixed\n\
         {account}\
         {HARDENING}\
         {hardening_of_the_machine}\
         {variables}\
         \n\
         [Install]\n\
         WantedBy={target}\n"
    )
}

/// As whom it runs, and what of the disk it has.
fn account(charge: &Charge) -> String {
    match &charge.account {
        Account::Owner => "ProtectSystem=full\n".to_owned(),
        Account::Named(name) => {
            format!("User={}\nProtectSystem=full\n", quoted(name, Expanding::Nothing))
        }
        Account::OfItsOwn => {
            let name = charge.name();
            let state = state_of(charge);
            format!(
                "DynamicUser=yes\n\
                 User={name}\n\
                 StateDirectory={name}\n\
                 StateDirectoryMode=0700\n\
                 WorkingDirectory={state}\n\
                 Environment=HOME={state} HOMARD_STATE_DIR={state}\n\
                 ProtectSystem=strict\n\
                 ProtectHome=yes\n"
            )
        }
    }
}

fn state_of(charge: &Charge) -> String {
    format!("{STATE}/{}", charge.name())
}

/// How it tells that it is ready and alive, which only the gateway does.
fn signs_of_life(role: Role) -> [&'static str; 3] {
    match role {
        Role::Gateway => {
            ["Type=notify\nNotifyAccess=main\n", "ExecReload=/bin/kill -USR1 $MAINPID\n", "WatchdogSec=30\n"]
        }
        Role::Node => ["Type=exec\n", "", ""],
    }
}

/// What systemd would put values in place of, beside its own `%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expanding {
    /// `$NAME`, in command lines.
    Variables,
    Nothing,
}

/// A word of a unit file: quoted, and without what systemd would expand.
fn quoted(word: &str, expanding: Expanding) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:@+,".contains(c);
    let mut escaped = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '\\' | '"' => escaped.extend(['\\', c]),
            '%' => escaped.push_str("%%"),
            '$' if expanding == Expanding::Variables => escaped.push_str("$$"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            c if c.is_ascii_control() => escaped.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c.is_control() => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    if !word.is_empty() && word.chars().all(is_plain) { escaped } else { format!("\"{escaped}\"") }
}

#[cfg(test)]
mod tests;
