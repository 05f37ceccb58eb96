//! A person's IRC program: Debian's `weechat-headless`, started by the test and typed into through its pipe. What it
//! shows is read from the logs it keeps, as its user would read them.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::client::capped;

/// The program, as the search path finds it.
const PROGRAM: &str = "weechat-headless";
/// What the server is called inside it.
const SERVER: &str = "t";
/// How often its logs are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Somebody at their IRC program. It ends with this value.
#[derive(Debug)]
pub struct Weechat {
    folder: TempDir,
    _child: Child,
}

impl Weechat {
    /// Starts it as `nick` on a server of this machine, in `channel`; ready when it is in there.
    ///
    /// # Errors
    /// When the program is not installed or does not get in.
    pub async fn start(port: u16, nick: &str, channel: &str) -> Result<Self> {
        let folder = TempDir::new()?;
        let commands = [
            "/set logger.file.flush_delay 0".to_owned(),
            format!(
                "/server add {SERVER} 127.0.0.1/{port} -notls -nicks={nick} -username={nick} -autojoin={channel}"
            ),
            format!("/connect {SERVER}"),
        ];
        let mut command = Command::new(PROGRAM);
        command.arg("--dir").arg(folder.path()).env("HOME", folder.path());
        for line in &commands {
            command.args(["--run-command", line]);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("`{PROGRAM}` does not start; on Debian: `apt-get install {PROGRAM}`"))?;
        let weechat = Self { folder, _child: child };
        weechat.shows(channel, &format!("{nick} (")).await?;
        weechat.has_pipe().await?;
        Ok(weechat)
    }

    /// Types a line into the window of a channel or person, or a command that begins with `/`.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn types(&self, window: &str, line: &str) -> Result<()> {
        let pipe = self.pipe().context("weechat has no pipe")?;
        let mut pipe = OpenOptions::new().write(true).open(pipe)?;
        writeln!(pipe, "irc.{SERVER}.{window} *{line}")?;
        Ok(())
    }

    /// Says something privately to `nick`.
    ///
    /// # Errors
    /// When the program is gone.
    pub fn tells(&self, nick: &str, line: &str) -> Result<()> {
        let pipe = self.pipe().context("weechat has no pipe")?;
        let mut pipe = OpenOptions::new().write(true).open(pipe)?;
        writeln!(pipe, "irc.server.{SERVER} */msg {nick} {line}")?;
        Ok(())
    }

    /// Waits until a window shows a line with `part`; answers with everything in that window.
    ///
    /// # Errors
    /// When it never does.
    pub async fn shows(&self, window: &str, part: &str) -> Result<String> {
        let file = self.folder.path().join("logs").join(format!("irc.{SERVER}.{window}.weechatlog"));
        let looking = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                let text = fs::read_to_string(&file).unwrap_or_default();
                if text.contains(part) {
                    return Ok(text);
                }
            }
        };
        let shown = capped(&format!("`{part}` in weechat's window {window}"), looking).await;
        shown.with_context(|| fs::read_to_string(&file).unwrap_or_default())
    }

    /// Waits for the pipe, which may come after the first lines.
    async fn has_pipe(&self) -> Result<()> {
        let looking = async {
            let mut looks = tokio::time::interval(LOOK);
            while self.pipe().is_none() {
                looks.tick().await;
            }
            Ok(())
        };
        capped("weechat's pipe", looking).await
    }

    fn pipe(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).ok()?;
        entries
            .filter_map(Result::ok)
            .find(|entry| entry.file_type().is_ok_and(|kind| kind.is_fifo()))
            .map(|entry| entry.path())
    }
}
