//! Example streams of each API, and the events we make of them.

use std::fs;
use std::path::Path;

use homard_llm::wire::TABLE;

use crate::recorded::chunks::frame;
use crate::recorded::wires::request;

#[test]
fn example_streams_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/streams");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let mut unread: Vec<&str> = TABLE.iter().map(|wire| wire.api).collect();
    for name in names.iter().filter_map(|name| name.to_str()).filter(|name| *name != "README.md") {
        let wire = TABLE.iter().find(|wire| name.starts_with(wire.api)).expect(name);
        unread.retain(|api| *api != wire.api);
        let stored = fs::read_to_string(folder.join(name)).unwrap();
        let bytes = if name.ends_with(".frames") { framed(&stored) } else { stored.into_bytes() };
        let mut events = Vec::new();
        let pieces = bytes.chunks(7);
        let end = wire.replay_pieces(&request(wire.api), pieces, &mut |event| events.push(event));
        insta::assert_debug_snapshot!(name, (events, end));
    }
    assert!(unread.is_empty(), "no stream of {unread:?}");
}

fn framed(stored: &str) -> Vec<u8> {
    stored
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .flat_map(|(kind, json)| frame(kind, json))
        .collect()
}
