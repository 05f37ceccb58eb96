//! The gateway as a program on a machine: its key, its updates, its secrets, the machine, the browser.

use crate::error::RequestError;
use std::path::Path;

use homard_client::DeviceIdentity;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::maintenance::{
    BrowserRequestParams, DiskInfo, GatewayIdentity, InstallKind, SecretsReloaded, SystemInfoResult,
    UpdateInstall, UpdateOutcome, UpdateRunParams, UpdateRunResult, UpdateSchedule, UpdateStatusParams,
    UpdateStatusResult,
};
use serde_json::Value;

use crate::methods::config::blocking;
use crate::table::Cx;

/// Which releases are followed when nobody says otherwise.
const DEFAULT_CHANNEL: &str = "stable";

/// `gateway.identity.get`.
pub(crate) async fn identity(cx: Cx, _params: NoParams) -> Result<GatewayIdentity, RequestError> {
    let (path, clock) = (cx.gateway.config().source().paths.identity_file(), cx.gateway.clock().clone());
    let key = blocking(move || DeviceIdentity::load_or_create(&path, &clock)).await?;
    let key = key.map_err(|error| RequestError::unavailable(error.to_string()))?;
    Ok(GatewayIdentity { device_id: key.id().clone(), public_key: key.public_key() })
}

/// `update.status`.
pub(crate) async fn update_status(
    cx: Cx,
    _params: UpdateStatusParams,
) -> Result<UpdateStatusResult, RequestError> {
    let snapshot = cx.gateway.config().snapshot();
    let channel = snapshot.effective.pointer("/update/channel").and_then(Value::as_str);
    let channel = channel.unwrap_or(DEFAULT_CHANNEL).to_owned();
    Ok(UpdateStatusResult {
        sentinel: None,
        update_available: None,
        effective_channel: channel.clone(),
        schedule: UpdateSchedule {
            channel,
            auto_enabled: false,
            install: UpdateInstall { kind: install_kind() },
        },
    })
}

/// `update.run`: replacing the program is for whoever sits at the machine, with `homard update`.
pub(crate) async fn update_run(_cx: Cx, _params: UpdateRunParams) -> Result<UpdateRunResult, RequestError> {
    let mode = install_kind();
    let message = match mode {
        InstallKind::Git => {
            "The gateway does not update itself when asked from afar. In its checkout: pull, build, and `homard gateway \
             handover`."
        }
        InstallKind::Package => {
            "The gateway does not update itself when asked from afar. Update it with what installed it (for example \
             `cargo install`), and `homard gateway handover`."
        }
        InstallKind::Unknown => {
            "The gateway does not update itself when asked from afar. Run `homard update` on its machine."
        }
    };
    Ok(UpdateRunResult {
        run_id: uuid::Uuid::new_v4().to_string(),
        ok: false,
        ack_delivered: false,
        ack_queued: false,
        message: message.to_owned(),
        result: UpdateOutcome { status: "skipped".to_owned(), mode, reason: "not-supported".to_owned() },
    })
}

/// How this program came here, by where it lies.
fn install_kind() -> InstallKind {
    std::env::current_exe().map_or(InstallKind::Unknown, |program| kind_of(&program, |path| path.exists()))
}

fn kind_of(program: &Path, exists: impl Fn(&Path) -> bool) -> InstallKind {
    let built = program.ancestors().filter(|dir| dir.file_name().is_some_and(|name| name == "target"));
    let mut checkouts = built.filter_map(Path::parent);
    if checkouts.any(|dir| exists(&dir.join("Cargo.toml"))) {
        return InstallKind::Git;
    }
    let packaged = ["/usr/bin", "/usr/local/Cellar", "/opt/homebrew", "/nix/store"];
    let cargo = program.parent().is_some_and(|dir| dir.ends_with(".cargo/bin"));
    if cargo || packaged.iter().any(|place| program.starts_with(place)) {
        InstallKind::Package
    } else {
        InstallKind::Unknown
    }
}

