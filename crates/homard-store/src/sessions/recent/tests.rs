//! What is kept in memory is what the database holds, whatever was done.

use homard_protocol::{SessionKey, Word};
use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_oneof};
use proptest::strategy::Just;
use proptest::test_runner::{Config, TestRunner};

use super::MOST;
use crate::engine::fixture::{Home, key};
use crate::sessions::{ArchiveTranscript, ResetReason, RestoreWhich, load};
use crate::{SessionRecord, StoreError};

#[derive(Debug, Clone)]
enum Deed {
    Think(String),
    Label(String),
    Reset,
    Delete,
    Restore,
    /// Changes the row, then fails.
    Fail,
}

fn deeds() -> impl Strategy<Value = Vec<(usize, Deed)>> {
    let deed = prop_oneof![
        "[a-c]{1,2}".prop_map(Deed::Think),
        "[a-c]".prop_map(Deed::Label),
        Just(Deed::Reset),
        Just(Deed::Delete),
        Just(Deed::Restore),
        Just(Deed::Fail),
    ];
    vec((0_usize..3, deed), 1..24)
}

async fn held(home: &Home, key: &SessionKey) -> Option<SessionRecord> {
    let key = key.clone();
    home.store.read(move |cx| load(cx.conn, &key)).await.unwrap()
}

async fn do_it(home: &Home, key: &SessionKey, deed: Deed) {
    let sessions = home.store.sessions();
    // Some are refused (a label that is taken, nothing to bring back): then nothing may have changed either.
    match deed {
        Deed::Think(level) => {
            drop(sessions.patch(key, |entry| entry.thinking_level = Some(Word::of(level))).await);
        }
        Deed::Label(label) => drop(sessions.patch(key, |entry| entry.label = Some(label)).await),
        Deed::Reset => drop(sessions.reset(key, ResetReason::New).await),
        Deed::Delete => drop(sessions.delete(key, ArchiveTranscript::Keep).await),
        Deed::Restore => drop(sessions.restore(RestoreWhich::Key(key.clone())).await),
        Deed::Fail => {
            let key = key.clone();
            let failed = home.store.write(move |batch| {
                let mut draft = crate::sessions::load_or_new(batch, &key, None)?;
                draft.record.entry.thinking_level = Some(Word::of("never"));
                crate::sessions::save(batch, &mut draft)?;
                Err::<(), _>(StoreError::Closed)
            });
            assert!(failed.await.is_err());
        }
    }
}

#[test]
fn a_row_in_memory_is_the_row_in_the_database() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&deeds(), |deeds| {
        runtime.block_on(async {
            let home = Home::new();
            let keys = ["agent:main:a", "agent:main:b", "agent:main:c"].map(key);
            for (which, deed) in deeds {
                do_it(&home, &keys[which], deed).await;
                for key in &keys {
                    assert_eq!(home.store.sessions().get(key).await.unwrap(), held(&home, key).await);
                }
            }
            home.store.close().await;
        });
        Ok(())
    });
    ran.unwrap();
}

#[tokio::test]
async fn only_so_many_are_kept_and_all_are_found() {
    let home = Home::new();
    let keys: Vec<SessionKey> = (0..MOST + 5).map(|n| key(&format!("agent:main:k{n}"))).collect();
    for key in &keys {
        home.store.sessions().patch(key, |_| ()).await.unwrap();
    }
    assert_eq!(home.store.recent_sessions().rows.lock().kept.len(), MOST);
    for key in &keys {
        assert_eq!(home.store.sessions().get(key).await.unwrap().map(|it| it.key), Some(key.clone()));
    }
}
