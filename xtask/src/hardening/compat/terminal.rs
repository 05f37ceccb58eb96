//! The client's terminal interface, driven through tmux: what a person sees and types.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::stage::{GLANCE, LAST_WORD, Stage};
use crate::sh::{Cmd, last_lines};

/// How long it may take to show what is waited for.
const SHOWN_WITHIN: Duration = Duration::from_secs(60);
/// A screen that has not changed for so long is done.
const STILL: Duration = Duration::from_millis(1_500);
/// How much of the screen is shown after a failure.
const SHOWN_LINES: usize = 8;
/// The one window.
const WINDOW: &str = "tui";

/// Opens it, says something, waits for the answer and lists the sessions.
pub(super) fn tui(stage: &mut Stage<'_>) -> Result<()> {
    let terminal = Terminal::open(stage)?;
    terminal.waits_for("connected")?;
    terminal.types("hello")?;
    terminal.waits_for(LAST_WORD)?;
    terminal.types("/sessions")?;
    // The picker names a conversation by its first words and its key.
    terminal.waits_for("(main)")
}

/// Everything its own help lists that can be said without an answer being waited for, one after the other: the TUI must
/// stay, whatever is refused to it, and the gateway's log says what it asked for.
const COMMANDS: [&str; 22] = [
    "/help",
    "/commands",
    "/status",
    "/gateway-status",
    "/agents",
    "/sessions",
    "/models",
    "/think low",
    "/fast on",
    "/verbose on",
    "/trace on",
    "/reasoning on",
    "/usage full",
    "/elevated on",
    "/activation always",
    "/goal status",
    "/btw what time is it",
    "/queue",
    "/settings",
    "/question",
    "/new",
    "/reset",
];

/// Opens it and tries every command and picker.
pub(super) fn tui_commands(stage: &mut Stage<'_>) -> Result<()> {
    let terminal = Terminal::open(stage)?;
    terminal.waits_for("connected")?;
    for command in COMMANDS {
        terminal.types(command)?;
        terminal.settles()?;
        // Closes a picker, where one was opened.
        terminal.tmux(&["send-keys", "-t", WINDOW, "Escape"]).read()?;
        terminal.waits_for("connected").with_context(|| format!("after `{command}`"))?;
    }
    Ok(())
}

/// A tmux server of our own with one window; ended with this value.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn open(stage: &Stage<'_>) -> Result<Self> {
        if !Cmd::new("tmux", &["-V"]).works() {
            bail!("tmux is not installed, so there is no terminal to try it in");
        }
        let terminal = Self { socket: format!("homard-compat-{}", std::process::id()) };
        let home = stage.client_home();
        let program =
            format!("'{}' '{}' tui", stage.published.node().display(), stage.published.entry().display());
        terminal
            .tmux(&["new-session", "-d", "-s", WINDOW, "-x", "120", "-y", "40", &program])
            .dir(&home)
            .bare_env()
            .env("PATH", stage.published.search_path())
            .env("HOME", &home)
            .env("TERM", "xterm-256color")
            .env("OPENCLAW_STATE_DIR", home.join(".openclaw"))
            .env("OPENCLAW_GATEWAY_TOKEN", &stage.token)
            .env("OPENCLAW_GATEWAY_PORT", stage.address.port().to_string())
            .read()?;
        Ok(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Cmd {
        Cmd::new("tmux", &["-L", &self.socket, "-f", "/dev/null"]).args(args)
    }

    fn types(&self, text: &str) -> Result<()> {
        self.tmux(&["send-keys", "-t", WINDOW, "-l", text]).read()?;
        self.tmux(&["send-keys", "-t", WINDOW, "Enter"]).read().map(|_| ())
    }

    /// Waits until the screen has stayed as it is for a while: it has said what it has to say.
    fn settles(&self) -> Result<()> {
        let begun = Instant::now();
        let (mut screen, mut since) = (String::new(), begun);
        while begun.elapsed() < SHOWN_WITHIN && since.elapsed() < STILL {
            let now = self.tmux(&["capture-pane", "-p", "-t", WINDOW]).read()?;
            if now != screen {
                (screen, since) = (now, Instant::now());
            }
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    fn waits_for(&self, wanted: &str) -> Result<()> {
        let begun = Instant::now();
        let mut screen = String::new();
        while begun.elapsed() < SHOWN_WITHIN {
            match self.tmux(&["capture-pane", "-p", "-t", WINDOW]).read() {
                Ok(now) => screen = now,
                Err(_) => bail!("the TUI ended; its last screen: {}", last_lines(screen.trim(), SHOWN_LINES)),
            }
            if screen.contains(wanted) {
                return Ok(());
            }
            std::thread::sleep(GLANCE);
        }
        bail!("the TUI did not show `{wanted}`; its screen: {}", last_lines(screen.trim(), SHOWN_LINES))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]).works();
    }
}
