//! What a supervisor is asked and what it answers, as data.

use std::path::{Path, PathBuf};

use crate::charge::Charge;

/// A program of the machine and the words it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) program: &'static str,
    pub(crate) words: Vec<String>,
}

impl Ask {
    pub(crate) fn new(program: &'static str, words: &[&str]) -> Self {
        Self { program, words: words.iter().map(|&word| word.to_owned()).collect() }
    }

    /// As a person would type it.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.program, self.words.join(" "))
    }
}

/// A change, and what takes it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) change: Ask,
    pub(crate) undo: Option<Ask>,
}

/// Where supervisors look for definitions here, and who asks.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) home: PathBuf,
    /// `XDG_CONFIG_HOME`, or where it usually is.
    pub(crate) config_home: PathBuf,
    /// Before the folders of the machine; only tests have another than `/`.
    pub(crate) root: PathBuf,
    pub(crate) user: u32,
}

impl Places {
    /// A folder of the machine.
    pub(crate) fn of_the_machine(&self, folder: &str) -> PathBuf {
        self.root.join(Path::new(folder).strip_prefix("/").unwrap_or(Path::new(folder)))
    }
}

/// Whether it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Running,
    /// On its way up or down.
    Changing,
    Stopped,
    /// The supervisor gave up on it.
    Failed,
}

/// What the supervisor says about the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Whether it knows the service at all.
    pub is_known: bool,
    /// Whether it starts by itself.
    pub is_enabled: bool,
    pub activity: Activity,
    pub pid: Option<u32>,
}

impl State {
    pub(crate) const UNKNOWN: Self =
        Self { is_known: false, is_enabled: false, activity: Activity::Stopped, pid: None };
}

/// How one supervisor is spoken to. Every method says what would be done and does nothing.
pub(crate) trait Dialect: Sync {
    /// How people call it.
    fn called(&self) -> &'static str;
    /// What this supervisor calls the service.
    fn label(&self, charge: &Charge) -> String;
    /// Where the definition lies.
    fn path(&self, charge: &Charge, places: &Places) -> PathBuf;
    /// The definition.
    fn definition(&self, charge: &Charge, places: &Places) -> Vec<u8>;
    /// Whether it can start a program that lies there.
    fn starts(&self, program: &Path) -> bool {
        let _ = program;
        true
    }
    /// Answers only where the supervisor is there for us; asked before anything is changed.
    fn presence(&self, charge: &Charge) -> Option<Ask>;
    /// From the definition on the disk to a service that runs and comes again.
    fn take_up(&self, charge: &Charge, path: &Path, places: &Places) -> Vec<Step>;
    /// From a changed definition of a service it knows to one that runs by it.
    fn renew(&self, charge: &Charge, path: &Path, places: &Places) -> Vec<Ask>;
    /// The way back, before the definition is removed.
    fn give_up(&self, charge: &Charge, places: &Places) -> Vec<Ask>;
    /// What is left to say after the definition is gone.
    fn forget(&self, charge: &Charge) -> Vec<Ask>;
    /// Starts a service of which the supervisor has not heard since it came up, or that it forgot when it was stopped.
    fn start(&self, charge: &Charge, path: &Path, places: &Places) -> Ask;
    /// Starts one it knows.
    fn wake(&self, charge: &Charge, path: &Path, places: &Places) -> Ask {
        self.start(charge, path, places)
    }
    fn stop(&self, charge: &Charge, places: &Places) -> Ask;
    fn restart(&self, charge: &Charge, places: &Places) -> Ask;
    /// Asks how the service is; [`Dialect::read`] understands the answer.
    fn look(&self, charge: &Charge, places: &Places) -> Ask;
    fn read(&self, is_success: bool, answer: &str) -> State;
    /// Asks whether services of this person run while nobody is logged in; `yes` is in the answer if so. Nothing where
    /// they never do, or always.
    fn lingering(&self, places: &Places) -> Option<Ask> {
        let _ = places;
        None
    }
    /// What the supervisor itself has kept of the service's words, if it keeps any.
    fn log(&self, charge: &Charge, places: &Places, lines: u32, is_followed: bool) -> Option<Ask>;
}

/// A text in an XML document. What XML cannot hold at all is left out.
pub(crate) fn xml(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '"' => written.push_str("&quot;"),
            '\'' => written.push_str("&apos;"),
            '\t' | '\n' | '\r' | ' '.. => written.push(c),
            _ => {}
        }
    }
    written
}
