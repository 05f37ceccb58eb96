//! The terminal while it is ours. However the program ends (by itself, by a signal, by a panic), the terminal is given
//! back as it was.

use std::io::{self, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui_core::layout::Size;
use ratatui_core::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;
use rustix::process::{Signal, getpid, kill_process};

use super::frame_writer::FrameWriter;

static RESTORE_ON_PANIC: Once = Once::new();
/// Whether something panicked while the terminal was ours: it is the person's again, and is not drawn on any more.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours.
pub(super) struct ScreenGuard {
    terminal: Terminal<CrosstermBackend<FrameWriter>>,
    mouse: bool,
}

impl ScreenGuard {
    pub(super) fn enter(mouse: bool) -> io::Result<Self> {
        RESTORE_ON_PANIC.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                HAS_PANICKED.store(true, Ordering::SeqCst);
                leave();
                before(info);
            }));
        });
        begin(mouse)?;
        let backend = CrosstermBackend::new(FrameWriter::default());
        let terminal = Terminal::new(backend).inspect_err(|_| leave())?;
        Ok(Self { terminal, mouse })
    }

    pub(super) fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    pub(super) fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if HAS_PANICKED.load(Ordering::SeqCst) {
            return Err(io::Error::other("a part of the program failed"));
        }
        self.terminal.draw(picture).map(drop)
    }

    /// Gives the terminal back, stops until somebody continues us, and takes it again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        leave();
        kill_process(getpid(), Signal::STOP)?;
        begin(self.mouse)?;
        self.terminal.clear()
    }
}

impl Drop for ScreenGuard {
    fn drop(&mut self) {
        leave();
    }
}

fn begin(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    let mut out = io::stdout();
    let taken = execute!(out, EnterAlternateScreen, EnableBracketedPaste)
        .and_then(|()| if mouse { execute!(out, EnableMouseCapture) } else { Ok(()) });
    taken.inspect_err(|_| leave())
}

/// Gives the terminal back. What fails here fails because nobody is there any more.
fn leave() {
    let mut out = io::stdout();
    drop(execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show));
    drop(out.flush());
    drop(disable_raw_mode());
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::ScreenGuard;

    /// Says to this test that it is to take the terminal and panic.
    const CHILD: &str = "HOMARD_TUI_TEST_PANICS";

    #[test]
    fn a_panic_gives_the_terminal_back_before_it_says_why() {
        if std::env::var_os(CHILD).is_some() {
            let _guard = ScreenGuard::enter(true).unwrap();
            panic!("on purpose");
        }
        let (mut ours, theirs) = pty_process::blocking::open().unwrap();
        ours.resize(pty_process::Size::new(24, 80)).unwrap();
        let name = "runner::screen_guard::tests::a_panic_gives_the_terminal_back_before_it_says_why";
        let child = pty_process::blocking::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(CHILD, "1");
        let mut child = child.spawn(theirs).unwrap();
        let mut said = Vec::new();
        // A terminal whose program is gone says so with an error.
        let _gone = ours.read_to_end(&mut said);
        child.wait().unwrap();
        let said = String::from_utf8_lossy(&said);
        let taken = said.find("\u{1b}[?1049h").unwrap();
        let given = said.find("\u{1b}[?1049l").unwrap();
        let why = said.find("on purpose").unwrap();
        assert!(taken < given && given < why, "{said:?}");
        let after = said.get(why..).unwrap();
        assert!(after.contains("\r\n"), "lines end as in an ordinary terminal: {after:?}");
        for off in ["\u{1b}[?2004l", "\u{1b}[?1000l", "\u{1b}[?25h"] {
            assert!(said.get(taken..why).unwrap().contains(off), "{off:?} in {said:?}");
        }
    }
}
