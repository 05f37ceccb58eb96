//! One table of numbers from a `safetensors` file: a length, a description in JSON, and the numbers.

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

/// A vector for each piece.
pub(super) struct Table {
    bytes: Vec<u8>,
    /// Where the numbers begin.
    from: usize,
    rows: usize,
    dims: usize,
    kind: Kind,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} x {})", self.rows, self.dims)
    }
}

impl Table {
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let broken = || "it is no safetensors file".to_owned();
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_other| broken())?;
        if length > MAX_HEADER {
            return Err(broken());
        }
        let header: Value =
            serde_json::from_slice(rest.get(..length).ok_or_else(broken)?).map_err(|_other| broken())?;
        let tensors: Vec<(&String, &Value)> = header
            .as_object()
            .ok_or_else(broken)?
            .iter()
            .filter(|(name, _)| *name != "__metadata__")
            .collect();
        let [(_, only)] = tensors.as_slice() else {
            return Err(format!("it has {} tables, and a table of words has one", tensors.len()));
        };
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let list =
            |key: &str| -> Option<Vec<usize>> { only.get(key)?.as_array()?.iter().map(number).collect() };
        let (Some(shape), Some(offsets)) = (list("shape"), list("data_offsets")) else {
            return Err(broken());
        };
        let (&[rows, dims], &[begin, end]) = (shape.as_slice(), offsets.as_slice()) else {
            return Err("its table has not two dimensions".to_owned());
        };
        let kind = match only.get("dtype").and_then(Value::as_str) {
            Some("F32") => Kind::F32,
            Some("F16") => Kind::F16,
            Some("BF16") => Kind::Bf16,
            _ => return Err("its numbers are not F32, F16 or BF16".to_owned()),
        };
        let from = 8 + length + begin;
        let size = rows.checked_mul(dims).and_then(|cells| cells.checked_mul(kind.bytes()));
        let is_whole =
            size.is_some_and(|size| begin.checked_add(size) == Some(end) && from + size <= bytes.len());
        if !is_whole || dims == 0 {
            return Err("its table is not as long as it says".to_owned());
        }
        Ok(Self { bytes, from, rows, dims, kind })
    }

    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// Adds the vector of a piece to a sum.
    pub(super) fn add(&self, piece: u32, sum: &mut [f32]) {
        let (row, size) = (piece as usize, self.kind.bytes());
        if row >= self.rows {
            return;
        }
        let from = self.from + row * self.dims * size;
        let numbers = self.bytes.get(from..from + self.dims * size).unwrap_or_default().chunks_exact(size);
        for (total, number) in sum.iter_mut().zip(numbers) {
            *total += self.kind.read(number);
        }
    }
}
