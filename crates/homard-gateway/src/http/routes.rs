//! The route table: one entry per family of paths, no ladder of conditions.
//!
//! A family says which paths are its own, which methods it takes and how it answers. The first entry that owns a path
//! answers; what differs between families (who may ask, how large a body may be) is the family's own business.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use homard_channel::Ingress;
use homard_config::Config;
use http::{Method, Request};
use hyper::body::Incoming;

use super::{
    canvas, control_ui, guard, hooks, ingress, join, openai, other_ui, page, probes, sessions, tools_invoke,
};
use crate::access::origin::Peer;
use crate::gateway::Gateway;
use homard_http::answers::{Answer, method_not_allowed};

/// Every family, in the order they are asked. Those that act come first; the page is last, because every path nobody
/// else owns may be one of its own.
const ROUTES: [RouteEntry; 11] = [
    probes::ENTRY,
    hooks::ENTRY,
    tools_invoke::ENTRY,
    sessions::ENTRY,
    openai::ENTRY,
    ingress::ENTRY,
    canvas::ENTRY,
    control_ui::ENTRY,
    other_ui::ENTRY,
    join::ENTRY,
    page::ENTRY,
];

/// A request on its way to its family.
pub(super) struct RouteCx<'r> {
    pub(super) gateway: &'r Arc<Gateway>,
    pub(super) request: Request<Incoming>,
    pub(super) peer: &'r Peer,
}

impl RouteCx<'_> {
    /// The path asked for.
    pub(super) fn path(&self) -> &str {
        self.request.uri().path()
    }
}

/// What decides whose a path is.
pub(super) struct RouteFacts<'r> {
    pub(super) config: &'r Config,
    /// Paths that platforms bring messages to.
    pub(super) ingress: &'r Ingress,
}

/// Which methods a family takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteMethods {
    /// Only looking: GET and HEAD. Other requests to its paths are asked of the families after it.
    Look,
    /// Each of its routes says so itself.
    Own,
}

/// Who may ask from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteGuard {
    /// No page from elsewhere, and where no secret is asked for only by a name of this machine.
    Guarded,
    Open,
}

/// One family of routes.
pub(super) struct RouteEntry {
    /// Prefixes that are never a page of the app, whatever a browser says it accepts.
    pub(super) reserved: &'static [&'static str],
    /// Which methods it takes.
    pub(super) methods: RouteMethods,
    /// Who may ask from where.
    pub(super) guard: RouteGuard,
    /// Whether a path is one of its own.
    pub(super) owns: fn(&RouteFacts<'_>, &str) -> bool,
    /// Answers a request to one of its paths.
    pub(super) answer: for<'r> fn(RouteCx<'r>) -> BoxFuture<'r, Answer>,
}

/// Finds the family of a path and has it answer.
pub(super) async fn route(cx: RouteCx<'_>) -> Answer {
    let facts = RouteFacts { config: &cx.gateway.config().current(), ingress: &cx.gateway.http().ingress };
    let found = family(&facts, cx.request.method(), cx.path());
    if found.is_none_or(|entry| entry.guard == RouteGuard::Guarded)
        && let Err(refused) = guard::check(cx.gateway, cx.request.method(), cx.request.headers(), cx.peer)
    {
        return *refused;
    }
    match found {
        Some(entry) => (entry.answer)(cx).await,
        None => method_not_allowed("GET, HEAD"),
    }
}

fn family(facts: &RouteFacts<'_>, method: &Method, path: &str) -> Option<&'static RouteEntry> {
    let looks = matches!(*method, Method::GET | Method::HEAD);
    ROUTES.iter().find(|entry| (looks || entry.methods == RouteMethods::Own) && (entry.owns)(facts, path))
}

/// Whether a path belongs to some family by its prefix, and so never to the app.
pub(super) fn is_reserved(path: &str) -> bool {
    ROUTES.iter().flat_map(|entry| entry.reserved).any(|prefix| path.starts_with(prefix))
}

#[cfg(test)]
mod tests;
