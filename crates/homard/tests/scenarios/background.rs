//! Commands in the background of a conversation: it hears when they end, and they end with it.

use serde_json::json;

use crate::scenarios::world::{KEY, World, history, say, talk, text_of, until};

/// Whether the process still runs; one that nobody reaped does not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next()).is_some_and(|state| state != 'Z')
}

/// The newest request, as text.
fn asked(world: &World) -> String {
    world.fake.requests().pop().unwrap().body.to_string()
}

#[tokio::test]
async fn the_end_of_a_command_is_told_with_the_next_turn_and_only_once() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("exec", json!({"command": "echo no rule to make it; exit 3", "background": true}));
    world.fake.says("it builds");
    talk(&mut client, KEY, "build it").await;
    let mut turns = 0;
    while !asked(&world).contains("System: [") {
        turns += 1;
        assert!(turns < 200, "nobody heard of it");
        talk(&mut client, KEY, "and?").await;
    }
    let told = asked(&world);
    for part in ["`echo no rule to make it; exit 3`", "ended with code 3", "no rule to make it"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    talk(&mut client, KEY, "go on").await;
    assert_eq!(asked(&world).matches("ended with code 3").count(), 1, "it stays in the conversation once");
    let shown: String = history(&mut client, KEY).await.iter().map(text_of).collect();
    assert!(!shown.contains("System: ["), "people are not shown it: {shown}");
}

#[tokio::test]
async fn commands_end_when_their_conversation_begins_anew_or_is_deleted() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let other = "agent:main:other";
    for (key, delete) in [(KEY, false), (other, true)] {
        let file = world.gateway.home().path().join(if delete { "deleted" } else { "reset" });
        let line = format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", file.display());
        world.fake.calls("exec", json!({"command": line, "background": true})).says("it runs");
        talk(&mut client, key, "serve").await;
        let pid = until("the command to begin", || async { std::fs::read_to_string(&file).ok() }).await;
        assert!(is_alive(&pid), "{key}");
        if delete {
            client.call("sessions.delete", json!({"key": key})).await.unwrap();
        } else {
            client.call("sessions.reset", json!({"key": key})).await.unwrap();
        }
        until("the command to end", || async { (!is_alive(&pid)).then_some(()) }).await;
    }
}

#[tokio::test]
async fn a_command_that_multiplies_is_ended_and_the_model_is_told() {
    let world = World::start().await;
    let mut client = world.owner().await;
    // Harmless: the processes sleep, and end by themselves if nobody ends them.
    let line = "for n in $(seq 600); do sleep 20 & done; wait";
    world.fake.calls("exec", json!({"command": line})).says("oh");
    let run = say(&mut client, KEY, "multiply").await;
    client.wait_chat_final(&run).await.unwrap();
    assert!(asked(&world).contains("too many processes"), "{}", asked(&world));
}
