//! What this process knows of stored credentials, and how it meets the disk.
//!
//! What everybody sees is a sum: the files as last read, plus changes that are not written yet. Writing is done on
//! the file as it is at that moment, under its lock, so nobody's change is lost.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, MutexGuard, OnceLock};

use homard_config::Environment;
use homard_protocol::ProviderId;
use homard_runtime::{CollectOrdered as _, Mutex, OrLog as _, off_thread};

use super::aws;
use super::candidate::OAuthRow;
use super::change::Change;
use super::copilot::CopilotToken;
use super::document::{Document, Stats};
use super::file::{Loaded, Stamp, StoreError, StoreFile};
use super::oauth::TokenServer;
use super::policy::{AuthLimits, ProfilePolicy};
use super::profiles::{AuthContext, ProfileFiles};
use super::refresh::Renewal;
use super::secrets;

/// Changes kept for a disk that does not take them; beyond this the oldest statistics are forgotten.
const MAX_PENDING: usize = 512;

/// One of the files a profile can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProfilePlace {
    Own,
    Main,
}

/// What all clones of a handle share.
#[derive(Debug)]
pub(super) struct Inner {
    own: StoreFile,
    main: Option<StoreFile>,
    pub(super) policy: ProfilePolicy,
    pub(super) cx: AuthContext,
    pub(super) limits: AuthLimits,
    memory: Mutex<Memory>,
    /// Held by who writes; queues this process before the file's lock queues the others.
    pub(super) pen: tokio::sync::Mutex<()>,
    /// Where AWS tools would look.
    pub(super) environment: OnceLock<Environment>,
    /// Held by who exchanges tokens or looks for keys.
    pub(super) exchange_desk: tokio::sync::Mutex<()>,
}

impl Inner {
    pub(super) fn new(
        files: ProfileFiles,
        policy: ProfilePolicy,
        cx: AuthContext,
        limits: AuthLimits,
    ) -> Self {
        let main = files.main.filter(|main| *main != files.own).map(StoreFile::new);
        Self {
            own: StoreFile::new(files.own),
            main,
            policy,
            cx,
            limits,
            memory: Mutex::default(),
            pen: tokio::sync::Mutex::default(),
            environment: OnceLock::new(),
            exchange_desk: tokio::sync::Mutex::default(),
        }
    }
}

/// What this process knows. `Debug` shows no value because no part of it does.
#[derive(Debug, Default)]
pub(super) struct Memory {
    own: Cached,
    main: Cached,
    /// Counts writes, so that a slow reader does not put old content over new.
    writes: u64,
    pending: Vec<(u64, Change)>,
    next_change: u64,
    writer_runs: bool,
    /// How credentials fared that are not in a file.
    pub(super) transient: HashMap<String, Stats>,
    pub(super) renewals: HashMap<String, Renewal>,
    pub(super) exchanged: HashMap<String, CopilotToken>,
    pub(super) aws: HashMap<String, aws::FoundKeys>,
}

#[derive(Debug, Default)]
struct Cached {
    loaded: Option<Loaded>,
    /// Why the file as it is now cannot be read; what was read before stays in use.
    problem: Option<String>,
    problem_stamp: Option<Stamp>,
}

/// The stored profiles an agent uses now, with what has just happened to them.
#[derive(Debug)]
pub(super) struct View {
    pub(super) document: Document,
    pub(super) place: ProfilePlace,
    /// The agent's own file, whose order counts even when its profiles are the main agent's.
    own: Document,
    pub(super) problem: Option<String>,
}

impl View {
    pub(super) fn own_order(&self, provider: &ProviderId) -> Option<Vec<String>> {
        self.own.order(provider.as_str())
    }
}

