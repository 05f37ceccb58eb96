//! What there is on this machine: its variables, its folders, its programs, its owner's list of commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use homard_exec::BuiltEnv;
use homard_exec::approvals::PolicyStore;
use homard_runtime::{Arrange as _, Clock};
use rustix::fs::{Access, access};

/// Variables a program needs to reach the person's screen.
const SCREEN_NAMES: [&str; 4] = ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"];

/// What there is on this machine.
#[derive(Debug, Clone)]
pub struct Machine {
    /// What commands get as their environment.
    pub env: BuiltEnv,
    /// The same for programs that show or look at the screen.
    pub screen_env: BuiltEnv,
    /// Whether there is a screen to look at, and its name.
    pub display: Option<String>,
    /// Where commands run unless they say otherwise.
    pub home: PathBuf,
    pub devices: PathBuf,
    /// Which commands may run.
    pub policy: PolicyStore,
    pub clock: Clock,
}

impl Machine {
    /// The machine as these variables show it, with its list of commands at `policy`.
    #[must_use]
    pub fn new(variables: &BTreeMap<String, String>, home: &Path, policy: PolicyStore, clock: Clock) -> Self {
        let env = BuiltEnv::from_base(variables);
        let screen_env = SCREEN_NAMES.iter().fold(env.clone(), |env, name| match variables.get(*name) {
            Some(value) => env.clone().with_explicit(name, value).unwrap_or(env),
            None => env,
        });
        Self {
            env,
            screen_env,
            display: variables.get("DISPLAY").filter(|name| !name.is_empty()).cloned(),
            home: home.to_path_buf(),
            devices: PathBuf::from("/dev"),
            policy,
            clock,
        }
    }

    /// Where a program is, if it is on the path.
    #[must_use]
    pub fn which(&self, name: &str) -> Option<PathBuf> {
        if name.is_empty() || name.contains('/') || name.contains('\0') {
            return None;
        }
        let folders = self.env.search_path().split(':').filter(|folder| folder.starts_with('/'));
        folders
            .map(|folder| Path::new(folder).join(name))
            .find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
    }

    /// Cameras, as the files that stand for them.
    #[must_use]
    pub fn cameras(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(&self.devices) else { return Vec::new() };
        let is_camera = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                name.strip_prefix("video")
                    .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
            })
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_camera).collect();
        found.arrange();
        found
    }
}
