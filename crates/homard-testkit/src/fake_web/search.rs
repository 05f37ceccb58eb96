//! The search services of the fake web, each after its own documentation.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::{FAKE_SEARCH_KEY, SearchAnswer, Shared, response};

/// Title, address, excerpt.
type Results = Vec<(&'static str, &'static str, &'static str)>;

fn json_response(status: u16, value: &Value) -> Response {
    response(status, "application/json", Body::from(value.to_string()))
}

/// The fields of a query; `None` if one is there twice or is not known.
fn fields(request: &Request, known: &[&str]) -> Option<BTreeMap<String, String>> {
    let mut fields = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()) {
        let is_new = fields.insert(name.to_string(), value.to_string()).is_none();
        if !is_new || !known.contains(&&*name) {
            return None;
        }
    }
    Some(fields)
}

/// The answer the test chose, or the results it chose for the service to spell.
async fn chosen(shared: &Shared) -> Result<Results, Response> {
    let answer = shared.answer.lock().clone();
    match answer {
        Some(SearchAnswer::Results(results)) => Ok(results),
        None => Ok(Vec::new()),
        Some(SearchAnswer::Says(text)) => Err(response(200, "application/json", Body::from(text))),
        Some(SearchAnswer::Hangs) => std::future::pending().await,
        Some(SearchAnswer::Refuses(status, wait)) => {
            let mut refusal = response(status, "text/plain", Body::from(format!("no, {FAKE_SEARCH_KEY}")));
            if let Some(wait) = wait {
                refusal.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait));
            }
            Err(refusal)
        }
    }
}

fn has_header(request: &Request, name: &str, value: &str) -> bool {
    request.headers().get(name).is_some_and(|found| found == value)
}

fn is_day(text: &str) -> bool {
    let shape =
        text.char_indices().all(|(at, c)| if at == 4 || at == 7 { c == '-' } else { c.is_ascii_digit() });
    text.len() == 10 && shape
}

fn letters(text: &str, from: usize, to: usize) -> bool {
    (from..=to).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
}

/// Brave: every field has its own rule, and the key its own header.
pub(super) async fn brave(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    shared.note(&request);
    if !has_header(&request, "x-subscription-token", FAKE_SEARCH_KEY) {
        return json_response(401, &json!({"type": "ErrorResponse"}));
    }
    let known = ["q", "count", "country", "search_lang", "ui_lang", "freshness", "text_decorations"];
    let is_right = |name: &str, value: &str| match name {
        "q" => (1..=400).contains(&value.chars().count()),
        "count" => value.parse::<u32>().is_ok_and(|count| (1..=20).contains(&count)),
        "country" => letters(value, 2, 3) && value == value.to_uppercase(),
        "search_lang" => letters(value, 2, 7) && value == value.to_lowercase(),
        "ui_lang" => letters(value, 5, 5) && value.contains('-'),
        "freshness" => {
            matches!(value, "pd" | "pw" | "pm" | "py")
                || value.split_once("to").is_some_and(|(from, to)| is_day(from) && is_day(to))
        }
        "text_decorations" => matches!(value, "true" | "false"),
        _ => false,
    };
    let fields = fields(&request, &known);
    let is_good = fields.as_ref().is_some_and(|fields| {
        fields.contains_key("q") && fields.iter().all(|(name, value)| is_right(name, value))
    });
    if !is_good {
        return json_response(422, &json!({"type": "ErrorResponse"}));
    }
    let results = match chosen(&shared).await {
        Ok(results) => results,
        Err(other) => return other,
    };
    if results.is_empty() {
        return json_response(200, &json!({"type": "search", "query": {}}));
    }
    let spell = |(title, url, text): &(&str, &str, &str)| json!({"title": title, "url": url, "description": text, "age": "2 days ago"});
    let results: Vec<Value> = results.iter().map(spell).collect();
    json_response(200, &json!({"type": "search", "web": {"type": "search", "results": results}}))
}

