//! Unpacking what the build packed: the page, the book and the schema are deflated in a release.

use std::io::Read as _;

use flate2::bufread::ZlibDecoder;

/// What was deflated with the head and the sum of zlib, unless it is longer than that.
#[must_use]
pub fn inflated(packed: &[u8], longest: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).take(longest + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= longest).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::Compression;
    use flate2::bufread::ZlibEncoder;

    use super::inflated;

    #[test]
    fn what_was_packed_comes_back_unless_it_is_longer_or_damaged() {
        let text = b"the same and the same and the same".as_slice();
        let mut packed = Vec::new();
        ZlibEncoder::new(text, Compression::best()).read_to_end(&mut packed).unwrap();
        assert_eq!(inflated(&packed, 34).as_deref(), Some(text));
        assert_eq!(inflated(&packed, 33), None);
        assert_eq!(inflated(&packed[..packed.len() - 1], 34), None);
        assert_eq!(inflated(text, 34), None);
    }
}
