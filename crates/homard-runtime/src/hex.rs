//! Bytes as hexadecimal digits, and back.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two lower-case digits for each byte.
#[must_use]
pub fn hex<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> String {
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).map(|digit| char::from(*digit));
    bytes.into_iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(digit).collect()
}

/// The bytes that pairs of digits of either case stand for; nothing if there is anything else.
#[must_use]
pub fn from_hex(digits: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, rest) = digits.as_ref().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(value(*high)? << 4 | value(*low)?));
    rest.is_empty().then(|| bytes.collect())?
}

#[cfg(test)]
mod tests {
    use super::{from_hex, hex};

    #[test]
    fn every_byte_is_two_digits_and_comes_back() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let digits = hex(&all);
        assert_eq!((digits.len(), &digits[..8], &digits[508..]), (512, "00010203", "feff"));
        assert_eq!(from_hex(&digits), Some(all.clone()));
        assert_eq!(from_hex(digits.to_uppercase()), Some(all));
        assert_eq!(hex([0xde, 0xad, 0xbe, 0xef].iter().take(2)), "dead");
    }

    #[test]
    fn what_is_no_pair_of_digits_is_refused() {
        let cases = ["0", "0g", "+1", " 1", "é", "0x00"];
        assert!(cases.iter().all(|text| from_hex(text).is_none()));
        assert_eq!(from_hex(""), Some(Vec::new()));
    }
}
