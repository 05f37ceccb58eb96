//! Undoing what file tools did in a conversation: `/undo`, `homard undo` and the gateway's methods end here.

use std::path::PathBuf;

use homard_protocol::SessionKey;
use homard_tools::{RunChanges, UndoError, UndoOptions, UndoReport};

use crate::parts::Sessions;

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoRefused {
    /// A run is changing files right now.
    #[error("a run is under way in `{session}`: wait for its end or stop it, then undo")]
    Running { session: String },
    /// There is nothing to undo, or something is in the way.
    #[error(transparent)]
    Undo(#[from] UndoError),
    /// The work was lost; the gateway is stopping.
    #[error("the gateway is stopping; nothing is known about the undo")]
    Stopping,
}

/// An undo as somebody asked for it. The default is the last run, carefully.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoRequest {
    /// In which conversation; any when it is left out.
    pub session: Option<SessionKey>,
    /// Which run; the last one when it is left out.
    pub run: Option<String>,
    /// Whether files that changed since are put back all the same.
    pub force: bool,
}

impl UndoRequest {
    fn wish(&self) -> UndoOptions<'_> {
        UndoOptions { session: self.session.as_ref(), run: self.run.as_deref(), force: self.force }
    }
}

impl Sessions {
    /// Puts back what the last run of a conversation changed; the report and the error are words for a person.
    ///
    /// # Errors
    /// When there is nothing to undo or something is in the way; nothing was changed then.
    pub async fn undo(&self, key: &SessionKey) -> Result<UndoReport, UndoRefused> {
        self.undo_as(UndoRequest { session: Some(key.clone()), ..UndoRequest::default() }).await
    }

    /// The same for a run of one's choice.
    ///
    /// # Errors
    /// As [`undo`](Self::undo).
    pub async fn undo_as(&self, request: UndoRequest) -> Result<UndoReport, UndoRefused> {
        let found = self.undo_preview(request.clone()).await?;
        if let Ok(key) = SessionKey::parse(&found.session)
            && !self.turns().views(&key).is_empty()
        {
            return Err(UndoRefused::Running { session: found.session });
        }
        // The run that was looked at, whatever has become the last one since.
        let request = UndoRequest { run: Some(found.run), ..request };
        let (undo, files) = (self.replaced_files().clone(), self.inner().guards().files.clone());
        let done = off_thread(move || {
            let done = undo.apply(&request.wish())?;
            // Words of others that come back are still theirs.
            let paths: Vec<PathBuf> = done.restored.iter().map(|file| file.path.clone()).collect();
            files.restored(&paths);
            Ok(done)
        })
        .await?;
        for agent in &self.inner().config().agents.list {
            self.prompt().forget(&agent.workspace);
        }
        Ok(done)
    }

    /// What an undo would do.
    ///
    /// # Errors
    /// When there is nothing to undo.
    pub async fn undo_preview(&self, request: UndoRequest) -> Result<RunChanges, UndoRefused> {
        let undo = self.replaced_files().clone();
        off_thread(move || undo.look(&request.wish())).await
    }

    /// The newest runs that changed something, of one conversation or of all.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn undo_list(
        &self,
        session: Option<SessionKey>,
        limit: usize,
    ) -> Result<Vec<RunChanges>, UndoRefused> {
        let undo = self.replaced_files().clone();
        off_thread(move || undo.runs(session.as_ref(), limit)).await
    }
}

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, UndoError> + Send + 'static,
) -> Result<T, UndoRefused> {
    match homard_runtime::off_thread(work).await {
        Ok(done) => Ok(done?),
        Err(_lost) => Err(UndoRefused::Stopping),
    }
}
