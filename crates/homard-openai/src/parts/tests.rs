//! Parts of messages: texts, pictures, files.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_config::config::gateway::http_endpoints::{HttpEndpoints, PartRules};
use homard_config::{ConfigHandle, ConfigSource, Environment, Paths};
use homard_protocol::UserBlock;
use homard_runtime::Clock;
use homard_testkit::{FakeWeb, WebPage};
use homard_tools::PublicFetch;
use serde_json::{Value, json};

use super::{Content, Loader, Part, Rules};

/// The smallest picture there is.
const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn rules(kinds: &[&str]) -> PartRules {
    PartRules {
        allow_url: true,
        hosts: Vec::new(),
        kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
        max_bytes: 100,
        max_redirects: 0,
        timeout: Duration::from_secs(5),
    }
}

async fn load(parts: Vec<Part>) -> Result<(Vec<UserBlock>, usize), String> {
    let (images, files) = (rules(&["image/gif"]), rules(&["text/plain", "application/pdf"]));
    let rules = Rules {
        images: &images,
        files: Some((&files, 5)),
        max_images: 2,
        max_total_image_bytes: 80,
        max_urls: 1,
    };
    let mut loader = Loader::new(rules);
    let blocks = loader.load(parts).await.map_err(|error| error.to_string())?;
    Ok((blocks, loader.labels.len()))
}

fn sent(kind: &str, data: &str) -> Content {
    Content::Sent { kind: Some(kind.to_owned()), data: data.to_owned() }
}

fn file(name: &str, kind: &str, data: &str) -> Part {
    Part::File { name: Some(name.to_owned()), content: sent(kind, data) }
}

#[tokio::test]
async fn words_come_first_then_pictures_and_documents() {
    let gif = Content::of_url(&format!("data:image/png;base64,{GIF}")).unwrap();
    let parts = vec![Part::Image(gif), Part::Text("a".to_owned()), Part::Text("b".to_owned())];
    let (blocks, labels) = load(parts).await.unwrap();
    let picture = UserBlock::Image { data: GIF.to_owned(), mime_type: "image/gif".to_owned() };
    assert_eq!((blocks, labels), (vec![UserBlock::text("a\nb"), picture], 0));
    let (blocks, labels) = load(vec![file("a.pdf", "application/octet-stream", "JVBERi0=")]).await.unwrap();
    assert!(
        matches!(blocks.as_slice(), [UserBlock::Document { mime_type, .. }] if mime_type == "application/pdf")
    );
    assert_eq!(labels, 1);
}

#[tokio::test]
async fn a_file_of_text_is_marked_as_somebodys_words_and_cut() {
    let (blocks, labels) = load(vec![file("notes.txt", "text/plain", "aGVsbG8gd29ybGQ=")]).await.unwrap();
    let [UserBlock::Text { text }] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert!(text.contains("EXTERNAL_UNTRUSTED_CONTENT") && text.contains("notes.txt"), "{text}");
    assert!(
        text.contains("\nhello\n") && !text.contains("world") && text.contains("first 5 characters"),
        "{text}"
    );
    assert_eq!(labels, 1);
}

#[tokio::test]
async fn what_breaks_a_rule_is_refused() {
    let gif = || Part::Image(sent("image/gif", GIF));
    let at = |address: &str| Part::Image(Content::At(address.to_owned()));
    let cases = [
        vec![gif(), gif()],
        vec![gif(), gif(), gif()],
        vec![Part::Image(sent("image/gif", "not base64!"))],
        vec![Part::Image(sent("image/gif", ""))],
        vec![Part::Image(sent("image/gif", "aGVsbG8="))],
        vec![Part::Image(sent("image/gif", &"A".repeat(400)))],
        vec![file("a.exe", "application/x-msdownload", "aGVsbG8=")],
        vec![file("a", "application/octet-stream", "aGVsbG8=")],
        vec![file("a.txt", "text/plain", "/////w==")],
        vec![at("http://127.0.0.1:1/a.gif")],
        vec![at("http://localhost/a.gif")],
        vec![at("file:///etc/passwd")],
    ];
    for parts in cases {
        let what = format!("{parts:?}");
        assert!(load(parts).await.is_err(), "{what}");
    }
    assert!(Content::of_url("data:image/gif,plain").is_err());
}

/// What programs may send, as the owner wrote it.
fn endpoints(written: &Value) -> HttpEndpoints {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(paths.config_path.parent().unwrap()).unwrap();
    let text = json!({"gateway": {"http": {"endpoints": written}}}).to_string();
    std::fs::write(&paths.config_path, text).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(0));
    let config = ConfigHandle::open(source).unwrap().current();
    config.gateway.http_endpoints.clone()
}

