//! A fake `tailscale` program on the PATH.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homard_config::config::gateway::reach::TailscaleMode;

use super::{Identity, Tailscale, TailscaleError};

const FAKE: &str = r#"#!/bin/sh
echo "$@" >> "$HOME/asked"
case "$1 $3" in
  "whois 100.64.0.7") echo '{"UserProfile":{"LoginName":"ann@example.com","DisplayName":"Ann"}}' ;;
  "whois 100.64.0.8") echo '{"Node":{"Tags":["tag:box"]}}' ;;
  "whois 100.64.0.9") echo 'not json' ;;
  whois*) echo 'peer not found' >&2; exit 1 ;;
  status*) echo 'warning: old client'; echo '{"Self":{"DNSName":"den.tail.ts.net."}}' ;;
  funnel*) echo 'Funnel is not enabled' >&2; exit 1 ;;
esac
"#;

fn tailscale(home: &Path, script: Option<&str>) -> Tailscale {
    let bin = home.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    if let Some(script) = script {
        let program = bin.join("tailscale");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let base = BTreeMap::from([
        ("PATH".to_owned(), if script.is_some() { path } else { bin.display().to_string() }),
        ("HOME".to_owned(), home.display().to_string()),
    ]);
    Tailscale::new(home, &base)
}

fn asked(home: &Path) -> Vec<String> {
    std::fs::read_to_string(home.join("asked")).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_tailnet_says_who_has_an_address_and_is_not_asked_twice() {
    let home = tempfile::tempdir().unwrap();
    let tailscale = tailscale(home.path(), Some(FAKE));
    let ann = Identity { login: "ann@example.com".into(), name: Some("Ann".into()) };
    for _ in 0..3 {
        assert_eq!(tailscale.whois("100.64.0.7".parse().unwrap()).await, Ok(ann.clone()));
    }
    assert_eq!(asked(home.path()), ["whois --json 100.64.0.7"]);
    for address in ["100.64.0.8", "100.64.0.9"] {
        let answer = tailscale.whois(address.parse().unwrap()).await;
        assert!(matches!(answer, Err(TailscaleError::Unreadable { .. })), "{address} {answer:?}");
    }
    let stranger = tailscale.whois("192.0.2.1".parse().unwrap()).await.unwrap_err();
    assert_eq!(stranger.to_string(), "`tailscale whois --json 192.0.2.1` failed: peer not found");
    assert_eq!(tailscale.dns_name().await.unwrap(), "den.tail.ts.net");
}

#[tokio::test]
async fn showing_and_hiding_use_the_programs_own_words() {
    let home = tempfile::tempdir().unwrap();
    let tailscale = tailscale(home.path(), Some(FAKE));
    tailscale.show(TailscaleMode::Off, "18789").await.unwrap();
    tailscale.show(TailscaleMode::Serve, "18789").await.unwrap();
    tailscale.hide(TailscaleMode::Serve).await.unwrap();
    let refused = tailscale.show(TailscaleMode::Funnel, "18789").await.unwrap_err();
    assert!(refused.to_string().ends_with("failed: Funnel is not enabled"), "{refused}");
    assert_eq!(asked(home.path()), ["serve --bg --yes 18789", "serve reset", "funnel --bg --yes 18789"]);
}

#[tokio::test]
async fn a_machine_without_the_program_says_so() {
    let home = tempfile::tempdir().unwrap();
    let tailscale = tailscale(home.path(), None);
    assert_eq!(tailscale.dns_name().await, Err(TailscaleError::NotThere));
}
