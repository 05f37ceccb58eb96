//! Strangers on chat platforms wait to be let in, and the owner answers: over the wire and on the command line.

use homard_testkit::{FakeLlm, TestGateway, TestHome};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{OPENAI, World, as_owner, config, launch};

/// A world in which some people wait. Nobody listens where the account would connect to.
async fn with_waiting(people: &[(&str, &str, &str)]) -> World {
    with_waiting_on("irc", people).await
}

async fn with_waiting_on(channel: &str, people: &[(&str, &str, &str)]) -> World {
    let fake = FakeLlm::start().await.unwrap();
    let server = json!({"host": "127.0.0.1", "port": 1, "tls": false, "nick": "homard"});
    let bot = json!({"botToken": "1:x", "apiRoot": "http://127.0.0.1:1"});
    let section = if channel == "irc" { server } else { bot };
    let config = config(&fake, OPENAI, |config| config["channels"] = json!({channel: section}));
    let home = TestHome::with_config(&config).unwrap();
    let now = jiff::Timestamp::now().to_string();
    let requests = people.iter().map(|(id, code, account)| {
        json!({"id": id, "code": code, "createdAt": now, "lastSeenAt": now,
            "meta": {"accountId": account, "name": format!("{id} the stranger")}})
    });
    let file = json!({"version": 1, "requests": requests.collect::<Vec<_>>()});
    let credentials = home.state_dir().join("credentials");
    std::fs::create_dir_all(&credentials).unwrap();
    std::fs::write(credentials.join(format!("{channel}-pairing.json")), file.to_string()).unwrap();
    World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake }
}

fn answer(account: &str, code: &str) -> Value {
    json!({"channel": "irc", "accountId": account, "requestId": code})
}

#[tokio::test]
async fn who_waits_is_listed_let_in_or_forgotten() {
    let world = with_waiting(&[("ada", "ABCDEFGH", "default"), ("eve", "ABCDEFG2", "default")]).await;
    let mut owner = world.owner().await;
    let listed = owner.call("channels.pairing.list", json!({})).await.unwrap();
    assert_eq!(
        listed["accounts"],
        json!([{"channel": "irc", "channelLabel": "irc", "accountId": "default", "notifySupported": true}])
    );
    let ada = listed["requests"].as_array().unwrap().iter().find(|row| row["senderId"] == "ada").unwrap();
    assert_eq!(
        json!([ada["requestId"], ada["senderLabel"], ada["metadata"]["name"], ada["accountId"]]),
        json!(["ABCDEFGH", "ada the stranger", "ada the stranger", "default"])
    );
    let time = |field: &str| ada[field].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert_eq!(time("expiresAt").duration_since(time("createdAt")).as_secs(), 3600);
    let none = owner.call("channels.pairing.list", json!({"accountId": "work"})).await.unwrap();
    assert_eq!(json!([none["accounts"], none["requests"]]), json!([[], []]));

    let approved = owner.call("channels.pairing.approve", answer("default", "abcdefgh")).await.unwrap();
    assert_eq!(
        json!([approved["senderId"], approved["notification"], approved["commandOwnerBootstrap"]]),
        json!(["ada", "not-requested", "not-requested"])
    );
    let dismissed = owner.call("channels.pairing.dismiss", answer("default", "ABCDEFG2")).await.unwrap();
    assert_eq!(dismissed, json!({"requestId": "ABCDEFG2", "senderId": "eve"}));
    let listed = owner.call("channels.pairing.list", json!({"channel": "irc"})).await.unwrap();
    assert_eq!(listed["requests"], json!([]));
    let gone = "pending DM access request no longer exists";
    let refused = [
        ("channels.pairing.approve", answer("default", "ABCDEFGH"), gone),
        ("channels.pairing.approve", answer("default", ""), gone),
        ("channels.pairing.dismiss", answer("default", "ABCDEFG2"), gone),
        (
            "channels.pairing.dismiss",
            answer("nobody", "ABCDEFG2"),
            "channel account does not use DM pairing: irc:nobody",
        ),
        ("channels.pairing.list", json!({"channel": "nowhere"}), "unknown pairing channel: nowhere"),
    ];
    for (method, params, words) in refused {
        let error = owner.request(method, params).await.unwrap()["error"].take();
        assert_eq!(json!([error["code"], error["message"]]), json!(["INVALID_REQUEST", words]));
    }
}

