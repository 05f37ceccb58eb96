//! Paths a page asks for.

use homard_config::{Config, Environment, Paths};

use super::{PageRequest, owned};

#[test]
fn paths_are_known_with_and_without_the_base_and_the_rest_is_the_apps() {
    let mut page = Config::empty(&Paths::under(std::path::Path::new("home")), &Environment::default())
        .gateway
        .control_ui
        .clone();
    for base in ["", "/ui-here"] {
        base.clone_into(&mut page.base_path);
        let rows = [
            ("/control-ui-config.json", Some(PageRequest::Setup)),
            ("/__openclaw/control-ui-config.json", Some(PageRequest::Setup)),
            ("/__openclaw__/control-ui-config.json", Some(PageRequest::Setup)),
            ("/avatar/main", Some(PageRequest::Avatar("main".to_owned()))),
            ("/__openclaw__/assistant-media", Some(PageRequest::Media)),
            ("/api/users/u-1/avatar", Some(PageRequest::Nothing)),
            ("/api/chat/media/outgoing/s/i/full", Some(PageRequest::Nothing)),
            ("/__openclaw__/workspace-icon", Some(PageRequest::Nothing)),
            ("/__openclaw__/anything", Some(PageRequest::Unknown)),
            ("/api/anything", Some(PageRequest::Unknown)),
            ("/ui", Some(PageRequest::Unknown)),
            ("/", None),
            ("/chat/main", None),
            ("/approve/some-id", None),
            ("/assets/app.js", None),
        ];
        for (path, expected) in rows {
            assert_eq!(owned(&page, &format!("{base}{path}")), expected, "{base}{path}");
        }
    }
    "/ui".clone_into(&mut page.base_path);
    for path in ["/ui", "/ui/", "/ui/chat/main"] {
        assert_eq!(owned(&page, path), None, "the owner put the page there: {path}");
    }
}