/// `secrets.reload`.
pub(crate) async fn secrets_reload(cx: Cx, _params: NoParams) -> Result<SecretsReloaded, RequestError> {
    let handle = cx.gateway.config().clone();
    let reload = blocking(move || handle.reload()).await?;
    if !reload.rejected.is_empty() {
        let words: Vec<String> = reload.rejected.iter().map(ToString::to_string).collect();
        return Err(RequestError::unavailable(format!(
            "the configuration cannot be used as it is; the old values stay: {}",
            words.join("; ")
        )));
    }
    Ok(SecretsReloaded { ok: true, warning_count: cx.gateway.config().snapshot().notices().len() })
}

/// `system.info`.
pub(crate) async fn system_info(cx: Cx, _params: NoParams) -> Result<SystemInfoResult, RequestError> {
    let gateway = &cx.gateway;
    let admin = cx.caller.is_admin();
    let config = gateway.config().current();
    let state_dir = &gateway.config().source().paths.state_dir;
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy().into_owned();
    let disk = rustix::fs::statvfs(state_dir.as_path()).ok().map(|disk| DiskInfo {
        path: admin.then(|| state_dir.display().to_string()),
        total_bytes: disk.f_blocks.saturating_mul(disk.f_frsize),
        available_bytes: disk.f_bavail.saturating_mul(disk.f_frsize),
    });
    let mut info = SystemInfoResult {
        machine_name: gateway.diagnostics().host.name.clone(),
        hostname: gateway.diagnostics().host.name.clone(),
        platform: std::env::consts::OS.to_owned(),
        os_label: format!("{} {release}", uname.sysname().to_string_lossy()),
        release,
        arch: std::env::consts::ARCH.to_owned(),
        port: config.gateway.port,
        pid: admin.then(std::process::id),
        process_instance_id: gateway.lifecycle().boot_id.to_owned(),
        uptime_ms: gateway.lifecycle().uptime_ms(),
        cpu_count: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        disk_total_bytes: disk.as_ref().map(|disk| disk.total_bytes),
        disk_available_bytes: disk.as_ref().map(|disk| disk.available_bytes),
        disk_path: disk.as_ref().and_then(|disk| disk.path.clone()),
        disks: disk.into_iter().collect(),
        ..SystemInfoResult::default()
    };
    add_load(&mut info);
    Ok(info)
}

/// Load and memory, where the system tells them.
#[cfg(target_os = "linux")]
fn add_load(info: &mut SystemInfoResult) {
    /// The system counts load in parts of this.
    const LOAD_UNIT: f64 = 65_536.0;
    let system = rustix::system::sysinfo();
    let unit = u64::from(system.mem_unit);
    let loads = system.loads.iter().map(|load| *load as f64 / LOAD_UNIT);
    info.load_average = loads.collect();
    info.memory_total_bytes = Some(wide(system.totalram).saturating_mul(unit));
    info.memory_free_bytes = Some(wide(system.freeram).saturating_mul(unit));
}

/// The system's own number, which is narrower on small machines.
#[cfg(target_os = "linux")]
fn wide(number: impl Into<u64>) -> u64 {
    number.into()
}

#[cfg(not(target_os = "linux"))]
fn add_load(_info: &mut SystemInfoResult) {}

/// `browser.request`.
pub(crate) async fn browser(_cx: Cx, _params: BrowserRequestParams) -> Result<Value, RequestError> {
    Err(RequestError::unavailable("there is no browser: the room that controls one is not furnished yet"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use homard_protocol::methods::system::maintenance::InstallKind;

    use super::kind_of;

    #[test]
    fn where_a_program_lies_tells_how_it_came_there() {
        let cases = [
            ("/src/homard/target/debug/homard", "/src/homard/Cargo.toml", InstallKind::Git),
            ("/src/homard/target/debug/homard", "", InstallKind::Unknown),
            ("/home/me/.cargo/bin/homard", "", InstallKind::Package),
            ("/usr/bin/homard", "", InstallKind::Package),
            ("/home/me/homard", "", InstallKind::Unknown),
        ];
        for (program, there, kind) in cases {
            assert_eq!(kind_of(Path::new(program), |path| path == Path::new(there)), kind, "{program}");
        }
    }
}
