//! The workshop: `cargo xtask run`, `cargo xtask test` and the rest of what a contributor types.
//!
//! This file only reads the command line; each command is a module. The workshop is compiled first on every
//! fresh clone, so it depends on almost nothing, and it is Rust, so that it works wherever Homard does.

mod bench;
mod browser;
mod compat;
mod crash;
mod debian;
mod fuzz;
mod protocol;
mod schema;
mod serve;
mod sh;
mod stamp;
mod suite;
mod tally;
mod tidy;
mod web;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  run [-- args]      build the page and the release binary, then `homard gateway`
  test [options]     everything CI runs
      --skip-web         leave out the page and the browser
      --skip-fuzz        leave out the fuzz targets
      --fail-fast        stop at the first failure
      --only STEP        only this step (repeatable); `--list` names them
  tidy               the house rules that clippy does not know
  fuzz [options]     fuzz every target, or those named
      --seconds N        how long each (default 60)
  bench [--write]    measure a release build; --write updates docs/benchmarks.md, other options go to the bench
  compat [options]   the published client of OpenClaw against a gateway with the fake model
      --only FLOW        only this flow (repeatable)
      --write            update docs/compat.md
  crash [options]    kill a release build again and again while people write, and count their answers
      --kills N          how often (default 50)
      --seed N           what chance grows from
      --write            put the count into docs/reliability.md
  protocol [--write] say whether the table of methods in docs/protocol.md is current, or make it so
  schema [--check]   write docs/config.schema.json, or say whether it is out of date
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let result = match command.as_str() {
        "run" => serve::run(&rest),
        "test" => suite::run(&rest),
        "tidy" => tidy::run(&rest),
        "fuzz" => fuzz::run(&rest),
        "bench" => bench::run(&rest),
        "compat" => compat::run(&rest),
        "crash" => crash::run(&rest),
        "protocol" => protocol::run(&rest),
        "schema" => schema::run(&rest),
        "" | "help" | "--help" | "-h" => {
            sh::say(USAGE.trim_end());
            Ok(())
        }
        unknown => Err(anyhow::anyhow!("there is no command `{unknown}`\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            sh::complain(&format!("error: {error:#}"));
            // The summary of `test` is the last line on every road out, also when standard error is shown too.
            if let Some(verdict) = error.downcast_ref::<suite::Verdict>() {
                sh::say(&verdict.last_line());
            }
            ExitCode::FAILURE
        }
    }
}
