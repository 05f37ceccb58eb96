//! A small transformer as sentence models are shipped (BERT: `config.json` beside the weights): every piece of a text is
//! looked at together with those around it, and the mean of what comes out is the text's vector. Dropout and everything
//! else that only training needs is left out. Sums are made by `ndarray`.

use std::path::Path;

use ndarray::{Array1, Array2, ArrayView2, Axis, Slice};
use serde_json::Value;

use super::safetensors::{Table, Tensors};

/// Pieces that are looked at together, unless the model says fewer; with more the work grows by their square.
const MAX_TOGETHER: usize = 256;
/// Largest number of layers, of numbers per piece and of pieces that are believed.
const MAX_LAYERS: usize = 64;
const MAX_WIDTH: usize = 8_192;
/// Before the names of weights, where a model was saved as part of a larger one.
const PREFIX: &str = "bert.";
const WORDS: &str = "embeddings.word_embeddings.weight";

/// How large a model is, as its `config.json` says.
#[derive(Debug, Clone, PartialEq)]
struct Shape {
    width: usize,
    inner: usize,
    layers: usize,
    heads: usize,
    positions: usize,
    epsilon: f32,
}

/// A model that was read.
pub(super) struct Transformer {
    shape: Shape,
    words: Table,
    positions: Array2<f32>,
    /// What every piece of a first sentence gets besides.
    kind: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    /// Pieces that are looked at together.
    together: usize,
    /// Whether the first piece stands for the text, and not the mean of all.
    is_first: bool,
}

struct Dense {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

struct Layer {
    query: Dense,
    key: Dense,
    value: Dense,
    attended: Dense,
    attended_norm: Norm,
    wide: Dense,
    narrow: Dense,
    norm: Norm,
}

impl std::fmt::Debug for Transformer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transformer({:?})", self.shape)
    }
}

impl Transformer {
    /// Whether these are the weights of one.
    pub(super) fn is_in(tensors: &Tensors) -> bool {
        tensors.has(WORDS) || tensors.has(&format!("{PREFIX}{WORDS}"))
    }

    /// Reads it; `beside` is the folder of its weights, where its settings are.
    pub(super) fn read(mut tensors: Tensors, beside: &Path) -> Result<Self, String> {
        let settings = settings(beside, "config.json")
            .ok_or("it is a transformer, and beside it is no `config.json` that says how large it is")?;
        let shape = Shape::read(&settings)?;
        let mut weights = Weights { tensors: &mut tensors, shape: &shape, prefix: "" };
        if !weights.tensors.has(WORDS) {
            weights.prefix = PREFIX;
        }
        let layers = (0..shape.layers).map(|layer| weights.layer(layer)).collect::<Result<_, _>>()?;
        let kinds = weights.rows("embeddings.token_type_embeddings.weight", shape.width)?;
        let kind = kinds.rows().into_iter().next().ok_or("it has no kinds of sentences")?.to_owned();
        let positions = weights.rows("embeddings.position_embeddings.weight", shape.width)?;
        let norm = weights.norm("embeddings.LayerNorm")?;
        let prefix = weights.prefix;
        let most = settings_number(beside, "sentence_bert_config.json", "max_seq_length");
        let together =
            most.unwrap_or(MAX_TOGETHER).min(MAX_TOGETHER).min(positions.nrows()).min(shape.positions);
        let pooling = self::settings(&beside.join("1_Pooling"), "config.json").unwrap_or_default();
        let words = tensors.table(&format!("{prefix}{WORDS}"))?;
        if words.dims() != shape.width || together < 3 {
            return Err("its parts do not fit together".to_owned());
        }
        let is_first = pooling.get("pooling_mode_cls_token").and_then(Value::as_bool) == Some(true);
        Ok(Self { words, positions, kind, norm, layers, together, is_first, shape })
    }

    /// Pieces of a text that fit between the two that stand around it.
    pub(super) fn room(&self) -> usize {
        self.together - 2
    }

