//! Vectors of passages: kept as one byte per number, which costs a hundredth of likeness and saves three quarters of the
//! room, and compared one by one. Where there are many, the [`signs`] of their numbers say first which are worth it: an
//! eighth of the bytes, and no structure that has to be kept.
//!
//! A passage has a vector for each of its parts ([`mod@parts`]). Two parts that follow each other are compared together, and a passage
//! is as near as the nearest of these pairs.

mod parts;
mod signs;

use std::collections::HashSet;

use rusqlite::params;

use crate::index::{Index, IndexError};
use parts::parts;
use signs::Signs;

/// Largest value of a number that is kept.
const LARGEST: f32 = 127.0;
/// Passages that are compared by their whole vectors whatever their signs say.
const COMPARED: usize = 4_096;
/// Passages that say how near one usually is, at most.
const SAMPLE: usize = 256;
/// Numbers that are no more apart than this are the same.
const LEAST_APART: f64 = 1e-6;
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
    /// In order, so that one is found; a passage stands as often as it has vectors.
    ids: Vec<i64>,
    scales: Vec<f32>,
    data: Vec<i8>,
    signs: Signs,
}

/// How near passages usually are to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UsualNearness {
    sum: f64,
    count: usize,
}

impl UsualNearness {
    /// The mean of the others, for one that is so near itself; nothing where there are none.
    pub(crate) fn without(self, near: f64) -> f64 {
        if self.count > 1 { (self.sum - near) / (self.count - 1) as f64 } else { 0.0 }
    }

    /// How far a passage is from what is usual towards the nearest of all, from 0 to 1: what that is in numbers differs
    /// from model to model and from question to question.
    pub(crate) fn share(self, near: f64, nearest: f64) -> f64 {
        let mean = self.sum / self.count.max(1) as f64;
        let most = nearest - mean;
        if most > LEAST_APART { ((near - mean) / most).clamp(0.0, 1.0) } else { 1.0 }
    }
}

impl Matrix {
    /// Reads them from the index.
    pub(crate) fn load(index: &Index, model: &str) -> Result<Self, IndexError> {
        let mut matrix = Self::default();
        let mut chunks = index.db.prepare_cached("SELECT id, hash FROM chunks ORDER BY id")?;
        // Asked for one by one: as one join SQLite does not take the second bound for one, and looks at all that come after.
        let mut vectors = index.db.prepare_cached(
            "SELECT substr(hash, length(?1) + 1), scale, data FROM vectors WHERE hash >= ?1 AND hash < ?2 AND model = ?3",
        )?;
        let mut chunks = chunks.query([])?;
        while let Some(chunk) = chunks.next()? {
            let (id, hash): (i64, String) = (chunk.get(0)?, chunk.get(1)?);
            let parts = vectors.query_map([hash.as_str(), &format!("{hash}/"), model], |row| {
                let data = row.get_ref(2)?.as_blob()?.iter().map(|byte| byte.cast_signed()).collect();
                Ok((row.get(0)?, Small { scale: row.get::<_, f64>(1)? as f32, data }))
            })?;
            matrix.add(id, parts.collect::<Result<_, _>>()?);
        }
        matrix.signs = Signs::of(&matrix.data, matrix.dims);
        Ok(matrix)
    }

    /// Takes the vectors of a passage's parts, by what their keys end with.
    fn add(&mut self, id: i64, mut parts: Vec<(String, Small)>) {
        // The last part has the key without an end.
        parts.sort_by(|(one, _), (other, _)| (one.is_empty(), one).cmp(&(other.is_empty(), other)));
        let known = parts.iter().map(|(_, small)| small).find(|small| !small.data.is_empty());
        if let Some(known) = known.filter(|_| self.dims == 0) {
            self.dims = known.data.len();
        }
        if let [(_, only)] = parts.as_slice() {
            self.push(id, only);
        }
        for pair in parts.windows(2) {
            let mut sum = vec![0.0; self.dims];
            for (_, part) in pair.iter().filter(|(_, part)| part.data.len() == self.dims) {
                let numbers = part.data.iter().map(|number| f32::from(*number) * part.scale);
                sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            }
            if let Some(both) = Small::of(&sum) {
                self.push(id, &both);
            }
        }
    }

    fn push(&mut self, id: i64, small: &Small) {
        if small.data.len() == self.dims && !small.data.is_empty() {
            self.ids.push(id);
            self.scales.push(small.scale);
            self.data.extend(&small.data);
        }
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
        let mut best =
            NearestPassages { wanted, kept: Vec::with_capacity(wanted * KEPT + 1), least: f32::NEG_INFINITY };
        // The vectors of a passage stand together.
        let mut passage: Option<(f32, i64)> = None;
        for place in places {
            let Some((id, near)) = self.ids.get(place).zip(self.near(place, asked)) else { continue };
            match &mut passage {
                Some((nearest, known)) if known == id => *nearest = nearest.max(near),
                _ => best.extend(passage.replace((near, *id))),
            }
        }
        best.extend(passage);
        best.sorted().into_iter().map(|(near, id)| (id, f64::from(near))).collect()
    }

    /// How near one passage is; nothing if it has no vector.
    pub(crate) fn likeness(&self, id: i64, asked: &Small) -> Option<f64> {
        let first = self.ids.partition_point(|known| *known < id);
        let own = self.ids.iter().skip(first).take_while(|known| **known == id).count();
        let near = (first..first + own).filter_map(|place| self.near(place, asked));
        near.reduce(f32::max).map(f64::from)
    }

