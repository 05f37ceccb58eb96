//! What commands of the assistant cannot do, whatever they are called: see the gateway's records, and outlive it.

use serde_json::json;

use crate::scenarios::attacks::last_result;
use crate::scenarios::background::is_alive;
use crate::scenarios::world::{KEY, OPENAI, World, talk, until};

/// What stands in the gateway's records.
const SECRET: &str = "canary-5be20c";

/// A gateway with something in its records, and a file in its workspace.
async fn start(hides: Option<bool>) -> World {
    let world = World::start_with(OPENAI, |config| {
        // Nobody is asked: the kernel alone stands between.
        config["tools"]["taint"] = json!({"mode": "off"});
        if let Some(hides) = hides {
            config["tools"]["exec"] = json!({"hideRecords": hides});
        }
    })
    .await;
    let state = world.gateway.home().state_dir();
    std::fs::create_dir_all(state.join("workspace")).unwrap();
    std::fs::create_dir_all(state.join("agents/other")).unwrap();
    std::fs::write(state.join("workspace/notes.md"), "the owner's notes").unwrap();
    std::fs::write(state.join("agents/other/talk.jsonl"), SECRET).unwrap();
    world
}

/// What a command in the owner's own conversation prints.
async fn run(world: &World, command: &str) -> String {
    let mut owner = world.owner().await;
    world.fake.calls("exec", json!({"command": command})).says("done");
    talk(&mut owner, KEY, "do it").await;
    last_result(world)
}

#[tokio::test]
async fn a_command_does_not_see_the_gateways_records() {
    let world = start(Some(true)).await;
    let state = world.gateway.home().state_dir();
    let state = state.display();
    let notes = run(&world, "cat notes.md && echo more >> notes.md && tail -n 1 notes.md").await;
    // Where the kernel has no such thing, a command is not run at all: that was asked for.
    let is_possible = !notes.contains("cannot be hidden");
    assert!(!is_possible || (notes.contains("the owner's notes") && notes.contains("more")), "{notes}");
    for command in [
        format!("cat {state}/agents/other/talk.jsonl"),
        "cat ../agents/other/talk.jsonl".to_owned(),
        "cd .. && cat agents/*/*.jsonl".to_owned(),
        format!("cat /proc/self/root{state}/agents/other/talk.jsonl"),
        format!("setsid -w cat {state}/agents/other/talk.jsonl"),
        format!("grep -r canary {state} ~ . .. 2>/dev/null"),
        "find ~ .. -name talk.jsonl -exec cat {} + 2>/dev/null".to_owned(),
        format!("cp -r {state} /dev/stdout; ls -laR {state}"),
    ] {
        let result = run(&world, &command).await;
        assert!(!result.contains(SECRET) && !result.contains("homard.sqlite"), "{command}: {result}");
    }
    if is_possible {
        let written = run(&world, "echo x > ../homard.json").await;
        assert!(written.contains("Read-only file system"), "{written}");
    }
}

#[tokio::test]
async fn records_stay_in_sight_where_the_owner_wants_it() {
    let world = start(Some(false)).await;
    assert!(run(&world, "cat ../agents/other/talk.jsonl").await.contains(SECRET));
}

#[tokio::test]
async fn records_are_hidden_unasked_where_it_costs_nothing() {
    let world = start(None).await;
    let may = run(&world, "unshare --mount true && echo may $((1 + 1))").await.contains("may 2");
    let result = run(&world, "cat ../agents/other/talk.jsonl").await;
    assert_eq!(result.contains(SECRET), !may, "{result}");
}

#[tokio::test]
async fn what_leaves_its_session_ends_with_its_command_and_with_the_gateway() {
    let mut world = start(None).await;
    let file = world.gateway.home().path().join("pid");
    let daemon = |name: &str| {
        format!(
            "(setsid sh -c 'echo $$ > {0}.{name}.new; mv {0}.{name}.new {0}.{name}; exec sleep 600' >/dev/null 2>&1 &)",
            file.display()
        )
    };
    let began = |name: &str| {
        let file = file.with_file_name(format!("pid.{name}"));
        async move { until("the process to begin", || async { std::fs::read_to_string(&file).ok() }).await }
    };
    // Its parent is gone, its session is its own: it still belongs to the command, and ends when its time is up.
    let mut owner = world.owner().await;
    let line = format!("{}; sleep 600", daemon("a"));
    world.fake.calls("exec", json!({"command": line, "timeout": 3})).says("done");
    let (_, pid) = tokio::join!(talk(&mut owner, KEY, "do it"), began("a"));
    until("what the command started to end", || async { (!is_alive(&pid)).then_some(()) }).await;
    // One whose command has ended by itself was detached on purpose. It ends with the gateway.
    run(&world, &daemon("b")).await;
    let pid = began("b").await;
    assert!(is_alive(&pid));
    world.gateway.terminate().await.unwrap();
    assert!(!is_alive(&pid), "it outlived the gateway");
}
