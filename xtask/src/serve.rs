//! `cargo xtask run`: from a fresh clone to a running gateway in one command.

use anyhow::Result;

use crate::sh::{Cmd, say};
use crate::{web, workspace};

/// Builds the page and the release binary, then becomes the gateway.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if web::has_node() {
        web::build()?;
    } else {
        say(
            "Node and npm were not found: going on without the chat page. The gateway will show a plain page \
             that says so; install Node 20.19 or later and run this again to get the real one.",
        );
    }
    Cmd::new("cargo", &["build", "--release", "-p", "homard"]).run()?;
    let homard = workspace::target()?.join("release").join(binary("homard"));
    let args = args.iter().skip_while(|arg| *arg == "--");
    Cmd::new(homard, &["gateway"]).args(args).become_it()
}

/// The file name of a program on this platform.
pub(crate) fn binary(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
