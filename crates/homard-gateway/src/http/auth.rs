//! Who sends an HTTP request, and what it may do.

use std::time::Instant;

use homard_protocol::method::Access;
use homard_protocol::{Method, Scope, ScopeSet};
use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::access::auth::AuthMethod;
use crate::access::origin::{Locality, Peer, Source};
use crate::gateway::Gateway;
use homard_http::answers::{Answer, missing_scope, too_many, unauthorized};

/// Who sends a request that may act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender {
    /// What it may do. Whoever knows the shared secret may do what an operator may.
    pub(crate) scopes: ScopeSet,
}

/// The token of an `Authorization: Bearer` header.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// What a route that does the same as a method asks for.
pub(crate) fn scope_of<M: Method>() -> Scope {
    match M::ACCESS {
        Access::Operator(scope) => scope,
        // Nothing else is done over HTTP; if it ever is, only by who may do everything.
        _ => Scope::Admin,
    }
}

/// Asks for the shared secret, and whether who sends may do what needs `scope`.
pub(crate) fn check(
    gateway: &Gateway,
    headers: &HeaderMap,
    peer: &Peer,
    scope: Scope,
) -> Result<Sender, Box<Answer>> {
    let sender = prove(gateway, headers, peer)?;
    if sender.scopes.grants(scope) { Ok(sender) } else { Err(Box::new(missing_scope(scope.as_str()))) }
}

/// Asks for the shared secret; wrong ones are counted against whom they come from.
fn prove(gateway: &Gateway, headers: &HeaderMap, peer: &Peer) -> Result<Sender, Box<Answer>> {
    let (access, who, now) = (gateway.access().rules(), peer.source.to_string(), Instant::now());
    // As on the WebSocket: programs on this machine share an address, and one must not lock the others out.
    let exempt = access.exempt_loopback && peer.source == Source::ThisMachine;
    if !exempt && let Some(wait) = gateway.access().guesses.shut_for(&who, now) {
        return Err(Box::new(too_many(wait.as_secs())));
    }
    // Where a proxy names people, its word counts; only programs on this machine use the secret.
    let named = access.proxies.names.is_some() && peer.locality == Locality::Remote;
    let proven = match &peer.claims.user {
        _ if !named => access.auth.check_bearer(bearer(headers)),
        Ok(_user) => Ok(AuthMethod::TrustedProxy),
        Err(refusal) => Err(*refusal),
    };
    match proven {
        Ok(method) => Ok(Sender { scopes: peer.claims.cap(method, ScopeSet::from_iter(Scope::ALL)) }),
        Err(refusal) => {
            if refusal.is_guess() && !exempt {
                gateway.access().guesses.wrong(&who, access.guess_limit, now);
            }
            Err(Box::new(unauthorized()))
        }
    }
}
