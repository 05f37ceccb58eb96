//! Who searches, and within which limits pages are read.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Resolve, SearchProvider, WebFetch, WebTools};
use crate::env::Environment;
use crate::paths::Paths;

fn decided(written: Value, env: &[(&str, &str)]) -> (WebTools, Vec<String>, Vec<String>) {
    let env = Environment::from_pairs(env.iter().copied());
    let paths = Paths::under(std::path::Path::new("home"));
    let mut cx = Resolve::new(&paths, &env);
    let web = WebTools::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    let places = |issues: &[crate::Issue]| issues.iter().map(|issue| issue.path.clone()).collect();
    (web, places(&cx.issues), places(&cx.warnings))
}

/// What is written, the environment, who searches, and how many warnings there are.
type Row<'a> = (Value, &'a [(&'a str, &'a str)], Option<SearchProvider>, usize);

#[test]
fn the_provider_named_searches_if_it_has_what_it_needs() {
    use SearchProvider::{Brave, DuckDuckGo, Perplexity, Searxng};
    let brave = [("BRAVE_API_KEY", "b")];
    let perplexity = [("PERPLEXITY_API_KEY", "p")];
    let rows: [Row<'_>; 16] = [
        (json!({}), &[], None, 0),
        (json!({"enabled": true}), &[], None, 1),
        (json!({}), &brave, Some(Brave), 0),
        (json!({}), &perplexity, Some(Perplexity), 0),
        (json!({"apiKey": "k"}), &perplexity, Some(Brave), 0),
        (json!({"enabled": false}), &brave, None, 0),
        (json!({"searxng": {"baseUrl": "http://s.lan"}}), &[], Some(Searxng), 0),
        (json!({"provider": "brave"}), &[], None, 1),
        (json!({"provider": "Brave", "apiKey": "k"}), &[], Some(Brave), 0),
        (json!({"provider": "brave", "brave": {"apiKey": "k", "mode": "web"}}), &[], Some(Brave), 0),
        (json!({"provider": "duckduckgo"}), &[], Some(DuckDuckGo), 0),
        (json!({"provider": "perplexity"}), &brave, None, 1),
        (json!({"provider": "perplexity", "perplexity": {"apiKey": "k"}}), &[], Some(Perplexity), 0),
        (json!({"provider": "searxng"}), &[], None, 1),
        (json!({"provider": "grok", "apiKey": "k"}), &[], None, 1),
        (json!({"provider": "brave", "apiKey": "  "}), &brave, Some(Brave), 0),
    ];
    for (written, env, expected, warnings) in rows {
        let (web, issues, warned) = decided(json!({"search": written.clone()}), env);
        assert_eq!(web.search.engine.map(|engine| engine.provider), expected, "{written}");
        assert_eq!((issues.len(), warned.len()), (0, warnings), "{written}");
    }
}

#[test]
fn the_most_particular_key_wins() {
    let written = json!({"search": {"provider": "brave", "apiKey": "shared", "brave": {"apiKey": "own"}}});
    let (web, _, _) = decided(written, &[("BRAVE_API_KEY", "env")]);
    assert_eq!(web.search.engine.unwrap().api_key.unwrap().expose(), "own");
}

#[test]
fn an_address_that_is_none_is_refused() {
    let written = json!({"search": {"provider": "searxng", "searxng": {"baseUrl": "ftp://x"}}});
    assert_eq!(decided(written, &[]).1, ["tools.web.search.searxng.baseUrl"]);
}

#[test]
fn numbers_are_kept_within_reason() {
    let (web, issues, _) = decided(json!({}), &[]);
    assert!(issues.is_empty());
    assert_eq!(web.fetch, WebFetch::default());
    assert_eq!((web.fetch.max_chars, web.fetch.max_bytes, web.fetch.max_redirects), (50_000, 2_000_000, 3));
    assert_eq!((web.fetch.timeout, web.fetch.cache_ttl), (Duration::from_secs(30), Duration::from_secs(900)));
    let wild = json!({
        "fetch": {"maxChars": 90_000, "maxCharsCap": 60_000, "maxRedirects": 1_000_000, "timeoutSeconds": 0,
                  "cacheTtlMinutes": -1.0, "maxResponseBytes": 1},
        "search": {"maxResults": 900, "cacheTtlMinutes": 1e300},
    });
    let (web, _, _) = decided(wild, &[]);
    assert_eq!((web.fetch.max_chars, web.fetch.max_bytes, web.fetch.max_redirects), (60_000, 32_000, 20));
    assert_eq!((web.fetch.timeout, web.fetch.cache_ttl), (Duration::from_secs(1), Duration::ZERO));
    assert_eq!((web.search.max_results, web.search.cache_ttl), (10, Duration::from_secs(86_400)));
}
