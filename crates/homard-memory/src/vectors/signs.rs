//! Which vectors are probably near, by one bit for each number: whether it is larger than is usual at its place. Two
//! vectors are the nearer, the more of these they share.

/// Bits that are compared at once.
const BITS: usize = 64;
/// Vectors that say what is usual, at most.
const SAMPLE: usize = 2_048;

/// The bits of many vectors.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// What is usual at each place.
    usual: Vec<i8>,
    /// The bits of each vector, in as many words as it takes.
    bits: Vec<u64>,
}

impl Signs {
    /// Of vectors that lie one behind the other.
    pub(super) fn of(vectors: &[i8], dims: usize) -> Self {
        let count = vectors.len() / dims.max(1);
        let step = (count / SAMPLE).max(1);
        let mut sums = vec![0_i64; dims];
        let mut seen = 0_i64;
        for vector in vectors.chunks_exact(dims.max(1)).step_by(step) {
            seen += 1;
            sums.iter_mut().zip(vector).for_each(|(sum, number)| *sum += i64::from(*number));
        }
        let usual: Vec<i8> = sums.iter().map(|sum| i8::try_from(sum / seen.max(1)).unwrap_or(0)).collect();
        let mut bits = Vec::with_capacity(count * dims.div_ceil(BITS));
        for vector in vectors.chunks_exact(dims.max(1)) {
            push(&usual, vector, &mut bits);
        }
        Self { usual, bits }
    }

    /// The places of about as many vectors as are wanted that share most with one, in order.
    pub(super) fn nearest(&self, asked: &[i8], wanted: usize) -> Vec<usize> {
        let mut own = Vec::new();
        push(&self.usual, asked, &mut own);
        let apart: Vec<u16> = match own.as_slice() {
            // Widths of common models: a loop of known length is several times as fast.
            [_, _, _, _] => self.apart::<4>(&own),
            [_, _, _, _, _, _] => self.apart::<6>(&own),
            _ => self.bits.chunks_exact(own.len().max(1)).map(|row| differing(row, &own)).collect(),
        };
        let mut counts = vec![0_usize; own.len() * BITS + 1];
        for apart in &apart {
            if let Some(count) = counts.get_mut(usize::from(*apart)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        let most = counts.iter().position(|count| {
            sum += count;
            sum >= wanted
        });
        let most = most.unwrap_or(counts.len());
        let near = apart.iter().enumerate().filter(|(_, apart)| usize::from(**apart) <= most);
        near.map(|(place, _)| place).collect()
    }

    /// How many bits each vector differs in.
    fn apart<const WORDS: usize>(&self, own: &[u64]) -> Vec<u16> {
        let Ok(own) = <[u64; WORDS]>::try_from(own) else { return Vec::new() };
        self.bits.as_chunks::<WORDS>().0.iter().map(|row| differing(row, &own)).collect()
    }
}

fn differing(one: &[u64], other: &[u64]) -> u16 {
    let bits: u32 = one.iter().zip(other).map(|(one, other)| (one ^ other).count_ones()).sum();
    u16::try_from(bits).unwrap_or(u16::MAX)
}

fn push(usual: &[i8], vector: &[i8], bits: &mut Vec<u64>) {
    for (usual, numbers) in usual.chunks(BITS).zip(vector.chunks(BITS)) {
        let larger = usual.iter().zip(numbers).enumerate();
        bits.push(larger.fold(0, |word, (place, (usual, number))| word | u64::from(number > usual) << place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_like_a_vector_is_among_those_that_share_most_with_it() {
        // Numbers that look like none in particular, about a value that is usual at each place.
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i8::try_from((state >> 33) % 101).unwrap() - 50
        };
        for dims in [100, 256, 384] {
            let vectors: Vec<i8> =
                (0..5_000 * dims).map(|at| next() / 2 + i8::try_from(at % dims % 40).unwrap()).collect();
            let signs = Signs::of(&vectors, dims);
            let asked: Vec<i8> =
                vectors[1_234 * dims..1_235 * dims].iter().map(|number| number + next() / 5).collect();
            let found = signs.nearest(&asked, 20);
            assert!(found.contains(&1_234) && (20..200).contains(&found.len()), "{dims}: {}", found.len());
        }
        assert_eq!(Signs::of(&[], 0).nearest(&[], 3), [0_usize; 0]);
    }
}
