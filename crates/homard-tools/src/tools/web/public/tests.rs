//! Which addresses count as public.

use std::time::Duration;

use homard_testkit::{FakeWeb, WebPage};

use super::{FetchLimits, NotFetched, PublicFetch};

const LIMITS: FetchLimits<'_> =
    FetchLimits { hosts: &[], max_bytes: 64, max_redirects: 2, time: Duration::from_secs(20) };

#[tokio::test]
async fn bytes_come_with_the_kind_the_server_names_also_behind_redirects() {
    let web = FakeWeb::start().await.unwrap();
    let page = WebPage::Raw { status: 200, kind: "image/png; x=1", body: b"bytes".to_vec() };
    web.page("/a.png", page).page("/b", WebPage::Redirect("/a.png".to_owned()));
    let fetch = PublicFetch::new(&[web.address()]);
    for path in ["/a.png", "/b"] {
        let found = fetch.get(&web.url(path), LIMITS).await.unwrap();
        assert_eq!((found.bytes.as_slice(), found.kind.as_str()), (&b"bytes"[..], "image/png"));
    }
}

#[tokio::test]
async fn private_places_are_not_asked_by_whatever_name_or_redirect() {
    let web = FakeWeb::start().await.unwrap();
    let other = FakeWeb::start().await.unwrap();
    web.page("/away", WebPage::Redirect(other.url("/x")));
    let nowhere = PublicFetch::new(&[]);
    let port = web.address().port();
    let addresses = [
        web.url("/x"),
        format!("http://localhost:{port}/x"),
        format!("http://[::1]:{port}/x"),
        format!("http://2130706433:{port}/x"),
        format!("http://0x7f.1:{port}/x"),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "http://user:secret@example.com/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "ftp://example.com/".to_owned(),
        "not an address".to_owned(),
    ];
    for address in addresses {
        let refused = nowhere.get(&address, LIMITS).await;
        assert!(matches!(refused, Err(NotFetched::Refused(_))), "{address}: {refused:?}");
    }
    let only_the_first = PublicFetch::new(&[web.address()]);
    let refused = only_the_first.get(&web.url("/away"), LIMITS).await;
    assert!(matches!(refused, Err(NotFetched::Refused(_))), "{refused:?}");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn limits_hold() {
    let web = FakeWeb::start().await.unwrap();
    web.page("/endless", WebPage::Endless)
        .page("/round", WebPage::Redirect("/round".to_owned()))
        .page("/gone", WebPage::Raw { status: 404, kind: "", body: Vec::new() })
        .page("/hangs", WebPage::Hangs);
    let fetch = PublicFetch::new(&[web.address()]);
    let listed = ["example.com".to_owned(), "*.example.org".to_owned()];
    let listed = FetchLimits { hosts: &listed, ..LIMITS };
    let hasty = FetchLimits { time: Duration::from_millis(20), ..LIMITS };
    let too_large = fetch.get(&web.url("/endless"), LIMITS).await;
    assert!(matches!(too_large, Err(NotFetched::TooLarge(64))), "{too_large:?}");
    let round = fetch.get(&web.url("/round"), LIMITS).await;
    assert!(matches!(round, Err(NotFetched::Redirects(2))), "{round:?}");
    let gone = fetch.get(&web.url("/gone"), LIMITS).await;
    assert!(matches!(gone, Err(NotFetched::Status(404))), "{gone:?}");
    let unlisted = fetch.get(&web.url("/gone"), listed).await;
    assert!(matches!(unlisted, Err(NotFetched::NotListed { .. })), "{unlisted:?}");
    let late = fetch.get(&web.url("/hangs"), hasty).await;
    assert!(matches!(late, Err(NotFetched::TimedOut(_))), "{late:?}");
}
