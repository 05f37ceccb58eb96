//! What a node remembers between runs: its key, the token it was given, how it is called.

use std::path::{Path, PathBuf};

use homard_client::{DeviceIdentity, IdentityError};
use homard_exec::approvals::PolicyStore;
use homard_runtime::{Clock, replace_private};
use serde::{Deserialize, Serialize};

/// Why what a node remembers could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The file or its folder.
    #[error("could not {what} `{}`", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Not ours, or cut off.
    #[error("`{}` is damaged; move it away, and the node asks to be let in again", path.display())]
    Damaged { path: PathBuf },
}

/// The folder of a node.
#[derive(Debug, Clone)]
pub struct NodeFolder {
    folder: PathBuf,
}

/// `node.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct NodeFile {
    version: u32,
    /// The gateway the token is for: a token is never shown to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
}

impl NodeFolder {
    /// The node of the state in `state_dir`; the folder is made, for its owner alone.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(state_dir: &Path) -> Result<Self, KeepError> {
        let folder = state_dir.join("node");
        homard_runtime::create_private_dir(&folder).map_err(|source| KeepError::Io {
            what: "make",
            path: folder.clone(),
            source,
        })?;
        Ok(Self { folder })
    }

    /// The key, made when there is none.
    ///
    /// # Errors
    /// When it cannot be read or made.
    pub fn identity(&self, clock: &Clock) -> Result<DeviceIdentity, KeepError> {
        Ok(DeviceIdentity::load_or_create(&self.folder.join("device.json"), clock)?)
    }

    /// Which commands the gateway may run here.
    #[must_use]
    pub fn policy(&self) -> PolicyStore {
        PolicyStore::new(self.folder.join("exec-approvals.json"))
    }

    /// The token that gateway gave this node.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn token(&self, gateway: &str) -> Result<Option<String>, KeepError> {
        let kept = self.load()?;
        Ok(kept.token.filter(|_| kept.gateway.as_deref() == Some(gateway)))
    }

    /// Keeps a token; `None` forgets it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_token(&self, gateway: &str, token: Option<&str>) -> Result<(), KeepError> {
        let before = self.load()?;
        let after =
            NodeFile { gateway: Some(gateway.to_owned()), token: token.map(str::to_owned), ..before.clone() };
        if before == after { Ok(()) } else { self.write(&after) }
    }

    /// What the node is called, if somebody said.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn display_name(&self) -> Result<Option<String>, KeepError> {
        Ok(self.load()?.display_name)
    }

    /// Remembers what it is called.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_display_name(&self, name: &str) -> Result<(), KeepError> {
        let kept = NodeFile { display_name: Some(name.to_owned()), ..self.load()? };
        self.write(&kept)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("node.json")
    }

    fn load(&self) -> Result<NodeFile, KeepError> {
        let path = self.path();
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|_not_ours| KeepError::Damaged { path }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(NodeFile::default()),
            Err(source) => Err(KeepError::Io { what: "read", path, source }),
        }
    }

    fn write(&self, kept: &NodeFile) -> Result<(), KeepError> {
        let path = self.path();
        let failed = |source| KeepError::Io { what: "write", path: path.clone(), source };
        let kept = NodeFile { version: 1, ..kept.clone() };
        let text = serde_json::to_vec_pretty(&kept).map_err(|error| failed(error.into()))?;
        replace_private(&path, &text).map_err(failed)
    }
}
