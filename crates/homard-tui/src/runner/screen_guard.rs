//! The terminal while it is ours. However the program ends (by itself, by a signal, by a panic), the terminal is given
//! back as it was.

use std::io::{self, Write as _};
use std::panic;
use std::sync::Once;

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
