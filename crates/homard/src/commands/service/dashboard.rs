//! `homard dashboard`: the link to the web page, already signed in.

use std::net::SocketAddr;
use std::process::Stdio;

use clap::Args;
use homard_config::Config;
use homard_config::config::gateway::AuthMode;
use homard_config::config::gateway::reach::Transport;
use serde_json::json;
use tokio::process::Command;

use crate::commands::Cx;
use crate::commands::connection::{is_remote, own_port};
use crate::report::{Advice, Mark};

/// Open the web page, already signed in
///
/// Prints the link and opens it in a browser when there is a screen. The token is behind the `#`, so it never
/// leaves the browser; do not share the link.
#[derive(Args)]
pub(crate) struct DashboardArgs {
    /// Only print the link
    #[arg(long)]
    no_open: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the configuration cannot be used.
pub(crate) async fn run(cx: &Cx, args: DashboardArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let port = own_port(cx, &config);
    let here = SocketAddr::from(([127, 0, 0, 1], port));
    let remote = is_remote(&config);
    let link = if remote { remote_link(&config)? } else { link(&config, here) };
    let opened = !args.no_open && !args.json && open(cx, &link);
    if args.json {
        return Ok(cx.console.json(&json!({"url": link}))?);
    }
    cx.console.line(&cx.console.mark(Mark::Strong, &link))?;
    let running = remote || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok();
    if opened {
        cx.console.note("opened in your browser");
    }
    if !running {
        cx.console.warn("no gateway is running; start it with `homard gateway`");
    }
    Ok(())
}

/// The link that signs a browser on this machine in, for a gateway that listens on `address`.
pub(crate) fn link(config: &Config, address: SocketAddr) -> String {
    let gateway = &config.gateway;
    let scheme = if gateway.tls.enabled { "https" } else { "http" };
    let page = format!("{scheme}://{address}{}/", gateway.control_ui.base_path);
    let secret = match gateway.auth.mode {
        AuthMode::Token => gateway.auth.token.as_ref(),
        AuthMode::Password | AuthMode::None | AuthMode::TrustedProxy => None,
    };
    match secret {
        Some(token) => format!("{page}#token={}", homard_http::escaped(token.expose())),
        None => page,
    }
}

/// The link to the page of the gateway elsewhere. A tunnel would end with this command, so there it takes the
/// person's own.
fn remote_link(config: &Config) -> anyhow::Result<String> {
    let remote = &config.gateway.remote;
    let url = match (&remote.transport, &remote.url) {
        (Transport::Direct, Some(url)) => url,
        (Transport::Direct, None) => {
            return Err(Advice::error(
                "gateway.mode is `remote`, but gateway.remote.url is not set",
                "say where the gateway is: homard config set gateway.remote.url wss://host:18789",
            ));
        }
        (Transport::Ssh { .. } | Transport::SshNowhere, _) => {
            return Err(Advice::error(
                "the page of a gateway behind a tunnel cannot be opened from here",
                "keep one open yourself: ssh -N -L 18789:127.0.0.1:18789 user@host, then open http://127.0.0.1:18789/",
            ));
        }
    };
    let page = match url.split_once("://") {
        Some(("wss" | "https", rest)) => format!("https://{}", rest.trim_end_matches('/')),
        Some((_plain, rest)) => format!("http://{}", rest.trim_end_matches('/')),
        None => url.clone(),
    };
    Ok(match &remote.token {
        Some(token) => format!("{page}/#token={}", homard_http::escaped(token.expose())),
        None => format!("{page}/"),
    })
}

/// Starts the desktop's own opener and does not wait for it: the browser outlives this program.
fn open(cx: &Cx, link: &str) -> bool {
    let env = &cx.source.environment;
    let screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env.get(name).is_some());
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    screen && Command::new(opener).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use homard_config::{ConfigSource, Environment, Overrides, Paths, Snapshot};
    use homard_runtime::Clock;

    use super::link;

    #[test]
    fn the_link_signs_in_where_a_token_does() {
        let cases = [
            (r#"{gateway:{port:4000,auth:{token:"a b&c"}}}"#, "http://127.0.0.1:4000/#token=a%20b%26c"),
            (
                r#"{gateway:{auth:{token:"t"},controlUi:{basePath:"/ui/"}}}"#,
                "http://127.0.0.1:18789/ui/#token=t",
            ),
            (r#"{gateway:{auth:{mode:"password",password:"p"}}}"#, "http://127.0.0.1:18789/"),
            (r#"{gateway:{tls:{enabled:true},auth:{token:"t"}}}"#, "https://127.0.0.1:18789/#token=t"),
        ];
        for (text, expected) in cases {
            let home = tempfile::tempdir().unwrap();
            let paths = Paths::under(home.path());
            std::fs::create_dir_all(&paths.state_dir).unwrap();
            std::fs::write(&paths.config_path, text).unwrap();
            let nothing: [(&str, &str); 0] = [];
            let source = ConfigSource::isolated(paths, Environment::from_pairs(nothing), Clock::fixed(0));
            let snapshot = Snapshot::load(&source, &Overrides::default());
            let config = snapshot.config.unwrap();
            let address = std::net::SocketAddr::from(([127, 0, 0, 1], config.gateway.port));
            assert_eq!(link(&config, address), expected);
        }
    }
}
