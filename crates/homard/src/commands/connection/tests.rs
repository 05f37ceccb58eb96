//! Which gateway is addressed, and which secret it gets to see.

use homard_config::{Environment, Paths, Source};
use homard_runtime::Clock;

use super::{Target, is_local, route};
use crate::cli::Global;
use crate::commands::Cx;
use crate::report::Console;

const FILE: &str = r#"{ gateway: { port: 4000, auth: { token: "from-file" } } }"#;

fn cx(home: &std::path::Path, env: &[(&str, &str)]) -> Cx {
    let paths = Paths::under(home);
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, FILE).unwrap();
    let environment = Environment::from_pairs(env.iter().copied());
    Cx {
        source: Source::isolated(paths, environment, Clock::fixed(0)),
        global: Global::default(),
        console: Console::new(true),
    }
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let home = tempfile::tempdir().unwrap();
    let url = ("HOMARD_GATEWAY_URL", "ws://127.0.0.1:5000");
    let token = ("OPENCLAW_GATEWAY_TOKEN", "from-env");
    let flag = |text: &str| Some(text.to_owned());
    let cases = [
        (vec![], Target::default(), "ws://127.0.0.1:4000", Some("from-file")),
        (vec![token], Target::default(), "ws://127.0.0.1:4000", Some("from-env")),
        (
            vec![token],
            Target { token: flag("from-flag"), ..Target::default() },
            "ws://127.0.0.1:4000",
            Some("from-flag"),
        ),
        (vec![url], Target::default(), "ws://127.0.0.1:5000", Some("from-file")),
        (
            vec![url],
            Target { url: flag("ws://[::1]:1"), ..Target::default() },
            "ws://[::1]:1",
            Some("from-file"),
        ),
        (vec![], Target { url: flag("ws://other:1"), ..Target::default() }, "ws://other:1", None),
        (
            vec![token],
            Target { url: flag("ws://other:1"), ..Target::default() },
            "ws://other:1",
            Some("from-env"),
        ),
    ];
    for (env, target, url, token) in cases {
        let route = route(&cx(home.path(), &env), &target).unwrap();
        assert_eq!((route.url.as_str(), route.auth.token.as_deref()), (url, token));
    }
}

#[test]
fn only_loopback_counts_as_this_machine() {
    for (url, local) in [
        ("ws://127.0.0.1:1", true),
        ("ws://localhost", true),
        ("ws://[::1]:1", true),
        ("ws://127.8.0.1:1", true),
        ("ws://192.168.0.2:1", false),
        ("ws://localhost.evil:1", false),
        ("nonsense", false),
    ] {
        assert_eq!(is_local(url), local, "{url}");
    }
}
