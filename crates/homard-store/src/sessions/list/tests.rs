//! Which rows a list shows, and that it finds them by an index.

use std::time::Duration;

use homard_protocol::AgentId;

use super::{ArchivedFilter, Filter, SessionQuery, SessionSort, page_sql, walk_sql};
use crate::SessionKind;
use crate::engine::fixture::{Home, key};

#[tokio::test]
async fn a_list_of_ten_thousand_sessions_walks_one_index() {
    let home = Home::new();
    home.store
        .write(|batch| {
            for n in 0..10_000 {
                let mut draft = crate::sessions::load_or_new(batch, &key(&format!("agent:main:s{n}")), None)?;
                draft.record.entry.updated_at += n;
                crate::sessions::save(batch, &mut draft)?;
            }
            Ok(())
        })
        .await
        .unwrap();
    let agent = || Some(AgentId::main());
    for (query, archived, index) in [
        (SessionQuery::default(), 0, "sessions_recent"),
        (SessionQuery { agent: agent(), ..SessionQuery::default() }, 0, "sessions_agent_recent"),
        (SessionQuery { active_since: Some(1), ..SessionQuery::default() }, 0, "sessions_recent"),
        (SessionQuery::default(), 1, "sessions_archived"),
        (SessionQuery { agent: agent(), ..SessionQuery::default() }, 1, "sessions_agent_archived"),
        (sorted(SessionSort::Interaction), 0, "sessions_recent"),
        (sorted(SessionSort::Interaction), 1, "sessions_archived"),
        (sorted(SessionSort::Activity), 0, "sessions_recent"),
        (
            SessionQuery { agents: Some(vec![AgentId::main()]), ..SessionQuery::default() },
            0,
            "sessions_recent",
        ),
        (SessionQuery { label: Some("a".into()), ..SessionQuery::default() }, 0, "sessions_by_name"),
        (SessionQuery { pinned: Some(true), ..SessionQuery::default() }, 0, "sessions_pinned"),
        (SessionQuery { category: Some("a".into()), ..SessionQuery::default() }, 0, "sessions_by_category"),
        (SessionQuery { spawned_by: Some("a".into()), ..SessionQuery::default() }, 0, "sessions_by_parent"),
    ] {
        let filter = Filter::all(&query);
        let sql = match query.sort {
            SessionSort::Updated => page_sql(&filter, archived, 50, 0),
            sort => walk_sql(&filter, sort, archived),
        };
        let sql = format!("EXPLAIN QUERY PLAN {sql}");
        let plan = home
            .store
            .read(move |cx| {
                let mut statement = cx.conn.prepare(&sql)?;
                let rows =
                    statement.query_map(rusqlite::params_from_iter(filter.values), |row| row.get(3))?;
                Ok(rows.collect::<Result<Vec<String>, _>>()?.join("; "))
            })
            .await
            .unwrap();
        assert!(plan.contains(&format!("INDEX {index}")), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
    let page =
        home.store.sessions().list(SessionQuery { limit: 3, ..SessionQuery::default() }).await.unwrap();
    assert_eq!(page.total, 10_000);
    let keys: Vec<String> = page.rows.iter().map(|row| row.key.to_string()).collect();
    assert_eq!(keys, ["agent:main:s9999", "agent:main:s9998", "agent:main:s9997"]);
}

fn sorted(sort: SessionSort) -> SessionQuery {
    SessionQuery { sort, require_interaction: true, ..SessionQuery::default() }
}

async fn names(home: &Home, query: SessionQuery) -> Vec<String> {
    let page = home.store.sessions().list(query).await.unwrap();
    page.rows.iter().map(|row| row.key.to_string()).collect()
}

#[tokio::test]
async fn a_list_is_sorted_by_what_was_asked_for() {
    let home = Home::new();
    for (name, interaction, activity) in
        [("agent:main:a", Some(1), Some(9)), ("agent:main:b", Some(2), None), ("agent:main:c", None, None)]
    {
        home.clock.advance(Duration::from_millis(1));
        home.store
            .sessions()
            .patch(&key(name), move |entry| {
                (entry.last_interaction_at, entry.last_activity_at) = (interaction, activity);
            })
            .await
            .unwrap();
    }
    let by = |sort| SessionQuery { sort, ..SessionQuery::default() };
    let rows: [(SessionQuery, &[&str]); 4] = [
        (by(SessionSort::Updated), &["agent:main:c", "agent:main:b", "agent:main:a"]),
        (by(SessionSort::Interaction), &["agent:main:b", "agent:main:a", "agent:main:c"]),
        (by(SessionSort::Activity), &["agent:main:a", "agent:main:b", "agent:main:c"]),
        (sorted(SessionSort::Interaction), &["agent:main:b", "agent:main:a"]),
    ];
    for (query, expected) in rows {
        assert_eq!(names(&home, query.clone()).await, expected, "{query:?}");
    }
}

#[tokio::test]
async fn a_page_by_activity_is_a_part_of_the_whole_list_whatever_changed_since() {
    let home = Home::new();
    // What happened is older than the change for some, missing for some, later (as another program may say) for some.
    let happened = [Some(7), None, Some(3), Some(9), Some(3), None, Some(i64::MAX), Some(8)];
    for (n, at) in happened.into_iter().enumerate() {
        home.clock.advance(Duration::from_millis(1));
        let change = move |entry: &mut crate::SessionEntry| entry.last_activity_at = at;
        home.store.sessions().patch(&key(&format!("agent:main:s{n}")), change).await.unwrap();
    }
    let all = ["s6", "s3", "s7", "s0", "s2", "s4", "s1", "s5"].map(|name| format!("agent:main:{name}"));
    for (limit, offset) in [(8, 0), (1, 0), (2, 0), (3, 2), (1, 5), (4, 6), (2, 8)] {
        let query = SessionQuery { sort: SessionSort::Activity, limit, offset, ..SessionQuery::default() };
        let expected: Vec<String> = all.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!(names(&home, query).await, expected, "{limit} after {offset}");
    }
}

#[tokio::test]
async fn pages_of_rows_of_one_moment_neither_repeat_nor_skip() {
    let home = Home::new();
    let mut all: Vec<String> = (0..7).map(|n| format!("agent:main:s{n}")).collect();
    for name in &all {
        home.store.sessions().patch(&key(name), |_| {}).await.unwrap();
    }
    let mut paged = Vec::new();
    for offset in (0..8).step_by(2) {
        paged.extend(names(&home, SessionQuery { limit: 2, offset, ..SessionQuery::default() }).await);
    }
    paged.sort();
    all.sort();
    assert_eq!(paged, all);
}

#[tokio::test]
async fn drawers_and_known_agents_choose_rows_and_totals_alike() {
    let home = Home::new();
    for (name, category) in
        [("agent:main:a", Some("work")), ("agent:main:b", None), ("agent:gone:c", Some("work"))]
    {
        let category = category.map(str::to_owned);
        home.store.sessions().patch(&key(name), move |entry| entry.category = category).await.unwrap();
    }
    let agents = || Some(vec![AgentId::main()]);
    let base = SessionQuery::default;
    for (query, count) in [
        (SessionQuery { category: Some("work".into()), ..base() }, 2),
        (SessionQuery { category: Some("work".into()), agents: agents(), ..base() }, 1),
        (SessionQuery { agents: agents(), ..base() }, 2),
        (SessionQuery { category: Some("home".into()), ..base() }, 0),
        (SessionQuery { agents: Some(Vec::new()), ..base() }, 0),
    ] {
        let page = home.store.sessions().list(query.clone()).await.unwrap();
        assert_eq!((page.rows.len(), page.total), (count, count as u64), "{query:?}");
    }
}

#[tokio::test]
async fn filters_choose_rows_and_totals_alike() {
    let home = Home::new();
    for name in [
        "global",
        "unknown",
        "agent:main:main",
        "agent:main:telegram:group:1",
        "agent:main:subagent:x",
        "agent:main:cron:nightly",
        "agent:work:main",
    ] {
        home.clock.advance(Duration::from_millis(1));
        home.store.sessions().patch(&key(name), |_| {}).await.unwrap();
    }
    home.clock.advance(Duration::from_millis(1));
    let put_away = key("agent:main:old_100%");
    home.store.sessions().patch(&put_away, |entry| entry.archived_at = Some(1)).await.unwrap();
    home.store
        .sessions()
        .patch(&key("agent:main:main"), |entry| entry.label = Some("Home".into()))
        .await
        .unwrap();

    let main = || Some(AgentId::main());
    let base = SessionQuery::default;
    let rows: [(SessionQuery, &[&str]); 8] = [
        (
            base(),
            &[
                "agent:main:main",
                "agent:work:main",
                "agent:main:cron:nightly",
                "agent:main:subagent:x",
                "agent:main:telegram:group:1",
            ],
        ),
        (
            SessionQuery {
                exclude_kinds: vec![SessionKind::Cron, SessionKind::Subagent],
                include_global: true,
                include_unknown: true,
                ..base()
            },
            &["agent:main:main", "agent:work:main", "agent:main:telegram:group:1", "unknown", "global"],
        ),
        (SessionQuery { archived: ArchivedFilter::Archived, ..base() }, &["agent:main:old_100%"]),
        (SessionQuery { agent: AgentId::parse("work").ok(), ..base() }, &["agent:work:main"]),
        (SessionQuery { search: Some("GROUP".into()), ..base() }, &["agent:main:telegram:group:1"]),
        (
            SessionQuery { search: Some("_100%".into()), archived: ArchivedFilter::All, ..base() },
            &["agent:main:old_100%"],
        ),
        (SessionQuery { label: Some("Home".into()), agent: main(), ..base() }, &["agent:main:main"]),
        (SessionQuery { search: Some("%".into()), ..base() }, &[]),
    ];
    for (query, expected) in rows {
        let page = home.store.sessions().list(query.clone()).await.unwrap();
        let keys: Vec<String> = page.rows.iter().map(|row| row.key.to_string()).collect();
        assert_eq!(keys, expected, "{query:?}");
        assert_eq!(page.total, expected.len() as u64, "{query:?}");
    }
    let all = SessionQuery { archived: ArchivedFilter::All, limit: 2, offset: 1, ..base() };
    let page = home.store.sessions().list(all).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (2, 6));
    assert_eq!(home.store.sessions().count(None).await.unwrap(), 8);
    assert_eq!(home.store.sessions().count(Some(&AgentId::parse("work").unwrap())).await.unwrap(), 1);
    assert_eq!(home.store.sessions().recent(2).await.unwrap().len(), 2);
}
