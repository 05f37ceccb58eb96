//! Specs never print secrets, and price and compat follow their tables.

use homard_protocol::{ProviderId, Usage};

use super::{ApiKey, Compat, Headers, MaxTokensField, Price, ProviderSpec, host_of};

#[test]
fn printing_a_provider_shows_no_secret() {
    let mut spec = ProviderSpec::new(ProviderId::parse("p").unwrap(), "openai-completions", "http://x");
    spec.api_key = Some(ApiKey::new(" sk-very-secret\n"));
    spec.headers = [("x-token".to_owned(), "also-secret".to_owned())].into_iter().collect::<Headers>();
    let printed = format!("{spec:?}");
    assert!(!printed.contains("secret"), "{printed}");
    assert!(printed.contains("x-token"), "{printed}");
    assert_eq!(spec.api_key.unwrap().expose(), "sk-very-secret");
}

#[test]
fn prices_are_per_million_tokens() {
    let price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
    let usage = Usage { input: 1_000_000, output: 100_000, cache_read: 1_000_000, ..Usage::default() };
    let cost = price.cost(&usage);
    assert!((cost.total - 4.8).abs() < 1e-9, "{cost:?}");
}

#[test]
fn the_address_decides_what_the_owner_left_open() {
    let inventor = Compat::default().resolved("https://api.openai.com/v1");
    assert_eq!(inventor.max_tokens_field, Some(MaxTokensField::MaxCompletionTokens));
    let local = Compat::default().resolved("http://127.0.0.1:8000/v1");
    assert_eq!(local.max_tokens_field, Some(MaxTokensField::MaxTokens));
    let subscription = Compat::default().resolved("https://chatgpt.com/backend-api/codex");
    assert_eq!(subscription.max_tokens_field, Some(MaxTokensField::Neither));
    assert_eq!(local.supports_store, Some(false));
    let said = Compat { supports_store: Some(true), ..Compat::default() }.resolved("http://127.0.0.1");
    assert_eq!(said.supports_store, Some(true));
}

#[test]
fn the_host_is_found_in_any_address() {
    let rows = [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://u:p@h:80/x", "h"),
        ("plain", "plain"),
        ("", ""),
    ];
    for (url, host) in rows {
        assert_eq!(host_of(url), host);
    }
}
