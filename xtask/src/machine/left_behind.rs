//! Processes that outlive the tests that started them. Linux hands orphans to the nearest ancestor that asked for
//! them, so after everything we started has ended, whoever is still our child was left behind.

/// Asks for orphans from now on.
#[cfg(target_os = "linux")]
pub(crate) fn watch() {
    // Without it orphans go elsewhere and are not seen; the tests are the same.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}

/// The command lines of what was left behind; each is ended.
#[cfg(target_os = "linux")]
pub(crate) fn end() -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let mut rest = stat.rsplit_once(") ")?.1.split(' ');
        let (state, parent) = (rest.next()?, rest.next()?.parse::<u32>().ok()?);
        if parent != std::process::id() || state == "Z" {
            return None;
        }
        let line = std::fs::read(format!("/proc/{id}/cmdline")).ok()?;
        rustix::process::kill_process(rustix::process::Pid::from_raw(id)?, rustix::process::Signal::KILL)
            .ok();
        Some(String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned())
    })
    .collect()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch() {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end() -> Vec<String> {
    Vec::new()
}
