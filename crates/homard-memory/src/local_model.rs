//! Vectors without a network: a table with a vector for every piece of a word (`model.safetensors`, `tokenizer.json`), whose
//! mean is the vector of a text. Small, fast, and good enough to find what other words say.

mod safetensors;
mod tokenizer;

use std::io;
use std::path::{Path, PathBuf};

use safetensors::Table;
use tokenizer::Tokenizer;

/// Pieces of a text that are looked at; a passage has fewer.
const MAX_PIECES: usize = 2_048;
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// Why a model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LocalModelError {
    #[error("the model `{path}` cannot be read")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{path}` is not a model that can be used here: {reason}")]
    Unusable { path: PathBuf, reason: String },
}

/// A model that was read.
#[derive(Debug)]
pub(crate) struct LocalModel {
    table: Table,
    tokenizer: Tokenizer,
}

impl LocalModel {
    /// Reads a model from its folder, or from its weights with the tokenizer beside them.
    pub(crate) fn open(path: &Path) -> Result<Self, LocalModelError> {
        let (weights, tokenizer) = if path.is_dir() {
            (path.join(WEIGHTS), path.join(TOKENIZER))
        } else {
            (path.to_owned(), path.with_file_name(TOKENIZER))
        };
        let bytes = read(&weights, safetensors::MAX_BYTES)?;
        let table =
            Table::read(bytes).map_err(|reason| LocalModelError::Unusable { path: weights, reason })?;
        let words = read(&tokenizer, tokenizer::MAX_BYTES)?;
        let tokenizer = Tokenizer::read(&words)
            .map_err(|reason| LocalModelError::Unusable { path: tokenizer, reason })?;
        Ok(Self { table, tokenizer })
    }

    /// The vector of a text: the mean of those of its pieces. All zero if nothing of it is known.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.table.dims()];
        for piece in self.tokenizer.pieces(text).into_iter().take(MAX_PIECES) {
            self.table.add(piece, &mut sum);
        }
        sum
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, LocalModelError> {
    let failed = |source| LocalModelError::Unreadable { path: path.to_owned(), source };
    let size = path.metadata().map_err(failed)?.len();
    if size > most {
        let reason = format!("it has {size} bytes, and at most {most} are read");
        return Err(LocalModelError::Unusable { path: path.to_owned(), reason });
    }
    std::fs::read(path).map_err(failed)
}

#[cfg(test)]
mod tests;
