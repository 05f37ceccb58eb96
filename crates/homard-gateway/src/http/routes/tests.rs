//! Which family answers what.

use homard_channel::Ingress;
use homard_config::{Config, Environment, Paths};
use http::Method;

use super::{ROUTES, RouteFacts, RouteGuard, RouteMethods, family, is_reserved};

#[test]
fn only_probes_and_paths_of_platforms_answer_anybody() {
    let open: Vec<usize> = (0..ROUTES.len()).filter(|at| ROUTES[*at].guard == RouteGuard::Open).collect();
    assert_eq!(open, [0, 5]);
}

#[test]
fn every_path_has_a_family_that_is_looked_at_and_few_take_more() {
    let config = Config::empty(&Paths::under(std::path::Path::new("home")), &Environment::default());
    let facts = RouteFacts { config: &config, ingress: &Ingress::default() };
    let rows = [
        ("/healthz", true, false),
        ("/tools/invoke", true, true),
        ("/sessions/main/kill", true, true),
        ("/v1/models", true, true),
        ("/v1/other", true, false),
        ("/j/code", true, false),
        ("/chat/main", true, false),
    ];
    for (path, looks, acts) in rows {
        assert_eq!(family(&facts, &Method::GET, path).is_some(), looks, "GET {path}");
        let found = family(&facts, &Method::POST, path);
        assert_eq!(found.is_some_and(|entry| entry.methods == RouteMethods::Own), acts, "POST {path}");
    }
}

#[test]
fn prefixes_of_families_are_never_the_app() {
    for path in ["/v1/x", "/tools/x", "/api/x", "/plugins/x", "/__openclaw__/x", "/__openclaw/x"] {
        assert!(is_reserved(path), "{path}");
    }
    assert!(!is_reserved("/chat/main"));
}
