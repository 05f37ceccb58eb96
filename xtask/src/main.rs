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
mod web;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  run [-- args]      build the page and the program, quickly, then `homard gateway`
  test [options]     everything CI runs
      --changed[=COMMIT] only what changed files can have broken: those not pushed yet, or since COMMIT
      --skip-web         leave out the page and the browser
      --fail-fast        start nothing more after a failure
      --jobs N           how many steps may run at once (default: one more than cores)
      --only STEP        only this step and what it needs (repeatable); `--list` names them
  nightly [PART ...] what takes long: compat, readers, book, crash, soak, bench, fuzz, advisories; all of it, or these
  tidy               the house rules that clippy does not know
  fuzz [options]     fuzz every target, or those named
      --seconds N        how long each (default 60)
  bench [--write]    measure a release build; --write updates docs/benchmarks.md, other options go to the bench
      --compare REV      measure in turns with the build of that commit and print ratios
  weigh [--write]    what each package adds to the code of a release build; --write updates docs/benchmarks.md
  order --make       which functions stand at the front of it: builds, profiles with callgrind, writes the list
  compat [options]   the published client of OpenClaw against a gateway with the fake model
      --only FLOW        only this flow (repeatable)
      --write            update docs/compat.md
  crash [options]    kill a release build again and again while people write, and count their answers
      --kills N          how often (default 50)
      --seed N           what chance grows from
      --write            put the count into docs/reliability.md
  protocol [--write] say whether the table of methods in docs/protocol.md is current, or make it so
  book [--write]     say whether the reference pages in docs/reference are current, or make them so
      --site             the book as a website, in target/book; installs mdBook
  dist [options]     what a release is made of, in target/dist: archive, Debian package, list of parts, checksums, and
                     the manifest that `homard update` reads
      --binary PATH      from this program instead of a release build
      --target TRIPLE    for this platform
      --out DIR          into this folder
      --only-build       the release build alone, with its commit
      --channel NAME     stable (the default), extended-stable, beta or dev
      --sign-key FILE    sign the manifest with this Ed25519 key (openssl genpkey -algorithm ed25519)
      manifest           the manifest alone, of all archives there
      formula            the Homebrew formula with the checksums there
  readers            ask the compiler whether somebody uses every setting that is decided
  types              write web/src/protocol.ts, the page's types; building the page does it, too
  schema [--check]   write docs/config.schema.json, or say whether it is out of date
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) =
        args.split_first().map_or(("", &[][..]), |(command, rest)| (command.as_str(), rest));
    let result = match command {
        _ if compile::units::is_stand_in(&args) => compile::units::stand_in(&args),
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
