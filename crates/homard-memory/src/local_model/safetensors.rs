//! Tables of numbers from a `safetensors` file: a length, a description in JSON, and the numbers.

use std::collections::BTreeMap;

use serde_json::Value;

/// Largest file that is read, in bytes.
pub(super) const MAX_BYTES: u64 = 512 * 1024 * 1024;
/// Longest description.
const MAX_HEADER: usize = 16 * 1024 * 1024;

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F32,
    F16,
    Bf16,
}

impl Kind {
    fn bytes(self) -> usize {
        if self == Self::F32 { 4 } else { 2 }
    }

    fn read(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::F32, [a, b, c, d]) => f32::from_le_bytes([*a, *b, *c, *d]),
            (Self::F16, [a, b]) => half(u16::from_le_bytes([*a, *b])),
            (Self::Bf16, [a, b]) => f32::from_bits(u32::from(u16::from_le_bytes([*a, *b])) << 16),
            _ => 0.0,
        }
    }
}

/// A number of sixteen bits.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        31 => 0.0,
        _ => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

/// Where a table of numbers is.
#[derive(Debug, Clone)]
struct Tensor {
    /// Nothing where its numbers are of a kind that is not read.
    kind: Option<Kind>,
    shape: Vec<usize>,
    /// Its first byte and the one after its last.
    place: std::ops::Range<usize>,
}

/// All tables of a file.
pub(super) struct Tensors {
    bytes: Vec<u8>,
    by_name: BTreeMap<String, Tensor>,
}

/// A vector for each piece.
pub(super) struct Table {
    bytes: Vec<u8>,
    rows: usize,
    dims: usize,
    kind: Kind,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} x {})", self.rows, self.dims)
    }
}

impl Tensors {
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let broken = || "it is no safetensors file".to_owned();
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_other| broken())?;
        if length > MAX_HEADER {
            return Err(broken());
        }
        let header: Value =
            serde_json::from_slice(rest.get(..length).ok_or_else(broken)?).map_err(|_other| broken())?;
        let named = header.as_object().ok_or_else(broken)?.iter().filter(|(name, _)| *name != "__metadata__");
        let mut by_name = BTreeMap::new();
        for (name, about) in named {
            by_name.insert(name.clone(), tensor(about, 8 + length, bytes.len())?);
        }
        Ok(Self { bytes, by_name })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The numbers of one, row after row.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<f32>, String> {
        let (tensor, kind) = self.readable(name)?;
        let bytes = self.bytes.get(tensor.place.clone()).unwrap_or_default();
        Ok(bytes.chunks_exact(kind.bytes()).map(|number| kind.read(number)).collect())
    }

    /// One of them as a table of vectors; the others are let go.
    pub(super) fn table(mut self, name: &str) -> Result<Table, String> {
        let (tensor, kind) = self.readable(name)?;
        let &[rows, dims] = tensor.shape.as_slice() else {
            return Err("its table has not two dimensions".to_owned());
        };
        if dims == 0 {
            return Err("its table is not as long as it says".to_owned());
        }
        let place = tensor.place.clone();
        self.bytes.truncate(place.end);
        self.bytes.drain(..place.start);
        self.bytes.shrink_to_fit();
        Ok(Table { bytes: self.bytes, rows, dims, kind })
    }

    /// The only one there is.
    pub(super) fn only(self) -> Result<Table, String> {
        let mut names = self.by_name.keys().cloned();
        match (names.next(), names.next()) {
            (Some(only), None) => {
                drop(names);
                self.table(&only)
            }
            _ => Err(format!(
                "it has {} tables: a table of words has one, and a transformer that can be used is a `bert`",
                self.by_name.len()
            )),
        }
    }

    fn readable(&self, name: &str) -> Result<(&Tensor, Kind), String> {
        let tensor = self.by_name.get(name).ok_or_else(|| format!("it has no `{name}`"))?;
        match tensor.kind {
            Some(kind) => Ok((tensor, kind)),
            None => Err("its numbers are not F32, F16 or BF16".to_owned()),
        }
    }
}

/// One table as it is described; it must lie in the file.
fn tensor(about: &Value, from: usize, end: usize) -> Result<Tensor, String> {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let list = |key: &str| -> Option<Vec<usize>> { about.get(key)?.as_array()?.iter().map(number).collect() };
    let (Some(shape), Some(offsets)) = (list("shape"), list("data_offsets")) else {
        return Err("it is no safetensors file".to_owned());
    };
    let kind = match about.get("dtype").and_then(Value::as_str) {
        Some("F32") => Some(Kind::F32),
        Some("F16") => Some(Kind::F16),
        Some("BF16") => Some(Kind::Bf16),
        _ => None,
    };
    let place = match offsets.as_slice() {
        &[begin, last] => {
            from.checked_add(begin).zip(from.checked_add(last)).map(|(begin, last)| begin..last)
        }
        _ => None,
    };
    let cells = shape.iter().try_fold(1_usize, |cells, side| cells.checked_mul(*side));
    let size = cells.and_then(|cells| cells.checked_mul(kind.map_or(1, Kind::bytes)));
    let place = place.filter(|place| {
        let length = place.end.checked_sub(place.start);
        place.end <= end && length.is_some() && (kind.is_none() || length == size)
    });
    match place {
        Some(place) => Ok(Tensor { kind, shape, place }),
        None => Err("its table is not as long as it says".to_owned()),
    }
}

impl Table {
    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// Adds the vector of a piece to a sum.
    pub(super) fn add(&self, piece: u32, sum: &mut [f32]) {
        let (row, size) = (piece as usize, self.kind.bytes());
        if row >= self.rows {
            return;
        }
        let from = row * self.dims * size;
        let numbers = self.bytes.get(from..from + self.dims * size).unwrap_or_default().chunks_exact(size);
        for (total, number) in sum.iter_mut().zip(numbers) {
            *total += self.kind.read(number);
        }
    }
}
