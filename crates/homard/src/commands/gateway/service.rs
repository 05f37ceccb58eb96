//! `homard gateway install`, `uninstall`, `start`, `stop`: the gateway as a systemd user service.
//!
//! The only file that knows a service manager; another platform gets one of its own beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use homard_config::Profile;
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use tokio_util::sync::CancellationToken;

use super::super::Cx;
use crate::report::Advice;

/// How long systemctl may take; stopping waits for runs to finish.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much of what it says is shown.
const MAX_OUTPUT: usize = 8 * 1024;
/// Variables that name our files, carried into the unit when they are set.
const CARRIED: [&str; 3] = ["HOMARD_STATE_DIR", "HOMARD_CONFIG_PATH", "HOMARD_HOME"];
/// What systemctl needs to find the owner's session.
const SESSION: [&str; 3] = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME"];

/// Install the gateway as a service that starts with your session
#[derive(Args)]
pub(crate) struct InstallArgs {
    /// Port to listen on
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Replace a service file that is there already
    #[arg(long)]
    force: bool,
    /// Print the service file and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// What the service cannot do. Everything the agent needs stays: the home, programs, the network, its own namespaces.
/// Becoming another user does not; who wants `sudo` in commands takes `NoNewPrivileges` and `RestrictSUIDSGID` out with
/// `systemctl --user edit`.
const HARDENING: &str = "\
    NoNewPrivileges=yes\n\
    RestrictSUIDSGID=yes\n\
    ProtectSystem=full\n\
    PrivateTmp=yes\n\
    ProtectKernelTunables=yes\n\
    ProtectKernelModules=yes\n\
    ProtectKernelLogs=yes\n\
    ProtectControlGroups=yes\n\
    ProtectClock=yes\n\
    ProtectHostname=yes\n\
    LockPersonality=yes\n\
    RestrictRealtime=yes\n\
    SystemCallArchitectures=native\n\
    UMask=0077\n\
    LimitCORE=0\n\
    MemoryMax=75%\n\
    TasksMax=4096\n";

/// What a unit is made of.
struct Unit<'a> {
    program: &'a Path,
    profile: Option<&'a str>,
    port: Option<u16>,
    variables: Vec<(&'a str, &'a str)>,
}

impl Unit<'_> {
    fn text(&self) -> String {
        let mut start = format!("{} gateway run", quoted(&self.program.display().to_string()));
        if let Some(profile) = self.profile {
            start.push_str(&format!(" --profile {profile}"));
        }
        if let Some(port) = self.port {
            start.push_str(&format!(" --port {port}"));
        }
        let variables: String = self
            .variables
            .iter()
            .map(|(name, value)| format!("Environment={}\n", quoted(&format!("{name}={value}"))))
            .collect();
        format!(
            "[Unit]\n\
             Description=Homard gateway\n\
             Wants=network-online.target\n\
             After=network-online.target\n\
             \n\
             [Service]\n\
             Type=notify\n\
             NotifyAccess=main\n\
             ExecStart={start}\n\
             ExecReload=/bin/kill -USR1 $MAINPID\n\
             Restart=on-failure\n\
             RestartSec=2\n\
             TimeoutStopSec=45\n\
             WatchdogSec=30\n\
             KillMode=mixed\n\
             {HARDENING}\
             {variables}\
             \n\
             [Install]\n\
             WantedBy=default.target\n"
        )
    }
}

/// A word of a unit file: quoted, and without what systemd would expand.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:@+,".contains(c);
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    if word.chars().all(plain) { escaped } else { format!("\"{escaped}\"") }
}

fn name(profile: &Profile) -> String {
    match word(profile) {
        None => "homard.service".to_owned(),
        Some(name) => format!("homard-{name}.service"),
    }
}

/// As it is written after `--profile`.
fn word(profile: &Profile) -> Option<&str> {
    match profile {
        Profile::Default => None,
        Profile::Dev => Some("dev"),
        Profile::Named(name) => Some(name),
    }
}

fn folder(cx: &Cx) -> PathBuf {
    let configured = cx.source.environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = configured.unwrap_or_else(|| cx.source.paths.home.join(".config"));
    config.join("systemd").join("user")
}

/// `homard gateway install`.
pub(crate) async fn install(cx: &Cx, args: &InstallArgs) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("this program does not know where it lies")?;
    let profile = &cx.source.paths.profile;
    let environment = &cx.source.environment;
    let unit = Unit {
        program: &program,
        profile: word(profile),
        port: args.port,
        variables: CARRIED.iter().filter_map(|&name| Some((name, environment.get(name)?))).collect(),
    };
    let path = folder(cx).join(name(profile));
    if args.dry_run {
        return Ok(cx.console.line(&format!("# {}\n{}", path.display(), unit.text()))?);
    }
    if path.exists() && !args.force {
        return Err(Advice::error(
            format!("`{}` is there already", path.display()),
            "replace it with --force, or start it with `homard gateway start`",
        ));
    }
    fs::create_dir_all(folder(cx)).context("could not make the folder of services")?;
    fs::write(&path, unit.text()).with_context(|| format!("could not write `{}`", path.display()))?;
    cx.console.line(&format!("Wrote {}.", path.display()))?;
    systemctl(cx, &["daemon-reload"]).await?;
    systemctl(cx, &["enable", "--now", &name(profile)]).await?;
    cx.console.line(
        "The gateway runs and starts with your session; `loginctl enable-linger` keeps it without one.",
    )?;
    Ok(())
}

