//! The rows are what the rest of the house takes them for.

use std::collections::BTreeSet;

use homard_protocol::{ModelId, ProviderId};

use super::{AuthKind, ROWS, Row, docs_table, find};

/// How the manual's table is fenced.
const MARKERS: (&str, &str) = ("<!-- providers: begin -->\n", "<!-- providers: end -->");

#[test]
fn rows_are_alphabetical_and_their_names_are_unique() {
    assert!(ROWS.is_sorted_by(|a, b| a.id < b.id), "keep ROWS in alphabetical order of the id");
    let mut names = BTreeSet::new();
    for row in ROWS {
        assert!(!row.name.is_empty());
        for name in row.aliases.iter().chain([&row.id]) {
            assert_eq!(*name, name.to_lowercase(), "{name}");
            assert!(names.insert(*name), "`{name}` names two providers");
            assert_eq!(find(&name.to_uppercase()).unwrap().id, row.id);
        }
    }
    assert!(find("nobody").is_none());
}

#[test]
fn every_row_can_be_called() {
    for row in ROWS {
        ProviderId::parse(row.id).unwrap();
        assert!(!row.auth.is_empty(), "{}", row.id);
        assert_eq!(row.oauth.is_some(), row.auth.contains(&AuthKind::OAuth), "{}", row.id);
        let address = row.address(|_| Some("x")).unwrap();
        assert!(!address.contains('{') && !address.ends_with('/'), "{address}");
        assert!(address.starts_with("https://") || address.starts_with("http://127.0.0.1:"), "{address}");
        let apis = row.models.iter().filter_map(|model| model.api).chain([row.api]);
        for api in apis {
            assert!(homard_llm::wire::find(api).is_some(), "{}: there is no wire API `{api}`", row.id);
        }
        for name in row.env.iter().map(|key| key.name) {
            assert!(
                name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'),
                "{name}"
            );
        }
        for url in row.oauth.iter().flat_map(|o| [o.authorize_url, o.token_url]) {
            assert!(url.starts_with("https://"), "{url}");
        }
        models_are_sane(row);
    }
}

fn models_are_sane(row: &Row) {
    let mut ids = BTreeSet::new();
    for model in row.models {
        let what = format!("{}/{}", row.id, model.id);
        ModelId::parse(model.id).unwrap();
        assert!(ids.insert(model.id), "{what} is listed twice");
        assert!(model.max_tokens <= model.context_window && model.context_window >= 16_000, "{what}");
        let price = model.price;
        for part in [price.input, price.output, price.cache_read, price.cache_write] {
            assert!((0.0..1_000.0).contains(&part), "{what}");
        }
        assert!(price.output >= price.input && price.cache_read <= price.input, "{what}");
    }
    for (new, old) in row.templates {
        assert!(!ids.contains(new), "{}: `{new}` is listed, it needs no template", row.id);
        assert!(ids.contains(old), "{}: there is no `{old}` to resemble", row.id);
    }
    for (alias, id) in row.model_aliases {
        assert!(row.model(id).is_some(), "{}: the alias `{alias}` leads nowhere", row.id);
        assert!(!ids.contains(alias), "{}: `{alias}` is a name already", row.id);
    }
}

#[test]
fn an_address_needs_all_its_places() {
    let row = find("cloudflare-gateway").unwrap();
    let lookup = |name: &str| (name == "CLOUDFLARE_ACCOUNT_ID").then_some("me");
    assert_eq!(row.address(lookup).unwrap_err().name, "gatewayId");
    let evil = |_: &str| Some("x/../../evil?");
    assert_eq!(row.address(evil).unwrap_err().name, "accountId");
    let bedrock = find("bedrock").unwrap();
    let region = |name: &str| (name == "AWS_DEFAULT_REGION").then_some("eu-west-1");
    assert_eq!(bedrock.address(region).unwrap(), "https://bedrock-runtime.eu-west-1.amazonaws.com");
}

#[test]
fn models_are_found_by_other_spellings() {
    let table = [
        ("anthropic", "opus-4.6", "claude-opus-4-6"),
        ("anthropic", "Claude-Opus-4.5", "claude-opus-4-5"),
        ("anthropic", "claude-opus-4-6", "claude-opus-4-6"),
        ("google", "gemini-3-pro", "gemini-3-pro-preview"),
        ("google", "gemini-2-5-pro", "gemini-2.5-pro"),
        ("openrouter", "auto", "openrouter/auto"),
        ("openai", "something-new", "something-new"),
    ];
    for (provider, text, id) in table {
        assert_eq!(find(provider).unwrap().model_id(text), id);
    }
}

#[test]
fn the_manual_has_the_table_the_rows_make() {
    let manual = include_str!("../../../../docs/models.md");
    let (_, rest) = manual.split_once(MARKERS.0).expect("the begin marker");
    let (table, _) = rest.split_once(MARKERS.1).expect("the end marker");
    let expected = docs_table();
    assert!(
        table == expected,
        "the table in docs/models.md is not what the rows say; put this between the markers:\n\n{expected}"
    );
}
