//! The machine: room on the disk, the time, the port, what commands can be shut in with.

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use homard_config::config::agents::sandbox::SandboxMode;
use jiff::tz::TimeZone;
use rustix::fs::{StatVfsMountFlags, statvfs};

use crate::files::{in_path, listener_on};
use crate::finding::Finding;
use crate::scene::Scene;

/// Below this nothing can be kept any more.
const DISK_FULL: u64 = 50 * MEGABYTE;
/// Below this it is time to make room.
const DISK_LOW: u64 = 500 * MEGABYTE;
const MEGABYTE: u64 = 1024 * 1024;
/// Below this no files can be made soon, whatever room there is.
const FEW_FILES: u64 = 1_000;
/// The first of January 2026: no clock that is right shows less.
const BEGINNING_MS: i64 = 1_767_225_600_000;
/// How far files may be ahead before the clock is doubted, in milliseconds.
const AHEAD_MS: i64 = 5 * 60 * 1000;

pub(super) fn disk(scene: &Scene<'_>) -> Vec<Finding> {
    let state = &scene.source.paths.state_dir;
    let Some(there) = state.ancestors().find(|folder| folder.exists()) else { return Vec::new() };
    let about = match statvfs(there) {
        Ok(about) => about,
        Err(error) => {
            return vec![Finding::warn(
                "disk.unknown",
                format!("{} cannot be asked for its room: {error}", there.display()),
            )];
        }
    };
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    let shown = there.display();
    let mut found = Vec::new();
    if about.f_flag.contains(StatVfsMountFlags::RDONLY) {
        let words = format!("the disk of {shown} can only be read");
        found.push(
            Finding::error("disk.read_only", words)
                .fix("mount it writable, or name another folder in HOMARD_STATE_DIR"),
        );
    }
    let words = format!("{} MB are free where {shown} is", free / MEGABYTE);
    let fix = "make room; homard sessions cleanup and old files in logs/ are a start";
    match free {
        0..DISK_FULL => found.push(Finding::error("disk.full", words).fix(fix)),
        DISK_FULL..DISK_LOW => found.push(Finding::warn("disk.low", words).fix(fix)),
        DISK_LOW.. => {}
    }
    if about.f_files > 0 && about.f_favail < FEW_FILES {
        let words = format!("the file system of {shown} has room for {} more files only", about.f_favail);
        found.push(Finding::warn("disk.files", words).fix("delete files nobody needs"));
    }
    found
}

pub(super) fn clock(scene: &Scene<'_>) -> Vec<Finding> {
    let now = scene.now_ms();
    let mut found = Vec::new();
    let paths = &scene.source.paths;
    let ahead = [paths.database(), paths.config_path.clone()]
        .into_iter()
        .find(|path| modified_ms(path) > now + AHEAD_MS);
    let fix = "set the clock (timedatectl set-ntp true); logins, jobs and certificates go by it";
    if now < BEGINNING_MS {
        found.push(Finding::error("clock.wrong", "the clock shows a time before 2026").fix(fix));
    } else if let Some(path) = ahead {
        let words =
            format!("{} was changed in the future; the clock is behind, or was ahead", path.display());
        found.push(Finding::warn("clock.behind", words).fix(fix));
    }
    if TimeZone::try_system().is_err() {
        let words = "the time zone of this machine is not known; jobs and stamps use UTC";
        found.push(Finding::warn("clock.zone", words).fix("set TZ, or agents.defaults.userTimezone"));
    }
    let settings = scene.settings();
    let zone = settings.agents.defaults.user_timezone.as_deref();
    if let Some(zone) = zone.filter(|zone| TimeZone::get(zone).is_err()) {
        let words = format!("`agents.defaults.userTimezone` is `{zone}`, which this machine does not know");
        found.push(
            Finding::warn("clock.zone", words)
                .fix("write one such as Europe/Paris; Debian's tzdata has them"),
        );
    }
    found
}

fn modified_ms(path: &Path) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map_or(0, |about| about.mtime().saturating_mul(1000))
}

pub(super) fn port(scene: &Scene<'_>) -> Vec<Finding> {
    let port = scene.settings().gateway.port;
    let lock = scene.rooms.lock;
    if lock.is_held {
        let other = lock.port.filter(|&own| own != port);
        let words = other.map(|own| format!("the gateway listens on port {own}; the settings say {port}"));
        return words.map(|words| Finding::info("port.other", words)).into_iter().collect();
    }
    let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) else { return Vec::new() };
    let other = format!("homard config set gateway.port {}", port.checked_add(1).unwrap_or(18_790));
    let finding = if error.kind() == ErrorKind::AddrInUse {
        let who = listener_on(port).unwrap_or_else(|| "another program".to_owned());
        Finding::error("port.in_use", format!("port {port} is in use by {who}"))
            .fix(format!("stop it, or choose another port: {other}"))
    } else {
        Finding::error("port.refused", format!("port {port} cannot be listened on: {error}"))
            .fix(format!("choose one above 1023: {other}"))
    };
    vec![finding]
}

pub(super) fn sandbox(scene: &Scene<'_>) -> Vec<Finding> {
    let settings = scene.settings();
    let has = |program| in_path(program, scene.source.environment.get("PATH"));
    let namespaces = may_make_namespaces();
    let yes_no = |has: bool| if has { "yes" } else { "no" };
    let words = format!(
        "user namespaces: {}, Landlock: {}, bwrap: {}, docker: {}",
        yes_no(namespaces),
        has_landlock().map_or("not known", yes_no),
        yes_no(has("bwrap")),
        yes_no(has("docker")),
    );
    let mut found = vec![Finding::info("sandbox.abilities", words)];
    if settings.tools.exec.hide_records == Some(true) && !namespaces {
        let words =
            "`tools.exec.hideRecords` is true and this machine lets us hide nothing: no command will run";
        found.push(
            Finding::error("sandbox.no_namespaces", words)
                .fix("allow them (sysctl kernel.unprivileged_userns_clone=1), or homard config unset tools.exec.hideRecords"),
        );
    }
    if settings.agents.list.iter().any(|agent| agent.sandbox.mode != SandboxMode::Off) {
        let words = "conversations in a sandbox have their files apart and run no commands; there are no containers yet";
        found.push(Finding::info("sandbox.no_containers", words));
    }
    found
}

/// Whether a process may hide files from its children: as root, or in a namespace of its own.
fn may_make_namespaces() -> bool {
    let says = |path: &str| fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<u64>().ok());
    rustix::process::geteuid().is_root()
        || (says("/proc/sys/user/max_user_namespaces").is_some_and(|most| most > 0)
            && says("/proc/sys/kernel/unprivileged_userns_clone") != Some(0)
            && says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") != Some(1))
}

/// `None` where the kernel's list of what guards it is not shown, as in many containers.
fn has_landlock() -> Option<bool> {
    let modules = fs::read_to_string("/sys/kernel/security/lsm").ok()?;
    Some(modules.split(',').any(|module| module.trim() == "landlock"))
}
