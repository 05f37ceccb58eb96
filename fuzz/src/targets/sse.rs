//! Any bytes are server-sent events, and where they are cut does not matter.

use homard_llm::{SseError, SseParser};

/// The promise.
pub(super) fn run(data: &[u8]) {
    let Some((&cut, bytes)) = data.split_first() else { return };
    let whole = read([bytes]);
    let pieces = read(bytes.chunks(usize::from(cut % 16) + 1));
    assert_eq!(whole, pieces);
    for (name, _) in whole.into_iter().flatten() {
        assert!(!name.contains(&b'\n') && !name.contains(&b'\r'), "a name is within its line");
    }
}

/// The name and the data of each event.
type Events = Vec<(Vec<u8>, Vec<u8>)>;

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Events, SseError> {
    let mut parser = SseParser::new();
    let mut events = Vec::new();
    let mut sink = |event: homard_llm::SseEvent<'_>| {
        events.push((event.name.to_vec(), event.data.to_vec()));
        Ok(())
    };
    for piece in pieces {
        parser.feed(piece, &mut sink)?;
    }
    parser.finish(&mut sink)?;
    Ok(events)
}
