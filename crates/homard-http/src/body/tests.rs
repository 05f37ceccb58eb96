//! Bodies that are too large, too slow or cut off.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::{Full, StreamBody};
use hyper::body::Frame;

use super::{BodyError, read};

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_given_up() {
    let one = stream::iter([Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{")))]);
    let body = StreamBody::new(one.chain(stream::pending()));
    assert_eq!(read(body, 100).await, Err(BodyError::TooSlow));
}

#[tokio::test]
async fn a_body_is_read_to_its_limit_and_no_further() {
    let whole = || Full::new(Bytes::from_static(b"12345"));
    assert_eq!(read(whole(), 5).await, Ok(Bytes::from_static(b"12345")));
    assert_eq!(read(whole(), 4).await, Err(BodyError::TooLarge));
    let piece = || Ok::<_, Infallible>(Frame::data(Bytes::from(vec![0; 1024 * 1024])));
    let endless = StreamBody::new(stream::repeat_with(piece));
    assert_eq!(read(endless, 5).await, Err(BodyError::TooLarge));
}
