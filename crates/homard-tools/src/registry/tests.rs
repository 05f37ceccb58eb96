//! The box: what is in it, what the model is told, what happens to calls that do not fit.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use homard_config::config::web_tools::{SearchEngine, SearchProvider};
use homard_exec::{BuiltEnv, Processes};
use homard_protocol::{AgentId, RunId, SessionKey, ToolCallId};
use homard_runtime::Clock;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{TABLE, ToolOptions, Toolbox, WebOptions};
use crate::cx::{ProgressSender, ToolCx};
use crate::outcome::ToolOutcome;
use crate::policy::{GROUPS, Layer, LayerName, ToolPolicy};
use crate::ports::{AgentLine, AgentsPort, PortError, Ports};

fn options() -> ToolOptions {
    ToolOptions {
        home: "/nowhere".into(),
        workspace_only: true,
        env: BuiltEnv::from_base(&BTreeMap::new()),
        exec_timeout: ToolOptions::EXEC_TIMEOUT,
        exec_background_after: ToolOptions::EXEC_BACKGROUND_AFTER,
        launcher: None,
        processes: Processes::new(Clock::fixed(0)),
        apply_patch: None,
        web: WebOptions::default(),
    }
}

fn cx(workspace: &Path) -> ToolCx {
    ToolCx {
        workspace: workspace.to_owned(),
        session_key: SessionKey::main(AgentId::main()),
        run_id: RunId::parse("run").unwrap(),
        call_id: ToolCallId::parse("call").unwrap(),
        cancel: CancellationToken::new(),
        progress: ProgressSender::nobody(),
        clock: Clock::fixed(0),
        scope: Arc::default(),
    }
}

fn words(outcome: &ToolOutcome) -> &str {
    outcome.content[0].as_text().unwrap()
}

