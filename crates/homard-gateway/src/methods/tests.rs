//! The scope matrix and the parameter matrix: every method of the table against every scope and role as the
//! protocol's own table has them, and against parameters that are wrong in every way there is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use homard_protocol::connect::{ClientId, ClientMode};
use homard_protocol::method::Access;
use homard_protocol::{ConnId, ErrorCode, Method, Role, Scope, ScopeSet};

use super::table;
use crate::access::auth::AuthMethod;
use crate::access::caller::Caller;
use crate::access::origin::{Locality, Peer, Source};
use crate::access::proxy::Claims;
use crate::connections::fanout::{Client, ClientCaps};
use crate::generated::manual::spec;

/// Methods whose scope depends on their parameters, with the least anybody needs.
const DYNAMIC: [(&str, Scope); 10] = [
    ("agent", Scope::Write),
    ("channels.pairing.approve", Scope::Pairing),
    ("environments.list", Scope::Read),
    ("node.invoke", Scope::Write),
    ("sessions.create", Scope::Write),
    ("sessions.delete", Scope::Write),
    ("sessions.patch", Scope::Write),
    ("sessions.patchMany", Scope::Write),
    ("talk.config", Scope::Read),
    ("fs.listDir", Scope::Write),
];
/// Methods that ask operators for no scope, whatever their row says.
const NO_SCOPE: [&str; 2] = ["device.scopes.requestUpgrade", "device.scopes.waitUpgrade"];
/// Families whose methods are also open to the narrow scopes that cover sessions only.
const OF_SESSIONS: [&str; 4] = ["chat.", "session.", "sessions.", "tools.effective"];

fn caller(role: Role, scopes: ScopeSet) -> Caller {
    let client = Client::new(ConnId::parse("c").unwrap(), role, scopes, None, ClientCaps::default());
    let peer = Peer {
        ip: [127, 0, 0, 1].into(),
        locality: Locality::Local,
        source: Source::ThisMachine,
        origin: None,
        host: None,
        claims: Claims::default(),
    };
    Caller {
        client: Arc::new(client),
        id: ClientId::Cli,
        mode: ClientMode::Cli,
        peer,
        via: AuthMethod::Token,
        token: None,
    }
}

/// The scope a row of the protocol's table asks for; `None` where nothing is asked.
fn needed(name: &str, needs: &str) -> Option<Scope> {
    if name == "health" || NO_SCOPE.contains(&name) {
        return None;
    }
    let least = DYNAMIC.iter().find(|(dynamic, _)| *dynamic == name).map(|(_, scope)| *scope);
    least.or_else(|| Scope::parse(&format!("operator.{needs}")))
}

