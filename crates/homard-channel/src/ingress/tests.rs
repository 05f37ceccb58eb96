//! Who has a path, and for how long.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};

use super::{Ingress, IngressHandler, IngressLimits, IngressMount, PathTaken};
use crate::channel::BoxFuture;

struct Nobody;

impl IngressHandler for Nobody {
    fn admits(&self, _headers: &HeaderMap) -> bool {
        false
    }

    fn answer(&self, _body: Bytes) -> BoxFuture<'_, StatusCode> {
        Box::pin(std::future::ready(StatusCode::OK))
    }
}

fn mount() -> IngressMount {
    let limits = IngressLimits { method: Method::POST, max_body: 1, time: Duration::from_secs(1) };
    IngressMount { limits, handler: Arc::new(Nobody) }
}

#[test]
fn a_path_has_one_owner_until_it_is_given_back() {
    let ingress = Ingress::default();
    let mounted = ingress.clone().mount("/hook", mount()).unwrap();
    assert!(ingress.at("/hook").is_some() && ingress.at("/hook/more").is_none());
    assert_eq!(ingress.mount("/hook", mount()).err(), Some(PathTaken("/hook".to_owned())));
    drop(mounted);
    assert!(ingress.at("/hook").is_none());
    assert!(ingress.mount("/hook", mount()).is_ok());
}
