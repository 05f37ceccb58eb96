//! Conversations as files: order, branches, compaction, repair, rebuilding.

use homard_protocol::transcript::Line;
use homard_protocol::{EntryId, EntryKind, SessionId};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{Context, Page, PageQuery};
use crate::engine::fixture::{Home, assistant, texts, user};

fn compaction(first_kept: &EntryId) -> EntryKind {
    EntryKind::Compaction {
        summary: "what came before".to_owned(),
        first_kept_entry_id: first_kept.clone(),
        tokens_before: 100,
        details: None,
        from_hook: None,
    }
}

fn line(id: &str, parent: Option<&str>, text: &str) -> String {
    let message = json!({"role": "user", "content": text, "timestamp": 1});
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "t", "message": message}).to_string()
}

const HEADER: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"t","cwd":"/w"}"#;

fn page_texts(page: &Page) -> Vec<String> {
    texts(page.entries.iter().map(|found| &found.entry))
}

async fn context(home: &Home, id: &SessionId) -> Context {
    home.store.transcripts().context(id).await.unwrap()
}

#[tokio::test]
async fn a_file_has_a_header_and_a_chain_of_entries() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "hi").await.session.session_id;
    home.store.transcripts().append(&id, vec![assistant("a"), user("b")]).await.unwrap();
    let text = std::fs::read_to_string(home.transcript(&id)).unwrap();
    let lines: Vec<Line> = text.lines().map(|line| Line::parse(line).unwrap()).collect();
    let Line::Header(header) = &lines[0] else { panic!("{:?}", lines[0]) };
    assert_eq!((header.version, &header.id, header.cwd.as_str()), (3, &id, "/work"));
    let mut parent = None;
    for line in &lines[1..] {
        let Line::Entry(entry) = line else { panic!("{line:?}") };
        assert_eq!(entry.parent_id, parent);
        assert_eq!(entry.id.as_str().len(), 8);
        parent = Some(entry.id.clone());
    }
    assert_eq!(context(&home, &id).await.leaf, parent);
}

#[tokio::test]
async fn a_context_begins_at_the_last_compaction() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "1").await.session.session_id;
    let more = home.store.transcripts().append(&id, vec![user("2"), user("3")]).await.unwrap();
    home.store.transcripts().append(&id, vec![compaction(&more[1].entry_id), user("4")]).await.unwrap();
    let told = context(&home, &id).await;
    assert_eq!(told.summary.as_deref(), Some("what came before"));
    assert_eq!(texts(&told.entries), ["3", "4"]);
    assert_eq!(told.last_seq, 5);

    // A second one, whose verbatim part reaches over the first.
    home.store.transcripts().append(&id, vec![compaction(&more[1].entry_id), user("5")]).await.unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["3", "4", "5"]);
    // One that keeps nothing that exists.
    let nowhere = EntryId::parse("ffffffffff").unwrap();
    home.store.transcripts().append(&id, vec![compaction(&nowhere), user("6")]).await.unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["6"]);
    let page = home.store.transcripts().page(&id, PageQuery::default()).await.unwrap();
    assert_eq!(
        page_texts(&page),
        ["1", "2", "3", "<compaction>", "4", "<compaction>", "5", "<compaction>", "6"]
    );
    assert_eq!(page.total_messages, 6);
}

#[tokio::test]
async fn a_context_does_not_read_what_was_compacted() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "old").await.session.session_id;
    let more = home.store.transcripts().append(&id, vec![user("old too"), user("kept")]).await.unwrap();
    home.store.transcripts().append(&id, vec![compaction(&more[1].entry_id), user("new")]).await.unwrap();
    let path = home.transcript(&id);
    let mut bytes = std::fs::read(&path).unwrap();
    let kept = bytes.windows(6).position(|window| window == b"\"kept\"").unwrap();
    let line_start = bytes[..kept].iter().rposition(|&b| b == b'\n').unwrap();
    bytes[..line_start].fill(b'#');
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["kept", "new"]);
    let home = home.reopen().await;
    assert_eq!(texts(&context(&home, &id).await.entries), ["kept", "new"]);
}

#[tokio::test]
async fn a_torn_last_line_is_repaired_and_the_original_kept() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "whole").await.session.session_id;
    let good = std::fs::read_to_string(home.transcript(&id)).unwrap();
    let home = home.reopen().await;
    let torn = format!("{good}{{\"type\":\"message\",\"id\":\"x");
    std::fs::write(home.transcript(&id), &torn).unwrap();

    assert_eq!(texts(&context(&home, &id).await.entries), ["whole"]);
    assert_eq!(std::fs::read_to_string(home.transcript(&id)).unwrap(), good);
    let kept = home.files_with(".bak-");
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read_to_string(home.sessions().join(&kept[0])).unwrap(), torn);
    home.store.transcripts().append(&id, vec![assistant("next")]).await.unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["whole", "next"]);
}