#[tokio::test]
async fn the_first_to_be_let_in_becomes_the_owner_only_if_an_admin_says_so() {
    let people = [("42", "ABCDEFGH", "default"), ("43", "ABCDEFG2", "default")];
    let world = with_waiting_on("telegram", &people).await;
    let mut helper = world.with_scopes(&["operator.pairing"]).await;
    let as_owner = |code: &str| {
        let mut params = answer("default", code);
        params["channel"] = json!("telegram");
        params["bootstrapCommandOwner"] = json!(true);
        params
    };
    let error =
        helper.request("channels.pairing.approve", as_owner("ABCDEFGH")).await.unwrap()["error"].take();
    assert_eq!(error["message"], "missing scope: operator.admin");
    let mut owner = world.owner().await;
    let approved = owner.call("channels.pairing.approve", as_owner("ABCDEFGH")).await.unwrap();
    assert_eq!(approved["commandOwnerBootstrap"], "configured");
    let config = owner.call("config.get", json!({})).await.unwrap();
    assert_eq!(config["config"]["commands"]["ownerAllowFrom"], json!(["telegram:42"]));
    let approved = owner.call("channels.pairing.approve", as_owner("ABCDEFG2")).await.unwrap();
    assert_eq!(approved["commandOwnerBootstrap"], "already-configured");
    let listed = owner.call("channels.pairing.list", json!({})).await.unwrap();
    assert_eq!(listed["commandOwnerConfigured"], true);
}

#[tokio::test]
async fn a_name_that_anybody_can_take_does_not_become_the_owners() {
    let world = with_waiting(&[("ada", "ABCDEFGH", "default")]).await;
    let mut owner = world.owner().await;
    let mut params = answer("default", "ABCDEFGH");
    params["bootstrapCommandOwner"] = json!(true);
    let approved = owner.call("channels.pairing.approve", params).await.unwrap();
    assert_eq!(
        (&approved["senderId"], &approved["commandOwnerBootstrap"]),
        (&json!("ada"), &json!("unavailable"))
    );
    let config = owner.call("config.get", json!({})).await.unwrap();
    assert_eq!(config["config"]["commands"]["ownerAllowFrom"], json!(null));
}

async fn homard(world: &World, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(crate::homard());
    command.arg("pairing").args(args).args(["--url", &world.gateway.url()]);
    let output = as_owner(command, world.gateway.home()).output().await.unwrap();
    let all = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(all).unwrap())
}

#[tokio::test]
async fn the_command_line_lists_and_answers_strangers() {
    let people =
        [("ada", "ABCDEFGH", "default"), ("eve", "ABCDEFG2", "work"), ("bob", "ABCDEFG3", "default")];
    let world = with_waiting(&people).await;
    let (_, said) = homard(&world, &["list", "irc"]).await;
    for part in ["CODE", "ABCDEFGH", "ada the stranger", "work"] {
        assert!(said.contains(part), "{said}");
    }
    let (ok, said) = homard(&world, &["approve", "irc", "abcdefgh", "--notify"]).await;
    assert!(ok && said.contains("let in: ada the stranger on irc"), "{said}");
    let (ok, said) = homard(&world, &["approve", "ABCDEFG2", "--account", "work", "--json"]).await;
    let approved: Value = serde_json::from_str(&said).unwrap();
    assert!(ok && approved["senderId"] == "eve", "{said}");
    let (ok, said) = homard(&world, &["dismiss", "ABCDEFG3"]).await;
    assert!(ok && said.contains("forgotten: bob the stranger"), "{said}");
    let refused = [
        (vec!["approve", "irc", "ABCDEFGH"], "nobody waits with the code `ABCDEFGH`"),
        (vec!["list", "nowhere"], "unknown pairing channel: nowhere"),
    ];
    for (args, words) in refused {
        let (ok, said) = homard(&world, &args).await;
        assert!(!ok && said.contains(words), "{said}");
    }
    let (ok, said) = homard(&world, &[]).await;
    assert!(ok && said.contains("nobody waits"), "{said}");
}