    pub(super) fn width(&self) -> usize {
        self.shape.width
    }

    /// Adds the vectors of some pieces, at most as many as are looked at together, to a sum.
    pub(super) fn add(&self, pieces: &[u32], sum: &mut [f32]) {
        let mut now = self.embedded(pieces);
        for layer in &self.layers {
            now = layer.pass(&now, self.shape.heads);
        }
        let counted = if self.is_first { 1 } else { now.nrows() };
        for row in now.rows().into_iter().take(counted) {
            for (total, number) in sum.iter_mut().zip(row) {
                *total += number;
            }
        }
    }

    fn embedded(&self, pieces: &[u32]) -> Array2<f32> {
        let count = pieces.len().min(self.together);
        let mut rows = self.positions.slice_axis(Axis(0), Slice::from(0..count)).to_owned();
        rows += &self.kind;
        for (mut row, piece) in rows.rows_mut().into_iter().zip(pieces) {
            if let Some(row) = row.as_slice_mut() {
                self.words.add(*piece, row);
            }
        }
        self.norm.pass(&mut rows);
        rows
    }
}

impl Layer {
    fn pass(&self, before: &Array2<f32>, heads: usize) -> Array2<f32> {
        let mut attended = self.attended.pass(&self.attention(before, heads).view());
        attended += before;
        self.attended_norm.pass(&mut attended);
        let mut wide = self.wide.pass(&attended.view());
        wide.mapv_inplace(gelu);
        let mut after = self.narrow.pass(&wide.view());
        after += &attended;
        self.norm.pass(&mut after);
        after
    }

    /// Each head looks from every piece at every piece.
    fn attention(&self, before: &Array2<f32>, heads: usize) -> Array2<f32> {
        let all = before.view();
        let (query, key, value) = (self.query.pass(&all), self.key.pass(&all), self.value.pass(&all));
        let size = before.ncols() / heads.max(1);
        let scale = 1.0 / (size.max(1) as f32).sqrt();
        let mut seen = Array2::zeros(before.raw_dim());
        for head in 0..heads {
            let own = Slice::from(head * size..(head + 1) * size);
            let mut looks = query.slice_axis(Axis(1), own).dot(&key.slice_axis(Axis(1), own).t());
            looks.mapv_inplace(|look| look * scale);
            looks.rows_mut().into_iter().for_each(|mut row| {
                let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                row.mapv_inplace(|look| (look - most).exp());
                let sum = row.sum();
                row.mapv_inplace(|look| look / sum);
            });
            seen.slice_axis_mut(Axis(1), own).assign(&looks.dot(&value.slice_axis(Axis(1), own)));
        }
        seen
    }
}

impl Dense {
    fn pass(&self, rows: &ArrayView2<'_, f32>) -> Array2<f32> {
        rows.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn pass(&self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            let count = row.len().max(1) as f32;
            let mean = row.sum() / count;
            let spread = row.iter().map(|number| (number - mean).powi(2)).sum::<f32>() / count;
            let by = 1.0 / (spread + self.epsilon).sqrt();
            for ((number, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *number = (*number - mean) * by * weight + bias;
            }
        }
    }
}

/// `x · Φ(x)`.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function by formula 7.1.26 of Abramowitz and Stegun: wrong by 1.5e-7 at most.
fn erf(x: f32) -> f32 {
    let t = 1.0 / 0.327_591_1_f32.mul_add(x.abs(), 1.0);
    let sum = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_8) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

impl Shape {
    fn read(settings: &Value) -> Result<Self, String> {
        let kind = settings.get("model_type").and_then(Value::as_str).unwrap_or("bert");
        let act = settings.get("hidden_act").and_then(Value::as_str).unwrap_or("gelu");
        let places = settings.get("position_embedding_type").and_then(Value::as_str).unwrap_or("absolute");
        if kind != "bert" || act != "gelu" || places != "absolute" {
            return Err(format!(
                "it is a `{kind}` with `{act}` and `{places}` positions; `bert` with `gelu` and `absolute` ones can be used"
            ));
        }
        let number = |key: &str, most: usize| {
            let found =
                settings.get(key).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
            found
                .filter(|number| (1..=most).contains(number))
                .ok_or_else(|| format!("its `config.json` has no usable `{key}`"))
        };
        let shape = Self {
            width: number("hidden_size", MAX_WIDTH)?,
            inner: number("intermediate_size", MAX_WIDTH * 4)?,
            layers: number("num_hidden_layers", MAX_LAYERS)?,
            heads: number("num_attention_heads", MAX_WIDTH)?,
            positions: number("max_position_embeddings", usize::MAX)?,
            epsilon: settings.get("layer_norm_eps").and_then(Value::as_f64).unwrap_or(1e-12) as f32,
        };
        match shape.width % shape.heads {
            0 => Ok(shape),
            _ => Err("its width is no multiple of its heads".to_owned()),
        }
    }
}

/// Taking weights by their names.
struct Weights<'w> {
    tensors: &'w mut Tensors,
    shape: &'w Shape,
    prefix: &'static str,
}

