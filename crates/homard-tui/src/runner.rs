//! The terminal, the connection and the clock, around the [`App`]. A picture is drawn only when something changed, at
//! most thirty times a second.

mod calls;
mod effects;
mod frame_writer;
mod link;
mod screen_guard;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{Event, MouseEventKind};
use homard_client::Client;
use homard_runtime::{Clock, off_thread};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

pub use link::Connector;

use crate::app::{App, Msg, Screen, StartOptions};
use crate::plain;
use crate::text::theme::Theme;
use crate::view;
pub(crate) use effects::{EffectRunner, LoopStep};
pub(crate) use link::GatewayLink;
use screen_guard::ScreenGuard;

/// The shortest time between two pictures.
const FRAME: Duration = Duration::from_millis(33);
/// What may wait to be taken in; those who bring it wait then.
const INBOX: usize = 256;
/// Rows of one turn of the wheel.
const WHEEL_ROWS: isize = 3;

/// Why the terminal UI ended, where it should not have.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal cannot be used.
    #[error("could not use the terminal")]
    Terminal(#[from] io::Error),
}

/// How the terminal UI is to be.
#[derive(Debug, Clone)]
pub struct TuiOptions {
    /// What the person asked for.
    pub wishes: StartOptions,
    pub color: bool,
    /// Plain lines instead of a screen.
    pub plain: bool,
    /// Whether the wheel scrolls; the terminal's own selecting of text then needs a key.
    pub mouse: bool,
    pub clock: Clock,
    /// Where commands run and files are.
    pub machine: Machine,
}

/// This machine, as commands and files of the person see it.
#[derive(Debug, Clone)]
pub struct Machine {
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// The variables commands get.
    pub environment: BTreeMap<String, String>,
}

/// Chats until the person leaves. `first` is the connection to begin with; `connector` makes others when it is lost.
///
/// # Errors
/// When the terminal cannot be used.
pub async fn run(first: Client, connector: &impl Connector, options: TuiOptions) -> Result<(), TuiError> {
    if options.plain {
        return plain::run(first, connector, options).await;
    }
    let mut guard = ScreenGuard::enter(options.mouse)?;
    let size = guard.size()?;
    let theme = Theme::new(options.color);
    let mut app = App::new(options.wishes, Screen::new(size.width, size.height, theme), new_id);
    let (inbox, mut arrived) = mpsc::channel(INBOX);
    let keys = inbox.clone();
    drop(off_thread(move || read_keys(&keys)));
    let hands = EffectRunner::new(inbox, options.machine);
    let mut line = GatewayLink::up(first, connector);
    let outcome = Loop { app: &mut app, guard: &mut guard, hands: &hands, clock: &options.clock }
        .turn(&mut line, &mut arrived)
        .await;
    hands.stop().await;
    outcome
}

pub(crate) fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// Keys and what else the terminal tells, until nobody wants them.
fn read_keys(inbox: &mpsc::Sender<Msg>) {
    loop {
        let msg = match crossterm::event::read() {
            Ok(Event::Key(key)) => Msg::Key(key),
            Ok(Event::Paste(text)) => Msg::Paste(text),
            Ok(Event::Resize(width, height)) => Msg::Resize(width, height),
            Ok(Event::Mouse(event)) => match event.kind {
                MouseEventKind::ScrollUp => Msg::Wheel(WHEEL_ROWS),
                MouseEventKind::ScrollDown => Msg::Wheel(-WHEEL_ROWS),
                _ => continue,
            },
            Ok(Event::FocusGained | Event::FocusLost) => continue,
            // The terminal is gone; the program hears of that by a signal.
            Err(_) => return,
        };
        if inbox.blocking_send(msg).is_err() {
            return;
        }
    }
}

/// What ends or suspends the program from outside.
pub(crate) struct Signals {
    ends: [Signal; 3],
    suspends: Signal,
}

/// What a signal asks for.
pub(crate) enum Signalled {
    End,
    Suspend,
}

impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            ends: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::interrupt())?,
            ],
            suspends: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
        })
    }

    pub(crate) async fn next(&mut self) -> Signalled {
        let [terminate, hangup, interrupt] = &mut self.ends;
        tokio::select! {
            _ = terminate.recv() => Signalled::End,
            _ = hangup.recv() => Signalled::End,
            _ = interrupt.recv() => Signalled::End,
            _ = self.suspends.recv() => Signalled::Suspend,
        }
    }
}

struct Loop<'a> {
    app: &'a mut App,
    guard: &'a mut ScreenGuard,
    hands: &'a EffectRunner,
    clock: &'a Clock,
}

impl Loop<'_> {
    async fn turn(
        self,
        line: &mut GatewayLink<'_, impl Connector>,
        arrived: &mut mpsc::Receiver<Msg>,
    ) -> Result<(), TuiError> {
        let mut signals = Signals::listen()?;
        let mut seconds = interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut changed = true;
        let mut drawn = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
        loop {
            let shows_time = self.app.shows_time();
            let msg = tokio::select! {
                Some(msg) = arrived.recv() => msg,
                msg = line.next() => msg,
                _ = seconds.tick(), if shows_time => Msg::Tick,
                () = sleep_until(drawn + FRAME), if changed => {
                    let now = self.clock.now_ms();
                    self.guard.draw(|frame| view::draw(self.app, frame, now))?;
                    changed = false;
                    drawn = Instant::now();
                    continue;
                }
                signalled = signals.next() => match signalled {
                    Signalled::End => return Ok(()),
                    Signalled::Suspend => {
                        self.guard.suspend()?;
                        changed = true;
                        continue;
                    }
                },
            };
            changed = true;
            for effect in self.app.update(msg, self.clock.now_ms()) {
                match self.hands.perform(effect, line.client()) {
                    LoopStep::Go | LoopStep::Later => {}
                    LoopStep::Suspend => self.guard.suspend()?,
                    LoopStep::Quit => return Ok(()),
                }
            }
        }
    }
}
