//! Files that people send.

use homard_channel::{Attachment, ChannelError, MediaKind};
use homard_testkit::Fault;

use crate::telegram::bench::{ADA, Bench};

fn attachment(handle: &str, size: Option<u64>) -> Attachment {
    let mime = Some("image/jpeg".to_owned());
    Attachment { kind: MediaKind::Image, handle: handle.to_owned(), mime, name: None, size }
}

#[tokio::test]
async fn a_picture_is_fetched() {
    let bench = Bench::new().await;
    bench.fake.sends_photo(ADA, ADA, b"jpeg bytes", "look");
    let mut listening = bench.listen();
    let file = listening.next_message().await.details.files.remove(0);
    let fetched = bench.channel.fetch(file, 1_000).await.unwrap();
    assert_eq!(fetched.bytes, b"jpeg bytes");
    assert_eq!((fetched.mime.as_deref(), fetched.name.as_deref()), (Some("image/jpeg"), Some("file_1.jpg")));
}

#[tokio::test]
async fn files_larger_than_the_limit_are_not_fetched_whoever_lies() {
    let bench = Bench::new().await;
    let id = bench.fake.keeps_file("photos", "a.jpg", &[7; 2_000]);
    let too_large = |size: u64, limit: u64| Err(ChannelError::TooLarge { size, limit });
    let declared = bench.channel.fetch(attachment(&id, Some(5_000)), 1_000).await.map(|_| ());
    assert_eq!(declared, too_large(5_000, 1_000));
    assert!(bench.fake.calls_of("getFile").is_empty());
    let known = bench.channel.fetch(attachment(&id, None), 1_000).await.map(|_| ());
    assert_eq!(known, too_large(2_000, 1_000));
    bench.fake.claims_size(&id, 10);
    let lied = bench.channel.fetch(attachment(&id, Some(10)), 1_000).await.map(|_| ());
    assert_eq!(lied, too_large(2_000, 1_000));
    assert_eq!(bench.channel.fetch(attachment(&id, Some(10)), 2_000).await.unwrap().bytes.len(), 2_000);
    bench.fake.claims_size(&id, 30 * 1024 * 1024);
    let huge = bench.channel.fetch(attachment(&id, None), 100 * 1024 * 1024).await;
    assert!(matches!(huge, Err(ChannelError::TooLarge { .. })), "{huge:?}");
}

#[tokio::test]
async fn a_file_that_cannot_be_had_says_why() {
    let bench = Bench::new().await;
    let gone = bench.channel.fetch(attachment("nope", None), 1_000).await;
    assert!(matches!(gone, Err(ChannelError::Permanent(_))), "{gone:?}");
    bench.fake.fail_next("getFile", Fault::CutBefore);
    let cut = bench.channel.fetch(attachment("nope", None), 1_000).await;
    assert!(matches!(cut, Err(ChannelError::Unreachable(_))), "{cut:?}");
    let path = "{\"ok\":true,\"result\":{\"file_path\":\"../../etc/passwd\"}}";
    bench.fake.fail_next("getFile", Fault::Answer(path.to_owned()));
    let odd = bench.channel.fetch(attachment("nope", None), 1_000).await;
    assert!(matches!(odd, Err(ChannelError::Permanent(_))), "{odd:?}");
}