/// `homard gateway uninstall`.
pub(crate) async fn uninstall(cx: &Cx) -> anyhow::Result<()> {
    let name = name(&cx.source.paths.profile);
    let path = folder(cx).join(&name);
    installed(cx)?;
    systemctl(cx, &["disable", "--now", &name]).await?;
    fs::remove_file(&path).with_context(|| format!("could not remove `{}`", path.display()))?;
    systemctl(cx, &["daemon-reload"]).await?;
    cx.console.line(&format!("Removed {}. Your files stay.", path.display()))?;
    Ok(())
}

/// `homard gateway start` and `stop`.
pub(crate) async fn control(cx: &Cx, verb: &str) -> anyhow::Result<()> {
    installed(cx)?;
    systemctl(cx, &[verb, &name(&cx.source.paths.profile)]).await
}

/// Whether the service of this profile is there.
pub(crate) fn is_installed(cx: &Cx) -> bool {
    folder(cx).join(name(&cx.source.paths.profile)).exists()
}

fn installed(cx: &Cx) -> anyhow::Result<()> {
    if is_installed(cx) {
        return Ok(());
    }
    Err(Advice::error(
        "the gateway is not installed as a service",
        "install it with `homard gateway install`",
    ))
}

async fn systemctl(cx: &Cx, words: &[&str]) -> anyhow::Result<()> {
    let base: BTreeMap<String, String> =
        cx.source.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut env = BuiltEnv::from_base(&base);
    for name in SESSION {
        if let Some(value) = cx.source.environment.get(name) {
            env = env.with_explicit(name, value)?;
        }
    }
    let words: Vec<&str> = std::iter::once("--user").chain(words.iter().copied()).collect();
    let command = Command::direct("systemctl", &words, "/", env);
    let limits = Limits { timeout: PATIENCE, max_output_bytes: MAX_OUTPUT };
    let ran = homard_exec::run(command, limits, |_said| {}, &CancellationToken::new()).await;
    let outcome = ran.map_err(|error| {
        Advice::error(
            format!("systemctl could not be started: {error}"),
            "this machine seems to have no systemd; run `homard gateway` under another supervisor",
        )
    })?;
    match outcome.exit {
        Exit::Exited(0) => Ok(()),
        _ => bail!("`systemctl {}` did not work: {}", words.join(" "), outcome.output.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Unit, quoted};
    use std::path::Path;

    #[test]
    fn the_unit_starts_watches_and_stops_the_gateway() {
        let unit = Unit {
            program: Path::new("/opt/my tools/homard"),
            profile: Some("work"),
            port: Some(18_790),
            variables: vec![("HOMARD_STATE_DIR", "/data/100%")],
        };
        insta::assert_snapshot!(unit.text(), @r#"
        [Unit]
        Description=Homard gateway
        Wants=network-online.target
        After=network-online.target

        [Service]
        Type=notify
        NotifyAccess=main
        ExecStart="/opt/my tools/homard" gateway run --profile work --port 18790
        ExecReload=/bin/kill -USR1 $MAINPID
        Restart=on-failure
        RestartSec=2
        TimeoutStopSec=45
        WatchdogSec=30
        KillMode=mixed
        NoNewPrivileges=yes
        RestrictSUIDSGID=yes
        ProtectSystem=full
        PrivateTmp=yes
        ProtectKernelTunables=yes
        ProtectKernelModules=yes
        ProtectKernelLogs=yes
        ProtectControlGroups=yes
        ProtectClock=yes
        ProtectHostname=yes
        LockPersonality=yes
        RestrictRealtime=yes
        SystemCallArchitectures=native
        UMask=0077
        LimitCORE=0
        MemoryMax=75%
        TasksMax=4096
        Environment="HOMARD_STATE_DIR=/data/100%%"

        [Install]
        WantedBy=default.target
        "#);
    }

    #[test]
    fn words_of_a_unit_are_never_expanded() {
        for (word, written) in [
            ("/usr/bin/homard", "/usr/bin/homard"),
            ("a b", "\"a b\""),
            ("$HOME", "\"$$HOME\""),
            ("100%", "\"100%%\""),
            ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ] {
            assert_eq!(quoted(word), written);
        }
    }
}