#[test]
fn the_table_is_alphabetical_and_without_twins() {
    let names: Vec<String> =
        TABLE.iter().filter_map(|entry| (entry.build)(&options())).map(|tool| tool.spec().name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_tool_belongs_to_a_group() {
    for tool in TABLE.iter().filter_map(|entry| (entry.build)(&options())) {
        let name = tool.spec().name;
        let is_known = GROUPS.iter().any(|group| group.members.contains(&name.as_str()));
        assert!(is_known, "{name} is in no group of policy/groups.rs");
    }
}

#[test]
fn what_the_model_reads_is_small_and_as_agreed() {
    let specs = Toolbox::new(&options()).specs(&ToolPolicy::default(), &Ports::default());
    let told: Vec<Value> = specs
        .iter()
        .map(|spec| {
            json!({
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
                "parallel": spec.parallel,
            })
        })
        .collect();
    assert!(serde_json::to_string(&told).unwrap().len() < 6_000);
    insta::assert_json_snapshot!("specs", told);
}

#[test]
fn the_policy_chooses_what_is_offered() {
    let policy = ToolPolicy::new(vec![Layer::new(LayerName::Global, &["group:fs"], &["write"])]);
    let specs = Toolbox::new(&options()).specs(&policy, &Ports::default());
    assert_eq!(specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["edit", "read"]);
}

#[test]
fn searching_is_offered_when_somebody_can_search_and_fetching_unless_it_is_off() {
    let engine =
        SearchEngine { provider: SearchProvider::DuckDuckGo, api_key: None, base_url: None, model: None };
    for (is_on, engine) in [(true, None), (false, Some(engine))] {
        let mut options = options();
        options.web.tools.fetch.enabled = is_on;
        options.web.tools.search.engine = engine.clone();
        let toolbox = Toolbox::new(&options);
        assert_eq!(
            (toolbox.get("web_fetch").is_some(), toolbox.get("web_search").is_some()),
            (is_on, engine.is_some())
        );
    }
}

#[test]
fn an_alias_finds_its_tool() {
    let toolbox = Toolbox::new(&options());
    assert_eq!(toolbox.get("Bash").unwrap().spec().name, "exec");
    assert!(toolbox.get("nothing").is_none());
}

#[tokio::test]
async fn calls_that_do_not_fit_are_answered_with_what_would() {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::new(&options());
    let policy = ToolPolicy::new(vec![Layer::new(LayerName::Global, &["group:fs"], &[])]);
    let rows = [
        (
            "read",
            json!({}),
            "the arguments do not fit: missing field `path`. Allowed: path (string, required), offset (integer), limit (integer)",
        ),
        (
            "read",
            json!({"path": "a", "offset": "x"}),
            "the arguments do not fit: `offset`: invalid type: string \"x\", expected u64. Allowed: path (string, required), offset (integer), limit (integer)",
        ),
        (
            "write",
            json!(["a"]),
            "the arguments do not fit: they must be one JSON object. Allowed: path (string, required), content (string, required)",
        ),
        (
            "write",
            Value::Null,
            "the arguments do not fit: missing field `path`. Allowed: path (string, required), content (string, required)",
        ),
        (
            "exec",
            json!({"command": "true"}),
            "there is no tool `exec` in this conversation. Available: edit, read, write",
        ),
        (
            "reed",
            json!({}),
            "there is no tool `reed` in this conversation. Did you mean `read`? Available: edit, read, write",
        ),
    ];
    for (name, arguments, expected) in rows {
        let outcome = toolbox.call(&policy, name, arguments.clone(), &cx(dir.path())).await;
        assert_eq!((outcome.is_error, words(&outcome)), (true, expected), "{name} {arguments}");
    }
}

#[tokio::test]
async fn other_spellings_of_fields_are_understood() {
    let dir = tempfile::tempdir().unwrap();
    let (toolbox, policy, cx) = (Toolbox::new(&options()), ToolPolicy::default(), cx(dir.path()));
    let calls = [
        ("write", json!({"file_path": "a/b.txt", "content": "one"})),
        ("edit", json!({"file_path": "a/b.txt", "old_string": "one", "new_string": "two"})),
        ("read", json!({"file_path": "a/b.txt", "limit": null})),
    ];
    for (name, arguments) in calls {
        let outcome = toolbox.call(&policy, name, arguments, &cx).await;
        assert!(!outcome.is_error, "{name}: {outcome:?}");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("a/b.txt")).unwrap(), "two");
}

#[test]
fn what_needs_a_room_above_is_offered_only_in_a_turn_that_brings_its_port() {
    struct Nobody;
    impl AgentsPort for Nobody {
        fn agents(&self, _cx: &ToolCx) -> Result<Vec<AgentLine>, PortError> {
            Ok(Vec::new())
        }
    }
    let toolbox = Toolbox::new(&options());
    let offered = |ports: &Ports, name: &str| {
        toolbox.specs(&ToolPolicy::default(), ports).iter().any(|spec| spec.name == name)
    };
    let closed = toolbox.closed(&Ports::default());
    for name in ["agents_list", "gateway", "image", "sessions_spawn", "session_status", "subagents"] {
        assert!(!offered(&Ports::default(), name) && closed.contains(&name), "{name}");
        assert!(toolbox.get(name).is_some(), "{name}");
    }
    let ports = Ports { agents: Some(Arc::new(Nobody)), ..Ports::default() };
    assert!(offered(&ports, "agents_list"));
    assert!(!offered(&ports, "gateway") && !toolbox.closed(&ports).contains(&"agents_list"));
}

#[tokio::test]
async fn a_call_finds_the_ports_of_its_turn_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let (toolbox, policy) = (Toolbox::new(&options()), ToolPolicy::default());
    let without = toolbox.call(&policy, "agents_list", json!({}), &cx(dir.path())).await;
    assert!(without.is_error && words(&without).starts_with("there is no tool `agents_list`"), "{without:?}");
}

#[test]
fn all_tools_together_stay_small() {
    let specs = TABLE.iter().filter_map(|entry| (entry.build)(&options())).map(|tool| {
        let spec = tool.spec();
        if tool.is_brief() { spec.in_brief() } else { spec }
    });
    let told: Vec<(String, usize)> = specs
        .map(|spec| {
            let told =
                json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters});
            (spec.name, told.to_string().len())
        })
        .collect();
    let total: usize = told.iter().map(|(_, size)| size).sum();
    assert!(total < 11_000, "{total}: {told:?}");
}

#[tokio::test]
async fn a_brief_tool_explains_itself_when_asked_and_when_misused() {
    let dir = tempfile::tempdir().unwrap();
    let (toolbox, policy, cx) = (Toolbox::new(&options()), ToolPolicy::default(), cx(dir.path()));
    let process = toolbox.get("process").unwrap();
    assert!(process.told().is_brief() && !process.spec().is_brief());
    for (arguments, is_error) in [
        (json!({"help": true}), false),
        (json!({}), false),
        (Value::Null, false),
        (json!({"action": "dance"}), true),
    ] {
        let outcome = toolbox.call(&policy, "process", arguments.clone(), &cx).await;
        assert_eq!(outcome.is_error, is_error, "{arguments}");
        assert!(words(&outcome).contains("\"sessionId\":{"), "{arguments}: {}", words(&outcome));
    }
    let listed = toolbox.call(&policy, "process", json!({"action": "list"}), &cx).await;
    assert!(!listed.is_error && !words(&listed).contains("sessionId"), "{}", words(&listed));
}
