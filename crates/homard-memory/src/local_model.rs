//! Vectors without a network, from files of the owner's (`model.safetensors`, `tokenizer.json`): a table with a vector for
//! every piece of a word, whose mean is the vector of a text, which is small and fast; or a `transformer`, which also sees
//! what stands around a word.

mod safetensors;
mod tokenizer;
mod transformer;

use std::io;
use std::path::{Path, PathBuf};

use safetensors::{Table, Tensors};
use tokenizer::Tokenizer;
use transformer::Transformer;

use crate::workspace_file::{read_plain, since_epoch_ms};

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
    way: Way,
    tokenizer: Tokenizer,
}

/// How pieces become a vector.
#[derive(Debug)]
enum Way {
    Table(Table),
    Transformer(Box<Transformer>),
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
        let beside = weights.parent().unwrap_or(Path::new(".")).to_owned();
        let way = Way::read(bytes, &beside)
            .map_err(|reason| LocalModelError::Unusable { path: weights, reason })?;
        let words = read(&tokenizer, tokenizer::MAX_BYTES)?;
        let tokenizer = Tokenizer::read(&words)
            .map_err(|reason| LocalModelError::Unusable { path: tokenizer, reason })?;
        Ok(Self { way, tokenizer })
    }

    /// The vector of a text: the mean of those of its pieces. All zero if nothing of it is known.
    pub(crate) fn vector(&self, text: &str) -> Vec<f32> {
        match &self.way {
            Way::Table(table) => {
                let mut sum = vec![0.0; table.dims()];
                for piece in self.tokenizer.pieces(text).into_iter().take(MAX_PIECES) {
                    table.add(piece, &mut sum);
                }
                sum
            }
            Way::Transformer(model) => {
                let mut sum = vec![0.0; model.width()];
                let mut pieces = self.tokenizer.all_pieces(text);
                pieces.truncate(MAX_PIECES);
                // What is longer than the model looks at is read in parts, each of which counts by its length.
                for part in pieces.chunks(model.room()) {
                    model.add(&self.tokenizer.enclosed(part), &mut sum);
                }
                sum
            }
        }
    }
}

impl Way {
    fn read(bytes: Vec<u8>, beside: &Path) -> Result<Self, String> {
        let tensors = Tensors::read(bytes)?;
        match Transformer::is_in(&tensors) {
            true => Ok(Self::Transformer(Box::new(Transformer::read(tensors, beside)?))),
            false => Ok(Self::Table(tensors.only()?)),
        }
    }
}

/// What tells a model's file from another at the same place.
pub(crate) fn mark(path: &Path) -> String {
    let weights = if path.is_dir() { path.join(WEIGHTS) } else { path.to_owned() };
    let meta = weights.metadata().ok();
    let written = meta.as_ref().and_then(|meta| meta.modified().ok()).and_then(since_epoch_ms);
    format!("{:x}-{:x}", meta.map_or(0, |meta| meta.len()), written.unwrap_or(0))
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, LocalModelError> {
    let failed = |source| LocalModelError::Unreadable { path: path.to_owned(), source };
    // The owner names it, and may name a link: what it leads to is read.
    let real = path.canonicalize().map_err(failed)?;
    read_plain(&real, most).map_err(failed)?.ok_or_else(|| LocalModelError::Unusable {
        path: path.to_owned(),
        reason: format!("it has more than {most} bytes"),
    })
}

#[cfg(test)]
mod tests;
