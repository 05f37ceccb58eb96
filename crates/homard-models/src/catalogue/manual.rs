//! The table of the manual, made from the rows so that it cannot say anything else.

use super::{AuthKind, DiscoveryKind, ROWS, Row};

/// The test that calls every row over a socket.
const ROW_TEST: &str = "`rows.rs`";
/// The test that asks servers for their models.
const DISCOVERY_TEST: &str = "`rows.rs`, `discovery.rs`";

/// The table between the markers of `docs/models.md`.
#[must_use]
pub fn docs_table() -> String {
    let mut table = String::from(
        "| provider | id (other spellings) | API | credentials | variables | models | test |\n|---|---|---|---|---|---|---|\n",
    );
    for row in ROWS {
        line(&mut table, row);
    }
    table
}

fn line(table: &mut String, row: &Row) {
    let mut id = format!("`{}`", row.id);
    if !row.aliases.is_empty() {
        id.push_str(&format!(" ({})", quoted(row.aliases.iter().copied())));
    }
    let auth: Vec<&str> = row.auth.iter().map(|kind| words(*kind)).collect();
    let places = row.places.iter().flat_map(|place| place.env.iter().copied());
    let keys = row.env.iter().map(|key| key.name);
    let variables = quoted(keys.chain(places));
    let variables = if variables.is_empty() { "–".to_owned() } else { variables };
    let test = if row.discovery == DiscoveryKind::Fixed { ROW_TEST } else { DISCOVERY_TEST };
    let (name, api, auth, models) = (row.name, row.api, auth.join(", "), models(row));
    table.push_str(&format!("| {name} | {id} | `{api}` | {auth} | {variables} | {models} | {test} |\n"));
}

fn models(row: &Row) -> String {
    let built_in = row.models.len() + row.templates.len();
    let asked = match row.discovery {
        DiscoveryKind::Fixed => "",
        DiscoveryKind::OpenAi | DiscoveryKind::OpenAiPerToken => "asks `/models`",
        DiscoveryKind::Ollama => "asks `/api/tags`",
        DiscoveryKind::Bedrock => "asks `ListFoundationModels`",
    };
    match (built_in, asked) {
        (0, asked) => asked.to_owned(),
        (count, "") => format!("{count} built in"),
        (count, asked) => format!("{count} built in, {asked}"),
    }
}

fn words(kind: AuthKind) -> &'static str {
    match kind {
        AuthKind::ApiKey => "key",
        AuthKind::Token => "token",
        AuthKind::OAuth => "login",
        AuthKind::Aws => "AWS keys",
        AuthKind::Keyless => "none",
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