    /// How near passages usually are, by some of them.
    pub(crate) fn usual(&self, asked: &Small) -> UsualNearness {
        let step = self.ids.len().div_ceil(SAMPLE).max(1);
        let mut some: Vec<i64> = self.ids.iter().step_by(step).copied().collect();
        some.dedup();
        let near = some.into_iter().filter_map(|id| self.likeness(id, asked));
        let (sum, count) = near.fold((0.0, 0), |(sum, count), near| (sum + near, count + 1));
        UsualNearness { sum, count }
    }

    fn near(&self, place: usize, asked: &Small) -> Option<f32> {
        let row = self.data.get(place * self.dims..(place + 1) * self.dims)?;
        Some(product(row, &asked.data) as f32 * self.scales.get(place)? * asked.scale)
    }
}

/// The nearest passages so far.
struct NearestPassages {
    wanted: usize,
    kept: Vec<(f32, i64)>,
    least: f32,
}

impl NearestPassages {
    fn extend(&mut self, passage: Option<(f32, i64)>) {
        self.kept.extend(passage.filter(|(near, _)| *near > self.least));
        if self.kept.len() > self.wanted * KEPT {
            let nearest = |one: &(f32, i64), other: &(f32, i64)| other.0.total_cmp(&one.0);
            self.least = self.kept.select_nth_unstable_by(self.wanted - 1, nearest).1.0;
            self.kept.truncate(self.wanted);
        }
    }

    fn sorted(mut self) -> Vec<(f32, i64)> {
        self.kept.sort_by(|one, other| other.0.total_cmp(&one.0));
        self.kept.truncate(self.wanted);
        self.kept
    }
}

/// As one sum of products in `i32`, which compilers turn into the multiply-and-add of the machine.
fn product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// A part of a passage that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingVector {
    /// What its vector is kept by.
    pub hash: String,
    /// What a model is given of it.
    pub text: String,
}

/// Parts of passages without a vector of this model, so many at most; only those after one, so that whoever makes them
/// batch by batch does not pass over the same ones again and again. The last part of a passage is known by its hash alone
/// and comes last: a passage that has that one has them all.
pub(crate) fn missing(
    index: &Index,
    model: &str,
    after: &str,
    most: usize,
) -> Result<Vec<MissingVector>, IndexError> {
    let mut statement = index.db.prepare_cached(
        "SELECT c.hash, c.heading, c.text FROM chunks c
         WHERE c.hash >= ?3 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.hash = c.hash AND v.model = ?1)
         GROUP BY c.hash ORDER BY c.hash LIMIT ?2",
    )?;
    let (last, done) = after.split_once('.').map_or((after, None), |(last, _)| (last, Some(after)));
    let rows = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    let mut rows = statement.query(params![model, rows, last])?;
    let mut unseen = Vec::new();
    while let Some(row) = rows.next()? {
        let (hash, heading, text): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if done.is_none() && hash == after {
            continue;
        }
        let mut parts = parts(&heading, &text);
        let end = parts.pop();
        let known = if parts.is_empty() { HashSet::new() } else { seen(index, model, &hash)? };
        for (place, text) in parts.into_iter().enumerate() {
            let hash = format!("{hash}.{place:04}");
            let is_done =
                hash.split('.').next() == Some(last) && done.is_some_and(|done| hash.as_str() <= done);
            if !is_done && !known.contains(&hash) {
                unseen.push(MissingVector { hash, text });
            }
        }
        unseen.extend(end.map(|text| MissingVector { hash, text }));
        if unseen.len() >= most {
            unseen.truncate(most);
            break;
        }
    }
    Ok(unseen)
}

/// The parts of a passage that have a vector, but for the last.
fn seen(index: &Index, model: &str, hash: &str) -> Result<HashSet<String>, IndexError> {
    let mut statement = index
        .db
        .prepare_cached("SELECT hash FROM vectors WHERE hash > ?1 AND hash < ?1 || '/' AND model = ?2")?;
    let rows = statement.query_map([hash, model], |row| row.get(0))?;
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
         OR substr(hash, 1, instr(hash || '.', '.') - 1) NOT IN (SELECT hash FROM chunks)",
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
        for (near, share) in [(1.0, 1.0), (0.6, 0.0), (0.1, 0.0)] {
            assert!((usual.share(near, 1.0) - share).abs() < 0.3, "{near}");
        }
        assert_eq!(UsualNearness { sum: 0.5, count: 1 }.share(0.5, 0.5), 1.0, "the only one is the nearest");
    }

    #[test]
    fn a_passage_is_as_near_as_the_nearest_two_parts_of_it() {
        let mut matrix = Matrix::default();
        let part = |end: &str, row: [f32; 2]| {
            (end.to_owned(), Small::of(&row).unwrap_or(Small { scale: 0.0, data: Vec::new() }))
        };
        let (east, north, nowhere) = ([1.0, 0.0], [0.0, 1.0], [0.0, 0.0]);
        matrix.add(1, vec![part("", east), part(".0001", north), part(".0000", north)]);
        matrix.add(2, vec![part("", east)]);
        matrix.add(3, vec![part("", nowhere)]);
        matrix.add(4, vec![part("", nowhere), part(".0000", north)]);
        assert_eq!(matrix.ids, [1, 1, 2, 4]);
        matrix.signs = Signs::of(&matrix.data, matrix.dims);
        let asked = matrix.asked(&north).unwrap();
        let near = |id| matrix.likeness(id, &asked).map(|near| (near * 100.0).round());
        assert_eq!([near(1), near(2), near(3), near(4)], [Some(100.0), Some(0.0), None, Some(100.0)]);
        let nearest: Vec<i64> = matrix.nearest(&asked, 3).into_iter().map(|(id, _)| id).collect();
        assert_eq!(nearest.len(), 3, "a passage is told once");
        assert_eq!(nearest.last(), Some(&2));
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
