//! Parts of messages: texts, pictures, files.

use std::time::Duration;

use homard_config::config::gateway::http_endpoints::PartRules;
use homard_protocol::UserBlock;

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
