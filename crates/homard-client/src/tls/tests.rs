//! How fingerprints are written.

use super::Fingerprint;

#[test]
fn a_fingerprint_is_read_in_every_usual_spelling() {
    let plain = "ab".repeat(32);
    let colons = vec!["AB"; 32].join(":");
    let spellings = [
        plain.clone(),
        colons.clone(),
        format!("sha256:{plain}"),
        format!(" SHA-256:{colons} "),
        format!("sha256 Fingerprint={colons}"),
    ];
    for text in spellings {
        assert_eq!(Fingerprint::parse(&text).unwrap().to_string(), plain, "{text}");
    }
    for text in ["", "ab", &"ab".repeat(31), &"ab".repeat(33), &"zz".repeat(32), &"é".repeat(32)] {
        assert!(Fingerprint::parse(text).is_err(), "{text}");
    }
}
