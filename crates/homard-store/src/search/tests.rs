//! What a search finds, and that it forgets what is gone.

use proptest::prelude::{ProptestConfig, prop_assert, proptest};

use super::{SearchPage, SearchQuery};
use crate::engine::fixture::{Home, assistant, key};
use crate::sessions::{ArchiveTranscript, ArchivedFilter, ResetReason, RestoreWhich, SessionQuery};

async fn search(home: &Home, text: &str) -> SearchPage {
    home.store.search().find(SearchQuery { text: text.to_owned(), ..SearchQuery::default() }).await.unwrap()
}

async fn keys(home: &Home, text: &str) -> Vec<String> {
    let mut keys: Vec<String> =
        search(home, text).await.hits.iter().map(|hit| hit.session_key.to_string()).collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn words_are_found_in_whatever_script_they_were_written() {
    let home = Home::new();
    for (name, text) in [
        ("a", "The deployment of the Größenwahn server failed"),
        ("b", "我想去東京看櫻花"),
        ("c", "Привет, как дела?"),
        ("d", "snake_case and kebab-case words"),
    ] {
        home.says(&format!("agent:main:{name}"), &format!("r{name}"), text).await;
    }
    for (question, found) in [
        ("deploy", Some("a")),
        ("FAILED server", Some("a")),
        ("grossenwahn", None),
        ("größenwahn", Some("a")),
        ("grö", Some("a")),
        ("\"server failed\"", Some("a")),
        ("\"failed server\"", None),
        ("東京", Some("b")),
        ("京東", None),
        ("櫻", Some("b")),
        ("привет", Some("c")),
        ("kebab-case", Some("d")),
        ("nothing", None),
        ("server NOT failed", Some("a")),
        ("* OR (", None),
    ] {
        let expected: Vec<String> = found.map(|name| format!("agent:main:{name}")).into_iter().collect();
        assert_eq!(keys(&home, question).await, expected, "{question}");
    }
}

#[tokio::test]
async fn of_a_question_some_words_are_enough_and_rare_ones_weigh_more() {
    let home = Home::new();
    for (key, text) in [
        ("agent:main:a", "we talked about the weather and the garden"),
        ("agent:main:b", "we settled on the blue tiles for the bathroom"),
        ("agent:main:c", "about the dog"),
    ] {
        home.says(key, key, text).await;
    }
    let found = search(&home, "what did we decide about the bathroom?").await;
    assert_eq!(found.hits[0].session_key.to_string(), "agent:main:b");
    assert_eq!(keys(&home, "\"the bathroom tiles\"").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hit_says_where_it_stands_and_answers_are_found_too() {
    let home = Home::new();
    let started = home.says("agent:main:a", "r1", "what is a lobster?").await;
    home.store
        .transcripts()
        .append(&started.session.session_id, vec![assistant("A crustacean.")])
        .await
        .unwrap();
    let page = search(&home, "lobster").await;
    let hit = &page.hits[0];
    assert_eq!((page.hits.len(), page.truncated, page.indexing), (1, false, false));
    assert_eq!((&hit.entry_id, hit.role.as_str()), (&started.entry_id, "user"));
    assert_eq!((hit.snippet.as_str(), &hit.session_id), ("what is a lobster?", &started.session.session_id));
    assert!(hit.score > 0.0);
    assert_eq!(search(&home, "crustacean").await.hits[0].role, "assistant");
}

#[tokio::test]
async fn what_was_reset_or_deleted_is_not_found_until_it_is_back() {
    let home = Home::new();
    home.says("agent:main:a", "r1", "treasure island").await;
    home.says("agent:main:b", "r2", "treasure chest").await;
    assert_eq!(keys(&home, "treasure").await, ["agent:main:a", "agent:main:b"]);
    home.store.sessions().reset(&key("agent:main:a"), ResetReason::Reset).await.unwrap();
    assert_eq!(keys(&home, "treasure").await, ["agent:main:b"]);
    home.store.sessions().delete(&key("agent:main:b"), ArchiveTranscript::Keep).await.unwrap();
    assert_eq!(keys(&home, "treasure").await, Vec::<String>::new());
    home.store.sessions().restore(RestoreWhich::Key(key("agent:main:b"))).await.unwrap();
    assert_eq!(keys(&home, "treasure").await, ["agent:main:b"]);
    let home = home.reopen().await;
    assert_eq!(keys(&home, "treasure").await, ["agent:main:b"]);
}

#[tokio::test]
async fn the_index_can_be_thrown_away() {
    let home = Home::new();
    home.says("agent:main:a", "r1", "treasure").await;
    assert_eq!(keys(&home, "treasure").await.len(), 1);
    home.store.search().rebuild().await.unwrap();
    assert_eq!(keys(&home, "treasure").await.len(), 1);
}

#[tokio::test]
async fn a_search_keeps_to_the_sessions_it_was_given() {
    let home = Home::new();
    for name in ["a", "b", "c"] {
        home.says(&format!("agent:main:{name}"), &format!("r{name}"), "treasure").await;
    }
    home.store.sessions().patch(&key("agent:main:c"), |entry| entry.archived_at = Some(1)).await.unwrap();
    let within = |within: SessionQuery, limit| SearchQuery { text: "treasure".to_owned(), limit, within };
    let base = SessionQuery::default;
    for (query, count, truncated) in [
        (within(base(), 0), 2, false),
        (within(base(), 1), 1, true),
        (within(SessionQuery { keys: Some(vec![key("agent:main:a")]), ..base() }, 0), 1, false),
        (within(SessionQuery { archived: ArchivedFilter::All, ..base() }, 0), 3, false),
        (within(SessionQuery { archived: ArchivedFilter::Archived, ..base() }, 0), 1, false),
        (within(SessionQuery { active_since: Some(i64::MAX), ..base() }, 0), 0, false),
    ] {
        let page = home.store.search().find(query.clone()).await.unwrap();
        assert_eq!((page.hits.len(), page.truncated), (count, truncated), "{query:?}");
    }
}

#[tokio::test]
async fn transcripts_nobody_has_opened_are_found() {
    let home = Home::new();
    let id = home.says("agent:main:a", "r1", "treasure map").await.session.session_id;
    home.store
        .write(|batch| {
            batch.execute("DELETE FROM transcripts", [])?;
            batch.execute("DELETE FROM transcript_entries", [])?;
            batch.execute("INSERT INTO transcript_words (transcript_words) VALUES ('delete-all')", [])?;
            Ok(())
        })
        .await
        .unwrap();
    let home = home.reopen().await;
    let page = search(&home, "treasure").await;
    assert_eq!((page.hits.len(), &page.hits[0].session_id), (1, &id));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn every_word_that_was_said_is_found_and_shown(words in proptest::collection::vec("[a-zåéñ]{3,9}", 1..60), at in 0usize..60) {
        let word = words[at % words.len()].clone();
        let text = words.join(" ");
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let page = runtime.block_on(async {
            let home = Home::new();
            home.says("agent:main:a", "r1", &text).await;
            search(&home, &word).await
        });
        prop_assert!(page.hits.len() == 1 && page.hits[0].snippet.contains(&word), "{word} in {text}: {page:?}");
    }
}
