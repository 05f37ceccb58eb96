//! When a gateway counts as ready.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use super::{free_address, is_ready, random_token};

/// Whether a server that answers one request with `answer` counts as ready.
fn ready_on(answer: &str) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap();
            assert!(request[..read].starts_with(b"GET /readyz HTTP/1.1\r\n"));
            stream.write_all(answer.as_bytes()).unwrap();
        });
        is_ready(address)
    })
}

#[test]
fn only_a_plain_yes_is_ready() {
    assert!(ready_on("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
    assert!(!ready_on("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n"));
    assert!(!ready_on(""));
}

#[test]
fn a_port_nobody_listens_on_is_not_ready() {
    assert!(!is_ready(free_address().unwrap()));
}

#[test]
fn tokens_are_long_and_never_twice_the_same() {
    let (one, two) = (random_token(), random_token());
    assert_eq!(one.len(), 64);
    assert_ne!(one, two);
}