#[test]
fn every_method_asks_for_what_the_protocol_says_of_every_scope_and_role() {
    let known = table().facts();
    let mut wrong = Vec::new();
    for row in spec() {
        let Some(facts) = known.get(row.name) else { continue };
        let node_only = row.needs == "NODE";
        for role in [Role::Operator, Role::Node] {
            for held in std::iter::once(None).chain(Scope::ALL.map(Some)) {
                let scopes: ScopeSet = held.into_iter().collect();
                let allowed = caller(role, scopes).check(facts.least).is_ok();
                let enough = match (role, needed(row.name, row.needs)) {
                    (_, None) if row.name == "health" => true,
                    (Role::Node, _) => node_only,
                    (Role::Operator, _) if node_only => false,
                    (Role::Operator, None) => true,
                    (Role::Operator, Some(scope)) => {
                        let family = OF_SESSIONS.iter().any(|family| row.name.starts_with(family));
                        let narrow = matches!(facts.least, Access::Sessions(_)) && family;
                        scopes.grants(scope)
                            || (narrow && scope.for_sessions().is_some_and(|s| scopes.grants(s)))
                    }
                };
                if allowed != enough {
                    wrong.push(format!("{} as {role} with {scopes:?}: allowed {allowed}", row.name));
                }
            }
        }
        let (hidden, limited) = (row.flags.contains('H'), row.flags.contains("RL"));
        // Whether operators are told of what only nodes may call is left open.
        if (facts.advertised == hidden && !node_only) || facts.rate_limited != limited {
            wrong.push(format!("{}: hidden {hidden}, limited {limited} it should be", row.name));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_refusal_names_the_scope_and_a_wrong_role_is_told_apart() {
    for facts in table().facts().values() {
        let Access::Operator(scope) = facts.access else { continue };
        let error = caller(Role::Operator, ScopeSet::EMPTY).check(facts.access).unwrap_err();
        assert_eq!(
            (error.code(), error.message().to_owned()),
            (ErrorCode::Forbidden, format!("missing scope: {scope}"))
        );
        let error = caller(Role::Node, ScopeSet::EMPTY).check(facts.access).unwrap_err();
        assert_eq!(error.message(), "unauthorized role: node", "{}", facts.name);
    }
}

/// Fields that take any value: what is in them belongs to another, or is taken and not used.
const OPEN_FIELDS: &[(&str, &[&str])] = &[
    ("browser.request", &["body"]),
    // Refused by the handler, with words: nothing of it is built.
    ("cron.add", &["owner", "pacing", "trigger"]),
    ("node.event", &["payload"]),
    ("node.invoke", &["params", "turnSourceThreadId"]),
    ("node.invoke.result", &["payload"]),
    ("sessions.create", &["contextWindow", "fastMode", "mentions", "repository", "toolOverrides"]),
    ("sessions.send", &["mentions"]),
    ("sessions.steer", &["mentions"]),
    (
        "chat.send",
        &[
            "fastMode",
            "intent",
            "mentions",
            "originatingThreadId",
            "systemInputProvenance",
            "systemProvenanceReceipt",
            "toolBindings",
            "workContext",
        ],
    ),
    ("config.apply", &["deliveryContext"]),
    ("config.patch", &["deliveryContext"]),
    ("exec.approvals.set", &["file"]),
    ("sessions.list", LIST_FILTERS),
    ("sessions.resolve", &["reference"]),
    ("sessions.subscribe", LIST_FILTERS),
];
/// Filters of lists that nothing can be found by yet.
const LIST_FILTERS: &[&str] = &[
    "archived",
    "boardFace",
    "creatorId",
    "group",
    "hasBoard",
    "includePeople",
    "involvingMe",
    "involvingProfileId",
    "ownerFirst",
    "ownerId",
    "profileRelation",
    "projectId",
    "workspaceDir",
];
/// Methods whose handler looks at the names itself, because they depend on each other or on values.
const OPEN_METHODS: &[&str] =
    &["agent", "exec.approval.request", "exec.approvals.node.set", "sessions.patch", "wake"];

/// The names between backquotes of serde's refusal of an unknown field.
fn fields(refusal: &str) -> Vec<String> {
    let expected = refusal.split("expected").nth(1).unwrap_or_default();
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_method_refuses_parameters_that_are_wrong() {
    let table = table();
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in table.facts().into_keys().filter(|name| !OPEN_METHODS.contains(name)) {
        let probe = table.probe(name).unwrap();
        let mut complain = |words: String| wrong.entry(name).or_default().push(words);
        for text in ["[]", "7", "\"text\"", "true", r#"{"no such field": 1}"#] {
            match (probe.read)(text) {
                Ok(()) => complain(format!("takes {text}")),
                Err(error) if error.code() != ErrorCode::InvalidRequest => complain(format!("{error:?}")),
                Err(_) => {}
            }
        }
        let refusal = (probe.refusal)();
        if !refusal.contains("unknown field") {
            complain(format!("is not closed: {refusal}"));
        }
        let open = OPEN_FIELDS.iter().find(|(method, _)| *method == name).map_or(&[][..], |(_, open)| *open);
        for field in fields(&refusal).into_iter().filter(|field| !open.contains(&field.as_str())) {
            // A value of every kind; one of them at least is not what the field is for.
            let kinds = ["7.25", "\"no such word\"", "true", "[[[]]]", r#"{"no such field": 1}"#];
            let taken = |kind: &&str| {
                let text = format!("{{\"{field}\": {kind}}}");
                let refusal =
                    (probe.read)(&text).err().map(|error| error.message().to_owned()).unwrap_or_default();
                // What else is missing is not about this field.
                refusal.is_empty()
                    || refusal.contains("must have required")
                    || refusal.contains("is unavailable")
            };
            if kinds.iter().all(taken) {
                complain(format!("takes anything as `{field}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_protocols_list_of_methods_is_this_table() {
    let mut listed = BTreeSet::new();
    macro_rules! list {
        ($([$($module:ident)::+ $($method:ident)+])+) => {$({
            use homard_protocol::methods::$($module)::+ as family;
            $(listed.insert(<family::$method as Method>::NAME);)+
        })+};
    }
    homard_protocol::every_method!(list);
    assert_eq!(listed, table().facts().into_keys().collect(), "see homard-protocol/src/every.rs");
}

/// What is no id is refused where the parameters are read, and the refusal says where and why.
#[test]
fn a_wrong_id_or_word_is_refused_with_its_place() {
    let table = table();
    let refused = |method: &str, params: serde_json::Value| {
        let error = (table.probe(method).unwrap().read)(&params.to_string()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidRequest);
        error.message().to_owned()
    };
    assert_eq!(
        refused("chat.history", serde_json::json!({"sessionKey": "main", "agentId": "No Such"})),
        "invalid chat.history params: at /agentId: agent id has a character that is not allowed: 'N' in `No Such`"
    );
    assert_eq!(
        refused("agent.wait", serde_json::json!({"runId": ""})),
        "invalid agent.wait params: at /runId: run id is empty"
    );
    assert_eq!(
        refused("sessions.reset", serde_json::json!({"key": "main", "reason": "bored"})),
        "invalid sessions.reset params: at /reason: unknown variant `bored`, expected `new` or `reset`"
    );
    assert_eq!(
        refused("agents.delete", serde_json::json!({})),
        "invalid agents.delete params: at root: must have required property 'agentId'"
    );
}
