//! Any bytes are a stream of `ollama`, or fail as one, and where they are cut does not matter.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| homard_fuzz::stream("ollama", data));
