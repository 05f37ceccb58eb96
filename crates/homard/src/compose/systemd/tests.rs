//! What arrives at the notify socket.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

use homard_config::Environment;
use tokio_util::sync::CancellationToken;

use super::Systemd;

fn heard(socket: &UnixDatagram) -> String {
    let mut buffer = [0_u8; 256];
    let read = socket.recv(&mut buffer).unwrap();
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

#[test]
fn systemd_hears_every_stage_at_a_path_or_an_abstract_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let name = format!("homard-test-{}", uuid::Uuid::new_v4());
    let by_name = SocketAddr::from_abstract_name(&name).unwrap();
    let sockets = [
        (path.display().to_string(), UnixDatagram::bind(&path).unwrap()),
        (format!("@{name}"), UnixDatagram::bind_addr(&by_name).unwrap()),
    ];
    for (variable, socket) in sockets {
        let systemd = Systemd::of(&Environment::from_pairs([("NOTIFY_SOCKET", variable)]));
        assert!(systemd.listens());
        systemd.ready();
        assert_eq!(heard(&socket), "READY=1\nSTATUS=serving");
        systemd.reloading();
        assert!(heard(&socket).starts_with("RELOADING=1\nMONOTONIC_USEC="));
        systemd.main_process_is(42);
        assert_eq!(heard(&socket), "MAINPID=42");
        systemd.stopping();
        assert!(heard(&socket).starts_with("STOPPING=1"));
    }
}

#[tokio::test]
async fn the_watchdog_is_fed_only_when_it_asks_for_us() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let with = |pid: String| {
        let pairs = [
            ("NOTIFY_SOCKET", path.display().to_string()),
            ("WATCHDOG_USEC", "20000000".to_owned()),
            ("WATCHDOG_PID", pid),
        ];
        Systemd::of(&Environment::from_pairs(pairs))
    };
    // Somebody else's watchdog: returns at once.
    with("1".to_owned()).watch(CancellationToken::new()).await;
    let cancel = CancellationToken::new();
    let ours = with(std::process::id().to_string()).watch(cancel.clone());
    tokio::pin!(ours);
    let beat = tokio::task::spawn_blocking(move || heard(&socket));
    tokio::select! {
        () = &mut ours => panic!("it stopped by itself"),
        beat = beat => assert_eq!(beat.unwrap(), "WATCHDOG=1"),
    }
    cancel.cancel();
    ours.await;
}

#[test]
fn without_systemd_nothing_is_told() {
    let nothing: [(&str, &str); 0] = [];
    let systemd = Systemd::of(&Environment::from_pairs(nothing));
    assert!(!systemd.listens());
    systemd.ready();
}