/// Perplexity: a chat, with fields of its own.
pub(super) async fn perplexity(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    shared.note(&request);
    if !has_header(&request, "authorization", &format!("Bearer {FAKE_SEARCH_KEY}")) {
        return json_response(401, &json!({"error": {"message": "Invalid API key"}}));
    }
    let is_json = has_header(&request, "content-type", "application/json");
    let body =
        request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    shared.bodies.lock().push(body.clone());
    let is_right = |(name, value): (&String, &Value)| match name.as_str() {
        "model" => matches!(value.as_str(), Some("sonar" | "sonar-pro" | "sonar-reasoning-pro")),
        "messages" => value.pointer("/0/content").is_some_and(Value::is_string),
        "search_recency_filter" => matches!(value.as_str(), Some("day" | "week" | "month" | "year")),
        "search_after_date_filter" | "search_before_date_filter" => value
            .as_str()
            .is_some_and(|day| day.split('/').filter(|part| !part.starts_with('0')).count() == 3),
        "web_search_options" => value.pointer("/user_location/country").is_some_and(Value::is_string),
        _ => false,
    };
    let is_whole = body.get("model").is_some() && body.get("messages").is_some();
    if !is_json || !is_whole || !body.as_object().is_some_and(|fields| fields.iter().all(is_right)) {
        return json_response(400, &json!({"error": {"message": "bad request"}}));
    }
    let results = match chosen(&shared).await {
        Ok(results) => results,
        Err(other) => return other,
    };
    let sources: Vec<Value> = results
        .iter()
        .map(|(title, url, _)| json!({"title": title, "url": url, "date": "2026-02-01"}))
        .collect();
    let written = results.iter().map(|(_, _, text)| *text).collect::<Vec<_>>().join(" ");
    let message = json!({"index": 0, "message": {"role": "assistant", "content": written}});
    json_response(200, &json!({"choices": [message], "search_results": sources}))
}

/// `SearXNG`: JSON only where it is asked for.
pub(super) async fn searxng(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    shared.note(&request);
    let fields = fields(&request, &["q", "format", "language", "time_range"]).unwrap_or_default();
    let range = fields.get("time_range").map(String::as_str);
    let is_good = fields.get("q").is_some_and(|text| !text.is_empty())
        && fields.get("format").is_some_and(|format| format == "json")
        && matches!(range, None | Some("day" | "month" | "year"));
    if !is_good {
        return response(400, "text/html", Body::from("bad request"));
    }
    let results = match chosen(&shared).await {
        Ok(results) => results,
        Err(other) => return other,
    };
    let spell = |(title, url, text): &(&str, &str, &str)| json!({"title": title, "url": url, "content": text, "publishedDate": null, "engine": "x", "score": 1.0});
    let results: Vec<Value> = results.iter().map(spell).collect();
    json_response(200, &json!({"query": fields.get("q"), "number_of_results": 0, "results": results}))
}

/// `DuckDuckGo`: a page, with an advertisement first and links that note the click.
pub(super) async fn duckduckgo(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    shared.note(&request);
    let fields = fields(&request, &["q", "kl", "df"]).unwrap_or_default();
    if fields.get("q").is_none_or(String::is_empty) {
        return response(400, "text/html", Body::from("bad request"));
    }
    let results = match chosen(&shared).await {
        Ok(results) => results,
        Err(other) => return other,
    };
    let advert = "https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dshop.test";
    let mut page =
        String::from("<html><body><div class=\"serp__results\"><div id=\"links\" class=\"results\">");
    let rows = results.iter().map(|(title, url, text)| {
        let url: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
        (*title, url, *text)
    });
    let rows = std::iter::once(("Buy <b>now</b>", advert.to_owned(), "An advert")).chain(rows);
    for (title, url, text) in rows.filter(|_| !results.is_empty()) {
        write!(
            page,
            "<div class=\"result results_links web-result\"><h2 class=\"result__title\"><a rel=\"nofollow\" \
             class=\"result__a\" href=\"//duckduckgo.com/l/?uddg={url}&amp;rut=0\">{title}</a></h2>\
             <a class=\"result__url\" href=\"#\">shown.test</a>\
             <a class=\"result__snippet\" href=\"#\">{text}</a></div>"
        )
        .ok();
    }
    if results.is_empty() {
        page.push_str("<div class=\"no-results\">No results.</div>");
    }
    response(200, "text/html; charset=UTF-8", Body::from(page + "</div></div></body></html>"))
}
