//! That what is written in blocks is what was given, whatever its length and wherever it goes.

use std::fs;
use std::io::Write as _;

use homard_runtime::FileDraft;

use super::{BLOCK, SteadyDraft};

#[test]
fn a_file_is_as_long_as_what_was_written_whether_the_file_system_can_write_past_the_memory_or_not() {
    let folder = tempfile::tempdir().unwrap();
    for is_direct in [true, false] {
        for len in [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 77] {
            let path = folder.path().join(format!("{is_direct}-{len}"));
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let mut steady = SteadyDraft::new(FileDraft::private(&path).unwrap());
            if !is_direct {
                steady.go_through_memory();
            }
            for part in bytes.chunks(65_521) {
                steady.write_all(part).unwrap();
            }
            steady.finish().unwrap().commit_new().unwrap();
            assert!(fs::read(&path).unwrap() == bytes, "{}", path.display());
        }
    }
}

/// A file system that lets one ask for it, and refuses when it comes to it.
#[test]
fn what_is_refused_past_the_memory_goes_through_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut steady = SteadyDraft::new(FileDraft::private(&path).unwrap());
    // Nothing may begin at such an address.
    steady.begin -= 1;
    steady.write_all(&vec![7; BLOCK + 1]).unwrap();
    steady.finish().unwrap().commit_new().unwrap();
    assert!(fs::read(&path).unwrap() == vec![7; BLOCK + 1]);
}
