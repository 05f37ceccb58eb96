//! `cargo xtask run`: from a fresh clone to a running gateway in one command.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::compile;
use crate::machine;
use crate::sh::{Cmd, say};
use crate::web;

/// What the first build takes on two cores, before this machine knows better.
const FIRST_BUILD: Duration = Duration::from_secs(300);

/// Builds the page and the program side by side, then becomes the gateway.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let begun = Instant::now();
    let times = machine::cache("times")?.join("run.seconds");
    let homard = compile::program("homard")?;
    let is_first = !homard.is_file();
    if is_first {
        let last =
            std::fs::read_to_string(&times).ok().and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let minutes = last.unwrap_or(FIRST_BUILD).as_secs().div_ceil(60);
        say(&format!(
            "Building the page and the program: about {minutes} min{}, once; later seconds.",
            if last.is_some() { " on this machine" } else { " on two cores" }
        ));
    }
    if web::has_node() {
        web::types()?;
    }
    std::thread::scope(|scope| {
        let page = scope.spawn(page);
        let program = compile::homard();
        page.join().ok().context("the thread that builds the page is gone")??;
        program
    })?;
    if is_first {
        std::fs::write(&times, begun.elapsed().as_secs().to_string()).ok();
    }
    say(&format!("built in {} s", begun.elapsed().as_secs()));
    let args = args.iter().skip_while(|arg| *arg == "--");
    Cmd::new(homard, &["gateway"]).args(args).become_it()
}

fn page() -> Result<()> {
    if web::has_node() {
        return web::build();
    }
    say("Node and npm were not found: going on without the chat page. The gateway will show a plain page \
         that says so; install Node 20.19 or later and run this again to get the real one.");
    Ok(())
}

/// The file name of a program on this platform.
pub(crate) fn binary(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