/// What comes of parts at one of the two, both of which keep pictures and files to these rules.
async fn loaded(chat: bool, web: &FakeWeb, rules: &Value, parts: Vec<Part>) -> Result<usize, String> {
    let mut whole = rules.clone();
    whole["images"] = rules["part"].clone();
    whole["files"] = rules["part"].clone();
    whole.as_object_mut().unwrap().remove("part");
    if chat {
        whole.as_object_mut().unwrap().remove("files");
    }
    let name = if chat { "chatCompletions" } else { "responses" };
    let endpoints = endpoints(&json!({name: whole}));
    let rules =
        if chat { Rules::of_chat(&endpoints.chat) } else { Rules::of_responses(&endpoints.responses) };
    let mut loader = Loader::new(rules);
    loader.fetch = PublicFetch::new(&[web.address()]);
    loader.load(parts).await.map(|blocks| blocks.len()).map_err(|error| error.to_string())
}

#[tokio::test]
async fn every_rule_for_parts_holds_as_the_owner_wrote_it() {
    let web = FakeWeb::start().await.unwrap();
    let gif = STANDARD.decode(GIF).unwrap();
    web.page("/a", WebPage::Raw { status: 200, kind: "image/gif", body: gif })
        .page("/text", WebPage::Raw { status: 200, kind: "text/plain", body: b"hello".to_vec() })
        .page("/on", WebPage::Redirect("/a".to_owned()))
        .page("/text-on", WebPage::Redirect("/text".to_owned()))
        .page("/hangs", WebPage::Hangs);
    let host = web.address().ip().to_string();
    let open = |more: Value| {
        let mut part = json!({"allowUrl": true});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"part": part})
    };
    // What is written for the parts, and what is refused then; `{}` stands for what is taken.
    let rows = [
        (open(json!({})), "/a", ""),
        (json!({"part": {"allowUrl": false}}), "/a", "turned off"),
        (open(json!({"urlAllowlist": ["elsewhere.example"]})), "/a", "not on the owner's list"),
        (open(json!({"urlAllowlist": [host]})), "/a", ""),
        (open(json!({"allowedMimes": ["image/png", "text/csv"]})), "/a", "accepted are image/png"),
        (open(json!({"maxBytes": 3})), "/a", "larger than 3 bytes"),
        (open(json!({"maxRedirects": 0})), "/on", "more than 0 redirects"),
        (open(json!({"maxRedirects": 1})), "/on", ""),
        (open(json!({"timeoutMs": 20})), "/hangs", "after 20 ms"),
    ];
    for (rules, path, refusal) in rows {
        for (chat, is_file) in [(true, false), (false, false), (false, true)] {
            let path = match (is_file, path) {
                (true, "/a") => "/text",
                (true, "/on") => "/text-on",
                (_, path) => path,
            };
            let content = Content::At(web.url(path));
            let part = if is_file { Part::File { name: None, content } } else { Part::Image(content) };
            let came = loaded(chat, &web, &rules, vec![part]).await;
            let about = format!("{rules} chat {chat} file {is_file}: {came:?}");
            match refusal {
                "" => assert_eq!(came, Ok(1), "{about}"),
                words => assert!(came.unwrap_err().contains(words), "{about}"),
            }
        }
    }
    let picture = || Part::Image(sent("image/gif", GIF));
    let at = || Part::Image(Content::At(web.url("/a")));
    let rows = [
        (true, json!({"maxImageParts": 1, "part": {}}), vec![picture(), picture()], "at most 1 images"),
        (true, json!({"maxTotalImageBytes": 60, "part": {}}), vec![picture(), picture()], "larger than 60"),
        (false, json!({"maxUrlParts": 1, "part": {"allowUrl": true}}), vec![at(), at()], "at most 1 parts"),
    ];
    for (chat, rules, parts, words) in rows {
        let came = loaded(chat, &web, &rules, parts).await;
        assert!(came.as_ref().is_err_and(|said| said.contains(words)), "{rules}: {came:?}");
    }
    let endpoints = endpoints(&json!({"responses": {"files": {"maxChars": 2}}}));
    let mut loader = Loader::new(Rules::of_responses(&endpoints.responses));
    let blocks = loader.load(vec![file("a.txt", "text/plain", "aGVsbG8=")]).await.unwrap();
    assert!(format!("{blocks:?}").contains("first 2 characters"), "{blocks:?}");
}
