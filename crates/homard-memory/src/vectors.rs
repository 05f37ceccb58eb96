//! Vectors of passages: kept as one byte per number, which costs a hundredth of likeness and saves three quarters of the
//! room, and compared one by one. Where there are many, the [`signs`] of their numbers say first which are worth it: an
//! eighth of the bytes, and no structure that has to be kept.

mod signs;

use rusqlite::params;

use crate::index::{Index, IndexError};
use signs::Signs;

/// Largest value of a number that is kept.
const LARGEST: f32 = 127.0;
/// Passages that are compared by their whole vectors whatever their signs say.
const COMPARED: usize = 4_096;
/// Passages that say how near one usually is, at most.
const SAMPLE: usize = 256;
/// How many more than are wanted are kept before the worse ones go.
const KEPT: usize = 4;

/// A vector as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Small {
    pub(crate) scale: f32,
    pub(crate) data: Vec<i8>,
}

impl Small {
    /// A vector of length one in small numbers; nothing if it has no length.
    pub(crate) fn of(vector: &[f32]) -> Option<Self> {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        let most = vector.iter().map(|value| value.abs()).fold(0.0, f32::max);
        if !length.is_normal() || !most.is_normal() {
            return None;
        }
        let data = vector.iter().map(|value| (value / most * LARGEST).round() as i8).collect();
        Some(Self { scale: most / LARGEST / length, data })
    }
}

/// All vectors of one model, by passage. Held while searches go on and let go when they stop.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    dims: usize,
    /// In order, so that one is found.
    ids: Vec<i64>,
    scales: Vec<f32>,
    data: Vec<i8>,
    signs: Signs,
}

/// How near passages usually are to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Usual {
    sum: f64,
    count: usize,
}

impl Usual {
    /// The mean of the others, for one that is so near itself; nothing where there are none.
    pub(crate) fn without(self, near: f64) -> f64 {
        if self.count > 1 { (self.sum - near) / (self.count - 1) as f64 } else { 0.0 }
    }
}

impl Matrix {
    /// Reads them from the index.
    pub(crate) fn load(index: &Index, model: &str) -> Result<Self, IndexError> {
        let mut matrix = Self::default();
        let mut statement = index.db.prepare_cached(
            "SELECT c.id, v.scale, v.data FROM chunks c CROSS JOIN vectors v ON v.hash = c.hash AND v.model = ?1
             ORDER BY c.id",
        )?;
        let mut rows = statement.query([model])?;
        while let Some(row) = rows.next()? {
            let data = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            if matrix.dims == 0 {
                matrix.dims = data.len();
            }
            if data.len() != matrix.dims || data.is_empty() {
                continue;
            }
            matrix.ids.push(row.get(0)?);
            matrix.scales.push(row.get::<_, f64>(1)? as f32);
            matrix.data.extend(data.iter().map(|byte| byte.cast_signed()));
        }
        matrix.signs = Signs::of(&matrix.data, matrix.dims);
        Ok(matrix)
    }

    /// How many numbers a vector has.
    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// A vector as it is compared with these; nothing if it is of other dimensions or has no length.
    pub(crate) fn asked(&self, vector: &[f32]) -> Option<Small> {
        Small::of(vector).filter(|asked| asked.data.len() == self.dims)
    }

    /// The passages nearest to a vector, nearest first.
    pub(crate) fn nearest(&self, asked: &Small, wanted: usize) -> Vec<(i64, f64)> {
        let wanted = wanted.max(1);
        let few = (self.ids.len() > COMPARED).then(|| self.signs.nearest(&asked.data, COMPARED.max(wanted)));
        let places: &mut dyn Iterator<Item = usize> = match &few {
            Some(few) => &mut few.iter().copied(),
            None => &mut (0..self.ids.len()),
        };
        let mut best: Vec<(f32, i64)> = Vec::with_capacity(wanted * KEPT + 1);
        let mut least = f32::NEG_INFINITY;
        for place in places {
            let Some((id, near)) = self.ids.get(place).zip(self.near(place, asked)) else { continue };
            if near > least {
                best.push((near, *id));
                if best.len() > wanted * KEPT {
                    let (_, last, _) =
                        best.select_nth_unstable_by(wanted - 1, |one, other| other.0.total_cmp(&one.0));
                    least = last.0;
                    best.truncate(wanted);
                }
            }
        }
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.truncate(wanted);
        best.into_iter().map(|(near, id)| (id, f64::from(near))).collect()
    }

    /// How near one passage is; nothing if it has no vector.
    pub(crate) fn likeness(&self, id: i64, asked: &Small) -> Option<f64> {
        Some(f64::from(self.near(self.ids.binary_search(&id).ok()?, asked)?))
    }

    /// How near passages usually are, by some of them.
    pub(crate) fn usual(&self, asked: &Small) -> Usual {
        let step = self.ids.len().div_ceil(SAMPLE).max(1);
        let places = (0..self.ids.len()).step_by(step);
        let near = places.filter_map(|place| self.near(place, asked)).map(f64::from);
        let (sum, count) = near.fold((0.0, 0), |(sum, count), near| (sum + near, count + 1));
        Usual { sum, count }
    }

