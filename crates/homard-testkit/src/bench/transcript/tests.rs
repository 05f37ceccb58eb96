//! Hand-written transcripts must be what the gateway itself would have written.

use homard_protocol::transcript::Line;
use homard_protocol::{EntryKind, SessionId};

use super::transcript;

#[test]
fn every_line_is_a_link_of_one_chain() {
    let id = SessionId::parse("0192f0c1-2b3c-7d4e-8f5a-6b7c8d9e0f1a").unwrap();
    let text = transcript(&id, 6, Some(2)).unwrap();
    let lines: Vec<Line> = text.lines().map(|line| Line::parse(line).unwrap()).collect();
    assert!(matches!(lines.first(), Some(Line::Header(header)) if header.id == id));
    assert_eq!(lines.len(), 1 + 2 * 6 + 1);
    let mut parent = None;
    let mut kept = None;
    for line in &lines[1..] {
        let Line::Entry(entry) = line else { panic!("a second header") };
        assert_eq!(entry.parent_id, parent);
        parent = Some(entry.id.clone());
        if let EntryKind::Compaction { first_kept_entry_id, .. } = &entry.kind {
            kept = Some((first_kept_entry_id.to_string(), entry.id.to_string()));
        }
    }
    assert_eq!(kept, Some(("00000004".to_owned(), "00000008".to_owned())));
}
