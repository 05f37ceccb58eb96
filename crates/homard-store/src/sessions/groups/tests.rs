//! Drawers: what becomes of the conversations in them.

use super::GroupDefaults;
use crate::engine::fixture::{Home, key};

async fn names(home: &Home) -> Vec<String> {
    home.store.groups().list().await.unwrap().into_iter().map(|group| group.name).collect()
}

async fn drawer_of(home: &Home, name: &str) -> Option<String> {
    home.store.sessions().get(&key(name)).await.unwrap().unwrap().entry.category
}

#[tokio::test]
async fn conversations_follow_their_drawer_and_outlive_it() {
    let home = Home::new();
    let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    home.store.groups().put(list(["work", "home"])).await.unwrap();
    for (name, drawer) in [("agent:main:a", "work"), ("agent:main:b", "home")] {
        let drawer = Some(drawer.to_owned());
        home.store.sessions().patch(&key(name), move |entry| entry.category = drawer).await.unwrap();
    }
    let (_, moved) = home.store.groups().rename("work", "job").await.unwrap().unwrap();
    assert_eq!((moved, names(&home).await), (1, list(["job", "home"])));
    assert_eq!(drawer_of(&home, "agent:main:a").await.as_deref(), Some("job"));
    assert!(home.store.groups().rename("work", "x").await.unwrap().is_none());

    let (left, moved) = home.store.groups().put(list(["home", "new"])).await.unwrap();
    assert_eq!((left[0].name.as_str(), left[1].name.as_str(), moved), ("home", "new", 1));
    assert_eq!(drawer_of(&home, "agent:main:a").await, None);
    home.store.groups().delete("home").await.unwrap();
    assert_eq!(drawer_of(&home, "agent:main:b").await, None);
    assert_eq!(names(&home).await, ["new"]);

    let wanted = GroupDefaults { name: "new".into(), cwd: Some("/tmp".into()), worktree: true };
    assert!(home.store.groups().update(wanted.clone()).await.unwrap());
    assert_eq!(home.store.groups().defaults().await.unwrap(), std::slice::from_ref(&wanted));
    assert!(!home.store.groups().update(GroupDefaults { name: "none".into(), ..wanted }).await.unwrap());
}
