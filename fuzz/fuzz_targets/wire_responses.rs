//! Any bytes are a stream of `openai-responses`, or fail as one, and where they are cut does not matter.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| homard_fuzz::stream("openai-responses", data));