#[tokio::test]
async fn malformed_lines_are_left_out_wherever_they_are() {
    let good = |id: &str, parent: Option<&str>| line(id, parent, id);
    let a = good("a", None);
    let b = good("b", Some("a"));
    let c = good("c", Some("b"));
    for (name, text, expected, backups) in [
        ("whole", format!("{HEADER}\n{a}\n{b}\n"), vec!["a", "b"], 0),
        ("no-end", format!("{HEADER}\n{a}\n{b}"), vec!["a", "b"], 0),
        ("blank", format!("{HEADER}\n\n{a}\n\n{b}\n"), vec!["a", "b"], 0),
        ("middle", format!("{HEADER}\n{a}\ngarbage\n{b}\n"), vec!["a", "b"], 1),
        ("lost-parent", format!("{HEADER}\n{a}\n{{\"type\":\"message\",\"id\":\n{c}\n"), vec!["a", "c"], 1),
        ("bad-then-open", format!("{HEADER}\n{a}\nnull\n{b}"), vec!["a", "b"], 1),
        ("no-id", format!("{HEADER}\n{{\"type\":\"message\"}}\n{a}\n"), vec!["a"], 1),
        ("no-header", format!("{a}\n{b}\n"), vec!["a", "b"], 0),
        ("only-garbage", "\u{0}\u{0}\u{0}".to_owned(), vec![], 1),
        ("empty", String::new(), vec![], 0),
    ] {
        let home = Home::new();
        let id = home.write_transcript(name, &text);
        assert_eq!(texts(&context(&home, &id).await.entries), expected, "{name}");
        assert_eq!(home.files_with(".bak-").len(), backups, "{name}");
        // What was mended needs no mending again, and reads the same.
        let home = home.reopen().await;
        assert_eq!(texts(&context(&home, &id).await.entries), expected, "{name}");
        assert_eq!(home.files_with(".bak-").len(), backups, "{name}");
    }
}

#[tokio::test]
async fn branches_that_were_left_are_not_told() {
    let home = Home::new();
    let lines = [
        line("a", None, "a"),
        line("b", Some("a"), "b"),
        line("c", Some("b"), "c"),
        line("d", Some("a"), "d"),
    ];
    let id = home.write_transcript("tree", &format!("{HEADER}\n{}\n", lines.join("\n")));
    assert_eq!(texts(&context(&home, &id).await.entries), ["a", "d"]);
    let page = home.store.transcripts().page(&id, PageQuery::default()).await.unwrap();
    assert_eq!((page_texts(&page), page.total_messages), (vec!["a".to_owned(), "d".to_owned()], 2));
}

#[tokio::test]
async fn files_of_version_4_are_read_as_far_as_they_are_known() {
    let home = Home::new();
    let header = HEADER.replace("\"version\":3", "\"version\":4");
    let reset = r#"{"type":"reset","id":"r","parentId":"a","timestamp":"t"}"#;
    let odd = r#"{"type":"novelty","id":"n","parentId":"r","timestamp":"t","message":"text"}"#;
    let text = format!("{header}\n{}\n{reset}\n{odd}\n{}\n", line("a", None, "a"), line("b", Some("n"), "b"));
    let id = home.write_transcript("v4", &text);
    assert_eq!(texts(&context(&home, &id).await.entries), ["<novelty>", "b"]);
    assert_eq!(home.files_with(".bak-").len(), 0);
}

#[tokio::test]
async fn a_deleted_index_is_rebuilt_the_same() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "1").await.session.session_id;
    let more = home.store.transcripts().append(&id, vec![assistant("2"), user("3")]).await.unwrap();
    home.store.transcripts().append(&id, vec![compaction(&more[0].entry_id), user("4")]).await.unwrap();
    let before = (index(&home).await, context(&home, &id).await);
    home.store
        .write(|batch| {
            Ok(batch.conn.execute_batch("DELETE FROM transcripts; DELETE FROM transcript_entries;")?)
        })
        .await
        .unwrap();
    let home = home.reopen().await;
    assert_eq!(index(&home).await, Vec::<Value>::new());
    let told = context(&home, &id).await;
    assert_eq!((index(&home).await, told), before);
}

/// Every row of the index but the transcript's own number.
async fn index(home: &Home) -> Vec<Value> {
    home.store
        .read(|cx| {
            let sql = "SELECT json_array(seq, entry_id, parent_seq, kind, role, message_no, first_kept_seq, offset, len)
                       FROM transcript_entries ORDER BY transcript, seq";
            let mut statement = cx.conn.prepare(sql)?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            Ok(rows.map(|row| serde_json::from_str(&row.unwrap()).unwrap()).collect())
        })
        .await
        .unwrap()
}

