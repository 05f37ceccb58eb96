//! How the gateway is reached: addresses, certificates, proxies, the tailnet, tunnels, the local network.

mod bind;
mod discovery;
mod proxies;
mod remote;
mod tailnet;
mod tls;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use homard_testkit::{TestHome, WAIT_CAP};
use tokio::process::Command;

/// A command of somebody whose home is `home`, with nothing of the gateway's in its environment.
fn homard(home: &TestHome, args: &[&str]) -> Command {
    let mut command = Command::new(crate::homard());
    command
        .args(args)
        .env_clear()
        .env("PATH", search_path(home))
        .env("HOME", home.path())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .stdin(std::process::Stdio::null())
        .kill_on_drop(true);
    command
}

/// How a command ended: its code and everything it said.
async fn ended(mut command: Command) -> (i32, String) {
    let Output { status, stdout, stderr } =
        tokio::time::timeout(WAIT_CAP, command.output()).await.unwrap().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().unwrap(), said)
}

/// Programs of the home's own come first.
fn search_path(home: &TestHome) -> String {
    format!("{}:/usr/local/bin:/usr/bin:/bin", home.path().join("bin").display())
}

/// Puts a program on the path of a home.
fn put_program(home: &TestHome, name: &str, script: &str) {
    let bin = home.path().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    write_executable(&bin.join(name), script);
}

fn write_executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