impl Inner {
    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock()
    }

    pub(super) fn file(&self, place: ProfilePlace) -> &StoreFile {
        match (place, &self.main) {
            (ProfilePlace::Main, Some(main)) => main,
            (ProfilePlace::Own | ProfilePlace::Main, _) => &self.own,
        }
    }

    fn places(&self) -> &'static [ProfilePlace] {
        if self.main.is_some() { &[ProfilePlace::Own, ProfilePlace::Main] } else { &[ProfilePlace::Own] }
    }

    /// Reads what changed on disk since the last look.
    pub(super) async fn look(self: &Arc<Self>) {
        if self.places().iter().all(|place| self.is_current(*place)) {
            return;
        }
        let this = Arc::clone(self);
        let looked = off_thread(move || {
            for place in this.places() {
                this.look_at(*place);
            }
        });
        looked.await.or_log("could not look at stored credentials");
    }

    /// Whether a file is as it was read. One look at its date, made here: every call makes it, and asking
    /// another thread to make it costs a hundred times as much.
    fn is_current(&self, place: ProfilePlace) -> bool {
        let stamp = self.file(place).stamp();
        let mut memory = self.memory();
        let cached = memory.cached(place);
        let seen = cached.loaded.as_ref().is_some_and(|loaded| loaded.stamp == stamp);
        let known_bad = cached.problem.is_some() && cached.problem_stamp == stamp;
        seen && cached.problem.is_none() || known_bad
    }

    fn look_at(&self, place: ProfilePlace) {
        if self.is_current(place) {
            return;
        }
        let file = self.file(place);
        let stamp = file.stamp();
        let writes = self.memory().writes;
        let read = file.read();
        let mut memory = self.memory();
        if memory.writes != writes {
            // Written in between by ourselves, which is newer than what was read.
            return;
        }
        let cached = memory.cached(place);
        let held = cached.loaded.as_ref().is_some_and(|loaded| !loaded.document.is_empty());
        if held && stamp.is_some_and(|stamp| stamp.is_blank()) {
            // Somebody's editor has emptied the file and is about to fill it; looked at again next time.
            return;
        }
        match read {
            Ok(loaded) => {
                secrets::keep_document(&self.cx.secrets, &loaded.document);
                *cached = Cached { loaded: Some(loaded), ..Cached::default() };
            }
            Err(error) => {
                tracing::warn!(%error, "stored credentials cannot be read; what was read before stays in use");
                cached.problem = Some(error.to_string());
                cached.problem_stamp = stamp;
            }
        }
    }

    /// The profiles in use, without looking at the disk.
    pub(super) fn view(&self) -> View {
        let mut memory = self.memory();
        let mut own = memory.document(ProfilePlace::Own);
        let own_problem = memory.own.problem.clone();
        // A file that cannot be read is not an empty one: its agent gets no other agent's credentials.
        let inherits = self.main.is_some() && own.is_empty() && own_problem.is_none();
        let place = if inherits { ProfilePlace::Main } else { ProfilePlace::Own };
        let mut document = if inherits { memory.document(ProfilePlace::Main) } else { own.clone() };
        let problem = own_problem.or_else(|| memory.main.problem.clone().filter(|_| inherits));
        for (_, change) in &memory.pending {
            change.apply(&mut document, &self.policy);
            change.apply(&mut own, &self.policy);
        }
        View { document, place, own, problem }
    }

    /// Takes over what was just written.
    pub(super) fn adopt(&self, place: ProfilePlace, loaded: Loaded) {
        secrets::keep_document(&self.cx.secrets, &loaded.document);
        let mut memory = self.memory();
        memory.writes = memory.writes.wrapping_add(1);
        *memory.cached(place) = Cached { loaded: Some(loaded), ..Cached::default() };
    }

    /// Takes over what another handle on the same files knows and no file does.
    pub(super) fn inherit(self: &Arc<Self>, other: &Self) {
        let (transient, exchanged, tokens) = {
            let memory = other.memory();
            (memory.transient.clone(), memory.exchanged.clone(), memory.unwritten_tokens())
        };
        {
            let mut memory = self.memory();
            memory.transient = transient;
            memory.exchanged = exchanged;
        }
        tokens.into_iter().for_each(|tokens| self.note(tokens));
    }

    /// Remembers a change and sees to it that it is written.
    pub(super) fn note(self: &Arc<Self>, change: Change) {
        let start = {
            let mut memory = self.memory();
            memory.remember(change);
            !std::mem::replace(&mut memory.writer_runs, true)
        };
        if start {
            let this = Arc::clone(self);
            self.cx.tasks.spawn(async move {
                // Before the write: what comes during it starts another.
                this.memory().writer_runs = false;
                this.flush().await;
            });
        }
    }

    /// Writes what is not written yet, or gives it up with a word in the log.
    pub(super) async fn flush(&self) {
        self.write_pending().await.or_log("could not write how credentials fared");
    }

    async fn write_pending(&self) -> Result<(), StoreError> {
        let _pen = self.pen.lock().await;
        let changes = self.memory().pending.clone();
        let Some((last, _)) = changes.last() else { return Ok(()) };
        let last = *last;
        let policy = self.policy.clone();
        // Only where the agent's credentials are: the other file may have others of the same names.
        let found = self.edit_held(self.view().place, move |document| {
            let mut apply = |change: &Change| change.apply(document, &policy);
            Ok(changes.iter().filter(|(_, change)| apply(change)).map(|(number, _)| *number).collect_set())
        });
        let written: BTreeSet<u64> = found.await?;
        // A profile that is nowhere may only be hidden by somebody's half-done edit.
        self.memory().pending.retain(|(number, change)| {
            *number > last || matches!(change, Change::Renewed { .. }) && !written.contains(number)
        });
        Ok(())
    }

    /// Changes a file on what it holds at this moment.
    pub(super) async fn edit<T: Send + 'static>(
        &self,
        place: ProfilePlace,
        edit: impl FnOnce(&mut Document) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _pen = self.pen.lock().await;
        self.edit_held(place, edit).await
    }

    /// The same, for who holds the pen already.
    async fn edit_held<T: Send + 'static>(
        &self,
        place: ProfilePlace,
        edit: impl FnOnce(&mut Document) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let lock = self.file(place).lock(self.limits.lock_wait).await?;
        let edited = off_thread(move || {
            let before = lock.read()?;
            let mut document = before.document.clone();
            let out = edit(&mut document)?;
            let loaded = if document == before.document { before } else { lock.write(document)? };
            Ok((out, loaded))
        });
        let (out, loaded) = edited.await.map_err(|_stopped| StoreError::Stopped)??;
        self.adopt(place, loaded);
        Ok(out)
    }

    pub(super) fn token_server(&self, row: &'static OAuthRow) -> TokenServer<'_> {
        TokenServer { http: &self.cx.http, clock: &self.cx.clock, row, limits: self.limits }
    }
}

