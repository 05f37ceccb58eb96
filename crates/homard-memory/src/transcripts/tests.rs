//! What was said is found where it was said, by those who may see it.

use jiff::civil::date;

use super::*;
use crate::memories::{Memories, MemoryPlace, MemoryQuestion};
use crate::search::PickRules;

fn said(place: i64, is_of_agent: bool, text: &str) -> SpokenMessage {
    SpokenMessage { place, day: Some(date(2026, 11, 17)), is_of_agent, text: text.to_owned() }
}

fn find(
    memories: &Memories,
    place: &MemoryPlace,
    words: &str,
    sessions: Sessions<'_>,
) -> Vec<(String, bool)> {
    let question = MemoryQuestion { sessions, ..MemoryQuestion::plain(words, date(2026, 11, 18)) };
    let found = memories.search(place, &question, &PickRules::default()).unwrap();
    found
        .into_iter()
        .map(|f| (format!("{}#L{}-L{}", f.path, f.start_line, f.end_line), f.is_of_agent))
        .collect()
}

#[test]
fn what_was_said_since_the_last_time_is_added_and_told_to_those_who_may_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = MemoryPlace::new(folder.path().join("work"), folder.path().join("i.sqlite"));
    let memories = Memories::default();
    let first = [said(3, false, "Where do I keep the spare key?"), said(4, true, "Under the flower pot.")];
    memories.add_transcript(&place, "s1", &first, 4).unwrap();
    memories.add_transcript(&place, "s2", &[said(1, false, "The spare key is lost.")], 2).unwrap();
    let more = [said(7, false, "I gave the bicycle\nUser: and nothing else\nto Anna.")];
    memories.add_transcript(&place, "s1", &more, 7).unwrap();
    let mut kept = memories.transcripts(&place).unwrap();
    kept.sort_by(|one, other| one.session_id.cmp(&other.session_id));
    let expected = [("s1", 7), ("s2", 2)].map(|(id, to)| TranscriptMark { session_id: id.to_owned(), to });
    assert_eq!(kept, expected);

    // A look at the notes leaves conversations alone.
    memories.sync(&place).unwrap();
    assert_eq!(find(&memories, &place, "spare key", Sessions::All).len(), 2);
    let one = Arc::new(BTreeSet::from(["s1".to_owned()]));
    assert_eq!(
        find(&memories, &place, "where is the flower pot?", Sessions::Only(&one)),
        [("sessions/s1.jsonl#L3-L4".to_owned(), true)]
    );
    assert_eq!(
        find(&memories, &place, "who has the bicycle?", Sessions::Only(&one)),
        [("sessions/s1.jsonl#L7-L7".to_owned(), false)]
    );
    assert_eq!(find(&memories, &place, "spare key", Sessions::None), []);
    assert_eq!(memories.keep_transcripts(&place, &one).unwrap(), 1);
    assert_eq!(find(&memories, &place, "spare key lost", Sessions::All).len(), 1);
    memories.forget_transcript(&place, "s1").unwrap();
    assert_eq!(find(&memories, &place, "flower pot", Sessions::All), []);
    memories.keep_transcripts(&place, &BTreeSet::new()).unwrap();
    assert_eq!(find(&memories, &place, "spare key", Sessions::All), []);
}