impl Weights<'_> {
    fn layer(&self, number: usize) -> Result<Layer, String> {
        let (width, inner) = (self.shape.width, self.shape.inner);
        let dense = |name: &str, out: usize, into: usize| {
            self.dense(&format!("encoder.layer.{number}.{name}"), out, into)
        };
        let norm = |name: &str| self.norm(&format!("encoder.layer.{number}.{name}"));
        Ok(Layer {
            query: dense("attention.self.query", width, width)?,
            key: dense("attention.self.key", width, width)?,
            value: dense("attention.self.value", width, width)?,
            attended: dense("attention.output.dense", width, width)?,
            attended_norm: norm("attention.output.LayerNorm")?,
            wide: dense("intermediate.dense", inner, width)?,
            narrow: dense("output.dense", width, inner)?,
            norm: norm("output.LayerNorm")?,
        })
    }

    fn dense(&self, name: &str, out: usize, into: usize) -> Result<Dense, String> {
        let weight = self.rows(&format!("{name}.weight"), into)?;
        let bias = self.list(&format!("{name}.bias"), out)?;
        if weight.nrows() != out {
            return Err(format!("its `{name}` has not the size its `config.json` says"));
        }
        Ok(Dense { weight, bias })
    }

    fn norm(&self, name: &str) -> Result<Norm, String> {
        let width = self.shape.width;
        let (weight, bias) =
            (self.list(&format!("{name}.weight"), width)?, self.list(&format!("{name}.bias"), width)?);
        Ok(Norm { weight, bias, epsilon: self.shape.epsilon })
    }

    fn rows(&self, name: &str, columns: usize) -> Result<Array2<f32>, String> {
        let numbers = self.tensors.numbers(&format!("{}{name}", self.prefix))?;
        let rows = numbers.len() / columns;
        Array2::from_shape_vec((rows, columns), numbers)
            .map_err(|_odd| format!("its `{name}` has not the size its `config.json` says"))
    }

    fn list(&self, name: &str, length: usize) -> Result<Array1<f32>, String> {
        let numbers = self.tensors.numbers(&format!("{}{name}", self.prefix))?;
        match numbers.len() == length {
            true => Ok(Array1::from_vec(numbers)),
            false => Err(format!("its `{name}` has not the size its `config.json` says")),
        }
    }
}

fn settings(folder: &Path, name: &str) -> Option<Value> {
    let bytes = crate::workspace_file::read_plain(
        &folder.join(name).canonicalize().ok()?,
        super::tokenizer::MAX_BYTES,
    );
    serde_json::from_slice(&bytes.ok()??).ok()
}

fn settings_number(folder: &Path, name: &str, key: &str) -> Option<usize> {
    settings(folder, name)?.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok())
}