impl Memory {
    fn cached(&mut self, place: ProfilePlace) -> &mut Cached {
        match place {
            ProfilePlace::Own => &mut self.own,
            ProfilePlace::Main => &mut self.main,
        }
    }

    fn document(&mut self, place: ProfilePlace) -> Document {
        let loaded = self.cached(place).loaded.as_ref();
        loaded.map(|loaded| loaded.document.clone()).unwrap_or_default()
    }

    fn remember(&mut self, change: Change) {
        if self.pending.len() >= MAX_PENDING {
            let oldest =
                self.pending.iter().position(|(_, change)| !matches!(change, Change::Renewed { .. }));
            if let Some(at) = oldest {
                self.pending.remove(at);
            }
        }
        self.next_change += 1;
        self.pending.push((self.next_change, change));
    }

    /// Tokens the disk would not take so far, for who reads the file directly.
    pub(super) fn unwritten_tokens(&self) -> Vec<Change> {
        let tokens = self.pending.iter().filter(|(_, change)| matches!(change, Change::Renewed { .. }));
        tokens.map(|(_, change)| change.clone()).collect()
    }

    /// Forgets everything about a profile that was replaced or removed.
    pub(super) fn forget(&mut self, id: &str) {
        self.renewals.remove(id);
        self.exchanged.remove(id);
        self.pending.retain(|(_, change)| change.id() != id);
    }
}
