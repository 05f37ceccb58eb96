//! The workshop: `cargo xtask run`, `cargo xtask test` and the rest of what a contributor types.
//!
//! This file only reads the command line; each command is a module. The workshop is compiled first on every
//! fresh clone, so it depends on almost nothing, and it is Rust, so that it works wherever Homard does.

mod bench;
mod browser;
mod compile;
mod dist;
mod hardening;
mod machine;
mod manual;
mod serve;
mod sh;
mod stamp;
mod suite;
mod tally;
mod tidy;
mod usage;
mod web;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) =
        args.split_first().map_or(("", &[][..]), |(command, rest)| (command.as_str(), rest));
    let result = match command {
        _ if compile::units::is_stand_in(&args) => compile::units::stand_in(&args),
        _ if usage::is_asked(rest) => {
            sh::say(usage::of(command));
            Ok(())
        }
        "run" => serve::run(rest),
        "test" => suite::run(rest),
        "nightly" => hardening::nightly::run(rest),
        "tidy" => tidy::run(rest),
        "fuzz" => hardening::fuzz::run(rest),
        "bench" => bench::run(rest),
        "weigh" => bench::weigh::run(rest),
        "order" => bench::order::run(rest),
        "compat" => hardening::compat::run(rest),
        "crash" => hardening::crash::run(rest),
        "protocol" => manual::protocol::run(rest),
        "book" => manual::book::run(rest),
        "dist" => dist::run(rest),
        "readers" => hardening::readers::run(rest),
        "schema" => manual::schema::run(rest),
        "types" => web::types(),
        "" | "help" | "--help" | "-h" => {
            sh::say(usage::USAGE.trim_end());
            Ok(())
        }
        unknown => Err(anyhow::anyhow!("there is no command `{unknown}`\n\n{}", usage::USAGE)),
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
