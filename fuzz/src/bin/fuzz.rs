//! All targets in one instrumented program; `HOMARD_FUZZ_TARGET` names the one that runs.
#![no_main]

use std::sync::LazyLock;

use homard_fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

const VARIABLE: &str = "HOMARD_FUZZ_TARGET";

#[expect(clippy::disallowed_methods, clippy::panic, reason = "libFuzzer owns the arguments and the exit")]
static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    TARGETS
        .iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| panic!("{VARIABLE} names no target: `{name}`"))
});

fuzz_target!(|data: &[u8]| (TARGET.run)(data));
