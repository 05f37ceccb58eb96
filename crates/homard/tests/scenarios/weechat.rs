//! A conversation with a person who uses a real IRC program (`weechat`) on a real server (`ngircd`).

use homard_testkit::{Ngircd, Weechat};
use serde_json::json;

use crate::scenarios::world::{OPENAI, World};

const ROOM: &str = "#den";

#[tokio::test]
async fn somebody_at_weechat_talks_with_it_in_private_and_in_a_room() {
    let server = Ngircd::start().await.unwrap();
    let mia = Weechat::start(server.port(), "mia", ROOM).await.unwrap();
    let port = server.port();
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["irc"] = json!({
            "host": "127.0.0.1", "port": port, "tls": false, "nick": "homard", "channels": [ROOM],
            "allowFrom": ["mia"], "groupPolicy": "open", "flood": {"intervalMs": 0},
        });
        config["messages"] = json!({"queue": {"debounceMs": 0}});
    })
    .await;
    mia.shows(ROOM, "homard (").await.unwrap();

    world.fake.says("the tide is **out**\n\n- bring boots\n- bring a lamp");
    mia.tells("homard", "how is the tide?").unwrap();
    let shown = mia.shows("homard", "bring a lamp").await.unwrap();
    assert!(shown.contains("bring boots") && !shown.contains("**"), "{shown}");

    world.fake.says("I am here.");
    mia.types(ROOM, "nobody in particular").unwrap();
    mia.types(ROOM, "homard: are you there?").unwrap();
    mia.shows(ROOM, "I am here.").await.unwrap();
    assert_eq!(world.fake.requests().len(), 2, "only who calls it by its name is answered in a room");
}
