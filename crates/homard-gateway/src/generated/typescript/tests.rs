//! That the page's types are those of this gateway.

use std::path::Path;

use homard_protocol::event::Event;
use homard_protocol::events;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Value, json};

use super::{Names, Row, Shapes, expression, file};

/// The page's copy.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/protocol.ts");

#[test]
fn the_page_has_the_types_of_this_gateway() {
    let mut written = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut read = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let methods: Vec<Row> = crate::methods::table()
        .shapes()
        .into_iter()
        .map(|(name, shapes)| {
            let (params, result) = shapes(&mut read, &mut written);
            Row { name, params, result }
        })
        .collect();
    let events = events(&mut written);
    let made = file(&defs(written), &defs(read), &methods, &events);
    if std::fs::read_to_string(FILE).is_ok_and(|found| found == made) {
        return;
    }
    std::fs::write(Path::new(FILE), made).unwrap();
    panic!("web/src/protocol.ts was not what the code says; it is written anew: commit it");
}

fn defs(mut generator: SchemaGenerator) -> Shapes {
    generator.take_definitions(true).into_iter().collect()
}

fn events(written: &mut SchemaGenerator) -> Vec<Row> {
    fn row<E: Event>(written: &mut SchemaGenerator) -> Row {
        Row { name: E::NAME, params: Value::Null, result: written.subschema_for::<E>().into() }
    }
    let mut rows = vec![
        row::<events::AgentEvent>(written),
        row::<events::ChannelsPairingRequestedEvent>(written),
        row::<events::ChannelsPairingResolvedEvent>(written),
        row::<events::ChatEvent>(written),
        row::<events::CronEvent>(written),
        row::<events::DevicePairRequestedEvent>(written),
        row::<events::DevicePairResolvedEvent>(written),
        row::<events::DevicePairSetupCompletedEvent>(written),
        row::<events::ExecApprovalRequestedEvent>(written),
        row::<events::ExecApprovalResolvedEvent>(written),
        row::<events::HealthEvent>(written),
        row::<events::NodeHostStatsEvent>(written),
        row::<events::NodePairRequestedEvent>(written),
        row::<events::NodePairResolvedEvent>(written),
        row::<events::NodePresenceEvent>(written),
        row::<events::PluginApprovalRequestedEvent>(written),
        row::<events::PluginApprovalResolvedEvent>(written),
        row::<events::PresenceEvent>(written),
        row::<events::SessionMessageEvent>(written),
        row::<events::SessionsChangedEvent>(written),
        row::<events::ShutdownEvent>(written),
        row::<events::SuspensionEvent>(written),
        row::<events::TalkModeEvent>(written),
        row::<events::TickEvent>(written),
        row::<events::VoicewakeChangedEvent>(written),
    ];
    rows.push(Row {
        name: "hello-ok",
        params: Value::Null,
        result: written.subschema_for::<homard_protocol::connect::HelloOk>().into(),
    });
    rows
}

#[test]
fn shapes_become_types() {
    let names = Names::from([("Old".to_owned(), "New".to_owned())]);
    let table = [
        (json!(true), "unknown"),
        (json!(false), "never"),
        (json!({"$ref": "#/$defs/Old"}), "New"),
        (json!({"$ref": "#/$defs/Other"}), "Other"),
        (json!({"const": "x"}), "\"x\""),
        (json!({"enum": ["a", null]}), "\"a\" | null"),
        (json!({"type": ["integer", "null"]}), "number | null"),
        (json!({"type": "array", "items": {"type": "string"}}), "Array<string>"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}),
            "[string, boolean]",
        ),
        (json!({"type": "object", "additionalProperties": {"type": "number"}}), "Record<string, number>"),
        (json!({"type": "object", "additionalProperties": false}), "Record<string, never>"),
        (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), "string | null"),
        (
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b-c": true}}),
            "{\n  \"a\": string;\n  \"b-c\"?: unknown;\n}",
        ),
    ];
    for (shape, expected) in table {
        assert_eq!(expression(&shape, &names), expected, "{shape}");
    }
}