#[tokio::test]
async fn a_file_changed_from_outside_is_indexed_anew() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "a rather long first message").await.session.session_id;
    std::fs::write(home.transcript(&id), format!("{HEADER}\n{}\n", line("z", None, "z"))).unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["z"]);
    home.store.transcripts().append(&id, vec![user("y")]).await.unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["z", "y"]);
    std::fs::remove_file(home.transcript(&id)).unwrap();
    let home = home.reopen().await;
    assert_eq!(context(&home, &id).await, Context::default());
    home.store.transcripts().append(&id, vec![user("x")]).await.unwrap();
    assert_eq!(texts(&context(&home, &id).await.entries), ["x"]);
}

#[tokio::test]
async fn pages_go_back_without_gaps() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "0").await.session.session_id;
    let custom = EntryKind::Custom { custom_type: "x".to_owned(), data: Value::Null };
    for n in 1..10 {
        home.store.transcripts().append(&id, vec![custom.clone(), user(&n.to_string())]).await.unwrap();
    }
    let mut before_seq = None;
    let mut seen = Vec::new();
    loop {
        let page =
            home.store.transcripts().page(&id, PageQuery { limit: 3, before_seq, offset: 0 }).await.unwrap();
        assert_eq!(page.total_messages, 10);
        seen.splice(0..0, page_texts(&page));
        before_seq = page.entries.first().map(|found| found.seq);
        if !page.has_more {
            break;
        }
    }
    assert_eq!(seen, (0..10).map(|n| n.to_string()).collect::<Vec<_>>());
    let page = home
        .store
        .transcripts()
        .page(&id, PageQuery { limit: 2, before_seq: None, offset: 3 })
        .await
        .unwrap();
    assert_eq!(page_texts(&page), ["5", "6"]);
    let last = home.store.transcripts().last_messages(&id, 2).await.unwrap();
    assert_eq!(texts(last.iter().map(|found| &found.entry)), ["8", "9"]);
}

#[tokio::test]
async fn finding_an_entry_costs_the_same_in_an_old_transcript() {
    let home = Home::new();
    for (sql, plan) in [
        (super::files::SEQ_OF, "USING INDEX transcript_entry_ids (transcript=? AND entry_id=?)"),
        (super::walk::TOWARDS_ROOT, "USING PRIMARY KEY (transcript=? AND seq<?)"),
    ] {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        let found: Vec<String> = home
            .store
            .read(move |cx| {
                let mut statement = cx.conn.prepare(&explain)?;
                let rows = statement.query_map([1, 1], |row| row.get(3))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
            .unwrap();
        assert_eq!(found, [format!("SEARCH transcript_entries {plan}")]);
    }
}

#[tokio::test]
async fn a_stranger_is_an_empty_conversation() {
    let home = Home::new();
    let id = SessionId::parse("nobody").unwrap();
    assert_eq!(context(&home, &id).await, Context::default());
    assert_eq!(home.store.transcripts().page(&id, PageQuery::default()).await.unwrap(), Page::default());
}

fn anything_said() -> impl Strategy<Value = EntryKind> {
    let text = prop_oneof![any::<String>(), Just("line\nbreak\u{2028}".to_owned())];
    (any::<bool>(), text).prop_map(|(by_user, text)| if by_user { user(&text) } else { assistant(&text) })
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn whatever_is_appended_is_read_in_order(
        batches in proptest::collection::vec(proptest::collection::vec(anything_said(), 1..5), 1..8)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let home = Home::new();
            let id = home.says("agent:main:main", "r1", "first").await.session.session_id;
            let mut expected = vec!["first".to_owned()];
            for batch in batches {
                for kind in &batch {
                    let EntryKind::Message { message } = kind else { panic!() };
                    expected.push(message.text());
                }
                home.store.transcripts().append(&id, batch).await.unwrap();
            }
            assert_eq!(texts(&context(&home, &id).await.entries), expected);
            assert_eq!(page_texts(&home.store.transcripts().page(&id, PageQuery::default()).await.unwrap()), expected);
        });
    }

    #[test]
    fn no_bytes_make_indexing_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let home = Home::new();
            let id = home.write_transcript("s1", "");
            std::fs::write(home.transcript(&id), &bytes).unwrap();
            assert_eq!(context(&home, &id).await.entries.len(), 0);
        });
    }
}

#[tokio::test]
async fn everybody_who_listens_hears_what_was_appended_while_somebody_wants_to() {
    let home = Home::new();
    let id = home.says("agent:main:main", "r1", "hi").await.session.session_id;
    let [(one, mut first), (other, mut second)] = [(); 2].map(|()| tokio::sync::mpsc::channel(8));
    home.store.listen_to_appends(one);
    home.store.listen_to_appends(other);
    home.store.transcripts().append(&id, vec![assistant("unheard")]).await.unwrap();
    home.store.want_appends(true);
    home.store.transcripts().append(&id, vec![assistant("heard")]).await.unwrap();
    for heard in [&mut first, &mut second] {
        let new = heard.recv().await.unwrap();
        assert_eq!(
            (&new.session_id, texts(new.entries.iter().map(|new| &new.entry))),
            (&id, vec!["heard".to_owned()])
        );
        assert!(heard.try_recv().is_err());
    }
}