    fn near(&self, place: usize, asked: &Small) -> Option<f32> {
        let row = self.data.get(place * self.dims..(place + 1) * self.dims)?;
        Some(product(row, &asked.data) as f32 * self.scales.get(place)? * asked.scale)
    }
}

/// As one sum of products in `i32`, which compilers turn into the multiply-and-add of the machine.
fn product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// A passage that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    pub hash: String,
    /// What a model is given of it: its headings and its text.
    pub text: String,
}

/// Passages without a vector of this model, so many at most, by their hashes; only those after one, so that whoever makes
/// them batch by batch does not pass over the same ones again and again.
pub(crate) fn missing(
    index: &Index,
    model: &str,
    after: &str,
    most: usize,
) -> Result<Vec<Unseen>, IndexError> {
    let mut statement = index.db.prepare_cached(
        "SELECT c.hash, c.heading, c.text FROM chunks c
         WHERE c.hash > ?3 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = c.hash AND v.model = ?1)
         GROUP BY c.hash ORDER BY c.hash LIMIT ?2",
    )?;
    let rows =
        statement.query_map(params![model, i64::try_from(most).unwrap_or(i64::MAX), after], |row| {
            let (heading, text): (String, String) = (row.get(1)?, row.get(2)?);
            let text = if heading.is_empty() { text } else { format!("{heading}\n{text}") };
            Ok(Unseen { hash: row.get(0)?, text })
        })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Keeps vectors. One without length is kept as nothing, so that it is not asked for again.
pub(crate) fn keep(index: &Index, model: &str, made: &[(String, Vec<f32>)]) -> Result<(), IndexError> {
    index.together(|index| {
        let mut statement = index.db.prepare_cached(
            "INSERT OR REPLACE INTO vectors (hash, model, scale, data) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (hash, vector) in made {
            let small = Small::of(vector).unwrap_or(Small { scale: 0.0, data: Vec::new() });
            let bytes: Vec<u8> = small.data.iter().map(|value| value.cast_unsigned()).collect();
            statement.execute(params![hash, model, f64::from(small.scale), bytes])?;
        }
        Ok(())
    })
}

/// Forgets all vectors of a model.
pub(crate) fn forget(index: &Index, model: &str) -> Result<(), IndexError> {
    index.db.prepare_cached("DELETE FROM vectors WHERE model = ?1")?.execute([model])?;
    Ok(())
}

/// Forgets vectors of passages that are gone, and of models that are not asked any more.
pub(crate) fn sweep(index: &Index, models: &[String]) -> Result<(), IndexError> {
    let kept = homard_runtime::json::to_text(models);
    let mut statement = index.db.prepare_cached(
        "DELETE FROM vectors WHERE model NOT IN (SELECT value FROM json_each(?1))
         OR hash NOT IN (SELECT hash FROM chunks)",
    )?;
    statement.execute([kept])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_is_what_the_others_are_like() {
        let rows = [[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]].map(|row: [f32; 2]| Small::of(&row).unwrap());
        let matrix = Matrix {
            dims: 2,
            ids: vec![1, 2, 3],
            scales: rows.iter().map(|row| row.scale).collect(),
            data: rows.iter().flat_map(|row| row.data.clone()).collect(),
            signs: Signs::default(),
        };
        let usual = matrix.usual(&matrix.asked(&[1.0, 0.0]).unwrap());
        assert!((usual.without(1.0) - 0.6).abs() < 0.01, "{usual:?}");
        assert_eq!(Matrix::default().usual(&rows[0]).without(0.5), 0.0);
    }

    #[test]
    fn small_vectors_are_as_near_as_the_large_ones_were() {
        let one: Vec<f32> = (0..=255_u8).map(|n| f32::from(n).sin()).collect();
        let other: Vec<f32> = (0..=255_u8).map(|n| (f32::from(n) * 1.01).sin()).collect();
        let exact = {
            let dot: f32 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
            let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
            f64::from(dot / length(&one) / length(&other))
        };
        let small = Small::of(&one).unwrap();
        let matrix = Matrix {
            dims: 256,
            ids: vec![7],
            scales: vec![small.scale],
            data: small.data,
            signs: Signs::default(),
        };
        let asked = matrix.asked(&other).unwrap();
        let near = matrix.likeness(7, &asked).unwrap();
        assert!((near - exact).abs() < 0.01, "{near} {exact}");
        assert_eq!(matrix.nearest(&asked, 3), [(7, near)]);
        assert_eq!(matrix.usual(&asked).without(near), 0.0, "there is no other");
        assert_eq!(matrix.asked(&[1.0, 2.0]), None, "a vector of other dimensions finds nothing");
        assert_eq!(Small::of(&[0.0, 0.0]), None);
        assert_eq!(Small::of(&[f32::NAN, 1.0]), None);
    }
}
