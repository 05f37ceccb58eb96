//! A day of ordinary use by the owner, at the page and on Telegram: what they do most, and how often they are asked.
//! A change that asks more often than this is felt every day.

use homard_testkit::{FakeTelegram, FakeWeb, SearchAnswer};
use serde_json::{Value, json};

use crate::scenarios::world::{OPENAI, World, talk};

/// The owner on Telegram.
const OWNER: i64 = 42;

/// What the model does in one turn of the owner's.
struct Turn {
    session: &'static str,
    says: &'static str,
    does: Vec<(&'static str, Value)>,
}

fn turn(session: &'static str, says: &'static str, does: Vec<(&'static str, Value)>) -> Turn {
    Turn { session, says, does }
}

fn at_the_page() -> Vec<Turn> {
    let exec = |command: &str| ("exec", json!({"command": command}));
    let write = |path: &str, content: &str| ("write", json!({"path": path, "content": content}));
    let read = |path: &str| ("read", json!({"path": path}));
    vec![
        turn("agent:main:main", "good morning", vec![]),
        turn("agent:main:main", "what is on my list?", vec![read("todo.md")]),
        turn(
            "agent:main:main",
            "note that the dentist is at three",
            vec![write("memory/2026-11-17.md", "dentist at 3")],
        ),
        turn(
            "agent:main:main",
            "add milk",
            vec![("edit", json!({"path": "todo.md", "oldText": "bread", "newText": "bread\nmilk"}))],
        ),
        turn(
            "agent:main:code",
            "make a script that counts words",
            vec![
                write("count.sh", "wc -w \"$1\"\n"),
                exec("sh count.sh todo.md"),
                exec("ls -la && cat count.sh"),
            ],
        ),
        turn(
            "agent:main:code",
            "put it under version control",
            vec![
                exec(
                    "git init -q . && git add count.sh && git -c user.name=me -c user.email=me@example.org commit -qm first",
                ),
                exec("git status --short"),
                exec("git log --oneline && git diff"),
            ],
        ),
        turn("agent:main:code", "search for all mentions of milk", vec![exec("grep -rn milk . || true")]),
        turn(
            "agent:main:code",
            "run it in the background",
            vec![("exec", json!({"command": "sleep 0; echo done", "background": true}))],
        ),
        turn(
            "agent:main:news",
            "read me the news and write a summary",
            vec![("web_search", json!({"query": "news"})), write("news.md", "All is well.")],
        ),
        turn(
            "agent:main:news",
            "and what else is there?",
            vec![("web_search", json!({"query": "news today"}))],
        ),
        turn(
            "agent:main:main",
            "remind me tomorrow",
            vec![(
                "cron",
                json!({"action": "add", "job": {"name": "milk", "schedule": {"kind": "at", "at": "2099-01-01T08:00:00Z"},
                "sessionTarget": "main", "payload": {"kind": "systemEvent", "text": "buy milk"}}}),
            )],
        ),
        turn("agent:main:main", "which sessions are there?", vec![("sessions_list", json!({}))]),
        turn("agent:main:main", "what are my settings?", vec![("gateway", json!({"action": "config.get"}))]),
        turn(
            "agent:main:project",
            "look at my project",
            vec![read("~/projects/app/main.py"), exec("cd ~/projects/app && python3 main.py")],
        ),
    ]
}

#[tokio::test]
async fn an_ordinary_day_has_no_questions() {
    let (web, telegram) = (FakeWeb::start().await.unwrap(), FakeTelegram::start().await.unwrap());
    web.answers(SearchAnswer::Results(vec![("News", "https://example.org/", "nothing new")]));
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = json!({
            "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "allowlist",
            "allowFrom": [OWNER.to_string()], "streamMode": "off",
        });
        config["tools"]["web"] = json!({
            "search": {"provider": "searxng", "searxng": {"baseUrl": web.url("")}},
        });
        config["tools"]["taint"] = json!({"vouched": ["~/projects"]});
        config["messages"] = json!({"queue": {"debounceMs": 0}});
    })
    .await;
    let home = world.gateway.home().path().to_owned();
    std::fs::create_dir_all(home.join("projects/app")).unwrap();
    std::fs::write(home.join("projects/app/main.py"), "print('mine')\n").unwrap();
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("todo.md"), "bread\n").unwrap();
    let mut owner = world.owner().await;
    let mut refused = Vec::new();
    for Turn { session, says, does } in at_the_page() {
        for (tool, arguments) in &does {
            world.fake.calls(*tool, arguments.clone());
        }
        world.fake.says("done");
        talk(&mut owner, session, says).await;
        refused.extend(refusals(&world, says));
    }
    for (says, tool, arguments) in [
        ("what is on my list?", "read", json!({"path": "todo.md"})),
        ("how much room is left?", "exec", json!({"command": "df -h ."})),
        ("note that I called", "write", json!({"path": "calls.md", "content": "called"})),
    ] {
        world.fake.calls(tool, arguments).says("done");
        telegram.user_says(OWNER, OWNER, says);
        telegram.next_sent().await.unwrap();
        refused.extend(refusals(&world, says));
    }
    assert_eq!(refused, Vec::<String>::new());
    let asked = ["exec.approval.requested", "plugin.approval.requested"];
    let events: Vec<_> =
        owner.events().iter().filter(|event| asked.iter().any(|name| event["event"] == *name)).collect();
    assert!(events.is_empty(), "{events:?}");
}

/// Tool results of the last request that say that somebody had to be asked.
fn refusals(world: &World, says: &str) -> Vec<String> {
    let asked = world.fake.requests().pop().unwrap().body;
    let results = asked["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let texts = results.map(|result| result["content"].to_string());
    let is_refusal = |text: &String| text.contains("not done:") || text.contains("not run:");
    texts.filter(is_refusal).map(|text| format!("{says}: {text}")).collect()
}
