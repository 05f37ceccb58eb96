//! What `cargo xtask` says of its commands.

use std::ops::Range;

pub(crate) const USAGE: &str = "\
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
  bench [--write]    build the page and a release, and measure it; --write updates docs/benchmarks.md
      --compare REV      measure in turns with the build of that commit and print ratios (--rounds N)
      --only SCENE       only this scene (repeatable); docs/benchmarks.md names them
      --quick            a tenth of the work: does everything still run?
      --soak SECONDS     an even pace instead, memory watched
      --work N:TURNS     so many sessions at once, so many turns and nothing else
      --json FILE        the figures as JSON, too
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

/// How far the name of a command stands from the margin; what belongs to it stands further in.
const MARGIN: &str = "  ";

/// Whether the words behind a command ask what it does. What is behind `--` is for the program it starts.
pub(crate) fn is_asked(rest: &[String]) -> bool {
    rest.iter().take_while(|word| *word != "--").any(|word| matches!(word.as_str(), "--help" | "-h"))
}

/// What is said of one command; of all, for one that is not there.
pub(crate) fn of(command: &str) -> &'static str {
    lines_of(command).and_then(|lines| USAGE.get(lines)).unwrap_or(USAGE).trim_end()
}

fn lines_of(command: &str) -> Option<Range<usize>> {
    let mut begin = None;
    let mut at = 0;
    for line in USAGE.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix(MARGIN).filter(|rest| !rest.starts_with(' ')) {
            match begin {
                Some(begin) => return Some(begin..at),
                None if rest.split_whitespace().next() == Some(command) => begin = Some(at),
                None => {}
            }
        }
        at += line.len();
    }
    begin.map(|begin| begin..at)
}

#[cfg(test)]
mod tests;
