//! Which gateway is addressed, and which secret it gets to see.

use homard_config::{ConfigSource, Environment, Paths};
use homard_runtime::Clock;

use super::{Target, is_local, route};
use crate::cli::Global;
use crate::commands::Cx;
use crate::report::Console;

const FILE: &str = r#"{ gateway: { port: 4000, auth: { token: "from-file" } } }"#;

fn cx(home: &std::path::Path, file: &str, env: &[(&str, &str)]) -> Cx {
    let paths = Paths::under(home);
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, file).unwrap();
    let environment = Environment::from_pairs(env.iter().copied());
    Cx {
        source: ConfigSource::isolated(paths, environment, Clock::fixed(0)),
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
            Target { port: Some(6000), ..Target::default() },
            "ws://127.0.0.1:6000",
            Some("from-file"),
        ),
        (
            vec![url],
            Target { url: flag("ws://[::1]:4000"), ..Target::default() },
            "ws://[::1]:4000",
            Some("from-file"),
        ),
        (
            vec![],
            Target { url: flag("ws://other:1"), token: flag("its-own"), ..Target::default() },
            "ws://other:1",
            Some("its-own"),
        ),
        (
            vec![token],
            Target { url: flag("ws://other:1"), ..Target::default() },
            "ws://other:1",
            Some("from-env"),
        ),
    ];
    for (env, target, url, token) in cases {
        let route = route(&cx(home.path(), FILE, &env), &target).unwrap();
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

#[test]
fn an_address_on_the_command_line_needs_its_own_credentials() {
    let home = tempfile::tempdir().unwrap();
    // Another port of this machine may be a tunnel to anywhere.
    for url in ["ws://other:4000", "ws://127.0.0.1:4001", "wss://other/?token=hidden"] {
        let target = Target { url: Some(url.to_owned()), ..Target::default() };
        let Err(refused) = route(&cx(home.path(), FILE, &[]), &target) else { panic!("{url}") };
        assert!(refused.to_string().ends_with("needs credentials of its own"), "{refused}");
        assert!(!refused.to_string().contains("hidden"));
        let target = Target { token: Some("t".to_owned()), ..target };
        assert!(route(&cx(home.path(), FILE, &[]), &target).is_ok(), "{url}");
    }
}

#[test]
fn in_remote_mode_commands_talk_to_the_gateway_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    let pin = "ab".repeat(32);
    let rows = [
        (r#"url: "wss://far:1", token: "r""#, Ok(("wss://far:1", Some("r"), None))),
        (r#"url: "wss://far:1", sshTarget: "me@far", transport: "direct""#, Ok(("wss://far:1", None, None))),
        (r#"sshTarget: "me@far", token: "r""#, Ok(("ws://127.0.0.1:18789", Some("r"), Some(18_789)))),
        (r#"sshTarget: "me@far", url: "ws://127.0.0.1:7""#, Ok(("ws://127.0.0.1:7", None, Some(7)))),
        (r#"sshTarget: "-oProxyCommand=sh""#, Err("is not a host to log in to")),
        (r#"transport: "ssh", url: "ws://far:1""#, Err("gateway.remote.sshTarget")),
        (r#"token: "r""#, Err("gateway.remote.url")),
        (r#"enabled: false"#, Ok(("ws://127.0.0.1:4000", Some("from-file"), None))),
    ];
    for (remote, expected) in rows {
        let remote = format!(r#"{remote}, tlsFingerprint: "{pin}""#);
        let file = format!(
            r#"{{ gateway: {{ mode: "remote", port: 4000, auth: {{ token: "from-file" }}, remote: {{ {remote} }} }} }}"#
        );
        let found = route(&cx(home.path(), &file, &[]), &Target::default());
        match (found, expected) {
            (Ok(route), Ok((url, token, tunnel))) => {
                let got = (route.url.as_str(), route.auth.token.as_deref());
                assert_eq!((got, route.tunnel.map(|(_, port)| port)), ((url, token), tunnel), "{remote}");
            }
            (Err(error), Err(words)) => assert!(format!("{error:#}").contains(words), "{error:#}"),
            (Ok(route), Err(words)) => panic!("{} instead of {words}", route.url),
            (Err(error), Ok(_)) => panic!("{remote}: {error:#}"),
        }
    }
}
